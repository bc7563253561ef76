/* The packed entry: what it checks, and the words it finds. What code generation refuses. */
#include "codegen/stubs.h"

static const vt_func *make_add(vt_ctx *c, vt_for_kind kind, vt_dtype t) {
    const vt_buffer *b[] = {flat(c, "A", t, 100), flat(c, "B", t, 100), flat(c, "C", t, 100)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_stmt *body = set(c, b[2], i, vt_e_bin(c, VT_E_ADD, at(c, b[0], i), at(c, b[1], i)));
    return function(c, "add", 3, b, vt_s_for(c, i, vt_i32(c, 0), vt_i32(c, 100), kind, body));
}

static int32_t data[3][100];

static void fresh(flat_tensor *x, int device) {
    for (int i = 0; i < 3; i++) tensor_init(&x[i], data[i], device, 0, 32, 100);
}

TEST_CASE(test_tensors) {
    kit k;
    kit_open(&k);
    code c = compile(&k, make_add(&k.ctx, VT_FOR_SERIAL, VT_I32), VT_DEVICE_CPU, 2);
    int64_t strides[1] = {1};
    flat_tensor x[3];
    fresh(x, 1);
    assert_int_equal(call(c.call, 3, x), 0);
    EXPECT_ERROR(call(c.call, 2, x), "add: takes 3 arguments (A, B, C), not 2");
    x[1].shape[0] = 99;
    EXPECT_ERROR(call(c.call, 3, x), "add: argument 1 (B): dimension 0 is 99, must be 100 (shape [100])");
    fresh(x, 1);
    x[2].t.ndim = 2;
    EXPECT_ERROR(call(c.call, 3, x), "add: argument 2 (C): has 2 dimensions, must have 1 (shape [100])");
    fresh(x, 1);
    x[0].t.dtype = (DLDataType){2, 64, 1};
    EXPECT_ERROR(call(c.call, 3, x),
                 "add: argument 0 (A): elements must be int32, not type code 2 (0 int, 1 uint, 2 float) of 64 bits");
    fresh(x, 1);
    x[1].t.device.device_type = kDLExtDev;
    EXPECT_ERROR(call(c.call, 3, x),
                 "add: argument 1 (B): is in memory of device type 12, must be on device type 1 (cpu)");
    fresh(x, 1);
    x[1].t.data = NULL;
    EXPECT_ERROR(call(c.call, 3, x), "add: argument 1 (B): its data pointer is null");
    fresh(x, 1);
    x[2].t.strides = strides;
    assert_int_equal(call(c.call, 3, x), 0);
    strides[0] = 2;
    EXPECT_ERROR(call(c.call, 3, x),
                 "add: argument 2 (C): stride of dimension 0 is 2 elements, must be 1: make a compact copy");
    /* A tensor inside a larger one. */
    fresh(x, 1);
    for (int i = 0; i < 100; i++) data[0][i] = i, data[1][i] = 0;
    static int32_t longer[110];
    for (int i = 0; i < 110; i++) longer[i] = i;
    x[0].t.data = longer;
    x[0].t.byte_offset = 40;
    assert_int_equal(call(c.call, 3, x), 0);
    for (int i = 0; i < 100; i++) assert_int_equal(data[2][i], i + 10);
    code_free(&c);
    kit_close(&k);
}

/* A name may have what a format gives a meaning to. */
TEST_CASE(test_names_with_percent) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_buffer *b[] = {flat(c, "50%d", VT_I32, 100), flat(c, "%", VT_I32, 100)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_stmt *body = set(c, b[1], i, at(c, b[0], i));
    const vt_func *f = function(c, "a%sb%%", 2, b, vt_s_for(c, i, vt_i32(c, 0), vt_i32(c, 100), VT_FOR_SERIAL, body));
    code made = compile(&k, f, VT_DEVICE_CPU, 0);
    flat_tensor x[3];
    fresh(x, 1);
    assert_int_equal(call(made.call, 2, x), 0);
    EXPECT_ERROR(call(made.call, 1, x), "a%sb%%: takes 2 arguments (50%d, %), not 1");
    x[0].shape[0] = 99;
    EXPECT_ERROR(call(made.call, 2, x), "a%sb%%: argument 0 (50%d): dimension 0 is 99, must be 100 (shape [100])");
    fresh(x, 1);
    x[1].t.data = NULL;
    EXPECT_ERROR(call(made.call, 2, x), "a%sb%%: argument 1 (%): its data pointer is null");
    code_free(&made);
    kit_close(&k);
}

TEST_CASE(test_accelerator_tensors) {
    kit k;
    kit_open(&k);
    code c = compile(&k, make_add(&k.ctx, VT_FOR_SERIAL, VT_I32), VT_DEVICE_EXT_DEV, 0);
    flat_tensor x[3];
    fresh(x, 1);
    EXPECT_ERROR(call(c.call, 3, x), "add: argument 0 (A): is in memory of device type 1, must be on the accelerator "
                                     "(ext_dev, 12): copy it there first");
    fresh(x, kDLExtDev);
    assert_int_equal(call(c.call, 3, x), 0);
    x[2].t.byte_offset = 64;
    EXPECT_ERROR(call(c.call, 3, x),
                 "add: argument 2 (C): byte_offset is 64, must be 0 for a buffer of the accelerator");
    code_free(&c);
    kit_close(&k);
}

TEST_CASE(test_type_codes) {
    kit k;
    kit_open(&k);
    code c = compile(&k, make_add(&k.ctx, VT_FOR_SERIAL, VT_I32), VT_DEVICE_CPU, 0);
    flat_tensor x[3];
    fresh(x, 1);
    TVMValue values[3] = {{.v_handle = &x[0].t}, {.v_handle = NULL}, {.v_handle = &x[2].t}}, ret;
    int codes[3] = {VTA_ARG_TENSOR, VTA_ARG_TENSOR, VTA_ARG_NDARRAY}, ret_code;
    EXPECT_ERROR(c.call(values, codes, 3, &ret, &ret_code, NULL),
                 "add: argument 1 (B): is a null pointer, must be a tensor of shape [100]");
    values[1].v_handle = &x[1].t;
    assert_int_equal(c.call(values, codes, 3, &ret, &ret_code, NULL), 0);
    codes[2] = VTA_ARG_FLOAT;
    for (codes[2] = VTA_ARG_INT; codes[2] <= VTA_ARG_NDARRAY + 3; codes[2]++) {
        bool pointer = codes[2] == VTA_ARG_TENSOR || codes[2] == VTA_ARG_NDARRAY || codes[2] == VTA_ARG_HANDLE ||
                       codes[2] == VTA_ARG_NULL;
        assert_int_equal(c.call(values, codes, 3, &ret, &ret_code, NULL), pointer ? 0 : -1);
    }
    codes[2] = VTA_ARG_FLOAT;
    EXPECT_ERROR(c.call(values, codes, 3, &ret, &ret_code, NULL),
                 "add: argument 2 (C): must be a tensor (DLTensor *), not a value of type code 2");
    code_free(&c);
    kit_close(&k);
}

enum { SCALED_PARAMS = 6 };

/* What the assertion says: all that texts of C and of LLVM write in another way. */
static const char SAID[] = "n must be \"positive\": 100% \\ %d\t\n\r\x01\x1f\x7f \xc3\xa9 ?\?/?\?' ?\?\?=?";

/* R[0] = n * scale; the other scalars are not used. */
static const vt_func *make_scaled(vt_ctx *c) {
    const vt_buffer *b[] = {flat(c, "R", VT_F32, 2)};
    const vt_var *n = vt_var_new(c, "n", VT_I32), *s = vt_var_new(c, "scale", VT_F32);
    const vt_stmt *body = set(c, b[0], vt_i32(c, 0), vt_e_bin(c, VT_E_MUL, vt_e_cast(c, VT_F32, n), s));
    body = vt_s_assert(c, vt_e_bin(c, VT_E_GT, n, vt_i32(c, 0)), vt_string(c, SAID), body);
    vt_func *f = VT_NEW(c, vt_func);
    *f = *function(c, "scaled", 1, b, body);
    const vt_var **params = VT_NEW_ARRAY(c, const vt_var *, SCALED_PARAMS);
    params[0] = f->params[0], params[1] = n, params[2] = s;
    params[3] = vt_var_new(c, "count", VT_I64);
    params[4] = vt_var_new(c, "weight", VT_F64);
    params[5] = vt_var_new(c, "user", VT_HANDLE_T);
    f->params = params;
    f->n_params = SCALED_PARAMS;
    return f;
}

/* The strides of rows and columns that a compact tensor has. */
TEST_CASE(test_strides) {
    kit k;
    kit_open(&k);
    const vt_expr *shape[] = {vt_i32(&k.ctx, 3), vt_i32(&k.ctx, 2), vt_i32(&k.ctx, 4)}, *zeros[3];
    for (int i = 0; i < 3; i++) zeros[i] = vt_i32(&k.ctx, 0);
    const vt_buffer *b =
        vt_buffer_new(&k.ctx, "A", vt_var_new_pointer(&k.ctx, "A", VT_I32, "global"), VT_I32, 3, shape);
    const vt_stmt *body = vt_s_store(&k.ctx, b, vt_i32(&k.ctx, 7), 3, zeros);
    code c = compile(&k, function(&k.ctx, "set", 1, &b, body), VT_DEVICE_CPU, 0);
    int64_t extents[] = {3, 2, 4}, strides[] = {8, 4, 1};
    flat_tensor t;
    tensor_init(&t, data[0], 1, 0, 32, 3);
    t.t.shape = extents, t.t.strides = strides, t.t.ndim = 3;
    assert_int_equal(call(c.call, 1, &t), 0);
    for (int i = 0; i < 3; i++) {
        strides[i]++;
        assert_int_not_equal(call(c.call, 1, &t), 0);
        strides[i]--;
    }
    strides[0] = 1;
    EXPECT_ERROR(call(c.call, 1, &t),
                 "set: argument 0 (A): stride of dimension 0 is 1 elements, must be 8: make a compact copy");
    code_free(&c);
    kit_close(&k);
}

TEST_CASE(test_scalars_and_assert) {
    kit k;
    kit_open(&k);
    code c = compile(&k, make_scaled(&k.ctx), VT_DEVICE_CPU, 0);
    float r[2] = {0};
    flat_tensor t;
    tensor_init(&t, r, 1, 2, 32, 2);
    TVMValue values[SCALED_PARAMS] = {{.v_handle = &t.t}, {.v_int64 = 4}, {.v_float64 = 2.5}}, ret;
    int codes[SCALED_PARAMS] = {VTA_ARG_TENSOR, VTA_ARG_INT, VTA_ARG_FLOAT, VTA_ARG_INT, VTA_ARG_FLOAT, VTA_ARG_HANDLE};
    int ret_code;
    assert_int_equal(c.call(values, codes, SCALED_PARAMS, &ret, &ret_code, NULL), 0);
    assert_true(r[0] == 10);
    values[2].v_int64 = 3;
    codes[2] = VTA_ARG_INT;
    assert_int_equal(c.call(values, codes, SCALED_PARAMS, &ret, &ret_code, NULL), 0);
    assert_true(r[0] == 12);
    values[1].v_int64 = 0;
    EXPECT_ERROR(c.call(values, codes, SCALED_PARAMS, &ret, &ret_code, NULL), SAID);
    static const struct {
        int at, code;
        const char *text;
    } wrong[] = {
        {1, VTA_ARG_FLOAT, "scaled: argument 1 (n): must be an int, not a value of type code 2"},
        {2, VTA_ARG_HANDLE, "scaled: argument 2 (scale): must be a float (or int), not a value of type code 3"},
        {3, VTA_ARG_FLOAT, "scaled: argument 3 (count): must be an int, not a value of type code 2"},
        {4, VTA_ARG_TENSOR, "scaled: argument 4 (weight): must be a float (or int), not a value of type code 7"},
        {5, VTA_ARG_INT, "scaled: argument 5 (user): must be a handle, not a value of type code 0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int right = codes[wrong[i].at];
        codes[wrong[i].at] = wrong[i].code;
        EXPECT_ERROR(c.call(values, codes, SCALED_PARAMS, &ret, &ret_code, NULL), wrong[i].text);
        codes[wrong[i].at] = right;
    }
    code_free(&c);
    kit_close(&k);
}

/* A's shape is what those of two tensors behind it say. */
static const vt_func *make_shaped(vt_ctx *c) {
    const vt_var *n = vt_var_new(c, "n", VT_I32), *m = vt_var_new(c, "m", VT_I32);
    const vt_expr *shapes[] = {vt_e_bin(c, VT_E_MUL, n, m), n, m};
    static const char *const names[] = {"A", "B", "C"};
    const vt_buffer *b[3];
    for (int i = 0; i < 3; i++)
        b[i] = vt_buffer_new(c, names[i], vt_var_new_pointer(c, names[i], VT_I32, "global"), VT_I32, 1, &shapes[i]);
    const vt_expr *zero = vt_i32(c, 0);
    return function(c, "shaped", 3, b, set(c, b[2], zero, vt_e_bin(c, VT_E_ADD, at(c, b[0], zero), shapes[0])));
}

TEST_CASE(test_shapes_that_depend_on_others) {
    kit k;
    kit_open(&k);
    code c = compile(&k, make_shaped(&k.ctx), VT_DEVICE_CPU, 0);
    flat_tensor x[3];
    static const int sizes[] = {6, 2, 3};
    for (int i = 0; i < 3; i++) tensor_init(&x[i], data[i], 1, 0, 32, sizes[i]);
    data[0][0] = 10;
    assert_int_equal(call(c.call, 3, x), 0);
    assert_int_equal(data[2][0], 16);
    x[0].shape[0] = 5;
    EXPECT_ERROR(call(c.call, 3, x), "shaped: argument 0 (A): dimension 0 is 5, must be (n*m) (shape [(n*m)])");
    code_free(&c);
    vt_strbuf text; /* an extent that gives n its value is not compared with it */
    assert_int_equal(emit(&k, make_shaped(&k.ctx), VT_DEVICE_CPU, NULL, VT_EMIT_C, 0, &text), VTA_OK);
    /* and the codes of pointers (vta/module.h) are all that it takes for a tensor */
    assert_non_null(strstr(text.text, "if (codes[0] != 7 && codes[0] != 13 && codes[0] != 3 && codes[0] != 4)\n"));
    bool compared = strstr(text.text, "must be n ") || strstr(text.text, "must be m ");
    if (compared || !strstr(text.text, "must be (n*m) (shape")) fail_msg("%s", text.text);
    vt_strbuf_free(&text);
    kit_close(&k);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

static void expect_refused(kit *k, const vt_func *f, const char *triple, vta_status status, const char *text) {
    static const vt_emit whats[] = {VT_EMIT_OBJECT, VT_EMIT_C};
    for (int i = 0; i < (triple ? 1 : 2); i++) {
        vt_strbuf out;
        vta_diag_clear(k->diag);
        assert_int_equal(emit(k, f, VT_DEVICE_CPU, triple, whats[i], 0, &out), status);
        if (!strstr(vta_diag_text(k->diag), text)) fail_msg("%s", vta_diag_text(k->diag));
        vt_strbuf_free(&out);
    }
}

TEST_CASE(test_refused) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    expect_refused(&k, make_add(c, VT_FOR_SERIAL, VT_I32), "sparc-sun-solaris", VTA_UNSUPPORTED,
                   "no code generator for the target triple");
    expect_refused(&k, make_add(c, VT_FOR_THREAD, VT_I32), NULL, VTA_ILLEGAL, "thread axis");
    expect_refused(&k, make_add(c, VT_FOR_SERIAL, VT_DTYPE(VT_INT, 4, 1)), NULL, VTA_UNSUPPORTED, "int4");
    const vt_expr *none[] = {vt_i32(c, 0)};
    const vt_stmt *wrong = vt_s_eval(c, vt_e_call_extern(c, VT_I32, "VTAUopLoopBegin", 1, none));
    expect_refused(&k, function(c, "f", 0, NULL, wrong), NULL, VTA_ILLEGAL, "VTAUopLoopBegin takes 4 arguments");
    const vt_func *f = make_add(c, VT_FOR_SERIAL, VT_I32);
    vt_codegen_func twice[] = {{.func = f, .device_type = 1}, {.func = f, .device_type = 1}};
    vt_codegen_job job = {.funcs = twice, .count = 2};
    vt_strbuf out;
    vt_strbuf_init(&out, NULL);
    assert_int_equal(vt_codegen_emit(c, &job, VT_EMIT_OBJECT, &out), VTA_INVALID_ARGUMENT);
    vt_strbuf_free(&out);
    kit_close(&k);
}

TEST_CASE(test_as_c) {
    through_c = true;
    test_tensors(state);
    test_accelerator_tensors(state);
    test_type_codes(state);
    test_scalars_and_assert(state);
    test_shapes_that_depend_on_others(state);
    through_c = false;
}

/* A symbol that is nowhere is named; bytes that are no object are refused. */
TEST_CASE(test_missing_symbol) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_stmt *s = vt_s_eval(c, vt_e_call_extern(c, VT_I32, "nobody_has_this", 0, NULL));
    vt_strbuf object;
    assert_int_equal(emit(&k, function(c, "f", 0, NULL, s), 1, NULL, VT_EMIT_OBJECT, 0, &object), VTA_OK);
    vt_jit *jit;
    void *address;
    assert_int_equal(vt_jit_create(NULL, object.text, object.size, 0, NULL, k.diag, &jit), VTA_OK);
    assert_int_equal(vt_jit_lookup(jit, "f", k.diag, &address), VTA_NOT_FOUND);
    assert_non_null(strstr(vta_diag_text(k.diag), "nobody_has_this"));
    vt_jit_destroy(jit);
    assert_int_equal(vt_jit_create(NULL, "nonsense", 8, 0, NULL, k.diag, &jit), VTA_INVALID_ARGUMENT);
    assert_null(jit);
    vt_strbuf_free(&object);
    kit_close(&k);
}

int main(void) { return run_cases(); }
