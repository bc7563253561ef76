/* Arrays as .npy files. */
#include <unistd.h>

#include "support/check.h"
#include "vta/module.h"

static const struct {
    const char *descr;
    DLDataType type;
} types[] = {
    {"<f4", {kDLFloat, 32, 1}}, {"<f8", {kDLFloat, 64, 1}}, {"<f2", {kDLFloat, 16, 1}},
    {"|i1", {kDLInt, 8, 1}},    {"<i4", {kDLInt, 32, 1}},   {"<i8", {kDLInt, 64, 1}},
    {"|u1", {kDLUInt, 8, 1}},   {"<u2", {kDLUInt, 16, 1}},  {"|b1", {kDLUInt, 1, 1}},
};
enum { TYPES = sizeof types / sizeof *types };

/* A file with this header, and so many bytes of elements that count up. */
static uint8_t *file_of(const char *header, size_t elements, int version, size_t *out_size) {
    size_t prefix = version == 1 ? 10 : 12, n = strlen(header);
    uint8_t *bytes = calloc(1, prefix + n + elements + 1);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (uint8_t)version;
    bytes[8] = (uint8_t)n;
    bytes[9] = (uint8_t)(n >> 8);
    memcpy(bytes + prefix, header, n);
    for (size_t i = 0; i < elements; i++) bytes[prefix + n + i] = (uint8_t)i;
    *out_size = prefix + n + elements;
    return bytes;
}

static vta_status parse(const char *header, size_t elements, int version, vta_diag *diag, vta_array **out) {
    size_t size;
    uint8_t *bytes = file_of(header, elements, version, &size);
    vta_status status = vta_array_parse_npy(bytes, size, "x.npy", NULL, diag, out);
    free(bytes);
    return status;
}

TEST_CASE(reads) {
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < TYPES; i++) {
            char header[128];
            size_t bytes = types[i].type.bits == 1 ? 1 : types[i].type.bits / 8u;
            vta_array *array;
            snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2, 3), }  \n",
                     types[i].descr);
            assert_int_equal(parse(header, 6 * bytes, version, NULL, &array), VTA_OK);
            const DLTensor *t = vta_array_tensor(array);
            assert_int_equal(t->ndim, 2);
            assert_true(t->shape[0] == 2 && t->shape[1] == 3);
            assert_memory_equal(&t->dtype, &types[i].type, sizeof t->dtype);
            for (size_t k = 0; k < 6 * bytes; k++) assert_int_equal(((uint8_t *)t->data)[k], k);
            vta_array_free(array);
        }
}

TEST_CASE(shapes) {
    static const struct {
        const char *shape;
        int32_t ndim;
        size_t elements;
    } cases[] = {{"()", 0, 1}, {"(5,)", 1, 5}, {"(5, )", 1, 5}, {"( 2,3 ,4)", 3, 24}, {"(0, 3)", 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[128];
        vta_array *array;
        snprintf(header, sizeof header, "{\"shape\": %s, 'fortran_order':False,'descr': '|i1'}\n", cases[i].shape);
        assert_int_equal(parse(header, cases[i].elements, 1, NULL, &array), VTA_OK);
        assert_int_equal(vta_array_tensor(array)->ndim, cases[i].ndim);
        vta_array_free(array);
    }
}

TEST_CASE(refuses) {
    static const struct {
        const char *header;
        vta_status status;
        const char *text;
    } cases[] = {
        {"", VTA_PARSE, "not a dictionary"},
        {"{", VTA_PARSE, "damaged"},
        {"{}", VTA_PARSE, "lacks"},
        {"{'descr': '|i1', 'shape': (2,)}", VTA_PARSE, "lacks"},
        {"{'descr': '>i4', 'fortran_order': False, 'shape': (2,)}", VTA_UNSUPPORTED, "'>i4'"},
        {"{'descr': '<f1', 'fortran_order': False, 'shape': (2,)}", VTA_UNSUPPORTED, "'<f1'"},
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (2,)}", VTA_UNSUPPORTED, "'<i3'"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}", VTA_UNSUPPORTED, "'<c8'"},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,)}", VTA_PARSE, "records"},
        {"{'descr': '|i1', 'fortran_order': True, 'shape': (2,)}", VTA_UNSUPPORTED, "column by column"},
        {"{'descr': '|i1', 'fortran_order': 0, 'shape': (2,)}", VTA_PARSE, "neither"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': 2}", VTA_PARSE, "not a tuple"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (-2,)}", VTA_PARSE, "not a number"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (2 3)}", VTA_PARSE, "no comma"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (2", VTA_PARSE, "no comma"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}", VTA_PARSE, "that twice"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (2,), 'x': 1}", VTA_PARSE, "'x'"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (3,)}", VTA_PARSE, "2 bytes of elements"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)}", VTA_PARSE, "16"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (9000000000, 9000000000)}", VTA_OUT_OF_RANGE, ""},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (66792140173563219,)}", VTA_PARSE,
         "2 bytes of elements, its shape needs 66792140173563219"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        vta_array *array;
        vta_status status = parse(cases[i].header, 2, 1, diag, &array);
        if (status != cases[i].status) fail_msg("%s: %s", cases[i].header, vta_diag_text(diag));
        assert_null(array);
        assert_contains(vta_diag_text(diag), cases[i].text);
        vta_diag_destroy(diag);
    }
}

/* What begins otherwise: short files and long ones. */
TEST_CASE(another_file) {
    size_t size;
    uint8_t *bytes = file_of("{'descr': '|i1', 'fortran_order': False, 'shape': (8,)}", 8, 1, &size);
    for (int i = 0; i < 18; i++) { /* a byte of the first six changed, or so many bytes of the file that is right */
        vta_array *array;
        vta_diag *diag = vta_diag_create(NULL);
        if (i < 6) bytes[i] ^= 32;
        assert_int_equal(vta_array_parse_npy(bytes, i < 6 ? size : (size_t)i - 6, "x.npy", NULL, diag, &array),
                         VTA_PARSE);
        assert_null(array);
        assert_contains(vta_diag_text(diag), "x.npy: error: not an .npy file: it does not begin with 93 'NUMPY'");
        if (i < 6) bytes[i] ^= 32;
        vta_diag_destroy(diag);
    }
    free(bytes);
}

TEST_CASE(cut) {
    size_t size;
    uint8_t *bytes = file_of("{'descr': '|i1', 'fortran_order': False, 'shape': (8,)}", 8, 1, &size);
    vta_array *array;
    for (size_t n = 0; n < size; n++) {
        uint8_t *exact = malloc(n ? n : 1);
        memcpy(exact, bytes, n);
        assert_int_equal(vta_array_parse_npy(exact, n, NULL, NULL, NULL, &array), VTA_PARSE);
        free(exact);
    }
    bytes[6] = 4;
    assert_int_equal(vta_array_parse_npy(bytes, size, NULL, NULL, NULL, &array), VTA_PARSE);
    free(bytes);
}

/* What is written is read again, and its header is numpy's: a multiple of 64 bytes in front of the elements. */
TEST_CASE(writes) {
    char path[] = "/tmp/vta-test-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < TYPES; i++)
        for (int32_t ndim = 0; ndim < 4; ndim++) {
            static const int64_t shape[] = {3, 5, 2};
            vta_array *array, *again;
            size_t size;
            assert_int_equal(vta_array_create(kDLCPU, ndim, shape, types[i].type, NULL, NULL, &array), VTA_OK);
            uint8_t *data = vta_array_tensor(array)->data;
            for (size_t k = 0; k < vta_array_bytes(array); k++) data[k] = (uint8_t)(k * 37 + i);
            assert_int_equal(vta_tensor_save_npy(vta_array_tensor(array), path, NULL), VTA_OK);
            char *bytes = check_read_file(path, &size);
            assert_int_equal((size - vta_array_bytes(array)) % 64, 0);
            assert_contains(bytes + 10, types[i].descr);
            free(bytes);
            assert_int_equal(vta_array_load_npy(path, NULL, NULL, &again), VTA_OK);
            const DLTensor *t = vta_array_tensor(again);
            assert_int_equal(t->ndim, ndim);
            assert_memory_equal(&t->dtype, &types[i].type, sizeof t->dtype);
            assert_memory_equal(t->data, data, vta_array_bytes(array));
            vta_array_free(array);
            vta_array_free(again);
        }
    unlink(path);
    vta_array *array;
    assert_int_equal(vta_array_load_npy("/nowhere/x.npy", NULL, NULL, &array), VTA_NOT_FOUND);
    assert_int_equal(vta_tensor_save_npy(NULL, path, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_array_create(kDLCPU, 1, (int64_t[]){4}, (DLDataType){kDLInt, 4, 1}, NULL, NULL, &array),
                     VTA_OK);
    assert_int_equal(vta_tensor_save_npy(vta_array_tensor(array), path, NULL), VTA_UNSUPPORTED);
    vta_array_free(array);
}

int main(void) { return run_cases(); }
