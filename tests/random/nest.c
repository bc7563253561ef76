#include "random/nest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void say(node *stage, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    if (stage->n_steps == MAX_STEPS || vsnprintf(stage->steps[stage->n_steps++], STEP_LENGTH, fmt, args) >= STEP_LENGTH)
        abort();
    va_end(args);
}

void nest_add(nest *n, int axis, const char *name) {
    loop *l = &n->loops[n->n++];
    *l = (loop){.axis = axis, .stride = 1, .count = n->extent[axis]};
    snprintf(l->name, sizeof l->name, "%s", name);
}

void nest_split(nest *n, int at, int number, bool into, const char *outer, const char *inner) {
    loop whole = n->loops[at];
    int other = (whole.count + number - 1) / number, in = into ? other : number;
    say(n->stage, "split %s %s %d -> %s, %s", whole.name, into ? "into" : "by", number, outer, inner);
    memmove(&n->loops[at + 1], &n->loops[at], (size_t)(n->n++ - at) * sizeof *n->loops);
    n->loops[at] = (loop){.axis = whole.axis, .stride = whole.stride * in, .count = into ? number : other};
    n->loops[at + 1] = (loop){.axis = whole.axis, .stride = whole.stride, .count = in};
    snprintf(n->loops[at].name, sizeof whole.name, "%s", outer);
    snprintf(n->loops[at + 1].name, sizeof whole.name, "%s", inner);
}

void nest_move(nest *n, int from, int to) {
    loop l = n->loops[from];
    memmove(&n->loops[from], &n->loops[from + 1], (size_t)(n->n - 1 - from) * sizeof l);
    memmove(&n->loops[to + 1], &n->loops[to], (size_t)(n->n - 1 - to) * sizeof l);
    n->loops[to] = l;
}

void nest_say_order(const nest *n) {
    char names[STEP_LENGTH] = "";
    for (int i = 0; i < n->n; i++) {
        strcat(names, i ? ", " : "");
        strcat(names, n->loops[i].name);
    }
    say(n->stage, "reorder %s", names);
}

int nest_covered(const nest *n, int axis, int level) {
    int size = 1;
    for (int i = level + 1; i < n->n; i++)
        if (n->loops[i].axis == axis) size += (n->loops[i].count - 1) * n->loops[i].stride;
    return size < n->extent[axis] ? size : n->extent[axis];
}
