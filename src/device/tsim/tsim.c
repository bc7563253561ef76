/* The tsim driver: hands every call to sim, and times each run before sim executes it. The time depends on the stream
 * alone, so neither half knows of the other; what did not end in the time given is not executed. */
#include "device/tsim/tsim.h"

#include <string.h>

#include "device/sim/sim.h"
#include "device/tsim/model.h"

typedef struct tsim {
    void *values; /* sim's state */
    vta_timing_profile profile;
    vta_timing sum; /* since the counters were cleared */
} tsim;

/* Runs sim's function with sim's state in the device. */
static void enter(vta_device *device, tsim *t) { device->state = t->values; }
static void leave(vta_device *device, tsim *t) {
    t->values = device->state;
    device->state = t;
}

/* options.profile is a name, and settings after it: "chisel bus_bits=128". */
static vta_status find_profile(const vta_device *device, vta_diag *diag, vta_timing_profile *out_profile) {
    const char *text = device->options.profile;
    if (text == NULL || *text == '\0') return vta_timing_profile_for(device->config, diag, out_profile);
    char name[sizeof out_profile->name] = "";
    size_t size = strcspn(text, " ,");
    if (size >= sizeof name) size = sizeof name - 1;
    memcpy(name, text, size);
    VT_TRY(vta_timing_profile_get(name, diag, out_profile));
    return vta_timing_profile_set(out_profile, text + strcspn(text, " ,"), diag);
}

static vta_status create(vta_device *device, vta_diag *diag) {
    vta_timing_profile profile;
    VT_TRY(find_profile(device, diag, &profile));
    tsim *t = vt_alloc_zero(&device->allocator, sizeof *t);
    if (t == NULL) return vt_no_memory(diag);
    t->profile = profile;
    vta_status status = vt_driver_sim.create(device, diag);
    if (status != VTA_OK) {
        vt_free(&device->allocator, t, sizeof *t);
        return status;
    }
    leave(device, t);
    return VTA_OK;
}

static void destroy(vta_device *device) {
    tsim *t = device->state;
    enter(device, t);
    vt_driver_sim.destroy(device);
    vt_free(&device->allocator, t, sizeof *t);
}

static vta_status configure(vta_device *device, vta_diag *diag) {
    tsim *t = device->state;
    vta_timing_profile profile;
    VT_TRY(find_profile(device, diag, &profile));
    enter(device, t);
    vta_status status = vt_driver_sim.configure(device, diag);
    leave(device, t);
    if (status == VTA_OK) t->profile = profile;
    return status;
}

static bool can_be_timed(const vta_config *config, const vt_stream *s) {
    for (uint32_t i = 0; i < s->count; i++)
        if (vt_timing_check(config, i, &s->insns[i], NULL) != VTA_OK) return false;
    return true;
}

/* Times the stream, then executes what ended within wait_cycles. */
static vta_status run_timed(vta_device *device, tsim *t, vt_stream *s, uint32_t insn_addr, uint32_t wait_cycles,
                            vta_diag *diag) {
    const vt_timing_job job = {.config = device->config,
                               .profile = &t->profile,
                               .insns = s->insns,
                               .stages = s->stage,
                               .count = s->count,
                               .insn_addr = insn_addr,
                               .limit = wait_cycles,
                               .interrupt = &device->interrupt,
                               .allocator = &device->allocator};
    vta_timing timing;
    uint32_t done[VT_STAGES];
    vta_status timed = vt_timing_run(&job, diag, &timing, NULL, done);
    if (timed != VTA_OK && timed != VTA_TIMEOUT) return timed;
    if (timed == VTA_TIMEOUT) vt_stream_keep(s, done);
    vta_status found;
    VT_TRY(vt_sim_execute(device, s, insn_addr, 0, diag, &found)); /* an error in the middle: no time belongs to it */
    vta_timing_add(&t->sum, &timing);
    device->counters.cycles += timing.cycles;
    return timed != VTA_OK ? timed : found;
}

/* A stream that the model cannot time: sim refuses it, when it comes to the instruction. */
static vta_status run_untimed(vta_device *device, const vt_stream *s, uint32_t insn_addr, uint32_t wait_cycles,
                              vta_diag *diag) {
    vta_status found, status = vt_sim_execute(device, s, insn_addr, wait_cycles, diag, &found);
    return status != VTA_OK ? status : found;
}

static vta_status run(vta_device *device, uint32_t insn_addr, uint32_t count, uint32_t wait_cycles, vta_diag *diag) {
    tsim *t = device->state;
    vt_stream s;
    enter(device, t);
    vta_status status = vt_sim_prepare(device, insn_addr, count, diag, &s);
    if (status == VTA_OK) {
        status = can_be_timed(device->config, &s) ? run_timed(device, t, &s, insn_addr, wait_cycles, diag)
                                                  : run_untimed(device, &s, insn_addr, wait_cycles, diag);
        vt_stream_clear(&s);
    }
    leave(device, t);
    return status;
}

static void cleared(vta_device *device) {
    tsim *t = device->state;
    t->sum = (vta_timing){0};
}

static vta_status peek(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to, size_t bytes,
                       vta_diag *diag) {
    tsim *t = device->state;
    enter(device, t);
    vta_status status = vt_driver_sim.peek(device, memory, first, elements, to, bytes, diag);
    leave(device, t);
    return status;
}

const vt_driver vt_driver_tsim = {
    .name = "tsim",
    .text = "cycle-level simulator: sim's values, and how long they take on the hardware",
    .timed = true,
    .create = create,
    .destroy = destroy,
    .configure = configure,
    .run = run,
    .cleared = cleared,
    .peek = peek,
};

vta_status vta_device_timing(const vta_device *device, vta_diag *diag, vta_timing *out_timing,
                             vta_timing_profile *out_profile) {
    if (device == NULL) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_device_timing: device is null");
    if (device->driver != &vt_driver_tsim)
        return vt_fail(diag, VTA_UNSUPPORTED, "device '%s' does not time; make a device with the driver \"tsim\"",
                       device->driver->name);
    const tsim *t = device->state;
    if (out_timing) *out_timing = t->sum;
    if (out_profile) *out_profile = t->profile;
    return VTA_OK;
}
