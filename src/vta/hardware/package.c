/* vta_pkg.sv: what the modules know of the configuration and of the instruction set, from the tables that the C code is
 * made from. */
#include <stdio.h>

#include "hardware/hardware.h"
#include "isa/codec.h"

static void number(vt_strbuf *t, const char *name, uint64_t value) {
    vt_strbuf_addf(t, "  parameter int %s = %llu;\n", name, (unsigned long long)value);
}

static unsigned log2_of(uint64_t value) {
    unsigned log = 0;
    while (value >> (log + 1)) log++;
    return log;
}

static const struct {
    const char *name;
    vta_memory memory;
} buffers[] = {
    {"UOP", VTA_MEM_UOP}, {"INP", VTA_MEM_INP}, {"WGT", VTA_MEM_WGT}, {"ACC", VTA_MEM_ACC}, {"OUT", VTA_MEM_OUT}};

/* Bits of a scalar and an element, log2 of its bytes, elements that the bus carries at once, bits of an index. */
static void sizes(vt_strbuf *t, const vta_config *c, const vta_hardware_options *o) {
    number(t, "BATCH", c->batch);
    number(t, "BLOCK_IN", c->block_in);
    number(t, "BLOCK_OUT", c->block_out);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        uint32_t bits = c->elem_bytes[buffers[i].memory] * 8;
        char name[32];
        snprintf(name, sizeof name, "%s_W", buffers[i].name);
        number(t, name, c->width[buffers[i].memory]);
        snprintf(name, sizeof name, "%s_BITS", buffers[i].name);
        number(t, name, bits);
        snprintf(name, sizeof name, "LOG_%s_BYTES", buffers[i].name);
        number(t, name, log2_of(bits / 8));
        snprintf(name, sizeof name, "%s_LANES", buffers[i].name);
        number(t, name, bits < o->bus_bits ? o->bus_bits / bits : 1);
        snprintf(name, sizeof name, "%s_INDEX_W", buffers[i].name);
        number(t, name, c->log_depth[buffers[i].memory]);
    }
    unsigned lines = 8 - log2_of(o->bus_bits / 8); /* log2 of those of a table */
    number(t, "TABLES", c->depth[VTA_MEM_TABLE]);
    number(t, "TABLE_INDEX_W", c->log_depth[VTA_MEM_TABLE] ? c->log_depth[VTA_MEM_TABLE] : 1);
    number(t, "LOG_TABLE_LINES", lines);
    number(t, "TABLE_ADDR_W", c->log_depth[VTA_MEM_TABLE] + lines);
    number(t, "SRC_INDEX_W", vt_uop_src_bits(c));
    number(t, "UOP_DST_AT", 0);
    number(t, "UOP_SRC_AT", vt_uop_dst_bits(c));
    number(t, "UOP_WGT_AT", vt_uop_dst_bits(c) + vt_uop_src_bits(c));
}

static void options(vt_strbuf *t, const vta_hardware_options *o) {
    number(t, "BUS_BITS", o->bus_bits);
    number(t, "LOG_BUS_BYTES", log2_of(o->bus_bits / 8));
    number(t, "LEN_BITS", log2_of(o->burst_beats));
    number(t, "LOG_QUEUE", log2_of(o->queue_depth));
    number(t, "READS_MAX", o->reads_most);
    number(t, "INSN_BITS", VTA_INSN_BYTES * 8);
    uint32_t count_bits = o->address_bits - 3; /* of as many instructions as memory holds */
    if (count_bits > 22) count_bits = 22;      /* a stream is one transfer: 2^25 bytes */
    number(t, "ADDR_W", o->address_bits);
    number(t, "PAGE_W", o->address_bits - 12); /* base registers: pages of 4096 bytes */
    number(t, "INSN_COUNT_W", count_bits);
    number(t, "TOKEN_W", count_bits);
    number(t, "CLIENTS", 5);
    vt_strbuf_addf(t, "  parameter bit MUL_PACK = 1'b%d;\n", o->pack);
    vt_strbuf_addf(t, "  parameter bit SMALL = 1'b%d;\n", o->small);
    vt_strbuf_addf(t, "  parameter bit ALU_HAS_MUL = 1'b%d;\n", !o->no_mul);
}

static void upper(vt_strbuf *t, const char *name) {
    for (; *name; name++) vt_strbuf_addc(t, *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name);
}

/* One field: where it begins in the 128 bits, and its width. */
static void field(vt_strbuf *t, const char *format, const char *name, unsigned at, unsigned width) {
    for (int part = 0; part < 2; part++) {
        vt_strbuf_add(t, "  parameter int ");
        if (*format) vt_strbuf_addf(t, "%s_", format);
        upper(t, name);
        vt_strbuf_addf(t, part ? "_W = %u;\n" : "_AT = %u;\n", part ? width : at);
    }
}

static void fields(vt_strbuf *t, const vta_config *c) {
    VT_INDEX_BITS(c);
    unsigned common = 0, at[VT_FORMAT_NONE][2];
#define VTA_INSN_COMMON(name, width, meaning)                                                                          \
    field(t, "", #name, common, width);                                                                                \
    common += width;
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning)
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
    for (int i = 0; i < VT_FORMAT_NONE; i++) {
        at[i][0] = common;
        at[i][1] = 64;
    }
#define VTA_INSN_COMMON(name, width, meaning)
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning)                                                \
    field(t, #format, #name, at[VT_FORMAT_##format][word], width);                                                     \
    at[VT_FORMAT_##format][word] += width;
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
}

static void numbers(vt_strbuf *t) {
#define VTA_OPCODE(name, number, format, meaning)                                                                      \
    vt_strbuf_addf(t, "  parameter logic [2:0] OP_" #name " = 3'd%d;\n", number);
#define VTA_ALU_OPCODE(name, number, formula, field, lane)                                                             \
    vt_strbuf_addf(t, "  parameter logic [2:0] ALU_" #name " = 3'd%d;\n", number);
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    number(t, "ALU_COUNT", VTA_ALU_COUNT);
#define VTA_MEMORY(name, number, text, element)                                                                        \
    vt_strbuf_addf(t, "  parameter logic [2:0] MEM_" #name " = 3'd%d;\n", number);
#include "vta/memory.def"
#undef VTA_MEMORY
#define VTA_REGISTER(name, offset, meaning)                                                                            \
    vt_strbuf_addf(t, "  parameter logic [7:0] REG_" #name " = 8'h%02x;\n", offset);
#include "vta/register.def"
#undef VTA_REGISTER
}

void vt_hardware_package(vt_strbuf *t, const vta_config *config, const vta_hardware_options *o) {
    vt_strbuf_addf(t, "// Made by vta hw generate for %s: sizes, fields and numbers. Do not edit.\n",
                   vta_config_bitstream(config));
    vt_strbuf_add(t, "// verilator lint_off UNUSEDPARAM\n`default_nettype none\npackage vta_pkg;\n");
    sizes(t, config, o);
    options(t, o);
    fields(t, config);
    numbers(t);
    vt_strbuf_add(t, "endpackage\n`default_nettype wire\n// verilator lint_on UNUSEDPARAM\n");
}
