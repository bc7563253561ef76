/* `vta sweep`: programs, kernels and networks on many machines. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "energy.h"
#include "network.h"
#include "results_file.h"
#include "rpc_place.h"
#include "timing.h"

/* What is timed: one program that is the same for all machines, or what is built anew for each. */
typedef struct sweep_subject {
    const char *path, *name;  /* name: without its folders */
    char key[SWEEP_KEY];      /* of its content, and of what it is built with */
    const char *params;       /* of a kernel file */
    vta_program *program;     /* compiled already; else NULL */
    sweep_network *network;   /* a model; else NULL */
    result_accuracy accuracy; /* of the model, where pictures are given */
} sweep_subject;

/* Where points are measured, instead of timed by the model. */
typedef struct sweep_servers {
    cli_place place;
    const char *at; /* HOST:PORT; NULL: what the tracker gives */
} sweep_servers;

/* What all points share. */
typedef struct sweep_setup {
    const cli_timing *timing;
    const vta_config *config; /* before a point's changes */
    sweep_energy energy;
    double limit;                 /* seconds for a point; 0: none */
    bool synthesize;              /* area by Yosys */
    bool cached;                  /* instruction streams are kept for later sweeps */
    const sweep_servers *servers; /* NULL: points are timed here */
} sweep_setup;

/* The machine of a point (point.c). */
typedef struct sweep_machine {
    vta_config *config;
    vta_timing_profile timing;
} sweep_machine;

/* Applies the changes of `label` to what all points share. Release it with sweep_machine_free, also after an error. */
vta_status sweep_machine_find(const sweep_setup *s, const char *label, vta_diag *diag, sweep_machine *out);
void sweep_machine_free(sweep_machine *m);
/* The key of a subject on a machine; NULL: on one that could not be made of `label`. */
vta_status sweep_point_key(const sweep_setup *s, const sweep_subject *subject, const sweep_machine *m,
                           const char *label, char out_key[SWEEP_KEY]);
/* Times it: fills in numbers of a result. Several threads at once. */
vta_status sweep_point_time(const sweep_setup *s, const sweep_subject *subject, const sweep_machine *m, vta_diag *diag,
                            result *out);
/* The same on a server (rpc_measure.c). VTA_IO: none can be had, or sessions break again and again. */
vta_status sweep_point_measure(const sweep_setup *s, const sweep_subject *subject, const sweep_machine *m,
                               vta_diag *diag, result *out);
/* What follows from the machine: its memories and its area. */
void sweep_fill_machine(const sweep_machine *m, result *out);
/* Its area by Yosys instead of the formula, in the same units: a LUT of 4 inputs or a flip-flop is one, a bit of memory
 * a tenth. */
vta_status sweep_point_synthesize(const sweep_machine *m, vta_diag *diag, result *out);

/* Cost of a machine without a synthesis: one unit is a full adder or a bit of a register file. Multipliers take
 * width x width units, adders their width, memories a tenth of a unit a bit, a bus 30 units a wire (plot.c). */
double sweep_area(const vta_config *config, const vta_timing_profile *timing);

#endif
