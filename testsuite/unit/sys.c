/* System calls on files, processes, time, sockets, terminals: what the child
   does; what is checked is in sys-trace.h.  */

#include "sys-trace.h"

static void
script_files (void)
{
  struct iovec *vec = SLOT_AT (0);
  int fd = (int) CALL (SYS_memfd_create, "file", 0);

  CALL (SYS_write, fd, "hello, world", 12);
  CALL (SYS_pread64, fd, SLOT_AT (1), 100, 7);
  CALL (SYS_lseek, fd, 0, SEEK_SET);
  CALL (SYS_read, fd, SLOT_AT (1), SLOT);
  CALL (SYS_read, fd, SLOT_AT (1), SLOT);
  vec[0] = (struct iovec){ SLOT_AT (2), 3 };
  vec[1] = (struct iovec){ SLOT_AT (3), 100 };
  CALL (SYS_preadv, fd, vec, 2, 0, 0);
  CALL (SYS_preadv2, fd, vec, 2, 2, 0, 0);
  CALL (SYS_lseek, fd, 0, SEEK_SET);
  CALL (SYS_readv, fd, vec, 2);
  CALL (SYS_fstat, fd, SLOT_AT (4));
  CALL (SYS_newfstatat, AT_FDCWD, "/", SLOT_AT (4), 0);
  CALL (SYS_statx, AT_FDCWD, "/", 0, 0xfff, SLOT_AT (5));
  CALL (SYS_statfs, "/", SLOT_AT (6));
  CALL (SYS_fstatfs, fd, SLOT_AT (6));
  CALL (SYS_getcwd, SLOT_AT (7), SLOT);
  CALL (SYS_readlink, "/proc/self/exe", SLOT_AT (8), SLOT);
  CALL (SYS_readlink, "/proc/self/exe", SLOT_AT (8), 3);
  int dir = (int) CALL (SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0);
  CALL (SYS_getdents64, dir, SLOT_AT (9), SLOT);
  CALL (SYS_pipe2, SLOT_AT (10), 0);
  CALL (SYS_fcntl, fd, F_GETLK, memset (SLOT_AT (11), 0, 64));
  CALL (SYS_fsetxattr, fd, "user.x", "value", 5, 0);
  CALL (SYS_fgetxattr, fd, "user.x", SLOT_AT (12), 100);
  CALL (SYS_fgetxattr, fd, "user.x", NULL, 0);
  CALL (SYS_flistxattr, fd, SLOT_AT (12), 100);
  CALL (SYS_ioctl, fd, 0x541b /* FIONREAD */, SLOT_AT (13));
  /* A buffer that ends in memory that is not there.  */
  CALL (SYS_munmap, area + AREA, SLOT);
  FAIL (EFAULT, SYS_fstat, fd, area + AREA - 10);
}

static void
script_process (void)
{
  CALL (SYS_uname, SLOT_AT (0));
  CALL (SYS_sysinfo, SLOT_AT (1));
  CALL (SYS_getrusage, 0, SLOT_AT (2));
  CALL (SYS_times, SLOT_AT (3));
  CALL (SYS_getresuid, SLOT_AT (4), SLOT_AT (5), SLOT_AT (6));
  CALL (SYS_getgroups, 0, SLOT_AT (7));
  CALL (SYS_getgroups, 1000, SLOT_AT (7));
  CALL (SYS_prlimit64, 0, 7, NULL, SLOT_AT (8));
  CALL (SYS_sched_getparam, 0, SLOT_AT (9));
  CALL (SYS_sched_getattr, 0, SLOT_AT (9), 100, 0);
  CALL (SYS_sched_rr_get_interval, 0, SLOT_AT (10));
  CALL (SYS_getcpu, SLOT_AT (11), SLOT_AT (12), NULL);
  memcpy (SLOT_AT (13), &(guint32[2]){ 0x20080522, 0 }, 8);
  CALL (SYS_capget, SLOT_AT (13), SLOT_AT (14));
  memcpy (SLOT_AT (13), &(guint32[2]){ 1, 0 }, 8);
  FAIL (EINVAL, SYS_capget, SLOT_AT (13), SLOT_AT (14));
  CALL (SYS_prctl, PR_GET_NAME, SLOT_AT (15));
  CALL (SYS_prctl, PR_GET_PDEATHSIG, SLOT_AT (16));
  CALL (SYS_prctl, PR_GET_TSC, SLOT_AT (17));
  CALL (SYS_prctl, 0x41555856 /* PR_GET_AUXV */, SLOT_AT (18), SLOT, 0, 0);
  FAIL (EINVAL, SYS_prctl, PR_SET_SECCOMP, 2, NULL);
  CALL (SYS_prctl, PR_SET_DUMPABLE, 0);
  if (CALL (SYS_prctl, PR_GET_DUMPABLE) != 0)
    _exit (102);
  CALL (SYS_getrandom, SLOT_AT (19), 100, 0);
  CALL (SYS_get_robust_list, 0, SLOT_AT (20), SLOT_AT (21));
  CALL (SYS_sigaltstack, NULL, SLOT_AT (22));
  CALL (SYS_rt_sigaction, SIGUSR1, NULL, SLOT_AT (23), 8);
  CALL (SYS_rt_sigprocmask, SIG_BLOCK, NULL, SLOT_AT (24), 8);
  CALL (SYS_rt_sigpending, SLOT_AT (25), 8);
  FAIL (ECHILD, SYS_wait4, -1, SLOT_AT (26), 0, SLOT_AT (27));
  FAIL (ENOSYS, SYS_io_uring_setup, 8, SLOT_AT (28));
  FAIL (ENOSYS, SYS_rseq, SLOT_AT (28), 32, 0, 0);
  FAIL (EPERM, SYS_ptrace, PTRACE_ATTACH, 1, 0, 0);
}

static void
script_time (void)
{
  struct timespec *ts = SLOT_AT (0);

  for (int clock = 0; clock < 8; clock++)
    CALL (SYS_clock_gettime, clock, SLOT_AT (1));
  CALL (SYS_clock_getres, 0, SLOT_AT (1));
  CALL (SYS_gettimeofday, SLOT_AT (2), SLOT_AT (3));
  CALL (SYS_time, SLOT_AT (4));
  CALL (SYS_adjtimex, memset (SLOT_AT (5), 0, SLOT));
  *ts = (struct timespec){ 0, 1000 };
  CALL (SYS_nanosleep, ts, SLOT_AT (6));
  CALL (SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, ts, SLOT_AT (6));
  CALL (SYS_timer_create, CLOCK_MONOTONIC, NULL, SLOT_AT (7));
  int timer = *(int *) SLOT_AT (7);
  struct itimerspec *its = memset (SLOT_AT (8), 0, 64);
  its->it_value.tv_sec = 1000;
  CALL (SYS_timer_settime, timer, 0, its, SLOT_AT (9));
  CALL (SYS_timer_gettime, timer, SLOT_AT (10));
  int fd = (int) CALL (SYS_timerfd_create, CLOCK_MONOTONIC, 0);
  CALL (SYS_timerfd_settime, fd, 0, its, SLOT_AT (11));
  CALL (SYS_timerfd_gettime, fd, SLOT_AT (12));
  struct itimerval *itv = memset (SLOT_AT (13), 0, 64);
  itv->it_value.tv_sec = 1000;
  CALL (SYS_setitimer, ITIMER_REAL, itv, SLOT_AT (14));
  CALL (SYS_getitimer, ITIMER_REAL, SLOT_AT (15));
}

static void
script_net (void)
{
  int *pair = SLOT_AT (0);
  struct msghdr *m = memset (SLOT_AT (1), 0, SLOT);
  struct iovec *vec = SLOT_AT (2);
  struct mmsghdr *mm = memset (SLOT_AT (3), 0, SLOT);
  socklen_t *length = SLOT_AT (4);

  CALL (SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair);
  vec[0] = (struct iovec){ SLOT_AT (5), 4 };
  vec[1] = (struct iovec){ SLOT_AT (6), 4 };
  /* A descriptor travels along.  */
  struct cmsghdr *c = memset (SLOT_AT (7), 0, SLOT);
  c->cmsg_len = CMSG_LEN (sizeof (int));
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  memcpy (CMSG_DATA (c), pair, sizeof (int));
  *m = (struct msghdr){ .msg_iov = vec, .msg_iovlen = 2, .msg_control = c, .msg_controllen = CMSG_SPACE (4) };
  CALL (SYS_sendmsg, pair[0], m, 0);
  m->msg_control = SLOT_AT (8);
  m->msg_controllen = 200;
  CALL (SYS_recvmsg, pair[1], m, 0);
  /* More than the buffers hold.  */
  CALL (SYS_sendto, pair[0], area, 100, 0, NULL, 0);
  *m = (struct msghdr){ .msg_iov = vec, .msg_iovlen = 2, .msg_name = SLOT_AT (9), .msg_namelen = 110 };
  CALL (SYS_recvmsg, pair[1], m, MSG_TRUNC);
  CALL (SYS_sendto, pair[0], area, 100, 0, NULL, 0);
  *length = 110;
  CALL (SYS_recvfrom, pair[1], SLOT_AT (10), 10, MSG_TRUNC, SLOT_AT (11), length);
  for (int i = 0; i < 2; i++)
    mm[i].msg_hdr = (struct msghdr){ .msg_iov = vec + i, .msg_iovlen = 1 };
  CALL (SYS_sendmmsg, pair[0], mm, 2, 0);
  CALL (SYS_recvmmsg, pair[1], mm, 2, 0, NULL);
  FAIL (EAGAIN, SYS_recvmmsg, pair[1], mm, 2, MSG_DONTWAIT, NULL);

  int server = (int) CALL (SYS_socket, AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in *name = memset (SLOT_AT (12), 0, SLOT);
  name->sin_family = AF_INET;
  name->sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  CALL (SYS_bind, server, name, sizeof *name);
  CALL (SYS_listen, server, 1);
  *length = 7; /* less than there is  */
  CALL (SYS_getsockname, server, SLOT_AT (13), length);
  *length = 100;
  CALL (SYS_getsockname, server, SLOT_AT (12), length);
  int client = (int) CALL (SYS_socket, AF_INET, SOCK_STREAM, 0);
  CALL (SYS_connect, client, name, sizeof *name);
  *length = 100;
  CALL (SYS_accept4, server, SLOT_AT (14), length, 0);
  *length = 4;
  CALL (SYS_getsockopt, client, SOL_SOCKET, SO_SNDBUF, SLOT_AT (15), length);
  *length = 200;
  CALL (SYS_getsockopt, client, IPPROTO_TCP, 11 /* TCP_INFO */, SLOT_AT (15), length);
  struct ifconf
  {
    int length;
    void *buffer;
  } *conf = SLOT_AT (16);
  conf->length = SLOT;
  conf->buffer = SLOT_AT (17);
  CALL (SYS_ioctl, client, 0x8912 /* SIOCGIFCONF */, conf);
  strcpy (memset (SLOT_AT (18), 0, SLOT), "lo");
  CALL (SYS_ioctl, client, 0x8913 /* SIOCGIFFLAGS */, SLOT_AT (18));
}

static void
script_poll (void)
{
  struct pollfd *fds = SLOT_AT (0);
  int *ends = SLOT_AT (1);
  struct timespec *ts = SLOT_AT (2);
  struct timeval *tv = SLOT_AT (3);

  CALL (SYS_pipe2, ends, 0);
  fds[0] = (struct pollfd){ .fd = ends[1], .events = POLLOUT, .revents = 77 };
  fds[1] = (struct pollfd){ .fd = ends[0], .events = POLLIN, .revents = 77 };
  CALL (SYS_poll, fds, 2, 1000);
  *ts = (struct timespec){ 1, 0 };
  fds[0].revents = 77;
  CALL (SYS_ppoll, fds, 2, ts, NULL, 8);
  memset (SLOT_AT (4), 0xff, 128);
  *tv = (struct timeval){ 1, 0 };
  FAIL (EBADF, SYS_select, 1000, SLOT_AT (4), NULL, NULL, tv);
  memset (SLOT_AT (4), 0, 128);
  FD_SET (ends[1], (fd_set *) SLOT_AT (4));
  CALL (SYS_select, ends[1] + 1, NULL, SLOT_AT (4), NULL, tv);
  CALL (SYS_pselect6, ends[1] + 1, NULL, SLOT_AT (4), NULL, ts, NULL);
  int ep = (int) CALL (SYS_epoll_create1, 0);
  struct epoll_event *ev = SLOT_AT (5);
  *ev = (struct epoll_event){ .events = EPOLLOUT, .data.u64 = 42 };
  CALL (SYS_epoll_ctl, ep, EPOLL_CTL_ADD, ends[1], ev);
  CALL (SYS_epoll_wait, ep, SLOT_AT (6), 10, 1000);
  CALL (SYS_epoll_pwait2, ep, SLOT_AT (7), 10, ts, NULL, 8);
}

static void
script_ipc (void)
{
  long *text = SLOT_AT (0);

  int sem = (int) CALL (SYS_semget, IPC_PRIVATE, 5, 0600);
  CALL (SYS_semctl, sem, 0, IPC_STAT, SLOT_AT (1));
  CALL (SYS_semctl, sem, 0, GETALL, SLOT_AT (2));
  CALL (SYS_semctl, 0, 0, IPC_INFO, SLOT_AT (3));
  CALL (SYS_semctl, sem, 0, IPC_RMID, 0);
  int msg = (int) CALL (SYS_msgget, IPC_PRIVATE, 0600);
  *text = 5;
  CALL (SYS_msgsnd, msg, text, 40, 0);
  CALL (SYS_msgctl, msg, IPC_STAT, SLOT_AT (4));
  CALL (SYS_msgrcv, msg, SLOT_AT (5), 100, 0, 0);
  CALL (SYS_msgctl, msg, IPC_RMID, 0);
  int shm = (int) CALL (SYS_shmget, IPC_PRIVATE, 10000, 0600);
  char *at = (char *) CALL (SYS_shmat, shm, NULL, 0);
  memset (at, 1, 10000);
  CALL (SYS_shmctl, shm, IPC_STAT, SLOT_AT (6));
  CALL (SYS_shmdt, at);
  at = (char *) CALL (SYS_shmat, shm, NULL, SHM_RDONLY);
  CALL (SYS_shmctl, shm, IPC_RMID, 0);
  CALL (SYS_shmctl, 0, IPC_INFO, SLOT_AT (7));
  CALL (SYS_shmctl, 0, SHM_INFO, SLOT_AT (8));
  FAIL (EINVAL, SYS_shmdt, at + 4096);
  CALL (SYS_shmdt, at);
}

static void
script_terminal (void)
{
  int fd = (int) CALL (SYS_openat, AT_FDCWD, "/dev/ptmx", O_RDWR | O_NOCTTY, 0);

  CALL (SYS_ioctl, fd, TCGETS, SLOT_AT (0));
  CALL (SYS_ioctl, fd, TIOCGWINSZ, SLOT_AT (1));
  CALL (SYS_ioctl, fd, TIOCGPTN, SLOT_AT (2));
  CALL (SYS_ioctl, fd, TIOCSPTLCK, memset (SLOT_AT (3), 0, 4));
  CALL (SYS_ioctl, fd, TIOCOUTQ, SLOT_AT (4));
  CALL (SYS_ioctl, fd, TCSETS, SLOT_AT (0));
  FAIL (ENOTTY, SYS_ioctl, fd, 0x1234, SLOT_AT (5));
}

int
main (int argc, char **argv)
{
  static const SysTest tests[] = {
    { "/sys/files", script_files, test_script },
    { "/sys/process", script_process, test_script },
    { "/sys/time", script_time, test_script },
    { "/sys/net", script_net, test_script },
    { "/sys/poll", script_poll, test_script },
    { "/sys/ipc", script_ipc, test_script },
    { "/sys/terminal", script_terminal, test_script },
  };

  return run_sys_tests (argc, argv, tests, G_N_ELEMENTS (tests));
}
