/* Each rule of the verifier by itself: a function that breaks it and nothing else, with the message; and scopes, each
 * with a use inside of it, which is fine, and one behind it, which is not. */
#include <stdio.h>
#include <string.h>

#include "ir/attr.h"
#include "ir/support.h"
#include "ir/verify.h"

/* What the functions are made of: a parameter A of 8 elements, and things that nothing defines. */
typedef struct parts {
    vt_ctx *ctx;
    flat f;
    const vt_var *i;
    const vt_expr *zero, *four, *is;
    const vt_buffer *plane;  /* 4 x 4 x 4 */
    const vt_tensor *tensor; /* 4 x 4 */
    const vt_stmt *nop;
} parts;

static void begin(parts *p, vt_ctx *ctx) {
    static const char *const names[] = {"A"};
    p->ctx = ctx;
    flat_begin(ctx, &p->f, 1, names, (const int64_t[]){8});
    p->i = vt_var_new(ctx, "i", VT_I32);
    p->zero = vt_i32(ctx, 0);
    p->four = vt_i32(ctx, 4);
    p->is = vt_bool(ctx, true);
    p->nop = vt_s_nop(ctx);
    const vt_expr *shape[] = {p->four, p->four, p->four};
    p->plane = vt_buffer_new(ctx, "plane", NULL, VT_I32, 3, shape);
    vt_tensor *t = VT_NEW(ctx, vt_tensor);
    *t = (vt_tensor){.name = "T", .dtype = VT_I32, .ndim = 2, .shape = vt_exprs_copy(ctx, 2, shape)};
    p->tensor = t;
}

/* An expression as it is: nothing is checked when it is made. */
static vt_expr *raw(parts *p, vt_expr_kind kind, uint32_t n, const vt_expr *const *operands) {
    vt_expr *e = vt_new_bytes(p->ctx, sizeof *e + n * sizeof *e->a);
    *e = *p->zero;
    e->kind = (uint8_t)kind;
    e->n = n;
    for (uint32_t k = 0; k < n; k++) e->a[k] = operands[k];
    return e;
}

static const vt_stmt *eval(parts *p, const vt_expr *e) { return vt_s_eval(p->ctx, e); }
static const vt_stmt *both(parts *p, const vt_stmt *a, const vt_stmt *b) {
    return vt_s_seq(p->ctx, 2, (const vt_stmt *[]){a, b});
}
static const vt_iter *axis(parts *p, const vt_var *v) {
    return vt_iter_new(p->ctx, v, p->zero, p->four, VT_ITER_DATA_PAR, "");
}

/* ---- What is wrong by itself ------------------------------------------------------------------------------------- */

static const vt_stmt *buffer_dimensions(parts *p) {
    const vt_expr *indices[] = {p->zero, p->zero};
    vt_expr *load = raw(p, VT_E_LOAD, 2, indices);
    load->u.buffer = p->plane;
    return vt_s_alloc(p->ctx, p->plane->data, VT_I32, 1, &p->four, NULL, eval(p, load));
}

static const vt_stmt *load_of_nothing(parts *p) { return eval(p, load1(p->ctx, p->plane, p->zero)); }

static const vt_stmt *tensor_of_nothing(parts *p) {
    const vt_expr *indices[] = {p->zero, p->zero};
    return eval(p, vt_e_pload(p->ctx, p->tensor, 2, indices));
}

static const vt_stmt *realized(parts *p, uint32_t bounds, const vt_stmt *body) {
    vt_range r[3] = {{p->zero, p->four}, {p->zero, p->four}, {p->zero, p->four}};
    vt_stmt s = {.kind = VT_S_REALIZE};
    s.u.realize.tensor = p->tensor;
    s.u.realize.n_bounds = bounds;
    s.u.realize.bounds = memcpy(vt_new_bytes(p->ctx, sizeof r), r, sizeof r);
    s.u.realize.condition = p->is;
    s.u.realize.scope = "";
    s.u.realize.body = body;
    return vt_s_new(p->ctx, &s);
}

static const vt_stmt *tensor_dimensions(parts *p) {
    vt_expr *load = raw(p, VT_E_PLOAD, 1, &p->zero);
    load->u.tensor = p->tensor;
    return realized(p, 2, eval(p, load));
}

static const vt_stmt *realize_bounds(parts *p) { return realized(p, 3, p->nop); }

static const vt_stmt *select_condition(parts *p) {
    const vt_expr *operands[] = {p->four, p->is, p->is};
    return eval(p, raw(p, VT_E_SELECT, 3, operands));
}

static const vt_stmt *call_of(parts *p, vt_op op, uint32_t n, const vt_expr *const *operands) {
    vt_expr *call = raw(p, VT_E_CALL, n, operands);
    call->u.op = op;
    return eval(p, call);
}

static const vt_stmt *call_condition(parts *p) {
    const vt_expr *operands[] = {p->four, p->is, p->is};
    return call_of(p, VT_OP_IF_THEN_ELSE, 3, operands);
}

static const vt_stmt *call_arguments(parts *p) { return call_of(p, VT_OP_SHIFT_LEFT, 1, &p->zero); }
static const vt_stmt *call_one_argument(parts *p) {
    const vt_expr *operands[] = {p->zero, p->zero};
    return call_of(p, VT_OP_LIKELY, 2, operands);
}

static const vt_stmt *loop_of(parts *p, const vt_var *v, const vt_expr *min, const vt_expr *extent,
                              const vt_stmt *body) {
    return vt_s_for(p->ctx, v, min, extent, VT_FOR_SERIAL, body);
}

static const vt_stmt *loop_of_floats(parts *p) {
    const vt_expr *one = vt_float(p->ctx, VT_F32, 1);
    return loop_of(p, vt_var_new(p->ctx, "x", VT_F32), one, one, p->nop);
}

static const vt_stmt *loop_min(parts *p) { return loop_of(p, p->i, vt_int(p->ctx, VT_I64, 0), p->four, p->nop); }
static const vt_stmt *loop_extent(parts *p) { return loop_of(p, p->i, p->zero, vt_int(p->ctx, VT_I64, 4), p->nop); }

static const vt_stmt *alloc_of(parts *p, const vt_var *v, const vt_expr *condition, const vt_stmt *body) {
    vt_stmt s = {.kind = VT_S_ALLOC};
    s.u.alloc.var = v;
    s.u.alloc.dtype = VT_I32;
    s.u.alloc.n_extents = 1;
    s.u.alloc.extents = &p->four;
    s.u.alloc.condition = condition;
    s.u.alloc.body = body;
    return vt_s_new(p->ctx, &s);
}

static const vt_stmt *alloc_no_pointer(parts *p) { return alloc_of(p, p->i, p->is, p->nop); }
static const vt_stmt *alloc_condition(parts *p) { return alloc_of(p, p->plane->data, p->four, p->nop); }

static const vt_stmt *block_values(parts *p) {
    const vt_iter **iters = vt_new_bytes(p->ctx, sizeof *iters);
    *iters = axis(p, p->i);
    vt_stmt s = {.kind = VT_S_BLOCK};
    s.u.block.name = "b";
    s.u.block.n_iters = 1;
    s.u.block.iters = iters;
    s.u.block.body = p->nop;
    return vt_s_new(p->ctx, &s);
}

static const vt_stmt *let_type(parts *p) { return vt_s_let(p->ctx, p->i, vt_int(p->ctx, VT_I64, 0), p->nop); }
static const vt_stmt *if_condition(parts *p) { return vt_s_if(p->ctx, p->four, p->nop, NULL); }
static const vt_stmt *assert_condition(parts *p) {
    return vt_s_assert(p->ctx, p->four, vt_string(p->ctx, "never"), p->nop);
}

static const vt_stmt *store_type(parts *p) {
    return store1(p->ctx, p->f.buffers[0], vt_int(p->ctx, VT_I8, 1), p->zero);
}

static const vt_stmt *tensor_store_type(parts *p) {
    const vt_expr *indices[] = {p->zero, p->zero};
    return realized(p, 2, vt_s_pstore(p->ctx, p->tensor, vt_int(p->ctx, VT_I8, 1), 2, indices));
}

static const vt_stmt *tensor_store_dimensions(parts *p) {
    return realized(p, 2, vt_s_pstore(p->ctx, p->tensor, p->zero, 1, &p->zero));
}

static const struct rule {
    const vt_stmt *(*body)(parts *p);
    const char *message; /* behind "error: main: " */
} rules[] = {
    {buffer_dimensions, "buffer plane has another number of dimensions than the access has indices"},
    {load_of_nothing, "buffer plane is reached where nothing allocates it"},
    {tensor_of_nothing, "tensor T is neither realized nor bound"},
    {tensor_dimensions, "tensor T has another number of dimensions than the access has indices"},
    {realize_bounds, "T is realized with a wrong number of bounds"},
    {select_condition, "the condition of a select is not a bool"},
    {call_condition, "the condition of if_then_else is not a bool"},
    {call_arguments, "tir.shift_left has a wrong number of arguments"},
    {call_one_argument, "tir.likely has a wrong number of arguments"},
    {loop_of_floats, "loop variable x is not an integer"},
    {loop_min, "loop i and its bounds differ in type"},
    {loop_extent, "loop i and its bounds differ in type"},
    {alloc_no_pointer, "i is allocated but no pointer"},
    {alloc_condition, "the condition of the allocation of plane is not a bool"},
    {block_values, "block b has variables without values"},
    {let_type, "i and its value differ in type"},
    {if_condition, "the condition of an if is not a bool"},
    {assert_condition, "the condition of an assert is not a bool"},
    {store_type, "the store to A has a value of another type"},
    {tensor_store_type, "the store to T has a value of another type"},
    {tensor_store_dimensions, "tensor T has another number of dimensions than the access has indices"},
};

static vta_status check_rule(vt_ctx *ctx, void *arg) {
    const struct rule *r = arg;
    parts p;
    begin(&p, ctx);
    p.f.func.body = r->body(&p);
    return vt_verify(ctx, &p.f.func, ctx->diag);
}

static void test_rules(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        struct rule r = rules[k];
        char message[200];
        snprintf(message, sizeof message, "error: main: %s", r.message);
        run_in_context(check_rule, &r, VTA_ILLEGAL, message);
    }
}

/* ---- Scopes ------------------------------------------------------------------------------------------------------ */

static const vt_stmt *use(parts *p) { return eval(p, p->i); }

/* The statement that defines i, around a body; `value` stands where the statement takes an expression of its own. */
typedef const vt_stmt *(*scope)(parts *p, const vt_expr *value, const vt_stmt *body);

static const vt_stmt *let_scope(parts *p, const vt_expr *value, const vt_stmt *body) {
    return vt_s_let(p->ctx, p->i, value, body);
}
static const vt_stmt *min_scope(parts *p, const vt_expr *value, const vt_stmt *body) {
    return loop_of(p, p->i, value, p->four, body);
}
static const vt_stmt *extent_scope(parts *p, const vt_expr *value, const vt_stmt *body) {
    return loop_of(p, p->i, p->zero, value, body);
}
static const vt_stmt *thread_scope(parts *p, const vt_expr *value, const vt_stmt *body) {
    return vt_s_attr(p->ctx, vt_ref_iter(axis(p, p->i)), VT_ATTR_VIRTUAL_THREAD, value, body);
}
static const vt_stmt *block_scope(parts *p, const vt_expr *value, const vt_stmt *body) {
    vt_stmt s = {.kind = VT_S_BLOCK};
    const vt_iter **iters = vt_new_bytes(p->ctx, sizeof *iters);
    *iters = axis(p, p->i);
    s.u.block.name = "b";
    s.u.block.n_iters = s.u.block.n_bindings = 1;
    s.u.block.iters = iters;
    s.u.block.bindings = vt_exprs_copy(p->ctx, 1, &value);
    s.u.block.init = body;
    s.u.block.body = body;
    return vt_s_new(p->ctx, &s);
}

/* A buffer whose shape, strides or first element is i is bound. */
static const vt_stmt *bound_scope(parts *p, const vt_buffer *fields, const vt_expr *value, const vt_stmt *body) {
    return vt_s_attr(p->ctx, vt_ref_pair(vt_buffer_with(p->ctx, fields), p->tensor), VT_ATTR_BIND_BUFFER, value, body);
}
static const vt_stmt *shape_scope(parts *p, const vt_expr *value, const vt_stmt *body) {
    vt_buffer b = *p->plane;
    const vt_expr *shape[] = {p->four, p->i, p->four};
    b.shape = vt_exprs_copy(p->ctx, 3, shape);
    return bound_scope(p, &b, value, body);
}
static const vt_stmt *strides_scope(parts *p, const vt_expr *value, const vt_stmt *body) {
    vt_buffer b = *p->plane;
    const vt_expr *strides[] = {p->four, p->four, p->i};
    b.n_strides = 3;
    b.strides = vt_exprs_copy(p->ctx, 3, strides);
    return bound_scope(p, &b, value, body);
}
static const vt_stmt *offset_scope(parts *p, const vt_expr *value, const vt_stmt *body) {
    vt_buffer b = *p->plane;
    b.elem_offset = p->i;
    return bound_scope(p, &b, value, body);
}

static const struct scope_row {
    scope make;
    const char *name;
    bool nests; /* the same variable inside of its own scope means the same, and is no mistake */
} scopes[] = {
    {let_scope, "let", false},        {min_scope, "min of a loop", false}, {extent_scope, "extent of a loop", false},
    {thread_scope, "thread", true},   {block_scope, "block", false},       {shape_scope, "shape", true},
    {strides_scope, "strides", true}, {offset_scope, "offset", true},
};

typedef enum where { INSIDE, BEHIND, IN_VALUE, TWICE, AGAIN, WHERE_COUNT } where;

typedef struct scope_case {
    const struct scope_row *row;
    where where;
} scope_case;

static vta_status check_scope(vt_ctx *ctx, void *arg) {
    const scope_case *c = arg;
    parts p;
    begin(&p, ctx);
    scope make = c->row->make;
    switch (c->where) {
    case INSIDE: p.f.func.body = make(&p, p.zero, use(&p)); break;
    case BEHIND: p.f.func.body = both(&p, make(&p, p.zero, p.nop), use(&p)); break;
    case IN_VALUE: p.f.func.body = make(&p, p.i, p.nop); break;
    case TWICE: p.f.func.body = make(&p, p.zero, make(&p, p.zero, p.nop)); break;
    case AGAIN: p.f.func.body = both(&p, make(&p, p.zero, p.nop), make(&p, p.zero, use(&p))); break;
    case WHERE_COUNT: break;
    }
    return vt_verify(ctx, &p.f.func, ctx->diag);
}

static void test_scopes(void **state) {
    (void)state;
    static const char undefined[] = "error: main: variable i is used where it is not defined";
    for (size_t k = 0; k < sizeof scopes / sizeof scopes[0]; k++)
        for (int w = 0; w < WHERE_COUNT; w++) {
            scope_case c = {&scopes[k], (where)w};
            bool fine = w == INSIDE || w == AGAIN || (w == TWICE && c.row->nests);
            /* a block stands its body twice in the test: as the start and as the rest, and both say it */
            const char *message = fine ? "" : w == TWICE ? NULL : undefined;
            run_in_context(check_scope, &c, fine ? VTA_OK : VTA_ILLEGAL, message);
        }
}

/* Of expressions: let, and the axes of a reduction. */
static const vt_expr *let_around(parts *p, const vt_expr *value, const vt_expr *body) {
    return vt_e_let(p->ctx, p->i, value, body);
}
static const vt_expr *sum_over(parts *p, const vt_var *axis, const vt_expr *body) {
    const vt_var *x = vt_var_new(p->ctx, "x", VT_I32), *y = vt_var_new(p->ctx, "y", VT_I32);
    vt_combiner *sum = VT_NEW(p->ctx, vt_combiner);
    const vt_expr *added = vt_add(p->ctx, x, y);
    *sum = (vt_combiner){1, vt_exprs_copy(p->ctx, 1, &x), vt_exprs_copy(p->ctx, 1, &y),
                         vt_exprs_copy(p->ctx, 1, &added), vt_exprs_copy(p->ctx, 1, &p->zero)};
    const vt_iter *over[] = {vt_iter_new(p->ctx, axis, p->zero, p->four, VT_ITER_COMM_REDUCE, "")};
    return vt_e_reduce(p->ctx, sum, 1, &body, 1, over, NULL, NULL, 0);
}
static const vt_expr *sum_around(parts *p, const vt_expr *value, const vt_expr *body) {
    (void)value;
    return sum_over(p, p->i, body);
}

typedef struct expr_case {
    const vt_expr *(*make)(parts *p, const vt_expr *value, const vt_expr *body);
    bool behind;
} expr_case;

static vta_status check_expr_scope(vt_ctx *ctx, void *arg) {
    const expr_case *c = arg;
    parts p;
    begin(&p, ctx);
    const vt_expr *e = c->make(&p, p.zero, vt_add(ctx, p.i, p.four));
    p.f.func.body = c->behind ? both(&p, eval(&p, e), use(&p)) : both(&p, eval(&p, e), eval(&p, e));
    return vt_verify(ctx, &p.f.func, ctx->diag);
}

/* A variable that nothing defines, in each kind of expression that has operands. */
static vta_status undefined_within(vt_ctx *ctx, void *arg) {
    const int *which = arg;
    parts p;
    begin(&p, ctx);
    const vt_var *other = vt_var_new(ctx, "j", VT_I32);
    const vt_expr *shifted[] = {p.i, p.four};
    const vt_expr *const all[] = {
        vt_e_let(ctx, p.i, p.i, p.zero), vt_e_let(ctx, other, p.zero, p.i),
        vt_add(ctx, p.i, p.four),        vt_e_select(ctx, p.is, p.i, p.four),
        vt_e_cast(ctx, VT_I8, p.i),      vt_e_ramp(ctx, p.i, p.four, 4),
        vt_e_broadcast(ctx, p.i, 4),     vt_e_call(ctx, VT_I32, VT_OP_SHIFT_LEFT, 2, shifted),
        load1(ctx, p.f.buffers[0], p.i), sum_over(&p, other, p.i),
    };
    if (*which >= (int)(sizeof all / sizeof all[0])) return VTA_NOT_FOUND;
    p.f.func.body = eval(&p, all[*which]);
    return vt_verify(ctx, &p.f.func, ctx->diag);
}

static void test_expression_scopes(void **state) {
    (void)state;
    expr_case cases[] = {{let_around, false}, {let_around, true}, {sum_around, false}, {sum_around, true}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        run_in_context(check_expr_scope, &cases[k], cases[k].behind ? VTA_ILLEGAL : VTA_OK,
                       cases[k].behind ? "error: main: variable i is used where it is not defined" : "");
    for (int which = 0; which < 10; which++)
        run_in_context(undefined_within, &which, VTA_ILLEGAL,
                       "error: main: variable i is used where it is not defined");
}

/* ---- Buffers, tensors and the function's own -------------------------------------------------------------------- */

/* Allocated memory and a realized tensor are there inside of their statement and not behind it. */
static vta_status memory_scope(vt_ctx *ctx, void *arg) {
    const bool *behind = arg;
    parts p;
    begin(&p, ctx);
    const vt_expr *at[] = {p.zero, p.zero};
    const vt_stmt *load = load_of_nothing(&p), *pload = eval(&p, vt_e_pload(ctx, p.tensor, 2, at));
    const vt_stmt *all = both(&p, alloc_of(&p, p.plane->data, p.is, load), realized(&p, 2, pload));
    p.f.func.body = *behind ? both(&p, all, both(&p, load, pload)) : all;
    return vt_verify(ctx, &p.f.func, ctx->diag);
}

/* The sizes of parameters are variables of the function: of a buffer's shape, strides and offset, of a tensor's shape.
 */
static vta_status sizes_of_parameters(vt_ctx *ctx, void *arg) {
    (void)arg;
    parts p;
    begin(&p, ctx);
    const vt_var *v[4];
    const vt_stmt *body = p.nop;
    for (int k = 0; k < 4; k++) {
        v[k] = vt_var_new_size(ctx, "n", VT_I32);
        body = both(&p, body, eval(&p, v[k]));
    }
    vt_buffer b = *p.f.buffers[0];
    vt_tensor t = *p.tensor;
    const vt_expr *shape[] = {p.four, v[3]};
    b.shape = &v[0];
    b.n_strides = 1;
    b.strides = &v[1];
    b.elem_offset = v[2];
    t.shape = shape;
    p.f.bindings[0].buffer = &b;
    p.f.bindings[0].tensor = &t;
    const vt_expr *at[] = {p.zero, p.zero};
    vt_range bounds[] = {{p.zero, p.four}, {p.zero, v[3]}};
    const vt_stmt *again = vt_s_realize(ctx, &t, 2, bounds, p.is, "", eval(&p, vt_e_pload(ctx, &t, 2, at)));
    p.f.func.body = both(&p, body, both(&p, again, eval(&p, vt_e_pload(ctx, &t, 2, at))));
    return vt_verify(ctx, &p.f.func, ctx->diag);
}

/* A bound of a realized tensor, an extent of memory and a value of a block are looked at as well. */
static vta_status inner_expressions(vt_ctx *ctx, void *arg) {
    const int *which = arg;
    parts p;
    begin(&p, ctx);
    vt_range bounds[] = {{*which == 0 ? p.i : p.zero, p.four}, {p.zero, *which == 1 ? p.i : p.four}};
    p.f.func.body = *which < 2 ? vt_s_realize(ctx, p.tensor, 2, bounds, p.is, "", p.nop)
                               : vt_s_alloc(ctx, p.plane->data, VT_I32, 1, &p.i, NULL, p.nop);
    return vt_verify(ctx, &p.f.func, ctx->diag);
}

static void test_memory(void **state) {
    (void)state;
    bool behind = false;
    run_in_context(memory_scope, &behind, VTA_OK, "");
    behind = true;
    run_in_context(memory_scope, &behind, VTA_ILLEGAL,
                   "error: main: buffer plane is reached where nothing allocates it\n"
                   "error: main: tensor T is neither realized nor bound");
    run_in_context(sizes_of_parameters, NULL, VTA_OK, "");
    for (int which = 0; which < 3; which++)
        run_in_context(inner_expressions, &which, VTA_ILLEGAL,
                       "error: main: variable i is used where it is not defined");
}

/* A block has two variables and two memories of its own: each is there inside of it and not behind it. */
enum { BLOCK_VARS = 2, BLOCK_PARTS = 4, BLOCK_INSIDE = BLOCK_PARTS };

static vta_status block_parts(vt_ctx *ctx, void *arg) {
    const int *behind = arg;
    parts p;
    begin(&p, ctx);
    const vt_var *vars[] = {vt_var_new(ctx, "i", VT_I32), vt_var_new(ctx, "j", VT_I32)};
    const vt_buffer *memories[] = {vt_buffer_new(ctx, "m", NULL, VT_I32, 1, &p.four),
                                   vt_buffer_new(ctx, "n", NULL, VT_I32, 1, &p.four)};
    const vt_stmt *uses[BLOCK_PARTS] = {eval(&p, vars[0]), eval(&p, vars[1]), eval(&p, load1(ctx, memories[0], p.zero)),
                                        eval(&p, load1(ctx, memories[1], p.zero))};
    const vt_iter *iters[] = {axis(&p, vars[0]), axis(&p, vars[1])};
    const vt_expr *values[] = {p.zero, p.zero};
    vt_stmt s = {.kind = VT_S_BLOCK,
                 .u.block = {.name = "b",
                             .n_iters = BLOCK_VARS,
                             .iters = iters,
                             .n_bindings = BLOCK_VARS,
                             .bindings = values,
                             .n_allocs = BLOCK_PARTS - BLOCK_VARS,
                             .allocs = memories,
                             .body = vt_s_seq(ctx, BLOCK_PARTS, uses)}};
    const vt_stmt *block = vt_s_new(ctx, &s);
    p.f.func.body = *behind == BLOCK_INSIDE ? block : both(&p, block, uses[*behind]);
    return vt_verify(ctx, &p.f.func, ctx->diag);
}

static void test_block_parts(void **state) {
    (void)state;
    static const char *const said[BLOCK_PARTS + 1] = {
        "error: main: variable i is used where it is not defined",
        "error: main: variable j is used where it is not defined",
        "error: main: buffer m is reached where nothing allocates it",
        "error: main: buffer n is reached where nothing allocates it",
        "",
    };
    for (int behind = 0; behind <= BLOCK_INSIDE; behind++)
        run_in_context(block_parts, &behind, behind == BLOCK_INSIDE ? VTA_OK : VTA_ILLEGAL, said[behind]);
}

/* Of a hundred mistakes twenty are told. */
static vta_status hundred(vt_ctx *ctx, void *arg) {
    (void)arg;
    parts p;
    begin(&p, ctx);
    const vt_stmt *body = p.nop;
    for (int k = 0; k < 100; k++) body = both(&p, body, use(&p));
    p.f.func.body = body;
    vta_status status = vt_verify(ctx, &p.f.func, ctx->diag);
    size_t lines = 1;
    for (const char *t = vta_diag_text(ctx->diag); (t = strchr(t, '\n')); t++) lines++;
    assert_int_equal(lines, 20);
    return status;
}

static void test_many(void **state) { (void)state, run_in_context(hundred, NULL, VTA_ILLEGAL, NULL); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),  cmocka_unit_test(test_scopes),      cmocka_unit_test(test_expression_scopes),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_block_parts), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
