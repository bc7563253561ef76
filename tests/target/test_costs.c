/* What kernels cost the accelerator: how many instructions, executed micro-ops and loads of micro-ops, and in which
 * order their tasks are. A plan that is worse is right all the same, and no other test sees it. */
#include "build/programs.h"

/* A 3 x 3 convolution of 32 input channels whose GEMM leaves out what is multiplied by padding. */
#define CONV(outs, rows, columns, order, inside, marks)                                                                \
    "kernel k\ninput x: inp_t[1, 2, " #rows ", " #columns ", BATCH, BLOCK_IN]\n"                                       \
    "input w: wgt_t[" #outs ", 2, 3, 3, BLOCK_OUT, BLOCK_IN]\nreduce rc = 2, dy = 3, dx = 3, ri = BLOCK_IN\n"          \
    "tensor xb = pad(x, [0, 0, 1, 1, 0, 0])\ntensor wb like w = w[...]\n"                                              \
    "tensor sums[bo: 1, co: " #outs ", i: " #rows ", j: " #columns ", bi: BATCH, ci: BLOCK_OUT] = "                    \
    "sum[rc, dy, dx, ri](select(i + dy >= 1 && i + dy < " #rows " + 1 && j + dx >= 1 && j + dx < " #columns " + 1, "   \
    "acc_t(xb[bo, rc, i + dy, j + dx, bi, ri]) * acc_t(wb[co, rc, dy, dx, ci, ri]), acc_t(0)))\n"                      \
    "output y like sums = out_t(sums[...])\n" marks "stage sums\n  scope acc\n  compute_at y, o\n  reorder rc, " order \
    ", bi, ci, ri\n" inside                                                                                            \
    "  pragma bi conv2d_transpose_gemm\nstage xb\n  scope inp\n  compute_at sums, rc\n  pragma 0 dma_copy\n"           \
    "stage wb\n  scope wgt\n  compute_at sums, rc\n  pragma 0 dma_copy\n"
#define OUTS(size, slots)                                                                                              \
    "stage y\n  split 1 by " #size " -> o, oi\n  pragma o slots = " #slots "\n  pragma oi dma_copy\n"
#define ROWS(marked) "stage y\n  split 2 by 4 -> o, oi\n  reorder 0, o, 1, oi, 3, 4, 5\n  pragma " marked " dma_copy\n"

/* Each step reads two rows, one of which the step before has read. */
#define WINDOW                                                                                                         \
    "kernel k\ninput x: acc_t[4, 4, BATCH, BLOCK_OUT]\ntensor b like x = x[...]\ntensor s like x = b[...] >> 2\n"      \
    "tensor m[r: 3, j: 4, e: BATCH, f: BLOCK_OUT] = max(s[r, j, e, f], s[r + 1, j, e, f])\n"                           \
    "output y like m = out_t(m[...])\nstage y\n  split 0 by 1 -> o, i\n  pragma o slots = 2\n  pragma i dma_copy\n"    \
    "stage m\n  scope acc\n  compute_at y, o\n  pragma 0 alu\nstage s\n  scope acc\n  compute_at y, o\n  pragma 0 "    \
    "sliding = 0\n"                                                                                                    \
    "  pragma 1 alu\nstage b\n  scope acc\n  compute_at s, 0\n  pragma 0 dma_copy\n"

typedef struct cost {
    const char *comment, *source, *params; /* the text of a kernel or its file */
    /* Instructions LOAD (those of micro-ops too), STORE, GEMM, ALU | executed micro-ops that multiply, reset, of the
     * ALU | micro-ops loaded, kernels loaded, kernels found on the chip | the tasks, as add_order writes them. */
    const char *want;
} cost;

static const cost costs[] = {
    /* Of 4 rows and 3 taps (3 + 4 + 3) are not padding, so of a plane 10 * 10 for each output channel and input
     * channel: 2 * 2 * 100. Both output channels are a loop of the hardware, the rest are 100 micro-ops for each half
     * of the reduction; the reset has rows and columns in hardware */
    {"borders are cut", CONV(2, 4, 4, "bo, i, j, dy, dx, co", "  pragma rc slots = 2\n", OUTS(2, 2)), NULL,
     "5 1 3 0 | 400 32 0 | 202 3 0 | gwi(12)12gwi(12)12g(23)23s"},
    /* Twice that. The loads of a step wait for the step before the last, and it has kernels of its own */
    {"two steps in two places", CONV(4, 4, 4, "bo, i, j, dy, dx, co", "  pragma rc slots = 2\n", OUTS(2, 2)), NULL,
     "9 2 6 0 | 800 64 0 | 404 6 0 | gwi(12)12g(21wi(12)12g(21(23)23sg)21wi(12)12g)21wi(12)12g(23)23s"},
    /* In one place everything waits, and the same kernels are found */
    {"two steps in one place", CONV(4, 4, 4, "bo, i, j, dy, dx, co", "  pragma rc slots = 1\n", OUTS(2, 1)), NULL,
     "9 2 6 0 | 800 64 0 | 102 2 4 | gwi(12)12g(21)21wi(12)12g(21(23)23s(32)32g)21wi(12)12g(21)21wi(12)12g(23)23s"},
    /* Those of the first product come with the reset, the second's behind it: one LOAD more */
    {"late micro-ops",
     CONV(2, 4, 4, "bo, i, j, dy, dx, co", "  pragma rc slots = 2\n  pragma i late_uops\n", OUTS(2, 2)), NULL,
     "6 1 3 0 | 400 32 0 | 202 3 0 | gwi(12)12gwi(12)12g(23)23s"},
    /* Of a column of 4 rows 10 products are not padding: 2 * 8 * 10 */
    {"one column", CONV(8, 4, 1, "bo, i, j, dy, dx, co", "  pragma rc slots = 2\n", OUTS(4, 2)), NULL,
     "9 2 6 0 | 160 32 0 | 42 6 0 | gwi(12)12g(21wi(12)12g(21(23)23sg)21wi(12)12g)21wi(12)12g(23)23s"},
    /* Kernels of the first tile (11 of 12 rows and taps, times 10), of the two in the middle (12 * 10), of the last and
     * of the reset, for 4 tiles of two products */
    {"equal tiles share kernels", CONV(1, 16, 4, "bo, co, dy, dx, i, j", "", ROWS("oi")), NULL,
     "20 4 12 0 | 920 64 0 | 341 4 8 | "
     "(32)32g(21)21iw(12)12g(21)21iw(12)12g(21(23)21)23s(32)32g(21)21iw(12)12g(21)21iw(12)12g(21(23)21)23s(32)32g(21)"
     "21iw(12)12g(21)21iw(12)12g(21(23)21)23s(32)32g(21)21iw(12)12g(21)21iw(12)12g(21(23)21)23s(32)32"},
    /* Two tiles; the output channels are a loop of the hardware, and of the reset the rows too */
    {"only rows differ", CONV(4, 8, 4, "bo, co, dy, dx, i, j", "", ROWS("1")), NULL,
     "11 2 6 0 | 1760 128 0 | 224 3 3 | "
     "(32)32g(21)21iw(12)12g(21)21iw(12)12g(21(23)21)23s(32)32g(21)21iw(12)12g(21)21iw(12)12g(21(23)21)23s(32)32"},
    /* 4 rows are loaded, shifted (copy, shift) and used once (copy, maximum: 3 results), by kernels of one micro-op */
    {"windows that slide", WINDOW, NULL,
     "5 3 7 14 | 0 28 56 | 14 14 7 | agllagllgll(23)23s(32agllgll(23)23s)32agllgll(23)23s"},
    /* The last tile has 2 x 1 results of 2 output channels, too few to be written in one kernel: one for each half of
     * the reduction */
    {"conv tails", "tests/build/vta/conv_tails.te",
     "ins=2 outs=2 height=5 width=4 rows=1 columns=1 top=0 left=0 right=0 oc=2 y=3 x=3 ic=2 threads=1",
     "37 20 9 12 | 80 40 120 | 37 21 0 | "
     "g(21)21iiw(12)12galll(23)23ssssss(32)32g(21)21iiw(12)12galll(23)23ssssss(32)32g(21)21iiw(12)12galll(23)23ssss(32)"
     "32g(21)21iiw(12)12ggalll(23)23ssss"},
    {"conv tails", "tests/build/vta/conv_tails.te",
     "ins=2 outs=2 height=4 width=4 rows=2 columns=2 top=0 left=0 right=0 oc=2 y=3 x=2 ic=2 threads=1",
     "16 12 4 6 | 144 18 54 | 37 10 0 | g(21)21iw(12)12galll(23)23ssssss(32)32g(21)21iw(12)12galll(23)23ssssss"},
    /* Kernels of other tests */
    {"alu in a loop", "tests/build/vta/alu_in_a_loop.te", NULL, "5 1 1 3 | 0 12 36 | 4 4 0 | aglll(23)23s"},
    {"broadcast", "tests/build/vta/broadcast.te", NULL, "4 1 1 2 | 0 16 32 | 3 3 0 | agll(23)23s"},
    {"columns of padding", "tests/build/vta/columns_of_padding.te", NULL,
     "10 4 8 0 | 32 32 0 | 2 2 6 | "
     "(32)32g(21)21iw(12)12g(23)23s(32)32g(21)21iw(12)12g(23)23s(32)32g(21)21iw(12)12g(23)23s(32)32g(21)21iw(12)12g(23)"
     "23s(32)32"},
    {"many micro ops", "tests/build/vta/many_micro_ops.te", NULL,
     "42 1 37 3 | 2592 144 216 | 309 40 0 | iw(12)12ggggggggggggggggggggggggggggggggggggglll(23)23s"},
    {"tail of micro ops", "tests/build/vta/tail_of_micro_ops.te", NULL,
     "6 1 2 0 | 144 48 0 | 152 2 0 | iiiw(12)12gg(23)23s"},
    {"row at a time", "tests/build/vta/row_at_a_time.te", NULL,
     "14 1 7 0 | 18 18 0 | 7 7 0 | "
     "g(21)21w(21)21i(12)12g(21)21i(12)12g(21)21i(12)12g(21)21i(12)12g(21)21i(12)12g(21)21i(12)12g(21(23)21)23s"},
    {"same operand", "tests/build/vta/same_operand.te", NULL, "9 1 2 6 | 0 16 48 | 15 8 0 | algllglll(23)23s"},
    {"residual", "tests/build/vta/residual.te", NULL, "10 1 2 7 | 0 32 112 | 9 9 0 | aglllgllll(23)23s"},
    {"stored and loaded", "tests/build/vta/stored_and_loaded.te", NULL,
     "5 2 2 0 | 4 4 0 | 2 2 0 | a(23)23s(32)32(21)21iw(12)12gg(23)23s"},
    {"zeros make room", "tests/build/vta/zeros_make_room.te", NULL,
     "12 2 6 0 | 4 2 0 | 4 4 2 | "
     "g(21)21iw(12)12g(21)21iw(12)12g(21)21iw(12)12g(21(23)21)23s(32)32g(21)21iw(12)12g(23)23s"},
    {"select", "tests/build/vta/select.te", NULL,
     "12 3 0 8 | 0 0 114 | 6 6 2 | (32)32aall(23)23s(32)32aalll(23)23s(32)32aalll(23)23s"},
    {"only padding", "tests/build/vta/only_padding.te", NULL, "4 1 2 0 | 2 1 0 | 2 2 0 | g(21)21iw(12)12g(23)23s"},
    {"nested threads", "tests/build/vta/nested_threads.te", NULL,
     "20 4 8 4 | 4 4 4 | 12 12 0 | "
     "g(21g(21g(21g(21)21iw(12)21iw(12)21iw(12)21iw(12)12gl(23)12gl(23)12gl(23)12gl(23)23s)23s)23s)23s"},
    {"gemm smt", "tests/kernel/cases/gemm_smt.te", NULL,
     "14 2 4 6 | 16 16 48 | 10 10 0 | g(21g(21)21iw(12)21iw(12)12glll(23)12glll(23)23s)23s"},
    {"transposed conv", "tests/kernel/cases/transposed_conv.te", NULL,
     "6 1 3 0 | 32 9 0 | 17 2 1 | g(21)21iw(12)12g(21)21iw(12)12g(21(23)21)23s"},
    {"relu", "tests/kernel/cases/relu.te", NULL, "3 1 0 2 | 0 0 160 | 2 2 0 | all(23)23s"},
};

/* ---- Looking ----------------------------------------------------------------------------------------------------- */

/* A letter a call: i, w, a, 8: a load of that memory (8: of bytes into acc); g, l: a kernel of the GEMM, of the ALU; s:
 * a store; (12: a token from load to compute, )12: the wait for it. */
static void add_order(vt_strbuf *out, const char *calls) {
    for (const char *line = calls; *line; line = strchr(line, '\n') + 1) {
        int n[10];
        if (sscanf(line, "push %d %d", &n[0], &n[1]) == 2)
            vt_strbuf_addf(out, "(%d%d", n[0], n[1]);
        else if (sscanf(line, "pop %d %d", &n[0], &n[1]) == 2)
            vt_strbuf_addf(out, ")%d%d", n[0], n[1]);
        else if (!strncmp(line, "gemm", 4))
            vt_strbuf_addc(out, 'g');
        else if (!strncmp(line, "alu", 3))
            vt_strbuf_addc(out, 'l');
        else if (!strncmp(line, "store", 5))
            vt_strbuf_addc(out, 's');
        else if (!strncmp(line, "load", 4))
            vt_strbuf_addc(out, "uwiao8"[strchr(line, '\n')[-1] - '0']);
    }
}

static void open_cost(machine *m, const cost *c) {
    machine_config(m, &shapes[0]);
    vta_status status =
        strncmp(c->source, "tests/", 6)
            ? vtac_kernel_parse(c->source, strlen(c->source), "k", NULL, m->config, NULL, m->diag, &m->kernel)
            : vtac_kernel_load(c->source, c->params, m->config, NULL, m->diag, &m->kernel);
    need(m, status, c->comment);
    need(m, vtac_kernel_lower(m->kernel, &(vtac_lower_options){.config = m->config, .verify = 1}, &m->func),
         c->comment);
    const vtac_build_func f = {.func = m->func};
    need(m, vtac_build(1, &f, &(vtac_build_options){.target = "vta", .trace = 1}, m->diag, &m->module), c->comment);
    need(m, vtac_module_function(m->module, vtac_func_name(m->func), m->diag, &m->call), c->comment);
}

TEST_CASE(costs_are_as_counted) {
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        machine m;
        vt_strbuf trace, got;
        vt_strbuf_init(&trace, NULL);
        vt_strbuf_init(&got, NULL);
        open_cost(&m, &costs[i]);
        machine_check(&m, costs[i].comment, VTA_ORDER_PROGRAM, i, &trace);
        vta_counters n = vta_runtime_counters(NULL);
        const uint64_t all[3][4] = {{n.insn_load, n.insn_store, n.insn_gemm, n.insn_alu},
                                    {n.gemm_counter, n.gemm_reset_counter, n.alu_counter},
                                    {n.uop_load_nbytes / 4, n.uop_cache_misses, n.uop_cache_hits}};
        for (int group = 0; group < 3; group++) {
            for (int k = 0; k < (group ? 3 : 4); k++) vt_strbuf_addf(&got, "%d ", (int)all[group][k]);
            vt_strbuf_add(&got, "| ");
        }
        add_order(&got, vt_strbuf_text(&trace));
        assert_same_text(costs[i].comment, vt_strbuf_text(&got), costs[i].want);
        machine_close(&m);
        vt_strbuf_free(&trace);
        vt_strbuf_free(&got);
    }
}

/* Steps share micro-ops from before the first task to behind the last, where other kernels do not any more. */
TEST_CASE(sharing_ends) {
    for (int late = 0; late < 2; late++) {
        static const char call[] = "\"VTAShareUops\", @tir.tvm_thread_context(@tir.vta.command_handle(, dtype=handle), "
                                   "dtype=handle), ";
        machine m;
        char *text;
        open_cost(&m, &costs[late ? 3 : 0]);
        need(&m, vtac_func_print(m.func, VTAC_STYLE_PRIMFN, m.diag, &text), "text");
        const char *on = strstr(text, call), *off = on ? strstr(on + 1, call) : NULL,
                   *wait = strstr(text, "coproc_sync");
        if (!off || wait < on || off < wait) fail_msg("%s", text);
        assert_int_equal(on[sizeof call - 1], late ? '2' : '1');
        assert_int_equal(off[sizeof call - 1], '0');
        vta_string_free(text);
        machine_close(&m);
    }
}

/* Two elements of 16 bytes are a row of the tile that may be padding: the host writes them, first to last. */
TEST_CASE(zeros_are_written) {
    machine m;
    char *text;
    open_cost(&m, &(cost){"zeros", "tests/build/vta/columns_of_padding.te", NULL, NULL});
    need(&m, vtac_func_print(m.func, VTAC_STYLE_PRIMFN, m.diag, &text), "text");
    assert_contains(text, "allocate(zeros: Pointer(global int8), int8, [32])");
    assert_contains(text, "for (i: int32, 0, 32) {\n      zeros_1: Buffer(zeros_ptr, int8, [32], [])[i] = 0i8\n");
    assert_contains(text,
                    "dtype=handle), zeros, 0, 2, 4, 0, 0, 0, 0, 0, 0, 2, dtype=int32)"); /* 4 rows, all the same */
    vta_string_free(text);
    machine_close(&m);
}

int main(void) { return run_cases(); }
