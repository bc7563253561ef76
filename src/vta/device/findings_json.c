/* What checked runs found, as JSON. */
#include "device/findings.h"

#include <stdio.h>

#include "base/json_write.h"
#include "device/driver.h"

static bool is_race(vt_finding_kind kind) { return kind != VT_FINDING_UNWRITTEN; }

static void add_insn(vt_json *w, const char *which, const vt_finding_insn *insn) {
    char label[16];
    snprintf(label, sizeof label, "%s_is", which);
    vt_json_uint(w, which, insn->index);
    vt_json_text(w, label, insn->label);
}

/* UNFINISHED is about no place. */
static void add_place(vt_json *w, const vt_finding *f) {
    bool on_chip = f->kind == VT_FINDING_RACE || f->kind == VT_FINDING_UNWRITTEN;
    if (f->kind == VT_FINDING_UNFINISHED) return;
    vt_json_text(w, "memory", on_chip ? vta_memory_name(f->memory) : "dram");
    vt_json_uint(w, "from", f->from);
    vt_json_uint(w, "to", f->to);
}

static void add_errors(vt_json *w, const char *key, const vt_findings *found, bool races) {
    char text[320];
    vt_json_array(w, key);
    for (uint32_t i = 0; i < found->shown_count; i++) {
        const vt_finding *f = &found->shown[i];
        if (is_race(f->kind) != races) continue;
        vt_finding_text(f, text, sizeof text);
        vt_json_object(w, NULL);
        vt_json_text(w, "kind", vt_finding_name(f->kind));
        vt_json_uint(w, "run", f->run);
        add_insn(w, "first", &f->first);
        if (races) add_insn(w, "second", &f->second);
        add_place(w, f);
        vt_json_text(w, "text", text);
        vt_json_end(w);
    }
    vt_json_end(w);
}

/* Those that are errors, or the others. */
static void add_warnings(vt_json *w, const char *key, const vt_findings *found, bool wrong) {
    vt_json_array(w, key);
    for (int kind = 0; kind < VT_WARN_COUNT; kind++) {
        const vt_warning *warning = &found->warnings[kind];
        if (!warning->count || found->wrong[kind] != wrong) continue;
        vt_json_object(w, NULL);
        vt_json_text(w, "kind", vt_warning_name((vt_portability)kind));
        vt_json_uint(w, "count", warning->count);
        vt_json_uint(w, "run", warning->run);
        add_insn(w, "first", &warning->first);
        vt_json_text(w, "differs", vt_warning_where((vt_portability)kind));
        vt_json_text(w, "text", vt_warning_text((vt_portability)kind));
        vt_json_end(w);
    }
    vt_json_end(w);
}

char *vta_device_findings_to_json(const vta_device *device) {
    static const vt_findings none;
    if (!device) return NULL;
    const vt_findings *found = device->driver->findings ? device->driver->findings(device) : &none;
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, NULL);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vt_json_uint(&w, "runs", found->runs);
    add_errors(&w, "races", found, true);
    add_errors(&w, "unwritten", found, false);
    vt_json_uint(&w, "more", found->more);
    add_warnings(&w, "unsupported", found, true);
    add_warnings(&w, "warnings", found, false);
    vt_json_end(&w);
    return vt_strbuf_take(&sb);
}
