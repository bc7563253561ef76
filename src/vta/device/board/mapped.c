#include "device/board/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile uint32_t *at(const vt_mapped *m, uint32_t offset) {
    return m->block[offset / VT_BLOCK_BYTES] + offset % VT_BLOCK_BYTES / 4;
}

static uint32_t get(void *user, uint32_t offset) { return *at(user, offset); }

/* What was written to memory before is there before the register is. */
static void set(void *user, uint32_t offset, uint32_t value) {
    __sync_synchronize();
    *at(user, offset) = value;
}

vt_registers vt__mapped_registers(vt_mapped *m) { return (vt_registers){get, set, m}; }

/* What to do about an error of the system. */
static const char *advice(int error) {
    switch (error) {
    case EACCES:
    case EPERM: return "; only root may, or whom its permissions name";
    case ENOENT: return "; without the board a simulator runs programs for the same sizes: --driver sim";
    default: return "";
    }
}

static vta_status failed(vta_diag *diag, const char *file, const char *what) {
    return vt_fail(diag, errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "the board's registers: %s: cannot %s: %s%s", file,
                   what, strerror(errno), advice(errno));
}

/* The file whose lock is the board's. */
static vta_status keep(vt_mapped *m, int fd, const char *file, vta_diag *diag) {
    if (m->fd >= 0) return VTA_OK;
    m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    snprintf(m->file, sizeof m->file, "%s", file);
    return m->fd >= 0 ? VTA_OK : failed(diag, file, "be opened");
}

static vta_status in_use(const vt_mapped *m, vta_diag *diag) {
    return vt_fail(diag, VTA_IO,
                   "%s: the board's accelerator is in use, by another process or another runtime of this one", m->file);
}

/* Two streams on one accelerator would mix. The lock is the open file's, so that two devices of one process have two.
 */
vta_status vt__claim_registers(vt_mapped *m, vta_diag *diag) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (m->claimed) return VTA_OK;
    if (fcntl(m->fd, F_OFD_SETLK, &lock) == 0) {
        m->claimed = true;
        return VTA_OK;
    }
    return errno == EAGAIN || errno == EACCES ? in_use(m, diag) : failed(diag, m->file, "be locked");
}

vta_status vt__registers_are_free(const vt_mapped *m, vta_diag *diag) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(m->fd, F_OFD_GETLK, &lock) != 0) return failed(diag, m->file, "be asked for its lock");
    return lock.l_type == F_UNLCK ? VTA_OK : in_use(m, diag);
}

/* A file that is shorter than the registers would end the process at the first access. Devices have no size. */
static vta_status check_size(int fd, const char *file, uint32_t bytes, vta_diag *diag) {
    struct stat is;
    if (fstat(fd, &is) != 0) return failed(diag, file, "be asked for its size");
    if (!S_ISREG(is.st_mode) || is.st_size >= (off_t)bytes) return VTA_OK;
    return vt_fail(diag, VTA_IO, "the board's registers: %s has %lld bytes, and they take %u: is that a model's file?",
                   file, (long long)is.st_size, bytes);
}

static vta_status map_one(vt_mapped *m, const char *file, uint32_t address, uint32_t first, uint32_t count,
                          vta_diag *diag) {
    int fd = open(file, O_RDWR | O_SYNC | O_CLOEXEC);
    if (fd < 0) return failed(diag, file, "be opened");
    vta_status sized = check_size(fd, file, count * VT_BLOCK_BYTES, diag);
    if (sized != VTA_OK) {
        close(fd);
        return sized;
    }
    off_t from = strcmp(file, "/dev/mem") == 0 ? (off_t)address + (off_t)first * VT_BLOCK_BYTES : 0;
    char *memory = mmap(NULL, (size_t)count * VT_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);
    vta_status status = memory == MAP_FAILED ? failed(diag, file, "be mapped") : keep(m, fd, file, diag);
    close(fd);
    if (memory == MAP_FAILED) return status;
    for (uint32_t i = 0; i < count; i++)
        m->block[first + i] = (volatile uint32_t *)(void *)(memory + (size_t)i * VT_BLOCK_BYTES);
    return status;
}

vta_status vt__map_registers(const char *files, uint32_t address, uint32_t block_count, vta_diag *diag,
                             vt_mapped *out) {
    char list[1024];
    uint32_t first = 0;
    *out = (vt_mapped){.block_count = block_count, .fd = -1};
    snprintf(list, sizeof list, "%s", files);
    bool several = strchr(list, ':') != NULL;
    vta_status status = VTA_OK;
    for (char *save = NULL, *f = strtok_r(list, ":", &save); f && status == VTA_OK; f = strtok_r(NULL, ":", &save)) {
        if (first == block_count) break;
        status = map_one(out, f, address, first, several ? 1 : block_count, diag);
        first += several ? 1 : block_count;
    }
    if (status == VTA_OK && first != block_count)
        status = vt_fail(diag, VTA_INVALID_ARGUMENT, "board settings: registers=%s names %u files; one, or %u", files,
                         first, block_count);
    if (status != VTA_OK) vt__unmap_registers(out);
    return status;
}

void vt__unmap_registers(vt_mapped *m) {
    for (uint32_t i = 0; i < m->block_count; i++)
        if (m->block[i]) munmap((void *)m->block[i], VT_BLOCK_BYTES);
    if (m->fd >= 0) close(m->fd);
    *m = (vt_mapped){.fd = -1};
}
