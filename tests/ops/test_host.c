/* Kernels for the host against plain C loops, on random shapes. */
#include <math.h>

#include "operators/host/host.h"
#include "support/check.h"
#include "vta/build.h"

enum { ROUNDS = 8, ARGUMENTS = 4 };

static check_random random_numbers = {88172645463325252u};
static int64_t pick(int64_t least, int64_t most) { return check_between(&random_numbers, least, most); }
static float pick_float(void) { return (float)pick(-4000, 4000) / 512.0f; }

static vta_diag *diag;
#define HOST ((vt_host){NULL, NULL, diag, NULL})

/* A call that makes `none`: it fails, and leaves NULL there. */
#define REFUSES(call, status)                                                                                          \
    do {                                                                                                               \
        none = (vtac_kernel *)&none;                                                                                   \
        assert_int_equal(call, status);                                                                                \
        assert_null(none);                                                                                             \
    } while (0)
#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != VTA_OK) fail_msg("%s: %s", #call, vta_diag_text(diag));                                          \
    } while (0)

/* A kernel, compiled, with arrays for its arguments. */
typedef struct compiled {
    vtac_kernel *kernel;
    vtac_module *module;
    vta_packed_function function;
    vta_array *arrays[ARGUMENTS];
    DLTensor *tensors[ARGUMENTS];
    size_t count;
} compiled;

static void make_array(compiled *c, size_t i) {
    const te_tensor *t = vtac_kernel_arg(c->kernel, i);
    const char *type = te_tensor_dtype(vtac_kernel_context(c->kernel), t);
    int64_t shape[8];
    uint8_t bits = (uint8_t)atoi(type + strcspn(type, "0123456789"));
    for (size_t d = 0; d < te_tensor_ndim(t); d++) shape[d] = te_tensor_dim(t, d);
    const DLDataType dtype = {type[0] == 'f' ? kDLFloat : type[0] == 'u' ? kDLUInt : kDLInt, bits, 1};
    MUST(vta_array_create(kDLCPU, (int32_t)te_tensor_ndim(t), shape, dtype, NULL, diag, &c->arrays[i]));
    c->tensors[i] = vta_array_tensor(c->arrays[i]);
}

static void fill(const DLTensor *t, size_t bytes) {
    for (size_t i = 0; t->dtype.code == kDLFloat && i < bytes / 4; i++) ((float *)t->data)[i] = pick_float();
    for (size_t i = 0; t->dtype.code != kDLFloat && i < bytes; i++) ((uint8_t *)t->data)[i] = (uint8_t)pick(0, 255);
}

/* Inputs get random contents, and the result something that is not 0. */
static void *run(compiled *c, vtac_kernel *kernel) {
    vtac_build_func func = {0};
    *c = (compiled){.kernel = kernel, .count = vtac_kernel_arg_count(kernel)};
    if (vtac_kernel_lower(kernel, NULL, &func.func) != VTA_OK)
        fail_msg("%s", vta_diag_text(te_context_diag(vtac_kernel_context(kernel))));
    MUST(vtac_build(1, &func, &(vtac_build_options){.target = "llvm"}, diag, &c->module));
    MUST(vtac_module_function(c->module, vtac_kernel_name(kernel), diag, &c->function));
    for (size_t i = 0; i < c->count; i++) {
        make_array(c, i);
        fill(c->tensors[i], vta_array_bytes(c->arrays[i]));
    }
    MUST(vta_function_call_tensors(c->function, c->tensors, (int)c->count, diag));
    return c->tensors[c->count - 1]->data;
}

static void done(compiled *c) {
    for (size_t i = 0; i < c->count; i++) vta_array_free(c->arrays[i]);
    vtac_module_destroy(c->module);
    vtac_kernel_destroy(c->kernel);
}

static void same_float(float got, double expected, const char *what, int64_t index) {
    if (!(fabs(got - expected) <= 1e-4 * (1 + fabs(expected))))
        fail_msg("%s: element %d is %g, not %g", what, (int)index, (double)got, expected);
}

static void same_int(int64_t got, int64_t expected, const char *what, int64_t index) {
    if (got != expected) fail_msg("%s: element %d is %d, not %d", what, (int)index, (int)got, (int)expected);
}

static int64_t blocks(int64_t n, int64_t by) { return (n + by - 1) / by; }

/* Where an element of N C S is in a form. */
static int64_t place(const vt_host_form *f, int64_t channels, int64_t s, int64_t n, int64_t c, int64_t i) {
    if (!f->lanes) return (n * channels + c) * s + i;
    int64_t tile = (n / f->rows * blocks(channels, f->lanes) + c / f->lanes) * s + i;
    return (tile * f->rows + n % f->rows) * f->lanes + c % f->lanes;
}

static vt_host_form pick_tiles(const char *type) {
    return (vt_host_form){type, (uint32_t)1 << pick(0, 2), (uint32_t)1 << pick(2, 5)};
}

/* ---- Numbers ---- */

static int8_t quantized(float x, const vt_host_convert *o) {
    double v = nearbyint((double)(x * (float)o->scale)) + (double)o->zero;
    return (int8_t)(v<(double)o->low ? o->low : v>(double) o->high ? o->high : (int64_t)v);
}

static void check_quantize(const vt_host_convert *o) {
    compiled c;
    vtac_kernel *kernel;
    MUST(vt_host_convert_kernel(&HOST, o, &kernel));
    const int8_t *got = run(&c, kernel);
    const float *x = c.tensors[0]->data;
    int64_t rows = o->to.lanes ? blocks(o->n, o->to.rows) * o->to.rows : o->n;
    int64_t lanes = o->to.lanes ? blocks(o->c, o->to.lanes) * o->to.lanes : o->c;
    for (int64_t n = 0; n < rows; n++)
        for (int64_t k = 0; k < lanes; k++)
            for (int64_t i = 0; i < o->s; i++) {
                bool inside = n < o->n && k < o->c;
                int8_t expected = inside ? quantized(x[(n * o->c + k) * o->s + i], o) : 0;
                same_int(got[place(&o->to, o->c, o->s, n, k, i)], expected, "quantize", (n * lanes + k) * o->s + i);
            }
    done(&c);
}

static void quantize(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        vt_host_convert o = {.n = pick(1, 5), .c = pick(1, 40), .s = pick(1, 50), .from = {.type = "float32"}};
        o.to = i % 3 ? pick_tiles("int8") : (vt_host_form){.type = "int8"};
        o.scale = (double)pick(1, 4000) / 64;
        o.zero = i % 4 ? 0 : pick(-100, 100);
        o.low = i % 2 ? -127 : -128;
        o.high = 127;
        check_quantize(&o);
    }
    check_quantize(&(vt_host_convert){1, 3, 40000, {"float32", 0, 0}, {"int8", 1, 16}, 16, 0, -128, 127});
}

static void dequantize(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        vt_host_convert o = {.n = pick(1, 5), .c = pick(1, 40), .s = pick(1, 50), .to = {.type = "float32"}};
        bool wide = i % 2;
        o.from = i % 3 ? pick_tiles(wide ? "int32" : "int8") : (vt_host_form){.type = wide ? "int32" : "int8"};
        o.scale = 0.125 / (double)pick(1, 9);
        o.zero = i % 4 ? 0 : pick(-100, 100);
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_convert_kernel(&HOST, &o, &kernel));
        const float *got = run(&c, kernel);
        const void *x = c.tensors[0]->data;
        for (int64_t k = 0; k < o.n * o.c * o.s; k++) {
            int64_t at = place(&o.from, o.c, o.s, k / (o.c * o.s), k / o.s % o.c, k % o.s);
            double v = wide ? ((const int32_t *)x)[at] : ((const int8_t *)x)[at];
            same_float(got[k], (v - (double)o.zero) * o.scale, "dequantize", k);
        }
        done(&c);
    }
}

/* From tiles to other tiles and to plain, no value changed. */
static void repack(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        vt_host_convert o = {.n = pick(1, 5), .c = pick(1, 40), .s = pick(1, 30), .from = pick_tiles("int8")};
        o.to = i % 2 ? pick_tiles("int8") : (vt_host_form){.type = "int8"};
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_convert_kernel(&HOST, &o, &kernel));
        const int8_t *got = run(&c, kernel), *x = c.tensors[0]->data;
        for (int64_t k = 0; k < o.n * o.c * o.s; k++) {
            int64_t n = k / (o.c * o.s), ch = k / o.s % o.c, s = k % o.s;
            same_int(got[place(&o.to, o.c, o.s, n, ch, s)], x[place(&o.from, o.c, o.s, n, ch, s)], "repack", k);
        }
        done(&c);
    }
}

/* ---- Windows ---- */

static vt_host_window pick_window(void) {
    vt_host_window w = {.n = pick(1, 3), .c = pick(1, 6), .h = pick(1, 12), .w = pick(1, 12)};
    w.kernel_h = pick(1, 4);
    w.kernel_w = pick(1, 4);
    w.stride_h = pick(1, 3);
    w.stride_w = pick(1, 3);
    w.dilation_h = w.dilation_w = 1;
    w.pad_top = pick(0, w.kernel_h - 1);
    w.pad_left = pick(0, w.kernel_w - 1);
    int64_t bottom = pick(0, w.kernel_h - 1), right = pick(0, w.kernel_w - 1);
    if (w.h + w.pad_top + bottom < w.kernel_h) w.h = w.kernel_h;
    if (w.w + w.pad_left + right < w.kernel_w) w.w = w.kernel_w;
    w.out_h = (w.h + w.pad_top + bottom - w.kernel_h) / w.stride_h + 1;
    w.out_w = (w.w + w.pad_left + right - w.kernel_w) / w.stride_w + 1;
    return w;
}

static bool inside(const vt_host_window *w, int64_t row, int64_t column) {
    return row >= 0 && row < w->h && column >= 0 && column < w->w;
}

static int8_t row_value(const vt_host_im2row *o, const float *x, int64_t n, int64_t k, int64_t y, int64_t z) {
    const vt_host_window *w = &o->window;
    int64_t row_lanes = o->row_lanes ? o->row_lanes : w->kernel_w * w->c;
    int64_t dy = k / row_lanes, r = k % row_lanes, dx = r / w->c, c = r % w->c;
    if (n >= w->n || dy >= w->kernel_h || dx >= w->kernel_w) return 0;
    int64_t row = y * w->stride_h + dy - w->pad_top, column = z * w->stride_w + dx - w->pad_left;
    if (!inside(w, row, column)) return 0;
    const vt_host_convert q = {.scale = o->scale, .low = o->low, .high = o->high};
    return quantized(x[((n * w->c + c) * w->h + row) * w->w + column], &q);
}

static void check_im2row(const vt_host_im2row *o) {
    const vt_host_window *w = &o->window;
    int64_t row_lanes = o->row_lanes ? o->row_lanes : w->kernel_w * w->c, s = w->out_h * w->out_w;
    int64_t rows = blocks(w->n, o->to.rows) * o->to.rows,
            lanes = blocks(row_lanes * w->kernel_h, o->to.lanes) * o->to.lanes;
    compiled c;
    vtac_kernel *kernel;
    MUST(vt_host_im2row_kernel(&HOST, o, &kernel));
    const int8_t *got = run(&c, kernel);
    for (int64_t n = 0; n < rows; n++)
        for (int64_t k = 0; k < lanes; k++)
            for (int64_t i = 0; i < s; i++)
                same_int(got[place(&o->to, lanes, s, n, k, i)],
                         row_value(o, c.tensors[0]->data, n, k, i / w->out_w, i % w->out_w), "im2row",
                         (n * lanes + k) * s + i);
    done(&c);
}

static void im2row(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        vt_host_im2row o = {.window = pick_window(), .to = pick_tiles("int8"), .scale = 16, .low = -128, .high = 127};
        if (i % 3 == 0) o.row_lanes = o.window.kernel_w * o.window.c + pick(0, 20);
        check_im2row(&o);
    }
    for (int64_t gap = 0; gap <= 16; gap += 16) /* rows of whole tiles */
        check_im2row(&(vt_host_im2row){
            {1, 4, 20, 20, 4, 4, 2, 3, 1, 1, 1, 2, 9, 6}, {"int8", 1, 16}, 16 + gap, 18.5, -128, 127});
    check_im2row(
        &(vt_host_im2row){{1, 3, 56, 56, 7, 7, 2, 2, 1, 1, 3, 3, 28, 28}, {"int8", 1, 16}, 0, 18.5, -128, 127});
}

static double pooled(const vt_host_pool *o, const void *x, int64_t n, int64_t c, int64_t y, int64_t z) {
    const vt_host_window *w = &o->window;
    bool whole = !strcmp(o->form.type, "float32");
    double sum = 0, most = -INFINITY;
    int64_t count = 0;
    for (int64_t dy = 0; dy < w->kernel_h; dy++)
        for (int64_t dx = 0; dx < w->kernel_w; dx++) {
            int64_t row = y * w->stride_h + dy - w->pad_top, column = z * w->stride_w + dx - w->pad_left;
            if (!inside(w, row, column)) continue;
            int64_t at = place(&o->form, w->c, w->h * w->w, n, c, row * w->w + column);
            double v = whole ? (double)((const float *)x)[at] : ((const int8_t *)x)[at];
            sum += v;
            most = v > most ? v : most;
            count++;
        }
    if (!o->average) return most;
    double v = sum * (o->scale != 0 ? o->scale : 1) / (double)(o->count_padding ? w->kernel_h * w->kernel_w : count);
    return whole ? v : nearbyint(v) < -128 ? -128 : nearbyint(v) > 127 ? 127 : nearbyint(v);
}

static void pool(void **state) {
    (void)state;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        vt_host_pool o = {.window = pick_window(), .average = i % 2, .count_padding = i % 4 == 1};
        const vt_host_window *w = &o.window;
        const char *type = i % 3 ? "int8" : "float32";
        o.form = i % 5 ? pick_tiles(type) : (vt_host_form){.type = type};
        if (i % 6 == 1) o.scale = 0.25; /* halves are exact: no rounding to argue about */
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_pool_kernel(&HOST, &o, &kernel));
        const void *got = run(&c, kernel);
        int64_t s = w->out_h * w->out_w;
        for (int64_t k = 0; k < w->n * w->c * s; k++) {
            int64_t n = k / (w->c * s), ch = k / s % w->c, at = place(&o.form, w->c, s, n, ch, k % s);
            double expected = pooled(&o, c.tensors[0]->data, n, ch, k % s / w->out_w, k % w->out_w);
            if (i % 3 == 0)
                same_float(((const float *)got)[at], expected, "pool", k);
            else
                same_int(((const int8_t *)got)[at], (int64_t)expected, "pool", k);
        }
        done(&c);
    }
}

/* ---- Sums of products ---- */

typedef struct conv_data {
    const vt_host_conv *o;
    const compiled *c;
} conv_data;

static double number(const DLTensor *t, int64_t at) {
    if (t->dtype.code == kDLFloat) return (double)((const float *)t->data)[at];
    return t->dtype.bits == 8 ? ((const int8_t *)t->data)[at] : ((const int32_t *)t->data)[at];
}

/* By the definition: every product of an input and a weight is added where it belongs. */
static double *convolved(const vt_host_conv *o, const compiled *c) {
    const vt_host_window *w = &o->window;
    int64_t in = w->c / o->groups, per = o->out_c / o->groups, s = w->out_h * w->out_w;
    double *sum = calloc((size_t)(w->n * o->out_c * s), sizeof *sum);
    for (int64_t n = 0; n < w->n; n++)
        for (int64_t oc = 0; oc < o->out_c; oc++)
            for (int64_t i = 0; i < s; i++) sum[(n * o->out_c + oc) * s + i] = o->bias ? number(c->tensors[2], oc) : 0;
    for (int64_t n = 0; n < w->n; n++)
        for (int64_t g = 0; g < o->groups; g++)
            for (int64_t p = 0; p < in * per * w->kernel_h * w->kernel_w; p++) {
                int64_t dx = p % w->kernel_w, dy = p / w->kernel_w % w->kernel_h, taps = w->kernel_h * w->kernel_w;
                int64_t ic = p / taps % in, oc = p / taps / in;
                double k = number(c->tensors[1], o->transposed ? ((g * in + ic) * per + oc) * taps + p % taps
                                                               : ((g * per + oc) * in + ic) * taps + p % taps);
                for (int64_t a = 0; a < (o->transposed ? w->h : w->out_h); a++)
                    for (int64_t b = 0; b < (o->transposed ? w->w : w->out_w); b++) {
                        int64_t far_y = a * w->stride_h + dy * w->dilation_h - w->pad_top;
                        int64_t far_z = b * w->stride_w + dx * w->dilation_w - w->pad_left;
                        int64_t high = o->transposed ? w->out_h : w->h, wide = o->transposed ? w->out_w : w->w;
                        if (far_y < 0 || far_y >= high || far_z < 0 || far_z >= wide) continue;
                        int64_t from = o->transposed ? a * w->w + b : far_y * w->w + far_z;
                        int64_t to = o->transposed ? far_y * w->out_w + far_z : a * w->out_w + b;
                        sum[(n * o->out_c + g * per + oc) * s + to] +=
                            k * number(c->tensors[0], (n * w->c + g * in + ic) * w->h * w->w + from);
                    }
            }
    return sum;
}

static void conv(void **state) {
    (void)state;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        vt_host_conv o = {.window = pick_window(), .groups = pick(1, 3), .transposed = i % 4 == 3, .bias = i % 2};
        vt_host_window *w = &o.window;
        o.of.first = i % 3 ? "float32" : "int8";
        w->c = o.groups * pick(1, 3);
        o.out_c = o.groups * pick(1, 3);
        if (o.transposed) {
            w->dilation_h = pick(1, 2);
            w->out_h = (w->h - 1) * w->stride_h + (w->kernel_h - 1) * w->dilation_h + 1 - w->pad_top + pick(0, 1);
            w->out_w = (w->w - 1) * w->stride_w + w->kernel_w - w->pad_left;
        }
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_conv_kernel(&HOST, &o, &kernel));
        run(&c, kernel);
        double *expected = convolved(&o, &c);
        for (int64_t k = 0; k < w->n * o.out_c * w->out_h * w->out_w; k++)
            same_float((float)number(c.tensors[c.count - 1], k), expected[k], "conv", k);
        free(expected);
        done(&c);
    }
    vtac_kernel *none;
    REFUSES(vt_host_conv_kernel(&HOST, &(vt_host_conv){.window = {.c = 4}, .out_c = 4, .groups = 3, .of.first = "int8"},
                                &none),
            VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
}

/* Which of an operand's matrices the result's matrix `at` is made of. */
static int64_t matrix_at(const int64_t *batch, const int64_t *whole, int32_t axes, int64_t at) {
    int64_t index = 0, by = 1;
    for (int32_t i = axes; i-- > 0; at /= whole[i]) {
        if (batch[i] > 1) index += at % whole[i] * by;
        by *= batch[i];
    }
    return index;
}

static void matmul(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        vt_host_matmul o = {.m = pick(1, 9),
                            .k = pick(1, 40),
                            .n = pick(1, 40),
                            .transposed = i % 2,
                            .bias = i % 3 == 0,
                            .batch_axes = (int32_t)pick(0, 3)};
        int64_t whole[VT_HOST_BATCH], matrices = 1;
        for (int32_t k = 0; k < o.batch_axes; k++) {
            whole[k] = pick(1, 3);
            o.x_batch[k] = pick(0, 2) ? whole[k] : 1;
            o.w_batch[k] = o.x_batch[k] == 1 || pick(0, 1) ? whole[k] : 1;
            matrices *= whole[k];
        }
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_matmul_kernel(&HOST, &o, &kernel));
        const float *got = run(&c, kernel);
        for (int64_t at = 0; at < matrices * o.m * o.n; at++) {
            int64_t b = at / (o.m * o.n), r = at / o.n % o.m, j = at % o.n;
            int64_t x = matrix_at(o.x_batch, whole, o.batch_axes, b), w = matrix_at(o.w_batch, whole, o.batch_axes, b);
            double sum = o.bias ? number(c.tensors[2], j) : 0;
            for (int64_t k = 0; k < o.k; k++)
                sum += number(c.tensors[0], (x * o.m + r) * o.k + k) *
                       number(c.tensors[1], w * o.k * o.n + (o.transposed ? j * o.k + k : k * o.n + j));
            same_float(got[at], sum, "matmul", at);
        }
        done(&c);
    }
    vtac_kernel *none;
    REFUSES(vt_host_matmul_kernel(&HOST, &(vt_host_matmul){.m = 1, .k = 1, .n = 1, .batch_axes = 7}, &none),
            VTA_UNSUPPORTED);
    vta_diag_clear(diag);
}

/* ---- Shapes of any kind ---- */

static int64_t elements(const vt_host_shape *s) {
    int64_t n = 1;
    for (int32_t i = 0; i < s->ndim; i++) n *= s->dim[i];
    return n;
}

static vt_host_shape pick_shape(int32_t ndim) {
    vt_host_shape s = {.type = "float32", .ndim = ndim};
    for (int32_t i = 0; i < ndim; i++) s.dim[i] = pick(1, i + 1 == ndim ? 40 : 5);
    return s;
}

/* Element `at` of y, of an operand that spreads to it. */
static int64_t spread(const vt_host_shape *a, const vt_host_shape *y, int64_t at) {
    int64_t index = 0, step = 1;
    for (int32_t i = y->ndim - 1; i >= 0; i--) {
        int32_t k = i - (y->ndim - a->ndim);
        if (k >= 0 && a->dim[k] != 1) index += at % y->dim[i] * step;
        if (k >= 0) step *= a->dim[k];
        at /= y->dim[i];
    }
    return index;
}

static void map(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        vt_host_shape y = pick_shape((int32_t)pick(1, 4)), a[2] = {y, y};
        for (int32_t d = 0; d < y.ndim; d++) a[pick(0, 1)].dim[d] = pick(0, 1) ? 1 : y.dim[d];
        int32_t cut = (int32_t)pick(0, y.ndim - 1);
        a[1].ndim -= cut;
        memmove(a[1].dim, a[1].dim + cut, sizeof *a[1].dim * (size_t)a[1].ndim);
        for (int32_t d = 0; d < y.ndim; d++) a[0].dim[d] = i % 2 ? y.dim[d] : a[0].dim[d];
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_map_kernel(&HOST, "max($0 - $1, 0.5) + $1 * $1", a, 2, &y, &kernel));
        const float *got = run(&c, kernel);
        for (int64_t k = 0; k < elements(&y); k++) {
            double p = number(c.tensors[0], spread(&a[0], &y, k)), q = number(c.tensors[1], spread(&a[1], &y, k));
            same_float(got[k], (p - q > 0.5 ? p - q : 0.5) + q * q, "map", k);
        }
        done(&c);
    }
    vtac_kernel *none;
    const vt_host_shape y = {"float32", 2, {4, 5}}, bad = {"float32", 2, {3, 5}};
    REFUSES(vt_host_map_kernel(&HOST, "$0 + $1", &y, 1, &y, &none), VTA_INVALID_ARGUMENT);
    REFUSES(vt_host_map_kernel(&HOST, "$0", &bad, 1, &y, &none), VTA_MISMATCH);
    vta_diag_clear(diag);
}

static void transpose(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        vt_host_shape x = pick_shape((int32_t)pick(1, 5));
        int32_t order[8];
        for (int32_t d = 0; d < x.ndim; d++) order[d] = d;
        for (int32_t d = x.ndim - 1; d > 0; d--) {
            int32_t other = (int32_t)pick(0, d), was = order[d];
            order[d] = order[other];
            order[other] = was;
        }
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_transpose_kernel(&HOST, &x, order, &kernel));
        const float *got = run(&c, kernel);
        for (int64_t k = 0; k < elements(&x); k++) {
            int64_t index[8], left = k, at = 0;
            for (int32_t d = x.ndim - 1; d >= 0; left /= x.dim[d--]) index[d] = left % x.dim[d];
            for (int32_t d = 0; d < x.ndim; d++) at = at * x.dim[order[d]] + index[order[d]];
            same_float(got[at], number(c.tensors[0], k), "transpose", k);
        }
        done(&c);
    }
    vtac_kernel *none;
    const vt_host_shape x = {"float32", 2, {4, 5}};
    REFUSES(vt_host_transpose_kernel(&HOST, &x, (int32_t[]){1, 1}, &none), VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
}

/* A border of 2 in front of the last axis, by gather. */
static void gather(void **state) {
    (void)state;
    const vt_host_shape x = {"float32", 2, {3, 20}}, y = {"float32", 2, {3, 22}};
    compiled c;
    vtac_kernel *kernel;
    MUST(vt_host_gather_kernel(&HOST, &x, "i0, i1 - 2", "i1 >= 2", "7.5", &y, &kernel));
    const float *got = run(&c, kernel);
    for (int64_t k = 0; k < elements(&y); k++)
        same_float(got[k], k % 22 < 2 ? 7.5 : number(c.tensors[0], k / 22 * 20 + k % 22 - 2), "gather", k);
    done(&c);
}

static void reduce(void **state) {
    (void)state;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        vt_host_shape x = pick_shape((int32_t)pick(1, 4)), y = x;
        uint32_t axes = (uint32_t)pick(1, (1 << x.ndim) - 1);
        vt_host_reduction kind = (vt_host_reduction)(i % 4);
        for (int32_t d = 0; d < x.ndim; d++)
            if (axes >> d & 1) y.dim[d] = 1;
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_reduce_kernel(&HOST, kind, &x, axes, &kernel));
        const float *got = run(&c, kernel);
        double *expected = calloc((size_t)elements(&y), sizeof *expected);
        for (int64_t k = 0; k < elements(&y); k++)
            expected[k] = kind == VT_HOST_MAX ? -INFINITY : kind == VT_HOST_MIN ? INFINITY : 0;
        for (int64_t k = 0; k < elements(&x); k++) {
            double v = number(c.tensors[0], k), *to = &expected[spread(&y, &x, k)];
            *to = kind == VT_HOST_MAX ? fmax(*to, v) : kind == VT_HOST_MIN ? fmin(*to, v) : *to + v;
        }
        int64_t over = elements(&x) / elements(&y);
        for (int64_t k = 0; k < elements(&y); k++)
            same_float(got[k], expected[k] / (kind == VT_HOST_MEAN ? (double)over : 1), "reduce", k);
        free(expected);
        done(&c);
    }
    vtac_kernel *none;
    const vt_host_shape x = {"float32", 2, {4, 5}};
    REFUSES(vt_host_reduce_kernel(&HOST, VT_HOST_SUM, &x, 4, &none), VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
}

static void softmax(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t rows = pick(1, 4), columns = pick(1, 100);
        bool logarithm = i % 3 == 2;
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_softmax_kernel(&HOST, rows, columns, logarithm, &kernel));
        const float *got = run(&c, kernel);
        for (int64_t r = 0; r < rows; r++) {
            double total = 0;
            for (int64_t k = 0; k < columns; k++) total += exp(number(c.tensors[0], r * columns + k));
            for (int64_t k = 0; k < columns; k++) {
                double share = exp(number(c.tensors[0], r * columns + k)) / total;
                same_float(got[r * columns + k], logarithm ? log(share) : share, "softmax", r * columns + k);
            }
        }
        done(&c);
    }
}

/* Indices of 8 bits into an axis of 128: all are inside. */
static void take(void **state) {
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        vt_host_shape x = pick_shape((int32_t)pick(1, 3)),
                      table = {"int8", (int32_t)pick(1, 3), {pick(1, 4), pick(1, 4), pick(1, 9)}};
        int32_t axis = (int32_t)pick(0, x.ndim - 1);
        int64_t inner = 1, wanted = elements(&table);
        for (int32_t d = axis + 1; d < x.ndim; d++) inner *= x.dim[d];
        x.dim[axis] = 128;
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_take_kernel(&HOST, &x, axis, &table, &kernel));
        const float *got = run(&c, kernel);
        for (int64_t k = 0; k < elements(&x) / 128 * wanted; k++) {
            int64_t index = ((const int8_t *)c.tensors[1]->data)[k / inner % wanted];
            if (index < 0) index += 128;
            same_float(got[k], number(c.tensors[0], (k / inner / wanted * 128 + index) * inner + k % inner), "take", k);
        }
        done(&c);
    }
    vtac_kernel *none;
    const vt_host_shape x = {"float32", 2, {4, 5}}, five = {"int32", 5, {1, 1, 1, 1, 1}},
                        large = {"int32", 8, {1, 1, 1, 1, 1, 1, 1, 1}};
    REFUSES(vt_host_take_kernel(&HOST, &x, 2, &five, &none), VTA_OUT_OF_RANGE);
    REFUSES(vt_host_take_kernel(&HOST, &x, 0, &large, &none), VTA_UNSUPPORTED);
    vta_diag_clear(diag);
}

static double place_in(const vt_host_resize *o, int64_t at, int64_t in, int64_t out, double scale) {
    if (out == 1 && o->coordinates == VT_HOST_PYTORCH_HALF_PIXEL) return 0;
    if (o->coordinates == VT_HOST_ALIGN_CORNERS) return out > 1 ? (double)at * (double)(in - 1) / (double)(out - 1) : 0;
    if (o->coordinates == VT_HOST_ASYMMETRIC) return (double)at / scale;
    return ((double)at + 0.5) / scale - 0.5;
}

static int64_t nearest(vt_host_rounding how, double at) {
    double down = floor(at), part = at - down;
    switch (how) {
    case VT_HOST_FLOOR: return (int64_t)down;
    case VT_HOST_CEIL: return (int64_t)(part > 0 ? down + 1 : down);
    case VT_HOST_ROUND_UP: return (int64_t)(part >= 0.5 ? down + 1 : down);
    case VT_HOST_LINEAR:
    case VT_HOST_ROUND_DOWN: break;
    }
    return (int64_t)(part > 0.5 ? down + 1 : down);
}

static double between(double low, double v, double high) { return v < low ? low : v > high ? high : v; }

static double resized(const vt_host_resize *o, const DLTensor *x, int64_t image, int64_t row, int64_t column) {
    double y = place_in(o, row, o->h, o->out_h, o->scale_h), z = place_in(o, column, o->w, o->out_w, o->scale_w);
    double bottom = (double)(o->h - 1), right = (double)(o->w - 1);
    if (o->rounding != VT_HOST_LINEAR) {
        double r = between(0, (double)nearest(o->rounding, y), bottom),
               k = between(0, (double)nearest(o->rounding, z), right);
        return number(x, (image * o->h + (int64_t)r) * o->w + (int64_t)k);
    }
    y = between(0, y, bottom), z = between(0, z, right);
    int64_t r = (int64_t)floor(y), k = (int64_t)floor(z), below = r + 1 < o->h ? r + 1 : r,
            next = k + 1 < o->w ? k + 1 : k;
    double dy = y - (double)r, dz = z - (double)k;
    double upper =
        number(x, (image * o->h + r) * o->w + k) * (1 - dz) + number(x, (image * o->h + r) * o->w + next) * dz;
    double lower =
        number(x, (image * o->h + below) * o->w + k) * (1 - dz) + number(x, (image * o->h + below) * o->w + next) * dz;
    return upper * (1 - dy) + lower * dy;
}

static void resize(void **state) {
    (void)state;
    for (int i = 0; i < 4 * ROUNDS; i++) {
        vt_host_resize o = {.n = pick(1, 2), .c = pick(1, 3), .h = pick(1, 9), .w = pick(1, 9)};
        o.rounding = (vt_host_rounding)(i % 5);
        o.coordinates = (vt_host_coordinates)(i / 5 % 4);
        o.out_h = pick(1, 20);
        o.out_w = pick(1, 20);
        o.scale_h = (double)o.out_h / (double)o.h + (i % 3 ? 0 : 0.01);
        o.scale_w = (double)o.out_w / (double)o.w + (i % 3 ? 0 : 0.02);
        compiled c;
        vtac_kernel *kernel;
        MUST(vt_host_resize_kernel(&HOST, &o, &kernel));
        const float *got = run(&c, kernel);
        for (int64_t k = 0; k < o.n * o.c * o.out_h * o.out_w; k++)
            same_float(got[k], resized(&o, c.tensors[0], k / (o.out_h * o.out_w), k / o.out_w % o.out_h, k % o.out_w),
                       "resize", k);
        done(&c);
    }
}

int main(void) {
    diag = vta_diag_create(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantize),  cmocka_unit_test(dequantize), cmocka_unit_test(repack), cmocka_unit_test(im2row),
        cmocka_unit_test(pool),      cmocka_unit_test(conv),       cmocka_unit_test(matmul), cmocka_unit_test(map),
        cmocka_unit_test(transpose), cmocka_unit_test(gather),     cmocka_unit_test(reduce), cmocka_unit_test(softmax),
        cmocka_unit_test(take),      cmocka_unit_test(resize),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return result;
}
