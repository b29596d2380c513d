/* Starting the program, and the image of a fresh address space.

   The child waits on a pipe until it is seized, so that its first stop is
   that of the exec.  What a program is given differs from a plain run in
   three ways: no address randomisation, no vdso (AT_SYSINFO_EHDR is made
   AT_IGNORE, so that libraries use real system calls for the time), and
   rdtsc and cpuid trap.  Tracer and program share one CPU, since a stop across
   CPUs costs four times as much; calls about affinity are answered as if
   they did not.  */

#include "record/internal.h"

#include "base/cpu.h"
#include "base/error.h"
#include "trace/trapped.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What our parent left us: the program is to have it, whatever we do with
   signals ourselves.  */
static sigset_t inherited_ignored, inherited_mask;

void
recorder_note_signals (void)
{
  struct sigaction action;

  sigemptyset (&inherited_ignored);
  for (int signo = 1; signo < NSIG; signo++)
    if (sigaction (signo, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
      sigaddset (&inherited_ignored, signo);
  sigprocmask (SIG_SETMASK, NULL, &inherited_mask);
}

/* In the child: never returns.  */
static void
run_child (int go_fd, int error_fd, char **argv, char **env, const char *cwd)
{
  char byte;

  for (int signo = 1; signo < NSIG; signo++)
    signal (signo, sigismember (&inherited_ignored, signo) == 1 ? SIG_IGN : SIG_DFL);
  sigprocmask (SIG_SETMASK, &inherited_mask, NULL);
  if (read (go_fd, &byte, 1) != 1)
    _exit (127);
  personality (ADDR_NO_RANDOMIZE);
  if (cwd != NULL && chdir (cwd) != 0)
    goto fail;
  if (env != NULL)
    execvpe (argv[0], argv, env);
  else
    execvp (argv[0], argv);
fail:;
  int code = errno;
  if (write (error_fd, &code, sizeof code) != sizeof code)
    _exit (126);
  _exit (127);
}

/* Pin ourselves (and so the child to come) to the CPU of the recording.  */
static void
pin (Recorder *r)
{
  r->affinity = *cpu_allowed ();
  cpu_pin (log_header (r->log)->start_time);
}

/* Wait for the exec to happen; FALSE with *FAILED_RET set if the program
   could not be executed.  */
static gboolean
await_exec (Recorder *r, int error_fd, int *errno_ret, GError **error)
{
  for (;;)
    {
      int status, code;
      pid_t got = waitpid (r->pid, &status, __WALL);

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return error_set_errno (error, "cannot wait for the program");
      if (!WIFSTOPPED (status))
        {
          r->ended = TRUE;
          r->pid = 0;
          if (read (error_fd, &code, sizeof code) == sizeof code)
            {
              *errno_ret = code;
              return FALSE;
            }
          return error_set (error, RETRO_ERROR_FAILED, "the program could not be started");
        }
      if (status >> 16 == PTRACE_EVENT_EXEC)
        break;
      int sig = status >> 16 == 0 ? WSTOPSIG (status) : 0;
      if (ptrace (PTRACE_CONT, r->pid, 0, sig) != 0)
        return error_set_errno (error, "cannot start the program");
    }
  return TRUE;
}

gboolean
spawn_find_syscall (Recorder *r, Thread *t, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", r->pid);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  /* The vdso has one; so have ld.so and any static program.  */
  for (int pass = 0; pass < 2; pass++)
    for (char **line = lines; *line != NULL; line++)
      {
        Addr start, end;
        char perms[8] = "";

        if (sscanf (*line, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s", &start, &end, perms) != 3
            || perms[2] != 'x' || strstr (*line, "[vsyscall]") != NULL
            || (pass == 0 && strstr (*line, "[vdso]") == NULL))
          continue;
        gsize length = MIN (end - start, 4u << 20);
        g_autofree guint8 *code = g_malloc (length);
        length = task_read_some (&t->task, start, code, length);
        for (gsize i = 0; i + 1 < length; i++)
          if (code[i] == 0x0f && code[i + 1] == 0x05)
            {
              t->task.syscall_insn = start + i;
              return TRUE;
            }
      }
  return error_set (error, RETRO_ERROR_FAILED, "no system call instruction in the program");
}

/* Make AT_SYSINFO_EHDR in the auxiliary vector an AT_IGNORE.  SP points to
   argc, argv, 0, envp, 0, auxv.  */
static gboolean
hide_vdso (Thread *t, Addr sp, GError **error)
{
  guint64 argc, word = 1, pair[2], ignore = AT_IGNORE;

  if (!task_read (&t->task, sp, &argc, sizeof argc, error))
    return FALSE;
  Addr at = sp + 8 * (argc + 2);
  for (; word != 0; at += 8)
    if (!task_read (&t->task, at, &word, sizeof word, error))
      return FALSE;
  for (;; at += sizeof pair)
    {
      if (!task_read (&t->task, at, pair, sizeof pair, error))
        return FALSE;
      if (pair[0] == AT_NULL)
        return TRUE;
      if (pair[0] == AT_SYSINFO_EHDR)
        return task_write (&t->task, at, &ignore, sizeof ignore, error);
    }
}

gboolean
spawn_image (Recorder *r, Thread *t, GError **error)
{
  g_autoptr (GPtrArray) more = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);
  ThreadImage image = { .thread = t->no, .tid = t->task.tid };

  if (!task_get_regs (&t->task, &image.regs, error) || !hide_vdso (t, image.regs.rsp, error)
      || !loader_patch (r, &t->task, error))
    return FALSE;
  image.xstate = task_get_xstate (&t->task, error);
  if (image.xstate == NULL)
    return FALSE;
  g_autofree char *comm_path = g_strdup_printf ("/proc/%d/comm", r->pid);
  g_autofree char *comm = NULL;
  if (g_file_get_contents (comm_path, &comm, NULL, NULL))
    g_strlcpy (image.name, g_strchomp (comm), sizeof image.name);

  Event *event = event_new (EV_IMAGE, t->no);
  event->threads = g_array_new (FALSE, TRUE, sizeof (ThreadImage));
  g_array_append_val (event->threads, image);
  if (!sys_image (&t->task, r->pid, r->log, event, more, error))
    {
      event_free (event);
      return FALSE;
    }
  sys_state_free (r->sys);
  r->sys = sys_state_new ();
  if (!recorder_log (r, event, error))
    return FALSE;
  while (more->len > 0)
    if (!recorder_log (r, g_ptr_array_steal_index (more, 0), error))
      return FALSE;
  thread_at_event (t, &image.regs);
  return spawn_find_syscall (r, t, error)
         && trapped_set (&t->task, TRUE, log_header (r->log)->traps_cpuid, error);
}

/* A set-user-ID program runs without its privileges under a tracer: say so
   instead of letting it fail in its own way.  */
static gboolean
refuse_setuid (const char *name, GError **error)
{
  g_autofree char *path = g_find_program_in_path (name);
  struct stat st;

  if (path == NULL || stat (path, &st) != 0 || geteuid () == 0)
    return TRUE;
  if (((st.st_mode & S_ISUID) != 0 && st.st_uid != geteuid ())
      || ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getegid ()))
    return error_set (error, RETRO_ERROR_USAGE,
                      "%s is set-user-ID or set-group-ID: the kernel takes its privileges away while it is recorded; "
                      "run it as its owner",
                      path);
  return TRUE;
}

static gboolean
start_child (Recorder *r, char **argv, char **env, const char *cwd, int *errno_ret, GError **error)
{
  int go[2], fail[2];

  if (!refuse_setuid (argv[0], error))
    return FALSE;
  if (pipe2 (go, O_CLOEXEC) != 0 || pipe2 (fail, O_CLOEXEC) != 0)
    return error_set_errno (error, "cannot make a pipe");
  pin (r);
  r->pid = fork ();
  if (r->pid < 0)
    return error_set_errno (error, "cannot start a process");
  if (r->pid == 0)
    run_child (go[0], fail[1], argv, env, cwd);
  close (go[0]);
  close (fail[1]);
  gboolean ok = TRUE;
  if (ptrace (PTRACE_SEIZE, r->pid, 0, TASK_OPTIONS) != 0)
    ok = error_set_errno (error, "cannot trace the program (is ptrace allowed here?)");
  if (ok && write (go[1], "", 1) != 1)
    ok = error_set_errno (error, "cannot start the program");
  close (go[1]);
  ok = ok && await_exec (r, fail[0], errno_ret, error);
  close (fail[0]);
  return ok;
}

Recorder *
recorder_start (Log *log, char **argv, char **env, const char *cwd, const RecordOptions *options, int *exec_errno_ret,
                GError **error)
{
  int exec_errno = 0, status;
  g_autoptr (Recorder) r = recorder_new (log, options, error);

  if (exec_errno_ret != NULL)
    *exec_errno_ret = 0;
  if (r == NULL)
    return NULL;
  if (!start_child (r, argv, env, cwd, &exec_errno, error))
    {
      if (exec_errno != 0)
        {
          error_set (error, RETRO_ERROR_USAGE, "cannot execute %s: %s", argv[0], g_strerror (exec_errno));
          if (exec_errno_ret != NULL)
            *exec_errno_ret = exec_errno;
        }
      return NULL;
    }
  Thread *t = recorder_add_thread (r, r->pid, error);
  if (t == NULL)
    return NULL;
  r->current = t;
  /* From the exec's event to the exit of the call.  */
  if (!task_resume (&t->task, PTRACE_SYSCALL, 0, error) || !task_wait (&t->task, &status, error)
      || !spawn_image (r, t, error))
    return NULL;
  return g_steal_pointer (&r);
}
