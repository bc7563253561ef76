/* The runtime's entry points, as the code makers look them up. Folder-private. */
#ifndef VT_CODEGEN_RUNTIME_TABLE_H
#define VT_CODEGEN_RUNTIME_TABLE_H

#include "codegen/codegen.h"

typedef struct vt__runtime_entry {
    const char *name;
    char result;       /* a letter as in vta/runtime.def */
    const char *args;  /* a letter each */
    const char *names; /* of the arguments: "cmd, from_qid, to_qid" */
} vt__runtime_entry;

enum {
    VT__RUNTIME_ENTRIES = 0
#define VTA_RUNTIME_ENTRY(name, ...) +1
#include "vta/runtime.def"
#undef VTA_RUNTIME_ENTRY
};

/* NULL for a function that is not the runtime's. */
const vt__runtime_entry *vt__runtime_find(const char *name);
/* Raises VTA_ILLEGAL when a call has the wrong number of arguments for it, or a type that its result cannot become. */
void vt__runtime_check_call(vt_ctx *ctx, const char *where, const vt__runtime_entry *entry, const vt_expr *call);
/* The type that the runtime returns, which a call of another type converts; void for none. */
vt_dtype vt__runtime_result(const vt__runtime_entry *entry);

#endif
