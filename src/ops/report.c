/* A schedule in words, and what limits it. */
#include "ops/ops.h"

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
    tell(out, b->y, s->out_h, "row", "rows");
    if (s->out_w > 1) {
        vt_strbuf_add(out, " and ");
        tell(out, b->x, s->out_w, "column", "columns");
    }
    vt_strbuf_add(out, "; each step of the sum loads ");
    tell(out, b->ic, s->ic, "block of input channels", "blocks of input channels");
    vt_strbuf_add(out, ". ");
}

char *vt__report(const vt_op_cost *c, const vt_op_blocks *b, const vtac_op_result *r) {
    const vtac_op *op = c->op;
    vt_strbuf out;
    vt_strbuf_init(&out, op->allocator);
    tell_tile(op, b, &out);
    if (b->threads > 1)
        vt_strbuf_addf(&out,
                       "%lld virtual threads take %s in turn, so that loads and stores of one run behind the products "
                       "of the others. ",
                       (long long)b->threads, b->share_rows ? "bands of rows" : "groups of output channels");
    else
        vt_strbuf_add(&out, "There is one thread: no axis divides into equal tiles for several, or they do not fit. ");
    if (b->skip)
        vt_strbuf_add(&out, "Micro-ops whose tap falls on padding are left out; tiles that lose the same ones share "
                            "their kernels. ");
    uint64_t compute = vt__cost_compute(c), beats = vt__cost_beats(c);
    vt_strbuf_addf(
        &out, "%s limits it: %llu cycles of GEMM and ALU, %llu of reading operands once; %llu reached, %.1f %% more. ",
        compute >= beats ? "Compute" : "The memory", (unsigned long long)compute, (unsigned long long)beats,
        (unsigned long long)r->cycles, 100.0 * ((double)r->cycles / (double)r->bound - 1));
    vt_strbuf_addf(&out, "%llu schedules fit the buffers; the best %u by estimate were timed.",
                   (unsigned long long)r->considered, (unsigned)r->timed);
    char *text = vt_strbuf_take(&out);
    vt_strbuf_free(&out);
    return text;
}
