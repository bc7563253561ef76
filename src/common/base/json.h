/* JSON texts, read with errors that say where. base/json_write.h writes them. */
#ifndef VT_BASE_JSON_H
#define VT_BASE_JSON_H

#include <jansson.h>

#include "base/diag.h"

/* Parses a text; VTA_PARSE with `name`, line and column where it is wrong, also where a key is given twice. Give
 * *out_root back with json_decref. */
vta_status vt_json_parse(const char *json, size_t size, const char *name, vta_diag *diag, json_t **out_root);

#endif
