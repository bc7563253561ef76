/* Calls of native code: a function gets the tensors of its step, in their order, where the host sees the device's
 * memory and where it does not; what it writes arrives. */
#include "small.h"

#include "exec/exec_priv.h"
#include "support/diag.h"

/* Arguments are pieces of two tensors, one on the device and one on the host, in turns; every third one is written.
 * Some of those that are only read are pieces of a constant. */
enum { MAX_ARGS = 64, PIECE = 2, SPACE = MAX_ARGS * PIECE };
enum { X, DEVICE, Y, CONSTANT }; /* buffers */

static bool is_written(int i) { return i % 3 == 0; }
static bool on_device(int i) { return i % 2 == 0; }
static uint32_t buffer_of(int i) { return i % 6 == 1 ? CONSTANT : on_device(i) ? DEVICE : X; }
static int8_t given(int i, int k) { return (int8_t)(3 * i + 17 * k); }
static int8_t written(int i, int k) { return (int8_t)(given(i, k) + 50); }

/* ---- The function ------------------------------------------------------------------------------------------------ */

static int arg_count, calls;

static void check_argument(const DLTensor *t, int i) {
    int8_t *data = t->data;
    assert_int_equal(t->ndim, 1);
    assert_int_equal(t->shape[0], PIECE);
    assert_int_equal(t->device.device_type, kDLCPU);
    assert_int_equal(t->device.device_id, 0);
    assert_null(t->strides);
    assert_int_equal(t->dtype.code, kDLInt);
    assert_int_equal(t->dtype.bits, 8);
    assert_int_equal(t->byte_offset, 0);
    for (int k = 0; k < PIECE; k++)
        if (is_written(i))
            data[k] = written(i, k);
        else
            assert_int_equal(data[k], given(i, k));
}

static int function(TVMValue *args, int *codes, int n, TVMValue *ret, int *ret_code, void *resource) {
    (void)ret, (void)ret_code, (void)resource;
    assert_int_equal(n, arg_count);
    for (int i = 0; i < n; i++) {
        assert_int_equal(codes[i], VTA_ARG_TENSOR);
        check_argument(args[i].v_handle, i);
    }
    calls++;
    return 0;
}

/* That it takes `arg_count` tensors of two int8. */
static char *make_signature(void) {
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    vt_strbuf_add(&text, "{\"version\": 1, \"name\": \"f\", \"args\": [");
    for (int i = 0; i < arg_count; i++) {
        if (i) vt_strbuf_add(&text, ", ");
        vt_strbuf_add(&text,
                      "{\"name\": \"a\", \"dtype\": \"int8\", \"shape\": [2], \"device\": \"cpu\", \"output\": ");
        vt_strbuf_add(&text, is_written(i) ? "true}" : "false}");
    }
    vt_strbuf_add(&text, "]}");
    return vt_strbuf_take(&text);
}

static void *lookup(void *signature, const char *name) {
    if (!strcmp(name, VTA_SIGNATURE_PREFIX "f")) return signature;
    return !strcmp(name, "f") ? (void *)(uintptr_t)&function : NULL;
}

/* ---- The network ------------------------------------------------------------------------------------------------- */

/* x goes to the device, the function works on both, and what is on the device goes to y. */
static vta_model *make_model(void) {
    static const int64_t whole[] = {SPACE}, piece[] = {PIECE};
    static const vt_plan_view x = {0, 0, SPACE, {kDLInt, 8, 1}, 1, false, whole};
    static const vt_plan_view device = {1, 0, SPACE, {kDLInt, 8, 1}, 1, false, whole};
    static const vt_plan_view y = {2, 0, SPACE, {kDLInt, 8, 1}, 1, true, whole};
    vt_plan_buffer buffers[] = {{"x", VT_PLACE_HOST, 0, SPACE},
                                {"device", VT_PLACE_DEVICE, X_AT, SPACE},
                                {"y", VT_PLACE_HOST, SPACE, SPACE},
                                {"constant", VT_PLACE_DATA, SPACE, SPACE}};
    vt_plan_port outputs[] = {{"x", x}, {"y", y}};
    vt_plan_view to[] = {x, device}, from[] = {device, y}, args[MAX_ARGS];
    vt_plan_step steps[] = {{.kind = VT_STEP_COPY, .name = "to", .views = to, .view_count = 2},
                            {.kind = VT_STEP_CALL, .name = "call", .function = "f", .views = args},
                            {.kind = VT_STEP_COPY, .name = "from", .views = from, .view_count = 2}};
    small s;
    vta_model *model;
    size_t size;
    int8_t data[2 * SPACE] = {0}; /* the constant is the second half */
    for (int i = 0; i < SPACE; i++) data[SPACE + i] = given(i / PIECE, i % PIECE);
    to[1].output = true;
    outputs[1].view.output = false;
    for (int i = 0; i < arg_count; i++)
        args[i] = (vt_plan_view){buffer_of(i), (uint64_t)(PIECE * i), PIECE, {kDLInt, 8, 1}, 1, is_written(i), piece};
    steps[1].view_count = (uint32_t)arg_count;
    small_make(&s);
    s.code = "what no loader takes";
    s.data = (const char *)data;
    s.data_bytes = sizeof data;
    s.plan.triple = "x86_64-unknown-linux-gnu";
    s.plan.buffers = buffers;
    s.plan.buffer_count = 4;
    s.plan.inputs = &(vt_plan_port){"x", x};
    s.plan.outputs = outputs;
    s.plan.output_count = 2;
    s.plan.steps = steps;
    s.plan.step_count = 3;
    s.plan.host_bytes = 2 * SPACE;
    uint8_t *bytes = small_write(&s, NULL, &size);
    must(vta_model_parse(bytes, size, "small.vta-model", NULL, diag, &model));
    vta_string_free(bytes);
    small_free(&s);
    return model;
}

/* What stands in x or in what was on the device. */
static void check_output(vta_instance *in, size_t index) {
    int8_t got[SPACE];
    must(vta_instance_get_output(in, index, got, sizeof got, diag));
    for (int i = 0; i < MAX_ARGS; i++)
        for (int k = 0; k < PIECE; k++) {
            bool was_written = i < arg_count && is_written(i) && on_device(i) == (index == 1);
            assert_int_equal(got[i * PIECE + k], was_written ? written(i, k) : given(i, k));
        }
}

static void check_calls(bool no_host_view) {
    int8_t x[SPACE];
    vta_instance *in;
    char *signature = make_signature();
    vta_model *model = make_model();
    must(vta_module_wrap("code", lookup, NULL, signature, NULL, diag, &model->module)); /* in place of what it has */
    must(vta_instance_create(model, &(vta_instance_options){.no_host_view = no_host_view}, diag, &in));
    for (int i = 0; i < arg_count; i++) /* a copy of what the host does not see */
        assert_int_equal(in->steps[1].arguments[i].staging != NULL, no_host_view && on_device(i));
    for (int i = 0; i < SPACE; i++) x[i] = given(i / PIECE, i % PIECE);
    calls = 0;
    for (int run = 1; run <= 3; run++) {
        must(vta_instance_set_input(in, 0, x, sizeof x, diag));
        must(vta_instance_run(in, diag));
        assert_int_equal(calls, run);
        check_output(in, 0);
        check_output(in, 1);
    }
    vta_instance_destroy(in);
    vta_model_release(model);
    vta_string_free(signature);
}

TEST_CASE(any_number_of_tensors) {
    for (arg_count = 1; arg_count <= MAX_ARGS; arg_count++)
        for (int no_host_view = 0; no_host_view < 2; no_host_view++) check_calls(no_host_view);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
