/* Lowering ends soon after an interrupt, wherever it is: one that is raised while memory is taken is noticed before the
 * next stage is done. */
#include "support/sized.h"
#include "te_test.h"
#include "vta/te_stmt.h"

enum { STAGES = 40, PLACES = 40 };

/* Raises the interrupt of a context at its n-th allocation from now on. */
typedef struct raising {
    te_context *c; /* NULL: of none */
    long left;
    bool raised;
} raising;

static void *raising_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    raising *r = ctx;
    if (r->c && new_size && r->left-- == 0) {
        te_context_interrupt(r->c, true);
        r->raised = true;
    }
    return sized_resize(p, old_size, new_size);
}

typedef enum outcome { NOT_RAISED, NOTICED, TOO_LATE } outcome;

/* A chain of stages is lowered after so much memory was taken, which moves what takes place at the n-th allocation. */
static outcome lower_interrupted(int taken, long n) {
    raising r = {0};
    vta_allocator allocator = {raising_resize, &r};
    te_context *c = te_context_create(NULL, &allocator);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){8}), *y = te_define(c, "y like a = a[...] + 1");
    for (int i = 1; i < STAGES; i++) y = te_define(c, "y like a = y[...] * 2 + a[...]");
    te_schedule *s = te_schedule_create(c, 1, &y);
    for (int i = 0; i < 100 * taken; i++) te_variable(c, "i", "int32");
    assert_fine(c);
    r = (raising){c, n, false};
    const vt_func *f = lower(s, 2, (te_tensor *[]){a, y});
    r.c = NULL;
    assert_int_equal(te_context_status(c), f ? VTA_OK : VTA_INTERRUPTED);
    te_context_interrupt(c, false); /* then it can be lowered */
    vta_diag_clear(te_context_diag(c));
    assert_non_null(lower(s, 2, (te_tensor *[]){a, y}));
    te_context_destroy(c);
    return !r.raised ? NOT_RAISED : f ? TOO_LATE : NOTICED;
}

TEST_CASE(interrupted) {
    int count[3] = {0};
    for (int taken = 0; taken < PLACES; taken++) {
        outcome is = NOTICED;
        for (long n = 0; is != NOT_RAISED; n++) count[is = lower_interrupted(taken, n)]++;
    }
    assert_true(count[NOTICED] >= PLACES);
    assert_true(count[TOO_LATE] * 10 <= count[NOTICED]); /* in the last stage, or behind it */
}

int main(void) { return run_cases(); }
