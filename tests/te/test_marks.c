/* How a loop is to run: by the calls and by the pragmas of the same names, and what is marked already. */
#include "te_test.h"

static const struct {
    const char *word, *type;
    vta_status (*call)(te_stage *st, te_axis *axis);
} kinds[] = {{"vectorize", "Vectorized", te_vectorize},
             {"parallel", "Parallelized", te_parallel},
             {"unroll", "Unrolled", te_unroll}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* y[i, j] = a[i, j] + 1, and s[i] = the sum of a[i, k] over k. */
typedef struct fixture {
    te_context *c;
    te_tensor *y;
    te_stage *rows, *sums;
    te_axis *i, *j, *k;
} fixture;

static fixture make(void) {
    fixture f = {.c = context_with(NULL)};
    te_placeholder(f.c, "a", "int32", 2, (int64_t[]){4, 6});
    te_tensor *outputs[] = {te_define(f.c, "y[i: 4, j: 6] = a[i, j] + 1"),
                            te_define(f.c, "s[i: 4] = sum[k: 6](a[i, k])")};
    te_schedule *s = te_schedule_create(f.c, 2, outputs);
    f.rows = te_schedule_stage(s, outputs[0]);
    f.sums = te_schedule_stage(s, outputs[1]);
    f.i = te_stage_axis(f.rows, 0);
    f.j = te_stage_axis(f.rows, 1);
    f.k = te_stage_leaf(f.sums, 1);
    assert_fine(f.c);
    return f;
}

static vta_status say(int kind, bool pragma, te_stage *st, te_axis *axis) {
    return pragma ? te_pragma(st, axis, kinds[kind].word, NULL) : kinds[kind].call(st, axis);
}

/* The last word counts; it is no pragma, and the other loop hears nothing of it. */
TEST_CASE(said) {
    for (int first = 0; first < KINDS; first++)
        for (int n = 0; n < 4 * KINDS; n++) {
            fixture f = make();
            int second = n / 4;
            te_axis_marks marks = {.size = sizeof marks};
            assert_int_equal(say(first, n & 1, f.rows, f.j), VTA_OK);
            assert_int_equal(te_stage_marks(f.rows, f.j, &marks), VTA_OK);
            assert_string_equal(marks.type, kinds[first].type);
            assert_int_equal(say(second, n & 2, f.rows, f.j), VTA_OK);
            assert_int_equal(te_stage_marks(f.rows, f.j, &marks), VTA_OK);
            assert_string_equal(marks.type, kinds[second].type);
            assert_int_equal(marks.pragma_count, 0);
            assert_int_equal(te_stage_marks(f.rows, f.i, &marks), VTA_NOT_FOUND);
            te_context_destroy(f.c);
        }
}

/* What is bound to a thread runs as that does; steps of a sum depend on each other, which a loop that is written out
 * does not mind. */
TEST_CASE(refused) {
    for (int n = 0; n < 2 * KINDS; n++) {
        fixture f = make();
        int kind = n / 2;
        bool pragma = n & 1, unrolled = kind == 2;
        char words[120];
        assert_int_equal(te_bind(f.rows, f.i, te_thread_axis(f.c, "vthread")), VTA_OK);
        assert_int_equal(say(kind, pragma, f.rows, f.i), VTA_ILLEGAL);
        snprintf(words, sizeof words, "cannot %s y.i: it is bound to", kinds[kind].word);
        assert_refused(f.c, VTA_ILLEGAL, words);
        assert_int_equal(say(kind, pragma, f.sums, f.k), unrolled ? VTA_OK : VTA_ILLEGAL);
        snprintf(words, sizeof words, "cannot %s s.k: it is a reduce axis", kinds[kind].word);
        if (!unrolled) assert_refused(f.c, VTA_ILLEGAL, words);
        assert_int_equal(say(kind, pragma, f.sums, f.i), VTA_ILLEGAL); /* a loop of the other stage */
        free(take_messages(f.c));
        te_axis_marks marks = {.size = sizeof marks};
        assert_int_equal(te_stage_marks(f.rows, f.i, &marks), VTA_OK);
        assert_string_equal(marks.type, "DataPar"); /* what was refused is not said */
        te_context_destroy(f.c);
    }
}

int main(void) { return run_cases(); }
