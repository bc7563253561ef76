/* Out of memory at one allocation after the other: describing, scheduling and matching an operator report it and lose
 * nothing, and the operator can be scheduled afterwards. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "support/failing.h"
#include "vta/ops.h"

static const struct {
    const char *name, *text;
} cases[] = {
    {"dense", "in_features=20 out_features=20 epilogue=bias,shift,leaky"},
    {"dense", "in_features=20 out_features=20 epilogue=bias_int8,residual_int8"},
    {"conv2d_transpose", "in_channels=20 out_channels=5 height=3 width=3 kernel=3 stride=2"},
    {"add", "channels=20 height=3 width=3 epilogue=relu,residual"},
    {"max_pool2d", "channels=20 height=5 width=5 kernel=3 stride=2 pad=1"},
    {"avg_pool2d", "channels=20 height=5 width=5 kernel=3 pad=1"},
    {"upsample2d", "channels=20 height=3 width=3"},
    {"concat", "channels0=20 channels1=5 height=3 width=3"},
};

/* True when no allocation had to fail. A list for errors that could not be made, and that nothing was written to, makes
 * no difference: then the schedule is the one of `cycles` (0: not known yet). */
static bool attempt(size_t i, long n, uint64_t cycles) {
    failing f = {n, 0, false};
    vta_allocator a = {failing_resize, &f};
    vtac_op *op;
    vtac_op_options options = {.tries = 1};
    vtac_op_result result = {0};
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vtac_op_create(cases[i].name, cases[i].text, NULL, &a, diag, &op);
    if (status == VTA_OK) status = vtac_op_schedule(op, &options, diag, &result);
    bool good = status == VTA_OK && !result.refused && result.cycles == cycles;
    if (!good && !(f.failed && status == VTA_NO_MEMORY))
        fail_msg("%s, allocation %ld: %s, %u refused, %s", cases[i].name, n, vta_status_name(status),
                 (unsigned)result.refused, vta_diag_text(diag));
    if (op && status != VTA_OK) {
        assert_null(vtac_op_text(op));
        f.left = -1; /* memory is there again */
        if (n % 8 == 0) assert_int_equal(vtac_op_schedule(op, &options, diag, NULL), VTA_OK);
    }
    vtac_op_destroy(op);
    vta_diag_destroy(diag);
    if (f.blocks) fail_msg("%s, allocation %ld: %ld blocks are lost", cases[i].name, n, f.blocks);
    return !f.failed;
}

static uint64_t cycles_of(size_t i) {
    vtac_op *op;
    vtac_op_options options = {.tries = 1};
    vtac_op_result result = {0};
    assert_int_equal(vtac_op_create(cases[i].name, cases[i].text, NULL, NULL, NULL, &op), VTA_OK);
    assert_int_equal(vtac_op_schedule(op, &options, NULL, &result), VTA_OK);
    vtac_op_destroy(op);
    return result.cycles;
}

TEST_CASE(allocations_fail) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long n = 0;
        uint64_t cycles = cycles_of(i);
        while (!attempt(i, n, cycles)) n += 1 + n / 16;
        if (n < 20) fail_msg("%s: %ld allocations only", cases[i].name, n);
    }
}

/* The allocations of scheduling once more, from the last on: the operator has the schedule that it had, or none. */
TEST_CASE(schedule_again) {
    enum { MANY = 1 << 20, LAST = 60 };
    long all = MANY;
    int kept = 0, lost = 0;
    for (long before_end = 0; before_end < LAST; before_end++) {
        failing f = {-1, 0, false};
        vta_allocator a = {failing_resize, &f};
        vtac_op *op;
        vtac_op_options options = {.tries = 1};
        assert_int_equal(vtac_op_create(cases[0].name, cases[0].text, NULL, &a, NULL, &op), VTA_OK);
        assert_int_equal(vtac_op_schedule(op, &options, NULL, NULL), VTA_OK);
        f.left = all - before_end;
        vta_status status = vtac_op_schedule(op, &options, NULL, NULL);
        assert_true(status == VTA_OK || (before_end && status == VTA_NO_MEMORY)); /* it can do without some */
        if (!before_end) all -= f.left;
        bool has = vtac_op_module(op);
        assert_true(has == !!vtac_op_kernel(op) && has == !!vtac_op_text(op) && has == !!vtac_op_report(op));
        assert_true(has || status != VTA_OK);
        if (status != VTA_OK) has ? kept++ : lost++;
        vtac_op_destroy(op);
        if (f.blocks) fail_msg("allocation %ld: %ld blocks are lost", all - before_end, f.blocks);
    }
    assert_true(kept > 0 && lost > 0);
}

/* The computation alone of a case, which is matched. */
static vtac_kernel *computation_of(size_t i) {
    vtac_op *op;
    vtac_kernel *own;
    vtac_op_options options = {.tries = 1};
    assert_int_equal(vtac_op_create(cases[i].name, cases[i].text, NULL, NULL, NULL, &op), VTA_OK);
    assert_int_equal(vtac_op_schedule(op, &options, NULL, NULL), VTA_OK);
    const char *text = vtac_op_text(op), *stage = strstr(text, "\nstage ");
    assert_int_equal(vtac_kernel_parse(text, (size_t)(stage - text) + 1, "own", NULL, NULL, NULL, NULL, &own), VTA_OK);
    vtac_op_destroy(op);
    return own;
}

/* True when no allocation had to fail. */
static bool match(size_t i, const vtac_kernel *own, long n) {
    failing f = {n, 0, false};
    vta_allocator a = {failing_resize, &f};
    vtac_op *op;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vtac_op_match_kernel(own, &a, diag, &op);
    bool good = status == VTA_OK && op && !strcmp(vtac_op_name(op), cases[i].name);
    if (!good && !(f.failed && status == VTA_NO_MEMORY && !op))
        fail_msg("%s, allocation %ld: %s, %s", cases[i].name, n, vta_status_name(status), vta_diag_text(diag));
    vtac_op_destroy(op);
    vta_diag_destroy(diag);
    if (f.blocks) fail_msg("%s, allocation %ld: %ld blocks are lost", cases[i].name, n, f.blocks);
    return !f.failed;
}

TEST_CASE(matching_fails) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vtac_kernel *own = computation_of(i);
        long n = 0;
        while (!match(i, own, n)) n += 1 + n / 64;
        if (n < 5) fail_msg("%s: %ld allocations only", cases[i].name, n);
        vtac_kernel_destroy(own);
    }
}

int main(void) { return run_cases(); }
