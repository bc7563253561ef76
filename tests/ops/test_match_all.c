/* What the library writes, it understands: the kernel file of any operator but norms, with any epilogue, without its
 * schedule, is matched as that operator, gets a schedule of as many cycles, and computes what the file says. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "vta/ops.h"
#include "vta/runtime.h"

static const char *const configs[] = {
    "",
    "LOG_BATCH=1",
    "LOG_BATCH=2 LOG_BLOCK=3",
    "LOG_BLOCK=5",
    "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16",
    "LOG_BLOCK_IN=5 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=14",
    "LOG_INP_WIDTH=4 LOG_WGT_WIDTH=4",
};
enum { CONFIGS = sizeof configs / sizeof *configs, EACH = 6, CHANGES = 12, SOURCE = 16384 };

static uint64_t seed_state;
static int pick(int least, int most) {
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return least + (int)((seed_state >> 33) % (uint64_t)(most - least + 1));
}

/* ---- An instance ---- */

typedef struct text {
    char of[1024];
} text;

static void add(text *t, const char *fmt, ...) {
    size_t size = strlen(t->of);
    va_list args;
    va_start(args, fmt);
    vsnprintf(t->of + size, sizeof t->of - size, fmt, args);
    va_end(args);
}

static void add_image(text *t) { add(t, "batch=%d height=%d width=%d ", pick(1, 3), pick(3, 9), pick(3, 9)); }
static void add_pads(text *t, int most) {
    add(t, "pad_top=%d pad_bottom=%d pad_left=%d pad_right=%d ", pick(0, most), pick(0, most), pick(0, most),
        pick(0, most));
}

static void add_conv(text *t) {
    int groups = pick(0, 2) ? 1 : pick(2, 4), in = pick(1, 20), out = pick(1, 20);
    if (groups > 1 && pick(0, 1)) in = 16, out = 32; /* groups of whole blocks, and others in one */
    if (groups > 1 && pick(0, 2) == 0) in = 1;
    add_image(t);
    add(t, "groups=%d in_channels=%d out_channels=%d kernel_h=%d kernel_w=%d stride_h=%d stride_w=%d ", groups,
        groups * in, groups * out, pick(1, 3), pick(1, 3), pick(1, 2), pick(1, 3));
    add_pads(t, 2);
    if (groups == 1 && pick(0, 3) == 0) add(t, "fold=%d ", pick(1, 2));
}

static void add_transposed(text *t) {
    int stride_h = pick(1, 3), stride_w = pick(1, 2);
    add_image(t);
    add(t, "in_channels=%d out_channels=%d kernel_h=%d kernel_w=%d stride_h=%d stride_w=%d output_pad_h=%d ",
        pick(1, 40), pick(1, 40), pick(2, 4), pick(2, 4), stride_h, stride_w, pick(0, stride_h - 1));
    add_pads(t, 1);
}

static void add_elements(text *t, const char *name) {
    add_image(t);
    add(t, "channels=%d wide=%d ", pick(1, 40), pick(0, 1));
    if (!strcmp(name, "shift") || !strcmp(name, "leaky_relu")) add(t, "by=%d ", pick(1, 9));
    if (!strcmp(name, "multiply")) add(t, "of_channels=%d ", pick(0, 1));
    if (!strcmp(name, "clip")) add(t, "low=%d high=%d ", pick(-99, 0), pick(1, 99));
}

static void add_window(text *t, bool average) {
    int kernel_w = pick(1, 3);
    add_image(t);
    add(t, "channels=%d kernel_h=%d kernel_w=%d stride_h=%d stride_w=%d ", pick(1, 40), pick(2, 3), kernel_w,
        pick(1, 3), pick(1, 3));
    add_pads(t, kernel_w > 1);
    if (average) add(t, "count_include_pad=%d ", pick(0, 1));
}

static void add_attributes(text *t, const char *name) {
    if (!strcmp(name, "conv2d"))
        add_conv(t);
    else if (!strcmp(name, "conv2d_transpose"))
        add_transposed(t);
    else if (!strcmp(name, "dense"))
        add(t, "batch=%d in_features=%d out_features=%d ", pick(1, 9), pick(1, 70), pick(1, 70));
    else if (!strcmp(name, "batch_matmul"))
        add(t, "batch=%d rows=%d in_features=%d out_features=%d ", pick(1, 4), pick(1, 9), pick(1, 70), pick(1, 40));
    else if (!strcmp(name, "max_pool2d"))
        add_window(t, false);
    else if (!strcmp(name, "sum_pool2d"))
        add_window(t, false);
    else if (!strcmp(name, "avg_pool2d"))
        add_window(t, true);
    else if (!strcmp(name, "global_avg_pool2d"))
        add_image(t), add(t, "channels=%d ", pick(1, 40));
    else if (!strcmp(name, "upsample2d")) {
        add_image(t);
        add(t, "channels=%d scale_h=%d scale_w=%d ", pick(1, 40), pick(1, 3), pick(1, 3));
    } else if (!strcmp(name, "concat")) {
        add_image(t);
        for (int i = 0, n = pick(1, 4), whole = pick(0, 1); i < n; i++)
            add(t, "channels%d=%d ", i, whole ? 32 : pick(1, 40));
    } else {
        add_elements(t, name);
    }
}

static bool has_products(const char *name) {
    return !strncmp(name, "conv2d", 6) || !strcmp(name, "dense") || !strcmp(name, "batch_matmul");
}

static void add_epilogue(text *t, const char *name) {
    static const char *const steps[] = {
        "shift:6",       "relu",        "add:-5",          "multiply:3",
        "min:99",        "leaky:2",     "round_shift:5",   "clip:-9999:9999,requantize:77:9",
        "clip",          "bias",        "residual",        "multiply_channel",
        "shift_channel", "bias_int8:2", "residual_int8:-3"};
    int most = has_products(name) ? 14 : 12, n = strcmp(name, "concat") ? pick(0, 4) : 0;
    for (int i = 0; i < n; i++) add(t, "%s%s", i ? "," : "epilogue=", steps[pick(0, most)]);
}

/* ---- Emitted, and read again ---- */

/* Steps on one tensor are operators with names of their own: identity with that step as its first. */
static bool is_identity(const char *name) {
    static const char *const names[] = {"identity", "shift", "relu", "clip", "bias_add"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

static bool is_same(const char *name, const char *found, const char *attributes) {
    if (!strcmp(name, found)) return true;
    if (is_identity(name) && is_identity(found)) return true;
    if (is_identity(name) && !strcmp(found, "leaky_relu"))
        return strstr(attributes, "wide=1") && strstr(attributes, "leaky");
    if (is_identity(name) && !strcmp(found, "add"))
        return strstr(attributes, "wide=1") && strstr(attributes, "residual");
    if (!strcmp(name, "avg_pool2d")) return !strcmp(found, "global_avg_pool2d");
    return !strcmp(name, "upsample2d") && strstr(attributes, "scale_h=1 scale_w=1") && is_identity(found);
}

static void run(const vtac_kernel *own, vtac_op *op, const vta_config *config, const char *attributes) {
    const te_tensor *args[16];
    vta_runtime *runtime;
    vta_packed_function function;
    vtac_check_result result = {0};
    vta_diag *diag = vta_diag_create(NULL);
    size_t n = vtac_kernel_arg_count(own);
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(own, i);
    vta_runtime_options options = {.device = &(vta_device_options){.check = true}};
    assert_int_equal(vta_runtime_create(config, "sim", &options, NULL, diag, &runtime), VTA_OK);
    vta_runtime_use(runtime);
    vta_status status = vtac_module_function(vtac_op_module(op), vtac_kernel_name(own), diag, &function);
    if (status == VTA_OK)
        status = vtac_check(vtac_kernel_context(own), n, args, function, kDLExtDev, NULL, diag, &result);
    if (status != VTA_OK || result.different) {
        fputs(attributes, stderr); /* longer than cmocka's messages may be */
        fail_msg("%s%d elements differ", vta_diag_text(diag), (int)result.different);
    }
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
    vta_diag_destroy(diag);
}

/* ---- Changed a little: refused, or understood and computed ---- */

/* A word or a sign of the text. */
typedef struct token {
    const char *at;
    size_t size;
} token;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static token next_token(const char *p) {
    static const char *const signs[] = {">>", "<<", ">=", "<=", "==", "&&", "||"};
    while (*p == ' ' || *p == '\n') p++;
    size_t size = *p != 0;
    while (is_word(*p) && is_word(p[size])) size++;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(p, signs[i], 2)) size = 2;
    return (token){p, size};
}

static bool is_number(token t) { return *t.at >= '0' && *t.at <= '9'; }
static bool is(token t, const char *what) { return t.size == strlen(what) && !strncmp(t.at, what, t.size); }

/* What may stand in the place of a token: another number, word or sign of the same kind. NULL: nothing. */
static const char *instead_of(token t, const token *all, int n, char room[64]) {
    static const char *const pairs[][2] = {
        {"+", "-"},  {"-", "+"},   {"*", "+"},   {">>", "<<"}, {"max", "min"},     {"min", "max"},    {"<", ">="},
        {">=", ">"}, {"&&", "||"}, {"==", ">="}, {"//", "%"},  {"acc_t", "inp_t"}, {"inp_t", "acc_t"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (is(t, pairs[i][0])) return pairs[i][1];
    if (is_number(t) && t.size < 20) {
        memcpy(room, t.at, t.size);
        room[t.size] = 0;
        snprintf(room, 64, "%d", atoi(room) + (pick(0, 1) ? pick(1, 9) : -1));
        return room;
    }
    if (!is_word(*t.at)) return NULL;
    token other = all[pick(0, n - 1)];
    if (!is_word(*other.at) || other.size >= 64 || is_number(other)) return NULL;
    memcpy(room, other.at, other.size);
    room[other.size] = 0;
    return room;
}

/* One token of the declarations becomes another; an axis or a tensor becomes one that is near, mostly. */
static bool change(char *source, size_t room) {
    enum { TOKENS = 2048, NEAR = 12 };
    static token all[TOKENS];
    int n = 0;
    for (token t = next_token(strstr(source, "\ninput ")); t.size && n < TOKENS; t = next_token(t.at + t.size))
        all[n++] = t;
    for (int tries = 0; tries < 50; tries++) {
        char word[64], rest[SOURCE];
        int i = pick(0, n - 1), first = i > NEAR ? i - NEAR : 0, last = i + NEAR < n ? i + NEAR : n - 1;
        if (tries % 2 && !is_number(all[i])) continue;
        const char *other = instead_of(all[i], all + first, last - first + 1, word);
        if (!other || is(all[i], other) || strlen(source) + strlen(other) >= room) continue;
        snprintf(rest, sizeof rest, "%s", all[i].at + all[i].size);
        snprintf(source + (all[i].at - source), room - (size_t)(all[i].at - source), "%s%s", other, rest);
        return true;
    }
    return false;
}

static int understood, others;

static void check_changed(const char *emitted, size_t size, const vta_config *config) {
    char source[SOURCE];
    vtac_kernel *own = NULL;
    vtac_op *op = NULL;
    assert_true(size < sizeof source);
    memcpy(source, emitted, size);
    source[size] = 0;
    if (!change(source, sizeof source)) return;
    vtac_op_options options = {.tries = 1};
    vta_diag *diag = vta_diag_create(NULL);
    if (vtac_kernel_parse(source, size, "own", NULL, config, NULL, diag, &own) == VTA_OK) {
        others++;
        if (vtac_op_match_kernel(own, NULL, diag, &op) == VTA_OK) {
            if (vtac_op_schedule(op, &options, diag, NULL) == VTA_OK) {
                understood++;
                run(own, op, config, source);
            } else if (!strstr(vta_diag_text(diag), "has another shape or type than")) {
                fail_msg("%s%s", source, vta_diag_text(diag));
            }
        }
    }
    vtac_op_destroy(op);
    vtac_kernel_destroy(own);
    vta_diag_destroy(diag);
}

static void check(const char *name, const vta_config *config, const char *attributes) {
    vtac_op *op = NULL, *again = NULL;
    vtac_kernel *own = NULL;
    vtac_op_options options = {.tries = 1};
    vtac_op_result first = {0}, second = {0};
    vta_diag *diag = vta_diag_create(NULL);
    if (vtac_op_create(name, attributes, config, NULL, diag, &op) != VTA_OK ||
        vtac_op_schedule(op, &options, diag, &first) != VTA_OK)
        fail_msg("%s %s\n%s", name, attributes, vta_diag_text(diag));
    const char *emitted = vtac_op_text(op), *stage = strstr(emitted, "\nstage ");
    char source[SOURCE]; /* called otherwise: names are the caller's */
    assert_int_equal(strncmp(emitted, "kernel ", 7), 0);
    snprintf(source, sizeof source, "kernel own%.*s", (int)(stage - strchr(emitted, '\n')) + 1, strchr(emitted, '\n'));
    if (vtac_kernel_parse(source, strlen(source), "own", NULL, config, NULL, diag, &own) != VTA_OK ||
        vtac_op_match_kernel(own, NULL, diag, &again) != VTA_OK ||
        vtac_op_schedule(again, &options, diag, &second) != VTA_OK)
        fail_msg("%s %s\n%.*s\n%s", name, attributes, (int)(stage - emitted), emitted, vta_diag_text(diag));
    if (!is_same(name, vtac_op_name(again), attributes) || first.cycles != second.cycles)
        fail_msg("%s %s\n%.*s\nis %s of %d cycles, not of %d\n%s", name, attributes, (int)(stage - emitted), emitted,
                 vtac_op_name(again), (int)second.cycles, (int)first.cycles, vtac_op_text(again));
    run(own, again, config, attributes);
    for (int k = 0; k < CHANGES; k++) check_changed(emitted, (size_t)(stage - emitted) + 1, config);
    vtac_op_destroy(op);
    vtac_op_destroy(again);
    vtac_kernel_destroy(own);
    vta_diag_destroy(diag);
}

/* Norms in integers are what networks ask for: nobody writes such files, and they are not looked for in them. */
static bool is_matched(const char *name) { return strcmp(name, "row_moments") && strcmp(name, "layer_norm"); }

/* Can the operator be one in this configuration, and is it no larger than this test wants? */
static bool may_be(const char *name, const vta_config *config, const char *attributes) {
    vtac_op *op = NULL;
    vta_status status = vtac_op_create(name, attributes, config, NULL, NULL, &op);
    vtac_op_destroy(op);
    return status == VTA_OK;
}

TEST_CASE(test_all) {
    const char *count = getenv("VTA_TEST_CASES"), *name;
    vta_config *plain = vta_config_default();
    int each = count ? atoi(count) : EACH, refused = 0, all = 0;
    for (size_t at = 0, i = 0; (name = vtac_operator_name(at)); at++, i += is_matched(name))
        for (int k = 0; k < each && is_matched(name); k++, all++) {
            text t = {""};
            vta_config *config;
            seed_state = (uint64_t)k * 7919 + i * 104729 + 11;
            for (int w = 0; w < 8; w++) pick(0, 1);
            assert_int_equal(vta_config_with(plain, configs[(size_t)(k + (int)i) % CONFIGS], NULL, &config), VTA_OK);
            add_attributes(&t, name);
            add_epilogue(&t, name);
            if (pick(0, 2) == 0) add(&t, " narrow=wrap");
            if (may_be(name, config, t.of))
                check(name, config, t.of);
            else
                refused++;
            vta_config_release(config);
        }
    for (size_t k = 0; k < CONFIGS; k++, all++) { /* what is added by GEMM, in every width */
        static const char additions[] =
            "height=3 width=4 in_channels=40 out_channels=20 epilogue=bias_int8:2,residual_int8:-3,shift:4";
        vta_config *config;
        assert_int_equal(vta_config_with(plain, configs[k], NULL, &config), VTA_OK);
        check("conv2d", config, additions);
        vta_config_release(config);
    }
    vta_config_release(plain);
    print_message("%d operators, %d refused by configurations; %d of %d changed ones understood\n", all, refused,
                  understood, others);
    assert_true(refused * 20 <= all);
    assert_true(understood * 20 > others && understood * 2 < others); /* other operators, or none */
    /* Who understands more adds to it, and less than before must not be. */
    if (!count) assert_int_equal(understood, 116);
}

int main(void) { return run_cases(); }
