/* Timing profiles, timed runs and their reports when memory runs out at any allocation. */
#include "support/no_memory.h"
#include "tsim/programs.h"
#include "vta/device.h"

enum { BASE = 0x10000 };

static const char board[] = "{\"profile\": \"hls\", \"delay\": 30, \"bus_bits\": 128}";
static const char file[] = "{\"TARGET\": \"zcu104\", \"TIMING\": {\"delay\": 30, \"bus_bits\": 256}}";

static vta_status parse(void) {
    vta_timing_profile p;
    return vta_timing_profile_parse(board, strlen(board), "board.json", NULL, &p);
}

static vta_status of_a_board(void) {
    vta_config *config = NULL;
    vta_timing_profile p;
    vta_status status = vta_config_parse(file, strlen(file), "board.json", NULL, &config);
    if (status == VTA_OK) status = vta_timing_profile_for(config, NULL, &p);
    if (status == VTA_OK) assert_int_equal(p.bus_bits, 256);
    vta_config_release(config);
    return status;
}

static vta_status written(void) {
    vta_timing_profile p;
    assert_int_equal(vta_timing_profile_get(NULL, NULL, &p), VTA_OK);
    char *text = vta_timing_profile_to_json(&p);
    vta_status status = text ? VTA_OK : VTA_NO_MEMORY;
    vta_string_free(text);
    return status;
}

/* A timed stream and what is told of it. */
static vta_status timed_by(const char *name) {
    vta_config *config = vta_config_default();
    if (!config) return VTA_NO_MEMORY;
    vta_timing_profile profile;
    assert_int_equal(vta_timing_profile_get(name, NULL, &profile), VTA_OK);
    static program p; /* made once: its own memory is not the library's */
    if (!p.insns) {
        int64_t left = check_left;
        uint64_t live = check_live;
        check_left = -1;
        p = alu_program(16, 2, 1, 0);
        check_left = left;
        check_live = live;
    }
    vta_timing timing;
    vta_insn_time times[64];
    assert_in_range(p.count, 1, 64);
    char *text = NULL, *json = NULL;
    vta_status status = vta_timing_run(config, &profile, p.insns, p.count, BASE, 0, NULL, NULL, &timing, times);
    if (status == VTA_OK && !(text = vta_timing_to_text(config, &profile, &timing))) status = VTA_NO_MEMORY;
    if (status == VTA_OK && !(json = vta_timing_to_json(config, &profile, &timing))) status = VTA_NO_MEMORY;
    vta_string_free(text);
    vta_string_free(json);
    vta_config_release(config);
    return status;
}

static vta_status timed(void) { return timed_by(NULL); }
static vta_status timed_overlapped(void) { return timed_by("rtl"); }

/* The device: made, written to, run, asked. */
static vta_status on_the_device(void) {
    static const vta_insn finish = {.opcode = VTA_OP_FINISH};
    uint8_t bytes[VTA_INSN_BYTES];
    vta_config *config = vta_config_default();
    vta_device *device = NULL;
    vta_timing timing;
    if (!config) return VTA_NO_MEMORY;
    vta_status status = vta_device_create("tsim", config, NULL, NULL, NULL, &device);
    if (status == VTA_OK) status = vta_insn_encode(config, &finish, NULL, bytes);
    if (status == VTA_OK) status = vta_device_alloc_at(device, BASE, 4096, NULL);
    if (status == VTA_OK) status = vta_device_write(device, BASE, bytes, sizeof bytes, NULL);
    if (status == VTA_OK) status = vta_device_run(device, BASE, 1, 0, NULL);
    if (status == VTA_OK) status = vta_device_timing(device, NULL, &timing, NULL);
    if (status == VTA_OK) assert_true(timing.cycles > 0);
    vta_device_destroy(device);
    vta_config_release(config);
    return status;
}

TEST_CASE(settings) {
    check_every_allocation(parse);
    check_every_allocation(of_a_board);
    check_every_allocation(written);
}

TEST_CASE(runs) {
    check_every_allocation(timed);
    check_every_allocation(timed_overlapped);
    check_every_allocation(on_the_device);
}

int main(void) { return run_cases(); }
