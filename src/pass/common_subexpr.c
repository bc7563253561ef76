/* Computes repeated subexpressions once: introduces variables cse_var_1, cse_var_2, ... for expressions that occur at
 * least twice under one statement, the largest first, at the innermost statement around all of them whose variables
 * they use. Loads and calls are never moved. The order of introduction, and so the numbers, are TVM's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "pass/pass.h"
#include "pass/util.h"

/* ---- Tables of expressions -------------------------------------------------------------------------------------- */

typedef struct row {
    const vt_expr *e;
    uint32_t count;
    uint32_t size;    /* nodes */
    const char *text; /* made when needed to order rows of one size */
} row;

/* Rows, and an index into them by structure. */
typedef struct table {
    vt_ctx *ctx;
    row *rows;
    uint32_t n, cap;
    uint32_t *slots; /* 1 + row number; 0: free */
    uint32_t n_slots;
} table;

static uint32_t *slot_of(const table *t, const vt_expr *e) {
    uint32_t i = e->hash * 0x9e3779b1u & (t->n_slots - 1);
    while (t->slots[i] && !vt_expr_equal(t->rows[t->slots[i] - 1].e, e)) i = (i + 1) & (t->n_slots - 1);
    return &t->slots[i];
}

static row *table_find(const table *t, const vt_expr *e) {
    if (t->n_slots == 0) return NULL;
    uint32_t at = *slot_of(t, e);
    return at ? &t->rows[at - 1] : NULL;
}

static void table_add(table *t, const vt_expr *e, uint32_t count) {
    row *have = table_find(t, e);
    if (have) {
        have->count += count;
        return;
    }
    vt_grow(t->ctx, &t->rows, &t->cap, t->n + 1, sizeof *t->rows);
    t->rows[t->n++] = (row){.e = e, .count = count};
    if (2 * t->n > t->n_slots) {
        t->n_slots = t->n_slots ? 2 * t->n_slots : 16;
        t->slots = VT_NEW_ARRAY(t->ctx, uint32_t, t->n_slots);
        for (uint32_t i = 0; i < t->n; i++) *slot_of(t, t->rows[i].e) = i + 1;
        return;
    }
    *slot_of(t, e) = t->n;
}

static void table_add_all(table *t, const table *other) {
    for (uint32_t i = 0; i < other->n; i++) table_add(t, other->rows[i].e, other->rows[i].count);
}

static table *table_new(vt_ctx *ctx) {
    table *t = VT_NEW(ctx, table);
    t->ctx = ctx;
    return t;
}

/* ---- The pass's state ------------------------------------------------------------------------------------------- */

typedef struct known {
    const vt_var *var;
    const vt_expr *value; /* NULL: changes while its scope runs (a loop variable, a parameter) */
} known;

typedef struct cse {
    vt_mutator m;
    vt_ptrmap *stmt_tables; /* statement -> what it computes */
    vt_ptrmap *memory;      /* expression -> whether it contains a load or a call: &YES or &NO */
    known *context;
    uint32_t n_context, cap_context;
    vt_ptrmap *defined; /* variable -> number of definitions in scope, as a pointer */
    uint32_t number;    /* of the newest variable */
    vt_ptrmap *uses;    /* introduced variable -> 1 + uses in expressions that may be introduced, as a pointer */
    vt_ptrmap *taken;   /* numbers n of names cse_var_n in the program, as keys */
} cse;

static const char YES = 0, NO = 0;

static bool touches_memory(cse *st, const vt_expr *e) {
    if (e->kind == VT_E_CALL || e->kind == VT_E_LOAD || e->kind == VT_E_PLOAD) return true;
    if (e->n == 0) return false;
    const char *have = vt_ptrmap_get(st->memory, e);
    if (!have) {
        have = &NO;
        for (uint32_t i = 0; i < e->n && have == &NO; i++)
            if (touches_memory(st, e->a[i])) have = &YES;
        vt_ptrmap_set(st->memory, e, have);
    }
    return have == &YES;
}

static bool eligible(cse *st, const vt_expr *e) {
    return e->n > 0 && e->kind != VT_E_RAMP && e->kind != VT_E_BROADCAST && !touches_memory(st, e);
}

static uint32_t node_count(const vt_expr *e) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < e->n; i++) n += node_count(e->a[i]);
    return n;
}

/* ---- What is computed ------------------------------------------------------------------------------------------- */

static void computed_by_expr(cse *st, const vt_expr *e, table *t) {
    if (eligible(st, e)) {
        table_add(t, e, 1);
        return;
    }
    for (uint32_t i = 0; i < e->n; i++) computed_by_expr(st, e->a[i], t);
}

static const table *computed_by(cse *st, const vt_stmt *s);

/* What at least two of three parts compute, with all occurrences counted. */
static table *common(cse *st, const table *const parts[3]) {
    table *t = table_new(st->m.ctx);
    for (int p = 0; p < 3; p++) {
        for (uint32_t i = 0; parts[p] && i < parts[p]->n; i++) {
            const vt_expr *e = parts[p]->rows[i].e;
            uint32_t in = 0, count = 0;
            for (int q = 0; q < 3; q++) {
                const row *r = parts[q] ? table_find(parts[q], e) : NULL;
                in += r != NULL;
                count += r ? r->count : 0;
            }
            if (in >= 2 && !table_find(t, e)) table_add(t, e, count);
        }
    }
    return t;
}

typedef struct collector {
    vt_visitor v;
    cse *st;
    table *t;
} collector;

static void collect_expr(vt_visitor *v, const vt_expr *e) {
    collector *c = (collector *)v;
    computed_by_expr(c->st, e, c->t);
}
static void collect_stmt(vt_visitor *v, const vt_stmt *s) {
    collector *c = (collector *)v;
    table_add_all(c->t, computed_by(c->st, s));
}

static table *of_expr(cse *st, const vt_expr *e) {
    table *t = table_new(st->m.ctx);
    computed_by_expr(st, e, t);
    return t;
}

static const table *computed_by(cse *st, const vt_stmt *s) {
    const table *have = vt_ptrmap_get(st->stmt_tables, s);
    if (have) return have;
    if (s->kind == VT_S_FOR) {
        const table *parts[3] = {of_expr(st, s->u.loop.min), of_expr(st, s->u.loop.extent),
                                 computed_by(st, s->u.loop.body)};
        have = common(st, parts);
    } else if (s->kind == VT_S_IF) {
        const table *parts[3] = {of_expr(st, s->u.branch.condition), computed_by(st, s->u.branch.then_case),
                                 s->u.branch.else_case ? computed_by(st, s->u.branch.else_case) : NULL};
        have = common(st, parts);
    } else {
        collector c = {.v = {.expr = collect_expr, .stmt = collect_stmt}, .st = st, .t = table_new(st->m.ctx)};
        vt_visit_stmt_children(&c.v, s);
        have = c.t;
    }
    vt_ptrmap_set(st->stmt_tables, s, have);
    return have;
}

/* ---- Candidates in order ---------------------------------------------------------------------------------------- */

static const char *row_text(vt_ctx *ctx, row *r) {
    if (!r->text) r->text = vt_expr_text(ctx, r->e);
    return r->text;
}

/* Largest first; by text among equals. The merge sort is stable, and rows are few. */
static bool row_after(vt_ctx *ctx, row *x, row *y) {
    if (x->size != y->size) return x->size < y->size;
    return strcmp(row_text(ctx, x), row_text(ctx, y)) > 0;
}

static void sort_rows(vt_ctx *ctx, row *rows, row *scratch, uint32_t n) {
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

/* Candidates, sorted, growing while they are walked: `where` finds one by structure. Positions move, so the index
 * only counts: 0 absent. */
typedef struct candidates {
    row *rows;
    uint32_t n, cap;
    table seen;
} candidates;

static candidates candidates_of(cse *st, const table *t) {
    vt_ctx *ctx = st->m.ctx;
    candidates c = {.seen = {.ctx = ctx}};
    vt_grow(ctx, &c.rows, &c.cap, t->n + 1, sizeof *c.rows);
    for (uint32_t i = 0; i < t->n; i++) {
        c.rows[i] = t->rows[i];
        c.rows[i].size = node_count(c.rows[i].e);
        table_add(&c.seen, c.rows[i].e, 1);
    }
    c.n = t->n;
    sort_rows(ctx, c.rows, VT_NEW_ARRAY(ctx, row, c.n + 1), c.n);
    return c;
}

static void add_candidate(cse *st, candidates *c, const vt_expr *e) {
    vt_ctx *ctx = st->m.ctx;
    if (table_find(&c->seen, e)) {
        for (uint32_t i = c->n; i-- > 0;) {
            if (c->rows[i].e->hash != e->hash || !vt_expr_equal(c->rows[i].e, e)) continue;
            c->rows[i].count++;
            return;
        }
    }
    table_add(&c->seen, e, 1);
    vt_grow(ctx, &c->rows, &c->cap, c->n + 1, sizeof *c->rows);
    row r = {.e = e, .count = 1, .size = node_count(e)};
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

/* The largest eligible expressions inside of e, e itself left out. */
static void add_inner(cse *st, candidates *c, const vt_expr *e) {
    for (uint32_t i = 0; i < e->n; i++) {
        if (eligible(st, e->a[i]))
            add_candidate(st, c, e->a[i]);
        else
            add_inner(st, c, e->a[i]);
    }
}

/* ---- Replacing -------------------------------------------------------------------------------------------------- */

/* Expressions and the variables that stand for them from now on. */
typedef struct replace {
    vt_mutator m;
    table found;
    const vt_var **vars; /* by row of found */
    uint32_t cap_vars;
} replace;

static void add_replacement(replace *r, const vt_expr *what, const vt_var *by) {
    table_add(&r->found, what, 1);
    vt_grow(r->m.ctx, &r->vars, &r->cap_vars, r->found.n, sizeof *r->vars);
    r->vars[r->found.n - 1] = by;
}

/* From the outside in, so that the largest match counts. */
static const vt_expr *replace_expr(vt_mutator *m, const vt_expr *e) {
    replace *r = (replace *)m;
    if (e->n == 0) return e;
    const row *found = table_find(&r->found, e);
    return found ? r->vars[found - r->found.rows] : vt_mutate_expr_children(m, e);
}

/* One of the two is set: what is being worked on. */
typedef struct subject {
    const vt_expr *e;
    const vt_stmt *s;
} subject;

static const vt_var *new_var(cse *st, vt_dtype t) {
    vt_ctx *ctx = st->m.ctx;
    do st->number++;
    while (vt_ptrmap_has(st->taken, (const void *)(uintptr_t)st->number));
    return vt_var_new(ctx, vt_new_format(ctx, "cse_var_%u", st->number), t);
}

static const vt_var *holder_of(const cse *st, const vt_expr *e) {
    for (uint32_t i = 0; i < st->n_context; i++) {
        const vt_expr *value = st->context[i].value;
        if (value && value->hash == e->hash && vt_expr_equal(value, e)) return st->context[i].var;
    }
    return NULL;
}

static bool undefined(void *user, const vt_var *v) {
    const cse *st = user;
    return vt_ptrmap_get(st->defined, v) == NULL;
}

/* Works through what the subject computes, largest first; *out_created variables come around it. */
static subject introduce(cse *st, subject in, const table *t, uint32_t *out_created) {
    vt_ctx *ctx = st->m.ctx;
    candidates c = candidates_of(st, t);
    replace r = {.m = {.ctx = ctx, .expr = replace_expr}, .found = {.ctx = ctx}};
    uint32_t n_new = 0, cap_new = 0;
    row *created = NULL; /* rows of the candidates that got a variable, in order */
    for (uint32_t i = 0; i < c.n; i++) {
        row at = c.rows[i];
        const vt_var *holder = holder_of(st, at.e);
        if (holder) {
            add_replacement(&r, at.e, holder);
        } else if (at.count >= 2 && !vt_expr_uses_any(at.e, undefined, st)) {
            add_replacement(&r, at.e, new_var(st, at.e->dtype));
            vt_grow(ctx, &created, &cap_new, n_new + 1, sizeof *created);
            created[n_new++] = at;
        } else {
            add_inner(st, &c, at.e);
        }
    }
    *out_created = n_new;
    if (r.found.n == 0) return in;
    if (in.e)
        in.e = vt_mutate_expr(&r.m, in.e);
    else
        in.s = vt_mutate_stmt(&r.m, in.s);
    for (uint32_t i = 0; i < n_new; i++) { /* a value is itself, made of smaller ones */
        const vt_var *v = r.vars[table_find(&r.found, created[i].e) - r.found.rows];
        const vt_expr *value = vt_mutate_expr_children(&r.m, created[i].e);
        if (in.e)
            in.e = vt_e_let(ctx, v, value, in.e);
        else
            in.s = vt_s_let(ctx, v, value, in.s);
    }
    return in;
}

/* ---- Walking ---------------------------------------------------------------------------------------------------- */

static void define(cse *st, const vt_var *v, const vt_expr *value) {
    vt_grow(st->m.ctx, &st->context, &st->cap_context, st->n_context + 1, sizeof *st->context);
    st->context[st->n_context++] = (known){v, value};
    uintptr_t n = (uintptr_t)vt_ptrmap_get(st->defined, v);
    vt_ptrmap_set(st->defined, v, (const void *)(n + 1));
}

static void undefine(cse *st) {
    const vt_var *v = st->context[--st->n_context].var;
    uintptr_t n = (uintptr_t)vt_ptrmap_get(st->defined, v);
    vt_ptrmap_set(st->defined, v, (const void *)(n - 1));
}

static const vt_expr *cse_expr(vt_mutator *m, const vt_expr *e) {
    cse *st = (cse *)m;
    if (e->n == 0) return e;
    uint32_t created;
    e = introduce(st, (subject){.e = e}, of_expr(st, e), &created).e;
    if (e->kind != VT_E_LET) return vt_mutate_expr_children(m, e);
    const vt_expr *value = vt_mutate_expr(m, e->a[0]);
    define(st, e->u.let_var, e->a[0]);
    const vt_expr *body = vt_mutate_expr(m, e->a[1]);
    undefine(st);
    return value == e->a[0] && body == e->a[1] ? e : vt_e_let(m->ctx, e->u.let_var, value, body);
}

/* How often each variable occurs in expressions that may be introduced: what is below two makes nothing common. */
typedef struct use_counter {
    cse *st;
    vt_ptrmap *uses;
} use_counter;

static void count_uses(use_counter *c, const vt_expr *e, bool inside) {
    inside = inside || eligible(c->st, e);
    if (e->kind == VT_E_VAR && inside) {
        uintptr_t n = (uintptr_t)vt_ptrmap_get(c->uses, e);
        vt_ptrmap_set(c->uses, e, (const void *)(n + 1));
    }
    for (uint32_t i = 0; i < e->n; i++) count_uses(c, e->a[i], inside);
}

static bool count_uses_of(void *user, const vt_expr *e) {
    count_uses(user, e, false);
    return false;
}

/* Counts the uses of the variables that the lets from `s` down to `before_chain` have just introduced. */
static void note_uses(cse *st, const vt_stmt *s, const vt_stmt *before_chain) {
    use_counter c = {.st = st, .uses = vt_ptrmap_new(st->m.ctx)};
    vt_stmt_walk(s, count_uses_of, NULL, &c);
    for (; s != before_chain; s = s->u.let.body)
        vt_ptrmap_set(st->uses, s->u.let.var, (const void *)(1 + (uintptr_t)vt_ptrmap_get(c.uses, s->u.let.var)));
}

/* What is below a statement, which itself has nothing to introduce any more. */
static const vt_stmt *descend(cse *st, const vt_stmt *s) {
    vt_mutator *m = &st->m;
    if (s->kind == VT_S_LET) {
        const vt_expr *value = vt_mutate_expr(m, s->u.let.value);
        define(st, s->u.let.var, s->u.let.value);
        /* Once a variable is defined, expressions that use it may be introduced; no others became possible. */
        uintptr_t uses = (uintptr_t)vt_ptrmap_get(st->uses, s->u.let.var);
        bool more = uses == 0 || uses - 1 >= 2;
        const vt_stmt *body = more ? vt_mutate_stmt(m, s->u.let.body) : descend(st, s->u.let.body);
        undefine(st);
        return value == s->u.let.value && body == s->u.let.body ? s : vt_s_let(m->ctx, s->u.let.var, value, body);
    }
    if (s->kind == VT_S_FOR) {
        const vt_expr *min = vt_mutate_expr(m, s->u.loop.min), *extent = vt_mutate_expr(m, s->u.loop.extent);
        define(st, s->u.loop.var, NULL);
        const vt_stmt *body = vt_mutate_stmt(m, s->u.loop.body);
        undefine(st);
        if (min == s->u.loop.min && extent == s->u.loop.extent && body == s->u.loop.body) return s;
        return vt_loop_with(m->ctx, s, s->u.loop.var, min, extent, body);
    }
    return vt_mutate_stmt_children(m, s);
}

static const vt_stmt *cse_stmt(vt_mutator *m, const vt_stmt *s) {
    cse *st = (cse *)m;
    vt_poll(m->ctx);
    uint32_t created;
    s = introduce(st, (subject){.s = s}, computed_by(st, s), &created).s;
    if (created > 0) {
        const vt_stmt *inner = s;
        for (uint32_t i = 0; i < created; i++) inner = inner->u.let.body;
        note_uses(st, s, inner);
        return vt_mutate_stmt(m, s); /* parts of the values may be common with the rest */
    }
    return descend(st, s);
}

static bool note_name(void *user, const vt_expr *e) {
    cse *st = user;
    static const char prefix[] = "cse_var_";
    unsigned number;
    if (e->kind == VT_E_VAR && !strncmp(vt_var_name(e), prefix, sizeof prefix - 1) &&
        sscanf(vt_var_name(e) + sizeof prefix - 1, "%u", &number) == 1)
        vt_ptrmap_set(st->taken, (const void *)(uintptr_t)number, st);
    return true;
}

const vt_func *vt_pass_common_subexpr(vt_lowering *l, const vt_func *f) {
    vt_ctx *ctx = l->ctx;
    cse st = {.m = {.ctx = ctx, .expr = cse_expr, .stmt = cse_stmt},
              .stmt_tables = vt_ptrmap_new(ctx),
              .memory = vt_ptrmap_new(ctx),
              .defined = vt_ptrmap_new(ctx),
              .uses = vt_ptrmap_new(ctx),
              .taken = vt_ptrmap_new(ctx)};
    vt_stmt_walk(f->body, note_name, NULL, &st);
    for (uint32_t i = 0; i < f->n_params; i++) define(&st, f->params[i], NULL);
    return vt_func_with_body(ctx, f, vt_mutate_stmt(&st.m, f->body));
}
