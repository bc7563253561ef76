/* The published cycle counts (docs/timing.md, section 7). */
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#include "tsim/programs.h"

static uint64_t cycles_of(program *p, const vta_timing_profile *profile) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_timing timing;
    vta_status status = vta_timing_run(config, profile, p->insns, p->count, 0x10000, 0, NULL, diag, &timing, NULL);
    if (status != VTA_OK) print_error("%s\n", vta_diag_text(diag));
    assert_int_equal(status, VTA_OK);
    vta_diag_destroy(diag);
    vta_config_release(config);
    return timing.cycles;
}

TEST_CASE(earlier_generation_exactly) {
    static const struct {
        uint32_t tiles;
        int operands, alus, imm;
        uint64_t cycles;
        size_t insns;
    } rows[] = {{36, 1, 1, 1, 619, 7},
                {64, 1, 1, 1, 1067, 7},
                {64, 2, 1, 0, 1654, 8},
                {80, 1, 2, 1, 1738, 9},
                {16, 1, 2, 1, 386, 9}};
    vta_timing_profile profile;
    assert_int_equal(vta_timing_profile_get("chisel-2019", NULL, &profile), VTA_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        program p = alu_program(rows[i].tiles, rows[i].operands, rows[i].alus, rows[i].imm);
        assert_int_equal(p.count, rows[i].insns);
        assert_int_equal(cycles_of(&p, &profile), rows[i].cycles);
        free(p.insns);
    }
}

/* The fallback schedule of C2 by the width of the bus. Five runs in whole millions are the published 97, 58, 39 and 29.
 * The 64-bit count is the hardware's own, instruction for instruction; no Verilog with a wider bus was run, so the
 * others only hold the model in place. */
TEST_CASE(fallback_c2_by_bus) {
    static const struct {
        uint32_t bus, millions;
        uint64_t cycles; /* of one run */
    } rows[] = {{64, 97, 19558608}, {128, 58, 11789114}, {256, 39, 7903092}, {512, 29, 5947829}};
    program p = fallback_c2();
    assert_int_equal(p.count, 250891);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vta_timing_profile profile;
        assert_int_equal(vta_timing_profile_get("chisel", NULL, &profile), VTA_OK);
        profile.bus_bits = rows[i].bus;
        uint64_t cycles = cycles_of(&p, &profile);
        assert_int_equal(cycles, rows[i].cycles);
        assert_int_equal(5 * cycles / 1000000, rows[i].millions);
    }
    free(p.insns);
}

int main(void) { return run_cases(); }
