#include "isa/fields.h"

#include <stddef.h>
#include <string.h>

/* Rows are numbered in the order of the table. */
enum {
#define VTA_INSN_COMMON(name, width, meaning) ROW_##name,
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning) ROW_##format##_##name,
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
    ROW_COUNT
};

#define PLACE(member) offsetof(vta_insn, member), sizeof(((vta_insn *)0)->member)

static const vt_field fields[] = {
#define VTA_INSN_COMMON(name, width, meaning) {#name, meaning, 0, PLACE(name), VT_FIELD_NUMBER, ROW_##name},
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning)                                                \
    {#name, meaning, word, PLACE(u.group.name), VT_FIELD_##kind, ROW_##format##_##name},
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
};

/* The format of each row; the common ones have NONE. */
static const uint8_t formats[ROW_COUNT] = {
#define VTA_INSN_COMMON(name, width, meaning) VT_FORMAT_NONE,
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning) VT_FORMAT_##format,
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
};

static const vt_field *rows_of(uint8_t format, unsigned *out_count) {
    const vt_field *first = NULL;
    *out_count = 0;
    for (unsigned i = 0; i < ROW_COUNT; i++) {
        if (formats[i] != format) continue;
        if (!first) first = &fields[i];
        ++*out_count;
    }
    return first;
}

const vt_field *vt_common_fields(unsigned *out_count) { return rows_of(VT_FORMAT_NONE, out_count); }

const vt_field *vt_opcode_fields(unsigned opcode, unsigned *out_count) {
    static const uint8_t format_of[] = {
#define VTA_OPCODE(name, number, format, meaning) [number] = VT_FORMAT_##format,
#define VTA_ALU_OPCODE(name, number, formula, field, lane)
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    };
    *out_count = 0;
    if (opcode >= VTA_OP_COUNT || format_of[opcode] == VT_FORMAT_NONE) return NULL;
    return rows_of(format_of[opcode], out_count);
}

unsigned vt_field_bits(const vta_config *config, const vt_field *field) {
    VT_INDEX_BITS(config);
    const unsigned bits[ROW_COUNT] = {
#define VTA_INSN_COMMON(name, width, meaning) width,
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning) width,
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
    };
    return bits[field->row];
}

int64_t vt_field_get(const vt_field *field, const vta_insn *insn) {
    const uint8_t *at = (const uint8_t *)insn + field->offset;
    uint8_t v8;
    uint16_t v16;
    uint32_t v32;
    switch (field->bytes) {
    case 1: memcpy(&v8, at, 1); return v8;
    case 2: memcpy(&v16, at, 2); return field->kind == VT_FIELD_SIGNED ? (int16_t)v16 : v16;
    default: memcpy(&v32, at, 4); return v32;
    }
}

void vt_field_set(const vt_field *field, vta_insn *insn, int64_t value) {
    uint8_t *at = (uint8_t *)insn + field->offset;
    uint8_t v8 = (uint8_t)value;
    uint16_t v16 = (uint16_t)value;
    uint32_t v32 = (uint32_t)value;
    switch (field->bytes) {
    case 1: memcpy(at, &v8, 1); break;
    case 2: memcpy(at, &v16, 2); break;
    default: memcpy(at, &v32, 4); break;
    }
}

void vt_field_range(const vta_config *config, const vt_field *field, int64_t *out_least, int64_t *out_max) {
    int64_t count = (int64_t)1 << vt_field_bits(config, field);
    bool is_signed = field->kind == VT_FIELD_SIGNED;
    *out_least = is_signed ? -(count / 2) : 0;
    *out_max = is_signed ? count / 2 - 1 : count - 1;
}
