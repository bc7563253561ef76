/* row_moments and layer_norm, from docs/operators.md. */
#include <string.h>

#include "operators/definition.h"
#include "operators/norm.h"

/* What the algebra computes, and where: a row of data. */
typedef struct row {
    const vt_algebra *a;
    const vt_plain *data;
    int64_t at;
    bool mean;
    vt_word *apart; /* its elements, less the mean; room for twice as many */
} row;

static vt_word of_two(const row *r, vta_field_op op, vt_word x, vt_word y) { return r->a->apply(r->a->ctx, op, x, y); }
static vt_word with(const row *r, vta_field_op op, vt_word x, int64_t y) {
    return of_two(r, op, x, r->a->number(r->a->ctx, y));
}
static vt_word minus(const row *r, vt_word x) { return with(r, VTA_FIELD_MUL, x, -1); }

/* Of elements from..from + count the low bytes less 256 times the others, summed up. */
static vt_word sum_of(const row *r, int64_t from, int64_t count, vt_word *weights) {
    const vt_plain *p = r->data;
    int64_t ai[2] = {(int64_t)vt__plain_at(p, 0, r->at, 0, 0, from), (int64_t)vt__plain_at(p, 1, r->at, 0, 0, from)};
    int64_t bi[2] = {0, count};
    for (int64_t i = 0; i < 2 * count; i++) weights[i] = r->a->number(r->a->ctx, i < count ? 1 : -256);
    return r->a->products(r->a->ctx, 2, ai, bi, p->values, weights, count);
}

static void set_apart(const row *r) {
    int64_t n = r->data->c;
    vt_norm_mean m = vt__norm_mean_of(n);
    vt_word mean = 0;
    if (r->mean) {
        vt_word x = with(r, VTA_FIELD_SHR, sum_of(r, 0, n, r->apart), m.before);
        x = with(r, VTA_FIELD_MUL, x, -m.factor);
        mean = with(r, VTA_FIELD_SHR, with(r, VTA_FIELD_ADD, x, (1 << (m.behind - 1)) - 1), m.behind);
    }
    for (int64_t c = 0; c < n; c++) {
        vt_word weights[2], x = sum_of(r, c, 1, weights);
        r->apart[c] = r->mean ? of_two(r, VTA_FIELD_ADD, x, mean) : x;
    }
}

/* Bytes of the sums of squares of each lane. */
static void set_moments(const row *r, const vt_plain *res) {
    int64_t lanes = res->c;
    int32_t shift = vt__norm_square_shift(r->data->c);
    for (int64_t l = 0; l < lanes; l++) {
        vt_word sum = r->a->number(r->a->ctx, 0);
        for (int64_t c = l; c < r->data->c; c += lanes) {
            vt_word square = of_two(r, VTA_FIELD_MUL, r->apart[c], r->apart[c]);
            sum = of_two(r, VTA_FIELD_ADD, sum, with(r, VTA_FIELD_SHR, square, shift));
        }
        for (int64_t k = 0, half = 0; k < VT_NORM_PARTS; k++, half = half * 256 + 128)
            res->values[vt__plain_at(res, 0, r->at, k, 0, l)] =
                with(r, VTA_FIELD_SHR, with(r, VTA_FIELD_ADD, sum, half), 8 * k);
    }
}

/* Of all bytes the sum, with their powers of 256. */
static vt_word power_of(const row *r, const vt_plain *moments) {
    vt_word power = 0, ones[64];
    for (int64_t l = 0; l < moments->c; l++) ones[l] = r->a->number(r->a->ctx, 1);
    for (int64_t k = VT_NORM_PARTS - 1; k >= 0; k--) {
        int64_t ai = (int64_t)vt__plain_at(moments, 0, r->at, k, 0, 0), bi = 0;
        vt_word sum = r->a->products(r->a->ctx, 1, &ai, &bi, moments->values, ones, moments->c);
        if (k < VT_NORM_PARTS - 1) sum = of_two(r, VTA_FIELD_ADD, with(r, VTA_FIELD_MUL, power, 256), sum);
        power = sum;
    }
    return power;
}

/* What a row is multiplied by, and then shifted. */
typedef struct divisor {
    vt_word root, amount;
} divisor;

static divisor divisor_of(const row *r, vt_word power) {
    static const struct {
        int by, from;
    } steps[] = {{8, 22}, {4, 18}, {2, 16}};
    power = with(r, VTA_FIELD_MAX, power, 0);
    vt_word enough = with(r, VTA_FIELD_MIN, with(r, VTA_FIELD_SHR, power, 14), 1);
    vt_word more = with(r, VTA_FIELD_ADD, with(r, VTA_FIELD_MUL, enough, -255), 256);
    vt_word v = with(r, VTA_FIELD_MAX, of_two(r, VTA_FIELD_MUL, power, more), 16384);
    vt_word amount = with(r, VTA_FIELD_ADD, with(r, VTA_FIELD_MUL, enough, 4), VT_NORM_AMOUNT - 4);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        vt_word some = with(r, VTA_FIELD_MIN, with(r, VTA_FIELD_SHR, v, steps[i].from), 1);
        v = of_two(r, VTA_FIELD_SHR, v, with(r, VTA_FIELD_MUL, some, steps[i].by));
        amount = of_two(r, VTA_FIELD_ADD, amount, with(r, VTA_FIELD_MUL, some, steps[i].by / 2));
    }
    vt_word line = with(r, VTA_FIELD_SHR, with(r, VTA_FIELD_MUL, v, -VT_NORM_SLOPE), 16);
    vt_word root = with(r, VTA_FIELD_ADD, line, VT_NORM_LINE);
    for (int k = 0; k < VT_NORM_STEPS; k++) {
        vt_word square = with(r, VTA_FIELD_SHR, of_two(r, VTA_FIELD_MUL, root, root), 14);
        vt_word part = with(r, VTA_FIELD_SHR, of_two(r, VTA_FIELD_MUL, v, square), 15);
        vt_word factor = with(r, VTA_FIELD_ADD, minus(r, part), VT_NORM_ONE_AND_A_HALF);
        root = with(r, VTA_FIELD_SHR, of_two(r, VTA_FIELD_MUL, root, factor), 14);
    }
    return (divisor){root, amount};
}

static void set_normal(const row *r, const vt_plain *res, vt_word power) {
    divisor by = divisor_of(r, power);
    for (int64_t c = 0; c < res->c; c++)
        res->values[vt__plain_at(res, 0, r->at, 0, 0, c)] =
            of_two(r, VTA_FIELD_SHR, of_two(r, VTA_FIELD_MUL, r->apart[c], by.root), by.amount);
}

vta_status vt__definition_norm(const vt_definition *d, const vt_algebra *a, vt_plain *res, vta_diag *diag) {
    bool moments = d->op->is->write == vt__write_row_moments;
    const int64_t *v = d->op->values;
    row r = {.a = a, .data = vt__definition_arg(d, VT_ROLE_INPUT, 0)};
    r.mean = v[moments ? VT_ATTRIBUTE_row_moments_mean : VT_ATTRIBUTE_layer_norm_mean];
    r.apart = vt_alloc_array(d->allocator, 2 * (size_t)r.data->c, sizeof *r.apart);
    if (!r.apart) return vt_no_memory(diag);
    for (r.at = 0; r.at < r.data->n; r.at++) {
        set_apart(&r);
        if (moments)
            set_moments(&r, res);
        else
            set_normal(&r, res,
                       with(&r, VTA_FIELD_ADD, power_of(&r, vt__definition_arg(d, VT_ROLE_INPUT, 1)),
                            v[VT_ATTRIBUTE_layer_norm_epsilon]));
    }
    vt_free(d->allocator, r.apart, 2 * (size_t)r.data->c * sizeof *r.apart);
    return VTA_OK;
}
