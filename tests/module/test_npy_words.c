/* .npy files byte by byte, and what is said of headers that others might write. */
#include <unistd.h>

#include "support/diag.h"
#include "vta/module.h"

/* The complete bytes of a file. */
static void npy_bytes(void **state) {
    (void)state;
    char path[] = "/tmp/vta-npy-XXXXXX";
    static const struct {
        int32_t ndim;
        DLDataType type;
        const char *header;
    } cases[] = {
        {0, {kDLFloat, 64, 1}, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"},
        {1, {kDLInt, 8, 1}, "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }"},
        {2, {kDLUInt, 1, 1}, "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 20), }"},
        {3, {kDLUInt, 16, 1}, "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 20, 1), }"},
    };
    int64_t shape[] = {3, 20, 1}, strides[] = {20, 1, 1};
    uint8_t data[200];
    close(mkstemp(path));
    for (int i = 0; i < 200; i++) data[i] = (uint8_t)i;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DLTensor t = {data, {kDLCPU, 0}, cases[i].ndim, cases[i].type, shape, NULL, 8};
        size_t size, bytes, text = strlen(cases[i].header), header = (10 + text + 1 + 63) / 64 * 64 - 10;
        must(vta_tensor_save_npy(&t, path, diag));
        must(vta_tensor_bytes(&t, &bytes));
        uint8_t *got = check_read_file(path, &size);
        assert_int_equal(size, 10 + header + bytes);
        assert_memory_equal(got, "\x93NUMPY\1\0", 8);
        assert_int_equal(got[8] | got[9] << 8, header);
        assert_memory_equal(got + 10, cases[i].header, text);
        for (size_t k = text; k + 1 < header; k++) assert_int_equal(got[10 + k], ' ');
        assert_int_equal(got[10 + header - 1], '\n');
        assert_memory_equal(got + 10 + header, data + 8, bytes);
        free(got);
        t.strides = strides;
        says_error(vta_tensor_save_npy(&t, path, diag), VTA_INVALID_ARGUMENT,
                   "vta_tensor_save_npy: no path, or no compact tensor on the host");
    }
    static const DLDataType bad[] = {{kDLInt, 4, 1}, {kDLInt, 8, 2}, {kDLComplex, 64, 1}, {kDLInt, 12, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char words[96];
        DLTensor t = {data, {kDLCPU, 0}, 1, bad[i], shape, NULL, 0};
        snprintf(words, sizeof words, "%s: elements of a type that numpy has not", path);
        says_error(vta_tensor_save_npy(&t, path, diag), VTA_UNSUPPORTED, words);
    }
    DLTensor t = {data, {kDLExtDev, 0}, 1, {kDLInt, 8, 1}, shape, NULL, 0};
    says_error(vta_tensor_save_npy(&t, path, diag), VTA_INVALID_ARGUMENT,
               "vta_tensor_save_npy: no path, or no compact tensor on the host");
    unlink(path);
}

/* Headers as others might write them. */
static void npy_headers(void **state) {
    (void)state;
    static const struct {
        const char *header;
        vta_status status;
        const char *words; /* after "x.npy: error: "; NULL: right, of two bytes */
    } cases[] = {
        {"{'descr':'|i1','fortran_order':False,'shape':(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)}", VTA_OK, NULL},
        {"{'descr':'|i1','fortran_order':False,'shape':(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)}", VTA_PARSE,
         "not an .npy file: more than 16 dimensions"},
        {"{\"descr\" : \"=u2\" , 'fortran_order' : False , 'shape' : ( 1 , ) , } ", VTA_OK, NULL},
        {"{'descr':'<f2','fortran_order':False,'shape':()}", VTA_OK, NULL},
        {"{'descr':'|b1','fortran_order':False,'shape':(2,)}", VTA_OK, NULL},
        {"{'descr':'<b2','fortran_order':False,'shape':()}", VTA_UNSUPPORTED,
         "elements of type '<b2': integers, floats and bools of this machine's byte order are read"},
        {"{'descr':'|f1','fortran_order':False,'shape':(2,)}", VTA_UNSUPPORTED,
         "elements of type '|f1': integers, floats and bools of this machine's byte order are read"},
        {"{'descr':'<i16','fortran_order':False,'shape':()}", VTA_UNSUPPORTED,
         "elements of type '<i16': integers, floats and bools of this machine's byte order are read"},
        {"{'descr':'<i4x','fortran_order':False,'shape':()}", VTA_UNSUPPORTED,
         "elements of type '<i4x': integers, floats and bools of this machine's byte order are read"},
        {"{'descr':'i1','fortran_order':False,'shape':(2,)}", VTA_UNSUPPORTED,
         "elements of type 'i1': integers, floats and bools of this machine's byte order are read"},
        {"{'descr':'0123456789abcdef','fortran_order':False,'shape':()}", VTA_PARSE,
         "not an .npy file: its type is not a text (records are not supported)"},
        {"{'descr':'|i1','fortran_order':True,'shape':(2,)}", VTA_UNSUPPORTED,
         "its elements are column by column (fortran_order): save numpy.ascontiguousarray of it"},
        {"{'descr':'|i1','fortran_order':None,'shape':(2,)}", VTA_PARSE,
         "not an .npy file: 'fortran_order' is neither False nor True"},
        {"{'descr':'|i1','fortran_order':False}", VTA_PARSE,
         "not an .npy file: its header lacks 'descr', 'fortran_order' or 'shape'"},
        {"{'fortran_order':False,'shape':(2,)}", VTA_PARSE,
         "not an .npy file: its header lacks 'descr', 'fortran_order' or 'shape'"},
        {"{'descr':'|i1','fortran_order':False,'shape':(2 2)}", VTA_PARSE,
         "not an .npy file: no comma between extents"},
        {"{'descr':'|i1','fortran_order':False,'shape':(,)}", VTA_PARSE, "not an .npy file: an extent is not a number"},
        {"{'descr':'|i1','fortran_order':False,'shape':[2]}", VTA_PARSE, "not an .npy file: 'shape' is not a tuple"},
        {"{'descr' '|i1','fortran_order':False,'shape':(2,)}", VTA_PARSE, "not an .npy file: its header is damaged"},
        {"{'descr':'|i1','fortran_order':False,'shape':(2,),'shape':(2,)}", VTA_PARSE,
         "not an .npy file: its header has 'shape', or that twice"},
        {"'descr'", VTA_PARSE, "not an .npy file: its header is not a dictionary"},
        {"{'descr':'|i1','fortran_order':False,'shape':(1,)}", VTA_PARSE,
         "not an .npy file: 2 bytes of elements, its shape needs 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int version = 1; version <= 3; version++) {
            uint8_t bytes[256] = "\x93NUMPY";
            size_t prefix = version == 1 ? 10 : 12, size = strlen(cases[i].header);
            char words[256];
            vta_array *array = (vta_array *)&diag;
            bytes[6] = (uint8_t)version;
            bytes[8] = (uint8_t)size;
            memcpy(bytes + prefix, cases[i].header, size);
            memcpy(bytes + prefix + size, "ab", 2);
            vta_status status = vta_array_parse_npy(bytes, prefix + size + 2, "x.npy", NULL, diag, &array);
            snprintf(words, sizeof words, "x.npy: error: %s", cases[i].words ? cases[i].words : "");
            if (cases[i].words) assert_string_equal(vta_diag_text(diag), words);
            if (status != cases[i].status) fail_msg("%s: %s", cases[i].header, vta_diag_text(diag));
            if (status == VTA_OK) assert_memory_equal(vta_array_tensor(array)->data, "ab", 2);
            if (status == VTA_OK)
                vta_array_free(array);
            else
                assert_null(array);
            vta_diag_clear(diag);
        }
    static const char *const cut[] = {"x.npy: error: not an .npy file: version 0",
                                      "x.npy: error: not an .npy file: its header is cut off",
                                      "x.npy: error: not an .npy file: version 4"};
    static const uint8_t versions[] = {0, 1, 4};
    for (int i = 0; i < 3; i++) {
        uint8_t bytes[20] = "\x93NUMPY";
        vta_array *array;
        bytes[6] = versions[i];
        bytes[8] = 11; /* with ten bytes left */
        assert_int_equal(vta_array_parse_npy(bytes, sizeof bytes, "x.npy", NULL, diag, &array), VTA_PARSE);
        assert_string_equal(vta_diag_text(diag), cut[i]);
        vta_diag_clear(diag);
    }
    vta_array *array = (vta_array *)&diag;
    assert_int_equal(vta_array_parse_npy(NULL, 1, NULL, NULL, NULL, &array), VTA_INVALID_ARGUMENT);
    assert_null(array);
    array = (vta_array *)&diag;
    assert_int_equal(vta_array_load_npy(NULL, NULL, NULL, &array), VTA_INVALID_ARGUMENT);
    assert_null(array);
    array = (vta_array *)&diag;
    assert_int_equal(vta_array_load_npy("/nonexistent", NULL, NULL, &array), VTA_NOT_FOUND);
    assert_null(array);
    assert_int_equal(vta_array_load_npy("x", NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_array_parse_npy("", 0, NULL, NULL, diag, &array), VTA_PARSE);
    assert_string_equal(vta_diag_text(diag), "array: error: not an .npy file: it does not begin with 93 'NUMPY'");
    vta_diag_clear(diag);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(npy_bytes, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(npy_headers, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
