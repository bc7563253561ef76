/* Intrinsics and calls. */
#include <string.h>

#include "codegen/llvm.h"
#include "codegen/runtime_table.h"

static const struct {
    const char *llvm, *c;
} math_names[VT_OP_COUNT] = {
#define VTA_MATH(op, function, operands, llvm, meaning) [VT_OP_##op] = {llvm, #function},
#include "vta/math.def"
#undef VTA_MATH
};

LLVMValueRef vt__llvm_call_name(vt__llvm *g, const char *name, LLVMTypeRef result, uint32_t n, LLVMValueRef *args) {
    LLVMTypeRef *types = VT_NEW_ARRAY(g->ctx, LLVMTypeRef, n);
    for (uint32_t i = 0; i < n; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, n, 0);
    LLVMValueRef function = LLVMGetNamedFunction(g->module, name);
    if (!function) {
        function = LLVMAddFunction(g->module, name, type);
        vt__llvm_attribute(g, function, -1, "nounwind");
    }
    return LLVMBuildCall2(g->builder, type, function, args, n, "");
}

static LLVMValueRef runtime_argument(vt__llvm *g, char letter, const vt_expr *e) {
    LLVMValueRef value = vt__llvm_expr(g, e);
    vt_dtype size = VT_DTYPE(VT_UINT, 8 * LLVMPointerSize(g->layout), 1);
    switch (letter) {
    case 'p': return vt__llvm_cast(g, e->dtype, VT_HANDLE_T, value);
    case 'z': return vt__llvm_cast(g, e->dtype, size, value);
    case 'u': return vt__llvm_cast(g, e->dtype, VT_U32, value);
    case 'i': return vt__llvm_cast(g, e->dtype, VT_I32, value);
    default: vt_raise(g->ctx, VTA_INTERNAL, "%s: a runtime call has an argument of sort '%c'", g->entry->name, letter);
    }
}

/* C passes small integers as int. */
static LLVMValueRef plain_argument(vt__llvm *g, const vt_expr *e) {
    LLVMValueRef value = vt__llvm_expr(g, e);
    if (!vt_dtype_is_integral(e->dtype) || e->dtype.bits >= 32 || e->dtype.lanes > 1) return value;
    return vt__llvm_cast(g, e->dtype, VT_DTYPE(e->dtype.code, 32, 1), value);
}

static LLVMValueRef call_extern(vt__llvm *g, const vt_expr *e) {
    const char *name = e->a[0]->u.s;
    uint32_t n = e->n - 1;
    const vt__runtime_entry *entry = vt__runtime_find(name);
    if (entry) vt__runtime_check_call(g->ctx, g->entry->name, entry, e);
    LLVMValueRef *args = VT_NEW_ARRAY(g->ctx, LLVMValueRef, n);
    for (uint32_t i = 0; i < n; i++)
        args[i] = entry ? runtime_argument(g, entry->args[i], e->a[i + 1]) : plain_argument(g, e->a[i + 1]);
    LLVMTypeRef result = vt__llvm_type(g, e->dtype);
    if (!entry) return vt__llvm_call_name(g, name, result, n, args);
    vt_dtype own = vt__runtime_result(entry);
    LLVMValueRef value = vt__llvm_call_name(g, name, vt__llvm_type(g, own), n, args);
    if (result == g->void_type) return value;
    return own.bits ? vt__llvm_cast(g, own, e->dtype, value) : LLVMConstNull(result);
}

/* Only the branch that is asked for is evaluated. */
static LLVMValueRef if_then_else(vt__llvm *g, const vt_expr *e) {
    LLVMBuilderRef b = g->builder;
    if (e->a[0]->dtype.lanes > 1) {
        LLVMValueRef c = vt__llvm_expr(g, e->a[0]), x = vt__llvm_expr(g, e->a[1]), y = vt__llvm_expr(g, e->a[2]);
        return LLVMBuildSelect(b, c, x, y, "");
    }
    LLVMValueRef c = vt__llvm_expr(g, e->a[0]), values[2];
    LLVMBasicBlockRef blocks[2], end, first = vt__llvm_block(g, "then"), second = vt__llvm_block(g, "else");
    end = vt__llvm_block(g, "end");
    LLVMBuildCondBr(b, c, first, second);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(b, i ? second : first);
        values[i] = vt__llvm_expr(g, e->a[1 + i]);
        blocks[i] = LLVMGetInsertBlock(b);
        LLVMBuildBr(b, end);
    }
    LLVMPositionBuilderAtEnd(b, end);
    if (e->dtype.code == VT_HANDLE && !e->dtype.bits) return NULL;
    LLVMValueRef phi = LLVMBuildPhi(b, vt__llvm_type(g, e->dtype), "");
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

static LLVMValueRef intrinsic(vt__llvm *g, const char *name, vt_dtype t, uint32_t n, LLVMValueRef *args) {
    LLVMTypeRef over[] = {vt__llvm_type(g, t)};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(g->module, id, over, 1);
    return LLVMBuildCall2(g->builder, LLVMGlobalGetValueType(function), function, args, n, "");
}

/* A C library function, lane by lane. */
static LLVMValueRef library_math(vt__llvm *g, const char *name, vt_dtype t, uint32_t n, LLVMValueRef *args) {
    LLVMTypeRef one = vt__llvm_type(g, vt_dtype_elem(t));
    if (t.lanes == 1) return vt__llvm_call_name(g, name, one, n, args);
    LLVMValueRef result = LLVMGetPoison(vt__llvm_type(g, t)), lane_args[2];
    for (uint32_t i = 0; i < t.lanes; i++) {
        for (uint32_t k = 0; k < n; k++) lane_args[k] = vt__llvm_lane(g, args[k], i);
        LLVMValueRef value = vt__llvm_call_name(g, name, one, n, lane_args);
        result = LLVMBuildInsertElement(g->builder, result, value, LLVMConstInt(g->i32, i, 0), "");
    }
    return result;
}

static LLVMValueRef math(vt__llvm *g, const vt_expr *e) {
    LLVMValueRef args[2];
    uint32_t n = e->n < 2 ? e->n : 2;
    for (uint32_t i = 0; i < n; i++) args[i] = vt__llvm_expr(g, e->a[i]);
    if (e->dtype.code != VT_FLOAT || e->dtype.bits < 32)
        vt_raise(g->ctx, VTA_UNSUPPORTED, "%s: %s is for float32 and float64", g->entry->name,
                 vt_op_infos[e->u.op].script);
    if (math_names[e->u.op].llvm[0]) return intrinsic(g, math_names[e->u.op].llvm, e->dtype, n, args);
    const char *suffix = e->dtype.bits == 32 ? "f" : "";
    return library_math(g, vt_new_format(g->ctx, "%s%s", math_names[e->u.op].c, suffix), e->dtype, n, args);
}

static LLVMValueRef bits(vt__llvm *g, const vt_expr *e) {
    LLVMBuilderRef b = g->builder;
    LLVMValueRef x = vt__llvm_expr(g, e->a[0]), y = e->n > 1 ? vt__llvm_expr(g, e->a[1]) : NULL;
    switch ((int)e->u.op) {
    case VT_OP_SHIFT_LEFT: return LLVMBuildShl(b, x, y, "");
    case VT_OP_SHIFT_RIGHT: return e->dtype.code == VT_INT ? LLVMBuildAShr(b, x, y, "") : LLVMBuildLShr(b, x, y, "");
    case VT_OP_BITWISE_AND: return LLVMBuildAnd(b, x, y, "");
    case VT_OP_BITWISE_OR: return LLVMBuildOr(b, x, y, "");
    case VT_OP_BITWISE_XOR: return LLVMBuildXor(b, x, y, "");
    case VT_OP_BITWISE_NOT: return LLVMBuildNot(b, x, "");
    default: vt_raise(g->ctx, VTA_INTERNAL, "%s: %s works on no bits", g->entry->name, vt_op_infos[e->u.op].name);
    }
}

static LLVMValueRef count_bits(vt__llvm *g, const vt_expr *e) {
    vt_dtype t = e->a[0]->dtype;
    LLVMValueRef args[2] = {vt__llvm_expr(g, e->a[0]), LLVMConstInt(g->i1, 0, 0)};
    bool clz = e->u.op == VT_OP_CLZ;
    return vt__llvm_cast(g, t, e->dtype, intrinsic(g, clz ? "llvm.ctlz" : "llvm.ctpop", t, clz ? 2 : 1, args));
}

static LLVMValueRef address_of(vt__llvm *g, const vt_expr *e) {
    const vt_expr *load = e->a[0];
    if (load->kind != VT_E_LOAD)
        vt_raise(g->ctx, VTA_INTERNAL, "%s: address_of of something that is not a load", g->entry->name);
    const vt_expr *index = vt__llvm_flat_index(g, load->u.buffer, load->n, load->a);
    return vt__llvm_address(g, load->u.buffer, vt__llvm_expr(g, index->kind == VT_E_RAMP ? index->a[0] : index));
}

/* tvm_access_ptr(type_annotation, data, offset, extent, access) */
static LLVMValueRef access_ptr(vt__llvm *g, const vt_expr *e) {
    LLVMTypeRef element = vt__llvm_memory_type(g, vt_dtype_elem(e->a[0]->dtype));
    LLVMValueRef offset = vt__llvm_expr(g, e->a[2]);
    return LLVMBuildInBoundsGEP2(g->builder, element, vt__llvm_expr(g, e->a[1]), &offset, 1, "");
}

static LLVMValueRef reinterpret(vt__llvm *g, const vt_expr *e) {
    LLVMValueRef value = vt__llvm_expr(g, e->a[0]);
    if (e->dtype.code == VT_HANDLE || e->a[0]->dtype.code == VT_HANDLE)
        return vt__llvm_cast(g, e->a[0]->dtype, e->dtype, value);
    return LLVMBuildBitCast(g->builder, value, vt__llvm_type(g, e->dtype), "");
}

static LLVMValueRef is_nan(vt__llvm *g, const vt_expr *e) {
    LLVMValueRef x = vt__llvm_expr(g, e->a[0]);
    if (e->a[0]->dtype.code != VT_FLOAT) return LLVMConstNull(vt__llvm_type(g, e->dtype));
    return LLVMBuildFCmp(g->builder, LLVMRealUNO, x, x, "");
}

static LLVMValueRef is_null(vt__llvm *g, const vt_expr *e) {
    return LLVMBuildIsNull(g->builder, vt__llvm_expr(g, e->a[0]), "");
}

LLVMValueRef vt__llvm_call(vt__llvm *g, const vt_expr *e) {
    if (math_names[e->u.op].c) return math(g, e);
    switch ((int)e->u.op) {
    case VT_OP_LIKELY: return vt__llvm_expr(g, e->a[0]);
    case VT_OP_IF_THEN_ELSE: return if_then_else(g, e);
    case VT_OP_SHIFT_LEFT:
    case VT_OP_SHIFT_RIGHT:
    case VT_OP_BITWISE_AND:
    case VT_OP_BITWISE_OR:
    case VT_OP_BITWISE_XOR:
    case VT_OP_BITWISE_NOT: return bits(g, e);
    case VT_OP_CLZ:
    case VT_OP_POPCOUNT: return count_bits(g, e);
    case VT_OP_ISNAN: return is_nan(g, e);
    case VT_OP_REINTERPRET: return reinterpret(g, e);
    case VT_OP_CALL_EXTERN:
    case VT_OP_CALL_PURE_EXTERN: return call_extern(g, e);
    case VT_OP_CALL_PACKED: return vt__llvm_call_packed(g, e);
    case VT_OP_STACK_MAKE_ARRAY: return vt__llvm_make_array(g, e);
    case VT_OP_ACCESS_PTR: return access_ptr(g, e);
    case VT_OP_ADDRESS_OF: return address_of(g, e);
    case VT_OP_ISNULLPTR: return is_null(g, e);
    case VT_OP_STORAGE_SYNC: /* one processor core sees its own stores */
    case VT_OP_PREFETCH: return LLVMConstInt(g->i32, 0, 0);
    default:
        vt_raise(g->ctx, VTA_UNSUPPORTED, "%s: there is no code for the intrinsic %s", g->entry->name,
                 vt_op_infos[e->u.op].name);
    }
}
