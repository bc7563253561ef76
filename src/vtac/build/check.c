/* A compiled function against the meaning of its tensor expressions: random inputs, bit for bit. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/versioned.h"
#include "build/check.h"
#include "ir/tag.h"

#include "base/alloc.h"
#include "base/diag.h"

/* xorshift64*: the same inputs for the same seed on every machine. */
static uint64_t next_random(vt_checking *k) {
    k->random ^= k->random >> 12;
    k->random ^= k->random << 25;
    k->random ^= k->random >> 27;
    return k->random * 0x2545F4914F6CDD1Dull;
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

vta_status vt_checking_operand(vt_checking *k, size_t index, const te_tensor *t, int32_t device) {
    vt_operand *o = &k->operands[index];
    int64_t shape[VTA_ARRAY_MAX_DIMS];
    size_t ndim = te_tensor_ndim(t), bytes;
    o->tensor = t;
    if (!vt_dtype_parse(te_tensor_dtype(k->c, t), &o->dtype) || ndim > VTA_ARRAY_MAX_DIMS)
        return vt_fail(k->diag, VTA_UNSUPPORTED, "%s: cannot make an array of this type or shape", te_tensor_name(t));
    o->count = 1;
    for (size_t i = 0; i < ndim; i++) {
        shape[i] = te_tensor_dim(t, i);
        if (shape[i] < 0)
            return vt_fail(k->diag, VTA_UNSUPPORTED, "%s: dimension %zu is not a constant", te_tensor_name(t), i);
        o->count *= (uint64_t)shape[i];
    }
    DLDataType type = {o->dtype.code, o->dtype.bits, 1};
    VT_TRY(vta_array_create(device, (int32_t)ndim, shape, type, k->allocator, k->diag, &o->array));
    o->unit = o->dtype.bits < 8 ? 1 : o->dtype.bits / 8;
    if (!vt_mul_size(o->count, o->unit, &bytes)) return vt_no_memory(k->diag);
    o->values = vt_alloc_zero(k->allocator, bytes);
    o->got = vt_alloc_zero(k->allocator, bytes);
    return o->values && o->got ? VTA_OK : vt_no_memory(k->diag);
}

static void free_operand(vt_checking *k, vt_operand *o) {
    vta_array_free(o->array);
    vt_free(k->allocator, o->values, o->count * o->unit);
    vt_free(k->allocator, o->got, o->count * o->unit);
}

/* Types under 8 bits: `bytes` of packed little-endian fields from and to one byte an element. */
static void pack(const vt_operand *o, uint8_t *packed) {
    unsigned per_byte = 8u / o->dtype.bits, mask = (1u << o->dtype.bits) - 1;
    for (uint64_t i = 0; i < o->count; i++)
        packed[i / per_byte] |= (uint8_t)((o->values[i] & mask) << (i % per_byte * o->dtype.bits));
}

static void unpack(const vt_operand *o, const uint8_t *packed, uint8_t *out) {
    unsigned bits = o->dtype.bits, per_byte = 8u / bits, mask = (1u << bits) - 1, sign = 1u << (bits - 1);
    for (uint64_t i = 0; i < o->count; i++) {
        unsigned v = packed[i / per_byte] >> (i % per_byte * bits) & mask;
        out[i] = (uint8_t)(o->dtype.code == VT_INT ? (v ^ sign) - sign : v);
    }
}

vta_status vt_checking_write(vt_checking *k, const vt_operand *o) {
    size_t bytes = vta_array_bytes(o->array);
    if (!vt_operand_is_packed(o)) return vta_array_write(o->array, o->values, bytes, k->diag);
    uint8_t *packed = vt_alloc_zero(k->allocator, bytes);
    if (!packed) return vt_no_memory(k->diag);
    pack(o, packed);
    vta_status status = vta_array_write(o->array, packed, bytes, k->diag);
    vt_free(k->allocator, packed, bytes);
    return status;
}

vta_status vt_checking_read(vt_checking *k, const vt_operand *o) {
    size_t bytes = vta_array_bytes(o->array);
    if (!vt_operand_is_packed(o)) return vta_array_read(o->array, o->got, bytes, k->diag);
    uint8_t *packed = vt_alloc_zero(k->allocator, bytes);
    if (!packed) return vt_no_memory(k->diag);
    vta_status status = vta_array_read(o->array, packed, bytes, k->diag);
    if (status == VTA_OK) unpack(o, packed, o->got);
    vt_free(k->allocator, packed, bytes);
    return status;
}

/* A number of at most the given magnitude, from random bits. */
static uint64_t small(const vt_checking *k, vt_dtype t, uint64_t r) {
    uint64_t most = (UINT64_C(1) << (t.bits - 1)) - 1, m = (uint64_t)k->magnitude;
    if (m > most) m = most;
    return t.code == VT_INT ? (r >> 32) % (2 * m + 1) - m : (r >> 32) % (m + 1);
}

/* An integer of the type in the low bytes. */
static uint64_t integer(const vt_checking *k, vt_dtype t, uint64_t r) {
    if (vt_dtype_is_bool(t)) return r & 1;
    if (k->magnitude) return small(k, t, r);
    if (t.bits >= 8) return r;
    unsigned sign = 1u << (t.bits - 1), v = (unsigned)r & (2 * sign - 1);
    return t.code == VT_INT ? (v ^ sign) - sign : v;
}

/* Integers over their whole range (or a smaller one), floats between -1 and 1. */
void vt_checking_fill(vt_checking *k, vt_operand *o) {
    for (uint64_t i = 0; i < o->count; i++) {
        uint64_t r = next_random(k);
        double unit = (double)(r >> 24) / (double)((uint64_t)1 << 39) - 1;
        float single = (float)unit;
        if (o->dtype.code != VT_FLOAT) r = integer(k, o->dtype, r);
        const void *from = o->dtype.code != VT_FLOAT ? (const void *)&r
                           : o->unit == 4            ? (const void *)&single
                                                     : (const void *)&unit;
        memcpy(o->values + i * o->unit, from, o->unit);
    }
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

static void value_text(const vt_operand *o, const uint8_t *at, char out[32]) {
    if (o->dtype.code == VT_FLOAT) {
        float single;
        double d;
        if (o->unit == 4) {
            memcpy(&single, at, 4);
            d = (double)single;
        } else {
            memcpy(&d, at, 8);
        }
        snprintf(out, 32, "%.9g", d);
        return;
    }
    int64_t v = 0;
    memcpy(&v, at, o->unit);
    unsigned shift = 64 - 8 * (unsigned)o->unit;
    if (o->dtype.code == VT_INT)
        snprintf(out, 32, "%" PRId64, (int64_t)((uint64_t)v << shift) >> shift);
    else
        snprintf(out, 32, "%" PRIu64, (uint64_t)v);
}

/* Bit for bit, but for zeros of different sign: simplification takes 0 * x for 0. */
static bool same(const vt_operand *o, const uint8_t *x, const uint8_t *y) {
    if (memcmp(x, y, o->unit) == 0) return true;
    static const uint8_t zero[8] = {0};
    bool x_zero = memcmp(x, zero, o->unit - 1) == 0 && (x[o->unit - 1] & 127) == 0;
    bool y_zero = memcmp(y, zero, o->unit - 1) == 0 && (y[o->unit - 1] & 127) == 0;
    return o->dtype.code == VT_FLOAT && x_zero && y_zero;
}

void vt_checking_compare(const vt_operand *o, size_t arg, vtac_check_result *result) {
    for (uint64_t i = 0; i < o->count; i++) {
        const uint8_t *expected = o->values + i * o->unit, *got = o->got + i * o->unit;
        if (same(o, expected, got)) continue;
        if (result->different++) continue;
        result->arg = arg;
        result->index = i;
        value_text(o, expected, result->expected);
        value_text(o, got, result->got);
    }
    result->elements += o->count;
}

/* ---- The check --------------------------------------------------------------------------------------------------- */

static vta_status run(vt_checking *k, vta_packed_function function, int32_t device, const te_tensor *const args[],
                      bool interpreted, vtac_check_result *result) {
    for (size_t i = 0; i < k->n; i++) {
        vt_operand *o = &k->operands[i];
        VT_TRY(vt_checking_operand(k, i, args[i], device));
        k->dl[i] = vta_array_tensor(o->array);
        if (te_tensor_is_placeholder(o->tensor)) {
            vt_checking_fill(k, o);
            VT_TRY(vt_checking_write(k, o));
        }
    }
    double begin = vt_now();
    VT_TRY(vta_function_call_tensors(function, k->dl, (int)k->n, k->diag));
    result->run_seconds = vt_now() - begin;
    VT_TRY(vt_checking_evaluate(k, interpreted, result));
    for (size_t i = 0; i < k->n; i++) {
        if (te_tensor_is_placeholder(k->operands[i].tensor)) continue;
        VT_TRY(vt_checking_read(k, &k->operands[i]));
        vt_checking_compare(&k->operands[i], i, result);
    }
    return VTA_OK;
}

/* One block for all lists that are as long as the arguments. */
bool vt_checking_make(vt_checking *k) {
    size_t each =
        sizeof *k->operands + sizeof *k->dl + sizeof *k->tensors + sizeof *k->data + sizeof *k->host + sizeof *k->args;
    char *p = vt_mul_size(k->n, each, &k->bytes) ? vt_alloc_zero(k->allocator, k->bytes) : NULL;
    if (!p) return false;
    k->operands = (vt_operand *)(void *)p;
    k->dl = (DLTensor **)(void *)(k->operands + k->n);
    k->tensors = (te_tensor **)(k->dl + k->n);
    k->data = (const void **)(k->tensors + k->n);
    k->host = (vta_array **)(k->data + k->n);
    k->args = (vtac_arg *)(k->host + k->n);
    return true;
}

void vt_checking_free(vt_checking *k) {
    for (size_t i = 0; k->operands && i < k->n; i++) free_operand(k, &k->operands[i]);
    vt_free(k->allocator, k->operands, k->bytes);
}

void vt_checking_seed(vt_checking *k, uint64_t seed) { k->random = (seed * 0x9E3779B97F4A7C15ull + 0x1234567ull) | 1; }

vta_status vt_checking_args(const te_context *c, size_t n, const te_tensor *const args[], vta_diag *diag) {
    if (!vt_is(c, VT_TAG_CONTEXT) || !n || !args) return VTA_INVALID_ARGUMENT;
    for (size_t i = 0; i < n; i++)
        if (!vt_is(args[i], VT_TAG_TENSOR))
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is given where a tensor is expected",
                           args[i] ? vt_tag_text(args[i]) : "NULL");
    return VTA_OK;
}

static vta_status check(te_context *c, size_t n, const te_tensor *const args[], vta_packed_function function,
                        int32_t device_type, const vtac_check_options *o, vta_diag *diag, vtac_check_result *result) {
    if (!function) return VTA_INVALID_ARGUMENT;
    VT_TRY(vt_checking_args(c, n, args, diag));
    vt_checking k = {.c = c, .diag = diag, .allocator = o->allocator, .n = n};
    vt_checking_seed(&k, o->seed);
    if (!vt_checking_make(&k)) return vt_no_memory(diag);
    vta_status status = run(&k, function, device_type, args, o->interpret, result);
    vt_checking_free(&k);
    return status;
}

vta_status vtac_check(te_context *c, size_t n, const te_tensor *const args[], vta_packed_function function,
                      int32_t device_type, const vtac_check_options *options, vta_diag *diag,
                      vtac_check_result *out_result) {
    if (!out_result) return VTA_INVALID_ARGUMENT;
    vtac_check_options own;
    vtac_check_result result = {0};
    vta_status status = vt_options_read(&own, sizeof own, options, "vtac_check_options", diag);
    if (status == VTA_OK) status = check(c, n, args, function, device_type, &own, diag, &result);
    vt_result_write(out_result, &result, sizeof result);
    return status;
}
