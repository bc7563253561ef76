/* The data of the page: a row of slices for each unit, in columns. Long programs are drawn in groups of instructions,
 * so that the page stays quick. */
#include "profile/page_data.h"

#include <string.h>

enum { MAX_SLICES = 30000 }; /* of one unit, before neighbours are drawn together */

typedef struct page {
    const vta_profile *p;
    vt_json *w;
    vt_strbuf fields; /* of an instruction, as text */
    const char *title;
    vta_diag *diag;
    uint8_t *named; /* by name: some slice of the page shows it */
    vt_critical critical;
} page;

/* A column of numbers over the slices of a unit. */
typedef struct slice {
    const vt_profile_run *run;
    uint32_t insn;  /* in its run */
    uint64_t index; /* over all runs */
} slice;
typedef void (*column_writer)(page *g, const slice *s, void *state);

static void column(page *g, int unit, const char *name, column_writer write, void *state) {
    vt_json_array(g->w, name);
    uint64_t before = 0;
    for (size_t r = 0; r < g->p->run_count; r++) {
        const vt_profile_run *run = &g->p->runs[r];
        for (uint32_t i = 0; i < run->count; i++)
            if (run->times[i].unit == unit && run->times[i].start != UINT64_MAX)
                write(g, &(slice){run, i, before + i}, state);
        before += run->count;
    }
    vt_json_end(g->w);
}

static void number(page *g, uint64_t n) { vt_json_uint(g->w, NULL, n); }
static const vta_insn_time *time_of(const slice *s) { return &s->run->times[s->insn]; }

static void put_start(page *g, const slice *s, void *state) {
    uint64_t *last = state, at = s->run->begin + time_of(s)->start;
    number(g, at - *last);
    *last = at;
}
static void put_length(page *g, const slice *s, void *state) {
    (void)state;
    number(g, time_of(s)->end - time_of(s)->start);
}
static void put_kind(page *g, const slice *s, void *state) {
    (void)state;
    number(g, time_of(s)->kind);
}
static void put_index(page *g, const slice *s, void *state) {
    (void)state;
    number(g, s->index);
}
static void put_wait_prev(page *g, const slice *s, void *state) {
    (void)state;
    number(g, time_of(s)->wait_prev);
}
static void put_wait_next(page *g, const slice *s, void *state) {
    (void)state;
    number(g, time_of(s)->wait_next);
}
static void put_wait_memory(page *g, const slice *s, void *state) {
    (void)state;
    number(g, time_of(s)->wait_memory);
}
static void put_source(page *g, const slice *s, void *state) {
    (void)state;
    number(g, s->run->source[s->insn]);
}
/* The instruction that pushed a token, numbered over all runs. */
static void put_token(page *g, const slice *s, void *state) {
    uint32_t token = *(const bool *)state ? time_of(s)->token_next : time_of(s)->token_prev;
    if (token == UINT32_MAX)
        vt_json_int(g->w, NULL, -1);
    else
        number(g, s->index - s->insn + token);
}
/* First byte of DRAM that a transfer touches; 0 for what touches none. */
static void put_address(page *g, const slice *s, void *state) {
    (void)state;
    const vta_insn *insn = &s->run->insns[s->insn];
    bool moves = (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE) && insn->u.mem.x_size;
    uint32_t bytes = moves ? vta_config_elem_bytes(g->p->config, (vta_memory)insn->u.mem.memory_type) : 0;
    number(g, (uint64_t)insn->u.mem.dram_base * bytes);
}
static void put_critical(page *g, const slice *s, void *state) {
    (void)state;
    number(g, g->critical.on_path[s->index]);
}
static void put_fields(page *g, const slice *s, void *state) {
    (void)state;
    vt_strbuf_clear(&g->fields);
    vt_insn_fields(&g->fields, &s->run->insns[s->insn]);
    if (g->fields.failed) g->w->sb->failed = true;
    vt_json_text(g->w, NULL, vt_strbuf_text(&g->fields));
}

static void begin_row(page *g, int unit) {
    vt_json_line(g->w);
    vt_json_object(g->w, NULL);
    vt_json_text(g->w, "unit", vta_unit_name((vta_unit)unit));
}

static void unit_row(page *g, int unit) {
    uint64_t last = 0;
    bool prev = false, next = true;
    begin_row(g, unit);
    column(g, unit, "s", put_start, &last);
    column(g, unit, "d", put_length, NULL);
    column(g, unit, "k", put_kind, NULL);
    column(g, unit, "n", put_index, NULL);
    column(g, unit, "wp", put_wait_prev, NULL);
    column(g, unit, "wn", put_wait_next, NULL);
    column(g, unit, "m", put_wait_memory, NULL);
    column(g, unit, "tp", put_token, &prev);
    column(g, unit, "tn", put_token, &next);
    column(g, unit, "f", put_fields, NULL);
    column(g, unit, "a", put_address, NULL);
    column(g, unit, "cp", put_critical, NULL);
    if (g->p->name_count) column(g, unit, "src", put_source, NULL);
    vt_json_end(g->w);
}

/* Neighbouring instructions of a unit, drawn as one. */
typedef struct group {
    uint64_t start, end, busy, first;
    uint64_t kind_cycles[VTA_KIND_COUNT];
    uint32_t count;
} group;

/* The columns of a row of groups. Each is an array of its own until all are complete. */
enum { GROUP_START, GROUP_LENGTH, GROUP_KIND, GROUP_FIRST, GROUP_BUSY, GROUP_COLUMNS };
static const char *const group_columns[GROUP_COLUMNS] = {"s", "d", "k", "n", "c"};

typedef struct grouped {
    vt_strbuf text[GROUP_COLUMNS];
    vt_json json[GROUP_COLUMNS];
    uint64_t last;
} grouped;

static void grouped_begin(grouped *out) {
    for (int i = 0; i < GROUP_COLUMNS; i++) {
        vt_strbuf_init(&out->text[i], &vt_allocator_libc);
        vt_json_init(&out->json[i], &out->text[i], VT_JSON_TIGHT);
        vt_json_array(&out->json[i], NULL);
    }
}

/* Puts the columns into the page. */
static void grouped_end(page *g, grouped *out) {
    for (int i = 0; i < GROUP_COLUMNS; i++) {
        vt_json_end(&out->json[i]);
        vt_json_raw(g->w, group_columns[i], vt_strbuf_text(&out->text[i]));
        if (out->text[i].failed) g->w->sb->failed = true;
        vt_strbuf_free(&out->text[i]);
    }
}

static void flush(grouped *out, group *g) {
    if (g->count == 0) return;
    int best = 0;
    for (int k = 1; k < VTA_KIND_COUNT; k++)
        if (g->kind_cycles[k] > g->kind_cycles[best]) best = k;
    uint64_t span = g->end - g->start;
    const uint64_t row[GROUP_COLUMNS] = {g->start - out->last, span, (uint64_t)best, g->first,
                                         span ? 100 * g->busy / span : 100};
    for (int i = 0; i < GROUP_COLUMNS; i++) vt_json_uint(&out->json[i], NULL, row[i]);
    out->last = g->start;
    *g = (group){0};
}

static void take(group *g, const slice *s) {
    const vta_insn_time *t = time_of(s);
    if (g->count++ == 0) {
        g->start = s->run->begin + t->start;
        g->first = s->index;
    }
    g->end = s->run->begin + t->end;
    g->busy += t->end - t->start;
    g->kind_cycles[t->kind] += t->end - t->start;
}

static void grouped_row(page *g, int unit, uint64_t slices) {
    uint64_t size = (slices + MAX_SLICES - 1) / MAX_SLICES, before = 0;
    grouped out = {0};
    group now = {0};
    grouped_begin(&out);
    for (size_t r = 0; r < g->p->run_count; r++) {
        const vt_profile_run *run = &g->p->runs[r];
        for (uint32_t i = 0; i < run->count; i++) {
            if (run->times[i].unit != unit || run->times[i].start == UINT64_MAX) continue;
            take(&now, &(slice){run, i, before + i});
            if (now.count == size) flush(&out, &now);
        }
        flush(&out, &now);
        before += run->count;
    }
    begin_row(g, unit);
    vt_json_uint(g->w, "g", size);
    grouped_end(g, &out);
    vt_json_end(g->w);
}

/* Batches of fetch: "m" is how many instructions, "n" the first of them. */
static void fetch_row(page *g) {
    static const char *const names[] = {"s", "d", "k", "n", "m"};
    begin_row(g, VTA_UNIT_FETCH);
    for (int c = 0; c < 5; c++) {
        uint64_t last = 0, before = 0;
        vt_json_array(g->w, names[c]);
        for (size_t r = 0; r < g->p->run_count; before += g->p->runs[r++].count) {
            const vt_profile_run *run = &g->p->runs[r];
            vt_fetch_batch b;
            for (uint32_t i = 0; vt_profile_fetch_batch(g->p, run, i, &b); i++) {
                uint64_t start = run->begin + b.start;
                const uint64_t value[] = {start - last, b.finish - b.start, 0, before + b.first, b.end - b.first};
                number(g, value[c]);
                last = start;
            }
        }
        vt_json_end(g->w);
    }
    vt_json_end(g->w);
}

static uint64_t slices_of(const vta_profile *p, int unit) {
    uint64_t n = 0;
    for (size_t r = 0; r < p->run_count; r++)
        for (uint32_t i = 0; i < p->runs[r].count; i++) n += p->runs[r].times[i].unit == unit;
    return n;
}

/* Slices that are drawn in groups show no names. */
static void mark_names(page *g) {
    for (int unit = VTA_UNIT_LOAD; unit < VTA_UNIT_COUNT; unit++) {
        if (slices_of(g->p, unit) > MAX_SLICES) continue;
        for (size_t r = 0; r < g->p->run_count; r++)
            for (uint32_t i = 0; i < g->p->runs[r].count; i++)
                if (g->p->runs[r].times[i].unit == unit && g->p->runs[r].source[i])
                    g->named[g->p->runs[r].source[i] - 1] = 1;
    }
}

void vt_page_kinds(vt_json *w) {
    vt_json_array(w, "kinds");
    for (int k = 0; k < VTA_KIND_COUNT; k++) vt_json_text(w, NULL, vta_insn_kind_name((vta_insn_kind)k));
    vt_json_end(w);
    vt_json_object(w, "states");
    for (int s = 0; s < VTA_STATE_COUNT; s++)
        vt_json_text(w, vta_unit_state_name((vta_unit_state)s), vta_unit_state_text((vta_unit_state)s));
    vt_json_end(w);
}

static void names(page *g) {
    vt_json_line(g->w);
    vt_json_array(g->w, "names");
    for (size_t i = 0; i < g->p->name_count; i++) {
        if (g->named[i])
            vt_json_text(g->w, NULL, g->p->names[i]);
        else
            number(g, 0);
    }
    vt_json_end(g->w);
}

static void rows(page *g) {
    vt_json_line(g->w);
    vt_json_array(g->w, "rows");
    fetch_row(g);
    for (int unit = VTA_UNIT_LOAD; unit < VTA_UNIT_COUNT; unit++) {
        uint64_t slices = slices_of(g->p, unit);
        if (slices > MAX_SLICES)
            grouped_row(g, unit, slices);
        else
            unit_row(g, unit);
    }
    vt_json_end(g->w);
}

/* One profile as an object. */
static vta_status write_side(page *g) {
    vt_json_line(g->w);
    vt_json_object(g->w, NULL);
    vt_json_text(g->w, "title", g->title);
    vt_json_line(g->w);
    VT_TRY(vt_profile_write(g->p, g->diag, "report", g->w));
    vt_profile_layers_write(g->p, g->w);
    names(g);
    rows(g);
    vt_json_end(g->w);
    return VTA_OK;
}

vta_status vt_page_side(const vta_profile *profile, const char *title, vt_json *w, vta_diag *diag) {
    page g = {.p = profile, .w = w, .title = title ? title : "VTA program", .diag = diag};
    vt_strbuf_init(&g.fields, &vt_allocator_libc);
    g.named = vt_alloc_zero(&profile->allocator, profile->name_count);
    vta_status status = g.named ? vt_profile_critical(profile, diag, &g.critical) : vt_no_memory(diag);
    if (status == VTA_OK) {
        mark_names(&g);
        status = write_side(&g);
        vt_profile_critical_free(profile, &g.critical);
    }
    vt_free(&profile->allocator, g.named, profile->name_count);
    vt_strbuf_free(&g.fields);
    return status;
}
