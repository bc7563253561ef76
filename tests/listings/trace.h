/* Runs a lowered function's control flow and hands out the runtime calls that it makes: as text in the format of the
 * recorded ones (trace_run), or to whoever makes a trace of its own. A small evaluator of its own: it knows loops,
 * bindings, conditions and integer arithmetic, and nothing of how the code generator does these. */
#ifndef TESTS_LISTINGS_TRACE_H
#define TESTS_LISTINGS_TRACE_H

#include <string.h>

#include "base/strbuf.h"
#include "ir/build.h"
#include "ir/visit.h"

enum { TRACE_MAX = 4096 };

typedef enum trace_kind {
    TRACE_LOAD,
    TRACE_STORE,
    TRACE_UOP,
    TRACE_LOOP,
    TRACE_ENDLOOP,
    TRACE_PUSH,
    TRACE_POP,
    TRACE_SYNC
} trace_kind;

typedef struct trace trace;
struct trace {
    vt_ctx *ctx;
    /* A call: the numbers among its arguments in order, and the buffer of a load or store. */
    void (*call)(trace *t, trace_kind kind, const void *buffer, uint32_t n, const int64_t *args);
    /* A kernel's call site; whoever wants its micro-ops runs trace_stmt over the body. */
    void (*kernel)(trace *t, bool gemm, int site, int64_t signature, const vt_stmt *body);
    void *user;
    vt_strbuf *out;
    const vt_var *vars[256];
    int64_t values[256];
    int n_vars;
    const void *buffers[64];
    int n_buffers;
    const vt_stmt *sites[TRACE_MAX];
    int n_sites;
    struct {
        int site;
        int64_t signature;
    } made[TRACE_MAX]; /* kernels recorded so far */
    int n_made;
    bool failed;
};

static int64_t trace_value(trace *t, const vt_expr *e);

static int64_t trace_floor_div(int64_t x, int64_t y) {
    int64_t q = x / y;
    return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}

static int64_t trace_call(trace *t, const vt_expr *e) {
    if (e->u.op == VT_OP_IF_THEN_ELSE) return trace_value(t, trace_value(t, e->a[0]) ? e->a[1] : e->a[2]);
    if (e->u.op == VT_OP_LIKELY) return trace_value(t, e->a[0]);
    t->failed = true;
    return 0;
}

static int64_t trace_value(trace *t, const vt_expr *e) {
    switch (e->kind) {
    case VT_E_INT: return e->u.i;
    case VT_E_VAR:
        for (int i = t->n_vars; i-- > 0;)
            if (t->vars[i] == e) return t->values[i];
        t->failed = true;
        return 0;
    case VT_E_CAST: return trace_value(t, e->a[0]);
    case VT_E_NOT: return !trace_value(t, e->a[0]);
    case VT_E_SELECT: return trace_value(t, trace_value(t, e->a[0]) ? e->a[1] : e->a[2]);
    case VT_E_CALL: return trace_call(t, e);
    default: break;
    }
    if (e->n != 2) {
        t->failed = true;
        return 0;
    }
    int64_t x = trace_value(t, e->a[0]), y = trace_value(t, e->a[1]);
    switch (e->kind) {
    case VT_E_ADD: return x + y;
    case VT_E_SUB: return x - y;
    case VT_E_MUL: return x * y;
    case VT_E_DIV: return y ? x / y : 0;
    case VT_E_MOD: return y ? x % y : 0;
    case VT_E_FLOORDIV: return y ? trace_floor_div(x, y) : 0;
    case VT_E_FLOORMOD: return y ? x - trace_floor_div(x, y) * y : 0;
    case VT_E_MIN: return x < y ? x : y;
    case VT_E_MAX: return x > y ? x : y;
    case VT_E_EQ: return x == y;
    case VT_E_NE: return x != y;
    case VT_E_LT: return x < y;
    case VT_E_LE: return x <= y;
    case VT_E_GT: return x > y;
    case VT_E_GE: return x >= y;
    case VT_E_AND: return x && y;
    case VT_E_OR: return x || y;
    default: t->failed = true; return 0;
    }
}

static void trace_numbers(trace *t, uint32_t n, const vt_expr *const *args, int64_t *out) {
    for (uint32_t i = 0; i < n; i++) out[i] = trace_value(t, args[i]);
}

static void trace_intrinsic(trace *t, trace_kind kind, const vt_expr *e) {
    int64_t args[8] = {0};
    if (e->n > 8)
        t->failed = true;
    else
        trace_numbers(t, e->n, e->a, args);
    t->call(t, kind, NULL, e->n, args);
}

static void trace_extern(trace *t, const vt_expr *e) {
    int64_t args[16] = {0};
    const char *name = e->a[0]->u.s;
    if (strcmp(name, "VTALoadBuffer2D") == 0 && e->n == 13) {
        trace_numbers(t, 10, e->a + 3, args);
        t->call(t, TRACE_LOAD, e->a[2], 10, args);
    } else if (strcmp(name, "VTAStoreBuffer2D") == 0 && e->n == 9) {
        trace_numbers(t, 2, e->a + 2, args);
        trace_numbers(t, 4, e->a + 5, args + 2);
        t->call(t, TRACE_STORE, e->a[4], 6, args);
    } else if (strcmp(name, "VTAUopLoopBegin") == 0 && e->n == 5) {
        trace_numbers(t, 4, e->a + 1, args);
        t->call(t, TRACE_LOOP, NULL, 4, args);
    } else if (strcmp(name, "VTAUopLoopEnd") == 0) {
        t->call(t, TRACE_ENDLOOP, NULL, 0, args);
    } else {
        t->failed = true;
    }
}

static void trace_eval(trace *t, const vt_expr *e) {
    switch ((int)(e->kind == VT_E_CALL ? e->u.op : VT_OP_COUNT)) {
    case VT_OP_VTA_COPROC_SYNC: trace_intrinsic(t, TRACE_SYNC, e); return;
    case VT_OP_VTA_COPROC_DEP_PUSH: trace_intrinsic(t, TRACE_PUSH, e); return;
    case VT_OP_VTA_COPROC_DEP_POP: trace_intrinsic(t, TRACE_POP, e); return;
    case VT_OP_VTA_UOP_PUSH: trace_intrinsic(t, TRACE_UOP, e); return;
    case VT_OP_CALL_EXTERN: trace_extern(t, e); return;
    default: t->failed = true;
    }
}

static void trace_stmt(trace *t, const vt_stmt *s);

static void trace_kernel(trace *t, const vt_stmt *s) {
    int site = 0;
    while (site < t->n_sites && t->sites[site] != s) site++;
    if (site == t->n_sites) t->sites[t->n_sites++] = s;
    uint32_t n;
    const vt_var *const *free = vt_stmt_free_vars(t->ctx, s->u.attr.body, &n);
    int64_t signature = n ? 0 : -1;
    for (uint32_t i = 0; i < n; i++) signature = signature * 256 + trace_value(t, free[i]);
    t->kernel(t, strcmp(s->u.attr.value->u.s, "VTAPushGEMMOp") == 0, site, signature, s->u.attr.body);
}

static void trace_bound(trace *t, const vt_var *v, int64_t value, const vt_stmt *body) {
    t->vars[t->n_vars] = v;
    t->values[t->n_vars++] = value;
    trace_stmt(t, body);
    t->n_vars--;
}

static void trace_stmt(trace *t, const vt_stmt *s) {
    switch (s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) trace_stmt(t, s->u.seq.items[i]);
        return;
    case VT_S_FOR: {
        int64_t min = trace_value(t, s->u.loop.min), extent = trace_value(t, s->u.loop.extent);
        for (int64_t i = 0; i < extent; i++) trace_bound(t, s->u.loop.var, min + i, s->u.loop.body);
        return;
    }
    case VT_S_LET: trace_bound(t, s->u.let.var, trace_value(t, s->u.let.value), s->u.let.body); return;
    case VT_S_ATTR:
        if (strcmp(s->u.attr.key, "coproc_uop_scope") == 0)
            trace_kernel(t, s);
        else
            trace_stmt(t, s->u.attr.body);
        return;
    case VT_S_IF:
        if (trace_value(t, s->u.branch.condition))
            trace_stmt(t, s->u.branch.then_case);
        else if (s->u.branch.else_case)
            trace_stmt(t, s->u.branch.else_case);
        return;
    case VT_S_EVAL: trace_eval(t, s->u.eval.value); return;
    default: t->failed = true; return;
    }
}

/* Every kernel is a site of its own, also where the program shares one statement between places. */
static const vt_stmt *trace_unshare(vt_mutator *m, const vt_stmt *s) {
    const vt_stmt *out = vt_mutate_stmt_children(m, s);
    return s->kind == VT_S_ATTR
               ? vt_s_attr(m->ctx, out->u.attr.node, out->u.attr.key, out->u.attr.value, out->u.attr.body)
               : out;
}

static void trace_function(trace *t, const vt_func *f) {
    vt_mutator m = {.ctx = t->ctx, .stmt = trace_unshare};
    trace_stmt(t, vt_mutate_stmt(&m, f->body));
}

/* ---- As text ---------------------------------------------------------------------------------------------------- */

static int trace_buffer(trace *t, const void *buffer) {
    for (int i = 0; i < t->n_buffers; i++)
        if (t->buffers[i] == buffer) return i;
    t->buffers[t->n_buffers] = buffer;
    return t->n_buffers++;
}

static void trace_text_call(trace *t, trace_kind kind, const void *buffer, uint32_t n, const int64_t *args) {
    static const char *const words[] = {"load", "store", "  uop", "  loop", "  endloop", "push", "pop", "sync"};
    vt_strbuf_add(t->out, words[kind]);
    for (uint32_t i = 0; i <= n; i++) {
        if (buffer && i == (kind == TRACE_STORE ? 2u : 0u)) vt_strbuf_addf(t->out, " buf%d", trace_buffer(t, buffer));
        if (i < n) vt_strbuf_addf(t->out, " %lld", (long long)args[i]);
    }
    vt_strbuf_addc(t->out, '\n');
}

static void trace_text_kernel(trace *t, bool gemm, int site, int64_t signature, const vt_stmt *body) {
    vt_strbuf_addf(t->out, "%s site%d sig=%lld\n", gemm ? "gemm" : "alu", site, (long long)signature);
    bool made = false;
    for (int i = 0; i < t->n_made; i++) made |= t->made[i].site == site && t->made[i].signature == signature;
    if (!made) {
        t->made[t->n_made].site = site;
        t->made[t->n_made++].signature = signature;
        trace_stmt(t, body);
    }
    vt_strbuf_add(t->out, "end\n");
}

/* False when the function does something that is not a runtime call. */
static inline bool trace_run(vt_ctx *ctx, const vt_func *f, vt_strbuf *out) {
    trace *t = VT_NEW(ctx, trace);
    *t = (trace){.ctx = ctx, .call = trace_text_call, .kernel = trace_text_kernel, .out = out};
    trace_function(t, f);
    return !t->failed;
}

#endif
