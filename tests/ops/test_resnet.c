/* ResNet-18's convolutions but the first, as the accelerator's profile `chisel` times them: the schedules chosen stay
 * below 6.60 million cycles, weighted as the network runs them, near their bounds, and are the same each time. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#include "vta/ops.h"

typedef struct layer {
    int size, in, out, kernel, stride, pad, weight;
} layer;

static const layer layers[] = {
    {56, 64, 64, 3, 1, 1, 4},   {56, 64, 128, 3, 2, 1, 1},  {56, 64, 128, 1, 2, 0, 1},  {28, 128, 128, 3, 1, 1, 3},
    {28, 128, 256, 3, 2, 1, 1}, {28, 128, 256, 1, 2, 0, 1}, {14, 256, 256, 3, 1, 1, 3}, {14, 256, 512, 3, 2, 1, 1},
    {14, 256, 512, 1, 2, 0, 1}, {7, 512, 512, 3, 1, 1, 3},
};

static vtac_op *schedule(const layer *l, const vta_timing_profile *profile, vtac_op_result *out) {
    char text[256];
    vtac_op *op;
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config = vta_config_default();
    vtac_op_options options = {.profile = profile, .without_database = true};
    snprintf(text, sizeof text,
             "height=%d width=%d in_channels=%d out_channels=%d kernel=%d stride=%d pad=%d epilogue=shift,relu,clip",
             l->size, l->size, l->in, l->out, l->kernel, l->stride, l->pad);
    if (vtac_op_create("conv2d", text, config, NULL, diag, &op) != VTA_OK ||
        vtac_op_schedule(op, &options, diag, out) != VTA_OK || out->refused)
        fail_msg("%s: %s", text, vta_diag_text(diag));
    vta_config_release(config);
    vta_diag_destroy(diag);
    return op;
}

TEST_CASE(test_cycles) {
    uint64_t sum = 0;
    vta_timing_profile profile;
    assert_int_equal(vta_timing_profile_get("chisel", NULL, &profile), VTA_OK);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        vtac_op_result r = {0};
        vtac_op_destroy(schedule(&layers[i], &profile, &r));
        assert_true(r.cycles >= r.bound);
        if (r.cycles * 1000 > r.bound * (layers[i].kernel == 1 ? 1040 : 1025))
            fail_msg("C%d: %llu cycles, bound %llu", (int)i + 2, (unsigned long long)r.cycles,
                     (unsigned long long)r.bound);
        sum += r.cycles * (uint64_t)layers[i].weight;
    }
    if (sum > 6600000) fail_msg("%llu cycles", (unsigned long long)sum);
}

TEST_CASE(test_deterministic) {
    vta_timing_profile profile;
    assert_int_equal(vta_timing_profile_get("chisel", NULL, &profile), VTA_OK);
    vtac_op_result r[2] = {{0}, {0}};
    vtac_op *op[2] = {schedule(&layers[7], &profile, &r[0]), schedule(&layers[7], &profile, &r[1])};
    assert_string_equal(vtac_op_text(op[0]), vtac_op_text(op[1]));
    assert_string_equal(vtac_op_report(op[0]), vtac_op_report(op[1]));
    assert_int_equal(r[0].cycles, r[1].cycles);
    vtac_op_destroy(op[0]);
    vtac_op_destroy(op[1]);
}

int main(void) { return run_cases(); }
