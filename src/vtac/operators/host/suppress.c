/* Boxes that no better one of their class overlaps. Those that are left lie in a list, in their order; the best one is
 * taken out, and one walk through the list drops what it overlaps and finds the next best one. So a class takes as many
 * walks as boxes are kept, over fewer boxes each time. */
#include <math.h>

#include "operators/host/statements.h"

/* What the walks change: places of `state`. */
enum { ROWS, LEFT, BEST, KEPT, STATE };

typedef struct walk {
    te_context *c;
    const vt_host_suppress *o;
    te_buffer *boxes, *scores, *found, *list, *state;
    te_expr *image, *class;
} walk;

static te_expr *get(const walk *w, int64_t what) { return vt__load(w->c, w->state, vt__int(w->c, what)); }
static const vtac_stmt *set(const walk *w, int64_t what, te_expr *value) {
    return vt__store(w->c, w->state, value, vt__int(w->c, what));
}
static const vtac_stmt *next(const walk *w, int64_t what) {
    return set(w, what, te_add(w->c, get(w, what), vt__int(w->c, 1)));
}

static te_expr *score(const walk *w, te_expr *box) { return vt__load(w->c, w->scores, w->image, w->class, box); }

/* Box `i` stays in the list, at place `to` of the state; it may be the best one. */
static const vtac_stmt *keep(const walk *w, te_expr *i, int64_t to) {
    te_context *c = w->c;
    te_expr *none = vt__op(c, LT, get(w, BEST), vt__int(c, 0));
    te_expr *better = vt__op(c, GT, score(w, i), score(w, vt__op(c, MAX, get(w, BEST), vt__int(c, 0))));
    return vt__steps(c, te_stmt_if(c, vt__op(c, OR, none, better), set(w, BEST, i), NULL),
                     vt__store(c, w->list, i, get(w, to)), next(w, to));
}

/* All boxes of a class whose score is large enough. */
static const vtac_stmt *begin(const walk *w) {
    te_context *c = w->c;
    te_expr *i = vt__index(c, "i"), *of = score(w, i);
    te_expr *enough =
        isinf(w->o->score) ? vt__op(c, EQ, of, of) : vt__op(c, GT, of, te_float(c, "float32", w->o->score));
    return vt__steps(
        c, set(w, LEFT, vt__int(c, 0)), set(w, BEST, vt__int(c, -1)),
        vt__loop(c, i, vt__int(c, 0), vt__int(c, w->o->boxes), te_stmt_if(c, enough, keep(w, i, LEFT), NULL)));
}

/* The two ends of a box along an axis. */
static void ends(const walk *w, te_expr *box, int64_t axis, te_expr **low, te_expr **high) {
    te_context *c = w->c;
    te_expr *a = vt__load(c, w->boxes, w->image, box, vt__int(c, axis));
    te_expr *b = vt__load(c, w->boxes, w->image, box, vt__int(c, axis + 2));
    if (w->o->centered) {
        te_expr *half = te_mul(c, b, te_float(c, "float32", 0.5)), *middle = a;
        a = te_sub(c, middle, half), b = te_add(c, middle, half);
    }
    *low = vt__op(c, MIN, a, b), *high = vt__op(c, MAX, a, b);
}

/* Do two boxes overlap by more than the limit? Boxes without an area never do. */
static te_expr *overlap(const walk *w, te_expr *i, te_expr *j) {
    te_context *c = w->c;
    te_expr *zero = te_float(c, "float32", 0), *meet = NULL, *common = NULL, *first = NULL, *second = NULL;
    for (int64_t axis = 0; axis < 2; axis++) {
        te_expr *low[2], *high[2];
        ends(w, i, axis, &low[0], &high[0]);
        ends(w, j, axis, &low[1], &high[1]);
        te_expr *side = te_sub(c, vt__op(c, MIN, high[0], high[1]), vt__op(c, MAX, low[0], low[1]));
        te_expr *more = vt__op(c, GT, vt__op(c, MIN, high[0], high[1]), vt__op(c, MAX, low[0], low[1]));
        te_expr *a = te_sub(c, high[0], low[0]), *b = te_sub(c, high[1], low[1]);
        meet = axis ? vt__op(c, AND, meet, more) : more;
        common = axis ? te_mul(c, common, side) : side;
        first = axis ? te_mul(c, first, a) : a;
        second = axis ? te_mul(c, second, b) : b;
    }
    te_expr *all = te_sub(c, te_add(c, first, second), common);
    te_expr *share = vt__op(c, GT, vt__op(c, DIV, common, all), te_float(c, "float32", w->o->iou));
    te_expr *areas = vt__op(c, AND, vt__op(c, GT, first, zero),
                            vt__op(c, AND, vt__op(c, GT, second, zero), vt__op(c, GT, all, zero)));
    return vt__op(c, AND, meet, vt__op(c, AND, areas, share));
}

static const vtac_stmt *row(const walk *w, te_expr *box) {
    te_context *c = w->c;
    te_expr *at = te_add(c, get(w, ROWS), vt__int(c, 1));
    return vt__steps(c, vt__store(c, w->found, w->image, at, vt__int(c, 0)),
                     vt__store(c, w->found, w->class, at, vt__int(c, 1)),
                     vt__store(c, w->found, box, at, vt__int(c, 2)), next(w, ROWS));
}

/* Takes the best box out of the list, if there is one. */
static const vtac_stmt *take(const walk *w) {
    te_context *c = w->c;
    te_expr *best = vt__index(c, "best"), *t = vt__index(c, "t"), *i = vt__index(c, "i"), *left = vt__index(c, "left");
    te_expr *stays = vt__op(c, AND, vt__op(c, NE, i, best), vt__op(c, NOT, overlap(w, i, best)));
    const vtac_stmt *each = te_stmt_let(c, i, vt__load(c, w->list, t), te_stmt_if(c, stays, keep(w, i, KEPT), NULL));
    const vtac_stmt *all = te_stmt_let(c, left, get(w, LEFT), vt__loop(c, t, vt__int(c, 0), left, each));
    const vtac_stmt *body = vt__steps(c, row(w, best), set(w, BEST, vt__int(c, -1)), set(w, KEPT, vt__int(c, 0)), all,
                                      set(w, LEFT, get(w, KEPT)));
    return te_stmt_let(c, best, get(w, BEST), te_stmt_if(c, vt__op(c, GE, best, vt__int(c, 0)), body, NULL));
}

/* The first row, and those behind the last box. */
static const vtac_stmt *finish(const walk *w, int64_t rows) {
    te_context *c = w->c;
    te_expr *r = vt__index(c, "r"), *j = vt__index(c, "j"), *first = vt__index(c, "first");
    const vtac_stmt *none = vt__loop(c, j, vt__int(c, 0), vt__int(c, 3), vt__store(c, w->found, vt__int(c, -1), r, j));
    te_expr *after = te_add(c, get(w, ROWS), vt__int(c, 1));
    const vtac_stmt *rest = te_stmt_let(c, first, after, vt__loop(c, r, first, vt__int(c, 1 + rows), none));
    te_expr *zero = vt__int(c, 0);
    return vt__steps(c, vt__store(c, w->found, get(w, ROWS), zero, zero),
                     vt__store(c, w->found, zero, zero, vt__int(c, 1)),
                     vt__store(c, w->found, zero, zero, vt__int(c, 2)), rest);
}

static void make(te_context *c, const void *user, vt_kernel_parts *parts) {
    const vt_host_suppress *o = user;
    const int64_t k = o->k < o->boxes ? o->k : o->boxes, rows = o->images * o->classes * k;
    const int64_t boxes[] = {o->images, o->boxes, 4}, scores[] = {o->images, o->classes, o->boxes};
    const int64_t found[] = {1 + rows, 3}, state[] = {STATE};
    te_tensor *x = vt__input(c, "boxes", "float32", 3, boxes), *s = vt__input(c, "scores", "float32", 3, scores), *y;
    walk w = {.c = c,
              .o = o,
              .boxes = vt__buffer(c, "b", "float32", 3, boxes),
              .scores = vt__buffer(c, "s", "float32", 3, scores),
              .found = vt__buffer(c, "y", "int64", 2, found),
              .list = vt__buffer(c, "list", "int64", 1, &o->boxes),
              .state = vt__buffer(c, "state", "int64", 1, state),
              .image = vt__index(c, "image"),
              .class = vt__index(c, "class")};
    te_expr *turn = vt__index(c, "turn"), *zero = vt__int(c, 0);
    const vtac_stmt *of_class = vt__steps(c, begin(&w), vt__loop(c, turn, zero, vt__int(c, k), take(&w)));
    const vtac_stmt *classes = vt__loop(c, w.class, zero, vt__int(c, o->classes), of_class);
    const vtac_stmt *images = vt__loop(c, w.image, zero, vt__int(c, o->images), classes);
    const vtac_stmt *all = vt__steps(c, set(&w, ROWS, zero), images, finish(&w, rows));
    all = te_stmt_allocate(c, w.list, te_stmt_allocate(c, w.state, all));
    te_extern(c, "found", NULL, 2, (te_tensor *[]){x, s}, (te_buffer *[]){w.boxes, w.scores}, 1, &w.found, all, &y);
    *parts = (vt_kernel_parts){{x, s}, {y}, 2, 1};
}

vta_status vt_host_suppress_kernel(const vt_host *host, const vt_host_suppress *o, vtac_kernel **out_kernel) {
    char key[256];
    snprintf(key, sizeof key, "suppress %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %a %a %d", o->images,
             o->classes, o->boxes, o->k, o->iou, o->score, o->centered);
    return vt__host_made(host, "suppress", key, make, o, out_kernel);
}
