/* Encode and decode with checks. */
#include "base/diag.h"
#include "isa/fields.h"

static vta_status check_fields(const vta_config *config, const vta_insn *insn, const vt_field *fields, unsigned count,
                               vta_diag *diag) {
    for (unsigned i = 0; i < count; i++) {
        int64_t value = vt_field_get(&fields[i], insn), least, most;
        vt_field_range(config, &fields[i], &least, &most);
        if (value >= least && value <= most) continue;
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: %s = %lld does not fit its %u bits (%lld to %lld): %s",
                       vta_opcode_name((vta_opcode)insn->opcode), fields[i].name, (long long)value,
                       vt_field_bits(config, &fields[i]), (long long)least, (long long)most, fields[i].meaning);
    }
    return VTA_OK;
}

/* Why an instruction cannot be encoded. */
static vta_status explain_misfit(const vta_config *config, const vta_insn *insn, vta_diag *diag) {
    if (insn->opcode >= VTA_OP_COUNT)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "opcode = %u: no such instruction (0 to %d)", insn->opcode,
                       VTA_OP_COUNT - 1);
    unsigned count;
    const vt_field *fields = vt_common_fields(&count);
    VT_TRY(check_fields(config, insn, fields, count, diag));
    fields = vt_opcode_fields(insn->opcode, &count);
    return check_fields(config, insn, fields, count, diag);
}

vta_status vta_insn_encode(const vta_config *config, const vta_insn *insn, vta_diag *diag,
                           uint8_t out_bytes[VTA_INSN_BYTES]) {
    if (!config || !insn || !out_bytes)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_insn_encode: an argument is NULL");
    if (!vt_insn_fits(config, insn)) {
        memset(out_bytes, 0, VTA_INSN_BYTES);
        return explain_misfit(config, insn, diag);
    }
    vt_insn_pack(config, insn, out_bytes);
    return VTA_OK;
}

vta_status vta_insn_decode(const vta_config *config, const uint8_t bytes[VTA_INSN_BYTES], vta_diag *diag,
                           vta_insn *out_insn) {
    if (!config || !bytes || !out_insn)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_insn_decode: an argument is NULL");
    if (vt_insn_unpack(config, bytes, out_insn)) return VTA_OK;
    return vt_fail(diag, VTA_PARSE, "opcode = %u: no such instruction (0 to %d)", bytes[0] & 7u, VTA_OP_COUNT - 1);
}

static vta_status check_index(const char *name, uint32_t value, unsigned bits, vta_diag *diag) {
    if (value <= vt_low_bits(bits)) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "micro-op: %s = %u does not fit its %u bits (0 to %llu)", name, value, bits,
                   (unsigned long long)vt_low_bits(bits));
}

vta_status vta_uop_encode(const vta_config *config, vta_uop uop, vta_diag *diag, uint32_t *out_word) {
    if (!config || !out_word) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_uop_encode: an argument is NULL");
    *out_word = 0;
    VT_TRY(check_index("dst", uop.dst, vt_uop_dst_bits(config), diag));
    VT_TRY(check_index("src", uop.src, vt_uop_src_bits(config), diag));
    VT_TRY(check_index("wgt", uop.wgt, vt_uop_wgt_bits(config), diag));
    *out_word = vt_uop_pack(config, uop);
    return VTA_OK;
}

vta_uop vta_uop_decode(const vta_config *config, uint32_t word) { return vt_uop_unpack(config, word); }

vta_stage vta_insn_stage(const vta_insn *insn) { return (vta_stage)vt_insn_stage(insn); }

const char *vta_opcode_name(vta_opcode opcode) {
    static const char *const names[] = {
#define VTA_OPCODE(name, number, format, meaning) [number] = #name,
#define VTA_ALU_OPCODE(name, number, formula, field, lane)
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    };
    return (unsigned)opcode < VTA_OP_COUNT ? names[opcode] : NULL;
}

const char *vta_alu_opcode_name(vta_alu_opcode opcode) {
    static const char *const names[] = {
#define VTA_OPCODE(name, number, format, meaning)
#define VTA_ALU_OPCODE(name, number, formula, field, lane) [number] = #name,
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    };
    return (unsigned)opcode < VTA_ALU_COUNT ? names[opcode] : NULL;
}

const char *vta_stage_name(vta_stage stage) {
    static const char *const names[] = {
        [VTA_STAGE_LOAD] = "load", [VTA_STAGE_COMPUTE] = "compute", [VTA_STAGE_STORE] = "store"};
    return (unsigned)stage <= VTA_STAGE_STORE ? names[stage] : NULL;
}
