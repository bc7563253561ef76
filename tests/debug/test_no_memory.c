/* The debugger when memory runs out at any allocation: made, moved, asked. */
#include "support/no_memory.h"
#include "tsim/programs.h"
#include "vta/debug.h"

enum { BASE = 0x10000 };

static program stream; /* made once: its memory is not the library's */
static vta_config *config;

static vta_status write_stream(vta_device *device) {
    vta_status status = vta_device_alloc_at(device, 0x1000, 0x8000, NULL);
    if (status == VTA_OK) status = vta_device_alloc_at(device, BASE, 4096, NULL);
    for (uint32_t i = 0; i < stream.count && status == VTA_OK; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        assert_int_equal(vta_insn_encode(config, &stream.insns[i], NULL, bytes), VTA_OK);
        status = vta_device_write(device, BASE + VTA_INSN_BYTES * i, bytes, sizeof bytes, NULL);
    }
    return status;
}

/* To the end, back, to a cycle, and what is there. */
static vta_status walk(vta_debugger *debugger) {
    uint8_t acc[64];
    vta_insn insn;
    vta_insn_time time;
    vta_status status = vta_debugger_seek(debugger, vta_debugger_length(debugger), NULL);
    if (status == VTA_OK) status = vta_debugger_seek(debugger, 1, NULL);
    if (status == VTA_OK) status = vta_debugger_seek_cycle(debugger, vta_debugger_cycles(debugger) / 2, NULL);
    if (status == VTA_OK) status = vta_debugger_peek(debugger, VTA_MEM_ACC, 0, 1, acc, sizeof acc, NULL);
    if (status == VTA_OK) status = vta_debugger_insn(debugger, 0, &insn, &time);
    return status;
}

static vta_status debugged(void) {
    vta_timing_profile timing;
    vta_device *device = NULL;
    vta_debugger *debugger = NULL;
    assert_int_equal(vta_timing_profile_get(NULL, NULL, &timing), VTA_OK);
    vta_status status = vta_device_create("null", config, NULL, NULL, NULL, &device);
    if (status == VTA_OK) status = write_stream(device);
    if (status == VTA_OK) status = vta_debugger_create(device, BASE, (uint32_t)stream.count, &timing, NULL, &debugger);
    if (status == VTA_OK) status = walk(debugger);
    vta_debugger_destroy(debugger);
    vta_device_destroy(device);
    return status;
}

TEST_CASE(at_any_allocation) {
    config = vta_config_default();
    stream = alu_program(16, 2, 1, 0);
    check_every_allocation(debugged);
    free(stream.insns);
    vta_config_release(config);
}

int main(void) { return run_cases(); }
