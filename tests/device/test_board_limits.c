/* Boards at their limits: settings, options of simulators, memory at the end of the address space, accelerators that
 * never finish, and that finish. The files stand for the kernel's. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/board/registers.h"
#include "device/board/settings.h"
#include "device/folder.h"
#include "support/check.h"
#include "vta/device.h"

static vta_diag *diag;

static void put_zeros(const char *name, off_t size) {
    put(name, "");
    assert_int_equal(truncate(in_folder(name), size), 0);
}

static int begin(void **state) {
    (void)state;
    static const char *const written[] = {"sync_offset", "sync_size", "sync_direction", "sync_for_device",
                                          "sync_for_cpu"};
    char name[64];
    strcpy(folder, "/tmp/vta-limits-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    diag = vta_diag_create(NULL);
    mkdir(in_folder("sys"), 0700);
    mkdir(in_folder("sys/udmabuf7"), 0700);
    put("sys/udmabuf7/size", "32768\n");
    put("sys/udmabuf7/phys_addr", "0x3f000000\n");
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "sys/udmabuf7/%s", written[i]);
        put(name, "");
    }
    put_zeros("udmabuf7", 32768);
    put_zeros("registers", 4 * VT_BLOCK_BYTES);
    return 0;
}

static int end(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    vta_diag_destroy(diag);
    return system(command);
}

/* The status, and all that was said. */
static void said(vta_status status, vta_status want, const char *text) {
    vta_diag_entry e;
    if (status != want) fail_msg("%s, not %s: %s", vta_status_name(status), vta_status_name(want), vta_diag_text(diag));
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    assert_string_equal(e.message, text);
    vta_diag_clear(diag);
}

static vta_status open_board(const char *name, vta_device_options options, vta_device **out) {
    char settings[1024];
    vta_config *config = vta_config_default();
    snprintf(settings, sizeof settings, "registers=%s memory=udmabuf7 sys=%s dev=%s wait_seconds=0",
             in_folder("registers"), in_folder("sys"), folder);
    options.board = settings;
    vta_status status = vta_device_create(name, config, &options, NULL, diag, out);
    vta_config_release(config);
    return status;
}

/* ---- Settings --------------------------------------------------------------------------------------------------- */

static void settings(void **state) {
    (void)state;
    static const vt_board_settings defaults = {
#define VT_BOARD_SETTING(name, value, meaning) .name = value,
#include "device/board/settings.def"
#undef VT_BOARD_SETTING
    };
    vt_board_settings s;
    char text[2 * VT_BOARD_TEXT] = "model=";
    setenv("VTA_BOARD", "sys=/of/the/environment", 1);
    memset(&s, 'x', sizeof s);
    assert_int_equal(vt__board_settings("", diag, &s), VTA_OK);
    assert_string_equal(s.sys, defaults.sys);
    assert_string_equal(s.registers, defaults.registers);
    assert_string_equal(s.firmware, defaults.firmware);
    assert_string_equal(s.model, defaults.model);
    assert_int_equal(vt__board_settings("dev=/d,fpga=/f memory=m", diag, &s), VTA_OK);
    assert_string_equal(s.dev, "/d");
    assert_string_equal(s.fpga, "/f");
    assert_string_equal(s.memory, "m");
    assert_string_equal(s.sys, defaults.sys);
    assert_int_equal(vt__board_settings(NULL, diag, &s), VTA_OK);
    assert_string_equal(s.sys, "/of/the/environment");
    unsetenv("VTA_BOARD");
    assert_int_equal(vt__board_settings(NULL, diag, &s), VTA_OK);
    assert_string_equal(s.sys, defaults.sys);
    memset(text + 6, 'y', VT_BOARD_TEXT - 1);
    assert_int_equal(vt__board_settings(text, diag, &s), VTA_OK);
    assert_string_equal(s.model, text + 6);
    text[6 + VT_BOARD_TEXT - 1] = 'y';
    char want[100];
    snprintf(want, sizeof want, "board settings: model needs a value of 1 to %d characters", VT_BOARD_TEXT - 1);
    said(vt__board_settings(text, diag, &s), VTA_INVALID_ARGUMENT, want);
    said(vt__board_settings("model", diag, &s), VTA_INVALID_ARGUMENT, want);
    said(vt__board_settings("mode=1", diag, &s), VTA_INVALID_ARGUMENT,
         "board settings: 'mode' is not one of registers, memory, memory_bytes, xlnk, iommu, sys, dev, fpga, firmware, "
         "overlays, overlay, region, bridges, bridges_in, clocks, clocks_in, run_seconds, wait_seconds, model; did you "
         "mean model?");
}

static void simulators_options(void **state) {
    (void)state;
    vta_device *d;
    static const struct {
        vta_device_options options;
        const char *text;
    } rows[] = {
        {{.skip_execution = true}, "skip_execution is an option of simulators; pynq is a board"},
        {{.check = true}, "check is an option of simulators; pynq is a board"},
        {{.order = VTA_ORDER_RANDOM}, "order is an option of simulators; pynq is a board"},
    };
    vta_device *there;
    assert_int_equal(open_board("pynq", (vta_device_options){0}, &there), VTA_OK);
    for (size_t i = 0; i < 3; i++) {
        said(open_board("pynq", rows[i].options, &d), VTA_UNSUPPORTED, rows[i].text);
        said(vta_device_set_options(there, &rows[i].options, diag), VTA_UNSUPPORTED, rows[i].text);
    }
    vta_device_destroy(there);
}

/* The last byte of the address space may be the board's, and not one more. */
static void the_last_page(void **state) {
    (void)state;
    vta_device *d;
    uint32_t addr;
    put("sys/udmabuf7/phys_addr", "0xffff8000\n");
    assert_int_equal(open_board("pynq", (vta_device_options){0}, &d), VTA_OK);
    assert_int_equal(vta_device_alloc(d, 32768, diag, &addr), VTA_OK);
    assert_int_equal(addr, 0xffff8000);
    assert_int_equal(vta_device_write(d, 0xffffffff, "x", 1, diag), VTA_OK);
    vta_device_destroy(d);
    put("sys/udmabuf7/phys_addr", "0xffff9000\n");
    said(open_board("pynq", (vta_device_options){0}, &d), VTA_UNSUPPORTED,
         "the board's memory: udmabuf7 lies at 0xffff9000, and the accelerator reaches the first 4 GiB");
}

/* ---- Runs that never end ---------------------------------------------------------------------------------------- */

static void stuck(void **state) {
    (void)state;
    static const char given_up[] = "the accelerator still runs a stream that was given up: wait, or program the FPGA "
                                   "anew (program_fpga), which resets it";
    vta_device *d;
    uint32_t addr;
    assert_int_equal(open_board("de10nano", (vta_device_options){0}, &d), VTA_OK);
    int fd = open(in_folder("registers"), O_RDWR);
    volatile uint32_t *r = mmap(NULL, VT_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    assert_int_equal(vta_device_alloc(d, 4096, diag, &addr), VTA_OK);
    said(vta_device_run(d, addr, 3, 5, diag), VTA_TIMEOUT, "no FINISH within 5 looks at the control register");
    assert_int_equal(r[VT_COUNT / 4], 3);
    assert_int_equal(r[VT_ADDRESS / 4], addr);
    r[VT_COUNT / 4] = 77;
    said(vta_device_run(d, addr, 4, 5, diag), VTA_TIMEOUT, given_up);
    assert_int_equal(r[VT_COUNT / 4], 77);   /* nothing was started */
    r[VT_CONTROL / 4] = VT_CONTROL_FINISHED; /* at last: the next one begins, and is given up, too */
    said(vta_device_run(d, addr, 4, 5, diag), VTA_TIMEOUT, "no FINISH within 5 looks at the control register");
    assert_int_equal(r[VT_COUNT / 4], 4);
    vta_counters c = vta_device_counters(d);
    assert_int_equal(c.runs, 0);
    assert_int_equal(c.cycles, 0);
    munmap((void *)r, VT_BLOCK_BYTES);
    vta_device_destroy(d);
}

/* ---- Runs that end ---------------------------------------------------------------------------------------------- */

enum { COMPUTE_DONE = (VT_COMPUTE + VT_COMPUTE_DONE) / 4 };

static atomic_bool driver_gave_up;

static uint32_t count_seen; /* of the instructions of the last run */

/* The four blocks: one run, from the last register that starts it to its end. */
static void *four_blocks(void *arg) {
    volatile uint32_t *r = arg;
    while (r[VT_FETCH / 4] != VT_START) {
        if (atomic_load(&driver_gave_up)) return NULL;
        sched_yield();
    }
    count_seen = r[(VT_FETCH + VT_FETCH_COUNT) / 4];
    r[COMPUTE_DONE] = 1;
    r[VT_FETCH / 4] = 0;
    return NULL;
}

/* A run that has ended is not waited for again, though the bit that said so is gone: hardware may clear it when it is
 * read. */
static void ended(void **state) {
    (void)state;
    enum { RUNS = 3 };
    vta_device *d;
    uint32_t addr;
    assert_int_equal(open_board("pynq", (vta_device_options){0}, &d), VTA_OK);
    int fd = open(in_folder("registers"), O_RDWR);
    volatile uint32_t *r = mmap(NULL, 4 * VT_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    assert_int_equal(vta_device_alloc(d, 4096, diag, &addr), VTA_OK);
    for (uint32_t run = 1; run <= RUNS; run++) {
        pthread_t hardware;
        assert_int_equal(pthread_create(&hardware, NULL, four_blocks, (void *)r), 0);
        vta_status status = vta_device_run(d, addr, 2 + run, 0, diag);
        atomic_store(&driver_gave_up, status != VTA_OK);
        pthread_join(hardware, NULL);
        if (status != VTA_OK) fail_msg("run %u: %s", run, vta_diag_text(diag));
        assert_int_equal(count_seen, 2 + run);
        assert_int_equal(r[(VT_FETCH + VT_FETCH_COUNT) / 4], 0); /* nothing runs, whoever asks */
        assert_int_equal(vta_device_counters(d).runs, run);
        r[COMPUTE_DONE] = 0;
    }
    assert_int_equal(vta_device_counters(d).cycles, 0); /* such a design counts none */
    munmap((void *)r, 4 * VT_BLOCK_BYTES);
    vta_device_destroy(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(settings, begin, end),
        cmocka_unit_test_setup_teardown(simulators_options, begin, end),
        cmocka_unit_test_setup_teardown(the_last_page, begin, end),
        cmocka_unit_test_setup_teardown(stuck, begin, end),
        cmocka_unit_test_setup_teardown(ended, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
