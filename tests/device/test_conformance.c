/* What every device must do: those of drivers.def, and two made here (board.h). A device is excused from a part of it
 * only for the reason that stands beside its name. */
#include <pthread.h>
#include <stdatomic.h>

#include "device/board.h"
#include "device/model_board.h"
#include "device/small_program.h"

/* What a device need not offer. */
typedef enum part { EXECUTION, COUNTERS, SKIPPING, STOPPING, ADDRESSES, VIEW, LOOKING, TIME, PARTS } part;

#define HARDWARE(board)                                                                                                \
    {board, COUNTERS, "hardware counts cycles at most"}, {board, SKIPPING, "hardware executes what it is given"},      \
        {board, STOPPING, "hardware goes on until its stream ends, also when nobody waits any more"},                  \
        {board, ADDRESSES, "contiguous memory is where it is"},                                                        \
        {board, LOOKING, "hardware shows its registers, not its buffers"},                                             \
        {board, TIME, "a count of cycles is not kept by unit"}

static const struct {
    const char *driver;
    part part;
    const char *why;
} excuses[] = {
    {"null", EXECUTION, "it runs nothing, so there are no results"},
    {"null", LOOKING, "it has no on-chip memory"},
    {"null", TIME, "it runs nothing"},
    {"rtl", EXECUTION, "its model is built on demand; tests/rtl runs one"},
    {"rtl", LOOKING, "hardware shows its registers, not its buffers"},
    {"rtl", TIME, "a count of cycles is not kept by unit"},
    {"sim", TIME, "it knows order, not time"},
    HARDWARE("pynq"),
    HARDWARE("ultra96"),
    HARDWARE("zcu104"),
    HARDWARE("de10nano"),
    {"intelfocl", ADDRESSES, "its memory is the first 256 MiB"},
    {"intelfocl", SKIPPING, "it executes what it is given"},
    {"intelfocl", TIME, "OpenCL knows no cycles of the accelerator"},
    {"board", ADDRESSES, "contiguous memory is where it is"},
    {"board", LOOKING, "hardware shows its registers, not its buffers"},
    {"board", TIME, "a count of cycles is not kept by unit"},
    {"far", ADDRESSES, "contiguous memory is where it is"},
    {"far", VIEW, "its memory is on another machine"},
    {"far", LOOKING, "hardware shows its registers, not its buffers"},
    {"far", TIME, "a count of cycles is not kept by unit"},
};

static const vt_driver *const drivers[] = {
#define VT_DRIVER(name) &vt_driver_##name,
#include "device/drivers.def"
#undef VT_DRIVER
    &vt_driver_board,
    &vt_driver_far,
};
enum { DRIVERS = sizeof drivers / sizeof drivers[0] };

/* What a device does not run it neither counts nor leaves out. */
static bool covers(part given, part asked) {
    return given == asked || (given == EXECUTION && (asked == COUNTERS || asked == SKIPPING));
}

static const char *excused(const char *driver, part p) {
    for (size_t i = 0; i < sizeof excuses / sizeof excuses[0]; i++)
        if (covers(excuses[i].part, p) && !strcmp(excuses[i].driver, driver)) return excuses[i].why;
    return NULL;
}

typedef struct fixture {
    const vt_driver *driver;
    vta_config *config;
    vta_device *device;
    vta_diag *diag;
    uint32_t insns, uops, data, out; /* where make_room put them */
    model_board model;               /* of a board */
} fixture;

/* Does it drive registers? Then the model stands behind them. */
static bool is_board(const vt_driver *driver) { return driver->program != NULL; }

/* A machine without OpenCL, or a library built without it. */
static bool is_missing(const vt_driver *driver) {
    static int known; /* 1: it is there, 2: it is not */
    vta_device *device = NULL;
    if (driver != &vt_driver_intelfocl) return false;
    if (!known) {
        vta_config *config = vta_config_default();
        vta_status status = vt_device_create(driver, config, NULL, &vt_allocator_libc, NULL, &device);
        known = status == VTA_NOT_FOUND || status == VTA_UNSUPPORTED ? 2 : 1;
        vta_device_destroy(device);
        vta_config_release(config);
    }
    return known == 2;
}

static void open_device(fixture *f, const vt_driver *driver) {
    *f = (fixture){.driver = driver, .config = vta_config_default(), .diag = vta_diag_create(NULL)};
    const vta_allocator *a = &vt_allocator_libc;
    vta_device_options options = {0};
    if (is_board(driver)) {
        model_start(&f->model, driver->name);
        strcat(f->model.settings, " wait_seconds=0"); /* what is given up is refused at once */
        options.board = f->model.settings;
    }
    if (vt_device_create(driver, f->config, &options, a, f->diag, &f->device) != VTA_OK)
        fail_msg("%s: %s", driver->name, vta_diag_text(f->diag));
}

static void close_device(fixture *f) {
    vta_device_destroy(f->device);
    vta_diag_destroy(f->diag);
    vta_config_release(f->config);
    if (is_board(f->driver)) model_stop(&f->model);
}

/* Runs `test` on every driver that is not excused from `needed`; PARTS: on all. */
static void on_all(void (*test)(fixture *f), part needed) {
    for (int i = 0; i < DRIVERS; i++) {
        const char *why = excused(drivers[i]->name, needed);
        if (why) {
            print_message("%s excused: %s\n", drivers[i]->name, why);
            continue;
        }
        if (is_missing(drivers[i])) {
            print_message("%s: not on this machine\n", drivers[i]->name);
            continue;
        }
        fixture f;
        open_device(&f, drivers[i]);
        test(&f);
        close_device(&f);
    }
}

static void must(fixture *f, vta_status status) {
    if (status != VTA_OK) fail_msg("%s: %s", f->driver->name, vta_diag_text(f->diag));
}

/* Memory wherever the device has it. */
static void make_room(fixture *f) {
    must(f, vta_device_alloc(f->device, 4096, f->diag, &f->insns));
    must(f, vta_device_alloc(f->device, 4096, f->diag, &f->uops));
    must(f, vta_device_alloc(f->device, 8192, f->diag, &f->data));
    must(f, vta_device_alloc(f->device, 8192, f->diag, &f->out));
}

/* sp_add7, there. */
static uint32_t add7(const fixture *f, vta_insn insns[8]) {
    uint32_t n = sp_add7(insns);
    insns[0].u.mem.dram_base = f->uops / 4;
    insns[1].u.mem.dram_base = f->data / 64;
    insns[3].u.mem.dram_base = f->out / 16;
    return n;
}

static void write_insns(fixture *f, const vta_insn *insns, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        must(f, vta_insn_encode(f->config, &insns[i], f->diag, bytes));
        must(f, vta_device_write(f->device, f->insns + i * VTA_INSN_BYTES, bytes, sizeof bytes, f->diag));
    }
}

static vta_status run_insns(fixture *f, const vta_insn *insns, uint32_t count) {
    write_insns(f, insns, count);
    return vta_device_run(f->device, f->insns, count, 0, f->diag);
}

static void check_identity(fixture *f) {
    assert_string_equal(vta_device_driver(f->device), f->driver->name);
    assert_string_equal(vta_config_bitstream(vta_device_config(f->device)), vta_config_bitstream(f->config));
}

static void check_memory(fixture *f) {
    vta_device *d = f->device;
    uint32_t a, b, c;
    uint8_t zeros[100] = {0}, in[100], out[100];
    assert_int_equal(vta_device_alloc(d, 5000, NULL, &a), VTA_OK);
    assert_int_equal(vta_device_alloc(d, 1, NULL, &b), VTA_OK);
    assert_true(a >= VTA_PAGE_BYTES && a % VTA_PAGE_BYTES == 0 && b % VTA_PAGE_BYTES == 0);
    assert_true(b >= a + 2 * VTA_PAGE_BYTES || a >= b + VTA_PAGE_BYTES);
    assert_int_equal(vta_device_read(d, a + 4950, out, 100, NULL), VTA_OK);
    assert_memory_equal(out, zeros, 100);
    for (int i = 0; i < 100; i++) in[i] = (uint8_t)(i * 3 + 1);
    assert_int_equal(vta_device_write(d, a + 4050, in, 100, NULL), VTA_OK);
    assert_int_equal(vta_device_read(d, a + 4050, out, 100, NULL), VTA_OK);
    assert_memory_equal(out, in, 100);
    assert_int_equal(vta_device_write(d, a, NULL, 0, NULL), VTA_OK);
    assert_int_equal(vta_device_write(d, a, NULL, 1, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_read(d, a, NULL, 1, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_write(d, 0, in, 1, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_read(d, UINT32_MAX, out, 2, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_free(d, a + VTA_PAGE_BYTES, f->diag), VTA_NOT_FOUND);
    assert_int_equal(vta_device_free(d, b, NULL), VTA_OK);
    assert_int_equal(vta_device_free(d, b, f->diag), VTA_NOT_FOUND);
    assert_int_equal(vta_device_read(d, b, out, 1, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_write(d, b, in, 1, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_free(d, a, NULL), VTA_OK);
    assert_int_equal(vta_device_alloc(d, 8192, NULL, &c), VTA_OK); /* the space is used again, and zeroed */
    assert_int_equal(c, a);
    assert_int_equal(vta_device_read(d, c + 4050, out, 100, NULL), VTA_OK);
    assert_memory_equal(out, zeros, 100);
    vta_diag_clear(f->diag);
    assert_int_equal(vta_device_alloc(d, SIZE_MAX, f->diag, &c), VTA_NO_MEMORY);
    assert_int_equal(c, 0);
    assert_non_null(strstr(vta_diag_text(f->diag), "18446744073709551615 bytes"));
}

/* An excuse is for what a device cannot do, not for what nobody tried. */
static void check_addresses_are_refused(fixture *f) {
    if (!excused(f->driver->name, ADDRESSES)) return;
    vta_status refused = f->driver->alloc_at ? VTA_OUT_OF_RANGE : VTA_UNSUPPORTED;
    assert_int_equal(vta_device_alloc_at(f->device, 0xfffff000, 1, f->diag), refused);
    if (!f->driver->alloc_at) assert_non_null(strstr(vta_diag_text(f->diag), f->driver->name));
}

static void check_addresses(fixture *f) {
    vta_device *d = f->device;
    uint8_t byte = 1;
    uint32_t a;
    assert_int_equal(vta_device_alloc(d, 5000, NULL, &a), VTA_OK);
    assert_int_equal(vta_device_alloc_at(d, a + VTA_PAGE_BYTES, 1, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_alloc_at(d, a + 1, 1, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_alloc_at(d, 0, 1, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_alloc_at(d, 0xfffff000, 4096, NULL), VTA_OK); /* the last page */
    assert_int_equal(vta_device_alloc_at(d, 0xffffe000, 8192, NULL), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_write(d, 0xffffffff, &byte, 1, NULL), VTA_OK);
    assert_int_equal(vta_device_flush(d, 0xffffffff, 1, NULL), VTA_OK);
    assert_int_equal(vta_device_flush(d, 0xffffffff, 2, f->diag), VTA_OUT_OF_RANGE);
}

/* The ranges of flush and invalidate, which devices without a view have to check, too. */
static void check_cache_ranges(fixture *f) {
    vta_device *d = f->device;
    uint32_t a;
    must(f, vta_device_alloc(d, 5000, f->diag, &a));
    vta_status (*const calls[])(vta_device *, uint32_t, size_t, vta_diag *) = {vta_device_flush, vta_device_invalidate};
    for (int i = 0; i < 2; i++) {
        must(f, calls[i](d, a, 8192, f->diag));
        must(f, calls[i](d, a + 8191, 1, f->diag));
        must(f, calls[i](d, a, 0, f->diag));
        assert_int_equal(calls[i](d, a, 8193, f->diag), VTA_OUT_OF_RANGE);
        assert_int_equal(calls[i](d, a - 1, 1, f->diag), VTA_OUT_OF_RANGE);
        assert_int_equal(calls[i](d, a, SIZE_MAX, f->diag), VTA_OUT_OF_RANGE);
        assert_int_equal(calls[i](NULL, a, 1, f->diag), VTA_INVALID_ARGUMENT);
        vta_diag_clear(f->diag);
    }
}

static void check_no_view(fixture *f) {
    uint32_t a;
    must(f, vta_device_alloc(f->device, 100, f->diag, &a));
    assert_int_equal(vta_device_host_ptr(f->device, a, 1) == NULL, excused(f->driver->name, VIEW) != NULL);
}

/* What the host writes through its view and flushes is what the device has; what the device has the host sees once it
 * invalidated. The view stays where it is. */
static void check_view(fixture *f) {
    vta_device *d = f->device;
    uint8_t in[100], out[100];
    uint32_t a;
    must(f, vta_device_alloc(d, 5000, f->diag, &a));
    for (int i = 0; i < 100; i++) in[i] = (uint8_t)(i * 3 + 1);
    uint8_t *host = vta_device_host_ptr(d, a + 4050, 100);
    assert_non_null(host);
    assert_ptr_equal(vta_device_host_ptr(d, a, 8192), host - 4050);
    assert_null(vta_device_host_ptr(d, a, 2 * VTA_PAGE_BYTES + 1));
    assert_null(vta_device_host_ptr(d, a - 1, 1));
    memcpy(host, in, 100);
    must(f, vta_device_flush(d, a + 4050, 100, f->diag));
    must(f, vta_device_read(d, a + 4050, out, 100, f->diag));
    assert_memory_equal(out, in, 100);
    for (int i = 0; i < 100; i++) in[i] = (uint8_t)(i * 5 + 2);
    must(f, vta_device_write(d, a + 4050, in, 100, f->diag));
    must(f, vta_device_invalidate(d, a + 4050, 100, f->diag));
    assert_memory_equal(host, in, 100);
}

static void check_bad_runs(fixture *f) {
    vta_insn insns[8];
    make_room(f);
    uint32_t n = add7(f, insns);
    write_insns(f, insns, n);
    assert_int_equal(vta_device_run(f->device, f->insns + 4, n, 0, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_run(f->device, f->insns, 0, 0, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_run(f->device, f->insns, VTA_MAX_TRANSFER / 16 + 1, 0, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_run(f->device, f->insns - 0x10000, n, 0, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_run(f->device, 0, n, 0, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_run(NULL, f->insns, n, 0, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_counters(f->device).runs, 0);
}

static void check_result(fixture *f) {
    vta_insn insns[8];
    int32_t acc[1024];
    int8_t out[1024];
    make_room(f);
    uint32_t n = add7(f, insns);
    for (int i = 0; i < 1024; i++) acc[i] = i * 77 - 30000;
    must(f, vta_device_write(f->device, f->data, acc, sizeof acc, f->diag));
    must(f, run_insns(f, insns, n));
    must(f, vta_device_read(f->device, f->out, out, sizeof out, f->diag));
    for (int i = 0; i < 1024; i++) assert_int_equal(out[i], (int8_t)(acc[i] + 7));
}

/* The same through the host's view, as compiled code does it between two barriers. */
static void check_result_through_the_view(fixture *f) {
    if (excused(f->driver->name, VIEW)) return;
    vta_insn insns[8];
    make_room(f);
    uint32_t n = add7(f, insns);
    int32_t *acc = vta_device_host_ptr(f->device, f->data, 4096);
    int8_t *out = vta_device_host_ptr(f->device, f->out, 1024);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 1024; i++) acc[i] = i * 31 + round * 100;
        must(f, vta_device_flush(f->device, f->data, 4096, f->diag));
        must(f, run_insns(f, insns, n));
        must(f, vta_device_invalidate(f->device, f->out, 1024, f->diag));
        for (int i = 0; i < 1024; i++) assert_int_equal(out[i], (int8_t)(acc[i] + 7));
    }
}

static void check_counters(fixture *f) {
    vta_insn insns[8];
    make_room(f);
    uint32_t n = add7(f, insns);
    for (uint64_t runs = 1; runs <= 2; runs++) {
        must(f, run_insns(f, insns, n));
        vta_counters c = vta_device_counters(f->device);
        assert_int_equal(c.uop_load_nbytes, 4 * runs);
        assert_int_equal(c.acc_load_nbytes, 4096 * runs);
        assert_int_equal(c.out_store_nbytes, 1024 * runs);
        assert_int_equal(c.alu_counter, 64 * runs);
        assert_int_equal(c.insn_load + c.insn_alu + c.insn_store + c.insn_finish, n * runs);
        assert_int_equal(c.runs, runs);
        assert_int_equal(c.uop_cache_hits + c.uop_cache_misses + c.uop_cache_evictions, 0); /* the runtime's */
    }
    vta_device_clear_counters(f->device);
    vta_counters none = vta_device_counters(f->device);
    assert_memory_equal(&none, &(vta_counters){0}, sizeof none);
}

/* A run that fails in the middle counts what it did before, and nothing of what fails. */
static void check_counters_of_a_failed_run(fixture *f) {
    vta_insn insns[8];
    make_room(f);
    uint32_t n = add7(f, insns);
    insns[3].u.mem.dram_base = UINT32_MAX / 16;
    insns[3].u.mem.y_size = 2;
    assert_int_equal(run_insns(f, insns, n), VTA_OUT_OF_RANGE);
    vta_counters c = vta_device_counters(f->device);
    assert_int_equal(c.insn_load, 2);
    assert_int_equal(c.insn_alu, 1);
    assert_int_equal(c.insn_store + c.insn_finish + c.out_store_nbytes, 0);
    vta_diag_clear(f->diag);
    n = add7(f, insns);
    must(f, run_insns(f, insns, n)); /* the device goes on */
}

static void check_time(fixture *f) {
    vta_insn insns[8];
    vta_timing timing;
    make_room(f);
    uint32_t n = add7(f, insns);
    must(f, run_insns(f, insns, n));
    must(f, vta_device_timing(f->device, f->diag, &timing, NULL));
    assert_true(timing.cycles > 0 && timing.runs == 1);
    assert_int_equal(vta_device_counters(f->device).cycles, timing.cycles);
    vta_device_clear_counters(f->device);
    must(f, vta_device_timing(f->device, f->diag, &timing, NULL));
    assert_memory_equal(&timing, &(vta_timing){0}, sizeof timing);
}

static void check_no_time(fixture *f) {
    bool times = vta_device_timing(f->device, f->diag, NULL, NULL) == VTA_OK;
    assert_int_equal(times, excused(f->driver->name, TIME) == NULL);
    assert_int_equal(vta_device_counters(f->device).cycles, 0);
}

static void check_looking(fixture *f) {
    vta_insn insns[8];
    int32_t acc[1024] = {0}, inside[16];
    make_room(f);
    uint32_t n = add7(f, insns);
    for (int i = 0; i < 1024; i++) acc[i] = i * 77 - 30000;
    must(f, vta_device_write(f->device, f->data, acc, sizeof acc, f->diag));
    must(f, run_insns(f, insns, n));
    must(f, vta_device_peek(f->device, VTA_MEM_ACC, 3, 1, inside, sizeof inside, f->diag));
    for (int i = 0; i < 16; i++) assert_int_equal(inside[i], acc[48 + i] + 7);
    assert_int_equal(vta_device_peek(f->device, VTA_MEM_ACC, 2048, 1, inside, sizeof inside, f->diag),
                     VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_peek(f->device, VTA_MEM_ACC, 0, 1, inside, 1, f->diag), VTA_INVALID_ARGUMENT);
}

static void check_no_looking(fixture *f) {
    uint32_t uop;
    vta_status status = vta_device_peek(f->device, VTA_MEM_UOP, 0, 1, &uop, sizeof uop, f->diag);
    assert_int_equal(status, excused(f->driver->name, LOOKING) ? VTA_UNSUPPORTED : VTA_OK);
}

/* After a run that was given up: the next one works, or is refused as long as the hardware is busy. */
static void goes_on(fixture *f, const vta_insn *insns, uint32_t n) {
    vta_status status = run_insns(f, insns, n);
    if (!excused(f->driver->name, STOPPING)) must(f, status);
    if (excused(f->driver->name, STOPPING)) assert_int_equal(status, VTA_TIMEOUT);
}

/* ---- Interrupts ---- */

typedef struct interrupter {
    vta_device *device;
    atomic_bool done;
} interrupter;

/* Again and again, as one that comes before the run begins is forgotten. */
static void *interrupt_all_the_time(void *arg) {
    interrupter *i = arg;
    while (!atomic_load(&i->done)) vta_device_interrupt(i->device);
    return NULL;
}

/* A run of about 2^40 micro-ops is stopped by another thread; the device can be used again. */
static void check_interrupt(fixture *f) {
    vta_insn insns[8], endless[] = {sp_gemm(0, 4096, 16383, 16383), sp_finish()};
    make_room(f);
    uint32_t n = add7(f, insns);
    vta_device_interrupt(f->device); /* nothing is going on */
    must(f, run_insns(f, insns, n));
    interrupter i = {.device = f->device};
    pthread_t thread;
    write_insns(f, endless, 2);
    if (pthread_create(&thread, NULL, interrupt_all_the_time, &i)) fail();
    vta_status status = vta_device_run(f->device, f->insns, 2, 0, f->diag);
    atomic_store(&i.done, true);
    pthread_join(thread, NULL);
    assert_int_equal(status, VTA_INTERRUPTED);
    vta_diag_clear(f->diag);
    goes_on(f, insns, n);
    vta_device_interrupt(NULL);
}

/* wait_cycles bounds a run on every device, whatever a cycle is there. */
static void check_wait(fixture *f) {
    vta_insn insns[8], endless[] = {sp_gemm(0, 4096, 16383, 16383), sp_finish()};
    make_room(f);
    uint32_t n = add7(f, insns);
    write_insns(f, endless, 2);
    assert_int_equal(vta_device_run(f->device, f->insns, 2, 1000000, f->diag), VTA_TIMEOUT);
    assert_int_equal(vta_device_counters(f->device).gemm_counter, 0);
    vta_diag_clear(f->diag);
    goes_on(f, insns, n);
}

/* ---- Options and state ---- */

static void check_skipped_execution(fixture *f) {
    vta_insn insns[8];
    uint32_t uop = 5, seen;
    uint8_t out[1024], zeros[1024] = {0};
    make_room(f);
    uint32_t n = add7(f, insns);
    must(f, vta_device_write(f->device, f->uops, &uop, sizeof uop, f->diag));
    must(f, vta_device_set_options(f->device, &(vta_device_options){.skip_execution = true}, f->diag));
    must(f, run_insns(f, insns, n));
    must(f, vta_device_read(f->device, f->out, out, sizeof out, f->diag));
    assert_memory_equal(out, zeros, sizeof out);
    assert_int_equal(vta_device_counters(f->device).alu_counter, 64);
    if (excused(f->driver->name, LOOKING)) return;
    must(f, vta_device_peek(f->device, VTA_MEM_UOP, 0, 1, &seen, sizeof seen, f->diag));
    assert_int_equal(seen, uop);
}

static void check_no_skipped_execution(fixture *f) {
    vta_status status = vta_device_set_options(f->device, &(vta_device_options){.skip_execution = true}, f->diag);
    assert_int_equal(status, excused(f->driver->name, SKIPPING) && f->driver->configure ? VTA_UNSUPPORTED : VTA_OK);
}

/* On-chip memory stays as it is from run to run. */
static void check_state_between_runs(fixture *f) {
    vta_insn insns[8];
    int8_t out[16];
    make_room(f);
    uint32_t n = add7(f, insns);
    must(f, run_insns(f, insns, n));
    insns[1] = sp_load(VTA_MEM_UOP, 0, 0, 1, 0); /* a no-op in the place of LOAD ACC */
    must(f, run_insns(f, insns, n));
    must(f, vta_device_read(f->device, f->out, out, sizeof out, f->diag));
    for (int i = 0; i < 16; i++) assert_int_equal(out[i], 14);
}

static void check_options(fixture *f) {
    assert_int_equal(vta_device_set_options(f->device, &(vta_device_options){.engine = 9}, f->diag),
                     VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_set_options(f->device, &(vta_device_options){.order = 3}, f->diag),
                     VTA_INVALID_ARGUMENT);
    char longest[1100];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(vta_device_set_options(f->device, &(vta_device_options){.cpu = longest}, f->diag),
                     VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_set_options(f->device, &(vta_device_options){.profile = longest}, f->diag),
                     VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_set_options(f->device, NULL, f->diag), VTA_OK);
    struct {
        vta_device_options options;
        uint64_t more;
    } newer = {.options.size = sizeof newer};
    assert_int_equal(vta_device_set_options(f->device, &newer.options, f->diag), VTA_OK);
    newer.more = 1;
    assert_int_equal(vta_device_set_options(f->device, &newer.options, f->diag), VTA_UNSUPPORTED);
    vta_device_options older = {.size = offsetof(vta_device_options, order), .order = 3}; /* cannot have set it */
    assert_int_equal(vta_device_set_options(f->device, &older, f->diag), VTA_OK);
}

#define CONFORMANCE(X)                                                                                                 \
    X(identity, PARTS)                                                                                                 \
    X(memory, PARTS)                                                                                                   \
    X(addresses, ADDRESSES)                                                                                            \
    X(addresses_are_refused, PARTS)                                                                                    \
    X(cache_ranges, PARTS)                                                                                             \
    X(view, VIEW)                                                                                                      \
    X(no_view, PARTS)                                                                                                  \
    X(bad_runs, PARTS)                                                                                                 \
    X(options, PARTS)                                                                                                  \
    X(result, EXECUTION)                                                                                               \
    X(result_through_the_view, EXECUTION)                                                                              \
    X(counters, COUNTERS)                                                                                              \
    X(counters_of_a_failed_run, COUNTERS)                                                                              \
    X(time, TIME)                                                                                                      \
    X(no_time, PARTS)                                                                                                  \
    X(looking, LOOKING)                                                                                                \
    X(no_looking, PARTS)                                                                                               \
    X(interrupt, EXECUTION)                                                                                            \
    X(wait, EXECUTION)                                                                                                 \
    X(skipped_execution, SKIPPING)                                                                                     \
    X(no_skipped_execution, PARTS)                                                                                     \
    X(state_between_runs, EXECUTION)

#define TEST(name, part)                                                                                               \
    static void test_##name(void **state) { (void)state, on_all(check_##name, part); }
CONFORMANCE(TEST)
#undef TEST

/* The cache of `board` is one: without flush the device does not see what the host wrote, without invalidate the host
 * does not see what the device wrote. What the suite says of both would hold without them on any simulator. */
static void boards_have_a_cache(void **state) {
    (void)state;
    fixture f;
    open_device(&f, &vt_driver_board);
    vta_insn insns[8];
    make_room(&f);
    uint32_t n = add7(&f, insns);
    int32_t *acc = vta_device_host_ptr(f.device, f.data, 4096);
    int8_t *out = vta_device_host_ptr(f.device, f.out, 1024);
    for (int i = 0; i < 1024; i++) acc[i] = 35;
    must(&f, run_insns(&f, insns, n));
    assert_int_equal(out[0], 0);
    must(&f, vta_device_invalidate(f.device, f.out, 1024, f.diag));
    assert_int_equal(out[0], 7);
    must(&f, vta_device_flush(f.device, f.data, 4096, f.diag));
    must(&f, run_insns(&f, insns, n));
    assert_int_equal(out[0], 7);
    must(&f, vta_device_invalidate(f.device, f.out, 1024, f.diag));
    assert_int_equal(out[0], 42);
    close_device(&f);
}

static void unknown_drivers_are_listed(void **state) {
    (void)state;
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    assert_int_equal(vta_device_create("fpga9", config, NULL, NULL, diag, &device), VTA_NOT_FOUND);
    assert_null(device);
#define VT_DRIVER(name) assert_non_null(strstr(vta_diag_text(diag), #name));
#include "device/drivers.def"
#undef VT_DRIVER
    assert_int_equal(vta_device_create("sim", config, &(vta_device_options){.cpu = "mmx"}, NULL, diag, &device),
                     VTA_NOT_FOUND);
    assert_int_equal(vta_device_create("sim", NULL, NULL, NULL, diag, &device), VTA_INVALID_ARGUMENT);
    vta_device_destroy(NULL);
    vta_diag_destroy(diag);
    vta_config_release(config);
}

static void counters_as_json_have_every_name(void **state) {
    (void)state;
    vta_counters counters = {.inp_load_nbytes = 3, .cycles = 9};
    char *text = vta_counters_to_json(&counters);
    assert_non_null(strstr(text, "\"inp_load_nbytes\": 3,"));
    assert_non_null(strstr(text, "\"cycles\": 9,"));
#define VTA_COUNTER(name, meaning) assert_non_null(strstr(text, "\"" #name "\": "));
#include "vta/counters.def"
#undef VTA_COUNTER
    vta_string_free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name, part) cmocka_unit_test(test_##name),
        CONFORMANCE(TEST)
#undef TEST
            cmocka_unit_test(boards_have_a_cache),
        cmocka_unit_test(unknown_drivers_are_listed),
        cmocka_unit_test(counters_as_json_have_every_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
