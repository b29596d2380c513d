/* Packets that find thread-local variables: qGetTLSAddr, qSymbol.

   GDB knows a variable's offset in the block of its module and the module's
   link map; where the thread's copy of the block is only the C library
   knows.  On x86-64 glibc keeps it thus:

     fs_base + 8  dtv --> [ module 0 | module 1 | ... ]  16 bytes each,
                            the first 8 the block's address, or -1 while
                            the thread has not touched it

   A module's number is in its link map, at an offset that differs between
   versions.  The library describes it for debuggers in a constant of three
   words (bits, count, offset) with the name below, whose address GDB tells
   us when we ask in answer to its qSymbol.  A static program has one module
   and no link map.  */

#include "rsp/server.h"

#define MODULE_FIELD "_thread_db_link_map_l_tls_modid"
#define DTV_AT 8
#define DTV_ENTRY 16
#define UNALLOCATED (~G_GUINT64_CONSTANT (0))

static gboolean
read_word (Server *server, Addr addr, guint64 *word_ret)
{
  return writes_read (server->writes, addr, (guint8 *) word_ret, sizeof *word_ret) == sizeof *word_ret;
}

/* "qSymbol::" asks what we want to know, "qSymbol:ADDR:NAME" answers, without
   ADDR if there is no such symbol (yet).  */
static void
handle_symbol (Server *server, Text *args, GString *out)
{
  guint64 addr = 0;

  text_expect (args, ':');
  if (text_peek (args) != ':')
    addr = text_hex (args);
  text_expect (args, ':');
  gboolean asks = text_left (args) == 0;
  g_autofree char *name = asks ? NULL : text_hex_string (args);
  if (!text_done (args))
    reply_malformed (out);
  else if (asks && server->session != NULL)
    {
      g_string_assign (out, "qSymbol:");
      put_hex_string (out, MODULE_FIELD);
    }
  else
    {
      if (g_strcmp0 (name, MODULE_FIELD) == 0)
        server->tls_module_field = addr;
      reply_ok (out);
    }
}

static gboolean
find_module (Server *server, Addr link_map, guint64 *module_ret)
{
  guint32 field[3];

  *module_ret = 1;
  return link_map == 0
         || (server->tls_module_field != 0
             && writes_read (server->writes, server->tls_module_field, (guint8 *) field, sizeof field) == sizeof field
             && field[0] == 64 && read_word (server, link_map + field[2], module_ret) && *module_ret != 0);
}

/* "qGetTLSAddr:THREAD,OFFSET,LINK-MAP".  */
static void
handle_address (Server *server, Text *args, GString *out)
{
  guint64 offset, module, dtv, modules, block;
  Addr link_map;
  Regs regs;

  text_expect (args, ':');
  ThreadNo thread = server_find_thread (server, text_thread (args));
  text_expect (args, ',');
  offset = text_hex (args);
  text_expect (args, ',');
  link_map = text_hex (args);
  if (!text_done (args) || thread == NO_THREAD)
    reply_malformed (out);
  else if (!find_module (server, link_map, &module))
    reply_message (out, "the C library does not tell where thread-local variables are");
  else if (!session_get_regs (server->session, thread, &regs, NULL) || regs.fs_base == 0
           || !read_word (server, regs.fs_base + DTV_AT, &dtv) || !read_word (server, dtv - DTV_ENTRY, &modules)
           || module > modules || !read_word (server, dtv + module * DTV_ENTRY, &block) || block == UNALLOCATED)
    reply_message (out, "the thread has no such variables yet");
  else
    g_string_append_printf (out, "%" G_GINT64_MODIFIER "x", block + offset);
}

const PacketRow tls_packets[] = {
  { "qGetTLSAddr", ROW_SESSION, handle_address },
  { "qSymbol", 0, handle_symbol },
  { NULL, 0, NULL },
};
