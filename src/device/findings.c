/* What checked runs found, as JSON. No text in it has a character that JSON would escape. */
#include "device/core/findings.h"

#include <inttypes.h>

#include "base/strbuf.h"
#include "device/core/driver.h"

static bool is_race(vt_finding_kind kind) { return kind != VT_FINDING_UNWRITTEN; }

static void add_insn(vt_strbuf *sb, const char *which, const vt_finding_insn *insn) {
    vt_strbuf_addf(sb, ", \"%s\": %u, \"%s_is\": \"%s\"", which, insn->index, which, insn->label);
}

/* UNFINISHED is about no place. */
static void add_place(vt_strbuf *sb, const vt_finding *f) {
    bool on_chip = f->kind == VT_FINDING_RACE || f->kind == VT_FINDING_UNWRITTEN;
    if (f->kind != VT_FINDING_UNFINISHED)
        vt_strbuf_addf(sb, ", \"memory\": \"%s\", \"from\": %" PRIu64 ", \"to\": %" PRIu64,
                       on_chip ? vta_memory_name(f->memory) : "dram", f->from, f->to);
}

static void add_errors(vt_strbuf *sb, const vt_findings *found, bool races) {
    char text[320];
    const char *separator = "";
    for (uint32_t i = 0; i < found->shown_count; i++) {
        const vt_finding *f = &found->shown[i];
        if (is_race(f->kind) != races) continue;
        vt_finding_text(f, text, sizeof text);
        vt_strbuf_addf(sb, "%s{\"kind\": \"%s\", \"run\": %u", separator, vt_finding_name(f->kind), f->run);
        add_insn(sb, "first", &f->first);
        if (races) add_insn(sb, "second", &f->second);
        add_place(sb, f);
        vt_strbuf_addf(sb, ", \"text\": \"%s\"}", text);
        separator = ", ";
    }
}

static void add_warnings(vt_strbuf *sb, const vt_findings *found) {
    const char *separator = "";
    for (int kind = 0; kind < VT_WARN_COUNT; kind++) {
        const vt_warning *w = &found->warnings[kind];
        if (!w->count) continue;
        vt_strbuf_addf(sb, "%s{\"kind\": \"%s\", \"count\": %u, \"run\": %u", separator,
                       vt_warning_name((vt_portability)kind), w->count, w->run);
        add_insn(sb, "first", &w->first);
        vt_strbuf_addf(sb, ", \"differs\": \"%s\", \"text\": \"%s\"}", vt_warning_where((vt_portability)kind),
                       vt_warning_text((vt_portability)kind));
        separator = ", ";
    }
}

char *vta_device_findings_to_json(const vta_device *device) {
    if (!device) return NULL;
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    vt_strbuf_addf(&sb, "{\"runs\": %u, \"races\": [", device->found.runs);
    add_errors(&sb, &device->found, true);
    vt_strbuf_add(&sb, "], \"unwritten\": [");
    add_errors(&sb, &device->found, false);
    vt_strbuf_addf(&sb, "], \"more\": %u, \"warnings\": [", device->found.more);
    add_warnings(&sb, &device->found);
    vt_strbuf_add(&sb, "]}");
    char *text = vt_strbuf_take(&sb);
    vt_strbuf_free(&sb);
    return text;
}
