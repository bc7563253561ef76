/* Out of memory at one allocation after the other: reading a log, applying it, and a search report it and lose nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "support/failing.h"
#include "vta/tune.h"

static const char text[] = "in_features=32 out_features=64";

static char *best; /* a log of one line */

static vta_status search(vtac_op *op, const vta_allocator *a, vta_diag *diag) {
    vtac_tune_log *log;
    vta_status status = vtac_tune_log_parse(best, strlen(best), "x.log", a, diag, &log);
    vtac_tune_options options = {.trials = 3, .start = log};
    vtac_tune_result r = {0};
    if (status == VTA_OK && vtac_tune_log_refused(log)) fail_msg("%s", vta_diag_text(diag));
    if (status == VTA_OK) status = vtac_tune(op, &options, diag, &r);
    if (status == VTA_OK && (r.failed || r.trials != 3)) fail_msg("%u failed", (unsigned)r.failed);
    vtac_tune_log_destroy(log);
    return status;
}

static vta_status apply(vtac_op *op, const vta_allocator *a, vta_diag *diag) {
    vtac_tune_log *log;
    char *text_of_best = NULL;
    vta_status status = vtac_tune_log_parse(best, strlen(best), "x.log", a, diag, &log);
    if (status == VTA_OK) status = vtac_tune_log_best(log, diag, &text_of_best);
    if (status == VTA_OK) status = vtac_tune_log_apply(log, op, NULL, diag, NULL);
    vta_string_free(text_of_best);
    vtac_tune_log_destroy(log);
    return status;
}

/* True when no allocation had to fail. */
static bool attempt(vta_status (*body)(vtac_op *, const vta_allocator *, vta_diag *), long n) {
    failing f = {n, 0, false};
    vta_allocator a = {failing_resize, &f};
    vtac_op *op;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vtac_op_create("dense", text, NULL, &a, diag, &op);
    if (status == VTA_OK) status = body(op, &a, diag);
    if (status != VTA_OK && !(f.failed && status == VTA_NO_MEMORY))
        fail_msg("allocation %ld: %s, %s", n, vta_status_name(status), vta_diag_text(diag));
    vtac_op_destroy(op);
    vta_diag_destroy(diag);
    if (f.blocks) fail_msg("allocation %ld: %ld blocks are lost", n, f.blocks);
    return !f.failed;
}

TEST_CASE(allocations_fail) {
    static vta_status (*const bodies[])(vtac_op *, const vta_allocator *, vta_diag *) = {search, apply};
    for (int i = 0; i < 2; i++) {
        long n = 0;
        for (long step = 1; !attempt(bodies[i], n); n += step)
            if (n > 60) step = 1 + n / 60; /* most of them belong to the compiler, which tests/ops tries */
        printf("%ld allocations\n", n);
    }
}

static int make_log(void **state) {
    (void)state;
    char path[] = "/tmp/vta_tune_XXXXXX";
    vtac_op *op;
    vtac_tune_log *log;
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(vtac_op_create("dense", text, NULL, NULL, NULL, &op), VTA_OK);
    assert_int_equal(vtac_tune(op, &(vtac_tune_options){.trials = 2, .log = path}, NULL, NULL), VTA_OK);
    assert_int_equal(vtac_tune_log_load(path, NULL, NULL, &log), VTA_OK);
    assert_int_equal(vtac_tune_log_best(log, NULL, &best), VTA_OK);
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
    return remove(path);
}

static int free_log(void **state) {
    (void)state;
    vta_string_free(best);
    return 0;
}

int main(void) { return run_cases_between(make_log, free_log); }
