/* The protocol server over a mock session: framing, each family of
   packets, what writes mean, and searches.  A real GDB and real programs
   are the concern of testsuite/serve.  */

#include "unit/rsp-client.h"
#include "unit/rsp-mock.h"

#define SUPPORTED "qSupported:multiprocess+;swbreak+;hwbreak+;fork-events+;exec-events+"

#define ask_is(c, packet, reply) g_assert_cmpstr (client_ask (c, packet), ==, reply)
#define ask_begins(c, packet, reply)                                                                                    \
  do                                                                                                                    \
    {                                                                                                                   \
      const char *got_ = client_ask (c, packet);                                                                        \
                                                                                                                        \
      if (!g_str_has_prefix (got_, reply))                                                                              \
        g_error ("%s: %s instead of %s", packet, got_, reply);                                                          \
    }                                                                                                                   \
  while (0)
#define ask_has(c, packet, part) g_assert_nonnull (strstr (client_ask (c, packet), part))

/* A client past the greeting, with the mock program started.  */
static Client *
start (void)
{
  Client *c = client_new ();

  mock_pokes = mock_runs = 0;
  mock_two_threads = FALSE;
  mock_interrupt = NULL;
  ask_begins (c, SUPPORTED, "PacketSize=");
  ask_is (c, "QStartNoAckMode", "OK");
  ask_begins (c, "vRun;", "T05");
  return c;
}

/* ---- Framing ---- */

static void
test_acks (void)
{
  Client *c = client_new ();

  /* Noise, then a packet with a wrong sum: asked for again.  */
  client_send_bytes (c, "abc+$qC#00", 10);
  g_assert_cmpint (client_get_byte (c), ==, '-');
  client_send (c, "!");
  g_assert_cmpint (client_get_byte (c), ==, '+');
  g_assert_cmpstr (client_reply (c), ==, "OK");
  /* The reply was not understood: once more.  */
  client_send_bytes (c, "-", 1);
  g_assert_cmpstr (client_reply (c), ==, "OK");
  ask_is (c, "QStartNoAckMode", "OK");
  /* From now on there is no asking again.  */
  client_send_bytes (c, "+$qC#00", 7);
  g_assert_cmpstr (client_reply (c), ==, "E01");
  client_free (c);
}

static void
test_huge (void)
{
  Client *c = start ();
  gsize length = 3u << 20;
  g_autofree char *data = g_malloc (length);

  memset (data, 'm', length);
  client_send_data (c, data, length);
  g_assert_cmpstr (client_reply (c), ==, "E01");
  /* The stream is in order again.  */
  ask_begins (c, "?", "T05");
  client_free (c);
}

/* The client goes in the middle of a packet; client_free would hang if the
   server did not end.  */
static void
test_truncated (void)
{
  Client *c = start ();

  client_send_bytes (c, "$m1000,", 7);
  client_free (c);
}

static void
test_escapes (void)
{
  Client *c = start ();

  client_send_data (c, "Xa000,5:a}\x03}]}\x04" "b", 16);
  g_assert_cmpstr (client_reply (c), ==, "OK");
  ask_is (c, "ma000,5", "61237d2462");
  client_send_data (c, "Xa000,5:a}", 10);
  g_assert_cmpstr (client_reply (c), ==, "E01");
  client_free (c);
}

/* ---- Malformed and unknown ---- */

static void
test_malformed (void)
{
  static const char *const packets[] = {
    "m", "m,", "m1000", "m1000,", "m1000,zz", "m11112222333344445,1", "mffff0000,4,", "M1000,2:00", "M1000,1:0", "M1000,1:zz",
    "X1000,4:ab", "p", "pffff", "P0", "P0=00", "P0=000000000000000", "Pfff=00", "G00", "H", "Hx1", "Hg", "Hgp", "Hgp1.", "T",
    "Tp4d2.9999", "Z", "Z9,1000,1", "Z0", "Z0,1000", "Z0,1000,1;X", "Z0,1000,1;X5,00", "Z0,1000,1;Xffffffffff,00",
    "Z0,1000,1;X1,0", "Z0,1000,1;junk", "z0,1000", "vCont;", "vCont;q", "vCont;r", "vCont;r1000", "vCont;r1000,1004:", "vCont;c:",
    "cz", "vRun", "vRun;0", "vRun;zz", "vRun;00", "vAttach;", "vAttach;0", "vAttach;ffffffffff", "vKill", "D;x",
    "qXfer:auxv:read::0", "qXfer:auxv:read::,", "qXfer:auxv:read::0,10,", "QPassSignals", "QPassSignals:zz", "QCatchSyscalls:2",
    "QCatchSyscalls:1;", "QCatchSyscalls:x", "QStartupWithShell:2", "QEnvironmentHexEncoded:41", "QEnvironmentUnset:", "QSetWorkingDir:0",
    "QDisableRandomization:", "QThreadEvents:2", "vFile:open:2f", "vFile:setfs:", "vFile:unlink:0", "qRcmd,0", "qRcmd",
    "qSearch:memory:1000;10", "qSearch:memory:1000;10;", "qThreadExtraInfo,", "qRetro:Position:", "qRetro:Event", "qRetro:Event:",
    "QRetro:Seek", "QRetro:Seek:nowhere", "QRetro:Checkpoint:0", "QRetro:DeleteCheckpoint", "QRetro:Set:seed", "QRetro:Set:x=1",
    "QRetro:Search:begin", "QRetro:Search:begin:", "QRetro:Search:1,2:00", "QRetro:SearchBegin", "QRetro:SearchBegin:1,2", "QRetro:Last:begin:0",
    "QRetro:Save:0", "QRetro:Save:61:1,2",
  };
  Client *c = start ();

  for (gsize i = 0; i < G_N_ELEMENTS (packets); i++)
    {
      const char *reply = client_ask (c, packets[i]);

      if (reply[0] != 'E')
        g_error ("%s: %s", packets[i], reply);
    }
  /* vKill without argument and such must not have hurt.  */
  ask_begins (c, "qRetro:Position", "now=");
  client_free (c);
}

static void
test_unknown (void)
{
  static const char *const packets[] = { "vMustReplyEmpty", "qNoSuchThing", "vFoo;1", "QBar:1", "y", "qCRC:0,1", "qXfer:nothing:read::0,1", "" };
  Client *c = start ();

  for (gsize i = 0; i < G_N_ELEMENTS (packets); i++)
    ask_is (c, packets[i], "");
  client_free (c);
}

/* Every packet when there is no program.  */
static void
test_without_program (void)
{
  static const char *const packets[] = { "g", "p0", "P0=0000000000000000", "m1000,4", "M1000,1:00", "vCont;c", "c", "s", "bs", "bc", "Z0,1000,1", "z0,1000,1",
                                         "T1", "D", "qRetro:Position", "qRetro:Timeline", "QRetro:Seek:begin", "QRetro:Divert",
                                         "QRetro:Search:begin:27", "qXfer:auxv:read::0,10", "qThreadExtraInfo,1" };
  Client *c = client_new ();

  ask_begins (c, SUPPORTED, "PacketSize=");
  ask_is (c, "?", "W00");
  ask_is (c, "qfThreadInfo", "l");
  ask_is (c, "qC", "");
  ask_is (c, "Hg0", "OK");
  ask_is (c, "qRetro:Version", "version=1");
  for (gsize i = 0; i < G_N_ELEMENTS (packets); i++)
    ask_begins (c, packets[i], "E");
  g_assert_nonnull (strstr (client_monitor (c, "seek begin"), "No program"));
  client_free (c);
}

/* ---- Registers ---- */

static void
test_registers (void)
{
  Client *c = start ();
  const char *all = client_ask (c, "g");
  const char *xml;

  /* rbx, and what the mock has not got.  */
  g_assert_true (g_str_has_prefix (all + 16, "8877665544332211"));
  g_assert_nonnull (strstr (all, "xxxxxxxx"));
  ask_is (c, "p1", "8877665544332211");
  ask_is (c, "P1=0100000000000000", "OK");
  ask_is (c, "p1", "0100000000000000");
  ask_is (c, "P28=00000000000000000000000000000000", "E.register xmm0 is not available");
  ask_begins (c, "qXfer:features:read:other.xml:0,100", "E");
  xml = client_ask (c, "qXfer:features:read:target.xml:0,1ffff");
  g_assert_cmpint (xml[0], ==, 'l');
  g_assert_nonnull (strstr (xml, "<reg name=\"rip\" bitsize=\"64\" type=\"code_ptr\" regnum=\"16\"/>"));
  g_assert_nonnull (strstr (xml, "org.gnu.gdb.i386.segments"));
  ask_begins (c, "qXfer:features:read:target.xml:0,10", "m<?xml version=\"1");
  ask_is (c, "qXfer:features:read:target.xml:fffff,10", "l");
  client_free (c);
}

/* ---- Moving ---- */

static void
test_movement (void)
{
  Client *c = start ();

  ask_has (c, "vCont;s:p4d2.4d2;c:p4d2.-1", "10:0410000000000000;");
  ask_has (c, "s", "10:0810000000000000;");
  ask_has (c, "bs", "10:0410000000000000;");
  ask_is (c, "Z0,1010,1", "OK");
  ask_begins (c, "vCont;c:p4d2.-1", "T05swbreak:;thread:p4d2.4d2;");
  ask_has (c, "bc", "T05replaylog:begin;");
  ask_begins (c, "vCont;c", "T05swbreak:;");
  ask_is (c, "z0,1010,1", "OK");
  ask_is (c, "Z1,1020,1", "OK");
  ask_begins (c, "c", "T05hwbreak:;");
  ask_is (c, "Z2,9000,8", "OK");
  ask_begins (c, "c", "T05watch:9000;");
  ask_is (c, "z2,9000,8", "OK");
  ask_is (c, "Z3,3000,8", "OK");
  ask_is (c, "Z3,3008,8", "OK");
  ask_is (c, "Z4,3010,8", "OK");
  ask_is (c, "Z4,3018,8", "OK");
  ask_begins (c, "Z4,3020,8", "E.four watchpoints");
  client_free (c);
}

/* The end is shown first, and only then told.  */
static void
test_end (void)
{
  Client *c = start ();

  ask_begins (c, "vCont;c", "T05replaylog:end;");
  g_assert_nonnull (strstr (c->console->str, "exited with status 7"));
  ask_begins (c, "bs", "T05thread");
  ask_begins (c, "vCont;c", "T05replaylog:end;");
  ask_is (c, "vCont;c", "W07;process:4d2");
  ask_is (c, "?", "W00");
  ask_begins (c, "vRun;", "T05");
  client_free (c);
}

static void
test_conditions (void)
{
  Client *c = start ();

  /* *(int *) 0x9000 == 5: const16 9000, ref32, const8 5, equal, end.  */
  ask_is (c, "Z0,1014,1;X8,2390001922051327", "OK");
  ask_begins (c, "vCont;c", "T05swbreak:;");
  ask_has (c, "?", "10:1410000000000000;");
  ask_begins (c, "bc", "T05replaylog:begin;");
  /* == 6 never holds there, $rbx == 0x1122334455667788 always.  */
  ask_is (c, "Z0,1014,1;X8,2390001922061327", "OK");
  ask_begins (c, "vCont;c", "T05replaylog:end;");
  ask_begins (c, "bc", "T05replaylog:begin;");
  ask_is (c, "Z0,1014,1;X8,2390001922061327;Xe,260001251122334455667788" "1327", "OK");
  ask_begins (c, "vCont;c", "T05swbreak:;");
  /* What cannot be evaluated stops.  */
  ask_begins (c, "bc", "T05replaylog:begin;");
  ask_is (c, "Z0,1014,1;X2,1927", "OK");
  ask_begins (c, "vCont;c", "T05swbreak:;");
  client_free (c);
}

/* The mock asks at every step; the 0x03 waits behind the packet.  */
static void
test_interrupt (void)
{
  Client *c = start ();

  client_send_bytes (c, "$vCont;c#a8\x03", 12);
  ask_begins (c, "?", "T02");
  client_free (c);
}

static void
test_run (void)
{
  Client *c = client_new ();

  ask_begins (c, "vRun;2f6e6f6e6578697374656e74", "E./nonexistent: No such file");
  /* /bin/p a $RETRO_X < /dev/null */
  ask_is (c, "QEnvironmentHexEncoded:524554524f5f583d31", "OK");
  ask_begins (c, "vRun;2f62696e2f70;61;3c;2f6465762f6e756c6c;62", "T05");
  g_assert_cmpstr (mock_argv, ==, "/bin/p|a|b");
  ask_is (c, "QStartupWithShell:0", "OK");
  ask_begins (c, "vRun;;61;3c;2f6465762f6e756c6c", "T05");
  g_assert_cmpstr (mock_argv, ==, "/bin/p|a|<|/dev/null");
  ask_is (c, "vKill;4d2", "OK");
  ask_is (c, "?", "W00");
  ask_is (c, "QPassSignals:e;14", "OK");
  ask_begins (c, "vRun;", "T05");
  /* SIGALRM 14 and SIGCHLD 20 (the host's 17).  */
  g_assert_cmpuint (mock_pass_mask, ==, 1u << 14 | 1u << 17);
  ask_is (c, "D;1", "OK");
  ask_begins (c, "?", "T05");
  ask_is (c, "D;4d2", "OK");
  ask_is (c, "?", "W00");
  client_free (c);
}

static void
test_threads (void)
{
  Client *c = start ();

  mock_two_threads = TRUE;
  ask_is (c, "qfThreadInfo", "mp4d2.4d2,p4d2.4d3");
  ask_is (c, "qsThreadInfo", "l");
  ask_is (c, "qC", "QCp4d2.4d2");
  ask_is (c, "Hgp4d2.4d3", "OK");
  ask_is (c, "qC", "QCp4d2.4d3");
  ask_is (c, "Tp4d2.4d3", "OK");
  ask_is (c, "qThreadExtraInfo,p4d2.4d3", "6d6f3c636b");
  ask_has (c, "qXfer:threads:read::0,1000", "<thread id=\"p4d2.4d3\" core=\"0\" name=\"mo&lt;ck\"/>");
  ask_is (c, "qXfer:auxv:read::0,100", "la}\x03u}]x}\nv}\x04");
  ask_is (c, "qXfer:auxv:read::1,1", "m}\x03");
  ask_is (c, "qXfer:exec-file:read::0,100", "l/bin/mock");
  client_free (c);
}

/* ---- Writes ---- */

/* What GDB sends to call FUNCTION (ARG): dummy frame at 0x7f00.  */
static void
send_call (Client *c, const char *function, const char *arg)
{
  g_autofree char *pc = g_strdup_printf ("P10=%s", function);
  g_autofree char *rdi = g_strdup_printf ("P5=%s", arg);

  ask_is (c, "M7f0f,1:cc", "OK");
  ask_is (c, "M7f00,8:0f7f000000000000", "OK");
  ask_is (c, rdi, "OK");
  ask_is (c, "P7=007f000000000000", "OK");
  ask_is (c, pc, "OK");
  ask_is (c, "Z0,7f0f,1", "OK");
  ask_begins (c, "vCont;c:p4d2.-1", "T05swbreak:;");
  ask_has (c, "?", "10:0f7f000000000000;");
}

static void
send_restore (Client *c)
{
  ask_is (c, "z0,7f0f,1", "OK");
  ask_is (c, "P0=0000000000000000", "OK");
  ask_is (c, "P5=0000000000000000", "OK");
  ask_is (c, "P7=0080000000000000", "OK");
  ask_is (c, "P10=0010000000000000", "OK");
}

#define FUNCTION "0018000000000000"
#define MALLOC "0019000000000000"

static void
test_call (void)
{
  Client *c = start ();

  send_call (c, FUNCTION, "0500000000000000");
  ask_is (c, "p0", "0600000000000000");
  ask_is (c, "m9008,1", "01");
  send_restore (c);
  /* Harmless: history is shown at once.  */
  ask_is (c, "m9008,1", "00");
  ask_is (c, "p10", "0010000000000000");
  /* A second call finds history, too.  */
  send_call (c, FUNCTION, "0500000000000000");
  ask_is (c, "m9008,1", "01");
  send_restore (c);
  ask_begins (c, "vCont;s:p4d2.4d2", "T05thread");
  ask_is (c, "m9008,1", "00");
  g_assert_cmpuint (mock_pokes, ==, 0);
  client_free (c);
}

/* print f ("xy"): malloc is called, written to, and given to f.  */
static void
test_literal (void)
{
  Client *c = start ();

  send_call (c, MALLOC, "0300000000000000");
  ask_is (c, "p0", "00a0000000000000");
  send_restore (c);
  ask_is (c, "Ma000,3:787900", "OK");
  ask_is (c, "ma000,3", "787900");
  send_call (c, FUNCTION, "00a0000000000000");
  /* The same copy: malloc has counted as well.  */
  ask_is (c, "m9008,1", "02");
  ask_is (c, "ma000,5", "6d61646500");
  send_restore (c);
  ask_is (c, "m9008,1", "00");
  /* What the result reaches is still to be seen.  */
  ask_is (c, "ma001,4", "61646500");
  ask_has (c, "bc", "replaylog:begin");
  ask_is (c, "ma001,4", "00000000");
  g_assert_cmpuint (mock_pokes, ==, 0);
  client_free (c);
}

/* A call that ends the program stands at its start again.  */
static void
test_call_exits (void)
{
  Client *c = start ();

  ask_is (c, "M7f00,8:0f7f000000000000", "OK");
  ask_is (c, "P7=007f000000000000", "OK");
  ask_is (c, "P10=001a000000000000", "OK");
  ask_is (c, "Z0,7f0f,1", "OK");
  ask_begins (c, "vCont;c:p4d2.-1", "T09");
  g_assert_nonnull (strstr (c->console->str, "Nothing of that has happened"));
  ask_is (c, "p10", "001a000000000000");
  ask_is (c, "P7=0080000000000000", "OK");
  ask_is (c, "P10=0010000000000000", "OK");
  ask_is (c, "m7f00,8", "0f7f000000000000");
  ask_has (c, "vCont;s", "10:0410000000000000");
  ask_is (c, "m7f00,8", "0000000000000000");
  client_free (c);
}

static void
test_set (void)
{
  Client *c = start ();

  /* At the frontier: history.  */
  ask_is (c, "M9010,1:2a", "OK");
  ask_is (c, "P1=0700000000000000", "OK");
  g_assert_cmpuint (mock_pokes, ==, 1);
  ask_has (c, "vCont;s", "10:0410000000000000");
  g_assert_cmpuint (mock_pokes, ==, 2);
  ask_is (c, "m9010,1", "2a");
  ask_is (c, "p1", "0700000000000000");
  /* After a call it still is.  */
  ask_has (c, "bc", "replaylog:begin");
  ask_is (c, "QRetro:Seek:end", client_ask (c, "QRetro:Seek:end"));
  ask_is (c, "M9010,1:2b", "OK");
  g_assert_cmpuint (mock_pokes, ==, 3);
  /* In the past: until time moves.  */
  ask_has (c, "bs", "10:0010000000000000");
  ask_is (c, "M9010,1:63", "OK");
  ask_is (c, "P1=0900000000000000", "OK");
  ask_is (c, "m9010,1", "63");
  ask_has (c, "vCont;s", "10:0410000000000000");
  ask_is (c, "m9010,1", "2b");
  ask_is (c, "p1", "0700000000000000");
  g_assert_cmpuint (mock_pokes, ==, 3);
  ask_begins (c, "Mfffff,1:00", "E.no memory there");
  client_free (c);
}

static void
test_divert (void)
{
  Client *c = start ();

  ask_is (c, "QRetro:Divert", "OK");
  ask_is (c, "M9010,1:2a", "OK");
  ask_is (c, "P1=0700000000000000", "OK");
  ask_is (c, "p1", "0700000000000000");
  ask_has (c, "qRetro:Position", "diversion=1");
  ask_is (c, "QRetro:EndDivert", "OK");
  ask_is (c, "m9010,1", "00");
  ask_is (c, "p1", "8877665544332211");
  ask_is (c, "QRetro:EndDivert", "OK");
  client_free (c);
}

/* ---- Retro's own ---- */

static void
test_retro (void)
{
  Client *c = start ();

  ask_is (c, "Z0,1028,1", "OK");
  ask_begins (c, "vCont;c", "T05swbreak");
  ask_is (c, "qRetro:Position", "now=a,0,0,0,1028;thread=p4d2.4d2;live=1;frontier=1;begin=0;diversion=0;time=2710;ended=0");
  ask_is (c, "QRetro:Checkpoint:61", "number=1;name=61;at=a,0,0,0,1028;thread=p4d2.4d2;time=2710");
  ask_begins (c, "QRetro:Seek:part:7a120", "now=5,");
  ask_begins (c, "QRetro:Seek:event:2", "now=2,");
  ask_begins (c, "QRetro:Seek:position:3,0,0,0", "now=3,");
  ask_begins (c, "QRetro:Checkpoint", "number=2;name=;at=3,");
  ask_begins (c, "qRetro:Checkpoints", "count=2|number=1;name=61;at=a,0,0,0,1028;thread=p4d2.4d2;time=2710|number=2;");
  ask_begins (c, "QRetro:Seek:checkpoint:61", "now=a,");
  ask_begins (c, "QRetro:Seek:checkpoint:62", "E.No checkpoint b.");
  ask_begins (c, "QRetro:Seek:begin", "now=0,");
  ask_begins (c, "QRetro:Seek:end", "now=a,");
  ask_is (c, "QRetro:Set:seed=2a", "OK");
  ask_is (c, "QRetro:Set:dir=2f78", "OK");
  ask_is (c, "qRetro:Settings", "snapshot-memory=0;snapshot-interval=0;seed=2a;dir=2f78");
  ask_is (c, "qRetro:Snapshots", "count=1|at=0,0,0,0,0");
  ask_is (c, "qRetro:Digest", "digest=a");
  client_free (c);
}

static void
test_monitor (void)
{
  Client *c = start ();

  g_assert_nonnull (strstr (client_monitor (c, "help"), "monitor info checkpoints"));
  g_assert_nonnull (strstr (client_monitor (c, "info checkpoints"), "No checkpoints"));
  ask_is (c, "Z0,1028,1", "OK");
  ask_begins (c, "vCont;c", "T05swbreak");
  g_assert_true (g_str_has_prefix (client_monitor (c, "checkpoint here"), "Checkpoint 1: event 10 of 0-10"));
  g_assert_nonnull (strstr (client_monitor (c, "seek 50%"), "Now at event 5 of 0-10"));
  ask_has (c, "g", "");
  ask_is (c, "p10", "1410000000000000");
  g_assert_nonnull (strstr (client_monitor (c, "seek event 2"), "Now at event 2"));
  g_assert_nonnull (strstr (client_monitor (c, "rest here"), "Now at event 10"));
  g_assert_nonnull (strstr (client_monitor (c, "seek begin"), "(the beginning)"));
  g_assert_nonnull (strstr (client_monitor (c, "restart 1"), "(the present)"));
  g_assert_nonnull (strstr (client_monitor (c, "restart 9"), "No checkpoint 9."));
  g_assert_nonnull (strstr (client_monitor (c, "info timeline"), "Here: event 10"));
  g_assert_nonnull (strstr (client_monitor (c, "set snapshot-memory 200M"), "209.7 MB"));
  g_assert_nonnull (strstr (client_monitor (c, "set snapshot-memory x"), "Not a size"));
  g_assert_nonnull (strstr (client_monitor (c, "seek 101%"), "Where to?"));
  g_assert_nonnull (strstr (client_monitor (c, "s"), "No such command"));
  g_assert_nonnull (strstr (client_monitor (c, ""), "No such command"));
  g_assert_nonnull (strstr (client_monitor (c, "save /x from here"), "retro replay /x"));
  client_free (c);
}

static void
test_search (void)
{
  Client *c = start ();

  ask_is (c, "Z0,10c8,1", "OK");
  ask_begins (c, "vCont;c", "T05swbreak");
  /* *(int *) 0x9000 > 17, that is 17 < it: bad.  const8 17, const16 9000, ref32, less_signed, end.  */
  ask_begins (c, "QRetro:Search:begin:22112390001914" "27", "found;now=11,0,0,0,1044;thread=p4d2.4d2;by-event=0;event=11;");
  ask_begins (c, "QRetro:Seek:end", "now=32,");
  client_send (c, "QRetro:SearchBegin:begin");
  for (;;)
    {
      const char *reply = client_reply (c);
      gboolean bad;

      if (g_str_has_prefix (reply, "found;"))
        {
          g_assert_true (g_str_has_prefix (reply, "found;now=11,"));
          break;
        }
      g_assert_true (g_str_has_prefix (reply, "probe;now="));
      /* Time does not move meanwhile, but functions may be called.  */
      ask_is (c, "QRetro:Seek:begin", "E.a search is going on");
      ask_begins (c, "vCont;c", "T00");
      ask_begins (c, "bs", "T00");
      ask_is (c, "QRetro:SearchBegin:begin", "E.a search is going on");
      ask_is (c, "QRetro:SearchNext:perhaps", "E01");
      bad = strtoull (client_ask (c, "m9000,1"), NULL, 16) > 17;
      client_send (c, bad ? "QRetro:SearchNext:bad" : "QRetro:SearchNext:good");
    }
  ask_begins (c, "QRetro:SearchNext:good", "E.no search");
  /* Stopped: where we were.  */
  ask_begins (c, "QRetro:Seek:end", "now=32,");
  ask_begins (c, "QRetro:SearchBegin:begin", "probe;");
  ask_begins (c, "QRetro:SearchNext:stop", "E.");
  ask_begins (c, "qRetro:Position", "now=32,");
  /* The client goes in the middle.  */
  ask_begins (c, "QRetro:SearchBegin:begin", "probe;");
  client_free (c);
}

/* The last flip, by watchpoints.  */
static void
test_last (void)
{
  Client *c = start ();

  ask_is (c, "Z0,10c8,1", "OK");
  ask_begins (c, "vCont;c", "T05swbreak");
  ask_begins (c, "QRetro:Last:begin:2211239000191427", "found;now=11,");
  /* The breakpoint is still there.  */
  ask_begins (c, "vCont;c", "T05swbreak");
  /* Always so.  */
  ask_begins (c, "QRetro:Last:begin:220127", "E.");
  ask_begins (c, "qRetro:Position", "now=32,");
  client_free (c);
}

/* To the beginning of a statement, or of a call.  */
static void
test_rewind (void)
{
  Client *c = start ();

  ask_is (c, "Z0,10c8,1", "OK");
  ask_begins (c, "vCont;c", "T05swbreak");
  ask_is (c, "QRetro:Rewind:10c8", "E01");
  ask_is (c, "QRetro:Rewind:10c8,10d0,1", "E01");
  ask_is (c, "QRetro:RewindCall:10c8,10d0", "E01");
  ask_begins (c, "QRetro:Rewind:1,2", "E.");
  ask_begins (c, "QRetro:Rewind:10c0,10d0", "now=");
  ask_begins (c, "QRetro:RewindCall:10b8,10d0,0", "now=");
  client_free (c);
}

static void
test_files (void)
{
  Client *c = start ();

  ask_is (c, "vFile:setfs:0", "F0");
  ask_is (c, "vFile:open:2f6e6f6e6578697374656e74,0,0", "F-1,2");
  /* /proc/1234/maps is the session's.  */
  g_assert_true (g_str_has_prefix (client_ask (c, "vFile:open:2f70726f632f313233342f6d617073,0,0"), "F"));
  {
    const char *fd = client_ask (c, "vFile:open:2f70726f632f313233342f6d617073,0,0") + 1;
    g_autofree char *read_it = g_strdup_printf ("vFile:pread:%s,8,0", fd);
    g_autofree char *stat_it = g_strdup_printf ("vFile:fstat:%s", fd);
    g_autofree char *close_it = g_strdup_printf ("vFile:close:%s", fd);

    ask_is (c, read_it, "F8;00001000");
    ask_begins (c, stat_it, "F40;");
    ask_is (c, close_it, "F0");
    ask_is (c, read_it, "F-1,9");
    ask_is (c, close_it, "F-1,9");
  }
  /* Not a descriptor of the client's.  */
  ask_is (c, "vFile:close:0", "F-1,9");
  ask_is (c, "vFile:pwrite:1,0,abc", "F-1,9");
  ask_is (c, "qSearch:memory:1000;7000;\x01", "0");
  ask_begins (c, "M3456,2:6162", "OK");
  ask_is (c, "qSearch:memory:1000;7000;ab", "1,3456");
  client_free (c);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rsp/acks", test_acks);
  g_test_add_func ("/rsp/huge", test_huge);
  g_test_add_func ("/rsp/truncated", test_truncated);
  g_test_add_func ("/rsp/escapes", test_escapes);
  g_test_add_func ("/rsp/malformed", test_malformed);
  g_test_add_func ("/rsp/unknown", test_unknown);
  g_test_add_func ("/rsp/without-program", test_without_program);
  g_test_add_func ("/rsp/registers", test_registers);
  g_test_add_func ("/rsp/movement", test_movement);
  g_test_add_func ("/rsp/end", test_end);
  g_test_add_func ("/rsp/conditions", test_conditions);
  g_test_add_func ("/rsp/interrupt", test_interrupt);
  g_test_add_func ("/rsp/run", test_run);
  g_test_add_func ("/rsp/threads", test_threads);
  g_test_add_func ("/rsp/call", test_call);
  g_test_add_func ("/rsp/literal", test_literal);
  g_test_add_func ("/rsp/call-exits", test_call_exits);
  g_test_add_func ("/rsp/set", test_set);
  g_test_add_func ("/rsp/divert", test_divert);
  g_test_add_func ("/rsp/retro", test_retro);
  g_test_add_func ("/rsp/monitor", test_monitor);
  g_test_add_func ("/rsp/search", test_search);
  g_test_add_func ("/rsp/last", test_last);
  g_test_add_func ("/rsp/rewind", test_rewind);
  g_test_add_func ("/rsp/files", test_files);
  return g_test_run ();
}
