/* What a Verilated model offers: one table of functions, and pointers to its ports. The model's side is
 * hardware/model/vta_model.cpp, compiled with what Verilator makes; ours loads the shared object. Nothing else is
 * shared.
 *
 * A cycle: set inputs, settle, read outputs (they depend on the inputs of the same cycle), edge. */
#ifndef VT_HARDWARE_MODEL_H
#define VT_HARDWARE_MODEL_H

#include <stdint.h>

enum { VT_MODEL_VERSION = 2 };
#define VT_MODEL_SYMBOL "vt_hardware_model"

/* Ports of vta_top, named as there. Wide ones are little-endian bytes. */
typedef struct vt_model_ports {
    uint8_t *rst_n;
    uint8_t *s_awvalid, *s_awaddr, *s_wvalid, *s_arvalid, *s_araddr; /* in */
    uint32_t *s_wdata;                                               /* in */
    const uint8_t *s_awready, *s_rvalid;                             /* out */
    const uint32_t *s_rdata;                                         /* out */
    uint8_t *s_bready, *s_rready;                                    /* in */
    const uint8_t *arvalid, *arid, *arlen;                           /* out */
    const uint32_t *araddr;                                          /* out */
    uint8_t *arready, *rvalid, *rid, *rresp, *rlast;                 /* in */
    uint8_t *rdata;                                                  /* in, bus_bits / 8 bytes */
    const uint8_t *rready;                                           /* out */
    const uint8_t *awvalid, *awlen;                                  /* out */
    const uint32_t *awaddr;                                          /* out */
    const uint8_t *wvalid, *wlast, *wdata, *wstrb;                   /* out */
    uint8_t *awready, *wready, *bvalid, *bresp;                      /* in */
    const uint8_t *bready;                                           /* out */
    const uint8_t *finished;                                         /* out */
} vt_model_ports;

typedef struct vt_model_functions {
    uint32_t version;  /* VT_MODEL_VERSION */
    uint32_t bus_bits; /* of the design */
    uint32_t can_wave; /* built to write waves */
    /* NULL when out of memory. `seed`: of the random contents that a model built for it starts with. */
    void *(*create)(vt_model_ports *out_ports, uint64_t seed);
    void (*destroy)(void *model);
    void (*settle)(void *model);
    void (*edge)(void *model);
    /* Waves of the cycles from here on into a file, up to a call with NULL: of the module "u_load" and those in it, or
     * of all (NULL). 0: could not, or was not built for it. */
    int (*wave)(void *model, const char *path, const char *scope);
    /* Writes the waves that wait in memory. */
    void (*flush)(void *model);
    /* Adds what was covered to a file. 0: was not built for it. */
    int (*coverage)(void *model, const char *path);
} vt_model_functions;

#endif
