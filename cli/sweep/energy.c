#include "energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct row {
    const char *name;
    size_t at;
    double value;
} rows[] = {
#define ENERGY(name, value, of) {#name, offsetof(sweep_energy, name), value},
#include "energy.def"
#undef ENERGY
};
enum { ROWS = sizeof rows / sizeof *rows };

static double *at(sweep_energy *e, const struct row *r) { return (double *)((char *)e + r->at); }

static vta_status change(sweep_energy *e, const char *text) {
    const char *names[ROWS], *equals = strchr(text, '=');
    for (size_t i = 0; i < ROWS; i++) {
        names[i] = rows[i].name;
        size_t n = strlen(rows[i].name);
        if (strncmp(text, rows[i].name, n) || text[n] != '=') continue;
        char *end;
        double value = strtod(text + n + 1, &end);
        if (!text[n + 1] || *end || !(value >= 0 && value < 1e9))
            return cli_fail(VTA_INVALID_ARGUMENT, "--energy %s: expected picojoules, 0 or more", text);
        *at(e, &rows[i]) = value;
        return VTA_OK;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - text) : (int)strlen(text), text);
    return cli_unknown("--energy", name, "cost", names, ROWS, "Costs are NAME=PICOJOULES");
}

vta_status sweep_energy_read(const cli_list *changes, sweep_energy *out) {
    for (size_t i = 0; i < ROWS; i++) *at(out, &rows[i]) = rows[i].value;
    vta_status status = VTA_OK;
    for (int i = 0; i < changes->count && status == VTA_OK; i++) status = change(out, changes->item[i]);
    return status;
}

/* Bytes that one GEMM micro-op, or one of the ALU, moves in a memory, each weighted by the square root of its size. */
static double moved(const vta_config *config, vta_memory memory, double elements) {
    return elements * vta_config_elem_bytes(config, memory) *
           sqrt((double)vta_config_buffer_bytes(config, memory) / 8192);
}

double sweep_energy_of(const sweep_energy *e, const vta_config *config, const vta_timing_profile *timing,
                       const vta_timing *sum) {
    double batch = vta_config_batch(config), out = vta_config_block_out(config);
    double macs = batch * vta_config_block_in(config) * out, lanes = batch * out;
    double bits = (double)vta_config_width(config, VTA_MEM_INP) * vta_config_width(config, VTA_MEM_WGT);
    double gemm = macs * (e->multiply * bits / 64 + e->add * vta_config_width(config, VTA_MEM_ACC) / 32);
    gemm += e->chip_byte * (moved(config, VTA_MEM_UOP, 1) + moved(config, VTA_MEM_INP, 1) +
                            moved(config, VTA_MEM_WGT, 1) + moved(config, VTA_MEM_ACC, 2));
    double alu = lanes * e->add * vta_config_width(config, VTA_MEM_ACC) / 32 +
                 e->chip_byte * (moved(config, VTA_MEM_UOP, 1) + moved(config, VTA_MEM_ACC, 2));
    double dram = e->dram_byte * ((double)sum->read_beats * timing->bus_bits / 8 + (double)sum->write_bytes);
    return 1e-12 * (gemm * (double)sum->gemm_uops + alu * (double)sum->alu_uops + dram);
}
