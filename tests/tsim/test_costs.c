/* The closed forms of docs/timing.md, one instruction at a time on an idle machine. */
#include "support/check.h"
#include "tsim/programs.h"

/* `count` copies of an instruction. FINISH does not wait for other units, so a long GEMM before it gives them time. The
 * caller frees the result. */
static vta_insn_time *timed(const char *name, const char *changes, const vta_insn *insn, size_t count) {
    vta_config *config = vta_config_default();
    vta_timing_profile profile;
    vta_timing timing;
    program p = {0};
    assert_int_equal(vta_timing_profile_get(name, NULL, &profile), VTA_OK);
    assert_int_equal(vta_timing_profile_set(&profile, changes, NULL), VTA_OK);
    for (size_t i = 0; i < count; i++) *add(&p, VTA_OP_LOAD) = *insn;
    add_exec(&p, VTA_OP_GEMM, 1, 10000, 10);
    add(&p, VTA_OP_FINISH);
    vta_insn_time *times = calloc(p.count, sizeof *times);
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 0x10000, 0, NULL, NULL, &timing, times),
                     VTA_OK);
    free(p.insns);
    vta_config_release(config);
    return times;
}

static uint64_t cost(const char *name, const char *changes, const vta_insn *insn) {
    vta_insn_time *times = timed(name, changes, insn, 1);
    uint64_t took = times[0].end - times[0].start;
    free(times);
    return took;
}

static vta_insn transfer(vta_memory memory, uint32_t dram, uint16_t y, uint16_t x, uint16_t stride) {
    vta_insn insn = {.opcode = memory == VTA_MEM_OUT ? VTA_OP_STORE : VTA_OP_LOAD};
    insn.u.mem.memory_type = (uint8_t)memory;
    insn.u.mem.dram_base = dram;
    insn.u.mem.y_size = y;
    insn.u.mem.x_size = x;
    insn.u.mem.x_stride = stride;
    return insn;
}

TEST_CASE(compute) {
    vta_insn gemm = {.opcode = VTA_OP_GEMM, .u.exec = {.uop_bgn = 2, .uop_end = 5, .iter_out = 4, .iter_in = 6}};
    vta_insn alu = gemm;
    alu.opcode = VTA_OP_ALU;
    const uint64_t n = 72;
    assert_int_equal(cost("chisel", "", &gemm), n + 7);
    assert_int_equal(cost("chisel", "", &alu), 2 * n + 7);
    assert_int_equal(cost("hls", "", &alu), 2 * n);
    assert_int_equal(cost("chisel-2019", "", &alu), 6 * n + 1);
    alu.u.exec.use_imm = gemm.u.exec.reset_reg = 1;
    assert_int_equal(cost("chisel", "", &gemm), n + 7);
    assert_int_equal(cost("chisel", "", &alu), n + 7);
    assert_int_equal(cost("hls", "", &alu), 2 * n);
    assert_int_equal(cost("chisel-2019", "", &alu), 5 * n + 1);
}

TEST_CASE(uop_loads) {
    for (uint32_t base = 1024; base < 1028; base++)
        for (uint16_t n = 1; n < 70; n++) {
            vta_insn insn = transfer(VTA_MEM_UOP, base, 1, n, n);
            assert_int_equal(cost("chisel", "", &insn), 22 + (n + base % 2 + 1) / 2);
        }
}

TEST_CASE(tensor_loads) {
    static const struct {
        vta_memory memory;
        const char *bus;
        uint32_t beats;    /* a tile; 0: several tiles a beat */
        uint32_t per_beat; /* tiles, wide only */
    } rows[] = {{VTA_MEM_INP, "bus_bits=64", 2, 0},     {VTA_MEM_WGT, "bus_bits=64", 32, 0},
                {VTA_MEM_ACC, "bus_bits=64", 8, 0},     {VTA_MEM_WGT, "bus_bits=512", 4, 0},
                {VTA_MEM_INP, "bus_bits=128", 0, 1},    {VTA_MEM_INP, "bus_bits=256", 0, 2},
                {VTA_MEM_INP, "bus_bits=512", 0, 4},    {VTA_MEM_ACC, "bus_bits=512", 0, 1},
                {VTA_MEM_ACC_8BIT, "bus_bits=64", 2, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint16_t x = 1; x < 20; x++)
            for (uint32_t dram = 512; dram < 517; dram++)
                for (uint8_t pad = 0; pad < 3; pad++) {
                    vta_insn insn = transfer(rows[i].memory, dram, 1, x, x);
                    insn.u.mem.y_pad_0 = x < 8 ? pad : 0; /* few enough to hide behind the latency */
                    uint64_t want = insn.u.mem.y_pad_0;
                    if (rows[i].beats)
                        want += 23 + x * rows[i].beats;
                    else
                        want += 22 + (dram % rows[i].per_beat + x + rows[i].per_beat - 1) / rows[i].per_beat;
                    assert_int_equal(cost("chisel", rows[i].bus, &insn), want);
                }
}

/* One load on an idle memory with P tiles of padding: max(beats + y_pad_0 + 23, P + beats + 3) where the data come
 * before the last padding; measured examples, and the pause of a load without sides. */
TEST_CASE(padding) {
    static const struct {
        uint16_t y, x;
        uint8_t above, below, left, right;
        uint64_t cost;
    } rows[] = {{8, 14, 1, 0, 1, 1, 259},
                {3, 5, 2, 2, 0, 0, 56},
                {28, 28, 1, 0, 1, 0, 1628},
                {1, 8, 0, 2, 0, 0, 16 + 23},
                {1, 8, 0, 3, 0, 0, 16 + 24 + 3 + 1},
                {2, 8, 0, 2, 0, 0, 32 + 23}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vta_insn insn = transfer(VTA_MEM_INP, 512, rows[i].y, rows[i].x, rows[i].x);
        insn.u.mem.y_pad_0 = rows[i].above;
        insn.u.mem.y_pad_1 = rows[i].below;
        insn.u.mem.x_pad_0 = rows[i].left;
        insn.u.mem.x_pad_1 = rows[i].right;
        assert_int_equal(cost("chisel", "", &insn), rows[i].cost);
    }
    vta_insn insn = transfer(VTA_MEM_INP, 512, 1, 8, 8);
    insn.u.mem.y_pad_1 = 8;
    assert_int_equal(cost("chisel-2019", "", &insn), 1 + 16 + 4 + 64 * 2);
}

TEST_CASE(stores) {
    for (uint16_t x = 1; x < 40; x++) {
        vta_insn insn = transfer(VTA_MEM_OUT, 512, 3, x, 64);
        uint64_t bursts = (x + 7u) / 8;
        assert_int_equal(cost("chisel", "", &insn), 1 + 3 * (3 * x + 3 * bursts));
        assert_int_equal(cost("hls", "", &insn), 1 + 3 * (3 * x + 3));
        assert_int_equal(cost("chisel", "bus_bits=128", &insn), 1 + 3 * (x + 4 * ((x + 15u) / 16)));
    }
    vta_insn one = transfer(VTA_MEM_OUT, 513, 1, 4, 4); /* at the second of four tiles of a line: two lines */
    assert_int_equal(cost("chisel", "bus_bits=512", &one), 1 + 2 + 4);
}

/* Bursts break at boundaries: measured. */
TEST_CASE(stores_at_boundaries) {
    static const struct {
        uint32_t first;
        uint16_t y, x, stride;
        uint64_t cost;
    } rows[] = {{1, 1, 8, 8, 31}, {0, 3, 5, 5, 58}, {0, 8, 14, 14, 397}, {5, 1, 256, 256, 868}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vta_insn insn = transfer(VTA_MEM_OUT, 512 + rows[i].first, rows[i].y, rows[i].x, rows[i].stride);
        assert_int_equal(cost("chisel", "", &insn), rows[i].cost);
    }
    vta_insn wide = transfer(VTA_MEM_OUT, 512 + 15, 1, 2, 2); /* lines 15 and 16 */
    assert_int_equal(cost("chisel", "bus_bits=128", &wide), 1 + 2 * (1 + 4));
    vta_insn long_bursts = transfer(VTA_MEM_OUT, 512 + 127, 1, 2, 2);
    assert_int_equal(cost("hls", "", &long_bursts), 1 + 2 * (3 + 3));
}

TEST_CASE(front_end) {
    vta_insn nop = transfer(VTA_MEM_INP, 0, 0, 0, 0);
    assert_int_equal(cost("chisel", "", &nop), 2);
    /* 22 + 2n cycles to the first instruction, one more for each one after it, 21 + 3n from batch to batch. With 128
     * bits and more and batches of L lines: 25 + L and 24 + L + n. */
    static const struct {
        const char *name, *bus;
        uint64_t batch, first, period;
    } rows[] = {{"chisel", "", 8, 22 + 2 * 8, 21 + 3 * 8},
                {"hls", "", 128, 22 + 2 * 128, 21 + 3 * 128},
                {"chisel", "bus_bits=128", 16, 25 + 16, 24 + 16 + 16},
                {"chisel", "bus_bits=512", 16, 25 + 4, 24 + 4 + 16},
                {"ultra96", "", 256, 25 + 256, 24 + 256 + 256}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        vta_insn_time *times = timed(rows[r].name, rows[r].bus, &nop, 600);
        for (size_t i = 0; i < 4 * rows[r].batch && i < 600 / rows[r].batch * rows[r].batch; i++)
            assert_int_equal(times[i].arrived, rows[r].first + i / rows[r].batch * rows[r].period + i % rows[r].batch);
        free(times);
    }
}

/* An instruction keeps its place in the queue up to its last cycle: with one place the next one is handed over in the
 * cycle after that and is visible one later. */
TEST_CASE(places_in_queues) {
    vta_insn insn = transfer(VTA_MEM_INP, 512, 1, 20, 20);
    vta_insn_time *times = timed("chisel", "queue_depth=1", &insn, 6);
    for (int i = 1; i < 6; i++) {
        assert_int_equal(times[i].arrived, times[i - 1].end + 1);
        assert_int_equal(times[i].start, times[i].arrived);
    }
    free(times);
    times = timed("chisel", "queue_depth=2", &insn, 6);
    for (int i = 2; i < 6; i++) {
        assert_int_equal(times[i].arrived, times[i - 2].end + 1);
        assert_int_equal(times[i].start, times[i - 1].end);
    }
    free(times);
}

int main(void) { return run_cases(); }
