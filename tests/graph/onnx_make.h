/* Small ONNX models, made with protobuf-c's messages: nothing is freed one by one: what they are made of is kept until
 * the program ends. */
#ifndef TESTS_GRAPH_ONNX_MAKE_H
#define TESTS_GRAPH_ONNX_MAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx.pb-c.h"

/* Zeroed, and kept in a list, where a leak checker finds it. */
static inline void *make_room(size_t count, size_t size) {
    static struct kept {
        struct kept *before;
        max_align_t bytes[];
    } *last;
    struct kept *k = calloc(1, sizeof *k + count * size);
    k->before = last;
    last = k;
    return k->bytes;
}

static inline char *make_text(const char *text) { return strcpy(make_room(strlen(text) + 1, 1), text); }

enum { MAKE_MAX = 128 };

/* A model that grows; start with make_model(opset). */
typedef struct making {
    Onnx__ModelProto model;
    Onnx__GraphProto graph;
    Onnx__OperatorSetIdProto opsets[2], *opset_list[2];
    Onnx__NodeProto *nodes[MAKE_MAX];
    Onnx__TensorProto *tensors[MAKE_MAX];
    Onnx__ValueInfoProto *inputs[MAKE_MAX], *outputs[MAKE_MAX];
} making;

static inline void make_model(making *m, int64_t opset) {
    memset(m, 0, sizeof *m);
    onnx__model_proto__init(&m->model);
    onnx__graph_proto__init(&m->graph);
    m->model.has_ir_version = 1, m->model.ir_version = 7;
    m->model.graph = &m->graph;
    m->graph.name = (char *)"made";
    for (int i = 0; i < 2; i++) {
        onnx__operator_set_id_proto__init(&m->opsets[i]);
        m->opset_list[i] = &m->opsets[i];
        m->opsets[i].has_version = 1, m->opsets[i].version = i ? 1 : opset;
    }
    m->opsets[1].domain = (char *)"com.microsoft";
    m->model.n_opset_import = 2, m->model.opset_import = m->opset_list;
    m->graph.node = m->nodes, m->graph.initializer = m->tensors;
    m->graph.input = m->inputs, m->graph.output = m->outputs;
}

/* Words with blanks between them; "-" is an empty one. */
static inline size_t make_words(const char *text, char ***out) {
    size_t n = 0;
    char *copy = make_text(text), *save;
    *out = make_room(strlen(text) + 1, sizeof **out);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        (*out)[n++] = strcmp(w, "-") ? w : make_text("");
    return n;
}

/* "1,3,8,8"; a word that is not a number leaves the extent open. "" is a scalar. */
static inline Onnx__ValueInfoProto *make_value(const char *name, int32_t type, const char *shape) {
    Onnx__ValueInfoProto *v = make_room(1, sizeof *v);
    Onnx__TypeProto *t = make_room(1, sizeof *t);
    Onnx__TypeProto__Tensor *tensor = make_room(1, sizeof *tensor);
    Onnx__TensorShapeProto *s = make_room(1, sizeof *s);
    onnx__value_info_proto__init(v), onnx__type_proto__init(t), onnx__type_proto__tensor__init(tensor);
    onnx__tensor_shape_proto__init(s);
    v->name = make_text(name), v->type = t;
    t->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE, t->tensor_type = tensor;
    tensor->has_elem_type = 1, tensor->elem_type = type, tensor->shape = s;
    s->dim = make_room(strlen(shape) + 1, sizeof *s->dim);
    for (const char *at = shape; *at; at += strcspn(at, ","), at += *at == ',') {
        Onnx__TensorShapeProto__Dimension *d = s->dim[s->n_dim++] = make_room(1, sizeof *d);
        char *end;
        onnx__tensor_shape_proto__dimension__init(d);
        d->dim_value = strtoll(at, &end, 10);
        d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        if (end == at) {
            d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            d->dim_param = memcpy(make_room(strcspn(at, ",") + 1, 1), at, strcspn(at, ","));
        }
    }
    return v;
}

static inline void make_input(making *m, const char *name, int32_t type, const char *shape) {
    m->inputs[m->graph.n_input++] = make_value(name, type, shape);
}
static inline void make_output(making *m, const char *name) {
    m->outputs[m->graph.n_output++] = make_value(name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "");
}

static inline Onnx__TensorProto *make_tensor(const char *name, int32_t type, const char *shape, const void *data,
                                             size_t bytes) {
    Onnx__TensorProto *t = make_room(1, sizeof *t);
    onnx__tensor_proto__init(t);
    t->name = make_text(name), t->has_data_type = 1, t->data_type = type;
    t->dims = make_room(strlen(shape) + 1, sizeof *t->dims);
    for (const char *at = shape; *at; at += strcspn(at, ","), at += *at == ',')
        t->dims[t->n_dims++] = strtoll(at, NULL, 10);
    t->has_raw_data = 1, t->raw_data.len = bytes, t->raw_data.data = make_room(1, bytes + 1);
    if (data) memcpy(t->raw_data.data, data, bytes);
    return t;
}

static inline Onnx__TensorProto *make_constant(making *m, const char *name, int32_t type, const char *shape,
                                               const void *data, size_t bytes) {
    return m->tensors[m->graph.n_initializer++] = make_tensor(name, type, shape, data, bytes);
}
/* A list of int64; floats, all of one number. */
#define MAKE_INTS(m, name, shape, ...)                                                                                 \
    make_constant(m, name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, shape, (int64_t[]){__VA_ARGS__},                      \
                  sizeof((int64_t[]){__VA_ARGS__}))
#define MAKE_FLOATS(m, name, shape, ...)                                                                               \
    make_constant(m, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, shape, (float[]){__VA_ARGS__},                        \
                  sizeof((float[]){__VA_ARGS__}))

/* Attributes as text: "axis=1 pads=[1,1] alpha=0.5 mode:linear". */
static inline Onnx__AttributeProto *make_attribute(const char *text) {
    Onnx__AttributeProto *a = make_room(1, sizeof *a);
    size_t n = strcspn(text, "=:");
    const char *value = text + n + 1;
    onnx__attribute_proto__init(a);
    a->name = strndup(text, n), a->has_type = 1;
    if (text[n] == ':') {
        a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING, a->has_s = 1;
        a->s.data = (uint8_t *)make_text(value), a->s.len = strlen(value);
    } else if (*value == '[') {
        bool is_float = strchr(value, '.');
        a->type =
            is_float ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS : ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
        a->ints = make_room(strlen(value), sizeof *a->ints), a->floats = make_room(strlen(value), sizeof *a->floats);
        for (const char *at = value + 1; *at && *at != ']'; at += strcspn(at, ",]"), at += *at == ',')
            if (is_float)
                a->floats[a->n_floats++] = strtof(at, NULL);
            else
                a->ints[a->n_ints++] = strtoll(at, NULL, 10);
    } else if (strchr(value, '.')) {
        a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT, a->has_f = 1, a->f = strtof(value, NULL);
    } else {
        a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT, a->has_i = 1, a->i = strtoll(value, NULL, 10);
    }
    return a;
}

static inline Onnx__NodeProto *make_node(making *m, const char *op, const char *inputs, const char *outputs,
                                         const char *attributes) {
    Onnx__NodeProto *n = m->nodes[m->graph.n_node++] = make_room(1, sizeof *n);
    const char *dot = strrchr(op, '.');
    char **words;
    onnx__node_proto__init(n);
    n->op_type = make_text(dot ? dot + 1 : op);
    if (dot) n->domain = strndup(op, (size_t)(dot - op));
    n->n_input = make_words(inputs, &n->input);
    n->n_output = make_words(outputs, &n->output);
    n->n_attribute = make_words(attributes, &words);
    n->attribute = make_room(n->n_attribute + 1, sizeof *n->attribute);
    for (size_t i = 0; i < n->n_attribute; i++) n->attribute[i] = make_attribute(words[i]);
    return n;
}

/* The file; free it. */
static inline uint8_t *make_bytes(const making *m, size_t *out_size) {
    *out_size = onnx__model_proto__get_packed_size(&m->model);
    uint8_t *bytes = malloc(*out_size + 1);
    onnx__model_proto__pack(&m->model, bytes);
    return bytes;
}

#endif
