/* What the code generators ask of functions, before and after vt_prepare. */
#include <string.h>

#include "codegen/prepare.h"
#include "ir/runtime_call.h"
#include "ir/visit.h"

/* ---- Whose memory? ---------------------------------------------------------------------------------------------- */

typedef struct transferred {
    const vt_var *data;
    bool found;
} transferred;

static bool find_transfer(void *user, const vt_expr *e) {
    transferred *t = user;
    uint32_t dram = VT_IS_RUNTIME(e, VTALoadBuffer2D)    ? VT_OPERAND(VTALoadBuffer2D, src_dram)
                    : VT_IS_RUNTIME(e, VTAStoreBuffer2D) ? VT_OPERAND(VTAStoreBuffer2D, dst_dram)
                                                         : 0;
    t->found |= dram && dram < e->n && e->a[dram] == t->data;
    return !t->found;
}

int32_t vt_alloc_device(const vt_stmt *alloc) {
    transferred t = {.data = alloc->u.alloc.var};
    vt_stmt_walk(alloc->u.alloc.body, find_transfer, NULL, &t);
    return t.found ? VT_DEVICE_EXT_DEV : VT_DEVICE_CPU;
}

/* ---- Does it compute? ------------------------------------------------------------------------------------------ */

static bool find_load(void *user, const vt_expr *e) {
    if (e->kind == VT_E_LOAD) *(bool *)user = true;
    return !*(bool *)user;
}

static bool find_store(void *user, const vt_stmt *s) {
    if (s->kind == VT_S_STORE) *(bool *)user = true;
    return !*(bool *)user;
}

bool vt__func_computes(const vt_func *f) {
    bool found = false;
    vt_stmt_walk(f->body, find_load, find_store, &found);
    return found;
}

/* ---- Equal micro-kernels ----------------------------------------------------------------------------------------- */

uint32_t vt_kernel_number(vt_ctx *ctx, vt_kernels *known, bool share, const vt_stmt *uops, uint32_t number) {
    uint32_t n;
    if (!share) return number;
    for (uint32_t i = 0; i < known->n; i++)
        if (known->items[i].scope == uops) return known->items[i].number;
    vt_stmt_free_vars(ctx, uops->u.attr.body, &n);
    if (n) return number;
    for (uint32_t i = 0; i < known->n; i++)
        if (vt_expr_equal(known->items[i].scope->u.attr.value, uops->u.attr.value) &&
            vt_stmt_alpha_equal(ctx, known->items[i].scope->u.attr.body, uops->u.attr.body, false))
            return known->items[i].number;
    vt_grow(ctx, &known->items, &known->cap, known->n + 1, sizeof *known->items);
    known->items[known->n++] = (vt_kernel_item){uops, number};
    return number;
}
