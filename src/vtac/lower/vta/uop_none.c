/* Kernels under conditions: may one be left without any micro-op? */
#include "lower/vta/uop_nest.h"

enum { MAX_STEPS = 1 << 16 };

typedef struct search {
    vt_known known;
    uint32_t steps;
    bool unknown;
} search;

static bool has_uop(search *st, const vt_stmt *s);

static bool loop_has_uop(search *st, const vt_stmt *s) {
    int64_t min, extent;
    uint32_t at = st->known.n;
    if (at == VT_KNOWN || !vt__exact_value(&st->known, s->u.loop.min, &min) ||
        !vt__exact_value(&st->known, s->u.loop.extent, &extent)) {
        st->unknown = true;
        return true;
    }
    bool found = false;
    st->known.vars[at] = s->u.loop.var;
    st->known.n++;
    for (int64_t i = 0; i < extent && !found; i++) {
        st->known.values[at] = min + i;
        found = has_uop(st, s->u.loop.body);
    }
    st->known.n = at;
    return found;
}

static bool branch_has_uop(search *st, const vt_stmt *s) {
    int64_t condition;
    if (!vt__exact_value(&st->known, s->u.branch.condition, &condition)) {
        st->unknown = true;
        return true;
    }
    if (condition) return has_uop(st, s->u.branch.then_case);
    return s->u.branch.else_case && has_uop(st, s->u.branch.else_case);
}

static bool has_uop(search *st, const vt_stmt *s) {
    if (++st->steps > MAX_STEPS) st->unknown = true;
    if (st->unknown || vt__is_uop_push(s)) return true;
    if (s->kind == VT_S_FOR) return loop_has_uop(st, s);
    if (s->kind == VT_S_IF) return branch_has_uop(st, s);
    for (uint32_t i = 0; s->kind == VT_S_SEQ && i < s->u.seq.n_items; i++)
        if (has_uop(st, s->u.seq.items[i])) return true;
    return false;
}

static bool is_branch(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= s->kind == VT_S_IF;
    return !*found;
}

/* Values of the loops around one after another, the first fastest; false when all have been. */
static bool advance(vt_known *known, const struct vt_around_loop *const *loops, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (++known->values[i] < loops[i]->min + loops[i]->extent) return true;
        known->values[i] = loops[i]->min;
    }
    return false;
}

bool vt__uops_may_be_none(vt_ctx *ctx, const vt_around *around, const vt_stmt *body) {
    search st = {.known = {.n = 0}};
    const struct vt_around_loop *loops[VT_KNOWN];
    bool conditional = false;
    uint32_t n;
    vt_stmt_walk(body, NULL, is_branch, &conditional);
    if (!conditional) return false;
    const vt_var *const *vars = vt_stmt_free_vars(ctx, body, &n);
    for (uint32_t i = 0; i < n; i++) {
        const struct vt_around_loop *loop = vt__around_find(around, vars[i]);
        if (!loop) continue;
        if (st.known.n == VT_KNOWN) return true;
        loops[st.known.n] = loop;
        st.known.vars[st.known.n] = loop->var;
        st.known.values[st.known.n++] = loop->min;
    }
    uint32_t outer = st.known.n;
    do
        if (!has_uop(&st, body)) return true;
    while (!st.unknown && advance(&st.known, loops, outer));
    return st.unknown;
}
