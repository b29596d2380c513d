/* Resource limits: read, set, felt (SIGXFSZ, EMFILE).  */
/* test: same-output signal=25 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int
main (void)
{
  struct rlimit limit, files = { 10, 10 }, size = { 1000, 1000 }, none = { 0, 0 };
  setrlimit (RLIMIT_CORE, &none);
  assert (setrlimit (RLIMIT_NOFILE, &files) == 0 && getrlimit (RLIMIT_NOFILE, &limit) == 0);
  int n = 0;
  while (dup (1) >= 0)
    n++;
  printf ("%lu files, %d\n", (unsigned long) limit.rlim_cur, n > 0 && errno == EMFILE);
  close (9);
  assert (prlimit (0, RLIMIT_FSIZE, &size, &limit) == 0);
  fflush (stdout);
  int fd = open ("file", O_RDWR | O_CREAT, 0600);
  char buf[2000] = "";
  ssize_t w = write (fd, buf, sizeof buf);
  unlink ("file");
  dprintf (1, "wrote %zd\n", w);
  w = write (fd, buf, 1);
  return 0;
}
