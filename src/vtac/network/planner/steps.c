/* What a network does: steps over its buffers. */
#include <string.h>

#include "network/planner/planner_priv.h"

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

static void use(vt_planner *p, uint32_t buffer) {
    vt__buffer *b = &p->buffers[buffer];
    if (b->first == UINT32_MAX) b->first = p->step_count;
    b->last = p->step_count;
}

/* Does the view fit its buffer, in a place that the step can use? */
static vta_status check_view(const vt_planner *p, const vt__step *s, uint32_t index, vta_diag *diag) {
    const vt_plan_view *v = &s->plan.views[index];
    if (v->buffer >= p->buffer_count)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "step %s: argument %u is buffer %u of %u", s->plan.name, index,
                       v->buffer, p->buffer_count);
    const vt__buffer *b = &p->buffers[v->buffer];
    if (v->offset > b->plan.bytes || v->bytes > b->plan.bytes - v->offset)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "step %s: argument %u is %llu bytes from %llu on, in %s of %llu",
                       s->plan.name, index, (unsigned long long)v->bytes, (unsigned long long)v->offset, b->plan.name,
                       (unsigned long long)b->plan.bytes);
    if (v->output && b->constant)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "step %s: argument %u is written, but %s is a constant",
                       s->plan.name, index, b->plan.name);
    if (s->plan.kind == VT_STEP_RUN && b->plan.place != VT_PLACE_DEVICE)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "step %s: argument %u, %s, is not in device memory", s->plan.name,
                       index, b->plan.name);
    return VTA_OK;
}

static vta_status add_step(vt_planner *p, vt__step s, const char *name, vta_diag *diag) {
    if (p->finished) return vt_fail(diag, VTA_INVALID_ARGUMENT, "step %s: the network is finished", name);
    if (!vt_reserve(p->allocator, &p->steps, &p->step_cap, p->step_count + (size_t)1, sizeof *p->steps))
        return vt_no_memory(diag);
    s.plan.name = vt_arena_strndup(&p->arena, name, strnlen(name, VT_PLAN_MAX_NAME));
    if (!s.plan.name) return vt_no_memory(diag);
    s.row = (vt_planner_row){p->owner, UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < s.plan.view_count; i++) VT_TRY(check_view(p, &s, i, diag));
    for (uint32_t i = 0; i < s.plan.view_count; i++) use(p, s.plan.views[i].buffer);
    p->steps[p->step_count++] = s;
    return VTA_OK;
}

/* The arguments of a kernel as views. */
static vta_status kernel_views(vt_planner *p, const char *name, vtac_kernel *kernel, const vt_planner_arg args[],
                               uint32_t count, vta_diag *diag, vt_plan_view **out_views) {
    int64_t shape[VT_PLAN_MAX_DIMS];
    if (count != vtac_kernel_arg_count(kernel) || count > vt_step_rows[VT_STEP_CALL].max_views)
        return vt_fail(diag, VTA_MISMATCH, "step %s: %u arguments, its kernel has %zu", name, count,
                       vtac_kernel_arg_count(kernel));
    *out_views = vt_arena_alloc_zero(&p->arena, (count + 1) * sizeof **out_views);
    if (!*out_views) return vt_no_memory(diag);
    for (uint32_t i = 0; i < count; i++) {
        const te_tensor *t = vtac_kernel_arg(kernel, i);
        size_t ndim = te_tensor_ndim(t);
        if (ndim > VT_PLAN_MAX_DIMS)
            return vt_fail(diag, VTA_UNSUPPORTED, "step %s: argument %u has %zu dimensions, %d are supported", name, i,
                           ndim, VT_PLAN_MAX_DIMS);
        for (size_t d = 0; d < ndim; d++) shape[d] = te_tensor_dim(t, d);
        VT_TRY(vt__make_view(p, name, te_tensor_dtype(vtac_kernel_context(kernel), t), (int32_t)ndim, shape, diag,
                             &(*out_views)[i]));
        (*out_views)[i].buffer = args[i].buffer;
        (*out_views)[i].offset = args[i].offset;
        (*out_views)[i].output = vtac_kernel_arg_is_output(kernel, i);
    }
    return VTA_OK;
}

vta_status vt_planner_operator(vt_planner *p, const char *name, const vtac_op *op, const vt_planner_arg args[],
                               uint32_t count, vta_diag *diag) {
    vt__step s = {.plan = {.kind = VT_STEP_RUN, .view_count = count}};
    if (!vtac_op_kernel(op))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "step %s: the operator has no schedule yet (vtac_op_schedule)",
                       name);
    VT_TRY(kernel_views(p, name, vtac_op_kernel(op), args, count, diag, &s.plan.views));
    VT_TRY(vt__record_operator(p, name, op, diag, &s.stream));
    return add_step(p, s, name, diag);
}

vta_status vt_planner_call(vt_planner *p, const char *name, vtac_kernel *kernel, const vt_planner_arg args[],
                           uint32_t count, vta_diag *diag) {
    vt__step s = {.plan = {.kind = VT_STEP_CALL, .view_count = count}, .kernel = kernel};
    VT_TRY(kernel_views(p, name, kernel, args, count, diag, &s.plan.views));
    return add_step(p, s, name, diag);
}

/* ---- Copies ---------------------------------------------------------------------------------------------------- */

static vta_status add_pair(vt_planner *p, vt_step_kind kind, const char *name, vt_plan_view from, vt_plan_view to,
                           vta_diag *diag) {
    vt_plan_view *views = vt_arena_alloc_zero(&p->arena, 2 * sizeof *views);
    if (!views) return vt_no_memory(diag);
    views[0] = from;
    views[1] = to;
    views[1].output = true;
    const vt__step s = {.plan = {.kind = kind, .views = views, .view_count = 2}};
    return add_step(p, s, name, diag);
}

static vt_plan_view at(vt_plan_view view, vt_planner_arg where) {
    view.buffer = where.buffer;
    view.offset = where.offset;
    return view;
}

vta_status vt_planner_copy(vt_planner *p, const char *name, vt_planner_arg from, vt_planner_arg to, uint64_t bytes,
                           vta_diag *diag) {
    vt_plan_view view;
    VT_TRY(vt__make_view(p, name, "uint8", 1, &(int64_t){(int64_t)bytes}, diag, &view));
    return add_pair(p, VT_STEP_COPY, name, at(view, from), at(view, to), diag);
}

vta_status vt_planner_table(vt_planner *p, const char *name, vt_planner_arg from, vt_planner_arg table,
                            vt_planner_arg to, uint64_t bytes, vta_diag *diag) {
    vt_plan_view all, entries, *views = vt_arena_alloc_zero(&p->arena, 3 * sizeof *views);
    if (!views) return vt_no_memory(diag);
    VT_TRY(vt__make_view(p, name, "uint8", 1, &(int64_t){(int64_t)bytes}, diag, &all));
    VT_TRY(vt__make_view(p, name, "uint8", 1, &(int64_t){256}, diag, &entries));
    views[0] = at(all, from);
    views[1] = at(entries, table);
    views[2] = at(all, to);
    views[2].output = true;
    const vt__step s = {.plan = {.kind = VT_STEP_TABLE, .views = views, .view_count = 3}};
    return add_step(p, s, name, diag);
}

/* The two forms of a tensor. */
static vta_status make_forms(vt_planner *p, const char *name, const char *type, int32_t ndim, const int64_t shape[],
                             uint32_t rows, uint32_t lanes, vta_diag *diag, vt_plan_view *flat, vt_plan_view *tiles) {
    int64_t extents[VT_PLAN_MAX_DIMS];
    VT_TRY(vt__make_view(p, name, type, ndim, shape, diag, flat));
    if (ndim < 2 || ndim + 2 > VT_PLAN_MAX_DIMS || flat->type.bits % 8 || !rows || !lanes)
        return vt_fail(diag, VTA_UNSUPPORTED, "step %s: no tiles of %u x %u for %d dimensions of %s", name, rows, lanes,
                       (int)ndim, type);
    memcpy(extents, shape, sizeof *extents * (size_t)ndim);
    extents[0] = (shape[0] + rows - 1) / rows;
    extents[1] = (shape[1] + lanes - 1) / lanes;
    extents[ndim] = rows;
    extents[ndim + 1] = lanes;
    return vt__make_view(p, name, type, ndim + 2, extents, diag, tiles);
}

vta_status vt_planner_pack(vt_planner *p, const char *name, const char *type, int32_t ndim, const int64_t shape[],
                           uint32_t rows, uint32_t lanes, vt_planner_arg flat, vt_planner_arg tiles, vta_diag *diag) {
    vt_plan_view f, t;
    VT_TRY(make_forms(p, name, type, ndim, shape, rows, lanes, diag, &f, &t));
    return add_pair(p, VT_STEP_PACK, name, at(f, flat), at(t, tiles), diag);
}

vta_status vt_planner_unpack(vt_planner *p, const char *name, const char *type, int32_t ndim, const int64_t shape[],
                             uint32_t rows, uint32_t lanes, vt_planner_arg tiles, vt_planner_arg flat, vta_diag *diag) {
    vt_plan_view f, t;
    VT_TRY(make_forms(p, name, type, ndim, shape, rows, lanes, diag, &f, &t));
    return add_pair(p, VT_STEP_UNPACK, name, at(t, tiles), at(f, flat), diag);
}
