#include "random/schedule.h"

#include <string.h>

#include "random/stages.h"

static void schedule_alu(maker *m, int i) {
    static const int splits[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2};
    node *t = at(m, i);
    int part[MAX_DIMS], d = splits[t->want[WANT_SPLIT]] - 1;
    place_in_acc(m, i, part);
    if (t->op == OP_COPY && t->want[WANT_DEEP] >= 14) { /* not computed after all */
        t->n_steps = 0;
        say(t, "inline");
        return;
    }
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
    m->own[i].is = true;
    m->own[i].axis = d;
    memcpy(m->own[i].size, part, sizeof part);
    m->own[i].size[d] = factor;
}

static void schedule_acc_load(maker *m, int i) {
    int part[MAX_DIMS];
    place_in_acc(m, i, part);
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
    for (int i = p->n; i-- > 0;) choose_group(&m, i);
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
