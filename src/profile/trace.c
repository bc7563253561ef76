/* The Chrome trace format: one row a unit, a slice an instruction, an arrow a token. One cycle is one microsecond of
 * the viewer's time axis, so that its ruler counts cycles. */
#include "profile/profile_priv.h"

typedef struct writer {
    const vta_profile *p;
    vt_strbuf *sb;
    bool first;
} writer;

static void event(writer *w) {
    vt_strbuf_add(w->sb, w->first ? "\n" : ",\n");
    w->first = false;
}

static void rows(writer *w) {
    event(w);
    vt_strbuf_addf(w->sb, "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"VTA %s, %s\"}}",
                   vta_config_bitstream(w->p->config), w->p->timing.name);
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        event(w);
        vt_strbuf_addf(w->sb, "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
                       u + 1, vta_unit_name((vta_unit)u));
        event(w);
        vt_strbuf_addf(
            w->sb, "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%d}}",
            u + 1, u);
    }
}

static void slice(writer *w, const vt_profile_run *run, uint32_t i) {
    const vta_insn_time *t = &run->times[i];
    const char *source = vt_profile_source_name(w->p, run, i);
    event(w);
    vt_strbuf_addf(w->sb, "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%llu,\"dur\":%llu,\"name\":", t->unit + 1,
                   (unsigned long long)(run->begin + t->start), (unsigned long long)(t->end - t->start));
    vt_json_string(w->sb, vta_insn_kind_name((vta_insn_kind)t->kind));
    vt_strbuf_addf(w->sb, ",\"args\":{\"insn\":%u,\"fields\":\"", i);
    vt_insn_fields(w->sb, &run->insns[i]);
    vt_strbuf_addf(w->sb, "\",\"waited for memory\":%llu,\"waited for prev token\":%llu,\"waited for next token\":%llu",
                   (unsigned long long)t->wait_memory, (unsigned long long)t->wait_prev,
                   (unsigned long long)t->wait_next);
    if (t->beats) vt_strbuf_addf(w->sb, ",\"beats\":%u", t->beats);
    if (source) {
        vt_strbuf_add(w->sb, ",\"source\":");
        vt_json_string(w->sb, source);
    }
    vt_strbuf_add(w->sb, "}}");
}

/* An arrow from the last cycle of the instruction that pushed a token to the first of the one that took it. */
static void arrow(writer *w, const vt_profile_run *run, size_t r, uint32_t from, uint32_t to, bool next) {
    if (from == UINT32_MAX) return;
    const vta_insn_time *a = &run->times[from], *b = &run->times[to];
    unsigned long long id = ((unsigned long long)r << 33) | ((unsigned long long)to << 1) | next;
    event(w);
    vt_strbuf_addf(w->sb,
                   "{\"ph\":\"s\",\"pid\":1,\"tid\":%d,\"ts\":%llu,\"id\":%llu,\"name\":\"token\",\"cat\":\"token\"}",
                   a->unit + 1, (unsigned long long)(run->begin + a->end - 1), id);
    event(w);
    vt_strbuf_addf(w->sb,
                   "{\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,\"tid\":%d,\"ts\":%llu,\"id\":%llu,\"name\":\"token\","
                   "\"cat\":\"token\"}",
                   b->unit + 1, (unsigned long long)(run->begin + b->start), id);
}

static void fetch_slices(writer *w, const vt_profile_run *run) {
    vt_fetch_batch batch;
    for (uint32_t i = 0; vt_profile_fetch_batch(w->p, run, i, &batch); i++) {
        event(w);
        vt_strbuf_addf(w->sb,
                       "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%llu,\"dur\":%llu,\"name\":\"fetch %u\","
                       "\"args\":{\"first\":%u,\"last\":%u}}",
                       (unsigned long long)(run->begin + batch.start), (unsigned long long)(batch.finish - batch.start),
                       batch.end - batch.first, batch.first, batch.end - 1);
    }
}

vta_status vta_profile_trace(const vta_profile *profile, vta_diag *diag, char **out_json) {
    if (out_json) *out_json = NULL;
    if (profile == NULL || out_json == NULL)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_trace: profile or out_json is null");
    vt_strbuf sb;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    writer w = {profile, &sb, true};
    vt_strbuf_add(&sb, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"unit\":\"1 us is 1 cycle\"},\"traceEvents\":[");
    rows(&w);
    for (size_t r = 0; r < profile->run_count; r++) {
        const vt_profile_run *run = &profile->runs[r];
        fetch_slices(&w, run);
        for (uint32_t i = 0; i < run->count; i++) {
            if (run->times[i].start == UINT64_MAX) continue;
            slice(&w, run, i);
            arrow(&w, run, r, run->times[i].token_prev, i, false);
            arrow(&w, run, r, run->times[i].token_next, i, true);
        }
    }
    vt_strbuf_add(&sb, "\n]}\n");
    return vt_profile_hand_out(&sb, VTA_OK, diag, out_json);
}
