/* Steps as operations of the machine: which values may occur is followed from the sum on, so that what changes nothing
 * is left out, and rounding takes the shortest form that is exact. In the end the result saturates where the output
 * type may not hold it. */
#include <stdio.h>
#include <string.h>

#include "operators/epilogue.h"
#include "operators/norm.h"
#include "operators/shares.h"

/* The values that x may have, and the steps made so far. */
typedef struct settling {
    vtac_op *op;
    vta_diag *diag;
    int64_t least, most;     /* of x */
    int64_t lowest, highest; /* of an accumulator */
    uint32_t n;
    vt_epilogue steps[VT_OPERATIONS_MAX];
    const char *step, *wrapped; /* whose result `becomes` is told of; the first whose result may have wrapped */
} settling;

static vta_status emit(settling *s, vt_epilogue_kind kind, int32_t number, int32_t second) {
    if (s->n == VT_EPILOGUE_MAX)
        return vt_fail(s->diag, VTA_OUT_OF_RANGE, "epilogue: more than %d operations", VT_EPILOGUE_MAX);
    s->steps[s->n++] = (vt_epilogue){kind, number, second};
    return VTA_OK;
}

/* x is from `least` to `most` now, or anything where an accumulator could have wrapped. */
static void becomes(settling *s, int64_t least, int64_t most) {
    bool fits = least >= s->lowest && most <= s->highest;
    s->least = fits ? least : s->lowest;
    s->most = fits ? most : s->highest;
    if (!fits && !s->wrapped) s->wrapped = s->step;
}

static int64_t larger(int64_t x, int64_t y) { return x > y ? x : y; }
static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t magnitude(const settling *s) { return larger(-s->least, s->most); }

static vta_status shift(settling *s, int32_t n) {
    if (!n) return VTA_OK;
    becomes(s, s->least >> n, s->most >> n);
    return emit(s, VT_EPILOGUE_shift, n, 0);
}

static vta_status add(settling *s, int32_t n) {
    if (!n) return VTA_OK;
    becomes(s, s->least + n, s->most + n);
    return emit(s, VT_EPILOGUE_add, n, 0);
}

static vta_status multiply(settling *s, int32_t n) {
    if (n == 1) return VTA_OK;
    int64_t a = s->least * n, b = s->most * n;
    becomes(s, smaller(a, b), larger(a, b));
    return emit(s, VT_EPILOGUE_multiply, n, 0);
}

static vta_status at_least(settling *s, int32_t n) {
    if (n <= s->least) return VTA_OK;
    becomes(s, n, larger(s->most, n));
    return emit(s, VT_EPILOGUE_max, n, 0);
}

static vta_status at_most(settling *s, int32_t n) {
    if (n >= s->most) return VTA_OK;
    becomes(s, smaller(s->least, n), n);
    return emit(s, VT_EPILOGUE_min, n, 0);
}

/* Half of 2^n is added before the shift where that surely does not wrap and is a constant of an instruction; else
 * ((x >> (n - 1)) + 1) >> 1, which is the same without either limit. */
static vta_status round_shift(settling *s, int32_t n) {
    int64_t half = INT64_C(1) << (n - 1);
    if (half <= INT16_MAX && s->most + half <= s->highest) {
        VT_TRY(add(s, (int32_t)half));
        return shift(s, n);
    }
    if (n == 1)
        return vt_fail(
            s->diag, VTA_OUT_OF_RANGE,
            "epilogue: round_shift:1: values up to %lld may stand before it, and with 1 added the largest does "
            "not fit an accumulator: put shift or clip before it, or say how large bias is (bias:MOST)",
            (long long)s->most);
    VT_TRY(shift(s, n - 1));
    VT_TRY(add(s, 1));
    return shift(s, 1);
}

static vta_status requantize(settling *s, int32_t factor, int32_t n) {
    if (magnitude(s) > s->highest / factor)
        return vt_fail(
            s->diag, VTA_OUT_OF_RANGE,
            "epilogue: requantize:%d:%d: values up to %lld may stand before it, and times %d they do not fit "
            "an accumulator: put round_shift or clip before it, say how large bias is (bias:MOST), or take "
            "a smaller factor and shift",
            (int)factor, (int)n, (long long)magnitude(s), (int)factor);
    VT_TRY(multiply(s, factor));
    return round_shift(s, n);
}

int64_t vt__bias_step(const vta_config *config) {
    int64_t inp = (INT64_C(1) << (vta_config_width(config, VTA_MEM_INP) - 1)) - 1;
    return smaller(inp, (INT64_C(1) << vta_config_width(config, VTA_MEM_WGT)) - 1);
}

/* ---- Steps with inputs ------------------------------------------------------------------------------------------ */

/* The most that one GEMM micro-op adds to a lane. */
static int64_t product_max(const vtac_op *op) {
    return (int64_t)vta_config_block_in(op->config)
           << (vta_config_width(op->config, VTA_MEM_INP) + vta_config_width(op->config, VTA_MEM_WGT) - 2);
}

static vta_status plus(settling *s, const vt_epilogue *e, int64_t most) {
    becomes(s, s->least - most, s->most + most);
    return emit(s, e->kind, e->number, e->second);
}

static vta_status times(settling *s, const vt_epilogue *e) {
    int64_t most;
    if (!e->second || __builtin_mul_overflow(magnitude(s), (int64_t)e->second, &most)) most = s->highest + 1;
    becomes(s, -most, most);
    return emit(s, e->kind, e->number, e->second);
}

static vta_status by_gemm(settling *s, const vt_epilogue *e) {
    const vtac_op *op = s->op;
    int64_t lane = INT64_C(1) << (vta_config_width(op->config, VTA_MEM_INP) - 1);
    int64_t scale = INT64_C(1) << (vta_config_width(op->config, VTA_MEM_WGT) - 1);
    if (!op->terms)
        return vt_fail(s->diag, VTA_UNSUPPORTED, "%s: %s adds by GEMM to a sum of products, which this operator is not",
                       op->is->name, vt__epilogue_rows[e->kind].name);
    if (lane < 128 && e->kind == VT_EPILOGUE_bias_int8)
        return vt_fail(s->diag, VTA_UNSUPPORTED,
                       "epilogue: bias_int8 multiplies by inputs that the host writes, and the host cannot "
                       "write inputs of %u bits: use bias, or inputs of 8 bits (LOG_INP_WIDTH=3)",
                       vta_config_width(op->config, VTA_MEM_INP));
    if (scale < 128 && e->kind == VT_EPILOGUE_residual_int8)
        return vt_fail(s->diag, VTA_UNSUPPORTED,
                       "epilogue: residual_int8 multiplies by weights that the host writes, and the host "
                       "cannot write weights of %u bits: use residual, or weights of 8 bits (LOG_WGT_WIDTH=3)",
                       vta_config_width(op->config, VTA_MEM_WGT));
    if (e->kind == VT_EPILOGUE_bias_int8)
        return plus(s, e, e->second * scale * (vt__bias_step(op->config) * (vta_config_block_in(op->config) - 1) + 1));
    if (e->second < -scale || e->second >= scale)
        return vt_fail(s->diag, VTA_OUT_OF_RANGE, "epilogue: residual_int8:%d: a weight is from %lld to %lld",
                       (int)e->second, (long long)-scale, (long long)scale - 1);
    return plus(s, e, lane * (e->second < 0 ? -e->second : e->second));
}

/* A table clips what it looks up: clips to more than its numbers in front of it say nothing new. */
static vta_status look_up(settling *s, const vt_epilogue *e) {
    while (s->n) {
        const vt_epilogue *last = &s->steps[s->n - 1];
        bool wide = (last->kind == VT_EPILOGUE_max && last->number <= INT8_MIN) ||
                    (last->kind == VT_EPILOGUE_min && last->number >= INT8_MAX);
        if (!wide) break;
        s->n--;
    }
    becomes(s, INT8_MIN, INT8_MAX);
    return emit(s, e->kind, e->number, e->second);
}

static vta_status settle_one(settling *s, const vt_epilogue *e) {
    switch (e->kind) {
    case VT_EPILOGUE_shift: return shift(s, e->number);
    case VT_EPILOGUE_round_shift: return round_shift(s, e->number);
    case VT_EPILOGUE_requantize: return requantize(s, e->number, e->second);
    case VT_EPILOGUE_add: return add(s, e->number);
    case VT_EPILOGUE_multiply: return multiply(s, e->number);
    case VT_EPILOGUE_max: return at_least(s, e->number);
    case VT_EPILOGUE_min: return at_most(s, e->number);
    case VT_EPILOGUE_leaky:
        if (s->least >= 0) return VTA_OK;
        becomes(s, s->least >> e->number, larger(s->most, 0));
        return emit(s, e->kind, e->number, 0);
    case VT_EPILOGUE_bias: return plus(s, e, e->second ? e->second : s->highest + 1);
    case VT_EPILOGUE_multiply_channel: return times(s, e);
    case VT_EPILOGUE_bias_int8:
    case VT_EPILOGUE_residual_int8: return by_gemm(s, e);
    case VT_EPILOGUE_table: return look_up(s, e);
    case VT_EPILOGUE_residual:
    case VT_EPILOGUE_shift_channel: return plus(s, e, s->highest + 1); /* anything */
    case VT_EPILOGUE_relu:
    case VT_EPILOGUE_clip: /* written as maxima and minima before */
    case VT_EPILOGUES: break;
    }
    return VTA_INTERNAL;
}

/* The largest sum: all factors at their lowest. */
static int64_t sum_max(const vtac_op *op, int64_t unknown) {
    int64_t most, product = product_max(op) / vta_config_block_in(op->config);
    return op->terms && !__builtin_mul_overflow(op->terms, product, &most) ? most : unknown;
}

/* ---- The result ------------------------------------------------------------------------------------------------- */

#define IS(name) (op->is->write == vt__write_##name)

static bool is_average(const vtac_op *op) { return IS(avg_pool2d) || IS(global_avg_pool2d); }

/* What the operator makes of any inputs, before steps. Averages are here divided already. */
static void begin(settling *s) {
    const vtac_op *op = s->op;
    unsigned bits = vta_config_width(op->config, IS(concat) ? VTA_MEM_OUT : op->shape.wide ? VTA_MEM_ACC : VTA_MEM_INP);
    int64_t most = (INT64_C(1) << (bits - 1)) - 1, least = -most - 1, sum = sum_max(op, s->highest + 1);
    s->step = op->is->name;
    if (vt__has_shares(op) || vt__is_norm(op)) /* data that are not negative give less; others anything */
        becomes(s, s->lowest, s->highest);
    else if (op->terms)
        becomes(s, -sum, sum);
    else if (IS(add))
        becomes(s, 2 * least, 2 * most);
    else if (IS(multiply))
        becomes(s, least * most, least * least);
    else if (IS(sum_pool2d))
        becomes(s, least * op->shape.kernel_h * op->shape.kernel_w, most * op->shape.kernel_h * op->shape.kernel_w);
    else if (IS(leaky_relu))
        becomes(s, least >> op->values[VT_ATTRIBUTE_leaky_relu_by], most);
    else
        becomes(s, least, most);
}

static void say_what_wraps(vtac_op *op, const char *step) {
    bool first = step == op->is->name, limited = !strcmp(step, "bias") || !strcmp(step, "multiply_channel");
    if (first && op->terms)
        snprintf(op->sums, sizeof op->sums,
                 "sums may wrap: up to %lld products of %u x %u bits do not fit an accumulator of 32 bits",
                 (long long)op->terms, vta_config_width(op->config, VTA_MEM_INP),
                 vta_config_width(op->config, VTA_MEM_WGT));
    else
        snprintf(op->sums, sizeof op->sums, "%s may wrap: its result may not fit an accumulator of 32 bits%s%s%s", step,
                 limited ? "; " : "", limited ? step : "", limited ? ":MOST promises how large its input is" : "");
}

/* The range that inputs of their types lead to is narrower than that which the steps were settled for, where the
 * operator is no sum of products. `from`: the first step that is not part of the operator. */
static vta_status narrow(settling *s, uint32_t from) {
    vtac_op *op = s->op;
    settling exact = {.op = op, .diag = s->diag, .lowest = s->lowest, .highest = s->highest};
    int64_t half = INT64_C(1) << (vta_config_width(op->config, VTA_MEM_OUT) - 1);
    begin(&exact);
    for (uint32_t i = from; i < s->n; i++) {
        exact.step = vt__epilogue_rows[s->steps[i].kind].name;
        VT_TRY(settle_one(&exact, &s->steps[i]));
    }
    if (exact.wrapped) say_what_wraps(op, exact.wrapped);
    op->overflows = exact.least < -half || exact.most >= half;
    if (op->narrow == VT_NARROW_wrap) return VTA_OK;
    if (exact.least < -half) s->steps[s->n++] = (vt_epilogue){VT_EPILOGUE_max, (int32_t)-half, 0};
    if (exact.most >= half) s->steps[s->n++] = (vt_epilogue){VT_EPILOGUE_min, (int32_t)(half - 1), 0};
    return VTA_OK;
}

vta_status vt__epilogue_settle(vtac_op *op, vta_diag *diag) {
    int64_t end = INT64_C(1) << (vta_config_width(op->config, VTA_MEM_ACC) - 1), most = sum_max(op, end);
    uint32_t own = op->n_epilogue - op->n_said, from = 0; /* of an average: the steps that divide */
    settling s = {.op = op, .diag = diag, .lowest = -end, .highest = end - 1};
    if (vt__has_shares(op) || vt__is_norm(op)) most = end;
    becomes(&s, -most, most);
    for (uint32_t i = 0; i < op->n_epilogue; i++) {
        VT_TRY(settle_one(&s, &op->epilogue[i]));
        if (i + 1 == own && is_average(op)) from = s.n;
    }
    VT_TRY(narrow(&s, from));
    op->n_epilogue = s.n;
    memcpy(op->epilogue, s.steps, s.n * sizeof *s.steps);
    return VTA_OK;
}

/* ---- What they take ---------------------------------------------------------------------------------------------- */

vt_epilogue_use vt__epilogue_use(const vtac_op *op, int64_t oc, int64_t tile) {
    int64_t in = vta_config_block_in(op->config), out = vta_config_block_out(op->config);
    int64_t blocks = out > in ? out / in : 1; /* of inputs for one of outputs */
    vt_epilogue_use use = {.acc = tile * op->residuals + oc * (op->biases + op->factors + op->amounts),
                           .inp = tile * blocks * (op->addends > 0)}; /* one after the other has the place */
    bool leaky = false;
    for (uint32_t i = 0; i < op->n_epilogue; i++) {
        const vt_epilogue *e = &op->epilogue[i];
        switch (e->kind) {
        case VT_EPILOGUE_bias_int8:
            use.micro_ops += e->second;
            use.wgt += oc * e->second;
            use.inp += e->second;
            break;
        case VT_EPILOGUE_residual_int8:
            use.micro_ops += blocks;
            use.wgt += in > out ? in / out : blocks;
            break;
        case VT_EPILOGUE_leaky: /* a reset, a copy, the shift, the maximum */
            use.micro_ops += 1 + 2 + 1 + 2;
            use.instructions += 3;
            leaky = true;
            break;
        case VT_EPILOGUE_bias:
        case VT_EPILOGUE_residual:
        case VT_EPILOGUE_multiply_channel:
        case VT_EPILOGUE_shift_channel: use.micro_ops += 2; break;
        case VT_EPILOGUE_shift:
        case VT_EPILOGUE_add:
        case VT_EPILOGUE_multiply:
        case VT_EPILOGUE_max:
        case VT_EPILOGUE_min:
        case VT_EPILOGUE_table: use.micro_ops++; break;
        case VT_EPILOGUE_round_shift: /* these are written with the ones above */
        case VT_EPILOGUE_requantize:
        case VT_EPILOGUE_relu:
        case VT_EPILOGUE_clip:
        case VT_EPILOGUES: break;
        }
        use.instructions++;
    }
    if (leaky) use.acc += tile;
    if (vt__has_shares(op) || vt__is_norm(op)) {
        vt_epilogue_use more = vt__is_norm(op) ? vt__norm_use(op, oc, tile) : vt__shares_use(op, oc, tile);
        use.acc += more.acc, use.inp += more.inp, use.wgt += more.wgt;
        use.micro_ops += more.micro_ops, use.instructions += more.instructions;
    }
    return use;
}
