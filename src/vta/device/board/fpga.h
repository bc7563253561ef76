/* Programming an FPGA, as the kernel lets it be done. */
#ifndef VT_DEVICE_BOARD_FPGA_H
#define VT_DEVICE_BOARD_FPGA_H

#include "device/board/attribute.h"
#include "device/board/settings.h"

/* How this kernel has its FPGA programmed. */
typedef enum vt_fpga_way {
    VT_FPGA_BY_NAME,    /* the manager's file `firmware`, of kernels that the boards' makers give away */
    VT_FPGA_BY_OVERLAY, /* an overlay of the FPGA region, by configfs */
    VT_FPGA_NO_WAY,     /* a manager without either, as mainline has it without configfs for overlays */
    VT_FPGA_NO_MANAGER
} vt_fpga_way;

vt_fpga_way vt__fpga_way(const vt_board_settings *s);
/* What its manager says, "operating" or another word of the kernel's; "": there is no manager. */
void vt__fpga_state(const vt_board_settings *s, char out_state[VT_ATTRIBUTE_BYTES]);
/* May the registers be touched? False when there is a manager, and it does not say "operating": an access to an FPGA
 * that is not programmed may stop the host for good. */
bool vt__fpga_works(const vt_board_settings *s);
/* Has the FPGA load a bitstream, waits until its manager says that it works, and enables bridges and clocks that the
 * settings name. VTA_NOT_FOUND: no such file, or no FPGA manager; VTA_UNSUPPORTED: the kernel has no way to. */
vta_status vt__fpga_program(const vt_board_settings *s, const char *path, const vta_allocator *allocator,
                            vta_diag *diag);

#endif
