/* Where the two back ends meet; neither needs the other. */
#include "codegen/llvm.h"

vta_status vt_codegen_emit(vt_ctx *ctx, const vt_codegen_job *job, vt_emit what, vt_strbuf *out) {
    return what == VT_EMIT_C ? vt_codegen_c(ctx, job, out) : vt__llvm_emit(ctx, job, what, out);
}
