/* Sequences of tensors: lists of values while a model is read. Nothing of them is left in the graph. */
#include "frontend/onnx/make.h"

enum { ITEMS_MAX = 1 << 16 };

struct vt_onnx_sequence {
    vt_gvalue **item;
    uint32_t count;
};

static vt_onnx_sequence *new_sequence(const vt_onnx_node *n, uint64_t count) {
    if (count > ITEMS_MAX) vt__onnx_unsupported(n, "a sequence of more than %d tensors", ITEMS_MAX);
    vt_onnx_sequence *s = VT_NEW(n->r->ctx, vt_onnx_sequence);
    s->item = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, count + 1);
    s->count = (uint32_t)count;
    return s;
}

static const vt_onnx_sequence *need(const vt_onnx_node *n, size_t i) {
    const vt_onnx_sequence *s = i < n->p->n_input ? vt__onnx_map_get(&n->r->sequences, n->p->input[i]) : NULL;
    if (!s) vt__onnx_wrong(n, "input %zu is no sequence", i);
    return s;
}

static void give(const vt_onnx_node *n, vt_onnx_sequence *s) {
    if (vt__onnx_wants(n, 0)) vt__onnx_map_put(n->r->ctx, &n->r->sequences, n->p->output[0], s);
}

/* The place that input i says, from the end where it is negative; at most `most`. Without it: `otherwise`. */
static uint32_t place(const vt_onnx_node *n, size_t i, uint32_t count, uint32_t most, uint32_t otherwise) {
    if (!vt__onnx_in(n, i)) return otherwise;
    double at = vt__onnx_constant_number(n, i, "the place");
    if (at < 0) at += count;
    if (!(at >= 0 && at <= most)) vt__onnx_wrong(n, "place %g of a sequence of %u tensors", at, (unsigned)count);
    return (uint32_t)at;
}

/* ---- Making sequences ---- */

void vt__onnx_sequence_construct(const vt_onnx_node *n) {
    vt_onnx_sequence *s = new_sequence(n, n->p->n_input);
    for (uint32_t i = 0; i < s->count; i++) s->item[i] = vt__onnx_need(n, i);
    give(n, s);
}

void vt__onnx_sequence_empty(const vt_onnx_node *n) { give(n, new_sequence(n, 0)); }

void vt__onnx_sequence_insert(const vt_onnx_node *n) {
    const vt_onnx_sequence *from = need(n, 0);
    vt_onnx_sequence *s = new_sequence(n, (uint64_t)from->count + 1);
    uint32_t at = place(n, 2, from->count, from->count, from->count);
    for (uint32_t i = 0; i < s->count; i++) s->item[i] = i == at ? vt__onnx_need(n, 1) : from->item[i - (i > at)];
    give(n, s);
}

void vt__onnx_sequence_erase(const vt_onnx_node *n) {
    const vt_onnx_sequence *from = need(n, 0);
    if (!from->count) vt__onnx_wrong(n, "the sequence is empty");
    vt_onnx_sequence *s = new_sequence(n, from->count - 1);
    uint32_t at = place(n, 1, from->count, from->count - 1, from->count - 1);
    for (uint32_t i = 0; i < s->count; i++) s->item[i] = from->item[i + (i >= at)];
    give(n, s);
}

/* The extent of part i along the axis; -1: the sizes are for fewer parts. */
static int64_t part(const vt_gvalue *sizes, int64_t each, int64_t rest, uint32_t i) {
    if (!sizes || sizes->type.rank == 0) return rest < each ? rest : each;
    return i < vt_gtype_count(&sizes->type) ? (int64_t)vt_gelement_at(sizes, i) : -1;
}

/* Parts along an axis: of one element each, whose axis may go, of `split` elements, or of the sizes that it lists. */
void vt__onnx_split_to_sequence(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    const vt_gvalue *sizes = vt__onnx_in(n, 1) ? vt__onnx_need_known(n, 1, "the sizes of the parts") : NULL;
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), x->type.rank);
    bool keep = sizes || vt__onnx_int(n, "keepdims", 1);
    int64_t extent = x->type.dim[axis], each = sizes && !sizes->type.rank ? (int64_t)vt_gelement_at(sizes, 0) : 1;
    int64_t dims[VT_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->type.rank; i++)
        if (i != axis) dims[rank++] = x->type.dim[i];
    if (each < 1) vt__onnx_wrong(n, "parts of %lld elements", (long long)each);
    vt_onnx_sequence *s = new_sequence(n, sizes && sizes->type.rank ? (uint64_t)vt_gtype_count(&sizes->type)
                                                                    : (uint64_t)(extent / each + (extent % each != 0)));
    int64_t start = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t size = part(sizes, each, extent - start, i);
        if (size < 0 || size > extent - start) vt__onnx_wrong(n, "its parts are larger than the whole");
        s->item[i] = vt__mk_slice(n, x, axis, start, size);
        if (!keep) s->item[i] = vt__onnx_reshape_to(n, s->item[i], rank, dims);
        start += size;
    }
    if (start != extent) vt__onnx_wrong(n, "its parts are smaller than the whole");
    give(n, s);
}

/* ---- Tensors of sequences ---- */

void vt__onnx_sequence_at(const vt_onnx_node *n) {
    const vt_onnx_sequence *s = need(n, 0);
    if (!s->count) vt__onnx_wrong(n, "the sequence is empty");
    vt__onnx_need(n, 1);
    vt__onnx_out(n, 0, s->item[place(n, 1, s->count, s->count - 1, 0)]);
}

void vt__onnx_sequence_length(const vt_onnx_node *n) {
    vt__onnx_out(n, 0, vt__mk_number(n, VT_ELEMENT_I64, need(n, 0)->count));
}

void vt__onnx_concat_from_sequence(const vt_onnx_node *n) {
    const vt_onnx_sequence *s = need(n, 0);
    if (!s->count) vt__onnx_wrong(n, "the sequence is empty");
    bool stacked = vt__onnx_int(n, "new_axis", 0) != 0;
    uint32_t rank = s->item[0]->type.rank + stacked;
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), rank);
    if (rank > VT_MAX_RANK) vt__onnx_unsupported(n, "a tensor of more than %d axes", VT_MAX_RANK);
    vt_gvalue **items = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, s->count);
    for (uint32_t i = 0; i < s->count; i++) items[i] = stacked ? vt__mk_unsqueeze(n, s->item[i], axis) : s->item[i];
    vt__onnx_out(n, 0, vt__mk_concat(n, s->count, items, axis));
}
