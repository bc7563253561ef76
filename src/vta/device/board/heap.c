/* Memory behind an IOMMU: VFIO gives it addresses in one piece, which only the accelerator's group has. The pages
 * themselves may be anywhere. VFIO takes devices only whose port is coherent with the host's caches (Linux 6.0 and
 * later check that), so nothing is flushed: a dma-heap could not, for a device that it does not know.
 *
 * VFIO pins the pages. Those of a dma-heap are mapped as page numbers (VM_PFNMAP), which can only be pinned where the
 * kernel has them reserved: for others VFIO_IOMMU_MAP_DMA says EFAULT, and ordinary memory takes their place. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/dma-heap.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "device/board/sources.h"

/* Away from page 0 and from what ARM's IOMMUs keep for interrupts (1 MiB at 0x08000000). */
enum { FIRST_ADDRESS = 0x10000000, LEAST_LINUX = 6 };

typedef struct vfio {
    const vta_allocator *allocator;
    int container, group; /* -1: not open; closing them takes the addresses back */
} vfio;

static void release(void *source) {
    vfio *v = source;
    if (v->group >= 0) close(v->group);
    if (v->container >= 0) close(v->container);
    vt_free(v->allocator, v, sizeof *v);
}

static bool is_heap(const vt_board_settings *s) { return strcmp(s->memory, "pages") != 0; }

static vta_status check_linux(const vt_board_settings *s, vta_diag *diag) {
    struct utsname linux_is;
    if (uname(&linux_is) == 0 && atoi(linux_is.release) >= LEAST_LINUX) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED,
                   "the board's memory: %s needs Linux %d.0 or later, whose VFIO refuses ports that are not coherent "
                   "with the host's caches; here results could be wrong. Take u-dma-buf",
                   is_heap(s) ? "a dma-heap" : "memory=pages", LEAST_LINUX);
}

/* ---- The pages ----------------------------------------------------------------------------------------------- */

static vta_status map_host(vt_contiguous *c, const char *what, vta_diag *diag) {
    void *memory = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
    if (memory == MAP_FAILED) return vt__memory_failed(diag, what, "mapped");
    c->host = memory;
    c->mapped = c->size;
    return VTA_OK;
}

/* Shared, so that a fork leaves the pinned pages where they are. */
static vta_status allocate_pages(vt_contiguous *c, vta_diag *diag) {
    c->fd = memfd_create("vta-memory", MFD_CLOEXEC);
    if (c->fd < 0 || ftruncate(c->fd, (off_t)c->size) != 0)
        return vt_fail(diag, VTA_NO_MEMORY, "the board's memory: no %" PRIu64 " bytes of ordinary memory: %s. %s",
                       c->size, strerror(errno), c->hint);
    return map_host(c, "ordinary memory", diag);
}

static vta_status allocate_heap(vt_contiguous *c, const char *heap, vta_diag *diag) {
    struct dma_heap_allocation_data data = {.len = c->size, .fd_flags = O_RDWR | O_CLOEXEC};
    int fd = open(heap, O_RDWR | O_CLOEXEC);
    if (fd < 0) return vt__memory_failed(diag, heap, "opened");
    int failed = ioctl(fd, DMA_HEAP_IOCTL_ALLOC, &data) != 0 ? errno : 0;
    close(fd);
    if (failed)
        return vt_fail(diag, failed == ENOMEM ? VTA_NO_MEMORY : VTA_IO,
                       "the board's memory: %s gives no %" PRIu64 " bytes: %s. %s", heap, c->size, strerror(failed),
                       c->hint);
    c->fd = (int)data.fd;
    return map_host(c, heap, diag);
}

static vta_status allocate(vt_contiguous *c, const vt_board_settings *s, vta_diag *diag) {
    char heap[2 * VT_BOARD_TEXT + 2];
    if (!is_heap(s)) return allocate_pages(c, diag);
    snprintf(heap, sizeof heap, "%s/%s", s->dev, s->memory);
    return allocate_heap(c, heap, diag);
}

static vta_status take_pages_instead(vt_contiguous *c, const vt_board_settings *s, vta_diag *diag) {
    munmap(c->host, c->mapped);
    close(c->fd);
    c->fd = -1;
    c->mapped = 0;
    snprintf(c->name, sizeof c->name, "pages (VFIO cannot pin those of %.90s)", s->memory);
    return allocate_pages(c, diag);
}

/* ---- Their addresses --------------------------------------------------------------------------------------------- */

static vta_status refused(vta_diag *diag, const char *path, const char *what) {
    return vt_fail(diag, VTA_IO, "the board's memory: VFIO, %s: %s: %s", path, what, strerror(errno));
}

static vta_status open_group(vfio *v, const char *container, const char *group, vta_diag *diag) {
    struct vfio_group_status status = {.argsz = sizeof status};
    v->container = open(container, O_RDWR | O_CLOEXEC);
    if (v->container < 0) return vt__memory_failed(diag, container, "opened");
    if (ioctl(v->container, VFIO_GET_API_VERSION) != VFIO_API_VERSION ||
        ioctl(v->container, VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU) != 1)
        return vt_fail(diag, VTA_UNSUPPORTED, "the board's memory: VFIO has no IOMMU of type 1, version 2, here");
    v->group = open(group, O_RDWR | O_CLOEXEC);
    if (v->group < 0) return vt__memory_failed(diag, group, "opened");
    if (ioctl(v->group, VFIO_GROUP_GET_STATUS, &status) != 0) return refused(diag, group, "its state cannot be asked");
    if (!(status.flags & VFIO_GROUP_FLAGS_VIABLE))
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "the board's memory: %s has a device that another driver has: bind all of them to "
                       "vfio-platform",
                       group);
    if (ioctl(v->group, VFIO_GROUP_SET_CONTAINER, &v->container) != 0)
        return refused(diag, group, "it cannot be taken");
    if (ioctl(v->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) != 0)
        return refused(diag, group, "its IOMMU cannot be set up");
    return VTA_OK;
}

/* 0, or the error. */
static int map_addresses(const vt_contiguous *c, const vfio *v) {
    struct vfio_iommu_type1_dma_map map = {.argsz = sizeof map,
                                           .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
                                           .vaddr = (uint64_t)(uintptr_t)c->host,
                                           .iova = FIRST_ADDRESS,
                                           .size = c->size};
    return ioctl(v->container, VFIO_IOMMU_MAP_DMA, &map) == 0 ? 0 : errno;
}

static vta_status give_addresses(vt_contiguous *c, const vfio *v, const vt_board_settings *s, vta_diag *diag) {
    int error = map_addresses(c, v);
    if (error == EFAULT && is_heap(s)) {
        VT_TRY(take_pages_instead(c, s, diag));
        error = map_addresses(c, v);
    }
    if (!error) return VTA_OK;
    return vt_fail(
        diag, VTA_IO, "the board's memory: VFIO, %s: the memory gets no addresses: %s%s", s->iommu, strerror(error),
        error == ENOMEM ? " (its pages count as locked ones: `ulimit -l` must have room for memory_bytes)" : "");
}

/* What was written is there before a register is. */
static vta_status sync_nothing(vt_contiguous *c, bool for_device, uint64_t offset, uint64_t bytes, vta_diag *diag) {
    (void)c, (void)for_device, (void)offset, (void)bytes, (void)diag;
    __sync_synchronize();
    return VTA_OK;
}

vta_status vt__open_heap(vt_contiguous *c, const vt_board_settings *s, vta_diag *diag) {
    char container[VT_BOARD_TEXT + 16];
    snprintf(c->name, sizeof c->name, "%s", s->memory);
    snprintf(c->hint, sizeof c->hint, "Change the board setting memory_bytes=");
    snprintf(container, sizeof container, "%s/vfio/vfio", s->dev);
    if (!*s->iommu)
        return vt_fail(
            diag, VTA_INVALID_ARGUMENT,
            "the board's memory: %s is not contiguous, and the kernel tells nobody its addresses: it needs an "
            "IOMMU in front of the accelerator (board setting iommu=, its VFIO group like /dev/vfio/0)",
            s->memory);
    VT_TRY(check_linux(s, diag));
    VT_TRY(vt__memory_bytes(s, diag, &c->size));
    vfio *v = vt_alloc_zero(c->allocator, sizeof *v);
    if (!v) return vt_no_memory(diag);
    *v = (vfio){c->allocator, -1, -1};
    c->source = v;
    c->release = release;
    VT_TRY(allocate(c, s, diag));
    VT_TRY(open_group(v, container, s->iommu, diag));
    VT_TRY(give_addresses(c, v, s, diag));
    c->base = FIRST_ADDRESS;
    c->sync = sync_nothing;
    c->sync_text = "not at all: the accelerator's port is coherent, which VFIO requires";
    c->may_sync = true;
    return VTA_OK;
}
