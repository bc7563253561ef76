/* Loops marked dma_copy that are no copy which a transfer can make: each refusal names what stands against it. */
#include "target/refused.h"

/* x of a shape -> x_buf on the accelerator, of another shape, by `body`. */
static const struct {
    int64_t x[4], x_buf[4];
    const char *body, *says;
} cases[] = {
    {{4, 4, 1, 16},
     {4, 4, 1, 16},
     "if_then_else(i0 + i1 < 5, x[...], 0)",
     "are not a copy that a transfer can make: the condition ((i0 + i1) < 5) does not bound each axis by itself. A "
     "copy "
     "is y[i, j] = x[...], with an optional cast or padding, and nothing else"},
    {{4, 4, 1, 16},
     {4, 4, 1, 16},
     "if_then_else(i0 > 0, x[i0 - 1, i1, i2, i3], 1)",
     "the padding is not 0, which is all that the hardware writes"},
    {{4, 4, 1, 16}, {4, 4, 1, 16}, "x[...] + 1", "the value is not a load"},
    {{2, 4, 1, 16}, {4, 4, 1, 16}, "x[i0 // 2, i1, i2, i3]", "an index is not a sum of axes times constants"},
    {{4, 4, 1, 24}, {4, 4, 1, 16}, "x[...]", "axis i1 breaks it: its stride is not a whole number of elements"},
    {{4, 4, 1, 16},
     {4, 4, 1, 16},
     "if_then_else(i3 > 0, x[i0, i1, i2, i3 - 1], 0)",
     "axis i3 breaks it: it is padded inside of an element"},
    {{4, 16, 4, 1}, {4, 4, 1, 16}, "x[i0, i3, i1, 0]", "axis i3 breaks it: the scalars of an element are not adjacent"},
    {{4, 4, 1, 32},
     {4, 4, 1, 16},
     "x[i0, i1, i2, i3 + 8]",
     "copy of x to x_buf begins at scalar 8 of x, which is not a whole number of acc elements"},
    {{1, 1, 1, 8}, {1, 1, 1, 8}, "x[...]", "breaks it: the innermost axes do not make up whole elements"},
};

TEST_CASE(refused_copies) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program p = start();
        te_tensor *x = te_placeholder(p.c, "x", "int32", 4, cases[i].x);
        te_tensor *x_buf = te_compute(p.c, "x_buf", 4, cases[i].x_buf, NULL, cases[i].body);
        copied(&p, x, x_buf);
        REFUSED(&p, cases[i].says);
    }
}

int main(void) { return run_cases(); }
