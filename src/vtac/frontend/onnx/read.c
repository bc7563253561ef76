/* Reading a model: bytes to messages to nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/spill.h"
#include "frontend/onnx/language.h"
#include "frontend/onnx/rows.h"

/* ---- Messages, in the arena ---- */

static void *arena_alloc(void *arena, size_t size) { return vt_arena_alloc(arena, size); }
static void arena_free(void *arena, void *p) {
    (void)arena;
    (void)p;
}

/* Data of tensors stays where protobuf-c puts it, and is the graph's. */
void *vt__onnx_unpack(vt_ctx *ctx, const char *name, const ProtobufCMessageDescriptor *type, const void *bytes,
                      size_t size) {
    ProtobufCAllocator arena = {arena_alloc, arena_free, &ctx->arena};
    vt__onnx_check_depth(ctx, name, type, bytes, size);
    void *message = protobuf_c_message_unpack(type, &arena, size, bytes);
    if (message) return message;
    void *probe = vt_arena_alloc(&ctx->arena, size); /* was it memory that was missing? */
    if (!probe) vt_raise(ctx, VTA_NO_MEMORY, "out of memory");
    vt_raise(ctx, VTA_PARSE, "%s: no ONNX model: its messages cannot be read", name);
}

const char *vt__onnx_name(const char *name) { return name ? name : ""; }

const char *vt__onnx_node_name(const Onnx__NodeProto *p) {
    if (p->name && *p->name) return p->name;
    return p->n_output ? p->output[0] : "without a name";
}

void vt__onnx_refuse(vt_onnx_reader *r, const char *fmt, ...) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(r->ctx, &room);
    va_list args;
    va_start(args, fmt);
    vt_strbuf_vaddf(&sb, fmt, args);
    va_end(args);
    vt_raise(r->ctx, VTA_MISMATCH, "%s: %s", r->options->name, vt_arena_text_take(r->ctx, &sb));
}

static void check_version(vt_onnx_reader *r, const Onnx__ModelProto *m) {
    for (size_t i = 0; i < m->n_opset_import; i++) {
        const char *domain = vt__onnx_name(m->opset_import[i]->domain);
        if (!*domain || !strcmp(domain, "ai.onnx")) r->opset = m->opset_import[i]->version;
        if (!strcmp(domain, "PACTOps")) r->quantlab = true;
    }
    if (r->opset < VT_ONNX_OLDEST || r->opset > VT_ONNX_NEWEST)
        vt_raise(r->ctx, VTA_UNSUPPORTED, "%s: operator set %lld; versions %d to %d are supported", r->options->name,
                 (long long)r->opset, VT_ONNX_OLDEST, VT_ONNX_NEWEST);
    if (!m->graph) vt_raise(r->ctx, VTA_PARSE, "%s: no ONNX model: there is no graph in it", r->options->name);
    if (m->graph->n_sparse_initializer)
        vt_raise(r->ctx, VTA_UNSUPPORTED, "%s: sparse tensors are not supported", r->options->name);
}

/* ---- Inputs ---- */

/* "NAME=1,2" of this input, or the only text without a name; NULL when there is none. */
static const char *shape_text(const vt_onnx_reader *r, const char *name, size_t inputs) {
    for (size_t i = 0; i < r->options->shape_count; i++) {
        const char *text = r->options->shapes[i], *is = strrchr(text, '=');
        if (!is && inputs == 1) return text;
        if (is && strlen(name) == (size_t)(is - text) && !strncmp(text, name, (size_t)(is - text))) return is + 1;
    }
    return NULL;
}

static uint32_t parse_shape(vt_onnx_reader *r, const char *text, int64_t dims[VT_MAX_RANK]) {
    uint32_t rank = 0;
    for (const char *at = text; *at;) {
        char *end;
        long long d = strtoll(at, &end, 10);
        if (end == at || d < 0 || rank == VT_MAX_RANK || (*end && *end != ','))
            vt_raise(r->ctx, VTA_INVALID_ARGUMENT, "shape %s: expected extents with commas between them", text);
        dims[rank++] = d;
        at = *end ? end + 1 : end;
    }
    return rank;
}

/* The extent of an axis as the model has it; -1: it leaves it open. */
static int64_t extent_of(const Onnx__TensorShapeProto__Dimension *d) {
    return d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && d->dim_value >= 0 ? d->dim_value
                                                                                                      : -1;
}

static void check_given(vt_onnx_reader *r, const char *name, const Onnx__TensorShapeProto *s, uint32_t rank,
                        const int64_t *dims) {
    if (s->n_dim != rank)
        vt__onnx_refuse(r, "input %s has %zu axes, the shape given for it %u", name, s->n_dim, (unsigned)rank);
    for (uint32_t i = 0; i < rank; i++)
        if (i > 0 && extent_of(s->dim[i]) >= 0 && extent_of(s->dim[i]) != dims[i])
            vt__onnx_refuse(r, "axis %u of input %s has %lld elements, not %lld", (unsigned)i, name,
                            (long long)extent_of(s->dim[i]), (long long)dims[i]);
}

static const char *symbol_of(const Onnx__TensorShapeProto__Dimension *d) {
    return d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && d->dim_param ? d->dim_param : "";
}

/* The extent that another input gives the name of this one; -1: none does. */
static int64_t named_extent(const vt_onnx_reader *r, const Onnx__TensorShapeProto__Dimension *d) {
    const int64_t *extent = *symbol_of(d) ? vt__onnx_map_get(&r->symbols, symbol_of(d)) : NULL;
    return extent ? *extent : -1;
}

/* What an input of these extents is likely to take where they are -1: images of 224 x 224, 128 of anything else. */
static const char *likely_shape(vt_onnx_reader *r, uint32_t rank, const int64_t *dims) {
    const char *text = "";
    bool image = rank == 4 && (dims[1] == 1 || dims[1] == 3 || dims[3] == 1 || dims[3] == 3);
    for (uint32_t i = 0; i < rank; i++)
        text = vt_new_format(r->ctx, "%s%s%lld", text, i ? "," : "",
                             (long long)(dims[i] >= 0 ? dims[i]
                                         : i == 0     ? 1
                                         : image      ? 224
                                                      : 128));
    return text;
}

static uint32_t model_shape(vt_onnx_reader *r, const Onnx__ValueInfoProto *v, const Onnx__TensorShapeProto *s,
                            int64_t dims[VT_MAX_RANK]) {
    const char *name = vt__onnx_name(v->name);
    bool open = false;
    if (s->n_dim > VT_MAX_RANK)
        vt__onnx_refuse(r, "input %s has %zu axes; at most %d are supported", name, s->n_dim, VT_MAX_RANK);
    for (uint32_t i = 0; i < s->n_dim; i++) {
        dims[i] = extent_of(s->dim[i]);
        if (dims[i] < 0) dims[i] = named_extent(r, s->dim[i]);
        if (dims[i] < 0) dims[i] = vt__onnx_language_extent(r, v, i);
        if (dims[i] < 0 && i == 0) dims[i] = r->options->batch ? r->options->batch : 1;
        open = open || dims[i] < 0;
    }
    if (open) {
        const char *likely = likely_shape(r, (uint32_t)s->n_dim, dims);
        r->open = vt_new_format(r->ctx, "%s%s--shape %s=%s", r->open ? r->open : "", r->open ? " " : "", name, likely);
        for (uint32_t i = 0; i < s->n_dim; i++) dims[i] = dims[i] < 0 ? 1 : dims[i]; /* the model is refused later */
    }
    return (uint32_t)s->n_dim;
}

static void note_symbol(vt_onnx_reader *r, const Onnx__TensorShapeProto__Dimension *d, int64_t extent) {
    int64_t *known = VT_NEW(r->ctx, int64_t);
    *known = extent;
    if (*symbol_of(d)) vt__onnx_map_put(r->ctx, &r->symbols, symbol_of(d), known);
}

/* Extents by the names that the model gives them: of the shapes that are given, then of first axes, which are a batch.
 */
static void note_symbols(vt_onnx_reader *r, size_t inputs) {
    for (uint32_t given = 2; given-- > 0;) {
        for (size_t i = 0; i < r->from->n_input; i++) {
            const Onnx__ValueInfoProto *v = r->from->input[i];
            const char *text = shape_text(r, vt__onnx_name(v->name), inputs);
            int64_t dims[VT_MAX_RANK] = {r->options->batch ? r->options->batch : 1};
            bool tensor = v->type && v->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
            const Onnx__TensorShapeProto *s = tensor ? v->type->tensor_type->shape : NULL;
            if (!s || !s->n_dim || !given != !text) continue;
            uint32_t rank = text ? parse_shape(r, text, dims) : 1;
            for (uint32_t k = 0; k < rank && k < s->n_dim; k++)
                if (extent_of(s->dim[k]) < 0) note_symbol(r, s->dim[k], dims[k]);
        }
    }
}

static vt_gtype input_type(vt_onnx_reader *r, const Onnx__ValueInfoProto *v, size_t inputs) {
    const char *name = vt__onnx_name(v->name);
    int64_t dims[VT_MAX_RANK];
    vt_element element;
    vt_gtype t;
    if (!v->type || v->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        vt__onnx_refuse(r, "input %s is not a tensor", name);
    const Onnx__TypeProto__Tensor *tensor = v->type->tensor_type;
    if (!vt__onnx_element(tensor->elem_type, &element))
        vt_raise(r->ctx, VTA_UNSUPPORTED, "%s: input %s: element type %d of ONNX is not supported", r->options->name,
                 name, (int)tensor->elem_type);
    const char *text = shape_text(r, name, inputs);
    if (!tensor->shape && !text) vt__onnx_refuse(r, "input %s has no shape: give it, as %s=1,3,224,224", name, name);
    uint32_t rank = text ? parse_shape(r, text, dims) : model_shape(r, v, tensor->shape, dims);
    if (text && tensor->shape) check_given(r, name, tensor->shape, rank, dims);
    if (!vt_gtype_make(element, rank, dims, &t)) vt__onnx_refuse(r, "input %s is too large", name);
    return t;
}

static void put_value(vt_onnx_reader *r, const char *name, vt_gvalue *v) {
    if (!vt__onnx_map_put(r->ctx, &r->values, name, v)) vt__onnx_refuse(r, "there are two values %s", name);
}

static void read_initializers(vt_onnx_reader *r) {
    for (size_t i = 0; i < r->from->n_initializer; i++) {
        const char *name = vt__onnx_name(r->from->initializer[i]->name);
        put_value(r, name, vt__onnx_tensor(r, r->from->initializer[i], name));
    }
}

/* Older models list constants among the inputs too. */
static void read_inputs(vt_onnx_reader *r) {
    size_t inputs = 0;
    for (size_t i = 0; i < r->from->n_input; i++)
        inputs += !vt__onnx_map_get(&r->values, vt__onnx_name(r->from->input[i]->name));
    note_symbols(r, inputs);
    for (size_t i = 0; i < r->from->n_input; i++) {
        const char *name = vt__onnx_name(r->from->input[i]->name);
        const vt_gvalue *known = vt__onnx_map_get(&r->values, name);
        if (known && known->data) continue;
        put_value(r, name, vt_graph_input(r->g, name, input_type(r, r->from->input[i], inputs)));
    }
    if (r->open) vt__onnx_refuse(r, "the model leaves extents of its inputs open: give them, likely %s", r->open);
    for (size_t i = 0; i < r->options->shape_count; i++) {
        const char *is = strrchr(r->options->shapes[i], '=');
        const char *name =
            is ? vt_new_stringn(r->ctx, r->options->shapes[i], (size_t)(is - r->options->shapes[i])) : NULL;
        const vt_gvalue *v = name ? vt__onnx_map_get(&r->values, name) : NULL;
        if (name ? !v || v->data : inputs != 1)
            vt_raise(r->ctx, VTA_NOT_FOUND, "%s: shape %s: %s", r->options->name, r->options->shapes[i],
                     name ? "the model has no such input" : "the model has several inputs: expected NAME=1,2,3");
    }
}

/* ---- Nodes ---- */

static vta_status read_node(vt_ctx *ctx, void *arg) {
    (void)ctx;
    vt_onnx_node *n = arg;
    const Onnx__FunctionProto *called = vt__onnx_called(n->r, n->p);
    if (called) {
        vt__onnx_call(n, called);
        return VTA_OK;
    }
    vt__onnx_start_narrow(n);
    vt__onnx_op(n->p)->read(n);
    return VTA_OK;
}

/* Does the node depend on one that is not supported. */
static bool waits(const vt_onnx_reader *r, const Onnx__NodeProto *p) {
    for (size_t i = 0; i < p->n_input; i++)
        if (*p->input[i] && !vt__onnx_map_get(&r->values, p->input[i]) && !vt__onnx_map_get(&r->sequences, p->input[i]))
            return true;
    return false;
}

/* Of nodes that are not supported each is reported, and what depends on them is left out. */
static void read_nodes(vt_onnx_reader *r, const uint32_t *order) {
    for (size_t i = 0; i < r->from->n_node; i++) {
        const Onnx__NodeProto *p = r->from->node[order[i]];
        vt_poll(r->ctx);
        vt_spill_release(r->ctx);
        if ((!vt__onnx_op(p) && !vt__onnx_called(r, p)) || waits(r, p)) continue;
        vt_onnx_node n = {r, p, vt__onnx_node_name(p), NULL};
        vta_status status = vt_protect(r->ctx, read_node, &n);
        if (status != VTA_OK && status != VTA_UNSUPPORTED) vt_leave(r->ctx, status);
        r->refused += status == VTA_UNSUPPORTED;
    }
    if (r->refused) vt_leave(r->ctx, VTA_UNSUPPORTED);
}

static void read_outputs(vt_onnx_reader *r) {
    if (!r->from->n_output) vt__onnx_refuse(r, "the graph has no outputs");
    for (size_t i = 0; i < r->from->n_output; i++) {
        const char *name = vt__onnx_name(r->from->output[i]->name);
        vt_gvalue *v = vt__onnx_map_get(&r->values, name);
        if (!v && vt__onnx_map_get(&r->sequences, name))
            vt_raise(
                r->ctx, VTA_UNSUPPORTED,
                "%s: output %s is a sequence of tensors: end the model with the tensors, or with ConcatFromSequence",
                r->options->name, name);
        if (!v) vt__onnx_refuse(r, "nothing computes output %s", name);
        vt_graph_output(r->g, v, name);
    }
}

void vt__onnx_read_inner(vt_onnx_reader *r) {
    vt__onnx_check(r);
    read_nodes(r, vt__onnx_order(r));
}

void vt__onnx_read_body(vt_onnx_reader *r, const Onnx__GraphProto *body, vt_gvalue *const *in, vt_gvalue **out) {
    vt_onnx_reader inner = *r;
    inner.from = body;
    inner.values = (vt_onnx_map){.outer = &r->values};
    inner.sequences = (vt_onnx_map){.outer = &r->sequences};
    inner.refused = 0;
    inner.in_body = true;
    vt__onnx_check(&inner);
    read_initializers(&inner);
    for (size_t i = 0; i < body->n_input; i++) put_value(&inner, vt__onnx_name(body->input[i]->name), in[i]);
    read_nodes(&inner, vt__onnx_order(&inner));
    for (size_t i = 0; i < body->n_output; i++) {
        const char *name = vt__onnx_name(body->output[i]->name);
        out[i] = vt__onnx_map_get(&inner.values, name);
        if (!out[i]) vt__onnx_refuse(r, "nothing computes output %s of a body", name);
    }
    r->body_nodes = inner.body_nodes;
}

/* Tensors get the data that are not in the message. */
static void give_data(const vt_onnx_file *file, Onnx__GraphProto *g) {
    for (uint32_t i = 0; file && i < file->count; i++) {
        const vt_onnx_data *d = &file->data[i];
        if (d->tensor >= g->n_initializer) continue;
        g->initializer[d->tensor]->has_raw_data = 1;
        g->initializer[d->tensor]->raw_data = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    }
}

static void read_properties(vt_onnx_reader *r, const Onnx__ModelProto *m) {
    vt_gproperty *list = VT_NEW_ARRAY(r->ctx, vt_gproperty, m->n_metadata_props + 1);
    for (size_t i = 0; i < m->n_metadata_props; i++) {
        const Onnx__StringStringEntryProto *e = m->metadata_props[i];
        list[i] = (vt_gproperty){vt_new_string(r->ctx, vt__onnx_name(e->key)),
                                 vt_new_string(r->ctx, vt__onnx_name(e->value))};
    }
    r->g->properties = list;
    r->g->property_count = (uint32_t)m->n_metadata_props;
}

const vt_graph *vt_onnx_read(vt_ctx *ctx, const void *bytes, size_t size, const vt_onnx_options *options) {
    vt_onnx_reader r = {.ctx = ctx, .options = options};
    const Onnx__ModelProto *m = vt__onnx_unpack(ctx, options->name, &onnx__model_proto__descriptor, bytes, size);
    check_version(&r, m);
    vt__onnx_functions_begin(&r, m);
    give_data(options->file, m->graph);
    r.from = m->graph;
    r.four_bits = VT_NEW(ctx, vt_onnx_four_bits);
    r.tensors = VT_NEW(ctx, vt_onnx_map);
    r.g = vt_graph_new(ctx, r.from->name && *r.from->name ? r.from->name : "main");
    vt__onnx_rows_begin(&r);
    read_properties(&r, m);
    vt__onnx_check(&r);
    vt__onnx_language_begin(&r, m);
    read_initializers(&r);
    read_inputs(&r);
    read_nodes(&r, vt__onnx_order(&r));
    read_outputs(&r);
    vt__onnx_rows_end(&r);
    vt_graph_verify(r.g, "reading");
    return r.g;
}

vt_gvalue *vt_onnx_read_tensor(vt_graph *g, const void *bytes, size_t size, const char *name) {
    vt_onnx_options options = {.name = name};
    vt_onnx_reader r = {.ctx = g->ctx, .g = g, .options = &options};
    return vt__onnx_tensor(&r, vt__onnx_unpack(g->ctx, name, &onnx__tensor_proto__descriptor, bytes, size), name);
}
