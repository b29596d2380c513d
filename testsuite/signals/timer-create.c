/* POSIX timers: by signal with a value, by a thread, with an overrun.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static volatile int value, count;
static sem_t expired;

static void
handle (int sig, siginfo_t *info, void *context)
{
  (void) sig;
  (void) context;
  value = info->si_value.sival_int;
  count++;
}

static void
notify (union sigval v)
{
  value += v.sival_int;
  sem_post (&expired);
}

int
main (void)
{
  timer_t timer;
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  struct itimerspec soon = { { 0, 2000000 }, { 0, 2000000 } };
  struct sigevent by_signal = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1,
                                .sigev_value.sival_int = 33 };
  struct sigevent by_thread = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify,
                                .sigev_value.sival_int = 100 };
  unsigned long work = 0;
  sigaction (SIGRTMIN + 1, &sa, NULL);
  assert (timer_create (CLOCK_MONOTONIC, &by_signal, &timer) == 0);
  timer_settime (timer, 0, &soon, NULL);
  while (count < 3)
    work++;
  timer_delete (timer);
  printf ("signal: value %d, %lu\n", value, work);
  sem_init (&expired, 0, 0);
  soon.it_interval.tv_nsec = 0;
  assert (timer_create (CLOCK_REALTIME, &by_thread, &timer) == 0);
  timer_settime (timer, 0, &soon, NULL);
  while (sem_wait (&expired) != 0)
    ;
  timer_delete (timer);
  printf ("thread: value %d\n", value);
  return 0;
}
