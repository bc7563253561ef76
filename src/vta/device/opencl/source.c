#include "device/opencl/source.h"

#include "config/config_priv.h"
#include "isa/codec.h"

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

static void number(vt_strbuf *to, const char *name, uint64_t value) {
    vt_strbuf_addf(to, "#define %s %llu%s\n", name, (unsigned long long)value, value > UINT32_MAX ? "UL" : "u");
}

static void add_sizes(const vta_config *c, vt_strbuf *to) {
    number(to, "LANES", (uint64_t)c->batch * c->block_out);
    number(to, "BLOCK_IN", c->block_in);
    number(to, "BLOCK_OUT", c->block_out);
    number(to, "INP_WIDTH", c->width[VTA_MEM_INP]);
    number(to, "WGT_WIDTH", c->width[VTA_MEM_WGT]);
    vt_strbuf_addf(to, "#define OUT_WIDTH %u\n", c->width[VTA_MEM_OUT]); /* #if looks at it */
    number(to, "INP_BYTES", c->elem_bytes[VTA_MEM_INP]);
    number(to, "WGT_BYTES", c->elem_bytes[VTA_MEM_WGT]);
    number(to, "OUT_BYTES", c->elem_bytes[VTA_MEM_OUT]);
    number(to, "UOP_DEPTH", c->depth[VTA_MEM_UOP]);
    number(to, "INP_DEPTH", c->depth[VTA_MEM_INP]);
    number(to, "WGT_DEPTH", c->depth[VTA_MEM_WGT]);
    number(to, "ACC_DEPTH", c->depth[VTA_MEM_ACC]);
    number(to, "TABLE_DEPTH", c->depth[VTA_MEM_TABLE]);
    number(to, "TABLE_BYTES", VTA_TABLE_ENTRIES);
    number(to, "MEMORY_UOP", VTA_MEM_UOP);
    number(to, "MEMORY_INP", VTA_MEM_INP);
    number(to, "MEMORY_WGT", VTA_MEM_WGT);
    number(to, "MEMORY_ACC", VTA_MEM_ACC);
    number(to, "MEMORY_ACC_8BIT", VTA_MEM_ACC_8BIT);
    number(to, "MEMORY_TABLE", VTA_MEM_TABLE);
}

/* ---- Instructions ------------------------------------------------------------------------------------------------ */

/* FORMAT_name(i): a field of the instruction i, whose two words are i.s0 and i.s1. */
static void field(vt_strbuf *to, const char *format, const char *name, unsigned word, unsigned at, unsigned bits,
                  bool is_signed) {
    if (!bits)
        vt_strbuf_addf(to, "#define %s_%s(i) 0u\n", format, name);
    else if (is_signed)
        vt_strbuf_addf(to, "#define %s_%s(i) ((int)((long)((i).s%u << %u) >> %u))\n", format, name, word,
                       64 - at - bits, 64 - bits);
    else
        vt_strbuf_addf(to, "#define %s_%s(i) ((uint)((i).s%u >> %u & 0x%llxUL))\n", format, name, word, at & 63,
                       (unsigned long long)vt_low_bits(bits));
}

static void add_fields(const vta_config *config, vt_strbuf *to) {
    VT_INDEX_BITS(config);
    unsigned common = 0, at[VT_FORMAT_NONE][2];
#define VTA_INSN_COMMON(name, width, meaning) field(to, "COMMON", #name, 0, common, width, false), common += (width);
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning)
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
    for (int f = 0; f < VT_FORMAT_NONE; f++) at[f][0] = common, at[f][1] = 0;
#define VTA_INSN_COMMON(name, width, meaning)
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning)                                                \
    field(to, #format, #name, word, at[VT_FORMAT_##format][word], width, VT_FIELD_##kind == VT_FIELD_SIGNED),          \
        at[VT_FORMAT_##format][word] += (width);
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
}

static void add_uops(const vta_config *config, vt_strbuf *to) {
    unsigned d = vt_uop_dst_bits(config), s = vt_uop_src_bits(config), w = vt_uop_wgt_bits(config);
    vt_strbuf_addf(to, "#define UOP_dst(u) ((uint)((ulong)(u) & 0x%llxUL))\n", (unsigned long long)vt_low_bits(d));
    vt_strbuf_addf(to, "#define UOP_src(u) ((uint)((ulong)(u) >> %u & 0x%llxUL))\n", d,
                   (unsigned long long)vt_low_bits(s));
    vt_strbuf_addf(to, "#define UOP_wgt(u) ((uint)((ulong)(u) >> %u & 0x%llxUL))\n", d + s,
                   (unsigned long long)vt_low_bits(w));
}

/* Operations as they are in C, of the same types. */
static void add_operations(vt_strbuf *to) {
    vt_strbuf_add(to, "typedef int int32_t;\ntypedef uint uint32_t;\n");
#define VTA_OPCODE(name, value, format, meaning) number(to, "OPCODE_" #name, value);
#define VTA_ALU_OPCODE(name, value, formula, field, lane)
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    number(to, "ALU_TABLE", VTA_ALU_TABLE);
    vt_strbuf_add(to, "static int alu_lane(uint opcode, int32_t x, int32_t y, __global const char *table) {\n    "
                      "switch (opcode) {\n");
#define VTA_OPCODE(name, value, format, meaning)
#define VTA_ALU_OPCODE(name, value, formula, field, lane) vt_strbuf_addf(to, "    case %d: return %s;\n", value, #lane);
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    vt_strbuf_add(to, "    default: return x;\n    }\n}\n");
}

static bool is_unpacked(uint32_t width) { return width == 4 || width == 8 || width == 16 || width == 32; }

vta_status vt__cl_source(const vta_config *config, uint32_t base, uint64_t bytes, vta_diag *diag, vt_strbuf *to) {
    if (!is_unpacked(config->width[VTA_MEM_INP]) || !is_unpacked(config->width[VTA_MEM_WGT]))
        return vt_fail(diag, VTA_UNSUPPORTED, "intelfocl: inputs of %u and weights of %u bits; 4, 8, 16 and 32 work",
                       config->width[VTA_MEM_INP], config->width[VTA_MEM_WGT]);
    number(to, "BASE", base);
    number(to, "SIZE", bytes);
    add_sizes(config, to);
    add_fields(config, to);
    add_uops(config, to);
    add_operations(to);
    vt_strbuf_add(to, vt_kernel_cl);
    return to->failed ? vt_no_memory(diag) : VTA_OK;
}
