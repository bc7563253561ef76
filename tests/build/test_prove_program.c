/* Programs that are written down here, proven: what memory holds from one run to the next, stores that wait for
 * nothing, more work than there may be; and calls with nothing to prove. */
#include "build/prove.h"
#include "support/diag.h"
#include "support/failing.h"
#include "te/te.h"
#include "vta/kernel.h"

enum { INSNS = 0x10000, UOPS = 0x8000, OUT = 0x2000, IN = 0x1000 };
enum { HALVES = 2, IN_BYTES = 64, OUT_BYTES = 16 }; /* of a half: an element of 16 lanes */

static const char add_one[] = "kernel k\ninput A: acc_t[2, BATCH, BLOCK_OUT]\n"
                              "output C[i: 2, b: BATCH, c: BLOCK_OUT] = out_t(A[...] + 1)\n";
static const char clip[] = "kernel k\ninput A: acc_t[2, BATCH, BLOCK_OUT]\n"
                           "output C[i: 2, b: BATCH, c: BLOCK_OUT] = out_t(min(max(A[...], -1), 1))\n";
static const uint32_t addrs[] = {IN, OUT};

static vtac_kernel *kernel;
static const te_tensor *args[2];

/* Of the computation that is the test's state. */
static int begin(void **state) {
    const char *source = *state;
    if (diag_begin(state)) return -1;
    must(vtac_kernel_parse(source, strlen(source), "k.te", NULL, NULL, NULL, diag, &kernel));
    for (size_t i = 0; i < 2; i++) args[i] = vtac_kernel_arg(kernel, i);
    return 0;
}

static int end(void **state) {
    vtac_kernel_destroy(kernel);
    return diag_end(state);
}

static const vta_config *config(void) { return te_context_config(vtac_kernel_context(kernel)); }

static void prove(const vta_program *program, vtac_prove_result *out) {
    must(vtac_prove_program(vtac_kernel_context(kernel), 2, args, addrs, program, NULL, diag, out));
    assert_int_equal(vta_diag_count(diag), 0); /* no verdict is an error */
}

/* Do any inputs tell the program from what it is to compute? */
static bool example_exists(const vta_program *program) {
    vtac_prove_result result = {.size = sizeof result};
    vt_proof p = {.c = vtac_kernel_context(kernel), .diag = diag, .n = 2, .args = args, .addrs = addrs};
    p.options = (vtac_prove_options){.most_work = 1000, .tries = 4};
    p.program = program;
    p.result = &result;
    must(vt_prove_example(&p));
    return result.has_example;
}

/* ---- One program after the other --------------------------------------------------------------------------------- */

/* What memory holds at the begin of a run; where the device wrote, also at its end. */
typedef struct memory {
    uint8_t uop[VTA_UOP_BYTES], out[HALVES * OUT_BYTES], out_after[HALVES * OUT_BYTES];
    bool has_after;
} memory;

static void add_run(vta_program *p, const char *text, const memory *m) {
    uint8_t *insns;
    const uint8_t in[HALVES * IN_BYTES] = {0};
    size_t count;
    must(vta_asm(config(), text, strlen(text), NULL, diag, &insns, &count));
    must(vta_program_begin_run(p, INSNS, insns, (uint32_t)count, diag));
    must(vta_program_add_segment(p, IN, in, sizeof in, diag));
    must(vta_program_add_segment(p, OUT, m->out, sizeof m->out, diag));
    must(vta_program_add_segment(p, UOPS, m->uop, sizeof m->uop, diag));
    if (m->has_after) must(vta_program_add_after(p, OUT, m->out_after, sizeof m->out_after, diag));
    must(vta_program_end_run(p, diag));
    vta_string_free(insns);
}

/* Each run makes a half: an element of A comes to the place of the half on the chip, where the micro-op, which the host
 * changes between the runs, adds 1. The first of the two is all zeros. `computed`: recorded on a device that computes.
 */
static vta_program *in_halves(int second_goes_to, bool computed) {
    vta_program *p;
    memory m = {.has_after = computed};
    must(vta_program_create(config(), NULL, diag, &p));
    for (int half = 0; half < HALVES; half++) {
        char text[600];
        uint32_t word;
        int to = half ? second_goes_to : 0, place = half;
        snprintf(text, sizeof text,
                 "LOAD memory_type=uop dram_base=%d y_size=1 x_size=1 x_stride=1\n"
                 "LOAD memory_type=acc sram_base=%d dram_base=%d y_size=1 x_size=1 x_stride=1\n"
                 "ALU uop_end=1 iter_out=1 iter_in=1 alu_opcode=ADD use_imm=1 imm=1 push_next_dep\n"
                 "STORE memory_type=out sram_base=%d dram_base=%d y_size=1 x_size=1 x_stride=1 pop_prev_dep "
                 "push_prev_dep\nFINISH pop_next_dep\n",
                 UOPS / VTA_UOP_BYTES, place, IN / IN_BYTES + half, place, OUT / OUT_BYTES + to);
        must(vta_uop_encode(config(), (vta_uop){.dst = (uint32_t)place, .src = (uint32_t)place}, diag, &word));
        memcpy(m.uop, &word, sizeof word);
        if (computed) memset(m.out_after + to * OUT_BYTES, 1, OUT_BYTES); /* 0 + 1 */
        add_run(p, text, &m);
        if (computed) memcpy(m.out, m.out_after, sizeof m.out);
    }
    return p;
}

/* The second run finds what the first one left in memory, and what the host wrote meanwhile, however it was recorded.
 */
static void memory_between_runs(void **state) {
    (void)state;
    for (int computed = 0; computed < 2; computed++) {
        vtac_prove_result result = {.size = sizeof result};
        vta_program *p = in_halves(1, computed);
        prove(p, &result);
        if (result.verdict != VTAC_PROVEN) fail_msg("computed %d: %s", computed, result.reason);
        assert_false(example_exists(p));
        vta_program_destroy(p);
        p = in_halves(0, computed); /* over the first half */
        prove(p, &result);
        assert_int_equal(result.verdict, VTAC_WRONG);
        assert_int_equal(result.arg, 1);
        assert_int_equal(result.index, 0);
        assert_true(result.has_example && example_exists(p));
        vta_program_destroy(p);
    }
}

/* ---- One run ----------------------------------------------------------------------------------------------------- */

static vta_program *of_text(const char *text) {
    vta_program *p;
    must(vta_program_create(config(), NULL, diag, &p));
    add_run(p, text, &(memory){.has_after = false});
    return p;
}

/* Right as it stands, and right when stores come late; a store that comes early is a race, which another order shows.
 */
static void stores_that_wait_for_nothing(void **state) {
    (void)state;
    static const char text[] = "LOAD memory_type=uop dram_base=0x2000 y_size=1 x_size=1 x_stride=1\n"
                               "LOAD memory_type=acc dram_base=64 y_size=1 x_size=2 x_stride=2\n"
                               "ALU uop_end=1 iter_out=1 iter_in=2 dst_factor_in=1 src_factor_in=1 alu_opcode=ADD "
                               "use_imm=1 imm=1%s\n"
                               "STORE memory_type=out dram_base=512 y_size=1 x_size=2 x_stride=2%s\n"
                               "FINISH pop_next_dep\n";
    for (int waits = 0; waits < 2; waits++) {
        vtac_prove_result result = {.size = sizeof result};
        char listing[600];
        snprintf(listing, sizeof listing, text, waits ? " push_next_dep" : "",
                 waits ? " pop_prev_dep push_prev_dep" : " push_prev_dep");
        vta_program *p = of_text(listing);
        prove(p, &result);
        assert_int_equal(result.verdict, waits ? VTAC_PROVEN : VTAC_WRONG);
        if (!waits) {
            assert_int_equal(result.order, VTA_ORDER_RANDOM);
            assert_true(result.has_example && !result.different);
            assert_string_equal(result.reason,
                                "instruction 3 (STORE out) reads acc[0..1], which instruction 2 (ALU ADD) "
                                "writes, and no token path orders the two");
        }
        vta_program_destroy(p);
    }
}

/* 2^31 zeros written by one instruction: nothing is proven beyond 2^30 unless the caller says so. */
static void more_work_than_there_may_be(void **state) {
    (void)state;
    vtac_prove_result result = {.size = sizeof result};
    vta_program *p = of_text("GEMM reset_reg=1 uop_end=32 iter_out=8192 iter_in=8192 push_next_dep\n"
                             "STORE memory_type=out dram_base=512 y_size=1 x_size=2 x_stride=2 pop_prev_dep "
                             "push_prev_dep\nFINISH pop_next_dep\n");
    prove(p, &result);
    assert_int_equal(result.verdict, VTAC_UNPROVEN);
    assert_string_equal(result.reason, "instruction 0 does more work (2147483648) than is left to do (1073741824)");
    vta_program_destroy(p);
}

/* ---- Examples ---------------------------------------------------------------------------------------------------- */

enum { COUNT = 32 };

/* The inputs that an example speaks of. */
static void inputs_of(const vtac_prove_result *r, int32_t out[COUNT]) {
    vt_checking k = {.c = vtac_kernel_context(kernel), .diag = diag, .n = 1};
    assert_true(vt_checking_make(&k));
    must(vt_checking_operand(&k, 0, args[0], kDLCPU));
    assert_int_equal(k.operands[0].count, COUNT);
    vt_checking_seed(&k, r->example_seed);
    k.magnitude = r->magnitude;
    vt_checking_fill(&k, &k.operands[0]);
    memcpy(out, k.operands[0].values, COUNT * sizeof *out);
    vt_checking_free(&k);
}

static int clipped(int x) { return x < -1 ? -1 : x > 1 ? 1 : x; }

/* One is added before the clip. That shows where the clip does nothing: not with numbers of the whole range, which the
 * first input has, but with those up to 3 of the second. */
static void an_example_holds(void **state) {
    (void)state;
#define EACH " uop_end=1 iter_out=1 iter_in=2 dst_factor_in=1 src_factor_in=1 use_imm=1 "
    static const char text[] = "LOAD memory_type=uop dram_base=0x2000 y_size=1 x_size=1 x_stride=1\n"
                               "LOAD memory_type=acc dram_base=64 y_size=1 x_size=2 x_stride=2\n"
                               "ALU" EACH "alu_opcode=ADD imm=1\nALU" EACH "alu_opcode=MAX imm=-1\n"
                               "ALU" EACH "alu_opcode=MIN imm=1 push_next_dep\n"
                               "STORE memory_type=out dram_base=512 y_size=1 x_size=2 x_stride=2 pop_prev_dep "
                               "push_prev_dep\nFINISH pop_next_dep\n";
    enum { SEED = 77, ELEMENT = 32 };
    vta_program *p = of_text(text);
    for (uint32_t tries = 1; tries <= 3; tries++) {
        int32_t x[COUNT], first = 0;
        char expected[ELEMENT], got[ELEMENT];
        vtac_prove_result r = {.size = sizeof r};
        const vtac_prove_options options = {.seed = SEED, .tries = tries};
        must(vtac_prove_program(vtac_kernel_context(kernel), 2, args, addrs, p, &options, diag, &r));
        assert_int_equal(r.verdict, tries > 1 ? VTAC_WRONG : VTAC_UNPROVEN);
        assert_int_equal(r.has_example, tries > 1);
        if (!r.has_example) continue;
        assert_int_equal(r.magnitude, 3);
        assert_int_equal(r.example_seed, SEED + 1);
        inputs_of(&r, x);
        while (first < COUNT - 1 && clipped(x[first]) == clipped(x[first] + 1)) first++;
        snprintf(expected, sizeof expected, "%d", clipped(x[first]));
        snprintf(got, sizeof got, "%d", clipped(x[first] + 1));
        assert_true(first > 0);
        assert_int_equal(r.example_arg, 1);
        assert_int_equal(r.example_index, first);
        assert_string_equal(r.expected, expected);
        assert_string_equal(r.got, got);
    }
    vta_program_destroy(p);
}

/* ---- Out of memory ----------------------------------------------------------------------------------------------- */

/* At one allocation after the other: the call says so, though the next one succeeds, and loses nothing. */
static void an_allocation_fails(void **state) {
    (void)state;
    vta_program *p = in_halves(1, false);
    size_t n = 0;
    for (bool failed = true; failed; n += 1 + n / 16) {
        failing f = {(long)n, 0, false};
        const vta_allocator a = {failing_resize, &f};
        const vtac_prove_options options = {.allocator = &a};
        vtac_prove_result result = {.size = sizeof result};
        vta_status status = vtac_prove_program(vtac_kernel_context(kernel), 2, args, addrs, p, &options, diag, &result);
        failed = f.failed;
        if (status != (failed ? VTA_NO_MEMORY : VTA_OK))
            fail_msg("allocation %zu: %s, %s", n, vta_status_name(status), vta_diag_text(diag));
        assert_int_equal(result.verdict, failed ? VTAC_UNPROVEN : VTAC_PROVEN);
        assert_int_equal(f.blocks, 0);
        vta_diag_clear(diag);
    }
    assert_true(n > 20);
    vta_program_destroy(p);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static void nothing_to_prove(void **state) {
    (void)state;
    vta_program *p = in_halves(1, false);
    te_context *c = vtac_kernel_context(kernel);
    vtac_prove_result result = {.verdict = VTAC_PROVEN};
    assert_int_equal(vtac_prove_program(c, 2, args, NULL, p, NULL, diag, &result), VTA_INVALID_ARGUMENT);
    assert_int_equal(result.verdict, VTAC_UNPROVEN);
    result.verdict = VTAC_PROVEN;
    assert_int_equal(vtac_prove_program(c, 2, args, addrs, NULL, NULL, diag, &result), VTA_INVALID_ARGUMENT);
    assert_int_equal(result.verdict, VTAC_UNPROVEN);
    result.verdict = VTAC_PROVEN;
    assert_int_equal(vtac_prove(c, 2, args, NULL, NULL, diag, &result), VTA_INVALID_ARGUMENT);
    assert_int_equal(result.verdict, VTAC_UNPROVEN);
    assert_int_equal(vtac_prove_program(c, 2, args, addrs, p, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    vta_program_destroy(p);
}

#define TEST(name, source) cmocka_unit_test_prestate_setup_teardown(name, begin, end, (void *)(uintptr_t)(source))

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(memory_between_runs, add_one),         TEST(stores_that_wait_for_nothing, add_one),
        TEST(more_work_than_there_may_be, add_one), TEST(an_example_holds, clip),
        TEST(an_allocation_fails, add_one),         TEST(nothing_to_prove, add_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
