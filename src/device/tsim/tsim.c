/* The tsim driver: hands every call to sim, and times each run that sim has executed. The time depends on the stream
 * alone, so neither half knows of the other. */
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

static vta_status time_run(vta_device *device, tsim *t, uint32_t insn_addr, uint32_t count, uint32_t wait_cycles,
                           vta_diag *diag) {
    vt_stream s;
    vta_timing timing;
    VT_TRY(vt_stream_decode(&s, t->values, insn_addr, count, diag));
    const vt_timing_job job = {.config = device->config,
                               .profile = &t->profile,
                               .insns = s.insns,
                               .stages = s.stage,
                               .count = s.count,
                               .insn_addr = insn_addr,
                               .limit = wait_cycles,
                               .interrupt = &device->interrupt,
                               .allocator = &device->allocator};
    vta_status status = vt_timing_run(&job, diag, &timing, NULL, NULL);
    vt_stream_clear(&s);
    if (status != VTA_OK) return status;
    if (device->counters.cycles == 0) t->sum = (vta_timing){0}; /* they were cleared, or nothing ran yet */
    vta_timing_add(&t->sum, &timing);
    device->counters.cycles += timing.cycles;
    return VTA_OK;
}

static vta_status run(vta_device *device, uint32_t insn_addr, uint32_t count, uint32_t wait_cycles, vta_diag *diag) {
    tsim *t = device->state;
    enter(device, t);
    vta_status status = vt_driver_sim.run(device, insn_addr, count, 0, diag);
    leave(device, t);
    return status == VTA_OK ? time_run(device, t, insn_addr, count, wait_cycles, diag) : status;
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
    .peek = peek,
};

vta_status vta_device_timing(const vta_device *device, vta_diag *diag, vta_timing *out_timing,
                             vta_timing_profile *out_profile) {
    if (device == NULL) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_device_timing: device is null");
    if (device->driver != &vt_driver_tsim)
        return vt_fail(diag, VTA_UNSUPPORTED, "device '%s' does not time; make a device with the driver \"tsim\"",
                       device->driver->name);
    const tsim *t = device->state;
    if (out_timing) *out_timing = device->counters.cycles ? t->sum : (vta_timing){0};
    if (out_profile) *out_profile = t->profile;
    return VTA_OK;
}
