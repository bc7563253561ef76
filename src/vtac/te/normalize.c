/* A schedule made ready for lowering: inlined stages dissolved into their consumers, loops that stages are computed at
 * followed through splits and fusions, every root axis rebased to zero. */
#include "te/expr.h"
#include "te/group.h"
#include "te/scan.h"

/* ---- Renaming what stages read ---- */

struct te__replacing {
    vt_ctx *ctx;
    vt_ptrmap *map; /* tensor -> the tensor that now stands for it */
};

te__replacing *te__replacing_new(vt_ctx *ctx) {
    te__replacing *r = VT_NEW(ctx, te__replacing);
    *r = (te__replacing){ctx, vt_ptrmap_new(ctx)};
    return r;
}

void te__replacing_op(te__replacing *r, const vt_operation *from, const vt_operation *to) {
    for (uint32_t k = 0; k < from->n_outputs; k++) {
        for (uint32_t i = 0; i < vt_ptrmap_size(r->map); i++) /* what had become `from` becomes `to` */
            if (vt_ptrmap_value(r->map, i) == from->outputs[k])
                vt_ptrmap_set(r->map, vt_ptrmap_key(r->map, i), to->outputs[k]);
        vt_ptrmap_set(r->map, from->outputs[k], to->outputs[k]);
    }
}

void te__replace_dataflow(te_schedule *s, te__replacing *r) {
    for (uint32_t i = 0; i < s->n_stages; i++) {
        te_stage *st = s->stages[i];
        const vt_operation *op = te__replace_inputs(r->ctx, st->op, r->map);
        if (op == st->op) continue;
        te__replacing_op(r, st->op, op);
        st->op = op;
    }
}

/* ---- Inlining ---- */

typedef struct inliner {
    vt_ctx *ctx;
    const vt_operation *op;
} inliner;

static const vt_expr *inline_load(void *user, const vt_expr *e) {
    inliner *in = user;
    if (e->kind != VT_E_PLOAD || te__op(e->u.tensor) != in->op) return e;
    vt_varmap *values = vt_varmap_new(in->ctx);
    for (uint32_t i = 0; i < e->n; i++) vt_varmap_set(values, in->op->iters[i]->var, e->a[i]);
    return vt_substitute(in->ctx, in->op->bodies[0], values);
}

static void inline_into(te_context *c, te_stage *st, const vt_operation *inlined, te__replacing *r) {
    vt_ctx *ctx = &c->ctx;
    if (st->op->placeholder) return;
    inliner in = {ctx, inlined};
    bool changed = false;
    const vt_expr **bodies = VT_NEW_ARRAY(ctx, const vt_expr *, st->op->n_outputs);
    for (uint32_t k = 0; k < st->op->n_outputs; k++) {
        bodies[k] = vt_expr_rewrite(ctx, st->op->bodies[k], inline_load, &in);
        changed |= bodies[k] != st->op->bodies[k]; /* what has nothing to inline is the same */
    }
    if (!changed) return;
    for (uint32_t k = 0; k < st->op->n_outputs; k++) te__measure(c, bodies[k]); /* a chain of x + x doubles each time */
    const vt_operation *op = te__with_bodies(ctx, st->op, bodies);
    te__replacing_op(r, st->op, op);
    st->op = op;
}

static void inline_stages(te_schedule *s) {
    vt_ctx *ctx = &s->c->ctx;
    for (uint32_t i = s->n_stages; i > 0; i--) {
        te_stage *st = s->stages[i - 1];
        if (st->attach != TE__INLINE) continue;
        st->attach = TE__INLINED;
        te__replacing *r = te__replacing_new(ctx);
        for (uint32_t j = i; j < s->n_stages; j++) inline_into(s->c, s->stages[j], st->op, r);
        te__replace_dataflow(s, r);
    }
}

/* ---- Loops that stages are computed at ---- */

/* The innermost of the loops that an axis became by splits and fusions; NULL when none is left. There all of its parts
 * are known, so that what is computed holds what one of its values needs. */
static const vt_iter *loop_now(vt_ctx *ctx, const te_stage *st, const vt_iter *axis) {
    vt_ptrmap *made = vt_ptrmap_new(ctx);
    vt_ptrmap_set(made, axis, axis);
    for (uint32_t i = 0; i < st->n_relations; i++) {
        const te__relation *r = &st->relations[i];
        if (r->kind == TE__FUSE && (vt_ptrmap_has(made, r->outer) || vt_ptrmap_has(made, r->inner)))
            vt_ptrmap_set(made, r->parent, axis);
        if ((r->kind == TE__SPLIT || r->kind == TE__LIST) && vt_ptrmap_has(made, r->parent)) {
            vt_ptrmap_set(made, r->outer, axis);
            vt_ptrmap_set(made, r->inner, axis);
        }
    }
    for (uint32_t i = st->leaf.n; i > 0; i--)
        if (vt_ptrmap_has(made, st->leaf.items[i - 1])) return st->leaf.items[i - 1];
    return NULL;
}

/* A stage computed at a loop that was split or fused later is computed at what became of it. */
static void follow_loops(te_schedule *s) {
    for (uint32_t i = 0; i < s->n_stages; i++) {
        te_stage *st = s->stages[i];
        if (st->attach != TE__AT) continue;
        const vt_iter *now = loop_now(&s->c->ctx, st->at_stage, st->at_axis);
        if (now) st->at_axis = now;
    }
}

/* ---- Rebasing ---- */

static void rebase(vt_ctx *ctx, te_schedule *s, te_stage *st, const vt_iter *axis) {
    uint32_t at = te__iters_find(&st->leaf, axis);
    const te__axis_attr *attr = te__attr(st, axis);
    if (at == st->leaf.n || (attr && attr->thread)) return;
    const vt_iter *fresh = vt_iter_new(ctx, vt_var_copy(ctx, axis->var, ""), NULL, NULL, axis->type, "");
    vt_grow(ctx, &st->relations, &st->cap_relations, st->n_relations + 1, sizeof *st->relations);
    st->relations[st->n_relations++] = (te__relation){.kind = TE__REBASE, .parent = axis, .inner = fresh};
    if (attr) {
        te__axis_attr copy = *attr;
        copy.axis = fresh;
        *te__attr_for(ctx, st, fresh) = copy;
    }
    st->leaf.items[at] = fresh;
    for (uint32_t i = 0; i < s->n_stages; i++)
        if (s->stages[i]->attach == TE__AT && s->stages[i]->at_axis == axis) s->stages[i]->at_axis = fresh;
}

te_schedule *te__normalize(te_schedule *s) {
    te_schedule *copy = te__schedule_copy(s);
    vt_ctx *ctx = &s->c->ctx;
    te__place_groups(copy);
    inline_stages(copy);
    te__place_scans(copy);
    follow_loops(copy);
    for (uint32_t i = 0; i < copy->n_stages; i++) {
        te_stage *st = copy->stages[i];
        if (st->attach == TE__INLINED) continue;
        for (uint32_t j = 0; j < st->op->n_axes + st->op->n_reduce; j++) rebase(ctx, copy, st, st->op->iters[j]);
    }
    return copy;
}
