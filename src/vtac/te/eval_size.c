/* How large the polynomials get that an evaluation computes with: what bounds the chance that two of them are equal by
 * accident (vta_field_seen). Programs are followed once, not for every element. */
#include <math.h>
#include <string.h>

#include "te/eval.h"

static const te__size variable = {1, 1};

static te__size sum_of(te__size a, te__size b) {
    return (te__size){te__size_either(a, b).degree, a.magnitude + b.magnitude};
}

static te__size times(te__size a, double factor) { return (te__size){a.degree, a.magnitude * factor}; }

static te__size binary(const insn *in, te__size x, te__size y) {
    switch (in->kind) {
    case VT_E_ADD:
    case VT_E_SUB: return sum_of(x, y);
    case VT_E_MUL: return (te__size){x.degree + y.degree, x.magnitude * y.magnitude};
    default: return te__size_either(te__size_either(x, y), variable); /* an operand, or a random function */
    }
}

/* By what is a number for some element; else a random function. */
static te__size shift(const insn *in, te__size x, const uint8_t *shifts) {
    int left = shifts[in->to] - TE_SHIFT_BY_NUMBERS;
    return left < 0 ? variable : te__size_either(times(x, exp2(left)), variable);
}

static te__size result_of(const insn *in, const te__size *slot, const uint8_t *shifts) {
    te__size x = slot[in->x], y = slot[in->y];
    switch (in->code) {
    case CONST: return (te__size){0, fabs((double)in->constant.i)};
    case COPY: return te__size_either(slot[in->to], x); /* of two sides of a choice either */
    case BIN: return binary(in, x, y);
    case BITNOT: return sum_of(x, (te__size){0, 1});
    case LOAD:
    case LOAD_LINEAR: return in->array->size;
    case SHIFT: return shift(in, x, shifts);
    case BITWISE: return te__size_either(times(sum_of(x, y), 2), variable);
    case MATH: return variable;
    default: return te__size_either(x, variable); /* NOT, CAST */
    }
}

static void follow(const program *p, te__size *slot, const uint8_t *shifts) {
    for (uint32_t i = 0; i < p->n; i++) {
        const insn *in = &p->code[i];
        if (in->code != JUMP && in->code != JUMP_IF_NOT) slot[in->to] = result_of(in, slot, shifts);
    }
}

static void set_axes(const odometer *o, te__size *slot) {
    for (uint32_t i = 0; i < o->n; i++) slot[o->slots[i]].magnitude = fabs((double)o->min[i]) + (double)o->extent[i];
}

static double points_of(const odometer *o) {
    double n = 1;
    for (uint32_t i = 0; i < o->n; i++) n *= (double)o->extent[i];
    return n;
}

/* Does `results` grow by the same in each of two steps? Then it does so in all: a sum. */
static bool grows_evenly(const te__size *a, const te__size *b, const te__size *c) {
    return a->degree == b->degree && b->degree == c->degree &&
           b->magnitude - a->magnitude == c->magnitude - b->magnitude;
}

static void repeat(const program *step, double points, uint32_t n, const uint32_t *results, te__size *slot,
                   te__size *before, const uint8_t *shifts) {
    for (double done = 0; done < points; done++) {
        bool even = done > 1;
        for (uint32_t k = 0; k < n; k++) before[2 * k] = before[2 * k + 1], before[2 * k + 1] = slot[results[k]];
        follow(step, slot, shifts);
        for (uint32_t k = 0; k < n; k++)
            even = even && grows_evenly(&before[2 * k], &before[2 * k + 1], &slot[results[k]]);
        if (!even) continue;
        for (uint32_t k = 0; k < n; k++)
            slot[results[k]].magnitude +=
                (points - done - 1) * (slot[results[k]].magnitude - before[2 * k + 1].magnitude);
        return;
    }
}

void te__sizes(const evaluation *ev, const program *start, const odometer *outer, const program *step,
               const odometer *inner, uint32_t n, const uint32_t *results, array *const *to) {
    uint32_t slots = (step && step->slots > start->slots ? step->slots : start->slots) + 1;
    te__size *slot = VT_NEW_ARRAY(ev->ctx, te__size, slots);
    memset(slot, 0, slots * sizeof *slot);
    set_axes(outer, slot);
    if (inner) set_axes(inner, slot);
    follow(start, slot, ev->shifts);
    if (step) repeat(step, points_of(inner), n, results, slot, VT_NEW_ARRAY(ev->ctx, te__size, 2 * n), ev->shifts);
    for (uint32_t i = 0; i < slots; i++) vta_field_seen(ev->user, slot[i].degree, slot[i].magnitude);
    for (uint32_t k = 0; k < n; k++) to[k]->size = te__size_either(to[k]->size, slot[results[k]]);
}
