/* The nodes of the tensor IR: expressions, statements, functions.
 *
 * Nodes are immutable once built and live in the arena of a vt_ctx; they are shared freely and never freed singly. A
 * rewrite that changes nothing returns the same pointer, so "did it change" is a pointer comparison. Make nodes with
 * the constructors of build.h only: they check operand types and compute the hash. */
#ifndef VT_IR_NODE_H
#define VT_IR_NODE_H

#include "base/context.h"
#include "ir/dtype.h"
#include "ir/tag.h"

typedef struct vt_expr vt_expr;
typedef struct vt_expr vt_var; /* an expression of kind VT_E_VAR; two variables are the same when the pointers are */
typedef struct vt_stmt vt_stmt;
typedef struct vt_buffer vt_buffer;
typedef struct vt_tensor vt_tensor;
typedef struct vt_iter vt_iter;
typedef struct vt_func vt_func;
typedef vt_pos vt_span; /* a place in the source text; NULL where a node has none */

typedef enum vt_expr_kind {
#define VT_EXPR(name, text, operands, cls, symbol, prec) VT_E_##name,
#include "ir/expr.def"
#undef VT_EXPR
    VT_E_COUNT
} vt_expr_kind;

typedef enum vt_expr_class {
    VT_CLASS_LEAF,
    VT_CLASS_ARITH,
    VT_CLASS_COMPARE,
    VT_CLASS_LOGIC,
    VT_CLASS_OTHER
} vt_expr_class;

/* The kinds of each class behind one `case`, for switches that treat a class alike: the compiler checks that every
 * kind has its case (-Wswitch-enum), and that no kind has two. */
#define VT_EACH_LEAF                                                                                                   \
    VT_E_VAR:                                                                                                          \
    case VT_E_INT:                                                                                                     \
    case VT_E_FLOAT:                                                                                                   \
    case VT_E_STRING
#define VT_EACH_ARITH                                                                                                  \
    VT_E_ADD:                                                                                                          \
    case VT_E_SUB:                                                                                                     \
    case VT_E_MUL:                                                                                                     \
    case VT_E_DIV:                                                                                                     \
    case VT_E_MOD:                                                                                                     \
    case VT_E_FLOORDIV:                                                                                                \
    case VT_E_FLOORMOD:                                                                                                \
    case VT_E_MIN:                                                                                                     \
    case VT_E_MAX
#define VT_EACH_COMPARE                                                                                                \
    VT_E_EQ:                                                                                                           \
    case VT_E_NE:                                                                                                      \
    case VT_E_LT:                                                                                                      \
    case VT_E_LE:                                                                                                      \
    case VT_E_GT:                                                                                                      \
    case VT_E_GE
#define VT_EACH_LOGIC                                                                                                  \
    VT_E_AND:                                                                                                          \
    case VT_E_OR:                                                                                                      \
    case VT_E_NOT
#define VT_EACH_OTHER                                                                                                  \
    VT_E_SELECT:                                                                                                       \
    case VT_E_CAST:                                                                                                    \
    case VT_E_LOAD:                                                                                                    \
    case VT_E_PLOAD:                                                                                                   \
    case VT_E_CALL:                                                                                                    \
    case VT_E_LET:                                                                                                     \
    case VT_E_RAMP:                                                                                                    \
    case VT_E_BROADCAST:                                                                                               \
    case VT_E_REDUCE

typedef struct vt_expr_info {
    const char *text;
    int8_t operands; /* -1: varies */
    uint8_t cls;     /* vt_expr_class */
    uint8_t precedence;
    const char *symbol;
} vt_expr_info;

extern const vt_expr_info vt_expr_infos[VT_E_COUNT];

typedef enum vt_stmt_kind {
#define VT_STMT(name, text, member) VT_S_##name,
#define VT_FIELD(name, member, field, type)
#include "ir/stmt.def"
#undef VT_STMT
#undef VT_FIELD
    VT_S_COUNT
} vt_stmt_kind;

typedef enum vt_op {
#define VT_OP(name, text, script, arity, effect) VT_OP_##name,
#include "ir/op.def"
#undef VT_OP
    VT_OP_COUNT
} vt_op;

typedef enum vt_effect {
    VT_EFFECT_PURE,
    VT_EFFECT_ANNOTATE,
    VT_EFFECT_READ,
    VT_EFFECT_UPDATE,
    VT_EFFECT_CONTROL
} vt_effect;

typedef struct vt_op_info {
    const char *name;   /* "tir.likely" */
    const char *script; /* "likely" */
    int8_t arity;       /* -1: varies */
    uint8_t effect;     /* vt_effect */
} vt_op_info;

extern const vt_op_info vt_op_infos[VT_OP_COUNT];
/* By full or by script name; VT_OP_COUNT when there is none. */
vt_op vt_op_find(const char *name);

typedef enum vt_iter_type {
#define VT_ITER_TYPE(name, text) VT_ITER_##name,
#include "ir/enums.def"
#undef VT_ITER_TYPE
} vt_iter_type;

typedef enum vt_for_kind {
#define VT_FOR_KIND(name, text) VT_FOR_##name,
#include "ir/enums.def"
#undef VT_FOR_KIND
} vt_for_kind;

typedef enum vt_ref_kind {
#define VT_REF_KIND(name, text) VT_REF_##name,
#include "ir/enums.def"
#undef VT_REF_KIND
} vt_ref_kind;

const char *vt_iter_type_text(vt_iter_type type);
const char *vt_for_kind_text(vt_for_kind kind);
const char *vt_stmt_kind_text(vt_stmt_kind kind);

/* A half-open interval of integers: min, min + extent. */
typedef struct vt_range {
    const vt_expr *min;
    const vt_expr *extent;
} vt_range;

/* What a variable is, beside its dtype. A pointer variable has dtype handle. */
typedef struct vt_var_info {
    const char *name;
    uint32_t id; /* unique in the context, in order of creation */
    bool size;   /* a shape: never negative */
    bool scalar; /* a parameter that is a number */
    bool pointer;
    vt_dtype elem;     /* of a pointer */
    const char *scope; /* of a pointer: "global", "local.acc_buffer", ...; "" when not given */
} vt_var_info;

/* How a reduction combines: result[k] computes from lhs[] and rhs[], identity[k] is where it starts. */
typedef struct vt_combiner {
    uint32_t n;
    const vt_var *const *lhs;
    const vt_var *const *rhs;
    const vt_expr *const *result;
    const vt_expr *const *identity;
    uint32_t n_outer;
    const vt_var *const *outer; /* what results and identities use besides lhs and rhs: axes around the reduction */
} vt_combiner;

typedef struct vt_reduce {
    const vt_combiner *combiner;
    uint32_t n_axes;
    const vt_iter *const *axes;
    uint32_t value_index;
    uint32_t n_sources;
    bool has_init; /* then n_sources initial values follow the sources in the operands; the condition is last */
} vt_reduce;

struct vt_expr {
    vt_tag tag;
    uint8_t kind; /* vt_expr_kind */
    vt_dtype dtype;
    uint32_t hash; /* structural: equal expressions (vt_expr_equal) have equal hashes */
    uint32_t n;    /* operands */
    const vt_span *span;
    union {
        int64_t i;               /* INT; also uint64 as its bits */
        double f;                /* FLOAT */
        const char *s;           /* STRING */
        const vt_var_info *var;  /* VAR */
        const vt_var *let_var;   /* LET */
        const vt_buffer *buffer; /* LOAD */
        const vt_tensor *tensor; /* PLOAD */
        vt_op op;                /* CALL */
        const vt_reduce *reduce; /* REDUCE */
    } u;
    const vt_expr *a[]; /* operands */
};

/* An annotation or attribute: values are INT, FLOAT, STRING expressions (or any other). */
typedef struct vt_note {
    const char *key;
    const vt_expr *value;
} vt_note;

/* An iteration axis. Identity is the pointer. */
struct vt_iter {
    vt_tag tag;
    const vt_var *var;
    const vt_expr *min; /* both NULL: domain not known yet */
    const vt_expr *extent;
    vt_iter_type type;
    const char *thread_tag; /* "" when none */
};

/* Flat or shaped memory reached by LOAD and STORE. Identity is the pointer. */
struct vt_buffer {
    vt_tag tag;
    const char *name;
    const vt_var *data; /* pointer variable; its info has the scope */
    vt_dtype dtype;
    uint32_t ndim;
    const vt_expr *const *shape;
    uint32_t n_strides; /* 0 (compact) or ndim */
    const vt_expr *const *strides;
    const vt_expr *elem_offset;
    int32_t data_alignment; /* bytes */
    int32_t offset_factor;  /* of elem_offset; 1 when nothing is known */
};

/* A tensor of the te layer, as PLOAD, PSTORE and REALIZE name it. Identity is the pointer: te makes
 * one for each output of an operation. */
struct vt_tensor {
    vt_tag tag;
    const char *name;
    vt_dtype dtype;
    uint32_t ndim;
    const vt_expr *const *shape;
    const void *op; /* the te operation that makes it; opaque here */
    uint32_t value_index;
};

/* What an attribute statement is about. */
typedef struct vt_ref {
    vt_ref_kind kind;
    union {
        const void *any;
        const vt_var *var;
        const vt_iter *iter;
        const vt_tensor *tensor;
        const void *op;
        const vt_buffer *buffer; /* also the first of a PAIR */
        const char *string;
    } u;
    const vt_tensor *second; /* the second of a PAIR */
} vt_ref;

/* A part of a buffer that a block reads or writes. */
typedef struct vt_region {
    const vt_buffer *buffer;
    uint32_t n_ranges;
    const vt_range *ranges;
} vt_region;

struct vt_stmt {
    vt_tag tag;
    uint8_t kind; /* vt_stmt_kind */
    const vt_span *span;
    union {
        struct {
            const vt_var *var;
            const vt_expr *value;
            const vt_stmt *body;
        } let;
        struct {
            vt_ref node;
            const char *key;
            const vt_expr *value;
            const vt_stmt *body;
        } attr;
        struct {
            const vt_expr *condition;
            const vt_expr *message;
            const vt_stmt *body; /* may be NULL */
        } assertion;
        struct {
            const vt_var *var;
            const vt_expr *min;
            const vt_expr *extent;
            uint32_t kind;         /* vt_for_kind */
            const vt_iter *thread; /* of a thread binding, else NULL */
            uint32_t n_notes;
            const vt_note *notes;
            const vt_stmt *body;
        } loop;
        struct {
            const vt_var *var; /* pointer variable; its info has the scope */
            vt_dtype dtype;
            uint32_t n_extents;
            const vt_expr *const *extents;
            const vt_expr *condition; /* true, as a rule */
            uint32_t n_notes;
            const vt_note *notes;
            const vt_stmt *body;
        } alloc;
        struct {
            const vt_buffer *buffer;
            const vt_expr *value;
            uint32_t n_indices;
            const vt_expr *const *indices;
        } store;
        struct {
            const vt_tensor *tensor;
            const vt_expr *value;
            uint32_t n_indices;
            const vt_expr *const *indices;
        } pstore;
        struct {
            const vt_tensor *tensor;
            uint32_t n_bounds;
            const vt_range *bounds;
            const vt_expr *condition; /* true, as a rule */
            const char *scope;        /* "" until it is known */
            const vt_stmt *body;
        } realize;
        struct {
            uint32_t n_items;
            const vt_stmt *const *items; /* never a SEQ in a SEQ */
        } seq;
        struct {
            const vt_expr *condition;
            const vt_stmt *then_case;
            const vt_stmt *else_case; /* may be NULL */
        } branch;
        struct {
            const vt_expr *value;
        } eval;
        struct { /* the form of create_prim_func's text: iters bound to values, what is read and written */
            const char *name;
            uint32_t n_iters;
            const vt_iter *const *iters;
            uint32_t n_bindings; /* = n_iters */
            const vt_expr *const *bindings;
            uint32_t n_reads;
            const vt_region *reads;
            uint32_t n_writes;
            const vt_region *writes;
            uint32_t n_allocs;
            const vt_buffer *const *allocs;
            const vt_stmt *init; /* may be NULL */
            const vt_stmt *body;
        } block;
    } u;
};

/* A parameter and what it stands for. */
typedef struct vt_binding {
    const vt_var *param;          /* handle, one of the function's params */
    const vt_buffer *buffer;      /* flat one after storage flattening, else the shaped one */
    const vt_buffer *unflattened; /* the shaped one after storage flattening, else NULL */
    const vt_tensor *tensor;      /* before storage flattening: the tensor that PLOAD and PSTORE name; else NULL */
} vt_binding;

/* A function. Passes copy it and change the copy (vt_func_with_body). */
struct vt_func {
    const char *name; /* what it is bound to in its module: "main" */
    uint32_t n_params;
    const vt_var *const *params;
    uint32_t n_bindings;
    const vt_binding *bindings; /* in the order of params */
    uint32_t n_attrs;
    const vt_note *attrs; /* sorted by key */
    const vt_stmt *body;
    vt_dtype result; /* VT_VOID_T as a rule */
};

/* An expression that is the constant `value`? */
static inline bool vt_is_const(const vt_expr *e, int64_t value) { return e->kind == VT_E_INT && e->u.i == value; }
/* The constant of an INT, or of a BROADCAST of one. */
static inline bool vt_as_const(const vt_expr *e, int64_t *out_value) {
    if (e->kind == VT_E_BROADCAST) e = e->a[0];
    if (e->kind != VT_E_INT) return false;
    *out_value = e->u.i;
    return true;
}
static inline bool vt_is_call(const vt_expr *e, vt_op op) { return e->kind == VT_E_CALL && e->u.op == op; }
static inline const char *vt_var_name(const vt_var *v) { return v->u.var->name; }
static inline const char *vt_buffer_scope(const vt_buffer *b) {
    return b->data->u.var->scope[0] ? b->data->u.var->scope : "global";
}
/* Statement that does nothing: EVAL of a constant, or an empty SEQ. */
bool vt_stmt_is_nop(const vt_stmt *s);

#endif
