/* Scales of channels: what is known of the values that share them, and the scales that lose least. */
#ifndef VT_QUANT_EQUALIZE_H
#define VT_QUANT_EQUALIZE_H

#include "frontend/quant/priv.h"

/* A product that reads a value of a group, as a matrix: rows are its outputs, or some of them, columns the slots of the
 * group that an output reads. */
typedef struct vt_eq_reader {
    double share; /* what noise of a sum, over 1 / (12 * 127^2), is to all of the result's signal */
    int64_t rows, columns;
    const uint32_t *slots; /* of each column: of all rows, or of each (slots_row then is `columns`) */
    int64_t slots_row;
    const double *taps;       /* of each column: how many weights are in it */
    float *largest, *squares; /* of the weights of a row and column: the largest magnitude; the sum of squares */
    struct vt_eq_reader *next;
} vt_eq_reader;

/* Values whose channels share scales. Ranges, peaks and powers are relative to the range of each value's integers. */
typedef struct vt_eq_group {
    int64_t slots; /* scales; all arrays are by the slot */
    bool integers; /* a layer of integers reads or computes one of its values */
    bool refused;
    bool made;      /* a product computes one */
    bool limited;   /* a Clip ends where the integers do: no scale is larger than 1 */
    double loose;   /* what a step of others than products that read its values is to their signal */
    double *peaks;  /* the largest magnitude of a channel, with a margin where few elements were seen */
    double *powers; /* means of squares */
    double *floors; /* the finest scales that the weights before it allow */
    double *best;   /* the scales; NULL: 1 for all */
    vt_eq_reader *readers;
} vt_eq_group;

/* Sets `best` where that is worth it. */
void vt__choose_scales(vt_ctx *ctx, vt_eq_group *g);

#endif
