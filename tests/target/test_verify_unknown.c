/* What the last check cannot tell is counted, and passes; what it must be able to tell is a broken rule. */
#include "target/machine.h"

static const vt_expr *size(void) { return vt_var_new_size(C, "n", VT_I32); }
static const vt_stmt *repeated(const vt_stmt *body) {
    return vt_s_for(C, var("i"), num(0), size(), VT_FOR_SERIAL, body);
}

/* Loops of nobody knows how many steps: each leaves as many tokens as it found, or not. */
static const vt_stmt *even_steps(void) { return SEQ(repeated(SEQ(push(1, 2), pop(1, 2))), synchronize()); }
static const vt_stmt *growing_steps(void) { return SEQ(repeated(push(1, 2)), synchronize()); }
static const vt_stmt *shrinking_steps(void) { return SEQ(push(1, 2), repeated(pop(1, 2)), synchronize()); }

/* A micro-op whose fields are not all numbers. */
static const vt_stmt *field_of(const vt_expr *opcode, const vt_expr *imm) {
    const vt_expr *a[] = {num(1), num(0), num(3), num(3), num(0), opcode, num(1), imm};
    return computes(alu(vt__call(C, VT_OP_VTA_UOP_PUSH, 8, a)));
}
static const vt_stmt *known_fields(void) { return field_of(num(VTA_ALU_ADD), num(7)); }
static const vt_stmt *open_imm(void) { return field_of(num(VTA_ALU_ADD), size()); }
static const vt_stmt *open_opcode(void) { return field_of(size(), num(7)); }
static const vt_stmt *open_fields(void) { return field_of(size(), size()); }

static const struct {
    const vt_stmt *(*build)(void);
    uint32_t untold;
} rows[] = {
    {even_steps, 0}, {growing_steps, 1}, {shrinking_steps, 1}, {known_fields, 0},
    {open_imm, 1},   {open_opcode, 1},   {open_fields, 2},
};

TEST_CASE(what_cannot_be_told_is_counted) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const verify_case open = {rows[i].build, NULL, NULL};
        one o = {.options = {.config = config}};
        now = &o;
        current = &open;
        if (one_run(&o, verify, nothing) != VTA_OK) fail_msg("row %zu: %s", i, vta_diag_text(o.diag));
        if (undecided != rows[i].untold) fail_msg("row %zu: %u untold, not %u", i, undecided, rows[i].untold);
        one_end(&o);
    }
}

/* The queue of a token is always known. */
static const vt_stmt *token(vt_op op, const vt_expr *from, const vt_expr *to) {
    return SEQ(vt__call(C, op, 2, (const vt_expr *const[]){from, to}), synchronize());
}
static const vt_stmt *pushed_from(void) { return token(VT_OP_VTA_COPROC_DEP_PUSH, size(), num(2)); }
static const vt_stmt *pushed_to(void) { return token(VT_OP_VTA_COPROC_DEP_PUSH, num(1), size()); }
static const vt_stmt *popped_from(void) { return token(VT_OP_VTA_COPROC_DEP_POP, size(), num(2)); }

TEST_CASE(queues_are_known) {
    static const vt_stmt *(*const builds[])(void) = {pushed_from, pushed_to, popped_from};
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++)
        check_case(&(verify_case){builds[i], "queue", "the stages of a token are not constants"}, i);
}

int main(void) { return run_cases_between(make_config, drop_config); }
