/* A child computes for its parent and answers through a pipe.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  int to[2], from[2], n;
  assert (pipe (to) == 0 && pipe (from) == 0);
  if (fork () == 0)
    {
      close (to[1]);
      while (read (to[0], &n, sizeof n) == sizeof n)
        {
          n *= n;
          assert (write (from[1], &n, sizeof n) == sizeof n);
        }
      _exit (0);
    }
  for (int i = 0; i < 20; i++)
    {
      assert (write (to[1], &i, sizeof i) == sizeof i);
      assert (read (from[0], &n, sizeof n) == sizeof n);
      printf ("%d ", n);
    }
  close (to[1]);
  wait (&n);
  printf ("%d\n", n);
  return 0;
}
