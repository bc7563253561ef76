/* The largest in order. A line's numbers are merged, runs of 1, 2, 4 ... at a time, which keeps equal ones in order. */
#include <math.h>
#include <string.h>

#include "operators/host/statements.h"

typedef struct sort {
    te_context *c;
    const vt_host_top_k *o;
    te_buffer *x, *y, *key, *list[2], *state; /* state: the next of the left run, and of the right one */
    te_expr *outer, *inner;
} sort;

/* What is not a number as infinity. */
static te_expr *key_of(const sort *s, te_expr *i) {
    te_context *c = s->c;
    te_expr *x = vt__load(c, s->x, s->outer, i, s->inner);
    if (!strstr(s->o->type, "float")) return x;
    return vt__op(c, SELECT, vt__op(c, EQ, x, x), x, te_float(c, s->o->type, INFINITY));
}

/* Is the element at place `at` of the right run really in front of that of the left one? */
static te_expr *first(const sort *s, te_buffer *from, te_expr *left, te_expr *right) {
    te_context *c = s->c;
    te_expr *a = vt__load(c, s->key, vt__load(c, from, left)), *b = vt__load(c, s->key, vt__load(c, from, right));
    return s->o->largest ? vt__op(c, GT, b, a) : vt__op(c, LT, b, a);
}

/* Runs of `width` from one list to runs of twice as many in the other. */
static const vtac_stmt *merge(const sort *s, te_buffer *from, te_buffer *to, int64_t width) {
    te_context *c = s->c;
    te_expr *run = vt__index(c, "run"), *k = vt__index(c, "k"), *zero = vt__int(c, 0), *one = vt__int(c, 1);
    te_expr *n = vt__int(c, s->o->n), *begin = te_mul(c, run, vt__int(c, 2 * width));
    te_expr *middle = vt__op(c, MIN, te_add(c, begin, vt__int(c, width)), n);
    te_expr *end = vt__op(c, MIN, te_add(c, begin, vt__int(c, 2 * width)), n);
    te_expr *left = vt__load(c, s->state, zero), *right = vt__load(c, s->state, one);
    te_expr *is_right =
        vt__op(c, IF_THEN_ELSE, vt__op(c, GE, right, end), te_int(c, "bool", 0),
               vt__op(c, IF_THEN_ELSE, vt__op(c, GE, left, middle), te_int(c, "bool", 1), first(s, from, left, right)));
    const vtac_stmt *take_right =
        vt__steps(c, vt__store(c, to, vt__load(c, from, right), k), vt__store(c, s->state, te_add(c, right, one), one));
    const vtac_stmt *take_left =
        vt__steps(c, vt__store(c, to, vt__load(c, from, left), k), vt__store(c, s->state, te_add(c, left, one), zero));
    const vtac_stmt *each = vt__loop(c, k, begin, end, te_stmt_if(c, is_right, take_right, take_left));
    const vtac_stmt *one_run =
        vt__steps(c, vt__store(c, s->state, begin, zero), vt__store(c, s->state, middle, one), each);
    return vt__loop(c, run, zero, vt__int(c, vt__host_blocks(s->o->n, 2 * width)), one_run);
}

static const vtac_stmt *line(const sort *s) {
    te_context *c = s->c;
    te_expr *i = vt__index(c, "i"), *j = vt__index(c, "j"), *zero = vt__int(c, 0);
    const vtac_stmt *all =
        vt__loop(c, i, zero, vt__int(c, s->o->n),
                 vt__steps(c, vt__store(c, s->key, key_of(s, i), i), vt__store(c, s->list[0], i, i)));
    int at = 0;
    for (int64_t width = 1; width < s->o->n; width *= 2, at = !at)
        all = vt__steps(c, all, merge(s, s->list[at], s->list[!at], width));
    const vtac_stmt *give = vt__store(c, s->y, vt__load(c, s->list[at], j), s->outer, j, s->inner);
    return vt__steps(c, all, vt__loop(c, j, zero, vt__int(c, s->o->k), give));
}

static void make(te_context *c, const void *user, vt_kernel_parts *parts) {
    const vt_host_top_k *o = user;
    const int64_t in[] = {o->outer, o->n, o->inner}, out[] = {o->outer, o->k, o->inner}, two[] = {2};
    te_tensor *x = vt__input(c, "x", o->type, 3, in), *y;
    sort s = {.c = c,
              .o = o,
              .x = vt__buffer(c, "a", o->type, 3, in),
              .y = vt__buffer(c, "y", "int64", 3, out),
              .key = vt__buffer(c, "key", o->type, 1, &o->n),
              .list = {vt__buffer(c, "list", "int64", 1, &o->n), vt__buffer(c, "merged", "int64", 1, &o->n)},
              .state = vt__buffer(c, "state", "int64", 1, two),
              .outer = vt__index(c, "outer"),
              .inner = vt__index(c, "inner")};
    te_expr *zero = vt__int(c, 0);
    const vtac_stmt *all = vt__loop(c, s.inner, zero, vt__int(c, o->inner), line(&s));
    all = vt__loop(c, s.outer, zero, vt__int(c, o->outer), all);
    all = te_stmt_allocate(c, s.list[0], te_stmt_allocate(c, s.list[1], te_stmt_allocate(c, s.state, all)));
    all = te_stmt_allocate(c, s.key, all);
    te_extern(c, "order", NULL, 1, &x, &s.x, 1, &s.y, all, &y);
    *parts = (vt_kernel_parts){{x}, {y}, 1, 1};
}

vta_status vt_host_top_k_kernel(const vt_host *host, const vt_host_top_k *o, vtac_kernel **out_kernel) {
    char key[256];
    snprintf(key, sizeof key, "top_k %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d", o->type, o->outer, o->n,
             o->inner, o->k, o->largest);
    return vt__host_made(host, "top_k", key, make, o, out_kernel);
}
