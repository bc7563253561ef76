#include "device/board/fpga.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "device/board/fabric.h"
#include "device/board/overlay.h"

enum { BITSTREAM_MAX = 256 << 20, FIRMWARE_BYTES = VT_BOARD_TEXT + 256 };

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static vta_status failed(vta_diag *diag, const char *folder, const char *name, int error) {
    const char *hint = error == ENOENT                     ? "; has the kernel an FPGA manager (board setting fpga=)?"
                       : error == EACCES || error == EPERM ? "; only root may"
                                                           : "";
    return vt_fail(diag, error == ENOENT ? VTA_NOT_FOUND : VTA_IO, "programming the FPGA: %s/%s: %s%s", folder, name,
                   strerror(error), hint);
}

static vta_status write_text(const char *folder, const char *name, const char *text, vta_diag *diag) {
    int error = vt__attribute_write_text(folder, name, text);
    return error ? failed(diag, folder, name, error) : VTA_OK;
}

static vta_status check_state(const char *folder, const char *name, vta_diag *diag) {
    char state[VT_ATTRIBUTE_BYTES];
    int error = vt__attribute_read(folder, "state", state);
    if (error) return failed(diag, folder, "state", error);
    if (!strcmp(state, "operating")) return VTA_OK;
    return vt_fail(diag, VTA_IO,
                   "programming the FPGA with %s: its state is '%s', not 'operating'. The manager takes "
                   "what its driver knows: .bin (of bootgen) on Xilinx's, .rbf on Intel's",
                   name, state);
}

/* The manager takes files by name, from the folder of all firmware. Ours begin with "vta-": whoever may choose the name
 * of a bitstream must not put it in the place of another device's firmware. */
static void name_firmware(const vt_board_settings *s, const char *path, char out_path[FIRMWARE_BYTES],
                          const char **out_name) {
    int folder = snprintf(out_path, FIRMWARE_BYTES, "%s/", s->firmware);
    snprintf(out_path + folder, FIRMWARE_BYTES - (size_t)folder, "vta-%.200s", base_name(path));
    *out_name = out_path + folder;
}

static vta_status copy(const char *from, const char *to, const vta_allocator *a, vta_diag *diag) {
    char *bytes;
    size_t size;
    VT_TRY(vt_file_read(a, from, BITSTREAM_MAX, diag, &bytes, &size));
    vta_status status = size ? vt_file_write(a, to, bytes, size, diag)
                             : vt_fail(diag, VTA_INVALID_ARGUMENT, "programming the FPGA: %s is empty", from);
    vt_free(a, bytes, size + 1);
    return status;
}

/* ---- The kernel's ways ------------------------------------------------------------------------------------------- */

/* Mainline's managers have a name, a state and a status; only kernels of the boards' makers take firmware by name. */
vt_fpga_way vt__fpga_way(const vt_board_settings *s) {
    if (vt__attribute_is_there(s->fpga, "firmware")) return VT_FPGA_BY_NAME;
    if (!vt__attribute_is_there(s->fpga, "state")) return VT_FPGA_NO_MANAGER;
    return vt__overlays_are_there(s) ? VT_FPGA_BY_OVERLAY : VT_FPGA_NO_WAY;
}

void vt__fpga_state(const vt_board_settings *s, char state[VT_ATTRIBUTE_BYTES]) {
    vt__attribute_read(s->fpga, "state", state);
}

bool vt__fpga_works(const vt_board_settings *s) {
    char state[VT_ATTRIBUTE_BYTES];
    if (!vt__attribute_is_there(s->fpga, "state")) return true;
    vt__fpga_state(s, state);
    return !strcmp(state, "operating");
}

static vta_status load(const vt_board_settings *s, const char *name, const vta_allocator *a, vta_diag *diag) {
    switch (vt__fpga_way(s)) {
    case VT_FPGA_BY_NAME:
        if (vt__attribute_is_there(s->fpga,
                                   "flags")) /* the whole FPGA, not a part of it, which early ones did not know */
            VT_TRY(write_text(s->fpga, "flags", "0", diag));
        VT_TRY(write_text(s->fpga, "firmware", name, diag));
        break;
    case VT_FPGA_BY_OVERLAY: VT_TRY(vt__overlay_apply(s, name, a, diag)); break;
    case VT_FPGA_NO_WAY:
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "programming the FPGA: %s has no file `firmware`, which kernels of Xilinx have, and there is no "
                       "%s for device-tree overlays (configfs, CONFIG_OF_CONFIGFS): let the boot loader program it, "
                       "and leave programming out",
                       s->fpga, s->overlays);
    case VT_FPGA_NO_MANAGER: return failed(diag, s->fpga, "state", ENOENT);
    }
    return check_state(s->fpga, name, diag);
}

vta_status vt__fpga_program(const vt_board_settings *s, const char *path, const vta_allocator *a, vta_diag *diag) {
    char firmware[FIRMWARE_BYTES];
    const char *name;
    name_firmware(s, path, firmware, &name);
    vta_status status = copy(path, firmware, a, diag);
    if (status == VTA_OK) status = load(s, name, a, diag);
    unlink(firmware); /* the FPGA has it, or will not */
    return status == VTA_OK ? vt__fabric_enable(s, diag) : status;
}
