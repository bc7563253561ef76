#include "findings.h"

#include "cli.h"

void cli_findings_json(json_t *into, char *findings) {
    static const char *const keys[] = {"races", "unwritten", "more", "unsupported", "warnings"};
    json_t *all = cli_json_of(findings);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        json_object_set(into, keys[i], json_object_get(all, keys[i]));
    json_decref(all);
}

void cli_findings_warn(char *findings) {
    json_t *all = cli_json_of(findings), *w;
    size_t i;
    json_array_foreach(json_object_get(all, "warnings"), i, w) {
        char text[512];
        snprintf(text, sizeof text, "instruction %d (%s), the first of %d: %s",
                 (int)json_integer_value(json_object_get(w, "first")),
                 json_string_value(json_object_get(w, "first_is")),
                 (int)json_integer_value(json_object_get(w, "count")), json_string_value(json_object_get(w, "text")));
        vta_diag_add(cli_diag(), VTA_WARNING, VTA_ILLEGAL, text);
    }
    json_decref(all);
}
