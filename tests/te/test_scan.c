/* Scans: running sums and a recurrence of two states, by definition and as loops, interpreted; and what is refused. */
#include "ir/interp.h"
#include "te_test.h"

enum { ROWS = 6, COLUMNS = 3 };

typedef struct running {
    te_context *c;
    te_tensor *x, *state, *first, *next, *result;
    te_schedule *s;
} running;

/* result[0, i] = x[0, i]; result[t, i] = result[t - 1, i] * 2 + x[t, i]. */
static running new_running(void) {
    running r = {.c = context_with(NULL)};
    const int64_t shape[] = {ROWS, COLUMNS};
    r.x = te_placeholder(r.c, "x", "int32", 2, shape);
    r.state = te_placeholder(r.c, "state", "int32", 2, shape);
    r.first = te_define(r.c, "first[t: 1, i: 3] = x[0, i]");
    r.next = te_define(r.c, "next[t: 6, i: 3] = state[t - 1, i] * 2 + x[t, i]");
    assert_int_equal(te_scan(r.c, "sums", NULL, 1, &r.first, &r.next, &r.state, &r.result), VTA_OK);
    r.s = te_schedule_create(r.c, 1, &r.result);
    assert_fine(r.c);
    return r;
}

typedef struct interpretation {
    const vt_func *f;
    vt_interp_arg args[2];
} interpretation;

static vta_status interpret(vt_ctx *ctx, void *arg) {
    interpretation *run = arg;
    return vt_interp_run(ctx, run->f, 2, run->args, NULL);
}

static void check(const running *r, const char *what) {
    int32_t x[ROWS][COLUMNS], want[ROWS][COLUMNS], got[ROWS][COLUMNS];
    for (int t = 0; t < ROWS; t++)
        for (int i = 0; i < COLUMNS; i++) x[t][i] = t * 7 - i * 5;
    for (int t = 0; t < ROWS; t++)
        for (int i = 0; i < COLUMNS; i++) want[t][i] = (t ? want[t - 1][i] * 2 : 0) + x[t][i];
    assert_int_equal(te_evaluate(r->c, r->result, 1, (te_tensor *[]){r->x}, (const void *[]){x}, got), VTA_OK);
    assert_memory_equal(got, want, sizeof got);
    const vt_func *f = lower(r->s, 2, (te_tensor *[]){r->x, r->result});
    if (!f) fail_msg("%s: %s", what, vta_diag_text(te_context_diag(r->c)));
    memset(got, 0x55, sizeof got);
    interpretation run = {f, {{x, ROWS * COLUMNS}, {got, ROWS * COLUMNS}}};
    if (vt_protect(vt_te_ctx(r->c), interpret, &run) != VTA_OK)
        fail_msg("%s: %s", what, vta_diag_text(te_context_diag(r->c)));
    assert_memory_equal(got, want, sizeof got);
}

TEST_CASE(computed) {
    for (int steps = 0; steps < 16; steps++) {
        running r = new_running();
        te_stage *rows = te_schedule_stage(r.s, r.result), *next = te_schedule_stage(r.s, r.next);
        te_axis *outer, *inner;
        if (steps & 1) assert_int_equal(te_split(rows, te_stage_axis(rows, 0), 4, &outer, &inner), VTA_OK);
        if ((steps & 3) == 3) assert_int_equal(te_fuse(rows, 2, (te_axis *[]){outer, inner}, NULL), VTA_OK);
        if (steps & 4) assert_int_equal(te_split(next, te_stage_axis(next, 1), 2, NULL, NULL), VTA_OK);
        if (steps & 8) assert_int_equal(te_compute_inline(next), VTA_OK);
        if (steps & 2) assert_int_equal(te_compute_inline(te_schedule_stage(r.s, r.first)), VTA_OK);
        check(&r, "steps");
        assert_fine(r.c);
        te_context_destroy(r.c);
    }
}

/* What the rows need, beside their states, is computed before: two tensors that only they read. */
TEST_CASE(needs_of_rows) {
    running r = new_running();
    te_define(r.c, "u[t: 6, i: 3] = x[t, i] + 1");
    te_define(r.c, "w[t: 6, i: 3] = x[t, i] * 2");
    te_tensor *next = te_define(r.c, "n[t: 6, i: 3] = u[t, i] + state[t - 1, i] + w[t, i]"), *out;
    assert_int_equal(te_scan(r.c, "s", NULL, 1, &r.first, &next, &r.state, &out), VTA_OK);
    int32_t x[ROWS][COLUMNS], got[ROWS][COLUMNS];
    for (int t = 0; t < ROWS; t++)
        for (int i = 0; i < COLUMNS; i++) x[t][i] = t * 7 - i * 5;
    assert_int_equal(te_evaluate(r.c, out, 1, (te_tensor *[]){r.x}, (const void *[]){x}, got), VTA_OK);
    for (int t = 0; t < ROWS; t++)
        for (int i = 0; i < COLUMNS; i++) assert_int_equal(got[t][i], t ? got[t - 1][i] + 3 * x[t][i] + 1 : x[t][i]);
    te_context_destroy(r.c);
}

/* A row of one state that follows from the same row of another: each is computed once, what is read before what reads
 * it, in whichever order the states are given. */
TEST_CASE(rows_of_rows) {
    for (int turned = 0; turned < 2; turned++) {
        te_context *c = context_with(NULL);
        te_tensor *x = te_placeholder(c, "x", "int32", 1, (int64_t[]){ROWS});
        te_tensor *states[2], *firsts[2], *nexts[2], *results[2];
        int a = turned, b = !turned;
        states[a] = te_placeholder(c, "a", "int32", 1, (int64_t[]){ROWS});
        states[b] = te_placeholder(c, "b", "int32", 1, (int64_t[]){ROWS});
        firsts[a] = te_define(c, "a0[t: 1] = x[0]");
        firsts[b] = te_define(c, "b0[t: 1] = 100");
        nexts[a] = te_define(c, "a1[t: 6] = a[t - 1] + x[t]");
        te_tensor *twice = te_define(c, "twice[t: 6] = a1[t] * 2");
        nexts[b] = te_define(c, "b1[t: 6] = twice[t] - b[t - 1] + a1[t]");
        assert_int_equal(te_scan(c, "s", NULL, 2, firsts, nexts, states, results), VTA_OK);
        te_tensor *body[] = {nexts[a], twice, nexts[b]};
        assert_int_equal(te_scan_body(results[0]), 3);
        for (size_t n = 0; n < 3; n++) assert_ptr_equal(te_scan_body_tensor(results[turned], n), body[n]);
        int32_t numbers[ROWS], got[2][ROWS], want[2] = {0, 100};
        for (int t = 0; t < ROWS; t++) numbers[t] = t * t - 7;
        for (int k = 0; k < 2; k++)
            assert_int_equal(te_evaluate(c, results[k], 1, &x, (const void *[]){numbers}, got[k]), VTA_OK);
        for (int t = 0; t < ROWS; t++) {
            want[0] += numbers[t];
            if (t) want[1] = 3 * want[0] - want[1];
            assert_int_equal(got[a][t], want[0]);
            assert_int_equal(got[b][t], want[1]);
        }
        te_context_destroy(c);
    }
}

static void refused_scan(const running *r, te_tensor *first, te_tensor *next, te_tensor *state, const char *why) {
    te_tensor *out;
    assert_int_equal(te_scan(r->c, "s", NULL, 1, &first, &next, &state, &out), VTA_INVALID_ARGUMENT);
    assert_null(out);
    assert_refused(r->c, VTA_INVALID_ARGUMENT, why);
}

TEST_CASE(refused) {
    running r = new_running();
    refused_scan(&r, r.first, r.next, r.next, "the state next of the scan s is not a placeholder");
    refused_scan(&r, r.x, r.next, r.state, "must be computed: x is an input");
    refused_scan(&r, r.next, r.next, r.state, "next, which the scan s starts with, depends on a state of it");
    refused_scan(&r, r.first, te_define(r.c, "n[t: 6, i: 2] = state[t, i]"), r.state, "must be alike");
    refused_scan(&r, r.first, te_define(r.c, "n[t: 6, i: 3] = state[t, i]"), r.state, "n reads state at row t");
    refused_scan(&r, r.first, te_define(r.c, "n[t: 6, i: 3] = state[t - 2, i]"), r.state, "1 to 1 rows before");
    refused_scan(&r, r.first, te_define(r.c, "n[t: 6, i: 3] = state[i, i]"), r.state, "n reads state at row i");
    te_define(r.c, "early[t: 6, i: 3] = state[t - 1, i]");
    refused_scan(
        &r, r.first, te_define(r.c, "n[t: 6, i: 3] = early[t - 1, i]"), r.state,
        "n reads early at row (t - 1): inside of the scan s what is computed from its states is read at the row "
        "being computed");
    refused_scan(&r, te_define(r.c, "f[t: 1, i: 3] = int8(x[0, i])"), r.next, r.state, "must be alike");
    refused_scan(
        &r, te_define(r.c, "f[t: 1, i: 2] = x[0, i]"), r.next, r.state,
        "f, next and state of the scan s must be alike: of one type, and of one shape but for the first rows, which f "
        "has fewer of");
    refused_scan(&r, r.first, te_define(r.c, "n[t: 6, i: 3] = state[t - 0, i]"), r.state, "n reads state at row t");
    te_tensor *fewer[] = {r.first, te_define(r.c, "f2[t: 2, i: 3] = x[t, i]")}, *outs[2], *twice[] = {r.state, r.state},
              *firsts[] = {r.first, r.first}, *nexts[] = {r.next, r.next};
    assert_int_equal(te_scan(r.c, "s", NULL, 2, firsts, nexts, twice, outs), VTA_INVALID_ARGUMENT);
    assert_refused(r.c, VTA_INVALID_ARGUMENT, "the state state is given twice to the scan s");
    te_tensor *two[] = {r.state, te_placeholder(r.c, "second", "int32", 2, (int64_t[]){6, 3})};
    assert_int_equal(te_scan(r.c, "s", NULL, 2, fewer, nexts, two, outs), VTA_INVALID_ARGUMENT);
    assert_refused(r.c, VTA_INVALID_ARGUMENT,
                   "the scan s starts with 2 rows of f2: it must be a constant number, the same for all of its states");
    te_placeholder(r.c, "short", "int32", 2, (int64_t[]){5, 3});
    te_tensor *uneven[] = {r.state, te_find_tensor(r.c, "short")},
              *next2[] = {r.next, te_define(r.c, "n2[t: 5, i: 3] = short[t - 1, i]")};
    outs[0] = outs[1] = r.x;
    assert_int_equal(te_scan(r.c, "s", NULL, 2, firsts, next2, uneven, outs), VTA_INVALID_ARGUMENT);
    assert_refused(r.c, VTA_INVALID_ARGUMENT, "next and n2 of the scan s have different numbers of rows");
    assert_null(outs[0]);
    assert_null(outs[1]);
    assert_int_equal(te_scan(r.c, "s", NULL, 0, firsts, nexts, twice, outs), VTA_INVALID_ARGUMENT);
    assert_refused(r.c, VTA_INVALID_ARGUMENT, "the scan s has no states");
    assert_true(te_tensor_is_scan(r.result) && !te_tensor_is_scan(r.next));
    te_stage *rows = te_schedule_stage(r.s, r.result);
    assert_int_equal(te_parallel(rows, te_stage_axis(rows, 0)), VTA_ILLEGAL);
    assert_refused(r.c, VTA_ILLEGAL, "the rows of a scan follow from each other");
    assert_null(te_prim_func_text(r.c, 2, (te_tensor *[]){r.x, r.result}, NULL));
    assert_refused(r.c, VTA_UNSUPPORTED, "sums is a scan");
    te_context_destroy(r.c);
}

/* Which axes of the columns are apart: of two results, each with what it needs of the rows before. */
TEST_CASE(columns) {
    static const struct {
        const char *flat, *next;
        bool first, second;
    } cases[] = {
        {"flat[t: 4, i: 3, j: 3] = a[t - 1, i, j]", "n[t: 4, i: 3, j: 3] = flat[t, i, j] + x[j, i]", true, true},
        {"flat[t: 4, j: 3, i: 3] = a[t - 1, i, j]", "n[t: 4, i: 3, j: 3] = flat[t, j, i]", true, true},
        {"flat[t: 4, i: 3, j: 3] = a[t - 1, i, j]", "n[t: 4, i: 3, j: 3] = flat[t, j, i]", false, false},
        {"flat[t: 4, i: 3, j: 3] = a[t - 1, i, 1]", "n[t: 4, i: 3, j: 3] = flat[t, i, j]", true, false},
        {"flat[t: 4, i: 3, j: 3] = a[t - 1, j, j]", "n[t: 4, i: 3, j: 3] = flat[t, i, j]", false, false},
        {"flat[t: 4, i: 3, j: 3] = a[t - 1, i, j]", "n[t: 4, i: 3, j: 3] = flat[t, i, j] + flat[t, i, 2]", true, false},
        {"flat[t: 4, i: 3, j: 3] = a[t - 1, i, j]", "n[t: 4, i: 3, j: 3] = flat[t, i, j] + b[t - 1, i, j]", false,
         false},
        {"flat[t: 4, i: 3, j: 3] = a[t - 1, i, max(j - 1, 0)]", "n[t: 4, i: 3, j: 3] = flat[t, i, j]", true, false},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        te_context *c = context_with(NULL);
        te_tensor *of[2], *results[2], *firsts[2], *nexts[2];
        te_placeholder(c, "x", "int32", 2, (int64_t[]){3, 3});
        for (int k = 0; k < 2; k++) of[k] = te_placeholder(c, k ? "b" : "a", "int32", 3, (int64_t[]){4, 3, 3});
        firsts[0] = te_define(c, "f[t: 1, i: 3, j: 3] = x[i, j]");
        firsts[1] = te_define(c, "g[t: 1, i: 3, j: 3] = x[j, i]");
        te_tensor *flat = te_define(c, cases[n].flat);
        nexts[0] = te_define(c, cases[n].next);
        nexts[1] = te_define(c, "m[t: 4, i: 3, j: 3] = b[t - 1, i, j] * 2");
        assert_int_equal(te_scan(c, "s", NULL, 2, firsts, nexts, of, results), VTA_OK);
        const bool want[] = {cases[n].first, cases[n].second, true, true};
        assert_int_equal(te_scan_columns(results[1]), 4);
        for (size_t i = 0; i < 4; i++) {
            bool apart = !want[i];
            assert_int_equal(te_scan_column_apart(c, results[0], i, &apart), VTA_OK);
            if (apart != want[i]) fail_msg("case %zu, axis %zu", n, i);
            assert_string_equal(te_axis_name(te_scan_column(results[0], i)), i % 2 ? "i2" : "i1");
        }
        assert_int_equal(te_scan_body(results[0]), 3);
        assert_ptr_equal(te_scan_body_tensor(results[0], 0), flat);
        assert_null(te_scan_body_tensor(results[0], 3));
        assert_null(te_scan_column(results[0], 4));
        bool apart;
        assert_int_equal(te_scan_column_apart(c, results[0], 4, &apart), VTA_NOT_FOUND);
        assert_refused(c, VTA_NOT_FOUND, "has 4 column axes, not 5");
        assert_int_equal(te_scan_column_apart(c, flat, 0, &apart), VTA_INVALID_ARGUMENT);
        assert_refused(c, VTA_INVALID_ARGUMENT, "flat is not a scan");
        assert_int_equal(te_scan_columns(flat) + te_scan_body(flat), 0);
        te_context_destroy(c);
    }
}

int main(void) { return run_cases(); }
