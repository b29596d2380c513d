/* The model of an address space: what is mapped where.

   Kernel calls change an address space; the log says how, in a handful of
   operations (MapOp) that are complete: a replay performs them and needs
   to know nothing of the calls they came from.  A Space is the sorted
   list of mappings that results, kept equally by recorder and replayer,
   so both mean the same memory when they take a digest.

     MAP      new pages, zero or from a stored file, replacing what was there
     UNMAP    gone
     PROTECT  protection changed
     MOVE     mremap: [addr,addr+len) is now at [dest,dest+dest_len)
     DISCARD  private pages back to their initial contents (MADV_DONTNEED)

   All addresses and lengths are page aligned.  */

#ifndef RETRO_SPACE_SPACE_H
#define RETRO_SPACE_SPACE_H

#include "base/types.h"
#include "trace/task.h"

typedef enum
{
  MAP_OP_MAP = 1,
  MAP_OP_UNMAP,
  MAP_OP_PROTECT,
  MAP_OP_MOVE,
  MAP_OP_DISCARD
} MapOpKind;

#define MAP_SHARED_ (1u << 0)    /* shared in the program (private in a replay)  */
#define MAP_GROWSDOWN_ (1u << 1) /* a stack that the kernel extends  */
#define MAP_STACK_ (1u << 2)     /* the main stack, mapped at its full extent  */
#define MAP_SPECIAL_ (1u << 3)   /* vdso, vvar: contents come as writes, if any  */
#define MAP_ALIAS_ (1u << 4)     /* the same memory is mapped elsewhere too: `offset' without a file says which
                                    memory, as a place in one imaginary object that holds all such memory  */

/* No stored file: zero pages.  */
#define NO_FILE ((guint32) -1)

typedef struct
{
  MapOpKind kind;
  Addr addr;
  guint64 length;
  Addr dest;           /* MOVE  */
  guint64 dest_length; /* MOVE  */
  guint32 prot;        /* MAP, PROTECT: PROT_ bits  */
  guint32 flags;       /* MAP: MAP_..._ bits above  */
  guint32 file;        /* MAP: number of the stored file or NO_FILE  */
  guint64 offset;      /* MAP: into the file, or of MAP_ALIAS_ memory  */
} MapOp;

typedef struct
{
  Addr start, end;
  guint32 prot, flags, file;
  guint64 offset;
} Mapping;

typedef struct
{
  GArray *maps; /* of Mapping, sorted, not overlapping  */
  char *files;  /* directory of the stored files, or NULL: see space_set_files  */
} Space;

Space *space_new (void);
Space *space_copy (const Space *space);
void space_free (Space *space);
/* The recording DIR has the stored files.  Recorder and replayer both say so, for digests: a private page of
   a file mapping that is equal to the file counts as unchanged.  Copies inherit it.  */
void space_set_files (Space *space, const char *dir);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Space, space_free)

/* Apply OP.  FALSE if it makes no sense (malformed log).  */
gboolean space_apply (Space *space, const MapOp *op, GError **error);
/* "map", "unmap" ...  */
const char *space_op_name (MapOpKind kind);
/* The mapping that holds ADDR, or NULL.  */
const Mapping *space_find (const Space *space, Addr addr);

/* Digest of all memory of T that the program can have changed: every page
   that is not zero in anonymous mappings, every privately modified page
   of file mappings.  Equal for record and replay whatever pages happen to
   be present.  */
gboolean space_digest (const Space *space, const Task *t, guint64 *digest_ret, GError **error);

/* Calls FUNC for each run of consecutive pages (at most 256 at a time)
   that such a digest takes in, with contents.  FUNC returns FALSE to
   stop with *error set.  */
typedef gboolean (*SpaceFunc) (Addr addr, const guint8 *data, gsize length, gpointer user, GError **error);
gboolean space_foreach_page (const Space *space, const Task *t, SpaceFunc func, gpointer user,
                             GError **error);

/* The first page of [START, END) that is present or swapped, END if there is
   none; START if the kernel does not tell.  PAGEMAP is /proc/PID/pagemap.  */
Addr space_next_present (int pagemap, Addr start, Addr end);

#endif
