/* A network of pictures in floats: its scores for pictures, on all processors. */
#ifndef CLI_C_FLOAT_H
#define CLI_C_FLOAT_H

#include "tensors.h"
#include "vta/graph.h"

/* What changes how a model is read: put CLI_GRAPH_OPTIONS(&g) into the table. */
typedef struct cli_graph {
    uint64_t batch;
    cli_list shapes;
} cli_graph;

#define CLI_GRAPH_OPTIONS(g)                                                                                           \
    {"batch", 0, CLI_NUMBER, "N", "first extent of inputs, where the model leaves it open (1)", &(g)->batch}, {        \
        "shape", 0, CLI_LIST, "NAME=1,3,224,224", "shape of an input; repeated for one input: several shapes",         \
            &(g)->shapes                                                                                               \
    }

/* Reads an ONNX model; `more` is changed by the options. */
vta_status cli_graph_load(const cli_graph *g, const char *path, vtac_graph_options *more, vtac_graph **out_graph);

/* The inputs, or the outputs, of a graph, whose path is for messages. Free out->item. */
vta_status cli_graph_tensors(const vtac_graph *graph, const char *path, bool outputs, cli_tensors *out);

/* What a network gives for one picture: all outputs, with their data. */
typedef struct cli_answer {
    size_t count;
    const cli_tensor *output;
    const void *const *data;
} cli_answer;

/* Takes the answer for a picture; `index` is its place in the list. Calls come one at a time, from any thread. */
typedef vta_status cli_answered(void *user, size_t index, const cli_answer *answer);

/* The first output as scores of classes; NULL, with an error, where it is not of float32. */
const float *cli_scores(const cli_answer *answer, size_t *out_count);

/* Evaluates a model of one input of pictures on each of them. threads 0: as many as there are processors. */
vta_status cli_float_each(const vtac_graph *graph, const cli_pictures *how, size_t count, const char *const *paths,
                          uint64_t threads, cli_answered *answered, void *user);

/* c_known.c: what the model's file says of its pictures, where nothing else did; whether that is enough. */
vta_status cli_pictures_of_graph(cli_pictures *p, const vtac_graph *graph);
vta_status cli_pictures_need_graph(const cli_pictures *p, const vtac_graph *graph);

#endif
