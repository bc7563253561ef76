/* The hardware in many configurations: random programs on each, with and without stalls, as it is built for use and
 * with assertions. Takes minutes, for the models: only with VTA_TEST_HARDWARE=1, which make test-hardware sets
 * (or a part of a design's name: only those). */
#include "rtl/programs.h"

#define SIZES(uop, inp, wgt, acc)                                                                                      \
    "LOG_UOP_BUFF_SIZE=" #uop " LOG_INP_BUFF_SIZE=" #inp " LOG_WGT_BUFF_SIZE=" #wgt " LOG_ACC_BUFF_SIZE=" #acc

/* Buffers of 64, 64, 32 and 64 elements, but where a name says otherwise. */
static const rtl_design designs[] = {
    {"1x4x4, 64 bits, as built for use", "LOG_BLOCK=2 " SIZES(8, 8, 9, 10), "queue_depth=16", true},
    {"1x4x4, 256 bits: all but acc narrower than the bus", "LOG_BLOCK=2 " SIZES(8, 8, 9, 10), "bus_bits=256", false},
    {"1x4x4, 32 bits", "LOG_BLOCK=2 " SIZES(8, 8, 9, 10), "bus_bits=32 len_bits=2 queue_depth=4", false},
    {"4x8x4, uneven blocks, 128 bits", "LOG_BATCH=2 LOG_BLOCK_IN=3 LOG_BLOCK_OUT=2 " SIZES(8, 11, 10, 12),
     "bus_bits=128", false},
    {"2x4x8, inp of 4 bits, wgt of 4 bits",
     "LOG_BATCH=1 LOG_BLOCK_IN=2 LOG_BLOCK_OUT=3 LOG_INP_WIDTH=2 LOG_WGT_WIDTH=2 " SIZES(8, 8, 9, 12), "bus_bits=64",
     false},
    {"1x8x4, inp of 16 bits, wgt of 8", "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=2 LOG_INP_WIDTH=4 " SIZES(8, 10, 10, 10),
     "bus_bits=64 len_bits=8", false},
    {"1x4x4, inp and wgt of 32 bits", "LOG_BLOCK=2 LOG_INP_WIDTH=5 LOG_WGT_WIDTH=5 " SIZES(8, 10, 11, 10),
     "bus_bits=64 len_bits=0", false},
    {"1x16x16, small buffers, 128 bits", "LOG_BLOCK=4 " SIZES(8, 10, 13, 12), "bus_bits=128", true},
    {"1x8x8, 512 bits", "LOG_BLOCK=3 " SIZES(8, 9, 11, 11), "bus_bits=512 len_bits=6", true},
    {"1x4x8, two products in a multiplier", "LOG_BLOCK_IN=2 LOG_BLOCK_OUT=3 " SIZES(8, 8, 10, 11), "queue_depth=16",
     false, true, false},
    {"4x16x16, two products in a multiplier", "LOG_BATCH=2 LOG_BLOCK=4 " SIZES(8, 12, 13, 14), "queue_depth=16", true,
     true, false},
    {"1x4x4, four tables", "LOG_BLOCK=2 LOG_TABLE_BUFF_SIZE=10 " SIZES(8, 8, 9, 10), "queue_depth=16", true},
    {"4x8x4, a table, 128 bits",
     "LOG_TABLE_BUFF_SIZE=8 LOG_BATCH=2 LOG_BLOCK_IN=3 LOG_BLOCK_OUT=2 " SIZES(8, 11, 10, 12), "bus_bits=128", false},
    {"1x4x4, two tables, small", "LOG_BLOCK=2 LOG_TABLE_BUFF_SIZE=9 " SIZES(8, 8, 9, 10),
     "bus_bits=32 len_bits=0 queue_depth=1", false, false, false, true},
    {"1x4x4, small", "LOG_BLOCK=2 " SIZES(8, 8, 9, 10), "bus_bits=32 len_bits=0 queue_depth=1", false, false, false,
     true},
    {"2x8x4, small, 64 bits", "LOG_BATCH=1 LOG_BLOCK_IN=3 LOG_BLOCK_OUT=2 LOG_WGT_WIDTH=2 " SIZES(8, 9, 9, 11),
     "bus_bits=64 len_bits=2 queue_depth=4", false, false, false, true},
    {"1x4x4, Yosys's netlist", "LOG_BLOCK=2 " SIZES(8, 8, 9, 10), "queue_depth=16", true, false, true},
    {"2x4x8, packed, 256 bits, Yosys's netlist", "LOG_BATCH=1 LOG_BLOCK_IN=2 LOG_BLOCK_OUT=3 " SIZES(8, 9, 10, 12),
     "bus_bits=256", true, true, true},
};

static void random_programs(void **state) {
    const rtl_design *d = *state;
    print_message("%s\n", d->name);
    rtl_build(d);
    rtl_check_programs(d, 1, 200, 0);
    rtl_check_programs(d, 5000, 60, 20);
    rtl_check_programs(d, 6000, 40, 70);
}

int main(void) {
    const char *wanted = getenv("VTA_TEST_HARDWARE");
    if (!wanted || !*wanted) return 77;
    rtl_use_cache();
    enum { COUNT = sizeof designs / sizeof *designs };
    struct CMUnitTest tests[COUNT];
    size_t count = 0;
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(wanted, "1") || strstr(designs[i].name, wanted))
            tests[count++] = (struct CMUnitTest){designs[i].name, random_programs, NULL, NULL, (void *)&designs[i]};
    return _cmocka_run_group_tests("configurations", tests, count, NULL, NULL);
}
