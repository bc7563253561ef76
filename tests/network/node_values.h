/* Random networks: values, random numbers, and the text of a node. */
#ifndef TESTS_NETWORK_NODE_VALUES_H
#define TESTS_NETWORK_NODE_VALUES_H

#include <math.h>
#include <stdint.h>

#include "graph/onnx_make.h"

enum { FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, INT8 = ONNX__TENSOR_PROTO__DATA_TYPE__INT8, RANK_MAX = 4 };

typedef struct value {
    char name[16];
    int rank;
    int64_t dim[RANK_MAX];
    float *data; /* row-major */
} value;

typedef struct network {
    making m;
    int64_t opset;
    uint32_t names;
    value have[32];
    uint32_t have_count;
    bool stepped; /* a value is rounded to a few steps: a small error can become one of them */
} network;

/* ---- Random numbers -------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t below(uint32_t count) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % count;
}
static float uniform(void) { return (float)below(20001) / 10000 - 1; }

/* ---- Values ---------------------------------------------------------------------------------------------------- */

static int64_t count_of(const value *v) {
    int64_t count = 1;
    for (int i = 0; i < v->rank; i++) count *= v->dim[i];
    return count;
}

static value new_value(network *n, int rank, const int64_t *dim) {
    value v = {.rank = rank};
    snprintf(v.name, sizeof v.name, "v%u", n->names++);
    for (int i = 0; i < rank; i++) v.dim[i] = dim[i];
    v.data = make_room((size_t)count_of(&v) + 1, sizeof *v.data);
    return v;
}

/* Element number `i` as places along the axes. */
static void places_of(const value *v, int64_t i, int64_t at[RANK_MAX]) {
    for (int k = v->rank; k-- > 0;) at[k] = i % v->dim[k], i /= v->dim[k];
}

static float *element(const value *v, const int64_t *at) {
    int64_t i = 0;
    for (int k = 0; k < v->rank; k++) i = i * v->dim[k] + at[k];
    return &v->data[i];
}

/* The element of a value that broadcasts, its axes being the last ones of `rank`. */
static float spread(const value *v, int rank, const int64_t *at) {
    int64_t own[RANK_MAX] = {0};
    for (int k = 0; k < v->rank; k++) own[k] = v->dim[k] == 1 ? 0 : at[k + rank - v->rank];
    return *element(v, own);
}

static const char *shape_text(int rank, const int64_t *dim) {
    char *text = make_room(96, 1);
    for (int i = 0; i < rank; i++) sprintf(text + strlen(text), "%s%lld", i ? "," : "", (long long)dim[i]);
    return text;
}

static const char *text_of(const char *form, ...) __attribute__((format(printf, 1, 2)));
#include <stdarg.h>
static const char *text_of(const char *form, ...) {
    char *text = make_room(256, 1);
    va_list args;
    va_start(args, form);
    vsnprintf(text, 256, form, args);
    va_end(args);
    return text;
}

/* A constant of random numbers around `middle`. */
static value weights(network *n, float size, float middle, int rank, const int64_t *dim) {
    value v = new_value(n, rank, dim);
    for (int64_t i = 0; i < count_of(&v); i++) v.data[i] = middle + size * uniform();
    make_constant(&n->m, v.name, FLOAT, shape_text(rank, dim), v.data, (size_t)count_of(&v) * sizeof *v.data);
    return v;
}

static const char *ints(network *n, int count, const int64_t *list) {
    const char *name = text_of("v%u", n->names++), *shape = text_of("%d", count);
    make_constant(&n->m, name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, shape, list, (size_t)count * sizeof *list);
    return name;
}

static void node(network *n, const char *op, const char *inputs, const value *y, const char *attributes) {
    make_node(&n->m, op, inputs, y->name, attributes);
}

#define DIMS(...)                                                                                                      \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }

#endif
