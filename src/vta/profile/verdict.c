/* What limits a program, in words: the unit that is busiest, what the others wait for, and what moves twice. */
#include "profile/profile_priv.h"

typedef struct view {
    const vta_profile *p;
    const vta_timing *t;
    vt_strbuf *sb;
} view;

static double share(const view *v, uint64_t cycles) {
    return v->t->cycles ? 100.0 * (double)cycles / (double)v->t->cycles : 0;
}

static double active(const view *v, vta_unit unit) {
    return share(v, v->t->state[unit][VTA_STATE_BUSY] + v->t->state[unit][VTA_STATE_WAIT_MEMORY]);
}

static double kind(const view *v, vta_insn_kind k) { return share(v, v->t->kind_cycles[k]); }

static void add_bytes(vt_strbuf *sb, uint64_t bytes) {
    if (bytes >= 1000000)
        vt_strbuf_addf(sb, "%.2f MB", (double)bytes / 1e6);
    else if (bytes >= 1000)
        vt_strbuf_addf(sb, "%.1f kB", (double)bytes / 1e3);
    else
        vt_strbuf_addf(sb, "%llu bytes", (unsigned long long)bytes);
}

/* The largest part of compute's time, for the first sentence. */
static void compute_parts(const view *v) {
    static const struct {
        vta_insn_kind kind;
        const char *text;
    } parts[] = {{VTA_KIND_GEMM, "GEMM"},          {VTA_KIND_RESET, "resets"},
                 {VTA_KIND_ALU, "tensor ALU"},     {VTA_KIND_ALU_IMM, "immediate ALU"},
                 {VTA_KIND_LOAD_ACC, "acc loads"}, {VTA_KIND_LOAD_UOP, "micro-op loads"}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (kind(v, parts[i].kind) < 0.5) continue;
        vt_strbuf_addf(v->sb, "%s%s %.0f %%", separator, parts[i].text, kind(v, parts[i].kind));
        separator = ", ";
    }
}

/* Loads of acc and micro-ops run in the compute unit, and GEMM and ALU stand still meanwhile: that is memory's time. */
static double compute_loads(const view *v) { return kind(v, VTA_KIND_LOAD_ACC) + kind(v, VTA_KIND_LOAD_UOP); }

static void add_main(const view *v) {
    double load = active(v, VTA_UNIT_LOAD), compute = active(v, VTA_UNIT_COMPUTE), store = active(v, VTA_UNIT_STORE);
    double bus = share(v, v->t->read_beats), loads = compute_loads(v);
    if (compute >= 80 && compute >= load && loads > compute - loads) {
        vt_strbuf_addf(
            v->sb,
            "Memory bound in the compute unit: loads of acc and micro-ops take %.0f %% of the time, in which "
            "GEMM and ALU stand still (",
            loads);
        compute_parts(v);
        vt_strbuf_addf(v->sb, "); the read bus carries data in %.0f %% of the cycles.\n", bus);
    } else if (compute >= 80 && compute >= load) {
        vt_strbuf_addf(v->sb, "Compute bound: the compute unit is at work %.0f %% of the time (", compute);
        compute_parts(v);
        vt_strbuf_add(v->sb, ").\n");
    } else if (load >= 80) {
        vt_strbuf_addf(v->sb,
                       "Memory bound: the load unit is at work %.0f %% of the time; the read bus carries data in "
                       "%.0f %% of the cycles.\n",
                       load, bus);
    } else if (store >= 80) {
        vt_strbuf_addf(v->sb, "Store bound: the store unit is at work %.0f %% of the time.\n", store);
    } else {
        vt_strbuf_addf(v->sb,
                       "No unit is busy all the time (compute %.0f %%, load %.0f %%, store %.0f %%): units wait "
                       "for each other.\n",
                       compute, load, store);
    }
}

/* A network: what its host computes, first where that is much. A layer has seconds only where the host computes it. */
static void add_host(const view *v) {
    double host = 0, device = v->p->timing.frequency_khz ? (double)v->t->cycles / v->p->timing.frequency_khz : 0;
    const vta_profile_layer *most = NULL;
    for (size_t i = 0; i < v->p->layer_count; i++) {
        const vta_profile_layer *l = &v->p->layers[i];
        host += l->seconds * 1e3;
        if (l->seconds > 0 && (!most || l->seconds > most->seconds)) most = l;
    }
    if (!most || host < 0.1 * (host + device)) return;
    vt_strbuf_addf(v->sb,
                   "The host computes %.1f of %.1f ms (%.0f %%), most of it in %s (%.1f ms); the accelerator's part "
                   "follows.\n",
                   host, host + device, 100 * host / (host + device), most->name, most->seconds * 1e3);
}

/* What may be done where load and compute take turns: layers of networks have chosen schedules already. */
static const char *remedy(const view *v) {
    return v->p->layer_count ? "Schedules of layers are chosen by estimate: vta tune searches further."
                             : "Virtual threads give each its own half of the buffers, so that they overlap.";
}

/* Who waits for whom: pairs of waits in both directions mean that two units take turns. */
static void add_waits(const view *v) {
    double for_load = share(v, v->t->state[VTA_UNIT_COMPUTE][VTA_STATE_WAIT_PREV]);
    double for_store = share(v, v->t->state[VTA_UNIT_COMPUTE][VTA_STATE_WAIT_NEXT]);
    double load_waits = share(v, v->t->state[VTA_UNIT_LOAD][VTA_STATE_WAIT_NEXT]);
    if (for_load >= 10 && load_waits >= 10)
        vt_strbuf_addf(v->sb,
                       "Load and compute take turns: compute waits %.0f %% for load (%s tokens), load "
                       "waits %.0f %% for compute (%s tokens). %s\n",
                       for_load, vta_token_queue_name(VTA_TOKEN_LOAD_COMPUTE), load_waits,
                       vta_token_queue_name(VTA_TOKEN_COMPUTE_LOAD), remedy(v));
    else if (for_load >= 10)
        vt_strbuf_addf(v->sb, "Compute waits %.0f %% of the time for load (%s tokens).\n", for_load,
                       vta_token_queue_name(VTA_TOKEN_LOAD_COMPUTE));
    if (for_store >= 10)
        vt_strbuf_addf(v->sb, "Compute waits %.0f %% of the time for store (%s tokens).\n", for_store,
                       vta_token_queue_name(VTA_TOKEN_STORE_COMPUTE));
    double fetch = share(v, v->t->state[VTA_UNIT_COMPUTE][VTA_STATE_WAIT_FETCH]);
    if (fetch >= 10)
        vt_strbuf_addf(v->sb,
                       "Compute waits %.0f %% of the time for instructions to arrive: they are too short for the "
                       "fetch unit.\n",
                       fetch);
    double memory = share(v, v->t->state[VTA_UNIT_LOAD][VTA_STATE_WAIT_MEMORY]);
    if (memory >= 10)
        vt_strbuf_addf(v->sb,
                       "The load unit spends %.0f %% of the time on memory latency: %llu loads of %.0f bytes on "
                       "average are short.\n",
                       memory,
                       (unsigned long long)(v->t->kind_count[VTA_KIND_LOAD_INP] + v->t->kind_count[VTA_KIND_LOAD_WGT]),
                       (double)(v->t->kind_bytes[VTA_KIND_LOAD_INP] + v->t->kind_bytes[VTA_KIND_LOAD_WGT]) /
                           (double)(v->t->kind_count[VTA_KIND_LOAD_INP] + v->t->kind_count[VTA_KIND_LOAD_WGT]));
}

/* What the critical path is made of, largest part first, down to a twentieth. */
static vta_status add_critical(const view *v, vta_diag *diag) {
    vt_critical c;
    VT_TRY(vt_profile_critical(v->p, diag, &c));
    const char *separator = "On the critical path: ";
    for (int parts = 0; parts < VTA_KIND_COUNT; parts++) {
        int most = 0;
        for (int k = 1; k < VTA_KIND_COUNT; k++)
            if (c.cycles[k] > c.cycles[most]) most = k;
        if (share(v, c.cycles[most]) < 5) break;
        vt_strbuf_addf(v->sb, "%s%s %.0f %%", separator, vta_insn_kind_name((vta_insn_kind)most),
                       share(v, c.cycles[most]));
        separator = ", ";
        c.cycles[most] = 0;
    }
    if (share(v, c.fetch) >= 5) vt_strbuf_addf(v->sb, "%sfetch %.0f %%", separator, share(v, c.fetch));
    vt_strbuf_add(v->sb, ".\n");
    vt_profile_critical_free(v->p, &c);
    return VTA_OK;
}

static void add_fill(const view *v) {
    uint64_t count = v->t->kind_count[VTA_KIND_GEMM], fill = count * v->p->timing.gemm_fill;
    if (count == 0 || share(v, fill) < 5) return;
    vt_strbuf_addf(v->sb,
                   "GEMM instructions are short: %.0f micro-ops on average, and filling the pipeline takes %.0f %% "
                   "of the time.\n",
                   (double)v->t->gemm_uops / (double)count, share(v, fill));
}

static vta_status add_refetch(const view *v, vta_diag *diag) {
    vt_traffic *rows;
    size_t count;
    VT_TRY(vt_profile_traffic(v->p, diag, &rows, &count));
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) all += rows[i].bytes;
    for (size_t i = 0; i < count; i++) {
        const vt_traffic *row = &rows[i];
        if (row->memory == VTA_MEM_OUT || row->bytes * 20 < all || row->bytes * 10 < row->distinct * 13) continue;
        char name[96];
        vt_traffic_name(row, name);
        vt_strbuf_addf(v->sb, "Fetched again: %s are loaded %.1f times (", name,
                       (double)row->bytes / (double)row->distinct);
        add_bytes(v->sb, row->bytes);
        vt_strbuf_add(v->sb, " moved, ");
        add_bytes(v->sb, row->distinct);
        vt_strbuf_add(v->sb, " different).\n");
    }
    vt_free(&v->p->allocator, rows, count * sizeof *rows);
    return VTA_OK;
}

vta_status vt_profile_verdict(const vta_profile *profile, vta_diag *diag, vt_strbuf *sb) {
    view v = {profile, &profile->sum, sb};
    if (profile->sum.cycles == 0) {
        vt_strbuf_add(sb, "Nothing ran.\n");
        return VTA_OK;
    }
    add_host(&v);
    add_main(&v);
    VT_TRY(add_critical(&v, diag));
    add_waits(&v);
    add_fill(&v);
    VT_TRY(add_refetch(&v, diag));
    if (profile->sum.lost_tokens)
        vt_strbuf_addf(sb, "%llu tokens were lost in full token counters.\n",
                       (unsigned long long)profile->sum.lost_tokens);
    return VTA_OK;
}
