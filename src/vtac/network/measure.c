/* What the layers of an artifact take: it is run once to warm up, and once to look. */
#include <string.h>

#include "network/report.h"

static vta_status run(vta_instance *instance, vta_diag *diag) {
    vta_status status = vta_instance_run(instance, diag);
    return status == VTA_OK ? vta_instance_run(instance, diag) : status;
}

/* Rows of the report in the order of the model's steps; those of a run share its seconds by their cycles. */
typedef struct reading {
    vtac_compile_report *report;
    vta_instance *instance;
    vta_diag *diag;
    double run_seconds; /* of the run whose layers come next */
    uint64_t run_cycles;
    uint32_t row;
} reading;

static vta_status mismatch(const reading *g) {
    return vt_fail(g->diag, VTA_MISMATCH, "the report is of another artifact: it has %u steps", g->report->row_count);
}

static vta_status read_step(reading *g, const vta_model_step *s, const vta_step_profile *p) {
    vtac_compile_report *r = g->report;
    if (!strcmp(s->kind, "run")) {
        g->run_seconds = p->seconds;
        g->run_cycles = p->cycles;
        r->seconds += p->seconds;
        return VTA_OK;
    }
    bool host = s->layer == UINT32_MAX;
    if (g->row == r->row_count || host != (r->rows[g->row].run == UINT32_MAX)) return mismatch(g);
    uint32_t owner = r->rows[g->row++].owner;
    double seconds = host ? p->seconds : g->run_cycles ? g->run_seconds * (double)p->cycles / (double)g->run_cycles : 0;
    if (host) r->seconds += seconds, r->host_seconds += seconds;
    if (owner >= r->count) return mismatch(g);
    r->layers[owner].cycles += host ? 0 : p->cycles;
    r->layers[owner].seconds += seconds;
    return VTA_OK;
}

static vta_status read_all(reading *g) {
    const vta_model *model = vta_instance_model(g->instance);
    vta_model_step s = {.size = sizeof s};
    vta_step_profile p = {.size = sizeof p};
    for (size_t i = 0; vta_model_get_step(model, i, &s) == VTA_OK; i++) {
        VT_TRY(vta_instance_profile(g->instance, i, g->diag, &p));
        VT_TRY(read_step(g, &s, &p));
    }
    return g->row == g->report->row_count ? VTA_OK : mismatch(g);
}

static void forget(vtac_compile_report *r) {
    for (size_t i = 0; i < r->count; i++) r->layers[i].cycles = 0, r->layers[i].seconds = 0;
    r->seconds = r->host_seconds = 0;
    r->is_measured = false;
}

vta_status vtac_compile_report_measure(vtac_compile_report *r, vta_model *model, const vta_instance_options *options,
                                       vta_diag *diag) {
    if (!r || !model) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", r ? "model" : "report");
    reading g = {.report = r, .diag = diag};
    VT_TRY(vta_instance_create(model, options, diag, &g.instance));
    forget(r);
    vta_status status = run(g.instance, diag);
    if (status == VTA_OK) status = read_all(&g);
    vta_instance_destroy(g.instance);
    r->is_measured = status == VTA_OK;
    if (status != VTA_OK) forget(r);
    return status;
}
