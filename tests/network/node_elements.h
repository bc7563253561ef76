/* Random networks: nodes that compute each element from those at its place. */
#ifndef TESTS_NETWORK_NODE_ELEMENTS_H
#define TESTS_NETWORK_NODE_ELEMENTS_H

#include "node_values.h"

enum { UNARY = 19 };

static double unary_of(uint32_t which, double x) {
    switch (which) {
    case 0: return fmax(x, 0);
    case 1: return x < 0 ? 0.125 * x : x;
    case 2: return x < 0 ? (double)0.3f * x : x;
    case 3: return fmin(fmax(x, -0.25), 0.75);
    case 4: return 1 / (1 + exp(-x));
    case 5: return fmax(0, fmin(1, 0.25 * x + 0.5));
    case 6: return x * fmax(0, fmin(1, x / 6 + 0.5));
    case 7: return x < 0 ? 0.5 * (exp(x) - 1) : x;
    case 8: return log(1 + exp(x));
    case 9: return tanh(x);
    case 10: return erf(x);
    case 11: return fabs(x);
    case 12: return -x;
    case 13: return exp(-fabs(x));
    case 14: return log(1 + fabs(x));
    case 15: return sqrt(fabs(x) + 0.25);
    case 16: return 1 / (1 + fabs(x));
    case 17: return x * x;
    default: return x;
    }
}

/* `op` of what is there by now, into y. */
static void write_unary(network *n, uint32_t which, const value *x, const value *y) {
    static const struct {
        const char *op, *attributes;
    } forms[] = {{"Relu", ""},
                 {"LeakyRelu", "alpha=0.125"},
                 {"LeakyRelu", "alpha=0.3"},
                 {"Clip", ""},
                 {"Sigmoid", ""},
                 {"HardSigmoid", "alpha=0.25 beta=0.5"},
                 {"HardSwish", ""},
                 {"Elu", "alpha=0.5"},
                 {"Softplus", ""},
                 {"Tanh", ""},
                 {"Erf", ""},
                 {"Abs", ""},
                 {"Neg", ""},
                 {"Exp", ""},
                 {"Log", ""},
                 {"Sqrt", ""},
                 {"Reciprocal", ""},
                 {"Pow", ""},
                 {"Identity", ""}};
    if (which < 13 && which != 3) {
        node(n, forms[which].op, x->name, y, forms[which].attributes);
        return;
    }
    value one = weights(n, 0, which == 15 ? 0.25f : which == 17 ? 2 : 1, 0, NULL);
    value a = new_value(n, 0, NULL), b = new_value(n, 0, NULL);
    switch (which) {
    case 3:
        if (n->opset < 11) {
            node(n, "Clip", x->name, y, "min=-0.25 max=0.75");
        } else {
            value low = weights(n, 0, -0.25f, 0, NULL), high = weights(n, 0, 0.75f, 0, NULL);
            node(n, "Clip", text_of("%s %s %s", x->name, low.name, high.name), y, "");
        }
        return;
    case 13: node(n, "Abs", x->name, &a, ""), node(n, "Neg", a.name, &b, ""), node(n, "Exp", b.name, y, ""); return;
    case 14:
    case 15:
    case 16:
        node(n, "Abs", x->name, &a, "");
        node(n, "Add", text_of("%s %s", a.name, one.name), &b, "");
        node(n, forms[which].op, b.name, y, "");
        return;
    case 17: node(n, "Pow", text_of("%s %s", x->name, one.name), y, ""); return;
    default: node(n, below(2) ? "Identity" : "Dropout", x->name, y, ""); return;
    }
}

static value unary(network *n, const value *x) {
    uint32_t which = below(3) ? below(4) : below(UNARY);
    value y = new_value(n, x->rank, x->dim);
    if ((which == 6 && n->opset < 14) || (which == 10 && n->opset < 9)) which = 4;
    write_unary(n, which, x, &y);
    for (int64_t i = 0; i < count_of(x); i++) y.data[i] = (float)unary_of(which, (double)x->data[i]);
    return y;
}

static double binary_of(uint32_t which, double a, double b) {
    switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return fmin(a, b);
    case 4: return fmax(a, b);
    case 5: return a / b;
    default: return a < 0 ? a * b : a;
    }
}

/* With a value of the same shape, else with a constant of each channel. */
static value binary(network *n, const value *x, const value *other) {
    static const char *const names[] = {"Add", "Sub", "Mul", "Min", "Max", "Div", "PRelu"};
    bool same = x->rank == other->rank && !memcmp(x->dim, other->dim, sizeof x->dim);
    uint32_t which = same && below(2) ? 0 : below(same ? 5 : 7);
    value by = same ? *other : weights(n, 0.5f, 1, DIMS(x->dim[1], 1, 1)), y = new_value(n, x->rank, x->dim);
    bool sum = same && which == 0 && below(4) == 0; /* of three */
    node(n, sum ? "Sum" : names[which], text_of(sum ? "%s %s %s" : "%s %s", x->name, by.name, x->name), &y, "");
    for (int64_t i = 0; i < count_of(x); i++) {
        int64_t at[RANK_MAX];
        places_of(x, i, at);
        y.data[i] = (float)binary_of(which, (double)x->data[i], (double)spread(&by, x->rank, at));
        if (sum) y.data[i] += x->data[i];
    }
    return y;
}

/* A comparison decides: operators of bools. Where is in operator sets from 9 on. */
static value choice(network *n, const value *x) {
    if (n->opset < 9) return unary(n, x);
    value limit = weights(n, 0, 0.123f, 0, NULL), is = new_value(n, 0, NULL), y = new_value(n, x->rank, x->dim);
    node(n, below(2) ? "Less" : "Greater", text_of("%s %s", x->name, limit.name), &is, "");
    bool less = !strcmp(n->m.nodes[n->m.graph.n_node - 1]->op_type, "Less");
    node(n, "Where", text_of("%s %s %s", is.name, x->name, limit.name), &y, "");
    for (int64_t i = 0; i < count_of(x); i++) {
        bool chosen = less ? x->data[i] < limit.data[0] : x->data[i] > limit.data[0];
        y.data[i] = chosen ? x->data[i] : limit.data[0];
    }
    return y;
}

/* Rounded to integers of 8 bits and back. */
static value steps(network *n, const value *x) {
    if (n->opset < 10) return unary(n, x); /* they have no such operators */
    value scale = weights(n, 0, 1.0f / 32, 0, NULL), q = new_value(n, 0, NULL), y = new_value(n, x->rank, x->dim);
    const char *zero = text_of("v%u", n->names++);
    make_constant(&n->m, zero, INT8, "", (int8_t[]){0}, 1);
    node(n, "QuantizeLinear", text_of("%s %s %s", x->name, scale.name, zero), &q, "");
    node(n, "DequantizeLinear", text_of("%s %s %s", q.name, scale.name, zero), &y, "");
    for (int64_t i = 0; i < count_of(x); i++)
        y.data[i] = (float)fmin(fmax(nearbyint((double)x->data[i] * 32), -128), 127) / 32;
    n->stepped = true;
    return y;
}

#endif
