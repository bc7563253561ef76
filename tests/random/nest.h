/* The loops of one stage while its schedule is made, and how much of each axis they cover. */
#ifndef RANDOM_NEST_H
#define RANDOM_NEST_H

#include "random/program.h"

enum { MAX_LOOPS = 24, MAX_AXES = 12 };

typedef struct loop {
    char name[16];
    int axis, stride, count; /* of the stage's own axis: count steps of stride */
    bool bound;              /* to a virtual thread */
} loop;

typedef struct nest {
    node *stage;
    int n;
    loop loops[MAX_LOOPS];
    int extent[MAX_AXES];
    int single; /* of a REDUCE with one result: the loop in which its data must be loaded; -1: any */
} nest;

void say(node *stage, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A loop over a whole axis, by its number; at the end. */
void nest_add(nest *n, int axis, const char *name);
/* Splits a loop, by a factor or into so many parts; the outer comes before the inner. */
void nest_split(nest *n, int at, int number, bool into, const char *outer, const char *inner);
/* Moves a loop. */
void nest_move(nest *n, int from, int to);
/* The reorder step that makes the order true. */
void nest_say_order(const nest *n);
/* Elements of an axis that are covered inside of loop `level`; -1: all. */
int nest_covered(const nest *n, int axis, int level);

#endif
