#include "tensors.h"
#include "picture_files.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vta/module.h"

enum { TOP = 5 };

static vta_status fail(vta_status status, const char *fmt, ...) VTA_PRINTF(2, 3);
static vta_status fail(vta_status status, const char *fmt, ...) {
    char message[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    vta_diag_add(cli_diag(), VTA_ERROR, status, message);
    return status;
}

static const char *describe(DLDataType type, int32_t ndim, const int64_t *shape, char *to, size_t size) {
    static const char *const names[] = {"int", "uint", "float"};
    int n = type.code == kDLUInt && type.bits == 1
                ? snprintf(to, size, "bool[")
                : snprintf(to, size, "%s%u[", type.code <= kDLFloat ? names[type.code] : "?", type.bits);
    for (int32_t i = 0; i < ndim && n > 0 && (size_t)n < size; i++)
        n += snprintf(to + n, size - (size_t)n, "%s%lld", i ? ", " : "", (long long)shape[i]);
    if (n > 0 && (size_t)n + 1 < size) strcpy(to + n, "]");
    return to;
}

const char *cli_tensor_describe(const cli_tensor *t, char *to, size_t size) {
    return describe(t->type, t->ndim, t->shape, to, size);
}

/* ---- Files ---- */

static size_t find(const cli_tensors *t, const char *name, size_t size) {
    size_t i = 0;
    while (i < t->count && (strlen(t->item[i].name) != size || memcmp(t->item[i].name, name, size))) i++;
    return i;
}

vta_status cli_tensors_find(const cli_tensors *t, const char *text, size_t *out_index, const char **out_file) {
    const char *what = t->outputs ? "output" : "input", *equal = strchr(text, '=');
    const char *option = t->option ? t->option : what;
    *out_index = 0;
    *out_file = text;
    if (equal) {
        *out_index = find(t, text, (size_t)(equal - text));
        *out_file = equal + 1;
        if (*out_index < t->count) return VTA_OK;
        return fail(VTA_NOT_FOUND, "--%s %s: %s has no %s '%.*s'", option, text, t->model, what, (int)(equal - text),
                    text);
    }
    size_t shown = cli_tensors_shown(t);
    if (shown == 1) return VTA_OK;
    return fail(VTA_INVALID_ARGUMENT, "--%s %s: %s has %zu %ss: say which, NAME=FILE.npy", option, text, t->model,
                shown, what);
}

static vta_status read_picture(const cli_tensors *t, const cli_tensor *want, const char *file, const cli_pictures *how,
                               void *out) {
    char text[200];
    if (how && want->ndim == 4 && want->shape[0] == 1 && want->type.code == kDLFloat && want->type.bits == 32) {
        vta_status status = cli_pictures_need(how, want->shape, 0);
        return status == VTA_OK ? cli_picture_read(how, file, want->shape, cli_diag(), out) : status;
    }
    return fail(VTA_MISMATCH, "%s: input %s of %s is %s: no picture", file, want->name, t->model,
                cli_tensor_describe(want, text, sizeof text));
}

static bool is_type(const cli_tensor *want, const DLTensor *have) {
    return !memcmp(&have->dtype, &want->type, sizeof want->type);
}

size_t cli_tensors_times(const cli_tensor *want, const DLTensor *have) {
    int32_t more = have->ndim - want->ndim, from = more ? 0 : 1;
    if (!is_type(want, have) || more < 0 || more > 1) return 0;
    for (int32_t i = from; i < want->ndim; i++)
        if (have->shape[i + more] != want->shape[i]) return 0;
    if (more || !want->ndim) return more ? (size_t)have->shape[0] : 1;
    return want->shape[0] > 0 && have->shape[0] % want->shape[0] == 0 ? (size_t)(have->shape[0] / want->shape[0]) : 0;
}

/* Are the extents of an image those of the input with its channels at the other end? */
static bool is_turned(const cli_tensor *want, const DLTensor *have) {
    const int64_t *w = want->shape, *h = have->shape + have->ndim - 3;
    if (want->ndim != 4 || have->ndim < 3 || have->ndim > 4) return false;
    bool last = h[0] == w[2] && h[1] == w[3] && h[2] == w[1];  /* H W C for C H W */
    bool first = h[0] == w[3] && h[1] == w[1] && h[2] == w[2]; /* C H W for H W C */
    return last || first;
}

vta_status cli_tensors_refuse(const cli_tensors *t, const cli_tensor *want, const char *file, const DLTensor *have,
                              bool samples) {
    char have_text[200], want_text[200];
    const char *more = "";
    if (is_type(want, have) && is_turned(want, have))
        more = "; its channels are at the other end (NHWC for NCHW, or the reverse): numpy.transpose";
    else if (samples)
        more = "; samples follow one another along the first axis";
    return fail(VTA_MISMATCH, "%s is %s; input %s of %s is %s%s", file,
                describe(have->dtype, have->ndim, have->shape, have_text, sizeof have_text), want->name, t->model,
                cli_tensor_describe(want, want_text, sizeof want_text), more);
}

static vta_status read_npy(const cli_tensors *t, const cli_tensor *want, const char *file, void *out) {
    vta_array *array;
    vta_status status = vta_array_load_npy(file, NULL, cli_diag(), &array);
    if (status != VTA_OK) return status;
    const DLTensor *have = vta_array_tensor(array);
    bool same = is_type(want, have) && have->ndim == want->ndim;
    for (int32_t i = 0; same && i < want->ndim; i++) same = have->shape[i] == want->shape[i];
    if (same)
        memcpy(out, have->data, want->bytes);
    else
        status = cli_tensors_refuse(t, want, file, have, false);
    vta_array_free(array);
    return status;
}

/* ---- Inputs ---- */

static vta_status read_given(const cli_tensors *t, const cli_list *given, const cli_pictures *how, void **data,
                             bool *there) {
    for (int i = 0; i < given->count; i++) {
        const char *file;
        size_t index;
        vta_status status = cli_tensors_find(t, given->item[i], &index, &file);
        if (status == VTA_OK)
            status = cli_is_picture(file) ? read_picture(t, &t->item[index], file, how, data[index])
                                          : read_npy(t, &t->item[index], file, data[index]);
        if (status != VTA_OK) return status;
        there[index] = true;
    }
    return VTA_OK;
}

static vta_status check_all(const cli_tensors *t, const bool *there) {
    char text[200];
    for (size_t i = 0; i < t->count; i++) {
        const cli_tensor *w = &t->item[i];
        if (!there[i])
            return fail(VTA_INVALID_ARGUMENT, "input %s of %s is not given: --input %s=FILE.npy, %s", w->name, t->model,
                        w->name, cli_tensor_describe(w, text, sizeof text));
    }
    return VTA_OK;
}

static vta_status make_data(const cli_tensors *t, void ***out_data, bool **out_there) {
    *out_data = calloc(t->count + 1, sizeof **out_data);
    *out_there = calloc(t->count + 1, sizeof **out_there);
    bool made = *out_data && *out_there;
    for (size_t i = 0; made && i < t->count; i++) {
        (*out_data)[i] = calloc(1, t->item[i].bytes ? t->item[i].bytes : 1);
        made = (*out_data)[i] != NULL;
    }
    return made ? VTA_OK : fail(VTA_NO_MEMORY, "out of memory");
}

vta_status cli_tensors_read(const cli_tensors *t, const cli_list *given, const cli_pictures *how, bool all,
                            void ***out_data) {
    bool *there;
    vta_status status = make_data(t, out_data, &there);
    if (status == VTA_OK) status = read_given(t, given, how, *out_data, there);
    if (status == VTA_OK && all) status = check_all(t, there);
    free(there);
    return status;
}

void cli_tensors_free(const cli_tensors *t, void **data) {
    for (size_t i = 0; data && i < t->count; i++) free(data[i]);
    free(data);
}

/* ---- Outputs ---- */

vta_status cli_tensors_write(const cli_tensors *t, const cli_list *asked, void *const *data) {
    vta_status status = VTA_OK;
    for (int i = 0; i < asked->count && status == VTA_OK; i++) {
        size_t index;
        const char *file;
        status = cli_tensors_find(t, asked->item[i], &index, &file);
        if (status != VTA_OK) break;
        cli_cut cut;
        status = cli_tensor_cut(t, data, index, &cut);
        if (status != VTA_OK) break;
        const DLTensor tensor = {.data = (void *)cut.data,
                                 .device = {kDLCPU, 0},
                                 .ndim = cut.tensor.ndim,
                                 .dtype = cut.tensor.type,
                                 .shape = (int64_t *)cut.tensor.shape};
        status = vta_tensor_save_npy(&tensor, file, cli_diag());
        cli_cut_free(&cut);
    }
    return status;
}

static bool value_of(const cli_tensor *t, const void *data, size_t index, double *out) {
    const uint8_t *at = (const uint8_t *)data + index * (t->type.bits / 8u);
    switch (t->type.code << 8 | t->type.bits) {
    case kDLFloat << 8 | 32: *out = (double)*(const float *)(const void *)at; return true;
    case kDLInt << 8 | 8: *out = *(const int8_t *)at; return true;
    case kDLInt << 8 | 64: *out = (double)*(const int64_t *)(const void *)at; return true;
    case kDLInt << 8 | 32: *out = *(const int32_t *)(const void *)at; return true;
    case kDLUInt << 8 | 8: *out = *at; return true;
    default: return false;
    }
}

/* The places of the largest values, the largest first; gives how many there are. */
static size_t find_top(const cli_tensor *t, const void *data, size_t top[TOP]) {
    size_t n = 0, count = t->bytes / (t->type.bits < 8 ? 1 : t->type.bits / 8u);
    double value, other;
    for (size_t i = 0; i < count && value_of(t, data, i, &value); i++) {
        size_t at = n < TOP ? n++ : TOP;
        for (; at > 0 && value_of(t, data, top[at - 1], &other) && other < value; at--)
            if (at < TOP) top[at] = top[at - 1];
        if (at < TOP) top[at] = i;
    }
    return n;
}

static void print_one(const cli_tensor *t, const void *data) {
    char text[200];
    size_t top[TOP], n = find_top(t, data, top);
    double value = 0;
    printf("%s: %s", t->name, cli_tensor_describe(t, text, sizeof text));
    for (size_t i = 0; i < n; i++) {
        value_of(t, data, top[i], &value);
        printf("%s %g at %zu", i ? "," : "; largest", value, top[i]);
    }
    printf("\n");
}

void cli_tensors_print(const cli_tensors *t, void *const *data) {
    cli_cut cut;
    for (size_t i = 0; i < cli_tensors_shown(t) && cli_tensor_cut(t, data, i, &cut) == VTA_OK; i++) {
        print_one(&cut.tensor, cut.data);
        cli_cut_free(&cut);
    }
}

static json_t *json_of(const cli_tensor *t, const void *data) {
    char text[200];
    size_t top[TOP], n = find_top(t, data, top);
    double value = 0;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        value_of(t, data, top[i], &value);
        json_array_append_new(list, json_pack("{s:I, s:f}", "index", (json_int_t)top[i], "value", value));
    }
    return json_pack("{s:s, s:s, s:o}", "name", t->name, "shape", cli_tensor_describe(t, text, sizeof text), "top",
                     list);
}

json_t *cli_tensors_json(const cli_tensors *t, void *const *data) {
    json_t *list = json_array();
    cli_cut cut;
    for (size_t i = 0; i < cli_tensors_shown(t) && cli_tensor_cut(t, data, i, &cut) == VTA_OK; i++) {
        json_array_append_new(list, json_of(&cut.tensor, cut.data));
        cli_cut_free(&cut);
    }
    return list;
}
