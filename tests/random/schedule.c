#include "random/schedule.h"

#include <stdio.h>
#include <string.h>

#include "random/nest.h"

enum { ROOT = -1 };

/* The loops of one result, and how far out those go that tiles begin in. */
typedef struct group {
    nest nest;
    int outer, threads; /* outer loops; how many copies virtual threads make of what is inside */
    int first_inside;   /* first loop inside of the threads */
} group;

typedef struct maker {
    choices *c;
    program *p;
    int n_groups;
    int stores[MOST_NODES];
    group groups[8];
    nest reduces[MOST_NODES / 4]; /* of REDUCE stages */
    int n_reduces, reduce_of[MOST_NODES];
    int inside[MOST_NODES]; /* the ALU stage in whose own loop a stage is computed, 0: none */
    struct {
        bool is;
        int axis, size[MOST_DIMS];
    } split[MOST_NODES]; /* ALU stages with a loop of their own around the operation, and what is inside of it */
    footprint need;
} maker;

static node *at(maker *m, int i) { return &m->p->nodes[i]; }

static group *group_of(maker *m, const node *t) {
    for (int i = 0; i < m->n_groups; i++)
        if (m->stores[i] == t->group) return &m->groups[i];
    return NULL;
}

/* ---- Which result needs what ---------------------------------------------------------------------------------------
 */

static bool uses(const node *user, int i) {
    return user->used && (user->in[0].node == i || (user->n_in == 2 && user->in[1].node == i));
}

/* Is one element of an axis needed at all steps of the axis, beside one for each? Then no tile has enough. */
static bool is_mixed(const maker *m, int i) {
    int seen[MOST_DIMS] = {0};
    for (int u = i + 1; u < m->p->n; u++) {
        const node *user = &m->p->nodes[u];
        for (int k = 0; uses(user, i) && user->kind != NODE_REDUCE && k < user->n_in; k++)
            for (int d = 0; user->in[k].node == i && d < m->p->nodes[i].ndim; d++)
                seen[d] |= user->in[k].at[d].axis < 0 ? 1 : user->in[k].at[d].factor == 1 ? 2 : 4;
    }
    for (int d = 0; d < m->p->nodes[i].ndim; d++)
        if (m->p->nodes[i].shape[d] > 1 && seen[d] & (seen[d] - 1)) return true;
    return false;
}

/* The result that alone needs a tensor; ROOT when there are several, or when it cannot be computed in tiles. */
static void choose_group(maker *m, int i) {
    node *t = at(m, i);
    bool any = false;
    for (int u = i + 1; u < m->p->n; u++) {
        if (!uses(at(m, u), i)) continue;
        if (!any) t->group = at(m, u)->group;
        if (t->group != at(m, u)->group) t->group = ROOT;
        any = true;
    }
    if (is_mixed(m, i)) t->group = ROOT;
}

/* Does what a result needs lie outside of its loops? Virtual threads cannot share that. */
static bool has_shared(maker *m, int store) {
    for (int i = 0; i < store; i++)
        for (int u = i + 1; u <= store; u++)
            if (at(m, i)->used && at(m, i)->kind != NODE_INPUT && at(m, i)->kind != NODE_STORE &&
                at(m, i)->group == ROOT && uses(at(m, u), i) && at(m, u)->group == store)
                return true;
    return false;
}

/* ---- Results: tiles and virtual threads ----------------------------------------------------------------------------
 */

static int choose_factor(maker *m, int extent) {
    int factor = pick_between(m->c, 1, extent + (extent < 8 && once_in(m->c, 12)));
    if (!once_in(m->c, 4))
        while (extent % factor != 0 && factor <= extent) factor--;
    return factor;
}

/* Splits the axes of tiles, or runs some outside as they are. */
static void choose_tiles(maker *m, group *g) {
    node *t = g->nest.stage;
    for (int d = 0; d < t->ndim; d++) {
        char name[16], outer[16], inner[16];
        snprintf(name, sizeof name, "%d", d);
        nest_add(&g->nest, d, name);
        if (d >= t->ndim - 2) continue;
        uint32_t how = pick(m->c, 8); /* whole, split, each step by itself */
        if (how < 4 || t->shape[d] == 1) continue;
        int last = g->nest.n - 1;
        if (how < 7) {
            snprintf(outer, sizeof outer, "out%d", d);
            snprintf(inner, sizeof inner, "in%d", d);
            bool into = once_in(m->c, 6);
            nest_split(&g->nest, last, choose_factor(m, t->shape[d]), into, outer, inner);
        }
        nest_move(&g->nest, last, g->outer++);
        if (g->nest.loops[g->outer - 1].count > 2 && once_in(m->c, 10)) {
            snprintf(outer, sizeof outer, "most%d", d);
            snprintf(inner, sizeof inner, "more%d", d);
            nest_split(&g->nest, g->outer - 1, choose_factor(m, g->nest.loops[g->outer - 1].count), false, outer,
                       inner);
            g->outer++;
        }
    }
}

static void shuffle_outer(maker *m, group *g) {
    for (int i = 0; i + 1 < g->outer; i++)
        if (once_in(m->c, 4)) nest_move(&g->nest, i + 1, i);
}

/* An outer loop becomes a thread, or gives a part of itself to one. */
static void choose_thread(maker *m, group *g, int number) {
    static const int counts[] = {2, 2, 2, 3, 4};
    if (!g->outer) return;
    int from = number + (int)pick(m->c, (uint32_t)g->outer), how = (int)pick(m->c, 4);
    int count = counts[pick(m->c, 5)];
    bool front = !once_in(m->c, 6);
    if (from >= g->outer || g->nest.loops[from].count < 2 || g->nest.loops[from].bound) return;
    char rest[24], thread[24];
    snprintf(rest, sizeof rest, "rest%d", number);
    snprintf(thread, sizeof thread, "thread%d", number);
    int which = from;
    if (how == 0 || g->nest.loops[from].count > 4) {
        nest_split(&g->nest, from, count, false, rest, thread);
        g->outer++;
        which = from + 1;
    } else if (how < 3) {
        nest_split(&g->nest, from, count, true, thread, rest);
        g->outer++;
    }
    g->threads *= g->nest.loops[which].count;
    char name[16];
    memcpy(name, g->nest.loops[which].name, sizeof name);
    g->nest.loops[which].bound = true;
    if (front) nest_move(&g->nest, which, number);
    nest_say_order(&g->nest);
    say(g->nest.stage, "bind %s cthread", name);
    if (g->first_inside < (front ? number : which) + 1) g->first_inside = (front ? number : which) + 1;
}

static void schedule_store(maker *m, int i) {
    static const int threads[] = {0, 0, 0, 1, 1, 2};
    node *t = at(m, i);
    group *g = &m->groups[m->n_groups];
    m->stores[m->n_groups++] = i;
    *g = (group){.nest = {.stage = t}, .threads = 1};
    memcpy(g->nest.extent, t->shape, sizeof t->shape);
    choose_tiles(m, g);
    shuffle_outer(m, g);
    if (g->outer) nest_say_order(&g->nest);
    int n = has_shared(m, i) ? 0 : threads[pick(m->c, 6)];
    for (int k = 0; k < n; k++) choose_thread(m, g, k);
}

/* ---- Where the others are computed ---------------------------------------------------------------------------------
 */

/* In the nest of its result, no further in than what needs it; or by itself. */
static void choose_level(maker *m, int i) {
    static const int further[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, MOST_LOOPS};
    node *t = at(m, i);
    t->level = ROOT;
    if (t->group == ROOT) return;
    const group *g = group_of(m, t);
    int level = g->outer - 1;
    for (int u = i + 1; u < m->p->n; u++)
        if (uses(at(m, u), i) && at(m, u)->kind != NODE_STORE && at(m, u)->level < level) level = at(m, u)->level;
    int out = level - further[t->want[WANT_FAR]];
    t->level = out < g->first_inside - 1 ? g->first_inside - 1 : out;
    if (t->level < 0) t->group = ROOT;
}

/* Extents of a stage as they are computed at loop `level` of its result's nest. */
static void extents_at(maker *m, int which, int level, int *out) {
    int ext[MOST_NODES][MOST_DIMS] = {{0}};
    const node *t = at(m, which);
    if (t->group == ROOT || level < 0) {
        memcpy(out, t->shape, sizeof t->shape);
        return;
    }
    group *g = group_of(m, t);
    for (int d = 0; d < at(m, t->group)->ndim; d++) ext[t->group][d] = nest_covered(&g->nest, d, level);
    for (int u = t->group; u > which; u--) {
        const node *user = at(m, u);
        if (!user->used || user->group != t->group || user->kind == NODE_REDUCE || !ext[u][0]) continue;
        for (int k = 0; k < user->n_in; k++) {
            const operand *o = &user->in[k];
            const node *from = at(m, o->node);
            bool again = ext[o->node][0] != 0;
            for (int d = 0; d < from->ndim; d++) {
                int size = o->at[d].axis < 0 ? 1 : (ext[u][o->at[d].axis] - 1) * o->at[d].factor + 1;
                if (again && (size != ext[o->node][d] || o->at[d].axis < 0 || o->at[d].offset)) size = from->shape[d];
                if (size > ext[o->node][d]) ext[o->node][d] = size;
            }
        }
    }
    memcpy(out, ext[which], sizeof ext[which]);
    for (int d = 0; d < t->ndim; d++)
        if (!out[d] || out[d] > t->shape[d]) out[d] = t->shape[d];
}

static int64_t count(int n, const int *extent) {
    int64_t elements = 1;
    for (int d = 0; d < n - 2; d++) elements *= extent[d];
    return elements;
}

static int64_t copies(maker *m, const node *t) { return t->group == ROOT ? 1 : group_of(m, t)->threads; }

/* ---- Marks ---------------------------------------------------------------------------------------------------------
 */

/* The first axis from which on the rest is one transfer: two distances between elements in DRAM. `part` is copied of
 * `whole`. */
static int first_of_copy(int ndim, const int *part, const int *whole) {
    int runs = 0, d = ndim - 3;
    int64_t stride = 1, begin = 1, extent = 1; /* of the axis; of the run being built */
    for (; d >= 0; d--) {
        if (part[d] > 1) {
            if (!runs && stride != 1) runs = 1; /* rows of one element */
            if (!runs || begin * extent != stride) {
                if (runs == 2) break;
                runs++;
                begin = stride;
                extent = part[d];
            } else {
                extent *= part[d];
            }
        }
        stride *= whole[d];
    }
    return d + 1;
}

/* The first axis from which on the elements lie without gaps in a buffer of `whole`. */
static int first_without_gaps(int ndim, const int *part, const int *whole) {
    int d = ndim - 3;
    while (d >= 0 && part[d] == whole[d]) d--;
    while (d > 0 && part[d - 1] == 1) d--;
    return d < 0 ? 0 : d;
}

static int deeper(const node *t, int d) {
    static const int further[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3};
    d += further[t->want[WANT_DEEP]];
    return d < t->ndim - 2 ? d : t->ndim - 2;
}

static void mark_store(maker *m, int i) {
    node *t = at(m, i);
    group *g = group_of(m, t);
    int part[MOST_DIMS], held[MOST_DIMS];
    for (int d = 0; d < t->ndim; d++) part[d] = nest_covered(&g->nest, d, g->outer - 1);
    const node *from = at(m, t->in[0].node);
    extents_at(m, t->in[0].node, from->group == i ? from->level : ROOT, held);
    int d = first_of_copy(t->ndim, part, t->shape), dense = first_without_gaps(t->ndim, part, held);
    d = deeper(t, d > dense ? d : dense);
    for (; d < t->ndim; d++) /* an axis whose loop stands outside is no part of the copy */
        for (int k = g->outer; k < g->nest.n; k++)
            if (g->nest.loops[k].axis == d) {
                say(t, "pragma %s dma_copy", g->nest.loops[k].name);
                return;
            }
}

static void mark_load(maker *m, int i, const int *part) {
    node *t = at(m, i);
    const node *from = at(m, t->in[0].node);
    bool padded = false;
    for (int d = 0; d < t->ndim; d++) padded = padded || t->before[d] || t->after[d];
    int d = first_of_copy(t->ndim, part, from->shape);
    if (padded && d < t->ndim - 4) d = t->ndim - 4;
    say(t, "pragma %d dma_copy", padded ? d : deeper(t, d));
}

static const char *scope_of(const node *t) {
    return t->kind != NODE_LOAD ? "acc" : t->type == ELEM_INP ? "inp" : t->type == ELEM_WGT ? "wgt" : "acc";
}

/* The only stage that needs a tensor, when that is an ALU stage with a loop of its own; -1: none such. */
static int split_user(maker *m, int i) {
    int user = -1;
    for (int u = i + 1; u < m->p->n; u++) {
        if (!uses(at(m, u), i)) continue;
        if (user >= 0 || !m->split[u].is || at(m, u)->n_in != 1) return -1;
        user = u;
    }
    if (user >= 0 && memcmp(at(m, user)->shape, at(m, i)->shape, sizeof at(m, i)->shape) != 0) return -1;
    for (int d = 0; user >= 0 && d < at(m, i)->ndim; d++)
        if (at(m, user)->in[0].at[d].axis != d) return -1;
    return user;
}

/* What a stage of the accumulator holds, where it is computed, and its scope. */
static void place_in_acc(maker *m, int i, int *part) {
    node *t = at(m, i);
    int user = t->want[WANT_WHERE] >= 10 && t->kind != NODE_REDUCE ? split_user(m, i) : -1;
    extents_at(m, i, t->level, part);
    say(t, "scope %s", scope_of(t));
    if (user >= 0) {
        memcpy(part, m->split[user].size, sizeof t->shape);
        say(t, "compute_at %s, far%d", at(m, user)->name, m->split[user].axis);
    } else if (t->group != ROOT) {
        const group *g = group_of(m, t);
        say(t, "compute_at %s, %s", g->nest.stage->name, g->nest.loops[t->level].name);
    }
    m->need.acc += count(t->ndim, part) * copies(m, t);
}

/* ---- Stages --------------------------------------------------------------------------------------------------------
 */

static void schedule_alu(maker *m, int i) {
    static const int splits[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2};
    node *t = at(m, i);
    int part[MOST_DIMS], d = splits[t->want[WANT_SPLIT]] - 1;
    place_in_acc(m, i, part);
    if (d < 0 || d >= t->ndim - 2) {
        say(t, "pragma 0 alu");
        return;
    }
    int factor = 1 + t->want[WANT_FACTOR] % part[d];
    if (t->want[WANT_OTHER] < 12)
        while (part[d] % factor) factor--;
    say(t, "split %d by %d -> far%d, near%d", d, factor, d, d);
    if (d) say(t, "reorder far1, 0");
    say(t, "pragma %s alu", d ? "0" : "near0");
    m->split[i].is = true;
    m->split[i].axis = d;
    memcpy(m->split[i].size, part, sizeof part);
    m->split[i].size[d] = factor;
}

static void schedule_acc_load(maker *m, int i) {
    int part[MOST_DIMS];
    place_in_acc(m, i, part);
    mark_load(m, i, part);
}

static int factor_of(const node *t, want w, int extent, bool exact) {
    int factor = 1 + t->want[w] % extent;
    if (exact)
        while (extent % factor) factor--;
    return factor;
}

static int find_loop(const nest *n, const char *name) {
    for (int i = 0; i < n->n; i++)
        if (!strcmp(n->loops[i].name, name)) return i;
    return -1;
}

/* Moves the named loops to the front, the last named innermost. */
static void to_front(nest *n, int count_of, const char *const *names) {
    int to = 0;
    for (int i = 0; i < count_of; i++) {
        int from = find_loop(n, names[i]);
        if (from >= 0 && from < n->n - 3) nest_move(n, from, to++);
    }
}

/* Two of three micro-ops in a row must not write the same accumulator: loops over the result go innermost. When there
 * are too few, the loop over a reduce axis that the loads must stand in; -1: no need. */
static int keep_apart(nest *n) {
    for (int run = 1, i = n->n - 4; i >= 0 && run < 3; i--) {
        if (n->loops[i].count == 1) continue;
        if (n->loops[i].axis >= n->stage->ndim) {
            int other = i - 1;
            while (other >= 0 && (n->loops[other].axis >= n->stage->ndim || n->loops[other].count == 1)) other--;
            if (other < 0) return i;
            nest_move(n, other, i);
        }
        run *= n->loops[i].count;
    }
    return -1;
}

/* Orders that programs use, and any. The element's own axes stay innermost. */
static void order_reduce(nest *n) {
    static const char *const orders[][8] = {
        {"ico", "0", "1", "2", "ici", "dy", "dx", "3"},    {"ico", "0", "dy", "dx", "ici", "1", "2", "3"},
        {"dy", "dx", "ico", "0", "1", "2", "ici", "3"},    {"0", "1", "2", "ico", "ici", "dy", "dx", "3"},
        {"ico", "dyo", "far", "0", "1", "2", "ici", "dy"},
    };
    static const int which[] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 4, 5, 5, 5, 5};
    const node *t = n->stage;
    int order = which[t->want[WANT_ORDER]];
    if (order < 5) {
        to_front(n, 8, orders[order]);
        if (order != 4) to_front(n, 2, (const char *const[]){"dyo", "far"});
        return;
    }
    for (int i = 0; i < n->n - 3; i++) /* by the bits of what was drawn */
        if (t->want[(i / 4) % WANT_COUNT] >> i % 4 & 1) nest_move(n, i, 0);
}

/* The loops of a matrix multiplication or convolution: reduce axes and perhaps one of its own are split. */
static void schedule_reduce(maker *m, int i) {
    node *t = at(m, i);
    nest *n = &m->reduces[m->n_reduces];
    m->reduce_of[i] = m->n_reduces++;
    *n = (nest){.stage = t};
    place_in_acc(m, i, n->extent);
    static const char *const numbers[] = {"0", "1", "2", "3"}, *const reduces[] = {"ic", "dy", "dx"};
    int own = t->ndim - 2, n_reduce = t->ndim == 6 ? 3 : 1;
    for (int d = 0; d < own; d++) nest_add(n, d, numbers[d]);
    for (int k = 0; k < n_reduce; k++) {
        n->extent[t->ndim + k] = t->extent[k];
        nest_add(n, t->ndim + k, reduces[k]);
    }
    bool exact = t->want[WANT_FAR] < 8 || t->want[WANT_DEEP] < 10;
    nest_split(n, own, factor_of(t, WANT_FACTOR, t->extent[0], exact), false, "ico", "ici");
    if (t->want[WANT_SPLIT] >= 12 && n_reduce == 3)
        nest_split(n, find_loop(n, "dy"), factor_of(t, WANT_OTHER, t->extent[1], exact), false, "dyo", "dyi");
    if (t->want[WANT_OTHER] >= 12) {
        int d = t->want[WANT_OTHER] % own;
        nest_split(n, find_loop(n, numbers[d]), factor_of(t, WANT_SPLIT, n->extent[d], exact), false, "far", "near");
    }
    for (int d = own; d < t->ndim; d++) {
        char name[16];
        snprintf(name, sizeof name, "%d", d);
        nest_add(n, d, name);
    }
    n->extent[t->ndim + n_reduce] = t->extent[3];
    nest_add(n, t->ndim + n_reduce, "ki");
    order_reduce(n);
    n->single = t->want[WANT_ORDER] < 15 ? keep_apart(n) : -1;
    nest_say_order(n);
    say(t, "tensorize %d gemm", own);
}

/* What a load for a REDUCE holds, when it is computed at loop `level` of its nest. */
static void reduce_operand(const nest *n, const node *t, bool is_data, int level, int *out) {
    const node *r = n->stage;
    int first = r->ndim;
    memcpy(out, t->shape, sizeof t->shape);
    out[0] = nest_covered(n, is_data ? 0 : 1, level);
    out[1] = nest_covered(n, first, level);
    for (int k = 0; k < r->ndim - 4; k++) {
        int window = nest_covered(n, first + 1 + k, level);
        out[2 + k] =
            is_data ? (nest_covered(n, 2 + k, level) - 1) * r->stride[k] + (window - 1) * r->dilation[k] + 1 : window;
    }
}

static int n_users(maker *m, int i) {
    int n = 0;
    for (int u = i + 1; u < m->p->n; u++) n += uses(at(m, u), i);
    return n;
}

/* Loads for the GEMM: at a loop of it, beside it, or by themselves. */
static void schedule_operand(maker *m, int i, int user) {
    node *t = at(m, i), *r = at(m, user);
    nest *n = &m->reduces[m->reduce_of[user]];
    bool is_data = r->in[0].node == i;
    int part[MOST_DIMS], level = find_loop(n, "ico");
    uint8_t where = t->want[WANT_WHERE];
    say(t, "scope %s", scope_of(t));
    if (n->single >= 0) where = 0;
    bool shared = n_users(m, i) > 1;
    bool apart = r->group == ROOT ? where >= 11 || shared : where >= 13 && group_of(m, r)->threads == 1;
    if (shared && t->group == ROOT) apart = true;
    if (apart) {
        memcpy(part, t->shape, sizeof part);
        t->group = ROOT;
    } else if (where >= 11 || shared) {
        const group *g = group_of(m, r);
        int least = t->level < r->level && shared ? t->level : r->level;
        reduce_operand(n, t, is_data, -1, part);
        say(t, "compute_at %s, %s", g->nest.stage->name, g->nest.loops[least].name);
    } else {
        if (where >= 8) level = t->want[WANT_FAR] % (n->n - 3);
        if (n->single >= 0) level = n->single;
        reduce_operand(n, t, is_data, level, part);
        say(t, "compute_at %s, %s", r->name, n->loops[level].name);
    }
    int64_t elements = 1;
    for (int d = 0; d < t->ndim - 2; d++) elements *= part[d];
    *(is_data ? &m->need.inp : &m->need.wgt) += elements * (apart ? 1 : copies(m, r));
    mark_load(m, i, part);
}

static int reduce_user(maker *m, int i) {
    for (int u = i + 1; u < m->p->n; u++)
        if (at(m, u)->kind == NODE_REDUCE && uses(at(m, u), i)) return u;
    return -1;
}

void schedule_choose(choices *c, program *p, footprint *out_need) {
    static maker m;
    m = (maker){.c = c, .p = p};
    for (int i = p->n; i-- > 0;)
        if (p->nodes[i].kind == NODE_STORE)
            p->nodes[i].group = i;
        else
            choose_group(&m, i);
    for (int i = 0; i < p->n; i++)
        if (p->nodes[i].used && p->nodes[i].kind == NODE_STORE) schedule_store(&m, i);
    for (int i = p->n; i-- > 0;)
        if (p->nodes[i].used && p->nodes[i].kind != NODE_STORE) choose_level(&m, i);
    for (int i = p->n; i-- > 0;) {
        const node *t = at(&m, i);
        if (!t->used) continue;
        int user = reduce_user(&m, i);
        if (t->kind == NODE_STORE) mark_store(&m, i);
        if (t->kind == NODE_ALU) schedule_alu(&m, i);
        if (t->kind == NODE_REDUCE) schedule_reduce(&m, i);
        if (t->kind == NODE_LOAD && user >= 0) schedule_operand(&m, i, user);
        if (t->kind == NODE_LOAD && user < 0) schedule_acc_load(&m, i);
    }
    *out_need = m.need;
}
