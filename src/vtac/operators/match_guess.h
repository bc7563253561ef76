/* Guesses at which operator a computation is, and the proof of one: its own kernel file computes the same. */
#ifndef VT_OPS_MATCH_GUESS_H
#define VT_OPS_MATCH_GUESS_H

#include "operators/match.h"

/* What a computation reads, and what its first sum does: enough to guess by. */
typedef struct vt_match_clues {
    vt_match *m;
    const vt_tensor *t; /* whose element is looked at */
    const vt_expr *e;
    uint32_t args;
    const vt_tensor *arg[VT_MATCH_INPUTS];
    const vt_tensor *sum; /* the first that reduces; NULL: none */
    uint32_t visits;
    bool found;
    /* Another way to write the operator than its own kernel file; NULL: none. */
    void (*write)(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out);
} vt_match_clues;

/* Sizes of images in tiles, as attributes. */
typedef struct vt_match_image {
    long long batch, channels, h, w;
} vt_match_image;

/* One direction: how a window slides, as far as the first sum says it. */
typedef struct vt_match_direction {
    int64_t size, outs, stride, before, after, taps;
} vt_match_direction;

/* What an expression reads: its arguments and its first sum. */
void vt__match_look_into(vt_match_clues *c, const vt_expr *e);
/* Is it that operator with these attributes? Sets `found`, and what the match says. What cannot be such an operator in
 * this configuration is not one: only lack of memory ends the search. `skip`: in the form that leaves out what falls on
 * padding.
 */
vta_status vt__match_try(vt_match_clues *c, const char *name, bool skip, const char *fmt, ...) VTA_PRINTF(4, 5);
/* The same of windows that slide so. */
vta_status vt__match_try_window(vt_match_clues *c, const char *name, const vt_match_direction *y,
                                const vt_match_direction *x, const char *more);
/* Pooling as it is usually written: a reduction over the window. */
vta_status vt__match_reduced_window(vt_match_clues *c, const vt_match_direction *y, const vt_match_direction *x);
vt_match_image vt__match_image(const vt_match_clues *c, const vt_tensor *t);
/* Elements of a dimension before and after the source in the tensor that `load` reads, which is `from` or pads it. */
void vt__match_frame(const vt_expr *load, const vt_tensor *from, uint32_t at, vt_match_direction *d);

#endif
