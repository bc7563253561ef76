/* The Chrome trace format: one row a unit, a slice an instruction, an arrow a token. One cycle is one microsecond of
 * the viewer's time axis, so that its ruler counts cycles. */
#include <stdio.h>

#include "profile/profile_priv.h"

typedef struct writer {
    const vta_profile *p;
    vt_json json;
    vt_strbuf fields; /* of an instruction, as text */
} writer;

/* Begins an event on a line of its own. `tid` 0: of no row. */
static vt_json *event(writer *w, const char *phase, uint32_t tid) {
    vt_json_line(&w->json);
    vt_json_object(&w->json, NULL);
    vt_json_text(&w->json, "ph", phase);
    vt_json_uint(&w->json, "pid", 1);
    if (tid) vt_json_uint(&w->json, "tid", tid);
    return &w->json;
}

static void end_args(vt_json *j) {
    vt_json_end(j);
    vt_json_end(j);
}

static void rows(writer *w) {
    char title[128];
    snprintf(title, sizeof title, "VTA %s, %s", vta_config_bitstream(w->p->config), w->p->timing.name);
    vt_json *j = event(w, "M", 0);
    vt_json_text(j, "name", "process_name");
    vt_json_object(j, "args");
    vt_json_text(j, "name", title);
    end_args(j);
    for (uint32_t u = 0; u < VTA_UNIT_COUNT; u++) {
        event(w, "M", u + 1);
        vt_json_text(j, "name", "thread_name");
        vt_json_object(j, "args");
        vt_json_text(j, "name", vta_unit_name((vta_unit)u));
        end_args(j);
        event(w, "M", u + 1);
        vt_json_text(j, "name", "thread_sort_index");
        vt_json_object(j, "args");
        vt_json_uint(j, "sort_index", u);
        end_args(j);
    }
}

static void slice(writer *w, const vt_profile_run *run, uint32_t i) {
    const vta_insn_time *t = &run->times[i];
    const char *source = vt_profile_source_name(w->p, run, i);
    vt_strbuf_clear(&w->fields);
    vt_insn_fields(&w->fields, &run->insns[i]);
    vt_json *j = event(w, "X", t->unit + 1u);
    vt_json_uint(j, "ts", run->begin + t->start);
    vt_json_uint(j, "dur", t->end - t->start);
    vt_json_text(j, "name", vta_insn_kind_name((vta_insn_kind)t->kind));
    vt_json_object(j, "args");
    vt_json_uint(j, "insn", i);
    vt_json_text(j, "fields", vt_strbuf_text(&w->fields));
    vt_json_uint(j, "waited for memory", t->wait_memory);
    vt_json_uint(j, "waited for prev token", t->wait_prev);
    vt_json_uint(j, "waited for next token", t->wait_next);
    if (t->beats) vt_json_uint(j, "beats", t->beats);
    if (source) vt_json_text(j, "source", source);
    end_args(j);
}

static void arrow_end(writer *w, const char *phase, uint32_t unit, uint64_t at, uint64_t id) {
    vt_json *j = event(w, phase, unit + 1);
    vt_json_uint(j, "ts", at);
    vt_json_uint(j, "id", id);
    vt_json_text(j, "name", "token");
    vt_json_text(j, "cat", "token");
    if (*phase == 'f') vt_json_text(j, "bp", "e"); /* binds to the slice around it */
    vt_json_end(j);
}

/* An arrow from the last cycle of the instruction that pushed a token to the first of the one that took it. */
static void arrow(writer *w, const vt_profile_run *run, size_t r, uint32_t from, uint32_t to, bool next) {
    if (from == UINT32_MAX) return;
    const vta_insn_time *a = &run->times[from], *b = &run->times[to];
    uint64_t id = ((uint64_t)r << 33) | ((uint64_t)to << 1) | next;
    arrow_end(w, "s", a->unit, run->begin + a->end - 1, id);
    arrow_end(w, "f", b->unit, run->begin + b->start, id);
}

static void fetch_slices(writer *w, const vt_profile_run *run) {
    vt_fetch_batch batch;
    for (uint32_t i = 0; vt_profile_fetch_batch(w->p, run, i, &batch); i++) {
        char name[32];
        snprintf(name, sizeof name, "fetch %u", batch.end - batch.first);
        vt_json *j = event(w, "X", 1);
        vt_json_uint(j, "ts", run->begin + batch.start);
        vt_json_uint(j, "dur", batch.finish - batch.start);
        vt_json_text(j, "name", name);
        vt_json_object(j, "args");
        vt_json_uint(j, "first", batch.first);
        vt_json_uint(j, "last", batch.end - 1);
        end_args(j);
    }
}

static void events(writer *w) {
    rows(w);
    for (size_t r = 0; r < w->p->run_count; r++) {
        const vt_profile_run *run = &w->p->runs[r];
        fetch_slices(w, run);
        for (uint32_t i = 0; i < run->count; i++) {
            if (run->times[i].start == UINT64_MAX) continue;
            slice(w, run, i);
            arrow(w, run, r, run->times[i].token_prev, i, false);
            arrow(w, run, r, run->times[i].token_next, i, true);
        }
    }
}

static void write_trace(writer *w) {
    vt_json *j = &w->json;
    vt_json_object(j, NULL);
    vt_json_text(j, "displayTimeUnit", "ms");
    vt_json_object(j, "otherData");
    vt_json_text(j, "unit", "1 us is 1 cycle");
    vt_json_end(j);
    vt_json_array(j, "traceEvents");
    events(w);
    vt_json_line(j);
    vt_json_end(j);
    vt_json_end(j);
    vt_strbuf_addc(j->sb, '\n');
}

vta_status vta_profile_trace(const vta_profile *profile, vta_diag *diag, char **out_json) {
    if (out_json) *out_json = NULL;
    if (profile == NULL || out_json == NULL)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_trace: profile or out_json is NULL");
    vt_strbuf sb;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    writer w = {.p = profile};
    vt_json_init(&w.json, &sb, VT_JSON_TIGHT);
    vt_strbuf_init(&w.fields, &vt_allocator_libc);
    write_trace(&w);
    sb.failed = sb.failed || w.fields.failed;
    vt_strbuf_free(&w.fields);
    return vt_profile_hand_out(&sb, VTA_OK, diag, out_json);
}
