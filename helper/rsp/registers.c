/* Registers: see rsp/registers.h.

   A table lists families of registers (xmm0 to xmm15 are one row); it is
   expanded once into one entry for each register, in the order of GDB's
   own descriptions of amd64 (gdb/features/i386/64bit-*.xml names the same
   features; GDB finds registers by name, so only names matter).  */

#include "rsp/registers.h"

#include <cpuid.h>
#include <string.h>

#define XCR0_AVX (1u << 2)
#define XCR0_AVX512 (7u << 5)
#define XCR0_PKRU (1u << 9)
#define XSTATE_BV 512

typedef enum
{
  FROM_REGS,  /* user_regs_struct at offset  */
  FROM_X87,   /* a field of the FXSAVE area; component 0  */
  FROM_TAG,   /* the x87 tag word  */
  FROM_SSE,   /* XSAVE area, component 1  */
  FROM_MXCSR,
  FROM_XSAVE  /* component `component' at its own offset + offset  */
} RegFrom;

typedef struct
{
  const char *name;    /* one register, or with %d a family  */
  guint8 count, first; /* of the family  */
  guint8 size;         /* bytes in packets  */
  guint8 stored;       /* bytes in the image if less, else 0  */
  guint8 from, component;
  guint16 offset, stride;
  const char *type, *group;
} RegRow;

typedef struct
{
  const char *feature;
  const char *types; /* XML of the feature's own types  */
  const RegRow *rows;
  gsize n_rows;
  guint32 needs; /* bits of XCR0  */
} RegFeature;

#define G(reg, type_) { #reg, 1, 0, 8, 0, FROM_REGS, 0, offsetof (Regs, reg), 0, type_, NULL }
#define G4(name_, field, type_) { name_, 1, 0, 4, 0, FROM_REGS, 0, offsetof (Regs, field), 0, type_, NULL }
#define X87(name_, offset_, stored_) { name_, 1, 0, 4, stored_, FROM_X87, 0, offset_, 0, "int", "float" }

static const RegRow core_rows[] = {
  G (rax, "int64"),
  G (rbx, "int64"),
  G (rcx, "int64"),
  G (rdx, "int64"),
  G (rsi, "int64"),
  G (rdi, "int64"),
  G (rbp, "data_ptr"),
  G (rsp, "data_ptr"),
  G (r8, "int64"),
  G (r9, "int64"),
  G (r10, "int64"),
  G (r11, "int64"),
  G (r12, "int64"),
  G (r13, "int64"),
  G (r14, "int64"),
  G (r15, "int64"),
  G (rip, "code_ptr"),
  G4 ("eflags", eflags, "i386_eflags"),
  G4 ("cs", cs, "int32"),
  G4 ("ss", ss, "int32"),
  G4 ("ds", ds, "int32"),
  G4 ("es", es, "int32"),
  G4 ("fs", fs, "int32"),
  G4 ("gs", gs, "int32"),
  { "st%d", 8, 0, 10, 0, FROM_X87, 0, 32, 16, "i387_ext", NULL },
  X87 ("fctrl", 0, 2),
  X87 ("fstat", 2, 2),
  { "ftag", 1, 0, 4, 0, FROM_TAG, 0, 4, 0, "int", "float" },
  X87 ("fiseg", 12, 2),
  X87 ("fioff", 8, 4),
  X87 ("foseg", 20, 2),
  X87 ("fooff", 16, 4),
  X87 ("fop", 6, 2),
};

static const RegRow sse_rows[] = {
  { "xmm%d", 16, 0, 16, 0, FROM_SSE, 1, 160, 16, "vec128", NULL },
  { "mxcsr", 1, 0, 4, 0, FROM_MXCSR, 1, 24, 0, "i386_mxcsr", "vector" },
};

static const RegRow linux_rows[] = { G (orig_rax, "int") };
static const RegRow segment_rows[] = { G (fs_base, "int"), G (gs_base, "int") };
static const RegRow avx_rows[] = { { "ymm%dh", 16, 0, 16, 0, FROM_XSAVE, 2, 0, 16, "uint128", NULL } };

static const RegRow avx512_rows[] = {
  { "xmm%d", 16, 16, 16, 0, FROM_XSAVE, 7, 0, 64, "vec128", NULL },
  { "ymm%dh", 16, 16, 16, 0, FROM_XSAVE, 7, 16, 64, "uint128", NULL },
  { "k%d", 8, 0, 8, 0, FROM_XSAVE, 5, 0, 8, "uint64", NULL },
  { "zmm%dh", 16, 0, 32, 0, FROM_XSAVE, 6, 0, 32, "v2ui128", NULL },
  { "zmm%dh", 16, 16, 32, 0, FROM_XSAVE, 7, 32, 64, "v2ui128", NULL },
};

static const RegRow pkeys_rows[] = { { "pkru", 1, 0, 4, 0, FROM_XSAVE, 9, 0, 0, "uint32", NULL } };

#define FIELD(name, bit) "<field name=\"" name "\" start=\"" #bit "\" end=\"" #bit "\"/>"

static const char flags_xml[]
  = "<flags id=\"i386_eflags\" size=\"4\">"
    FIELD ("CF", 0) FIELD ("", 1) FIELD ("PF", 2) FIELD ("AF", 4) FIELD ("ZF", 6) FIELD ("SF", 7) FIELD ("TF", 8)
    FIELD ("IF", 9) FIELD ("DF", 10) FIELD ("OF", 11) FIELD ("NT", 14) FIELD ("RF", 16) FIELD ("VM", 17)
    FIELD ("AC", 18) FIELD ("VIF", 19) FIELD ("VIP", 20) FIELD ("ID", 21) "</flags>\n";

#define VECTOR_XML                                                                                                     \
  "<vector id=\"v8bf16\" type=\"bfloat16\" count=\"8\"/>"                                                              \
  "<vector id=\"v8h\" type=\"ieee_half\" count=\"8\"/>"                                                                \
  "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>"                                                              \
  "<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/>"                                                              \
  "<vector id=\"v16i8\" type=\"int8\" count=\"16\"/>"                                                                  \
  "<vector id=\"v8i16\" type=\"int16\" count=\"8\"/>"                                                                  \
  "<vector id=\"v4i32\" type=\"int32\" count=\"4\"/>"                                                                  \
  "<vector id=\"v2i64\" type=\"int64\" count=\"2\"/>"                                                                  \
  "<union id=\"vec128\">"                                                                                              \
  "<field name=\"v8_bfloat16\" type=\"v8bf16\"/><field name=\"v8_half\" type=\"v8h\"/>"                                \
  "<field name=\"v4_float\" type=\"v4f\"/>"                                                                            \
  "<field name=\"v2_double\" type=\"v2d\"/><field name=\"v16_int8\" type=\"v16i8\"/>"                                  \
  "<field name=\"v8_int16\" type=\"v8i16\"/><field name=\"v4_int32\" type=\"v4i32\"/>"                                 \
  "<field name=\"v2_int64\" type=\"v2i64\"/><field name=\"uint128\" type=\"uint128\"/></union>\n"

static const char mxcsr_xml[]
  = VECTOR_XML "<flags id=\"i386_mxcsr\" size=\"4\">"
    FIELD ("IE", 0) FIELD ("DE", 1) FIELD ("ZE", 2) FIELD ("OE", 3) FIELD ("UE", 4) FIELD ("PE", 5) FIELD ("DAZ", 6)
    FIELD ("IM", 7) FIELD ("DM", 8) FIELD ("ZM", 9) FIELD ("OM", 10) FIELD ("UM", 11) FIELD ("PM", 12)
    FIELD ("FZ", 15) "</flags>\n";

static const char avx512_xml[] = VECTOR_XML "<vector id=\"v2ui128\" type=\"uint128\" count=\"2\"/>\n";

static const RegFeature features[] = {
  { "org.gnu.gdb.i386.core", flags_xml, core_rows, G_N_ELEMENTS (core_rows), 0 },
  { "org.gnu.gdb.i386.sse", mxcsr_xml, sse_rows, G_N_ELEMENTS (sse_rows), 0 },
  { "org.gnu.gdb.i386.linux", "", linux_rows, G_N_ELEMENTS (linux_rows), 0 },
  { "org.gnu.gdb.i386.segments", "", segment_rows, G_N_ELEMENTS (segment_rows), 0 },
  { "org.gnu.gdb.i386.avx", "", avx_rows, G_N_ELEMENTS (avx_rows), XCR0_AVX },
  { "org.gnu.gdb.i386.avx512", avx512_xml, avx512_rows, G_N_ELEMENTS (avx512_rows), XCR0_AVX512 },
  { "org.gnu.gdb.i386.pkeys", "", pkeys_rows, G_N_ELEMENTS (pkeys_rows), XCR0_PKRU },
};

/* One register.  */
typedef struct
{
  char name[12];
  const RegRow *row;
  guint32 offset;        /* in its source  */
  guint32 packet_offset;
} Reg;

typedef struct
{
  GArray *regs; /* of Reg  */
  gsize packet_size;
  char *xml;
} Description;

static guint64
read_xcr0 (void)
{
  guint a, b, c, d, low, high;

  if (!__get_cpuid (1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 3;
  __asm__ volatile ("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (guint64) high << 32 | low;
}

static guint
component_offset (guint component)
{
  guint a = 0, b = 0, c = 0, d = 0;

  if (component < 2)
    return 0;
  __cpuid_count (0xd, component, a, b, c, d);
  return b;
}

/* Append the registers of ROW and their XML.  */
static void
expand_row (Description *all, const RegRow *row, GString *xml)
{
  for (guint i = 0; i < row->count; i++)
    {
      Reg reg = { .row = row };

      /* The format is one of the table's.  */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      g_snprintf (reg.name, sizeof reg.name, row->name, row->first + i);
#pragma GCC diagnostic pop
      reg.offset = component_offset (row->from == FROM_XSAVE ? row->component : 0) + row->offset + i * row->stride;
      reg.packet_offset = (guint32) all->packet_size;
      all->packet_size += row->size;
      g_string_append_printf (xml, "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\" regnum=\"%u\"", reg.name,
                              row->size * 8u, row->type, all->regs->len);
      if (row->group != NULL)
        g_string_append_printf (xml, " group=\"%s\"", row->group);
      g_string_append (xml, "/>\n");
      g_array_append_val (all->regs, reg);
    }
}

static const Description *
description (void)
{
  static Description *all;
  g_autoptr (GString) xml = NULL;
  guint64 xcr0;

  if (all != NULL)
    return all;
  xcr0 = read_xcr0 ();
  all = g_new0 (Description, 1);
  all->regs = g_array_new (FALSE, TRUE, sizeof (Reg));
  xml = g_string_new ("<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target>\n"
                      "<architecture>i386:x86-64</architecture>\n<osabi>GNU/Linux</osabi>\n");
  for (gsize f = 0; f < G_N_ELEMENTS (features); f++)
    if ((xcr0 & features[f].needs) == features[f].needs)
      {
        g_string_append_printf (xml, "<feature name=\"%s\">\n%s", features[f].feature, features[f].types);
        for (gsize r = 0; r < features[f].n_rows; r++)
          expand_row (all, &features[f].rows[r], xml);
        g_string_append (xml, "</feature>\n");
      }
  g_string_append (xml, "</target>\n");
  all->xml = g_string_free (g_steal_pointer (&xml), FALSE);
  return all;
}

static const Reg *
find (guint number)
{
  const Description *all = description ();

  return number < all->regs->len ? &g_array_index (all->regs, Reg, number) : NULL;
}

guint
registers_count (void)
{
  return description ()->regs->len;
}

gsize
registers_packet_size (void)
{
  return description ()->packet_size;
}

const char *
registers_xml (void)
{
  return description ()->xml;
}

const char *
registers_name (guint number)
{
  const Reg *reg = find (number);

  return reg != NULL ? reg->name : NULL;
}

gsize
registers_size (guint number)
{
  const Reg *reg = find (number);

  return reg != NULL ? reg->row->size : 0;
}

gsize
registers_offset (guint number)
{
  const Reg *reg = find (number);

  return reg != NULL ? reg->packet_offset : 0;
}

gboolean
registers_is_general (guint number)
{
  const Reg *reg = find (number);

  return reg != NULL && reg->row->from == FROM_REGS;
}

/* The place of REG in STATE and how many bytes of it are stored there;
   NULL if the image is too short.  */
static guint8 *
place (const RegState *state, const Reg *reg, gsize *stored_ret)
{
  *stored_ret = reg->row->stored != 0 ? reg->row->stored : reg->row->size;
  if (reg->row->from == FROM_REGS)
    return (guint8 *) &state->regs + reg->offset;
  if (state->xstate == NULL || reg->offset + (gsize) *stored_ret > state->xstate->len)
    return NULL;
  return state->xstate->data + reg->offset;
}

/* The full tag word from the abridged one: 3 empty, else by the value.  */
static guint32
full_tag (const guint8 *fxsave)
{
  guint32 tag = 0;
  int top = fxsave[3] >> 3 & 7;

  for (int physical = 0; physical < 8; physical++)
    {
      const guint8 *st = fxsave + 32 + 16 * ((physical + 8 - top) % 8);
      guint16 exponent;
      guint64 mantissa;
      guint32 kind = 3;

      memcpy (&mantissa, st, 8);
      memcpy (&exponent, st + 8, 2);
      exponent &= 0x7fff;
      if (fxsave[4] & 1 << physical)
        kind = exponent == 0x7fff ? 2 : exponent == 0 && mantissa == 0 ? 1 : exponent != 0 && mantissa >> 63 ? 0 : 2;
      tag |= kind << 2 * physical;
    }
  return tag;
}

gboolean
registers_get (const RegState *state, guint number, guint8 *buffer)
{
  const Reg *reg = find (number);
  gsize stored;
  const guint8 *from;

  if (reg == NULL || (from = place (state, reg, &stored)) == NULL)
    return FALSE;
  memset (buffer, 0, reg->row->size);
  if (reg->row->from == FROM_TAG)
    {
      guint32 tag = full_tag (state->xstate->data);

      memcpy (buffer, &tag, 4);
    }
  else
    memcpy (buffer, from, stored);
  return TRUE;
}

/* The component of REG is no longer in its initial state.  */
static void
mark_used (RegState *state, const Reg *reg)
{
  guint64 used;

  if (state->xstate->len < XSTATE_BV + 8)
    return;
  memcpy (&used, state->xstate->data + XSTATE_BV, 8);
  used |= G_GUINT64_CONSTANT (1) << reg->row->component;
  memcpy (state->xstate->data + XSTATE_BV, &used, 8);
}

gboolean
registers_set (RegState *state, guint number, const guint8 *buffer)
{
  const Reg *reg = find (number);
  guint8 old[REGNO_MAX_SIZE];
  gsize stored;
  guint8 *to;

  if (reg == NULL || (to = place (state, reg, &stored)) == NULL)
    return FALSE;
  if (registers_get (state, number, old) && memcmp (old, buffer, reg->row->size) == 0)
    return TRUE;
  if (reg->row->from == FROM_TAG)
    {
      guint32 tag;
      guint8 abridged = 0;

      memcpy (&tag, buffer, 4);
      for (int i = 0; i < 8; i++)
        if ((tag >> 2 * i & 3) != 3)
          abridged |= (guint8) (1 << i);
      *to = abridged;
    }
  else
    memcpy (to, buffer, stored);
  if (reg->row->from != FROM_REGS)
    mark_used (state, reg);
  return TRUE;
}

void
reg_state_clear (RegState *state)
{
  g_clear_pointer (&state->xstate, g_byte_array_unref);
}
