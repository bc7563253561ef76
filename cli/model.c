#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "findings.h"
#include "stats.h"
#include "tensors.h"

typedef struct opened {
    const cli_model *m;
    vta_model *model; /* cli_model_load's */
    vta_instance *instance;
    cli_tensors inputs, outputs;
    void **input_data, **output_data;
    double seconds; /* of the quickest run */
} opened;

/* ---- Which files are networks ---------------------------------------------------------------------------------- */

bool cli_is_artifact(const char *path) {
    static const unsigned char magic[4] = {0x8d, 'V', 'T', 'M'};
    unsigned char begin[sizeof magic];
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    size_t n = fread(begin, 1, sizeof begin, f);
    fclose(f);
    return n == sizeof magic && !memcmp(begin, magic, sizeof magic);
}

bool cli_is_onnx(const char *path) {
    size_t n = strlen(path);
    return n > 5 && !strcmp(path + n - 5, ".onnx");
}

bool cli_is_model(const char *path) { return cli_is_onnx(path) || cli_is_artifact(path); }

#ifndef VT_COMPILER
vta_status cli_onnx_compile(const char *path, vta_diag *diag, vta_model **out_model) {
    char message[512];
    *out_model = NULL;
    snprintf(message, sizeof message, "%.400s: this tool was built without the compiler; give it a compiled network",
             path);
    vta_diag_add(diag, VTA_ERROR, VTA_UNSUPPORTED, message);
    return VTA_UNSUPPORTED;
}

void cli_onnx_use(const cli_common *common, const cli_list *inputs) {
    (void)common;
    (void)inputs;
}
#endif

vta_status cli_model_load(const char *path, vta_diag *diag, vta_model **out_model) {
    static struct {
        vta_model *model;
        char path[4096];
    } last;
    if (!last.model || strcmp(path, last.path)) {
        vta_model_release(last.model);
        last.model = NULL;
        vta_status status = cli_is_onnx(path) ? cli_onnx_compile(path, diag, &last.model)
                                              : vta_model_load(path, NULL, diag, &last.model);
        if (status != VTA_OK) return status;
        snprintf(last.path, sizeof last.path, "%s", path);
    }
    *out_model = last.model;
    return VTA_OK;
}

vta_status cli_model_program(const char *path, vta_diag *diag, vta_program **out_program) {
    vta_model *model;
    vta_status status = cli_model_load(path, diag, &model);
    return status == VTA_OK ? vta_model_program(model, diag, out_program) : status;
}

/* ---- Inputs and outputs ---------------------------------------------------------------------------------------- */

/* The tensors of one side; free() their list. */
static vta_status list_tensors(const opened *o, bool outputs, cli_tensors *out) {
    size_t count = outputs ? vta_model_output_count(o->model) : vta_model_input_count(o->model);
    cli_tensor *items = calloc(count + 1, sizeof *items);
    *out = (cli_tensors){o->m->path, outputs, count, items};
    if (!items) return VTA_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        vta_model_tensor t = {0};
        outputs ? vta_model_output(o->model, i, &t) : vta_model_input(o->model, i, &t);
        items[i] = (cli_tensor){t.name, t.type, t.ndim, t.shape, t.bytes};
    }
    return VTA_OK;
}

static vta_status set_inputs(opened *o, bool all) {
    vta_status status = cli_tensors_read(&o->inputs, &o->m->inputs, o->m->pictures, all, &o->input_data);
    for (size_t i = 0; i < o->inputs.count && status == VTA_OK; i++)
        status = vta_instance_set_input(o->instance, i, o->input_data[i], o->inputs.item[i].bytes, cli_diag());
    return status;
}

static vta_status get_outputs(opened *o) {
    static const cli_list none;
    vta_status status = cli_tensors_read(&o->outputs, &none, NULL, false, &o->output_data);
    for (size_t i = 0; i < o->outputs.count && status == VTA_OK; i++)
        status = vta_instance_get_output(o->instance, i, o->output_data[i], o->outputs.item[i].bytes, cli_diag());
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
    vta_status status = cli_model_load(m->path, cli_diag(), &o->model);
    if (status == VTA_OK) status = list_tensors(o, false, &o->inputs);
    if (status == VTA_OK) status = list_tensors(o, true, &o->outputs);
    return status == VTA_OK ? vta_instance_create(o->model, &options, cli_diag(), &o->instance) : status;
}

static void close_model(opened *o) {
    vta_instance_destroy(o->instance);
    cli_tensors_free(&o->inputs, o->input_data);
    cli_tensors_free(&o->outputs, o->output_data);
    free((void *)o->inputs.item);
    free((void *)o->outputs.item);
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

static void report(const opened *o) {
    vta_device *device = vta_instance_device(o->instance);
    vta_counters counters = vta_device_counters(device);
    if (o->m->json) {
        json_t *j = json_pack("{s:s, s:s, s:f, s:o, s:o}", "model", vta_model_name(o->model), "driver",
                              vta_device_driver(device), "seconds", o->seconds, "outputs",
                              cli_tensors_json(&o->outputs, o->output_data), "stats", cli_stats_json(&counters));
        if (o->m->device->check) cli_findings_json(j, vta_device_findings_to_json(device));
        cli_print_json(j);
        return;
    }
    cli_tensors_print(&o->outputs, o->output_data);
    printf("%.2f ms", o->seconds * 1e3);
    if (counters.cycles) printf(", %llu cycles", (unsigned long long)counters.cycles);
    printf("%s\n", o->m->device->check ? "; no races" : "");
}

vta_status cli_run_model(const cli_model *m) {
    opened o;
    vta_status status = open_model(m, &o);
    if (status == VTA_OK) status = set_inputs(&o, true);
    if (status == VTA_OK) status = run(&o);
    if (o.instance && m->device->check) cli_findings_warn(vta_device_findings_to_json(vta_instance_device(o.instance)));
    if (status == VTA_OK) status = get_outputs(&o);
    if (status == VTA_OK) status = cli_tensors_write(&o.outputs, &m->outputs, o.output_data);
    if (status == VTA_OK) report(&o);
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

/* ---- The network on the page of its profile --------------------------------------------------------------------- */

/* What becomes a layer of the page: all but runs of layers, which stand for themselves. */
static bool is_layer(const vta_model *model, size_t index, const vta_model_step *s) {
    vta_model_step next = {0};
    bool has_layers = vta_model_get_step(model, index + 1, &next) == VTA_OK && next.step == s->step;
    return s->layer != UINT32_MAX || !has_layers;
}

typedef struct paging {
    const opened *o;
    vta_profile *profile;
    uint32_t *layer_of; /* by the step's index */
    uint32_t count;
    uint64_t cycles;
} paging;

static vta_status add_layer(paging *p, size_t index, const vta_model_step *s, uint32_t *inputs) {
    vta_step_profile took = {0};
    const uint32_t *from;
    size_t count;
    vta_status status = vta_instance_profile(p->o->instance, index, cli_diag(), &took);
    if (status == VTA_OK) status = vta_model_step_inputs(p->o->model, index, cli_diag(), &from, &count);
    if (status != VTA_OK) return status;
    for (size_t i = 0; i < count; i++) inputs[i] = p->layer_of[from[i]];
    const vta_counters *c = &took.counters;
    vta_profile_layer l = {.name = s->name,
                           .kind = s->kind,
                           .begin = p->cycles,
                           .end = p->cycles + took.cycles,
                           .compute_cycles = took.compute_cycles,
                           .memory_cycles = took.memory_cycles,
                           .bytes = c->inp_load_nbytes + c->wgt_load_nbytes + c->acc_load_nbytes + c->uop_load_nbytes +
                                    c->out_store_nbytes,
                           .seconds = s->insn_count ? 0 : took.seconds,
                           .inputs = inputs,
                           .input_count = count};
    p->cycles = l.end;
    p->layer_of[index] = p->count++;
    return vta_profile_add_layer(p->profile, &l, cli_diag());
}

static vta_status add_layers(const opened *o, vta_profile *profile) {
    size_t count = vta_model_step_count(o->model);
    vta_model_step s = {0};
    paging p = {.o = o, .profile = profile, .layer_of = calloc(count + 1, sizeof(uint32_t))};
    uint32_t *inputs = calloc(count + 1, sizeof *inputs);
    vta_status status = p.layer_of && inputs ? VTA_OK : VTA_NO_MEMORY;
    for (size_t i = 0; status == VTA_OK && vta_model_get_step(o->model, i, &s) == VTA_OK; i++)
        if (is_layer(o->model, i, &s)) status = add_layer(&p, i, &s, inputs);
    free(inputs);
    free(p.layer_of);
    return status;
}

vta_status cli_model_layers(const cli_model *m, vta_profile *profile) {
    opened o;
    vta_status status = open_model(m, &o);
    if (status == VTA_OK) status = set_inputs(&o, false);
    if (status == VTA_OK) status = run(&o);
    if (status == VTA_OK) status = run(&o); /* the first one touches memory for the first time */
    if (status == VTA_OK) status = add_layers(&o, profile);
    close_model(&o);
    return status;
}

/* A tool without the compiler runs nothing else. */
#ifndef VT_COMPILER
int cmd_run(const cli_command *self, int argc, char **argv) {
    static cli_device device;
    static cli_model m;
    static cli_pictures pictures;
    const cli_option options[] = {CLI_MODEL_OPTIONS(&m),
                                  CLI_PICTURE_OPTIONS(&pictures),
                                  CLI_DEVICE_OPTIONS(&device),
                                  {"json", 'j', CLI_FLAG, NULL, "print JSON instead of text", &m.json},
                                  {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one compiled network is needed, not %d", argc);
    m.path = argv[0];
    m.device = &device;
    m.pictures = &pictures;
    vta_status status = cli_pictures_settle(&pictures, argv[0]);
    if (status == VTA_OK) status = cli_run_model(&m);
    free(pictures.labels);
    return cli_finish(status);
}
#endif
