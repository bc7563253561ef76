#include "lower/generic/expr_table.h"

#include <string.h>

#include "ir/print.h"
#include "ir/visit.h"

static uint32_t *slot_of(const vt_expr_table *t, const vt_expr *e) {
    uint32_t i = e->hash * 0x9e3779b1u & (t->n_slots - 1);
    while (t->slots[i] && !vt_expr_equal(t->rows[t->slots[i] - 1].e, e)) i = (i + 1) & (t->n_slots - 1);
    return &t->slots[i];
}

vt_expr_row *vt_expr_table_find(const vt_expr_table *t, const vt_expr *e) {
    if (t->n_slots == 0) return NULL;
    uint32_t at = *slot_of(t, e);
    return at ? &t->rows[at - 1] : NULL;
}

void vt_expr_table_add(vt_expr_table *t, const vt_expr *e, uint32_t count) {
    vt_expr_row *have = vt_expr_table_find(t, e);
    if (have) {
        have->count += count;
        return;
    }
    vt_grow(t->ctx, &t->rows, &t->cap, t->n + 1, sizeof *t->rows);
    t->rows[t->n++] = (vt_expr_row){.e = e, .count = count};
    if (2 * t->n > t->n_slots) {
        t->n_slots = t->n_slots ? 2 * t->n_slots : 16;
        t->slots = VT_NEW_ARRAY(t->ctx, uint32_t, t->n_slots);
        for (uint32_t i = 0; i < t->n; i++) *slot_of(t, t->rows[i].e) = i + 1;
        return;
    }
    *slot_of(t, e) = t->n;
}

void vt_expr_table_add_all(vt_expr_table *t, const vt_expr_table *other) {
    for (uint32_t i = 0; i < other->n; i++) vt_expr_table_add(t, other->rows[i].e, other->rows[i].count);
}

vt_expr_table *vt_expr_table_new(vt_ctx *ctx) {
    vt_expr_table *t = VT_NEW(ctx, vt_expr_table);
    t->ctx = ctx;
    return t;
}

/* ---- Candidates in order ---------------------------------------------------------------------------------------- */

static uint32_t node_count(const vt_expr *e) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < e->n; i++) n += node_count(e->a[i]);
    return n;
}

static const char *row_text(vt_ctx *ctx, vt_expr_row *r) {
    if (!r->text) r->text = vt_expr_text(ctx, r->e);
    return r->text;
}

/* Largest first; by text among equals. The merge sort is stable, and rows are few. */
static bool row_after(vt_ctx *ctx, vt_expr_row *x, vt_expr_row *y) {
    if (x->size != y->size) return x->size < y->size;
    return strcmp(row_text(ctx, x), row_text(ctx, y)) > 0;
}

static void sort_rows(vt_ctx *ctx, vt_expr_row *rows, vt_expr_row *scratch, uint32_t n) {
    if (n < 2) return;
    uint32_t half = n / 2;
    sort_rows(ctx, rows, scratch, half);
    sort_rows(ctx, rows + half, scratch, n - half);
    memcpy(scratch, rows, n * sizeof *rows);
    for (uint32_t i = 0, x = 0, y = half; i < n; i++) {
        bool second = x == half || (y < n && row_after(ctx, &scratch[x], &scratch[y]));
        rows[i] = second ? scratch[y++] : scratch[x++];
    }
}

vt_candidates vt_candidates_of(const vt_expr_table *t) {
    vt_ctx *ctx = t->ctx;
    vt_candidates c = {.seen = {.ctx = ctx}};
    vt_grow(ctx, &c.rows, &c.cap, t->n + 1, sizeof *c.rows);
    for (uint32_t i = 0; i < t->n; i++) {
        c.rows[i] = t->rows[i];
        c.rows[i].size = node_count(c.rows[i].e);
        vt_expr_table_add(&c.seen, c.rows[i].e, 1);
    }
    c.n = t->n;
    sort_rows(ctx, c.rows, VT_NEW_ARRAY(ctx, vt_expr_row, c.n + 1), c.n);
    return c;
}

void vt_candidates_add(vt_candidates *c, const vt_expr *e) {
    vt_ctx *ctx = c->seen.ctx;
    if (vt_expr_table_find(&c->seen, e)) {
        for (uint32_t i = c->n; i-- > 0;) {
            if (c->rows[i].e->hash != e->hash || !vt_expr_equal(c->rows[i].e, e)) continue;
            c->rows[i].count++;
            return;
        }
    }
    vt_expr_table_add(&c->seen, e, 1);
    vt_grow(ctx, &c->rows, &c->cap, c->n + 1, sizeof *c->rows);
    vt_expr_row r = {.e = e, .count = 1, .size = node_count(e)};
    uint32_t low = 0, high = c->n; /* after all that are not smaller */
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (c->rows[mid].size >= r.size)
            low = mid + 1;
        else
            high = mid;
    }
    memmove(c->rows + low + 1, c->rows + low, (c->n - low) * sizeof *c->rows);
    c->rows[low] = r;
    c->n++;
}
