/* What the text of a kernel says where running it on this machine would not show the difference. */
#include "codegen/kernels.h"
#include "ir/attr.h"
#include "support/check.h"

/* A text with these parts, and without those that follow a "!". */
static void expect(kit *k, const vt_func *f, int32_t device, vt_emit what, const char *const parts[]) {
    vt_strbuf text;
    if (emit(k, f, device, NULL, what, 0, &text) != VTA_OK) fail_msg("%s", vta_diag_text(k->diag));
    for (size_t i = 0; parts[i]; i++) {
        bool no = parts[i][0] == '!';
        if ((strstr(vt_strbuf_text(&text), parts[i] + no) != NULL) == no)
            fail_msg("%s \"%s\" in:\n%s", no ? "unexpected" : "no", parts[i] + no, vt_strbuf_text(&text));
    }
    vt_strbuf_free(&text);
}
#define EXPECT(k, f, device, what, ...) expect(k, f, device, what, (const char *const[]){__VA_ARGS__, NULL})

/* A pointer may have fewer bits than the number that it comes from: they are not copied as they are. */
TEST_CASE(pointers_from_numbers) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_buffer *r = flat(c, "R", VT_I64, 1);
    const vt_expr *zero = vt_i32(c, 0), *number = at(c, r, zero);
    const vt_expr *pointer = vt_e_call(c, VT_HANDLE_T, VT_OP_REINTERPRET, 1, &number);
    const vt_stmt *s = set(c, r, zero, vt_e_call(c, VT_I64, VT_OP_REINTERPRET, 1, &pointer));
    EXPECT(&k, function(c, "f", 1, &r, s), VT_DEVICE_CPU, VT_EMIT_C,
           "R[0] = ((int64_t)(intptr_t)((void *)(intptr_t)R[0]));", "!memcpy(&b");
    kit_close(&k);
}

/* In the object a device has a name where it has one, else its number. */
TEST_CASE(devices_of_signatures) {
    static const struct {
        int32_t device;
        const char *says;
    } rows[] = {{VT_DEVICE_CPU, "\\\"device\\\": \\\"cpu\\\""},
                {VT_DEVICE_EXT_DEV, "\\\"device\\\": \\\"ext_dev\\\""},
                {7, "\\\"device\\\": 7"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kit k;
        kit_open(&k);
        vt_ctx *c = &k.ctx;
        const vt_buffer *r = flat(c, "R", VT_I64, 1);
        const vt_expr *args[] = {r->data};
        const vt_stmt *s = vt_s_eval(c, vt_e_call_extern(c, VT_I32, "take", 1, args));
        EXPECT(&k, function(c, "f", 1, &r, s), rows[i].device, VT_EMIT_C, rows[i].says);
        kit_close(&k);
    }
}

/* What a micro-kernel asks of the runtime's handle: it has one of its own, as it is recorded in a function of its own;
 * outside of it nothing asks for one. */
TEST_CASE(handle_of_a_kernel) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_expr *stages[] = {vt_i32(c, 1), vt_i32(c, 2)};
    const vt_iter *axis = vt_iter_new(c, vt_var_new(c, "vta", VT_I32), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    const vt_stmt *s = vt_s_eval(c, vt_e_call(c, VT_I32, VT_OP_VTA_COPROC_DEP_PUSH, 2, stages));
    s = vt_s_attr(c, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(c, "VTAPushGEMMOp"), s);
    EXPECT(&k, function(c, "f", 0, NULL, s), VT_DEVICE_CPU, VT_EMIT_C,
           "static int f_uops_0(void *signature) {\n    (void)signature;\n    void *vta_cmd = VTATLSCommandHandle();\n"
           "    VTADepPush(vta_cmd, 1, 2);\n    return 0;\n}\n",
           "VTAPushGEMMOp(&f_uop_handle_0, f_uops_0, NULL, 0)");
    kit_close(&k);
}

int main(void) { return run_cases(); }
