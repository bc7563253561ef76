/* Functions of one integer become tables: each entry is the function of the number that its integer stands for, rounded
 * once, as a second reading of the operators in doubles has it; none of their nodes is left on floats. */
#include "quant/random_function.h"

#include "frontend/eval/eval.h"
#include "frontend/quant/eval.h"

static vt_ranges *ranges;
static bool odd; /* a value that no sample may have: the network is refused */

static void observe(void *user, const vt_gnode *n, const void *const *out) {
    (void)user;
    size_t count = (size_t)vt_gtype_count(&n->outputs[0]->type);
    for (size_t i = 0; i < count; i++) odd |= !isfinite(((const float *)out[0])[i]);
    vt_ranges_observe(ranges, n->outputs[0], out[0], count);
}

static void calibrate(world *w) {
    vt_eval *e;
    vt_eval_options options = {.after = observe};
    float *x = random_input(w);
    odd = false;
    ranges = vt_ranges_new(&w->ctx, w->g);
    vt_ranges_observe(ranges, w->g->inputs.item[0], x, (size_t)vt_gtype_count(&w->g->inputs.item[0]->type));
    assert_int_equal(vt_eval_open(w->g, &options, NULL, w->diag, &e), VTA_OK);
    vt_eval_input(e, 0, x);
    assert_int_equal(vt_eval_run(e, w->diag), VTA_OK);
    vt_eval_close(e);
}

static const vt_quant_options usual = {.method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127};
static uint32_t seed, tables, of_channels, of_floats, refused, sums;

static double rounded(double y) { return y - floor(y) == 0.5 ? 2 * floor((y + 0.5) / 2) : floor(y + 0.5); }

/* Entry (channel, x) as it should be. */
static double entry_of(const vt_qlayer *l, int64_t channel, int32_t x) {
    const vt_qtensor *in = l->inputs[0], *out = l->output;
    double y = function_said(out->value, in->value, x * in->scale, channel);
    if (out->scale == 0) return (double)(float)y;
    if (isnan(y)) return 0;
    y /= out->scale;
    return y <= -128 ? -128 : y >= 127 ? 127 : rounded(y);
}

static void check_table(const vt_qlayer *l) {
    for (int64_t channel = 0; channel < l->table_rows; channel++)
        for (int32_t x = -128; x < 128; x++) {
            int64_t at = channel * 256 + x + 128;
            double want = entry_of(l, channel, x);
            double got = l->output->scale > 0 ? ((const int8_t *)l->table)[at] : (double)((const float *)l->table)[at];
            if (got != want && !(isnan(got) && isnan(want)))
                fail_msg("network %u, %s of %s, channel %lld, integer %d: %g, expected %g", seed, l->output->name,
                         l->inputs[0]->name, (long long)channel, (int)x, got, want);
        }
    tables++;
    of_channels += l->table_rows > 1;
    of_floats += l->output->scale == 0;
}

static void check_network(world *w) {
    const vt_qnet *net = vt_quantize(w->g, ranges, &usual);
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const vt_qlayer *l = net->layers[i];
        if (l->kind == VT_Q_TABLE) check_table(l);
        sums += l->kind == VT_Q_MAP;
        bool ends = l->kind == VT_Q_FLOAT && l->node->op == VT_G_ADD; /* a sum that only the caller reads */
        if (l->kind == VT_Q_FLOAT && !ends) fail_msg("%s is on floats:\n%s", l->name, vt_qnet_text(net));
    }
}

/* Refused: the words say which value. */
static void one(world *w) {
    vt_exit here;
    state = seed * 977u;
    random_functions(w);
    calibrate(w);
    if (setjmp(*vt_exit_open(&w->ctx, &here)) != 0) {
        const char *said = vta_diag_text(w->diag);
        if (!strstr(said, "it has no integer") && !strstr(said, "integers stand for ranges") &&
            !strstr(said, "has no range"))
            fail_msg("network %u: %s", seed, said);
        if (!odd && !strstr(said, "ranges"))
            fail_msg("network %u is refused, and all its values are finite: %s", seed, said);
        refused++;
    } else {
        check_network(w);
    }
    vt_exit_close(&w->ctx, &here);
}

static void random_functions_are_tables(void **unused) {
    (void)unused;
    for (seed = 1; seed <= 400; seed++) in_a_world(one);
    print_message("%u tables (%u of them for each channel, %u of floats), %u sums, %u networks refused\n", tables,
                  of_channels, of_floats, sums, refused);
    assert_true(tables > 400 && of_channels > 40 && of_floats > 40 && refused < 160);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_functions_are_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
