/* For breaks.c: loaded while it runs.  */

/* build: -O0 */

int plugged (int value);

int
plugged (int value)
{
  int more = value + 1;

  return more;
}
