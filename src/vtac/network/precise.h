/* Which single values are worth more than 8 bits. */
#ifndef VT_NETWORK_PRECISE_H
#define VT_NETWORK_PRECISE_H

#include "frontend/quant/blame.h"
#include "vta/compile.h"

/* One more choice: more bits for what it names, as vtac_quantize_options.precise takes them ("VALUE:fine"). */
typedef struct vt_precise_step {
    size_t name_count; /* of all names: its and those of the steps before it */
    double noise;      /* of all layers with it and those before it, by what was measured */
    double cycles;     /* more than without any, with it and those before it, estimated */
} vt_precise_step;

typedef struct vt_precise_steps {
    vt_precise_step *item; /* what takes away most noise for a cycle comes first */
    size_t count;
    const char **names;
} vt_precise_steps;

/* In the network's arena. `blames` of the network without more bits, `report` of its artifact, measured. */
vt_precise_steps vt__precise_steps(const vt_qnet *net, const vt_qblame *blames, const vtac_compile_report *report);

/* By the tensor's index: which may have results of 16 bits, which parts by themselves. */
void vt__precise_may(const vt_qnet *net, const vt_qblame *blames, bool *out_wide, bool *out_parts);

#endif
