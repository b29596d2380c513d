/* The protection key rights register, to which the kernel gives a value of
   its own, in threads and across calls.  Exit 77 without it.  */
/* test: threads same-output */
#include <cpuid.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static unsigned found[5][2];

static unsigned
rdpkru (void)
{
  unsigned value;
  __asm__ volatile (".byte 0x0f, 0x01, 0xee" : "=a"(value) : "c"(0) : "rdx");
  return value;
}

static void
wrpkru (unsigned value)
{
  __asm__ volatile (".byte 0x0f, 0x01, 0xef" : : "a"(value), "c"(0), "d"(0) : "memory");
}

static void *
run (void *arg)
{
  static const unsigned changes[] = { 0, 0xc0, 0x3000, 0x55555554, 4 };
  unsigned(*mine)[2] = arg;

  (*mine)[0] = rdpkru ();
  wrpkru ((*mine)[0] ^ changes[mine - found]);
  for (int i = 0; i < 10; i++)
    sched_yield ();
  for (volatile int i = 0; i < 1000000; i++)
    ;
  (*mine)[1] = rdpkru ();
  return NULL;
}

int
main (void)
{
  unsigned eax, ebx, ecx, edx;
  pthread_t threads[4];

  if (!__get_cpuid_count (7, 0, &eax, &ebx, &ecx, &edx) || (ecx & 16) == 0)
    return 77;
  for (int i = 0; i < 4; i++)
    pthread_create (&threads[i], NULL, run, &found[i]);
  for (int i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  run (&found[4]);
  for (int i = 0; i < 5; i++)
    printf ("%x %x\n", found[i][0], found[i][1]);
  return 0;
}
