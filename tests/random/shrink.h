/* The simplest program that fails in the same way, of any sort that is made from a list of choices. */
#ifndef RANDOM_SHRINK_H
#define RANDOM_SHRINK_H

#include "random/choices.h"
#include "random/run.h"

typedef struct shrink_sort {
    /* Makes a program of the choices, as the one on trial; false: not one to try. */
    bool (*make)(void *user, choices *c);
    /* Runs the one on trial, in a process of its own. */
    void (*run)(void *user, result *out);
    /* It fails in the same way: it is the best so far. */
    void (*take)(void *user);
    void *user;
} shrink_sort;

/* Replaces the list of choices and its result by simpler ones with the same outcome (and for a refusal or an error the
 * same reason), trying at most `trials` programs. */
void shrink(choices *c, const shrink_sort *sort, result *found, int trials);

#endif
