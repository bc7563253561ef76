/* What the files of this folder share. */
#ifndef VT_TE_PRIV_H
#define VT_TE_PRIV_H

#include "arith/intset.h"
#include "ir/attr.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/visit.h"
#include "te/te.h"
#include "vta/te_stmt.h"

/* ---- Context ---- */

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
    vt_pos pos; /* of what is made now; the file name is in the arena */
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

/* ---- Public calls ---- */

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
    _Generic((node),                                                                                                   \
        const vt_expr *: te__expr_out,                                                                                 \
        const vt_iter *: te__axis_out,                                                                                 \
        const vt_tensor *: te__tensor_out)(node)

/* Handles as nodes; they leave as te__need_a does. */
const vt_expr *te__expr_in(te_context *c, const te_expr *e, const char *what);
const vt_iter *te__axis_in(te_context *c, const te_axis *axis, const char *what);
const vt_tensor *te__tensor_in(te_context *c, const te_tensor *t, const char *what);
const vt_expr *const *te__exprs_in(te_context *c, size_t n, te_expr *const *list, const char *what);
const vt_iter *const *te__axes_in(te_context *c, size_t n, te_axis *const *list, const char *what);

/* ---- Operations ---- */

typedef struct vt_operation vt_operation;

/* A scan: result k is `states[k]` inside of its body, begins with `first` rows and goes on with what updates[k] computes. */
typedef struct te__scan {
    uint32_t n;
    const vt_tensor *const *states;
    const vt_tensor *const *inits, *const *nexts;
    const vt_operation **updates; /* of `nexts` */
    const vt_iter *const **columns; /* for each result its axes but the first */
    int64_t first;
    uint32_t n_body;
    const vt_operation *const *body; /* what depends on a state, and the updates; producers first */
    uint32_t n_needed;
    const vt_tensor *const *needed; /* what the body reads from outside of it, and the first rows */
} te__scan;

/* What statements compute: `body`, in which buffers stand for parts of tensors; of a reduction `reset` before, and `update`
 * at each point (where there is no reset: `body` at the first point). */
typedef struct te__extern {
    uint32_t n_inputs;
    const vt_buffer *const *in, *const *out;
    const vt_expr *const *const *extents; /* of the part of each input */
    const vt_stmt *body, *reset, *update;
    bool intrinsic; /* what they do is known from outside, so that nothing holds back what stands around them */
} te__extern;

struct vt_operation {
    te_context *c;
    bool placeholder;
    const char *name;
    const char *tag;
    vt_pos pos; /* of the call that made it */
    uint32_t n_axes, n_reduce;
    const vt_iter *const *iters; /* data axes, then reduce axes */
    uint32_t n_outputs;
    const vt_expr *const *bodies; /* none for a placeholder */
    const vt_tensor *const *outputs;
    uint32_t n_inputs;
    const vt_tensor *const *inputs; /* what the bodies read, in order of first use */
    const te__scan *scan;           /* NULL: none. Its axis is the one of the rows; bodies have those of columns too */
    const te__extern *external;     /* NULL: none. Its bodies are calls that read one element of each input */
};

/* One pointer for a tensor: two vt_tensor of one output have the same. */
static inline const void *te__tensor_key(const vt_tensor *t) {
    return ((const vt_operation *)t->op)->outputs[t->value_index];
}

static inline const vt_operation *te__op(const vt_tensor *t) { return t->op; }
/* Raises when an operation belongs to a context that `c` does not use. */
void te__need_context(te_context *c, const vt_operation *op);
/* Makes a computation. Raises when bodies are not a legal computation. The reduce axes are those of a reduction. */
const vt_operation *te__compute(te_context *c, const char *name, const char *tag, uint32_t n_axes,
                                const vt_iter *const *axes, uint32_t n_bodies, const vt_expr *const *bodies);
/* An operation with these fields (those of a scan or of statements); its results have the shapes of `like`. */
const vt_operation *te__operation_like(te_context *c, const vt_operation *fields, const vt_tensor *const *like);
/* Raises for a variable in its bodies that is neither of its axes nor a scalar. */
void te__check_variables(te_context *c, const vt_operation *op);
/* The same computation with other bodies, which are taken as they are. */
const vt_operation *te__with_bodies(vt_ctx *ctx, const vt_operation *op, const vt_expr *const *bodies);
/* The operation with other tensors read; the same pointer when it reads none of the keys of `map` (tensor -> tensor,
 * looked up by te__tensor_key). */
const vt_operation *te__replace_inputs(vt_ctx *ctx, const vt_operation *op, const vt_ptrmap *map);
/* Raises when a computation of a schedule in normal form, over the ranges that bound inference found, surely reads an
 * element that a tensor does not have. */
void te__check_reads(const te_schedule *s, const vt_ptrmap *ranges);
/* Raises when an expression is nested so deeply, or shares parts so often, that walking it as a tree would not end. */
void te__measure(te_context *c, const vt_expr *e);
/* Checks the number of indices. */
const vt_expr *te__load(te_context *c, const vt_tensor *t, uint32_t n, const vt_expr *const *indices);
/* A number written without a type: int32, int64 beyond its range; float32, float64 beyond its range. */
const vt_expr *te__number(te_context *c, int64_t value);
const vt_expr *te__real(te_context *c, double value);
const vt_expr *te__cast(te_context *c, vt_dtype t, const vt_expr *e);
const vt_expr *te__apply(te_context *c, te_op op, const vt_expr *const *operands);
/* `start` may be NULL: then the reduction starts at its identity. */
const vt_expr *te__reduce(te_context *c, te_reduction kind, const vt_expr *value, const vt_expr *start, uint32_t n,
                          const vt_iter *const *axes);
const vt_iter *te__axis(te_context *c, const char *name, const vt_expr *min, const vt_expr *extent, bool reduce);
const vt_tensor *te__pad(te_context *c, const vt_tensor *x, const char *name, const int64_t *before,
                         const int64_t *after, double value);
int64_t te__extent(const vt_iter *axis); /* -1: no constant */
/* Has each of the threads its own part of the stage's memory? */
bool te__kept_by_thread(const te_stage *st, const vt_iter *thread);
/* Is a thread axis one of virtual threads, which lowering makes loops of, and not of a graphics processor's? */
bool te__is_virtual(const vt_iter *thread);

/* ---- Schedules ---- */

typedef enum te__relation_kind { TE__SPLIT, TE__LIST, TE__FUSE, TE__REBASE, TE__SINGLETON } te__relation_kind;

/* SPLIT: parent into outer, inner by factor or nparts (the other NULL). LIST: into parts of the sizes, which factor is the
 * largest of. FUSE: outer, inner into parent.
 * REBASE: parent is inner + its min. SINGLETON: inner alone. */
typedef struct te__relation {
    te__relation_kind kind;
    const vt_iter *parent, *outer, *inner;
    const vt_expr *factor, *nparts;
    uint32_t n_sizes;
    const int64_t *sizes;
} te__relation;

typedef struct te__pragma {
    const char *name;
    const vt_expr *value;
    vt_pos pos; /* of the call that made it */
} te__pragma;

typedef struct te__axis_attr {
    const vt_iter *axis;
    vt_iter_type type; /* VT_ITER_DATA_PAR: nothing given */
    const vt_iter *thread;
    te_intrin *intrin;
    vt_pos intrin_pos; /* where tensorize was called */
    uint32_t n_pragmas, cap_pragmas;
    te__pragma *pragmas;
    int64_t align_factor, align_offset;
} te__axis_attr;

typedef enum te__attach { TE__ROOT, TE__INLINE, TE__INLINED, TE__AT } te__attach;

typedef struct te__iters {
    const vt_iter **items;
    uint32_t n, cap;
} te__iters;

struct te_stage {
    vt_tag tag;
    te_schedule *schedule;
    const vt_operation *op;
    const vt_operation *origin; /* as the user knows it */
    te__iters all, leaf;
    te__relation *relations;
    uint32_t n_relations, cap_relations;
    te__axis_attr *attrs;
    uint32_t n_attrs, cap_attrs;
    te__attach attach;
    te_stage *at_stage;
    const vt_iter *at_axis;
    vt_pos at_pos;     /* where compute_at was called */
    const char *scope; /* "" until it is set */
    bool is_output;
    const te_stage *scan; /* the one that it is part of; set by te__place_scans */
    te__iters path; /* the loops (and their threads) around it, innermost first; set by bound inference */
};

struct te_schedule {
    vt_tag tag;
    te_context *c;
    te_stage **stages; /* producers first */
    uint32_t n_stages, cap_stages;
};

te_stage *te__stage_new(te_schedule *s, const vt_operation *op);
void te__stage_insert(te_schedule *s, uint32_t at, te_stage *st);
te_stage *te__stage_of(const te_schedule *s, const vt_operation *op); /* NULL when there is none */
uint32_t te__stage_index(const te_schedule *s, const te_stage *st);
te_schedule *te__schedule_copy(te_schedule *s);
void te__iters_insert(vt_ctx *ctx, te__iters *list, uint32_t at, const vt_iter *axis);
void te__iters_reset(vt_ctx *ctx, te_stage *st); /* to the operation's own axes, no relations */
/* Position in a list; its length when absent. */
uint32_t te__iters_find(const te__iters *list, const vt_iter *axis);
const te__axis_attr *te__attr(const te_stage *st, const vt_iter *axis); /* NULL when there is none */
te__axis_attr *te__attr_for(vt_ctx *ctx, te_stage *st, const vt_iter *axis);
const char *te__scope(te_context *c, const char *scope);
/* The stage made ready for lowering: a copy with inlining done and every root axis rebased to start at zero. */
te_schedule *te__normalize(te_schedule *s);
/* Replaces what all stages read, following renamings transitively. */
typedef struct te__replacing te__replacing;
te__replacing *te__replacing_new(vt_ctx *ctx);
void te__replacing_op(te__replacing *r, const vt_operation *from, const vt_operation *to);
void te__replace_dataflow(te_schedule *s, te__replacing *r);
/* Runs what changes what stages compute, with space for one stage more; when it fails every stage computes what it did
 * before. Leaves then. */
void te__change_all(te_schedule *s, vta_status (*change)(vt_ctx *ctx, void *arg), void *arg);
/* The stage of a tensor that is known from outside; raises. */
te_stage *te__stage_for(te_context *c, const te_schedule *s, const te_tensor *tensor, const char *step);

/* ---- Scans ---- */

bool te__scan_has_state(const te__scan *scan, const vt_tensor *t);
bool te__scan_has_update(const te__scan *scan, const vt_operation *op);
/* Puts what scans need of their states into their loops. Raises when the loops of one are not in order. */
void te__place_scans(te_schedule *s);
/* The first row that an operation inside of a scan is computed for; false where it is in none. */
bool te__scan_begins(const te_schedule *s, const vt_operation *op, int64_t *out_first);
/* Does the placeholder stand for what a scan of the schedule has computed so far? */
bool te__is_state(const te_schedule *s, const vt_operation *op);
const vt_stmt *te__scan_stores(vt_ctx *ctx, const vt_operation *op);
const vt_stmt *te__scan_guard(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, const vt_stmt *s);

/* ---- Statements made by hand ---- */

const vt_buffer *te__buffer_in(te_context *c, const te_buffer *b, const char *what);
te_buffer *te__buffer_out(const vt_buffer *b);
const vt_stmt *te__stmt_in(te_context *c, const vtac_stmt *s, const char *what);
const vtac_stmt *te__stmt_out(const vt_stmt *s);
/* One index for each dimension; the last may be a vector. */
const vt_expr *const *te__indices_in(te_context *c, const vt_buffer *b, size_t n, te_expr *const *list);
/* How many elements it has. */
const vt_expr *te__elements(vt_ctx *ctx, const vt_buffer *b);
/* tvm_access_ptr of an element, as a value of type `t`; `offset` may be NULL. */
const vt_expr *te__access(te_context *c, vt_dtype t, const vt_buffer *b, const char *access, const vt_expr *offset);
/* Raises for a free variable that is neither of the buffers nor a scalar. */
void te__check_statement(te_context *c, const char *name, const vt_stmt *s, uint32_t n, const vt_buffer *const *buffers);
/* Has the buffer the type, and the extents of the last dimensions of a part, those before being 1? Variables fit anything. */
bool te__stands_for(te_context *c, const vt_buffer *b, vt_dtype t, uint32_t ndim, const vt_expr *const *extents);
/* Raises unless the buffer has the shape and type of the tensor that it is to stand for. */
void te__check_pair(te_context *c, const char *name, const vt_buffer *b, const vt_tensor *t);
/* The buffer stands for the whole tensor in the body. */
const vt_stmt *te__bind_whole(vt_ctx *ctx, const vt_buffer *b, const vt_tensor *t, const vt_stmt *body);

typedef struct te__part {
    const vt_tensor *tensor;
    const vt_expr *const *begin, *const *extents;
} te__part;

typedef struct te__result {
    vt_dtype dtype;
    uint32_t ndim;
    const vt_expr *const *shape;
} te__result;

/* The operation of statements on parts of tensors; fills in what `x` lacks. */
const vt_operation *te__extern_operation(te_context *c, const vt_operation *fields, te__extern *x, const te__part *parts,
                                         const te__result *results);
/* A part of it at one point of the operation's axes, where its buffers are bound; with or without its inputs. */
const vt_stmt *te__extern_statement(vt_ctx *ctx, const vt_operation *op, const vt_stmt *part, bool reads);

/* ---- Bounds and loop nests ---- */

/* Ranges by axis: values are vt_range in the arena. */
static inline const vt_range *te__range(const vt_ptrmap *ranges, const vt_iter *axis) {
    return vt_ptrmap_get(ranges, axis);
}
void te__range_set(vt_ctx *ctx, vt_ptrmap *ranges, const vt_iter *axis, const vt_expr *min, const vt_expr *extent);
/* Inferred range of every axis of every stage of a normalized schedule. */
vt_ptrmap *te__infer_bounds(te_schedule *s);
void te__pass_down_domain(vt_ctx *ctx, const te_stage *st, vt_ptrmap *ranges, vt_analyzer *a, bool allow_missing);
/* Where part `outer` of a list of sizes begins, or how large it is: one value for each part, chosen by its number. A
 * constant where the number is one. */
const vt_expr *te__list_part(vt_ctx *ctx, const te__relation *r, const vt_expr *outer, bool begin);
/* Sets by axis: values are vt_intset in the arena. */
void te__set_put(vt_ctx *ctx, vt_ptrmap *sets, const vt_iter *axis, vt_intset set);
void te__pass_up_domain(vt_analyzer *a, const te_stage *st, const vt_ptrmap *ranges, vt_ptrmap *sets);
/* Values by axis: vt_expr. */
void te__pass_up_index(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, vt_ptrmap *values);
void te__pass_down_index(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, vt_ptrmap *values);
/* Flags by axis, as pointers' integers. */
void te__pass_down_mask(const te_stage *st, vt_ptrmap *masks);
/* Is a loop made of data axes and reduce axes? */
bool te__has_mixed_loops(vt_ctx *ctx, const te_stage *st);
/* The conditions under which a point of the loop nest lies in the domain; *out_n of them. */
const vt_expr **te__bound_checks(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, const vt_ptrmap *values,
                                 bool skip_domain, const vt_ptrmap *skip, uint32_t *out_n);

/* What is read of one tensor: for every read ndim sets. */
typedef struct te__demand {
    const vt_tensor *tensor;
    uint32_t n, cap; /* sets */
    vt_intset *sets;
} te__demand;
/* Adds what `op` reads of the given tensors while its variables run over `domain`. */
void te__demand_of(vt_analyzer *a, const vt_operation *op, const vt_dommap *domain, uint32_t n, te__demand *demands);
/* The same of an operation that consists of statements. */
void te__extern_demand(vt_analyzer *a, const vt_operation *op, const vt_dommap *domain, uint32_t n, te__demand *demands);
/* The union of the sets of one dimension. */
vt_intset te__demand_union(vt_ctx *ctx, const te__demand *demand, uint32_t dim);

/* The statements around a body, outermost first; bodies of the items are not looked at. */
typedef struct te__nest {
    uint32_t n, cap;
    const vt_stmt **items;
} te__nest;
void te__nest_add(vt_ctx *ctx, te__nest *nest, const vt_stmt *s);
const vt_stmt *te__nest_merge(vt_ctx *ctx, const te__nest *nest, const vt_stmt *body);

/* The loops of a computation: level i + 1 has what stands for leaf i; the last level the conditions. */
typedef struct te__loops {
    uint32_t n_levels;                    /* leaves + 1 (+ 1 for the conditions) */
    te__nest *main, *init;                /* init: only of a reduction */
    vt_ptrmap *main_values, *init_values; /* by axis */
    const vt_expr **main_conditions, **init_conditions;
    uint32_t n_main_conditions, n_init_conditions;
    uint32_t common; /* loops that initialization and update share */
} te__loops;
/* apart: initialization and update share no loop, the first stands before the second. */
te__loops *te__make_loops(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, bool apart);
/* Levels [from, to) around a body. */
const vt_stmt *te__wrap(vt_ctx *ctx, const te__nest *levels, uint32_t from, uint32_t to, const vt_stmt *body);
const vt_stmt *te__wrap_conditions(vt_ctx *ctx, const vt_expr *const *conditions, uint32_t n, const vt_stmt *body);
const vt_stmt *te__substitute_axes(vt_ctx *ctx, const vt_stmt *s, const vt_ptrmap *values);
/* What computes a stage: its loops around its stores. */
const vt_stmt *te__make_provide(te_context *c, const te_stage *st, const vt_ptrmap *ranges);
const vt_stmt *te__make_tensorized(te_context *c, const te_stage *st, const vt_ptrmap *ranges);
const char *te__leaf_names(vt_ctx *ctx, const te_stage *st);

/* An expression as the tutorials print it, for messages. */
const char *te__repr(te_context *c, const vt_expr *e);

/* ---- Intrinsics ---- */

struct te_intrin {
    vt_tag tag;
    te_context *c;
    const char *name;
    const vt_operation *op;
    uint32_t n_buffers; /* inputs, then outputs */
    const vt_buffer **buffers;
    te__nest attrs[3]; /* by te_intrin_part */
    te__nest emits[3];
};
te_intrin *te__gemm(te_context *c);
/* A part's statement; NULL when nothing was emitted for it. */
const vt_stmt *te__intrin_part(vt_ctx *ctx, const te_intrin *in, te_intrin_part part);

#endif
