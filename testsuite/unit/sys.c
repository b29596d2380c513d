/* System calls: what the table says they write is what they write.

   A child is traced through calls whose outputs lie in one buffer, `area'.
   At each call's entry the buffer is copied; at its exit the writes of the
   event, applied to the copy, must give what the buffer has become: a byte
   that the kernel wrote and the table does not know is found.  The same for
   shared memory, where new pages are zero but for the writes; and after each
   call the model of the address space must be what /proc/PID/maps says.  */

#include "base/error.h"
#include "base/paths.h"
#include "sys/mapped.h"
#include "sys/rows.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define AREA (256 * 1024)
#define SLOT 4096

/* Page aligned; outputs of the child's calls go here.  */
static char area[AREA + SLOT] __attribute__ ((aligned (4096))); /* the last page only to go missing  */

#define SLOT_AT(n) ((void *) (area + (n) * SLOT))

/* The child makes calls directly: libc would hide their buffers.  A call
   that should succeed and does not ends it.  */
#define CALL(...)                                                                                                      \
  ({                                                                                                                   \
    long result_ = syscall (__VA_ARGS__);                                                                              \
    if (result_ == -1)                                                                                                 \
      {                                                                                                                \
        fprintf (stderr, "line %d: %s\n", __LINE__, strerror (errno));                                                 \
        _exit (100);                                                                                                   \
      }                                                                                                                \
    result_;                                                                                                           \
  })

#define FAIL(errno_, ...)                                                                                              \
  do                                                                                                                   \
    if (syscall (__VA_ARGS__) != -1 || errno != (errno_))                                                              \
      {                                                                                                                \
        fprintf (stderr, "line %d: not refused\n", __LINE__);                                                          \
        _exit (101);                                                                                                   \
      }                                                                                                                \
  while (0)

/* --- The tracer -------------------------------------------------------------- */

typedef struct
{
  Addr start;
  gsize length;
  guint8 *data;
} Copy;

static void
clear_copy (gpointer copy)
{
  g_free (((Copy *) copy)->data);
}

typedef struct
{
  Task task;
  Space *space;
  Log *log;
  SysState *state;
  char *dir;
  guint n_calls, n_writes;
  guint8 *before; /* AREA bytes  */
  GError *stopped; /* what ended the tracing early  */
} Trace;

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *entry = g_build_filename (path, name, NULL);
      remove_tree (entry);
    }
  if (dir != NULL)
    g_rmdir (path);
  else
    g_unlink (path);
}

static void
read_area (Trace *t, guint8 *to)
{
  g_autoptr (GError) error = NULL;

  task_read (&t->task, (Addr) area, to, AREA, &error);
  g_assert_no_error (error);
}

/* The part of WRITE that lies in the LENGTH bytes at ADDR, into COPY.  */
static void
apply_write (const MemWrite *write, Addr addr, guint8 *copy, gsize length)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (write->data, &size);

  for (gsize i = 0; i < size; i++)
    if (write->addr + i >= addr && write->addr + i < addr + length)
      copy[write->addr + i - addr] = data[i];
}

static void
check_area (Trace *t, const SysCall *call, const Event *event)
{
  g_autofree guint8 *now = g_malloc (AREA);

  read_area (t, now);
  for (guint i = 0; event->writes != NULL && i < event->writes->len; i++, t->n_writes++)
    apply_write (&g_array_index (event->writes, MemWrite, i), (Addr) area, t->before, AREA);
  for (gsize i = 0; i < AREA; i++)
    if (now[i] != t->before[i])
      {
        g_autofree char *text = sys_describe (call->nr, call->args);
        g_error ("%s wrote byte %zu of slot %zu, not in the table", text, i % SLOT, i / SLOT);
      }
}

/* Shared memory as it is at a call's entry.  */
static GArray *
copy_shared (Trace *t)
{
  GArray *copies = g_array_new (FALSE, FALSE, sizeof (Copy));

  for (guint i = 0; i < t->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (t->space->maps, Mapping, i);
      if (!(m->flags & MAP_SHARED_) || m->file != NO_FILE)
        continue;
      Copy copy = { .start = m->start, .length = m->end - m->start, .data = g_malloc0 (m->end - m->start) };
      g_assert_cmpint (task_read_some (&t->task, copy.start, copy.data, copy.length), ==, copy.length);
      g_array_append_val (copies, copy);
    }
  g_array_set_clear_func (copies, clear_copy);
  return copies;
}

/* What a replay has at a page of shared memory after EVENT: a new page is
   zero, a moved one is another's, then come the writes.  */
static void
expect_page (const GArray *copies, const Event *event, Addr addr, guint8 *page)
{
  gboolean is_new = FALSE;
  Addr from = addr;

  memset (page, 0, PAGE_SIZE_);
  for (guint i = event->ops != NULL ? event->ops->len : 0; i-- > 0 && !is_new;)
    {
      const MapOp *op = &g_array_index (event->ops, MapOp, i);
      if (op->kind == MAP_OP_MOVE && from >= op->dest && from < op->dest + op->dest_length)
        from = from - op->dest + op->addr;
      else if ((op->kind == MAP_OP_MAP || op->kind == MAP_OP_DISCARD) && from >= op->addr
               && from < op->addr + op->length)
        is_new = TRUE;
    }
  for (guint i = 0; i < copies->len && !is_new; i++)
    {
      const Copy *c = &g_array_index (copies, Copy, i);
      if (from >= c->start && from < c->start + c->length)
        memcpy (page, c->data + (from - c->start), PAGE_SIZE_);
    }
  for (guint i = 0; event->writes != NULL && i < event->writes->len; i++)
    apply_write (&g_array_index (event->writes, MemWrite, i), addr, page, PAGE_SIZE_);
}

/* Shared memory after the call, and pages beyond the end of a file.  */
static void
check_shared (Trace *t, const SysCall *call, const Event *event, const GArray *copies)
{
  g_autofree char *text = sys_describe (call->nr, call->args);
  guint8 expected[4096], now[4096];

  for (guint i = 0; i < t->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (t->space->maps, Mapping, i);
      gboolean beyond = m->file != NO_FILE && m->file == t->state->empty && t->state->has_empty;
      if (!beyond && (!(m->flags & MAP_SHARED_) || m->file != NO_FILE))
        continue;
      for (Addr at = m->start; at < m->end; at += PAGE_SIZE_)
        {
          gsize got = task_read_some (&t->task, at, now, sizeof now);
          if (beyond != (got == 0))
            g_error ("%s: the page at 0x%lx has contents or should", text, at);
          expect_page (copies, event, at, expected);
          if (!beyond && memcmp (expected, now, sizeof now) != 0)
            g_error ("%s: shared memory at 0x%lx differs", text, at);
        }
    }
}

static void
apply_ops (Trace *t, const Event *event)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; event->ops != NULL && i < event->ops->len; i++)
    {
      space_apply (t->space, &g_array_index (event->ops, MapOp, i), &error);
      g_assert_no_error (error);
    }
}

/* The model against the truth.  */
static void
check_space (Trace *t)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) maps = maps_read (t->task.tid, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
      if (e->start >= USER_END || g_str_has_prefix (e->name, "[v"))
        continue;
      for (Addr at = e->start; at < e->end;)
        {
          const Mapping *m = space_find (t->space, at);
          if (m == NULL || m->prot != e->prot)
            g_error ("%s at 0x%lx is %s", e->name, at, m == NULL ? "not in the model" : "otherwise protected");
          at = m->end;
        }
    }
  for (guint i = 0; i < t->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (t->space->maps, Mapping, i);
      if (m->flags & (MAP_STACK_ | MAP_SPECIAL_))
        continue;
      for (Addr at = m->start; at < m->end;)
        {
          const MapsEntry *e = maps_find (maps, at);
          if (e == NULL)
            g_error ("0x%lx is mapped in the model only", at);
          at = e->end;
        }
    }
}

static void
start_image (Trace *t)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Event) event = event_new (EV_IMAGE, 0);
  g_autoptr (GPtrArray) more = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);

  sys_image (&t->task, t->task.tid, t->log, event, more, &error);
  g_assert_no_error (error);
  apply_ops (t, event);
}

static void
resume (Trace *t, int *status_ret)
{
  g_assert_cmpint (ptrace (PTRACE_SYSCALL, t->task.tid, 0, 0), ==, 0);
  g_assert_cmpint (waitpid (t->task.tid, status_ret, __WALL), ==, t->task.tid);
}

static gboolean
is_call_stop (int status)
{
  return WIFSTOPPED (status) && WSTOPSIG (status) == (SIGTRAP | 0x80);
}

/* One call, from its entry stop to the next.  FALSE when the child is gone
   or tracing has ended.  */
static gboolean
trace_call (Trace *t, int *status)
{
  g_autoptr (Event) event = event_new (EV_SYSCALL, 0);
  Regs regs;

  task_get_regs (&t->task, &regs, NULL);
  SysCall call = { .task = &t->task,
                   .pid = t->task.tid,
                   .nr = (gint64) regs.orig_rax,
                   .args = { regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9 },
                   .row = sys_row ((gint64) regs.orig_rax),
                   .space = t->space,
                   .log = t->log,
                   .state = t->state };
  g_assert_nonnull (call.row);
  gboolean recorders = (call.row->flags & SYS_RECORDER) != 0;
  if (!recorders && !sys_enter (&call, &t->stopped))
    return FALSE;
  if (call.answered)
    {
      regs.orig_rax = ~0ull;
      task_set_regs (&t->task, &regs, NULL);
    }
  g_autoptr (GArray) copies = copy_shared (t);
  read_area (t, t->before);
  resume (t, status);
  if (!is_call_stop (*status))
    return FALSE;
  task_get_regs (&t->task, &regs, NULL);
  if (call.answered)
    {
      regs.rax = (guint64) call.answer;
      task_set_regs (&t->task, &regs, NULL);
    }
  call.result = (gint64) regs.rax;
  if (!recorders && !sys_leave (&call, event, &t->stopped))
    return FALSE;
  check_area (t, &call, event);
  apply_ops (t, event);
  check_shared (t, &call, event, copies);
  sys_call_clear (&call);
  t->n_calls++;
  resume (t, status);
  return is_call_stop (*status);
}

static void
trace_clear (Trace *t)
{
  task_clear (&t->task);
  space_free (t->space);
  log_abandon (t->log);
  sys_state_free (t->state);
  remove_tree (t->dir);
  g_free (t->dir);
  g_free (t->before);
  g_clear_error (&t->stopped);
}

/* Run SCRIPT in a traced child to its end (or T->stopped).  */
static void
trace_script (Trace *t, void (*script) (void))
{
  g_autoptr (GError) error = NULL;
  char *argv[] = { (char *) "script", NULL };
  LogHeader header = { .argv = argv, .program = argv[0], .cwd = argv[0], .cpu = argv[0] };
  int status;

  memset (t, 0, sizeof *t);
  t->dir = g_dir_make_tmp ("retro-sys-XXXXXX", &error);
  g_assert_no_error (error);
  t->log = log_create (t->dir, &header, &error);
  g_assert_no_error (error);
  t->space = space_new ();
  t->state = sys_state_new ();
  t->before = g_malloc (AREA);

  pid_t pid = fork ();
  if (pid == 0)
    {
      ptrace (PTRACE_TRACEME, 0, 0, 0);
      raise (SIGSTOP);
      memset (area, 0xaa, sizeof area);
      script ();
      _exit (0);
    }
  g_assert_cmpint (waitpid (pid, &status, __WALL), ==, pid);
  ptrace (PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  task_init (&t->task, pid, &error);
  g_assert_no_error (error);
  start_image (t);
  check_space (t);
  resume (t, &status);
  /* The rest of raise.  */
  while (is_call_stop (status))
    if (!trace_call (t, &status))
      break;
    else
      check_space (t);
  if (t->stopped != NULL)
    {
      kill (pid, SIGKILL);
      waitpid (pid, &status, __WALL);
      return;
    }
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
check_script (void (*script) (void))
{
  Trace t;

  trace_script (&t, script);
  g_assert_no_error (t.stopped);
  g_assert_cmpuint (t.n_calls, >, 5);
  trace_clear (&t);
}

/* --- Scripts: what the child does --------------------------------------------- */

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

static char *
new_memory (size_t length, int prot, int flags, int fd)
{
  return (char *) CALL (SYS_mmap, NULL, length, prot, flags, fd, 0);
}

static void
script_memory (void)
{
  char *p = new_memory (10 * SLOT - 5, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

  memset (p, 1, 10 * SLOT);
  CALL (SYS_mprotect, p + SLOT, SLOT, PROT_READ);
  CALL (SYS_mprotect, p, SLOT, PROT_NONE);
  CALL (SYS_munmap, p + 5 * SLOT, 1);
  /* Only up to the hole.  */
  FAIL (ENOMEM, SYS_mprotect, p + 2 * SLOT, 6 * SLOT, PROT_READ);
  CALL (SYS_mprotect, p, 4 * SLOT, PROT_READ | PROT_WRITE);
  CALL (SYS_madvise, p, 2 * SLOT, MADV_DONTNEED);
  FAIL (ENOMEM, SYS_madvise, p, 10 * SLOT, MADV_DONTNEED);
  FAIL (EINVAL, SYS_madvise, p, SLOT, MADV_FREE);
  char *q = (char *) CALL (SYS_mremap, p, 4 * SLOT, 20 * SLOT, MREMAP_MAYMOVE);
  q = (char *) CALL (SYS_mremap, q, 20 * SLOT, 2 * SLOT, 0);
  char *r = (char *) CALL (SYS_mremap, q, 2 * SLOT, 2 * SLOT, MREMAP_MAYMOVE | 4 /* DONTUNMAP */, 0);
  CALL (SYS_mincore, r, 2 * SLOT, SLOT_AT (0));
  CALL (SYS_get_mempolicy, SLOT_AT (1), SLOT_AT (2), 1000, NULL, 0);
  char *end = (char *) syscall (SYS_brk, 0);
  CALL (SYS_brk, end + 100000);
  CALL (SYS_brk, end + 50001);
  CALL (SYS_brk, end);
  FAIL (ENOMEM, SYS_mmap, NULL, 2 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  new_memory (SLOT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
  new_memory (4 * SLOT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1);
  int zero = (int) CALL (SYS_openat, AT_FDCWD, "/dev/zero", O_RDWR, 0);
  new_memory (SLOT, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero);
}

static void
script_mapped_files (void)
{
  int fd = (int) CALL (SYS_memfd_create, "file", 0);

  CALL (SYS_pwrite64, fd, "start", 5, 0);
  CALL (SYS_pwrite64, fd, "sparse", 6, 3 * SLOT + 100);
  char *shared = new_memory (8 * SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  shared[200] = 1;
  CALL (SYS_pwrite64, fd, "through the descriptor", 22, SLOT - 10);
  CALL (SYS_lseek, fd, 0, SEEK_END);
  CALL (SYS_write, fd, area, 2 * SLOT);
  CALL (SYS_ftruncate, fd, 100);
  CALL (SYS_ftruncate, fd, 6 * SLOT + 1);
  CALL (SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, SLOT);
  shared = (char *) CALL (SYS_mremap, shared, 8 * SLOT, 12 * SLOT, MREMAP_MAYMOVE);
  memset (shared, 7, 2 * SLOT);
  CALL (SYS_madvise, shared, SLOT, MADV_REMOVE);
  CALL (SYS_munmap, shared, 12 * SLOT);
  char *private = new_memory (2 * SLOT, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
  private[0] = 9;
  CALL (SYS_madvise, private, 2 * SLOT, MADV_DONTNEED);

  char path[64];
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  int reader = (int) CALL (SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
  new_memory (SLOT, PROT_READ, MAP_PRIVATE, reader);
  CALL (SYS_pwrite64, fd, "changed", 7, 10);
}

/* One memory at several addresses.  */
static void
script_alias (void)
{
  int fd = (int) CALL (SYS_memfd_create, "file", 0);

  CALL (SYS_ftruncate, fd, 3 * SLOT);
  char *p = new_memory (4 * SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  strcpy (p + SLOT, "before");
  char *q = new_memory (2 * SLOT, PROT_READ | PROT_EXEC, MAP_SHARED, fd);
  strcpy (p, "through the other");
  CALL (SYS_pwrite64, fd, "written", 7, SLOT - 3);
  CALL (SYS_ftruncate, fd, SLOT);
  CALL (SYS_ftruncate, fd, 4 * SLOT);
  CALL (SYS_munmap, p, SLOT);
  q = (char *) CALL (SYS_mremap, q, 2 * SLOT, 3 * SLOT, MREMAP_MAYMOVE);
  char *r = new_memory (SLOT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
  strcpy (r, "anonymous");
  char *s = (char *) CALL (SYS_mremap, r, 0, SLOT, MREMAP_MAYMOVE);
  strcpy (s, "a second view");
  CALL (SYS_getpid);
}

static void
script_arena (void)
{
  CALL (SYS_mmap, ARENA_BASE + SLOT, SLOT, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* --- Tests --------------------------------------------------------------------- */

static void
test_script (gconstpointer script)
{
  check_script (*(void (*const *) (void)) script);
}

static void
test_refused (gconstpointer script)
{
  Trace t;

  trace_script (&t, *(void (*const *) (void)) script);
  g_assert_error (t.stopped, RETRO_ERROR, RETRO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (t.stopped->message, "mmap ("));
  trace_clear (&t);
}

/* Every call of the kernel has a row, and every row is sane.  */
static void
test_table (void)
{
  for (int nr = 0; nr <= 470; nr++)
    {
      const SysRow *row = sys_row (nr);
      if (nr > 336 && nr < 424)
        {
          g_assert_null (row->name);
          continue;
        }
      if (row->name == NULL)
        g_error ("no row for call %d", nr);
      g_assert_cmpint (strlen (row->arg_format), <=, 6);
      g_assert_cmpint (strspn (row->arg_format, "dluxopsfg"), ==, strlen (row->arg_format));
      g_assert_true (!(row->flags & SYS_DENY) == (row->deny == 0));
      for (guint i = 0; i < G_N_ELEMENTS (row->outs); i++)
        {
          g_assert_cmpint (row->outs[i].arg, <, 6);
          g_assert_cmpint (row->outs[i].n, <, 6);
          g_assert_true (row->outs[i].kind != OUT_FIXED || row->outs[i].size > 0);
        }
    }
  g_assert_cmpint (sys_row (-1)->deny, ==, ENOSYS);
  g_assert_cmpint (sys_row (G_MAXINT64)->deny, ==, ENOSYS);
}

static void
test_describe (void)
{
  const struct
  {
    gint64 nr;
    guint64 args[6];
    const char *text;
  } cases[] = {
    { SYS_openat, { (guint64) -100, 0x1000, 0x80000, 0644 }, "openat (AT_FDCWD, 0x1000, 0x80000, 0644)" },
    { SYS_kill, { 12, SIGSEGV }, "kill (12, SIGSEGV)" },
    { SYS_lseek, { 3, (guint64) -5, 1 }, "lseek (3, -5, 1)" },
    { SYS_sync, { 0 }, "sync ()" },
    { 999, { 1, 16 }, "syscall 999 (1, 0x10, 0, 0, 0, 0)" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = sys_describe (cases[i].nr, cases[i].args);
      g_assert_cmpstr (text, ==, cases[i].text);
    }
  g_autofree char *failed = sys_describe_result (SYS_read, -EAGAIN);
  g_autofree char *restart = sys_describe_result (SYS_read, -512);
  g_autofree char *number = sys_describe_result (SYS_read, 12);
  g_autofree char *address = sys_describe_result (SYS_mmap, 0x7ffff7fc1000);
  g_assert_cmpstr (failed, ==, "= -EAGAIN");
  g_assert_cmpstr (restart, ==, "= -ERESTARTSYS");
  g_assert_cmpstr (number, ==, "= 12");
  g_assert_cmpstr (address, ==, "= 0x7ffff7fc1000");
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*script) (void);
    void (*test) (gconstpointer script);
  } scripts[] = {
    { "/sys/files", script_files, test_script },
    { "/sys/process", script_process, test_script },
    { "/sys/time", script_time, test_script },
    { "/sys/net", script_net, test_script },
    { "/sys/poll", script_poll, test_script },
    { "/sys/ipc", script_ipc, test_script },
    { "/sys/terminal", script_terminal, test_script },
    { "/sys/memory", script_memory, test_script },
    { "/sys/mapped-files", script_mapped_files, test_script },
    { "/sys/alias", script_alias, test_script },
    { "/sys/arena", script_arena, test_refused },
  };
  g_autofree char *data_home = g_dir_make_tmp ("retro-sys-XXXXXX", NULL);

  g_setenv ("XDG_DATA_HOME", data_home, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sys/table", test_table);
  g_test_add_func ("/sys/describe", test_describe);
  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    g_test_add_data_func (scripts[i].path, &scripts[i].script, scripts[i].test);
  int status = g_test_run ();
  remove_tree (data_home);
  return status;
}
