/* IF: its branches are other subgraphs of the file. Comparisons, and choices between two tensors. */
#include <string.h>

#include "frontend/tflite/priv.h"

/* ---- IF ---------------------------------------------------------------------------------------------------------- */

/* Of a condition that is known one branch is read; else both, and the outputs of one of them chosen. */
void vt__tfl_if(const vt_tfl_node *n) {
    uint32_t inputs = n->inputs.count, outputs = n->outputs.count;
    vt_gvalue *condition = vt__tfl_stored(n, vt__tfl_need(n, 0), VT_TFL_FILE), **out[2];
    if (condition->type.element != VT_ELEMENT_BOOL || vt_gtype_count(&condition->type) != 1)
        vt__tfl_wrong(n, "its condition (%s) is not one bool", condition->name);
    vt_tfl_tensor **in = VT_NEW_ARRAY(n->r->ctx, vt_tfl_tensor *, inputs);
    for (uint32_t i = 1; i < inputs; i++) in[i - 1] = vt__tfl_need(n, i);
    for (uint32_t b = 0; b < 2; b++) {
        bool taken = !condition->data || (*(const uint8_t *)condition->data == 0) == (b == 1);
        out[b] = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, outputs + 1);
        if (taken) vt__tfl_read_branch(n, vt__fb_int(n->options, b, 4, 0), inputs - 1, in, outputs, out[b]);
    }
    for (uint32_t k = 0; k < outputs; k++) {
        vt_gvalue *yes = out[0][k], *no = out[1][k], *v = yes ? yes : no;
        if (yes && no && !vt_gtype_equal(&yes->type, &no->type))
            vt__tfl_unsupported(n, "its branches give tensors of different shapes");
        if (yes && no)
            v = vt__tfl_make(n, VT_G_WHERE, VT_TFL_INPUTS(vt__tfl_reshape(n, condition, 0, NULL), yes, no), 0, NULL);
        vt__tfl_give_stored(n, k, v);
    }
}

/* ---- Comparisons, and what is made of them ----------------------------------------------------------------------- */

/* Two tensors in the file's layout, as floats where they are quantized. */
static vt_gvalue *compared(const vt_tfl_node *n, vt_gop op, uint32_t first) {
    vt_gvalue *a = vt__tfl_real(n, vt__tfl_need(n, first), VT_TFL_FILE);
    vt_gvalue *b = vt__tfl_real(n, vt__tfl_need(n, first + 1), VT_TFL_FILE);
    return vt__tfl_make(n, op, VT_TFL_INPUTS(a, b), 0, NULL);
}

void vt__tfl_compare(const vt_tfl_node *n) { vt__tfl_give(n, 0, compared(n, n->op->gop, 0), VT_TFL_FILE); }

void vt__tfl_not_equal(const vt_tfl_node *n) {
    vt_gvalue *same = compared(n, VT_G_EQUAL, 0);
    vt__tfl_give(n, 0, vt__tfl_make(n, VT_G_NOT, 1, &same, 0, NULL), VT_TFL_FILE);
}

/* SELECT's condition may have the first axis alone; SELECT_V2 broadcasts. */
void vt__tfl_select(const vt_tfl_node *n) {
    vt_gvalue *condition = vt__tfl_stored(n, vt__tfl_need(n, 0), VT_TFL_FILE);
    vt_gvalue *a = vt__tfl_real(n, vt__tfl_need(n, 1), VT_TFL_FILE);
    vt_gvalue *b = vt__tfl_real(n, vt__tfl_need(n, 2), VT_TFL_FILE);
    int64_t dims[VT_MAX_RANK];
    if (!strcmp(n->op->name, "SELECT") && condition->type.rank == 1 && a->type.rank > 1) {
        for (uint32_t i = 0; i < a->type.rank; i++) dims[i] = i ? 1 : condition->type.dim[0];
        condition = vt__tfl_reshape(n, condition, a->type.rank, dims);
    }
    vt__tfl_give(n, 0, vt__tfl_make(n, VT_G_WHERE, VT_TFL_INPUTS(condition, a, b), 0, NULL), VT_TFL_FILE);
}

/* To the element type of the output. */
void vt__tfl_cast(const vt_tfl_node *n) {
    vt_tfl_tensor *t = vt__tfl_need(n, 0);
    vt_tfl_layout layout = vt__tfl_layout_of(t);
    vt_gvalue *x = vt__tfl_stored(n, t, layout);
    vt_element to = vt__tfl_out(n, 0)->type.element;
    if (t->scales) vt__tfl_unsupported(n, "of a quantized tensor");
    if (x->type.element != to) x = vt__tfl_make(n, VT_G_CAST, 1, &x, VT_TFL_ATTRIBUTES(VT_GSET_INT(TO, to)));
    vt__tfl_give(n, 0, x, layout);
}
