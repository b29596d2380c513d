/* The subcommands of `retro': one file and one function each.

   A function gets the command's own arguments (ARGV[0] is its name) and
   returns the exit status.  Options are GLib's; messages go to stderr as
   "retro COMMAND: message".  */

#ifndef RETRO_CMD_CMD_H
#define RETRO_CMD_CMD_H

int cmd_record (int argc, char **argv);
int cmd_verify (int argc, char **argv);
int cmd_dump (int argc, char **argv);
int cmd_info (int argc, char **argv);
int cmd_doctor (int argc, char **argv);
int cmd_replay (int argc, char **argv);
int cmd_serve (int argc, char **argv);
int cmd_gdb (int argc, char **argv);

#endif
