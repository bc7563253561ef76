/* Which operation of the ALU a loop nest is, and of what. */
#include <string.h>

#include "arith/linear.h"
#include "config/field_bits.h"
#include "ir/print.h"
#include "lower/vta/alu.h"
#include "lower/vta/copy.h"

_Noreturn void vt__alu_refuse(alu *st, const vt_stmt *stmt, const char *why) {
    vt_raise_detailed(st->m.ctx, VTA_ILLEGAL, vt_stmt_text(st->m.ctx, stmt),
                      "the loops marked alu are not an operation of the ALU: %s", why);
}

/* Expressions of two operands that are one operation of the ALU; `call` is the operator of a VT_E_CALL. */
typedef struct matcher {
    uint8_t kind; /* vt_expr_kind */
    uint8_t call; /* vt_op */
    bool commutes;
    vta_alu_opcode opcode;
} matcher;
static const matcher matchers[] = {
    {VT_E_ADD, 0, true, VTA_ALU_ADD},
    {VT_E_MUL, 0, true, VTA_ALU_MUL},
    {VT_E_MIN, 0, true, VTA_ALU_MIN},
    {VT_E_MAX, 0, true, VTA_ALU_MAX},
    {VT_E_CALL, VT_OP_SHIFT_RIGHT, false, VTA_ALU_SHR},
};

static const matcher *find_matcher(const vt_expr *value) {
    for (size_t i = 0; i < sizeof matchers / sizeof *matchers; i++)
        if (matchers[i].kind == value->kind && (value->kind != VT_E_CALL || matchers[i].call == value->u.op))
            return &matchers[i];
    return NULL;
}

/* "ADD, MUL, ...": the operations that expressions are matched with. */
static const char *matched_names(vt_ctx *ctx) {
    static const char *const names[] = {
#define VTA_OPCODE(name, number, format, meaning)
#define VTA_ALU_OPCODE(name, number, formula, field, lane) [VTA_ALU_##name] = #name,
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    };
    const char *text = "";
    for (size_t i = 0; i < sizeof matchers / sizeof *matchers; i++)
        text = vt_new_format(ctx, "%s%s%s", text, i ? ", " : "", names[matchers[i].opcode]);
    return text;
}

alu_op vt__alu_match_op(alu *st, const vt_stmt *stmt, const vt_expr *value);

/* ---- Tables -------------------------------------------------------------------------------------------------------
 */

/* An index of minima, maxima and sums with constants of one element, which it gives; NULL: it is none. */
static const vt_expr *looked_up(const vt_expr *index) {
    while (index->kind == VT_E_MIN || index->kind == VT_E_MAX || index->kind == VT_E_ADD || index->kind == VT_E_SUB) {
        bool second = index->a[1]->kind == VT_E_INT;
        if (!second && (index->kind == VT_E_SUB || index->a[0]->kind != VT_E_INT)) return NULL;
        index = index->a[second ? 0 : 1];
    }
    return index->kind == VT_E_LOAD ? index : NULL;
}

/* Such an index where that element is x. */
static int64_t index_at(const vt_expr *index, int64_t x) {
    if (index->kind == VT_E_LOAD) return x;
    bool second = index->a[1]->kind == VT_E_INT;
    int64_t a = index_at(index->a[second ? 0 : 1], x), c = index->a[second ? 1 : 0]->u.i;
    switch (index->kind) {
    case VT_E_MIN: return a < c ? a : c;
    case VT_E_MAX: return a > c ? a : c;
    case VT_E_SUB: return a - c;
    default: return a + c;
    }
}

/* int32(table[256 * k + min(max(x, -128), 127) + 128]), whichever form simplification gave the index: it never falls
 * and rises by at most one a step, so that four places say what it is everywhere. */
static alu_op match_table(alu *st, const vt_stmt *stmt, const vt_expr *load) {
    enum { FAR = 1 << 30 };
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *index = load->a[0], *x = looked_up(index);
    int64_t first = x ? index_at(index, INT8_MIN) : 0;
    bool clipped = x && index_at(index, INT8_MAX) == first + 255 && index_at(index, -FAR) == first &&
                   index_at(index, FAR) == first + 255 && first % VTA_TABLE_ENTRIES == 0;
    if (!clipped)
        vt__alu_refuse(st, stmt,
                       vt_new_format(ctx,
                                     "it looks up tables of 256 at an element that is clipped, "
                                     "%s[k, min(max(x, -128), 127) + 128] with a constant k, and not at %s",
                                     load->u.buffer->name, vt_expr_plain(ctx, index)));
    vt__check_chip_type(st->l, load->u.buffer, VTA_MEM_TABLE);
    return (alu_op){VTA_ALU_TABLE, false, x, vt_i32(ctx, first / VTA_TABLE_ENTRIES), NULL};
}

static bool is_table(const vt_expr *e) {
    return e->kind == VT_E_CAST && e->a[0]->kind == VT_E_LOAD &&
           !strcmp(vt_buffer_scope(e->a[0]->u.buffer), VT_SCOPE_TABLE);
}

/* ---- Operations ---------------------------------------------------------------------------------------------------
 */

/* Either side may be the operand that stays; the other one is the operation, with that operand first. */
static alu_op match_select(alu *st, const vt_stmt *stmt, const vt_expr *value) {
    vt_ctx *ctx = st->m.ctx;
    bool negated = value->a[1]->kind == VT_E_LOAD;
    const vt_expr *stays = value->a[negated ? 1 : 2], *works = value->a[negated ? 2 : 1];
    if (stays->kind != VT_E_LOAD || works->kind == VT_E_LOAD || works->kind == VT_E_SELECT)
        vt__alu_refuse(st, stmt,
                       "of a selection one side must be an element of a tensor, and the other an operation on it");
    alu_op op = vt__alu_match_op(st, stmt, works);
    if (op.commutes && op.rhs && vt_expr_equal(op.rhs, stays)) op.rhs = op.lhs, op.lhs = stays;
    if (!op.rhs || !vt_expr_equal(op.lhs, stays))
        vt__alu_refuse(st, stmt,
                       vt_new_format(ctx, "%s stays where a condition does not hold, but is not what %s works on",
                                     vt_expr_plain(ctx, stays), vt_expr_plain(ctx, works)));
    op.commutes = false;
    op.condition = negated ? vt_not(ctx, value->a[0]) : value->a[0];
    return op;
}

alu_op vt__alu_match_op(alu *st, const vt_stmt *stmt, const vt_expr *value) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *x = value->n > 0 ? value->a[0] : NULL, *y = value->n > 1 ? value->a[1] : NULL;
    const matcher *found = find_matcher(value);
    if (found) return (alu_op){found->opcode, found->commutes, x, y, NULL};
    if (is_table(value)) return match_table(st, stmt, value->a[0]);
    if (value->kind == VT_E_INT || value->kind == VT_E_LOAD) return (alu_op){.lhs = value};
    if (value->kind == VT_E_SELECT) return match_select(st, stmt, value);
    if (value->kind == VT_E_SUB) {
        if (y->kind == VT_E_INT) return (alu_op){VTA_ALU_ADD, true, x, vt_neg(ctx, y), NULL};
        vt__alu_refuse(
            st, stmt,
            "it has no subtraction of tensors; add the negated tensor (multiply by -1 in a stage of its own)");
    }
    if (vt_is_call(value, VT_OP_SHIFT_LEFT)) {
        if (y->kind == VT_E_INT) return (alu_op){VTA_ALU_SHR, false, x, vt_neg(ctx, y), NULL};
        vt__alu_refuse(st, stmt, "it shifts to the left by constants only; by tensors it shifts to the right");
    }
    vt__alu_refuse(
        st, stmt,
        vt_new_format(ctx,
                      "it can do %s of a tensor and a tensor or a constant, one at a time, but not %s; give each "
                      "operation a stage of its own, without casts",
                      matched_names(ctx), vt_expr_plain(ctx, value)));
}

static void linear_index(alu *st, const nest *k, const vt_expr *index, const vt_expr **out_coeffs) {
    if (!vt_detect_linear(st->m.ctx, index, k->n, k->vars, out_coeffs))
        vt__alu_refuse(st, k->stmt,
                       vt_new_format(st->m.ctx, "the index %s is not a sum of axes times constants",
                                     vt_expr_plain(st->m.ctx, index)));
}

static operand constant(alu *st, const nest *k, const vt_expr *e) {
    if (e->u.i < VT_SIGNED_FIELD_LEAST(ALU_imm) || e->u.i > VT_SIGNED_FIELD_MAX(ALU_imm))
        vt__alu_refuse(st, k->stmt,
                       vt_new_format(st->m.ctx, "the constant %lld does not fit the instruction's %d bits",
                                     (long long)e->u.i, VT_BITS_ALU_imm));
    return (operand){.imm = e};
}

operand vt__alu_match_operand(alu *st, const nest *k, const vt_expr *e) {
    vt_ctx *ctx = st->m.ctx;
    if (e->kind == VT_E_INT) return constant(st, k, e);
    if (e->kind != VT_E_LOAD)
        vt__alu_refuse(
            st, k->stmt,
            vt_new_format(ctx,
                          "the operand %s is neither a tensor's element nor a constant; give it a stage of its own",
                          vt_expr_plain(ctx, e)));
    if (e->u.buffer->data != k->store->u.store.buffer->data)
        vt__alu_refuse(
            st, k->stmt,
            vt_new_format(ctx,
                          "operand %s and the result are not both in the accumulator; set the scope of their "
                          "stages to acc",
                          e->u.buffer->name));
    operand o = {.at = VT_NEW_ARRAY(ctx, const vt_expr *, k->n + 1)};
    linear_index(st, k, e->a[0], o.at);
    return o;
}

nest vt__alu_match_nest(alu *st, const vt_stmt *stmt) {
    vt_ctx *ctx = st->m.ctx;
    nest k = {.stmt = stmt, .store = stmt};
    for (; k.store->kind == VT_S_FOR; k.store = k.store->u.loop.body) k.n++;
    if (k.store->kind != VT_S_STORE)
        vt__alu_refuse(st, stmt,
                       k.store->kind == VT_S_IF ? "it has a condition; make the split factors divide the axes"
                                                : "there is not one store inside of the loops");
    k.vars = VT_NEW_ARRAY(ctx, const vt_var *, k.n + 1);
    k.extents = VT_NEW_ARRAY(ctx, const vt_expr *, k.n + 1);
    k.dst = VT_NEW_ARRAY(ctx, const vt_expr *, k.n + 1);
    uint32_t i = 0;
    for (const vt_stmt *loop = stmt; loop->kind == VT_S_FOR; loop = loop->u.loop.body, i++) {
        if (!vt_is_const(loop->u.loop.min, 0)) vt__alu_refuse(st, stmt, "a loop does not begin at 0");
        k.vars[i] = loop->u.loop.var;
        k.extents[i] = loop->u.loop.extent;
    }
    if (strcmp(vt_buffer_scope(k.store->u.store.buffer), VT_SCOPE_ACC) == 0)
        vt__check_chip_type(st->l, k.store->u.store.buffer, VTA_MEM_ACC);
    linear_index(st, &k, k.store->u.store.indices[0], k.dst);
    return k;
}

bool vt__alu_in_place(const nest *k, const operand *x) {
    for (uint32_t i = 0; x->at && i <= k->n; i++)
        if (!vt_expr_equal(x->at[i], k->dst[i])) return false;
    return x->at != NULL;
}
