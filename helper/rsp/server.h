/* What the files of rsp/ share: the Server and the tables of packets.

   A packet's life:

     wire_read -> dispatch (longest name in the tables) -> row's handler,
     which reads its arguments (rsp/text.h), asks or moves the session and
     writes the reply -> wire_send

   Each file has a table of the packets it answers.  Nothing outside of
   this folder sees packets, and nothing in it knows how time is moved.  */

#ifndef RETRO_RSP_SERVER_H
#define RETRO_RSP_SERVER_H

#include "rsp/registers.h"
#include "rsp/serve.h"
#include "rsp/text.h"
#include "rsp/wire.h"
#include "rsp/writes.h"

typedef struct _Search Search;
typedef struct _TrapTable TrapTable;
typedef struct _HostFiles HostFiles;

/* What the client said it understands.  */
typedef struct
{
  gboolean multiprocess, swbreak, hwbreak, fork_events, vfork_events, exec_events;
} ClientFeatures;

/* Of the next run.  */
typedef struct
{
  char **argv;          /* program and arguments of the last run  */
  GHashTable *env_set;  /* name to value  */
  GHashTable *env_unset;
  char *cwd;            /* or NULL  */
  gboolean shell;       /* expand arguments as a shell would  */
} RunSettings;

struct _Server
{
  Wire *wire;
  const ServeOptions *options;
  SessionOptions session_options; /* those of the next session  */
  Session *session;               /* NULL: no program  */
  gboolean attached;              /* to a process that was there before  */
  ClientFeatures client;
  RunSettings run;
  Writes *writes;
  TrapTable *traps;
  HostFiles *files;
  Search *search;                 /* going on, or NULL  */
  gint64 general_pid;             /* of Hg if it is not the program's, else 0  */
  ThreadNo general, resume;       /* Hg, Hc; NO_THREAD: any  */
  Stop stop;                      /* the last  */
  gboolean ended;                 /* the program has ended ...  */
  Stop end;                       /* ... thus ...  */
  Position end_position;          /* ... after this  */
  gboolean said_signals;          /* that those of the past do not change  */
  gboolean vfork_done;            /* to be reported at the next resumption  */
  gboolean thread_events;
  guint64 pass_signals;           /* QPassSignals  */
  Addr tls_module_field;          /* see tls.c; 0: not known  */
  GArray *catch_calls;            /* QCatchSyscalls: of gint64; NULL: none  */
  gboolean no_reply;              /* the handler has answered, or will  */
  gboolean quit;
};

#define ROW_SESSION (1u << 0) /* needs a program  */
#define ROW_MOVES (1u << 1)   /* refused while a search goes on  */

typedef struct
{
  const char *name; /* NULL ends a table.  If it ends in a letter the packet goes on with another character  */
  guint flags;
  void (*handle) (Server *server, Text *args, GString *out);
} PacketRow;

extern const PacketRow query_packets[], memory_packets[], register_packets[], trap_packets[],
  resume_packets[], process_packets[], thread_packets[], xfer_packets[], file_packets[], monitor_packets[], tls_packets[],
  retro_packets[], search_packets[];

/* server.c: read one packet and answer it; FALSE when the client has gone.  */
gboolean server_turn (Server *server);
/* Take SESSION (ends the one there is).  */
void server_set_session (Server *server, Session *session);
void server_end_session (Server *server);
/* Tell the session which events the client wants to hear of.  */
void server_update_events (Server *server);
/* Time was moved otherwise than by a resumption: forget what was staged,
   select the thread that runs here.  */
void server_moved (Server *server);
/* A remark for the user, now (on notice_fd): a line.  */
void server_notice (Server *server, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* threads.c  */
void put_thread (Server *server, GString *out, ThreadNo thread);
/* The thread that ID names here; TEXT_ANY and TEXT_ALL: the current one.
   NO_THREAD if there is none.  */
ThreadNo server_find_thread (Server *server, ThreadId id);
/* Thread of Hg, or the current one.  */
ThreadNo server_general_thread (Server *server);
gboolean server_thread_is_alive (Server *server, ThreadNo thread);

/* stop.c: the stop reply of server->stop.  */
void put_stop (Server *server, GString *out);
/* GDB's number of a signal of the host's, and back (0: none).  */
int signal_to_gdb (int signo);
int signal_from_gdb (int number);

/* resume.c: the program ends: W or X of server->end.  */
void put_end (Server *server, GString *out);

/* process.c  */
void run_settings_init (RunSettings *run);
void run_settings_clear (RunSettings *run);
/* Start server->run.argv.  */
gboolean server_start (Server *server, GError **error);

/* traps.c  */
TrapTable *trap_table_new (void);
void trap_table_free (TrapTable *traps);
/* Put all into a new session.  */
void trap_table_reinsert (Server *server);
/* Type digit of the packet that a breakpoint at ADDR came from; -1.  */
int trap_table_kind (const TrapTable *traps, Addr addr);

/* hostio.c  */
HostFiles *host_files_new (void);
void host_files_free (HostFiles *files);

/* retro.c, for monitor.c and search.c as well.  */
void put_position (GString *out, const char *key, const Position *position);
gboolean text_position (Text *args, Position *position_ret);
void put_moment (Server *server, GString *out);
gboolean server_seek_part (Server *server, guint64 millionths, GError **error);

#endif
