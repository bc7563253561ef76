/* Random networks as ONNX files, and what they compute, by plain loops that share nothing with src/vtac/frontend/eval:
 * each node is written and computed at once. */
#ifndef TESTS_NETWORK_ARCHITECTURE_H
#define TESTS_NETWORK_ARCHITECTURE_H

#include "node_elements.h"
#include "node_moves.h"
#include "node_sums.h"

static value moved(network *n, const value *x, const value *other) {
    switch (below(10)) {
    case 0: return transposed(n, x);
    case 1: return slice(n, x);
    case 2: return concat(n, x, other);
    case 3: return padded(n, x);
    case 4: return upsampled(n, x);
    case 5: return x->dim[1] % 4 ? shuffled(n, x) : depth_to_space(n, x);
    case 6: return x->dim[2] % 2 || x->dim[3] % 2 ? padded(n, x) : space_to_depth(n, x);
    case 7: return reshaped(n, x);
    case 8: return below(4) ? shuffled(n, x) : tiled(n, x);
    default: return concat(n, x, x);
    }
}

static value grow(network *n, const value *x, const value *other) {
    switch (below(14)) {
    case 0:
    case 1:
    case 2:
    case 3: return conv(n, x);
    case 4: return conv_transpose(n, x);
    case 5: return pool(n, x);
    case 6: return batch_normalization(n, x);
    case 7:
    case 8: return unary(n, x);
    case 9:
    case 10: return binary(n, x, other);
    case 11: return moved(n, x, other);
    case 12: return below(3) ? reduction(n, x) : normalization(n, x);
    default: return below(4) ? softmax(n, x) : below(2) ? steps(n, x) : choice(n, x);
    }
}

static bool is_small(const value *v) {
    for (int64_t i = 0; i < count_of(v); i++)
        if (!(fabsf(v->data[i]) < 50)) return false;
    return count_of(v) <= 3000;
}

/* Of 3 to 10 nodes behind one input of images; the last value is the output. Deterministic. */
static void random_network(network *n, uint32_t seed) {
    static const int64_t opsets[] = {7, 9, 10, 11, 13, 15, 17};
    random_state = seed * 7919u + 1;
    memset(n, 0, sizeof *n);
    n->opset = opsets[below(7)];
    make_model(&n->m, n->opset);
    value x = new_value(n, DIMS(1 + below(2), 1 + below(18), 3 + below(7), 3 + below(7)));
    for (int64_t i = 0; i < count_of(&x); i++) x.data[i] = uniform();
    make_input(&n->m, x.name, FLOAT, shape_text(x.rank, x.dim));
    n->have[n->have_count++] = x;
    uint32_t nodes = 2 + below(7);
    while (n->have_count <= nodes) {
        const value *last = &n->have[n->have_count - 1 - (n->have_count > 2 ? below(2) : 0)];
        value y = grow(n, last, &n->have[below(n->have_count)]);
        n->have[n->have_count++] = y;
        if (!is_small(&y)) break;
    }
    if (below(2)) {
        const value *last = &n->have[n->have_count - 1];
        value mean = global_pool(n, last), y = product(n, below(2) ? &mean : last);
        n->have[n->have_count++] = y;
    }
    make_output(&n->m, n->have[n->have_count - 1].name);
}

#endif
