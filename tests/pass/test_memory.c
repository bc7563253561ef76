/* Lowering when memory runs out: at every allocation, once. */
#include "listings/lower.h"
#include "support/check.h"

/* VTA_OK when nothing failed; the context is freed in any case. */
static vta_status lower_once(const char *name, const vta_allocator *allocator) {
    vta_config *config = vta_config_default();
    program p = {.c = te_context_create(config, allocator)};
    vta_config_release(config);
    if (!p.c) return VTA_NO_MEMORY;
    build_program(&p, name);
    vta_status status = te_context_status(p.c);
    vtac_lower_options options = {.config = te_context_config(p.c), .verify = 1, .print = 1};
    vt_strbuf text;
    vt_strbuf_init(&text, allocator);
    if (status == VTA_OK) status = lower_program(&p, &options, "main", WANT_PRIMFN, &text);
    if (status == VTA_OK && text.failed) status = VTA_NO_MEMORY;
    vt_strbuf_free(&text);
    program_destroy(&p);
    return status;
}

static void every_allocation_may_fail(void **state) {
    for (size_t n = 0;; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        vta_status status = lower_once(*state, &a.allocator);
        if (a.live != 0) fail_msg("allocation %zu: %zu bytes leaked", n, a.live);
        if (!a.failed) {
            assert_int_equal(status, VTA_OK);
            break;
        }
        if (status != VTA_NO_MEMORY) fail_msg("allocation %zu: %s", n, vta_status_name(status));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_allocation_may_fail, "vadd"),
        cmocka_unit_test_prestate(every_allocation_may_fail, "gemm_smt"),
        cmocka_unit_test_prestate(every_allocation_may_fail, "pad_all"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
