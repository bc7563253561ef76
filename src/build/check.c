/* A compiled function against the meaning of its tensor expressions: random inputs, bit for bit. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ir/dtype.h"
#include "vta/build.h"

#include "base/alloc.h"
#include "base/diag.h"

typedef struct operand {
    const te_tensor *tensor;
    vt_dtype dtype;
    vta_array *array;
    uint64_t count;  /* elements */
    size_t unit;     /* bytes of one element in `values`: types under 8 bits take one byte */
    uint8_t *values; /* inputs: what was put in; outputs: what the reference gives */
    uint8_t *got;    /* outputs: what the function gave */
} operand;

typedef struct checker {
    te_context *c;
    vta_diag *diag;
    const vta_allocator *allocator;
    size_t n;
    operand *operands;
    uint64_t random;
} checker;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* xorshift64*: the same inputs for the same seed on every machine. */
static uint64_t next_random(checker *k) {
    k->random ^= k->random >> 12;
    k->random ^= k->random << 25;
    k->random ^= k->random >> 27;
    return k->random * 0x2545F4914F6CDD1Dull;
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static vta_status make_operand(checker *k, operand *o, const te_tensor *t, int32_t device) {
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

static void free_operand(checker *k, operand *o) {
    vta_array_free(o->array);
    vt_free(k->allocator, o->values, o->count * o->unit);
    vt_free(k->allocator, o->got, o->count * o->unit);
}

/* Types under 8 bits: `bytes` of packed little-endian fields from and to one byte an element. bool is a byte already.
 */
static bool is_packed(const operand *o) { return o->dtype.bits < 8 && !vt_dtype_is_bool(o->dtype); }

static void pack(const operand *o, uint8_t *packed) {
    unsigned per_byte = 8u / o->dtype.bits, mask = (1u << o->dtype.bits) - 1;
    for (uint64_t i = 0; i < o->count; i++)
        packed[i / per_byte] |= (uint8_t)((o->values[i] & mask) << (i % per_byte * o->dtype.bits));
}

static void unpack(const operand *o, const uint8_t *packed, uint8_t *out) {
    unsigned bits = o->dtype.bits, per_byte = 8u / bits, mask = (1u << bits) - 1, sign = 1u << (bits - 1);
    for (uint64_t i = 0; i < o->count; i++) {
        unsigned v = packed[i / per_byte] >> (i % per_byte * bits) & mask;
        out[i] = (uint8_t)(o->dtype.code == VT_INT ? (v ^ sign) - sign : v);
    }
}

static vta_status write_array(checker *k, const operand *o) {
    size_t bytes = vta_array_bytes(o->array);
    if (!is_packed(o)) return vta_array_write(o->array, o->values, bytes, k->diag);
    uint8_t *packed = vt_alloc_zero(k->allocator, bytes);
    if (!packed) return vt_no_memory(k->diag);
    pack(o, packed);
    vta_status status = vta_array_write(o->array, packed, bytes, k->diag);
    vt_free(k->allocator, packed, bytes);
    return status;
}

static vta_status read_array(checker *k, const operand *o) {
    size_t bytes = vta_array_bytes(o->array);
    if (!is_packed(o)) return vta_array_read(o->array, o->got, bytes, k->diag);
    uint8_t *packed = vt_alloc_zero(k->allocator, bytes);
    if (!packed) return vt_no_memory(k->diag);
    vta_status status = vta_array_read(o->array, packed, bytes, k->diag);
    if (status == VTA_OK) unpack(o, packed, o->got);
    vt_free(k->allocator, packed, bytes);
    return status;
}

/* Integers over their whole range, floats between -1 and 1. */
static void fill(checker *k, operand *o) {
    for (uint64_t i = 0; i < o->count; i++) {
        uint64_t r = next_random(k);
        double unit = (double)(r >> 24) / (double)((uint64_t)1 << 39) - 1;
        float single = (float)unit;
        if (vt_dtype_is_bool(o->dtype))
            r &= 1;
        else if (o->dtype.bits < 8) {
            unsigned sign = 1u << (o->dtype.bits - 1), v = (unsigned)r & (2 * sign - 1);
            r = o->dtype.code == VT_INT ? (v ^ sign) - sign : v;
        }
        const void *from = o->dtype.code != VT_FLOAT ? (const void *)&r
                           : o->unit == 4            ? (const void *)&single
                                                     : (const void *)&unit;
        memcpy(o->values + i * o->unit, from, o->unit);
    }
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

static void value_text(const operand *o, const uint8_t *at, char out[32]) {
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

static void compare(const operand *o, size_t arg, vtac_check_result *result) {
    for (uint64_t i = 0; i < o->count; i++) {
        const uint8_t *expected = o->values + i * o->unit, *got = o->got + i * o->unit;
        if (memcmp(expected, got, o->unit) == 0) continue;
        if (result->different++) continue;
        result->arg = arg;
        result->index = i;
        value_text(o, expected, result->expected);
        value_text(o, got, result->got);
    }
    result->elements += o->count;
}

static vta_status evaluate(checker *k, te_tensor **inputs, const void **data, vtac_check_result *result) {
    size_t n_inputs = 0;
    for (size_t i = 0; i < k->n; i++)
        if (te_tensor_is_placeholder(k->operands[i].tensor)) {
            inputs[n_inputs] = (te_tensor *)k->operands[i].tensor;
            data[n_inputs++] = k->operands[i].values;
        }
    double begin = now();
    for (size_t i = 0; i < k->n; i++) {
        operand *o = &k->operands[i];
        if (te_tensor_is_placeholder(o->tensor)) continue;
        vta_status status = te_evaluate(k->c, (te_tensor *)o->tensor, n_inputs, inputs, data, o->values);
        if (status != VTA_OK)
            return vt_fail(k->diag, status, "reference evaluation of %s: %s", te_tensor_name(o->tensor),
                           vta_diag_text(te_context_diag(k->c)));
    }
    result->reference_seconds = now() - begin;
    return VTA_OK;
}

static vta_status run(checker *k, vta_packed_function function, int32_t device, DLTensor **tensors, te_tensor **inputs,
                      const void **data, const te_tensor *const args[], vtac_check_result *result) {
    for (size_t i = 0; i < k->n; i++) {
        operand *o = &k->operands[i];
        VT_TRY(make_operand(k, o, args[i], device));
        tensors[i] = vta_array_tensor(o->array);
        if (te_tensor_is_placeholder(o->tensor)) {
            fill(k, o);
            VT_TRY(write_array(k, o));
        }
    }
    double begin = now();
    VT_TRY(vta_function_call_tensors(function, tensors, (int)k->n, k->diag));
    result->run_seconds = now() - begin;
    VT_TRY(evaluate(k, inputs, data, result));
    for (size_t i = 0; i < k->n; i++) {
        if (te_tensor_is_placeholder(k->operands[i].tensor)) continue;
        VT_TRY(read_array(k, &k->operands[i]));
        compare(&k->operands[i], i, result);
    }
    return VTA_OK;
}

vta_status vtac_check(te_context *c, size_t n, const te_tensor *const args[], vta_packed_function function,
                      int32_t device_type, const vtac_check_options *options, vta_diag *diag,
                      vtac_check_result *out_result) {
    if (!out_result) return VTA_INVALID_ARGUMENT;
    *out_result = (vtac_check_result){0};
    if (!c || !n || !args || !function) return VTA_INVALID_ARGUMENT;
    vtac_check_options o = options ? *options : (vtac_check_options){0};
    checker k = {.c = c, .diag = diag, .allocator = o.allocator, .n = n};
    k.random = (o.seed * 0x9E3779B97F4A7C15ull + 0x1234567ull) | 1;
    k.operands = vt_alloc_zero(o.allocator, n * sizeof *k.operands);
    DLTensor **tensors = vt_alloc_array(o.allocator, n, sizeof *tensors);
    te_tensor **inputs = vt_alloc_array(o.allocator, n, sizeof *inputs);
    const void **data = vt_alloc_array(o.allocator, n, sizeof *data);
    vta_status status = k.operands && tensors && inputs && data ? VTA_OK : vt_no_memory(diag);
    if (status == VTA_OK) status = run(&k, function, device_type, tensors, inputs, data, args, out_result);
    for (size_t i = 0; k.operands && i < n; i++) free_operand(&k, &k.operands[i]);
    vt_free(o.allocator, k.operands, n * sizeof *k.operands);
    vt_free(o.allocator, tensors, n * sizeof *tensors);
    vt_free(o.allocator, inputs, n * sizeof *inputs);
    vt_free(o.allocator, data, n * sizeof *data);
    return status;
}
