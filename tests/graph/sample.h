/* One node on random inputs, and what a reference says of each element of its output. References are written from the
 * operators' definitions: the value of one output element, in double, by plain loops over what it is made of. */
#ifndef TESTS_GRAPH_SAMPLE_H
#define TESTS_GRAPH_SAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "build.h"
#include "frontend/eval/eval.h"
#include "support/check.h"

enum { SAMPLE_INPUTS = 9 };

static uint64_t sample_random = 1;
static inline int64_t pick(int64_t least, int64_t most) {
    sample_random = sample_random * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((sample_random >> 33) % (uint64_t)(most - least + 1));
}
static inline double pick_real(double least, double most) {
    return least + (most - least) * (double)pick(0, 1 << 20) / (1 << 20);
}

typedef struct sample {
    world *w;
    const vt_gnode *n;
    vt_gvalue *in[SAMPLE_INPUTS];
    uint32_t inputs;
} sample;

/* The value of one element of output 0. */
typedef double reference(const sample *s, const int64_t *at);

static inline const vt_gtype *in_type(const sample *s, uint32_t i) { return &s->n->inputs[i]->type; }
static inline const vt_gtype *out_type(const sample *s) { return &s->n->outputs[0]->type; }
static inline double flat(const sample *s, uint32_t input, int64_t i) {
    return vt_gelement_at(s->n->inputs[input], (size_t)i);
}
static inline int64_t ints(const sample *s, vt_gattr_name name, uint32_t i) { return vt_gattr_ints(s->n, name)[i]; }

/* Element of an input by its index. */
static inline double element(const sample *s, uint32_t input, const int64_t *at) {
    const vt_gtype *t = in_type(s, input);
    int64_t i = 0;
    for (uint32_t k = 0; k < t->rank; k++) i = i * t->dim[k] + at[k];
    return flat(s, input, i);
}

/* Element of an input that is broadcast to the output. */
static inline double broadcast_element(const sample *s, uint32_t input, const int64_t *at) {
    const vt_gtype *t = in_type(s, input);
    int64_t own[VT_MAX_RANK];
    for (uint32_t k = 0; k < t->rank; k++) own[k] = t->dim[k] == 1 ? 0 : at[k + out_type(s)->rank - t->rank];
    return element(s, input, own);
}

/* Random numbers as an input. */
static inline vt_gvalue *random_value(world *w, vt_gtype t) {
    size_t count = (size_t)vt_gtype_count(&t);
    char *data = vt_new_bytes(&w->ctx, vt_gtype_bytes(&t) + 1);
    double least = vt_element_least(t.element), most = vt_element_max(t.element);
    for (size_t i = 0; i < count; i++) {
        double x = (double)pick(-128, 128) / 32; /* sums of some hundred products are exact */
        int64_t k = pick(least < -100 ? -100 : (int64_t)least, most > 100 ? 100 : (int64_t)most);
        switch (t.element) {
#define VT_ELEMENT(name, text, ctype)                                                                                  \
    case VT_ELEMENT_##name: ((ctype *)data)[i] = least == -INFINITY ? (ctype)x : (ctype)k; break;
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
        case VT_ELEMENT_COUNT: break;
        }
    }
    return vt_graph_constant(w->g, "in", t, data);
}

static inline vt_gvalue *add_input(sample *s, vt_gtype t) { return s->in[s->inputs++] = random_value(s->w, t); }

static inline vt_gtype random_type(vt_element e, uint32_t rank, int64_t most) {
    vt_gtype t = {.element = e, .rank = rank};
    for (uint32_t i = 0; i < rank; i++) t.dim[i] = pick(1, most);
    return t;
}

static inline bool next_at(const vt_gtype *t, int64_t *at) {
    for (uint32_t i = t->rank; i-- > 0;) {
        if (++at[i] < t->dim[i]) return true;
        at[i] = 0;
    }
    return false;
}

static bool sample_covered[VT_GOP_COUNT];

/* With room for 0, 1, 2, ... allocations until it is enough. */
static inline void evaluate_in(const sample *s, const void *const *in, void **out) {
    vta_status status = VTA_NO_MEMORY;
    for (size_t room = 0; status == VTA_NO_MEMORY; room++) {
        check_allocator a;
        check_allocator_init(&a, room);
        status = vt_eval_node(s->n, in, out, &a.allocator, s->w->diag);
        assert_int_equal(a.live, 0);
        if ((status == VTA_OK) == a.failed) fail_msg("room for %zu: %s", room, vta_status_text(status));
    }
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(s->w->diag));
}

/* Makes the node, evaluates it, compares every element: floats within a relative error of 1e-5, others equal. */
static inline void check_sample(sample *s, vt_gop op, uint32_t attribute_count, const vt_gattr *attributes,
                                reference *want) {
    vt_gnode_spec spec = {op, NULL, NULL, s->inputs, attribute_count, s->in, attributes};
    const void *in[SAMPLE_INPUTS];
    int64_t at[VT_MAX_RANK] = {0};
    s->n = vt_graph_add(s->w->g, &spec);
    vt_gvalue out = *s->n->outputs[0];
    void *data = vt_new_bytes(&s->w->ctx, vt_gtype_bytes(&out.type) + 1);
    for (uint32_t i = 0; i < s->inputs; i++) in[i] = s->in[i] ? s->in[i]->data : NULL;
    out.data = data;
    evaluate_in(s, in, &data);
    sample_covered[op] = true;
    size_t i = 0;
    do {
        if (!vt_gtype_count(&out.type)) return;
        double got = vt_gelement_at(&out, i++), should = want(s, at);
        double bound = vt_element_least(out.type.element) == -INFINITY ? 1e-5 * fabs(should) + 2e-5 : 0;
        if (got == should || (isnan(got) && isnan(should))) continue;
        if (!(fabs(got - should) <= bound))
            fail_msg("%s, output %zu: %.9g, should be %.9g\n%s", vt_gop_text(op), i - 1, got, should,
                     vt_graph_text(s->w->g));
    } while (next_at(&out.type, at));
}

/* Runs body so many times, each in a new world. */
static inline void many(int times, void (*body)(world *w)) {
    for (int i = 0; i < times; i++) in_a_world(body);
}

#endif
