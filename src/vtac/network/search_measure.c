/* How good a network of integers is: decibels at the worst output, on samples that nothing was chosen by, and cycles.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "network/search.h"
#include "vta/exec.h"

static const vt_gvalue *output_of(const vt__searching *s, size_t i) { return s->shared->graph->outputs.item[i]; }
static size_t output_count(const vt__searching *s) { return s->shared->graph->outputs.count; }
static size_t first_measured(const vt__searching *s) { return s->shared->sample_count > 1 ? s->rounded : 0; }

/* ---- What the model gives ---- */

static vta_status compute_floats(vt__searching *s, vt_eval *e, size_t sample) {
    for (uint32_t i = 0; i < s->shared->graph->inputs.count; i++) vt_eval_input(e, i, s->shared->samples[sample][i]);
    VT_TRY(vt_eval_run(e, s->diag));
    for (size_t i = 0; i < output_count(s); i++) {
        const vt_gvalue *v = output_of(s, i);
        if (v->type.element != VT_ELEMENT_F32 || v->data) continue;
        float *copy = vt_alloc(s->shared->allocator, vt_gtype_bytes(&v->type) + 1);
        if (!copy) return vt_no_memory(s->diag);
        s->floats[sample * output_count(s) + i] = memcpy(copy, vt_eval_value(e, v), vt_gtype_bytes(&v->type));
    }
    return VTA_OK;
}

vta_status vt__search_open(vt__searching *s) {
    vt_eval *e = NULL;
    s->floats =
        vt_alloc_zero(s->shared->allocator, (s->shared->sample_count * output_count(s) + 1) * sizeof *s->floats);
    if (!s->floats) return vt_no_memory(s->diag);
    VT_TRY(vt_eval_open(s->shared->graph, NULL, s->shared->allocator, s->diag, &e));
    vta_status status = VTA_OK;
    s->groups = s->shared->sample_count - first_measured(s);
    if (s->groups > VT__GROUPS_MAX) s->groups = VT__GROUPS_MAX;
    for (size_t i = first_measured(s); i < s->shared->sample_count && status == VTA_OK; i++)
        status = compute_floats(s, e, i);
    vt_eval_close(e);
    return status;
}

void vt__search_close(vt__searching *s) {
    size_t count = s->shared->sample_count * output_count(s);
    for (size_t i = 0; s->floats && i < count; i++)
        if (s->floats[i])
            vt_free(s->shared->allocator, s->floats[i], vt_gtype_bytes(&output_of(s, i % output_count(s))->type) + 1);
    vt_free(s->shared->allocator, s->floats, (count + 1) * sizeof *s->floats);
    vta_model_release(s->model);
}

/* ---- What a network of integers gives ---- */

/* Adds what an output's floats are, and how far they are off. */
static void add_noise(const float *want, const float *got, int64_t count, double *signal, double *noise) {
    for (int64_t i = 0; i < count; i++) {
        double off = (double)want[i] - got[i];
        *signal += (double)want[i] * want[i];
        *noise += off * off;
    }
}

static vta_status run_sample(vt__searching *s, vta_instance *instance, size_t sample) {
    for (uint32_t i = 0; i < s->shared->graph->inputs.count; i++) {
        size_t bytes = vt_gtype_bytes(&s->shared->graph->inputs.item[i]->type);
        VT_TRY(vta_instance_set_input(instance, i, s->shared->samples[sample][i], bytes, s->of_try));
    }
    return vta_instance_run(instance, s->of_try);
}

/* Signal and noise of each output, by the group. */
static vta_status add_sample(vt__searching *s, vta_instance *instance, size_t sample, double *sums) {
    double *of_group = sums + (sample - first_measured(s)) % s->groups * 2 * output_count(s);
    VT_TRY(run_sample(s, instance, sample));
    for (size_t i = 0; i < output_count(s); i++) {
        const float *want = s->floats[sample * output_count(s) + i];
        if (want)
            add_noise(want, vta_instance_output_data(instance, i), vt_gtype_count(&output_of(s, i)->type),
                      &of_group[2 * i], &of_group[2 * i + 1]);
    }
    return VTA_OK;
}

/* Noise over signal at the worst output; no output of floats, or no signal: everything is as good. */
static double worst_share(const vt__searching *s, const double *sums) {
    double worst = 1e-20;
    for (size_t i = 0; i < output_count(s); i++)
        if (sums[2 * i] > 0) worst = fmax(worst, sums[2 * i + 1] / sums[2 * i]);
    return worst;
}

static vta_status measure(vt__searching *s, vta_instance *instance, vt__found *out) {
    size_t each = 2 * output_count(s), bytes = ((s->groups + 1) * each + 1) * sizeof(double);
    double *sums = vt_alloc_zero(s->shared->allocator, bytes);
    if (!sums) return vt_no_memory(s->of_try);
    vta_status status = VTA_OK;
    for (size_t sample = first_measured(s); sample < s->shared->sample_count && status == VTA_OK; sample++)
        status = add_sample(s, instance, sample, sums);
    double *all = sums + s->groups * each;
    for (size_t i = 0; i < s->groups * each; i++) all[i % each] += sums[i];
    for (size_t i = 0; i < s->groups; i++) out->shares[i] = worst_share(s, sums + i * each);
    out->decibels = -10 * log10(worst_share(s, all));
    vt_free(s->shared->allocator, sums, bytes);
    return status;
}

static vta_status run_model(vt__searching *s, vta_model *model, vtac_compile_report *report, vt__found *out) {
    static const vta_instance_options on_sim = {.size = sizeof on_sim, .driver = "sim"};
    vtac_compile_summary sum = {.size = sizeof sum};
    vta_instance *instance;
    VT_TRY(vtac_compile_report_measure(report, model, &on_sim, s->of_try));
    VT_TRY(vtac_compile_report_sum(report, &sum));
    out->cycles = sum.cycles;
    VT_TRY(vta_instance_create(model, &on_sim, s->of_try, &instance));
    vta_status status = measure(s, instance, out);
    vta_instance_destroy(instance);
    return status;
}

vta_status vt__search_measure(vt__searching *s, const vtac_quantized *q, vt__found *out,
                              vtac_compile_report **out_report) {
    uint8_t *bytes;
    size_t size;
    vtac_compile_report *report;
    vta_model_release(s->model);
    s->model = NULL;
    VT_TRY(vtac_quantized_compile(q, s->config, NULL, s->of_try, &bytes, &size, &report));
    vta_status status = vta_model_parse(bytes, size, "search", s->shared->allocator, s->of_try, &s->model);
    vta_string_free((char *)bytes);
    if (status == VTA_OK) status = run_model(s, s->model, report, out);
    if (status == VTA_OK && out_report)
        *out_report = report;
    else
        vtac_compile_report_destroy(report);
    return status;
}
