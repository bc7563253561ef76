/* A micro-kernel's fields: those of its loops and of its operation, and how far each micro-op reaches. */
#include "config/config_priv.h"
#include "lower/vta/verify_kernel.h"

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
    const vt_kernel *k;
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
    enum { MAX_EXTENT = 16383 }; /* typed here, not taken from vta/insn.def: the check is independent of it */
    const vt_kernel *k = user;
    const vta_config *c = k->v->config;
    const uint8_t bits[3] = {c->log_depth[VTA_MEM_ACC],
                             k->mode == VT_KIND_GEMM ? c->log_depth[VTA_MEM_INP] : c->log_depth[VTA_MEM_ACC],
                             c->log_depth[VTA_MEM_WGT]};
    for (uint32_t i = 0; i < k->loop_count; i++) {
        vt_form extent = vt__form_of(p, k->loops[i].extent);
        vt__demand_between(p, out, &extent, 1, MAX_EXTENT, &SHORT_LOOP, &LONG_LOOP);
        for (int f = 0; f < 3; f++) {
            vt_form factor = vt__form_of(p, k->loops[i].factor[f]);
            vt__demand_between(p, out, &factor, 0, ((int64_t)1 << bits[f]) - 1, &NEGATIVE_STEP, &LARGE_STEP);
        }
    }
}

/* How far an index is in the last iteration of a hardware loop from where it is in the first. */
static vt_form reach_of(vt_path *p, const vt_hardware_loop *l, uint32_t f) {
    vt_form count = vt__form_of(p, l->extent), one = vt__form_const(1), step = vt__form_of(p, l->factor[f]);
    count = vt__form_add(&count, &one, -1);
    return vt__form_mul(p, &count, &step);
}

/* The same for all hardware loops where they are of numbers, as they mostly are; false: they are not. That these fit
 * their fields was shown. */
static bool known_reach(const vt_kernel *k, uint32_t f, int64_t *out_reach) {
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
           vt__form_max(p, index) + reach < (int64_t)u->depth[f];
}

static void make_uop_demands(void *user, vt_path *p, vt_demands *out) {
    enum { ANY = INT32_MAX };
    const micro_op *u = user;
    const vt_kernel *k = u->k;
    vt_form index[3], factor[2];
    for (uint32_t f = 0; f < u->operands; f++) {
        index[f] = vt__form_of(p, u->a[VT_ARG_DST + f]);
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

static void check_agreement(const vt_kernel *k, const vt_stmt *s, const vt_expr *e) {
    static const uint8_t same[] = {VT_ARG_RESET, VT_ARG_OPCODE, VT_ARG_USE_IMM, VT_ARG_IMM};
    int64_t value = 0, first = 0;
    for (size_t i = 0; i < sizeof same; i++) {
        if (k->mode == VT_KIND_GEMM && same[i] > VT_ARG_RESET) break; /* it has no operation */
        bool known = vt_as_const(e->a[same[i]], &value), known_first = vt_as_const(k->first->a[same[i]], &first);
        if (known != known_first || (known ? value != first : !vt_expr_equal(e->a[same[i]], k->first->a[same[i]])))
            vt__verify_fail(k->v, VT_RULE_KERNEL, s, "micro-ops of different sorts stand in one kernel");
    }
}

void vt__verify_operation(vt_kernel *k, const vt_stmt *s, const vt_expr *e) {
    static const struct {
        uint8_t arg;
        int64_t least, most;
    } ranges[] = {{VT_ARG_RESET, 0, 1},
                  {VT_ARG_OPCODE, 0, VTA_ALU_COUNT - 1},
                  {VT_ARG_USE_IMM, 0, 1},
                  {VT_ARG_IMM, INT16_MIN, INT16_MAX}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        int64_t value;
        if (!vt_as_const(e->a[ranges[i].arg], &value))
            k->v->undecided++;
        else if (value < ranges[i].least || value > ranges[i].most)
            vt__verify_fail(k->v, VT_RULE_KERNEL, s, "a field of the operation has a value that it cannot hold");
    }
    int64_t opcode = 0, use_imm = 0, table = 0;
    bool known = vt_as_const(e->a[VT_ARG_OPCODE], &opcode) && vt_as_const(e->a[VT_ARG_USE_IMM], &use_imm) &&
                 vt_as_const(e->a[VT_ARG_IMM], &table);
    bool exists = use_imm == 1 && table >= 0 && table < (int64_t)k->v->config->depth[VTA_MEM_TABLE];
    if (known && opcode == VTA_ALU_TABLE && k->mode != VT_KIND_GEMM && !exists)
        vt__verify_fail(k->v, VT_RULE_KERNEL, s, "it looks up a table that the memory does not have");
}

void vt__verify_kernel_loops(vt_kernel *k) { vt__verify_prove(k->v, k->scope, make_loop_demands, k); }

void vt__verify_uop(vt_kernel *k, const vt_stmt *s, const vt_expr *e) {
    const vta_config *c = k->v->config;
    bool gemm = k->mode == VT_KIND_GEMM;
    int64_t use_imm = 0;
    check_agreement(k, s, e);
    vt_as_const(e->a[VT_ARG_USE_IMM], &use_imm);
    micro_op u = {.k = k,
                  .a = e->a,
                  .in_place = !gemm && use_imm,
                  .depth = {c->depth[VTA_MEM_ACC], c->depth[gemm ? VTA_MEM_INP : VTA_MEM_ACC], c->depth[VTA_MEM_WGT]},
                  .operands = gemm ? 3 : 2};
    vt__verify_prove(k->v, s, make_uop_demands, &u);
}
