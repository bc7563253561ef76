/* Epilogues as they were written, on one element; and integers. */
#include "operators/definition.h"
#include "operators/norm.h"

/* ---- Integers -----------------------------------------------------------------------------------------------------
 */

static vt_word wrap(uint64_t x) { return (vt_word)(int64_t)(int32_t)(uint32_t)x; }

static vt_word shift_right(int64_t x, int64_t by) {
    if (by <= -32) return 0;
    if (by < 0) return wrap((uint64_t)x << -by);
    return (vt_word)(x >> (by > 31 ? 31 : by));
}

static vt_word number(void *ctx, int64_t number) {
    (void)ctx;
    return (vt_word)number;
}

static vt_word apply(void *ctx, vta_field_op op, vt_word a, vt_word b) {
    int64_t x = (int64_t)a, y = (int64_t)b;
    (void)ctx;
    switch (op) {
    case VTA_FIELD_ADD: return wrap(a + b);
    case VTA_FIELD_SUB: return wrap(a - b);
    case VTA_FIELD_MUL: return wrap(a * b);
    case VTA_FIELD_MIN: return x < y ? a : b;
    case VTA_FIELD_MAX: return x > y ? a : b;
    case VTA_FIELD_SHR: return shift_right(x, y);
    case VTA_FIELD_SHL: return shift_right(x, -y);
    case VTA_FIELD_OP_COUNT: break;
    }
    return 0;
}

static vt_word products(void *ctx, size_t rows, const int64_t ai[], const int64_t bi[], const vt_word a[],
                        const vt_word b[], int64_t n) {
    (void)ctx;
    uint64_t sum = 0;
    for (size_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < n; k++) sum += a[ai[r] + k] * b[bi[r] + k];
    return wrap(sum);
}

static int64_t floor_division(int64_t x, int64_t y) { return x / y - (x % y < 0); }

static vt_word average(void *ctx, vt_word sum, int64_t count) {
    (void)ctx;
    return (vt_word)floor_division(2 * (int64_t)sum + count, 2 * count);
}

static int64_t once(void *ctx) {
    (void)ctx;
    return 1;
}

static vt_word round_shift(void *ctx, vt_word x, int bits, bool fits) {
    (void)ctx, (void)fits;
    return (vt_word)floor_division((int64_t)x + (INT64_C(1) << (bits - 1)), INT64_C(1) << bits);
}

static vt_word look_up(void *ctx, const vt_word values[], vt_word x) {
    (void)ctx;
    return values[(int64_t)x + 128];
}

static vt_word low_bits(void *ctx, vt_word x) {
    (void)ctx;
    return x; /* whoever stores it takes the low bits */
}

const vt_algebra vt__definition_integers = {NULL,    true, number,      apply,   products,
                                            average, once, round_shift, look_up, low_bits};

/* ---- What a step may find ------------------------------------------------------------------------------------------
 */

/* Integers that x may be; all of 32 bits where it may have wrapped. */
typedef struct range {
    int64_t least, most;
} range;

static range within(int64_t least, int64_t most) {
    bool fits = least >= INT32_MIN && most <= INT32_MAX;
    return fits ? (range){least, most} : (range){INT32_MIN, INT32_MAX};
}

#define V(kind, name) (d->op->values[VT_ATTRIBUTE_##kind##_##name])
#define IS(name) (d->op->is->write == vt__write_##name)

/* Wider than it must be, for averages by as much as what divides them cannot tell. */
static range first_range(const vt_definition *d) {
    unsigned inp = vta_config_width(d->op->config, VTA_MEM_INP), wgt = vta_config_width(d->op->config, VTA_MEM_WGT);
    int64_t most;
    range any = {INT32_MIN, INT32_MAX};
    if ((IS(batch_matmul) && V(batch_matmul, shares)) || vt__is_norm(d->op)) return any;
    if (IS(relu)) return (range){0, INT32_MAX};
    if (IS(clip)) return (range){V(clip, low), V(clip, high)};
    if (IS(shift)) return (range){INT32_MIN >> V(shift, by), INT32_MAX >> V(shift, by)};
    if ((IS(avg_pool2d) || IS(global_avg_pool2d)) && d->op->division.way != VT_DIVIDE_TWICE && !d->op->division.tables)
        return (range){INT32_MIN >> d->op->division.bits, INT32_MAX >> d->op->division.bits};
    if (!d->op->terms || inp + wgt > 60 || __builtin_mul_overflow(d->op->terms, INT64_C(1) << (inp + wgt - 2), &most))
        return any;
    return within(-most, most);
}

static range scaled(range r, int64_t by) {
    int64_t a = r.least * by, b = r.most * by;
    return within(a < b ? a : b, a < b ? b : a);
}

/* Divided by 2^bits, rounded to the nearest. */
static range halved(range r, int32_t bits) {
    int64_t half = INT64_C(1) << (bits - 1);
    return (range){(r.least + half) >> bits, (r.most + half) >> bits};
}

static int64_t magnitude(range r) { return -r.least > r.most ? -r.least : r.most; }

/* Every digit and the constants that it is multiplied by at their largest. */
static int64_t digits_max(const vt_definition *d, int64_t tiles, int64_t step) {
    return tiles * (step * (vta_config_block_in(d->op->config) - 1) + 1)
           << (vta_config_width(d->op->config, VTA_MEM_WGT) - 1);
}

/* The smaller of the largest input, and twice the largest weight plus 1. */
static int64_t digit_step(const vt_definition *d) {
    int64_t inp = (INT64_C(1) << (vta_config_width(d->op->config, VTA_MEM_INP) - 1)) - 1;
    int64_t wgt = (INT64_C(1) << vta_config_width(d->op->config, VTA_MEM_WGT)) - 1;
    return inp < wgt ? inp : wgt;
}

static range range_after(const vt_definition *d, const vt_epilogue *e, range r) {
    int64_t most, lane = INT64_C(1) << (vta_config_width(d->op->config, VTA_MEM_INP) - 1);
    switch (e->kind) {
    case VT_EPILOGUE_shift: return (range){r.least >> e->number, r.most >> e->number};
    case VT_EPILOGUE_round_shift: return halved(r, e->number);
    case VT_EPILOGUE_requantize: return halved(scaled(r, e->number), e->second);
    case VT_EPILOGUE_add: return within(r.least + e->number, r.most + e->number);
    case VT_EPILOGUE_multiply: return scaled(r, e->number);
    case VT_EPILOGUE_max:
        return (range){r.least > e->number ? r.least : e->number, r.most > e->number ? r.most : e->number};
    case VT_EPILOGUE_min:
        return (range){r.least < e->number ? r.least : e->number, r.most < e->number ? r.most : e->number};
    case VT_EPILOGUE_leaky: return (range){r.least < 0 ? r.least >> e->number : r.least, r.most > 0 ? r.most : 0};
    case VT_EPILOGUE_bias:
        if (e->second) return within(r.least - e->second, r.most + e->second);
        break;
    case VT_EPILOGUE_multiply_channel:
        if (e->second && !__builtin_mul_overflow(magnitude(r), (int64_t)e->second, &most)) return within(-most, most);
        break;
    case VT_EPILOGUE_bias_int8:
        most = digits_max(d, e->second, digit_step(d));
        return within(r.least - most, r.most + most);
    case VT_EPILOGUE_residual_int8:
        most = lane * (e->second < 0 ? -(int64_t)e->second : e->second);
        return within(r.least - most, r.most + most);
    case VT_EPILOGUE_table: return (range){-128, 127};
    case VT_EPILOGUE_relu:
    case VT_EPILOGUE_clip:
    case VT_EPILOGUE_shift_channel:
    case VT_EPILOGUE_residual:
    case VT_EPILOGUES: break;
    }
    return within(INT64_MIN, INT64_MAX);
}

/* ---- Steps ----------------------------------------------------------------------------------------------------------
 */

/* Where an element of the result is: its image in a tile, its channel. */
typedef struct place {
    const vt_definition *d;
    const vt_algebra *a;
    size_t at;
    int64_t row, channel;
} place;

static vt_word of_channel(const place *p, vt_role role, uint32_t index) {
    const vt_plain *arg = vt__definition_arg(p->d, role, index);
    return arg->values[vt__plain_at(arg, 0, p->row, 0, 0, p->channel)];
}

/* x and a product by GEMM, which is a product of narrow types and not one of accumulators. */
static vt_word plus_product(const vt_algebra *a, vt_word x, const vt_plain *arg, size_t at, int64_t by) {
    int64_t from = (int64_t)at, zero = 0;
    vt_word factor = a->number(a->ctx, by);
    return a->apply(a->ctx, VTA_FIELD_ADD, x, a->products(a->ctx, 1, &from, &zero, arg->values, &factor, 1));
}

static vt_word digits(const place *p, uint32_t index, vt_word x) {
    const vt_plain *arg = vt__definition_arg(p->d, VT_ROLE_DIGITS, index);
    for (int64_t t = 0; t < arg->h; t++)
        for (int64_t l = 0; l < arg->c; l++)
            x = plus_product(p->a, x, arg, vt__plain_at(arg, 0, p->channel, t, 0, l),
                             l == arg->c - 1 ? 1 : digit_step(p->d));
    return x;
}

static vt_word rounded(const vt_algebra *a, vt_word x, int bits, range r) {
    return a->round_shift(a->ctx, x, bits, r.most + (INT64_C(1) << (bits - 1)) <= INT32_MAX);
}

/* What cannot change an x of that range is left out, since values do not know how far a sum may go. */
static vt_word step(const place *p, const vt_epilogue *e, vt_word x, range r) {
    const vt_algebra *a = p->a;
    uint32_t index = (uint32_t)e->number;
    vt_word with = a->number(a->ctx, e->number);
    switch (e->kind) {
    case VT_EPILOGUE_shift: return a->apply(a->ctx, VTA_FIELD_SHR, x, with);
    case VT_EPILOGUE_round_shift: return rounded(a, x, e->number, r);
    case VT_EPILOGUE_requantize:
        return rounded(a, a->apply(a->ctx, VTA_FIELD_MUL, x, with), e->second, scaled(r, e->number));
    case VT_EPILOGUE_relu: return a->apply(a->ctx, VTA_FIELD_MAX, x, a->number(a->ctx, 0));
    case VT_EPILOGUE_leaky:
        if (r.least >= 0) return x;
        return a->apply(a->ctx, VTA_FIELD_MAX, x, a->apply(a->ctx, VTA_FIELD_SHR, x, with));
    case VT_EPILOGUE_add: return a->apply(a->ctx, VTA_FIELD_ADD, x, with);
    case VT_EPILOGUE_multiply: return a->apply(a->ctx, VTA_FIELD_MUL, x, with);
    case VT_EPILOGUE_min: return r.most <= e->number ? x : a->apply(a->ctx, VTA_FIELD_MIN, x, with);
    case VT_EPILOGUE_max: return r.least >= e->number ? x : a->apply(a->ctx, VTA_FIELD_MAX, x, with);
    case VT_EPILOGUE_bias: return a->apply(a->ctx, VTA_FIELD_ADD, x, of_channel(p, VT_ROLE_BIAS, index));
    case VT_EPILOGUE_multiply_channel: return a->apply(a->ctx, VTA_FIELD_MUL, x, of_channel(p, VT_ROLE_FACTOR, index));
    case VT_EPILOGUE_shift_channel: return a->apply(a->ctx, VTA_FIELD_SHR, x, of_channel(p, VT_ROLE_AMOUNT, index));
    case VT_EPILOGUE_residual:
        return a->apply(a->ctx, VTA_FIELD_ADD, x, vt__definition_arg(p->d, VT_ROLE_RESIDUAL, index)->values[p->at]);
    case VT_EPILOGUE_bias_int8: return digits(p, index, x);
    case VT_EPILOGUE_residual_int8:
        return plus_product(a, x, vt__definition_arg(p->d, VT_ROLE_ADDEND, index), p->at, e->second);
    case VT_EPILOGUE_table:
        x = a->apply(a->ctx, VTA_FIELD_MAX, x, a->number(a->ctx, -128));
        x = a->apply(a->ctx, VTA_FIELD_MIN, x, a->number(a->ctx, 127));
        return a->look_up(a->ctx, vt__definition_arg(p->d, VT_ROLE_TABLE, index)->values, x);
    case VT_EPILOGUE_clip: /* written as a maximum and a minimum when it was read */
    case VT_EPILOGUES: break;
    }
    return x;
}

/* ---- The result -----------------------------------------------------------------------------------------------------
 */

static int64_t taps_of_sum(const vt_definition *d) {
    int64_t both = V(sum_pool2d, kernel), rows = V(sum_pool2d, kernel_h), columns = V(sum_pool2d, kernel_w);
    return (rows ? rows : both) * (columns ? columns : both);
}

/* What the operator makes of all inputs of their types: as first_range, and nothing wider. */
static range result_range(const vt_definition *d, range first) {
    unsigned bits = d->op->shape.wide ? 32 : vta_config_width(d->op->config, VTA_MEM_INP);
    int64_t most = (INT64_C(1) << (bits - 1)) - 1, least = -most - 1;
    if (vt__definition_arg(d, VT_ROLE_WEIGHT, 0)) return first;
    if (IS(bias_add) || vt__is_norm(d->op)) return within(INT64_MIN, INT64_MAX);
    if (IS(add)) return within(least + least, most + most);
    if (IS(multiply)) return within(least * most, least * least);
    if (IS(sum_pool2d)) return within(least * taps_of_sum(d), most * taps_of_sum(d));
    if (IS(shift)) return (range){least >> V(shift, by), most >> V(shift, by)};
    if (IS(leaky_relu)) return (range){least >> V(leaky_relu, by), most};
    if (IS(relu)) return (range){0, most};
    if (!IS(clip)) return (range){least, most};
    least = least > V(clip, low) ? least : V(clip, low);
    most = most > V(clip, low) ? most : V(clip, low);
    return (range){least < V(clip, high) ? least : V(clip, high), most < V(clip, high) ? most : V(clip, high)};
}

/* Of integers every result is brought into the output type, whatever range it was thought to have. */
static vt_word saturated(const vt_definition *d, const vt_algebra *a, vt_word x, range r) {
    int64_t half = INT64_C(1) << (vta_config_width(d->op->config, VTA_MEM_OUT) - 1);
    if (d->op->narrow == VT_NARROW_wrap || IS(concat)) return x;
    if (a->integers || r.least < -half) x = a->apply(a->ctx, VTA_FIELD_MAX, x, a->number(a->ctx, -half));
    if (a->integers || r.most > half - 1) x = a->apply(a->ctx, VTA_FIELD_MIN, x, a->number(a->ctx, half - 1));
    return x;
}

vt_word vt__definition_steps(const vt_definition *d, const vt_algebra *a, vt_word x, size_t at) {
    const vt_plain *res = &d->of[d->n - 1];
    int64_t image = (int64_t)(at / (size_t)(res->h * res->w * res->c)) % res->n;
    place p = {d, a, at, image % (int64_t)vta_config_batch(d->op->config), (int64_t)(at % (size_t)res->c)};
    range r = first_range(d), known = result_range(d, r);
    bool own_bias = d->op->is->write == vt__write_bias_add;
    if (own_bias) x = a->apply(a->ctx, VTA_FIELD_ADD, x, of_channel(&p, VT_ROLE_BIAS, 0));
    for (uint32_t i = 0; i < d->op->n_said; i++) {
        vt_epilogue e = d->op->said[i];
        if (own_bias && e.kind == VT_EPILOGUE_bias) e.number++;
        x = step(&p, &e, x, r);
        r = range_after(d, &e, r);
        known = range_after(d, &e, known);
    }
    return saturated(d, a, x, known);
}
