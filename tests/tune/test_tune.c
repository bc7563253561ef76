/* The search: the same trials whatever the number of processes is, and after an interruption; what ends it; processes
 * that die; what its log says, and what a log is good for. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

#include "operators/knobs.h"
#include "vta/runtime.h"
#include "vta/tune.h"

static const char conv[] = "height=8 width=8 in_channels=32 out_channels=64 kernel=3 pad=1 epilogue=shift,relu";

static char folder[] = "/tmp/vta_tune_XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *path_of(const char *name) {
    static char path[2][128];
    static int which;
    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", folder, name);
    return path[which];
}

static vtac_op *make(const char *name, const char *text) {
    vtac_op *op;
    vta_diag *diag = vta_diag_create(NULL);
    if (vtac_op_create(name, text, NULL, NULL, diag, &op) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    return op;
}

static int open_files(void) {
    int n = 0;
    DIR *all = opendir("/proc/self/fd");
    assert_non_null(all);
    while (readdir(all)) n++;
    closedir(all);
    return n;
}

/* A search ends its processes and closes what led to them. */
static vtac_tune_result tune(vtac_op *op, const vtac_tune_options *options) {
    vtac_tune_result r = {.size = sizeof r};
    vta_diag *diag = vta_diag_create(NULL);
    int before = open_files();
    if (vtac_tune(op, options, diag, &r) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(open_files(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    vta_diag_destroy(diag);
    return r;
}

static vtac_tune_log *load(const char *path) {
    vtac_tune_log *log;
    vta_diag *diag = vta_diag_create(NULL);
    if (vtac_tune_log_load(path, NULL, diag, &log) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    return log;
}

static vtac_tune_record record(const vtac_tune_log *log, size_t i) {
    vtac_tune_record r = {.size = sizeof r};
    assert_int_equal(vtac_tune_log_get(log, i, &r), VTA_OK);
    return r;
}

/* Each record's number, cycles and error, in the order of the log. */
static char *summary(const char *path) {
    vtac_tune_log *log = load(path);
    size_t n = vtac_tune_log_count(log), size = 0;
    char *text = calloc(n + 1, 64);
    for (size_t i = 0; i < n; i++) {
        vtac_tune_record r = record(log, i);
        size += (size_t)snprintf(text + size, 64, "%d %d %d\n", (int)r.index, (int)r.cycles, (int)r.error);
    }
    vtac_tune_log_destroy(log);
    return text;
}

static uint64_t best_of(const char *path) {
    vtac_tune_log *log = load(path);
    uint64_t best = 0;
    for (size_t i = 0; i < vtac_tune_log_count(log); i++) {
        uint64_t cycles = record(log, i).cycles;
        if (cycles && (!best || cycles < best)) best = cycles;
    }
    vtac_tune_log_destroy(log);
    return best;
}

/* ---- What a search finds ----------------------------------------------------------------------------------------- */

static void check_right(vtac_op *op) {
    vta_runtime *runtime;
    vta_packed_function function;
    vta_device_options device = {.check = true};
    vta_runtime_options options = {.device = &device};
    vtac_check_result found = {0};
    vtac_kernel *kernel = vtac_op_kernel(op);
    const te_tensor *args[4];
    size_t n = vtac_kernel_arg_count(kernel);
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(kernel, i);
    assert_int_equal(vta_runtime_create(NULL, "sim", &options, NULL, NULL, &runtime), VTA_OK);
    vta_runtime_use(runtime);
    assert_int_equal(vtac_module_function(vtac_op_module(op), vtac_op_name(op), NULL, &function), VTA_OK);
    assert_int_equal(vtac_check(vtac_kernel_context(kernel), n, args, function, kDLExtDev, NULL, NULL, &found), VTA_OK);
    assert_int_equal(found.different, 0);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
}

TEST_CASE(test_log) {
    const char *path = path_of("round.log");
    vtac_op *op = make("conv2d", conv), *again = make("conv2d", conv), *plain = make("conv2d", conv);
    vtac_tune_result r = tune(op, &(vtac_tune_options){.trials = 60, .log = path, .seed = 7});
    vtac_op_result chosen = {0}, applied = {0};
    assert_int_equal(r.trials, 60);
    assert_int_equal(r.failed, 0);
    assert_int_equal(r.reused, 0);
    check_right(op);
    assert_non_null(strstr(vtac_op_report(op), "60 were timed by the tuner."));
    /* Better than, and compared with, what is chosen without. */
    vtac_op_options without = {.without_database = true};
    assert_int_equal(vtac_op_schedule(plain, &without, NULL, &chosen), VTA_OK);
    assert_int_equal(r.untuned, chosen.cycles);
    assert_true(r.op.cycles < chosen.cycles && r.op.cycles >= r.op.bound);
    /* The log says the same, and gives another operator that schedule. */
    assert_int_equal(best_of(path), r.op.cycles);
    vtac_tune_log *log = load(path);
    assert_int_equal(vtac_tune_log_count(log), 60);
    for (size_t i = 0; i < 60; i++) {
        vtac_tune_record one = record(log, i);
        assert_string_equal(one.task, "conv2d_packed.vta");
        assert_string_equal(one.machine, "1x16_i8w8a32_15_15_18_17 chisel 64");
        assert_true(one.line == i + 1 && one.index == i && !one.error && !one.message);
        assert_true(one.seconds > (double)one.cycles * 0.999e-8 && one.seconds < (double)one.cycles * 1.001e-8);
        assert_true(one.all_seconds > 0 && one.timestamp > 1.6e9);
        assert_null(vtac_tune_log_why_not(log, i, op, NULL, 0));
    }
    assert_int_equal(vtac_tune_log_get(log, 60, NULL), VTA_OUT_OF_RANGE);
    assert_int_equal(vtac_tune_log_apply(log, again, NULL, NULL, &applied), VTA_OK);
    assert_int_equal(applied.cycles, r.op.cycles);
    assert_string_equal(vtac_op_text(again), vtac_op_text(op));
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
    vtac_op_destroy(again);
    vtac_op_destroy(plain);
}

TEST_CASE(test_deterministic) {
    const char *paths[] = {"here.log", "one.log", "three.log", "seed.log"};
    const uint32_t jobs[] = {0, 1, 3, 0};
    char *said[4], *text[4];
    for (int i = 0; i < 4; i++) {
        vtac_op *op = make("conv2d", conv);
        tune(op, &(vtac_tune_options){.trials = 50, .jobs = jobs[i], .log = path_of(paths[i]), .seed = i == 3});
        said[i] = summary(path_of(paths[i]));
        text[i] = strdup(vtac_op_text(op));
        vtac_op_destroy(op);
    }
    assert_string_equal(said[0], said[1]);
    assert_string_equal(said[0], said[2]);
    assert_string_equal(text[0], text[2]);
    assert_string_not_equal(said[0], said[3]);
    for (int i = 0; i < 4; i++) free(said[i]), free(text[i]);
}

/* Every sort of operator has something to tune; what has not is refused in words. */
TEST_CASE(test_operators) {
    static const char *const texts[][2] = {
        {"dense", "batch=2 in_features=96 out_features=96 epilogue=bias,shift"},
        {"batch_matmul", "batch=2 rows=2 in_features=32 out_features=48"},
        {"conv2d", "height=6 width=6 in_channels=64 out_channels=64 groups=64 kernel=3 pad=1"},
        {"conv2d_transpose", "height=4 width=4 in_channels=32 out_channels=32 kernel=4 stride=2 pad=1"},
        {"add", "channels=64 height=6 width=6"},
        {"max_pool2d", "channels=32 height=8 width=8 kernel=3 stride=2 pad=1"},
        {"avg_pool2d", "channels=32 height=8 width=8 kernel=2 stride=2"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        vtac_op *op = make(texts[i][0], texts[i][1]);
        vtac_tune_result r = tune(op, &(vtac_tune_options){.trials = 24});
        if (!r.trials || r.failed || r.op.cycles > r.untuned)
            fail_msg("%s: %u trials, %u failed, %d cycles, %d before", texts[i][0], (unsigned)r.trials,
                     (unsigned)r.failed, (int)r.op.cycles, (int)r.untuned);
        check_right(op);
        vtac_op_destroy(op);
    }
    vtac_op *op = make("concat", "channels0=16 channels1=16");
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vtac_tune(op, NULL, diag, NULL), VTA_UNSUPPORTED);
    assert_non_null(strstr(vta_diag_text(diag), "concat: has only one schedule, so there is nothing to tune"));
    vta_diag_destroy(diag);
    vtac_op_destroy(op);
}

/* ---- What ends a search ------------------------------------------------------------------------------------------ */

static bool after_nine(void *user, const vtac_tune_progress *p) {
    (void)user;
    return p->trial >= 9;
}

/* Goes on where it ended, to the same end; a line that was cut short is tried again. */
TEST_CASE(test_resume) {
    vtac_op *whole = make("conv2d", conv), *parts = make("conv2d", conv);
    vtac_tune_result r = tune(whole, &(vtac_tune_options){.trials = 40, .log = path_of("whole.log")});
    vtac_tune_options options = {.trials = 40, .log = path_of("parts.log"), .progress = after_nine, .jobs = 2};
    vtac_tune_result first = tune(parts, &options);
    assert_true(first.interrupted && first.trials >= 9 && first.trials < 16 && !first.reused);
    FILE *f = fopen(path_of("parts.log"), "r+");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    assert_int_equal(ftruncate(fileno(f), ftell(f) - 30), 0);
    fclose(f);
    options.progress = NULL;
    options.resume = true;
    options.log = path_of("parts.log");
    vtac_tune_result second = tune(parts, &options);
    assert_int_equal(second.reused, first.trials - 1);
    assert_int_equal(second.trials, 40);
    assert_false(second.interrupted);
    assert_int_equal(second.op.cycles, r.op.cycles);
    assert_string_equal(vtac_op_text(parts), vtac_op_text(whole));
    vtac_tune_log *log = load(path_of("parts.log"));
    assert_int_equal(vtac_tune_log_count(log), 40);
    assert_int_equal(vtac_tune_log_refused(log), 1);
    vtac_tune_log_destroy(log);
    /* Nothing is left to do. */
    vtac_tune_result third = tune(parts, &options);
    assert_int_equal(third.reused, 40);
    assert_int_equal(third.op.cycles, r.op.cycles);
    /* On another machine each is tried again, and so is another operator of the shape. */
    vta_config *base = vta_config_default(), *config;
    assert_int_equal(vta_config_with(base, "LOG_ACC_BUFF_SIZE=16", NULL, &config), VTA_OK);
    vtac_op *elsewhere,
        *other = make("conv2d", "height=8 width=8 in_channels=32 out_channels=64 kernel=3 pad=1 epilogue=bias,shift");
    assert_int_equal(vtac_op_create("conv2d", conv, config, NULL, NULL, &elsewhere), VTA_OK);
    options.trials = 3;
    assert_int_equal(tune(elsewhere, &options).reused, 0);
    assert_int_equal(tune(other, &options).reused, 0);
    vtac_op_destroy(elsewhere);
    vtac_op_destroy(other);
    vta_config_release(config);
    vta_config_release(base);
    vtac_op_destroy(whole);
    vtac_op_destroy(parts);
}

TEST_CASE(test_early_stop) {
    vtac_op *op = make("conv2d", conv);
    vtac_tune_result r = tune(op, &(vtac_tune_options){.trials = 4000, .early_stop = 20, .log = path_of("early.log")});
    vtac_tune_log *log = load(path_of("early.log"));
    size_t n = vtac_tune_log_count(log), last = 0;
    uint64_t best = UINT64_MAX;
    assert_true(n == r.trials && n < 4000);
    for (size_t i = 0; i < n; i++)
        if (record(log, i).cycles < best) best = record(log, i).cycles, last = i;
    assert_true(n - last - 1 >= 20 && n - last - 1 < 20 + 16);
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
}

static bool at_once(void *user, const vtac_tune_progress *p) {
    assert_int_equal(p->size, sizeof *p);
    ++*(int *)user;
    return true;
}

TEST_CASE(test_interrupted) {
    int calls = 0;
    vtac_op *op = make("conv2d", conv);
    vtac_tune_result r = tune(op, &(vtac_tune_options){.progress = at_once, .user = &calls});
    assert_true(calls == 1 && r.trials == 1 && r.interrupted);
    r = tune(op, &(vtac_tune_options){.seconds = 1e-9});
    assert_true(r.trials == 1 && !r.interrupted);
    vtac_op_destroy(op);
}

/* A space of few schedules ends by itself. */
TEST_CASE(test_exhausted) {
    vtac_op *op = make("dense", "in_features=16 out_features=32");
    vtac_tune_result r = tune(op, &(vtac_tune_options){.trials = 1000});
    assert_true(r.trials > 0 && r.trials < 1000 && !r.interrupted);
    vtac_op_destroy(op);
}

/* ---- Processes --------------------------------------------------------------------------------------------------- */

/* How many processes this one has started. */
static bool count_processes(void *user, const vtac_tune_progress *p) {
    char path[64];
    int n = 0, *most = user;
    (void)p;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "r");
    if (!f) skip();
    while (fscanf(f, "%*d") != EOF) n++;
    fclose(f);
    if (n > *most) *most = n;
    return false;
}

/* All of the jobs have trials at the same time. */
TEST_CASE(test_jobs) {
    for (int jobs = 0; jobs <= 4; jobs += 2) {
        int most = 0;
        vtac_op *op = make("conv2d", conv);
        tune(op,
             &(vtac_tune_options){.trials = 16, .jobs = (uint32_t)jobs, .progress = count_processes, .user = &most});
        assert_int_equal(most, jobs);
        vtac_op_destroy(op);
    }
}

/* Kills one process of the tuner, the first time that there is one. */
static bool kill_one(void *user, const vtac_tune_progress *p) {
    char path[64];
    int pid = 0, *killed = user;
    if (*killed >= 3 || p->trial < 4u * (unsigned)*killed) return false;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%d", &pid) != 1) skip();
    fclose(f);
    kill(pid, SIGKILL);
    ++*killed;
    return false;
}

TEST_CASE(test_death) {
    int killed = 0;
    vtac_op *op = make("conv2d", conv);
    vtac_tune_result r =
        tune(op, &(vtac_tune_options){
                     .trials = 30, .jobs = 2, .log = path_of("dead.log"), .progress = kill_one, .user = &killed});
    assert_true(killed > 0 && r.failed <= (uint32_t)killed && r.trials == 30);
    vtac_tune_log *log = load(path_of("dead.log"));
    uint32_t failed = 0;
    for (size_t i = 0; i < vtac_tune_log_count(log); i++) {
        vtac_tune_record one = record(log, i);
        failed += one.error != 0;
        if (one.error) assert_true(one.error == 8 && !strcmp(one.message, "its process was ended by signal 9"));
    }
    assert_int_equal(failed, r.failed);
    check_right(op);
    /* Only those are tried again. */
    vtac_tune_result again = tune(op, &(vtac_tune_options){.trials = 30, .log = path_of("dead.log"), .resume = true});
    assert_true(again.reused <= 30 - failed && !again.failed);
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
}

TEST_CASE(test_timeout) {
    vtac_op *op = make("conv2d", conv);
    vta_diag *diag = vta_diag_create(NULL);
    vtac_tune_options options = {.trials = 3, .jobs = 1, .trial_seconds = 1e-9, .log = path_of("late.log")};
    vtac_tune_result r = {0};
    vta_status status = vtac_tune(op, &options, diag, &r);
    if (status != VTA_OK) { /* a process may be quick enough all the same */
        assert_int_equal(status, VTA_NOT_FOUND);
        assert_non_null(strstr(vta_diag_text(diag), "none of 3 schedules that were tried could be timed"));
        vtac_tune_log *log = load(path_of("late.log"));
        assert_int_equal(record(log, 0).error, 7);
        vtac_tune_log_destroy(log);
        assert_null(vtac_op_text(op));
    }
    vta_diag_destroy(diag);
    vtac_op_destroy(op);
}

/* Stops a process of the tuner, the first time that there is one: it stays, and answers nothing. */
static bool stop_one(void *user, const vtac_tune_progress *p) {
    char path[64];
    int pid, *stopped = user;
    (void)p;
    if (*stopped) return false;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "r");
    if (!f) skip();
    if (fscanf(f, "%d", &pid) == 1) *stopped = kill(pid, SIGSTOP) == 0;
    fclose(f);
    return false;
}

/* Its trial is lost after a while, and another process goes on. (A slow machine may lose more.) */
TEST_CASE(test_stuck) {
    int stopped = 0;
    vtac_op *op = make("dense", "in_features=32 out_features=64");
    vtac_tune_options options = {.trials = 6, .jobs = 1, .trial_seconds = 0.6, .log = path_of("stuck.log")};
    options.progress = stop_one;
    options.user = &stopped;
    vtac_tune_result r = tune(op, &options);
    vtac_tune_log *log = load(path_of("stuck.log"));
    uint32_t late = 0;
    for (size_t i = 0; i < vtac_tune_log_count(log); i++) {
        vtac_tune_record one = record(log, i);
        if (!one.error) continue;
        late++;
        assert_int_equal(one.error, 7);
        assert_string_equal(one.message, "no result after 1 s");
        assert_true(one.all_seconds > 0.59 && one.all_seconds < r.seconds + 0.001);
    }
    assert_true(stopped && late > 0 && late == r.failed && vtac_tune_log_count(log) == r.trials);
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
}

/* ---- Beginning with a log ---------------------------------------------------------------------------------------- */

TEST_CASE(test_start) {
    vtac_op *op = make("conv2d", conv), *other = make("conv2d", conv);
    vtac_tune_result r = tune(op, &(vtac_tune_options){.trials = 60, .log = path_of("start.log"), .seed = 3});
    vtac_tune_log *log = load(path_of("start.log"));
    char *best;
    vtac_tune_log *only;
    assert_int_equal(vtac_tune_log_best(log, NULL, &best), VTA_OK);
    assert_non_null(strchr(best, '\n'));
    assert_int_equal(strlen(strchr(best, '\n')), 1); /* one line */
    assert_int_equal(vtac_tune_log_parse(best, strlen(best), "best", NULL, NULL, &only), VTA_OK);
    assert_int_equal(record(only, 0).cycles, r.op.cycles);
    vtac_tune_result warm = tune(other, &(vtac_tune_options){.trials = 4, .start = only});
    assert_int_equal(warm.op.cycles, r.op.cycles);
    assert_int_equal(warm.untuned, r.untuned);
    vta_string_free(best);
    vtac_tune_log_destroy(only);
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
    vtac_op_destroy(other);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void refuses(const vtac_tune_options *options, vta_status status, const char *says) {
    vtac_op *op = make("conv2d", conv);
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vtac_tune(op, options, diag, NULL), status);
    if (!strstr(vta_diag_text(diag), says)) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    vtac_op_destroy(op);
}

TEST_CASE(test_refusals) {
    refuses(&(vtac_tune_options){.jobs = 17}, VTA_OUT_OF_RANGE, "jobs is 17: at most 16");
    refuses(&(vtac_tune_options){.trials = 2000000}, VTA_OUT_OF_RANGE, "trials is 2000000: at most 1048576");
    refuses(&(vtac_tune_options){.seconds = -1}, VTA_OUT_OF_RANGE, "seconds must not be negative");
    refuses(&(vtac_tune_options){.trial_seconds = -1}, VTA_OUT_OF_RANGE, "trial_seconds must not be negative");
    refuses(&(vtac_tune_options){.resume = true}, VTA_INVALID_ARGUMENT, "resume: there is no log");
    refuses(&(vtac_tune_options){.log = "/no/such/folder/x.log"}, VTA_IO, "/no/such/folder/x.log: cannot be written");
    refuses(&(vtac_tune_options){.log = "/dev/full", .trials = 2}, VTA_IO, "/dev/full: cannot be written");
    assert_int_equal(vtac_tune(NULL, NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
}

int main(void) { return run_cases_between(make_folder, remove_folder); }
