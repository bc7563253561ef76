/* Which step's results a step reads: found from the addresses that the steps use. Buffers share memory, so who wrote a
 * byte last decides. */
#include <stdlib.h>
#include <string.h>

#include "exec/exec_priv.h"
#include "isa/codec.h"

/* Bytes of an arena; who wrote them. */
typedef struct region {
    vt_place place;
    uint64_t begin, end;
    uint32_t owner;
} region;

typedef struct regions {
    region *item;
    size_t count, cap;
} regions;

typedef struct finder {
    vta_model *model;
    vta_diag *diag;
    regions owned;         /* disjoint */
    regions reads, writes; /* of the step in hand */
    uint32_t *from;        /* all lists, one behind another */
    size_t from_count, from_cap;
} finder;

static vta_status add(finder *f, regions *to, region r) {
    if (r.begin >= r.end || r.place == VT_PLACE_DATA) return VTA_OK;
    region *last = to->count ? &to->item[to->count - 1] : NULL;
    if (last && last->place == r.place && last->owner == r.owner && r.begin >= last->begin && r.begin <= last->end) {
        if (r.end > last->end) last->end = r.end; /* the next row of a tensor */
        return VTA_OK;
    }
    if (!vt_reserve(&f->model->allocator, &to->item, &to->cap, to->count + 1, sizeof *to->item))
        return vt_no_memory(f->diag);
    to->item[to->count++] = r;
    return VTA_OK;
}

/* ---- What a step touches ---- */

/* Rows with gaps count as a whole: they are parts of one tensor. */
static vta_status add_transfer(finder *f, const vta_insn *insn, uint32_t node) {
    bool moves = insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE;
    if (!moves || !insn->u.mem.x_size || !insn->u.mem.y_size) return VTA_OK;
    uint64_t element = vt_insn_elem_bytes(f->model->config, insn), begin = insn->u.mem.dram_base * element;
    uint64_t rows = (insn->u.mem.y_size - 1u) * (uint64_t)insn->u.mem.x_stride;
    region r = {VT_PLACE_DEVICE, begin, begin + (rows + insn->u.mem.x_size) * element, node};
    return add(f, insn->opcode == VTA_OP_STORE ? &f->writes : &f->reads, r);
}

static vta_status add_insns(finder *f, const vt_plan_step *s, uint32_t first, uint32_t end, uint32_t node) {
    const uint8_t *bytes = vt__model_section(f->model, VT_SECTION_INSNS).bytes;
    vta_insn insn;
    for (uint32_t i = first; i < end; i++) {
        VT_TRY(vta_insn_decode(f->model->config, bytes + ((size_t)s->first + i) * VTA_INSN_BYTES, f->diag, &insn));
        VT_TRY(add_transfer(f, &insn, node));
    }
    return VTA_OK;
}

static vta_status add_views(finder *f, const vt_plan_step *s, uint32_t node) {
    for (uint32_t i = 0; i < s->view_count; i++) {
        const vt_plan_view *v = &s->views[i];
        const vt_plan_buffer *b = &f->model->plan.buffers[v->buffer];
        uint64_t begin = b->offset + v->offset;
        VT_TRY(add(f, v->output ? &f->writes : &f->reads, (region){b->place, begin, begin + v->bytes, node}));
    }
    return VTA_OK;
}

/* ---- Who wrote it ---- */

static bool meet(const region *a, const region *b) {
    return a->place == b->place && a->begin < b->end && b->begin < a->end;
}

static vta_status add_from(finder *f, size_t first, uint32_t owner) {
    for (size_t i = first; i < f->from_count; i++)
        if (f->from[i] == owner) return VTA_OK;
    if (!vt_reserve(&f->model->allocator, &f->from, &f->from_cap, f->from_count + 1, sizeof *f->from))
        return vt_no_memory(f->diag);
    f->from[f->from_count++] = owner;
    return VTA_OK;
}

static vta_status find_owners(finder *f) {
    size_t first = f->from_count;
    for (size_t i = 0; i < f->owned.count; i++)
        for (size_t k = 0; k < f->reads.count; k++)
            if (meet(&f->owned.item[i], &f->reads.item[k])) VT_TRY(add_from(f, first, f->owned.item[i].owner));
    return VTA_OK;
}

/* Takes the bytes of `r` from those who had them. */
static vta_status own(finder *f, region r) {
    size_t count = f->owned.count, kept = 0;
    regions rests = {0};
    vta_status status = VTA_OK;
    for (size_t i = 0; i < count; i++) {
        region o = f->owned.item[i];
        if (!meet(&o, &r)) {
            f->owned.item[kept++] = o;
            continue;
        }
        region parts[2] = {{o.place, o.begin, r.begin, o.owner}, {o.place, r.end, o.end, o.owner}};
        for (int k = 0; k < 2 && status == VTA_OK; k++) status = add(f, &rests, parts[k]);
    }
    f->owned.count = kept;
    for (size_t i = 0; i < rests.count && status == VTA_OK; i++) status = add(f, &f->owned, rests.item[i]);
    vt_free(&f->model->allocator, rests.item, rests.cap * sizeof *rests.item);
    return status == VTA_OK ? add(f, &f->owned, r) : status;
}

/* Ends the list of step `node`. */
static vta_status close_node(finder *f, uint32_t node) {
    vt__flow *flow = f->model->flow;
    VT_TRY(find_owners(f));
    for (size_t i = 0; i < f->writes.count; i++) VT_TRY(own(f, f->writes.item[i]));
    f->reads.count = f->writes.count = 0;
    flow->end[node] = (uint32_t)f->from_count;
    return VTA_OK;
}

/* ---- All steps ---- */

static vta_status find_step(finder *f, const vt_plan_step *s, uint32_t node) {
    VT_TRY(add_views(f, s, node));
    if (s->kind == VT_STEP_RUN && !s->layer_count) VT_TRY(add_insns(f, s, 0, s->count, node));
    VT_TRY(close_node(f, node));
    for (uint32_t k = 0; k < s->layer_count; k++) {
        uint32_t end = k + 1 < s->layer_count ? s->layers[k + 1].first : s->count;
        VT_TRY(add_insns(f, s, s->layers[k].first, end, node + 1 + k));
        VT_TRY(close_node(f, node + 1 + k));
    }
    return VTA_OK;
}

static vta_status find_all(finder *f) {
    vta_model *m = f->model;
    uint32_t node = 0;
    m->flow = vt_arena_alloc_zero(&m->arena, sizeof *m->flow);
    if (!m->flow) return vt_no_memory(f->diag);
    m->flow->end = vt_arena_alloc_zero(&m->arena, (vta_model_step_count(m) + 1) * sizeof *m->flow->end);
    if (!m->flow->end) return vt_no_memory(f->diag);
    for (uint32_t i = 0; i < m->plan.step_count; i++) {
        VT_TRY(find_step(f, &m->plan.steps[i], node));
        node += 1 + m->plan.steps[i].layer_count;
    }
    m->flow->from = vt_arena_alloc(&m->arena, (f->from_count + 1) * sizeof *f->from);
    if (!m->flow->from) return vt_no_memory(f->diag);
    if (f->from_count) memcpy(m->flow->from, f->from, f->from_count * sizeof *f->from);
    return VTA_OK;
}

static vta_status find_flow(vta_model *m, vta_diag *diag) {
    finder f = {.model = m, .diag = diag};
    if (m->flow) return VTA_OK;
    vta_status status = find_all(&f);
    if (status != VTA_OK) m->flow = NULL;
    vt_free(&m->allocator, f.owned.item, f.owned.cap * sizeof *f.owned.item);
    vt_free(&m->allocator, f.reads.item, f.reads.cap * sizeof *f.reads.item);
    vt_free(&m->allocator, f.writes.item, f.writes.cap * sizeof *f.writes.item);
    vt_free(&m->allocator, f.from, f.from_cap * sizeof *f.from);
    return status;
}

vta_status vta_model_step_inputs(vta_model *model, size_t index, vta_diag *diag, const uint32_t **out_steps,
                                 size_t *out_count) {
    if (!model || !out_steps || !out_count)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_model_step_inputs: an argument is NULL");
    if (index >= vta_model_step_count(model))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "step %zu: %s has %zu", index, model->plan.name,
                       vta_model_step_count(model));
    pthread_mutex_lock(&model->lock);
    vta_status status = find_flow(model, diag);
    pthread_mutex_unlock(&model->lock);
    if (status != VTA_OK) return status;
    uint32_t first = index ? model->flow->end[index - 1] : 0;
    *out_steps = model->flow->from + first;
    *out_count = model->flow->end[index] - first;
    return VTA_OK;
}
