/* The monotonic clock: differences of its readings are durations, whatever happens to the time of day. */
#ifndef VT_BASE_CLOCK_H
#define VT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t vt_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* In seconds. */
static inline double vt_now(void) { return (double)vt_now_ns() * 1e-9; }

#endif
