/* An unhandled int3.  */
/* test: same-output signal=5 */
int
main (void)
{
  __asm__ volatile ("int3");
  return 0;
}
