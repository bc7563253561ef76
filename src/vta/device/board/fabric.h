/* What stands between processor and FPGA besides the FPGA itself: bridges and clocks, enabled by name. */
#ifndef VT_DEVICE_BOARD_FABRIC_H
#define VT_DEVICE_BOARD_FABRIC_H

#include "device/board/settings.h"

/* One bridge or clock that the settings name. */
typedef enum vt_fabric_kind { VT_BRIDGE, VT_CLOCK } vt_fabric_kind;
typedef enum vt_fabric_state { VT_FABRIC_ON, VT_FABRIC_OFF, VT_FABRIC_MISSING } vt_fabric_state;

typedef struct vt_fabric_part {
    vt_fabric_kind kind;
    vt_fabric_state state;
    char name[64];
    char rate[32];     /* of a clock, as the settings ask for it; "": whatever it has */
    char folder[600];  /* in sysfs */
    bool can_switch;   /* has the kernel a file to enable it with? */
    const char *where; /* the setting with the folder that was looked in, and what that is */
    char looked_in[VT_BOARD_TEXT];
} vt_fabric_part;

/* The n-th part that the settings name, bridges first, as it is now; nothing is changed. False: there are no more. */
bool vt__fabric_part(const vt_board_settings *s, int n, vt_fabric_part *out_part);
/* Enables all of them, clocks at their rates. VTA_NOT_FOUND, VTA_UNSUPPORTED, VTA_IO: which, and what to do. */
vta_status vt__fabric_enable(const vt_board_settings *s, vta_diag *diag);
/* Are all of them enabled? */
bool vt__fabric_is_on(const vt_board_settings *s);

#endif
