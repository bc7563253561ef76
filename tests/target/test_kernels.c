/* The passes over kernels of micro-ops, on random nests of loops and conditions of any form: what is executed stays the
 * same micro-ops, and no kernel is larger than their buffer or without any. */
#include "listings/trace.h"
#include "lower/vta/vta.h"
#include "pass/one.h"

enum { MAX_RUNS = 1 << 15, CASES = 3000 };

/* ---- Random kernels ---------------------------------------------------------------------------------------------- */

typedef struct maker {
    one *o;
    check_random r;
    const vt_var *vars[16]; /* of open loops; the first is outside of the kernel */
    uint32_t first, n;      /* first: 1 where kernels do not depend on what is outside */
    bool conditional;       /* the kernel has a condition */
    int twist;              /* makes a kernel differ from another in its accumulators alone */
} maker;

static bool told;  /* all loops have constant extents */
static bool plain; /* all kernels are of the form that can be cut at borders */

static int pick(maker *m, int least, int most) { return (int)check_between(&m->r, least, most); }
static bool rarely(maker *m) { return pick(m, 0, 11) == 0; }
static bool rarely_odd(maker *m) {
    bool odd = rarely(m);
    plain &= !odd;
    return odd;
}
static const vt_expr *some_var(maker *m) {
    return m->first < m->n ? m->vars[pick(m, (int)m->first, (int)m->n - 1)] : one_i(m->o, 1);
}

/* A sum of loops times constants. */
static const vt_expr *sum(maker *m, int most, int twist) {
    vt_ctx *c = &m->o->ctx;
    const vt_expr *e = one_i(m->o, pick(m, 0, 9));
    for (uint32_t i = m->first; i < m->n; i++)
        e = vt_add(c, e, vt_mul(c, m->vars[i], one_i(m->o, (pick(m, 0, most) + twist) % (most + 1))));
    return e;
}

/* Rarely something else. */
static const vt_expr *index_of(maker *m, int most, int twist) {
    vt_ctx *c = &m->o->ctx;
    const vt_expr *e = sum(m, most, twist);
    if (rarely_odd(m)) e = vt_add(c, e, vt_floormod(c, some_var(m), one_i(m->o, 2)));
    if (rarely_odd(m)) return vt_add(c, e, vt_mul(c, some_var(m), some_var(m)));
    if (rarely(m)) e = vt_sub(c, e, vt_mul(c, some_var(m), one_i(m->o, pick(m, 1, 5))));
    return e;
}

static const vt_expr *condition(maker *m) {
    vt_ctx *c = &m->o->ctx;
    static const vt_expr_kind kinds[] = {VT_E_LT, VT_E_LE, VT_E_GT, VT_E_GE, VT_E_EQ, VT_E_NE};
    const vt_expr *x = vt_add(c, some_var(m), vt_mul(c, some_var(m), one_i(m->o, pick(m, -1, 2))));
    if (rarely_odd(m)) x = vt_add(c, x, vt_mul(c, some_var(m), m->vars[0]));
    const vt_expr *e = vt_e_bin(c, kinds[pick(m, 0, rarely_odd(m) ? 5 : 3)], x, one_i(m->o, pick(m, -1, 5)));
    if (pick(m, 0, 2) == 0) e = vt_e_bin(c, rarely_odd(m) ? VT_E_OR : VT_E_AND, e, condition(m));
    return rarely(m) ? vt_likely(c, e) : e;
}

static const vt_stmt *push(maker *m) {
    vt_ctx *c = &m->o->ctx;
    const vt_expr *zero = one_i(m->o, 0), *dst = index_of(m, 4, m->twist), *src = index_of(m, 6, 0),
                  *wgt = index_of(m, 8, 0);
    const vt_expr *a[] = {zero, zero, dst, src, wgt, zero, zero, zero};
    return vt__call(c, VT_OP_VTA_UOP_PUSH, 8, a);
}

static const vt_stmt *nest(maker *m, int depth) {
    vt_ctx *c = &m->o->ctx;
    if (depth == 0) return push(m);
    if (pick(m, 0, m->first ? 1 : 3) == 0) {
        const vt_expr *e = condition(m);
        m->conditional = true;
        const vt_stmt *then = nest(m, depth - 1);
        return vt_s_if(c, e, then, rarely_odd(m) ? push(m) : NULL);
    }
    const vt_var *v = one_var(m->o, "i");
    const vt_expr *extent = one_i(m->o, pick(m, 2, 4)); /* loops of one step are gone by then */
    if (rarely_odd(m)) {
        extent = vt_add(c, some_var(m), one_i(m->o, 1));
        told = false;
    }
    const vt_expr *min = one_i(m->o, rarely_odd(m) ? pick(m, 1, 2) : 0);
    m->vars[m->n++] = v;
    const vt_stmt *body = nest(m, depth - 1);
    if (rarely_odd(m)) body = one_seq(m->o, body, push(m));
    m->n--;
    return vt_s_for(c, v, min, extent, VT_FOR_SERIAL, body);
}

static const vt_stmt *kernel(maker *m) {
    m->conditional = false;
    const vt_stmt *body = nest(m, pick(m, 1, 5));
    for (int more = pick(m, -2, 2); more > 0; more--) {
        body = one_seq(m->o, body, nest(m, pick(m, 1, 4)));
        plain = false;
    }
    plain &= m->conditional;
    const vt_iter *axis = vt_iter_new(&m->o->ctx, one_var(m->o, "vta"), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    return vt_s_attr(&m->o->ctx, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(&m->o->ctx, VT_PUSH_GEMM), body);
}

static uint64_t seed;

static const vt_stmt *kernels(one *o) {
    told = plain = true;
    maker m = {.o = o, .r = {.state = seed * 2654435761u + 1}, .vars = {one_var(o, "v")}, .n = 1};
    m.first = seed % 2 == 0 && pick(&m, 0, 3);
    check_random r = m.r;
    const vt_stmt *body = kernel(&m);
    m.twist = pick(&m, 0, 1);
    if (m.twist) m.r = r;
    if (m.twist || pick(&m, 0, 1)) body = one_seq(o, body, kernel(&m));
    plain &= m.first;
    return one_for(o, m.vars[0], 3, VT_FOR_SERIAL, body);
}

/* ---- Running them ------------------------------------------------------------------------------------------------ */

typedef struct uop {
    int64_t at[3];
} uop;

typedef struct runs {
    uop uops[MAX_RUNS];
    int n, depth, open;
    struct {
        int begin;
        int64_t extent, step[3];
    } loops[2];
    int listed, max_listed, empty; /* micro-ops of a kernel; kernels without any */
    bool near;                     /* one writes what one of the two before it in its kernel writes */
} runs;

static void add(runs *r, uop u) {
    assert_true(r->n < MAX_RUNS);
    r->uops[r->n++] = u;
}

/* A loop of the hardware runs what was listed since it began again, further on. */
static void end_loop(runs *r) {
    assert_true(r->open > 0);
    r->open--;
    int end = r->n;
    for (int64_t k = 1; k < r->loops[r->open].extent; k++)
        for (int i = r->loops[r->open].begin; i < end; i++) {
            uop u = r->uops[i];
            for (int f = 0; f < 3; f++) u.at[f] += k * r->loops[r->open].step[f];
            add(r, u);
        }
}

static void run_call(trace *t, trace_kind kind, const void *buffer, uint32_t n, const int64_t *args) {
    runs *r = t->user;
    (void)buffer, (void)n;
    if (kind == TRACE_UOP) {
        add(r, (uop){{args[2], args[3], args[4]}});
        r->listed++;
    } else if (kind == TRACE_LOOP) {
        assert_true(r->open < 2 && args[1] >= 0 && args[2] >= 0 && args[3] >= 0); /* they only go upwards */
        r->loops[r->open].begin = r->n;
        r->loops[r->open].extent = args[0];
        memcpy(r->loops[r->open++].step, args + 1, sizeof r->loops[0].step);
    } else if (kind == TRACE_ENDLOOP) {
        end_loop(r);
    }
}

static void run_kernel(trace *t, bool gemm, int site, int64_t signature, const vt_stmt *body) {
    runs *r = t->user;
    (void)gemm, (void)site, (void)signature;
    r->listed = 0;
    int begin = r->n;
    trace_stmt(t, body);
    for (int i = begin + 1; i < r->n; i++)
        r->near |=
            r->uops[i].at[0] == r->uops[i - 1].at[0] || (i > begin + 1 && r->uops[i].at[0] == r->uops[i - 2].at[0]);
    r->empty += r->listed == 0;
    if (r->listed > r->max_listed) r->max_listed = r->listed;
}

static int compare(const void *x, const void *y) { return memcmp(x, y, sizeof(uop)); }

static void run_all(vt_ctx *ctx, const vt_func *f, runs *out) {
    static trace t;
    t = (trace){.ctx = ctx, .call = run_call, .kernel = run_kernel, .user = out};
    out->n = out->open = out->max_listed = out->empty = 0;
    out->near = false;
    trace_function(&t, f);
    if (t.failed) fail_msg("case %d: %s", (int)seed, vt_stmt_text(ctx, f->body));
    assert_int_equal(out->open, 0);
    qsort(out->uops, (size_t)out->n, sizeof out->uops[0], compare);
}

/* ---- The passes -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    one_pass pass;
} passes[] = {{"cut", vt_pass_cut_borders},
              {"order", vt_pass_order_uop_loops},
              {"fold", vt_pass_fold_uop_loop},
              {"share", vt_pass_share_uop_kernels}};

static vta_config *config;
static int folded, shared, cut, all_cut;

static bool is_condition(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= s->kind == VT_S_IF;
    return !*found;
}

static bool has_condition(const vt_stmt *s) {
    bool found = false;
    vt_stmt_walk(s, NULL, is_condition, &found);
    return found;
}

static const vt_func *all_passes(vt_lowering *l, const vt_func *f) {
    static runs before, after;
    vt__vta(l)->slots = seed % 2 == 0;
    vt__vta(l)->tails = seed % 4 == 1;
    run_all(l->ctx, f, &before);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        const vt_func *made = passes[i].pass(l, f);
        run_all(l->ctx, made, &after);
        if (after.n != before.n || memcmp(after.uops, before.uops, (size_t)after.n * sizeof(uop)))
            fail_msg("case %d: %s changes what is executed (%d, %d)\n%s\n%s", (int)seed, passes[i].name, before.n,
                     after.n, vt_stmt_text(l->ctx, f->body), vt_stmt_text(l->ctx, made->body));
        if (i == 0 && plain && (after.near || has_condition(made->body)))
            fail_msg("case %d: not cut\n%s", (int)seed, vt_stmt_text(l->ctx, made->body));
        if (i >= 2 && (after.empty || (told && after.max_listed > (int)vta_config_depth(config, VTA_MEM_UOP))))
            fail_msg("case %d: %s leaves %d kernels without micro-ops, one has %d", (int)seed, passes[i].name,
                     after.empty, after.max_listed);
        all_cut += i == 0 && plain;
        cut += i == 0 && made->body != f->body;
        folded += i == 2 && made->body != f->body;
        shared += i == 3 && made->body != f->body;
        f = made;
    }
    return f;
}

TEST_CASE(what_is_executed_stays) {
    vta_config *base = vta_config_default();
    assert_int_equal(vta_config_with(base, "LOG_UOP_BUFF_SIZE=6", NULL, &config), VTA_OK); /* 16 micro-ops */
    for (seed = 0; seed < CASES; seed++) {
        one o = {.options = {.config = config}};
        if (one_run(&o, all_passes, kernels) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        one_end(&o);
    }
    print_message("%d cut (%d without conditions then), %d folded, %d shared\n", cut, all_cut, folded, shared);
    assert_true(cut > 20 && all_cut > 20 && folded > CASES / 2 && shared > 20);
    vta_config_release(config);
    vta_config_release(base);
}

int main(void) { return run_cases(); }
