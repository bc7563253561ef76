/* Loops cut so that boundary checks leave the main part: random nests of loops with checks compute the same afterwards,
 * and only checks that are marked likely cut loops. */
#include "ir/interp.h"
#include "pass/one.h"

enum { ELEMENTS = 64, ROUNDS = 500, MAX_LOOPS = 3, SIZES = 4 };

typedef struct nest {
    check_random r;
    const vt_var *n, *vars[MAX_LOOPS];
    int loops;
    bool constant; /* all bounds are numbers */
} nest;

static nest made;

static int64_t pick(int64_t least, int64_t most) { return check_between(&made.r, least, most); }

/* An upper limit of what grows with the loops, as schedules write them; in loops with known bounds also any check of
 * one variable. */
static const vt_expr *some_check(one *o) {
    static const vt_expr_kind kinds[] = {VT_E_LT, VT_E_LE, VT_E_GT, VT_E_GE, VT_E_EQ, VT_E_NE};
    vt_ctx *c = &o->ctx;
    const vt_expr *sum = one_i(o, pick(-3, 9)), *limit = one_i(o, pick(0, 12)), *check;
    if (made.constant && pick(0, 1)) {
        const vt_expr *part = vt_mul(c, made.vars[pick(0, made.loops - 1)], one_i(o, pick(0, 2) ? pick(1, 3) : -1));
        check = vt_e_bin(c, kinds[pick(0, 5)], vt_add(c, sum, part), limit);
    } else {
        for (int i = 0; i < made.loops; i++)
            if (pick(0, 2)) sum = vt_add(c, sum, vt_mul(c, made.vars[i], one_i(o, pick(-4, 4))));
        check = vt_e_bin(c, kinds[pick(0, 5)], sum, pick(0, 1) ? limit : made.n);
    }
    return pick(0, 3) ? vt_e_call(c, VT_BOOL, VT_OP_LIKELY, 1, &check) : check;
}

/* y[what the variables are] = y[it] * 3 + number, under checks: says which steps are run, and in which order. */
static const vt_stmt *some_store(one *o, int64_t number, int64_t checks) {
    vt_ctx *c = &o->ctx;
    const vt_expr *sum = one_i(o, 0);
    for (int i = 0; i < made.loops; i++) sum = vt_add(c, sum, vt_mul(c, made.vars[i], one_i(o, i ? 7 : 1)));
    const vt_expr *at = vt_floormod(c, sum, one_i(o, ELEMENTS));
    const vt_stmt *s =
        one_store(o, o->y, at, vt_add(c, vt_mul(c, one_load(o, o->y, at), one_i(o, 3)), one_i(o, number)));
    for (; checks > 0; checks--)
        s = vt_s_if(c, some_check(o), s, pick(0, 2) ? NULL : one_store(o, o->y, at, one_i(o, number + 10)));
    return s;
}

static const vt_stmt *some_loops(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_expr *extents[MAX_LOOPS];
    bool hinted[MAX_LOOPS];
    made.n = one_var(o, "n");
    made.constant = pick(0, 1);
    for (made.loops = 0; made.loops < MAX_LOOPS; made.loops++) {
        const vt_expr *outer = made.loops && pick(0, 1) ? made.vars[made.loops - 1] : made.n;
        extents[made.loops] = made.constant || pick(0, 1)
                                  ? one_i(o, pick(1, 9))
                                  : vt_max(c, vt_add(c, outer, one_i(o, pick(-2, 2))), one_i(o, 0));
        hinted[made.loops] = made.constant && pick(0, 2) == 0;
        made.vars[made.loops] = one_var(o, (const char *[]){"i", "j", "k"}[made.loops]);
        if (pick(0, 2) == 0 && made.loops) {
            made.loops++;
            break;
        }
    }
    const vt_stmt *s =
        one_seq(o, some_store(o, 1, made.constant ? pick(0, 2) : 0), some_store(o, 2, made.constant ? pick(0, 2) : 1));
    for (int i = made.loops; i-- > 0;) {
        s = vt_s_for(c, made.vars[i], one_i(o, i % 2), extents[i], VT_FOR_SERIAL, s);
        const vt_iter *axis = vt_iter_new(c, made.vars[i], NULL, NULL, VT_ITER_DATA_PAR, "");
        if (hinted[i]) s = vt_s_attr(c, vt_ref_iter(axis), "pragma_loop_partition_hint", one_i(o, 1), s);
    }
    return vt_s_let(c, made.n, one_load(o, o->x, one_i(o, 0)), s);
}

static void compute(one *o, const vt_func *f, int32_t n, int32_t *y) {
    for (int i = 0; i < ELEMENTS; i++) y[i] = i;
    int32_t x[ELEMENTS] = {n};
    vt_interp_arg args[] = {{.data = x, .elements = ELEMENTS}, {.data = y, .elements = ELEMENTS}};
    if (vt_interp_run(&o->ctx, f, 2, args, NULL) != VTA_OK)
        fail_msg("%s\n%s", vta_diag_text(o->diag), vt_stmt_text(&o->ctx, f->body));
}

TEST_CASE(random_nests) {
    static const int32_t sizes[SIZES] = {0, 1, 5, 8};
    int cut = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        one o = {.options = {.partition_const_loops = seed % 2}};
        made.r.state = seed * 0x9e3779b97f4a7c15u;
        if (one_run(&o, vt_pass_loop_partition, some_loops) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        for (int i = 0; i < SIZES; i++) {
            int32_t before[ELEMENTS], after[ELEMENTS];
            compute(&o, o.before, sizes[i], before);
            compute(&o, o.after, sizes[i], after);
            if (memcmp(before, after, sizeof before) != 0)
                fail_msg("seed %d, n %d: %s\n%s", (int)seed, sizes[i], vt_stmt_text(&o.ctx, o.before->body), o.text);
        }
        assert_null(strstr(o.text, "likely"));
        cut += strstr(o.text, "True") || strstr(o.text, "False");
        one_end(&o);
    }
    assert_true(cut > ROUNDS / 4);
}

/* Two checks in a loop of 16 steps, the first marked: a marked loop is cut at either, others at the first. */
static bool hint;

static const vt_stmt *two_checks(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_var *i = one_var(o, "i");
    const vt_stmt *first =
        vt_s_if(c, vt_likely(c, vt_lt(c, i, one_i(o, 10))), one_store(o, o->y, i, one_i(o, 1)), NULL);
    const vt_stmt *second = vt_s_if(c, vt_lt(c, i, one_i(o, 5)), one_store(o, o->x, i, one_i(o, 2)), NULL);
    const vt_stmt *s = one_for(o, i, 16, VT_FOR_SERIAL, one_seq(o, first, second));
    const vt_iter *axis = vt_iter_new(c, i, NULL, NULL, VT_ITER_DATA_PAR, "");
    return hint ? vt_s_attr(c, vt_ref_iter(axis), "pragma_loop_partition_hint", one_i(o, 1), s) : s;
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

TEST_CASE(checks_that_cut) {
    static const struct {
        bool hint, constant;
        int loops, first, second; /* loops, and checks that are left */
    } rows[] = {{false, false, 1, 1, 1}, {false, true, 2, 0, 2}, {true, false, 3, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        one o = {.options = {.partition_const_loops = rows[i].constant}};
        hint = rows[i].hint;
        if (one_run(&o, vt_pass_loop_partition, two_checks) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        if (count(o.text, "for (") != rows[i].loops || count(o.text, "< 10)") != rows[i].first ||
            count(o.text, "< 5)") != rows[i].second)
            fail_msg("row %zu: %s", i, o.text);
        one_end(&o);
    }
}

/* i from 0 to n with a check that only the last step fails: that part has one step and is no loop. */
static const vt_stmt *last_step(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_var *i = one_var(o, "i"), *n = vt_var_new_size(c, "n", VT_I32);
    const vt_stmt *s = vt_s_if(c, vt_likely(c, vt_lt(c, i, n)), one_store(o, o->y, i, one_i(o, 1)),
                               one_store(o, o->x, i, one_i(o, 2)));
    return vt_s_for(c, i, one_i(o, 0), vt_add(c, n, one_i(o, 1)), VT_FOR_SERIAL, s);
}

TEST_CASE(one_step) {
    one o = {.options = {0}};
    if (one_run(&o, vt_pass_loop_partition, last_step) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
    if (count(o.text, "for (") != 1 || count(o.text, "if True") != 1 || !strstr(o.text, "for (i: int32, 0, n: int32)"))
        fail_msg("%s", o.text);
    one_end(&o);
}

int main(void) { return run_cases(); }
