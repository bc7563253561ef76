#include "transport.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static bool is_several(const char *size) { return size && strtol(size, NULL, 10) > 1; }

/* As Open MPI, MPICH (and what speaks its PMI) and Slurm say. A step of srun is a job of MPI only where PMIx connects
 * its tasks: else they are workers that share a file. */
static bool is_one_of_several(void) {
    return is_several(cli_environment("OMPI_COMM_WORLD_SIZE")) || is_several(cli_environment("PMI_SIZE")) ||
           (is_several(cli_environment("SLURM_STEP_NUM_TASKS")) && cli_environment("PMIX_RANK"));
}

/* Beside the tool in a build folder, else where it is installed. */
static void *load(void) {
    static const char *const places[] = {"", "../lib/vta/"};
    char self[4096], path[4352];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return NULL;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%svta-mpi.so", self, places[i]);
        void *plugin = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
        if (plugin) return plugin;
    }
    return NULL;
}

const sweep_transport *sweep_transport_find(void) {
    void *plugin = is_one_of_several() ? load() : NULL;
    sweep_transport_open *begin = plugin ? (sweep_transport_open *)dlsym(plugin, SWEEP_TRANSPORT_OPEN) : NULL;
    const sweep_transport *t = begin ? begin() : NULL;
    if (!t || t->size > 1) return t;
    t->close(); /* each process is a job of its own: srun without --mpi */
    return NULL;
}
