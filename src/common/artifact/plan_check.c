/* Everything that a plan speaks of is inside what there is. */
#include <inttypes.h>
#include <string.h>

#include "artifact/plan.h"
#include "isa/codec.h"

enum { MAX_DIMS = VT_PLAN_MAX_DIMS };
#define MAX_DEVICE_BYTES ((uint64_t)1 << 31)
#define MAX_HOST_BYTES ((uint64_t)1 << 40)

typedef struct checker {
    const vt_plan *plan;
    const vta_config *config;
    const char *name;
    vta_diag *diag;
    const uint8_t *insns;
    uint64_t params_size, uops_size, insns_size, data_size, code_size;
} checker;

#define FAIL(...) vt_fail_at(c->diag, VTA_PARSE, (vt_pos){.file = c->name}, "the plan: " __VA_ARGS__)

/* [at, at + size) inside [from, to)? */
static bool inside(uint64_t at, uint64_t size, uint64_t from, uint64_t to) {
    return at >= from && at <= to && size <= to - at;
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

static vta_status check_memory(const checker *c) {
    const vt_plan *p = c->plan;
    if (p->device_bytes > MAX_DEVICE_BYTES || p->host_bytes > MAX_HOST_BYTES)
        return FAIL("%" PRIu64 " bytes of device memory, %" PRIu64 " of host memory: more than can be", p->device_bytes,
                    p->host_bytes);
    if (c->params_size > p->uops_at || !inside(p->uops_at, c->uops_size, 0, p->insns_at) ||
        !inside(p->insns_at, c->insns_size, 0, p->work_at) || p->work_at > p->device_bytes)
        return FAIL("the parts of device memory overlap");
    if (p->uops_at % VT_PLAN_ALIGNMENT || p->insns_at % VT_PLAN_ALIGNMENT)
        return FAIL("micro-ops or instructions do not begin at a multiple of %d bytes", VT_PLAN_ALIGNMENT);
    if (c->insns_size % VTA_INSN_BYTES || c->uops_size % VTA_UOP_BYTES)
        return FAIL("a section of instructions or micro-ops has a part of one");
    return VTA_OK;
}

static vta_status check_buffer(const checker *c, uint32_t index) {
    const vt_plan *p = c->plan;
    const vt_plan_buffer *b = &p->buffers[index];
    bool fits = b->place == VT_PLACE_HOST   ? inside(b->offset, b->bytes, 0, p->host_bytes)
                : b->place == VT_PLACE_DATA ? inside(b->offset, b->bytes, 0, c->data_size)
                                            : inside(b->offset, b->bytes, 0, c->params_size) ||
                                                  inside(b->offset, b->bytes, p->work_at, p->device_bytes);
    if (!fits)
        return FAIL("buffer %u (%s): %" PRIu64 " bytes at %" PRIu64 " are outside of its memory (%s)", index, b->name,
                    b->bytes, b->offset, vt_place_names[b->place]);
    if (b->offset % VT_PLAN_ALIGNMENT)
        return FAIL("buffer %u (%s) begins at %" PRIu64 ", which is not a multiple of %d", index, b->name, b->offset,
                    VT_PLAN_ALIGNMENT);
    return VTA_OK;
}

static bool is_constant(const checker *c, const vt_plan_buffer *b) {
    return b->place == VT_PLACE_DATA || (b->place == VT_PLACE_DEVICE && b->offset < c->plan->work_at);
}

/* ---- Views ----------------------------------------------------------------------------------------------------- */

static vta_status check_view(const checker *c, const char *whose, const vt_plan_view *v) {
    if (v->buffer >= c->plan->buffer_count) return FAIL("%s: buffer %u of %u", whose, v->buffer, c->plan->buffer_count);
    const vt_plan_buffer *b = &c->plan->buffers[v->buffer];
    if (!inside(v->offset, v->bytes, 0, b->bytes))
        return FAIL("%s: %" PRIu64 " bytes from %" PRIu64 " on in buffer %s of %" PRIu64, whose, v->bytes, v->offset,
                    b->name, b->bytes);
    if (v->offset % ((v->type.bits + 7u) / 8)) return FAIL("%s: an element of %s is cut", whose, b->name);
    if (v->output && is_constant(c, b)) return FAIL("%s: writes the constant %s", whose, b->name);
    return VTA_OK;
}

static vta_status check_ports(const checker *c, const vt_plan_port *ports, uint32_t count, bool input) {
    for (uint32_t i = 0; i < count; i++) {
        VT_TRY(check_view(c, ports[i].name, &ports[i].view));
        vt_place place = c->plan->buffers[ports[i].view.buffer].place;
        if (place == VT_PLACE_DEVICE || (input && place == VT_PLACE_DATA))
            return FAIL("%s: an input or output that is not in host memory", ports[i].name);
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(ports[k].name, ports[i].name)) return FAIL("%s stands twice", ports[i].name);
    }
    return VTA_OK;
}

/* `tiles` hold `n` in steps of `by`, and not more than they need. */
static bool tiles_hold(int64_t tiles, int64_t by, int64_t n) { return (n + by - 1) / by == tiles && by <= 1 << 16; }

/* N C S..., and N/b C/c S... b c. */
static bool packs(const vt_plan_view *flat, const vt_plan_view *tiled) {
    int32_t n = flat->ndim;
    if (n < 2 || n + 2 > MAX_DIMS || tiled->ndim != n + 2 || flat->type.bits % 8) return false;
    for (int32_t i = 2; i < n; i++)
        if (flat->shape[i] != tiled->shape[i]) return false;
    return tiles_hold(tiled->shape[0], tiled->shape[n], flat->shape[0]) &&
           tiles_hold(tiled->shape[1], tiled->shape[n + 1], flat->shape[1]);
}

static vta_status check_pair(const checker *c, const vt_plan_step *s) {
    const vt_plan_view *from = &s->views[0], *to = &s->views[1];
    bool same = !memcmp(&from->type, &to->type, sizeof from->type);
    bool fit = s->kind == VT_STEP_COPY   ? from->bytes == to->bytes
               : s->kind == VT_STEP_PACK ? same && packs(from, to)
                                         : same && packs(to, from);
    if (from->output || !to->output) return FAIL("step %s: writes its first view, not its second", s->name);
    if (!fit) return FAIL("step %s: its two views do not fit each other", s->name);
    return VTA_OK;
}

static vta_status check_table(const checker *c, const vt_plan_step *s) {
    const vt_plan_view *from = &s->views[0], *table = &s->views[1], *to = &s->views[2];
    if (from->output || table->output || !to->output)
        return FAIL("step %s: writes its first or second view, or not its third", s->name);
    if (table->bytes != 256 || from->bytes != to->bytes)
        return FAIL("step %s: a table of %" PRIu64 " bytes (expected 256) from %" PRIu64 " bytes to %" PRIu64, s->name,
                    table->bytes, from->bytes, to->bytes);
    return VTA_OK;
}

static vta_status check_views(const checker *c, const vt_plan_step *s) {
    const vt_step_row *row = &vt_step_rows[s->kind];
    if (s->view_count < row->least_views || s->view_count > row->max_views)
        return FAIL("step %s: %u views", s->name, s->view_count);
    for (uint32_t i = 0; i < s->view_count; i++) VT_TRY(check_view(c, s->name, &s->views[i]));
    if (s->kind == VT_STEP_TABLE) return check_table(c, s);
    if (s->kind != VT_STEP_CALL) return check_pair(c, s);
    if (!c->code_size) return FAIL("step %s: calls a function, but there is no code", s->name);
    return VTA_OK;
}

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

/* May an instruction of this kind touch these bytes? */
static bool may_touch(const checker *c, const vta_insn *insn, uint64_t at, uint64_t size) {
    const vt_plan *p = c->plan;
    if (inside(at, size, p->work_at, p->device_bytes)) return true;
    if (insn->opcode == VTA_OP_STORE) return false;
    if (insn->u.mem.memory_type == VTA_MEM_UOP) return inside(at, size, p->uops_at, p->uops_at + c->uops_size);
    return inside(at, size, 0, c->params_size);
}

static vta_status check_transfer(const checker *c, const vt_plan_step *s, uint32_t index, const vta_insn *insn) {
    if (!insn->u.mem.x_size || !insn->u.mem.y_size) return VTA_OK;
    if (!vt_insn_stage(insn) || (insn->opcode == VTA_OP_STORE && insn->u.mem.memory_type != VTA_MEM_OUT))
        return FAIL("run %s: instruction %u moves a memory that it cannot", s->name, index);
    uint64_t element = vt_insn_elem_bytes(c->config, insn);
    if (!element)
        return FAIL("run %s: instruction %u moves a memory that this configuration does not have", s->name, index);
    uint64_t at = insn->u.mem.dram_base * element;
    uint64_t size = ((uint64_t)(insn->u.mem.y_size - 1u) * insn->u.mem.x_stride + insn->u.mem.x_size) * element;
    if (may_touch(c, insn, at, size)) return VTA_OK;
    return FAIL("run %s: instruction %u touches %" PRIu64 " bytes from %" PRIu64 " on, where it may not", s->name,
                index, size, at);
}

static vta_status check_insn(const checker *c, const vt_plan_step *s, uint32_t index) {
    vta_insn insn;
    if (!vt_insn_unpack(c->config, c->insns + ((uint64_t)s->first + index) * VTA_INSN_BYTES, &insn))
        return FAIL("run %s: instruction %u has an opcode that does not exist", s->name, index);
    if ((insn.opcode == VTA_OP_FINISH) != (index == s->count - 1))
        return FAIL("run %s: instruction %u: FINISH is the last one, and only that", s->name, index);
    if (insn.opcode != VTA_OP_LOAD && insn.opcode != VTA_OP_STORE) return VTA_OK;
    return check_transfer(c, s, index, &insn);
}

static vta_status check_run(const checker *c, const vt_plan_step *s) {
    if (!s->count || s->count > VT_PLAN_MAX_INSNS || !inside(s->first, s->count, 0, c->insns_size / VTA_INSN_BYTES))
        return FAIL("run %s: %u instructions from %u on, of %" PRIu64, s->name, s->count, s->first,
                    c->insns_size / VTA_INSN_BYTES);
    for (uint32_t i = 0; i < s->layer_count; i++)
        if (s->layers[i].first >= s->count || (i ? s->layers[i].first <= s->layers[i - 1].first : s->layers[i].first))
            return FAIL("run %s: its layers are not in the order of its instructions", s->name);
    for (uint32_t i = 0; i < s->count; i++) VT_TRY(check_insn(c, s, i));
    return VTA_OK;
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static uint64_t size_of(const vt_container *container, const char *name) {
    const vt_section *s = vt_container_find(container, name);
    return s ? s->size : 0;
}

vta_status vt_plan_check(const vt_plan *plan, const vt_container *container, const vta_config *config, const char *name,
                         vta_diag *diag) {
    const vt_section *insns = vt_container_find(container, VT_SECTION_INSNS);
    checker checkers = {.plan = plan,
                        .config = config,
                        .name = name,
                        .diag = diag,
                        .insns = insns ? insns->bytes : NULL,
                        .params_size = size_of(container, VT_SECTION_PARAMS),
                        .uops_size = size_of(container, VT_SECTION_UOPS),
                        .insns_size = size_of(container, VT_SECTION_INSNS),
                        .data_size = size_of(container, VT_SECTION_DATA),
                        .code_size = size_of(container, VT_SECTION_CODE)};
    const checker *c = &checkers;
    VT_TRY(check_memory(c));
    for (uint32_t i = 0; i < plan->buffer_count; i++) VT_TRY(check_buffer(c, i));
    VT_TRY(check_ports(c, plan->inputs, plan->input_count, true));
    VT_TRY(check_ports(c, plan->outputs, plan->output_count, false));
    for (uint32_t i = 0; i < plan->step_count; i++)
        VT_TRY(plan->steps[i].kind == VT_STEP_RUN ? check_run(c, &plan->steps[i]) : check_views(c, &plan->steps[i]));
    return VTA_OK;
}
