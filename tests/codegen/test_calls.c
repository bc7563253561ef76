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

static int freed;
EXPORTED void VTADeviceFree(void *device);
void VTADeviceFree(void *device) { freed += !device; }

typedef enum which { DEP_POP, PHYSICAL, ALLOC, ALLOC_EVEN, FREE } which;

/* A call whose result is asked for in a type, and what that is in 64 bits. Those of ALLOC lie behind `memory`. */
static const struct {
    which call;
    vt_dtype type;
    int64_t want;
} rows[] = {
    {DEP_POP, VT_I64, -34},
    {DEP_POP, VT_I32, -34},
    {DEP_POP, VT_I8, -34},
    {DEP_POP, VT_U8, 0xde},
    {DEP_POP, VT_U32, 0xffffffde},
    {DEP_POP, VT_U64, -34},
    {DEP_POP, VT_BOOL, 1},
    {DEP_POP, VT_F32, -34},
    {DEP_POP, VT_HANDLE_T, 0xffffffde},
    {PHYSICAL, VT_I64, 0xffffff29},
    {PHYSICAL, VT_U64, 0xffffff29},
    {PHYSICAL, VT_I32, -0xd7},
    {PHYSICAL, VT_U32, 0xffffff29},
    {PHYSICAL, VT_I16, -0xd7},
    {PHYSICAL, VT_DTYPE(VT_UINT, 16, 1), 0xff29},
    {PHYSICAL, VT_I8, 0x29},
    {PHYSICAL, VT_BOOL, 1},
    {PHYSICAL, VT_F64, 0xffffff29},
    {PHYSICAL, VT_HANDLE_T, 0xffffff29},
    {ALLOC, VT_HANDLE_T, 41},
    {ALLOC, VT_I64, 41},
    {ALLOC_EVEN, VT_U64, 40},
    {ALLOC_EVEN, VT_U8, 40},
    {ALLOC_EVEN, VT_BOOL, 1},
    {FREE, VT_I32, 0},
    {FREE, VT_U8, 0},
    {FREE, VT_HANDLE_T, 0},
    {FREE, VT_VOID_T, 0},
    {DEP_POP, VT_VOID_T, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const vt_expr *make_call(vt_ctx *c, which what, vt_dtype type) {
    const vt_expr *null = vt_e_call(c, VT_HANDLE_T, VT_OP_REINTERPRET, 1, (const vt_expr *[]){vt_i64(c, 0)});
    const vt_expr *tokens[] = {null, vt_i32(c, 3), vt_i32(c, 4)};
    const vt_expr *sizes[] = {vt_i32(c, 40), vt_i32(c, what != ALLOC_EVEN)}, *pointer;
    switch (what) {
    case DEP_POP: return vt_e_call_extern(c, type, "VTADepPop", 3, tokens);
    case PHYSICAL:
        pointer = vt_e_call_extern(c, VT_HANDLE_T, "VTAMemAlloc", 2, sizes);
        return vt_e_call_extern(c, type, "VTAMemGetPhyAddr", 1, &pointer);
    case FREE: return vt_e_call_extern(c, type, "VTADeviceFree", 1, &null);
    case ALLOC:
    case ALLOC_EVEN: break;
    }
    return vt_e_call_extern(c, type, "VTAMemAlloc", 2, sizes);
}

/* R[i] = the call of row i; where the row has no value, the call alone. */
static const vt_func *make_calls(vt_ctx *c) {
    const vt_buffer *r = flat(c, "R", VT_I64, ROWS);
    const vt_stmt *items[ROWS];
    for (int i = 0; i < ROWS; i++) {
        const vt_expr *e = make_call(c, rows[i].call, rows[i].type);
        bool handle = rows[i].type.code == VT_HANDLE;
        if (handle && !rows[i].type.bits)
            items[i] = vt_s_eval(c, e);
        else
            items[i] = set(c, r, vt_i32(c, i), handle ? as_i64(c, e) : vt_e_cast(c, VT_I64, e));
    }
    return function(c, "calls", 1, &r, vt_s_seq(c, ROWS, items));
}

static void results_of_calls(void **state) {
    through_c = *state != NULL;
    kit k;
    kit_open(&k);
    code compiled = compile(&k, make_calls(&k.ctx), VT_DEVICE_CPU, 1);
    int64_t r[ROWS] = {0};
    flat_tensor t;
    tensor_init(&t, r, 1, VT_INT, 64, ROWS);
    freed = 0;
    assert_int_equal(call(compiled.call, 1, &t), 0);
    assert_int_equal(freed, 4);
    for (int i = 0; i < ROWS; i++) {
        int64_t want = rows[i].want;
        bool place = rows[i].call == ALLOC || rows[i].call == ALLOC_EVEN;
        if (place && !vt_dtype_is_bool(rows[i].type)) {
            want += (intptr_t)memory;
            if (rows[i].type.bits == 8) want &= 0xff;
        }
        if (r[i] != want) fail_msg("row %d: %#llx, not %#llx", i, (unsigned long long)r[i], (unsigned long long)want);
    }
    code_free(&compiled);
    kit_close(&k);
}

/* A call has one result, and a pointer is no real number. */
static const struct {
    which call;
    vt_dtype type;
    const char *says;
} refusals[] = {
    {ALLOC, VT_F32, "error: calls: the result of VTAMemAlloc is a pointer, and no float32"},
    {PHYSICAL, VT_DTYPE(VT_UINT, 32, 4), "error: calls: the result of VTAMemGetPhyAddr is one value, and no uint32x4"},
};

static void refused_types(void **state) {
    (void)state;
    static const vt_emit whats[] = {VT_EMIT_C, VT_EMIT_OBJECT};
    for (size_t i = 0; i < 2 * sizeof refusals / sizeof *refusals; i++) {
        kit k;
        vt_strbuf out;
        kit_open(&k);
        const vt_buffer *r = flat(&k.ctx, "R", VT_I64, 1);
        const vt_stmt *s = vt_s_eval(&k.ctx, make_call(&k.ctx, refusals[i / 2].call, refusals[i / 2].type));
        vta_status status = emit(&k, function(&k.ctx, "calls", 1, &r, s), VT_DEVICE_CPU, NULL, whats[i % 2], 0, &out);
        assert_int_equal(status, VTA_ILLEGAL);
        assert_contains(vta_diag_text(k.diag), refusals[i / 2].says);
        vt_strbuf_free(&out);
        kit_close(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_calls),
        {"results_of_calls_as_c", results_of_calls, NULL, NULL, (void *)"C"},
        cmocka_unit_test(refused_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
