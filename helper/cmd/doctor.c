/* retro doctor: what this kernel and CPU offer, and what that means.

   Everything is probed by doing it; no version is looked at.  */

#include "cmd/cmd.h"
#include "trace/trapped.h"

#include <errno.h>
#include <glib.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGEMAP_EXCLUSIVE (1ull << 56)

typedef enum
{
  NEEDED,
  WANTED
} Weight;

typedef struct
{
  const char *what;
  Weight weight;
  gboolean (*probe) (char **note_ret);
  const char *without; /* what it means if it is missing  */
} Probe;

/* Run FUNC in a child; TRUE if it returns TRUE there.  */
static gboolean
in_child (gboolean (*func) (void))
{
  int status;
  pid_t pid = fork ();

  if (pid == 0)
    _exit (func () ? 0 : 1);
  return pid > 0 && waitpid (pid, &status, 0) == pid && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

static gboolean
probe_ptrace (char **note_ret)
{
  int status;
  pid_t pid = fork ();

  (void) note_ret;
  if (pid == 0)
    {
      pause ();
      _exit (0);
    }
  gboolean ok = ptrace (PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL) == 0 && ptrace (PTRACE_INTERRUPT, pid, 0, 0) == 0
                && waitpid (pid, &status, __WALL) == pid && WIFSTOPPED (status);
  kill (pid, SIGKILL);
  waitpid (pid, &status, __WALL);
  return ok;
}

static gboolean
try_personality (void)
{
  return personality (ADDR_NO_RANDOMIZE) != -1;
}

static gboolean
probe_personality (char **note_ret)
{
  (void) note_ret;
  return in_child (try_personality);
}

static gboolean
try_tsc (void)
{
  return prctl (PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0;
}

static gboolean
probe_tsc (char **note_ret)
{
  (void) note_ret;
  return in_child (try_tsc);
}

static gboolean
probe_cpuid (char **note_ret)
{
  (void) note_ret;
  return trapped_has_cpuid ();
}

static gboolean
probe_affinity (char **note_ret)
{
  cpu_set_t set;

  if (sched_getaffinity (0, sizeof set, &set) != 0)
    return FALSE;
  *note_ret = g_strdup_printf ("%d CPUs usable", CPU_COUNT (&set));
  return TRUE;
}

static gboolean
probe_close_range (char **note_ret)
{
  (void) note_ret;
  return syscall (SYS_close_range, ~0u, ~0u, 0) == 0;
}

static gboolean
probe_pagemap (char **note_ret)
{
  static volatile char page[8192] __attribute__ ((aligned (4096)));
  guint64 entry = 0;
  int fd = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

  (void) note_ret;
  page[0] = 1;
  gboolean ok = fd >= 0
                && pread (fd, &entry, sizeof entry, (off_t) ((gsize) page / 4096 * 8)) == sizeof entry
                && (entry & PAGEMAP_EXCLUSIVE) != 0;
  if (fd >= 0)
    close (fd);
  return ok;
}

static gboolean probe_gdb (char **note_ret);

static gboolean
probe_debug_registers (char **note_ret)
{
  int status;
  pid_t pid = fork ();

  (void) note_ret;
  if (pid == 0)
    {
      pause ();
      _exit (0);
    }
  gboolean ok = ptrace (PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL) == 0 && ptrace (PTRACE_INTERRUPT, pid, 0, 0) == 0
                && waitpid (pid, &status, __WALL) == pid
                && ptrace (PTRACE_POKEUSER, pid, offsetof (struct user, u_debugreg), (char *) probe_gdb) == 0;
  kill (pid, SIGKILL);
  waitpid (pid, &status, __WALL);
  return ok;
}

static gboolean
probe_gdb (char **note_ret)
{
  *note_ret = g_find_program_in_path ("gdb");
  return *note_ret != NULL;
}

static const Probe probes[] = {
  { "ptrace", NEEDED, probe_ptrace,
    "nothing can be recorded or replayed; a container needs the SYS_PTRACE capability or a newer seccomp profile" },
  { "fixed addresses (personality)", NEEDED, probe_personality,
    "recordings would not replay; the container's seccomp profile forbids personality(2)" },
  { "rdtsc can be trapped", NEEDED, probe_tsc, "programs that read the time stamp counter cannot be replayed exactly" },
  { "cpuid can be trapped", WANTED, probe_cpuid,
    "programs may use rdrand, rdseed and transactions, which cannot be replayed" },
  { "CPU affinity", WANTED, probe_affinity, "recording is slower: a stop across CPUs costs four times as much" },
  { "close_range", WANTED, probe_close_range, "live snapshots would hold the program's descriptors" },
  { "pagemap knows exclusive pages", WANTED, probe_pagemap,
    "what a vfork child writes before it execs is not seen by its parent" },
  { "debug registers", WANTED, probe_debug_registers, "watchpoints are not available" },
  { "gdb", WANTED, probe_gdb, "`retro gdb --stock' and `retro replay' need one (package gdb)" },
};

int
cmd_doctor (int argc, char **argv)
{
  gboolean fine = TRUE;

  if (argc > 1)
    {
      gboolean help = strcmp (argv[1], "--help") == 0;

      fprintf (help ? stdout : stderr, "Usage: retro doctor\n\nProbe what this kernel and CPU offer to Retro.\n");
      return help ? 0 : 1;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (probes); i++)
    {
      g_autofree char *note = NULL;
      gboolean ok = probes[i].probe (&note);

      printf ("%-32s %s%s%s%s\n", probes[i].what, ok ? "yes" : "NO", note != NULL ? " (" : "",
              note != NULL ? note : "", note != NULL ? ")" : "");
      if (!ok)
        printf ("    %s\n", probes[i].without);
      fine = fine && (ok || probes[i].weight == WANTED);
    }
  printf (fine ? "Programs can be recorded and replayed here.\n" : "Programs cannot be recorded here.\n");
  return fine ? 0 : 1;
}
