/* Expressions as text. */
#include "te/parse.h"
#include "arith/analyzer.h"
#include "te/expr.h"

#include <string.h>

enum { DEEPEST = 200, MAX_TERMS = 2000 };

typedef struct infix {
    const char *text;
    te_op op;
    int level; /* higher binds tighter */
} infix;

/* Python's precedences: comparisons bind weaker than bit operations. */
static const infix infixes[] = {
    {"||", TE_OR, 1},   {"or", TE_OR, 1},    {"&&", TE_AND, 2},   {"and", TE_AND, 2},      {"==", TE_EQ, 4},
    {"!=", TE_NE, 4},   {"<", TE_LT, 4},     {"<=", TE_LE, 4},    {">", TE_GT, 4},         {">=", TE_GE, 4},
    {"|", TE_BITOR, 5}, {"^", TE_BITXOR, 6}, {"&", TE_BITAND, 7}, {"<<", TE_SHL, 8},       {">>", TE_SHR, 8},
    {"+", TE_ADD, 9},   {"-", TE_SUB, 9},    {"*", TE_MUL, 10},   {"//", TE_FLOORDIV, 10}, {"%", TE_FLOORMOD, 10},
    {"/", TE_DIV, 10},
};
enum { NOT_LEVEL = 3, COMPARE_LEVEL = 4, LOWEST = 1, N_INFIX = sizeof infixes / sizeof *infixes };

void vt_parser_init(vt_parser *p, te_context *c, const char *text, size_t size, vt_pos start) {
    *p = (vt_parser){.c = c};
    vt_lex_init(&p->lx, &c->ctx, text, size, start);
}

static const vt_expr *parse_level(vt_parser *p, int level);

static void enter(vt_parser *p) {
    if (++p->depth > DEEPEST)
        vt_raise_at(&p->c->ctx, VTA_PARSE, p->lx.token.pos, "the expression is nested more than %d deep", DEEPEST);
}

static void count_term(vt_parser *p) {
    if (++p->terms > MAX_TERMS)
        vt_raise_at(&p->c->ctx, VTA_PARSE, p->lx.token.pos, "the expression has more than %d operators", MAX_TERMS);
}

static const vt_expr *apply(vt_parser *p, te_op op, vt_pos pos, const vt_expr *const *operands) {
    p->c->pos = pos;
    count_term(p);
    return te__apply(p->c, op, operands);
}

/* Comma-separated expressions up to `close`; *out_n of them. */
static const vt_expr *const *parse_list(vt_parser *p, const char *close, uint32_t *out_n) {
    const vt_expr **items = NULL;
    uint32_t n = 0, cap = 0;
    while (!vt_lex_accept(&p->lx, close)) {
        if (n) vt_lex_expect(&p->lx, ",", vt_new_format(&p->c->ctx, "or \"%s\"", close));
        if (n == VT_PARSE_MAX_ITEMS) vt_lex_unexpected(&p->lx, "fewer items in the list");
        vt_grow(&p->c->ctx, &items, &cap, n + 1, sizeof *items);
        items[n++] = vt_parse_expr(p);
    }
    *out_n = n;
    return items;
}

const vt_tensor *vt_parse_tensor(vt_parser *p) {
    vt_pos pos = p->lx.token.pos;
    const char *name = vt_lex_name(&p->lx, "a tensor");
    const te__symbol *s = te__symbol_find(p->c, name, TE__TENSOR);
    if (!s) vt_raise_at(&p->c->ctx, VTA_NOT_FOUND, pos, "there is no tensor \"%s\"", name);
    return s->node;
}

/* A[...] or A[i, j]; the "[" is taken. */
static const vt_expr *parse_load(vt_parser *p, const vt_tensor *t, vt_pos pos) {
    uint32_t n;
    const vt_expr *const *indices;
    if (vt_lex_accept(&p->lx, "...")) {
        vt_lex_expect(&p->lx, "]", "after \"...\"");
        const vt_expr **all = VT_NEW_ARRAY(&p->c->ctx, const vt_expr *, p->n_axes);
        for (n = 0; n < p->n_axes; n++) all[n] = p->axes[n]->var;
        indices = all;
    } else {
        indices = parse_list(p, "]", &n);
    }
    p->c->pos = pos;
    return te__load(p->c, t, n, indices);
}

const vt_iter *vt_parse_reduce_axis(vt_parser *p, const char *name) {
    vt_pos pos = p->lx.token.pos;
    const vt_expr *first = vt_parse_expr(p), *min = vt_i32(&p->c->ctx, 0);
    p->c->pos = pos;
    const vt_iter *axis = te__axis(p->c, name, min, first, true);
    te__symbol_add(p->c, TE__AXIS, name, 0, axis);
    return axis;
}

/* sum[ko, ki: 16](value) or (value, start); the "[" is taken. */
static const vt_expr *parse_reduction(vt_parser *p, te_reduction kind, vt_pos pos) {
    const vt_iter **axes = NULL;
    uint32_t n = 0, cap = 0;
    do {
        vt_pos at = p->lx.token.pos;
        const char *name = vt_lex_name(&p->lx, "a reduce axis");
        if (n == VT_PARSE_MAX_ITEMS) vt_lex_unexpected(&p->lx, "fewer reduce axes");
        vt_grow(&p->c->ctx, &axes, &cap, n + 1, sizeof *axes);
        if (vt_lex_accept(&p->lx, ":")) {
            axes[n++] = vt_parse_reduce_axis(p, name);
            continue;
        }
        const te__symbol *s = te__symbol_find(p->c, name, TE__AXIS);
        if (!s)
            vt_raise_at(&p->c->ctx, VTA_NOT_FOUND, at,
                        "there is no reduce axis \"%s\": declare it, or write %s: extent", name, name);
        axes[n++] = s->node;
    } while (vt_lex_accept(&p->lx, ","));
    vt_lex_expect(&p->lx, "]", "after the reduce axes");
    vt_lex_expect(&p->lx, "(", "before what is reduced");
    const vt_expr *value = vt_parse_expr(p), *start = vt_lex_accept(&p->lx, ",") ? vt_parse_expr(p) : NULL;
    vt_lex_expect(&p->lx, ")", "after what is reduced");
    p->c->pos = pos;
    return te__reduce(p->c, kind, value, start, n, axes);
}

static const vt_expr *parse_cast(vt_parser *p, const char *type, vt_pos pos) {
    const vt_expr *value = vt_parse_expr(p);
    vt_lex_expect(&p->lx, ")", "after what is cast");
    p->c->pos = pos;
    if (value->kind == VT_E_REDUCE)
        te__raise(p->c, VTA_INVALID_ARGUMENT, "a reduction cannot be cast: cast inside it, or make it a tensor");
    return te__cast(p->c, te__dtype(p->c, type), value);
}

static bool is_type(te_context *c, const char *name) {
    vt_dtype t;
    size_t n = strlen(name);
    return (n == 5 && strcmp(name + 3, "_t") == 0 && strstr("inp_t wgt_t acc_t out_t", name)) ||
           (vt_dtype_parse(name, &t) && t.code != VT_HANDLE && c);
}

/* max(a, b), int32(x); the "(" is taken. */
static const vt_expr *parse_function(vt_parser *p, const char *name, vt_pos pos) {
    if (is_type(p->c, name)) return parse_cast(p, name, pos);
    for (int op = 0; op < TE_OP_COUNT; op++) {
        if (strcmp(te_op_text((te_op)op), name) != 0) continue;
        uint32_t n;
        const vt_expr *const *args = parse_list(p, ")", &n);
        if (n != te_op_operands((te_op)op))
            vt_raise_at(&p->c->ctx, VTA_PARSE, pos, "%s takes %zu arguments, not %u", name, te_op_operands((te_op)op),
                        n);
        return apply(p, (te_op)op, pos, args);
    }
    vt_raise_at(&p->c->ctx, VTA_PARSE, pos, "there is no function or type \"%s\"", name);
}

static const vt_expr *parse_variable(vt_parser *p, const char *name, vt_pos pos) {
    for (uint32_t i = 0; i < p->n_axes; i++)
        if (strcmp(vt_var_name(p->axes[i]->var), name) == 0) return p->axes[i]->var;
    const te__symbol *s = te__symbol_find(p->c, name, TE__NO_TENSOR);
    if (!s && te__symbol_find(p->c, name, TE__TENSOR))
        vt_raise_at(&p->c->ctx, VTA_PARSE, pos, "%s is a tensor: write %s[...] or its indices", name, name);
    if (!s) vt_raise_at(&p->c->ctx, VTA_NOT_FOUND, pos, "there is no axis, scalar or constant \"%s\"", name);
    if (s->kind == TE__AXIS) return ((const vt_iter *)s->node)->var;
    if (s->kind == TE__SCALAR) return s->node;
    return te__number(p->c, s->value);
}

static const vt_expr *parse_named(vt_parser *p) {
    vt_pos pos = p->lx.token.pos;
    const char *name = vt_lex_name(&p->lx, "a name");
    if (vt_lex_accept(&p->lx, "(")) return parse_function(p, name, pos);
    if (!vt_lex_accept(&p->lx, "[")) return parse_variable(p, name, pos);
    const te__symbol *s = te__symbol_find(p->c, name, TE__TENSOR);
    if (s) return parse_load(p, s->node, pos);
    static const char *const reductions[] = {[TE_SUM] = "sum", [TE_MIN_OF] = "min", [TE_MAX_OF] = "max"};
    for (int kind = TE_SUM; kind <= TE_MAX_OF; kind++)
        if (strcmp(name, reductions[kind]) == 0) return parse_reduction(p, (te_reduction)kind, pos);
    vt_raise_at(&p->c->ctx, VTA_NOT_FOUND, pos, "there is no tensor \"%s\"", name);
}

static const vt_expr *parse_primary(vt_parser *p) {
    vt_lex_token t = p->lx.token;
    switch (t.kind) {
    case VT_T_INT: vt_lex_advance(&p->lx); return te__number(p->c, t.integer);
    case VT_T_FLOAT: vt_lex_advance(&p->lx); return te__real(p->c, t.real);
    case VT_T_NAME: return parse_named(p);
    case VT_T_END:
    case VT_T_PUNCT:
    case VT_T_BAD: break;
    }
    if (!vt_lex_accept(&p->lx, "(")) vt_lex_unexpected(&p->lx, "an expression");
    const vt_expr *e = vt_parse_expr(p);
    vt_lex_expect(&p->lx, ")", "to close the parenthesis");
    return e;
}

static const vt_expr *parse_unary(vt_parser *p) {
    static const struct {
        const char *text;
        te_op op;
    } prefixes[] = {{"-", TE_NEG}, {"~", TE_BITNOT}, {"!", TE_NOT}};
    vt_pos pos = p->lx.token.pos;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (!vt_lex_accept(&p->lx, prefixes[i].text)) continue;
        enter(p);
        const vt_expr *x = parse_unary(p);
        p->depth--;
        return apply(p, prefixes[i].op, pos, &x);
    }
    return parse_primary(p);
}

static const infix *infix_at(const vt_parser *p, int level) {
    for (int i = 0; i < N_INFIX; i++)
        if (infixes[i].level == level && vt_lex_is(&p->lx, infixes[i].text)) return &infixes[i];
    return NULL;
}

static const vt_expr *parse_not(vt_parser *p) {
    vt_pos pos = p->lx.token.pos;
    if (!vt_lex_accept(&p->lx, "not")) return parse_level(p, COMPARE_LEVEL);
    enter(p);
    const vt_expr *x = parse_not(p);
    p->depth--;
    return apply(p, TE_NOT, pos, &x);
}

static const vt_expr *parse_level(vt_parser *p, int level) {
    if (level > 10) return parse_unary(p);
    if (level == NOT_LEVEL) return parse_not(p);
    const vt_expr *left = parse_level(p, level + 1);
    for (const infix *op; (op = infix_at(p, level));) {
        vt_pos pos = p->lx.token.pos;
        vt_lex_advance(&p->lx);
        left = apply(p, op->op, pos, (const vt_expr *const[]){left, parse_level(p, level + 1)});
        if (level == COMPARE_LEVEL && infix_at(p, level)) vt_lex_unexpected(&p->lx, "&& between two comparisons");
    }
    return left;
}

const vt_expr *vt_parse_expr(vt_parser *p) {
    enter(p);
    const vt_expr *e = parse_level(p, LOWEST);
    p->depth--;
    return e;
}

int64_t vt_parse_int(vt_parser *p, const char *what) {
    vt_pos pos = p->lx.token.pos;
    const vt_expr *e = vt_simplify_free(&p->c->ctx, vt_parse_expr(p));
    if (e->kind != VT_E_INT || vt_dtype_is_bool(e->dtype))
        vt_raise_at(&p->c->ctx, VTA_PARSE, pos, "%s must be an integer constant", what);
    return e->u.i;
}

int64_t *vt_parse_ints(vt_parser *p, const char *what, uint32_t *out_n) {
    int64_t *items = NULL;
    uint32_t n = 0, cap = 0;
    vt_lex_expect(&p->lx, "[", vt_new_format(&p->c->ctx, "before %s", what));
    while (!vt_lex_accept(&p->lx, "]")) {
        if (n) vt_lex_expect(&p->lx, ",", "or \"]\"");
        if (n == VT_PARSE_MAX_ITEMS) vt_lex_unexpected(&p->lx, "fewer items in the list");
        vt_grow(&p->c->ctx, &items, &cap, n + 1, sizeof *items);
        items[n++] = vt_parse_int(p, what);
    }
    *out_n = n;
    return items;
}
