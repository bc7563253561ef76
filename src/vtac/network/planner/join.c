/* Streams of layers as one run of the device.
 *
 * Between two layers stands a barrier of tokens: compute has waited for all loads and stores of the first layer (each
 * stream ends so), then lets load go on. What the second layer's compute and store stages do comes after its compute
 * stage has begun, which is in order behind that wait; so nothing of the second layer touches memory, on chip or off,
 * before the first one is done with it.
 *
 * Parameters need not wait that long: nothing writes them, and the weight buffer is free once the first layer has
 * computed. So there are two tokens: after its last GEMM or ALU instruction compute lets load fetch the weights of the
 * next layer's first tile, and only what follows waits for the stores. */
#include <string.h>

#include "isa/codec.h"
#include "isa/tokens.h"
#include "network/planner/planner_priv.h"

typedef struct joiner {
    vt_planner *planner;
    const vt_plan *plan;
    vt__insns *out;
    vta_diag *diag;
} joiner;

static vta_insn *push(vt__insns *out, const vta_insn *insn) {
    if (!vt_reserve(out->allocator, &out->items, &out->cap, out->count + 1, sizeof *out->items)) out->failed = true;
    if (out->failed) return NULL;
    out->items[out->count] = *insn;
    return &out->items[out->count++];
}

/* An instruction that only carries tokens (docs/spec.md, section 6). */
static vta_insn noop(vta_stage stage) {
    vta_insn insn = {.opcode = stage == VTA_STAGE_STORE ? VTA_OP_STORE : VTA_OP_LOAD};
    insn.u.mem.memory_type = stage == VTA_STAGE_STORE  ? VTA_MEM_OUT
                             : stage == VTA_STAGE_LOAD ? VTA_MEM_INP
                                                       : VTA_MEM_UOP;
    return insn;
}

static void add_noop(vt__insns *out, vta_stage stage, bool pop_prev, bool pop_next, bool push_prev, bool push_next) {
    vta_insn insn = noop(stage);
    insn.pop_prev_dep = pop_prev;
    insn.pop_next_dep = pop_next;
    insn.push_prev_dep = push_prev;
    insn.push_next_dep = push_next;
    push(out, &insn);
}

/* ---- Addresses ------------------------------------------------------------------------------------------------- */

static uint64_t address_of(const joiner *j, const vt__step *step, const vt__recorded *r) {
    const vt_plan_view *v = r->owner == VT__ARGUMENT ? &step->plan.views[r->index] : NULL;
    switch (r->owner) {
    case VT__UOPS: return j->plan->uops_at + step->stream->uops_at * VTA_UOP_BYTES;
    case VT__ARGUMENT: return j->plan->buffers[v->buffer].offset + v->offset;
    case VT__CONSTANT: return j->plan->buffers[r->index].offset;
    case VT__NO_OWNER: break;
    }
    return 0;
}

static vta_insn placed(const joiner *j, const vt__step *step, const vt__recorded *r) {
    vta_insn insn = r->insn;
    if (r->owner != VT__NO_OWNER)
        insn.u.mem.dram_base += (uint32_t)(address_of(j, step, r) / vt_insn_elem_bytes(j->planner->config, &insn));
    return insn;
}

/* ---- The end of a layer ---------------------------------------------------------------------------------------- */

/* Tokens that a kernel pushed and nobody took would let the next layer go on too early. */
static void take_leftover(vt__insns *out, const vt_token_depths *left) {
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) {
        vta_stage from = vt_token_from((vta_token_queue)q), to = vt_token_to((vta_token_queue)q);
        for (int64_t n = left->of[q]; n > 0; n--) add_noop(out, to, from<to, from> to, false, false);
    }
}

static bool computes(const vta_insn *insn) { return insn->opcode == VTA_OP_GEMM || insn->opcode == VTA_OP_ALU; }

/* Puts the last instruction to place `at`. */
static void move_last(vt__insns *out, size_t at) {
    if (out->failed) return;
    vta_insn last = out->items[out->count - 1];
    memmove(&out->items[at + 1], &out->items[at], (out->count - 1 - at) * sizeof last);
    out->items[at] = last;
}

/* After the layer's last instruction that reads inputs or weights: load may bring in others. */
static void release_weights(vt__insns *out, size_t from) {
    size_t at = out->count;
    if (out->failed) return;
    while (at > from && !computes(&out->items[at - 1])) at--;
    if (at > from && !out->items[at - 1].push_prev_dep) {
        out->items[at - 1].push_prev_dep = 1;
        return;
    }
    add_noop(out, VTA_STAGE_COMPUTE, false, false, true, false);
    move_last(out, at);
}

/* Compute has waited for everything: load may go on. */
static void release_results(vt__insns *out) {
    vta_insn *last = out->failed ? NULL : &out->items[out->count - 1];
    if (last && vt_insn_stage(last) == VTA_STAGE_COMPUTE && !last->push_prev_dep)
        last->push_prev_dep = 1;
    else
        add_noop(out, VTA_STAGE_COMPUTE, false, false, true, false);
}

/* ---- The begin of a layer -------------------------------------------------------------------------------------- */

/* May this weight load come before the barrier? It reads a constant, into elements that no load before it in its layer
 * has written: so nobody in this layer reads what stood there. */
typedef struct prefetch {
    const vt__stream *stream;
    size_t end; /* behind the instruction that first gives compute something to work on */
} prefetch;

static prefetch find_prefetch(const vt__stream *s) {
    prefetch p = {s, 0};
    for (size_t i = 0; i < s->count; i++) {
        if (vt_insn_stage(&s->items[i].insn) != VTA_STAGE_LOAD || !s->items[i].insn.push_next_dep) continue;
        p.end = i + 1;
        break;
    }
    return p;
}

static uint64_t rows_of(const vta_insn *insn) {
    return (uint64_t)insn->u.mem.y_pad_0 + insn->u.mem.y_size + insn->u.mem.y_pad_1;
}

static uint64_t end_on_chip(const vta_insn *insn) {
    return insn->u.mem.sram_base +
           rows_of(insn) * ((uint64_t)insn->u.mem.x_pad_0 + insn->u.mem.x_size + insn->u.mem.x_pad_1);
}

static bool is_weight_load(const vt__recorded *r) {
    return r->owner == VT__ARGUMENT && r->insn.opcode == VTA_OP_LOAD && r->insn.u.mem.memory_type == VTA_MEM_WGT;
}

static bool may_go_first(const joiner *j, const vt__step *step, const prefetch *p, size_t index) {
    const vt__recorded *r = &p->stream->items[index];
    if (index >= p->end || !is_weight_load(r)) return false;
    if (!j->planner->buffers[step->plan.views[r->index].buffer].constant) return false;
    for (size_t i = 0; i < index; i++) {
        const vta_insn *other = &p->stream->items[i].insn;
        if (is_weight_load(&p->stream->items[i]) && other->u.mem.sram_base < end_on_chip(&r->insn) &&
            r->insn.u.mem.sram_base < end_on_chip(other))
            return false;
    }
    return true;
}

static void load_first(const joiner *j, const vt__step *step, const prefetch *p) {
    for (size_t i = 0; i < p->end; i++) {
        if (!may_go_first(j, step, p, i)) continue;
        vta_insn insn = placed(j, step, &p->stream->items[i]);
        insn.pop_prev_dep = insn.pop_next_dep = insn.push_prev_dep = insn.push_next_dep = 0;
        push(j->out, &insn);
    }
}

/* In its old place its tokens stay. */
static void add_body(const joiner *j, const vt__step *step, const prefetch *p) {
    for (size_t i = 0; i < step->stream->count; i++) {
        vta_insn insn = placed(j, step, &step->stream->items[i]);
        if (!may_go_first(j, step, p, i)) {
            push(j->out, &insn);
        } else if (insn.pop_prev_dep | insn.pop_next_dep | insn.push_prev_dep | insn.push_next_dep) {
            add_noop(j->out, VTA_STAGE_LOAD, insn.pop_prev_dep, insn.pop_next_dep, insn.push_prev_dep,
                     insn.push_next_dep);
        }
    }
}

/* ---- A run ----------------------------------------------------------------------------------------------------- */

static vta_status add_layer(const joiner *j, const vt__step *step, bool first, bool last) {
    vt__insns *out = j->out;
    bool early = !j->planner->options.in_order;
    prefetch p = early && !first ? find_prefetch(step->stream) : (prefetch){step->stream, 0};
    if (!first && early) {
        add_noop(out, VTA_STAGE_LOAD, false, true, false, false);
        load_first(j, step, &p);
    }
    if (!first) add_noop(out, VTA_STAGE_LOAD, false, true, false, false);
    size_t from = out->count;
    vt_token_depths depths = {{0}};
    add_body(j, step, &p);
    for (size_t i = from; i < out->count; i++) vt_tokens_count(&depths, &out->items[i]);
    if (!last && early) release_weights(out, from);
    take_leftover(out, &depths);
    if (!last) release_results(out);
    return out->failed ? vt_no_memory(j->diag) : VTA_OK;
}

vta_status vt__join(vt_planner *planner, const vt_plan *plan, uint32_t first, uint32_t end, vt__insns *insns,
                    vta_diag *diag, vt_plan_layer *out_layers) {
    const joiner j = {planner, plan, insns, diag};
    size_t begin = insns->count;
    for (uint32_t i = first; i < end; i++) {
        out_layers[i - first] = (vt_plan_layer){planner->steps[i].plan.name, (uint32_t)(insns->count - begin)};
        VT_TRY(add_layer(&j, &planner->steps[i], i == first, i + 1 == end));
    }
    const vta_insn finish = {.opcode = VTA_OP_FINISH};
    return push(insns, &finish) ? VTA_OK : vt_no_memory(diag);
}
