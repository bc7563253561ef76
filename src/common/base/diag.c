#include "base/diag.h"

#include <string.h>

#include "base/strbuf.h"

typedef struct entry {
    vta_severity severity;
    vta_status status;
    char *message; /* NULL stands for NO_MEMORY_TEXT */
    char *file;
    uint32_t line;
    uint32_t column;
} entry;

struct vta_diag {
    const vta_allocator *allocator;
    entry *entries;
    size_t count;
    size_t cap;
    size_t lost; /* entries for which there was no memory at all */
    vt_strbuf text, details;
};

static const char NO_MEMORY_TEXT[] = "out of memory";

vta_diag *vta_diag_create(const vta_allocator *allocator) {
    vta_diag *diag = vt_alloc_zero(allocator, sizeof *diag);
    if (!diag) return NULL;
    diag->allocator = allocator;
    vt_strbuf_init(&diag->text, allocator);
    vt_strbuf_init(&diag->details, allocator);
    return diag;
}

void vta_diag_clear(vta_diag *diag) {
    if (!diag) return;
    for (size_t i = 0; i < diag->count; i++) {
        vt_strfree(diag->allocator, diag->entries[i].message);
        vt_strfree(diag->allocator, diag->entries[i].file);
    }
    diag->count = 0;
    diag->lost = 0;
}

void vta_diag_destroy(vta_diag *diag) {
    if (!diag) return;
    vta_diag_clear(diag);
    vt_strbuf_free(&diag->text);
    vt_strbuf_free(&diag->details);
    vt_free(diag->allocator, diag->entries, diag->cap * sizeof *diag->entries);
    vt_free(diag->allocator, diag, sizeof *diag);
}

static bool is_lost(const vta_diag *diag, size_t index) { return index >= diag->count; }

size_t vta_diag_count(const vta_diag *diag) { return diag ? diag->count + (diag->lost ? 1 : 0) : 0; }

vta_status vta_diag_get(const vta_diag *diag, size_t index, vta_diag_entry *out_entry) {
    if (!out_entry) return VTA_INVALID_ARGUMENT;
    *out_entry = (vta_diag_entry){0};
    if (index >= vta_diag_count(diag)) return VTA_OUT_OF_RANGE;
    if (is_lost(diag, index)) {
        *out_entry = (vta_diag_entry){.severity = VTA_ERROR, .status = VTA_NO_MEMORY, .message = NO_MEMORY_TEXT};
        return VTA_OK;
    }
    const entry *e = &diag->entries[index];
    *out_entry =
        (vta_diag_entry){e->severity, e->status, e->message ? e->message : NO_MEMORY_TEXT, e->file, e->line, e->column};
    return VTA_OK;
}

vta_status vta_diag_status(const vta_diag *diag) {
    for (size_t i = 0; i < vta_diag_count(diag); i++) {
        vta_diag_entry e;
        if (vta_diag_get(diag, i, &e) == VTA_OK && e.severity == VTA_ERROR) return e.status;
    }
    return VTA_OK;
}

static void add_line(vt_strbuf *sb, const vta_diag_entry *e) {
    static const char *const names[] = {"error", "warning", "note"};
    if (sb->size) vt_strbuf_addc(sb, '\n');
    if (e->file) vt_strbuf_addf(sb, "%s:", e->file);
    if (e->line) vt_strbuf_addf(sb, "%u:%u:", e->line, e->column);
    if (e->file || e->line) vt_strbuf_addc(sb, ' ');
    vt_strbuf_addf(sb, "%s: %s", names[e->severity], e->message);
}

const char *vta_diag_text(vta_diag *diag) {
    if (!diag) return "";
    vt_strbuf_clear(&diag->text);
    for (size_t i = 0; i < vta_diag_count(diag); i++) {
        vta_diag_entry e;
        if (vta_diag_get(diag, i, &e) == VTA_OK && e.severity != VTA_DETAIL) add_line(&diag->text, &e);
    }
    return diag->text.failed ? NO_MEMORY_TEXT : vt_strbuf_text(&diag->text);
}

const char *vt_diag_reason(vta_diag *diag) {
    if (!diag) return NO_MEMORY_TEXT;
    vt_strbuf_clear(&diag->text);
    for (size_t i = 0; i < vta_diag_count(diag); i++) {
        vta_diag_entry e;
        if (vta_diag_get(diag, i, &e) != VTA_OK || e.severity != VTA_ERROR) continue;
        if (diag->text.size) vt_strbuf_add(&diag->text, "; ");
        vt_strbuf_add(&diag->text, e.message);
    }
    return diag->text.failed || !diag->text.size ? NO_MEMORY_TEXT : vt_strbuf_text(&diag->text);
}

const char *vta_diag_details(vta_diag *diag) {
    if (!diag) return "";
    vt_strbuf_clear(&diag->details);
    for (size_t i = 0; i < vta_diag_count(diag); i++) {
        vta_diag_entry e;
        if (vta_diag_get(diag, i, &e) != VTA_OK || e.severity != VTA_DETAIL) continue;
        if (diag->details.size) vt_strbuf_addc(&diag->details, '\n');
        vt_strbuf_add(&diag->details, e.message);
    }
    return diag->details.failed ? NO_MEMORY_TEXT : vt_strbuf_text(&diag->details);
}

static void append(vta_diag *diag, vta_severity severity, vta_status status, vt_pos pos, char *message) {
    if (!vt_reserve(diag->allocator, &diag->entries, &diag->cap, diag->count + 1, sizeof *diag->entries)) {
        vt_strfree(diag->allocator, message);
        diag->lost++;
        return;
    }
    diag->entries[diag->count++] = (entry){
        .severity = severity,
        .status = message ? status : VTA_NO_MEMORY,
        .message = message,
        .file = pos.file ? vt_strdup(diag->allocator, pos.file) : NULL,
        .line = pos.line,
        .column = pos.column,
    };
}

static void vappend(vta_diag *diag, vta_severity severity, vta_status status, vt_pos pos, const char *fmt,
                    va_list args) {
    if (!diag) return;
    vt_strbuf sb;
    vt_strbuf_init(&sb, diag->allocator);
    vt_strbuf_vaddf(&sb, fmt, args);
    append(diag, severity, status, pos, vt_strbuf_take(&sb));
}

#define VAPPEND(severity, status, pos)                                                                                 \
    va_list args;                                                                                                      \
    va_start(args, fmt);                                                                                               \
    vappend(diag, (severity), (status), (pos), fmt, args);                                                             \
    va_end(args)

vta_status vt_fail(vta_diag *diag, vta_status status, const char *fmt, ...) {
    VAPPEND(VTA_ERROR, status, VT_NO_POS);
    return status;
}

vta_status vt_fail_at(vta_diag *diag, vta_status status, vt_pos pos, const char *fmt, ...) {
    VAPPEND(VTA_ERROR, status, pos);
    return status;
}

void vt_warn_at(vta_diag *diag, vta_status status, vt_pos pos, const char *fmt, ...) {
    VAPPEND(VTA_WARNING, status, pos);
}

void vt_note_at(vta_diag *diag, vt_pos pos, const char *fmt, ...) { VAPPEND(VTA_NOTE, VTA_OK, pos); }
void vt_detail(vta_diag *diag, const char *fmt, ...) { VAPPEND(VTA_DETAIL, VTA_OK, VT_NO_POS); }

vta_status vt_no_memory(vta_diag *diag) {
    if (diag) append(diag, VTA_ERROR, VTA_NO_MEMORY, VT_NO_POS, NULL);
    return VTA_NO_MEMORY;
}

vta_status vta_diag_add(vta_diag *diag, vta_severity severity, vta_status status, const char *message) {
    if (!diag || !message || (unsigned)severity > VTA_DETAIL) return VTA_INVALID_ARGUMENT;
    char *copy = vt_strdup(diag->allocator, message);
    append(diag, severity, status, VT_NO_POS, copy);
    return copy ? VTA_OK : VTA_NO_MEMORY;
}
