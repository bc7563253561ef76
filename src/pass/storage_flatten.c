/* From tensors to flat memory: PLOAD, PSTORE and REALIZE become LOAD, STORE and ALLOC over one-dimensional buffers,
 * row-major over the realized region, and buffers bound to a region of a tensor (the operands of an intrinsic) become
 * addresses in it. */
#include <string.h>

#include "ir/print.h"
#include "pass/fit.h"
#include "pass/pass.h"
#include "pass/util.h"

/* A tensor in scope. */
typedef struct entry entry;
struct entry {
    const vt_tensor *tensor;
    uint32_t ndim;
    const vt_expr *const *mins;  /* NULL: zeros */
    const vt_expr *const *shape; /* realized */
    const vt_expr **strides;     /* NULL: compact */
    const vt_buffer *flat;
    vt_dtype dtype; /* as the program sees it; bool is kept in bytes */
};

/* A buffer that stands for a region of a tensor. */
typedef struct view {
    const entry *target;
    const vt_expr **begins; /* one for each dimension of the target */
    uint32_t ndim;          /* of the buffer: its last dimensions are the target's last */
} view;

/* Alignment asked for a dimension before its tensor is realized. */
typedef struct dim_align {
    const vt_tensor *tensor;
    int64_t dim, factor, offset;
    struct dim_align *next;
} dim_align;

typedef struct flatten {
    vt_mutator m;
    vt_lowering *l;
    vt_analyzer *free;  /* knows nothing of loops: flat indices get their canonical form later */
    vt_analyzer *bound; /* knows all loops */
    vt_ptrmap *entries; /* operation (or the tensor itself) -> entry */
    vt_ptrmap *views;   /* buffer -> view */
    vt_ptrmap *others;  /* buffer made by hand -> the one-dimensional one that it becomes */
    vt_varmap *vars;    /* variables of bound buffers -> what they are */
    dim_align *aligns;
} flatten;

static entry *find_entry(flatten *st, const vt_tensor *t) {
    entry *e = vt_ptrmap_get(st->entries, t);
    if (e) return e;
    vt_raise(st->m.ctx, VTA_INTERNAL, "tensor %s is used outside of the region where it is computed", t->name);
}

static void add_entry(flatten *st, entry *e) { vt_ptrmap_set(st->entries, e->tensor, e); }

static void drop_entry(flatten *st, const entry *e) { vt_ptrmap_set(st->entries, e->tensor, NULL); }

static vt_dtype stored_type(vt_dtype t) { return vt_dtype_is_bool(t) ? VT_DTYPE(VT_INT, 8, t.lanes) : t; }

static const vt_expr *product(vt_ctx *ctx, uint32_t n, const vt_expr *const *factors) {
    const vt_expr *p = vt_i32(ctx, 1);
    for (uint32_t i = 0; i < n; i++) p = vt_mul(ctx, p, factors[i]);
    return p;
}

/* The one-dimensional buffer over the same data. */
static const vt_buffer *flat_buffer(vt_ctx *ctx, const vt_buffer *shaped, uint32_t ndim, const vt_expr *const *shape,
                                    const vt_expr *const *strides) {
    const vt_expr *size = strides && ndim ? vt_mul(ctx, strides[0], shape[0]) : product(ctx, ndim, shape);
    vt_buffer flat = *shaped;
    flat.dtype = stored_type(shaped->dtype);
    flat.ndim = 1;
    flat.shape = vt_exprs_copy(ctx, 1, &size);
    flat.n_strides = 0;
    flat.strides = NULL;
    return vt_buffer_with(ctx, &flat);
}

/* The flat index of a point of the realized region (mins already taken off), and simplified. */
static const vt_expr *flat_index(flatten *st, const entry *e, const vt_expr *const *at) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *index = vt_i32(ctx, 0);
    for (uint32_t i = 0; i < e->ndim; i++)
        index = e->strides ? vt_add(ctx, index, vt_mul(ctx, at[i], e->strides[i]))
                           : vt_add(ctx, vt_mul(ctx, index, e->shape[i]), at[i]);
    if (e->flat->elem_offset && !vt_is_const(e->flat->elem_offset, 0)) index = vt_add(ctx, e->flat->elem_offset, index);
    return vt_simplify(st->free, index);
}

static const vt_expr *access_index(flatten *st, const entry *e, uint32_t n, const vt_expr *const *indices) {
    vt_ctx *ctx = st->m.ctx;
    if (n != e->ndim)
        vt_raise(ctx, VTA_INTERNAL, "tensor %s has %u dimensions and is used with %u indices", e->tensor->name, e->ndim,
                 n);
    const vt_expr **at = VT_NEW_ARRAY(ctx, const vt_expr *, n ? n : 1);
    for (uint32_t i = 0; i < n; i++) {
        at[i] = vt_mutate_expr(&st->m, indices[i]);
        if (e->mins) at[i] = vt_sub(ctx, at[i], e->mins[i]);
    }
    return flat_index(st, e, at);
}

static const vt_expr *load(flatten *st, const entry *e, const vt_expr *index, vt_dtype dtype) {
    const vt_expr *value = vt_e_load(st->m.ctx, e->flat, 1, &index);
    return vt_dtype_is_bool(dtype) ? vt_cast(st->m.ctx, dtype, value) : value;
}

static const vt_stmt *store(flatten *st, const entry *e, const vt_expr *index, const vt_expr *value) {
    vt_ctx *ctx = st->m.ctx;
    if (vt_dtype_is_bool(value->dtype)) value = vt_cast(ctx, stored_type(value->dtype), value);
    return vt_s_store(ctx, e->flat, value, 1, &index);
}

/* ---- Views ------------------------------------------------------------------------------------------------------ */

static const vt_expr *view_index(flatten *st, const view *w, uint32_t n, const vt_expr *const *indices) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t ndim = w->target->ndim;
    const vt_expr **at = VT_NEW_ARRAY(ctx, const vt_expr *, ndim ? ndim : 1);
    for (uint32_t i = 0; i < ndim; i++) {
        at[i] = w->begins[i];
        if (i + n >= ndim) at[i] = vt_add(ctx, at[i], vt_mutate_expr(&st->m, indices[i + n - ndim]));
    }
    return flat_index(st, w->target, at);
}

/* What a variable of the bound buffer must be; a constant there must be that value. */
static void bind(flatten *st, const vt_buffer *b, const char *what, const vt_expr *formal, const vt_expr *actual) {
    if (formal->kind == VT_E_VAR)
        vt_varmap_set(st->vars, formal, actual);
    else if (!vt_prove_equal(st->bound, formal, actual))
        vt_raise(st->m.ctx, VTA_ILLEGAL, "intrinsic operand %s: its %s must be %s but is %s here", b->name, what,
                 vt_expr_plain(st->m.ctx, formal), vt_expr_plain(st->m.ctx, actual));
}

/* Strides of a region, if any of its rows is not all of the tensor's: then the operand must allow strides. */
static void bind_strides(flatten *st, const vt_buffer *b, const entry *e, const vt_expr *const *begins,
                         const vt_expr *const *extents) {
    vt_ctx *ctx = st->m.ctx;
    bool inner = false, strided = e->strides != NULL;
    for (uint32_t i = 0; i < e->ndim; i++) {
        if (inner && (!vt_is_const(begins[i], 0) || !vt_prove_equal(st->free, extents[i], e->shape[i]))) strided = true;
        if (!vt_is_const(extents[i], 1)) inner = true;
    }
    if (b->n_strides == 0) {
        if (strided)
            vt_raise(ctx, VTA_ILLEGAL,
                     "intrinsic operand %s must be compact, but the part of %s that it gets is not: the rows of its "
                     "inner dimensions are longer than the part; give %s the shape of the operand in its last "
                     "dimensions",
                     b->name, e->tensor->name, e->tensor->name);
        return;
    }
    const vt_expr *stride = vt_i32(ctx, 1);
    for (uint32_t i = e->ndim, k = b->n_strides; k > 0 && i > 0; i--, k--) {
        if (e->strides) stride = e->strides[i - 1];
        bind(st, b, "stride", b->strides[k - 1], vt_simplify(st->free, stride));
        stride = vt_mul(ctx, stride, e->shape[i - 1]);
    }
}

/* The element offset must be a multiple of what the operand declares; where that shows only at run time and the memory
 * is ordinary, it becomes a check. */
static const vt_expr *offset_check(flatten *st, const vt_buffer *b, const entry *e, const vt_expr *offset) {
    vt_ctx *ctx = st->m.ctx;
    if (b->offset_factor <= 1) return NULL;
    const vt_expr *rest =
        vt_simplify(st->bound, vt_floormod(ctx, offset, vt_int(ctx, offset->dtype, b->offset_factor)));
    if (vt_is_const(rest, 0)) return NULL;
    vt_memory_info info;
    if (rest->kind == VT_E_INT || vt_memory_of_scope(st->l, vt_buffer_scope(b), &info))
        vt_raise(ctx, VTA_ILLEGAL,
                 "intrinsic operand %s: the part of %s that it gets begins at element %s, which is not a multiple of "
                 "%d; split the axes of %s so that each part begins at a whole tile of %d elements",
                 b->name, e->tensor->name, vt_expr_plain(ctx, vt_simplify(st->bound, offset)), b->offset_factor,
                 e->tensor->name, b->offset_factor);
    return vt_eq(ctx, rest, vt_int(ctx, rest->dtype, 0));
}

static const vt_stmt *bind_buffer(flatten *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_buffer *b = s->u.attr.node.u.buffer;
    const entry *e = find_entry(st, s->u.attr.node.second);
    const vt_expr *tuple = s->u.attr.value;
    if (!vt_is_call(tuple, VT_OP_TUPLE) || tuple->n != 2 * e->ndim || b->ndim > e->ndim)
        vt_raise(ctx, VTA_INTERNAL, "the region bound to %s does not have the dimensions of %s", b->name,
                 e->tensor->name);
    const char *scope = vt_buffer_scope(e->flat);
    if (strcmp(scope, vt_buffer_scope(b)) != 0)
        vt_raise(ctx, VTA_ILLEGAL, "intrinsic operand %s must be in %s, but %s is in %s: set the scope of that stage",
                 b->name, vt_buffer_scope(b), e->tensor->name, scope);
    if (!vt_dtype_eq(b->dtype, e->dtype))
        vt_raise(ctx, VTA_ILLEGAL, "intrinsic operand %s and tensor %s have different element types", b->name,
                 e->tensor->name);
    const vt_expr **begins = VT_NEW_ARRAY(ctx, const vt_expr *, e->ndim + 1);
    const vt_expr **extents = VT_NEW_ARRAY(ctx, const vt_expr *, e->ndim + 1);
    for (uint32_t i = 0; i < e->ndim; i++) {
        const vt_expr *begin = vt_mutate_expr(&st->m, tuple->a[2 * i]);
        if (e->mins) begin = vt_sub(ctx, begin, e->mins[i]);
        begins[i] = vt_simplify(st->bound, begin);
        extents[i] = vt_simplify(st->bound, vt_mutate_expr(&st->m, tuple->a[2 * i + 1]));
        if (i + b->ndim >= e->ndim) bind(st, b, "extent", b->shape[i + b->ndim - e->ndim], extents[i]);
    }
    bind_strides(st, b, e, begins, extents);
    const vt_expr *offset = flat_index(st, e, begins);
    vt_varmap_set(st->vars, b->data, e->flat->data);
    if (b->elem_offset) bind(st, b, "element offset", b->elem_offset, offset);
    view *w = VT_NEW(ctx, view);
    *w = (view){.target = e, .begins = begins, .ndim = b->ndim};
    vt_ptrmap_set(st->views, b, w);
    const vt_expr *check = offset_check(st, b, e, offset);
    const vt_stmt *body = vt_mutate_stmt(&st->m, s->u.attr.body);
    if (!check) return body;
    return vt_s_assert(ctx, check, vt_string(ctx, vt_new_format(ctx, "%s: misaligned element offset", b->name)), body);
}

/* ---- Buffers of statements made by hand ------------------------------------------------------------------------- */

/* The one-dimensional buffer of the memory that it lies in: that of a bound buffer, or its own. */
static const vt_buffer *other_buffer(flatten *st, const vt_buffer *b) {
    const vt_expr *data = vt_varmap_get(st->vars, b->data);
    const vt_buffer *known = vt_ptrmap_get(st->others, b); /* bound elsewhere it lies elsewhere */
    if (known && known->data == (data ? data : b->data)) return known;
    const vt_expr *none = vt_int(st->m.ctx, b->elem_offset->dtype, 0);
    bool plain = b->ndim == 1 && !b->n_strides && vt_is_const(b->elem_offset, 0);
    if (!data && plain) return b;
    vt_buffer flat = *flat_buffer(st->m.ctx, b, b->ndim, b->shape, b->n_strides ? b->strides : NULL);
    flat.shape = vt_exprs_copy(st->m.ctx, 1, (const vt_expr *const[]){vt_mutate_expr(&st->m, flat.shape[0])});
    if (data) flat.data = data;
    flat.elem_offset = none;
    const vt_buffer *made = vt_buffer_with(st->m.ctx, &flat);
    vt_ptrmap_set(st->others, b, made);
    return made;
}

static const vt_expr *other_index(flatten *st, const vt_buffer *b, uint32_t n, const vt_expr *const *indices) {
    const vt_expr *index = vt_buffer_offset(st->m.ctx, b, n, indices);
    return vt_simplify(st->free, vt_mutate_expr(&st->m, index));
}

static const vt_expr *other_load(flatten *st, const vt_expr *e) {
    const vt_buffer *b = other_buffer(st, e->u.buffer);
    if (b == e->u.buffer) return vt_mutate_expr_children(&st->m, e);
    const vt_expr *index = other_index(st, e->u.buffer, e->n, e->a);
    const vt_expr *value = vt_e_load(st->m.ctx, b, 1, &index);
    return vt_dtype_is_bool(e->dtype) ? vt_cast(st->m.ctx, e->dtype, value) : value;
}

static const vt_stmt *other_store(flatten *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_buffer *from = s->u.store.buffer, *b = other_buffer(st, from);
    if (b == from) return vt_mutate_stmt_children(&st->m, s);
    const vt_expr *index = other_index(st, from, s->u.store.n_indices, s->u.store.indices);
    const vt_expr *value = vt_mutate_expr(&st->m, s->u.store.value);
    if (vt_dtype_is_bool(value->dtype)) value = vt_cast(ctx, stored_type(value->dtype), value);
    return vt_s_store(ctx, b, value, 1, &index);
}

/* ---- Realized regions ------------------------------------------------------------------------------------------- */

static void note_align(flatten *st, const vt_stmt *s) {
    const vt_expr *tuple = s->u.attr.value;
    dim_align *a = VT_NEW(st->m.ctx, dim_align);
    *a = (dim_align){s->u.attr.node.u.tensor, tuple->a[0]->u.i, tuple->a[1]->u.i, tuple->a[2]->u.i, st->aligns};
    st->aligns = a;
}

/* Strides that respect what was asked for; NULL when nothing was. */
static const vt_expr **aligned_strides(flatten *st, const vt_tensor *t, uint32_t n, const vt_expr *const *shape) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr **strides = NULL;
    const vt_expr *stride = vt_i32(ctx, 1);
    for (const dim_align *a = st->aligns; a && !strides; a = a->next)
        if (a->tensor == t) strides = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1);
    if (!strides) return NULL;
    for (uint32_t i = n; i-- > 0;) {
        for (const dim_align *a = st->aligns; a; a = a->next) {
            if (a->tensor != t || a->dim != (int64_t)i || a->factor == 0) continue;
            const vt_expr *factor = vt_i32(ctx, a->factor);
            const vt_expr *over = vt_sub(ctx, vt_i32(ctx, a->factor + a->offset), vt_floormod(ctx, stride, factor));
            stride = vt_simplify(st->free, vt_add(ctx, stride, vt_floormod(ctx, over, factor)));
        }
        strides[i] = stride;
        stride = vt_mul(ctx, stride, shape[i]);
    }
    return strides;
}

static const vt_stmt *realize(flatten *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_tensor *t = s->u.realize.tensor;
    if (vt_ptrmap_get(st->entries, t)) return vt_mutate_stmt(&st->m, s->u.realize.body); /* a parameter */
    uint32_t n = s->u.realize.n_bounds;
    const vt_expr **mins = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1);
    const vt_expr **shape = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        mins[i] = vt_mutate_expr(&st->m, s->u.realize.bounds[i].min);
        shape[i] = vt_mutate_expr(&st->m, s->u.realize.bounds[i].extent);
    }
    const char *scope = s->u.realize.scope && s->u.realize.scope[0] ? s->u.realize.scope : "global";
    vt_check_fit_tensor(st->l, t, scope, n, shape);
    entry *e = VT_NEW(ctx, entry);
    *e = (entry){.tensor = t, .ndim = n, .mins = mins, .shape = shape, .dtype = t->dtype};
    e->strides = aligned_strides(st, t, n, shape);
    const vt_var *data = vt_var_new_pointer(ctx, t->name, stored_type(t->dtype), scope);
    const vt_buffer *shaped = vt_buffer_new(ctx, t->name, data, t->dtype, n, shape);
    e->flat = flat_buffer(ctx, shaped, n, shape, e->strides);
    add_entry(st, e);
    const vt_stmt *body = vt_mutate_stmt(&st->m, s->u.realize.body);
    drop_entry(st, e); /* its tail may be realized again after it */
    return vt_s_alloc(ctx, data, e->flat->dtype, 1, e->flat->shape, vt_bool(ctx, true), body);
}

/* ---- The pass --------------------------------------------------------------------------------------------------- */

static const vt_expr *flatten_expr(vt_mutator *m, const vt_expr *e) {
    flatten *st = (flatten *)m;
    if (e->kind == VT_E_VAR) {
        const vt_expr *value = vt_varmap_get(st->vars, e);
        return value ? value : e;
    }
    if (e->kind == VT_E_PLOAD) {
        const entry *en = find_entry(st, e->u.tensor);
        return load(st, en, access_index(st, en, e->n, e->a), e->dtype);
    }
    const view *w = e->kind == VT_E_LOAD ? vt_ptrmap_get(st->views, e->u.buffer) : NULL;
    if (w) return load(st, w->target, view_index(st, w, e->n, e->a), e->dtype);
    if (e->kind == VT_E_LOAD) return other_load(st, e);
    return vt_mutate_expr_children(m, e);
}

static const vt_stmt *flatten_stmt(vt_mutator *m, const vt_stmt *s) {
    flatten *st = (flatten *)m;
    if (s->kind == VT_S_PSTORE) {
        const entry *e = find_entry(st, s->u.pstore.tensor);
        const vt_expr *value = vt_mutate_expr(m, s->u.pstore.value);
        return store(st, e, access_index(st, e, s->u.pstore.n_indices, s->u.pstore.indices), value);
    }
    if (s->kind == VT_S_STORE) {
        const view *w = vt_ptrmap_get(st->views, s->u.store.buffer);
        if (w)
            return store(st, w->target, view_index(st, w, s->u.store.n_indices, s->u.store.indices),
                         vt_mutate_expr(m, s->u.store.value));
        return other_store(st, s);
    }
    if (s->kind == VT_S_REALIZE) return realize(st, s);
    if (vt_attr_is(s, VT_ATTR_BIND_BUFFER)) return bind_buffer(st, s);
    if (vt_attr_is(s, VT_ATTR_DIM_ALIGN)) {
        note_align(st, s);
        return vt_mutate_stmt(m, s->u.attr.body);
    }
    return vt_mutate_stmt_children(m, s);
}

static bool learn_loop(void *user, const vt_stmt *s) {
    vt_analyzer *a = user;
    if (s->kind == VT_S_FOR) vt_analyzer_bind_range(a, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true);
    if (s->kind == VT_S_LET) vt_analyzer_bind(a, s->u.let.var, s->u.let.value, true);
    if (vt_attr_binds_thread(s))
        vt_analyzer_bind_range(a, s->u.attr.node.u.iter->var, vt_int(vt_analyzer_ctx(a), s->u.attr.value->dtype, 0),
                               s->u.attr.value, true);
    return true;
}

const vt_func *vt_pass_storage_flatten(vt_lowering *l, const vt_func *f) {
    vt_ctx *ctx = l->ctx;
    flatten st = {.m = {.ctx = ctx, .expr = flatten_expr, .stmt = flatten_stmt},
                  .l = l,
                  .free = vt_analyzer_new(ctx),
                  .bound = vt_analyzer_new(ctx),
                  .entries = vt_ptrmap_new(ctx),
                  .views = vt_ptrmap_new(ctx),
                  .others = vt_ptrmap_new(ctx),
                  .vars = vt_varmap_new(ctx)};
    vt_stmt_walk(f->body, NULL, learn_loop, st.bound);
    vt_binding *bindings = VT_NEW_ARRAY(ctx, vt_binding, f->n_bindings + 1);
    bool changed = false;
    for (uint32_t i = 0; i < f->n_bindings; i++) {
        bindings[i] = f->bindings[i];
        const vt_buffer *b = f->bindings[i].buffer;
        if (!f->bindings[i].tensor) continue;
        changed = true;
        entry *e = VT_NEW(ctx, entry);
        *e = (entry){.tensor = f->bindings[i].tensor, .ndim = b->ndim, .shape = b->shape, .dtype = b->dtype};
        if (b->n_strides) {
            e->strides = VT_NEW_ARRAY(ctx, const vt_expr *, b->n_strides);
            memcpy(e->strides, b->strides, b->n_strides * sizeof *b->strides);
        }
        e->flat = b->ndim == 1 && !b->n_strides && !vt_dtype_is_bool(b->dtype)
                      ? b
                      : flat_buffer(ctx, b, b->ndim, b->shape, b->n_strides ? b->strides : NULL);
        add_entry(&st, e);
        bindings[i] = (vt_binding){.param = bindings[i].param, .buffer = e->flat, .unflattened = b};
    }
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    if (!changed && body == f->body) return f;
    vt_func copy = *vt_func_with_body(ctx, f, body);
    copy.bindings = bindings;
    vt_func *out = VT_NEW(ctx, vt_func);
    *out = copy;
    return out;
}
