/* Operators as they are asked for: text to data and back. */
#include "operators/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "operators/epilogue.h"

static const vtac_op_attribute attributes[] = {
#define VT_OPERATOR(name, space, text)
#define VT_ATTRIBUTE(op, name, value, least, most, help) {#name, help, value, least, most},
#include "operators/operators.def"
};

static const vt_operator_kind owners[] = {
#define VT_OPERATOR(name, space, text)
#define VT_ATTRIBUTE(op, name, value, least, most, help) VT_OPERATOR_##op,
#include "operators/operators.def"
};

static const char *const operators[] = {
#define VT_OPERATOR(name, space, text) #name,
#define VT_ATTRIBUTE(op, name, value, least, most, help)
#include "operators/operators.def"
};

static const struct {
    const char *name, *text;
} narrows[] = {
#define VT_NARROW(name, text) {#name, text},
#include "operators/narrow.def"
};

const char *vtac_narrow_name(size_t index) { return index < VT_NARROWS ? narrows[index].name : NULL; }
const char *vtac_narrow_text(size_t index) { return index < VT_NARROWS ? narrows[index].text : NULL; }

/* The row of an operator's attribute; VT_ATTRIBUTES past the last. */
static size_t row_of(vt_operator_kind kind, size_t index) {
    for (size_t i = 0; i < VT_ATTRIBUTES; i++)
        if (owners[i] == kind && index-- == 0) return i;
    return VT_ATTRIBUTES;
}

const vtac_op_attribute *vtac_operator_attribute(size_t op, size_t index) {
    size_t row = op < VT_OPERATORS ? row_of((vt_operator_kind)op, index) : VT_ATTRIBUTES;
    return row < VT_ATTRIBUTES ? &attributes[row] : NULL;
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

void vt_op_request_init(vt_op_request *r, vt_operator_kind kind) {
    memset(r, 0, sizeof *r);
    r->kind = kind;
    for (size_t i = 0; i < VT_ATTRIBUTES; i++) r->values[i] = attributes[i].value;
}

static bool same_step(const vt_op_step *a, const vt_op_step *b) {
    return a->kind == b->kind && a->given == b->given && a->number[0] == b->number[0] && a->number[1] == b->number[1];
}

bool vt_op_request_equal(const vt_op_request *a, const vt_op_request *b) {
    if (a->kind != b->kind || a->narrow != b->narrow || a->step_count != b->step_count) return false;
    for (uint32_t i = 0; i < a->step_count; i++)
        if (!same_step(&a->steps[i], &b->steps[i])) return false;
    return !memcmp(a->values, b->values, sizeof a->values);
}

static bool is_missing(const vt_op_request *r, size_t i) {
    return owners[i] == r->kind && r->values[i] == attributes[i].value &&
           (r->values[i] < attributes[i].least || r->values[i] > attributes[i].most);
}

/* All that is missing in one message: "conv2d: height and width are not given: rows ... (height=NUMBER); ...". */
static vta_status refuse_missing(const vt_op_request *r, vta_diag *diag) {
    vt_strbuf names, help;
    size_t count = 0, said = 0;
    for (size_t i = 0; i < VT_ATTRIBUTES; i++) count += is_missing(r, i);
    if (!count) return VTA_OK;
    vt_strbuf_init(&names, &vt_allocator_libc);
    vt_strbuf_init(&help, &vt_allocator_libc);
    for (size_t i = 0; i < VT_ATTRIBUTES; i++) {
        if (!is_missing(r, i)) continue;
        const vtac_op_attribute *a = &attributes[i];
        vt_strbuf_addf(&names, "%s%s", said == 0 ? "" : said + 1 < count ? ", " : " and ", a->name);
        vt_strbuf_addf(&help, "%s%s (%s=NUMBER)", said ? "; " : "", a->help, a->name);
        said++;
    }
    vta_status status = names.failed || help.failed
                            ? vt_no_memory(diag)
                            : vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: %s %s not given: %s", operators[r->kind],
                                      vt_strbuf_text(&names), count == 1 ? "is" : "are", vt_strbuf_text(&help));
    vt_strbuf_free(&names);
    vt_strbuf_free(&help);
    return status;
}

vta_status vt__op_request_check(const vt_op_request *r, vta_diag *diag) {
    for (size_t i = 0; i < VT_ATTRIBUTES; i++) {
        const vtac_op_attribute *a = &attributes[i];
        if (owners[i] != r->kind || is_missing(r, i) || (r->values[i] >= a->least && r->values[i] <= a->most)) continue;
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: %s=%lld: must be from %lld to %lld", operators[r->kind], a->name,
                       (long long)r->values[i], (long long)a->least, (long long)a->most);
    }
    return refuse_missing(r, diag);
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void write_step(const vt_op_step *s, vt_strbuf *out) {
    vt_strbuf_add(out, vt__epilogue_rows[s->kind].name);
    for (uint32_t i = 0; i < s->given; i++) vt_strbuf_addf(out, ":%lld", (long long)s->number[i]);
}

void vt_op_request_write(const vt_op_request *r, vt_strbuf *out) {
    const char *space = "";
    for (size_t i = 0; i < VT_ATTRIBUTES; i++) {
        if (owners[i] != r->kind || r->values[i] == attributes[i].value) continue;
        vt_strbuf_addf(out, "%s%s=%lld", space, attributes[i].name, (long long)r->values[i]);
        space = " ";
    }
    for (uint32_t i = 0; i < r->step_count; i++) {
        vt_strbuf_addf(out, "%s%s", i ? "," : space, i ? "" : "epilogue=");
        write_step(&r->steps[i], out);
        space = " ";
    }
    if (r->narrow != VT_NARROW_saturate) vt_strbuf_addf(out, "%snarrow=%s", space, narrows[r->narrow].name);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static vta_status unknown(const vt_op_request *r, const char *name, vta_diag *diag) {
    const char *names[VT_ATTRIBUTES + 2];
    char near[VT_SUGGESTION_BYTES];
    size_t n = 0;
    for (size_t row; (row = row_of(r->kind, n)) < VT_ATTRIBUTES;) names[n++] = attributes[row].name;
    names[n++] = "epilogue";
    names[n++] = "narrow";
    return vt_fail(diag, VTA_NOT_FOUND, "%s has no attribute \"%s\"%s", operators[r->kind], name,
                   vt_suggest(near, name, names, n));
}

static vta_status set_number(vt_op_request *r, size_t row, const char *text, vta_diag *diag) {
    const vtac_op_attribute *a = &attributes[row];
    char *end;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: %s=%s: not an integer", operators[r->kind], a->name, text);
    if (value < a->least || value > a->most)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: %s=%s: must be from %lld to %lld", operators[r->kind], a->name,
                       text, (long long)a->least, (long long)a->most);
    r->values[row] = value;
    return VTA_OK;
}

static vta_status set_narrow(vt_op_request *r, const char *text, vta_diag *diag) {
    for (size_t i = 0; i < VT_NARROWS; i++) {
        r->narrow = (vt_narrow)i;
        if (!strcmp(narrows[i].name, text)) return VTA_OK;
    }
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: narrow=%s: expected saturate or wrap", operators[r->kind], text);
}

typedef struct given {
    bool number[VT_ATTRIBUTES], epilogue, narrow;
} given;

static vta_status set(vt_op_request *r, given *have, const char *key, const char *value, vta_diag *diag) {
    bool *once = NULL;
    size_t row = VT_ATTRIBUTES, at;
    for (size_t i = 0; (at = row_of(r->kind, i)) < VT_ATTRIBUTES; i++)
        if (!strcmp(attributes[at].name, key)) row = at;
    if (row < VT_ATTRIBUTES) once = &have->number[row];
    if (!strcmp(key, "epilogue")) once = &have->epilogue;
    if (!strcmp(key, "narrow")) once = &have->narrow;
    if (!once) return unknown(r, key, diag);
    if (*once) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: %s is given twice", operators[r->kind], key);
    *once = true;
    if (row < VT_ATTRIBUTES) return set_number(r, row, value, diag);
    if (once == &have->narrow) return set_narrow(r, value, diag);
    return vt__epilogue_read(value, strlen(value), diag, r->steps, &r->step_count);
}

static vta_status set_word(vt_op_request *r, given *have, const char *word, size_t size, vta_diag *diag) {
    char text[512], *value;
    if (size >= sizeof text)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: an attribute of more than %zu characters", operators[r->kind],
                       sizeof text - 1);
    memcpy(text, word, size);
    text[size] = 0;
    value = strchr(text, '=');
    if (!value || value == text)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: an attribute is KEY=VALUE, not \"%s\"", operators[r->kind],
                       text);
    *value++ = 0;
    return set(r, have, text, value, diag);
}

static vta_status find_operator(const char *name, vta_diag *diag, vt_operator_kind *out) {
    char near[VT_SUGGESTION_BYTES];
    for (size_t i = 0; i < VT_OPERATORS; i++) {
        *out = (vt_operator_kind)i;
        if (!strcmp(operators[i], name)) return VTA_OK;
    }
    return vt_fail(diag, VTA_NOT_FOUND, "there is no operator \"%s\"%s", name,
                   vt_suggest(near, name, operators, VT_OPERATORS));
}

vta_status vt_op_request_read(const char *name, const char *text, vta_diag *diag, vt_op_request *out) {
    given have = {.epilogue = false};
    vt_operator_kind kind;
    VT_TRY(find_operator(name, diag, &kind));
    vt_op_request_init(out, kind);
    for (text += strspn(text, " \t\n"); *text; text += strspn(text, " \t\n")) {
        size_t size = strcspn(text, " \t\n");
        VT_TRY(set_word(out, &have, text, size, diag));
        text += size;
    }
    return VTA_OK;
}
