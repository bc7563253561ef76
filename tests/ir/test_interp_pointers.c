/* Pointers in the interpreter: addresses of elements, and memory behind a pointer that a call gives. */
#include "ir/interp.h"
#include "ir/support.h"

static bool note_pointer(void *user, const char *name, uint32_t n, const vt_value *args, vt_value *out) {
    (void)name, (void)out;
    assert_int_equal(n, 1);
    *(const void **)user = args[0].u.p;
    return true;
}

/* The address of an element; only no address is a null pointer. */
static vta_status addresses(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"A", "B"};
    flat f;
    flat_begin(ctx, &f, 2, names, (const int64_t[]){4, 2});
    const vt_expr *third = load1(ctx, f.buffers[0], vt_i32(ctx, 2)), *zero = vt_i32(ctx, 0), *one = vt_i32(ctx, 1);
    const vt_expr *address = vt_e_call(ctx, VT_HANDLE_T, VT_OP_ADDRESS_OF, 1, &third);
    const vt_var *given = vt_var_new(ctx, "given", VT_HANDLE_T);
    f.params[2] = given;
    f.func.n_params = 3;
    const vt_expr *answers[] = {vt_e_call(ctx, VT_BOOL, VT_OP_ISNULLPTR, 1, &address),
                                vt_e_call(ctx, VT_BOOL, VT_OP_ISNULLPTR, 1, &given)};
    const vt_stmt *items[] = {vt_s_eval(ctx, vt_e_call_extern(ctx, VT_I32, "look", 1, &address)),
                              store1(ctx, f.buffers[1], vt_e_cast(ctx, VT_I32, answers[0]), zero),
                              store1(ctx, f.buffers[1], vt_e_cast(ctx, VT_I32, answers[1]), one)};
    f.func.body = vt_s_seq(ctx, 3, items);
    int32_t memory[4] = {0}, answer[2] = {7, 7};
    const void *seen = NULL;
    vt_interp_arg args[] = {{.data = memory, .elements = 4}, {.data = answer, .elements = 2}, {.elements = 0}};
    vt_interp_hooks hooks = {.user = &seen, .call = note_pointer};
    assert_int_equal(vt_interp_run(ctx, &f.func, 3, args, &hooks), VTA_OK);
    assert_ptr_equal(seen, memory + 2);
    assert_true(answer[0] == 0 && answer[1] == 1);
    return VTA_OK;
}

typedef struct pool {
    int32_t small[1], large[2];
    int asked;
    bool empty;
} pool;

/* In rounds 0 and 1 the small one, then the large one. */
static bool give_pointer(void *user, const char *name, uint32_t n, const vt_value *args, vt_value *out) {
    pool *p = user;
    (void)name;
    assert_int_equal(n, 1);
    out->u.p = args[0].u.i < 2 ? p->small : p->large;
    return true;
}

static size_t bytes_behind(void *user, const void *pointer) {
    pool *p = user;
    p->asked++;
    return p->empty ? 0 : pointer == p->small ? sizeof p->small : sizeof p->large;
}

/* B[i] = p[at[i]], where p is what a call gave in round i of three. */
static vta_status through_pointers(vt_ctx *ctx, pool *p, const int32_t at[3], int32_t out[3]) {
    static const char *const names[] = {"at", "B"};
    flat f;
    flat_begin(ctx, &f, 2, names, (const int64_t[]){3, 3});
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *pointer = vt_var_new_pointer(ctx, "p", VT_I32, "");
    const vt_expr *two = vt_i32(ctx, 2), *call = vt_e_call_extern(ctx, VT_HANDLE_T, "give", 1, &i);
    const vt_buffer *b = vt_buffer_new(ctx, "P", pointer, VT_I32, 1, &two);
    const vt_stmt *store = store1(ctx, f.buffers[1], load1(ctx, b, load1(ctx, f.buffers[0], i)), i);
    f.func.body = loop(ctx, i, 3, vt_s_let(ctx, pointer, call, store));
    int32_t places[] = {at[0], at[1], at[2]};
    vt_interp_arg args[] = {{.data = places, .elements = 3}, {.data = out, .elements = 3}};
    return vt_interp_run(ctx, &f.func, 2, args,
                         &(vt_interp_hooks){.user = p, .call = give_pointer, .bytes = bytes_behind});
}

/* It is another one in the last round, and larger; how large is asked once for each. */
static vta_status pools(vt_ctx *ctx, void *arg) {
    pool p = {.small = {11}, .large = {22, 33}};
    int32_t out[3];
    (void)arg;
    assert_int_equal(through_pointers(ctx, &p, (const int32_t[]){0, 0, 1}, out), VTA_OK);
    assert_true(out[0] == 11 && out[1] == 11 && out[2] == 33);
    assert_int_equal(p.asked, 2);
    return VTA_OK;
}

static vta_status beyond_pool(vt_ctx *ctx, void *arg) {
    pool p = {.empty = *(bool *)arg};
    int32_t out[3];
    return through_pointers(ctx, &p, (const int32_t[]){0, 1, 0}, out);
}

TEST_CASE(test_pools) {
    bool empty = true, full = false;
    run_in_context(pools, NULL, VTA_OK, NULL);
    run_in_context(beyond_pool, &full, VTA_OUT_OF_RANGE, "error: element 1 of P, which has 1");
    run_in_context(beyond_pool, &empty, VTA_ILLEGAL, "error: buffer P has no memory: nothing allocates p");
}

TEST_CASE(test_addresses) { run_in_context(addresses, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
