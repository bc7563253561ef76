/* The program that evaluates an expression, and indices that are sums of multiples of axes. */
#include "arith/linear.h"
#include "ir/fold.h"
#include "te/eval.h"

uint32_t te__program_emit(program *p, insn in) {
    vt_grow(p->ctx, &p->code, &p->cap, p->n + 1, sizeof *p->code);
    p->code[p->n++] = in;
    return in.to;
}

uint32_t te__program_fresh(program *p) { return p->slots++; }

uint32_t te__program_make(program *p, const vt_expr *e);

static uint32_t make_choice(program *p, const vt_expr *e) {
    uint32_t to = te__program_fresh(p), condition = te__program_make(p, e->a[0]);
    uint32_t skip = p->n;
    te__program_emit(p, (insn){.code = JUMP_IF_NOT, .x = condition});
    te__program_emit(p, (insn){.code = COPY, .to = to, .x = te__program_make(p, e->a[1])});
    uint32_t leave = p->n;
    te__program_emit(p, (insn){.code = JUMP});
    p->code[skip].to = p->n;
    te__program_emit(p, (insn){.code = COPY, .to = to, .x = te__program_make(p, e->a[2])});
    p->code[leave].to = p->n;
    return to;
}

/* One index as base + factors times the axes; false when it is none such or may leave [0, extent). */
static bool linear_index(const program *p, const vt_expr *e, const vt_var *const *vars, int64_t extent,
                         int64_t *factors, int64_t *out_base) {
    const vt_expr **coeffs = VT_NEW_ARRAY(p->ctx, const vt_expr *, p->axes.n + 1);
    if (!vt_detect_linear(p->ctx, e, p->axes.n, vars, coeffs) || !vt_as_const(coeffs[p->axes.n], out_base))
        return false;
    int64_t low = *out_base, high = *out_base;
    for (uint32_t k = 0; k < p->axes.n; k++) {
        int64_t min, size;
        if (!vt_as_const(coeffs[k], &factors[k]) || !vt_as_const(p->axes.items[k]->min, &min) ||
            !vt_as_const(p->axes.items[k]->extent, &size))
            return false;
        if (factors[k] > INT32_MAX || factors[k] < INT32_MIN || min > INT32_MAX || min < INT32_MIN || size > INT32_MAX)
            return false;
        int64_t first = factors[k] * min, last = factors[k] * (min + size - 1);
        low += first < last ? first : last;
        high += first < last ? last : first;
        if (low < -(INT64_C(1) << 40) || high > INT64_C(1) << 40) return false;
    }
    return low >= 0 && high < extent;
}

/* A load whose place is linear in the axes and always inside: the indices need no work at each point. */
static bool make_linear(const program *p, const vt_expr *e, const array *a, insn *out) {
    uint32_t n = p->axes.n;
    const vt_var **vars = VT_NEW_ARRAY(p->ctx, const vt_var *, n);
    int64_t *factors = VT_NEW_ARRAY(p->ctx, int64_t, n), *one = VT_NEW_ARRAY(p->ctx, int64_t, n), base;
    uint32_t *slots = VT_NEW_ARRAY(p->ctx, uint32_t, n);
    for (uint32_t k = 0; k < n; k++) vars[k] = p->axes.items[k]->var;
    *out = (insn){.code = LOAD_LINEAR, .dtype = e->dtype, .array = a, .indices = slots, .factors = factors};
    for (uint32_t d = 0; d < e->n; d++) {
        if (!linear_index(p, e->a[d], vars, a->shape[d], one, &base)) return false;
        out->base = out->base * a->shape[d] + base;
        for (uint32_t k = 0; k < n; k++) factors[k] = factors[k] * a->shape[d] + one[k];
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!factors[k]) continue;
        slots[out->n_factors] = (uint32_t)(uintptr_t)vt_ptrmap_get(p->known, vars[k]) - 1;
        factors[out->n_factors++] = factors[k];
    }
    return true;
}

/* The right side may be guarded by the left one. */
static uint32_t make_logic(program *p, const vt_expr *e) {
    uint32_t to = te__program_fresh(p), ask = te__program_fresh(p);
    te__program_emit(p, (insn){.code = COPY, .to = to, .x = te__program_make(p, e->a[0])});
    te__program_emit(p, (insn){.code = e->kind == VT_E_AND ? COPY : NOT, .to = ask, .x = to});
    uint32_t skip = p->n;
    te__program_emit(p, (insn){.code = JUMP_IF_NOT, .x = ask});
    te__program_emit(p, (insn){.code = COPY, .to = to, .x = te__program_make(p, e->a[1])});
    p->code[skip].to = p->n;
    return to;
}

static uint32_t make_load(program *p, const vt_expr *e) {
    const array *a = vt_ptrmap_get(p->arrays, te__tensor_key(e->u.tensor));
    insn in;
    if (make_linear(p, e, a, &in)) {
        in.to = te__program_fresh(p);
        return te__program_emit(p, in);
    }
    uint32_t *indices = VT_NEW_ARRAY(p->ctx, uint32_t, e->n);
    for (uint32_t i = 0; i < e->n; i++) indices[i] = te__program_make(p, e->a[i]);
    return te__program_emit(
        p, (insn){.code = LOAD, .to = te__program_fresh(p), .dtype = e->dtype, .array = a, .indices = indices});
}

/* 1 / (1 + exp(-x)), or 1 / sqrt(x). */
static const vt_expr *written_out(vt_ctx *ctx, const vt_expr *e) {
    const vt_expr *x = e->a[0], *one = vt_float(ctx, e->dtype, 1), *minus;
    if (e->u.op == VT_OP_RSQRT) return vt_div(ctx, one, vt_e_call(ctx, e->dtype, VT_OP_SQRT, 1, &x));
    minus = vt_neg(ctx, x);
    return vt_div(ctx, one, vt_add(ctx, one, vt_e_call(ctx, e->dtype, VT_OP_EXP, 1, &minus)));
}

static uint32_t make_call(program *p, const vt_expr *e) {
    vt_op op = e->u.op;
    if (op == VT_OP_IF_THEN_ELSE) return make_choice(p, e);
    if (op == VT_OP_SIGMOID || op == VT_OP_RSQRT) return te__program_make(p, written_out(p->ctx, e));
    if (op == VT_OP_LIKELY) return te__program_make(p, e->a[0]);
    insn in = {.kind = (uint8_t)op, .dtype = e->dtype};
    if (vt_op_is_math(op))
        in.code = MATH;
    else if (op == VT_OP_SHIFT_LEFT || op == VT_OP_SHIFT_RIGHT)
        in.code = SHIFT;
    else if (op == VT_OP_BITWISE_AND || op == VT_OP_BITWISE_OR || op == VT_OP_BITWISE_XOR)
        in.code = BITWISE;
    else if (op == VT_OP_BITWISE_NOT)
        in.code = BITNOT;
    else
        te__raise(p->c, VTA_UNSUPPORTED, "%s cannot be evaluated", vt_op_infos[op].name);
    in.x = te__program_make(p, e->a[0]);
    if (e->n > 1) in.y = te__program_make(p, e->a[1]);
    in.to = te__program_fresh(p);
    return te__program_emit(p, in);
}

uint32_t te__program_make(program *p, const vt_expr *e) {
    insn in = {.dtype = e->dtype};
    switch ((vt_expr_kind)e->kind) {
    case VT_E_VAR: {
        uintptr_t slot = (uintptr_t)vt_ptrmap_get(p->known, e);
        if (!slot) te__raise(p->c, VTA_UNSUPPORTED, "the scalar %s has no value to evaluate with", vt_var_name(e));
        return (uint32_t)slot - 1;
    }
    case VT_E_INT: return te__program_emit(p, (insn){.code = CONST, .to = te__program_fresh(p), .constant.i = e->u.i});
    case VT_E_FLOAT:
        return te__program_emit(p, (insn){.code = CONST, .to = te__program_fresh(p), .constant.f = e->u.f});
    case VT_E_NOT:
        in.x = te__program_make(p, e->a[0]);
        in.code = NOT;
        break;
    case VT_E_SELECT: return make_choice(p, e);
    case VT_E_AND:
    case VT_E_OR: return make_logic(p, e);
    case VT_E_CAST:
        in.x = te__program_make(p, e->a[0]);
        in.code = CAST;
        in.kind = e->a[0]->dtype.code;
        in.from = e->a[0]->dtype;
        break;
    case VT_E_PLOAD: return make_load(p, e);
    case VT_E_CALL: return make_call(p, e);
    case VT_EACH_ARITH:
    case VT_EACH_COMPARE:
        in.x = te__program_make(p, e->a[0]);
        in.y = te__program_make(p, e->a[1]);
        in.code = BIN;
        in.kind = e->kind;
        in.dtype = e->a[0]->dtype;
        break;
    case VT_E_STRING:
    case VT_E_LOAD:
    case VT_E_LET:
    case VT_E_RAMP:
    case VT_E_BROADCAST:
    case VT_E_REDUCE:
    case VT_E_COUNT:
        te__raise(p->c, VTA_UNSUPPORTED, "an expression of kind %s cannot be evaluated", vt_expr_infos[e->kind].text);
    }
    in.to = te__program_fresh(p);
    return te__program_emit(p, in);
}
