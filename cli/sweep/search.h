/* Which machines of a space to compute, where it has more than can be computed: a search for several objectives at
 * once, by generations (non-dominated sorting with crowding distances; K. Deb and others, A fast and elitist
 * multiobjective genetic algorithm: NSGA-II, 2002). Each generation depends on the space, the seed and the results of
 * those before it, so a search that is started again makes the same choices, whoever computed the results. */
#ifndef CLI_SWEEP_SEARCH_H
#define CLI_SWEEP_SEARCH_H

#include "report.h"
#include "space.h"

enum { SWEEP_GENERATION = 64 }; /* machines at most */

typedef struct sweep_search {
    const sweep_space *space;
    objectives by;
    uint64_t budget;    /* machines in all */
    uint64_t random;    /* state of the generator: the seed at first */
    uint64_t *machines; /* chosen, in their order */
    size_t count, capacity;
    uint64_t *table; /* of machine + 1, by hash, with open addresses; 0: free. Twice `capacity` */
    uint64_t parents[SWEEP_GENERATION];
    size_t parent_count;
} sweep_search;

/* Sums over the subjects of a machine; false: it was refused. */
typedef bool sweep_search_values(void *context, uint64_t machine, double out_values[OBJECTIVE_COUNT]);

/* Adds the next generation to `machines`; *out_more false: there is none. `values` is asked for machines of earlier
 * generations. */
vta_status sweep_search_next(sweep_search *search, sweep_search_values *values, void *context, bool *out_more);
void sweep_search_free(sweep_search *search);

#endif
