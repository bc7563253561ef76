/* Random computations with random legal schedules: the loop nest, interpreted, gives what the definitions give, and so
 * does what the passes make of it for the host. */
#include "ir/interp.h"
#include "ir/visit.h"
#include "lower/lower.h"
#include "reducers.h"

enum { PROGRAMS = 3000, MAX_STAGES = 5, MAX_TENSORS = 2 + 3 * MAX_STAGES, MAX_STEPS = 10, LARGEST = 4096 };

static uint64_t seed;

static uint32_t random_below(uint32_t n) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 33) % n;
}

typedef struct program {
    te_context *c;
    uint32_t n; /* tensors; the first two are inputs, the last is the output */
    te_tensor *tensors[MAX_TENSORS];
    te_schedule *s;
    int factored; /* reductions in two stages */
} program;

static te_tensor *pick(const program *p) { return p->tensors[random_below(p->n)]; }

/* An element of a random tensor, its indices made of the given axes; "%" keeps them inside where they do not fit. */
static void add_element(const program *p, char *text, int64_t ndim, const int64_t *shape, bool reduce) {
    te_tensor *t = pick(p);
    sprintf(text + strlen(text), "%s[", te_tensor_name(t));
    for (size_t d = 0; d < te_tensor_ndim(t); d++) {
        int64_t extent = te_tensor_dim(t, d);
        uint32_t axis = random_below((uint32_t)ndim);
        sprintf(text + strlen(text), "%s", d ? ", " : "");
        if (reduce && random_below(2))
            sprintf(text + strlen(text), "k %% %d", (int)extent);
        else if (shape[axis] <= extent && random_below(4))
            sprintf(text + strlen(text), "i%u", axis);
        else
            sprintf(text + strlen(text), "(i%u * %u + %u) %% %d", axis, random_below(3) + 1, random_below(5),
                    (int)extent);
    }
    strcat(text, "]");
}

static void add_expression(const program *p, char *text, int64_t ndim, const int64_t *shape, bool reduce, int depth) {
    static const char *const infix[] = {" + ", " - ", " * ", " & ", " | ", " ^ "};
    static const char *const around[][2] = {
        {"int32(int8(", "))"},         {"(int32(uint8(", ")) >> 2)"},
        {"(int32(int16(", ")) << 3)"}, {"int32(float32((", ") & 4095) * 0.5)"},
        {"int32(int64(", ") // 7)"},   {"((", ") % -5)"},
        {"truncmod(", ", 6)"},         {"int32(floor(float32((", ") & 1023) / 4.0))"}};
    uint32_t which;
    switch (depth > 0 ? random_below(8) : random_below(2)) {
    case 0: add_element(p, text, ndim, shape, reduce); break;
    case 1:
        if (random_below(2)) {
            add_element(p, text, ndim, shape, reduce);
            break;
        }
        sprintf(text + strlen(text), "%d", (int)random_below(20) - 10);
        break;
    case 2:
    case 3:
        strcat(text, "(");
        add_expression(p, text, ndim, shape, reduce, depth - 1);
        strcat(text, infix[random_below(6)]);
        add_expression(p, text, ndim, shape, reduce, depth - 1);
        strcat(text, ")");
        break;
    case 4:
        sprintf(text + strlen(text), "%s(", random_below(2) ? "max" : "min");
        add_expression(p, text, ndim, shape, reduce, depth - 1);
        strcat(text, ", ");
        add_expression(p, text, ndim, shape, reduce, depth - 1);
        strcat(text, ")");
        break;
    case 5:
    case 6:
        which = random_below(8);
        strcat(text, around[which][0]);
        add_expression(p, text, ndim, shape, reduce, depth - 1);
        strcat(text, around[which][1]);
        break;
    default:
        strcat(text, random_below(2) ? "select(i0 < 2, " : "if_then_else(i0 >= 1 && i0 < 3, ");
        add_expression(p, text, ndim, shape, reduce, depth - 1);
        strcat(text, ", ");
        add_expression(p, text, ndim, shape, reduce, depth - 1);
        strcat(text, ")");
    }
}

/* A stage of one axis more than `ndim`, and a reduction of it along that axis by a reducer; maybe under a condition,
 * maybe from a start. */
static void add_reducer(program *p, uint32_t ndim, const int64_t *shape) {
    te_axis *axes[3], *k = te_reduce_axis(p->c, "k", 0, shape[ndim]);
    te_expr *at[4], *values[RESULTS_MAX], *starts[RESULTS_MAX], *results[RESULTS_MAX], *where = NULL;
    char text[8192] = "", name[16];
    size_t n;
    add_expression(p, text, ndim + 1, shape, false, 2);
    sprintf(name, "t%u", p->n);
    te_tensor *from = p->tensors[p->n++] = te_compute(p->c, name, ndim + 1, shape, NULL, text);
    te_reducer *reducer = reducer_of(p->c, random_below(REDUCERS), &n);
    for (uint32_t d = 0; d < ndim; d++) {
        axes[d] = te_axis_create(p->c, (const char *[]){"i0", "i1", "i2"}[d], shape[d]);
        at[d] = te_axis_value(p->c, axes[d]);
    }
    at[ndim] = te_axis_value(p->c, k);
    for (size_t r = 0; r < n; r++) {
        values[r] = r ? at[ndim] : te_load(p->c, from, ndim + 1, at);
        starts[r] = te_add(p->c, at[0], te_int(p->c, "int32", (int64_t)random_below(9) - 4));
    }
    if (random_below(3) == 0) where = te_parse(p->c, random_below(2) ? "k % 2 == 1" : "k < 2 || k > 3");
    bool starting = random_below(3) == 0;
    sprintf(name, "t%u", p->n);
    if (te_reduce_with(p->c, reducer, values, starting ? starts : NULL, where, 1, &k, results) != VTA_OK ||
        te_compute_axes(p->c, name, NULL, ndim, axes, n, results, &p->tensors[p->n]) != VTA_OK)
        fail_msg("%s", vta_diag_text(te_context_diag(p->c)));
    p->n += (uint32_t)n;
}

static void make_program(program *p) {
    int64_t shape[4];
    *p = (program){.c = context_with(NULL)};
    for (; p->n < 2; p->n++) {
        uint32_t ndim = random_below(3) + 1;
        for (uint32_t d = 0; d < ndim; d++) shape[d] = random_below(6) + 1;
        p->tensors[p->n] = te_placeholder(p->c, p->n ? "b" : "a", "int32", ndim, shape);
    }
    for (uint32_t stages = random_below(MAX_STAGES) + 1; stages; stages--) {
        char text[8192] = "", name[16];
        uint32_t ndim = random_below(3) + 1;
        bool reduce = random_below(3) == 0;
        for (uint32_t d = 0; d <= ndim; d++) shape[d] = random_below(7) + 1;
        if (random_below(4) == 0) {
            add_reducer(p, ndim, shape);
            continue;
        }
        if (reduce)
            sprintf(text, "%s[k: %u](", (const char *[]){"sum", "min", "max"}[random_below(3)], random_below(6) + 1);
        add_expression(p, text, ndim, shape, reduce, 3);
        if (reduce) strcat(text, ")");
        sprintf(name, "t%u", p->n);
        p->tensors[p->n++] = te_compute(p->c, name, ndim, shape, NULL, text);
        if (te_context_status(p->c) != VTA_OK) fail_msg("%s: %s", text, vta_diag_text(te_context_diag(p->c)));
    }
    p->s = te_schedule_create(p->c, 1, &p->tensors[p->n - 1]);
}

static te_axis *leaf(te_stage *st) {
    return te_stage_leaves(st) ? te_stage_leaf(st, random_below((uint32_t)te_stage_leaves(st))) : NULL;
}

static void shuffle_leaves(te_stage *st) {
    te_axis *axes[64];
    size_t n = te_stage_leaves(st);
    if (n > 64) return;
    for (size_t i = 0; i < n; i++) axes[i] = te_stage_leaf(st, i);
    for (size_t i = n; i > 1; i--) {
        size_t j = random_below((uint32_t)i);
        te_axis *swap = axes[i - 1];
        axes[i - 1] = axes[j];
        axes[j] = swap;
    }
    te_reorder(st, n, axes);
}

/* A loop of some reduction becomes a stage of its own. */
static void factor(program *p) {
    uint32_t n = (uint32_t)te_schedule_stages(p->s), first = random_below(n);
    for (uint32_t i = 0; i < n; i++) {
        te_stage *st = te_schedule_stage_at(p->s, (first + i) % n);
        te_axis *axis = leaf(st);
        if (!axis || te_axis_kind_of(axis) != TE_AXIS_REDUCE) continue;
        p->factored += te_rfactor(p->s, te_stage_tensor(st), axis, (int64_t)random_below(5) - 2) != NULL;
        return;
    }
}

/* Part of a reduce axis is fused with the next, before or after one of the loops becomes a stage of its own. */
static void factor_fused(program *p, te_stage *st) {
    for (size_t i = 0; i + 1 < te_stage_leaves(st); i++) {
        te_axis *axis = te_stage_leaf(st, i), *next = te_stage_leaf(st, i + 1), *parts[2], *fused;
        if (te_axis_kind_of(axis) != TE_AXIS_REDUCE || te_axis_kind_of(next) != TE_AXIS_REDUCE) continue;
        if (te_split(st, axis, random_below(4) + 1, &parts[0], &parts[1]) != VTA_OK) continue;
        if (te_fuse(st, 2, (te_axis *[]){parts[1], next}, &fused) == VTA_OK && random_below(2))
            te_split(st, fused, random_below(5) + 1, NULL, NULL);
        break;
    }
    factor(p);
}

/* Parts of sizes that make the axis's extent, where that is a constant. */
static void split_in_parts(te_stage *st, te_axis *axis) {
    int64_t sizes[8], left = axis ? te_axis_extent(axis) : 0;
    size_t n = 0;
    for (; left > 0 && n < 8; left -= sizes[n++]) sizes[n] = n == 7 ? left : 1 + (int64_t)random_below((uint32_t)left);
    if (n) te_split_sizes(st, axis, n, sizes, NULL, NULL);
}

/* What another stage needs of a stretch of two fused loops. */
static void compute_at_stretch(te_stage *st, te_stage *other) {
    te_axis *fused, *outer, *pair[2] = {te_stage_leaf(other, 0), te_stage_leaf(other, 1)};
    if (te_fuse(other, 2, pair, &fused) == VTA_OK &&
        te_split(other, fused, random_below(5) + 1, &outer, NULL) == VTA_OK)
        te_compute_at(st, other, outer);
}

/* One random step; it may be refused, and then must have changed nothing. */
static void step(program *p, char *log) {
    static const char *const memories[] = {"global", "local", "shared", "warp", "global.texture"};
    uint32_t n = (uint32_t)te_schedule_stages(p->s);
    te_stage *st = te_schedule_stage_at(p->s, random_below(n)), *other = te_schedule_stage_at(p->s, random_below(n));
    te_axis *axis = leaf(st), *fuse[2];
    uint32_t what = random_below(23);
    size_t leaves = te_stage_leaves(st), at = leaves > 1 ? random_below((uint32_t)leaves - 1) : 0;
    sprintf(log + strlen(log), " %u:%s", what, te_stage_name(st));
    switch (what) {
    case 0:
    case 1: te_split(st, axis, random_below(5) + 1, NULL, NULL); break;
    case 2: te_split_nparts(st, axis, random_below(4) + 1, NULL, NULL); break;
    case 3:
        fuse[0] = te_stage_leaf(st, at);
        fuse[1] = te_stage_leaf(st, at + 1);
        te_fuse(st, 2, fuse, NULL);
        break;
    case 4: shuffle_leaves(st); break;
    case 5:
    case 6:
    case 7: te_compute_at(st, other, leaf(other)); break;
    case 8: te_compute_inline(st); break;
    case 9: te_cache_read(p->s, te_stage_tensor(st), memories[random_below(5)], 0, NULL); break;
    case 10: te_cache_write(p->s, te_stage_tensor(st), "local"); break;
    case 11: te_bind(st, axis, te_thread_axis(p->c, "vthread")); break;
    case 12: te_vectorize(st, axis); break;
    case 13: te_unroll(st, axis); break;
    case 14: te_pragma(st, axis, "unroll", NULL); break;
    case 15: te_parallel(st, axis); break;
    case 16: te_storage_align(st, te_stage_axis(st, random_below(3)), random_below(9) + 1, random_below(4)); break;
    case 17: split_in_parts(st, te_stage_axis(st, random_below(4))); break;
    case 18: compute_at_stretch(st, other); break;
    case 19: factor_fused(p, st); break;
    default: factor(p);
    }
}

static void fill(int32_t *data, size_t n) {
    for (size_t i = 0; i < n; i++) data[i] = (int32_t)random_below(2001) - 1000;
}

static size_t elements(const te_tensor *t) {
    size_t n = 1;
    for (size_t d = 0; d < te_tensor_ndim(t); d++) n *= (size_t)te_tensor_dim(t, d);
    return n;
}

typedef struct interpretation {
    const vt_func *f;
    bool passes;
    bool refused; /* by a pass: loops that cannot be unrolled or vectorized */
    uint32_t n;
    vt_interp_arg args[3];
} interpretation;

static vta_status interpret(vt_ctx *ctx, void *arg) {
    interpretation *run = arg;
    run->refused = true;
    if (run->passes) run->f = vt_lower(ctx, run->f, &(vtac_lower_options){.verify = 1}, NULL, NULL);
    run->refused = false;
    return vt_interp_run(ctx, run->f, run->n, run->args, NULL);
}

/* True when the schedule was legal. */
static bool check(program *p, const char *log, int number) {
    static int32_t a[LARGEST], b[LARGEST], expected[LARGEST], got[LARGEST];
    te_tensor *out = p->tensors[p->n - 1], *args[3] = {p->tensors[0], p->tensors[1], out};
    fill(a, elements(args[0]));
    fill(b, elements(args[1]));
    vta_diag_clear(te_context_diag(p->c));
    vta_status status = te_evaluate(p->c, out, 2, args, (const void *[]){a, b}, expected);
    assert_int_equal(status, VTA_OK);
    const vt_func *f = lower(p->s, 3, args);
    if (!f) {
        status = te_context_status(p->c);
        if (status != VTA_ILLEGAL) fail_msg("program %d%s: %s", number, log, vta_diag_text(te_context_diag(p->c)));
        return false;
    }
    for (int passes = 0; passes < 2; passes++) {
        memset(got, 0x55, sizeof got);
        interpretation run = {
            f, passes != 0, false, 3, {{a, elements(args[0])}, {b, elements(args[1])}, {got, elements(out)}}};
        status = vt_protect(vt_te_ctx(p->c), interpret, &run);
        if (status == VTA_ILLEGAL && run.refused) return false;
        if (status == VTA_OK && memcmp(got, expected, elements(out) * sizeof *got) == 0) continue;
        print_error("program %d%s: %s\n", number, log, vta_diag_text(te_context_diag(p->c)));
        char *text = nest_text(p->c, run.f);
        fputs(text, stderr);
        for (size_t i = 0; i < elements(out) && status == VTA_OK; i++)
            if (got[i] != expected[i]) print_error("[%zu] is %d, not %d\n", i, got[i], expected[i]);
        fail_msg("program %d%s", number, passes ? " after the passes" : "");
    }
    return true;
}

TEST_CASE(random_schedules) {
    int legal = 0, factored = 0, first = 0, last = PROGRAMS;
    const char *only = getenv("TE_RANDOM_PROGRAM");
    if (only) last = (first = atoi(only)) + 1;
    for (int i = first; i < last; i++) {
        char log[1024] = "";
        program p;
        seed = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1);
        make_program(&p);
        for (uint32_t steps = random_below(MAX_STEPS); steps; steps--) step(&p, log);
        bool fine = check(&p, log, i);
        legal += fine;
        factored += fine && p.factored;
        te_context_destroy(p.c);
    }
    if (!only) assert_true(legal > PROGRAMS / 2 && factored > PROGRAMS / 20);
    print_message("%d of %d schedules were legal, %d with reductions in two stages\n", legal, PROGRAMS, factored);
}

/* ---- Several outputs -------------------------------------------------------------------------------------------- */

enum { PAIRS = 12 };

static te_expr *load_at(te_context *c, te_tensor *t, te_expr *j, const int64_t place[2]) {
    te_expr *index = te_add(c, te_mul(c, j, te_int(c, "int32", place[0])), te_int(c, "int32", place[1]));
    return te_load(c, t, 1, &index);
}

static void check_pair(const int64_t place[2][2], int64_t factor, bool at_outer) {
    te_context *c = context_with(NULL);
    int32_t a[PAIRS], want[PAIRS], got[PAIRS];
    for (int n = 0; n < PAIRS; n++) a[n] = n * n - 7;
    for (int n = 0; n < PAIRS; n++)
        want[n] = a[place[0][0] * n + place[0][1]] + 1 - a[place[1][0] * n + place[1][1]] * 2;
    te_tensor *x = te_placeholder(c, "A", "int32", 1, (int64_t[]){PAIRS}), *both[2], *y;
    te_axis *i = te_axis_create(c, "i", PAIRS), *j = te_axis_create(c, "j", PAIRS), *outer, *inner;
    te_expr *v = te_axis_value(c, i), *w = te_axis_value(c, j), *at = te_load(c, x, 1, &v);
    te_expr *parts[] = {te_add(c, at, te_int(c, "int32", 1)), te_mul(c, at, te_int(c, "int32", 2))};
    assert_int_equal(te_compute_axes(c, "B", NULL, 1, &i, 2, parts, both), VTA_OK);
    te_expr *value = te_sub(c, load_at(c, both[0], w, place[0]), load_at(c, both[1], w, place[1]));
    assert_int_equal(te_compute_axes(c, "D", NULL, 1, &j, 1, &value, &y), VTA_OK);
    te_schedule *s = te_schedule_create(c, 1, &y);
    te_stage *st = te_schedule_stage(s, y);
    te_split(st, te_stage_axis(st, 0), factor, &outer, &inner);
    te_compute_at(te_schedule_stage(s, both[0]), st, at_outer ? outer : inner);
    for (int passes = 0; passes < 2; passes++) {
        const vt_func *f = lower(s, 2, (te_tensor *[]){x, y});
        if (!f) fail_msg("%s", vta_diag_text(te_context_diag(c)));
        interpretation run = {f, passes != 0, false, 2, {{a, PAIRS}, {got, PAIRS}}};
        memset(got, 0x55, sizeof got);
        if (vt_protect(vt_te_ctx(c), interpret, &run) != VTA_OK) fail_msg("%s", vta_diag_text(te_context_diag(c)));
        assert_memory_equal(got, want, sizeof got);
    }
    te_context_destroy(c);
}

/* A stage with two outputs that are read at different places, computed at a loop of its consumer, must compute there
 * what is needed of both. */
TEST_CASE(two_outputs_read_apart) {
    static const int64_t places[][2] = {{1, 0}, {-1, PAIRS - 1}, {0, 5}, {0, PAIRS - 1}};
    for (int first = 0; first < 4; first++)
        for (int second = 0; second < 4; second++)
            for (int64_t factor = 1; factor <= 4; factor += 3) {
                const int64_t place[2][2] = {{places[first][0], places[first][1]},
                                             {places[second][0], places[second][1]}};
                check_pair(place, factor, false);
                check_pair(place, factor, true);
            }
}

int main(void) { return run_cases(); }
