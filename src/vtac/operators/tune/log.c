/* Logs: reading them, and the best schedule that one has for an operator. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/versioned.h"
#include "operators/tune/tune.h"

enum { MAX_BYTES = 1 << 30, WARNINGS = 20 };

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

void vtac_tune_log_destroy(vtac_tune_log *log) {
    if (!log) return;
    for (size_t i = 0; i < log->count; i++) vt__tune_record_free(&log->lines[i]);
    vt_free(log->allocator, log->lines, log->cap * sizeof *log->lines);
    vt_strfree(log->allocator, log->name);
    vt_free(log->allocator, log, sizeof *log);
}

size_t vtac_tune_log_count(const vtac_tune_log *log) { return log ? log->count : 0; }
size_t vtac_tune_log_refused(const vtac_tune_log *log) { return log ? log->refused : 0; }

/* A line that is not a record is reported, unless there are too many of them. */
static vta_status refuse(vtac_tune_log *log, vta_diag *said, uint32_t line, vta_diag *diag) {
    vta_diag_entry entry = {.message = "not a record"};
    vta_diag_get(said, 0, &entry);
    if (entry.status == VTA_NO_MEMORY) return vt_no_memory(diag);
    if (log->refused++ < WARNINGS)
        vt_warn_at(diag, VTA_PARSE, (vt_pos){log->name, line, entry.column}, "%s; the line is left out", entry.message);
    return VTA_OK;
}

static vta_status add_line(vtac_tune_log *log, const char *text, size_t size, uint32_t number, vta_diag *said,
                           vta_diag *diag) {
    vt_tune_line line;
    vta_diag_clear(said);
    if (!vt_reserve(log->allocator, &log->lines, &log->cap, log->count + 1, sizeof *log->lines))
        return vt_no_memory(diag);
    if (vt__tune_record_read(text, size, (vt_pos){log->name, number, 0}, said, &line) != VTA_OK)
        return refuse(log, said, number, diag);
    log->lines[log->count++] = line;
    return VTA_OK;
}

static bool is_blank(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') return false;
    return true;
}

static vta_status add_lines(vtac_tune_log *log, const char *text, size_t size, vta_diag *diag) {
    vta_status status = VTA_OK;
    vta_diag *said = vta_diag_create(log->allocator);
    if (!said) return vt_no_memory(diag);
    uint32_t number = 1;
    for (size_t at = 0; at < size && status == VTA_OK; number++) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        if (!is_blank(text + at, length)) status = add_line(log, text + at, length, number, said, diag);
        at += length + 1;
    }
    vta_diag_destroy(said);
    return status;
}

vta_status vtac_tune_log_parse(const char *text, size_t size, const char *name, const vta_allocator *allocator,
                               vta_diag *diag, vtac_tune_log **out_log) {
    if (!out_log) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_log is NULL");
    *out_log = NULL;
    if (!text && size) return vt_fail(diag, VTA_INVALID_ARGUMENT, "text is NULL");
    vtac_tune_log *log = vt_alloc_zero(allocator, sizeof *log);
    if (!log) return vt_no_memory(diag);
    log->allocator = allocator;
    log->name = vt_strdup(allocator, name ? name : "log");
    vta_status status = log->name ? add_lines(log, text, size, diag) : vt_no_memory(diag);
    if (status == VTA_OK && log->refused > WARNINGS)
        vt_warn_at(diag, VTA_PARSE, (vt_pos){log->name, 0, 0}, "%zu more lines are not records",
                   log->refused - WARNINGS);
    if (status == VTA_OK)
        *out_log = log;
    else
        vtac_tune_log_destroy(log);
    return status;
}

vta_status vtac_tune_log_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                              vtac_tune_log **out_log) {
    char *text;
    size_t size;
    if (!out_log || !path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", path ? "out_log" : "path");
    *out_log = NULL;
    VT_TRY(vt_file_read(allocator, path, MAX_BYTES, diag, &text, &size));
    vta_status status = vtac_tune_log_parse(text, size, path, allocator, diag, out_log);
    vt_free(allocator, text, size + 1);
    return status;
}

vta_status vtac_tune_log_get(const vtac_tune_log *log, size_t index, vtac_tune_record *out_record) {
    if (!log || !out_record || index >= log->count) return VTA_OUT_OF_RANGE;
    vt_result_write(out_record, &log->lines[index].record, sizeof *out_record);
    return VTA_OK;
}

/* ---- Use --------------------------------------------------------------------------------------------------------- */

static vta_status write_names(const vtac_op *op, const vta_timing_profile *profile, vta_diag *diag, bool epilogue,
                              vt_strbuf *workload, vt_strbuf *machine) {
    vt_strbuf_init(workload, op->allocator);
    vt_op_workload_write(op, epilogue, workload);
    if (machine) {
        vt_strbuf_init(machine, op->allocator);
        vt_op_machine_write(op, profile, machine);
    }
    return workload->failed || (machine && machine->failed) ? vt_no_memory(diag) : VTA_OK;
}

/* The workload without what follows it. */
static bool same_shape(const char *recorded, const char *shape) {
    size_t size = strlen(shape);
    return !strncmp(recorded, shape, size) && (recorded[size] == ' ' || !recorded[size]);
}

static vta_status compare_own(const vt_tune_line *line, const vtac_op *op, const vta_timing_profile *profile,
                              vt_pos pos, vta_diag *diag, vt_tune_fit *out_fit) {
    vt_strbuf whole, shape, machine;
    vta_status status = write_names(op, profile, diag, true, &whole, &machine);
    if (status == VTA_OK)
        status = write_names(op, profile, diag, false, &shape, NULL);
    else
        vt_strbuf_init(&shape, op->allocator);
    if (status == VTA_OK) {
        bool here = !strcmp(line->record.machine, vt_strbuf_text(&machine));
        if (here && !strcmp(line->record.workload, vt_strbuf_text(&whole)))
            *out_fit = VT_TUNE_SAME;
        else if (same_shape(line->record.workload, vt_strbuf_text(&shape)))
            *out_fit = VT_TUNE_SAME_SHAPE;
        else
            status = vt_fail_at(diag, VTA_UNSUPPORTED, pos, "it is of another operator: %s", line->record.workload);
    }
    vt_strbuf_free(&whole);
    vt_strbuf_free(&shape);
    vt_strbuf_free(&machine);
    return status;
}

/* Is a record of AutoTVM's about an operator of this shape? */
static vta_status compare_task(const vt_tune_line *line, const vtac_op *op, vt_pos pos, vta_diag *diag,
                               vt_tune_fit *out_fit) {
    vtac_op *other = NULL;
    vt_strbuf mine, its;
    VT_TRY(vt__tune_task_read(line, pos, op->config, op->allocator, diag, &other));
    vta_status status = write_names(op, NULL, diag, false, &mine, NULL);
    if (status == VTA_OK)
        status = write_names(other, NULL, diag, false, &its, NULL);
    else
        vt_strbuf_init(&its, op->allocator);
    if (status == VTA_OK && strcmp(vt_strbuf_text(&mine), vt_strbuf_text(&its)) != 0)
        status = vt_fail_at(diag, VTA_UNSUPPORTED, pos, "it is of another operator: %s", vt_strbuf_text(&its));
    if (status == VTA_OK) *out_fit = VT_TUNE_SAME_SHAPE;
    vt_strbuf_free(&mine);
    vt_strbuf_free(&its);
    vtac_op_destroy(other);
    return status;
}

vta_status vt__tune_line_use(const vtac_tune_log *log, const vt_tune_line *line, const vtac_op *op,
                             const vta_timing_profile *profile, vta_diag *diag, vt_op_blocks *out,
                             vt_tune_fit *out_fit) {
    vt_pos pos = {log->name, line->record.line, 0};
    vt_tune_fit fit = VT_TUNE_NO_FIT;
    *out_fit = VT_TUNE_NO_FIT;
    if (line->record.workload)
        VT_TRY(compare_own(line, op, profile, pos, diag, &fit));
    else
        VT_TRY(compare_task(line, op, pos, diag, &fit));
    VT_TRY(vt_op_knobs_read(op, line->entity, pos, diag, out));
    const char *why = vt_op_admit(op, profile, out);
    if (why) return vt_fail_at(diag, VTA_UNSUPPORTED, pos, "%s", why);
    *out_fit = fit;
    return VTA_OK;
}

const char *vtac_tune_log_why_not(const vtac_tune_log *log, size_t index, const vtac_op *op, char *buffer,
                                  size_t buffer_size) {
    vt_op_blocks b;
    vt_tune_fit fit;
    vta_timing_profile profile;
    vta_diag_entry entry = {.message = "out of memory"};
    if (!log || !op || index >= log->count) return "no such record";
    vta_diag *said = vta_diag_create(NULL);
    vta_status status = said ? vta_timing_profile_for(op->config, said, &profile) : VTA_NO_MEMORY;
    if (status == VTA_OK) status = vt__tune_line_use(log, &log->lines[index], op, &profile, said, &b, &fit);
    if (said) vta_diag_get(said, 0, &entry);
    if (status != VTA_OK && buffer && buffer_size) {
        strncpy(buffer, entry.message, buffer_size - 1);
        buffer[buffer_size - 1] = 0;
    }
    vta_diag_destroy(said);
    return status == VTA_OK ? NULL : buffer && buffer_size ? buffer : "it does not fit";
}

/* ---- The best ---------------------------------------------------------------------------------------------------- */

typedef struct found {
    vt_op_blocks blocks;
    vt_tune_fit fit;
    double cost;
} found;

static vta_status find_best(const vtac_tune_log *log, const vtac_op *op, const vta_timing_profile *profile,
                            vta_diag *diag, found *best) {
    vta_diag *said = vta_diag_create(op->allocator);
    vta_status status = said ? VTA_OK : vt_no_memory(diag);
    for (size_t i = 0; status == VTA_OK && i < log->count; i++) {
        const vt_tune_line *line = &log->lines[i];
        found f = {.cost = line->record.workload ? (double)line->record.cycles : line->record.seconds};
        if (line->record.error) continue;
        vta_diag_clear(said);
        if (vt__tune_line_use(log, line, op, profile, said, &f.blocks, &f.fit) == VTA_NO_MEMORY)
            status = vt_no_memory(diag);
        else if (f.fit > best->fit || (f.fit && f.fit == best->fit && f.cost < best->cost))
            *best = f;
    }
    vta_diag_destroy(said);
    return status;
}

vta_status vtac_tune_log_apply(const vtac_tune_log *log, vtac_op *op, const vta_timing_profile *given, vta_diag *diag,
                               vtac_op_result *out_result) {
    found best = {.fit = VT_TUNE_NO_FIT};
    vtac_op_result result = {.size = 0};
    vta_timing_profile profile;
    if (!log || !op) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", log ? "op" : "log");
    if (given)
        profile = *given;
    else
        VT_TRY(vta_timing_profile_for(op->config, diag, &profile));
    VT_TRY(find_best(log, op, &profile, diag, &best));
    if (best.fit == VT_TUNE_NO_FIT)
        return vt_fail(diag, VTA_NOT_FOUND, "%s: none of its %zu records is a schedule for this %s", log->name,
                       log->count, op->is->name);
    VT_TRY(vt_op_take(op, &best.blocks, &profile, diag, &result));
    if (out_result) vt_result_write(out_result, &result, sizeof result);
    return VTA_OK;
}

/* By machine, workload and cycles. */
static int compare(const void *x, const void *y) {
    const vtac_tune_record *a = &(*(const vt_tune_line *const *)x)->record,
                           *b = &(*(const vt_tune_line *const *)y)->record;
    int by = strcmp(a->machine, b->machine);
    if (!by) by = strcmp(a->workload, b->workload);
    return by ? by : (a->cycles > b->cycles) - (a->cycles < b->cycles);
}

static void write_best(const vt_tune_line *const *lines, size_t n, vt_strbuf *out) {
    for (size_t i = 0; i < n; i++) {
        const vtac_tune_record *a = &lines[i]->record, *b = i ? &lines[i - 1]->record : NULL;
        if (b && !strcmp(a->machine, b->machine) && !strcmp(a->workload, b->workload)) continue;
        char *text = json_dumps(lines[i]->root, JSON_REAL_PRECISION(15));
        out->failed |= !text;
        if (text) vt_strbuf_addf(out, "%s\n", text);
        free(text);
    }
}

vta_status vtac_tune_log_best(const vtac_tune_log *log, vta_diag *diag, char **out_text) {
    if (!log || !out_text) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", log ? "out_text" : "log");
    *out_text = NULL;
    const vt_tune_line **lines = vt_alloc_array(log->allocator, log->count + 1, sizeof *lines);
    size_t n = 0;
    vt_strbuf out;
    if (!lines) return vt_no_memory(diag);
    for (size_t i = 0; i < log->count; i++)
        if (log->lines[i].record.workload && !log->lines[i].record.error) lines[n++] = &log->lines[i];
    qsort(lines, n, sizeof *lines, compare);
    vt_strbuf_init(&out, NULL);
    write_best(lines, n, &out);
    vt_free(log->allocator, lines, (log->count + 1) * sizeof *lines);
    *out_text = vt_strbuf_take(&out);
    return *out_text ? VTA_OK : vt_no_memory(diag);
}
