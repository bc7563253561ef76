/* The folder where what is made of a design is kept: models, results of syntheses. */
#ifndef VT_HARDWARE_PLACE_H
#define VT_HARDWARE_PLACE_H

#include "hardware/hardware.h"

/* Makes the file `name` from the design, whose sources lie in `folder`/sources: `folder`/`name`. */
typedef vta_status (*vt_hardware_maker)(const char *folder, const char *name, const vta_hardware_options *options,
                                        const void *arg, vta_diag *diag);
/* The file `name` in the place of the design; made if it is not there. *out_path with vta_string_free. */
vta_status vt_hardware_made(const vta_config *config, const vta_hardware_options *options, const char *name,
                            vt_hardware_maker make, const void *arg, vta_diag *diag, char **out_path);
/* FNV-1a of 64 bits: a name for contents, not a protection. Begins with VT_HASH_BEGIN. */
#define VT_HASH_BEGIN 0xcbf29ce484222325u
uint64_t vt_hash_text(uint64_t hash, const char *text);
/* The path of a file in the place of a design, whether it is there or not; with vta_string_free. */
vta_status vt_hardware_path(const vta_config *config, const vta_hardware_options *options, const char *name,
                            vta_diag *diag, char **out_path);
bool vt_hardware_there_is(const char *path);

#endif
