/* What is to be seen at here: threads, registers, memory, mappings, the
   auxiliary vector, the program's name.

   All of it comes from the copy; nothing is remembered on the way.  The
   auxiliary vector is found where the kernel put it, near the upper end of
   the main stack, by its AT_PAGESZ entry: images of a running program have
   no better pointer to it.  */

#include "timeline/private.h"

#include "base/error.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>

#define AUXV_SEARCH (1u << 20)

static const ReplayThread *
find_thread (Session *session, ThreadNo no)
{
  const GPtrArray *threads = replay_threads (session->here->replay);

  return no < threads->len ? g_ptr_array_index (threads, no) : NULL;
}

GArray *
session_threads (Session *session)
{
  const GPtrArray *threads = replay_threads (session->here->replay);
  GArray *alive = g_array_new (FALSE, FALSE, sizeof (ThreadNo));

  for (ThreadNo i = 0; i < threads->len; i++)
    if (!((const ReplayThread *) g_ptr_array_index (threads, i))->gone)
      g_array_append_val (alive, i);
  return alive;
}

pid_t
session_tid (Session *session, ThreadNo no)
{
  const ReplayThread *thread = find_thread (session, no);

  return thread != NULL ? thread->tid : 0;
}

char *
session_thread_name (Session *session, ThreadNo no)
{
  const ReplayThread *thread = find_thread (session, no);

  return thread != NULL ? g_strndup (thread->name, sizeof thread->name) : NULL;
}

ThreadNo
session_current_thread (Session *session)
{
  const ReplayThread *thread = find_thread (session, session->thread);
  g_autoptr (GArray) alive = NULL;

  if (thread != NULL && !thread->gone)
    return session->thread;
  alive = session_threads (session);
  return alive->len > 0 ? g_array_index (alive, ThreadNo, 0) : 0;
}

pid_t
session_pid (const Session *session)
{
  return session->pid;
}

gboolean
session_get_regs (Session *session, ThreadNo thread, Regs *regs_ret, GError **error)
{
  return replay_get_regs (session->here->replay, thread, regs_ret, error);
}

GBytes *
session_get_xstate (Session *session, ThreadNo thread, GError **error)
{
  return replay_get_xstate (session->here->replay, thread, error);
}

gsize
session_read (Session *session, Addr addr, void *buffer, gsize length)
{
  const Task *task = session->looking != NULL ? session->looking : replay_task (session->here->replay);

  return task_read_some (task, addr, buffer, length);
}

gsize
session_read_history (Session *session, Addr addr, void *buffer, gsize length)
{
  Place *place = session->history != NULL ? session->history : session->here;

  return task_read_some (replay_task (place->replay), addr, buffer, length);
}

const siginfo_t *
session_siginfo (Session *session)
{
  return session->has_siginfo ? &session->siginfo : NULL;
}

/* --- Mappings --- */

static const char *
mapping_name (Session *session, const Mapping *m)
{
  if (m->file != NO_FILE)
    return log_file_name (session->log, m->file);
  if (m->flags & MAP_STACK_)
    return "[stack]";
  return m->flags & MAP_SPECIAL_ ? "[vdso]" : "";
}

char *
session_maps (Session *session)
{
  const Space *space = replay_space (session->here->replay);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);
      const char *name = mapping_name (session, m);
      gboolean file = m->file != NO_FILE;

      g_string_append_printf (text, "%08" G_GINT64_MODIFIER "x-%08" G_GINT64_MODIFIER "x %c%c%c%c %08" G_GINT64_MODIFIER
                              "x 00:%02x %u",
                              m->start, m->end, m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-',
                              m->prot & PROT_EXEC ? 'x' : '-', m->flags & MAP_SHARED_ ? 's' : 'p', file ? m->offset : 0,
                              file ? 1 : 0, file ? m->file + 1 : 0);
      if (name != NULL && *name != 0)
        g_string_append_printf (text, "                          %s", name);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/* --- The auxiliary vector --- */

static const Mapping *
find_stack (const Space *space)
{
  for (guint i = space->maps->len; i-- > 0;)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);

      if (m->flags & MAP_STACK_)
        return m;
    }
  return NULL;
}

/* The vector around the entry at INDEX of WORDS.  */
static GBytes *
vector_around (const guint64 *words, gsize n, gsize index)
{
  gsize start = index, end = index;

  while (start >= 2 && words[start - 2] != 0 && words[start - 2] < 64)
    start -= 2;
  while (end + 1 < n && words[end] != AT_NULL)
    end += 2;
  return end + 1 < n ? g_bytes_new (words + start, (end + 2 - start) * 8) : NULL;
}

GBytes *
session_auxv (Session *session)
{
  const Mapping *stack = find_stack (replay_space (session->here->replay));
  gsize length = stack != NULL ? MIN (AUXV_SEARCH, stack->end - stack->start) : 0;
  g_autofree guint64 *words = g_malloc (length + 8);
  gsize n = length != 0 ? session_read (session, stack->end - length, words, length) / 8 : 0;

  for (gsize i = n; i-- > 2;)
    if (words[i - 1] == AT_PAGESZ && words[i] == PAGE_SIZE_)
      {
        GBytes *vector = vector_around (words, n, i - 1);

        if (vector != NULL && g_bytes_get_size (vector) >= 8 * 16)
          return vector;
        g_clear_pointer (&vector, g_bytes_unref);
      }
  return g_bytes_new (NULL, 0);
}

static guint64
auxv_value (Session *session, guint64 type)
{
  g_autoptr (GBytes) vector = session_auxv (session);
  gsize length;
  const guint64 *words = g_bytes_get_data (vector, &length);

  for (gsize i = 0; i + 1 < length / 8; i += 2)
    if (words[i] == type)
      return words[i + 1];
  return 0;
}

char *
session_exec_file (Session *session)
{
  guint64 addr = auxv_value (session, AT_PHDR);
  const Mapping *m = addr != 0 ? space_find (replay_space (session->here->replay), addr) : NULL;
  const char *name = m != NULL && m->file != NO_FILE ? log_file_name (session->log, m->file) : NULL;

  return g_strdup (name != NULL ? name : log_header (session->log)->program);
}
