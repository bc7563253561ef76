/* Convolutions as they may be written, and the attributes that each is; beside each, what is near to it and is none. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#include "vta/ops.h"

#define CONV(groups, h, w, ic, oc, kh, kw, sh, sw, dh, dw, t, l, b, r)                                                 \
    "groups=" #groups " batch=1 height=" #h " width=" #w " in_channels=" #ic " out_channels=" #oc " kernel_h=" #kh     \
    " kernel_w=" #kw " stride_h=" #sh " stride_w=" #sw " dilation_h=" #dh " dilation_w=" #dw " pad_top=" #t            \
    " pad_left=" #l " pad_bottom=" #b " pad_right=" #r
#define DATA "the data must be read as data["
#define PADDING "not those of zero padding"

/* A sum over q (blocks), dy, dx and r of d times w; `image` what d is, `at` where it and w are read. */
static const struct {
    const char *data, *weight, *reduce, *out, *read, *by, *is;
} cases[] = {
    {"1, 2, 8, 8", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + dx", "q, dy, dx",
     CONV(1, 8, 8, 32, 32, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0)},
    /* without an axis of what there is only one of */
    {"1, 1, 8, 8", "2, 1, 3, 3", "dy = 3, dx = 3", "o: 2, i: 6, j: 6", "0, i + dy, j + dx", "0, dy, dx",
     CONV(1, 8, 8, 16, 32, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0)},
    {"1, 2, 8, 8", "2, 2, 1, 3", "q = 2, dx = 3", "o: 2, i: 8, j: 6", "q, i, j + dx", "q, 0, dx",
     CONV(1, 8, 8, 32, 32, 1, 3, 1, 1, 1, 1, 0, 0, 0, 0)},
    {"1, 2, 8, 8", "2, 2, 3, 1", "q = 2, dy = 3", "o: 2, i: 6, j: 8", "q, i + dy, j", "q, dy, 0",
     CONV(1, 8, 8, 32, 32, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0)},
    {"1, 2, 8, 3", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 1", "q, i + dy, dx", "q, dy, dx",
     CONV(1, 8, 3, 32, 32, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0)},
    /* strides and dilations; what is left over behind the last is less than a stride */
    {"1, 2, 9, 20", "2, 2, 3, 2", "q = 2, dy = 3, dx = 2", "o: 2, i: 3, j: 5", "q, i * 2 + dy * 2, j * 3 + dx * 5",
     "q, dy, dx", CONV(1, 9, 20, 32, 32, 3, 2, 2, 3, 2, 5, 0, 0, 0, 0)},
    {"1, 2, 10, 20", "2, 2, 3, 2", "q = 2, dy = 3, dx = 2", "o: 2, i: 3, j: 5", "q, i * 2 + dy * 2, j * 3 + dx * 5",
     "q, dy, dx", CONV(1, 10, 20, 32, 32, 3, 2, 2, 3, 2, 5, 0, 0, 0, 0)},
    {"1, 2, 11, 20", "2, 2, 3, 2", "q = 2, dy = 3, dx = 2", "o: 2, i: 3, j: 5", "q, i * 2 + dy * 2, j * 3 + dx * 5",
     "q, dy, dx", "s: computes 3 rows of a convolution that has more: compute all of them"},
    {"1, 2, 9, 21", "2, 2, 3, 2", "q = 2, dy = 3, dx = 2", "o: 2, i: 3, j: 5", "q, i * 2 + dy * 2, j * 3 + dx * 5",
     "q, dy, dx", "s: computes 5 columns of a convolution that has more: compute all of them"},
    /* other places */
    {"1, 4, 8, 8", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q * 2, i + dy, j + dx", "q, dy, dx",
     DATA},
    {"1, 3, 8, 8", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q + 1, i + dy, j + dx", "q, dy, dx",
     DATA},
    {"1, 3, 8, 8", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + dx", "q, dy, dx",
     "d: dimension 1 has 3 elements, w takes 2"},
    {"1, 2, 8, 13", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + i + dx", "q, dy, dx",
     DATA},
    {"1, 2, 8, 8", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, 5 - j + dx", "q, dy, dx",
     DATA},
    {"1, 2, 8, 9", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + dx + 1", "q, dy, dx",
     "s: begins behind the first of the image's columns: make those an input of its own"},
    {"1, 2, 8, 8", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + dx", "q, dx, dy", DATA},
    {"1, 2, 8, 8", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + dx", "q, 2 - dy, dx",
     "the weights must be read as weight[co, rc, dy, dx, ci, ri]"},
    {"1, 2, 8, 8", "2, 2, 4, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + dx", "q, dy, dx",
     "w: dimension 2 has 4 elements and 3 are used: all of them must be"},
    {"1, 2, 8, 8", "2, 2, 3, 4", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + dx", "q, dy, dx",
     "w: dimension 3 has 4 elements and 3 are used: all of them must be"},
    {"1, 2, 8, 8", "3, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + dx", "q, dy, dx",
     "w: dimension 0 has 3 elements, the result's dimension 1 2"},
    {"2, 2, 8, 8", "2, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 2, i: 6, j: 6", "q, i + dy, j + dx", "q, dy, dx",
     "d: dimension 0 has 2 elements, the result's dimension 0 1"},
    /* groups: of one block, of several, of one for each output */
    {"1, 4, 8, 8", "4, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 4, i: 6, j: 6", "o // 2 * 2 + q, i + dy, j + dx",
     "q, dy, dx", CONV(2, 8, 8, 64, 64, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0)},
    {"1, 4, 8, 8", "4, 1, 3, 3", "dy = 3, dx = 3", "o: 4, i: 6, j: 6", "o, i + dy, j + dx", "0, dy, dx",
     CONV(4, 8, 8, 64, 64, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0)},
    {"1, 2, 8, 8", "6, 1, 3, 3", "dy = 3, dx = 3", "o: 6, i: 6, j: 6", "o // 3, i + dy, j + dx", "0, dy, dx",
     CONV(2, 8, 8, 32, 96, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0)},
    {"1, 8, 8, 8", "4, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 4, i: 6, j: 6", "o * 2 + q, i + dy, j + dx", "q, dy, dx",
     CONV(4, 8, 8, 128, 64, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0)},
    {"1, 4, 8, 8", "4, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 4, i: 6, j: 6", "o // 3 * 2 + q, i + dy, j + dx",
     "q, dy, dx", DATA},
    {"1, 5, 8, 8", "4, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 4, i: 6, j: 6", "o // 2 * 3 + q, i + dy, j + dx",
     "q, dy, dx", DATA},
    {"1, 4, 8, 8", "4, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 4, i: 6, j: 6", "i // 3 * 2 + q, i + dy, j + dx",
     "q, dy, dx", DATA},
    {"1, 4, 8, 8", "4, 2, 3, 3", "q = 2, dy = 3, dx = 3", "o: 4, i: 6, j: 6", "o % 2 * 2 + q, i + dy, j + dx",
     "q, dy, dx", DATA},
};

/* Padding: of rows before and behind, of columns; a tensor of its own, or a condition in the sum. */
#define INPUTS                                                                                                         \
    "kernel own\ninput d: inp_t[1, 1, 6, 7, BATCH, BLOCK_IN]\ninput w: wgt_t[1, 1, 3, 3, BLOCK_OUT, BLOCK_IN]\n"       \
    "reduce dy = 3, dx = 3, r = BLOCK_IN\n"
#define PAD(axes, condition, at)                                                                                       \
    INPUTS "tensor p[a: 1, q: 1, " axes ", b: BATCH, r: BLOCK_IN] =\n  if_then_else(" condition ", d[a, q, " at        \
           ", b, r], inp_t(0))\n"
#define SUM(i, j)                                                                                                      \
    "tensor s[n: 1, o: 1, i: " #i ", j: " #j                                                                           \
    ", b: BATCH, c: BLOCK_OUT] = sum[dy, dx, r](acc_t(p[n, 0, i + dy, j + dx, b, r]) * "                               \
    "acc_t(w[o, 0, dy, dx, c, r]))\noutput y like s = out_t(s[...])\n"
#define GUARDED(i, j, condition, at)                                                                                   \
    INPUTS "tensor s[n: 1, o: 1, i: " #i ", j: " #j ", b: BATCH, c: BLOCK_OUT] = sum[dy, dx, r](select(" condition     \
           ", acc_t(d[n, 0, " at                                                                                       \
           ", b, r]) * acc_t(w[o, 0, dy, dx, c, r]), acc_t(0)))\noutput y like s = out_t(s[...])\n"

static const struct {
    const char *kernel, *is;
} padded[] = {
    {PAD("y: 9, x: 9", "y >= 1 && y < 7 && x >= 2", "y - 1, x - 2") SUM(7, 7),
     CONV(1, 6, 7, 16, 16, 3, 3, 1, 1, 1, 1, 1, 2, 2, 0)},
    {PAD("y: 7, x: 8", "y <= 5 && 6 >= x", "y, x") SUM(5, 6), CONV(1, 6, 7, 16, 16, 3, 3, 1, 1, 1, 1, 0, 0, 1, 1)},
    {PAD("y: 7, x: 8", "y <= 4 && x <= 6", "y, x") SUM(5, 6), "p: "},
    {PAD("y: 7, x: 8", "y <= 5 && x <= 5", "y, x") SUM(5, 6), "p: "},
    {PAD("y: 7, x: 8", "y >= 1 && y <= 5 && x <= 6", "y, x") SUM(5, 6), "p: "},
    {PAD("y: 7, x: 8", "y <= 5 && x <= 6 && y + x <= 11", "y, x") SUM(5, 6), "p: "},
    {PAD("y: 7, x: 8", "y <= 5 && x <= 6", "5 - y, x") SUM(5, 6), "p: "},
    {GUARDED(6, 7, "i + dy >= 1 && i + dy < 7 && j + dx >= 1 && j + dx < 8", "i + dy - 1, j + dx - 1"),
     CONV(1, 6, 7, 16, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1)},
    {GUARDED(6, 7, "i + dy >= 1 && i + dy < 7 && j + dx >= 1 && j + dx < 7", "i + dy - 1, j + dx - 1"), PADDING},
    {GUARDED(6, 7, "i + dy >= 2 && i + dy < 7 && j + dx >= 1 && j + dx < 8", "i + dy - 1, j + dx - 1"), PADDING},
    {GUARDED(6, 7, "i + dy >= 1 && i + dy < 6 && j + dx >= 1 && j + dx < 8", "i + dy - 1, j + dx - 1"), PADDING},
    {GUARDED(6, 7, "i + dy >= 1 && i + dy < 7 && j + dx >= 2 && j + dx < 8", "i + dy - 1, j + dx - 1"), PADDING},
    {GUARDED(6, 7, "i + dy >= 1 && i + dy < 7 && j + dx >= 1 && j + dx < 8 && i + dx < 8", "i + dy - 1, j + dx - 1"),
     PADDING},
    {GUARDED(6, 7, "i + dy >= 1 && i + dy < 7 && 1 <= j + dx && 0 < 8 - (j + dx)", "i + dy - 1, j + dx - 1"),
     CONV(1, 6, 7, 16, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1)},
    {GUARDED(6, 7, "0 - i - dy < 0 && i + dy < 7 && j + dx > 0 && dx < 8 - j", "i + dy - 1, j + dx - 1"),
     CONV(1, 6, 7, 16, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1)},
};

/* The attributes, and that the result, which no clip limits, wraps. */
static bool is_with_wrap(const char *attributes, const char *is) {
    size_t size = strlen(is);
    return !strncmp(attributes, is, size) && !strcmp(attributes + size, " narrow=wrap");
}

static void match(const char *source, const char *is) {
    vtac_kernel *own = NULL;
    vtac_op *op = NULL;
    vta_diag *diag = vta_diag_create(NULL);
    if (vtac_kernel_parse(source, strlen(source), "own", NULL, NULL, NULL, diag, &own) != VTA_OK)
        fail_msg("%s%s", source, vta_diag_text(diag));
    vta_status status = vtac_op_match_kernel(own, NULL, diag, &op);
    if (status == VTA_OK ? !is_with_wrap(vtac_op_attributes(op), is) : !strstr(vta_diag_text(diag), is))
        fail_msg("%s%s%s\nnot %s", source, status == VTA_OK ? vtac_op_attributes(op) : "", vta_diag_text(diag), is);
    vtac_op_destroy(op);
    vtac_kernel_destroy(own);
    vta_diag_destroy(diag);
}

TEST_CASE(test_forms) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char source[1024];
        snprintf(
            source, sizeof source,
            "kernel own\ninput d: inp_t[%s, BATCH, BLOCK_IN]\ninput w: wgt_t[%s, BLOCK_OUT, BLOCK_IN]\n"
            "reduce %s, r = BLOCK_IN\ntensor s[n: 1, %s, b: BATCH, c: BLOCK_OUT] =\n  sum[%s%s%sr](acc_t(d[n, %s, b, "
            "r]) * acc_t(w[o, %s, c, r]))\noutput y like s = out_t(s[...])\n",
            cases[i].data, cases[i].weight, cases[i].reduce, cases[i].out, strstr(cases[i].reduce, "q =") ? "q, " : "",
            strstr(cases[i].reduce, "dy") ? "dy, " : "", strstr(cases[i].reduce, "dx") ? "dx, " : "", cases[i].read,
            cases[i].by);
        match(source, cases[i].is);
    }
}

TEST_CASE(test_padding) {
    for (size_t i = 0; i < sizeof padded / sizeof *padded; i++) match(padded[i].kernel, padded[i].is);
}

int main(void) { return run_cases(); }
