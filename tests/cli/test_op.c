/* vta op and vta ops, run as a user runs them: values that are right, keys of the JSON, what is refused and how. */
#include "support/tool.h"

static int vta(const char *args, const char *errors) {
    char command[1024];
    snprintf(command, sizeof command, "%s/vta %s 2>%s", VT_BINARY_DIR, args, errors);
    return shell(command);
}

static json_t *vta_json(const char *args, int code) {
    int got = vta(args, "/dev/null");
    if (got != code) fail_msg("vta %s: exit code %d\n%s", args, got, output);
    json_t *j = json_loads(output, 0, NULL);
    if (!j) fail_msg("vta %s: not JSON\n%s", args, output);
    return j;
}

static double number(const json_t *j, const char *key) {
    const json_t *value = json_object_get(j, key);
    if (!json_is_number(value)) fail_msg("no number \"%s\" in %s", key, output);
    return json_number_value(value);
}

static const char *const right[] = {
    "conv2d height=7 width=7 in_channels=20 out_channels=20 kernel=3 pad=1 epilogue=shift,relu",
    "dense in_features=40 out_features=10",
    "add channels=20 height=5 width=5",
    "multiply channels=20 wide=1",
    "max channels=20",
    "min channels=20",
    "identity channels=20 epilogue=add:3",
    "shift channels=20",
    "clip channels=20",
    "relu channels=20",
    "leaky_relu channels=20",
    "bias_add channels=20",
    "max_pool2d channels=20 height=5 width=5 kernel=3 stride=2 pad=1",
    "avg_pool2d channels=20 height=5 width=5 kernel=3 pad=1",
    "global_avg_pool2d channels=20 height=5 width=5",
    "upsample2d channels=20 height=3 width=3",
    "concat channels0=20 channels1=9 height=3 width=3",
};

static void operators_run(void **state) {
    (void)state;
    static const char *const keys[] = {"bound", "macs", "schedule_ms", "compile_ms"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        char args[256];
        bool copies = strncmp(right[i], "concat", 6) == 0;
        snprintf(args, sizeof args, "op %s --check --json", right[i]);
        json_t *j = vta_json(args, 0);
        assert_true(json_is_true(json_object_get(j, "correct")));
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) assert_true(number(j, keys[k]) >= 0);
        assert_int_equal(number(j, "cycles") > 0, !copies);
        assert_int_equal(number(j, "refused"), 0);
        const char *words = json_string_value(json_object_get(j, "schedule"));
        assert_non_null(words);
        bool may_wrap = strstr(right[i], "wide=1") || strstr(right[i], "bias_add");
        assert_int_equal(json_is_string(json_object_get(j, "may_wrap")), may_wrap);
        assert_int_equal(json_is_null(json_object_get(j, "may_wrap")), !may_wrap);
        assert_int_equal(strstr(words, "On the host") != NULL, copies);
        json_decref(j);
    }
}

/* Every operator that is listed has a case above. */
static void operators_listed(void **state) {
    (void)state;
    json_t *all = vta_json("ops --json", 0), *one;
    size_t i;
    json_array_foreach(json_object_get(all, "operators"), i, one) {
        const char *name = json_string_value(json_object_get(one, "name"));
        size_t size = strlen(name), k = 0;
        assert_true(json_array_size(json_object_get(one, "attributes")) > 0);
        while (k < sizeof right / sizeof *right && (strncmp(right[k], name, size) || right[k][size] != ' ')) k++;
        if (k == sizeof right / sizeof *right) print_message("%s: not run here\n", name);
    }
    assert_true(i >= sizeof right / sizeof *right);
    json_decref(all);
    assert_int_equal(vta("ops", "/dev/null"), 0);
    assert_non_null(strstr(output, "max_pool2d: the largest element under a window"));
    assert_int_equal(vta("ops max_pool2d add", "/dev/null"), 0);
    assert_non_null(strstr(output, "max_pool2d: the largest element under a window"));
    assert_true(!strncmp(output, "add: ", 5) && strstr(output, "\nepilogue: ") && !strstr(output, "conv2d: "));
    assert_int_equal(vta("ops dense --json", "/dev/null"), 0);
    all = json_loads(output, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(all, "operators")), 1);
    json_decref(all);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *args, *words;
        int code;
    } cases[] = {
        {"op", "which operator?", 2},
        {"op maxpool2d", "there is no operator \"maxpool2d\"; did you mean max_pool2d?", 1},
        {"op max_pool2d channels=4 kernal=2", "no attribute \"kernal\"", 1},
        {"op avg_pool2d channels=4 height=40 width=40 kernel=20 pad=16", "cannot run on the accelerator, because", 1},
        {"op add channels=4 height=2 --emit llvm", "there is te", 2},
        {"ops conv2d maxpool2d", "vta ops maxpool2d: no such operator; did you mean max_pool2d?", 1},
        {"ops quaternion", "vta ops quaternion: no such operator; vta ops lists them", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int got = vta(cases[i].args, "&1");
        if (got != cases[i].code || !strstr(output, cases[i].words))
            fail_msg("vta %s: exit code %d\n%s", cases[i].args, got, output);
    }
}

/* The kernel file that it writes is one that the tool reads, runs and finds right. */
static void emitted(void **state) {
    (void)state;
    char folder[] = "/tmp/vta_op_XXXXXX", args[512];
    assert_non_null(mkdtemp(folder));
    snprintf(args, sizeof args, "op max_pool2d channels=20 height=6 width=6 kernel=2 stride=2 --emit te -o %s/p.te",
             folder);
    assert_int_equal(vta(args, "/dev/null"), 0);
    snprintf(args, sizeof args, "run %s/p.te --check", folder);
    assert_int_equal(vta(args, "&1"), 0);
    assert_non_null(strstr(output, "equal the reference, bit for bit"));
    snprintf(args, sizeof args, "rm -r %s", folder);
    assert_int_equal(system(args), 0);
}

/* Compared with the definition, and proven to be it. */
static void proven(void **state) {
    (void)state;
    assert_int_equal(
        vta("op avg_pool2d channels=20 height=5 width=5 kernel=3 pad=1 --set LOG_INP_WIDTH=4 --prove", "&1"), 0);
    assert_non_null(strstr(output, "avg_pool2d: 500 elements equal the definition, bit for bit"));
    assert_non_null(
        strstr(output, "exact (largest error 0, for every sum of up to 9 elements of 16 bits), by two products"));
    assert_non_null(strstr(output, "avg_pool2d: proven, for all inputs and in every order; the chance"));
    json_t *j = vta_json("op dense in_features=20 out_features=20 --prove --json", 0);
    assert_string_equal(json_string_value(json_object_get(json_object_get(j, "proof"), "result")), "proven");
    assert_true(number(json_object_get(j, "proof"), "log2_error") < -20);
    json_decref(j);
    assert_int_equal(vta("op concat channels0=20 channels1=9 --prove", "&1"), 1); /* nothing runs on the accelerator */
    assert_non_null(strstr(output, "concat: unproven: the kernel runs nothing on the accelerator"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operators_run), cmocka_unit_test(proven),
                                       cmocka_unit_test(operators_listed), cmocka_unit_test(refusals),
                                       cmocka_unit_test(emitted)};
    vta("help", "/dev/null");
    if (!strstr(output, "  ops ")) return 77; /* a tool without the compiler */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
