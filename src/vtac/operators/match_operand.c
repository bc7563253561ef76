/* What expressions read: tensors at sums of axes, and where their elements come from. */
#include <stdio.h>
#include <string.h>

#include "operators/match.h"

/* The place in the source of a copy, for the place in the copy. */
static bool compose(const vt_tensor *copy, const vt_expr *index, const vt_match_operand *o, vt_affine *out) {
    vt_affine a;
    if (!vt__affine_read(index, &a)) return false;
    *out = (vt_affine){.constant = a.constant};
    for (uint32_t i = 0; i < a.n; i++) {
        uint32_t d = 0;
        while (d < copy->ndim && vt__match_axis(copy, d) != a.var[i]) d++;
        if (d == copy->ndim || !vt__affine_add(out, &o->index[d], a.times[i])) return false;
    }
    return true;
}

/* Where an axis of the copy is a dimension of its source, is it all of it? Else a read beyond the copy would become one
 * of the source. */
static bool is_whole(const vt_tensor *copy, const vt_expr *body) {
    for (uint32_t d = 0; d < body->n; d++)
        for (uint32_t i = 0; i < copy->ndim; i++)
            if (body->a[d] == vt__match_axis(copy, i) && vt__match_dim(copy, i) != vt__match_dim(body->u.tensor, d))
                return false;
    return true;
}

/* A tensor whose elements are those of another, in any order or with steps between, is read where they come from. */
static void look_through_copies(vt_match_operand *o) {
    for (const vt_expr *body;
         (body = vt__match_body(o->tensor)) && body->kind == VT_E_PLOAD && body->n == o->load->n;) {
        if (!is_whole(o->tensor, body)) return;
        vt_affine index[VT_MATCH_DIMS];
        for (uint32_t d = 0; d < body->n; d++)
            if (!compose(o->tensor, body->a[d], o, &index[d])) return;
        memcpy(o->index, index, sizeof index);
        o->tensor = body->u.tensor;
    }
}

/* All values stay what they are. */
static bool widens(const vt_expr *e) {
    vt_dtype from = e->a[0]->dtype, to = e->dtype;
    return to.code == VT_INT &&
           (from.code == VT_INT ? from.bits <= to.bits : from.code == VT_UINT && from.bits < to.bits);
}

bool vt__match_operand_read(const vt_expr *e, vt_match_operand *out) {
    while (e->kind == VT_E_CAST && widens(e)) e = e->a[0];
    out->load = e;
    if (e->kind != VT_E_PLOAD || e->n > VT_MATCH_DIMS || e->n < 3) return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (!vt__affine_read(e->a[i], &out->index[i])) return false;
    out->tensor = e->u.tensor;
    look_through_copies(out);
    return true;
}

int64_t vt__match_reduce_extent(const vt_tensor *tensor, const vt_var *v) {
    te_tensor *t = (te_tensor *)(uintptr_t)tensor;
    for (size_t i = 0; i < te_tensor_reduce_axes(t); i++) {
        te_axis *axis = te_tensor_reduce_axis(t, i);
        const vt_iter *iter = vt_te_iter(axis);
        if (iter->var == v && vt_is_const(iter->min, 0)) return te_axis_extent(axis);
    }
    return 0;
}

void vt__match_add_input(vt_match *m, const vt_tensor *t, const char *name) {
    vt_match_input *input = &m->inputs[m->n_inputs++];
    input->tensor = t;
    snprintf(input->name, sizeof input->name, "%s", name);
}
