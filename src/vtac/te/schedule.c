/* Schedules and stages: making, copying, looking up. */
#include <string.h>

#include "te/group.h"
#include "te/schedule.h"

static bool is_schedule(const te_schedule *s) { return vt_is(s, VT_TAG_SCHEDULE); }
static bool is_stage(const te_stage *st) { return vt_is(st, VT_TAG_STAGE); }

uint32_t te__iters_find(const te__iters *list, const vt_iter *axis) {
    uint32_t i = 0;
    while (i < list->n && list->items[i] != axis) i++;
    return i;
}

void te__iters_insert(vt_ctx *ctx, te__iters *list, uint32_t at, const vt_iter *axis) {
    vt_grow(ctx, &list->items, &list->cap, list->n + 1, sizeof *list->items);
    memmove(list->items + at + 1, list->items + at, (list->n - at) * sizeof *list->items);
    list->items[at] = axis;
    list->n++;
}

void te__iters_reset(vt_ctx *ctx, te_stage *st) {
    uint32_t n = st->op->n_axes + st->op->n_reduce;
    te__iters fresh[2] = {{0}, {0}};
    for (uint32_t i = 0; i < n; i++) {
        te__iters_insert(ctx, &fresh[0], i, st->op->iters[i]);
        te__iters_insert(ctx, &fresh[1], i, st->op->iters[i]);
    }
    st->all = fresh[0];
    st->leaf = fresh[1];
    st->n_relations = 0;
}

te_stage *te__stage_new(te_schedule *s, const vt_operation *op) {
    te_stage *st = VT_NEW(&s->c->ctx, te_stage);
    *st = (te_stage){.tag = VT_TAG_STAGE, .schedule = s, .op = op, .origin = op, .scope = ""};
    te__iters_reset(&s->c->ctx, st);
    return st;
}

void te__stage_insert(te_schedule *s, uint32_t at, te_stage *st) {
    vt_grow(&s->c->ctx, &s->stages, &s->cap_stages, s->n_stages + 1, sizeof *s->stages);
    memmove(s->stages + at + 1, s->stages + at, (s->n_stages - at) * sizeof *s->stages);
    s->stages[at] = st;
    s->n_stages++;
}

te_stage *te__stage_of(const te_schedule *s, const vt_operation *op) {
    for (uint32_t i = 0; i < s->n_stages; i++)
        if (s->stages[i]->origin == op || s->stages[i]->op == op) return s->stages[i];
    return NULL;
}

uint32_t te__stage_index(const te_schedule *s, const te_stage *st) {
    uint32_t i = 0;
    while (i < s->n_stages && s->stages[i] != st) i++;
    return i;
}

const te__axis_attr *te__attr(const te_stage *st, const vt_iter *axis) {
    for (uint32_t i = 0; i < st->n_attrs; i++)
        if (st->attrs[i].axis == axis) return &st->attrs[i];
    return NULL;
}

te__axis_attr *te__attr_for(vt_ctx *ctx, te_stage *st, const vt_iter *axis) {
    for (uint32_t i = 0; i < st->n_attrs; i++)
        if (st->attrs[i].axis == axis) return &st->attrs[i];
    vt_grow(ctx, &st->attrs, &st->cap_attrs, st->n_attrs + 1, sizeof *st->attrs);
    st->attrs[st->n_attrs] = (te__axis_attr){.axis = axis};
    return &st->attrs[st->n_attrs++];
}

/* ---- Making ---- */

/* Producers before consumers: an explicit stack of operations whose inputs are being looked at. */
typedef struct visit {
    const vt_operation *op;
    uint32_t next;
} visit;

static void add_with_inputs(te_schedule *s, vt_ptrmap *seen, const vt_operation *root) {
    vt_ctx *ctx = &s->c->ctx;
    visit *stack = NULL;
    uint32_t n = 0, cap = 0;
    if (vt_ptrmap_has(seen, root)) return;
    vt_ptrmap_set(seen, root, root);
    vt_grow(ctx, &stack, &cap, n + 1, sizeof *stack);
    stack[n++] = (visit){root, 0};
    while (n) {
        visit *top = &stack[n - 1];
        if (top->next == top->op->n_inputs) {
            te__stage_insert(s, s->n_stages, te__stage_new(s, top->op));
            n--;
            continue;
        }
        const vt_operation *input = te__op(top->op->inputs[top->next++]);
        if (vt_ptrmap_has(seen, input)) continue;
        vt_ptrmap_set(seen, input, input);
        vt_grow(ctx, &stack, &cap, n + 1, sizeof *stack);
        stack[n++] = (visit){input, 0};
    }
}

static te_schedule *create(te_context *c, size_t n, te_tensor *const *outputs) {
    if (n) te__need(c, outputs, "a list of outputs");
    te_schedule *s = VT_NEW(&c->ctx, te_schedule);
    s->tag = VT_TAG_SCHEDULE;
    s->c = c;
    vt_ptrmap *seen = vt_ptrmap_new(&c->ctx);
    for (size_t i = 0; i < n; i++) {
        const vt_operation *op = te__op(te__tensor_in(c, outputs[i], "a tensor"));
        te__need_context(c, op);
        add_with_inputs(s, seen, op);
        te__stage_of(s, op)->is_output = true;
    }
    te__groups_of_scans(s);
    return s;
}

te_schedule *te_schedule_create(te_context *c, size_t n, te_tensor *const outputs[]) {
    TE_RETURN(c, create(c, n, outputs));
}

static void *copy_array(vt_ctx *ctx, const void *items, uint32_t n, size_t item) {
    void *copy = vt_new_array_bytes(ctx, n, item);
    if (n) memcpy(copy, items, n * item);
    return copy;
}

static te_stage *copy_stage(te_schedule *to, const te_stage *from) {
    vt_ctx *ctx = &to->c->ctx;
    te_stage *st = VT_NEW(ctx, te_stage);
    *st = *from;
    st->schedule = to;
    st->all.items = copy_array(ctx, from->all.items, st->all.cap = from->all.n, sizeof *st->all.items);
    st->leaf.items = copy_array(ctx, from->leaf.items, st->leaf.cap = from->leaf.n, sizeof *st->leaf.items);
    st->relations = copy_array(ctx, from->relations, st->cap_relations = from->n_relations, sizeof *st->relations);
    st->attrs = copy_array(ctx, from->attrs, st->cap_attrs = from->n_attrs, sizeof *st->attrs);
    for (uint32_t i = 0; i < st->n_attrs; i++) {
        te__axis_attr *attr = &st->attrs[i];
        attr->pragmas = copy_array(ctx, attr->pragmas, attr->cap_pragmas = attr->n_pragmas, sizeof *attr->pragmas);
    }
    return st;
}

te_schedule *te__schedule_copy(te_schedule *s) {
    te_schedule *copy = VT_NEW(&s->c->ctx, te_schedule);
    copy->tag = VT_TAG_SCHEDULE;
    copy->c = s->c;
    for (uint32_t i = 0; i < s->n_stages; i++) te__stage_insert(copy, i, copy_stage(copy, s->stages[i]));
    for (uint32_t i = 0; i < s->n_stages; i++)
        if (s->stages[i]->at_stage)
            copy->stages[i]->at_stage = copy->stages[te__stage_index(s, s->stages[i]->at_stage)];
    te__groups_copy(copy, s);
    return copy;
}

te_schedule *te_schedule_copy(te_schedule *s) {
    if (!is_schedule(s)) return NULL;
    TE_RETURN(s->c, te__schedule_copy(s));
}

/* ---- Looking up ---- */

te_context *te_schedule_context(const te_schedule *s) { return is_schedule(s) ? s->c : NULL; }
size_t te_schedule_stages(const te_schedule *s) { return is_schedule(s) ? s->n_stages : 0; }
te_stage *te_schedule_stage_at(const te_schedule *s, size_t i) {
    return is_schedule(s) && i < s->n_stages ? s->stages[i] : NULL;
}

static te_stage *stage_of(te_context *c, const te_schedule *s, const te_tensor *t) {
    const vt_operation *op = te__op(te__tensor_in(c, t, "a tensor"));
    te_stage *st = te__stage_of(s, op);
    if (!st)
        te__raise(c, VTA_NOT_FOUND, "the schedule has no stage for %s: no output of the schedule needs it", op->name);
    return st;
}

te_stage *te_schedule_stage(te_schedule *s, const te_tensor *t) {
    if (!is_schedule(s)) return NULL;
    TE_RETURN(s->c, stage_of(s->c, s, t));
}

te_tensor *te_stage_tensor(const te_stage *st) { return is_stage(st) ? te__out(st->op->outputs[0]) : NULL; }
const char *te_stage_name(const te_stage *st) { return is_stage(st) ? st->origin->name : NULL; }
const char *te_stage_scope(const te_stage *st) { return is_stage(st) ? st->scope : NULL; }
bool te_stage_is_output(const te_stage *st) { return is_stage(st) && st->is_output; }
size_t te_stage_axes(const te_stage *st) { return is_stage(st) ? st->op->n_axes + st->op->n_reduce : 0; }
te_axis *te_stage_axis(te_stage *st, size_t i) { return i < te_stage_axes(st) ? te__out(st->op->iters[i]) : NULL; }
size_t te_stage_leaves(const te_stage *st) { return is_stage(st) ? st->leaf.n : 0; }
te_axis *te_stage_leaf(const te_stage *st, size_t i) {
    return is_stage(st) && i < st->leaf.n ? te__out(st->leaf.items[i]) : NULL;
}

static te_axis *axis_named(te_context *c, const te_stage *st, const char *name) {
    te__need(c, name, "a name");
    const te__iters *lists[] = {&st->leaf, &st->all};
    for (int l = 0; l < 2; l++)
        for (uint32_t i = lists[l]->n; i > 0; i--)
            if (strcmp(vt_var_name(lists[l]->items[i - 1]->var), name) == 0) return te__out(lists[l]->items[i - 1]);
    te__raise(c, VTA_NOT_FOUND, "stage %s has no axis %s; its loops are %s", st->origin->name, name,
              te__leaf_names(&c->ctx, st));
}

te_axis *te_stage_axis_named(te_stage *st, const char *name) {
    if (!is_stage(st)) return NULL;
    TE_RETURN(st->schedule->c, axis_named(st->schedule->c, st, name));
}

const char *te__leaf_names(vt_ctx *ctx, const te_stage *st) {
    const char *text = "";
    for (uint32_t i = 0; i < st->leaf.n; i++)
        text = vt_new_format(ctx, "%s%s%s", text, i ? ", " : "", vt_var_name(st->leaf.items[i]->var));
    return st->leaf.n ? text : "none";
}
