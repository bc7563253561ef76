/* A GEMM kernel that leaves out micro-ops by conditions, at the borders of an image, is cut into kernels without
 * conditions, each a box of two hardware loops.
 *
 *     for i, j, dy, dx, co: if (1 <= i + dy && i + dy < 8 && 1 <= j + dx && j + dx < 8) push
 *
 * With i and j in hardware, each (dy, dx) has the box of the i and j for which its conditions hold. Those whose boxes
 * have equal sizes are micro-ops of one kernel, each with the corner of its own box for its place:
 *
 *     for i in 0..6, for j in 0..7: for co: push (dy = 0, dx = 1, from row 1);  push (dy = 2, dx = 1, from row 0)
 *
 * So there are a few instructions, of few micro-ops, and nothing is multiplied by padding. Of all pairs of loops that
 * can be the hardware's, the pair is taken that costs the fewest cycles of instructions and of loading micro-ops, and
 * that never writes an accumulator twice within three micro-ops. Of one or two accumulators each micro-op is an
 * instruction. */
#include <math.h>
#include <string.h>

#include "arith/linear.h"
#include "target/vta/uop_nest.h"

enum { MOST_CONDITIONS = 16, FEW_TAPS = 512, MOST_TAPS = 2048, INSTRUCTION = 7, LOAD = 22 };

/* The sum of times[i] * loop i, plus `constant`, is not negative. */
typedef struct condition {
    int64_t times[VT_UOP_LOOPS + 1], constant;
} condition;

typedef struct nest {
    uint32_t n, n_conditions;
    const vt_stmt *loops[VT_UOP_LOOPS], *push;
    int64_t extents[VT_UOP_LOOPS + 1]; /* the last stands for no loop: one step, without effect */
    int64_t dst[VT_UOP_LOOPS + 1];     /* how far each moves the accumulator */
    condition conditions[MOST_CONDITIONS];
} nest;

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Coefficients of the nest's loops and the rest; false when it is not such a sum of constants. */
static bool read_linear(vt_ctx *ctx, const nest *k, const vt_expr *e, int64_t *times, int64_t *constant) {
    const vt_var *vars[VT_UOP_LOOPS];
    const vt_expr *linear[VT_UOP_LOOPS + 1];
    for (uint32_t i = 0; i < k->n; i++) vars[i] = k->loops[i]->u.loop.var;
    if (!vt_detect_linear(ctx, e, k->n, vars, linear) || !vt_as_const(linear[k->n], constant)) return false;
    for (uint32_t i = 0; i < k->n; i++)
        if (!vt_as_const(linear[i], &times[i])) return false;
    return true;
}

static bool read_condition(vt_ctx *ctx, nest *k, const vt_expr *e) {
    if (e->kind == VT_E_AND) return read_condition(ctx, k, e->a[0]) && read_condition(ctx, k, e->a[1]);
    if (vt_is_call(e, VT_OP_LIKELY)) return read_condition(ctx, k, e->a[0]);
    if (vt_is_const(e, 1)) return true;
    bool less = e->kind == VT_E_LT || e->kind == VT_E_LE, strict = e->kind == VT_E_LT || e->kind == VT_E_GT;
    if ((!less && e->kind != VT_E_GT && e->kind != VT_E_GE) || k->n_conditions == MOST_CONDITIONS) return false;
    condition *c = &k->conditions[k->n_conditions++];
    const vt_expr *difference = less ? vt_sub(ctx, e->a[1], e->a[0]) : vt_sub(ctx, e->a[0], e->a[1]);
    if (!read_linear(ctx, k, difference, c->times, &c->constant)) return false;
    c->constant -= strict;
    return true;
}

/* The loops, conditions and push of a kernel; false when it is anything else. */
static bool read_nest(vt_ctx *ctx, const vt_stmt *s, nest *k) {
    int64_t rest;
    const vt_stmt *conditions[MOST_CONDITIONS];
    uint32_t n = 0;
    *k = (nest){.n = 0};
    for (;;) {
        if (s->kind == VT_S_FOR) {
            if (k->n == VT_UOP_LOOPS || !vt_is_const(s->u.loop.min, 0) ||
                !vt_as_const(s->u.loop.extent, &k->extents[k->n]))
                return false;
            k->loops[k->n++] = s;
            s = s->u.loop.body;
        } else if (s->kind == VT_S_IF && !s->u.branch.else_case && n < MOST_CONDITIONS) {
            conditions[n++] = s;
            s = s->u.branch.then_case;
        } else {
            break;
        }
    }
    if (!n || !vt__is_uop_push(s)) return false;
    k->push = s;
    k->extents[k->n] = 1;
    for (uint32_t i = 0; i < n; i++)
        if (!read_condition(ctx, k, conditions[i]->u.branch.condition)) return false;
    return read_linear(ctx, k, s->u.eval.value->a[VT_UOP(dst_index)], k->dst, &rest);
}

/* ---- Boxes ------------------------------------------------------------------------------------------------------- */

/* Values of the loops that are neither in hardware nor free of conditions, and the box of the other two. */
typedef struct box {
    int64_t at[VT_UOP_LOOPS], low[2], size[2];
    uint32_t group; /* of those of its size, in the order of the first of each */
} box;

typedef struct plan {
    uint32_t hardware[2], n_boxes;
    bool tap[VT_UOP_LOOPS];
    bool apart; /* every box is a kernel of its own */
    box *boxes;
    double cost;
} plan;

static bool limit(int64_t times, int64_t constant, int64_t *low, int64_t *high) {
    if (times > 0) { /* times * x + constant >= 0 */
        int64_t least = constant >= 0 ? 0 : (-constant + times - 1) / times;
        if (least > *low) *low = least;
    } else if (times < 0) {
        int64_t most = constant < 0 ? -1 : constant / -times;
        if (most < *high) *high = most;
    } else if (constant < 0) {
        *high = -1;
    }
    return *low <= *high;
}

/* False: empty, or *fits is cleared when a condition binds both hardware loops. */
static bool find_box(const nest *k, const plan *p, box *b, bool *fits) {
    int64_t low[2] = {0, 0}, high[2] = {k->extents[p->hardware[0]] - 1, k->extents[p->hardware[1]] - 1};
    for (uint32_t c = 0; c < k->n_conditions; c++) {
        const condition *is = &k->conditions[c];
        int64_t constant = is->constant, first = is->times[p->hardware[0]], second = is->times[p->hardware[1]];
        for (uint32_t i = 0; i < k->n; i++)
            if (p->tap[i]) constant += is->times[i] * b->at[i];
        if (first && second) *fits = false;
        int which = second != 0;
        if (!*fits || !limit(which ? second : first, constant, &low[which], &high[which])) return false;
    }
    for (int i = 0; i < 2; i++) {
        b->low[i] = low[i];
        b->size[i] = high[i] - low[i] + 1;
    }
    return true;
}

/* Loops that move the accumulator go fastest, so that it is not written again at once. */
static bool next_tap(const nest *k, const plan *p, int64_t at[VT_UOP_LOOPS]) {
    for (int moves = 1; moves >= 0; moves--)
        for (uint32_t i = k->n; i-- > 0;) {
            if (!p->tap[i] || (k->dst[i] != 0) != moves) continue;
            if (++at[i] < k->extents[i]) return true;
            at[i] = 0;
        }
    return false;
}

static bool same_size(const box *x, const box *y) { return x->size[0] == y->size[0] && x->size[1] == y->size[1]; }

/* Boxes in the order in which they are found; first[g] is the first of group g. */
typedef struct finding {
    uint32_t n, groups, first[MOST_TAPS], count[MOST_TAPS];
    box boxes[MOST_TAPS];
} finding;

static void add_box(finding *f, const box *b) {
    uint32_t g = 0;
    while (g < f->groups && !same_size(&f->boxes[f->first[g]], b)) g++;
    if (g == f->groups) {
        f->first[g] = f->n;
        f->count[g] = 0;
        f->groups++;
    }
    f->count[g]++;
    f->boxes[f->n] = *b;
    f->boxes[f->n++].group = g;
}

/* Boxes of one size stand together. */
static void stand_together(vt_ctx *ctx, finding *f, plan *p) {
    uint32_t *next = f->first, at = 0;
    p->boxes = VT_NEW_ARRAY(ctx, box, f->n);
    p->n_boxes = f->n;
    for (uint32_t g = 0; g < f->groups; g++) {
        next[g] = at;
        at += f->count[g];
    }
    for (uint32_t i = 0; i < f->n; i++) p->boxes[next[f->boxes[i].group]++] = f->boxes[i];
}

/* The loops that neither are in hardware nor have conditions: those of the sum, then those that move the accumulator.
 */
static uint32_t free_loops(const nest *k, const plan *p, uint32_t out[VT_UOP_LOOPS]) {
    uint32_t n = 0;
    for (int moves = 0; moves < 2; moves++)
        for (uint32_t i = 0; i < k->n; i++)
            if (!p->tap[i] && i != p->hardware[0] && i != p->hardware[1] && (k->dst[i] != 0) == moves) out[n++] = i;
    return n;
}

static int64_t count_free(const nest *k, const plan *p) {
    uint32_t loops[VT_UOP_LOOPS], n = free_loops(k, p, loops);
    int64_t count = 1;
    for (uint32_t i = 0; i < n; i++) count *= k->extents[loops[i]];
    return count;
}

/* What instructions of so many micro-ops cost: loaded once for a few uses. */
static double cost_of(uint32_t instructions, int64_t uops) {
    return instructions * (INSTRUCTION + LOAD / 4.0) + (double)uops / 8;
}

/* Fails also where it would cost more than `enough`. */
static bool find_boxes(vt_ctx *ctx, finding *f, const nest *k, int64_t most, double enough, plan *p) {
    int64_t taps = 1;
    bool fits = true;
    for (uint32_t i = 0; i < k->n; i++) {
        p->tap[i] = p->apart;
        for (uint32_t c = 0; c < k->n_conditions; c++) p->tap[i] |= k->conditions[c].times[i] != 0;
        if (i == p->hardware[0] || i == p->hardware[1]) p->tap[i] = false;
        if (p->tap[i]) taps *= k->extents[i];
        if (taps > most) return false;
    }
    int64_t each = count_free(k, p);
    box b = {.size = {0, 0}};
    f->n = f->groups = 0;
    do {
        if (find_box(k, p, &b, &fits)) add_box(f, &b);
        fits = fits && cost_of(p->apart ? f->n : f->groups, f->n * each) < enough;
    } while (fits && next_tap(k, p, b.at));
    if (fits) stand_together(ctx, f, p);
    return fits;
}

/* ---- Order ------------------------------------------------------------------------------------------------------- */

/* The accumulators of one step of the hardware's loops, in the order in which they are written. */
static void list_writes(const nest *k, const plan *p, uint32_t begin, uint32_t end, int64_t *out) {
    uint32_t loops[VT_UOP_LOOPS], n = free_loops(k, p, loops);
    for (uint32_t i = begin; i < end; i++) {
        const box *b = &p->boxes[i];
        int64_t from = b->low[0] * k->dst[p->hardware[0]] + b->low[1] * k->dst[p->hardware[1]];
        for (uint32_t t = 0; t < k->n; t++)
            if (p->tap[t]) from += b->at[t] * k->dst[t];
        int64_t at[VT_UOP_LOOPS] = {0}, dst = from;
        for (bool more = true; more;) {
            *out++ = dst;
            more = false;
            for (uint32_t l = n; l-- > 0 && !more;) {
                more = ++at[l] < k->extents[loops[l]];
                dst += k->dst[loops[l]];
                if (more) break;
                dst -= at[l] * k->dst[loops[l]];
                at[l] = 0;
            }
        }
    }
}

static bool follows_safely(const int64_t *w, int64_t n, int64_t by) {
    int64_t before = n > 1 ? w[n - 2] : INT64_MIN, last = w[n - 1];
    return w[0] + by != last && w[0] + by != before && (n < 2 || w[1] + by != last);
}

/* No accumulator is written twice within three micro-ops, from one step to the next too. */
static bool writes_apart(const nest *k, const plan *p, uint32_t begin, uint32_t end, int64_t n, int64_t *w) {
    const int64_t *size = p->boxes[begin].size;
    int64_t inner = k->dst[p->hardware[1]], outer = k->dst[p->hardware[0]] - (size[1] - 1) * inner;
    list_writes(k, p, begin, end, w);
    for (int64_t i = 0; i < n; i++)
        if ((i > 0 && w[i] == w[i - 1]) || (i > 1 && w[i] == w[i - 2])) return false;
    if (size[1] > 1 && !follows_safely(w, n, inner)) return false;
    if (size[0] > 1 && !follows_safely(w, n, outer)) return false;
    if (n > 1) return true;
    bool two = (size[1] > 2 && inner == 0) || (size[0] > 1 && size[1] > 1 && inner + outer == 0);
    return !two && !(size[1] == 1 && size[0] > 2 && outer == 0);
}

static bool is_safe(vt_ctx *ctx, const nest *k, const plan *p, uint32_t begin, uint32_t end) {
    vt_arena_mark mark = vt_arena_here(&ctx->arena);
    int64_t n = (end - begin) * count_free(k, p), *w = VT_NEW_ARRAY(ctx, int64_t, (size_t)n);
    bool safe = writes_apart(k, p, begin, end, n, w);
    vt_arena_rewind(&ctx->arena, mark);
    return safe;
}

static uint32_t group_end(const plan *p, uint32_t begin) {
    uint32_t end = begin + 1;
    while (!p->apart && end < p->n_boxes && same_size(&p->boxes[begin], &p->boxes[end])) end++;
    return end;
}

static bool weigh(vt_ctx *ctx, const vta_config *config, const nest *k, plan *p) {
    int64_t each = count_free(k, p);
    uint32_t groups = 0;
    for (uint32_t begin = 0, end; begin < p->n_boxes; begin = end, groups++) {
        end = group_end(p, begin);
        int64_t uops = (end - begin) * each;
        if (uops > (int64_t)vta_config_depth(config, VTA_MEM_UOP) || !is_safe(ctx, k, p, begin, end)) return false;
    }
    p->cost = cost_of(groups, p->n_boxes * each);
    return p->n_boxes > 0;
}

/* The best pair of loops with at most so many boxes. */
static bool choose_pair(vt_ctx *ctx, const vta_config *config, finding *f, const nest *k, int64_t most, plan *out) {
    bool found = false;
    for (uint32_t x = 0; x <= k->n; x++)
        for (uint32_t y = 0; y <= k->n; y++) {
            plan p = {.hardware = {x, y}};
            double enough = found ? out->cost : HUGE_VAL;
            if (x == y && x < k->n) continue;
            if (!find_boxes(ctx, f, k, most, enough, &p) || !weigh(ctx, config, k, &p)) continue;
            *out = p;
            found = true;
        }
    return found;
}

/* Few boxes are few micro-ops, so that more are looked at only where few are not possible. */
static bool choose(vt_ctx *ctx, const vta_config *config, finding *f, const nest *k, plan *out) {
    if (choose_pair(ctx, config, f, k, FEW_TAPS, out) || choose_pair(ctx, config, f, k, MOST_TAPS, out)) return true;
    *out = (plan){.hardware = {k->n, k->n}, .apart = true}; /* of one or two accumulators */
    return find_boxes(ctx, f, k, MOST_TAPS, HUGE_VAL, out);
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static const vt_stmt *write_box(vt_ctx *ctx, const nest *k, const plan *p, const box *b) {
    vt_varmap *map = vt_varmap_new(ctx);
    uint32_t loops[VT_UOP_LOOPS], n = free_loops(k, p, loops);
    for (uint32_t i = 0; i < k->n; i++) {
        const vt_var *v = k->loops[i]->u.loop.var;
        if (p->tap[i]) vt_varmap_set(map, v, vt_int(ctx, v->dtype, b->at[i]));
    }
    for (int h = 0; h < 2; h++) {
        if (!b->low[h]) continue;
        const vt_var *v = k->loops[p->hardware[h]]->u.loop.var;
        vt_varmap_set(map, v, vt_add(ctx, v, vt_int(ctx, v->dtype, b->low[h])));
    }
    const vt_stmt *s = vt_substitute_stmt(ctx, k->push, map);
    for (uint32_t i = n; i-- > 0;) s = vt_stmt_with_body(ctx, k->loops[loops[i]], s);
    return s;
}

static const vt_stmt *write_group(vt_ctx *ctx, const vt_stmt *scope, const nest *k, const plan *p, uint32_t begin,
                                  uint32_t end) {
    vt_stmt_list list = {0};
    for (uint32_t i = begin; i < end; i++) vt_stmt_list_add(ctx, &list, write_box(ctx, k, p, &p->boxes[i]));
    const vt_stmt *s = vt_s_seq(ctx, list.n, list.items);
    for (int h = 1; h >= 0; h--) {
        if (p->hardware[h] == k->n) continue;
        const vt_stmt *loop = k->loops[p->hardware[h]];
        const vt_expr *size = vt_int(ctx, loop->u.loop.var->dtype, p->boxes[begin].size[h]);
        s = vt_loop_with(ctx, loop, loop->u.loop.var, loop->u.loop.min, size, s);
    }
    return vt_stmt_with_body(ctx, scope, s);
}

/* A nest and how it was cut; steps have few different ones. */
typedef struct known {
    nest k;
    plan p;
    bool cut;
} known;

typedef struct cutter {
    vt_mutator m;
    vt_lowering *l;
    known *known;
    uint32_t n, cap;
    finding *finding; /* made at the first use */
} cutter;

/* The same extents, conditions and moves of the accumulator: the same plan. */
static bool same_nest(const nest *x, const nest *y) {
    return x->n == y->n && x->n_conditions == y->n_conditions && !memcmp(x->extents, y->extents, sizeof x->extents) &&
           !memcmp(x->dst, y->dst, sizeof x->dst) &&
           !memcmp(x->conditions, y->conditions, x->n_conditions * sizeof x->conditions[0]);
}

static const known *plan_of(cutter *c, const nest *k) {
    for (uint32_t i = 0; i < c->n; i++)
        if (same_nest(&c->known[i].k, k)) return &c->known[i];
    vt_grow(c->m.ctx, &c->known, &c->cap, c->n + 1, sizeof *c->known);
    known *made = &c->known[c->n++];
    *made = (known){.k = *k};
    if (!c->finding) c->finding = VT_NEW(c->m.ctx, finding);
    made->cut = choose(c->m.ctx, vt__config(c->l), c->finding, k, &made->p);
    return made;
}

/* One nest of a kernel, as a kernel of its own. */
static const vt_stmt *cut(cutter *c, const vt_stmt *s, const vt_stmt *body) {
    vt_ctx *ctx = c->m.ctx;
    nest k;
    const known *is = read_nest(ctx, body, &k) ? plan_of(c, &k) : NULL;
    if (!is || !is->cut) return vt_stmt_with_body(ctx, s, body);
    const plan p = is->p;
    vt_stmt_list list = {0};
    for (uint32_t begin = 0, end; begin < p.n_boxes; begin = end) {
        end = group_end(&p, begin);
        vt_stmt_list_add(ctx, &list, write_group(ctx, s, &k, &p, begin, end));
    }
    return vt_s_seq(ctx, list.n, list.items);
}

static const vt_stmt *cut_stmt(vt_mutator *m, const vt_stmt *s) {
    if (!vt_attr_is(s, VT_ATTR_UOPS)) return vt_mutate_stmt_children(m, s);
    const vt_stmt *body = s->u.attr.body;
    nest k;
    bool several = body->kind == VT_S_SEQ;
    for (uint32_t i = 0; several && i < body->u.seq.n_items; i++) several = read_nest(m->ctx, body->u.seq.items[i], &k);
    if (!several) return cut((cutter *)m, s, body);
    vt_stmt_list list = {0};
    for (uint32_t i = 0; i < body->u.seq.n_items; i++)
        vt_stmt_list_add(m->ctx, &list, cut((cutter *)m, s, body->u.seq.items[i]));
    return vt_s_seq(m->ctx, list.n, list.items);
}

const vt_func *vt_pass_cut_borders(vt_lowering *l, const vt_func *f) {
    if (!vt__vta(l)->slots) return f;
    cutter c = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = cut_stmt}, .l = l};
    return vt_func_with_body(l->ctx, f, vt_convert_ssa(l->ctx, vt_mutate_stmt(&c.m, f->body)));
}
