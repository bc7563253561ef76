/* GEMM and ALU on values. */
#include <math.h>

#include "device/core/alu.h"
#include "prove/prover.h"

static vt_size sum_of(vt_size a, vt_size b) {
    return (vt_size){vt_larger(a.degree, b.degree), a.magnitude + b.magnitude};
}

static vt_size product_of(vt_size a, vt_size b) { return (vt_size){a.degree + b.degree, a.magnitude * b.magnitude}; }

static void grow(vt_prover *p, uint32_t element, vt_size size) {
    p->size[element] = size;
    p->largest = vt_size_either(p->largest, size);
}

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
        vt_value_multiply_add(&p->field->primes, dst, inp, p->wgt + at.wgt * p->wgt_scalars, c->block_out, c->block_in);
    vt_size product = product_of(p->memory_size, p->memory_size);
    product.magnitude *= c->block_in;
    grow(p, at.dst, sum_of(p->size[at.dst], product));
}

static void reset_tile(vt_prover *p, const void *unused, indices at) {
    (void)unused;
    vta_value *dst = p->acc + at.dst * p->acc_scalars;
    for (size_t i = 0; i < p->acc_scalars; i++) dst[i] = 0;
    p->size[at.dst] = (vt_size){0, 0};
}

void vt_prover_gemm(vt_prover *p, uint32_t index, const vt_loops *loops, bool reset) {
    each(p, loops, index, reset ? reset_tile : multiply_tile, NULL);
}

typedef struct alu {
    vta_alu_opcode opcode;
    bool use_imm;
    vta_value imm;
    vt_size imm_size;
    double imm_number;
    size_t table; /* of TABLE */
    bool moves;   /* a shift, by a constant for some lane */
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
        return vta_field_int(field, vt_alu_lane(opcode, (int32_t)a, (int32_t)b, NULL));
    return vta_field_opaque(field, vt_mix(VTA_OP_ALU, opcode), 2, (const vta_value[]){x, y});
}

/* Table `imm` at x, clipped: what the table holds counts, as a whole where x is no constant. */
static vta_value table_lane(const vt_prover *p, const vta_value *table, vta_value x) {
    vta_field *f = p->field;
    vta_value low = vta_field_int(f, INT8_MIN), high = vta_field_int(f, INT8_MAX), result = 0;
    vta_value clipped = vta_field_apply(f, VTA_FIELD_MIN, vta_field_apply(f, VTA_FIELD_MAX, x, low, 32), high, 32);
    vta_value index = vta_field_apply(f, VTA_FIELD_ADD, clipped, vta_field_int(f, -INT8_MIN), 32);
    (void)vta_field_lookup(f, VTA_TABLE_ENTRIES, table, index, &result); /* a clip is in range */
    vta_field_known(f, result, INT8_MIN, INT8_MAX);
    return result;
}

static vta_value alu_lane(vta_field *field, vta_alu_opcode opcode, vta_value x, vta_value y) {
    int op = field_ops[opcode];
    return op == VTA_FIELD_OPAQUE ? opaque_lane(field, opcode, x, y)
                                  : vta_field_apply(field, (vta_field_op)op, x, y, 32);
}

/* The result of a random function is a variable; or an operand, or, of constants, a constant. */
static vt_size size_of_result(const alu *a, vt_size x, vt_size y) {
    static const vt_size variable = {1, 1}, word = {0, 4294967296.};
    vt_size either = vt_size_either(vt_size_either(x, y), variable);
    switch (field_ops[a->opcode]) {
    case VTA_FIELD_ADD:
    case VTA_FIELD_SUB: return sum_of(x, y);
    case VTA_FIELD_MUL: return product_of(x, y);
    case VTA_FIELD_MIN:
    case VTA_FIELD_MAX: return either;
    case VTA_FIELD_SHL:
    case VTA_FIELD_SHR: break;
    default: return vt_size_either(either, word);
    }
    double left = field_ops[a->opcode] == VTA_FIELD_SHL ? a->imm_number : -a->imm_number;
    if (!a->use_imm && !a->moves) return variable;
    if (!a->use_imm) left = 32;
    either.magnitude *= left > 0 ? exp2(fmin(left, 32)) : 1;
    return either;
}

static bool has_constant(const vt_prover *p, const vta_value *src) {
    int64_t number;
    for (size_t i = 0; i < p->acc_scalars; i++)
        if (vta_field_is_int(p->field, src[i], &number)) return true;
    return false;
}

static void alu_tile(vt_prover *p, const void *what, indices at) {
    const alu *given = what;
    alu is = *given, *a = &is;
    bool shifts = field_ops[is.opcode] == VTA_FIELD_SHL || field_ops[is.opcode] == VTA_FIELD_SHR;
    is.moves = shifts && !is.use_imm && has_constant(p, p->acc + at.src * p->acc_scalars);
    vta_value *dst = p->acc + at.dst * p->acc_scalars;
    const vta_value *src = p->acc + at.src * p->acc_scalars;
    const vta_value *table = a->opcode == VTA_ALU_TABLE ? p->tables + a->table * VTA_TABLE_ENTRIES : NULL;
    for (size_t i = 0; i < p->acc_scalars && table; i++) dst[i] = table_lane(p, table, dst[i]);
    for (size_t i = 0; i < p->acc_scalars && !table; i++)
        dst[i] = alu_lane(p->field, a->opcode, dst[i], a->use_imm ? a->imm : src[i]);
    grow(p, at.dst, size_of_result(a, p->size[at.dst], a->use_imm ? a->imm_size : p->size[at.src]));
}

void vt_prover_alu(vt_prover *p, uint32_t index, const vta_insn *insn, const vt_loops *loops) {
    alu a = {.opcode = (vta_alu_opcode)insn->u.exec.alu_opcode, .use_imm = insn->u.exec.use_imm};
    if (a.use_imm) {
        a.imm = vta_field_int(p->field, insn->u.exec.imm);
        a.imm_number = insn->u.exec.imm;
        a.table = a.opcode == VTA_ALU_TABLE ? (size_t)insn->u.exec.imm : 0;
        a.imm_size = (vt_size){0, fabs(a.imm_number)};
    }
    each(p, loops, index, alu_tile, &a);
}
