/* The configuration as the rest of the libraries reads it: all sizes derived once, when it is made. */
#ifndef VT_CONFIG_PRIV_H
#define VT_CONFIG_PRIV_H

#include <stdatomic.h>

#include "vta/config.h"

enum { VT_CONFIG_TIMING_BYTES = 1024 };

struct vta_config {
    int8_t field[VTA_CONFIG_FIELD_COUNT]; /* log2 values by vta_config_field */
    char target[32];
    char hw_version[32];
    char timing[VT_CONFIG_TIMING_BYTES]; /* as vta_config_timing */
    char bitstream[64];
    char model[96];
    char source[512]; /* where it came from, for messages */

    /* Derived. */
    uint32_t batch, block_in, block_out;
    uint32_t isa_version;
    uint32_t width[VTA_MEM_COUNT];        /* bits of a scalar */
    uint32_t elem_bytes[VTA_MEM_COUNT];   /* bytes of an element in DRAM */
    uint32_t buffer_bytes[VTA_MEM_COUNT]; /* bytes on chip */
    uint32_t depth[VTA_MEM_COUNT];        /* elements on chip */
    uint8_t log_depth[VTA_MEM_COUNT];     /* bits of an index: U, W, I, A (docs/spec.md, section 1) */

    atomic_uint references;
};

#endif
