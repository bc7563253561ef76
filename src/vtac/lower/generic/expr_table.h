/* Expressions counted by structure, and the order in which common ones are introduced. */
#ifndef VT_PASS_EXPR_TABLE_H
#define VT_PASS_EXPR_TABLE_H

#include "ir/build.h"

typedef struct vt_expr_row {
    const vt_expr *e;
    uint32_t count;
    uint32_t size;    /* nodes */
    const char *text; /* made when needed to order rows of one size */
} vt_expr_row;

/* Rows, and an index into them by structure. */
typedef struct vt_expr_table {
    vt_ctx *ctx;
    vt_expr_row *rows;
    uint32_t n, cap;
    uint32_t *slots; /* 1 + row number; 0: free */
    uint32_t n_slots;
} vt_expr_table;

vt_expr_table *vt_expr_table_new(vt_ctx *ctx);
vt_expr_row *vt_expr_table_find(const vt_expr_table *t, const vt_expr *e); /* NULL: none */
void vt_expr_table_add(vt_expr_table *t, const vt_expr *e, uint32_t count);
void vt_expr_table_add_all(vt_expr_table *t, const vt_expr_table *other);

/* Rows, the largest first and by text among equals. They may be added to while they are walked. */
typedef struct vt_candidates {
    vt_expr_row *rows;
    uint32_t n, cap;
    vt_expr_table seen;
} vt_candidates;

vt_candidates vt_candidates_of(const vt_expr_table *t);
/* Counts one occurrence of `e`; a new one comes after all that are not smaller. */
void vt_candidates_add(vt_candidates *c, const vt_expr *e);

#endif
