#include <string.h>

#include "module/module_priv.h"
#include "runtime/buffer.h"

enum { ALIGNMENT = 64, MAX_BITS = 64, MAX_LANES = 64 };

struct vta_array {
    DLTensor tensor; /* first: vt__array_of */
    int64_t shape[VTA_ARRAY_MAX_DIMS];
    vta_allocator allocator;
    size_t bytes;
    void *block; /* host memory to free; the data is aligned inside it */
};

/* ---- Shapes ------------------------------------------------------------------------------------------------ */

static vta_status check_dtype(DLDataType dtype, vta_diag *diag) {
    bool bits = dtype.bits >= 1 && dtype.bits <= MAX_BITS, lanes = dtype.lanes >= 1 && dtype.lanes <= MAX_LANES;
    if (dtype.code <= kDLComplex && bits && lanes) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "code %u, %u bits, %u lanes: there is no such data type", dtype.code,
                   dtype.bits, dtype.lanes);
}

static vta_status shape_bytes(int32_t ndim, const int64_t *shape, DLDataType dtype, vta_diag *diag, size_t *out_bytes) {
    *out_bytes = 0;
    if (ndim < 0 || ndim > VTA_ARRAY_MAX_DIMS)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%d dimensions; an array has 0 to %d", ndim, VTA_ARRAY_MAX_DIMS);
    if (ndim && !shape) return vt_fail(diag, VTA_INVALID_ARGUMENT, "shape is NULL");
    VT_TRY(check_dtype(dtype, diag));
    /* A bool (1 bit) takes a byte; other narrow types share bytes. */
    size_t bits = (size_t)(dtype.bits == 1 ? 8 : dtype.bits) * dtype.lanes;
    for (int32_t i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "dimension %d has extent %lld", i, (long long)shape[i]);
        if ((uint64_t)shape[i] > SIZE_MAX || !vt_mul_size(bits, (size_t)shape[i], &bits) || bits > SIZE_MAX - 7)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "the size of the array overflows at dimension %d (extent %lld)", i,
                           (long long)shape[i]);
    }
    *out_bytes = (bits + 7) / 8;
    return VTA_OK;
}

vta_status vta_tensor_bytes(const DLTensor *tensor, size_t *out_bytes) {
    if (!tensor || !out_bytes) return VTA_INVALID_ARGUMENT;
    return shape_bytes(tensor->ndim, tensor->shape, tensor->dtype, NULL, out_bytes);
}

/* Strides of a row-major tensor without gaps, or none at all. */
static bool is_compact(const DLTensor *t) {
    if (!t->strides) return true;
    int64_t expected = 1;
    for (int32_t i = t->ndim - 1; i >= 0; i--) {
        if (t->shape[i] != 1 && t->strides[i] != expected) return false;
        expected *= t->shape[i];
    }
    return true;
}

/* ---- Life -------------------------------------------------------------------------------------------------- */

static vta_status new_array(DLDevice device, int32_t ndim, const int64_t *shape, DLDataType dtype,
                            const vta_allocator *allocator, vta_diag *diag, vta_array **out_array) {
    if (!out_array) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_array is NULL");
    *out_array = NULL;
    size_t bytes;
    VT_TRY(shape_bytes(ndim, shape, dtype, diag, &bytes));
    vta_array *array = vt_alloc_zero(allocator, sizeof *array);
    if (!array) return vt_no_memory(diag);
    array->allocator = allocator ? *allocator : vt_allocator_libc;
    array->bytes = bytes;
    if (ndim) memcpy(array->shape, shape, (size_t)ndim * sizeof *shape);
    array->tensor = (DLTensor){.device = device, .ndim = ndim, .dtype = dtype, .shape = array->shape};
    *out_array = array;
    return VTA_OK;
}

static vta_status alloc_host(vta_array *array, vta_diag *diag) {
    size_t size;
    if (!vt_add_size(array->bytes, ALIGNMENT, &size)) return vt_no_memory(diag);
    array->block = vt_alloc_zero(&array->allocator, size);
    if (!array->block) return vt_no_memory(diag);
    array->tensor.data = (char *)array->block + (ALIGNMENT - (uintptr_t)array->block % ALIGNMENT);
    return VTA_OK;
}

static vta_status alloc_device(vta_array *array, vta_diag *diag) {
    vta_runtime *runtime = vt_runtime_acquire();
    if (!runtime) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s", vta_last_error(NULL));
    vta_status status = vt_buffer_alloc(runtime, array->bytes, diag, &array->tensor.data);
    vt_runtime_release(runtime);
    return status;
}

vta_status vta_array_create(int32_t device_type, int32_t ndim, const int64_t *shape, DLDataType dtype,
                            const vta_allocator *allocator, vta_diag *diag, vta_array **out_array) {
    if (out_array) *out_array = NULL;
    if (device_type != kDLCPU && device_type != kDLExtDev)
        return vt_fail(diag, VTA_UNSUPPORTED, "device type %d; arrays live on %d (cpu) and %d (ext_dev)", device_type,
                       kDLCPU, kDLExtDev);
    DLDevice device = {(DLDeviceType)device_type, 0};
    VT_TRY(new_array(device, ndim, shape, dtype, allocator, diag, out_array));
    vta_status status = device_type == kDLCPU ? alloc_host(*out_array, diag) : alloc_device(*out_array, diag);
    if (status != VTA_OK) {
        vta_array_free(*out_array);
        *out_array = NULL;
    }
    return status;
}

vta_status vta_array_borrow(void *data, int32_t ndim, const int64_t *shape, DLDataType dtype,
                            const vta_allocator *allocator, vta_diag *diag, vta_array **out_array) {
    DLDevice device = {kDLCPU, 0};
    VT_TRY(new_array(device, ndim, shape, dtype, allocator, diag, out_array));
    if (!data && (*out_array)->bytes) {
        vta_array_free(*out_array);
        *out_array = NULL;
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_array_borrow: data is NULL");
    }
    (*out_array)->tensor.data = data;
    return VTA_OK;
}

void vta_array_free(vta_array *array) {
    if (!array) return;
    if (array->tensor.device.device_type == kDLExtDev && array->tensor.data) vt_buffer_free(array->tensor.data, NULL);
    vta_allocator allocator = array->allocator;
    vt_free(&allocator, array->block, array->bytes + ALIGNMENT);
    vt_free(&allocator, array, sizeof *array);
}

DLTensor *vta_array_tensor(vta_array *array) { return array ? &array->tensor : NULL; }
vta_array *vt__array_of(DLTensor *tensor) { return (vta_array *)tensor; }
size_t vta_array_bytes(const vta_array *array) { return array ? array->bytes : 0; }

/* ---- Copies ------------------------------------------------------------------------------------------------ */

static vta_status check_side(const DLTensor *t, const char *name, vta_diag *diag) {
    if (!t) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", name);
    size_t bytes;
    VT_TRY(shape_bytes(t->ndim, t->shape, t->dtype, diag, &bytes));
    if (bytes && !t->data) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s has no data", name);
    if (t->device.device_type != kDLCPU && t->device.device_type != kDLExtDev)
        return vt_fail(diag, VTA_UNSUPPORTED, "%s is on device type %d; cpu (1) and ext_dev (12) are known", name,
                       (int)t->device.device_type);
    if (!is_compact(t))
        return vt_fail(diag, VTA_UNSUPPORTED, "%s is not compact: copy it to a compact array first", name);
    return VTA_OK;
}

static vta_status check_agree(const DLTensor *from, const DLTensor *to, vta_diag *diag) {
    if (from->dtype.code != to->dtype.code || from->dtype.bits != to->dtype.bits ||
        from->dtype.lanes != to->dtype.lanes)
        return vt_fail(diag, VTA_MISMATCH, "types differ: code %u, %u bits, %u lanes and code %u, %u bits, %u lanes",
                       from->dtype.code, from->dtype.bits, from->dtype.lanes, to->dtype.code, to->dtype.bits,
                       to->dtype.lanes);
    if (from->ndim != to->ndim)
        return vt_fail(diag, VTA_MISMATCH, "shapes differ: %d and %d dimensions", from->ndim, to->ndim);
    for (int32_t i = 0; i < from->ndim; i++)
        if (from->shape[i] != to->shape[i])
            return vt_fail(diag, VTA_MISMATCH, "shapes differ in dimension %d: %lld and %lld", i,
                           (long long)from->shape[i], (long long)to->shape[i]);
    return VTA_OK;
}

vta_status vta_tensor_copy(const DLTensor *from, const DLTensor *to, vta_diag *diag) {
    enum { TO_DEVICE = 1, FROM_DEVICE = 2 };
    VT_TRY(check_side(from, "from", diag));
    VT_TRY(check_side(to, "to", diag));
    VT_TRY(check_agree(from, to, diag));
    size_t bytes;
    VT_TRY(shape_bytes(from->ndim, from->shape, from->dtype, diag, &bytes));
    int kinds = (from->device.device_type == kDLExtDev ? FROM_DEVICE : 0) |
                (to->device.device_type == kDLExtDev ? TO_DEVICE : 0);
    if (!bytes) return VTA_OK;
    if (kinds)
        return vt_buffer_copy(from->data, (size_t)from->byte_offset, to->data, (size_t)to->byte_offset, bytes, kinds,
                              diag);
    memmove((char *)to->data + to->byte_offset, (const char *)from->data + from->byte_offset, bytes);
    return VTA_OK;
}

vta_status vta_array_copy(const vta_array *from, vta_array *to, vta_diag *diag) {
    return vta_tensor_copy(from ? &from->tensor : NULL, to ? &to->tensor : NULL, diag);
}

/* The host's bytes as a tensor beside the array's. */
static vta_status host_side(const vta_array *array, const void *host, size_t bytes, vta_diag *diag, DLTensor *out) {
    if (!array || !host) return vt_fail(diag, VTA_INVALID_ARGUMENT, "the array or the host's memory is NULL");
    if (bytes != array->bytes)
        return vt_fail(diag, VTA_MISMATCH, "%zu bytes, but the array has %zu", bytes, array->bytes);
    *out = array->tensor;
    out->device = (DLDevice){kDLCPU, 0};
    out->data = (void *)host;
    out->byte_offset = 0;
    return VTA_OK;
}

vta_status vta_array_write(vta_array *array, const void *from, size_t bytes, vta_diag *diag) {
    DLTensor host;
    VT_TRY(host_side(array, from, bytes, diag, &host));
    return vta_tensor_copy(&host, &array->tensor, diag);
}

vta_status vta_array_read(const vta_array *array, void *to, size_t bytes, vta_diag *diag) {
    DLTensor host;
    VT_TRY(host_side(array, to, bytes, diag, &host));
    return vta_tensor_copy(&array->tensor, &host, diag);
}
