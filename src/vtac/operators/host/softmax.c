/* Softmax over rows, without overflow: what is added up is at most 1. Sums and quotients are of 64 bits, as those of
 * the evaluator in C, so that both give the same bits. */
#include "operators/host/host_priv.h"

vta_status vt_host_softmax_kernel(const vt_host *host, int64_t rows, int64_t columns, bool logarithm,
                                  vtac_kernel **out_kernel) {
    vt_strbuf text;
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_addf(&text,
                   "kernel softmax\ntarget llvm\ninput x: float32[%" PRId64 ", %" PRId64 "]\n"
                   "tensor most[i: %" PRId64 "] = max[k: %" PRId64 "](x[i, k])\n"
                   "tensor e[i: %" PRId64 ", j: %" PRId64 "] = exp(x[i, j] - most[i])\n"
                   "tensor total[i: %" PRId64 "] = sum[m: %" PRId64 "](float64(e[i, m]))\n"
                   "output y[i: %" PRId64 ", j: %" PRId64 "] = ",
                   rows, columns, rows, columns, rows, columns, rows, columns, rows, columns);
    vt_strbuf_add(&text, logarithm ? "float32(float64(x[i, j] - most[i]) - log(total[i]))\n"
                                   : "float32(float64(e[i, j]) / total[i])\n");
    return vt__host_parse(host, "softmax", &text, out_kernel);
}
