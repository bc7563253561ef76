/* Random networks: nodes that move elements. */
#ifndef TESTS_NETWORK_NODE_MOVES_H
#define TESTS_NETWORK_NODE_MOVES_H

#include "node_values.h"

/* y[at] = x[from], places by `map`. */
static void move(const value *x, value *y, void (*map)(const value *, const int64_t *, int64_t *, const int64_t *),
                 const int64_t *how) {
    for (int64_t i = 0; i < count_of(y); i++) {
        int64_t at[RANK_MAX] = {0}, from[RANK_MAX] = {0};
        places_of(y, i, at);
        map(x, at, from, how);
        y->data[i] = *element(x, from);
    }
}

static void by_order(const value *x, const int64_t *at, int64_t *from, const int64_t *order) {
    for (int k = 0; k < x->rank; k++) from[order[k]] = at[k];
}

static value transposed(network *n, const value *x) {
    int64_t order[] = {0, 1, 2, 3}, a = 1 + below(3), b = 1 + below(3), dim[RANK_MAX], keep = order[a];
    order[a] = order[b], order[b] = keep;
    for (int k = 0; k < x->rank; k++) dim[k] = x->dim[order[k]];
    value y = new_value(n, x->rank, dim);
    node(n, "Transpose", x->name, &y,
         text_of("perm=[%d,%d,%d,%d]", (int)order[0], (int)order[1], (int)order[2], (int)order[3]));
    move(x, &y, by_order, order);
    return y;
}

static void by_slice(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    for (int k = 0; k < x->rank; k++) from[k] = at[k] + (k == how[0] ? how[1] : 0);
}

static value slice(network *n, const value *x) {
    int64_t axis = 1 + below(3), start = below((uint32_t)x->dim[axis]);
    int64_t end = start + 1 + below((uint32_t)(x->dim[axis] - start)), dim[RANK_MAX];
    memcpy(dim, x->dim, sizeof dim);
    dim[axis] = end - start;
    value y = new_value(n, x->rank, dim);
    if (n->opset < 10)
        node(n, "Slice", x->name, &y, text_of("axes=[%d] starts=[%d] ends=[%d]", (int)axis, (int)start, (int)end));
    else
        node(n, "Slice", text_of("%s %s %s %s", x->name, ints(n, 1, &start), ints(n, 1, &end), ints(n, 1, &axis)), &y,
             "");
    move(x, &y, by_slice, (int64_t[]){axis, start});
    return y;
}

static value concat(network *n, const value *x, const value *z) {
    int64_t axis = 1 + below(3), dim[RANK_MAX];
    memcpy(dim, x->dim, sizeof dim);
    if (x->rank != z->rank || memcmp(x->dim, z->dim, sizeof dim)) z = x;
    dim[axis] *= 2;
    value y = new_value(n, x->rank, dim);
    node(n, "Concat", text_of("%s %s", x->name, z->name), &y, text_of("axis=%d", (int)axis));
    for (int64_t i = 0; i < count_of(&y); i++) {
        int64_t at[RANK_MAX];
        places_of(&y, i, at);
        bool second = at[axis] >= x->dim[axis];
        at[axis] -= second ? x->dim[axis] : 0;
        y.data[i] = *element(second ? z : x, at);
    }
    return y;
}

static value padded(network *n, const value *x) {
    static const char *const modes[] = {"constant", "edge", "reflect"};
    uint32_t mode = x->dim[2] > 1 && x->dim[3] > 1 ? below(3) : below(2);
    int64_t pads[8] = {0, 0, below(2), 1, 0, 0, 1, below(2)};
    value y = new_value(n, DIMS(x->dim[0], x->dim[1], x->dim[2] + pads[2] + pads[6], x->dim[3] + pads[3] + pads[7]));
    if (n->opset < 11)
        node(n, "Pad", x->name, &y,
             text_of("mode:%s pads=[0,0,%d,%d,0,0,%d,%d]", modes[mode], (int)pads[2], (int)pads[3], (int)pads[6],
                     (int)pads[7]));
    else
        node(n, "Pad", text_of("%s %s", x->name, ints(n, 8, pads)), &y, text_of("mode:%s", modes[mode]));
    for (int64_t i = 0; i < count_of(&y); i++) {
        int64_t at[RANK_MAX];
        bool outside = false;
        places_of(&y, i, at);
        for (int k = 2; k < 4; k++) {
            int64_t p = at[k] - pads[k], last = x->dim[k] - 1;
            outside |= p < 0 || p > last;
            if (mode == 2) p = p < 0 ? -p : p > last ? 2 * last - p : p;
            at[k] = p < 0 ? 0 : p > last ? last : p;
        }
        y.data[i] = outside && mode == 0 ? 0 : *element(x, at);
    }
    return y;
}

static void by_repeat(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    for (int k = 0; k < x->rank; k++) from[k] = k < 2 ? at[k] : at[k] / how[k - 2];
}

static value upsampled(network *n, const value *x) {
    int64_t scale[] = {1 + below(2), 2};
    value y = new_value(n, DIMS(x->dim[0], x->dim[1], x->dim[2] * scale[0], x->dim[3] * scale[1]));
    const char *name = text_of("v%u", n->names++);
    float scales[] = {1, 1, (float)scale[0], (float)scale[1]};
    make_constant(&n->m, name, FLOAT, "4", scales, sizeof scales);
    if (n->opset < 10)
        node(n, "Upsample", text_of("%s %s", x->name, name), &y, "mode:nearest");
    else if (n->opset == 10)
        node(n, "Resize", text_of("%s %s", x->name, name), &y, "mode:nearest");
    else
        node(n, "Resize", text_of("%s - %s", x->name, name), &y,
             "mode:nearest coordinate_transformation_mode:asymmetric nearest_mode:floor");
    move(x, &y, by_repeat, scale);
    return y;
}

static void by_depth(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    int64_t b = how[0], c = x->dim[1] / b / b;
    from[0] = at[0], from[1] = (at[2] % b * b + at[3] % b) * c + at[1];
    from[2] = at[2] / b, from[3] = at[3] / b;
}

static value depth_to_space(network *n, const value *x) {
    value y = new_value(n, DIMS(x->dim[0], x->dim[1] / 4, x->dim[2] * 2, x->dim[3] * 2));
    node(n, "DepthToSpace", x->name, &y, "blocksize=2");
    move(x, &y, by_depth, (int64_t[]){2});
    return y;
}

static void by_space(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    int64_t b = how[0], c = x->dim[1];
    from[0] = at[0], from[1] = at[1] % c;
    from[2] = at[2] * b + at[1] / c / b, from[3] = at[3] * b + at[1] / c % b;
}

static value space_to_depth(network *n, const value *x) {
    value y = new_value(n, DIMS(x->dim[0], x->dim[1] * 4, x->dim[2] / 2, x->dim[3] / 2));
    node(n, "SpaceToDepth", x->name, &y, "blocksize=2");
    move(x, &y, by_space, (int64_t[]){2});
    return y;
}

static value same_elements(network *n, const value *x, int rank, const int64_t *dim) {
    value y = new_value(n, rank, dim);
    memcpy(y.data, x->data, (size_t)count_of(x) * sizeof *x->data);
    return y;
}

/* To another shape, through an axis that comes and goes, or by the shape that the value has itself. */
static value reshaped(network *n, const value *x) {
    const int64_t *d = x->dim, dim[] = {d[0], d[1] * d[2], 1, d[3]}, rows = d[1] * d[2];
    if (below(3) == 0) {
        value shape = new_value(n, 0, NULL), y = same_elements(n, x, x->rank, d);
        node(n, "Shape", x->name, &shape, "");
        node(n, "Reshape", text_of("%s %s", x->name, shape.name), &y, "");
        return y;
    }
    value y = same_elements(n, x, 4, dim), flat = same_elements(n, x, 3, (int64_t[]){d[0], rows, d[3]});
    node(n, "Reshape", text_of("%s %s", x->name, ints(n, 3, (int64_t[]){0, -1, d[3]})), &flat, "");
    if (n->opset < 13)
        node(n, "Unsqueeze", flat.name, &y, "axes=[2]");
    else
        node(n, "Unsqueeze", text_of("%s %s", flat.name, ints(n, 1, (int64_t[]){2})), &y, "");
    return y;
}

/* Channels in another order: chosen by number, or two halves that change places. */
static value shuffled(network *n, const value *x) {
    int64_t c = x->dim[1], half = c / 2;
    value y = new_value(n, x->rank, x->dim);
    if (c % 2 == 0 && below(2)) {
        const int64_t parts[] = {half, half};
        value a = new_value(n, 0, NULL), b = new_value(n, 0, NULL);
        const char *both = text_of("%s %s", a.name, b.name);
        if (n->opset < 13)
            make_node(&n->m, "Split", x->name, both, text_of("axis=1 split=[%d,%d]", (int)half, (int)half));
        else
            make_node(&n->m, "Split", text_of("%s %s", x->name, ints(n, 2, parts)), both, "axis=1");
        node(n, "Concat", text_of("%s %s", b.name, a.name), &y, "axis=1");
    } else {
        int64_t *order = make_room((size_t)c, sizeof *order);
        half = below((uint32_t)c);
        for (int64_t i = 0; i < c; i++) order[i] = (i + half) % c;
        node(n, "Gather", text_of("%s %s", x->name, ints(n, (int)c, order)), &y, "axis=1");
    }
    for (int64_t i = 0; i < count_of(&y); i++) {
        int64_t at[RANK_MAX];
        places_of(&y, i, at);
        at[1] = (at[1] + half) % c;
        y.data[i] = *element(x, at);
    }
    return y;
}

static void by_tile(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    (void)how;
    for (int k = 0; k < x->rank; k++) from[k] = at[k] % x->dim[k];
}

static value tiled(network *n, const value *x) {
    value y = new_value(n, DIMS(x->dim[0], x->dim[1], x->dim[2], x->dim[3] * 2));
    node(n, "Tile", text_of("%s %s", x->name, ints(n, DIMS(1, 1, 1, 2))), &y, "");
    move(x, &y, by_tile, NULL);
    return y;
}

#endif
