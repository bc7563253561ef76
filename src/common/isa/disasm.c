/* Instructions to text. The grammar is in docs/assembly.md; asm.c reads it. */
#include "base/diag.h"
#include "base/strbuf.h"
#include "isa/fields.h"
#include "isa/spare.h"
#include "isa/tokens.h"

static void add_value(vt_strbuf *sb, const vt_field *field, int64_t value) {
    const char *word = NULL;
    if (field->kind == VT_FIELD_MEMORY) word = vta_memory_name((vta_memory)value);
    if (field->kind == VT_FIELD_OPERATION) word = vta_alu_opcode_name((vta_alu_opcode)value);
    if (word)
        vt_strbuf_addf(sb, " %s=%s", field->name, word);
    else
        vt_strbuf_addf(sb, " %s=%lld", field->name, (long long)value);
}

static void add_fields(vt_strbuf *sb, const vta_insn *insn) {
    unsigned count;
    const vt_field *fields = vt_opcode_fields(insn->opcode, &count);
    for (unsigned i = 0; i < count; i++) add_value(sb, &fields[i], vt_field_get(&fields[i], insn));
    fields = vt_common_fields(&count);
    for (unsigned i = 1; i < count; i++)
        if (vt_field_get(&fields[i], insn)) vt_strbuf_addf(sb, " %s", fields[i].name);
}

static void add_insn(vt_strbuf *sb, const vta_config *config, const uint8_t *bytes, size_t index,
                     vt_token_depths *depths) {
    vta_insn insn;
    if (!vt_insn_unpack(config, bytes, &insn)) {
        vt_strbuf_addf(sb, ".word 0x%016llx 0x%016llx ; %zu no such opcode\n", (unsigned long long)vt_load_le64(bytes),
                       (unsigned long long)vt_load_le64(bytes + 8), index);
        return;
    }
    vt_strbuf_addf(sb, "%-6s", vta_opcode_name((vta_opcode)insn.opcode));
    add_fields(sb, &insn);
    for (unsigned word = 0; word < 2; word++) {
        uint64_t spare = vt_spare_get(config, bytes, word);
        if (spare) vt_strbuf_addf(sb, " %s=0x%llx", vt_spare_names[word], (unsigned long long)spare);
    }
    vt_tokens_count(depths, &insn);
    const char *stage = vta_stage_name(vta_insn_stage(&insn));
    vt_strbuf_addf(sb, " ; %zu %s", index, stage ? stage : "(no stage)");
    for (int i = 0; i < VTA_TOKEN_QUEUES; i++)
        vt_strbuf_addf(sb, "%s %s_queue = %lld", i ? "," : "", vt_token_rows[i].letters,
                       (long long)depths->of[vt_token_rows[i].queue]);
    vt_strbuf_add(sb, "\n");
}

vta_status vta_disasm(const vta_config *config, const uint8_t *bytes, size_t count, vta_diag *diag, char **out_text) {
    if (!out_text) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_disasm: out_text is NULL");
    *out_text = NULL;
    if (!config || (!bytes && count)) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_disasm: an argument is NULL");
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    vt_strbuf_addf(&sb, "; %s, %zu instructions\n", vta_config_bitstream(config), count);
    vt_token_depths depths = {0};
    for (size_t i = 0; i < count && !sb.failed; i++) add_insn(&sb, config, bytes + i * VTA_INSN_BYTES, i, &depths);
    *out_text = vt_strbuf_take(&sb);
    return *out_text ? VTA_OK : vt_no_memory(diag);
}
