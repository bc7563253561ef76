/* What vta compare says of values that are zero, infinite or not numbers: as text, as JSON and on its page. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/tool.h"

#include "graph/onnx_make.h"

enum { FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, COUNT = 12, INPUTS = 60 };

static char folder[] = "/tmp/vta_compare_XXXXXX";

static void put(const char *name, const void *data, size_t bytes) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}

static void put_npy(const char *name, const float *x) {
    char file[128 + COUNT * sizeof(float)] = "\x93NUMPY\x01\0\x76\0", *header = file + 10;
    memset(header, ' ', 118);
    memcpy(header, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2, 3), }", 65);
    header[117] = '\n';
    memcpy(file + 128, x, COUNT * sizeof(float));
    put(name, file, sizeof file);
}

/* Floats, integers, floats; and zeros, whatever x is, as long as it is finite. */
static int setup(void **state) {
    making m;
    size_t size;
    float ones[COUNT];
    (void)state;
    if (!mkdtemp(folder)) return -1;
    make_model(&m, 13);
    make_input(&m, "x", FLOAT, "1,2,2,3");
    make_constant(&m, "zero", FLOAT, "", (float[]){0}, sizeof(float));
    make_node(&m, "Abs", "x", "magnitude", "");
    make_node(&m, "Mul", "x zero", "zeros", "");
    make_node(&m, "MaxPool", "x", "pixels", "kernel_shape=[1,1]");
    make_output(&m, "magnitude"), make_output(&m, "zeros"), make_output(&m, "pixels");
    uint8_t *bytes = make_bytes(&m, &size);
    put("m.onnx", bytes, size);
    free(bytes);
    for (int i = 0; i < COUNT; i++) ones[i] = (float)(i % 3) - 1;
    put_npy("ones.npy", ones);
    return 0;
}

static int teardown(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return shell(command);
}

static double number(const json_t *layer, const char *key) {
    const json_t *j = json_object_get(layer, key);
    if (!json_is_number(j)) fail_msg("%s of %s is no number", key, json_string_value(json_object_get(layer, "value")));
    return json_number_value(j);
}

/* What the numbers must be, from x: of floats the same, of integers within half a step. */
static void check_layer(const json_t *layer, const float *x) {
    const char *value = json_string_value(json_object_get(layer, "value"));
    bool whole = !strcmp(value, "pixels") || strcmp(json_string_value(json_object_get(layer, "kind")), "float") != 0;
    double odd = 0, signal = 0, decibels = json_is_null(json_object_get(layer, "sqnr")) ? NAN : number(layer, "sqnr");
    bool exact = json_is_true(json_object_get(layer, "exact"));
    for (int i = 0; i < COUNT; i++)
        if (!isfinite(x[i]))
            odd++;
        else
            signal += (double)x[i] * (double)x[i];
    if (!whole) { /* floats of floats: the same, also where they are not numbers */
        assert_true(exact && isnan(decibels) && number(layer, "max") == 0 && number(layer, "cosine") == 1);
        assert_true(number(layer, "not_finite") == 0);
        return;
    }
    assert_true(number(layer, "not_finite") == odd);
    if (odd > 0) assert_true(!exact && isnan(decibels) && number(layer, "cosine") == 0);
    if (odd == 0 && signal == 0) assert_true(exact && isnan(decibels) && number(layer, "cosine") == 1);
    if (odd == 0 && !exact) assert_true(number(layer, "max") > 0);
    if (exact) assert_true(number(layer, "max") == 0 && number(layer, "cosine") == 1);
}

static void check_text(const float *x) {
    assert_int_equal(vta_in(folder, "compare m.onnx in.npy --calibrate ones.npy --html page.html"), 0);
    if (strstr(output, "nan")) fail_msg("not a number is printed:\n%s", output);
    for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, " inf ") || !strcmp(line + strlen(line) - 4, " inf"))
            fail_msg("\"inf\" for x[0] = %g: %s", (double)x[0], line);
    char command[128];
    snprintf(command, sizeof command, "grep -ciE '(NaN|Infinity)[,}]' %s/page.html", folder);
    shell(command);
    assert_string_equal(output, "0\n");
}

TEST_CASE(odd_inputs) {
    static const float odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0f, 1e-42f, 1e30f};
    uint32_t random = 1;
    for (int k = 0; k < INPUTS; k++) {
        float x[COUNT];
        for (int i = 0; i < COUNT; i++) {
            random = random * 1664525 + 1013904223;
            x[i] = k % 3 == 0 ? 0 : (float)(int32_t)random / 0x1p31f;
            if (k % 3 && (random >> 20) % 4 == 0) x[i] = odd[(random >> 10) % 7];
        }
        put_npy("in.npy", x);
        if (vta_in(folder, "compare m.onnx in.npy --calibrate ones.npy --json")) fail_msg("%s", output);
        json_t *j = output_json(), *layers = json_object_get(j, "layers");
        assert_true(json_array_size(layers) == 5);
        for (size_t i = 0; i < json_array_size(layers); i++) check_layer(json_array_get(layers, i), x);
        json_decref(j);
        check_text(x);
    }
}

int main(void) { return run_cases_between(setup, teardown); }
