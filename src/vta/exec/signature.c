/* Native code and plan belong together: what the code says that its functions take is what the steps give them. A
 * function writes where its arguments say, so that one made for other shapes would write outside of them. */
#include "exec/exec_priv.h"

#include <string.h>

/* The call, for messages. */
typedef struct called {
    const vta_model *model;
    const vt_plan_step *step;
    vta_diag *diag;
} called;

static vta_status differs(const called *c, size_t argument, const char *what) {
    return vt_fail(
        c->diag, VTA_MISMATCH,
        "%s: step %s calls %s, and %s of its argument %zu is not what the code says: code and plan are not of one "
        "network",
        c->model->name, c->step->name, c->step->function, what, argument);
}

static vta_status check_argument(const called *c, size_t index, const vta_signature_arg *a) {
    const vt_plan_view *v = &c->step->views[index];
    if (!a->is_tensor) return differs(c, index, "the kind");
    if (memcmp(&a->dtype, &v->type, sizeof v->type) != 0) return differs(c, index, "the type");
    if (a->ndim != v->ndim) return differs(c, index, "the number of axes");
    for (int32_t i = 0; i < v->ndim; i++)
        if (a->shape[i] != v->shape[i] && a->shape[i] != -1) return differs(c, index, "the shape");
    if (a->is_output && !v->output) return differs(c, index, "the direction");
    return VTA_OK;
}

static vta_status check(const called *c, const vta_signature *signature) {
    size_t count = vta_signature_arg_count(signature);
    if (count != c->step->view_count)
        return vt_fail(c->diag, VTA_MISMATCH,
                       "%s: step %s calls %s with %u arguments, which takes %zu: code and plan are "
                       "not of one network",
                       c->model->name, c->step->name, c->step->function, (unsigned)c->step->view_count, count);
    for (size_t i = 0; i < count; i++) VT_TRY(check_argument(c, i, vta_signature_get_arg(signature, i)));
    return VTA_OK;
}

static vta_status check_step(const called *c) {
    vta_signature *signature;
    VT_TRY(vta_module_signature(c->model->module, c->step->function, &c->model->allocator, c->diag, &signature));
    vta_status status = check(c, signature);
    vta_signature_destroy(signature);
    return status;
}

vta_status vt__check_signatures(const vta_model *model, vta_diag *diag) {
    for (uint32_t i = 0; i < model->plan.step_count; i++) {
        const called c = {model, &model->plan.steps[i], diag};
        if (c.step->kind == VT_STEP_CALL) VT_TRY(check_step(&c));
    }
    return VTA_OK;
}
