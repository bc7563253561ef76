/* A search seen from its log: each line to the letter, which schedules come first, when it ends, what progress tells,
 * and what a log that is resumed is believed. */
#include "support/check.h"

#include <unistd.h>

#include "operators/tune/search.h"
#include "vta/tune.h"

static const char dense[] = "batch=6 in_features=96 out_features=192 epilogue=shift";

static char path[] = "/tmp/vta_search_XXXXXX";

static int make_log(void **state) {
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_log(void **state) {
    (void)state;
    return remove(path);
}

static void write_log(const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static vtac_op *make(const char *name, const char *text, const char *set) {
    vtac_op *op = NULL;
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *plain = vta_config_default(), *config;
    char all[512]; /* with the steps that it says, and none that saturates */
    snprintf(all, sizeof all, "%s narrow=wrap", text);
    if (vta_config_with(plain, set, diag, &config) != VTA_OK ||
        vtac_op_create(name, all, config, NULL, diag, &op) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    vta_config_release(config);
    vta_config_release(plain);
    vta_diag_destroy(diag);
    return op;
}

/* Each trial is a thread: together they stay below the 500 that the leak sanitizer is good for. */
static vtac_tune_result tune(vtac_op *op, vtac_tune_options options) {
    vtac_tune_result r = {.size = sizeof r};
    vta_diag *diag = vta_diag_create(NULL);
    options.log = path;
    if (vtac_tune(op, &options, diag, &r) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    return r;
}

static vtac_tune_log *load(void) {
    vtac_tune_log *log;
    assert_int_equal(vtac_tune_log_load(path, NULL, NULL, &log), VTA_OK);
    return log;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* A line whose times are left out: TIMES stands for all_cost and the time of day, VERSION for the
 * library's. */
static const struct {
    const char *name, *text, *config, *line;
} lines[] = {
    {"dense", dense, "",
     "{\"input\": [\"ext_dev -keys=vta,cpu -device=vta -model=sim_1x16_i8w8a32_15_15_18_17\", "
     "\"dense_packed.vta\", [[\"TENSOR\", [6, 6, 1, 16], \"int8\"], [\"TENSOR\", [12, 6, 16, 16], \"int8\"], "
     "null, \"int32\"], {}], \"config\": {\"index\": 0, \"code_hash\": null, \"entity\": [[\"tile_b\", \"sp\", "
     "[-1, 6]], [\"tile_ci\", \"sp\", [-1, 6]], [\"tile_co\", \"sp\", [-1, 6]], [\"oc_nthread\", \"ot\", 2], "
     "[\"h_nthread\", \"ot\", 1]]}, \"result\": [[3.103e-05], 0, TIMES], \"version\": 0.2, \"tvm_version\": "
     "\"vta-VERSION\", \"vta\": {\"workload\": \"dense 1x6x6x1 to 12x6x1 kernel 1x1 stride 1x1 dilation 1x1 pad "
     "0,0,0,0 shift of 1+0\", \"machine\": \"1x16_i8w8a32_15_15_18_17 chisel 64\", \"cycles\": 3103}}\n"},
    {"conv2d",
     "height=6 width=5 in_channels=48 out_channels=32 kernel_h=3 kernel_w=2 stride_h=2 dilation_w=3 pad_top=1 "
     "pad_left=2 pad_bottom=3 epilogue=bias,shift",
     "LOG_BATCH=1",
     "{\"input\": [\"ext_dev -keys=vta,cpu -device=vta -model=sim_2x16_i8w8a32_15_15_18_17\", "
     "\"conv2d_packed.vta\", [[\"TENSOR\", [1, 3, 6, 5, 2, 16], \"int8\"], [\"TENSOR\", [2, 3, 3, 2, 16, 16], "
     "\"int8\"], [2, 1], [1, 2, 3, 0], [1, 3], \"NCHW1n16c\", \"int32\"], {}], \"config\": {\"index\": 0, "
     "\"code_hash\": null, \"entity\": [[\"parts_co\", \"ot\", [2]], [\"parts_h\", \"ot\", [3, 1]], "
     "[\"parts_ci\", \"ot\", [2, 1]], [\"rows_inside\", \"ot\", 1], [\"keep_data\", \"ot\", 0], [\"keep_weight\", "
     "\"ot\", 1], [\"third_place\", \"ot\", 0], [\"late_uops\", \"ot\", 0]]}, \"result\": [[2.165e-05], 0, "
     "TIMES], \"version\": 0.2, \"tvm_version\": \"vta-VERSION\", \"vta\": {\"workload\": \"conv2d 1x3x6x5 to "
     "2x4x4 kernel 3x2 stride 2x1 dilation 1x3 pad 1,3,2,0 bias,shift of 3+0\", \"machine\": "
     "\"2x16_i8w8a32_15_15_18_17 chisel 64\", \"cycles\": 2165}}\n"},
    {"conv2d", "height=6 width=6 in_channels=64 out_channels=64 groups=2 kernel=3 pad=1", "",
     "{\"input\": [\"ext_dev -keys=vta,cpu -device=vta -model=sim_1x16_i8w8a32_15_15_18_17\", "
     "\"group_conv2d_packed.vta\", [[\"TENSOR\", [1, 4, 6, 6, 1, 16], \"int8\"], [\"TENSOR\", [4, 2, 3, 3, 16, "
     "16], \"int8\"], [1, 1], [1, 1, 1, 1], [1, 1], 2, \"int32\"], {}], \"config\": {\"index\": 0, \"code_hash\": "
     "null, \"entity\": [[\"parts_co\", \"ot\", [1, 1, 1, 1]], [\"parts_h\", \"ot\", [6]], [\"parts_ci\", \"ot\", "
     "[1, 1]], [\"rows_inside\", \"ot\", 1], [\"keep_data\", \"ot\", 0], [\"keep_weight\", \"ot\", 0], "
     "[\"third_place\", \"ot\", 0], [\"late_uops\", \"ot\", 0]]}, \"result\": [[3.884e-05], 0, TIMES], "
     "\"version\": 0.2, \"tvm_version\": \"vta-VERSION\", \"vta\": {\"workload\": \"conv2d 1x2x6x6 to 4x6x6 "
     "kernel 3x3 stride 1x1 dilation 1x1 pad 1,1,1,1 of 4, 2 of 0+0\", \"machine\": \"1x16_i8w8a32_15_15_18_17 "
     "chisel 64\", \"cycles\": 3884}}\n"},
    {"conv2d_transpose", "height=4 width=3 in_channels=32 out_channels=48 kernel=4 stride_h=2 pad=1", "",
     "{\"input\": [\"ext_dev -keys=vta,cpu -device=vta -model=sim_1x16_i8w8a32_15_15_18_17\", "
     "\"conv2d_transpose_packed.vta\", [[\"TENSOR\", [1, 2, 4, 3, 1, 16], \"int8\"], [\"TENSOR\", [3, 2, 4, 4, "
     "16, 16], \"int8\"], [2, 1], [1, 1, 1, 1], \"int32\", [0, 0]], {}], \"config\": {\"index\": 0, "
     "\"code_hash\": null, \"entity\": [[\"tile_b\", \"sp\", [-1, 1]], [\"tile_h\", \"sp\", [-1, 8]], "
     "[\"tile_w\", \"sp\", [-1, 4]], [\"tile_ci\", \"sp\", [-1, 2]], [\"tile_co\", \"sp\", [-1, 3]], "
     "[\"oc_nthread\", \"ot\", 1], [\"h_nthread\", \"ot\", 1]]}, \"result\": [[4.641e-05], 0, TIMES], "
     "\"version\": 0.2, \"tvm_version\": \"vta-VERSION\", \"vta\": {\"workload\": \"conv2d_transpose 1x2x4x3 to "
     "3x8x4 kernel 4x4 stride 2x1 dilation 1x1 pad 1,1,1,1 of 0+0\", \"machine\": \"1x16_i8w8a32_15_15_18_17 "
     "chisel 64\", \"cycles\": 4641}}\n"},
    {"batch_matmul", "batch=2 rows=2 in_features=32 out_features=48", "LOG_INP_WIDTH=4 LOG_INP_BUFF_SIZE=16",
     "{\"input\": [\"ext_dev -keys=vta,cpu -device=vta -model=sim_1x16_i16w8a32_15_16_18_17\", \"batch_matmul\", "
     "[], {}], \"config\": {\"index\": 0, \"code_hash\": null, \"entity\": [[\"tile_b\", \"sp\", [-1, 1]], "
     "[\"tile_h\", \"sp\", [-1, 2]], [\"tile_w\", \"sp\", [-1, 1]], [\"tile_ci\", \"sp\", [-1, 2]], [\"tile_co\", "
     "\"sp\", [-1, 3]], [\"oc_nthread\", \"ot\", 1], [\"h_nthread\", \"ot\", 1]]}, \"result\": [[7.36e-06], 0, "
     "TIMES], \"version\": 0.2, \"tvm_version\": \"vta-VERSION\", \"vta\": {\"workload\": \"batch_matmul 2x2x2x1 "
     "to 3x2x1 kernel 1x1 stride 1x1 dilation 1x1 pad 0,0,0,0 of 0+0\", \"machine\": \"1x16_i16w8a32_15_16_18_17 "
     "chisel 64\", \"cycles\": 736}}\n"},
    {"add", "channels=64 height=6 width=6 wide=1", "",
     "{\"input\": [\"ext_dev -keys=vta,cpu -device=vta -model=sim_1x16_i8w8a32_15_15_18_17\", \"add\", [], {}], "
     "\"config\": {\"index\": 0, \"code_hash\": null, \"entity\": [[\"tile_b\", \"sp\", [-1, 1]], [\"tile_h\", "
     "\"sp\", [-1, 6]], [\"tile_w\", \"sp\", [-1, 6]], [\"tile_co\", \"sp\", [-1, 1]], [\"oc_nthread\", \"ot\", "
     "4], [\"h_nthread\", \"ot\", 1]]}, \"result\": [[3.077e-05], 0, TIMES], \"version\": 0.2, \"tvm_version\": "
     "\"vta-VERSION\", \"vta\": {\"workload\": \"add 1x0x6x6 to 4x6x6 kernel 0x0 stride 0x0 dilation 0x0 pad "
     "0,0,0,0 wide of 0+0\", \"machine\": \"1x16_i8w8a32_15_15_18_17 chisel 64\", \"cycles\": 3077}}\n"},
};

TEST_CASE(test_lines) {
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[4096] = "", *at, *end;
        vtac_op *op = make(lines[i].name, lines[i].text, lines[i].config);
        write_log("");
        tune(op, (vtac_tune_options){.trials = 1, .without_database = true});
        FILE *f = fopen(path, "r");
        size_t n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
        assert_true(n > 0 && text[n - 1] == '\n' && strchr(text, '\n') == text + n - 1);
        at = strstr(text, "], 0, ") + 6;
        end = strstr(at, "], \"version\"");
        assert_true(at < end && end - at < 40);
        memmove(at + 5, end, strlen(end) + 1);
        memcpy(at, "TIMES", 5);
        at = strstr(text, vta_version());
        assert_non_null(at);
        memmove(at + 7, at + strlen(vta_version()), strlen(at + strlen(vta_version())) + 1);
        memcpy(at, "VERSION", 7);
        assert_string_equal(text, lines[i].line);
        vtac_op_destroy(op);
    }
}

/* ---- The order of trials ----------------------------------------------------------------------------------------- */

enum { TRIALS = 96, ROUND = 16 };

static uint64_t hash_of(const vtac_op *op, const vt_op_blocks *b) {
    uint64_t hash;
    assert_int_equal(vt__tune_hash(op, b, NULL, &hash), VTA_OK);
    return hash;
}

static vt_op_blocks blocks_of(const vtac_op *op, const vtac_tune_log *log, size_t i) {
    vt_op_blocks b;
    assert_int_equal(vt_op_knobs_read(op, log->lines[i].entity, (vt_pos){"log", 1, 0}, NULL, &b), VTA_OK);
    return b;
}

/* The best by estimate come first, in their order; then there is no schedule twice. */
TEST_CASE(test_order) {
    static uint64_t hash[TRIALS];
    vtac_op *op = make("dense", dense, "");
    vta_timing_profile profile;
    vt_op_blocks first[VT_TUNE_BEGIN + 1];
    uint64_t considered;
    assert_int_equal(vta_timing_profile_for(op->config, NULL, &profile), VTA_OK);
    assert_int_equal(vt_op_candidates(op, &profile, VT_TUNE_BEGIN + 1, first, &considered), VT_TUNE_BEGIN + 1);
    write_log("");
    vtac_tune_result r = tune(op, (vtac_tune_options){.trials = 60, .without_database = true});
    assert_int_equal(r.op.considered, considered);
    assert_int_equal(r.op.timed, 60);
    vtac_tune_log *log = load();
    uint64_t untuned = UINT64_MAX, sum = 0;
    for (size_t i = 0; i < 60; i++) {
        vt_op_blocks b = blocks_of(op, log, i);
        hash[i] = hash_of(op, &b);
        if (i < VT_TUNE_BEGIN) assert_true(hash[i] == hash_of(op, &first[i]));
        for (size_t k = 0; k < i; k++) assert_true(hash[k] != hash[i]);
        uint64_t cycles = log->lines[i].record.cycles;
        if (i < VT_TUNE_UNTUNED && cycles < untuned) untuned = cycles;
        sum += cycles;
    }
    assert_int_equal(r.untuned, untuned); /* the best of as many as are tried without tuning */
    assert_int_equal(sum, 242943);        /* of the trials that this very search makes */
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
}

/* Where a search ends that stops after so many trials without a better one: at the end of a round of 16. */
TEST_CASE(test_end) {
    static const uint32_t stops[] = {1, 16, 17, 30};
    vtac_op *op = make("dense", dense, "");
    write_log("");
    tune(op, (vtac_tune_options){.trials = TRIALS, .without_database = true});
    vtac_tune_log *log = load();
    for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
        size_t done = 0, better = 0;
        uint64_t best = UINT64_MAX;
        do
            for (size_t end = done + ROUND; done < end; done++)
                if (log->lines[done].record.cycles < best) best = log->lines[done].record.cycles, better = done + 1;
        while (done < better + stops[k] && done + ROUND <= TRIALS);
        write_log("");
        vtac_tune_result r =
            tune(op, (vtac_tune_options){.trials = TRIALS, .early_stop = stops[k], .without_database = true});
        assert_int_equal(r.trials, done);
        assert_int_equal(r.op.cycles, best);
    }
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
}

/* ---- Progress ---------------------------------------------------------------------------------------------------- */

typedef struct seen {
    uint32_t calls, trials, of;
    uint64_t best, bound, sum;
    double seconds;
} seen;

static bool watch(void *user, const vtac_tune_progress *p) {
    seen *s = user;
    assert_int_equal(p->size, sizeof *p);
    assert_int_equal(p->trials, s->of);
    assert_int_equal(p->trial, ++s->trials);
    assert_int_equal(p->failed, 0);
    assert_true(p->cycles > 0 && p->seconds >= s->seconds && p->seconds < 600);
    if (!s->best || p->cycles < s->best) s->best = p->cycles;
    assert_int_equal(p->best, s->best);
    s->seconds = p->seconds;
    s->bound = p->bound;
    s->sum += p->cycles;
    return false;
}

TEST_CASE(test_progress) {
    seen s = {.of = 40};
    vtac_op *op = make("dense", dense, "");
    write_log("");
    vtac_tune_result r =
        tune(op, (vtac_tune_options){.trials = 40, .progress = watch, .user = &s, .without_database = true});
    assert_int_equal(s.trials, 40);
    assert_int_equal(s.bound, r.op.bound);
    assert_int_equal(s.best, r.op.cycles);
    assert_true(r.seconds >= s.seconds && r.seconds < 600);
    vtac_tune_log *log = load();
    for (size_t i = 0; i < 40; i++) s.sum -= log->lines[i].record.cycles;
    assert_int_equal(s.sum, 0);
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
}

/* ---- Resumed ----------------------------------------------------------------------------------------------------- */

/* The log of one trial, with its error turned into another. */
static void write_error(vtac_op *op, const char *error) {
    char text[4096] = "", changed[4200];
    write_log("");
    tune(op, (vtac_tune_options){.trials = 1, .without_database = true});
    FILE *f = fopen(path, "r");
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    char *at = strstr(text, "\"result\": [["), *end = strstr(at, "], 0, ");
    snprintf(changed, sizeof changed, "%.*s[[\"said\"], %s, %s", (int)(at - text) + 10, text, error, end + 6);
    write_log(changed);
}

TEST_CASE(test_resumed) {
    static const struct {
        const char *error;
        uint32_t reused, failed, refused;
    } rows[] = {{"2", 1, 1, 1}, {"4", 1, 1, 0}, {"7", 0, 0, 0}, {"8", 0, 0, 0}};
    vtac_op *op = make("dense", dense, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_error(op, rows[i].error);
        vtac_tune_result r = tune(op, (vtac_tune_options){.trials = 5, .resume = true, .without_database = true});
        assert_int_equal(r.trials, 5);
        assert_int_equal(r.reused, rows[i].reused);
        assert_int_equal(r.failed, rows[i].failed);
        assert_int_equal(r.op.refused, rows[i].refused);
        assert_int_equal(r.op.timed, 5 - rows[i].failed);
        vtac_tune_log *log = load();
        assert_int_equal(vtac_tune_log_count(log), 6 - rows[i].reused);
        vtac_tune_log_destroy(log);
    }
    vta_diag *diag = vta_diag_create(NULL);
    vtac_tune_options options = {.trials = 1, .resume = true, .log = path, .without_database = true};
    write_error(op, "2");
    assert_int_equal(vtac_tune(op, &options, diag, NULL), VTA_NOT_FOUND);
    assert_contains(vta_diag_text(diag), "dense: none of 1 schedules that were tried could be timed; the last: ");
    vta_diag_destroy(diag);
    vtac_op_destroy(op);
}

int main(void) { return run_cases_between(make_log, remove_log); }
