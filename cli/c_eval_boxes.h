/* How good the boxes of a network are: against boxes in truth, or against those of the same network in floats. */
#ifndef CLI_C_EVAL_BOXES_H
#define CLI_C_EVAL_BOXES_H

#include "c_detection.h"
#include "picture_files.h"

typedef struct cli_eval_boxes {
    const cli_common *common;
    cli_detection detection;
    const char *boxes, *images; /* --boxes and --images */
    bool is_float;              /* the float model, too */
    bool against_float;
} cli_eval_boxes;

/* Mean average precision on the images that an annotation file names. */
vta_status cli_eval_precision(cli_eval_boxes *e, const char *model);
/* Which of the float model's boxes are found in these images, and how many others there are. */
vta_status cli_eval_against_float(cli_eval_boxes *e, const char *model, int count, char *const *images);

#endif
