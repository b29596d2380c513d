/* POSIX aio, which the C library makes of threads.  */
/* test: threads */
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  int fd = open ("file", O_RDWR | O_CREAT, 0600);
  char a[10] = "", b[10] = "";
  assert (write (fd, "0123456789", 10) == 10);
  struct aiocb ra = { .aio_fildes = fd, .aio_buf = a, .aio_nbytes = 5, .aio_offset = 0 };
  struct aiocb rb = { .aio_fildes = fd, .aio_buf = b, .aio_nbytes = 5, .aio_offset = 5 };
  assert (aio_read (&ra) == 0 && aio_read (&rb) == 0);
  const struct aiocb *list[] = { &ra, &rb };
  while (aio_error (&ra) == EINPROGRESS || aio_error (&rb) == EINPROGRESS)
    aio_suspend (list, 2, NULL);
  assert (aio_return (&ra) == 5 && aio_return (&rb) == 5);
  printf ("%s %s\n", a, b);
  unlink ("file");
  return 0;
}
