/* Computations of one's own: written in every way that is understood they get the schedule of the operator that they
 * are, and compute what they say; what is none of the operators is refused, with the reason. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "vta/ops.h"
#include "vta/runtime.h"

static uint64_t seed_state;
static int64_t pick(int64_t least, int64_t most) {
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((seed_state >> 33) % (uint64_t)(most - least + 1));
}

/* ---- A computation, and the operator that it is ---- */

typedef struct text {
    char of[8192];
} text;

static void add(text *t, const char *fmt, ...) {
    size_t size = strlen(t->of);
    va_list args;
    va_start(args, fmt);
    vsnprintf(t->of + size, sizeof t->of - size, fmt, args);
    va_end(args);
}

typedef struct form {
    bool dense, copies, one_tensor, weight_first, turned; /* turned: weights with another order of dimensions */
    int guard; /* conv: 0 pad(), 1 a tensor with if_then_else, 2 a condition in the sum, 3 pad() and select */
    const char *data, *weight, *out;
} form;

typedef struct sizes {
    int64_t n, ic, oc, h, w, kh, kw, sh, sw, dh, dw, top, bottom, left, right, oh, ow;
} sizes;

static sizes pick_sizes(void) {
    sizes s = {.n = 1, .ic = pick(1, 3), .oc = pick(1, 3)};
    do {
        s.h = pick(1, 9), s.w = pick(1, 9), s.kh = pick(1, 3), s.kw = pick(1, 3);
        s.sh = pick(1, 2), s.sw = pick(1, 2), s.dh = pick(1, 2), s.dw = pick(1, 2);
        s.top = pick(0, 2), s.bottom = pick(0, 2), s.left = pick(0, 2), s.right = pick(0, 2);
        s.oh = s.h + s.top + s.bottom - (s.kh - 1) * s.dh - 1;
        s.ow = s.w + s.left + s.right - (s.kw - 1) * s.dw - 1;
    } while (s.oh < 0 || s.ow < 0);
    s.oh = s.oh / s.sh + 1;
    s.ow = s.ow / s.sw + 1;
    return s;
}

/* A place along an axis, in one of the ways to write it. */
static const char *place(char *to, const char *axis, int64_t stride, const char *tap, int64_t dilation,
                         int64_t before) {
    switch (pick(0, 2)) {
    case 0: snprintf(to, 96, "%s * %d + %s * %d - %d", axis, (int)stride, tap, (int)dilation, (int)before); break;
    case 1: snprintf(to, 96, "%d * %s + (%d * %s - %d)", (int)stride, axis, (int)dilation, tap, (int)before); break;
    default:
        snprintf(to, 96, "(%s - 1) * %d + %s * %d + %d", axis, (int)stride, tap, (int)dilation, (int)(stride - before));
    }
    return to;
}

static void add_padding(text *t, const form *f, const sizes *s) {
    if (f->guard == 2) return;
    if (f->guard != 1) {
        add(t, "tensor padded = pad(%s, [0, 0, %d, %d, 0, 0], [0, 0, %d, %d, 0, 0])\n", f->data, (int)s->top,
            (int)s->left, (int)s->bottom, (int)s->right);
        return;
    }
    add(t, "tensor padded[p: %d, q: %d, y: %d, x: %d, bi: BATCH, ri: BLOCK_IN] =\n", (int)s->n, (int)s->ic,
        (int)(s->h + s->top + s->bottom), (int)(s->w + s->left + s->right));
    add(t, "  if_then_else(y >= %d && %d > x && x - %d >= 0 && y <= %d, %s[p, q, y - %d, x - %d, bi, ri], inp_t(0))\n",
        (int)s->top, (int)(s->w + s->left), (int)s->left, (int)(s->h + s->top - 1), f->data, (int)s->top, (int)s->left);
}

static void add_conv(text *t, const form *f, const sizes *s) {
    char y[96], x[96], guard[256] = "", factors[2][320];
    int64_t top = f->guard == 2 ? s->top : 0, left = f->guard == 2 ? s->left : 0;
    const char *weight = f->turned ? "turned" : f->weight;
    add_padding(t, f, s);
    if (f->turned)
        add(t, "tensor turned[dy: %d, q: %d, o: %d, dx: %d, c: BLOCK_OUT, r: BLOCK_IN] = %s[o, q, dy, dx, c, r]\n",
            (int)s->kh, (int)s->ic, (int)s->oc, (int)s->kw, f->weight);
    place(y, "i", s->sh, "dy", s->dh, top);
    place(x, "j", s->sw, "dx", s->dw, left);
    if (f->guard >= 2)
        snprintf(guard, sizeof guard,
                 "select(i * %d + dy * %d >= %d && %d > i * %d + dy * %d && "
                 "j * %d + dx * %d >= %d && j * %d + dx * %d <= %d, ",
                 (int)s->sh, (int)s->dh, (int)s->top, (int)(s->h + s->top), (int)s->sh, (int)s->dh, (int)s->sw,
                 (int)s->dw, (int)s->left, (int)s->sw, (int)s->dw, (int)(s->w + s->left - 1));
    snprintf(factors[f->weight_first], 320, "acc_t(%s[n, rc, %s, %s, b, r])", f->guard == 2 ? f->data : "padded", y, x);
    snprintf(factors[!f->weight_first], 320,
             f->turned ? "acc_t(%s[dy, rc, o, dx, c, r])" : "acc_t(%s[o, rc, dy, dx, c, r])", weight);
    add(t, "reduce rc = %d, dy = %d, dx = %d, r = BLOCK_IN\n", (int)s->ic, (int)s->kh, (int)s->kw);
    add(t, "tensor total[n: %d, o: %d, i: %d, j: %d, b: BATCH, c: BLOCK_OUT] = sum[rc, dy, dx, r](%s%s * %s%s)\n",
        (int)s->n, (int)s->oc, (int)s->oh, (int)s->ow, guard, factors[0], factors[1], *guard ? ", acc_t(0))" : "");
}

static void add_dense(text *t, const form *f, const sizes *s) {
    char factors[2][64];
    snprintf(factors[f->weight_first], 64, "acc_t(%s[n, rc, b, r])", f->data);
    snprintf(factors[!f->weight_first], 64, "acc_t(%s[o, rc, c, r])", f->weight);
    add(t, "reduce rc = %d, r = BLOCK_IN\n", (int)s->ic);
    add(t, "tensor total[n: %d, o: %d, b: BATCH, c: BLOCK_OUT] = sum[rc, r](%s * %s)\n", (int)s->n, (int)s->oc,
        factors[0], factors[1]);
}

/* What follows, one step wrapped around the others; the attribute that it is goes to `epilogue`. */
static void wrap(char *body, size_t room, const char *fmt, int number, const char *at) {
    char inner[1024];
    snprintf(inner, sizeof inner, "%s", body);
    for (size_t used = 0; *fmt && used < room - 1; fmt++) {
        if (*fmt == '@')
            used += (size_t)snprintf(body + used, room - used, "%s", inner);
        else if (*fmt == '#')
            used += (size_t)snprintf(body + used, room - used, "%d", number);
        else if (*fmt == '&')
            used += (size_t)snprintf(body + used, room - used, "%s", at);
        else
            body[used++] = *fmt;
        body[used] = 0;
    }
}

static void add_steps(text *t, const form *f, const char *axes, const char *at, const char *channel, text *epilogue) {
    static const struct {
        const char *fmt[2], *attribute;
        int least, most;
    } steps[] = {
        {{"(@ >> #)", "(@ >> #)"}, "shift:%d", 0, 20},
        {{"max(@, #)", "max(#, @)"}, "max:%d", -300, 20},
        {{"min(@, #)", "min(#, @)"}, "min:%d", 21, 300},
        {{"(@ + #)", "(# + @)"}, "add:%d", 1, 99},
        {{"(@ - #)", "(@ - #)"}, "add:-%d", 1, 99},
        {{"(@ * #)", "(# * @)"}, "multiply:%d", 2, 9},
        {{"(@ + side_b[&])", "(side_b[&] + @)"}, "bias", 0, 0},
        {{"(@ + side_r[&])", "(side_r[&] + @)"}, "residual", 0, 0},
    };
    char body[1024], name[32] = "total";
    bool used[2] = {false, false};
    snprintf(body, sizeof body, "total[%s]", at);
    int64_t n = pick(0, 4);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = pick(0, 7);
        if (k >= 6 && used[k - 6]) continue;
        if (k >= 6) used[k - 6] = true;
        int number = (int)pick(steps[k].least, steps[k].most);
        wrap(body, sizeof body, steps[k].fmt[pick(0, 1)], number, k == 6 ? channel : at);
        add(epilogue, "%s", *epilogue->of ? "," : " epilogue=");
        add(epilogue, steps[k].attribute, number);
        if (f->one_tensor) continue;
        snprintf(name, sizeof name, "step%d", (int)i);
        add(t, "tensor %s[%s] = %s\n", name, axes, body);
        snprintf(body, sizeof body, "%s[%s]", name, at);
    }
    add(t, "output %s[%s] = out_t(%s)\n", f->out, axes, body);
}

/* "data" and its copies: what the sum reads. */
static void add_inputs(text *t, const form *f, const sizes *s) {
    char data[160], weight[160];
    const char *copy = f->copies ? "_in" : "";
    if (f->dense) {
        snprintf(data, sizeof data, "input %s%s: inp_t[%d, %d, BATCH, BLOCK_IN]\n", f->data, copy, (int)s->n,
                 (int)s->ic);
        snprintf(weight, sizeof weight, "input %s: wgt_t[%d, %d, BLOCK_OUT, BLOCK_IN]\n", f->weight, (int)s->oc,
                 (int)s->ic);
    } else {
        snprintf(data, sizeof data, "input %s%s: inp_t[%d, %d, %d, %d, BATCH, BLOCK_IN]\n", f->data, copy, (int)s->n,
                 (int)s->ic, (int)s->h, (int)s->w);
        snprintf(weight, sizeof weight, "input %s: wgt_t[%d, %d, %d, %d, BLOCK_OUT, BLOCK_IN]\n", f->weight, (int)s->oc,
                 (int)s->ic, (int)s->kh, (int)s->kw);
    }
    add(t, "%s%s", f->weight_first ? weight : data, f->weight_first ? data : weight);
    if (f->copies) add(t, "tensor %s like %s_in = %s_in[...]\n", f->data, f->data, f->data);
}

static void add_sides(text *t, const char *epilogue, const form *f, const sizes *s) {
    if (strstr(epilogue, "bias")) add(t, "input side_b: acc_t[%d, BATCH, BLOCK_OUT]\n", (int)s->oc);
    if (strstr(epilogue, "residual") && f->dense)
        add(t, "input side_r: acc_t[%d, %d, BATCH, BLOCK_OUT]\n", (int)s->n, (int)s->oc);
    if (strstr(epilogue, "residual") && !f->dense)
        add(t, "input side_r: acc_t[%d, %d, %d, %d, BATCH, BLOCK_OUT]\n", (int)s->n, (int)s->oc, (int)s->oh,
            (int)s->ow);
}

/* A kernel file without schedule, and the operator and attributes that it is. */
static const char *make(text *kernel, text *attributes) {
    static const char *const names[] = {"x", "data", "res", "weight_buf", "sums", "weight"};
    int64_t first = pick(0, 5);
    form f = {.dense = pick(0, 3) == 0,
              .copies = pick(0, 1),
              .one_tensor = pick(0, 1),
              .weight_first = pick(0, 1),
              .turned = pick(0, 1),
              .guard = (int)pick(0, 3),
              .data = names[first],
              .weight = names[(first + 1 + pick(0, 1)) % 6],
              .out = names[(first + 3 + pick(0, 1)) % 6]};
    sizes s = pick_sizes();
    text body = {""}, epilogue = {""};
    if (f.dense) {
        s.n = pick(1, 5);
        add_dense(&body, &f, &s);
    } else {
        add_conv(&body, &f, &s);
    }
    char axes[160];
    if (f.dense)
        snprintf(axes, sizeof axes, "n: %d, o: %d, b: BATCH, c: BLOCK_OUT", (int)s.n, (int)s.oc);
    else
        snprintf(axes, sizeof axes, "n: %d, o: %d, i: %d, j: %d, b: BATCH, c: BLOCK_OUT", (int)s.n, (int)s.oc,
                 (int)s.oh, (int)s.ow);
    add_steps(&body, &f, axes, f.dense ? "n, o, b, c" : "n, o, i, j, b, c", "o, b, c", &epilogue);
    add(kernel, "kernel own\n");
    add_sides(kernel, epilogue.of, &f, &s);
    add_inputs(kernel, &f, &s);
    add(kernel, "%s", body.of);
    if (f.dense)
        add(attributes, "batch=%d in_features=%d out_features=%d%s", (int)s.n, (int)s.ic * 16, (int)s.oc * 16,
            epilogue.of);
    else
        add(attributes,
            "height=%d width=%d in_channels=%d out_channels=%d kernel_h=%d kernel_w=%d stride_h=%d "
            "stride_w=%d dilation_h=%d dilation_w=%d pad_top=%d pad_bottom=%d pad_left=%d pad_right=%d%s",
            (int)s.h, (int)s.w, (int)s.ic * 16, (int)s.oc * 16, (int)s.kh, (int)s.kw, (int)s.sh, (int)s.sw, (int)s.dh,
            (int)s.dw, (int)s.top, (int)s.bottom, (int)s.left, (int)s.right, epilogue.of);
    return f.dense ? "dense" : "conv2d";
}

/* ---- The same schedule, and right ---- */

static void check(const vtac_kernel *own, vtac_op *op, const char *source) {
    const te_tensor *args[8];
    vta_runtime *runtime;
    vta_packed_function function;
    vtac_check_result result = {0};
    vta_diag *diag = vta_diag_create(NULL);
    size_t n = vtac_kernel_arg_count(own);
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(own, i);
    vta_device_options device = {.check = true};
    assert_int_equal(vta_runtime_create(NULL, "sim", &(vta_runtime_options){.device = &device}, NULL, diag, &runtime),
                     VTA_OK);
    vta_runtime_use(runtime);
    vta_status status = vtac_module_function(vtac_op_module(op), vtac_kernel_name(own), diag, &function);
    vtac_check_options options = {.interpret = true};
    if (status == VTA_OK)
        status = vtac_check(vtac_kernel_context(own), n, args, function, kDLExtDev, &options, diag, &result);
    if (status != VTA_OK || result.different)
        fail_msg("%s%s\n%s\n%d elements differ", source, vtac_op_text(op), vta_diag_text(diag), (int)result.different);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
    vta_diag_destroy(diag);
}

static void check_names(const vtac_kernel *own, const vtac_op *op) {
    vtac_kernel *made = vtac_op_kernel(op);
    assert_string_equal(vtac_kernel_name(made), "own");
    assert_int_equal(vtac_kernel_arg_count(made), vtac_kernel_arg_count(own));
    for (size_t i = 0; i < vtac_kernel_arg_count(own); i++) {
        const char *name = te_tensor_name(vtac_kernel_arg(own, i));
        assert_memory_equal(te_tensor_name(vtac_kernel_arg(made, i)), name, strlen(name));
    }
}

enum { CASES = 120 };

TEST_CASE(test_generated) {
    const char *count = getenv("VTA_TEST_CASES");
    vtac_op_options options = {.tries = 1};
    for (uint64_t i = 0; i < (count ? strtoull(count, NULL, 10) : CASES); i++) {
        text kernel = {""}, attributes = {""};
        vtac_kernel *own;
        vtac_op *op[2];
        vtac_op_result r[2] = {{0}, {0}};
        vta_diag *diag = vta_diag_create(NULL);
        seed_state = i * 7919 + 5;
        for (int k = 0; k < 8; k++) pick(0, 1);
        const char *name = make(&kernel, &attributes);
        add(&attributes, " narrow=wrap"); /* as out_t(...) does */
        if (vtac_kernel_parse(kernel.of, strlen(kernel.of), "own", NULL, NULL, NULL, diag, &own) != VTA_OK ||
            vtac_op_match_kernel(own, NULL, diag, &op[0]) != VTA_OK ||
            vtac_op_schedule(op[0], &options, diag, &r[0]) != VTA_OK ||
            vtac_op_create(name, attributes.of, NULL, NULL, diag, &op[1]) != VTA_OK ||
            vtac_op_schedule(op[1], &options, diag, &r[1]) != VTA_OK)
            fail_msg("%s%s %s\n%s", kernel.of, name, attributes.of, vta_diag_text(diag));
        assert_string_equal(vtac_op_name(op[0]), name);
        assert_int_equal(r[0].cycles, r[1].cycles);
        check_names(own, op[0]);
        check(own, op[0], kernel.of);
        for (int k = 0; k < 2; k++) vtac_op_destroy(op[k]);
        vtac_kernel_destroy(own);
        vta_diag_destroy(diag);
    }
}

/* The kernel file that an operator writes, without its schedule, gives that very file again. */
TEST_CASE(test_emitted) {
    static const char *const attributes[] = {
        "height=14 width=14 in_channels=32 out_channels=64 kernel=3 pad=1 epilogue=bias,shift,residual,relu,clip",
        "height=9 width=7 in_channels=16 out_channels=16 kernel=3 stride=2 pad_top=1 pad_left=2 dilation=2",
        "height=8 width=8 in_channels=48 out_channels=32 epilogue=add:-3,multiply:5,min:9",
        "height=16 width=20 in_channels=32 out_channels=64 stride=2 epilogue=shift,relu,clip",
        "height=28 width=28 in_channels=64 out_channels=64 kernel=3 pad=1 epilogue=shift,relu,clip",
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        vtac_op *op[2];
        vtac_kernel *own;
        vta_diag *diag = vta_diag_create(NULL);
        assert_int_equal(vtac_op_create("conv2d", attributes[i], NULL, NULL, diag, &op[0]), VTA_OK);
        assert_int_equal(vtac_op_schedule(op[0], NULL, diag, NULL), VTA_OK);
        const char *emitted = vtac_op_text(op[0]), *stage = strstr(emitted, "\nstage ");
        assert_non_null(stage);
        assert_int_equal(vtac_kernel_parse(emitted, (size_t)(stage - emitted), "own", NULL, NULL, NULL, diag, &own),
                         VTA_OK);
        assert_false(vtac_kernel_is_scheduled(own));
        if (vtac_op_match_kernel(own, NULL, diag, &op[1]) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
        assert_int_equal(vtac_op_schedule(op[1], NULL, diag, NULL), VTA_OK);
        assert_string_equal(vtac_op_text(op[1]), emitted);
        for (int k = 0; k < 2; k++) vtac_op_destroy(op[k]);
        vtac_kernel_destroy(own);
        vta_diag_destroy(diag);
    }
}

/* ---- Refusals ---- */

#define CONV_INPUTS "input d: inp_t[1, 2, 8, 8, BATCH, BLOCK_IN]\ninput w: wgt_t[2, 2, 3, 3, BLOCK_OUT, BLOCK_IN]\n"
#define AXES "n: 1, o: 2, i: 6, j: 6, b: BATCH, c: BLOCK_OUT"
#define REDUCE "reduce q = 2, dy = 3, dx = 3, r = BLOCK_IN\n"
#define PRODUCT "acc_t(d[n, q, i + dy, j + dx, b, r]) * acc_t(w[o, q, dy, dx, c, r])"
#define CONV CONV_INPUTS REDUCE "tensor s[" AXES "] = sum[q, dy, dx, r](" PRODUCT ")\n"
#define OUT "output y like s = out_t(s[...])\n"
#define GUARD(condition)                                                                                               \
    "input d: inp_t[1, 2, 6, 6, BATCH, BLOCK_IN]\n"                                                                    \
    "input w: wgt_t[2, 2, 3, 3, BLOCK_OUT, BLOCK_IN]\n" REDUCE "tensor p = pad(d, [0, 0, 1, 1, 0, 0])\n"               \
    "tensor s[" AXES "] = sum[q, dy, dx, r](select(" condition ", acc_t(p[n, q, i + dy, j + dx, b, r]) * "             \
    "acc_t(w[o, q, dy, dx, c, r]), acc_t(0)))\n" OUT
#define BARE_GUARD(condition)                                                                                          \
    CONV_INPUTS REDUCE "tensor s[" AXES "] = sum[q, dy, dx, r](select(" condition ", " PRODUCT ", acc_t(0)))\n" OUT
#define SQUARE_COPY(place)                                                                                             \
    CONV_INPUTS REDUCE                                                                                                 \
        "tensor e[n: 1, q: 2, i: 8, j: 8, b: BATCH, r: BLOCK_IN] = d[" place "]\ntensor s[" AXES                       \
        "] = sum[q, dy, dx, r](acc_t(e[n, q, i + dy, j + dx, b, r]) * acc_t(w[o, q, dy, dx, c, r]))\n" OUT

static const struct {
    const char *kernel, *words;
} refused[] = {
    {"input a: acc_t[4, BATCH, BLOCK_OUT]\noutput y like a = out_t(a[...] >> 3)\n", "reads the argument a where"},
    {CONV "output y like s = s[...]\n", "y: its elements have 32 bits: the accelerator stores out_t, of 8"},
    {CONV "output y like s = out_t(s[...] // 3)\n", "not an operation that may follow a sum"},
    {CONV "output y like s = out_t(max(s[...], s[...]))\n", "both sides come from sums of products"},
    {CONV "output y like s = out_t(acc_t(out_t(s[...])) + 1)\n", "a conversion between the sum and the result"},
    {CONV "output y[" AXES "] = out_t(s[n, o, 5 - i, j, b, c])\n", "reads s elsewhere than at its own axes"},
    {CONV "input e: acc_t[2, BLOCK_OUT]\noutput y[" AXES "] = out_t(s[n, o, i, j, b, c] + e[o, c])\n",
     "neither a bias, indexed by output channel, batch lane and channel lane (e[co, bi, ci]), nor a residual"},
    {CONV "input e: out_t[1, 2, 6, 6, BATCH, BLOCK_OUT]\noutput y[" AXES
          "] = out_t(s[n, o, i, j, b, c] + acc_t(e[n, o, i, j, b, c]))\n",
     "neither a number nor an element of an argument"},
    {CONV "input e: acc_t[2, BATCH, BLOCK_OUT]\noutput y[" AXES "] = out_t(max(s[n, o, i, j, b, c], e[o, b, c]))\n",
     "its second operand must be a number"},
    {CONV "input e: acc_t[2, BATCH, BLOCK_OUT]\ntensor f[" AXES "] = s[n, o, i, j, b, c] + e[o, b, c]\noutput y[" AXES
          "] = out_t(f[n, o, i, j, b, c] + e[o, b, c])\n",
     "e: is read as bias0 and as bias1"},
    {CONV "input e: acc_t[2, BATCH, BLOCK_OUT]\n" OUT, "e: is an argument that nothing reads"},
    {CONV OUT "output z like s = out_t(s[...] + 1)\n", "y and z are computed: an operator has one result"},
    {CONV "output y like s = out_t(s[...] + 40000)\n", "40000 is not from -32768 to 32767"},
    {"target llvm\n" CONV OUT, "is for the host"},
    {CONV_INPUTS REDUCE "tensor s[" AXES "] = max[q, dy, dx, r](" PRODUCT ")\n" OUT, "something else than a sum"},
    {CONV_INPUTS REDUCE "tensor s[" AXES "] = sum[q, dy, dx, r](acc_t(d[n, q, i + dy, j + dx, b, r]))\n" OUT,
     "is not a product of two elements"},
    {CONV_INPUTS REDUCE
     "tensor s[" AXES
     "] = sum[q, dy, dx, r](acc_t(d[n, q, i + dy, j + dx, b, r]) * acc_t(w[o, q, dx, dy, c, r]))\n" OUT,
     "the data must be read as"},
    {CONV_INPUTS REDUCE
     "tensor s[" AXES "] = sum[q, dy, dx, r](acc_t(d[n, q, i + dy, j + i, b, r]) * acc_t(w[o, q, dy, dx, c, r]))\n" OUT,
     "the data must be read as data[bo, rc, i * stride + dy * dilation"},
    {CONV_INPUTS REDUCE "tensor s[" AXES "] = sum[q, dy, dx, r](acc_t(d[n, q, i + 2 - dy, j + dx, b, r]) * "
                        "acc_t(w[o, q, dy, dx, c, r]))\n" OUT,
     "the data must be read as"},
    {CONV_INPUTS "reduce q = 1, dy = 3, dx = 3, r = BLOCK_IN\ntensor s[" AXES "] = sum[q, dy, dx, r](" PRODUCT
                 ")\n" OUT,
     "w: dimension 1 has 2 elements and 1 are used"},
    {CONV_INPUTS REDUCE "tensor s[n: 1, o: 2, i: 4, j: 6, b: BATCH, c: BLOCK_OUT] = sum[q, dy, dx, r](" PRODUCT
                        ")\n" OUT,
     "s: computes 4 rows of a convolution that has more"},
    {CONV_INPUTS REDUCE
     "tensor s[n: 1, o: 2, i: 5, j: 6, b: BATCH, c: BLOCK_OUT] = "
     "sum[q, dy, dx, r](acc_t(d[n, q, i + dy + 1, j + dx, b, r]) * acc_t(w[o, q, dy, dx, c, r]))\n" OUT,
     "s: begins behind the first of the image's rows"},
    {"input d: inp_t[8, 8, 16]\ninput w: wgt_t[3, 3, 16, 16]\nreduce dy = 3, dx = 3, r = 16\n"
     "tensor s[i: 6, j: 6, c: 16] = sum[dy, dx, r](acc_t(d[i + dy, j + dx, r]) * acc_t(w[dy, dx, r, c]))\n" OUT,
     "has 3 dimensions: a convolution in tiles has [images"},
    {"input d: inp_t[2, 2, BATCH, 8]\ninput w: wgt_t[2, 2, BLOCK_OUT, 8]\nreduce q = 2, r = 8\n"
     "tensor s[n: 2, o: 2, b: BATCH, c: BLOCK_OUT] = sum[q, r](acc_t(d[n, q, b, r]) * acc_t(w[o, q, c, r]))\n" OUT,
     "d: its last two dimensions must be BATCH, BLOCK_IN: 1 x 16 x 16"},
    {"input d: inp_t[2, 2, BATCH, BLOCK_IN]\ninput w: wgt_t[2, 2, BLOCK_OUT, BLOCK_IN]\nreduce q = 2, r = BLOCK_IN\n"
     "tensor s[n: 2, o: 2, b: BATCH, c: BLOCK_OUT] = sum[q, r](acc_t(d[q, n, b, r]) * acc_t(w[o, q, c, r]))\n" OUT,
     "the data must be read as data[bo, rc, bi, ri]"},
    {"input d: inp_t[2, 2, BATCH, BLOCK_IN]\ninput w: wgt_t[2, 2, BLOCK_OUT, BLOCK_IN]\nreduce q = 2, r = BLOCK_IN\n"
     "tensor s[n: 2, o: 2, b: BATCH, c: BLOCK_OUT] = sum[q, r](acc_t(d[n, q, b, r]) * acc_t(w[o, q, r, c]))\n" OUT,
     "the weights must be read as weight[co, rc, ci, ri]"},
    {"input d: inp_t[2, 2, BATCH, BLOCK_IN]\ninput w: wgt_t[2, 2, BLOCK_OUT, BLOCK_IN]\nreduce q = 2, r = BLOCK_IN\n"
     "tensor e like d = d[...] + inp_t(1)\n"
     "tensor s[n: 2, o: 2, b: BATCH, c: BLOCK_OUT] = sum[q, r](acc_t(e[n, q, b, r]) * acc_t(w[o, q, c, r]))\n" OUT,
     "is neither an argument, nor a copy of one, nor one padded with zeros"},
    /* more dimensions than any operator's tensors have */
    {"input d: inp_t[1, 1, 1, 1, 2, 2, BATCH, BLOCK_IN]\ninput w: wgt_t[2, 2, BLOCK_OUT, BLOCK_IN]\n"
     "reduce q = 2, r = BLOCK_IN\ntensor s[n: 2, o: 2, b: BATCH, c: BLOCK_OUT] =\n"
     "  sum[q, r](acc_t(d[0, 0, 0, 0, n, q, b, r]) * acc_t(w[o, q, c, r]))\n" OUT,
     "a factor is not an element of a tensor in tiles at sums of axes"},
    {GUARD("i + dy >= 1 && i + dy < 7 && j + dx >= 1 && j + dx < 6"), "not those of zero padding"},
    {GUARD("i + dy >= 2 && i + dy < 7 && j + dx >= 1 && j + dx < 7"), "not those of zero padding"},
    {GUARD("i + dy >= 1 && i + dy < 7 && i + dx >= 1 && j + dx < 7"), "not those of zero padding"},
    {GUARD("i + dy != 0 && i + dy < 7"), "is not made of comparisons"},
    {GUARD("i + dy >= 0 && i + dy < 8 && j + dx >= 1 && j + dx < 7"), ""},
    {GUARD("dy + j + i >= 1 + j && -7 < -dy - i && j + dx * 2 >= dx + 1 && j + dx < 7"), ""},
    {BARE_GUARD("i + dy >= 1"), "not those of zero padding"},
    {BARE_GUARD("j + dx < 7"), "not those of zero padding"},
    {BARE_GUARD("i + dy >= 0 && j + dx < 8"), ""},
    {SQUARE_COPY("n, q, j, i, b, r"), "the data must be read as data["},
    {SQUARE_COPY("n, 1 - q, i, j, b, r"), "the data must be read as data["},
    {SQUARE_COPY("n, q, i, j, b, (r + 1) % BLOCK_IN"), "is neither an argument, nor a copy of one"},
    {SQUARE_COPY("n, q, i, j, b, r"), ""},
    {CONV "output y[" AXES "] = out_t(s[0, o, i, j, 0, c] >> 2)\n", ""}, /* as broadcasting reads an extent of 1 */
    {CONV "output y[" AXES "] = out_t(s[n, 0, i, j, b, c])\n", "reads s elsewhere than at its own axes"},
};

/* No words: it is understood. What the reading itself refuses has words too. */
TEST_CASE(test_refused) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        vtac_kernel *own = NULL;
        vtac_op *op = NULL;
        vta_diag *diag = vta_diag_create(NULL);
        const char *source = refused[i].kernel;
        vta_status status = vtac_kernel_parse(source, strlen(source), "own", NULL, NULL, NULL, diag, &own);
        if (status == VTA_OK) status = vtac_op_match_kernel(own, NULL, diag, &op);
        bool understood = !*refused[i].words;
        if (understood ? status != VTA_OK : status == VTA_OK || op || !strstr(vta_diag_text(diag), refused[i].words))
            fail_msg("%s%d: %s", source, (int)status, vta_diag_text(diag));
        vtac_op_destroy(op);
        vtac_kernel_destroy(own);
        vta_diag_destroy(diag);
    }
}

/* Tensors made by calls may share a name, also with the function: the kernel file tells them apart. */
TEST_CASE(test_shared_names) {
    vta_config *config = vta_config_default();
    te_context *c = te_context_create(config, NULL);
    const int64_t shape[] = {1, 2, 4, 4, vta_config_batch(config), vta_config_block_out(config)};
    vta_diag *diag = vta_diag_create(NULL);
    vtac_op *op;
    te_tensor *args[3];
    for (int i = 0; i < 2; i++) args[i] = te_placeholder(c, "x", "int32", 6, shape);
    te_axis *axes[6];
    te_expr *index[6];
    for (size_t i = 0; i < 6; i++) {
        axes[i] = te_axis_create(c, "i", shape[i]);
        index[i] = te_axis_value(c, axes[i]);
    }
    te_expr *sum = te_add(c, te_load(c, args[0], 6, index), te_load(c, args[1], 6, index));
    te_expr *body = te_cast(c, "int8", sum);
    assert_int_equal(te_compute_axes(c, "x", NULL, 6, axes, 1, &body, &args[2]), VTA_OK);
    if (vtac_op_match(c, 3, args, "x", NULL, diag, &op) != VTA_OK ||
        vtac_op_schedule(op, &(vtac_op_options){.tries = 1}, diag, NULL) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    vtac_kernel *made = vtac_op_kernel(op);
    assert_int_equal(vtac_kernel_arg_count(made), 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(te_tensor_name(vtac_kernel_arg(made, i)), te_tensor_name(vtac_kernel_arg(made, k)));
    vtac_op_destroy(op);
    vta_diag_destroy(diag);
    te_context_destroy(c);
    vta_config_release(config);
}

TEST_CASE(test_bad_calls) {
    vtac_op *op;
    te_context *c = te_context_create(NULL, NULL);
    te_tensor *x = te_placeholder(c, "x", "int32", 1, (int64_t[]){4}), *none = NULL;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vtac_op_match_kernel(NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_op_match(NULL, 1, &x, NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_op_match(c, 1, NULL, NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_op_match(c, 1, &x, NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_op_match(c, 1, &none, NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_op_match(c, 1, &x, NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
    assert_non_null(strstr(vta_diag_text(diag), "no argument is computed"));
    vta_diag_destroy(diag);
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
