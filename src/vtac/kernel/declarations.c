/* The statements that say what is computed. */
#include "kernel/priv.h"

static vt_lexer *lexer(vt__reader *r) { return &r->parser.lx; }

static void refuse_after_schedule(vt__reader *r, const char *what) {
    if (r->kernel->schedule)
        vt_raise_at(vt__ctx(r), VTA_PARSE, lexer(r)->token.pos, "%s must stand before the first stage", what);
}

static void read_param(vt__reader *r) {
    const char *name = vt_lex_name(lexer(r), "the name of a parameter");
    vt_lex_expect(lexer(r), "=", "and the parameter's default");
    int64_t value = vt_parse_int(&r->parser, "a parameter's default");
    vt__override_of(r, name, &value);
    vt__name_add(r, &r->params, name);
    vt__check(r, te_constant(r->kernel->c, name, value));
}

static void read_params(vt__reader *r) {
    refuse_after_schedule(r, "param");
    do read_param(r);
    while (vt_lex_accept(lexer(r), ","));
}

static void read_kernel(vt__reader *r) {
    r->kernel->name = vt_lex_name(lexer(r), "the kernel's name");
    if (!vt_lex_accept(lexer(r), "(")) return;
    read_params(r);
    vt_lex_expect(lexer(r), ")", "after the parameters");
}

static void read_let(vt__reader *r) {
    refuse_after_schedule(r, "let");
    do {
        const char *name = vt_lex_name(lexer(r), "the name of a constant");
        vt_lex_expect(lexer(r), "=", "and the constant's value");
        vt__check(r, te_constant(r->kernel->c, name, vt_parse_int(&r->parser, "a constant")));
    } while (vt_lex_accept(lexer(r), ","));
}

static void add_tensor(vt__reader *r, vt__tensors *list, te_tensor *t) {
    vt_grow(vt__ctx(r), &list->items, &list->cap, list->n + 1, sizeof *list->items);
    list->items[list->n++] = t;
}

static void read_input(vt__reader *r) {
    refuse_after_schedule(r, "input");
    uint32_t n;
    vt_pos pos = lexer(r)->token.pos;
    const char *name = vt_lex_name(lexer(r), "the name of an input");
    vt_lex_expect(lexer(r), ":", "and the input's type");
    const char *type = vt_lex_name(lexer(r), "a type");
    const int64_t *shape = vt_parse_ints(&r->parser, "the shape", &n);
    te_context_at(r->kernel->c, pos.file, pos.line, pos.column);
    add_tensor(r, &r->kernel->inputs, vt__made(r, te_placeholder(r->kernel->c, name, type, n, shape)));
}

static void read_reduce(vt__reader *r) {
    refuse_after_schedule(r, "reduce");
    do {
        const char *name = vt_lex_name(lexer(r), "the name of a reduce axis");
        vt_lex_expect(lexer(r), "=", "and the axis's extent");
        vt_parse_reduce_axis(&r->parser, name);
    } while (vt_lex_accept(lexer(r), ","));
}

static te_tensor *definition(vt__reader *r, const char *what) {
    refuse_after_schedule(r, what);
    return (te_tensor *)(void *)(uintptr_t)vt_parse_definition(&r->parser);
}

static void read_tensor(vt__reader *r) { definition(r, "tensor"); }

static void read_output(vt__reader *r) { add_tensor(r, &r->kernel->outputs, definition(r, "output")); }

static void read_target(vt__reader *r) {
    if (!vt_lex_is(lexer(r), "vta") && !vt_lex_is(lexer(r), "llvm")) vt_lex_unexpected(lexer(r), "vta or llvm");
    r->kernel->target = vt_lex_name(lexer(r), "a target");
}

static void read_disable(vt__reader *r) {
    do {
        const char *name = vt_lex_name(lexer(r), "the name of a pass");
        while (vt_lex_accept(lexer(r), "."))
            name = vt_new_format(vt__ctx(r), "%s.%s", name, vt_lex_name(lexer(r), "the rest of the name"));
        const char *old = r->kernel->disabled;
        r->kernel->disabled = vt_new_format(vt__ctx(r), "%s%s%s", old, *old ? "," : "", name);
    } while (vt_lex_accept(lexer(r), ","));
}

const vt__statement vt__declarations[] = {
    {"kernel", read_kernel},   {"target", read_target},
    {"disable", read_disable}, {"param", read_params},
    {"let", read_let},         {"input", read_input},
    {"reduce", read_reduce},   {"tensor", read_tensor},
    {"output", read_output},   {NULL, NULL},
};
