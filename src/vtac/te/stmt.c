/* Statements made by hand, and the values that only they have. */
#include "te/stmt.h"
#include "te/expr.h"

const vt_stmt *te__stmt_in(te_context *c, const vtac_stmt *s, const char *what) {
    te__need_a(c, VT_TAG_STMT, s, what);
    return (const vt_stmt *)(const void *)s;
}

const vtac_stmt *te__stmt_out(const vt_stmt *s) { return (const vtac_stmt *)(const void *)s; }

/* ---- Values ---- */

static te_expr *variable(te_context *c, const char *text, const char *dtype) {
    const char *name = te__name(c, text, "a variable");
    vt_dtype t = te__value_dtype(c, dtype);
    return te__out(vt_dtype_is_handle(t) ? vt_var_new_pointer(&c->ctx, name, VT_U8, "") : vt_var_new(&c->ctx, name, t));
}

te_expr *te_variable(te_context *c, const char *name, const char *dtype) { TE_RETURN(c, variable(c, name, dtype)); }

static uint16_t lanes_of(te_context *c, uint32_t lanes) {
    if (lanes < 2 || lanes > UINT16_MAX) te__raise(c, VTA_OUT_OF_RANGE, "a vector has 2 to 65535 lanes, not %u", lanes);
    return (uint16_t)lanes;
}

static te_expr *ramp(te_context *c, const te_expr *base, const te_expr *stride, uint32_t lanes) {
    const vt_expr *from = te__expr_in(c, base, "the begin of a vector"), *step = te__expr_in(c, stride, "a stride");
    if (!vt_dtype_is_index(from->dtype) || !vt_dtype_is_index(step->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "a vector of steps is made of two integers of type int32 or int64");
    return te__out(vt_e_ramp(&c->ctx, from, vt_cast(&c->ctx, from->dtype, step), lanes_of(c, lanes)));
}

te_expr *te_ramp(te_context *c, te_expr *base, te_expr *stride, uint32_t lanes) {
    TE_RETURN(c, ramp(c, base, stride, lanes));
}

static te_expr *broadcast(te_context *c, const te_expr *value, uint32_t lanes) {
    const vt_expr *e = te__expr_in(c, value, "a value");
    if (e->dtype.lanes != 1 || e->dtype.code == VT_HANDLE)
        te__raise(c, VTA_INVALID_ARGUMENT, "what is repeated to a vector must be one number");
    return te__out(vt_e_broadcast(&c->ctx, e, lanes_of(c, lanes)));
}

te_expr *te_broadcast(te_context *c, te_expr *value, uint32_t lanes) { TE_RETURN(c, broadcast(c, value, lanes)); }

/* ---- Statements ---- */

static const vtac_stmt *evaluate(te_context *c, const te_expr *value) {
    return te__stmt_out(vt_s_eval(&c->ctx, te__expr_in(c, value, "a value")));
}

const vtac_stmt *te_stmt_evaluate(te_context *c, te_expr *value) { TE_RETURN(c, evaluate(c, value)); }

/* The value as the elements of a buffer are: numbers are converted, and repeated where the index is a vector. */
static const vt_expr *fitted(te_context *c, const vt_buffer *b, const vt_expr *value, uint16_t lanes) {
    if (value->dtype.code == VT_HANDLE || value->kind == VT_E_STRING)
        te__raise(c, VTA_INVALID_ARGUMENT, "what is stored to %s is not a number", b->name);
    if (value->dtype.lanes == 1 && lanes > 1) value = vt_e_broadcast(&c->ctx, value, lanes);
    if (value->dtype.lanes != lanes)
        te__raise(c, VTA_INVALID_ARGUMENT, "a vector of %u is stored to %u elements of %s", value->dtype.lanes, lanes,
                  b->name);
    return te__cast(c, vt_dtype_lanes(b->dtype, lanes), value);
}

static const vtac_stmt *store(te_context *c, const te_buffer *given, const te_expr *value, size_t n,
                              te_expr *const *list) {
    const vt_buffer *b = te__buffer_in(c, given, "a buffer");
    const vt_expr *const *indices = te__indices_in(c, b, n, list);
    const vt_expr *e = fitted(c, b, te__expr_in(c, value, "a value"), n ? indices[n - 1]->dtype.lanes : 1);
    return te__stmt_out(vt_s_store(&c->ctx, b, e, b->ndim, indices));
}

const vtac_stmt *te_stmt_store(te_context *c, te_buffer *b, te_expr *value, size_t n, te_expr *const indices[]) {
    TE_RETURN(c, store(c, b, value, n, indices));
}

static const vtac_stmt *seq(te_context *c, size_t n, const vtac_stmt *const *list) {
    const vt_stmt **items = VT_NEW_ARRAY(&c->ctx, const vt_stmt *, n);
    if (n) te__need(c, list, "a list");
    for (size_t i = 0; i < n; i++) items[i] = te__stmt_in(c, list[i], "a statement");
    return te__stmt_out(n ? vt_s_seq(&c->ctx, (uint32_t)n, items) : vt_s_nop(&c->ctx));
}

const vtac_stmt *te_stmt_seq(te_context *c, size_t n, const vtac_stmt *const stmts[]) {
    TE_RETURN(c, seq(c, n, stmts));
}

static const vt_var *variable_in(te_context *c, const te_expr *e, const char *what) {
    const vt_expr *v = te__expr_in(c, e, what);
    if (v->kind != VT_E_VAR)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s is made by te_variable; %s is none", what, te__repr(c, v));
    return v;
}

/* A bound of a loop, of its variable's type, which must have it. */
static const vt_expr *bound(te_context *c, const vt_var *v, const vt_expr *e) {
    int64_t value;
    if (vt_as_const(e, &value) && v->dtype.bits < 64 &&
        (value < vt_dtype_min_int(v->dtype) || value > vt_dtype_max_int(v->dtype)))
        te__raise(c, VTA_OUT_OF_RANGE,
                  "a bound of the loop over %s is %lld, which %s, the type of %s, does not have: make it a variable of "
                  "int64",
                  vt_var_name(v), (long long)value, te__dtype_text(c, v->dtype), vt_var_name(v));
    return vt_cast(&c->ctx, v->dtype, e);
}

static const vtac_stmt *loop(te_context *c, const te_expr *var, const te_expr *begin, const te_expr *count,
                             te_loop kind, const vtac_stmt *body) {
    static const vt_for_kind kinds[] = {VT_FOR_SERIAL, VT_FOR_PARALLEL, VT_FOR_VECTORIZED, VT_FOR_UNROLLED};
    const vt_var *v = variable_in(c, var, "the variable of a loop");
    const vt_expr *min = te__expr_in(c, begin, "the begin of a loop"), *extent = te__expr_in(c, count, "an extent");
    if ((unsigned)kind >= sizeof kinds / sizeof *kinds)
        te__raise(c, VTA_INVALID_ARGUMENT, "there is no kind %lld of loops", (long long)kind);
    if (!vt_dtype_is_index(v->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "the variable %s of a loop must be of type int32 or int64", vt_var_name(v));
    if (!vt_dtype_is_integral(min->dtype) || !vt_dtype_is_integral(extent->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "begin and extent of the loop over %s must be integers", vt_var_name(v));
    return te__stmt_out(vt_s_for(&c->ctx, v, bound(c, v, min), bound(c, v, extent), kinds[kind],
                                 te__stmt_in(c, body, "the body of a loop")));
}

const vtac_stmt *te_stmt_for(te_context *c, te_expr *var, te_expr *min, te_expr *extent, te_loop kind,
                             const vtac_stmt *body) {
    TE_RETURN(c, loop(c, var, min, extent, kind, body));
}

static const vt_expr *condition_in(te_context *c, const te_expr *e) {
    const vt_expr *condition = te__expr_in(c, e, "a condition");
    if (!vt_dtype_is_bool(condition->dtype) || condition->dtype.lanes > 1)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s is no condition but of type %s", te__repr(c, condition),
                  te__dtype_text(c, condition->dtype));
    return condition;
}

static const vtac_stmt *branch(te_context *c, const te_expr *condition, const vtac_stmt *then, const vtac_stmt *other) {
    return te__stmt_out(vt_s_if(&c->ctx, condition_in(c, condition), te__stmt_in(c, then, "a statement"),
                                other ? te__stmt_in(c, other, "a statement") : NULL));
}

const vtac_stmt *te_stmt_if(te_context *c, te_expr *condition, const vtac_stmt *then, const vtac_stmt *otherwise) {
    TE_RETURN(c, branch(c, condition, then, otherwise));
}

static const vtac_stmt *let(te_context *c, const te_expr *var, const te_expr *value, const vtac_stmt *body) {
    const vt_var *v = variable_in(c, var, "the name of a value");
    const vt_expr *e = te__expr_in(c, value, "a value");
    if (!vt_dtype_eq(v->dtype, e->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "%s is of type %s, its value %s of type %s", vt_var_name(v),
                  te__dtype_text(c, v->dtype), te__repr(c, e), te__dtype_text(c, e->dtype));
    return te__stmt_out(vt_s_let(&c->ctx, v, e, te__stmt_in(c, body, "a statement")));
}

const vtac_stmt *te_stmt_let(te_context *c, te_expr *var, te_expr *value, const vtac_stmt *body) {
    TE_RETURN(c, let(c, var, value, body));
}

static const vtac_stmt *allocate(te_context *c, const te_buffer *given, const vtac_stmt *body) {
    const vt_buffer *b = te__buffer_in(c, given, "a buffer");
    if (!b->data->u.var->pointer || b->n_strides || !vt_is_const(b->elem_offset, 0))
        te__raise(c, VTA_INVALID_ARGUMENT, "%s is not dense memory of its own, which is all that can be allocated",
                  b->name);
    const vt_expr *size = te__elements(&c->ctx, b);
    return te__stmt_out(vt_s_alloc(&c->ctx, b->data, b->dtype, 1, &size, NULL, te__stmt_in(c, body, "a statement")));
}

const vtac_stmt *te_stmt_allocate(te_context *c, te_buffer *b, const vtac_stmt *body) {
    TE_RETURN(c, allocate(c, b, body));
}

static const vtac_stmt *assertion(te_context *c, const te_expr *condition, const te_expr *words,
                                  const vtac_stmt *body) {
    const vt_expr *message = te__expr_in(c, words, "a message");
    if (message->kind != VT_E_STRING) te__raise(c, VTA_INVALID_ARGUMENT, "the message of an assertion is not a text");
    return te__stmt_out(vt_s_assert(&c->ctx, condition_in(c, condition), message, te__stmt_in(c, body, "a statement")));
}

const vtac_stmt *te_stmt_assert(te_context *c, te_expr *condition, te_expr *message, const vtac_stmt *body) {
    TE_RETURN(c, assertion(c, condition, message, body));
}

static vt_ref node_in(te_context *c, const void *node) {
    if (!node) return vt_ref_none();
    if (vt_is(node, VT_TAG_AXIS)) return vt_ref_iter(vt_te_iter(node));
    if (vt_is(node, VT_TAG_BUFFER)) return vt_ref_var(te__buffer_in(c, node, "a buffer")->data);
    return vt_ref_var(variable_in(c, node, "what an attribute is about"));
}

static const vtac_stmt *attribute(te_context *c, const void *node, const char *key, const te_expr *value,
                                  const vtac_stmt *body) {
    return te__stmt_out(vt_s_attr(&c->ctx, node_in(c, node), te__name(c, key, "an attribute"),
                                  te__expr_in(c, value, "a value"), te__stmt_in(c, body, "a statement")));
}

const vtac_stmt *te_stmt_attr(te_context *c, const void *node, const char *key, te_expr *value, const vtac_stmt *body) {
    TE_RETURN(c, attribute(c, node, key, value, body));
}
