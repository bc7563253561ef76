/* The last check of what a micro-kernel does: the fields of its operation, and that all its micro-ops do the same. */
#include "target/machine.h"

/* Fields of a micro-op that are the same in all of a kernel. */
typedef struct operation {
    int mode, reset, opcode, use_imm, imm;
} operation;

static operation first, second;

static const vt_stmt *uop_of(const operation *p, int64_t at) {
    return uop(p->mode, p->reset, num(at), num(at), num(0), p->opcode, p->use_imm, p->imm);
}
static const vt_stmt *alone(void) { return computes(first.mode ? alu(uop_of(&first, 0)) : gemm(uop_of(&first, 0))); }
static const vt_stmt *together(void) {
    const vt_stmt *both = SEQ(uop_of(&first, 0), uop_of(&second, 1));
    return computes(first.mode ? alu(both) : gemm(both));
}

TEST_CASE(fields_of_an_operation) {
    static const struct {
        operation op;
        bool holds;
    } rows[] = {
        {{0, 0, 0, 0, 0}, true},      {{0, 1, 0, 0, 0}, true},           {{0, 2, 0, 0, 0}, false},
        {{0, -1, 0, 0, 0}, false},    {{1, 0, VTA_ALU_MUL, 0, 0}, true}, {{1, 0, VTA_ALU_COUNT, 0, 0}, false},
        {{1, 0, -1, 0, 0}, false},    {{1, 0, 0, 1, 32767}, true},       {{1, 0, 0, 1, 32768}, false},
        {{1, 0, 0, 1, -32768}, true}, {{1, 0, 0, 1, -32769}, false},     {{1, 0, 0, 2, 0}, false},
        {{1, 0, 0, -1, 0}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        verify_case c = {alone, rows[i].holds ? NULL : "kernel", "a field of the operation has a value that it cannot"};
        first = rows[i].op;
        check_case(&c, i);
    }
}

/* A GEMM has a reset, and no operation. */
TEST_CASE(micro_ops_of_one_sort) {
    static const operation gemm_op = {0, 0, 0, 0, 0}, alu_op = {1, 0, 1, 1, 5};
    static const struct {
        const operation *first;
        operation second;
        const char *says; /* NULL: they are of one sort */
    } rows[] = {
        {&gemm_op, {0, 0, 0, 0, 0}, NULL},
        {&gemm_op, {0, 1, 0, 0, 0}, "different sorts"},
        {&gemm_op, {0, 0, 1, 1, 5}, NULL},
        {&gemm_op, {1, 0, 0, 0, 0}, "another kind than its kernel"},
        {&alu_op, {1, 0, 1, 1, 5}, NULL},
        {&alu_op, {1, 1, 1, 1, 5}, "different sorts"},
        {&alu_op, {1, 0, 2, 1, 5}, "different sorts"},
        {&alu_op, {1, 0, 1, 0, 5}, "different sorts"},
        {&alu_op, {1, 0, 1, 1, 6}, "different sorts"},
        {&alu_op, {0, 0, 1, 1, 5}, "another kind than its kernel"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        verify_case c = {together, rows[i].says ? "kernel" : NULL, rows[i].says};
        first = *rows[i].first;
        second = rows[i].second;
        check_case(&c, i);
    }
}

int main(void) { return run_cases_between(make_config, drop_config); }
