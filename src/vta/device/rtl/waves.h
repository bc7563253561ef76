/* Waves of some cycles, of a part of the design, in a file that is bounded. */
#ifndef VT_DEVICE_RTL_WAVES_H
#define VT_DEVICE_RTL_WAVES_H

#include "base/diag.h"
#include "hardware/model.h"

enum { VT_WAVE_TEXT = 1024 };

typedef struct vt_waves {
    char path[VT_WAVE_TEXT], scope[VT_WAVE_TEXT]; /* "": none; all */
    uint64_t from, to, bytes;                     /* cycles [from, to) of the device's runs; 0: to the end, any size */
    uint64_t next;                                /* the cycle before which vt_waves_step is to be called */
    bool open;
    /* Of a file that is bounded: what it takes without a change, what is written, what the first block took, the cycles
     * of the next; and whether that is on its way. */
    uint64_t frame, written, least, cycles;
    bool flushed;
} vt_waves;

/* Takes the option `wave`: a file, and behind it " from=CYCLE", " to=CYCLE", " bytes=N", " scope=MODULE" in any order;
 * NULL: none. */
vta_status vt_waves_take(vt_waves *w, const char *text, vta_diag *diag);
/* Begins, continues or ends at a cycle. VTA_OUT_OF_RANGE: as vt_waves_end; VTA_IO: the file cannot be written;
 * VTA_NOT_FOUND: there is no such scope. */
vta_status vt_waves_step(vt_waves *w, const vt_model_functions *functions, void *model, uint64_t cycle, vta_diag *diag);
/* Closes the file, if one is open, and holds its bound. VTA_OUT_OF_RANGE: not a few cycles fit; no file is left. */
vta_status vt_waves_end(vt_waves *w, const vt_model_functions *functions, void *model, vta_diag *diag);

#endif
