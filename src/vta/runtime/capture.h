/* Recording device runs as a program (vta/program.h). */
#ifndef VT_RUNTIME_CAPTURE_H
#define VT_RUNTIME_CAPTURE_H

#include "runtime/runtime_priv.h"
#include "vta/program.h"

/* Every run of a runtime goes through here; its lock is held. */
vta_status vt_run_device_locked(vta_runtime *runtime, const vt_run *run, vta_diag *diag);
/* Begins a recording, to a file or (NULL) in memory; there is none yet. The lock is held, or nobody else knows the
 * runtime. */
vta_status vt_capture_begin(vta_runtime *runtime, const char *path, bool of_process, vta_diag *diag);
/* Writes and ends a recording; does nothing when there is none. The lock is held, or nobody else is left. */
vta_status vt_capture_end(vta_runtime *runtime, vta_diag *diag);
/* Ends a recording in memory and gives it away; NULL when nothing ran. The lock is held. */
vta_status vt_capture_take(vta_runtime *runtime, vta_diag *diag, vta_program **out_program);

#endif
