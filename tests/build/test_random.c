/* Random expressions with random schedules for the host: compiled, against the evaluator. */
#include "build/build_test.h"
#include "vta/build.h"

typedef struct generator {
    uint64_t state;
    vt_strbuf text;
    bool floats;
} generator;

static uint32_t pick(generator *g, uint32_t n) {
    g->state = g->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(g->state >> 33) % n;
}

static const char *const integers[] = {"int8", "uint8", "int16", "int32", "int64"};

static void leaf(generator *g) {
    static const char *const indices[] = {"i, j", "N - 1 - i, j", "i, (j * 7 + 3) % M", "j % N, i % M",
                                          "i // 2, M - 1 - j"};
    uint32_t kind = pick(g, 6);
    const char *index = indices[pick(g, 5)];
    /* int32 and int64 are index types, which simplification takes not to overflow: small values only */
    static const char *const loads[] = {"A[%s]", "B[%s]", "(C[%s] >> 24)", "(D[%s] >> 56)"};
    char text[64];
    if (kind < 4) {
        snprintf(text, sizeof text, g->floats ? "F[%s]" : loads[kind], index);
        vt_strbuf_add(&g->text, text);
    }
    if (kind == 4) vt_strbuf_addf(&g->text, g->floats ? "%d.5" : "int32(%d)", (int)pick(g, 200) - 100);
    if (kind == 5) vt_strbuf_addf(&g->text, g->floats ? "float32(%s)" : "%s", pick(g, 2) ? "i" : "j");
}

static void expression(generator *g, int depth);

static void binary(generator *g, const char *symbol, int depth) {
    vt_strbuf_addc(&g->text, '(');
    expression(g, depth - 1);
    vt_strbuf_addf(&g->text, " %s ", symbol);
    expression(g, depth - 1);
    vt_strbuf_addc(&g->text, ')');
}

/* An operator with a constant on the right, where any other operand could be undefined. */
static void with_constant(generator *g, const char *before, const char *after, int depth) {
    vt_strbuf_add(&g->text, before);
    expression(g, depth - 1);
    vt_strbuf_add(&g->text, after);
}

static void choice(generator *g, const char *function, int depth) {
    static const char *const comparisons[] = {"<", "<=", "==", "!=", ">", ">="};
    vt_strbuf_addf(&g->text, "%s(", function);
    expression(g, depth - 2);
    vt_strbuf_addf(&g->text, " %s ", comparisons[pick(g, 6)]);
    expression(g, depth - 2);
    vt_strbuf_addf(&g->text, "%s, ", pick(g, 2) ? " && i != 3" : "");
    expression(g, depth - 1);
    vt_strbuf_add(&g->text, ", ");
    expression(g, depth - 1);
    vt_strbuf_addc(&g->text, ')');
}

static void expression(generator *g, int depth) {
    if (depth <= 0) {
        leaf(g);
        return;
    }
    switch (pick(g, g->floats ? 8 : 16)) {
    case 0: binary(g, "+", depth); break;
    case 1: binary(g, "-", depth); break;
    case 2: binary(g, "*", depth); break;
    case 3: choice(g, "select", depth); break;
    case 4: choice(g, "if_then_else", depth); break;
    case 5: with_constant(g, "max(", g->floats ? ", 0.25)" : ", 3)", depth); break;
    case 6: with_constant(g, "min(", g->floats ? ", 9.75)" : ", 90)", depth); break;
    case 7: with_constant(g, "(-", ")", depth); break;
    case 8: with_constant(g, "(", " // 7)", depth); break;
    case 9: with_constant(g, "(", " % 16)", depth); break;
    case 10: with_constant(g, "truncdiv(", ", 5)", depth); break;
    case 11: with_constant(g, "(", " >> 3)", depth); break;
    case 12: with_constant(g, "(", " << 2)", depth); break;
    case 13: binary(g, pick(g, 2) ? "&" : "^", depth); break;
    case 14:
        vt_strbuf_addf(&g->text, "%s(", integers[pick(g, 5)]);
        expression(g, depth - 1);
        vt_strbuf_addc(&g->text, ')');
        break;
    default: with_constant(g, "(~", ")", depth); break;
    }
}

/* Splits the two loops, and marks what comes out. */
static void schedule(generator *g, te_schedule *s, te_tensor *out) {
    static const int64_t factors[] = {1, 2, 3, 4, 8, 16};
    te_stage *st = te_schedule_stage(s, out);
    te_axis *i = te_stage_axis(st, 0), *j = te_stage_axis(st, 1), *io, *ii, *jo, *ji;
    if (pick(g, 3) == 0) {
        te_axis *both[] = {i, j};
        te_fuse(st, 2, both, &j);
        te_split(st, j, factors[pick(g, 6)], &jo, &ji);
        if (pick(g, 2)) te_parallel(st, jo);
        if (pick(g, 2)) te_vectorize(st, ji);
        return;
    }
    te_split(st, i, factors[pick(g, 6)], &io, &ii);
    te_split(st, j, factors[pick(g, 6)], &jo, &ji);
    te_axis *order[] = {io, jo, ii, ji};
    if (pick(g, 2)) te_reorder(st, 4, order);
    if (pick(g, 2)) te_parallel(st, io);
    if (pick(g, 2)) te_unroll(st, ii);
    if (pick(g, 2)) te_vectorize(st, ji);
}

static void run_seed(uint64_t seed) {
    generator g = {.state = seed * 0x9E3779B97F4A7C15ull, .floats = seed % 5 == 0};
    int64_t shape[2] = {6 + pick(&g, 9), 15 + pick(&g, 20)};
    te_context *c = te_context_create(NULL, NULL);
    vta_diag *diag = vta_diag_create(NULL);
    te_constant(c, "N", shape[0]);
    te_constant(c, "M", shape[1]);
    te_tensor *tensors[6] = {0};
    size_t n = 0;
    if (g.floats) {
        tensors[n++] = te_placeholder(c, "F", "float32", 2, shape);
    } else {
        static const char *const types[] = {"int8", "uint8", "int32", "int64"};
        for (int k = 0; k < 4; k++) tensors[n++] = te_placeholder(c, (char[]){"ABCD"[k], 0}, types[k], 2, shape);
    }
    vt_strbuf_init(&g.text, NULL);
    if (!g.floats) vt_strbuf_addf(&g.text, "%s(", integers[pick(&g, 5)]);
    expression(&g, 4);
    if (!g.floats) vt_strbuf_addc(&g.text, ')');
    tensors[n] = te_compute(c, "R", 2, shape, "i, j", vt_strbuf_text(&g.text));
    te_schedule *s = te_schedule_create(c, 1, &tensors[n]);
    if (s) schedule(&g, s, tensors[n]);
    n++;
    vtac_arg args[6] = {{0}};
    for (size_t k = 0; k < n; k++) args[k].tensor = tensors[k];
    vtac_build_func f = {0};
    const vtac_lower_options plain = {.verify = 1};
    const vtac_build_options options = {.target = "llvm", .opt_level = seed % 3 == 0 ? 2 : -1};
    vtac_module *module = NULL;
    vta_packed_function call;
    vtac_check_result result = {.size = sizeof result};
    const vtac_check_options check = {.seed = seed, .interpret = 1};
    if (te_context_status(c) != VTA_OK || vtac_lower(s, n, args, "f", &plain, &f.func) != VTA_OK ||
        vtac_build(1, &f, &options, diag, &module) != VTA_OK ||
        vtac_module_function(module, "f", diag, &call) != VTA_OK ||
        vtac_check(c, n, (const te_tensor *const *)tensors, call, kDLCPU, &check, diag, &result) != VTA_OK)
        fail_msg("seed %llu: %s\n%s\n%s", (unsigned long long)seed, vt_strbuf_text(&g.text),
                 vta_diag_text(te_context_diag(c)), vta_diag_text(diag));
    if (result.different)
        fail_msg("seed %llu: %s\nelement %llu is %s, not %s", (unsigned long long)seed, vt_strbuf_text(&g.text),
                 (unsigned long long)result.index, result.got, result.expected);
    vtac_module_destroy(module);
    vt_strbuf_free(&g.text);
    vta_diag_destroy(diag);
    te_context_destroy(c);
}

TEST_CASE(test_random) {
    const char *count = getenv("VTA_RANDOM");
    uint64_t n = count ? strtoull(count, NULL, 10) : 150;
    for (uint64_t seed = 1; seed <= n; seed++) run_seed(seed);
}

int main(void) { return run_cases(); }
