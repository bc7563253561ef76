/* What the examples on the runtime share: a start, an end, random contents, and the statistics. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vta/runtime.h"

/* The default hardware shape (docs/spec.md, section 1), which the examples are written for: elements of 1 x 16 inputs,
 * 16 x 16 weights, 1 x 16 accumulators. */
enum { BATCH = 1, BLOCK_IN = 16, BLOCK_OUT = 16 };

/* Makes the process's runtime the simulator in its default shape, whatever vta_config.json lies around. */
static inline void example_begin(void) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config = vta_config_default();
    if (!config || vta_runtime_reconfigure(config, "sim", NULL, diag) != VTA_OK) {
        fprintf(stderr, "%s\n", vta_diag_text(diag));
        exit(1);
    }
    vta_config_release(config);
    vta_diag_destroy(diag);
}

/* A device buffer with the given contents; `from` NULL leaves the zeros it begins with. */
static inline void *device_buffer(const void *from, size_t bytes) {
    void *buffer = VTABufferAlloc(bytes);
    if (buffer && from) VTABufferCopy(from, 0, buffer, 0, bytes, 1 /* host to device */);
    return buffer;
}

/* Numbers from -limit to limit - 1, the same in every run. */
static inline int32_t random_number(int32_t limit) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((state >> 33) % (uint64_t)(2 * limit)) - limit;
}

/* Compares with what was expected, prints the statistics and the verdict; the program's exit code. */
static inline int example_end(const char *name, const int8_t *got, const int8_t *expected, size_t count) {
    const char *error = vta_last_error(VTATLSCommandHandle());
    if (error) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (got[i] == expected[i]) continue;
        fprintf(stderr, "%s: element %zu is %d, not %d\n", name, i, got[i], expected[i]);
        return 1;
    }
    vta_counters counters = vta_runtime_counters(NULL);
    char *text = vta_counters_to_text(&counters);
    printf("%sSuccessful %s test!\n", text ? text : "", name);
    vta_string_free(text);
    VTARuntimeShutdown();
    return 0;
}

#endif
