/* What only one side of a choice reads is computed where the condition takes that side: held against an evaluation from
 * the outputs backwards, on random graphs; and what is left out cannot fail. */
#include "build.h"
#include "frontend/eval/eval.h"

enum { BOOLS = 4, INTS_IN = 3, COUNT = 3 };

static uint64_t seed;

static uint32_t below(uint32_t n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

typedef struct inputs {
    uint8_t bools[BOOLS];
    int32_t ints[INTS_IN][COUNT];
} inputs;

static vta_status evaluate(const world *w, const inputs *in, bool keep, int32_t *out, size_t count) {
    vt_eval *e;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vt_eval_open(w->g, &(vt_eval_options){.keep = keep}, NULL, diag, &e), VTA_OK);
    for (uint32_t i = 0; i < w->g->inputs.count; i++)
        vt_eval_input(e, i, i < BOOLS ? (const void *)&in->bools[i] : (const void *)in->ints[i - BOOLS]);
    vta_status status = vt_eval_run(e, diag);
    for (size_t i = 0; status == VTA_OK && i < count; i++)
        memcpy(out + i * COUNT, vt_eval_value(e, w->g->outputs.item[i]), COUNT * sizeof *out);
    vt_eval_close(e);
    vta_diag_destroy(diag);
    return status;
}

static void add_inputs(world *w, vt_gvalue **bools, vt_gvalue **ints) {
    for (int i = 0; i < BOOLS; i++) bools[i] = vt_graph_input(w->g, "b", SCALAR(BOOL));
    for (int i = 0; i < INTS_IN; i++) ints[i] = vt_graph_input(w->g, "x", TYPE(I32, COUNT));
}

static vt_gvalue *choice(world *w, vt_gvalue *c, vt_gvalue *a, vt_gvalue *b) {
    vt_gvalue *in[] = {c, a, b};
    return vt_graph_add(w->g, &(vt_gnode_spec){.op = VT_G_WHERE, .input_count = 3, .inputs = in})->outputs[0];
}

static vt_gvalue *two(world *w, vt_gop op, vt_gvalue *a, vt_gvalue *b) {
    return vt_graph_apply(w->g, op, NULL, a, b, 0, NULL);
}

/* ---- Another reading of the same: from the outputs backwards ---------------------------------------------------- */

typedef struct reading {
    const world *w;
    const inputs *in;
    bool failed;
} reading;

static void read_value(reading *r, const vt_gvalue *v, int32_t out[COUNT]);

static bool read_bool(reading *r, const vt_gvalue *v) {
    if (!v->by) return r->in->bools[v->index] != 0;
    bool a = read_bool(r, v->by->inputs[0]);
    return v->by->op == VT_G_NOT ? !a : a && read_bool(r, v->by->inputs[1]);
}

static void read_two(reading *r, const vt_gnode *n, int32_t out[COUNT]) {
    int32_t a[COUNT], b[COUNT];
    read_value(r, n->inputs[0], a);
    read_value(r, n->inputs[1], b);
    for (int i = 0; i < COUNT; i++) {
        if (n->op == VT_G_DIV && !b[i]) r->failed = true;
        out[i] = n->op == VT_G_ADD ? (int32_t)((uint32_t)a[i] + (uint32_t)b[i]) : b[i] ? a[i] / b[i] : 0;
    }
}

static void read_value(reading *r, const vt_gvalue *v, int32_t out[COUNT]) {
    const vt_gnode *n = v->by;
    if (!n)
        memcpy(out, r->in->ints[v->index - BOOLS], sizeof r->in->ints[0]);
    else if (n->op == VT_G_WHERE)
        read_value(r, n->inputs[read_bool(r, n->inputs[0]) ? 1 : 2], out);
    else
        read_two(r, n, out);
}

/* ---- Random graphs -------------------------------------------------------------------------------------------------
 */

enum { MANY = 24, OUTPUTS = 2 };

static int graphs_seed, spared;

static void random_graph(world *w) {
    seed = (uint64_t)graphs_seed + 1;
    vt_gvalue *bools[BOOLS + MANY], *ints[INTS_IN + MANY];
    uint32_t bool_count = BOOLS, int_count = INTS_IN;
    inputs in;
    int32_t got[OUTPUTS * COUNT], all[OUTPUTS * COUNT], expected[COUNT];
    add_inputs(w, bools, ints);
    for (int i = 0; i < MANY; i++) {
        vt_gvalue *a = ints[int_count - 1 - below(5 < int_count ? 5 : int_count)], *b = ints[below(int_count)];
        vt_gvalue *c = bools[below(bool_count)], *d = bools[below(bool_count)];
        switch (below(6)) {
        case 0: bools[bool_count++] = vt_graph_apply(w->g, VT_G_NOT, NULL, c, NULL, 0, NULL); break;
        case 1: bools[bool_count++] = two(w, VT_G_AND, c, d); break;
        case 2: ints[int_count++] = two(w, VT_G_ADD, a, b); break;
        case 3: ints[int_count++] = two(w, VT_G_DIV, a, b); break;
        default: ints[int_count++] = choice(w, c, a, b); break;
        }
    }
    for (int i = 0; i < OUTPUTS; i++) vt_graph_output(w->g, ints[int_count - 1 - (uint32_t)i], "y");
    for (int turn = 0; turn < 8; turn++) {
        for (int i = 0; i < BOOLS; i++) in.bools[i] = (uint8_t)below(2);
        for (int i = 0; i < INTS_IN * COUNT; i++) in.ints[i / COUNT][i % COUNT] = (int32_t)below(5) - 1;
        bool whole = evaluate(w, &in, true, all, OUTPUTS) == VTA_OK;
        bool ok = evaluate(w, &in, false, got, OUTPUTS) == VTA_OK;
        assert_true(ok || !whole); /* leaving something out cannot make it fail */
        spared += ok && !whole;
        for (int i = 0; i < OUTPUTS; i++) {
            reading r = {w, &in, false};
            read_value(&r, w->g->outputs.item[i], expected);
            if (!ok) continue;
            assert_false(r.failed);
            assert_memory_equal(got + i * COUNT, expected, sizeof expected);
            if (whole) assert_memory_equal(all + i * COUNT, expected, sizeof expected);
        }
    }
}

TEST_CASE(random_choices) {
    spared = 0;
    for (graphs_seed = 0; graphs_seed < 1000; graphs_seed++) in_a_world(random_graph);
    if (spared <= 100) fail_msg("only %d runs left out what fails", spared);
}

/* ---- What is left out ----------------------------------------------------------------------------------------------
 */

/* Two outputs of one If, an If within a branch, and what both branches read: x / 0 is on the sides that are not taken.
 */
static void branches(world *w) {
    vt_gvalue *bools[BOOLS], *x[INTS_IN];
    int32_t got[2 * COUNT];
    add_inputs(w, bools, x);
    vt_gvalue *shared = two(w, VT_G_ADD, x[0], x[0]);
    vt_gvalue *bad = two(w, VT_G_DIV, shared, x[1]), *inner = choice(w, bools[1], two(w, VT_G_DIV, bad, x[1]), shared);
    vt_graph_output(w->g, choice(w, bools[0], bad, shared), "y");
    vt_graph_output(w->g, choice(w, bools[0], two(w, VT_G_ADD, inner, bad), x[2]), "z");
    inputs in = {.bools = {0, 1}, .ints = {{1, 2, 3}, {0, 0, 0}, {7, 8, 9}}};
    assert_int_equal(evaluate(w, &in, false, got, 2), VTA_OK);
    const int32_t expected[] = {2, 4, 6, 7, 8, 9};
    assert_memory_equal(got, expected, sizeof expected);
    in.bools[0] = 1;
    assert_int_equal(evaluate(w, &in, false, got, 2), VTA_OUT_OF_RANGE);
    in.bools[0] = 0; /* all values are asked for */
    assert_int_equal(evaluate(w, &in, true, got, 2), VTA_OUT_OF_RANGE);
}

TEST_CASE(branches_not_taken) { in_a_world(branches); }

/* Deeper than guards go. */
static void deep(world *w) {
    vt_gvalue *bools[BOOLS], *x[INTS_IN], *v;
    int32_t got[COUNT];
    add_inputs(w, bools, x);
    v = x[0];
    for (int i = 0; i < 3000; i++) v = choice(w, bools[i % BOOLS], two(w, VT_G_ADD, v, x[1]), x[2]);
    vt_graph_output(w->g, v, "y");
    inputs in = {.bools = {1, 1, 1, 1}, .ints = {{1, 2, 3}, {1, 1, 1}, {7, 8, 9}}};
    assert_int_equal(evaluate(w, &in, false, got, 1), VTA_OK);
    assert_int_equal(got[0], 3001);
}

TEST_CASE(a_deep_chain) { in_a_world(deep); }

int main(void) { return run_cases(); }
