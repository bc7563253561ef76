#include "random/stages.h"

#include <stdio.h>
#include <string.h>

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
void schedule_reduce(maker *m, int i) {
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
    if (t->want[WANT_SPLIT] == 11 && n_reduce == 3)
        nest_split(n, find_loop(n, "dx"), factor_of(t, WANT_OTHER, t->extent[2], exact), false, "dxo", "dxi");
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

/* Groups that so many channels of the result, one after the other, belong to at most. */
static int groups_covered(const node *r, int channels) {
    int each = r->shape[1] / r->groups, most = each % channels ? (channels + each - 2) / each + 1 : 1;
    if (channels % each == 0) most = channels / each;
    return most < r->groups ? most : r->groups;
}

/* What a load for a REDUCE holds, when it is computed at loop `level` of its nest. */
static void reduce_operand(const nest *n, const node *t, bool is_data, int level, int *out) {
    const node *r = n->stage;
    int first = r->ndim;
    memcpy(out, t->shape, sizeof t->shape);
    out[0] = nest_covered(n, is_data ? 0 : 1, level);
    out[1] = nest_covered(n, first, level);
    if (is_data) out[1] += (groups_covered(r, nest_covered(n, 1, level)) - 1) * r->extent[0];
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
void schedule_operand(maker *m, int i, int user) {
    node *t = at(m, i), *r = at(m, user);
    nest *n = &m->reduces[m->reduce_of[user]];
    bool is_data = r->in[0].node == i;
    int part[MAX_DIMS], level = find_loop(n, "ico"), least = r->level;
    uint8_t where = t->want[WANT_WHERE];
    say(t, "scope %s", scope_of(t));
    if (n->single >= 0) where = 0;
    bool shared = n_users(m, i) > 1;
    bool apart = r->group == ROOT ? where >= 11 || shared : where >= 13;
    if (shared && t->group == ROOT) apart = true;
    if (apart) {
        memcpy(part, t->shape, sizeof part);
        t->group = ROOT;
    } else if (where >= 11 || shared) {
        const group *g = group_of(m, r);
        if (t->level < r->level && shared) least = t->level;
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
    *(is_data ? &m->need.inp : &m->need.wgt) += elements * (apart ? 1 : copies(m, r, least));
    mark_load(m, i, part);
}
