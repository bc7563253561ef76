/* Sums of products of integers: a loop over the elements in place of a program for each of them. Sums wrap at 32 bits,
 * and so may be added up in any order. */
#include <string.h>

#include "te/eval.h"

/* The sum of the rows' products, with elements of TYPE_A and TYPE_B, which need not be aligned. Of elements of fewer
 * bits the upper ones do not count. */
#define SUM(name, TYPE_A, TYPE_B)                                                                                      \
    static uint32_t name(const te__sum *s) {                                                                           \
        const int spare_a = 8 * (int)sizeof(TYPE_A) - s->a.array->dtype.bits;                                          \
        const int spare_b = 8 * (int)sizeof(TYPE_B) - s->b.array->dtype.bits;                                          \
        uint32_t sum = 0;                                                                                              \
        for (size_t r = 0; r < s->n_rows; r++) {                                                                       \
            const uint8_t *a = s->a.array->data + (s->a.at + s->a.rows[r]) * (int64_t)sizeof(TYPE_A);                  \
            const uint8_t *b = s->b.array->data + (s->b.at + s->b.rows[r]) * (int64_t)sizeof(TYPE_B);                  \
            for (int64_t i = 0; i < s->n; i++) {                                                                       \
                TYPE_A x;                                                                                              \
                TYPE_B y;                                                                                              \
                memcpy(&x, a + i * s->a.step * (int64_t)sizeof x, sizeof x);                                           \
                memcpy(&y, b + i * s->b.step * (int64_t)sizeof y, sizeof y);                                           \
                x = (TYPE_A)((TYPE_A)((uint32_t)x << spare_a) >> spare_a);                                             \
                y = (TYPE_B)((TYPE_B)((uint32_t)y << spare_b) >> spare_b);                                             \
                sum += (uint32_t)(int32_t)x * (uint32_t)(int32_t)y;                                                    \
            }                                                                                                          \
        }                                                                                                              \
        return sum;                                                                                                    \
    }

SUM(sum_int8, int8_t, int8_t)
SUM(sum_uint8_int8, uint8_t, int8_t)
SUM(sum_int32, int32_t, int32_t)

static bool is_int32(const array *a) { return a->dtype.code == VT_INT && a->dtype.bits == 32; }

/* In one byte, and not a truth value, of which all that is not zero is true. */
static bool is_byte(const array *a, uint8_t code) {
    return a->dtype.code == code && a->dtype.bits <= 8 && a->dtype.bits > 1;
}

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
    if (is_byte(a, VT_INT) && is_byte(b, VT_INT))
        out->sum = sum_int8;
    else if (is_byte(a, VT_UINT) && is_byte(b, VT_INT))
        out->sum = sum_uint8_int8;
    else if (is_int32(a) && is_int32(b))
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
