/* Calls that change the address space.

   Each adds MapOps that say what is mapped now, with nothing left to know
   about the call.  Where a partial failure leaves the address space in a
   state that the arguments do not tell, /proc/PID/maps does.

   Advice whose effect depends on memory pressure, or that would show in a
   copy made by fork, is answered instead.  */

#include "sys/mapped.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/sysmacros.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#define MAP_TYPE_DROPPABLE 8

static gboolean
in_arena (Addr addr, guint64 length)
{
  return addr < ARENA_BASE + ARENA_SIZE && addr + length > ARENA_BASE;
}

/* PROT as the kernel takes it: an old personality makes what can be read
   executable.  */
static guint32
get_prot (SysCall *call, guint64 prot)
{
  guint32 bits = (guint32) prot & (PROT_READ | PROT_WRITE | PROT_EXEC);

  if (call->state->personality < 0)
    {
      g_autofree char *path = g_strdup_printf ("/proc/%d/personality", call->task->tid);
      g_autofree char *text = NULL;
      unsigned value = 0;
      if (g_file_get_contents (path, &text, NULL, NULL))
        sscanf (text, "%x", &value);
      call->state->personality = (int) (value & G_MAXINT32);
    }
  if ((bits & PROT_READ) && (call->state->personality & READ_IMPLIES_EXEC))
    bits |= PROT_EXEC;
  return bits;
}

static gboolean
leave_personality (SysCall *call, Event *event, GError **error)
{
  (void) event;
  (void) error;
  if (!sys_failed (call) && (guint32) call->args[0] != 0xffffffffu)
    call->state->personality = (int) (call->args[0] & G_MAXINT32);
  return TRUE;
}

static gboolean
stat_fd (const SysCall *call, int fd, struct stat *st_ret)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", call->task->tid, fd);
  return stat (path, st_ret) == 0;
}

static gboolean
is_zero_device (const struct stat *st)
{
  return S_ISCHR (st->st_mode) && st->st_rdev == makedev (1, 5);
}

static gboolean
enter_mmap (SysCall *call, GError **error)
{
  guint64 flags = call->args[3];
  struct stat st;

  /* As on a system without huge pages set aside, and before MAP_DROPPABLE.  */
  if (flags & MAP_HUGETLB)
    return sys_answer (call, -ENOMEM);
  if ((flags & MAP_TYPE) == MAP_TYPE_DROPPABLE)
    return sys_answer (call, -EINVAL);
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) && in_arena (call->args[0], call->args[1]))
    return sys_refuse (call, "Retro itself uses this address in replays", error);
  if (!(flags & MAP_ANONYMOUS) && stat_fd (call, sys_int (call, 4), &st))
    {
      /* Sound and sockets have other ways that programs fall back to.  */
      if (S_ISCHR (st.st_mode) && major (st.st_rdev) == 116)
        return sys_answer (call, -ENXIO);
      if (S_ISSOCK (st.st_mode))
        return sys_answer (call, -ENODEV);
    }
  return TRUE;
}

static gboolean
leave_mmap (SysCall *call, Event *event, GError **error)
{
  guint64 flags = call->args[3];
  struct stat st;

  if (sys_failed (call))
    return TRUE;
  MapOp op = {
    .kind = MAP_OP_MAP,
    .addr = (Addr) call->result,
    .length = PAGE_UP (call->args[1]),
    .prot = get_prot (call, call->args[2]),
    .flags = ((flags & MAP_TYPE) != MAP_PRIVATE ? MAP_SHARED_ : 0) | (flags & MAP_GROWSDOWN ? MAP_GROWSDOWN_ : 0),
    .file = NO_FILE,
  };
  if (in_arena (op.addr, op.length))
    return sys_refuse (call, "Retro itself uses this address in replays", error);
  if (!(flags & MAP_ANONYMOUS))
    {
      if (!stat_fd (call, sys_int (call, 4), &st))
        return sys_refuse (call, "the mapped descriptor cannot be examined", error);
      if (S_ISREG (st.st_mode))
        {
          op.offset = call->args[5];
          return mapped_add (call, event, sys_int (call, 4), &op, error);
        }
      if (!is_zero_device (&st))
        return sys_refuse (call, "it maps a device, whose memory changes by itself", error);
    }
  event_add_op (event, &op);
  return TRUE;
}

static void
add_unmap (Event *event, Addr addr, guint64 length)
{
  MapOp op = { .kind = MAP_OP_UNMAP, .addr = addr, .length = length, .file = NO_FILE };
  event_add_op (event, &op);
}

static gboolean
leave_munmap (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (!sys_failed (call))
    add_unmap (event, call->args[0], PAGE_UP (call->args[1]));
  return TRUE;
}

static void
add_protect (Event *event, Addr start, Addr end, guint32 prot)
{
  MapOp op = { .kind = MAP_OP_PROTECT, .addr = start, .length = end - start, .prot = prot, .file = NO_FILE };
  if (start < end)
    event_add_op (event, &op);
}

/* What is really so in [START, END), where it differs from the space.  */
static gboolean
add_true_protection (SysCall *call, Event *event, Addr start, Addr end, GError **error)
{
  g_autoptr (GArray) maps = maps_read (call->task->tid, error);

  if (maps == NULL)
    return FALSE;
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
      for (Addr at = MAX (start, e->start), stop = MIN (end, e->end); at < stop;)
        {
          const Mapping *m = space_find (call->space, at);
          if (m == NULL)
            break;
          if (m->prot != e->prot)
            add_protect (event, at, MIN (m->end, stop), e->prot);
          at = m->end;
        }
    }
  return TRUE;
}

static gboolean
is_shared (const SysCall *call, Addr start, Addr end)
{
  for (guint i = 0; i < call->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (call->space->maps, Mapping, i);
      if (m->start < end && m->end > start && (m->flags & MAP_SHARED_))
        return TRUE;
    }
  return FALSE;
}

static gboolean
leave_mprotect (SysCall *call, Event *event, GError **error)
{
  Addr start = call->args[0], end = start + PAGE_UP (call->args[1]);
  guint32 prot = get_prot (call, call->args[2]);

  if (end <= start || start % PAGE_SIZE_ != 0)
    return TRUE;
  if (sys_failed (call))
    return add_true_protection (call, event, start, end, error);
  if (call->args[2] & PROT_GROWSDOWN)
    {
      const Mapping *m = space_find (call->space, start);
      return add_true_protection (call, event, m != NULL ? m->start : start, end, error);
    }
  add_protect (event, start, end, prot);
  return !(prot & PROT_WRITE) || !is_shared (call, start, end)
         || mapped_join (call, event, start, end - start, error);
}

/* What DONTUNMAP leaves behind: pages as new.  */
static void
add_left_behind (SysCall *call, Event *event, Addr addr, guint64 length)
{
  const Mapping *m = space_find (call->space, addr);
  MapOp op = { .kind = MAP_OP_MAP, .addr = addr, .length = length, .file = NO_FILE };

  if (m == NULL)
    return;
  op.prot = m->prot;
  op.flags = m->flags;
  op.file = m->file;
  op.offset = m->file != NO_FILE ? m->offset + (addr - m->start) : 0;
  event_add_op (event, &op);
}

/* True if [ADDR, +LENGTH) is within one mapping of the space, and one whose
   contents a replay has when it grows.  */
static gboolean
is_simple_move (const SysCall *call, Addr addr, guint64 length, guint64 new_length)
{
  const Mapping *m = space_find (call->space, addr);

  return m != NULL && addr + length <= m->end
         && !((m->flags & MAP_SHARED_) && m->file == NO_FILE
              && (new_length > length || (call->args[3] & MREMAP_DONTUNMAP)));
}

static gboolean
leave_mremap (SysCall *call, Event *event, GError **error)
{
  Addr old = call->args[0], new = (Addr) call->result;
  guint64 length = PAGE_UP (call->args[1]), new_length = PAGE_UP (call->args[2]);
  gboolean stays = (call->args[3] & MREMAP_DONTUNMAP) != 0;

  if (sys_failed (call))
    return TRUE;
  if (in_arena (new, new_length))
    return sys_refuse (call, "Retro itself uses this address in replays", error);
  if (length == 0) /* a second view of shared memory  */
    return mapped_renew (call, event, new, new_length, error) && mapped_join (call, event, new, new_length, error);
  if (is_simple_move (call, old, length, new_length))
    {
      MapOp op = { .kind = MAP_OP_MOVE,
                   .addr = old,
                   .length = length,
                   .dest = new,
                   .dest_length = new_length,
                   .file = NO_FILE };
      event_add_op (event, &op);
      if (stays)
        add_left_behind (call, event, old, length);
      return TRUE;
    }
  add_unmap (event, old, length);
  return mapped_renew (call, event, new, new_length, error)
         && (!stays || mapped_renew (call, event, old, length, error));
}

/* The end of the heap before the call, if brk has not told it yet.  */
static gboolean
enter_brk (SysCall *call, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", call->task->tid);
  g_autofree char *text = NULL;

  if (call->state->brk != 0 || call->args[0] == 0)
    return TRUE;
  g_autoptr (GArray) maps = maps_read (call->task->tid, error);
  if (maps == NULL)
    return FALSE;
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
      if (strcmp (e->name, "[heap]") == 0)
        call->state->brk = e->end;
    }
  if (call->state->brk != 0 || !g_file_get_contents (path, &text, NULL, error))
    return call->state->brk != 0;
  /* No heap yet: field 47 is where it will start.  */
  const char *at = strrchr (text, ')');
  for (int field = 2; at != NULL && field < 47; field++)
    at = strchr (at + 1, ' ');
  call->state->brk = at != NULL ? g_ascii_strtoull (at + 1, NULL, 10) : 0;
  return TRUE;
}

static gboolean
leave_brk (SysCall *call, Event *event, GError **error)
{
  Addr old = PAGE_UP (call->state->brk), new = PAGE_UP ((Addr) call->result);

  (void) error;
  if (call->state->brk != 0 && new > old)
    {
      MapOp op = { .kind = MAP_OP_MAP,
                   .addr = old,
                   .length = new - old,
                   .prot = get_prot (call, PROT_READ | PROT_WRITE),
                   .file = NO_FILE };
      event_add_op (event, &op);
    }
  else if (new < old)
    add_unmap (event, new, old - new);
  call->state->brk = (Addr) call->result;
  return TRUE;
}

/* Advice and what becomes of it.  */
enum
{
  ADVICE_RUN,
  ADVICE_0,
  ADVICE_EINVAL,
  ADVICE_EPERM,
  ADVICE_DISCARD,
  ADVICE_REMOVE
};

static const guint8 advice_table[] = {
  [MADV_DONTNEED] = ADVICE_DISCARD,
  [24 /* MADV_DONTNEED_LOCKED */] = ADVICE_DISCARD,
  [21 /* MADV_PAGEOUT */] = ADVICE_0,
  [MADV_REMOVE] = ADVICE_REMOVE,
  [MADV_FREE] = ADVICE_EINVAL,
  [MADV_DONTFORK] = ADVICE_0,
  [MADV_DOFORK] = ADVICE_0,
  [MADV_WIPEONFORK] = ADVICE_EINVAL,
  [MADV_KEEPONFORK] = ADVICE_EINVAL,
  [100 /* MADV_HWPOISON */] = ADVICE_EPERM,
  [101 /* MADV_SOFT_OFFLINE */] = ADVICE_EPERM,
  [102 /* MADV_GUARD_INSTALL */] = ADVICE_EINVAL,
  [103 /* MADV_GUARD_REMOVE */] = ADVICE_EINVAL,
};

static int
get_advice (int advice)
{
  return advice >= 0 && advice < (int) G_N_ELEMENTS (advice_table) ? advice_table[advice] : ADVICE_RUN;
}

static gboolean
enter_madvise (SysCall *call, GError **error)
{
  (void) error;
  switch (get_advice (sys_int (call, 2)))
    {
    case ADVICE_0:
      return sys_answer (call, 0);
    case ADVICE_EINVAL:
      return sys_answer (call, -EINVAL);
    case ADVICE_EPERM:
      return sys_answer (call, -EPERM);
    default:
      return TRUE;
    }
}

static gboolean
enter_process_madvise (SysCall *call, GError **error)
{
  (void) error;
  return get_advice (sys_int (call, 3)) == ADVICE_RUN || sys_answer (call, -EINVAL);
}

/* Shared pages keep their contents but are no longer present, and a digest
   of the live program sees present pages only.  */
static void
touch_pages (SysCall *call, Addr start, Addr end)
{
  guint8 byte;

  for (Addr at = start; at < end; at += PAGE_SIZE_)
    task_read_some (call->task, at, &byte, 1);
}

/* Pages of M in [START, END) are as new.  Where the log has the contents
   of a private file as memory, the file's bytes are there again.  */
static gboolean
add_discard (SysCall *call, Event *event, const Mapping *m, Addr start, Addr end, GError **error)
{
  MapOp op = { .kind = MAP_OP_DISCARD, .addr = start, .length = end - start, .file = NO_FILE };

  if (!(m->flags & MAP_SHARED_))
    {
      event_add_op (event, &op);
      return TRUE;
    }
  if (m->file != NO_FILE)
    return TRUE;
  g_autoptr (GArray) maps = maps_read (call->task->tid, error);
  if (maps == NULL)
    return FALSE;
  const MapsEntry *e = maps_find (maps, start);
  if (e == NULL)
    return TRUE;
  if (e->shared)
    {
      touch_pages (call, start, end);
      return TRUE;
    }
  event_add_op (event, &op);
  sys_add_nonzero (call, event, start, end - start);
  return TRUE;
}

static gboolean
leave_madvise (SysCall *call, Event *event, GError **error)
{
  Addr start = call->args[0], end = start + PAGE_UP (call->args[1]);
  int what = get_advice (sys_int (call, 2));
  guint pieces = 0;

  /* -ENOMEM: there are holes, the rest was done.  */
  if ((what != ADVICE_DISCARD && what != ADVICE_REMOVE) || start % PAGE_SIZE_ != 0 || end <= start)
    return TRUE;
  gboolean done = !sys_failed (call) || call->result == -ENOMEM;
  for (guint i = 0; i < call->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (call->space->maps, Mapping, i);
      Addr from = MAX (m->start, start), to = MIN (m->end, end);
      if (from >= to)
        continue;
      pieces++;
      if (done && what == ADVICE_DISCARD && !add_discard (call, event, m, from, to, error))
        return FALSE;
      if (done && what == ADVICE_REMOVE)
        sys_add_some (call, event, from, to - from);
    }
  /* Another failure, in the middle of several mappings.  */
  if (!done && pieces > 1)
    sys_add_some (call, event, start, end - start);
  return TRUE;
}

static gboolean
leave_mincore (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (!sys_failed (call))
    sys_add_some (call, event, call->args[2], PAGE_UP (call->args[1]) / PAGE_SIZE_);
  return TRUE;
}

static gboolean
leave_get_mempolicy (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (!sys_failed (call) && call->args[2] < 1024 * 1024)
    sys_add_some (call, event, call->args[1], (call->args[2] + 63) / 64 * 8);
  return TRUE;
}

static gboolean
leave_shmat (SysCall *call, Event *event, GError **error)
{
  Addr addr = (Addr) call->result;

  if (sys_failed (call))
    return TRUE;
  g_autoptr (GArray) maps = maps_read (call->task->tid, error);
  if (maps == NULL)
    return FALSE;
  const MapsEntry *e = maps_find (maps, addr);
  if (e == NULL || in_arena (e->start, e->end - e->start))
    return sys_refuse (call, "the attached memory cannot be found", error);
  return mapped_renew (call, event, addr, e->end - addr, error)
         && mapped_join (call, event, addr, e->end - addr, error);
}

/* The kernel unmaps all that is left of the attachment at this address;
   what that is must be asked before.  */
static gboolean
enter_shmdt (SysCall *call, GError **error)
{
  g_autoptr (GArray) maps = maps_read (call->task->tid, error);
  Addr addr = call->args[0];

  if (maps == NULL)
    return FALSE;
  const MapsEntry *first = maps_find (maps, addr);
  if (first == NULL || first->start != addr)
    return TRUE;
  MapOp *ranges = g_new0 (MapOp, maps->len);
  call->saved_data = ranges;
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
      if (e->dev == first->dev && e->inode == first->inode && e->start >= addr && e->start - addr == e->offset)
        ranges[call->saved[0]++] = (MapOp){ .addr = e->start, .length = e->end - e->start };
    }
  return TRUE;
}

static gboolean
leave_shmdt (SysCall *call, Event *event, GError **error)
{
  const MapOp *ranges = call->saved_data;

  (void) error;
  if (!sys_failed (call) && ranges != NULL)
    for (guint64 i = 0; i < call->saved[0]; i++)
      add_unmap (event, ranges[i].addr, ranges[i].length);
  return TRUE;
}

const SysNumbered sys_rows_memory[] = {
  R (mmap, "puxxfx", .enter = enter_mmap, .leave = leave_mmap),
  R (munmap, "pu", .leave = leave_munmap),
  R (mprotect, "pux", .leave = leave_mprotect),
  R (pkey_mprotect, "puxd", .leave = leave_mprotect),
  R (mremap, "puuxp", .leave = leave_mremap),
  R (brk, "p", .enter = enter_brk, .leave = leave_brk),
  R (madvise, "pud", .enter = enter_madvise, .leave = leave_madvise),
  R (process_madvise, "fpudx", .enter = enter_process_madvise),
  R (mincore, "pup", .leave = leave_mincore),
  R (msync, "pux"),
  R (mlock, "pu"),
  R (mlock2, "pux"),
  R (munlock, "pu"),
  R (mlockall, "x"),
  R (munlockall, ""),
  R (mseal, "pux"),
  R (mbind, "puxpux"),
  R (set_mempolicy, "dpu"),
  R (set_mempolicy_home_node, "puxx"),
  R (get_mempolicy, "ppupx", OUTS (BYTES (0, 4)), .leave = leave_get_mempolicy),
  R (migrate_pages, "dupp"),
  R (move_pages, "dupppx", OUTS (COUNT_OF (4, 1, 4))),
  R (remap_file_pages, "puxux", DENY (ENOSYS)),
  R (shmat, "dpx", .leave = leave_shmat),
  R (shmdt, "p", .enter = enter_shmdt, .leave = leave_shmdt),
  R (personality, "x", .leave = leave_personality),
  /* As a CPU without them: the keys of a replay's pages are all 0.  */
  R (pkey_alloc, "xx", DENY (ENOSPC)),
  R (pkey_free, "d", DENY (EINVAL)),
  R (map_shadow_stack, "pux", DENY (EOPNOTSUPP)),
  ROWS_END,
};
