/* Wall time. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

double now_seconds(void);

/* Seconds of one call: the fastest of several batches, after one call to warm up. `work` returns 0 on failure; then the
 * result is negative. */
double best_seconds(int (*work)(void *arg), void *arg);

#endif
