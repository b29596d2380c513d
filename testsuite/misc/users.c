/* getpwuid and getgrgid: name services, their libraries and sockets.  */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  struct passwd *user = getpwuid (0);
  struct group *group = getgrgid (0);
  printf ("%s %s\n", user ? user->pw_name : "?", group ? group->gr_name : "?");
  user = getpwnam ("nobody");
  printf ("%d\n", user != NULL);
  return 0;
}
