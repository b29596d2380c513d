/* getifaddrs: a netlink socket; getaddrinfo: files and perhaps sockets.  */
#include <assert.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

int
main (void)
{
  struct ifaddrs *list = NULL;
  struct addrinfo *found = NULL, hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
  int n = 0;
  assert (getifaddrs (&list) == 0);
  for (struct ifaddrs *i = list; i; i = i->ifa_next)
    printf ("%s %d\n", i->ifa_name, i->ifa_addr ? i->ifa_addr->sa_family : -1);
  freeifaddrs (list);
  printf ("lo is %u\n", if_nametoindex ("lo"));
  int ret = getaddrinfo ("localhost", "80", &hints, &found);
  for (struct addrinfo *i = found; i; i = i->ai_next)
    n++;
  printf ("getaddrinfo %d: %d\n", ret, n > 0);
  if (found)
    freeaddrinfo (found);
  return 0;
}
