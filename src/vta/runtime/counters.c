/* The counters as the programs of TVM's VTA print them. */
#include "base/strbuf.h"
#include "vta/runtime.h"

char *vta_counters_to_text(const vta_counters *counters) {
    /* The seven of TVM's VTA, in its order; the rest is in the JSON form. */
    enum { ORIGINAL = 7 };
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    if (!counters) return NULL;
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
#define VTA_COUNTER(name, meaning) {#name, counters->name},
#include "vta/counters.def"
#undef VTA_COUNTER
    };
    vt_strbuf_add(&sb, "Execution statistics:\n");
    for (int i = 0; i < ORIGINAL; i++)
        vt_strbuf_addf(&sb, "\t%-16s: %16llu\n", rows[i].name, (unsigned long long)rows[i].value);
    return vt_strbuf_take(&sb);
}
