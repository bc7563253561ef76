/* The integers of a quantized network beside those of the model that it was made of. */
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "frontend/quant/eval.h"
#include "network/handles.h"

typedef struct comparing {
    const vtac_quantized *quantized;
    const void *const *inputs;
    bool (*tell)(void *user, const vtac_difference *difference);
    void *user;
    vta_diag *diag;
    vt_eval *model;
    atomic_bool stopped;
} comparing;

/* What the model knows of the value that a layer computes in integers; NULL: it is floats there or here. */
static const vt_given *given_of(const comparing *c, const vt_qlayer *l) {
    const vt_givens *all = &c->quantized->shared->givens;
    const vt_qtensor *t = l->output;
    if (!(t->scale > 0) || vt_qparts_count(t->parts) > 1) return NULL;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->item[i].integers && !strcmp(all->item[i].value, t->name)) return &all->item[i];
    return NULL;
}

/* Both as numbers, in the model's steps: a value that the model would round to another integer differs. */
static void measure(const vt_qtensor *t, const void *own, const vt_gvalue *theirs, const void *data,
                    const vt_given *given, vtac_difference *out) {
    vt_gvalue x = {.type = t->type, .data = own}, y = {.type = theirs->type, .data = data};
    size_t inner = t->type.rank > 1 ? (size_t)vt_gtype_span(&t->type, 2, t->type.rank) : 1;
    size_t channels = t->type.rank > 1 ? (size_t)t->type.dim[1] : 1;
    out->count = (uint64_t)vt_gtype_count(&t->type);
    for (size_t i = 0; i < out->count; i++) {
        double scale = t->scale * (t->channel ? t->channel[i / inner % channels] : 1);
        double away = fabs(vt_gelement_at(&x, i) * scale / given->step - (vt_gelement_at(&y, i) - given->zero));
        out->differ += away > 0.5;
        out->largest = fmax(out->largest, away);
    }
}

static void compare(void *user, const vt_qlayer *l, const void *out) {
    comparing *c = user;
    const vt_given *given = given_of(c, l);
    const vt_gvalue *theirs = given ? vt_graph_find(c->quantized->shared->model, given->integers) : NULL;
    if (!theirs || vt_gtype_count(&theirs->type) != vt_gtype_count(&l->output->type) || c->stopped) return;
    vtac_difference d = {.size = sizeof d,
                         .value = l->output->name,
                         .kind = vt_qkind_text(l->kind),
                         .step = given->step,
                         .zero = given->zero,
                         .own_step = l->output->scale,
                         .by_channel = l->output->channel != NULL};
    measure(l->output, out, theirs, vt_eval_value(c->model, theirs), given, &d);
    c->stopped = c->tell(c->user, &d);
}

static vta_status run(comparing *c) {
    const vt_qnet *net = c->quantized->net;
    const vta_allocator *allocator = c->quantized->shared->allocator;
    const vt_gvalues *inputs = &c->quantized->shared->model->inputs, *outputs = &net->graph->outputs;
    vt_qeval_options options = {.after = compare, .user = c, .interrupt = &c->stopped};
    for (uint32_t i = 0; i < inputs->count; i++) vt_eval_input(c->model, i, c->inputs[i]);
    VT_TRY(vt_eval_run(c->model, c->diag));
    void **data = vt_alloc_zero(allocator, (outputs->count + (size_t)1) * sizeof *data);
    vta_status status = data ? VTA_OK : vt_no_memory(c->diag);
    for (uint32_t i = 0; i < outputs->count && status == VTA_OK; i++) {
        data[i] = vt_alloc_lines(allocator, vt_gtype_bytes(&outputs->item[i]->type));
        if (!data[i]) status = vt_no_memory(c->diag);
    }
    if (status == VTA_OK) status = vt_qeval_run(net, c->inputs, data, &options, allocator, c->diag);
    for (uint32_t i = 0; data && i < outputs->count; i++)
        if (data[i]) vt_free_lines(allocator, data[i], vt_gtype_bytes(&outputs->item[i]->type));
    vt_free(allocator, data, (outputs->count + (size_t)1) * sizeof *data);
    return status;
}

vta_status vtac_quantized_against_model(const vtac_quantized *quantized, const void *const *inputs,
                                        bool (*tell)(void *user, const vtac_difference *difference), void *user,
                                        vta_diag *diag) {
    if (!quantized || !inputs || !tell)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "against_model: %s is NULL",
                       !quantized ? "quantized"
                       : !inputs  ? "inputs"
                                  : "tell");
    const vt__shared *s = quantized->shared;
    if (!s->givens.count)
        return vt_fail(
            diag, VTA_UNSUPPORTED,
            "the model has no integers to compare with: none of its values is quantized with one known scale");
    comparing c = {quantized, inputs, tell, user, diag, NULL, false};
    VT_TRY(vt_eval_open(s->model, &(vt_eval_options){.keep = true}, s->allocator, diag, &c.model));
    vta_status status = run(&c);
    vt_eval_close(c.model);
    return status;
}
