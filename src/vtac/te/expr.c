/* Expressions: the operators of vta/te_ops.def on IR nodes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arith/analyzer.h"
#include "te/expr.h"

typedef struct op_row {
    const char *name, *text;
    uint8_t operands;
} op_row;

static const op_row rows[] = {
#define TE_OP(name, text, function, operands, class, meaning) {#name, text, operands},
#include "vta/te_ops.def"
#undef TE_OP
};

static bool is_op(te_op op) { return (unsigned)op < TE_OP_COUNT; }
const char *te_op_name(te_op op) { return is_op(op) ? rows[op].name : NULL; }
const char *te_op_text(te_op op) { return is_op(op) ? rows[op].text : NULL; }
size_t te_op_operands(te_op op) { return is_op(op) ? rows[op].operands : 0; }

static bool is_number(vt_dtype t) { return vt_dtype_is_integral(t) || vt_dtype_is_float(t); }

static bool any_float(const vt_expr *const *x) {
    return vt_dtype_is_float(x[0]->dtype) || vt_dtype_is_float(x[1]->dtype);
}

/* Why an operator cannot take its operands; NULL when it can. */
static const char *complaint(te_op op, const vt_expr *const *x) {
    for (int i = 0; i < rows[op].operands; i++)
        if (!is_number(x[i]->dtype) || x[i]->kind == VT_E_REDUCE)
            return x[i]->kind == VT_E_REDUCE
                       ? "is a reduction, which may only stand at the top of a body: make it a tensor of its own"
                       : "is not a number";
    switch (op) {
    case TE_ADD:
    case TE_SUB:
    case TE_MUL:
    case TE_EQ:
    case TE_NE:
    case TE_LT:
    case TE_LE:
    case TE_GT:
    case TE_GE:
    case TE_NEG:
    case TE_MIN:
    case TE_MAX:
    case TE_ABS:
    case TE_OP_COUNT: break;
    case TE_DIV:
        if (vt_dtype_is_integral(x[0]->dtype) && vt_dtype_is_integral(x[1]->dtype))
            return "is an integer: write // (rounds down) or truncdiv (rounds towards zero)";
        break;
    case TE_FLOORDIV:
    case TE_FLOORMOD:
        if (any_float(x)) break;
        /* fall through */
    case TE_TRUNCDIV:
    case TE_TRUNCMOD:
        if (vt_is_const(x[1], 0)) return "is divided by zero";
        /* fall through */
    case TE_SHL:
    case TE_SHR:
    case TE_BITAND:
    case TE_BITOR:
    case TE_BITXOR:
        if (!vt_dtype_is_integral(x[1]->dtype)) return "needs an integer on its right";
        /* fall through */
    case TE_BITNOT:
        if (!vt_dtype_is_integral(x[0]->dtype)) return "is not an integer";
        break;
    case TE_AND:
    case TE_OR:
        if (!vt_dtype_is_bool(x[1]->dtype)) return "needs a condition on its right";
        /* fall through */
    case TE_NOT:
    case TE_SELECT:
    case TE_IF_THEN_ELSE:
    case TE_LIKELY:
        if (!vt_dtype_is_bool(x[0]->dtype)) return "is not a condition";
        break;
#define VTA_MATH(name, function, operands, llvm, meaning) case TE_##name:
#include "vta/math.def"
#undef VTA_MATH
        if (!vt_dtype_is_float(x[0]->dtype)) return "is not a float: cast it first";
        break;
    }
    return NULL;
}

static const vt_expr *absolute(vt_ctx *ctx, const vt_expr *x) {
    if (vt_dtype_is_float(x->dtype)) return vt_e_call(ctx, x->dtype, VT_OP_FABS, 1, &x);
    if (vt_dtype_is_uint(x->dtype)) return x;
    return vt_select(ctx, vt_ge(ctx, x, vt_const(ctx, x->dtype, 0)), x, vt_neg(ctx, x));
}

/* Of floats // is floor(a / b), and % what that leaves of a, as in TVM. */
static const vt_expr *floor_quotient(vt_ctx *ctx, const vt_expr *const *x) {
    if (!any_float(x)) return vt_floordiv(ctx, x[0], x[1]);
    const vt_expr *quotient = vt_div(ctx, x[0], x[1]);
    return vt_e_call(ctx, quotient->dtype, VT_OP_FLOOR, 1, &quotient);
}

static const vt_expr *floor_remainder(vt_ctx *ctx, const vt_expr *const *x) {
    if (!any_float(x)) return vt_floormod(ctx, x[0], x[1]);
    return vt_sub(ctx, x[0], vt_mul(ctx, floor_quotient(ctx, x), x[1]));
}

static const vt_expr *math(vt_ctx *ctx, vt_op op, uint32_t n, const vt_expr *const *x) {
    const vt_expr *args[2] = {x[0], n > 1 ? x[1] : NULL};
    if (n > 1) vt_match_types(ctx, &args[0], &args[1]);
    return vt_e_call(ctx, args[0]->dtype, op, n, args);
}

/* The one rule for numbers written without a type, in every front end: the type does not depend on what stands beside
 * it, so that int8 + 1 is an int32, as in TVM. */
const vt_expr *te__number(te_context *c, int64_t value) {
    return vt_int(&c->ctx, value > INT32_MAX || value < INT32_MIN ? VT_I64 : VT_I32, value);
}

/* The digits that float32 cuts are kept beside the constant, for where it meets a double (at_full_length). */
const vt_expr *te__real(te_context *c, double value) {
    vt_ctx *ctx = &c->ctx;
    if (value > FLT_MAX || value < -FLT_MAX) return vt_float(ctx, VT_F64, value);
    const vt_expr *e = vt_float(ctx, VT_F32, value);
    if (e->u.f == value || value != value) return e;
    if (!c->reals) c->reals = vt_ptrmap_new(ctx);
    double *digits = VT_NEW(ctx, double);
    *digits = value;
    vt_ptrmap_set(c->reals, e, digits);
    return e;
}

static const double *digits_of(const te_context *c, const vt_expr *e) {
    return c->reals ? vt_ptrmap_get(c->reals, e) : NULL;
}

static const vt_expr *at_full_length(te_context *c, const vt_expr *e) {
    if (e->kind != VT_E_FLOAT) return e;
    const double *digits = digits_of(c, e);
    for (uint32_t i = 0; i < c->n_used && !digits; i++) digits = digits_of(c->used[i], e);
    return digits ? vt_float(&c->ctx, VT_F64, *digits) : e;
}

const vt_expr *te__cast(te_context *c, vt_dtype t, const vt_expr *e) {
    return vt_cast(&c->ctx, t, vt_dtype_eq(t, VT_F64) ? at_full_length(c, e) : e);
}

/* Does the number that two constants make fit their type? Folding keeps the low bits, which is another number. */
static bool folds(te_op op, const vt_expr *x, const vt_expr *y) {
    int bits = x->dtype.bits > y->dtype.bits ? x->dtype.bits : y->dtype.bits;
    int64_t a = x->u.i, b = y->u.i, most = bits == 32 ? INT32_MAX : INT64_MAX, out = 0;
    bool over = false;
    if (op == TE_ADD) over = __builtin_add_overflow(a, b, &out);
    if (op == TE_SUB) over = __builtin_sub_overflow(a, b, &out);
    if (op == TE_MUL) over = __builtin_mul_overflow(a, b, &out);
    if (op == TE_SHL) over = a && (b < 0 || b > 62 || __builtin_mul_overflow(a, INT64_C(1) << b, &out));
    return !over && out >= -most - 1 && out <= most;
}

static void check_constants(te_context *c, te_op op, const vt_expr *const *x) {
    if (rows[op].operands != 2 || x[0]->kind != VT_E_INT || x[1]->kind != VT_E_INT) return;
    if (!vt_dtype_is_index(x[0]->dtype) || !vt_dtype_is_index(x[1]->dtype) || folds(op, x[0], x[1])) return;
    te__raise(c, VTA_OUT_OF_RANGE, "%lld %s %lld is a number that int%d cannot hold%s", (long long)x[0]->u.i,
              rows[op].text, (long long)x[1]->u.i, (int)(x[0]->dtype.bits > x[1]->dtype.bits ? x[0] : x[1])->dtype.bits,
              x[0]->dtype.bits < 64 && x[1]->dtype.bits < 64 ? ": write one of them as int64(...)" : "");
}

const vt_expr *te__apply(te_context *c, te_op op, const vt_expr *const *operands) {
    vt_ctx *ctx = &c->ctx;
    const vt_expr *x[3] = {NULL};
    bool wide = false;
    for (int i = 0; i < rows[op].operands; i++) wide = wide || vt_dtype_eq(operands[i]->dtype, VT_F64);
    for (int i = 0; i < rows[op].operands; i++) x[i] = wide ? at_full_length(c, operands[i]) : operands[i];
    const char *why = complaint(op, x);
    if (why) te__raise(c, VTA_INVALID_ARGUMENT, "the operand of %s %s", rows[op].text, why);
    check_constants(c, op, x);
    switch (op) {
    case TE_ADD: return vt_add(ctx, x[0], x[1]);
    case TE_SUB: return vt_sub(ctx, x[0], x[1]);
    case TE_MUL: return vt_mul(ctx, x[0], x[1]);
    case TE_DIV:
    case TE_TRUNCDIV: return vt_div(ctx, x[0], x[1]);
    case TE_TRUNCMOD: return vt_mod(ctx, x[0], x[1]);
    case TE_FLOORDIV: return floor_quotient(ctx, x);
    case TE_FLOORMOD: return floor_remainder(ctx, x);
    case TE_SHL: return vt_shift_left(ctx, x[0], x[1]);
    case TE_SHR: return vt_shift_right(ctx, x[0], x[1]);
    case TE_BITAND: return vt_bitwise(ctx, VT_OP_BITWISE_AND, x[0], x[1]);
    case TE_BITOR: return vt_bitwise(ctx, VT_OP_BITWISE_OR, x[0], x[1]);
    case TE_BITXOR: return vt_bitwise(ctx, VT_OP_BITWISE_XOR, x[0], x[1]);
    case TE_EQ: return vt_eq(ctx, x[0], x[1]);
    case TE_NE: return vt_ne(ctx, x[0], x[1]);
    case TE_LT: return vt_lt(ctx, x[0], x[1]);
    case TE_LE: return vt_le(ctx, x[0], x[1]);
    case TE_GT: return vt_gt(ctx, x[0], x[1]);
    case TE_GE: return vt_ge(ctx, x[0], x[1]);
    case TE_AND: return vt_and(ctx, x[0], x[1]);
    case TE_OR: return vt_or(ctx, x[0], x[1]);
    case TE_NOT: return vt_not(ctx, x[0]);
    case TE_NEG: return vt_neg(ctx, x[0]);
    case TE_BITNOT: return vt_e_call(ctx, x[0]->dtype, VT_OP_BITWISE_NOT, 1, x);
    case TE_MIN: return vt_min(ctx, x[0], x[1]);
    case TE_MAX: return vt_max(ctx, x[0], x[1]);
    case TE_SELECT: return vt_select(ctx, x[0], x[1], x[2]);
    case TE_IF_THEN_ELSE: return vt_if_then_else(ctx, x[0], x[1], x[2]);
    case TE_ABS: return absolute(ctx, x[0]);
    case TE_LIKELY: return vt_likely(ctx, x[0]);
#define VTA_MATH(name, function, operands, llvm, meaning)                                                              \
    case TE_##name: return math(ctx, VT_OP_##name, operands, x);
#include "vta/math.def"
#undef VTA_MATH
    case TE_OP_COUNT: break;
    }
    te__raise(c, VTA_INVALID_ARGUMENT, "there is no operator %d", (int)op);
}

const vt_expr *te__load(te_context *c, const vt_tensor *t, uint32_t n, const vt_expr *const *indices) {
    if (n != t->ndim)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s has %u dimensions, but %u indices are given", t->name, t->ndim, n);
    const vt_expr **fitted = VT_NEW_ARRAY(&c->ctx, const vt_expr *, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!vt_dtype_is_integral(indices[i]->dtype))
            te__raise(c, VTA_INVALID_ARGUMENT, "index %u of %s is not an integer but %s", i, t->name,
                      te__dtype_text(c, indices[i]->dtype));
        fitted[i] = indices[i];
    }
    return vt_e_pload(&c->ctx, t, n, fitted);
}

/* ---- Public ---- */

/* Whether a number stays one in the type: rounding a large one gives infinity. */
static bool is_finite_in(vt_dtype t, double value) {
    enum { HALF_LIMIT = 65520 }; /* the middle between the largest float16 and what would be next */
    if (isinf(value) || isnan(value)) return true;
    return t.bits == 16 ? fabs(value) < HALF_LIMIT : t.bits == 32 ? isfinite((float)value) : true;
}

static const vt_expr *float_constant(te_context *c, vt_dtype t, const char *dtype, double value) {
    if (!is_finite_in(t, value))
        te__raise(c, VTA_OUT_OF_RANGE, "%.17g does not fit %s, whose largest number is %.8g", value, dtype,
                  t.bits == 16 ? 65504.0 : (double)FLT_MAX);
    return vt_float(&c->ctx, t, value);
}

static const vt_expr *int_of_type(te_context *c, const char *dtype, int64_t value) {
    if (!dtype) return te__number(c, value);
    vt_dtype t = te__value_dtype(c, dtype);
    if (t.code == VT_HANDLE) te__raise(c, VTA_INVALID_ARGUMENT, "a number is no %s", dtype);
    if (vt_dtype_is_float(t)) return float_constant(c, t, dtype, (double)value);
    if (t.bits < 64 && (value < vt_dtype_min_int(t) || value > vt_dtype_max_int(t)))
        te__raise(c, VTA_OUT_OF_RANGE, "%lld does not fit %s, which has %lld to %lld", (long long)value, dtype,
                  (long long)vt_dtype_min_int(t), (long long)vt_dtype_max_int(t));
    return vt_const(&c->ctx, t, value);
}

te_expr *te_int(te_context *c, const char *dtype, int64_t value) {
    TE_RETURN(c, te__out(int_of_type(c, dtype, value)));
}

static te_expr *string(te_context *c, const char *value) {
    te__need(c, value, "a text");
    return te__out(vt_string(&c->ctx, value));
}

te_expr *te_string(te_context *c, const char *value) { TE_RETURN(c, string(c, value)); }

static const vt_expr *float_of_type(te_context *c, const char *dtype, double value) {
    if (!dtype) return te__real(c, value);
    vt_dtype t = te__value_dtype(c, dtype);
    if (vt_dtype_is_float(t)) return float_constant(c, t, dtype, value);
    if (value >= -0x1p62 && value <= 0x1p62 && (double)(int64_t)value == value)
        return int_of_type(c, dtype, (int64_t)value);
    te__raise(c, VTA_OUT_OF_RANGE, "%g does not fit %s", value, dtype);
}

te_expr *te_float(te_context *c, const char *dtype, double value) {
    TE_RETURN(c, te__out(float_of_type(c, dtype, value)));
}

static vt_dtype scalar_dtype(te_context *c, const char *text) {
    vt_dtype t = te__value_dtype(c, text);
    if (t.lanes != 1) te__raise(c, VTA_INVALID_ARGUMENT, "a scalar cannot be of type %s: it is one number", text);
    return t;
}

static te_expr *scalar(te_context *c, const char *name, const char *dtype) {
    const char *checked = te__name(c, name, "a scalar");
    const vt_var *v = vt_var_new_scalar(&c->ctx, checked, scalar_dtype(c, dtype));
    te__symbol_add(c, TE__SCALAR, vt_var_name(v), 0, v);
    return te__out(v);
}

te_expr *te_scalar(te_context *c, const char *name, const char *dtype) { TE_RETURN(c, scalar(c, name, dtype)); }

te_expr *te_axis_value(te_context *c, te_axis *axis) { TE_RETURN(c, te__out(te__axis_in(c, axis, "an axis")->var)); }

static const vt_expr *apply(te_context *c, te_op op, size_t n, te_expr *const *operands) {
    if (!is_op(op)) te__raise(c, VTA_INVALID_ARGUMENT, "there is no operator %lld", (long long)op);
    if (n != rows[op].operands)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s takes %u operands, not %zu", rows[op].text, rows[op].operands, n);
    return te__apply(c, op, te__exprs_in(c, n, operands, "an expression"));
}

te_expr *te_apply(te_context *c, te_op op, size_t n, te_expr *const operands[]) {
    TE_RETURN(c, te__out(apply(c, op, n, operands)));
}

static te_expr *binary(te_context *c, te_op op, te_expr *a, te_expr *b) {
    return te_apply(c, op, 2, (te_expr *const[]){a, b});
}

te_expr *te_add(te_context *c, te_expr *a, te_expr *b) { return binary(c, TE_ADD, a, b); }
te_expr *te_sub(te_context *c, te_expr *a, te_expr *b) { return binary(c, TE_SUB, a, b); }
te_expr *te_mul(te_context *c, te_expr *a, te_expr *b) { return binary(c, TE_MUL, a, b); }

static const vt_expr *cast(te_context *c, const char *dtype, const te_expr *value) {
    const vt_expr *e = te__expr_in(c, value, "an expression");
    if (!is_number(e->dtype) || e->kind == VT_E_REDUCE)
        te__raise(c, VTA_INVALID_ARGUMENT, "only a number can be cast to %s, and no reduction", dtype);
    vt_dtype t = te__value_dtype(c, dtype);
    if (t.code == VT_HANDLE || (t.lanes != e->dtype.lanes && e->dtype.lanes != 1))
        te__raise(c, VTA_INVALID_ARGUMENT, "a value of type %s cannot be cast to %s", te__dtype_text(c, e->dtype),
                  dtype);
    return te__cast(c, t, e);
}

te_expr *te_cast(te_context *c, const char *dtype, te_expr *value) { TE_RETURN(c, te__out(cast(c, dtype, value))); }

static const vt_expr *load(te_context *c, const te_tensor *tensor, size_t n, te_expr *const *indices) {
    const vt_tensor *t = te__tensor_in(c, tensor, "a tensor");
    return te__load(c, t, (uint32_t)n, te__exprs_in(c, n, indices, "an index"));
}

te_expr *te_load(te_context *c, te_tensor *tensor, size_t n, te_expr *const indices[]) {
    TE_RETURN(c, te__out(load(c, tensor, n, indices)));
}

static const vt_expr *call(te_context *c, const char *dtype, const char *name, size_t n, te_expr *const *list) {
    te__need(c, name, "a name");
    const vt_expr *const *args = te__exprs_in(c, n, list, "an argument");
    char *full = vt_new_format(&c->ctx, "tir.%s", name);
    vt_op op = vt_op_find(full);
    if (op == VT_OP_COUNT) op = vt_op_find(name);
    vt_dtype t = te__value_dtype(c, dtype);
    if (op == VT_OP_COUNT) return vt_e_call_extern(&c->ctx, t, name, (uint32_t)n, args);
    if (vt_op_infos[op].arity >= 0 && (size_t)vt_op_infos[op].arity != n)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s takes %d arguments, not %zu", name, vt_op_infos[op].arity, n);
    return vt_e_call(&c->ctx, t, op, (uint32_t)n, args);
}

te_expr *te_call(te_context *c, const char *dtype, const char *name, size_t n, te_expr *const args[]) {
    TE_RETURN(c, te__out(call(c, dtype, name, n, args)));
}

static void int_value(te_context *c, const te_expr *given, int64_t *out_value) {
    const vt_expr *e = te__expr_in(c, given, "an expression");
    te__measure(c, e);
    e = vt_simplify_free(&c->ctx, e);
    if (e->kind != VT_E_INT) te__raise(c, VTA_INVALID_ARGUMENT, "the expression is not an integer constant");
    *out_value = e->u.i;
}

vta_status te_expr_int(te_context *c, te_expr *e, int64_t *out_value) {
    if (!out_value) return VTA_INVALID_ARGUMENT;
    *out_value = 0;
    TE_RETURN_STATUS(c, int_value(c, e, out_value));
}
