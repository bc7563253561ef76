/* How results come into the output type: which operators take instructions for it, which matched computations wrap, and
 * what is said of sums that 32 bits may not hold. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#include "vta/ops.h"

static const char wide_inputs[] = "LOG_INP_WIDTH=4 LOG_WGT_WIDTH=4";

static vta_config *config_of(const char *set) {
    vta_config *plain = vta_config_default(), *config = NULL;
    assert_int_equal(vta_config_with(plain, set, NULL, &config), VTA_OK);
    vta_config_release(plain);
    return config;
}

static vtac_op *make(const char *name, const char *attributes, const char *set, bool scheduled) {
    vtac_op *op;
    vta_config *config = config_of(set);
    vta_diag *diag = vta_diag_create(NULL);
    vtac_op_options options = {.tries = 1, .without_code = true};
    if (vtac_op_create(name, attributes, config, NULL, diag, &op) != VTA_OK ||
        (scheduled && vtac_op_schedule(op, &options, diag, NULL) != VTA_OK))
        fail_msg("%s %s: %s", name, attributes, vta_diag_text(diag));
    vta_diag_destroy(diag);
    vta_config_release(config);
    return op;
}

static size_t count(const char *text, const char *word) {
    size_t n = 0;
    for (; (text = strstr(text, word)); text++) n++;
    return n;
}

/* ---- Instructions ---- */

/* Maxima and minima in the epilogue of the kernel file, without what the steps themselves are. */
static const struct {
    const char *name, *attributes, *set;
    size_t maxima, minima;
} instructions[] = {
    {"dense", "in_features=20 out_features=16", "", 1, 1},
    {"dense", "in_features=20 out_features=16 epilogue=shift:12", "", 0, 0},
    {"dense", "in_features=32 out_features=16 epilogue=shift:12", "", 0, 1}, /* from -128 to 128 */
    {"dense", "in_features=31 out_features=16 epilogue=shift:12", "", 0, 0},
    {"dense", "in_features=33 out_features=16 epilogue=shift:12", "", 1, 1}, /* from -132 on */
    {"dense", "in_features=20 out_features=16 epilogue=relu", "", 1, 1},
    {"dense", "in_features=20 out_features=16 epilogue=clip", "", 1, 1},
    {"dense", "in_features=20 out_features=16 epilogue=clip:-20:200", "", 1, 2},
    {"dense", "in_features=20 out_features=16 epilogue=bias", "", 1, 1},
    {"dense", "in_features=20 out_features=16 epilogue=min:3", "", 1, 1},
    {"dense", "in_features=2 out_features=16", wide_inputs, 1, 1},
    {"identity", "channels=16", "", 0, 0},
    {"identity", "channels=16 wide=1", "", 1, 1},
    {"identity", "channels=16 epilogue=residual,shift:25", "", 0, 0},
    {"identity", "channels=16 epilogue=residual,shift:24", "", 0, 0},
    {"identity", "channels=16 epilogue=residual,shift:23", "", 1, 1},
    {"add", "channels=16", "", 1, 1},
    {"add", "channels=16 epilogue=shift:1", "", 0, 0},
    {"add", "channels=16 epilogue=relu", "", 1, 1},
    {"add", "channels=16 wide=1 epilogue=shift:24", "", 0, 0},
    {"multiply", "channels=16 epilogue=shift:7", "", 0, 1}, /* only -128 times itself is too large */
    {"multiply", "channels=16 epilogue=shift:8", "", 0, 0},
    {"max", "channels=16", "", 1, 0}, /* the operator's own */
    {"min", "channels=16", "", 0, 1},
    {"relu", "channels=16", "", 1, 0},
    {"clip", "channels=16 low=-100 high=300 wide=1", "", 1, 2},
    {"shift", "channels=16 by=24 wide=1", "", 0, 0},
    {"shift", "channels=16 by=23 wide=1", "", 1, 1},
    {"leaky_relu", "channels=16 by=2", "", 1, 0},
    {"bias_add", "channels=16", "", 1, 1},
    {"avg_pool2d", "channels=16 height=4 width=4 kernel=2", "", 0, 0},
    {"avg_pool2d", "channels=16 height=4 width=4 kernel=3", "", 0, 0},
    {"avg_pool2d", "channels=16 height=4 width=4 kernel=3 epilogue=add:1", "", 0, 1},
    {"avg_pool2d", "channels=16 height=4 width=4 kernel=3", wide_inputs, 0, 0},
    {"global_avg_pool2d", "channels=16 height=3 width=5 epilogue=add:-1", "", 1, 0},
    {"upsample2d", "channels=16 height=2 width=2", "", 0, 0},
    {"upsample2d", "channels=16 height=2 width=2 epilogue=multiply:-1", "", 0, 1},
};

/* Of the tensors alone: bounds of loops and padding may have them, too. */
static void count_steps(const vtac_op *op, size_t *maxima, size_t *minima) {
    char text[8192];
    const char *end = strstr(vtac_op_text(op), "\nstage ");
    snprintf(text, sizeof text, "%.*s", (int)(end - vtac_op_text(op)), vtac_op_text(op));
    *maxima = count(text, "= max(");
    *minima = count(text, "= min(");
}

TEST_CASE(test_instructions) {
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        const char *name = instructions[i].name, *attributes = instructions[i].attributes;
        size_t maxima, minima;
        vtac_op *op = make(name, attributes, instructions[i].set, true);
        count_steps(op, &maxima, &minima);
        if (maxima != instructions[i].maxima || minima != instructions[i].minima)
            fail_msg("%s %s: %zu maxima and %zu minima, not %zu and %zu\n%s", name, attributes, maxima, minima,
                     instructions[i].maxima, instructions[i].minima, vtac_op_text(op));
        vtac_op_destroy(op);
    }
}

/* The same schedule as with a clip that is written, and what wraps takes no longer. */
TEST_CASE(test_cycles) {
    static const struct {
        const char *name, *saturates, *clipped, *wraps;
    } same[] = {
        {"conv2d", "height=9 width=8 in_channels=32 out_channels=32 kernel=3 pad=1 epilogue=bias,shift",
         "height=9 width=8 in_channels=32 out_channels=32 kernel=3 pad=1 epilogue=bias,shift,clip",
         "height=9 width=8 in_channels=32 out_channels=32 kernel=3 pad=1 epilogue=bias,shift narrow=wrap"},
        {"dense", "batch=9 in_features=80 out_features=64", "batch=9 in_features=80 out_features=64 epilogue=clip",
         "batch=9 in_features=80 out_features=64 narrow=wrap"},
        {"conv2d_transpose", "height=5 width=6 in_channels=20 out_channels=40 kernel=3 stride=2",
         "height=5 width=6 in_channels=20 out_channels=40 kernel=3 stride=2 epilogue=clip",
         "height=5 width=6 in_channels=20 out_channels=40 kernel=3 stride=2 narrow=wrap"},
        {"add", "channels=64 height=9 width=7", "channels=64 height=9 width=7 epilogue=clip",
         "channels=64 height=9 width=7 narrow=wrap"},
        {"identity", "channels=64 height=9 width=7 wide=1", "channels=64 height=9 width=7 wide=1 epilogue=clip",
         "channels=64 height=9 width=7 wide=1 narrow=wrap"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const char *texts[] = {same[i].saturates, same[i].clipped, same[i].wraps};
        vtac_op *op[3];
        uint64_t cycles[3];
        for (int k = 0; k < 3; k++) {
            vtac_op_result r = {0};
            op[k] = make(same[i].name, texts[k], "", false);
            vtac_op_options options = {.tries = 1, .without_code = true, .without_database = true};
            assert_int_equal(vtac_op_schedule(op[k], &options, NULL, &r), VTA_OK);
            cycles[k] = r.cycles;
        }
        assert_string_equal(vtac_op_text(op[0]), vtac_op_text(op[1]));
        assert_int_equal(cycles[0], cycles[1]);
        if (cycles[2] > cycles[0])
            fail_msg("%s: %d cycles wrap, %d saturate", same[i].name, (int)cycles[2], (int)cycles[0]);
        for (int k = 0; k < 3; k++) vtac_op_destroy(op[k]);
    }
}

/* ---- What may wrap ---- */

static const struct {
    const char *name, *attributes, *set, *said; /* NULL: nothing */
} sums[] = {
    {"conv2d", "height=4 width=4 in_channels=16 out_channels=16 kernel=3 pad=1", "", NULL},
    {"conv2d", "height=4 width=4 in_channels=16 out_channels=16 epilogue=bias,shift", "",
     "bias may wrap: its result may not fit an accumulator of 32 bits; bias:MOST promises how large its input is"},
    {"conv2d", "height=4 width=4 in_channels=16 out_channels=16 epilogue=bias:2000000000,shift", "", NULL},
    {"conv2d", "height=4 width=4 in_channels=16 out_channels=16 epilogue=bias:2147483647,shift", "", "bias may wrap"},
    {"conv2d", "height=4 width=4 in_channels=16 out_channels=16 kernel=3", wide_inputs,
     "sums may wrap: up to 144 products of 16 x 16 bits do not fit an accumulator of 32 bits"},
    {"dense", "in_features=1 out_features=16", wide_inputs, NULL},
    {"dense", "in_features=2 out_features=16", wide_inputs, "sums may wrap: up to 2 products of 16 x 16 bits"},
    {"dense", "in_features=131071 out_features=16", "", NULL},
    {"dense", "in_features=131072 out_features=16", "", "sums may wrap: up to 131072 products of 8 x 8 bits"},
    {"dense", "in_features=16 out_features=16 epilogue=multiply:8191", "", NULL},
    {"dense", "in_features=16 out_features=16 epilogue=multiply:8192", "", "multiply may wrap"},
    {"dense", "in_features=16 out_features=16 epilogue=multiply_channel", "", "multiply_channel:MOST promises"},
    {"dense", "in_features=16 out_features=16 epilogue=clip,multiply_channel:9", "", NULL},
    {"dense", "in_features=16 out_features=16 epilogue=residual", "", "residual may wrap"},
    {"add", "channels=16", "", NULL},
    {"add", "channels=16 epilogue=add:32767,multiply:32767", "", NULL},
    {"add", "channels=16 wide=1", "", "add may wrap"},
    {"multiply", "channels=16", wide_inputs, NULL},
    {"multiply", "channels=16 epilogue=multiply:2", wide_inputs, "multiply may wrap"},
    {"max", "channels=16 wide=1 epilogue=clip,add:9", "", NULL},
    {"avg_pool2d", "channels=16 height=9 width=9 kernel=9", wide_inputs, NULL},
    {"bias_add", "channels=16", "", "bias may wrap"},
    {"concat", "channels0=16 channels1=3", "", NULL},
};

TEST_CASE(test_sums) {
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        vtac_op *op = make(sums[i].name, sums[i].attributes, sums[i].set, false);
        const char *said = vtac_op_may_wrap(op);
        if (!said != !sums[i].said || (said && !strstr(said, sums[i].said)))
            fail_msg("%s %s: \"%s\", not \"%s\"", sums[i].name, sums[i].attributes, said ? said : "",
                     sums[i].said ? sums[i].said : "");
        vtac_op_destroy(op);
    }
}

/* ---- Matched ---- */

static const char head[] =
    "kernel own\ninput a: inp_t[1, 2, BATCH, BLOCK_IN]\ninput w: wgt_t[3, 2, BLOCK_OUT, BLOCK_IN]\n"
    "reduce k = 2, l = BLOCK_IN\ntensor s[n: 1, o: 3, b: BATCH, c: BLOCK_OUT] =\n"
    "    sum[k, l](acc_t(a[n, k, b, l]) * acc_t(w[o, k, c, l]))\n"
    "output y[n: 1, o: 3, b: BATCH, c: BLOCK_OUT] = ";

static const struct {
    const char *result;
    bool wraps;
} matched[] = {
    {"out_t(s[n, o, b, c])", true},
    {"out_t(s[n, o, b, c] >> 7)", true},
    {"out_t(s[n, o, b, c] >> 13)", false}, /* from -64 to 64 */
    {"out_t(min(max(s[n, o, b, c] >> 4, -128), 127))", false},
    {"out_t(min(max(s[n, o, b, c] >> 4, -129), 127))", true},
    {"out_t(min(max(s[n, o, b, c] >> 4, -128), 128))", true},
    {"out_t(min(max(s[n, o, b, c] >> 4, 0), 127) + 1)", true},
    {"out_t(min(s[n, o, b, c] >> 4, 127))", true},
};

TEST_CASE(test_matched) {
    for (size_t i = 0; i < sizeof matched / sizeof *matched; i++) {
        char text[1024];
        vtac_kernel *kernel = NULL;
        vtac_op *op = NULL;
        vta_config *config = config_of("");
        vta_diag *diag = vta_diag_create(NULL);
        snprintf(text, sizeof text, "%s%s\n", head, matched[i].result);
        if (vtac_kernel_parse(text, strlen(text), "own", NULL, config, NULL, diag, &kernel) != VTA_OK ||
            vtac_op_match_kernel(kernel, NULL, diag, &op) != VTA_OK)
            fail_msg("%s: %s", matched[i].result, vta_diag_text(diag));
        if (!strstr(vtac_op_attributes(op), " narrow=wrap") == matched[i].wraps)
            fail_msg("%s is matched as %s", matched[i].result, vtac_op_attributes(op));
        vtac_op_destroy(op);
        vtac_kernel_destroy(kernel);
        vta_diag_destroy(diag);
        vta_config_release(config);
    }
}

int main(void) { return run_cases(); }
