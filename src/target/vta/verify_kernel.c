/* Micro-kernels: their two loops, the fields and reach of every micro-op, and the order in which they are recorded. */
#include <string.h>

#include "config/config_priv.h"
#include "pass/util.h"
#include "target/vta/verify.h"

enum { HARDWARE_LOOPS = 2, KERNEL_LOOPS = 16, KERNEL_UOPS = 64, LOOK_BACK = 3, GEMM = 0, ALU = 1 };
enum {
    MODE = VT_UOP(mode),
    RESET = VT_UOP(reset_out),
    DST = VT_UOP(dst_index),
    OPCODE = VT_UOP(opcode),
    USE_IMM = VT_UOP(use_imm),
    IMM = VT_UOP(imm_val)
};

typedef struct hardware_loop {
    const vt_expr *extent, *factor[3]; /* dst, src, wgt */
} hardware_loop;

/* A push as it stands, for the order in which all of them are recorded. */
typedef struct push {
    const vt_stmt *s;
    vt_form dst;
} push;

/* A micro-op as it is recorded. */
typedef struct recorded {
    vt_form form;
    int64_t dst; /* without the kernel's parameters */
} recorded;

typedef struct inner_loop {
    const vt_stmt *s;
    uint32_t index; /* of its variable in forms */
    int64_t min, extent;
} inner_loop;

typedef struct kernel {
    vt_verifier *v;
    const vt_stmt *scope;
    uint32_t outer_vars; /* variables with numbers below this are the kernel's parameters */
    hardware_loop loops[HARDWARE_LOOPS];
    uint32_t loop_count, open;
    int64_t mode;
    const vt_expr *first; /* the call of the first push */
    push pushes[KERNEL_UOPS];
    inner_loop inner[KERNEL_LOOPS];
    uint32_t push_count, inner_count;
    bool symbolic; /* the order of its micro-ops cannot be followed */
    bool guarded;  /* some stand under a condition, or bend: the path must say where it is */
    /* While the order is followed. */
    int64_t at[VT_FORM_VARS];
    recorded last[LOOK_BACK];
    uint64_t count;
} kernel;

/* ---- Fields and reach -------------------------------------------------------------------------------------- */

static const vt_claim SHORT_LOOP = {VT_RULE_LOOP_FIELD, "a hardware loop has no iteration"},
                      LONG_LOOP = {VT_RULE_LOOP_FIELD, "a hardware loop has more than 16383 iterations"},
                      NEGATIVE_STEP = {VT_RULE_LOOP_FIELD, "a step of a hardware loop is negative"},
                      LARGE_STEP = {VT_RULE_LOOP_FIELD, "a step of a hardware loop does not fit its field"},
                      NOT_IN_PLACE = {VT_RULE_IN_PLACE, "source and destination differ"},
                      OTHER_STEPS = {VT_RULE_IN_PLACE, "source and destination step differently"};
static const vt_claim NEGATIVE_INDEX[] = {{VT_RULE_UOP_INDEX, "its destination is negative"},
                                          {VT_RULE_UOP_INDEX, "its source is negative"},
                                          {VT_RULE_UOP_INDEX, "its weight is negative"}},
                      LARGE_INDEX[] = {{VT_RULE_UOP_INDEX, "its destination leaves the accumulators"},
                                       {VT_RULE_UOP_INDEX, "its source leaves its buffer"},
                                       {VT_RULE_UOP_INDEX, "its weight leaves the weights"}};

typedef struct micro_op {
    const kernel *k;
    const vt_expr *const *a;
    bool in_place;     /* it must work on its destination */
    uint32_t depth[3]; /* of the buffer of each index */
    uint32_t operands; /* indices that mean something */
} micro_op;

static void equal(vt_path *p, vt_demands *out, const vt_form *x, const vt_form *y, const vt_form *when,
                  const vt_claim *claim) {
    vt_form d = vt__form_add(x, y, -1), e = vt__form_add(y, x, -1);
    vt__demand(p, out, &d, when, claim);
    vt__demand(p, out, &e, when, claim);
}

/* The loops around the kernel, once for all its micro-ops. */
static void make_loop_demands(void *user, vt_path *p, vt_demands *out) {
    enum { MOST_EXTENT = 16383 }; /* typed here, not taken from vta/insn.def: the check is independent of it */
    const kernel *k = user;
    const vta_config *c = k->v->config;
    const uint8_t bits[3] = {c->log_depth[VTA_MEM_ACC],
                             k->mode == GEMM ? c->log_depth[VTA_MEM_INP] : c->log_depth[VTA_MEM_ACC],
                             c->log_depth[VTA_MEM_WGT]};
    for (uint32_t i = 0; i < k->loop_count; i++) {
        vt_form extent = vt__form_of(p, k->loops[i].extent);
        vt__demand_between(p, out, &extent, 1, MOST_EXTENT, &SHORT_LOOP, &LONG_LOOP);
        for (int f = 0; f < 3; f++) {
            vt_form factor = vt__form_of(p, k->loops[i].factor[f]);
            vt__demand_between(p, out, &factor, 0, ((int64_t)1 << bits[f]) - 1, &NEGATIVE_STEP, &LARGE_STEP);
        }
    }
}

/* How far an index is in the last iteration of a hardware loop from where it is in the first. */
static vt_form reach_of(vt_path *p, const hardware_loop *l, uint32_t f) {
    vt_form count = vt__form_of(p, l->extent), one = vt__form_const(1), step = vt__form_of(p, l->factor[f]);
    count = vt__form_add(&count, &one, -1);
    return vt__form_mul(p, &count, &step);
}

/* The same for all hardware loops where they are of numbers, as they mostly are; false: they are not. That these fit
 * their fields was shown. */
static bool known_reach(const kernel *k, uint32_t f, int64_t *out_reach) {
    *out_reach = 0;
    for (uint32_t i = 0; i < k->loop_count; i++) {
        int64_t extent, factor;
        if (!vt_as_const(k->loops[i].extent, &extent) || !vt_as_const(k->loops[i].factor[f], &factor)) return false;
        *out_reach += (extent - 1) * factor;
    }
    return true;
}

/* Is an index surely inside of its buffer in all iterations? */
static bool stays_inside(const micro_op *u, const vt_path *p, const vt_form *index, uint32_t f) {
    int64_t reach;
    return known_reach(u->k, f, &reach) && vt__form_least(p, index) >= 0 &&
           vt__form_most(p, index) + reach < (int64_t)u->depth[f];
}

static void make_uop_demands(void *user, vt_path *p, vt_demands *out) {
    enum { ANY = INT32_MAX };
    const micro_op *u = user;
    const kernel *k = u->k;
    vt_form index[3], factor[2];
    for (uint32_t f = 0; f < u->operands; f++) {
        index[f] = vt__form_of(p, u->a[DST + f]);
        if (stays_inside(u, p, &index[f], f)) continue;
        vt_form last = index[f];
        for (uint32_t i = 0; i < k->loop_count; i++) {
            if (vt_is_const(k->loops[i].factor[f], 0)) continue;
            vt_form reach = reach_of(p, &k->loops[i], f);
            last = vt__form_add(&last, &reach, 1);
        }
        vt__demand_between(p, out, &index[f], 0, ANY, &NEGATIVE_INDEX[f], &LARGE_INDEX[f]);
        vt__demand_between(p, out, &last, 0, (int64_t)u->depth[f] - 1, &NEGATIVE_INDEX[f], &LARGE_INDEX[f]);
    }
    if (!u->in_place) return;
    equal(p, out, &index[0], &index[1], NULL, &NOT_IN_PLACE);
    vt_form one = vt__form_const(1);
    for (uint32_t i = 0; i < k->loop_count; i++) {
        for (int f = 0; f < 2; f++) factor[f] = vt__form_of(p, k->loops[i].factor[f]);
        vt_form extent = vt__form_of(p, k->loops[i].extent), less = vt__form_add(&extent, &one, -1);
        equal(p, out, &factor[0], &factor[1], &less, &OTHER_STEPS);
    }
}

/* ---- Reading the scope ------------------------------------------------------------------------------------- */

static void check_agreement(const kernel *k, const vt_stmt *s, const vt_expr *e) {
    static const uint8_t same[] = {MODE, RESET, OPCODE, USE_IMM, IMM};
    int64_t value = 0, first = 0;
    for (size_t i = 0; i < sizeof same; i++) {
        if (k->mode == GEMM && same[i] > RESET) break; /* it has no operation */
        bool known = vt_as_const(e->a[same[i]], &value), known_first = vt_as_const(k->first->a[same[i]], &first);
        if (known != known_first || (known ? value != first : !vt_expr_equal(e->a[same[i]], k->first->a[same[i]])))
            vt__verify_fail(k->v, VT_RULE_KERNEL, s, "micro-ops of different sorts stand in one kernel");
    }
}

static void check_values(kernel *k, const vt_stmt *s, const vt_expr *e) {
    static const struct {
        uint8_t arg;
        int64_t least, most;
    } ranges[] = {{RESET, 0, 1}, {OPCODE, 0, VTA_ALU_COUNT - 1}, {USE_IMM, 0, 1}, {IMM, INT16_MIN, INT16_MAX}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        int64_t value;
        if (!vt_as_const(e->a[ranges[i].arg], &value))
            k->v->undecided++;
        else if (value < ranges[i].least || value > ranges[i].most)
            vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a field of the operation has a value that it cannot hold");
    }
}

static void add_push(kernel *k, const vt_stmt *s, const vt_expr *e) {
    const vta_config *c = k->v->config;
    int64_t mode, reset = 0, use_imm = 0;
    if (!vt_as_const(e->a[MODE], &mode) || mode != k->mode)
        vt__verify_fail(k->v, VT_RULE_KERNEL, s, "the micro-op is of another kind than its kernel");
    if (k->open < k->loop_count) vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a micro-op comes after its loops");
    if (!k->first) {
        k->first = e;
        vt__verify_prove(k->v, k->scope, make_loop_demands, k);
        check_values(k, s, e);
    }
    check_agreement(k, s, e);
    vt_as_const(e->a[RESET], &reset);
    vt_as_const(e->a[USE_IMM], &use_imm);
    micro_op u = {
        .k = k,
        .a = e->a,
        .in_place = mode == ALU && use_imm,
        .depth = {c->depth[VTA_MEM_ACC], c->depth[mode == GEMM ? VTA_MEM_INP : VTA_MEM_ACC], c->depth[VTA_MEM_WGT]},
        .operands = mode == GEMM ? 3 : 2};
    vt__verify_prove(k->v, s, make_uop_demands, &u);
    if (k->push_count == KERNEL_UOPS) {
        k->symbolic = true;
        return;
    }
    push *to = &k->pushes[k->push_count++];
    to->s = s;
    to->dst = vt__form_of(k->v->path, e->a[DST]);
    k->guarded |= to->dst.lo != to->dst.hi; /* it is told one by one */
}

static void begin_loop(kernel *k, const vt_stmt *s, const vt_expr *e) {
    if (k->first) vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a hardware loop begins after a micro-op");
    if (k->loop_count == HARDWARE_LOOPS) vt__verify_fail(k->v, VT_RULE_KERNEL, s, "there is a third hardware loop");
    if (e->n != VT_OPERANDS(VTAUopLoopBegin))
        vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a hardware loop has another number of arguments");
    hardware_loop *l = &k->loops[k->loop_count++];
    k->open++;
    l->extent = e->a[VT_OPERAND(VTAUopLoopBegin, extent)];
    for (int f = 0; f < 3; f++) l->factor[f] = e->a[VT_OPERAND(VTAUopLoopBegin, dst_factor) + f];
}

static void end_loop(kernel *k, const vt_stmt *s) {
    if (!k->open) vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a hardware loop ends that has not begun");
    k->open--;
}

static void call(kernel *k, const vt_stmt *s, const vt_expr *e) {
    if (vt_is_call(e, VT_OP_VTA_UOP_PUSH)) add_push(k, s, e);
    if (VT_IS_RUNTIME(e, VTAUopLoopBegin)) begin_loop(k, s, e);
    if (VT_IS_RUNTIME(e, VTAUopLoopEnd)) end_loop(k, s);
    if (VT_IS_RUNTIME(e, VTALoadBuffer2D) || VT_IS_RUNTIME(e, VTAStoreBuffer2D))
        vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a transfer stands in a micro-kernel");
}

static void read(kernel *k, const vt_stmt *s);

static void read_loop(kernel *k, const vt_stmt *s) {
    vt_path *p = k->v->path;
    int64_t lo, hi;
    vt__path_loop(p, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    bool known = p->n <= VT_PATH_MOST && vt__path_range(p, p->n - 1, &lo, &hi) && k->inner_count < KERNEL_LOOPS;
    if (known) {
        inner_loop *l = &k->inner[k->inner_count++];
        *l = (inner_loop){s, p->binders[p->n - 1].index, lo, hi - lo + 1};
        known = vt_as_const(s->u.loop.min, &lo) && vt_as_const(s->u.loop.extent, &hi);
        l->extent = known ? hi : 0;
    }
    k->symbolic |= !known;
    read(k, s->u.loop.body);
    vt__path_pop(p);
}

static void read(kernel *k, const vt_stmt *s) {
    vt_path *p = k->v->path;
    switch (s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) read(k, s->u.seq.items[i]);
        return;
    case VT_S_FOR: read_loop(k, s); return;
    case VT_S_LET:
        vt__path_let(p, s->u.let.var, s->u.let.value);
        k->guarded |= p->n <= VT_PATH_MOST && p->binders[p->n - 1].index < VT_FORM_VARS;
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
    default: return;
    }
}

/* ---- The order --------------------------------------------------------------------------------------------- */

/* Do two micro-ops' destinations differ by a number that does not depend on the kernel's parameters? */
static bool comparable(const kernel *k, const vt_form *x, const vt_form *y) {
    for (uint32_t i = 0; i < k->outer_vars; i++)
        if ((i < x->n ? x->k[i] : 0) != (i < y->n ? y->k[i] : 0)) return false;
    return true;
}

/* The destination of a micro-op, up to the kernel's parameters; false when it cannot be told. */
static bool destination(kernel *k, const vt_stmt *s, recorded *out) {
    const push *now = k->pushes;
    while (now->s != s) now++;
    out->form = k->guarded ? vt__form_of(k->v->path, s->u.eval.value->a[DST]) : now->dst;
    if (out->form.unknown || out->form.lo != out->form.hi) return false;
    out->dst = out->form.c + out->form.lo;
    for (uint32_t i = k->outer_vars; i < out->form.n; i++) out->dst += out->form.k[i] * k->at[i];
    return true;
}

static void record(kernel *k, const vt_stmt *s) {
    recorded *now = &k->last[k->count % LOOK_BACK];
    if (!destination(k, s, now)) {
        k->symbolic = true;
        return;
    }
    for (uint64_t back = 1; back < LOOK_BACK && back <= k->count; back++) {
        const recorded *before = &k->last[(k->count - back) % LOOK_BACK];
        if (before->dst == now->dst && comparable(k, &before->form, &now->form))
            vt__verify_fail(k->v, VT_RULE_HAZARD, k->scope,
                            vt_new_format(k->v->ctx, "micro-op %llu writes what the one %llu before it writes",
                                          (unsigned long long)k->count, (unsigned long long)back));
    }
    if (++k->count > k->v->config->depth[VTA_MEM_UOP])
        vt__verify_fail(k->v, VT_RULE_KERNEL, k->scope, "it has more micro-ops than the buffer holds");
}

static void follow(kernel *k, const vt_stmt *s);

static void follow_loop(kernel *k, const vt_stmt *s) {
    const inner_loop *l = k->inner;
    vt_path *p = k->v->path;
    while (l->s != s) l++;
    if (k->guarded) vt__path_loop(p, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    uint32_t binder = p->n - 1;
    for (int64_t i = l->min; i < l->min + l->extent; i++) {
        k->at[l->index] = i;
        if (k->guarded) vt__path_cut(p, binder, i, i);
        follow(k, s->u.loop.body);
    }
    if (k->guarded) vt__path_pop(p);
}

/* The path holds all iterations, for conditions that need them. */
static void follow_branch(kernel *k, const vt_stmt *s) {
    vt_truth t = vt__path_truth(k->v->path, s->u.branch.condition);
    k->symbolic |= t == VT_OPEN;
    if (t == VT_HOLDS) follow(k, s->u.branch.then_case);
    if (t == VT_BROKEN && s->u.branch.else_case) follow(k, s->u.branch.else_case);
}

static void follow_let(kernel *k, const vt_stmt *s) {
    if (k->guarded) vt__path_let(k->v->path, s->u.let.var, s->u.let.value);
    follow(k, s->u.let.body);
    if (k->guarded) vt__path_pop(k->v->path);
}

static void follow(kernel *k, const vt_stmt *s) {
    if (k->symbolic) return;
    switch (s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) follow(k, s->u.seq.items[i]);
        return;
    case VT_S_FOR: follow_loop(k, s); return;
    case VT_S_IF: follow_branch(k, s); return;
    case VT_S_LET: follow_let(k, s); return;
    case VT_S_ATTR: follow(k, s->u.attr.body); return;
    case VT_S_EVAL:
        if (vt_is_call(s->u.eval.value, VT_OP_VTA_UOP_PUSH)) record(k, s);
        return;
    default: return;
    }
}

void vt__verify_kernel(vt_verifier *v, const vt_stmt *scope) {
    if (v->stage != VTA_STAGE_COMPUTE)
        vt__verify_fail(v, VT_RULE_STAGE, scope, "a micro-kernel stands in a task of another stage than compute");
    uint32_t vars, undecided = v->undecided;
    if (vt_ptrmap_has(v->kernels, scope)) return; /* the same statement again */
    kernel this_one, *k = &this_one;              /* large: only what is counted is set */
    k->v = v;
    k->scope = scope;
    k->loop_count = k->open = k->push_count = k->inner_count = 0;
    k->first = NULL;
    k->symbolic = k->guarded = false;
    k->count = 0;
    k->outer_vars = v->path->now.vars;
    k->mode = strcmp(scope->u.attr.value->u.s, "VTAPushGEMMOp") == 0 ? GEMM : ALU;
    read(k, scope->u.attr.body);
    if (k->open) vt__verify_fail(v, VT_RULE_KERNEL, scope, "a hardware loop does not end");
    if (!k->first) vt__verify_fail(v, VT_RULE_KERNEL, scope, "it has no micro-op");
    follow(k, scope->u.attr.body);
    v->undecided += k->symbolic;
    vt_stmt_free_vars(v->ctx, scope->u.attr.body, &vars);
    if (!vars && v->undecided == undecided) vt_ptrmap_set(v->kernels, scope, scope);
}
