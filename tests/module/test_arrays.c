/* Arrays at their bounds: sizes, what does not fit together, what a call that fails leaves. */
#include "support/diag.h"
#include "vta/module.h"

static const DLDataType int8 = {kDLInt, 8, 1};

/* Nothing is made of it, and the result is NULL. */
static void no_array(int32_t device, int32_t ndim, const int64_t *shape, DLDataType type, vta_status status,
                     const char *words) {
    vta_array *array = (vta_array *)&diag;
    says_error(vta_array_create(device, ndim, shape, type, NULL, diag, &array), status, words);
    assert_null(array);
}

static void sizes_of_arrays(void **state) {
    (void)state;
    static const struct {
        DLDataType type;
        int64_t extents[2];
        size_t bytes;
    } good[] = {{{kDLInt, 8, 1}, {3, 5}, 15},      {{kDLUInt, 1, 1}, {3, 5}, 15}, {{kDLUInt, 1, 3}, {3, 5}, 45},
                {{kDLInt, 4, 1}, {3, 5}, 8},       {{kDLInt, 2, 1}, {1, 5}, 2},   {{kDLFloat, 64, 64}, {1, 1}, 512},
                {{kDLComplex, 64, 1}, {2, 2}, 32}, {{kDLInt, 7, 1}, {1, 8}, 7},   {{kDLInt, 32, 1}, {0, 5}, 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        vta_array *array;
        must(vta_array_create(kDLCPU, 2, good[i].extents, good[i].type, NULL, diag, &array));
        assert_int_equal(vta_array_bytes(array), good[i].bytes);
        const DLTensor *t = vta_array_tensor(array);
        assert_int_equal((uintptr_t)t->data % 64, 0);
        for (size_t k = 0; k < good[i].bytes; k++) assert_int_equal(((uint8_t *)t->data)[k], 0);
        assert_true(t->ndim == 2 && t->shape[0] == good[i].extents[0] && t->shape[1] == good[i].extents[1]);
        assert_true(!t->strides && !t->byte_offset && t->device.device_type == kDLCPU && t->device.device_id == 0);
        vta_array_free(array);
    }
    static const struct {
        DLDataType type;
        const char *words;
    } bad[] = {{{kDLInt, 0, 1}, "code 0, 0 bits, 1 lanes: there is no such data type"},
               {{kDLInt, 65, 1}, "code 0, 65 bits, 1 lanes: there is no such data type"},
               {{kDLInt, 8, 0}, "code 0, 8 bits, 0 lanes: there is no such data type"},
               {{kDLInt, 8, 65}, "code 0, 8 bits, 65 lanes: there is no such data type"},
               {{kDLComplex + 1, 8, 1}, "code 6, 8 bits, 1 lanes: there is no such data type"}};
    const int64_t one[17] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, negative[] = {1, -1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        no_array(kDLCPU, 1, one, bad[i].type, VTA_INVALID_ARGUMENT, bad[i].words);
    no_array(kDLCPU, 17, one, int8, VTA_OUT_OF_RANGE, "17 dimensions; an array has 0 to 16");
    no_array(kDLCPU, -1, one, int8, VTA_OUT_OF_RANGE, "-1 dimensions; an array has 0 to 16");
    no_array(kDLCPU, 2, negative, int8, VTA_OUT_OF_RANGE, "dimension 1 has extent -1");
    no_array(kDLCPU, 1, NULL, int8, VTA_INVALID_ARGUMENT, "shape is NULL");
    no_array(kDLCUDA, 1, one, int8, VTA_UNSUPPORTED, "device type 2; arrays live on 1 (cpu) and 12 (ext_dev)");
    vta_array *array;
    must(vta_array_create(kDLCPU, 16, one, int8, NULL, diag, &array));
    assert_int_equal(vta_array_bytes(array), 1);
    vta_array_free(array);
    /* The largest size that is no overflow is just too large to be had. */
    const int64_t most[] = {(int64_t)(SIZE_MAX / 8) - 1}, more[] = {1, (int64_t)(SIZE_MAX / 8) + 1};
    size_t bytes = 7;
    DLTensor t = {.ndim = 1, .dtype = int8, .shape = (int64_t *)most};
    assert_int_equal(vta_tensor_bytes(&t, &bytes), VTA_OK);
    assert_int_equal(bytes, most[0]);
    no_array(kDLCPU, 2, more, int8, VTA_OUT_OF_RANGE,
             "the size of the array overflows at dimension 1 (extent 2305843009213693952)");
    t.shape = (int64_t *)more;
    t.ndim = 2;
    assert_int_equal(vta_tensor_bytes(&t, &bytes), VTA_OUT_OF_RANGE);
    assert_int_equal(bytes, 0);
    assert_int_equal(vta_tensor_bytes(NULL, &bytes), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_tensor_bytes(&t, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_array_create(kDLCPU, 1, one, int8, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
    array = (vta_array *)&diag;
    says_error(vta_array_borrow(NULL, 1, one, int8, NULL, diag, &array), VTA_INVALID_ARGUMENT,
               "vta_array_borrow: data is NULL");
    assert_null(array);
    must(vta_array_borrow(NULL, 1, (const int64_t[]){0}, int8, NULL, diag, &array)); /* of nothing */
    vta_array_free(array);
    assert_null(vta_array_tensor(NULL));
    assert_int_equal(vta_array_bytes(NULL), 0);
}

static void copies(void **state) {
    (void)state;
    uint8_t a[24], b[24];
    int64_t shape[] = {2, 3, 1}, other[] = {2, 3, 2}, strides[] = {3, 1, 99};
    for (int i = 0; i < 24; i++) a[i] = (uint8_t)(i + 1);
    DLTensor from = {a, {kDLCPU, 0}, 3, int8, shape, NULL, 5}, to = {b, {kDLCPU, 0}, 3, int8, shape, strides, 7}, t;
    memset(b, 0, sizeof b);
    must(vta_tensor_copy(&from, &to, diag)); /* a stride over one element says nothing */
    for (int i = 0; i < 24; i++) assert_int_equal(b[i], i >= 7 && i < 13 ? a[i - 2] : 0);
    for (int i = 0; i < 2; i++) {
        int64_t turned[] = {3, 1, 1};
        turned[i]++;
        t = to;
        t.strides = turned;
        says_error(vta_tensor_copy(&from, &t, diag), VTA_UNSUPPORTED,
                   "to is not compact: copy it to a compact array first");
        says_error(vta_tensor_copy(&t, &from, diag), VTA_UNSUPPORTED,
                   "from is not compact: copy it to a compact array first");
    }
    says_error(vta_tensor_copy(NULL, &to, diag), VTA_INVALID_ARGUMENT, "from is NULL");
    says_error(vta_tensor_copy(&from, NULL, diag), VTA_INVALID_ARGUMENT, "to is NULL");
    t = to;
    t.data = NULL;
    says_error(vta_tensor_copy(&from, &t, diag), VTA_INVALID_ARGUMENT, "to has no data");
    t = from;
    t.device.device_type = kDLCUDA;
    says_error(vta_tensor_copy(&t, &to, diag), VTA_UNSUPPORTED,
               "from is on device type 2; cpu (1) and ext_dev (12) are known");
    t = to;
    t.ndim = 2;
    says_error(vta_tensor_copy(&from, &t, diag), VTA_MISMATCH, "shapes differ: 3 and 2 dimensions");
    t = to;
    t.shape = other;
    t.strides = NULL;
    says_error(vta_tensor_copy(&from, &t, diag), VTA_MISMATCH, "shapes differ in dimension 2: 1 and 2");
    for (int i = 0; i < 3; i++) {
        static const DLDataType types[] = {{kDLUInt, 8, 1}, {kDLInt, 4, 1}, {kDLInt, 8, 2}};
        char words[128];
        t = to;
        t.dtype = types[i];
        snprintf(words, sizeof words, "types differ: code 0, 8 bits, 1 lanes and code %d, %d bits, %d lanes",
                 types[i].code, types[i].bits, types[i].lanes);
        says_error(vta_tensor_copy(&from, &t, diag), VTA_MISMATCH, words);
    }
    vta_array *array;
    must(vta_array_create(kDLCPU, 3, shape, int8, NULL, diag, &array));
    says_error(vta_array_write(array, a, 7, diag), VTA_MISMATCH, "7 bytes, but the array has 6");
    says_error(vta_array_write(array, NULL, 6, diag), VTA_INVALID_ARGUMENT, "the array or the host's memory is NULL");
    says_error(vta_array_read(NULL, b, 6, diag), VTA_INVALID_ARGUMENT, "the array or the host's memory is NULL");
    vta_array_free(array);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(sizes_of_arrays, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(copies, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
