/* setenv, putenv, unsetenv, clearenv, and a child that inherits.  */
/* test: same-output */
#include <stdio.h>
#include <stdlib.h>

int
main (void)
{
  static char var[] = "PUT=there";
  setvbuf (stdout, NULL, _IONBF, 0);
  clearenv ();
  setenv ("SET", "value", 1);
  setenv ("SET", "other", 0);
  putenv (var);
  setenv ("GONE", "x", 1);
  unsetenv ("GONE");
  printf ("%s %s %d\n", getenv ("SET"), getenv ("PUT"), getenv ("GONE") == NULL);
  return system ("echo $SET $PUT $GONE");
}
