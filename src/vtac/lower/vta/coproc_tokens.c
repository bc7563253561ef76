/* Tokens between two neighbours in the order of the program, and sets of them. */
#include "lower/vta/coproc.h"

static bool has(const tokens *t, token x) {
    for (uint32_t i = 0; i < t->n; i++)
        if (t->items[i].from == x.from && t->items[i].to == x.to) return true;
    return false;
}

void vt__coproc_add_token(planner *st, tokens *t, token x) {
    if (t->n == MAX_TOKENS) vt_raise(st->l->ctx, VTA_INTERNAL, "too many dependence tokens at one place");
    t->items[t->n++] = x;
}

void vt__coproc_add_stage(planner *st, stages *s, int stage) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->items[i] == stage) return;
    if (s->n == MAX_STAGES) vt_raise(st->l->ctx, VTA_INTERNAL, "more stages than the accelerator has");
    for (uint32_t i = s->n++; i > 0; i--) s->items[i] = s->items[i - 1];
    s->items[0] = stage;
}

void vt__coproc_add_stages(planner *st, stages *to, const stages *from) {
    for (uint32_t i = 0; i < from->n; i++) vt__coproc_add_stage(st, to, from->items[i]);
}

void vt__coproc_insert(planner *st, vt_ptrmap *where, const vt_stmt *node, vt_op op, token x) {
    vt_ctx *ctx = st->l->ctx;
    vt_stmt_list *list = vt_ptrmap_get(where, node);
    if (!list) {
        list = VT_NEW(ctx, vt_stmt_list);
        vt_ptrmap_set(where, node, list);
    }
    const vt_expr *args[] = {vt_i32(ctx, x.from), vt_i32(ctx, x.to)};
    vt_stmt_list_add(ctx, list, vt__call(ctx, op, 2, args));
}

token vt__coproc_last_leg(token x) {
    return (token){x.from == VTA_STAGE_COMPUTE || x.to == VTA_STAGE_COMPUTE ? x.from : VTA_STAGE_COMPUTE, x.to};
}

/* The tokens that order two neighbours, each once. What goes by way of compute is handed on there, after prev. */
static tokens needed(planner *st, const state *prev, const state *next) {
    tokens need = {.n = 0};
    for (uint32_t i = 0; i < prev->leave.n; i++) {
        for (uint32_t k = 0; k < next->enter.n; k++) {
            token x = {prev->leave.items[i], next->enter.items[k]}, last = vt__coproc_last_leg(x);
            if (x.from == x.to) continue;
            if (last.from != x.from && !has(&prev->pushes, last)) {
                vt__coproc_insert(st, st->after, prev->node, VT_OP_VTA_COPROC_DEP_PUSH, (token){x.from, last.from});
                vt__coproc_insert(st, st->after, prev->node, VT_OP_VTA_COPROC_DEP_POP, (token){x.from, last.from});
            }
            if (!has(&need, last)) vt__coproc_add_token(st, &need, last);
        }
    }
    return need;
}

void vt__coproc_order(planner *st, const state *prev, const state *next, tokens *out_pushes, tokens *out_pops) {
    out_pushes->n = out_pops->n = 0;
    tokens pushes = prev->pushes, pops = next->pops, need = needed(st, prev, next);
    for (uint32_t i = 0; i < need.n; i++) {
        token x = need.items[i];
        if (!has(&prev->pushes, x)) {
            vt__coproc_add_token(st, &pushes, x);
            vt__coproc_insert(st, st->after, prev->node, VT_OP_VTA_COPROC_DEP_PUSH, x);
        }
        if (!has(&next->pops, x)) {
            vt__coproc_add_token(st, &pops, x);
            vt__coproc_insert(st, st->before, next->node, VT_OP_VTA_COPROC_DEP_POP, x);
        }
    }
    for (uint32_t i = 0; i < pushes.n; i++) {
        if (has(&pops, pushes.items[i]))
            vt__coproc_add_token(st, out_pushes, pushes.items[i]);
        else
            vt__coproc_insert(st, st->after, prev->node, VT_OP_VTA_COPROC_DEP_POP, pushes.items[i]);
    }
    for (uint32_t i = 0; i < pops.n; i++) {
        if (has(&pushes, pops.items[i]))
            vt__coproc_add_token(st, out_pops, pops.items[i]);
        else
            vt__coproc_insert(st, st->before, next->node, VT_OP_VTA_COPROC_DEP_PUSH, pops.items[i]);
    }
}

void vt__coproc_close_ends(planner *st) {
    for (uint32_t i = 0; i < st->first.pops.n; i++)
        vt__coproc_insert(st, st->before, st->first.node, VT_OP_VTA_COPROC_DEP_PUSH, st->first.pops.items[i]);
    for (uint32_t i = 0; i < st->last.pushes.n; i++)
        vt__coproc_insert(st, st->after, st->last.node, VT_OP_VTA_COPROC_DEP_POP, st->last.pushes.items[i]);
}

static void add_to_round(round *r, const state *now, bool task) {
    r->other |= !task;
    if (now->enter.items[0] != VTA_STAGE_COMPUTE) return;
    if (!r->compute_first) r->compute_first = now->node;
    r->compute_last = now->node;
}

void vt__coproc_append(planner *st, const state *now, bool task) {
    tokens pushes, pops;
    add_to_round(&st->round, now, task);
    if (st->last.node)
        vt__coproc_order(st, &st->last, now, &pushes, &pops);
    else
        st->first = *now;
    st->last = *now;
}
