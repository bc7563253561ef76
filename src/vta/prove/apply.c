/* Operations on values, and the laws that give one value for what is written in two ways. */
#include <string.h>

#include "base/wrap.h"
#include "prove/field.h"

enum { SMALL = 1 << 16, MEMBERS_MAX = 64 };
/* Ranges beyond this are not followed: sums of two stay far from overflow. */
static const int64_t FAR = INT64_C(1) << 60;

typedef struct range {
    int64_t low, high;
    bool exact; /* the value is this integer; otherwise only congruent to it */
} range;

static range of_type(uint32_t bits) {
    int64_t high = bits >= 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    return (range){-high - 1, high, false};
}

/* A constant shows in both residues when it is small, and is remembered when it is not. */
static bool constant(const vta_field *f, vta_value v, int64_t *out) {
    uint32_t r1 = vt_first(v), r2 = vt_second(v);
    *out = r1;
    if (r1 < SMALL && r1 == r2) return true;
    uint32_t below = f->primes.p[0] - r1;
    *out = -(int64_t)below;
    if (below <= SMALL && below == f->primes.p[1] - r2) return true;
    int64_t high;
    return vt_term_range(f, v, out, &high) && *out == high;
}

bool vta_field_is_int(const vta_field *field, vta_value value, int64_t *out_number) {
    return constant(field, value, out_number);
}

/* What is known of a value as an integer, whatever its type. */
static bool integer(const vta_field *f, vta_value v, range *out) {
    out->exact = true;
    if (vt_term_range(f, v, &out->low, &out->high)) return true;
    if (!constant(f, v, &out->low)) return false;
    out->high = out->low;
    return true;
}

/* The range of a value of a type. */
static range range_of(const vta_field *f, vta_value v, uint32_t bits) {
    range all = of_type(bits), r;
    return integer(f, v, &r) && r.low >= all.low && r.high <= all.high ? r : all;
}

void vta_field_known(vta_field *field, vta_value value, int64_t low, int64_t high) {
    int64_t c;
    if (!constant(field, value, &c))
        vt_term_put(field, value, &(vt_term){.op = VT_TERM_RANGE, .low = low, .high = high});
}

vta_value vta_field_int(vta_field *field, int64_t number) {
    vta_value v = vt_value_int(&field->primes, number);
    if (number >= SMALL || number < -SMALL) vta_field_known(field, v, number, number);
    return v;
}

/* ---- Sums and products ---------------------------------------------------------------------------------------- */

/* Remembers the range of a result where those of both operands are known. */
static vta_value with_range(vta_field *f, vta_value v, int64_t low, int64_t high) {
    if (low >= -FAR && high <= FAR) vta_field_known(f, v, low, high);
    return v;
}

/* The same for an integer that was multiplied by a constant, which a shift to the right may undo. */
static vta_value with_factor(vta_field *f, vta_value v, range r, vta_value of, int64_t factor) {
    int64_t c;
    if (r.low < -FAR || r.high > FAR || constant(f, v, &c)) return v;
    vt_term_put(
        f, v, &(vt_term){.op = VT_TERM_RANGE, .low = r.low, .high = r.high, .n = 1, .operand = of, .constant = factor});
    return v;
}

static vta_value add(vta_field *f, vta_value a, vta_value b, uint32_t bits) {
    (void)bits;
    if (!a || !b) return a | b;
    vta_value v = vt_value_add(&f->primes, a, b);
    range x, y;
    if (!integer(f, a, &x) || !integer(f, b, &y)) return v;
    return with_range(f, v, x.low + y.low, x.high + y.high);
}

static vta_value subtract(vta_field *f, vta_value a, vta_value b, uint32_t bits) {
    (void)bits;
    if (!b) return a;
    vta_value v = vt_value_add(&f->primes, a, vt_value_negate(&f->primes, b));
    range x, y;
    if (!integer(f, a, &x) || !integer(f, b, &y)) return v;
    return with_range(f, v, x.low - y.high, x.high - y.low);
}

/* Ranges are followed through products with constants only: the accelerator's matrix products know none. */
static vta_value multiply(vta_field *f, vta_value a, vta_value b, uint32_t bits) {
    (void)bits;
    if (a == vt_pair(1, 1) || b == vt_pair(1, 1)) return a == vt_pair(1, 1) ? b : a;
    vta_value v = vt_value_mul(&f->primes, a, b);
    range x, y;
    int64_t low, high;
    if (!integer(f, a, &x) || !integer(f, b, &y) || (x.low != x.high && y.low != y.high)) return v;
    if (__builtin_mul_overflow(x.low, y.low, &low) || __builtin_mul_overflow(x.high, y.high, &high)) return v;
    bool second = y.low == y.high;
    return with_factor(f, v, low < high ? (range){low, high, true} : (range){high, low, true}, second ? a : b,
                       second ? y.low : x.low);
}

/* ---- Shifts ------------------------------------------------------------------------------------------------------ */

static vta_value shift_right_by(vta_field *f, vta_value a, int64_t amount, uint32_t bits);

/* Of an integer times a constant, as its term says, either the constant or a power of two of it goes. */
static bool shift_back(vta_field *f, const vt_term *a, int64_t amount, uint32_t bits, vta_value *out) {
    int64_t factor = a->constant, low = factor & -factor;
    if (a->op != VT_TERM_RANGE || a->n != 1 || factor <= 1 || amount > 62) return false;
    if (low >> amount)
        *out = multiply(f, a->operand, vta_field_int(f, factor >> amount), bits);
    else if (factor == low)
        *out = shift_right_by(f, a->operand, amount - __builtin_ctzll((unsigned long long)low), bits);
    else
        return false;
    return true;
}

static vta_value shift_right_by(vta_field *f, vta_value a, int64_t amount, uint32_t bits) {
    if (amount >= bits) amount = bits - 1;
    range r = range_of(f, a, bits);
    if (!amount) return a;
    if (r.low >> amount == r.high >> amount) return vta_field_int(f, r.low >> amount);
    vt_term of, t = {.op = VT_TERM_SHR, .bits = (uint8_t)(r.exact ? 0 : bits), .n = 1, .constant = amount};
    bool known = vt_term_find(f, a, &of);
    vta_value back;
    if (known && r.exact && shift_back(f, &of, amount, bits, &back)) return back;
    if (known && of.op == VT_TERM_SHR) { /* its result fits wherever it is shifted on */
        t.bits = of.bits;
        a = of.operand;
        t.constant = of.constant + amount;
        if (t.bits && t.constant >= t.bits) t.constant = t.bits - 1;
    }
    t.low = r.low >> amount;
    t.high = r.high >> amount;
    return vt_term_value(f, &t, &a);
}

static vta_value shift_left_by(vta_field *f, vta_value a, int64_t amount, uint32_t bits) {
    if (amount >= bits || amount > 62) return 0;
    return multiply(f, a, vta_field_int(f, INT64_C(1) << amount), bits);
}

static vta_value shift(vta_field *f, vta_value a, vta_value b, uint32_t bits, bool left) {
    int64_t amount;
    if (!constant(f, b, &amount)) {
        f->applied++;
        return vta_field_opaque(f, (uint64_t)(left ? VTA_FIELD_SHL : VTA_FIELD_SHR) << 8 | bits, 2,
                                (vta_value[]){a, b});
    }
    amount = vt_wrap(amount, bits, true);
    if (amount < 0) {
        left = !left;
        amount = amount == INT64_MIN ? INT64_MAX : -amount;
    }
    return left ? shift_left_by(f, a, amount, bits) : shift_right_by(f, a, amount, bits);
}

static vta_value shift_left(vta_field *f, vta_value a, vta_value b, uint32_t bits) {
    return shift(f, a, b, bits, true);
}

static vta_value shift_right(vta_field *f, vta_value a, vta_value b, uint32_t bits) {
    return shift(f, a, b, bits, false);
}

/* ---- Minimum and maximum: sets ----------------------------------------------------------------------------------- */

typedef struct set {
    vt_term_op op;
    uint32_t bits;
    bool has_constant;
    int64_t constant;
    uint32_t n;
    vta_value members[2 * MEMBERS_MAX];
} set;

static bool better(vt_term_op op, int64_t x, int64_t y) { return op == VT_TERM_MIN ? x < y : x > y; }

static void add_constant(set *s, int64_t c) {
    c = vt_wrap(c, s->bits, true);
    if (!s->has_constant || better(s->op, c, s->constant)) s->constant = c;
    s->has_constant = true;
}

static void add_member(set *s, vta_value v) {
    uint32_t at = 0;
    while (at < s->n && s->members[at] < v) at++;
    if (at < s->n && s->members[at] == v) return;
    memmove(s->members + at + 1, s->members + at, (s->n - at) * sizeof v);
    s->members[at] = v;
    s->n++;
}

/* The same operation inside is opened, but not at a width where its operands mean something else. */
static bool opens(const vta_field *f, const set *s, const vt_term *t) {
    if (t->op != s->op || t->n > MEMBERS_MAX || s->n > MEMBERS_MAX) return false;
    for (uint32_t i = 0; i < t->n && !t->bits; i++)
        if (!range_of(f, vt_term_members(f, t)[i], s->bits).exact) return false;
    return !t->bits || t->bits == s->bits;
}

static void add_operand(const vta_field *f, set *s, vta_value v) {
    int64_t c;
    if (constant(f, v, &c)) {
        add_constant(s, c);
        return;
    }
    vt_term t;
    if (!vt_term_find(f, v, &t) || !opens(f, s, &t)) {
        add_member(s, v);
        return;
    }
    for (uint32_t i = 0; i < t.n; i++) add_member(s, vt_term_members(f, &t)[i]);
    if (t.has_constant) add_constant(s, t.constant);
}

/* Takes out what cannot be the result: members on the wrong side of the constant, then perhaps the constant. */
static void reduce(const vta_field *f, set *s) {
    if (!s->has_constant) return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        range r = range_of(f, s->members[i], s->bits);
        int64_t best = s->op == VT_TERM_MIN ? r.low : r.high, worst = s->op == VT_TERM_MIN ? r.high : r.low;
        if (!better(s->op, best, s->constant)) continue;
        s->members[kept++] = s->members[i];
        if (!better(s->op, s->constant, worst)) s->has_constant = false;
    }
    s->n = kept;
}

/* The range of the result, and whether all operands are integers that fit: then the width does not matter. */
static range range_of_set(const vta_field *f, const set *s) {
    range all = {s->constant, s->constant, true};
    for (uint32_t i = 0; i < s->n; i++) {
        range r = range_of(f, s->members[i], s->bits);
        bool first = !i && !s->has_constant;
        if (first || better(s->op, r.low, all.low)) all.low = r.low;
        if (first || better(s->op, r.high, all.high)) all.high = r.high;
        all.exact = all.exact && r.exact;
    }
    return all;
}

static vta_value value_of_set(vta_field *f, set *s) {
    reduce(f, s);
    if (!s->n) return vta_field_int(f, s->constant);
    if (s->n == 1 && !s->has_constant) return s->members[0];
    range r = range_of_set(f, s);
    vt_term t = {.op = (uint8_t)s->op,
                 .bits = (uint8_t)(r.exact ? 0 : s->bits),
                 .low = r.low,
                 .high = r.high,
                 .has_constant = s->has_constant,
                 .constant = s->has_constant ? s->constant : 0,
                 .n = s->n};
    return vt_term_value(f, &t, s->members);
}

/* The members are not cleared: there is room for many. */
static void begin_set(set *s, vt_term_op op, uint32_t bits) {
    s->op = op;
    s->bits = bits;
    s->has_constant = false;
    s->constant = 0;
    s->n = 0;
}

static vta_value set_of(vta_field *f, vt_term_op op, vta_value a, vta_value b, uint32_t bits) {
    set s;
    begin_set(&s, op, bits);
    add_operand(f, &s, a);
    add_operand(f, &s, b);
    return value_of_set(f, &s);
}

/* What a MIN of a width is made of; false: the value is none. */
static bool minimum_of(const vta_field *f, vta_value v, uint32_t bits, vt_term *out) {
    if (!vt_term_find(f, v, out) || out->op != VT_TERM_MIN || out->n > MEMBERS_MAX) return false;
    set s;
    begin_set(&s, VT_TERM_MIN, bits);
    return opens(f, &s, out);
}

/* max(min(x, y, high), low) with low < high is min(max(x, low), max(y, low), high): a clip has one form, and a bound
 * that y keeps goes. False: it is none. */
static bool clip(vta_field *f, vta_value x, vta_value bound, uint32_t bits, vta_value *out) {
    int64_t low;
    vt_term t;
    if (!constant(f, bound, &low) || !minimum_of(f, x, bits, &t)) return false;
    if (t.has_constant && vt_wrap(low, bits, true) >= t.constant) return false;
    set s;
    vta_value members[MEMBERS_MAX];
    memcpy(members, vt_term_members(f, &t), t.n * sizeof *members);
    begin_set(&s, VT_TERM_MIN, bits);
    for (uint32_t i = 0; i < t.n; i++) {
        if (s.n > MEMBERS_MAX) return false;
        add_operand(f, &s, set_of(f, VT_TERM_MAX, members[i], bound, bits));
    }
    if (t.has_constant) add_constant(&s, t.constant);
    *out = value_of_set(f, &s);
    return true;
}

/* max(min(x, high), y) is min(max(x, y), high) where y is min(z, high), or at most high anyway. */
static bool bounded(vta_field *f, vta_value x, vta_value y, uint32_t bits, vta_value *out) {
    vt_term t, of;
    if (!minimum_of(f, x, bits, &t) || !t.has_constant || t.n != 1) return false;
    vta_value inner = t.operand;
    range r = range_of(f, y, bits);
    if (minimum_of(f, y, bits, &of) && of.has_constant && of.n == 1 && of.constant == t.constant)
        y = of.operand;
    else if (!r.exact || r.high > t.constant)
        return false;
    vta_value high = vta_field_int(f, t.constant);
    *out = set_of(f, VT_TERM_MIN, set_of(f, VT_TERM_MAX, inner, y, bits), high, bits);
    return true;
}

static vta_value minimum(vta_field *f, vta_value a, vta_value b, uint32_t bits) {
    return set_of(f, VT_TERM_MIN, a, b, bits);
}

static vta_value maximum(vta_field *f, vta_value a, vta_value b, uint32_t bits) {
    vta_value v;
    if (clip(f, a, b, bits, &v) || clip(f, b, a, bits, &v)) return v;
    if (bounded(f, a, b, bits, &v) || bounded(f, b, a, bits, &v)) return v;
    return set_of(f, VT_TERM_MAX, a, b, bits);
}

/* ---- Narrowing --------------------------------------------------------------------------------------------------- */

vta_value vta_field_narrow(vta_field *f, vta_value value, uint32_t bits, bool is_signed) {
    range r, fits = of_type(bits + !is_signed);
    if (!is_signed) fits.low = 0;
    int64_t c;
    if (constant(f, value, &c)) return vta_field_int(f, vt_wrap(c, bits, is_signed));
    if (integer(f, value, &r) && r.low >= fits.low && r.high <= fits.high) return value;
    vt_term of, t = {.op = VT_TERM_NARROW, .bits = (uint8_t)bits, .is_signed = is_signed, .n = 1};
    if (vt_term_find(f, value, &of) && of.op == VT_TERM_NARROW && of.bits >= bits) value = of.operand;
    t.low = fits.low;
    t.high = fits.high;
    return vt_term_value(f, &t, &value);
}

/* ---- Tables -------------------------------------------------------------------------------------------------------
 */

bool vta_field_lookup(vta_field *f, size_t n, const vta_value values[], vta_value index, vta_value *out_value) {
    range r;
    if (!integer(f, index, &r) || r.low < 0 || r.high >= (int64_t)n) return false;
    if (r.low == r.high) {
        *out_value = values[r.low];
        return true;
    }
    uint64_t contents = 0x7461626C65ull;
    for (size_t i = 0; i < n; i++) contents = vt_mix(contents, values[i]);
    f->applied++;
    *out_value = vta_field_opaque(f, contents, 1, &index);
    return true;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

typedef vta_value operation(vta_field *f, vta_value a, vta_value b, uint32_t bits);

static operation *const operations[VTA_FIELD_OP_COUNT] = {
    [VTA_FIELD_ADD] = add,     [VTA_FIELD_SUB] = subtract,   [VTA_FIELD_MUL] = multiply,    [VTA_FIELD_MIN] = minimum,
    [VTA_FIELD_MAX] = maximum, [VTA_FIELD_SHL] = shift_left, [VTA_FIELD_SHR] = shift_right,
};

/* Where the result of an operation is kept, if it is. */
static vt_memo *memo_of(vta_field *f, uint64_t what, vta_value a, vta_value b) {
    if (!f->memos) f->memos = vt_alloc_zero(&f->allocator, VT_MEMOS * sizeof *f->memos);
    return f->memos ? &f->memos[vt_mix(vt_mix(what, a), b) % VT_MEMOS] : NULL;
}

/* The table of terms is asked only for those of several operands. */
static bool has_several_operands(const vta_field *f, vta_field_op op, vta_value a, vta_value b) {
    int64_t c;
    return (op == VTA_FIELD_MIN || op == VTA_FIELD_MAX) && !constant(f, a, &c) && !constant(f, b, &c);
}

vta_value vta_field_apply(vta_field *field, vta_field_op op, vta_value a, vta_value b, uint32_t bits) {
    if (!has_several_operands(field, op, a, b)) return operations[op](field, a, b, bits);
    uint64_t what = (uint64_t)op << 8 | bits;
    vt_memo *memo = memo_of(field, what, a, b);
    if (memo && memo->what == what && memo->a == a && memo->b == b) return memo->result;
    vta_value result = operations[op](field, a, b, bits);
    if (memo) *memo = (vt_memo){a, b, result, what};
    return result;
}

bool vta_field_same(vta_value a, vta_value b) { return !((a ^ b) & VT_RESIDUES); }
