#include "device/findings.h"

#include <inttypes.h>
#include <stdio.h>

#include "isa/label.h"

static const struct {
    const char *name;
    vta_status status;
} kinds[] = {
#define VT_FINDING(NAME, name, status) {name, status},
#include "device/finding.def"
#undef VT_FINDING
};

static const struct {
    const char *name, *where, *text;
} warnings[] = {
#define VT_PORTABILITY(NAME, name, designs, where, avoided, text) {name, where, text},
#include "device/portability.def"
};

const char *vt_finding_name(vt_finding_kind kind) { return kinds[kind].name; }
const char *vt_warning_name(vt_portability kind) { return warnings[kind].name; }
const char *vt_warning_where(vt_portability kind) { return warnings[kind].where; }
const char *vt_warning_text(vt_portability kind) { return warnings[kind].text; }

/* ---- Collecting -------------------------------------------------------------------------------------------- */

static bool same_instructions(const vt_finding *a, const vt_finding *b) {
    return a->kind == b->kind && a->run == b->run && a->first.index == b->first.index &&
           a->second.index == b->second.index && a->memory == b->memory;
}

/* Where there is no room, a worse one takes the place of a milder one. */
static void show(vt_findings *findings, const vt_finding *finding) {
    if (findings->shown_count < VT_FINDINGS_SHOWN) {
        findings->shown[findings->shown_count++] = *finding;
        return;
    }
    vt_finding *mildest = findings->shown;
    for (uint32_t i = 1; i < VT_FINDINGS_SHOWN; i++)
        if (findings->shown[i].kind > mildest->kind) mildest = &findings->shown[i];
    if (finding->kind < mildest->kind) *mildest = *finding;
    findings->more++;
}

void vt_findings_add(vt_findings *findings, const vt_finding *finding) {
    findings->counts[finding->kind]++;
    for (uint32_t i = findings->shown_count; i-- > 0;) {
        vt_finding *f = &findings->shown[i];
        if (!same_instructions(f, finding)) continue;
        if (finding->from < f->from) f->from = finding->from;
        if (finding->to > f->to) f->to = finding->to;
        return;
    }
    show(findings, finding);
}

void vt_findings_warn(vt_findings *findings, vt_portability kind, uint32_t index, const vta_insn *insn) {
    vt_warning *w = &findings->warnings[kind];
    if (w->count++) return;
    w->first.index = index;
    vt_insn_label(insn, w->first.label);
}

void vt_findings_merge(vt_findings *sum, const vt_findings *run) {
    for (uint32_t i = 0; i < run->shown_count; i++) {
        vt_finding f = run->shown[i];
        f.run = sum->runs;
        show(sum, &f);
    }
    sum->more += run->more;
    for (int kind = 0; kind < VT_FINDING_COUNT; kind++) sum->counts[kind] += run->counts[kind];
    for (int kind = 0; kind < VT_WARN_COUNT; kind++) {
        vt_warning *w = &sum->warnings[kind];
        if (!w->count) w->first = run->warnings[kind].first, w->run = sum->runs;
        w->count += run->warnings[kind].count;
        sum->wrong[kind] |= run->wrong[kind];
    }
    sum->runs++;
}

/* ---- Telling ----------------------------------------------------------------------------------------------- */

vta_status vt_findings_status(const vt_findings *findings) {
    for (int kind = 0; kind < VT_FINDING_COUNT; kind++)
        if (findings->counts[kind]) return kinds[kind].status;
    for (int kind = 0; kind < VT_WARN_COUNT; kind++)
        if (findings->warnings[kind].count && findings->wrong[kind]) return VTA_UNSUPPORTED;
    return VTA_OK;
}

static void race_text(const vt_finding *f, char *to, size_t room) {
    snprintf(to, room,
             "instruction %u (%s) %s %s[%" PRIu64 "..%" PRIu64 "], which instruction %u (%s) %s, and no token path "
             "orders the two",
             f->second.index, f->second.label, f->second_writes ? "writes" : "reads", vta_memory_name(f->memory),
             f->from, f->to, f->first.index, f->first.label, f->second_writes ? "reads" : "writes");
}

static void dram_text(const vt_finding *f, char *to, size_t room) {
    snprintf(to, room,
             "instruction %u (%s) %s DRAM 0x%08" PRIx64 "..0x%08" PRIx64 ", which instruction %u (%s) %s, and no token "
             "path orders the two",
             f->second.index, f->second.label, f->second_writes ? "writes" : "reads", f->from, f->to, f->first.index,
             f->first.label, f->second_writes ? "reads" : "writes");
}

static void fetch_text(const vt_finding *f, char *to, size_t room) {
    snprintf(to, room,
             "instruction %u (%s) writes DRAM 0x%08" PRIx64 "..0x%08" PRIx64 ", where instruction %u (%s) and what "
             "follows it stand: they may be fetched before or after that",
             f->first.index, f->first.label, f->from, f->to, f->second.index, f->second.label);
}

static void unfinished_text(const vt_finding *f, char *to, size_t room) {
    snprintf(
        to, room,
        "no token path leads from instruction %u (%s) to instruction %u (%s): the device may report done before it "
        "ran",
        f->first.index, f->first.label, f->second.index, f->second.label);
}

static void unwritten_text(const vt_finding *f, char *to, size_t room) {
    snprintf(to, room,
             "instruction %u (%s) reads %s[%" PRIu64 "..%" PRIu64 "], where no instruction of this run has written "
             "before it; what earlier runs left on chip does not count",
             f->first.index, f->first.label, vta_memory_name(f->memory), f->from, f->to);
}

void vt_finding_text(const vt_finding *finding, char *to, size_t room) {
    static void (*const texts[VT_FINDING_COUNT])(const vt_finding *, char *, size_t) = {
        [VT_FINDING_RACE] = race_text,           [VT_FINDING_DRAM_RACE] = dram_text,
        [VT_FINDING_FETCH_RACE] = fetch_text,    [VT_FINDING_UNFINISHED] = unfinished_text,
        [VT_FINDING_UNWRITTEN] = unwritten_text,
    };
    texts[finding->kind](finding, to, room);
}

vta_status vt_findings_report(const vt_findings *findings, vta_diag *diag) {
    char text[320];
    for (int kind = 0; kind < VT_FINDING_COUNT; kind++)
        for (uint32_t i = 0; i < findings->shown_count; i++) {
            if (findings->shown[i].kind != (vt_finding_kind)kind) continue;
            vt_finding_text(&findings->shown[i], text, sizeof text);
            (void)vt_fail(diag, kinds[kind].status, "%s", text);
        }
    if (findings->more)
        vt_note_at(diag, VT_NO_POS, "these are the first %u findings; %u more accesses were wrong",
                   findings->shown_count, findings->more);
    for (int kind = 0; kind < VT_WARN_COUNT; kind++) {
        const vt_warning *w = &findings->warnings[kind];
        if (w->count && findings->wrong[kind])
            (void)vt_fail(diag, VTA_UNSUPPORTED, "instruction %u (%s), the first of %u: %s", w->first.index,
                          w->first.label, w->count, warnings[kind].text);
        else if (w->count)
            vt_warn_at(diag, VTA_ILLEGAL, VT_NO_POS, "instruction %u (%s), the first of %u: %s", w->first.index,
                       w->first.label, w->count, warnings[kind].text);
    }
    return vt_findings_status(findings);
}
