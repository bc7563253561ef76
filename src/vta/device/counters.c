/* Counters as text. */
#include "base/json_write.h"
#include "vta/device.h"

char *vta_counters_to_json(const vta_counters *counters) {
    if (!counters) return NULL;
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, NULL);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
#define VTA_COUNTER(name, meaning) vt_json_uint(&w, #name, counters->name);
#include "vta/counters.def"
#undef VTA_COUNTER
    vt_json_end(&w);
    return vt_strbuf_take(&sb);
}
