/* Sums of products of integers: a loop over the elements in place of a program for each of them. Sums wrap at 32 bits,
 * and so may be added up in any order. */
#include <string.h>

#include "te/eval.h"

/* The sum of the rows' products, with elements of TYPE_A and TYPE_B, which need not be aligned. */
#define SUM(name, TYPE_A, TYPE_B)                                                                                      \
    static uint32_t name(const te__sum *s) {                                                                           \
        uint32_t sum = 0;                                                                                              \
        for (size_t r = 0; r < s->n_rows; r++) {                                                                       \
            const uint8_t *a = s->a.array->data + (s->a.at + s->a.rows[r]) * (int64_t)sizeof(TYPE_A);                  \
            const uint8_t *b = s->b.array->data + (s->b.at + s->b.rows[r]) * (int64_t)sizeof(TYPE_B);                  \
            for (int64_t i = 0; i < s->n; i++) {                                                                       \
                TYPE_A x;                                                                                              \
                TYPE_B y;                                                                                              \
                memcpy(&x, a + i * s->a.step * (int64_t)sizeof x, sizeof x);                                           \
                memcpy(&y, b + i * s->b.step * (int64_t)sizeof y, sizeof y);                                           \
                sum += (uint32_t)(int32_t)x * (uint32_t)(int32_t)y;                                                    \
            }                                                                                                          \
        }                                                                                                              \
        return sum;                                                                                                    \
    }

SUM(sum_int8, int8_t, int8_t)
SUM(sum_uint8_int8, uint8_t, int8_t)
SUM(sum_int32, int32_t, int32_t)

static bool is(const array *a, uint8_t code, uint8_t bits) { return a->dtype.code == code && a->dtype.bits == bits; }

typedef struct plan {
    const te__products *products;
    uint32_t (*sum)(const te__sum *s);
} plan;

const void *te__number_plan(const evaluation *ev, const reduction *r) {
    const te__products *p = te__products_plan(ev, r);
    if (!p) return NULL;
    const array *a = te__products_array(p, false), *b = te__products_array(p, true);
    plan *out = VT_NEW(ev->ctx, plan);
    *out = (plan){.products = p};
    if (is(a, VT_INT, 8) && is(b, VT_INT, 8))
        out->sum = sum_int8;
    else if (is(a, VT_UINT, 8) && is(b, VT_INT, 8))
        out->sum = sum_uint8_int8;
    else if (is(a, VT_INT, 32) && is(b, VT_INT, 32))
        out->sum = sum_int32;
    return out->sum ? out : NULL;
}

void te__number_sum(const evaluation *ev, const void *made, value *slot) {
    (void)ev;
    const plan *p = made;
    te__sum s = te__products_here(p->products, slot);
    value *state = &slot[te__products_state(p->products)];
    state->i = (int32_t)((uint32_t)state->i + p->sum(&s));
}
