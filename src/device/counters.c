/* Counters as text. */
#include "base/strbuf.h"
#include "vta/device.h"

char *vta_counters_to_json(const vta_counters *counters) {
    if (!counters) return NULL;
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    const char *separator = "{";
#define VTA_COUNTER(name, meaning)                                                                                     \
    vt_strbuf_addf(&sb, "%s\"%s\": %llu", separator, #name, (unsigned long long)counters->name);                       \
    separator = ", ";
#include "vta/counters.def"
#undef VTA_COUNTER
    vt_strbuf_addc(&sb, '}');
    char *text = vt_strbuf_take(&sb);
    vt_strbuf_free(&sb);
    return text;
}
