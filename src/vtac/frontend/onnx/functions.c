/* Functions that a model brings along: a node that calls one is the nodes of the function, with the node's attributes
 * in the places where these refer to them. Exporters write such models; PyTorch's have a function for each of its
 * operators.
 */
#include <string.h>

#include "frontend/onnx/priv.h"

enum {
    CALLS_MAX = 32,          /* of functions by functions */
    FIELD_DEFAULTS = 11,     /* FunctionProto.attribute_proto, */
    FIELD_OVERLOAD = 13,     /* FunctionProto.overload, */
    FIELD_NODE_OVERLOAD = 8, /* NodeProto.overload: newer than the messages that are compiled in */
};

struct vt_onnx_functions {
    Onnx__FunctionProto *const *item;
    size_t count;
    vt_onnx_map by_name; /* "DOMAIN.NAME.OVERLOAD" */
};

/* ---- Fields that the messages here do not know ---- */

/* The bytes of a field of a length; NULL past the last of its number. */
static const uint8_t *unknown_field(const ProtobufCMessage *m, uint32_t tag, size_t index, size_t *out_size) {
    for (unsigned i = 0; i < m->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *f = &m->unknown_fields[i];
        if (f->tag != tag || f->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED || index--) continue;
        size_t prefix = 0;
        while (prefix < f->len && f->data[prefix] & 0x80) prefix++;
        prefix += prefix < f->len;
        *out_size = f->len - prefix;
        return f->data + prefix;
    }
    return NULL;
}

static const char *unknown_text(vt_onnx_reader *r, const ProtobufCMessage *m, uint32_t tag) {
    size_t size;
    const uint8_t *bytes = unknown_field(m, tag, 0, &size);
    return bytes && size ? vt_new_stringn(r->ctx, (const char *)bytes, size) : "";
}

/* ---- Finding ---- */

static const char *key_of(vt_onnx_reader *r, const char *domain, const char *name, const char *overload) {
    return vt_new_format(r->ctx, "%s.%s.%s", vt__onnx_name(domain), vt__onnx_name(name), overload);
}

void vt__onnx_functions_begin(vt_onnx_reader *r, const Onnx__ModelProto *m) {
    if (!m->n_functions) return;
    r->functions = VT_NEW(r->ctx, struct vt_onnx_functions);
    r->functions->item = m->functions;
    r->functions->count = m->n_functions;
    for (size_t i = 0; i < m->n_functions; i++) {
        Onnx__FunctionProto *f = m->functions[i];
        const char *key = key_of(r, f->domain, f->name, unknown_text(r, &f->base, FIELD_OVERLOAD));
        if (!vt__onnx_map_put(r->ctx, &r->functions->by_name, key, f))
            vt__onnx_refuse(r, "there are two functions %s of domain '%s'", vt__onnx_name(f->name),
                            vt__onnx_name(f->domain));
    }
}

const Onnx__FunctionProto *vt__onnx_called(vt_onnx_reader *r, const Onnx__NodeProto *p) {
    if (!r->functions) return NULL;
    const char *overload = unknown_text(r, &p->base, FIELD_NODE_OVERLOAD);
    return vt__onnx_map_get(&r->functions->by_name, key_of(r, p->domain, p->op_type, overload));
}

/* ---- The nodes of a call ---- */

typedef struct call {
    const vt_onnx_node *n;
    const Onnx__FunctionProto *f;
} call;

/* The function's own value of an attribute that the node does not give; NULL: it has none. */
static const Onnx__AttributeProto *default_of(const call *c, const char *name) {
    const uint8_t *bytes;
    size_t size;
    for (size_t i = 0; (bytes = unknown_field(&c->f->base, FIELD_DEFAULTS, i, &size)); i++) {
        const Onnx__AttributeProto *a =
            vt__onnx_unpack(c->n->r->ctx, c->n->r->options->name, &onnx__attribute_proto__descriptor, bytes, size);
        if (!strcmp(vt__onnx_name(a->name), name)) return a;
    }
    return NULL;
}

static void *sequence_in(const vt_onnx_node *n, size_t i) {
    return i < n->p->n_input ? vt__onnx_map_get(&n->r->sequences, n->p->input[i]) : NULL;
}

static bool is_parameter(const Onnx__FunctionProto *f, const char *name) {
    for (size_t i = 0; i < f->n_input; i++)
        if (!strcmp(f->input[i], name)) return true;
    return false;
}

/* An input that the call leaves out is left out where the function uses it. */
static char **inputs_of(const call *c, const Onnx__NodeProto *p) {
    vt_onnx_reader *r = c->n->r;
    char **inputs = VT_NEW_ARRAY(r->ctx, char *, p->n_input + 1);
    for (size_t i = 0; i < p->n_input; i++) {
        bool given = false;
        for (size_t k = 0; k < c->f->n_input && !given; k++)
            given = !strcmp(c->f->input[k], p->input[i]) && (vt__onnx_in(c->n, k) || sequence_in(c->n, k));
        inputs[i] = !given && is_parameter(c->f, p->input[i]) ? "" : p->input[i];
    }
    return inputs;
}

static Onnx__GraphProto *graph_of(const call *c, const Onnx__GraphProto *g);

/* The attribute as the call has it; NULL: it is left out. */
static Onnx__AttributeProto *attribute_of(const call *c, const Onnx__AttributeProto *a) {
    const char *refers = vt__onnx_name(a->ref_attr_name);
    const Onnx__AttributeProto *is = a;
    if (*refers) is = vt__onnx_attribute_of(c->n, refers);
    if (!is) is = default_of(c, refers);
    if (!is) return NULL;
    Onnx__AttributeProto *made = VT_NEW(c->n->r->ctx, Onnx__AttributeProto);
    *made = *is;
    made->name = a->name;
    if (made->g && is == a) made->g = graph_of(c, made->g);
    return made;
}

static Onnx__NodeProto *node_of(const call *c, const Onnx__NodeProto *p) {
    vt_ctx *ctx = c->n->r->ctx;
    Onnx__NodeProto *made = VT_NEW(ctx, Onnx__NodeProto);
    *made = *p;
    made->input = inputs_of(c, p);
    made->attribute = VT_NEW_ARRAY(ctx, Onnx__AttributeProto *, p->n_attribute + 1);
    made->n_attribute = 0;
    for (size_t i = 0; i < p->n_attribute; i++) {
        Onnx__AttributeProto *a = attribute_of(c, p->attribute[i]);
        if (a) made->attribute[made->n_attribute++] = a;
    }
    return made;
}

static Onnx__NodeProto **nodes_of(const call *c, size_t count, Onnx__NodeProto *const *nodes) {
    Onnx__NodeProto **made = VT_NEW_ARRAY(c->n->r->ctx, Onnx__NodeProto *, count + 1);
    for (size_t i = 0; i < count; i++) made[i] = node_of(c, nodes[i]);
    return made;
}

/* A body within the function, whose nodes may refer to the call's attributes too. */
static Onnx__GraphProto *graph_of(const call *c, const Onnx__GraphProto *g) {
    Onnx__GraphProto *made = VT_NEW(c->n->r->ctx, Onnx__GraphProto);
    *made = *g;
    made->node = nodes_of(c, g->n_node, g->node);
    return made;
}

/* Its outputs, so that what only they read is known to be read. */
static void note_outputs(vt_ctx *ctx, const Onnx__FunctionProto *f, Onnx__GraphProto *body) {
    body->output = VT_NEW_ARRAY(ctx, Onnx__ValueInfoProto *, f->n_output + 1);
    body->n_output = f->n_output;
    for (size_t i = 0; i < f->n_output; i++) {
        body->output[i] = VT_NEW(ctx, Onnx__ValueInfoProto);
        onnx__value_info_proto__init(body->output[i]);
        body->output[i]->name = f->output[i];
    }
}

/* The operator set that a function is written in may be another one than the model's. */
static int64_t opset_of(const vt_onnx_reader *r, const Onnx__FunctionProto *f) {
    for (size_t i = 0; i < f->n_opset_import; i++) {
        const char *domain = vt__onnx_name(f->opset_import[i]->domain);
        if (!*domain || !strcmp(domain, "ai.onnx")) return f->opset_import[i]->version;
    }
    return r->opset;
}

/* The call's inputs are the function's. */
static void bind(const vt_onnx_node *n, const Onnx__FunctionProto *f, vt_onnx_reader *inner) {
    for (size_t i = 0; i < f->n_input; i++) {
        vt_gvalue *v = vt__onnx_in(n, i);
        void *sequence = v ? NULL : sequence_in(n, i);
        if ((v && !vt__onnx_map_put(inner->ctx, &inner->values, f->input[i], v)) ||
            (sequence && !vt__onnx_map_put(inner->ctx, &inner->sequences, f->input[i], sequence)))
            vt__onnx_wrong(n, "the function has two inputs %s", f->input[i]);
    }
}

static void give(const vt_onnx_node *n, const Onnx__FunctionProto *f, const vt_onnx_reader *inner) {
    for (size_t i = 0; i < n->p->n_output; i++) {
        vt_gvalue *v = vt__onnx_map_get(&inner->values, f->output[i]);
        void *sequence = v ? NULL : vt__onnx_map_get(&inner->sequences, f->output[i]);
        if (!v && !sequence && vt__onnx_wants(n, i))
            vt__onnx_wrong(n, "nothing computes output %s of the function", f->output[i]);
        if (v) vt__onnx_out(n, i, v);
        if (sequence && vt__onnx_wants(n, i)) vt__onnx_map_put(n->r->ctx, &n->r->sequences, n->p->output[i], sequence);
    }
}

void vt__onnx_call(const vt_onnx_node *n, const Onnx__FunctionProto *f) {
    vt_onnx_reader *r = n->r;
    call c = {n, f};
    Onnx__GraphProto *body = VT_NEW(r->ctx, Onnx__GraphProto);
    onnx__graph_proto__init(body);
    if (n->p->n_input > f->n_input || n->p->n_output > f->n_output)
        vt__onnx_wrong(n, "it has %zu inputs and %zu outputs, the function %zu and %zu", n->p->n_input, n->p->n_output,
                       f->n_input, f->n_output);
    if (r->calls >= CALLS_MAX) vt__onnx_wrong(n, "functions call each other more than %d deep", CALLS_MAX);
    vt__onnx_count_unrolled(n, f->n_node + 1);
    body->node = nodes_of(&c, f->n_node, f->node);
    body->n_node = f->n_node;
    note_outputs(r->ctx, f, body);
    vt_onnx_reader inner = *r;
    inner.from = body;
    inner.opset = opset_of(r, f);
    if (inner.opset < VT_ONNX_OLDEST || inner.opset > VT_ONNX_NEWEST)
        vt__onnx_unsupported(n, "the function is of operator set %lld; versions %d to %d are supported",
                             (long long)inner.opset, VT_ONNX_OLDEST, VT_ONNX_NEWEST);
    inner.values = (vt_onnx_map){0};
    inner.sequences = (vt_onnx_map){0};
    inner.in_body = true;
    inner.refused = 0;
    inner.calls++;
    bind(n, f, &inner);
    vt__onnx_read_inner(&inner);
    r->body_nodes = inner.body_nodes;
    give(n, f, &inner);
}
