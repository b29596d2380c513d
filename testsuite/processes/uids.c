/* User and group numbers, as far as an ordinary user may set them.  */
#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <unistd.h>

int
main (void)
{
  uid_t r, e, s;
  gid_t groups[64];
  assert (getresuid (&r, &e, &s) == 0 && setresuid (r, e, s) == 0 && setreuid (r, e) == 0);
  assert (setgid (getgid ()) == 0 && setegid (getegid ()) == 0);
  int n = getgroups (64, groups);
  printf ("%u %u %u, %d groups, %d\n", r, e, s, n, setfsuid (e));
  if (e == 0)
    {
      assert (setgroups (0, NULL) == 0 && setresgid (65534, 65534, 65534) == 0);
      assert (setresuid (65534, 65534, 65534) == 0);
      assert (setuid (0) == -1 && errno == EPERM);
    }
  printf ("%u %u\n", getuid (), getegid ());
  return 0;
}
