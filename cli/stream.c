#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include "vta/module.h"

enum { NONE = -1 };

/* An input: what was read for it, and which output it is in the next run. */
typedef struct source {
    const char *file; /* NULL: none is given */
    vta_array *array;
    size_t count; /* chunks in the file */
    int carried;  /* an output, or NONE */
} source;

typedef struct stream {
    cli_stream *out;
    source *sources;
    cli_tensor *results;
    int64_t (*shapes)[VTA_ARRAY_MAX_DIMS];
    void **inputs, **outputs; /* of one run; outputs are within the results */
} stream;

/* ---- What is given ----------------------------------------------------------------------------------------------- */

static vta_status load(const cli_tensors *inputs, const char *text, source *all) {
    size_t index;
    const char *file;
    vta_status status = cli_tensors_find(inputs, text, &index, &file);
    if (status != VTA_OK) return status;
    source *s = &all[index];
    if (s->array)
        return cli_fail(VTA_INVALID_ARGUMENT, "--input %s: %s is given twice", text, inputs->item[index].name);
    status = vta_array_load_npy(file, NULL, cli_diag(), &s->array);
    if (status != VTA_OK) return status;
    s->file = file;
    s->count = cli_tensors_times(&inputs->item[index], vta_array_tensor(s->array));
    return s->count ? VTA_OK : cli_tensors_refuse(inputs, &inputs->item[index], file, vta_array_tensor(s->array), true);
}

static vta_status carry(const cli_stream *s, const char *text, source *all) {
    char from[200], to[200];
    const char *name, *equal = strchr(text, '=');
    size_t input, output;
    cli_tensors outputs = *s->outputs, inputs = *s->inputs;
    outputs.option = inputs.option = "carry";
    if (!equal) return cli_fail(VTA_INVALID_ARGUMENT, "--carry %s: expected INPUT=OUTPUT", text);
    vta_status status = cli_tensors_find(&inputs, text, &input, &name);
    for (output = 0; output < outputs.count && strcmp(outputs.item[output].name, name);) output++;
    if (status == VTA_OK && output == outputs.count)
        status = cli_fail(VTA_NOT_FOUND, "--carry %s: %s has no output '%s'", text, outputs.model, name);
    if (status != VTA_OK) return status;
    const cli_tensor *in = &inputs.item[input], *out = &outputs.item[output];
    if (memcmp(&in->type, &out->type, sizeof in->type) || in->bytes != out->bytes)
        return cli_fail(VTA_MISMATCH, "--carry %s: output %s is %s, input %s %s", text, out->name,
                        cli_tensor_describe(out, from, sizeof from), in->name, cli_tensor_describe(in, to, sizeof to));
    all[input].carried = (int)output;
    return VTA_OK;
}

/* How many runs: as many as the files have chunks; a file of one is the same in each. */
static vta_status count_steps(cli_stream *s, const source *all) {
    const source *longest = NULL;
    char text[200];
    for (size_t i = 0; i < s->inputs->count; i++) {
        const cli_tensor *t = &s->inputs->item[i];
        const source *in = &all[i];
        if (!in->array && in->carried == NONE)
            return cli_fail(VTA_INVALID_ARGUMENT, "input %s of %s is not given: --input %s=FILE.npy, chunks of %s",
                            t->name, s->inputs->model, t->name, cli_tensor_describe(t, text, sizeof text));
        if (in->carried != NONE && in->count > 1)
            return cli_fail(VTA_MISMATCH, "%s: %zu values of %s, which is carried: expected the first", in->file,
                            in->count, t->name);
        if (in->count > 1 && longest && longest->count != in->count)
            return cli_fail(VTA_MISMATCH, "%s has %zu chunks, %s %zu", longest->file, longest->count, in->file,
                            in->count);
        if (in->count > 1) longest = in;
    }
    s->steps = longest ? longest->count : 1;
    return VTA_OK;
}

static vta_status settle(stream *r, const cli_list *given, const cli_list *carried) {
    cli_stream *s = r->out;
    vta_status status = VTA_OK;
    for (size_t i = 0; i < s->inputs->count; i++) r->sources[i].carried = NONE;
    for (int i = 0; i < carried->count && status == VTA_OK; i++) status = carry(s, carried->item[i], r->sources);
    for (int i = 0; i < given->count && status == VTA_OK; i++) status = load(s->inputs, given->item[i], r->sources);
    return status == VTA_OK ? count_steps(s, r->sources) : status;
}

/* ---- What comes out ---------------------------------------------------------------------------------------------- */

/* The outputs of all runs are those of one with a longer first axis. */
static vta_status make_results(stream *r) {
    cli_stream *s = r->out;
    for (size_t i = 0; i < s->outputs->count; i++) {
        cli_tensor *t = &r->results[i];
        *t = s->outputs->item[i];
        for (int32_t k = 0; k < t->ndim; k++) r->shapes[i][k] = t->shape[k];
        if (!t->ndim) r->shapes[i][t->ndim++] = 1;
        if (__builtin_mul_overflow(t->bytes, s->steps, &t->bytes) ||
            __builtin_mul_overflow(r->shapes[i][0], (int64_t)s->steps, &r->shapes[i][0]))
            return cli_fail(VTA_NO_MEMORY, "%zu times output %s are too large", s->steps, t->name);
        t->shape = r->shapes[i];
        s->data[i] = calloc(1, t->bytes ? t->bytes : 1);
        if (!s->data[i]) return cli_fail(VTA_NO_MEMORY, "out of memory: %zu times output %s", s->steps, t->name);
    }
    s->results = *s->outputs;
    s->results.item = r->results;
    return VTA_OK;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* The first chunk, that of this run, or the output of the last one. */
static void place(stream *r, size_t step) {
    const cli_stream *s = r->out;
    for (size_t i = 0; i < s->inputs->count; i++) {
        const source *in = &r->sources[i];
        size_t bytes = s->inputs->item[i].bytes;
        const char *chunks = in->array ? vta_array_tensor(in->array)->data : NULL;
        if (in->carried != NONE && step)
            memcpy(r->inputs[i], (char *)s->data[in->carried] + (step - 1) * bytes, bytes);
        else if (chunks && (step == 0 || in->count > 1))
            memcpy(r->inputs[i], chunks + (in->count > 1 ? step * bytes : 0), bytes);
    }
    for (size_t i = 0; i < s->outputs->count; i++)
        r->outputs[i] = (char *)s->data[i] + step * s->outputs->item[i].bytes;
}

static vta_status run_all(stream *r, cli_stream_step *step, void *user) {
    vta_status status = VTA_OK;
    for (size_t i = 0; i < r->out->steps && status == VTA_OK; i++) {
        cli_progress("running: chunk", i, r->out->steps);
        place(r, i);
        status = step(user, r->inputs, r->outputs);
    }
    cli_progress_end();
    return status;
}

static vta_status make(stream *r) {
    cli_stream *s = r->out;
    size_t in = s->inputs->count + 1, out = s->outputs->count + 1;
    r->sources = calloc(in, sizeof *r->sources);
    r->inputs = calloc(in, sizeof *r->inputs);
    r->results = calloc(out, sizeof *r->results);
    r->shapes = calloc(out, sizeof *r->shapes);
    r->outputs = calloc(out, sizeof *r->outputs);
    s->data = calloc(out, sizeof *s->data);
    bool made = r->sources && r->inputs && r->results && r->shapes && r->outputs && s->data;
    for (size_t i = 0; made && i < s->inputs->count; i++)
        made = (r->inputs[i] = calloc(1, s->inputs->item[i].bytes ? s->inputs->item[i].bytes : 1)) != NULL;
    return made ? VTA_OK : cli_fail(VTA_NO_MEMORY, "out of memory");
}

vta_status cli_stream_run(const cli_tensors *inputs, const cli_tensors *outputs, const cli_list *given,
                          const cli_list *carried, cli_stream_step *step, void *user, cli_stream *out) {
    *out = (cli_stream){.inputs = inputs, .outputs = outputs};
    stream *r = out->own = calloc(1, sizeof *r);
    if (!r) return cli_fail(VTA_NO_MEMORY, "out of memory");
    r->out = out;
    vta_status status = make(r);
    if (status == VTA_OK) status = settle(r, given, carried);
    if (status == VTA_OK) status = make_results(r);
    return status == VTA_OK ? run_all(r, step, user) : status;
}

void cli_stream_free(cli_stream *s) {
    stream *r = s->own;
    for (size_t i = 0; s->data && i < s->outputs->count; i++) free(s->data[i]);
    free(s->data);
    if (!r) return;
    for (size_t i = 0; r->sources && i < s->inputs->count; i++) vta_array_free(r->sources[i].array);
    for (size_t i = 0; r->inputs && i < s->inputs->count; i++) free(r->inputs[i]);
    free(r->sources);
    free(r->inputs);
    free(r->results);
    free(r->shapes);
    free(r->outputs);
    free(r);
    s->own = NULL;
}
