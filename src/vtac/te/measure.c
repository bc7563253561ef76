/* How deep and how large an expression is. Expressions share parts, but whatever walks them sees trees: sixty times
 * x = x + x is a small graph that expands to an exponentially large tree. */
#include "te/expr.h"

enum { DEEPEST = 3000, LARGEST = 1000000 };

typedef struct extent {
    uint32_t depth;
    uint32_t size;
} extent;

typedef struct visit {
    const vt_expr *e;
    uint32_t next;
    extent so_far;
} visit;

static void push(vt_ctx *ctx, visit **stack, uint32_t *n, uint32_t *cap, const vt_expr *e) {
    vt_grow(ctx, stack, cap, *n + 1, sizeof **stack);
    (*stack)[(*n)++] = (visit){e, 0, {1, 1}};
}

static void include(visit *parent, const extent *part) {
    if (part->depth + 1 > parent->so_far.depth) parent->so_far.depth = part->depth + 1;
    parent->so_far.size += part->size;
}

void te__measure(te_context *c, const vt_expr *e) {
    if (!e->n) return;
    vt_ctx *ctx = &c->ctx;
    vt_ptrmap *known = vt_ptrmap_new(ctx);
    visit *stack = NULL;
    uint32_t n = 0, cap = 0;
    push(ctx, &stack, &n, &cap, e);
    while (n) {
        visit *top = &stack[n - 1];
        if (top->so_far.depth > DEEPEST || top->so_far.size > LARGEST || n > DEEPEST)
            te__raise(
                c, VTA_OUT_OF_RANGE,
                "the expression is too large: nested %d deep, or %d operations when shared parts are counted each "
                "time; make tensors of its parts, not inlined ones",
                DEEPEST, LARGEST);
        if (top->next == top->e->n) {
            extent *done = VT_NEW(ctx, extent);
            *done = top->so_far;
            vt_ptrmap_set(known, top->e, done);
            if (--n) include(&stack[n - 1], done);
            continue;
        }
        const vt_expr *part = top->e->a[top->next++];
        const extent *seen = part->n ? vt_ptrmap_get(known, part) : &(extent){1, 1};
        if (seen)
            include(top, seen);
        else
            push(ctx, &stack, &n, &cap, part);
    }
}
