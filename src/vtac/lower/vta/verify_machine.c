/* Walks the function and hands every instruction to the check of its kind. */
#include <string.h>

#include "base/strbuf.h"
#include "ir/print.h"
#include "lower/vta/verify.h"
#include "lower/vta/vta.h"

static const struct {
    const char *name, *wants, *suspect;
} rules[] = {
#define VT_RULE(NAME, name, wants, suspect) {name, wants, suspect},
#include "lower/vta/verify.def"
#undef VT_RULE
};

/* ---- Failing ----------------------------------------------------------------------------------------------- */

/* "at i = 3, j = 0": an iteration in which it is so. */
static const char *iteration(const vt_verifier *v) {
    const vt_path *p = v->path;
    const char *text = "";
    for (uint32_t i = 0; i < p->n && i < VT_PATH_MAX; i++) {
        int64_t lo, hi;
        if (vt__path_range(p, i, &lo, &hi))
            text = vt_new_format(v->ctx, "%s%s%s = %lld", text, *text ? ", " : " at ", vt_var_name(p->binders[i].var),
                                 (long long)lo);
    }
    return text;
}

void vt__verify_fail(const vt_verifier *v, vt_rule rule, const vt_stmt *s, const char *what) {
    vt_raise_detailed(v->ctx, VTA_INTERNAL, s ? vt_stmt_text(v->ctx, s) : NULL,
                      "the compiler made what the machine cannot do: a bug of the compiler, not of the kernel. Rule %s "
                      "(%s): %s%s. Suspected: %s. Please report this with the kernel file",
                      rules[rule].name, rules[rule].wants, what, iteration(v), rules[rule].suspect);
}

void vt__verify_prove(vt_verifier *v, const vt_stmt *s, void (*make)(void *user, vt_path *p, vt_demands *out),
                      void *user) {
    const void *tag;
    vt_truth t = vt__prove(v->path, make, user, &tag);
    if (t == VT_OPEN) v->undecided++;
    if (t != VT_BROKEN) return;
    const vt_claim *claim = tag;
    vt__verify_fail(v, claim->rule, s, claim->what);
}

/* ---- The walk ---------------------------------------------------------------------------------------------- */

static void walk(vt_verifier *v, const vt_stmt *s);

static void call(vt_verifier *v, const vt_stmt *s, const vt_expr *e) {
    if (e->kind != VT_E_CALL) return;
    if (e->u.op == VT_OP_VTA_COPROC_SYNC) v->started = false;
    if (e->u.op == VT_OP_VTA_UOP_PUSH)
        vt__verify_fail(v, VT_RULE_KERNEL, s, "a micro-op stands outside of a micro-kernel");
    bool loads = VT_IS_RUNTIME(e, VTALoadBuffer2D);
    if (!loads && !VT_IS_RUNTIME(e, VTAStoreBuffer2D)) return;
    v->started = true;
    vt__verify_transfer(v, s, e, loads);
}

static void attribute(vt_verifier *v, const vt_stmt *s) {
    uint32_t stage = v->stage;
    int64_t value;
    if (vt_attr_is(s, VT_ATTR_UOPS)) {
        v->started = true;
        vt__verify_kernel(v, s);
        return;
    }
    if (vt_attr_is(s, VT_ATTR_TASK) && vt_as_const(s->u.attr.value, &value)) v->stage = (uint32_t)value;
    walk(v, s->u.attr.body);
    v->stage = stage;
}

static void branch(vt_verifier *v, const vt_stmt *s) {
    vt__path_if(v->path, s->u.branch.condition, true);
    walk(v, s->u.branch.then_case);
    vt__path_pop(v->path);
    if (!s->u.branch.else_case) return;
    vt__path_if(v->path, s->u.branch.condition, false);
    walk(v, s->u.branch.else_case);
    vt__path_pop(v->path);
}

static void walk(vt_verifier *v, const vt_stmt *s) {
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) walk(v, s->u.seq.items[i]);
        return;
    case VT_S_FOR:
        vt__path_loop(v->path, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
        walk(v, s->u.loop.body);
        vt__path_pop(v->path);
        return;
    case VT_S_LET:
        vt__path_let(v->path, s->u.let.var, s->u.let.value);
        walk(v, s->u.let.body);
        vt__path_pop(v->path);
        return;
    case VT_S_ALLOC:
        vt_ptrmap_set(v->allocs, s->u.alloc.var, s);
        walk(v, s->u.alloc.body);
        return;
    case VT_S_ASSERT:
        if (s->u.assertion.body) walk(v, s->u.assertion.body);
        return;
    case VT_S_ATTR: attribute(v, s); return;
    case VT_S_IF: branch(v, s); return;
    case VT_S_EVAL: call(v, s, s->u.eval.value); return;
    case VT_S_STORE:
    case VT_S_PSTORE:
    case VT_S_REALIZE:
    case VT_S_BLOCK:
    case VT_S_COUNT: break;
    }
}

uint32_t vt__verify_machine(vt_ctx *ctx, const vta_config *config, const vt_func *f) {
    enum { CASES = 1 << 14 };
    vt_path path; /* large, and here for a moment: not in the arena */
    vt_verifier v = {
        .ctx = ctx, .config = config, .buffers = vt_ptrmap_new(ctx), .allocs = vt_ptrmap_new(ctx), .cases = CASES};
    v.kernels = vt_ptrmap_new(ctx);
    v.path = &path;
    vt__path_begin(v.path);
    for (uint32_t i = 0; i < f->n_bindings; i++) {
        const vt_buffer *b = f->bindings[i].buffer;
        if (b) vt_ptrmap_set(v.buffers, b->data, b);
    }
    walk(&v, f->body);
    if (v.started) vt__verify_fail(&v, VT_RULE_SYNC, NULL, "nothing waits for the last instructions");
    vt__verify_tokens(&v, f->body);
    return v.undecided;
}

const vt_func *vt_pass_verify_machine(vt_lowering *l, const vt_func *f) {
    (void)vt__verify_machine(l->ctx, vt__config(l), f);
    return f;
}
