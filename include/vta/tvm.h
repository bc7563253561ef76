/* The small part of TVM's C API that programs which deploy kernels are written with, under its own names: load a
 * module, find a function in it, make arrays, call (the call itself, TVMFuncCall, and TVMGetLastError are in
 * vta/module.h). New programs have vta/module.h, whose functions say more.
 *
 * Every function gives 0, or -1 with words in TVMGetLastError(). Module and array handles are only checked
 * against NULL; a function's handle is looked up, so that any other pointer is refused. Threads: as in vta/module.h. */
#ifndef VTA_TVM_H
#define VTA_TVM_H

#include "vta/module.h"

VTA_BEGIN

typedef void *TVMModuleHandle;
typedef DLTensor *TVMArrayHandle;

/* Loads what vta_module_load loads; `format` has no effect, since the file says what it is, and may be NULL. */
VTA_API int TVMModLoadFromFile(const char *file_name, const char *format, TVMModuleHandle *out);
/* Ends a module: its functions must not be called any more. NULL is allowed. */
VTA_API int TVMModFree(TVMModuleHandle mod);
/* A function of a module, to be freed with TVMFuncFree. As in TVM, a name that the module does not have gives 0 with
 * *out NULL; TVMGetLastError() then lists the names it has. `query_imports` has no effect: modules have no imports. */
VTA_API int TVMModGetFunction(TVMModuleHandle mod, const char *func_name, int query_imports, TVMFunctionHandle *out);
/* A function that vta_function_register made known; NULL, with 0, where there is none. */
VTA_API int TVMFuncGetGlobal(const char *name, TVMFunctionHandle *out);
/* Ends a function's handle; those of TVMFuncGetGlobal are left as they are. NULL is allowed. */
VTA_API int TVMFuncFree(TVMFunctionHandle func);

/* A zeroed array, to be freed with TVMArrayFree: vta_array_create. The only device_id is 0. */
VTA_API int TVMArrayAlloc(const int64_t *shape, int ndim, int dtype_code, int dtype_bits, int dtype_lanes,
                          int device_type, int device_id, TVMArrayHandle *out);
/* Frees an array of TVMArrayAlloc. NULL is allowed. */
VTA_API int TVMArrayFree(TVMArrayHandle handle);
/* Bytes into and out of an array of TVMArrayAlloc; `nbytes` must be all of it. */
VTA_API int TVMArrayCopyFromBytes(TVMArrayHandle handle, void *data, size_t nbytes);
VTA_API int TVMArrayCopyToBytes(TVMArrayHandle handle, void *data, size_t nbytes);
/* vta_tensor_copy. `stream` has no effect. */
VTA_API int TVMArrayCopyFromTo(TVMArrayHandle from, TVMArrayHandle to, void *stream);
/* Waits for a device: a call returns when it is done, so that there is nothing to wait for. */
VTA_API int TVMSynchronize(int device_type, int device_id, void *stream);

VTA_END

#endif
