/* What the extension asks of GDB, in C.

   Only the bridge (bridge*.cc) sees GDB's headers.  All else of gdb-ext is
   C that knows this page alone, so a new GDB is a matter of the bridge.

   GDB reports errors by C++ exceptions, which must not cross C.  So every
   function here that may fail catches them and returns FALSE or NULL with
   a GError in BRIDGE_ERROR; and what the bridge calls (commands, setters)
   returns the same way, upon which the bridge throws again.  Ctrl-C is the
   error BRIDGE_ERROR_QUIT: pass it on unchanged.

   All is called on GDB's main thread.  */

#ifndef RETRO_BRIDGE_H
#define RETRO_BRIDGE_H

#include <glib.h>

G_BEGIN_DECLS

#define BRIDGE_ERROR (bridge_error_quark ())
GQuark bridge_error_quark (void);

typedef enum
{
  BRIDGE_ERROR_FAILED,     /* what GDB says  */
  BRIDGE_ERROR_QUIT,       /* the user typed Ctrl-C  */
  BRIDGE_ERROR_FRAME,      /* an expression's frame or thread is not active  */
  BRIDGE_ERROR_CONNECTION, /* no helper, or it has gone  */
  BRIDGE_ERROR_REFUSED     /* the helper said no  */
} BridgeErrorCode;

/* Always FALSE.  */
gboolean bridge_fail (GError **error, BridgeErrorCode code, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* The first call, by GDB's loader through the bridge: register everything.  */
void extension_start (void);

/* ---- Output ---- */

void bridge_print (const char *format, ...) G_GNUC_PRINTF (1, 2);
void bridge_warn (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* A user at a terminal: not -batch, not MI, no script.  */
gboolean bridge_is_interactive (void);
/* Show LINE in place of the one before; NULL wipes it.  */
void bridge_show_progress (const char *line);
/* Has the user typed Ctrl-C since the last look?  Between these two calls, also
   where GDB has passed it on to the program.  */
void bridge_watch_quit (gboolean watch);
gboolean bridge_take_quit (void);

/* ---- Commands ---- */

/* ARGS is never NULL and has no blanks around it.  */
typedef gboolean (*BridgeRun) (const char *args, gboolean from_tty, GError **error);
typedef gboolean (*BridgeTest) (void);
/* The words that may stand at the last word of TEXT, all or those that
   fit; NULL: none.  Freed with g_strfreev.  */
typedef char **(*BridgeComplete) (const char *text);

typedef struct
{
  const char *prefix; /* "info", "delete"...; "" for a command of its own  */
  const char *name;
  BridgeRun run;
  BridgeTest when; /* GDB's command of that name runs where this says FALSE; NULL: ours always  */
  BridgeComplete complete;
  gboolean expression; /* complete expressions where `complete' has nothing  */
  const char *help;    /* GDB's conventions: a sentence, usage, prose  */
} BridgeCommand;

/* COMMAND is kept, so static.  One that exists is taken over: its own
   function runs where `when' says so.  */
void bridge_add_command (const BridgeCommand *command);

/* "help NAME" shows HELP and lists the commands; before the first of them.  */
void bridge_add_topic (const char *name, const char *help);

/* Make a prefix such as "info retro"'s own; with its list as its action.  */
void bridge_add_prefix (const char *prefix, const char *name, const char *help);

typedef struct
{
  const char *prefix, *name;
  /* Before GDB's function, where an error stops it; and after it, however
     it ended.  A movement need not be over then.  Either may be NULL.  */
  gboolean (*before) (const char *name, const char *args, gboolean from_tty, GError **error);
  void (*after) (const char *name);
} BridgeWrap;

/* Wrap GDB's own command.  */
void bridge_wrap_command (const BridgeWrap *wrap);
/* Before "jit-reader-load": GDB can have one reader, which we only pretend to
   be, so another load, of us or of a true reader, may have its place.  */
gboolean bridge_make_room_for_reader (const char *name, const char *args, gboolean from_tty, GError **error);

/* Run a command as if typed, but not by the user (no queries).  */
gboolean bridge_execute (const char *command, GError **error);
/* The same, to its end even if it moves the program; its output in
   *OUTPUT_RET (may be NULL).  */
gboolean bridge_execute_quietly (const char *command, char **output_ret, GError **error);

/* ---- Settings: set/show retro NAME ---- */

typedef enum
{
  BRIDGE_BOOLEAN,      /* "on" or "off"  */
  BRIDGE_AUTO_BOOLEAN, /* and "auto"  */
  BRIDGE_NUMBER,       /* unsigned  */
  BRIDGE_TEXT
} BridgeSettingKind;

typedef struct
{
  const char *name;
  BridgeSettingKind kind;
  const char *initial;
  const char *set_doc, *show_doc, *help;
  const char *shown; /* "Recording is %s."  */
  /* The value has changed; an error brings the former one back.  */
  gboolean (*changed) (const char *value, GError **error);
} BridgeSetting;

/* Kept, so static.  */
void bridge_add_setting (const BridgeSetting *setting);
/* The value as text, valid until it changes.  */
const char *bridge_get_setting (const char *name);

/* ---- Convenience variables ---- */

typedef enum
{
  BRIDGE_VOID,
  BRIDGE_INTEGER,
  BRIDGE_ADDRESS,
  BRIDGE_REAL
} BridgeValueKind;

typedef struct
{
  BridgeValueKind kind;
  gint64 integer; /* and addresses  */
  double real;
} BridgeValue;

/* $NAME, computed whenever it is read.  */
typedef void (*BridgeVariable) (BridgeValue *value_ret);
void bridge_add_variable (const char *name, BridgeVariable variable);

/* ---- The helper ---- */

/* Is the current target a remote one?  */
gboolean bridge_is_remote (void);
/* Is no target there that the user has chosen to run programs?  */
gboolean bridge_is_unconnected (void);
/* Is any target there, but the program's file?  */
gboolean bridge_has_target (void);
gboolean bridge_has_process (void);
/* Kill it.  With a QUESTION (may be NULL) the user is asked first, and "no" is
   the error REFUSAL.  */
gboolean bridge_kill (const char *question, const char *refusal, GError **error);
/* "target extended-remote | COMMAND", quietly.  COMMAND inherits the N
   descriptors FDS, besides the connection; GDB closes all others in it.  GDB
   reads the program's libraries itself then, not through the helper.  */
gboolean bridge_connect (const char *command, const int *fds, guint n, GError **error);
/* File name of the program, or NULL; absolute.  */
char *bridge_program (void);
/* Send a packet; the reply.  Waits as long as it takes; Ctrl-C sends the
   helper an interrupt, upon which it replies.  */
char *bridge_send_packet (const char *packet, GError **error);

/* ---- Here ---- */

/* The helper has moved: forget registers, frames and memory, and select
   THREAD ("pPID.TID" as in the protocol).  Threads that do not exist here
   stay in GDB's list until bridge_show_stop: the user may be brought back to
   them without having seen anything.  */
gboolean bridge_forget (const char *thread, GError **error);
/* The thread and frame that the user has selected; and select them again,
   where the program is as it was.  */
typedef struct _BridgeSelection BridgeSelection;
BridgeSelection *bridge_selection_new (void);
void bridge_selection_restore (const BridgeSelection *selection);
void bridge_selection_free (BridgeSelection *selection);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (BridgeSelection, bridge_selection_free)
/* Tell the user, displays and front ends where we are, as a stop does: where
   an inlined function begins, in its caller, but INSIDE it if so asked.  */
void bridge_show_stop (gboolean inside);
/* GDB's number of THREAD ("pPID.TID"), 0 if unknown; of the selected one.  */
int bridge_thread_number (const char *thread);
int bridge_selected_thread (void);
/* "add_edge () at graph.c:41", "strlen () from libc.so.6" or "??".  */
char *bridge_describe_pc (guint64 pc);

/* The innermost frame, and the nearest one that has a line to be shown: the
   same one if LEVEL is 0.  A line whose source file is there is better than
   one of a library whose file is not.  */
typedef struct
{
  guint64 pc;
  char *function;                /* name or NULL  */
  gboolean has_line;             /* the innermost frame; its source may be missing  */
  int level;                     /* of the frame with a line; -1: there is none  */
  guint64 line_start, line_end;  /* the code of its line that it is in  */
  guint64 return_addr, stack;    /* level > 0: where the call returns to, and $rsp before and after it  */
} BridgePlace;

gboolean bridge_find_place (BridgePlace *place_ret, GError **error);
void bridge_place_clear (BridgePlace *place);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BridgePlace, bridge_place_clear)

/* Is a called function that crashes to be unwound ("set unwindonsignal")?
   The former value; nobody hears of it.  */
gboolean bridge_set_unwinding (gboolean unwinds);

/* Make the user's breakpoints inert, quietly; calls nest.  */
void bridge_suspend_breakpoints (void);
void bridge_resume_breakpoints (void);

/* A thread that time brings back gets the number it had.  */
void bridge_keep_thread_numbers (void);
/* Catchpoints outlive the libraries that they are in.  */
void bridge_mend_probes (void);

/* What happens to the program, told to the extension.  Any may be NULL.  */
typedef struct
{
  void (*about_to_move) (void); /* before the program is resumed, not for a call  */
  void (*stopped) (void);       /* and the user will see it  */
  void (*gone) (void);          /* exited, killed, detached  */
  void (*prompt) (void);        /* before a prompt  */
} BridgeObserver;

void bridge_observe (const BridgeObserver *observer);

/* ---- Expressions ---- */

typedef struct _BridgeExpr BridgeExpr;

/* Parse TEXT in the selected frame, and remember that frame if TEXT has
   locals.  LOCATION: evaluate where it is now, and mean that place.  */
BridgeExpr *bridge_expr_new (const char *text, gboolean location, GError **error);
void bridge_expr_free (BridgeExpr *expr);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (BridgeExpr, bridge_expr_free)

/* Is the value a truth value: a comparison, a logical operator, a bool?  */
gboolean bridge_expr_is_condition (const BridgeExpr *expr);
gboolean bridge_expr_needs_frame (const BridgeExpr *expr);
/* Has its last evaluation called a function of the program?  */
gboolean bridge_expr_calls (const BridgeExpr *expr);

typedef struct
{
  GBytes *bytes; /* the contents  */
  gboolean truth; /* not zero (scalars only)  */
  char *text;    /* as print shows it, shortened  */
} BridgeResult;

/* Evaluate here.  Not in its frame's life: BRIDGE_ERROR_FRAME.  A function
   that crashes while it is called is an error, of which nothing is shown.  */
gboolean bridge_expr_evaluate (BridgeExpr *expr, BridgeResult *result_ret, GError **error);
void bridge_result_clear (BridgeResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BridgeResult, bridge_result_clear)

/* Agent bytecode that leaves non-zero where the property is as it is now:
   for a condition, the same truth as RESULT; else the same value.  NULL
   with an error if EXPR does not compile, or needs a frame.  */
GBytes *bridge_expr_compile (BridgeExpr *expr, const BridgeResult *now, GError **error);

/* Notice when GDB calls functions of the program, and make that fast.  */
void bridge_watch_calls (void);

/* Let conditions of breakpoints and watchpoints, and expressions that the
   user prints, call functions when the direction is backward.  */
void bridge_allow_calls_in_reverse (void);

G_END_DECLS

#endif
