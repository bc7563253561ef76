/* The compile context: one arena, one list of diagnostics, and a way out.
 *
 * Everything that the compiler half allocates lives in the context's arena (or in a scratch arena of its own), so
 * code deep inside a pass does not check for out-of-memory and does not hand error codes up: vt_new and vt_raise
 * leave through the nearest vt_protect, which returns the status at the library's border. Nothing that needs freeing
 * may be held across a call that can raise; what must be freed is freed by whoever called vt_protect. */
#ifndef VT_BASE_CONTEXT_H
#define VT_BASE_CONTEXT_H

#include <setjmp.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/diag.h"

typedef struct vt_ctx vt_ctx;
typedef struct vt_exit vt_exit;
typedef struct vt_spilled vt_spilled;

/* Memory beside the context's arena that may be freed before it. */
typedef struct vt_aside {
    vt_arena arena; /* while the side is open: the context's own */
    struct vt_aside *next, *before;
} vt_aside;

struct vt_ctx {
    vt_arena arena;
    vt_aside *sides;              /* all of this context */
    atomic_flag sides_locked;     /* freed from any thread */
    vt_spilled *spilled;          /* data in temporary files (spill.h) */
    vta_diag *diag;               /* owned by the context's creator */
    vt_exit *exit;                /* the innermost vt_protect */
    vta_status left_with;         /* what the last vt_leave said */
    uint32_t next_id;             /* for variables and other things that need a number of their own */
    const atomic_bool *interrupt; /* raised from outside to stop long work; may be NULL */
};

void vt_ctx_init(vt_ctx *ctx, const vta_allocator *allocator, vta_diag *diag);
void vt_ctx_clear(vt_ctx *ctx);

/* From here to vt_aside_close everything is allocated beside the context's arena; what is kept elsewhere must not be
 * made meanwhile. NULL when out of memory. Sides do not nest. */
vt_aside *vt_aside_open(vt_ctx *ctx);
void vt_aside_close(vt_ctx *ctx, vt_aside *side);
/* Frees what was allocated; from any thread, also while another one uses the context. NULL is allowed. */
void vt_aside_free(vt_ctx *ctx, vt_aside *side);
/* Bytes of the context's arena and all sides. */
size_t vt_ctx_bytes(vt_ctx *ctx);

/* Runs body(ctx, arg); VTA_OK, or the status it returned or raised. Nests. */
vta_status vt_protect(vt_ctx *ctx, vta_status (*body)(vt_ctx *ctx, void *arg), void *arg);
/* The same with errors going to `diag` instead of the context's list; NULL: to that. */
vta_status vt_protect_to(vt_ctx *ctx, vta_diag *diag, vta_status (*body)(vt_ctx *ctx, void *arg), void *arg);

/* What vt_protect is made of, for a function that guards its own statements. It keeps to setjmp's rule: no local
 * variable that is changed between the two is read after a jump.
 *     vt_exit here;
 *     if (setjmp(*vt_exit_open(ctx, &here)) != 0) return vt_exit_close(ctx, &here);
 *     ...                                   what raises arrives in the line above
 *     vt_exit_close(ctx, &here);            the status of a jump; without meaning when there was none */
struct vt_exit {
    jmp_buf where;
    vt_exit *outer;
};
jmp_buf *vt_exit_open(vt_ctx *ctx, vt_exit *here);
vta_status vt_exit_close(vt_ctx *ctx, const vt_exit *here);

/* Records an error and leaves through the innermost vt_protect. */
_Noreturn void vt_raise(vt_ctx *ctx, vta_status status, const char *fmt, ...) VTA_PRINTF(3, 4);
_Noreturn void vt_raise_at(vt_ctx *ctx, vta_status status, vt_pos pos, const char *fmt, ...) VTA_PRINTF(4, 5);
/* The same with a detail, a long text, added to the error. */
_Noreturn void vt_raise_detailed(vt_ctx *ctx, vta_status status, const char *detail, const char *fmt, ...)
    VTA_PRINTF(4, 5);
/* Leaves with a status whose diagnostic was already recorded. */
_Noreturn void vt_leave(vt_ctx *ctx, vta_status status);
/* Leaves with VTA_INTERRUPTED when the interrupt flag is up. Call it in every loop that can be long. */
void vt_poll(vt_ctx *ctx);

/* Zeroed memory of the context's arena; raises VTA_NO_MEMORY, never returns NULL. */
void *vt_new_bytes(vt_ctx *ctx, size_t size);
/* The same, not zeroed: for a caller that sets every byte that is ever read. */
void *vt_new_unset(vt_ctx *ctx, size_t size);
void *vt_new_array_bytes(vt_ctx *ctx, size_t count, size_t item);
#define VT_NEW(ctx, type) ((type *)vt_new_bytes((ctx), sizeof(type)))
#define VT_NEW_ARRAY(ctx, type, count) ((type *)vt_new_array_bytes((ctx), (count), sizeof(type)))
char *vt_new_string(vt_ctx *ctx, const char *s);
char *vt_new_stringn(vt_ctx *ctx, const char *s, size_t n);
char *vt_new_format(vt_ctx *ctx, const char *fmt, ...) VTA_PRINTF(2, 3);
/* Grows an arena array for one more item: `items` is the address of the array pointer, *cap its capacity. */
void vt_grow(vt_ctx *ctx, void *items_ptr, uint32_t *cap, uint32_t want, size_t item);

#endif
