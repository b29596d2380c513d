/* Unix sockets with names, in the file system and abstract; a thread is
   the server.  */
/* test: threads same-output */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void *
serve (void *arg)
{
  int listening = *(int *) arg;
  for (int i = 0; i < 3; i++)
    {
      struct sockaddr_un peer;
      socklen_t len = sizeof peer;
      char buf[100];
      int s = accept4 (listening, (struct sockaddr *) &peer, &len, SOCK_CLOEXEC);
      assert (s >= 0);
      ssize_t n = read (s, buf, sizeof buf);
      for (ssize_t k = 0; k < n; k++)
        buf[k] ^= 0x20;
      assert (write (s, buf, (size_t) n) == n);
      close (s);
    }
  return NULL;
}

int
main (void)
{
  for (int abstract = 0; abstract < 2; abstract++)
    {
      pthread_t t;
      struct sockaddr_un addr = { .sun_family = AF_UNIX };
      socklen_t len = sizeof addr;
      int listening = socket (AF_UNIX, SOCK_STREAM, 0);
      if (abstract)
        len = (socklen_t) offsetof (struct sockaddr_un, sun_path) + 1
              + (socklen_t) sprintf (addr.sun_path + 1, "retro-test-%d", getpid ());
      else
        strcpy (addr.sun_path, "socket");
      assert (bind (listening, (struct sockaddr *) &addr, len) == 0 && listen (listening, 5) == 0);
      pthread_create (&t, NULL, serve, &listening);
      for (int i = 0; i < 3; i++)
        {
          char buf[6] = "Hello";
          struct ucred cred;
          socklen_t size = sizeof cred;
          int s = socket (AF_UNIX, SOCK_STREAM, 0);
          assert (connect (s, (struct sockaddr *) &addr, len) == 0);
          assert (getsockopt (s, SOL_SOCKET, SO_PEERCRED, &cred, &size) == 0);
          assert (cred.pid == getpid () && write (s, buf, 5) == 5 && read (s, buf, 5) == 5);
          puts (buf);
          close (s);
        }
      pthread_join (t, NULL);
      close (listening);
    }
  unlink ("socket");
  return 0;
}
