#include "random/stages.h"

#include <stdio.h>
#include <string.h>

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
        choices_unit(m->c);
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

/* Virtual threads need loops: axes of tiles move outside as they are, until there are enough. */
static void make_outer(group *g, int n) {
    const node *t = g->nest.stage;
    for (int i = g->outer; i < g->nest.n && g->outer < n; i++)
        if (g->nest.loops[i].axis < t->ndim - 2 && g->nest.loops[i].count > 1 &&
            g->nest.loops[i].count == t->shape[g->nest.loops[i].axis])
            nest_move(&g->nest, i, g->outer++);
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
    if (from < g->outer && !once_in(m->c, 4))
        while (g->nest.loops[from].count % count) count--;
    bool front = !once_in(m->c, 6);
    if (from >= g->outer || count < 2 || g->nest.loops[from].count < 2 || g->nest.loops[from].bound) return;
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
    char name[16];
    memcpy(name, g->nest.loops[which].name, sizeof name);
    g->nest.loops[which].bound = true;
    if (front) nest_move(&g->nest, which, number);
    nest_say_order(&g->nest);
    say(g->nest.stage, "bind %s cthread", name);
    for (int i = 0; i < g->outer; i++)
        if (g->nest.loops[i].bound) g->first_inside = i + 1;
}

/* The two innermost outer loops become one, or the innermost is unrolled. */
static void choose_fusion(maker *m, group *g) {
    loop *l = g->nest.loops;
    uint32_t how = pick(m->c, 16);
    int last = g->outer - 1;
    if (how == 15 && g->outer > 2 && last - 1 >= g->first_inside) {
        say(g->nest.stage, "fuse %s, %s -> fused", l[last - 1].name, l[last].name);
        strcpy(l[last].name, "fused");
        g->fused = last - 1;
    }
    if (how == 13 && !l[g->nest.n - 3].bound) say(g->nest.stage, "unroll %s", l[g->nest.n - 3].name);
    if (how == 14 && last >= g->first_inside && last >= 0 && l[last].count <= 4)
        say(g->nest.stage, "unroll %s", l[last].name);
}

void schedule_store(maker *m, int i) {
    static const int threads[] = {0, 0, 1, 1, 2, 2};
    node *t = at(m, i);
    group *g = &m->groups[m->n_groups];
    m->stores[m->n_groups++] = i;
    *g = (group){.nest = {.stage = t}};
    memcpy(g->nest.extent, t->shape, sizeof t->shape);
    int n = threads[pick(m->c, 6)];
    choose_tiles(m, g);
    make_outer(g, n);
    shuffle_outer(m, g);
    if (g->outer) nest_say_order(&g->nest);
    choices_unit(m->c);
    for (int k = 0; k < n; k++) choose_thread(m, g, k);
    choose_fusion(m, g);
}
