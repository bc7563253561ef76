/* What follows an operator element by element: from the output inwards to the sum of products, or to what another
 * operator computes. */
#include "operators/match.h"

enum { MAX_VISITS = 1 << 16 };

/* ---- Tensors --------------------------------------------------------------------------------------------------- */

static te_tensor *handle(const vt_tensor *t) { return (te_tensor *)(uintptr_t)t; }

const vt_var *vt__match_axis(const vt_tensor *t, uint32_t index) {
    const te_axis *axis = te_tensor_axis(handle(t), index);
    return axis ? vt_te_iter(axis)->var : NULL;
}

const vt_expr *vt__match_body(const vt_tensor *t) {
    return te_tensor_is_placeholder(handle(t)) ? NULL : vt_te_expr(te_tensor_body(handle(t)));
}

int64_t vt__match_dim(const vt_tensor *t, uint32_t dim) { return te_tensor_dim(handle(t), dim); }

bool vt__match_is_axis(const vt_expr *index, const vt_tensor *t, uint32_t axis) {
    if (index == vt__match_axis(t, axis)) return true;
    return vt__match_dim(t, axis) == 1 && index->kind == VT_E_INT && index->u.i == 0;
}

bool vt__match_at_axes(const vt_expr *e, const vt_tensor *t) {
    if (e->kind != VT_E_PLOAD || e->n != t->ndim) return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (!vt__match_is_axis(e->a[i], t, i) || vt__match_dim(e->u.tensor, i) != vt__match_dim(t, i)) return false;
    return true;
}

const vt_tensor *vt__match_source(const vt_tensor *t) {
    for (const vt_expr *body; (body = vt__match_body(t)) && vt__match_at_axes(body, t);) t = body->u.tensor;
    return t;
}

bool vt__match_has_argument(vt_match *m, const vt_tensor *t) {
    if (!vt__match_body(t)) return true;
    if (++m->visits > MAX_VISITS) return false;
    size_t n = te_tensor_inputs(m->te, handle(t));
    for (size_t i = 0; i < n; i++)
        if (vt__match_has_argument(m, vt_te_tensor(te_tensor_input(m->te, handle(t), i)))) return true;
    return false;
}

/* A sum of products, and not one that only adds by GEMM, or brings what is read into the accumulators. */
static bool is_sum(vt_match *m, const vt_expr *body) {
    const vt_expr *condition, *source;
    if (!vt_is_sum(body)) return false;
    if (!vt__choice_read(body->a[0], &condition, &source)) source = body->a[0];
    return source->kind == VT_E_MUL && !vt__match_is_addition(m, body);
}

/* Does a sum of products stand behind it? More tensors than an operator has count as none. */
static bool leads_to_sum(vt_match *m, const vt_tensor *t) {
    const vt_expr *body = vt__match_body(t);
    if (!body || ++m->visits > MAX_VISITS) return false;
    if (is_sum(m, body)) return true;
    size_t n = te_tensor_inputs(m->te, handle(t));
    for (size_t i = 0; i < n; i++)
        if (leads_to_sum(m, vt_te_tensor(te_tensor_input(m->te, handle(t), i)))) return true;
    return false;
}

static bool reads_sum(vt_match *m, const vt_expr *e) {
    if (e->kind == VT_E_PLOAD) return leads_to_sum(m, e->u.tensor);
    for (uint32_t i = 0; i < e->n; i++)
        if (reads_sum(m, e->a[i])) return true;
    return false;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

vta_status vt__match_add_step(vt_match *m, const vt_tensor *t, vt_match_step step) {
    if (m->n_steps == VT_EPILOGUE_MAX)
        return vt__match_refuse(m, t, NULL, "more than %d steps follow the sum", VT_EPILOGUE_MAX);
    m->steps[m->n_steps++] = step;
    return VTA_OK;
}

/* Residuals are read where the result is written; a bias at its output channel, batch lane and channel lane. */
static bool is_channel(const vt_expr *load, const vt_tensor *t) {
    uint32_t n = t->ndim, parts = n == 7 ? 2 : 1, first = n == 5 ? 2 : 1; /* of blocks; behind a batch of matrices */
    if (load->kind != VT_E_PLOAD || load->n != parts + 2 || n < 4) return false;
    for (uint32_t i = 0; i < parts; i++)
        if (!vt__match_is_axis(load->a[i], t, first + i)) return false;
    return vt__match_is_axis(load->a[parts], t, n - 2) && vt__match_is_axis(load->a[parts + 1], t, n - 1);
}

static const vt_expr *without_casts(const vt_expr *e) {
    while (e->kind == VT_E_CAST && vt_dtype_eq(e->a[0]->dtype, e->dtype)) e = e->a[0];
    return e;
}

static vta_status find_side(const vt_match *m, const vt_tensor *t, const vt_expr *e, const vt_tensor **out) {
    if (e->kind != VT_E_PLOAD)
        return vt__match_refuse(m, t, e, "what is added is neither a number nor an element of an argument");
    const vt_tensor *side = *out = vt__match_source(e->u.tensor);
    if (vt__match_body(side))
        return vt__match_refuse(m, t, e, "%s, which is added, is computed: only an argument can be", side->name);
    if (side->dtype.bits != 32 || side->dtype.code != VT_INT)
        return vt__match_refuse(m, t, e, "%s is added and is not of the accumulators' type: declare it acc_t",
                                side->name);
    return VTA_OK;
}

static vta_status add_side(vt_match *m, const vt_tensor *t, const vt_expr *e) {
    const vt_tensor *side;
    e = without_casts(e);
    VT_TRY(find_side(m, t, e, &side));
    bool bias = is_channel(e, t), residual = vt__match_at_axes(e, t);
    if (!bias && !residual)
        return vt__match_refuse(m, t, e,
                                "%s is added in a way that is neither a bias, indexed by output channel, batch lane "
                                "and channel lane (%s[co, bi, ci]), nor a residual, indexed as the result is",
                                side->name, side->name);
    return vt__match_add_step(m, t, (vt_match_step){bias ? VT_EPILOGUE_bias : VT_EPILOGUE_residual, 0, side, false});
}

/* A factor or an amount of each channel. */
static vta_status add_channel(vt_match *m, const vt_tensor *t, const vt_expr *x, const vt_expr *e,
                              vt_epilogue_kind kind) {
    const vt_tensor *side;
    e = without_casts(e);
    if (!is_channel(e, t))
        return vt__match_refuse(m, t, x,
                                "its second operand must be a number, or an element of an argument for each channel, "
                                "read as factor[co, bi, ci]");
    VT_TRY(find_side(m, t, e, &side));
    return vt__match_add_step(m, t, (vt_match_step){kind, 0, side, false});
}

static bool number_of(const vt_expr *e, int64_t *out) {
    if (e->kind == VT_E_INT) *out = e->u.i;
    return e->kind == VT_E_INT;
}

/* The step of an operation with a number. */
static bool kind_of(const vt_expr *e, vt_epilogue_kind *out) {
    switch (e->kind) {
    case VT_E_ADD:
    case VT_E_SUB: *out = VT_EPILOGUE_add; return true;
    case VT_E_MUL: *out = VT_EPILOGUE_multiply; return true;
    case VT_E_MAX: *out = VT_EPILOGUE_max; return true;
    case VT_E_MIN: *out = VT_EPILOGUE_min; return true;
    default: *out = VT_EPILOGUE_shift; return e->kind == VT_E_CALL && e->u.op == VT_OP_SHIFT_RIGHT;
    }
}

/* max(x, x >> N): the larger side and N; NULL when it is not one. */
static const vt_expr *leaky_of(const vt_expr *e, const vt_tensor *t, int64_t *out_by) {
    for (uint32_t i = 0; e->kind == VT_E_MAX && i < 2; i++) {
        vt_match_pairs pairs = {.n = 0};
        const vt_tensor *in = t;
        const vt_expr *low = e->a[i];
        while (low->kind == VT_E_PLOAD && vt__match_at_axes(low, in) && vt__match_body(low->u.tensor)) {
            in = low->u.tensor;
            low = vt__match_body(in);
        }
        bool shift = low->kind == VT_E_CALL && low->u.op == VT_OP_SHIFT_RIGHT && number_of(low->a[1], out_by);
        if (shift && vt__match_same(&pairs, e->a[!i], t, low->a[0], in)) return e->a[!i];
    }
    return NULL;
}

/* Which of the operands the step is done to: the one with the sum; without sums, the one that is neither a constant
 * nor a bias. */
static bool is_turned(vt_match *m, const vt_tensor *t, const vt_expr *x) {
    if (x->kind == VT_E_SUB || x->kind == VT_E_CALL) return false;
    if (m->summed) return !reads_sum(m, x->a[0]);
    int64_t number;
    return number_of(x->a[0], &number) || (is_channel(without_casts(x->a[0]), t) && !number_of(x->a[1], &number));
}

/* One operation off the outside of *e. */
static vta_status take_step(vt_match *m, const vt_tensor *t, const vt_expr **e) {
    vt_epilogue_kind kind;
    const vt_expr *x = *e;
    int64_t number;
    const vt_expr *larger = leaky_of(x, t, &number);
    if (larger) {
        *e = larger;
        return vt__match_add_step(m, t, (vt_match_step){VT_EPILOGUE_leaky, number, NULL, true});
    }
    if (!kind_of(x, &kind))
        return vt__match_refuse(
            m, t, x,
            "not an operation that may follow a sum: there are x >> N, x + N, x * N, "
            "min(x, N), max(x, N), max(x, x >> N), x + bias, x + residual, x * factor and x >> amount");
    bool turned = is_turned(m, t, x);
    const vt_expr *other = x->a[!turned];
    *e = x->a[turned];
    if (number_of(other, &number))
        return vt__match_add_step(m, t, (vt_match_step){kind, x->kind == VT_E_SUB ? -number : number, NULL, true});
    if (reads_sum(m, other))
        return vt__match_refuse(m, t, x, "both sides come from sums of products: one accelerator kernel has one sum");
    if (x->kind == VT_E_ADD) return add_side(m, t, other);
    if (x->kind == VT_E_MUL) return add_channel(m, t, x, other, VT_EPILOGUE_multiply_channel);
    if (x->kind == VT_E_CALL) return add_channel(m, t, x, other, VT_EPILOGUE_shift_channel);
    return vt__match_refuse(m, t, x,
                            "its second operand must be a number: only sums, products and shifts may take an argument");
}

/* The whole of what an element of a tensor is, or what it starts at where the sum only adds by GEMM. */
static vta_status take_sum(vt_match *m, const vt_tensor *t, const vt_expr **e) {
    const vt_reduce *r = (*e)->u.reduce;
    if (!r->has_init || !vt__match_is_addition(m, *e)) {
        m->sums = t;
        return VTA_OK;
    }
    VT_TRY(vt__match_addition(m, t, *e));
    *e = (*e)->a[r->n_sources];
    return VTA_OK;
}

/* Steps of one tensor; *out_next is the one that it reads, NULL when the operator is found. */
static vta_status take_tensor(vt_match *m, const vt_tensor *t, const vt_tensor **out_next) {
    const vt_expr *e = vt__match_body(t);
    bool found = false;
    *out_next = NULL;
    for (;;) {
        bool last = t == m->out && !m->n_steps && e->kind == VT_E_CAST;
        if (last || (e->kind == VT_E_CAST && vt_dtype_eq(e->dtype, e->a[0]->dtype))) {
            e = e->a[0];
            continue;
        }
        if (!m->summed) VT_TRY(vt__match_form(m, t, e, &found));
        if (found) return VTA_OK;
        if (e->kind == VT_E_PLOAD) break;
        if (e->kind == VT_E_REDUCE) {
            VT_TRY(take_sum(m, t, &e));
            if (m->sums) return VTA_OK;
            continue;
        }
        if (e->kind == VT_E_CAST)
            return vt__match_refuse(m, t, e, "a conversion between the sum and the result: only the last step has one");
        VT_TRY(take_step(m, t, &e));
    }
    if (!vt__match_at_axes(e, t))
        return vt__match_refuse(m, t, e,
                                "reads %s elsewhere than at its own axes, in their order: what follows a sum "
                                "goes element by element",
                                e->u.tensor->name);
    *out_next = e->u.tensor;
    return VTA_OK;
}

vta_status vt__match_chain(vt_match *m) {
    const vt_tensor *t = m->out, *next;
    m->summed = leads_to_sum(m, t);
    while (t) {
        VT_TRY(take_tensor(m, t, &next));
        if (next && !vt__match_body(next))
            return vt__match_refuse(m, t, NULL, "reads the argument %s where the sum should be", next->name);
        t = next;
    }
    return VTA_OK;
}
