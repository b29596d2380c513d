/* The list of mappings and the operations on it; the model is in space.h.

   Every operation works on whole mappings: split at the range's two ends,
   act on what lies between, then join neighbours that continue each
   other, so that the list does not grow with the number of operations.
   Operations come from a file that nobody trusts: their ranges are
   checked here, once, for the recorder and the replayer alike.  */

#include "space/space.h"
#include "base/error.h"

#include <string.h>
#include <sys/mman.h>

#define AT(space, i) (&g_array_index ((space)->maps, Mapping, i))
#define ALL_PROT (PROT_READ | PROT_WRITE | PROT_EXEC)
#define ALL_FLAGS (MAP_SHARED_ | MAP_GROWSDOWN_ | MAP_STACK_ | MAP_SPECIAL_ | MAP_ALIAS_)

Space *
space_new (void)
{
  Space *space = g_new0 (Space, 1);

  space->maps = g_array_new (FALSE, FALSE, sizeof (Mapping));
  return space;
}

Space *
space_copy (const Space *space)
{
  Space *copy = space_new ();

  g_array_append_vals (copy->maps, space->maps->data, space->maps->len);
  copy->files = g_strdup (space->files);
  return copy;
}

void
space_free (Space *space)
{
  if (space == NULL)
    return;
  g_array_unref (space->maps);
  g_free (space->files);
  g_free (space);
}

void
space_set_files (Space *space, const char *dir)
{
  g_free (space->files);
  space->files = dir != NULL ? g_build_filename (dir, "files", NULL) : NULL;
}

/* Index of the first mapping that ends above ADDR.  */
static guint
first_above (const Space *space, Addr addr)
{
  guint low = 0, high = space->maps->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (AT (space, middle)->end <= addr)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

const Mapping *
space_find (const Space *space, Addr addr)
{
  guint i = first_above (space, addr);

  return i < space->maps->len && AT (space, i)->start <= addr ? AT (space, i) : NULL;
}

static gboolean
has_offset (guint32 file, guint32 flags)
{
  return file != NO_FILE || (flags & MAP_ALIAS_);
}

/* The part [START, END) of M.  */
static Mapping
mapping_part (const Mapping *m, Addr start, Addr end)
{
  Mapping part = *m;

  part.start = start;
  part.end = end;
  if (has_offset (m->file, m->flags))
    part.offset += start - m->start;
  return part;
}

/* Let no mapping lie across ADDR; the index of the first at or above.  */
static guint
split_at (Space *space, Addr addr)
{
  guint i = first_above (space, addr);

  if (i < space->maps->len && AT (space, i)->start < addr)
    {
      Mapping upper = mapping_part (AT (space, i), addr, AT (space, i)->end);

      AT (space, i)->end = addr;
      i++;
      g_array_insert_val (space->maps, i, upper);
    }
  return i;
}

static gboolean
continues (const Mapping *a, const Mapping *b)
{
  return a->end == b->start && a->prot == b->prot && a->flags == b->flags && a->file == b->file
         && (!has_offset (a->file, a->flags) || a->offset + (a->end - a->start) == b->offset);
}

/* Join what continues each other around [START, END].  */
static void
join_around (Space *space, Addr start, Addr end)
{
  guint i = first_above (space, start);

  if (i > 0)
    i--;
  while (i + 1 < space->maps->len && AT (space, i)->start <= end)
    if (continues (AT (space, i), AT (space, i + 1)))
      {
        AT (space, i)->end = AT (space, i + 1)->end;
        g_array_remove_index (space->maps, i + 1);
      }
    else
      i++;
}

static void
remove_range (Space *space, Addr start, Addr end)
{
  guint from = split_at (space, start);
  guint to = split_at (space, end);

  if (to > from)
    g_array_remove_range (space->maps, from, to - from);
}

static void
insert_mapping (Space *space, const Mapping *m)
{
  remove_range (space, m->start, m->end);
  g_array_insert_val (space->maps, first_above (space, m->start), *m);
}

static gboolean
range_is_sane (Addr addr, guint64 length)
{
  if ((addr | length) % PAGE_SIZE_ != 0 || length == 0 || addr >= USER_END || length > USER_END - addr)
    return FALSE;
  return addr + length <= ARENA_BASE || addr >= ARENA_BASE + ARENA_SIZE;
}

static gboolean
apply_map (Space *space, const MapOp *op)
{
  Mapping m = { .start = op->addr,
                .end = op->addr + op->length,
                .prot = op->prot,
                .flags = op->flags,
                .file = op->file,
                .offset = has_offset (op->file, op->flags) ? op->offset : 0 };

  if (op->prot & ~(guint32) ALL_PROT || op->flags & ~ALL_FLAGS)
    return FALSE;
  if (has_offset (op->file, op->flags) && (op->offset % PAGE_SIZE_ != 0 || op->offset > G_MAXINT64 - op->length))
    return FALSE;
  insert_mapping (space, &m);
  return TRUE;
}

static gboolean
apply_unmap (Space *space, const MapOp *op)
{
  remove_range (space, op->addr, op->addr + op->length);
  return TRUE;
}

static gboolean
apply_protect (Space *space, const MapOp *op)
{
  guint from = split_at (space, op->addr);
  guint to = split_at (space, op->addr + op->length);

  if (op->prot & ~(guint32) ALL_PROT)
    return FALSE;
  for (guint i = from; i < to; i++)
    AT (space, i)->prot = op->prot;
  return TRUE;
}

static gboolean
apply_move (Space *space, const MapOp *op)
{
  Addr end = op->addr + op->length, dest_end = op->dest + op->dest_length;
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (Mapping));
  guint from, to;

  if (!range_is_sane (op->dest, op->dest_length))
    return FALSE;
  if (op->dest != op->addr && op->dest < end && op->addr < dest_end)
    return FALSE;
  from = split_at (space, op->addr);
  to = split_at (space, end);
  if (from == to)
    return FALSE;

  for (guint i = from; i < to; i++)
    {
      const Mapping *m = AT (space, i);
      Addr start = m->start - op->addr + op->dest;
      Mapping piece = *m;

      if (start >= dest_end)
        break;
      piece.start = start;
      piece.end = MIN (m->end - op->addr + op->dest, dest_end);
      if (m->end == end && op->dest_length > op->length)
        piece.end = dest_end;
      g_array_append_val (pieces, piece);
    }
  remove_range (space, op->addr, end);
  remove_range (space, op->dest, dest_end);
  for (guint i = 0; i < pieces->len; i++)
    insert_mapping (space, &g_array_index (pieces, Mapping, i));
  return TRUE;
}

/* Contents are not the model's business.  */
static gboolean
apply_discard (Space *space, const MapOp *op)
{
  (void) space;
  (void) op;
  return TRUE;
}

static const struct
{
  const char *name;
  gboolean (*apply) (Space *space, const MapOp *op);
} kinds[] = {
  [MAP_OP_MAP] = { "map", apply_map },
  [MAP_OP_UNMAP] = { "unmap", apply_unmap },
  [MAP_OP_PROTECT] = { "protect", apply_protect },
  [MAP_OP_MOVE] = { "move", apply_move },
  [MAP_OP_DISCARD] = { "discard", apply_discard },
};

const char *
space_op_name (MapOpKind kind)
{
  return kind < G_N_ELEMENTS (kinds) && kinds[kind].name != NULL ? kinds[kind].name : "unknown";
}

gboolean
space_apply (Space *space, const MapOp *op, GError **error)
{
  if (op->kind >= G_N_ELEMENTS (kinds) || kinds[op->kind].apply == NULL
      || !range_is_sane (op->addr, op->length) || !kinds[op->kind].apply (space, op))
    return error_set (
      error, RETRO_ERROR_FORMAT,
      "impossible change of the address space: %s %#" G_GINT64_MODIFIER "x+%#" G_GINT64_MODIFIER
      "x to %#" G_GINT64_MODIFIER "x+%#" G_GINT64_MODIFIER "x, prot %#x, flags %#x",
      space_op_name (op->kind), op->addr, op->length, op->dest, op->dest_length, op->prot, op->flags);
  join_around (space, op->addr, op->addr + op->length);
  if (op->kind == MAP_OP_MOVE)
    join_around (space, op->dest, op->dest + op->dest_length);
  return TRUE;
}
