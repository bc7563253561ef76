/* The loop that decides how much of a tensor is held at a time: what to split where a buffer is too small. A stage
 * computes what its readers ask of it, so this is a loop of a reader, or of what reads that one, up to a stage that is
 * not computed inside of another. */
#include "te/schedule.h"

typedef struct search {
    const te_stage *reader, *read;
    uint32_t dim;
    const vt_iter *data, *reduce; /* the first axes found, of either sort */
} search;

static bool find_axis(void *user, const vt_expr *e) {
    search *s = user;
    const vt_operation *op = s->reader->op;
    for (uint32_t i = 0; e->kind == VT_E_VAR && i < op->n_axes + op->n_reduce; i++) {
        const vt_iter **found = i < op->n_axes ? &s->data : &s->reduce;
        if (op->iters[i]->var == e && !*found) *found = op->iters[i];
    }
    return true;
}

static bool find_read(void *user, const vt_expr *e) {
    search *s = user;
    const vt_operation *op = e->kind == VT_E_PLOAD ? te__op(e->u.tensor) : NULL;
    if (op && (op == s->read->op || op == s->read->origin) && s->dim < e->n) vt_expr_walk(e->a[s->dim], find_axis, s);
    return true;
}

/* The axis of a later stage that runs over a dimension of a stage's result; NULL where none does. */
static const vt_iter *reading_axis(const te_schedule *s, const te_stage *st, uint32_t dim,
                                   const te_stage **out_reader) {
    for (uint32_t i = te__stage_index(s, st) + 1; i < s->n_stages; i++) {
        search found = {.reader = s->stages[i], .read = st, .dim = dim};
        for (uint32_t k = 0; k < found.reader->op->n_outputs && !found.reader->op->placeholder; k++)
            vt_expr_walk(found.reader->op->bodies[k], find_read, &found);
        *out_reader = found.reader;
        if (found.data || found.reduce) return found.data ? found.data : found.reduce;
    }
    return NULL;
}

static const te_stage *stage_known_as(const te_schedule *s, const vt_operation *origin) {
    for (uint32_t i = 0; i < s->n_stages; i++)
        if (s->stages[i]->origin == origin) return s->stages[i];
    return NULL;
}

static uint32_t position(const vt_operation *op, const vt_iter *axis) {
    uint32_t i = 0;
    while (i < op->n_axes && op->iters[i] != axis) i++;
    return i;
}

const char *vt_te_tile_axis(const void *schedule, const vt_tensor *t, uint32_t dim) {
    const te_schedule *s = schedule;
    const te_stage *st = t->op ? stage_known_as(s, te__op(t)) : NULL, *reader;
    if (!st || dim >= st->op->n_axes) return NULL;
    const vt_iter *axis = st->op->iters[dim], *next;
    bool is_free = false; /* nothing that reads it decides how far the axis runs */
    while (!is_free && (next = reading_axis(s, st, position(st->op, axis), &reader))) {
        st = reader, axis = next;
        is_free = position(st->op, axis) == st->op->n_axes || st->attach == TE__ROOT;
    }
    return vt_new_format(&s->c->ctx, "%s of %s", vt_var_name(axis->var), st->origin->name);
}
