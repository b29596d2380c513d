/* Nothing at all, for the time that starting takes.  */

int
main (void)
{
  return 0;
}
