/* Modules and arrays: load a compiled kernel, look a function up by name, call it with tensors (docs/spec.md, section
 * 8).
 *
 * A kernel is an exported C function in the packed calling convention,
 *
 *     int f(TVMValue *args, int *type_codes, int num_args, TVMValue *ret_value, int *ret_type_code, void *resource)
 *
 * returning 0, or another value after TVMAPISetLastError. Tensors travel as DLTensor * (DLPack). Arrays on device type
 * kDLExtDev (12) live in the calling thread's runtime (vta/runtime.h): their DLTensor.data is the buffer handle.
 *
 * Threads: a module and its functions may be used by many threads at once. An array is used by one at a time. */
#ifndef VTA_MODULE_H
#define VTA_MODULE_H

#include <dlpack/dlpack.h>

#include "vta/runtime.h"

VTA_BEGIN

/* ---- The packed calling convention ------------------------------------------------------------------------- */

typedef union TVMValue {
    int64_t v_int64;
    double v_float64;
    void *v_handle;
    const char *v_str;
    DLDataType v_type;
    DLDevice v_device;
} TVMValue;

/* Type codes of arguments and results. */
typedef enum vta_type_code {
    VTA_ARG_INT = 0,
    VTA_ARG_FLOAT = 2,
    VTA_ARG_HANDLE = 3,
    VTA_ARG_NULL = 4,
    VTA_ARG_DATA_TYPE = 5,
    VTA_ARG_DEVICE = 6,
    VTA_ARG_TENSOR = 7, /* DLTensor * */
    VTA_ARG_OBJECT = 8,
    VTA_ARG_MODULE = 9,
    VTA_ARG_FUNCTION = 10,
    VTA_ARG_STRING = 11,
    VTA_ARG_BYTES = 12,
    VTA_ARG_NDARRAY = 13, /* a DLTensor * too */
} vta_type_code;

typedef int (*vta_packed_function)(TVMValue *args, int *type_codes, int num_args, TVMValue *ret_value,
                                   int *ret_type_code, void *resource);

/* What objects made by TVM and by this project's compiler import besides the runtime's entry points. */
typedef void *TVMFunctionHandle;
typedef struct TVMParallelGroupEnv {
    void *sync_handle;
    int32_t num_task;
} TVMParallelGroupEnv;
typedef int (*FTVMParallelLambda)(int task_id, TVMParallelGroupEnv *penv, void *cdata);

/* The calling thread's last error text of a packed function; "" when there is none. */
VTA_API void TVMAPISetLastError(const char *msg);
VTA_API const char *TVMGetLastError(void);
/* A function by name, for code inside a module: what vta_function_register made known. 0, or -1 with an error text. */
VTA_API int TVMBackendGetFuncFromEnv(void *mod_node, const char *func_name, TVMFunctionHandle *out);
VTA_API int TVMFuncCall(TVMFunctionHandle func, TVMValue *args, int *type_codes, int num_args, TVMValue *ret_val,
                        int *ret_type_code);
/* Runs flambda(task, env, cdata) for every task in [0, num_task), on the pool's threads; num_task 0: one for each
 * thread of the pool. 0, or the first failing task's value. A launch from within a task runs its tasks in turn. */
VTA_API int TVMBackendParallelLaunch(FTVMParallelLambda flambda, void *cdata, int num_task);
/* A barrier among the tasks of a launch. Every task must come to it; launches of more tasks than threads fail (-1). */
VTA_API int TVMBackendParallelBarrier(int task_id, TVMParallelGroupEnv *penv);
/* Scratch memory of a kernel call; NULL and an error text when there is none. On the CPU 64-byte aligned; on the
 * accelerator (kDLExtDev) a buffer of the thread's runtime, as VTABufferAlloc gives it. */
VTA_API void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t nbytes, int dtype_code_hint,
                                       int dtype_bits_hint);
VTA_API int TVMBackendFreeWorkspace(int device_type, int device_id, void *ptr);

/* ---- Modules ----------------------------------------------------------------------------------------------- */

typedef struct vta_module vta_module;

/* Loads a shared object (.so), or an object file (.o) or those of a tar file (.tar, as TVM's export_library writes it),
 * which are first linked into a temporary shared object with the system's linker (`ld`, or a compiler driver: `cc`,
 * `gcc`, `clang`). VTA_NOT_FOUND: no such file; VTA_UNSUPPORTED: no linker on this machine; VTA_PARSE: not an object
 * for this machine; the message carries the linker's or loader's own words. */
VTA_API vta_status vta_module_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                   vta_module **out_module);
/* A module around functions that are in memory already (a JIT's): `lookup(ctx, name)` gives an address or NULL,
 * `release(ctx)` (may be NULL) is called when the module is destroyed. `name` stands for it in messages. */
VTA_API vta_status vta_module_wrap(const char *name, void *(*lookup)(void *ctx, const char *name),
                                   void (*release)(void *ctx), void *ctx, const vta_allocator *allocator,
                                   vta_diag *diag, vta_module **out_module);
/* Ends it; functions looked up in it are no longer valid. NULL is allowed. */
VTA_API void vta_module_destroy(vta_module *module);
/* A function by its name; "__tvm_main__" stands for the one that TVM's objects name so, else for the module's only one.
 * VTA_NOT_FOUND names those that the module has. The pointer lives as long as the module. */
VTA_API vta_status vta_module_function(vta_module *module, const char *name, vta_diag *diag,
                                       vta_packed_function *out_function);
/* Names of the module's functions, one a line, sorted; "" when they cannot be listed (vta_module_wrap). Lives as long
 * as the module. */
VTA_API const char *vta_module_function_names(vta_module *module);

/* The symbol of a kernel is its name. Where that is what the C library, the runtime or a function that the object calls
 * is called (exp, malloc, main, _init), it is VTA_KERNEL_PREFIX NAME, and vta_module_function finds it by NAME all the
 * same. */
#define VTA_KERNEL_PREFIX "__vta_kernel_"

/* ---- Signatures -------------------------------------------------------------------------------------------- */

/* Objects of this project's compiler say what each function expects: a JSON text in the read-only data symbol
 * VTA_SIGNATURE_PREFIX NAME (docs/compiler.md, "Signatures"). */
#define VTA_SIGNATURE_PREFIX "__vta_signature_"
enum { VTA_SIGNATURE_VERSION = 1 };

typedef struct vta_signature vta_signature;

/* One argument of a function. The pointers belong to the signature. */
typedef struct vta_signature_arg {
    const char *name;
    DLDataType dtype;
    bool is_tensor;      /* else a scalar, and the fields below are not used */
    bool is_output;      /* the function writes it */
    int32_t device_type; /* where it must live: kDLCPU, kDLExtDev */
    int32_t ndim;
    const int64_t *shape; /* -1: an extent that is not fixed */
} vta_signature_arg;

/* Reads a function's signature. VTA_NOT_FOUND: no such function; VTA_UNSUPPORTED: the object does not describe it (made
 * by another compiler, or by an older one of this project's), or in a newer version; VTA_PARSE: it is damaged. Free
 * with vta_signature_destroy; the module may go before it. */
VTA_API vta_status vta_module_signature(vta_module *module, const char *name, const vta_allocator *allocator,
                                        vta_diag *diag, vta_signature **out_signature);
/* The same from a text, whose name in messages is `from`. */
VTA_API vta_status vta_signature_parse(const char *text, const char *from, const vta_allocator *allocator,
                                       vta_diag *diag, vta_signature **out_signature);
VTA_API void vta_signature_destroy(vta_signature *signature);
VTA_API const char *vta_signature_name(const vta_signature *signature);
/* What it computes, as the text of a kernel file without schedule whose tensors arg0, arg1, ... are the arguments by
 * their places (docs/kernel-files.md); NULL when the object does not say. */
VTA_API const char *vta_signature_computes(const vta_signature *signature);
VTA_API size_t vta_signature_arg_count(const vta_signature *signature);
/* Argument `index`; NULL past the last. */
VTA_API const vta_signature_arg *vta_signature_get_arg(const vta_signature *signature, size_t index);
/* The configuration it was compiled for, owned by the signature; NULL when it runs nothing on the accelerator. */
VTA_API const vta_config *vta_signature_config(const vta_signature *signature);

/* ---- Calls ------------------------------------------------------------------------------------------------- */

/* Calls a packed function. A value other than 0 becomes an error with the text it set; so does an error of the runtime
 * during the call (vta_last_error), whose stream is then dropped. out_value and out_type_code may be NULL. */
VTA_API vta_status vta_function_call(vta_packed_function function, const TVMValue *args, const int *type_codes,
                                     int num_args, vta_diag *diag, TVMValue *out_value, int *out_type_code);
/* The common case: `count` tensors. */
VTA_API vta_status vta_function_call_tensors(vta_packed_function function, DLTensor *const *tensors, int count,
                                             vta_diag *diag);
/* Makes a function known by name to code inside modules (TVMBackendGetFuncFromEnv), for the whole process; NULL
 * removes it. The name is copied. */
VTA_API vta_status vta_function_register(const char *name, vta_packed_function function, vta_diag *diag);

/* Seconds of one call: `number` calls a round, `repeat` rounds, after one call that does not count, and as many more
 * calls in each round as it takes to last min_repeat_ms. out_seconds gets `repeat` means. */
VTA_API vta_status vta_function_time(vta_packed_function function, DLTensor *const *tensors, int count, uint32_t number,
                                     uint32_t repeat, uint32_t min_repeat_ms, vta_diag *diag, double *out_seconds);

/* ---- Stopping host code ------------------------------------------------------------------------------------- */

/* Ends compiled host code early: while `raised`, calls of code that was built with vtac_build_options.interruptible
 * return at the next iteration of an outer loop with VTA_INTERRUPTED, what they had written so far written. It is the
 * process's: kernels of all threads end. Any thread, also in a signal handler. Lower it before the next call. */
VTA_API void vta_host_interrupt(bool raised);
/* What that code reads; not 0: stop. */
VTA_API extern int32_t vta_host_stop;

/* ---- Arrays ------------------------------------------------------------------------------------------------ */

typedef struct vta_array vta_array;

enum { VTA_ARRAY_MAX_DIMS = 16 };

/* A compact, row-major, zeroed array. device_type kDLCPU (1; data 64-byte aligned) or kDLExtDev (12). Sub-byte scalars
 * (bits 4, 2) take ceil(total bits / 8) bytes, packed little-endian; a bool (1 bit) takes a byte. VTA_OUT_OF_RANGE: a
 * negative extent, too many dimensions, a size that overflows. */
VTA_API vta_status vta_array_create(int32_t device_type, int32_t ndim, const int64_t *shape, DLDataType dtype,
                                    const vta_allocator *allocator, vta_diag *diag, vta_array **out_array);
/* An array on memory of the caller's, which must stay until the array is freed. */
VTA_API vta_status vta_array_borrow(void *data, int32_t ndim, const int64_t *shape, DLDataType dtype,
                                    const vta_allocator *allocator, vta_diag *diag, vta_array **out_array);
VTA_API void vta_array_free(vta_array *array);
/* The array as DLPack sees it; belongs to the array. */
VTA_API DLTensor *vta_array_tensor(vta_array *array);
VTA_API size_t vta_array_bytes(const vta_array *array);
/* Copies contents. Shapes and types must agree (VTA_MISMATCH); tensors may be on either device, compact, any
 * byte_offset. */
VTA_API vta_status vta_array_copy(const vta_array *from, vta_array *to, vta_diag *diag);
VTA_API vta_status vta_tensor_copy(const DLTensor *from, const DLTensor *to, vta_diag *diag);
/* Raw bytes in and out; `bytes` must be the array's. */
VTA_API vta_status vta_array_write(vta_array *array, const void *from, size_t bytes, vta_diag *diag);
VTA_API vta_status vta_array_read(const vta_array *array, void *to, size_t bytes, vta_diag *diag);
/* An array on the host from a .npy file (numpy.save): integers, floats and bools in this machine's byte order, row by
 * row. VTA_PARSE: no such file, or a damaged one; VTA_UNSUPPORTED: other elements, or stored column by column. `name`
 * stands for the bytes in messages. */
VTA_API vta_status vta_array_load_npy(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                      vta_array **out_array);
VTA_API vta_status vta_array_parse_npy(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                                       vta_diag *diag, vta_array **out_array);
/* Writes a compact tensor on the host as such a file. */
VTA_API vta_status vta_tensor_save_npy(const DLTensor *tensor, const char *path, vta_diag *diag);
/* Bytes of a tensor's elements; VTA_OUT_OF_RANGE when that overflows. */
VTA_API vta_status vta_tensor_bytes(const DLTensor *tensor, size_t *out_bytes);

VTA_END

#endif
