/* Which schedule an operator gets: the candidates are the best of all sizes there are, tried one after the other here
 * without the chooser's shortcuts, and the report says what was found, to the word and the cycle. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/check.h"

#include "operators/knobs.h"

typedef struct made {
    vta_config *config;
    vta_diag *diag;
    vta_timing_profile profile;
    vtac_op *op;
} made;

static made make(const char *name, const char *text, const char *set) {
    made m = {.diag = vta_diag_create(NULL)};
    vta_config *plain = vta_config_default();
    if (vta_config_with(plain, set, m.diag, &m.config) != VTA_OK ||
        vta_timing_profile_for(m.config, m.diag, &m.profile) != VTA_OK ||
        vtac_op_create(name, text, m.config, NULL, m.diag, &m.op) != VTA_OK)
        fail_msg("%s %s: %s", name, text, vta_diag_text(m.diag));
    vta_config_release(plain);
    return m;
}

static void release(made *m) {
    vtac_op_destroy(m->op);
    vta_diag_destroy(m->diag);
    vta_config_release(m->config);
}

/* ---- All sizes --------------------------------------------------------------------------------------------------- */

enum { CANDIDATES = 40, MAX = 60000 };

typedef struct all {
    made m;
    bool tiles; /* of a space of tiles: any number of threads; else powers of two */
    uint64_t n;
    double estimates[MAX];
} all;

static void try_threads(all *a, vt_op_blocks b) {
    for (b.threads = 1; b.threads <= 8; b.threads += a->tiles ? 1 : b.threads)
        for (int rows = 0; rows < (b.threads > 1 ? 2 : 1); rows++) {
            vt_op_blocks found = b;
            found.share_rows = rows;
            if (vt_op_admit(a->m.op, &a->m.profile, &found)) continue;
            assert_true(a->n < MAX);
            a->estimates[a->n++] = found.estimate;
        }
}

/* The next smaller size that cuts the extent into another number of blocks; 0 behind 1. */
static int64_t next_size(int64_t extent, int64_t size) {
    for (int64_t next = size - 1; next > 0; next--)
        for (int64_t blocks = 1; blocks <= extent; blocks++)
            if ((extent + blocks - 1) / blocks == next) return next;
    return 0;
}

static void try_columns(all *a, int64_t x, int64_t ic) {
    const vt_op_shape *s = &a->m.op->shape;
    for (int64_t oc = s->oc; oc; oc = next_size(s->oc, oc))
        for (int64_t y = s->out_h; y; y = next_size(s->out_h, y))
            try_threads(a, (vt_op_blocks){.oc = oc, .y = y, .x = x, .ic = ic});
}

/* Narrower tiles only where no whole rows fit, and parts of windows where no whole ones do. */
static void try_all(all *a) {
    const vt_op_shape *s = &a->m.op->shape;
    a->tiles = a->m.op->is->space->use;
    for (int64_t x = s->out_w; x && !a->n; x = next_size(s->out_w, x)) {
        if (a->tiles) try_columns(a, x, 0);
        for (int64_t ic = s->ic; ic && !a->tiles; ic = next_size(s->ic, ic)) try_columns(a, x, ic);
    }
    for (int64_t part = s->kernel_h - 1; a->tiles && part > 0 && !a->n; part--)
        for (int64_t x = s->out_w; x && !a->n; x = next_size(s->out_w, x)) try_columns(a, x, part);
}

static int compare(const void *x, const void *y) {
    const double *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

static const struct {
    const char *name, *text, *config;
} cases[] = {
    {"dense", "batch=12 in_features=160 out_features=96 epilogue=bias,shift", ""},
    {"dense", "batch=9 in_features=16 out_features=640", "LOG_BATCH=1"},
    {"batch_matmul", "batch=2 rows=7 in_features=48 out_features=64", ""},
    {"conv2d", "batch=2 height=12 width=12 in_channels=48 out_channels=64 kernel=3 pad=1 epilogue=shift", ""},
    {"conv2d", "batch=2 height=40 width=90 in_channels=32 out_channels=32 kernel=1", ""},
    {"conv2d", "batch=2 height=6 width=6 in_channels=128 out_channels=128 groups=4 kernel=3", ""},
    {"conv2d", "batch=2 height=6 width=6 in_channels=64 out_channels=64 groups=64 kernel=3", ""},
    {"conv2d_transpose", "height=6 width=5 in_channels=32 out_channels=64 kernel=4 stride=2 pad=1", ""},
    {"conv2d_transpose", "height=4 width=80 in_channels=32 out_channels=32 kernel=3 stride=3", ""},
    {"add", "channels=160 height=12 width=7 epilogue=residual", ""},
    {"max_pool2d", "channels=64 height=16 width=150 kernel=3 stride=2 pad=1", ""},
    {"avg_pool2d", "channels=32 height=60 width=60 kernel=60", ""},
    {"avg_pool2d", "channels=32 height=60 width=60 kernel_h=60 kernel_w=20 stride_w=20", ""},
    {"upsample2d", "channels=64 height=9 width=8 scale_h=2 scale_w=3", ""},
};

TEST_CASE(is_complete) {
    all *a = malloc(sizeof *a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vt_op_blocks found[CANDIDATES];
        uint64_t considered;
        a->n = 0;
        a->m = make(cases[i].name, cases[i].text, cases[i].config);
        try_all(a);
        qsort(a->estimates, a->n, sizeof *a->estimates, compare);
        for (uint32_t most = 1; most <= CANDIDATES; most += CANDIDATES - 1) {
            uint32_t n = vt_op_candidates(a->m.op, &a->m.profile, most, found, &considered);
            if (considered != a->n || n != (considered < most ? considered : most))
                fail_msg("%s %s: %d of %d considered, not %d", cases[i].name, cases[i].text, (int)n, (int)considered,
                         (int)a->n);
            for (uint32_t k = 0; k < n; k++)
                if (found[k].estimate != a->estimates[k])
                    fail_msg("%s %s: %f at %d, not %f", cases[i].name, cases[i].text, found[k].estimate, (int)k,
                             a->estimates[k]);
        }
        release(&a->m);
    }
    free(a);
}

/* ---- Reports ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *text, *config;
    uint32_t tries;
    uint64_t macs; /* outputs, times taps and channels of each */
    const char *report;
} reports[] = {
    {"dense", "batch=12 in_features=160 out_features=96 epilogue=bias,shift", "", 0, 184320,
     "A tile of the result is 3 of 6 blocks of output channels, all 12 rows; each step of the sum loads 5 of 10 "
     "blocks of input channels. 2 virtual threads take groups of output channels in turn, so that loads and "
     "stores of one run behind the products of the others. The memory limits it: 1008 cycles of GEMM and ALU, "
     "1920 of reading operands once; 3484 reached, 81.5 % more. 240 schedules fit the buffers; the best 3 by "
     "estimate were timed."},
    {"dense", "batch=1024 in_features=16 out_features=16", "", 1, 262144,
     "A tile of the result is the one block of output channels, 64 of 1024 rows; each step of the sum loads the "
     "one block of input channels. 4 virtual threads take bands of rows in turn, so that loads and stores of one "
     "run behind the products of the others. Compute limits it: 2048 cycles of GEMM and ALU, 32 of reading "
     "operands once; 4691 reached, 129.1 % more. 85 schedules fit the buffers; the best 1 by estimate were timed."},
    {"batch_matmul", "batch=2 rows=7 in_features=48 out_features=64", "LOG_BATCH=1", 5, 43008,
     "A tile of the result is all 4 blocks of output channels, all 4 rows; each step of the sum loads all 3 "
     "blocks of input channels. There is one thread: no axis divides into equal tiles for several, or they do not "
     "fit. The memory limits it: 128 cycles of GEMM and ALU, 384 of reading operands once; 1391 reached, 262.2 % "
     "more. 54 schedules fit the buffers; the best 5 by estimate were timed."},
    {"conv2d", "height=12 width=10 in_channels=48 out_channels=64 kernel=3 pad=1 epilogue=shift,relu", "", 0, 3317760,
     "A tile of the result is 1 of 4 blocks of output channels, all 12 rows and all 10 columns; each step of the "
     "sum loads 1 of 3 blocks of input channels. Tiles take turns in two places of the accumulators, so that one "
     "is stored while the next is computed, and steps of the sum in two places of the operands; output channels 1 "
     "x 4, rows 12, input channels 1 x 3 (rows inside). Micro-ops whose tap falls on padding are left out; tiles "
     "that lose the same ones share their kernels. Compute limits it: 12864 cycles of GEMM and ALU, 3456 of "
     "reading operands once; 14240 reached, 10.7 % more. 574 schedules fit the buffers; the best 2 by estimate "
     "were timed."},
    {"conv2d", "height=12 width=10 in_channels=48 out_channels=64 kernel=3 pad=1 epilogue=shift,relu", "", 7, 3317760,
     "A tile of the result is 1 of 4 blocks of output channels, all 12 rows and all 10 columns; each step of the "
     "sum loads 1 of 3 blocks of input channels. Tiles take turns in two places of the accumulators, so that one "
     "is stored while the next is computed, and steps of the sum in two places of the operands; output channels 1 "
     "x 4, rows 12, input channels 1 x 3 (rows inside). Micro-ops whose tap falls on padding are left out; tiles "
     "that lose the same ones share their kernels. Compute limits it: 12864 cycles of GEMM and ALU, 3456 of "
     "reading operands once; 14240 reached, 10.7 % more. 574 schedules fit the buffers; the best 7 by estimate "
     "were timed."},
    {"conv2d", "batch=3 height=8 width=8 in_channels=64 out_channels=32 groups=2 kernel=3 stride=2 dilation=2 pad=2",
     "", 2, 442368,
     "A tile of the result is 1 of 2 blocks of output channels, all 4 rows and all 4 columns; each step of the "
     "sum loads 1 of 2 blocks of input channels. 2 virtual threads take groups of output channels in turn, so "
     "that loads and stores of one run behind the products of the others. Compute limits it: 1296 cycles of GEMM "
     "and ALU, 1152 of reading operands once; 6837 reached, 427.5 % more. 24 schedules fit the buffers; the best "
     "2 by estimate were timed."},
    {"conv2d",
     "height=16 width=16 in_channels=3 out_channels=64 kernel=7 stride=2 pad=3 fold=-1 epilogue=bias_int8,shift", "", 0,
     602112,
     "A tile of the result is 3 of 4 blocks of output channels, all 8 rows and all 8 columns; each step of the "
     "sum loads 1 of 10 blocks of input channels. Tiles take turns in two places of the accumulators, so that one "
     "is stored while the next is computed, and steps of the sum in two places of the operands; output channels 3 "
     "+ 1, rows 8, input channels 1 x 10 (rows inside). All data stay on the chip. Compute limits it: 3328 cycles "
     "of GEMM and ALU, 1280 of reading operands once; 4514 reached, 35.6 % more. 1100 schedules fit the buffers; "
     "the best 3 by estimate were timed."},
    {"conv2d",
     "height=12 width=12 in_channels=32 out_channels=64 kernel=3 pad=1 pool=3 pool_stride=2 pool_pad=1 epilogue=shift",
     "", 0, 2654208,
     "A tile of the result is all 4 blocks of output channels, 1 of 6 rows and all 6 columns; each step of the "
     "sum loads 1 of 2 blocks of input channels. Tiles take turns in two places of the accumulators, so that one "
     "is stored while the next is computed, and steps of the sum in two places of the operands; output channels "
     "4, input channels 1 x 2 (rows inside). All weights stay on the chip. Compute limits it: 11696 cycles of "
     "GEMM and ALU, 2304 of reading operands once; 15980 reached, 36.6 % more. 6 schedules fit the buffers; the "
     "best 1 by estimate were timed."},
    {"conv2d_transpose", "height=6 width=5 in_channels=32 out_channels=64 kernel=4 stride=2 pad=1", "", 2, 983040,
     "A tile of the result is 2 of 4 blocks of output channels, all 12 rows and all 10 columns; each step of the "
     "sum loads 1 of 2 blocks of input channels. 2 virtual threads take groups of output channels in turn, so "
     "that loads and stores of one run behind the products of the others. Micro-ops whose tap falls on padding "
     "are left out; tiles that lose the same ones share their kernels. The memory limits it: 3648 cycles of GEMM "
     "and ALU, 4096 of reading operands once; 7664 reached, 87.1 % more. 60 schedules fit the buffers; the best 2 "
     "by estimate were timed."},
    {"add", "channels=16 height=400 width=3", "", 0, 0,
     "On the accelerator. A tile of the result is the one block of channels, 20 of 400 rows and all 3 columns; 5 "
     "virtual threads take bands of rows in turn. Compute limits it: 7200 cycles of GEMM and ALU, 4800 of reading "
     "the inputs once, 3600 of storing the result. 9704 cycles reached. 58 schedules fit the buffers; the best 3 "
     "by estimate were timed."},
    {"relu", "channels=160 height=12 width=7", "", 1, 0,
     "On the accelerator. A tile of the result is 1 of 10 blocks of channels, all 12 rows and all 7 columns; 5 "
     "virtual threads take groups of channels in turn. Compute limits it: 2520 cycles of GEMM and ALU, 1680 of "
     "reading the inputs once, 2520 of storing the result. 4493 cycles reached. 104 schedules fit the buffers; "
     "the best 1 by estimate were timed."},
    {"max_pool2d", "batch=2 channels=64 height=16 width=150 kernel=3 stride=2 pad=1", "", 0, 0,
     "On the accelerator. A tile of the result is 1 of 4 blocks of channels, 2 of 8 rows and all 75 columns; 2 "
     "virtual threads take bands of rows in turn. Compute limits it: 96384 cycles of GEMM and ALU, 38400 of "
     "reading the inputs once, 14400 of storing the result. 111475 cycles reached. 14 schedules fit the buffers; "
     "the best 3 by estimate were timed."},
    {"avg_pool2d", "channels=32 height=1 width=60 kernel_w=20", "", 2, 0,
     "On the accelerator. A tile of the result is 1 of 2 blocks of channels, the one row and all 41 columns; "
     "there is one thread. Compute limits it: 1968 cycles of GEMM and ALU, 240 of reading the inputs once, 246 of "
     "storing the result. 2679 cycles reached. 3 schedules fit the buffers; the best 2 by estimate were timed. The "
     "average is exact (largest error 0, for every sum of up to 20 elements of 8 bits), by one product."},
    {"upsample2d", "channels=64 height=9 width=1 scale_h=2 scale_w=1", "", 0, 0,
     "On the accelerator. A tile of the result is 2 of 4 blocks of channels, all 18 rows and the one column; 2 "
     "virtual threads take groups of channels in turn. Storing limits it: 144 cycles of GEMM and ALU, 72 of "
     "reading the inputs once, 216 of storing the result. 569 cycles reached. 27 schedules fit the buffers; the "
     "best 3 by estimate were timed."},
    {"concat", "channels0=16 channels1=40 height=3 width=3", "", 0, 0,
     "On the host, in the accelerator's memory: 2 inputs are copied, nothing is computed. The accelerator "
     "takes no cycle; it would take every element through its accumulators."},
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

TEST_CASE(says_what_it_is) {
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        char text[512]; /* with the steps that it says, and none that saturates */
        snprintf(text, sizeof text, "%s narrow=wrap", reports[i].text);
        made m = make(reports[i].name, text, reports[i].config);
        vtac_op_options options = {.tries = reports[i].tries, .without_database = true, .without_code = true};
        vtac_op_result r = {0};
        double start = now_ms();
        if (vtac_op_schedule(m.op, &options, m.diag, &r) != VTA_OK) fail_msg("%s", vta_diag_text(m.diag));
        /* both together are all of it, on any machine */
        assert_true(r.compile_ms > 0 && r.schedule_ms >= 0 && r.compile_ms + r.schedule_ms <= now_ms() - start);
        assert_int_equal(r.macs, reports[i].macs);
        assert_string_equal(vtac_op_report(m.op), reports[i].report);
        release(&m);
    }
}

/* Images of more than 64 rows: a row or two of them fill the buffers, and their tiles take turns all the same. */
TEST_CASE(tall_images_are_near_their_bounds) {
    static const struct {
        const char *text;
        int percent; /* above the bound, at most */
    } tall[] = {
        {"height=208 width=208 in_channels=12 out_channels=16 kernel=3 pad=1 epilogue=bias_int8,shift", 2},
        {"height=208 width=208 in_channels=16 out_channels=16 groups=16 kernel=3 stride=2 pad=1 "
         "epilogue=bias_int8,shift",
         6},
        {"height=128 width=160 in_channels=16 out_channels=16 groups=16 kernel=3 pad=1 epilogue=bias_int8,shift", 3},
    };
    for (size_t i = 0; i < sizeof tall / sizeof *tall; i++) {
        made m = make("conv2d", tall[i].text, "");
        vtac_op_options options = {.without_database = true, .without_code = true};
        vtac_op_result r = {0};
        if (vtac_op_schedule(m.op, &options, m.diag, &r) != VTA_OK) fail_msg("%s", vta_diag_text(m.diag));
        if (r.cycles * 100 > r.bound * (100 + (uint64_t)tall[i].percent))
            fail_msg("%s: %d cycles, and the bound is %d", tall[i].text, (int)r.cycles, (int)r.bound);
        release(&m);
    }
}

int main(void) { return run_cases(); }
