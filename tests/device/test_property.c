/* Random legal programs on random configurations: every engine and processor path gives, in every order that the tokens
 * allow, what the naive machine gives; the checker agrees with the transitive closure of the tokens on races, on chip
 * and through DRAM, on elements that nothing wrote and on stores that nothing waits for. */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "device/random_program.h"

enum { PROGRAMS = 250, LENGTH = 60 };

static const vta_device_options paths[] = {
    {.engine = VTA_ENGINE_REFERENCE},
    {.engine = VTA_ENGINE_FAST, .cpu = "portable"},
    {.engine = VTA_ENGINE_FAST, .cpu = "avx2"},
    {.engine = VTA_ENGINE_FAST, .cpu = "avx512"},
};
enum { PATHS = sizeof paths / sizeof paths[0] };

static random_program program;

static vta_device *make_device(const random_program *p, const vta_device_options *options) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    vta_status status = vta_device_create("sim", p->config, options, NULL, diag, &device);
    if (status == VTA_UNSUPPORTED || status == VTA_NOT_FOUND)
        print_message("%s", vta_diag_text(diag)); /* this processor lacks the path */
    else
        assert_int_equal(status, VTA_OK);
    vta_diag_destroy(diag);
    if (status == VTA_OK) assert_int_equal(vta_device_alloc_at(device, RP_BASE, RP_BYTES, NULL), VTA_OK);
    return device;
}

/* Puts the program's memory and its instructions, as they are now, into the device, and runs. */
static vta_status run(vta_device *device, const random_program *p, vta_diag *diag) {
    assert_int_equal(vta_device_write(device, RP_BASE, p->before, RP_BYTES, diag), VTA_OK);
    for (int i = 0; i < p->count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        if (vta_insn_encode(p->config, &p->insns[i], diag, bytes) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
        assert_int_equal(vta_device_write(device, RP_BASE + (uint32_t)i * VTA_INSN_BYTES, bytes, sizeof bytes, diag),
                         VTA_OK);
    }
    return vta_device_run(device, RP_BASE, (uint32_t)p->count, 0, diag);
}

/* On-chip acc, which no store need have shown. */
static void compare_acc(vta_device *device, const random_program *p, const char *what, uint64_t seed) {
    uint32_t depth = vta_config_depth(p->config, VTA_MEM_ACC), n = naive_scalars(p->config, VTA_MEM_ACC);
    size_t bytes = (size_t)depth * n * sizeof(int32_t);
    int32_t *acc = malloc(bytes);
    assert_int_equal(vta_device_peek(device, VTA_MEM_ACC, 0, depth, acc, bytes, NULL), VTA_OK);
    for (size_t i = 0; i < (size_t)depth * n; i++)
        if (acc[i] != p->naive.scalars[VTA_MEM_ACC][i])
            fail_msg("seed %llu, %s: acc element %zu scalar %zu is %d, not %lld", (unsigned long long)seed, what, i / n,
                     i % n, acc[i], (long long)p->naive.scalars[VTA_MEM_ACC][i]);
    free(acc);
}

static void compare_memory(vta_device *device, const random_program *p, const char *what, uint64_t seed) {
    const uint8_t *got = vta_device_host_ptr(device, RP_BASE, RP_BYTES);
    for (size_t i = RP_OUT - RP_BASE; i < RP_BYTES; i++)
        if (got[i] != p->after[i])
            fail_msg("seed %llu, %s: DRAM 0x%zx is %02x, not %02x", (unsigned long long)seed, what, RP_BASE + i, got[i],
                     p->after[i]);
}

static void run_in_all_orders(const random_program *p, const vta_device_options *path, uint64_t seed) {
    const char *what = path->engine == VTA_ENGINE_REFERENCE ? "reference" : path->cpu;
    vta_diag *diag = vta_diag_create(NULL);
    for (int order = 0; order < 5; order++) {
        vta_device_options options = *path;
        options.order = order == 0 ? VTA_ORDER_PROGRAM : order == 1 ? VTA_ORDER_STORE_LATE : VTA_ORDER_RANDOM;
        options.seed = seed + (uint64_t)order;
        options.check = order < 3;
        vta_device *device = make_device(p, &options); /* a new one: on-chip memory starts as zero */
        if (!device) break;
        if (run(device, p, diag) != VTA_OK)
            fail_msg("seed %llu, %s: %s", (unsigned long long)seed, what, vta_diag_text(diag));
        compare_memory(device, p, what, seed);
        compare_acc(device, p, what, seed);
        vta_device_destroy(device);
    }
    vta_diag_destroy(diag);
}

TEST_CASE(every_path_and_order_gives_the_naive_result) {
    int made = 0;
    for (uint64_t seed = 1; made < PROGRAMS; seed++) {
        if (!rp_make(&program, seed, LENGTH, true)) continue;
        made++;
        assert_int_equal(rp_expected(&program), VTA_OK);
        for (int i = 0; i < PATHS; i++) run_in_all_orders(&program, &paths[i], seed);
        rp_clear(&program);
    }
}

static void compare_kind(const char *json, const char *kind, int expected, uint64_t seed) {
    char key[40];
    snprintf(key, sizeof key, "\"kind\": \"%s\"", kind);
    if ((strstr(json, key) != NULL) != (expected > 0))
        fail_msg("seed %llu: %s: the closure counts %d, the checker says %s", (unsigned long long)seed, kind, expected,
                 json);
}

/* Warnings about neighbouring micro-ops, with the number of instructions. */
static void compare_warning(const char *json, const char *kind, int expected, uint64_t seed) {
    char key[64];
    snprintf(key, sizeof key, "\"kind\": \"%s\", \"count\": %d,", kind, expected);
    if (expected && !strstr(json, key)) fail_msg("seed %llu: no %s in %s", (unsigned long long)seed, key, json);
    if (!expected) compare_kind(json, kind, 0, seed);
}

/* Every kind of error is there when the closure has one. Where a reader and the writer that it needs race, one order
 * shows the race alone and another one an element that is not written yet, too. */
static void compare_kinds(vta_device *device, const random_program *p, const rp_errors *e, uint64_t seed) {
    char *json = vta_device_findings_to_json(device);
    assert_non_null(json);
    compare_warning(json, "same-acc", p->same_acc, seed);
    compare_warning(json, "alu-forward", p->forwards, seed);
    compare_warning(json, "imm-source", p->other_source, seed);
    if (strstr(json, "\"more\": 0")) { /* all are shown */
        compare_kind(json, "race", e->race, seed);
        compare_kind(json, "dram-race", e->dram, seed);
        compare_kind(json, "fetch-race", e->fetch, seed);
        compare_kind(json, "unfinished", e->unfinished, seed);
        if (!e->race) compare_kind(json, "unwritten", e->unwritten, seed);
    }
    vta_string_free(json);
}

/* Status of a checked run of the program as it stands. */
static vta_status checked(const random_program *p, uint64_t seed, bool random_order) {
    vta_device *device =
        make_device(p, &(vta_device_options){
                           .check = true, .seed = seed, .order = random_order ? VTA_ORDER_RANDOM : VTA_ORDER_PROGRAM});
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = run(device, p, diag);
    if (status != VTA_OK) assert_int_equal(vta_diag_status(diag), status);
    rp_errors e = rp_find_errors(p);
    if (!e.deadlock) compare_kinds(device, p, &e, seed);
    vta_diag_destroy(diag);
    vta_device_destroy(device);
    return status;
}

TEST_CASE(checker_agrees_with_the_closure_on_any_tokens) {
    int seen[16] = {0};
    rp_errors kinds = {0};
    for (uint64_t seed = 1000; seed < 1900; seed++) {
        if (!rp_make(&program, seed, LENGTH / 6 + (int)(seed % 50), false)) continue;
        vta_status expected = rp_expected(&program), got = checked(&program, seed, seed % 2);
        rp_errors e = rp_find_errors(&program);
        kinds.race += e.race > 0, kinds.dram += e.dram > 0, kinds.fetch += e.fetch > 0;
        kinds.unfinished += e.unfinished > 0, kinds.unwritten += e.unwritten > 0;
        if (got != expected)
            fail_msg("seed %llu: checker says %s, closure %s", (unsigned long long)seed, vta_status_text(got),
                     vta_status_text(expected));
        seen[expected]++;
        rp_clear(&program);
    }
    print_message(
        "%d sound, %d with races, %d that read what nobody wrote; races on chip in %d, through DRAM in %d, with "
        "fetch in %d; stores unfinished in %d\n",
        seen[VTA_OK], seen[VTA_RACE], seen[VTA_ILLEGAL], kinds.race, kinds.dram, kinds.fetch, kinds.unfinished);
    assert_true(seen[VTA_OK] > 10 && seen[VTA_RACE] > 10 && seen[VTA_ILLEGAL] > 10);
    assert_true(kinds.race > 10 && kinds.dram > 10 && kinds.fetch > 10 && kinds.unfinished > 10);
}

static uint8_t *flag(vta_insn *insn, int which) {
    uint8_t *flags[] = {&insn->push_prev_dep, &insn->push_next_dep, &insn->pop_prev_dep, &insn->pop_next_dep};
    return flags[which];
}

/* The pop that takes the token pushed by flag `which` of instruction `i`: the careful generator pairs them in order. */
static uint8_t *taker(random_program *p, int i, int which) {
    int from = naive_stage(&p->insns[i]), to = which == 0 ? from - 1 : from + 1, number = 0;
    for (int k = 0; k < i; k++) number += naive_stage(&p->insns[k]) == from && *flag(&p->insns[k], which);
    for (int j = 0; j < p->count; j++)
        if (naive_stage(&p->insns[j]) == to && *flag(&p->insns[j], which == 0 ? 3 : 2) && number-- == 0)
            return flag(&p->insns[j], which == 0 ? 3 : 2);
    fail_msg("a push without a pop");
    return NULL;
}

TEST_CASE(removed_tokens_are_caught) {
    int deadlocks = 0, races = 0, harmless = 0;
    for (uint64_t seed = 2000; seed < 2040; seed++) {
        if (!rp_make(&program, seed, LENGTH, true)) continue;
        for (int i = 0; i < program.count; i++)
            for (int which = 0; which < 2; which++) {
                uint8_t *push = flag(&program.insns[i], which);
                if (!*push) continue;
                uint8_t *pop = taker(&program, i, which);
                *push = 0; /* without the push, the last pop waits forever */
                assert_int_equal(checked(&program, seed, false), VTA_DEADLOCK);
                deadlocks++;
                *pop = 0; /* without both, two stages run into each other, unless another path orders them */
                vta_status expected = rp_expected(&program);
                assert_int_equal(checked(&program, seed, i % 2), expected);
                expected == VTA_RACE ? races++ : harmless++;
                *push = *pop = 1;
            }
        rp_clear(&program);
    }
    assert_true(deadlocks > 100 && races > 100);
    assert_true(harmless < races / 2);
}

/* Even a program whose result depends on the order gives one result for one order. */
TEST_CASE(engines_agree_on_races_too) {
    for (uint64_t seed = 3000; seed < 3060; seed++) {
        if (!rp_make(&program, seed, LENGTH, false)) continue;
        uint8_t *first = NULL;
        for (int i = 0; i < PATHS; i++) {
            vta_device_options options = paths[i];
            options.order = VTA_ORDER_RANDOM;
            options.seed = seed;
            vta_device *device = make_device(&program, &options);
            if (!device) continue;
            assert_int_equal(run(device, &program, NULL), VTA_OK);
            const uint8_t *got = vta_device_host_ptr(device, RP_BASE, RP_BYTES);
            if (!first) memcpy(first = malloc(RP_BYTES), got, RP_BYTES);
            assert_memory_equal(got, first, RP_BYTES);
            vta_device_destroy(device);
        }
        free(first);
        rp_clear(&program);
    }
}

int main(void) { return run_cases(); }
