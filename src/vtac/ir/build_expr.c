/* Exact expression nodes: the one place where they are allocated, checked and hashed. */
#include <string.h>

#include "ir/build.h"
#include "ir/fold.h"
#include "ir/visit.h"

static uint32_t mix(uint32_t h, uint64_t v) {
    uint64_t x = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32) ^ (uint32_t)x;
}

static uint32_t mix_text(uint32_t h, const char *s) {
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 16777619u;
    return h;
}

static uint32_t payload_hash(const vt_expr *e, uint32_t h) {
    uint64_t bits = 0;
    switch (e->kind) {
    case VT_E_VAR: return mix(h, e->u.var->id);
    case VT_E_INT: return mix(h, (uint64_t)e->u.i);
    case VT_E_FLOAT: memcpy(&bits, &e->u.f, sizeof bits); return mix(h, bits);
    case VT_E_STRING: return mix_text(h, e->u.s);
    case VT_E_LOAD: return mix(h, e->u.buffer->data->u.var->id);
    case VT_E_PLOAD: return mix_text(h, e->u.tensor->name);
    case VT_E_CALL: return mix(h, e->u.op);
    case VT_E_LET: return mix(h, e->u.let_var->u.var->id);
    case VT_E_REDUCE: return mix(h, e->u.reduce->n_axes);
    default: return h;
    }
}

static const vt_expr *finish(vt_expr *e) {
    uint32_t h =
        mix(e->kind * 0x01000193u, e->dtype.code | (uint32_t)e->dtype.bits << 8 | (uint32_t)e->dtype.lanes << 16);
    h = payload_hash(e, h);
    for (uint32_t i = 0; i < e->n; i++) h = mix(h, e->a[i]->hash);
    e->hash = h;
    return e;
}

/* A node without operands and hash; its payload is zero. */
static vt_expr *fresh(vt_ctx *ctx, vt_expr_kind kind, vt_dtype t, uint32_t n) {
    vt_expr *e = vt_new_unset(ctx, sizeof *e + n * sizeof e->a[0]);
    *e = (vt_expr){.tag = VT_TAG_EXPR, .kind = (uint8_t)kind, .dtype = t, .n = n};
    return e;
}

static const vt_expr *with_operands(vt_expr *e, uint32_t n, const vt_expr *const *a) {
    if (n) memcpy(e->a, a, n * sizeof *a);
    return finish(e);
}

static void check_indices(vt_ctx *ctx, const char *what, const char *name, uint32_t ndim, uint32_t n,
                          const vt_expr *const *indices) {
    if (n != ndim && n != 1)
        vt_raise(ctx, VTA_INTERNAL, "%s of %s with %u indices: it has %u dimensions", what, name, n, ndim);
    for (uint32_t i = 0; i < n; i++)
        if (!vt_dtype_is_integral(indices[i]->dtype))
            vt_raise(ctx, VTA_INTERNAL, "%s of %s: index %u is not an integer", what, name, i);
}

static const vt_expr *splat(vt_ctx *ctx, const vt_expr *e, uint16_t lanes) {
    return lanes > 1 ? vt_e_broadcast(ctx, e, lanes) : e;
}

const vt_expr *vt_int(vt_ctx *ctx, vt_dtype t, int64_t value) {
    if (!vt_dtype_is_integral(t)) vt_raise(ctx, VTA_INTERNAL, "an integer constant needs an integer type");
    vt_expr *e = fresh(ctx, VT_E_INT, vt_dtype_elem(t), 0);
    e->u.i = vt_wrap_int(t, value);
    return splat(ctx, finish(e), t.lanes);
}

const vt_expr *vt_i32(vt_ctx *ctx, int64_t value) { return vt_int(ctx, VT_I32, value); }
const vt_expr *vt_i64(vt_ctx *ctx, int64_t value) { return vt_int(ctx, VT_I64, value); }
const vt_expr *vt_bool(vt_ctx *ctx, bool value) { return vt_int(ctx, VT_BOOL, value); }

const vt_expr *vt_float(vt_ctx *ctx, vt_dtype t, double value) {
    if (!vt_dtype_is_float(t)) vt_raise(ctx, VTA_INTERNAL, "a float constant needs a float type");
    vt_expr *e = fresh(ctx, VT_E_FLOAT, vt_dtype_elem(t), 0);
    e->u.f = t.bits == 32 ? (double)(float)value : value;
    return splat(ctx, finish(e), t.lanes);
}

const vt_expr *vt_const(vt_ctx *ctx, vt_dtype t, int64_t value) {
    return vt_dtype_is_float(t) ? vt_float(ctx, t, (double)value) : vt_int(ctx, t, value);
}

const vt_expr *vt_string(vt_ctx *ctx, const char *text) {
    vt_expr *e = fresh(ctx, VT_E_STRING, VT_HANDLE_T, 0);
    e->u.s = vt_new_string(ctx, text);
    return finish(e);
}

static const vt_var *new_var(vt_ctx *ctx, vt_dtype t, vt_var_info info) {
    vt_expr *e = fresh(ctx, VT_E_VAR, t, 0);
    vt_var_info *own = VT_NEW(ctx, vt_var_info);
    *own = info;
    own->id = ++ctx->next_id;
    if (!own->scope) own->scope = "";
    e->u.var = own;
    return finish(e);
}

const vt_var *vt_var_new(vt_ctx *ctx, const char *name, vt_dtype t) {
    return new_var(ctx, t, (vt_var_info){.name = vt_new_string(ctx, name)});
}

const vt_var *vt_var_new_size(vt_ctx *ctx, const char *name, vt_dtype t) {
    return new_var(ctx, t, (vt_var_info){.name = vt_new_string(ctx, name), .size = true});
}

const vt_var *vt_var_new_scalar(vt_ctx *ctx, const char *name, vt_dtype t) {
    return new_var(ctx, t, (vt_var_info){.name = vt_new_string(ctx, name), .scalar = true});
}

const vt_var *vt_var_new_pointer(vt_ctx *ctx, const char *name, vt_dtype elem, const char *scope) {
    return new_var(ctx, VT_HANDLE_T,
                   (vt_var_info){.name = vt_new_string(ctx, name),
                                 .pointer = true,
                                 .elem = elem,
                                 .scope = vt_new_string(ctx, scope ? scope : "")});
}

const vt_var *vt_var_copy(vt_ctx *ctx, const vt_var *v, const char *suffix) {
    vt_var_info info = *v->u.var;
    if (suffix[0]) info.name = vt_new_format(ctx, "%s%s", info.name, suffix);
    return new_var(ctx, v->dtype, info);
}

static void check_same_type(vt_ctx *ctx, vt_expr_kind kind, const vt_expr *x, const vt_expr *y) {
    if (vt_dtype_eq(x->dtype, y->dtype)) return;
    char tx[VT_DTYPE_TEXT], ty[VT_DTYPE_TEXT];
    vt_raise(ctx, VTA_MISMATCH, "operands of %s differ in type: %s and %s; cast one of them", vt_expr_infos[kind].text,
             vt_dtype_text(x->dtype, tx), vt_dtype_text(y->dtype, ty));
}

static void check_bool(vt_ctx *ctx, vt_expr_kind kind, const vt_expr *x) {
    if (vt_dtype_is_bool(vt_dtype_elem(x->dtype))) return;
    char t[VT_DTYPE_TEXT];
    vt_raise(ctx, VTA_MISMATCH, "%s needs bool operands, got %s", vt_expr_infos[kind].text, vt_dtype_text(x->dtype, t));
}

const vt_expr *vt_e_bin(vt_ctx *ctx, vt_expr_kind kind, const vt_expr *x, const vt_expr *y) {
    check_same_type(ctx, kind, x, y);
    vt_dtype t = x->dtype;
    if (vt_expr_infos[kind].cls != VT_CLASS_ARITH) t = vt_dtype_lanes(VT_BOOL, t.lanes);
    if (vt_expr_infos[kind].cls == VT_CLASS_LOGIC) check_bool(ctx, kind, x);
    vt_expr *e = fresh(ctx, kind, t, 2);
    e->a[0] = x;
    e->a[1] = y;
    return finish(e);
}

const vt_expr *vt_e_not(vt_ctx *ctx, const vt_expr *x) {
    check_bool(ctx, VT_E_NOT, x);
    return with_operands(fresh(ctx, VT_E_NOT, x->dtype, 1), 1, &x);
}

const vt_expr *vt_e_select(vt_ctx *ctx, const vt_expr *condition, const vt_expr *x, const vt_expr *y) {
    check_bool(ctx, VT_E_SELECT, condition);
    check_same_type(ctx, VT_E_SELECT, x, y);
    return with_operands(fresh(ctx, VT_E_SELECT, x->dtype, 3), 3, (const vt_expr *[]){condition, x, y});
}

const vt_expr *vt_e_cast(vt_ctx *ctx, vt_dtype t, const vt_expr *x) {
    if (x->dtype.lanes != t.lanes) vt_raise(ctx, VTA_INTERNAL, "a cast cannot change the number of lanes");
    return with_operands(fresh(ctx, VT_E_CAST, t, 1), 1, &x);
}

/* A load with a vector index gives that many elements. */
static vt_dtype load_type(vt_dtype t, uint32_t n, const vt_expr *const *indices) {
    return n ? vt_dtype_lanes(t, (uint16_t)(t.lanes * indices[n - 1]->dtype.lanes)) : t;
}

const vt_expr *vt_e_load(vt_ctx *ctx, const vt_buffer *buffer, uint32_t n, const vt_expr *const *indices) {
    check_indices(ctx, "load", buffer->name, buffer->ndim, n, indices);
    vt_expr *e = fresh(ctx, VT_E_LOAD, load_type(buffer->dtype, n, indices), n);
    e->u.buffer = buffer;
    return with_operands(e, n, indices);
}

const vt_expr *vt_e_pload(vt_ctx *ctx, const vt_tensor *tensor, uint32_t n, const vt_expr *const *indices) {
    check_indices(ctx, "load", tensor->name, tensor->ndim, n, indices);
    vt_expr *e = fresh(ctx, VT_E_PLOAD, tensor->dtype, n);
    e->u.tensor = tensor;
    return with_operands(e, n, indices);
}

const vt_expr *vt_e_call(vt_ctx *ctx, vt_dtype t, vt_op op, uint32_t n, const vt_expr *const *args) {
    const vt_op_info *info = &vt_op_infos[op];
    if (info->arity >= 0 && (uint32_t)info->arity != n)
        vt_raise(ctx, VTA_INVALID_ARGUMENT, "%s takes %d arguments, not %u", info->name, info->arity, n);
    vt_expr *e = fresh(ctx, VT_E_CALL, t, n);
    e->u.op = op;
    return with_operands(e, n, args);
}

const vt_expr *vt_e_call_extern(vt_ctx *ctx, vt_dtype t, const char *name, uint32_t n, const vt_expr *const *args) {
    vt_expr *e = fresh(ctx, VT_E_CALL, t, n + 1);
    e->u.op = VT_OP_CALL_EXTERN;
    e->a[0] = vt_string(ctx, name);
    if (n) memcpy(e->a + 1, args, n * sizeof *args);
    return finish(e);
}

const vt_expr *vt_e_let(vt_ctx *ctx, const vt_var *v, const vt_expr *value, const vt_expr *body) {
    check_same_type(ctx, VT_E_LET, v, value);
    vt_expr *e = fresh(ctx, VT_E_LET, body->dtype, 2);
    e->u.let_var = v;
    return with_operands(e, 2, (const vt_expr *[]){value, body});
}

const vt_expr *vt_e_ramp(vt_ctx *ctx, const vt_expr *base, const vt_expr *stride, uint16_t lanes) {
    if (lanes < 2 || base->dtype.lanes != 1 || stride->dtype.lanes != 1)
        vt_raise(ctx, VTA_INTERNAL, "a ramp needs two scalars and more than one lane");
    check_same_type(ctx, VT_E_RAMP, base, stride);
    vt_expr *e = fresh(ctx, VT_E_RAMP, vt_dtype_lanes(base->dtype, lanes), 2);
    return with_operands(e, 2, (const vt_expr *[]){base, stride});
}

const vt_expr *vt_e_broadcast(vt_ctx *ctx, const vt_expr *value, uint16_t lanes) {
    if (lanes < 2 || value->dtype.lanes != 1)
        vt_raise(ctx, VTA_INTERNAL, "a broadcast needs a scalar and more than one lane");
    return with_operands(fresh(ctx, VT_E_BROADCAST, vt_dtype_lanes(value->dtype, lanes), 1), 1, &value);
}

/* Adds the variables of an expression that are neither operands nor there already. */
static void add_outer(vt_ctx *ctx, vt_combiner *how, uint32_t *cap, const vt_var ***list, const vt_expr *e) {
    uint32_t n;
    const vt_var *const *vars = vt_expr_free_vars(ctx, e, &n);
    for (uint32_t i = 0; i < n; i++) {
        bool known = vars[i]->u.var->scalar;
        for (uint32_t k = 0; k < how->n && !known; k++) known = how->lhs[k] == vars[i] || how->rhs[k] == vars[i];
        for (uint32_t j = 0; j < how->n_outer && !known; j++) known = (*list)[j] == vars[i];
        if (known) continue;
        vt_grow(ctx, list, cap, how->n_outer + 1, sizeof **list);
        (*list)[how->n_outer++] = vars[i];
    }
}

const vt_combiner *vt_combiner_new(vt_ctx *ctx, uint32_t n, const vt_var *const *lhs, const vt_var *const *rhs,
                                   const vt_expr *const *result, const vt_expr *const *identity) {
    vt_combiner *how = VT_NEW(ctx, vt_combiner);
    const vt_var **outer = NULL;
    uint32_t cap = 0;
    *how = (vt_combiner){.n = n, .lhs = lhs, .rhs = rhs, .result = result, .identity = identity};
    for (uint32_t k = 0; k < n; k++) {
        add_outer(ctx, how, &cap, &outer, result[k]);
        add_outer(ctx, how, &cap, &outer, identity[k]);
    }
    how->outer = outer;
    return how;
}

const vt_expr *vt_e_reduce(vt_ctx *ctx, const vt_combiner *combiner, uint32_t n_sources, const vt_expr *const *sources,
                           uint32_t n_axes, const vt_iter *const *axes, const vt_expr *condition,
                           const vt_expr *const *inits, uint32_t value_index) {
    vt_reduce *r = VT_NEW(ctx, vt_reduce);
    const vt_iter **own_axes = VT_NEW_ARRAY(ctx, const vt_iter *, n_axes);
    for (uint32_t i = 0; i < n_axes; i++) own_axes[i] = axes[i];
    *r = (vt_reduce){combiner, n_axes, own_axes, value_index, n_sources, inits != NULL};
    uint32_t n = n_sources * (inits ? 2u : 1u) + 1;
    vt_expr *e = fresh(ctx, VT_E_REDUCE, sources[value_index]->dtype, n);
    e->u.reduce = r;
    memcpy(e->a, sources, n_sources * sizeof *sources);
    if (inits) memcpy(e->a + n_sources, inits, n_sources * sizeof *inits);
    e->a[n - 1] = condition ? condition : vt_bool(ctx, true);
    return finish(e);
}

bool vt_is_sum(const vt_expr *e) {
    if (e->kind != VT_E_REDUCE || e->u.reduce->n_sources != 1 || !vt_is_const(e->a[e->n - 1], 1)) return false;
    const vt_combiner *how = e->u.reduce->combiner;
    const vt_expr *r = how->result[0];
    bool both = r->kind == VT_E_ADD && ((r->a[0] == how->lhs[0] && r->a[1] == how->rhs[0]) ||
                                        (r->a[0] == how->rhs[0] && r->a[1] == how->lhs[0]));
    return both && vt_is_const(how->identity[0], 0);
}

/* Types follow the operands where a rewrite may change them (an index that became wider). */
static vt_dtype result_type(const vt_expr *e, const vt_expr *const *a) {
    switch (vt_expr_infos[e->kind].cls) {
    case VT_CLASS_ARITH: return a[0]->dtype;
    case VT_CLASS_COMPARE: return vt_dtype_lanes(VT_BOOL, a[0]->dtype.lanes);
    case VT_CLASS_LOGIC: return a[0]->dtype;
    default: break;
    }
    switch (e->kind) {
    case VT_E_SELECT:
    case VT_E_LET: return a[1]->dtype;
    case VT_E_RAMP:
    case VT_E_BROADCAST: return vt_dtype_lanes(a[0]->dtype, e->dtype.lanes);
    case VT_E_LOAD: return load_type(e->u.buffer->dtype, e->n, a);
    default: return e->dtype;
    }
}

static bool has_operands(const vt_expr *e, const vt_expr *const *operands) {
    uint32_t i = 0;
    while (i < e->n && e->a[i] == operands[i]) i++;
    return i == e->n;
}

const vt_expr *vt_e_with(vt_ctx *ctx, const vt_expr *e, const vt_expr *const *operands) {
    if (has_operands(e, operands)) return e;
    if (e->n == 2 && vt_expr_infos[e->kind].cls != VT_CLASS_OTHER)
        check_same_type(ctx, (vt_expr_kind)e->kind, operands[0], operands[1]);
    vt_expr *copy = fresh(ctx, (vt_expr_kind)e->kind, result_type(e, operands), e->n);
    copy->u = e->u;
    copy->span = e->span;
    return with_operands(copy, e->n, operands);
}

const vt_expr *const *vt_exprs_copy(vt_ctx *ctx, uint32_t n, const vt_expr *const *items) {
    const vt_expr **copy = vt_new_unset(ctx, n * sizeof *copy);
    if (n) memcpy(copy, items, n * sizeof *items);
    return copy;
}
