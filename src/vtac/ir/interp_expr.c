/* Expressions of the interpreter. A vector is evaluated lane by lane. */
#include <math.h>
#include <string.h>

#include "ir/fold.h"
#include "ir/interp_priv.h"

vt_value vt__value_int(vt_dtype t, int64_t i) {
    return (vt_value){.dtype = vt_dtype_elem(t), .u.i = t.code == VT_HANDLE ? i : vt_wrap_int(t, i)};
}

vt_value vt__value_float(vt_dtype t, double f) {
    return (vt_value){.dtype = vt_dtype_elem(t), .u.f = t.bits == 32 ? (double)(float)f : f};
}

vt_value vt__value_cast(vt_dtype t, vt_value v) {
    bool from_float = v.dtype.code == VT_FLOAT;
    if (t.code == VT_FLOAT) {
        bool wide = v.dtype.code == VT_UINT && v.dtype.bits == 64;
        return vt__value_float(t, from_float ? v.u.f : wide ? (double)(uint64_t)v.u.i : (double)v.u.i);
    }
    if (t.code == VT_HANDLE) return v;
    int64_t i = v.u.i;
    if (from_float) i = v.u.f >= 9.2e18 ? INT64_MAX : v.u.f <= -9.2e18 ? INT64_MIN : (int64_t)v.u.f;
    return vt__value_int(t, vt_dtype_is_bool(t) ? i != 0 : i);
}

/* Where a variable's value is kept, lane by lane. */
static vt_value *cells_of(vt__interp *in, const vt_var *v) {
    vt_value *cells = vt_ptrmap_get(in->vars, v);
    if (!cells) {
        cells = VT_NEW_ARRAY(in->ctx, vt_value, v->dtype.lanes);
        vt_ptrmap_set(in->vars, v, cells);
    }
    return cells;
}

void vt__interp_set(vt__interp *in, const vt_var *v, vt_value value) { *cells_of(in, v) = value; }

void vt__interp_let(vt__interp *in, const vt_var *v, const vt_expr *value, uint32_t lane) {
    vt_value *cells = cells_of(in, v);
    for (uint32_t i = 0; i < v->dtype.lanes; i++) cells[i] = vt__eval(in, value, v->dtype.lanes > 1 ? i : lane);
}

int64_t vt__eval_int(vt__interp *in, const vt_expr *e, uint32_t lane) {
    return e->kind == VT_E_INT ? e->u.i : vt__eval(in, e, lane).u.i;
}

static vt_value eval_var(vt__interp *in, const vt_expr *e, uint32_t lane) {
    const vt_value *cells = vt_ptrmap_get(in->vars, e);
    if (cells) return cells[e->dtype.lanes > 1 ? lane : 0];
    const vt__memory *m = vt_ptrmap_get(in->memory, e);
    if (m) return (vt_value){.dtype = VT_HANDLE_T, .u.p = m->data};
    vt_raise(in->ctx, VTA_ILLEGAL, "variable %s is used before it is defined", vt_var_name(e));
}

static vt_value eval_binary(vt__interp *in, const vt_expr *e, uint32_t lane) {
    vt_expr_kind kind = (vt_expr_kind)e->kind;
    vt_value x = vt__eval(in, e->a[0], lane);
    if (in->both_sides && e->dtype.lanes > 1 && (kind == VT_E_AND || kind == VT_E_OR)) vt__eval(in, e->a[1], lane);
    if (kind == VT_E_AND && !x.u.i) return vt__value_int(VT_BOOL, 0);
    if (kind == VT_E_OR && x.u.i) return vt__value_int(VT_BOOL, 1);
    vt_value y = vt__eval(in, e->a[1], lane);
    if (kind == VT_E_AND || kind == VT_E_OR) return vt__value_int(VT_BOOL, y.u.i != 0);
    bool compare = vt_expr_infos[kind].cls == VT_CLASS_COMPARE, fine;
    if (x.dtype.code == VT_FLOAT) {
        double f;
        bool by_zero = kind > VT_E_DIV && kind <= VT_E_FLOORMOD && y.u.f == 0;
        fine = !by_zero && vt_fold_float(kind, x.u.f, y.u.f, &f);
        if (fine) return compare ? vt__value_int(VT_BOOL, f != 0) : vt__value_float(x.dtype, f);
    } else {
        int64_t i;
        fine = vt_fold_int(kind, x.dtype, x.u.i, y.u.i, &i);
        if (fine) return vt__value_int(compare ? VT_BOOL : x.dtype, i);
    }
    vt_raise(in->ctx, VTA_ILLEGAL, "%s by zero", vt_expr_infos[kind].text);
}

static vt_value eval_select(vt__interp *in, const vt_expr *e, uint32_t lane) {
    bool first = vt__eval_int(in, e->a[0], lane) != 0;
    if (in->both_sides) vt__eval(in, e->a[first ? 2 : 1], lane);
    return vt__eval(in, e->a[first ? 1 : 2], lane);
}

static vt_value eval_math(vt__interp *in, const vt_expr *e, uint32_t lane) {
    double x = vt__eval(in, e->a[0], lane).u.f, y = e->n > 1 ? vt__eval(in, e->a[1], lane).u.f : 0, out = 0;
    vt_math_value(e->u.op, x, y, &out);
    return vt__value_float(e->dtype, out);
}

/* Runtime calls and everything else that has no meaning here. */
static vt_value eval_hook(vt__interp *in, const vt_expr *e, uint32_t lane) {
    bool external = e->u.op == VT_OP_CALL_EXTERN || e->u.op == VT_OP_CALL_PURE_EXTERN;
    const char *name = external && e->n ? e->a[0]->u.s : vt_op_infos[e->u.op].name;
    uint32_t first = external ? 1 : 0, n = e->n - first;
    enum { FEW = 16 };
    vt_value few[FEW], *args = n <= FEW ? few : VT_NEW_ARRAY(in->ctx, vt_value, n);
    vt_value out = {.dtype = vt_dtype_elem(e->dtype)};
    for (uint32_t i = 0; i < n; i++) args[i] = vt__eval(in, e->a[first + i], lane);
    if (!in->hooks || !in->hooks->call || !in->hooks->call(in->hooks->user, name, n, args, &out))
        vt_raise(in->ctx, VTA_UNSUPPORTED, "the interpreter cannot call %s: give it a hook", name);
    return out;
}

static vt_value eval_access(vt__interp *in, const vt_expr *e, uint32_t lane) {
    const vt__memory *m = vt_ptrmap_get(in->memory, e->a[1]);
    if (!m) vt_raise(in->ctx, VTA_ILLEGAL, "access to memory that nothing allocates");
    int64_t at = vt__eval_int(in, e->a[2], lane), size = (int64_t)vt_dtype_bytes(vt_dtype_elem(e->a[0]->dtype));
    if (at < 0 || (uint64_t)at > m->bytes / (size_t)size)
        vt_raise(in->ctx, VTA_OUT_OF_RANGE, "access beyond %s", m->name);
    return (vt_value){.dtype = VT_HANDLE_T, .u.p = m->data + at * size};
}

static vt_value eval_shift_multiply(vt__interp *in, const vt_expr *e, uint32_t lane) {
    /* x * y / 2^q * 2^s, rounded to the nearest. */
    int64_t x = vt__eval_int(in, e->a[0], lane), y = vt__eval_int(in, e->a[1], lane);
    int64_t q = vt__eval_int(in, e->a[2], lane), s = vt__eval_int(in, e->a[3], lane);
    if (q - s <= 0 || q - s > 62) vt_raise(in->ctx, VTA_ILLEGAL, "q_multiply_shift by %lld", (long long)(q - s));
    return vt__value_int(e->dtype, (x * y + (INT64_C(1) << (q - s - 1))) >> (q - s));
}

/* The bits that a value of the type has, without the sign's copies above them. */
static uint64_t low_bits(vt_dtype t, int64_t value) {
    return t.bits < 64 ? (uint64_t)value & ((UINT64_C(1) << t.bits) - 1) : (uint64_t)value;
}

static vt_value eval_reinterpret(vt_dtype t, vt_value v) {
    float f32;
    int32_t i32;
    if (t.code == VT_FLOAT && v.dtype.code != VT_FLOAT && t.bits == 32) {
        i32 = (int32_t)v.u.i;
        memcpy(&f32, &i32, 4);
        return vt__value_float(t, (double)f32);
    }
    if (t.code != VT_FLOAT && v.dtype.code == VT_FLOAT && t.bits == 32) {
        f32 = (float)v.u.f;
        memcpy(&i32, &f32, 4);
        return vt__value_int(t, i32);
    }
    if (t.code == VT_FLOAT) return (vt_value){.dtype = t, .u = v.u};
    return vt__value_int(t, v.u.i);
}

static vt_value eval_bits(vt__interp *in, const vt_expr *e, uint32_t lane) {
    int64_t x = vt__eval_int(in, e->a[0], lane), y = vt__eval_int(in, e->a[1], lane), out;
    if (e->u.op == VT_OP_SHIFT_LEFT || e->u.op == VT_OP_SHIFT_RIGHT)
        out = vt_shift_value(e->u.op, e->dtype, x, y);
    else
        vt__fold_bits(e->u.op, x, y, &out);
    return vt__value_int(e->dtype, out);
}

static vt_value eval_call(vt__interp *in, const vt_expr *e, uint32_t lane) {
    if (vt_op_is_math(e->u.op)) return eval_math(in, e, lane);
    switch ((int)e->u.op) {
    case VT_OP_LIKELY:
    case VT_OP_THREAD_CONTEXT: return vt__eval(in, e->a[0], lane);
    case VT_OP_IF_THEN_ELSE: return vt__eval(in, vt__eval_int(in, e->a[0], lane) ? e->a[1] : e->a[2], lane);
    case VT_OP_SHIFT_LEFT:
    case VT_OP_SHIFT_RIGHT:
    case VT_OP_BITWISE_AND:
    case VT_OP_BITWISE_OR:
    case VT_OP_BITWISE_XOR: return eval_bits(in, e, lane);
    case VT_OP_BITWISE_NOT: return vt__value_int(e->dtype, ~vt__eval_int(in, e->a[0], lane));
    case VT_OP_RSQRT: return vt__value_float(e->dtype, 1 / sqrt(vt__eval(in, e->a[0], lane).u.f));
    case VT_OP_SIGMOID: return vt__value_float(e->dtype, 1 / (1 + exp(-vt__eval(in, e->a[0], lane).u.f)));
    case VT_OP_ISNAN: return vt__value_int(VT_BOOL, isnan(vt__eval(in, e->a[0], lane).u.f) != 0);
    case VT_OP_POPCOUNT:
        return vt__value_int(e->dtype, __builtin_popcountll(low_bits(e->a[0]->dtype, vt__eval_int(in, e->a[0], lane))));
    case VT_OP_Q_MULTIPLY_SHIFT: return eval_shift_multiply(in, e, lane);
    case VT_OP_REINTERPRET: return eval_reinterpret(vt_dtype_elem(e->dtype), vt__eval(in, e->a[0], lane));
    case VT_OP_ACCESS_PTR: return eval_access(in, e, lane);
    case VT_OP_ADDRESS_OF:
        return (vt_value){.dtype = VT_HANDLE_T,
                          .u.p = vt__buffer_at(in, e->a[0]->u.buffer, e->a[0]->n, e->a[0]->a, lane)};
    case VT_OP_ISNULLPTR: return vt__value_int(VT_BOOL, vt__eval(in, e->a[0], lane).u.p == NULL);
    case VT_OP_TYPE_ANNOTATION: return (vt_value){.dtype = e->dtype};
    default: return eval_hook(in, e, lane);
    }
}

/* One step of a reduction: acc[k] = result[k](acc, source). */
static void combine(vt__interp *in, const vt_expr *e, vt_value *acc) {
    const vt_reduce *r = e->u.reduce;
    const vt_combiner *c = r->combiner;
    if (!vt__eval_int(in, e->a[e->n - 1], 0)) return;
    for (uint32_t k = 0; k < c->n; k++) {
        vt_value source = vt__eval(in, e->a[k], 0);
        vt__interp_set(in, c->lhs[k], acc[k]);
        vt__interp_set(in, c->rhs[k], source);
    }
    for (uint32_t k = 0; k < c->n; k++) acc[k] = vt__eval(in, c->result[k], 0);
}

static void reduce_over(vt__interp *in, const vt_expr *e, uint32_t axis, vt_value *acc) {
    if (axis == e->u.reduce->n_axes) {
        combine(in, e, acc);
        return;
    }
    const vt_iter *it = e->u.reduce->axes[axis];
    int64_t min = vt__eval_int(in, it->min, 0), extent = vt__eval_int(in, it->extent, 0);
    for (int64_t i = 0; i < extent; i++) {
        vt_poll(in->ctx);
        vt__interp_set(in, it->var, vt__value_int(it->var->dtype, min + i));
        reduce_over(in, e, axis + 1, acc);
    }
}

static vt_value eval_reduce(vt__interp *in, const vt_expr *e) {
    const vt_reduce *r = e->u.reduce;
    vt_value *acc = VT_NEW_ARRAY(in->ctx, vt_value, r->combiner->n);
    for (uint32_t k = 0; k < r->combiner->n; k++)
        acc[k] = vt__eval(in, r->has_init ? e->a[r->n_sources + k] : r->combiner->identity[k], 0);
    reduce_over(in, e, 0, acc);
    return acc[r->value_index];
}

static vt_value eval_ramp(vt__interp *in, const vt_expr *e, uint32_t lane) {
    int64_t base = vt__eval_int(in, e->a[0], 0), stride = vt__eval_int(in, e->a[1], 0);
    return vt__value_int(e->dtype, (int64_t)((uint64_t)base + lane * (uint64_t)stride));
}

vt_value vt__eval(vt__interp *in, const vt_expr *e, uint32_t lane) {
    if (e->n == 2 && vt_expr_infos[e->kind].cls != VT_CLASS_OTHER) return eval_binary(in, e, lane);
    switch ((vt_expr_kind)e->kind) {
    case VT_E_VAR: return eval_var(in, e, lane);
    case VT_E_INT: return vt__value_int(e->dtype, e->u.i);
    case VT_E_FLOAT: return vt__value_float(e->dtype, e->u.f);
    case VT_E_STRING: return (vt_value){.dtype = VT_HANDLE_T, .u.s = e->u.s};
    case VT_E_NOT: return vt__value_int(VT_BOOL, !vt__eval_int(in, e->a[0], lane));
    case VT_E_SELECT: return eval_select(in, e, lane);
    case VT_E_CAST: return vt__value_cast(vt_dtype_elem(e->dtype), vt__eval(in, e->a[0], lane));
    case VT_E_LOAD: return vt__get(in, vt__buffer_at(in, e->u.buffer, e->n, e->a, lane), e->u.buffer->dtype);
    case VT_E_PLOAD: return vt__get(in, vt__tensor_at(in, e->u.tensor, e->n, e->a, lane), e->dtype);
    case VT_E_CALL: return eval_call(in, e, lane);
    case VT_E_LET: vt__interp_let(in, e->u.let_var, e->a[0], lane); return vt__eval(in, e->a[1], lane);
    case VT_E_RAMP: return eval_ramp(in, e, lane);
    case VT_E_BROADCAST: return vt__eval(in, e->a[0], 0);
    case VT_E_REDUCE: return eval_reduce(in, e);
    case VT_EACH_ARITH:
    case VT_EACH_COMPARE:
    case VT_E_AND:
    case VT_E_OR:
    case VT_E_COUNT: break;
    }
    vt_raise(in->ctx, VTA_INTERNAL, "the interpreter cannot evaluate this expression");
}
