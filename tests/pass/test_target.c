/* Generic passes know of an accelerator what its vt_target says: here one that is not VTA. */
#include "pass/one.h"

/* One memory, "pad", of 256 words in units of 4, in which buffers begin at multiples of 32 words. */
static bool pad_memory(const vt_target *t, const char *scope, vt_memory_info *out_info) {
    (void)t;
    if (strcmp(scope, "local.pad") != 0) return false;
    *out_info = (vt_memory_info){.name = "pad", .unit_bits = 128, .align_bits = 1024, .max_bits = 256 * 32};
    return true;
}

/* FETCH(offset, buffer): offsets count pairs of scalars. */
static bool fetch_transfer(const vt_target *t, const vt_expr *call, vt_transfer_info *out_info) {
    (void)t;
    if (!vt_is_call(call, VT_OP_CALL_EXTERN) || strcmp(call->a[0]->u.s, "FETCH") != 0) return false;
    *out_info = (vt_transfer_info){.data = 2, .offset = 1, .scalars = 2};
    return true;
}

static bool fence(const vt_expr *call) {
    return vt_is_call(call, VT_OP_CALL_EXTERN) && strcmp(call->a[0]->u.s, "FENCE") == 0;
}

static vt_target other = {.memory_of_scope = pad_memory, .transfer_of_call = fetch_transfer, .orders_tasks = fence};
static vt_target beside = {
    .memory_of_scope = pad_memory, .transfer_of_call = fetch_transfer, .orders_tasks = fence, .threads_overlap = true};

static const vt_stmt *call(one *o, const char *name, uint32_t n, const vt_expr *const *args) {
    return vt_s_eval(&o->ctx, vt_e_call_extern(&o->ctx, VT_I32, name, n, args));
}

static const vt_stmt *copy(one *o, const vt_buffer *to, const vt_buffer *from, int64_t n) {
    const vt_var *i = one_var(o, "i");
    return one_for(o, i, n, VT_FOR_SERIAL, one_store(o, to, i, one_load(o, from, i)));
}

/* x to a, a to b, both to y. */
static const vt_stmt *two_pads(one *o, int64_t size) {
    const vt_buffer *a = one_buffer(o, "a", size, "local.pad"), *b = one_buffer(o, "b", size, "local.pad");
    const vt_stmt *in = one_seq(o, copy(o, a, o->x, 20), copy(o, b, a, 20));
    const vt_stmt *out = one_seq(o, copy(o, o->y, b, 20), copy(o, o->y, a, 20));
    return one_alloc(o, a, one_alloc(o, b, one_seq(o, in, out)));
}
static const vt_stmt *small_pads(one *o) { return two_pads(o, 20); }
static const vt_stmt *large_pads(one *o) { return two_pads(o, 129); }

static const vt_stmt *chain(one *o) {
    const vt_buffer *a = one_buffer(o, "a", 20, "local.pad"), *b = one_buffer(o, "b", 20, "local.pad");
    const vt_stmt *in = one_seq(o, copy(o, a, o->x, 20), copy(o, b, a, 20));
    return one_alloc(o, a, one_alloc(o, b, one_seq(o, in, copy(o, o->y, b, 20))));
}

static const char *run(one *o, vt_target *target, one_pass pass, const vt_stmt *(*build)(one *o), vta_status want) {
    o->target = target;
    vta_status status = one_run(o, pass, build);
    if (status != want) fail_msg("status %d: %s", status, vta_diag_text(o->diag));
    return vta_diag_text(o->diag);
}
#define GIVES_FOR(target, pass, build, ...)                                                                            \
    do {                                                                                                               \
        one given = {.options = {0}};                                                                                  \
        run(&given, target, vt_pass_##pass, build, VTA_OK);                                                            \
        one_expect(&given, (const char *const[]){__VA_ARGS__, NULL});                                                  \
    } while (0)

TEST_CASE(places) {
    one o = {.options = {0}};
    GIVES_FOR(&other, storage_rewrite, small_pads, "allocate(a: Pointer(local.pad int32), int32, [64])", "!allocate(b",
              "[(32 + i_1)] = ");
    assert_contains(run(&o, &other, vt_pass_storage_rewrite, large_pads, VTA_ILLEGAL),
                    "the pad buffer holds 64 elements, but what lives in it at one time needs 80 (a 33, b 33)");
    one_end(&o);
    /* without a target the scope is special, and no more is known */
    GIVES_FOR(NULL, storage_rewrite, large_pads, "int32, [258])", "[(129 + i_1)] = ");
}

TEST_CASE(overlap) {
    GIVES_FOR(&other, storage_rewrite, chain, "int32, [20])", "!+ i");        /* b takes a's place */
    GIVES_FOR(&beside, storage_rewrite, chain, "int32, [64])", "(32 + i_1)"); /* each its own */
}

/* Each thread's part of `own` is fetched. */
static const vt_stmt *fetching(one *o, int64_t size) {
    const vt_var *v = one_var(o, "v");
    const vt_iter *axis = vt_iter_new(&o->ctx, v, NULL, NULL, VT_ITER_THREAD_INDEX, "vthread");
    const vt_buffer *own = one_buffer(o, "own", size, "global");
    const vt_expr *args[] = {one_i(o, 3), own->data};
    const vt_stmt *body = one_seq(o, one_store(o, own, one_i(o, 0), v), call(o, "FETCH", 2, args));
    return vt_s_attr(&o->ctx, vt_ref_iter(axis), "virtual_thread", one_i(o, 2), one_alloc(o, own, body));
}
static const vt_stmt *fetch_parts(one *o) { return fetching(o, 8); }
static const vt_stmt *fetch_odd_parts(one *o) { return fetching(o, 7); }

/* A loop with as many steps as the thread's number says. */
static const vt_stmt *steps(one *o, const char *name) {
    const vt_var *v = one_var(o, "v"), *k = one_var(o, "k");
    const vt_iter *axis = vt_iter_new(&o->ctx, v, NULL, NULL, VT_ITER_THREAD_INDEX, "vthread");
    const vt_stmt *loop = vt_s_for(&o->ctx, k, one_i(o, 0), v, VT_FOR_SERIAL, call(o, name, 0, NULL));
    return vt_s_attr(&o->ctx, vt_ref_iter(axis), "virtual_thread", one_i(o, 2), loop);
}
static const vt_stmt *fences(one *o) { return steps(o, "FENCE"); }
static const vt_stmt *others(one *o) { return steps(o, "OTHER"); }

TEST_CASE(threads) {
    one odd = {.options = {0}}, ordered = {.options = {0}}, alone = {.options = {0}};
    GIVES_FOR(&other, inject_virtual_thread, fetch_parts, "\"FETCH\", (3 + (0*4)), own", "\"FETCH\", (3 + (1*4)), own",
              "int32, [16])");
    assert_contains(run(&odd, &other, vt_pass_inject_virtual_thread, fetch_odd_parts, VTA_ILLEGAL),
                    "own has 7 scalars for each virtual thread, which is not a whole number of elements");
    assert_contains(run(&alone, NULL, vt_pass_inject_virtual_thread, fetch_parts, VTA_UNSUPPORTED), "passed to a call");
    assert_contains(run(&ordered, &other, vt_pass_inject_virtual_thread, fences, VTA_UNSUPPORTED),
                    "loop k has a number of steps that depends on the virtual thread v");
    GIVES_FOR(&other, inject_virtual_thread, others, "\"OTHER\"");
    one_end(&odd);
    one_end(&ordered);
    one_end(&alone);
}

int main(void) { return run_cases(); }
