/* The schedule of a random program of the host: loops split, fused and put into any order, marked, and stages computed
 * at any loop of the stage that reads them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "random/host.h"

enum { LOOPS = 16, MAX_LANES = 64, MAX_UNROLLED = 16 };

typedef struct loop {
    char name[16];
    bool of_reduce, marked, whole; /* whole: its extent is known where the stage is computed in part */
    int count;
} loop;

typedef struct stage {
    int n;
    loop loops[LOOPS];
    bool attached, placed; /* placed: where it is computed has been said */
} stage;

typedef struct maker {
    choices *c;
    host_program *p;
    stage stages[HOST_NODES];
    int names;
} maker;

static __attribute__((format(printf, 2, 3))) void say(host_node *t, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    if (t->n_steps == HOST_STEPS || vsnprintf(t->steps[t->n_steps++], HOST_STEP, fmt, args) >= HOST_STEP) abort();
    va_end(args);
}

static bool has_room(const host_node *t) { return t->n_steps < HOST_STEPS - 6; }

static void name_it(maker *m, loop *l) { snprintf(l->name, sizeof l->name, "v%d", m->names++); }

static void split(maker *m, host_node *t, stage *s, int at, int factor) {
    loop *l = &s->loops[at], inner = *l, outer = *l;
    name_it(m, &outer);
    name_it(m, &inner);
    inner.count = factor;
    inner.whole = true;
    outer.count = (l->count + factor - 1) / factor;
    say(t, "split %s by %d -> %s, %s", l->name, factor, outer.name, inner.name);
    memmove(l + 1, l, (size_t)(s->n++ - at) * sizeof *l);
    l[0] = outer;
    l[1] = inner;
}

static void choose_splits(maker *m, host_node *t, stage *s) {
    for (int i = 0; i < s->n && s->n < LOOPS - 2 && has_room(t); i++) {
        choices_unit(m->c);
        if (s->loops[i].count < 2 || !once_in(m->c, 3)) continue;
        int factor = pick_between(m->c, 2, s->loops[i].count < 16 ? s->loops[i].count : 16);
        if (often(m->c, 2, 3))
            while (s->loops[i].count % factor) factor--;
        split(m, t, s, i, factor);
    }
}

static void choose_fusion(maker *m, host_node *t, stage *s) {
    if (s->n < 2 || !once_in(m->c, 4)) return;
    int at = (int)pick(m->c, (uint32_t)s->n - 1);
    loop *a = &s->loops[at], *b = a + 1, both = *a;
    if (a->of_reduce != b->of_reduce) return;
    name_it(m, &both);
    both.count = a->count * b->count;
    both.whole = a->whole && b->whole;
    say(t, "fuse %s, %s -> %s", a->name, b->name, both.name);
    *a = both;
    memmove(b, b + 1, (size_t)(--s->n - at - 1) * sizeof *b);
}

static void choose_order(maker *m, host_node *t, stage *s) {
    char names[HOST_STEP] = "";
    if (s->n < 2 || !once_in(m->c, 2)) return;
    for (int i = s->n - 1; i > 0; i--) {
        int k = i - (int)pick(m->c, (uint32_t)i + 1);
        loop l = s->loops[i];
        s->loops[i] = s->loops[k];
        s->loops[k] = l;
    }
    for (int i = 0; i < s->n; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", s->loops[i].name);
    say(t, "reorder %s", names);
}

static void mark(maker *m, host_node *t, loop *l, const char *how) {
    if (l->marked || !has_room(t)) return;
    l->marked = true;
    say(t, "%s %s%s", how, l->name, strcmp(how, "bind") == 0 ? " cthread" : "");
    (void)m;
}

static void choose_marks(maker *m, host_node *t, stage *s) {
    for (int i = 0; i < s->n; i++) {
        loop *l = &s->loops[i];
        uint32_t how = pick(m->c, 12);
        bool known = l->whole || !s->attached;
        if (how >= 9 && !l->of_reduce && known && l->count <= MAX_LANES) mark(m, t, l, "vectorize");
        if (how == 8 && !l->of_reduce) mark(m, t, l, "parallel");
        if (how == 7 && known && l->count <= MAX_UNROLLED) mark(m, t, l, "unroll");
        if (how == 6 && !l->of_reduce && known && l->count <= 4 && l->count > 1 && once_in(m->c, 3))
            mark(m, t, l, "bind");
    }
}

/* The stage that alone reads a tensor; -1: there are several. */
static int reader(const host_program *p, int i) {
    int found = -1;
    for (int u = i + 1; u < p->n; u++) {
        if (!host_reads(p, u, i)) continue;
        if (found >= 0) return -1;
        found = u;
    }
    return found;
}

static void choose_place(maker *m, int i) {
    host_node *t = &m->p->nodes[i];
    int user = reader(m->p, i);
    uint32_t how = pick(m->c, 6);
    if (t->is_output || t->rfactor || m->stages[i].placed) return;
    if (how == 5 && t->kind == HOST_MAP) {
        bool read_by_chip = false;
        for (int u = i + 1; u < m->p->n; u++) read_by_chip |= m->p->nodes[u].chip && host_reads(m->p, u, i);
        if (!read_by_chip) {
            t->is_inline = true;
            say(t, "inline");
            return;
        }
    }
    if (how < 1 || user < 0) return;
    const host_node *by = &m->p->nodes[user];
    const stage *of = &m->stages[user];
    if (by->is_inline || by->rfactor || by->chip || !of->n) return;
    say(t, "compute_at %s, %s", by->name, of->loops[pick(m->c, (uint32_t)of->n)].name);
    m->stages[i].attached = true;
    if (once_in(m->c, 8)) say(t, "scope local");
}

static void schedule_host(maker *m, int i) {
    static const char *const names = "0123456789";
    host_node *t = &m->p->nodes[i];
    stage *s = &m->stages[i];
    if (host_is_reduce(t) && !s->placed && t->extent[t->ndim] > 1 && once_in(m->c, 5)) {
        t->rfactor = pick_between(m->c, 2, t->extent[t->ndim]);
        t->rfactor_at = (int)pick(m->c, (uint32_t)t->ndim + 1);
        return;
    }
    choose_place(m, i);
    if (t->is_inline) return;
    for (int a = 0; a < t->ndim + t->n_reduce; a++)
        s->loops[s->n++] = (loop){.name = {names[a]}, .of_reduce = a >= t->ndim, .count = t->extent[a]};
    choose_splits(m, t, s);
    choices_unit(m->c);
    choose_fusion(m, t, s);
    choose_order(m, t, s);
    choose_marks(m, t, s);
}

/* At a loop of the host's stage that alone reads it: the chip runs once for each of its steps. */
static void choose_host_loop(maker *m, int i) {
    int user = reader(m->p, i);
    if (user < 0 || m->p->nodes[i].is_output || !once_in(m->c, 4)) return;
    const host_node *by = &m->p->nodes[user];
    const stage *of = &m->stages[user];
    if (by->chip || by->is_inline || by->rfactor || !of->n) return;
    say(&m->p->nodes[i], "compute_at %s, %s", by->name, of->loops[pick(m->c, (uint32_t)of->n)].name);
}

/* What the host computes for a copy to the chip, tile by tile. */
static void choose_source_in_tile(maker *m, int load, const char *store) {
    for (int i = 0; i < load; i++) {
        host_node *t = &m->p->nodes[i];
        if (!host_reads(m->p, load, i) || t->kind == HOST_INPUT || t->is_output || t->chip) continue;
        if (reader(m->p, i) != load || !once_in(m->c, 12)) continue;
        say(t, "%ccompute_at %s, out", HOST_CHIP_ONLY, store);
        m->stages[i].placed = m->stages[i].attached = true;
    }
}

/* A result of the chip in tiles, and what it is made of in the same tiles or by itself. */
static void schedule_store(maker *m, int i) {
    host_node *t = &m->p->nodes[i];
    int factor = pick_between(m->c, 1, t->extent[0]), first = i;
    while (m->p->nodes[first - 1].chip == CHIP_LOAD || m->p->nodes[first - 1].chip == CHIP_ALU) first--;
    while (t->extent[0] % factor) factor--;
    choose_host_loop(m, i);
    bool tiles = once_in(m->c, 2), thread = tiles && t->extent[0] / factor == 2 && once_in(m->c, 2);
    if (tiles) {
        say(t, "split 0 by %d -> out, in", factor);
        if (thread) say(t, "bind out cthread");
    }
    say(t, "pragma %s dma_copy", tiles ? "in" : "0");
    for (int k = first; k < i; k++) {
        host_node *u = &m->p->nodes[k];
        if (!u->used) continue;
        say(u, "scope acc");
        if (tiles) say(u, "compute_at %s, out", t->name);
        say(u, "pragma 0 %s", u->chip == CHIP_LOAD ? "dma_copy" : "alu");
        if (tiles && u->chip == CHIP_LOAD) choose_source_in_tile(m, k, t->name);
    }
}

void host_schedule(choices *c, host_program *p) {
    static maker m;
    m = (maker){.c = c, .p = p};
    for (int i = p->n; i-- > 0;) {
        host_node *t = &p->nodes[i];
        if (!t->used || t->kind == HOST_INPUT) continue;
        choices_unit(c);
        if (t->chip == CHIP_STORE) schedule_store(&m, i);
        if (t->chip == CHIP_NONE) schedule_host(&m, i);
    }
}
