/* The public view of functions. */
#include "ir/handle.h"

#include "ir/print.h"
#include "ir/verify.h"
#include "ir/visit.h"

vtac_func *vt_func_handle(vt_ctx *ctx, const vt_func *f, const char *config, const char *computes) {
    vtac_func *handle = VT_NEW(ctx, vtac_func);
    *handle = (vtac_func){.tag = VT_TAG_FUNC, .ctx = ctx, .func = f, .config = config, .computes = computes};
    return handle;
}

void vtac_func_release(const vtac_func *func) {
    if (!vt_is(func, VT_TAG_FUNC)) return;
    ((vtac_func *)(uintptr_t)func)->tag = VT_TAG_NONE;
    vt_aside_free(func->ctx, func->side);
}

const char *vtac_func_name(const vtac_func *func) { return vt_is(func, VT_TAG_FUNC) ? func->func->name : ""; }
uint32_t vtac_func_param_count(const vtac_func *func) { return vt_is(func, VT_TAG_FUNC) ? func->func->n_params : 0; }

static vta_status refuse(const vtac_func *func, vta_diag *diag, const char *call) {
    if (!func) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: no function", call);
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: %s is given where a lowered function is expected", call,
                   vt_tag_text(func));
}

typedef struct print_job {
    const vt_func *func;
    vtac_style style;
    vt_strbuf *out;
} print_job;

static vta_status print_body(vt_ctx *ctx, void *arg) {
    print_job *job = arg;
    if (job->style == VTAC_STYLE_PRIMFN)
        vt_print_primfn(ctx, job->func, job->out);
    else
        vt_print_tvmscript(ctx, job->func, job->out);
    return VTA_OK;
}

vta_status vtac_func_print(const vtac_func *func, vtac_style style, vta_diag *diag, char **out_text) {
    if (!out_text) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vtac_func_print: no place for the text");
    *out_text = NULL;
    if (!vt_is(func, VT_TAG_FUNC)) return refuse(func, diag, "vtac_func_print");
    if (style != VTAC_STYLE_PRIMFN && style != VTAC_STYLE_TVMSCRIPT)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vtac_func_print: unknown style %d", (int)style);
    vt_strbuf text;
    vt_strbuf_init(&text, func->ctx->arena.allocator);
    print_job job = {func->func, style, &text};
    vt_arena_mark mark = vt_arena_here(&func->ctx->arena); /* what printing takes meanwhile is given back */
    vta_status status = vt_protect_to(func->ctx, diag, print_body, &job);
    vt_arena_rewind(&func->ctx->arena, mark);
    if (status == VTA_OK && !text.failed) *out_text = vt_strdup(NULL, vt_strbuf_text(&text));
    if (status == VTA_OK && !*out_text) status = vt_no_memory(diag);
    vt_strbuf_free(&text);
    return status;
}

vta_status vtac_func_verify(const vtac_func *func, vta_diag *diag) {
    if (!vt_is(func, VT_TAG_FUNC)) return refuse(func, diag, "vtac_func_verify");
    return vt_verify(func->ctx, func->func, diag);
}

typedef struct equal_job {
    const vt_func *x, *y;
    bool result;
} equal_job;

static vta_status equal_body(vt_ctx *ctx, void *arg) {
    equal_job *job = arg;
    job->result = vt_func_alpha_equal(ctx, job->x, job->y);
    return VTA_OK;
}

vta_status vtac_func_equal(const vtac_func *x, const vtac_func *y, vta_diag *diag, bool *out_equal) {
    if (!out_equal) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vtac_func_equal: no place for the result");
    *out_equal = false;
    if (!vt_is(x, VT_TAG_FUNC)) return refuse(x, diag, "vtac_func_equal");
    if (!vt_is(y, VT_TAG_FUNC)) return refuse(y, diag, "vtac_func_equal");
    equal_job job = {x->func, y->func, false};
    vt_arena_mark mark = vt_arena_here(&x->ctx->arena); /* what comparing takes meanwhile is given back */
    vta_status status = vt_protect_to(x->ctx, diag, equal_body, &job);
    vt_arena_rewind(&x->ctx->arena, mark);
    if (status == VTA_OK) *out_equal = job.result;
    return status;
}
