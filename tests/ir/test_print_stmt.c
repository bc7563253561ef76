/* Each kind of statement in the two forms of text that functions have, with all that it may carry, and blocks:
 * tests/ir/statements.txt has what is to be printed. */
#include <string.h>

#include "ir/support.h"
#include "support/check.h"

typedef void style(vt_ctx *, const vt_func *, vt_strbuf *);

static const char *text_of(vt_ctx *ctx, const vt_func *f, style *print) {
    vt_strbuf out;
    vt_strbuf_init(&out, NULL);
    print(ctx, f, &out);
    const char *text = vt_new_string(ctx, vt_strbuf_text(&out));
    vt_strbuf_free(&out);
    return text;
}

/* The lines of a function's body, as far out as they can be. */
static void add_body(vt_ctx *ctx, vt_strbuf *all, const vt_stmt *body, style *print) {
    vt_func f = {.name = "main", .result = VT_VOID_T, .body = body};
    bool script = print == vt_print_tvmscript;
    const char *text = text_of(ctx, &f, print), *at = strstr(text, script ? "    def main()" : " {\n");
    assert_non_null(at);
    for (at = strchr(at, '\n') + 1; *at && *at != '}'; at = strchr(at, '\n') + 1) {
        size_t columns = script ? 8 : 2, size = strcspn(at, "\n");
        if (strspn(at, " ") == size) break;
        assert_true(strspn(at, " ") >= columns);
        vt_strbuf_addf(all, "%.*s\n", (int)(size - columns), at + columns);
    }
}

/* What the statements are made of. */
typedef struct parts {
    const vt_var *i, *j, *n, *data, *flag;
    const vt_buffer *a, *strided;
    const vt_tensor *t;
    const vt_expr *two, *three, *five;
    const vt_stmt *first, *second, *both; /* two statements, and a sequence of them */
} parts;

static parts make_parts(vt_ctx *ctx) {
    parts p = {.i = vt_var_new(ctx, "i", VT_I32), .j = vt_var_new(ctx, "j", VT_I32)};
    p.n = vt_var_new(ctx, "n", VT_I32);
    p.flag = vt_var_new(ctx, "flag", VT_BOOL);
    p.data = vt_var_new_pointer(ctx, "D", VT_I8, "local.acc_buffer");
    p.two = vt_i32(ctx, 2), p.three = vt_i32(ctx, 3), p.five = vt_i32(ctx, 5);
    const vt_expr *shape[] = {p.two, p.three}, *apart[] = {vt_i32(ctx, 8), p.two};
    p.a = vt_buffer_new(ctx, "A", NULL, VT_I32, 2, shape);
    vt_buffer fields = *vt_buffer_new(ctx, "S", vt_var_new_pointer(ctx, "S", VT_I8, "local"), VT_I8, 2, shape);
    fields.n_strides = 2;
    fields.strides = vt_exprs_copy(ctx, 2, apart);
    fields.elem_offset = p.n;
    fields.data_alignment = 16;
    fields.offset_factor = 4;
    p.strided = vt_buffer_with(ctx, &fields);
    vt_tensor *t = VT_NEW(ctx, vt_tensor);
    *t = (vt_tensor){.name = "T", .dtype = VT_I32, .ndim = 2, .shape = vt_exprs_copy(ctx, 2, shape)};
    p.t = t;
    p.first = vt_s_eval(ctx, p.two);
    p.second = vt_s_eval(ctx, p.three);
    p.both = vt_s_seq(ctx, 2, (const vt_stmt *[]){p.first, p.second});
    return p;
}

static const vt_note *two_notes(vt_ctx *ctx) {
    vt_note *notes = VT_NEW_ARRAY(ctx, vt_note, 2);
    notes[0] = (vt_note){"fast", vt_i32(ctx, 1)};
    notes[1] = (vt_note){"name", vt_string(ctx, "x")};
    return notes;
}

static const vt_stmt *noted_loop(vt_ctx *ctx, const parts *p, vt_for_kind kind, const vt_expr *min) {
    vt_stmt s = {.kind = VT_S_FOR,
                 .u.loop = {.var = p->i,
                            .min = min,
                            .extent = p->five,
                            .kind = kind,
                            .body = p->first,
                            .n_notes = 2,
                            .notes = two_notes(ctx)}};
    return vt_s_new(ctx, &s);
}

static const vt_stmt *thread_loop(vt_ctx *ctx, const parts *p) {
    vt_stmt s = {
        .kind = VT_S_FOR,
        .u.loop = {.var = p->i, .min = vt_i32(ctx, 0), .extent = p->five, .kind = VT_FOR_THREAD, .body = p->first}};
    s.u.loop.thread = vt_iter_new(ctx, p->j, vt_i32(ctx, 0), p->five, VT_ITER_THREAD_INDEX, "threadIdx.x");
    return vt_s_new(ctx, &s);
}

static const vt_stmt *alloc(vt_ctx *ctx, const parts *p, const vt_expr *condition, bool noted) {
    const vt_expr *extents[] = {p->two, p->five};
    vt_stmt s = vt_stmt_copy(vt_s_alloc(ctx, p->data, VT_I8, 2, extents, condition, p->first));
    s.u.alloc.n_notes = noted ? 2 : 0;
    s.u.alloc.notes = two_notes(ctx);
    return vt_s_new(ctx, &s);
}

static const vt_stmt *with_node(vt_ctx *ctx, const parts *p, vt_ref node) {
    return vt_s_attr(ctx, node, "key", p->three, p->first);
}

static vta_status every_kind(vt_ctx *ctx, void *arg) {
    const parts p = make_parts(ctx);
    const vt_expr *zero = vt_i32(ctx, 0), *at[] = {p.i, p.two}, *sum = vt_add(ctx, p.i, p.n);
    const vt_range box[] = {{zero, p.two}, {p.n, p.three}};
    const vt_iter *thread = vt_iter_new(ctx, p.j, zero, p.five, VT_ITER_THREAD_INDEX, "vthread");
    const vt_iter *open = vt_iter_new(ctx, p.j, NULL, NULL, VT_ITER_THREAD_INDEX, "cthread");
    const vt_stmt *grid =
        vt_s_for(ctx, p.i, zero, p.five, VT_FOR_SERIAL, vt_s_for(ctx, p.j, zero, p.n, VT_FOR_SERIAL, p.both));
    const vt_stmt *triangle =
        vt_s_for(ctx, p.i, zero, p.five, VT_FOR_SERIAL, vt_s_for(ctx, p.j, zero, p.i, VT_FOR_SERIAL, p.first));
    const vt_expr *text = vt_string(ctx, "no");
    const vt_stmt *const all[] = {vt_s_for(ctx, p.i, zero, p.five, VT_FOR_SERIAL, p.first),
                                  vt_s_for(ctx, p.i, p.n, p.five, VT_FOR_SERIAL, p.both),
                                  grid,
                                  triangle,
                                  vt_s_for(ctx, p.i, zero, p.five, VT_FOR_VECTORIZED, p.first),
                                  vt_s_for(ctx, p.i, p.two, p.five, VT_FOR_UNROLLED, p.first),
                                  vt_s_for(ctx, p.i, zero, p.five, VT_FOR_PARALLEL, p.first),
                                  noted_loop(ctx, &p, VT_FOR_SERIAL, zero),
                                  noted_loop(ctx, &p, VT_FOR_PARALLEL, p.two),
                                  thread_loop(ctx, &p),
                                  alloc(ctx, &p, NULL, false),
                                  alloc(ctx, &p, NULL, true),
                                  alloc(ctx, &p, p.flag, false),
                                  vt_s_if(ctx, p.flag, p.both, NULL),
                                  vt_s_if(ctx, p.flag, p.first, p.both),
                                  vt_s_assert(ctx, p.flag, text, p.first),
                                  vt_s_assert(ctx, p.flag, text, NULL),
                                  vt_s_let(ctx, p.i, p.n, vt_s_eval(ctx, sum)),
                                  vt_s_store(ctx, p.a, sum, 2, at),
                                  vt_s_store(ctx, p.strided, vt_int(ctx, VT_I8, 3), 2, at),
                                  vt_s_pstore(ctx, p.t, sum, 2, at),
                                  vt_s_realize(ctx, p.t, 2, box, NULL, "local", p.first),
                                  with_node(ctx, &p, vt_ref_none()),
                                  with_node(ctx, &p, vt_ref_var(p.i)),
                                  with_node(ctx, &p, vt_ref_iter(thread)),
                                  with_node(ctx, &p, vt_ref_iter(open)),
                                  with_node(ctx, &p, vt_ref_tensor(p.t)),
                                  with_node(ctx, &p, vt_ref_buffer(p.a)),
                                  with_node(ctx, &p, vt_ref_string("word")),
                                  with_node(ctx, &p, vt_ref_pair(p.a, p.t)),
                                  with_node(ctx, &p, vt_ref_op(&p))};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        add_body(ctx, arg, all[k], vt_print_tvmscript);
        vt_strbuf_add(arg, "-- followed by another\n");
        add_body(ctx, arg, vt_s_seq(ctx, 2, (const vt_stmt *[]){all[k], p.second}), vt_print_tvmscript);
        vt_strbuf_add(arg, "-- as primfn\n");
        add_body(ctx, arg, all[k], vt_print_primfn);
        vt_strbuf_add(arg, "\n");
    }
    return VTA_OK;
}

/* A block with all that it may have, in loops of which only some are one line. */
static vta_status a_block(vt_ctx *ctx, void *arg) {
    const parts p = make_parts(ctx);
    const vt_expr *zero = vt_i32(ctx, 0), *one = vt_i32(ctx, 1);
    const vt_var *k = vt_var_new(ctx, "k", VT_I32), *l = vt_var_new(ctx, "l", VT_I32);
    const vt_iter *iters[] = {
        vt_iter_new(ctx, vt_var_new(ctx, "i", VT_I32), zero, p.two, VT_ITER_DATA_PAR, NULL),
        vt_iter_new(ctx, vt_var_new(ctx, "j", VT_I32), zero, p.three, VT_ITER_COMM_REDUCE, NULL),
        vt_iter_new(ctx, vt_var_new(ctx, "k", VT_I32), p.two, p.three, VT_ITER_COMM_REDUCE, NULL),
        vt_iter_new(ctx, vt_var_new(ctx, "l", VT_I32), zero, p.five, VT_ITER_DATA_PAR, NULL),
    };
    const vt_expr *bindings[] = {p.i, p.j, k, vt_add(ctx, l, one)};
    const vt_expr *two = p.two, *at[] = {iters[0]->var, iters[3]->var}, *shape[] = {p.two, p.three};
    const vt_buffer *local = vt_buffer_new(ctx, "L", vt_var_new_pointer(ctx, "L", VT_I8, "local"), VT_I8, 1, &two);
    const vt_buffer *global = vt_buffer_new(ctx, "G", NULL, VT_I32, 2, shape), *allocs[] = {local, global};
    const vt_range read[] = {{at[0], one}, {zero, p.three}}, written[] = {{at[0], one}, {at[1], one}};
    const vt_region reads[] = {{p.a, 2, read}, {local, 0, NULL}}, writes[] = {{global, 2, written}};
    const vt_stmt *init = vt_s_store(ctx, global, zero, 2, at);
    const vt_stmt *sum = vt_s_store(ctx, global, vt_add(ctx, vt_e_load(ctx, global, 2, at), one), 2, at);
    vt_stmt s = {.kind = VT_S_BLOCK,
                 .u.block = {.name = "B",
                             .n_iters = 4,
                             .iters = iters,
                             .n_bindings = 4,
                             .bindings = bindings,
                             .n_reads = 2,
                             .reads = reads,
                             .n_writes = 1,
                             .writes = writes,
                             .n_allocs = 2,
                             .allocs = allocs,
                             .init = init,
                             .body = sum}};
    const vt_stmt *inner =
        vt_s_for(ctx, k, p.two, p.three, VT_FOR_SERIAL, vt_s_for(ctx, l, zero, p.j, VT_FOR_SERIAL, vt_s_new(ctx, &s)));
    const vt_stmt *grid =
        vt_s_for(ctx, p.i, zero, p.five, VT_FOR_SERIAL, vt_s_for(ctx, p.j, zero, p.three, VT_FOR_SERIAL, inner));
    const vt_stmt *branch = vt_s_if(ctx, p.flag, p.first, vt_s_let(ctx, p.n, p.five, vt_s_eval(ctx, p.n)));
    vt_stmt root = {.kind = VT_S_BLOCK,
                    .u.block = {.name = "root", .body = vt_s_seq(ctx, 2, (const vt_stmt *[]){grid, branch})}};
    vt_func f = {.name = "main", .result = VT_VOID_T, .body = &root};
    vt_strbuf_add(arg, text_of(ctx, &f, vt_print_tvmscript));
    vt_strbuf_add(arg, text_of(ctx, &f, vt_print_primfn));
    return VTA_OK;
}

TEST_CASE(test_statements) {
    vt_strbuf all;
    size_t size;
    char *expected = check_read_file(VT_SOURCE_DIR "/tests/ir/statements.txt", &size);
    vt_strbuf_init(&all, NULL);
    run_in_context(every_kind, &all, VTA_OK, NULL);
    run_in_context(a_block, &all, VTA_OK, NULL);
    assert_same_text("tests/ir/statements.txt", vt_strbuf_text(&all), expected);
    vt_strbuf_free(&all);
    free(expected);
}

int main(void) { return run_cases(); }
