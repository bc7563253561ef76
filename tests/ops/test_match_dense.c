/* Products of matrices as they may be written, and the attributes that each is; beside them what is none. */
#include "support/check.h"
#include "vta/ops.h"

#define DENSE "the data must be read as data[bo, rc, bi, ri]"
#define PAIRS "the data must be read as data[bb, bo, rc, bi, ri]"
#define WEIGHT "the weights must be read as weight[co, rc, ci, ri]"
#define WEIGHTS "the weights must be read as weight[bb, co, rc, ci, ri]"

static const struct {
    const char *data, *weight, *reduce, *out, *read, *by, *is;
} cases[] = {
    {"3, 2", "4, 2", "q = 2", "n: 3, o: 4", "n, q", "o, q", "batch=3 in_features=32 out_features=64"},
    {"3, 1", "4, 1", "", "n: 3, o: 4", "n, 0", "o, 0", "batch=3 in_features=16 out_features=64"},
    {"1, 2", "1, 2", "q = 2", "n: 1, o: 1", "0, q", "0, q", "batch=1 in_features=32 out_features=16"},
    {"5, 3, 2", "5, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "m, n, q", "m, o, q",
     "batch=5 rows=3 in_features=32 out_features=64"},
    {"5, 3, 1", "5, 4, 1", "", "m: 5, n: 3, o: 4", "m, n, 0", "m, o, 0",
     "batch=5 rows=3 in_features=16 out_features=64"},
    /* other places */
    {"3, 2", "4, 2", "q = 2", "n: 3, o: 4", "2 - n, q", "o, q", DENSE},
    {"3, 2", "4, 2", "q = 2", "n: 3, o: 4", "n, 1 - q", "o, q", DENSE},
    {"3, 3", "4, 2", "q = 2", "n: 3, o: 4", "n, q + 1", "o, q", DENSE},
    {"3, 2", "4, 2", "q = 2", "n: 3, o: 4", "n, 0", "o, q", DENSE},
    {"3, 2", "4, 1", "", "n: 3, o: 4", "n, 1", "o, 0", DENSE},
    {"3, 2", "4, 2", "q = 2", "n: 3, o: 4", "n, q", "3 - o, q", WEIGHT},
    {"3, 2", "4, 3", "q = 2", "n: 3, o: 4", "n, q", "o, q + 1", WEIGHT},
    {"3, 2", "4, 4", "q = 2", "n: 3, o: 4", "n, q", "o, q * 2", WEIGHT},
    {"5, 3, 2", "5, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "4 - m, n, q", "m, o, q", WEIGHTS},
    {"5, 3, 2", "5, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "m, n, q", "4 - m, o, q", WEIGHTS},
    {"5, 3, 2", "5, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "m, 2 - n, q", "m, o, q", PAIRS},
    {"5, 3, 2", "5, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "m, n, 1 - q", "m, o, q", PAIRS},
    {"5, 3, 2", "5, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "m, n, q", "m, 3 - o, q", WEIGHTS},
    /* other sizes */
    {"4, 2", "4, 2", "q = 2", "n: 3, o: 4", "n, q", "o, q",
     "d: dimension 0 has 4 elements, the result's dimension 0 3"},
    {"3, 2", "5, 2", "q = 2", "n: 3, o: 4", "n, q", "o, q",
     "w: dimension 0 has 5 elements, the result's dimension 1 4"},
    {"3, 3", "4, 2", "q = 2", "n: 3, o: 4", "n, q", "o, q", "d: dimension 1 has 3 elements, w takes 2"},
    {"3, 2", "4, 3", "q = 2", "n: 3, o: 4", "n, q", "o, q", "w: dimension 1 has 3 elements and 2 are used"},
    {"6, 3, 2", "5, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "m, n, q", "m, o, q",
     "d: dimension 0 has 6 elements, the result's dimension 0 5"},
    {"5, 3, 2", "6, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "m, n, q", "m, o, q",
     "w: dimension 0 has 6 elements, the result's dimension 0 5"},
    {"5, 4, 2", "5, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "m, n, q", "m, o, q",
     "d: dimension 1 has 4 elements, the result's dimension 1 3"},
    {"5, 3, 2", "5, 5, 2", "q = 2", "m: 5, n: 3, o: 4", "m, n, q", "m, o, q",
     "w: dimension 1 has 5 elements, the result's dimension 2 4"},
    {"5, 3, 3", "5, 4, 2", "q = 2", "m: 5, n: 3, o: 4", "m, n, q", "m, o, q",
     "d: dimension 2 has 3 elements, w takes 2"},
};

/* The attributes, and that the result, which no clip limits, wraps. */
static bool is_with_wrap(const char *attributes, const char *is) {
    size_t size = strlen(is);
    return !strncmp(attributes, is, size) && !strcmp(attributes + size, " narrow=wrap");
}

TEST_CASE(test_forms) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char source[1024];
        vtac_kernel *own = NULL;
        vtac_op *op = NULL;
        vta_diag *diag = vta_diag_create(NULL);
        bool sums = *cases[i].reduce;
        snprintf(source, sizeof source,
                 "kernel own\ninput d: inp_t[%s, BATCH, BLOCK_IN]\ninput w: wgt_t[%s, BLOCK_OUT, BLOCK_IN]\n"
                 "reduce %s%sr = BLOCK_IN\ntensor s[%s, b: BATCH, c: BLOCK_OUT] =\n  sum[%sr](acc_t(d[%s, b, r]) * "
                 "acc_t(w[%s, c, r]))\noutput y like s = out_t(s[...])\n",
                 cases[i].data, cases[i].weight, cases[i].reduce, sums ? ", " : "", cases[i].out, sums ? "q, " : "",
                 cases[i].read, cases[i].by);
        if (vtac_kernel_parse(source, strlen(source), "own", NULL, NULL, NULL, diag, &own) != VTA_OK)
            fail_msg("%s%s", source, vta_diag_text(diag));
        vta_status status = vtac_op_match_kernel(own, NULL, diag, &op);
        if (status == VTA_OK ? !is_with_wrap(vtac_op_attributes(op), cases[i].is)
                             : !strstr(vta_diag_text(diag), cases[i].is))
            fail_msg("%s%s%s\nnot %s", source, status == VTA_OK ? vtac_op_attributes(op) : "", vta_diag_text(diag),
                     cases[i].is);
        vtac_op_destroy(op);
        vtac_kernel_destroy(own);
        vta_diag_destroy(diag);
    }
}

int main(void) { return run_cases(); }
