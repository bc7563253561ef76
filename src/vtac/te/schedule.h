/* Schedules: stages, their axes and the relations between these. */
#ifndef VT_TE_SCHEDULE_H
#define VT_TE_SCHEDULE_H

#include "te/operation.h"

typedef enum te__relation_kind { TE__SPLIT, TE__LIST, TE__FUSE, TE__REBASE, TE__SINGLETON } te__relation_kind;

/* SPLIT: parent into outer, inner by factor or nparts (the other NULL). LIST: into parts of the sizes, which factor is
 * the largest of. FUSE: outer, inner into parent. REBASE: parent is inner + its min. SINGLETON: inner alone. */
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
    te_group *group;      /* the innermost that it belongs to; NULL: none */
    const te_stage *scan; /* the one that it is part of; set by te__place_scans */
    te__iters path;       /* the loops (and their threads) around it, innermost first; set by bound inference */
};

struct te_schedule {
    vt_tag tag;
    te_context *c;
    te_stage **stages; /* producers first */
    uint32_t n_stages, cap_stages;
    te_group **groups;
    uint32_t n_groups, cap_groups;
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
/* The names of its loops, for messages. */
const char *te__leaf_names(vt_ctx *ctx, const te_stage *st);
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
/* Has each of the threads its own part of the stage's memory? */
bool te__kept_by_thread(const te_stage *st, const vt_iter *thread);
/* Is a thread axis one of virtual threads, which lowering makes loops of, and not of a graphics processor's? */
bool te__is_virtual(const vt_iter *thread);

#endif
