/* Functions of one integer, compiled: to the bit what the evaluator of quantized networks gives, on random networks and
 * several configurations; and none of them becomes a step on floats. */
#include "quant/random_function.h"

#include "network/compiled.h"

static const char *const configs[] = {"", "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15", "LOG_BATCH=2 LOG_BLOCK=3",
                                      "LOG_BLOCK=5", "LOG_BATCH=1"};
static const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
static const vt_quant_options usual = {.method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127};
static uint32_t seed, tables, refused;

/* Are there integers for what the sample gives? */
static bool is_accepted(world *w, const float *x) {
    vt_exit here;
    bool accepted = setjmp(*vt_exit_open(&w->ctx, &here)) == 0;
    if (accepted) {
        calibrate(w, x);
        vt_quantize(w->g, ranges, &usual);
    }
    vt_exit_close(&w->ctx, &here);
    return accepted;
}

static void one(world *w) {
    state = seed * 977u;
    random_functions(w);
    float *x = random_input(w);
    if (!is_accepted(w, x)) {
        refused++;
        return;
    }
    vt_network_options how = {.schedule = &quick, .processor_only = seed % 5 == 4};
    const char *report = compare(w, x, configs[seed % 5], &how, usual);
    for (const char *p = report; (p = strstr(p, "(table): host")); p++) tables++;
    for (const char *p = report; (p = strstr(p, "it is on floats")); p++)
        if (strncmp(p - strlen("(Add): host, "), "(Add)", 5) != 0) fail_msg("network %u:\n%s", seed, report);
}

static void random_networks(void **unused) {
    (void)unused;
    for (seed = 1; seed <= 30; seed++) in_a_world(one);
    print_message("%u tables, %u networks refused\n", tables, refused);
    assert_true(tables > 30 && refused < 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_networks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
