/* Joining neighbours, the most urgent first: a queue of pairs, of which some are outdated when their turn comes. */
#include <string.h>

#include "text/text.h"

typedef struct pair {
    double urge;
    uint32_t left, right;
    uint32_t left_size, right_size; /* when it was found: neighbours that grew since are others */
    int32_t token;
} pair;

typedef struct queue {
    const vta_tokenizer *t;
    vt_symbol *symbols;
    vt_join *join;
    pair *item; /* a heap */
    size_t count, cap;
} queue;

static bool is_before(const pair *a, const pair *b) {
    return a->urge > b->urge || (a->urge == b->urge && a->left < b->left);
}

static bool push(queue *q, const pair *p) {
    if (!vt_reserve(&q->t->allocator, &q->item, &q->cap, q->count + 1, sizeof *q->item)) return false;
    size_t at = q->count++;
    for (; at && is_before(p, &q->item[(at - 1) / 2]); at = (at - 1) / 2) q->item[at] = q->item[(at - 1) / 2];
    q->item[at] = *p;
    return true;
}

static pair pop(queue *q) {
    pair top = q->item[0], last = q->item[--q->count];
    size_t at = 0;
    for (;;) {
        size_t next = 2 * at + 1;
        if (next >= q->count) break;
        if (next + 1 < q->count && is_before(&q->item[next + 1], &q->item[next])) next++;
        if (!is_before(&q->item[next], &last)) break;
        q->item[at] = q->item[next];
        at = next;
    }
    q->item[at] = last;
    return top;
}

static bool consider(queue *q, uint32_t left, uint32_t right) {
    if (left == UINT32_MAX || right == UINT32_MAX) return true;
    const vt_symbol *a = &q->symbols[left], *b = &q->symbols[right];
    if (a->fixed || b->fixed) return true;
    pair p = {.left = left, .right = right, .left_size = a->size, .right_size = b->size};
    p.token = q->join(q->t, a, b, &p.urge);
    return p.token < 0 || push(q, &p);
}

static bool apply(queue *q, const pair *p) {
    vt_symbol *a = &q->symbols[p->left], *b = &q->symbols[p->right];
    if (a->size != p->left_size || b->size != p->right_size || a->after != p->right) return true;
    a->size += b->size;
    a->token = p->token;
    a->after = b->after;
    b->size = 0;
    if (a->after != UINT32_MAX) q->symbols[a->after].before = p->left;
    return consider(q, a->before, p->left) && consider(q, p->left, a->after);
}

vta_status vt__text_join(const vta_tokenizer *t, vt_symbol *symbols, uint32_t count, vt_join *join, vta_diag *diag) {
    queue q = {.t = t, .symbols = symbols, .join = join};
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) {
        symbols[i].before = i ? i - 1 : UINT32_MAX;
        symbols[i].after = i + 1 < count ? i + 1 : UINT32_MAX;
    }
    for (uint32_t i = 0; i + 1 < count && ok; i++) ok = consider(&q, i, i + 1);
    while (ok && q.count) {
        pair p = pop(&q);
        ok = apply(&q, &p);
    }
    vt_free(&t->allocator, q.item, q.cap * sizeof *q.item);
    return ok ? VTA_OK : vt_no_memory(diag);
}

int32_t vt__text_join_scored(const vta_tokenizer *t, const vt_symbol *left, const vt_symbol *right, double *out_urge) {
    int32_t token = vt__text_find(t, left->bytes, (size_t)left->size + right->size);
    if (token >= 0) *out_urge = (double)t->pieces[token].score;
    return token;
}
