/* Micro-kernels: each is read once, with its loops and its micro-ops. */
#include "lower/vta/verify_kernel.h"

static void add_push(vt_kernel *k, const vt_stmt *s, const vt_expr *e) {
    int64_t mode;
    if (!vt_as_const(e->a[VT_ARG_MODE], &mode) || mode != k->mode)
        vt__verify_fail(k->v, VT_RULE_KERNEL, s, "the micro-op is of another kind than its kernel");
    if (k->open < k->loop_count) vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a micro-op comes after its loops");
    if (!k->first) {
        k->first = e;
        vt__verify_kernel_loops(k);
        vt__verify_operation(k, s, e);
    }
    vt__verify_uop(k, s, e);
    if (k->push_count == VT_KERNEL_UOPS) {
        k->symbolic = true;
        return;
    }
    vt_push *to = &k->pushes[k->push_count++];
    to->s = s;
    to->dst = vt__form_of(k->v->path, e->a[VT_ARG_DST]);
    k->guarded |= to->dst.lo != to->dst.hi; /* it is told one by one */
}

static void begin_loop(vt_kernel *k, const vt_stmt *s, const vt_expr *e) {
    if (k->first) vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a hardware loop begins after a micro-op");
    if (k->loop_count == VT_HARDWARE_LOOPS) vt__verify_fail(k->v, VT_RULE_KERNEL, s, "there is a third hardware loop");
    if (e->n != VT_OPERANDS(VTAUopLoopBegin))
        vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a hardware loop has another number of arguments");
    vt_hardware_loop *l = &k->loops[k->loop_count++];
    k->open++;
    l->extent = e->a[VT_OPERAND(VTAUopLoopBegin, extent)];
    for (int f = 0; f < 3; f++) l->factor[f] = e->a[VT_OPERAND(VTAUopLoopBegin, dst_factor) + f];
}

static void end_loop(vt_kernel *k, const vt_stmt *s) {
    if (!k->open) vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a hardware loop ends that has not begun");
    k->open--;
}

static void call(vt_kernel *k, const vt_stmt *s, const vt_expr *e) {
    if (vt_is_call(e, VT_OP_VTA_UOP_PUSH)) add_push(k, s, e);
    if (VT_IS_RUNTIME(e, VTAUopLoopBegin)) begin_loop(k, s, e);
    if (VT_IS_RUNTIME(e, VTAUopLoopEnd)) end_loop(k, s);
    if (VT_IS_RUNTIME(e, VTALoadBuffer2D) || VT_IS_RUNTIME(e, VTAStoreBuffer2D))
        vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a transfer stands in a micro-kernel");
}

static void read(vt_kernel *k, const vt_stmt *s);

static void read_loop(vt_kernel *k, const vt_stmt *s) {
    vt_path *p = k->v->path;
    int64_t lo, hi;
    vt__path_loop(p, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    bool known = p->n <= VT_PATH_MAX && vt__path_range(p, p->n - 1, &lo, &hi) && k->inner_count < VT_KERNEL_LOOPS;
    if (known) {
        vt_inner_loop *l = &k->inner[k->inner_count++];
        *l = (vt_inner_loop){s, p->binders[p->n - 1].index, lo, hi - lo + 1};
        known = vt_as_const(s->u.loop.min, &lo) && vt_as_const(s->u.loop.extent, &hi);
        l->extent = known ? hi : 0;
    }
    k->symbolic |= !known;
    read(k, s->u.loop.body);
    vt__path_pop(p);
}

static void read(vt_kernel *k, const vt_stmt *s) {
    vt_path *p = k->v->path;
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) read(k, s->u.seq.items[i]);
        return;
    case VT_S_FOR: read_loop(k, s); return;
    case VT_S_LET:
        vt__path_let(p, s->u.let.var, s->u.let.value);
        k->guarded |= p->n <= VT_PATH_MAX && p->binders[p->n - 1].index < VT_FORM_VARS;
        read(k, s->u.let.body);
        vt__path_pop(p);
        return;
    case VT_S_IF:
        k->guarded = true;
        vt__path_if(p, s->u.branch.condition, true);
        read(k, s->u.branch.then_case);
        vt__path_pop(p);
        if (!s->u.branch.else_case) return;
        vt__path_if(p, s->u.branch.condition, false);
        read(k, s->u.branch.else_case);
        vt__path_pop(p);
        return;
    case VT_S_ATTR: read(k, s->u.attr.body); return;
    case VT_S_EVAL: call(k, s, s->u.eval.value); return;
    case VT_S_ASSERT:
    case VT_S_ALLOC:
    case VT_S_STORE:
    case VT_S_PSTORE:
    case VT_S_REALIZE:
    case VT_S_BLOCK:
    case VT_S_COUNT: break;
    }
}

void vt__verify_kernel(vt_verifier *v, const vt_stmt *scope) {
    if (v->stage != VTA_STAGE_COMPUTE)
        vt__verify_fail(v, VT_RULE_STAGE, scope, "a micro-kernel stands in a task of another stage than compute");
    uint32_t vars, undecided = v->undecided;
    if (vt_ptrmap_has(v->kernels, scope)) return; /* the same statement again */
    vt_kernel this_one, *k = &this_one;           /* large: only what is counted is set */
    k->v = v;
    k->scope = scope;
    k->loop_count = k->open = k->push_count = k->inner_count = 0;
    k->first = NULL;
    k->symbolic = k->guarded = false;
    k->count = 0;
    k->outer_vars = v->path->now.vars;
    k->mode = vt_is_text(scope->u.attr.value, VT_PUSH_GEMM) ? VT_KIND_GEMM : VT_KIND_ALU;
    read(k, scope->u.attr.body);
    if (k->open) vt__verify_fail(v, VT_RULE_KERNEL, scope, "a hardware loop does not end");
    if (!k->first) vt__verify_fail(v, VT_RULE_KERNEL, scope, "it has no micro-op");
    vt__verify_order(k, scope->u.attr.body);
    v->undecided += k->symbolic;
    vt_stmt_free_vars(v->ctx, scope->u.attr.body, &vars);
    if (!vars && v->undecided == undecided) vt_ptrmap_set(v->kernels, scope, scope);
}
