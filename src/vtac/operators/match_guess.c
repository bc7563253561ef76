/* What a computation reads, and whether it is what an operator's own kernel file says. */
#include "operators/match_guess.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_VISITS = 2048 };

static te_tensor *handle(const vt_tensor *t) { return (te_tensor *)(uintptr_t)t; }

static void look_at(vt_match_clues *c, const vt_tensor *t) {
    if (++c->visits > MAX_VISITS) return;
    const vt_expr *body = vt__match_body(t);
    if (!body) {
        for (uint32_t i = 0; i < c->args; i++)
            if (c->arg[i] == t) return;
        if (c->args < VT_MATCH_INPUTS) c->arg[c->args] = t;
        c->args++;
        return;
    }
    if (body->kind == VT_E_REDUCE && !c->sum) c->sum = t;
    size_t n = te_tensor_inputs(c->m->te, handle(t));
    for (size_t i = 0; i < n; i++) look_at(c, vt_te_tensor(te_tensor_input(c->m->te, handle(t), i)));
}

void vt__match_look_into(vt_match_clues *c, const vt_expr *e) {
    if (e->kind == VT_E_PLOAD) look_at(c, e->u.tensor);
    for (uint32_t i = 0; i < e->n; i++) vt__match_look_into(c, e->a[i]);
}

/* ---- A guess ----------------------------------------------------------------------------------------------------- */

/* Its own kernel file up to the schedule. */
static vta_status own_kernel(const vt_match_clues *c, const vtac_op *op, bool skip, vta_diag *said, vtac_kernel **out) {
    vt_op_blocks b = {.oc = 1, .y = 1, .x = 1, .ic = 1, .threads = 1, .skip = skip};
    vt_strbuf text;
    vta_status status = VTA_NO_MEMORY;
    vt_strbuf_init(&text, c->m->allocator);
    (c->write ? c->write : op->is->write)(op, &b, &text);
    if (!text.failed) {
        const char *from = vt_strbuf_text(&text), *stage = strstr(from, "\nstage ");
        size_t size = stage ? (size_t)(stage - from) + 1 : strlen(from);
        status = vtac_kernel_parse(from, size, "own", NULL, c->m->config, c->m->allocator, said, out);
    }
    vt_strbuf_free(&text);
    return status;
}

/* Without the conversion to the type of the result, which follows the last step. */
static const vt_expr *before_conversion(const vt_match_clues *c, const vt_tensor *res) {
    const vt_expr *e = vt__match_body(res);
    return c->t == c->m->out && vt__match_body(c->t) == c->e ? e : e->kind == VT_E_CAST ? e->a[0] : e;
}

static void take_inputs(const vt_match_clues *c, const vt_match_pairs *p) {
    for (uint32_t i = 0; i < p->args; i++) vt__match_add_input(c->m, p->arg[i][0], p->arg[i][1]->name);
}

/* Sums of products: where a sum starts is looked at elsewhere. */
static bool same_products(const vt_match_clues *c, vt_match_pairs *pairs, const vt_expr *own) {
    while (own->kind == VT_E_CAST) own = own->a[0];
    const vt_tensor *sums = own->kind == VT_E_PLOAD ? own->u.tensor : NULL;
    if (!sums || !vt__match_body(sums) || vt__match_body(sums)->kind != VT_E_REDUCE) return false;
    return vt__match_same_axes(c->t, sums) && vt__match_same(pairs, c->e->a[0], c->t, vt__match_body(sums)->a[0], sums);
}

static vta_status compare(vt_match_clues *c, const char *name, const vtac_op *op, bool skip, vta_diag *said) {
    vtac_kernel *own = NULL;
    vt_match_pairs pairs = {.n = 0};
    vta_status status = own_kernel(c, op, skip, said, &own);
    if (status != VTA_OK) return status;
    const vt_tensor *res = vt_te_tensor(vtac_kernel_arg(own, vtac_kernel_arg_count(own) - 1));
    const vt_expr *f = before_conversion(c, res);
    c->found = c->e->kind == VT_E_REDUCE ? same_products(c, &pairs, f) : vt__match_same(&pairs, c->e, c->t, f, res);
    c->found = c->found && pairs.args == c->args;
    if (c->found) {
        take_inputs(c, &pairs);
        c->m->operator_name = name;
    }
    vtac_kernel_destroy(own);
    return VTA_OK;
}

vta_status vt__match_try(vt_match_clues *c, const char *name, bool skip, const char *fmt, ...) {
    vtac_op *op = NULL;
    va_list args;
    char text[sizeof c->m->attributes + sizeof " narrow=wrap"];
    if (c->found) return VTA_OK;
    va_start(args, fmt);
    vsnprintf(c->m->attributes, sizeof c->m->attributes, fmt, args);
    va_end(args);
    snprintf(text, sizeof text, "%s narrow=wrap", c->m->attributes); /* steps behind it are looked at elsewhere */
    vta_diag *said = vta_diag_create(c->m->allocator);
    if (!said) return vt_no_memory(c->m->diag);
    vta_status status = vtac_op_create(name, text, c->m->config, c->m->allocator, said, &op);
    if (status == VTA_OK) status = compare(c, name, op, skip, said);
    vtac_op_destroy(op);
    vta_diag_destroy(said);
    return status == VTA_NO_MEMORY ? vt_no_memory(c->m->diag) : VTA_OK;
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------ */

vt_match_image vt__match_image(const vt_match_clues *c, const vt_tensor *t) {
    uint32_t n = t->ndim;
    vt_match_image s = {.batch = vt__match_dim(t, 0) * vta_config_batch(c->m->config),
                        .channels = vt__match_dim(t, n - 1)};
    for (uint32_t i = 1; i + 4 < n; i++) s.channels *= vt__match_dim(t, i);
    s.h = vt__match_dim(t, n - 4);
    s.w = vt__match_dim(t, n - 3);
    return s;
}

void vt__match_frame(const vt_expr *load, const vt_tensor *from, uint32_t at, vt_match_direction *d) {
    const vt_tensor *read = vt__match_source(load->u.tensor);
    const vt_expr *body = vt__match_body(read), *index = NULL;
    vt_affine a;
    d->size = vt__match_dim(from, at);
    if (!body) return;
    if (body->n == 3 && body->a[1]->kind == VT_E_PLOAD) index = body->a[1]->a[at]; /* condition, element, 0 */
    if (body->n == 3 && index && vt__affine_read(index, &a)) d->before = -a.constant;
    d->after = vt__match_dim(read, at) - d->size - d->before;
}
