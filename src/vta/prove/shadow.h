/* DRAM in values: one cell for each piece of memory as wide as the narrowest scalar. A scalar that is wider takes
 * several cells, and is read back only as it was written; any other reading is a random function of what is there. */
#ifndef VT_PROVE_SHADOW_H
#define VT_PROVE_SHADOW_H

#include "prove/field.h"

typedef struct vt_shadow_region {
    uint64_t addr, bytes;
    size_t first; /* its cells */
} vt_shadow_region;

typedef struct vt_shadow {
    const vta_allocator *allocator;
    vta_field *field;
    uint64_t stale;            /* chooses what unwritten cells hold */
    uint32_t cell_bits;        /* 4, 8, 16 or 32 */
    vt_shadow_region *regions; /* by address, none overlap */
    size_t count, cap;
    vta_value *values;
    uint8_t *tags; /* cells of the scalar x 16 + place in it; 0: nothing was written; 255: recorded bits */
    bool has_constants;
    uint8_t *data; /* 1: of an argument, or written by an instruction */
    size_t cells;
} vt_shadow;

void vt_shadow_init(vt_shadow *s, const vta_allocator *allocator, vta_field *field, uint32_t cell_bits, uint64_t stale);
void vt_shadow_clear(vt_shadow *s);
/* Makes [addr, addr + bytes) part of it; what is there stays. Only before vt_shadow_ready. */
vta_status vt_shadow_add(vt_shadow *s, uint64_t addr, uint64_t bytes, vta_diag *diag);
vta_status vt_shadow_ready(vt_shadow *s, vta_diag *diag);

/* `count` scalars of `bits` bits from `addr` on; all of the memory must be part of it, else false. */
bool vt_shadow_read(const vt_shadow *s, uint64_t addr, uint32_t bits, size_t count, vta_value *to);
bool vt_shadow_write(vt_shadow *s, uint64_t addr, uint32_t bits, size_t count, const vta_value *from);
/* The recorded bytes of a piece of memory, as constants in whatever width they are read. */
bool vt_shadow_set_constants(vt_shadow *s, uint64_t addr, uint64_t bytes, const uint8_t *from, size_t known);
/* Someone else has written there: new variables in each cell, others for each `when`. */
bool vt_shadow_forget(vt_shadow *s, uint64_t addr, uint64_t bytes, uint32_t when);
/* Are some of these bytes such constants? */
bool vt_shadow_is_constant(const vt_shadow *s, uint64_t addr, uint64_t bytes);
/* Memory that instructions write, or that arguments take, holds data: its recorded bytes say nothing. */
bool vt_shadow_set_data(vt_shadow *s, uint64_t addr, uint64_t bytes);
/* Are some of these bytes data? */
bool vt_shadow_is_data(const vt_shadow *s, uint64_t addr, uint64_t bytes);

#endif
