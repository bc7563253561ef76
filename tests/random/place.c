#include "random/stages.h"

#include <string.h>

group *group_of(maker *m, const node *t) {
    for (int i = 0; i < m->n_groups; i++)
        if (m->stores[i] == t->group) return &m->groups[i];
    return NULL;
}

bool uses(const node *user, int i) {
    return user->used && (user->in[0].node == i || (user->n_in == 2 && user->in[1].node == i));
}

/* How the elements along each axis are needed by the loops of a result, directly or through others. */
enum { NEED_ONE = 1, NEED_EACH = 2, NEED_STEPS = 4 };

static void add_needs(maker *m, int i, int user) {
    const node *u = at(m, user);
    for (int k = 0; k < u->n_in; k++)
        for (int d = 0; u->in[k].node == i && d < at(m, i)->ndim; d++) {
            const place *p = &u->in[k].at[d];
            m->needs[i][d] |= p->axis < 0 ? NEED_ONE : p->factor != 1 ? NEED_STEPS : m->needs[user][p->axis];
        }
}

/* Is one element of an axis needed at all steps of the axis, beside one for each? Then no tile has enough. */
static bool is_mixed(maker *m, int i) {
    const node *t = at(m, i);
    for (int d = 0; t->kind == NODE_STORE && d < t->ndim; d++) m->needs[i][d] = NEED_EACH;
    for (int u = i + 1; u < m->p->n; u++)
        if (uses(at(m, u), i) && at(m, u)->kind != NODE_REDUCE) add_needs(m, i, u);
    for (int d = 0; d < t->ndim; d++)
        if (t->shape[d] > 1 && m->needs[i][d] & (m->needs[i][d] - 1)) return true;
    return false;
}

/* The result that alone needs a tensor; ROOT when there are several, or when it cannot be computed in tiles. */
void choose_group(maker *m, int i) {
    node *t = at(m, i);
    bool any = false;
    for (int u = i + 1; u < m->p->n; u++) {
        if (!uses(at(m, u), i)) continue;
        if (!any) t->group = at(m, u)->group;
        if (t->group != at(m, u)->group) t->group = ROOT;
        any = true;
    }
    if (is_mixed(m, i)) t->group = ROOT;
    if (t->kind == NODE_STORE) t->group = i;
}

/* In the nest of its result, no further in than what needs it; or by itself. */
void choose_level(maker *m, int i) {
    static const int further[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, MAX_LOOPS};
    node *t = at(m, i);
    t->level = ROOT;
    if (t->group == ROOT) return;
    const group *g = group_of(m, t);
    int level = g->outer - 1;
    for (int u = i + 1; u < m->p->n; u++)
        if (uses(at(m, u), i) && at(m, u)->kind != NODE_STORE && at(m, u)->level < level) level = at(m, u)->level;
    int out = level - further[t->want[WANT_FAR]];
    bool around = t->want[WANT_OTHER] >= 11; /* the threads may share it */
    if (out < g->first_inside - 1 && !around) out = g->first_inside - 1;
    t->level = out < level ? out : level;
    if (g->fused && t->level == g->fused) t->level++;
    if (t->level < 0) t->group = ROOT;
}

/* Extents of a stage as they are computed at loop `level` of its result's nest. */
void extents_at(maker *m, int which, int level, int *out) {
    int ext[MAX_NODES][MAX_DIMS] = {{0}};
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

int64_t copies(maker *m, const node *t, int level) {
    int64_t n = 1;
    for (int i = 0; t->group != ROOT && i <= level; i++) {
        const loop *l = &group_of(m, t)->nest.loops[i];
        if (l->bound) n *= l->count;
    }
    return n;
}

const char *scope_of(const node *t) {
    return t->kind != NODE_LOAD ? "acc" : t->type == ELEM_INP ? "inp" : t->type == ELEM_WGT ? "wgt" : "acc";
}

/* The only stage that needs a tensor, when that is an ALU stage with a loop of its own; -1: none such. */
static int split_user(maker *m, int i) {
    int user = -1;
    for (int u = i + 1; u < m->p->n; u++) {
        if (!uses(at(m, u), i)) continue;
        if (user >= 0 || !m->own[u].is || at(m, u)->n_in != 1) return -1;
        user = u;
    }
    if (user >= 0 && memcmp(at(m, user)->shape, at(m, i)->shape, sizeof at(m, i)->shape) != 0) return -1;
    for (int d = 0; user >= 0 && d < at(m, i)->ndim; d++)
        if (at(m, user)->in[0].at[d].axis != d) return -1;
    return user;
}

/* What a stage of the accumulator holds, where it is computed, and its scope. */
void place_in_acc(maker *m, int i, int *part) {
    node *t = at(m, i);
    int user = t->want[WANT_WHERE] >= 10 && t->kind != NODE_REDUCE ? split_user(m, i) : -1;
    extents_at(m, i, t->level, part);
    say(t, "scope %s", scope_of(t));
    if (user >= 0) {
        memcpy(part, m->own[user].size, sizeof t->shape);
        say(t, "compute_at %s, far%d", at(m, user)->name, m->own[user].axis);
    } else if (t->group != ROOT) {
        const group *g = group_of(m, t);
        say(t, "compute_at %s, %s", g->nest.stage->name, g->nest.loops[t->level].name);
    }
    m->need.acc += count(t->ndim, part) * copies(m, t, t->level);
}
