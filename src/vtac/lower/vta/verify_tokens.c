/* Dependence tokens: in program order no queue is ever popped before it was pushed, so program order is an order that
 * the tokens allow, and nothing waits forever; and none is left at the end. What a loop's body does is multiplied;
 * only where iterations differ, each is looked at. */
#include <string.h>

#include "lower/generic/util.h"
#include "lower/vta/verify.h"

/* A list of its own, not vta/token.def: the check shares no table with what it checks. */
enum { QUEUES = 4 };
static const struct {
    uint8_t from, to;
    const char *name;
} queues[QUEUES] = {{VTA_STAGE_LOAD, VTA_STAGE_COMPUTE, "load->compute"},
                    {VTA_STAGE_COMPUTE, VTA_STAGE_LOAD, "compute->load"},
                    {VTA_STAGE_COMPUTE, VTA_STAGE_STORE, "compute->store"},
                    {VTA_STAGE_STORE, VTA_STAGE_COMPUTE, "store->compute"}};

/* What a statement does to the queues. */
typedef struct flow {
    int64_t net[QUEUES]; /* tokens pushed less tokens popped */
    int64_t low[QUEUES]; /* the lowest count that a queue has in between, starting at 0 */
    bool varies;         /* it cannot be told for all iterations of the loops around at once */
} flow;

static flow flow_of(vt_verifier *v, const vt_stmt *s);

static void then(flow *a, const flow *b) {
    for (int q = 0; q < QUEUES; q++) {
        if (a->net[q] + b->low[q] < a->low[q]) a->low[q] = a->net[q] + b->low[q];
        a->net[q] += b->net[q];
    }
    a->varies |= b->varies;
}

static bool moves(const flow *f) {
    for (int q = 0; q < QUEUES; q++)
        if (f->net[q] || f->low[q]) return true;
    return f->varies;
}

static bool drifts(const flow *f) {
    for (int q = 0; q < QUEUES; q++)
        if (f->net[q]) return true;
    return false;
}

static flow times(const flow *f, int64_t n) {
    flow out = {.varies = f->varies};
    for (int q = 0; q < QUEUES && n > 0; q++) {
        out.net[q] = f->net[q] * n;
        out.low[q] = f->low[q] + (f->net[q] < 0 ? f->net[q] * (n - 1) : 0);
    }
    return out;
}

/* A push or a pop. It says both stages itself; the task around it does not matter. */
static flow of_token(vt_verifier *v, const vt_stmt *s, const vt_expr *e, bool pushes) {
    int64_t from, to;
    flow f = {.varies = false};
    if (!vt_as_const(e->a[VT_DEP(from_qid)], &from) || !vt_as_const(e->a[VT_DEP(to_qid)], &to))
        vt__verify_fail(v, VT_RULE_QUEUE, s, "the stages of a token are not constants");
    int q = 0;
    while (q < QUEUES && (queues[q].from != from || queues[q].to != to)) q++;
    if (q == QUEUES)
        vt__verify_fail(
            v, VT_RULE_QUEUE, s,
            vt_new_format(v->ctx, "there is no queue from stage %lld to stage %lld", (long long)from, (long long)to));
    f.net[q] = pushes ? 1 : -1;
    f.low[q] = pushes ? 0 : -1;
    return f;
}

static flow of_branch(vt_verifier *v, const vt_stmt *s) {
    flow yes = {.varies = false}, no = {.varies = false};
    vt_truth t = vt__path_truth(v->path, s->u.branch.condition);
    if (t != VT_BROKEN) {
        vt__path_if(v->path, s->u.branch.condition, true);
        yes = flow_of(v, s->u.branch.then_case);
        vt__path_pop(v->path);
    }
    if (t != VT_HOLDS && s->u.branch.else_case) {
        vt__path_if(v->path, s->u.branch.condition, false);
        no = flow_of(v, s->u.branch.else_case);
        vt__path_pop(v->path);
    }
    if (t != VT_OPEN) return t == VT_HOLDS ? yes : no;
    if (memcmp(yes.net, no.net, sizeof yes.net) == 0 && memcmp(yes.low, no.low, sizeof yes.low) == 0) {
        yes.varies |= no.varies;
        return yes;
    }
    then(&yes, &no);
    yes.varies = true;
    return yes;
}

/* One iteration after the other. */
static flow one_by_one(vt_verifier *v, const vt_stmt *s, uint32_t binder, int64_t lo, int64_t hi) {
    flow sum = {.varies = false};
    for (int64_t i = lo; i <= hi && !sum.varies; i++) {
        vt__path_cut(v->path, binder, i, i);
        flow f = flow_of(v, s->u.loop.body);
        then(&sum, &f);
        sum.varies |= v->cases == 0;
        v->cases -= v->cases > 0;
    }
    vt__path_whole(v->path, binder);
    return sum;
}

static flow of_loop(vt_verifier *v, const vt_stmt *s) {
    vt_path *p = v->path;
    int64_t lo, hi, extent;
    vt_form length = vt__form_of(p, s->u.loop.extent);
    bool counted = vt__form_is_const(p, &length, &extent);
    vt__path_loop(p, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    flow body = flow_of(v, s->u.loop.body);
    if (body.varies && counted && p->n <= VT_PATH_MAX && vt__path_range(p, p->n - 1, &lo, &hi))
        body = extent > 0 ? one_by_one(v, s, p->n - 1, lo, hi) : (flow){.varies = false};
    else if (counted)
        body = times(&body, extent);
    else
        body.varies |= drifts(&body);
    vt__path_pop(p);
    return body;
}

static flow flow_of(vt_verifier *v, const vt_stmt *s) {
    flow f = {.varies = false};
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) {
            flow next = flow_of(v, s->u.seq.items[i]);
            if (moves(&next)) then(&f, &next);
        }
        return f;
    case VT_S_FOR: return of_loop(v, s);
    case VT_S_LET:
        vt__path_let(v->path, s->u.let.var, s->u.let.value);
        f = flow_of(v, s->u.let.body);
        vt__path_pop(v->path);
        return f;
    case VT_S_ALLOC: return flow_of(v, s->u.alloc.body);
    case VT_S_ASSERT: return s->u.assertion.body ? flow_of(v, s->u.assertion.body) : f;
    case VT_S_ATTR: return vt_attr_is(s, VT_ATTR_UOPS) ? f : flow_of(v, s->u.attr.body);
    case VT_S_IF: return of_branch(v, s);
    case VT_S_EVAL:
        if (vt_is_call(s->u.eval.value, VT_OP_VTA_COPROC_DEP_PUSH)) return of_token(v, s, s->u.eval.value, true);
        if (vt_is_call(s->u.eval.value, VT_OP_VTA_COPROC_DEP_POP)) return of_token(v, s, s->u.eval.value, false);
        return f;
    case VT_S_STORE:
    case VT_S_PSTORE:
    case VT_S_REALIZE:
    case VT_S_BLOCK:
    case VT_S_COUNT: break;
    }
    return f;
}

void vt__verify_tokens(vt_verifier *v, const vt_stmt *body) {
    flow f = flow_of(v, body);
    if (f.varies) {
        v->undecided++;
        return;
    }
    for (int q = 0; q < QUEUES; q++) {
        if (f.low[q] < 0)
            vt__verify_fail(v, VT_RULE_BALANCE, NULL,
                            vt_new_format(v->ctx, "a %s token is popped that nothing has pushed", queues[q].name));
        if (f.net[q])
            vt__verify_fail(
                v, VT_RULE_BALANCE, NULL,
                vt_new_format(v->ctx, "%lld %s tokens are left at the end", (long long)f.net[q], queues[q].name));
    }
}
