/* The best network of integers for the samples: a list of ways to quantize, each tried with the best of those before.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/versioned.h"
#include "network/handles.h"
#include "vta/exec.h"

/* ---- What is tried ---- */

/* Those of a kind exclude each other: the best of them is taken. What takes long to try stands last, so that the others
 * are not tried with it. */
typedef enum trial_kind {
    TRY_RANGE,
    TRY_REQUANTIZE,
    TRY_EQUALIZE,
    TRY_ROUNDING,
    TRY_RESULT_BITS,
    TRY_PRECISE
} trial_kind;

typedef struct trial {
    trial_kind kind;
    int value;
    const char *text;
} trial;

static const trial trials[] = {
    {TRY_RANGE, VTAC_RANGE_SQUARES, "--range squares"},
    {TRY_RANGE, VTAC_RANGE_MAX, "--range max"},
    {TRY_EQUALIZE, 1, "--equalize"},
    {TRY_REQUANTIZE, VTAC_REQUANTIZE_MULTIPLY, "--requantize multiply"},
    {TRY_RESULT_BITS, 16, "--result-bits 16"},
    {TRY_PRECISE, 1, "--precise all"},
    {TRY_RANGE, VTAC_RANGE_KL, "--range kl"},
    {TRY_ROUNDING, VTAC_ROUNDING_ADAPTIVE, "--rounding adaptive"},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static const char *const all_values[] = {"all"};

static void apply(const trial *t, vtac_quantize_options *o) {
    switch (t->kind) {
    case TRY_RANGE: o->method = (vtac_range_method)t->value; break;
    case TRY_REQUANTIZE: o->requantize = (vtac_requantize)t->value; break;
    case TRY_EQUALIZE: o->equalize = true; break;
    case TRY_ROUNDING: o->rounding = (vtac_rounding)t->value; break;
    case TRY_RESULT_BITS: o->result_bits = (uint32_t)t->value; break;
    case TRY_PRECISE:
        o->precise = all_values;
        o->precise_count = 1;
        break;
    }
}

/* ---- The search -------------------------------------------------------------------------------------------------- */

typedef struct found {
    double decibels;
    uint64_t cycles;
    double seconds; /* of quantizing: what the end of the search takes again */
} found;

typedef struct searching {
    const vtac_calibration *calibration;
    vt__shared *shared;
    vtac_search_options search;
    const vta_config *config;
    vta_diag *diag;        /* the caller's */
    vta_diag *of_try;      /* of what is tried */
    size_t rounded;        /* samples for ranges and rounding; those behind them are measured */
    float **floats;        /* by sample and output: what the model gives; NULL: an output of other numbers */
    double begin, longest; /* seconds: when it began; what a try took at most */
    vtac_quantize_options best;
    const trial *taken[TRIALS]; /* in the order of the list */
    found start, now;
    bool ends;
} searching;

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const vt_gvalue *output_of(const searching *s, size_t i) { return s->shared->graph->outputs.item[i]; }
static size_t output_count(const searching *s) { return s->shared->graph->outputs.count; }
static size_t first_measured(const searching *s) { return s->shared->sample_count > 1 ? s->rounded : 0; }

/* ---- What the model gives ---- */

static vta_status compute_floats(searching *s, vt_eval *e, size_t sample) {
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

static vta_status open_floats(searching *s) {
    vt_eval *e = NULL;
    s->floats =
        vt_alloc_zero(s->shared->allocator, (s->shared->sample_count * output_count(s) + 1) * sizeof *s->floats);
    if (!s->floats) return vt_no_memory(s->diag);
    VT_TRY(vt_eval_open(s->shared->graph, NULL, s->shared->allocator, s->diag, &e));
    vta_status status = VTA_OK;
    for (size_t i = first_measured(s); i < s->shared->sample_count && status == VTA_OK; i++)
        status = compute_floats(s, e, i);
    vt_eval_close(e);
    return status;
}

static void close_floats(searching *s) {
    size_t count = s->shared->sample_count * output_count(s);
    for (size_t i = 0; s->floats && i < count; i++)
        if (s->floats[i])
            vt_free(s->shared->allocator, s->floats[i], vt_gtype_bytes(&output_of(s, i % output_count(s))->type) + 1);
    vt_free(s->shared->allocator, s->floats, (count + 1) * sizeof *s->floats);
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

static vta_status run_sample(searching *s, vta_instance *instance, size_t sample) {
    for (uint32_t i = 0; i < s->shared->graph->inputs.count; i++) {
        size_t bytes = vt_gtype_bytes(&s->shared->graph->inputs.item[i]->type);
        VT_TRY(vta_instance_set_input(instance, i, s->shared->samples[sample][i], bytes, s->of_try));
    }
    return vta_instance_run(instance, s->of_try);
}

/* No output of floats, or no signal: everything is as good. */
static vta_status measure(searching *s, vta_instance *instance, double *out_decibels) {
    enum { EXACT = 200 };
    *out_decibels = EXACT;
    double *sums = vt_alloc_zero(s->shared->allocator, (2 * output_count(s) + 1) * sizeof *sums);
    if (!sums) return vt_no_memory(s->of_try);
    vta_status status = VTA_OK;
    for (size_t sample = first_measured(s); sample < s->shared->sample_count && status == VTA_OK; sample++) {
        status = run_sample(s, instance, sample);
        for (size_t i = 0; i < output_count(s) && status == VTA_OK; i++) {
            const float *want = s->floats[sample * output_count(s) + i];
            if (want)
                add_noise(want, vta_instance_output_data(instance, i), vt_gtype_count(&output_of(s, i)->type),
                          &sums[2 * i], &sums[2 * i + 1]);
        }
    }
    for (size_t i = 0; i < output_count(s); i++)
        if (sums[2 * i] > 0 && sums[2 * i + 1] > 0)
            *out_decibels = fmin(*out_decibels, 10 * log10(sums[2 * i] / sums[2 * i + 1]));
    vt_free(s->shared->allocator, sums, (2 * output_count(s) + 1) * sizeof *sums);
    return status;
}

static vta_status run_model(searching *s, vta_model *model, vtac_compile_report *report, found *out) {
    static const vta_instance_options on_sim = {.size = sizeof on_sim, .driver = "sim"};
    vtac_compile_summary sum = {.size = sizeof sum};
    vta_instance *instance;
    VT_TRY(vtac_compile_report_measure(report, model, &on_sim, s->of_try));
    VT_TRY(vtac_compile_report_sum(report, &sum));
    out->cycles = sum.cycles;
    VT_TRY(vta_instance_create(model, &on_sim, s->of_try, &instance));
    vta_status status = measure(s, instance, &out->decibels);
    vta_instance_destroy(instance);
    return status;
}

static vta_status compile_and_run(searching *s, const vtac_quantized *q, found *out) {
    uint8_t *bytes;
    size_t size;
    vtac_compile_report *report;
    vta_model *model = NULL;
    VT_TRY(vtac_quantized_compile(q, s->config, NULL, s->of_try, &bytes, &size, &report));
    vta_status status = vta_model_parse(bytes, size, "search", s->shared->allocator, s->of_try, &model);
    vta_string_free((char *)bytes);
    if (status == VTA_OK) status = run_model(s, model, report, out);
    vta_model_release(model);
    vtac_compile_report_destroy(report);
    return status;
}

/* The network is forgotten: only its options stay. */
static vta_status try_options(searching *s, const vtac_quantize_options *options, found *out) {
    vtac_quantized *q = NULL;
    vt_arena_mark mark = vt_arena_here(&s->shared->ctx.arena);
    vta_diag_clear(s->of_try);
    double begin = seconds_now();
    vta_status status = vt__quantize_by(s->calibration, options, 0, s->rounded, s->of_try, &q);
    out->seconds = seconds_now() - begin;
    if (status == VTA_OK) status = compile_and_run(s, q, out);
    vtac_quantized_destroy(q);
    vt_arena_rewind(&s->shared->ctx.arena, mark);
    return status;
}

/* ---- One after the other ---- */

/* What stands for the options: those taken, and one that is tried (NULL: none). */
static void write_options(const searching *s, const trial *more, char *to, size_t size) {
    size_t at = 0;
    *to = 0;
    for (int i = 0; i < TRIALS; i++) {
        const trial *t = more == &trials[i] ? more : s->taken[i];
        if (!t || (more && t != more && t->kind == more->kind)) continue;
        int n = snprintf(to + at, size - at, "%s%s", at ? " " : "", t->text);
        if (n > 0 && at + (size_t)n < size) at += (size_t)n;
    }
}

static void tell(searching *s, const trial *t, const char *error, const found *f, bool is_taken) {
    char options[256];
    write_options(s, t, options, sizeof options);
    vtac_search_step step = {.size = sizeof step,
                             .options = options,
                             .error = error,
                             .decibels = f->decibels,
                             .cycles = f->cycles,
                             .seconds = seconds_now() - s->begin,
                             .is_taken = is_taken};
    if (s->search.tried && s->search.tried(s->search.user, &step)) s->ends = true;
}

/* A bit more in all integers is 6 dB: of that, a doubling of the cycles has to bring most. */
static bool is_better(const searching *s, const found *f) {
    const double least = 0.1, for_doubling = 4;
    double more = s->now.cycles ? log2(fmax(1, (double)f->cycles / (double)s->now.cycles)) : 0;
    double most = s->search.cycles > 0 ? (double)s->start.cycles * (1 + s->search.cycles) : INFINITY;
    return f->decibels >= s->now.decibels + least + for_doubling * more && (double)f->cycles <= most;
}

static void take(searching *s, const trial *t, const vtac_quantize_options *options, const found *f) {
    for (int i = 0; i < TRIALS; i++)
        if (s->taken[i] && s->taken[i]->kind == t->kind) s->taken[i] = NULL;
    s->taken[t - trials] = t;
    s->best = *options;
    s->now = *f;
}

static bool is_same(const vtac_quantize_options *a, const vtac_quantize_options *b) {
    return a->method == b->method && a->requantize == b->requantize && a->equalize == b->equalize &&
           a->rounding == b->rounding && a->result_bits == b->result_bits && a->precise == b->precise;
}

/* What this network, or this machine, cannot is passed over; what ends all else ends the search. */
static vta_status try_one(searching *s, const trial *t) {
    vtac_quantize_options options = s->best;
    found f = {0};
    double begin = seconds_now();
    apply(t, &options);
    if (is_same(&options, &s->best)) return VTA_OK;
    vta_status status = try_options(s, &options, &f);
    if (status == VTA_NO_MEMORY || status == VTA_INTERRUPTED) return status;
    bool better = status == VTA_OK && is_better(s, &f);
    tell(s, t, status == VTA_OK ? NULL : vta_diag_text(s->of_try), &f, better);
    if (better) take(s, t, &options, &f);
    s->longest = fmax(s->longest, seconds_now() - begin);
    return VTA_OK;
}

static vta_status run(searching *s) {
    double begin = seconds_now();
    if (!s->shared->given) VT_TRY(vt__observe_first(s->calibration, s->rounded, s->diag));
    VT_TRY(open_floats(s));
    vta_status status = try_options(s, &s->best, &s->start);
    if (status != VTA_OK) return vt_fail(s->diag, status, "%s", vta_diag_text(s->of_try));
    s->now = s->start;
    s->longest = seconds_now() - begin;
    tell(s, NULL, NULL, &s->start, true);
    for (int i = 0; i < TRIALS && !s->ends && status == VTA_OK; i++) {
        /* rounding takes several times as long as all else, and is done once more at the end */
        double next = trials[i].kind == TRY_ROUNDING ? 20 * s->longest : s->longest + s->now.seconds;
        if (seconds_now() - s->begin + next > s->search.seconds) break;
        status = try_one(s, &trials[i]);
    }
    return status == VTA_OK ? VTA_OK : vt_fail(s->diag, status, "%s", vta_diag_text(s->of_try));
}

vta_status vtac_quantized_search(const vtac_calibration *calibration, const vtac_search_options *search, vta_diag *diag,
                                 vtac_quantized **out_quantized) {
    searching s = {.calibration = calibration, .diag = diag, .begin = seconds_now()};
    if (!out_quantized) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_quantized is NULL");
    *out_quantized = NULL;
    if (!calibration) return vt_fail(diag, VTA_INVALID_ARGUMENT, "calibration is NULL");
    VT_TRY(vt_options_read(&s.search, sizeof s.search, search, "vtac_search_options", diag));
    if (!(s.search.seconds >= 0) || !(s.search.cycles >= 0))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "search: seconds and cycles are 0 or more, not %g and %g",
                       s.search.seconds, s.search.cycles);
    VT_TRY(vt_options_read(&s.best, sizeof s.best, s.search.options, "vtac_quantize_options", diag));
    s.shared = calibration->shared;
    if (!s.shared->sample_count)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "search: no samples were observed, or they take too much memory");
    if (s.search.seconds == 0) s.search.seconds = 60;
    s.config = s.search.config;
    s.rounded = (s.shared->sample_count + 1) / 2;
    s.of_try = vta_diag_create(NULL);
    if (!s.of_try) return vt_no_memory(diag);
    vt_ranges *all = s.shared->ranges;
    vta_status status = run(&s);
    s.shared->ranges = all;
    close_floats(&s);
    vta_diag_destroy(s.of_try);
    return status == VTA_OK ? vtac_quantized_create(calibration, &s.best, diag, out_quantized) : status;
}
