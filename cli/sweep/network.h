/* A network as the subject of a sweep: quantized once, compiled for each machine. */
#ifndef CLI_SWEEP_NETWORK_H
#define CLI_SWEEP_NETWORK_H

#include "result.h"
#include "vta/program.h"
#include "vta/timing.h"

typedef struct sweep_network sweep_network;

/* The streams of the network on a machine, with schedules chosen for it; notes say which layer instructions are of.
 * Fills in the counts of layers. With `keep` they come from the cache folder where they are there, and go there. Any
 * thread. VTA_TIMEOUT: not done after `limit` seconds (0: none). */
vta_status sweep_network_program(const sweep_network *network, const vta_config *config,
                                 const vta_timing_profile *timing, double limit, bool keep, vta_diag *diag,
                                 vta_program **out_program, result *out);
/* Its artifact, without the cache; free with vta_string_free. */
vta_status sweep_network_artifact(const sweep_network *network, const vta_config *config,
                                  const vta_timing_profile *timing, double limit, vta_diag *diag, uint8_t **out_bytes,
                                  size_t *out_size, result *out);
void sweep_network_destroy(sweep_network *network);
/* Adds what it is compiled from, its samples included. */
void sweep_network_hash(const sweep_network *network, sweep_hash *h);

#ifdef VT_COMPILER
#include "c_truth.h"
/* Reads, calibrates and quantizes a model. Destroy it also after an error. */
vta_status sweep_network_open(const cli_network *n, cli_pictures *how, const char *path, sweep_network **out);
/* How many of the pictures it classifies right, on the functional simulator: all machines compute the same integers, so
 * that one is enough, that of the options. `how` as it was opened with, `truth` as it was read. */
vta_status sweep_network_judge(const sweep_network *network, const cli_pictures *how, const cli_truth *truth,
                               uint64_t threads, result_accuracy *out);
/* Adds pictures and classes, and how pictures become inputs. */
vta_status sweep_truth_hash(const cli_pictures *how, const cli_truth *truth, sweep_hash *h);
#endif

#endif
