/* An operator from its name and attributes. */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/versioned.h"
#include "operators/knobs.h"

static const vtac_op_attribute attributes[] = {
#define VT_OPERATOR(name, space, text)
#define VT_ATTRIBUTE(op, name, value, least, most, help) {#name, help, value, least, most},
#include "operators/operators.def"
};

static const char *const owners[] = {
#define VT_OPERATOR(name, space, text)
#define VT_ATTRIBUTE(op, name, value, least, most, help) #op,
#include "operators/operators.def"
};

static const vt_operator operators[] = {
#define VT_OPERATOR(name, space, text) {#name, text, &vt__space_##space, vt__describe_##name, vt__write_##name},
#define VT_ATTRIBUTE(op, name, value, least, most, help)
#include "operators/operators.def"
};

enum { OPERATORS = sizeof operators / sizeof *operators };

const char *vtac_operator_name(size_t index) { return index < OPERATORS ? operators[index].name : NULL; }
const char *vtac_operator_text(size_t index) { return index < OPERATORS ? operators[index].text : NULL; }

static const struct {
    const char *name, *text;
} narrows[] = {
#define VT_NARROW(name, text) {#name, text},
#include "operators/narrow.def"
};

const char *vtac_narrow_name(size_t index) { return index < VT_NARROWS ? narrows[index].name : NULL; }
const char *vtac_narrow_text(size_t index) { return index < VT_NARROWS ? narrows[index].text : NULL; }

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
    const char *names[VT_ATTRIBUTES + 2];
    char near[VT_SUGGESTION_BYTES];
    size_t n = 0;
    for (size_t row; (row = row_of(op->is->name, n)) < VT_ATTRIBUTES;) names[n++] = attributes[row].name;
    names[n++] = "epilogue";
    names[n++] = "narrow";
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

static vta_status set_narrow(vtac_op *op, const char *text, vta_diag *diag) {
    for (size_t i = 0; i < VT_NARROWS; i++) {
        op->narrow = (vt_narrow)i;
        if (!strcmp(narrows[i].name, text)) return VTA_OK;
    }
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: narrow=%s: expected saturate or wrap", op->is->name, text);
}

typedef struct given {
    bool number[VT_ATTRIBUTES], epilogue, narrow;
} given;

static vta_status set(vtac_op *op, given *have, const char *key, const char *value, vta_diag *diag) {
    bool *once = NULL;
    size_t row = VT_ATTRIBUTES, at;
    for (size_t i = 0; (at = row_of(op->is->name, i)) < VT_ATTRIBUTES; i++)
        if (!strcmp(attributes[at].name, key)) row = at;
    if (row < VT_ATTRIBUTES) once = &have->number[row];
    if (!strcmp(key, "epilogue")) once = &have->epilogue;
    if (!strcmp(key, "narrow")) once = &have->narrow;
    if (!once) return unknown(op, key, diag);
    if (*once) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: %s is given twice", op->is->name, key);
    *once = true;
    if (row < VT_ATTRIBUTES) return set_number(op, row, value, diag);
    if (once == &have->narrow) return set_narrow(op, value, diag);
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

/* What nothing computes with is refused here, and not when the operator is called. */
static vta_status check_widths(const vtac_op *op, vta_diag *diag) {
    static const struct {
        vta_memory memory;
        const char *what, *use;
        unsigned least;
    } widths[] = {{VTA_MEM_INP, "inputs", "4 bits or more (LOG_INP_WIDTH=2)", 4},
                  {VTA_MEM_WGT, "weights", "4 bits or more (LOG_WGT_WIDTH=2)", 4},
                  {VTA_MEM_ACC, "accumulators", "32 bits (LOG_ACC_WIDTH=5)", 32}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        unsigned width = vta_config_width(op->config, widths[i].memory);
        if (width < widths[i].least)
            return vt_fail(diag, VTA_UNSUPPORTED,
                           "%s: operators are not computed with %s of %u bits; use a configuration with %s",
                           op->is->name, widths[i].what, width, widths[i].use);
    }
    return VTA_OK;
}

static vta_status make(vtac_op *op, const char *text, vta_diag *diag) {
    for (size_t i = 0; i < VT_ATTRIBUTES; i++) op->values[i] = attributes[i].value;
    VT_TRY(check_widths(op, diag));
    VT_TRY(set_all(op, text, diag));
    op->n_said = op->n_epilogue;
    memcpy(op->said, op->epilogue, op->n_said * sizeof *op->said);
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

void vtac_op_destroy(vtac_op *op) {
    if (!op) return;
    vt__op_forget(op);
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

const char *vtac_op_may_wrap(const vtac_op *op) { return op && *op->sums ? op->sums : NULL; }

const char *vtac_op_text(const vtac_op *op) { return op ? op->text : NULL; }
const char *vtac_op_report(const vtac_op *op) { return op ? op->report : NULL; }
vtac_kernel *vtac_op_kernel(const vtac_op *op) { return op ? op->kernel : NULL; }
vtac_module *vtac_op_module(const vtac_op *op) { return op ? op->module : NULL; }
const vt_op_recording *vt_op_recorded(const vtac_op *op) { return op && op->kernel ? &op->recording : NULL; }
