/* The public function: a checkpoint in memory, a model in memory. */
#include "vta/import.h"

#include <string.h>

#include "base/versioned.h"
#include "frontend/llama2c/llama2c.h"

typedef struct importing {
    const void *bytes;
    size_t size;
    const char *name;
    vtac_import_options options;
    vt_llama2c_model model;
} importing;

static vta_status convert(vt_ctx *ctx, void *arg) {
    importing *i = arg;
    const vt_llama2c_options options = {.opset = i->options.opset, .tokens = i->options.tokens};
    i->model = vt_llama2c_convert(ctx, i->bytes, i->size, i->name, &options);
    return VTA_OK;
}

vta_status vtac_import_llama2c(const void *bytes, size_t size, const char *name, const vtac_import_options *options,
                               vta_diag *diag, uint8_t **out_bytes, size_t *out_size) {
    importing i = {.bytes = bytes, .size = size, .name = name};
    vt_ctx ctx;
    if (!bytes || !name || !out_bytes || !out_size) return vt_fail(diag, VTA_INVALID_ARGUMENT, "an argument is NULL");
    *out_bytes = NULL;
    VT_TRY(vt_options_read(&i.options, sizeof i.options, options, "vtac_import_options", diag));
    vt_ctx_init(&ctx, &vt_allocator_libc, diag);
    vta_status status = vt_protect(&ctx, convert, &i);
    if (status == VTA_OK) {
        *out_bytes = vt_alloc(&vt_allocator_libc, i.model.size);
        if (*out_bytes)
            memcpy(*out_bytes, i.model.bytes, *out_size = i.model.size);
        else
            status = vt_no_memory(diag);
    }
    vt_ctx_clear(&ctx);
    return status;
}
