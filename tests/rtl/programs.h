/* Random programs on a Verilated model of a configuration. */
#ifndef TESTS_RTL_PROGRAMS_H
#define TESTS_RTL_PROGRAMS_H

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "device/random_program.h"
#include "vta/hardware.h"
#include "vta/timing.h"

/* A configuration and what its hardware has besides. Buffers have 16 to 64 elements. */
typedef struct rtl_design {
    const char *name, *changes, *profile; /* of the configuration, and of the profile "rtl" */
    bool plain;                           /* built as it is run, without assertions and random contents */
    bool pack, netlist, small;            /* as in vta_hardware_options; small: with addresses of 20 bits */
} rtl_design;

/* Models are kept in the build tree. */
static inline void rtl_use_cache(void) { setenv("VTA_HARDWARE_CACHE", VT_BINARY_DIR "/hardware", 1); }

static inline vta_config *rtl_config(const rtl_design *d) {
    vta_config *base = vta_config_default(), *config = NULL;
    vta_diag *diag = vta_diag_create(NULL);
    if (vta_config_with(base, d->changes, diag, &config) != VTA_OK) fail_msg("%s: %s", d->name, vta_diag_text(diag));
    vta_diag_destroy(diag);
    vta_config_release(base);
    return config;
}

/* The options of a model for the profile. */
static inline vta_hardware_options rtl_options(const rtl_design *d) {
    vta_timing_profile p;
    assert_int_equal(vta_timing_profile_get("rtl", NULL, &p), VTA_OK);
    assert_int_equal(vta_timing_profile_set(&p, d->profile, NULL), VTA_OK);
    return (vta_hardware_options){.size = sizeof(vta_hardware_options),
                                  .bus_bits = p.bus_bits,
                                  .burst_beats = 1u << p.len_bits,
                                  .queue_depth = p.queue_depth,
                                  .pack = d->pack,
                                  .netlist = d->netlist,
                                  .small = d->small,
                                  .address_bits = d->small ? 20 : 0,
                                  .assertions = !d->plain};
}

static inline void rtl_build(const rtl_design *d) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config = rtl_config(d);
    vta_hardware_options options = rtl_options(d);
    if (vta_hardware_build(config, &options, diag, NULL) != VTA_OK) fail_msg("%s: %s", d->name, vta_diag_text(diag));
    vta_config_release(config);
    vta_diag_destroy(diag);
}

static inline vta_device *rtl_device(const rtl_design *d, const vta_config *config, uint64_t seed,
                                     uint32_t stall_percent) {
    char profile[100];
    snprintf(profile, sizeof profile, "rtl %s", d->profile);
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    const vta_device_options options = {.size = sizeof options,
                                        .profile = profile,
                                        .seed = seed,
                                        .stall_percent = stall_percent,
                                        .assertions = !d->plain,
                                        .pack = d->pack,
                                        .netlist = d->netlist,
                                        .small = d->small,
                                        .address_bits = d->small ? 20 : 0};
    if (vta_device_create("rtl", config, &options, NULL, diag, &device) != VTA_OK)
        fail_msg("%s: %s", d->name, vta_diag_text(diag));
    vta_diag_destroy(diag);
    assert_int_equal(vta_device_alloc_at(device, RP_BASE, RP_BYTES, NULL), VTA_OK);
    return device;
}

static inline void rtl_write(vta_device *device, const random_program *p) {
    assert_int_equal(vta_device_write(device, RP_BASE, p->before, RP_BYTES, NULL), VTA_OK);
    for (int i = 0; i < p->count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        assert_int_equal(vta_insn_encode(p->config, &p->insns[i], NULL, bytes), VTA_OK);
        assert_int_equal(vta_device_write(device, RP_BASE + (uint32_t)i * VTA_INSN_BYTES, bytes, sizeof bytes, NULL),
                         VTA_OK);
    }
}

enum { RTL_MAX_CYCLES = 200000 };

static inline vta_status rtl_run(vta_device *device, const random_program *p, vta_diag *diag) {
    rtl_write(device, p);
    return vta_device_run(device, RP_BASE, (uint32_t)p->count, RTL_MAX_CYCLES, diag);
}

static inline void rtl_compare(vta_device *device, const random_program *p, const char *name, uint64_t seed) {
    const uint8_t *got = vta_device_host_ptr(device, RP_BASE, RP_BYTES);
    for (size_t i = RP_OUT - RP_BASE; i < RP_BYTES; i++)
        if (got[i] != p->after[i])
            fail_msg("%s, seed %llu: DRAM 0x%zx is %02x, not %02x", name, (unsigned long long)seed, RP_BASE + i, got[i],
                     p->after[i]);
}

/* The timing model of the design. */
static inline vta_device *rtl_timing(const rtl_design *d, const vta_config *config) {
    char profile[100];
    snprintf(profile, sizeof profile, "rtl %s", d->profile);
    const vta_device_options options = {.size = sizeof options, .profile = profile};
    vta_device *device;
    assert_int_equal(vta_device_create("tsim", config, &options, NULL, NULL, &device), VTA_OK);
    assert_int_equal(vta_device_alloc_at(device, RP_BASE, RP_BYTES, NULL), VTA_OK);
    return device;
}

/* `count` programs from a seed on: the memory that the naive machine leaves, on one device after another program's;
 * and, on a memory that does not stall, the cycles that tsim says, but of a small design. */
static inline void rtl_check_programs(const rtl_design *d, uint64_t seed, int count, uint32_t stall_percent) {
    static random_program program;
    vta_config *config = rtl_config(d);
    vta_device *device = rtl_device(d, config, seed, stall_percent), *timing = rtl_timing(d, config);
    vta_diag *diag = vta_diag_create(NULL);
    for (int i = 0; i < count; i++, seed++) {
        rp_make_design(&program, vta_config_retain(config), seed, 20 + (int)(seed % 80), true, d->small);
        if (rtl_run(device, &program, diag) != VTA_OK || rtl_run(timing, &program, diag) != VTA_OK)
            fail_msg("%s, seed %llu: %s", d->name, (unsigned long long)seed, vta_diag_text(diag));
        rtl_compare(device, &program, d->name, seed);
        uint64_t cycles = vta_device_counters(device).cycles, said = vta_device_counters(timing).cycles;
        if (!stall_percent && !d->small && cycles != said)
            fail_msg("%s, seed %llu: %llu cycles, tsim says %llu", d->name, (unsigned long long)seed,
                     (unsigned long long)cycles, (unsigned long long)said);
        vta_device_clear_counters(device);
        vta_device_clear_counters(timing);
        rp_clear(&program);
    }
    vta_diag_destroy(diag);
    vta_device_destroy(device);
    vta_device_destroy(timing);
    vta_config_release(config);
}

#endif
