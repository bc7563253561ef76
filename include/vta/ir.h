/* Lowered functions of the compiler, as its users see them: opaque, printable, checkable.
 *
 * A vtac_func belongs to the compile context that made it (te.h, pass.h, build.h) and lives as long as that does, or
 * until it is released. Reading one from several threads at once is allowed while nobody compiles with the
 * context it belongs to; printing counts as compiling. */
#ifndef VTA_IR_H
#define VTA_IR_H

#include <stdbool.h>

#include "vta/status.h"

VTA_BEGIN

typedef struct vtac_func vtac_func;

/* The two text styles in which functions are shown. */
typedef enum vtac_style { VTAC_STYLE_PRIMFN = 0, VTAC_STYLE_TVMSCRIPT = 1 } vtac_style;

/* Frees the function, with all memory that lowering took, before its context; from any thread. Modules that were built
 * of it stay. NULL is allowed. */
VTA_API void vtac_func_release(const vtac_func *func);
/* The name under which the function is exported. Belongs to the function. */
VTA_API const char *vtac_func_name(const vtac_func *func);
/* The number of parameters. */
VTA_API uint32_t vtac_func_param_count(const vtac_func *func);
/* The text of a function, zero terminated; free with vta_string_free. VTA_NO_MEMORY; VTA_INVALID_ARGUMENT for a null or
 * an unknown style. */
VTA_API vta_status vtac_func_print(const vtac_func *func, vtac_style style, vta_diag *diag, char **out_text);
/* Checks that a function is well formed (types, definitions before uses, dimensions): for passes under development.
 * VTA_ILLEGAL with one diagnostic for each thing that is wrong (the first twenty). */
VTA_API vta_status vtac_func_verify(const vtac_func *func, vta_diag *diag);

/* ---- The tree of a function ---------------------------------------------------------------------------------
 *
 * For programs that look at loops and stores. Statements, and what they consist of, belong to the function. */

typedef struct vtac_stmt vtac_stmt;

typedef enum vtac_field_type {
    VTAC_FIELD_OTHER,  /* nothing that can be looked at */
    VTAC_FIELD_EXPR,   /* te_expr (te.h); of a range its begin and its extent */
    VTAC_FIELD_STMT,   /* vtac_stmt */
    VTAC_FIELD_AXIS,   /* te_axis */
    VTAC_FIELD_TENSOR, /* te_tensor */
    VTAC_FIELD_TEXT,
    VTAC_FIELD_BUFFER /* its name as text; te_expr, its extents */
} vtac_field_type;

/* A part of a statement. */
typedef struct vtac_field {
    size_t size;      /* of this struct, or 0 */
    const char *name; /* "extent" */
    vtac_field_type type;
    size_t count;             /* of the items; 0: absent */
    const void *const *items; /* of the type; NULL for a text */
    const char *text;         /* also of the tensor of a "buffer_bind_scope": the buffer that stands for it */
} vtac_field;

/* What a function does. */
VTA_API const vtac_stmt *vtac_func_body(const vtac_func *func);
/* Parameter `index`, a te_expr; NULL beyond the last. */
VTA_API const void *vtac_func_param(const vtac_func *func, uint32_t index);
/* "for", "store", "if", "seq", …; static storage. */
VTA_API const char *vtac_stmt_kind(const vtac_stmt *stmt);
/* The parts of a statement, in their order; VTA_OUT_OF_RANGE beyond the last. */
VTA_API size_t vtac_stmt_fields(const vtac_stmt *stmt);
VTA_API vta_status vtac_stmt_field(const vtac_stmt *stmt, size_t index, vtac_field *out_field);
/* Whether two functions do the same but for the names of their parameters and of what they define. */
VTA_API vta_status vtac_func_equal(const vtac_func *x, const vtac_func *y, vta_diag *diag, bool *out_equal);

VTA_END

#endif
