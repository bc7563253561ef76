/* What an operator's kernel file says, against its definition: both on values that stand for all inputs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/versioned.h"
#include "build/prove.h"
#include "operators/definition.h"

/* ---- Values ------------------------------------------------------------------------------------------------------ */

typedef struct values {
    vta_field *field;
    const vtac_op *op;
} values;

static vt_word number(void *ctx, int64_t number) { return vta_field_int(((values *)ctx)->field, number); }

static vt_word apply(void *ctx, vta_field_op op, vt_word a, vt_word b) {
    return vta_field_apply(((values *)ctx)->field, op, a, b, 32);
}

static vt_word with(void *ctx, vta_field_op op, vt_word a, int64_t b) { return apply(ctx, op, a, number(ctx, b)); }

static vt_word products(void *ctx, size_t rows, const int64_t ai[], const int64_t bi[], const vt_word a[],
                        const vt_word b[], int64_t n) {
    return vta_field_products(((values *)ctx)->field, rows, ai, bi, a, b, n, 1, 1);
}

/* As GEMM sums them up. */
static int64_t times(void *ctx) { return ((values *)ctx)->op->division.way == VT_DIVIDE_ONCE ? 2 : 1; }

/* The division that was shown to be this average for every sum (operators/division.c). */
static vt_word average(void *ctx, vt_word sum, int64_t count) {
    const vt_division *d = &((values *)ctx)->op->division;
    int64_t factor = vt__division_factor(d, count);
    vt_word u = with(ctx, VTA_FIELD_ADD, sum, vt__division_half(d, count));
    if (d->way == VT_DIVIDE_SHIFT) return with(ctx, VTA_FIELD_SHR, u, d->bits);
    if (d->way == VT_DIVIDE_ONCE) return with(ctx, VTA_FIELD_SHR, with(ctx, VTA_FIELD_MUL, u, factor), d->bits);
    vt_word guess = with(ctx, VTA_FIELD_MUL, with(ctx, VTA_FIELD_SHR, u, d->before), factor);
    guess = with(ctx, VTA_FIELD_ADD, with(ctx, VTA_FIELD_SHR, guess, d->bits - d->before), -d->below);
    vt_word rest = apply(ctx, VTA_FIELD_ADD, u, with(ctx, VTA_FIELD_MUL, guess, -count));
    rest = with(ctx, VTA_FIELD_SHR, with(ctx, VTA_FIELD_MUL, rest, factor), d->bits);
    return apply(ctx, VTA_FIELD_ADD, guess, rest);
}

/* The same number in two forms; the second has no sum that may wrap, and no constant beyond an instruction's. */
static vt_word round_shift(void *ctx, vt_word x, int bits, bool fits) {
    int64_t half = INT64_C(1) << (bits - 1);
    if (fits && half <= INT16_MAX) return with(ctx, VTA_FIELD_SHR, with(ctx, VTA_FIELD_ADD, x, half), bits);
    if (bits > 1) x = with(ctx, VTA_FIELD_SHR, x, bits - 1);
    return with(ctx, VTA_FIELD_SHR, with(ctx, VTA_FIELD_ADD, x, 1), 1);
}

static vt_word look_up(void *ctx, const vt_word entries[], vt_word x) {
    vta_field *field = ((values *)ctx)->field;
    vta_value result = 0;
    (void)vta_field_lookup(field, 256, entries, with(ctx, VTA_FIELD_ADD, x, 128), &result); /* x was clipped */
    vta_field_known(field, result, INT8_MIN, INT8_MAX);
    return result;
}

static vt_word narrowed(void *ctx, vt_word x) {
    values *v = ctx;
    return vta_field_narrow(v->field, x, vta_config_width(v->op->config, VTA_MEM_OUT), true);
}

/* ---- One draw -----------------------------------------------------------------------------------------------------
 */

typedef struct proving {
    const vtac_op *op;
    vta_diag *diag;
    vt_definition definition;
    vtac_prove_result *result;
    uint64_t terms;           /* the most of a draw, */
    double degree, magnitude; /* and the largest polynomials */
    /* Of the kernel file: its inputs in tiles, and the result. */
    te_tensor *inputs[VT_DEFINITION_ARGS];
    vta_value *tiles[VT_DEFINITION_ARGS];
} proving;

/* A bound for the polynomials of the definition, as if no random function began anew: sums of products, what divides
 * them, and every step. */
static void say_size(const vtac_op *op, vta_field *field) {
    const vt_op_shape *s = &op->shape;
    double degree = 2, magnitude = 2 + (double)op->terms + (double)(s->kernel_h * s->kernel_w), lanes = 127 * 65536.0;
    if (op->division.bits) magnitude *= exp2(64);
    for (uint32_t i = 0; i < op->n_said; i++) {
        const vt_epilogue *e = &op->said[i];
        double number = fabs((double)e->number) + 1, second = fabs((double)e->second) + 1;
        degree += e->kind == VT_EPILOGUE_multiply_channel;
        if (e->kind == VT_EPILOGUE_multiply || e->kind == VT_EPILOGUE_requantize) magnitude *= number;
        magnitude += e->kind == VT_EPILOGUE_bias_int8 ? second * lanes : number + second + exp2(31);
    }
    vta_field_seen(field, degree, magnitude);
}

/* A variable for an element, known to be of its type. */
static vta_value element(vta_field *field, uint64_t space, size_t index, uint32_t bits) {
    vta_value v = vta_field_variable(field, space, index);
    int64_t half = INT64_C(1) << (bits - 1);
    if (bits < 32) vta_field_known(field, v, -half, half - 1);
    return v;
}

/* Zeros, or anything of the type, where the definition has no element. */
static void fill(const proving *p, vta_field *field, uint32_t i) {
    const vt_plain *arg = &p->definition.of[i];
    for (size_t at = 0; at < arg->count; at++) arg->values[at] = element(field, i, at, arg->bits);
    for (size_t at = 0; at < arg->tiled; at++) {
        if (arg->map[at] >= 0)
            p->tiles[i][at] = arg->values[arg->map[at]];
        else
            p->tiles[i][at] =
                arg->zeros ? vta_field_int(field, 0) : element(field, UINT64_C(1) << 32 | i, at, arg->bits);
    }
}

static void compare(const proving *p) {
    uint32_t last = p->definition.n - 1;
    const vt_plain *res = &p->definition.of[last];
    vtac_prove_result *r = p->result;
    for (size_t at = 0; at < res->tiled; at++) {
        if (res->map[at] < 0 || vta_field_same(p->tiles[last][at], res->values[res->map[at]])) continue;
        if (r->different++) continue;
        r->arg = last;
        r->index = at;
    }
}

static vta_status draw(proving *p, uint64_t seed) {
    vta_field *field;
    te_context *c = vtac_kernel_context(p->op->kernel);
    uint32_t last = p->definition.n - 1;
    VT_TRY(vta_field_create(seed, p->definition.allocator, p->diag, &field));
    values v = {field, p->op};
    const vt_algebra algebra = {&v, false, number, apply, products, average, times, round_shift, look_up, narrowed};
    for (uint32_t i = 0; i < last; i++) fill(p, field, i);
    te_tensor *out = (te_tensor *)vtac_kernel_arg(p->op->kernel, last);
    vta_status status = te_evaluate_field(c, field, out, last, p->inputs,
                                          (const vta_value *const *)(const void *)p->tiles, p->tiles[last]);
    if (status != VTA_OK) status = vt_fail(p->diag, status, "%s", vt_diag_reason(te_context_diag(c)));
    if (status == VTA_OK) status = vt__definition_evaluate(&p->definition, &algebra, p->diag);
    if (status == VTA_OK) status = vta_field_status(field);
    if (status == VTA_OK) compare(p);
    say_size(p->op, field);
    if (vta_field_terms(field) > p->terms) p->terms = vta_field_terms(field);
    p->degree = fmax(p->degree, vta_field_degree(field));
    p->magnitude = fmax(p->magnitude, vta_field_magnitude(field));
    vta_field_destroy(field);
    return status;
}

/* ---- All of them --------------------------------------------------------------------------------------------------
 */

static double log2_error(const proving *p, uint32_t draws) {
    return draws * vta_field_log2_chance(p->terms, p->degree, p->magnitude);
}

/* Both parts may fail; the second with the chance that docs/prove.md has for as many terms. */
static void add_error(const proving *p, uint32_t draws) {
    vtac_prove_result *r = p->result;
    r->log2_error = log2(exp2(r->log2_error) + exp2(log2_error(p, draws)));
    if (p->terms > r->terms) r->terms = p->terms;
    if (r->log2_error < 0) return;
    r->verdict = VTAC_UNPROVEN;
    snprintf(r->reason, sizeof r->reason, "%s", VT_PROVE_BY_CHANCE);
}

static vta_status make(proving *p) {
    VT_TRY(vt__definition_open(p->op, p->definition.allocator, p->diag, &p->definition));
    for (uint32_t i = 0; i < p->definition.n; i++) {
        p->inputs[i] = (te_tensor *)vtac_kernel_arg(p->op->kernel, i);
        p->tiles[i] = vt_alloc_array(p->definition.allocator, p->definition.of[i].tiled, sizeof **p->tiles);
        if (!p->tiles[i]) return vt_no_memory(p->diag);
    }
    return VTA_OK;
}

/* An input that shows it, or the words that there is none. */
static vta_status decide(proving *p, const vtac_prove_options *o) {
    vtac_check_result check = {0};
    vtac_check_options options = {.seed = o->seed, .allocator = o->allocator};
    vta_runtime *runtime, *before = vta_runtime_current();
    vtac_prove_result *r = p->result;
    VT_TRY(vta_runtime_create(p->op->config, "sim", NULL, o->allocator, p->diag, &runtime));
    vta_runtime_use(runtime);
    vta_status status = vtac_op_check(p->op, kDLExtDev, &options, p->diag, &check);
    vta_runtime_use(before);
    vta_runtime_destroy(runtime);
    r->verdict = check.different ? VTAC_WRONG : VTAC_UNPROVEN;
    if (check.different) {
        memcpy(r->expected, check.expected, sizeof r->expected);
        memcpy(r->got, check.got, sizeof r->got);
    }
    snprintf(
        r->reason, sizeof r->reason,
        check.different ? "the kernel file is not what %s is defined as: element %llu is %s and should be %s"
                        : "the kernel file says %s otherwise than it is defined, and no input was found that shows "
                          "a difference (element %llu)%s%s",
        p->op->is->name, (unsigned long long)(check.different ? check.index : r->index), check.got, check.expected);
    return status;
}

/* Draws go on while the polynomials that were seen may be equal by chance, unless their number is given. */
static bool needs_more(const proving *p, const vtac_prove_options *o, uint32_t draws) {
    if (draws < p->result->draws) return true;
    return !o->draws && draws < VT_PROVE_DRAWS_MAX && log2_error(p, draws) > VT_PROVE_SMALL_LOG2;
}

static vta_status prove_definition(const vtac_op *op, const vtac_prove_options *o, vta_diag *diag,
                                   vtac_prove_result *result) {
    proving p = {.op = op, .diag = diag, .result = result};
    p.definition.allocator = o->allocator;
    vta_status status = make(&p);
    uint32_t draws = 0;
    for (; status == VTA_OK && !result->different && needs_more(&p, o, draws); draws++)
        status = draw(&p, o->seed + draws);
    for (uint32_t i = 0; i < p.definition.n; i++)
        vt_free(o->allocator, p.tiles[i], p.definition.of[i].tiled * sizeof **p.tiles);
    if (status == VTA_OK && result->different) status = decide(&p, o);
    if (status == VTA_OK && result->verdict == VTAC_PROVEN) add_error(&p, draws);
    vt__definition_close(&p.definition);
    return status;
}

static vta_status prove(const vtac_op *op, const vtac_prove_options *o, vta_diag *diag, vtac_prove_result *result) {
    const te_tensor *args[VT_DEFINITION_ARGS];
    vta_packed_function function;
    if (!op) return vt_fail(diag, VTA_INVALID_ARGUMENT, "op is NULL");
    if (!op->module)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s has no compiled function: schedule it, with code", op->is->name);
    size_t n = vtac_kernel_arg_count(op->kernel);
    if (n > VT_DEFINITION_ARGS) return vt_fail(diag, VTA_UNSUPPORTED, "%s: %zu arguments", op->is->name, n);
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(op->kernel, i);
    VT_TRY(vtac_module_function(op->module, vtac_kernel_name(op->kernel), diag, &function));
    VT_TRY(vtac_prove(vtac_kernel_context(op->kernel), n, args, function, o, diag, result));
    return result->verdict == VTAC_PROVEN ? prove_definition(op, o, diag, result) : VTA_OK;
}

vta_status vtac_op_prove(const vtac_op *op, const vtac_prove_options *options, vta_diag *diag,
                         vtac_prove_result *out_result) {
    if (!out_result) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_result is NULL");
    vtac_prove_options own;
    vtac_prove_result result = {0};
    vta_status status = vt_options_read(&own, sizeof own, options, "vtac_prove_options", diag);
    if (status == VTA_OK) status = prove(op, &own, diag, &result);
    vt_result_write(out_result, &result, sizeof result);
    return status;
}
