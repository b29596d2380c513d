/* sendfile and copy_file_range, offsets written back.  */
/* test: same-output */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

int
main (void)
{
  int s[2];
  char buf[20] = "";
  off_t off = 3;
  loff_t in = 1, out = 0;
  int fd = open ("from", O_RDWR | O_CREAT, 0600), to = open ("to", O_RDWR | O_CREAT, 0600);
  assert (write (fd, "0123456789", 10) == 10);
  assert (socketpair (AF_UNIX, SOCK_STREAM, 0, s) == 0);
  assert (sendfile (s[0], fd, &off, 4) == 4 && off == 7 && read (s[1], buf, 20) == 4);
  puts (buf);
  assert (copy_file_range (fd, &in, to, &out, 6, 0) == 6 && in == 7 && out == 6);
  assert (pread (to, buf, 6, 0) == 6);
  puts (buf);
  unlink ("from");
  unlink ("to");
  return 0;
}
