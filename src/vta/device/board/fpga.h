/* Programming an FPGA through the kernel's FPGA manager. */
#ifndef VT_DEVICE_BOARD_FPGA_H
#define VT_DEVICE_BOARD_FPGA_H

#include "device/board/settings.h"

/* Has the FPGA manager load a bitstream, and waits until it says that it works. VTA_NOT_FOUND: no such file, or no
 * FPGA manager. */
vta_status vt__fpga_program(const vt_board_settings *s, const char *path, const vta_allocator *allocator,
                            vta_diag *diag);

#endif
