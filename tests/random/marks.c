#include "random/stages.h"

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

static int deeper(const node *t, int d) {
    static const int further[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3};
    d += further[t->want[WANT_DEEP]];
    return d < t->ndim - 2 ? d : t->ndim - 2;
}

/* The loops from `first` on are one copy: of some, the two outermost are the other way round. */
static void mark_copy(node *t, const nest *n, int first) {
    const loop *l = &n->loops[first];
    bool exchanged = t->want[WANT_ORDER] >= 12 && first + 1 < n->n - 2;
    if (exchanged) say(t, "reorder %s, %s", l[1].name, l[0].name);
    say(t, "pragma %s dma_copy", l[exchanged].name);
}

void mark_store(maker *m, int i) {
    node *t = at(m, i);
    group *g = group_of(m, t);
    int part[MAX_DIMS];
    for (int d = 0; d < t->ndim; d++) part[d] = nest_covered(&g->nest, d, g->outer - 1);
    int d = deeper(t, first_of_copy(t->ndim, part, t->shape));
    for (; d < t->ndim; d++) /* an axis whose loop stands outside is not part of the copy */
        for (int k = g->outer; k < g->nest.n; k++)
            if (g->nest.loops[k].axis == d) {
                mark_copy(t, &g->nest, k);
                return;
            }
}

void mark_load(maker *m, int i, const int *part) {
    node *t = at(m, i);
    const node *from = at(m, t->in[0].node);
    bool padded = false;
    for (int d = 0; d < t->ndim; d++) padded = padded || t->before[d] || t->after[d];
    int d = first_of_copy(t->ndim, part, from->shape);
    if (padded && d < t->ndim - 4) d = t->ndim - 4;
    if (!padded) d = deeper(t, d);
    if (t->want[WANT_SPLIT] < 13 || d >= t->ndim - 2 || part[d] < 2) {
        say(t, "pragma %d dma_copy", d);
        return;
    }
    int factor = 1 + t->want[WANT_FACTOR] % part[d]; /* several transfers of parts */
    say(t, "split %d by %d -> far%d, near%d", d, factor, d, d);
    say(t, "pragma near%d dma_copy", d);
}
