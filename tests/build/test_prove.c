/* Proofs. Every kernel of the examples and of tests/kernel/cases is proven, on every machine that holds it. Streams
 * that miscompiled kernels once made (tests/build/wrong: NAME.te and the program NAME.vta that was compiled from it)
 * are called wrong. Programs damaged at random are never called proven unless the simulator computes the right thing,
 * in every order. */
#include <dirent.h>
#include <math.h>

#include "build/programs.h"
#include "build/prove.h"
#include "te/te.h"
#include "vta/runtime.h"

enum { ARGS_MAX = 8 };

typedef struct proof {
    const te_tensor *args[ARGS_MAX];
    size_t n;
    vtac_prove_result result;
} proof;

static void list_args(const vtac_kernel *kernel, proof *p) {
    p->n = vtac_kernel_arg_count(kernel);
    assert_true(p->n <= ARGS_MAX);
    for (size_t i = 0; i < p->n; i++) p->args[i] = vtac_kernel_arg(kernel, i);
}

/* ---- Sound kernels ----------------------------------------------------------------------------------------------- */

/* A machine too small for a kernel: the compiler says so. */
static bool fits(const char *file, const shape *s) { return !(strstr(file, "conv2d") && strcmp(s->name, "4x8") == 0); }

/* The function against the text that an object of it carries. */
static void prove_text(machine *m, const char *file, const proof *of) {
    const vt_tensor *tensors[ARGS_MAX];
    proof p = {.n = of->n};
    vtac_kernel *parsed;
    te_context *c = vtac_kernel_context(m->kernel);
    for (size_t i = 0; i < of->n; i++) tensors[i] = vt_te_tensor(of->args[i]);
    const char *text = vt_te_kernel_text(c, (uint32_t)of->n, tensors);
    assert_non_null(text);
    need(m, vtac_kernel_parse(text, strlen(text), file, NULL, m->config, NULL, m->diag, &parsed), text);
    for (size_t i = 0; i < p.n; i++) {
        char name[32];
        snprintf(name, sizeof name, "arg%zu", i);
        p.args[i] = te_find_tensor(vtac_kernel_context(parsed), name);
        assert_non_null(p.args[i]);
    }
    need(m, vtac_prove(vtac_kernel_context(parsed), p.n, p.args, m->call, NULL, m->diag, &p.result), file);
    if (p.result.verdict != VTAC_PROVEN) fail_msg("%s: %s\n%s", file, p.result.reason, text);
    vtac_kernel_destroy(parsed);
}

/* Everything that expressions can be made of comes back from the text with the same value. */
TEST_CASE(texts_mean_what_they_say) {
    static const char *const bodies[] = {
        "A[...] - -7 * A[...]",
        "int8(A[...] >> 3)",
        "min(max(A[...], -128), 127) << 2",
        "if_then_else(i > 3 && !(j == 2) || i + j >= 9, A[i, j], A[j % 4, i // 2])",
        "select(i != j, A[...] & 255, A[...] | ~A[...])",
        "int32(B[...]) * int8(-5) + int32(uint8(B[...]))",
        "int32(int64(A[...]) * 3000000000 >> 4)",
        "sum[k: 5](A[i, k] * A[k, j])",
        "max[k: 5](A[i, k] ^ A[k, j])",
        "min[k: 3, l: 2](A[k, l] + truncdiv(i, 2) - truncmod(j, 3))",
        "likely(i < 4) && A[i, j] < 5",
        "A[i, j] + 2147483647 + -2147483648",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        enum { N = 10 };
        char definition[256];
        te_context *c = te_context_create(NULL, NULL);
        te_tensor *a = te_placeholder(c, "A", "int32", 2, (int64_t[]){N, N});
        te_tensor *b = te_placeholder(c, "B", "int8", 2, (int64_t[]){N, N});
        snprintf(definition, sizeof definition, "C[i: 10, j: 10] = %s", bodies[i]);
        te_tensor *out = te_define(c, definition);
        if (!out) fail_msg("%s: %s", bodies[i], vta_diag_text(te_context_diag(c)));
        const char *text =
            vt_te_kernel_text(c, 3, (const vt_tensor *[]){vt_te_tensor(a), vt_te_tensor(b), vt_te_tensor(out)});
        assert_non_null(text);
        vta_diag *diag = vta_diag_create(NULL);
        vtac_kernel *k;
        if (vtac_kernel_parse(text, strlen(text), "text", NULL, te_context_config(c), NULL, diag, &k) != VTA_OK)
            fail_msg("%s: %s", text, vta_diag_text(diag));
        vta_field *f;
        assert_int_equal(vta_field_create(9, NULL, NULL, &f), VTA_OK);
        vta_value x[N * N], y[N * N], first[N * N], second[N * N];
        for (uint64_t e = 0; e < N * N; e++) x[e] = vta_field_variable(f, 0, e), y[e] = vta_field_variable(f, 1, e);
        const vta_value *const data[] = {x, y};
        assert_int_equal(te_evaluate_field(c, f, out, 2, (te_tensor *[]){a, b}, data, first), VTA_OK);
        te_context *d = vtac_kernel_context(k);
        te_tensor *inputs[] = {te_find_tensor(d, "arg0"), te_find_tensor(d, "arg1")};
        assert_int_equal(te_evaluate_field(d, f, te_find_tensor(d, "arg2"), 2, inputs, data, second), VTA_OK);
        if (memcmp(first, second, sizeof first) != 0) fail_msg("%s became %s", bodies[i], text);
        vta_field_destroy(f);
        vtac_kernel_destroy(k);
        vta_diag_destroy(diag);
        te_context_destroy(c);
    }
}

/* The bound as docs/prove.md states it. */
static double bound_of(const vtac_prove_result *r) {
    long double terms = (long double)r->terms + 2,
                dividing = floorl((log2l(r->magnitude_bound) + 1) / log2l(469762048));
    long double one = r->degree / 469762048.0L + dividing / 3348939;
    return (double)(log2l((terms * (terms - 1) / 2 + terms * 131072) * one * one) * r->draws);
}

static void prove_on(const char *file, const shape *s) {
    machine m;
    proof p = {0};
    const vtac_prove_options options = {.draws = s == &shapes[0] ? 2 : 1};
    machine_open(&m, file, s, true);
    list_args(m.kernel, &p);
    need(&m, vtac_prove(vtac_kernel_context(m.kernel), p.n, p.args, m.call, &options, m.diag, &p.result), file);
    if (p.result.verdict != VTAC_PROVEN)
        fail_msg("%s on %s: %s: %s", file, s->name, vtac_verdict_name(p.result.verdict), p.result.reason);
    if (s == &shapes[1]) prove_text(&m, file, &p);
    assert_int_equal(p.result.draws, options.draws);
    double expected = bound_of(&p.result);
    if (fabs(p.result.log2_error - expected) > 1e-6)
        fail_msg("%s: the bound is %g, not %g", file, p.result.log2_error, expected);
    assert_true(p.result.log2_error < -10 && p.result.elements > 0 && p.result.reason[0] == '\0');
    machine_close(&m);
}

/* Part of it runs on the host, which no field follows: no proof, and the reason. */
static void expect_unproven(const char *file) {
    machine m;
    proof p = {0};
    machine_open(&m, file, &shapes[0], true);
    list_args(m.kernel, &p);
    need(&m, vtac_prove(vtac_kernel_context(m.kernel), p.n, p.args, m.call, NULL, m.diag, &p.result), file);
    assert_int_equal(p.result.verdict, VTAC_UNPROVEN);
    assert_contains(p.result.reason, "the host");
    assert_int_equal(p.result.covered, strstr(file, "host_beside") ? p.result.elements / 2 : 0);
    machine_close(&m);
}

/* Of several outputs those are covered that do not depend on the host, and only if the accelerator computes them right:
 * against another meaning of theirs nothing is. */
TEST_CASE(outputs_beside_the_host) {
    static const struct {
        const char *changes, *reason;
        uint64_t covered;
    } rows[] = {
        {"max(A[...], 0)", "covers 50 % of the outputs (C); not covered: D, because the host", 1},
        {"max(A[...], 1)", "covers 0 % of the outputs (none); not covered: C, D, because the host", 0},
    };
    enum { ELEMENTS = 64 * 16 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        machine m;
        proof p = {0};
        char text[600];
        vtac_kernel *other;
        machine_open(&m, "tests/build/vta/host_beside.te", &shapes[0], true);
        snprintf(text, sizeof text,
                 "kernel k\ninput A: acc_t[1, 64, BATCH, BLOCK_OUT]\ninput B: inp_t[1, 64, BATCH, BLOCK_OUT]\n"
                 "output C[i: 1, j: 64, k: BATCH, l: BLOCK_OUT] = inp_t(%s)\n"
                 "output D[i: 1, j: 64, k: BATCH, l: BLOCK_OUT] = B[...] * inp_t(3)\n",
                 rows[i].changes);
        need(&m, vtac_kernel_parse(text, strlen(text), "k.te", NULL, m.config, NULL, m.diag, &other), text);
        list_args(other, &p);
        need(&m, vtac_prove(vtac_kernel_context(other), p.n, p.args, m.call, NULL, m.diag, &p.result), text);
        assert_int_equal(p.result.verdict, VTAC_UNPROVEN);
        assert_contains(p.result.reason, rows[i].reason);
        assert_int_equal(p.result.elements, 2 * ELEMENTS);
        assert_int_equal(p.result.covered, rows[i].covered * ELEMENTS);
        vtac_kernel_destroy(other);
        machine_close(&m);
    }
}

/* Expressions that no field follows, beside a function that runs: no proof, and the reason. */
TEST_CASE(no_field_follows) {
    static const char *const rows[][2] = {
        {"select(A[...] > 0, A[...], B[...])", "which of two expressions counts depends on the inputs"},
        {"A[i, j, k, A[0, 0, 0, 0]]", "A is read at a place that depends on the inputs"},
        {"acc_t(float32(A[...]) * 1.5)", "the computation uses floating point, which no field has"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        machine m;
        proof p = {0};
        vtac_kernel *other;
        char text[400];
        machine_open(&m, "examples/vector_add.te", &shapes[0], true);
        snprintf(text, sizeof text,
                 "kernel k\ninput A: acc_t[1, 64, BATCH, BLOCK_OUT]\ninput B: acc_t[1, 64, BATCH, BLOCK_OUT]\n"
                 "output C[i: 1, j: 64, k: BATCH, l: BLOCK_OUT] = inp_t(%s)\n",
                 rows[i][0]);
        need(&m, vtac_kernel_parse(text, strlen(text), "k.te", NULL, m.config, NULL, m.diag, &other), text);
        list_args(other, &p);
        need(&m, vtac_prove(vtac_kernel_context(other), p.n, p.args, m.call, NULL, m.diag, &p.result), text);
        assert_int_equal(p.result.verdict, VTAC_UNPROVEN);
        assert_contains(p.result.reason, rows[i][1]);
        assert_int_equal(vta_diag_count(te_context_diag(vtac_kernel_context(other))), 0);
        vtac_kernel_destroy(other);
        machine_close(&m);
    }
}

/* Of what differs the first element is told, in the order of the arguments. */
TEST_CASE(first_that_differs) {
    enum { J = 40, L = 5, LANES = 16 };
    machine m;
    proof p = {0};
    vtac_kernel *other;
    static const char text[] = "kernel k\ninput A: acc_t[1, 64, BATCH, BLOCK_OUT]\n"
                               "input B: acc_t[1, 64, BATCH, BLOCK_OUT]\n"
                               "output C[i: 1, j: 64, k: BATCH, l: BLOCK_OUT] = "
                               "inp_t(A[...] + B[...] + if_then_else(j >= 40 && l >= 5, 1, 0))\n";
    machine_open(&m, "examples/vector_add.te", &shapes[0], true);
    need(&m, vtac_kernel_parse(text, strlen(text), "k.te", NULL, m.config, NULL, m.diag, &other), text);
    list_args(other, &p);
    need(&m, vtac_prove(vtac_kernel_context(other), p.n, p.args, m.call, NULL, m.diag, &p.result), text);
    assert_int_equal(p.result.verdict, VTAC_WRONG);
    assert_int_equal(p.result.arg, 2);
    assert_int_equal(p.result.index, J * LANES + L);
    vtac_kernel_destroy(other);
    machine_close(&m);
}

static int prove_folder(const char *folder, int n_shapes) {
    DIR *dir = opendir(folder);
    int count = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        char file[300];
        if (n < 4 || strcmp(e->d_name + n - 3, ".te") != 0) continue;
        snprintf(file, sizeof file, "%s/%s", folder, e->d_name);
        for (int s = 0; s < n_shapes; s++)
            if (strstr(file, "temporaries") || strstr(file, "host_beside"))
                expect_unproven(file);
            else if (fits(file, &shapes[s])) {
                prove_on(file, &shapes[s]);
                count++;
            }
    }
    closedir(dir);
    return count;
}

TEST_CASE(sound_kernels_are_proven) {
    assert_true(prove_folder("examples", SHAPES) >= 19);
    assert_true(prove_folder("tests/kernel/cases", SHAPES) >= 90);
    assert_true(prove_folder("tests/build/vta", 1) >= 26);
}

/* ---- Streams that were wrong ------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *changes, *params;
    uint32_t addrs[ARGS_MAX];
} wrong[] = {
    /* A constant operand whose result is not in place: the accelerator takes the old contents of the place. */
    {"alu1", "", NULL, {0x1000, 0x2000}},
    {"bcast", "", NULL, {0x1000, 0x2000}},
    {"vt2", "", NULL, {0x1000, 0x2000, 0x3000}},
    /* Column padding taken for row padding. */
    {"c1", "LOG_BATCH=1", NULL, {0x1000, 0x2000, 0x3000}},
    /* A tile wholly in the padding that is not zeroed. */
    {"xpad", "", NULL, {0x1000, 0x2000, 0x3000}},
    /* int8 stored into int32. */
    {"nocast", "", NULL, {0x1000, 0x2000}},
    /* Two nested threads: places and tokens. */
    {"threads2", "", "in_channels=16 out_channels=32", {0x1000, 0x2000, 0x4000}},
};

TEST_CASE(wrong_streams_are_caught) {
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char path[128];
        machine m;
        proof p = {0};
        vta_program *program;
        machine_config(&m, &(shape){.name = wrong[i].name, .changes = wrong[i].changes});
        snprintf(path, sizeof path, "tests/build/wrong/%s.te", wrong[i].name);
        need(&m, vtac_kernel_load(path, wrong[i].params, m.config, NULL, m.diag, &m.kernel), path);
        snprintf(path, sizeof path, "tests/build/wrong/%s.vta", wrong[i].name);
        need(&m, vta_program_load(path, NULL, m.diag, &program), path);
        list_args(m.kernel, &p);
        need(&m,
             vtac_prove_program(vtac_kernel_context(m.kernel), p.n, p.args, wrong[i].addrs, program, NULL, m.diag,
                                &p.result),
             path);
        if (p.result.verdict != VTAC_WRONG)
            fail_msg("%s: %s: %s", path, vtac_verdict_name(p.result.verdict), p.result.reason);
        assert_true(p.result.has_example && p.result.writer.known && p.result.writer.has_alu);
        vta_program_destroy(program);
        machine_close(&m);
    }
}

/* ---- Damage
 * ---------------------------------------------------------------------------------------------------------- */

typedef struct damage {
    uint32_t insn_count;
    uint8_t *insns;
    uint32_t uop_addr; /* the segment that is changed; 0: none */
    size_t uop_byte;
    uint8_t uop_mask;
} damage;

/* A copy of a program of one run with the damage done. */
static vta_program *damaged(const vta_program *from, const damage *d) {
    vta_program_run_info run;
    vta_program_segment s;
    vta_program *to;
    assert_int_equal(vta_program_get_run(from, 0, &run), VTA_OK);
    assert_int_equal(vta_program_create(vta_program_config(from), NULL, NULL, &to), VTA_OK);
    assert_int_equal(vta_program_begin_run(to, run.insn_addr, d->insns, d->insn_count, NULL), VTA_OK);
    for (uint32_t i = 0; i < run.segment_count; i++) {
        assert_int_equal(vta_program_get_segment(from, 0, i, &s), VTA_OK);
        uint8_t *bytes = calloc(1, s.size);
        if (s.before_size) memcpy(bytes, s.before, s.before_size);
        if (s.addr == d->uop_addr) bytes[d->uop_byte] ^= d->uop_mask;
        assert_int_equal(vta_program_add_segment(to, s.addr, bytes, s.size, NULL), VTA_OK);
        free(bytes);
    }
    assert_int_equal(vta_program_end_run(to, NULL), VTA_OK);
    return to;
}

static void flip_insn_bit(check_random *r, damage *d) {
    d->insns[check_between(r, 0, (int64_t)d->insn_count * VTA_INSN_BYTES - 1)] ^=
        (uint8_t)(1 << check_between(r, 0, 7));
}

static void drop_insn(check_random *r, damage *d) {
    int64_t at = check_between(r, 0, d->insn_count - 2);
    memmove(d->insns + at * VTA_INSN_BYTES, d->insns + (at + 1) * VTA_INSN_BYTES,
            (size_t)(d->insn_count - 1 - at) * VTA_INSN_BYTES);
    d->insn_count--;
}

static void swap_insns(check_random *r, damage *d) {
    uint8_t *x = d->insns + check_between(r, 0, d->insn_count - 3) * VTA_INSN_BYTES, held[VTA_INSN_BYTES];
    memcpy(held, x, sizeof held);
    memcpy(x, x + VTA_INSN_BYTES, sizeof held);
    memcpy(x + VTA_INSN_BYTES, held, sizeof held);
}

/* A bit of a micro-op that the program loads. */
static void flip_uop_bit(const vta_program *from, check_random *r, damage *d) {
    vta_program_run_info run;
    vta_program_segment s;
    vta_insn insn;
    vta_program_get_run(from, 0, &run);
    for (uint32_t i = 0; i < run.insn_count; i++) {
        uint32_t at = (uint32_t)check_between(r, 0, run.insn_count - 1);
        assert_int_equal(vta_insn_decode(vta_program_config(from), run.insns + at * VTA_INSN_BYTES, NULL, &insn),
                         VTA_OK);
        if (insn.opcode != VTA_OP_LOAD || insn.u.mem.memory_type != VTA_MEM_UOP || !insn.u.mem.x_size) continue;
        uint32_t addr = insn.u.mem.dram_base * VTA_UOP_BYTES;
        for (uint32_t k = 0; k < run.segment_count; k++) {
            vta_program_get_segment(from, 0, k, &s);
            if (addr < s.addr || addr >= s.addr + s.size) continue;
            d->uop_addr = s.addr;
            d->uop_byte = addr - s.addr + (size_t)check_between(r, 0, insn.u.mem.x_size * VTA_UOP_BYTES - 1);
            d->uop_mask = (uint8_t)(1 << check_between(r, 0, 7));
            return;
        }
    }
    flip_insn_bit(r, d);
}

/* Inputs that tell it from the right program, in any of five orders? */
static bool example_exists(const vt_proof *of) {
    static const struct {
        vta_order order;
        uint64_t seed;
    } orders[] = {{VTA_ORDER_PROGRAM, 0},
                  {VTA_ORDER_STORE_LATE, 0},
                  {VTA_ORDER_RANDOM, 11},
                  {VTA_ORDER_RANDOM, 12},
                  {VTA_ORDER_RANDOM, 13}};
    vtac_prove_result result = {.size = sizeof result};
    vt_proof p = *of;
    p.result = &result;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        result.order = orders[i].order;
        result.order_seed = orders[i].seed;
        if (vt_prove_example(&p) != VTA_OK || result.has_example) return true; /* or it does not run */
    }
    return false;
}

static void damage_file(const char *file, int rounds, check_random *r, int counts[3]) {
    machine m;
    proof p = {0};
    uint32_t addrs[ARGS_MAX];
    vt_recording recorded;
    vta_program_run_info run;
    machine_open(&m, file, &shapes[0], true);
    list_args(m.kernel, &p);
    vt_proof q = {.c = vtac_kernel_context(m.kernel), .diag = m.diag, .n = p.n, .args = p.args, .addrs = addrs};
    need(&m, vt_prove_record(&q, m.call, addrs, m.diag, &recorded), file);
    assert_int_equal(vta_program_run_count(recorded.program), 1);
    vta_program_get_run(recorded.program, 0, &run);
    for (int i = 0; i < rounds; i++) {
        damage d = {.insn_count = run.insn_count, .insns = malloc((size_t)run.insn_count * VTA_INSN_BYTES)};
        memcpy(d.insns, run.insns, (size_t)run.insn_count * VTA_INSN_BYTES);
        switch (check_between(r, 0, 5)) {
        case 0: drop_insn(r, &d); break;
        case 1: swap_insns(r, &d); break;
        case 2: flip_uop_bit(recorded.program, r, &d); break;
        default: flip_insn_bit(r, &d);
        }
        vta_program *program = damaged(recorded.program, &d);
        const vtac_prove_options options = {.seed = (uint64_t)i, .most_work = 1 << 20, .tries = 4};
        vta_diag_clear(m.diag);
        need(&m, vtac_prove_program(q.c, p.n, p.args, addrs, program, &options, m.diag, &p.result), file);
        counts[p.result.verdict]++;
        q.program = program;
        q.options = (vtac_prove_options){.seed = 1000 + (uint64_t)i, .most_work = 1 << 20, .tries = 8};
        if (p.result.verdict == VTAC_PROVEN && example_exists(&q))
            fail_msg("%s, damage %d: called proven, but an input shows it to be wrong", file, i);
        vta_program_destroy(program);
        free(d.insns);
    }
    vta_program_destroy(recorded.program);
    machine_close(&m);
}

TEST_CASE(damage_is_never_proven) {
    static const char *const files[] = {"tests/kernel/cases/alu_max_imm.te",
                                        "tests/kernel/cases/relu.te",
                                        "tests/kernel/cases/shift_scale.te",
                                        "tests/kernel/cases/gemm_smt.te",
                                        "tests/kernel/cases/save_load.te",
                                        "tests/kernel/cases/pad_all.te",
                                        "examples/matmul.te",
                                        "examples/vector_add.te"};
    enum { ROUNDS = 40 };
    check_random r = {4711};
    int counts[3] = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) damage_file(files[i], ROUNDS, &r, counts);
    print_message("damaged programs: %d proven (and right), %d wrong, %d unproven\n", counts[VTAC_PROVEN],
                  counts[VTAC_WRONG], counts[VTAC_UNPROVEN]);
    assert_true(counts[VTAC_WRONG] > 100);
    assert_true(counts[VTAC_UNPROVEN] < 10);
}

/* A call that fails: there is no program to destroy, whatever the memory held. */
TEST_CASE(failed_calls_record_nothing) {
    machine m;
    proof p;
    uint32_t addrs[ARGS_MAX];
    vt_recording recorded;
    memset(&recorded, 0xa5, sizeof recorded);
    machine_open(&m, "examples/vector_add.te", &shapes[0], true);
    list_args(m.kernel, &p);
    const vt_proof few = {
        .c = vtac_kernel_context(m.kernel), .diag = m.diag, .n = p.n - 1, .args = p.args, .addrs = addrs};
    assert_int_not_equal(vt_prove_record(&few, m.call, addrs, m.diag, &recorded), VTA_OK);
    assert_true(recorded.failed);
    assert_null(recorded.program);
    assert_int_equal(recorded.touched_count, 0);
    machine_close(&m);
}

int main(void) { return run_cases(); }
