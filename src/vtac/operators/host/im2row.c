/* Quantized rows of a matrix from an image.
 *
 * First the image is quantized into bytes with the channels innermost and zeros around, so that what lies under one row
 * of the kernel is one row of bytes. A tile's lanes are then pieces of at most a few of those rows: vectors from
 * memory, selected by masks that are known for each tile, so that each has a loop written out. Where rows are of whole
 * tiles there is one piece, and one loop for all: the code of a kernel of 16 x 16 would take seconds to compile. */
#include "operators/host/host_priv.h"

typedef struct im2row {
    const vt_host_im2row *o;
    int64_t used, row;     /* lanes of a row of the kernel: with values, with the gap behind */
    int64_t lanes, k;      /* of a tile; of all rows */
    int64_t margin;        /* elements in front of and behind each row of bytes */
    int64_t height, width; /* of the image of bytes */
} im2row;

static im2row sizes(const vt_host_im2row *o) {
    const vt_host_window *w = &o->window;
    im2row r = {.o = o, .used = w->kernel_w * w->c, .lanes = o->to.lanes};
    r.row = o->row_lanes ? o->row_lanes : r.used;
    r.k = r.row * w->kernel_h;
    r.margin = r.lanes + r.row;
    r.height = (w->out_h - 1) * w->stride_h + w->kernel_h + 1 + r.lanes / r.row;
    r.width = ((w->out_w - 1) * w->stride_w + w->kernel_w) * w->c + 2 * r.margin;
    return r;
}

static void add_image(vt_strbuf *out, const im2row *r) {
    const vt_host_window *w = &r->o->window;
    vt_strbuf_addf(out,
                   "tensor q[n: %" PRId64 ", y: %" PRId64 ", r: %" PRId64 "] = if_then_else(n < %" PRId64
                   " && y >= %" PRId64 " && y < %" PRId64 " && r >= %" PRId64 " && r < %" PRId64 ", ",
                   vt__host_blocks(w->n, r->o->to.rows) * r->o->to.rows, r->height, r->width, w->n, w->pad_top,
                   w->pad_top + w->h, r->margin + w->pad_left * w->c, r->margin + (w->pad_left + w->w) * w->c);
    vt_strbuf_addf(out,
                   "%s(min(max(nearbyint(x[n, (r - %" PRId64 ") %% %" PRId64 ", y - %" PRId64 ", (r - %" PRId64
                   ") // %" PRId64 " - %" PRId64 "] * ",
                   r->o->to.type, r->margin, w->c, w->pad_top, r->margin, w->c, w->pad_left);
    vt__host_float(out, r->o->scale);
    vt_strbuf_add(out, "), ");
    vt__host_float(out, (double)r->o->low);
    vt_strbuf_add(out, "), ");
    vt__host_float(out, (double)r->o->high);
    vt_strbuf_addf(out, ")), %s(0))\n", r->o->to.type);
}

/* Piece `i` of a tile: the row of the kernel `i` rows behind the one in which the tile begins. Its lanes are those from
 * i * row - begin on, where begin is the tile's place in its first row. */
static void add_piece(vt_strbuf *out, const im2row *r, int64_t i) {
    const vt_host_window *w = &r->o->window;
    vt_strbuf_addf(out,
                   "q[no * %u + b, y * %" PRId64 " + (ko * %" PRId64 ") // %" PRId64 " + %" PRId64 ", z * %" PRId64
                   " + %" PRId64 " + (ko * %" PRId64 ") %% %" PRId64 " + l - %" PRId64 "]",
                   r->o->to.rows, w->stride_h, r->lanes, r->row, i, w->stride_w * w->c, r->margin, r->lanes, r->row,
                   i * r->row);
}

static void add_tiles(vt_strbuf *out, const im2row *r) {
    const vt_host_window *w = &r->o->window;
    bool whole = r->row % r->lanes == 0; /* no tile has lanes of two rows */
    int64_t pieces = whole ? 1 : (r->lanes + r->row - 2) / r->row + 1;
    vt_strbuf_addf(out,
                   "output p[no: %" PRId64 ", ko: %" PRId64 ", y: %" PRId64 ", z: %" PRId64 ", b: %u, l: %" PRId64
                   "] = select(ko * %" PRId64 " + l < %" PRId64,
                   vt__host_blocks(w->n, r->o->to.rows), vt__host_blocks(r->k, r->lanes), w->out_h, w->out_w,
                   r->o->to.rows, r->lanes, r->lanes, r->k);
    if (r->used < r->row)
        vt_strbuf_addf(out, " && ((ko * %" PRId64 ") %% %" PRId64 " + l) %% %" PRId64 " < %" PRId64, r->lanes, r->row,
                       r->row, r->used);
    vt_strbuf_add(out, ", ");
    for (int64_t i = 0; i + 1 < pieces; i++) {
        vt_strbuf_addf(out, "select((ko * %" PRId64 ") %% %" PRId64 " + l < %" PRId64 ", ", r->lanes, r->row,
                       (i + 1) * r->row);
        add_piece(out, r, i);
        vt_strbuf_add(out, ", ");
    }
    add_piece(out, r, pieces - 1);
    for (int64_t i = 0; i + 1 < pieces; i++) vt_strbuf_addc(out, ')');
    vt_strbuf_addf(out, ", %s(0))\nstage p\n  reorder no, y, ko, z, b, l\n%s  vectorize l\n", r->o->to.type,
                   whole ? "" : "  unroll ko\n");
}

vta_status vt_host_im2row_kernel(const vt_host *host, const vt_host_im2row *o, vtac_kernel **out_kernel) {
    const vt_host_window *w = &o->window;
    im2row r;
    vt_strbuf text;
    *out_kernel = NULL;
    if (w->dilation_h > 1 || w->dilation_w > 1 || !o->to.lanes || (o->row_lanes && o->row_lanes < w->kernel_w * w->c))
        return vt_fail(host->diag, VTA_UNSUPPORTED,
                       "im2row: a dilated kernel, a result that is not tiles, or too few lanes for a row");
    r = sizes(o);
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_addf(&text,
                   "kernel im2row\ntarget llvm\ninput x: float32[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]\n",
                   w->n, w->c, w->h, w->w);
    add_image(&text, &r);
    add_tiles(&text, &r);
    if (w->out_h * w->out_w * r.k >= VT__HOST_PARALLEL) vt_strbuf_add(&text, "  parallel y\n");
    return vt__host_parse(host, "im2row", &text, out_kernel);
}
