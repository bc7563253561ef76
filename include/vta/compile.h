/* From a network of floats to an artifact: calibrate, quantize, compile (docs/models.md).
 *
 *     vtac_calibration_create(graph, NULL, diag, &calibration);
 *     for (size_t i = 0; i < count; i++) vtac_calibration_observe(calibration, (const void *[]){pictures[i]}, diag);
 *     vtac_quantized_create(calibration, NULL, diag, &quantized);
 *     vtac_quantized_compile(quantized, config, NULL, diag, &bytes, &size, NULL);    // vta_model_parse, or a file
 *
 * A quantized network is the exact meaning of what is compiled: vtac_quantized_run and the artifact give the same
 * results to the bit. One thread at a time may use a handle, except that several may compile one quantized network;
 * different handles are independent. */
#ifndef VTA_COMPILE_H
#define VTA_COMPILE_H

#include "vta/exec.h"
#include "vta/graph.h"
#include "vta/ops.h"

VTA_BEGIN

/* ---- Calibration: the ranges of a network's values --------------------------------------------------------------- */

typedef struct vtac_calibration vtac_calibration;

/* Batch normalization is folded, and pairs of QuantizeLinear and DequantizeLinear become ranges that are known. The
 * graph must live longer than all that is made of it here. Free with vtac_calibration_destroy. */
VTA_API vta_status vtac_calibration_create(const vtac_graph *graph, const vta_allocator *allocator, vta_diag *diag,
                                           vtac_calibration **out_calibration);
VTA_API void vtac_calibration_destroy(vtac_calibration *calibration);
/* Does the model itself say ranges? Then samples are not needed; those that it does not say are taken from samples. */
VTA_API bool vtac_calibration_is_given(const vtac_calibration *calibration);
/* Computes the network in floats, and looks at all values. `inputs`: data of all inputs, in their order, borrowed for
 * the call. */
VTA_API vta_status vtac_calibration_observe(vtac_calibration *calibration, const void *const *inputs, vta_diag *diag);

/* ---- Quantized networks -------------------------------------------------------------------------------------------
 */

/* Which range integers cover: all that was seen; what a share of it does not exceed; what keeps its distribution
 * (Kullback-Leibler divergence); what makes the sum of squared errors least; or that sum behind the products
 * and means that read the value, on the first 16 samples (of up to 128 MiB; fewer of large networks). */
typedef enum vtac_range_method {
    VTAC_RANGE_PERCENTILE = 0,
    VTAC_RANGE_MAX = 1,
    VTAC_RANGE_KL = 2,
    VTAC_RANGE_SQUARES = 3,
    VTAC_RANGE_OUTPUT = 4
} vtac_range_method;

/* How sums become the integers of a result: by a shift, with scales of weights that make it one; or by a product and a
 * shift, one of each channel, which keeps the weights of a model that is quantized already. AUTO: a product for such
 * models, else a shift. */
typedef enum vtac_requantize {
    VTAC_REQUANTIZE_AUTO = 0,
    VTAC_REQUANTIZE_SHIFT = 1,
    VTAC_REQUANTIZE_MULTIPLY = 2
} vtac_requantize;

/* Which integers weights become: the nearest ones; or those whose errors make up for each other in the sums, as the
 * first 16 samples are (of up to 128 MiB), by coordinate descent on the error of each channel's sums. Adaptive rounding
 * changes no cycle; it takes seconds for each layer with thousands of weights in a channel. Products of operands of
 * more than 8 bits, transposed convolutions and channels of more than 6,144 weights keep the nearest. */
typedef enum vtac_rounding { VTAC_ROUNDING_NEAREST = 0, VTAC_ROUNDING_ADAPTIVE = 1 } vtac_rounding;

typedef struct vtac_quantize_options {
    size_t size; /* of this struct, or 0 */
    vtac_range_method method;
    double percentile; /* of VTAC_RANGE_PERCENTILE; 0: 99.99 */
    vtac_requantize requantize;
    /* Bits of results that only floats read, where the accelerator computes them from sums (a product, the mean of a
     * window): 8, or 16, so that equal integers of 8 bits do not decide which score is best. The accelerator computes
     * such a layer twice, low bytes and high ones. 0: 16 but for products with more than 64 KiB of weights or before
     * many functions that products read, and for convolutions whose results come back to a layer of integers. */
    uint32_t result_bits;
    /* Biases stay as they are. Else what rounding the weights of a channel adds on the average is taken off its bias.
     */
    bool keep_bias;
    /* Channels of a value get scales of their own where only products read it, and their noise is estimated to be less
     * then (cross-layer equalization). Costs no time on the accelerator. */
    bool equalize;
    /* Names of values that get integers of more than 8 bits, where there are such; "all": of all values. What only
     * floats read of a convolution or a matrix product then has 16 bits, and takes twice as long; what the host makes
     * integers of, for products only, has 11 bits, as have its weights, and they take three times as long.
     * Behind a name, ":wide" is only the result of 16 bits, ":fine" only the operand, ":coarse" only the weights that
     * read it, ":parts" the last two; each of them takes the cycles once more. VTA_NOT_FOUND: the network has no value
     * of that name. Borrowed for the call. */
    const char *const *precise;
    size_t precise_count;
    vtac_rounding rounding;
    /* Bits of weights: 8, or 4 (from -7 to 7), in scales that make the error of each channel's sums least; 0: 8. With
     * 4, AUTO requantizes by a product, since a shift leaves scales little choice. They are stored in bytes. */
    uint32_t weight_bits;
} vtac_quantize_options;

typedef struct vtac_quantized vtac_quantized;

/* `options` may be NULL. VTA_INVALID_ARGUMENT: a value has no range, since nothing was observed. Scales and weights are
 * for operands of 8 bits. The calibration may be destroyed afterwards. Free with vtac_quantized_destroy. */
VTA_API vta_status vtac_quantized_create(const vtac_calibration *calibration, const vtac_quantize_options *options,
                                         vta_diag *diag, vtac_quantized **out_quantized);
VTA_API void vtac_quantized_destroy(vtac_quantized *quantized);
/* Frees the weights of the graph that became integers, so that compiling takes less memory. After that the graph and
 * its calibrations can only be destroyed; the quantized network, which is to be the only one of it, is not touched. */
VTA_API void vtac_quantized_drop_floats(const vtac_quantized *quantized, vtac_graph *graph);
/* One line a layer. Belongs to the network. */
VTA_API const char *vtac_quantized_text(const vtac_quantized *quantized);

/* What a layer computes, and stands for. */
typedef struct vtac_quantized_layer {
    size_t size;       /* of this struct, as the library has it */
    size_t index;      /* among all layers */
    const char *kind;  /* "conv", "max_pool", ...; of a node on floats "float" */
    const char *value; /* the tensor of the graph that it computes */
    DLDataType type;
    int32_t ndim;
    const int64_t *shape;
    double scale;                 /* of integers; 0: floats */
    const void *data;             /* until the callback returns */
    const double *channel_scales; /* of integers: one a channel (axis 1), times `scale`; NULL: 1 */
    /* Channels of integers for each channel of the value; more than 1: an operand in parts. The first of them is the
     * number, rounded; the others say what rounding left of it and of the weights. */
    uint32_t parts;
} vtac_quantized_layer;

typedef struct vtac_quantized_options {
    size_t size;                                                     /* of this struct, or 0 */
    void (*after)(void *user, const vtac_quantized_layer *computed); /* called after each layer; may be NULL */
    void *user;
} vtac_quantized_options;

/* Computes it with plain C. `inputs` and `outputs`: data of all of them, in their order. `options` may be NULL. */
VTA_API vta_status vtac_quantized_run(const vtac_quantized *quantized, const void *const *inputs, void *const *outputs,
                                      const vtac_quantized_options *options, vta_diag *diag);

/* ---- What integers lose, and by which cause -----------------------------------------------------------------------
 */

/* The error that one layer's integers make, all else in floats: its power over that of the signal. Small errors add up:
 * at the outputs the sum over all layers and causes is about the noise of the network of integers. */
typedef struct vtac_loss {
    size_t size;       /* of this struct, as the library has it */
    const char *value; /* of the graph, whose integers the layer computes */
    const char *kind;  /* of the layer, as in vtac_quantized_layer */
    /* What takes the largest of its causes away, for vtac_quantize_options.precise: "VALUE:wide"; NULL: there is no
     * such choice. */
    const char *precise;
    double rounding;     /* by rounding the value to integers */
    double range;        /* by cutting off what lies beyond the integers; 0: nothing does */
    double weights;      /* by rounding the weights that compute it */
    uint64_t cut, count; /* elements beyond the integers, and all, of all samples */
} vtac_loss;

/* Calls `tell` for each layer that rounds, in their order. `samples`: `count` times the data of all inputs. The network
 * is computed in floats two or three times for each layer and sample, from the layer on, to the outputs (`depth` 0), or
 * as far as behind the first `depth` convolutions or matrix products, which is an estimate that takes little time. All
 * values are kept meanwhile. VTA_INVALID_ARGUMENT: no samples; VTA_INTERRUPTED: `tell` returned true. */
VTA_API vta_status vtac_quantized_losses(const vtac_quantized *quantized, const void *const *const *samples,
                                         size_t count, uint32_t depth, bool (*tell)(void *user, const vtac_loss *loss),
                                         void *user, vta_diag *diag);

/* ---- Beside the model's own integers ------------------------------------------------------------------------------
 */

/* A layer whose result the model has integers for (QuantizeLinear, QLinear operators, TFLite), computed by both. */
typedef struct vtac_difference {
    size_t size;            /* of this struct, as the library has it */
    const char *value;      /* of the graph without the nodes that quantize */
    const char *kind;       /* of the layer, as in vtac_quantized_layer */
    double step, zero;      /* what one integer of the model stands for, and which stands for 0 (here 0 does) */
    double own_step;        /* what one of the network's does */
    bool by_channel;        /* the network's steps are that times a factor of the channel */
    uint64_t count, differ; /* elements, and those that the model would round to another integer than it has */
    double largest;         /* difference of the two numbers, in steps of the model */
} vtac_difference;

/* Calls `tell` for each such layer, in their order. `inputs`: data of all of them. The model is computed as it is, in
 * floats with integers between; its graph must still be there, with its weights. VTA_UNSUPPORTED: the model has no
 * integers; VTA_INTERRUPTED: `tell` returned true. */
VTA_API vta_status vtac_quantized_against_model(const vtac_quantized *quantized, const void *const *inputs,
                                                bool (*tell)(void *user, const vtac_difference *difference), void *user,
                                                vta_diag *diag);

/* ---- Search -------------------------------------------------------------------------------------------------------
 */

/* What was tried. Its text lives until the callback returns. */
typedef struct vtac_search_step {
    size_t size;         /* of this struct, as the library has it */
    const char *options; /* of vta compile, "--range squares --rounding adaptive"; "": as it was asked for */
    const char *error;   /* why there is no such network, or it cannot be compiled; else NULL */
    double decibels;     /* signal to noise of the worst output, on samples that weights were not rounded by */
    uint64_t cycles;     /* of the accelerator */
    double seconds;      /* since the search began */
    bool is_taken;       /* it is the best so far */
    /* The network, compiled, for a measure of the caller's own (vta/exec.h); the search's, for the time of the call.
     * NULL where there is an error. */
    vta_model *model;
} vtac_search_step;

typedef struct vtac_search_options {
    size_t size;                          /* of this struct, or 0 */
    double seconds;                       /* no try begins that would likely end later; 0: 60 */
    double cycles;                        /* more than as it was asked for, at most: 0.05; 0: any number */
    const vtac_quantize_options *options; /* what it begins with, and keeps where nothing is better; may be NULL */
    const vta_config *config;             /* NULL: the default */
    /* Called after each try when not NULL; true ends the search with the best so far. */
    bool (*tried)(void *user, const vtac_search_step *step);
    void *user;
} vtac_search_options;

/* The best network of integers for the samples: ways to quantize are tried one after the other, in an order that does
 * not change, each with the best of those before; one that is at least 0.1 dB better at the worst output is taken,
 * where a doubling of cycles counts as 4 dB. Single values of more than 8 bits are chosen by what each layer loses.
 * Networks are compiled and run on the simulator for that, on the second half of the samples that the calibration keeps
 * (16, of up to 128 MiB); ranges and the rounding of weights are of the first half, and at the end of all. Only
 * `seconds` makes a difference between machines. VTA_INVALID_ARGUMENT: no samples. `search` may be NULL.
 */
VTA_API vta_status vtac_quantized_search(const vtac_calibration *calibration, const vtac_search_options *search,
                                         vta_diag *diag, vtac_quantized **out_quantized);

/* ---- Compiling ----------------------------------------------------------------------------------------------------
 */

/* Bytes that the artifact keeps for front ends under a name of their own (vta_model_section), as the names of classes.
 */
typedef struct vtac_section {
    const char *name;
    const void *bytes;
    size_t size;
} vtac_section;

typedef struct vtac_compile_options {
    size_t size;                                  /* of this struct, or 0 */
    const vtac_op_options *schedule;              /* of the operators; NULL: all defaults */
    const char *triple, *cpu, *features, *linker; /* of the host, as in vtac_build_options; NULL: this machine */
    bool processor_only;                          /* nothing on the accelerator: the same results from the host */
    /* Called before each layer when not NULL; true ends the compile with VTA_INTERRUPTED. */
    bool (*progress)(void *user, size_t done, size_t count, const char *layer);
    void *user;
    /* Called with each operator of the accelerator when its schedule is chosen, once for layers that are alike, when
     * not NULL; true ends the compile with VTA_INTERRUPTED. The operator is the compiler's. */
    bool (*scheduled)(void *user, const char *layer, const vtac_op *op);
    const vtac_section *sections; /* section_count of them, copied */
    size_t section_count;
    /* The weights of the quantized network are freed while it is compiled, which takes less memory; after that it can
     * only be destroyed: to run or to compile it is VTA_INVALID_ARGUMENT. Nobody else may use it meanwhile. */
    bool use_up;
} vtac_compile_options;

typedef enum vtac_layer_place { VTAC_ON_ACCELERATOR = 0, VTAC_ON_HOST = 1 } vtac_layer_place;

/* A layer of a compiled network. Its texts belong to the report. */
typedef struct vtac_compiled_layer {
    size_t size;            /* of this struct, as the library has it */
    const char *name;       /* the value of the graph that it computes */
    const char *kind;       /* as in vtac_quantized_layer; of a node on floats its ONNX operator */
    vtac_layer_place place; /* where it runs */
    const char *why;        /* why on the host; of the accelerator what is special, else NULL */
    uint64_t products;      /* multiplications of numbers, as the network has them */
    uint32_t run;           /* of the device that it is in, from 0 on; UINT32_MAX: none */
    uint64_t cycles;        /* of the accelerator, by the timing model; from here on 0 until it is measured */
    double seconds;         /* of this host: of a run, what its simulator takes, shared by cycles */
} vtac_compiled_layer;

/* What runs where, and why: the layers in their order, but for those that take no step. It belongs to nothing else, and
 * does not change but by vtac_compile_report_measure. Free with vtac_compile_report_destroy. Of a NULL report: 0 and
 * NULL. */
typedef struct vtac_compile_report vtac_compile_report;
VTA_API void vtac_compile_report_destroy(vtac_compile_report *report);
VTA_API size_t vtac_compile_report_layer_count(const vtac_compile_report *report);
/* NULL past the last. */
VTA_API const vtac_compiled_layer *vtac_compile_report_layer(const vtac_compile_report *report, size_t index);
/* How many layers run at a place. */
VTA_API size_t vtac_compile_report_count(const vtac_compile_report *report, vtac_layer_place place);
/* Where one run of the device ends and another begins. */
typedef struct vtac_compile_cut {
    size_t size;            /* of this struct, as the library has it */
    uint32_t run;           /* the run that ends; the next one has the next number */
    const uint32_t *layers; /* those of the host that need the run, and that the next one needs, by their index */
    size_t layer_count;     /* 0: a run has no room for more instructions */
    const char *why;        /* "Mul_3 (table): no operator of the accelerator computes it"; of the first one */
} vtac_compile_cut;
/* NULL past the last. */
VTA_API const vtac_compile_cut *vtac_compile_report_cut(const vtac_compile_report *report, size_t index);

/* Sums over the layers. */
typedef struct vtac_compile_summary {
    size_t size;                   /* of this struct, or 0 */
    uint32_t layers, host_layers;  /* all; those on the host */
    uint32_t runs, cuts;           /* of the device; between them */
    uint64_t products;             /* multiplications of all layers */
    uint64_t accelerator_products; /* of those on the accelerator */
    bool is_measured;              /* what follows was; else it is 0 */
    uint64_t cycles;               /* of the accelerator */
    double seconds, host_seconds;  /* of a run of the network on this host; of its steps on the host */
} vtac_compile_summary;
/* VTA_INVALID_ARGUMENT: NULL. */
VTA_API vta_status vtac_compile_report_sum(const vtac_compile_report *report, vtac_compile_summary *out_summary);

/* Runs the artifact that the report came with on zeros, twice, and notes cycles and seconds of each layer in the
 * report; nobody else may use it meanwhile. `options`: of the instance, may be NULL. VTA_MISMATCH: another artifact;
 * VTA_UNSUPPORTED: it is for another machine than this. */
VTA_API vta_status vtac_compile_report_measure(vtac_compile_report *report, vta_model *model,
                                               const vta_instance_options *options, vta_diag *diag);
/* One line a layer: "NAME (KIND): accelerator" or ": host", and ", WHY". */
VTA_API const char *vtac_compile_report_text(const vtac_compile_report *report);

/* An artifact for a configuration (NULL: the default), as vta_model_parse reads it. VTA_UNSUPPORTED, with what and why:
 * a layer that neither accelerator nor processor computes, or a configuration that networks are not compiled for.
 * `options` may be NULL. Free *out_bytes with vta_string_free. `out_report`, when not NULL, gets the report. */
VTA_API vta_status vtac_quantized_compile(const vtac_quantized *quantized, const vta_config *config,
                                          const vtac_compile_options *options, vta_diag *diag, uint8_t **out_bytes,
                                          size_t *out_size, vtac_compile_report **out_report);

/* An artifact as vtac_quantized_compile gives it. */
typedef struct vtac_artifact {
    const uint8_t *bytes;
    size_t size;
} vtac_artifact;

/* One artifact of several, which are of one network with inputs of different shapes; programs choose one by
 * vta_model_for_shapes, and have the first one where they do not. What all have alike, as weights in tiles, is there
 * once. VTA_MISMATCH: other inputs; VTA_INVALID_ARGUMENT: two are of the same shapes; VTA_OUT_OF_RANGE: more than fit.
 * Free *out_bytes with vta_string_free. */
VTA_API vta_status vtac_artifact_join(const vtac_artifact *artifacts, size_t count, vta_diag *diag, uint8_t **out_bytes,
                                      size_t *out_size);

VTA_END

#endif
