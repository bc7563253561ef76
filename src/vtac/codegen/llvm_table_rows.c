/* What a table of runtime calls has: the statements that can be rows, and their words. */
#include <string.h>

#include "codegen/llvm_table.h"
#include "ir/runtime_call.h"

enum {
    FEWEST = 64, /* statements that are worth a table */
    FEWEST_OF_RUN = 8,
    MAX_LOOPS = 8,
    MAX_ROWS = 2048
};

/* ---- What can be a row ------------------------------------------------------------------------------------------- */

/* The loops of a micro-kernel that are being written out. */
typedef struct loops {
    uint32_t n;
    const vt_var *vars[MAX_LOOPS];
    int64_t at[MAX_LOOPS];
} loops;

/* Of constants and the loops' variables; false where anything else is in it. */
static bool value_of(const loops *l, const vt_expr *e, int64_t *out) {
    int64_t x, y;
    if (vt_as_const(e, out)) return true;
    for (uint32_t i = 0; e->kind == VT_E_VAR && i < l->n; i++)
        if (l->vars[i] == e) {
            *out = l->at[i];
            return true;
        }
    bool sum = e->kind == VT_E_ADD || e->kind == VT_E_SUB || e->kind == VT_E_MUL;
    if (!sum || !value_of(l, e->a[0], &x) || !value_of(l, e->a[1], &y)) return false;
    return !(e->kind == VT_E_ADD   ? __builtin_add_overflow(x, y, out)
             : e->kind == VT_E_SUB ? __builtin_sub_overflow(x, y, out)
                                   : __builtin_mul_overflow(x, y, out));
}

bool vt__llvm_is_push(const vt__runtime_entry *entry) { return strstr(entry->names, "finit") != NULL; }

/* A call whose result nobody looks at, of pointers in variables and of integers that are known. */
static const vt__runtime_entry *entry_of(const loops *l, const vt_stmt *s) {
    int64_t value;
    if (s->kind != VT_S_EVAL || !vt_is_call(s->u.eval.value, VT_OP_CALL_EXTERN)) return NULL;
    const vt_expr *e = s->u.eval.value;
    const vt__runtime_entry *entry = vt__runtime_find(e->a[0]->u.s);
    if (!entry || strlen(entry->args) != e->n - 1 || strchr(entry->args, 'z') || vt__llvm_is_push(entry)) return NULL;
    for (uint32_t i = 1; i < e->n; i++) {
        bool pointer = e->a[i]->kind == VT_E_VAR && e->a[i]->dtype.code == VT_HANDLE;
        if (entry->args[i - 1] == 'p' ? !pointer : !value_of(l, e->a[i], &value)) return NULL;
    }
    return entry;
}

/* A loop's body, with its variable at the first step; NULL: it is no loop to write out. */
static const vt_stmt *enter(loops *l, const vt_stmt *s, int64_t *out_extent) {
    if (s->kind != VT_S_FOR || l->n == MAX_LOOPS || !vt_as_const(s->u.loop.min, &l->at[l->n]) ||
        !vt_as_const(s->u.loop.extent, out_extent))
        return NULL;
    l->vars[l->n++] = s->u.loop.var;
    return s->u.loop.body;
}

/* Rows that the calls of a micro-kernel are; 0: there are other statements, or too many. */
static uint32_t calls_of(loops l, const vt_stmt *s) {
    int64_t extent;
    uint64_t n = 0;
    const vt_stmt *body = enter(&l, s, &extent);
    if (body) {
        n = extent > 0 && extent <= MAX_ROWS ? calls_of(l, body) * (uint64_t)extent : 0;
    } else if (s->kind == VT_S_SEQ) {
        for (uint32_t i = 0, one; i < s->u.seq.n_items; i++, n += one)
            if (!(one = calls_of(l, s->u.seq.items[i]))) return 0;
    } else {
        const vt__runtime_entry *entry = entry_of(&l, s);
        n = entry && !strchr(entry->args, 'p');
    }
    return n <= MAX_ROWS ? (uint32_t)n : 0;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static void add_word(vt_ctx *ctx, vt__llvm_table *t, uint32_t word) {
    vt_grow(ctx, &t->words, &t->cap_words, t->n_words + 1, sizeof *t->words);
    t->words[t->n_words++] = word;
}

/* The number of a function in this table. */
static uint32_t function_number(vt__llvm_table *t, const vt__runtime_entry *entry) {
    uint32_t i = 0;
    while (i < t->n_functions && t->functions[i] != entry) i++;
    if (i == t->n_functions) t->functions[t->n_functions++] = entry;
    return i;
}

static bool place_of(vt__llvm_run *r, const vt_var *v, uint32_t *out_place) {
    uint32_t i = 0;
    while (i < r->n_pointers && r->pointers[i] != v) i++;
    *out_place = i;
    if (i == VT__LLVM_TABLE_POINTERS) return false;
    if (i == r->n_pointers) r->pointers[r->n_pointers++] = v;
    return true;
}

/* False, and nothing written: its pointers are too many for one run. `r` may be NULL where there are none. */
static bool add_call(vt_ctx *ctx, vt__llvm_table *t, vt__llvm_run *r, const loops *l, const vt_stmt *s) {
    uint32_t words[VT_OPERANDS(VTALoadBuffer2D)];
    const vt_expr *e = s->u.eval.value;
    int64_t value;
    for (uint32_t i = 1; i < e->n; i++)
        if (value_of(l, e->a[i], &value))
            words[i] = (uint32_t)value;
        else if (!place_of(r, e->a[i], &words[i]))
            return false;
    add_word(ctx, t, function_number(t, entry_of(l, s)));
    for (uint32_t i = 1; i < e->n; i++) add_word(ctx, t, words[i]);
    return true;
}

static void add_calls(vt_ctx *ctx, vt__llvm_table *t, loops l, const vt_stmt *s) {
    int64_t extent;
    const vt_stmt *body = enter(&l, s, &extent);
    for (int64_t i = 0; body && i < extent; i++) {
        add_calls(ctx, t, l, body);
        l.at[l.n - 1]++;
    }
    for (uint32_t i = 0; s->kind == VT_S_SEQ && i < s->u.seq.n_items; i++) add_calls(ctx, t, l, s->u.seq.items[i]);
    if (s->kind == VT_S_EVAL) add_call(ctx, t, NULL, &l, s);
}

/* Behind the count of its words. */
static void add_kernel(vt_ctx *ctx, vt__llvm_table *t, const vt_stmt *scope, uint32_t number) {
    vt_grow(ctx, &t->kernels, &t->cap_kernels, number + 1, sizeof *t->kernels);
    uint32_t begin = t->kernels[number] = t->n_words;
    t->n_kernels = number + 1;
    add_word(ctx, t, 0);
    add_calls(ctx, t, (loops){.n = 0}, scope->u.attr.body);
    t->words[begin] = t->n_words - begin - 1;
}

/* Those of a run come before its rows. */
static uint32_t *add_kernels(vt__llvm *g, vt__llvm_table *t, const vt__llvm_run *r) {
    uint32_t *numbers = VT_NEW_ARRAY(g->ctx, uint32_t, r->count);
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->first[i]->kind != VT_S_ATTR) continue;
        numbers[i] = vt_kernel_number(g->ctx, &g->kernels, g->entry->share_kernels, r->first[i], g->outlined);
        if (numbers[i] == g->outlined) add_kernel(g->ctx, t, r->first[i], g->outlined++);
    }
    return numbers;
}

/* As many of them as one list of pointers is enough for. */
static void add_run(vt__llvm *g, vt__llvm_table *t, vt__llvm_run r) {
    vt_ctx *ctx = g->ctx;
    const uint32_t *numbers = add_kernels(g, t, &r);
    const loops none = {.n = 0};
    uint32_t all = r.count;
    r.begin = t->n_words;
    for (r.count = 0; r.count < all; r.count++) {
        const vt_stmt *s = r.first[r.count];
        if (s->kind == VT_S_EVAL) {
            if (!add_call(ctx, t, &r, &none, s)) break;
            continue;
        }
        add_word(ctx, t, function_number(t, vt__runtime_find(s->u.attr.value->u.s)));
        add_word(ctx, t, numbers[r.count]);
        add_word(ctx, t, t->kernels[numbers[r.count]]);
    }
    r.end = t->n_words;
    vt__llvm_run *own = VT_NEW(ctx, vt__llvm_run);
    *own = r;
    vt_ptrmap_set(t->runs, r.first, own);
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

typedef struct span {
    const vt_stmt *const *first;
    uint32_t count;
} span;

typedef struct finder {
    vt_ctx *ctx;
    span *spans;
    uint32_t n, cap;
    uint32_t count;     /* of statements in all of them */
    vt_ptrmap *kernels; /* micro-kernel -> itself where it can be a row: many steps have the same */
} finder;

static bool is_kernel_row(finder *f, const vt_stmt *s) {
    if (!vt_ptrmap_has(f->kernels, s))
        vt_ptrmap_set(f->kernels, s, calls_of((loops){.n = 0}, s->u.attr.body) > 0 ? s : NULL);
    return vt_ptrmap_get(f->kernels, s) != NULL;
}

static bool is_row(finder *f, const vt_stmt *s) {
    const loops none = {.n = 0};
    return vt_attr_is(s, VT_ATTR_UOPS) ? is_kernel_row(f, s) : entry_of(&none, s) != NULL;
}

static bool find_spans(void *user, const vt_stmt *s) {
    finder *f = user;
    for (uint32_t i = 0, end; s->kind == VT_S_SEQ && i < s->u.seq.n_items; i = end + 1) {
        for (end = i; end < s->u.seq.n_items && is_row(f, s->u.seq.items[end]);) end++;
        if (end - i < FEWEST_OF_RUN) continue;
        vt_grow(f->ctx, &f->spans, &f->cap, f->n + 1, sizeof *f->spans);
        f->spans[f->n++] = (span){s->u.seq.items + i, end - i};
        f->count += end - i;
    }
    return !vt_attr_is(s, VT_ATTR_UOPS);
}

vt__llvm_table *vt__llvm_table_rows(vt__llvm *g, const vt_stmt *body) {
    finder f = {.ctx = g->ctx, .kernels = vt_ptrmap_new(g->ctx)};
    vt_stmt_walk(body, NULL, find_spans, &f);
    if (f.count < FEWEST) return NULL;
    vt__llvm_table *t = VT_NEW(g->ctx, vt__llvm_table);
    t->runs = vt_ptrmap_new(g->ctx);
    add_word(g->ctx, t, 0); /* so that no kernel begins at 0 */
    for (uint32_t i = 0; i < f.n; i++)
        add_run(g, t, (vt__llvm_run){.first = f.spans[i].first, .count = f.spans[i].count});
    return t;
}
