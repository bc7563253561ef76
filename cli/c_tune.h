/* A search of vta tune, for one operator or those of a network. */
#ifndef CLI_C_TUNE_H
#define CLI_C_TUNE_H

#include "c_network.h"
#include "c_operator.h"
#include "vta/tune.h"

typedef struct cli_tune {
    cli_common common;
    cli_device device;
    cli_network network;
    cli_pictures pictures;
    uint64_t trials, seconds, jobs, early_stop, seed;
    const char *log, *from, *output;
    bool resume, no_database, merge;
    bool of_network; /* one operator of several, of which some have nothing to tune */
    cli_operator o;
    vtac_tune_log *start;
    vtac_tune_result result;
    vtac_check_result check;
    double drawn; /* when the line of progress was drawn last */
} cli_tune;

/* Searches schedules of t->o.op; Ctrl-C ends it. Then runs the best one, and compares it with what it means. */
vta_status cli_tune_search(cli_tune *t, bool *out_ran);
/* c_tune_network.c: each operator of an ONNX model in turn. */
vta_status cli_tune_network(cli_tune *t, const char *path);

#endif
