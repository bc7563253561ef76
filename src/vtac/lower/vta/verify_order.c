/* The order in which a micro-kernel's micro-ops are recorded: none writes what one of the two before it writes. */
#include "config/config_priv.h"
#include "lower/vta/verify_kernel.h"

/* Do two micro-ops' destinations differ by a number that does not depend on the kernel's parameters? */
static bool comparable(const vt_kernel *k, const vt_form *x, const vt_form *y) {
    for (uint32_t i = 0; i < k->outer_vars; i++)
        if ((i < x->n ? x->k[i] : 0) != (i < y->n ? y->k[i] : 0)) return false;
    return true;
}

/* The destination of a micro-op, up to the kernel's parameters; false when it cannot be told. */
static bool destination(vt_kernel *k, const vt_stmt *s, vt_recorded *out) {
    const vt_push *now = k->pushes;
    while (now->s != s) now++;
    out->form = k->guarded ? vt__form_of(k->v->path, s->u.eval.value->a[VT_ARG_DST]) : now->dst;
    if (out->form.unknown || out->form.lo != out->form.hi) return false;
    out->dst = out->form.c + out->form.lo;
    for (uint32_t i = k->outer_vars; i < out->form.n; i++) out->dst += out->form.k[i] * k->at[i];
    return true;
}

static void record(vt_kernel *k, const vt_stmt *s) {
    vt_recorded *now = &k->last[k->count % VT_LOOK_BACK];
    if (!destination(k, s, now)) {
        k->symbolic = true;
        return;
    }
    for (uint64_t back = 1; back < VT_LOOK_BACK && back <= k->count; back++) {
        const vt_recorded *before = &k->last[(k->count - back) % VT_LOOK_BACK];
        if (before->dst == now->dst && comparable(k, &before->form, &now->form))
            vt__verify_fail(k->v, VT_RULE_HAZARD, k->scope,
                            vt_new_format(k->v->ctx, "micro-op %llu writes what the one %llu before it writes",
                                          (unsigned long long)k->count, (unsigned long long)back));
    }
    if (++k->count > k->v->config->depth[VTA_MEM_UOP])
        vt__verify_fail(k->v, VT_RULE_KERNEL, k->scope, "it has more micro-ops than the buffer holds");
}

static void follow_loop(vt_kernel *k, const vt_stmt *s) {
    const vt_inner_loop *l = k->inner;
    vt_path *p = k->v->path;
    while (l->s != s) l++;
    if (k->guarded) vt__path_loop(p, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    uint32_t binder = p->n - 1;
    for (int64_t i = l->min; i < l->min + l->extent; i++) {
        k->at[l->index] = i;
        if (k->guarded) vt__path_cut(p, binder, i, i);
        vt__verify_order(k, s->u.loop.body);
    }
    if (k->guarded) vt__path_pop(p);
}

/* The path holds all iterations, for conditions that need them. */
static void follow_branch(vt_kernel *k, const vt_stmt *s) {
    vt_truth t = vt__path_truth(k->v->path, s->u.branch.condition);
    k->symbolic |= t == VT_OPEN;
    if (t == VT_HOLDS) vt__verify_order(k, s->u.branch.then_case);
    if (t == VT_BROKEN && s->u.branch.else_case) vt__verify_order(k, s->u.branch.else_case);
}

static void follow_let(vt_kernel *k, const vt_stmt *s) {
    if (k->guarded) vt__path_let(k->v->path, s->u.let.var, s->u.let.value);
    vt__verify_order(k, s->u.let.body);
    if (k->guarded) vt__path_pop(k->v->path);
}

void vt__verify_order(vt_kernel *k, const vt_stmt *s) {
    if (k->symbolic) return;
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) vt__verify_order(k, s->u.seq.items[i]);
        return;
    case VT_S_FOR: follow_loop(k, s); return;
    case VT_S_IF: follow_branch(k, s); return;
    case VT_S_LET: follow_let(k, s); return;
    case VT_S_ATTR: vt__verify_order(k, s->u.attr.body); return;
    case VT_S_EVAL:
        if (vt_is_call(s->u.eval.value, VT_OP_VTA_UOP_PUSH)) record(k, s);
        return;
    case VT_S_ASSERT:
    case VT_S_ALLOC:
    case VT_S_STORE:
    case VT_S_PSTORE:
    case VT_S_REALIZE:
    case VT_S_BLOCK:
    case VT_S_COUNT: break;
    }
}
