#include "device/board/fpga.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { BITSTREAM_MOST = 256 << 20, STATE_BYTES = 64, FIRMWARE_BYTES = VT_BOARD_TEXT + 256 };

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static vta_status failed(vta_diag *diag, const char *path) {
    return vt_fail(diag, errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "programming the FPGA: %s: %s%s", path,
                   strerror(errno), errno == ENOENT ? "; has the kernel an FPGA manager (board setting fpga=)?" : "");
}

static vta_status write_text(const char *folder, const char *name, const char *text, vta_diag *diag) {
    char path[2 * VT_BOARD_TEXT];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    ssize_t size = (ssize_t)strlen(text);
    bool written = fd >= 0 && write(fd, text, (size_t)size) == size;
    vta_status status = written ? VTA_OK : failed(diag, path);
    if (fd >= 0) close(fd);
    return status;
}

static vta_status check_state(const char *folder, const char *name, vta_diag *diag) {
    char path[2 * VT_BOARD_TEXT], state[STATE_BYTES] = "";
    snprintf(path, sizeof path, "%s/state", folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, state, sizeof state - 1) : -1;
    if (fd >= 0) close(fd);
    if (n < 0) return failed(diag, path);
    state[strcspn(state, "\n")] = '\0';
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
    VT_TRY(vt_file_read(a, from, BITSTREAM_MOST, diag, &bytes, &size));
    vta_status status = size ? vt_file_write(a, to, bytes, size, diag)
                             : vt_fail(diag, VTA_INVALID_ARGUMENT, "programming the FPGA: %s is empty", from);
    vt_free(a, bytes, size + 1);
    return status;
}

/* Mainline's managers have a name, a state and a status; only kernels of the boards' makers take firmware by name. */
static vta_status check_manager(const char *folder, vta_diag *diag) {
    char state[2 * VT_BOARD_TEXT], firmware[2 * VT_BOARD_TEXT];
    snprintf(state, sizeof state, "%s/state", folder);
    snprintf(firmware, sizeof firmware, "%s/firmware", folder);
    if (access(state, F_OK) != 0 || access(firmware, F_OK) == 0) return VTA_OK;
    return vt_fail(
        diag, VTA_UNSUPPORTED,
        "programming the FPGA: %s has no file `firmware`, which kernels of Xilinx have. With this kernel apply "
        "the device-tree overlay of the FPGA region before (configfs, device-tree/overlays), with the "
        "bitstream as its firmware-name, and leave programming out",
        folder);
}

static vta_status load(const vt_board_settings *s, const char *name, vta_diag *diag) {
    VT_TRY(check_manager(s->fpga, diag));
    VT_TRY(write_text(s->fpga, "flags", "0", diag)); /* the whole FPGA, not a part of it */
    VT_TRY(write_text(s->fpga, "firmware", name, diag));
    return check_state(s->fpga, name, diag);
}

vta_status vt__fpga_program(const vt_board_settings *s, const char *path, const vta_allocator *a, vta_diag *diag) {
    char firmware[FIRMWARE_BYTES];
    const char *name;
    name_firmware(s, path, firmware, &name);
    vta_status status = copy(path, firmware, a, diag);
    if (status == VTA_OK) status = load(s, name, diag);
    unlink(firmware); /* the FPGA has it, or will not */
    return status;
}
