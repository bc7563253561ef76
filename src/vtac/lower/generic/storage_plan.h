/* Which storage each buffer uses. */
#ifndef VT_PASS_STORAGE_PLAN_H
#define VT_PASS_STORAGE_PLAN_H

#include <string.h>

#include "lower/generic/liveness.h"
#include "lower/generic/pass.h"
#include "lower/generic/util.h"

/* One storage that a number of buffers use, one after another. */
typedef struct vt_storage vt_storage;
struct vt_storage {
    const vt_stmt *attach; /* the scope at whose begin it is allocated; NULL: the function's */
    uint64_t bits;         /* 0: not a constant */
    const char *scope;
    vt_dtype elem;
    const vt_stmt *phase;   /* of what uses it now */
    const vt_stmt **allocs; /* what uses it */
    uint32_t n_allocs, cap_allocs;
    vt_storage **children; /* storages placed after it in the same special memory */
    uint32_t n_children, cap_children;
    bool child;
    uint64_t offset; /* bits, in the allocation of the storage it is a child of */
    const vt_var *var;
    const vt_stmt *alloc; /* ALLOC to be put around the scope's body; NULL for children */
};

typedef struct vt_storage_plan {
    vt_mutator m;
    vt_lowering *l;
    bool early;
    vt_liveness live;
    const vt_stmt *scope; /* of the thread that is being planned */
    const vt_stmt *phase; /* late: that is being planned */
    vt_stmt_list outer;   /* the scopes around it, NULL first */
    vt_storage **all;
    uint32_t n, cap;
    vt_storage **idle; /* free for others: sorted by size, earlier freed first */
    uint32_t n_idle, cap_idle;
    vt_ptrmap *of;       /* data variable -> storage */
    vt_ptrmap *in_place; /* data variables whose storage was taken over */
    vt_ptrmap *queued;   /* data variables in ordinary memory that transfers read or write: they may run much later */
    vt_ptrmap *attached; /* scope -> chain of the storages allocated at its begin */
    vt_ptrmap *buffers;  /* buffer -> buffer over its storage */
} vt_storage_plan;

/* "local.acc_buffer" has the tag ".acc_buffer"; "global" and "local" have none. */
static inline const char *vt_scope_tag(const char *scope) {
    const char *dot = strchr(scope, '.');
    return dot ? dot : "";
}
static inline bool vt_scope_is_special(const char *scope) {
    const char *tag = vt_scope_tag(scope);
    return tag[0] && strcmp(tag, ".dyn") != 0 && strcmp(tag, ".workspace") != 0 && strcmp(tag, ".vtcm") != 0;
}
static inline const char *vt_scope_of(const vt_var *data) {
    return data->u.var->scope && data->u.var->scope[0] ? data->u.var->scope : "global";
}

/* Sets st->all and st->of, from st->live, which is of `body`. */
void vt_plan_storage(vt_storage_plan *st, const vt_stmt *body);

#endif
