#include "device/board/overlay.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "device/board/attribute.h"

enum { MAX_OVERLAY_FILE = 1 << 20 };
static const char our_name[] = "vta"; /* of the overlay, in the folder of overlays */

bool vt__overlays_are_there(const vt_board_settings *s) { return access(s->overlays, F_OK) == 0; }

/* ---- The region -------------------------------------------------------------------------------------------- */

vta_status vt__overlay_region(const vt_board_settings *s, vta_diag *diag, char out_path[VT_BOARD_TEXT]) {
    static const char base[] = "/devicetree/base";
    char link[VT_ATTRIBUTE_PATH], node[PATH_MAX];
    vt__attribute_path(s->region, "of_node", link);
    const char *path = realpath(link, node) ? strstr(node, base) : NULL;
    if (path) path += sizeof base - 1;
    if (path && *path == '/' && strlen(path) < VT_BOARD_TEXT) {
        snprintf(out_path, VT_BOARD_TEXT, "%s", path);
        return VTA_OK;
    }
    return vt_fail(diag, VTA_NOT_FOUND,
                   "programming the FPGA: %s does not lead to a node of the device tree: the kernel shows no FPGA "
                   "region there. Boot with a device tree that has one (compatible \"fpga-region\"), or name it "
                   "(board setting region=)",
                   link);
}

/* ---- A flattened device tree, version 17 ------------------------------------------------------------------------- */

enum { FDT_BEGIN = 1, FDT_END_NODE = 2, FDT_PROPERTY = 3, FDT_END = 9, FDT_HEADER = 40, FDT_RESERVED = 16 };
static const uint32_t FDT_MAGIC = 0xd00dfeed;
/* The names of properties, and where each begins. */
static const char strings[] = "target-path\0firmware-name";
enum { TARGET_PATH = 0, FIRMWARE_NAME = 12 };

typedef struct writer {
    unsigned char *bytes;
    size_t size;
} writer;

static void put(writer *w, uint32_t value) {
    for (int i = 0; i < 4; i++) w->bytes[w->size++] = (unsigned char)(value >> (24 - 8 * i));
}

/* With its 0, and zeros up to a word. */
static void put_text(writer *w, const char *text) {
    size_t size = strlen(text) + 1;
    memcpy(w->bytes + w->size, text, size);
    w->size += size;
    while (w->size % 4) w->bytes[w->size++] = 0;
}

static void put_property(writer *w, uint32_t name, const char *text) {
    put(w, FDT_PROPERTY);
    put(w, (uint32_t)strlen(text) + 1);
    put(w, name);
    put_text(w, text);
}

static void put_node(writer *w, const char *name) {
    put(w, FDT_BEGIN);
    put_text(w, name);
}

size_t vt__overlay_make(const char *region, const char *firmware, unsigned char out_bytes[VT_OVERLAY_BYTES]) {
    memset(out_bytes, 0, VT_OVERLAY_BYTES);
    writer w = {out_bytes, FDT_HEADER + FDT_RESERVED};
    put_node(&w, "");
    put_node(&w, "fragment@0");
    put_property(&w, TARGET_PATH, region);
    put_node(&w, "__overlay__");
    put_property(&w, FIRMWARE_NAME, firmware);
    for (int i = 0; i < 3; i++) put(&w, FDT_END_NODE);
    put(&w, FDT_END);
    const size_t text = w.size;
    memcpy(out_bytes + text, strings, sizeof strings);
    const size_t all = text + sizeof strings;
    const uint32_t header[] = {FDT_MAGIC,
                               (uint32_t)all,
                               FDT_HEADER + FDT_RESERVED,
                               (uint32_t)text,
                               FDT_HEADER,
                               17,
                               16,
                               0,
                               sizeof strings,
                               (uint32_t)(text - FDT_HEADER - FDT_RESERVED)};
    w.size = 0;
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) put(&w, header[i]);
    return all;
}

/* ---- Applying one ------------------------------------------------------------------------------------------------ */

static vta_status failed(const char *what, const char *path, int error, vta_diag *diag) {
    return vt_fail(diag, error == ENOENT ? VTA_NOT_FOUND : VTA_IO, "programming the FPGA: %s: cannot %s: %s%s", path,
                   what, strerror(error), error == EACCES || error == EPERM ? "; only root may" : "");
}

static vta_status write_overlay(const char *folder, const void *bytes, size_t size, vta_diag *diag) {
    char path[VT_ATTRIBUTE_PATH], status[VT_ATTRIBUTE_BYTES];
    vt__attribute_path(folder, "dtbo", path);
    int error = vt__attribute_write(folder, "dtbo", bytes, size);
    if (error) return failed("apply the overlay", path, error, diag);
    vt__attribute_path(folder, "status", path);
    error = vt__attribute_read(folder, "status", status);
    if (error) return failed("be read", path, error, diag);
    if (!strcmp(status, "applied")) return VTA_OK;
    return vt_fail(diag, VTA_IO, "programming the FPGA: the kernel has not applied the overlay: %s says '%s'", path,
                   status);
}

/* What an overlay that is there already holds goes with it: the kernel disables the region's bridges. */
static vta_status replace(const vt_board_settings *s, const void *bytes, size_t size, vta_diag *diag) {
    char folder[VT_ATTRIBUTE_PATH];
    vt__attribute_path(s->overlays, our_name, folder);
    if (rmdir(folder) != 0 && errno != ENOENT) return failed("be removed", folder, errno, diag);
    if (mkdir(folder, 0755) != 0) return failed("be made", folder, errno, diag);
    vta_status status = write_overlay(folder, bytes, size, diag);
    if (status != VTA_OK) rmdir(folder);
    return status;
}

static bool contains(const char *bytes, size_t size, const char *text) {
    size_t length = strlen(text) + 1; /* and its 0 */
    for (size_t i = 0; i + length <= size; i++)
        if (!memcmp(bytes + i, text, length)) return true;
    return false;
}

/* The user's overlay must have the region load the bitstream that was asked for, not another one. */
static vta_status apply_file(const vt_board_settings *s, const char *firmware, const vta_allocator *a, vta_diag *diag) {
    char *bytes;
    size_t size;
    VT_TRY(vt_file_read(a, s->overlay, MAX_OVERLAY_FILE, diag, &bytes, &size));
    vta_status status = VTA_OK;
    if (size < FDT_HEADER || memcmp(bytes, "\xd0\x0d\xfe\xed", 4))
        status = vt_fail(diag, VTA_PARSE, "programming the FPGA: %s is not a device tree that was compiled (dtc)",
                         s->overlay);
    else if (!contains(bytes, size, firmware))
        status = vt_fail(diag, VTA_INVALID_ARGUMENT,
                         "programming the FPGA: %s does not name %s, which the bitstream is called while it is loaded "
                         "(firmware-name = \"%s\")",
                         s->overlay, firmware, firmware);
    if (status == VTA_OK) status = replace(s, bytes, size, diag);
    vt_free(a, bytes, size + 1);
    return status;
}

vta_status vt__overlay_apply(const vt_board_settings *s, const char *firmware, const vta_allocator *a, vta_diag *diag) {
    unsigned char bytes[VT_OVERLAY_BYTES];
    char region[VT_BOARD_TEXT];
    if (*s->overlay) return apply_file(s, firmware, a, diag);
    VT_TRY(vt__overlay_region(s, diag, region));
    return replace(s, bytes, vt__overlay_make(region, firmware, bytes), diag);
}
