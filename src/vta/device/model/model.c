/* The model of a board: its files, and the loop that looks at the registers. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "device/board/model_files.h"
#include "device/board/registers.h"
#include "device/core/stream.h"
#include "device/device.h"
#include "device/dram/dram.h"
#include "device/model/designs.h"
#include "device/portability.h"
#include "device/sim/sim.h"

typedef struct vt_model {
    const vta_config *config;
    volatile uint32_t *registers;
    uint8_t *memory; /* as the accelerator sees it */
    size_t bytes;
    bool four; /* blocks */
    vt_sim sim;
    vt_design_state design;
    vta_diag *diag;
    bool (*stop)(void *ctx);
    void *ctx;
} vt_model;

/* ---- Its files --------------------------------------------------------------------------------------------------- */

static vta_status make_file(const char *folder, const char *name, size_t bytes, vta_diag *diag, void **out_memory) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    void *memory = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    vta_status status = memory != MAP_FAILED ? VTA_OK : vt_fail(diag, VTA_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    *out_memory = status == VTA_OK ? memory : NULL;
    return status;
}

enum { REGISTER_BYTES = VT_MAX_BLOCKS * VT_BLOCK_BYTES };

static vta_status make_files(vt_model *m, const char *folder, vta_diag *diag) {
    void *memory;
    VT_TRY(make_file(folder, VT_MODEL_MEMORY, 2 * m->bytes, diag, &memory));
    m->memory = memory;
    VT_TRY(make_file(folder, VT_MODEL_REGISTERS, REGISTER_BYTES, diag, &memory));
    m->registers = memory;
    return VTA_OK;
}

static void close_files(vt_model *m) {
    if (m->memory) munmap(m->memory, 2 * m->bytes);
    if (m->registers) munmap((void *)m->registers, REGISTER_BYTES);
}

/* ---- A run ------------------------------------------------------------------------------------------------------- */

static uint32_t get(const vt_model *m, uint32_t offset) { return m->registers[offset / 4]; }

/* What was written to memory is there before the register says so. */
static void set(vt_model *m, uint32_t offset, uint32_t value) {
    __sync_synchronize();
    m->registers[offset / 4] = value;
}

static bool started(const vt_model *m) {
    if (!m->four) return get(m, VT_CONTROL) & VT_CONTROL_LAUNCH;
    return (get(m, VT_FETCH) & VT_START) && get(m, VT_LOAD) == VT_AUTO_RESTART &&
           get(m, VT_COMPUTE) == VT_AUTO_RESTART && get(m, VT_STORE) == VT_AUTO_RESTART;
}

/* As programming the FPGA does it. */
static bool is_reset(const vt_model *m) { return m->four ? !get(m, VT_COMPUTE) : !started(m); }

static vt_run asked(const vt_model *m) {
    __sync_synchronize();
    if (!m->four) return (vt_run){.insn_addr = get(m, VT_ADDRESS), .count = get(m, VT_COUNT)};
    return (vt_run){.insn_addr = get(m, VT_FETCH + VT_FETCH_ADDRESS), .count = get(m, VT_FETCH + VT_FETCH_COUNT)};
}

/* Compute writes its done register when it takes its first instruction: as soon as that is there, unless it waits for a
 * token of load or store. The register then says for long what the last run wrote. */
static bool compute_waits(const vt_stream *s) {
    for (uint32_t i = 0; i < s->count; i++)
        if (vta_insn_stage(&s->insns[i]) == VTA_STAGE_COMPUTE)
            return s->insns[i].pop_prev_dep || s->insns[i].pop_next_dep;
    return false;
}

static void write_done(vt_model *m, uint32_t done) {
    set(m, VT_COMPUTE + VT_COMPUTE_DONE, done);
    set(m, VT_COMPUTE + VT_COMPUTE_DONE_VALID, 1);
}

/* An error leaves the hardware waiting for ever: no FINISH comes. */
static bool execute(vt_model *m, const vt_run *run) {
    vt_stream stream;
    vta_status found;
    vta_diag_clear(m->diag);
    if (vt_device_check_stream(run->insn_addr, run->count, m->diag) != VTA_OK) return false;
    if (vt_sim_prepare(&m->sim, run, m->diag, &stream) != VTA_OK) return false;
    if (m->four && !compute_waits(&stream)) write_done(m, 0);
    m->design.hangs = false;
    vta_status status = vt_sim_execute(&m->sim, &stream, run, 0, m->diag, &found);
    bool ends = status == VTA_OK && !vt_design_hangs(&m->design, &stream);
    vt_stream_clear(&stream);
    return ends;
}

static void finish(vt_model *m, uint32_t cycles) {
    if (m->four) {
        write_done(m, 1);
    } else {
        set(m, VT_CYCLES, cycles);
        set(m, VT_CONTROL, VT_CONTROL_FINISHED);
    }
}

/* Runs what the registers ask for. A stream that breaks a rule is never over; the launch bit stays. Of four blocks
 * fetch is over long before the others: its start bit says nothing about the run's end. It stays set where fetch
 * restarts by itself. */
static void serve_one(vt_model *m, bool *stuck) {
    vt_run run = asked(m);
    if (m->four && !(get(m, VT_FETCH) & VT_RESTARTS)) set(m, VT_FETCH, 0);
    *stuck = !execute(m, &run);
    if (!*stuck) finish(m, run.count);
}

/* ---- The loop ---------------------------------------------------------------------------------------------------- */

/* The wish to stop is looked at beside a run, too, which may be endless. */
static void *watch(void *arg) {
    vt_model *m = arg;
    while (!m->stop(m->ctx)) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    for (int i = 0; i < 100; i++) { /* a run that is just beginning lowers the flag */
        atomic_store(&m->sim.interrupt, true);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return NULL;
}

enum { LOOKS = 20000, SHORT_PAUSES = 1000 };

/* After a run the next one mostly comes at once; who has waited for long waits a little longer, and leaves the
 * processor to others. */
static void pause_after(uint32_t idle) {
    if (idle <= LOOKS) return;
    nanosleep(&(struct timespec){.tv_nsec = idle - LOOKS <= SHORT_PAUSES ? 100000 : 1000000}, NULL);
}

static void serve(vt_model *m) {
    bool stuck = false;
    for (uint32_t idle = 0; !m->stop(m->ctx); idle++) {
        if (started(m) && !stuck) {
            serve_one(m, &stuck);
            idle = 0;
        } else {
            pause_after(idle);
        }
        if (stuck && is_reset(m)) stuck = false;
    }
}

static vta_status serve_files(vt_model *m, vta_diag *diag) {
    pthread_t watcher;
    const vta_device_options options = {0};
    VT_TRY(vt_sim_init(&m->sim, m->config, &vt_allocator_libc, &options, diag));
    vta_status status = vt_dram_lend(&m->sim.dram, VT_MODEL_BASE, m->memory, m->bytes, diag);
    if (status == VTA_OK) status = vt_design_begin(&m->design, vt_design_of(m->config), &m->sim.machine, diag);
    if (status == VTA_OK && pthread_create(&watcher, NULL, watch, m) != 0) status = vt_no_memory(diag);
    if (status == VTA_OK) {
        serve(m);
        pthread_join(watcher, NULL);
    }
    vt_design_end(&m->design, &m->sim.machine);
    vt_sim_clear(&m->sim);
    return status;
}

static bool has_four_blocks(const vta_config *config) { return strcmp(vta_config_target(config), "de10nano") != 0; }

vta_status vta_board_model(const char *folder, const vta_config *config, size_t bytes, bool (*stop)(void *ctx),
                           void *ctx, vta_diag *diag) {
    if (!folder || !config || !stop) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_board_model: a pointer is NULL");
    if (!bytes) bytes = (size_t)64 << 20;
    if (bytes % VTA_PAGE_BYTES || bytes > (size_t)1 << 31)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "vta_board_model: %zu bytes of memory; whole pages, at most 2 GiB",
                       bytes);
    vt_model m = {.config = config, .bytes = bytes, .four = has_four_blocks(config), .stop = stop, .ctx = ctx};
    m.diag = vta_diag_create(NULL);
    vta_status status = m.diag ? make_files(&m, folder, diag) : vt_no_memory(diag);
    if (status == VTA_OK) status = serve_files(&m, diag);
    close_files(&m);
    vta_diag_destroy(m.diag);
    return status;
}
