/* For breaks.c: linked.  */

/* build: -O0 */

int library_twice (int value);

int
library_twice (int value)
{
  return 2 * value;
}
