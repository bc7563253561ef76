/* Several shapes in one artifact: each is an artifact in a section, without the sections that the outer one has too. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "artifact/shapes.h"
#include "exec/exec_priv.h"

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* What the model within leaves out is that of the artifact around it. */
static void inherit(vt_container *c, const vt_container *outer) {
    for (uint32_t i = 0; i < outer->section_count && c->section_count < VT_SECTIONS_MAX; i++) {
        const vt_section *s = &outer->sections[i];
        if (vt_shapes_is_shared(s->name) && !vt_container_find(c, s->name)) c->sections[c->section_count++] = *s;
    }
}

static vta_status read_shape(vta_model *whole, const vt_section *s, vta_diag *diag) {
    vta_model *m = vt_alloc_zero(&whole->allocator, sizeof *m);
    if (!m) return vt_no_memory(diag);
    whole->shapes[whole->shape_count++] = m;
    m->whole = whole;
    vta_status status = vt__model_begin(m, &whole->allocator, whole->name, diag);
    if (status == VTA_OK) status = vt_container_parse(s->bytes, s->size, whole->name, diag, &m->container);
    if (status != VTA_OK) return status;
    inherit(&m->container, &whole->container);
    m->map_size = s->size;
    return vt__model_check(m, diag);
}

static vta_status check_like(const vta_model *whole, const vta_model *m, vta_diag *diag) {
    const vt_plan *a = &whole->plan, *b = &m->plan;
    bool like = a->input_count == b->input_count && a->output_count == b->output_count;
    for (uint32_t i = 0; like && i < a->input_count; i++) like = !strcmp(a->inputs[i].name, b->inputs[i].name);
    if (like) return VTA_OK;
    return vt_fail_at(diag, VTA_PARSE, (vt_pos){.file = whole->name},
                      "a shape of it has other inputs or outputs than the first one");
}

vta_status vt__model_read_shapes(vta_model *model, vta_diag *diag) {
    char name[VT_SECTION_NAME_BYTES];
    for (uint32_t i = 1;; i++) {
        const vt_section *s = vt_container_find(&model->container, vt_shapes_section(i, name));
        if (!s) return VTA_OK;
        if (!model->shapes) {
            model->shapes = vt_alloc_zero(&model->allocator, VT_SECTIONS_MAX * sizeof *model->shapes);
            if (!model->shapes) return vt_no_memory(diag);
        }
        VT_TRY(read_shape(model, s, diag));
        VT_TRY(check_like(model, model->shapes[model->shape_count - 1], diag));
    }
}

/* ---- Choosing -------------------------------------------------------------------------------------------------- */

size_t vta_model_shape_count(const vta_model *model) { return model ? (size_t)model->shape_count + 1 : 0; }

vta_model *vta_model_shape(vta_model *model, size_t index) {
    if (!model || index > model->shape_count) return NULL;
    return index ? model->shapes[index - 1] : model;
}

static bool takes(const vta_model *m, const DLTensor *const *inputs) {
    for (uint32_t i = 0; i < m->plan.input_count; i++) {
        const vt_plan_view *v = &m->plan.inputs[i].view;
        const DLTensor *t = inputs[i];
        if (!t) continue;
        if (t->ndim != v->ndim) return false;
        for (int32_t k = 0; k < v->ndim; k++)
            if (t->shape[k] != v->shape[k]) return false;
    }
    return true;
}

/* "x=1,3,224,224 y=4" */
static void list_inputs(const vta_model *m, vt_strbuf *out) {
    for (uint32_t i = 0; i < m->plan.input_count; i++) {
        const vt_plan_view *v = &m->plan.inputs[i].view;
        vt_strbuf_addf(out, "%s%s=", i ? " " : "", m->plan.inputs[i].name);
        for (int32_t k = 0; k < v->ndim; k++) vt_strbuf_addf(out, "%s%" PRId64, k ? "," : "", v->shape[k]);
    }
}

static vta_status refuse(vta_model *model, vta_diag *diag) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, &model->allocator);
    for (size_t i = 0; i < vta_model_shape_count(model); i++) {
        vt_strbuf_addf(&sb, "%s", i ? "; " : "");
        list_inputs(vta_model_shape(model, i), &sb);
    }
    vta_status status = vt_fail(diag, VTA_MISMATCH, "%s was compiled for other shapes than these: %s",
                                vta_model_name(model), sb.failed ? "" : vt_strbuf_text(&sb));
    vt_strbuf_free(&sb);
    return status;
}

vta_status vta_model_for_shapes(vta_model *model, const DLTensor *const *inputs, vta_diag *diag,
                                vta_model **out_model) {
    if (!model || !inputs || !out_model)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_model_for_shapes: an argument is NULL");
    *out_model = NULL;
    for (size_t i = 0; i < vta_model_shape_count(model) && !*out_model; i++)
        if (takes(vta_model_shape(model, i), inputs)) *out_model = vta_model_shape(model, i);
    return *out_model ? VTA_OK : refuse(model, diag);
}
