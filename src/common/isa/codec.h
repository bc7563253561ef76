/* Packing and unpacking of instructions and micro-ops, inline: for code that has checked its fields already (the
 * runtime's queue, a device's decoder). vta_insn_encode and vta_insn_decode are these with the checks before them.
 *
 * The order of the rows in vta/insn.def is the layout; positions are running sums of widths, which the compiler folds
 * for the formats whose widths are constant. */
#ifndef VT_ISA_CODEC_H
#define VT_ISA_CODEC_H

#include <stdbool.h>
#include <string.h>

#include "config/config_priv.h"
#include "vta/isa.h"

/* The two 64-bit halves of an instruction being packed or unpacked, and the next bit of each. */
typedef struct vt_insn_bits {
    uint64_t word[2];
    unsigned at[2];
} vt_insn_bits;

/* Widths are below 64, and a position is 64 only where a field of no bits follows: `& 63` keeps that shift defined. */
static inline uint64_t vt_low_bits(unsigned width) { return ((uint64_t)1 << width) - 1; }

static inline void vt_put_bits(vt_insn_bits *b, unsigned word, unsigned width, uint64_t value) {
    b->word[word] |= (value & vt_low_bits(width)) << (b->at[word] & 63);
    b->at[word] += width;
}

static inline uint64_t vt_take_bits(vt_insn_bits *b, unsigned word, unsigned width) {
    uint64_t value = b->word[word] >> (b->at[word] & 63) & vt_low_bits(width);
    b->at[word] += width;
    return value;
}

/* Sign extension of the low `width` (at least 1) bits. */
static inline int64_t vt_extend_sign(uint64_t value, unsigned width) {
    uint64_t sign = (uint64_t)1 << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

static inline uint64_t vt_load_le64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline void vt_store_le64(uint8_t *p, uint64_t v) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(p, &v, sizeof v);
}

/* U, A, I and W of the field table. */
#define VT_INDEX_BITS(config)                                                                                          \
    const unsigned U = (config)->log_depth[VTA_MEM_UOP];                                                               \
    const unsigned A = (config)->log_depth[VTA_MEM_ACC];                                                               \
    const unsigned I = (config)->log_depth[VTA_MEM_INP];                                                               \
    const unsigned W = (config)->log_depth[VTA_MEM_WGT]

enum { VT_FORMAT_MEM, VT_FORMAT_GEMM, VT_FORMAT_ALU, VT_FORMAT_NONE };

/* What a field holds. */
typedef enum vt_field_kind { VT_FIELD_NUMBER, VT_FIELD_SIGNED, VT_FIELD_MEMORY, VT_FIELD_OPERATION } vt_field_kind;

/* Both are called with a constant format, so that only its rows remain. */
static inline __attribute__((always_inline)) void vt_pack_format(int format, const vta_config *config,
                                                                 const vta_insn *insn, vt_insn_bits *b) {
    VT_INDEX_BITS(config);
#define VTA_INSN_COMMON(name, width, meaning) vt_put_bits(b, 0, width, insn->name);
#define VTA_INSN_FIELD(of, group, name, word, width, kind, meaning)                                                    \
    if (format == VT_FORMAT_##of) vt_put_bits(b, word, width, (uint64_t)insn->u.group.name);
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
}

static inline __attribute__((always_inline)) void vt_unpack_format(int format, const vta_config *config,
                                                                   vt_insn_bits *b, vta_insn *insn) {
    VT_INDEX_BITS(config);
#define VTA_INSN_COMMON(name, width, meaning) insn->name = (uint8_t)vt_take_bits(b, 0, width);
#define VTA_INSN_FIELD(of, group, name, word, width, kind, meaning)                                                    \
    if (format == VT_FORMAT_##of) {                                                                                    \
        uint64_t value = vt_take_bits(b, word, width);                                                                 \
        if (VT_FIELD_##kind == VT_FIELD_SIGNED) value = (uint64_t)vt_extend_sign(value, width);                        \
        insn->u.group.name = (__typeof__(insn->u.group.name))value;                                                    \
    }
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
}

static inline __attribute__((always_inline)) bool vt_format_fits(int format, const vta_config *config,
                                                                 const vta_insn *insn) {
    VT_INDEX_BITS(config);
    uint64_t over = 0; /* bits that stick out of their field */
#define VTA_INSN_COMMON(name, width, meaning) over |= (uint64_t)insn->name >> (width);
#define VTA_INSN_FIELD(of, group, name, word, width, kind, meaning)                                                    \
    if (format == VT_FORMAT_##of)                                                                                      \
        over |= VT_FIELD_##kind == VT_FIELD_SIGNED                                                                     \
                    ? (uint64_t)(vt_extend_sign((uint64_t)insn->u.group.name & vt_low_bits(width), width) ^            \
                                 (int64_t)insn->u.group.name)                                                          \
                    : (uint64_t)insn->u.group.name >> (width);
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
    return over == 0;
}

/* Whether the opcode exists and every field of its format fits the configuration. */
static inline bool vt_insn_fits(const vta_config *config, const vta_insn *insn) {
    switch (insn->opcode) {
#define VTA_OPCODE(name, number, format, meaning)                                                                      \
    case number: return vt_format_fits(VT_FORMAT_##format, config, insn);
#define VTA_ALU_OPCODE(name, number, formula, field, lane)
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    default: return false;
    }
}

/* Packs an instruction whose fields are known to fit; a field that does not is cut. */
static inline void vt_insn_pack(const vta_config *config, const vta_insn *insn, uint8_t out_bytes[VTA_INSN_BYTES]) {
    vt_insn_bits b = {{0}, {0}};
    switch (insn->opcode) {
#define VTA_OPCODE(name, number, format, meaning)                                                                      \
    case number: vt_pack_format(VT_FORMAT_##format, config, insn, &b); break;
#define VTA_ALU_OPCODE(name, number, formula, field, lane)
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    default: break;
    }
    vt_store_le64(out_bytes, b.word[0]);
    vt_store_le64(out_bytes + 8, b.word[1]);
}

/* Unpacks; false for an opcode that does not exist. Fields that an instruction's format does not have are 0. */
static inline bool vt_insn_unpack(const vta_config *config, const uint8_t bytes[VTA_INSN_BYTES], vta_insn *out_insn) {
    vt_insn_bits b = {{vt_load_le64(bytes), vt_load_le64(bytes + 8)}, {0}};
    memset(out_insn, 0, sizeof *out_insn);
    switch (b.word[0] & 7) {
#define VTA_OPCODE(name, number, format, meaning)                                                                      \
    case number: vt_unpack_format(VT_FORMAT_##format, config, &b, out_insn); return true;
#define VTA_ALU_OPCODE(name, number, formula, field, lane)
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    default: return false;
    }
}

/* Bits of a micro-op's three indices. */
static inline unsigned vt_uop_dst_bits(const vta_config *config) { return config->log_depth[VTA_MEM_ACC]; }
static inline unsigned vt_uop_src_bits(const vta_config *config) {
    unsigned acc = config->log_depth[VTA_MEM_ACC], inp = config->log_depth[VTA_MEM_INP];
    return acc > inp ? acc : inp;
}
static inline unsigned vt_uop_wgt_bits(const vta_config *config) { return config->log_depth[VTA_MEM_WGT]; }

/* Packs a micro-op whose indices are known to fit. */
static inline uint32_t vt_uop_pack(const vta_config *config, vta_uop uop) {
    unsigned d = vt_uop_dst_bits(config), s = vt_uop_src_bits(config);
    return (uint32_t)((uint64_t)uop.dst | (uint64_t)uop.src << d | (uint64_t)uop.wgt << (d + s));
}

static inline vta_uop vt_uop_unpack(const vta_config *config, uint32_t word) {
    unsigned d = vt_uop_dst_bits(config), s = vt_uop_src_bits(config), w = vt_uop_wgt_bits(config);
    uint64_t v = word;
    return (vta_uop){(uint32_t)(v & vt_low_bits(d)), (uint32_t)(v >> d & vt_low_bits(s)),
                     (uint32_t)(v >> (d + s) & vt_low_bits(w))};
}

/* Bytes in DRAM of an element that a LOAD or STORE moves; 0 for a no-op, whose memory type may be one that does not
 * exist. */
static inline uint32_t vt_insn_elem_bytes(const vta_config *config, const vta_insn *insn) {
    return insn->u.mem.x_size ? config->elem_bytes[insn->u.mem.memory_type] : 0;
}

/* The stage that runs an instruction; 0 for a combination that no stage takes (docs/spec.md, section 5). */
static inline int vt_insn_stage(const vta_insn *insn) {
    if (insn->opcode == VTA_OP_STORE) return VTA_STAGE_STORE;
    if (insn->opcode != VTA_OP_LOAD) return insn->opcode < VTA_OP_COUNT ? VTA_STAGE_COMPUTE : 0;
    switch (insn->u.mem.memory_type) {
    case VTA_MEM_INP:
    case VTA_MEM_WGT: return VTA_STAGE_LOAD;
    case VTA_MEM_UOP:
    case VTA_MEM_ACC:
    case VTA_MEM_ACC_8BIT:
    case VTA_MEM_TABLE: return VTA_STAGE_COMPUTE;
    default: return 0;
    }
}

#endif
