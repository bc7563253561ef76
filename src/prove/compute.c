/* GEMM and ALU on values. */
#include "device/core/alu.h"
#include "prove/prover.h"

/* Degrees are a bound; beyond this one they say nothing any more. */
enum { DEGREE_MOST = 1 << 30 };

static uint32_t times(uint64_t a, uint64_t b) { return a + b < DEGREE_MOST ? (uint32_t)(a + b) : DEGREE_MOST; }
static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

typedef struct indices {
    uint32_t dst, src, wgt;
} indices;

typedef void body(vt_prover *p, const void *what, indices at);

static void each(vt_prover *p, const vt_loops *l, uint32_t insn, body *do_one, const void *what) {
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x++)
            for (uint32_t u = 0; u < l->uop_count; u++) {
                indices at = {l->uops[u].dst + y * l->dst_factor_out + x * l->dst_factor_in,
                              l->uops[u].src + y * l->src_factor_out + x * l->src_factor_in,
                              l->uops[u].wgt + y * l->wgt_factor_out + x * l->wgt_factor_in};
                do_one(p, what, at);
                p->writer[at.dst] = insn;
            }
}

static void multiply_tile(vt_prover *p, const void *unused, indices at) {
    (void)unused;
    const vta_config *c = p->config;
    vta_value *dst = p->acc + at.dst * p->acc_scalars;
    const vta_value *inp = p->inp + at.src * p->inp_scalars;
    for (uint32_t b = 0; b < c->batch; b++, inp += c->block_in, dst += c->block_out)
        vt_value_multiply_add(dst, inp, p->wgt + at.wgt * p->wgt_scalars, c->block_out, c->block_in);
    p->degree[at.dst] = larger(p->degree[at.dst], times(p->memory_degree, p->memory_degree));
}

static void reset_tile(vt_prover *p, const void *unused, indices at) {
    (void)unused;
    vta_value *dst = p->acc + at.dst * p->acc_scalars;
    for (size_t i = 0; i < p->acc_scalars; i++) dst[i] = 0;
    p->degree[at.dst] = 0;
}

void vt_prover_gemm(vt_prover *p, uint32_t index, const vt_loops *loops, bool reset) {
    each(p, loops, index, reset ? reset_tile : multiply_tile, NULL);
}

typedef struct alu {
    vta_alu_opcode opcode;
    bool use_imm;
    vta_value imm;
} alu;

/* The operation of the field that an ALU operation is; OPAQUE: none. */
enum { VTA_FIELD_OPAQUE = -1 };
static const int8_t field_ops[VTA_ALU_COUNT] = {
#define VTA_OPCODE(name, number, format, meaning)
#define VTA_ALU_OPCODE(name, number, formula, field, lane) [number] = VTA_FIELD_##field,
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
};

/* An operation that the field does not have is computed where both operands are constants, and is a random function of
 * its operands elsewhere. */
static vta_value opaque_lane(vta_field *field, vta_alu_opcode opcode, vta_value x, vta_value y) {
    int64_t a, b;
    if (vta_field_is_int(field, x, &a) && vta_field_is_int(field, y, &b))
        return vta_field_int(field, vt_alu_lane(opcode, (int32_t)a, (int32_t)b));
    return vta_field_opaque(field, vt_mix(VTA_OP_ALU, opcode), 2, (const vta_value[]){x, y});
}

static vta_value alu_lane(vta_field *field, vta_alu_opcode opcode, vta_value x, vta_value y) {
    int op = field_ops[opcode];
    return op == VTA_FIELD_OPAQUE ? opaque_lane(field, opcode, x, y)
                                  : vta_field_apply(field, (vta_field_op)op, x, y, 32);
}

static void alu_tile(vt_prover *p, const void *what, indices at) {
    const alu *a = what;
    vta_value *dst = p->acc + at.dst * p->acc_scalars;
    const vta_value *src = p->acc + at.src * p->acc_scalars;
    for (size_t i = 0; i < p->acc_scalars; i++)
        dst[i] = alu_lane(p->field, a->opcode, dst[i], a->use_imm ? a->imm : src[i]);
    uint32_t d = p->degree[at.dst], s = a->use_imm ? 0 : p->degree[at.src];
    p->degree[at.dst] = field_ops[a->opcode] == VTA_FIELD_MUL ? times(d, s) : larger(d, s);
}

void vt_prover_alu(vt_prover *p, uint32_t index, const vta_insn *insn, const vt_loops *loops) {
    alu a = {.opcode = (vta_alu_opcode)insn->u.exec.alu_opcode, .use_imm = insn->u.exec.use_imm};
    a.imm = a.use_imm ? vta_field_int(p->field, insn->u.exec.imm) : 0;
    each(p, loops, index, alu_tile, &a);
}
