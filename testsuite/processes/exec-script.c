/* The program becomes a script, through its `#!' line.  */
/* test: same-output exit=5 */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  static const char text[] = "#!/bin/sh -u\necho \"script with $# arguments: $1\"\nrm script\nexit 5\n";
  int fd = open ("script", O_WRONLY | O_CREAT | O_TRUNC, 0700);
  assert (fd >= 0 && write (fd, text, sizeof text - 1) == sizeof text - 1);
  close (fd);
  execl ("./script", "script", "first", "second", (char *) NULL);
  return 1;
}
