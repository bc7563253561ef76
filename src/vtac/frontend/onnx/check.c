/* What a model has that is not supported: all of it at once, by node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/onnx/priv.h"

#define FLOAT ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT
#define INT ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT
#define STRING ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING
#define TENSOR ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR
#define FLOATS ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS
#define GRAPH ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH
#define STRINGS ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS
#define INTS ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
static const vt_onnx_op operators[] = {
#define VT_ONNX(name, versions, function, done, ...) {name, "", versions, vt__onnx_##function, {__VA_ARGS__}},
#define VT_ONNX_OP(name, domain, function, ...) {name, domain, NULL, vt__onnx_##function, {__VA_ARGS__}},
#include "frontend/onnx/operators.def"
};

const vt_onnx_op *vt__onnx_op(const Onnx__NodeProto *p) {
    const char *domain = vt__onnx_name(p->domain);
    if (!strcmp(domain, "ai.onnx")) domain = "";
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(operators[i].name, vt__onnx_name(p->op_type)) && !strcmp(operators[i].domain, domain))
            return &operators[i];
    return NULL;
}

/* Files of the first versions do not say the type. */
Onnx__AttributeProto__AttributeType vt__onnx_attribute_type(const Onnx__AttributeProto *a) {
    if (a->has_type && a->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED) return a->type;
    return a->has_f ? FLOAT : a->has_i ? INT : a->has_s ? STRING : a->t ? TENSOR : a->n_floats ? FLOATS : INTS;
}

static void report(vt_onnx_reader *r, const Onnx__NodeProto *p, const char *what, const char *detail,
                   const char *more) {
    vt_fail(r->ctx->diag, VTA_UNSUPPORTED, "%s: node %s (%s%s%s): %s%s%s", r->options->name, vt__onnx_node_name(p),
            vt__onnx_name(p->domain), p->domain && *p->domain ? "." : "", vt__onnx_name(p->op_type), what, detail,
            more);
    r->refused++;
}

/* Does `text` stand in a list with | between its words. */
static bool is_one_of(const char *list, const char *text, size_t size) {
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, "|");
        if (n == size && !memcmp(at, text, n)) return true;
        at += n;
        if (!*at) return false;
    }
}

static bool has_value(const vt_onnx_attribute *known, const Onnx__AttributeProto *a) {
    char number[32];
    if (!known->values) return true;
    if (known->type == STRING) return is_one_of(known->values, (const char *)a->s.data, a->s.len);
    snprintf(number, sizeof number, "%lld", (long long)a->i);
    return is_one_of(known->values, number, strlen(number));
}

/* QuantLab leaves the numbers of an operator's integer form at it where it is one of floats. */
static bool is_left(const vt_onnx_reader *r, const char *attribute) {
    static const char *const left[] = {"one_over_six", "three", "six", "Delta", "eps", "eta"};
    for (size_t i = 0; r->quantlab && i < sizeof left / sizeof *left; i++)
        if (!strcmp(left[i], attribute)) return true;
    return false;
}

static void check_attribute(vt_onnx_reader *r, const vt_onnx_op *op, const Onnx__NodeProto *p,
                            const Onnx__AttributeProto *a) {
    const char *name = vt__onnx_name(a->name);
    const vt_onnx_attribute *known = op->attributes, *end = known + sizeof op->attributes / sizeof *known;
    while (known < end && known->name && strcmp(known->name, name) != 0) known++;
    if ((known == end || !known->name) && is_left(r, name)) return;
    if (known == end || !known->name)
        report(r, p, "attribute ", name, " is not supported");
    else if (known->type != vt__onnx_attribute_type(a))
        report(r, p, "attribute ", name, " has another type than ONNX gives it");
    else if (!has_value(known, a))
        report(r, p, "attribute ", name, vt_new_format(r->ctx, ": its value is not supported (%s are)", known->values));
}

/* Why there is no such operator here, for those that other networks have. */
static const char *reason(const Onnx__NodeProto *p) {
    static const struct {
        const char *name, *why;
    } without[] = {
        {"Unique", ": how many elements it gives depends on their values"},
    };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (!*vt__onnx_name(p->domain) && !strcmp(without[i].name, vt__onnx_name(p->op_type))) return without[i].why;
    return "";
}

/* QuantLab writes operators that are newer than the operator set it names. */
static void check_version(vt_onnx_reader *r, const vt_onnx_op *op, const Onnx__NodeProto *p) {
    long first = op->versions ? strtol(op->versions, NULL, 10) : 0;
    if (r->opset < first && !r->quantlab)
        report(r, p, "this operator is in operator sets ",
               vt_new_format(r->ctx, "from %ld on, and the model is of operator set %lld", first, (long long)r->opset),
               "");
}

void vt__onnx_check(vt_onnx_reader *r) {
    for (size_t i = 0; i < r->from->n_node; i++) {
        const Onnx__NodeProto *p = r->from->node[i];
        const vt_onnx_op *op = vt__onnx_op(p);
        if (vt__onnx_called(r, p)) continue; /* its nodes are looked at when it is called */
        if (!op) report(r, p, "this operator is not supported", reason(p), "");
        if (op) check_version(r, op, p);
        for (size_t k = 0; op && k < p->n_attribute; k++) check_attribute(r, op, p, p->attribute[k]);
    }
}
