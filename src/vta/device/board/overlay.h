/* Programming an FPGA through a device-tree overlay of its FPGA region: the way of mainline kernels that have configfs
 * for overlays. The kernel loads the bitstream and switches the region's bridges. */
#ifndef VT_DEVICE_BOARD_OVERLAY_H
#define VT_DEVICE_BOARD_OVERLAY_H

#include <stddef.h>

#include "device/board/settings.h"

enum { VT_OVERLAY_BYTES = 1280 };

/* Has the kernel files for overlays (board setting overlays=)? */
bool vt__overlays_are_there(const vt_board_settings *s);
/* The region's path in the device tree, from its folder in sysfs (board setting region=), or as the setting says it.
 * VTA_NOT_FOUND: there is none. */
vta_status vt__overlay_region(const vt_board_settings *s, vta_diag *diag, char out_path[VT_BOARD_TEXT]);
/* The overlay that has the region load `firmware`, a name below the folder of firmware; gives its size. Both texts are
 * below VT_BOARD_TEXT + 256 together. */
size_t vt__overlay_make(const char *region, const char *firmware, unsigned char out_bytes[VT_OVERLAY_BYTES]);
/* Takes our overlay away, if one is there, and applies one that loads `firmware`: the file of the board setting
 * overlay=, or one that is made here. */
vta_status vt__overlay_apply(const vt_board_settings *s, const char *firmware, const vta_allocator *allocator,
                             vta_diag *diag);

#endif
