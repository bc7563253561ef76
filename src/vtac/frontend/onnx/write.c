/* Building messages, and writing them. */
#include "frontend/onnx/write.h"

#include <onnx.pb-c.h>
#include <string.h>

static void append(vt_ctx *ctx, void *list, size_t *count, uint32_t *cap, void *item) {
    void ***items = list;
    vt_grow(ctx, list, cap, (uint32_t)*count + 1, sizeof(void *));
    (*items)[(*count)++] = item;
}

void vt_onnx_write_begin(vt_onnx_writer *w, vt_ctx *ctx, const char *name) {
    *w = (vt_onnx_writer){.ctx = ctx, .graph = VT_NEW(ctx, Onnx__GraphProto), .scope = ""};
    onnx__graph_proto__init(w->graph);
    w->graph->name = vt_new_string(ctx, name);
}

static char *scoped(const vt_onnx_writer *w, const char *name) {
    return *w->scope ? vt_new_format(w->ctx, "%s/%s", w->scope, name) : vt_new_string(w->ctx, name);
}

/* ---- Inputs and outputs ---- */

static Onnx__TensorShapeProto__Dimension *extent(vt_ctx *ctx, const vt_onnx_extent *e) {
    Onnx__TensorShapeProto__Dimension *d = VT_NEW(ctx, Onnx__TensorShapeProto__Dimension);
    onnx__tensor_shape_proto__dimension__init(d);
    if (e->value >= 0) {
        d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        d->dim_value = e->value;
    } else {
        d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        d->dim_param = vt_new_string(ctx, e->name);
    }
    return d;
}

void vt_onnx_write_port(vt_onnx_writer *w, vt_onnx_port port, const char *name, bool whole, uint32_t rank,
                        const vt_onnx_extent *shape) {
    Onnx__ValueInfoProto *v = VT_NEW(w->ctx, Onnx__ValueInfoProto);
    Onnx__TypeProto *t = VT_NEW(w->ctx, Onnx__TypeProto);
    Onnx__TypeProto__Tensor *tensor = VT_NEW(w->ctx, Onnx__TypeProto__Tensor);
    Onnx__TensorShapeProto *s = VT_NEW(w->ctx, Onnx__TensorShapeProto);
    onnx__value_info_proto__init(v);
    onnx__type_proto__init(t);
    onnx__type_proto__tensor__init(tensor);
    onnx__tensor_shape_proto__init(s);
    s->dim = VT_NEW_ARRAY(w->ctx, Onnx__TensorShapeProto__Dimension *, rank + 1);
    for (uint32_t i = 0; i < rank; i++) s->dim[s->n_dim++] = extent(w->ctx, &shape[i]);
    tensor->has_elem_type = true;
    tensor->elem_type = whole ? ONNX__TENSOR_PROTO__DATA_TYPE__INT64 : ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    tensor->shape = s;
    t->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    t->tensor_type = tensor;
    v->name = vt_new_string(w->ctx, name);
    v->type = t;
    if (port == VT_ONNX_OUTPUT)
        append(w->ctx, &w->graph->output, &w->graph->n_output, &w->output_cap, v);
    else
        append(w->ctx, &w->graph->input, &w->graph->n_input, &w->input_cap, v);
}

/* ---- Constants ---- */

static void *tensor(vt_onnx_writer *w, const char *name, int32_t element, size_t bytes, uint32_t rank,
                    const int64_t *shape) {
    Onnx__TensorProto *t = VT_NEW(w->ctx, Onnx__TensorProto);
    onnx__tensor_proto__init(t);
    t->name = vt_new_string(w->ctx, name);
    t->has_data_type = true;
    t->data_type = element;
    t->n_dims = rank;
    t->dims = VT_NEW_ARRAY(w->ctx, int64_t, rank + 1);
    for (uint32_t i = 0; i < rank; i++) {
        t->dims[i] = shape[i];
        bytes *= (size_t)shape[i];
    }
    t->has_raw_data = true;
    t->raw_data = (ProtobufCBinaryData){bytes, vt_new_bytes(w->ctx, bytes)};
    append(w->ctx, &w->graph->initializer, &w->graph->n_initializer, &w->tensor_cap, t);
    return t->raw_data.data;
}

float *vt_onnx_write_floats(vt_onnx_writer *w, const char *name, uint32_t rank, const int64_t *shape) {
    return tensor(w, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, sizeof(float), rank, shape);
}

const char *vt_onnx_write_scalar(vt_onnx_writer *w, const char *name, float number) {
    *vt_onnx_write_floats(w, name, 0, NULL) = number;
    return name;
}

const char *vt_onnx_write_int64(vt_onnx_writer *w, const char *name, int64_t number) {
    *(int64_t *)tensor(w, name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, sizeof number, 0, NULL) = number;
    return name;
}

const char *vt_onnx_write_int64s(vt_onnx_writer *w, const char *name, uint32_t count, const int64_t *numbers) {
    int64_t shape[1] = {count};
    int64_t *to = tensor(w, name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, sizeof *to, 1, shape);
    memcpy(to, numbers, count * sizeof *to);
    return name;
}

/* ---- Nodes ---- */

enum { MAX_OUTPUTS = 4, MAX_ATTRIBUTES = 6 };

vt_onnx_written *vt_onnx_write_node(vt_onnx_writer *w, const char *op, const char *name,
                                    const char *const inputs[VT_ONNX_WRITTEN_INPUTS]) {
    Onnx__NodeProto *n = VT_NEW(w->ctx, Onnx__NodeProto);
    onnx__node_proto__init(n);
    n->op_type = vt_new_string(w->ctx, op);
    n->name = scoped(w, name);
    n->input = VT_NEW_ARRAY(w->ctx, char *, VT_ONNX_WRITTEN_INPUTS);
    while (n->n_input < VT_ONNX_WRITTEN_INPUTS && inputs[n->n_input]) {
        n->input[n->n_input] = vt_new_string(w->ctx, inputs[n->n_input]);
        n->n_input++;
    }
    n->output = VT_NEW_ARRAY(w->ctx, char *, MAX_OUTPUTS);
    n->output[n->n_output++] = n->name;
    n->attribute = VT_NEW_ARRAY(w->ctx, Onnx__AttributeProto *, MAX_ATTRIBUTES);
    append(w->ctx, &w->graph->node, &w->graph->n_node, &w->node_cap, n);
    return n;
}

const char *vt_onnx_written_name(const vt_onnx_written *n) { return n->output[0]; }

const char *vt_onnx_write_output(vt_onnx_writer *w, vt_onnx_written *n, const char *name) {
    char *own = name ? vt_new_string(w->ctx, name) : vt_new_format(w->ctx, "%s_%zu", n->name, n->n_output);
    return n->output[n->n_output++] = own;
}

void vt_onnx_write_rename(vt_onnx_writer *w, vt_onnx_written *n, const char *name) {
    n->output[0] = vt_new_string(w->ctx, name);
}

static Onnx__AttributeProto *attribute(vt_onnx_writer *w, vt_onnx_written *n, const char *name,
                                       Onnx__AttributeProto__AttributeType type) {
    Onnx__AttributeProto *a = VT_NEW(w->ctx, Onnx__AttributeProto);
    onnx__attribute_proto__init(a);
    a->name = vt_new_string(w->ctx, name);
    a->has_type = true;
    a->type = type;
    n->attribute[n->n_attribute++] = a;
    return a;
}

void vt_onnx_write_int(vt_onnx_writer *w, vt_onnx_written *n, const char *name, int64_t value) {
    Onnx__AttributeProto *a = attribute(w, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
    a->has_i = true;
    a->i = value;
}

void vt_onnx_write_float(vt_onnx_writer *w, vt_onnx_written *n, const char *name, float value) {
    Onnx__AttributeProto *a = attribute(w, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
    a->has_f = true;
    a->f = value;
}

void vt_onnx_write_ints(vt_onnx_writer *w, vt_onnx_written *n, const char *name, uint32_t count,
                        const int64_t *values) {
    Onnx__AttributeProto *a = attribute(w, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
    a->ints = VT_NEW_ARRAY(w->ctx, int64_t, count + 1);
    memcpy(a->ints, values, count * sizeof *values);
    a->n_ints = count;
}

/* ---- The model ---- */

static void put_metadata(vt_onnx_writer *w, Onnx__ModelProto *m, int64_t context) {
    Onnx__StringStringEntryProto *e = VT_NEW(w->ctx, Onnx__StringStringEntryProto);
    onnx__string_string_entry_proto__init(e);
    e->key = vt_new_string(w->ctx, "context_length");
    e->value = vt_new_format(w->ctx, "%lld", (long long)context);
    m->metadata_props = VT_NEW_ARRAY(w->ctx, Onnx__StringStringEntryProto *, 1);
    m->metadata_props[m->n_metadata_props++] = e;
}

uint8_t *vt_onnx_write_end(vt_onnx_writer *w, int64_t opset, int64_t context, size_t *out_size) {
    Onnx__ModelProto m = ONNX__MODEL_PROTO__INIT;
    Onnx__OperatorSetIdProto set = ONNX__OPERATOR_SET_ID_PROTO__INIT, *sets[] = {&set};
    set.domain = (char[]){""};
    set.has_version = true;
    set.version = opset;
    m.has_ir_version = true;
    m.ir_version = opset < 21 ? 8 : opset < 23 ? 10 : 11; /* the first that has such operators */
    m.producer_name = vt_new_string(w->ctx, "vta");
    m.n_opset_import = 1;
    m.opset_import = sets;
    m.graph = w->graph;
    put_metadata(w, &m, context);
    *out_size = onnx__model_proto__get_packed_size(&m);
    uint8_t *bytes = vt_new_bytes(w->ctx, *out_size);
    onnx__model_proto__pack(&m, bytes);
    return bytes;
}
