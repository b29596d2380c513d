/* Packets Z and z: breakpoints and watchpoints, with conditions.

     Z0,ADDR,KIND[;X LEN,CODE]...   software breakpoint
     Z1 hardware   Z2 write   Z3 read   Z4 access

   A condition list is stop-if-any; the code is GDB's agent bytecode,
   evaluated at each arrival in the helper (agent/agent.h).  One that
   cannot be evaluated stops, as in gdbserver, and GDB judges for itself.

   The table outlives sessions: GDB takes its breakpoints out and puts
   them in again as it likes, but not when a program ends under it.  */

#include "rsp/server.h"

#include "agent/agent.h"
#include "base/error.h"

#include <string.h>

#define CONDITIONS_MAX 64

typedef struct
{
  char type; /* '0' to '4'  */
  Addr addr;
  gsize length;
  GPtrArray *conditions; /* of GBytes  */
} Trap;

struct _TrapTable
{
  GPtrArray *traps; /* of Trap  */
};

static const SessionTrapKind kinds[] = { SESSION_BREAK, SESSION_BREAK, SESSION_WATCH_WRITE, SESSION_WATCH_READ,
                                         SESSION_WATCH_ACCESS };

static void
trap_free (gpointer data)
{
  Trap *trap = data;

  g_ptr_array_unref (trap->conditions);
  g_free (trap);
}

TrapTable *
trap_table_new (void)
{
  TrapTable *traps = g_new0 (TrapTable, 1);

  traps->traps = g_ptr_array_new_with_free_func (trap_free);
  return traps;
}

void
trap_table_free (TrapTable *traps)
{
  g_ptr_array_unref (traps->traps);
  g_free (traps);
}

int
trap_table_kind (const TrapTable *traps, Addr addr)
{
  for (guint i = 0; i < traps->traps->len; i++)
    {
      const Trap *trap = g_ptr_array_index (traps->traps, i);

      if (trap->addr == addr && trap->type <= '1')
        return trap->type - '0';
    }
  return -1;
}

/* ---- Conditions ---- */

typedef struct
{
  Session *session;
  RegState state;
} ConditionContext;

static gboolean
condition_read_memory (Addr addr, void *buffer, gsize length, gpointer user)
{
  return session_read (((ConditionContext *) user)->session, addr, buffer, length) == length;
}

static gboolean
condition_read_register (guint number, guint64 *value_ret, gpointer user)
{
  guint8 value[REGNO_MAX_SIZE] = { 0 };

  if (!registers_get (&((ConditionContext *) user)->state, number, value))
    return FALSE;
  memcpy (value_ret, value, 8);
  return TRUE;
}

static gboolean
any_condition (Session *session, ThreadNo thread G_GNUC_UNUSED, const Regs *regs, gpointer user)
{
  const GPtrArray *conditions = user;
  ConditionContext context = { .session = session, .state = { .regs = *regs } };
  AgentContext agent = { condition_read_memory, condition_read_register, &context };

  for (guint i = 0; i < conditions->len; i++)
    {
      gsize length;
      const guint8 *code = g_bytes_get_data (g_ptr_array_index (conditions, i), &length);
      guint64 value;

      if (!agent_eval (code, length, &agent, &value, NULL) || value != 0)
        return TRUE;
    }
  return FALSE;
}

static void
unref_conditions (gpointer data)
{
  g_ptr_array_unref (data);
}

static gboolean
insert (Session *session, const Trap *trap, GError **error)
{
  SessionTrapKind kind = kinds[trap->type - '0'];
  gsize length = kind == SESSION_BREAK ? 1 : trap->length;

  if (trap->conditions->len == 0)
    return session_insert (session, kind, trap->addr, length, NULL, NULL, NULL, error);
  return session_insert (session, kind, trap->addr, length, any_condition, g_ptr_array_ref (trap->conditions),
                         unref_conditions, error);
}

void
trap_table_reinsert (Server *server)
{
  GPtrArray *traps = server->traps->traps;

  for (guint i = 0; i < traps->len; i++)
    insert (server->session, g_ptr_array_index (traps, i), NULL);
}

/* ---- Packets ---- */

/* ";X LEN,CODE" again and again; ";cmds:" is not offered.  */
static void
parse_conditions (Text *args, GPtrArray *conditions)
{
  text_accept (args, ';');
  while (text_accept (args, 'X') && conditions->len < CONDITIONS_MAX)
    {
      guint64 length = text_hex (args);
      GByteArray *code;

      text_expect (args, ',');
      if (args->failed || length == 0 || length > AGENT_MAX_CODE || length > text_left (args) / 2)
        {
          text_fail (args);
          return;
        }
      code = g_byte_array_sized_new ((guint) length);
      for (guint64 i = 0; i < length; i++)
        {
          Text pair;
          guint8 byte;

          text_init (&pair, args->at, 2);
          byte = (guint8) text_hex (&pair);
          if (!text_done (&pair))
            text_fail (args);
          else
            args->at += 2;
          g_byte_array_append (code, &byte, 1);
        }
      g_ptr_array_add (conditions, g_byte_array_free_to_bytes (code));
      text_accept (args, ';');
    }
}

static Trap *
parse_trap (Text *args)
{
  Trap *trap = g_new0 (Trap, 1);

  trap->conditions = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  trap->type = text_peek (args);
  if (trap->type < '0' || trap->type > '4')
    text_fail (args);
  else
    args->at++;
  text_expect (args, ',');
  trap->addr = text_hex (args);
  text_expect (args, ',');
  trap->length = text_hex (args);
  parse_conditions (args, trap->conditions);
  if (text_done (args))
    return trap;
  trap_free (trap);
  return NULL;
}

static Trap *
find (TrapTable *traps, const Trap *like, guint *index_ret)
{
  for (guint i = 0; i < traps->traps->len; i++)
    {
      Trap *trap = g_ptr_array_index (traps->traps, i);

      if (trap->type == like->type && trap->addr == like->addr && (trap->type <= '1' || trap->length == like->length))
        {
          *index_ret = i;
          return trap;
        }
    }
  return NULL;
}

static void
handle_insert (Server *server, Text *args, GString *out)
{
  Trap *trap = parse_trap (args);
  GError *error = NULL;
  guint index;

  if (trap == NULL)
    {
      reply_malformed (out);
      return;
    }
  if (server->general_pid != 0) /* a fork's child: see rsp/threads.c  */
    {
      trap_free (trap);
      reply_ok (out);
      return;
    }
  if (!insert (server->session, trap, &error))
    {
      trap_free (trap);
      reply_error (out, error);
      return;
    }
  if (find (server->traps, trap, &index) != NULL)
    g_ptr_array_remove_index (server->traps->traps, index);
  g_ptr_array_add (server->traps->traps, trap);
  reply_ok (out);
}

/* Software and hardware breakpoints are one thing to the session.  */
static gboolean
is_shared (const TrapTable *traps, const Trap *trap)
{
  return trap->type <= '1' && trap_table_kind (traps, trap->addr) >= 0;
}

static void
handle_remove (Server *server, Text *args, GString *out)
{
  Trap *like = parse_trap (args);
  GError *error = NULL;
  guint index;

  if (like == NULL)
    reply_malformed (out);
  else if (server->general_pid != 0 || find (server->traps, like, &index) == NULL)
    reply_ok (out);
  else
    {
      SessionTrapKind kind = kinds[like->type - '0'];

      g_ptr_array_remove_index (server->traps->traps, index);
      if (is_shared (server->traps, like)
          || session_remove (server->session, kind, like->addr, kind == SESSION_BREAK ? 1 : like->length, &error))
        reply_ok (out);
      else
        reply_error (out, error);
    }
  if (like != NULL)
    trap_free (like);
}

const PacketRow trap_packets[] = {
  { "Z", ROW_SESSION, handle_insert },
  { "z", ROW_SESSION, handle_remove },
  { NULL, 0, NULL },
};
