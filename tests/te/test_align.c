/* Aligned storage: the steps of a dimension leave the rest that was asked for, where it was not so already, in what is
 * allocated, written and read. */
#include "lower/lower.h"
#include "te_test.h"

typedef struct alignment {
    size_t axis;
    int64_t factor, offset; /* factor 0: nothing is asked for */
} alignment;

static vta_status run_passes(vt_ctx *ctx, void *arg) {
    const vt_func **f = arg;
    *f = vt_lower(ctx, *f, &(vtac_lower_options){.verify = 1}, NULL, NULL);
    return VTA_OK;
}

/* x[4, 6], aligned, between a and y, which lie the other way round, as code after all passes; free it. */
static char *code_of(const alignment steps[2]) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 2, (int64_t[]){6, 4}),
              *x = te_define(c, "x[i: 4, j: 6] = a[j, i] + 1"), *y = te_define(c, "y[j: 6, i: 4] = x[i, j] * 2");
    te_schedule *s = te_schedule_create(c, 1, &y);
    te_stage *st = te_schedule_stage(s, x);
    for (int n = 0; n < 2; n++)
        if (steps[n].factor) te_storage_align(st, te_stage_axis(st, steps[n].axis), steps[n].factor, steps[n].offset);
    const vt_func *f = lower(s, 2, (te_tensor *[]){a, y});
    assert_fine(c);
    if (vt_protect(vt_te_ctx(c), run_passes, &f) != VTA_OK) fail_msg("%s", vta_diag_text(te_context_diag(c)));
    char *text = nest_text(c, f);
    te_context_destroy(c);
    return text;
}

TEST_CASE(strides) {
    static const struct {
        alignment steps[2];
        const char *elements, *written, *read;
    } rows[] = {
        {{{0}}, "int32, [24])", "[((i*6) + j)] = (", "= (x_1[((i_1*6) + j_1)]*2)"},
        {{{0, 8, 0}}, "int32, [32])", "[((i*8) + j)] = (", "= (x_1[((i_1*8) + j_1)]*2)"},
        {{{0, 8, 3}}, "int32, [44])", "[((i*11) + j)] = (", "= (x_1[((i_1*11) + j_1)]*2)"},
        {{{0, 4, 2}}, "int32, [24])", "[((i*6) + j)] = (", "= (x_1[((i_1*6) + j_1)]*2)"},
        {{{1, 2, 0}}, "int32, [48])", "[((i*12) + (j*2))] = (", "= (x_1[((i_1*12) + (j_1*2))]*2)"},
        {{{1, 2, 0}, {0, 5, 1}}, "int32, [64])", "[((i*16) + (j*2))] = (", "= (x_1[((i_1*16) + (j_1*2))]*2)"},
        {{{0, 8, 3}, {0, 16, 0}},
         "int32, [64])",
         "[((i*16) + j)] = (",
         "= (x_1[((i_1*16) + j_1)]*2)"}, /* the last counts */
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char *text = code_of(rows[r].steps);
        const char *const parts[] = {rows[r].elements, rows[r].written, rows[r].read};
        for (int n = 0; n < 3; n++)
            if (!strstr(text, parts[n])) fail_msg("row %zu: \"%s\" is not in\n%s", r, parts[n], text);
        free(text);
    }
}

int main(void) { return run_cases(); }
