/* Captured programs in memory, as files, and their replay. */
#include <unistd.h>

#include "base/hash.h"
#include "support/programs.h"

static vta_config *config;

static int setup(void **state) {
    (void)state;
    config = vta_config_default();
    return config ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    vta_config_release(config);
    return 0;
}

static vta_program *record(uint32_t runs) {
    vta_program *p;
    assert_int_equal(check_record(config, NULL, runs, NULL, &p), VTA_OK);
    return p;
}

static void check_recorded(const vta_program *p, uint32_t runs) {
    assert_int_equal(vta_program_run_count(p), runs);
    for (uint32_t i = 0; i < runs; i++) {
        vta_program_run_info run;
        vta_program_segment s;
        assert_int_equal(vta_program_get_run(p, i, &run), VTA_OK);
        assert_int_equal(run.insn_addr, CHECK_INSN_ADDR);
        assert_int_equal(run.insn_count, 3);
        assert_int_equal(run.segment_count, 2);
        assert_int_equal(run.insns[0] & 7, VTA_OP_LOAD);
        assert_int_equal(vta_program_get_segment(p, i, 0, &s), VTA_OK);
        assert_int_equal(s.addr, CHECK_FROM);
        assert_int_equal(s.size, 64);
        assert_int_equal(s.before_size, 61); /* cut after the last byte that is not 0 */
        assert_int_equal(s.before[60], 16 * i + 16);
        assert_int_equal(s.has_after, 0);
        assert_int_equal(vta_program_get_segment(p, i, 1, &s), VTA_OK);
        assert_int_equal(s.addr, CHECK_TO);
        assert_int_equal(s.before_size, 0);
        assert_int_equal(s.has_after, 1);
        assert_int_equal(s.after_size, 16);
        assert_int_equal(s.after[0], 16 * i + 1);
        assert_int_equal(vta_program_get_segment(p, i, 2, &s), VTA_OUT_OF_RANGE);
    }
    vta_program_run_info none;
    assert_int_equal(vta_program_get_run(p, runs, &none), VTA_OUT_OF_RANGE);
    vta_counters c;
    assert_int_equal(vta_program_get_stats(p, &c), 1u << 2 | 1u << 4);
    assert_int_equal(c.acc_load_nbytes, 64 * runs);
    assert_string_equal(vta_config_model(vta_program_config(p)), vta_config_model(config));
}

TEST_CASE(recording) {
    vta_program *p = record(3);
    check_recorded(p, 3);
    vta_program_destroy(p);
    vta_program_destroy(NULL);
}

TEST_CASE(round_trip) {
    for (uint32_t runs = 0; runs < 4; runs++) {
        vta_program *p = record(runs), *q;
        uint8_t *bytes, *again;
        size_t size, again_size;
        assert_int_equal(vta_program_serialize(p, NULL, &bytes, &size), VTA_OK);
        assert_int_equal(vta_program_parse(bytes, size, "p.vta", NULL, NULL, &q), VTA_OK);
        check_recorded(q, runs);
        assert_int_equal(vta_program_serialize(q, NULL, &again, &again_size), VTA_OK);
        assert_int_equal(size, again_size);
        assert_memory_equal(bytes, again, size);
        vta_string_free(bytes);
        vta_string_free(again);
        vta_program_destroy(p);
        vta_program_destroy(q);
    }
}

TEST_CASE(equal_contents_are_kept_once) {
    static uint8_t insn[16] = {VTA_OP_FINISH}, contents[1 << 20];
    memset(contents, 7, sizeof contents);
    vta_program *p;
    assert_int_equal(vta_program_create(config, NULL, NULL, &p), VTA_OK);
    for (int run = 0; run < 50; run++) {
        assert_int_equal(vta_program_begin_run(p, 0x1000, insn, 1, NULL), VTA_OK);
        assert_int_equal(vta_program_add_segment(p, 0x100000, contents, sizeof contents, NULL), VTA_OK);
        assert_int_equal(vta_program_end_run(p, NULL), VTA_OK);
    }
    uint8_t *bytes;
    size_t size;
    assert_int_equal(vta_program_serialize(p, NULL, &bytes, &size), VTA_OK);
    assert_in_range(size, sizeof contents, sizeof contents + 8192);
    vta_string_free(bytes);
    vta_program_destroy(p);
}

TEST_CASE(dropped_runs_leave_nothing) {
    vta_program *p = record(2);
    uint8_t insn[16] = {VTA_OP_FINISH}, bytes[5000];
    memset(bytes, 9, sizeof bytes);
    assert_int_equal(vta_program_begin_run(p, 0x1000, insn, 1, NULL), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, 0x2000, bytes, sizeof bytes, NULL), VTA_OK);
    vta_program_drop_run(p);
    vta_program_drop_run(p);
    check_recorded(p, 2);
    assert_int_equal(vta_program_begin_run(p, 0x1000, insn, 1, NULL), VTA_OK);
    vta_program_destroy(p); /* with a run open */
}

TEST_CASE(refusals) {
    uint8_t insn[64] = {VTA_OP_FINISH}, bytes[8192] = {1};
    vta_diag *diag = vta_diag_create(NULL);
    vta_program *p = record(1), *none;
#define REFUSED(call, status, message)                                                                                 \
    do {                                                                                                               \
        vta_diag_clear(diag);                                                                                          \
        assert_int_equal(call, status);                                                                                \
        assert_contains(vta_diag_text(diag), message);                                                                 \
    } while (0)
    REFUSED(vta_program_begin_run(p, 0x1000, insn, 0, diag), VTA_OUT_OF_RANGE, "a run has 1 to");
    REFUSED(vta_program_begin_run(p, 0, insn, 1, diag), VTA_OUT_OF_RANGE, "page 0");
    REFUSED(vta_program_begin_run(p, 0x1000, NULL, 1, diag), VTA_INVALID_ARGUMENT, "NULL");
    REFUSED(vta_program_end_run(p, diag), VTA_INVALID_ARGUMENT, "no run");
    REFUSED(vta_program_add_segment(p, 0x1000, bytes, 4, diag), VTA_INVALID_ARGUMENT, "no run is being recorded");
    REFUSED(vta_program_add_after(p, 0x1000, bytes, 4, diag), VTA_NOT_FOUND, "no such segment");
    assert_int_equal(vta_program_begin_run(p, 0x5000, insn, 1, diag), VTA_OK);
    REFUSED(vta_program_begin_run(p, 0x5000, insn, 1, diag), VTA_INVALID_ARGUMENT, "already");
    assert_int_equal(vta_program_add_segment(p, 0x2000, bytes, 4097, diag), VTA_OK);
    REFUSED(vta_program_add_segment(p, 0x3000, bytes, 4, diag), VTA_OUT_OF_RANGE, "overlaps the one at 0x00002000");
    REFUSED(vta_program_add_segment(p, 0x1000, bytes, 4097, diag), VTA_OUT_OF_RANGE, "overlaps");
    REFUSED(vta_program_add_segment(p, 0x2001, bytes, 4, diag), VTA_OUT_OF_RANGE, "must begin at a page");
    REFUSED(vta_program_add_segment(p, 0, bytes, 4, diag), VTA_OUT_OF_RANGE, "must begin at a page");
    REFUSED(vta_program_add_segment(p, 0x8000, bytes, 0, diag), VTA_OUT_OF_RANGE, "0 bytes");
    REFUSED(vta_program_add_segment(p, 0xfffff000, bytes, 4097, diag), VTA_OUT_OF_RANGE, "32-bit address space");
    REFUSED(vta_program_add_after(p, 0x2000, bytes, 4, diag), VTA_NOT_FOUND, "no such segment");
    vta_program_drop_run(p);
    assert_int_equal(vta_program_begin_run(p, 0x2ff8, insn, 2, diag), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, 0x2000, bytes, 4096, diag), VTA_OK);
    REFUSED(vta_program_end_run(p, diag), VTA_OUT_OF_RANGE, "must lie inside one segment");
    vta_program_drop_run(p);
    assert_int_equal(vta_program_begin_run(p, 0x2ff0, insn, 1, diag), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, 0x2000, bytes, 4096, diag), VTA_OK);
    assert_int_equal(vta_program_end_run(p, diag), VTA_OK);
    REFUSED(vta_program_set_insns(p, 9, insn, 1, diag), VTA_OUT_OF_RANGE, "run 9: the program has 2");
    REFUSED(vta_program_set_insns(p, 1, insn, 2, diag), VTA_OUT_OF_RANGE, "must lie inside one segment");
    assert_int_equal(vta_program_set_insns(p, 0, insn, 1, diag), VTA_OK);
    REFUSED(vta_program_load("/nonexistent/p.vta", NULL, diag, &none), VTA_NOT_FOUND, "/nonexistent/p.vta");
    vta_program_destroy(p);
    vta_diag_destroy(diag);
}

/* Every shorter file, every single changed byte: refused with a message. */
TEST_CASE(damaged_files) {
    vta_program *p = record(2), *q;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(vta_program_serialize(p, NULL, &bytes, &size), VTA_OK);
    vta_diag *diag = vta_diag_create(NULL);
    for (size_t n = 0; n < size; n++) {
        uint8_t *cut = malloc(n ? n : 1);
        memcpy(cut, bytes, n);
        vta_diag_clear(diag);
        assert_int_equal(vta_program_parse(cut, n, "p.vta", NULL, diag, &q), VTA_PARSE);
        assert_null(q);
        assert_contains(vta_diag_text(diag), "p.vta: error: ");
        free(cut);
        bytes[n] ^= 0x10;
        assert_int_equal(vta_program_parse(bytes, size, "p.vta", NULL, NULL, &q), VTA_PARSE);
        bytes[n] ^= 0x10;
    }
    vta_diag_destroy(diag);
    vta_string_free(bytes);
    vta_program_destroy(p);
}

static void put_checksum(uint8_t *bytes, size_t size) {
    uint64_t h = vt_hash(vt_hash(size, bytes, 24), bytes + 32, size - 32);
    memcpy(bytes + 24, &h, 8);
}

/* Damage behind a right checksum: nothing but an error may come of it. */
TEST_CASE(damaged_tables) {
    vta_program *p = record(2), *q;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(vta_program_serialize(p, NULL, &bytes, &size), VTA_OK);
    uint8_t *copy = malloc(size);
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    size_t refused = 0;
    for (size_t i = 8; i < size; i++) {
        for (size_t v = 0; v < sizeof values; v++) {
            memcpy(copy, bytes, size);
            copy[i] = values[v];
            put_checksum(copy, size);
            if (vta_program_parse(copy, size, "p.vta", NULL, NULL, &q) != VTA_OK) refused++;
            vta_program_destroy(q);
        }
    }
    assert_true(refused > size); /* most of the file is structure */
    free(copy);
    vta_string_free(bytes);
    vta_program_destroy(p);
}

TEST_CASE(out_of_memory) {
    vta_program *p = record(2), *q;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(vta_program_serialize(p, NULL, &bytes, &size), VTA_OK);
    vta_program_destroy(p);
    for (size_t n = 0, done = 0; !done; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        vta_status status = vta_program_parse(bytes, size, "p.vta", &a.allocator, NULL, &q);
        assert_int_equal(status, a.failed ? VTA_NO_MEMORY : VTA_OK);
        if (status == VTA_OK) check_recorded(q, 2);
        vta_program_destroy(q);
        assert_int_equal(a.live, 0);
        done = !a.failed;
    }
    for (size_t n = 0, done = 0; !done; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        vta_status status = check_record(config, &a.allocator, 2, NULL, &p);
        assert_int_equal(status, a.failed ? VTA_NO_MEMORY : VTA_OK);
        vta_program_destroy(p);
        assert_int_equal(a.live, 0);
        done = !a.failed;
    }
    vta_string_free(bytes);
}

/* ---- Replay ---------------------------------------------------------------------------------------------- */

static vta_device *make_device(const vta_config *c) {
    vta_device *device;
    assert_int_equal(vta_device_create("sim", c, NULL, NULL, NULL, &device), VTA_OK);
    return device;
}

TEST_CASE(replay) {
    vta_program *p = record(3);
    vta_device *device = make_device(config);
    vta_program_options options = {.expect = 1};
    vta_diag *diag = vta_diag_create(NULL);
    for (int i = 0; i < 2; i++)
        if (vta_program_run(p, device, &options, diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    uint8_t byte;
    assert_int_not_equal(vta_device_read(device, CHECK_FROM, &byte, 1, NULL), VTA_OK); /* nothing stays mapped */
    vta_diag_destroy(diag);
    vta_device_destroy(device);
    vta_program_destroy(p);
}

static void expect_mismatch(vta_program *p, const char *message) {
    vta_device *device = make_device(config);
    vta_program_options options = {.expect = 1};
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_program_run(p, device, NULL, diag), VTA_OK);
    assert_int_equal(vta_program_run(p, device, &options, diag), VTA_MISMATCH);
    assert_contains(vta_diag_text(diag), message);
    vta_diag_destroy(diag);
    vta_device_destroy(device);
    vta_program_destroy(p);
}

TEST_CASE(mismatches) {
    vta_program *p = record(1);
    uint8_t *insns, in[64] = {5, 0, 0, 0, 6}, out[16] = {5, 7};
    size_t count;
    assert_int_equal(vta_asm(config, check_source, strlen(check_source), NULL, NULL, &insns, &count), VTA_OK);
    assert_int_equal(vta_program_begin_run(p, CHECK_INSN_ADDR, insns, (uint32_t)count, NULL), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, CHECK_FROM, in, sizeof in, NULL), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, CHECK_TO, out, sizeof out, NULL), VTA_OK);
    assert_int_equal(vta_program_end_run(p, NULL), VTA_OK);
    vta_string_free(insns);
    expect_mismatch(p, "run 1: DRAM at 0x00002001, byte 1 of the segment at 0x00002000: expected 0x07, found 0x06; 1 "
                       "of its 16 bytes differ");
    p = record(1);
    vta_counters c = {.acc_load_nbytes = 65};
    vta_program_set_stats(p, &c, 1u << 2);
    expect_mismatch(p, "acc_load_nbytes: recorded 65, counted 64");
}

/* Memory that earlier runs mapped otherwise is mapped anew, and left-over contents do not show through. */
TEST_CASE(changing_segments) {
    static const char finish[] = "FINISH";
    static uint8_t ones[0x18000], zeros[0x18000];
    uint8_t *insns;
    size_t count;
    memset(ones, 1, sizeof ones);
    assert_int_equal(vta_asm(config, finish, strlen(finish), NULL, NULL, &insns, &count), VTA_OK);
    vta_program *p;
    assert_int_equal(vta_program_create(config, NULL, NULL, &p), VTA_OK);
    static const struct {
        uint32_t addr, size;
        int ones;
    } runs[][2] = {{{0x2000, 0x4000, 1}, {0x8000, 16, 1}},       {{0x3000, 0x1000, 0}, {0x4000, 0x1000, 1}},
                   {{0x1000, 0x2000, 0}, {0x3000, 0x4000, 0}},   {{0x8000, 0x3000, 0}, {0x2000, 0x1001, 1}},
                   {{0x30000, 0x18000, 1}, {0x2000, 0x1001, 1}}, {{0x30000, 0x18000, 0}, {0x2000, 0x1001, 0}},
                   {{0x30000, 0x17001, 0}, {0x2000, 0x1000, 1}}};
    enum { RUNS = sizeof runs / sizeof *runs };
    for (int r = 0; r < RUNS; r++) {
        assert_int_equal(vta_program_begin_run(p, 0x20000, insns, 1, NULL), VTA_OK);
        for (int s = 0; s < 2; s++)
            assert_int_equal(
                vta_program_add_segment(p, runs[r][s].addr, runs[r][s].ones ? ones : zeros, runs[r][s].size, NULL),
                VTA_OK);
        assert_int_equal(vta_program_end_run(p, NULL), VTA_OK);
    }
    vta_string_free(insns);
    vta_device *device = make_device(config);
    vta_program_options options = {.expect = 1};
    vta_diag *diag = vta_diag_create(NULL);
    if (vta_program_run(p, device, &options, diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    vta_device_destroy(device);
    vta_program_destroy(p);
}

static bool stop_at_second(void *ctx, uint32_t run, uint32_t run_count) {
    assert_int_equal(run_count, 3);
    ++*(int *)ctx;
    return run == 1;
}

TEST_CASE(stopping_and_misuse) {
    vta_program *p = record(3);
    vta_device *device = make_device(config);
    vta_diag *diag = vta_diag_create(NULL);
    int calls = 0;
    vta_program_options options = {.progress = stop_at_second, .ctx = &calls};
    assert_int_equal(vta_program_run(p, device, &options, diag), VTA_INTERRUPTED);
    assert_int_equal(calls, 2);
    vta_replay *r;
    assert_int_equal(vta_replay_create(p, device, diag, &r), VTA_OK);
    assert_int_equal(vta_replay_load(r, 3, diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_replay_check(r, 3, diag), VTA_OUT_OF_RANGE);
    vta_replay_destroy(r);
    vta_device_destroy(device);
    vta_config *other;
    assert_int_equal(vta_config_with(config, "LOG_BLOCK=5", NULL, &other), VTA_OK);
    device = make_device(other);
    assert_int_equal(vta_program_run(p, device, NULL, diag), VTA_MISMATCH);
    assert_contains(vta_diag_text(diag), "the program is for 1x16_i8w8a32_15_15_18_17, the device is a 1x32_");
    vta_device_destroy(device);
    vta_config_release(other);
    assert_int_equal(vta_program_run(NULL, NULL, NULL, diag), VTA_INVALID_ARGUMENT);
    vta_diag_destroy(diag);
    vta_program_destroy(p);
}

TEST_CASE(files) {
    char path[] = "/tmp/vta_program_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    vta_program *p = record(2), *q;
    assert_int_equal(vta_program_save(p, path, NULL), VTA_OK);
    assert_int_equal(vta_program_load(path, NULL, NULL, &q), VTA_OK);
    check_recorded(q, 2);
    vta_program_destroy(q);
    vta_program_destroy(p);
    unlink(path);
}

int main(void) { return run_cases_between(setup, teardown); }
