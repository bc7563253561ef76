/* The operator that a computation of the user's is, so that it gets a schedule as operators do. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "operators/match.h"

/* ---- Refusals -------------------------------------------------------------------------------------------------- */

static const char remedy[] = "; write a schedule for it (docs/kernel-files.md), or compute this part on the host";

vta_status vt__match_refuse(const vt_match *m, const vt_tensor *t, const vt_expr *e, const char *fmt, ...) {
    char why[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    const char *text = e ? te_expr_text(m->te, (te_expr *)(uintptr_t)e) : NULL;
    if (!text) return vt_fail(m->diag, VTA_UNSUPPORTED, "%s: %s: %s%s", m->kernel, t->name, why, remedy);
    return vt_fail(m->diag, VTA_UNSUPPORTED, "%s: %s: %.300s: %s%s", m->kernel, t->name, text, why, remedy);
}

/* ---- The epilogue as an attribute ------------------------------------------------------------------------------ */

static void write_epilogue(const vt_match *m, vt_strbuf *out) {
    for (uint32_t i = m->n_steps; i-- > 0;) {
        const vt_match_step *s = &m->steps[i];
        vt_strbuf_add(out, i + 1 == m->n_steps ? " epilogue=" : ",");
        vt_strbuf_add(out, vtac_epilogue_name(s->kind));
        if (s->numbered) vt_strbuf_addf(out, ":%lld", (long long)s->number);
    }
}

/* ---- Arguments ------------------------------------------------------------------------------------------------- */

/* The arguments as the operator's own kernel has them: its inputs, those of steps, the result. */
typedef struct roles {
    uint32_t n;
    const vt_tensor *of[VT_MATCH_ARGS];
    char name[VT_MATCH_ARGS][24];
} roles;

static void add_role(roles *r, const vt_tensor *t, const char *name) {
    r->of[r->n] = t;
    snprintf(r->name[r->n++], sizeof r->name[0], "%s", name);
}

static const char *name_of(vt_epilogue_kind kind) {
    switch (kind) {
    case VT_EPILOGUE_bias: return "bias";
    case VT_EPILOGUE_residual: return "residual";
    case VT_EPILOGUE_multiply_channel: return "factor";
    case VT_EPILOGUE_shift_channel: return "amount";
    case VT_EPILOGUE_bias_int8: return "digits";
    case VT_EPILOGUE_residual_int8: return "addend";
    case VT_EPILOGUE_table: return "table";
    case VT_EPILOGUE_shift:
    case VT_EPILOGUE_round_shift:
    case VT_EPILOGUE_requantize:
    case VT_EPILOGUE_add:
    case VT_EPILOGUE_multiply:
    case VT_EPILOGUE_max:
    case VT_EPILOGUE_min:
    case VT_EPILOGUE_relu:
    case VT_EPILOGUE_clip:
    case VT_EPILOGUE_leaky:
    case VT_EPILOGUES: break; /* without a tensor */
    }
    return NULL;
}

static roles roles_of(const vt_match *m) {
    roles r = {.n = 0};
    unsigned number[VT_EPILOGUES] = {0};
    char name[24];
    for (uint32_t i = 0; i < m->n_inputs; i++) add_role(&r, m->inputs[i].tensor, m->inputs[i].name);
    for (uint32_t i = m->n_steps; i-- > 0;) {
        const vt_match_step *s = &m->steps[i];
        if (!s->side) continue;
        snprintf(name, sizeof name, "%s%u", name_of(s->kind), number[s->kind]++);
        add_role(&r, s->side, name);
    }
    add_role(&r, m->out, "res");
    return r;
}

static vta_status check_arguments(const vt_match *m, const roles *r, size_t n, te_tensor *const *args) {
    for (uint32_t i = 0; i < r->n; i++) {
        bool found = false;
        for (size_t k = 0; k < n; k++) found |= vt_te_tensor(args[k]) == r->of[i];
        if (!found) return vt__match_refuse(m, r->of[i], NULL, "is read and is not among the function's arguments");
        for (uint32_t k = 0; k < i; k++)
            if (r->of[k] == r->of[i])
                return vt__match_refuse(m, r->of[i], NULL, "is read as %s and as %s: give it twice, under two names",
                                        r->name[k], r->name[i]);
    }
    for (size_t k = 0; k < n; k++) {
        bool used = false;
        for (uint32_t i = 0; i < r->n; i++) used |= vt_te_tensor(args[k]) == r->of[i];
        if (!used) return vt__match_refuse(m, vt_te_tensor(args[k]), NULL, "is an argument that nothing reads");
    }
    return VTA_OK;
}

static vta_status name_arguments(vtac_op *op, const vt_match *m, const roles *r, size_t n, te_tensor *const *args,
                                 vta_diag *diag) {
    op->names = vt__op_names_new(op->allocator, op->is->name, m->kernel);
    bool made = op->names;
    for (size_t k = 0; made && k < n; k++)
        for (uint32_t i = 0; made && i < r->n; i++)
            if (vt_te_tensor(args[k]) == r->of[i])
                made = vt__op_names_add(op->names, r->name[i], te_tensor_name(args[k]), args[k]);
    return made ? VTA_OK : vt_no_memory(diag);
}

/* ---- The call -------------------------------------------------------------------------------------------------- */

static vta_status find_output(vt_match *m, size_t n, te_tensor *const *args) {
    for (size_t i = 0; i < n; i++) {
        if (!args[i]) return vt_fail(m->diag, VTA_INVALID_ARGUMENT, "%s: argument %zu is NULL", m->kernel, i);
        if (te_tensor_is_placeholder(args[i])) continue;
        if (m->out)
            return vt_fail(m->diag, VTA_UNSUPPORTED, "%s: %s and %s are computed: an operator has one result%s",
                           m->kernel, m->out->name, te_tensor_name(args[i]), remedy);
        m->out = vt_te_tensor(args[i]);
    }
    if (!m->out) return vt_fail(m->diag, VTA_INVALID_ARGUMENT, "%s: no argument is computed", m->kernel);
    if (m->out->dtype.code == VT_INT && m->out->dtype.bits == vta_config_width(m->config, VTA_MEM_OUT)) return VTA_OK;
    return vt__match_refuse(m, m->out, NULL,
                            "its elements have %u bits: the accelerator stores out_t, of %u; end with "
                            "out_t(...)",
                            (unsigned)m->out->dtype.bits, (unsigned)vta_config_width(m->config, VTA_MEM_OUT));
}

/* A computation that leaves a tensor where nothing uses what it reads would be matched, too. */
static vta_status check_reads(const vt_match *m) {
    vta_diag *said = te_context_diag(m->te);
    size_t before = vta_diag_count(said);
    vta_diag_entry e = {.message = "a read outside of a tensor"};
    vta_status status = vt_te_check_reads(m->te, (te_tensor *)(uintptr_t)m->out);
    if (status == VTA_OK || said == m->diag) return status;
    if (vta_diag_count(said) > before) (void)vta_diag_get(said, before, &e);
    return vt_fail(m->diag, status, "%s", e.message);
}

/* Without the attribute that comes behind the first `size` characters of the others. */
static vta_status saturates_too(vtac_op *op, size_t size, vta_diag *diag) {
    vt_strbuf out;
    vt_strbuf_init(&out, op->allocator);
    vt_strbuf_addf(&out, "%.*s", (int)size, op->attributes);
    char *text = vt_strbuf_take(&out);
    if (!text) return vt_no_memory(diag);
    vt_strfree(op->allocator, op->attributes);
    op->attributes = text;
    op->narrow = VT_NARROW_saturate;
    return VTA_OK;
}

static vta_status make(vt_match *m, size_t n, te_tensor *const *args, const vta_allocator *allocator,
                       vtac_op **out_op) {
    VT_TRY(find_output(m, n, args));
    VT_TRY(vt__match_chain(m));
    if (m->sums) VT_TRY(vt__match_sum(m));
    roles r = roles_of(m);
    VT_TRY(check_arguments(m, &r, n, args));
    VT_TRY(check_reads(m));
    vt_strbuf text;
    vt_strbuf_init(&text, allocator);
    vt_strbuf_add(&text, m->attributes);
    write_epilogue(m, &text);
    size_t same = text.size; /* a result that fits is the same, however it is narrowed */
    vt_strbuf_add(&text, " narrow=wrap");
    vta_status status = text.failed ? vt_no_memory(m->diag) : VTA_OK;
    if (status == VTA_OK)
        status = vtac_op_create(m->operator_name, vt_strbuf_text(&text), m->config, allocator, m->diag, out_op);
    if (status == VTA_OK && !(*out_op)->overflows) status = saturates_too(*out_op, same, m->diag);
    if (status == VTA_OK) status = name_arguments(*out_op, m, &r, n, args, m->diag);
    vt_strbuf_free(&text);
    if (status != VTA_OK) {
        vtac_op_destroy(*out_op);
        *out_op = NULL;
    }
    return status;
}

vta_status vtac_op_match(te_context *context, size_t n, te_tensor *const args[], const char *name,
                         const vta_allocator *allocator, vta_diag *diag, vtac_op **out_op) {
    if (!out_op) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_op is NULL");
    *out_op = NULL;
    if (!context || (n && !args))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", context ? "args" : "context");
    vt_match m = {.te = context,
                  .config = te_context_config(context),
                  .allocator = allocator,
                  .diag = diag,
                  .kernel = name ? name : "main"};
    return make(&m, n, args, allocator, out_op);
}

vta_status vtac_op_match_kernel(const vtac_kernel *kernel, const vta_allocator *allocator, vta_diag *diag,
                                vtac_op **out_op) {
    te_tensor *args[VT_MATCH_ARGS];
    if (out_op) *out_op = NULL;
    if (!kernel) return vt_fail(diag, VTA_INVALID_ARGUMENT, "kernel is NULL");
    size_t n = vtac_kernel_arg_count(kernel);
    if (n > VT_MATCH_ARGS)
        return vt_fail(diag, VTA_UNSUPPORTED, "%s: more than %d arguments", vtac_kernel_name(kernel), VT_MATCH_ARGS);
    if (strcmp(vtac_kernel_target(kernel), "vta") != 0)
        return vt_fail(diag, VTA_UNSUPPORTED, "%s is for the host: schedules are chosen for the accelerator",
                       vtac_kernel_name(kernel));
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(kernel, i);
    return vtac_op_match(vtac_kernel_context(kernel), n, args, vtac_kernel_name(kernel), allocator, diag, out_op);
}
