/* A kernel file under its caller's names: what they become, that no two things share one, and the order of inputs. */
#include "operators/ops.h"
#include "support/check.h"
#include "vta/te.h"

static const char own[] = "kernel max\n\n"
                          "input a: inp_t[4]\n"
                          "input b: inp_t[4]\n"
                          "input side: acc_t[4]\n"
                          "tensor a_buf like a = a[...]\n"
                          "output res[i: 4] = max(a_buf[i], b[i]) + side[i]\n"
                          "stage a_buf\n  scope acc\n";

/* What the arguments a, b, side and the result are called by the caller, and the function. */
static const struct {
    const char *function, *a, *b, *side, *res, *text;
} cases[] = {
    /* in the order b, side, a, which is the caller's */
    {"own", "x", "y", "z", "out",
     "kernel own\n\ninput y: inp_t[4]\ninput z: acc_t[4]\ninput x: inp_t[4]\ntensor a_buf like x = x[...]\n"
     "output out[i: 4] = max(a_buf[i], y[i]) + z[i]\nstage a_buf\n  scope acc\n"},
    /* no words: letters, digits and '_' only, no digit first, something */
    {"9 x-y", "", "a b", "1st", "A9_",
     "kernel __x_y\n\ninput a_b: inp_t[4]\ninput _st: acc_t[4]\ninput _: inp_t[4]\ntensor a_buf like _ = _[...]\n"
     "output A9_[i: 4] = max(a_buf[i], a_b[i]) + _st[i]\nstage a_buf\n  scope acc\n"},
    /* statements of the language, and what the file calls: a tensor may not be called so, the function may */
    {"tensor", "sum", "input", "output", "max",
     "kernel tensor\n\ninput input_: inp_t[4]\ninput output_: acc_t[4]\ninput sum: inp_t[4]\n"
     "tensor a_buf like sum = sum[...]\noutput max_[i: 4] = max(a_buf[i], input_[i]) + output_[i]\n"
     "stage a_buf\n  scope acc\n"},
    /* names that the file has for something else, and of each other */
    {"a", "b", "a", "i", "a_buf",
     "kernel a\n\ninput a_: inp_t[4]\ninput i_: acc_t[4]\ninput b: inp_t[4]\ntensor a_buf like b = b[...]\n"
     "output a_buf_[i: 4] = max(a_buf[i], a_[i]) + i_[i]\nstage a_buf\n  scope acc\n"},
    {"x", "x", "x", "x", "x",
     "kernel x\n\ninput x_: inp_t[4]\ninput x__: acc_t[4]\ninput x___: inp_t[4]\ntensor a_buf like x___ = x___[...]\n"
     "output x____[i: 4] = max(a_buf[i], x_[i]) + x__[i]\nstage a_buf\n  scope acc\n"},
};

TEST_CASE(test_text) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vt_strbuf out;
        vt_op_names *names = vt__op_names_new(NULL, "max", cases[i].function);
        assert_true(vt__op_names_add(names, "b", cases[i].b, NULL));
        assert_true(vt__op_names_add(names, "side", cases[i].side, NULL));
        assert_true(vt__op_names_add(names, "a", cases[i].a, NULL));
        assert_true(vt__op_names_add(names, "res", cases[i].res, NULL));
        vt_strbuf_init(&out, NULL);
        vt__op_names_apply(names, own, &out);
        assert_same_text(cases[i].function, vt_strbuf_text(&out), cases[i].text);
        vt_strbuf_free(&out);
        vt__op_names_free(names);
    }
}

/* Arguments that the caller declares otherwise. */
TEST_CASE(test_declared) {
    static const struct {
        const char *type;
        size_t ndim;
        int64_t dims[2];
        bool fine;
    } rows[] = {{"int32", 2, {4, 5}, true},  {"int8", 2, {4, 5}, false},  {"int32", 1, {4}, false},
                {"int32", 2, {4, 6}, false}, {"int32", 2, {3, 5}, false}, {"uint32", 2, {4, 5}, false}};
    static const char text[] = "kernel own\ninput p: int32[4, 5]\noutput q like p = p[...] + 1\n";
    vtac_kernel *kernel;
    assert_int_equal(vtac_kernel_parse(text, strlen(text), "own", NULL, NULL, NULL, NULL, &kernel), VTA_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        te_context *c = te_context_create(NULL, NULL);
        vta_diag *diag = vta_diag_create(NULL);
        te_tensor *p = te_placeholder(c, "p", rows[i].type, rows[i].ndim, rows[i].dims);
        vt_op_names *names = vt__op_names_new(NULL, "add", "own");
        assert_true(vt__op_names_add(names, "a", "p", p));
        vta_status status = vt__op_names_check(names, "add", kernel, diag);
        assert_int_equal(status, rows[i].fine ? VTA_OK : VTA_UNSUPPORTED);
        if (!rows[i].fine)
            assert_contains(vta_diag_text(diag), "own: argument p has another shape or type than the \"a\" of add: "
                                                 "declare it with the elements that are read");
        vt__op_names_free(names);
        vta_diag_destroy(diag);
        te_context_destroy(c);
    }
    vtac_kernel_destroy(kernel);
}

int main(void) { return run_cases(); }
