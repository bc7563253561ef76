#include "target/vta/verify_range.h"

#include <string.h>

/* Numbers beyond this are taken for unknown: sums of them cannot overflow. */
static const int64_t MOST = (int64_t)1 << 48;

static int64_t least_of(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most_of(int64_t x, int64_t y) { return x > y ? x : y; }

/* ---- Forms ------------------------------------------------------------------------------------------------- */

vt_form vt__form_const(int64_t c) {
    vt_form f;
    f.c = c;
    f.lo = f.hi = 0;
    f.n = 0;
    f.bent = 0;
    f.unknown = c > MOST || c < -MOST;
    return f;
}

static vt_form form_unknown(void) {
    vt_form f = vt__form_const(0);
    f.lo = -MOST;
    f.hi = MOST;
    f.unknown = true;
    return f;
}

static vt_form form_var(uint32_t index) {
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
    bool large = f.c > MOST || f.c < -MOST || f.lo < -MOST || f.hi > MOST;
    for (uint32_t i = 0; i < f.n; i++) large |= f.k[i] > MOST || f.k[i] < -MOST;
    return large ? form_unknown() : f;
}

static vt_form scaled(const vt_form *x, int64_t factor) {
    if (x->unknown || factor > INT32_MAX || factor < INT32_MIN) return form_unknown();
    vt_form f = *x;
    int64_t wide = 0; /* products stay below 2^48 * 2^31, which is too much: look first */
    for (uint32_t i = 0; i < f.n; i++) wide |= f.k[i] < 0 ? -f.k[i] : f.k[i];
    wide |= f.c < 0 ? -f.c : f.c;
    wide |= most_of(-f.lo, f.hi);
    if (wide > INT32_MAX && factor != 1 && factor != -1 && wide > MOST / (factor < 0 ? -factor : factor))
        return form_unknown();
    for (uint32_t i = 0; i < f.n; i++) f.k[i] *= factor;
    f.c *= factor;
    int64_t lo = f.lo * factor, hi = f.hi * factor;
    f.lo = least_of(lo, hi);
    f.hi = most_of(lo, hi);
    return checked(f);
}

/* x + y or x - y. */
static vt_form combined(const vt_form *x, const vt_form *y, bool minus) {
    if (x->unknown || y->unknown) return form_unknown();
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
    return largest > MOST || f.c > MOST || f.c < -MOST || f.lo < -MOST || f.hi > MOST ? form_unknown() : f;
}

vt_form vt__form_add(const vt_form *x, const vt_form *y, int64_t factor) {
    if (factor == 1 || factor == -1) return combined(x, y, factor < 0);
    vt_form other = scaled(y, factor);
    return combined(x, &other, false);
}

int64_t vt__form_least(const vt_path *p, const vt_form *f) {
    int64_t sum = f->c + f->lo;
    if (f->unknown) return -MOST;
    for (uint32_t i = 0; i < f->n; i++) sum += f->k[i] * (f->k[i] < 0 ? p->hi[i] : p->lo[i]);
    return sum;
}

int64_t vt__form_most(const vt_path *p, const vt_form *f) {
    int64_t sum = f->c + f->hi;
    if (f->unknown) return MOST;
    for (uint32_t i = 0; i < f->n; i++) sum += f->k[i] * (f->k[i] < 0 ? p->lo[i] : p->hi[i]);
    return sum;
}

bool vt__form_is_const(const vt_path *p, const vt_form *f, int64_t *out_value) {
    *out_value = vt__form_least(p, f);
    return !f->unknown && *out_value == vt__form_most(p, f);
}

/* The loops on which the form's value depends. */
static uint64_t loops_of(const vt_path *p, const vt_form *f) {
    uint64_t mask = f->bent;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->k[i]) mask |= p->mask[i];
    return mask;
}

/* All that is known when the form of a value is given up. */
static vt_form flattened(const vt_path *p, const vt_form *x, const vt_form *y, int64_t lo, int64_t hi) {
    uint64_t loops = loops_of(p, x) | (y ? loops_of(p, y) : 0);
    bool unknown = x->unknown || (y && y->unknown);
    return unknown ? form_unknown() : form_between(lo, hi, loops, false);
}

vt_form vt__form_mul(const vt_path *p, const vt_form *x, const vt_form *y) {
    int64_t c;
    if (vt__form_is_const(p, y, &c)) return scaled(x, c);
    if (vt__form_is_const(p, x, &c)) return scaled(y, c);
    if (x->unknown || y->unknown) return form_unknown();
    int64_t x0 = vt__form_least(p, x), x1 = vt__form_most(p, x), y0 = vt__form_least(p, y), y1 = vt__form_most(p, y);
    if (most_of(-x0, x1) > INT32_MAX / 2 || most_of(-y0, y1) > INT16_MAX) return form_unknown();
    int64_t lo = least_of(least_of(x0 * y0, x0 * y1), least_of(x1 * y0, x1 * y1));
    int64_t hi = most_of(most_of(x0 * y0, x0 * y1), most_of(x1 * y0, x1 * y1));
    return flattened(p, x, y, lo, hi);
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
    int64_t least = floor_of(vt__form_least(p, &rest), d), most = floor_of(vt__form_most(p, &rest), d);
    whole.c = least;
    whole.hi = most - least;
    if (least != most) whole.bent = loops_of(p, &rest);
    *out_quotient = whole;
    return least == most;
}

static vt_form floor_div(const vt_path *p, const vt_form *x, int64_t d) {
    vt_form quotient;
    if (x->unknown) return form_unknown();
    (void)divide(p, x, d, &quotient);
    return quotient;
}

static vt_form floor_mod(const vt_path *p, const vt_form *x, int64_t d) {
    vt_form quotient;
    if (x->unknown) return form_unknown();
    if (divide(p, x, d, &quotient)) return vt__form_add(x, &quotient, -d);
    return flattened(p, x, NULL, 0, d - 1);
}

static vt_form either(const vt_path *p, const vt_form *x, const vt_form *y) {
    return flattened(p, x, y, least_of(vt__form_least(p, x), vt__form_least(p, y)),
                     most_of(vt__form_most(p, x), vt__form_most(p, y)));
}

static vt_form smaller(const vt_path *p, const vt_form *x, const vt_form *y) {
    vt_form d = vt__form_add(x, y, -1);
    if (d.unknown) return form_unknown();
    if (vt__form_most(p, &d) <= 0) return *x;
    if (vt__form_least(p, &d) >= 0) return *y;
    return flattened(p, x, y, least_of(vt__form_least(p, x), vt__form_least(p, y)),
                     least_of(vt__form_most(p, x), vt__form_most(p, y)));
}

static vt_form larger(const vt_path *p, const vt_form *x, const vt_form *y) {
    vt_form d = vt__form_add(x, y, -1);
    if (d.unknown) return form_unknown();
    if (vt__form_most(p, &d) <= 0) return *y;
    if (vt__form_least(p, &d) >= 0) return *x;
    return flattened(p, x, y, most_of(vt__form_least(p, x), vt__form_least(p, y)),
                     most_of(vt__form_most(p, x), vt__form_most(p, y)));
}

/* ---- Expressions ------------------------------------------------------------------------------------------- */

static vt_truth truth_of(vt_path *p, const vt_expr *e, uint64_t *loops);

static vt_form of_var(const vt_path *p, const vt_expr *e) {
    for (uint32_t i = p->let_count; i-- > 0;)
        if (p->let_vars[i] == e) return p->let_forms[i];
    for (uint32_t i = p->n < VT_PATH_MOST ? p->n : VT_PATH_MOST; i-- > 0;) {
        const vt_binder *b = &p->binders[i];
        if (b->kind == VT_BINDER_IF || b->var != e) continue;
        if (b->index < VT_FORM_VARS) return form_var(b->index);
        return b->kind == VT_BINDER_LET ? b->form : form_unknown();
    }
    return form_unknown();
}

/* A let inside of an expression; false when there are too many. */
static bool begin_let(vt_path *p, const vt_expr *e) {
    if (p->let_count == VT_LETS_MOST) return false;
    vt_form value = vt__form_of(p, e->a[0]);
    p->let_vars[p->let_count] = e->u.let_var;
    p->let_forms[p->let_count++] = value;
    return true;
}

static vt_form of_let(vt_path *p, const vt_expr *e) {
    if (!begin_let(p, e)) return form_unknown();
    vt_form f = vt__form_of(p, e->a[1]);
    p->let_count--;
    return f;
}

static vt_form chosen(vt_path *p, const vt_expr *condition, const vt_expr *yes, const vt_expr *no) {
    uint64_t loops = 0;
    vt_truth t = truth_of(p, condition, &loops);
    if (t != VT_OPEN) return vt__form_of(p, t == VT_HOLDS ? yes : no);
    vt_form x = vt__form_of(p, yes), y = vt__form_of(p, no), f = either(p, &x, &y);
    f.bent |= loops;
    return f;
}

static vt_form of_call(vt_path *p, const vt_expr *e) {
    int64_t c;
    if (e->u.op == VT_OP_LIKELY) return vt__form_of(p, e->a[0]);
    if (e->u.op == VT_OP_IF_THEN_ELSE) return chosen(p, e->a[0], e->a[1], e->a[2]);
    if (e->n != 2) return form_unknown();
    vt_form x = vt__form_of(p, e->a[0]), y = vt__form_of(p, e->a[1]);
    if (!vt__form_is_const(p, &y, &c)) return form_unknown();
    if (e->u.op == VT_OP_SHIFT_LEFT && c >= 0 && c < 31) return scaled(&x, (int64_t)1 << c);
    if (e->u.op == VT_OP_SHIFT_RIGHT && c >= 0 && c < 31) return floor_div(p, &x, (int64_t)1 << c);
    if (e->u.op == VT_OP_BITWISE_AND && c >= 0 && c < INT32_MAX && !(c & (c + 1))) return floor_mod(p, &x, c + 1);
    return form_unknown();
}

static vt_form of_division(vt_path *p, const vt_expr *e) {
    int64_t d;
    vt_form x = vt__form_of(p, e->a[0]), y = vt__form_of(p, e->a[1]);
    if (!vt__form_is_const(p, &y, &d) || d <= 0) return form_unknown();
    bool truncates = e->kind == VT_E_DIV || e->kind == VT_E_MOD;
    if (truncates && vt__form_least(p, &x) < 0) { /* rounding up below 0: the interval is enough */
        int64_t lo = vt__form_least(p, &x), hi = vt__form_most(p, &x);
        if (e->kind == VT_E_DIV) return flattened(p, &x, NULL, lo / d, hi / d);
        if (lo == hi) return vt__form_const(lo % d);
        return flattened(p, &x, NULL, -(d - 1), d - 1);
    }
    return e->kind == VT_E_DIV || e->kind == VT_E_FLOORDIV ? floor_div(p, &x, d) : floor_mod(p, &x, d);
}

static vt_form of_two(vt_path *p, const vt_expr *e) {
    vt_form x = vt__form_of(p, e->a[0]), y = vt__form_of(p, e->a[1]);
    switch (e->kind) {
    case VT_E_ADD: return vt__form_add(&x, &y, 1);
    case VT_E_SUB: return vt__form_add(&x, &y, -1);
    case VT_E_MUL: return vt__form_mul(p, &x, &y);
    case VT_E_MIN: return smaller(p, &x, &y);
    case VT_E_MAX: return larger(p, &x, &y);
    default: return form_unknown();
    }
}

vt_form vt__form_of(vt_path *p, const vt_expr *e) {
    switch (e->kind) {
    case VT_E_INT: return vt__form_const(e->u.i);
    case VT_E_VAR: return of_var(p, e);
    case VT_E_ADD:
    case VT_E_SUB:
    case VT_E_MUL:
    case VT_E_MIN:
    case VT_E_MAX: return of_two(p, e);
    case VT_E_DIV:
    case VT_E_MOD:
    case VT_E_FLOORDIV:
    case VT_E_FLOORMOD: return of_division(p, e);
    case VT_E_SELECT: return chosen(p, e->a[0], e->a[1], e->a[2]);
    case VT_E_CALL: return of_call(p, e);
    case VT_E_LET: return of_let(p, e);
    case VT_E_CAST: /* wrapping is not followed; 32 bits hold every number of the machine */
        if (e->dtype.code != VT_INT || e->dtype.bits < 32 || e->dtype.lanes != 1) return form_unknown();
        if (e->a[0]->dtype.code != VT_INT) return form_unknown();
        return vt__form_of(p, e->a[0]);
    default: return form_unknown();
    }
}

/* ---- Conditions -------------------------------------------------------------------------------------------- */

static vt_truth negated(vt_truth t) { return t == VT_OPEN ? t : t == VT_HOLDS ? VT_BROKEN : VT_HOLDS; }

/* d >= 0? */
static vt_truth at_least_zero(const vt_path *p, const vt_form *d, uint64_t *loops) {
    if (d->unknown) return VT_OPEN;
    if (vt__form_least(p, d) >= 0) return VT_HOLDS;
    if (vt__form_most(p, d) < 0) return VT_BROKEN;
    *loops |= loops_of(p, d);
    return VT_OPEN;
}

static vt_truth compared(vt_path *p, const vt_expr *e, uint64_t *loops) {
    if (e->a[0]->dtype.code != VT_INT) return VT_OPEN;
    vt_form x = vt__form_of(p, e->a[0]), y = vt__form_of(p, e->a[1]), d, one = vt__form_const(1);
    bool turn = e->kind == VT_E_LT || e->kind == VT_E_LE;
    bool strict = e->kind == VT_E_LT || e->kind == VT_E_GT;
    d = turn ? vt__form_add(&y, &x, -1) : vt__form_add(&x, &y, -1);
    if (e->kind != VT_E_EQ && e->kind != VT_E_NE) {
        if (strict) d = vt__form_add(&d, &one, -1);
        return at_least_zero(p, &d, loops);
    }
    int64_t c;
    vt_truth equal = VT_OPEN;
    if (d.unknown) return VT_OPEN;
    if (vt__form_least(p, &d) > 0 || vt__form_most(p, &d) < 0) equal = VT_BROKEN;
    if (vt__form_is_const(p, &d, &c)) equal = c == 0 ? VT_HOLDS : VT_BROKEN;
    if (equal == VT_OPEN) *loops |= loops_of(p, &d);
    return e->kind == VT_E_EQ ? equal : negated(equal);
}

static vt_truth truth_of(vt_path *p, const vt_expr *e, uint64_t *loops) {
    if (vt_is_call(e, VT_OP_LIKELY)) return truth_of(p, e->a[0], loops);
    switch (e->kind) {
    case VT_E_INT: return e->u.i ? VT_HOLDS : VT_BROKEN;
    case VT_E_NOT: return negated(truth_of(p, e->a[0], loops));
    case VT_E_LET: {
        if (!begin_let(p, e)) return VT_OPEN;
        vt_truth t = truth_of(p, e->a[1], loops);
        p->let_count--;
        return t;
    }
    case VT_E_AND:
    case VT_E_OR: {
        vt_truth x = truth_of(p, e->a[0], loops), y = truth_of(p, e->a[1], loops);
        vt_truth decides = e->kind == VT_E_AND ? VT_BROKEN : VT_HOLDS;
        if (x == decides || y == decides) return decides;
        return x == VT_OPEN || y == VT_OPEN ? VT_OPEN : negated(decides);
    }
    case VT_E_EQ:
    case VT_E_NE:
    case VT_E_LT:
    case VT_E_LE:
    case VT_E_GT:
    case VT_E_GE: return compared(p, e, loops);
    default: return VT_OPEN;
    }
}

vt_truth vt__path_truth(vt_path *p, const vt_expr *condition) {
    uint64_t loops = 0;
    return truth_of(p, condition, &loops);
}

/* ---- Paths ------------------------------------------------------------------------------------------------- */

static uint64_t bit_of(uint32_t binder) { return (uint64_t)1 << binder; }

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
    int64_t c, lo = vt__form_least(p, &min), hi = vt__form_most(p, &last) - 1;
    bool fixed = vt__form_is_const(p, &min, &c) && vt__form_is_const(p, &extent, &c);
    if (lo < b->cut_lo) lo = b->cut_lo;
    if (hi > b->cut_hi) hi = b->cut_hi;
    if (vt__form_most(p, &extent) < 1 || lo > hi) p->now.empty = true;
    if (!fixed) {
        p->now.certain = false;
        p->now.open |= loops_of(p, &min) | loops_of(p, &extent);
    }
    number(p, b, lo, lo > hi ? lo : hi, bit_of(at), NULL);
}

static void enter_let(vt_path *p, vt_binder *b) {
    b->index = VT_FORM_VARS;
    b->form = vt__form_of(p, b->value);
    if (b->form.unknown || b->form.lo == b->form.hi) return;
    number(p, b, vt__form_least(p, &b->form), vt__form_most(p, &b->form), loops_of(p, &b->form), b->value);
}

static void enter_if(vt_path *p, vt_binder *b) {
    uint64_t loops = 0;
    vt_truth t = truth_of(p, b->value, &loops);
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
    b.cut_lo = -MOST;
    b.cut_hi = MOST;
    if (p->n >= VT_PATH_MOST) { /* its variable is unknown, its condition open */
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
    if (p->n < VT_PATH_MOST) p->now = p->binders[p->n].before;
}

void vt__path_cut(vt_path *p, uint32_t binder, int64_t lo, int64_t hi) {
    p->binders[binder].cut_lo = lo;
    p->binders[binder].cut_hi = hi;
    enter_from(p, binder);
}

void vt__path_whole(vt_path *p, uint32_t binder) { vt__path_cut(p, binder, -MOST, MOST); }

void vt__path_uncut(vt_path *p) {
    for (uint32_t i = 0; i < p->n && i < VT_PATH_MOST; i++) p->binders[i].cut_lo = -MOST, p->binders[i].cut_hi = MOST;
    if (p->n && p->n <= VT_PATH_MOST) enter_from(p, 0);
}

bool vt__path_range(const vt_path *p, uint32_t binder, int64_t *out_lo, int64_t *out_hi) {
    const vt_binder *b = &p->binders[binder];
    if (b->kind != VT_BINDER_LOOP || b->index == VT_FORM_VARS) return false;
    *out_lo = p->lo[b->index];
    *out_hi = p->hi[b->index];
    return true;
}

/* ---- Proofs ------------------------------------------------------------------------------------------------ */

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
    if (holds_below(p, value) || out->n == VT_DEMANDS_MOST) return;
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
    if (value->unknown || vt__form_most(p, value) > most) {
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
    vt_truth t = at_least_zero(p, &d->value, &loops);
    if (t == VT_HOLDS || vt__form_most(p, &d->when) < 1) return VT_HOLDS;
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
    for (uint32_t i = 0; i < p->n && i < VT_PATH_MOST; i++) {
        if (!(loops & bit_of(i)) || !vt__path_range(p, i, &lo, &hi) || hi - lo <= width) continue;
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
    vt_truth t = p->n > VT_PATH_MOST ? VT_OPEN : prove(p, &f);
    *out_tag = f.tag;
    return t;
}
