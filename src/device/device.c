/* The public functions of vta/device.h: they check what a caller gives, and hand it to the driver. */
#include "vta/device.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/strbuf.h"
#include "config/config_priv.h"
#include "device/core/driver.h"
#include "device/null/null.h"
#include "device/sim/sim.h"
#include "device/tsim/tsim.h"
#include "vta/isa.h"

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

static vta_status find_driver(const char *given, const vta_config *config, const vta_allocator *a, vta_diag *diag,
                              const vt_driver **out) {
    const char *name = given ? given : vta_config_target(config);
    for (int i = 0; i < DRIVERS; i++)
        if (!strcmp(drivers[i]->name, name)) {
            *out = drivers[i];
            return VTA_OK;
        }
    return no_driver(given, config, a, diag);
}

static vta_status keep_string(const char *what, const char *from, char *to, size_t cap, vta_diag *diag) {
    if (from && strlen(from) >= cap)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s '%.32s...' is longer than %zu characters", what, from, cap - 1);
    snprintf(to, cap, "%s", from ? from : "");
    return VTA_OK;
}

static vta_status keep_options(vta_device *d, const vta_device_options *options, vta_diag *diag) {
    static const vta_device_options none;
    const vta_device_options *o = options ? options : &none;
    if (o->engine > VTA_ENGINE_REFERENCE)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "options.engine %u does not exist (0 fast, 1 reference)", o->engine);
    if (o->order > VTA_ORDER_STORE_LATE)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "options.order %u does not exist (0 program, 1 random, 2 store late)", o->order);
    char profile[sizeof d->profile], cpu[sizeof d->cpu];
    VT_TRY(keep_string("options.profile", o->profile, profile, sizeof profile, diag));
    VT_TRY(keep_string("options.cpu", o->cpu, cpu, sizeof cpu, diag));
    memcpy(d->profile, profile, sizeof profile);
    memcpy(d->cpu, cpu, sizeof cpu);
    d->options = *o;
    d->options.profile = o->profile ? d->profile : NULL;
    d->options.cpu = o->cpu ? d->cpu : NULL;
    return VTA_OK;
}

vta_status vta_device_create(const char *driver, const vta_config *config, const vta_device_options *options,
                             const vta_allocator *allocator, vta_diag *diag, vta_device **out_device) {
    if (!out_device) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_device is NULL");
    *out_device = NULL;
    if (!config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "config is NULL");
    const vta_allocator *a = allocator ? allocator : &vt_allocator_libc;
    const vt_driver *found = NULL;
    VT_TRY(find_driver(driver, config, a, diag, &found));
    vta_device *d = vt_alloc_zero(a, sizeof *d);
    if (!d) return vt_no_memory(diag);
    d->allocator = *a;
    d->driver = found;
    atomic_init(&d->interrupt, false);
    vt_dram_init(&d->dram, &d->allocator);
    vta_status status = keep_options(d, options, diag);
    if (status == VTA_OK) {
        d->config = vta_config_retain(config);
        if (found->create) status = found->create(d, diag);
    }
    if (status != VTA_OK) {
        if (d->config) vta_config_release(d->config);
        vt_free(a, d, sizeof *d);
        return status;
    }
    *out_device = d;
    return VTA_OK;
}

void vta_device_destroy(vta_device *device) {
    if (!device) return;
    if (device->driver->destroy) device->driver->destroy(device);
    vt_dram_clear(&device->dram);
    vta_config_release(device->config);
    vta_allocator a = device->allocator;
    vt_free(&a, device, sizeof *device);
}

const vta_config *vta_device_config(const vta_device *device) { return device ? device->config : NULL; }

const char *vta_device_driver(const vta_device *device) { return device ? device->driver->name : NULL; }

static vta_status no_device(vta_diag *diag) { return vt_fail(diag, VTA_INVALID_ARGUMENT, "device is NULL"); }

vta_status vta_device_set_options(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    if (!device) return no_device(diag);
    vta_device_options old = device->options;
    char profile[sizeof device->profile], cpu[sizeof device->cpu];
    memcpy(profile, device->profile, sizeof profile);
    memcpy(cpu, device->cpu, sizeof cpu);
    VT_TRY(keep_options(device, options, diag));
    vta_status status = device->driver->configure ? device->driver->configure(device, diag) : VTA_OK;
    if (status != VTA_OK) {
        device->options = old;
        memcpy(device->profile, profile, sizeof profile);
        memcpy(device->cpu, cpu, sizeof cpu);
    } else {
        device->found = (vt_findings){0};
    }
    return status;
}

vta_status vta_device_alloc(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr) {
    if (!out_addr) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_addr is NULL");
    *out_addr = 0;
    if (!device) return no_device(diag);
    return vt_dram_alloc(&device->dram, bytes, diag, out_addr);
}

vta_status vta_device_alloc_at(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    if (!device) return no_device(diag);
    return vt_dram_alloc_at(&device->dram, addr, bytes, diag);
}

vta_status vta_device_free(vta_device *device, uint32_t addr, vta_diag *diag) {
    if (!device) return no_device(diag);
    return vt_dram_free(&device->dram, addr, diag);
}

static vta_status check_copy(vta_device *device, uint32_t addr, const void *host, size_t bytes, vta_diag *diag) {
    if (!device) return no_device(diag);
    if (!host && bytes) return vt_fail(diag, VTA_INVALID_ARGUMENT, "the host pointer is NULL");
    uint64_t hole;
    if (!vt_dram_mapped(&device->dram, addr, bytes, &hole))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%zu bytes at 0x%08x: 0x%08llx is not mapped", bytes, addr,
                       (unsigned long long)hole);
    return VTA_OK;
}

vta_status vta_device_write(vta_device *device, uint32_t addr, const void *from, size_t bytes, vta_diag *diag) {
    VT_TRY(check_copy(device, addr, from, bytes, diag));
    vt_dram_write(&device->dram, addr, from, bytes);
    return VTA_OK;
}

vta_status vta_device_read(vta_device *device, uint32_t addr, void *to, size_t bytes, vta_diag *diag) {
    VT_TRY(check_copy(device, addr, to, bytes, diag));
    vt_dram_read(&device->dram, addr, to, bytes);
    return VTA_OK;
}

void *vta_device_host_ptr(vta_device *device, uint32_t addr, size_t bytes) {
    uint64_t run;
    uint8_t *host = device ? vt_dram_at(&device->dram, addr, &run) : NULL;
    return host && bytes <= run ? host : NULL;
}

vta_status vta_device_run(vta_device *device, uint32_t insn_addr, uint32_t count, uint32_t wait_cycles,
                          vta_diag *diag) {
    if (!device) return no_device(diag);
    if (insn_addr % VTA_INSN_BYTES)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "instruction address 0x%08x is not a multiple of %d", insn_addr,
                       VTA_INSN_BYTES);
    if (!count || count > VTA_MAX_TRANSFER / VTA_INSN_BYTES)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%u instructions; a run takes 1 to %d (one transfer)", count,
                       VTA_MAX_TRANSFER / VTA_INSN_BYTES);
    atomic_store_explicit(&device->interrupt, false, memory_order_relaxed);
    vta_status status = device->driver->run(device, insn_addr, count, wait_cycles, diag);
    device->continues = false;
    return status;
}

void vta_device_interrupt(vta_device *device) {
    if (device) atomic_store_explicit(&device->interrupt, true, memory_order_relaxed);
}

vta_counters vta_device_counters(const vta_device *device) { return device ? device->counters : (vta_counters){0}; }

void vta_device_clear_counters(vta_device *device) {
    if (!device) return;
    device->counters = (vta_counters){0};
    device->found = (vt_findings){0};
    if (device->driver->cleared) device->driver->cleared(device);
}

vta_status vta_device_peek(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to,
                           size_t bytes, vta_diag *diag) {
    if (!device) return no_device(diag);
    if (!device->driver->peek)
        return vt_fail(diag, VTA_UNSUPPORTED, "device '%s' cannot be looked into", device->driver->name);
    if ((unsigned)memory >= VTA_MEM_COUNT) return vt_fail(diag, VTA_INVALID_ARGUMENT, "no memory %d", (int)memory);
    uint32_t depth = device->config->depth[memory];
    if (first > depth || elements > depth - first)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%u elements from %u on: %s has %u", elements, first,
                       vta_memory_name(memory), depth);
    if (!to && elements) return vt_fail(diag, VTA_INVALID_ARGUMENT, "the host pointer is NULL");
    return device->driver->peek(device, memory, first, elements, to, bytes, diag);
}
