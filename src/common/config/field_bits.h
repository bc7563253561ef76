/* Widths of the instruction fields that are as wide in every configuration (vta/insn.def), as constants:
 * VT_BITS_MEM_x_size and so on. For the others isa/fields.h has vt_field_bits. */
#ifndef VT_CONFIG_FIELD_BITS_H
#define VT_CONFIG_FIELD_BITS_H

/* So far below 0 that no shift by a width that depends on the configuration compiles. */
#define U (-1000)
#define A (-1000)
#define I (-1000)
#define W (-1000)
enum {
#define VTA_INSN_COMMON(name, width, meaning)
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning) VT_BITS_##format##_##name = width,
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
};
#undef U
#undef A
#undef I
#undef W

/* The largest number of a field, VT_FIELD_MAX(MEM_x_size); of one with a sign, the least and the largest. */
#define VT_FIELD_MAX(field) ((1 << VT_BITS_##field) - 1)
#define VT_SIGNED_FIELD_LEAST(field) (-(1 << (VT_BITS_##field - 1)))
#define VT_SIGNED_FIELD_MAX(field) ((1 << (VT_BITS_##field - 1)) - 1)

#endif
