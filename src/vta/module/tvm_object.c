/* Objects that TVM made: they hold pointers to the functions that they call, to be filled in when they are loaded, and
 * the name of the function that stands for the module. */
#include <stdio.h>
#include <string.h>

#include "module/module.h"
#include "module/module_priv.h"

/* Weak symbols of such objects, each a pointer. */
#define POINTERS(X)                                                                                                    \
    X(TVMFuncCall)                                                                                                     \
    X(TVMAPISetLastError)                                                                                              \
    X(TVMBackendGetFuncFromEnv)                                                                                        \
    X(TVMBackendAllocWorkspace)                                                                                        \
    X(TVMBackendFreeWorkspace)                                                                                         \
    X(TVMBackendParallelLaunch)                                                                                        \
    X(TVMBackendParallelBarrier)

static void fill(vta_module *module, const char *symbol, void *value) {
    void *at = vt__module_symbol(module, symbol);
    if (at) memcpy(at, &value, sizeof value);
}

void vt__module_fill_pointers(vta_module *module) {
    fill(module, "__tvm_module_ctx", module);
#define FILL(name) fill(module, "__" #name, (void *)name);
    POINTERS(FILL)
#undef FILL
}

/* The only name in a list of lines; NULL when there are none or several. */
static const char *only(const char *names) { return *names && !strchr(names, '\n') ? names : NULL; }

vta_status vt_module_entry(vta_module *module, vta_diag *diag, const char **out_name) {
    const char *names = vta_module_function_names(module);
    *out_name = vt__module_symbol(module, VT_MODULE_ENTRY);
    if (!*out_name) *out_name = only(names);
    if (*out_name) return VTA_OK;
    return vt_fail(diag, VTA_NOT_FOUND, "%s does not say which function stands for it (no symbol %s); it has: %s",
                   vt__module_name(module), VT_MODULE_ENTRY, *names ? names : "none");
}

const char *vt_module_signature_text(vta_module *module, const char *name) {
    char symbol[512];
    int n = snprintf(symbol, sizeof symbol, VTA_SIGNATURE_PREFIX "%s", name);
    const char *text = n > 0 && (size_t)n < sizeof symbol ? vt__module_symbol(module, symbol) : NULL;
    return text ? text : "";
}
