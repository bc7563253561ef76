/* The best network of integers for the samples: a list of ways to quantize, each tried with the best of those before.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/versioned.h"
#include "network/search.h"

/* ---- What is tried ---- */

/* Those of a kind exclude each other: the best of them is taken. What takes long to try stands last, so that the others
 * are not tried with it. */
typedef enum trial_kind {
    TRY_RANGE,
    TRY_REQUANTIZE,
    TRY_EQUALIZE,
    TRY_ROUNDING,
    TRY_RESULT_BITS,
    TRY_PRECISE /* value: of the single values that are worth their cycles, half, all, or twice as many */
} trial_kind;

enum { HALF = 1, ALL = 2, TWICE = 4 };

struct vt__trial {
    trial_kind kind;
    int value;
    const char *text; /* of TRY_PRECISE the values follow */
};

static const vt__trial trials[] = {
    {TRY_RANGE, VTAC_RANGE_SQUARES, "--range squares"},
    {TRY_RANGE, VTAC_RANGE_MAX, "--range max"},
    {TRY_EQUALIZE, 1, "--equalize"},
    {TRY_REQUANTIZE, VTAC_REQUANTIZE_MULTIPLY, "--requantize multiply"},
    {TRY_RANGE, VTAC_RANGE_KL, "--range kl"},
    {TRY_RANGE, VTAC_RANGE_OUTPUT, "--range output"},
    {TRY_RANGE, VTAC_RANGE_MAX, "--range max"}, /* once more: with scales of channels it may help */
    {TRY_PRECISE, ALL, "--precise"},
    {TRY_PRECISE, HALF, "--precise"},
    {TRY_PRECISE, TWICE, "--precise"},
    {TRY_RESULT_BITS, 16, "--result-bits 16"},
    {TRY_ROUNDING, VTAC_ROUNDING_ADAPTIVE, "--rounding adaptive"},
};
enum { TRIALS = sizeof trials / sizeof *trials };

_Static_assert((int)TRIALS <= (int)VT__TRIALS_MAX, "and each may be taken");

/* How many names of single values a trial takes. */
static size_t names_of(const vt__searching *s, const vt__trial *t) {
    size_t count = (s->good * (size_t)t->value + 1) / ALL;
    if (count > s->steps.count) count = s->steps.count;
    return count ? s->steps.item[count - 1].name_count : 0;
}

static void apply(const vt__searching *s, const vt__trial *t, vtac_quantize_options *o) {
    switch (t->kind) {
    case TRY_RANGE: o->method = (vtac_range_method)t->value; break;
    case TRY_REQUANTIZE: o->requantize = (vtac_requantize)t->value; break;
    case TRY_EQUALIZE: o->equalize = true; break;
    case TRY_ROUNDING: o->rounding = (vtac_rounding)t->value; break;
    case TRY_RESULT_BITS: o->result_bits = (uint32_t)t->value; break;
    case TRY_PRECISE:
        o->precise = s->steps.names;
        o->precise_count = names_of(s, t);
        break;
    }
}

/* ---- The search -------------------------------------------------------------------------------------------------- */

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The network is forgotten: only its options stay. */
static vta_status try_options(vt__searching *s, const vtac_quantize_options *options, vt__found *out) {
    vtac_quantized *q = NULL;
    vt_arena_mark mark = vt_arena_here(&s->shared->ctx.arena);
    vta_diag_clear(s->of_try);
    double begin = seconds_now();
    vta_status status = vt__quantize_by(s->calibration, options, 0, s->rounded, s->of_try, &q);
    out->seconds = seconds_now() - begin;
    if (status == VTA_OK) status = vt__search_measure(s, q, out, NULL);
    vtac_quantized_destroy(q);
    vt_arena_rewind(&s->shared->ctx.arena, mark);
    return status;
}

/* ---- Single values of more than 8 bits --------------------------------------------------------------------------- */

/* A bit more in all integers is 6 dB: of that, a doubling of the cycles has to bring most. */
static double worth(double decibels, double cycles) {
    const double for_doubling = 4;
    return decibels - for_doubling * log2(fmax(cycles, 1));
}

static double most_cycles(const vt__searching *s) {
    return s->search.cycles > 0 ? (double)s->start.cycles * (1 + s->search.cycles) : INFINITY;
}

/* So many of the first that decibels less what cycles are worth are the most, by the estimates. */
static size_t find_good(const vt__searching *s) {
    double cycles = (double)s->now.cycles, best = -INFINITY;
    size_t good = 0;
    for (size_t i = 0; i < s->steps.count && cycles + s->steps.item[i].cycles <= most_cycles(s); i++) {
        double now = worth(-10 * log10(s->steps.item[i].noise + 1e-12), cycles + s->steps.item[i].cycles);
        if (now > best) best = now, good = i + 1;
    }
    return good;
}

typedef struct looking {
    vt__searching *s;
    const vt_qnet *net;
    const vtac_compile_report *report;
} looking;

/* Within vt_protect. */
static vta_status look(vt_ctx *ctx, void *arg) {
    enum { SAMPLES = 2, DEPTH = 2 };
    looking *a = arg;
    vt__searching *s = a->s;
    vt_qblame *blames = VT_NEW_ARRAY(ctx, vt_qblame, a->net->tensor_count + 1);
    size_t count = s->rounded < SAMPLES ? s->rounded : SAMPLES;
    VT_TRY(vt_qblame_measure(a->net, (const void *const *const *)s->shared->samples, count, DEPTH, NULL,
                             s->shared->allocator, s->of_try, blames));
    s->steps = vt__precise_steps(a->net, blames, a->report);
    s->good = find_good(s);
    return VTA_OK;
}

/* By what the best network so far loses; it is made once more for that. */
static vta_status look_for_values(vt__searching *s) {
    vtac_quantized *q = NULL;
    vtac_compile_report *report = NULL;
    vt__found same = {0};
    s->looked = true;
    vta_diag_clear(s->of_try);
    vta_status status = vt__quantize_by(s->calibration, &s->best, 0, s->rounded, s->of_try, &q);
    if (status == VTA_OK) status = vt__search_measure(s, q, &same, &report);
    if (status == VTA_OK) {
        s->shared->ctx.diag = s->of_try;
        status = vt_protect(&s->shared->ctx, look, &(looking){s, q->net, report});
        s->shared->ctx.diag = NULL;
    }
    vtac_compile_report_destroy(report);
    vtac_quantized_destroy(q);
    return status;
}

/* ---- One after the other ---- */

static void write_option(const vt__searching *s, const vt__trial *t, vt_strbuf *to) {
    if (to->size) vt_strbuf_addc(to, ' ');
    if (t->kind != TRY_PRECISE) vt_strbuf_add(to, t->text);
    for (size_t i = 0; t->kind == TRY_PRECISE && i < names_of(s, t); i++)
        vt_strbuf_addf(to, "%s%s %s", i ? " " : "", t->text, s->steps.names[i]);
}

/* What stands for the options: those taken, and one that is tried (NULL: none). */
static void write_options(const vt__searching *s, const vt__trial *more, vt_strbuf *to) {
    for (int i = 0; i < TRIALS; i++) {
        const vt__trial *t = more == &trials[i] ? more : s->taken[i];
        if (t && (!more || t == more || t->kind != more->kind)) write_option(s, t, to);
    }
}

static void tell(vt__searching *s, const vt__trial *t, const char *error, const vt__found *f, bool is_taken) {
    vt_strbuf options;
    vt_strbuf_init(&options, s->shared->allocator);
    write_options(s, t, &options);
    vtac_search_step step = {.size = sizeof step,
                             .options = vt_strbuf_text(&options),
                             .error = error,
                             .decibels = f->decibels,
                             .cycles = f->cycles,
                             .seconds = seconds_now() - s->begin,
                             .is_taken = is_taken,
                             .model = error ? NULL : s->model};
    if (s->search.tried && s->search.tried(s->search.user, &step)) s->ends = true;
    vt_strbuf_free(&options);
}

/* Decibels that samples gain in the mean, less half the standard error of that mean: what few of them gain by chance
 * is not for all. With all of the error, the five images of a detector would let nothing pass. */
static double sure_gain(const vt__searching *s, const vt__found *f) {
    double sum = 0, squares = 0, count = (double)s->groups;
    for (size_t i = 0; i < s->groups; i++) {
        double gain = 10 * log10(s->now.shares[i] / f->shares[i]);
        sum += gain;
        squares += gain * gain;
    }
    if (s->groups < 2) return sum;
    double mean = sum / count, spread = fmax(squares / count - mean * mean, 0);
    return mean - 0.5 * sqrt(spread / (count - 1));
}

/* By 0.1 dB over all samples, and by more than chance, when cycles count as they are worth; never by less decibels than
 * it began with. */
static bool is_better(const vt__searching *s, const vt__found *f) {
    const double least = 0.1;
    double now = worth(f->decibels, (double)f->cycles), before = worth(s->now.decibels, (double)s->now.cycles);
    double sure = worth(s->now.decibels + sure_gain(s, f), (double)f->cycles);
    return now >= before + least && sure > before && f->decibels >= s->start.decibels &&
           (double)f->cycles <= most_cycles(s);
}

static void take(vt__searching *s, const vt__trial *t, const vtac_quantize_options *options, const vt__found *f) {
    for (int i = 0; i < TRIALS; i++)
        if (s->taken[i] && s->taken[i]->kind == t->kind) s->taken[i] = NULL;
    s->taken[t - trials] = t;
    s->best = *options;
    s->now = *f;
}

static bool is_same(const vtac_quantize_options *a, const vtac_quantize_options *b) {
    return a->method == b->method && a->requantize == b->requantize && a->equalize == b->equalize &&
           a->rounding == b->rounding && a->result_bits == b->result_bits && a->precise_count == b->precise_count;
}

/* What this network, or this machine, cannot is passed over; what ends all else ends the search. */
static vta_status try_one(vt__searching *s, const vt__trial *t) {
    vtac_quantize_options options = s->best;
    vt__found f = {0};
    double begin = seconds_now();
    vta_status status = t->kind == TRY_PRECISE && !s->looked ? look_for_values(s) : VTA_OK;
    if (status == VTA_NO_MEMORY || status == VTA_INTERRUPTED) return status;
    apply(s, t, &options);
    if (is_same(&options, &s->best)) return VTA_OK;
    status = try_options(s, &options, &f);
    if (status == VTA_NO_MEMORY || status == VTA_INTERRUPTED) return status;
    bool better = status == VTA_OK && is_better(s, &f);
    tell(s, t, status == VTA_OK ? NULL : vt_diag_reason(s->of_try), &f, better);
    if (better) take(s, t, &options, &f);
    s->longest = fmax(s->longest, seconds_now() - begin);
    return VTA_OK;
}

static vta_status run(vt__searching *s) {
    double begin = seconds_now();
    if (!s->shared->given) VT_TRY(vt__observe_first(s->calibration, s->rounded, s->diag));
    VT_TRY(vt__search_open(s));
    vta_status status = try_options(s, &s->best, &s->start);
    if (status != VTA_OK) return vt_fail(s->diag, status, "%s", vt_diag_reason(s->of_try));
    s->now = s->start;
    tell(s, NULL, NULL, &s->start, true);
    s->longest = seconds_now() - begin;
    for (int i = 0; i < TRIALS && !s->ends && status == VTA_OK; i++) {
        /* rounding takes several times as long as all else, and is done once more at the end */
        double next = trials[i].kind == TRY_ROUNDING ? 20 * s->longest : s->longest + s->now.seconds;
        if (seconds_now() - s->begin + next > s->search.seconds) break;
        status = try_one(s, &trials[i]);
    }
    return status == VTA_OK ? VTA_OK : vt_fail(s->diag, status, "%s", vt_diag_reason(s->of_try));
}

vta_status vtac_quantized_search(const vtac_calibration *calibration, const vtac_search_options *search, vta_diag *diag,
                                 vtac_quantized **out_quantized) {
    vt__searching s = {.calibration = calibration, .diag = diag, .begin = seconds_now()};
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
    vt__search_close(&s);
    vta_diag_destroy(s.of_try);
    return status == VTA_OK ? vtac_quantized_create(calibration, &s.best, diag, out_quantized) : status;
}
