/* The device that runs nothing: it takes each stream that lies in memory, counts it, and changes nothing. */
#include "device/small_program.h"
#include "support/diag.h"

static void takes_streams_and_counts(void **state) {
    (void)state;
    vta_config *config = vta_config_default();
    vta_device *device;
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    char before[64], after[64];
    memset(before, 3, sizeof before);
    must(vta_device_create("null", config, NULL, NULL, diag, &device));
    sp_map(device);
    must(vta_device_write(device, SP_OUT, before, sizeof before, diag));
    must(sp_run(device, insns, n, diag));
    must(sp_run(device, insns, n, diag));
    /* The last two instructions for which there is memory, and one more than that. */
    must(vta_device_run(device, SP_OUT + SP_BYTES - 2 * VTA_INSN_BYTES, 2, 0, diag));
    refused(vta_device_run(device, SP_OUT + SP_BYTES - 2 * VTA_INSN_BYTES, 3, 0, diag), VTA_OUT_OF_RANGE,
            "3 instructions at 0x0007ffe0: 0x00080000 is not mapped");
    must(vta_device_read(device, SP_OUT, after, sizeof after, diag));
    assert_memory_equal(after, before, sizeof before);
    const vta_counters runs = {.runs = 3}, none = {.runs = 0};
    vta_counters c = vta_device_counters(device);
    assert_memory_equal(&c, &runs, sizeof c);
    vta_device_clear_counters(device);
    c = vta_device_counters(device);
    assert_memory_equal(&c, &none, sizeof c);
    vta_device_destroy(device);
    vta_config_release(config);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(takes_streams_and_counts, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
