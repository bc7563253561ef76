/* The public functions of vta/device.h: they check what a caller gives, and hand it to the driver. */
#include "vta/device.h"

#include <string.h>

#include "base/json_write.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "base/versioned.h"
#include "config/config_priv.h"
#include "device/driver.h"
#include "vta/isa.h"

/* ---- Finding a driver -------------------------------------------------------------------------------------- */

static const vt_driver *const drivers[] = {
#define VT_DRIVER(name) &vt_driver_##name,
#include "device/drivers.def"
#undef VT_DRIVER
};
enum { DRIVERS = sizeof drivers / sizeof drivers[0] };

/* Why there is no driver: a name that was given, or the board of a configuration whose driver is not here. */
static vta_status no_driver(const char *given, const vta_config *config, const vta_allocator *a, vta_diag *diag) {
    const char *names[DRIVERS];
    char near[VT_SUGGESTION_BYTES];
    vt_strbuf list;
    vt_strbuf_init(&list, a);
    for (int i = 0; i < DRIVERS; i++) vt_strbuf_addf(&list, "%s%s", i ? ", " : "", names[i] = drivers[i]->name);
    vta_status status =
        given ? vt_fail(diag, VTA_NOT_FOUND, "no driver '%s'; there are: %s%s", given, vt_strbuf_text(&list),
                        vt_suggest(near, given, names, DRIVERS))
              : vt_fail(diag, VTA_NOT_FOUND,
                        "the configuration (%s) is for %s, and there is no driver for that here. Choose another "
                        "for the same sizes, like --driver sim; there are: %s",
                        vta_config_source(config), vta_config_target(config), vt_strbuf_text(&list));
    vt_strbuf_free(&list);
    return status;
}

vta_status vt_device_find_driver(const char *given, const vta_config *config, const vta_allocator *allocator,
                                 vta_diag *diag, const vt_driver **out_driver) {
    const char *name = given ? given : vta_config_target(config);
    for (int i = 0; i < DRIVERS; i++)
        if (!strcmp(drivers[i]->name, name)) {
            *out_driver = drivers[i];
            return VTA_OK;
        }
    return no_driver(given, config, allocator, diag);
}

/* ---- Life -------------------------------------------------------------------------------------------------- */

static vta_status check_length(const char *what, const char *text, size_t most, vta_diag *diag) {
    if (!text || strnlen(text, most + 1) <= most) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s '%.32s...' is longer than %zu characters", what, text, most);
}

static vta_status check_options(const vta_device_options *o, vta_diag *diag) {
    if (o->engine > VTA_ENGINE_REFERENCE)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "options.engine %u does not exist (0 fast, 1 reference)", o->engine);
    if (o->order > VTA_ORDER_STORE_LATE)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "options.order %u does not exist (0 program, 1 random, 2 store late)", o->order);
    VT_TRY(check_length("options.profile", o->profile, 1023, diag));
    VT_TRY(check_length("options.board", o->board, 1023, diag));
    return check_length("options.cpu", o->cpu, 15, diag);
}

/* The caller's options as this library knows them. */
static vta_status read_options(const vta_device_options *given, vta_diag *diag, vta_device_options *out_options) {
    VT_TRY(vt_options_read(out_options, sizeof *out_options, given, "vta_device_options", diag));
    return check_options(out_options, diag);
}

vta_status vt_device_create(const vt_driver *driver, const vta_config *config, const vta_device_options *options,
                            const vta_allocator *allocator, vta_diag *diag, vta_device **out_device) {
    *out_device = NULL;
    vta_device_options own;
    VT_TRY(read_options(options, diag, &own));
    vta_device *d = vt_alloc_zero(allocator, sizeof *d);
    if (!d) return vt_no_memory(diag);
    d->allocator = *allocator;
    d->driver = driver;
    d->config = vta_config_retain(config);
    vta_status status = driver->create(d, &own, diag);
    if (status != VTA_OK) {
        vta_config_release(d->config);
        vt_free(allocator, d, sizeof *d);
        return status;
    }
    *out_device = d;
    return VTA_OK;
}

vta_status vta_device_create(const char *driver, const vta_config *config, const vta_device_options *options,
                             const vta_allocator *allocator, vta_diag *diag, vta_device **out_device) {
    if (!out_device) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_device is NULL");
    *out_device = NULL;
    if (!config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "config is NULL");
    const vta_allocator *a = allocator ? allocator : &vt_allocator_libc;
    const vt_driver *found = NULL;
    VT_TRY(vt_device_find_driver(driver, config, a, diag, &found));
    return vt_device_create(found, config, options, a, diag, out_device);
}

void vta_device_destroy(vta_device *device) {
    if (!device) return;
    device->driver->destroy(device);
    vta_config_release(device->config);
    vta_allocator a = device->allocator;
    vt_free(&a, device, sizeof *device);
}

vta_status vta_device_idle(const char *driver, const vta_config *config, const vta_device_options *options,
                           vta_diag *diag) {
    if (!config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "config is NULL");
    const vt_driver *found = NULL;
    vta_device_options own;
    VT_TRY(vt_device_find_driver(driver, config, &vt_allocator_libc, diag, &found));
    VT_TRY(read_options(options, diag, &own));
    return found->idle ? found->idle(&own, diag) : VTA_OK;
}

vta_status vta_device_check(const char *driver, const vta_config *config, const vta_device_options *options,
                            vta_diag *diag, char **out_json) {
    if (!config || !out_json) return vt_fail(diag, VTA_INVALID_ARGUMENT, "config or out_json is NULL");
    const vt_driver *found = NULL;
    vta_device_options own;
    vt_strbuf sb;
    vt_json w;
    *out_json = NULL;
    VT_TRY(vt_device_find_driver(driver, config, &vt_allocator_libc, diag, &found));
    VT_TRY(read_options(options, diag, &own));
    if (!found->check)
        return vt_fail(diag, VTA_UNSUPPORTED, "%s needs nothing of this machine; a board does, like --driver pynq",
                       found->name);
    vt_strbuf_init(&sb, &vt_allocator_libc);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vt_json_text(&w, "board", found->name);
    vta_status status = found->check(&own, &w, diag);
    vt_json_end(&w);
    *out_json = status == VTA_OK ? vt_strbuf_take(&sb) : NULL;
    vt_strbuf_free(&sb);
    return status == VTA_OK && !*out_json ? vt_no_memory(diag) : status;
}

const vta_config *vta_device_config(const vta_device *device) { return device ? device->config : NULL; }

const char *vta_device_driver(const vta_device *device) { return device ? device->driver->name : NULL; }

const vta_allocator *vt_device_allocator(const vta_device *device) { return &device->allocator; }

static vta_status no_device(vta_diag *diag) { return vt_fail(diag, VTA_INVALID_ARGUMENT, "device is NULL"); }

vta_status vta_device_set_options(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    if (!device) return no_device(diag);
    vta_device_options own;
    VT_TRY(read_options(options, diag, &own));
    return device->driver->configure ? device->driver->configure(device, &own, diag) : VTA_OK;
}

/* ---- Memory ------------------------------------------------------------------------------------------------ */

vta_status vta_device_alloc(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr) {
    if (!out_addr) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_addr is NULL");
    *out_addr = 0;
    if (!device) return no_device(diag);
    return device->driver->alloc(device, bytes, diag, out_addr);
}

vta_status vta_device_alloc_at(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    if (!device) return no_device(diag);
    if (!device->driver->alloc_at)
        return vt_fail(diag, VTA_UNSUPPORTED, "device '%s' chooses the addresses of its memory itself",
                       device->driver->name);
    return device->driver->alloc_at(device, addr, bytes, diag);
}

vta_status vta_device_free(vta_device *device, uint32_t addr, vta_diag *diag) {
    if (!device) return no_device(diag);
    return device->driver->free(device, addr, diag);
}

static vta_status check_copy(const vta_device *device, const void *host, size_t bytes, vta_diag *diag) {
    if (!device) return no_device(diag);
    if (!host && bytes) return vt_fail(diag, VTA_INVALID_ARGUMENT, "the host pointer is NULL");
    return VTA_OK;
}

vta_status vta_device_write(vta_device *device, uint32_t addr, const void *from, size_t bytes, vta_diag *diag) {
    VT_TRY(check_copy(device, from, bytes, diag));
    return device->driver->write(device, addr, from, bytes, diag);
}

vta_status vta_device_read(vta_device *device, uint32_t addr, void *to, size_t bytes, vta_diag *diag) {
    VT_TRY(check_copy(device, to, bytes, diag));
    return device->driver->read(device, addr, to, bytes, diag);
}

void *vta_device_host_ptr(vta_device *device, uint32_t addr, size_t bytes) {
    return device && device->driver->map ? device->driver->map(device, addr, bytes) : NULL;
}

vta_status vta_device_flush(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    if (!device) return no_device(diag);
    return device->driver->flush(device, addr, bytes, diag);
}

vta_status vta_device_invalidate(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    if (!device) return no_device(diag);
    return device->driver->invalidate(device, addr, bytes, diag);
}

bool vt_device_coherent(const vta_device *device) { return device->driver->coherent; }
bool vt_device_keeps_tokens(const vta_device *device) { return device->driver->keeps_tokens; }

vta_status vt_device_dram(vta_device *device, vta_diag *diag, struct vt_dram **out_dram) {
    *out_dram = device->driver->dram ? device->driver->dram(device) : NULL;
    if (*out_dram) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED, "the memory of device '%s' is not host memory; use sim or tsim",
                   device->driver->name);
}

/* ---- Running ----------------------------------------------------------------------------------------------- */

vta_status vt_device_check_stream(uint32_t insn_addr, uint32_t count, vta_diag *diag) {
    if (insn_addr % VTA_INSN_BYTES)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "instruction address 0x%08x is not a multiple of %d", insn_addr,
                       VTA_INSN_BYTES);
    if (!count || count > VTA_MAX_TRANSFER / VTA_INSN_BYTES)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%u instructions; a run takes 1 to %d (one transfer)", count,
                       VTA_MAX_TRANSFER / VTA_INSN_BYTES);
    return VTA_OK;
}

vta_status vt_device_run(vta_device *device, const vt_run *run, vta_diag *diag) {
    VT_TRY(vt_device_check_stream(run->insn_addr, run->count, diag));
    return device->driver->run(device, run, diag);
}

vta_status vta_device_run(vta_device *device, uint32_t insn_addr, uint32_t count, uint32_t wait_cycles,
                          vta_diag *diag) {
    if (!device) return no_device(diag);
    const vt_run run = {insn_addr, count, .wait_cycles = wait_cycles, .max_work = wait_cycles};
    return vt_device_run(device, &run, diag);
}

vta_status vta_device_program(vta_device *device, const char *bitstream, vta_diag *diag) {
    if (!device) return no_device(diag);
    if (!bitstream) return vt_fail(diag, VTA_INVALID_ARGUMENT, "bitstream is NULL");
    return device->driver->program ? device->driver->program(device, bitstream, diag) : VTA_OK;
}

bool vt_device_can_be_programmed(const vta_device *device) { return device->driver->program != NULL; }

void vta_device_interrupt(vta_device *device) {
    if (!device) return;
    atomic_store_explicit(&device->interrupted, true, memory_order_relaxed);
    if (device->driver->interrupt) device->driver->interrupt(device);
}

const atomic_bool *vt_device_watch(vta_device *device) {
    atomic_store_explicit(&device->interrupted, false, memory_order_relaxed);
    return &device->interrupted;
}

/* ---- What it counted --------------------------------------------------------------------------------------- */

vta_counters vta_device_counters(const vta_device *device) {
    return device ? device->driver->counters(device) : (vta_counters){0};
}

void vta_device_clear_counters(vta_device *device) {
    if (device) device->driver->clear(device);
}

vta_status vta_device_timing(const vta_device *device, vta_diag *diag, vta_timing *out_timing,
                             vta_timing_profile *out_profile) {
    vta_timing timing;
    vta_timing_profile profile;
    if (!device) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_device_timing: device is NULL");
    if (!device->driver->timing)
        return vt_fail(diag, VTA_UNSUPPORTED, "device '%s' does not time; make a device with the driver \"tsim\"",
                       device->driver->name);
    VT_TRY(device->driver->timing(device, diag, &timing, &profile));
    if (out_timing) *out_timing = timing;
    if (out_profile) *out_profile = profile;
    return VTA_OK;
}

vta_status vta_device_peek(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to,
                           size_t bytes, vta_diag *diag) {
    if (!device) return no_device(diag);
    if (!device->driver->peek)
        return vt_fail(diag, VTA_UNSUPPORTED, "device '%s' cannot be inspected", device->driver->name);
    if ((unsigned)memory >= VTA_MEM_COUNT) return vt_fail(diag, VTA_INVALID_ARGUMENT, "no memory %d", (int)memory);
    uint32_t depth = device->config->depth[memory];
    if (first > depth || elements > depth - first)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%u elements from %u on: %s has %u", elements, first,
                       vta_memory_name(memory), depth);
    if (!to && elements) return vt_fail(diag, VTA_INVALID_ARGUMENT, "the host pointer is NULL");
    return device->driver->peek(device, memory, first, elements, to, bytes, diag);
}
