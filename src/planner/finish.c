/* The artifact: places, runs, code, sections. */
#include <stdlib.h>
#include <string.h>

#include "isa/codec.h"
#include "planner/planner_priv.h"

enum { PAGE = 4096 };

/* What is being put together. */
typedef struct maker {
    vt_planner *p;
    vta_diag *diag;
    vt_plan plan;
    vt_plan_buffer *buffers;
    vt_plan_step *steps;
    vt__insns insns;
    uint8_t *params, *uops, *insn_bytes, *data, *code;
    size_t params_size, uops_size, insns_size, data_size, code_size;
    uint64_t device_items, host_items; /* bytes without sharing, for the report */
} maker;

static uint64_t aligned(uint64_t n, uint64_t by) { return (n + by - 1) / by * by; }

/* ---- Constants ------------------------------------------------------------------------------------------------- */

/* Elements of every memory begin at multiples of their size; long buffers at pages, where bursts break anyway. */
static uint64_t device_alignment(const vt_planner *p, uint64_t bytes) {
    uint64_t least = VT_PLAN_ALIGNMENT;
    for (int m = 0; m < VTA_MEM_COUNT; m++) {
        uint64_t element = vta_config_elem_bytes(p->config, (vta_memory)m);
        if (element > least) least = element;
    }
    return bytes >= PAGE && least < PAGE ? PAGE : least;
}

/* Constants of one place, one behind another; gives the bytes that they take. */
static uint64_t place_constants(maker *m, vt_place place) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < m->p->buffer_count; i++) {
        const vt__buffer *b = &m->p->buffers[i];
        if (!b->contents || b->plan.place != place) continue;
        at = aligned(at, place == VT_PLACE_DEVICE ? device_alignment(m->p, b->plan.bytes) : VT_PLAN_ALIGNMENT);
        m->buffers[i].offset = at;
        at += b->plan.bytes;
    }
    return at;
}

static vta_status fill_constants(maker *m, vt_place place, uint8_t **out_bytes, size_t *out_size) {
    uint64_t size = place_constants(m, place);
    *out_bytes = size < VT_ARTIFACT_MOST_BYTES ? vt_alloc_zero(m->p->allocator, (size_t)size) : NULL;
    if (!*out_bytes) return vt_no_memory(m->diag);
    *out_size = (size_t)size;
    for (uint32_t i = 0; i < m->p->buffer_count; i++) {
        const vt__buffer *b = &m->p->buffers[i];
        if (b->contents && b->plan.place == place)
            memcpy(*out_bytes + m->buffers[i].offset, b->contents, (size_t)b->plan.bytes);
    }
    return VTA_OK;
}

/* The images of all streams, one behind another. */
static vta_status fill_uops(maker *m) {
    size_t count = 0;
    for (size_t i = 0; i < m->p->stream_count; i++) {
        m->p->streams[i]->uops_at = count;
        count += m->p->streams[i]->uop_count;
    }
    m->uops_size = count * VTA_UOP_BYTES;
    m->uops = vt_alloc(m->p->allocator, m->uops_size);
    if (!m->uops) return vt_no_memory(m->diag);
    uint8_t *at = m->uops;
    for (size_t i = 0; i < m->p->stream_count; i++) {
        const vt__stream *s = m->p->streams[i];
        for (size_t k = 0; k < s->uop_count; k++, at += VTA_UOP_BYTES)
            for (int b = 0; b < VTA_UOP_BYTES; b++) at[b] = (uint8_t)(s->uops[k] >> 8 * b);
    }
    return VTA_OK;
}

/* ---- Places ---------------------------------------------------------------------------------------------------- */

/* Buffers of one place that steps write; what is never used takes nothing. */
static vta_status place_buffers(maker *m, vt_place place, uint64_t base, uint64_t alignment, uint64_t *out_end,
                                uint64_t *out_sum) {
    vt_planner *p = m->p;
    size_t n = 0;
    vt__item *items = vt_alloc_zero(p->allocator, (p->buffer_count + (size_t)1) * sizeof *items);
    if (!items) return vt_no_memory(m->diag);
    *out_sum = 0;
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        const vt__buffer *b = &p->buffers[i];
        if (b->contents || b->plan.place != place) continue;
        bool used = b->first != UINT32_MAX || b->keep;
        items[n++] =
            (vt__item){used ? b->plan.bytes : 0, used && b->first != UINT32_MAX ? b->first : 0, b->last, b->keep, 0};
        *out_sum += b->plan.bytes;
    }
    bool ok = vt__place(p->allocator, items, n, base, alignment, out_end);
    n = 0;
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        const vt__buffer *b = &p->buffers[i];
        if (b->contents || b->plan.place != place) continue;
        m->buffers[i].offset = items[n].offset;
        m->buffers[i].bytes = items[n++].bytes;
    }
    vt_free(p->allocator, items, (p->buffer_count + (size_t)1) * sizeof *items);
    return ok ? VTA_OK : vt_no_memory(m->diag);
}

/* Results stay until the end. */
static void keep_outputs(vt_planner *p) {
    for (uint32_t i = 0; i < p->output_count; i++) p->buffers[p->outputs[i].view.buffer].last = UINT32_MAX - 1;
}

/* All but the number of instructions is known. */
static vta_status settle(maker *m, size_t insn_count) {
    vt_planner *p = m->p;
    uint64_t page = device_alignment(p, PAGE);
    m->plan.uops_at = aligned(m->params_size, page);
    m->plan.insns_at = aligned(m->plan.uops_at + m->uops_size, page);
    m->plan.work_at = aligned(m->plan.insns_at + insn_count * VTA_INSN_BYTES, page);
    VT_TRY(place_buffers(m, VT_PLACE_DEVICE, m->plan.work_at, page, &m->plan.device_bytes, &m->device_items));
    return place_buffers(m, VT_PLACE_HOST, 0, VT_PLAN_ALIGNMENT, &m->plan.host_bytes, &m->host_items);
}

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

/* One past the last step of the run that begins with step `first`. */
static uint32_t end_of_run(const maker *m, uint32_t first) {
    size_t insns = 0;
    uint32_t end = first;
    while (end < m->p->step_count && m->p->steps[end].stream) {
        insns += m->p->steps[end].stream->count + 16;
        if (end > first && (insns > VT_PLAN_MOST_INSNS || m->p->options.separate)) break;
        end++;
    }
    return end;
}

static vta_status make_run(maker *m, uint32_t first, uint32_t end) {
    size_t begin = m->insns.count, count = end - first;
    vt_plan_layer *layers = vt_arena_alloc_zero(&m->p->arena, count * sizeof *layers);
    if (!layers) return vt_no_memory(m->diag);
    VT_TRY(vt__join(m->p, &m->plan, first, end, &m->insns, m->diag, layers));
    if (m->insns.count - begin > VT_PLAN_MOST_INSNS)
        return vt_fail(m->diag, VTA_UNSUPPORTED, "step %s: %zu instructions, a run has at most %d",
                       m->p->steps[first].plan.name, m->insns.count - begin, VT_PLAN_MOST_INSNS);
    m->steps[m->plan.step_count++] = (vt_plan_step){.kind = VT_STEP_RUN,
                                                    .name = layers[0].name,
                                                    .first = (uint32_t)begin,
                                                    .count = (uint32_t)(m->insns.count - begin),
                                                    .layers = layers,
                                                    .layer_count = (uint32_t)count};
    return VTA_OK;
}

static vta_status make_steps(maker *m) {
    m->insns.count = 0;
    m->plan.step_count = 0;
    for (uint32_t i = 0; i < m->p->step_count;) {
        uint32_t end = end_of_run(m, i);
        if (end > i) {
            VT_TRY(make_run(m, i, end));
            i = end;
        } else {
            m->steps[m->plan.step_count++] = m->p->steps[i++].plan;
        }
    }
    return VTA_OK;
}

static vta_status encode(maker *m) {
    m->insns_size = m->insns.count * VTA_INSN_BYTES;
    m->insn_bytes = vt_alloc(m->p->allocator, m->insns_size);
    if (!m->insn_bytes) return vt_no_memory(m->diag);
    for (size_t i = 0; i < m->insns.count; i++)
        VT_TRY(vta_insn_encode(m->p->config, &m->insns.items[i], m->diag, m->insn_bytes + i * VTA_INSN_BYTES));
    return VTA_OK;
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

static void add_section(vt_section *sections, uint32_t *count, const char *name, const void *bytes, size_t size) {
    vt_section *s = &sections[*count];
    if (!size) return;
    memset(s, 0, sizeof *s);
    memcpy(s->name, name, strlen(name));
    s->bytes = bytes;
    s->size = size;
    (*count)++;
}

static vta_status write_sections(maker *m, const char *plan, const char *config, uint8_t **out_bytes,
                                 size_t *out_size) {
    vt_section sections[VT_SECTIONS_MOST];
    uint32_t n = 0;
    enum { OWN = 7 };
    if (m->p->section_count > VT_SECTIONS_MOST - OWN)
        return vt_fail(m->diag, VTA_OUT_OF_RANGE, "%zu sections of front ends: there are at most %d",
                       m->p->section_count, VT_SECTIONS_MOST - OWN);
    add_section(sections, &n, VT_SECTION_PLAN, plan, strlen(plan));
    add_section(sections, &n, VT_SECTION_CONFIG, config, strlen(config));
    add_section(sections, &n, VT_SECTION_CODE, m->code, m->code_size);
    add_section(sections, &n, VT_SECTION_DATA, m->data, m->data_size);
    add_section(sections, &n, VT_SECTION_UOPS, m->uops, m->uops_size);
    add_section(sections, &n, VT_SECTION_INSNS, m->insn_bytes, m->insns_size);
    add_section(sections, &n, VT_SECTION_PARAMS, m->params, m->params_size);
    for (size_t i = 0; i < m->p->section_count; i++)
        add_section(sections, &n, m->p->sections[i].name, m->p->sections[i].bytes, m->p->sections[i].size);
    return vt_container_write(sections, n, m->diag, out_bytes, out_size);
}

static vta_status write_file(maker *m, uint8_t **out_bytes, size_t *out_size) {
    vt_strbuf plan;
    vt_strbuf_init(&plan, m->p->allocator);
    vt_plan_write(&m->plan, &plan);
    char *config = vta_config_to_json(m->p->config);
    vta_status status = config && !plan.failed ? write_sections(m, vt_strbuf_text(&plan), config, out_bytes, out_size)
                                               : vt_no_memory(m->diag);
    vta_string_free(config);
    vt_strbuf_free(&plan);
    return status;
}

/* The reader's own check: what the planner got wrong is not for the user of the file to find. */
static vta_status check_file(maker *m, const uint8_t *bytes, size_t size) {
    vt_container container;
    vta_status status = vt_container_parse(bytes, size, m->p->name, m->diag, &container);
    if (status == VTA_OK) status = vt_plan_check(&m->plan, &container, m->p->config, m->p->name, m->diag);
    return status == VTA_OK ? VTA_OK
                            : vt_fail(m->diag, VTA_INTERNAL, "%s: the artifact that was made is wrong", m->p->name);
}

/* ---- The report ------------------------------------------------------------------------------------------------ */

static void report_buffer(vt_strbuf *out, const vt__buffer *b, const vt_plan_buffer *placed) {
    vt_strbuf_addf(out, "%-6s %10llu %10llu  ", vt_place_names[placed->place], (unsigned long long)placed->offset,
                   (unsigned long long)placed->bytes);
    if (b->contents)
        vt_strbuf_addf(out, "%-11s", "constant");
    else if (b->first == UINT32_MAX)
        vt_strbuf_addf(out, "%-11s", b->keep ? "input" : "not used");
    else if (b->last >= UINT32_MAX - 1)
        vt_strbuf_addf(out, "%4u to end", b->first);
    else
        vt_strbuf_addf(out, "%4u to %-3u", b->first, b->last);
    vt_strbuf_addf(out, "  %s\n", placed->name);
}

static vta_status report(maker *m) {
    vt_strbuf out;
    const vt_plan *plan = &m->plan;
    vt_strbuf_init(&out, m->p->allocator);
    vt_strbuf_addf(&out, "place      offset      bytes  steps        buffer\n");
    for (uint32_t i = 0; i < m->p->buffer_count; i++) report_buffer(&out, &m->p->buffers[i], &m->buffers[i]);
    vt_strbuf_addf(&out,
                   "device: %llu bytes: parameters %zu, instructions %zu, micro-ops %zu, work %llu (%llu without "
                   "sharing)\n",
                   (unsigned long long)plan->device_bytes, m->params_size, m->insns_size, m->uops_size,
                   (unsigned long long)(plan->device_bytes - plan->work_at), (unsigned long long)m->device_items);
    vt_strbuf_addf(&out, "host: %llu bytes (%llu without sharing), constants %zu, code %zu\n",
                   (unsigned long long)plan->host_bytes, (unsigned long long)m->host_items, m->data_size, m->code_size);
    vt_strfree(m->p->allocator, m->p->report);
    m->p->report = vt_strbuf_take(&out);
    vt_strbuf_free(&out);
    return m->p->report ? VTA_OK : vt_no_memory(m->diag);
}

const char *vt_planner_report(const vt_planner *p) { return p->report ? p->report : ""; }

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static vta_status make(maker *m, uint8_t **out_bytes, size_t *out_size) {
    vt_planner *p = m->p;
    char *triple;
    m->buffers = vt_arena_alloc_zero(&p->arena, (p->buffer_count + (size_t)1) * sizeof *m->buffers);
    m->steps = vt_arena_alloc_zero(&p->arena, (p->step_count + (size_t)1) * sizeof *m->steps);
    if (!m->buffers || !m->steps) return vt_no_memory(m->diag);
    VT_TRY(vt__compile_calls(p, m->diag, &m->code, &m->code_size, &triple));
    m->plan = (vt_plan){.name = p->name,
                        .triple = triple ? triple : "",
                        .buffers = m->buffers,
                        .inputs = p->inputs,
                        .outputs = p->outputs,
                        .steps = m->steps,
                        .buffer_count = p->buffer_count,
                        .input_count = p->input_count,
                        .output_count = p->output_count};
    keep_outputs(p);
    for (uint32_t i = 0; i < p->buffer_count; i++) m->buffers[i] = p->buffers[i].plan;
    VT_TRY(fill_constants(m, VT_PLACE_DEVICE, &m->params, &m->params_size));
    VT_TRY(fill_constants(m, VT_PLACE_DATA, &m->data, &m->data_size));
    VT_TRY(fill_uops(m));
    VT_TRY(make_steps(m)); /* to count: instructions lie in front of what they address */
    VT_TRY(settle(m, m->insns.count));
    VT_TRY(make_steps(m));
    VT_TRY(encode(m));
    VT_TRY(write_file(m, out_bytes, out_size));
    VT_TRY(check_file(m, *out_bytes, *out_size));
    return report(m);
}

vta_status vt_planner_finish(vt_planner *p, vta_diag *diag, uint8_t **out_bytes, size_t *out_size) {
    maker m = {.p = p, .diag = diag, .insns = {.allocator = p->allocator}};
    *out_bytes = NULL;
    *out_size = 0;
    p->finished = true;
    vta_status status = make(&m, out_bytes, out_size);
    if (status != VTA_OK) {
        vta_string_free(*out_bytes);
        *out_bytes = NULL;
        *out_size = 0;
    }
    vt_free(p->allocator, m.params, m.params_size);
    vt_free(p->allocator, m.data, m.data_size);
    vt_free(p->allocator, m.uops, m.uops_size);
    vt_free(p->allocator, m.insn_bytes, m.insns_size);
    vta_string_free(m.code);
    vt_free(p->allocator, m.insns.items, m.insns.cap * sizeof *m.insns.items);
    return status;
}
