/* Float matrix products and batch normalization. */
#include <math.h>
#include <string.h>

#include "base/spill.h"
#include "frontend/eval/priv.h"

/* b as it lies, or transposed. */
typedef struct matrix {
    const float *b;
    int64_t by_row, by_column;
    const vt_ctx *read_in;
    size_t *read; /* bytes since its pages were given back */
} matrix;

static void pack(const void *b, int64_t k0, int64_t k, int64_t n0, int64_t n, int64_t width, float *to) {
    const matrix *m = b;
    for (int64_t i = 0; i < k; i++, to += width)
        for (int64_t j = 0; j < width; j++) to[j] = j < n ? m->b[(k0 + i) * m->by_row + (n0 + j) * m->by_column] : 0;
    vt_spill_read_on(m->read_in, m->read, (size_t)(k * n) * sizeof *m->b);
}

/* The batch axes of a matrix product of two: all but the last two of each, aligned at the end. */
typedef struct batches {
    vt_gtype shape;  /* of the batch axes */
    vt_strides a, b; /* in matrices */
    int64_t m, n, k;
} batches;

static vt_gtype without_matrix(vt_gtype t) {
    t.rank = t.rank > 2 ? t.rank - 2 : 0;
    return t;
}

static batches batches_of(const vt_eval_call *c, uint32_t second) {
    vt_gtype a = *vt__in_type(c, 0), b = *vt__in_type(c, second), y = *vt__out_type(c);
    batches r = {
        .k = a.dim[a.rank - 1], .m = a.rank > 1 ? a.dim[a.rank - 2] : 1, .n = b.rank > 1 ? b.dim[b.rank - 1] : 1};
    uint32_t matrix_axes = (a.rank > 1) + (b.rank > 1);
    r.shape = y;
    r.shape.rank -= matrix_axes;
    a = without_matrix(a), b = without_matrix(b);
    r.a = vt__strides_to(&a, &r.shape);
    r.b = vt__strides_to(&b, &r.shape);
    return r;
}

/* Which matrices the next product takes; false after the last one. */
typedef struct step {
    int64_t index[VT_MAX_RANK], a, b, y;
} step;

static void place(const batches *r, step *s) {
    s->a = s->b = 0;
    for (uint32_t i = 0; i < r->shape.rank; i++) {
        s->a += s->index[i] * r->a.by[i];
        s->b += s->index[i] * r->b.by[i];
    }
}

/* One product of float64: the terms of each sum in their order. */
static void product_f64(const batches *r, const double *a, const double *b, double *y) {
    for (int64_t i = 0; i < r->m; i++)
        for (int64_t k = 0; k < r->k; k++)
            for (int64_t j = 0; j < r->n; j++) y[i * r->n + j] += a[i * r->k + k] * b[k * r->n + j];
}

static vta_status mat_mul_f64(const vt_eval_call *c) {
    batches r = batches_of(c, 1);
    step s = {.y = 0};
    size_t bytes = vt_gtype_bytes(vt__out_type(c));
    memset(c->out[0], 0, bytes);
    if (!bytes) return VTA_OK;
    do {
        place(&r, &s);
        product_f64(&r, (const double *)c->in[0] + s.a * r.m * r.k, (const double *)c->in[1] + s.b * r.k * r.n,
                    (double *)c->out[0] + s.y * r.m * r.n);
        s.y++;
    } while (vt__next_index(&r.shape, 0, s.index));
    return VTA_OK;
}

vta_status vt__eval_mat_mul(const vt_eval_call *c) {
    if (vt__in_type(c, 0)->element == VT_ELEMENT_F64) return mat_mul_f64(c);
    batches r = batches_of(c, 1);
    step s = {.y = 0};
    size_t bytes = vt_gtype_bytes(vt__out_type(c)), read = 0;
    memset(c->out[0], 0, bytes);
    if (!bytes) return VTA_OK;
    do {
        place(&r, &s);
        matrix b = {(const float *)c->in[1] + s.b * r.k * r.n, r.n, 1, c->read_in, &read};
        vt_gemm_f32 p = {r.m, r.n,  r.k, (const float *)c->in[0] + s.a * r.m * r.k,
                         r.k, pack, &b,  (float *)c->out[0] + s.y * r.m * r.n,
                         r.n};
        VT_TRY(vt__gemm_f32(&p, c->allocator, c->diag));
        s.y++;
    } while (vt__next_index(&r.shape, 0, s.index));
    return VTA_OK;
}

/* ---- Gemm ---- */

static void add_c(const vt_eval_call *c, float beta) {
    const vt_gtype *y = vt__out_type(c);
    const float *from = vt__in(c, 2);
    if (!from || beta == 0) return;
    vt_strides by = vt__strides_to(vt__in_type(c, 2), y);
    float *to = c->out[0];
    for (int64_t i = 0; i < y->dim[0]; i++)
        for (int64_t k = 0; k < y->dim[1]; k++) *to++ += beta * from[i * by.by[0] + k * by.by[1]];
}

vta_status vt__eval_gemm(const vt_eval_call *c) {
    const vt_gtype *a = vt__in_type(c, 0), *b = vt__in_type(c, 1), *y = vt__out_type(c);
    bool ta = vt_gattr_int(c->n, VT_A_TRANS_A) != 0, tb = vt_gattr_int(c->n, VT_A_TRANS_B) != 0;
    int64_t depth = a->dim[!ta], count = vt_gtype_count(y);
    float alpha = (float)vt_gattr_float(c->n, VT_A_ALPHA), *out = c->out[0], *rows = NULL;
    size_t bytes = vt_gtype_bytes(a), read = 0;
    if (ta) { /* rows of a must lie together */
        vt_gtype t = {VT_ELEMENT_F32, 2, {a->dim[1], a->dim[0]}};
        vt_strides from = {{1, a->dim[1]}}, to = vt__strides_of(&t);
        rows = vt_alloc_lines(c->allocator, bytes);
        if (!rows) return vt_no_memory(c->diag);
        vt__move(&t, sizeof *rows, c->in[0], &from, rows, &to);
    }
    memset(out, 0, (size_t)count * sizeof *out);
    matrix m = {c->in[1], tb ? 1 : b->dim[1], tb ? b->dim[1] : 1, c->read_in, &read};
    vt_gemm_f32 p = {y->dim[0], y->dim[1], depth, rows ? rows : c->in[0], depth, pack, &m, out, y->dim[1]};
    vta_status status = vt__gemm_f32(&p, c->allocator, c->diag);
    vt_free_lines(c->allocator, rows, bytes);
    if (alpha != 1)
        for (int64_t i = 0; i < count; i++) out[i] *= alpha;
    add_c(c, (float)vt_gattr_float(c->n, VT_A_BETA));
    return status;
}

vta_status vt__eval_batch_normalization(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0);
    int64_t plane = vt_gtype_span(x, 2, x->rank), channels = x->dim[1];
    const float *scale = c->in[1], *bias = c->in[2], *mean = c->in[3], *var = c->in[4];
    for (int64_t i = 0; i < x->dim[0] * channels; i++) {
        int64_t k = i % channels;
        const float *from = (const float *)c->in[0] + i * plane;
        float *to = (float *)c->out[0] + i * plane;
        float by = (float)((double)scale[k] / sqrt((double)var[k] + vt_gattr_float(c->n, VT_A_EPSILON)));
        for (int64_t e = 0; e < plane; e++) to[e] = (from[e] - mean[k]) * by + bias[k];
    }
    return VTA_OK;
}

/* ---- Of bytes ---- */

typedef struct bytes_matrix {
    const void *b;
    vt_element element;
    int64_t columns;
    const void *zeros; /* NULL, one, or one a column */
    int64_t zero_count;
} bytes_matrix;

static int32_t zero_at(const void *zeros, vt_element element, int64_t count, int64_t i) {
    return zeros ? vt__byte_at(zeros, element, count > 1 ? i : 0) : 0;
}

static void pack_bytes(const void *b, int64_t k0, int64_t k, int64_t n0, int64_t n, int64_t width, int32_t *to) {
    const bytes_matrix *m = b;
    for (int64_t i = 0; i < k; i++, to += width)
        for (int64_t j = 0; j < width; j++)
            to[j] = j < n ? vt__byte_at(m->b, m->element, (k0 + i) * m->columns + n0 + j) -
                                zero_at(m->zeros, m->element, m->zero_count, n0 + j)
                          : 0;
}

static int64_t count_of(const vt_eval_call *c, uint32_t i) {
    return vt_ginput_given(c->n, i) ? vt_gtype_count(vt__in_type(c, i)) : 0;
}

/* All products of a and b, whose inputs have those numbers, into `out`; a is widened to `wide`. */
static vta_status products(const vt_eval_call *c, const uint32_t at[4], int32_t *wide, int32_t *out) {
    batches r = batches_of(c, at[1]);
    step s = {.y = 0};
    vt_element ea = vt__in_type(c, 0)->element, eb = vt__in_type(c, at[1])->element;
    for (int64_t i = 0; i < vt_gtype_count(vt__in_type(c, 0)); i++)
        wide[i] = vt__byte_at(c->in[0], ea, i) - zero_at(vt__in(c, at[2]), ea, count_of(c, at[2]), i / r.k % r.m);
    do {
        place(&r, &s);
        bytes_matrix b = {(const char *)c->in[at[1]] + s.b * r.k * r.n, eb, r.n, vt__in(c, at[3]), count_of(c, at[3])};
        vt_gemm_i32 p = {r.m, r.n, r.k, wide + s.a * r.m * r.k, r.k, pack_bytes, &b, out + s.y * r.m * r.n, r.n};
        VT_TRY(vt__gemm_i32(&p, c->allocator, c->diag));
        s.y++;
    } while (vt__next_index(&r.shape, 0, s.index));
    return VTA_OK;
}

static vta_status integer_products(const vt_eval_call *c, const uint32_t at[4], int32_t *out) {
    size_t count = (size_t)vt_gtype_count(vt__out_type(c));
    size_t bytes = (size_t)vt_gtype_count(vt__in_type(c, 0)) * sizeof(int32_t);
    if (!count) return VTA_OK;
    int32_t *wide = vt_alloc_lines(c->allocator, bytes);
    if (!wide) return vt_no_memory(c->diag);
    memset(out, 0, count * sizeof *out);
    vta_status status = products(c, at, wide, out);
    vt_free_lines(c->allocator, wide, bytes);
    return status;
}

vta_status vt__eval_mat_mul_integer(const vt_eval_call *c) {
    return integer_products(c, (uint32_t[]){0, 1, 2, 3}, c->out[0]);
}

static float scale_at(const vt_eval_call *c, uint32_t input, int64_t i) {
    return ((const float *)c->in[input])[count_of(c, input) > 1 ? i : 0];
}

vta_status vt__eval_qlinear_mat_mul(const vt_eval_call *c) {
    const vt_gtype *y = vt__out_type(c), *a = vt__in_type(c, 0), *b = vt__in_type(c, 3);
    int64_t count = vt_gtype_count(y), n = b->rank > 1 ? b->dim[b->rank - 1] : 1,
            m = a->rank > 1 ? a->dim[a->rank - 2] : 1;
    size_t bytes = (size_t)count * sizeof(int32_t);
    int32_t *sums = vt_alloc_lines(c->allocator, bytes), zero = vt__byte_at(c->in[7], y->element, 0);
    if (!sums) return vt_no_memory(c->diag);
    vta_status status = integer_products(c, (uint32_t[]){0, 3, 2, 5}, sums);
    for (int64_t i = 0; status == VTA_OK && i < count; i++) {
        float scale = scale_at(c, 1, i / n % m) * scale_at(c, 4, i % n) / *(const float *)c->in[6];
        vt__byte_set(c->out[0], y->element, i, vt__quantize((float)sums[i] * scale, 1, zero, y->element));
    }
    vt_free_lines(c->allocator, sums, bytes);
    return status;
}
