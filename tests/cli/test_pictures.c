/* How pictures become a network's input: each setting means the same as an option and in the file beside the model,
 * each changes the result, and what is none is refused. In floats, on the host, with the model of examples/shapes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "support/tool.h"

static char folder[] = "/tmp/vta_pictures_XXXXXX";

static void put(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int begin(void **state) {
    (void)state;
    char command[512];
    unsetenv("VTA_CONFIG");
    if (!mkdtemp(folder)) return -1;
    snprintf(command, sizeof command, "cd %s/examples/shapes && cp shapes.onnx shapes.txt pictures/ball1.png %s",
             VT_SOURCE_DIR, folder);
    return system(command);
}

static int end(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* The scores, as text, with settings in the file (NULL: no file) and options. */
static const char *scores(const char *settings, const char *options) {
    static char text[8][512];
    static int next;
    char args[512], *to = text[next++ % 8];
    if (settings) put("shapes.picture.json", settings);
    snprintf(args, sizeof args, "run shapes.onnx --float --input ball1.png --json %s", options);
    int code = vta_in(folder, args);
    char path[128];
    snprintf(path, sizeof path, "%s/shapes.picture.json", folder);
    unlink(path);
    if (code) fail_msg("%s, %s: exit code %d\n%s", settings ? settings : "no file", options, code, output);
    json_t *j = output_json();
    char *outputs = json_dumps(json_object_get(j, "outputs"), JSON_SORT_KEYS);
    assert_non_null(outputs);
    snprintf(to, 512, "%s", outputs);
    free(outputs);
    json_decref(j);
    return to;
}

#define SIZE "--resize 64 --crop 64"
#define RAW SIZE " --preset raw"
#define FILE_RAW "\"preset\": \"raw\", \"resize\": 64, \"crop\": 64"
#define FILE_SIZE "\"resize\": 64, \"crop\": 64"

TEST_CASE(a_setting_is_an_option) {
    static const struct {
        const char *settings, *options;
    } rows[] = {
        {"{" FILE_RAW "}", RAW},
        {"{" FILE_SIZE ", \"scale\": 0.5}", SIZE " --scale 0.5"},
        {"{" FILE_SIZE ", \"scale\": 0.5}", SIZE " --scale 1/2"},
        {"{" FILE_SIZE ", \"mean\": 0.25}", SIZE " --mean 0.25"},
        {"{" FILE_SIZE ", \"mean\": [0.25, 0.5, 0.75]}", SIZE " --mean 0.25,0.5,0.75"},
        {"{" FILE_SIZE ", \"std\": [0.25, 0.5, 0.75]}", SIZE " --std 0.25,0.5,0.75"},
        {"{" FILE_SIZE ", \"std\": 0.5}", SIZE " --std 0.5,0.5,0.5"},
        {"{" FILE_RAW ", \"bgr\": true}", RAW " --bgr"},
        {"{" FILE_RAW ", \"bgr\": false}", RAW},
        {"{" FILE_RAW ", \"layout\": \"NCHW\"}", RAW " --layout NCHW"},
        {"{" FILE_SIZE ", \"preset\": \"unit\"}", SIZE " --preset unit"},
        {"{" FILE_SIZE ", \"preset\": \"signed\"}", SIZE " --preset signed"},
        {"{\"preset\": \"raw\", \"resize\": 80, \"crop\": 64}", "--preset raw --resize 80 --crop 64"},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    for (int i = 0; i < ROWS; i++) {
        const char *file = scores(rows[i].settings, ""), *options = scores(NULL, rows[i].options);
        if (strcmp(file, options))
            fail_msg("%s gives\n%s\nbut %s\n%s", rows[i].settings, file, rows[i].options, options);
    }
}

/* An option is stronger than the file, and leaves the rest of it. */
TEST_CASE(options_are_stronger) {
    assert_string_equal(scores("{" FILE_SIZE ", \"scale\": 0.5, \"mean\": 0.25}", "--scale 0.125"),
                        scores(NULL, SIZE " --scale 0.125 --mean 0.25"));
    assert_string_equal(scores("{" FILE_SIZE ", \"scale\": 0.5, \"mean\": 0.25}", "--mean 0.125"),
                        scores(NULL, SIZE " --scale 0.5 --mean 0.125"));
    assert_string_equal(scores("{\"preset\": \"raw\", \"resize\": 80, \"crop\": 64}", "--resize 64"),
                        scores(NULL, RAW));
    /* A preset takes the place of the whole file. */
    assert_string_equal(scores("{" FILE_SIZE ", \"mean\": 0.25}", "--preset signed"), scores(NULL, "--preset signed"));
    assert_string_equal(scores("{\"nothing\": 1}", "--preset signed " SIZE), scores(NULL, "--preset signed " SIZE));
}

TEST_CASE(each_setting_counts) {
    static const char *const rows[] = {RAW,
                                       SIZE " --scale 0.5",
                                       SIZE " --mean 30",
                                       SIZE " --mean 0,30,60",
                                       SIZE " --std 9",
                                       SIZE " --std 2,4,8",
                                       RAW " --bgr",
                                       SIZE " --preset unit",
                                       SIZE " --preset signed",
                                       SIZE " --preset imagenet",
                                       "--resize 80 --crop 64 --preset raw"};
    enum { ROWS = sizeof rows / sizeof *rows };
    char all[ROWS][512];
    for (int i = 0; i < ROWS; i++) {
        strcpy(all[i], scores(NULL, rows[i]));
        for (int k = 0; k < i; k++)
            if (!strcmp(all[i], all[k])) fail_msg("%s changes nothing against %s: %s", rows[i], rows[k], all[i]);
    }
}

TEST_CASE(what_is_refused) {
    static const struct {
        const char *settings, *options, *says;
    } rows[] = {
        {NULL, "",
         "shapes.onnx: it is not known how pictures become its input 1x3x64x64: give --preset unit, which is "
         "likely; --preset raw for values of 0 to 255;"},
        {"{\"resize\": 64}", "--bgr", "or a file shapes.picture.json"},
        {"[1]", "", "expected a JSON object"},
        {"{", "", "shapes.picture.json"},
        {"{\"size\": 64}", "", "size"},
        {"{\"layout\": \"NCWH\"}", "", "layout"},
        {"{\"layout\": 1}", "", "layout"},
        {"{\"scale\": \"x\"}", "", "scale"},
        {"{\"mean\": [1, 2]}", "", "mean"},
        {"{\"std\": \"x\"}", "", "std"},
        {"{\"bgr\": 1}", "", "bgr"},
        {"{\"resize\": -1}", "", "resize"},
        {"{\"crop\": 1.5}", "", "crop"},
        {"{\"label_offset\": 1.5}", "", "label_offset"},
        {"{\"labels\": 1}", "", "labels"},
        {"{\"preset\": \"mine\"}", "", "mine"},
        {NULL, "--preset mine", "mine"},
        {NULL, "--scale x", "--scale x"},
        {NULL, "--scale 1/", "--scale 1/"},
        {NULL, "--mean 1,2", "--mean 1,2"},
        {NULL, "--std 1,2,3,4", "--std 1,2,3,4"},
        {NULL, "--resize 65536", "at most 65535 pixels"},
        {NULL, "--crop 65536", "at most 65535 pixels"},
        {NULL, "--layout CHWN", "CHWN"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char args[256], path[128];
        if (rows[i].settings) put("shapes.picture.json", rows[i].settings);
        snprintf(args, sizeof args, "run shapes.onnx --float --input ball1.png %s", rows[i].options);
        int code = vta_in(folder, args);
        snprintf(path, sizeof path, "%s/shapes.picture.json", folder);
        unlink(path);
        if (code != 1 && code != 2) fail_msg("%s %s: %d\n%s", rows[i].settings, rows[i].options, code, output);
        assert_contains(output, rows[i].says);
    }
}

int main(void) { return run_cases_between(begin, end); }
