/* Energy of what a program did, by what its parts cost: an estimate, for comparing machines. */
#ifndef CLI_SWEEP_ENERGY_H
#define CLI_SWEEP_ENERGY_H

#include "cli.h"
#include "vta/timing.h"

/* Picojoules, by name. */
typedef struct sweep_energy {
#define ENERGY(name, value, of) double name;
#include "energy.def"
#undef ENERGY
} sweep_energy;

/* The table, changed by "NAME=PICOJOULES" (--energy). */
vta_status sweep_energy_read(const cli_list *changes, sweep_energy *out);
/* Joules of what was timed. */
double sweep_energy_of(const sweep_energy *e, const vta_config *config, const vta_timing_profile *timing,
                       const vta_timing *sum);

#endif
