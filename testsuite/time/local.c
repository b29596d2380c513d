/* Dates: the time zone files are read, the date is formatted.  */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int
main (void)
{
  char buf[100];
  time_t now = time (NULL);
  setenv ("TZ", "Europe/Berlin", 1);
  tzset ();
  strftime (buf, sizeof buf, "%Y-%m-%d %H:%M:%S %Z", localtime (&now));
  puts (buf);
  strftime (buf, sizeof buf, "%c", gmtime (&now));
  puts (buf);
  return 0;
}
