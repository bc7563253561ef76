/* What remote execution needs to know of a module beyond vta/module.h. */
#ifndef VT_MODULE_MODULE_H
#define VT_MODULE_MODULE_H

#include "base/diag.h"
#include "vta/module.h"

#define VT_MODULE_ENTRY "__tvm_main__"

/* The name of the function that stands for the whole module: what the object says under __tvm_main__, else the only
 * function that it has. It lives as long as the module. VTA_NOT_FOUND: there are none, or several. */
vta_status vt_module_entry(vta_module *module, vta_diag *diag, const char **out_name);
/* What the object says of a function, as JSON; "" when nothing. It lives as long as the module. */
const char *vt_module_signature_text(vta_module *module, const char *name);

/* A call that is timed. */
typedef struct vt_timed {
    vta_packed_function function;
    TVMValue *args;
    int *codes, count;
} vt_timed;

/* vta_function_time for any arguments; nothing is checked. */
vta_status vt_function_time(const vt_timed *f, uint32_t number, uint32_t repeat, uint32_t min_repeat_ms, vta_diag *diag,
                            double *out_seconds);

#endif
