/* Recorded counters as JSON. */
#include "base/json.h"
#include "base/json_write.h"
#include "program/program_priv.h"

static const char *const names[] = {
#define VTA_COUNTER(name, meaning) #name,
#include "vta/counters.def"
#undef VTA_COUNTER
};

enum { COUNT = sizeof names / sizeof *names };
_Static_assert(COUNT <= 32, "the mask of vta_program_set_stats has 32 bits");

static uint64_t *counter(vta_counters *c, unsigned i) {
    uint64_t *const all[] = {
#define VTA_COUNTER(name, meaning) &c->name,
#include "vta/counters.def"
#undef VTA_COUNTER
    };
    return all[i];
}

void vt__stats_print(const vta_program *p, vt_strbuf *sb) {
    vta_counters c = p->stats;
    vt_json w;
    vt_json_init(&w, sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    for (unsigned i = 0; i < COUNT; i++)
        if (p->stats_mask >> i & 1) vt_json_uint(&w, names[i], *counter(&c, i));
    vt_json_end(&w);
}

vta_status vt__stats_parse(vta_program *p, const char *json, size_t size, const char *name, vta_diag *diag) {
    json_t *root;
    VT_TRY(vt_json_parse(json, size, name, diag, &root));
    vta_counters c = {0};
    uint32_t mask = 0;
    vta_status status = VTA_OK;
    if (!json_is_object(root))
        status = vt_fail_at(diag, VTA_PARSE, (vt_pos){name, 1, 1}, "statistics are one JSON object");
    for (unsigned i = 0; i < COUNT && status == VTA_OK; i++) {
        const json_t *value = json_object_get(root, names[i]);
        if (!value) continue;
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            status =
                vt_fail_at(diag, VTA_PARSE, (vt_pos){.file = name}, "%s: must be a whole number, 0 or more", names[i]);
        *counter(&c, i) = (uint64_t)json_integer_value(value);
        mask |= (uint32_t)1 << i;
    }
    json_decref(root);
    if (status == VTA_OK) vta_program_set_stats(p, &c, mask);
    return status;
}
