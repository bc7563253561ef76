/* Where a board's registers, memory and FPGA are: "registers=/dev/uio0 memory=udmabuf1" (docs/boards.md). */
#ifndef VT_DEVICE_BOARD_SETTINGS_H
#define VT_DEVICE_BOARD_SETTINGS_H

#include "base/diag.h"

enum { VT_BOARD_TEXT = 256 };

typedef struct vt_board_settings {
#define VT_BOARD_SETTING(name, value, meaning) char name[VT_BOARD_TEXT];
#include "device/board/settings.def"
#undef VT_BOARD_SETTING
} vt_board_settings;

/* `text` NULL: $VTA_BOARD, else all defaults. VTA_INVALID_ARGUMENT for a key that does not exist. */
vta_status vt__board_settings(const char *text, vta_diag *diag, vt_board_settings *out_settings);

#endif
