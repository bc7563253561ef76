/* Do proofs hold? Random programs are compiled and recorded, faults are put into what was recorded, and each mutant is
 * proven or not. What is called proven is judged by an oracle that shares nothing with the proof: orders that the
 * tokens allow (legal_order.c), the most unlikely ones among them, on the functional simulator, with concrete inputs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/prove.h"
#include "random/generate.h"
#include "random/legal_order.h"
#include "random/mutant.h"
#include "random/text.h"
#include "vta/kernel.h"

enum { EACH = 2, ORDERS = 20, INSNS_MAX = 2000 };

typedef struct session {
    uint64_t programs, others, counts[MUTATION_COUNT][3], shown[MUTATION_COUNT], bad;
    choices c;
    program p;
    vta_diag *diag;
    vta_config *config;
    vtac_kernel *kernel;
    vtac_module *module;
    vt_proof proof;
    uint32_t addrs[MAX_NODES];
    const te_tensor *args[MAX_NODES];
    vt_recording recorded;
} session;

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

/* Is the program, run as it stands, another thing than the kernel for some inputs, or an error? */
static bool shows(const session *s, const vta_program *stream, uint64_t seed) {
    vtac_prove_result result = {.size = sizeof result};
    vt_proof p = s->proof;
    p.program = stream;
    p.result = &result;
    p.options = (vtac_prove_options){.seed = seed, .most_work = 1 << 22, .tries = 2};
    return vt_prove_example(&p) != VTA_OK || result.has_example;
}

static uint32_t decode(const session *s, const mutant *m, vta_insn *out) {
    for (uint32_t i = 0; i < m->n; i++) {
        if (vta_insn_decode(s->config, m->insns + (size_t)i * VTA_INSN_BYTES, NULL, &out[i]) != VTA_OK) return 0;
        if (out[i].opcode == VTA_OP_FINISH) return i + 1;
    }
    return 0;
}

/* The order in which the mutant is wrong; -1: none was found. */
static int wrong_order(const session *s, const mutant *m, uint64_t seed) {
    static vta_insn insns[INSNS_MAX];
    static uint32_t order[INSNS_MAX];
    uint32_t n = decode(s, m, insns), done;
    if (!n) return 0;
    for (int how = 0; how < ORDERS; how++) {
        uint32_t target = m->at < n ? m->at : n - 1;
        if (how >= ORDER_RANDOM && how % 3 == 0 && target + 1 < n) target++;
        int kind = how < ORDER_RANDOM || how % 3 ? how : how % 2 ? ORDER_HURRY : ORDER_DELAY;
        if (!legal_order(insns, n, kind, target, seed + (uint64_t)how, order)) return how;
        for (done = 0; insns[order[done]].opcode != VTA_OP_FINISH;) done++; /* then the device says that it is done */
        vta_program *stream = mutant_program(s->recorded.program, m, order, done + 1);
        bool wrong = shows(s, stream, seed + (uint64_t)how);
        vta_program_destroy(stream);
        if (wrong) return how;
    }
    return -1;
}

/* ---- One program ------------------------------------------------------------------------------------------------- */

static bool build(session *s) {
    const vtac_func *f;
    vta_packed_function function;
    char *text = program_text(&s->p);
    vta_config *base = vta_config_default();
    s->diag = vta_diag_create(NULL);
    vta_status status = vta_config_with(base, s->p.config, s->diag, &s->config);
    vta_config_release(base);
    if (status == VTA_OK)
        status = vtac_kernel_parse(text, strlen(text), "random", NULL, s->config, NULL, s->diag, &s->kernel);
    free(text);
    if (status != VTA_OK) return false;
    if (vtac_kernel_lower(s->kernel, &(vtac_lower_options){.config = s->config}, &f) != VTA_OK) return false;
    if (vtac_build(1, &(vtac_build_func){.func = f}, NULL, s->diag, &s->module) != VTA_OK ||
        vtac_module_function(s->module, vtac_func_name(f), s->diag, &function) != VTA_OK)
        return false;
    size_t n = vtac_kernel_arg_count(s->kernel);
    for (size_t i = 0; i < n; i++) s->args[i] = vtac_kernel_arg(s->kernel, i);
    s->proof =
        (vt_proof){.c = vtac_kernel_context(s->kernel), .diag = s->diag, .n = n, .args = s->args, .addrs = s->addrs};
    return vt_prove_record(&s->proof, function, s->addrs, s->diag, &s->recorded) == VTA_OK && s->recorded.program;
}

static vtac_verdict prove(session *s, const vta_program *stream, uint64_t seed, vtac_prove_result *r) {
    const vtac_prove_options options = {.seed = seed, .draws = 1, .tries = 1, .most_work = 1 << 22};
    vta_diag_clear(s->diag);
    if (vtac_prove_program(s->proof.c, s->proof.n, s->args, s->addrs, stream, &options, s->diag, r) != VTA_OK) {
        fprintf(stderr, "a proof failed: %s\n", vta_diag_text(s->diag));
        s->bad++;
    }
    return r->verdict;
}

static void try_mutant(session *s, uint64_t seed, mutation kind, uint64_t number) {
    vtac_prove_result r = {.size = sizeof r};
    mutant m = mutant_make(s->recorded.program, kind, seed * EACH + number);
    vta_program *stream = mutant_program(s->recorded.program, &m, NULL, m.n);
    vtac_verdict verdict = prove(s, stream, seed, &r);
    s->counts[kind][verdict]++;
    if (verdict == VTAC_WRONG && r.has_example) s->shown[kind]++;
    int how = verdict == VTAC_PROVEN ? wrong_order(s, &m, seed) : -1;
    if (how >= 0) {
        printf("seed %llu: proven, though order %d shows it to be wrong: %s at instruction %u (mutant %llu)\n",
               (unsigned long long)seed, how, mutation_names[kind], m.at, (unsigned long long)number);
        s->bad++;
    }
    vta_program_destroy(stream);
    free(m.insns);
}

static void one(session *s, uint64_t seed) {
    vta_program_run_info run;
    vtac_prove_result r = {.size = sizeof r};
    choices_from_seed(&s->c, seed);
    generate(&s->c, &s->p);
    s->kernel = NULL, s->module = NULL, s->config = NULL, s->diag = NULL;
    s->recorded = (vt_recording){0};
    if (!s->p.too_large && build(s) && vta_program_run_count(s->recorded.program) == 1 &&
        vta_program_get_run(s->recorded.program, 0, &run) == VTA_OK && run.insn_count < INSNS_MAX &&
        prove(s, s->recorded.program, seed, &r) == VTAC_PROVEN) {
        s->programs++;
        for (int kind = 0; kind < MUTATION_COUNT; kind++)
            for (uint64_t i = 0; i < EACH; i++) try_mutant(s, seed, (mutation)kind, i);
    } else {
        s->others++;
    }
    vta_program_destroy(s->recorded.program);
    vtac_module_destroy(s->module);
    vtac_kernel_destroy(s->kernel);
    vta_config_release(s->config);
    vta_diag_destroy(s->diag);
}

/* Faults that are never wrong, or programs that are never proven, would make the test say nothing. */
static int report(const session *s) {
    bool bites = s->programs > s->others;
    printf("%llu programs (%llu others)\n", (unsigned long long)s->programs, (unsigned long long)s->others);
    for (int kind = 0; kind < MUTATION_COUNT; kind++) {
        const uint64_t *c = s->counts[kind];
        printf("  %-8s %5llu wrong (%llu with an input), %llu unproven, %llu proven and right\n", mutation_names[kind],
               (unsigned long long)c[VTAC_WRONG], (unsigned long long)s->shown[kind],
               (unsigned long long)c[VTAC_UNPROVEN], (unsigned long long)c[VTAC_PROVEN]);
        bites = bites && c[VTAC_WRONG] > s->programs / 4;
    }
    if (!bites) printf("too few mutants are wrong, or too few programs proven\n");
    return s->bad || !bites;
}

int main(int argc, char **argv) {
    static session s;
    if (argc != 3) {
        fputs("usage: random_mutants FIRST-SEED COUNT\n", stderr);
        return 2;
    }
    uint64_t first = strtoull(argv[1], NULL, 10), n = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = first; seed < first + n; seed++) one(&s, seed);
    return report(&s);
}
