/* Lowering keeps the meaning: random computations with random schedules, lowered for the host by all passes and
 * run by the checking interpreter, against the evaluation of the unscheduled expressions. */
#include "ir/interp.h"
#include "listings/lower.h"
#include "support/check.h"

enum { MAX = 4096 };

typedef struct job {
    program p;
    check_random r;
    te_tensor *in[2], *stages[3], *out;
    int n_stages;
    char steps[2048]; /* the schedule in words, for the report */
    const vtac_lower_options *options;
    int32_t data[2][MAX], got[MAX], want[MAX];
    const vt_func *f;
} job;

static int64_t pick(job *j, int64_t least, int64_t most) { return check_between(&j->r, least, most); }

static void say(job *j, const char *fmt, ...) VTA_PRINTF(2, 3);
static void say(job *j, const char *fmt, ...) {
    size_t n = strlen(j->steps);
    va_list args;
    va_start(args, fmt);
    vsnprintf(j->steps + n, sizeof j->steps - n, fmt, args);
    va_end(args);
}

/* ---- Computations ----------------------------------------------------------------------------------------------- */

static void build(job *j) {
    te_context *c = j->p.c;
    static const char *const point[] = {"A[...] + B[...]",
                                        "max(A[...], B[...]) * 3",
                                        "select(A[...] > B[...], A[...], 7)",
                                        "A[...] - (B[...] >> 2)",
                                        "A[i0, i1] + B[i0, 0]",
                                        "A[i0, i1] * i1 + B[0, i1]",
                                        "select(!(A[...] > B[...] && i1 > 2), A[...], 5)"};
    static const char *const next[] = {"min(s0[...], 100) + i0",
                                       "s0[...] * s0[...]",
                                       "s0[i0, i1] + A[0, i1]",
                                       "if_then_else(i1 > 1, s0[i0, i1 - 1], s0[i0, i1])",
                                       "select(i1 > 1, select(i0 % 2 == 0, s0[i0, i1 - 2], s0[i0, i1 - 1]), 4)",
                                       "select(i0 > 0 && s0[i0 - 1, i1] > 9, 1, select(s0[...] > 0, s0[...], i1))",
                                       "if_then_else(i1 > 0 && s0[i0, i1 - 1] % 2 == 0, s0[i0, i1], 3) + i0"};
    int64_t shape[2] = {pick(j, 1, 17), pick(j, 1, 23)};
    j->in[0] = te_placeholder(c, "A", "int32", 2, shape);
    j->in[1] = te_placeholder(c, "B", "int32", 2, shape);
    const char *body = point[pick(j, 0, 6)];
    say(j, "s0[%lld, %lld] = %s; ", (long long)shape[0], (long long)shape[1], body);
    j->stages[j->n_stages++] = te_compute(c, "s0", 2, shape, NULL, body);
    switch (pick(j, 0, 3)) {
    case 0: {
        int64_t pad[2] = {pick(j, 0, 2), pick(j, 0, 3)};
        say(j, "s1 = pad %lld %lld; ", (long long)pad[0], (long long)pad[1]);
        j->stages[j->n_stages++] = te_pad(c, j->stages[0], "s1", pad, NULL, 0);
        break;
    }
    case 1:
        te_reduce_axis(c, "k", 0, shape[1]);
        say(j, "s1 = sum; ");
        j->stages[j->n_stages++] =
            te_compute(c, "s1", 2, (int64_t[]){shape[0], shape[0]}, "i0, i1", "sum[k](s0[i0, k] * B[i1, k])");
        break;
    default:
        body = next[pick(j, 0, 6)];
        say(j, "s1 = %s; ", body);
        j->stages[j->n_stages++] = te_compute(c, "s1", 2, shape, NULL, body);
    }
    j->out = like(&j->p, j->stages[j->n_stages - 1], "out", "s1[...] + 1");
    j->stages[j->n_stages++] = j->out;
}

/* ---- Schedules -------------------------------------------------------------------------------------------------- */

static void schedule_loops(job *j, te_stage *st) {
    for (int i = 0; i < 2; i++) {
        if (pick(j, 0, 2) == 0) continue;
        te_axis *outer, *inner, *axis = te_stage_leaf(st, (size_t)pick(j, 0, (int64_t)te_stage_leaves(st) - 1));
        int64_t factor = pick(j, 1, 9);
        say(j, "%s: split %s by %lld; ", te_stage_name(st), te_axis_name(axis), (long long)factor);
        if (pick(j, 0, 1))
            te_split(st, axis, factor, &outer, &inner);
        else
            te_split_nparts(st, axis, factor, &outer, &inner);
    }
    if (pick(j, 0, 2) == 0 && te_stage_leaves(st) >= 2) {
        te_axis *a = te_stage_leaf(st, 0), *b = te_stage_leaf(st, te_stage_leaves(st) - 1);
        if (te_axis_kind_of(a) == te_axis_kind_of(b)) {
            say(j, "%s: swap %s, %s; ", te_stage_name(st), te_axis_name(a), te_axis_name(b));
            te_reorder(st, 2, (te_axis *[]){b, a});
        }
    }
    te_axis *last = te_stage_leaf(st, te_stage_leaves(st) - 1), *first = te_stage_leaf(st, 0);
    bool data = te_axis_kind_of(last) == TE_AXIS_DATA;
    switch (pick(j, 0, 5)) {
    case 3:
        if (te_axis_kind_of(first) == TE_AXIS_DATA && te_axis_kind_of(last) == TE_AXIS_DATA) {
            const char *tag = pick(j, 0, 1) ? "cthread" : "vthread";
            say(j, "bind %s to %s; ", te_axis_name(first), tag);
            te_bind(st, first, te_thread_axis(j->p.c, tag));
        }
        break;
    case 0:
        if (data && te_axis_extent(last) <= 64) say(j, "vectorize %s; ", te_axis_name(last)), te_vectorize(st, last);
        break;
    case 1: say(j, "unroll %s; ", te_axis_name(last)), te_unroll(st, last); break;
    case 2:
        if (te_axis_kind_of(first) == TE_AXIS_DATA && first != last)
            say(j, "parallel %s; ", te_axis_name(first)), te_parallel(st, first);
        break;
    default: break;
    }
}

static void schedule(job *j) {
    j->p.s = te_schedule_create(j->p.c, 1, &j->out);
    for (int i = j->n_stages - 1; i >= 0; i--) {
        te_stage *st = te_schedule_stage(j->p.s, j->stages[i]);
        if (i < j->n_stages - 1) {
            int64_t how = pick(j, 0, 3);
            if (how == 0) {
                say(j, "%s: ", te_stage_name(st));
                /* a reduction cannot be inlined: refused, and the schedule stays */
                if (te_compute_inline(st) == VTA_OK) {
                    say(j, "inline; ");
                    continue;
                }
                vta_diag_clear(te_context_diag(j->p.c));
            } else if (how == 1) {
                te_stage *at = te_schedule_stage(j->p.s, j->out);
                te_axis *axis = te_stage_leaf(at, (size_t)pick(j, 0, (int64_t)te_stage_leaves(at) - 1));
                say(j, "%s at %s; ", te_stage_name(st), te_axis_name(axis));
                if (te_compute_at(st, at, axis) != VTA_OK) vta_diag_clear(te_context_diag(j->p.c));
            }
        }
        schedule_loops(j, st);
    }
    j->p.args[0] = j->in[0];
    j->p.args[1] = j->in[1];
    j->p.args[2] = j->out;
    j->p.n_args = 3;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

static size_t elements(const te_tensor *t) { return (size_t)(te_tensor_dim(t, 0) * te_tensor_dim(t, 1)); }

static vta_status run(vt_ctx *ctx, void *arg) {
    job *j = arg;
    vt_te_arg args[3] = {{.tensor = j->in[0]}, {.tensor = j->in[1]}, {.tensor = j->out}};
    j->f = vt_lower(ctx, vt_te_lower(j->p.s, 3, args, "main"), j->options, NULL, NULL);
    vt_interp_arg values[3] = {{.data = j->data[0], .elements = elements(j->in[0])},
                               {.data = j->data[1], .elements = elements(j->in[1])},
                               {.data = j->got, .elements = elements(j->out)}};
    return vt_interp_run(ctx, j->f, 3, values, &(vt_interp_hooks){.both_sides = true});
}

static vta_status text(vt_ctx *ctx, void *arg) {
    job *j = arg;
    if (j->f) print_message("%s\n", vt_stmt_text(ctx, j->f->body));
    return VTA_OK;
}

/* False when the schedule is one that lowering refuses. */
static bool check_seed(uint64_t seed) {
    static job j;
    static const char *const no_cse[] = {"tir.CommonSubexprElimTIR"};
    memset(&j, 0, sizeof j);
    j.r.state = seed * 0x9e3779b97f4a7c15u + 1;
    j.p.c = te_context_create(NULL, NULL);
    build(&j);
    schedule(&j);
    vtac_lower_options options = {.verify = 1,
                                  .simple = (int32_t)pick(&j, 0, 1),
                                  .unroll_max_step = (int32_t)pick(&j, 0, 1) * 8,
                                  .partition_const_loops = pick(&j, 0, 1),
                                  .disabled = no_cse,
                                  .disabled_count = (size_t)pick(&j, 0, 1)};
    j.options = &options;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < elements(j.in[i]); k++) j.data[i][k] = (int32_t)pick(&j, -100, 100);
    memset(j.got, 0x55, sizeof j.got);
    const void *data[2] = {j.data[0], j.data[1]};
    vta_status status = te_context_status(j.p.c);
    if (status == VTA_OK) status = te_evaluate(j.p.c, j.out, 2, j.in, data, j.want);
    if (status == VTA_OK) status = vt_protect(vt_te_ctx(j.p.c), run, &j);
    bool same = status == VTA_OK && memcmp(j.got, j.want, elements(j.out) * sizeof *j.got) == 0;
    if (status != VTA_ILLEGAL && !same) {
        vt_protect(vt_te_ctx(j.p.c), text, &j);
        fail_msg("seed %llu: %s: %s\n%s", (unsigned long long)seed,
                 status == VTA_OK ? "results differ" : vta_status_name(status), j.steps,
                 vta_diag_text(te_context_diag(j.p.c)));
    }
    te_context_destroy(j.p.c);
    return same;
}

TEST_CASE(random_schedules_compute_the_same) {
    const char *one = getenv("VTA_SEED"), *many = getenv("VTA_ROUNDS");
    uint64_t first = one ? strtoull(one, NULL, 10) : 1, n = one ? 1 : many ? strtoull(many, NULL, 10) : 300, ran = 0;
    for (uint64_t seed = first; seed < first + n; seed++) ran += check_seed(seed);
    print_message("%llu of %llu schedules are legal, and compute the same\n", (unsigned long long)ran,
                  (unsigned long long)n);
    assert_true(one || ran > n / 2);
}

int main(void) { return run_cases(); }
