/* A transfer waits in a queue while the host goes on. So a buffer in ordinary memory that a transfer uses has its place
 * for itself: what storage planning put there beside it could be written before the transfer has run. The function that
 * planning was given and the one that it made have the same stores and transfers in the same order, which tells what
 * has gone where. */
#include "lower/vta/verify.h"
#include "lower/vta/vta.h"

typedef struct use {
    const vt_var *var;
    bool queued;
} use;

typedef struct scan {
    vt_lowering *l;
    use *uses;
    uint32_t n, cap;
} scan;

static void add(scan *st, const vt_var *var, bool queued) {
    vta_memory memory;
    if (var->u.var->scope && vt__memory_of(var->u.var->scope, &memory)) return;
    vt_grow(st->l->ctx, &st->uses, &st->cap, st->n + 1, sizeof *st->uses);
    st->uses[st->n++] = (use){var, queued};
}

static bool find_transfer(void *user, const vt_expr *e) {
    scan *st = user;
    vt_transfer_info t;
    if (vt_transfer_of_call(st->l, e, &t)) add(st, e->a[t.data], true);
    return true;
}

static bool find_use(void *user, const vt_stmt *s) {
    if (s->kind == VT_S_STORE) add(user, s->u.store.buffer->data, false);
    if (s->kind == VT_S_EVAL) vt_expr_walk(s->u.eval.value, find_transfer, user);
    return true;
}

void vt__verify_queued(vt_lowering *l, const vt_func *given, const vt_func *made) {
    scan from = {.l = l}, to = {.l = l};
    vt_ptrmap *queued = vt_ptrmap_new(l->ctx); /* place -> the buffer in it that a transfer so far uses */
    vt_path path;
    vt_verifier v = {.ctx = l->ctx, .path = &path};
    vt__path_begin(&path);
    vt_stmt_walk(given->body, NULL, find_use, &from);
    vt_stmt_walk(made->body, NULL, find_use, &to);
    if (from.n != to.n) vt__verify_fail(&v, VT_RULE_PLACE, NULL, "stores or transfers are lost or made");
    for (uint32_t i = 0; i < from.n; i++) {
        const vt_var *x = from.uses[i].var, *waits = vt_ptrmap_get(queued, to.uses[i].var);
        if (from.uses[i].queued && !waits) vt_ptrmap_set(queued, to.uses[i].var, x);
        if (!waits || waits == x) continue;
        const char *what = vt_new_format(l->ctx, "%s is where %s is, and a transfer of that waits in a queue",
                                         vt_var_name(x), vt_var_name(waits));
        vt__verify_fail(&v, VT_RULE_PLACE, NULL, what);
    }
}
