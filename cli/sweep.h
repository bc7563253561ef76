/* `vta sweep`: one program on many machines. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli.h"
#include "timing.h"

/* One machine of the sweep and what it came to. */
typedef struct sweep_point {
    char label[256]; /* the changes, "bus_bits=128 LOG_BLOCK=5" */
    bool done;
    char error[256];
    uint64_t cycles;
    double seconds, utilization, bus, roofline;
    uint64_t buffer_bytes;
    double area;
    bool pareto; /* no other point is both faster and smaller */
} sweep_point;

/* What is timed, and what all machines share. */
typedef struct sweep_machines {
    const char *path;           /* a kernel file is built anew for each point */
    char *params;               /* its parameters */
    const vta_program *program; /* what is compiled is the same for all; NULL: a kernel file */
    const cli_timing *timing;   /* what all points share */
    const vta_config *config;   /* before a point's changes */
} sweep_machines;

/* Times one point (sweep_point.c). */
vta_status sweep_time(const sweep_machines *s, sweep_point *point, vta_diag *diag);
/* Its area by Yosys, in the units of sweep_area: a LUT of 4 inputs or a flip-flop is one, a bit of memory a tenth. */
vta_status sweep_synthesize(const sweep_machines *s, sweep_point *point, vta_diag *diag);

/* Puts the points into their order and prints them, and the picture to `svg` unless it is NULL (sweep_report.c). */
vta_status sweep_report(sweep_point *points, int count, bool json, const char *svg, const char *title);

/* Cost of a machine without a synthesis: one unit is a full adder or a bit of a register file. Multipliers take
 * width x width units, adders their width, memories a tenth of a unit a bit, a bus 30 units a wire. */
double sweep_area(const vta_config *config, const vta_timing_profile *timing);
/* Marks the points that no other one beats in both time and area. */
void sweep_mark_pareto(sweep_point *points, int count);
/* The points as a picture, area to the right, time upwards, both in steps of factors; free(). NULL: out of memory. */
char *sweep_svg(const sweep_point *points, int count, const char *title);

#endif
