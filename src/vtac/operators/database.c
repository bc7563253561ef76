/* Looking up tuned schedules. What is found goes the way of any candidate: a record that no longer fits is left out. */
#include "operators/database.h"

#include <string.h>

#include "operators/knobs.h"

/* The value of a record's member "machine" or "workload", in quotes as its line has it. */
static char *member_text(const vtac_op *op, const vta_timing_profile *profile, bool machine) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, op->allocator);
    vt_strbuf_addc(&sb, '"');
    if (machine)
        vt_op_machine_write(op, profile, &sb);
    else
        vt_op_workload_write(op, true, &sb);
    vt_strbuf_addc(&sb, '"');
    return vt_strbuf_take(&sb);
}

static bool contains(const char *line, size_t size, const char *text) {
    const char *at = strstr(line, text);
    return at && at + strlen(text) <= line + size;
}

/* The line with both; its number from 1 in *out_line. */
static const char *find_line(const char *database, const char *machine, const char *workload, size_t *out_size,
                             uint32_t *out_line) {
    *out_line = 1;
    for (const char *line = database; *line; (*out_line)++) {
        *out_size = strcspn(line, "\n");
        if (contains(line, *out_size, workload) && contains(line, *out_size, machine)) return line;
        line += *out_size + (line[*out_size] != 0);
    }
    return NULL;
}

static vta_status read_line(const vtac_op *op, const char *line, size_t size, vt_pos pos, vta_diag *diag,
                            vt_op_blocks *out, uint64_t *out_cycles) {
    json_t *root = NULL;
    VT_TRY(vt_json_parse(line, size, pos.file, diag, &root));
    const json_t *cycles = json_object_get(json_object_get(root, "vta"), "cycles");
    vta_status status =
        json_is_integer(cycles) && json_integer_value(cycles) >= 0
            ? vt_op_knobs_read(op, json_object_get(json_object_get(root, "config"), "entity"), pos, diag, out)
            : vt_fail_at(diag, VTA_PARSE, pos, "no cycles");
    *out_cycles = status == VTA_OK ? (uint64_t)json_integer_value(cycles) : 0;
    json_decref(root);
    return status;
}

static vta_status use_line(const vtac_op *op, const vta_timing_profile *profile, const char *line, size_t size,
                           uint32_t number, vta_diag *diag, vt_op_blocks *out, uint64_t *out_cycles, bool *out_found) {
    vt_pos pos = {"database", number, 0};
    const char *why = NULL;
    vta_diag *said = vta_diag_create(op->allocator);
    if (!said) return vt_no_memory(diag);
    vta_status status = read_line(op, line, size, pos, said, out, out_cycles);
    if (status == VTA_OK) why = vt_op_admit(op, profile, out);
    *out_found = status == VTA_OK && !why;
    if (!*out_found && status != VTA_NO_MEMORY)
        vt_note_at(diag, pos, "the database's schedule for this %s is ignored: %s", op->is->name,
                   why ? why : vta_diag_text(said));
    vta_diag_destroy(said);
    return status == VTA_NO_MEMORY ? vt_no_memory(diag) : VTA_OK;
}

vta_status vt_op_database_find(const char *database, const vtac_op *op, const vta_timing_profile *profile,
                               vta_diag *diag, vt_op_blocks *out, uint64_t *out_cycles, bool *out_found) {
    char *machine = member_text(op, profile, true), *workload = member_text(op, profile, false);
    vta_status status = machine && workload ? VTA_OK : vt_no_memory(diag);
    size_t size = 0;
    uint32_t number;
    *out_found = false;
    const char *line = status == VTA_OK
                           ? find_line(database ? database : vt_schedules_jsonl, machine, workload, &size, &number)
                           : NULL;
    if (line) status = use_line(op, profile, line, size, number, diag, out, out_cycles, out_found);
    vt_strfree(op->allocator, machine);
    vt_strfree(op->allocator, workload);
    return status;
}
