/* Sums of variables with a rest in an interval: arithmetic, bounds. */
#include "lower/vta/verify_form.h"

static int64_t least_of(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most_of(int64_t x, int64_t y) { return x > y ? x : y; }

vt_form vt__form_const(int64_t c) {
    vt_form f;
    f.c = c;
    f.lo = f.hi = 0;
    f.n = 0;
    f.bent = 0;
    f.unknown = c > VT_FORM_MAX || c < -VT_FORM_MAX;
    return f;
}

vt_form vt__form_unknown(void) {
    vt_form f = vt__form_const(0);
    f.lo = -VT_FORM_MAX;
    f.hi = VT_FORM_MAX;
    f.unknown = true;
    return f;
}

vt_form vt__form_var(uint32_t index) {
    vt_form f = vt__form_const(0);
    for (uint32_t i = 0; i < index; i++) f.k[i] = 0;
    f.n = index + 1;
    f.k[index] = 1;
    return f;
}

static vt_form form_between(int64_t lo, int64_t hi, uint64_t bent, bool unknown) {
    vt_form f = vt__form_const(lo);
    f.hi = hi - lo;
    f.bent = lo == hi ? 0 : bent;
    f.unknown = unknown;
    return f;
}

static vt_form checked(vt_form f) {
    bool large = f.c > VT_FORM_MAX || f.c < -VT_FORM_MAX || f.lo < -VT_FORM_MAX || f.hi > VT_FORM_MAX;
    for (uint32_t i = 0; i < f.n; i++) large |= f.k[i] > VT_FORM_MAX || f.k[i] < -VT_FORM_MAX;
    return large ? vt__form_unknown() : f;
}

vt_form vt__form_scaled(const vt_form *x, int64_t factor) {
    if (x->unknown || factor > INT32_MAX || factor < INT32_MIN) return vt__form_unknown();
    vt_form f = *x;
    int64_t wide = 0; /* products stay below 2^48 * 2^31, which is too much: look first */
    for (uint32_t i = 0; i < f.n; i++) wide |= f.k[i] < 0 ? -f.k[i] : f.k[i];
    wide |= f.c < 0 ? -f.c : f.c;
    wide |= most_of(-f.lo, f.hi);
    if (wide > INT32_MAX && factor != 1 && factor != -1 && wide > VT_FORM_MAX / (factor < 0 ? -factor : factor))
        return vt__form_unknown();
    for (uint32_t i = 0; i < f.n; i++) f.k[i] *= factor;
    f.c *= factor;
    int64_t lo = f.lo * factor, hi = f.hi * factor;
    f.lo = least_of(lo, hi);
    f.hi = most_of(lo, hi);
    return checked(f);
}

/* x + y or x - y. */
static vt_form combined(const vt_form *x, const vt_form *y, bool minus) {
    if (x->unknown || y->unknown) return vt__form_unknown();
    int64_t sign = minus ? -1 : 1, largest = 0;
    uint32_t both = x->n < y->n ? x->n : y->n, i = 0;
    vt_form f;
    f.n = x->n > y->n ? x->n : y->n;
    for (; i < both; i++) f.k[i] = x->k[i] + sign * y->k[i];
    for (; i < x->n; i++) f.k[i] = x->k[i];
    for (; i < y->n; i++) f.k[i] = sign * y->k[i];
    for (i = 0; i < f.n; i++) largest |= f.k[i] < 0 ? -f.k[i] : f.k[i];
    f.c = x->c + sign * y->c;
    f.lo = x->lo + (minus ? -y->hi : y->lo);
    f.hi = x->hi + (minus ? -y->lo : y->hi);
    f.bent = x->bent | y->bent;
    f.unknown = false;
    return largest > VT_FORM_MAX || f.c > VT_FORM_MAX || f.c < -VT_FORM_MAX || f.lo < -VT_FORM_MAX || f.hi > VT_FORM_MAX
               ? vt__form_unknown()
               : f;
}

vt_form vt__form_add(const vt_form *x, const vt_form *y, int64_t factor) {
    if (factor == 1 || factor == -1) return combined(x, y, factor < 0);
    vt_form other = vt__form_scaled(y, factor);
    return combined(x, &other, false);
}

int64_t vt__form_least(const vt_path *p, const vt_form *f) {
    int64_t sum = f->c + f->lo;
    if (f->unknown) return -VT_FORM_MAX;
    for (uint32_t i = 0; i < f->n; i++) sum += f->k[i] * (f->k[i] < 0 ? p->hi[i] : p->lo[i]);
    return sum;
}

int64_t vt__form_max(const vt_path *p, const vt_form *f) {
    int64_t sum = f->c + f->hi;
    if (f->unknown) return VT_FORM_MAX;
    for (uint32_t i = 0; i < f->n; i++) sum += f->k[i] * (f->k[i] < 0 ? p->lo[i] : p->hi[i]);
    return sum;
}

bool vt__form_is_const(const vt_path *p, const vt_form *f, int64_t *out_value) {
    *out_value = vt__form_least(p, f);
    return !f->unknown && *out_value == vt__form_max(p, f);
}

uint64_t vt__form_loops(const vt_path *p, const vt_form *f) {
    uint64_t mask = f->bent;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->k[i]) mask |= p->mask[i];
    return mask;
}

vt_form vt__form_flattened(const vt_path *p, const vt_form *x, const vt_form *y, int64_t lo, int64_t hi) {
    uint64_t loops = vt__form_loops(p, x) | (y ? vt__form_loops(p, y) : 0);
    bool unknown = x->unknown || (y && y->unknown);
    return unknown ? vt__form_unknown() : form_between(lo, hi, loops, false);
}

vt_form vt__form_mul(const vt_path *p, const vt_form *x, const vt_form *y) {
    int64_t c;
    if (vt__form_is_const(p, y, &c)) return vt__form_scaled(x, c);
    if (vt__form_is_const(p, x, &c)) return vt__form_scaled(y, c);
    if (x->unknown || y->unknown) return vt__form_unknown();
    int64_t x0 = vt__form_least(p, x), x1 = vt__form_max(p, x), y0 = vt__form_least(p, y), y1 = vt__form_max(p, y);
    if (most_of(-x0, x1) > INT32_MAX / 2 || most_of(-y0, y1) > INT16_MAX) return vt__form_unknown();
    int64_t lo = least_of(least_of(x0 * y0, x0 * y1), least_of(x1 * y0, x1 * y1));
    int64_t hi = most_of(most_of(x0 * y0, x0 * y1), most_of(x1 * y0, x1 * y1));
    return vt__form_flattened(p, x, y, lo, hi);
}

static int64_t floor_of(int64_t x, int64_t d) { return x / d - (x % d < 0); }

/* x = d * (the terms that d divides) + rest: where the rest has one quotient, so has x. */
static bool divide(const vt_path *p, const vt_form *x, int64_t d, vt_form *out_quotient) {
    vt_form whole = *x, rest = *x;
    for (uint32_t i = 0; i < x->n; i++) {
        bool divides = x->k[i] % d == 0;
        whole.k[i] = divides ? x->k[i] / d : 0;
        rest.k[i] = divides ? 0 : x->k[i];
    }
    whole.lo = whole.hi = 0;
    whole.bent = 0;
    int64_t least = floor_of(vt__form_least(p, &rest), d), most = floor_of(vt__form_max(p, &rest), d);
    whole.c = least;
    whole.hi = most - least;
    if (least != most) whole.bent = vt__form_loops(p, &rest);
    *out_quotient = whole;
    return least == most;
}

vt_form vt__form_floor_div(const vt_path *p, const vt_form *x, int64_t d) {
    vt_form quotient;
    if (x->unknown) return vt__form_unknown();
    (void)divide(p, x, d, &quotient);
    return quotient;
}

vt_form vt__form_floor_mod(const vt_path *p, const vt_form *x, int64_t d) {
    vt_form quotient;
    if (x->unknown) return vt__form_unknown();
    if (divide(p, x, d, &quotient)) return vt__form_add(x, &quotient, -d);
    return vt__form_flattened(p, x, NULL, 0, d - 1);
}

vt_form vt__form_either(const vt_path *p, const vt_form *x, const vt_form *y) {
    return vt__form_flattened(p, x, y, least_of(vt__form_least(p, x), vt__form_least(p, y)),
                              most_of(vt__form_max(p, x), vt__form_max(p, y)));
}

vt_form vt__form_smaller(const vt_path *p, const vt_form *x, const vt_form *y) {
    vt_form d = vt__form_add(x, y, -1);
    if (d.unknown) return vt__form_unknown();
    if (vt__form_max(p, &d) <= 0) return *x;
    if (vt__form_least(p, &d) >= 0) return *y;
    return vt__form_flattened(p, x, y, least_of(vt__form_least(p, x), vt__form_least(p, y)),
                              least_of(vt__form_max(p, x), vt__form_max(p, y)));
}

vt_form vt__form_larger(const vt_path *p, const vt_form *x, const vt_form *y) {
    vt_form d = vt__form_add(x, y, -1);
    if (d.unknown) return vt__form_unknown();
    if (vt__form_max(p, &d) <= 0) return *y;
    if (vt__form_least(p, &d) >= 0) return *x;
    return vt__form_flattened(p, x, y, most_of(vt__form_least(p, x), vt__form_least(p, y)),
                              most_of(vt__form_max(p, x), vt__form_max(p, y)));
}

vt_truth vt__form_at_least_zero(const vt_path *p, const vt_form *d, uint64_t *loops) {
    if (d->unknown) return VT_OPEN;
    if (vt__form_least(p, d) >= 0) return VT_HOLDS;
    if (vt__form_max(p, d) < 0) return VT_BROKEN;
    *loops |= vt__form_loops(p, d);
    return VT_OPEN;
}
