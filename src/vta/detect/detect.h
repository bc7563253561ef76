/* What the files of this folder share: outputs, the forms that decoders take, and boxes on their way. */
#ifndef VT_DETECT_DETECT_H
#define VT_DETECT_DETECT_H

#include "base/diag.h"
#include "vta/detect.h"

enum { VT_DETECT_RANK = 5, VT_DETECT_OUTPUTS = 8, VT_DETECT_STRIDES = 5 };

/* An output: its axes without the leading one of the batch, which is 1, and without names that nobody has. */
typedef struct vt_output {
    char name[64]; /* in small letters, cut off */
    DLDataType type;
    int32_t ndim;
    uint32_t shape[VT_DETECT_RANK];
    bool is_float;
} vt_output;

typedef struct vt_outputs {
    uint32_t height, width; /* of the input */
    uint32_t class_count;   /* of names; 0: not known */
    bool guess;             /* only forms that are nothing else */
    size_t count;
    vt_output item[VT_DETECT_OUTPUTS];
} vt_outputs;

/* Cells of all strides, one stride after the other, rows from the top. */
typedef struct vt_grid {
    uint32_t count, stride[VT_DETECT_STRIDES];
} vt_grid;

/* How a decoder takes outputs. What fields mean depends on the decoder. */
typedef struct vt_form {
    uint32_t classes;                 /* 0: the outputs do not say */
    uint32_t rows, columns;           /* of the first output of that role */
    uint32_t bins;                    /* of a distribution; 0: there is none */
    uint32_t role[VT_DETECT_OUTPUTS]; /* which output is what */
    bool is_column_major, is_map, is_end_to_end, is_yx;
    const struct vt_priors *priors;
    vt_grid grid;
} vt_form;

/* Candidates in pixels of the input, before suppression. */
typedef struct vt_candidates {
    const vta_allocator *allocator;
    vta_box *item;
    size_t count, cap;
    double score; /* less is left out */
    bool failed;  /* no memory */
} vt_candidates;

/* Adds a box by its corners, or by its centre and size. Numbers that are not finite, and boxes without area, are left
 * out. */
void vt__add_corners(vt_candidates *to, double x0, double y0, double x1, double y1, double score, size_t class_id);
void vt__add_centre(vt_candidates *to, double x, double y, double w, double h, double score, size_t class_id);

/* A decoder: whether outputs have its form, and what candidates are in their data. */
typedef struct vt_decoder {
    bool (*fits)(const vt_outputs *outputs, vt_form *out_form);
    void (*decode)(const vta_detector *d, const void *const *data, vt_candidates *to);
} vt_decoder;

struct vta_detector {
    const vta_allocator *allocator;
    vta_decoder decoder;
    double score, iou;
    uint32_t max_boxes;
    vt_outputs outputs;
    vt_form form;
};

struct vta_boxes {
    const vta_allocator *allocator;
    size_t count, cap;
    vta_box item[];
};

#define VTA_DECODER(NAME, name, preset, score, iou, text)                                                              \
    bool vt__fits_##NAME(const vt_outputs *outputs, vt_form *out_form);                                                \
    void vt__decode_##NAME(const vta_detector *d, const void *const *data, vt_candidates *to);
#include "vta/decoder.def"
#undef VTA_DECODER

/* Is it a table of rows and columns: 1 x rows x columns, or rows x columns? */
bool vt__is_table(const vt_output *o);
/* The strides whose cells are `rows`, with `per_cell` rows each. */
bool vt__find_grid(const vt_outputs *o, uint32_t rows, uint32_t per_cell, vt_grid *out);
/* Cells in a row, and rows of cells, of a stride. */
static inline uint32_t vt__cells(uint32_t side, uint32_t stride) { return (side + stride - 1) / stride; }

/* The index of the largest of `count` numbers that lie `by` numbers apart. */
size_t vt__largest(const float *scores, size_t count, size_t by);
double vt__sigmoid(double x);
/* The mean of 0, 1, ... with the softmax of `bins` logits, which lie `by` numbers apart. */
double vt__distribution_mean(const float *logits, size_t bins, size_t by);

#endif
