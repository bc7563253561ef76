/* Computes repeated subexpressions once: introduces variables cse_var_1, cse_var_2, ... for expressions that occur at
 * least twice under one statement, the largest first, at the innermost statement around all of them whose variables
 * they use. Loads and calls are never moved. The order of introduction, and so the numbers, are TVM's. */
#include <stdio.h>
#include <string.h>

#include "lower/generic/computed.h"
#include "lower/generic/pass.h"
#include "lower/generic/util.h"

typedef struct known {
    const vt_var *var;
    const vt_expr *value; /* NULL: changes while its scope runs (a loop variable, a parameter) */
} known;

typedef struct cse {
    vt_mutator m;
    vt_computed computed;
    known *context;
    uint32_t n_context, cap_context;
    vt_ptrmap *defined; /* variable -> number of definitions in scope, as a pointer */
    uint32_t number;    /* of the newest variable */
    vt_ptrmap *uses;    /* introduced variable -> 1 + uses in expressions that may be introduced, as a pointer */
    const vt_stmt *body;
    vt_ptrmap *taken; /* numbers n of names cse_var_n in the body, as keys; NULL: not looked for yet */
} cse;

/* May anything in it, or itself, be introduced? */
static bool computes(cse *st, const vt_expr *e) {
    bool found = vt_may_introduce(&st->computed, e);
    for (uint32_t i = 0; i < e->n && !found; i++) found = computes(st, e->a[i]);
    return found;
}

/* The largest eligible expressions inside of e, e itself left out. */
static void add_inner(cse *st, vt_candidates *c, const vt_expr *e) {
    for (uint32_t i = 0; i < e->n; i++) {
        if (vt_may_introduce(&st->computed, e->a[i]))
            vt_candidates_add(c, e->a[i]);
        else
            add_inner(st, c, e->a[i]);
    }
}

/* ---- Replacing -------------------------------------------------------------------------------------------------- */

/* Expressions and the variables that stand for them from now on. */
typedef struct replace {
    vt_mutator m;
    vt_expr_table found;
    const vt_var **vars; /* by row of found */
    uint32_t cap_vars;
} replace;

static void add_replacement(replace *r, const vt_expr *what, const vt_var *by) {
    vt_expr_table_add(&r->found, what, 1);
    vt_grow(r->m.ctx, &r->vars, &r->cap_vars, r->found.n, sizeof *r->vars);
    r->vars[r->found.n - 1] = by;
}

/* From the outside in, so that the largest match counts. */
static const vt_expr *replace_expr(vt_mutator *m, const vt_expr *e) {
    replace *r = (replace *)m;
    if (e->n == 0) return e;
    const vt_expr_row *found = vt_expr_table_find(&r->found, e);
    return found ? r->vars[found - r->found.rows] : vt_mutate_expr_children(m, e);
}

/* One of the two is set: what is being worked on. */
typedef struct subject {
    const vt_expr *e;
    const vt_stmt *s;
} subject;

static bool note_name(void *user, const vt_expr *e) {
    cse *st = user;
    static const char prefix[] = "cse_var_";
    unsigned number;
    if (e->kind == VT_E_VAR && !strncmp(vt_var_name(e), prefix, sizeof prefix - 1) &&
        sscanf(vt_var_name(e) + sizeof prefix - 1, "%u", &number) == 1)
        vt_ptrmap_set(st->taken, (const void *)(uintptr_t)number, st);
    return true;
}

static const vt_var *new_var(cse *st, vt_dtype t) {
    vt_ctx *ctx = st->m.ctx;
    if (!st->taken) {
        st->taken = vt_ptrmap_new(ctx);
        vt_stmt_walk(st->body, note_name, NULL, st);
    }
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
static subject introduce(cse *st, subject in, const vt_expr_table *t, uint32_t *out_created) {
    vt_ctx *ctx = st->m.ctx;
    *out_created = 0;
    if (t->n == 0) return in;
    vt_candidates c = vt_candidates_of(t);
    replace r = {.m = {.ctx = ctx, .expr = replace_expr}, .found = {.ctx = ctx}};
    uint32_t n_new = 0, cap_new = 0;
    vt_expr_row *created = NULL; /* rows of the candidates that got a variable, in order */
    for (uint32_t i = 0; i < c.n; i++) {
        vt_expr_row at = c.rows[i];
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
        const vt_var *v = r.vars[vt_expr_table_find(&r.found, created[i].e) - r.found.rows];
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
    uint32_t created;
    if (!computes(st, e)) return e;
    e = introduce(st, (subject){.e = e}, vt_computed_by_expr(&st->computed, e), &created).e;
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
    inside = inside || vt_may_introduce(&c->st->computed, e);
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
    s = introduce(st, (subject){.s = s}, vt_computed_by_stmt(&st->computed, s), &created).s;
    if (created > 0) {
        const vt_stmt *inner = s;
        for (uint32_t i = 0; i < created; i++) inner = inner->u.let.body;
        note_uses(st, s, inner);
        return vt_mutate_stmt(m, s); /* parts of the values may be common with the rest */
    }
    return descend(st, s);
}

const vt_func *vt_pass_common_subexpr(vt_lowering *l, const vt_func *f) {
    vt_ctx *ctx = l->ctx;
    cse st = {.m = {.ctx = ctx, .expr = cse_expr, .stmt = cse_stmt},
              .computed = {.ctx = ctx, .stmt_tables = vt_ptrmap_new(ctx), .memory = vt_ptrmap_new(ctx)},
              .defined = vt_ptrmap_new(ctx),
              .uses = vt_ptrmap_new(ctx),
              .body = f->body};
    for (uint32_t i = 0; i < f->n_params; i++) define(&st, f->params[i], NULL);
    return vt_func_with_body(ctx, f, vt_mutate_stmt(&st.m, f->body));
}
