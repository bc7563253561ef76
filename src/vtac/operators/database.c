/* Looking up tuned schedules. What is found goes the way of any candidate: a record that no longer fits is left out. */
#include "operators/database.h"

#include <string.h>

#include "operators/knobs.h"

/* What a record is found by. */
typedef struct keys {
    char *machine, *workload;
} keys;

static keys keys_of(const vtac_op *op, const vta_timing_profile *profile) {
    vt_strbuf machine, workload;
    vt_strbuf_init(&machine, op->allocator);
    vt_strbuf_init(&workload, op->allocator);
    vt_op_machine_write(op, profile, &machine);
    vt_op_workload_write(op, true, &workload);
    return (keys){vt_strbuf_take(&machine), vt_strbuf_take(&workload)};
}

static bool is(const json_t *text, const char *key) {
    return json_is_string(text) && !strcmp(json_string_value(text), key);
}

static vta_status read_record(const vtac_op *op, const json_t *root, vt_pos pos, vta_diag *diag, vt_op_blocks *out,
                              uint64_t *out_cycles) {
    const json_t *cycles = json_object_get(json_object_get(root, "vta"), "cycles");
    if (!json_is_integer(cycles) || json_integer_value(cycles) < 0)
        return vt_fail_at(diag, VTA_PARSE, pos, "no cycles");
    *out_cycles = (uint64_t)json_integer_value(cycles);
    return vt_op_knobs_read(op, json_object_get(json_object_get(root, "config"), "entity"), pos, diag, out);
}

/* A lookup: the line that it is at, and what it finds. */
typedef struct lookup {
    const vtac_op *op;
    const vta_timing_profile *profile;
    keys keys;
    vta_diag *diag;
    vt_op_blocks *out;
    uint64_t *out_cycles;
    bool *out_found;
} lookup;

/* True where the record is the operator's on the machine, whether it can be used or not. */
static bool read_line(const lookup *l, const char *line, size_t size, vt_pos pos, vta_diag *said, vta_status *status) {
    json_t *root = NULL;
    const char *why = NULL;
    *status = vt_json_parse(line, size, pos.file, said, &root);
    const json_t *own = json_object_get(root, "vta");
    bool wanted = *status != VTA_OK || (is(json_object_get(own, "workload"), l->keys.workload) &&
                                        is(json_object_get(own, "machine"), l->keys.machine));
    if (wanted && *status == VTA_OK) *status = read_record(l->op, root, pos, said, l->out, l->out_cycles);
    json_decref(root);
    if (!wanted || *status == VTA_NO_MEMORY) return wanted;
    if (*status == VTA_OK) why = vt_op_admit(l->op, l->profile, l->out);
    *l->out_found = *status == VTA_OK && !why;
    if (!*l->out_found)
        vt_note_at(l->diag, pos, "the database's schedule for this %s is ignored: %s", l->op->is->name,
                   why ? why : vt_diag_reason(said));
    *status = VTA_OK;
    return true;
}

/* Only lines that have the words are parsed; the first whose members are the keys counts. */
static vta_status find(const lookup *l, const char *database, vta_diag *said) {
    size_t size, words = strlen(l->keys.workload);
    vta_status status = VTA_OK;
    vt_pos pos = {"database", 1, 0};
    for (const char *line = database; *line; line += size + (line[size] != 0), pos.line++) {
        size = strcspn(line, "\n");
        if (memmem(line, size, l->keys.workload, words) && read_line(l, line, size, pos, said, &status)) break;
    }
    return status;
}

vta_status vt_op_database_find(const char *database, const vtac_op *op, const vta_timing_profile *profile,
                               vta_diag *diag, vt_op_blocks *out, uint64_t *out_cycles, bool *out_found) {
    lookup l = {op, profile, keys_of(op, profile), diag, out, out_cycles, out_found};
    vta_diag *said = vta_diag_create(op->allocator);
    vta_status status = VTA_NO_MEMORY;
    *out_found = false;
    if (l.keys.machine && l.keys.workload && said) status = find(&l, database ? database : vt_schedules_jsonl, said);
    vt_strfree(op->allocator, l.keys.machine);
    vt_strfree(op->allocator, l.keys.workload);
    vta_diag_destroy(said);
    return status == VTA_NO_MEMORY ? vt_no_memory(diag) : status;
}
