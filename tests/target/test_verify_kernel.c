/* The last check of micro-kernels: random ones next to the machine's limits, against their micro-ops written out one by
 * one; what may stand in a kernel, and where. */
#include "target/machine.h"

enum { ROUNDS = 5000, ITERATIONS = 3, MAX_ITEMS = 3, INDICES = 3 };
enum { DST, SRC, WGT };

/* ---- Random kernels ------------------------------------------------------------------------------------------ */

/* A micro-op, or a loop of one: index = first + outer * i + inner * j, and j below `recorded` alone is recorded. */
typedef struct item {
    int64_t first[INDICES], inner[INDICES], count, recorded;
} item;

typedef struct random_kernel {
    bool gemm, use_imm;
    int64_t outer[INDICES];
    uint32_t loops, items;
    struct {
        int64_t extent, grows, step[INDICES]; /* extent + grows * i times */
    } loop[2];
    item item[MAX_ITEMS];
} random_kernel;

static random_kernel drawn;

static int64_t pick(check_random *r, int64_t least, int64_t most) { return check_between(r, least, most); }
static bool rarely(check_random *r) { return pick(r, 0, 15) == 0; }

static int64_t depth_of(const random_kernel *k, int index) {
    vta_memory memory = index == WGT ? VTA_MEM_WGT : index == SRC && k->gemm ? VTA_MEM_INP : VTA_MEM_ACC;
    return vta_config_depth(config, memory);
}

static int64_t extent_of(const random_kernel *k, uint32_t l, int64_t i) {
    return k->loop[l].extent + k->loop[l].grows * i;
}

static int64_t draw_step(check_random *r, const random_kernel *k, int index) {
    if (rarely(r)) return pick(r, 0, 1) ? -1 : depth_of(k, index) - pick(r, 0, 1);
    return pick(r, 0, 4);
}

static random_kernel draw(check_random *r) {
    random_kernel k = {.gemm = pick(r, 0, 1)};
    k.use_imm = !k.gemm && pick(r, 0, 1);
    k.loops = (uint32_t)pick(r, 0, 2);
    k.items = (uint32_t)pick(r, 1, MAX_ITEMS);
    for (uint32_t l = 0; l < k.loops; l++) {
        k.loop[l].extent = rarely(r) ? (int64_t[]){0, 1, 16383, 16384}[pick(r, 0, 3)] : pick(r, 1, 5);
        k.loop[l].grows = pick(r, 0, 3) == 0;
        for (int x = 0; x < INDICES; x++) k.loop[l].step[x] = draw_step(r, &k, x);
        if (k.use_imm && !rarely(r)) k.loop[l].step[SRC] = k.loop[l].step[DST];
    }
    for (int x = 0; x < INDICES; x++) k.outer[x] = pick(r, 0, 2) ? 0 : pick(r, -2, 2);
    if (k.use_imm && !rarely(r)) k.outer[SRC] = k.outer[DST];
    for (uint32_t n = 0; n < k.items; n++) {
        item *t = &k.item[n];
        t->count = pick(r, 0, 2) ? 1 : pick(r, 2, 4);
        t->recorded = pick(r, 0, 2) ? t->count : pick(r, 1, t->count);
        for (int x = 0; x < INDICES; x++) {
            int64_t last = depth_of(&k, x) - 1;
            for (uint32_t l = 0; l < k.loops; l++) last -= (extent_of(&k, l, 0) - 1) * k.loop[l].step[x];
            t->first[x] = rarely(r) ? (pick(r, 0, 1) ? last + pick(r, -1, 1) : -pick(r, 0, 1)) : pick(r, 4, 24);
            t->inner[x] = t->count > 1 ? pick(r, x == DST ? 1 : 0, 3) : 0;
        }
        if (!k.use_imm || rarely(r)) continue;
        t->first[SRC] = t->first[DST];
        t->inner[SRC] = t->inner[DST];
    }
    return k;
}

static const vt_stmt *drawn_item(const item *t, const vt_var *i) {
    const vt_var *j = var("j");
    const vt_expr *index[INDICES];
    for (int x = 0; x < INDICES; x++) {
        index[x] = vt_add(C, num(t->first[x]), vt_mul(C, i, num(drawn.outer[x])));
        if (t->count > 1) index[x] = vt_add(C, index[x], vt_mul(C, j, num(t->inner[x])));
    }
    const vt_stmt *s = uop(!drawn.gemm, 0, index[DST], index[SRC], index[WGT], VTA_ALU_ADD, drawn.use_imm, 7);
    if (t->recorded < t->count) s = vt_s_if(C, vt_lt(C, j, num(t->recorded)), s, NULL);
    return t->count > 1 ? loop(j, t->count, s) : s;
}

static const vt_stmt *drawn_kernel(void) {
    const vt_var *i = var("i");
    const vt_stmt *body[2 * 2 + MAX_ITEMS + 1];
    uint32_t n = 0;
    for (uint32_t l = 0; l < drawn.loops; l++) {
        const vt_expr *extent = num(drawn.loop[l].extent);
        if (drawn.loop[l].grows) extent = vt_add(C, extent, i);
        body[n++] = begin(extent, drawn.loop[l].step[DST], drawn.loop[l].step[SRC], drawn.loop[l].step[WGT]);
    }
    for (uint32_t k = 0; k < drawn.items; k++) body[n++] = drawn_item(&drawn.item[k], i);
    for (uint32_t l = 0; l < drawn.loops; l++) body[n++] = end();
    body[n] = NULL;
    return loop(i, ITERATIONS, computes(drawn.gemm ? gemm(sequence(body)) : alu(sequence(body))));
}

/* What the machine would say of it, as far as it goes. */
typedef enum wrong {
    SHORT_LOOP,
    LONG_LOOP,
    NEGATIVE_STEP,
    LARGE_STEP,
    NEGATIVE_INDEX,
    LARGE_INDEX = NEGATIVE_INDEX + INDICES,
    OTHER_PLACE = LARGE_INDEX + INDICES,
    OTHER_STEP,
    ONE_BEFORE,
    TWO_BEFORE,
    WRONGS
} wrong;

static const struct {
    const char *rule, *says;
} messages[WRONGS] = {{"loop-field", "a hardware loop has no iteration"},
                      {"loop-field", "a hardware loop has more than 16383 iterations"},
                      {"loop-field", "a step of a hardware loop is negative"},
                      {"loop-field", "a step of a hardware loop does not fit its field"},
                      {"uop-index", "its destination is negative"},
                      {"uop-index", "its source is negative"},
                      {"uop-index", "its weight is negative"},
                      {"uop-index", "its destination leaves the accumulators"},
                      {"uop-index", "its source leaves its buffer"},
                      {"uop-index", "its weight leaves the weights"},
                      {"in-place", "source and destination differ"},
                      {"in-place", "source and destination step differently"},
                      {"hazard", "writes what the one 1 before it writes"},
                      {"hazard", "writes what the one 2 before it writes"}};

static void look_at_loops(const random_kernel *k, int64_t i, bool is[WRONGS]) {
    for (uint32_t l = 0; l < k->loops; l++) {
        int64_t extent = extent_of(k, l, i);
        is[SHORT_LOOP] |= extent < 1;
        is[LONG_LOOP] |= extent > 16383;
        for (int x = 0; x < INDICES; x++) {
            is[NEGATIVE_STEP] |= k->loop[l].step[x] < 0;
            is[LARGE_STEP] |= k->loop[l].step[x] >= depth_of(k, x);
        }
        is[OTHER_STEP] |= k->use_imm && extent > 1 && k->loop[l].step[DST] != k->loop[l].step[SRC];
    }
}

/* The micro-op itself, and what the hardware's loops make of it. */
static void look_at_uop(const random_kernel *k, int64_t i, const int64_t index[INDICES], bool is[WRONGS]) {
    for (int x = 0; x < (k->gemm ? INDICES : WGT); x++) {
        int64_t last = index[x];
        for (uint32_t l = 0; l < k->loops; l++) last += (extent_of(k, l, i) - 1) * k->loop[l].step[x];
        is[NEGATIVE_INDEX + x] |= index[x] < 0 || last < 0;
        is[LARGE_INDEX + x] |= last >= depth_of(k, x);
    }
    is[OTHER_PLACE] |= k->use_imm && index[DST] != index[SRC];
}

static void look(const random_kernel *k, bool is[WRONGS]) {
    for (int64_t i = 0; i < ITERATIONS; i++) {
        look_at_loops(k, i, is);
        int64_t before[2] = {INT64_MIN, INT64_MIN};
        for (uint32_t n = 0; n < k->items; n++)
            for (int64_t j = 0; j < k->item[n].recorded; j++) {
                int64_t index[INDICES];
                for (int x = 0; x < INDICES; x++)
                    index[x] = k->item[n].first[x] + k->outer[x] * i + k->item[n].inner[x] * j;
                look_at_uop(k, i, index, is);
                is[ONE_BEFORE] |= index[DST] == before[0];
                is[TWO_BEFORE] |= index[DST] == before[1];
                before[1] = before[0];
                before[0] = index[DST];
            }
    }
}

static bool is_told(const bool is[WRONGS], const char *text) {
    for (int w = 0; w < WRONGS; w++) {
        char rule[32];
        snprintf(rule, sizeof rule, "Rule %s (", messages[w].rule);
        if (is[w] && strstr(text, rule) && strstr(text, messages[w].says)) return true;
    }
    return false;
}

TEST_CASE(random_kernels) {
    static const verify_case any = {drawn_kernel, NULL, NULL};
    check_random r = {20261124};
    int seen[WRONGS] = {0}, right = 0;
    for (int round = 0; round < ROUNDS; round++) {
        one o = {.options = {.config = config}};
        bool is[WRONGS] = {false}, bad = false;
        drawn = draw(&r);
        look(&drawn, is);
        for (int w = 0; w < WRONGS; w++) {
            bad |= is[w];
            seen[w] += is[w];
        }
        now = &o;
        current = &any;
        vta_status status = one_run(&o, verify, nothing);
        const char *text = vta_diag_text(o.diag);
        if (status != (bad ? VTA_INTERNAL : VTA_OK)) fail_msg("round %d: %d %s", round, status, text);
        if (bad && !is_told(is, text)) fail_msg("round %d: it is not so: %s", round, text);
        if (!bad) assert_int_equal(undecided, 0);
        right += !bad;
        one_end(&o);
    }
    print_message("%d of %d right\n", right, ROUNDS);
    assert_in_range(right, ROUNDS / 8, ROUNDS - ROUNDS / 4);
    for (int w = 0; w < WRONGS; w++)
        if (seen[w] < 20) fail_msg("%s: %d times", messages[w].says, seen[w]);
}

/* ---- What stands in a kernel --------------------------------------------------------------------------------- */

static const vt_stmt *some_uop(void) { return add_imm(num(3), num(3)); }
static const vt_stmt *some_loop(void) { return begin(num(2), 1, 1, 0); }

static const vt_stmt *two_loops(void) { return computes(alu(SEQ(some_loop(), some_loop(), some_uop(), end(), end()))); }
static const vt_stmt *loop_after_uop(void) { return computes(alu(SEQ(some_uop(), some_loop(), end()))); }
static const vt_stmt *uop_after_loop(void) { return computes(alu(SEQ(some_loop(), end(), some_uop()))); }
static const vt_stmt *uop_between_ends(void) {
    return computes(alu(SEQ(some_loop(), some_loop(), add_imm(num(9), num(9)), end(), some_uop(), end())));
}
static const vt_stmt *end_without_loop(void) { return computes(alu(SEQ(some_uop(), end()))); }
static const vt_stmt *loop_without_end(void) { return computes(alu(SEQ(some_loop(), some_uop()))); }
static const vt_stmt *loop_with(uint32_t arguments) {
    const vt_expr *a[] = {num(2), num(1), num(1), num(0), num(0)};
    return computes(alu(SEQ(vt__extern(C, "VTAUopLoopBegin", arguments, a), some_uop(), end())));
}
static const vt_stmt *loop_with_all(void) { return loop_with(4); }
static const vt_stmt *loop_with_less(void) { return loop_with(3); }
static const vt_stmt *loop_with_more(void) { return loop_with(5); }
static const vt_stmt *load_in_kernel(void) {
    return computes(alu(SEQ(some_uop(), load_of(whole(dram.acc, VTA_MEM_ACC)))));
}
static const vt_stmt *store_in_kernel(void) {
    return computes(alu(SEQ(some_uop(), store_of(whole(dram.out, VTA_MEM_OUT)))));
}

/* Under a condition, and otherwise: `then` and `other` are the least of their destinations. */
static const vt_stmt *either(const vt_var *i, int64_t then, int64_t other) {
    const vt_expr *x = vt_add(C, i, num(then)), *y = vt_add(C, vt_sub(C, i, num(4)), num(other));
    return vt_s_if(C, vt_lt(C, i, num(4)), add_imm(x, x), add_imm(y, y));
}
static const vt_stmt *branches(int64_t then, int64_t other) {
    const vt_var *i = var("i");
    return computes(alu(loop(i, 8, either(i, then, other))));
}
static const vt_stmt *both_branches_inside(void) { return branches(0, 0); }
static const vt_stmt *first_branch_outside(void) { return branches(-1, 0); }
static const vt_stmt *other_branch_outside(void) { return branches(0, -1); }
/* What a condition says is over behind it. */
static const vt_stmt *after_both_branches(int64_t least) {
    const vt_var *i = var("i");
    const vt_expr *x = vt_add(C, vt_sub(C, num(7), i), num(least));
    return computes(alu(loop(i, 8, SEQ(either(i, 50, 60), add_imm(x, x)))));
}
static const vt_stmt *inside_after_branches(void) { return after_both_branches(0); }
static const vt_stmt *outside_after_branches(void) { return after_both_branches(-1); }
static const vt_stmt *value_of_let(int64_t least) {
    const vt_var *i = var("i"), *v = var("v");
    return loop(i, 8, computes(alu(vt_s_let(C, v, vt_add(C, vt_mul(C, i, num(2)), num(least)), add_imm(v, v)))));
}
static const vt_stmt *let_inside(void) { return value_of_let(0); }
static const vt_stmt *let_outside(void) { return value_of_let(-3); }

/* Each of `same` neighbours has the same value. */
static const vt_stmt *lets_of(int64_t same) {
    const vt_var *j = var("j"), *v = var("v");
    const vt_expr *value = vt_mul(C, vt_floordiv(C, j, num(same)), num(3));
    return computes(alu(loop(j, 4, vt_s_let(C, v, value, add_imm(v, v)))));
}
static const vt_stmt *lets_apart(void) { return lets_of(1); }
static const vt_stmt *lets_alike(void) { return lets_of(2); }
/* The second branch begins where the first one ended. */
static const vt_stmt *branches_in_turns(void) {
    const vt_var *j = var("j");
    return computes(alu(loop(j, 8, either(j, 0, 3))));
}

TEST_CASE(what_stands_in_a_kernel) {
    static const char arguments[] = "a hardware loop has another number of arguments";
    static const verify_case cases[] = {
        {two_loops, NULL, NULL},
        {loop_after_uop, "kernel", "a hardware loop begins after a micro-op"},
        {uop_after_loop, "kernel", "a micro-op comes after its loops"},
        {uop_between_ends, "kernel", "a micro-op comes after its loops"},
        {end_without_loop, "kernel", "a hardware loop ends that has not begun"},
        {loop_without_end, "kernel", "a hardware loop does not end"},
        {loop_with_all, NULL, NULL},
        {loop_with_less, "kernel", arguments},
        {loop_with_more, "kernel", arguments},
        {load_in_kernel, "kernel", "a transfer stands in a micro-kernel"},
        {store_in_kernel, "kernel", "a transfer stands in a micro-kernel"},
        {both_branches_inside, NULL, NULL},
        {first_branch_outside, "uop-index", "its destination is negative at i = 0"},
        {other_branch_outside, "uop-index", "its destination is negative at i = 4"},
        {inside_after_branches, NULL, NULL},
        {outside_after_branches, "uop-index", "its destination is negative at i = 7"},
        {branches_in_turns, "hazard", "micro-op 4 writes what the one 1 before it writes"},
        {lets_apart, NULL, NULL},
        {lets_alike, "hazard", "micro-op 1 writes what the one 1 before it writes"},
        {let_inside, NULL, NULL},
        {let_outside, "uop-index", "its destination is negative at i = "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_case(&cases[i], i);
}

/* Which micro-ops are recorded depends on the loop outside: their order is not told, which is counted once a kernel. */
static const vt_stmt *condition_from_outside(void) {
    const vt_var *i = var("i"), *j = var("j");
    const vt_stmt *kernel = computes(alu(either(i, 0, 0))), *other = computes(alu(either(j, 8, 9)));
    return SEQ(loop(i, 8, kernel), loop(j, 8, other));
}

TEST_CASE(orders_that_are_not_known) {
    static const verify_case open = {condition_from_outside, NULL, NULL};
    one o = {.options = {.config = config}};
    now = &o;
    current = &open;
    assert_int_equal(one_run(&o, verify, nothing), VTA_OK);
    assert_int_equal(undecided, 2);
    one_end(&o);
}

int main(void) { return run_cases_between(make_config, drop_config); }
