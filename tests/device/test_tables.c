/* Tables: what LOAD and the operation TABLE do on each engine and each processor, and what is refused. */
#include "device/small_program.h"
#include "support/diag.h"

enum { TABLES = 4, ELEMENTS = 64, LANES = 16, LENGTH = 7 };

static vta_config *configured(const char *changes) {
    vta_config *base = vta_config_default(), *c;
    assert_int_equal(vta_config_with(base, changes, NULL, &c), VTA_OK);
    vta_config_release(base);
    return c;
}

static vta_device *opened(const char *changes, vta_engine engine, const char *cpu, bool check) {
    vta_config *c = configured(changes);
    vta_device_options o = {.engine = engine, .cpu = cpu, .check = check};
    vta_device *device = NULL;
    vta_diag_clear(diag);
    vta_status status = vta_device_create("sim", c, &o, NULL, diag, &device);
    vta_config_release(c);
    if (status == VTA_UNSUPPORTED) return NULL; /* another processor */
    assert_int_equal(status, VTA_OK);
    sp_map(device);
    return device;
}

static int8_t entries[TABLES][256];

/* The tables, 256 bytes each, behind the accumulators. */
static void write_data(vta_device *device, const int32_t x[ELEMENTS * LANES]) {
    for (int t = 0; t < TABLES; t++)
        for (int i = 0; i < 256; i++) entries[t][i] = (int8_t)(i * (3 + 2 * t) + 17 * t);
    assert_int_equal(vta_device_write(device, SP_DATA, x, ELEMENTS * LANES * sizeof *x, NULL), VTA_OK);
    assert_int_equal(vta_device_write(device, SP_DATA + 0x1000, entries, sizeof entries, NULL), VTA_OK);
}

/* All tables are loaded, and one is looked up at every accumulator. */
static uint32_t look_up(vta_insn insns[LENGTH], int16_t table) {
    insns[0] = sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, 1);
    insns[1] = sp_load(VTA_MEM_ACC, 0, SP_DATA / 64, 1, ELEMENTS);
    insns[2] = sp_load(VTA_MEM_TABLE, 0, (SP_DATA + 0x1000) / 256, 2, 2);
    insns[3] = sp_alu(VTA_ALU_TABLE, table, ELEMENTS);
    insns[3].push_next_dep = 1;
    insns[4] = sp_store(0, SP_OUT / 16, 1, ELEMENTS);
    insns[4].pop_prev_dep = insns[4].push_prev_dep = 1;
    insns[5] = sp_finish();
    insns[5].pop_next_dep = 1;
    return 6;
}

static int8_t expected(int table, int64_t x) { return entries[table][x < -128 ? 0 : x > 127 ? 255 : x + 128]; }

TEST_CASE(every_engine) {
    static const struct {
        vta_engine engine;
        const char *cpu;
    } ways[] = {{VTA_ENGINE_REFERENCE, NULL},
                {VTA_ENGINE_FAST, "portable"},
                {VTA_ENGINE_FAST, "avx2"},
                {VTA_ENGINE_FAST, "avx512"}};
    static const int32_t ends[] = {INT32_MIN, INT32_MIN + 1, -129, -128, -127, -1, 0, 1, 126, 127, 128, INT32_MAX};
    int32_t x[ELEMENTS * LANES];
    for (int i = 0; i < ELEMENTS * LANES; i++) x[i] = i < 12 ? ends[i] : i * 7 % 700 - 350;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (int16_t table = 0; table < TABLES; table++) {
            vta_device *device = opened("LOG_TABLE_BUFF_SIZE=10", ways[w].engine, ways[w].cpu, false);
            if (!device) continue;
            vta_insn insns[LENGTH];
            int8_t out[ELEMENTS * LANES], on_chip[256];
            write_data(device, x);
            if (sp_run(device, insns, look_up(insns, table), diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
            assert_int_equal(vta_device_read(device, SP_OUT, out, sizeof out, NULL), VTA_OK);
            for (int i = 0; i < ELEMENTS * LANES; i++) assert_int_equal(out[i], expected(table, x[i]));
            assert_int_equal(vta_device_peek(device, VTA_MEM_TABLE, (uint32_t)table, 1, on_chip, 256, diag), VTA_OK);
            assert_memory_equal(on_chip, entries[table], 256);
            assert_int_equal(vta_device_counters(device).table_load_nbytes, 1024);
            assert_int_equal(vta_device_counters(device).acc_load_nbytes, ELEMENTS * LANES * 4);
            vta_device_destroy(device);
        }
}

/* A change of the sound program above, and what is said of it. */
static void no_immediate(vta_insn *i) { i[3].u.exec.use_imm = 0; }
static void table_4(vta_insn *i) { i[3].u.exec.imm = 4; }
static void table_below(vta_insn *i) { i[3].u.exec.imm = -1; }
static void padded(vta_insn *i) { i[2].u.mem.x_pad_1 = 1, i[2].u.mem.y_size = 1; }
static void too_many(vta_insn *i) { i[2].u.mem.sram_base = 1; }
static void stored(vta_insn *i) { i[4].u.mem.memory_type = VTA_MEM_TABLE; }
static void only_alu(vta_insn *i) { i[2] = sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, 1); }
static void only_no_op(vta_insn *i) { i[2].u.mem.x_size = 0, i[3].u.exec.alu_opcode = VTA_ALU_ADD; }
static void unchanged(vta_insn *i) { (void)i; }
static void fewer(vta_insn *i) { i[2].u.mem.y_size = 1; }

static const struct refusal {
    const char *config;
    void (*change)(vta_insn *);
    vta_status status;
    const char *says;
} refusals[] = {
    {"LOG_TABLE_BUFF_SIZE=10", no_immediate, VTA_ILLEGAL, "instruction 3 (ALU TABLE): use_imm is 0"},
    {"LOG_TABLE_BUFF_SIZE=10", table_4, VTA_OUT_OF_RANGE, "(ALU TABLE): table 4, but the table memory has 4"},
    {"LOG_TABLE_BUFF_SIZE=10", table_below, VTA_OUT_OF_RANGE, "(ALU TABLE): table -1, but the table memory has 4"},
    {"LOG_TABLE_BUFF_SIZE=10", padded, VTA_ILLEGAL, "(LOAD table): padding 0 0 0 1, but tables have none"},
    {"LOG_TABLE_BUFF_SIZE=10", too_many, VTA_OUT_OF_RANGE, "end at 5, but the buffer has 4"},
    {"LOG_TABLE_BUFF_SIZE=10", stored, VTA_ILLEGAL, "memory_type 6 cannot be stored"},
    {"", unchanged, VTA_ILLEGAL, "instruction 2 (LOAD table): the configuration has no tables"},
    {"", only_alu, VTA_ILLEGAL, "instruction 3 (ALU TABLE): the configuration has no tables"},
    {"", only_no_op, VTA_ILLEGAL, "instruction 2 (LOAD table): the configuration has no tables"},
};

TEST_CASE(is_refused) {
    static const int32_t x[ELEMENTS * LANES];
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        for (int engine = VTA_ENGINE_FAST; engine <= VTA_ENGINE_REFERENCE; engine++) {
            const struct refusal *r = &refusals[i];
            vta_device *device = opened(r->config, (vta_engine)engine, NULL, false);
            vta_insn insns[LENGTH];
            uint32_t count = look_up(insns, 0);
            write_data(device, x);
            r->change(insns);
            vta_diag_clear(diag);
            assert_int_equal(sp_run(device, insns, count, diag), r->status);
            if (!strstr(vta_diag_text(diag), r->says)) fail_msg("%s, not %s", vta_diag_text(diag), r->says);
            vta_device_destroy(device);
        }
}

/* A table that nothing has loaded is found before its contents are used; what the boards do not have, on their target.
 */
TEST_CASE(checked) {
    static const struct {
        const char *config;
        void (*change)(vta_insn *);
        vta_status status;
        const char *says;
    } runs[] = {{"LOG_TABLE_BUFF_SIZE=10", unchanged, VTA_OK, ""},
                {"LOG_TABLE_BUFF_SIZE=10", fewer, VTA_ILLEGAL, "table"},
                {"LOG_TABLE_BUFF_SIZE=10 TARGET=pynq", unchanged, VTA_UNSUPPORTED, "no board of TVM's VTA"}};
    static const int32_t x[ELEMENTS * LANES];
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        vta_device *device = opened(runs[i].config, VTA_ENGINE_FAST, NULL, true);
        vta_insn insns[LENGTH];
        uint32_t count = look_up(insns, 3);
        write_data(device, x);
        runs[i].change(insns);
        vta_diag_clear(diag);
        vta_status status = sp_run(device, insns, count, diag);
        if (status != runs[i].status || !strstr(vta_diag_text(diag), runs[i].says))
            fail_msg("run %zu: %d, %s", i, (int)status, vta_diag_text(diag));
        vta_device_destroy(device);
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
