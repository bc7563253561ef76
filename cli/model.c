#include "model.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "findings.h"
#include "stats.h"
#include "vta/module.h"

enum { TOP = 5 };

typedef struct opened {
    const cli_model *m;
    vta_model *model;
    vta_instance *instance;
    double seconds; /* of the quickest run */
} opened;

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

bool cli_is_model(const char *path) {
    static const unsigned char magic[4] = {0x8d, 'V', 'T', 'M'};
    unsigned char begin[sizeof magic];
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    size_t n = fread(begin, 1, sizeof begin, f);
    fclose(f);
    return n == sizeof magic && !memcmp(begin, magic, sizeof magic);
}

vta_status cli_model_program(const char *path, vta_diag *diag, vta_program **out_program) {
    vta_model *model;
    vta_status status = vta_model_load(path, NULL, diag, &model);
    if (status == VTA_OK) status = vta_model_program(model, diag, out_program);
    vta_model_release(model);
    return status;
}

/* "float32[1, 3, 224, 224]" */
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

/* ---- Inputs and outputs ---------------------------------------------------------------------------------------- */

/* Which tensor "NAME=FILE" or "FILE" is about, and the file. */
static vta_status which(const opened *o, const char *item, bool input, size_t *out_index, const char **out_file) {
    size_t count = input ? vta_model_input_count(o->model) : vta_model_output_count(o->model);
    const char *what = input ? "input" : "output", *equal = strchr(item, '=');
    char name[256];
    *out_index = 0;
    *out_file = item;
    if (equal && (size_t)(equal - item) < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)(equal - item), item);
        size_t found = input ? vta_model_find_input(o->model, name) : vta_model_find_output(o->model, name);
        if (found == SIZE_MAX)
            return fail(VTA_NOT_FOUND, "--%s %s: %s has no %s '%s'", what, item, o->m->path, what, name);
        *out_index = found;
        *out_file = equal + 1;
        return VTA_OK;
    }
    if (count == 1) return VTA_OK;
    return fail(VTA_INVALID_ARGUMENT, "--%s %s: %s has %zu: say which, NAME=FILE.npy", what, item, o->m->path, count);
}

static vta_status set_input(const opened *o, size_t index, const char *file) {
    vta_model_tensor want = {0};
    vta_array *array;
    char have_text[200], want_text[200];
    vta_model_input(o->model, index, &want);
    vta_status status = vta_array_load_npy(file, NULL, cli_diag(), &array);
    if (status != VTA_OK) return status;
    const DLTensor *have = vta_array_tensor(array);
    bool same = !memcmp(&have->dtype, &want.type, sizeof want.type) && have->ndim == want.ndim;
    for (int32_t i = 0; same && i < want.ndim; i++) same = have->shape[i] == want.shape[i];
    status = same ? vta_instance_set_input(o->instance, index, have->data, vta_array_bytes(array), cli_diag())
                  : fail(VTA_MISMATCH, "%s is %s; input %s of %s is %s", file,
                         describe(have->dtype, have->ndim, have->shape, have_text, sizeof have_text), want.name,
                         o->m->path, describe(want.type, want.ndim, want.shape, want_text, sizeof want_text));
    vta_array_free(array);
    return status;
}

static vta_status set_zeros(const opened *o, size_t index) {
    vta_model_tensor t = {0};
    vta_model_input(o->model, index, &t);
    void *zeros = calloc(1, t.bytes ? t.bytes : 1);
    if (!zeros) return fail(VTA_NO_MEMORY, "out of memory");
    vta_status status = vta_instance_set_input(o->instance, index, zeros, t.bytes, cli_diag());
    free(zeros);
    return status;
}

static vta_status set_inputs(const opened *o, bool all) {
    bool given[CLI_LIST_MOST] = {false};
    size_t index, count = vta_model_input_count(o->model);
    const char *file;
    for (int i = 0; i < o->m->inputs.count; i++) {
        vta_status status = which(o, o->m->inputs.item[i], true, &index, &file);
        if (status == VTA_OK) status = set_input(o, index, file);
        if (status != VTA_OK) return status;
        if (index < CLI_LIST_MOST) given[index] = true;
    }
    for (size_t i = 0; i < count; i++) {
        vta_model_tensor t = {0};
        char text[200];
        if (i < CLI_LIST_MOST && given[i]) continue;
        vta_model_input(o->model, i, &t);
        if (all)
            return fail(VTA_INVALID_ARGUMENT, "input %s of %s is not given: --input %s=FILE.npy, %s", t.name,
                        o->m->path, t.name, describe(t.type, t.ndim, t.shape, text, sizeof text));
        vta_status status = set_zeros(o, i);
        if (status != VTA_OK) return status;
    }
    return VTA_OK;
}

/* The values of an output; free() it. */
static void *get_output(const opened *o, size_t index, vta_model_tensor *t) {
    vta_model_output(o->model, index, t);
    void *data = malloc(t->bytes ? t->bytes : 1);
    if (!data || vta_instance_get_output(o->instance, index, data, t->bytes, cli_diag()) == VTA_OK) return data;
    free(data);
    return NULL;
}

static vta_status save_output(const opened *o, const char *item) {
    vta_model_tensor t = {0};
    size_t index;
    const char *file;
    vta_status status = which(o, item, false, &index, &file);
    if (status != VTA_OK) return status;
    void *data = get_output(o, index, &t);
    if (!data) return fail(VTA_NO_MEMORY, "out of memory");
    const DLTensor tensor = {
        .data = data, .device = {kDLCPU, 0}, .ndim = t.ndim, .dtype = t.type, .shape = (int64_t *)t.shape};
    status = vta_tensor_save_npy(&tensor, file, cli_diag());
    free(data);
    return status;
}

/* ---- Running --------------------------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static vta_status open_model(const cli_model *m, opened *o) {
    vta_device_options device = m->device->options;
    device.check = m->device->check;
    device.skip_execution = m->device->skip_execution;
    const vta_instance_options options = {
        .driver = m->device->driver ? m->device->driver : "sim", .device = &device, .timing = m->timing};
    *o = (opened){.m = m};
    vta_status status = vta_model_load(m->path, NULL, cli_diag(), &o->model);
    return status == VTA_OK ? vta_instance_create(o->model, &options, cli_diag(), &o->instance) : status;
}

static void close_model(opened *o) {
    vta_instance_destroy(o->instance);
    vta_model_release(o->model);
}

static vta_status run(opened *o) {
    vta_status status = VTA_OK;
    for (uint64_t i = 0; i == 0 || (i < o->m->repeat && status == VTA_OK); i++) {
        vta_device_clear_counters(vta_instance_device(o->instance));
        double begin = now();
        status = vta_instance_run(o->instance, cli_diag());
        double seconds = now() - begin;
        if (i == 0 || seconds < o->seconds) o->seconds = seconds;
    }
    return status;
}

/* ---- What came out --------------------------------------------------------------------------------------------- */

static bool value_of(const vta_model_tensor *t, const void *data, size_t index, double *out) {
    const uint8_t *at = (const uint8_t *)data + index * (t->type.bits / 8u);
    switch (t->type.code << 8 | t->type.bits) {
    case kDLFloat << 8 | 32: *out = (double)*(const float *)(const void *)at; return true;
    case kDLInt << 8 | 8: *out = *(const int8_t *)at; return true;
    case kDLInt << 8 | 32: *out = *(const int32_t *)(const void *)at; return true;
    case kDLUInt << 8 | 8: *out = *at; return true;
    default: return false;
    }
}

/* The places of the largest values, the largest first; gives how many there are. */
static size_t find_top(const vta_model_tensor *t, const void *data, size_t top[TOP]) {
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

static void print_output(const vta_model_tensor *t, const void *data) {
    char text[200];
    size_t top[TOP], n = find_top(t, data, top);
    double value = 0;
    printf("%s: %s", t->name, describe(t->type, t->ndim, t->shape, text, sizeof text));
    for (size_t i = 0; i < n; i++) {
        value_of(t, data, top[i], &value);
        printf("%s %g at %zu", i ? "," : "; largest", value, top[i]);
    }
    printf("\n");
}

static json_t *output_json(const vta_model_tensor *t, const void *data) {
    char text[200];
    size_t top[TOP], n = find_top(t, data, top);
    double value = 0;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        value_of(t, data, top[i], &value);
        json_array_append_new(list, json_pack("{s:I, s:f}", "index", (json_int_t)top[i], "value", value));
    }
    return json_pack("{s:s, s:s, s:o}", "name", t->name, "shape",
                     describe(t->type, t->ndim, t->shape, text, sizeof text), "top", list);
}

static vta_status report(const opened *o) {
    vta_counters counters = vta_device_counters(vta_instance_device(o->instance));
    json_t *outputs = json_array();
    vta_status status = VTA_OK;
    for (size_t i = 0; i < vta_model_output_count(o->model) && status == VTA_OK; i++) {
        vta_model_tensor t = {0};
        void *data = get_output(o, i, &t);
        if (!data) status = fail(VTA_NO_MEMORY, "out of memory");
        if (data && o->m->json) json_array_append_new(outputs, output_json(&t, data));
        if (data && !o->m->json) print_output(&t, data);
        free(data);
    }
    if (o->m->json && status == VTA_OK) {
        json_t *j = json_pack("{s:s, s:s, s:f, s:O, s:o}", "model", vta_model_name(o->model), "driver",
                              vta_device_driver(vta_instance_device(o->instance)), "seconds", o->seconds, "outputs",
                              outputs, "stats", cli_stats_json(&counters));
        if (o->m->device->check) cli_findings_json(j, vta_device_findings_to_json(vta_instance_device(o->instance)));
        cli_print_json(j);
    } else if (status == VTA_OK) {
        printf("%.2f ms", o->seconds * 1e3);
        if (counters.cycles) printf(", %llu cycles", (unsigned long long)counters.cycles);
        printf("%s\n", o->m->device->check ? "; no races" : "");
    }
    json_decref(outputs);
    return status;
}

vta_status cli_run_model(const cli_model *m) {
    opened o;
    vta_status status = open_model(m, &o);
    if (status == VTA_OK) status = set_inputs(&o, true);
    if (status == VTA_OK) status = run(&o);
    if (o.instance && m->device->check) cli_findings_warn(vta_device_findings_to_json(vta_instance_device(o.instance)));
    for (int i = 0; i < m->outputs.count && status == VTA_OK; i++) status = save_output(&o, m->outputs.item[i]);
    if (status == VTA_OK) status = report(&o);
    close_model(&o);
    return status;
}

/* ---- Profile --------------------------------------------------------------------------------------------------- */

static void print_row(const vta_model_step *s, const vta_step_profile *p, uint64_t cycles) {
    bool layer = s->layer != UINT32_MAX;
    const vta_counters *c = &p->counters;
    uint64_t bytes =
        c->inp_load_nbytes + c->wgt_load_nbytes + c->acc_load_nbytes + c->uop_load_nbytes + c->out_store_nbytes;
    printf("%s%-*.*s %-6s", layer ? "  " : "", layer ? 28 : 30, layer ? 28 : 30, s->name, layer ? "" : s->kind);
    if (!s->insn_count) {
        printf(" %12s %6s %12s %8s %10s %9.3f\n", "", "", "", "", "", p->seconds * 1e3);
        return;
    }
    printf(" %12llu %5.1f%% %12llu %8s %10llu", (unsigned long long)p->cycles,
           cycles ? 100.0 * (double)p->cycles / (double)cycles : 0, (unsigned long long)p->bound_cycles,
           p->compute_cycles >= p->memory_cycles ? "compute" : "memory", (unsigned long long)bytes);
    if (!layer) printf(" %9.3f", p->seconds * 1e3);
    printf("\n");
}

static void print_memory(const vta_model *model) {
    vta_model_memory m = {0};
    vta_model_get_memory(model, &m);
    printf("device memory %llu bytes (parameters %llu, streams %llu, work %llu), host memory %llu, file %llu\n",
           (unsigned long long)m.device_bytes, (unsigned long long)m.params_bytes, (unsigned long long)m.stream_bytes,
           (unsigned long long)m.work_bytes, (unsigned long long)m.host_bytes, (unsigned long long)m.file_bytes);
}

static vta_status print_profile(opened *o) {
    vta_model_step s = {0};
    vta_step_profile p = {0};
    uint64_t cycles = 0;
    double seconds = 0, device = 0;
    for (size_t i = 0; vta_model_get_step(o->model, i, &s) == VTA_OK; i++) {
        vta_status status = vta_instance_profile(o->instance, i, cli_diag(), &p);
        if (status != VTA_OK) return status;
        if (s.layer == UINT32_MAX) cycles += p.cycles;
        seconds += p.seconds;
        if (s.insn_count) device += p.seconds;
    }
    printf("%-30s %-6s %12s %6s %12s %8s %10s %9s\n", "step", "kind", "cycles", "share", "bound", "limit", "bytes",
           "host ms");
    for (size_t i = 0; vta_model_get_step(o->model, i, &s) == VTA_OK; i++) {
        vta_instance_profile(o->instance, i, cli_diag(), &p);
        print_row(&s, &p, cycles);
    }
    printf("%llu cycles; %.3f ms on this host, %.3f ms of them in %s\n", (unsigned long long)cycles, seconds * 1e3,
           device * 1e3, vta_device_driver(vta_instance_device(o->instance)));
    print_memory(o->model);
    return VTA_OK;
}

static vta_status print_profile_json(opened *o) {
    char *text;
    vta_status status = vta_instance_profile_json(o->instance, cli_diag(), &text);
    if (status == VTA_OK) cli_print_json(cli_json_of(text));
    return status;
}

vta_status cli_profile_model(const cli_model *m) {
    opened o;
    vta_status status = open_model(m, &o);
    if (status == VTA_OK) status = set_inputs(&o, false);
    if (status == VTA_OK) status = run(&o);
    if (status == VTA_OK) status = m->json ? print_profile_json(&o) : print_profile(&o);
    close_model(&o);
    return status;
}

/* A tool without the compiler runs nothing else. */
#ifndef VT_COMPILER
int cmd_run(const cli_command *self, int argc, char **argv) {
    static cli_device device;
    static cli_model m;
    const cli_option options[] = {CLI_MODEL_OPTIONS(&m),
                                  CLI_DEVICE_OPTIONS(&device),
                                  {"json", 'j', CLI_FLAG, NULL, "print JSON instead of text", &m.json},
                                  {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one compiled network is needed, not %d", argc);
    m.path = argv[0];
    m.device = &device;
    return cli_finish(cli_run_model(&m));
}
#endif
