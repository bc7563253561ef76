/* Gates: memories become blocks of memory without a flip-flop beside them, products become multipliers, two of them one
 * where that is asked for. A small configuration always; the other families, and the default configuration within its
 * budget on a xc7z020, with VTA_TEST_HARDWARE=1. */
#include "rtl/programs.h"

static const char small[] = "LOG_BLOCK=2 LOG_UOP_BUFF_SIZE=11 LOG_INP_BUFF_SIZE=11 LOG_WGT_BUFF_SIZE=13 "
                            "LOG_ACC_BUFF_SIZE=13";

static bool have_yosys(void) { return system("yosys -V > /dev/null 2>&1") == 0; }

static bool all_hardware(void) {
    const char *wanted = getenv("VTA_TEST_HARDWARE");
    return wanted && *wanted;
}

static vta_synthesis *synthesize(const char *changes, vta_hardware_options options, const char *family) {
    vta_config *base = vta_config_default(), *config = NULL;
    vta_diag *diag = vta_diag_create(NULL);
    vta_synthesis *s = NULL;
    options.size = sizeof options;
    if (vta_config_with(base, changes, diag, &config) != VTA_OK ||
        vta_hardware_synthesize(config, &options, family, false, 3000, diag, &s) != VTA_OK)
        fail_msg("%s: %s", family, vta_diag_text(diag));
    vta_diag_destroy(diag);
    vta_config_release(config);
    vta_config_release(base);
    return s;
}

static vta_hardware_area area_of(const vta_synthesis *s, const char *name) {
    vta_synthesis_module m;
    for (size_t i = 0; vta_synthesis_module_get(s, i, &m); i++)
        if (!strcmp(m.name, name)) return m.area;
    fail_msg("there is no module %s", name);
    return (vta_hardware_area){0};
}

/* On iCE40 a memory may have an inverter of its enable. */
static void check_memories(const vta_synthesis *s, double block_rams, double max_luts) {
    vta_hardware_area ram = area_of(s, "vta_ram");
    assert_true(ram.luts <= max_luts && ram.flip_flops == 0 && ram.multipliers == 0);
    if (ram.block_rams != block_rams) fail_msg("%g blocks of memory, not %g", ram.block_rams, block_rams);
}

static void sums_are_right(const vta_synthesis *s) {
    vta_hardware_area all = vta_synthesis_area(s), sum = {0};
    vta_synthesis_module m, before = {.name = ""};
    for (size_t i = 0; vta_synthesis_module_get(s, i, &m); i++) {
        assert_true(strcmp(before.name, m.name) < 0);
        before = m;
        sum.luts += m.area.luts;
        sum.flip_flops += m.area.flip_flops;
        sum.multipliers += m.area.multipliers;
        sum.block_rams += m.area.block_rams;
    }
    assert_memory_equal(&all, &sum, sizeof all);
    assert_true(all.luts > 5000 && all.flip_flops > 2000);
}

/* RAMB36: uop and inp 2 banks of a half one each, wgt 2, acc 2 copies of 2 banks of 2. */
TEST_CASE(small_on_xilinx) {
    vta_synthesis *s = synthesize(small, (vta_hardware_options){.queue_depth = 16, .pack = true}, "xilinx");
    assert_true(area_of(s, "vta_dot").multipliers == 8);
    assert_true(area_of(s, "vta_alu_lane").multipliers == 12);
    check_memories(s, 12, 0);
    sums_are_right(s);
    vta_synthesis_destroy(s);
}

TEST_CASE(small_elsewhere) {
    if (!all_hardware()) skip();
    vta_synthesis *s = synthesize(small, (vta_hardware_options){.queue_depth = 16, .no_mul = true}, "xilinx");
    assert_true(area_of(s, "vta_product").multipliers == 16);
    assert_true(area_of(s, "vta_alu_lane").multipliers == 0);
    vta_synthesis_destroy(s);
    s = synthesize(small, (vta_hardware_options){.queue_depth = 16}, "ecp5");
    assert_true(area_of(s, "vta_product").multipliers == 16);
    assert_true(area_of(s, "vta_alu_lane").multipliers == 12);
    check_memories(s, 24, 0);
    vta_synthesis_destroy(s);
    s = synthesize(small, (vta_hardware_options){.queue_depth = 16, .no_mul = true}, "ice40");
    assert_true(vta_synthesis_area(s).multipliers == 0);
    check_memories(s, 56, 8);
    vta_synthesis_destroy(s);
}

/* vta sweep takes its areas from Yosys: those of the two machines, as the library counts them, in the same units. */
TEST_CASE(sweep_with_gates) {
    if (!all_hardware()) skip();
    char command[900], text[20000];
    snprintf(command, sizeof command,
             VT_BINARY_DIR
             "/vta sweep examples/vector_add.te --set LOG_BLOCK=2 --set LOG_UOP_BUFF_SIZE=11 --set "
             "LOG_INP_BUFF_SIZE=11 --set LOG_WGT_BUFF_SIZE=13 --set LOG_ACC_BUFF_SIZE=13 -v bus_bits=32,64 "
             "-T queue_depth=16 --area synth --json 2>/dev/null");
    FILE *out = popen(command, "r");
    assert_non_null(out);
    text[fread(text, 1, sizeof text - 1, out)] = 0;
    assert_int_equal(pclose(out), 0);
    for (uint32_t bus = 32; bus <= 64; bus *= 2) {
        char name[40];
        snprintf(name, sizeof name, "bus_bits=%u", bus);
        const char *machine = strstr(text, name), *area = machine ? strstr(machine, "\"area\"") : NULL;
        assert_non_null(area);
        vta_synthesis *s = synthesize(small, (vta_hardware_options){.queue_depth = 16, .bus_bits = bus}, "generic");
        vta_hardware_area all = vta_synthesis_area(s);
        double expected = all.luts + all.flip_flops + all.block_rams * 1024 / 10, got = atof(strchr(area, ':') + 1);
        if (got < expected - 1 || got > expected + 1) fail_msg("bus of %u bits: area %g, not %g", bus, got, expected);
        vta_synthesis_destroy(s);
    }
}

TEST_CASE(default_within_its_budget) {
    if (!all_hardware()) skip();
    vta_synthesis *s = synthesize("", (vta_hardware_options){.pack = true}, "xilinx");
    vta_hardware_area all = vta_synthesis_area(s);
    print_message("default: %g LUTs, %g flip-flops, %g DSP48E1, %g RAMB36\n", all.luts, all.flip_flops, all.multipliers,
                  all.block_rams);
    assert_true(all.luts <= 25000 && all.multipliers <= 180 && all.block_rams <= 136);
    vta_synthesis_destroy(s);
}

TEST_CASE(what_is_refused) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_synthesis *s = NULL;
    assert_int_equal(vta_hardware_synthesize(config, NULL, "stratix", false, 0, diag, &s), VTA_NOT_FOUND);
    assert_non_null(strstr(vta_diag_text(diag), "xilinx, ecp5, ice40, generic"));
    assert_int_equal(vta_hardware_synthesize(NULL, NULL, "ecp5", false, 0, diag, &s), VTA_INVALID_ARGUMENT);
    vta_diag_destroy(diag);
    vta_config_release(config);
    vta_part part;
    for (size_t i = 0; vta_part_get(i, &part); i++) {
        assert_non_null(vta_part_family_text(part.family));
        assert_true(part.has.luts > 0 && part.has.block_rams > 0);
    }
}

TEST_CASE(too_little_time) {
    vta_config *base = vta_config_default(), *config;
    vta_diag *diag = vta_diag_create(NULL);
    vta_synthesis *s = NULL;
    assert_int_equal(vta_config_with(base, "LOG_BLOCK=5 LOG_WGT_BUFF_SIZE=17", diag, &config), VTA_OK);
    assert_int_equal(vta_hardware_synthesize(config, NULL, "xilinx", true, 1, diag, &s), VTA_TIMEOUT);
    assert_null(s);
    vta_diag_destroy(diag);
    vta_config_release(config);
    vta_config_release(base);
}

int main(void) {
    if (!have_yosys()) return 77;
    rtl_use_cache();
    return run_cases();
}
