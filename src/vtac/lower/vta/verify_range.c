/* Paths: the loops, lets and conditions around a place, and cutting loops. */
#include "lower/vta/verify_form.h"

/* A number for the variable of a binder; none when there are too many, or its range is too large to count with. */
static void number(vt_path *p, vt_binder *b, int64_t lo, int64_t hi, uint64_t mask, const vt_expr *atom) {
    b->index = VT_FORM_VARS;
    if (p->now.vars == VT_FORM_VARS || lo < INT32_MIN || hi > INT32_MAX) return;
    b->index = p->now.vars++;
    p->lo[b->index] = lo;
    p->hi[b->index] = hi;
    p->mask[b->index] = mask;
    p->atom[b->index] = atom;
}

static void enter_loop(vt_path *p, vt_binder *b, uint32_t at) {
    vt_form min = vt__form_of(p, b->value), extent = vt__form_of(p, b->extent), last = vt__form_add(&min, &extent, 1);
    int64_t c, lo = vt__form_least(p, &min), hi = vt__form_max(p, &last) - 1;
    bool fixed = vt__form_is_const(p, &min, &c) && vt__form_is_const(p, &extent, &c);
    if (lo < b->cut_lo) lo = b->cut_lo;
    if (hi > b->cut_hi) hi = b->cut_hi;
    if (vt__form_max(p, &extent) < 1 || lo > hi) p->now.empty = true;
    if (!fixed) {
        p->now.certain = false;
        p->now.open |= vt__form_loops(p, &min) | vt__form_loops(p, &extent);
    }
    number(p, b, lo, lo > hi ? lo : hi, vt__bit_of(at), NULL);
}

static void enter_let(vt_path *p, vt_binder *b) {
    b->index = VT_FORM_VARS;
    b->form = vt__form_of(p, b->value);
    if (b->form.unknown || b->form.lo == b->form.hi) return;
    number(p, b, vt__form_least(p, &b->form), vt__form_max(p, &b->form), vt__form_loops(p, &b->form), b->value);
}

static void enter_if(vt_path *p, vt_binder *b) {
    uint64_t loops = 0;
    vt_truth t = vt__truth_of(p, b->value, &loops);
    if (t == (b->holds ? VT_BROKEN : VT_HOLDS)) p->now.empty = true;
    if (t != VT_OPEN) return;
    p->now.certain = false;
    p->now.open |= loops;
}

/* The binder p->binders[p->n]; it counts from then on. */
static void enter(vt_path *p) {
    vt_binder *b = &p->binders[p->n];
    b->before = p->now;
    if (b->kind == VT_BINDER_LOOP) enter_loop(p, b, p->n);
    if (b->kind == VT_BINDER_LET) enter_let(p, b);
    if (b->kind == VT_BINDER_IF) enter_if(p, b);
    p->n++;
}

/* Enters all binders from one on again. */
static void enter_from(vt_path *p, uint32_t binder) {
    uint32_t n = p->n;
    p->now = p->binders[binder].before;
    p->n = binder;
    while (p->n < n) enter(p);
}

void vt__path_begin(vt_path *p) {
    p->n = 0;
    p->overflow = false;
    p->let_count = 0;
    p->now = (vt_path_state){.certain = true};
}

static void push(vt_path *p, vt_binder b) {
    b.index = VT_FORM_VARS;
    b.cut_lo = -VT_FORM_MAX;
    b.cut_hi = VT_FORM_MAX;
    if (p->n >= VT_PATH_MAX) { /* its variable is unknown, its condition open */
        p->overflow = true;
        p->now.certain = false;
        p->n++;
        return;
    }
    vt_binder *to = &p->binders[p->n];
    to->kind = b.kind;
    to->holds = b.holds;
    to->var = b.var;
    to->value = b.value;
    to->extent = b.extent;
    to->index = b.index;
    to->cut_lo = b.cut_lo;
    to->cut_hi = b.cut_hi;
    enter(p);
}

void vt__path_loop(vt_path *p, const vt_var *var, const vt_expr *min, const vt_expr *extent) {
    push(p, (vt_binder){.kind = VT_BINDER_LOOP, .var = var, .value = min, .extent = extent});
}

void vt__path_let(vt_path *p, const vt_var *var, const vt_expr *value) {
    push(p, (vt_binder){.kind = VT_BINDER_LET, .var = var, .value = value});
}

void vt__path_if(vt_path *p, const vt_expr *condition, bool holds) {
    push(p, (vt_binder){.kind = VT_BINDER_IF, .value = condition, .holds = holds});
}

void vt__path_pop(vt_path *p) {
    p->n--;
    if (p->n < VT_PATH_MAX) p->now = p->binders[p->n].before;
}

void vt__path_cut(vt_path *p, uint32_t binder, int64_t lo, int64_t hi) {
    p->binders[binder].cut_lo = lo;
    p->binders[binder].cut_hi = hi;
    enter_from(p, binder);
}

void vt__path_whole(vt_path *p, uint32_t binder) { vt__path_cut(p, binder, -VT_FORM_MAX, VT_FORM_MAX); }

void vt__path_uncut(vt_path *p) {
    for (uint32_t i = 0; i < p->n && i < VT_PATH_MAX; i++)
        p->binders[i].cut_lo = -VT_FORM_MAX, p->binders[i].cut_hi = VT_FORM_MAX;
    if (p->n && p->n <= VT_PATH_MAX) enter_from(p, 0);
}

bool vt__path_range(const vt_path *p, uint32_t binder, int64_t *out_lo, int64_t *out_hi) {
    const vt_binder *b = &p->binders[binder];
    if (b->kind != VT_BINDER_LOOP || b->index == VT_FORM_VARS) return false;
    *out_lo = p->lo[b->index];
    *out_hi = p->hi[b->index];
    return true;
}
