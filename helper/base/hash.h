/* A fast 64-bit hash of bytes, for checksums of the log's chunks and for
   digests of memory.

   Not cryptographic: it finds accidents, not attacks.  The value is part
   of the log format (doc/log-format.md) and must never change; it reads
   words as little-endian, which is all that x86-64 has.  */

#ifndef RETRO_BASE_HASH_H
#define RETRO_BASE_HASH_H

#include <glib.h>

/* Mix the 64-bit WORD into the hash H.  */
static inline guint64
hash_word (guint64 h, guint64 word)
{
  h ^= word * 0x9e3779b97f4a7c15ull;
  h = (h << 27) | (h >> 37);
  return h * 0xff51afd7ed558ccdull + 0x52dce729;
}

/* Make every bit of H depend on every other.  */
static inline guint64
hash_finish (guint64 h)
{
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdull;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ull;
  return h ^ (h >> 33);
}

/* Both halves of a hash in 32 bits.  */
static inline guint32
hash_fold (guint64 h)
{
  return (guint32) (h ^ (h >> 32));
}

/* Hash of LENGTH bytes; equal bytes with another SEED hash otherwise.  */
guint64 hash_bytes (gconstpointer data, gsize length, guint64 seed);

#endif
