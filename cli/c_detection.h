/* Networks that find things in pictures: what `vta detect` and `vta eval` on boxes share. */
#ifndef CLI_C_DETECTION_H
#define CLI_C_DETECTION_H

#include "c_network.h"
#include "labels.h"
#include "vta/detect.h"

typedef struct cli_detection {
    cli_network *network;
    cli_pictures *pictures;
    const char *labels, *decoder, *score, *iou; /* as given; NULL: not */
    double usual_score, usual_iou;              /* where nothing says another one; 0: the decoder's */
    uint32_t max_boxes;                         /* 0: as many as the library takes */
    uint64_t threads;
    /* Of the model, after cli_detection_begin: */
    const char *model;
    cli_names names;
    vtac_graph *graph; /* where it is to be evaluated in floats */
    vta_model *artifact;
    vta_detector *detector;
    vta_boxes **boxes; /* of each picture of the run that goes on */
} cli_detection;

#define CLI_DECODER_OPTION(to)                                                                                         \
    {"decoder",                                                                                                        \
     0,                                                                                                                \
     CLI_TEXT,                                                                                                         \
     "NAME",                                                                                                           \
     "how outputs become boxes: yolox, yolov5, yolov8, nanodet, fastestdet, ssd, boxes (guessed)",                     \
     to}
#define CLI_DETECTION_OPTIONS(d)                                                                                       \
    CLI_DECODER_OPTION(&(d)->decoder),                                                                                 \
        {"score", 0, CLI_TEXT, "X", "lowest score of a box, 0 to 1 (else the decoder's)", &(d)->score}, {              \
        "iou", 0, CLI_TEXT, "X", "merge boxes of a class that overlap more than this; 1: keep all", &(d)->iou          \
    }

/* Settles settings and names, reads the model (in floats, or an artifact, or compiles it, with the pictures for samples
 * where there are no others), and makes its detector. Pair with cli_detection_end, also after an error. */
vta_status cli_detection_begin(cli_detection *d, const char *model, bool is_float, size_t count,
                               const char *const *paths);
void cli_detection_end(cli_detection *d);
/* The boxes of each picture, NULL where it could not be read; free them with cli_boxes_free. */
vta_status cli_detection_run(cli_detection *d, size_t count, const char *const *paths, vta_boxes ***out_boxes);
void cli_boxes_free(vta_boxes **boxes, size_t count);
/* The name of a class; NULL when there is none. */
const char *cli_detection_label(const cli_detection *d, int32_t class_id);
/* {"x0": ..., "y0": ..., "x1": ..., "y1": ..., "score": ..., "class": ..., "label": ...} */
json_t *cli_detection_json(const cli_detection *d, const vta_box *box);

/* A detector for the outputs of a graph, and the preprocessing of its decoder where nothing said another one. `names`
 * tells how many classes there may be. `sure`: what may be something else than a detector is none; *out_detector is
 * NULL then, without an error. */
vta_status cli_detector_of_graph(const vtac_graph *graph, const cli_detection *d, bool sure,
                                 vta_detector **out_detector);

#endif
