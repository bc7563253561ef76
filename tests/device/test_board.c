/* What the drivers of boards do beside the conformance suite: their settings, u-dma-buf and the FPGA manager as files
 * in a folder, and the messages where something is missing. The files stand for the kernel's. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/board/contiguous.h"
#include "device/board/fpga.h"
#include "device/board/registers.h"
#include "device/folder.h"
#include "device/small_program.h"
#include "support/diag.h"
#include "support/fpga_manager.h"
#include "vta/device.h"

static void expect(const char *name, const char *text) {
    char got[64] = "";
    FILE *f = fopen(in_folder(name), "r");
    if (f && !fgets(got, sizeof got, f)) got[0] = 0;
    if (f) fclose(f);
    assert_string_equal(got, text);
}

/* Nothing of the board's files is in the process's memory any more. */
static void expect_unmapped(void) {
    char line[1024];
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (strstr(line, folder)) fail_msg("still mapped: %s", line);
    fclose(f);
}

/* A u-dma-buf of 8 pages, and registers. */
static void make_board(const char *addr, const char *size) {
    static const char *const written[] = {"sync_offset", "sync_size", "sync_direction", "sync_for_device",
                                          "sync_for_cpu"};
    char name[64];
    mkdir(in_folder("sys"), 0700);
    mkdir(in_folder("sys/udmabuf7"), 0700);
    put("sys/udmabuf7/size", size);
    put("sys/udmabuf7/phys_addr", addr);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "sys/udmabuf7/%s", written[i]);
        put(name, "");
    }
    put("udmabuf7", "");
    assert_int_equal(truncate(in_folder("udmabuf7"), 8 * 4096), 0);
    put("registers", "");
    assert_int_equal(truncate(in_folder("registers"), 4 * 4096), 0);
}

static vta_status open_board(const char *more, vta_device **out) {
    char settings[1024];
    vta_config *config = vta_config_default();
    snprintf(settings, sizeof settings, "registers=%s memory=udmabuf7 sys=%s dev=%s %s", in_folder("registers"),
             in_folder("sys"), folder, more);
    vta_status status = vta_device_create("pynq", config, &(vta_device_options){.board = settings}, NULL, diag, out);
    vta_config_release(config);
    return status;
}

TEST_CASE(memory) {
    vta_device *d;
    uint32_t a, b, c;
    make_board("0x3f000000\n", "32768\n");
    if (open_board("", &d) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vta_device_alloc(d, 5000, diag, &a), VTA_OK);
    assert_int_equal(a, 0x3f000000);
    expect("sys/udmabuf7/sync_direction", "1"); /* zeros were handed over */
    expect("sys/udmabuf7/sync_for_device", "1");
    assert_int_equal(vta_device_alloc(d, 4096, diag, &b), VTA_OK);
    assert_int_equal(b, 0x3f002000);
    assert_int_equal(vta_device_write(d, b + 16, "hello", 5, diag), VTA_OK);
    expect("sys/udmabuf7/sync_offset", "8208");
    expect("sys/udmabuf7/sync_size", "5");
    put("sys/udmabuf7/sync_for_cpu", "");
    char text[8] = "";
    assert_int_equal(vta_device_read(d, b + 16, text, 5, diag), VTA_OK);
    assert_string_equal(text, "hello");
    expect("sys/udmabuf7/sync_direction", "2");
    expect("sys/udmabuf7/sync_for_cpu", "1");
    refused(vta_device_alloc(d, 6 * 4096, diag, &c), VTA_NO_MEMORY,
            "24576 bytes of contiguous memory were asked for; udmabuf7 has 20480 of 32768 bytes left, 20480 of them in "
            "one piece. Load u-dma-buf with more (udmabuf7=BYTES)");
    assert_int_equal(vta_device_free(d, a, diag), VTA_OK);
    refused(vta_device_alloc(d, 6 * 4096, diag, &c), VTA_NO_MEMORY, "28672 of 32768 bytes left, 20480 of them");
    assert_int_equal(vta_device_alloc(d, 1, diag, &c), VTA_OK);
    assert_int_equal(c, a);
    refused(vta_device_run(d, 0x3f000000 + 16 * 4096, 1, 0, diag), VTA_OUT_OF_RANGE, "is not allocated");
    vta_device *second; /* it can be made, and has nothing until the first is gone */
    assert_int_equal(open_board("", &second), VTA_OK);
    refused(vta_device_alloc(second, 1, diag, &c), VTA_IO, "is in use, by another process or another runtime");
    refused(vta_device_program(second, "design.bin", diag), VTA_IO, "is in use");
    vta_device_destroy(d);
    assert_int_equal(vta_device_alloc(second, 1, diag, &c), VTA_OK);
    vta_device_destroy(second);
    expect_unmapped();
}

static int open_files(void) {
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir)) n++;
    closedir(dir);
    return n;
}

TEST_CASE(what_is_missing) {
    vta_device *d;
    int files = open_files();
    make_board("0x3f000000\n", "32768\n");
    refused(open_board("memory=udmabuf8", &d), VTA_NOT_FOUND, "modprobe u-dma-buf udmabuf8=67108864");
    refused(open_board("registers=/no/such/file", &d), VTA_NOT_FOUND, "/no/such/file");
    refused(open_board("registers=/no/such/file", &d), VTA_NOT_FOUND, "--driver sim");
    refused(open_board("registers=a:b", &d), VTA_NOT_FOUND, "a: cannot be opened");
    assert_int_equal(truncate(in_folder("registers"), 4 * 4096 - 1), 0);
    refused(open_board("", &d), VTA_IO, "has 16383 bytes, and they take 16384");
    assert_int_equal(truncate(in_folder("registers"), 4 * 4096), 0);
    char twice[512];
    snprintf(twice, sizeof twice, "registers=%s:%s", in_folder("registers"), in_folder("registers"));
    refused(open_board(twice, &d), VTA_INVALID_ARGUMENT, "names 2 files; one, or 4");
    refused(open_board("colour=red", &d), VTA_INVALID_ARGUMENT, "'colour' is not one of");
    refused(open_board("memori=udmabuf7", &d), VTA_INVALID_ARGUMENT, "did you mean");
    make_board("0x3f000100\n", "32768\n");
    refused(open_board("", &d), VTA_UNSUPPORTED, "the first 4 GiB");
    make_board("0x1000000000\n", "32768\n");
    refused(open_board("", &d), VTA_UNSUPPORTED, "the first 4 GiB");
    make_board("nonsense\n", "32768\n");
    refused(open_board("", &d), VTA_IO, "phys_addr: does not hold a number");
    make_board("0x3f000000\n", "0\n");
    refused(open_board("", &d), VTA_IO, "udmabuf7: cannot be mapped");
    unlink(in_folder("sys/udmabuf7/phys_addr"));
    refused(open_board("", &d), VTA_NOT_FOUND, "phys_addr: cannot be opened");
    assert_int_equal(open_files(), files); /* nothing of all these stays open */
    make_board("0x3f000000\n", "32768\n");
    vta_config *config = vta_config_default();
    refused(vta_device_create("pynq", config, &(vta_device_options){.check = true}, NULL, diag, &d), VTA_UNSUPPORTED,
            "check is an option of simulators");
    vta_config_release(config);
}

TEST_CASE(programming) {
    char more[512];
    vta_device *d;
    make_board("0x3f000000\n", "32768\n");
    mkdir(in_folder("fpga"), 0700);
    mkdir(in_folder("firmware"), 0700);
    put("design.bin", "bits");
    snprintf(more, sizeof more, "fpga=%s firmware=%s", in_folder("fpga"), in_folder("firmware"));
    assert_int_equal(open_board(more, &d), VTA_OK);
    refused(vta_device_program(d, in_folder("design.bin"), diag), VTA_NOT_FOUND, "has the kernel an FPGA manager");
    put("fpga/flags", "");
    put("fpga/firmware", "");
    put("fpga/state", "write error\n");
    refused(vta_device_program(d, in_folder("design.bin"), diag), VTA_IO, "its state is 'write error'");
    refused(vta_device_program(d, in_folder("none.bin"), diag), VTA_NOT_FOUND, "none.bin");
    assert_int_equal(access(in_folder("firmware/vta-design.bin"), F_OK), -1);
    put("empty.bin", "");
    refused(vta_device_program(d, in_folder("empty.bin"), diag), VTA_INVALID_ARGUMENT, "empty.bin is empty");
    unlink(in_folder("fpga/firmware"));
    unlink(in_folder("fpga/flags")); /* as a kernel of mainline has it */
    refused(vta_device_program(d, in_folder("design.bin"), diag), VTA_UNSUPPORTED, "device-tree overlay");
    assert_int_equal(access(in_folder("firmware/vta-design.bin"), F_OK), -1);
    vta_device_destroy(d);
}

/* Firmware of others that has the bitstream's name stays as it is, and ours does not stay. */
TEST_CASE(programmed) {
    char more[512];
    vta_device *d;
    fpga_manager manager;
    mkdir(in_folder("kernel"), 0700);
    fpga_manager_make(&manager, in_folder("kernel"));
    make_board("0x3f000000\n", "32768\n");
    put("design.bin", "bits");
    put("kernel/lib/design.bin", "of another device");
    snprintf(more, sizeof more, "fpga=%s firmware=%s", manager.folder, manager.firmware);
    assert_int_equal(open_board(more, &d), VTA_OK);
    fpga_manager_begin(&manager);
    if (vta_device_program(d, in_folder("design.bin"), diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    fpga_manager_end(&manager);
    expect("kernel/fpga/flags", "0");
    assert_string_equal(manager.name, "vta-design.bin");
    assert_string_equal(manager.bits, "bits");
    expect("kernel/lib/design.bin", "of another device");
    assert_int_equal(access(in_folder("kernel/lib/vta-design.bin"), F_OK), -1);
    vta_device_destroy(d);
}

/* ---- Register by register ---- */

typedef struct written {
    int count;
    uint32_t at[32], value[32], fetch, done, valid;
} written;

static void note(void *user, uint32_t offset, uint32_t value) {
    written *w = user;
    w->at[w->count] = offset;
    w->value[w->count++] = value;
}

/* The valid bit is cleared when it is read. */
static uint32_t say(void *user, uint32_t offset) {
    written *w = user;
    if (offset != VT_COMPUTE + VT_COMPUTE_DONE_VALID) return offset >= VT_COMPUTE ? w->done : w->fetch;
    uint32_t valid = w->valid;
    w->valid = 0;
    return valid;
}

static uint32_t value_at(const written *w, uint32_t offset) {
    for (int i = 0; i < w->count; i++)
        if (w->at[i] == offset) return w->value[i];
    fail_msg("nothing was written at 0x%x", offset);
    return 0;
}

TEST_CASE(registers) {
    written w = {.done = 1, .valid = 1}; /* of the run before */
    vt_registers r = {say, note, &w};
    vt_run_seen seen;
    vt_four_blocks.start(&r, 0x1230, 77, &seen);
    assert_int_equal(value_at(&w, 0x0010), 77);
    assert_int_equal(value_at(&w, 0x0018), 0x1230);
    static const uint32_t bases[] = {0x1010, 0x1018, 0x2020, 0x2028, 0x3010};
    for (int i = 0; i < 5; i++) assert_int_equal(value_at(&w, bases[i]), 0);
    assert_int_equal(value_at(&w, 0x0000), 0x01);
    for (int i = 1; i < 4; i++) assert_int_equal(value_at(&w, 0x1000u * (unsigned)i), 0x81);
    assert_int_equal(w.at[w.count - 1], VT_FETCH); /* fetch begins when all others stand by, its count just before */
    assert_int_equal(w.at[w.count - 2], VT_FETCH + VT_FETCH_COUNT);
    for (int i = w.count - 5; i < w.count - 2; i++) assert_int_equal(w.at[i] % 0x1000, 0);
    w.fetch = 1; /* it has not begun */
    assert_false(vt_four_blocks.finished(&r, &seen));
    w.fetch = 4; /* over: done is the last run's */
    assert_false(vt_four_blocks.finished(&r, &seen));
    w.done = 0;
    assert_false(vt_four_blocks.finished(&r, &seen));
    w.done = 1;
    assert_true(vt_four_blocks.finished(&r, &seen));
    w = (written){0};
    vt_one_block.start(&r, 0x4560, 9, &seen);
    assert_int_equal(value_at(&w, 0x08), 9);
    assert_int_equal(value_at(&w, 0x0c), 0x4560);
    for (uint32_t at = 0x10; at < 0x28; at += 4) assert_int_equal(value_at(&w, at), 0);
    assert_int_equal(w.at[w.count - 1], 0);
    assert_int_equal(w.value[w.count - 1], 1);
    w.fetch = 1;
    assert_false(vt_one_block.finished(&r, &seen));
    w.fetch = 2;
    assert_true(vt_one_block.finished(&r, &seen));
}

static int begin(void **state) {
    (void)state;
    strcpy(folder, "/tmp/vta-board-XXXXXX");
    diag = vta_diag_create(NULL);
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    vta_diag_destroy(diag);
    return system(command);
}

int main(void) { return run_cases_between(begin, end); }
