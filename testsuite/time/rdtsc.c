/* rdtsc and rdtscp: trapped and emulated while recording.  */
#include <stdio.h>
#include <x86intrin.h>

int
main (void)
{
  unsigned long long before = __rdtsc (), steps = 0, last = before;
  unsigned cpu = 0;
  for (int i = 0; i < 100; i++)
    {
      unsigned long long now = i % 2 ? __rdtsc () : __rdtscp (&cpu);
      steps += now > last;
      last = now;
    }
  printf ("%llu, %llu steps, %llu cycles, cpu %u\n", before, steps, last - before, cpu);
  return steps == 100 ? 0 : 1;
}
