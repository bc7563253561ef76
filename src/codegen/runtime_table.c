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

void vt__runtime_check_call(vt_ctx *ctx, const char *where, const vt__runtime_entry *entry, uint32_t n) {
    if (n != strlen(entry->args))
        vt_raise(ctx, VTA_ILLEGAL, "%s: %s takes %zu arguments (%s), not %u", where, entry->name, strlen(entry->args),
                 entry->names, n);
}
