/* TVM's small C API (vta/tvm.h) over modules and arrays. Its errors are the thread's last words, without a list of
 * diagnostics. */
#include <stdio.h>

#include "module/module_priv.h"
#include "vta/tvm.h"

/* The words of a failure become the thread's last error. 0 or -1. */
static int ended(vta_diag *diag, vta_status status) {
    if (status != VTA_OK) vt__last_error_of(diag, status);
    vta_diag_destroy(diag);
    return status == VTA_OK ? 0 : -1;
}

static int is_null(const char *function, const char *what) {
    char words[128];
    snprintf(words, sizeof words, "%s: %s is NULL", function, what);
    TVMAPISetLastError(words);
    return -1;
}

/* ---- Modules ------------------------------------------------------------------------------------------------- */

int TVMModLoadFromFile(const char *file_name, const char *format, TVMModuleHandle *out) {
    (void)format;
    if (!out) return is_null("TVMModLoadFromFile", "out");
    *out = NULL;
    vta_module *module;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vta_module_load(file_name, NULL, diag, &module);
    *out = module;
    return ended(diag, status);
}

int TVMModFree(TVMModuleHandle mod) {
    vta_module_destroy(mod);
    return 0;
}

int TVMModGetFunction(TVMModuleHandle mod, const char *func_name, int query_imports, TVMFunctionHandle *out) {
    (void)query_imports;
    if (!out) return is_null("TVMModGetFunction", "out");
    *out = NULL;
    vta_packed_function function;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vta_module_function(mod, func_name, diag, &function);
    if (status == VTA_OK) status = vt__function_hold(function, diag, out);
    int code = ended(diag, status);
    return status == VTA_NOT_FOUND ? 0 : code;
}

/* ---- Arrays -------------------------------------------------------------------------------------------------- */

/* Do the numbers fit the fields of DLPack's type? */
static bool is_dtype(int code, int bits, int lanes, DLDataType *out) {
    *out = (DLDataType){(uint8_t)code, (uint8_t)bits, (uint16_t)lanes};
    return code >= 0 && code <= UINT8_MAX && bits >= 0 && bits <= UINT8_MAX && lanes >= 0 && lanes <= UINT16_MAX;
}

int TVMArrayAlloc(const int64_t *shape, int ndim, int dtype_code, int dtype_bits, int dtype_lanes, int device_type,
                  int device_id, TVMArrayHandle *out) {
    if (!out) return is_null("TVMArrayAlloc", "out");
    *out = NULL;
    vta_array *array = NULL;
    DLDataType dtype;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status;
    if (device_id != 0)
        status = vt_fail(diag, VTA_INVALID_ARGUMENT, "TVMArrayAlloc: device_id is %d, must be 0", device_id);
    else if (!is_dtype(dtype_code, dtype_bits, dtype_lanes, &dtype))
        status =
            vt_fail(diag, VTA_INVALID_ARGUMENT, "TVMArrayAlloc: code %d, %d bits, %d lanes: there is no such data type",
                    dtype_code, dtype_bits, dtype_lanes);
    else
        status = vta_array_create(device_type, ndim, shape, dtype, NULL, diag, &array);
    *out = vta_array_tensor(array);
    return ended(diag, status);
}

int TVMArrayFree(TVMArrayHandle handle) {
    vta_array_free(vt__array_of(handle));
    return 0;
}

int TVMArrayCopyFromBytes(TVMArrayHandle handle, void *data, size_t nbytes) {
    vta_diag *diag = vta_diag_create(NULL);
    return ended(diag, vta_array_write(vt__array_of(handle), data, nbytes, diag));
}

int TVMArrayCopyToBytes(TVMArrayHandle handle, void *data, size_t nbytes) {
    vta_diag *diag = vta_diag_create(NULL);
    return ended(diag, vta_array_read(vt__array_of(handle), data, nbytes, diag));
}

int TVMArrayCopyFromTo(TVMArrayHandle from, TVMArrayHandle to, void *stream) {
    (void)stream;
    vta_diag *diag = vta_diag_create(NULL);
    return ended(diag, vta_tensor_copy(from, to, diag));
}

int TVMSynchronize(int device_type, int device_id, void *stream) {
    (void)device_type, (void)device_id, (void)stream;
    return 0;
}
