/* Messages between the processes of one sweep. The tool is not linked with MPI: cli/mpi is a plugin, vta-mpi.so, that
 * is loaded only where a sweep was started by mpirun or srun. */
#ifndef CLI_SWEEP_TRANSPORT_H
#define CLI_SWEEP_TRANSPORT_H

#include <stddef.h>

/* One thread uses it. */
typedef struct sweep_transport {
    int rank, size;
    /* Sends bytes to a rank; 0, or -1. */
    int (*send)(int to, const void *bytes, size_t size);
    /* Takes a message if there is one: 1, with bytes of malloc that a 0 follows; 0: there is none; -1. */
    int (*poll)(int *out_from, char **out_bytes, size_t *out_size);
    void (*close)(void);
} sweep_transport;

/* What the plugin exports: this process among those of its job. NULL: there is no job. */
typedef const sweep_transport *sweep_transport_open(void);
#define SWEEP_TRANSPORT_OPEN "vta_sweep_transport"

/* The plugin's transport where this process is one of several that mpirun or srun has started, and the plugin is there;
 * else NULL. */
const sweep_transport *sweep_transport_find(void);

#endif
