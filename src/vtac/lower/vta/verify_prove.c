/* Proofs by cases: what holds in all iterations of a path. */
#include "lower/vta/verify_form.h"

/* A maximum is no smaller than either of its operands: with those in place of atoms that stand for one, a sum that
 * grows with the atom becomes no larger. Is it still not negative? What padding makes is, without looking at cases. */
static bool holds_below(vt_path *p, const vt_form *value) {
    vt_form f = *value;
    if (f.unknown) return false;
    for (uint32_t i = 0; i < f.n; i++) {
        int64_t factor = f.k[i];
        if (factor <= 0 || !p->atom[i] || p->atom[i]->kind != VT_E_MAX) continue;
        vt_form x = vt__form_of(p, p->atom[i]->a[0]), y = vt__form_of(p, p->atom[i]->a[1]);
        f.k[i] = 0;
        x = vt__form_add(&f, &x, factor);
        y = vt__form_add(&f, &y, factor);
        f = vt__form_least(p, &x) > vt__form_least(p, &y) ? x : y;
    }
    return !f.unknown && vt__form_least(p, &f) >= 0;
}

void vt__demand(vt_path *p, vt_demands *out, const vt_form *value, const vt_form *when, const void *tag) {
    if (!value->unknown && vt__form_least(p, value) >= 0) return;
    if (holds_below(p, value) || out->n == VT_DEMANDS_MAX) return;
    vt_demand *d = &out->items[out->n++];
    d->value = *value;
    d->when = when ? *when : vt__form_const(1);
    d->tag = tag;
}

void vt__demand_between(vt_path *p, vt_demands *out, const vt_form *value, int64_t least, int64_t most,
                        const void *below, const void *above) {
    vt_form limit;
    if (value->unknown || vt__form_least(p, value) < least) {
        limit = vt__form_const(least);
        limit = vt__form_add(value, &limit, -1);
        vt__demand(p, out, &limit, NULL, below);
    }
    if (value->unknown || vt__form_max(p, value) > most) {
        limit = vt__form_const(most);
        limit = vt__form_add(&limit, value, -1);
        vt__demand(p, out, &limit, NULL, above);
    }
}

typedef struct proof {
    void (*make)(void *user, vt_path *p, vt_demands *out);
    void *user;
    const void *tag;
    uint32_t left; /* cases that may still be looked at */
    vt_demands demands;
} proof;

/* Loops whose cutting would decide something: first those that make a value bend, then those that it grows with. */
typedef struct candidates {
    uint64_t bends, grows;
} candidates;

static void add_candidates(const vt_path *p, const vt_form *f, candidates *out) {
    out->bends |= f->bent;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->k[i]) *(p->atom[i] ? &out->bends : &out->grows) |= p->mask[i];
}

/* One demand in the path as it is cut. */
static vt_truth holds(const vt_path *p, const vt_demand *d, candidates *out) {
    uint64_t loops = 0;
    vt_truth t = vt__form_at_least_zero(p, &d->value, &loops);
    if (t == VT_HOLDS || vt__form_max(p, &d->when) < 1) return VT_HOLDS;
    bool surely = p->now.certain && vt__form_least(p, &d->when) >= 1;
    if (t == VT_BROKEN && surely) return VT_BROKEN;
    if (t == VT_OPEN) add_candidates(p, &d->value, out);
    if (!surely) add_candidates(p, &d->when, out);
    out->bends |= p->now.open;
    return VT_OPEN;
}

static vt_truth look(vt_path *p, proof *f, candidates *out) {
    vt_truth all = VT_HOLDS;
    if (p->now.empty) return VT_HOLDS;
    f->demands.n = 0;
    f->make(f->user, p, &f->demands);
    for (uint32_t i = 0; i < f->demands.n; i++) {
        vt_truth t = holds(p, &f->demands.items[i], out);
        if (t == VT_HOLDS) continue;
        f->tag = f->demands.items[i].tag;
        all = t;
        if (t == VT_BROKEN) return t;
    }
    return all;
}

/* The widest of the loops; false when all of them are single iterations. */
static bool widest(const vt_path *p, uint64_t loops, uint32_t *out_binder, int64_t *out_lo, int64_t *out_hi) {
    int64_t lo, hi, width = 0;
    for (uint32_t i = 0; i < p->n && i < VT_PATH_MAX; i++) {
        if (!(loops & vt__bit_of(i)) || !vt__path_range(p, i, &lo, &hi) || hi - lo <= width) continue;
        width = hi - lo;
        *out_binder = i;
        *out_lo = lo;
        *out_hi = hi;
    }
    return width > 0;
}

static vt_truth prove(vt_path *p, proof *f) {
    candidates loops = {0, 0};
    uint32_t binder = 0;
    int64_t lo = 0, hi = 0;
    vt_truth t = look(p, f, &loops);
    if (t != VT_OPEN) return t;
    bool found = widest(p, loops.bends, &binder, &lo, &hi) || widest(p, loops.grows, &binder, &lo, &hi);
    if (!f->left || !found) return VT_OPEN;
    f->left--;
    int64_t middle = lo + (hi - lo) / 2, was_lo = p->binders[binder].cut_lo, was_hi = p->binders[binder].cut_hi;
    vt__path_cut(p, binder, lo, middle);
    t = prove(p, f);
    if (t == VT_BROKEN) return t;
    vt__path_cut(p, binder, middle + 1, hi);
    vt_truth other = prove(p, f);
    if (other == VT_BROKEN) return other;
    vt__path_cut(p, binder, was_lo, was_hi);
    return t == VT_OPEN ? t : other;
}

vt_truth vt__prove(vt_path *p, void (*make)(void *user, vt_path *p, vt_demands *out), void *user,
                   const void **out_tag) {
    enum { CASES = 1000 };
    proof f;
    f.make = make;
    f.user = user;
    f.tag = NULL;
    f.left = CASES;
    vt_truth t = p->n > VT_PATH_MAX ? VT_OPEN : prove(p, &f);
    *out_tag = f.tag;
    return t;
}
