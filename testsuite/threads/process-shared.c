/* Mutex and condition in shared memory: futexes without FUTEX_PRIVATE.  */
/* test: threads same-output */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

struct shared
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int value;
};

static void *
add (void *arg)
{
  struct shared *s = arg;
  for (int i = 0; i < 100; i++)
    {
      pthread_mutex_lock (&s->lock);
      s->value++;
      pthread_cond_signal (&s->changed);
      pthread_mutex_unlock (&s->lock);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[2];
  pthread_mutexattr_t mattr;
  pthread_condattr_t cattr;
  struct shared *s = mmap (NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert (s != MAP_FAILED);
  pthread_mutexattr_init (&mattr);
  pthread_mutexattr_setpshared (&mattr, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init (&s->lock, &mattr);
  pthread_condattr_init (&cattr);
  pthread_condattr_setpshared (&cattr, PTHREAD_PROCESS_SHARED);
  pthread_cond_init (&s->changed, &cattr);
  for (int i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, add, s);
  pthread_mutex_lock (&s->lock);
  while (s->value < 200)
    pthread_cond_wait (&s->changed, &s->lock);
  printf ("%d\n", s->value);
  pthread_mutex_unlock (&s->lock);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  return 0;
}
