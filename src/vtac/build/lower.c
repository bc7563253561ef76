/* A schedule to a lowered function: te, then the passes. */
#include <string.h>

#include "base/arena_text.h"
#include "base/versioned.h"
#include "build/target.h"
#include "config/write.h"
#include "ir/handle.h"
#include "lower/lower.h"
#include "te/te.h"
#include "vta/build.h"

typedef struct request {
    te_schedule *schedule;
    size_t n;
    const vtac_arg *args;
    const char *name;
    vtac_lower_options options;
    vtac_func *result;
} request;

/* The configuration as one line of JSON; NULL for none. */
static const char *config_text(vt_ctx *ctx, const vta_config *config) {
    if (!config) return NULL;
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(ctx, &room);
    vt_json w;
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_config_write(&w, config, false);
    return vt_arena_text_take(ctx, &sb);
}

/* What a function for the accelerator computes, for objects to carry; NULL when it has scalar arguments. */
static const char *computes(vt_ctx *ctx, const request *r) {
    const vt_tensor **args = VT_NEW_ARRAY(ctx, const vt_tensor *, r->n);
    if (!r->options.config) return NULL;
    for (size_t i = 0; i < r->n; i++) {
        if (!r->args[i].tensor) return NULL;
        args[i] = vt_te_tensor(r->args[i].tensor);
    }
    return vt_te_kernel_text(te_schedule_context(r->schedule), (uint32_t)r->n, args);
}

static vta_status lower(vt_ctx *ctx, void *user) {
    request *r = user;
    vt_te_arg *args = VT_NEW_ARRAY(ctx, vt_te_arg, r->n);
    for (size_t i = 0; i < r->n; i++) args[i] = (vt_te_arg){r->args[i].tensor, r->args[i].scalar};
    if (r->options.config) vt_te_check_pragmas(r->schedule);
    const vt_func *f = r->options.some_outputs ? vt_te_lower_some(r->schedule, (uint32_t)r->n, args, r->name)
                                               : vt_te_lower(r->schedule, (uint32_t)r->n, args, r->name);
    const vt_func *lowered = vt_lower(ctx, f, &r->options, vt_te_tile_axis, r->schedule);
    if (r->options.config) vt__check_target(ctx, lowered, r->options.config);
    r->result = vt_func_handle(ctx, lowered, config_text(ctx, r->options.config), computes(ctx, r));
    return VTA_OK;
}

/* Runs what makes `*result`, which then owns the memory that this took. Errors go to `diag`, NULL: the context's list.
 */
static vta_status lower_aside(vt_ctx *ctx, vta_diag *diag, vta_status (*body)(vt_ctx *, void *), void *wanted,
                              vtac_func **result, const vtac_func **out_func) {
    vt_aside *side = vt_aside_open(ctx);
    if (!side) return vt_no_memory(diag ? diag : ctx->diag);
    vta_status status = vt_protect_to(ctx, diag, body, wanted);
    vt_aside_close(ctx, side);
    if (status != VTA_OK) {
        vt_aside_free(ctx, side);
        return status;
    }
    (*result)->side = side;
    *out_func = *result;
    return VTA_OK;
}

vta_status vtac_lower(te_schedule *schedule, size_t n, const vtac_arg args[], const char *name,
                      const vtac_lower_options *options, const vtac_func **out_func) {
    if (!out_func) return VTA_INVALID_ARGUMENT;
    *out_func = NULL;
    if (!vt_is(schedule, VT_TAG_SCHEDULE) || (n && !args)) return VTA_INVALID_ARGUMENT;
    te_context *c = te_schedule_context(schedule);
    if (te_context_status(c) != VTA_OK) return te_context_status(c); /* what was wrong while it was made */
    vt_ctx *ctx = vt_te_ctx(c);
    request r = {.schedule = schedule, .n = n, .args = args, .name = name ? name : "main"};
    VT_TRY(vt_options_read(&r.options, sizeof r.options, options, "vtac_lower_options", ctx->diag));
    if (!options) r.options.config = te_context_config(c);
    return lower_aside(ctx, NULL, lower, &r, &r.result, out_func);
}

/* ---- Functions that were lowered before -------------------------------------------------------------------------- */

typedef struct further {
    const vtac_func *func;
    vtac_lower_options options;
    vtac_func *result;
} further;

static vta_status lower_further(vt_ctx *ctx, void *user) {
    further *r = user;
    const vt_func *lowered = vt_lower(ctx, r->func->func, &r->options, NULL, NULL);
    const char *config = r->options.config ? config_text(ctx, r->options.config) : r->func->config;
    r->result = vt_func_handle(ctx, lowered, config, r->func->computes);
    return VTA_OK;
}

vta_status vtac_func_lower(const vtac_func *func, const vtac_lower_options *options, vta_diag *diag,
                           const vtac_func **out_func) {
    if (!out_func) return VTA_INVALID_ARGUMENT;
    *out_func = NULL;
    if (!vt_is(func, VT_TAG_FUNC)) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vtac_func_lower: no lowered function");
    further r = {.func = func};
    VT_TRY(vt_options_read(&r.options, sizeof r.options, options, "vtac_lower_options", diag));
    vt_ctx *ctx = func->ctx;
    return lower_aside(ctx, diag, lower_further, &r, &r.result, out_func);
}

/* ---- Functions made by hand -------------------------------------------------------------------------------------- */

typedef struct creation {
    te_context *c;
    size_t n;
    const vtac_param *params;
    const vtac_stmt *body;
    const char *name;
    vtac_lower_options options;
    vtac_func *result;
} creation;

static vta_status create_func(vt_ctx *ctx, void *user) {
    creation *r = user;
    vt_te_param *params = VT_NEW_ARRAY(ctx, vt_te_param, r->n);
    for (size_t i = 0; i < r->n; i++) params[i] = (vt_te_param){r->params[i].buffer, r->params[i].scalar};
    const vt_func *f = vt_te_function(r->c, (uint32_t)r->n, params, r->body, r->name);
    const vt_func *lowered = vt_lower(ctx, f, &r->options, NULL, NULL);
    r->result = vt_func_handle(ctx, lowered, config_text(ctx, r->options.config), NULL);
    return VTA_OK;
}

vta_status vtac_func_create(te_context *c, size_t n, const vtac_param params[], const vtac_stmt *body, const char *name,
                            const vtac_lower_options *options, const vtac_func **out_func) {
    if (!out_func) return VTA_INVALID_ARGUMENT;
    *out_func = NULL;
    if (!vt_is(c, VT_TAG_CONTEXT) || (n && !params)) return VTA_INVALID_ARGUMENT;
    if (te_context_status(c) != VTA_OK) return te_context_status(c); /* what was wrong while it was made */
    vt_ctx *ctx = vt_te_ctx(c);
    creation r = {.c = c, .n = n, .params = params, .body = body, .name = name ? name : "main"};
    VT_TRY(vt_options_read(&r.options, sizeof r.options, options, "vtac_lower_options", ctx->diag));
    return lower_aside(ctx, NULL, create_func, &r, &r.result, out_func);
}

/* ---- Kernel files ------------------------------------------------------------------------------------------------ */

/* The names in "a,b" after those in `list`; the text is cut up in place. */
static size_t add_names(const char **list, size_t n, char *text) {
    for (char *name = strtok_r(text, ", ", &text); name; name = strtok_r(NULL, ", ", &text)) list[n++] = name;
    return n;
}

typedef struct kernel_request {
    vtac_kernel *kernel;
    vtac_lower_options options;
    const vtac_func *result;
} kernel_request;

static vta_status lower_kernel(vt_ctx *ctx, void *user) {
    kernel_request *r = user;
    char *names = vt_new_string(ctx, vtac_kernel_disabled_passes(r->kernel));
    const char **disabled = VT_NEW_ARRAY(ctx, const char *, r->options.disabled_count + strlen(names) + 1);
    size_t n = r->options.disabled_count, count = vtac_kernel_arg_count(r->kernel);
    for (size_t i = 0; i < n; i++) disabled[i] = r->options.disabled[i];
    r->options.disabled = disabled;
    r->options.disabled_count = add_names(disabled, n, names);
    vtac_arg *args = VT_NEW_ARRAY(ctx, vtac_arg, count);
    for (size_t i = 0; i < count; i++) args[i].tensor = vtac_kernel_arg(r->kernel, i);
    return vtac_lower(vtac_kernel_schedule(r->kernel), count, args, vtac_kernel_name(r->kernel), &r->options,
                      &r->result);
}

vta_status vtac_kernel_lower(vtac_kernel *kernel, const vtac_lower_options *options, const vtac_func **out_func) {
    if (!out_func) return VTA_INVALID_ARGUMENT;
    *out_func = NULL;
    if (!vt_is(kernel, VT_TAG_KERNEL)) return VTA_INVALID_ARGUMENT;
    te_context *c = vtac_kernel_context(kernel);
    kernel_request r = {.kernel = kernel};
    VT_TRY(vt_options_read(&r.options, sizeof r.options, options, "vtac_lower_options", vt_te_ctx(c)->diag));
    if (!options && strcmp(vtac_kernel_target(kernel), "llvm") != 0) r.options.config = te_context_config(c);
    vta_status status = vt_protect(vt_te_ctx(c), lower_kernel, &r);
    if (status == VTA_OK) *out_func = r.result;
    return status;
}
