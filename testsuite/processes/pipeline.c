/* A pipeline of three programs, built as a shell does it.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  char *const commands[3][4] = { { "sh", "-c", "for i in 3 1 2; do echo $i; done", NULL },
                                 { "sort", NULL },
                                 { "tr", "123", "abc", NULL } };
  char buf[100] = "";
  int in = 0;
  for (int i = 0; i < 3; i++)
    {
      int fds[2];
      assert (pipe (fds) == 0);
      if (fork () == 0)
        {
          dup2 (in, 0);
          dup2 (fds[1], 1);
          close (fds[0]);
          close (fds[1]);
          execvp (commands[i][0], commands[i]);
          _exit (127);
        }
      close (fds[1]);
      if (in)
        close (in);
      in = fds[0];
    }
  size_t n = 0;
  for (ssize_t got; (got = read (in, buf + n, sizeof buf - 1 - n)) > 0;)
    n += (size_t) got;
  while (wait (NULL) > 0)
    ;
  fputs (buf, stdout);
  return 0;
}
