/* An operator from its name and attributes, and the choice of its schedule. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/nearest.h"
#include "base/versioned.h"
#include "ops/database.h"
#include "ops/knobs.h"

static const vtac_op_attribute attributes[] = {
#define VT_OPERATOR(name, space, text)
#define VT_ATTRIBUTE(op, name, value, least, most, help) {#name, help, value, least, most},
#include "ops/operators.def"
};

static const char *const owners[] = {
#define VT_OPERATOR(name, space, text)
#define VT_ATTRIBUTE(op, name, value, least, most, help) #op,
#include "ops/operators.def"
};

static const vt_operator operators[] = {
#define VT_OPERATOR(name, space, text) {#name, text, &vt__space_##space, vt__describe_##name, vt__write_##name},
#define VT_ATTRIBUTE(op, name, value, least, most, help)
#include "ops/operators.def"
};

enum { OPERATORS = sizeof operators / sizeof *operators };

const char *vtac_operator_name(size_t index) { return index < OPERATORS ? operators[index].name : NULL; }
const char *vtac_operator_text(size_t index) { return index < OPERATORS ? operators[index].text : NULL; }

/* The row of an operator's attribute; VT_ATTRIBUTES past the last. */
static size_t row_of(const char *op, size_t index) {
    for (size_t i = 0; i < VT_ATTRIBUTES; i++)
        if (!strcmp(owners[i], op) && index-- == 0) return i;
    return VT_ATTRIBUTES;
}

const vtac_op_attribute *vtac_operator_attribute(size_t op, size_t index) {
    size_t row = op < OPERATORS ? row_of(operators[op].name, index) : VT_ATTRIBUTES;
    return row < VT_ATTRIBUTES ? &attributes[row] : NULL;
}

/* ---- Attributes ------------------------------------------------------------------------------------------------ */

static vta_status unknown(const vtac_op *op, const char *name, vta_diag *diag) {
    const char *names[VT_ATTRIBUTES + 1];
    char near[VT_SUGGESTION_BYTES];
    size_t n = 0;
    for (size_t row; (row = row_of(op->is->name, n)) < VT_ATTRIBUTES;) names[n++] = attributes[row].name;
    names[n++] = "epilogue";
    return vt_fail(diag, VTA_NOT_FOUND, "%s has no attribute \"%s\"%s", op->is->name, name,
                   vt_suggest(near, name, names, n));
}

static vta_status set_number(vtac_op *op, size_t row, const char *text, vta_diag *diag) {
    const vtac_op_attribute *a = &attributes[row];
    char *end;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: %s=%s: not an integer", op->is->name, a->name, text);
    if (value < a->least || value > a->most)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: %s=%s: must be from %lld to %lld", op->is->name, a->name, text,
                       (long long)a->least, (long long)a->most);
    op->values[row] = value;
    return VTA_OK;
}

typedef struct given {
    bool number[VT_ATTRIBUTES], epilogue;
} given;

static vta_status set(vtac_op *op, given *have, const char *key, const char *value, vta_diag *diag) {
    bool *once = NULL;
    size_t row = VT_ATTRIBUTES, at;
    for (size_t i = 0; (at = row_of(op->is->name, i)) < VT_ATTRIBUTES; i++)
        if (!strcmp(attributes[at].name, key)) row = at;
    if (row < VT_ATTRIBUTES) once = &have->number[row];
    if (!strcmp(key, "epilogue")) once = &have->epilogue;
    if (!once) return unknown(op, key, diag);
    if (*once) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: %s is given twice", op->is->name, key);
    *once = true;
    if (row < VT_ATTRIBUTES) return set_number(op, row, value, diag);
    return vt__epilogue_read(op, value, strlen(value), diag);
}

static vta_status set_word(vtac_op *op, given *have, const char *word, size_t size, vta_diag *diag) {
    char text[512], *value;
    if (size >= sizeof text)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: an attribute of more than %zu characters", op->is->name,
                       sizeof text - 1);
    memcpy(text, word, size);
    text[size] = 0;
    value = strchr(text, '=');
    if (!value || value == text)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: an attribute is KEY=VALUE, not \"%s\"", op->is->name, text);
    *value++ = 0;
    return set(op, have, text, value, diag);
}

static vta_status set_all(vtac_op *op, const char *text, vta_diag *diag) {
    given have = {.epilogue = false};
    size_t row;
    for (text += strspn(text, " \t\n"); *text; text += strspn(text, " \t\n")) {
        size_t size = strcspn(text, " \t\n");
        VT_TRY(set_word(op, &have, text, size, diag));
        text += size;
    }
    for (size_t i = 0; (row = row_of(op->is->name, i)) < VT_ATTRIBUTES; i++) {
        const vtac_op_attribute *a = &attributes[row];
        if (!have.number[row] && a->value < a->least)
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: %s is not given: %s (%s=NUMBER)", op->is->name, a->name,
                           a->help, a->name);
    }
    return VTA_OK;
}

/* ---- Making ---------------------------------------------------------------------------------------------------- */

static vta_status find_operator(const char *name, vta_diag *diag, const vt_operator **out) {
    const char *names[OPERATORS];
    char near[VT_SUGGESTION_BYTES];
    for (size_t i = 0; i < OPERATORS; i++) {
        names[i] = operators[i].name;
        *out = &operators[i];
        if (!strcmp(names[i], name)) return VTA_OK;
    }
    return vt_fail(diag, VTA_NOT_FOUND, "there is no operator \"%s\"%s", name,
                   vt_suggest(near, name, names, OPERATORS));
}

static vta_status make(vtac_op *op, const char *text, vta_diag *diag) {
    for (size_t i = 0; i < VT_ATTRIBUTES; i++) op->values[i] = attributes[i].value;
    VT_TRY(set_all(op, text, diag));
    VT_TRY(op->is->describe(op, diag));
    VT_TRY(vt__epilogue_settle(op, diag));
    if (op->shape.macs <= UINT64_C(1) << 50) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: more than 2^50 multiplications", op->is->name);
}

vta_status vtac_op_create(const char *name, const char *text, const vta_config *config, const vta_allocator *allocator,
                          vta_diag *diag, vtac_op **out_op) {
    const vt_operator *is;
    if (!out_op) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_op is NULL");
    *out_op = NULL;
    if (!name || !text) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", name ? "attributes" : "name");
    VT_TRY(find_operator(name, diag, &is));
    vtac_op *op = vt_alloc_zero(allocator, sizeof *op);
    if (!op) return vt_no_memory(diag);
    op->allocator = allocator;
    op->is = is;
    op->config = config ? vta_config_retain(config) : vta_config_default();
    op->attributes = vt_strdup(allocator, text);
    vta_status status = op->config && op->attributes ? make(op, text, diag) : vt_no_memory(diag);
    if (status == VTA_OK)
        *out_op = op;
    else
        vtac_op_destroy(op);
    return status;
}

static void forget(vtac_op *op) {
    vtac_module_destroy(op->module);
    vta_program_destroy(op->recording.program);
    vtac_kernel_destroy(op->kernel);
    vt_strfree(op->allocator, op->text);
    vt_strfree(op->allocator, op->report);
    op->module = NULL;
    op->recording = (vt_op_recording){.program = NULL};
    op->kernel = NULL;
    op->text = op->report = NULL;
}

void vtac_op_destroy(vtac_op *op) {
    if (!op) return;
    forget(op);
    vt__op_names_free(op->names);
    vt_strfree(op->allocator, op->attributes);
    if (op->config) vta_config_release((vta_config *)op->config);
    vt_free(op->allocator, op, sizeof *op);
}

const char *vtac_op_name(const vtac_op *op) { return op ? op->is->name : NULL; }
const char *vtac_op_attributes(const vtac_op *op) { return op ? op->attributes : NULL; }

vta_status vtac_op_conv(const vtac_op *op, vta_diag *diag, vta_conv *out_conv) {
    if (!op || !out_conv) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", op ? "out_conv" : "op");
    if (!op->conv.height)
        return vt_fail(diag, VTA_UNSUPPORTED, "%s is not a convolution: its operands are plain tiles", op->is->name);
    vt_result_write(out_conv, &op->conv, sizeof op->conv);
    return VTA_OK;
}

const char *vtac_op_text(const vtac_op *op) { return op ? op->text : NULL; }
const char *vtac_op_report(const vtac_op *op) { return op ? op->report : NULL; }
vtac_kernel *vtac_op_kernel(const vtac_op *op) { return op ? op->kernel : NULL; }
vtac_module *vtac_op_module(const vtac_op *op) { return op ? op->module : NULL; }
const vt_op_recording *vt_op_recorded(const vtac_op *op) { return op && op->kernel ? &op->recording : NULL; }

/* ---- Scheduling ------------------------------------------------------------------------------------------------ */

/* The best by estimate that are timed, and as many in reserve should the compiler refuse all of them. */
enum { TRIES = 3, MOST_TRIES = 32, RESERVE = 8 };

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

typedef struct choice {
    vtac_op *op;
    const vta_timing_profile *profile;
    uint32_t tries, n;
    bool given_tries, without_database, without_code;
    const char *database;
    uint64_t recorded; /* cycles of the database's schedule */
    vt_op_blocks candidates[MOST_TRIES + RESERVE], best;
    vt_op_trial trial; /* of the best so far */
    vtac_op_result result;
} choice;

/* What the compiler refuses is counted, and told when nothing is left. */
static vta_status try_one(choice *c, const vt_op_blocks *b, vta_diag *diag) {
    vt_op_trial t;
    vta_diag *said = vta_diag_create(c->op->allocator);
    if (!said) return vt_no_memory(diag);
    vta_status status = vt__trial_make(c->op, b, c->profile, said, &t);
    if (status == VTA_OK && (!c->result.timed || t.cycles < c->trial.cycles)) {
        vt__trial_free(c->op, &c->trial);
        c->trial = t;
        c->best = *b;
    } else {
        vt__trial_free(c->op, &t);
    }
    c->result.timed += status == VTA_OK;
    c->result.refused += status != VTA_OK;
    if (status != VTA_OK && status != VTA_NO_MEMORY) vta_diag_add(diag, VTA_WARNING, status, vta_diag_text(said));
    vta_diag_destroy(said);
    return status == VTA_NO_MEMORY ? vt_no_memory(diag) : VTA_OK;
}

/* Within 1.25 % of the bound: no others are tried unless a number of tries is asked for. */
static bool is_near(const choice *c) {
    uint64_t bound = vt_op_bound(c->op, c->profile);
    return !c->given_tries && c->result.timed && c->trial.cycles <= bound + bound / 80;
}

static vta_status try_candidates(choice *c, vta_diag *diag) {
    const vt_op_space *space = c->op->is->space;
    uint32_t timed = c->result.timed;
    c->n = space->candidates(c->op, c->profile, c->tries + RESERVE, c->candidates, &c->result.considered);
    if (!c->n && !timed) return space->nothing_fits(c->op, diag);
    for (uint32_t i = 0; i < c->n && c->result.timed < timed + c->tries && !is_near(c); i++)
        VT_TRY(try_one(c, &c->candidates[i], diag));
    if (!c->result.timed)
        return vt_fail(diag, VTA_INTERNAL, "%s: the compiler refused all %u schedules that were tried", c->op->is->name,
                       (unsigned)c->n);
    return VTA_OK;
}

/* A tuned schedule that takes no longer than its record says needs no others beside it. */
static vta_status try_database(choice *c, vta_diag *diag, bool *out_done) {
    vt_op_blocks b;
    uint64_t recorded;
    bool found = false;
    *out_done = false;
    if (!c->without_database) VT_TRY(vt_op_database_find(c->database, c->op, c->profile, diag, &b, &recorded, &found));
    if (!found) return VTA_OK;
    VT_TRY(try_one(c, &b, diag));
    c->recorded = c->trial.cycles;
    *out_done = c->result.timed && c->trial.cycles <= recorded;
    return VTA_OK;
}

static void summarize(choice *c, double start) {
    c->result.macs = c->op->shape.macs;
    c->result.bound = vt_op_bound(c->op, c->profile);
    c->result.cycles = c->trial.cycles;
    c->result.compile_ms = c->trial.ms;
    c->result.schedule_ms = now_ms() - start - c->trial.ms;
}

static vta_status choose(choice *c, vta_diag *diag) {
    double start = now_ms();
    bool done;
    VT_TRY(try_database(c, diag, &done));
    uint32_t known = c->result.timed;
    if (!done) VT_TRY(try_candidates(c, diag));
    VT_TRY(vt__trial_compile(c->op, &c->trial, c->without_code, diag));
    if (known && c->trial.cycles == c->recorded) c->result.origin = VTAC_OP_FROM_DATABASE;
    summarize(c, start);
    return VTA_OK;
}

static vta_status keep(choice *c, vta_diag *diag) {
    vtac_op *op = c->op;
    forget(op);
    op->text = c->trial.text;
    op->kernel = c->trial.kernel;
    op->module = c->trial.module;
    op->recording = c->trial.recording;
    op->report = op->is->space->report(op, c->profile, &c->best, &c->result);
    if (op->report) return VTA_OK;
    forget(op);
    return vt_no_memory(diag);
}

vta_status vtac_op_schedule(vtac_op *op, const vtac_op_options *given_options, vta_diag *diag,
                            vtac_op_result *out_result) {
    vtac_op_options options;
    vta_timing_profile profile;
    if (!op) return vt_fail(diag, VTA_INVALID_ARGUMENT, "op is NULL");
    VT_TRY(vt_options_read(&options, sizeof options, given_options, "vtac_op_options", diag));
    if (options.tries > MOST_TRIES)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "tries is %u: at most %d", (unsigned)options.tries, MOST_TRIES);
    if (options.profile)
        profile = *options.profile;
    else
        VT_TRY(vta_timing_profile_for(op->config, diag, &profile));
    choice c = {.op = op,
                .profile = &profile,
                .tries = options.tries ? options.tries : TRIES,
                .given_tries = options.tries > 0,
                .without_database = options.without_database,
                .without_code = options.without_code,
                .database = options.database};
    vta_status status = choose(&c, diag);
    if (status != VTA_OK) {
        vt__trial_free(op, &c.trial);
        return status;
    }
    VT_TRY(keep(&c, diag));
    if (out_result) vt_result_write(out_result, &c.result, sizeof c.result);
    return VTA_OK;
}

vta_status vt_op_take(vtac_op *op, const vt_op_blocks *b, const vta_timing_profile *profile, vta_diag *diag,
                      vtac_op_result *result) {
    double start = now_ms();
    choice c = {.op = op, .profile = profile, .best = *b, .result = *result};
    vta_status status = vt__trial_make(op, b, profile, diag, &c.trial);
    if (status == VTA_OK) status = vt__trial_compile(op, &c.trial, false, diag);
    if (status != VTA_OK) {
        vt__trial_free(op, &c.trial);
        return status;
    }
    c.result.origin = VTAC_OP_TUNED;
    summarize(&c, start);
    *result = c.result;
    return keep(&c, diag);
}
