/* The plugin vta-mpi.so: messages of a sweep by MPI (cli/sweep/transport.h). */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "sweep/transport.h"

static sweep_transport transport;

static int mpi_send(int to, const void *bytes, size_t size) {
    return size <= INT32_MAX && MPI_Send(bytes, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : -1;
}

static int mpi_poll(int *out_from, char **out_bytes, size_t *out_size) {
    int is_there, size;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, &status) != MPI_SUCCESS) return -1;
    if (!is_there) return 0;
    if (MPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS || size < 0) return -1;
    char *bytes = malloc((size_t)size + 1);
    if (!bytes) return -1;
    if (MPI_Recv(bytes, size, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, &status) != MPI_SUCCESS) {
        free(bytes);
        return -1;
    }
    bytes[size] = 0;
    *out_from = status.MPI_SOURCE;
    *out_bytes = bytes;
    *out_size = (size_t)size;
    return 1;
}

static void mpi_close(void) { MPI_Finalize(); }

__attribute__((visibility("default"))) const sweep_transport *vta_sweep_transport(void);

const sweep_transport *vta_sweep_transport(void) {
    int provided;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return NULL;
    transport = (sweep_transport){.send = mpi_send, .poll = mpi_poll, .close = mpi_close};
    MPI_Comm_rank(MPI_COMM_WORLD, &transport.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &transport.size);
    return &transport;
}
