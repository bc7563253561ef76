/* The recorder's functions, for binding traced code to them. Folder-private. */
#ifndef VT_BUILD_TRACE_H
#define VT_BUILD_TRACE_H

#include "codegen/codegen.h"

/* The names that traced code must find, each with the recorder's function; *out_n of them. Static storage. */
const vt_jit_symbol *vt__trace_symbols(size_t *out_n);

#endif
