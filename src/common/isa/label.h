#ifndef VT_ISA_LABEL_H
#define VT_ISA_LABEL_H

#include "vta/isa.h"

/* "LOAD inp", "GEMM", "ALU ADD": an instruction in a message. The text lives in `text`. */
const char *vt_insn_label(const vta_insn *insn, char text[24]);

#endif
