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

/* Cost of a machine without a synthesis: one unit is a full adder or a bit of a register file. Multipliers take
 * width x width units, adders their width, memories a tenth of a unit a bit, a bus 30 units a wire. */
double sweep_area(const vta_config *config, const vta_timing_profile *timing);
/* Marks the points that no other one beats in both time and area. */
void sweep_mark_pareto(sweep_point *points, int count);
/* The points as a picture, area to the right, time upwards, both in steps of factors; free(). NULL: out of memory. */
char *sweep_svg(const sweep_point *points, int count, const char *title);

#endif
