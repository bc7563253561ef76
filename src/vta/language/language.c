/* A sequence on a network: what comes before a run is in its caches, what a run adds is put there behind it. */
#include <string.h>

#include "base/versioned.h"
#include "language/priv.h"

struct vta_language {
    vta_allocator allocator;
    vta_language_machine machine;
    vt_language_ports ports;
    size_t length, last; /* of the sequence; tokens of the last run */
    uint64_t runs;
    void *owned; /* a machine made here */
    void (*free_owned)(const vta_allocator *a, void *owned);
};

static size_t caches_size(const vta_language *l) { return (l->machine.input_count + 1) * sizeof *l->ports.caches; }

vta_status vta_language_create(const vta_language_machine *machine, const vta_allocator *allocator, vta_diag *diag,
                               vta_language **out_language) {
    vta_language_machine own;
    if (!machine || !out_language) return vt_fail(diag, VTA_INVALID_ARGUMENT, "machine or out_language is NULL");
    *out_language = NULL;
    VT_TRY(vt_options_read(&own, sizeof own, machine, "vta_language_machine", diag));
    if (!own.run || !own.output || !own.inputs || !own.outputs || !own.input_data)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "a member of vta_language_machine is NULL");
    const vta_allocator *a = allocator ? allocator : &vt_allocator_libc;
    vta_language *l = vt_alloc_zero(a, sizeof *l);
    if (!l) return vt_no_memory(diag);
    l->allocator = *a;
    l->machine = own;
    l->ports.caches = vt_alloc_zero(a, caches_size(l));
    vta_status status = l->ports.caches ? VTA_OK : vt_no_memory(diag);
    if (status == VTA_OK)
        status = vt__language_ports(own.name ? own.name : "the network", own.input_count, own.inputs, own.output_count,
                                    own.outputs, diag, &l->ports);
    if (status != VTA_OK) {
        vta_language_destroy(l);
        return status;
    }
    for (size_t i = 0; i < l->ports.cache_count; i++) {
        const vt_cache *c = &l->ports.caches[i];
        memset(own.input_data[c->input], 0, c->outer * c->slots * c->inner);
    }
    *out_language = l;
    return VTA_OK;
}

void vta_language_destroy(vta_language *l) {
    if (!l) return;
    vta_allocator allocator = l->allocator;
    vt_free(&allocator, l->ports.caches, caches_size(l));
    if (l->free_owned) l->free_owned(&allocator, l->owned);
    vt_free(&allocator, l, sizeof *l);
}

size_t vta_language_vocabulary(const vta_language *l) { return l->ports.vocabulary; }
size_t vta_language_tokens(const vta_language *l) { return l->ports.tokens; }
size_t vta_language_context(const vta_language *l) { return l->ports.slots + 1; }
size_t vta_language_length(const vta_language *l) { return l->length; }
uint64_t vta_language_runs(const vta_language *l) { return l->runs; }

void vta_language_rewind(vta_language *l, size_t length) {
    if (length < l->length) l->length = length;
    l->last = 0;
}

const float *vta_language_scores(const vta_language *l, size_t index) {
    if (index >= l->last) return NULL;
    const float *all = l->machine.output(l->machine.user, l->ports.scores);
    return all ? all + index * l->ports.vocabulary : NULL;
}

/* ---- Runs ---- */

/* Tokens behind the last are the last once more, which nothing looks at. */
static void write_rows(vta_language *l, const int32_t *tokens, size_t count) {
    const vt_language_ports *p = &l->ports;
    int64_t *ids = l->machine.input_data[p->ids], *places = l->machine.input_data[p->positions];
    int64_t *mask = l->machine.input_data[p->mask];
    for (size_t i = 0; i < p->tokens; i++) {
        size_t from = i < count ? i : count - 1;
        ids[i] = tokens[from];
        places[i] = (int64_t)(l->length + from);
        mask[p->slots + i] = i < count;
    }
    for (size_t i = 0; i < p->slots; i++) mask[i] = i < l->length;
}

/* Keys and values of the run's tokens, behind the others. */
static void keep(vta_language *l, size_t count) {
    for (size_t i = 0; i < l->ports.cache_count; i++) {
        const vt_cache *c = &l->ports.caches[i];
        char *to = l->machine.input_data[c->input];
        const char *from = l->machine.output(l->machine.user, c->output);
        size_t room = c->slots - l->length, kept = count < room ? count : room;
        for (size_t k = 0; k < c->outer; k++)
            memcpy(to + (k * c->slots + l->length) * c->inner, from + (k * c->given + c->first) * c->inner,
                   kept * c->inner);
    }
}

static vta_status check(const vta_language *l, const int32_t *tokens, size_t count, vta_diag *diag) {
    size_t context = vta_language_context(l);
    for (size_t i = 0; i < count; i++)
        if (tokens[i] < 0 || (size_t)tokens[i] >= l->ports.vocabulary)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "token %d: the model has tokens 0 to %zu", (int)tokens[i],
                           l->ports.vocabulary - 1);
    if (count <= context - l->length) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "%zu tokens behind %zu: the model sees %zu at most", count, l->length,
                   context);
}

/* The last token of a full sequence has no place in the caches, and needs none. */
vta_status vta_language_feed(vta_language *l, const int32_t *tokens, size_t count, vta_diag *diag,
                             const float **out_scores) {
    if (!l || !tokens || !count) return vt_fail(diag, VTA_INVALID_ARGUMENT, "language or tokens is NULL, or no tokens");
    VT_TRY(check(l, tokens, count, diag));
    size_t before = l->length;
    for (size_t done = 0; done < count; done += l->last) {
        size_t rest = count - done, room = l->ports.slots - l->length;
        size_t n = rest < l->ports.tokens ? rest : l->ports.tokens;
        if (n > room) n = room ? room : 1;
        write_rows(l, tokens + done, n);
        vta_status status = l->machine.run(l->machine.user, diag);
        l->last = status == VTA_OK ? n : 0;
        if (status != VTA_OK) {
            l->length = before;
            return status;
        }
        keep(l, n);
        l->length += n;
        l->runs++;
    }
    if (out_scores) *out_scores = vta_language_scores(l, l->last - 1);
    return VTA_OK;
}

/* ---- On an instance ---- */

typedef struct on_instance {
    vta_instance *instance;
    size_t input_count, output_count;
    vta_model_tensor *tensors; /* of inputs, then of outputs */
    void **data;
} on_instance;

static vta_status run(void *user, vta_diag *diag) { return vta_instance_run(((on_instance *)user)->instance, diag); }

static const void *output(void *user, size_t index) {
    return vta_instance_output_data(((on_instance *)user)->instance, index);
}

static void free_instance(const vta_allocator *a, void *owned) {
    on_instance *o = owned;
    size_t count = o->input_count + o->output_count + 1;
    vt_free(a, o->tensors, count * sizeof *o->tensors);
    vt_free(a, o->data, (o->input_count + 1) * sizeof *o->data);
    vt_free(a, o, sizeof *o);
}

static on_instance *open_instance(vta_instance *instance) {
    const vta_model *m = vta_instance_model(instance);
    on_instance *o = vt_alloc_zero(NULL, sizeof *o);
    if (!o) return NULL;
    o->instance = instance;
    o->input_count = vta_model_input_count(m);
    o->output_count = vta_model_output_count(m);
    o->tensors = vt_alloc_zero(NULL, (o->input_count + o->output_count + 1) * sizeof *o->tensors);
    o->data = vt_alloc_zero(NULL, (o->input_count + 1) * sizeof *o->data);
    for (size_t i = 0; o->tensors && o->data && i < o->input_count; i++) {
        vta_model_input(m, i, &o->tensors[i]);
        o->data[i] = vta_instance_input_data(instance, i);
    }
    for (size_t i = 0; o->tensors && i < o->output_count; i++) vta_model_output(m, i, &o->tensors[o->input_count + i]);
    if (o->tensors && o->data) return o;
    free_instance(NULL, o);
    return NULL;
}

vta_status vta_language_of_instance(vta_instance *instance, vta_diag *diag, vta_language **out_language) {
    if (!instance || !out_language) return vt_fail(diag, VTA_INVALID_ARGUMENT, "instance or out_language is NULL");
    *out_language = NULL;
    on_instance *o = open_instance(instance);
    if (!o) return vt_no_memory(diag);
    const vta_language_machine machine = {.size = sizeof machine,
                                          .name = vta_model_name(vta_instance_model(instance)),
                                          .input_count = o->input_count,
                                          .output_count = o->output_count,
                                          .inputs = o->tensors,
                                          .outputs = o->tensors + o->input_count,
                                          .input_data = o->data,
                                          .user = o,
                                          .run = run,
                                          .output = output};
    vta_status status = vta_language_create(&machine, NULL, diag, out_language);
    if (status != VTA_OK) {
        free_instance(NULL, o);
        return status;
    }
    (*out_language)->owned = o;
    (*out_language)->free_owned = free_instance;
    return VTA_OK;
}
