#include "codegen/library.h"

#ifndef VT_LLVM_LIBRARY

vta_status vt__llvm_load(vta_diag *diag) {
    (void)diag;
    return VTA_OK;
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

vt__llvm_functions vt__llvm_library;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool loaded;

/* Where the system looks, then where it was when this library was built. It stays: its threads and handlers do. */
static void *open_library(void) {
    enum { HOW = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
    void *library = dlopen(VT_LLVM_LIBRARY, HOW);
    return library ? library : dlopen(VT_LLVM_FOLDER "/" VT_LLVM_LIBRARY, HOW);
}

static bool find(void *library, const char *name, void *out_function) {
    void *function = dlsym(library, name);
    memcpy(out_function, &function, sizeof function); /* ISO C has no other way from data to code */
    return function;
}

static vta_status load(vta_diag *diag) {
    void *library = open_library();
    if (!library)
        return vt_fail(diag, VTA_NOT_FOUND,
                       "machine code is made by LLVM, and %s cannot be loaded (%s): install LLVM %s, Debian's "
                       "libllvm%s",
                       VT_LLVM_LIBRARY, dlerror(), VT_LLVM_VERSION, VT_LLVM_VERSION);
    const char *missing = NULL;
#define VT_LLVM(name)                                                                                                  \
    if (!find(library, #name, &vt__llvm_library.name) && !missing) missing = #name;
#include "codegen/llvm_functions.def"
#undef VT_LLVM
    if (!missing) return VTA_OK;
    return vt_fail(diag, VTA_NOT_FOUND, "%s has no %s: it is not LLVM %s", VT_LLVM_LIBRARY, missing, VT_LLVM_VERSION);
}

vta_status vt__llvm_load(vta_diag *diag) {
    if (atomic_load_explicit(&loaded, memory_order_acquire)) return VTA_OK;
    pthread_mutex_lock(&lock);
    vta_status status = atomic_load(&loaded) ? VTA_OK : load(diag);
    if (status == VTA_OK) atomic_store_explicit(&loaded, true, memory_order_release);
    pthread_mutex_unlock(&lock);
    return status;
}

#endif
