/* The tsim driver: a sim for the values, and a timing of each run before the sim executes it. The time depends on the
 * stream alone, so neither half knows of the other; what did not end in the time given is not executed. */
#include <string.h>

#include "device/dram/memory.h"
#include "device/driver.h"
#include "device/sim/sim.h"
#include "device/tsim/model.h"

typedef struct tsim {
    vt_sim values; /* first: it begins with the DRAM */
    vta_timing_profile profile;
    vta_timing sum; /* since the counters were cleared */
} tsim;

/* options.profile is a name, and settings after it: "chisel bus_bits=128". */
static vta_status find_profile(const vta_config *config, const char *text, vta_diag *diag,
                               vta_timing_profile *out_profile) {
    if (text == NULL || *text == '\0') return vta_timing_profile_for(config, diag, out_profile);
    char name[sizeof out_profile->name] = "";
    size_t size = strcspn(text, " ,");
    if (size >= sizeof name) size = sizeof name - 1;
    memcpy(name, text, size);
    VT_TRY(vta_timing_profile_get(name, diag, out_profile));
    return vta_timing_profile_set(out_profile, text + strcspn(text, " ,"), diag);
}

static vta_status create(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    vta_timing_profile profile;
    VT_TRY(find_profile(device->config, options->profile, diag, &profile));
    tsim *t = vt_alloc_zero(&device->allocator, sizeof *t);
    if (t == NULL) return vt_no_memory(diag);
    t->profile = profile;
    vta_status status = vt_sim_init(&t->values, device->config, &device->allocator, options, diag);
    if (status != VTA_OK) {
        vt_free(&device->allocator, t, sizeof *t);
        return status;
    }
    device->state = t;
    return VTA_OK;
}

static void destroy(vta_device *device) {
    tsim *t = device->state;
    vt_sim_clear(&t->values);
    vt_free(&device->allocator, t, sizeof *t);
}

static vta_status configure(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    tsim *t = device->state;
    vta_timing_profile profile;
    VT_TRY(find_profile(device->config, options->profile, diag, &profile));
    VT_TRY(vt_sim_configure(&t->values, options, diag));
    t->profile = profile;
    return VTA_OK;
}

static bool can_be_timed(const vta_config *config, const vt_stream *s) {
    for (uint32_t i = 0; i < s->count; i++)
        if (vt_timing_check(config, i, &s->insns[i], NULL) != VTA_OK) return false;
    return true;
}

static vt_timing_job job_of(const tsim *t, const vt_stream *s, const vt_run *run) {
    return (vt_timing_job){.config = t->values.machine.config,
                           .profile = &t->profile,
                           .insns = s->insns,
                           .stages = s->stage,
                           .count = s->count,
                           .insn_addr = run->insn_addr,
                           .limit = run->wait_cycles,
                           .interrupt = &t->values.interrupt,
                           .allocator = s->allocator,
                           .dram = t->values.machine.dram,
                           .uop_words = t->values.machine.uop_words};
}

/* Times the stream, then executes what ended within wait_cycles. */
static vta_status run_timed(tsim *t, vt_stream *s, const vt_run *run, vta_diag *diag) {
    const vt_timing_job job = job_of(t, s, run);
    vta_timing timing;
    uint32_t done[VT_STAGES];
    vta_status timed = vt_timing_run(&job, diag, &timing, NULL, done);
    if (timed != VTA_OK && timed != VTA_TIMEOUT) return timed;
    if (timed == VTA_TIMEOUT) vt_stream_keep(s, done);
    vta_status found;
    VT_TRY(vt_sim_execute(&t->values, s, run, 0, diag, &found)); /* an error in the middle: no time belongs to it */
    vta_timing_add(&t->sum, &timing);
    t->values.counters.cycles += timing.cycles;
    return timed != VTA_OK ? timed : found;
}

/* A stream that the model cannot time: sim refuses it, when it comes to the instruction. */
static vta_status run_untimed(tsim *t, const vt_stream *s, const vt_run *run, vta_diag *diag) {
    vta_status found, status = vt_sim_execute(&t->values, s, run, run->wait_cycles, diag, &found);
    return status != VTA_OK ? status : found;
}

static vta_status run(vta_device *device, const vt_run *run, vta_diag *diag) {
    tsim *t = device->state;
    vt_stream s;
    VT_TRY(vt_sim_prepare(&t->values, run, diag, &s));
    vta_status status = can_be_timed(device->config, &s) ? run_timed(t, &s, run, diag) : run_untimed(t, &s, run, diag);
    vt_stream_clear(&s);
    return status;
}

static void interrupt(vta_device *device) {
    tsim *t = device->state;
    atomic_store_explicit(&t->values.interrupt, true, memory_order_relaxed);
}

static vta_counters counters(const vta_device *device) { return ((const tsim *)device->state)->values.counters; }

static void clear(vta_device *device) {
    tsim *t = device->state;
    vt_sim_clear_counters(&t->values);
    t->sum = (vta_timing){0};
}

static vta_status timing(const vta_device *device, vta_diag *diag, vta_timing *out_timing,
                         vta_timing_profile *out_profile) {
    (void)diag;
    const tsim *t = device->state;
    *out_timing = t->sum;
    *out_profile = t->profile;
    return VTA_OK;
}

static const vt_findings *findings(const vta_device *device) { return &((const tsim *)device->state)->values.found; }

static vta_status peek(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to, size_t bytes,
                       vta_diag *diag) {
    const tsim *t = device->state;
    return vt_machine_peek(&t->values.machine, memory, first, elements, to, bytes, diag);
}

const vt_driver vt_driver_tsim = {
    .name = "tsim",
    .text = "cycle-level simulator: sim's values, and how long they take on the hardware",
    VT_DRAM_MEMORY,
    .create = create,
    .destroy = destroy,
    .configure = configure,
    .run = run,
    .interrupt = interrupt,
    .counters = counters,
    .clear = clear,
    .timing = timing,
    .findings = findings,
    .peek = peek,
};
