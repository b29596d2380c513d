/* Searches of the extension, see doc/protocol.md, "Search".

   session_search moves the session and asks a probe at each place.  A
   probe in agent bytecode is evaluated here.  One that GDB evaluates is a
   conversation in the middle of the search's packet: the probe is sent as
   its reply, packets are answered as always (but nothing moves time)
   until GDB says good or bad, and the final result is the reply to the
   last of these.  */

#include "rsp/server.h"

#include "agent/agent.h"
#include "base/error.h"
#include "sys/sys.h"

#include <string.h>

/* Progress is worth a packet that often.  */
#define PROGRESS_USEC 100000

typedef enum
{
  ANSWER_NONE,
  ANSWER_GOOD,
  ANSWER_BAD,
  ANSWER_GO_ON,
  ANSWER_STOP
} Answer;

struct _Search
{
  Server *server;
  GByteArray *code;
  Answer answer;
  gboolean waiting;
  gint64 started, last_progress;
  guint64 low, high, probes;
};

typedef gboolean (*SearchFunc) (Search *search, const Position *from, SessionProbe probe, SearchResult *result_ret,
                                       GError **error);

/* ---- The expression ---- */

typedef struct
{
  Session *session;
  RegState state;
  gboolean have_state;
  GArray *touched; /* of Addr: words that were read, or NULL  */
} ProbeContext;

static gboolean
probe_read_memory (Addr addr, void *buffer, gsize length, gpointer user)
{
  ProbeContext *context = user;

  for (Addr word = addr & ~7ul; context->touched != NULL && word < addr + length; word += 8)
    {
      gboolean known = FALSE;

      for (guint i = 0; i < context->touched->len; i++)
        known = known || g_array_index (context->touched, Addr, i) == word;
      if (!known)
        g_array_append_val (context->touched, word);
    }
  return session_read (context->session, addr, buffer, length) == length;
}

static gboolean
probe_read_register (guint number, guint64 *value_ret, gpointer user)
{
  ProbeContext *context = user;
  guint8 value[REGNO_MAX_SIZE] = { 0 };

  if (!context->have_state)
    context->have_state = session_get_regs (context->session, session_current_thread (context->session),
                                            &context->state.regs, NULL);
  if (!context->have_state || !registers_get (&context->state, number, value))
    return FALSE;
  memcpy (value_ret, value, 8);
  return TRUE;
}

/* Is it bad here?  What cannot be evaluated is good.  TOUCHED (may be NULL):
   the words that were read.  */
static gboolean
is_bad (Session *session, const GByteArray *code, GArray *touched, gboolean *registers_ret)
{
  ProbeContext context = { .session = session, .touched = touched };
  AgentContext agent = { probe_read_memory, probe_read_register, &context };
  guint64 value;
  gboolean bad = agent_eval (code->data, code->len, &agent, &value, NULL) && value != 0;

  if (registers_ret != NULL)
    *registers_ret = context.have_state;
  return bad;
}

/* ---- Conversation ---- */

/* Send OUT as the reply to the packet being handled and wait for the
   client's QRetro:SearchNext.  */
static Answer
ask_client (Search *search, GString *out)
{
  Server *server = search->server;

  search->answer = ANSWER_NONE;
  search->waiting = TRUE;
  wire_send (server->wire, out->str, out->len);
  while (search->answer == ANSWER_NONE && server_turn (server))
    continue;
  search->waiting = FALSE;
  return search->answer == ANSWER_NONE ? ANSWER_STOP : search->answer;
}

static gboolean
interrupted (GError **error)
{
  return error_set (error, RETRO_ERROR_INTERRUPTED, "interrupted");
}

static gboolean
probe_by_code (Session *session, gboolean *bad_ret, gpointer user, GError **error)
{
  Search *search = user;

  if (wire_interrupted (search->server->wire))
    return interrupted (error);
  *bad_ret = is_bad (session, search->code, NULL, NULL);
  return TRUE;
}

static gboolean
probe_by_client (Session *session, gboolean *bad_ret, gpointer user, GError **error)
{
  Search *search = user;
  Server *server = search->server;
  g_autoptr (GString) out = g_string_new ("probe");
  Position here;
  Answer answer;

  server_moved (server);
  session_position (session, &here);
  put_position (out, "now", &here);
  g_string_append (out, ";thread=");
  put_thread (server, out, session_current_thread (session));
  put_number (out, "low", search->low);
  put_number (out, "high", search->high);
  put_number (out, "probes", search->probes++);
  put_number (out, "time", session_time (session, here.event));
  answer = ask_client (search, out);
  if (!writes_end_divert (server->writes, error))
    return FALSE;
  /* An interrupt may have come with the answer.  */
  if ((answer != ANSWER_GOOD && answer != ANSWER_BAD) || wire_interrupted (server->wire))
    return interrupted (error);
  *bad_ret = answer == ANSWER_BAD;
  return TRUE;
}

static void
note_progress (const SearchResult *so_far, EventNo low, EventNo high, gpointer user)
{
  Search *search = user;

  search->low = low;
  search->high = high;
  search->probes = so_far->probes;
}

static void
report_progress (const SearchResult *so_far, EventNo low, EventNo high, gpointer user)
{
  Search *search = user;
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GString) out = NULL;

  note_progress (so_far, low, high, user);
  if (now - search->last_progress < PROGRESS_USEC)
    return;
  search->last_progress = now;
  out = g_string_new ("progress");
  put_number (out, "low", low);
  put_number (out, "high", high);
  put_number (out, "probes", so_far->probes);
  if (ask_client (search, out) == ANSWER_STOP)
    session_interrupt ();
}

/* ---- Results ---- */

static void
put_result (Server *server, const SearchResult *result, gint64 msec, GString *out)
{
  Position here;

  session_position (server->session, &here);
  g_string_assign (out, "found");
  put_position (out, "now", &here);
  g_string_append (out, ";thread=");
  put_thread (server, out, result->thread);
  put_number (out, "by-event", result->by_event);
  put_number (out, "event", result->event);
  put_number (out, "pc", result->pc);
  if (result->by_event && result->nr >= 0)
    {
      put_number (out, "nr", (guint64) result->nr);
      put_text (out, "call", sys_name (result->nr));
    }
  put_number (out, "probes", result->probes);
  put_number (out, "snapshot-probes", result->snapshot_probes);
  put_number (out, "event-probes", result->event_probes);
  put_number (out, "tick-probes", result->tick_probes);
  put_number (out, "step-probes", result->step_probes);
  put_number (out, "msec", (guint64) msec);
}

/* ":FROM"; FALSE if malformed.  */
static gboolean
parse_from (Text *args, Position *from_ret, gboolean *whole_ret)
{
  text_expect (args, ':');
  *whole_ret = text_accept_word (args, "begin");
  if (!*whole_ret)
    text_position (args, from_ret);
  return !args->failed;
}

/* Run a search with PROBE and reply.  */
static void
run_search (Server *server, Search *search, const Position *from, SessionProbe probe, SearchFunc func,
            GString *out)
{
  const Stop stop = server->stop;
  SearchResult result;
  GError *error = NULL;
  gboolean found;

  search->server = server;
  search->started = search->last_progress = g_get_monotonic_time ();
  server->search = search;
  memset (&result, 0, sizeof result);
  found = writes_end_divert (server->writes, &error) && func (search, from, probe, &result, &error);
  server->search = NULL;
  server_moved (server);
  if (!found)
    {
      /* As if nothing had been.  */
      server->stop = stop;
      reply_error (out, error);
      return;
    }
  server->stop.thread = server->general = result.thread;
  put_result (server, &result, (g_get_monotonic_time () - search->started) / 1000, out);
}

static gboolean
search_quietly (Search *search, const Position *from, SessionProbe probe, SearchResult *result_ret, GError **error)
{
  return session_search (search->server->session, from, probe, search, note_progress, search, result_ret, error);
}

static gboolean
search_in_turns (Search *search, const Position *from, SessionProbe probe, SearchResult *result_ret, GError **error)
{
  return session_search (search->server->session, from, probe, search, report_progress, search, result_ret, error);
}

/* The last flip: what the expression reads is what it depends on.  */
static gboolean
probe_dependence (Session *session, gboolean *bad_ret, GArray *words, gpointer user, GError **error)
{
  Search *search = user;
  gboolean registers = FALSE;

  if (wire_interrupted (search->server->wire))
    return interrupted (error);
  *bad_ret = is_bad (session, search->code, words, &registers);
  return !registers || error_set (error, RETRO_ERROR_USAGE, "The expression reads registers, which cannot be watched.");
}

static gboolean
search_last (Search *search, const Position *from, SessionProbe probe G_GNUC_UNUSED, SearchResult *result_ret,
             GError **error)
{
  return session_search_last (search->server->session, from, probe_dependence, search, report_progress, search,
                              result_ret, error);
}

/* ---- Packets ---- */

static void
handle_code (Server *server, Text *args, SearchFunc func, GString *out)
{
  Search search = { .server = server };
  Position from;
  gboolean whole = FALSE;

  parse_from (args, &from, &whole);
  text_expect (args, ':');
  search.code = text_hex_bytes (args);
  if (!text_done (args) || search.code->len == 0 || search.code->len > AGENT_MAX_CODE)
    reply_malformed (out);
  else
    run_search (server, &search, whole ? NULL : &from, probe_by_code, func, out);
  g_byte_array_unref (search.code);
}

static void
handle_search (Server *server, Text *args, GString *out)
{
  handle_code (server, args, search_quietly, out);
}

static void
handle_search_progress (Server *server, Text *args, GString *out)
{
  handle_code (server, args, search_in_turns, out);
}

static void
handle_last (Server *server, Text *args, GString *out)
{
  handle_code (server, args, search_last, out);
}

static void
handle_begin (Server *server, Text *args, GString *out)
{
  Search search = { .server = server };
  Position from;
  gboolean whole = FALSE;

  parse_from (args, &from, &whole);
  if (!text_done (args))
    reply_malformed (out);
  else
    run_search (server, &search, whole ? NULL : &from, probe_by_client, search_quietly, out);
}

static void
handle_next (Server *server, Text *args, GString *out)
{
  static const struct
  {
    const char *word;
    Answer answer;
  } answers[] = { { ":good", ANSWER_GOOD }, { ":bad", ANSWER_BAD }, { ":stop", ANSWER_STOP }, { ":", ANSWER_GO_ON } };

  if (server->search == NULL || !server->search->waiting)
    {
      reply_message (out, "no search is going on");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (answers); i++)
    if (text_accept_word (args, answers[i].word))
      {
        if (!text_done (args))
          break;
        server->search->answer = answers[i].answer;
        /* The next probe, or the result, is the reply.  */
        server->no_reply = TRUE;
        return;
      }
  reply_malformed (out);
}

/* ---- From the instruction to the statement ---- */

static void
finish_rewind (Server *server, gboolean ok, GError *error, GString *out)
{
  if (!ok)
    {
      reply_error (out, error);
      return;
    }
  server_moved (server);
  server->stop.thread = server->general = session_current_thread (server->session);
  put_moment (server, out);
}

static void
handle_rewind (Server *server, Text *args, GString *out)
{
  GError *error = NULL;
  Addr start, end;
  gboolean ok;

  text_expect (args, ':');
  start = text_hex (args);
  text_expect (args, ',');
  end = text_hex (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  ok = writes_end_divert (server->writes, &error) && session_rewind (server->session, start, end, &error);
  finish_rewind (server, ok, error, out);
}

static void
handle_rewind_call (Server *server, Text *args, GString *out)
{
  GError *error = NULL;
  Addr start, return_addr, stack;
  gboolean ok;

  text_expect (args, ':');
  start = text_hex (args);
  text_expect (args, ',');
  return_addr = text_hex (args);
  text_expect (args, ',');
  stack = text_hex (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  ok = writes_end_divert (server->writes, &error)
       && session_rewind_call (server->session, start, return_addr, stack, &error);
  finish_rewind (server, ok, error, out);
}

const PacketRow search_packets[] = {
  { "QRetro:Search", ROW_SESSION | ROW_MOVES, handle_search },
  { "QRetro:SearchProgress", ROW_SESSION | ROW_MOVES, handle_search_progress },
  { "QRetro:SearchBegin", ROW_SESSION | ROW_MOVES, handle_begin },
  { "QRetro:SearchNext", ROW_SESSION, handle_next },
  { "QRetro:Last", ROW_SESSION | ROW_MOVES, handle_last },
  { "QRetro:Rewind", ROW_SESSION | ROW_MOVES, handle_rewind },
  { "QRetro:RewindCall", ROW_SESSION | ROW_MOVES, handle_rewind_call },
  { NULL, 0, NULL },
};
