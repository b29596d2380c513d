/* A program that filters its own calls; it must see its filter work, or
   be told that there are no filters.  */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main (void)
{
  struct sock_filter code[]
      = { BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
          BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
          BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EBUSY),
          BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
  struct sock_fprog prog = { sizeof code / sizeof code[0], code };
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
    {
      printf ("no filters: %s\n", strerror (errno));
      return 0;
    }
  errno = 0;
  long ret = syscall (SYS_getppid);
  printf ("filtered: %ld %d\n", ret, errno == EBUSY);
  return 0;
}
