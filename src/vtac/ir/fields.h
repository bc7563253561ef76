/* stmt.def as data: where in vt_stmt each field lies, so that walking, rewriting and comparing are written once. */
#ifndef VT_IR_FIELDS_H
#define VT_IR_FIELDS_H

#include "ir/node.h"

typedef enum vt__field_type {
    VT__EXPR,
    VT__STMT,
    VT__VAR,
    VT__EXPRS,
    VT__STMTS,
    VT__RANGES,
    VT__BUFFER,
    VT__TENSOR,
    VT__REF,
    VT__ITER,
    VT__ITERS,
    VT__REGIONS,
    VT__BUFFERS,
    VT__NOTES,
    VT__TEXT,
    VT__WORD,
    VT__DTYPE
} vt__field_type;

/* Sets of types, for walks that leave some out: those that hold nothing but expressions, and nothing that changes. */
enum {
    VT__OF_EXPRESSIONS =
        1 << VT__EXPR | 1 << VT__EXPRS | 1 << VT__RANGES | 1 << VT__ITER | 1 << VT__ITERS | 1 << VT__NOTES,
    VT__FIXED = 1 << VT__TENSOR | 1 << VT__TEXT | 1 << VT__WORD | 1 << VT__DTYPE
};
static inline bool vt__is_of(uint32_t types, uint8_t type) { return types >> type & 1; }

typedef struct vt__field {
    uint8_t type;    /* vt__field_type */
    uint16_t offset; /* of the value or the array pointer */
    uint16_t count;  /* of the count of an array; 0: no array */
    const char *name;
} vt__field;

/* All fields, and which is the first of each kind. */
extern const vt__field vt__field_rows[];
extern const uint8_t vt__field_starts[VT_S_COUNT + 1];

/* The fields of a statement kind: from *first up to (not including) *end. */
static inline void vt__fields(vt_stmt_kind kind, const vt__field **out_first, const vt__field **out_end) {
    *out_first = vt__field_rows + vt__field_starts[kind];
    *out_end = vt__field_rows + vt__field_starts[kind + 1];
}

#define VT__AT_CONST(type, s, f) (*(type const *)((const char *)(s) + (f)->offset))
#define VT__N(s, f) (*(const uint32_t *)((const char *)(s) + (f)->count))

#endif
