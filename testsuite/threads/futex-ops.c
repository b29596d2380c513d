/* Raw futexes: bit sets, requeue and wake-op, mismatching values.  */
/* test: threads */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned first, second, woken, ready;

static long
futex (unsigned *word, int op, unsigned val, unsigned long val2, unsigned *word2, unsigned val3)
{
  return syscall (SYS_futex, word, op, val, val2, word2, val3);
}

static void *
wait_bits (void *arg)
{
  unsigned bits = 1u << (long) arg;
  __atomic_fetch_add (&ready, 1, __ATOMIC_SEQ_CST);
  long ret;
  do
    ret = futex (&first, FUTEX_WAIT_BITSET, 0, 0, NULL, bits);
  while (ret != 0 && errno == EINTR);
  __atomic_fetch_add (&woken, bits, __ATOMIC_SEQ_CST);
  return NULL;
}

int
main (void)
{
  pthread_t t[6];
  assert (futex (&first, FUTEX_WAIT, 5, 0, NULL, 0) == -1 && errno == EAGAIN);
  for (long i = 0; i < 6; i++)
    pthread_create (&t[i], NULL, wait_bits, (void *) i);
  while (__atomic_load_n (&ready, __ATOMIC_SEQ_CST) != 6)
    sched_yield ();
  long n_bits = 0, n_moved = 0;
  while (n_bits < 2)
    n_bits += futex (&first, FUTEX_WAKE_BITSET, 9, 0, NULL, 3);
  while (n_moved < 4)
    n_moved += futex (&first, FUTEX_CMP_REQUEUE, 1, 9, &second, 0) ;
  printf ("%ld by bits, %ld woken or requeued\n", n_bits, n_moved);
  long n = 0;
  while (__atomic_load_n (&woken, __ATOMIC_SEQ_CST) != 63)
    n += futex (&first, FUTEX_WAKE_OP, 9, 9, &second, FUTEX_OP (FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0));
  for (int i = 0; i < 6; i++)
    pthread_join (t[i], NULL);
  printf ("%ld by wake-op, %u\n", n, woken);
  return 0;
}
