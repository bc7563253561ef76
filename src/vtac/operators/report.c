/* A schedule in words, and what limits it. */
#include "operators/ops.h"

static void tell(vt_strbuf *out, int64_t block, int64_t extent, const char *one, const char *many) {
    if (extent == 1)
        vt_strbuf_addf(out, "the one %s", one);
    else if (block >= extent)
        vt_strbuf_addf(out, "all %lld %s", (long long)extent, many);
    else
        vt_strbuf_addf(out, "%lld of %lld %s", (long long)block, (long long)extent, many);
}

static void tell_tile(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    vt_strbuf_add(out, "A tile of the result is ");
    tell(out, b->oc, s->oc, "block of output channels", "blocks of output channels");
    vt_strbuf_add(out, ", ");
    tell(out, b->y, s->pool ? s->pool_h : s->out_h, "row", "rows");
    if (s->out_w > 1) {
        vt_strbuf_add(out, " and ");
        tell(out, b->x, s->pool ? s->pool_w : s->out_w, "column", "columns");
    }
    vt_strbuf_add(out, "; each step of the sum loads ");
    tell(out, b->ic, s->ic, "block of input channels", "blocks of input channels");
    vt_strbuf_add(out, ". ");
}

static void tell_parts(const char *what, const vt_op_parts *p, vt_strbuf *out) {
    vt_strbuf_addf(out, "%s ", what);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t times = 1;
        while (i + 1 < p->n && p->of[i + 1] == p->of[i]) times++, i++;
        vt_strbuf_addf(out, i + 1 > times ? " + %u" : "%u", (unsigned)p->of[i]);
        if (times > 1) vt_strbuf_addf(out, " x %u", (unsigned)times);
    }
}

static void tell_turns(const vt_op_blocks *b, vt_strbuf *out) {
    vt_strbuf_add(out, "Tiles take turns in two places of the accumulators, so that one is stored while the next is "
                       "computed, and steps of the sum in two places of the operands; ");
    tell_parts("output channels", &b->oc_parts, out);
    if (b->y_parts.n) tell_parts(", rows", &b->y_parts, out);
    tell_parts(", input channels", &b->ic_parts, out);
    vt_strbuf_addf(out, " (%s inside). ", b->rows_inside ? "rows" : "output channels");
    if (b->third_place) vt_strbuf_add(out, "Operands have a third place. ");
    if (b->late_uops) vt_strbuf_add(out, "Micro-ops of later steps are loaded behind the first product. ");
    if (b->keep_data || b->keep_weight)
        vt_strbuf_addf(out, "%s on the chip. ",
                       b->keep_data && b->keep_weight ? "Data and weights stay"
                       : b->keep_data                 ? "All data stay"
                                                      : "All weights stay");
}

void vt__report_origin(const vtac_op_result *r, vt_strbuf *out) {
    if (r->origin == VTAC_OP_FROM_DATABASE) {
        vt_strbuf_add(out, "The schedule is from the database of tuned ones.");
        return;
    }
    vt_strbuf_addf(out, "%llu schedules fit the buffers; ", (unsigned long long)r->considered);
    vt_strbuf_addf(out,
                   r->origin == VTAC_OP_TUNED ? "%u were timed by the tuner." : "the best %u by estimate were timed.",
                   (unsigned)r->timed);
}

char *vt__report(const vt_op_cost *c, const vt_op_blocks *b, const vtac_op_result *r) {
    const vtac_op *op = c->op;
    vt_strbuf out;
    vt_strbuf_init(&out, op->allocator);
    tell_tile(op, b, &out);
    if (b->turns)
        tell_turns(b, &out);
    else if (b->threads > 1)
        vt_strbuf_addf(&out,
                       "%lld virtual threads take %s in turn, so that loads and stores of one run behind the products "
                       "of the others. ",
                       (long long)b->threads, b->share_rows ? "bands of rows" : "groups of output channels");
    else
        vt_strbuf_add(&out, "There is one thread: no axis divides into equal tiles for several, or they do not fit. ");
    if (b->skip)
        vt_strbuf_add(&out, "Micro-ops whose tap falls on padding are left out; tiles that lose the same ones share "
                            "their kernels. ");
    uint64_t compute = op->shape.pool ? r->bound : vt__cost_compute(c), beats = vt__cost_beats(c);
    vt_strbuf_addf(
        &out, "%s limits it: %llu cycles of GEMM and ALU, %llu of reading operands once; %llu reached, %.1f %% more. ",
        compute >= beats ? "Compute" : "The memory", (unsigned long long)compute, (unsigned long long)beats,
        (unsigned long long)r->cycles, 100.0 * ((double)r->cycles / (double)r->bound - 1));
    vt__report_origin(r, &out);
    return vt_strbuf_take(&out);
}
