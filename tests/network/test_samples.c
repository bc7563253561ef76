/* Samples of random shapes for inputs of random shapes: what is one input behind the other is taken, all else refused,
 * with both shapes. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/tool.h"

#include "graph/onnx_make.h"

enum { FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, RANK = 5, TRIES = 120 };

static char folder[] = "/tmp/vta_samples_XXXXXX";
static uint64_t state_of_random = 1;

static int64_t below(uint32_t n) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((uint32_t)(state_of_random >> 33) % n);
}

typedef struct shape {
    int rank;
    int64_t dim[RANK + 1];
} shape;

static const char *text_of(const shape *s) {
    char *text = make_room(128, 1);
    for (int i = 0; i < s->rank; i++) sprintf(text + strlen(text), "%s%lld", i ? ", " : "", (long long)s->dim[i]);
    return text;
}

static FILE *open_file(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    return f;
}

static void put_npy(const shape *s) {
    char header[128];
    size_t count = 1;
    for (int i = 0; i < s->rank; i++) count *= (size_t)s->dim[i];
    int n = snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s%s), }", text_of(s),
                     s->rank == 1 ? "," : "");
    FILE *f = open_file("s.npy");
    fwrite("\x93NUMPY\x01\0\x76\0", 1, 10, f);
    for (int i = 0; i < 118; i++) fputc(i < n ? header[i] : i < 117 ? ' ' : '\n', f);
    for (size_t i = 0; i < count; i++) fwrite(&(float){(float)(i % 7) - 3}, 1, sizeof(float), f);
    fclose(f);
}

static void put_model(const shape *s) {
    making m;
    size_t size;
    char *text = make_room(128, 1);
    for (int i = 0; i < s->rank; i++) sprintf(text + strlen(text), "%s%lld", i ? "," : "", (long long)s->dim[i]);
    make_model(&m, 13);
    make_input(&m, "x", FLOAT, text);
    make_node(&m, "Abs", "x", "y", "");
    make_output(&m, "y");
    uint8_t *bytes = make_bytes(&m, &size);
    FILE *f = open_file("m.onnx");
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
    free(bytes);
}

/* Near the input's: more of its first axis, an axis in front, two axes exchanged, flat, another extent. */
static shape near(const shape *in) {
    shape s = *in;
    int a = (int)below((uint32_t)s.rank), b = (int)below((uint32_t)s.rank);
    switch (below(7)) {
    case 0: s.dim[0] *= 1 + below(3); break;
    case 1:
        memmove(s.dim + 1, s.dim, sizeof *s.dim * RANK);
        s.dim[0] = 1 + below(3), s.rank++;
        break;
    case 2: s.dim[a] = in->dim[b], s.dim[b] = in->dim[a]; break;
    case 3:
        for (int i = 1; i < s.rank; i++) s.dim[0] *= s.dim[i];
        s.rank = 1;
        break;
    case 4: s.dim[a] += 1 + below(2); break;
    case 5: /* channels last */
        if (s.rank == 4) s.dim[1] = in->dim[2], s.dim[2] = in->dim[3], s.dim[3] = in->dim[1];
        break;
    default: break;
    }
    return s;
}

/* One behind the other. */
static bool is_taken(const shape *in, const shape *have) {
    int64_t parts[RANK + 2] = {0};
    if (have->rank == in->rank + 1) return !memcmp(have->dim + 1, in->dim, sizeof *in->dim * (size_t)in->rank);
    memcpy(parts, have->dim, sizeof have->dim);
    return have->rank == in->rank && have->dim[0] % in->dim[0] == 0 &&
           !memcmp(parts + 1, in->dim + 1, sizeof *in->dim * (size_t)(in->rank - 1));
}

static int setup(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return shell(command);
}

TEST_CASE(random_shapes) {
    int taken = 0, refused = 0;
    for (int i = 0; i < TRIES; i++) {
        shape in = {.rank = 1 + (int)below(4)};
        char have_text[160], want_text[160];
        for (int k = 0; k < in.rank; k++) in.dim[k] = 1 + below(4);
        shape have = near(&in);
        put_model(&in), put_npy(&have);
        int code = vta_in(folder, "compile m.onnx --calibrate s.npy -o m.vta-model");
        snprintf(have_text, sizeof have_text, "s.npy is float32[%s]", text_of(&have));
        snprintf(want_text, sizeof want_text, "input x of m.onnx is float32[%s]", text_of(&in));
        if (is_taken(&in, &have) ? code != 0 : code != 1 || !strstr(output, have_text) || !strstr(output, want_text))
            fail_msg("[%s] for [%s]: %d, %s", text_of(&have), text_of(&in), code, output);
        *(code ? &refused : &taken) += 1;
    }
    print_message("%d taken, %d refused\n", taken, refused);
    assert_true(taken > 30 && refused > 30);
}

TEST_CASE(channels_last) {
    const shape in = {4, {1, 3, 4, 5}}, have = {4, {1, 4, 5, 3}}, one = {3, {4, 5, 3}};
    put_model(&in), put_npy(&have);
    assert_int_equal(vta_in(folder, "compile m.onnx --calibrate s.npy -o m.vta-model"), 1);
    assert_non_null(strstr(output, "its channels are at the other end (NHWC for NCHW"));
    put_npy(&one);
    assert_int_equal(vta_in(folder, "run m.onnx -i s.npy --float"), 1);
    assert_non_null(strstr(output, "its channels are at the other end (NHWC for NCHW"));
}

int main(void) { return run_cases_between(setup, teardown); }
