/* Kernels for the host: which loops are shared among threads or are vectors, at the sizes where that begins, and
 * what is refused. That they compute what they should is for test_host.c. */
#include "operators/host/host.h"
#include "support/check.h"
#include "vta/build.h"

static vta_diag *diag;
#define HOST ((vt_host){NULL, NULL, diag, NULL})

/* The loops of a kernel that was made: "i0 64* i1 32 ~16", a star behind those shared among threads, then the width of
 * vectors. */
static const char *loops_of(vtac_kernel *kernel) {
    static char loops[1024];
    const vtac_func *func;
    char *text, name[64];
    int extent, size = 0, lanes;
    assert_int_equal(vtac_kernel_lower(kernel, NULL, &func), VTA_OK);
    assert_int_equal(vtac_func_print(func, VTAC_STYLE_PRIMFN, NULL, &text), VTA_OK);
    *loops = 0;
    for (const char *at = text; (at = strstr(at, "for (")); at++) {
        const char *end = strchr(at, ')');
        if (sscanf(at, "for (%63[^:]: int32, 0, %d)", name, &extent) == 2)
            size += snprintf(loops + size, sizeof loops - (size_t)size, "%s %d%s ", name, extent,
                             !strncmp(end, ") \"parallel\"", 12) ? "*" : "");
    }
    const char *end = strstr(text, "ramp("), *last = end; /* ramp(base, stride, lanes) */
    for (int depth = 0; end && (depth += (*end == '(') - (*end == ')'), depth > 0 || *end != ')'); end++)
        if (*end == ',' && depth == 1) last = end;
    if (end && sscanf(last, ", %d)", &lanes) == 1) snprintf(loops + size, sizeof loops - (size_t)size, "~%d", lanes);
    vta_string_free(text);
    vtac_func_release(func);
    vtac_kernel_destroy(kernel);
    return loops;
}

#define HAS(call, loops)                                                                                               \
    do {                                                                                                               \
        vtac_kernel *made;                                                                                             \
        if ((call) != VTA_OK) fail_msg("%s", vta_diag_text(diag));                                                     \
        assert_string_equal(loops_of(made), loops);                                                                    \
    } while (0)

/* 2^16 elements are shared, fewer are not; a last axis of 16 is a vector, shorter ones are not. */
static void map(void **state) {
    (void)state;
    const vt_host_shape large = {"float32", 2, {4096, 16}}, less = {"float32", 2, {4095, 16}},
                        narrow = {"float32", 2, {8, 15}}, line = {"float32", 1, {65536}}, one = {"float32", 0, {0}},
                        odd = {"float32", 2, {3, 33}};
    HAS(vt_host_map_kernel(&HOST, "$0", &large, 1, &large, &made), "i0 4096* ~16");
    HAS(vt_host_map_kernel(&HOST, "$0", &less, 1, &less, &made), "i0 4095 ~16");
    HAS(vt_host_map_kernel(&HOST, "$0", &narrow, 1, &narrow, &made), "i0 8 i1 15 ");
    HAS(vt_host_map_kernel(&HOST, "$0", &line, 1, &line, &made), "i0.outer 4096 ~16");
    HAS(vt_host_map_kernel(&HOST, "$0", &odd, 1, &odd, &made), "i0 3 i1.outer 3 i1.inner.s 16 ");
    HAS(vt_host_map_kernel(&HOST, "$0", &one, 1, &one, &made), "");
    HAS(vt_host_transpose_kernel(&HOST, &large, (int32_t[]){1, 0}, &made), "i0 16* i1 4096 ");
    HAS(vt_host_transpose_kernel(&HOST, &less, (int32_t[]){0, 1}, &made), "i0 4095 i1 16 ");
    const vt_host_shape table = {"int32", 1, {4096}}, rows = {"float32", 2, {9, 16}};
    HAS(vt_host_take_kernel(&HOST, &rows, 0, &table, &made), "i0 4096* i1 16 ");
}

static void convert(void **state) {
    (void)state;
    const vt_host_form plain = {"float32", 0, 0}, tiles = {"int8", 1, 16}, high = {"int8", 4, 16};
    const struct {
        vt_host_convert o;
        const char *loops;
    } rows[] = {
        {{1, 32, 2048, plain, tiles, 1, 0, -128, 127}, "no.co.fused 2* s 2048 ~16"},
        {{1, 32, 2047, plain, tiles, 1, 0, -128, 127}, "co 2 s 2047 ~16"},
        {{1, 16, 4096, plain, tiles, 1, 0, -128, 127}, "s 4096 ~16"},
        {{5, 33, 512, plain, high, 1, 0, -128, 127}, "no.co.fused 6* s 512 b 4 l.s 16 "},
        {{2, 32, 1024, tiles, plain, 1, 0, -128, 127}, "n.c.fused 64* s.outer 64 ~16"},
        {{2, 32, 1023, tiles, plain, 1, 0, -128, 127}, "n 2 c 32 s.outer 64 s.inner.s 16 "},
        {{1, 1, 65536, tiles, plain, 1, 0, -128, 127}, "s.outer 4096 ~16"},
        {{2, 3, 16, tiles, plain, 1, 0, -128, 127}, "n 2 c 3 ~16"},
        {{2, 3, 15, tiles, plain, 1, 0, -128, 127}, "n 2 c 3 s 15 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        HAS(vt_host_convert_kernel(&HOST, &rows[i].o, &made), rows[i].loops);
}

static void windows(void **state) {
    (void)state;
    /* 2 images of 8 channels of 64 x 64 are 2^16 */
    const vt_host_window w = {2, 8, 64, 64, 2, 2, 2, 2, 1, 1, 0, 0, 32, 32},
                         less = {2, 8, 64, 63, 2, 2, 2, 2, 1, 1, 0, 0, 32, 31};
    const vt_host_form plain = {"float32", 0, 0}, tiles = {"int8", 1, 8};
    HAS(vt_host_pool_kernel(&HOST, &(vt_host_pool){.window = w, .form = plain}, &made),
        "i0.i1.fused 16* y 32 z 32 dy 2 dx 2 ");
    HAS(vt_host_pool_kernel(&HOST, &(vt_host_pool){.window = less, .form = plain}, &made),
        "i0 2 i1 8 y 32 z 31 dy 2 dx 2 ");
    HAS(vt_host_pool_kernel(&HOST, &(vt_host_pool){.window = w, .form = tiles}, &made),
        "i0.i1.fused 2* y 32 z 32 dy 2 dx 2 ~8");
    HAS(vt_host_pool_kernel(&HOST, &(vt_host_pool){.window = less, .form = tiles, .average = true}, &made),
        "i0 2 y 32 z 31 dy 2 dx 2 i0_1 2 y_1 32 z_1 31 i5 8 ~8");
    /* 32 x 32 rows of a matrix, of 64 elements each: 4 rows of a kernel of 16 */
    vt_host_im2row r = {.window = {1, 4, 35, 35, 4, 4, 1, 1, 1, 1, 0, 0, 32, 32},
                        .to = {"int8", 1, 16},
                        .scale = 1,
                        .low = -128,
                        .high = 127};
    HAS(vt_host_im2row_kernel(&HOST, &r, &made), "y 35 r 155 y_1 32* ko 4 z 32 ~16");
    r.window.h = 34, r.window.out_h = 31;
    HAS(vt_host_im2row_kernel(&HOST, &r, &made), "y 34 r 155 y_1 31 ko 4 z 32 ~16");
    r.window.c = 3; /* a tile has lanes of two rows of the kernel */
    HAS(vt_host_im2row_kernel(&HOST, &r, &made), "y 35 r 144 y_1 31 z 32 z_1 32 z_2 32 ~16");
}

/* A product of 2 x 4 x 16 x 16 results and 4 x 2 x 4 taps is 2^16. */
static void products(void **state) {
    (void)state;
    vt_host_conv o = {
        .window = {2, 8, 17, 19, 2, 4, 1, 1, 1, 1, 0, 0, 16, 16}, .out_c = 4, .groups = 2, .of = {"float32"}};
    HAS(vt_host_conv_kernel(&HOST, &o, &made), "n.o.fused 8* y 16 z.init 16 c 4 dy 2 dx 4 z 16 ");
    o.window.out_w = 15;
    HAS(vt_host_conv_kernel(&HOST, &o, &made), "n 2 o 4 y 16 z.init 15 c 4 dy 2 dx 4 z 15 ");
    vt_host_matmul m = {.m = 3, .k = 4, .n = 5, .batch_axes = 2, .x_batch = {1, 7}, .w_batch = {6, 1}};
    HAS(vt_host_matmul_kernel(&HOST, &m, &made), "b0 6 b1 7 i 3 j.init 5 k 4 j 5 ");
    m.transposed = true;
    HAS(vt_host_matmul_kernel(&HOST, &m, &made), "b0 6 b1 7 i 3 j 5 k 4 ");
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

#define REFUSES(call, status, says)                                                                                    \
    do {                                                                                                               \
        vtac_kernel *made = (vtac_kernel *)&diag;                                                                      \
        vta_diag_clear(diag);                                                                                          \
        assert_int_equal(call, status);                                                                                \
        assert_null(made);                                                                                             \
        assert_contains(vta_diag_text(diag), says);                                                                    \
    } while (0)

static void refusals(void **state) {
    (void)state;
    const vt_host_shape fine = {"float32", 2, {4, 5}}, empty = {"float32", 2, {4, 0}}, many = {"float32", 9, {0}},
                        less = {"float32", -1, {0}}, longer = {"float32", 3, {1, 4, 5}},
                        most = {"float32", 8, {1, 1, 1, 1, 1, 1, 1, 1}};
    REFUSES(vt_host_map_kernel(&HOST, "$0", &fine, 1, &empty, &made), VTA_OUT_OF_RANGE, "extent 1 is 0");
    REFUSES(vt_host_map_kernel(&HOST, "$0", &empty, 1, &fine, &made), VTA_OUT_OF_RANGE, "extent 1 is 0");
    REFUSES(vt_host_map_kernel(&HOST, "$0", &fine, 1, &many, &made), VTA_UNSUPPORTED, "9 dimensions; at most 8");
    REFUSES(vt_host_map_kernel(&HOST, "$0", &less, 1, &fine, &made), VTA_UNSUPPORTED, "-1 dimensions; at most 8");
    REFUSES(vt_host_map_kernel(&HOST, "$0", &longer, 1, &fine, &made), VTA_MISMATCH,
            "an operand's shape does not spread to the result's");
    REFUSES(vt_host_map_kernel(&HOST, "$0 + $x", &fine, 1, &fine, &made), VTA_INVALID_ARGUMENT,
            "$0 + $x: no operand $x of 1");
    REFUSES(vt_host_map_kernel(&HOST, "$0 + $1", &fine, 1, &fine, &made), VTA_INVALID_ARGUMENT, "no operand $1 of 1");
    REFUSES(vt_host_map_kernel(&HOST, "$0 +", &fine, 1, &fine, &made), VTA_PARSE, "");
    REFUSES(vt_host_gather_kernel(&HOST, &empty, "i0, i1", NULL, NULL, &fine, &made), VTA_OUT_OF_RANGE,
            "extent 1 is 0");
    REFUSES(vt_host_gather_kernel(&HOST, &fine, "i0, i1", NULL, NULL, &empty, &made), VTA_OUT_OF_RANGE,
            "extent 1 is 0");
    REFUSES(vt_host_take_kernel(&HOST, &fine, -1, &fine, &made), VTA_OUT_OF_RANGE, "take: no axis -1");
    REFUSES(vt_host_take_kernel(&HOST, &fine, 2, &fine, &made), VTA_OUT_OF_RANGE, "take: no axis 2");
    REFUSES(vt_host_take_kernel(&HOST, &empty, 0, &fine, &made), VTA_OUT_OF_RANGE, "extent 1 is 0");
    REFUSES(vt_host_take_kernel(&HOST, &fine, 0, &empty, &made), VTA_OUT_OF_RANGE, "extent 1 is 0");
    REFUSES(vt_host_take_kernel(&HOST, &fine, 0, &most, &made), VTA_UNSUPPORTED, "take: 9 dimensions; at most 8");
    REFUSES(vt_host_transpose_kernel(&HOST, &fine, (int32_t[]){0, 0}, &made), VTA_INVALID_ARGUMENT,
            "transpose: no extent of the result is extent 1");
    REFUSES(vt_host_transpose_kernel(&HOST, &empty, (int32_t[]){0, 1}, &made), VTA_OUT_OF_RANGE, "extent 1 is 0");
    REFUSES(vt_host_reduce_kernel(&HOST, VT_HOST_SUM, &fine, 0, &made), VTA_INVALID_ARGUMENT,
            "reduce: axes 0 of 2 dimensions");
    REFUSES(vt_host_reduce_kernel(&HOST, VT_HOST_SUM, &fine, 7, &made), VTA_INVALID_ARGUMENT,
            "reduce: axes 7 of 2 dimensions");
    REFUSES(vt_host_reduce_kernel(&HOST, VT_HOST_MAX, &empty, 1, &made), VTA_OUT_OF_RANGE, "extent 1 is 0");
    vt_host_matmul m = {.m = 1, .k = 1, .n = 1, .batch_axes = 7};
    REFUSES(vt_host_matmul_kernel(&HOST, &m, &made), VTA_UNSUPPORTED, "matmul: 7 axes of matrices; at most 6");
    m.batch_axes = -1;
    REFUSES(vt_host_matmul_kernel(&HOST, &m, &made), VTA_UNSUPPORTED, "matmul: -1 axes of matrices");
    vt_host_conv c = {.window = {.c = 4}, .out_c = 6, .groups = 4, .of.first = "int8"};
    REFUSES(vt_host_conv_kernel(&HOST, &c, &made), VTA_INVALID_ARGUMENT,
            "conv: 4 groups do not divide 4 and 6 channels");
    c.groups = 3;
    REFUSES(vt_host_conv_kernel(&HOST, &c, &made), VTA_INVALID_ARGUMENT, "conv: 3 groups do not divide");
    c.groups = 0;
    REFUSES(vt_host_conv_kernel(&HOST, &c, &made), VTA_INVALID_ARGUMENT, "conv: 0 groups do not divide");
    vt_host_pool p = {.window = {1, 1, 4, 4, 2, 2, 1, 1, 1, 1, 0, 0, 3, 3}, .form = {"int16", 0, 0}};
    p.average = true;
    REFUSES(vt_host_pool_kernel(&HOST, &p, &made), VTA_UNSUPPORTED,
            "averages of int16: those of floats and of int8 are compiled");
    vt_host_im2row r = {
        .window = {1, 3, 4, 4, 2, 2, 1, 1, 1, 1, 0, 0, 3, 3}, .to = {"int8", 1, 16}, .row_lanes = 5, .scale = 1};
    static const char says[] = "im2row: a dilated kernel, a result that is not tiles, or too few lanes for a row";
    REFUSES(vt_host_im2row_kernel(&HOST, &r, &made), VTA_UNSUPPORTED, says);
    r.row_lanes = 6, r.window.dilation_h = 2;
    REFUSES(vt_host_im2row_kernel(&HOST, &r, &made), VTA_UNSUPPORTED, says);
    r.window.dilation_h = 1, r.window.dilation_w = 2;
    REFUSES(vt_host_im2row_kernel(&HOST, &r, &made), VTA_UNSUPPORTED, says);
    r.window.dilation_w = 1, r.to.lanes = 0;
    REFUSES(vt_host_im2row_kernel(&HOST, &r, &made), VTA_UNSUPPORTED, says);
    vta_diag_clear(diag);
}

int main(void) {
    diag = vta_diag_create(NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(map), cmocka_unit_test(convert), cmocka_unit_test(windows),
                                       cmocka_unit_test(products), cmocka_unit_test(refusals)};
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return result;
}
