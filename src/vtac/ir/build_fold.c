/* The folding constructors: what TVM's operators do at once, no more, since printed forms depend on it. */
#include <math.h>
#include <string.h>

#include "ir/build.h"
#include "ir/fold.h"

#define CALL_1(function) function(x)
#define CALL_2(function) function(x, y)
bool vt_math_value(vt_op op, double x, double y, double *out) {
    switch ((int)op) {
#define VTA_MATH(name, function, operands, llvm, meaning)                                                              \
    case VT_OP_##name: *out = CALL_##operands(function); return true;
#include "vta/math.def"
#undef VTA_MATH
    default: return false;
    }
}

bool vt_op_is_math(vt_op op) {
    switch ((int)op) {
#define VTA_MATH(name, function, operands, llvm, meaning) case VT_OP_##name:
#include "vta/math.def"
#undef VTA_MATH
        return true;
    default: return false;
    }
}

/* A scalar constant equal to v, int or float? */
static bool is_num(const vt_expr *e, int v) {
    return (e->kind == VT_E_INT && e->u.i == v) || (e->kind == VT_E_FLOAT && e->u.f == v);
}

/* x op y where one side is neutral or absorbing. */
static const vt_expr *fold_identity(vt_ctx *ctx, vt_expr_kind kind, const vt_expr *x, const vt_expr *y) {
    switch (kind) {
    case VT_E_ADD: return is_num(x, 0) ? y : is_num(y, 0) ? x : NULL;
    case VT_E_SUB: return is_num(y, 0) ? x : NULL;
    case VT_E_MUL:
        if (is_num(x, 1)) return y;
        if (is_num(x, 0)) return x;
        if (is_num(y, 1)) return x;
        return is_num(y, 0) ? y : NULL;
    case VT_E_DIV:
    case VT_E_FLOORDIV: return is_num(x, 0) || is_num(y, 1) ? x : NULL;
    case VT_E_MOD:
    case VT_E_FLOORMOD:
        if (!vt_dtype_is_index(x->dtype)) return NULL;
        if (vt_is_const(x, 0)) return x;
        return vt_is_const(y, 1) ? vt_int(ctx, x->dtype, 0) : NULL;
    case VT_E_MIN:
    case VT_E_MAX: return x == y ? x : NULL;
    case VT_E_AND:
        if (x->kind == VT_E_INT) return x->u.i ? y : x;
        if (y->kind == VT_E_INT) return y->u.i ? x : y;
        return NULL;
    case VT_E_OR:
        if (x->kind == VT_E_INT) return x->u.i ? x : y;
        if (y->kind == VT_E_INT) return y->u.i ? y : x;
        return NULL;
    case VT_EACH_LEAF:
    case VT_EACH_COMPARE:
    case VT_E_NOT:
    case VT_EACH_OTHER:
    case VT_E_COUNT: break;
    }
    return NULL;
}

const vt_expr *vt_try_fold(vt_ctx *ctx, vt_expr_kind kind, const vt_expr *x, const vt_expr *y) {
    bool compare = vt_expr_infos[kind].cls == VT_CLASS_COMPARE;
    if (x->kind == VT_E_INT && y->kind == VT_E_INT) {
        int64_t value;
        if (vt_fold_int(kind, x->dtype, x->u.i, y->u.i, &value))
            return vt_int(ctx, compare ? VT_BOOL : x->dtype, value);
    } else if (x->kind == VT_E_FLOAT && y->kind == VT_E_FLOAT) {
        double value;
        bool by_zero = kind >= VT_E_DIV && kind <= VT_E_FLOORMOD && y->u.f == 0;
        if (!by_zero && vt_fold_float(kind, x->u.f, y->u.f, &value))
            return compare ? vt_bool(ctx, value != 0) : vt_float(ctx, x->dtype, value);
    }
    return fold_identity(ctx, kind, x, y);
}

/* The type two scalars or vectors of equal lanes meet in: float wins, then more bits, then unsigned. */
static vt_dtype meet(vt_dtype x, vt_dtype y) {
    bool fx = vt_dtype_is_float(x), fy = vt_dtype_is_float(y);
    if (fx != fy) return fx ? x : y;
    if (x.bits != y.bits) return x.bits > y.bits ? x : y;
    return vt_dtype_is_uint(x) ? x : y;
}

void vt_match_types(vt_ctx *ctx, const vt_expr **x, const vt_expr **y) {
    if (vt_dtype_eq((*x)->dtype, (*y)->dtype)) return;
    if ((*x)->dtype.code == VT_HANDLE || (*y)->dtype.code == VT_HANDLE)
        vt_raise(ctx, VTA_MISMATCH, "a handle cannot be an operand of arithmetic");
    uint16_t lx = (*x)->dtype.lanes, ly = (*y)->dtype.lanes;
    if (lx == 1 && ly != 1)
        *x = vt_e_broadcast(ctx, *x, ly);
    else if (ly == 1 && lx != 1)
        *y = vt_e_broadcast(ctx, *y, lx);
    else if (lx != ly)
        vt_raise(ctx, VTA_MISMATCH, "operands with %u and %u lanes cannot meet", lx, ly);
    vt_dtype t = meet((*x)->dtype, (*y)->dtype);
    *x = vt_cast(ctx, t, *x);
    *y = vt_cast(ctx, t, *y);
}

const vt_expr *vt_bin(vt_ctx *ctx, vt_expr_kind kind, const vt_expr *x, const vt_expr *y) {
    vt_match_types(ctx, &x, &y);
    const vt_expr *folded = vt_try_fold(ctx, kind, x, y);
    return folded ? folded : vt_e_bin(ctx, kind, x, y);
}

#define FOLDING(name, KIND)                                                                                            \
    const vt_expr *name(vt_ctx *ctx, const vt_expr *x, const vt_expr *y) { return vt_bin(ctx, KIND, x, y); }
FOLDING(vt_add, VT_E_ADD)
FOLDING(vt_sub, VT_E_SUB)
FOLDING(vt_mul, VT_E_MUL)
FOLDING(vt_div, VT_E_DIV)
FOLDING(vt_mod, VT_E_MOD)
FOLDING(vt_floordiv, VT_E_FLOORDIV)
FOLDING(vt_floormod, VT_E_FLOORMOD)
FOLDING(vt_min, VT_E_MIN)
FOLDING(vt_max, VT_E_MAX)
FOLDING(vt_eq, VT_E_EQ)
FOLDING(vt_ne, VT_E_NE)
FOLDING(vt_lt, VT_E_LT)
FOLDING(vt_le, VT_E_LE)
FOLDING(vt_gt, VT_E_GT)
FOLDING(vt_ge, VT_E_GE)
FOLDING(vt_and, VT_E_AND)
FOLDING(vt_or, VT_E_OR)
#undef FOLDING

const vt_expr *vt_not(vt_ctx *ctx, const vt_expr *x) {
    return x->kind == VT_E_INT ? vt_bool(ctx, !x->u.i) : vt_e_not(ctx, x);
}

const vt_expr *vt_neg(vt_ctx *ctx, const vt_expr *x) {
    if (x->kind == VT_E_INT) return vt_int(ctx, x->dtype, (int64_t)(0 - (uint64_t)x->u.i));
    if (x->kind == VT_E_FLOAT) return vt_float(ctx, x->dtype, -x->u.f);
    return vt_sub(ctx, vt_const(ctx, x->dtype, 0), x);
}

const vt_expr *vt_select(vt_ctx *ctx, const vt_expr *c, const vt_expr *x, const vt_expr *y) {
    vt_match_types(ctx, &x, &y);
    return vt_e_select(ctx, c, x, y);
}

const vt_expr *vt_if_then_else(vt_ctx *ctx, const vt_expr *c, const vt_expr *x, const vt_expr *y) {
    vt_match_types(ctx, &x, &y);
    if (c->kind == VT_E_INT) return c->u.i ? x : y;
    return vt_e_call(ctx, x->dtype, VT_OP_IF_THEN_ELSE, 3, (const vt_expr *[]){c, x, y});
}

static const vt_expr *cast_scalar(vt_ctx *ctx, vt_dtype t, const vt_expr *x) {
    if (vt_dtype_eq(x->dtype, t)) return x;
    if (vt_dtype_is_integral(t) && x->kind == VT_E_INT)
        return vt_int(ctx, t, vt_dtype_is_bool(t) ? x->u.i != 0 : x->u.i);
    if (vt_dtype_is_integral(t) && x->kind == VT_E_FLOAT && fabs(x->u.f) < 9e18) return vt_int(ctx, t, (int64_t)x->u.f);
    if (vt_dtype_is_float(t) && x->kind == VT_E_INT) return vt_float(ctx, t, (double)x->u.i);
    if (vt_dtype_is_float(t) && x->kind == VT_E_FLOAT) return vt_float(ctx, t, x->u.f);
    return vt_e_cast(ctx, t, x);
}

const vt_expr *vt_cast(vt_ctx *ctx, vt_dtype t, const vt_expr *x) {
    if (vt_dtype_eq(x->dtype, t)) return x;
    if (t.lanes == 1) return cast_scalar(ctx, t, x);
    if (x->dtype.lanes == 1) return vt_e_broadcast(ctx, cast_scalar(ctx, vt_dtype_elem(t), x), t.lanes);
    if (x->kind == VT_E_BROADCAST) return vt_e_broadcast(ctx, cast_scalar(ctx, vt_dtype_elem(t), x->a[0]), t.lanes);
    return vt_e_cast(ctx, t, x);
}

int64_t vt_shift_value(vt_op op, vt_dtype t, int64_t x, int64_t y) {
    bool left = (op == VT_OP_SHIFT_LEFT) == (y >= 0);
    uint64_t by = y < 0 ? -(uint64_t)y : (uint64_t)y;
    if (by >= t.bits) return !left && x < 0 && t.code == VT_INT ? -1 : 0;
    if (left) return (int64_t)((uint64_t)x << by);
    return t.code == VT_UINT ? (int64_t)((uint64_t)x >> by) : x >> by;
}

bool vt__fold_bits(vt_op op, int64_t x, int64_t y, int64_t *out) {
    switch ((int)op) {
    case VT_OP_SHIFT_LEFT: *out = (int64_t)((uint64_t)x << y); return y >= 0 && y < 64;
    case VT_OP_SHIFT_RIGHT: *out = x >> y; return y >= 0 && y < 64;
    case VT_OP_BITWISE_AND: *out = x & y; return true;
    case VT_OP_BITWISE_OR: *out = x | y; return true;
    case VT_OP_BITWISE_XOR: *out = x ^ y; return true;
    default: return false;
    }
}

const vt_expr *vt_bitwise(vt_ctx *ctx, vt_op op, const vt_expr *x, const vt_expr *y) {
    vt_match_types(ctx, &x, &y);
    bool shift = op == VT_OP_SHIFT_LEFT || op == VT_OP_SHIFT_RIGHT;
    if (vt_dtype_is_index(x->dtype) && y->kind == VT_E_INT) {
        int64_t value;
        if (x->kind == VT_E_INT && y->u.i >= 0 && (!shift || y->u.i < 64) && vt__fold_bits(op, x->u.i, y->u.i, &value))
            return vt_int(ctx, x->dtype, value);
        if (shift && y->u.i == 0) return x;
    }
    return vt_e_call(ctx, x->dtype, op, 2, (const vt_expr *[]){x, y});
}

const vt_expr *vt_shift_left(vt_ctx *ctx, const vt_expr *x, const vt_expr *y) {
    return vt_bitwise(ctx, VT_OP_SHIFT_LEFT, x, y);
}

const vt_expr *vt_shift_right(vt_ctx *ctx, const vt_expr *x, const vt_expr *y) {
    return vt_bitwise(ctx, VT_OP_SHIFT_RIGHT, x, y);
}

const vt_expr *vt_likely(vt_ctx *ctx, const vt_expr *x) {
    return x->kind == VT_E_INT ? x : vt_e_call(ctx, x->dtype, VT_OP_LIKELY, 1, &x);
}

const vt_expr *vt_ceildiv(vt_ctx *ctx, const vt_expr *x, const vt_expr *y) {
    return vt_floordiv(ctx, vt_add(ctx, x, vt_sub(ctx, y, vt_const(ctx, y->dtype, 1))), y);
}

const vt_expr *vt_min_value(vt_ctx *ctx, vt_dtype t) {
    if (!vt_dtype_is_float(t)) return vt_int(ctx, t, vt_dtype_min_int(vt_dtype_elem(t)));
    return vt_float(ctx, t, t.bits == 64 ? -1.7976931348623157e308 : t.bits == 16 ? -65504.0 : -3.4028234663852886e38);
}

const vt_expr *vt_max_value(vt_ctx *ctx, vt_dtype t) {
    if (!vt_dtype_is_float(t))
        return vt_int(ctx, t, vt_dtype_is_uint(t) && t.bits == 64 ? -1 : vt_dtype_max_int(vt_dtype_elem(t)));
    return vt_neg(ctx, vt_min_value(ctx, t));
}
