/* Calls of functions by name, in the packed calling convention (vta/module.h). */
#include "codegen/llvm.h"

/* Type codes of packed arguments. ORDER TYPE_CODE (vta/module.h) */
enum { CODE_INT = 0, CODE_FLOAT = 2, CODE_HANDLE = 3, CODE_TENSOR = 7, CODE_STRING = 11 };

static LLVMValueRef word(vt__llvm *g, uint64_t value) { return LLVMConstInt(g->i32, value, 0); }

static LLVMValueRef item(vt__llvm *g, LLVMTypeRef type, LLVMValueRef list, uint32_t index) {
    LLVMValueRef at = word(g, index);
    return LLVMBuildInBoundsGEP2(g->builder, type, list, &at, 1, "");
}

/* Extents or strides as int64_t[]; NULL for strides that are not given. */
static LLVMValueRef extents(vt__llvm *g, const vt_expr *e) {
    if (!vt_is_call(e, VT_OP_STACK_MAKE_SHAPE)) return LLVMConstNull(g->pointer);
    LLVMValueRef list = vt__llvm_slot(g, LLVMArrayType2(g->i64, e->n ? e->n : 1), 8);
    for (uint32_t i = 0; i < e->n; i++)
        LLVMBuildStore(g->builder, vt__llvm_cast(g, e->a[i]->dtype, VT_I64, vt__llvm_expr(g, e->a[i])),
                       item(g, g->i64, list, i));
    return list;
}

static void set(vt__llvm *g, LLVMValueRef tensor, unsigned field, LLVMValueRef value) {
    LLVMBuildStore(g->builder, value, LLVMBuildStructGEP2(g->builder, g->tensor, tensor, field, ""));
}

LLVMValueRef vt__llvm_make_array(vt__llvm *g, const vt_expr *e) {
    vt_dtype t = e->a[4]->dtype;
    uint64_t bytes = vt_dtype_is_bool(t) ? 1 : vt_dtype_bytes(t), type = t.code | (uint64_t)t.bits << 8 | 1u << 16;
    LLVMValueRef tensor = vt__llvm_slot(g, g->tensor, 8);
    LLVMValueRef offset = vt__llvm_cast(g, e->a[5]->dtype, VT_I64, vt__llvm_expr(g, e->a[5]));
    set(g, tensor, VT__DL_DATA, vt__llvm_expr(g, e->a[0]));
    set(g, tensor, VT__DL_DEVICE_TYPE, word(g, VT_DEVICE_CPU));
    set(g, tensor, VT__DL_DEVICE_ID, word(g, 0));
    set(g, tensor, VT__DL_NDIM, vt__llvm_expr(g, e->a[3]));
    set(g, tensor, VT__DL_DTYPE, word(g, type));
    set(g, tensor, VT__DL_SHAPE, extents(g, e->a[1]));
    set(g, tensor, VT__DL_STRIDES, extents(g, e->a[2]));
    set(g, tensor, VT__DL_BYTE_OFFSET, LLVMBuildMul(g->builder, offset, LLVMConstInt(g->i64, bytes, 0), ""));
    return tensor;
}

/* One argument: its value goes where `to` points; the type code. */
static int argument(vt__llvm *g, const vt_expr *e, LLVMValueRef to) {
    LLVMValueRef value = vt__llvm_expr(g, e);
    vt_dtype wide = e->dtype.code == VT_FLOAT ? VT_F64 : VT_I64;
    if (e->dtype.code == VT_HANDLE || e->kind == VT_E_STRING) {
        LLVMBuildStore(g->builder, value, to);
        return e->kind == VT_E_STRING ? CODE_STRING : vt_is_call(e, VT_OP_STACK_MAKE_ARRAY) ? CODE_TENSOR : CODE_HANDLE;
    }
    LLVMBuildStore(g->builder, vt__llvm_cast(g, e->dtype, wide, value), to);
    return e->dtype.code == VT_FLOAT ? CODE_FLOAT : CODE_INT;
}

/* What was returned, as the type that the call has; a number of the other kind is converted. */
static LLVMValueRef result(vt__llvm *g, vt_dtype t, LLVMValueRef value, LLVMValueRef code) {
    LLVMBuilderRef b = g->builder;
    if (t.code == VT_HANDLE) return t.bits ? LLVMBuildLoad2(b, g->pointer, value, "") : NULL;
    LLVMTypeRef f64 = vt__llvm_type(g, VT_F64);
    LLVMValueRef is_float = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildLoad2(b, g->i32, code, ""), word(g, CODE_FLOAT), "");
    LLVMValueRef whole = LLVMBuildLoad2(b, g->i64, value, ""), real = LLVMBuildLoad2(b, f64, value, "");
    LLVMValueRef x = vt__llvm_cast(g, VT_I64, t, whole), y = vt__llvm_cast(g, VT_F64, t, real);
    return LLVMBuildSelect(b, is_float, y, x, "");
}

/* tvm_call_packed(name, arguments...): looked up, then called, at each time; a failure is the kernel's. */
LLVMValueRef vt__llvm_call_packed(vt__llvm *g, const vt_expr *e) {
    LLVMBuilderRef b = g->builder;
    uint32_t n = e->n - 1;
    LLVMValueRef values = vt__llvm_slot(g, LLVMArrayType2(g->i64, n ? n : 1), 8);
    LLVMValueRef codes = vt__llvm_slot(g, LLVMArrayType2(g->i32, n ? n : 1), 8);
    LLVMValueRef function = vt__llvm_slot(g, g->pointer, 8), value = vt__llvm_slot(g, g->i64, 8);
    LLVMValueRef code = vt__llvm_slot(g, g->i32, 4);
    for (uint32_t i = 0; i < n; i++) {
        int kind = argument(g, e->a[i + 1], item(g, g->i64, values, i));
        LLVMBuildStore(b, word(g, (uint64_t)kind), item(g, g->i32, codes, i));
    }
    LLVMValueRef find[] = {LLVMConstNull(g->pointer), vt__llvm_text(g, e->a[0]->u.s), function};
    vt__llvm_check_zero(g, vt__llvm_call_name(g, "TVMBackendGetFuncFromEnv", g->i32, 3, find));
    LLVMBuildStore(b, LLVMConstInt(g->i64, 0, 0), value);
    LLVMBuildStore(b, word(g, CODE_INT), code);
    LLVMValueRef args[] = {LLVMBuildLoad2(b, g->pointer, function, ""), values, codes, word(g, n), value, code};
    vt__llvm_check_zero(g, vt__llvm_call_name(g, "TVMFuncCall", g->i32, 6, args));
    return result(g, e->dtype, value, code);
}
