/* Choosing the loops that the hardware runs, and the boxes that conditions leave of them. */
#include "lower/vta/border_boxes.h"

#include <math.h>

enum { FEW_TAPS = 512, INSTRUCTION = 7, LOAD = 22 };

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
static bool find_box(const vt_border_nest *k, const vt_border_plan *p, vt_border_box *b, bool *fits) {
    int64_t low[2] = {0, 0}, high[2] = {k->extents[p->hardware[0]] - 1, k->extents[p->hardware[1]] - 1};
    for (uint32_t c = 0; c < k->n_conditions; c++) {
        const vt_border_condition *is = &k->conditions[c];
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
static bool next_tap(const vt_border_nest *k, const vt_border_plan *p, int64_t at[VT_UOP_LOOPS]) {
    for (int moves = 1; moves >= 0; moves--)
        for (uint32_t i = k->n; i-- > 0;) {
            if (!p->tap[i] || (k->dst[i] != 0) != moves) continue;
            if (++at[i] < k->extents[i]) return true;
            at[i] = 0;
        }
    return false;
}

static bool same_size(const vt_border_box *x, const vt_border_box *y) {
    return x->size[0] == y->size[0] && x->size[1] == y->size[1];
}

static void add_box(vt_border_finding *f, const vt_border_box *b) {
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
static void stand_together(vt_ctx *ctx, vt_border_finding *f, vt_border_plan *p) {
    uint32_t *next = f->first, at = 0;
    p->boxes = VT_NEW_ARRAY(ctx, vt_border_box, f->n);
    p->n_boxes = f->n;
    for (uint32_t g = 0; g < f->groups; g++) {
        next[g] = at;
        at += f->count[g];
    }
    for (uint32_t i = 0; i < f->n; i++) p->boxes[next[f->boxes[i].group]++] = f->boxes[i];
}

uint32_t vt__border_free_loops(const vt_border_nest *k, const vt_border_plan *p, uint32_t out[VT_UOP_LOOPS]) {
    uint32_t n = 0;
    for (int moves = 0; moves < 2; moves++)
        for (uint32_t i = 0; i < k->n; i++)
            if (!p->tap[i] && i != p->hardware[0] && i != p->hardware[1] && (k->dst[i] != 0) == moves) out[n++] = i;
    return n;
}

static int64_t count_free(const vt_border_nest *k, const vt_border_plan *p) {
    uint32_t loops[VT_UOP_LOOPS], n = vt__border_free_loops(k, p, loops);
    int64_t count = 1;
    for (uint32_t i = 0; i < n; i++) count *= k->extents[loops[i]];
    return count;
}

/* What instructions of so many micro-ops cost: loaded once for a few uses. */
static double cost_of(uint32_t instructions, int64_t uops) {
    return instructions * (INSTRUCTION + LOAD / 4.0) + (double)uops / 8;
}

/* Fails also where it would cost more than `enough`. */
static bool find_boxes(vt_ctx *ctx, vt_border_finding *f, const vt_border_nest *k, int64_t most, double enough,
                       vt_border_plan *p) {
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
    vt_border_box b = {.size = {0, 0}};
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
static void list_writes(const vt_border_nest *k, const vt_border_plan *p, uint32_t begin, uint32_t end, int64_t *out) {
    uint32_t loops[VT_UOP_LOOPS], n = vt__border_free_loops(k, p, loops);
    for (uint32_t i = begin; i < end; i++) {
        const vt_border_box *b = &p->boxes[i];
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
static bool writes_apart(const vt_border_nest *k, const vt_border_plan *p, uint32_t begin, uint32_t end, int64_t n,
                         int64_t *w) {
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

static bool is_safe(vt_ctx *ctx, const vt_border_nest *k, const vt_border_plan *p, uint32_t begin, uint32_t end) {
    vt_arena_mark mark = vt_arena_here(&ctx->arena);
    int64_t n = (end - begin) * count_free(k, p), *w = VT_NEW_ARRAY(ctx, int64_t, (size_t)n);
    bool safe = writes_apart(k, p, begin, end, n, w);
    vt_arena_rewind(&ctx->arena, mark);
    return safe;
}

uint32_t vt__border_group_end(const vt_border_plan *p, uint32_t begin) {
    uint32_t end = begin + 1;
    while (!p->apart && end < p->n_boxes && same_size(&p->boxes[begin], &p->boxes[end])) end++;
    return end;
}

static bool weigh(vt_ctx *ctx, const vta_config *config, const vt_border_nest *k, vt_border_plan *p) {
    int64_t each = count_free(k, p);
    uint32_t groups = 0;
    for (uint32_t begin = 0, end; begin < p->n_boxes; begin = end, groups++) {
        end = vt__border_group_end(p, begin);
        int64_t uops = (end - begin) * each;
        if (uops > (int64_t)vta_config_depth(config, VTA_MEM_UOP) || !is_safe(ctx, k, p, begin, end)) return false;
    }
    p->cost = cost_of(groups, p->n_boxes * each);
    return p->n_boxes > 0;
}

/* The best pair of loops with at most so many boxes. */
static bool choose_pair(vt_ctx *ctx, const vta_config *config, vt_border_finding *f, const vt_border_nest *k,
                        int64_t most, vt_border_plan *out) {
    bool found = false;
    for (uint32_t x = 0; x <= k->n; x++)
        for (uint32_t y = 0; y <= k->n; y++) {
            vt_border_plan p = {.hardware = {x, y}};
            double enough = found ? out->cost : HUGE_VAL;
            if (x == y && x < k->n) continue;
            if (!find_boxes(ctx, f, k, most, enough, &p) || !weigh(ctx, config, k, &p)) continue;
            *out = p;
            found = true;
        }
    return found;
}

/* Few boxes are few micro-ops, so that more are looked at only where few are not possible. */
bool vt__choose_border_plan(vt_ctx *ctx, const vta_config *config, vt_border_finding *f, const vt_border_nest *k,
                            vt_border_plan *out) {
    if (choose_pair(ctx, config, f, k, FEW_TAPS, out) || choose_pair(ctx, config, f, k, VT_BORDER_TAPS, out))
        return true;
    *out = (vt_border_plan){.hardware = {k->n, k->n}, .apart = true}; /* of one or two accumulators */
    return find_boxes(ctx, f, k, VT_BORDER_TAPS, HUGE_VAL, out);
}
