/* The accelerator's passes by themselves, on functions built by hand. */
#include "lower/vta/vta.h"
#include "target/default_config.h"

static void gives_vta(one_pass pass, const vt_stmt *(*build)(one *o), const char *const texts[]) {
    one o = {.options = {.config = config}};
    if (one_run(&o, pass, build) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
    one_expect(&o, texts);
}
#define GIVES_VTA(pass, build, ...) gives_vta(vt_pass_##pass, build, (const char *const[]){__VA_ARGS__, NULL})

/* ---- Tokens ----------------------------------------------------------------------------------------------------- */

static const vt_iter *axis_of(one *o) {
    return vt_iter_new(&o->ctx, one_var(o, "vta"), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
}

/* A task of a stage: a call that names it. */
static const vt_stmt *task(one *o, const vt_iter *axis, vta_stage stage) {
    static const char *const names[] = {"?", "LOAD", "COMPUTE", "STORE"};
    return vt_s_attr(&o->ctx, vt_ref_iter(axis), VT_ATTR_TASK, one_i(o, stage),
                     vt__extern(&o->ctx, names[stage], 0, NULL));
}

static const vt_stmt *straight(one *o) {
    const vt_iter *axis = axis_of(o);
    return one_seq(o, task(o, axis, VTA_STAGE_LOAD),
                   one_seq(o, task(o, axis, VTA_STAGE_COMPUTE), task(o, axis, VTA_STAGE_STORE)));
}
static const vt_stmt *looped(one *o) { return one_for(o, one_var(o, "i"), 4, VT_FOR_SERIAL, straight(o)); }
/* As lowering makes it: an allocation around the loop. */
static const vt_stmt *allocated(one *o) { return one_alloc(o, one_buffer(o, "t", 64, VT_SCOPE_ACC), looped(o)); }
static const vt_stmt *one_stage(one *o) {
    const vt_iter *axis = axis_of(o);
    return one_seq(o, task(o, axis, VTA_STAGE_COMPUTE), task(o, axis, VTA_STAGE_COMPUTE));
}
static const vt_stmt *no_task(one *o) { return one_store(o, o->y, one_i(o, 0), one_i(o, 1)); }

/* A copy from x to y on the chip, then on the host from y to x, inside of a loop or not. */
static const vt_stmt *then_processor(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_iter *axis = axis_of(o);
    const vt_expr *zero = one_i(o, 0), *a[12];
    for (int i = 0; i < 12; i++) a[i] = zero;
    a[1] = o->x->data;
    const vt_stmt *load = vt__extern(ctx, "VTALoadBuffer2D", 12, a);
    a[1] = zero;
    a[3] = o->y->data;
    const vt_stmt *store = vt__extern(ctx, "VTAStoreBuffer2D", 8, a);
    const vt_stmt *tasks = one_seq(o, vt_s_attr(ctx, vt_ref_iter(axis), VT_ATTR_TASK, one_i(o, 2), load),
                                   vt_s_attr(ctx, vt_ref_iter(axis), VT_ATTR_TASK, one_i(o, 3), store));
    const vt_var *i = one_var(o, "i");
    const vt_stmt *after = one_for(o, i, 8, VT_FOR_SERIAL, one_store(o, o->x, i, one_load(o, o->y, i)));
    return one_seq(o, tasks, one_seq(o, after, task(o, axis, VTA_STAGE_COMPUTE)));
}
static const vt_stmt *loop_with_processor(one *o) {
    return one_for(o, one_var(o, "k"), 2, VT_FOR_SERIAL, then_processor(o));
}

/* What a function does, one letter a task and a sign a token: "(32" pushes store to compute, ")32" pops it. */
static void flow_of(const vt_stmt *s, char *out) {
    if (s->kind == VT_S_SEQ) {
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) flow_of(s->u.seq.items[i], out);
    } else if (s->kind == VT_S_ATTR || s->kind == VT_S_ALLOC) {
        flow_of(vt_stmt_body(s), out);
    } else if (s->kind == VT_S_FOR) {
        strcat(out, "{");
        flow_of(s->u.loop.body, out);
        strcat(out, "}");
    } else if (s->kind == VT_S_IF) {
        strcat(out, "[");
        flow_of(s->u.branch.then_case, out);
        strcat(out, "|");
        if (s->u.branch.else_case) flow_of(s->u.branch.else_case, out);
        strcat(out, "]");
    } else if (s->kind == VT_S_STORE) {
        strcat(out, "p");
    } else if (s->kind == VT_S_EVAL) {
        const vt_expr *e = s->u.eval.value;
        char *end = out + strlen(out);
        if (e->u.op == VT_OP_CALL_EXTERN)
            sprintf(end, "%c", e->a[0]->u.s[0]);
        else if (e->u.op == VT_OP_VTA_COPROC_SYNC)
            sprintf(end, ".");
        else
            sprintf(end, "%c%d%d", e->u.op == VT_OP_VTA_COPROC_DEP_PUSH ? '(' : ')', (int)e->a[0]->u.i,
                    (int)e->a[1]->u.i);
    }
}

static void flow_is(const vt_stmt *(*build)(one *o), const char *want) {
    one o = {.options = {.config = config}};
    char got[512] = "";
    if (one_run(&o, vt_pass_coproc_sync, build) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
    flow_of(o.after->body, got);
    assert_string_equal(got, want);
    one_end(&o);
}

static const vt_stmt *branches(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_iter *axis = axis_of(o);
    const vt_var *i = one_var(o, "i");
    const vt_stmt *either = vt_s_if(ctx, vt_lt(ctx, i, one_i(o, 2)), task(o, axis, VTA_STAGE_LOAD), NULL);
    return one_for(o, i, 4, VT_FOR_SERIAL, one_seq(o, either, task(o, axis, VTA_STAGE_COMPUTE)));
}
static const vt_stmt *nested(one *o) {
    const vt_iter *axis = axis_of(o);
    const vt_stmt *inner = one_for(o, one_var(o, "k"), 4, VT_FOR_SERIAL,
                                   one_seq(o, task(o, axis, VTA_STAGE_LOAD), task(o, axis, VTA_STAGE_COMPUTE)));
    const vt_stmt *body =
        one_seq(o, task(o, axis, VTA_STAGE_COMPUTE), one_seq(o, inner, task(o, axis, VTA_STAGE_STORE)));
    return one_for(o, one_var(o, "i"), 4, VT_FOR_SERIAL, body);
}

TEST_CASE(tokens_between_tasks) {
    flow_is(straight, "L(12)12C(23)23S.");
    flow_is(one_stage, "CC.");
    flow_is(no_task, "p");
    /* the loop's end tells its begin: a primer before, a drain after, the synchronization last */
    flow_is(allocated, "(21{)21L(12)12C(23)23S(32)32(21})21.");
    flow_is(looped, "(21{)21L(12)12C(23)23S(32)32(21}.)21"); /* the drain of a whole program is the next run's */
    /* a reset before a reduction, a store after it: loads wait for the reset, then for each round's computation */
    flow_is(nested, "(32{)32C(21{)21L(12)12C(21}(23)21)23S(32}.)32");
    /* the load may not happen, its tokens pass in any case */
    /* the host waits for what was stored; no token passes it */
    flow_is(then_processor, "V(23)23V.{p}C.");
    one o = {.options = {.config = config}};
    assert_int_equal(one_run(&o, vt_pass_coproc_sync, loop_with_processor), VTA_UNSUPPORTED);
    assert_contains(vta_diag_text(o.diag), "both work on y inside of one loop");
    one_end(&o);
    flow_is(branches, "(21{)21[L|](12)12C(21}.)21");
}

/* ---- Pragmas ---------------------------------------------------------------------------------------------------- */

static const vt_stmt *marked(one *o, const char *pragma) {
    const vt_var *i = one_var(o, "i");
    const vt_iter *axis = vt_iter_new(&o->ctx, i, one_i(o, 0), one_i(o, 8), VT_ITER_DATA_PAR, "");
    return vt_s_attr(&o->ctx, vt_ref_iter(axis), pragma, one_i(o, 1),
                     one_for(o, i, 8, VT_FOR_SERIAL, one_store(o, o->y, i, one_load(o, o->x, i))));
}
static const vt_stmt *with_sync(one *o) { return marked(o, "pragma_coproc_sync"); }
static const vt_stmt *with_trim(one *o) { return marked(o, "pragma_trim_loop"); }
static const vt_stmt *with_skip_copy(one *o) { return marked(o, "pragma_skip_dma_copy"); }
static const vt_stmt *with_skip_alu(one *o) { return marked(o, "pragma_skip_alu"); }
static const vt_stmt *with_alu(one *o) { return marked(o, "pragma_alu"); }

TEST_CASE(pragmas) {
    GIVES_VTA(coproc_pragma, with_sync, "for (i: int32, 0, 8)", "@tir.vta.coproc_sync(");
    GIVES_VTA(coproc_pragma, with_trim, "for (i: int32, 0, 2)");
    GIVES_VTA(inject_skip_copy, with_skip_copy, "!for");
    GIVES_VTA(annotate_alu_scope, with_skip_alu, "!for");
    GIVES_VTA(annotate_alu_scope, with_alu, "\"coproc_scope\" = 2", "\"coproc_uop_scope\" = \"VTAPushALUOp\"", "for");
}

/* ---- ALU -------------------------------------------------------------------------------------------------------- */

/* A copy from the second 64 accumulators to the first, where a loop may stay at one of them. */
static const vt_stmt *alu_copy(one *o, int64_t row, int64_t column) {
    vt_ctx *c = &o->ctx;
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j"), *s = one_var(o, "s");
    const vt_buffer *acc = one_buffer(o, "acc", 128 * 16, VT_SCOPE_ACC);
    const vt_expr *from = vt_add(c, vt_mul(c, i, one_i(o, 16 * 8)), vt_mul(c, j, one_i(o, 16)));
    const vt_expr *to = vt_add(c, vt_mul(c, i, one_i(o, 16 * row)), vt_mul(c, j, one_i(o, 16 * column)));
    const vt_expr *value = one_load(o, acc, vt_add(c, vt_add(c, from, s), one_i(o, 64 * 16)));
    const vt_stmt *nest = one_for(o, s, 16, VT_FOR_SERIAL, one_store(o, acc, vt_add(c, to, s), value));
    nest = one_for(o, i, 4, VT_FOR_SERIAL, one_for(o, j, 8, VT_FOR_SERIAL, nest));
    const vt_iter *axis = vt_iter_new(c, i, one_i(o, 0), one_i(o, 4), VT_ITER_DATA_PAR, "");
    return one_alloc(o, acc, vt_s_attr(c, vt_ref_iter(axis), "pragma_alu", one_i(o, 1), nest));
}
static const vt_stmt *copy_of_all(one *o) { return alu_copy(o, 8, 1); }
static const vt_stmt *copy_over_rows(one *o) { return alu_copy(o, 0, 1); }
static const vt_stmt *copy_over_columns(one *o) { return alu_copy(o, 1, 0); }

static void alu_refused(const vt_stmt *(*build)(one *o), const char *says) {
    one o = {.options = {.config = config}};
    assert_int_equal(one_run(&o, vt_pass_inject_alu, build), VTA_ILLEGAL);
    assert_contains(vta_diag_text(o.diag), says);
    one_end(&o);
}

/* One place cannot take the values of all steps of a loop. */
TEST_CASE(alu_copies) {
    GIVES_VTA(inject_alu, copy_of_all, "uop_push", "!pragma_alu");
    alu_refused(copy_over_rows, "axis i writes the same elements in every step");
    alu_refused(copy_over_columns, "axis j writes the same elements in every step");
}

/* ---- Allocations and addresses ---------------------------------------------------------------------------------- */

static const vt_stmt *inner_alloc(one *o) {
    const vt_var *i = one_var(o, "i");
    const vt_buffer *t = one_buffer(o, "t", 64, VT_SCOPE_ACC);
    const vt_expr *at = vt__access(&o->ctx, VT_I32, t->data, vt_mul(&o->ctx, i, one_i(o, 32)), one_i(o, 16), 1);
    const vt_stmt *use = vt__extern(&o->ctx, "USE", 1, &at);
    return one_for(o, i, 2, VT_FOR_SERIAL, one_seq(o, vt__extern(&o->ctx, "FIRST", 0, NULL), one_alloc(o, t, use)));
}

TEST_CASE(addresses) {
    one o = {.options = {.config = config}};
    assert_int_equal(one_run(&o, vt_pass_lift_alloc, inner_alloc), VTA_OK);
    assert_int_equal(o.after->body->u.loop.body->kind, VT_S_ALLOC); /* at the begin of the loop's body */
    one_expect(&o, (const char *const[]){"FIRST", NULL});
    GIVES_VTA(lower_storage_access, inner_alloc, "\"USE\", (i*2)", "!allocate");
}

/* Three buffers of one on-chip memory that are in use at once. */
static const vt_stmt *three_at_once(one *o) {
    const vt_buffer *t[3];
    static const char *const names[] = {"a", "b", "c"};
    const vt_stmt *body = NULL;
    for (int k = 0; k < 3; k++) t[k] = one_buffer(o, names[k], 32 << k, VT_SCOPE_ACC);
    for (int k = 0; k < 6; k++) {
        const vt_expr *at = vt__access(&o->ctx, VT_I32, t[k % 3]->data, one_i(o, 16), one_i(o, 16), 1);
        const vt_stmt *use = vt__extern(&o->ctx, k < 3 ? "FILL" : "USE", 1, &at);
        body = body ? one_seq(o, body, use) : use;
    }
    for (int k = 3; k-- > 0;) body = one_alloc(o, t[k], body);
    return body;
}

static int times(const char *text, const char *part) {
    int n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

/* They become one allocation, each with its place in it. */
TEST_CASE(one_allocation_a_memory) {
    one o = {.options = {.config = config}};
    assert_int_equal(one_run(&o, vt_pass_storage_rewrite, three_at_once), VTA_OK);
    if (times(o.text, "allocate(") != 1) fail_msg("not one allocation: %s", o.text);
    one_expect(&o, (const char *const[]){"int32, [224])", "a, 16,", "a, 48,", "a, 112,", "!b,", "!c,", NULL});
}

static const vt_stmt *host_access(one *o) {
    const vt_var *i = one_var(o, "i");
    return one_for(o, i, 8, VT_FOR_SERIAL, one_store(o, o->y, i, one_load(o, o->x, i)));
}

TEST_CASE(host_addresses) {
    GIVES_VTA(cpu_access, host_access, "x_ptr", "y_ptr", "\"VTABufferCPUPtr\", @tir.tvm_thread_context(");
    GIVES_VTA(cpu_access, straight, "!VTABufferCPUPtr");
}

/* The host's copy from x to y: both are dropped from its cache first, and what it wrote is given to memory. */
TEST_CASE(cache_barriers) {
    GIVES_VTA(cache_barriers, host_access, "coproc_write_barrier(x", "coproc_write_barrier(y", "32u32, 0u32, 64u32",
              "coproc_read_barrier(y", "!coproc_read_barrier(x");
    GIVES_VTA(cache_barriers, loop_with_processor, "coproc_write_barrier(x", "coproc_write_barrier(y",
              "coproc_read_barrier(x", "!coproc_read_barrier(y");
    GIVES_VTA(cache_barriers, straight, "!barrier");
}

int main(void) { return run_cases_between(make_config, drop_config); }
