/* Cost grows with statements, not faster: a loop unrolled into many. */
#include <time.h>

#include "listings/lower.h"
#include "support/check.h"

static void note(void *user, const vtac_pass_event *e) {
    uint64_t *most = user;
    if (getenv("VTA_TIMES")) print_message("%10.1f us %s\n", (double)e->nanoseconds / 1e3, e->name);
    if (e->nanoseconds > *most) *most = e->nanoseconds;
}

/* Nanoseconds of the slowest pass when `copies` statements come out of unrolling. */
static uint64_t slowest_pass(int64_t copies) {
    program p = {.c = te_context_create(NULL, NULL)};
    int64_t shape[2] = {64, 4 * copies};
    te_tensor *a = te_placeholder(p.c, "A", "int32", 2, shape), *b = te_placeholder(p.c, "B", "int32", 2, shape);
    te_tensor *c = te_compute(p.c, "C", 2, shape, NULL, "A[...] + B[...] * A[...]");
    te_axis *outer, *inner;
    p.s = te_schedule_create(p.c, 1, &c);
    te_split(stage(&p, c), axis(&p, c, 1), copies, &outer, &inner);
    te_unroll(stage(&p, c), inner);
    memcpy(p.args, (te_tensor *[4]){a, b, c}, sizeof p.args);
    p.n_args = 3;
    uint64_t most = 0;
    vtac_lower_options options = {.after = note, .user = &most};
    assert_int_equal(lower_program(&p, &options, "main", WANT_PRIMFN, NULL), VTA_OK);
    program_destroy(&p);
    return most;
}

TEST_CASE(many_statements) {
    uint64_t few = slowest_pass(64), many = slowest_pass(512);
    print_message("64 statements: %.2f ms, 512: %.2f ms\n", (double)few / 1e6, (double)many / 1e6);
    assert_true(many < 2000000000u);
}

int main(void) { return run_cases(); }
