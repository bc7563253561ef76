#include "timing.h"

#include <time.h>

enum { BATCHES = 7 };

double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double best_seconds(int (*work)(void *arg), void *arg) {
    double start = now_seconds();
    if (!work(arg)) return -1;
    double first = now_seconds() - start, best = first;
    int calls = first < 0.02 ? (int)(0.02 / (first > 1e-6 ? first : 1e-6)) + 1 : 1;
    int batches = first > 1.0 ? 0 : BATCHES; /* what takes seconds is not repeated */
    for (int b = 0; b < batches; b++) {
        start = now_seconds();
        for (int i = 0; i < calls; i++)
            if (!work(arg)) return -1;
        double seconds = (now_seconds() - start) / calls;
        if (seconds < best) best = seconds;
    }
    return best;
}
