#include "runtime/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct entry_text {
    const char *name;
    const char *types; /* a letter for each argument */
    const char *args;  /* their names, separated by ", " */
} entry_text;

static const entry_text entries[] = {
#define VTA_RUNTIME_ENTRY(name, result, types, ...) {#name, types, "" #__VA_ARGS__},
#include "vta/runtime.def"
#undef VTA_RUNTIME_ENTRY
};

static int print_value(char *to, size_t room, char type, uint64_t value) {
    switch (type) {
    case 'p': return value ? snprintf(to, room, "0x%" PRIx64, value) : snprintf(to, room, "NULL");
    case 'i': return snprintf(to, room, "%" PRId32, (int32_t)value);
    default: return snprintf(to, room, "%" PRIu64, value);
    }
}

/* "VTADepPush(cmd=0x…, from_qid=1, to_qid=3)"; `room` is ample for the longest call. */
static void print_call(char *to, size_t room, const vt_call *call) {
    const entry_text *e = &entries[call->entry];
    size_t n = (size_t)snprintf(to, room, "%s(", e->name);
    const char *name = e->args;
    for (int i = 0; e->types[i]; i++) {
        size_t length = strcspn(name, ",");
        n += (size_t)snprintf(to + n, room - n, "%s%.*s=", i ? ", " : "", (int)length, name);
        n += (size_t)print_value(to + n, room - n, e->types[i], call->args[i]);
        name += length + (name[length] == ',' ? 2 : 0);
    }
    snprintf(to + n, room - n, ")");
}

/* Old lines go, oldest first, when a new one needs their room. */
static void make_room(vt_report *report, size_t want) {
    size_t keep = 0;
    while (report->size - keep + want > VT_REPORT_BYTES && keep < report->size) {
        const char *end = memchr(report->text + keep, '\n', report->size - keep);
        keep = end ? (size_t)(end - report->text) + 1 : report->size;
    }
    report->moved += keep != 0;
    memmove(report->text, report->text + keep, report->size - keep);
    report->size -= (uint32_t)keep;
}

/* That of the first failure; none says more than that there was no memory. */
static void note_status(vt_report *report, vta_status status) {
    if (!report->size || status == VTA_NO_MEMORY) report->status = status;
}

void vt_report_line(vt_report *report, vta_status status, const char *line) {
    note_status(report, status);
    size_t length = strlen(line);
    if (length > VT_REPORT_BYTES - 2) length = VT_REPORT_BYTES - 2;
    make_room(report, length + 2);
    if (report->size) report->text[report->size++] = '\n';
    memcpy(report->text + report->size, line, length);
    report->size += (uint32_t)length;
    report->text[report->size] = '\0';
}

void vt_report_call(vt_report *report, const vt_call *call, vta_status status, const char *reason) {
    char line[VT_REPORT_BYTES / 2];
    print_call(line, sizeof line, call);
    size_t n = strlen(line);
    snprintf(line + n, sizeof line - n, ": %s", reason);
    vt_report_line(report, status, line);
}

const char *vt_report_text(const vt_report *report) { return report->size ? report->text : NULL; }

vta_diag_entry vt_report_reason(const vta_diag *diag) {
    for (size_t i = 0; i < vta_diag_count(diag); i++) {
        vta_diag_entry entry;
        if (vta_diag_get(diag, i, &entry) == VTA_OK && entry.severity == VTA_ERROR) return entry;
    }
    return (vta_diag_entry){.status = VTA_NO_MEMORY, .message = "out of memory"};
}

void vt_report_clear(vt_report *report) {
    report->status = VTA_OK;
    report->moved += report->size != 0;
    report->size = 0;
}

vt_report_mark vt_report_here(const vt_report *report) { return (vt_report_mark){report->size, report->moved}; }

const char *vt_report_since(const vt_report *report, vt_report_mark mark) {
    if (report->moved != mark.moved) mark.size = 0;
    if (report->size == mark.size) return NULL;
    return report->text + mark.size + (mark.size != 0); /* the line end before the new ones */
}
