/* What the driver of the hardware makes of its options, seen without hardware: the model that it looks for and does not
 * find, and what it refuses. */
#include "device/small_program.h"
#include "support/check.h"
#include "vta/hardware.h"
#include "vta/timing.h"

static vta_diag *diag;
static vta_config *config;

static void check_message(const char *want) {
    vta_diag_entry e;
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    assert_string_equal(e.message, want);
    vta_diag_clear(diag);
}

static vta_device *rtl(const vta_device_options *options) {
    vta_device *device;
    if (vta_device_create("rtl", config, options, NULL, diag, &device) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    sp_map(device);
    return device;
}

/* The device looks for the model that is made with these options. */
static void check_looks_for(vta_device *device, const vta_hardware_options *options) {
    static const vta_insn finish = {.opcode = VTA_OP_FINISH};
    vta_diag_entry e;
    char *path, *want;
    assert_int_equal(vta_hardware_find(config, options, diag, &path), VTA_NOT_FOUND);
    assert_null(path);
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    want = strdup(e.message);
    vta_diag_clear(diag);
    assert_int_equal(sp_run(device, &finish, 1, diag), VTA_NOT_FOUND);
    check_message(want);
    free(want);
}

static void designs(void **state) {
    (void)state;
    static const struct {
        vta_device_options device;
        vta_hardware_options design;
    } rows[] = {
        {{.profile = "rtl"}, {.bus_bits = 0}},
        {{.profile = "rtl bus_bits=128"}, {.bus_bits = 128}},
        {{.profile = "rtl,bus_bits=128,queue_depth=16"}, {.bus_bits = 128, .queue_depth = 16}},
        {{.profile = "rtl len_bits=3"}, {.burst_beats = 8}},
        {{.profile = ""}, {.bus_bits = 0}},
        {{.wave = "x"}, {.wave = true}},
        {{.wave = "a b.fst scope=u_load from=3 bytes=9 to=8"}, {.wave = true}},
        {{.assertions = true}, {.assertions = true}},
        {{.pack = true}, {.pack = true}},
        {{.netlist = true}, {.netlist = true}},
        {{.small = true}, {.small = true}},
        {{.address_bits = 24}, {.address_bits = 24}},
    };
    vta_timing_profile p;
    vta_device *settled = rtl(NULL);
    assert_int_equal(vta_timing_profile_get("rtl", NULL, &p), VTA_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vta_hardware_options want = rows[i].design;
        if (!want.bus_bits) want.bus_bits = p.bus_bits;
        if (!want.burst_beats) want.burst_beats = 1u << p.len_bits;
        if (!want.queue_depth) want.queue_depth = p.queue_depth;
        vta_device *device = rtl(&rows[i].device);
        check_looks_for(device, &want);
        vta_device_destroy(device);
        assert_int_equal(vta_device_set_options(settled, &rows[i].device, diag),
                         VTA_OK); /* of a device that is there */
        check_looks_for(settled, &want);
    }
    vta_device_destroy(settled);
}

/* Without a profile the configuration's is taken. */
static void of_the_configuration(void **state) {
    (void)state;
    static const char text[] = "{\"TIMING\": {\"profile\": \"rtl\", \"bus_bits\": 256}}";
    vta_config *before = config;
    vta_timing_profile p;
    assert_int_equal(vta_config_parse(text, strlen(text), "x", diag, &config), VTA_OK);
    assert_int_equal(vta_timing_profile_for(config, diag, &p), VTA_OK);
    assert_int_equal(p.bus_bits, 256);
    const vta_hardware_options want = {.bus_bits = 256, .burst_beats = 1u << p.len_bits, .queue_depth = p.queue_depth};
    vta_device *device = rtl(NULL);
    check_looks_for(device, &want);
    vta_device_destroy(device);
    vta_config_release(config);
    config = before;
}

static char long_name[1026];

static void refusals(void **state) {
    (void)state;
    memset(long_name, 'w', 1024); /* one too many */
    static const struct {
        vta_device_options options;
        vta_status status;
        const char *text;
    } rows[] = {
        {{.profile = "rt"}, VTA_NOT_FOUND, "there is no timing profile \"rt\""},
        {{.profile = "rt bus_bits=64"}, VTA_NOT_FOUND, "there is no timing profile \"rt\""},
        {{.profile = "rtl bus_bits=7"}, VTA_OUT_OF_RANGE, "bus_bits"},
        {{.profile = "abcdefghijklmnopqrstuvwxyz123456789"}, VTA_NOT_FOUND, "\"abcdefghijklmnopqrstuvwxyz12345\""},
        {{.check = true}, VTA_UNSUPPORTED, "device 'rtl' does not look for races; run the program on sim with check"},
        {{.skip_execution = true}, VTA_UNSUPPORTED, "cannot leave out the execution; sim and tsim can"},
        {{.stall_percent = 100}, VTA_OUT_OF_RANGE, "stall_percent 100: 0 to 99"},
        {{.wave = long_name}, VTA_INVALID_ARGUMENT, "the name of the wave file is longer than 1023 characters"},
        {{.address_bits = 33}, VTA_OUT_OF_RANGE, "33"},
        {{.wave = "x.fst from=9 to=9"}, VTA_OUT_OF_RANGE, "waves from cycle 9 to cycle 9: there is none between them"},
        {{.wave = "x.fst to=2 from=1k"}, VTA_INVALID_ARGUMENT, "waves: from=1k: a number is expected"},
        {{.wave = "x.fst bytes="}, VTA_INVALID_ARGUMENT, "waves: bytes=: a number is expected"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vta_device *device = (vta_device *)config;
        vta_status status = vta_device_create("rtl", config, &rows[i].options, NULL, diag, &device);
        if (status != rows[i].status) fail_msg("%zu: %s: %s", i, vta_status_name(status), vta_diag_text(diag));
        assert_null(device);
        assert_contains(vta_diag_text(diag), rows[i].text);
        vta_diag_clear(diag);
    }
    long_name[1023] = 0;
    const vta_device_options most = {.wave = long_name, .stall_percent = 99};
    vta_device_destroy(rtl(&most));
}

int main(void) {
    setenv("VTA_HARDWARE_CACHE", "/nowhere", 1);
    diag = vta_diag_create(NULL);
    config = vta_config_default();
    const struct CMUnitTest tests[] = {cmocka_unit_test(designs), cmocka_unit_test(of_the_configuration),
                                       cmocka_unit_test(refusals)};
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    vta_config_release(config);
    vta_diag_destroy(diag);
    return result;
}
