/* Any bytes as the choices of a random program for the accelerator (tests/random): it computes what the reference says,
 * in three orders and without a race, or it is refused when it is built. `random_programs --shrink --bytes FILE` shows
 * what a finding is. */
#include <stdio.h>
#include <stdlib.h>

#include "random/generate.h"
#include "random/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static choices c;
    static program p;
    result r;
    choices_from_bytes(&c, data, size);
    generate(&c, &p);
    if (p.too_large) return 0;
    run(&p, 1, &r);
    if (r.outcome == OUTCOME_RIGHT || r.outcome == OUTCOME_REFUSED) return 0;
    fprintf(stderr, "%s: %s\n", outcome_names[r.outcome], r.text);
    abort();
}
