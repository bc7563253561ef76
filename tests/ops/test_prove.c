/* Operators proven right for all inputs, as they were scheduled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "vta/module.h"
#include "vta/ops.h"

static const struct {
    const char *name, *text, *changes;
} cases[] = {
    {"add", "channels=20 height=5 width=4 epilogue=relu", ""},
    {"multiply", "channels=20 height=3 width=4 wide=1", ""},
    {"max", "channels=20 height=3 width=4", "LOG_BLOCK_IN=4 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=13"},
    {"leaky_relu", "channels=20 height=3 width=4", "LOG_BATCH=1"},
    {"clip", "channels=20 height=3 width=4 low=-3 high=90 epilogue=residual", ""},
    {"max_pool2d", "channels=40 height=9 width=8 kernel=3 stride=2 pad=1", ""},
    {"max_pool2d", "channels=20 height=6 width=7 kernel=2 pad=1", "LOG_BLOCK=5"},
    {"avg_pool2d", "channels=20 height=7 width=7 kernel=3 pad=1 count_include_pad=1", ""},
    {"avg_pool2d", "channels=20 height=7 width=6 kernel=3 stride=2", "LOG_BATCH=2 LOG_BLOCK=3"},
    {"global_avg_pool2d", "channels=70 height=7 width=7", ""},
    {"upsample2d", "channels=20 height=3 width=4 scale=2", ""},
};

static void prove(size_t i) {
    const te_tensor *args[8];
    vtac_op *op;
    vtac_prove_result result = {0};
    vta_packed_function function;
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *plain = vta_config_default(), *config;
    assert_int_equal(vta_config_with(plain, cases[i].changes, diag, &config), VTA_OK);
    if (vtac_op_create(cases[i].name, cases[i].text, config, NULL, diag, &op) != VTA_OK ||
        vtac_op_schedule(op, NULL, diag, NULL) != VTA_OK ||
        vtac_module_function(vtac_op_module(op), vtac_op_name(op), diag, &function) != VTA_OK)
        fail_msg("%s %s: %s", cases[i].name, cases[i].text, vta_diag_text(diag));
    vtac_kernel *kernel = vtac_op_kernel(op);
    size_t n = vtac_kernel_arg_count(kernel);
    assert_true(n <= 8);
    for (size_t k = 0; k < n; k++) args[k] = vtac_kernel_arg(kernel, k);
    if (vtac_prove(vtac_kernel_context(kernel), n, args, function, NULL, diag, &result) != VTA_OK ||
        result.verdict != VTAC_PROVEN)
        fail_msg("%s %s on %s: verdict %d, %s", cases[i].name, cases[i].text, vta_config_bitstream(config),
                 (int)result.verdict, result.reason);
    vtac_op_destroy(op);
    vta_config_release(config);
    vta_config_release(plain);
    vta_diag_destroy(diag);
}

static void all_proven(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) prove(i);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_proven)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
