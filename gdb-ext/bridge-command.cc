/* The bridge, second part: commands, settings, convenience variables.

   GDB's command functions get the command's element, by which we find the
   row of our tables again.  A command that GDB has already is taken over
   in place, not registered again: its aliases, hooks and place in the
   lists of help stay, and its own function can still be run.

   For completion GDB first asks where the word begins (its "brkchars"
   phase), then for the words.  Names of ours hold anything but blanks.  */

#include "bridge-private.h"

#include <map>

#include "arch-utils.h"
#include "cli/cli-cmds.h"
#include "cli/cli-decode.h"
#include "cli/cli-utils.h"
#include "command.h"
#include "completer.h"
#include "gdbcmd.h"
#include "gdbtypes.h"
#include "language.h"
#include "value.h"
#include "gdbsupport/scope-exit.h"

/* One of GDB's commands that we took over.  */
struct former_command
{
  cmd_func_ftype *func;
  completer_ftype *completer;
};

static std::map<const cmd_list_element *, const BridgeCommand *> commands;
static std::map<const cmd_list_element *, const BridgeWrap *> wraps;
static std::map<const cmd_list_element *, former_command> formers;

/* The class of all our commands; GDB's own are fewer.  */
static const command_class class_retro = (command_class) 30;

/* The list of commands below PREFIX ("" or words).  */
static cmd_list_element **
find_list (const char *prefix)
{
  cmd_list_element **list = &cmdlist;
  gdb_argv words (prefix);

  for (const char *word : words)
    if (*word != '\0')
      {
        cmd_list_element *c = lookup_cmd_exact (word, *list, false);
        gdb_assert (c != NULL && c->subcommands != NULL);
        list = c->subcommands;
      }
  return list;
}

static std::string
strip (const char *args)
{
  std::string text = args == NULL ? "" : skip_spaces (args);

  while (!text.empty () && isspace (text.back ()))
    text.pop_back ();
  return text;
}

static void
run_command (const char *args, int from_tty, cmd_list_element *c)
{
  const BridgeCommand *command = commands.at (c);
  auto former = formers.find (c);
  GError *error = NULL;

  if (former != formers.end () && command->when != NULL && !command->when ())
    {
      former->second.func (args, from_tty, c);
      return;
    }
  if (!command->run (strip (args).c_str (), from_tty, &error))
    bridge_throw (error);
}

/* ---- Completion ---- */

static const char *
find_last_word (const char *text)
{
  const char *blank = strrchr (text, ' ');

  return blank == NULL ? text : blank + 1;
}

/* Offer COMMAND's words for the end of TEXT; FALSE if there is none.  */
static bool
offer_words (const BridgeCommand *command, completion_tracker &tracker, const char *text, const char *word)
{
  char **words = command->complete == NULL ? NULL : command->complete (text);
  const char *last = find_last_word (text);
  bool any = false;

  if (words == NULL)
    return false;
  for (char **w = words; *w != NULL; w++)
    if (startswith (*w, last))
      {
        tracker.add_completion (make_completion_match_str (*w, last, word));
        any = true;
      }
  g_strfreev (words);
  return any;
}

static void
complete_command (cmd_list_element *c, completion_tracker &tracker, const char *text, const char *word)
{
  const BridgeCommand *command = commands.at (c);
  auto former = formers.find (c);

  if (former != formers.end () && command->when != NULL && !command->when ())
    {
      if (former->second.completer != NULL)
        former->second.completer (c, tracker, text, word);
      return;
    }
  if (!offer_words (command, tracker, text, word) && command->expression)
    expression_completer (c, tracker, text, word);
}

static void
find_word_break (cmd_list_element *c, completion_tracker &tracker, const char *text, const char *word)
{
  const BridgeCommand *command = commands.at (c);
  completion_tracker none;

  if (command->expression && !offer_words (command, none, text, find_last_word (text)))
    set_rl_completer_word_break_characters (current_language->word_break_characters ());
  else
    set_rl_completer_word_break_characters (" \t\n");
}

/* ---- Adding ---- */

void
bridge_add_command (const BridgeCommand *command)
{
  cmd_list_element **list = find_list (command->prefix);
  cmd_list_element *c = lookup_cmd_exact (command->name, *list, false);

  if (c != NULL && c->func != NULL)
    formers[c] = { c->func, c->completer };
  else
    c = add_cmd (command->name, class_retro, command->help, list);
  c->func = run_command;
  c->theclass = class_retro;
  c->doc = command->help;
  commands[c] = command;
  if (command->complete != NULL || command->expression)
    {
      set_cmd_completer (c, complete_command);
      set_cmd_completer_handle_brkchars (c, find_word_break);
    }
  else
    set_cmd_completer (c, noop_completer);
}

void
bridge_add_topic (const char *name, const char *help)
{
  add_cmd (name, class_retro, help, &cmdlist);
}

void
bridge_add_prefix (const char *prefix, const char *name, const char *help)
{
  static std::vector<std::unique_ptr<cmd_list_element *>> lists;
  cmd_list_element **list = find_list (prefix);

  lists.push_back (std::make_unique<cmd_list_element *> (nullptr));
  if (startswith (prefix, "show"))
    add_show_prefix_cmd (name, class_retro, help, lists.back ().get (), 0, list);
  else
    add_basic_prefix_cmd (name, class_retro, help, lists.back ().get (), 0, list);
}

static void
run_wrapped (const char *args, int from_tty, cmd_list_element *c)
{
  const BridgeWrap *wrap = wraps.at (c);
  GError *error = NULL;

  if (wrap->before != NULL && !wrap->before (wrap->name, strip (args).c_str (), from_tty, &error))
    bridge_throw (error);
  SCOPE_EXIT
  {
    if (wrap->after != NULL)
      wrap->after (wrap->name);
  };
  formers.at (c).func (args, from_tty, c);
}

void
bridge_wrap_command (const BridgeWrap *wrap)
{
  cmd_list_element *c = lookup_cmd_exact (wrap->name, *find_list (wrap->prefix), false);

  if (c == NULL || c->func == NULL)
    return;
  formers[c] = { c->func, c->completer };
  wraps[c] = wrap;
  c->func = run_wrapped;
}

/* ---- Settings ---- */

/* The value of a setting, in the type that GDB keeps it in.  */
struct setting_value
{
  const BridgeSetting *row;
  bool boolean;
  auto_boolean three_way;
  unsigned int number;
  std::string text;
  std::string shown; /* all of them as text  */
};

static std::map<std::string, setting_value> settings;

static std::string
format_setting (const setting_value &value)
{
  switch (value.row->kind)
    {
    case BRIDGE_BOOLEAN:
      return value.boolean ? "on" : "off";
    case BRIDGE_AUTO_BOOLEAN:
      return value.three_way == AUTO_BOOLEAN_AUTO ? "auto" : value.three_way == AUTO_BOOLEAN_TRUE ? "on" : "off";
    case BRIDGE_NUMBER:
      return pulongest (value.number);
    default:
      return value.text;
    }
}

static void
parse_setting (setting_value &value, const std::string &text)
{
  value.boolean = text == "on";
  value.three_way = text == "auto" ? AUTO_BOOLEAN_AUTO : text == "on" ? AUTO_BOOLEAN_TRUE : AUTO_BOOLEAN_FALSE;
  value.number = strtoul (text.c_str (), NULL, 10);
  value.text = text;
  value.shown = text;
}

static void
change_setting (const char *, int, cmd_list_element *c)
{
  setting_value &value = settings.at (c->name);
  std::string former = value.shown;
  GError *error = NULL;

  value.shown = format_setting (value);
  if (value.row->changed != NULL && !value.row->changed (value.shown.c_str (), &error))
    {
      parse_setting (value, former);
      bridge_throw (error);
    }
}

static void
show_setting (struct ui_file *file, int, cmd_list_element *c, const char *text)
{
  const setting_value &value = settings.at (c->name);

  gdb_puts (value.row->shown, file);
  gdb_printf (file, " %s.\n", *text == '\0' ? "none" : text);
}

void
bridge_add_setting (const BridgeSetting *setting)
{
  setting_value &value = settings[setting->name];
  cmd_list_element **set = find_list ("set retro"), **show = find_list ("show retro");
  const char *name = setting->name;

  value.row = setting;
  parse_setting (value, setting->initial);
  switch (setting->kind)
    {
    case BRIDGE_BOOLEAN:
      add_setshow_boolean_cmd (name, class_retro, &value.boolean, setting->set_doc, setting->show_doc,
                               setting->help, change_setting, show_setting, set, show);
      break;
    case BRIDGE_AUTO_BOOLEAN:
      add_setshow_auto_boolean_cmd (name, class_retro, &value.three_way, setting->set_doc, setting->show_doc,
                                    setting->help, change_setting, show_setting, set, show);
      break;
    case BRIDGE_NUMBER:
      add_setshow_zuinteger_cmd (name, class_retro, &value.number, setting->set_doc, setting->show_doc,
                                 setting->help, change_setting, show_setting, set, show);
      break;
    case BRIDGE_TEXT:
      add_setshow_string_noescape_cmd (name, class_retro, &value.text, setting->set_doc, setting->show_doc,
                                       setting->help, change_setting, show_setting, set, show);
      break;
    }
}

const char *
bridge_get_setting (const char *name)
{
  return settings.at (name).shown.c_str ();
}

/* ---- Convenience variables ---- */

static value *
make_variable (struct gdbarch *arch, struct internalvar *, void *data)
{
  BridgeVariable variable = (BridgeVariable) data;
  BridgeValue v = { BRIDGE_VOID, 0, 0 };

  variable (&v);
  switch (v.kind)
    {
    case BRIDGE_INTEGER:
      return value_from_longest (builtin_type (arch)->builtin_int64, v.integer);
    case BRIDGE_ADDRESS:
      return value_from_pointer (builtin_type (arch)->builtin_func_ptr, v.integer);
    case BRIDGE_REAL:
      return value_from_host_double (builtin_type (arch)->builtin_double, v.real);
    default:
      return allocate_value (builtin_type (arch)->builtin_void);
    }
}

void
bridge_add_variable (const char *name, BridgeVariable variable)
{
  static const struct internalvar_funcs funcs = { make_variable, NULL };

  create_internalvar_type_lazy (name, &funcs, (void *) variable);
}
