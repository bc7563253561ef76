/* Which source of contiguous memory the settings name, and what the sources share. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/board/sources.h"
#include "vta/device.h"

vta_status vt__memory_failed(vta_diag *diag, const char *path, const char *what) {
    return vt_fail(diag, errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "the board's memory: %s: cannot be %s: %s", path,
                   what, strerror(errno));
}

vta_status vt__map_memory(vt_contiguous *c, const char *path, uint64_t bytes, vta_diag *diag) {
    c->fd = open(path, O_RDWR | O_CLOEXEC);
    if (c->fd < 0) return vt__memory_failed(diag, path, "opened");
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
    if (memory == MAP_FAILED) return vt__memory_failed(diag, path, "mapped");
    c->host = memory;
    c->mapped = bytes;
    return VTA_OK;
}

vta_status vt__check_place(const vt_contiguous *c, uint64_t addr, vta_diag *diag) {
    if (addr % VTA_PAGE_BYTES || addr + c->size > (uint64_t)1 << 32)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "the board's memory: %s lies at 0x%" PRIx64 ", and the accelerator reaches the first 4 GiB",
                       c->name, addr);
    return VTA_OK;
}

vta_status vt__memory_bytes(const vt_board_settings *s, vta_diag *diag, uint64_t *out_bytes) {
    const uint64_t max = (uint64_t)3 << 30;
    char *end;
    errno = 0;
    *out_bytes = strtoull(s->memory_bytes, &end, 10);
    bool is_number = s->memory_bytes[0] >= '0' && s->memory_bytes[0] <= '9' && !*end && !errno;
    if (is_number && *out_bytes && *out_bytes <= max && *out_bytes % VTA_PAGE_BYTES == 0) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT,
                   "board settings: memory_bytes=%s is not a number of bytes in whole pages, at most %" PRIu64,
                   s->memory_bytes, max);
}

static vta_status open_source(vt_contiguous *c, const vt_board_settings *s, vta_diag *diag) {
    if (*s->model) return vt__open_model(c, s->model, diag);
    if (!strcmp(s->memory, "xlnk")) return vt__open_xlnk(c, s, diag);
    if (!strncmp(s->memory, "dma_heap/", 9) || !strcmp(s->memory, "pages")) return vt__open_heap(c, s, diag);
    return vt__open_udmabuf(c, s, diag);
}

vta_status vt_contiguous_open(vt_contiguous *c, const vt_board_settings *s, const vta_allocator *allocator,
                              vta_diag *diag) {
    *c = (vt_contiguous){.allocator = allocator, .fd = -1};
    vta_status status = open_source(c, s, diag);
    if (status != VTA_OK) vt_contiguous_close(c);
    return status;
}

void vt_contiguous_close(vt_contiguous *c) {
    if (c->mapped) munmap(c->device ? c->device : c->host, c->mapped);
    if (c->fd >= 0) close(c->fd);
    if (c->release) c->release(c->source);
    vt_free(c->allocator, c->blocks, c->cap * sizeof *c->blocks);
    *c = (vt_contiguous){.allocator = c->allocator, .fd = -1};
}
