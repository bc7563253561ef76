/* An operator from what is asked for. */
#include <string.h>

#include "base/versioned.h"
#include "operators/knobs.h"
#include "operators/request.h"

static const vt_operator operators[] = {
#define VT_OPERATOR(name, space, text) {#name, text, &vt__space_##space, vt__describe_##name, vt__write_##name},
#define VT_ATTRIBUTE(op, name, value, least, most, help)
#include "operators/operators.def"
};

const char *vtac_operator_name(size_t index) { return index < VT_OPERATORS ? operators[index].name : NULL; }
const char *vtac_operator_text(size_t index) { return index < VT_OPERATORS ? operators[index].text : NULL; }

/* ---- Making ---------------------------------------------------------------------------------------------------- */

/* What nothing computes with is refused here, and not when the operator is called. */
static vta_status check_widths(const vtac_op *op, vta_diag *diag) {
    static const struct {
        vta_memory memory;
        const char *what, *use;
        unsigned least;
    } widths[] = {{VTA_MEM_INP, "inputs", "4 bits or more (LOG_INP_WIDTH=2)", 4},
                  {VTA_MEM_WGT, "weights", "4 bits or more (LOG_WGT_WIDTH=2)", 4},
                  {VTA_MEM_ACC, "accumulators", "32 bits (LOG_ACC_WIDTH=5)", 32}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        unsigned width = vta_config_width(op->config, widths[i].memory);
        if (width < widths[i].least)
            return vt_fail(diag, VTA_UNSUPPORTED,
                           "%s: operators are not computed with %s of %u bits; use a configuration with %s",
                           op->is->name, widths[i].what, width, widths[i].use);
    }
    return VTA_OK;
}

static vta_status make(vtac_op *op, const vt_op_request *r, vta_diag *diag) {
    VT_TRY(check_widths(op, diag));
    VT_TRY(vt__op_request_check(r, diag));
    memcpy(op->values, r->values, sizeof op->values);
    op->narrow = r->narrow;
    for (uint32_t i = 0; i < r->step_count; i++) VT_TRY(vt__epilogue_add(op, &r->steps[i], diag));
    op->n_said = op->n_epilogue;
    memcpy(op->said, op->epilogue, op->n_said * sizeof *op->said);
    VT_TRY(op->is->describe(op, diag));
    VT_TRY(vt__epilogue_settle(op, diag));
    if (op->shape.macs <= UINT64_C(1) << 50) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: more than 2^50 multiplications", op->is->name);
}

/* Takes `text` over. */
static vta_status create(const vt_op_request *r, char *text, const vta_config *config, const vta_allocator *allocator,
                         vta_diag *diag, vtac_op **out_op) {
    vtac_op *op = text ? vt_alloc_zero(allocator, sizeof *op) : NULL;
    if (!op) {
        vt_strfree(allocator, text);
        return vt_no_memory(diag);
    }
    op->allocator = allocator;
    op->is = &operators[r->kind];
    op->config = config ? vta_config_retain(config) : vta_config_default();
    op->attributes = text;
    vta_status status = op->config ? make(op, r, diag) : vt_no_memory(diag);
    if (status == VTA_OK)
        *out_op = op;
    else
        vtac_op_destroy(op);
    return status;
}

vta_status vt_op_create(const vt_op_request *r, const vta_config *config, const vta_allocator *allocator,
                        vta_diag *diag, vtac_op **out_op) {
    vt_strbuf text;
    vt_strbuf_init(&text, allocator);
    vt_op_request_write(r, &text);
    *out_op = NULL;
    return create(r, vt_strbuf_take(&text), config, allocator, diag, out_op);
}

vta_status vtac_op_create(const char *name, const char *text, const vta_config *config, const vta_allocator *allocator,
                          vta_diag *diag, vtac_op **out_op) {
    vt_op_request r;
    if (!out_op) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_op is NULL");
    *out_op = NULL;
    if (!name || !text) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", name ? "attributes" : "name");
    VT_TRY(vt_op_request_read(name, text, diag, &r));
    return create(&r, vt_strdup(allocator, text), config, allocator, diag, out_op);
}

void vtac_op_destroy(vtac_op *op) {
    if (!op) return;
    vt__op_forget(op);
    vt__op_names_free(op->names);
    vt_strfree(op->allocator, op->attributes);
    if (op->config) vta_config_release((vta_config *)op->config);
    vt_free(op->allocator, op, sizeof *op);
}

const char *vtac_op_name(const vtac_op *op) { return op ? op->is->name : NULL; }
const char *vtac_op_attributes(const vtac_op *op) { return op ? op->attributes : NULL; }

vta_status vtac_op_conv(const vtac_op *op, vta_diag *diag, vta_conv *out_conv) {
    if (!op || !out_conv) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", op ? "out_conv" : "op");
    if (!op->conv.height)
        return vt_fail(diag, VTA_UNSUPPORTED, "%s is not a convolution: its operands are plain tiles", op->is->name);
    vt_result_write(out_conv, &op->conv, sizeof op->conv);
    return VTA_OK;
}

const char *vtac_op_may_wrap(const vtac_op *op) { return op && *op->sums ? op->sums : NULL; }

const char *vtac_op_text(const vtac_op *op) { return op ? op->text : NULL; }
const char *vtac_op_report(const vtac_op *op) { return op ? op->report : NULL; }
vtac_kernel *vtac_op_kernel(const vtac_op *op) { return op ? op->kernel : NULL; }
vtac_module *vtac_op_module(const vtac_op *op) { return op ? op->module : NULL; }
const vt_op_recording *vt_op_recorded(const vtac_op *op) { return op && op->kernel ? &op->recording : NULL; }
