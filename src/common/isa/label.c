#include "isa/label.h"

#include <stdio.h>

const char *vt_insn_label(const vta_insn *insn, char text[24]) {
    const char *name = vta_opcode_name((vta_opcode)insn->opcode), *what = NULL;
    if (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE)
        what = vta_memory_name((vta_memory)insn->u.mem.memory_type);
    if (insn->opcode == VTA_OP_ALU) what = vta_alu_opcode_name((vta_alu_opcode)insn->u.exec.alu_opcode);
    snprintf(text, 24, "%s%s%s", name ? name : "?", what ? " " : "", what ? what : "");
    return text;
}
