/* The driver of Verilated models: the accelerator's own hardware, clock by clock (docs/hardware.md). The model for the
 * configuration is opened with the first run; before each run the driver checks what the hardware does not. */
#include <stdio.h>
#include <string.h>

#include "device/dram/memory.h"
#include "device/driver.h"
#include "device/rtl/check.h"
#include "device/rtl/model.h"
#include "device/rtl/waves.h"
#include "isa/label.h"
#include "vta/hardware.h"

enum { LOOK_EVERY = 256, QUIET_LOOKS = 4, REGISTER_FAULTS = 0x3f00, REGISTER_ACTIVE = 0xf };

typedef struct rtl {
    vt_dram dram; /* first: VT_DRAM_MEMORY finds it there */
    vt_machine shadow;
    vta_counters counters, ignored;
    vta_timing_profile profile;
    vta_hardware_options design;
    uint32_t stall_percent;
    uint64_t seed;
    vt_waves waves;
    vta_status no_waves; /* why there are none */
    uint64_t elapsed;    /* cycles of all runs before this one */
    bool open;
    vt_rtl_model model;
    atomic_bool interrupt;
} rtl;

/* ---- Options ----------------------------------------------------------------------------------------------- */

/* options.profile is a name, and settings after it; "rtl" where it is not given. */
static vta_status find_profile(const vta_config *config, const char *text, vta_diag *diag, vta_timing_profile *out) {
    size_t size = text ? strcspn(text, " ,") : 0;
    char name[sizeof out->name] = "rtl";
    if (size >= sizeof name) size = sizeof name - 1;
    if (size) {
        memcpy(name, text, size);
        name[size] = 0;
        VT_TRY(vta_timing_profile_get(name, diag, out));
        return vta_timing_profile_set(out, text + strcspn(text, " ,"), diag);
    }
    if (*vta_config_timing(config)) return vta_timing_profile_for(config, diag, out);
    return vta_timing_profile_get(name, diag, out);
}

static vta_status take_options(rtl *r, const vta_config *config, const vta_device_options *options, vta_diag *diag) {
    vta_timing_profile profile;
    VT_TRY(find_profile(config, options->profile, diag, &profile));
    if (options->check)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "device 'rtl' does not look for races; run the program on sim with check");
    if (options->skip_execution)
        return vt_fail(diag, VTA_UNSUPPORTED, "device 'rtl' cannot leave out the execution; sim and tsim can");
    if (options->stall_percent > 99)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "stall_percent %u: 0 to 99", options->stall_percent);
    vt_waves waves;
    VT_TRY(vt_waves_take(&waves, options->wave, diag));
    vta_hardware_options design = {.size = sizeof design,
                                   .bus_bits = profile.bus_bits,
                                   .burst_beats = 1u << profile.len_bits,
                                   .queue_depth = profile.queue_depth,
                                   .wave = options->wave != NULL,
                                   .assertions = options->assertions,
                                   .pack = options->pack,
                                   .netlist = options->netlist,
                                   .small = options->small,
                                   .address_bits = options->address_bits};
    VT_TRY(vta_hardware_check(config, &design, diag));
    r->profile = profile;
    r->design = design;
    r->stall_percent = options->stall_percent;
    r->seed = options->seed;
    r->waves = waves;
    r->elapsed = 0;
    return VTA_OK;
}

static void close_model(rtl *r) {
    if (!r->open) return;
    (void)vt_waves_end(&r->waves, r->model.functions, r->model.model, NULL); /* too few bytes: there is no file */
    vt_rtl_close(&r->model);
    r->open = false;
}

static vta_status open_model(rtl *r, const vta_config *config, vta_diag *diag) {
    char *path;
    if (r->open) return VTA_OK;
    VT_TRY(vta_hardware_find(config, &r->design, diag, &path));
    vta_status status = vt_rtl_open(&r->model, path, &r->dram, r->seed, diag);
    vta_string_free(path);
    if (status != VTA_OK) return status;
    r->open = true;
    r->model.axi.delay = r->profile.delay;
    r->model.axi.outstanding = r->profile.outstanding;
    r->model.axi.stall_percent = r->stall_percent;
    status = r->waves.next ? VTA_OK : vt_waves_step(&r->waves, r->model.functions, r->model.model, 0, diag);
    if (status != VTA_OK) close_model(r);
    return status;
}

/* ---- Life -------------------------------------------------------------------------------------------------- */

static vta_status create(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    rtl *r = vt_alloc_zero(&device->allocator, sizeof *r);
    if (!r) return vt_no_memory(diag);
    atomic_init(&r->interrupt, false);
    vt_dram_init(&r->dram, &device->allocator);
    vta_status status = take_options(r, device->config, options, diag);
    if (status == VTA_OK)
        status = vt_machine_init(&r->shadow, device->config, &device->allocator, &r->dram, &r->ignored,
                                 &vt_engine_reference, NULL, diag);
    if (status != VTA_OK) {
        vt_free(&device->allocator, r, sizeof *r);
        return status;
    }
    r->shadow.skip_execution = true; /* but for loads of micro-ops */
    device->state = r;
    return VTA_OK;
}

static void destroy(vta_device *device) {
    rtl *r = device->state;
    close_model(r);
    vt_machine_clear(&r->shadow);
    vt_dram_clear(&r->dram);
    vt_free(&device->allocator, r, sizeof *r);
}

static vta_status configure(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    rtl *r = device->state;
    VT_TRY(take_options(r, device->config, options, diag));
    close_model(r);
    return VTA_OK;
}

/* ---- A run ------------------------------------------------------------------------------------------------- */

/* Why a run stopped. */
typedef enum outcome { FINISHED, FAULT, STUCK, TOO_LONG, STOPPED, NO_WAVES } outcome;

static void launch(vt_rtl_model *m, const vt_run *run) {
    vt_rtl_set(m, VT_REG_INSN_COUNT, run->count);
    vt_rtl_set(m, VT_REG_INSN_ADDR, run->insn_addr);
    vt_rtl_set(m, VT_REG_CONTROL, 1);
}

static uint32_t retired(vt_rtl_model *m) { return vt_rtl_get(m, VT_REG_USER_COUNT); }

/* Nothing under way, and no instruction ends from look to look: it will stay so. */
static bool is_stuck(vt_rtl_model *m, uint32_t *quiet, uint32_t *seen) {
    uint32_t now = retired(m);
    bool moved = now != *seen || vt_axi_busy(&m->axi) || (vt_rtl_get(m, VT_REG_STATUS) & REGISTER_ACTIVE);
    *quiet = moved ? 0 : *quiet + 1;
    *seen = now;
    return *quiet == QUIET_LOOKS;
}

static outcome clock_on(rtl *r, uint32_t wait_cycles, vta_diag *diag) {
    vt_rtl_model *m = &r->model;
    uint32_t quiet = 0, seen = UINT32_MAX, look = LOOK_EVERY;
    for (uint64_t begin = m->axi.cycle, now = 0; !*m->axi.port.finished; now = m->axi.cycle - begin) {
        if (wait_cycles && now >= wait_cycles) return TOO_LONG;
        if (r->elapsed + now >= r->waves.next &&
            (r->no_waves = vt_waves_step(&r->waves, m->functions, m->model, r->elapsed + now, diag)) != VTA_OK)
            return NO_WAVES;
        vt_rtl_cycle(m);
        if (--look) continue;
        look = LOOK_EVERY;
        if (atomic_load_explicit(&r->interrupt, memory_order_relaxed)) return STOPPED;
        if (m->axi.fault.happened || (vt_rtl_get(m, VT_REG_STATUS) & REGISTER_FAULTS)) return FAULT;
        if (is_stuck(m, &quiet, &seen)) return STUCK;
    }
    return m->axi.fault.happened ? FAULT : FINISHED;
}

static const char *label_of(const vt_stream *s, uint32_t index, char text[24]) {
    return index == UINT32_MAX ? "none" : vt_insn_label(&s->insns[index], text);
}

static vta_status report_fault(rtl *r, const vta_config *config, const vt_stream *s, const uint32_t done[VT_STAGES],
                               vta_diag *diag) {
    static const struct {
        vta_memory memory;
        uint32_t stage;
    } clients[] = {{VTA_MEM_COUNT, 0}, {VTA_MEM_UOP, 1}, {VTA_MEM_INP, 0},
                   {VTA_MEM_WGT, 0},   {VTA_MEM_ACC, 1}, {VTA_MEM_OUT, 2}};
    const vt_axi_fault *f = &r->model.axi.fault;
    uint32_t faults = vt_rtl_get(&r->model, VT_REG_STATUS) >> 8 & 0x3f;
    uint32_t client = f->happened ? (f->write ? 5u : f->id) : faults ? (uint32_t)__builtin_ctz(faults) : 0;
    char label[24];
    if (client == 0) return vt_fail(diag, VTA_OUT_OF_RANGE, "the fetch of instructions: 0x%08x is not mapped", f->addr);
    uint32_t stage = clients[client].stage;
    if (!f->happened) {
        uint32_t index = vt_rtl_beyond(s, config, stage, done[stage]);
        return vt_fail(diag, VTA_OUT_OF_RANGE, "instruction %u (%s): an address beyond 32 bits", index,
                       label_of(s, index, label));
    }
    uint32_t index =
        vt_rtl_accessing(s, config, stage, done[stage], clients[client].memory, f->addr, r->model.axi.bus_bytes);
    return vt_fail(diag, VTA_OUT_OF_RANGE, "instruction %u (%s): 0x%08x is not mapped, the bus answered with an error",
                   index, label_of(s, index, label), f->addr);
}

/* What every unit waits for, or was doing. */
static void add_units(const vt_stream *s, const uint32_t done[VT_STAGES], vta_diag *diag) {
    char label[24];
    for (uint32_t stage = 0; stage < VT_STAGES; stage++) {
        uint32_t index = vt_rtl_next(s, stage, done[stage]);
        if (index != UINT32_MAX)
            vt_note_at(diag, VT_NO_POS, "%s: instruction %u (%s) has not ended", vta_stage_name((vta_stage)(stage + 1)),
                       index, label_of(s, index, label));
    }
}

static vta_status report_stuck(const vt_stream *s, const uint32_t done[VT_STAGES], vta_diag *diag) {
    char label[24];
    for (uint32_t stage = 0; stage < VT_STAGES; stage++) {
        uint32_t index = vt_rtl_next(s, stage, done[stage]);
        if (index == UINT32_MAX) continue;
        for (int next = 0; next < 2; next++) {
            vta_token_queue token = vt_token_popped(stage, next);
            if (token == VTA_TOKEN_QUEUES || !vt_stream_pops(s, index, token)) continue;
            vta_status status = vt_fail(diag, VTA_DEADLOCK, "instruction %u (%s) waits for a %s token that never comes",
                                        index, label_of(s, index, label), vta_token_queue_name(token));
            add_units(s, done, diag);
            return status;
        }
    }
    vta_status status = vt_fail(diag, VTA_INTERNAL, "the hardware stands still, and no instruction waits for a token");
    add_units(s, done, diag);
    return status;
}

static vta_status report(rtl *r, const vta_config *config, outcome how, const vt_run *run, const vt_stream *s,
                         const uint32_t done[VT_STAGES], vta_diag *diag) {
    vta_status status = VTA_OK;
    switch (how) {
    case FINISHED: return VTA_OK;
    case FAULT: return report_fault(r, config, s, done, diag);
    case STUCK: return report_stuck(s, done, diag);
    case TOO_LONG:
        status = vt_fail(diag, VTA_TIMEOUT, "FINISH was not reached within %u cycles", run->wait_cycles);
        break;
    case NO_WAVES: return r->no_waves; /* said already */
    case STOPPED: status = vt_fail(diag, VTA_INTERRUPTED, "interrupted"); break;
    }
    add_units(s, done, diag);
    return status;
}

static void count_retired(rtl *r, const vt_stream *s, const uint32_t done[VT_STAGES]) {
    for (uint32_t stage = 0; stage < VT_STAGES; stage++)
        for (uint32_t i = 0; i < done[stage] && i < s->length[stage]; i++)
            vt_exec_count(&r->shadow, &r->counters, &s->insns[s->queue[stage][i]]);
    r->counters.runs++;
}

static vta_status run_hardware(rtl *r, const vta_config *config, const vt_run *run, const vt_stream *s,
                               vta_diag *diag) {
    vt_rtl_model *m = &r->model;
    launch(m, run);
    outcome how = clock_on(r, run->wait_cycles, diag);
    uint32_t cycles = how == TOO_LONG ? run->wait_cycles : vt_rtl_get(m, VT_REG_CYCLES);
    const uint32_t done[VT_STAGES] = {vt_rtl_get(m, VT_REG_LOAD_DONE), vt_rtl_get(m, VT_REG_COMPUTE_DONE),
                                      vt_rtl_get(m, VT_REG_STORE_DONE)};
    count_retired(r, s, done);
    r->counters.cycles += cycles;
    r->elapsed += cycles;
    vta_status status = report(r, config, how, run, s, done, diag);
    if (how != FINISHED) vt_rtl_reset(m);
    return status;
}

static vta_status run(vta_device *device, const vt_run *run, vta_diag *diag) {
    rtl *r = device->state;
    vt_stream s;
    atomic_store_explicit(&r->interrupt, false, memory_order_relaxed);
    VT_TRY(vt_stream_decode(&s, &r->shadow, run->insn_addr, run->count, diag));
    vta_status status = vt_rtl_check(&r->shadow, &s, diag);
    if (status == VTA_OK) status = vt_rtl_check_design(&r->design, device->config, &s, diag);
    if (status == VTA_OK) status = open_model(r, device->config, diag);
    if (status == VTA_OK) status = run_hardware(r, device->config, run, &s, diag);
    vt_stream_clear(&s);
    return status;
}

static void interrupt(vta_device *device) {
    atomic_store_explicit(&((rtl *)device->state)->interrupt, true, memory_order_relaxed);
}

static vta_counters counters(const vta_device *device) { return ((const rtl *)device->state)->counters; }
static void clear(vta_device *device) { ((rtl *)device->state)->counters = (vta_counters){0}; }

const vt_driver vt_driver_rtl = {
    .name = "rtl",
    .text = "the hardware itself: its SystemVerilog under Verilator, clock by clock",
    VT_DRAM_MEMORY,
    .create = create,
    .destroy = destroy,
    .configure = configure,
    .run = run,
    .interrupt = interrupt,
    .counters = counters,
    .clear = clear,
};
