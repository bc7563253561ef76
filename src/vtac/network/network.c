/* Layer by layer: on the accelerator where an operator computes it, else on the host. */
#include "network/network.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/diag.h"
#include "network/priv.h"

void vt__must(const vt__net *n, vta_status status) {
    if (status != VTA_OK) vt_leave(n->ctx, status);
}

static void check_config(const vt__net *n) {
    const vta_config *c = n->config;
    if (vta_config_width(c, VTA_MEM_INP) != 8 || vta_config_width(c, VTA_MEM_WGT) != 8 ||
        vta_config_width(c, VTA_MEM_OUT) != 8)
        vt_raise(n->ctx, VTA_UNSUPPORTED,
                 "networks are compiled for operands of 8 bits; this configuration has others");
    if (vta_config_block_in(c) != vta_config_block_out(c))
        vt_raise(
            n->ctx, VTA_UNSUPPORTED,
            "networks are compiled for BLOCK_IN = BLOCK_OUT, since a layer's outputs are the next one's inputs; this "
            "configuration has %u and %u",
            vta_config_block_in(c), vta_config_block_out(c));
}

static void add_inputs(vt__net *n) {
    for (uint32_t i = 0; i < n->net->graph->inputs.count; i++) {
        const vt_qtensor *t = n->net->inputs[i];
        vt__must(n, vt_planner_input(n->planner, t->name, vt_element_text(t->type.element), (int32_t)t->type.rank,
                                     t->type.dim, n->ctx->diag, &n->places[t->index].buffer));
        n->declared[t->index] = true;
    }
}

static void add_outputs(vt__net *n) {
    for (uint32_t i = 0; i < n->net->graph->outputs.count; i++) {
        const vt_qtensor *t = n->net->outputs[i];
        vt_planner_arg from = vt__place_of(n, t);
        vt__must(n, vt_planner_output(n->planner, n->net->graph->output_names[i], vt_element_text(t->type.element),
                                      (int32_t)t->type.rank, t->type.dim, from, n->ctx->diag));
    }
}

bool vt__is_alias(const vt_qlayer *l) {
    return l->kind == VT_Q_RESHAPE && vt_qtensor_same_image(&l->inputs[0]->type, &l->output->type);
}

bool vt__may_accelerate(const vt__net *n, const vt_qlayer *l) {
    return !n->options->processor_only && l->kind != VT_Q_FLOAT && l->kind != VT_Q_QUANTIZE &&
           l->kind != VT_Q_DEQUANTIZE && !vt__is_alias(l);
}

/* Multiplications, as the network has them. */
uint64_t vt__products_of(const vt_qlayer *l) {
    uint64_t out = (uint64_t)vt_gtype_count(&l->output->type);
    switch ((int)l->kind) {
    case VT_Q_CONV:
    case VT_Q_DENSE: return out * (uint64_t)vt_gtype_span(&l->weight_type, 1, l->weight_type.rank);
    case VT_Q_MATMUL: return l->rough ? 0 : out * (uint64_t)l->inputs[0]->matrices.columns;
    case VT_Q_CONV_TRANSPOSE: {
        const vt_gtype *w = &l->weight_type;
        return (uint64_t)vt_gtype_count(&l->inputs[0]->type) * (uint64_t)(vt_gtype_count(w) / w->dim[1]);
    }
    case VT_Q_FLOAT: return vt_gnode_macs(l->node);
    default: return 0;
    }
}

/* One of several steps of a layer, which the report has already? */
static bool goes_on(const vt__net *n, const vt_qlayer *l) {
    return n->said && n->said[l->index].kind && n->reported == l->name;
}

/* `why`: NULL where there is nothing to say. */
static void report(vt__net *n, const vt_qlayer *l, vtac_layer_place place, const char *why) {
    const char *kind = l->kind == VT_Q_FLOAT ? vt_gop_text(l->node->op) : vt_qkind_text(l->kind);
    vtac_compiled_layer layer = {.name = l->name, .kind = kind, .place = place, .why = why};
    if (goes_on(n, l) && place == VTAC_ON_ACCELERATOR) return;
    n->reported = n->said && n->said[l->index].kind ? l->name : NULL;
    layer.products = n->said ? n->said[l->index].products : vt__products_of(l);
    if (n->said && n->said[l->index].kind) layer.kind = n->said[l->index].kind;
    if (n->said && n->said[l->index].why && place == VTAC_ON_ACCELERATOR) layer.why = n->said[l->index].why;
    vt__must(n, vt__report_add(n->report, layer, n->ctx->diag));
}

static void add_layer(vt__net *n, const vt_qlayer *l) {
    const char *why = "as asked for";
    if (l->kind == VT_Q_QUANTIZE && vt__is_folded_away(n, l->output)) return;
    if (n->along[l->output->index]) {
        report(n, l, VTAC_ON_ACCELERATOR, "with the layer before it");
        return;
    }
    if (vt__is_alias(l)) {
        n->places[l->output->index] = vt__place_of(n, l->inputs[0]);
        n->declared[l->output->index] = true;
        return;
    }
    if (vt__slice_offset(n, l) >= 0) {
        n->places[l->output->index] = vt__place_of(n, l->inputs[0]);
        n->places[l->output->index].offset += (uint64_t)vt__slice_offset(n, l);
        n->declared[l->output->index] = true;
        return;
    }
    if (vt__is_flattened_away(n, l)) return;
    if (l->kind == VT_Q_MOVE && vt__is_of_keys(n, l->output)) return;
    if (vt__is_moved_beside(n, l)) {
        n->places[l->output->index] = vt__place_of(n, l->inputs[0]);
        n->declared[l->output->index] = true;
        return;
    }
    vtac_layer_place place;
    if (vt__concat(n, l, &place, &why)) {
        if (why) report(n, l, place, why);
        return;
    }
    if (vt__may_accelerate(n, l)) {
        if (vt__accelerate(n, l, &why)) {
            report(n, l, VTAC_ON_ACCELERATOR, why);
            return;
        }
    } else if (!n->options->processor_only) {
        why = l->why ? l->why : l->kind == VT_Q_FLOAT ? "it is on floats" : "between floats and integers";
    }
    vt__on_processor(n, l);
    report(n, l, VTAC_ON_HOST, why);
}

static vta_status add_all(vt_ctx *ctx, void *arg) {
    vt__net *n = arg;
    const vt_network_options *o = n->options;
    check_config(n);
    add_inputs(n);
    vt__find_homes(n);
    vt__ahead_start(n);
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        vt_poll(ctx);
        if (o->progress && o->progress(o->ctx, i, n->net->layer_count, n->net->layers[i]->name))
            vt_raise(ctx, VTA_INTERRUPTED, "interrupted");
        uint32_t rows = (uint32_t)vtac_compile_report_layer_count(n->report);
        vt_planner_owner(n->planner, goes_on(n, n->net->layers[i]) ? rows - 1 : rows);
        add_layer(n, n->net->layers[i]);
    }
    add_outputs(n);
    return VTA_OK;
}

static void free_made(vt__net *n) {
    for (uint32_t i = 0; i < n->made_count; i++) vtac_op_destroy(n->made[i].op);
    vt_host_kernels_destroy(n->kernels);
}

static vta_status compile(vt_ctx *ctx, void *arg) {
    vt__net *n = arg;
    if (!n->options->processor_only) vt__channels_in_lanes(n);
    if (!n->options->processor_only) vt__pools_in_turn(n);
    n->places = VT_NEW_ARRAY(ctx, vt_planner_arg, n->net->tensor_count + 1);
    n->kept = VT_NEW_ARRAY(ctx, bool, n->net->tensor_count + 1);
    n->homes = VT_NEW_ARRAY(ctx, vt__home, n->net->tensor_count + 1);
    n->declared = VT_NEW_ARRAY(ctx, bool, n->net->tensor_count + 1);
    n->along = VT_NEW_ARRAY(ctx, bool, n->net->tensor_count + 1);
    n->turned = VT_NEW_ARRAY(ctx, uint32_t, n->net->tensor_count + 1);
    vta_status status = vt_protect(ctx, add_all, n);
    vt__ahead_stop(n);
    return status;
}

/* The planner has them by now. */
static void drop_weights(const vt_qnet *net) {
    for (uint32_t i = 0; i < net->layer_count; i++) {
        vt_arena_drop(&net->ctx->arena, net->layers[i]->weight);
        net->layers[i]->weight = NULL;
    }
}

static vta_status add_sections(const vt__net *n, vta_diag *diag) {
    const vt_network_options *o = n->options;
    for (size_t i = 0; i < o->section_count; i++) {
        const vtac_section *s = &o->sections[i];
        VT_TRY(vt_planner_section(n->planner, s->name, s->bytes, s->size, diag));
    }
    return VTA_OK;
}

static vta_status finish_report(const vt__net *n, uint8_t **bytes, vta_diag *diag) {
    vta_status status = vt__report_finish(n->report, n->planner, diag);
    if (status == VTA_OK) return VTA_OK;
    vta_string_free((char *)*bytes);
    *bytes = NULL;
    return status;
}

vta_status vt_network_compile(const vt_qnet *net, const vta_config *config, const vt_network_options *options,
                              const vta_allocator *allocator, vta_diag *diag, uint8_t **out_bytes, size_t *out_size,
                              vtac_compile_report **out_report) {
    static const vt_network_options none;
    vt_ctx own; /* and not the network's: other threads may compile it at the same time */
    vt__net n = {.ctx = &own, .net = net, .config = config, .allocator = allocator};
    n.options = options ? options : &none;
    n.batch = vta_config_batch(config);
    n.block = vta_config_block_in(config);
    vt_ctx_init(&own, allocator, diag);
    own.interrupt = net->ctx->interrupt;
    vta_status status = vt__report_create(allocator, diag, &n.report);
    if (status == VTA_OK) status = vt_host_kernels_create(allocator, diag, &n.kernels);
    if (status == VTA_OK) status = vt_planner_create(net->graph->name, config, n.options->planner, diag, &n.planner);
    if (status == VTA_OK) status = vt_protect(&own, compile, &n);
    if (n.options->use_up) drop_weights(net);
    if (status == VTA_OK) status = add_sections(&n, diag);
    if (status == VTA_OK) status = vt_planner_finish(n.planner, diag, out_bytes, out_size);
    if (status == VTA_OK) status = finish_report(&n, out_bytes, diag);
    vt_planner_destroy(n.planner);
    free_made(&n);
    vt_ctx_clear(&own);
    if (status == VTA_OK && out_report)
        *out_report = n.report;
    else
        vtac_compile_report_destroy(n.report);
    return status;
}
