/* Which single values are worth more than 8 bits: what each of them would take off the noise, by what it would cost.
 *
 * A result of 16 bits takes its layer's cycles once more, and so does each part of an operand those of its readers.
 * One value after the other is taken, the one whose share of noise for a cycle is largest (Dong and others, HAWQ, 2019,
 * order layers by a sensitivity; here it is the error itself, measured). */
#include "network/precise.h"

#include <stdio.h>
#include <string.h>

enum { LEFT_OF_NOISE = 64 }; /* three bits more leave that part of it */

typedef enum precise_kind { WIDE, FINE, COARSE, PRECISE_KINDS } precise_kind;
static const char *const kind_texts[PRECISE_KINDS] = {"wide", "fine", "coarse"};

typedef struct candidate {
    uint32_t cluster;
    precise_kind kind;
    double noise;  /* that it takes away */
    double cycles; /* that it costs */
} candidate;

/* Values that are added, joined or moved without rounding between them have more bits together: then the host has them
 * as floats, and rounds them where a product reads them. */
typedef struct cluster {
    uint32_t count;
    bool refused; /* something reads it that takes 8 bits only, or has no table or conversion in front */
    bool reads;   /* products read it */
    double rounding, weights, cycles; /* of its values; of the products that read them */
} cluster;

typedef struct choosing {
    const vt_qnet *net;
    const vt_qblame *blames;
    double *cycles;    /* by the layer's index */
    uint32_t *root;    /* by the tensor's index: of its cluster */
    cluster *clusters; /* by that of the root */
    candidate *item;
    uint32_t count, cap;
} choosing;

static uint32_t root_of(const choosing *c, const vt_qtensor *t) {
    uint32_t at = t->index;
    while (c->root[at] != at) at = c->root[at];
    return at;
}

static bool is_product(const vt_qlayer *l) { return l->kind == VT_Q_CONV || l->kind == VT_Q_DENSE; }

static double rounding_of(const choosing *c, const vt_qtensor *t) {
    const vt_qblame *b = &c->blames[t->index];
    return b->noise[VT_QCAUSE_ROUNDING] + b->noise[VT_QCAUSE_RANGE];
}

static void add(choosing *c, uint32_t root, precise_kind kind, double noise, double cycles) {
    if (noise <= 0 || cycles <= 0) return;
    vt_grow(c->net->ctx, &c->item, &c->cap, c->count + 1, sizeof *c->item);
    c->item[c->count++] = (candidate){root, kind, noise * (1 - 1.0 / LEFT_OF_NOISE), cycles};
}

static bool reads(const vt_qlayer *l, const vt_qtensor *t) {
    for (uint32_t i = 0; i < l->input_count; i++)
        if (l->inputs[i] == t) return true;
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].tensor == t) return true;
    return false;
}

/* A product's result that only functions and floats read. */
static bool may_be_wide(const choosing *c, const vt_qtensor *t) {
    const vt_qlayer *by = t->by;
    if (!by || (by->kind != VT_Q_CONV && by->kind != VT_Q_DENSE) || t->type.element != VT_ELEMENT_I8) return false;
    for (uint32_t i = 0; i < by->step_count; i++)
        if (by->steps[i].tensor) return false;
    for (uint32_t i = 0; i < c->net->layer_count; i++) {
        const vt_qlayer *l = c->net->layers[i];
        if (reads(l, t) && l->kind != VT_Q_TABLE && l->kind != VT_Q_DEQUANTIZE) return false;
    }
    return true;
}

/* ---- Clusters -----------------------------------------------------------------------------------------------------
 */

static bool joins(const vt_qlayer *l) {
    return l->kind == VT_Q_CONCAT || l->kind == VT_Q_UPSAMPLE || l->kind == VT_Q_RESHAPE || l->kind == VT_Q_MAP;
}

static void join_all(choosing *c) {
    for (uint32_t i = 0; i < c->net->tensor_count; i++) c->root[i] = i;
    for (uint32_t i = 0; i < c->net->layer_count; i++) {
        const vt_qlayer *l = c->net->layers[i];
        if (!joins(l)) continue;
        for (uint32_t k = 0; k < l->input_count; k++) c->root[root_of(c, l->inputs[k])] = root_of(c, l->output);
        for (uint32_t k = 0; k < l->step_count; k++)
            if (l->steps[k].tensor) c->root[root_of(c, l->steps[k].tensor)] = root_of(c, l->output);
    }
}

static void look_at_tensor(choosing *c, const vt_qtensor *t) {
    cluster *k = &c->clusters[root_of(c, t)];
    bool host = t->by && (t->by->kind == VT_Q_TABLE || t->by->kind == VT_Q_QUANTIZE || joins(t->by));
    k->count++;
    k->refused |= !host || t->scale == 0 || t->parts || t->value->type.rank < 2 || t->value->type.rank > 4;
    k->rounding += rounding_of(c, t);
}

static void look_at_reader(choosing *c, const vt_qlayer *l) {
    for (uint32_t i = 0; i < l->step_count; i++) /* a residual of a product has 8 bits */
        if (l->steps[i].tensor && !joins(l)) c->clusters[root_of(c, l->steps[i].tensor)].refused = true;
    for (uint32_t i = 0; i < l->input_count; i++) {
        cluster *k = &c->clusters[root_of(c, l->inputs[i])];
        if (!is_product(l)) {
            k->refused |= !joins(l) && l->kind != VT_Q_DEQUANTIZE;
            continue;
        }
        k->reads = true;
        k->cycles += c->cycles[l->index];
        k->weights += c->blames[l->output->index].noise[VT_QCAUSE_WEIGHTS];
    }
}

static void read_cycles(choosing *c, const vtac_compile_report *report) {
    const vtac_compiled_layer *l;
    for (size_t i = 0; (l = vtac_compile_report_layer(report, i)); i++)
        for (uint32_t k = 0; k < c->net->layer_count; k++)
            if (c->net->layers[k]->weight && !strcmp(c->net->layers[k]->name, l->name))
                c->cycles[k] += (double)l->cycles;
}

static void find_clusters(choosing *c) {
    vt_ctx *ctx = c->net->ctx;
    c->cycles = VT_NEW_ARRAY(ctx, double, c->net->layer_count + 1);
    c->root = VT_NEW_ARRAY(ctx, uint32_t, c->net->tensor_count + 1);
    c->clusters = VT_NEW_ARRAY(ctx, cluster, c->net->tensor_count + 1);
    join_all(c);
    for (uint32_t i = 0; i < c->net->tensor_count; i++) look_at_tensor(c, c->net->tensors[i]);
}

static void look_at_readers(choosing *c) {
    for (uint32_t i = 0; i < c->net->layer_count; i++) look_at_reader(c, c->net->layers[i]);
}

void vt__precise_may(const vt_qnet *net, const vt_qblame *blames, bool *out_wide, bool *out_parts) {
    choosing c = {.net = net, .blames = blames};
    find_clusters(&c);
    look_at_readers(&c);
    for (uint32_t i = 0; i < net->tensor_count; i++) {
        const cluster *k = &c.clusters[i];
        out_wide[i] = may_be_wide(&c, net->tensors[i]);
        out_parts[i] = root_of(&c, net->tensors[i]) == i && k->count == 1 && k->reads && !k->refused;
    }
}

static void find_candidates(choosing *c) {
    for (uint32_t i = 0; i < c->net->tensor_count; i++) {
        const vt_qtensor *t = c->net->tensors[i];
        const cluster *k = &c->clusters[i];
        if (may_be_wide(c, t)) add(c, i, WIDE, rounding_of(c, t), c->cycles[t->by->index]);
        if (root_of(c, t) != i || k->refused || !k->reads) continue;
        add(c, i, FINE, k->rounding, k->cycles);
        add(c, i, COARSE, k->weights, k->cycles);
    }
}

static bool is_before(const candidate *a, const candidate *b) { return a->noise * b->cycles > b->noise * a->cycles; }

/* Few: each goes to its place. */
static void sort(choosing *c) {
    for (uint32_t i = 1; i < c->count; i++)
        for (uint32_t k = i; k && is_before(&c->item[k], &c->item[k - 1]); k--) {
            candidate swapped = c->item[k];
            c->item[k] = c->item[k - 1];
            c->item[k - 1] = swapped;
        }
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

static const char *text_of(const choosing *c, const vt_qtensor *t, precise_kind kind) {
    size_t size = strlen(t->name) + 8;
    char *text = vt_new_bytes(c->net->ctx, size);
    snprintf(text, size, "%s:%s", t->name, kind_texts[kind]);
    return text;
}

/* All values of the cluster; of a result of 16 bits, itself. */
static size_t add_names(const choosing *c, const candidate *k, const char **names) {
    size_t count = 0;
    for (uint32_t i = 0; i < c->net->tensor_count; i++) {
        const vt_qtensor *t = c->net->tensors[i];
        if (k->kind == WIDE ? i == k->cluster : root_of(c, t) == k->cluster) names[count++] = text_of(c, t, k->kind);
    }
    return count;
}

vt_precise_steps vt__precise_steps(const vt_qnet *net, const vt_qblame *blames, const vtac_compile_report *report) {
    choosing c = {.net = net, .blames = blames};
    double noise = 0, cycles = 0;
    find_clusters(&c);
    read_cycles(&c, report);
    look_at_readers(&c);
    find_candidates(&c);
    sort(&c);
    for (uint32_t i = 0; i < net->tensor_count; i++)
        for (int cause = 0; cause < VT_QCAUSE_COUNT; cause++) noise += blames[i].noise[cause];
    size_t names = 0;
    vt_precise_steps steps = {.count = c.count};
    steps.item = VT_NEW_ARRAY(net->ctx, vt_precise_step, c.count + 1);
    steps.names = VT_NEW_ARRAY(net->ctx, const char *, 3 * (size_t)net->tensor_count + 1);
    for (uint32_t i = 0; i < c.count; i++) {
        noise -= c.item[i].noise;
        cycles += c.item[i].cycles;
        names += add_names(&c, &c.item[i], steps.names + names);
        steps.item[i] = (vt_precise_step){names, noise > 0 ? noise : 0, cycles};
    }
    return steps;
}
