/* Boxes from the outputs of detectors (docs/detect.md): decoders, suppression, drawing, and how good boxes are.
 *
 *     vta_detector *detector;
 *     vta_boxes *boxes;
 *     vta_placement placed = {.size = sizeof placed};
 *     vta_detector_create(NULL, 416, 416, &output, 1, NULL, diag, &detector);         // guesses from the shapes
 *     vta_preprocess_place(&how, vta_image_width(image), vta_image_height(image), 416, 416, diag, &placed);
 *     vta_detector_run(detector, (const void *[]){data}, &placed, diag, &boxes);
 *     const vta_box *surest = vta_boxes_get(boxes, 0);    // NULL: there is none
 *
 * A vta_detector is read by any number of threads at once; different vta_boxes are independent. */
#ifndef VTA_DETECT_H
#define VTA_DETECT_H

#include <stdbool.h>

#include <dlpack/dlpack.h>

#include "vta/image.h"

VTA_BEGIN

/* ---- Decoders --------------------------------------------------------------------------------------------------- */

/* How outputs become boxes; vta/decoder.def says what each takes. */
typedef enum vta_decoder {
    VTA_DECODER_GUESS = 0, /* by the shapes of the outputs */
#define VTA_DECODER(NAME, name, preset, score, iou, text) VTA_DECODER_##NAME,
#include "vta/decoder.def"
#undef VTA_DECODER
} vta_decoder;

/* "yolox"; NULL for VTA_DECODER_GUESS and for what is no decoder. Static storage. */
VTA_API const char *vta_decoder_name(vta_decoder decoder);
/* What outputs it takes, in one line; NULL as above. */
VTA_API const char *vta_decoder_text(vta_decoder decoder);
/* The preprocessing that its networks are trained with as a rule, a name for vta_preprocess_preset; NULL as above. */
VTA_API const char *vta_decoder_preset(vta_decoder decoder);
/* The decoder of a name. VTA_NOT_FOUND, with the one that may be meant. */
VTA_API vta_status vta_decoder_find(const char *name, vta_diag *diag, vta_decoder *out_decoder);

/* ---- Boxes ------------------------------------------------------------------------------------------------------- */

/* A box in pixels of the picture: from (x0, y0), the left upper corner of the picture being (0, 0), to (x1, y1). */
typedef struct vta_box {
    float x0, y0, x1, y1;
    float score;      /* 0 to 1 */
    int32_t class_id; /* from 0; a background class is not counted */
} vta_box;

/* A list of boxes, the highest score first. Free with vta_boxes_destroy. */
typedef struct vta_boxes vta_boxes;
VTA_API size_t vta_boxes_count(const vta_boxes *boxes);
/* NULL past the last. Belongs to the list. */
VTA_API const vta_box *vta_boxes_get(const vta_boxes *boxes, size_t index);
VTA_API void vta_boxes_destroy(vta_boxes *boxes);

/* The area that two boxes share over that which they cover together: 0 to 1. */
VTA_API double vta_box_iou(const vta_box *a, const vta_box *b);
/* Non-maximum suppression: of the boxes, which are put in order of their scores (equal ones stay as they were), those
 * are kept that have an IoU of at most `iou` with each box of the same class that was kept before, and no more than
 * `max_boxes` of them (0: all). *out_count says how many; they are the first ones then. */
VTA_API vta_status vta_boxes_suppress(vta_box *boxes, size_t count, double iou, size_t max_boxes,
                                      const vta_allocator *allocator, vta_diag *diag, size_t *out_count);

/* ---- Detectors --------------------------------------------------------------------------------------------------- */

/* An output of a network. */
typedef struct vta_detect_tensor {
    const char *name; /* NULL: none */
    DLDataType type;  /* float32; integers of 32 or 64 bits for classes and counts */
    int32_t ndim;
    const int64_t *shape;
} vta_detect_tensor;

typedef struct vta_detector_options {
    size_t size; /* of this struct, or 0 */
    vta_decoder decoder;
    uint32_t class_count; /* of the names that the caller has; 0: not known. It decides between guesses */
    double score;         /* boxes of less are left out; 0: the decoder's, as in vta/decoder.def */
    double iou;           /* for vta_boxes_suppress; 0: the decoder's; 1: nothing is suppressed */
    uint32_t max_boxes;   /* of a picture; 0: 300 */
} vta_detector_options;

typedef struct vta_detector vta_detector;

/* A decoder for the outputs of a network whose input is height x width pixels. `options` may be NULL.
 * VTA_UNSUPPORTED, with the shapes and what the decoders take: the outputs are not those of the decoder, or of none.
 * Nothing of the outputs has to outlive the call. Free with vta_detector_destroy. */
VTA_API vta_status vta_detector_create(const vta_detector_options *options, uint32_t height, uint32_t width,
                                       const vta_detect_tensor *outputs, size_t count, const vta_allocator *allocator,
                                       vta_diag *diag, vta_detector **out_detector);
VTA_API void vta_detector_destroy(vta_detector *detector);
/* Which it is, also when it was guessed. */
VTA_API vta_decoder vta_detector_decoder(const vta_detector *detector);
/* How many classes its boxes may have; 0: the outputs do not say. */
VTA_API size_t vta_detector_class_count(const vta_detector *detector);
/* The name that such networks give a class as a rule: of 80 classes COCO's, of the priors for faces "face"; else NULL.
 * Static storage. */
VTA_API const char *vta_detector_class_name(const vta_detector *detector, int32_t class_id);

/* The boxes of one picture. `outputs`: the data of each, compact; `placed`: where the picture is in the input. Boxes
 * end at the borders of the picture; numbers that are not finite make none. Free with vta_boxes_destroy. */
VTA_API vta_status vta_detector_run(const vta_detector *detector, const void *const *outputs,
                                    const vta_placement *placed, vta_diag *diag, vta_boxes **out_boxes);

/* Name of class `index` of COCO's 80; NULL past the last. Static storage. */
VTA_API const char *vta_coco_name(size_t index);
/* The number of that category in COCO's annotations, 1 to 90; 0 past the last. */
VTA_API int64_t vta_coco_category(size_t index);

/* Draws a frame, and its text where that is not NULL, into the picture. The colour follows from the class. Characters
 * other than those of ASCII become '?'. */
VTA_API vta_status vta_box_draw(vta_image *image, const vta_box *box, const char *text, vta_diag *diag);

/* ---- How good boxes are ------------------------------------------------------------------------------------------ */

/* A box that is in a picture in truth, or was found there. */
typedef struct vta_marked_box {
    uint64_t picture; /* its number */
    vta_box box;
    bool crowd; /* in truth: many things of the class, which are neither to be found nor found wrongly */
} vta_marked_box;

typedef struct vta_average_precision {
    size_t size;       /* of this struct, or 0 */
    double at_50;      /* mean over the classes at an IoU of 0.5, 0 to 1; -1 where there is no box in truth */
    double at_50_95;   /* the mean over IoUs of 0.5, 0.55, ... 0.95 too */
    size_t classes;    /* that have a box in truth */
    size_t true_boxes; /* without crowds */
} vta_average_precision;

/* Mean average precision as COCO defines it: at most 100 boxes of a class and picture, 101 points of recall. Boxes of
 * classes outside of 0 to class_count - 1 are refused (VTA_OUT_OF_RANGE). `by_class`, when not NULL, gets two numbers
 * for each class, at 0.5 and at 0.5:0.95; -1 where it has no box in truth. */
VTA_API vta_status vta_boxes_evaluate(const vta_marked_box *truth, size_t truth_count, const vta_marked_box *found,
                                      size_t found_count, size_t class_count, const vta_allocator *allocator,
                                      vta_diag *diag, double *by_class, vta_average_precision *out_precision);

/* Which boxes of one list are in another one: `found`, in the order of their scores, each take the box of the same
 * class among `wanted` that is not taken yet with which they have the highest IoU, if that is at least `iou`. taken[i]
 * is the index of the box that has wanted[i], or -1. */
VTA_API vta_status vta_boxes_match(const vta_boxes *wanted, const vta_boxes *found, double iou, vta_diag *diag,
                                   int64_t *taken);

/* ---- Annotations --------------------------------------------------------------------------------------------------
 */

/* Pictures and their boxes from a JSON file as COCO's: "images" (id, file_name), "categories" (id, name), "annotations"
 * (image_id, category_id, bbox as [x, y, width, height], iscrowd). What it gives belongs to it. */
typedef struct vta_annotations vta_annotations;

/* VTA_NOT_FOUND, VTA_IO, VTA_PARSE with what is wrong and where. Free with vta_annotations_destroy. */
VTA_API vta_status vta_annotations_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                        vta_annotations **out_annotations);
/* The same from memory; `name` stands for the file in messages. */
VTA_API vta_status vta_annotations_parse(const void *bytes, size_t size, const char *name,
                                         const vta_allocator *allocator, vta_diag *diag,
                                         vta_annotations **out_annotations);
VTA_API void vta_annotations_destroy(vta_annotations *annotations);
VTA_API size_t vta_annotations_picture_count(const vta_annotations *annotations);
/* The file of a picture; NULL past the last. */
VTA_API const char *vta_annotations_picture(const vta_annotations *annotations, size_t index);
/* Categories in the order of their numbers. */
VTA_API size_t vta_annotations_category_count(const vta_annotations *annotations);
/* NULL past the last. */
VTA_API const char *vta_annotations_category(const vta_annotations *annotations, size_t index);
/* The number of a category in the file; 0 past the last. */
VTA_API int64_t vta_annotations_category_id(const vta_annotations *annotations, size_t index);
/* All boxes: `picture` and `class_id` are places in the lists of pictures and categories, scores are 1. */
VTA_API const vta_marked_box *vta_annotations_boxes(const vta_annotations *annotations, size_t *out_count);

VTA_END

#endif
