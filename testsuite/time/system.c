/* uname, sysinfo, getloadavg, gethostname, /proc/uptime.  */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

int
main (void)
{
  struct utsname name;
  struct sysinfo info;
  double load[3];
  char host[100] = "", line[100] = "";
  assert (uname (&name) == 0 && sysinfo (&info) == 0);
  gethostname (host, sizeof host);
  printf ("%s %s %s\n", name.sysname, name.release, host);
  printf ("%ld s, %lu free, %d\n", info.uptime, info.freeram, getloadavg (load, 3));
  FILE *file = fopen ("/proc/uptime", "r");
  assert (file && fgets (line, sizeof line, file));
  fputs (line, stdout);
  fclose (file);
  return 0;
}
