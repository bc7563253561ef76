/* Pictures as inputs of networks: options, the settings beside a model, and reading a picture by them. */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include "cli.h"
#include "vta/detect.h"

typedef struct cli_pictures {
    const char *preset, *scale, *mean, *std, *layout_word, *label_offset_text, *fit; /* as given; NULL: not */
    uint64_t resize, crop;
    bool bgr;
    vta_preprocess how; /* what follows from all, after cli_pictures_settle */
    vta_layout layout;
    bool layout_given;
    int64_t label_offset; /* the network's number of a class, less that of the labels */
    char *labels;         /* a file of names that the settings beside the model name; free() it */
    /* Of detectors: how the settings say that outputs become boxes. */
    vta_decoder decoder;
    double score, iou;     /* 0: the decoder's */
    bool is_said;          /* an option, the artifact or a file says how pictures become inputs, */
    bool is_known;         /* and what their numbers are: a preset, a scale, a mean or a deviation */
    const char *likely;    /* a preset that the model hints at; NULL: none */
    const char *model;     /* that the settings are for */
    vta_placement *placed; /* by the picture's number, where it is in the input; NULL: nobody asks */
    /* By the picture's number, what was wrong with those that could not be read: they do not end the command. NULL: the
     * first does. Texts are of malloc. */
    char **broken;
} cli_pictures;

#define CLI_PICTURE_OPTIONS(p)                                                                                         \
    {"preset",                                                                                                         \
     0,                                                                                                                \
     CLI_TEXT,                                                                                                         \
     "NAME",                                                                                                           \
     "preprocessing by name: imagenet, cifar10, signed, unit, raw; yolox, yolo, nanodet, fastestdet, ssd",             \
     &(p)->preset},                                                                                                    \
        {"resize", 0, CLI_NUMBER, "PIXELS", "resize the shorter side to this, before cropping", &(p)->resize},         \
        {"crop", 0, CLI_NUMBER, "PIXELS", "cut a square of this size out of the middle", &(p)->crop},                  \
        {"scale", 0, CLI_TEXT, "X", "multiply values of 0 to 255 by this number, such as 1/255", &(p)->scale},         \
        {"mean",                                                                                                       \
         0,                                                                                                            \
         CLI_TEXT,                                                                                                     \
         "R,G,B",                                                                                                      \
         "subtract this from each channel, after scaling; one number: the same for all",                               \
         &(p)->mean},                                                                                                  \
        {"std", 0, CLI_TEXT, "R,G,B", "then divide each channel by this; one number: the same for all", &(p)->std},    \
        {"fit",                                                                                                        \
         0,                                                                                                            \
         CLI_TEXT,                                                                                                     \
         "stretch|corner|center",                                                                                      \
         "how pictures of other proportions fit: stretched, or with a border, at the top left or in the middle",       \
         &(p)->fit},                                                                                                   \
        {"bgr", 0, CLI_FLAG, NULL, "channels in the order blue, green, red", &(p)->bgr},                               \
        {"layout", 0, CLI_TEXT, "NCHW|NHWC", "axes of the input (else by its extents)", &(p)->layout_word}, {          \
        "label-offset", 0, CLI_TEXT, "N", "the network's class numbers are those of the labels plus N",                \
            &(p)->label_offset_text                                                                                    \
    }

/* The sections of an artifact that hold the settings, and the names of classes (labels.h). */
#define CLI_PICTURE_SECTION "picture"
#define CLI_LABELS_SECTION "labels"
/* What was settled, as it stands beside a model. */
json_t *cli_pictures_json(const cli_pictures *p);

/* Settles `how`: what an artifact holds, then what stands beside the model (MODEL without its ending, then
 * .picture.json), changed by the options.
 */
vta_status cli_pictures_settle(cli_pictures *p, const char *model);
/* After that, for a network of this decoder: its preprocessing where nothing said another one, changed by the options.
 */
vta_status cli_pictures_use_decoder(cli_pictures *p, vta_decoder decoder);
/* Settings as JSON text, which the model itself holds; the options once more, after that. */
vta_status cli_pictures_take(cli_pictures *p, const char *text);
vta_status cli_pictures_apply(cli_pictures *p);
/* One number or three, with commas; `what` they are, for messages. */
vta_status cli_pictures_triple(const char *what, const char *text, double out[3]);
/* Refuses pictures for an input of that shape where nothing says what their numbers are; with the preset that is likely
 * for so many classes (0: not known). */
vta_status cli_pictures_need(const cli_pictures *p, const int64_t shape[4], size_t classes);
/* Axes, height and width of an input of that shape. */
vta_layout cli_pictures_layout(const cli_pictures *p, const int64_t shape[4]);
void cli_pictures_size(const cli_pictures *p, const int64_t shape[4], uint32_t *out_height, uint32_t *out_width);
/* Reads a picture for an input of that shape (1, C, H, W, or 1, H, W, C); any thread, with a list of errors of its own.
 */
vta_status cli_picture_read(const cli_pictures *p, const char *path, const int64_t shape[4], vta_diag *diag,
                            float *out);
/* Picture `index` of many. Where broken pictures are noted it is, and zeros stand for it. */
vta_status cli_picture_read_one(const cli_pictures *p, size_t index, const char *path, const int64_t shape[4],
                                vta_diag *diag, float *out);
static inline bool cli_picture_is_broken(const cli_pictures *p, size_t index) { return p->broken && p->broken[index]; }

#endif
