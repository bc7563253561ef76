/* The last check of transfers: every number of one, at random around what the machine takes, against the machine's
 * limits one by one; the memory and the stage; what stands in DRAM. */
#include "target/machine.h"

enum { ROUNDS = 6000, ITERATIONS = 3, ELEMENTS = 64, PADS = 4 };

/* ---- Numbers ------------------------------------------------------------------------------------------------- */

/* A number of a transfer: it changes with the loop around. */
typedef struct number {
    int64_t first, step;
} number;

typedef struct sizes {
    bool stores;
    number x, y, stride, sram, offset, pads[PADS]; /* pads: x before, y before, x after, y after */
} sizes;

static sizes drawn;

static int64_t at(number n, int64_t i) { return n.first + n.step * i; }

/* What is wrong with a transfer in one iteration. */
typedef struct wrong {
    const char *rule, *says;
    bool so;
} wrong;

enum { WRONGS = 13 };

static void look(const sizes *s, int64_t i, wrong out[WRONGS]) {
    int64_t x = at(s->x, i), y = at(s->y, i), stride = at(s->stride, i), sram = at(s->sram, i),
            offset = at(s->offset, i);
    int64_t columns = x, rows = y, least = 0, most = 0;
    for (int p = 0; p < PADS && !s->stores; p++) {
        int64_t pad = at(s->pads[p], i);
        *(p % 2 ? &rows : &columns) += pad;
        if (pad < least) least = pad;
        if (pad > most) most = pad;
    }
    int64_t end = sram + rows * columns, last = offset + (y - 1) * stride + x;
    int64_t depth = vta_config_depth(config, s->stores ? VTA_MEM_OUT : VTA_MEM_INP);
    const wrong all[WRONGS] = {
        {"size", "x_size is not positive", x < 1},
        {"size", "x_size is above 65535", x > 65535},
        {"size", "y_size is negative", y < 0},
        {"size", "y_size is above 65535", y > 65535},
        {"size", "it has no rows at all", rows < 1},
        {"size", "x_stride is negative", stride < 0},
        {"size", "x_stride is above 65535", stride > 65535},
        {"size", "padding is negative", least < 0},
        {"size", "padding is above 15", most > 15},
        {"sram", "the on-chip address is negative", sram < 0 || end < 0},
        {"sram", "it ends past the end of the memory", end > depth},
        {"dram", "it begins before the tensor", y > 0 && offset < 0}, /* without rows it reads nothing */
        {"dram", "it ends past the end of the tensor", y > 0 && last > ELEMENTS},
    };
    memcpy(out, all, sizeof all);
}

static bool is_wrong(const wrong all[WRONGS]) {
    bool found = false;
    for (int w = 0; w < WRONGS; w++) found |= all[w].so;
    return found;
}

/* Mostly what is right, sometimes next to a limit. */
static number draw(check_random *r, int64_t least, int64_t most, int64_t limit) {
    number n = {check_between(r, least, most), 0};
    if (check_between(r, 0, 11) == 0) n.first = check_between(r, 0, 1) ? limit + check_between(r, -1, 1) : -1;
    if (check_between(r, 0, 4) == 0) n.step = check_between(r, -1, 1);
    return n;
}

static sizes draw_sizes(check_random *r) {
    sizes s = {.stores = check_between(r, 0, 2) == 0};
    int64_t depth = vta_config_depth(config, s.stores ? VTA_MEM_OUT : VTA_MEM_INP);
    s.x = draw(r, 1, 8, 65535);
    s.y = draw(r, 0, 5, 65535);
    s.stride = draw(r, 0, 12, 65535);
    s.offset = draw(r, 0, 20, ELEMENTS);
    for (int p = 0; p < PADS; p++) s.pads[p] = draw(r, 0, 3, 15);
    int64_t columns = s.x.first, rows = s.y.first;
    for (int p = 0; p < PADS && !s.stores; p++) *(p % 2 ? &rows : &columns) += s.pads[p].first;
    s.sram = draw(r, 0, 100, depth - rows * columns);
    if (s.y.first > 1 && check_between(r, 0, 3) == 0) /* to the tensor's end, or over it */
        s.offset.first = ELEMENTS - (s.y.first - 1) * s.stride.first - s.x.first + check_between(r, 0, 1);
    return s;
}

static const vt_stmt *drawn_transfer(void) {
    const vt_var *i = var("i");
    load l = whole(drawn.stores ? dram.out : dram.inp, drawn.stores ? VTA_MEM_OUT : VTA_MEM_INP);
    const struct {
        const vt_expr **to;
        number n;
    } all[] = {{&l.x, drawn.x},
               {&l.y, drawn.y},
               {&l.stride, drawn.stride},
               {&l.sram, drawn.sram},
               {&l.offset, drawn.offset},
               {&l.pad[0], drawn.pads[0]},
               {&l.pad[1], drawn.pads[1]},
               {&l.pad[2], drawn.pads[2]},
               {&l.pad[3], drawn.pads[3]}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        *all[k].to = vt_add(C, num(all[k].n.first), vt_mul(C, i, num(all[k].n.step)));
    const vt_stmt *transfer = drawn.stores ? store_of(l) : load_of(l);
    return loop(i, ITERATIONS, only(drawn.stores ? VTA_STAGE_STORE : VTA_STAGE_LOAD, transfer));
}

/* An iteration is named, and in it, that is wrong. */
static void expect_told(int round, const char *text) {
    const char *named = strstr(text, " at i = ");
    wrong all[WRONGS];
    if (!named) fail_msg("round %d: no iteration: %s", round, text);
    look(&drawn, strtoll(named + strlen(" at i = "), NULL, 10), all);
    for (int w = 0; w < WRONGS; w++) {
        char rule[32];
        snprintf(rule, sizeof rule, "Rule %s (", all[w].rule);
        if (all[w].so && strstr(text, rule) && strstr(text, all[w].says)) return;
    }
    fail_msg("round %d: it is not so: %s", round, text);
}

static void random_numbers(void **state) {
    (void)state;
    static const verify_case any = {drawn_transfer, NULL, NULL};
    check_random r = {20261123};
    int seen[WRONGS] = {0}, right = 0;
    for (int round = 0; round < ROUNDS; round++) {
        one o = {.options = {.config = config}};
        bool bad = false;
        drawn = draw_sizes(&r);
        for (int64_t i = 0; i < ITERATIONS; i++) {
            wrong all[WRONGS];
            look(&drawn, i, all);
            bad |= is_wrong(all);
            for (int w = 0; w < WRONGS; w++) seen[w] += all[w].so;
        }
        now = &o;
        current = &any;
        vta_status status = one_run(&o, verify, nothing);
        const char *text = vta_diag_text(o.diag);
        if (status != (bad ? VTA_INTERNAL : VTA_OK)) fail_msg("round %d: %d %s", round, status, text);
        if (bad)
            expect_told(round, text);
        else
            assert_int_equal(undecided, 0);
        right += !bad;
        one_end(&o);
    }
    print_message("%d of %d right\n", right, ROUNDS);
    assert_in_range(right, ROUNDS / 8, ROUNDS - ROUNDS / 4);
    for (int w = 0; w < WRONGS; w++) assert_true(seen[w] > 20);
}

/* ---- Memories and stages ------------------------------------------------------------------------------------- */

static struct {
    bool stores;
    vta_memory memory;
    vta_stage stage;
} placed;

static const vt_buffer *tensor_of(vta_memory memory) {
    switch (memory) {
    case VTA_MEM_WGT: return dram.wgt;
    case VTA_MEM_ACC: return dram.acc;
    case VTA_MEM_OUT: return dram.out;
    case VTA_MEM_UOP:
    case VTA_MEM_INP:
    case VTA_MEM_ACC_8BIT:
    case VTA_MEM_TABLE:
    case VTA_MEM_COUNT: break;
    }
    return dram.inp; /* of 8 bits, as those that are widened into the accumulators */
}

static const vt_stmt *transfer_placed(void) {
    load l = whole(tensor_of(placed.memory), placed.memory);
    l.x = l.stride = num(2);
    return only(placed.stage, placed.stores ? store_of(l) : load_of(l));
}

/* Which stage moves which memory; 0: none does. */
static vta_stage stage_of(bool stores, vta_memory memory) {
    if (stores) return memory == VTA_MEM_OUT ? VTA_STAGE_STORE : 0;
    switch (memory) {
    case VTA_MEM_INP:
    case VTA_MEM_WGT: return VTA_STAGE_LOAD;
    case VTA_MEM_ACC:
    case VTA_MEM_ACC_8BIT: return VTA_STAGE_COMPUTE;
    case VTA_MEM_UOP:
    case VTA_MEM_OUT:
    case VTA_MEM_TABLE: /* the configuration of these tests has none */
    case VTA_MEM_COUNT: break;
    }
    return 0;
}

static void memories_and_stages(void **state) {
    (void)state;
    static const vta_memory memories[] = {VTA_MEM_UOP, VTA_MEM_INP,      VTA_MEM_WGT,  VTA_MEM_ACC,
                                          VTA_MEM_OUT, VTA_MEM_ACC_8BIT, VTA_MEM_TABLE};
    for (int i = 0; i < 2 * 7 * 3; i++) {
        placed.stores = i % 2;
        placed.memory = memories[i / 2 % 7];
        placed.stage = (vta_stage[]){VTA_STAGE_LOAD, VTA_STAGE_COMPUTE, VTA_STAGE_STORE}[i / 14];
        vta_stage right = stage_of(placed.stores, placed.memory);
        verify_case c = {transfer_placed, NULL, NULL};
        char says[96];
        c.says = says;
        if (!right) {
            c.rule = "transfer";
            snprintf(says, sizeof says, "memory %d cannot be %s", placed.memory, placed.stores ? "stored" : "loaded");
        } else if (right != placed.stage) {
            c.rule = "stage";
            snprintf(says, sizeof says, "a transfer of stage %d stands in a task of stage %d", right, placed.stage);
        }
        check_case(&c, (size_t)i);
    }
}

/* ---- The call, and what stands in DRAM ----------------------------------------------------------------------- */

/* One argument more or less than it has. */
static const vt_stmt *with_arguments(const vt_stmt *call, int more) {
    const vt_expr *e = call->u.eval.value;
    const vt_expr *a[16] = {0};
    uint32_t n = 0;
    for (; n + 1 < e->n; n++) a[n] = e->a[n + 1]; /* the first is the name */
    a[n] = num(0);
    return vt__extern(C, e->a[0]->u.s, (uint32_t)((int)n + more), a);
}
static const vt_stmt *load_with(int more) {
    return only(VTA_STAGE_LOAD, with_arguments(load_of(whole(dram.inp, VTA_MEM_INP)), more));
}
static const vt_stmt *store_with(int more) {
    return only(VTA_STAGE_STORE, with_arguments(store_of(whole(dram.out, VTA_MEM_OUT)), more));
}
static const vt_stmt *load_with_more(void) { return load_with(1); }
static const vt_stmt *load_with_less(void) { return load_with(-1); }
static const vt_stmt *load_with_all(void) { return load_with(0); }
static const vt_stmt *store_with_more(void) { return store_with(1); }
static const vt_stmt *store_with_less(void) { return store_with(-1); }
static const vt_stmt *store_with_all(void) { return store_with(0); }

static const vt_stmt *memory_of_a_loop(void) {
    const vt_var *i = var("i");
    load l = whole(dram.inp, VTA_MEM_INP);
    l.memory = vt_add(C, i, num(VTA_MEM_INP));
    return loop(i, 2, loads(l, VTA_STAGE_LOAD));
}
static const vt_stmt *expression_as_tensor(void) {
    load l = whole(dram.inp, VTA_MEM_INP);
    l.data = num(64);
    return loads(l, VTA_STAGE_LOAD);
}

/* Storage of a function's own, of two dimensions, of which `elements` inputs are read. */
static const vt_stmt *own_storage(const char *scope, vt_dtype type, const vt_expr *rows, int64_t elements) {
    const vt_expr *shape[] = {rows, num(4)};
    const vt_var *v = vt_var_new_pointer(C, "own", type, scope);
    load l = whole(dram.inp, VTA_MEM_INP);
    l.data = v;
    l.y = num(1);
    l.x = num(elements);
    return vt_s_alloc(C, v, type, 2, shape, vt_bool(C, true), loads(l, VTA_STAGE_LOAD));
}
static const vt_stmt *own_bytes(int64_t rows) { return own_storage("global", VT_DTYPE(VT_INT, 8, 1), num(rows), 5); }
static const vt_stmt *own_bytes_enough(void) { return own_bytes(20); }
static const vt_stmt *own_bytes_too_few(void) { return own_bytes(19); }
static const vt_stmt *own_vectors(int64_t elements) {
    return own_storage("", VT_DTYPE(VT_INT, 32, 4), num(5), elements);
}
static const vt_stmt *own_vectors_enough(void) { return own_vectors(20); }
static const vt_stmt *own_vectors_too_few(void) { return own_vectors(21); }
static const vt_stmt *own_on_chip(void) { return own_storage(VT_SCOPE_ACC, VT_DTYPE(VT_INT, 8, 1), num(20), 5); }
static const vt_stmt *own_that_grows(void) { /* by a row of 4 bytes with each iteration: 5 inputs are never there */
    const vt_var *i = var("i");
    return loop(i, 8, own_storage("global", VT_DTYPE(VT_INT, 8, 1), vt_add(C, i, num(2)), 5));
}

/* One of the two branches of a condition on the loop around moves past the end: 64 elements, 16 a step. */
static const vt_stmt *branches(int64_t then_from, int64_t else_from) {
    const vt_var *i = var("i");
    load near = whole(dram.inp, VTA_MEM_INP), far;
    near.y = num(1);
    far = near;
    near.offset = vt_mul(C, vt_sub(C, i, num(then_from)), num(16));
    far.offset = vt_mul(C, vt_sub(C, i, num(else_from)), num(16));
    const vt_stmt *either =
        vt_s_if(C, vt_lt(C, i, num(4)), task(VTA_STAGE_LOAD, load_of(near)), task(VTA_STAGE_LOAD, load_of(far)));
    return SEQ(loop(i, 8, either), synchronize());
}
static const vt_stmt *both_branches_inside(void) { return branches(0, 4); }
static const vt_stmt *first_branch_outside(void) { return branches(1, 4); }
static const vt_stmt *other_branch_outside(void) { return branches(0, 3); }
static load behind_the_end(void) {
    load l = whole(dram.inp, VTA_MEM_INP);
    l.offset = num(1);
    return l;
}
static const vt_stmt *under_an_assertion(void) {
    return vt_s_assert(C, vt_bool(C, true), vt_string(C, "so"), loads(behind_the_end(), VTA_STAGE_LOAD));
}

/* What a condition, a let or a task says is over behind it. */
static const vt_stmt *after_a_condition(void) {
    const vt_var *i = var("i");
    load l = whole(dram.inp, VTA_MEM_INP);
    l.offset = vt_floordiv(C, i, num(4));
    const vt_stmt *right = load_of(whole(dram.inp, VTA_MEM_INP));
    const vt_stmt *first = vt_s_if(C, vt_lt(C, i, num(4)), task(VTA_STAGE_LOAD, right), NULL);
    return loop(i, 8, SEQ(first, loads(l, VTA_STAGE_LOAD)));
}
static const vt_stmt *after_both_branches(void) {
    const vt_var *i = var("i");
    load l = whole(dram.inp, VTA_MEM_INP);
    l.offset = vt_floordiv(C, vt_sub(C, num(7), i), num(4));
    const vt_stmt *right = task(VTA_STAGE_LOAD, load_of(whole(dram.inp, VTA_MEM_INP)));
    return loop(i, 8, SEQ(vt_s_if(C, vt_lt(C, i, num(4)), right, right), loads(l, VTA_STAGE_LOAD)));
}
static const vt_stmt *after_a_let(void) {
    const vt_var *i = var("i"), *v = var("v");
    load l = whole(dram.inp, VTA_MEM_INP);
    l.offset = vt_sub(C, v, v);
    return SEQ(loop(i, 8, vt_s_let(C, v, vt_mul(C, i, num(3)), task(VTA_STAGE_LOAD, load_of(l)))),
               loads(behind_the_end(), VTA_STAGE_LOAD));
}
static const vt_stmt *after_a_task(void) {
    const vt_stmt *l = load_of(whole(dram.inp, VTA_MEM_INP));
    return SEQ(task(VTA_STAGE_LOAD, l), l, synchronize());
}
static const vt_stmt *kernel_not_awaited(void) { return task(VTA_STAGE_COMPUTE, alu(add_imm(num(0), num(0)))); }

static void calls_and_tensors(void **state) {
    (void)state;
    static const char arguments[] = "it has another number of arguments", behind[] = "ends past the end of the tensor";
    static const verify_case cases[] = {
        {load_with_all, NULL, NULL},
        {load_with_more, "transfer", arguments},
        {load_with_less, "transfer", arguments},
        {store_with_all, NULL, NULL},
        {store_with_more, "transfer", arguments},
        {store_with_less, "transfer", arguments},
        {memory_of_a_loop, "transfer", "the memory is not a constant"},
        {expression_as_tensor, "transfer", "the DRAM side is not a tensor of the function"},
        {own_bytes_enough, NULL, NULL},
        {own_bytes_too_few, "dram", behind},
        {own_vectors_enough, NULL, NULL},
        {own_vectors_too_few, "dram", behind},
        {own_on_chip, "transfer", "the DRAM side is not in DRAM"},
        {both_branches_inside, NULL, NULL},
        {first_branch_outside, "dram", "it begins before the tensor at i = 0"},
        {other_branch_outside, "dram", "it ends past the end of the tensor at i = 7"},
        {under_an_assertion, "dram", behind},
        {after_a_condition, "dram", "it ends past the end of the tensor at i = 4"},
        {after_both_branches, "dram", "it ends past the end of the tensor at i = 0"},
        {after_a_let, "dram", "it ends past the end of the tensor. Suspected"},
        {after_a_task, "stage", "a transfer of stage 1 stands in a task of stage 0"},
        {kernel_not_awaited, "sync", "nothing waits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_case(&cases[i], i);
}

/* What cannot be told is counted, and passes. */
static void sizes_that_are_not_known(void **state) {
    (void)state;
    static const verify_case open = {own_that_grows, NULL, NULL};
    one o = {.options = {.config = config}};
    now = &o;
    current = &open;
    assert_int_equal(one_run(&o, verify, nothing), VTA_OK);
    assert_int_equal(undecided, 1);
    one_end(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_numbers), cmocka_unit_test(memories_and_stages),
                                       cmocka_unit_test(calls_and_tensors), cmocka_unit_test(sizes_that_are_not_known)};
    return cmocka_run_group_tests(tests, make_config, drop_config);
}
