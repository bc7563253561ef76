/* What the parts of schedule.c share: the program whose schedule is being made, and who does what. */
#ifndef RANDOM_STAGES_H
#define RANDOM_STAGES_H

#include "random/choices.h"
#include "random/machine.h"
#include "random/nest.h"

enum { ROOT = -1, MAX_GROUPS = 8, MAX_REDUCES = 16 };

/* The loops of one result, and how far out those go that tiles begin in. */
typedef struct group {
    nest nest;
    int outer;        /* loops outside of the tiles */
    int first_inside; /* first loop inside of the threads */
    int fused;        /* the first of two outer loops that are one, 0: none */
} group;

/* An ALU stage with a loop of its own around the operation, and what is inside of it. */
typedef struct own_loop {
    bool is;
    int axis, size[MAX_DIMS];
} own_loop;

typedef struct maker {
    choices *c;
    program *p;
    int n_groups, stores[MAX_GROUPS];
    group groups[MAX_GROUPS];
    int n_reduces, reduce_of[MAX_NODES];
    nest reduces[MAX_REDUCES]; /* of REDUCE stages */
    own_loop own[MAX_NODES];
    int needs[MAX_NODES][MAX_DIMS]; /* place.c */
    footprint need;
} maker;

static inline node *at(maker *m, int i) { return &m->p->nodes[i]; }
group *group_of(maker *m, const node *t);

/* ---- place.c: which result needs what, and where it is computed ---- */

bool uses(const node *user, int i);
/* The result that alone needs a tensor; ROOT when there are several, or when it cannot be computed in tiles. */
void choose_group(maker *m, int i);
/* In the nest of its result, no further in than what needs it; or by itself. */
void choose_level(maker *m, int i);
/* Extents of a stage as they are computed at loop `level` of its result's nest. */
void extents_at(maker *m, int which, int level, int *out);
/* How many buffers of their own threads have for what is computed at loop `level` of the node's result. */
int64_t copies(maker *m, const node *t, int level);
/* Says where a stage of the accumulator is computed, and its scope; what it holds there. */
void place_in_acc(maker *m, int i, int *part);
const char *scope_of(const node *t);

/* ---- results.c: tiles and virtual threads ---- */

void schedule_store(maker *m, int i);

/* ---- marks.c: the axis from which on a copy is one transfer ---- */

void mark_store(maker *m, int i);
void mark_load(maker *m, int i, const int *part);

/* ---- reduces.c: matrix multiplications and convolutions, and the loads for them ---- */

void schedule_reduce(maker *m, int i);
void schedule_operand(maker *m, int i, int user);

#endif
