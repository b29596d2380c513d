/* State to be looked at: vector registers, siginfo of signals of all sorts,
   a return value to be changed.  */

/* build: -O0 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int numbers[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
static volatile int handled;
static volatile unsigned long spins;

static void
vectors_set (void)
{
}

static void
vectors (void)
{
  if (__builtin_cpu_supports ("avx512f"))
    __asm__ volatile ("vmovdqu32 %0, %%zmm17\n\tkmovw %1, %%k3" : : "m"(numbers), "r"(0x5a5a));
  if (__builtin_cpu_supports ("avx"))
    __asm__ volatile ("vmovdqu %0, %%ymm7" : : "m"(*(const int(*)[8]) numbers));
  vectors_set ();
}

static void
handler (int signo, siginfo_t *info, void *context)
{
  (void) info;
  (void) context;
  handled = signo;
}

/* One while it computes, one by sigqueue.  */
static void
signals (void)
{
  struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2, .sigev_value.sival_int = 77 };
  struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
  timer_t timer;

  sigaction (SIGUSR2, &action, NULL);
  sigaction (SIGRTMIN + 3, &action, NULL);
  timer_create (CLOCK_MONOTONIC, &event, &timer);
  timer_settime (timer, 0, &soon, NULL);
  while (handled == 0)
    spins++;
  timer_delete (timer);
  sigqueue (getpid (), SIGRTMIN + 3, (union sigval) { .sival_int = 42 });
}

static int
choose (int value)
{
  return value + 1;
}

int
main (int argc, char **argv)
{
  int chosen;

  (void) argv;
  vectors ();
  chosen = choose (4);
  printf ("chosen %d\n", chosen);
  signals ();
  if (argc > 1)
    *(volatile int *) 0x10 = chosen;
  return chosen;
}
