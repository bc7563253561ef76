/* What the debug modes show, sent to the runtime's sink. */
#ifndef VT_RUNTIME_DUMP_H
#define VT_RUNTIME_DUMP_H

#include "runtime/command.h"

/* The finished, encoded stream; the runtime's lock is held. */
void vt_dump_stream(vt_command *command);
/* A kernel that was just recorded. */
void vt_dump_kernel(vt_command *command, const vt_uop_kernel *kernel);

#endif
