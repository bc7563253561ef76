/* Deep and alpha equality in one comparison: with a map of variables it is alpha, without one it is deep. */
#include <string.h>

#include "ir/fields.h"
#include "ir/visit.h"

typedef struct cmp {
    vt_ptrmap *there; /* variables, buffers of x -> those of y; NULL: deep equality */
    vt_ptrmap *back;
    bool map_free;
} cmp;

static bool expr_eq(cmp *c, const vt_expr *x, const vt_expr *y);
static bool stmt_eq(cmp *c, const vt_stmt *x, const vt_stmt *y);

/* A definition on both sides: from here on they correspond. */
static bool define(cmp *c, const void *x, const void *y) {
    if (!c->there) return x == y;
    if (!x || !y) return x == y;
    vt_ptrmap_set(c->there, x, y);
    vt_ptrmap_set(c->back, y, x);
    return true;
}

static bool same(cmp *c, const void *x, const void *y) {
    if (!c->there) return x == y;
    const void *to = vt_ptrmap_get(c->there, x), *from = vt_ptrmap_get(c->back, y);
    if (to || from) return to == y && from == x;
    return c->map_free ? define(c, x, y) : x == y; /* what both have corresponds to itself: it may be no other's */
}

/* Tensors are the same when the pointers are, but for those of parameters, which correspond. */
static bool tensor_eq(const cmp *c, const vt_tensor *x, const vt_tensor *y) {
    if (!c->there || !(vt_ptrmap_has(c->there, x) || vt_ptrmap_has(c->back, y))) return x == y;
    return vt_ptrmap_get(c->there, x) == y && vt_ptrmap_get(c->back, y) == x;
}

static bool var_types_eq(const vt_var *x, const vt_var *y) {
    const vt_var_info *a = x->u.var, *b = y->u.var;
    return vt_dtype_eq(x->dtype, y->dtype) && a->pointer == b->pointer &&
           (!a->pointer || (vt_dtype_eq(a->elem, b->elem) && !strcmp(a->scope, b->scope)));
}

static bool define_var(cmp *c, const vt_var *x, const vt_var *y) {
    return x == y ? define(c, x, y) : x && y && var_types_eq(x, y) && define(c, x, y);
}

static bool var_eq(cmp *c, const vt_var *x, const vt_var *y) { return same(c, x, y) && (x == y || var_types_eq(x, y)); }

static bool exprs_eq(cmp *c, uint32_t n, const vt_expr *const *x, const vt_expr *const *y) {
    for (uint32_t i = 0; i < n; i++)
        if (!expr_eq(c, x[i], y[i])) return false;
    return true;
}

static bool buffer_eq(cmp *c, const vt_buffer *x, const vt_buffer *y) {
    if (x == y && !c->there) return true;
    if (!c->there) return false;
    if (vt_ptrmap_has(c->there, x) || vt_ptrmap_has(c->back, y)) return same(c, x, y);
    if (x->ndim != y->ndim || x->n_strides != y->n_strides || !vt_dtype_eq(x->dtype, y->dtype)) return false;
    if (!var_eq(c, x->data, y->data)) return false;
    if (!exprs_eq(c, x->ndim, x->shape, y->shape) || !exprs_eq(c, x->n_strides, x->strides, y->strides)) return false;
    return expr_eq(c, x->elem_offset, y->elem_offset) && define(c, x, y);
}

static bool iter_eq(cmp *c, const vt_iter *x, const vt_iter *y) {
    if (x == y && !c->there) return true;
    if (!x || !y) return x == y;
    return c->there && x->type == y->type && !strcmp(x->thread_tag, y->thread_tag) && expr_eq(c, x->min, y->min) &&
           expr_eq(c, x->extent, y->extent) &&
           (vt_ptrmap_has(c->there, x->var) || vt_ptrmap_has(c->back, y->var) ? same(c, x->var, y->var)
                                                                              : define_var(c, x->var, y->var));
}

static bool reduce_eq(cmp *c, const vt_reduce *x, const vt_reduce *y) {
    if (x->combiner != y->combiner || x->value_index != y->value_index || x->n_axes != y->n_axes ||
        x->n_sources != y->n_sources || x->has_init != y->has_init)
        return false;
    for (uint32_t i = 0; i < x->n_axes; i++)
        if (!iter_eq(c, x->axes[i], y->axes[i])) return false;
    return true;
}

static bool payload_eq(cmp *c, const vt_expr *x, const vt_expr *y) {
    switch ((vt_expr_kind)x->kind) {
    case VT_E_INT: return x->u.i == y->u.i;
    case VT_E_FLOAT: return !memcmp(&x->u.f, &y->u.f, sizeof x->u.f);
    case VT_E_STRING: return !strcmp(x->u.s, y->u.s);
    case VT_E_CALL: return x->u.op == y->u.op;
    case VT_E_LOAD: return buffer_eq(c, x->u.buffer, y->u.buffer);
    case VT_E_PLOAD: return tensor_eq(c, x->u.tensor, y->u.tensor);
    case VT_E_REDUCE: return reduce_eq(c, x->u.reduce, y->u.reduce);
    case VT_E_VAR:
    case VT_E_LET: /* expr_eq compares these itself */
    case VT_EACH_ARITH:
    case VT_EACH_COMPARE:
    case VT_EACH_LOGIC:
    case VT_E_SELECT:
    case VT_E_CAST:
    case VT_E_RAMP:
    case VT_E_BROADCAST: return true; /* operands and type are all */
    case VT_E_COUNT: break;
    }
    return false;
}

static bool let_eq(cmp *c, const vt_expr *x, const vt_expr *y) {
    return expr_eq(c, x->a[0], y->a[0]) && define_var(c, x->u.let_var, y->u.let_var) && expr_eq(c, x->a[1], y->a[1]);
}

static bool expr_eq(cmp *c, const vt_expr *x, const vt_expr *y) {
    if (!x || !y) return x == y;
    if (!c->there) {
        if (x == y) return true;
        if (x->hash != y->hash) return false;
    }
    if (x->kind != y->kind || x->n != y->n || !vt_dtype_eq(x->dtype, y->dtype)) return false;
    if (x->kind == VT_E_VAR) return var_eq(c, x, y);
    if (x->kind == VT_E_LET) return let_eq(c, x, y);
    return payload_eq(c, x, y) && exprs_eq(c, x->n, x->a, y->a);
}

static bool ref_eq(cmp *c, const vt_ref *x, const vt_ref *y) {
    if (x->kind != y->kind) return false;
    switch ((vt_ref_kind)x->kind) {
    case VT_REF_NONE: return true;
    case VT_REF_VAR: return var_eq(c, x->u.var, y->u.var);
    case VT_REF_ITER: return iter_eq(c, x->u.iter, y->u.iter);
    case VT_REF_TENSOR: return tensor_eq(c, x->u.tensor, y->u.tensor);
    case VT_REF_STRING: return !strcmp(x->u.string, y->u.string);
    case VT_REF_PAIR: return buffer_eq(c, x->u.buffer, y->u.buffer) && tensor_eq(c, x->second, y->second);
    case VT_REF_BUFFER: return buffer_eq(c, x->u.buffer, y->u.buffer);
    case VT_REF_OP: return x->u.op == y->u.op;
    }
    return false;
}

static bool ranges_eq(cmp *c, uint32_t n, const vt_range *x, const vt_range *y) {
    for (uint32_t i = 0; i < n; i++)
        if (!expr_eq(c, x[i].min, y[i].min) || !expr_eq(c, x[i].extent, y[i].extent)) return false;
    return true;
}

static bool region_eq(cmp *c, const vt_region *x, const vt_region *y) {
    return x->n_ranges == y->n_ranges && buffer_eq(c, x->buffer, y->buffer) &&
           ranges_eq(c, x->n_ranges, x->ranges, y->ranges);
}

static bool note_eq(cmp *c, const vt_note *x, const vt_note *y) {
    return !strcmp(x->key, y->key) && expr_eq(c, x->value, y->value);
}

#define GET(type, s) VT__AT_CONST(type, s, f)
#define EACH(type, test)                                                                                               \
    do {                                                                                                               \
        type const *a = GET(type const *, x);                                                                          \
        type const *b = GET(type const *, y);                                                                          \
        for (uint32_t i = 0; i < n; i++)                                                                               \
            if (!(test)) return false;                                                                                 \
        return true;                                                                                                   \
    } while (0)

static bool list_eq(cmp *c, const vt_stmt *x, const vt_stmt *y, const vt__field *f) {
    uint32_t n = VT__N(x, f);
    if (n != VT__N(y, f)) return false;
    switch ((vt__field_type)f->type) {
    case VT__EXPRS: return exprs_eq(c, n, GET(const vt_expr *const *, x), GET(const vt_expr *const *, y));
    case VT__RANGES: return ranges_eq(c, n, GET(const vt_range *, x), GET(const vt_range *, y));
    case VT__STMTS: EACH(const vt_stmt *, stmt_eq(c, a[i], b[i]));
    case VT__ITERS: EACH(const vt_iter *, iter_eq(c, a[i], b[i]));
    case VT__BUFFERS: EACH(const vt_buffer *, buffer_eq(c, a[i], b[i]));
    case VT__REGIONS: EACH(vt_region, region_eq(c, a + i, b + i));
    case VT__NOTES: EACH(vt_note, note_eq(c, a + i, b + i));
    case VT__EXPR: /* no lists */
    case VT__STMT:
    case VT__VAR:
    case VT__BUFFER:
    case VT__TENSOR:
    case VT__REF:
    case VT__ITER:
    case VT__TEXT:
    case VT__WORD:
    case VT__DTYPE: break;
    }
    return false;
}

static bool field_eq(cmp *c, const vt_stmt *x, const vt_stmt *y, const vt__field *f) {
    if (f->count) return list_eq(c, x, y, f);
    switch ((vt__field_type)f->type) {
    case VT__EXPR: return expr_eq(c, GET(const vt_expr *, x), GET(const vt_expr *, y));
    case VT__STMT: return stmt_eq(c, GET(const vt_stmt *, x), GET(const vt_stmt *, y));
    case VT__VAR: return define_var(c, GET(const vt_var *, x), GET(const vt_var *, y));
    case VT__BUFFER: return buffer_eq(c, GET(const vt_buffer *, x), GET(const vt_buffer *, y));
    case VT__TENSOR: return tensor_eq(c, GET(const vt_tensor *, x), GET(const vt_tensor *, y));
    case VT__REF: return ref_eq(c, &GET(vt_ref, x), &GET(vt_ref, y));
    case VT__ITER: return iter_eq(c, GET(const vt_iter *, x), GET(const vt_iter *, y));
    case VT__TEXT: return !strcmp(GET(const char *, x), GET(const char *, y));
    case VT__DTYPE: return vt_dtype_eq(GET(vt_dtype, x), GET(vt_dtype, y));
    case VT__WORD: return GET(uint32_t, x) == GET(uint32_t, y);
    case VT__EXPRS: /* lists */
    case VT__STMTS:
    case VT__RANGES:
    case VT__ITERS:
    case VT__REGIONS:
    case VT__BUFFERS:
    case VT__NOTES: break;
    }
    return false;
}

static bool stmt_eq(cmp *c, const vt_stmt *x, const vt_stmt *y) {
    if (!x || !y || (x == y && !c->there)) return x == y;
    if (x->kind != y->kind) return false;
    const vt__field *f, *end;
    for (vt__fields((vt_stmt_kind)x->kind, &f, &end); f < end; f++)
        if (!field_eq(c, x, y, f)) return false;
    return true;
}

static bool bound_buffer_eq(cmp *c, const vt_buffer *x, const vt_buffer *y) {
    return x && y ? buffer_eq(c, x, y) : x == y;
}

/* What a parameter stands for: the tensors' types and shapes are the buffers'. */
static bool binding_eq(cmp *c, const vt_binding *x, const vt_binding *y) {
    return var_eq(c, x->param, y->param) && bound_buffer_eq(c, x->buffer, y->buffer) &&
           bound_buffer_eq(c, x->unflattened, y->unflattened) &&
           (x->tensor ? same(c, x->tensor, y->tensor) : !y->tensor);
}

static bool func_eq(cmp *c, const vt_func *x, const vt_func *y) {
    if (x->n_params != y->n_params || x->n_bindings != y->n_bindings || !vt_dtype_eq(x->result, y->result))
        return false;
    for (uint32_t i = 0; i < x->n_params; i++)
        if (!var_eq(c, x->params[i], y->params[i])) return false;
    for (uint32_t i = 0; i < x->n_bindings; i++)
        if (!binding_eq(c, &x->bindings[i], &y->bindings[i])) return false;
    return stmt_eq(c, x->body, y->body);
}

bool vt_expr_equal(const vt_expr *x, const vt_expr *y) { return expr_eq(&(cmp){0}, x, y); }
bool vt_stmt_equal(const vt_stmt *x, const vt_stmt *y) { return stmt_eq(&(cmp){0}, x, y); }

static cmp alpha(vt_ctx *ctx, bool map_free) { return (cmp){vt_ptrmap_new(ctx), vt_ptrmap_new(ctx), map_free}; }

bool vt_expr_alpha_equal(vt_ctx *ctx, const vt_expr *x, const vt_expr *y, bool map_free) {
    cmp c = alpha(ctx, map_free);
    return expr_eq(&c, x, y);
}

bool vt_stmt_alpha_equal(vt_ctx *ctx, const vt_stmt *x, const vt_stmt *y, bool map_free) {
    cmp c = alpha(ctx, map_free);
    return stmt_eq(&c, x, y);
}

bool vt_func_alpha_equal(vt_ctx *ctx, const vt_func *x, const vt_func *y) {
    cmp c = alpha(ctx, true);
    return func_eq(&c, x, y);
}
