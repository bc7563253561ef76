/* Tensors of a file: of every type and in every form, and those that lie beside it. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "onnx_read.h"
#include "support/check.h"

static void starts(making *m) { make_model(m, 13), make_output(m, "t"); }

/* ---- Tensors ---- */

typedef enum form { RAW, FLOATS, DOUBLES, INT32S, INT64S, UINT64S } form;

/* The element types of ONNX, the list in which a file may have their elements, the least and the largest element. */
static const struct {
    int32_t type;
    const char *text;
    form list;
    double least, most;
    size_t bytes;
} types[] = {
    {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "float32", FLOATS, -1.5, 8388609, 4},
    {ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE, "float64", DOUBLES, -1.5, 0x1p40, 8},
    {ONNX__TENSOR_PROTO__DATA_TYPE__INT8, "int8", INT32S, -128, 127, 1},
    {ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, "uint8", INT32S, 0, 255, 1},
    {ONNX__TENSOR_PROTO__DATA_TYPE__INT16, "int16", INT32S, -32768, 32767, 2},
    {ONNX__TENSOR_PROTO__DATA_TYPE__UINT16, "uint16", INT32S, 0, 65535, 2},
    {ONNX__TENSOR_PROTO__DATA_TYPE__INT32, "int32", INT32S, -0x1p31, 0x1p31 - 1, 4},
    {ONNX__TENSOR_PROTO__DATA_TYPE__UINT32, "uint32", UINT64S, 0, 0x1p32 - 1, 4},
    {ONNX__TENSOR_PROTO__DATA_TYPE__INT64, "int64", INT64S, -0x1p40, 0x1p40, 8},
    {ONNX__TENSOR_PROTO__DATA_TYPE__UINT64, "uint64", UINT64S, 0, 0x1p40, 8},
    {ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, "bool", INT32S, 0, 1, 1},
};

/* `count` numbers in the list that is for them. */
static void set_list(Onnx__TensorProto *t, form list, size_t count, const double *x) {
    t->has_raw_data = 0;
    t->n_float_data = t->n_double_data = t->n_int32_data = t->n_int64_data = t->n_uint64_data = 0;
#define SET(LIST, field, ctype)                                                                                        \
    if (list == (LIST)) {                                                                                              \
        t->n_##field = count;                                                                                          \
        t->field = make_room(count, sizeof *t->field);                                                                 \
        for (size_t i = 0; i < count; i++) t->field[i] = (ctype)x[i];                                                  \
    }
    SET(FLOATS, float_data, float)
    SET(DOUBLES, double_data, double)
    SET(INT32S, int32_data, int32_t)
    SET(INT64S, int64_data, int64_t)
    SET(UINT64S, uint64_data, uint64_t)
#undef SET
}

TEST_CASE(test_lists) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        making m;
        char text[256];
        const double x[] = {types[i].least, 1, types[i].most, 0};
        starts(&m);
        Onnx__TensorProto *t = make_constant(&m, "t", types[i].type, "3", NULL, 0);
        set_list(t, types[i].list, 3, x);
        snprintf(text, sizeof text, "output t: %s[3] = const t %s[3]{%.9g,1,%.9g}\n", types[i].text, types[i].text,
                 x[0], x[2]);
        becomes(&m, false, text);
        for (size_t wrong = 2; wrong <= 4; wrong += 2) {
            set_list(t, types[i].list, wrong, x);
            snprintf(text, sizeof text, "error: made.onnx: tensor t has data of %zu, where its shape asks for 3",
                     wrong);
            refuses(&m, NULL, VTA_MISMATCH, text);
        }
        for (int most = 0; types[i].list == INT32S && types[i].bytes < 4 && most < 2; most++) {
            const double outside[] = {1, 1, most ? x[2] + 1 : x[0] - 1};
            set_list(t, INT32S, 3, outside);
            snprintf(text, sizeof text, "error: made.onnx: tensor t: %.0f is not a value of %s", outside[2],
                     types[i].text);
            refuses(&m, NULL, VTA_MISMATCH, text);
        }
    }
}

TEST_CASE(test_raw) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        making m;
        char text[256];
        starts(&m);
        Onnx__TensorProto *t = make_constant(&m, "t", types[i].type, "2", NULL, 2 * types[i].bytes);
        snprintf(text, sizeof text, "const t %s[2]{0,0}\n", types[i].text);
        becomes(&m, false, text);
        t->raw_data.len--;
        snprintf(text, sizeof text, "error: made.onnx: tensor t has data of %zu, where its shape asks for %zu",
                 2 * types[i].bytes - 1, 2 * types[i].bytes);
        refuses(&m, NULL, VTA_MISMATCH, text);
    }
    making m;
    starts(&m);
    make_constant(&m, "t", ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, "4", "\0\1\2\xff", 4);
    becomes(&m, false, "{0,1,1,1}\n");
}

TEST_CASE(test_bad_tensors) {
    making m;
    starts(&m);
    Onnx__TensorProto *t = MAKE_FLOATS(&m, "t", "1,1,1,1,1,1,1,1", 1);
    becomes(&m, false, "float32[1,1,1,1,1,1,1,1]{1}");
    t = m.tensors[0] = make_tensor("t", F32, "1,1,1,1,1,1,1,1,1", NULL, 4);
    refuses(&m, NULL, VTA_MISMATCH,
            "error: made.onnx: tensor t: a shape with a negative extent, more than 8 axes or 2147483648 elements");
    t = m.tensors[0] = make_tensor("t", F32, "0,2", NULL, 0);
    becomes(&m, false, "const t float32[0,2]{}\n");
    set_list(t, FLOATS, 0, NULL);
    becomes(&m, false, "const t float32[0,2]{}\n");
    t->data_type = 17;
    refuses(&m, NULL, VTA_UNSUPPORTED, "error: made.onnx: tensor t: element type 17 of ONNX is not supported");
    t->data_type = F32;
    Onnx__TensorProto__Segment segment;
    onnx__tensor_proto__segment__init(&segment);
    t->segment = &segment;
    refuses(&m, NULL, VTA_UNSUPPORTED, "error: made.onnx: tensor t is in segments");
    t->segment = NULL;
    Onnx__SparseTensorProto sparse, *list[] = {&sparse};
    onnx__sparse_tensor_proto__init(&sparse);
    m.graph.n_sparse_initializer = 1, m.graph.sparse_initializer = list;
    refuses(&m, NULL, VTA_UNSUPPORTED, "error: made.onnx: sparse tensors are not supported");
    m.graph.n_sparse_initializer = 0;
    MAKE_FLOATS(&m, "t", "1", 1);
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: there are two values t");
}

/* A tensor of a model in its own file; elements in a list are made smaller, into memory of a right size. */
static vta_status read_tensor(vt_ctx *ctx, void *arg) {
    vt_gvalue **v = arg;
    enum { COUNT = 100000 }; /* more than goes into a block of an arena with others */
    double *x = calloc(COUNT, sizeof *x);
    x[COUNT - 1] = 77;
    Onnx__TensorProto *t = make_tensor("t", ONNX__TENSOR_PROTO__DATA_TYPE__INT16, "100000", NULL, 0);
    set_list(t, INT32S, COUNT, x);
    free(x);
    uint8_t *bytes = vt_new_bytes(ctx, onnx__tensor_proto__get_packed_size(t));
    *v = vt_onnx_read_tensor(vt_graph_new(ctx, "g"), bytes, onnx__tensor_proto__pack(t, bytes), "t.pb");
    assert_true(vt_gelement_at(*v, COUNT - 1) == 77 && vt_gtype_count(&(*v)->type) == COUNT);
    return VTA_OK;
}

TEST_CASE(test_tensor_file) {
    check_allocator a;
    vt_ctx ctx;
    vt_gvalue *v;
    check_allocator_init(&a, SIZE_MAX);
    vt_ctx_init(&ctx, &a.allocator, NULL);
    assert_int_equal(vt_protect(&ctx, read_tensor, &v), VTA_OK);
    vt_ctx_clear(&ctx);
    assert_int_equal(a.live, 0);
}

/* ---- Data beside the model ---- */

static void set_entry(Onnx__TensorProto *t, const char *key, const char *value) {
    Onnx__StringStringEntryProto *e = make_room(1, sizeof *e);
    onnx__string_string_entry_proto__init(e);
    e->key = make_text(key), e->value = make_text(value);
    t->has_raw_data = 0, t->has_data_location = 1, t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    t->external_data[t->n_external_data++] = e;
}

TEST_CASE(test_external) {
    static char folder[] = "/tmp/test_onnx_XXXXXX";
    static const char *const numbers[] = {"", "x", "4x", "-1", "99999999999999999999"};
    const float data[] = {0, 1, 2};
    char path[64], text[256];
    making m;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/data", folder);
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(data, sizeof *data, 3, f), 3);
    fclose(f);
    vt_onnx_options o = {.name = "made.onnx", .folder = folder};
    starts(&m);
    Onnx__TensorProto *t = MAKE_FLOATS(&m, "t", "2", 0, 0);
    t->external_data = make_room(8, sizeof *t->external_data);
    set_entry(t, "checksum", "none");
    refuses(&m, &o, VTA_MISMATCH, "error: made.onnx: tensor t: its data is in a file that is not named");
    set_entry(t, "location", "");
    refuses(&m, &o, VTA_MISMATCH, "error: made.onnx: tensor t: its data is in a file that is not named");
    t->external_data[--t->n_external_data]->key = NULL;
    set_entry(t, "location", "data");
    refuses(&m, NULL, VTA_MISMATCH,
            "error: made.onnx: tensor t is in the file data; the model was not read from a folder");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        set_entry(t, "offset", numbers[i]);
        snprintf(text, sizeof text, "error: made.onnx: tensor t: offset of its data is \"%s\"", numbers[i]);
        refuses(&m, &o, VTA_MISMATCH, text);
        t->n_external_data--;
        set_entry(t, "length", numbers[i]);
        snprintf(text, sizeof text, "error: made.onnx: tensor t: length of its data is \"%s\"", numbers[i]);
        refuses(&m, &o, VTA_MISMATCH, text);
        t->n_external_data--;
    }
    for (int offset = 0; offset <= 13; offset++) {
        char number[16];
        world w;
        reading r = {.m = &m, .options = o};
        snprintf(number, sizeof number, "%d", offset);
        set_entry(t, "offset", number);
        snprintf(text, sizeof text, "error: made.onnx: tensor t: 8 bytes from %d on are not in %s", offset, path);
        world_open(&w);
        assert_int_equal(vt_protect(&w.ctx, read_model, &r), offset <= 4 ? VTA_OK : VTA_MISMATCH);
        if (offset > 4) assert_string_equal(vta_diag_text(w.diag), text);
        if (offset == 0 || offset == 4) assert_non_null(strstr(r.text, offset ? "{1,2}" : "{0,1}"));
        world_close(&w);
        t->n_external_data--;
    }
    set_entry(t, "length", "7");
    snprintf(text, sizeof text, "error: made.onnx: tensor t has 7 bytes in %s, where its shape asks for 8", path);
    refuses(&m, &o, VTA_MISMATCH, text);
    t->n_external_data--;
    t->dims[0] = 3;
    world w;
    reading r = {.m = &m, .options = o};
    world_open(&w);
    assert_int_equal(vt_protect(&w.ctx, read_model, &r), VTA_OK);
    world_close(&w);
    t->dims[0] = 4;
    snprintf(text, sizeof text, "error: made.onnx: tensor t: %s has 12 bytes, fewer than it says", path);
    refuses(&m, &o, VTA_MISMATCH, text);
    t->dims[0] = 0; /* nothing is not read from what is no file */
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(text, sizeof text, "error: made.onnx: tensor t: 0 bytes from 0 on are not in %s", path);
    refuses(&m, &o, VTA_MISMATCH, text);
    unlink(path);
    snprintf(text, sizeof text, "error: made.onnx: tensor t: %s: No such file or directory", path);
    refuses(&m, &o, VTA_NOT_FOUND, text);
    rmdir(folder);
}

int main(void) { return run_cases(); }
