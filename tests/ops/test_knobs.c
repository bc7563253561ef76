/* Schedules as knobs: what is written is read back; random ones are admitted or refused in words, and each that is
 * admitted compiles and computes what the chosen schedule's kernel file says, in any order that the tokens allow. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#include "operators/knobs.h"
#include "vta/runtime.h"

static const struct {
    const char *name, *text, *config;
} cases[] = {
    {"conv2d", "height=9 width=7 in_channels=48 out_channels=64 kernel=3 pad=1 epilogue=shift,relu", ""},
    {"conv2d", "height=8 width=8 in_channels=32 out_channels=48 kernel=1 stride=2 epilogue=shift,clip",
     "LOG_BATCH=2 LOG_BLOCK=3"},
    {"conv2d", "height=6 width=6 in_channels=32 out_channels=32 kernel=3 pad=1 epilogue=bias,shift,residual", ""},
    {"conv2d", "height=6 width=6 in_channels=64 out_channels=64 groups=64 kernel=3 pad=1", ""},
    {"conv2d", "height=6 width=5 in_channels=32 out_channels=40 kernel=3 pad=1 epilogue=bias_int8,shift,residual_int8",
     "LOG_BLOCK_IN=4 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=13"},
    {"conv2d", "height=6 width=5 in_channels=32 out_channels=64 kernel=3 stride=2 epilogue=bias_int8:2,residual_int8:3",
     ""},
    {"dense", "batch=2 in_features=96 out_features=40 epilogue=shift,residual_int8",
     "LOG_BLOCK_IN=4 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=13"},
    {"conv2d", "height=7 width=9 in_channels=32 out_channels=32 kernel=3 stride=2 pad=1",
     "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16"},
    {"conv2d_transpose", "height=4 width=4 in_channels=32 out_channels=32 kernel=4 stride=2 pad=1", ""},
    {"dense", "batch=3 in_features=96 out_features=80 epilogue=bias,shift", ""},
    {"batch_matmul", "batch=2 rows=3 in_features=48 out_features=64", ""},
    {"add", "channels=64 height=4 width=6 epilogue=relu", ""},
    {"max_pool2d", "channels=32 height=8 width=8 kernel=3 stride=2 pad=1", ""},
    {"avg_pool2d", "channels=32 height=8 width=8 kernel=2 stride=2", ""},
    {"upsample2d", "channels=32 height=3 width=4 scale=2", ""},
};
enum { CASES = sizeof cases / sizeof *cases, ROUNDS = 24 };

static uint64_t state_of_random;
static int64_t pick(int64_t least, int64_t most) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((state_of_random >> 33) % (uint64_t)(most - least + 1));
}

/* ---- Random schedules ---------------------------------------------------------------------------------------------
 */

static vt_op_parts random_parts(int64_t extent) {
    vt_op_parts p = {.n = 0};
    while (extent > 0 && p.n < VT_OP_PARTS) {
        int64_t one = pick(1, extent);
        p.of[p.n++] = (uint16_t)one;
        extent -= one;
    }
    return p;
}

static vt_op_blocks random_blocks(const vt_op_shape *s, bool turns) {
    vt_op_blocks b = {.threads = 1, .turns = turns};
    if (turns) {
        b.oc_parts = random_parts(s->oc), b.y_parts = random_parts(s->out_h), b.ic_parts = random_parts(s->ic);
        b.rows_inside = pick(0, 1), b.keep_data = pick(0, 1), b.keep_weight = pick(0, 1);
        return b;
    }
    b.oc = pick(1, s->oc), b.y = pick(1, s->out_h), b.x = pick(0, 1) ? s->out_w : pick(1, s->out_w);
    b.ic = s->ic ? pick(1, s->ic) : 0;
    if (pick(0, 1)) b.threads = pick(1, 4), b.share_rows = pick(0, 1);
    return b;
}

/* ---- An operator and its reference ---------------------------------------------------------------------------------
 */

typedef struct pair {
    vtac_op *op, *chosen;
    vta_diag *diag;
    vta_config *config;
    vta_timing_profile profile;
} pair;

static pair make(size_t i) {
    pair p = {.diag = vta_diag_create(NULL)};
    vta_config *plain = vta_config_default();
    if (vta_config_with(plain, cases[i].config, p.diag, &p.config) != VTA_OK) fail_msg("%s", vta_diag_text(p.diag));
    vta_config_release(plain);
    vtac_op **ops[] = {&p.op, &p.chosen};
    for (int k = 0; k < 2; k++)
        if (vtac_op_create(cases[i].name, cases[i].text, p.config, NULL, p.diag, ops[k]) != VTA_OK)
            fail_msg("%s", vta_diag_text(p.diag));
    vtac_op_options options = {.tries = 1, .without_database = true};
    if (vtac_op_schedule(p.chosen, &options, p.diag, NULL) != VTA_OK) fail_msg("%s", vta_diag_text(p.diag));
    assert_int_equal(vta_timing_profile_for(p.config, p.diag, &p.profile), VTA_OK);
    return p;
}

static void release(pair *p) {
    vtac_op_destroy(p->op);
    vtac_op_destroy(p->chosen);
    vta_config_release(p->config);
    vta_diag_destroy(p->diag);
}

static void check(pair *p, uint64_t seed) {
    vta_runtime *runtime;
    vta_packed_function function;
    vta_device_options device = {.check = true, .order = VTA_ORDER_RANDOM, .seed = seed};
    vta_runtime_options options = {.device = &device};
    vtac_check_options inputs = {.seed = seed};
    vtac_check_result found = {0};
    vtac_kernel *kernel = vtac_op_kernel(p->chosen);
    const te_tensor *args[8];
    size_t n = vtac_kernel_arg_count(kernel);
    assert_true(n <= 8);
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(kernel, i);
    assert_int_equal(vta_runtime_create(p->config, "sim", &options, NULL, p->diag, &runtime), VTA_OK);
    vta_runtime_use(runtime);
    assert_int_equal(vtac_module_function(vtac_op_module(p->op), vtac_op_name(p->op), p->diag, &function), VTA_OK);
    if (vtac_check(vtac_kernel_context(kernel), n, args, function, kDLExtDev, &inputs, p->diag, &found) != VTA_OK ||
        found.different)
        fail_msg("%d of %d differ: %s\n%s", (int)found.different, (int)found.elements, vta_diag_text(p->diag),
                 vtac_op_text(p->op));
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
}

/* ---- Text ---------------------------------------------------------------------------------------------------------
 */

static char *text_of(const vtac_op *op, const vt_op_blocks *b) {
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, NULL);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vt_op_knobs_write(op, b, &w);
    vt_json_end(&w);
    char *text = vt_strbuf_take(&sb);
    assert_non_null(text);
    return text;
}

static vta_status read_text(const vtac_op *op, const char *text, vta_diag *diag, vt_op_blocks *out) {
    json_t *root;
    assert_int_equal(vt_json_parse(text, strlen(text), "x.log", diag, &root), VTA_OK);
    vta_status status = vt_op_knobs_read(op, json_object_get(root, "entity"), (vt_pos){"x.log", 3, 0}, diag, out);
    json_decref(root);
    return status;
}

static void check_text(const pair *p, const vt_op_blocks *b) {
    char *text = text_of(p->op, b);
    vt_op_blocks again;
    if (read_text(p->op, text, p->diag, &again) != VTA_OK) fail_msg("%s: %s", text, vta_diag_text(p->diag));
    assert_null(vt_op_admit(p->op, &p->profile, &again));
    char *twice = text_of(p->op, &again);
    assert_string_equal(text, twice);
    assert_true(again.estimate == b->estimate);
    vt_strfree(NULL, text);
    vt_strfree(NULL, twice);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------
 */

static int try_random(pair *p, uint64_t seed) {
    bool is_sum = p->op->shape.ic > 0 && !p->op->is->space->use;
    vt_op_blocks b = random_blocks(&p->op->shape, is_sum && pick(0, 1));
    vtac_op_result result = {0};
    if (!is_sum) b.ic = 0;
    if (vt_op_admit(p->op, &p->profile, &b)) return 0;
    check_text(p, &b);
    if (vt_op_take(p->op, &b, &p->profile, p->diag, &result) != VTA_OK) {
        char *text = text_of(p->op, &b);
        fail_msg("%s %s: the compiler refused %s: %s", p->op->is->name, cases[seed % CASES].text, text,
                 vta_diag_text(p->diag));
    }
    assert_true(result.cycles >= result.bound);
    assert_int_equal(result.origin, VTAC_OP_TUNED);
    check(p, seed);
    return 1;
}

TEST_CASE(test_random) {
    int all = 0;
    for (size_t i = 0; i < CASES; i++) {
        pair p = make(i);
        int admitted = 0;
        state_of_random = i + 1;
        for (int k = 0; k < ROUNDS * 4 && admitted < ROUNDS / 4; k++) admitted += try_random(&p, i);
        if (!admitted) fail_msg("%s %s: none of the random schedules was admitted", cases[i].name, cases[i].text);
        all += admitted;
        release(&p);
    }
    printf("%d random schedules\n", all);
}

/* Candidates are admitted, with the estimate that they have. */
TEST_CASE(test_candidates) {
    for (size_t i = 0; i < CASES; i++) {
        pair p = make(i);
        vt_op_blocks b[8];
        uint64_t considered;
        uint32_t n = vt_op_candidates(p.op, &p.profile, 8, b, &considered);
        assert_true(n > 0 && n <= considered);
        for (uint32_t k = 0; k < n; k++) {
            vt_op_blocks again = b[k];
            assert_null(vt_op_admit(p.op, &p.profile, &again));
            assert_true(again.estimate == b[k].estimate && again.skip == b[k].skip);
            check_text(&p, &b[k]);
        }
        release(&p);
    }
}

#define ORIGINAL                                                                                                       \
    "{\"entity\": [[\"tile_b\", \"sp\", [-1, 1]], [\"tile_h\", \"sp\", [-1, 3]], [\"tile_w\", \"sp\", [-1, 7]], "      \
    "[\"tile_ci\", \"sp\", [-1, 1]], [\"tile_co\", \"sp\", [-1, 2]], [\"oc_nthread\", \"ot\", 2], [\"h_nthread\", "    \
    "\"ot\", 1]]}"

/* The form that AutoTVM writes. */
TEST_CASE(test_original) {
    pair p = make(0);
    vt_op_blocks b;
    assert_int_equal(read_text(p.op, ORIGINAL, p.diag, &b), VTA_OK);
    assert_true(b.oc == 2 && b.y == 3 && b.x == 7 && b.ic == 1 && b.threads == 2 && !b.share_rows && !b.turns);
    assert_null(vt_op_admit(p.op, &p.profile, &b));
    char *text = text_of(p.op, &b);
    assert_string_equal(text, ORIGINAL);
    vt_strfree(NULL, text);
    release(&p);
}

#define PARTS "[[\"parts_co\", \"ot\", [4]], [\"parts_h\", \"ot\", [9]], [\"parts_ci\", \"ot\", [3]], "
static const struct {
    const char *entity, *says;
} wrong[] = {
    {"3", "entity must be a list"},
    {"[[\"tile_q\", \"sp\", [-1, 1]]]", "knob tile_q: schedules of this operator have none"},
    {"[[\"tile_b\", \"sp\", [-1, 2]]]", "knob tile_b: a tile has one block of images here"},
    {"[[\"tile_b\", \"sp\"]]", "an entry of entity must be [name, kind, value]"},
    {"[[\"tile_h\", \"sp\", [-1, 3]]]", "knob tile_w: is missing"},
    {"[[\"tile_h\", \"sp\", []]]", "knob tile_h: must be a list of sizes"},
    {"[[\"tile_h\", \"sp\", [-1, -1]]]", "knob tile_h: must be a list of sizes"},
    {"[[\"parts_co\", \"ot\", []]]", "knob parts_co: must be a list of 1 to 128 sizes"},
    {"[[\"parts_co\", \"ot\", [70000]]]", "knob parts_co: sizes are 1 to 65535"},
    {"[[\"parts_co\", \"ot\", [4]], [\"tile_h\", \"sp\", [-1, 3]]]",
     "knob tile_h: schedules of this operator have none"},
    {"[[\"tile_h\", \"sp\", [-1, 3]], [\"tile_w\", \"sp\", [-1, 3]], [\"tile_ci\", \"sp\", [-1, 1]], [\"tile_co\", "
     "\"sp\", [-1, 1]], [\"oc_nthread\", \"ot\", 2], [\"h_nthread\", \"ot\", 2]]",
     "knob h_nthread: virtual threads share rows or output channels here, not both"},
    {PARTS "[\"rows_inside\", \"ot\", 2]]", "knob rows_inside: must be 0 or 1"},
    {PARTS "[\"rows_inside\", \"ot\", -1]]", "knob rows_inside: must be 0 or 1"},
    {PARTS "[\"rows_inside\", \"ot\", true]]", "knob rows_inside: must be 0 or 1"},
    {PARTS "[\"rows_inside\", \"ot\", 1.0]]", "knob rows_inside: must be 0 or 1"},
    {PARTS "[\"rows_inside\", \"ot\", \"1\"]]", "knob rows_inside: must be 0 or 1"},
};

TEST_CASE(test_refusals) {
    pair p = make(0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[512];
        vt_op_blocks b;
        vta_diag *diag = vta_diag_create(NULL);
        snprintf(text, sizeof text, "{\"entity\": %s}", wrong[i].entity);
        assert_int_equal(read_text(p.op, text, diag, &b), VTA_INVALID_ARGUMENT);
        if (!strstr(vta_diag_text(diag), wrong[i].says) || !strstr(vta_diag_text(diag), "x.log:3"))
            fail_msg("%s: %s", wrong[i].entity, vta_diag_text(diag));
        vta_diag_destroy(diag);
    }
    release(&p);
}

TEST_CASE(test_not_admitted) {
    pair p = make(0);
    vt_op_blocks b = {.oc = 5, .y = 9, .x = 7, .ic = 3, .threads = 1};
    assert_string_equal(vt_op_admit(p.op, &p.profile, &b), "a tile is larger than the result, or empty");
    b = (vt_op_blocks){.oc = 4, .y = 9, .x = 7, .ic = 2, .threads = 1};
    assert_string_equal(vt_op_admit(p.op, &p.profile, &b), "its tiles do not divide evenly");
    b = (vt_op_blocks){.oc = 4, .y = 9, .x = 7, .ic = 3, .threads = 9};
    assert_string_equal(vt_op_admit(p.op, &p.profile, &b), "more virtual threads than there may be");
    b = (vt_op_blocks){.turns = true, .oc_parts = {1, {4}}, .y_parts = {2, {4, 4}}, .ic_parts = {1, {3}}};
    assert_string_equal(vt_op_admit(p.op, &p.profile, &b), "its parts are not those of the operator's axes");
    b.y_parts = (vt_op_parts){3, {4, 0, 5}};
    assert_string_equal(vt_op_admit(p.op, &p.profile, &b), "its parts are not those of the operator's axes");
    release(&p);
}

int main(void) { return run_cases(); }
