/* Lowered functions of the compiler, as its users see them: opaque, printable, checkable.
 *
 * A vtac_func belongs to the compile context that made it (te.h, pass.h, build.h) and lives as long as that does, or
 * until it is released. Reading one from several threads at once is allowed while nobody compiles with the
 * context it belongs to; printing counts as compiling. */
#ifndef VTA_IR_H
#define VTA_IR_H

#include <stdbool.h>

#include "vta/status.h"

VTA_BEGIN

typedef struct vtac_func vtac_func;

/* The two text styles in which functions are shown. */
typedef enum vtac_style { VTAC_STYLE_PRIMFN = 0, VTAC_STYLE_TVMSCRIPT = 1 } vtac_style;

/* Frees the function, with all memory that lowering took, before its context; from any thread. Modules that were built
 * of it stay. NULL is allowed. */
VTA_API void vtac_func_release(const vtac_func *func);
/* The name under which the function is exported. Belongs to the function. */
VTA_API const char *vtac_func_name(const vtac_func *func);
/* The number of parameters. */
VTA_API uint32_t vtac_func_param_count(const vtac_func *func);
/* The text of a function, zero terminated; free with vta_string_free. VTA_NO_MEMORY; VTA_INVALID_ARGUMENT for a null or
 * an unknown style. */
VTA_API vta_status vtac_func_print(const vtac_func *func, vtac_style style, vta_diag *diag, char **out_text);
/* Checks that a function is well formed (types, definitions before uses, dimensions): for passes under development.
 * VTA_ILLEGAL with one diagnostic for each thing that is wrong (the first twenty). */
VTA_API vta_status vtac_func_verify(const vtac_func *func, vta_diag *diag);

VTA_END

#endif
