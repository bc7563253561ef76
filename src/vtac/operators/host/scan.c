/* What goes from one element to the next: sums of all before along an axis, and rows set or reduced by their numbers.
 * Both in the order and with the precision of the evaluator in C: they give the same bits. */
#include <string.h>

#include "operators/host/statements.h"

/* ---- Sums ---- */

/* Floats are added up in double, integers in 64 bits, of which their type keeps the last. */
static void make_cum_sum(te_context *c, const void *user, vt_kernel_parts *parts) {
    const vt_host_cum_sum *o = user;
    const int64_t shape[] = {o->outer, o->n, o->inner}, one[] = {1};
    const char *wide = strstr(o->type, "float") ? "float64" : "int64";
    te_tensor *x = vt__input(c, "x", o->type, 3, shape), *y;
    te_buffer *from = vt__buffer(c, "a", o->type, 3, shape), *to = vt__buffer(c, "y", o->type, 3, shape);
    te_buffer *sum = vt__buffer(c, "sum", wide, 1, one);
    te_expr *outer = vt__index(c, "outer"), *inner = vt__index(c, "inner"), *i = vt__index(c, "i"),
            *zero = vt__int(c, 0);
    te_expr *at = o->reverse ? te_sub(c, vt__int(c, o->n - 1), i) : i, *total = vt__load(c, sum, zero);
    const vtac_stmt *give = vt__store(c, to, te_cast(c, o->type, total), outer, at, inner);
    const vtac_stmt *add =
        vt__store(c, sum, te_add(c, total, te_cast(c, wide, vt__load(c, from, outer, at, inner))), zero);
    const vtac_stmt *each = o->exclusive ? vt__steps(c, give, add) : vt__steps(c, add, give);
    const vtac_stmt *line =
        vt__steps(c, vt__store(c, sum, te_cast(c, wide, zero), zero), vt__loop(c, i, zero, vt__int(c, o->n), each));
    const vtac_stmt *all =
        vt__loop(c, outer, zero, vt__int(c, o->outer), vt__loop(c, inner, zero, vt__int(c, o->inner), line));
    te_extern(c, "sums", NULL, 1, &x, &from, 1, &to, te_stmt_allocate(c, sum, all), &y);
    *parts = (vt_kernel_parts){{x}, {y}, 1, 1};
}

vta_status vt_host_cum_sum_kernel(const vt_host *host, const vt_host_cum_sum *o, vtac_kernel **out_kernel) {
    char key[160];
    snprintf(key, sizeof key, "cum_sum %s %" PRId64 " %" PRId64 " %" PRId64 " %d %d", o->type, o->outer, o->n, o->inner,
             o->exclusive, o->reverse);
    return vt__host_made(host, "cum_sum", key, make_cum_sum, o, out_kernel);
}

/* ---- Rows ---- */

static te_expr *reduced(te_context *c, vt_host_scatter_how how, te_expr *row, te_expr *update) {
    switch (how) {
    case VT_HOST_SCATTER_SET: break;
    case VT_HOST_SCATTER_ADD: return te_add(c, row, update);
    case VT_HOST_SCATTER_MUL: return te_mul(c, row, update);
    case VT_HOST_SCATTER_MAX: return vt__op(c, SELECT, vt__op(c, GT, update, row), update, row);
    case VT_HOST_SCATTER_MIN: return vt__op(c, SELECT, vt__op(c, LT, update, row), update, row);
    }
    return update;
}

/* A number that is outside is no row's. */
static void make_scatter(te_context *c, const void *user, vt_kernel_parts *parts) {
    const vt_host_scatter *o = user;
    const int64_t shape[] = {o->rows, o->width}, updated[] = {o->updates, o->width};
    te_tensor *in[] = {vt__input(c, "x", o->type, 2, shape), vt__input(c, "at", "int64", 1, &o->updates),
                       vt__input(c, "updates", o->type, 2, updated)};
    te_buffer *x = vt__buffer(c, "a", o->type, 2, shape), *at = vt__buffer(c, "b", "int64", 1, &o->updates);
    te_buffer *updates = vt__buffer(c, "u", o->type, 2, updated), *to = vt__buffer(c, "y", o->type, 2, shape);
    te_expr *i = vt__index(c, "i"), *j = vt__index(c, "j"), *row = vt__index(c, "row"), *zero = vt__int(c, 0);
    te_expr *width = vt__int(c, o->width),
            *inside = vt__op(c, AND, vt__op(c, GE, row, zero), vt__op(c, LT, row, vt__int(c, o->rows)));
    const vtac_stmt *copy = vt__loop(c, i, zero, vt__int(c, o->rows),
                                     vt__loop(c, j, zero, width, vt__store(c, to, vt__load(c, x, i, j), i, j)));
    te_expr *value = reduced(c, o->how, vt__load(c, to, row, j), vt__load(c, updates, i, j));
    const vtac_stmt *set = te_stmt_if(c, inside, vt__loop(c, j, zero, width, vt__store(c, to, value, row, j)), NULL);
    const vtac_stmt *each = vt__loop(c, i, zero, vt__int(c, o->updates), te_stmt_let(c, row, vt__load(c, at, i), set));
    te_tensor *y;
    te_extern(c, "rows", NULL, 3, in, (te_buffer *[]){x, at, updates}, 1, &to, vt__steps(c, copy, each), &y);
    *parts = (vt_kernel_parts){{in[0], in[1], in[2]}, {y}, 3, 1};
}

vta_status vt_host_scatter_kernel(const vt_host *host, const vt_host_scatter *o, vtac_kernel **out_kernel) {
    char key[160];
    snprintf(key, sizeof key, "scatter %s %d %" PRId64 " %" PRId64 " %" PRId64, o->type, (int)o->how, o->rows, o->width,
             o->updates);
    return vt__host_made(host, "scatter", key, make_scatter, o, out_kernel);
}
