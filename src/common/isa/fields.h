/* The field table (vta/insn.def) as data, for code that walks over fields: checks, the disassembler, the assembler. */
#ifndef VT_ISA_FIELDS_H
#define VT_ISA_FIELDS_H

#include "isa/codec.h"

typedef struct vt_field {
    const char *name;
    const char *meaning;
    uint8_t word;
    uint8_t offset; /* in vta_insn */
    uint8_t bytes;
    uint8_t kind; /* vt_field_kind */
    uint8_t row;  /* its place in the table */
} vt_field;

/* The common fields: the opcode first, then the four dependence flags. */
const vt_field *vt_common_fields(unsigned *out_count);
/* The fields that follow the common ones for an opcode (which must exist), in bit order. */
const vt_field *vt_opcode_fields(unsigned opcode, unsigned *out_count);
/* A field's bits in a configuration; may be 0. */
unsigned vt_field_bits(const vta_config *config, const vt_field *field);
int64_t vt_field_get(const vt_field *field, const vta_insn *insn);
/* The value must fit (vt_field_range). */
void vt_field_set(const vt_field *field, vta_insn *insn, int64_t value);
void vt_field_range(const vta_config *config, const vt_field *field, int64_t *out_least, int64_t *out_max);

#endif
