/* The conditions around what loops compute: one for each way in which they could leave what is to be computed, none
 * where the ranges of the loops, and of those around them, tell that they stay inside. */
#include "te_test.h"

/* The conditions of a loop nest in their order, separated by "; ". Free it. */
static char *conditions_of(te_context *c, const vt_func *f) {
    static const char open[] = "if @tir.likely(", close[] = ", dtype=bool) {";
    char *text = nest_text(c, f);
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    for (const char *p = text; (p = strstr(p, open)); p += sizeof open - 1) {
        const char *from = p + sizeof open - 1, *to = strstr(from, close);
        assert_non_null(to);
        vt_strbuf_addf(&sb, "%s%.*s", sb.size ? "; " : "", (int)(to - from), from);
    }
    free(text);
    return vt_strbuf_take(&sb);
}

/* b[i] = a[i] + 1, and d that reads it; d's loop is split, b computed at the outer part and its loop split, too. The
 * outer loops may be threads. */
TEST_CASE(stages) {
    static const struct {
        const char *d;
        int64_t of_d, of_b;
        const char *thread_d, *thread_b, *conditions;
    } rows[] = {
        {"d[i: 64] = b[i] + b[i + 2]", 8, 5, NULL, NULL, ""},
        {"d[i: 64] = b[i] + b[i + 2]", 8, 4, NULL, NULL,
         "((((i.inner + (i.outer_1*4)) + (i.outer*8)) - (i.outer*8)) < 10); (((i.inner + (i.outer_1*4)) + (i.outer*8)) "
         "< 66)"},
        {"d[i: 64] = b[i] + b[i + 2]", 8, 5, "blockIdx.x", NULL, ""},
        {"d[i: 64] = b[i] + b[i + 2]", 8, 5, "blockIdx.x", "threadIdx.x", ""},
        {"d[i: 64] = b[i] + b[i + 2]", 8, 4, "blockIdx.x", "threadIdx.x",
         "((((i.inner + (threadIdx.x*4)) + (blockIdx.x*8)) - (blockIdx.x*8)) < 10); (((i.inner + (threadIdx.x*4)) + "
         "(blockIdx.x*8)) < 66)"},
        {"d[i: 64] = b[i] + b[i + 2]", 8, 5, "vthread", "vthread", "((i.inner + (vthread_1*5)) < 66)"},
        {"d[i: 64] = b[i] + b[i + 2]", 8, 4, "vthread", "vthread", "((i.inner + (vthread_1*4)) < 66)"},
        {"d[i: 62] = b[i] + b[i + 2]", 8, 5, NULL, NULL, "((i.inner_1 + (i.outer*8)) < 62)"},
        {"d[i: 64] = b[65 - i]", 8, 4, NULL, NULL, ""},
        {"d[i: 64] = if_then_else(i > 0, b[i - 1], 0)", 8, 4, NULL, NULL,
         "(((i.inner + (i.outer_1*4)) + ((i.outer*8) - 1)) >= 0)"},
        {"d[i: 64] = if_then_else(i < 5, b[i + 60], 0)", 8, 4, NULL, NULL,
         "(((i.inner + (i.outer_1*4)) + ((i.outer*8) + 60)) < 66)"},
        {"d[i: 3] = b[i * 20]", 1, 1, NULL, NULL, ""},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        te_context *c = context_with(NULL);
        te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){66}), *b = te_define(c, "b[i: 66] = a[i] + 1");
        te_tensor *d = te_define(c, rows[r].d);
        te_schedule *s = te_schedule_create(c, 1, &d);
        te_stage *sd = te_schedule_stage(s, d), *sb = te_schedule_stage(s, b);
        te_axis *outer_d, *outer_b;
        te_split(sd, te_stage_axis(sd, 0), rows[r].of_d, &outer_d, NULL);
        te_split(sb, te_stage_axis(sb, 0), rows[r].of_b, &outer_b, NULL);
        te_compute_at(sb, sd, outer_d);
        if (rows[r].thread_b) te_set_scope(sb, "shared");
        if (rows[r].thread_d) te_bind(sd, outer_d, te_thread_axis(c, rows[r].thread_d));
        if (rows[r].thread_b) te_bind(sb, outer_b, te_thread_axis(c, rows[r].thread_b));
        assert_fine(c);
        const vt_func *f = lower(s, 2, (te_tensor *[]){a, d});
        if (!f) fail_msg("row %zu: %s", r, vta_diag_text(te_context_diag(c)));
        char *got = conditions_of(c, f);
        if (strcmp(got, rows[r].conditions) != 0) fail_msg("row %zu: \"%s\", not \"%s\"", r, got, rows[r].conditions);
        free(got);
        te_context_destroy(c);
    }
}

/* A split of more than there is gives a loop of what there is, but a thread has as many steps as were asked for, in
 * whichever loop of the stage, split or fused, it ends up; a condition keeps the others off. */
TEST_CASE(asked_for) {
    enum { INNER, INNER_OF_INNER, FUSED, PARTS };
    static const struct {
        int how;
        const char *thread;
        int64_t extent; /* of the loop that was made last */
        const char *conditions;
    } rows[] = {
        {INNER, NULL, 8, ""},
        {INNER, "threadIdx.x", 10, "(threadIdx.x < 8)"},
        {INNER_OF_INNER, NULL, 4, ""},
        {INNER_OF_INNER, "threadIdx.x", 4,
         "((threadIdx.x + (i.inner.outer*4)) < 8); ((threadIdx.x + (i.inner.outer*4)) < 10)"},
        {FUSED, NULL, 96, ""},
        {FUSED, "threadIdx.x", 120, "(floordiv(threadIdx.x, 12) < 8)"},
        {PARTS, NULL, 8, ""},
        {PARTS, "threadIdx.x", 10, "(threadIdx.x < 8)"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        te_context *c = context_with(NULL);
        te_tensor *a = te_placeholder(c, "a", "int32", 3, (int64_t[]){3, 8, 12}),
                  *y = te_define(c, "y[h: 3, i: 8, j: 12] = a[h, i, j] + 1");
        te_schedule *s = te_schedule_create(c, 1, &y);
        te_stage *st = te_schedule_stage(s, y);
        te_axis *i = te_stage_axis(st, 1), *j = te_stage_axis(st, 2), *last;
        if (rows[r].how == PARTS)
            te_split_nparts(st, i, 10, &last, NULL);
        else
            te_split(st, i, 10, NULL, &last);
        if (rows[r].how == INNER_OF_INNER) te_split(st, last, 4, NULL, &last);
        if (rows[r].how == FUSED) te_fuse(st, 2, (te_axis *[]){last, j}, &last);
        if (rows[r].thread) te_bind(st, last, te_thread_axis(c, rows[r].thread));
        te_expr *min, *extent;
        int64_t value = -1;
        te_bounds *b = te_infer_bounds(s);
        assert_fine(c);
        assert_int_equal(te_bounds_range(b, last, &min, &extent), VTA_OK);
        assert_int_equal(te_expr_int(c, extent, &value), VTA_OK);
        const vt_func *f = lower(s, 2, (te_tensor *[]){a, y});
        assert_fine(c);
        char *got = conditions_of(c, f);
        if (value != rows[r].extent || strcmp(got, rows[r].conditions) != 0)
            fail_msg("row %zu: %d steps, \"%s\", not %d, \"%s\"", r, (int)value, got, (int)rows[r].extent,
                     rows[r].conditions);
        free(got);
        te_context_destroy(c);
    }
}

int main(void) { return run_cases(); }
