/* The hash of hash.h over bytes.  Four lanes, because one multiplication
   waits for the one before it: a page then costs about 300 ns.  */

#include "base/hash.h"

#include <string.h>

static inline guint64
load_word (const guint8 *at)
{
  guint64 word;

  memcpy (&word, at, sizeof word);
  return word;
}

guint64
hash_bytes (gconstpointer data, gsize length, guint64 seed)
{
  const guint8 *at = data;
  gsize left = length;
  guint64 h = hash_word (seed ^ 0x2545f4914f6cdd1dull, length);

  if (left >= 32)
    {
      guint64 lane[4] = { h, h + 1, h + 2, h + 3 };

      for (; left >= 32; at += 32, left -= 32)
        for (int i = 0; i < 4; i++)
          lane[i] = hash_word (lane[i], load_word (at + 8 * i));
      for (int i = 0; i < 4; i++)
        h = hash_word (h, lane[i]);
    }
  for (; left >= 8; at += 8, left -= 8)
    h = hash_word (h, load_word (at));
  if (left != 0)
    {
      guint64 word = 0;

      memcpy (&word, at, left);
      h = hash_word (h, word);
    }
  return hash_finish (h);
}
