/* Evaluating a computation straight from its definition: every element of every tensor by a small program made from the
 * body. No schedule, no lowering: this is what compiled code is compared with. */
#include <string.h>

#include "te/eval.h"
#include "te/scan.h"

static array *new_array(te_context *c, const vt_tensor *t) {
    array *a = VT_NEW(&c->ctx, array);
    *a = (array){.tensor = t, .dtype = t->dtype, .elements = 1, .size = {1, 1}};
    a->shape = VT_NEW_ARRAY(&c->ctx, int64_t, t->ndim);
    for (uint32_t i = 0; i < t->ndim; i++) {
        if (!vt_as_const(t->shape[i], &a->shape[i]))
            te__raise(c, VTA_UNSUPPORTED, "%s has a dimension that is not a constant; it cannot be evaluated", t->name);
        if (__builtin_mul_overflow(a->elements, a->shape[i], &a->elements) || a->elements > (INT64_C(1) << 40))
            te__raise(c, VTA_OUT_OF_RANGE, "%s is too large to be evaluated", t->name);
    }
    return a;
}

/* Elements in a row, or all where there are no rows. */
static int64_t row_elements(const array *a) { return a->tensor->ndim ? a->elements / a->shape[0] : a->elements; }

/* Only one row, from which element on. */
static int64_t keep_row(odometer *o, const array *a, int64_t row) {
    if (row < 0) return 0;
    o->min[0] = row;
    o->extent[0] = 1;
    return row * row_elements(a);
}

static odometer make_odometer(program *p, uint32_t n, const vt_iter *const *axes) {
    odometer o = {n, VT_NEW_ARRAY(p->ctx, uint32_t, n), VT_NEW_ARRAY(p->ctx, int64_t, n),
                  VT_NEW_ARRAY(p->ctx, int64_t, n)};
    for (uint32_t i = 0; i < n; i++) {
        o.slots[i] = te__program_fresh(p);
        vt_ptrmap_set(p->known, axes[i]->var, (void *)(uintptr_t)(o.slots[i] + 1));
        te__iters_insert(p->ctx, &p->axes, p->axes.n, axes[i]);
        if (!vt_as_const(axes[i]->min, &o.min[i]) || !vt_as_const(axes[i]->extent, &o.extent[i]))
            te__raise(p->c, VTA_UNSUPPORTED, "axis %s has no constant range", vt_var_name(axes[i]->var));
    }
    return o;
}

static void odometer_start(const odometer *o, value *slot) {
    for (uint32_t i = 0; i < o->n; i++) slot[o->slots[i]].i = o->min[i];
}

static bool odometer_next(const odometer *o, value *slot) {
    for (uint32_t i = o->n; i > 0; i--) {
        value *v = &slot[o->slots[i - 1]];
        if (++v->i < o->min[i - 1] + o->extent[i - 1]) return true;
        v->i = o->min[i - 1];
    }
    return false;
}

static value *new_slots(evaluation *ev, const program *p) {
    ev->marks = VT_NEW_ARRAY(ev->ctx, uint8_t, p->slots + 1);
    ev->shifts = VT_NEW_ARRAY(ev->ctx, uint8_t, p->slots + 1);
    return VT_NEW_ARRAY(ev->ctx, value, p->slots + 1);
}

/* `row`: the one that is evaluated; -1: all of them. */
static void evaluate_plain(evaluation *ev, const vt_operation *op, uint32_t k, array *to, int64_t row) {
    program p = {.c = ev->c, .ctx = ev->ctx, .known = vt_ptrmap_new(ev->ctx), .arrays = ev->arrays};
    odometer o = make_odometer(&p, op->n_axes, op->iters);
    uint32_t result = te__program_make(&p, op->bodies[k]);
    value *slot = new_slots(ev, &p);
    int64_t at = keep_row(&o, to, row);
    odometer_start(&o, slot);
    do {
        if (at % 4096 == 0) vt_poll(ev->ctx);
        ev->domain->run(ev, &p, slot);
        ev->domain->store(ev, to, at++, slot, result);
    } while (odometer_next(&o, slot));
    if (ev->domain->sizes) te__sizes(ev, &p, &o, NULL, NULL, 1, &result, &to);
}

/* All outputs of a reduction at once: state slots stand for the combiner's left side. */
static void evaluate_reduction(evaluation *ev, const vt_operation *op, array *const *to, int64_t row) {
    const vt_expr *body = op->bodies[0];
    const vt_reduce *r = body->u.reduce;
    program start = {.c = ev->c, .ctx = ev->ctx, .known = vt_ptrmap_new(ev->ctx), .arrays = ev->arrays};
    odometer outer = make_odometer(&start, op->n_axes, op->iters), inner = make_odometer(&start, r->n_axes, r->axes);
    uint32_t n = r->n_sources, *state = VT_NEW_ARRAY(ev->ctx, uint32_t, 3 * n), *first = state + n,
             *next = state + 2 * n;
    for (uint32_t k = 0; k < n; k++) {
        state[k] = te__program_fresh(&start);
        vt_ptrmap_set(start.known, r->combiner->lhs[k], (void *)(uintptr_t)(state[k] + 1));
        first[k] = te__program_make(&start, r->has_init ? body->a[n + k] : r->combiner->identity[k]);
    }
    for (uint32_t k = 0; k < n; k++) te__program_emit(&start, (insn){.code = COPY, .to = state[k], .x = first[k]});
    program step = start;
    step.code = NULL;
    step.n = step.cap = 0;
    uint32_t skip = 0;
    const vt_expr *condition = body->a[body->n - 1];
    bool conditional = !vt_is_const(condition, 1);
    if (conditional) {
        uint32_t x = te__program_make(&step, condition);
        skip = step.n;
        te__program_emit(&step, (insn){.code = JUMP_IF_NOT, .x = x});
    }
    for (uint32_t k = 0; k < n; k++)
        vt_ptrmap_set(step.known, r->combiner->rhs[k], (void *)(uintptr_t)(te__program_make(&step, body->a[k]) + 1));
    for (uint32_t k = 0; k < n; k++) next[k] = te__program_make(&step, r->combiner->result[k]);
    for (uint32_t k = 0; k < n; k++) te__program_emit(&step, (insn){.code = COPY, .to = state[k], .x = next[k]});
    if (conditional) step.code[skip].to = step.n;
    value *slot = new_slots(ev, &step);
    reduction all = {&step, &outer, &inner, n, state};
    const void *plan = ev->domain->plan ? ev->domain->plan(ev, &all) : NULL;
    if (ev->domain->sizes) {
        for (uint32_t k = 0; k < op->n_outputs; k++) first[k] = state[op->bodies[k]->u.reduce->value_index];
        te__sizes(ev, &start, &outer, &step, &inner, op->n_outputs, first, to);
    }
    int64_t at = keep_row(&outer, to[0], row);
    odometer_start(&outer, slot);
    do {
        vt_poll(ev->ctx);
        odometer_start(&inner, slot);
        ev->domain->run(ev, &start, slot);
        if (plan)
            ev->domain->reduce(ev, plan, slot);
        else
            do ev->domain->run(ev, &step, slot);
            while (odometer_next(&inner, slot));
        for (uint32_t k = 0; k < op->n_outputs; k++)
            ev->domain->store(ev, to[k], at, slot, state[op->bodies[k]->u.reduce->value_index]);
        at++;
    } while (odometer_next(&outer, slot));
}

/* The arrays of an operation's results; the wanted one is the caller's. */
static array **new_results(evaluation *ev, const vt_operation *op, const vt_tensor *wanted, void *data) {
    array **to = VT_NEW_ARRAY(ev->ctx, array *, op->n_outputs);
    for (uint32_t k = 0; k < op->n_outputs; k++) {
        to[k] = new_array(ev->c, op->outputs[k]);
        bool given = data && op->outputs[k] == wanted;
        to[k]->data =
            given ? data
                  : vt_new_array_bytes(ev->ctx, (size_t)to[k]->elements, ev->domain->element_bytes(to[k]->dtype));
        vt_ptrmap_set(ev->arrays, op->outputs[k], to[k]);
    }
    return to;
}

static void evaluate_rows(evaluation *ev, const vt_operation *op, array *const *to, int64_t row) {
    if (op->bodies[0]->kind == VT_E_REDUCE)
        evaluate_reduction(ev, op, to, row);
    else
        for (uint32_t k = 0; k < op->n_outputs; k++) evaluate_plain(ev, op, k, to[k], row);
}

static void copy_rows(const evaluation *ev, const array *from, array *to, int64_t row, int64_t count) {
    size_t bytes = (size_t)row_elements(to) * ev->domain->element_bytes(to->dtype);
    memcpy(to->data + (size_t)row * bytes, from->data + (size_t)row * bytes, (size_t)count * bytes);
    to->size = te__size_either(to->size, from->size);
}

/* Row after row: its body, from the rows so far, which its states stand for. */
static void evaluate_scan(evaluation *ev, const vt_operation *op, array *const *to) {
    const te__scan *scan = op->scan;
    array ***body = VT_NEW_ARRAY(ev->ctx, array **, scan->n_body);
    for (uint32_t i = 0; i < scan->n_body; i++) body[i] = new_results(ev, scan->body[i], NULL, NULL);
    for (uint32_t k = 0; k < scan->n; k++) {
        int64_t given = scan->first < to[k]->shape[0] ? scan->first : to[k]->shape[0];
        copy_rows(ev, vt_ptrmap_get(ev->arrays, te__tensor_key(scan->inits[k])), to[k], 0, given);
        vt_ptrmap_set(ev->arrays, te__tensor_key(scan->states[k]), to[k]);
    }
    for (int64_t row = scan->first; row < to[0]->shape[0]; row++) {
        for (uint32_t i = 0; i < scan->n_body; i++) evaluate_rows(ev, scan->body[i], body[i], row);
        for (uint32_t k = 0; k < scan->n; k++)
            copy_rows(ev, vt_ptrmap_get(ev->arrays, te__tensor_key(scan->nexts[k])), to[k], row, 1);
    }
}

static void evaluate_operation(evaluation *ev, const vt_operation *op, const vt_tensor *wanted, void *data) {
    if (op->external)
        te__raise(ev->c, VTA_UNSUPPORTED,
                  "%s consists of statements, which are only run when they are compiled: build it", op->name);
    array **to = new_results(ev, op, wanted, data);
    if (op->scan)
        evaluate_scan(ev, op, to);
    else
        evaluate_rows(ev, op, to, -1);
}

/* What must be known before an operation: what it reads, of a scan also what its body reads. */
static const vt_tensor *const *needed_by(const vt_operation *op, uint32_t *out_n) {
    *out_n = op->scan ? op->scan->n_needed : op->n_inputs;
    return op->scan ? op->scan->needed : op->inputs;
}

typedef struct pending {
    const vt_operation *op;
    uint32_t next;
} pending;

/* Producers first, without recursion: graphs may be deep. */
static void evaluate_all(evaluation *ev, const vt_tensor *out, void *data) {
    pending *stack = NULL;
    uint32_t n = 0, cap = 0;
    vt_grow(ev->ctx, &stack, &cap, 1, sizeof *stack);
    stack[n++] = (pending){te__op(out), 0};
    while (n) {
        pending *top = &stack[n - 1];
        uint32_t n_needed;
        const vt_tensor *const *needed = needed_by(top->op, &n_needed);
        if (top->next == n_needed) {
            evaluate_operation(ev, top->op, out, data);
            n--;
            continue;
        }
        const vt_tensor *input = needed[top->next++];
        if (vt_ptrmap_has(ev->arrays, te__tensor_key(input))) continue;
        if (te__op(input)->placeholder)
            te__raise(ev->c, VTA_NOT_FOUND, "no data is given for the input %s, which %s needs", input->name,
                      out->name);
        vt_grow(ev->ctx, &stack, &cap, n + 1, sizeof *stack);
        stack[n++] = (pending){te__op(input), 0};
    }
}

static void evaluate(te_context *c, const domain *of, void *user, const te_tensor *tensor, size_t n,
                     te_tensor *const *inputs, const void *const *data, void *out_data) {
    const vt_tensor *out = te__tensor_in(c, tensor, "a tensor");
    te__need(c, out_data, "memory for the result");
    evaluation ev = {c, &c->ctx, vt_ptrmap_new(&c->ctx), of, user, NULL};
    for (size_t i = 0; i < n; i++) {
        te__need(c, inputs, "a list of inputs");
        te__need(c, data, "a list of arrays");
        const vt_tensor *input = te__tensor_in(c, inputs[i], "an input");
        te__need(c, data[i], "an array");
        array *a = new_array(c, input);
        a->data = (uint8_t *)(uintptr_t)data[i]; /* inputs are only read */
        vt_ptrmap_set(ev.arrays, te__tensor_key(a->tensor), a);
    }
    if (te__op(out)->placeholder)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s is an input; there is nothing to evaluate", out->name);
    evaluate_all(&ev, out, out_data);
}

static vta_status try_evaluate(te_context *c, const domain *of, void *user, const te_tensor *out, size_t n,
                               te_tensor *const *inputs, const void *const *data, void *out_data) {
    TE_RETURN_STATUS(c, evaluate(c, of, user, out, n, inputs, data, out_data));
}

vta_status te__evaluate(te_context *c, const domain *of, void *user, te_tensor *out, size_t n,
                        te_tensor *const inputs[], const void *const data[], void *out_data) {
    if (!vt_is(c, VT_TAG_CONTEXT)) return VTA_INVALID_ARGUMENT;
    vt_arena_mark mark = vt_arena_here(&c->ctx.arena); /* what it takes meanwhile is given back */
    vta_status status = try_evaluate(c, of, user, out, n, inputs, data, out_data);
    vt_arena_rewind(&c->ctx.arena, mark);
    return status;
}

vta_status te_evaluate(te_context *c, te_tensor *out, size_t n, te_tensor *const inputs[], const void *const data[],
                       void *out_data) {
    return te__evaluate(c, &te__numbers, NULL, out, n, inputs, data, out_data);
}
