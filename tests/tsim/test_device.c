/* The tsim device: sim's values for every program, and a time for each. */
#include "tsim/on_device.h"

static void twice(const char *name, void *arg) {
    (void)arg;
    vta_timing timing = run_recorded(name, NULL);
    assert_true(timing.cycles > 50);
    assert_int_equal(run_recorded(name, NULL).cycles, timing.cycles);
}

TEST_CASE(every_recorded_program) { assert_in_range(golden_each(0, "runs", "", twice, NULL), 20, 100); }

/* The published counts of the earlier generation, from the recorded streams of the same programs. */
TEST_CASE(published_counts) {
    static const struct {
        const char *name;
        uint64_t cycles;
    } rows[] = {{"save_load", 619}, {"alu_shr_imm", 1067}, {"alu_max_imm", 1067}, {"alu_add_imm", 1067},
                {"alu_add", 1654},  {"alu_max", 1654},     {"relu", 1738},        {"shift_scale", 386}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(run_recorded(rows[i].name, "chisel-2019").cycles, rows[i].cycles);
}

TEST_CASE(random_programs_as_sim) {
    static random_program p;
    static uint8_t out[2][RP_BYTES];
    int ran = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        if (!rp_make(&p, seed, 40, true)) continue;
        vta_counters counters[2];
        static const char *const drivers[] = {"sim", "tsim"};
        for (int d = 0; d < 2; d++) {
            vta_diag *diag = vta_diag_create(NULL);
            vta_device *device;
            must(vta_device_create(drivers[d], p.config, NULL, NULL, diag, &device), diag, "create");
            write_program(device, &p);
            must(vta_device_run(device, RP_BASE, (uint32_t)p.count, 0, diag), diag, "run");
            must(vta_device_read(device, RP_BASE, out[d], RP_BYTES, diag), diag, "read");
            counters[d] = vta_device_counters(device);
            if (d == 1) {
                vta_timing timing;
                must(vta_device_timing(device, diag, &timing, NULL), diag, "timing");
                check_states(&timing);
                vta_device_clear_counters(device);
                must(vta_device_timing(device, diag, &timing, NULL), diag, "timing");
                assert_int_equal(timing.cycles, 0);
            }
            vta_device_destroy(device);
            vta_diag_destroy(diag);
        }
        assert_memory_equal(out[0], out[1], RP_BYTES);
        assert_true(counters[1].cycles > 0);
        assert_int_equal(counters[0].cycles, 0);
        counters[1].cycles = 0;
        assert_memory_equal(&counters[0], &counters[1], sizeof counters[0]);
        rp_clear(&p);
        ran++;
    }
    assert_true(ran > 50);
}

TEST_CASE(refused) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    vta_timing timing;
    vta_device_options options = {.profile = "fast"};
    assert_int_equal(vta_device_create("tsim", config, &options, NULL, diag, &device), VTA_NOT_FOUND);
    assert_contains(vta_diag_text(diag), "no timing profile \"fast\"; there are: chisel, rtl, chisel-2019, hls");
    options.profile = "chisel bus_bits=96";
    assert_int_equal(vta_device_create("tsim", config, &options, NULL, diag, &device), VTA_OUT_OF_RANGE);
    assert_contains(vta_diag_text(diag), "bus_bits = 96 is not a power of two");
    assert_int_equal(vta_device_create("sim", config, NULL, NULL, diag, &device), VTA_OK);
    assert_int_equal(vta_device_timing(device, diag, &timing, NULL), VTA_UNSUPPORTED);
    vta_device_destroy(device);
    vta_diag_destroy(diag);
    vta_config_release(config);
}

int main(void) { return golden_result(run_cases()); }
