/* Out of memory at every allocation in turn: reading and lowering a kernel report it and lose nothing. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "support/failing.h"
#include "te/te.h"
#include "vta/kernel.h"

static vta_status lower(vt_ctx *ctx, void *arg) {
    vtac_kernel *k = arg;
    vt_te_arg args[16] = {{0}};
    for (size_t i = 0; i < vtac_kernel_arg_count(k); i++) args[i].tensor = vtac_kernel_arg(k, i);
    vt_te_lower(vtac_kernel_schedule(k), (uint32_t)vtac_kernel_arg_count(k), args, "k");
    (void)ctx;
    return VTA_OK;
}

/* True when no allocation had to fail. */
static bool attempt(const vta_config *config, const char *path, long n) {
    failing f = {n, 0, false};
    vta_allocator a = {failing_resize, &f};
    vtac_kernel *k;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vtac_kernel_load(path, "", config, &a, diag, &k);
    if (status == VTA_OK) {
        te_context *c = vtac_kernel_context(k);
        status = vt_protect(vt_te_ctx(c), lower, k);
        if (status != VTA_OK) {
            assert_int_equal(te_context_status(c), VTA_NO_MEMORY);
            f.left = -1; /* memory is there again: the context still works */
            vta_diag_clear(te_context_diag(c));
            assert_int_equal(vt_protect(vt_te_ctx(c), lower, k), VTA_OK);
        }
        vtac_kernel_destroy(k);
    } else {
        assert_null(k);
        assert_int_equal(status, VTA_NO_MEMORY);
    }
    vta_diag_destroy(diag);
    assert_int_equal(f.blocks, 0);
    return !f.failed;
}

TEST_CASE(every_allocation_fails) {
    vta_config *config = vta_config_default();
    long n = 0;
    while (!attempt(config, VT_SOURCE_DIR "/examples/conv2d.te", n)) n++;
    assert_true(n > 5);
    vta_config_release(config);
}

int main(void) { return run_cases(); }
