/* Results of the runtime's functions, in the types that functions ask for. */
#include "codegen/stubs.h"
#include "support/check.h"

static char memory[64];

EXPORTED int VTADepPop(void *cmd, int from, int to);
int VTADepPop(void *cmd, int from, int to) { return cmd ? 0 : -10 * from - to; }

EXPORTED void *VTAMemAlloc(size_t size, int cached);
void *VTAMemAlloc(size_t size, int cached) { return memory + size + cached; }

EXPORTED uint32_t VTAMemGetPhyAddr(void *p);
uint32_t VTAMemGetPhyAddr(void *p) { return (uint32_t)((char *)p - memory) + 0xffffff00u; }

static const vt_expr *as_i64(vt_ctx *c, const vt_expr *e) { return vt_e_call(c, VT_I64, VT_OP_REINTERPRET, 1, &e); }

enum { RESULTS = 5 };

static const vt_func *make_calls(vt_ctx *c) {
    const vt_expr *null = vt_e_call(c, VT_HANDLE_T, VT_OP_REINTERPRET, 1, (const vt_expr *[]){vt_i64(c, 0)});
    const vt_expr *tokens[] = {null, vt_i32(c, 3), vt_i32(c, 4)}, *sizes[] = {vt_i32(c, 40), vt_i32(c, 1)};
    const vt_expr *pointer = vt_e_call_extern(c, VT_HANDLE_T, "VTAMemAlloc", 2, sizes);
    const vt_expr *results[RESULTS] = {
        vt_e_call_extern(c, VT_I64, "VTADepPop", 3, tokens),
        vt_e_cast(c, VT_I64, vt_e_call_extern(c, VT_I32, "VTADepPop", 3, tokens)),
        vt_e_cast(c, VT_I64, vt_e_call_extern(c, VT_I8, "VTADepPop", 3, tokens)),
        as_i64(c, pointer),
        vt_e_cast(c, VT_I64, vt_e_call_extern(c, VT_U32, "VTAMemGetPhyAddr", 1, &pointer)),
    };
    const vt_buffer *r = flat(c, "R", VT_I64, RESULTS);
    const vt_stmt *items[RESULTS];
    for (int i = 0; i < RESULTS; i++) items[i] = set(c, r, vt_i32(c, i), results[i]);
    return function(c, "calls", 1, &r, vt_s_seq(c, RESULTS, items));
}

static void results_of_calls(void **state) {
    through_c = *state != NULL;
    kit k;
    kit_open(&k);
    code compiled = compile(&k, make_calls(&k.ctx), VT_DEVICE_CPU, 1);
    int64_t r[RESULTS] = {0};
    flat_tensor t;
    tensor_init(&t, r, 1, VT_INT, 64, RESULTS);
    assert_int_equal(call(compiled.call, 1, &t), 0);
    for (int i = 0; i < 3; i++) assert_int_equal(r[i], -34);
    assert_int_equal(r[3], (intptr_t)(memory + 41));
    assert_int_equal(r[4], 0xffffff29);
    code_free(&compiled);
    kit_close(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_calls),
        {"results_of_calls_as_c", results_of_calls, NULL, NULL, (void *)"C"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
