#include "rpc/share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

vta_status vt__share_make(const char *name, size_t bytes, vta_diag *diag, int *out_fd, void **out_memory) {
    *out_memory = NULL;
    *out_fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    /* Without the seals a session could cut off what its server reads: SIGBUS. */
    if (*out_fd >= 0 && ftruncate(*out_fd, (off_t)bytes) == 0 &&
        fcntl(*out_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        *out_memory = vt__share_open(*out_fd, bytes, true);
    if (*out_memory) return VTA_OK;
    vta_status status = vt_fail(diag, VTA_IO, "cannot make shared memory: %s", strerror(errno));
    if (*out_fd >= 0) close(*out_fd);
    *out_fd = -1;
    return status;
}

void *vt__share_open(int fd, size_t bytes, bool write) {
    struct stat s;
    if (fstat(fd, &s) != 0 || s.st_size < (off_t)bytes) return NULL;
    void *memory = mmap(NULL, bytes, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int vt__share_reader(int fd) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

void vt__share_close(void *memory, size_t bytes) {
    if (memory) munmap(memory, bytes);
}
