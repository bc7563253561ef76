/* Configurations into JSON that is being written. */
#ifndef VT_CONFIG_WRITE_H
#define VT_CONFIG_WRITE_H

#include "base/json_write.h"
#include "vta/config.h"

/* The configuration as an object, with each key on a line of its own if asked for. */
void vt_config_write(vt_json *w, const vta_config *config, bool lines);

#endif
