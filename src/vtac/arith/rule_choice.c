/* Which rules may apply to an expression, by the kinds of its operands: most rules ask for operators there, and few
 * combinations of kinds occur. For each combination the rules are looked through once in the life of an analyzer. */
#include "arith/pattern.h"

enum { CHOICES = 64, VECTOR = 1, INDEX = 2 };

struct vt__rule_choice {
    const vt__rules *rules;
    uint32_t form;                 /* of the expression: see form_of */
    const vt__rule *const *chosen; /* ended by NULL */
};

/* What the choice depends on: which lists are asked, and the kinds of at most three operands. */
static uint32_t form_of(const vt_expr *e) {
    _Static_assert(VT_E_COUNT <= 256, "a kind takes 8 bits");
    vt_dtype t = vt_expr_infos[e->kind].cls == VT_CLASS_COMPARE ? e->a[0]->dtype : e->dtype;
    uint32_t form = (t.lanes != 1 ? VECTOR : 0) | (vt_dtype_is_index(t) ? INDEX : 0);
    for (uint32_t i = 0; i < e->n; i++) form = form << 8 | e->a[i]->kind;
    return form;
}

typedef struct chosen {
    const vt__rule **rules;
    uint32_t n, cap;
} chosen;

static void add(vt_ctx *ctx, chosen *to, const vt__rule *rule) {
    vt_grow(ctx, &to->rules, &to->cap, to->n + 1, sizeof *to->rules);
    to->rules[to->n++] = rule;
}

static const vt__rule *const *choose(vt_ctx *ctx, const vt__rules *rules, const vt_expr *e) {
    uint32_t lists_asked = form_of(e) >> 8 * e->n;
    const vt__rule *lists[] = {lists_asked & VECTOR ? rules->vector : NULL, lists_asked & INDEX ? rules->index : NULL,
                               rules->any};
    chosen to = {0};
    for (int i = 0; i < 3; i++)
        for (const vt__rule *r = lists[i]; r && (r->from || r->fn); r++)
            if (r->fn || vt__pat_possible(r->from, e)) add(ctx, &to, r);
    add(ctx, &to, NULL);
    return to.rules;
}

const vt__rule *const *vt__rules_choose(vt_analyzer *an, const vt__rules *rules, const vt_expr *e) {
    if (!an->choices) an->choices = VT_NEW_ARRAY(an->ctx, vt__rule_choice, CHOICES);
    uint32_t form = form_of(e);
    uint64_t hash = ((uintptr_t)rules ^ form) * UINT64_C(0x9e3779b97f4a7c15);
    vt__rule_choice *c = &an->choices[(hash >> 32) % CHOICES];
    if (c->rules == rules && c->form == form) return c->chosen;
    const vt__rule *const *these = choose(an->ctx, rules, e);
    *c = (vt__rule_choice){rules, form, these};
    return these;
}
