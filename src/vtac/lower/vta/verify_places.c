/* Where storage planning has put the on-chip buffers: the function as the plan was given it, against the one it made.
 * Both have the same accesses in the same order; how far each has moved is the place of its buffer. Two buffers that
 * share elements must not both be alive, but for the one statement in which an operation takes over the place of an
 * operand. A buffer is alive from its first to its last access, all of a loop that its allocation stands outside of. */
#include "config/config_priv.h"
#include "ir/print.h"
#include "lower/generic/util.h"
#include "lower/vta/verify.h"
#include "lower/vta/vta.h"

/* Begin and end in statements, counted through the function. */
typedef struct span {
    uint32_t begin, end;
} span;

typedef struct buffer {
    const vt_stmt *alloc;
    vta_memory memory;
    uint64_t bits;  /* 0: not a constant */
    uint32_t depth; /* loops around its allocation */
    bool used, placed;
    span life, first, last; /* the statements, or outermost loops inside of its allocation, of those accesses */
    const vt_var *var;      /* of the storage it is in */
    int64_t place;          /* bits from that one's begin */
} buffer;

typedef struct access {
    uint32_t buffer; /* its number; of the given function only */
    const vt_var *var;
    const vt_expr *offset;
    int64_t unit;        /* bits that the offset counts in */
    uint32_t time, loop; /* of its statement; the loop that counts, NO_LOOP: the statement itself */
} access;

enum { NO_LOOP = UINT32_MAX };

/* All accesses of a function to on-chip memory, in order. */
typedef struct scan {
    vt_ctx *ctx;
    const vta_config *config;
    buffer *buffers;
    uint32_t n_buffers, cap_buffers;
    access *accesses;
    uint32_t n, cap;
    span *loops;
    uint32_t n_loops, cap_loops;
    uint32_t *around; /* the loops around, outermost first */
    uint32_t depth, cap_around;
    uint32_t time;
} scan;

static bool memory_of(const vt_var *var, vta_memory *out_memory) {
    const char *scope = var->u.var->scope;
    return var->u.var->pointer && scope && vt__memory_of(scope, out_memory);
}

/* ---- Scanning ---------------------------------------------------------------------------------------------- */

/* The innermost allocation of the variable that is open, so the last one. */
static bool find_buffer(const scan *st, const vt_var *var, uint32_t *out) {
    for (uint32_t i = st->n_buffers; i-- > 0;) {
        *out = i;
        if (st->buffers[i].alloc->u.alloc.var == var) return true;
    }
    return false;
}

static void add_access(scan *st, const vt_var *var, const vt_expr *offset, vt_dtype elem) {
    vta_memory memory;
    if (!memory_of(var, &memory)) return;
    vt_grow(st->ctx, &st->accesses, &st->cap, st->n + 1, sizeof *st->accesses);
    access *a = &st->accesses[st->n++];
    *a = (access){.var = var, .offset = offset, .unit = (int64_t)elem.bits * elem.lanes, .time = st->time};
    if (!find_buffer(st, var, &a->buffer)) a->buffer = UINT32_MAX;
    uint32_t depth = a->buffer == UINT32_MAX ? 0 : st->buffers[a->buffer].depth;
    a->loop = depth < st->depth ? st->around[depth] : NO_LOOP;
}

static void scan_expr(scan *st, const vt_expr *e) {
    if (vt_is_call(e, VT_OP_ACCESS_PTR)) add_access(st, e->a[1], e->a[2], e->a[0]->dtype);
    if (e->kind == VT_E_LOAD && e->n == 1) add_access(st, e->u.buffer->data, e->a[0], e->u.buffer->dtype);
    for (uint32_t i = 0; i < e->n; i++) scan_expr(st, e->a[i]);
}

static void scan_stmt(scan *st, const vt_stmt *s);

static void scan_loop(scan *st, const vt_stmt *s) {
    uint32_t loop = st->n_loops;
    vt_grow(st->ctx, &st->loops, &st->cap_loops, loop + 1, sizeof *st->loops);
    vt_grow(st->ctx, &st->around, &st->cap_around, st->depth + 1, sizeof *st->around);
    st->n_loops++;
    st->around[st->depth++] = loop;
    uint32_t begin = st->time;
    scan_stmt(st, vt_stmt_body(s));
    st->loops[loop] = (span){begin, st->time};
    st->depth--;
}

static void scan_alloc(scan *st, const vt_stmt *s) {
    vta_memory memory;
    if (memory_of(s->u.alloc.var, &memory)) {
        vt_grow(st->ctx, &st->buffers, &st->cap_buffers, st->n_buffers + 1, sizeof *st->buffers);
        uint64_t elements = vt_const_elements(s->u.alloc.n_extents, s->u.alloc.extents);
        st->buffers[st->n_buffers++] = (buffer){.alloc = s,
                                                .memory = memory,
                                                .bits = elements * s->u.alloc.dtype.bits * s->u.alloc.dtype.lanes,
                                                .depth = st->depth};
    }
    scan_stmt(st, s->u.alloc.body);
}

static void scan_stmt(scan *st, const vt_stmt *s) {
    st->time++;
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) scan_stmt(st, s->u.seq.items[i]);
        return;
    case VT_S_FOR: scan_loop(st, s); return;
    case VT_S_ALLOC: scan_alloc(st, s); return;
    case VT_S_IF:
        scan_expr(st, s->u.branch.condition);
        scan_stmt(st, s->u.branch.then_case);
        if (s->u.branch.else_case) scan_stmt(st, s->u.branch.else_case);
        return;
    case VT_S_ATTR:
        if (vt_attr_binds_thread(s))
            scan_loop(st, s);
        else
            scan_stmt(st, s->u.attr.body);
        return;
    case VT_S_LET:
        scan_expr(st, s->u.let.value);
        scan_stmt(st, s->u.let.body);
        return;
    case VT_S_ASSERT:
        if (s->u.assertion.body) scan_stmt(st, s->u.assertion.body);
        return;
    case VT_S_EVAL: scan_expr(st, s->u.eval.value); return;
    case VT_S_STORE:
        if (s->u.store.n_indices == 1)
            add_access(st, s->u.store.buffer->data, s->u.store.indices[0], s->u.store.buffer->dtype);
        scan_expr(st, s->u.store.value);
        return;
    case VT_S_PSTORE:
    case VT_S_REALIZE:
    case VT_S_BLOCK:
    case VT_S_COUNT: break;
    }
}

/* ---- Places ------------------------------------------------------------------------------------------------ */

/* An index with some number in place of each variable; false for what is not plain arithmetic. */
static bool sample(const vt_expr *e, uint64_t seed, int64_t *out) {
    int64_t x, y;
    if (e->kind == VT_E_INT) {
        *out = e->u.i;
        return true;
    }
    if (e->kind == VT_E_VAR) { /* by its number: the same wherever it stands */
        *out = (int64_t)((e->u.var->id + 1) * seed % 1009);
        return true;
    }
    if (e->kind == VT_E_CAST) return sample(e->a[0], seed, out);
    if (e->n != 2 || !sample(e->a[0], seed, &x) || !sample(e->a[1], seed, &y)) return false;
    switch (e->kind) {
    case VT_E_ADD: *out = x + y; return true;
    case VT_E_SUB: *out = x - y; return true;
    case VT_E_MUL: *out = x * y; return true;
    case VT_E_MIN: *out = x < y ? x : y; return true;
    case VT_E_MAX: *out = x > y ? x : y; return true;
    case VT_E_DIV:
    case VT_E_MOD:
    case VT_E_FLOORDIV:
    case VT_E_FLOORMOD: {
        if (y <= 0 || x < 0) return false;
        *out = e->kind == VT_E_DIV || e->kind == VT_E_FLOORDIV ? x / y : x % y;
        return true;
    }
    default: return false;
    }
}

/* How far an access has moved, in bits; false when that cannot be told or is not one number. */
static bool moved(const access *from, const access *to, int64_t *out) {
    static const uint64_t seeds[] = {7919, 104729};
    int64_t by[2] = {0, 0}, x, y;
    *out = 0;
    if (from->offset == to->offset) return from->unit == to->unit;
    for (int i = 0; i < 2; i++) {
        if (!sample(from->offset, seeds[i], &x) || !sample(to->offset, seeds[i], &y)) return false;
        by[i] = y * to->unit - x * from->unit;
    }
    *out = by[0];
    return by[0] == by[1];
}

static void extend(buffer *b, span s) {
    if (!b->used) b->life = b->first = b->last = s;
    if (s.begin < b->life.begin) b->life.begin = s.begin;
    if (s.end > b->life.end) b->life.end = s.end;
    if (s.begin < b->first.begin) b->first = s;
    if (s.end > b->last.end) b->last = s;
    b->used = true;
}

static _Noreturn void fail(vt_verifier *v, const buffer *b, const char *what) {
    vt__verify_fail(v, VT_RULE_PLACE, NULL, vt_new_format(v->ctx, "%s %s", vt_var_name(b->alloc->u.alloc.var), what));
}

/* Gives buffers their lives and places; what cannot be told is counted, and has none. */
static void place(vt_verifier *v, scan *given, const scan *made) {
    for (uint32_t i = 0; i < given->n; i++) {
        const access *from = &given->accesses[i], *to = &made->accesses[i];
        if (from->buffer == UINT32_MAX) continue;
        buffer *b = &given->buffers[from->buffer];
        int64_t by;
        extend(b, from->loop == NO_LOOP ? (span){from->time, from->time} : given->loops[from->loop]);
        if (!moved(from, to, &by)) {
            v->undecided++;
            continue;
        }
        if (b->placed && (b->place != by || b->var != to->var)) fail(v, b, "has two places");
        b->placed = true;
        b->place = by;
        b->var = to->var;
    }
}

static bool same(span a, span b) { return a.begin == b.begin && a.end == b.end; }

/* In a loop that is all of both lives: does every iteration touch one element only, the one before the other? */
static bool one_element_a_round(const scan *given, const scan *made, const buffer *from, const buffer *to, span loop) {
    static const uint64_t seed = 7919;
    int64_t address = 0, x;
    bool any = false, taken = false;
    for (uint32_t i = 0; i < given->n; i++) {
        const access *a = &given->accesses[i];
        const buffer *b = a->buffer == UINT32_MAX ? NULL : &given->buffers[a->buffer];
        if (a->time < loop.begin || a->time > loop.end || (b != from && b != to)) continue;
        if (!sample(made->accesses[i].offset, seed, &x) || (any && x != address)) return false;
        if (taken && b == from && a->time != given->accesses[i - 1].time) return false;
        address = x;
        any = true;
        taken |= b == to;
    }
    return true;
}

/* Both alive, beyond the statement in which one takes the other's place. */
static bool both_alive(const scan *given, const scan *made, const buffer *a, const buffer *b) {
    if (b->life.begin < a->life.begin) return both_alive(given, made, b, a);
    if (a->life.end < b->life.begin) return false;
    bool meet_in_one = same(a->last, b->first) && a->life.end == a->last.end && b->life.begin == b->first.begin;
    if (!meet_in_one) return true;
    bool before = a->life.begin<a->last.begin, after = b->life.end> b->first.end;
    return !before && !after && !one_element_a_round(given, made, a, b, a->last) &&
           !one_element_a_round(given, made, b, a, a->last);
}

static void check_pair(vt_verifier *v, const scan *given, const scan *made, const buffer *a, const buffer *b,
                       bool one_base) {
    bool together = a->memory == b->memory && (one_base || a->var == b->var);
    if (!together || !a->placed || !b->placed || !a->bits || !b->bits) return;
    bool apart = a->place + (int64_t)a->bits <= b->place || b->place + (int64_t)b->bits <= a->place;
    if (!apart && both_alive(given, made, a, b))
        fail(v, a,
             vt_new_format(v->ctx, "and %s share elements of the %s buffer while both are alive",
                           vt_var_name(b->alloc->u.alloc.var), vta_memory_name(a->memory)));
}

uint32_t vt__verify_places(vt_ctx *ctx, const vta_config *config, const vt_func *given, const vt_func *made,
                           bool one_base) {
    vt_path path;
    vt_verifier v = {.ctx = ctx, .config = config, .path = &path};
    scan before = {.ctx = ctx, .config = config}, after = before;
    vt__path_begin(&path);
    scan_stmt(&before, given->body);
    if (!before.n_buffers) return 0;
    scan_stmt(&after, made->body);
    if (before.n != after.n) vt__verify_fail(&v, VT_RULE_PLACE, NULL, "accesses are lost or made");
    place(&v, &before, &after);
    for (uint32_t i = 0; i < before.n_buffers; i++) {
        const buffer *b = &before.buffers[i];
        int64_t most = (int64_t)config->depth[b->memory] * config->elem_bytes[b->memory] * 8;
        if (b->placed && (b->place < 0 || b->place + (int64_t)b->bits > most))
            fail(&v, b, "does not lie inside its memory");
        for (uint32_t k = 0; k < i; k++) check_pair(&v, &before, &after, b, &before.buffers[k], one_base);
    }
    return v.undecided;
}

const vt_func *vt_pass_verify_shared(vt_lowering *l, const vt_func *f) {
    if (l->last != vt_pass_early_rewrite) return f;
    (void)vt__verify_places(l->ctx, vt__config(l), l->given, f, false);
    vt__verify_queued(l, l->given, f);
    return f;
}

const vt_func *vt_pass_verify_places(vt_lowering *l, const vt_func *f) {
    if (l->last == vt_pass_storage_rewrite) (void)vt__verify_places(l->ctx, vt__config(l), l->given, f, true);
    return f;
}
