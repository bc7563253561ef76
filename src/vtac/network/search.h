/* A search for the best network of integers: what its files share. */
#ifndef VT_NETWORK_SEARCH_H
#define VT_NETWORK_SEARCH_H

#include "network/handles.h"
#include "network/precise.h"
#include "vta/exec.h"

enum { VT__GROUPS_MAX = 32 };

typedef struct vt__found {
    double decibels;
    double
        shares[VT__GROUPS_MAX]; /* of groups of the samples that are measured: noise over signal at the worst output */
    uint64_t cycles;
    double seconds; /* of quantizing: what the end of the search takes again */
} vt__found;

typedef struct vt__trial vt__trial;
enum { VT__TRIALS_MAX = 16 };

typedef struct vt__searching {
    const vtac_calibration *calibration;
    vt__shared *shared;
    vtac_search_options search;
    const vta_config *config;
    vta_diag *diag;        /* the caller's */
    vta_diag *of_try;      /* of what is tried */
    size_t rounded;        /* samples for ranges and rounding; those behind them are measured, */
    size_t groups;         /* in so many groups: each alone where they are few */
    float **floats;        /* by sample and output: what the model gives; NULL: an output of other numbers */
    double begin, longest; /* seconds: when it began; what a try took at most */
    vtac_quantize_options best;
    vta_model *model;                       /* of the last try */
    const vt__trial *taken[VT__TRIALS_MAX]; /* in the order of the list */
    vt__found start, now;
    bool looked;            /* for single values of more than 8 bits: */
    vt_precise_steps steps; /* all of them, */
    size_t good;            /* and so many steps are worth their cycles */
    bool ends;
} vt__searching;

/* measure.c of the search: what the model gives for the samples that are measured; free it in any case. */
vta_status vt__search_open(vt__searching *s);
void vt__search_close(vt__searching *s);
/* Compiles and runs a network, which becomes s->model: decibels and cycles. `out_report`, when not NULL, is the
 * caller's to destroy. */
vta_status vt__search_measure(vt__searching *s, const vtac_quantized *q, vt__found *out,
                              vtac_compile_report **out_report);

#endif
