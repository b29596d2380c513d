/* Packets that agree on things: features, acknowledgements, what stops.

   The list of our features is one string; what the client says is read
   into server->client.  Settings that are the session's (system calls,
   signals) are kept by it, so they are accepted without a program only to
   be sent again by GDB at the next run, which it does.  */

#include "rsp/server.h"

#include <string.h>

static const struct
{
  const char *name;
  gsize offset;
} client_features[] = {
  { "multiprocess+", offsetof (ClientFeatures, multiprocess) },
  { "swbreak+", offsetof (ClientFeatures, swbreak) },
  { "hwbreak+", offsetof (ClientFeatures, hwbreak) },
  { "fork-events+", offsetof (ClientFeatures, fork_events) },
  { "vfork-events+", offsetof (ClientFeatures, vfork_events) },
  { "exec-events+", offsetof (ClientFeatures, exec_events) },
};

static const char our_features[]
  = "multiprocess+;swbreak+;hwbreak+;fork-events+;vfork-events+;exec-events+;vContSupported+;no-resumed+;"
    "QThreadEvents+;QStartNoAckMode+;ReverseStep+;ReverseContinue+;QPassSignals+;QProgramSignals+;QCatchSyscalls+;"
    "QNonStop-;QAgent-;ConditionalBreakpoints+;BreakpointCommands-;QStartupWithShell+;QEnvironmentHexEncoded+;"
    "QEnvironmentReset+;QEnvironmentUnset+;QSetWorkingDir+;QDisableRandomization+;qXfer:features:read+;"
    "qXfer:auxv:read+;qXfer:threads:read+;qXfer:siginfo:read+;qXfer:exec-file:read+;qXfer:libraries-svr4:read-;"
    "qXfer:memory-map:read-;qSearch:memory+;vFile:setfs+";

static void
handle_supported (Server *server, Text *args, GString *out)
{
  memset (&server->client, 0, sizeof server->client);
  if (text_accept (args, ':'))
    while (args->at < args->end)
      {
        g_autofree char *name = text_until (args, ';');

        text_accept (args, ';');
        for (gsize i = 0; i < G_N_ELEMENTS (client_features); i++)
          if (g_str_equal (name, client_features[i].name))
            *(gboolean *) ((char *) &server->client + client_features[i].offset) = TRUE;
      }
  server_update_events (server);
  g_string_printf (out, "PacketSize=%x;%s", WIRE_PACKET_SIZE, our_features);
}

static void
handle_no_acks (Server *server, Text *args, GString *out)
{
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  /* This packet itself is acknowledged still, its reply not waited for.  */
  wire_stop_acks (server->wire);
  reply_ok (out);
}

static void
handle_ok (Server *server G_GNUC_UNUSED, Text *args G_GNUC_UNUSED, GString *out)
{
  reply_ok (out);
}

static void
handle_nothing (Server *server G_GNUC_UNUSED, Text *args G_GNUC_UNUSED, GString *out G_GNUC_UNUSED)
{
}

/* GDB detaches from what it attached to, and kills what it started.  A
   recording is nothing to be killed.  */
static void
handle_attached (Server *server, Text *args G_GNUC_UNUSED, GString *out)
{
  g_string_assign (out, server->attached ? "1" : "0");
}

/* "QPassSignals:NN;NN": GDB's numbers.  */
static void
handle_pass_signals (Server *server, Text *args, GString *out)
{
  guint64 mask = 0;

  text_expect (args, ':');
  while (args->at < args->end && !args->failed)
    {
      int signo = signal_from_gdb ((int) (text_hex (args) & 0xff));

      if (signo > 0)
        mask |= G_GUINT64_CONSTANT (1) << (signo & 63);
      if (!text_accept (args, ';') && args->at < args->end)
        text_fail (args);
    }
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  if (server->session != NULL)
    session_pass_signals (server->session, mask);
  server->pass_signals = mask;
  reply_ok (out);
}

/* "QCatchSyscalls:0" or "QCatchSyscalls:1;NR;NR": none, these, or all.  */
static void
handle_catch_syscalls (Server *server, Text *args, GString *out)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint64 on;

  text_expect (args, ':');
  on = text_hex (args);
  while (text_accept (args, ';'))
    {
      gint64 number = text_signed_hex (args);

      g_array_append_val (numbers, number);
    }
  if (!text_done (args) || on > 1)
    {
      reply_malformed (out);
      return;
    }
  g_clear_pointer (&server->catch_calls, g_array_unref);
  if (on)
    server->catch_calls = g_steal_pointer (&numbers);
  if (server->session != NULL)
    session_catch_syscalls (server->session, server->catch_calls);
  reply_ok (out);
}

const PacketRow query_packets[] = {
  { "!", 0, handle_ok },
  { "qSupported", 0, handle_supported },
  { "QStartNoAckMode", 0, handle_no_acks },
  { "vMustReplyEmpty", 0, handle_nothing },
  { "qAttached", 0, handle_attached },
  { "qOffsets", 0, handle_nothing },
  { "qTStatus", 0, handle_nothing },
  { "QProgramSignals", 0, handle_ok },
  { "QPassSignals", 0, handle_pass_signals },
  { "QCatchSyscalls", 0, handle_catch_syscalls },
  { NULL, 0, NULL },
};
