/* The state of writing one C file. Folder-private; files c_*.c share it. */
#ifndef VT_CODEGEN_C_H
#define VT_CODEGEN_C_H

#include "codegen/prepare.h"
#include "ir/visit.h"

enum { VT__C_DEPTH = 8 };

/* A workspace that the function at `depth` frees. */
typedef struct vt__c_scratch {
    struct vt__c_scratch *outer;
    const char *name;
    int32_t device;
    uint32_t depth;
} vt__c_scratch;

typedef struct vt__c {
    vt_ctx *ctx;
    const vt_codegen_job *job;
    vt_strbuf types;             /* structs, declarations of what is called */
    vt_strbuf helpers;           /* small inline functions, each once */
    vt_strbuf functions;         /* finished functions */
    vt_strbuf body[VT__C_DEPTH]; /* the function being written, and those around it */
    uint32_t depth, indent[VT__C_DEPTH];
    const vt__entry *entry;
    uint32_t outlined;
    vt_kernels kernels;
    bool in_parallel;
    struct vt__c_scratch *scratch; /* workspaces that are allocated here, innermost first */
    vt_ptrmap *names;              /* variable to its name in C */
    const char **used;             /* names taken in this kernel */
    uint32_t n_used, cap_used;
    const char **declared; /* helpers and declarations that were written */
    uint32_t n_declared, cap_declared;
} vt__c;

/* A line of the function being written, indented. */
void vt__c_line(vt__c *c, const char *fmt, ...) VTA_PRINTF(2, 3);
void vt__c_indent(vt__c *c, int32_t by);
/* The first time it is asked about this name? */
bool vt__c_first(vt__c *c, const char *name);
/* A variable's name: its own, made an identifier and unique in the kernel. */
const char *vt__c_name(vt__c *c, const vt_var *v);
/* The C type of a value ("int32_t", "void *"), of one lane for vectors. */
const char *vt__c_type(vt__c *c, vt_dtype t);
/* The type of a variable as it is declared: pointers to elements. */
const char *vt__c_var_type(vt__c *c, const vt_var *v);
/* A string literal with its quotes. */
const char *vt__c_quoted(vt__c *c, const char *text);

/* c_expr.c: an expression whose value nobody looks at. */
const char *vt__c_effect(vt__c *c, const vt_expr *e);
/* c_expr.c: a scalar expression, or lane `lane` (a C expression) of a vector. The text lives in the arena. */
const char *vt__c_expr(vt__c *c, const vt_expr *e, const char *lane);
const vt_expr *vt__c_flat_index(vt__c *c, const vt_buffer *b, uint32_t n, const vt_expr *const *indices);
/* Raises VTA_UNSUPPORTED for a buffer whose elements are vectors. */
void vt__c_refuse_vectors(vt__c *c, const vt_buffer *b);
/* c_stmt.c */
void vt__c_stmt(vt__c *c, const vt_stmt *s);
/* Starts a function inside the one being written, and ends it: the finished text goes before the outer one's. */
void vt__c_begin(vt__c *c, const char *head);
void vt__c_end(vt__c *c);
/* c_entry.c: one kernel: body and packed entry. */
void vt__c_kernel(vt__c *c, const vt_codegen_func *cf, const char *symbol);

#endif
