/* vta graph, vta classify and vta eval, run as a user runs them, on a model made here: its scores are the means of red,
 * green and blue, so that a picture's class is its strongest colour. */
#include <sys/stat.h>
#include <unistd.h>

#include "support/tool.h"
#include "vta/module.h"

#include "image/files.h"
#include "onnx_make.h"

static char folder[] = "/tmp/vta_networks_XXXXXX";

static int vta(const char *args) { return vta_in(folder, args); }

static void says(int code, const char *args, const char *words) {
    int got = vta(args);
    if (got != code || !strstr(output, words)) fail_msg("vta %s: %d, wanted %s\n%s", args, got, words, output);
}

static void put(const char *name, const void *data, size_t bytes) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}
static void put_text(const char *name, const char *text) { put(name, text, strlen(text)); }

static void put_model(const char *name, const making *m) {
    size_t size;
    uint8_t *bytes = make_bytes(m, &size);
    put(name, bytes, size);
    free(bytes);
}

static int setup(void **state) {
    making m;
    (void)state;
    if (!mkdtemp(folder)) return -1;
    make_model(&m, 13);
    make_input(&m, "picture", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "n,3,2,3");
    make_node(&m, "Dropout", "picture", "same", "");
    make_node(&m, "MaxPool", "same", "pixels", "kernel_shape=[1,1]"); /* integers: means of floats stay on floats */
    make_node(&m, "GlobalAveragePool", "pixels", "means", "");
    make_node(&m, "Flatten", "means", "scores", "");
    make_output(&m, "scores");
    put_model("colours.onnx", &m);
    make_node(&m, "Foo", "scores", "foo", "");
    make_node(&m, "Bar", "scores", "bar", "");
    put_model("other.onnx", &m);
    put("rgb.png", pngs[0].bytes, pngs[0].size);
    put("grey.jpg", jpeg, sizeof jpeg);
    assert_int_equal(vta("--version > /dev/null; mkdir samples; cp rgb.png samples"), 0);
    put_text("broken.png", "\x89PNG\r\n\x1a\nno");
    put_text("colours.picture.json", "{\"preset\": \"raw\"}");
    put_text("names.txt", "red\ngreen\nblue\n");
    put_text("names.json", "[\"red\", \"green\", \"blue\"]");
    put_text("synset.txt", "{0: 'red, ruby',\n 1: \"green\",\n 2: 'blue'}\n");
    return 0;
}

static int teardown(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void test_graph(void **state) {
    (void)state;
    says(0, "graph colours.onnx", "means: float32[1,3,1,1] = AveragePool(pixels) kernel=2,3");
    says(0, "graph colours.onnx", "operators  MaxPool 1 AveragePool 1 Reshape 1\nparameters 0\nmacs       0\n");
    says(0, "graph colours.onnx --as-read", "same: float32[1,3,2,3] = Identity(picture)");
    says(0, "graph colours.onnx --after RemoveDead --batch 4",
         "// after RemoveDead (unchanged)\ngraph made\ninput picture: float32[4,3,2,3]");
    says(0, "graph colours.onnx --shape picture=2,3,2,3 --json", "\"op\": \"AveragePool\"");
    says(0, "graph colours.onnx --json", "\"kernel\": [\n          2,\n          3\n");
    says(0, "graph --list-passes", "FoldBatchNorm");
    says(1, "graph colours.onnx --after RemoveDaed", "did you mean RemoveDead?");
    says(1, "graph other.onnx",
         "error: other.onnx: node foo (Foo): this operator is not supported\nerror: other.onnx: node bar (Bar)");
    says(1, "graph other.onnx --json", "\"unsupported\": [");
    says(1, "graph missing.onnx", "missing.onnx");
    says(1, "graph names.txt", "names.txt: no ONNX model");
    says(2, "graph", "expected one MODEL");
}

/* The picture's means are 100.8333, 66.6667 and 75.1667. */
static void test_classify(void **state) {
    (void)state;
    says(0, "compile colours.onnx --calibrate samples --json", "\"accelerator_layers\": 2");
    says(0, "compile colours.onnx --calibrate samples --json", "\"place\": \"accelerator\"");
    says(0, "compile colours.onnx --calibrate samples --report --json", "\"host_share\": 0.");
    says(0, "compile colours.onnx --calibrate samples --report", "run of the device\n");
    says(0, "classify colours.onnx rgb.png --float --labels names.txt",
         "rgb.png\n    100.8333      0  red\n     75.1667      2  blue\n     66.6667      1  green\n");
    says(0, "classify colours.onnx rgb.png --float --labels names.json --bgr", "    100.8333      2  blue\n");
    says(0, "classify colours.onnx rgb.png --float --labels synset.txt --mean 50,0,0",
         "     75.1667      2  blue\n     66.6667      1  green\n     50.8333      0  red, ruby\n");
    says(0, "classify colours.onnx rgb.png --float --scale 1/2 --std 2", "     25.2083      0");
    says(0, "classify colours.onnx rgb.png grey.jpg --float --json", "\"file\": \"grey.jpg\"");
    put_text("colours.picture.json", "{\"scale\": 0.5, \"labels\": \"names.txt\", \"label_offset\": 1}");
    says(0, "classify colours.onnx rgb.png --float", "     50.4167     -1  red\n");
    says(0, "classify colours.onnx rgb.png --float --scale 1 --label-offset 0", "    100.8333      0  red\n");
    put_text("colours.picture.json", "{\"scales\": 0.5}");
    says(1, "classify colours.onnx rgb.png --float", "key scales: preset, resize, crop");
    put_text("colours.picture.json", "{\"preset\": \"raw\"}");
    says(1, "classify colours.onnx broken.png --float", "broken.png: the picture is damaged");
    says(1, "classify colours.onnx rgb.png missing.png --float", "missing.png");
    says(1, "classify colours.onnx broken.png rgb.png missing.png --float", "rgb.png\n    100.8333      0");
    says(1, "classify colours.onnx broken.png rgb.png missing.png --float", "broken.png: the picture is damaged");
    says(1, "classify colours.onnx rgb.png broken.png --json", "\"top\": [],\n      \"error\": \"broken.png: ");
    says(1, "classify colours.onnx broken.png rgb.png missing.png", "rgb.png\n    101.0630      0");
    says(1, "classify colours.onnx broken.png", "broken.png: the picture is damaged");
    says(1, "classify colours.onnx rgb.png --float --preset imagnet", "did you mean imagenet?");
    says(1, "classify colours.onnx rgb.png --float --mean 1,2", "one number, or three");
    says(1, "classify colours.onnx rgb.png --float --crop 5", "has no square of 5");
    says(1, "classify colours.onnx rgb.png --float --crop 5", "rgb.png is not made an input of the network");
    says(0, "classify colours.onnx samples --float", "samples/rgb.png\n    100.8333      0");
    says(1, "classify colours.onnx " VT_SOURCE_DIR "/fuzz --float", "no folder with .jpg, .jpeg or .png files");
    put_text("one.txt", "red\n");
    says(0, "classify colours.onnx rgb.png --float --labels one.txt",
         "warning: one.txt has names of 1 classes, the network has 3");
    says(2, "classify colours.onnx --float", "expected MODEL and at least one image");
    says(0, "classify colours.onnx rgb.png --labels names.txt",
         "    101.0630      0  red\n"); /* as integers, on the accelerator */
    says(0, "classify colours.vta-model rgb.png --driver tsim --json", "\"class\": 0");
    says(0, "classify colours.vta-model rgb.png grey.jpg rgb.png --stats", "\tgemm_counter    :               18\n");
    says(0, "classify colours.vta-model rgb.png --stats", " cycles of the accelerator, ");
    says(0, "classify colours.vta-model rgb.png --stats --json", "\"cycles\": ");
    says(2, "classify colours.onnx rgb.png --stats --float", "--float does without it");
    says(2, "classify colours.vta-model rgb.png --float", "--float is for ONNX models");
    says(0,
         "compile colours.onnx --calibrate samples --labels names.txt --scale 1/2 --label-offset 1 -o named.vta-model",
         "named.vta-model: ");
    says(0, "classify named.vta-model rgb.png",
         "     50.5315     -1  red\n"); /* names and settings from the artifact */
    says(0, "classify named.vta-model rgb.png --scale 1 --label-offset 0 --labels names.json", "      0  red\n");
    says(1, "compile colours.onnx --calibrate samples --labels none.txt", "none.txt");
    says(2, "eval colours.vta-model --images . --labels labels.csv --float", "--float is for ONNX models");
    says(0, "compare colours.onnx rgb.png", "to the bit");
    says(0, "compare colours.onnx rgb.png --json", "\"first\": null");
    says(1, "compile colours.onnx", "its values are not known: give samples, --calibrate DIR");
    says(1, "compile colours.onnx --calibrate nowhere", "nowhere: cannot open");
    says(1, "compile colours.onnx --calibrate samples --percentile 0", "--percentile is more than 0");
}

static void put_floats(const char *name, int64_t count) {
    int64_t shape[] = {count / 8, 8};
    char path[256];
    vta_array *array;
    assert_int_equal(vta_array_create(kDLCPU, 2, shape, (DLDataType){kDLFloat, 32, 1}, NULL, NULL, &array), VTA_OK);
    float *x = vta_array_tensor(array)->data;
    for (int64_t i = 0; i < count; i++) x[i] = (float)(i * 37 % 64 - 32) / 16;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(vta_tensor_save_npy(vta_array_tensor(array), path, NULL), VTA_OK);
    vta_array_free(array);
}

/* Two inputs and two outputs; samples of each input are a file. */
static void test_several(void **state) {
    making m;
    float eye[8 * 16] = {0};
    (void)state;
    for (int i = 0; i < 8 * 16; i++) eye[i] = (float)(i % 7 - 3) / 8;
    make_model(&m, 13);
    make_input(&m, "left", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "1,8");
    make_input(&m, "right", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "1,8");
    make_constant(&m, "w", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "8,16", eye, sizeof eye);
    make_node(&m, "MatMul", "left w", "p", "");
    make_node(&m, "MatMul", "right w", "q", "");
    make_node(&m, "Add", "p q", "sum", "");
    make_node(&m, "Relu", "sum", "positive", "");
    make_output(&m, "sum");
    make_output(&m, "positive");
    put_model("two.onnx", &m);
    put_floats("l.npy", 4 * 8), put_floats("r.npy", 4 * 8), put_floats("few.npy", 3 * 8);
    put_floats("one.npy", 8);
    says(0, "compile two.onnx --calibrate right=r.npy --calibrate left=l.npy", "two.vta-model: ");
    says(1, "compile two.onnx --calibrate l.npy", "--calibrate l.npy: two.onnx has 2 inputs: say which, NAME=FILE.npy");
    says(1, "compile two.onnx --calibrate left=l.npy --calibrate up=r.npy",
         "--calibrate up=r.npy: two.onnx has no input 'up'");
    says(1, "compile two.onnx --calibrate left=l.npy", "right: no samples of this input: --calibrate NAME=FILE.npy");
    says(1, "compile two.onnx --calibrate left=l.npy --calibrate left=r.npy",
         "r.npy: samples of this input are given twice");
    says(1, "compile two.onnx --calibrate left=l.npy --calibrate right=few.npy", "few.npy: not as many samples");
    says(1, "compile two.onnx --calibrate samples", "pictures are samples of networks with one float32 input");
    says(0, "compare two.onnx left=one.npy right=one.npy", "to the bit");
    says(1, "compare two.onnx left=one.npy", "input right of two.onnx is not given");
    says(2, "compare two.onnx", "expected MODEL and its inputs");
    says(0, "run two.onnx --input left=one.npy --input right=one.npy --output sum=s.npy --output positive=p.npy",
         "positive: ");
    says(1, "run two.onnx --input left=one.npy --input right=one.npy --output s.npy",
         "has 2 outputs: say which, NAME=FILE.npy");
}

/* An ONNX model where a compiled one may stand. */
static void test_run(void **state) {
    (void)state;
    says(0, "run colours.onnx --input rgb.png --float --output float.npy", "largest 100.833 at 0, 75.1667 at 2");
    says(0, "run colours.onnx --input rgb.png", "largest 101.063 at 0"); /* calibrated with its own input */
    says(0,
         "run colours.onnx --input picture=rgb.png --calibrate samples --driver tsim --check --json --output whole.npy",
         "\"driver\": \"tsim\"");
    says(0, "compile colours.onnx --calibrate samples -o a.vta-model", "a.vta-model: ");
    says(0, "run a.vta-model --input rgb.png --output same.npy", "largest 101.063 at 0");
    assert_int_equal(vta("--version > /dev/null; cmp whole.npy same.npy && ! cmp float.npy same.npy"), 0);
    says(0, "run colours.onnx --input rgb.png --verbose", "schedule and compile");
    says(0, "profile colours.onnx", "colours.onnx: no samples are given: ranges come from random numbers");
    says(0, "profile colours.onnx --html page.html", "page: page.html");
    says(0, "run colours.onnx --input rgb.png --processor-only", "largest 101.063 at 0");
    says(0, "run colours.onnx --input rgb.png --scale 1/2 --set LOG_BATCH=1 --set LOG_ACC_BUFF_SIZE=18 --json",
         "\"index\": 0");
    says(0, "prove colours.onnx --calibrate samples", "3 of 3 operators proven right for all inputs");
    says(0, "prove colours.onnx --json", "\"proven\": 3");
    says(1, "prove colours.onnx --layer none", "no operator to prove");
    says(2, "prove a.vta-model", "give its ONNX model");
    says(1, "run colours.onnx", "input picture of colours.onnx is not given: --input picture=FILE.npy");
    says(1, "run colours.onnx --input colour=rgb.png", "colours.onnx has no input 'colour'");
    says(1, "run colours.onnx --input names.txt", "names.txt");
    says(1, "run other.onnx --input rgb.png", "node foo (Foo): this operator is not supported");
    says(2, "run a.vta-model --input rgb.png --calibrate samples", "--calibrate is for ONNX models");
    says(2, "run a.vta-model --input rgb.png --float", "--float is for ONNX models");
    says(2, "run colours.onnx --input rgb.png --trace-calls -", "--trace-calls is for kernels");
}

static void test_eval(void **state) {
    (void)state;
    put_text("labels.csv", "file,class\nrgb.png,0\nrgb.png,2\ngrey.jpg,0\n");
    says(0, "eval colours.onnx --float --images . --labels labels.csv",
         "float       top-1 2 of 3 (66.7 %), top-5 3 (100.0 %)");
    says(1, "eval colours.onnx --float --images . --labels labels.csv --label-offset -1",
         "rgb.png is of class 0; the classes of the network go from 1 to 3");
    put_text("labels.csv", "rgb.png,2\nrgb.png,1\ngrey.jpg,1\n");
    says(0, "eval colours.onnx --float --images . --labels labels.csv --label-offset -1 --json -t 1", "\"top1\": 2");
    put_text("labels.csv", "\xef\xbb\xbf\"file\",class\r\n\"rgb.png\",0\r\n");
    says(0, "eval colours.onnx --images . --labels labels.csv", "accelerator top-1 1 of 1 (100.0 %)");
    put_text("labels.csv", "rgb.png,0\ngrey.jpg,99999999999999999999\n");
    says(1, "eval colours.onnx --images . --labels labels.csv", "labels.csv:2: the class is out of range");
    put_text("labels.csv", "file,class\n");
    says(1, "eval colours.onnx --images . --labels labels.csv", "labels.csv: there is no picture in it");
    put_text("labels.csv", "rgb.png,0\ngone.png,2\n");
    says(1, "eval colours.onnx --float --images . --labels labels.csv", "gone.png");
    put_text("labels.csv", "rgb.png,0\nrgb.png,blue\n");
    says(1, "eval colours.onnx --float --images . --labels labels.csv", "labels.csv:2: the class is not an integer");
    says(2, "eval colours.onnx --float", "expected a folder of images, --images and --labels");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graph), cmocka_unit_test(test_classify),
                                       cmocka_unit_test(test_several), cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_eval)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
