/* The artifact's sections as a file, and the report on memory. */
#include <string.h>

#include "network/planner/planner_priv.h"

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

static vta_status write_sections(vt__maker *m, const char *plan, const char *config, uint8_t **out_bytes,
                                 size_t *out_size) {
    vt_section sections[VT_SECTIONS_MAX];
    uint32_t n = 0;
    enum { OWN = 7 };
    if (m->p->section_count > VT_SECTIONS_MAX - OWN)
        return vt_fail(m->diag, VTA_OUT_OF_RANGE, "%zu sections of front ends: there are at most %d",
                       m->p->section_count, VT_SECTIONS_MAX - OWN);
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

static vta_status write_bytes(vt__maker *m, uint8_t **out_bytes, size_t *out_size) {
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
static vta_status check_bytes(const vt__maker *m, const uint8_t *bytes, size_t size) {
    vt_container container;
    vta_status status = vt_container_parse(bytes, size, m->p->name, m->diag, &container);
    if (status == VTA_OK) status = vt_plan_check(&m->plan, &container, m->p->config, m->p->name, m->diag);
    if (status == VTA_OK) return VTA_OK;
    return vt_fail(m->diag, VTA_INTERNAL, "%s: the artifact that was made is wrong", m->p->name);
}

vta_status vt__write_file(vt__maker *m, uint8_t **out_bytes, size_t *out_size) {
    VT_TRY(write_bytes(m, out_bytes, out_size));
    return check_bytes(m, *out_bytes, *out_size);
}

/* ---- The report ------------------------------------------------------------------------------------------------ */

static void report_buffer(vt_strbuf *out, const vt__buffer *b, const vt_plan_buffer *placed) {
    vt_strbuf_addf(out, "%-6s %10llu %10llu  ", vt_place_names[placed->place], (unsigned long long)placed->offset,
                   (unsigned long long)placed->bytes);
    if (b->constant)
        vt_strbuf_addf(out, "%-11s", "constant");
    else if (b->first == UINT32_MAX)
        vt_strbuf_addf(out, "%-11s", b->keep ? "input" : "not used");
    else if (b->last >= UINT32_MAX - 1)
        vt_strbuf_addf(out, "%4u to end", b->first);
    else
        vt_strbuf_addf(out, "%4u to %-3u", b->first, b->last);
    vt_strbuf_addf(out, "  %s\n", placed->name);
}

vta_status vt__write_report(vt__maker *m) {
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
    return m->p->report ? VTA_OK : vt_no_memory(m->diag);
}

const char *vt_planner_report(const vt_planner *p) { return p->report ? p->report : ""; }
