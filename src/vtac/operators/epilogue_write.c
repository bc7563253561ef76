/* Epilogues in kernel files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators/epilogue.h"

static const char *name_of(const vt_epilogue *e) { return vt__epilogue_rows[e->kind].name; }

/* Inputs of one sort: how many, of which name, type and shape. */
static void write_inputs(uint32_t n, const char *name, const char *type, const char *shape, vt_strbuf *out) {
    for (uint32_t i = 0; i < n; i++) vt_strbuf_addf(out, "input %s%u: %s[%s]\n", name, i, type, shape);
}

static void write_copies(uint32_t n, const char *name, vt_strbuf *out) {
    for (uint32_t i = 0; i < n; i++)
        vt_strbuf_addf(out, "tensor %s%u_buf like %s%u = %s%u[...]\n", name, i, name, i, name, i);
}

/* Blocks of one sort in one of the other. */
static int64_t in_blocks(const vtac_op *op) {
    int64_t in = vta_config_block_in(op->config), out = vta_config_block_out(op->config);
    return out > in ? out / in : 1;
}
static int64_t out_blocks(const vtac_op *op) {
    int64_t in = vta_config_block_in(op->config), out = vta_config_block_out(op->config);
    return in > out ? in / out : 1;
}

/* The shape of the result in blocks of inputs: "1, 4, 14, 14, BATCH, BLOCK_OUT" with another second extent and last;
 * the third where there are five, of a batch of matrices. */
static void write_addends(const vtac_op *op, const char *shape, vt_strbuf *out) {
    int commas = 0;
    for (const char *at = shape; *at; at++) commas += *at == ',';
    const char *second = strstr(shape, ", ") + 2;
    if (commas == 4) second = strstr(second, ", ") + 2;
    const char *rest = strstr(second, ", "), *last = strstr(shape, "BLOCK_OUT");
    int64_t blocks = strtoll(second, NULL, 10) * in_blocks(op);
    for (uint32_t i = 0; i < op->addends; i++)
        vt_strbuf_addf(out, "input addend%u: inp_t[%.*s%lld%.*sBLOCK_IN]\n", i, (int)(second - shape), shape,
                       (long long)vt__ceil_div(blocks, out_blocks(op)), (int)(last - rest), rest);
}

/* Tiles that are the same for all: ones for the digits of a bias, the unit matrix times a scale. */
static void write_constants(const vtac_op *op, const vt_epilogue *e, uint32_t i, vt_strbuf *out) {
    if (e->kind == VT_EPILOGUE_bias_int8)
        vt_strbuf_addf(out,
                       "tensor ones_%u[k: %d, bi: BATCH, ri: BLOCK_IN] = inp_t(select(ri == BLOCK_IN - 1, 1, %lld))\n"
                       "tensor ones_%u_buf like ones_%u = ones_%u[...]\n",
                       i, (int)e->second, (long long)vt__bias_step(op->config), i, i, i);
    if (e->kind == VT_EPILOGUE_residual_int8)
        vt_strbuf_addf(out,
                       "tensor unit_%u[ks: %lld, kr: %lld, ci: BLOCK_OUT, ri: BLOCK_IN] =\n    select(ks * BLOCK_OUT + "
                       "ci == kr * BLOCK_IN + ri, wgt_t(%d), wgt_t(0))\n"
                       "tensor unit_%u_buf like unit_%u = unit_%u[...]\n",
                       i, (long long)out_blocks(op), (long long)in_blocks(op), (int)e->second, i, i, i);
}

void vt__epilogue_inputs(const vtac_op *op, const char *bias_shape, const char *shape, vt_strbuf *out) {
    char tiles[64];
    write_inputs(op->biases, "bias", "acc_t", bias_shape, out);
    write_inputs(op->residuals, "residual", "acc_t", shape, out);
    write_inputs(op->factors, "factor", "acc_t", bias_shape, out);
    write_inputs(op->amounts, "amount", "acc_t", bias_shape, out);
    for (uint32_t i = 0; i < op->n_epilogue; i++) {
        const vt_epilogue *e = &op->epilogue[i];
        if (e->kind != VT_EPILOGUE_bias_int8) continue;
        snprintf(tiles, sizeof tiles, "%.*s, %d, BLOCK_OUT, BLOCK_IN", (int)strcspn(bias_shape, ","), bias_shape,
                 (int)e->second);
        vt_strbuf_addf(out, "input digits%d: wgt_t[%s]\n", (int)e->number, tiles);
    }
    write_addends(op, shape, out);
    write_inputs(op->tables, "table", "int8", "1, 256", out);
    write_copies(op->biases, "bias", out);
    write_copies(op->residuals, "residual", out);
    write_copies(op->factors, "factor", out);
    write_copies(op->amounts, "amount", out);
    write_copies(op->digits, "digits", out);
    write_copies(op->addends, "addend", out);
    write_copies(op->tables, "table", out);
    for (uint32_t i = 0; i < op->n_epilogue; i++) write_constants(op, &op->epilogue[i], i, out);
}

/* ---- Tensors ---------------------------------------------------------------------------------------------------- */

typedef struct writer {
    const vtac_op *op;
    const char *index, *bias_index;
    vt_strbuf *out;
} writer;

/* "bo, co, i, j, bi, ci" with what is read in the place of a block of outputs and of a lane. */
static void write_index(const char *index, const char *block, const char *lane, vt_strbuf *out) {
    const char *co = strstr(index, "co, "), *ci = strstr(index, "ci");
    vt_strbuf_addf(out, "%.*s%s%.*s%s", (int)(co - index), index, block, (int)(ci - co - 2), co + 2, lane);
}

/* "start[bo, co, …]", which a sum begins at; nothing where it begins at 0. */
static void write_start(const char *start, const char *index, vt_strbuf *out) {
    if (start) vt_strbuf_addf(out, ", %s[%s]", start, index);
}

static void write_addition(const writer *w, const vt_epilogue *e, uint32_t i, const char *from) {
    char block[64] = "co";
    int64_t ins = in_blocks(w->op), outs = out_blocks(w->op);
    if (ins > 1) snprintf(block, sizeof block, "co * %lld + kr%u", (long long)ins, i);
    if (outs > 1) snprintf(block, sizeof block, "co // %lld", (long long)outs);
    if (e->kind == VT_EPILOGUE_bias_int8) {
        vt_strbuf_addf(
            w->out,
            "sum[kr%u: %d, ri%u: BLOCK_IN](\n    acc_t(ones_%u_buf[kr%u, bi, ri%u]) * acc_t(digits%d_buf[co, "
            "kr%u, ci, ri%u])",
            i, (int)e->second, i, i, i, i, (int)e->number, i, i);
        write_start(from, w->index, w->out);
        vt_strbuf_addc(w->out, ')');
        return;
    }
    char lane[32], part[32] = "0";
    snprintf(lane, sizeof lane, "ri%u", i);
    if (outs > 1) snprintf(part, sizeof part, "co %% %lld", (long long)outs);
    vt_strbuf_addf(w->out, "sum[kr%u: %lld, ri%u: BLOCK_IN](\n    acc_t(addend%d_buf[", i, (long long)ins, i,
                   (int)e->number);
    write_index(w->index, block, lane, w->out);
    vt_strbuf_addf(w->out, "]) * acc_t(unit_%u_buf[%s, kr%u, ci, ri%u])", i, part, i, i);
    write_start(from, w->index, w->out);
    vt_strbuf_addc(w->out, ')');
}

static void write_body(const writer *w, const vt_epilogue *e, uint32_t i, const char *from) {
    static const struct {
        const char *before, *between, *name; /* of the other operand; NULL: the number */
    } forms[VT_EPILOGUES] = {
        [VT_EPILOGUE_shift] = {"", " >> ", NULL},
        [VT_EPILOGUE_add] = {"", " + ", NULL},
        [VT_EPILOGUE_multiply] = {"", " * ", NULL},
        [VT_EPILOGUE_max] = {"max(", ", ", NULL},
        [VT_EPILOGUE_min] = {"min(", ", ", NULL},
        [VT_EPILOGUE_bias] = {"", " + ", "bias"},
        [VT_EPILOGUE_residual] = {"", " + ", "residual"},
        [VT_EPILOGUE_multiply_channel] = {"", " * ", "factor"},
        [VT_EPILOGUE_shift_channel] = {"", " >> ", "amount"},
    };
    if (e->kind == VT_EPILOGUE_bias_int8 || e->kind == VT_EPILOGUE_residual_int8) {
        write_addition(w, e, i, from);
        return;
    }
    if (e->kind == VT_EPILOGUE_leaky) {
        vt_strbuf_addf(w->out, "max(%s[%s], slope_%u[%s])", from, w->index, i, w->index);
        return;
    }
    if (e->kind == VT_EPILOGUE_table) {
        vt_strbuf_addf(w->out, "acc_t(table%d_buf[0, min(max(%s[%s], -128), 127) + 128])", (int)e->number, from,
                       w->index);
        return;
    }
    const char *before = forms[e->kind].before, *name = forms[e->kind].name;
    vt_strbuf_addf(w->out, "%s%s[%s]%s", before, from, w->index, forms[e->kind].between);
    if (name)
        vt_strbuf_addf(w->out, "%s%d_buf[%s]", name, (int)e->number,
                       e->kind == VT_EPILOGUE_residual ? w->index : w->bias_index);
    else
        vt_strbuf_addf(w->out, "%d", (int)e->number);
    vt_strbuf_add(w->out, before[0] ? ")" : "");
}

/* Is there room for the digits of all channels beside what tiles take? Tails have buffers of their own: none then. */
static bool keeps_digits(const vtac_op *op, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    if (s->oc % b->oc || s->out_h % b->y || s->out_w % b->x) return false;
    int64_t wgt = b->oc * b->ic * s->kernel_h * s->kernel_w + vt__epilogue_use(op, s->oc, 1).wgt;
    return wgt * b->threads <= (int64_t)vta_config_depth(op->config, VTA_MEM_WGT);
}

/* A bias by GEMM that comes first is where the sum starts, when its digits stay on the chip for several tiles: then it
 * is added while the first operands of the sum are on their way. Tiles that take turns always keep them. */
const char *vt__epilogue_start(const vtac_op *op, const vt_op_blocks *b) {
    enum { ROUNDS = 8 };
    const vt_op_shape *s = &op->shape;
    int64_t tiles = s->n * vt__ceil_div(s->oc, b->oc) * vt__ceil_div(s->out_h, b->y) * vt__ceil_div(s->out_w, b->x);
    bool first = op->n_epilogue && op->epilogue[0].kind == VT_EPILOGUE_bias_int8;
    bool stays = b->turns || (tiles >= ROUNDS * b->threads && keeps_digits(op, b));
    return first && stays ? "bias_int8_0" : NULL;
}

void vt__epilogue_write_start(const vtac_op *op, const vt_op_blocks *b, const char *axes, vt_strbuf *out) {
    writer w = {.op = op, .out = out};
    if (!vt__epilogue_start(op, b)) return;
    vt_strbuf_addf(out, "tensor %s[%s] = ", vt__epilogue_start(op, b), axes);
    write_addition(&w, &op->epilogue[0], 0, NULL);
    vt_strbuf_addc(out, '\n');
}

/* `result`: the axes of the result, which may stand in another order. */
static void write_tensors(const vtac_op *op, uint32_t first, const char *axes, const char *index,
                          const char *bias_index, const char *result, vt_strbuf *out) {
    char from[48] = "sums", to[48];
    writer w = {op, index, bias_index, out};
    for (uint32_t i = first; i < op->n_epilogue; i++) {
        const vt_epilogue *e = &op->epilogue[i];
        if (e->kind == VT_EPILOGUE_leaky)
            vt_strbuf_addf(out, "tensor slope_%u[%s] = %s[%s] >> %d\n", i, axes, from, index, (int)e->number);
        snprintf(to, sizeof to, "%s_%u", name_of(e), i);
        vt_strbuf_addf(out, "tensor %s[%s] = ", to, axes);
        write_body(&w, e, i, from);
        vt_strbuf_addc(out, '\n');
        memcpy(from, to, sizeof from);
    }
    vt_strbuf_addf(out, "output res[%s] = out_t(%s[%s])\n", result, from, index);
}

void vt__epilogue_tensors(const vtac_op *op, const char *axes, const char *index, const char *bias_index,
                          vt_strbuf *out) {
    write_tensors(op, 0, axes, index, bias_index, axes, out);
}

void vt__epilogue_write_rest(const vtac_op *op, const vt_op_blocks *b, const char *axes, const char *index,
                             const char *bias_index, const char *result, vt_strbuf *out) {
    write_tensors(op, vt__epilogue_start(op, b) ? 1 : 0, axes, index, bias_index, result, out);
}

/* ---- Stages ----------------------------------------------------------------------------------------------------- */

static const char load[] = "stage %s%u_buf\n  scope acc\n  compute_at res, %s\n  pragma 0 dma_copy\n";

static void write_loads(uint32_t n, const char *name, const char *axis, vt_strbuf *out) {
    for (uint32_t i = 0; i < n; i++) vt_strbuf_addf(out, load, name, i, axis);
}

void vt__epilogue_stages(const vtac_op *op, const char *vectors, const char *axis, vt_strbuf *out) {
    static const char alu[] = "stage %s_%u\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n";
    for (uint32_t i = 0; i < op->tables; i++) /* once, for all tiles */
        vt_strbuf_addf(out, "stage table%u_buf\n  scope table\n  pragma 0 dma_copy\n", i);
    write_loads(op->biases, "bias", vectors, out);
    write_loads(op->residuals, "residual", axis, out);
    write_loads(op->factors, "factor", vectors, out);
    write_loads(op->amounts, "amount", vectors, out);
    for (uint32_t i = 0; i < op->n_epilogue; i++) {
        const vt_epilogue *e = &op->epilogue[i];
        if (e->kind == VT_EPILOGUE_bias_int8 || e->kind == VT_EPILOGUE_residual_int8) continue;
        if (e->kind == VT_EPILOGUE_leaky) vt_strbuf_addf(out, alu, "slope", i, axis);
        vt_strbuf_addf(out, alu, name_of(e), i, axis);
    }
}

/* An operand of GEMM: loaded when it is needed, behind those of the sum; what stays on the chip once, or once for a
 * thread. */
static void write_operand(const char *name, const char *scope, bool stays, const vt_op_blocks *b, const char *at,
                          vt_strbuf *out) {
    vt_strbuf_addf(out, "stage %s_buf\n  scope %s\n", name, scope);
    if (!stays)
        vt_strbuf_addf(out, "  compute_at %s\n", at);
    else if (b->turns || b->threads > 1)
        vt_strbuf_addf(out, "  compute_at res, %s\n", b->turns ? "0" : "thread");
    vt_strbuf_add(out, "  pragma 0 dma_copy\n");
}

void vt__epilogue_gemm_stages(const vtac_op *op, const vt_op_blocks *b, const char *index, const char *axis,
                              vt_strbuf *out) {
    char name[32], at[64];
    for (uint32_t i = 0; i < op->n_epilogue; i++) {
        const vt_epilogue *e = &op->epilogue[i];
        bool bias = e->kind == VT_EPILOGUE_bias_int8, stays = b->turns || (i == 0 && vt__epilogue_start(op, b));
        if (!bias && e->kind != VT_EPILOGUE_residual_int8) continue;
        vt_strbuf_addf(out, "stage %s_%u\n  scope acc\n  compute_at res, %s\n  reorder kr%u, %s, ri%u\n", name_of(e), i,
                       axis, i, index, i);
        if (b->turns && !bias) vt_strbuf_addf(out, "  pragma kr%u slots = 1\n", i);
        vt_strbuf_add(out, "  pragma bi conv2d_transpose_gemm\n");
        snprintf(at, sizeof at, "%s_%u, kr%u", name_of(e), i, i);
        snprintf(name, sizeof name, bias ? "ones_%u" : "addend%u", bias ? i : (uint32_t)e->number);
        write_operand(name, "inp", stays && bias, b, at, out);
        snprintf(name, sizeof name, bias ? "digits%u" : "unit_%u", bias ? (uint32_t)e->number : i);
        write_operand(name, "wgt", stays, b, at, out);
    }
}
