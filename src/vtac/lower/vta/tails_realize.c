/* Regions that are realized: in a tail they shrink to what their readers read, which cuts those that write them. */
#include "lower/vta/tails.h"

typedef struct demand {
    splitter *st;
    const vt_stmt *s;    /* the REALIZE */
    bool any, unknown;   /* read at all; at places that cannot be told */
    int64_t *low, *high; /* of each dimension, from the region's begin */
} demand;

static void add_read(void *user, const vt_use *use) {
    demand *d = user;
    splitter *st = d->st;
    if (!use->reads) return;
    for (uint32_t i = 0; i < use->n; i++) {
        const vt_expr *from = vt_sub(st->ctx, use->region[i].min, d->s->u.realize.bounds[i].min);
        vt_bound begin = vt_const_bound(st->a, vt_simplify(st->a, from));
        int64_t extent;
        if (begin.min == VT_NEG_INF || begin.max == VT_POS_INF || !vt_as_const(use->region[i].extent, &extent)) {
            d->unknown = true;
            return;
        }
        if (!d->any || begin.min < d->low[i]) d->low[i] = begin.min;
        if (!d->any || begin.max + extent - 1 > d->high[i]) d->high[i] = begin.max + extent - 1;
    }
    d->any = true;
}

/* Dimensions from here on are inside of an element, which is computed and moved whole. */
static uint32_t element_dims(splitter *st, const vt_stmt *s) {
    vta_memory memory;
    uint32_t n = s->u.realize.n_bounds;
    if (!vt__memory_of(s->u.realize.scope, &memory)) return 0;
    int64_t scalars = vt__elem_scalars(vt__config(st->l), memory), extent;
    for (; n > 0 && scalars > 1 && vt_as_const(s->u.realize.bounds[n - 1].extent, &extent); n--)
        scalars = extent > 0 ? scalars / extent : 0;
    return n;
}

/* The smaller region; NULL: it is not smaller. */
static const vt_range *smaller(splitter *st, const vt_stmt *s, const demand *d) {
    vt_ctx *ctx = st->ctx;
    uint32_t n = s->u.realize.n_bounds, dims = element_dims(st, s);
    vt_range *bounds = VT_NEW_ARRAY(ctx, vt_range, n + 1);
    bool any = false;
    memcpy(bounds, s->u.realize.bounds, n * sizeof *bounds);
    for (uint32_t i = 0; i < dims && d->any && !d->unknown; i++) {
        int64_t extent, low = d->low[i] > 0 ? d->low[i] : 0;
        if (!vt_as_const(bounds[i].extent, &extent)) continue;
        int64_t high = d->high[i] < extent - 1 ? d->high[i] : extent - 1;
        if (high < low || (low == 0 && high == extent - 1)) continue;
        vt_dtype t = bounds[i].min->dtype;
        bounds[i].min = vt_simplify(st->a, vt_add(ctx, bounds[i].min, vt_int(ctx, t, low)));
        bounds[i].extent = vt_int(ctx, bounds[i].extent->dtype, high - low + 1);
        any = true;
    }
    return any ? bounds : NULL;
}

/* Conditions around the statements that write a region. */
typedef struct guard {
    splitter *st;
    const vt_stmt *s;       /* the REALIZE with its region now */
    const vt_range *before; /* the region that it had */
    vt_ptrmap *at;          /* statement -> itself with its conditions */
} guard;

static void add_guard(void *user, const vt_use *use) {
    guard *g = user;
    vt_ctx *ctx = g->st->ctx;
    if (!use->writes) return;
    const vt_stmt *body = vt_ptrmap_get(g->at, use->at);
    if (!body) body = use->at;
    for (uint32_t i = use->n; i-- > 0;) {
        const vt_range *r = &g->s->u.realize.bounds[i], *u = &use->region[i];
        if (r->min == g->before[i].min && r->extent == g->before[i].extent) continue;
        const vt_expr *begin = vt_sub(ctx, u->min, r->min);
        const vt_expr *last = vt_sub(ctx, vt_add(ctx, begin, u->extent), vt_int(ctx, u->min->dtype, 1));
        body = vt_s_if(ctx, vt_likely(ctx, vt_lt(ctx, last, r->extent)), body, NULL);
        body = vt_s_if(ctx, vt_likely(ctx, vt_ge(ctx, begin, vt_int(ctx, begin->dtype, 0))), body, NULL);
    }
    vt_ptrmap_set(g->at, use->at, body);
}

typedef struct guarder {
    vt_mutator m;
    const vt_ptrmap *at;
} guarder;

static const vt_stmt *guard_stmt(vt_mutator *m, const vt_stmt *s) {
    const vt_stmt *with = vt_ptrmap_get(((guarder *)m)->at, s);
    return with ? with : vt_mutate_stmt_children(m, s);
}

static const vt_stmt *guarded(splitter *st, const vt_stmt *realize, const vt_range *before, const vt_stmt *writer) {
    guard g = {st, realize, before, vt_ptrmap_new(st->ctx)};
    vt__uses(st->ctx, writer, realize->u.realize.tensor, NULL, add_guard, &g);
    guarder m = {.m = {.ctx = st->ctx, .statements_only = true, .stmt = guard_stmt}, .at = g.at};
    return vt_mutate_stmt(&m.m, writer);
}

const vt_stmt *vt__tails_split_realize(splitter *st, const vt_stmt *s) {
    vt_ctx *ctx = st->ctx;
    vt_memory_info info;
    const vt_stmt *body = s->u.realize.body;
    const vt_tensor *t = s->u.realize.tensor;
    if (!vt_memory_of_scope(st->l, s->u.realize.scope, &info))
        return vt_stmt_with_body(ctx, s, vt__tails_split(st, body));
    uint32_t n = body->kind == VT_S_SEQ ? body->u.seq.n_items : 1;
    const vt_stmt *const *items = body->kind == VT_S_SEQ ? body->u.seq.items : &body;
    const vt_stmt **out = VT_NEW_ARRAY(ctx, const vt_stmt *, n);
    bool *writes = VT_NEW_ARRAY(ctx, bool, n);
    demand d = {.st = st, .s = s};
    d.low = VT_NEW_ARRAY(ctx, int64_t, s->u.realize.n_bounds + 1);
    d.high = VT_NEW_ARRAY(ctx, int64_t, s->u.realize.n_bounds + 1);
    for (uint32_t i = 0; i < n; i++) {
        writes[i] = vt__writes(ctx, items[i], t);
        if (writes[i]) continue;
        out[i] = vt__tails_split(st, items[i]);
        vt__uses(ctx, out[i], t, st->a, add_read, &d);
    }
    const vt_range *bounds = smaller(st, s, &d);
    vt_stmt copy = vt_stmt_copy(s);
    if (bounds) copy.u.realize.bounds = bounds;
    vt_stmt_list list = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (writes[i] && !d.any && !d.unknown) continue; /* nothing reads it any more */
        if (writes[i])
            out[i] = vt__tails_split(st, bounds ? guarded(st, &copy, s->u.realize.bounds, items[i]) : items[i]);
        if (!vt_stmt_is_nop(out[i])) vt_stmt_list_add(ctx, &list, out[i]);
    }
    copy.u.realize.body = vt__tails_sequence(st, &list);
    return d.any || d.unknown ? vt_s_new(ctx, &copy) : copy.u.realize.body;
}
