/* An exit status above 127, which could be taken for a signal.  */
/* test: same-output exit=137 */
int
main (void)
{
  return 137;
}
