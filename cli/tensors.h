/* Inputs and outputs of networks, as commands read and write them: .npy files, and pictures where a network takes one.
 */
#ifndef CLI_TENSORS_H
#define CLI_TENSORS_H

#include <dlpack/dlpack.h>

#include "pictures.h"

typedef struct cli_tensor {
    const char *name;
    DLDataType type;
    int32_t ndim;
    const int64_t *shape;
    size_t bytes;
} cli_tensor;

/* All inputs, or all outputs, of a network. */
typedef struct cli_tensors {
    const char *model; /* its path, for messages */
    bool outputs;
    size_t count;
    const cli_tensor *item;
    const char *option; /* that names the files, for messages; NULL: input or output */
} cli_tensors;

/* "float32[1, 3, 224, 224]"; returns `to`. */
const char *cli_tensor_describe(const cli_tensor *tensor, char *to, size_t size);
/* Which one "NAME=FILE" or "FILE" is about, and the file. */
vta_status cli_tensors_find(const cli_tensors *t, const char *text, size_t *out_index, const char **out_file);
/* Data of all inputs, zeros for those that are not given, which `all` refuses. `how` settles how pictures are read;
 * NULL: none are taken. Free with cli_tensors_free, also after an error. */
vta_status cli_tensors_read(const cli_tensors *t, const cli_list *given, const cli_pictures *how, bool all,
                            void ***out_data);
/* How many inputs of `want` an array holds, one behind the other along its first axis or along one more axis in front;
 * 0: it is of another type or shape, and cli_tensors_refuse says how. */
size_t cli_tensors_times(const cli_tensor *want, const DLTensor *have);
vta_status cli_tensors_refuse(const cli_tensors *t, const cli_tensor *want, const char *file, const DLTensor *have,
                              bool samples);
void cli_tensors_free(const cli_tensors *t, void **data);

/* extents.c: how many outputs users see, which are the first ones. */
size_t cli_tensors_shown(const cli_tensors *t);
enum { CLI_CUT_AXES = 8 };
/* An output as users see it: with as many rows as were found. `tensor.shape` may be the cut's own. */
typedef struct cli_cut {
    cli_tensor tensor;
    const void *data;
    int64_t shape[CLI_CUT_AXES];
    void *own;
} cli_cut;
/* Free with cli_cut_free, where it is VTA_OK, and do not copy it. */
vta_status cli_tensor_cut(const cli_tensors *t, void *const *data, size_t i, cli_cut *out);
void cli_cut_free(cli_cut *cut);

/* Writes the outputs that are asked for, "NAME=FILE" or "FILE". */
vta_status cli_tensors_write(const cli_tensors *t, const cli_list *asked, void *const *data);
/* One line an output, with its largest values; the same as JSON. */
void cli_tensors_print(const cli_tensors *t, void *const *data);
json_t *cli_tensors_json(const cli_tensors *t, void *const *data);

#endif
