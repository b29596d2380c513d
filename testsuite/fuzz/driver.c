/* A main function for fuzzers that are not built with libFuzzer.

   "make fuzz" needs clang and takes its time; "make check" shall catch the
   crash that a malformed file or packet causes at once and with any
   compiler.  So this feeds a fuzzer its seeds, then a fixed number of inputs
   mutated from them.  There is no coverage feedback: what it lacks in
   cleverness it makes up by being the same on every run, a pure function of
   seeds, count and number.

     NAME -n COUNT [-s NUMBER] [-o FILE] SEED-FILE-OR-DIRECTORY...

   An input that crashes or that takes longer than ten seconds is written to
   FILE (default: NAME.crash) and the program dies of the signal.  */

#include <glib.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

#define INPUT_MAX 65536
#define SECONDS_MAX 10

/* What the signal handler has to write.  */
static const guint8 *input;
static size_t input_size;
static const char *crash_path;

static void
save_input (int sig)
{
  int fd = open (crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd >= 0)
    {
      ssize_t written = write (fd, input, input_size);
      (void) written;
      close (fd);
    }
  signal (sig, SIG_DFL);
  raise (sig);
}

/* Runs one input.  The copy has its exact size, so that ASan sees a read
   beyond its end.  */
static void
run_input (const guint8 *data, size_t size)
{
  g_autofree guint8 *copy = g_malloc (MAX (size, 1));
  memcpy (copy, data, size);
  input = copy;
  input_size = size;
  alarm (SECONDS_MAX);
  LLVMFuzzerTestOneInput (copy, size);
  alarm (0);
}

/* Values at the edges of what a length or a count may be.  */
static const guint64 edges[] = {
  0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0xfff, 0x1000, 0x7fff, 0x8000, 0xffff, 0x10000,
  0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff
};

static guint
pick (GRand *rand, gsize below)
{
  return below ? (guint) (g_rand_int (rand) % below) : 0;
}

static void
flip_bit (GRand *rand, GByteArray *bytes, GPtrArray *seeds)
{
  (void) seeds;
  if (bytes->len)
    bytes->data[pick (rand, bytes->len)] ^= (guint8) (1u << pick (rand, 8));
}

static void
set_byte (GRand *rand, GByteArray *bytes, GPtrArray *seeds)
{
  (void) seeds;
  if (bytes->len)
    bytes->data[pick (rand, bytes->len)] = (guint8) pick (rand, 256);
}

static void
set_edge (GRand *rand, GByteArray *bytes, GPtrArray *seeds)
{
  (void) seeds;
  guint width = 1u << pick (rand, 4);
  if (bytes->len < width)
    return;
  guint64 value = edges[pick (rand, G_N_ELEMENTS (edges))];
  memcpy (bytes->data + pick (rand, bytes->len - width + 1), &value, width);
}

static void
truncate_end (GRand *rand, GByteArray *bytes, GPtrArray *seeds)
{
  (void) seeds;
  g_byte_array_set_size (bytes, pick (rand, bytes->len + 1));
}

static void
remove_part (GRand *rand, GByteArray *bytes, GPtrArray *seeds)
{
  (void) seeds;
  if (!bytes->len)
    return;
  guint at = pick (rand, bytes->len);
  guint size = 1 + pick (rand, 32);
  g_byte_array_remove_range (bytes, at, MIN (bytes->len - at, size));
}

static void
repeat_part (GRand *rand, GByteArray *bytes, GPtrArray *seeds)
{
  (void) seeds;
  if (!bytes->len)
    return;
  guint at = pick (rand, bytes->len);
  guint size = 1 + pick (rand, 64);
  size = MIN (bytes->len - at, size);
  g_autofree guint8 *part = g_memdup2 (bytes->data + at, size);
  for (guint times = 1 + pick (rand, 8); times && bytes->len + size <= INPUT_MAX; times--)
    g_byte_array_append (bytes, part, size);
}

/* Goes on as another seed does.  */
static void
splice_seed (GRand *rand, GByteArray *bytes, GPtrArray *seeds)
{
  GByteArray *other = g_ptr_array_index (seeds, pick (rand, seeds->len));
  guint from = pick (rand, other->len + 1);
  truncate_end (rand, bytes, seeds);
  g_byte_array_append (bytes, other->data + from, MIN (other->len - from, INPUT_MAX - bytes->len));
}

static void (*const mutations[]) (GRand *rand, GByteArray *bytes, GPtrArray *seeds)
  = { flip_bit, set_byte, set_edge, truncate_end, remove_part, repeat_part, splice_seed };

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Adds a file, or all files of a directory in the order of their names.  */
static void
add_seeds (GPtrArray *seeds, const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  if (dir)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      const char *name;
      while ((name = g_dir_read_name (dir)))
        g_ptr_array_add (names, g_build_filename (path, name, NULL));
      g_ptr_array_sort (names, compare_names);
      for (guint i = 0; i < names->len; i++)
        add_seeds (seeds, g_ptr_array_index (names, i));
      return;
    }
  char *data;
  gsize size;
  g_autoptr (GError) error = NULL;
  if (!g_file_get_contents (path, &data, &size, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      exit (1);
    }
  g_ptr_array_add (seeds, g_byte_array_new_take ((guint8 *) data, MIN (size, INPUT_MAX)));
}

int
main (int argc, char **argv)
{
  guint count = 10000, number = 1;
  int option;
  g_autofree char *default_path = g_strconcat (argv[0], ".crash", NULL);

  crash_path = default_path;
  while ((option = getopt (argc, argv, "n:s:o:")) != -1)
    {
      if (option == 'n')
        count = (guint) strtoul (optarg, NULL, 10);
      else if (option == 's')
        number = (guint) strtoul (optarg, NULL, 10);
      else if (option == 'o')
        crash_path = optarg;
      else
        return 2;
    }

  static const int deadly[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGALRM };
  for (guint i = 0; i < G_N_ELEMENTS (deadly); i++)
    signal (deadly[i], save_input);

  g_autoptr (GPtrArray) seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  for (int i = optind; i < argc; i++)
    add_seeds (seeds, argv[i]);
  if (seeds->len == 0)
    g_ptr_array_add (seeds, g_byte_array_new ());
  for (guint i = 0; i < seeds->len; i++)
    {
      GByteArray *seed = g_ptr_array_index (seeds, i);
      run_input (seed->data, seed->len);
    }

  g_autoptr (GRand) rand = g_rand_new_with_seed (number);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  for (guint i = 0; i < count; i++)
    {
      GByteArray *seed = g_ptr_array_index (seeds, pick (rand, seeds->len));
      g_byte_array_set_size (bytes, 0);
      g_byte_array_append (bytes, seed->data, seed->len);
      for (guint n = 1 + pick (rand, 6); n; n--)
        mutations[pick (rand, G_N_ELEMENTS (mutations))](rand, bytes, seeds);
      run_input (bytes->data, bytes->len);
    }
  printf ("%u seeds, %u mutated inputs\n", seeds->len, count);
  return 0;
}
