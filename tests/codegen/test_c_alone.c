/* The C back end in a program that is linked without LLVM (tests/CMakeLists.txt): had it a use for a function of
 * LLVM's, this would not link. */
#include <link.h>

#include "codegen/kernels.h"

static int is_llvm(struct dl_phdr_info *info, size_t size, void *found) {
    (void)size;
    if (strstr(info->dlpi_name, "LLVM")) *(bool *)found = true;
    return 0;
}

static const vt_func *make_add(vt_ctx *c) {
    const vt_buffer *b[] = {flat(c, "A", VT_I32, 100), flat(c, "B", VT_I32, 100), flat(c, "C", VT_I32, 100)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    return function(c, "add", 3, b,
                    loop(c, i, 100, set(c, b[2], i, vt_e_bin(c, VT_E_ADD, at(c, b[0], i), at(c, b[1], i)))));
}

TEST_CASE(writes_c) {
    kit k;
    kit_open(&k);
    vt_strbuf out;
    vt_strbuf_init(&out, NULL);
    vt_codegen_func both[] = {{.func = make_add(&k.ctx), .device_type = VT_DEVICE_CPU},
                              {.func = make_add(&k.ctx), .device_type = VT_DEVICE_CPU, .name = "add"}};
    assert_int_equal(vt_codegen_c(&k.ctx, &(vt_codegen_job){.funcs = both, .count = 1}, &out), VTA_OK);
    assert_non_null(strstr(vt_strbuf_text(&out), "int add("));
    assert_non_null(strstr(vt_strbuf_text(&out), "__vta_signature_add"));
    assert_int_equal(vt_codegen_c(&k.ctx, &(vt_codegen_job){.funcs = both, .count = 2}, &out), VTA_INVALID_ARGUMENT);
    vt_strbuf_free(&out);
    kit_close(&k);
    bool llvm = false;
    dl_iterate_phdr(is_llvm, &llvm);
    assert_false(llvm);
}

int main(void) { return run_cases(); }
