/* Networks: ONNX models as graphs (docs/graph.md): what is in them, and what they compute, in floats.
 *
 *     vtac_graph *graph;
 *     vtac_evaluator *evaluator;
 *     vtac_graph_load("resnet18.onnx", NULL, NULL, diag, &graph);
 *     vtac_evaluator_create(graph, NULL, NULL, diag, &evaluator);
 *     vtac_evaluator_run(evaluator, (const void *[]){picture}, diag);
 *     const float *scores = vtac_evaluator_output(evaluator, 0);
 *
 * A vtac_graph is not changed after it was loaded: any number of threads may read it at once, and each evaluate it with
 * a vtac_evaluator of its own. Tensors are plain arrays, compact and row-major (images as N, C, H, W). */
#ifndef VTA_GRAPH_H
#define VTA_GRAPH_H

#include <stdbool.h>

#include <dlpack/dlpack.h>

#include "vta/status.h"

VTA_BEGIN

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

typedef struct vtac_graph vtac_graph;

/* What is reported after each pass. Pointers live until the callback returns. */
typedef struct vtac_graph_event {
    size_t size; /* of this struct, as the library has it */
    const char *name;
    bool changed;         /* else the pass left the graph as it was */
    uint64_t nanoseconds; /* what the pass took */
    const char *text;     /* the graph after the pass */
} vtac_graph_event;

typedef struct vtac_graph_options {
    size_t size;   /* of this struct, or 0 */
    int64_t batch; /* the first extent of inputs where the model leaves it open; 0: 1 */
    const char *const
        *shapes; /* extents of inputs, "NAME=1,3,224,224"; NAME= may be left out where there is one input */
    size_t shape_count;
    bool as_read;                                             /* no pass is run */
    void (*after)(void *user, const vtac_graph_event *event); /* called after each pass; may be NULL */
    void *user;
    /* Of a language model that takes keys and values of earlier tokens, where it leaves that open: how many tokens a
     * run takes (0: 1), and how many it may see, those of the run included (0: what the model says, else 512). */
    int64_t tokens, context;
    /* Large weights of a model whose file has at least so many bytes are copied into unlinked files in $TMPDIR,
     * /var/tmp or /tmp, whichever is on a disk with room, and mapped: they take memory only while they are used.
     * 0: 268,435,456; SIZE_MAX: never. */
    size_t spill_bytes;
} vtac_graph_options;

/* Reads a model (ONNX, TFLite, or a checkpoint of llama2.c), and runs the passes. VTA_NOT_FOUND, VTA_IO; VTA_PARSE for
 * what is not a model; VTA_UNSUPPORTED with one error for each node or attribute that is not supported, all of them;
 * VTA_MISMATCH for a model that contradicts itself. Tensors in other files are read from the model's folder, and from
 * nowhere else. Free with vtac_graph_destroy.
 */
VTA_API vta_status vtac_graph_load(const char *path, const vtac_graph_options *options, const vta_allocator *allocator,
                                   vta_diag *diag, vtac_graph **out_graph);
/* The same from memory; `name` stands for the file in messages, `folder` (NULL: none) is where other files may lie. */
VTA_API vta_status vtac_graph_parse(const void *bytes, size_t size, const char *name, const char *folder,
                                    const vtac_graph_options *options, const vta_allocator *allocator, vta_diag *diag,
                                    vtac_graph **out_graph);
VTA_API void vtac_graph_destroy(vtac_graph *graph);

/* Pass `index`, in the order in which they run. VTA_OUT_OF_RANGE past the last. Static storage. */
typedef struct vtac_graph_pass {
    size_t size; /* of this struct, or 0 */
    const char *name;
    const char *does;   /* one line: what it does */
    const char *reason; /* one line: why it stands at this place */
} vtac_graph_pass;
VTA_API vta_status vtac_graph_pass_get(size_t index, vtac_graph_pass *out_pass);

/* ---- What is in it: all owned by the graph ---------------------------------------------------------------------- */

VTA_API const char *vtac_graph_name(const vtac_graph *graph);

/* An input, an output, or what a node computes. */
typedef struct vtac_graph_tensor {
    size_t size; /* of this struct, or 0 */
    const char *name;
    DLDataType type;
    int32_t ndim;
    const int64_t *shape;
    size_t bytes;
} vtac_graph_tensor;

/* What the file says beside the network: a key and its value, both texts; NULL past the last. Of ONNX its metadata. Of
 * TFLite what its metadata say of the first input: "input.mean" and "input.std" (numbers with commas), "input.color"
 * ("RGB" or "GRAYSCALE"); and "input.range", the least and the largest number that a quantized first input can be. */
VTA_API size_t vtac_graph_property_count(const vtac_graph *graph);
VTA_API const char *vtac_graph_property(const vtac_graph *graph, size_t index, const char **out_value);
/* An output whose rows depend on values has another one behind it, "NAME:extents", as vta/exec.h says. */
VTA_API size_t vtac_graph_input_count(const vtac_graph *graph);
VTA_API size_t vtac_graph_output_count(const vtac_graph *graph);
/* VTA_OUT_OF_RANGE past the last. */
VTA_API vta_status vtac_graph_input(const vtac_graph *graph, size_t index, vtac_graph_tensor *out_tensor);
VTA_API vta_status vtac_graph_output(const vtac_graph *graph, size_t index, vtac_graph_tensor *out_tensor);
/* The place of an input, or output, among its like by its name; SIZE_MAX when there is none. */
VTA_API size_t vtac_graph_find_input(const vtac_graph *graph, const char *name);
VTA_API size_t vtac_graph_find_output(const vtac_graph *graph, const char *name);

typedef struct vtac_graph_node {
    size_t size; /* of this struct, or 0 */
    const char *name;
    const char *op;           /* "Conv" */
    uint64_t macs;            /* multiplications of one run; of convolutions and matrix products */
    vtac_graph_tensor output; /* the first one; output.size as this struct's */
} vtac_graph_node;
/* Nodes stand in an order in which every value is computed before it is used. */
VTA_API size_t vtac_graph_node_count(const vtac_graph *graph);
VTA_API vta_status vtac_graph_node_get(const vtac_graph *graph, size_t index, vtac_graph_node *out_node);

/* Multiplications of one run, and elements of all constants. */
VTA_API uint64_t vtac_graph_macs(const vtac_graph *graph);
VTA_API uint64_t vtac_graph_parameters(const vtac_graph *graph);

/* The graph as text, one line a node; as JSON. Free with vta_string_free; NULL when out of memory. */
VTA_API char *vtac_graph_print(const vtac_graph *graph);
VTA_API char *vtac_graph_to_json(const vtac_graph *graph);

/* ---- What it computes -------------------------------------------------------------------------------------------- */

typedef struct vtac_evaluator vtac_evaluator;

typedef struct vtac_evaluator_options {
    size_t size; /* of this struct, or 0 */
    bool keep;   /* what nodes compute stays until the next run; else memory is freed as early as can be */
} vtac_evaluator_options;

/* Evaluates with plain C, the same bits on every processor. Options NULL: none. The graph must live longer. Free with
 * vtac_evaluator_destroy. */
VTA_API vta_status vtac_evaluator_create(const vtac_graph *graph, const vtac_evaluator_options *options,
                                         const vta_allocator *allocator, vta_diag *diag,
                                         vtac_evaluator **out_evaluator);
VTA_API void vtac_evaluator_destroy(vtac_evaluator *evaluator);
/* Data of all inputs, in their order; borrowed for the call. VTA_OUT_OF_RANGE for an index out of bounds in the data.
 */
VTA_API vta_status vtac_evaluator_run(vtac_evaluator *evaluator, const void *const *inputs, vta_diag *diag);
/* After a run: the data of output `index`, and of what node `index` computes (with `keep`). They belong to the
 * evaluator until its next run. NULL for an index past the last, before the first run, and of what is not kept. */
VTA_API const void *vtac_evaluator_output(const vtac_evaluator *evaluator, size_t index);
VTA_API const void *vtac_evaluator_node(const vtac_evaluator *evaluator, size_t index);
/* Bytes of values, without constants, at one time in the last run at most. */
VTA_API size_t vtac_evaluator_peak(const vtac_evaluator *evaluator);

VTA_END

#endif
