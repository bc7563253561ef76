/* Expressions as LLVM values. */
#include <string.h>

#include "codegen/llvm.h"
#include "ir/build.h"

LLVMTypeRef vt__llvm_type(vt__llvm *g, vt_dtype t) {
    LLVMTypeRef one;
    if (t.code == VT_HANDLE)
        one = t.bits ? g->pointer : g->void_type;
    else if (t.code != VT_FLOAT)
        one = LLVMIntTypeInContext(g->context, t.bits);
    else if (t.bits == 64)
        one = LLVMDoubleTypeInContext(g->context);
    else if (t.bits == 32)
        one = LLVMFloatTypeInContext(g->context);
    else if (t.bits == 16)
        one = LLVMHalfTypeInContext(g->context);
    else
        vt_raise(g->ctx, VTA_UNSUPPORTED, "%s: there is no code for %u-bit floats", g->entry->name, t.bits);
    return t.lanes > 1 ? LLVMVectorType(one, t.lanes) : one;
}

LLVMTypeRef vt__llvm_memory_type(vt__llvm *g, vt_dtype t) {
    if (vt_dtype_is_bool(t)) return vt__llvm_type(g, VT_DTYPE(VT_UINT, 8, t.lanes));
    if (t.bits % 8) {
        char text[VT_DTYPE_TEXT];
        vt_raise(g->ctx, VTA_UNSUPPORTED,
                 "%s: the host cannot load or store %s elements, which share bytes; only the accelerator can: use "
                 "int8 outside of it",
                 g->entry->name, vt_dtype_text(t, text));
    }
    return vt__llvm_type(g, t);
}

LLVMValueRef vt__llvm_to_memory(vt__llvm *g, vt_dtype t, LLVMValueRef value) {
    return vt_dtype_is_bool(t) ? LLVMBuildZExt(g->builder, value, vt__llvm_memory_type(g, t), "") : value;
}

LLVMValueRef vt__llvm_from_memory(vt__llvm *g, vt_dtype t, LLVMValueRef value) {
    if (!vt_dtype_is_bool(t)) return value;
    return LLVMBuildICmp(g->builder, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

LLVMValueRef vt__llvm_lane(vt__llvm *g, LLVMValueRef vector, uint32_t lane) {
    return LLVMBuildExtractElement(g->builder, vector, LLVMConstInt(g->i32, lane, 0), "");
}

static LLVMValueRef splat(vt__llvm *g, LLVMValueRef value, uint32_t lanes) {
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), lanes);
    LLVMValueRef poison = LLVMGetPoison(type);
    LLVMValueRef one = LLVMBuildInsertElement(g->builder, poison, value, LLVMConstInt(g->i32, 0, 0), "");
    return LLVMBuildShuffleVector(g->builder, one, poison, LLVMConstNull(LLVMVectorType(g->i32, lanes)), "");
}

LLVMValueRef vt__llvm_const(vt__llvm *g, vt_dtype t, int64_t value) {
    LLVMTypeRef one = vt__llvm_type(g, vt_dtype_elem(t));
    LLVMValueRef c = t.code == VT_FLOAT ? LLVMConstReal(one, (double)value)
                                        : LLVMConstInt(one, (unsigned long long)value, t.code == VT_INT);
    return t.lanes > 1 ? splat(g, c, t.lanes) : c;
}

LLVMValueRef vt__llvm_text(vt__llvm *g, const char *text) { return LLVMBuildGlobalStringPtr(g->builder, text, "text"); }

LLVMValueRef vt__llvm_var(vt__llvm *g, const vt_var *v) {
    LLVMValueRef value = vt_ptrmap_get(g->values, v);
    if (!value)
        vt_raise(g->ctx, VTA_INTERNAL, "%s: variable %s is used where nothing defines it", g->entry->name,
                 vt_var_name(v));
    return value;
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

const vt_expr *vt__llvm_flat_index(vt__llvm *g, const vt_buffer *b, uint32_t n, const vt_expr *const *indices) {
    const char *scope = vt_buffer_scope(b);
    if (strncmp(scope, "local.", 6) == 0 && strlen(scope) > 6)
        vt_raise(g->ctx, VTA_ILLEGAL,
                 "%s: %s is in %s, which the host cannot reach: mark the loops that fill and read it with the "
                 "pragmas dma_copy and alu, or tensorize them",
                 g->entry->name, b->name, scope);
    bool plain = n == 1 && !b->n_strides && (!b->elem_offset || vt_is_const(b->elem_offset, 0));
    return plain ? indices[0] : vt_buffer_offset(g->ctx, b, n, indices);
}

LLVMValueRef vt__llvm_address(vt__llvm *g, const vt_buffer *b, LLVMValueRef index) {
    LLVMTypeRef element = vt__llvm_memory_type(g, vt_dtype_elem(b->dtype));
    LLVMValueRef base = vt__llvm_var(g, b->data);
    if (b->dtype.lanes > 1)
        index = LLVMBuildMul(g->builder, index, LLVMConstInt(LLVMTypeOf(index), b->dtype.lanes, 0), "");
    return LLVMBuildInBoundsGEP2(g->builder, element, base, &index, 1, "");
}

/* What an element guarantees: tensors may begin anywhere that fits their element type. */
static uint32_t alignment(vt_dtype t) { return vt_dtype_is_bool(t) ? 1 : t.bits / 8; }

static LLVMValueRef load_at(vt__llvm *g, const vt_buffer *b, vt_dtype t, LLVMValueRef index) {
    LLVMValueRef value = LLVMBuildLoad2(g->builder, vt__llvm_memory_type(g, t), vt__llvm_address(g, b, index), "");
    LLVMSetAlignment(value, alignment(t));
    return vt__llvm_from_memory(g, t, value);
}

static LLVMValueRef load(vt__llvm *g, const vt_expr *e) {
    const vt_buffer *b = e->u.buffer;
    const vt_expr *index = vt__llvm_flat_index(g, b, e->n, e->a);
    uint32_t lanes = index->dtype.lanes;
    if (lanes == 1) return load_at(g, b, e->dtype, vt__llvm_expr(g, index));
    if (index->kind == VT_E_RAMP && vt_is_const(index->a[1], 1) && b->dtype.lanes == 1)
        return load_at(g, b, e->dtype, vt__llvm_expr(g, index->a[0]));
    if (index->kind == VT_E_BROADCAST)
        return splat(g, load_at(g, b, vt_dtype_elem(e->dtype), vt__llvm_expr(g, index->a[0])), lanes);
    LLVMValueRef where = vt__llvm_expr(g, index);
    LLVMValueRef result = LLVMGetPoison(vt__llvm_type(g, e->dtype));
    for (uint32_t i = 0; i < lanes; i++) {
        LLVMValueRef one = load_at(g, b, vt_dtype_elem(e->dtype), vt__llvm_lane(g, where, i));
        result = LLVMBuildInsertElement(g->builder, result, one, LLVMConstInt(g->i32, i, 0), "");
    }
    return result;
}

static LLVMValueRef ramp(vt__llvm *g, const vt_expr *e) {
    uint32_t lanes = e->dtype.lanes;
    LLVMValueRef *all = VT_NEW_ARRAY(g->ctx, LLVMValueRef, lanes);
    LLVMTypeRef one = vt__llvm_type(g, vt_dtype_elem(e->dtype));
    for (uint32_t i = 0; i < lanes; i++) all[i] = LLVMConstInt(one, i, 0);
    LLVMValueRef stride = splat(g, vt__llvm_expr(g, e->a[1]), lanes);
    LLVMValueRef offset = LLVMBuildMul(g->builder, stride, LLVMConstVector(all, lanes), "");
    return LLVMBuildAdd(g->builder, splat(g, vt__llvm_expr(g, e->a[0]), lanes), offset, "");
}

/* ---- Conversions ----------------------------------------------------------------------------------------------- */

LLVMValueRef vt__llvm_cast(vt__llvm *g, vt_dtype from, vt_dtype to, LLVMValueRef value) {
    LLVMTypeRef type = vt__llvm_type(g, to);
    LLVMBuilderRef b = g->builder;
    bool whole_from = vt_dtype_is_integral(from), whole_to = vt_dtype_is_integral(to);
    if (vt_dtype_eq(from, to)) return value;
    if (from.code == VT_HANDLE && to.code == VT_HANDLE) return value;
    if (from.code == VT_HANDLE && vt_dtype_is_bool(to)) return LLVMBuildIsNotNull(b, value, "");
    if (from.code == VT_HANDLE) return LLVMBuildPtrToInt(b, value, type, "");
    if (to.code == VT_HANDLE) return LLVMBuildIntToPtr(b, value, type, "");
    if (vt_dtype_is_bool(to)) {
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(value));
        return whole_from ? LLVMBuildICmp(b, LLVMIntNE, value, zero, "")
                          : LLVMBuildFCmp(b, LLVMRealUNE, value, zero, "");
    }
    if (whole_from && whole_to) {
        if (from.bits == to.bits) return value;
        if (from.bits > to.bits) return LLVMBuildTrunc(b, value, type, "");
        return from.code == VT_INT ? LLVMBuildSExt(b, value, type, "") : LLVMBuildZExt(b, value, type, "");
    }
    if (whole_from)
        return from.code == VT_INT ? LLVMBuildSIToFP(b, value, type, "") : LLVMBuildUIToFP(b, value, type, "");
    if (whole_to) return to.code == VT_INT ? LLVMBuildFPToSI(b, value, type, "") : LLVMBuildFPToUI(b, value, type, "");
    return LLVMBuildFPCast(b, value, type, "");
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

/* What may be 0 or -1, where processors trap, is divided by 1 instead; the result is put right afterwards. */
typedef struct divisor {
    LLVMValueRef value;       /* to divide by */
    LLVMValueRef zero, minus; /* whether the real one is 0, -1; NULL: it is not */
} divisor;

static divisor safe_divisor(vt__llvm *g, const vt_expr *e, LLVMValueRef y) {
    LLVMBuilderRef b = g->builder;
    int64_t constant;
    bool known = vt_as_const(e->a[1], &constant), is_signed = e->dtype.code == VT_INT;
    divisor d = {y, NULL, NULL};
    if (!known || constant == 0) d.zero = LLVMBuildICmp(b, LLVMIntEQ, y, LLVMConstNull(LLVMTypeOf(y)), "");
    if (is_signed && (!known || constant == -1))
        d.minus = LLVMBuildICmp(b, LLVMIntEQ, y, vt__llvm_const(g, e->dtype, -1), "");
    LLVMValueRef unsafe = d.zero && d.minus ? LLVMBuildOr(b, d.zero, d.minus, "") : d.zero ? d.zero : d.minus;
    if (unsafe) d.value = LLVMBuildSelect(b, unsafe, vt__llvm_const(g, e->dtype, 1), y, "");
    return d;
}

/* x by 0 is 0, the remainder x; by -1 the quotient is 0 - x, and the remainder is 0 like that by 1. */
static LLVMValueRef put_right(vt__llvm *g, const divisor *d, LLVMValueRef x, LLVMValueRef result, bool mod) {
    LLVMBuilderRef b = g->builder;
    if (d->minus && !mod) result = LLVMBuildSelect(b, d->minus, LLVMBuildNeg(b, x, ""), result, "");
    if (d->zero) result = LLVMBuildSelect(b, d->zero, mod ? x : LLVMConstNull(LLVMTypeOf(x)), result, "");
    return result;
}

/* Division that rounds down, from one that rounds towards zero. */
static LLVMValueRef floor_div_mod(vt__llvm *g, const vt_expr *e, LLVMValueRef x, LLVMValueRef y, bool want_mod) {
    LLVMBuilderRef b = g->builder;
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef zero = LLVMConstNull(type);
    int64_t constant;
    bool known = vt_as_const(e->a[1], &constant) && constant > 0;
    if (known && (constant & (constant - 1)) == 0) {
        if (want_mod) return LLVMBuildAnd(b, x, vt__llvm_const(g, e->dtype, constant - 1), "");
        return LLVMBuildAShr(b, x, vt__llvm_const(g, e->dtype, __builtin_ctzll((unsigned long long)constant)), "");
    }
    divisor d = safe_divisor(g, e, y);
    LLVMValueRef rest = LLVMBuildSRem(b, x, d.value, "");
    /* The remainder must have the divisor's sign. */
    LLVMValueRef off = LLVMBuildICmp(b, LLVMIntSLT, known ? rest : LLVMBuildXor(b, rest, y, ""), zero, "");
    if (!known) off = LLVMBuildAnd(b, off, LLVMBuildICmp(b, LLVMIntNE, rest, zero, ""), "");
    if (want_mod) return put_right(g, &d, x, LLVMBuildSelect(b, off, LLVMBuildAdd(b, rest, y, ""), rest, ""), true);
    LLVMValueRef quotient = LLVMBuildSDiv(b, x, d.value, "");
    quotient = LLVMBuildAdd(b, quotient, LLVMBuildSExt(b, off, type, ""), ""); /* off is -1 where it holds */
    return put_right(g, &d, x, quotient, false);
}

static LLVMValueRef divide(vt__llvm *g, const vt_expr *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMBuilderRef b = g->builder;
    bool is_signed = e->dtype.code == VT_INT, mod = e->kind == VT_E_MOD || e->kind == VT_E_FLOORMOD;
    if (is_signed && (e->kind == VT_E_FLOORDIV || e->kind == VT_E_FLOORMOD)) return floor_div_mod(g, e, x, y, mod);
    divisor d = safe_divisor(g, e, y);
    LLVMValueRef result;
    if (is_signed)
        result = mod ? LLVMBuildSRem(b, x, d.value, "") : LLVMBuildSDiv(b, x, d.value, "");
    else
        result = mod ? LLVMBuildURem(b, x, d.value, "") : LLVMBuildUDiv(b, x, d.value, "");
    return put_right(g, &d, x, result, mod);
}

static LLVMValueRef arithmetic_float(vt__llvm *g, const vt_expr *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMBuilderRef b = g->builder;
    switch ((vt_expr_kind)e->kind) {
    case VT_E_ADD: return LLVMBuildFAdd(b, x, y, "");
    case VT_E_SUB: return LLVMBuildFSub(b, x, y, "");
    case VT_E_MUL: return LLVMBuildFMul(b, x, y, "");
    case VT_E_DIV: return LLVMBuildFDiv(b, x, y, "");
    case VT_E_MIN: return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, y, ""), x, y, "");
    case VT_E_MAX: return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, y, ""), x, y, "");
    case VT_E_MOD: return LLVMBuildFRem(b, x, y, "");
    case VT_EACH_LEAF:
    case VT_E_FLOORDIV:
    case VT_E_FLOORMOD:
    case VT_EACH_COMPARE:
    case VT_EACH_LOGIC:
    case VT_EACH_OTHER:
    case VT_E_COUNT: break;
    }
    vt_raise(g->ctx, VTA_UNSUPPORTED, "%s: %s of floats", g->entry->name, vt_expr_infos[e->kind].text);
}

static LLVMValueRef arithmetic(vt__llvm *g, const vt_expr *e) {
    LLVMBuilderRef b = g->builder;
    LLVMValueRef x = vt__llvm_expr(g, e->a[0]), y = vt__llvm_expr(g, e->a[1]);
    if (e->dtype.code == VT_FLOAT) return arithmetic_float(g, e, x, y);
    bool is_signed = e->dtype.code == VT_INT;
    switch ((vt_expr_kind)e->kind) {
    case VT_E_ADD: return LLVMBuildAdd(b, x, y, "");
    case VT_E_SUB: return LLVMBuildSub(b, x, y, "");
    case VT_E_MUL: return LLVMBuildMul(b, x, y, "");
    case VT_E_MIN: return LLVMBuildSelect(b, LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, x, y, ""), x, y, "");
    case VT_E_MAX: return LLVMBuildSelect(b, LLVMBuildICmp(b, is_signed ? LLVMIntSGT : LLVMIntUGT, x, y, ""), x, y, "");
    case VT_E_DIV:
    case VT_E_MOD:
    case VT_E_FLOORDIV:
    case VT_E_FLOORMOD: return divide(g, e, x, y);
    case VT_EACH_LEAF:
    case VT_EACH_COMPARE:
    case VT_EACH_LOGIC:
    case VT_EACH_OTHER:
    case VT_E_COUNT: break;
    }
    vt_raise(g->ctx, VTA_INTERNAL, "%s: %s is no arithmetic", g->entry->name, vt_expr_infos[e->kind].text);
}

static LLVMValueRef comparison(vt__llvm *g, const vt_expr *e) {
    static const struct {
        LLVMIntPredicate s, u;
        LLVMRealPredicate f;
    } table[] = {
        [VT_E_EQ] = {LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ},   [VT_E_NE] = {LLVMIntNE, LLVMIntNE, LLVMRealUNE},
        [VT_E_LT] = {LLVMIntSLT, LLVMIntULT, LLVMRealOLT}, [VT_E_LE] = {LLVMIntSLE, LLVMIntULE, LLVMRealOLE},
        [VT_E_GT] = {LLVMIntSGT, LLVMIntUGT, LLVMRealOGT}, [VT_E_GE] = {LLVMIntSGE, LLVMIntUGE, LLVMRealOGE},
    };
    LLVMValueRef x = vt__llvm_expr(g, e->a[0]), y = vt__llvm_expr(g, e->a[1]);
    vt_dtype t = e->a[0]->dtype;
    if (t.code == VT_FLOAT) return LLVMBuildFCmp(g->builder, table[e->kind].f, x, y, "");
    return LLVMBuildICmp(g->builder, t.code == VT_INT ? table[e->kind].s : table[e->kind].u, x, y, "");
}

static bool may_fail(void *user, const vt_expr *e) {
    if (e->kind == VT_E_LOAD || (e->kind == VT_E_CALL && vt_op_infos[e->u.op].effect > VT_EFFECT_ANNOTATE))
        *(bool *)user = true;
    return !*(bool *)user;
}

/* Both sides are evaluated where that cannot go wrong; else the right one only where the left one asks for it. */
static LLVMValueRef logic(vt__llvm *g, const vt_expr *e) {
    LLVMBuilderRef b = g->builder;
    bool fails = false, both = e->kind == VT_E_AND;
    if (e->dtype.lanes == 1) vt_expr_walk(e->a[1], may_fail, &fails);
    LLVMValueRef x = vt__llvm_expr(g, e->a[0]);
    if (!fails) {
        LLVMValueRef y = vt__llvm_expr(g, e->a[1]);
        return both ? LLVMBuildAnd(b, x, y, "") : LLVMBuildOr(b, x, y, "");
    }
    LLVMBasicBlockRef right = vt__llvm_block(g, "right"), end = vt__llvm_block(g, "end");
    LLVMBasicBlockRef from_left = LLVMGetInsertBlock(b);
    LLVMBuildCondBr(b, x, both ? right : end, both ? end : right);
    LLVMPositionBuilderAtEnd(b, right);
    LLVMValueRef y = vt__llvm_expr(g, e->a[1]);
    LLVMBasicBlockRef from_right = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, end);
    LLVMPositionBuilderAtEnd(b, end);
    LLVMValueRef phi = LLVMBuildPhi(b, g->i1, ""), values[] = {LLVMConstInt(g->i1, !both, 0), y};
    LLVMBasicBlockRef blocks[] = {from_left, from_right};
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

static LLVMValueRef select_value(vt__llvm *g, const vt_expr *e) {
    LLVMValueRef c = vt__llvm_expr(g, e->a[0]), x = vt__llvm_expr(g, e->a[1]), y = vt__llvm_expr(g, e->a[2]);
    return LLVMBuildSelect(g->builder, c, x, y, "");
}

static LLVMValueRef let(vt__llvm *g, const vt_expr *e) {
    vt_ptrmap_set(g->values, e->u.let_var, vt__llvm_expr(g, e->a[0]));
    return vt__llvm_expr(g, e->a[1]);
}

LLVMValueRef vt__llvm_expr(vt__llvm *g, const vt_expr *e) {
    switch (vt_expr_infos[e->kind].cls) {
    case VT_CLASS_ARITH: return arithmetic(g, e);
    case VT_CLASS_COMPARE: return comparison(g, e);
    default: break;
    }
    switch ((vt_expr_kind)e->kind) {
    case VT_E_VAR: return vt__llvm_var(g, e);
    case VT_E_INT: return vt__llvm_const(g, e->dtype, e->u.i);
    case VT_E_FLOAT: return LLVMConstReal(vt__llvm_type(g, e->dtype), e->u.f);
    case VT_E_STRING: return vt__llvm_text(g, e->u.s);
    case VT_E_AND:
    case VT_E_OR: return logic(g, e);
    case VT_E_NOT: return LLVMBuildNot(g->builder, vt__llvm_expr(g, e->a[0]), "");
    case VT_E_SELECT: return select_value(g, e);
    case VT_E_CAST: return vt__llvm_cast(g, e->a[0]->dtype, e->dtype, vt__llvm_expr(g, e->a[0]));
    case VT_E_LOAD: return load(g, e);
    case VT_E_CALL: return vt__llvm_call(g, e);
    case VT_E_LET: return let(g, e);
    case VT_E_RAMP: return ramp(g, e);
    case VT_E_BROADCAST: return splat(g, vt__llvm_expr(g, e->a[0]), e->dtype.lanes);
    case VT_EACH_ARITH:
    case VT_EACH_COMPARE:
    case VT_E_PLOAD:
    case VT_E_REDUCE:
    case VT_E_COUNT: break;
    }
    vt_raise(g->ctx, VTA_INTERNAL, "%s: an expression of kind '%s' is left after lowering", g->entry->name,
             vt_expr_infos[e->kind].text);
}
