/* What the drivers of boards and their check (`vta board check`) share. */
#ifndef VT_DEVICE_BOARD_BOARD_H
#define VT_DEVICE_BOARD_BOARD_H

#include "base/json_write.h"
#include "device/board/mapped.h"
#include "device/board/settings.h"

/* Maps the registers that the settings name; nothing of them is touched. */
vta_status vt__board_map(const vt_board_settings *s, const vt_register_map *map, uint32_t address, vta_diag *diag,
                         vt_mapped *out_mapped);
/* May its registers be touched, as the machine is now? Always with a model. */
bool vt__board_is_reachable(const vt_board_settings *s);
/* Registers that may be touched, and that nobody has: does the accelerator run nothing? VTA_TIMEOUT: it runs a stream;
 * VTA_UNSUPPORTED: none may run; VTA_IO: somebody took it meanwhile. */
vta_status vt__board_runs_nothing(vt_mapped *mapped, const vt_register_map *map, vta_diag *diag);

/* Looks at all parts (parts.def), and writes them as members of the object that is open: {"parts": [{"name", "is",
 * "state", "found", "advice"}], "missing": N}. A part's state is "ok", "missing" or "unknown". */
vta_status vt__board_check(const vt_board_settings *s, const vt_register_map *map, uint32_t address,
                           const vta_allocator *allocator, vt_json *w, vta_diag *diag);

#endif
