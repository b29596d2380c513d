/* System calls that change the memory of a process: see sys-trace.h.  */

#include "sys-trace.h"

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

static void
test_refused (gconstpointer script)
{
  Trace t;

  trace_script (&t, *(void (*const *) (void)) script);
  g_assert_error (t.stopped, RETRO_ERROR, RETRO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (t.stopped->message, "mmap ("));
  trace_clear (&t);
}

int
main (int argc, char **argv)
{
  static const SysTest tests[] = {
    { "/sys/memory", script_memory, test_script },
    { "/sys/mapped-files", script_mapped_files, test_script },
    { "/sys/alias", script_alias, test_script },
    { "/sys/arena", script_arena, test_refused },
  };

  return run_sys_tests (argc, argv, tests, G_N_ELEMENTS (tests));
}
