/* Quantizing, dequantizing, packing, unpacking: one pass over the elements. */
#include <string.h>

#include "operators/host/host_priv.h"

static bool is_float(const char *type) { return strncmp(type, "float", 5) == 0; }

/* An element of x at image and channel, converted. */
static void add_value(vt_strbuf *out, const vt_host_convert *o, const char *n, const char *c) {
    vt_strbuf x;
    vt_strbuf_init(&x, out->allocator);
    vt_strbuf_add(&x, "x");
    vt__host_index(&x, &o->from, n, c, "s");
    out->failed |= x.failed;
    if (o->scale == 0) {
        vt_strbuf_add(out, vt_strbuf_text(&x));
    } else if (is_float(o->to.type)) {
        vt_strbuf_addf(out, "(%s(%s) - ", o->to.type, vt_strbuf_text(&x));
        vt__host_float(out, (double)o->zero);
        vt_strbuf_add(out, ") * ");
        vt__host_float(out, o->scale);
    } else {
        vt_strbuf_addf(out, "%s(min(max(nearbyint(float32(%s) * ", o->to.type, vt_strbuf_text(&x));
        vt__host_float(out, o->scale);
        vt_strbuf_add(out, ") + ");
        vt__host_float(out, (double)o->zero);
        vt_strbuf_add(out, ", ");
        vt__host_float(out, (double)o->low);
        vt_strbuf_add(out, "), ");
        vt__host_float(out, (double)o->high);
        vt_strbuf_add(out, "))");
    }
    vt_strbuf_free(&x);
}

static void add_tiles(vt_strbuf *out, const vt_host_convert *o) {
    char n[48], c[48];
    const vt_host_form *to = &o->to;
    bool full = o->n % to->rows == 0 && o->c % to->lanes == 0;
    snprintf(n, sizeof n, "no * %u + b", to->rows);
    snprintf(c, sizeof c, "co * %u + l", to->lanes);
    vt_strbuf_addf(out, "output y[no: %" PRId64 ", co: %" PRId64 ", s: %" PRId64 ", b: %u, l: %u] = ",
                   vt__host_blocks(o->n, to->rows), vt__host_blocks(o->c, to->lanes), o->s, to->rows, to->lanes);
    if (!full) vt_strbuf_addf(out, "if_then_else(%s < %" PRId64 " && %s < %" PRId64 ", ", n, o->n, c, o->c);
    add_value(out, o, n, c);
    if (!full) vt_strbuf_addf(out, ", %s(0))", to->type);
    vt_strbuf_add(out, "\nstage y\n  vectorize l\n");
}

/* Reads along the channels are next to each other in tiles; writes along s are where the result is plain. */
static void add_plain(vt_strbuf *out, const vt_host_convert *o) {
    enum { VECTOR = 16 };
    vt_strbuf_addf(out, "output y[n: %" PRId64 ", c: %" PRId64 ", s: %" PRId64 "] = ", o->n, o->c, o->s);
    add_value(out, o, "n", "c");
    vt_strbuf_add(out, "\nstage y\n");
    if (o->s >= VECTOR) vt_strbuf_addf(out, "  split s by %d -> so, si\n  vectorize si\n", VECTOR);
}

vta_status vt_host_convert_kernel(const vt_host *host, const vt_host_convert *o, vtac_kernel **out_kernel) {
    vt_strbuf text;
    char s[24];
    vt_strbuf_init(&text, host->allocator);
    snprintf(s, sizeof s, "%" PRId64, o->s);
    vt_strbuf_addf(&text, "kernel convert\ntarget llvm\ninput x: %s", o->from.type);
    vt__host_extents(&text, &o->from, o->n, o->c, s);
    vt_strbuf_add(&text, "\n");
    (o->to.lanes ? add_tiles : add_plain)(&text, o);
    int64_t first = o->to.lanes ? vt__host_blocks(o->n, o->to.rows) * vt__host_blocks(o->c, o->to.lanes) : o->n * o->c;
    bool parallel = o->n * o->c * o->s >= VT__HOST_PARALLEL && first > 1;
    if (parallel) vt_strbuf_addf(&text, "  fuse 0, 1 -> f\n  parallel f\n");
    return vt__host_parse(host, "convert", &text, out_kernel);
}
