/* What all kernels of this folder are written with. */
#include <string.h>

#include "operators/host/host_priv.h"

vta_status vt__host_parse(const vt_host *host, const char *name, vt_strbuf *text, vtac_kernel **out_kernel) {
    *out_kernel = NULL;
    vta_status status =
        text->failed ? vt_no_memory(host->diag) : vt_host_kernel(host, name, vt_strbuf_text(text), out_kernel);
    vt_strbuf_free(text);
    return status;
}

void vt__host_float(vt_strbuf *out, double value) {
    char digits[40];
    snprintf(digits, sizeof digits, "%.9g", (double)(float)value);
    vt_strbuf_addf(out, value < 0 ? "(%s%s)" : "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

void vt__host_extents(vt_strbuf *out, const vt_host_form *form, int64_t n, int64_t c, const char *s) {
    if (form->lanes)
        vt_strbuf_addf(out, "[%" PRId64 ", %" PRId64 ", %s, %u, %u]", vt__host_blocks(n, form->rows),
                       vt__host_blocks(c, form->lanes), s, form->rows, form->lanes);
    else
        vt_strbuf_addf(out, "[%" PRId64 ", %" PRId64 ", %s]", n, c, s);
}

void vt__host_index(vt_strbuf *out, const vt_host_form *form, const char *n, const char *c, const char *s) {
    if (form->lanes)
        vt_strbuf_addf(out, "[(%s) // %u, (%s) // %u, %s, (%s) %% %u, (%s) %% %u]", n, form->rows, c, form->lanes, s, n,
                       form->rows, c, form->lanes);
    else
        vt_strbuf_addf(out, "[%s, %s, %s]", n, c, s);
}
