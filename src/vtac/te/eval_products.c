/* Sums of products: a matrix multiplication, a convolution. Where a choice leaves products out (what lies in
 * the padding), it is made once for the points of all reduce axes but the innermost. */
#include "te/eval.h"

typedef struct operand {
    const insn *load;
    int64_t step;  /* along the innermost reduce axis */
    int64_t *rows; /* offsets for all points of the other reduce axes */
    int64_t *kept; /* those whose products count */
} operand;

/* What a choice kept at the last point of the outer axes, and where that was: neighbours mostly keep the same. */
typedef struct choice {
    uint32_t n_asked;
    uint32_t *asked; /* slots of the outer axes that it depends on */
    int64_t *at;     /* their values then */
    bool is_known;   /* false: there was no point yet */
    size_t kept;
} choice;

struct te__products {
    operand a, b;
    size_t n_rows;
    int64_t n; /* extent of the innermost reduce axis */
    uint32_t state;
    const odometer *outer, *inner;
    /* Of a choice: */
    const program *guarded; /* NULL: there is none */
    choice *choice;
    uint32_t product; /* the instruction that is reached where the products count */
    bool *varies;     /* by slot: it depends on elements, or on the innermost reduce axis */
};

static const insn *writer_of(const program *p, uint32_t slot) {
    for (uint32_t i = 0; i < p->n; i++)
        if (p->code[i].to == slot && p->code[i].code != JUMP && p->code[i].code != JUMP_IF_NOT) return &p->code[i];
    return NULL;
}

static bool is_int32(vt_dtype t) { return t.code == VT_INT && t.bits == 32; }
static bool is_narrow(vt_dtype t) { return t.bits < 32; }

/* A load whose place is linear, perhaps widened. */
static const insn *factor_of(const program *p, uint32_t slot) {
    const insn *in = writer_of(p, slot);
    if (in && in->code == CAST && is_int32(in->dtype) && in->from.code != VT_FLOAT && is_narrow(in->from))
        in = writer_of(p, in->x);
    return in && in->code == LOAD_LINEAR ? in : NULL;
}

static const insn *binary_of(const program *p, uint32_t slot, vt_expr_kind kind) {
    const insn *in = writer_of(p, slot);
    return in && in->code == BIN && in->kind == kind && is_int32(in->dtype) ? in : NULL;
}

static int64_t factor_at(const insn *load, uint32_t slot) {
    int64_t sum = 0;
    for (uint32_t k = 0; k < load->n_factors; k++) sum += load->indices[k] == slot ? load->factors[k] : 0;
    return sum;
}

/* ---- The points of the reduce axes but the innermost ---- */

/* The axes' values at point `row`, the last axis but one running fastest. */
static void at_row(const odometer *inner, size_t row, int64_t *out) {
    for (uint32_t i = inner->n - 1; i > 0; i--) {
        size_t extent = (size_t)inner->extent[i - 1];
        out[i - 1] = inner->min[i - 1] + (int64_t)(row % extent);
        row /= extent;
    }
}

static void fill_rows(const evaluation *ev, const odometer *inner, size_t n_rows, operand *o) {
    uint32_t last = inner->n - 1;
    int64_t *places = VT_NEW_ARRAY(ev->ctx, int64_t, inner->n);
    o->rows = VT_NEW_ARRAY(ev->ctx, int64_t, n_rows);
    o->kept = VT_NEW_ARRAY(ev->ctx, int64_t, n_rows);
    o->step = factor_at(o->load, inner->slots[last]);
    for (size_t r = 0; r < n_rows; r++) {
        o->rows[r] = o->step * inner->min[last];
        at_row(inner, r, places);
        for (uint32_t i = 0; i < last; i++) o->rows[r] += factor_at(o->load, inner->slots[i]) * places[i];
    }
}

/* ---- A choice between products and zero ---- */

static bool is_zero(const program *p, uint32_t slot) {
    const insn *in = writer_of(p, slot);
    return in && in->code == CONST && in->constant.i == 0;
}

/* What `slot` is where it is not zero: of a choice the side that is computed, else itself. */
static uint32_t taken(const program *p, uint32_t slot) {
    const insn *first = writer_of(p, slot), *second = NULL;
    if (!first || first->code != COPY) return slot;
    for (const insn *in = first + 1; in < p->code + p->n && !second; in++)
        if (in->code == COPY && in->to == slot) second = in;
    return second && is_zero(p, second->x) ? first->x : slot;
}

/* How many operands an instruction has in slots. */
static const uint8_t operands[] = {[COPY] = 1, [BIN] = 2,   [NOT] = 1,     [BITNOT] = 1,     [CAST] = 1,
                                   [MATH] = 2, [SHIFT] = 2, [BITWISE] = 2, [JUMP_IF_NOT] = 1};

/* Which slots depend on elements or on the innermost axis; false where a jump does. */
static bool find_varying(const program *p, uint32_t innermost, bool *varies) {
    varies[innermost] = true;
    for (uint32_t i = 0; i < p->n; i++) {
        const insn *in = &p->code[i];
        bool v = in->code == LOAD || in->code == LOAD_LINEAR || (operands[in->code] > 0 && varies[in->x]) ||
                 (operands[in->code] > 1 && varies[in->y]);
        if (in->code == JUMP_IF_NOT && v) return false;
        if (in->code != JUMP && in->code != JUMP_IF_NOT && v) varies[in->to] = true;
    }
    return true;
}

/* Does the program come by the product? All that varies is left out. */
static bool is_reached(const te__products *p, value *slot) {
    const program *code = p->guarded;
    for (uint32_t pc = 0; pc < code->n; pc++) {
        const insn *in = &code->code[pc];
        if (pc == p->product) return true;
        if (in->code == JUMP || (in->code == JUMP_IF_NOT && !slot[in->x].i))
            pc = in->to - 1;
        else if (in->code != JUMP_IF_NOT && !p->varies[in->to])
            te__eval_step(code, in, slot);
    }
    return false;
}

static size_t keep_rows(const te__products *p, value *slot) {
    const odometer *inner = p->inner;
    size_t kept = 0;
    int64_t places[TE__AXES_MAX];
    slot[inner->slots[inner->n - 1]].i = inner->min[inner->n - 1];
    for (size_t r = 0; r < p->n_rows; r++) {
        at_row(inner, r, places);
        for (uint32_t i = 0; i + 1 < inner->n; i++) slot[inner->slots[i]].i = places[i];
        if (!is_reached(p, slot)) continue;
        p->a.kept[kept] = p->a.rows[r];
        p->b.kept[kept++] = p->b.rows[r];
    }
    return kept;
}

static bool is_same_choice(const choice *c, const value *slot) {
    for (uint32_t i = 0; i < c->n_asked; i++)
        if (slot[c->asked[i]].i != c->at[i]) return false;
    return c->is_known;
}

static size_t kept_rows(const te__products *p, value *slot) {
    choice *c = p->choice;
    if (is_same_choice(c, slot)) return c->kept;
    for (uint32_t i = 0; i < c->n_asked; i++) c->at[i] = slot[c->asked[i]].i;
    c->is_known = true;
    return c->kept = keep_rows(p, slot);
}

/* Is the slot an operand of what is_reached computes? */
static bool is_asked(const program *p, const bool *varies, uint32_t slot) {
    for (uint32_t i = 0; i < p->n; i++) {
        const insn *in = &p->code[i];
        if (in->code != JUMP_IF_NOT && varies[in->to]) continue;
        if ((operands[in->code] > 0 && in->x == slot) || (operands[in->code] > 1 && in->y == slot)) return true;
    }
    return false;
}

static choice *make_choice(const evaluation *ev, const odometer *outer, const program *p, const bool *varies) {
    choice *c = VT_NEW(ev->ctx, choice);
    c->asked = VT_NEW_ARRAY(ev->ctx, uint32_t, outer->n);
    c->at = VT_NEW_ARRAY(ev->ctx, int64_t, outer->n);
    for (uint32_t i = 0; i < outer->n; i++)
        if (is_asked(p, varies, outer->slots[i])) c->asked[c->n_asked++] = outer->slots[i];
    return c;
}

static bool has_jumps(const program *p) {
    for (uint32_t i = 0; i < p->n; i++)
        if (p->code[i].code == JUMP_IF_NOT) return true;
    return false;
}

static bool find_guard(const evaluation *ev, const reduction *r, te__products *out) {
    if (!has_jumps(r->step)) return true;
    out->guarded = r->step;
    out->varies = VT_NEW_ARRAY(ev->ctx, bool, r->step->slots + (size_t)1);
    if (r->inner->n > TE__AXES_MAX || !find_varying(r->step, r->inner->slots[r->inner->n - 1], out->varies))
        return false;
    out->choice = make_choice(ev, r->outer, r->step, out->varies);
    return true;
}

/* ---- The plan ---- */

/* state = state + a[...] * b[...], or plus a choice of it and 0, and nothing else. */
static bool find_factors(const reduction *r, te__products *out) {
    const program *p = r->step;
    const insn *end = p->n ? &p->code[p->n - 1] : NULL;
    if (r->n != 1 || !end || end->code != COPY || end->to != r->state[0]) return false;
    const insn *sum = binary_of(p, end->x, VT_E_ADD);
    if (!sum || (sum->x != r->state[0]) == (sum->y != r->state[0])) return false;
    const insn *product = binary_of(p, taken(p, sum->x == r->state[0] ? sum->y : sum->x), VT_E_MUL);
    out->a.load = product ? factor_of(p, product->x) : NULL;
    out->b.load = product ? factor_of(p, product->y) : NULL;
    out->product = product ? (uint32_t)(product - p->code) : 0;
    return out->a.load && out->b.load;
}

const void *te__products_plan(const evaluation *ev, const reduction *r) {
    enum { ROWS_MAX = 1 << 24 };
    te__products found = {.n_rows = 1, .outer = r->outer, .inner = r->inner};
    if (!r->inner->n || !find_factors(r, &found) || !find_guard(ev, r, &found)) return NULL;
    for (uint32_t i = 0; i + 1 < r->inner->n; i++) {
        if (r->inner->extent[i] < 1 || r->inner->extent[i] > ROWS_MAX) return NULL;
        found.n_rows *= (size_t)r->inner->extent[i];
        if (found.n_rows > ROWS_MAX) return NULL;
    }
    found.n = r->inner->extent[r->inner->n - 1];
    found.state = r->state[0];
    fill_rows(ev, r->inner, found.n_rows, &found.a);
    fill_rows(ev, r->inner, found.n_rows, &found.b);
    te__products *kept = VT_NEW(ev->ctx, te__products);
    *kept = found;
    return kept;
}

/* Where the operand's row 0 begins at the point of the outer axes. */
static int64_t origin(const operand *o, const odometer *outer, const value *slot) {
    int64_t at = o->load->base;
    for (uint32_t i = 0; i < outer->n; i++) at += factor_at(o->load, outer->slots[i]) * slot[outer->slots[i]].i;
    return at;
}

static te__factor factor_here(const te__products *p, const operand *o, const value *slot) {
    return (te__factor){o->load->array, origin(o, p->outer, slot), p->guarded ? o->kept : o->rows, o->step};
}

uint32_t te__products_state(const te__products *p) { return p->state; }

te__sum te__products_here(const te__products *p, value *slot) {
    te__factor a = factor_here(p, &p->a, slot), b = factor_here(p, &p->b, slot);
    return (te__sum){a, b, p->guarded ? kept_rows(p, slot) : p->n_rows, p->n};
}

const array *te__products_array(const te__products *p, bool second) {
    return second ? p->b.load->array : p->a.load->array;
}
