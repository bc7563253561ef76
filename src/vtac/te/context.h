/* A context: its symbols, its errors, and how a public call of it is made. */
#ifndef VT_TE_CONTEXT_H
#define VT_TE_CONTEXT_H

#include "ir/build.h"
#include "ir/visit.h"
#include "te/te.h"

typedef enum te__symbol_kind {
    TE__CONSTANT,
    TE__SCALAR,
    TE__AXIS,
    TE__TENSOR,
    TE__NO_TENSOR /* to look for: any of the first three */
} te__symbol_kind;

typedef struct te__symbol {
    te__symbol_kind kind;
    const char *name;
    int64_t value;
    const void *node; /* vt_var, vt_iter or vt_tensor */
} te__symbol;

struct te_context {
    vt_tag tag;
    vt_ctx ctx;
    const vta_allocator *allocator;
    vta_config *config;
    atomic_bool interrupt;
    vt_pos pos;              /* of what is made now; the file name is in the arena */
    const te_context **used; /* other contexts, by te_context_use */
    uint32_t n_used, cap_used;
    te__symbol *symbols;
    uint32_t n_symbols, cap_symbols;
    const vt_iter *vta_axis;
    te_intrin *gemm;
    vt_ptrmap *reals; /* constants written without a type that float32 cuts -> the double as written; NULL: none */
};

void te__symbol_add(te_context *c, te__symbol_kind kind, const char *name, int64_t value, const void *node);
/* The newest of a name and kind; NULL when there is none. */
const te__symbol *te__symbol_find(const te_context *c, const char *name, te__symbol_kind kind);

_Noreturn void te__raise(te_context *c, vta_status status, const char *fmt, ...) VTA_PRINTF(3, 4);
_Noreturn void te__raise_at(te_context *c, vt_pos pos, vta_status status, const char *fmt, ...) VTA_PRINTF(4, 5);
/* Leaves when an argument that must be an object is NULL; adds a message only when no error explains it. */
void te__need(te_context *c, const void *object, const char *what);
/* The same, and when it is an object of another kind: names both. `what` says what it is here ("an index"). */
void te__need_a(te_context *c, vt_tag tag, const void *object, const char *what);
vt_dtype te__dtype(te_context *c, const char *text);
/* The same, and what only values have, not the elements of tensors: handles, vectors. */
vt_dtype te__value_dtype(te_context *c, const char *text);
const char *te__dtype_text(te_context *c, vt_dtype t);
/* A name that printers and expression strings can show: not empty, letters, digits, '_' and '.'. */
const char *te__name(te_context *c, const char *name, const char *what);

/* A public function is one of these, with a call of a static function that does the work in plain C: what that raises
 * is returned as NULL, or as the status. Neither reads or changes a variable of the public function after a jump. */
#define TE_RETURN(context, made)                                                                                       \
    do {                                                                                                               \
        te_context *const guarded_ = (context);                                                                        \
        vt_exit here_;                                                                                                 \
        if (!vt_is(guarded_, VT_TAG_CONTEXT)) return NULL;                                                             \
        if (setjmp(*vt_exit_open(&guarded_->ctx, &here_)) == 0) {                                                      \
            __auto_type made_ = (made);                                                                                \
            vt_exit_close(&guarded_->ctx, &here_);                                                                     \
            return made_;                                                                                              \
        }                                                                                                              \
        vt_exit_close(&guarded_->ctx, &here_);                                                                         \
        return NULL;                                                                                                   \
    } while (0)

#define TE_RETURN_STATUS(context, done)                                                                                \
    do {                                                                                                               \
        te_context *const guarded_ = (context);                                                                        \
        vt_exit here_;                                                                                                 \
        if (!vt_is(guarded_, VT_TAG_CONTEXT)) return VTA_INVALID_ARGUMENT;                                             \
        if (setjmp(*vt_exit_open(&guarded_->ctx, &here_)) == 0) {                                                      \
            (done);                                                                                                    \
            vt_exit_close(&guarded_->ctx, &here_);                                                                     \
            return VTA_OK;                                                                                             \
        }                                                                                                              \
        return vt_exit_close(&guarded_->ctx, &here_);                                                                  \
    } while (0)

/* Nodes as handles, which are seen without const from outside. */
static inline te_expr *te__expr_out(const vt_expr *e) { return (te_expr *)(uintptr_t)e; }
static inline te_axis *te__axis_out(const vt_iter *axis) { return (te_axis *)(uintptr_t)axis; }
static inline te_tensor *te__tensor_out(const vt_tensor *t) { return (te_tensor *)(uintptr_t)t; }
#define te__out(node)                                                                                                  \
    _Generic((node), const vt_expr *: te__expr_out, const vt_iter *: te__axis_out, const vt_tensor *: te__tensor_out)( \
        node)

/* Handles as nodes; they leave as te__need_a does. */
const vt_expr *te__expr_in(te_context *c, const te_expr *e, const char *what);
const vt_iter *te__axis_in(te_context *c, const te_axis *axis, const char *what);
const vt_tensor *te__tensor_in(te_context *c, const te_tensor *t, const char *what);
const vt_expr *const *te__exprs_in(te_context *c, size_t n, te_expr *const *list, const char *what);
const vt_iter *const *te__axes_in(te_context *c, size_t n, te_axis *const *list, const char *what);

#endif
