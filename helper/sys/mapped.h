/* Mapped files: what /proc/PID/maps says of them, and changes of their
   contents that the program makes through descriptors.

   A replay has private copies of everything, so when the program writes to
   a file that it has mapped, the mapping's new contents go into the event
   of the write; when the file grows or shrinks, so do the pages that can
   be touched without SIGBUS.  Files written by other processes while they
   are mapped are not seen: that is out of Retro's reach.

   How a mapping of a file is told to the log:

     opened for reading only:  MAP with the stored file
     else:  |<--- to the file's end ---->|<-------- beyond -------->|
               MAP, no file, MAP_SHARED_,     MAP of an empty file:
               contents as writes             SIGBUS as in the program

   So MAP_SHARED_ without a file means "contents come from elsewhere": a
   page need not be present in the program to have contents.  This is said
   of private mappings too.  */

#ifndef RETRO_SYS_MAPPED_H
#define RETRO_SYS_MAPPED_H

#include "sys/rows.h"

#include <sys/stat.h>

typedef struct
{
  Addr start, end;
  guint32 prot;
  gboolean shared;
  guint64 offset;
  guint64 dev, inode; /* dev: major << 32 | minor  */
  char *name;
} MapsEntry;

/* The mappings of TID's process, sorted; of MapsEntry.  NULL on failure.  */
GArray *maps_read (pid_t tid, GError **error);
/* The entry that holds ADDR or NULL.  */
const MapsEntry *maps_find (const GArray *maps, Addr addr);

/* Is the memory of E mapped a second time, one of the two writable?  Then
   *OFFSET_RET is its place among all such memory, for MAP_ALIAS_: chosen by
   device and inode, so that all views of an object agree.  */
gboolean maps_is_alias (const GArray *maps, const MapsEntry *e, guint64 *offset_ret);

/* The program has mapped the regular file behind its descriptor FD as OP
   says (with offset, without file): add ops and contents to EVENT.  */
gboolean mapped_add (SysCall *call, Event *event, int fd, const MapOp *op, GError **error);
/* The mappings in [ADDR, +LENGTH) have come about in a way that MOVE and
   PROTECT cannot tell: add them as new ones with contents.  */
gboolean mapped_renew (SysCall *call, Event *event, Addr addr, guint64 length, GError **error);
/* [ADDR, +LENGTH) has been mapped or has become writable: if its memory is
   mapped elsewhere too, add all views of it anew as MAP_ALIAS_.  */
gboolean mapped_join (SysCall *call, Event *event, Addr addr, guint64 length, GError **error);

/* The program has changed the file behind FD: bytes [FROM, TO) or less;
   its size too.  */
gboolean mapped_written (SysCall *call, Event *event, int fd, guint64 from, guint64 to, GError **error);
/* It has changed the size of the file that it names by the string at
   PATH_ADDR.  */
gboolean mapped_resized_path (SysCall *call, Event *event, Addr path_addr, GError **error);
/* The program has opened FD for writing.  */
void mapped_opened (SysCall *call, int fd);

#endif
