/* The priors of SSD: boxes from which its outputs are offsets. */
#ifndef VT_DETECT_PRIORS_H
#define VT_DETECT_PRIORS_H

#include "detect/detect.h"

enum { VT_PRIOR_LEVELS = 6, VT_PRIOR_SIZES = 3, VT_PRIOR_RATIOS = 2 };

/* The cells of one layer. A cell has a square of each size; then, where there are ratios, boxes of the first size that
 * are wider and narrower by each. */
typedef struct vt_prior_level {
    uint32_t cells;                /* in a row and a column; 0: as many as the stride gives */
    double stride;                 /* pixels of the input */
    double size[VT_PRIOR_SIZES];   /* in pixels; less than 0: the mean (of products) with the first; 0 ends them */
    double ratio[VT_PRIOR_RATIOS]; /* 0 ends them */
} vt_prior_level;

typedef struct vt_priors {
    bool of_faces; /* its one class is a face */
    uint32_t side; /* of the input; 0: any */
    uint32_t levels;
    vt_prior_level level[VT_PRIOR_LEVELS];
} vt_priors;

/* The set that has `rows` priors for such an input, or NULL. */
const vt_priors *vt__find_priors(uint32_t height, uint32_t width, uint32_t rows);
/* Calls `take` with each prior, in the order of the network's rows: centre and size as shares of the input, cut to 0
 * to 1. */
typedef void vt_take_prior(void *user, uint32_t row, double x, double y, double w, double h);
void vt__each_prior(const vt_priors *priors, uint32_t height, uint32_t width, vt_take_prior *take, void *user);

#endif
