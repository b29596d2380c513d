/* The call table joined, and what all rows have in common: taking the
   memory that the kernel wrote into an event.

   A failed call writes nothing, with two exceptions: rows that say so, and
   -EFAULT, where the kernel may have filled a structure up to the page
   that was missing.  Sizes come from the program, so every read is bounded
   and takes what is readable.  */

#include "sys/rows.h"

#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_NR 512
#define PIECE (64 * 1024)
/* The most that is taken when the call failed and sizes may be nonsense.  */
#define MAX_ON_ERROR (1024 * 1024)

static const SysNumbered *const subjects[] = {
  sys_rows_file,   sys_rows_path,  sys_rows_poll,  sys_rows_time,  sys_rows_signal, sys_rows_process, sys_rows_memory,
  sys_rows_net,    sys_rows_ioctl, sys_rows_prctl, sys_rows_fcntl, sys_rows_futex,  sys_rows_ipc,     sys_rows_stack,
  sys_rows_misc,
};

static const SysRow **
get_table (void)
{
  static const SysRow *table[MAX_NR];
  static gsize once;

  if (g_once_init_enter (&once))
    {
      for (guint i = 0; i < G_N_ELEMENTS (subjects); i++)
        for (const SysNumbered *r = subjects[i]; r->nr >= 0; r++)
          {
            g_assert (r->nr < MAX_NR && table[r->nr] == NULL);
            table[r->nr] = &r->row;
          }
      g_once_init_leave (&once, 1);
    }
  return table;
}

/* A call that no kernel has, or only a newer one, or that belongs to
   another ABI.  */
static const SysRow unknown = { .name = NULL, .flags = SYS_DENY, .deny = ENOSYS };

const SysRow *
sys_row (gint64 nr)
{
  const SysRow *row = nr >= 0 && nr < MAX_NR ? get_table ()[nr] : NULL;
  return row != NULL ? row : &unknown;
}

SysState *
sys_state_new (void)
{
  SysState *state = g_new0 (SysState, 1);

  state->personality = -1;
  state->dumpable = 1;
  return state;
}

void
sys_state_free (SysState *state)
{
  if (state == NULL)
    return;
  g_clear_pointer (&state->files, g_hash_table_unref);
  g_clear_pointer (&state->shared_pages, g_hash_table_unref);
  g_free (state);
}

void
sys_call_clear (SysCall *call)
{
  g_clear_pointer (&call->saved_data, g_free);
}

gboolean
sys_answer (SysCall *call, gint64 result)
{
  call->answered = TRUE;
  call->answer = result;
  call->blocks = FALSE;
  return TRUE;
}

gboolean
sys_refuse (const SysCall *call, const char *why, GError **error)
{
  g_autofree char *text = sys_describe (call->nr, call->args);
  return error_set (error, RETRO_ERROR_UNSUPPORTED, "cannot record %s: %s", text, why);
}

int
sys_open_fd (const SysCall *call, int fd)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", call->task->tid, fd);
  int own = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

  if (own >= 0)
    return own;
  /* The file may forbid opening it anew; the program's own descriptor can
     be had from the process (not from a thread with a table of its own).  */
  int pidfd = (int) syscall (SYS_pidfd_open, call->pid, 0);
  if (pidfd < 0)
    return -1;
  own = (int) syscall (SYS_pidfd_getfd, pidfd, fd, 0);
  close (pidfd);
  return own;
}

gboolean
sys_add_memory (SysCall *call, Event *event, Addr addr, guint64 length, GError **error)
{
  guint8 small[4096];

  if (length == 0)
    return TRUE;
  if (length <= sizeof small)
    {
      if (!task_read (call->task, addr, small, length, error))
        return FALSE;
      event_add_write (event, addr, small, length);
      return TRUE;
    }
  g_autofree guint8 *large = g_try_malloc (length);
  if (large == NULL)
    return error_set (error, RETRO_ERROR_LIMIT, "no memory for %" G_GUINT64_FORMAT " bytes written by %s", length,
                      sys_name (call->nr));
  if (!task_read (call->task, addr, large, length, error))
    return FALSE;
  event_add_write (event, addr, large, length);
  return TRUE;
}

void
sys_add_some (SysCall *call, Event *event, Addr addr, guint64 length)
{
  guint8 small[1024];

  if (addr == 0 || length == 0 || addr >= USER_END)
    return;
  length = MIN (length, USER_END - addr);
  if (length <= sizeof small)
    {
      gsize got = task_read_some (call->task, addr, small, length);
      if (got > 0)
        event_add_write (event, addr, small, got);
      return;
    }
  g_autofree guint8 *piece = g_malloc (MIN (length, (guint64) 16 * PIECE));
  while (length > 0)
    {
      gsize want = MIN (length, (guint64) 16 * PIECE);
      gsize got = task_read_some (call->task, addr, piece, want);
      if (got > 0)
        event_add_write (event, addr, piece, got);
      if (got < want)
        return;
      addr += got;
      length -= got;
    }
}

static gboolean
is_zero (const guint8 *data, gsize length)
{
  return length == 0 || (data[0] == 0 && memcmp (data, data + 1, length - 1) == 0);
}

void
sys_add_nonzero (SysCall *call, Event *event, Addr addr, guint64 length)
{
  g_autofree guint8 *piece = g_malloc (PIECE);
  Addr end = addr + length;

  while (addr < end)
    {
      gsize want = MIN (end - addr, (guint64) PIECE);
      gsize got = task_read_some (call->task, addr, piece, want);
      if (got == 0)
        {
          addr = PAGE_DOWN (addr) + PAGE_SIZE_;
          continue;
        }
      for (gsize i = 0; i < got;)
        {
          gsize n = MIN (got - i, PAGE_SIZE_ - (addr + i) % PAGE_SIZE_);
          if (!is_zero (piece + i, n))
            event_add_write (event, addr + i, piece + i, n);
          i += n;
        }
      addr += got;
    }
}

void
sys_add_iovecs (SysCall *call, Event *event, Addr iov, guint64 n, guint64 total)
{
  struct iovec vec[64];

  n = MIN (n, (guint64) 1024);
  for (guint64 i = 0; i < n && total > 0;)
    {
      gsize some = MIN (n - i, G_N_ELEMENTS (vec));
      gsize got = task_read_some (call->task, iov + i * sizeof *vec, vec, some * sizeof *vec) / sizeof *vec;
      for (gsize k = 0; k < got && total > 0; k++)
        {
          guint64 length = MIN (total, (guint64) vec[k].iov_len);
          sys_add_some (call, event, (Addr) vec[k].iov_base, length);
          total -= length;
        }
      if (got < some)
        return;
      i += some;
    }
}

static void
add_out (SysCall *call, Event *event, const SysOut *out)
{
  guint64 unit = out->size != 0 ? out->size : 1;
  guint64 length = 0;
  gboolean failed = sys_failed (call);
  guint32 now;

  if (failed && !(out->flags & OUT_EVEN_ON_ERROR) && call->result != -EFAULT)
    return;
  switch ((SysOutKind) out->kind)
    {
    case OUT_NONE:
    case OUT_FUNC:
      return;
    case OUT_FIXED:
      length = out->size;
      break;
    case OUT_RESULT:
      if (!failed)
        length = (guint64) call->result;
      if (out->flags & OUT_AT_MOST_N)
        length = failed ? call->args[out->n] : MIN (length, call->args[out->n]);
      length = MIN (length, G_MAXUINT64 / unit) * unit;
      break;
    case OUT_ARG:
      length = MIN (call->args[out->n], G_MAXUINT64 / unit) * unit;
      break;
    case OUT_POINTED:
      if (task_read_some (call->task, call->args[out->n], &now, sizeof now) == sizeof now)
        length = MIN (now, call->pointed);
      break;
    }
  if (failed)
    length = MIN (length, MAX_ON_ERROR);
  sys_add_some (call, event, call->args[out->arg], length);
}

gboolean
sys_enter (SysCall *call, GError **error)
{
  const SysRow *row = call->row;

  call->changed = call->answered = FALSE;
  call->blocks = (row->flags & SYS_BLOCKS) != 0;
  if (row->flags & SYS_STOP)
    return sys_refuse (call, "its effects are not known", error);
  if (row->flags & SYS_DENY)
    return sys_answer (call, -row->deny);
  for (guint i = 0; i < G_N_ELEMENTS (row->outs); i++)
    if (row->outs[i].kind == OUT_POINTED
        && task_read_some (call->task, call->args[row->outs[i].n], &call->pointed, 4) != 4)
      call->pointed = 0;
  return row->enter == NULL || row->enter (call, error);
}

gboolean
sys_leave (SysCall *call, Event *event, GError **error)
{
  const SysRow *row = call->row;

  if (call->answered)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (row->outs); i++)
    if (row->outs[i].kind != OUT_NONE)
      add_out (call, event, &row->outs[i]);
  if (row->leave != NULL && !row->leave (call, event, error))
    return FALSE;
  return TRUE;
}

void
sys_sleep (SysCall *call, Event *event)
{
  if (call->row->sleep != NULL)
    call->row->sleep (call, event);
}
