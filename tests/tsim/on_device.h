/* A random program in a device's memory. */
#ifndef TESTS_TSIM_ON_DEVICE_H
#define TESTS_TSIM_ON_DEVICE_H

#include "device/random_program.h"
#include "tsim/recorded.h"

static inline void write_insns(vta_device *device, const vta_config *config, const vta_insn *insns, int count) {
    for (int i = 0; i < count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        must(vta_insn_encode(config, &insns[i], NULL, bytes), NULL, "encode");
        must(vta_device_write(device, RP_BASE + 16 * (uint32_t)i, bytes, sizeof bytes, NULL), NULL, "write");
    }
}

static inline void write_program(vta_device *device, const random_program *p) {
    must(vta_device_alloc_at(device, RP_BASE, RP_BYTES, NULL), NULL, "map");
    must(vta_device_write(device, RP_BASE, p->before, RP_BYTES, NULL), NULL, "write");
    write_insns(device, p->config, p->insns, p->count);
}

#endif
