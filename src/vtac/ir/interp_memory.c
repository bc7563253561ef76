/* Memory of the interpreter: elements, and where they lie. */
#include <string.h>

#include "ir/interp_priv.h"

vt_value vt__get(vt__interp *in, const void *from, vt_dtype t) {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    size_t bytes = vt_dtype_bytes(vt_dtype_elem(t));
    if (t.code == VT_FLOAT) {
        if (bytes == 4) return memcpy(&f32, from, 4), vt__value_float(t, (double)f32);
        if (bytes == 8) return memcpy(&f64, from, 8), vt__value_float(t, f64);
        vt_raise(in->ctx, VTA_UNSUPPORTED, "the interpreter has no float%u", t.bits);
    }
    switch (bytes) {
    case 1: memcpy(&i8, from, 1); return vt__value_int(t, i8);
    case 2: memcpy(&i16, from, 2); return vt__value_int(t, i16);
    case 4: memcpy(&i32, from, 4); return vt__value_int(t, i32);
    case 8: memcpy(&i64, from, 8); return vt__value_int(t, i64);
    default: vt_raise(in->ctx, VTA_UNSUPPORTED, "the interpreter has no %u-bit integers", t.bits);
    }
}

void vt__put(vt__interp *in, void *to, vt_dtype t, vt_value v) {
    size_t bytes = vt_dtype_bytes(vt_dtype_elem(t));
    if (t.code == VT_FLOAT) {
        float f32 = (float)v.u.f;
        if (bytes == 4)
            memcpy(to, &f32, 4);
        else if (bytes == 8)
            memcpy(to, &v.u.f, 8);
        else
            vt_raise(in->ctx, VTA_UNSUPPORTED, "the interpreter has no float%u", t.bits);
        return;
    }
    int8_t i8 = (int8_t)v.u.i;
    int16_t i16 = (int16_t)v.u.i;
    int32_t i32 = (int32_t)v.u.i;
    switch (bytes) {
    case 1: memcpy(to, &i8, 1); break;
    case 2: memcpy(to, &i16, 2); break;
    case 4: memcpy(to, &i32, 4); break;
    case 8: memcpy(to, &v.u.i, 8); break;
    default: vt_raise(in->ctx, VTA_UNSUPPORTED, "the interpreter has no %u-bit integers", t.bits);
    }
}

static _Noreturn void out_of_range(vt__interp *in, const char *name, uint32_t dim, int64_t index, int64_t min,
                                   int64_t extent) {
    vt_raise(in->ctx, VTA_OUT_OF_RANGE, "index %lld of %s, dimension %u, is outside %lld..%lld", (long long)index, name,
             dim, (long long)min, (long long)(min + extent - 1));
}

static void *element(vt__interp *in, const vt__memory *m, const char *name, int64_t at, vt_dtype t) {
    size_t size = vt_dtype_bytes(vt_dtype_elem(t));
    size_t count = m->bytes / size;
    if (at < 0 || (uint64_t)at >= count)
        vt_raise(in->ctx, VTA_OUT_OF_RANGE, "element %lld of %s, which has %zu", (long long)at, name, count);
    return m->data + (size_t)at * size;
}

/* Memory behind a variable that holds what a call gave; it may be another each time. */
static const vt__memory *behind_pointer(vt__interp *in, const vt_buffer *b) {
    const vt_value *pointer = vt_ptrmap_get(in->vars, b->data);
    vt__memory *m = vt_ptrmap_get(in->memory, b->data);
    if (!pointer || !in->hooks || !in->hooks->bytes || (m && m->data == pointer->u.p)) return m;
    size_t bytes = in->hooks->bytes(in->hooks->user, pointer->u.p);
    if (!bytes) return m;
    m = VT_NEW(in->ctx, vt__memory);
    *m = (vt__memory){.name = b->name, .data = pointer->u.p, .bytes = bytes};
    vt_ptrmap_set(in->memory, b->data, m);
    return m;
}

void *vt__buffer_at(vt__interp *in, const vt_buffer *b, uint32_t n, const vt_expr *const *indices, uint32_t lane) {
    const vt__memory *m = behind_pointer(in, b);
    if (!m)
        vt_raise(in->ctx, VTA_ILLEGAL, "buffer %s has no memory: nothing allocates %s", b->name, vt_var_name(b->data));
    int64_t at = b->elem_offset ? vt__eval_int(in, b->elem_offset, 0) : 0, flat = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t index = vt__eval_int(in, indices[i], lane);
        int64_t extent = n == b->ndim ? vt__eval_int(in, b->shape[i], 0) : INT64_MAX;
        if (n > 1 && (index < 0 || index >= extent)) out_of_range(in, b->name, i, index, 0, extent);
        if (b->n_strides)
            at += index * vt__eval_int(in, b->strides[i], 0);
        else
            flat = (i ? flat * extent : 0) + index;
    }
    return element(in, m, b->name, at + flat, b->dtype);
}

void *vt__tensor_at(vt__interp *in, const vt_tensor *t, uint32_t n, const vt_expr *const *indices, uint32_t lane) {
    const vt__memory *m = vt_ptrmap_get(in->memory, t);
    if (!m) vt_raise(in->ctx, VTA_ILLEGAL, "tensor %s is neither realized nor bound to a parameter", t->name);
    if (m->ndim != n)
        vt_raise(in->ctx, VTA_ILLEGAL, "%u indices into %s, which has %u dimensions", n, t->name, m->ndim);
    int64_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t index = vt__eval_int(in, indices[i], lane);
        if (index < m->min[i] || index - m->min[i] >= m->extent[i])
            out_of_range(in, t->name, i, index, m->min[i], m->extent[i]);
        at = at * m->extent[i] + index - m->min[i];
    }
    return element(in, m, t->name, at, t->dtype);
}
