/* LSTM, GRU and RNN, unrolled: the inputs of all steps are one product with W, every step is one with R, and the gates
 * are operators by element. What a sequence has after its length leaves the state as it is. */
#include <string.h>

#include "frontend/onnx/runtime.h"

enum { STEPS_MAX = 1 << 12, NODES_OF_STEP = 16 /* about */, FUNCTIONS = 3 };

typedef struct recurrent {
    const vt_onnx_node *n;
    int64_t steps, batch, width, hidden, directions, gates;
    vt_gvalue *x;                        /* [steps, batch, width] */
    vt_gvalue *length;                   /* [batch, 1], int32; NULL: every sequence has all steps */
    double clip;                         /* 0: none */
    uint32_t functions, numbers_used[2]; /* of a direction; entries of activation_alpha and _beta that are used up */
} recurrent;

/* One direction. Weights are those of products whose second matrix is transposed. */
typedef struct direction {
    const recurrent *of;
    bool backwards;
    vt_gvalue *recurrence; /* [gates * hidden, hidden] */
    vt_gvalue *input;      /* of all steps: [steps, batch, gates * hidden] */
    vt_gvalue *state_bias; /* of the product with the state, [1, hidden]: of a GRU's last gate, or NULL */
    vt_gvalue *peephole[3];
    struct function {
        const char *name;
        double alpha, beta;
    } function[FUNCTIONS];
} direction;

/* ---- Activations ---- */

/* Those with numbers, and what these are where the model does not say. */
static const struct {
    const char *name;
    uint32_t numbers;
    double alpha, beta;
} activations[] = {{"Relu", 0, 0, 0},     {"Tanh", 0, 0, 0},         {"Sigmoid", 0, 0, 0}, {"Softsign", 0, 0, 0},
                   {"Softplus", 0, 0, 0}, {"LeakyRelu", 1, 0.01, 0}, {"Elu", 1, 1, 0},     {"HardSigmoid", 2, 0.2, 0.5},
                   {"Affine", 2, 1, 0},   {"ScaledTanh", 2, 1, 1}};

static double next_number(recurrent *r, uint32_t which, double otherwise) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(r->n, which ? "activation_beta" : "activation_alpha");
    uint32_t at = r->numbers_used[which]++;
    return a && at < a->n_floats ? (double)a->floats[at] : otherwise;
}

static struct function function_of(recurrent *r, const char *name) {
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
        if (strcmp(activations[i].name, name) != 0) continue;
        struct function f = {activations[i].name, activations[i].alpha, activations[i].beta};
        if (activations[i].numbers > 0) f.alpha = next_number(r, 0, f.alpha);
        if (activations[i].numbers > 1) f.beta = next_number(r, 1, f.beta);
        return f;
    }
    vt__onnx_unsupported(r->n, "activation %s is not supported", name);
}

static void set_functions(recurrent *r, direction *d, uint32_t index, const char *const *otherwise) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(r->n, "activations");
    if (a && a->n_strings != (size_t)(r->functions * r->directions))
        vt__onnx_wrong(r->n, "%zu activations, expected %u", a->n_strings, (unsigned)(r->functions * r->directions));
    for (uint32_t i = 0; i < r->functions; i++) {
        const ProtobufCBinaryData *text = a ? &a->strings[index * r->functions + i] : NULL;
        d->function[i] =
            function_of(r, text ? vt_new_stringn(r->n->r->ctx, (const char *)text->data, text->len) : otherwise[i]);
    }
}

static vt_gvalue *activated(const direction *d, uint32_t which, vt_gvalue *x) {
    const vt_onnx_node *n = d->of->n;
    const struct function *f = &d->function[which];
    vt_gop op = vt_gop_find(f->name);
    if (d->of->clip > 0) x = vt__mk_clip(n, x, -d->of->clip, d->of->clip);
    if (!strcmp(f->name, "Affine")) return vt__mk_plus(n, vt__mk_times(n, x, f->alpha), f->beta);
    if (!strcmp(f->name, "ScaledTanh"))
        return vt__mk_times(n, vt__mk_one(n, VT_G_TANH, vt__mk_times(n, x, f->beta)), f->alpha);
    if (!strcmp(f->name, "Softsign")) return vt__mk_two(n, VT_G_DIV, x, vt__mk_plus(n, vt__mk_one(n, VT_G_ABS, x), 1));
    const vt_gattr set[] = {VT_GSET_FLOAT(ALPHA, f->alpha), VT_GSET_FLOAT(BETA, f->beta)};
    uint32_t count = op == VT_G_HARD_SIGMOID ? 2 : op == VT_G_LEAKY_RELU || op == VT_G_ELU ? 1 : 0;
    return vt__onnx_make(n, op, 1, &x, count, set);
}

/* ---- Operands ---- */

/* Entry `index` of the first axis, which goes. */
static vt_gvalue *entry(const recurrent *r, size_t input, uint32_t index, uint32_t rank, int64_t first,
                        int64_t second) {
    vt_gvalue *v = vt__onnx_in(r->n, input);
    const int64_t dims[] = {first, second};
    if (!v) return NULL;
    vt__want_axes(r->n, v, rank + 1), vt__onnx_want_floats(r->n, v);
    if (v->type.dim[0] != r->directions || v->type.dim[1] != first || (rank == 2 && v->type.dim[2] != second))
        vt__onnx_wrong(
            r->n, "%s does not have the shape that %lld directions, a batch of %lld and %lld hidden numbers ask for",
            v->name, (long long)r->directions, (long long)r->batch, (long long)r->hidden);
    return vt__onnx_reshape_to(r->n, vt__mk_part(r->n, v, 0, index, 1), rank, dims);
}

/* Rows of x times the transposed w, plus a row. */
static vt_gvalue *product(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *w, vt_gvalue *bias) {
    vt_gvalue *in[] = {x, w, bias};
    return vt__onnx_make(n, VT_G_GEMM, bias ? 3 : 2, in, VT_ONNX_ATTRIBUTES(VT_GSET_INT(TRANS_B, 1)));
}

static vt_gvalue *rows_of(const direction *d, vt_gvalue *w, int64_t first, int64_t count) {
    return vt__mk_part(d->of->n, w, 0, first * d->of->hidden, count * d->of->hidden);
}

/* Of a GRU whose last gate is reset after the product its bias of the state stands by itself. */
static void set_operands(const recurrent *r, direction *d, uint32_t index, bool apart) {
    const vt_onnx_node *n = r->n;
    int64_t all = r->gates * r->hidden, flat[] = {r->steps * r->batch, r->width};
    vt_gvalue *w = entry(r, 1, index, 2, all, r->width), *b = entry(r, 3, index, 1, 2 * all, 0), *bias = NULL;
    d->recurrence = entry(r, 2, index, 2, all, r->hidden);
    if (!w || !d->recurrence) vt__onnx_wrong(n, "the weights are missing");
    if (b) {
        vt_gvalue *state = vt__mk_part(n, b, 0, all, all);
        bias = vt__mk_part(n, b, 0, 0, all);
        if (apart) {
            void *zeros;
            d->state_bias = vt__mk_part(n, state, 0, all - r->hidden, r->hidden);
            vt_gvalue *parts[] = {vt__mk_part(n, state, 0, 0, all - r->hidden),
                                  vt__mk_room(n, VT_ELEMENT_F32, 1, &r->hidden, &zeros)};
            state = vt__mk_concat(n, 2, parts, 0);
        }
        bias = vt__mk_two(n, VT_G_ADD, bias, state);
    }
    vt_gvalue *y = product(n, vt__onnx_reshape_to(n, r->x, 2, flat), w, bias);
    d->input = vt__onnx_reshape_to(n, y, 3, (int64_t[]){r->steps, r->batch, all});
}

/* The part of a gate of [batch, gates * hidden]. */
static vt_gvalue *gate(const direction *d, vt_gvalue *x, int64_t first, int64_t count) {
    return vt__mk_part(d->of->n, x, 1, first * d->of->hidden, count * d->of->hidden);
}

static vt_gvalue *step_of(const direction *d, int64_t t) {
    vt_gvalue *x = vt__mk_part(d->of->n, d->input, 0, t, 1);
    return vt__onnx_reshape_to(d->of->n, x, 2, d->input->type.dim + 1);
}

/* ---- Cells: the state after a step ---- */

typedef struct state {
    vt_gvalue *h, *c; /* [batch, hidden] */
} state;
typedef state cell(const direction *d, vt_gvalue *x, state s);

static state rnn_cell(const direction *d, vt_gvalue *x, state s) {
    const vt_onnx_node *n = d->of->n;
    return (state){.h = activated(d, 0, vt__mk_two(n, VT_G_ADD, x, product(n, s.h, d->recurrence, NULL)))};
}

/* Gates z, r, h. */
static state gru_cell(const direction *d, vt_gvalue *x, state s) {
    const vt_onnx_node *n = d->of->n;
    bool after = vt__onnx_int(n, "linear_before_reset", 0) != 0;
    vt_gvalue *two = vt__mk_two(n, VT_G_ADD, gate(d, x, 0, 2), product(n, s.h, rows_of(d, d->recurrence, 0, 2), NULL));
    two = activated(d, 0, two);
    vt_gvalue *z = gate(d, two, 0, 1), *r = gate(d, two, 1, 1), *last = rows_of(d, d->recurrence, 2, 1), *h;
    if (after)
        h = vt__mk_two(n, VT_G_MUL, r, product(n, s.h, last, d->state_bias));
    else
        h = product(n, vt__mk_two(n, VT_G_MUL, r, s.h), last, NULL);
    h = activated(d, 1, vt__mk_two(n, VT_G_ADD, gate(d, x, 2, 1), h));
    vt_gvalue *kept = vt__mk_two(n, VT_G_MUL, z, vt__mk_two(n, VT_G_SUB, s.h, h));
    return (state){.h = vt__mk_two(n, VT_G_ADD, h, kept)};
}

static vt_gvalue *peeped(const direction *d, vt_gvalue *x, uint32_t which, vt_gvalue *c) {
    const vt_onnx_node *n = d->of->n;
    return d->peephole[which] ? vt__mk_two(n, VT_G_ADD, x, vt__mk_two(n, VT_G_MUL, c, d->peephole[which])) : x;
}

/* Gates i, o, f, c. */
static state lstm_cell(const direction *d, vt_gvalue *x, state s) {
    const vt_onnx_node *n = d->of->n;
    vt_gvalue *all = vt__mk_two(n, VT_G_ADD, x, product(n, s.h, d->recurrence, NULL)), *i, *o = NULL, *f;
    if (d->peephole[0]) {
        i = activated(d, 0, peeped(d, gate(d, all, 0, 1), 0, s.c));
        f = activated(d, 0, peeped(d, gate(d, all, 2, 1), 2, s.c));
    } else {
        vt_gvalue *three = activated(d, 0, gate(d, all, 0, 3));
        i = gate(d, three, 0, 1), o = gate(d, three, 1, 1), f = gate(d, three, 2, 1);
    }
    if (vt__onnx_int(n, "input_forget", 0)) f = vt__mk_plus(n, vt__mk_times(n, i, -1), 1);
    vt_gvalue *c = vt__mk_two(n, VT_G_MUL, i, activated(d, 1, gate(d, all, 3, 1)));
    c = vt__mk_two(n, VT_G_ADD, vt__mk_two(n, VT_G_MUL, f, s.c), c);
    if (!o) o = activated(d, 0, peeped(d, gate(d, all, 1, 1), 1, c));
    direction unclipped = *d;
    recurrent plain = *d->of;
    plain.clip = 0; /* what goes out is not cut off */
    unclipped.of = &plain;
    return (state){.h = vt__mk_two(n, VT_G_MUL, o, activated(&unclipped, 2, c)), .c = c};
}

/* ---- All steps ---- */

static vt_gvalue *chosen(const vt_onnx_node *n, vt_gvalue *inside, vt_gvalue *a, vt_gvalue *b) {
    return inside && a ? vt__mk_where(n, inside, a, b) : a;
}

/* The state after the last step; out_steps: the output of each, [1, 1, batch, hidden]. */
static state run(const direction *d, cell *f, state s, vt_gvalue **out_steps) {
    const recurrent *r = d->of;
    const vt_onnx_node *n = r->n;
    const int64_t dims[] = {1, 1, r->batch, r->hidden};
    void *data;
    vt_gvalue *zeros = vt__mk_room(n, VT_ELEMENT_F32, 2, dims + 2, &data);
    for (int64_t k = 0; k < r->steps; k++) {
        int64_t t = d->backwards ? r->steps - 1 - k : k;
        state next = f(d, step_of(d, t), s);
        vt_gvalue *inside = r->length ? vt__mk_with(n, VT_G_GREATER, r->length, (double)t) : NULL;
        out_steps[t] = vt__onnx_reshape_to(n, chosen(n, inside, next.h, zeros), 4, dims);
        s = (state){chosen(n, inside, next.h, s.h), chosen(n, inside, next.c, s.c)};
        vt_poll(n->r->ctx);
    }
    return s;
}

static state first_state(const recurrent *r, uint32_t index, bool has_cell) {
    const int64_t dims[] = {r->batch, r->hidden};
    void *data;
    vt_gvalue *zeros = vt__mk_room(r->n, VT_ELEMENT_F32, 2, dims, &data);
    vt_gvalue *h = entry(r, 5, index, 2, r->batch, r->hidden);
    vt_gvalue *c = has_cell ? entry(r, 6, index, 2, r->batch, r->hidden) : NULL;
    return (state){h ? h : zeros, has_cell ? (c ? c : zeros) : NULL};
}

/* Lengths that are all of the steps are none. */
static vt_gvalue *lengths_of(const recurrent *r) {
    vt_gvalue *v = vt__onnx_in(r->n, 4), *known = v ? vt__onnx_known(r->n, v) : NULL;
    bool all = known != NULL;
    if (!v) return NULL;
    if (v->type.element != VT_ELEMENT_I32 || v->type.rank != 1 || v->type.dim[0] != r->batch)
        vt__onnx_wrong(r->n, "sequence_lens (%s) is not one int32 for each of %lld sequences", v->name,
                       (long long)r->batch);
    for (int64_t i = 0; known && i < r->batch; i++) {
        int32_t length = ((const int32_t *)known->data)[i];
        if (length < 0 || length > r->steps)
            vt__onnx_wrong(r->n, "a sequence of %d steps, where there are %lld", (int)length, (long long)r->steps);
        all = all && length == r->steps;
    }
    return all ? NULL : vt__onnx_reshape_to(r->n, v, 2, (int64_t[]){r->batch, 1});
}

static recurrent recurrent_of(const vt_onnx_node *n, int64_t gates, uint32_t functions) {
    const char *how = vt__onnx_string(n, "direction", "forward");
    recurrent r = {.n = n, .x = vt__onnx_need(n, 0), .gates = gates, .functions = functions};
    const vt_gvalue *w = vt__onnx_need(n, 1), *again = vt__onnx_need(n, 2);
    vt__want_axes(n, r.x, 3), vt__onnx_want_floats(n, r.x), vt__want_axes(n, w, 3), vt__want_axes(n, again, 3);
    if (vt__onnx_int(n, "layout", 0)) vt__onnx_unsupported(n, "layout 1, with the batch in front, is not supported");
    r.steps = r.x->type.dim[0], r.batch = r.x->type.dim[1], r.width = r.x->type.dim[2];
    r.directions = strcmp(how, "bidirectional") ? 1 : 2;
    r.hidden = vt__onnx_int(n, "hidden_size", again->type.dim[2]);
    r.clip = vt__onnx_float(n, "clip", 0);
    if (r.hidden < 1 || r.hidden != again->type.dim[2]) vt__onnx_wrong(n, "hidden_size is %lld", (long long)r.hidden);
    if (r.steps < 1 || r.batch < 1 || r.width < 1) vt__onnx_unsupported(n, "the input has no elements");
    if (r.steps > STEPS_MAX)
        vt__onnx_unsupported(n, "%lld steps; at most %d are unrolled", (long long)r.steps, STEPS_MAX);
    if (n->r->in_body) vt__onnx_count_unrolled(n, (size_t)(r.steps * r.directions) * NODES_OF_STEP);
    r.length = lengths_of(&r);
    return r;
}

static void unroll(const vt_onnx_node *n, int64_t gates, const char *const *functions, uint32_t count, cell *f) {
    recurrent r = recurrent_of(n, gates, count);
    bool has_cell = gates == 4, backwards = !strcmp(vt__onnx_string(n, "direction", "forward"), "reverse");
    vt_gvalue *y[2] = {NULL}, *h[2] = {NULL}, *c[2] = {NULL};
    vt_gvalue **steps = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, (size_t)r.steps);
    for (uint32_t i = 0; i < r.directions; i++) {
        direction d = {.of = &r, .backwards = i == 1 || backwards};
        const int64_t dims[] = {1, r.batch, r.hidden};
        vt_gvalue *p = has_cell ? entry(&r, 7, i, 1, 3 * r.hidden, 0) : NULL;
        set_functions(&r, &d, i, functions);
        set_operands(&r, &d, i, gates == 3 && vt__onnx_int(n, "linear_before_reset", 0));
        for (int64_t k = 0; p && k < 3; k++) d.peephole[k] = vt__mk_part(n, p, 0, k * r.hidden, r.hidden);
        state s = run(&d, f, first_state(&r, i, has_cell), steps);
        if (vt__onnx_wants(n, 0)) y[i] = vt__mk_joined(n, 0, (uint32_t)r.steps, steps);
        h[i] = vt__onnx_reshape_to(n, s.h, 3, dims);
        if (has_cell) c[i] = vt__onnx_reshape_to(n, s.c, 3, dims);
    }
    if (vt__onnx_wants(n, 0)) vt__onnx_out(n, 0, vt__mk_joined(n, 1, 2, y));
    vt__onnx_out(n, 1, vt__mk_joined(n, 0, 2, h));
    if (has_cell) vt__onnx_out(n, 2, vt__mk_joined(n, 0, 2, c));
}

void vt__onnx_lstm(const vt_onnx_node *n) {
    unroll(n, 4, (const char *const[]){"Sigmoid", "Tanh", "Tanh"}, 3, lstm_cell);
}

void vt__onnx_gru(const vt_onnx_node *n) { unroll(n, 3, (const char *const[]){"Sigmoid", "Tanh"}, 2, gru_cell); }

void vt__onnx_rnn(const vt_onnx_node *n) { unroll(n, 1, (const char *const[]){"Tanh"}, 1, rnn_cell); }
