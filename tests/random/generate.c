#include "random/generate.h"

#include "random/compute.h"
#include "random/machine.h"
#include "random/schedule.h"

enum { MAX_ELEMENTS = 60000 };

void generate(choices *c, program *out) {
    machine m;
    footprint need;
    *out = (program){0};
    machine_choose(c, &m, out);
    compute_choose(c, out);
    schedule_choose(c, out, &need);
    machine_finish(c, &m, &need, out);
    for (int i = 0; i < out->n; i++)
        if (out->nodes[i].used && node_elements(&out->nodes[i]) > MAX_ELEMENTS) out->too_large = true;
}
