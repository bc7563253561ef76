/* What a store can do: it copies what is in the accumulators to DRAM, whole elements, nothing else. */
#include "target/refused.h"

enum { AXES = 4 };
static const int64_t shape[AXES] = {4, 4, 1, 16};

/* x -> x_buf in `scope`; what is made of it and stored is the test's. */
static te_tensor *loaded(program *p, const char *dtype) {
    te_tensor *x = te_placeholder(p->c, "x", dtype, AXES, shape);
    p->args[p->n_args++] = x;
    return te_compute(p->c, "x_buf", AXES, shape, NULL, "x[...]");
}

static void stored(program *p, te_tensor *x_buf, const char *scope, te_tensor *y) {
    p->s = te_schedule_create(p->c, 1, &y);
    if (x_buf) {
        in_scope(p, x_buf, scope);
        mark(p, x_buf, 0, "dma_copy");
    }
    mark(p, y, 0, "dma_copy");
    p->args[p->n_args++] = y;
}

TEST_CASE(it_does_not_pad) {
    program p = start();
    int64_t one[AXES] = {1, 1, 0, 0};
    te_tensor *x_buf = loaded(&p, "int32");
    stored(&p, x_buf, "acc", te_pad(p.c, x_buf, "y", one, NULL, 0));
    REFUSED(&p, "copy of x_buf to y: a store cannot pad");
}

TEST_CASE(it_does_not_clear) {
    program p = start();
    stored(&p, NULL, NULL, te_compute(p.c, "y", AXES, shape, NULL, "int8(0)"));
    REFUSED(&p, "copy to y: zeros cannot be stored; store a tensor of the accumulator");
}

TEST_CASE(it_reads_the_accumulators) {
    program p = start();
    te_tensor *x_buf = loaded(&p, "int8");
    stored(&p, x_buf, "inp", te_compute(p.c, "y", AXES, shape, NULL, "x_buf[...]"));
    REFUSED(&p, "copy of x_buf to y: only the accumulator can be stored, but x_buf is in ", "set its scope to acc");
}

TEST_CASE(it_writes_int8) {
    static const char *const rows[][2] = {{"int32", "x_buf[...]"},
                                          {"int16", "int16(x_buf[...])"},
                                          {"float32", "float32(x_buf[...])"},
                                          {"int64", "int64(x_buf[...])"},
                                          {"uint8", "uint8(x_buf[...])"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        program p = start();
        char text[64];
        te_tensor *x_buf = loaded(&p, "int32");
        stored(&p, x_buf, "acc", te_compute(p.c, "y", AXES, shape, NULL, rows[i][1]));
        snprintf(text, sizeof text, "y has elements of type %s", rows[i][0]);
        REFUSED(&p, "copy of x_buf to y: a store writes int8", text, "cast what is stored to int8");
    }
}

int main(void) { return run_cases(); }
