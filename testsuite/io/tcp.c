/* TCP on the loopback interface: names, options, big transfers, end.  */
/* test: threads same-output */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIZE = 300000 };

static void *
serve (void *arg)
{
  int s = accept (*(int *) arg, NULL, NULL);
  char *buf = malloc (SIZE);
  ssize_t n, sum = 0;
  assert (s >= 0);
  while ((n = recv (s, buf, SIZE, 0)) > 0)
    for (ssize_t i = 0; i < n; i++)
      sum += buf[i];
  int len = sprintf (buf, "%zd", sum);
  assert (send (s, buf, (size_t) len, 0) == len);
  close (s);
  free (buf);
  return NULL;
}

int
main (void)
{
  pthread_t t;
  struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr = { htonl (INADDR_LOOPBACK) } };
  socklen_t len = sizeof addr;
  int one = 1, listening = socket (AF_INET, SOCK_STREAM, 0), s = socket (AF_INET, SOCK_STREAM, 0);
  assert (bind (listening, (struct sockaddr *) &addr, len) == 0 && listen (listening, 1) == 0);
  assert (getsockname (listening, (struct sockaddr *) &addr, &len) == 0);
  pthread_create (&t, NULL, serve, &listening);
  assert (setsockopt (s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0);
  assert (connect (s, (struct sockaddr *) &addr, len) == 0);
  assert (getpeername (s, (struct sockaddr *) &addr, &len) == 0);
  char *buf = calloc (1, SIZE);
  for (int i = 0; i < SIZE; i++)
    buf[i] = (char) (i % 10);
  for (ssize_t done = 0; done < SIZE;)
    done += send (s, buf + done, (size_t) (SIZE - done), 0);
  shutdown (s, SHUT_WR);
  ssize_t n = recv (s, buf, 100, MSG_WAITALL);
  printf ("%.*s\n", (int) n, buf);
  pthread_join (t, NULL);
  free (buf);
  return 0;
}
