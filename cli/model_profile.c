/* What each step and layer of a network took: as a table, as JSON, and on the page of a profile. */
#include <stdlib.h>
#include <string.h>

#include "model_open.h"
#include "vta/support.h"

/* A run has the name of its first layer, which stands below it: it is called by its number and what it holds. */
static const char *name_run(const vta_model *model, size_t index, uint32_t run, char out[40]) {
    vta_model_step s = {0}, layer = {0};
    size_t count = 0;
    vta_model_get_step(model, index, &s);
    while (vta_model_get_step(model, index + count + 1, &layer) == VTA_OK && layer.step == s.step) count++;
    if (count) snprintf(out, 40, "run %u, %zu layer%s", run, count, count == 1 ? "" : "s");
    return count ? out : NULL;
}

static void print_row(const vta_model_step *s, const vta_step_profile *p, uint64_t cycles) {
    bool layer = s->layer != UINT32_MAX;
    const vta_counters *c = &p->counters;
    uint64_t bytes =
        c->inp_load_nbytes + c->wgt_load_nbytes + c->acc_load_nbytes + c->uop_load_nbytes + c->out_store_nbytes;
    char name[512];
    int width = layer ? 28 : 30;
    printf("%s%-*s %-6s", layer ? "  " : "", width, vta_short_name(s->name, (size_t)width, name, sizeof name),
           layer ? "" : s->kind);
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

static vta_status print_profile(cli_opened_model *o) {
    vta_model_step s = {0};
    vta_step_profile p = {0};
    uint64_t cycles = 0;
    uint32_t runs = 0;
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
        char text[40];
        bool is_run = s.layer == UINT32_MAX && s.insn_count;
        const char *name = is_run ? name_run(o->model, i, ++runs, text) : NULL;
        if (name) s.name = name;
        vta_instance_profile(o->instance, i, cli_diag(), &p);
        print_row(&s, &p, cycles);
    }
    printf("%llu cycles; %.3f ms on this host, %.3f ms of them in %s\n", (unsigned long long)cycles, seconds * 1e3,
           device * 1e3, vta_device_driver(vta_instance_device(o->instance)));
    print_memory(o->model);
    return VTA_OK;
}

static vta_status profile_json(cli_opened_model *o, json_t **out) {
    char *text;
    vta_status status = vta_instance_profile_json(o->instance, cli_diag(), &text);
    *out = status == VTA_OK ? cli_json_of(text) : NULL;
    return status;
}

static vta_status print_profile_json(cli_opened_model *o) {
    json_t *json;
    vta_status status = profile_json(o, &json);
    if (status == VTA_OK) cli_print_json(json);
    return status;
}

vta_status cli_profile_model(const cli_model *m) {
    cli_opened_model o;
    vta_status status = cli_model_open(m, &o);
    if (status == VTA_OK) status = cli_model_set_inputs(&o, false);
    if (status == VTA_OK) status = cli_model_measure_warm(&o);
    if (status == VTA_OK) status = m->json ? print_profile_json(&o) : print_profile(&o);
    cli_model_close(&o);
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
    const cli_opened_model *o;
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

static vta_status add_layers(const cli_opened_model *o, vta_profile *profile) {
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

vta_status cli_model_layers(const cli_model *m, vta_profile *profile, json_t **out_json) {
    cli_opened_model o;
    vta_status status = cli_model_open(m, &o);
    if (status == VTA_OK) status = cli_model_set_inputs(&o, false);
    if (status == VTA_OK) status = cli_model_measure_warm(&o);
    if (status == VTA_OK) status = add_layers(&o, profile);
    if (status == VTA_OK && out_json) status = profile_json(&o, out_json);
    cli_model_close(&o);
    return status;
}
