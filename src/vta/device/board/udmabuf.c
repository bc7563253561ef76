/* Contiguous memory of u-dma-buf devices, and of a board's model. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/board/attribute.h"
#include "device/board/model_files.h"
#include "device/board/sources.h"

/* ---- u-dma-buf --------------------------------------------------------------------------------------------- */

static vta_status read_number(const char *folder, const char *name, vta_diag *diag, uint64_t *out) {
    char path[VT_ATTRIBUTE_PATH], text[VT_ATTRIBUTE_BYTES], *end;
    vt__attribute_path(folder, name, path);
    errno = vt__attribute_read(folder, name, text);
    if (errno) return vt__memory_failed(diag, path, "opened");
    *out = strtoull(text, &end, 0);
    if (end != text) return VTA_OK;
    return vt_fail(diag, VTA_IO, "the board's memory: %s: does not hold a number", path);
}

static vta_status write_number(const char *folder, const char *name, uint64_t value, vta_diag *diag) {
    char path[VT_ATTRIBUTE_PATH], text[32];
    vt__attribute_path(folder, name, path);
    snprintf(text, sizeof text, "%" PRIu64, value);
    errno = vt__attribute_write_text(folder, name, text);
    return errno ? vt__memory_failed(diag, path, "written") : VTA_OK;
}

/* The kernel's numbers for a transfer's direction. */
enum { TO_DEVICE = 1, FROM_DEVICE = 2 };

/* Four files, which are root's; any version has them. */
static vta_status sync_by_files(vt_contiguous *c, bool for_device, uint64_t offset, uint64_t bytes, vta_diag *diag) {
    const char *folder = c->sync_folder;
    VT_TRY(write_number(folder, "sync_offset", offset, diag));
    VT_TRY(write_number(folder, "sync_size", bytes, diag));
    VT_TRY(write_number(folder, "sync_direction", for_device ? TO_DEVICE : FROM_DEVICE, diag));
    return write_number(folder, for_device ? "sync_for_device" : "sync_for_cpu", 1, diag);
}

/* Calls of the device file, of versions that have them; whoever may map the memory may call them. */
#define UDMABUF_GET_SIZE _IOR('U', 2, uint64_t)
#define UDMABUF_SYNC_FOR_CPU _IOW('U', 5, uint64_t)
#define UDMABUF_SYNC_FOR_DEVICE _IOW('U', 6, uint64_t)

/* The range goes into one number: offset from bit 32 on, size in steps of 16 bytes, direction at bit 2, 1: now. */
static vta_status sync_by_call(vt_contiguous *c, bool for_device, uint64_t offset, uint64_t bytes, vta_diag *diag) {
    enum { STEP = 16 };
    uint64_t first = offset / STEP * STEP, last = (offset + bytes + STEP - 1) / STEP * STEP;
    uint64_t range = first << 32 | (last - first) | (for_device ? TO_DEVICE : FROM_DEVICE) << 2 | 1;
    if (last - first > UINT32_MAX) return sync_by_files(c, for_device, offset, bytes, diag);
    if (ioctl(c->fd, for_device ? UDMABUF_SYNC_FOR_DEVICE : UDMABUF_SYNC_FOR_CPU, &range) == 0) return VTA_OK;
    return vt_fail(diag, VTA_IO, "the board's memory: %s: its cache cannot be synchronized: %s", c->name,
                   strerror(errno));
}

static bool has_calls(int fd, uint64_t size) {
    uint64_t says = 0;
    return ioctl(fd, UDMABUF_GET_SIZE, &says) == 0 && says >= size;
}

vta_status vt__open_udmabuf(vt_contiguous *c, const vt_board_settings *s, vta_diag *diag) {
    char path[2 * VT_BOARD_TEXT], path_of_sync[VT_ATTRIBUTE_PATH];
    uint64_t addr;
    snprintf(c->name, sizeof c->name, "%s", s->memory);
    snprintf(c->hint, sizeof c->hint, "Load u-dma-buf with more (%.64s=BYTES), and Linux with more CMA (cma=SIZE)",
             s->memory);
    snprintf(c->sync_folder, sizeof c->sync_folder, "%s/%s", s->sys, s->memory);
    if (access(c->sync_folder, F_OK) != 0)
        return vt_fail(
            diag, VTA_NOT_FOUND,
            "the board's memory: no %s: load the kernel module, like `modprobe u-dma-buf %s=67108864`, or name "
            "the device (board setting memory=)",
            c->sync_folder, s->memory);
    VT_TRY(read_number(c->sync_folder, "size", diag, &c->size));
    VT_TRY(read_number(c->sync_folder, "phys_addr", diag, &addr));
    VT_TRY(vt__check_place(c, addr, diag));
    c->base = (uint32_t)addr;
    snprintf(path, sizeof path, "%s/%s", s->dev, s->memory);
    VT_TRY(vt__map_memory(c, path, c->size, diag));
    bool calls = has_calls(c->fd, c->size);
    c->sync = calls ? sync_by_call : sync_by_files;
    c->sync_text = calls ? "by calls of u-dma-buf's device file" : "by u-dma-buf's files in sysfs, which are root's";
    vt__attribute_path(c->sync_folder, "sync_for_cpu", path_of_sync);
    c->may_sync = calls || access(path_of_sync, W_OK) == 0;
    return VTA_OK;
}

/* ---- A model ----------------------------------------------------------------------------------------------------- */

/* A cache that is not coherent, at its worst: nothing passes but what is synced. */
static vta_status sync_model(vt_contiguous *c, bool for_device, uint64_t offset, uint64_t bytes, vta_diag *diag) {
    (void)diag;
    if (for_device)
        memcpy(c->device + offset, c->host + offset, bytes);
    else
        memcpy(c->host + offset, c->device + offset, bytes);
    return VTA_OK;
}

/* A file of two halves: what the accelerator sees, and the host's view of it. */
vta_status vt__open_model(vt_contiguous *c, const char *folder, vta_diag *diag) {
    char path[2 * VT_BOARD_TEXT];
    struct stat is;
    snprintf(path, sizeof path, "%s/" VT_MODEL_MEMORY, folder);
    snprintf(c->name, sizeof c->name, "the model");
    snprintf(c->hint, sizeof c->hint, "Start `vta board-model` with more --memory");
    if (stat(path, &is) != 0) return vt__memory_failed(diag, path, "opened");
    c->size = (uint64_t)is.st_size / 2;
    c->base = VT_MODEL_BASE;
    c->sync = sync_model;
    c->sync_text = "by copies between the two halves of the model's memory";
    c->may_sync = true;
    VT_TRY(vt__map_memory(c, path, 2 * c->size, diag));
    c->device = c->host;
    c->host += c->size;
    return VTA_OK;
}
