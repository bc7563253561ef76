/* A model that runs: the shared object, its memory, and its registers, which are reached over the bus as on a board. */
#ifndef VT_DEVICE_RTL_MODEL_H
#define VT_DEVICE_RTL_MODEL_H

#include "base/diag.h"
#include "device/rtl/memory.h"

/* Byte offsets of the registers. */
enum {
#define VTA_REGISTER(name, offset, meaning) VT_REG_##name = offset,
#include "vta/register.def"
#undef VTA_REGISTER
};

typedef struct vt_rtl_model {
    void *library; /* of dlopen */
    const vt_model_functions *functions;
    void *model;
    vt_axi axi;
} vt_rtl_model;

/* Opens the model at `path`; its memory is `dram`. Afterwards it is reset. On failure nothing is left to close. */
vta_status vt_rtl_open(vt_rtl_model *m, const char *path, vt_dram *dram, uint64_t seed, vta_diag *diag);
void vt_rtl_close(vt_rtl_model *m);
/* Nothing is under way afterwards, on chip and in memory. */
void vt_rtl_reset(vt_rtl_model *m);
void vt_rtl_cycle(vt_rtl_model *m);
uint32_t vt_rtl_get(vt_rtl_model *m, uint32_t offset);
void vt_rtl_set(vt_rtl_model *m, uint32_t offset, uint32_t value);

#endif
