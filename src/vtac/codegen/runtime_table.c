#include "codegen/runtime_table.h"

#include <string.h>

static const vt__runtime_entry entries[] = {
#define VTA_RUNTIME_ENTRY(name, result, types, ...) {#name, result[0], types, "" #__VA_ARGS__},
#include "vta/runtime.def"
#undef VTA_RUNTIME_ENTRY
};

const vt__runtime_entry *vt__runtime_find(const char *name) {
    if (strncmp(name, "VTA", 3) != 0) return NULL;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (entries[i].name[3] == name[3] && strcmp(entries[i].name, name) == 0) return &entries[i];
    return NULL;
}

void vt__runtime_check_call(vt_ctx *ctx, const char *where, const vt__runtime_entry *entry, const vt_expr *call) {
    char type[VT_DTYPE_TEXT];
    uint32_t n = call->n - 1;
    if (n != strlen(entry->args))
        vt_raise(ctx, VTA_ILLEGAL, "%s: %s takes %zu arguments (%s), not %u", where, entry->name, strlen(entry->args),
                 entry->names, n);
    if (call->dtype.lanes > 1)
        vt_raise(ctx, VTA_ILLEGAL, "%s: the result of %s is one value, and no %s", where, entry->name,
                 vt_dtype_text(call->dtype, type));
    if (entry->result == 'p' && call->dtype.code == VT_FLOAT)
        vt_raise(ctx, VTA_ILLEGAL, "%s: the result of %s is a pointer, and no %s", where, entry->name,
                 vt_dtype_text(call->dtype, type));
}

vt_dtype vt__runtime_result(const vt__runtime_entry *entry) {
    switch (entry->result) {
    case 'v': return VT_VOID_T;
    case 'p': return VT_HANDLE_T;
    case 'u': return VT_U32;
    default: return VT_I32;
    }
}
