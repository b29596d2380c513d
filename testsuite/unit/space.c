/* The model of an address space against a simpler one, and digests of
   this very process's memory.  */

#include "base/error.h"
#include "base/hash.h"
#include "space/walk.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((gsize) PAGE_SIZE_)
#define BASE 0x10000000ul

/* --- The model against an array of pages ---------------------------- */

#define PAGES 64

typedef struct
{
  gboolean mapped;
  guint32 prot, flags, file;
  guint64 offset;
} Page;

static void
model_map (Page *pages, const MapOp *op)
{
  for (guint64 i = 0; i < op->length / PAGE; i++)
    pages[(op->addr - BASE) / PAGE + i] = (Page){ .mapped = TRUE,
                                                  .prot = op->prot,
                                                  .flags = op->flags,
                                                  .file = op->file,
                                                  .offset = op->file != NO_FILE ? op->offset + i * PAGE : 0 };
}

static void
model_unmap (Page *pages, const MapOp *op)
{
  memset (pages + (op->addr - BASE) / PAGE, 0, op->length / PAGE * sizeof *pages);
}

static void
model_protect (Page *pages, const MapOp *op)
{
  for (guint64 i = 0; i < op->length / PAGE; i++)
    if (pages[(op->addr - BASE) / PAGE + i].mapped)
      pages[(op->addr - BASE) / PAGE + i].prot = op->prot;
}

static void
model_move (Page *pages, const MapOp *op)
{
  Page moved[PAGES] = { { FALSE, 0, 0, 0, 0 } };
  guint64 from = (op->addr - BASE) / PAGE, to = (op->dest - BASE) / PAGE;
  guint64 old = op->length / PAGE, new = op->dest_length / PAGE;

  memcpy (moved, pages + from, MIN (old, new) * sizeof *pages);
  for (guint64 i = old; i < new &&moved[old - 1].mapped; i++)
    {
      moved[i] = moved[old - 1];
      if (moved[i].file != NO_FILE)
        moved[i].offset += (i - old + 1) * PAGE;
    }
  memset (pages + from, 0, old * sizeof *pages);
  memcpy (pages + to, moved, new * sizeof *pages);
}

static void
assert_same_pages (const Space *space, const Page *pages)
{
  Addr end = 0;

  for (guint i = 0; i < PAGES; i++)
    {
      Addr addr = BASE + i * PAGE;
      const Mapping *m = space_find (space, addr);

      g_assert_cmpint (m != NULL, ==, pages[i].mapped);
      if (m == NULL)
        continue;
      g_assert_cmpuint (m->prot, ==, pages[i].prot);
      g_assert_cmpuint (m->flags, ==, pages[i].flags);
      g_assert_cmpuint (m->file, ==, pages[i].file);
      if (m->file != NO_FILE)
        g_assert_cmpuint (m->offset + (addr - m->start), ==, pages[i].offset);
    }
  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);

      g_assert_cmpuint (m->start, >=, end);
      g_assert_cmpuint (m->end, >, m->start);
      end = m->end;
    }
  g_assert_cmpuint (end, <=, BASE + PAGES * PAGE);
}

static MapOp
random_op (void)
{
  MapOp op = { .kind = (MapOpKind) g_test_rand_int_range (MAP_OP_MAP, MAP_OP_DISCARD + 1), .file = NO_FILE };
  gint32 from = g_test_rand_int_range (0, PAGES);

  op.addr = BASE + (guint64) from * PAGE;
  op.length = (guint64) g_test_rand_int_range (1, MIN (PAGES - from, 12) + 1) * PAGE;
  op.prot = (guint32) g_test_rand_int_range (0, 3);
  if (op.kind == MAP_OP_MAP && g_test_rand_bit ())
    {
      op.file = 3;
      op.offset = (guint64) g_test_rand_int_range (0, 3) * PAGE;
    }
  if (op.kind == MAP_OP_MAP)
    op.flags = g_test_rand_bit () ? MAP_SHARED_ : 0;
  if (op.kind == MAP_OP_MOVE)
    {
      gint32 to = g_test_rand_int_range (0, 3) == 0 ? from : g_test_rand_int_range (0, PAGES);

      op.dest = BASE + (guint64) to * PAGE;
      op.dest_length = (guint64) g_test_rand_int_range (1, MIN (PAGES - to, 12) + 1) * PAGE;
    }
  return op;
}

static gboolean
move_is_possible (const Page *pages, const MapOp *op)
{
  gboolean any = FALSE;

  if (op->dest != op->addr && op->dest < op->addr + op->length && op->addr < op->dest + op->dest_length)
    return FALSE;
  for (guint64 i = 0; i < op->length / PAGE; i++)
    any = any || pages[(op->addr - BASE) / PAGE + i].mapped;
  return any;
}

static void
test_random_ops (void)
{
  g_autoptr (Space) space = space_new ();
  Page pages[PAGES] = { { FALSE, 0, 0, 0, 0 } };
  guint moves = 0;

  for (int i = 0; i < 20000; i++)
    {
      MapOp op = random_op ();
      gboolean possible = op.kind != MAP_OP_MOVE || move_is_possible (pages, &op);

      g_assert_cmpint (space_apply (space, &op, NULL), ==, possible);
      if (possible)
        {
          if (op.kind == MAP_OP_MAP)
            model_map (pages, &op);
          else if (op.kind == MAP_OP_UNMAP)
            model_unmap (pages, &op);
          else if (op.kind == MAP_OP_PROTECT)
            model_protect (pages, &op);
          else if (op.kind == MAP_OP_MOVE)
            model_move (pages, &op), moves++;
        }
      assert_same_pages (space, pages);
    }
  g_assert_cmpuint (moves, >, 100);

  g_autoptr (Space) copy = space_copy (space);
  MapOp all = { .kind = MAP_OP_UNMAP, .addr = BASE, .length = PAGES * PAGE };
  g_assert_true (space_apply (space, &all, NULL));
  g_assert_cmpuint (space->maps->len, ==, 0);
  assert_same_pages (copy, pages);
}

/* Neighbours are joined, so that a heap grown step by step stays one.  */
static void
test_join (void)
{
  g_autoptr (Space) space = space_new ();

  for (guint64 i = 0; i < 100; i++)
    {
      MapOp op = {
        .kind = MAP_OP_MAP, .addr = BASE + i * PAGE, .length = PAGE, .prot = PROT_READ, .file = NO_FILE
      };

      g_assert_true (space_apply (space, &op, NULL));
    }
  g_assert_cmpuint (space->maps->len, ==, 1);
}

static void
test_malformed_ops (void)
{
  static const MapOp bad[] = {
    { .kind = 0, .addr = BASE, .length = PAGE_SIZE_ },
    { .kind = 99, .addr = BASE, .length = PAGE_SIZE_ },
    { .kind = MAP_OP_MAP, .addr = BASE, .length = 0, .file = NO_FILE },
    { .kind = MAP_OP_MAP, .addr = BASE + 1, .length = PAGE_SIZE_, .file = NO_FILE },
    { .kind = MAP_OP_MAP, .addr = BASE, .length = PAGE_SIZE_ + 1, .file = NO_FILE },
    { .kind = MAP_OP_MAP, .addr = BASE, .length = PAGE_SIZE_, .file = NO_FILE, .prot = 8 },
    { .kind = MAP_OP_MAP, .addr = BASE, .length = PAGE_SIZE_, .file = NO_FILE, .flags = 1u << 30 },
    { .kind = MAP_OP_MAP, .addr = BASE, .length = PAGE_SIZE_, .file = 0, .offset = 5 },
    { .kind = MAP_OP_MAP, .addr = BASE, .length = PAGE_SIZE_, .file = 0, .offset = G_MAXUINT64 - 4095 },
    { .kind = MAP_OP_MAP, .addr = USER_END, .length = PAGE_SIZE_, .file = NO_FILE },
    { .kind = MAP_OP_MAP, .addr = USER_END - PAGE_SIZE_, .length = 2 * PAGE_SIZE_, .file = NO_FILE },
    { .kind = MAP_OP_MAP, .addr = PAGE_SIZE_, .length = G_MAXUINT64 - 4095, .file = NO_FILE },
    { .kind = MAP_OP_MAP, .addr = ARENA_BASE + 0x10000, .length = PAGE_SIZE_, .file = NO_FILE },
    { .kind = MAP_OP_UNMAP, .addr = ARENA_BASE - PAGE_SIZE_, .length = 2 * PAGE_SIZE_ },
    { .kind = MAP_OP_PROTECT, .addr = BASE, .length = PAGE_SIZE_, .prot = 16 },
    { .kind = MAP_OP_MOVE,
      .addr = BASE,
      .length = PAGE_SIZE_,
      .dest = ARENA_BASE,
      .dest_length = PAGE_SIZE_ },
    { .kind = MAP_OP_MOVE, .addr = BASE, .length = PAGE_SIZE_, .dest = BASE, .dest_length = 0 },
  };
  g_autoptr (Space) space = space_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (space_apply (space, &bad[i], &error));
      g_assert_error (error, RETRO_ERROR, RETRO_ERROR_FORMAT);
    }
  g_assert_cmpuint (space->maps->len, ==, 0);
}

/* --- Digests of our own memory ---------------------------------------- */

typedef struct
{
  Task self;
  Space *space;
  char *dir; /* of stored files  */
  int file;  /* "0" in it: 8 pages and a half of FILE_BYTEs  */
  gboolean no_scan;
} Fixture;

#define FILE_BYTE 0x5a
#define FILE_PAGES 8

static void
set_up (Fixture *f, gconstpointer no_scan)
{
  g_autofree char *files = NULL, *path = NULL;
  g_autofree guint8 *data = g_malloc (FILE_PAGES * PAGE + PAGE / 2);

  f->self = (Task) TASK_INIT;
  f->self.tid = getpid ();
  f->self.mem_fd = open ("/proc/self/mem", O_RDWR | O_CLOEXEC);
  g_assert_cmpint (f->self.mem_fd, >=, 0);
  f->space = space_new ();
  f->no_scan = no_scan != NULL;
  f->dir = g_dir_make_tmp ("retro-space-XXXXXX", NULL);
  files = g_build_filename (f->dir, "files", NULL);
  path = g_build_filename (files, "0", NULL);
  g_assert_cmpint (g_mkdir (files, 0700), ==, 0);
  memset (data, FILE_BYTE, FILE_PAGES * PAGE + PAGE / 2);
  g_assert_true (g_file_set_contents (path, (char *) data, FILE_PAGES * PAGE + PAGE / 2, NULL));
  f->file = open (path, O_RDWR | O_CLOEXEC);
  g_assert_cmpint (f->file, >=, 0);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_autofree char *files = g_build_filename (f->dir, "files", NULL),
                  *path = g_build_filename (files, "0", NULL);

  (void) data;
  for (guint i = 0; i < f->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (f->space->maps, Mapping, i);

      munmap ((void *) m->start, m->end - m->start);
    }
  space_free (f->space);
  close (f->self.mem_fd);
  close (f->file);
  g_unlink (path);
  g_rmdir (files);
  g_rmdir (f->dir);
  g_free (f->dir);
}

/* Map for real and tell the model, in which it is shared if SHARED.  */
static guint8 *
map (Fixture *f, gsize pages, int prot, int flags, int fd, gboolean shared)
{
  guint8 *at = mmap (NULL, pages * PAGE, prot, flags, fd, 0);
  MapOp op = { .kind = MAP_OP_MAP,
               .addr = (Addr) at,
               .length = pages * PAGE,
               .prot = (guint32) prot,
               .flags = shared ? MAP_SHARED_ : 0,
               .file = fd < 0 ? NO_FILE : 0 };

  g_assert_true (at != MAP_FAILED);
  g_assert_true (space_apply (f->space, &op, NULL));
  return at;
}

static gboolean
add_page_hashes (Addr addr, const guint8 *data, gsize length, gpointer user, GError **error)
{
  guint64 *digest = user;

  (void) error;
  g_assert_cmpuint (length, <=, 256 * PAGE);
  g_assert_cmpuint ((addr | length) % PAGE, ==, 0);
  for (gsize i = 0; i < length; i += PAGE)
    *digest = hash_word (*digest, hash_bytes (data + i, PAGE, addr + i));
  return TRUE;
}

static guint64
digest (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  guint64 value = 1;

  g_assert_true (space_walk (f->space, &f->self, f->no_scan, add_page_hashes, &value, &error));
  g_assert_no_error (error);
  return value;
}

#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)

static void
test_anonymous (Fixture *f, gconstpointer data)
{
  guint8 *at = map (f, 1000, PROT_READ | PROT_WRITE, ANONYMOUS, -1, FALSE);
  guint64 empty = digest (f), one;
  volatile guint8 seen = at[5 * PAGE];

  (void) data;
  g_assert_cmpuint (digest (f), ==, empty);
  at[6 * PAGE] = seen;
  g_assert_cmpuint (digest (f), ==, empty);
  at[700 * PAGE + 17] = 1;
  one = digest (f);
  g_assert_cmpuint (one, !=, empty);
  at[701 * PAGE + 17] = 1;
  at[700 * PAGE + 17] = 0;
  g_assert_cmpuint (digest (f), !=, one);
  g_assert_cmpuint (digest (f), !=, empty);
  at[701 * PAGE + 17] = 0;
  g_assert_cmpuint (digest (f), ==, empty);

  /* More pages than a run holds, and protections do not matter.  */
  memset (at, 7, 1000 * PAGE);
  one = digest (f);
  g_assert_cmpint (mprotect (at, 1000 * PAGE, PROT_NONE), ==, 0);
  g_assert_cmpuint (digest (f), ==, one);
}

static void
test_shared_anonymous (Fixture *f, gconstpointer data)
{
  guint8 *at = map (f, 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, TRUE);
  guint64 live, replayed;

  (void) data;
  at[PAGE] = 3;
  live = digest (f);
  g_assert_true (mmap (at, 4 * PAGE, PROT_READ | PROT_WRITE, ANONYMOUS | MAP_FIXED, -1, 0) == at);
  at[PAGE] = 3;
  replayed = digest (f);
  g_assert_cmpuint (live, ==, replayed);
  at[PAGE] = 4;
  g_assert_cmpuint (digest (f), !=, replayed);
}

static void
test_private_file (Fixture *f, gconstpointer data)
{
  guint8 *at = map (f, FILE_PAGES + 2, PROT_READ | PROT_WRITE, MAP_PRIVATE, f->file, FALSE);
  guint64 untouched = digest (f), changed;
  volatile guint8 seen = at[PAGE];

  (void) data;
  g_assert_cmpuint (digest (f), ==, untouched);
  at[PAGE] = (guint8) (seen + 1);
  changed = digest (f);
  g_assert_cmpuint (changed, !=, untouched);
  at[PAGE] = seen;

  /* A copied page that equals the file: only who has the file can tell.  */
  g_assert_cmpuint (digest (f), !=, untouched);
  space_set_files (f->space, f->dir);
  g_assert_cmpuint (digest (f), ==, untouched);
  at[PAGE] = (guint8) (seen + 1);
  g_assert_cmpuint (digest (f), !=, untouched);
  at[PAGE] = seen;

  /* The rest of the last page is zeros.  */
  at[FILE_PAGES * PAGE + PAGE - 1] = 0;
  g_assert_cmpuint (digest (f), ==, untouched);
  at[FILE_PAGES * PAGE + PAGE - 1] = 1;
  g_assert_cmpuint (digest (f), !=, untouched);
}

/* Breakpoints leave copies of code pages.  */
static void
test_code (Fixture *f, gconstpointer data)
{
  guint8 *at = map (f, FILE_PAGES, PROT_READ | PROT_EXEC, MAP_PRIVATE, f->file, FALSE);
  guint64 untouched = digest (f);
  guint8 byte = FILE_BYTE;

  (void) data;
  g_assert_cmpint (pwrite (f->self.mem_fd, &byte, 1, (off_t) at), ==, 1);
  g_assert_cmpuint (digest (f), ==, untouched);
  space_set_files (f->space, f->dir);
  g_assert_cmpuint (digest (f), ==, untouched);
  byte = 0xcc;
  g_assert_cmpint (pwrite (f->self.mem_fd, &byte, 1, (off_t) at), ==, 1);
  g_assert_cmpuint (digest (f), !=, untouched);
}

/* The program has it shared, the replay as private copies.  */
static void
test_shared_file (Fixture *f, gconstpointer data)
{
  const gsize pages = FILE_PAGES + 3;
  guint8 *at = map (f, pages, PROT_READ | PROT_WRITE, MAP_SHARED, f->file, TRUE);
  guint64 live, before = digest (f);

  (void) data;
  at[2 * PAGE] = 9;
  live = digest (f);
  g_assert_cmpuint (live, !=, before);
  at[2 * PAGE] = FILE_BYTE;
  g_assert_true (mmap (at, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, f->file, 0) == at);
  g_assert_cmpuint (digest (f), ==, before);
  at[2 * PAGE] = 9;
  g_assert_cmpuint (digest (f), ==, live);
}

static gboolean
count_pages (Addr addr, const guint8 *data, gsize length, gpointer user, GError **error)
{
  guint *pages = user;

  (void) addr;
  (void) data;
  if (*pages == 2)
    return error_set (error, RETRO_ERROR_FAILED, "enough");
  *pages += (guint) (length / PAGE);
  return TRUE;
}

/* A reservation of a terabyte with two pages in it; and FUNC's error.  */
static void
test_sparse (Fixture *f, gconstpointer data)
{
  const gsize pages = f->no_scan ? 1u << 18 : 1u << 28;
  guint8 *at = map (f, pages, PROT_READ | PROT_WRITE, ANONYMOUS | MAP_NORESERVE, -1, FALSE);
  g_autoptr (GError) error = NULL;
  guint seen = 0;

  (void) data;
  at[0] = 1;
  at[(pages - 1) * PAGE] = 1;
  g_assert_true (space_walk (f->space, &f->self, f->no_scan, count_pages, &seen, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (seen, ==, 2);
  g_assert_false (space_walk (f->space, &f->self, f->no_scan, count_pages, &seen, &error));
  g_assert_cmpstr (error->message, ==, "enough");
}

static void
test_special (Fixture *f, gconstpointer data)
{
  guint8 *at = map (f, 1, PROT_READ | PROT_WRITE, ANONYMOUS, -1, FALSE);
  MapOp op = {
    .kind = MAP_OP_MAP, .addr = (Addr) at, .length = PAGE, .flags = MAP_SPECIAL_, .file = NO_FILE
  };
  guint64 before;

  (void) data;
  g_assert_true (space_apply (f->space, &op, NULL));
  before = digest (f);
  at[0] = 1;
  g_assert_cmpuint (digest (f), ==, before);
}

/* The kernel has no PAGEMAP_SCAN: those tests would be the others again,
   which is harmless.  */
static void
add (const char *name, void (*test) (Fixture *f, gconstpointer data))
{
  static const char *const ways[] = { "scan", "entries" };

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *path = g_strdup_printf ("/digest/%s/%s", ways[i], name);

      g_test_add (path, Fixture, i != 0 ? ways[i] : NULL, set_up, test, tear_down);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/space/random-ops", test_random_ops);
  g_test_add_func ("/space/join", test_join);
  g_test_add_func ("/space/malformed-ops", test_malformed_ops);
  add ("anonymous", test_anonymous);
  add ("shared-anonymous", test_shared_anonymous);
  add ("private-file", test_private_file);
  add ("code", test_code);
  add ("shared-file", test_shared_file);
  add ("sparse", test_sparse);
  add ("special", test_special);
  return g_test_run ();
}
