/* Calls of the accelerator's runtime as functions have them: which operand is which, from the table vta/runtime.def. */
#ifndef VT_IR_RUNTIME_CALL_H
#define VT_IR_RUNTIME_CALL_H

#include <stddef.h>
#include <string.h>

#include "ir/node.h"

/* A member for each operand of a call_extern, in their order: where it lies is its number. Operand 0 is the name. */
#define VTA_RUNTIME_ENTRY(name, result, types, ...)                                                                    \
    struct vt_operands_##name {                                                                                        \
        char function, ##__VA_ARGS__;                                                                                  \
    };
#include "vta/runtime.def"
#undef VTA_RUNTIME_ENTRY

/* VT_OPERAND(VTALoadBuffer2D, x_size): the operand that is this argument. A constant. */
#define VT_OPERAND(name, argument) ((int)offsetof(struct vt_operands_##name, argument))
/* All operands, the function's name with them. */
#define VT_OPERANDS(name) ((uint32_t)sizeof(struct vt_operands_##name))
/* Intrinsics that become such a call: uop_push has its arguments, the dependence tokens those after the command. */
#define VT_UOP(argument) (VT_OPERAND(VTAUopPush, argument) - 1)
#define VT_DEP(argument) (VT_OPERAND(VTADepPush, argument) - VT_OPERAND(VTADepPush, from_qid))

/* The functions that run micro-ops: the value of a micro-op scope (VT_ATTR_UOPS) is the name of one. */
#define VT_PUSH_GEMM "VTAPushGEMMOp"
#define VT_PUSH_ALU "VTAPushALUOp"

static inline bool vt_is_text(const vt_expr *e, const char *text) {
    return e->kind == VT_E_STRING && strcmp(e->u.s, text) == 0;
}

static inline bool vt_is_extern(const vt_expr *e, const char *name) {
    return vt_is_call(e, VT_OP_CALL_EXTERN) && e->n && vt_is_text(e->a[0], name);
}
/* Is it a call of this function of the runtime? With whatever number of arguments. */
#define VT_IS_RUNTIME(e, name) ((void)VT_OPERANDS(name), vt_is_extern(e, #name))

#endif
