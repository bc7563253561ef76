/* The statements that say how it is computed: "stage" and the steps below it. */
#include <string.h>

#include "kernel/priv.h"

enum { MAX_AXES = 64 };

static vt_lexer *lexer(vt__reader *r) { return &r->parser.lx; }

te_schedule *vt__schedule(vt__reader *r) {
    vtac_kernel *k = r->kernel;
    if (k->schedule) return k->schedule;
    if (!k->outputs.n)
        vt_raise_at(vt__ctx(r), VTA_PARSE, lexer(r)->token.pos, "a kernel needs an output before its first stage");
    return k->schedule = vt__made(r, te_schedule_create(k->c, k->outputs.n, k->outputs.items));
}

static te_stage *stage(vt__reader *r) {
    if (!r->stage)
        vt_raise_at(vt__ctx(r), VTA_PARSE, lexer(r)->token.pos, "this step needs a stage: write \"stage NAME\" before");
    return r->stage;
}

static te_tensor *tensor(vt__reader *r) { return (te_tensor *)(void *)(uintptr_t)vt_parse_tensor(&r->parser); }

static te_stage *stage_named(vt__reader *r) {
    vt__here(r);
    te_schedule *s = vt__schedule(r);
    return vt__made(r, te_schedule_stage(s, tensor(r)));
}

/* An axis: its number in the computation, the name that a step gave it, or its own name. */
static te_axis *axis_of(vt__reader *r, te_stage *st) {
    vt__here(r);
    if (lexer(r)->token.kind == VT_T_INT) {
        vt_pos pos = lexer(r)->token.pos;
        int64_t index = lexer(r)->token.integer;
        vt_lex_advance(lexer(r));
        te_axis *axis = index < 0 ? NULL : te_stage_axis(st, (size_t)index);
        if (!axis)
            vt_raise_at(vt__ctx(r), VTA_OUT_OF_RANGE, pos, "%s has %zu axes, there is no axis %lld", te_stage_name(st),
                        te_stage_axes(st), (long long)index);
        return axis;
    }
    const char *name = vt_lex_name(lexer(r), "an axis");
    for (uint32_t i = r->n_aliases; i > 0; i--) {
        if (r->aliases[i - 1].stage != st || strcmp(r->aliases[i - 1].name, name) != 0) continue;
        if (!vt_lex_is(lexer(r), ".")) return r->aliases[i - 1].axis;
        name = te_axis_name(r->aliases[i - 1].axis); /* f.inner: what became of f */
        break;
    }
    while (vt_lex_accept(lexer(r), "."))
        name = vt_new_format(vt__ctx(r), "%s.%s", name, vt_lex_name(lexer(r), "the rest of the name"));
    return vt__made(r, te_stage_axis_named(st, name));
}

static uint32_t axis_list(vt__reader *r, te_axis *axes[MAX_AXES]) {
    uint32_t n = 0;
    do {
        if (n == MAX_AXES) vt_lex_unexpected(lexer(r), "fewer axes");
        axes[n++] = axis_of(r, stage(r));
    } while (vt_lex_accept(lexer(r), ","));
    return n;
}

/* "-> a, b": names for the axes that a step made; "_" gives none. The whole list may be left out. */
typedef struct names {
    uint32_t n;
    const char *items[4];
} names;

static names parse_names(vt__reader *r, uint32_t n) {
    names list = {0};
    if (!vt_lex_accept(lexer(r), "->")) return list;
    for (uint32_t i = 0; i < n; i++) {
        if (i) vt_lex_expect(lexer(r), ",", vt_new_format(vt__ctx(r), "and %u names in all", n));
        list.items[list.n++] = vt_lex_name(lexer(r), "a name for the new axis");
    }
    return list;
}

static void give_names(vt__reader *r, const names *list, te_axis *const *axes) {
    for (uint32_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i], "_") == 0) continue;
        vt_grow(vt__ctx(r), &r->aliases, &r->cap_aliases, r->n_aliases + 1, sizeof *r->aliases);
        r->aliases[r->n_aliases++] = (vt__alias){r->stage, list->items[i], axes[i]};
    }
}

static void read_stage(vt__reader *r) {
    r->stage = NULL;
    r->stage = stage_named(r);
    r->kernel->scheduled = true;
}

enum { MAX_SIZES = 256 };

/* "[4, 4, 3]"; the bracket is the current token. */
static size_t size_list(vt__reader *r, int64_t sizes[MAX_SIZES]) {
    size_t n = 0;
    vt_lex_expect(lexer(r), "[", "a list of sizes");
    do {
        if (n == MAX_SIZES) vt_lex_unexpected(lexer(r), "fewer sizes");
        sizes[n++] = vt_parse_int(&r->parser, "a size");
    } while (vt_lex_accept(lexer(r), ","));
    vt_lex_expect(lexer(r), "]", "the end of the list of sizes");
    return n;
}

static void read_split(vt__reader *r) {
    te_axis *axis = axis_of(r, stage(r)), *made[2];
    int64_t sizes[MAX_SIZES];
    bool parts = vt_lex_is(lexer(r), "into");
    if (!vt_lex_accept(lexer(r), "by") && !vt_lex_accept(lexer(r), "into"))
        vt_lex_unexpected(lexer(r), "\"by\" and the inner extent, or \"into\" and the outer");
    size_t n = !parts && vt_lex_is(lexer(r), "[") ? size_list(r, sizes) : 0;
    int64_t number = n ? 0 : vt_parse_int(&r->parser, "a split's number");
    names list = parse_names(r, 2);
    vt__check(r, n       ? te_split_sizes(r->stage, axis, n, sizes, &made[0], &made[1])
                 : parts ? te_split_nparts(r->stage, axis, number, &made[0], &made[1])
                         : te_split(r->stage, axis, number, &made[0], &made[1]));
    give_names(r, &list, made);
}

static void read_fuse(vt__reader *r) {
    te_axis *axes[MAX_AXES], *fused;
    uint32_t n = axis_list(r, axes);
    names list = parse_names(r, 1);
    vt__check(r, te_fuse(r->stage, n, axes, &fused));
    give_names(r, &list, &fused);
}

static void read_reorder(vt__reader *r) {
    te_axis *axes[MAX_AXES];
    uint32_t n = axis_list(r, axes);
    vt__check(r, te_reorder(r->stage, n, axes));
}

static void read_tile(vt__reader *r) {
    te_axis *axes[MAX_AXES], *made[4];
    vt_pos pos = lexer(r)->token.pos;
    if (axis_list(r, axes) != 2) vt_raise_at(vt__ctx(r), VTA_PARSE, pos, "tile takes two axes");
    vt_lex_expect(lexer(r), "by", "and two factors");
    int64_t x = vt_parse_int(&r->parser, "a factor");
    vt_lex_expect(lexer(r), ",", "and the second factor");
    int64_t y = vt_parse_int(&r->parser, "a factor");
    names list = parse_names(r, 4);
    vt__check(r, te_tile(r->stage, axes[0], axes[1], x, y, made));
    give_names(r, &list, made);
}

static void read_compute_at(vt__reader *r) {
    te_stage *st = stage(r), *parent = stage_named(r);
    vt_lex_expect(lexer(r), ",", "and an axis of that stage");
    vt__check(r, te_compute_at(st, parent, axis_of(r, parent)));
}

static void read_inline(vt__reader *r) { vt__check(r, te_compute_inline(stage(r))); }
static void read_root(vt__reader *r) { vt__check(r, te_compute_root(stage(r))); }

static void read_scope(vt__reader *r) {
    te_stage *st = stage(r);
    vt__here(r);
    vt__check(r, te_set_scope(st, vt_lex_name(lexer(r), "a scope: inp, wgt, acc")));
}

static void read_pragma(vt__reader *r) {
    te_axis *axis = axis_of(r, stage(r));
    const char *name = vt_lex_name(lexer(r), "a pragma's name");
    te_expr *value = NULL;
    if (vt_lex_accept(lexer(r), "="))
        value = vt__made(r, te_int(r->kernel->c, "int32", vt_parse_int(&r->parser, "a pragma's value")));
    vt__check(r, te_pragma(r->stage, axis, name, value));
}

static void read_bind(vt__reader *r) {
    te_axis *axis = axis_of(r, stage(r));
    vt__here(r);
    te_axis *thread = vt__made(r, te_thread_axis(r->kernel->c, vt_lex_name(lexer(r), "a thread axis: cthread")));
    vt__check(r, te_bind(r->stage, axis, thread));
}

static void read_vectorize(vt__reader *r) { vt__check(r, te_vectorize(stage(r), axis_of(r, stage(r)))); }
static void read_parallel(vt__reader *r) { vt__check(r, te_parallel(stage(r), axis_of(r, stage(r)))); }
static void read_unroll(vt__reader *r) { vt__check(r, te_unroll(stage(r), axis_of(r, stage(r)))); }

static void read_tensorize(vt__reader *r) {
    te_axis *axis = axis_of(r, stage(r));
    vt_lex_expect(lexer(r), "gemm", "as the intrinsic");
    vt__check(r, te_tensorize(r->stage, axis, NULL));
}

/* "data as data_inp in inp": the name for the copy, and its scope. */
static const char *read_as(vt__reader *r, const char **out_scope) {
    vt_lex_expect(lexer(r), "as", "and a name for the copy");
    const char *name = vt_lex_name(lexer(r), "a name for the copy");
    vt_lex_expect(lexer(r), "in", "and the scope of the copy");
    *out_scope = vt_lex_name(lexer(r), "a scope: inp, wgt, acc");
    return name;
}

static void read_cache_read(vt__reader *r) {
    te_schedule *s = vt__schedule(r);
    te_tensor *readers[MAX_AXES], *t = tensor(r);
    const char *scope, *name = read_as(r, &scope);
    uint32_t n = 0;
    if (vt_lex_accept(lexer(r), "for")) do {
            if (n == MAX_AXES) vt_lex_unexpected(lexer(r), "fewer readers");
            readers[n++] = tensor(r);
        } while (vt_lex_accept(lexer(r), ","));
    vt_te_name_tensor(r->kernel->c, name, vt__made(r, te_cache_read(s, t, scope, n, readers)));
}

static void read_cache_write(vt__reader *r) {
    te_schedule *s = vt__schedule(r);
    te_tensor *t = tensor(r);
    const char *scope, *name = read_as(r, &scope);
    vt_te_name_tensor(r->kernel->c, name, vt__made(r, te_cache_write(s, t, scope)));
}

const vt__statement vt__steps[] = {
    {"stage", read_stage},
    {"split", read_split},
    {"fuse", read_fuse},
    {"reorder", read_reorder},
    {"tile", read_tile},
    {"compute_at", read_compute_at},
    {"inline", read_inline},
    {"root", read_root},
    {"scope", read_scope},
    {"pragma", read_pragma},
    {"bind", read_bind},
    {"vectorize", read_vectorize},
    {"parallel", read_parallel},
    {"unroll", read_unroll},
    {"tensorize", read_tensorize},
    {"cache_read", read_cache_read},
    {"cache_write", read_cache_write},
    {NULL, NULL},
};
