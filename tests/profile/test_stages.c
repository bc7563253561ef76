/* Cycles by source stage, of runs that are written down by hand. */
#include "profile/profile_priv.h"
#include "support/check.h"
#include "support/diag.h"

enum { NEVER = -1, MAX = 12 };

static const char *const names[] = {"conv i=0", "conv i=1", "convolve", "relu", "b x", "a"};

/* source: 0 none, else 1 + which name */
static const struct {
    uint32_t source;
    vta_unit unit;
    vta_insn_kind kind;
    int start, end;
} insns[MAX] = {
    {1, VTA_UNIT_LOAD, VTA_KIND_LOAD_INP, 5, 20},   {2, VTA_UNIT_LOAD, VTA_KIND_LOAD_WGT, 20, 50},
    {2, VTA_UNIT_COMPUTE, VTA_KIND_GEMM, 50, 60},   {3, VTA_UNIT_COMPUTE, VTA_KIND_GEMM, 60, 161},
    {0, VTA_UNIT_STORE, VTA_KIND_STORE, 70, 80},    {4, VTA_UNIT_COMPUTE, VTA_KIND_NOP, 70, 90},
    {4, VTA_UNIT_COMPUTE, VTA_KIND_GEMM, NEVER, 0}, {5, VTA_UNIT_STORE, VTA_KIND_STORE, 90, 97},
    {6, VTA_UNIT_STORE, VTA_KIND_STORE, 97, 104},   {1, VTA_UNIT_COMPUTE, VTA_KIND_LOAD_ACC, 170, 171},
    {4, VTA_UNIT_STORE, VTA_KIND_STORE, 180, 180},  {0, VTA_UNIT_LOAD, VTA_KIND_LOAD_INP, 0, 500},
};

/* Of one run; most cycles first, then by name. A stage is the first word, in each unit for itself. */
static const struct {
    const char *name;
    vta_unit unit;
    int instructions, cycles;
} rows[] = {
    {"convolve", VTA_UNIT_COMPUTE, 1, 101},
    {"conv", VTA_UNIT_LOAD, 2, 45},
    {"conv", VTA_UNIT_COMPUTE, 2, 11},
    {"a", VTA_UNIT_STORE, 1, 7},
    {"b", VTA_UNIT_STORE, 1, 7},
    {"relu", VTA_UNIT_STORE, 1, 0},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static vta_insn_time times[MAX];
static uint32_t source[MAX];
static vt_profile_run runs[2];

/* Twice the same, so that everything is counted twice; `count` instructions of each. */
static vta_profile profile_of(check_allocator *a, uint32_t count) {
    for (int i = 0; i < MAX; i++) {
        source[i] = insns[i].source;
        times[i] = (vta_insn_time){.start = insns[i].start == NEVER ? UINT64_MAX : (uint64_t)insns[i].start,
                                   .end = (uint64_t)insns[i].end,
                                   .kind = (uint8_t)insns[i].kind,
                                   .unit = (uint8_t)insns[i].unit};
    }
    for (int r = 0; r < 2; r++) runs[r] = (vt_profile_run){.times = times, .source = source, .count = count};
    return (vta_profile){.allocator = a->allocator,
                         .runs = runs,
                         .run_count = 2,
                         .names = (char **)names,
                         .name_count = sizeof names / sizeof names[0]};
}

static void stages(void **state) {
    (void)state;
    check_allocator a;
    check_allocator_init(&a, SIZE_MAX);
    vta_profile p = profile_of(&a, MAX);
    vt_stage_time *found;
    size_t count;
    must(vt_profile_stages(&p, diag, &found, &count));
    assert_int_equal(count, ROWS);
    for (size_t i = 0; i < ROWS; i++)
        if (found[i].name_size != strlen(rows[i].name) || strncmp(found[i].name, rows[i].name, found[i].name_size) ||
            found[i].unit != (int)rows[i].unit || found[i].instructions != 2 * (uint64_t)rows[i].instructions ||
            found[i].cycles != 2 * (uint64_t)rows[i].cycles)
            fail_msg("row %zu: %.*s of unit %d: %d instructions, %d cycles", i, (int)found[i].name_size, found[i].name,
                     found[i].unit, (int)found[i].instructions, (int)found[i].cycles);
    vt_free(&a.allocator, found, count * sizeof *found);
    assert_int_equal(a.live, 0);
}

/* No instructions at all, then one without a name: none is no failure. */
static void none(void **state) {
    (void)state;
    for (uint32_t count = 0; count < 2; count++) {
        check_allocator a;
        check_allocator_init(&a, SIZE_MAX);
        vta_profile p = profile_of(&a, count);
        vt_stage_time *found = (vt_stage_time *)&a;
        size_t rows_found = 9;
        source[0] = 0;
        must(vt_profile_stages(&p, diag, &found, &rows_found));
        assert_null(found);
        assert_int_equal(rows_found, 0);
        assert_int_equal(a.live, 0);
    }
}

static void no_memory(void **state) {
    (void)state;
    size_t n = 0;
    for (vta_status status = VTA_NO_MEMORY; status != VTA_OK; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        vta_profile p = profile_of(&a, MAX);
        vt_stage_time *found = (vt_stage_time *)&a;
        size_t count = 9;
        status = vt_profile_stages(&p, diag, &found, &count);
        if (status == VTA_OK) {
            vt_free(&a.allocator, found, count * sizeof *found);
        } else {
            assert_int_equal(status, VTA_NO_MEMORY);
            assert_true(!found && !count);
        }
        assert_int_equal(a.live, 0);
    }
    assert_true(n > 2); /* for a row, and for what is handed out */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(stages, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(none, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(no_memory, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
