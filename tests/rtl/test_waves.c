/* Waves of some cycles, of one module, in a file that is bounded: what the file's header says of its times and its
 * signals, which is read here as the format has it (GTKWave's manual, "FST file format"). */
#include <sys/stat.h>
#include <unistd.h>

#include "device/rtl/wave_file.h"
#include "rtl/programs.h"

enum { LENGTH = 60, TICKS = 10 /* of the file, a cycle */ };
static const rtl_design design = {.name = "waves",
                                  .changes = "LOG_BLOCK=2 LOG_UOP_BUFF_SIZE=8 LOG_INP_BUFF_SIZE=8 LOG_WGT_BUFF_SIZE=9 "
                                             "LOG_ACC_BUFF_SIZE=10",
                                  .profile = "bus_bits=64",
                                  .plain = true};
static char path[256];
static vta_diag *diag;
static vta_config *config;
static random_program program;

typedef struct header {
    uint64_t begin, end, scopes, signals, bytes;
} header;

static uint64_t number(const uint8_t *bytes) {
    uint64_t n = 0;
    for (int i = 0; i < 8; i++) n = n << 8 | bytes[i];
    return n;
}

static header read_header(void) {
    uint8_t bytes[64];
    struct stat st;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), sizeof bytes);
    fclose(f);
    assert_int_equal(bytes[0], 0); /* the block is a header, of 329 bytes */
    assert_int_equal(number(bytes + 1), 329);
    assert_int_equal(stat(path, &st), 0);
    return (header){number(bytes + 9), number(bytes + 17), number(bytes + 41), number(bytes + 49),
                    (uint64_t)st.st_size};
}

/* The blocks of changes, and the time at which the last one ends; other blocks are between and behind them. */
static uint64_t walk(uint64_t *out_time) {
    uint64_t count = 0, at = 0;
    uint8_t bytes[25];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    while (fseek(f, (long)at, SEEK_SET) == 0 && fread(bytes, 1, sizeof bytes, f) == sizeof bytes) {
        bool changes = bytes[0] == 1 || bytes[0] == 5 || bytes[0] == 8;
        if (changes) *out_time = number(bytes + 17);
        count += changes;
        at += number(bytes + 1) + 1;
    }
    fclose(f);
    return count;
}

static uint64_t change_blocks(void) {
    uint64_t time;
    return walk(&time);
}

static uint64_t last_time(void) {
    uint64_t time = 0;
    walk(&time);
    return time;
}

/* Two runs. `words`: behind the file's name; NULL: no waves. */
static vta_status run(const char *words, uint64_t *out_cycles) {
    char text[512];
    vta_device *device;
    snprintf(text, sizeof text, "%s%s", path, words ? words : "");
    const vta_device_options o = {.size = sizeof o, .profile = "rtl bus_bits=64", .wave = words ? text : NULL};
    vta_diag_clear(diag);
    vta_status status = vta_device_create("rtl", config, &o, NULL, diag, &device);
    if (status != VTA_OK) return status;
    assert_int_equal(vta_device_alloc_at(device, RP_BASE, RP_BYTES, NULL), VTA_OK);
    rtl_write(device, &program);
    for (int i = 0; i < 2 && status == VTA_OK; i++)
        status = vta_device_run(device, RP_BASE, (uint32_t)program.count, RTL_MAX_CYCLES, diag);
    *out_cycles = vta_device_counters(device).cycles;
    vta_device_destroy(device);
    return status;
}

static header waves(const char *words, ...) {
    char text[256];
    uint64_t cycles;
    va_list args;
    va_start(args, words);
    vsnprintf(text, sizeof text, words, args);
    va_end(args);
    if (run(text, &cycles) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    return read_header();
}

static void windows(void **state) {
    (void)state;
    uint64_t cycles;
    header all = waves("");
    assert_int_equal(run(NULL, &cycles), VTA_OK); /* of a model that is not built for waves, there must be one */
    assert_true(cycles > 400);
    assert_true(all.end - all.begin >= (cycles - 1) * TICKS);
    for (uint64_t from = cycles / 8; from < cycles; from += cycles / 4) { /* in either run, and across the two */
        uint64_t to = from + cycles / 3, last = to < cycles ? to : cycles;
        header some = waves(" from=%llu to=%llu", (unsigned long long)from, (unsigned long long)to);
        /* Between two runs registers are read, which the runs' cycles do not count. */
        assert_in_range((some.end - some.begin) / TICKS, last - from - 2, last - from + 60);
        assert_int_equal(some.signals, all.signals);
    }
    header rest = waves(" from=%llu", (unsigned long long)(cycles - 100));
    assert_in_range((rest.end - rest.begin) / TICKS, 98, 160);
    assert_true(rest.bytes < all.bytes);
    remove(path);
    assert_int_equal(run(" from=1000000", &cycles), VTA_OK);
    assert_int_equal(access(path, F_OK), -1); /* it is never reached */
}

static void scopes(void **state) {
    (void)state;
    uint64_t cycles;
    header all = waves(""), load = waves(" scope=u_load"), compute = waves(" scope=u_compute to=300");
    assert_true(load.signals > 10 && compute.signals > 10);
    assert_true(load.signals + compute.signals < all.signals);
    assert_true(load.bytes < all.bytes);
    assert_true(compute.end - compute.begin < load.end - load.begin);
    remove(path);
    assert_int_equal(run(" scope=u_loa", &cycles), VTA_NOT_FOUND);
    assert_contains(vta_diag_text(diag), "waves of u_loa: the design has no such module");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(run(" scope=u_loa from=100", &cycles), VTA_NOT_FOUND); /* while it runs */
}

/* The file is never larger, ends with a whole block of changes, and uses what it may have. */
static void bounds(void **state) {
    (void)state;
    uint64_t cycles, before = 0;
    header all = waves(""), most = waves(" bytes=100000000000");
    assert_int_equal(most.end, all.end);
    for (uint64_t bytes = most.bytes / 3; bytes < most.bytes; bytes += most.bytes / 9) {
        header some = waves(" bytes=%llu", (unsigned long long)bytes);
        assert_true(some.bytes <= bytes && some.bytes > bytes / 2);
        assert_true(some.end < all.end && some.end >= before);
        assert_int_equal(some.signals, all.signals);
        assert_int_equal(some.end, last_time());
        before = some.end;
    }
    assert_true(before > all.begin);
    header load = waves(" scope=u_load bytes=%llu", (unsigned long long)(most.bytes / 3));
    assert_true(load.bytes <= most.bytes / 3 && load.end > before);
    remove(path);
    assert_int_equal(run(" bytes=1", &cycles), VTA_OUT_OF_RANGE);
    assert_contains(vta_diag_text(diag), "waves in 1 bytes: these signals take more in a few cycles");
    assert_int_equal(access(path, F_OK), -1);
}

/* What a file has too much is taken away by blocks, from its end. */
static void cuts(void **state) {
    (void)state;
    header all = waves(" bytes=100000000000");
    uint64_t blocks = change_blocks(), size = all.bytes;
    assert_true(blocks > 3);
    assert_int_equal(vt_wave_file_cut(path, size), blocks);
    assert_int_equal(read_header().bytes, size);
    for (uint64_t left = blocks - 1; left > 0; left--) {
        assert_int_equal(vt_wave_file_cut(path, size - 1), left);
        header cut = read_header();
        assert_true(cut.bytes < size && cut.end < all.end);
        assert_int_equal(change_blocks(), left);
        assert_int_equal(cut.end, last_time());
        assert_int_equal(cut.signals, vt_wave_file_signals(path));
        size = cut.bytes;
    }
    assert_int_equal(vt_wave_file_cut(path, 1), 0);
    assert_int_equal(vt_wave_file_cut("/absent/waves.fst", 1), -1);
}

/* A model that can write waves, and one that cannot. */
static int begin(void **state) {
    (void)state;
    rtl_use_cache();
    diag = vta_diag_create(NULL);
    config = rtl_config(&design);
    vta_hardware_options o = rtl_options(&design);
    o.wave = true;
    if (vta_hardware_build(config, &o, diag, NULL) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    o.wave = false;
    if (vta_hardware_build(config, &o, diag, NULL) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    rp_make_for(&program, vta_config_retain(config), 1, LENGTH, true);
    snprintf(path, sizeof path, "/tmp/vta-waves-%d.fst", (int)getpid());
    return 0;
}

static int end(void **state) {
    (void)state;
    remove(path);
    rp_clear(&program);
    vta_config_release(config);
    vta_diag_destroy(diag);
    return 0;
}

int main(void) {
    if (!getenv("VTA_TEST_HARDWARE")) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows), cmocka_unit_test(scopes), cmocka_unit_test(bounds),
                                       cmocka_unit_test(cuts)};
    return cmocka_run_group_tests(tests, begin, end);
}
