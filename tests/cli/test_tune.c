/* vta tune as a user runs it: what it prints and logs, Ctrl-C, logs of others, merging, and vta op with a log. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/shared.h"
#include "support/tool.h"

#define CONV "conv2d height=8 width=8 in_channels=32 out_channels=64 kernel=3 pad=1 epilogue=shift,relu"

static char folder[] = "/tmp/vta_tune_XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") || system(command);
}

static int vta(const char *args, const char *errors) {
    char command[1024];
    snprintf(command, sizeof command, "%s/vta %s 2>%s", VT_BINARY_DIR, args, errors);
    return shell(command);
}

static json_t *vta_json(const char *args) {
    int code = vta(args, "/dev/null");
    json_t *j = json_loads(output, 0, NULL);
    if (code || !j) fail_msg("vta %s: exit code %d\n%s", args, code, output);
    return j;
}

static int64_t number(const json_t *j, const char *key) {
    const json_t *value = json_object_get(j, key);
    if (!json_is_integer(value)) fail_msg("no integer \"%s\" in %s", key, output);
    return json_integer_value(value);
}

static long lines_of(const char *path) {
    FILE *f = fopen(path, "r");
    long n = 0;
    if (!f) return -1;
    for (int c; (c = fgetc(f)) != EOF;) n += c == '\n';
    fclose(f);
    return n;
}

static void prints(void **state) {
    (void)state;
    json_t *j = vta_json("tune " CONV " --trials 30 --jobs 2 --log a.log --json");
    int64_t cycles = number(j, "cycles");
    assert_true(json_is_true(json_object_get(j, "correct")) && json_is_false(json_object_get(j, "interrupted")));
    assert_true(cycles <= number(j, "untuned") && cycles >= number(j, "bound"));
    assert_int_equal(number(j, "trials"), 30);
    assert_int_equal(lines_of("a.log"), 30);
    json_decref(j);
    /* The log is taken up, and good for vta op. */
    j = vta_json("tune " CONV " --trials 40 --log a.log --resume --json");
    assert_int_equal(number(j, "reused"), 30);
    assert_int_equal(lines_of("a.log"), 40);
    cycles = number(j, "cycles");
    json_decref(j);
    j = vta_json("op " CONV " --log a.log --json");
    assert_int_equal(number(j, "cycles"), cycles);
    assert_string_equal(json_string_value(json_object_get(j, "origin")), "log");
    json_decref(j);
    assert_int_equal(vta("tune " CONV " --trials 3", "&1"), 0);
    assert_non_null(strstr(output, "3 in ")); /* trials */
    assert_non_null(strstr(output, "4096 elements equal the definition, bit for bit."));
}

static void merges(void **state) {
    (void)state;
    json_decref(vta_json("tune " CONV " --trials 5 --seed 1 --log b.log --json"));
    json_decref(vta_json("tune " CONV " --trials 20 --seed 2 --log c.log --json"));
    json_decref(vta_json("tune dense in_features=32 out_features=64 --trials 5 --log c.log --json"));
    assert_int_equal(vta("tune --merge b.log c.log -o best.jsonl", "&1"), 0);
    assert_int_equal(lines_of("best.jsonl"), 2);
    json_t *j = vta_json("op " CONV " --log best.jsonl --json"), *k = vta_json("op " CONV " --log c.log --json");
    assert_int_equal(number(j, "cycles"), number(k, "cycles"));
    json_decref(j);
    json_decref(k);
    assert_int_equal(vta("tune --merge best.jsonl", "&1"), 0);
    assert_non_null(strstr(output, "\"dense_packed.vta\""));
}

static void begins_with(void **state) {
    (void)state;
    FILE *f = fopen("old.log", "w");
    fputs("{\"input\": [\"ext_dev\", \"conv2d_packed.vta\", [[\"TENSOR\", [1, 2, 8, 8, 1, 16], \"int8\"], [\"TENSOR\", "
          "[4, 2, 3, 3, 16, 16], \"int8\"], [1, 1], [1, 1, 1, 1], [1, 1], \"NCHW1n16c\", \"int32\"], {}], \"config\": "
          "{\"index\": 1, \"code_hash\": null, \"entity\": [[\"tile_b\", \"sp\", [-1, 1]], [\"tile_h\", \"sp\", [-1, "
          "9]], [\"tile_w\", \"sp\", [-1, 8]], [\"tile_ci\", \"sp\", [-1, 1]], [\"tile_co\", \"sp\", [-1, 1]], "
          "[\"oc_nthread\", \"ot\", 2], [\"h_nthread\", \"ot\", 1]]}, \"result\": [[0.1], 0, 1, 1], \"version\": "
          "0.2}\nnonsense\n",
          f);
    fclose(f);
    assert_int_equal(vta("tune " CONV " --trials 2 --from old.log", "&1"), 0);
    if (!strstr(output, "old.log:1: not used: a tile is larger than the result, or empty") ||
        !strstr(output, "old.log:2") || !strstr(output, "the line is left out"))
        fail_msg("%s", output);
    assert_int_equal(vta("op " CONV " --log old.log", "&1"), 1);
    assert_non_null(strstr(output, "old.log: none of its 1 records is a schedule for this conv2d"));
}

static void refuses(void **state) {
    (void)state;
    static const struct {
        const char *args, *says;
        int code;
    } cases[] = {
        {"tune", "which operator? vta ops lists them", 2},
        {"tune --merge", "--merge: which logs?", 2},
        {"tune " CONV " --resume", "--resume continues a log: which? (--log FILE)", 2},
        {"tune " CONV " -o x", "--output is for --merge", 2},
        {"tune conv3d", "there is no operator \"conv3d\"", 1},
        {"tune " CONV " --jobs 99", "jobs is 99: at most 16", 1},
        {"tune " CONV " --from no.log", "no.log", 1},
        {"tune concat channels0=16", "concat: has only one schedule", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = vta(cases[i].args, "&1");
        if (code != cases[i].code || !strstr(output, cases[i].says))
            fail_msg("vta %s: exit code %d\n%s", cases[i].args, code, output);
    }
}

/* Each operator of a network; the log is good for them as any other is. */
static void networks(void **state) {
    (void)state;
    if (!CHECK_CHILDREN_MAY_START_THREADS) skip();
    char model[GOLDEN_PATH], args[GOLDEN_PATH + 100];
    shared_path("models/mnist-8/model.onnx", model);
    snprintf(args, sizeof args, "tune %s --trials 6 --log net.log --json", model);
    json_t *j = vta_json(args), *one;
    size_t i, trials = 0;
    json_array_foreach(json_object_get(j, "operators"), i, one) {
        assert_true(number(one, "cycles") <= number(one, "untuned") && number(one, "cycles") >= number(one, "bound"));
        trials += (size_t)number(one, "trials");
        snprintf(args, sizeof args, "op %s %s --log net.log --json",
                 json_string_value(json_object_get(one, "operator")),
                 json_string_value(json_object_get(one, "attributes")));
        json_t *again = vta_json(args);
        assert_int_equal(number(again, "cycles"), number(one, "cycles"));
        json_decref(again);
    }
    assert_true(i >= 2 && lines_of("net.log") == (long)trials);
    json_decref(j);
    snprintf(args, sizeof args, "tune %s more", model);
    assert_int_equal(vta(args, "&1"), 2);
    assert_int_equal(vta("tune no.onnx", "&1"), 1);
    assert_non_null(strstr(output, "no.onnx"));
}

/* What of a network has nothing to tune is no error, and gets its row as the others do. */
static void networks_with_one_schedule(void **state) {
    (void)state;
    static const char args[] =
        "tune " VT_SOURCE_DIR "/examples/shapes/shapes.onnx --trials 1 --jobs 0 --calibrate " VT_SOURCE_DIR
        "/examples/shapes/pictures";
    assert_int_equal(vta(args, "&1"), 0);
    assert_non_null(strstr(output, "conv2d           has only one schedule, so there is nothing to tune\n"));
    assert_null(strstr(output, "error"));
    assert_non_null(strstr(output, "\nall operators, each once: "));
}

/* The search ends, the best so far is printed, and every line of the log is whole. */
static void ctrl_c(void **state) {
    (void)state;
    int out[2], code = 0;
    struct stat s = {.st_size = 0};
    assert_int_equal(pipe(out), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], STDOUT_FILENO);
        execl(VT_BINARY_DIR "/vta", "vta", "tune", "conv2d", "height=14", "width=14", "in_channels=64",
              "out_channels=64", "kernel=3", "pad=1", "--trials", "1000000", "--log", "stopped.log", "--jobs", "2",
              "--json", (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    for (int i = 0; i < 60000 && !s.st_size; i++) usleep(1000), stat("stopped.log", &s);
    assert_true(s.st_size > 0);
    kill(pid, SIGINT);
    FILE *f = fdopen(out[0], "r");
    output[fread(output, 1, sizeof output - 1, f)] = '\0';
    fclose(f);
    assert_int_equal(waitpid(pid, &code, 0), pid);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    json_t *j = json_loads(output, 0, NULL);
    assert_true(json_is_true(json_object_get(j, "interrupted")) && json_is_true(json_object_get(j, "correct")));
    assert_int_equal(lines_of("stopped.log"), number(j, "trials"));
    json_decref(j);
    assert_int_equal(vta("tune --merge stopped.log", "&1"), 0);
    assert_null(strstr(output, "left out"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints),
        cmocka_unit_test(merges),
        cmocka_unit_test(begins_with),
        cmocka_unit_test(refuses),
        cmocka_unit_test(ctrl_c),
        cmocka_unit_test(networks),
        cmocka_unit_test(networks_with_one_schedule),
    };
    vta("help", "/dev/null");
    if (!strstr(output, "  tune ")) return 77; /* a tool without the compiler */
    return golden_result(cmocka_run_group_tests(tests, make_folder, remove_folder));
}
