/* Calls that a recorder may refuse as a kernel without them would: the
   program only has to go on.  */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

static void
report (const char *name, long ret)
{
  printf ("%s: %s\n", name, ret >= 0 ? "works" : strerror (errno));
}

int
main (void)
{
  struct perf_event_attr attr;
  memset (&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  report ("userfaultfd", syscall (SYS_userfaultfd, 0));
  report ("perf_event_open", syscall (SYS_perf_event_open, &attr, 0, -1, -1, 0));
  report ("ptrace", ptrace (PTRACE_ATTACH, getppid () + 100000, 0, 0));
  report ("bpf", syscall (SYS_bpf, 99, NULL, 0));
  report ("rseq", syscall (SYS_rseq, 8, 0, 0, 0));
  report ("no such call", syscall (9999, 1, 2, 3));
  report ("a negative one", syscall (-5L));
  return 0;
}
