/* The rules between keys (docs/spec.md, section 1), and every size that follows from the keys. */
#include <stdio.h>
#include <string.h>

#include "config/settings.h"

enum { PAGE_BYTES = 4096, UOP_BITS = 32, WORD_BITS = 64, LOG_TABLE_BYTES = 8 };

/* Which formats vta/insn.def has. */
enum { FORMAT_MEM, FORMAT_GEMM, FORMAT_ALU, FORMAT_COUNT };

#define FAIL(...) vt_fail_at(diag, VTA_CONFIG, (vt_pos){.file = s->name}, __VA_ARGS__)

static vta_status settle_blocks(const vt__config_settings *s, vta_diag *diag, vta_config *c) {
    static const vta_config_field blocks[] = {VTA_CONFIG_LOG_BLOCK_IN, VTA_CONFIG_LOG_BLOCK_OUT};
    if (!s->extra_given[VT__LOG_BLOCK]) return VTA_OK;
    int32_t block = s->extra[VT__LOG_BLOCK];
    for (int i = 0; i < 2; i++) {
        vta_config_field f = blocks[i];
        if (s->given[f] && s->field[f] != block)
            return FAIL("%s = %d: LOG_BLOCK = %d sets both blocks and says otherwise; leave one of them out",
                        vta_config_field_name(f), (int)s->field[f], (int)block);
        c->field[f] = (int8_t)block;
    }
    return VTA_OK;
}

/* TVM's VTA writes the LOG_OUT_ keys beside those that decide them. */
static vta_status check_out_keys(const vt__config_settings *s, vta_diag *diag, const vta_config *c) {
    int width = c->field[VTA_CONFIG_LOG_INP_WIDTH];
    int size = c->field[VTA_CONFIG_LOG_ACC_BUFF_SIZE] + width - c->field[VTA_CONFIG_LOG_ACC_WIDTH];
    if (s->extra_given[VT__LOG_OUT_WIDTH] && s->extra[VT__LOG_OUT_WIDTH] != width)
        return FAIL("LOG_OUT_WIDTH = %d: outputs have the width of inputs, LOG_INP_WIDTH = %d; leave the key out",
                    (int)s->extra[VT__LOG_OUT_WIDTH], width);
    if (s->extra_given[VT__LOG_OUT_BUFF_SIZE] && s->extra[VT__LOG_OUT_BUFF_SIZE] != size)
        return FAIL("LOG_OUT_BUFF_SIZE = %d: follows from LOG_ACC_BUFF_SIZE + LOG_INP_WIDTH - LOG_ACC_WIDTH, which is "
                    "%d; leave the key out",
                    (int)s->extra[VT__LOG_OUT_BUFF_SIZE], size);
    return VTA_OK;
}

/* Version 2 has tables. Whoever reads a configuration, or what carries one, learns of an extension here. */
static vta_status settle_version(const vt__config_settings *s, vta_diag *diag, vta_config *c) {
    int size = c->field[VTA_CONFIG_LOG_TABLE_BUFF_SIZE];
    c->isa_version = size ? 2 : 1;
    if (size && size < LOG_TABLE_BYTES)
        return FAIL("LOG_TABLE_BUFF_SIZE = %d: a table takes %d bytes, so the memory has at least %d; or 0: no tables",
                    size, 1 << LOG_TABLE_BYTES, LOG_TABLE_BYTES);
    if (s->extra_given[VT__ISA_VERSION] && s->extra[VT__ISA_VERSION] != (int32_t)c->isa_version)
        return FAIL("ISA_VERSION = %d: with LOG_TABLE_BUFF_SIZE = %d it is %u; leave the key out",
                    (int)s->extra[VT__ISA_VERSION], size, c->isa_version);
    return VTA_OK;
}

/* log2 scalars of an element. */
static int log_scalars(const vta_config *c, vta_memory memory) {
    int batch = c->field[VTA_CONFIG_LOG_BATCH], in = c->field[VTA_CONFIG_LOG_BLOCK_IN],
        out = c->field[VTA_CONFIG_LOG_BLOCK_OUT];
    switch (memory) {
    case VTA_MEM_UOP: return 0;
    case VTA_MEM_WGT: return out + in;
    case VTA_MEM_INP: return batch + in;
    case VTA_MEM_TABLE: return LOG_TABLE_BYTES;
    case VTA_MEM_ACC:
    case VTA_MEM_OUT:
    case VTA_MEM_ACC_8BIT:
    case VTA_MEM_COUNT: break;
    }
    return batch + out;
}

static int log_width(const vta_config *c, vta_memory memory) {
    switch (memory) {
    case VTA_MEM_UOP: return 5;
    case VTA_MEM_WGT: return c->field[VTA_CONFIG_LOG_WGT_WIDTH];
    case VTA_MEM_ACC: return c->field[VTA_CONFIG_LOG_ACC_WIDTH];
    case VTA_MEM_ACC_8BIT:
    case VTA_MEM_TABLE: return 3;
    case VTA_MEM_INP:
    case VTA_MEM_OUT:
    case VTA_MEM_COUNT: break;
    }
    return c->field[VTA_CONFIG_LOG_INP_WIDTH];
}

static vta_config_field size_field(vta_memory memory) {
    switch (memory) {
    case VTA_MEM_UOP: return VTA_CONFIG_LOG_UOP_BUFF_SIZE;
    case VTA_MEM_WGT: return VTA_CONFIG_LOG_WGT_BUFF_SIZE;
    case VTA_MEM_INP: return VTA_CONFIG_LOG_INP_BUFF_SIZE;
    case VTA_MEM_TABLE: return VTA_CONFIG_LOG_TABLE_BUFF_SIZE;
    case VTA_MEM_ACC:
    case VTA_MEM_OUT:
    case VTA_MEM_ACC_8BIT:
    case VTA_MEM_COUNT: break;
    }
    return VTA_CONFIG_LOG_ACC_BUFF_SIZE;
}

static vta_status derive_memory(const vt__config_settings *s, vta_diag *diag, vta_config *c, vta_memory m) {
    const char *name = vta_memory_name(m);
    if (m == VTA_MEM_TABLE && c->isa_version < 2) return VTA_OK; /* there is no such memory: all its sizes are 0 */
    int log_bits = log_scalars(c, m) + log_width(c, m);
    c->width[m] = 1u << log_width(c, m);
    if (log_bits < 3)
        return FAIL("an %s element of %d bits is smaller than a byte; use wider scalars or blocks", name,
                    1 << log_bits);
    if (log_bits > 15)
        return FAIL("an %s element of %u bytes (%u scalars of %u bits) is larger than a page of %d bytes; use smaller "
                    "blocks or narrower scalars",
                    name, 1u << (log_bits - 3), 1u << log_scalars(c, m), c->width[m], PAGE_BYTES);
    c->elem_bytes[m] = 1u << (log_bits - 3);
    if (m == VTA_MEM_OUT || m == VTA_MEM_ACC_8BIT) { /* other views of acc: the same elements */
        c->depth[m] = c->depth[VTA_MEM_ACC];
        c->log_depth[m] = c->log_depth[VTA_MEM_ACC];
        c->buffer_bytes[m] = m == VTA_MEM_OUT ? c->depth[m] * c->elem_bytes[m] : c->buffer_bytes[VTA_MEM_ACC];
        return VTA_OK;
    }
    vta_config_field f = size_field(m);
    int log_depth = c->field[f] - (log_bits - 3);
    if (log_depth < 0)
        return FAIL("%s = %d: a buffer of %u bytes holds no element of %u bytes; at least %d", vta_config_field_name(f),
                    (int)c->field[f], 1u << c->field[f], c->elem_bytes[m], log_bits - 3);
    c->buffer_bytes[m] = 1u << c->field[f];
    c->log_depth[m] = (uint8_t)log_depth;
    c->depth[m] = 1u << log_depth;
    return VTA_OK;
}

static vta_status check_uop_fits(const vt__config_settings *s, vta_diag *diag, const vta_config *c) {
    int acc = c->log_depth[VTA_MEM_ACC], inp = c->log_depth[VTA_MEM_INP], wgt = c->log_depth[VTA_MEM_WGT];
    int src = acc > inp ? acc : inp;
    if (acc + src + wgt <= UOP_BITS) return VTA_OK;
    return FAIL(
        "a micro-op needs %d bits for its indices (acc %d + src %d + wgt %d) and has %d; make LOG_ACC_BUFF_SIZE, "
        "LOG_INP_BUFF_SIZE or LOG_WGT_BUFF_SIZE smaller, or the tile bigger",
        acc + src + wgt, acc, src, wgt, UOP_BITS);
}

static vta_status check_insn_fits(const vt__config_settings *s, vta_diag *diag, const vta_config *c) {
    const int U = c->log_depth[VTA_MEM_UOP], A = c->log_depth[VTA_MEM_ACC], I = c->log_depth[VTA_MEM_INP],
              W = c->log_depth[VTA_MEM_WGT];
    static const char *const names[] = {"LOAD and STORE", "GEMM", "ALU"};
    int common = 0, bits[FORMAT_COUNT][2] = {0};
#define VTA_INSN_COMMON(name, width, meaning) common += width;
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning) bits[FORMAT_##format][word] += width;
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
    for (int format = 0; format < FORMAT_COUNT; format++) {
        for (int word = 0; word < 2; word++) {
            int need = bits[format][word] + (word ? 0 : common);
            if (need > WORD_BITS)
                return FAIL("%s needs %d bits in half %d of an instruction and has %d (index bits: uop %d, acc %d, inp "
                            "%d, wgt %d); make the buffers smaller or the tile bigger",
                            names[format], need, word, WORD_BITS, U, A, I, W);
        }
    }
    return VTA_OK;
}

static void name_bitstream(vta_config *c) {
    char block[24];
    if (c->block_in == c->block_out)
        snprintf(block, sizeof block, "%u", c->block_out);
    else
        snprintf(block, sizeof block, "%ux%u", c->block_in, c->block_out);
    snprintf(c->bitstream, sizeof c->bitstream, "%ux%s_i%uw%ua%u_%d_%d_%d_%d", c->batch, block, c->width[VTA_MEM_INP],
             c->width[VTA_MEM_WGT], c->width[VTA_MEM_ACC], c->field[VTA_CONFIG_LOG_UOP_BUFF_SIZE],
             c->field[VTA_CONFIG_LOG_INP_BUFF_SIZE], c->field[VTA_CONFIG_LOG_WGT_BUFF_SIZE],
             c->field[VTA_CONFIG_LOG_ACC_BUFF_SIZE]);
    if (c->isa_version > 1) {
        size_t used = strlen(c->bitstream);
        snprintf(c->bitstream + used, sizeof c->bitstream - used, "_t%d", c->field[VTA_CONFIG_LOG_TABLE_BUFF_SIZE]);
    }
    snprintf(c->model, sizeof c->model, "%s_%s", c->target, c->bitstream);
}

vta_status vt__config_derive(const vt__config_settings *s, vta_diag *diag, vta_config *c) {
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) c->field[i] = (int8_t)s->field[i];
    memcpy(c->target, s->target, sizeof c->target);
    memcpy(c->hw_version, s->hw_version, sizeof c->hw_version);
    memcpy(c->timing, s->timing, sizeof c->timing);
    VT_TRY(settle_blocks(s, diag, c));
    VT_TRY(check_out_keys(s, diag, c));
    VT_TRY(settle_version(s, diag, c));
    int acc = c->field[VTA_CONFIG_LOG_ACC_WIDTH], inp = c->field[VTA_CONFIG_LOG_INP_WIDTH];
    if (acc < inp)
        return FAIL("LOG_ACC_WIDTH = %d: accumulators of %d bits are narrower than outputs, which have LOG_INP_WIDTH = "
                    "%d, %d bits",
                    acc, 1 << acc, inp, 1 << inp);
    c->batch = 1u << c->field[VTA_CONFIG_LOG_BATCH];
    c->block_in = 1u << c->field[VTA_CONFIG_LOG_BLOCK_IN];
    c->block_out = 1u << c->field[VTA_CONFIG_LOG_BLOCK_OUT];
    for (int m = 0; m < VTA_MEM_COUNT; m++) VT_TRY(derive_memory(s, diag, c, (vta_memory)m));
    VT_TRY(check_uop_fits(s, diag, c));
    VT_TRY(check_insn_fits(s, diag, c));
    name_bitstream(c);
    return VTA_OK;
}
