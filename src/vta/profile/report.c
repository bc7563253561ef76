/* The profile as text and as JSON, and what all reports share. */
#include <string.h>

#include "profile/profile_priv.h"

static void add_memory_fields(vt_strbuf *sb, const vta_insn *insn) {
    const char *memory = vta_memory_name((vta_memory)insn->u.mem.memory_type);
    vt_strbuf_addf(sb, "%s %ux%u stride %u, sram %u, dram %u", memory ? memory : "?", insn->u.mem.y_size,
                   insn->u.mem.x_size, insn->u.mem.x_stride, insn->u.mem.sram_base, insn->u.mem.dram_base);
    if (insn->u.mem.y_pad_0 | insn->u.mem.y_pad_1 | insn->u.mem.x_pad_0 | insn->u.mem.x_pad_1)
        vt_strbuf_addf(sb, ", pad y %u %u x %u %u", insn->u.mem.y_pad_0, insn->u.mem.y_pad_1, insn->u.mem.x_pad_0,
                       insn->u.mem.x_pad_1);
}

void vt_insn_fields(vt_strbuf *sb, const vta_insn *insn) {
    if (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE) {
        if (insn->u.mem.x_size == 0)
            vt_strbuf_add(sb, "tokens only");
        else
            add_memory_fields(sb, insn);
    } else if (insn->opcode == VTA_OP_GEMM || insn->opcode == VTA_OP_ALU) {
        if (insn->opcode == VTA_OP_ALU) {
            const char *name = vta_alu_opcode_name((vta_alu_opcode)insn->u.exec.alu_opcode);
            vt_strbuf_addf(sb, "%s ", name ? name : "?");
            if (insn->u.exec.use_imm) vt_strbuf_addf(sb, "%d ", insn->u.exec.imm);
        }
        vt_strbuf_addf(sb, "%u x %u x uops %u..%u", insn->u.exec.iter_out, insn->u.exec.iter_in, insn->u.exec.uop_bgn,
                       insn->u.exec.uop_end);
    }
}

vta_status vt_profile_hand_out(vt_strbuf *sb, vta_status status, vta_diag *diag, char **out_text) {
    if (status != VTA_OK) {
        vt_strbuf_free(sb);
        return status;
    }
    /* vta_string_free takes strings of the C library's allocator: the callers made `sb` with it. */
    *out_text = vt_strbuf_take(sb);
    return *out_text ? VTA_OK : vt_no_memory(diag);
}

static vta_status check(const vta_profile *profile, char **out, vta_diag *diag) {
    if (out) *out = NULL;
    if (profile == NULL || out == NULL)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "profile report: the profile or the place for the result is NULL");
    return VTA_OK;
}

static vta_status traffic_text(const vta_profile *p, vta_diag *diag, vt_strbuf *sb) {
    vt_traffic *rows;
    size_t count;
    VT_TRY(vt_profile_traffic(p, diag, &rows, &count));
    vt_strbuf_addf(sb, "\n%-44s %12s %12s %8s\n", "traffic", "bytes", "different", "times");
    for (size_t i = 0; i < count; i++) {
        char name[96];
        vt_traffic_name(&rows[i], name);
        vt_strbuf_addf(sb, "%-44s %12llu %12llu %8.2f\n", name, (unsigned long long)rows[i].bytes,
                       (unsigned long long)rows[i].distinct, (double)rows[i].bytes / (double)rows[i].distinct);
    }
    vt_free(&p->allocator, rows, count * sizeof *rows);
    return VTA_OK;
}

static vta_status critical_text(const vta_profile *p, vta_diag *diag, vt_strbuf *sb) {
    vt_critical c;
    VT_TRY(vt_profile_critical(p, diag, &c));
    vt_strbuf_addf(sb, "\n%-44s %12s %12s %8s\n", "critical path", "instructions", "cycles", "of all");
    for (int k = 0; k < VTA_KIND_COUNT; k++)
        if (c.cycles[k])
            vt_strbuf_addf(sb, "%-44s %12llu %12llu %7.1f%%\n", vta_insn_kind_name((vta_insn_kind)k),
                           (unsigned long long)c.instructions[k], (unsigned long long)c.cycles[k],
                           100.0 * (double)c.cycles[k] / (double)p->sum.cycles);
    if (c.fetch)
        vt_strbuf_addf(sb, "%-44s %12s %12llu %7.1f%%\n", "fetch", "", (unsigned long long)c.fetch,
                       100.0 * (double)c.fetch / (double)p->sum.cycles);
    vt_profile_critical_free(p, &c);
    return VTA_OK;
}

static vta_status stages_text(const vta_profile *p, vta_diag *diag, vt_strbuf *sb) {
    vt_stage_time *rows;
    size_t count;
    VT_TRY(vt_profile_stages(p, diag, &rows, &count));
    if (count)
        vt_strbuf_addf(sb, "\n%-32s %-11s %12s %12s %8s\n", "stages", "unit", "instructions", "cycles", "of all");
    for (size_t i = 0; i < count; i++)
        vt_strbuf_addf(sb, "%-32.*s %-11s %12llu %12llu %7.1f%%\n", (int)rows[i].name_size, rows[i].name,
                       vta_unit_name((vta_unit)rows[i].unit), (unsigned long long)rows[i].instructions,
                       (unsigned long long)rows[i].cycles, 100.0 * (double)rows[i].cycles / (double)p->sum.cycles);
    vt_free(&p->allocator, rows, count * sizeof *rows);
    return VTA_OK;
}

static vta_status stages_json(const vta_profile *p, vta_diag *diag, vt_json *w) {
    vt_stage_time *rows;
    size_t count;
    VT_TRY(vt_profile_stages(p, diag, &rows, &count));
    vt_json_array(w, "stages");
    for (size_t i = 0; i < count; i++) {
        vt_json_object(w, NULL);
        vt_json_textn(w, "name", rows[i].name, rows[i].name_size);
        vt_json_text(w, "unit", vta_unit_name((vta_unit)rows[i].unit));
        vt_json_uint(w, "instructions", rows[i].instructions);
        vt_json_uint(w, "cycles", rows[i].cycles);
        vt_json_end(w);
    }
    vt_json_end(w);
    vt_free(&p->allocator, rows, count * sizeof *rows);
    return VTA_OK;
}

static vta_status occupancy_text(const vta_profile *p, vta_diag *diag, vt_strbuf *sb) {
    vt_occupancy *o = vt_alloc(&p->allocator, sizeof *o);
    if (o == NULL) return vt_no_memory(diag);
    vta_status status = vt_profile_occupancy(p, diag, o);
    if (status == VTA_OK) {
        vt_strbuf_addf(sb, "\n%-44s %12s %12s %8s\n", o->exact ? "buffers, values in use" : "buffers, values loaded",
                       "peak", "depth", "filled");
        for (int b = 0; b < VT_OCC_COUNT; b++)
            vt_strbuf_addf(sb, "%-44s %12u %12u %7.1f%%\n", vta_memory_name(vt_occupancy_memory[b]), o->peak[b],
                           o->depth[b], 100.0 * o->peak[b] / o->depth[b]);
    }
    vt_free(&p->allocator, o, sizeof *o);
    return status;
}

static vta_status write_text(const vta_profile *p, vta_diag *diag, vt_strbuf *sb) {
    VT_TRY(vt_profile_verdict(p, diag, sb));
    char *timing = vta_timing_to_text(p->config, &p->timing, &p->sum);
    if (timing == NULL) return vt_no_memory(diag);
    vt_strbuf_addf(sb, "\n%s", timing);
    vta_string_free(timing);
    VT_TRY(critical_text(p, diag, sb));
    VT_TRY(stages_text(p, diag, sb));
    VT_TRY(traffic_text(p, diag, sb));
    return occupancy_text(p, diag, sb);
}

vta_status vta_profile_text(const vta_profile *profile, vta_diag *diag, char **out_text) {
    VT_TRY(check(profile, out_text, diag));
    vt_strbuf sb;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    return vt_profile_hand_out(&sb, write_text(profile, diag, &sb), diag, out_text);
}

static vta_status verdict_json(const vta_profile *p, vta_diag *diag, vt_json *w) {
    vt_strbuf words;
    vt_strbuf_init(&words, &vt_allocator_libc);
    vta_status status = vt_profile_verdict(p, diag, &words);
    if (status == VTA_OK && words.failed) status = vt_no_memory(diag);
    vt_json_array(w, "verdict");
    for (const char *line = vt_strbuf_text(&words); status == VTA_OK && *line;) {
        size_t size = strcspn(line, "\n");
        vt_json_textn(w, NULL, line, size);
        line += size + (line[size] == '\n');
    }
    vt_json_end(w);
    vt_strbuf_free(&words);
    return status;
}

static vta_status timing_json(const vta_profile *p, vta_diag *diag, vt_json *w) {
    char *timing = vta_timing_to_json(p->config, &p->timing, &p->sum);
    if (timing == NULL) return vt_no_memory(diag);
    vt_json_raw(w, "timing", timing);
    vta_string_free(timing);
    return VTA_OK;
}

static vta_status traffic_json(const vta_profile *p, vta_diag *diag, vt_json *w) {
    vt_traffic *rows;
    size_t count;
    VT_TRY(vt_profile_traffic(p, diag, &rows, &count));
    vt_json_array(w, "traffic");
    for (size_t i = 0; i < count; i++) {
        char name[96];
        vt_traffic_name(&rows[i], name);
        vt_json_object(w, NULL);
        vt_json_text(w, "name", name);
        vt_json_text(w, "memory", vta_memory_name(rows[i].memory));
        vt_json_uint(w, "bytes", rows[i].bytes);
        vt_json_uint(w, "distinct", rows[i].distinct);
        vt_json_uint(w, "instructions", rows[i].instructions);
        vt_json_uint(w, "first", rows[i].first);
        vt_json_uint(w, "last", rows[i].last);
        vt_json_end(w);
    }
    vt_json_end(w);
    vt_free(&p->allocator, rows, count * sizeof *rows);
    return VTA_OK;
}

static vta_status critical_json(const vta_profile *p, vta_diag *diag, vt_json *w) {
    vt_critical c;
    VT_TRY(vt_profile_critical(p, diag, &c));
    vt_json_array(w, "critical_path");
    for (int k = 0; k <= VTA_KIND_COUNT; k++) {
        bool fetch = k == VTA_KIND_COUNT; /* the last row */
        uint64_t cycles = fetch ? c.fetch : c.cycles[k];
        if (!cycles) continue;
        vt_json_object(w, NULL);
        vt_json_text(w, "kind", fetch ? "fetch" : vta_insn_kind_name((vta_insn_kind)k));
        vt_json_uint(w, "instructions", fetch ? 0 : c.instructions[k]);
        vt_json_uint(w, "cycles", cycles);
        vt_json_end(w);
    }
    vt_json_end(w);
    vt_profile_critical_free(p, &c);
    return VTA_OK;
}

static void write_occupancy(vt_json *w, const vt_occupancy *o) {
    vt_json_object(w, "occupancy");
    vt_json_bool(w, "exact", o->exact);
    for (int b = 0; b < VT_OCC_COUNT; b++) {
        vt_json_object(w, vta_memory_name(vt_occupancy_memory[b]));
        vt_json_uint(w, "depth", o->depth[b]);
        vt_json_uint(w, "peak", o->peak[b]);
        vt_json_array(w, "live");
        for (int k = 0; k < VT_OCCUPANCY_SAMPLES; k++) vt_json_uint(w, NULL, o->live[b][k]);
        vt_json_end(w);
        vt_json_end(w);
    }
    vt_json_end(w);
}

static vta_status occupancy_json(const vta_profile *p, vta_diag *diag, vt_json *w) {
    vt_occupancy *o = vt_alloc(&p->allocator, sizeof *o);
    if (o == NULL) return vt_no_memory(diag);
    vta_status status = vt_profile_occupancy(p, diag, o);
    if (status == VTA_OK) write_occupancy(w, o);
    vt_free(&p->allocator, o, sizeof *o);
    return status;
}

vta_status vt_profile_write(const vta_profile *p, vta_diag *diag, const char *key, vt_json *w) {
    vt_json_object(w, key);
    VT_TRY(verdict_json(p, diag, w));
    VT_TRY(timing_json(p, diag, w));
    vt_json_text(w, "config", vta_config_bitstream(p->config));
    VT_TRY(traffic_json(p, diag, w));
    VT_TRY(stages_json(p, diag, w));
    VT_TRY(critical_json(p, diag, w));
    VT_TRY(occupancy_json(p, diag, w));
    vt_json_end(w);
    return VTA_OK;
}

vta_status vta_profile_json(const vta_profile *profile, vta_diag *diag, char **out_json) {
    VT_TRY(check(profile, out_json, diag));
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    return vt_profile_hand_out(&sb, vt_profile_write(profile, diag, NULL, &w), diag, out_json);
}
