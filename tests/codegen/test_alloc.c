/* Where a kernel's own memory lies: on the stack up to 1024 bytes, else in the runtime's workspace; and memory on the
 * accelerator's chip, which only the runtime's calls reach, nowhere. */
#include "codegen/stubs.h"
#include "support/check.h"

enum { ALIGN = 64 };

enum { ROWS = 17 };

/* What was known of each memory when the kernel handed out its address. */
static struct taken {
    void *memory;
    workspace_request request;
} taken[ROWS];

EXPORTED int32_t take_memory(int32_t row, void *memory);
int32_t take_memory(int32_t row, void *memory) {
    taken[row] = (struct taken){memory, workspace};
    workspace = (workspace_request){0};
    return 0;
}

/* `bytes` are what the workspace is asked for; 0: it is not. */
typedef struct memory {
    vt_dtype type;
    int64_t extents[2]; /* the second may be 0: there is none */
    const char *scope;
    uint64_t bytes;
} memory;

static const memory rows[ROWS] = {
    {VT_I8, {1}, "global", 0},
    {VT_I8, {1024}, "global", 0},
    {VT_I8, {1025}, "global", 1025},
    {VT_BOOL, {1024}, "global", 0},
    {VT_BOOL, {1025}, "global", 1025},
    {VT_I16, {512}, "global", 0},
    {VT_I16, {513}, "global", 1026},
    {VT_F32, {256}, "local", 0},
    {VT_F32, {257}, "local", 1028},
    {VT_I64, {128}, "global", 0},
    {VT_I64, {129}, "global", 1032},
    {VT_I32, {16, 16}, "global", 0},
    {VT_I32, {16, 17}, "global", 1088},
    {VT_I32, {1, 257}, "global", 1028},
    {VT_DTYPE(VT_INT, 16, 8), {64}, "global", 0},
    {VT_DTYPE(VT_INT, 16, 8), {65}, "global", 1040},
    {VT_I32, {1 << 30, 4}, "local.acc_buffer", 0},
};

static bool on_chip(const memory *m) { return strncmp(m->scope, "local.", 6) == 0; }

/* R[row] = 7 with such memory around it, whose address is handed out before. */
static const vt_stmt *with_memory(vt_ctx *c, const vt_buffer *r, int row) {
    const memory *m = &rows[row];
    const vt_var *own = vt_var_new_pointer(c, "own", vt_dtype_elem(m->type), m->scope);
    const vt_expr *number = vt_i32(c, row), *args[] = {number, own};
    const vt_expr *extents[] = {vt_i32(c, m->extents[0]), vt_i32(c, m->extents[1])};
    const vt_stmt *items[] = {set(c, r, number, vt_i32(c, 7)),
                              vt_s_eval(c, vt_e_call_extern(c, VT_I32, "take_memory", 2, args))};
    const vt_stmt *body = vt_s_seq(c, on_chip(m) ? 1 : 2, items);
    return vt_s_alloc(c, own, m->type, m->extents[1] ? 2 : 1, extents, vt_bool(c, true), body);
}

static void check_row(int row) {
    const memory *m = &rows[row];
    const workspace_request *got = &taken[row].request;
    assert_int_equal(taken[row].memory == NULL, on_chip(m));
    if (got->bytes != m->bytes) fail_msg("row %d: %llu bytes", row, (unsigned long long)got->bytes);
    if (m->bytes) {
        assert_int_equal(got->device, VT_DEVICE_CPU);
        assert_int_equal(got->code, m->type.code);
        assert_int_equal(got->bits, m->type.bits);
    } else if ((uintptr_t)taken[row].memory % ALIGN) {
        fail_msg("row %d: memory on the stack at %p", row, taken[row].memory);
    }
}

static void places(void **state) {
    through_c = *state != NULL;
    kit k;
    kit_open(&k);
    const vt_buffer *r = flat(&k.ctx, "R", VT_I32, ROWS);
    const vt_stmt *items[ROWS];
    for (int i = 0; i < ROWS; i++) items[i] = with_memory(&k.ctx, r, i);
    code compiled = compile(&k, function(&k.ctx, "kernel", 1, &r, vt_s_seq(&k.ctx, ROWS, items)), VT_DEVICE_CPU, 0);
    int32_t stored[ROWS] = {0};
    flat_tensor t;
    tensor_init(&t, stored, 1, 0, 32, ROWS);
    memset(taken, 0, sizeof taken);
    assert_int_equal(call(compiled.call, 1, &t), 0);
    assert_int_equal(workspaces, 0); /* all were given back */
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(stored[i], 7);
        check_row(i);
    }
    code_free(&compiled);
    kit_close(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        {"places_as_c", places, NULL, NULL, (void *)"C"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
