/* The cycle-level simulator beside the functional one, on the convolutions of ResNet-18: what the time costs on top of
 * the values, in the same run on one core. Prints a table and writes build/bench/tsim.json.
 * The network's total uses each layer as often as ResNet-18 does. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "conv_run.h"
#include "vta/timing.h"

typedef struct result {
    double seconds;
    uint64_t cycles, bursts;
    uint32_t insns;
    double utilization;
} result;

static void look(vta_device *device, const conv_job *job, void *arg) {
    result *out = arg;
    vta_timing timing;
    vta_timing_profile profile;
    out->insns = job->insn_count;
    if (vta_device_timing(device, NULL, &timing, &profile) != VTA_OK) return; /* one that knows no time */
    out->cycles = timing.cycles;
    out->bursts = timing.read_bursts;
    out->utilization = vta_timing_summarize(vta_device_config(device), &profile, &timing).gemm_utilization;
}

static int measure(const vta_config *config, const char *driver, const conv_shape *shape, result *out) {
    out->seconds = conv_seconds(driver, config, NULL, shape, look, out);
    return out->seconds >= 0;
}

int main(int argc, char **argv) {
    static const int weight[10] = {4, 1, 1, 3, 1, 1, 3, 1, 1, 3};
    const char *folder = argc > 1 ? argv[1] : "build/bench";
    vta_config *config = vta_config_default();
    json_t *rows = json_array();
    double sim_total = 0, tsim_total = 0;
    uint64_t cycles = 0;
    int failed = 0;
    printf("%-6s %8s %9s %10s %6s %10s %10s %9s %14s\n", "layer", "insns", "bursts", "cycles", "GEMM", "sim ms",
           "tsim ms", "tsim/sim", "cycles a second");
    for (int i = 0; i < 10; i++) {
        result sim = {0}, tsim = {0};
        const conv_shape *shape = &conv_resnet18[i];
        if (!measure(config, "sim", shape, &sim) || !measure(config, "tsim", shape, &tsim)) {
            failed = 1;
            continue;
        }
        double rate = (double)tsim.cycles / tsim.seconds;
        printf("%-6s %8u %9llu %10llu %5.1f%% %10.3f %10.3f %9.2f %13.3gG\n", shape->name, tsim.insns,
               (unsigned long long)tsim.bursts, (unsigned long long)tsim.cycles, 100 * tsim.utilization,
               sim.seconds * 1e3, tsim.seconds * 1e3, tsim.seconds / sim.seconds, rate / 1e9);
        json_array_append_new(rows, json_pack("{s:s, s:I, s:f, s:f, s:f}", "name", shape->name, "cycles",
                                              (json_int_t)tsim.cycles, "sim_seconds", sim.seconds, "tsim_seconds",
                                              tsim.seconds, "cycles_a_second", rate));
        sim_total += weight[i] * sim.seconds;
        tsim_total += weight[i] * tsim.seconds;
        cycles += (uint64_t)weight[i] * tsim.cycles;
    }
    printf("all 19 layers: %.2f M cycles in %.1f ms (sim alone %.1f ms, %.2f times)\n", (double)cycles / 1e6,
           tsim_total * 1e3, sim_total * 1e3, tsim_total / sim_total);
    json_t *all =
        json_pack("{s:s, s:o, s:I, s:f, s:f}", "config", vta_config_bitstream(config), "rows", rows, "network_cycles",
                  (json_int_t)cycles, "network_sim_seconds", sim_total, "network_tsim_seconds", tsim_total);
    char path[1024];
    snprintf(path, sizeof path, "%s/tsim.json", folder);
    if (json_dump_file(all, path, JSON_INDENT(1))) fprintf(stderr, "cannot write %s\n", path), failed = 1;
    json_decref(all);
    vta_config_release(config);
    return failed;
}
