/* Definitions of tensors as text, and the public functions that take text. */
#include <string.h>

#include "te/expr.h"
#include "te/operation.h"
#include "te/parse.h"

static const vt_iter *parse_dim(vt_parser *p, uint32_t index) {
    vt_ctx *ctx = &p->c->ctx;
    vt_lexer before = p->lx;
    const char *name = NULL;
    if (p->lx.token.kind == VT_T_NAME) {
        name = vt_lex_name(&p->lx, "an axis");
        if (!vt_lex_accept(&p->lx, ":")) {
            p->lx = before;
            name = NULL;
        }
    }
    p->c->pos = before.token.pos;
    const vt_expr *extent = vt_int(ctx, VT_I32, vt_parse_int(p, "an extent"));
    p->c->pos = before.token.pos;
    return te__axis(p->c, name ? name : vt_new_format(ctx, "i%u", index), vt_i32(ctx, 0), extent, false);
}

static const vt_iter *const *parse_dims(vt_parser *p, uint32_t *out_n) {
    const vt_iter **axes = NULL;
    uint32_t n = 0, cap = 0;
    vt_lex_expect(&p->lx, "[", "and the shape, or \"like\" and a tensor");
    while (!vt_lex_accept(&p->lx, "]")) {
        if (n) vt_lex_expect(&p->lx, ",", "or \"]\"");
        if (n == VT_PARSE_MAX_ITEMS) vt_lex_unexpected(&p->lx, "fewer dimensions");
        vt_grow(&p->c->ctx, &axes, &cap, n + 1, sizeof *axes);
        axes[n] = parse_dim(p, n);
        n++;
    }
    *out_n = n;
    return axes;
}

static const vt_iter *const *axes_like(te_context *c, const vt_tensor *t) {
    const vt_iter **axes = VT_NEW_ARRAY(&c->ctx, const vt_iter *, t->ndim);
    for (uint32_t i = 0; i < t->ndim; i++)
        axes[i] = te__axis(c, vt_new_format(&c->ctx, "i%u", i), vt_i32(&c->ctx, 0), t->shape[i], false);
    return axes;
}

/* pad(x, [before] {, [after]} {, value}); the name "pad" is the current token. */
static const vt_tensor *parse_pad(vt_parser *p, const char *name, vt_pos pos) {
    vt_lex_advance(&p->lx);
    vt_lex_expect(&p->lx, "(", "after pad");
    const vt_tensor *x = vt_parse_tensor(p);
    vt_lex_expect(&p->lx, ",", "and the padding before each dimension");
    uint32_t n, m;
    int64_t *before = vt_parse_ints(p, "a padding", &n), *after = before;
    double value = 0;
    m = n;
    bool more = vt_lex_accept(&p->lx, ",");
    if (more && vt_lex_is(&p->lx, "[")) {
        after = vt_parse_ints(p, "a padding", &m);
        more = vt_lex_accept(&p->lx, ",");
    }
    if (more) value = (double)vt_parse_int(p, "the padding's value");
    vt_lex_expect(&p->lx, ")", "after the padding");
    p->c->pos = pos;
    if (n != x->ndim || m != x->ndim)
        te__raise(p->c, VTA_INVALID_ARGUMENT, "%s has %u dimensions, but the padding is given for %u", x->name, x->ndim,
                  n != x->ndim ? n : m);
    return te__pad(p->c, x, name, before, after, value);
}

const vt_tensor *vt_parse_definition(vt_parser *p) {
    vt_pos pos = p->lx.token.pos;
    const char *name = vt_lex_name(&p->lx, "the name of a tensor");
    if (vt_lex_accept(&p->lx, "=")) {
        if (!vt_lex_is(&p->lx, "pad")) vt_lex_unexpected(&p->lx, "pad(...), or the tensor's shape before \"=\"");
        return parse_pad(p, name, pos);
    }
    uint32_t n;
    const vt_iter *const *axes;
    if (vt_lex_accept(&p->lx, "like")) {
        const vt_tensor *t = vt_parse_tensor(p);
        axes = axes_like(p->c, t);
        n = t->ndim;
    } else {
        axes = parse_dims(p, &n);
    }
    vt_lex_expect(&p->lx, "=", "and the tensor's body");
    p->axes = axes;
    p->n_axes = n;
    p->terms = 0;
    const vt_expr *body = vt_parse_expr(p);
    p->n_axes = 0;
    p->c->pos = pos;
    return te__compute(p->c, name, "", n, axes, 1, &body)->outputs[0];
}

/* ---- Public ---- */

static void expect_end(vt_parser *p) {
    if (p->lx.token.kind != VT_T_END) vt_lex_unexpected(&p->lx, "an operator or the end");
}

static te_expr *parse_expression(te_context *c, const char *text) {
    te__need(c, text, "an expression");
    vt_parser p;
    vt_parser_init(&p, c, text, strlen(text), c->pos);
    const vt_expr *e = vt_parse_expr(&p);
    expect_end(&p);
    return te__out(e);
}

static te_tensor *parse_definition(te_context *c, const char *text) {
    te__need(c, text, "a definition");
    vt_parser p;
    vt_parser_init(&p, c, text, strlen(text), c->pos);
    const vt_tensor *t = vt_parse_definition(&p);
    expect_end(&p);
    return te__out(t);
}

/* "bo, co, bi" into names; NULL gives i0, i1, ... */
static const vt_iter *const *named_axes(te_context *c, const char *names, size_t n, const int64_t *shape) {
    const vt_iter **axes = VT_NEW_ARRAY(&c->ctx, const vt_iter *, n);
    vt_lexer lx;
    if (names) vt_lex_init(&lx, &c->ctx, names, strlen(names), c->pos);
    for (size_t i = 0; i < n; i++) {
        if (names && i) vt_lex_expect(&lx, ",", "between the names of axes");
        const char *name = names ? vt_lex_name(&lx, "the name of an axis") : vt_new_format(&c->ctx, "i%zu", i);
        axes[i] = te__axis(c, name, vt_i32(&c->ctx, 0), vt_int(&c->ctx, VT_I32, shape[i]), false);
    }
    if (names && lx.token.kind != VT_T_END)
        te__raise(c, VTA_INVALID_ARGUMENT, "more names of axes than the %zu dimensions", n);
    return axes;
}

static te_tensor *compute(te_context *c, const char *text, size_t ndim, const int64_t *shape, const char *axes,
                          const char *body) {
    te__need(c, body, "a body");
    if (ndim) te__need(c, shape, "a shape");
    const char *name = te__name(c, text, "a tensor");
    for (size_t i = 0; i < ndim; i++)
        if (shape[i] < 1 || shape[i] > INT32_MAX)
            te__raise(c, VTA_OUT_OF_RANGE, "dimension %zu of %s is %lld", i, name, (long long)shape[i]);
    vt_pos pos = c->pos;
    vt_parser p;
    vt_parser_init(&p, c, body, strlen(body), c->pos);
    p.axes = named_axes(c, axes, ndim, shape);
    p.n_axes = (uint32_t)ndim;
    const vt_expr *value = vt_parse_expr(&p);
    expect_end(&p);
    c->pos = pos;
    return te__out(te__compute(c, name, "", p.n_axes, p.axes, 1, &value)->outputs[0]);
}

/* The parser moves the context's position; these put it back, whatever happens. */

static te_expr *try_parse(te_context *c, const char *text) { TE_RETURN(c, parse_expression(c, text)); }
static te_tensor *try_define(te_context *c, const char *text) { TE_RETURN(c, parse_definition(c, text)); }
static te_tensor *try_compute(te_context *c, const char *name, size_t ndim, const int64_t *shape, const char *axes,
                              const char *body) {
    TE_RETURN(c, compute(c, name, ndim, shape, axes, body));
}

te_expr *te_parse(te_context *c, const char *text) {
    if (!vt_is(c, VT_TAG_CONTEXT)) return NULL;
    vt_pos pos = c->pos;
    te_expr *out = try_parse(c, text);
    c->pos = pos;
    return out;
}

te_tensor *te_define(te_context *c, const char *definition) {
    if (!vt_is(c, VT_TAG_CONTEXT)) return NULL;
    vt_pos pos = c->pos;
    te_tensor *out = try_define(c, definition);
    c->pos = pos;
    return out;
}

te_tensor *te_compute(te_context *c, const char *name, size_t ndim, const int64_t shape[], const char *axes,
                      const char *body) {
    if (!vt_is(c, VT_TAG_CONTEXT)) return NULL;
    vt_pos pos = c->pos;
    te_tensor *out = try_compute(c, name, ndim, shape, axes, body);
    c->pos = pos;
    return out;
}
