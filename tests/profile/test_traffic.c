/* What memories move from and to segments of DRAM: random transfers, counted byte by byte. */
#include "profile/profile_priv.h"
#include "support/check.h"
#include "support/diag.h"

enum { BYTES = 1 << 14, INSNS = 12, SEGMENTS = 3, ROUNDS = 60 };

/* With gaps between them and behind. */
static vt_segment segments[SEGMENTS] = {
    {0x400, 0x800, (char *)"a"}, {0xc00, 0x1000, (char *)"b"}, {0x2000, 0x400, NULL}};

static const vta_memory memories[] = {VTA_MEM_UOP, VTA_MEM_WGT,      VTA_MEM_INP,
                                      VTA_MEM_ACC, VTA_MEM_ACC_8BIT, VTA_MEM_OUT};
enum { MEMORIES = sizeof memories / sizeof memories[0] };

static int segment_at(uint64_t addr) {
    for (int s = 0; s < SEGMENTS; s++)
        if (addr >= segments[s].addr && addr < segments[s].addr + segments[s].size) return s;
    return SEGMENTS;
}

static vta_insn random_insn(check_random *r, const vta_config *config) {
    vta_memory memory = memories[check_between(r, 0, MEMORIES - 1)];
    uint32_t tile = vta_config_elem_bytes(config, memory), tiles = BYTES / tile;
    vta_insn insn = {.opcode = memory == VTA_MEM_OUT ? VTA_OP_STORE : VTA_OP_LOAD};
    if (check_between(r, 0, 9) == 0) insn.opcode = VTA_OP_GEMM; /* moves nothing */
    insn.u.mem.memory_type = (uint8_t)memory;
    insn.u.mem.y_size = (uint16_t)check_between(r, 0, 4);
    insn.u.mem.x_size = (uint16_t)check_between(r, 0, 4);
    insn.u.mem.x_stride = (uint16_t)check_between(r, 0, 6);
    insn.u.mem.dram_base = (uint32_t)check_between(r, 0, tiles - 4 * 6 - 4);
    return insn;
}

/* The sums of a memory and a segment, or of none; a row without instructions is none. */
static vt_traffic counted(const vta_config *config, const vta_insn *insns, vta_memory memory, int segment) {
    static bool moved[BYTES];
    vt_traffic t = {.memory = memory, .first = UINT64_MAX};
    uint32_t tile = vta_config_elem_bytes(config, memory);
    memset(moved, 0, sizeof moved);
    for (int i = 0; i < INSNS; i++) {
        const vta_insn *insn = &insns[i];
        if (insn->opcode == VTA_OP_GEMM || insn->u.mem.memory_type != memory || !insn->u.mem.x_size ||
            !insn->u.mem.y_size || segment_at((uint64_t)insn->u.mem.dram_base * tile) != segment)
            continue;
        t.instructions++;
        for (uint32_t y = 0; y < insn->u.mem.y_size; y++)
            for (uint32_t b = 0; b < insn->u.mem.x_size * tile; b++) {
                uint32_t addr = (insn->u.mem.dram_base + y * insn->u.mem.x_stride) * tile + b;
                t.bytes++;
                t.distinct += !moved[addr];
                moved[addr] = true;
                if (addr < t.first) t.first = addr;
            }
    }
    return t;
}

static void check_row(const vta_config *config, const vta_insn *insns, const vt_traffic *row, int round) {
    int segment = row->segment ? (int)(row->segment - segments) : SEGMENTS;
    vt_traffic want = counted(config, insns, row->memory, segment);
    if (row->bytes != want.bytes || row->distinct != want.distinct || row->instructions != want.instructions ||
        row->first != want.first)
        fail_msg("round %d: memory %d, segment %d: %d bytes, %d different, from 0x%x, of %d", round, row->memory,
                 segment, (int)row->bytes, (int)row->distinct, (unsigned)row->first, (int)row->instructions);
}

static void at_random(void **state) {
    (void)state;
    check_random r = {5};
    vta_config *config = vta_config_default();
    for (int round = 0; round < ROUNDS; round++) {
        check_allocator a;
        vta_insn insns[INSNS];
        vt_traffic *rows;
        size_t count, wanted = 0;
        for (int i = 0; i < INSNS; i++) insns[i] = random_insn(&r, config);
        vt_profile_run runs[2] = {{.insns = insns, .count = INSNS / 2},
                                  {.insns = insns + INSNS / 2, .count = INSNS / 2}};
        check_allocator_init(&a, SIZE_MAX);
        vta_profile p = {.allocator = a.allocator,
                         .config = config,
                         .runs = runs,
                         .run_count = 2,
                         .segments = segments,
                         .segment_count = SEGMENTS};
        must(vt_profile_traffic(&p, diag, &rows, &count));
        for (size_t m = 0; m < MEMORIES; m++)
            for (int s = 0; s <= SEGMENTS; s++) wanted += counted(config, insns, memories[m], s).instructions > 0;
        assert_int_equal(count, wanted);
        for (size_t i = 0; i < count; i++) {
            check_row(config, insns, &rows[i], round);
            if (i > 0) /* most first, then as they lie */
                assert_true(rows[i - 1].bytes > rows[i].bytes ||
                            (rows[i - 1].bytes == rows[i].bytes && rows[i - 1].first <= rows[i].first));
        }
        vt_free(&a.allocator, rows, count * sizeof *rows);
        assert_int_equal(a.live, 0);
    }
    vta_config_release(config);
}

/* One transfer, and none. */
static void few(void **state) {
    (void)state;
    vta_config *config = vta_config_default();
    vta_insn insn = {.opcode = VTA_OP_LOAD, .u.mem = {.memory_type = VTA_MEM_INP, .y_size = 1, .x_size = 3}};
    for (uint32_t n = 0; n < 2; n++) {
        check_allocator a;
        check_allocator_init(&a, SIZE_MAX);
        vt_profile_run run = {.insns = &insn, .count = n};
        vta_profile p = {.allocator = a.allocator, .config = config, .runs = &run, .run_count = 1};
        vt_traffic *rows = (vt_traffic *)&a;
        size_t count = 9;
        must(vt_profile_traffic(&p, diag, &rows, &count));
        assert_int_equal(count, n);
        assert_int_equal(rows != NULL, n);
        if (rows) assert_true(rows->bytes == 3 * 16 && rows->distinct == 3 * 16);
        vt_free(&a.allocator, rows, count * sizeof *rows);
        assert_int_equal(a.live, 0);
    }
    vta_config_release(config);
}

static void names(void **state) {
    (void)state;
    static const struct {
        vta_memory memory;
        int segment;
        const char *says;
    } rows[] = {
        {VTA_MEM_UOP, 0, "micro-ops (a)"},          {VTA_MEM_WGT, 1, "weights (b)"},
        {VTA_MEM_INP, 2, "inputs at 0x00002000"},   {VTA_MEM_OUT, 0, "outputs (a)"},
        {VTA_MEM_ACC, 1, "accumulators (b)"},       {VTA_MEM_ACC_8BIT, 1, "accumulators (b)"},
        {VTA_MEM_WGT, -1, "weights at 0x00000123"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[96];
        vt_traffic row = {.memory = rows[i].memory, .first = 0x123};
        if (rows[i].segment >= 0) row.segment = &segments[rows[i].segment];
        vt_traffic_name(&row, text);
        assert_string_equal(text, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(at_random, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(few, diag_begin, diag_end),
                                       cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
