/* The options that choose and tune a device, for every command that runs programs. */
#ifndef CLI_DEVICE_H
#define CLI_DEVICE_H

#include "cli.h"
#include "vta/device.h"

typedef struct cli_device {
    const char *driver;       /* NULL: sim */
    const cli_timing *timing; /* for what brings its own configuration; NULL: the configuration's */
    vta_device_options options;
    bool check, skip_execution, assertions, pack, netlist;
    uint64_t stall;
    uint64_t wave_from, wave_to, wave_bytes;
    const char *wave, *wave_scope;
} cli_device;

/* The words of the choices stand in the order of vta_engine and vta_order. */
#define CLI_DEVICE_OPTIONS(d)                                                                                          \
    {"driver", 'd', CLI_TEXT, "NAME", "sim (default), tsim, rtl, null or a board: pynq, ...", &(d)->driver},           \
        {"engine",                                                                                                     \
         'e',                                                                                                          \
         CLI_CHOICE,                                                                                                   \
         "fast|reference",                                                                                             \
         "how sim computes; reference: plain loops, the oracle",                                                       \
         &(d)->options.engine},                                                                                        \
        {"order",                                                                                                      \
         0,                                                                                                            \
         CLI_CHOICE,                                                                                                   \
         "program|random|store-late",                                                                                  \
         "the order of what the tokens leave open",                                                                    \
         &(d)->options.order},                                                                                         \
        {"seed", 0, CLI_NUMBER, "N", "for --order random and --stall", &(d)->options.seed},                            \
        {"check",                                                                                                      \
         0,                                                                                                            \
         CLI_FLAG,                                                                                                     \
         NULL,                                                                                                         \
         "find races, reads of memory that was never written, and what boards do differently",                         \
         &(d)->check},                                                                                                 \
        {"cpu", 0, CLI_TEXT, "NAME", "code path of the fast engine: auto, portable, avx2, avx512", &(d)->options.cpu}, \
        {"stall",    0, CLI_NUMBER, "PERCENT", "rtl: hold up each channel of the memory this often, at random",        \
         &(d)->stall},                                                                                                 \
        {"assertions", 0, CLI_FLAG, NULL, "rtl: a model that checks the assertions of its sources", &(d)->assertions}, \
        {"pack", 0, CLI_FLAG, NULL, "rtl: a model with two products in one multiplier", &(d)->pack},                   \
        {"netlist", 0, CLI_FLAG, NULL, "rtl: a model of what Yosys makes of its sources", &(d)->netlist},              \
        {"wave", 0, CLI_TEXT, "FILE.fst", "rtl: write waves of all runs, for GTKWave", &(d)->wave},                    \
        {"from", 0, CLI_NUMBER, "CYCLE", "of --wave: the first cycle, counted over all runs", &(d)->wave_from},        \
        {"to", 0, CLI_NUMBER, "CYCLE", "of --wave: the cycle after the last", &(d)->wave_to},                          \
        {"scope", 0, CLI_TEXT, "MODULE", "of --wave: only that one and those in it, like u_load", &(d)->wave_scope},   \
        {"bytes", 0, CLI_NUMBER, "N", "of --wave: the largest size of the file", &(d)->wave_bytes}, {                  \
        "skip-execution", 0, CLI_FLAG, NULL, "count and load micro-ops, compute nothing", &(d)->skip_execution         \
    }

/* What the words of a command ask of a device, but for its time. */
typedef struct cli_asked_device {
    vta_device_options options;
    char wave[4096];
} cli_asked_device;

/* VTA_INVALID_ARGUMENT when words do not go together. *out is not to be moved. */
vta_status cli_device_asked(const cli_device *d, cli_asked_device *out);
/* Makes the device for a configuration. Free with vta_device_destroy. */
vta_status cli_make_device(const cli_device *d, const vta_config *config, vta_device **out_device);

#endif
