/* io_setup, io_submit, io_getevents: the kernel's old aio, whose results
   come into memory when they like; a kernel may lack them.  */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main (void)
{
  aio_context_t ctx = 0;
  char buf[16] = "";
  int fd = open ("file", O_RDWR | O_CREAT, 0600);
  assert (write (fd, "asynchronous", 12) == 12);
  unlink ("file");
  if (syscall (SYS_io_setup, 4, &ctx) < 0)
    {
      printf ("none: %d\n", errno == ENOSYS);
      return 0;
    }
  struct iocb cb = { .aio_data = 7, .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = (unsigned) fd,
                     .aio_buf = (unsigned long) buf, .aio_nbytes = 12 };
  struct iocb *list[] = { &cb };
  struct io_event event;
  assert (syscall (SYS_io_submit, ctx, 1l, list) == 1);
  assert (syscall (SYS_io_getevents, ctx, 1l, 1l, &event, NULL) == 1);
  printf ("%llu %lld %s\n", event.data, event.res, buf);
  syscall (SYS_io_destroy, ctx);
  return 0;
}
