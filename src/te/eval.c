/* Evaluating a computation straight from its definition: every element of every tensor by a small program made from the
 * body. No schedule, no lowering: this is what compiled code is compared with. */
#include <math.h>
#include <string.h>

#include "arith/linear.h"
#include "ir/fold.h"
#include "te/eval.h"

/* ---- Memory ---- */

static uint32_t element_bytes(vt_dtype t) { return t.bits <= 8 ? 1 : t.bits / 8; }

/* Memory is little-endian, as on all hosts of this library; types under 8 bits are kept as bytes. */
static value load_element(const uint8_t *data, vt_dtype t, int64_t at) {
    value v = {0};
    const uint8_t *p = data + (size_t)at * element_bytes(t);
    int8_t i8;
    int16_t i16;
    int32_t i32;
    float f32;
    switch (t.code == VT_FLOAT ? t.bits : element_bytes(t)) {
    case 1:
        memcpy(&i8, p, 1);
        v.i = t.code == VT_INT ? i8 : (uint8_t)i8;
        break;
    case 2:
        memcpy(&i16, p, 2);
        v.i = t.code == VT_INT ? i16 : (uint16_t)i16;
        break;
    case 4:
        memcpy(&i32, p, 4);
        v.i = t.code == VT_INT ? i32 : (int64_t)(uint32_t)i32;
        break;
    case 32:
        memcpy(&f32, p, 4);
        v.f = f32;
        break;
    default: memcpy(&v, p, 8);
    }
    return v;
}

static int64_t wrap(int64_t x, vt_dtype t) {
    if (t.bits >= 64) return x;
    if (t.bits == 1) return x != 0;
    uint64_t bits = (uint64_t)x & ((UINT64_C(1) << t.bits) - 1);
    if (t.code == VT_INT && bits >> (t.bits - 1)) bits |= ~UINT64_C(0) << t.bits;
    return (int64_t)bits;
}

static void store_element(uint8_t *data, vt_dtype t, int64_t at, value v) {
    uint8_t *p = data + (size_t)at * element_bytes(t);
    if (t.code == VT_FLOAT) {
        float f = (float)v.f;
        memcpy(p, t.bits == 64 ? (const void *)&v.f : (const void *)&f, element_bytes(t));
        return;
    }
    memcpy(p, &v.i, element_bytes(t));
}

/* ---- Making the program ---- */

static uint32_t emit(program *p, insn in) {
    vt_grow(p->ctx, &p->code, &p->cap, p->n + 1, sizeof *p->code);
    p->code[p->n++] = in;
    return in.to;
}

static uint32_t fresh(program *p) { return p->slots++; }

static uint32_t make(program *p, const vt_expr *e);

static uint32_t make_choice(program *p, const vt_expr *e) {
    uint32_t to = fresh(p), condition = make(p, e->a[0]);
    uint32_t skip = p->n;
    emit(p, (insn){.code = JUMP_IF_NOT, .x = condition});
    emit(p, (insn){.code = COPY, .to = to, .x = make(p, e->a[1])});
    uint32_t leave = p->n;
    emit(p, (insn){.code = JUMP});
    p->code[skip].to = p->n;
    emit(p, (insn){.code = COPY, .to = to, .x = make(p, e->a[2])});
    p->code[leave].to = p->n;
    return to;
}

/* One index as base + factors times the axes; false when it is none such or may leave [0, extent). */
static bool linear_index(const program *p, const vt_expr *e, const vt_var *const *vars, int64_t extent,
                         int64_t *factors, int64_t *out_base) {
    const vt_expr **coeffs = VT_NEW_ARRAY(p->ctx, const vt_expr *, p->axes.n + 1);
    if (!vt_detect_linear(p->ctx, e, p->axes.n, vars, coeffs) || !vt_as_const(coeffs[p->axes.n], out_base))
        return false;
    int64_t low = *out_base, high = *out_base;
    for (uint32_t k = 0; k < p->axes.n; k++) {
        int64_t min, size;
        if (!vt_as_const(coeffs[k], &factors[k]) || !vt_as_const(p->axes.items[k]->min, &min) ||
            !vt_as_const(p->axes.items[k]->extent, &size))
            return false;
        if (factors[k] > INT32_MAX || factors[k] < INT32_MIN || min > INT32_MAX || min < INT32_MIN || size > INT32_MAX)
            return false;
        int64_t first = factors[k] * min, last = factors[k] * (min + size - 1);
        low += first < last ? first : last;
        high += first < last ? last : first;
        if (low < -(INT64_C(1) << 40) || high > INT64_C(1) << 40) return false;
    }
    return low >= 0 && high < extent;
}

/* A load whose place is linear in the axes and always inside: the indices need no work at each point. */
static bool make_linear(const program *p, const vt_expr *e, const array *a, insn *out) {
    uint32_t n = p->axes.n;
    const vt_var **vars = VT_NEW_ARRAY(p->ctx, const vt_var *, n);
    int64_t *factors = VT_NEW_ARRAY(p->ctx, int64_t, n), *one = VT_NEW_ARRAY(p->ctx, int64_t, n), base;
    uint32_t *slots = VT_NEW_ARRAY(p->ctx, uint32_t, n);
    for (uint32_t k = 0; k < n; k++) vars[k] = p->axes.items[k]->var;
    *out = (insn){.code = LOAD_LINEAR, .dtype = e->dtype, .array = a, .indices = slots, .factors = factors};
    for (uint32_t d = 0; d < e->n; d++) {
        if (!linear_index(p, e->a[d], vars, a->shape[d], one, &base)) return false;
        out->base = out->base * a->shape[d] + base;
        for (uint32_t k = 0; k < n; k++) factors[k] = factors[k] * a->shape[d] + one[k];
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!factors[k]) continue;
        slots[out->n_factors] = (uint32_t)(uintptr_t)vt_ptrmap_get(p->known, vars[k]) - 1;
        factors[out->n_factors++] = factors[k];
    }
    return true;
}

/* The right side may be guarded by the left one. */
static uint32_t make_logic(program *p, const vt_expr *e) {
    uint32_t to = fresh(p), ask = fresh(p);
    emit(p, (insn){.code = COPY, .to = to, .x = make(p, e->a[0])});
    emit(p, (insn){.code = e->kind == VT_E_AND ? COPY : NOT, .to = ask, .x = to});
    uint32_t skip = p->n;
    emit(p, (insn){.code = JUMP_IF_NOT, .x = ask});
    emit(p, (insn){.code = COPY, .to = to, .x = make(p, e->a[1])});
    p->code[skip].to = p->n;
    return to;
}

static uint32_t make_load(program *p, const vt_expr *e) {
    const array *a = vt_ptrmap_get(p->arrays, te__tensor_key(e->u.tensor));
    insn in;
    if (make_linear(p, e, a, &in)) {
        in.to = fresh(p);
        return emit(p, in);
    }
    uint32_t *indices = VT_NEW_ARRAY(p->ctx, uint32_t, e->n);
    for (uint32_t i = 0; i < e->n; i++) indices[i] = make(p, e->a[i]);
    return emit(p, (insn){.code = LOAD, .to = fresh(p), .dtype = e->dtype, .array = a, .indices = indices});
}

static uint32_t make_call(program *p, const vt_expr *e) {
    vt_op op = e->u.op;
    if (op == VT_OP_IF_THEN_ELSE) return make_choice(p, e);
    if (op == VT_OP_LIKELY) return make(p, e->a[0]);
    insn in = {.kind = (uint8_t)op, .dtype = e->dtype};
    if (vt_op_is_math(op))
        in.code = MATH;
    else if (op == VT_OP_SHIFT_LEFT || op == VT_OP_SHIFT_RIGHT)
        in.code = SHIFT;
    else if (op == VT_OP_BITWISE_AND || op == VT_OP_BITWISE_OR || op == VT_OP_BITWISE_XOR)
        in.code = BITWISE;
    else if (op == VT_OP_BITWISE_NOT)
        in.code = BITNOT;
    else
        te__raise(p->c, VTA_UNSUPPORTED, "%s cannot be evaluated", vt_op_infos[op].name);
    in.x = make(p, e->a[0]);
    if (e->n > 1) in.y = make(p, e->a[1]);
    in.to = fresh(p);
    return emit(p, in);
}

static uint32_t make(program *p, const vt_expr *e) {
    insn in = {.dtype = e->dtype};
    switch ((vt_expr_kind)e->kind) {
    case VT_E_VAR: {
        uintptr_t slot = (uintptr_t)vt_ptrmap_get(p->known, e);
        if (!slot) te__raise(p->c, VTA_UNSUPPORTED, "the scalar %s has no value to evaluate with", vt_var_name(e));
        return (uint32_t)slot - 1;
    }
    case VT_E_INT: return emit(p, (insn){.code = CONST, .to = fresh(p), .constant.i = e->u.i});
    case VT_E_FLOAT: return emit(p, (insn){.code = CONST, .to = fresh(p), .constant.f = e->u.f});
    case VT_E_NOT:
        in.x = make(p, e->a[0]);
        in.code = NOT;
        break;
    case VT_E_SELECT: return make_choice(p, e);
    case VT_E_AND:
    case VT_E_OR: return make_logic(p, e);
    case VT_E_CAST:
        in.x = make(p, e->a[0]);
        in.code = CAST;
        in.kind = e->a[0]->dtype.code;
        in.from = e->a[0]->dtype;
        break;
    case VT_E_PLOAD: return make_load(p, e);
    case VT_E_CALL: return make_call(p, e);
    case VT_E_ADD:
    case VT_E_SUB:
    case VT_E_MUL:
    case VT_E_DIV:
    case VT_E_MOD:
    case VT_E_FLOORDIV:
    case VT_E_FLOORMOD:
    case VT_E_MIN:
    case VT_E_MAX:
    case VT_E_EQ:
    case VT_E_NE:
    case VT_E_LT:
    case VT_E_LE:
    case VT_E_GT:
    case VT_E_GE:
        in.x = make(p, e->a[0]);
        in.y = make(p, e->a[1]);
        in.code = BIN;
        in.kind = e->kind;
        in.dtype = e->a[0]->dtype;
        break;
    case VT_E_STRING:
    case VT_E_LOAD:
    case VT_E_LET:
    case VT_E_RAMP:
    case VT_E_BROADCAST:
    case VT_E_REDUCE:
    case VT_E_COUNT:
        te__raise(p->c, VTA_UNSUPPORTED, "an expression of kind %s cannot be evaluated", vt_expr_infos[e->kind].text);
    }
    in.to = fresh(p);
    return emit(p, in);
}

/* ---- Running it ---- */

static double rounded(double x, vt_dtype t) { return t.bits == 32 ? (double)(float)x : x; }

static value float_bin(vt_expr_kind kind, vt_dtype t, double x, double y) {
    switch (kind) {
    case VT_E_ADD: return (value){.f = rounded(x + y, t)};
    case VT_E_SUB: return (value){.f = rounded(x - y, t)};
    case VT_E_MUL: return (value){.f = rounded(x * y, t)};
    case VT_E_DIV: return (value){.f = rounded(x / y, t)};
    case VT_E_FLOORDIV: return (value){.f = floor(x / y)};
    case VT_E_MOD: return (value){.f = fmod(x, y)};
    case VT_E_FLOORMOD: return (value){.f = rounded(x - floor(x / y) * y, t)};
    case VT_E_MIN: return (value){.f = x < y ? x : y};
    case VT_E_MAX: return (value){.f = x < y ? y : x};
    case VT_E_EQ: return (value){.i = x == y};
    case VT_E_NE: return (value){.i = x != y};
    case VT_E_LT: return (value){.i = x < y};
    case VT_E_LE: return (value){.i = x <= y};
    case VT_E_GT: return (value){.i = x > y};
    case VT_E_GE: return (value){.i = x >= y};
    case VT_E_VAR:
    case VT_E_INT:
    case VT_E_FLOAT:
    case VT_E_STRING:
    case VT_E_AND:
    case VT_E_OR:
    case VT_E_NOT:
    case VT_E_SELECT:
    case VT_E_CAST:
    case VT_E_LOAD:
    case VT_E_PLOAD:
    case VT_E_CALL:
    case VT_E_LET:
    case VT_E_RAMP:
    case VT_E_BROADCAST:
    case VT_E_REDUCE:
    case VT_E_COUNT: break;
    }
    return (value){.f = 0}; /* make() gives BIN no other */
}

static value cast_value(value v, uint8_t from, vt_dtype to) {
    if (from == VT_FLOAT && to.code == VT_FLOAT) return (value){.f = rounded(v.f, to)};
    if (from == VT_FLOAT && !(v.f > -0x1p63 && v.f < 0x1p63)) return (value){.i = 0};
    if (from == VT_FLOAT) return (value){.i = wrap((int64_t)v.f, to)};
    if (to.code == VT_FLOAT) return (value){.f = rounded((double)v.i, to)};
    return (value){.i = wrap(v.i, to)};
}

static value run_load(te_context *c, const insn *in, const value *slot) {
    const array *a = in->array;
    int64_t at = 0;
    for (uint32_t d = 0; d < a->tensor->ndim; d++) {
        int64_t i = slot[in->indices[d]].i;
        if (i < 0 || i >= a->shape[d])
            te__raise(c, VTA_OUT_OF_RANGE, "%s is read at %lld in dimension %u, which has %lld elements",
                      a->tensor->name, (long long)i, d, (long long)a->shape[d]);
        at = at * a->shape[d] + i;
    }
    value v = load_element(a->data, a->dtype, at);
    if (a->dtype.bits < 8) v.i = wrap(v.i, a->dtype);
    return v;
}

static inline void one(const program *p, const insn *in, value *slot) {
    value x = slot[in->x], y = slot[in->y], *to = &slot[in->to];
    switch ((opcode)in->code) {
    case CONST: *to = in->constant; break;
    case COPY: *to = x; break;
    case BIN:
        if (in->dtype.code == VT_FLOAT)
            *to = float_bin((vt_expr_kind)in->kind, in->dtype, x.f, y.f);
        else if (vt_fold_int((vt_expr_kind)in->kind, in->dtype, x.i, y.i, &to->i))
            to->i = wrap(to->i, in->dtype);
        break;
    case NOT: to->i = !x.i; break;
    case BITNOT: to->i = wrap(~x.i, in->dtype); break;
    case CAST: *to = cast_value(x, in->kind, in->dtype); break;
    case LOAD: *to = run_load(p->c, in, slot); break;
    case LOAD_LINEAR: {
        int64_t at = in->base;
        for (uint32_t k = 0; k < in->n_factors; k++) at += in->factors[k] * slot[in->indices[k]].i;
        *to = load_element(in->array->data, in->array->dtype, at);
        if (in->array->dtype.bits < 8) to->i = wrap(to->i, in->array->dtype);
        break;
    }
    case MATH:
        vt_math_value((vt_op)in->kind, x.f, y.f, &to->f);
        to->f = rounded(to->f, in->dtype);
        break;
    case SHIFT: to->i = wrap(vt_shift_value(in->kind, in->dtype, x.i, y.i), in->dtype); break;
    case BITWISE:
        to->i = in->kind == VT_OP_BITWISE_AND ? x.i & y.i : in->kind == VT_OP_BITWISE_OR ? x.i | y.i : x.i ^ y.i;
        break;
    case JUMP:
    case JUMP_IF_NOT: break;
    }
}

void te__eval_step(const program *p, const insn *in, value *slot) { one(p, in, slot); }

static void run(const evaluation *ev, const program *p, value *slot) {
    (void)ev;
    for (uint32_t pc = 0; pc < p->n; pc++) {
        const insn *in = &p->code[pc];
        if (in->code == JUMP || (in->code == JUMP_IF_NOT && !slot[in->x].i))
            pc = in->to - 1;
        else
            one(p, in, slot);
    }
}

static void store(const evaluation *ev, const array *to, int64_t at, const value *slot, uint32_t result) {
    (void)ev;
    store_element(to->data, to->dtype, at, slot[result]);
}

static const domain numbers = {.element_bytes = element_bytes, .run = run, .store = store};

/* ---- Tensors ---- */

static array *new_array(te_context *c, const vt_tensor *t) {
    array *a = VT_NEW(&c->ctx, array);
    *a = (array){.tensor = t, .dtype = t->dtype, .elements = 1};
    a->shape = VT_NEW_ARRAY(&c->ctx, int64_t, t->ndim);
    for (uint32_t i = 0; i < t->ndim; i++) {
        if (!vt_as_const(t->shape[i], &a->shape[i]))
            te__raise(c, VTA_UNSUPPORTED, "%s has a dimension that is not a constant; it cannot be evaluated", t->name);
        if (__builtin_mul_overflow(a->elements, a->shape[i], &a->elements) || a->elements > (INT64_C(1) << 40))
            te__raise(c, VTA_OUT_OF_RANGE, "%s is too large to be evaluated", t->name);
    }
    return a;
}

static odometer make_odometer(program *p, uint32_t n, const vt_iter *const *axes) {
    odometer o = {n, VT_NEW_ARRAY(p->ctx, uint32_t, n), VT_NEW_ARRAY(p->ctx, int64_t, n),
                  VT_NEW_ARRAY(p->ctx, int64_t, n)};
    for (uint32_t i = 0; i < n; i++) {
        o.slots[i] = fresh(p);
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
    return VT_NEW_ARRAY(ev->ctx, value, p->slots + 1);
}

static void evaluate_plain(evaluation *ev, const vt_operation *op, uint32_t k, array *to) {
    program p = {.c = ev->c, .ctx = ev->ctx, .known = vt_ptrmap_new(ev->ctx), .arrays = ev->arrays};
    odometer o = make_odometer(&p, op->n_axes, op->iters);
    uint32_t result = make(&p, op->bodies[k]);
    value *slot = new_slots(ev, &p);
    odometer_start(&o, slot);
    int64_t at = 0;
    do {
        if (at % 4096 == 0) vt_poll(ev->ctx);
        ev->domain->run(ev, &p, slot);
        ev->domain->store(ev, to, at++, slot, result);
    } while (odometer_next(&o, slot));
}

/* All outputs of a reduction at once: state slots stand for the combiner's left side. */
static void evaluate_reduction(evaluation *ev, const vt_operation *op, array *const *to) {
    const vt_expr *body = op->bodies[0];
    const vt_reduce *r = body->u.reduce;
    program start = {.c = ev->c, .ctx = ev->ctx, .known = vt_ptrmap_new(ev->ctx), .arrays = ev->arrays};
    odometer outer = make_odometer(&start, op->n_axes, op->iters), inner = make_odometer(&start, r->n_axes, r->axes);
    uint32_t n = r->n_sources, *state = VT_NEW_ARRAY(ev->ctx, uint32_t, 3 * n), *first = state + n,
             *next = state + 2 * n;
    for (uint32_t k = 0; k < n; k++) {
        state[k] = fresh(&start);
        vt_ptrmap_set(start.known, r->combiner->lhs[k], (void *)(uintptr_t)(state[k] + 1));
        first[k] = make(&start, r->has_init ? body->a[n + k] : r->combiner->identity[k]);
    }
    for (uint32_t k = 0; k < n; k++) emit(&start, (insn){.code = COPY, .to = state[k], .x = first[k]});
    program step = start;
    step.code = NULL;
    step.n = step.cap = 0;
    uint32_t skip = 0;
    const vt_expr *condition = body->a[body->n - 1];
    bool conditional = !vt_is_const(condition, 1);
    if (conditional) {
        uint32_t x = make(&step, condition);
        skip = step.n;
        emit(&step, (insn){.code = JUMP_IF_NOT, .x = x});
    }
    for (uint32_t k = 0; k < n; k++)
        vt_ptrmap_set(step.known, r->combiner->rhs[k], (void *)(uintptr_t)(make(&step, body->a[k]) + 1));
    for (uint32_t k = 0; k < n; k++) next[k] = make(&step, r->combiner->result[k]);
    for (uint32_t k = 0; k < n; k++) emit(&step, (insn){.code = COPY, .to = state[k], .x = next[k]});
    if (conditional) step.code[skip].to = step.n;
    value *slot = new_slots(ev, &step);
    reduction all = {&step, &outer, &inner, n, state};
    const void *plan = ev->domain->plan ? ev->domain->plan(ev, &all) : NULL;
    odometer_start(&outer, slot);
    int64_t at = 0;
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

static void evaluate_operation(evaluation *ev, const vt_operation *op, const vt_tensor *wanted, void *data) {
    array **to = VT_NEW_ARRAY(ev->ctx, array *, op->n_outputs);
    for (uint32_t k = 0; k < op->n_outputs; k++) {
        to[k] = new_array(ev->c, op->outputs[k]);
        bool given = data && op->outputs[k] == wanted;
        to[k]->data =
            given ? data
                  : vt_new_array_bytes(ev->ctx, (size_t)to[k]->elements, ev->domain->element_bytes(to[k]->dtype));
        vt_ptrmap_set(ev->arrays, op->outputs[k], to[k]);
    }
    if (op->bodies[0]->kind == VT_E_REDUCE)
        evaluate_reduction(ev, op, to);
    else
        for (uint32_t k = 0; k < op->n_outputs; k++) evaluate_plain(ev, op, k, to[k]);
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
        if (top->next == top->op->n_inputs) {
            evaluate_operation(ev, top->op, out, data);
            n--;
            continue;
        }
        const vt_tensor *input = top->op->inputs[top->next++];
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
    return te__evaluate(c, &numbers, NULL, out, n, inputs, data, out_data);
}
