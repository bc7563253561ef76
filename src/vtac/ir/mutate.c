/* Rewriting: every helper gives its argument back when nothing under it changed. */
#include <stddef.h>
#include <string.h>

#include "ir/build.h"
#include "ir/fields.h"
#include "ir/visit.h"

const vt_expr *vt_mutate_expr(vt_mutator *m, const vt_expr *e) {
    if (!e || m->statements_only) return e;
    return m->expr ? m->expr(m, e) : vt_mutate_expr_children(m, e);
}

const vt_stmt *vt_mutate_stmt(vt_mutator *m, const vt_stmt *s) {
    if (!s) return NULL;
    return m->stmt ? m->stmt(m, s) : vt_mutate_stmt_children(m, s);
}

static const vt_buffer *map_buffer(vt_mutator *m, const vt_buffer *b) { return m->buffer ? m->buffer(m, b) : b; }

static const vt_iter *mutate_iter(vt_mutator *m, const vt_iter *it) {
    if (!it) return NULL;
    const vt_expr *min = vt_mutate_expr(m, it->min), *extent = vt_mutate_expr(m, it->extent);
    if (min == it->min && extent == it->extent) return it;
    return vt_iter_new(m->ctx, it->var, min, extent, it->type, it->thread_tag);
}

/* A list of pointers, each through `one`: a fresh array at the first difference. */
typedef const void *(*pointer_fn)(vt_mutator *m, const void *p);
static const void *expr_p(vt_mutator *m, const void *p) { return vt_mutate_expr(m, p); }
static const void *stmt_p(vt_mutator *m, const void *p) { return vt_mutate_stmt(m, p); }
static const void *iter_p(vt_mutator *m, const void *p) { return mutate_iter(m, p); }
static const void *buffer_p(vt_mutator *m, const void *p) { return map_buffer(m, p); }

static const void *const *mutate_list(vt_mutator *m, uint32_t n, const void *const *items, pointer_fn one) {
    const void **copy = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const void *item = one(m, items[i]);
        if (item != items[i] && !copy) {
            copy = VT_NEW_ARRAY(m->ctx, const void *, n);
            memcpy(copy, items, n * sizeof *items);
        }
        if (copy) copy[i] = item;
    }
    return copy ? (const void *const *)copy : items;
}

static const vt_range *mutate_ranges(vt_mutator *m, uint32_t n, const vt_range *items) {
    vt_range *copy = NULL;
    for (uint32_t i = 0; i < n; i++) {
        vt_range r = {vt_mutate_expr(m, items[i].min), vt_mutate_expr(m, items[i].extent)};
        if (!copy && (r.min != items[i].min || r.extent != items[i].extent)) {
            copy = VT_NEW_ARRAY(m->ctx, vt_range, n);
            memcpy(copy, items, n * sizeof *items);
        }
        if (copy) copy[i] = r;
    }
    return copy ? copy : items;
}

static const vt_region *mutate_regions(vt_mutator *m, uint32_t n, const vt_region *items) {
    vt_region *copy = NULL;
    for (uint32_t i = 0; i < n; i++) {
        vt_region r = {map_buffer(m, items[i].buffer), items[i].n_ranges,
                       mutate_ranges(m, items[i].n_ranges, items[i].ranges)};
        if (!copy && (r.buffer != items[i].buffer || r.ranges != items[i].ranges)) {
            copy = VT_NEW_ARRAY(m->ctx, vt_region, n);
            memcpy(copy, items, n * sizeof *items);
        }
        if (copy) copy[i] = r;
    }
    return copy ? copy : items;
}

static const vt_note *mutate_notes(vt_mutator *m, uint32_t n, const vt_note *items) {
    vt_note *copy = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const vt_expr *value = vt_mutate_expr(m, items[i].value);
        if (!copy && value != items[i].value) {
            copy = VT_NEW_ARRAY(m->ctx, vt_note, n);
            memcpy(copy, items, n * sizeof *items);
        }
        if (copy) copy[i].value = value;
    }
    return copy ? copy : items;
}

/* Only what is used from around the reduction can change. */
static const vt_combiner *mutate_combiner(vt_mutator *m, const vt_combiner *how) {
    bool same = true;
    for (uint32_t i = 0; i < how->n_outer && same; i++) same = vt_mutate_expr(m, how->outer[i]) == how->outer[i];
    if (same) return how;
    const vt_expr **parts = VT_NEW_ARRAY(m->ctx, const vt_expr *, 2 * (size_t)how->n);
    for (uint32_t k = 0; k < how->n; k++) {
        parts[k] = vt_mutate_expr(m, how->result[k]);
        parts[how->n + k] = vt_mutate_expr(m, how->identity[k]);
    }
    return vt_combiner_new(m->ctx, how->n, how->lhs, how->rhs, parts, parts + how->n);
}

static const vt_reduce *mutate_reduce(vt_mutator *m, const vt_reduce *r) {
    const void *const *axes = mutate_list(m, r->n_axes, (const void *const *)r->axes, iter_p);
    const vt_combiner *how = mutate_combiner(m, r->combiner);
    if (axes == (const void *const *)r->axes && how == r->combiner) return r;
    vt_reduce *copy = VT_NEW(m->ctx, vt_reduce);
    *copy = *r;
    copy->axes = (const vt_iter *const *)axes;
    copy->combiner = how;
    return copy;
}

/* The same node with another payload: constructors take care of type and hash. */
static const vt_expr *with_payload(vt_mutator *m, const vt_expr *e, const vt_expr *const *a) {
    if (e->kind == VT_E_LOAD) {
        const vt_buffer *b = map_buffer(m, e->u.buffer);
        if (b != e->u.buffer) return vt_e_load(m->ctx, b, e->n, a);
    } else if (e->kind == VT_E_REDUCE) {
        const vt_reduce *r = mutate_reduce(m, e->u.reduce);
        if (r != e->u.reduce)
            return vt_e_reduce(m->ctx, r->combiner, r->n_sources, a, r->n_axes, r->axes, a[e->n - 1],
                               r->has_init ? a + r->n_sources : NULL, r->value_index);
    }
    return vt_e_with(m->ctx, e, a);
}

enum { FEW = 8 };

const vt_expr *vt_mutate_expr_children(vt_mutator *m, const vt_expr *e) {
    if (!e->n && e->kind != VT_E_LOAD) return e;
    const vt_expr *few[FEW];
    const vt_expr **a = e->n <= FEW ? few : VT_NEW_ARRAY(m->ctx, const vt_expr *, e->n);
    for (uint32_t i = 0; i < e->n; i++) a[i] = vt_mutate_expr(m, e->a[i]);
    return with_payload(m, e, a);
}

/* What an attribute is about; the second of a pair stays. */
static const void *mutate_ref(vt_mutator *m, const vt_ref *r) {
    if (r->kind == VT_REF_BUFFER || r->kind == VT_REF_PAIR) return map_buffer(m, r->u.buffer);
    if (r->kind != VT_REF_VAR) return r->u.any;
    const vt_expr *v = vt_mutate_expr(m, r->u.var);
    return v->kind == VT_E_VAR ? v : r->u.any;
}

/* What a field of a type that may change holds from now on. */
static const void *mutate_field(vt_mutator *m, const vt_stmt *s, const vt__field *f, const void *was) {
    uint32_t n = f->count ? VT__N(s, f) : 0;
    switch (f->type) {
    case VT__EXPR: return vt_mutate_expr(m, was);
    case VT__STMT: return vt_mutate_stmt(m, was);
    case VT__BUFFER: return map_buffer(m, was);
    case VT__ITER: return mutate_iter(m, was);
    case VT__EXPRS: return mutate_list(m, n, was, expr_p);
    case VT__STMTS: return mutate_list(m, n, was, stmt_p);
    case VT__ITERS: return mutate_list(m, n, was, iter_p);
    case VT__BUFFERS: return mutate_list(m, n, was, buffer_p);
    case VT__RANGES: return mutate_ranges(m, n, was);
    case VT__REGIONS: return mutate_regions(m, n, was);
    case VT__NOTES: return mutate_notes(m, n, was);
    case VT__REF: return mutate_ref(m, &VT__AT_CONST(vt_ref, s, f));
    default: return was;
    }
}

static size_t place_of(const vt__field *f) { return f->offset + (f->type == VT__REF ? offsetof(vt_ref, u) : 0); }

/* A sequence whose items changed: nested ones are joined, NULLs dropped. */
static const vt_stmt *rebuild_seq(vt_ctx *ctx, const vt_stmt *s) {
    const vt_stmt **items = VT_NEW_ARRAY(ctx, const vt_stmt *, s->u.seq.n_items);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->u.seq.n_items; i++)
        if (s->u.seq.items[i]) items[n++] = s->u.seq.items[i];
    return vt_s_seq(ctx, n, items);
}

const vt_stmt *vt_mutate_stmt_children(vt_mutator *m, const vt_stmt *s) {
    vt_stmt copy;
    bool changed = false;
    uint32_t left_out = VT__FIXED | (m->statements_only ? VT__OF_EXPRESSIONS : 0);
    const vt__field *f, *end;
    for (vt__fields((vt_stmt_kind)s->kind, &f, &end); f < end; f++) {
        if (vt__is_of(left_out, f->type)) continue;
        size_t place = place_of(f);
        const void *was, *is;
        memcpy(&was, (const char *)s + place, sizeof was);
        is = mutate_field(m, s, f, was);
        if (is == was) continue;
        if (!changed) copy = vt_stmt_copy(s);
        changed = true;
        memcpy((char *)&copy + place, &is, sizeof is);
    }
    if (!changed) return s;
    return s->kind == VT_S_SEQ ? rebuild_seq(m->ctx, &copy) : vt_s_new(m->ctx, &copy);
}

/* The shorthands. */
typedef struct rewrite {
    vt_mutator m;
    const vt_expr *(*expr)(void *user, const vt_expr *e);
    const vt_stmt *(*stmt)(void *user, const vt_stmt *s);
    void *user;
} rewrite;

static const vt_expr *rewrite_expr(vt_mutator *m, const vt_expr *e) {
    rewrite *r = (rewrite *)m;
    e = vt_mutate_expr_children(m, e);
    return r->expr ? r->expr(r->user, e) : e;
}

static const vt_stmt *rewrite_stmt(vt_mutator *m, const vt_stmt *s) {
    rewrite *r = (rewrite *)m;
    s = vt_mutate_stmt_children(m, s);
    return r->stmt ? r->stmt(r->user, s) : s;
}

const vt_expr *vt_expr_rewrite(vt_ctx *ctx, const vt_expr *e, const vt_expr *(*fn)(void *user, const vt_expr *e),
                               void *user) {
    rewrite r = {.m = {.ctx = ctx, .expr = rewrite_expr}, .expr = fn, .user = user};
    return vt_mutate_expr(&r.m, e);
}

const vt_stmt *vt_stmt_rewrite(vt_ctx *ctx, const vt_stmt *s, const vt_expr *(*efn)(void *user, const vt_expr *e),
                               const vt_stmt *(*sfn)(void *user, const vt_stmt *s), void *user) {
    rewrite r = {.m = {.ctx = ctx, .expr = rewrite_expr, .stmt = rewrite_stmt}, .expr = efn, .stmt = sfn, .user = user};
    return vt_mutate_stmt(&r.m, s);
}
