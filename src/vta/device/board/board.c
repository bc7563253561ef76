/* The drivers of boards: registers that start a run and say when it is over, contiguous memory, an FPGA. */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "device/board/board.h"
#include "device/board/fabric.h"
#include "device/board/fpga.h"
#include "device/board/mapped.h"
#include "device/board/memory.h"
#include "device/board/model_files.h"
#include "device/driver.h"
#include "vta/isa.h"

typedef struct vt_board {
    vt_contiguous memory; /* first: VT_CONTIGUOUS_MEMORY (device/board/memory.h) finds it there */
    const vt_register_map *map;
    vt_board_settings settings;
    vt_mapped mapped;
    vt_registers registers;
    uint32_t run_seconds, wait_seconds;
    bool looked; /* at the registers, which this device has taken */
    bool busy;   /* a run was started, by us or by whoever had the accelerator before, and nobody has seen its end */
    vt_run_seen seen; /* of that run */
    atomic_bool stop;
    vta_counters counters;
} vt_board;

/* ---- Life -------------------------------------------------------------------------------------------------------- */

/* Hardware does what it does. */
static vta_status configure(vta_device *device, const vta_device_options *o, vta_diag *diag) {
    const char *what = o->skip_execution               ? "skip_execution"
                       : o->check                      ? "check"
                       : o->order != VTA_ORDER_PROGRAM ? "order"
                                                       : NULL;
    if (!what) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED, "%s is an option of simulators; %s is a board", what, device->driver->name);
}

static vta_status seconds(const char *key, const char *text, vta_diag *diag, uint32_t *out) {
    enum { MAX = 86400 };
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *out = (uint32_t)value;
    if (*text >= '0' && *text <= '9' && !*end && value <= MAX) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "board settings: %s=%s is not a number of seconds from 0 to %d", key,
                   text, MAX);
}

static vta_status read_settings(vt_board *b, const char *text, vta_diag *diag) {
    VT_TRY(vt__board_settings(text, diag, &b->settings));
    VT_TRY(seconds("run_seconds", b->settings.run_seconds, diag, &b->run_seconds));
    return seconds("wait_seconds", b->settings.wait_seconds, diag, &b->wait_seconds);
}

vta_status vt__board_map(const vt_board_settings *s, const vt_register_map *map, uint32_t address, vta_diag *diag,
                         vt_mapped *out_mapped) {
    char files[2 * VT_BOARD_TEXT];
    snprintf(files, sizeof files, "%s", s->registers);
    if (*s->model) snprintf(files, sizeof files, "%s/" VT_MODEL_REGISTERS, s->model);
    return vt__map_registers(files, address, map->block_count, diag, out_mapped);
}

static vta_status open_parts(vt_board *b, uint32_t address, const vta_allocator *a, vta_diag *diag) {
    VT_TRY(vt__board_map(&b->settings, b->map, address, diag, &b->mapped));
    b->registers = vt__mapped_registers(&b->mapped);
    return vt_contiguous_open(&b->memory, &b->settings, a, diag);
}

static vta_status create(vta_device *device, const vta_device_options *options, const vt_register_map *map,
                         uint32_t address, vta_diag *diag) {
    VT_TRY(configure(device, options, diag));
    vt_board *b = vt_alloc_zero(&device->allocator, sizeof *b);
    if (!b) return vt_no_memory(diag);
    b->map = map;
    b->mapped.fd = b->memory.fd = -1;
    vta_status status = read_settings(b, options->board, diag);
    if (status == VTA_OK) status = open_parts(b, address, &device->allocator, diag);
    device->state = b;
    if (status == VTA_OK) return VTA_OK;
    vt__unmap_registers(&b->mapped);
    vt_free(&device->allocator, b, sizeof *b);
    device->state = NULL;
    return status;
}

static void destroy(vta_device *device) {
    vt_board *b = device->state;
    vt_contiguous_close(&b->memory);
    vt__unmap_registers(&b->mapped);
    vt_free(&device->allocator, b, sizeof *b);
}

/* ---- Taking the accelerator -------------------------------------------------------------------------------------- */

enum { POLLS_IN_A_ROW = 16384 }; /* then others may have the host, and the clock is looked at */

/* How long something is waited for: looks at the registers, and time. */
typedef struct bound {
    uint32_t looks; /* 0: any number */
    double seconds; /* 0: as long as it takes */
} bound;

static vta_status wait(vt_board *b, bool (*over)(vt_board *b), bound most, vta_diag *diag) {
    double begin = most.seconds > 0 ? vt_now() : 0;
    for (uint32_t looks = 0; !over(b); looks++) {
        if (atomic_load(&b->stop))
            return vt_fail(diag, VTA_INTERRUPTED, "interrupted; the accelerator goes on until its stream ends");
        if (most.looks && looks == most.looks)
            return vt_fail(diag, VTA_TIMEOUT, "no FINISH within %u looks at the control register", most.looks);
        if (looks % POLLS_IN_A_ROW != POLLS_IN_A_ROW - 1) continue;
        if (most.seconds > 0 && vt_now() - begin > most.seconds)
            return vt_fail(diag, VTA_TIMEOUT, "no FINISH within %g seconds (board setting run_seconds)", most.seconds);
        sched_yield();
    }
    b->map->done(&b->registers);
    b->busy = false;
    return VTA_OK;
}

static bool is_finished(vt_board *b) { return b->map->finished(&b->registers, &b->seen); }
static bool is_free(vt_board *b) { return !b->map->running(&b->registers, &b->seen); }

/* Hardware cannot be stopped: what was left running must end before the next run begins, and before memory is given out
 * that it may still write to. */
static vta_status become_free(vt_board *b, vta_diag *diag) {
    if (!b->busy) return VTA_OK;
    vta_status status = wait(b, is_free, (bound){.looks = !b->wait_seconds, .seconds = b->wait_seconds}, NULL);
    if (status == VTA_OK) return VTA_OK;
    if (status == VTA_INTERRUPTED) return vt_fail(diag, VTA_INTERRUPTED, "interrupted");
    return vt_fail(diag, VTA_TIMEOUT,
                   "the accelerator still runs a stream that was given up: wait, or program the FPGA "
                   "anew (program_fpga), which resets it");
}

static vta_status check_registers(const vt_mapped *m, const vt_register_map *map, const vt_registers *r,
                                  vta_diag *diag) {
    const char *refusal = map->refuses(r);
    return refusal ? vt_fail(diag, VTA_UNSUPPORTED, "%s: %s", m->file, refusal) : VTA_OK;
}

/* An access to registers of an FPGA that is not programmed, or behind a bridge that is closed, may stop the host.
 */
static vta_status make_reachable(const vt_board_settings *s, vta_diag *diag) {
    char state[VT_ATTRIBUTE_BYTES];
    if (*s->model) return VTA_OK;
    if (!vt__fpga_works(s)) {
        vt__fpga_state(s, state);
        return vt_fail(diag, VTA_IO,
                       "the FPGA is not programmed: its manager %s says '%s'. Program it (program_fpga, `vta rpc "
                       "program`), or have the boot loader do so",
                       s->fpga, state);
    }
    return vt__fabric_enable(s, diag);
}

/* Whoever had it before may have died in the middle of a run. */
static vta_status claim(vt_board *b, vta_diag *diag) {
    VT_TRY(vt__claim_registers(&b->mapped, diag));
    if (b->looked) return VTA_OK;
    VT_TRY(make_reachable(&b->settings, diag));
    b->looked = true;
    b->seen = (vt_run_seen){0};
    b->map->settle(&b->registers);
    b->busy = b->map->started(&b->registers);
    return VTA_OK;
}

/* ---- Asking without taking it ------------------------------------------------------------------------------------ */

bool vt__board_is_reachable(const vt_board_settings *s) {
    return *s->model || (vt__fpga_works(s) && vt__fabric_is_on(s));
}

/* What may be cleared is, by whoever has the registers meanwhile; then they are looked at once more. */
static vta_status check_settled(vt_mapped *m, const vt_register_map *map, const vt_registers *r, vta_diag *diag) {
    if (map->refuses(r)) {
        VT_TRY(vt__claim_registers(m, diag));
        map->settle(r);
    }
    return check_registers(m, map, r, diag);
}

/* A run that a dead process left behind. To see its end may clear what said so: it is noted for the next one to ask,
 * and nobody else may begin a run meanwhile. */
static vta_status is_over(vt_mapped *m, const vt_register_map *map, const vt_registers *r, vta_diag *diag) {
    vt_run_seen seen = {0};
    VT_TRY(vt__claim_registers(m, diag));
    if (map->running(r, &seen)) return vt_fail(diag, VTA_TIMEOUT, "%s: the accelerator runs a stream", m->file);
    map->done(r);
    return VTA_OK;
}

vta_status vt__board_runs_nothing(vt_mapped *m, const vt_register_map *map, vta_diag *diag) {
    const vt_registers registers = vt__mapped_registers(m);
    VT_TRY(check_settled(m, map, &registers, diag));
    return map->started(&registers) ? is_over(m, map, &registers, diag) : VTA_OK;
}

/* What cannot be reached runs nothing. */
static vta_status idle(const vta_device_options *options, const vt_register_map *map, uint32_t address,
                       vta_diag *diag) {
    vt_board_settings settings;
    vt_mapped mapped;
    VT_TRY(vt__board_settings(options->board, diag, &settings));
    VT_TRY(vt__board_map(&settings, map, address, diag, &mapped));
    vta_status status = vt__registers_are_free(&mapped, diag);
    if (status == VTA_OK && vt__board_is_reachable(&settings)) status = vt__board_runs_nothing(&mapped, map, diag);
    vt__unmap_registers(&mapped);
    return status;
}

static vta_status check(const vta_device_options *options, const vt_register_map *map, uint32_t address, vt_json *w,
                        vta_diag *diag) {
    vt_board_settings settings;
    VT_TRY(vt__board_settings(options->board, diag, &settings));
    return vt__board_check(&settings, map, address, &vt_allocator_libc, w, diag);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* The accelerator is this device's from its first memory on, and not from its making: a runtime that takes the place of
 * another one is made before that ends. */
static vta_status board_alloc(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr) {
    vt_board *b = device->state;
    VT_TRY(claim(b, diag));
    VT_TRY(check_registers(&b->mapped, b->map, &b->registers, diag));
    atomic_store(&b->stop, false);
    VT_TRY(become_free(b, diag));
    return vt_contiguous_alloc(device->state, bytes, diag, out_addr);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* Who bounds a run bounds its time as well: a register of a board that is stuck takes long to be looked at so often. */
static vta_status board_run(vta_device *device, const vt_run *run, vta_diag *diag) {
    vt_board *b = device->state;
    atomic_store(&b->stop, false);
    VT_TRY(vt_contiguous_check(&b->memory, run->insn_addr, (uint64_t)run->count * VTA_INSN_BYTES, diag));
    VT_TRY(become_free(b, diag));
    b->busy = true;
    b->map->start(&b->registers, run->insn_addr, run->count, &b->seen);
    bound most = {.looks = run->wait_cycles, .seconds = run->wait_cycles ? b->run_seconds : 0};
    VT_TRY(wait(b, is_finished, most, diag));
    b->counters.runs++;
    b->counters.cycles += b->map->cycles(&b->registers);
    return VTA_OK;
}

static void board_interrupt(vta_device *device) { atomic_store(&((vt_board *)device->state)->stop, true); }

static vta_status board_program(vta_device *device, const char *bitstream, vta_diag *diag) {
    vt_board *b = device->state;
    VT_TRY(vt__claim_registers(&b->mapped, diag)); /* they cannot be looked at before */
    b->looked = false;
    VT_TRY(vt__fpga_program(&b->settings, bitstream, &device->allocator, diag));
    b->looked = true;
    b->busy = false; /* whatever ran is gone */
    return VTA_OK;
}

static vta_counters board_counters(const vta_device *device) { return ((const vt_board *)device->state)->counters; }
static void board_clear(vta_device *device) { ((vt_board *)device->state)->counters = (vta_counters){0}; }

/* ---- The boards -------------------------------------------------------------------------------------------------- */

#define VT_BOARD(board, what, map_of, address, clock)                                                                  \
    static vta_status create_##board(vta_device *device, const vta_device_options *options, vta_diag *diag) {          \
        return create(device, options, &map_of, address, diag);                                                        \
    }                                                                                                                  \
    static vta_status idle_##board(const vta_device_options *options, vta_diag *diag) {                                \
        return idle(options, &map_of, address, diag);                                                                  \
    }                                                                                                                  \
    static vta_status check_##board(const vta_device_options *options, vt_json *w, vta_diag *diag) {                   \
        return check(options, &map_of, address, w, diag);                                                              \
    }                                                                                                                  \
    const vt_driver vt_driver_##board = {                                                                              \
        .name = #board,                                                                                                \
        .text = what,                                                                                                  \
        .keeps_tokens = true,                                                                                          \
        .create = create_##board,                                                                                      \
        .destroy = destroy,                                                                                            \
        .configure = configure,                                                                                        \
        .idle = idle_##board,                                                                                          \
        .check = check_##board,                                                                                        \
        .alloc = board_alloc,                                                                                          \
        .free = vt_contiguous_device_free,                                                                             \
        VT_CONTIGUOUS_MEMORY,                                                                                          \
        .run = board_run,                                                                                              \
        .interrupt = board_interrupt,                                                                                  \
        .program = board_program,                                                                                      \
        .counters = board_counters,                                                                                    \
        .clear = board_clear,                                                                                          \
    };
#include "device/board/boards.def"
#undef VT_BOARD
