/* What generic passes ask of the accelerator: its memories by their scopes, and which calls are transfers. */
#include "lower/vta/vta.h"
#include "target/default_config.h"

static void (*ask)(one *o, vt_lowering *l);
static one *now;

static const vt_func *asked(vt_lowering *l, const vt_func *f) {
    ask(now, l);
    return f;
}
static const vt_stmt *nothing(one *o) { return vt_s_nop(&o->ctx); }

/* Runs a test where a pass would ask. */
static void in_pass(void (*test)(one *o, vt_lowering *l)) {
    one o = {.options = {.config = config}};
    now = &o;
    ask = test;
    if (one_run(&o, asked, nothing) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
    one_end(&o);
}

/* ---- Memories --------------------------------------------------------------------------------------------------- */

static void ask_memories(one *o, vt_lowering *l) {
    static const struct {
        const char *scope;
        vta_memory memory;
    } rows[] = {{VT_SCOPE_INP, VTA_MEM_INP}, {VT_SCOPE_WGT, VTA_MEM_WGT}, {VT_SCOPE_ACC, VTA_MEM_ACC}};
    static const char *const ordinary[] = {"global", "local", "", "acc"};
    vt_memory_info info;
    (void)o;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(vt_memory_of_scope(l, rows[i].scope, &info));
        assert_string_equal(info.name, vta_memory_name(rows[i].memory));
        assert_int_equal(info.unit_bits, 8 * vta_config_elem_bytes(config, rows[i].memory));
        assert_int_equal(info.align_bits, info.unit_bits);
        assert_int_equal(info.max_bits, info.unit_bits * vta_config_depth(config, rows[i].memory));
    }
    for (size_t i = 0; i < sizeof ordinary / sizeof ordinary[0]; i++)
        assert_false(vt_memory_of_scope(l, ordinary[i], &info));
}

TEST_CASE(memories_have_scopes) { in_pass(ask_memories); }

/* ---- Transfers -------------------------------------------------------------------------------------------------- */

typedef struct call {
    const char *name;
    uint32_t arguments; /* of which `data`, `offset` and `memory` are these, counted from 0 */
    uint32_t data, offset, memory;
} call;
static const call load = {"VTALoadBuffer2D", 12, 1, 2, 11}, store = {"VTAStoreBuffer2D", 8, 3, 4, 2},
                  barrier = {"VTAWriteBarrier", 5, 1, 3, 0};

/* With arguments that can be told apart. */
static const vt_expr *make_call(one *o, const call *c, const vt_expr *memory, uint32_t arguments) {
    const vt_expr *a[16];
    for (uint32_t i = 0; i < arguments; i++) a[i] = i == c->memory ? memory : one_i(o, 1000 + i);
    return vt__extern(&o->ctx, c->name, arguments, a)->u.eval.value;
}

static void expect_transfer(one *o, vt_lowering *l, const call *c, vta_memory memory, int64_t scalars) {
    vt_transfer_info info;
    const vt_expr *e = make_call(o, c, one_i(o, memory), c->arguments);
    assert_true(vt_transfer_of_call(l, e, &info));
    assert_int_equal(e->a[info.data]->u.i, 1000 + c->data);
    assert_int_equal(e->a[info.offset]->u.i, 1000 + c->offset);
    assert_int_equal(info.scalars, scalars);
    for (int more = -1; more <= 1; more += 2) /* another number of arguments */
        assert_false(
            vt_transfer_of_call(l, make_call(o, c, one_i(o, memory), (uint32_t)((int)c->arguments + more)), &info));
    assert_false(vt_transfer_of_call(l, make_call(o, c, one_var(o, "m"), c->arguments), &info));
}

static void ask_transfers(one *o, vt_lowering *l) {
    vt_transfer_info info;
    expect_transfer(o, l, &load, VTA_MEM_INP, 16); /* 1 x 16 */
    expect_transfer(o, l, &load, VTA_MEM_WGT, 256);
    expect_transfer(o, l, &load, VTA_MEM_ACC, 16);
    expect_transfer(o, l, &load, VTA_MEM_ACC_8BIT, 16);
    expect_transfer(o, l, &store, VTA_MEM_OUT, 16);
    assert_false(vt_transfer_of_call(l, make_call(o, &barrier, one_i(o, 1), barrier.arguments), &info));
    assert_false(vt_transfer_of_call(l, one_i(o, 1), &info));
}

TEST_CASE(loads_and_stores_are_transfers) { in_pass(ask_transfers); }

int main(void) { return run_cases_between(make_config, drop_config); }
