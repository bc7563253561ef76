/* A sweep as a job array of Slurm: each task takes one share of the points, a last job merges their files. */
#ifndef CLI_SWEEP_SLURM_H
#define CLI_SWEEP_SLURM_H

#include "cli.h"

typedef struct sweep_slurm {
    const char *options; /* of sbatch, "--partition=cpu --time=1:00:00"; NULL: the sweep runs here */
    uint64_t tasks;      /* of the array; 0: 8 */
    bool dry_run;        /* print what would be submitted */
} sweep_slurm;

/* Writes FILE.slurm.sh and submits it, then the merge. `argv`: the command as it was given, from "sweep" on. */
vta_status sweep_slurm_submit(const sweep_slurm *s, const char *out, int argc, char *const *argv);

#endif
