/* What follows a sum of products, as it may be written, and the step of an epilogue that each is; beside them what is
 * none. The arguments keep their names and their order, whatever the operator calls them. */
#include "support/diag.h"
#include "vta/kernel.h"
#include "vta/ops.h"

/* Of the sum, a bias, a factor or an amount, and a residual. */
#define S "s[n, o, b, c]"
#define E "e[o, b, c]"
#define F "f[o, b, c]"
#define R "r[n, o, b, c]"
#define LOW "low[n, o, b, c]" /* the sum >> 5, a tensor of its own */
#define BOTH "both sides come from sums of products: one accelerator kernel has one sum"

static const struct {
    const char *result, *epilogue; /* NULL: none */
    const char *says;
} cases[] = {
    {S, ""},
    {S " >> 3", " epilogue=shift:3"},
    {S " + 5", " epilogue=add:5"},
    {"5 + " S, " epilogue=add:5"},
    {S " - 5", " epilogue=add:-5"},
    {S " * 3", " epilogue=multiply:3"},
    {"3 * " S, " epilogue=multiply:3"},
    {"max(" S ", -7)", " epilogue=max:-7"},
    {"max(-7, " S ")", " epilogue=max:-7"},
    {"min(" S ", 7)", " epilogue=min:7"},
    {"min(7, " S ")", " epilogue=min:7"},
    {"max(" S ", " S " >> 2)", " epilogue=leaky:2"},
    {"max(" S " >> 3, " S ")", " epilogue=leaky:3"},
    {S " + " E, " epilogue=bias"},
    {E " + " S, " epilogue=bias"},
    {S " * " E, " epilogue=multiply_channel"},
    {E " * " S, " epilogue=multiply_channel"},
    {S " >> " E, " epilogue=shift_channel"},
    {S " + " R, " epilogue=residual"},
    {R " + " S, " epilogue=residual"},
    {"max(" S ", " LOW ")", " epilogue=leaky:5"},
    {"max(" LOW " + 1, " S " + 1)", NULL, BOTH},
    /* from the inside out */
    {"min(max((" S " + 4) >> 3, 0), 127)", " epilogue=add:4,shift:3,max:0,min:127"},
    {"(" F " + max(" S " + " E ", (" S " + " E ") >> 4)) * 9", " epilogue=bias,leaky:4,bias,multiply:9"},
    {"max(max(" S ", " S " >> 2), max(" S ", " S " >> 2) >> 1)", " epilogue=leaky:2,leaky:1"},
    {"((" R " + " S ") >> " F ") * " E, " epilogue=residual,shift_channel,multiply_channel"},
    /* none */
    {"5 - " S, NULL, BOTH},
    {"max(" S ", (" S " + 1) >> 2)", NULL, BOTH},
    {"min(" S ", " S " >> 2)", NULL, BOTH},
    {S " << 2", NULL, "not an operation that may follow a sum"},
    {S " * " R, NULL, "its second operand must be a number, or an element of an argument for each channel"},
    {S " >> " R, NULL, "its second operand must be a number, or an element of an argument for each channel"},
    {"max(" S ", " E ")", NULL, "its second operand must be a number: only sums, products and shifts may take an"},
    {S " - " E, NULL, "its second operand must be a number: only sums, products and shifts may take an argument"},
    {S " + (" E " + 1)", NULL, "what is added is neither a number nor an element of an argument"},
    {S " + e[3 - o, b, c]", NULL, "e is added in a way that is neither a bias"},
    {S " * e[3 - o, b, c]", NULL, "its second operand must be a number, or an element of an argument for each channel"},
    {S " + e[o, b, 15 - c]", NULL, "e is added in a way that is neither a bias"},
    {S " + r[2 - n, o, b, c]", NULL, "r is added in a way that is neither a bias"},
};

static vtac_kernel *parse(const char *result) {
    static const char sums[] = "input w: wgt_t[4, 2, BLOCK_OUT, BLOCK_IN]\ninput d: inp_t[3, 2, BATCH, BLOCK_IN]\n"
                               "tensor s[n: 3, o: 4, b: BATCH, c: BLOCK_OUT] =\n  sum[q: 2, r: BLOCK_IN](acc_t(d[n, q, "
                               "b, r]) * acc_t(w[o, q, c, r]))\n";
    char text[1200];
    vtac_kernel *own;
    snprintf(text, sizeof text, "kernel own\n%s%s%s%s%soutput y[n: 3, o: 4, b: BATCH, c: BLOCK_OUT] = out_t(%s)\n",
             strstr(result, "f[") ? "input f: acc_t[4, BATCH, BLOCK_OUT]\n" : "",
             strstr(result, "r[") ? "input r: acc_t[3, 4, BATCH, BLOCK_OUT]\n" : "",
             strstr(result, "e[") ? "input e: acc_t[4, BATCH, BLOCK_OUT]\n" : "", sums,
             strstr(result, "low[") ? "tensor low like s = s[...] >> 5\n" : "", result);
    must(vtac_kernel_parse(text, strlen(text), "own", NULL, NULL, NULL, diag, &own));
    return own;
}

static void check_arguments(const vtac_kernel *own, vtac_op *op, const char *result) {
    must(vtac_op_schedule(op, &(vtac_op_options){.tries = 1, .without_code = true}, diag, NULL));
    vtac_kernel *made = vtac_op_kernel(op);
    assert_string_equal(vtac_kernel_name(made), "own");
    assert_int_equal(vtac_kernel_arg_count(made), vtac_kernel_arg_count(own));
    for (size_t i = 0; i < vtac_kernel_arg_count(own); i++) {
        const te_tensor *x = vtac_kernel_arg(own, i), *y = vtac_kernel_arg(made, i);
        bool same = !strcmp(te_tensor_name(x), te_tensor_name(y)) && te_tensor_ndim(x) == te_tensor_ndim(y);
        for (size_t k = 0; same && k < te_tensor_ndim(x); k++) same = te_tensor_dim(x, k) == te_tensor_dim(y, k);
        if (!same) fail_msg("%s: argument %d is %s", result, (int)i, te_tensor_name(y));
    }
}

static void steps(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vtac_kernel *own = parse(cases[i].result);
        vtac_op *op;
        char expected[200];
        vta_status status = vtac_op_match_kernel(own, NULL, diag, &op);
        if (!cases[i].epilogue) {
            refused(status, VTA_UNSUPPORTED, cases[i].says);
        } else {
            if (status != VTA_OK) fail_msg("%s: %s", cases[i].result, vta_diag_text(diag));
            bool fits = strstr(cases[i].epilogue, "max:0,min:127") != NULL;
            snprintf(expected, sizeof expected, "batch=3 in_features=32 out_features=64%s%s", cases[i].epilogue,
                     fits ? "" : " narrow=wrap");
            assert_string_equal(vtac_op_name(op), "dense");
            assert_string_equal(vtac_op_attributes(op), expected);
            check_arguments(own, op, cases[i].result);
        }
        vtac_op_destroy(op);
        vtac_kernel_destroy(own);
    }
}

/* Each argument that is read has to be given, and each that is given is read. */
static void arguments_left_out(void **state) {
    (void)state;
    static const char result[] = "(" S " + " R ") >> " E;
    enum { ARGS = 5 };
    for (size_t left = 0; left < ARGS - 1; left++) {
        vtac_kernel *own = parse(result);
        te_tensor *args[ARGS];
        vtac_op *op = NULL;
        char says[100];
        assert_int_equal(vtac_kernel_arg_count(own), ARGS);
        for (size_t i = 0, n = 0; i < ARGS; i++)
            if (i != left) args[n++] = vtac_kernel_arg(own, i);
        snprintf(says, sizeof says, "own: %s: is read and is not among the function's arguments",
                 te_tensor_name(vtac_kernel_arg(own, left)));
        refused(vtac_op_match(vtac_kernel_context(own), ARGS - 1, args, "own", NULL, diag, &op), VTA_UNSUPPORTED, says);
        assert_null(op);
        vtac_kernel_destroy(own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(steps, diag_begin, diag_end),
        cmocka_unit_test_setup_teardown(arguments_left_out, diag_begin, diag_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
