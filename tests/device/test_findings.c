/* How findings are kept, counted and told; what finds them is test_check's and test_property's. */
#include "device/driver.h"
#include "device/findings.h"
#include "support/check.h"

static vt_findings found;
static vta_diag *diag;

static vt_finding finding(vt_finding_kind kind, uint32_t first, uint32_t second, uint64_t from, uint64_t to) {
    vt_finding f = {.kind = kind, .memory = VTA_MEM_ACC, .from = from, .to = to};
    f.first = (vt_finding_insn){first, "ALU ADD"};
    f.second = (vt_finding_insn){second, "STORE"};
    return f;
}

static void add(vt_finding_kind kind, uint32_t first, uint32_t second, uint64_t from, uint64_t to) {
    const vt_finding f = finding(kind, first, second, from, to);
    vt_findings_add(&found, &f);
}

static int begin(void **state) {
    (void)state;
    found = (vt_findings){0};
    diag = vta_diag_create(NULL);
    return 0;
}

static int end(void **state) {
    (void)state;
    vta_diag_destroy(diag);
    return 0;
}

/* What is about the same instructions becomes one; each part of "the same" counts. */
static void ranges(void **state) {
    (void)state;
    add(VT_FINDING_RACE, 3, 5, 10, 12);
    add(VT_FINDING_RACE, 3, 6, 1, 1);
    add(VT_FINDING_RACE, 3, 5, 20, 25);
    add(VT_FINDING_RACE, 3, 5, 9, 9);
    add(VT_FINDING_RACE, 3, 5, 15, 16);
    assert_int_equal(found.shown_count, 2);
    assert_int_equal(found.counts[VT_FINDING_RACE], 5);
    assert_int_equal(found.shown[0].from, 9);
    assert_int_equal(found.shown[0].to, 25);
    assert_int_equal(found.shown[1].from, 1);
    assert_int_equal(found.shown[1].to, 1);
    vt_finding others[5];
    for (int i = 0; i < 5; i++) others[i] = finding(VT_FINDING_RACE, 3, 5, 0, 0);
    others[0].kind = VT_FINDING_DRAM_RACE;
    others[1].run = 1;
    others[2].first.index = 4;
    others[3].second.index = 7;
    others[4].memory = VTA_MEM_INP;
    for (uint32_t i = 0; i < 5; i++) {
        vt_findings_add(&found, &others[i]);
        assert_int_equal(found.shown_count, 3 + i);
    }
    assert_int_equal(found.shown[0].from, 9);
    assert_int_equal(found.more, 0);
}

/* Worse ones take the place of the mildest; all are counted. */
static void too_many(void **state) {
    (void)state;
    for (uint32_t i = 0; i < VT_FINDINGS_SHOWN; i++)
        add(i == 5 ? VT_FINDING_UNWRITTEN : VT_FINDING_UNFINISHED, i, 99, 0, 0);
    assert_int_equal(found.more, 0);
    add(VT_FINDING_UNWRITTEN, 40, 99, 0, 0); /* not worse: left out */
    assert_int_equal(found.more, 1);
    assert_int_equal(found.shown[5].first.index, 5);
    add(VT_FINDING_DRAM_RACE, 41, 99, 0, 0);
    assert_int_equal(found.more, 2);
    assert_int_equal(found.shown[5].first.index, 41);
    add(VT_FINDING_RACE, 42, 99, 0, 0); /* the first of those that are now the mildest */
    assert_int_equal(found.shown[0].first.index, 42);
    assert_int_equal(found.shown[1].first.index, 1);
    add(VT_FINDING_UNFINISHED, 43, 99, 0, 0);
    assert_int_equal(found.shown_count, VT_FINDINGS_SHOWN);
    assert_int_equal(found.more, 4);
    for (uint32_t i = 0; i < VT_FINDINGS_SHOWN; i++) assert_int_not_equal(found.shown[i].first.index, 43);
    assert_int_equal(found.counts[VT_FINDING_UNFINISHED], 16);
    assert_int_equal(found.counts[VT_FINDING_UNWRITTEN], 2);
    assert_int_equal(found.counts[VT_FINDING_RACE], 1);
}

static void warn(vt_findings *to, vt_portability kind, uint32_t index) {
    const vta_insn insn = {.opcode = VTA_OP_FINISH};
    vt_findings_warn(to, kind, index, &insn);
}

/* Runs are counted from 0; of warnings the first is kept. */
static void several_runs(void **state) {
    (void)state;
    vt_findings run[3] = {0};
    const vt_finding f = finding(VT_FINDING_RACE, 1, 2, 3, 4);
    vt_findings_add(&run[1], &f);
    vt_findings_add(&run[2], &f);
    run[1].more = 5;
    run[2].more = 6;
    warn(&run[1], VT_WARN_MUL, 8);
    warn(&run[1], VT_WARN_MUL, 7);
    warn(&run[2], VT_WARN_MUL, 6);
    warn(&run[2], VT_WARN_NO_ROWS, 4);
    for (int i = 0; i < 3; i++) vt_findings_merge(&found, &run[i]);
    assert_int_equal(found.runs, 3);
    assert_int_equal(found.more, 11);
    assert_int_equal(found.counts[VT_FINDING_RACE], 2);
    assert_int_equal(found.shown_count, 2);
    assert_int_equal(found.shown[0].run, 1);
    assert_int_equal(found.shown[1].run, 2);
    assert_int_equal(found.warnings[VT_WARN_MUL].count, 3);
    assert_int_equal(found.warnings[VT_WARN_MUL].run, 1);
    assert_int_equal(found.warnings[VT_WARN_MUL].first.index, 8);
    assert_int_equal(found.warnings[VT_WARN_NO_ROWS].count, 1);
    assert_int_equal(found.warnings[VT_WARN_NO_ROWS].run, 2);
    assert_int_equal(found.warnings[VT_WARN_NO_ROWS].first.index, 4);
    assert_int_equal(found.warnings[VT_WARN_ACC_8BIT].count, 0);
}

/* What the TARGET does otherwise is an error: told as one, and apart from the warnings. */
static void wrong_on_the_target(void **state) {
    (void)state;
    vt_findings run = {.wrong = {[VT_WARN_NO_ROWS] = true}};
    warn(&run, VT_WARN_MUL, 8);
    assert_int_equal(vt_findings_status(&run), VTA_OK);
    warn(&run, VT_WARN_NO_ROWS, 4);
    vt_findings_merge(&found, &run);
    assert_int_equal(vt_findings_report(&found, diag), VTA_UNSUPPORTED);
    assert_non_null(strstr(vta_diag_text(diag), "warning: instruction 8 (FINISH), the first of 1: MUL exists"));
    assert_non_null(strstr(vta_diag_text(diag), "error: instruction 4 (FINISH), the first of 1: y_size 0"));
}

/* ---- Told ------------------------------------------------------------------------------------------------------- */

/* One of each kind, the mildest first, and races in both directions. */
static void one_of_each(void) {
    add(VT_FINDING_UNWRITTEN, 1, 0, 2, 3);
    add(VT_FINDING_UNFINISHED, 4, 9, 0, 0);
    add(VT_FINDING_FETCH_RACE, 5, 6, 0x1000, 0x100f);
    add(VT_FINDING_DRAM_RACE, 7, 8, 0x2000, 0x20ff);
    add(VT_FINDING_RACE, 10, 11, 12, 13);
    vt_finding f = finding(VT_FINDING_DRAM_RACE, 14, 15, 0xfffff000, 0xffffffff);
    f.second_writes = true;
    vt_findings_add(&found, &f);
    f = finding(VT_FINDING_RACE, 16, 17, 18, 19);
    f.second_writes = true;
    vt_findings_add(&found, &f);
    warn(&found, VT_WARN_MUL, 20);
    warn(&found, VT_WARN_MUL, 21);
    found.warnings[VT_WARN_MUL].run = 2;
    found.more = 22;
    found.runs = 3;
    found.shown[6].run = 1;
}

#define RACE_10                                                                                                        \
    "instruction 11 (STORE) reads acc[12..13], which instruction 10 (ALU ADD) writes, and no token path orders the "   \
    "two"
#define RACE_16                                                                                                        \
    "instruction 17 (STORE) writes acc[18..19], which instruction 16 (ALU ADD) reads, and no token path orders the "   \
    "two"
#define DRAM_7                                                                                                         \
    "instruction 8 (STORE) reads DRAM 0x00002000..0x000020ff, which instruction 7 (ALU ADD) writes, and no token "     \
    "path "                                                                                                            \
    "orders the two"
#define DRAM_14                                                                                                        \
    "instruction 15 (STORE) writes DRAM 0xfffff000..0xffffffff, which instruction 14 (ALU ADD) reads, and no token "   \
    "path orders the two"
#define FETCH                                                                                                          \
    "instruction 5 (ALU ADD) writes DRAM 0x00001000..0x0000100f, where instruction 6 (STORE) and what follows it "     \
    "stand: they may be fetched before or after that"
#define UNFINISHED                                                                                                     \
    "no token path leads from instruction 4 (ALU ADD) to instruction 9 (STORE): the device may report done before it " \
    "ran"
#define UNWRITTEN                                                                                                      \
    "instruction 1 (ALU ADD) reads acc[2..3], where no instruction of this run has written before it; what earlier "   \
    "runs left on chip does not count"
#define MUL "MUL exists in simulators only: on a board the run hangs"

static void report(void **state) {
    (void)state;
    static const char *const lines[] = {RACE_10,
                                        RACE_16,
                                        DRAM_7,
                                        DRAM_14,
                                        FETCH,
                                        UNFINISHED,
                                        UNWRITTEN,
                                        "these are the first 7 findings; 22 more accesses were wrong",
                                        ("instruction 20 (FINISH), the first of 2: " MUL)};
    enum { LINES = sizeof lines / sizeof *lines };
    vta_diag_entry e;
    assert_int_equal(vt_findings_report(&found, diag), VTA_OK);
    assert_int_not_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    one_of_each();
    assert_int_equal(vt_findings_report(&found, diag), VTA_RACE);
    for (size_t i = 0; i < LINES; i++) {
        assert_int_equal(vta_diag_get(diag, i, &e), VTA_OK);
        assert_string_equal(e.message, lines[i]);
        assert_int_equal(e.severity, i < 7 ? VTA_ERROR : i == 7 ? VTA_NOTE : VTA_WARNING);
        if (i < 7) assert_int_equal(e.status, i < 6 ? VTA_RACE : VTA_ILLEGAL);
    }
    assert_int_not_equal(vta_diag_get(diag, LINES, &e), VTA_OK);
    found = (vt_findings){0};
    add(VT_FINDING_UNWRITTEN, 1, 0, 2, 3);
    assert_int_equal(vt_findings_status(&found), VTA_ILLEGAL);
}

static const vt_findings *found_by(const vta_device *device) {
    (void)device;
    return &found;
}

static void json(void **state) {
    (void)state;
    static const vt_driver driver = {.name = "found", .findings = found_by};
    const vta_device device = {.driver = &driver};
    one_of_each();
    char *text = vta_device_findings_to_json(&device);
#define PAIR(first, second)                                                                                            \
    "\"first\": " #first ", \"first_is\": \"ALU ADD\", \"second\": " #second ", \"second_is\": \"STORE\", "
    assert_string_equal(
        text,
        "{\"runs\": 3, \"races\": ["
        "{\"kind\": \"unfinished\", \"run\": 0, " PAIR(
            4, 9) "\"text\": \"" UNFINISHED "\"}, "
                  "{\"kind\": \"fetch-race\", \"run\": 0, " PAIR(
                      5, 6) "\"memory\": \"dram\", \"from\": 4096, \"to\": 4111, \"text\": \"" FETCH "\"}, "
                            "{\"kind\": \"dram-race\", \"run\": 0, " PAIR(
                                7,
                                8) "\"memory\": \"dram\", \"from\": 8192, \"to\": 8447, \"text\": \"" DRAM_7 "\"}, "
                                   "{\"kind\": \"race\", \"run\": 0, " PAIR(
                                       10,
                                       11) "\"memory\": \"acc\", \"from\": 12, \"to\": 13, \"text\": \"" RACE_10 "\"}, "
                                           "{\"kind\": \"dram-race\", \"run\": 0, " PAIR(
                                               14, 15) "\"memory\": \"dram\", \"from\": 4294963200, \"to\": "
                                                       "4294967295, \"text\": \"" DRAM_14 "\"}, "
                                                       "{\"kind\": \"race\", \"run\": 1, " PAIR(
                                                           16,
                                                           17) "\"memory\": \"acc\", \"from\": 18, \"to\": 19, "
                                                               "\"text\": \"" RACE_16 "\"}], "
                                                               "\"unwritten\": [{\"kind\": \"unwritten\", \"run\": 0, "
                                                               "\"first\": 1, \"first_is\": \"ALU ADD\", "
                                                               "\"memory\": \"acc\", \"from\": 2, \"to\": 3, \"text\": "
                                                               "\"" UNWRITTEN "\"}], \"more\": 22, "
                                                               "\"unsupported\": [], "
                                                               "\"warnings\": [{\"kind\": \"mul\", \"count\": 2, "
                                                               "\"run\": 2, \"first\": 20, \"first_is\": \"FINISH\", "
                                                               "\"differs\": \"HLS, Chisel\", \"text\": \"" MUL
                                                               "\"}]}");
    vta_string_free(text);
}

static void counters(void **state) {
    (void)state;
    const vta_counters c = {.inp_load_nbytes = 1, .cycles = UINT64_MAX};
    char *text = vta_counters_to_json(&c);
    assert_string_equal(
        text,
        "{\"inp_load_nbytes\": 1, \"wgt_load_nbytes\": 0, \"acc_load_nbytes\": 0, \"uop_load_nbytes\": 0, "
        "\"out_store_nbytes\": 0, \"gemm_counter\": 0, \"alu_counter\": 0, \"gemm_reset_counter\": 0, "
        "\"macs\": 0, \"insn_load\": 0, \"insn_store\": 0, \"insn_gemm\": 0, \"insn_alu\": 0, \"insn_finish\": 0, "
        "\"insn_nop\": 0, \"runs\": 0, \"uop_cache_hits\": 0, \"uop_cache_misses\": 0, "
        "\"uop_cache_evictions\": 0, \"cycles\": 18446744073709551615, \"table_load_nbytes\": 0}");
    vta_string_free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(ranges, begin, end),
                                       cmocka_unit_test_setup_teardown(too_many, begin, end),
                                       cmocka_unit_test_setup_teardown(several_runs, begin, end),
                                       cmocka_unit_test_setup_teardown(wrong_on_the_target, begin, end),
                                       cmocka_unit_test_setup_teardown(report, begin, end),
                                       cmocka_unit_test_setup_teardown(json, begin, end),
                                       cmocka_unit_test(counters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
