/* The unscheduled computation as blocks, and the recorded text of one. */
#include "support/golden.h"
#include "te_test.h"

TEST_CASE(listing) {
    te_context *c = context_with(NULL);
    int64_t shape[] = {1, 64, 1, 16};
    te_tensor *a = te_placeholder(c, "A", "int32", 4, shape), *b = te_placeholder(c, "B", "int32", 4, shape);
    te_define(c, "A_buf like A = A[...]");
    te_define(c, "B_buf like A = B[...]");
    te_define(c, "C_buf like A = A_buf[...] + B_buf[...]");
    te_tensor *out = te_define(c, "C like A = int8(C_buf[...])");
    const char *text = te_prim_func_text(c, 3, (te_tensor *[]){a, b, out}, "add");
    assert_fine(c);
    golden_check("listings/vadd.create_prim_func.tvmscript.txt", text);
    te_context_destroy(c);
}

TEST_CASE(reduction) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "A", "int8", 2, (int64_t[]){4, 8});
    te_tensor *s = te_define(c, "S[i: 4] = sum[k: 8](int32(A[i, k]))");
    const char *text = te_prim_func_text(c, 2, (te_tensor *[]){a, s}, NULL);
    assert_fine(c);
    static const char *const parts[] = {
        "def main(A: T.Buffer[(4, 8), \"int8\"], S: T.Buffer[(4,), \"int32\"]) -> None:",
        "with T.init():",
        "T.axis.remap(\"SR\", [i0, i1])",
        "T.reads(A[i, k])",
        "T.writes(S[i])",
        "S[i] = S[i] + T.cast(A[i, k], \"int32\")"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i])) fail_msg("no \"%s\" in\n%s", parts[i], text);
    assert_null(te_prim_func_text(c, 1, &s, NULL));
    assert_refused(c, VTA_INVALID_ARGUMENT, "the input A is not among the arguments");
    assert_null(te_prim_func_text(c, 1, &a, NULL));
    te_context_destroy(c);
}

int main(void) { return golden_result(run_cases()); }
