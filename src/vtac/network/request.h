/* What a layer asks of the accelerator: an operator, its attributes and its epilogue. */
#ifndef VT_NETWORK_REQUEST_H
#define VT_NETWORK_REQUEST_H

#include "network/priv.h"

/* A layer as a convolution: what it is, or a map as one of single channels. */
typedef struct vt__as_conv {
    int64_t channels, height, width; /* of the input */
    vt_qwindow window;
    int64_t group;
    const int8_t *weight; /* O, I / group, H, W */
    uint32_t first;       /* step of the epilogue */
    bool gathered;        /* the host gathers the taps; also of a layer that is none */
    bool one;             /* image; else as many as the input has */
    bool looks_up;        /* its limits are a table; also of a layer that is none */
} vt__as_conv;

/* What a layer asks for. */
typedef struct vt__asked {
    vt_op_request *request; /* NULL: nothing */
    const char *why;        /* nothing, or the accelerator refuses it */
    vt__as_conv conv;
} vt__asked;

/* `high`: of integers of 16 bits, the high bytes. `gather`: the host gathers the taps. `look_up`: limits are a table
 * where that takes fewer cycles. */
vt__asked vt__request_of(const vt__net *n, const vt_qlayer *l, vt__along along, bool high, bool gather, bool look_up);
/* The table that is the last step of the layer's epilogue; NULL: none. */
const vt_qlayer *vt__last_table(const vt_qlayer *l, vt__along along);
/* Of an operator that stores a tensor as it is. */
vt_op_request *vt__copy_request(const vt__net *n, const vt_qtensor *t);
/* What the epilogue reads, in the order of an operator's arguments: vectors, digits, tensors. */
void vt__give_steps(vt__net *n, const vt_qlayer *l, vt__args *a);

#endif
