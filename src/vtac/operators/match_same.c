/* Two computations that are the same but for names, plain copies, and what is a tensor of its own. */
#include "ir/visit.h"
#include "operators/match.h"

enum { VISITS = 20000 };

static bool same(vt_match_pairs *p, const vt_expr *e, const vt_tensor *t, const vt_expr *f, const vt_tensor *u);

/* ---- Tensors ----------------------------------------------------------------------------------------------------- */

static bool same_shape(const vt_tensor *a, const vt_tensor *b) {
    if (a->ndim != b->ndim || !vt_dtype_eq(a->dtype, b->dtype)) return false;
    for (uint32_t i = 0; i < a->ndim; i++)
        if (vt__match_dim(a, i) != vt__match_dim(b, i)) return false;
    return true;
}

static bool same_argument(vt_match_pairs *p, const vt_tensor *a, const vt_tensor *b) {
    for (uint32_t i = 0; i < p->args; i++)
        if (p->arg[i][0] == a || p->arg[i][1] == b) return p->arg[i][0] == a && p->arg[i][1] == b;
    if (p->args == VT_MATCH_INPUTS || !same_shape(a, b)) return false;
    p->arg[p->args][0] = a;
    p->arg[p->args++][1] = b;
    return true;
}

static bool found_before(const vt_match_pairs *p, const vt_tensor *a, const vt_tensor *b) {
    for (uint32_t i = 0; i < p->n; i++)
        if (p->of[i][0] == a && p->of[i][1] == b) return true;
    return false;
}

static void remember(vt_match_pairs *p, const vt_tensor *a, const vt_tensor *b) {
    if (p->n == VT_MATCH_PAIRS) return;
    p->of[p->n][0] = a;
    p->of[p->n++][1] = b;
}

static size_t axes(const vt_tensor *t) { return te_tensor_reduce_axes((te_tensor *)(uintptr_t)t); }
static te_axis *axis_at(const vt_tensor *t, size_t i) { return te_tensor_reduce_axis((te_tensor *)(uintptr_t)t, i); }

static bool same_reduce_axes(const vt_tensor *a, const vt_tensor *b) {
    if (axes(a) != axes(b)) return false;
    for (size_t i = 0; i < axes(a); i++)
        if (te_axis_extent(axis_at(a, i)) != te_axis_extent(axis_at(b, i)) ||
            !vt_is_const(vt_te_iter(axis_at(a, i))->min, 0) || !vt_is_const(vt_te_iter(axis_at(b, i))->min, 0))
            return false;
    return true;
}

bool vt__match_same_axes(const vt_tensor *a, const vt_tensor *b) { return same_shape(a, b) && same_reduce_axes(a, b); }

static bool same_tensor(vt_match_pairs *p, const vt_tensor *a, const vt_tensor *b) {
    a = vt__match_source(a);
    b = vt__match_source(b);
    const vt_expr *e = vt__match_body(a), *f = vt__match_body(b);
    if (!e && !f) return same_argument(p, a, b);
    if (found_before(p, a, b)) return true;
    if (!e || !f || !vt__match_same_axes(a, b) || !same(p, e, a, f, b)) return false;
    remember(p, a, b);
    return true;
}

/* ---- Expressions ------------------------------------------------------------------------------------------------- */

/* The place of a variable among the axes of a tensor; -1: it is not an axis of it. */
static int64_t place_of(const vt_tensor *t, const vt_var *v) {
    for (uint32_t i = 0; i < t->ndim; i++)
        if (vt__match_axis(t, i) == v) return i;
    for (size_t i = 0; i < axes(t); i++)
        if (vt_te_iter(axis_at(t, i))->var == v) return (int64_t)(t->ndim + i);
    return -1;
}

static bool same_axis(const vt_tensor *t, const vt_var *v, const vt_tensor *u, const vt_var *w) {
    int64_t place = place_of(t, v);
    return place >= 0 && place == place_of(u, w);
}

/* An axis of one element is 0. */
static void drop_ones(const vt_tensor *t, vt_affine *a) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        int64_t place = place_of(t, a->var[i]);
        if (place >= 0 && place < t->ndim && vt__match_dim(t, (uint32_t)place) == 1) continue;
        a->times[n] = a->times[i];
        a->var[n++] = a->var[i];
    }
    a->n = n;
}

/* As sums of axes both are the same, whatever te has reckoned out before. */
static bool same_index(const vt_expr *e, const vt_tensor *t, const vt_expr *f, const vt_tensor *u) {
    vt_affine a, b;
    if (!vt__affine_read(e, &a) || !vt__affine_read(f, &b)) return false;
    drop_ones(t, &a);
    drop_ones(u, &b);
    if (a.constant != b.constant || a.n != b.n) return false;
    for (uint32_t i = 0; i < a.n; i++) {
        uint32_t k = 0;
        while (k < b.n && !same_axis(t, a.var[i], u, b.var[k])) k++;
        if (k == b.n || a.times[i] != b.times[k]) return false;
    }
    return true;
}

static bool same_reduce(const vt_expr *e, const vt_expr *f) {
    const vt_combiner *a = e->u.reduce->combiner, *b = f->u.reduce->combiner;
    const vt_expr *x = a->result[0], *y = b->result[0];
    bool same = a->n == 1 && b->n == 1 && x->kind == y->kind && x->n == 2 && x->a[0] == a->lhs[0] &&
                x->a[1] == a->rhs[0] && y->a[0] == b->lhs[0] && y->a[1] == b->rhs[0];
    return same && vt_expr_equal(a->identity[0], b->identity[0]) && vt_is_const(e->a[e->n - 1], 1) &&
           vt_is_const(f->a[f->n - 1], 1) && e->u.reduce->has_init == f->u.reduce->has_init &&
           e->u.reduce->n_sources == f->u.reduce->n_sources;
}

static bool same_node(const vt_expr *e, const vt_tensor *t, const vt_expr *f, const vt_tensor *u) {
    switch (e->kind) {
    case VT_E_VAR: return same_axis(t, e, u, f);
    case VT_E_INT: return e->u.i == f->u.i;
    case VT_E_CALL: return e->u.op == f->u.op;
    case VT_E_REDUCE: return same_reduce(e, f);
    case VT_E_FLOAT:
    case VT_E_STRING:
    case VT_E_LOAD:
    case VT_E_LET: return false; /* no operator has them */
    default: return true;
    }
}

static bool same_operands(vt_match_pairs *p, const vt_expr *e, const vt_tensor *t, const vt_expr *f,
                          const vt_tensor *u) {
    bool index = e->kind == VT_E_PLOAD;
    for (uint32_t i = 0; i < e->n; i++)
        if (!(index && same_index(e->a[i], t, f->a[i], u)) && !same(p, e->a[i], t, f->a[i], u)) return false;
    return true;
}

/* A tensor that is read at the axes of another, in their order, is part of it, unless it reduces. */
static const vt_tensor *entered(const vt_expr *e, const vt_tensor *t) {
    if (e->kind != VT_E_PLOAD || !vt__match_at_axes(e, t)) return NULL;
    const vt_expr *body = vt__match_body(e->u.tensor);
    return body && body->kind != VT_E_REDUCE ? e->u.tensor : NULL;
}

/* Where blocks of both sorts are alike, an element as it comes stands for its product with the unit matrix. */
static bool same_as_product(vt_match_pairs *p, const vt_expr *e, const vt_tensor *t, const vt_expr *f,
                            const vt_tensor *u) {
    if (e->kind != VT_E_CAST || f->kind != VT_E_PLOAD || !vt__match_at_axes(f, u)) return false;
    const vt_tensor *leaf = f->u.tensor;
    const vt_expr *body = vt__match_body(leaf), *load = e->a[0];
    if (!body || body->kind != VT_E_REDUCE || axes(leaf) != 1 || body->a[0]->kind != VT_E_MUL) return false;
    const vt_expr *data = body->a[0]->a[0];
    while (data->kind == VT_E_CAST) data = data->a[0];
    if (load->kind != VT_E_PLOAD || data->kind != VT_E_PLOAD || load->n != data->n || load->n != t->ndim) return false;
    uint32_t last = load->n - 1;
    if (!vt__match_is_axis(load->a[last], t, last) || place_of(leaf, data->a[last]) != leaf->ndim) return false;
    for (uint32_t i = 0; i < last; i++)
        if (!same_index(load->a[i], t, data->a[i], leaf) && !same(p, load->a[i], t, data->a[i], leaf)) return false;
    return same_tensor(p, load->u.tensor, data->u.tensor);
}

static bool same(vt_match_pairs *p, const vt_expr *e, const vt_tensor *t, const vt_expr *f, const vt_tensor *u) {
    if (++p->visits > VISITS) return false;
    const vt_tensor *in_t = entered(e, t), *in_u = entered(f, u);
    if (in_t && in_u && found_before(p, in_t, in_u)) return true;
    if (in_t || in_u) {
        bool is =
            same(p, in_t ? vt__match_body(in_t) : e, in_t ? in_t : t, in_u ? vt__match_body(in_u) : f, in_u ? in_u : u);
        if (is && in_t && in_u) remember(p, in_t, in_u);
        return is;
    }
    if (e->kind != f->kind) return same_as_product(p, e, t, f, u);
    if (e->n != f->n || !vt_dtype_eq(e->dtype, f->dtype) || !same_node(e, t, f, u)) return false;
    return same_operands(p, e, t, f, u) && (e->kind != VT_E_PLOAD || same_tensor(p, e->u.tensor, f->u.tensor));
}

bool vt__match_same(vt_match_pairs *pairs, const vt_expr *e, const vt_tensor *t, const vt_expr *f, const vt_tensor *u) {
    return same(pairs, e, t, f, u);
}
