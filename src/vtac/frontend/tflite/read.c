/* Reading a model: its first subgraph, operator by operator, and the branches that it leads to. */
#include <string.h>

#include "base/arena_text.h"
#include "frontend/tflite/priv.h"

/* ---- Operators --------------------------------------------------------------------------------------------------- */

static const vt_tfl_op operators[] = {
#define VT_TFL_OP(code, name, function, op) {code, name, vt__tfl_##function, VT_G_##op},
#include "frontend/tflite/operators.def"
};

/* NULL when it is not read. */
static const vt_tfl_op *operator_of(int code) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].code == code) return &operators[i];
    return NULL;
}

/* Codes above 127 stand in a field of their own. */
static int code_of(vt_fb_table code) {
    int64_t old = vt__fb_int(code, 0, 1, 0), all = vt__fb_int(code, 3, 4, 0);
    return (int)(all > old ? all : old);
}

static int node_code(const vt_tfl_reader *r, vt_fb_table op) {
    uint64_t index = vt__fb_uint(op, 0, 4, 0);
    return index < r->codes.count ? code_of(vt__fb_item_table(r->codes, (uint32_t)index)) : -1;
}

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

static const char *vtext(const vt_tfl_node *n, const char *fmt, va_list args) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(n->r->ctx, &room);
    vt_strbuf_vaddf(&sb, fmt, args);
    return vt_arena_text_take(n->r->ctx, &sb);
}

static _Noreturn void leave(const vt_tfl_node *n, vta_status status, const char *text) {
    vt_raise(n->r->ctx, status, "%s: operator %u (%s, %s): %s", n->r->options->name, (unsigned)n->index, n->op->name,
             n->name, text);
}

void vt__tfl_wrong(const vt_tfl_node *n, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const char *text = vtext(n, fmt, args);
    va_end(args);
    leave(n, VTA_MISMATCH, text);
}

void vt__tfl_unsupported(const vt_tfl_node *n, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const char *text = vtext(n, fmt, args);
    va_end(args);
    leave(n, VTA_UNSUPPORTED, text);
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static vta_status read_node(vt_ctx *ctx, void *arg) {
    (void)ctx;
    const vt_tfl_node *n = arg;
    n->op->read(n);
    return VTA_OK;
}

/* Does it depend on one that is not supported? Constants without elements have no data either. */
static bool waits(const vt_tfl_node *n) {
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        const vt_tfl_tensor *t = vt__tfl_in(n, i);
        if (t && !t->data && !t->stored[VT_TFL_FILE] && !t->stored[VT_TFL_IMAGES] && vt_gtype_count(&t->type))
            return true;
    }
    return false;
}

static const char *name_of_output(const vt_tfl_reader *r, vt_fb_vector outputs) {
    int64_t first = outputs.count ? vt__fb_item_int(outputs, 0) : -1;
    return first >= 0 && first < r->tensor_count ? r->tensors[first].name : "";
}

static void refuse(vt_tfl_reader *r, uint32_t index, vt_fb_table op, const char *name) {
    uint64_t at = vt__fb_uint(op, 0, 4, 0);
    const char *custom = at < r->codes.count ? vt__fb_text(vt__fb_item_table(r->codes, (uint32_t)at), 1) : "";
    vt_fail(r->ctx->diag, VTA_UNSUPPORTED, "%s: operator %u (%s): TFLite's operator %d%s%s is not supported",
            r->options->name, (unsigned)index, name, node_code(r, op), *custom ? ", " : "", custom);
    r->refused++;
}

/* Of operators that are not supported each is reported, and what depends on them is left out. */
static void read_nodes(vt_tfl_reader *r, vt_fb_table subgraph) {
    vt_fb_vector nodes = vt__fb_vector_of(subgraph, 3, 4);
    for (uint32_t i = 0; i < nodes.count; i++) {
        vt_fb_table from = vt__fb_item_table(nodes, i);
        const vt_tfl_op *op = operator_of(node_code(r, from));
        vt_tfl_node n = {
            r, op, NULL, i, vt__fb_vector_of(from, 1, 4), vt__fb_vector_of(from, 2, 4), vt__fb_table_of(from, 4)};
        n.name = name_of_output(r, n.outputs);
        vt_poll(r->ctx);
        if (!op) refuse(r, i, from, n.name);
        if (!op || waits(&n)) continue;
        const vt_tfl_reader before = *r;
        vta_status status = vt_protect(r->ctx, read_node, &n);
        /* A branch may have been left in the middle. */
        r->tensors = before.tensors, r->tensor_count = before.tensor_count, r->depth = before.depth;
        if (status != VTA_OK && status != VTA_UNSUPPORTED) vt_leave(r->ctx, status);
        r->refused += status == VTA_UNSUPPORTED;
    }
    if (r->refused) vt_leave(r->ctx, VTA_UNSUPPORTED);
}

/* ---- Inputs and outputs ------------------------------------------------------------------------------------------ */

static vt_tfl_tensor *end_of(vt_tfl_reader *r, vt_fb_vector list, uint32_t i, const char *what) {
    int64_t index = vt__fb_item_int(list, i);
    if (index < 0 || index >= r->tensor_count)
        vt_raise(r->ctx, VTA_MISMATCH, "%s: %s %u is tensor %lld of %u", r->options->name, what, (unsigned)i,
                 (long long)index, (unsigned)r->tensor_count);
    return &r->tensors[index];
}

/* A node that is none of the file's, for what is made at the ends. */
static vt_tfl_node end_node(vt_tfl_reader *r, const vt_tfl_tensor *t, uint32_t i) {
    static const vt_tfl_op op = {.name = "end"};
    return (vt_tfl_node){.r = r, .op = &op, .name = t->name, .index = i};
}

static void read_inputs(vt_tfl_reader *r, vt_fb_table subgraph) {
    vt_fb_vector list = vt__fb_vector_of(subgraph, 1, 4);
    for (uint32_t i = 0; i < list.count; i++) {
        vt_tfl_tensor *t = end_of(r, list, i, "input");
        if (t->data || t->stored[VT_TFL_FILE])
            vt_raise(r->ctx, VTA_MISMATCH, "%s: input %s is a constant, or an input twice", r->options->name, t->name);
        const vt_tfl_node end = end_node(r, t, i);
        vt_gtype type = t->type;
        if (t->scales) type.element = VT_ELEMENT_F32;
        vt_gvalue *input = vt_graph_input(r->g, t->name, type);
        t->stored[VT_TFL_FILE] = t->scales ? vt__tfl_quantized(&end, t, input) : input;
    }
}

static void read_outputs(vt_tfl_reader *r, vt_fb_table subgraph) {
    vt_fb_vector list = vt__fb_vector_of(subgraph, 2, 4);
    if (!list.count) vt_raise(r->ctx, VTA_MISMATCH, "%s: the model has no outputs", r->options->name);
    for (uint32_t i = 0; i < list.count; i++) {
        vt_tfl_tensor *t = end_of(r, list, i, "output");
        const vt_tfl_node end = end_node(r, t, i);
        vt_graph_output(r->g, vt__tfl_real(&end, t, VT_TFL_FILE), t->name);
    }
}

/* ---- Branches ---------------------------------------------------------------------------------------------------- */

enum { DEPTH_MAX = 16, BRANCHES_MAX = 1024 };

static vt_fb_table subgraph_of(const vt_tfl_node *n, int64_t index) {
    vt_tfl_reader *r = n->r;
    if (index < 1 || index >= r->subgraphs.count)
        vt__tfl_wrong(n, "a branch is subgraph %lld of %u", (long long)index, (unsigned)r->subgraphs.count);
    if (r->depth >= DEPTH_MAX || ++r->branches > BRANCHES_MAX)
        vt__tfl_unsupported(n, "branches of more than %d levels, or more than %d of them", DEPTH_MAX, BRANCHES_MAX);
    return vt__fb_item_table(r->subgraphs, (uint32_t)index);
}

static bool same_scales(const vt_tfl_tensor *a, const vt_tfl_tensor *b) {
    if (a->scales != b->scales || (a->scales > 1 && a->axis != b->axis)) return false;
    for (uint32_t i = 0; i < a->scales; i++)
        if (a->scale[i] != b->scale[i] || a->zero[i] != b->zero[i]) return false;
    return true;
}

static void bind_inputs(const vt_tfl_node *n, vt_fb_table subgraph, uint32_t count, vt_tfl_tensor *const *in) {
    vt_fb_vector list = vt__fb_vector_of(subgraph, 1, 4);
    if (list.count != count)
        vt__tfl_wrong(n, "a branch has %u inputs, expected %u", (unsigned)list.count, (unsigned)count);
    for (uint32_t i = 0; i < count; i++) {
        vt_tfl_tensor *t = end_of(n->r, list, i, "input");
        if (t->data || t->stored[VT_TFL_FILE] || !vt_gtype_equal(&t->type, &in[i]->type) || !same_scales(t, in[i]))
            vt__tfl_wrong(n, "input %u of a branch, %s, is not a tensor such as %s, which it is given", (unsigned)i,
                          t->name, in[i]->name);
        t->data = in[i]->data;
        for (int k = 0; k < VT_TFL_LAYOUTS; k++) t->stored[k] = in[i]->stored[k], t->real[k] = in[i]->real[k];
    }
}

void vt__tfl_read_branch(const vt_tfl_node *n, int64_t index, uint32_t inputs, vt_tfl_tensor *const *in,
                         uint32_t outputs, vt_gvalue **out) {
    vt_tfl_reader *r = n->r;
    vt_fb_table subgraph = subgraph_of(n, index);
    vt_tfl_tensor *around = r->tensors;
    uint32_t around_count = r->tensor_count;
    vt__tfl_read_tensors(r, subgraph);
    bind_inputs(n, subgraph, inputs, in);
    r->depth++;
    read_nodes(r, subgraph);
    r->depth--;
    vt_fb_vector list = vt__fb_vector_of(subgraph, 2, 4);
    if (list.count != outputs)
        vt__tfl_wrong(n, "a branch has %u outputs, expected %u", (unsigned)list.count, (unsigned)outputs);
    vt_tfl_tensor **given = VT_NEW_ARRAY(r->ctx, vt_tfl_tensor *, outputs + 1);
    for (uint32_t i = 0; i < outputs; i++) {
        given[i] = end_of(r, list, i, "output");
        out[i] = vt__tfl_stored(n, given[i], VT_TFL_FILE);
    }
    r->tensors = around;
    r->tensor_count = around_count;
    for (uint32_t i = 0; i < outputs; i++)
        if (!same_scales(given[i], vt__tfl_out(n, i)))
            vt__tfl_wrong(n, "output %u of a branch, %s, has another scale than %s", (unsigned)i, given[i]->name,
                          vt__tfl_out(n, i)->name);
}

/* ---- The model --------------------------------------------------------------------------------------------------- */

static const char identifier[] = "TFL3";
enum { IDENTIFIER_AT = 4, VERSION = 3 };

bool vt_tflite_is(const void *bytes, size_t size) {
    return size >= IDENTIFIER_AT + 4 && !memcmp((const char *)bytes + IDENTIFIER_AT, identifier, 4);
}

static void check_options(vt_ctx *ctx, const vt_tflite_options *options) {
    if (options->shape_count || options->batch > 1)
        vt_raise(ctx, VTA_UNSUPPORTED, "%s: a TFLite model has the extents of all its tensors: no others can be given",
                 options->name);
}

const vt_graph *vt_tflite_read(vt_ctx *ctx, const void *bytes, size_t size, const vt_tflite_options *options) {
    const vt_fb from = {ctx, options->name, bytes, size};
    if (!vt_tflite_is(bytes, size)) vt_raise(ctx, VTA_PARSE, "%s: no TFLite model", options->name);
    check_options(ctx, options);
    vt_tfl_reader r = {.ctx = ctx, .options = options, .model = vt__fb_root(&from)};
    r.subgraphs = vt__fb_vector_of(r.model, 2, 4);
    uint64_t version = vt__fb_uint(r.model, 0, 4, 0);
    if (version != VERSION)
        vt_raise(ctx, VTA_UNSUPPORTED, "%s: version %llu of TFLite's format; version %d is supported", options->name,
                 (unsigned long long)version, VERSION);
    if (!r.subgraphs.count) vt_raise(ctx, VTA_PARSE, "%s: no TFLite model: there is no graph in it", options->name);
    vt_fb_table subgraph = vt__fb_item_table(r.subgraphs, 0);
    const char *name = vt__fb_text(subgraph, 4);
    r.codes = vt__fb_vector_of(r.model, 1, 4);
    r.buffers = vt__fb_vector_of(r.model, 4, 4);
    r.g = vt_graph_new(ctx, *name ? name : "main");
    vt__tfl_read_tensors(&r, subgraph);
    read_inputs(&r, subgraph);
    read_nodes(&r, subgraph);
    read_outputs(&r, subgraph);
    vt__tfl_read_metadata(&r, subgraph);
    return r.g;
}
