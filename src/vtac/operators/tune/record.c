/* Records of AutoTVM's form, version 0.2, a line of JSON each:
 *   {"input": [target, task, args, kwargs], "config": {"index", "code_hash", "entity"},
 *    "result": [costs, errno, all_cost, timestamp], "version": 0.2, "tvm_version": "..."}
 * Ours have a member "vta" besides: workload, machine, cycles. Costs are seconds at the profile's clock. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "operators/tune/tune.h"

enum { MAX_ERROR = 1000 };

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

typedef struct reading {
    vt_pos pos;
    vta_diag *diag;
} reading;

static vta_status wrong(const reading *r, const char *what) {
    return vt_fail_at(r->diag, VTA_PARSE, r->pos, "%s", what);
}

static const char *text_of(const json_t *j) { return json_is_string(j) ? json_string_value(j) : NULL; }

static vta_status read_input(const reading *r, vt_tune_line *line) {
    const json_t *input = json_object_get(line->root, "input");
    if (json_object_get(line->root, "v") || (!input && json_object_get(line->root, "i")))
        return wrong(r, "a record of AutoTVM's version 0.1, which names its members i, r and v; 0.2 is understood");
    if (!json_is_array(input) || json_array_size(input) < 3)
        return wrong(r, "member input: must be [target, task, args, kwargs]");
    line->record.target = text_of(json_array_get(input, 0));
    line->record.task = text_of(json_array_get(input, 1));
    line->args = json_array_get(input, 2);
    if (!line->record.target || !line->record.task || !json_is_array(line->args))
        return wrong(r, "member input: target and task must be texts, args a list");
    return VTA_OK;
}

static vta_status read_config(const reading *r, vt_tune_line *line) {
    const json_t *config = json_object_get(line->root, "config"), *index = json_object_get(config, "index");
    line->entity = json_object_get(config, "entity");
    if (!json_is_array(line->entity)) return wrong(r, "member config: must have entity, a list of knobs");
    if (index && (!json_is_integer(index) || json_integer_value(index) < 0))
        return wrong(r, "member config: index must be an integer, from 0");
    line->record.index = (uint64_t)json_integer_value(index);
    return VTA_OK;
}

/* Where a trial failed, AutoTVM has texts, or a huge number, in the place of costs. */
static vta_status read_costs(const reading *r, const json_t *costs, vtac_tune_record *out) {
    double sum = 0;
    size_t n = json_array_size(costs);
    if (!json_is_array(costs) || !n) return wrong(r, "member result: costs must be a list with at least one");
    for (size_t i = 0; i < n; i++) {
        const json_t *cost = json_array_get(costs, i);
        if (out->error) {
            if (!out->message) out->message = text_of(cost);
            continue;
        }
        if (!json_is_number(cost) || !(json_number_value(cost) >= 0))
            return wrong(r, "member result: a cost must be a number of seconds, from 0");
        sum += json_number_value(cost);
    }
    out->seconds = out->error ? (double)INFINITY : sum / (double)n;
    if (out->error && !out->message) out->message = "the trial failed";
    return VTA_OK;
}

static vta_status read_result(const reading *r, vt_tune_line *line) {
    const json_t *result = json_object_get(line->root, "result"), *error = json_array_get(result, 1);
    vtac_tune_record *out = &line->record;
    if (!json_is_array(result) || json_array_size(result) != 4)
        return wrong(r, "member result: must be [costs, errno, all_cost, timestamp]");
    if (!json_is_integer(error) || json_integer_value(error) < 0 || json_integer_value(error) > MAX_ERROR)
        return wrong(r, "member result: errno must be an integer, from 0");
    if (!json_is_number(json_array_get(result, 2)) || !json_is_number(json_array_get(result, 3)))
        return wrong(r, "member result: all_cost and timestamp must be numbers");
    out->error = (uint32_t)json_integer_value(error);
    out->all_seconds = json_number_value(json_array_get(result, 2));
    out->timestamp = json_number_value(json_array_get(result, 3));
    return read_costs(r, json_array_get(result, 0), out);
}

/* What AutoTVM's records do not have. */
static vta_status read_own(const reading *r, vt_tune_line *line) {
    const json_t *own = json_object_get(line->root, "vta"), *cycles = json_object_get(own, "cycles");
    if (!own) return VTA_OK;
    line->record.workload = text_of(json_object_get(own, "workload"));
    line->record.machine = text_of(json_object_get(own, "machine"));
    if (!line->record.workload || !line->record.machine || !json_is_integer(cycles) || json_integer_value(cycles) < 0)
        return wrong(r, "member vta: must have workload and machine, texts, and cycles, from 0");
    if (!line->record.error && !json_integer_value(cycles)) return wrong(r, "member vta: cycles of 0 without an error");
    line->record.cycles = line->record.error ? 0 : (uint64_t)json_integer_value(cycles);
    return VTA_OK;
}

static vta_status read_members(const reading *r, vt_tune_line *line) {
    if (!json_is_object(line->root)) return wrong(r, "a record must be an object of JSON");
    VT_TRY(read_input(r, line));
    VT_TRY(read_config(r, line));
    VT_TRY(read_result(r, line));
    return read_own(r, line);
}

/* jansson counts lines of the text that it gets, which is one line here. */
static vta_status parse(const char *text, size_t size, const reading *r, json_t **out) {
    vta_diag *said = vta_diag_create(NULL);
    vta_diag_entry entry = {.message = "no JSON"};
    if (!said) return vt_no_memory(r->diag);
    vta_status status = vt_json_parse(text, size, NULL, said, out);
    if (status == VTA_NO_MEMORY)
        vt_no_memory(r->diag);
    else if (status != VTA_OK) {
        vta_diag_get(said, 0, &entry);
        vt_fail_at(r->diag, status, (vt_pos){r->pos.file, r->pos.line, entry.column}, "%s", entry.message);
    }
    vta_diag_destroy(said);
    return status;
}

vta_status vt__tune_record_read(const char *text, size_t size, vt_pos pos, vta_diag *diag, vt_tune_line *out) {
    reading r = {pos, diag};
    *out = (vt_tune_line){.record.line = pos.line};
    vta_status status = parse(text, size, &r, &out->root);
    if (status == VTA_OK) status = read_members(&r, out);
    if (status != VTA_OK) vt__tune_record_free(out);
    return status;
}

void vt__tune_record_free(vt_tune_line *line) {
    json_decref(line->root);
    line->root = NULL;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void write_input(const vtac_op *op, vt_json *w) {
    vt_strbuf target;
    vt_strbuf_init(&target, op->allocator);
    vt_strbuf_addf(&target, "ext_dev -keys=vta,cpu -device=vta -model=%s", vta_config_model(op->config));
    vt_json_array(w, "input");
    vt_json_text(w, NULL, vt_strbuf_text(&target));
    vt__tune_task_write(op, w);
    vt_json_object(w, NULL);
    vt_json_end(w);
    vt_json_end(w);
    w->sb->failed |= target.failed;
    vt_strbuf_free(&target);
}

static void write_config(const vtac_op *op, const vt_tune_trial *t, uint64_t index, vt_json *w) {
    vt_json_object(w, "config");
    vt_json_uint(w, "index", index);
    vt_json_text(w, "code_hash", NULL);
    vt_op_knobs_write(op, &t->blocks, w);
    vt_json_end(w);
}

static void write_result(const vta_timing_profile *profile, const vt_tune_trial *t, vt_json *w) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    vt_json_array(w, "result");
    vt_json_array(w, NULL);
    if (t->error)
        vt_json_text(w, NULL, t->message);
    else
        vt_json_real(w, NULL, (double)t->cycles / (profile->frequency_khz * 1e3));
    vt_json_end(w);
    vt_json_uint(w, NULL, (uint64_t)t->error);
    vt_json_fixed(w, NULL, t->seconds, 3);
    vt_json_fixed(w, NULL, (double)now.tv_sec + (double)now.tv_nsec / 1e9, 3);
    vt_json_end(w);
}

static void write_own(const vtac_op *op, const vta_timing_profile *profile, const vt_tune_trial *t, vt_json *w) {
    vt_strbuf workload, machine;
    vt_strbuf_init(&workload, op->allocator);
    vt_strbuf_init(&machine, op->allocator);
    vt_op_workload_write(op, true, &workload);
    vt_op_machine_write(op, profile, &machine);
    vt_json_object(w, "vta");
    vt_json_text(w, "workload", vt_strbuf_text(&workload));
    vt_json_text(w, "machine", vt_strbuf_text(&machine));
    vt_json_uint(w, "cycles", t->cycles);
    vt_json_end(w);
    w->sb->failed |= workload.failed || machine.failed;
    vt_strbuf_free(&workload);
    vt_strbuf_free(&machine);
}

void vt__tune_record_write(const vtac_op *op, const vta_timing_profile *profile, const vt_tune_trial *t, uint64_t index,
                           vt_strbuf *out) {
    vt_json w;
    vt_json_init(&w, out, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    write_input(op, &w);
    write_config(op, t, index, &w);
    write_result(profile, t, &w);
    vt_json_real(&w, "version", 0.2);
    vt_json_text(&w, "tvm_version", "vta-" VT_VERSION);
    write_own(op, profile, t, &w);
    vt_json_end(&w);
    vt_strbuf_addc(out, '\n');
}
