/* execs that fail leave the program as it was.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main (void)
{
  static const char *const names[] = { "/no/such/program", "/", "plain", "empty" };
  int fd = open ("plain", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert (fd >= 0);
  close (fd);
  fd = open ("empty", O_WRONLY | O_CREAT | O_TRUNC, 0700);
  close (fd);
  for (int i = 0; i < 4; i++)
    {
      assert (execl (names[i], names[i], (char *) NULL) == -1);
      printf ("%s: %s\n", names[i], strerror (errno));
    }
  unlink ("plain");
  unlink ("empty");
  return 0;
}
