/* Networks as commands take them: an ONNX model, which is calibrated, quantized and compiled on the way, or an
 * artifact. */
#ifndef CLI_C_NETWORK_H
#define CLI_C_NETWORK_H

#include "c_float.h"
#include "model.h"
#include "vta/compile.h"

typedef struct cli_network {
    const cli_common *common; /* its configuration */
    cli_graph of_graph;
    const char *percentile, *driver;
    cli_list calibrate, precise;
    uint64_t samples, result_bits;
    uint64_t weight_bits; /* --weights; 0: 8 */
    unsigned range;       /* a vtac_range_method */
    unsigned requantize;  /* a vtac_requantize */
    unsigned rounding;    /* a vtac_rounding */
    bool processor_only, keep_bias, equalize, report;
    struct cli_search *search;    /* of vta compile; NULL: none */
    bool some_fit;                /* files of samples are of several shapes: those that fit are taken */
    bool any_samples;             /* random numbers will do where there are no samples */
    cli_pictures *pictures;       /* for cli_network_use: how pictures become inputs, */
    const cli_list *inputs;       /* and inputs as the command was given them: samples where there are no others */
    bool tells_cycles;            /* the command does: what times them is asked for also of an artifact */
    struct cli_cost *cost;        /* where the cost of a picture is written; NULL: it is not asked for */
    cli_list machine;             /* -mtriple=T and its like: of vta compile */
    const vtac_section *sections; /* for the artifact; NULL: none */
    size_t section_count;
    bool use_up; /* the quantized network is compiled for the last time */
    /* Called with a model that was read, before it is calibrated, when not NULL: what pictures become may follow from
     * it.
     */
    vta_status (*loaded)(void *user, const vtac_graph *graph);
    void *user;
} cli_network;

/* What the accelerator does for one picture, and how long that takes. */
typedef struct cli_cost {
    vta_counters counters;
    uint64_t cycles; /* by the timing model, whatever the device is */
    double seconds;  /* of this machine, for the quickest picture */
} cli_cost;

#define CLI_NETWORK_OPTIONS(n)                                                                                          \
    {"calibrate",                                                                                                       \
     0,                                                                                                                 \
     CLI_LIST,                                                                                                          \
     "DIR|[NAME=]FILE.npy",                                                                                             \
     "samples: pictures; tensors, a file for each input; or tokens (.jsonl)",                                           \
     &(n)->calibrate},                                                                                                  \
        {"samples", 0, CLI_NUMBER, "N", "how many of them are taken, at most (16)", &(n)->samples},                     \
        {"range",                                                                                                       \
         0,                                                                                                             \
         CLI_CHOICE,                                                                                                    \
         "percentile|max|kl|squares|output",                                                                            \
         "how the range of the integers is chosen from the values seen",                                                \
         &(n)->range},                                                                                                  \
        {"percentile",    0, CLI_TEXT, "P", "for --range percentile: the share of the values that is covered (99.99)",  \
         &(n)->percentile},                                                                                             \
        {"requantize", 0, CLI_CHOICE, "auto|shift|multiply", "how sums become integers", &(n)->requantize},             \
        {"result-bits", 0, CLI_NUMBER, "8|16", "bits of scores (16; 8 for large products)", &(n)->result_bits},         \
        {"weights", 0, CLI_NUMBER, "4|8", "bits of weights (8)", &(n)->weight_bits},                                    \
        {"keep-bias", 0, CLI_FLAG, NULL, "do not correct biases for rounded weights", &(n)->keep_bias},                 \
        {"equalize", 0, CLI_FLAG, NULL, "a scale for each channel between products, where that helps", &(n)->equalize}, \
        {"rounding",                                                                                                    \
         0,                                                                                                             \
         CLI_CHOICE,                                                                                                    \
         "nearest|adaptive",                                                                                            \
         "how weights are rounded; adaptive: so that errors cancel on the samples",                                     \
         &(n)->rounding},                                                                                               \
        {"precise",    0, CLI_LIST, "VALUE|all", "more than 8 bits for this value; VALUE:wide|fine|coarse says how",    \
         &(n)->precise},                                                                                                \
    {                                                                                                                   \
        "processor-only", 0, CLI_FLAG, NULL, "the same integers, without the accelerator", &(n)->processor_only         \
    }

/* How cli_model_load (model.h) compiles ONNX models from here on. Where neither samples nor inputs are given, ranges
 * come from random numbers: good for timing, and the tool says so. */
void cli_network_use(const cli_network *n);
/* c_samples.c: observes samples of the model at `path`: those of --calibrate, else the pictures given here, else
 * n->inputs. */
vta_status cli_calibrate(const cli_network *n, const char *path, const vtac_graph *graph, vtac_calibration *calibration,
                         const cli_pictures *how, size_t count, const char *const *paths);
/* With --verbose: what was done since the last call, and the time since then; NULL: begins. */
void cli_stage(const char *name);
#define CLI_STAGES_OPTION {"verbose", 0, CLI_FLAG, NULL, "print the time and the memory of each part", cli_verbose()}

/* An ONNX model in floats and quantized; samples as below. Both are to be destroyed, also after an error. */
vta_status cli_network_quantize(const cli_network *n, const char *path, cli_pictures *how, size_t count,
                                const char *const *paths, vtac_graph **out_graph, vtac_quantized **out_quantized);
/* The first given option of those that say how a model is compiled, which an artifact cannot be given; NULL: none. */
const char *cli_network_option(const cli_network *n);
/* The option given that says which accelerator it is compiled for or timed by, as "--bus"; NULL: none. A network in
 * floats has no use for one. */
const char *cli_hardware_option(const cli_common *common);
/* The artifact of it. */
vta_status cli_network_build(const cli_network *n, const vtac_quantized *q, uint8_t **out_bytes, size_t *out_size,
                             vtac_compile_report **report);
/* Compiles an ONNX model to an artifact, of several shapes where the options ask for them; the report is that of the
 * first. Samples are those of --calibrate, else the pictures given here. The bytes
 * are freed with vta_string_free, the report, when asked for, with vtac_compile_report_destroy. */
vta_status cli_network_compile(const cli_network *n, const char *path, cli_pictures *how, size_t count,
                               const char *const *paths, uint8_t **out_bytes, size_t *out_size,
                               vtac_compile_report **out_report);
/* Compiles or loads, as the file is. Free with vta_model_release. */
vta_status cli_network_open(const cli_network *n, const char *path, cli_pictures *how, size_t count,
                            const char *const *paths, vta_model **out_model);
/* Answers for each picture, on several instances at once (threads 0: as many as there are processors). */
vta_status cli_network_each(const cli_network *n, vta_model *model, const cli_pictures *how, size_t count,
                            const char *const *paths, uint64_t threads, cli_answered *answered, void *user);

#endif
