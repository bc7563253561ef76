/* What a computation's outputs should be: evaluated step by step, or, where that takes long, compiled with the default
 * schedule. */
#include "base/diag.h"
#include "build/check.h"

enum { TENSORS_MAX = 256 };
static const double INTERPRETED_MAX = 2e6; /* steps; te_evaluate takes about a second for ten million */

/* Steps of the computations that `t` needs, each counted once. */
static double work_of(te_context *c, te_tensor *t, te_tensor **seen, size_t *n_seen) {
    for (size_t i = 0; i < *n_seen; i++)
        if (seen[i] == t) return 0;
    if (te_tensor_is_placeholder(t) || *n_seen == TENSORS_MAX) return 0;
    seen[(*n_seen)++] = t;
    double steps = 1;
    for (size_t i = 0; i < te_tensor_ndim(t); i++) steps *= (double)te_tensor_dim(t, i);
    for (size_t i = 0; i < te_tensor_reduce_axes(t); i++) steps *= (double)te_axis_extent(te_tensor_reduce_axis(t, i));
    for (size_t i = 0; i < te_tensor_inputs(c, t); i++) steps += work_of(c, te_tensor_input(c, t, i), seen, n_seen);
    return steps;
}

static vta_status te_error(vt_checking *k, vta_status status) {
    return vt_fail(k->diag, status, "reference: %s", vt_diag_reason(te_context_diag(k->c)));
}

static vta_status interpret(vt_checking *k) {
    te_tensor **inputs = k->tensors;
    const void **data = k->data;
    size_t n_inputs = 0;
    for (size_t i = 0; i < k->n; i++)
        if (te_tensor_is_placeholder(k->operands[i].tensor)) {
            inputs[n_inputs] = (te_tensor *)k->operands[i].tensor;
            data[n_inputs++] = k->operands[i].values;
        }
    for (size_t i = 0; i < k->n; i++) {
        vt_operand *o = &k->operands[i];
        if (te_tensor_is_placeholder(o->tensor)) continue;
        vta_status status = te_evaluate(k->c, (te_tensor *)o->tensor, n_inputs, inputs, data, o->values);
        if (status != VTA_OK) return te_error(k, status);
    }
    return VTA_OK;
}

/* The default schedule, as code for the host. */
static vta_status compile_reference(vt_checking *k, vtac_module **out_module, vta_packed_function *out_function) {
    size_t n_outputs = 0;
    for (size_t i = 0; i < k->n; i++) {
        const te_tensor *t = k->operands[i].tensor;
        k->args[i] = (vtac_arg){.tensor = t};
        if (!te_tensor_is_placeholder(t)) k->tensors[n_outputs++] = (te_tensor *)t;
    }
    te_schedule *s = te_schedule_create(k->c, n_outputs, k->tensors);
    const vtac_lower_options plain = {0};
    const vtac_build_options options = {.target = "llvm", .allocator = k->allocator};
    vtac_build_func f = {0};
    vta_status status = s ? vtac_lower(s, k->n, k->args, "reference", &plain, &f.func) : te_context_status(k->c);
    if (status != VTA_OK) return te_error(k, status);
    status = vtac_build(1, &f, &options, k->diag, out_module);
    vtac_func_release(f.func);
    VT_TRY(status);
    return vtac_module_function(*out_module, "reference", k->diag, out_function);
}

/* Runs it on the host's arrays, which hold the inputs and take the outputs. */
static vta_status run_compiled(vt_checking *k) {
    vtac_module *module = NULL;
    vta_packed_function function;
    size_t made = 0;
    vta_status status = compile_reference(k, &module, &function);
    for (; status == VTA_OK && made < k->n; made++) {
        DLTensor *like = vta_array_tensor(k->operands[made].array);
        status = vta_array_borrow(k->operands[made].values, like->ndim, like->shape, like->dtype, k->allocator, k->diag,
                                  &k->host[made]);
        if (status != VTA_OK) break;
        k->dl[made] = vta_array_tensor(k->host[made]);
    }
    if (status == VTA_OK) status = vta_function_call_tensors(function, k->dl, (int)k->n, k->diag);
    for (size_t i = 0; i < made; i++) vta_array_free(k->host[i]);
    vtac_module_destroy(module);
    return status;
}

vta_status vt_checking_evaluate(vt_checking *k, bool interpreted, vtac_check_result *result) {
    te_tensor *seen[TENSORS_MAX];
    size_t n_seen = 0;
    double steps = 0;
    bool packed = false; /* the host has no elements that share bytes */
    for (size_t i = 0; i < k->n; i++) {
        steps += work_of(k->c, (te_tensor *)k->operands[i].tensor, seen, &n_seen);
        packed = packed || vt_operand_is_packed(&k->operands[i]);
    }
    double begin = vt_now();
    result->interpreted = interpreted || packed || steps <= INTERPRETED_MAX;
    vta_status status = result->interpreted ? interpret(k) : run_compiled(k);
    result->reference_seconds = vt_now() - begin;
    return status;
}
