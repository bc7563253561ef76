/* The report of a compile, between report.c and measure.c. */
#ifndef VT_NETWORK_REPORT_H
#define VT_NETWORK_REPORT_H

#include "network/priv.h"

struct vtac_compile_report {
    const vta_allocator *allocator;
    vt_arena arena; /* names, rows, cuts */
    vtac_compiled_layer *layers;
    size_t count, cap;
    vt_planner_row *rows; /* the planner's: owners are layers */
    uint32_t row_count, runs;
    vtac_compile_cut *cuts;
    size_t cut_count;
    bool is_measured;
    double seconds, host_seconds;
    char *text;
};

#endif
