/* exec of a descriptor.  */
/* test: same-output exit=2 */
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int
main (void)
{
  char *args[] = { "sh", "-c", "echo by descriptor; exit 2", NULL };
  int fd = open ("/bin/sh", O_PATH | O_CLOEXEC);
  assert (fd >= 0);
  fexecve (fd, args, environ);
  return 1;
}
