/* Memory that runs out anywhere. */
#include "runtime/runtime_test.h"
#include "support/check.h"
#include "support/failing.h"

/* A small program; every call that fails leaves an error. */
static bool small_program(void **site) {
    VTACommandHandle cmd = VTATLSCommandHandle();
    if (!cmd) {
        bool told = vta_last_error(NULL) != NULL;
        assert_true(told);
        vta_clear_error(NULL);
        return false;
    }
    void *acc = VTABufferAlloc(256), *out = VTABufferAlloc(64);
    VTALoadBuffer2D(cmd, acc, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    for (int32_t i = 0; i < 20; i++) push_alu(site, i % 10);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, out, 0, 4, 1, 4);
    VTASynchronize(cmd, 0);
    bool good = vta_last_error(cmd) == NULL;
    vta_clear_error(cmd);
    if (acc) VTABufferFree(acc);
    if (out) VTABufferFree(out);
    return good;
}

TEST_CASE(test_out_of_memory_anywhere) {
    vta_config *config = vta_config_default();
    long n = 0;
    for (bool failed = true; failed; n++) {
        failing f = {.left = n};
        vta_allocator allocator = {failing_resize, &f};
        vta_runtime *runtime;
        void *site = NULL;
        vta_status status = vta_runtime_create(config, "sim", NULL, &allocator, NULL, &runtime);
        if (status != VTA_OK) {
            assert_true(f.failed);
            assert_null(runtime);
        } else {
            vta_runtime_use(runtime);
            bool good = small_program(&site);
            assert_true(good || f.failed);
            f.left = -1;
            assert_true(small_program(&site)); /* the handle works again */
            VTACommandHandle cmd = VTATLSCommandHandle();
            VTADepPush(cmd, VTA_STAGE_LOAD, VTA_STAGE_STORE); /* and says why it refuses something */
            assert_true(error_has(cmd, "there is no token queue between load and store"));
            vta_runtime_destroy(runtime);
        }
        assert_int_equal(f.blocks, 0);
        failed = f.failed;
    }
    print_message("%ld allocations\n", n);
    assert_true(n > 20);
    vta_config_release(config);
}

/* A stream that a bad call has damaged is dropped as it grows: its instructions take no more memory than those of one
 * that is run. */
TEST_CASE(test_damaged_streams_stay_small) {
    enum { CALLS = 400, MAX_INSNS = 64 };
    const vta_runtime_options options = {.max_transfer = MAX_INSNS * VTA_INSN_BYTES};
    size_t live[2];
    check_allocator a;
    check_allocator_init(&a, SIZE_MAX);
    vta_runtime *runtime = make("", &options, &a.allocator);
    vta_runtime_use(runtime);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL;
    VTADepPush(cmd, VTA_STAGE_LOAD, VTA_STAGE_STORE);
    assert_true(error_has(cmd, "there is no token queue between load and store"));
    for (int i = 0; i < 2; i++) {
        for (int call = 0; call < (i ? 100 * CALLS : CALLS); call++) {
            push_alu(&site, 1);
            VTADepPush(cmd, VTA_STAGE_COMPUTE, VTA_STAGE_STORE);
        }
        no_error(cmd);
        live[i] = a.live;
    }
    assert_int_equal(live[0], live[1]);
    assert_int_equal(vta_runtime_counters(runtime).runs, 0);
    VTASynchronize(cmd, 0);
    assert_int_equal(vta_runtime_counters(runtime).runs, 0);
    vta_clear_error(cmd);
    assert_true(small_program(&site));
    vta_runtime_destroy(runtime);
    assert_int_equal(a.live, 0);
}

int main(void) { return run_cases(); }
