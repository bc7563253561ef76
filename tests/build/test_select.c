/* Operations of the ALU under conditions: loops that a condition depends on, tiles in which it always or never holds,
 * on several machines, in several orders, race-free and equal to the meaning of the kernel bit for bit. */
#include <stddef.h>
#include <stdio.h>

#include "support/check.h"

#include "build/programs.h"

enum { CASES = 60, DEEP = 16 };

static int pick(check_random *r, int least, int most) { return (int)check_between(r, least, most); }

static void draw(check_random *r, char *params, size_t size) {
    int h = pick(r, 1, 7), w = pick(r, 1, 7), p = pick(r, 0, 2), q = pick(r, 0, 2);
    snprintf(params, size, "c=%d h=%d w=%d y=%d x=%d threads=%d p=%d q=%d r=%d t=%d u=%d dy=%d dx=%d", pick(r, 1, 3), h,
             w, pick(r, 1, h), pick(r, 1, w), pick(r, 1, 2), p, q, pick(r, -1, p * h + q * w), pick(r, 0, w + 1),
             pick(r, 0, p * h + q * w + 1), pick(r, 0, 2), pick(r, 0, 2));
}

static void run(uint64_t seed, const char *file, const char *params, const shape *s, int *conditional) {
    machine m;
    vt_strbuf trace;
    machine_config(&m, s);
    need(&m, vtac_kernel_load(file, params, m.config, NULL, m.diag, &m.kernel), params);
    const vtac_lower_options lower = {.config = m.config, .verify = 1};
    need(&m, vtac_kernel_lower(m.kernel, &lower, &m.func), params);
    char *text;
    need(&m, vtac_func_print(m.func, VTAC_STYLE_PRIMFN, m.diag, &text), params);
    *conditional += strstr(text, "if (") != NULL;
    vta_string_free(text);
    const vtac_build_func f = {.func = m.func};
    need(&m, vtac_build(1, &f, &(vtac_build_options){.target = "vta", .trace = 1}, m.diag, &m.module), params);
    need(&m, vtac_module_function(m.module, vtac_func_name(m.func), m.diag, &m.call), params);
    vt_strbuf_init(&trace, NULL);
    machine_check(&m, params, VTA_ORDER_RANDOM, seed, &trace);
    vt_strbuf_free(&trace);
    machine_close(&m);
}

TEST_CASE(test_random) {
    int conditional = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_random r = {.state = seed * 2654435761u + 1};
        char params[256];
        draw(&r, params, sizeof params);
        run(seed, "tests/build/vta/select.te", params, &shapes[seed % SHAPES], &conditional);
    }
    print_message("%d of %d kernels have conditions\n", conditional, CASES);
    if (conditional < CASES / 4) fail_msg("%d of %d kernels have conditions", conditional, CASES);
}

/* More loops than the hardware has, that cannot be joined, under conditions that hold for all of them or none. */
TEST_CASE(test_deep) {
    int conditional = 0;
    for (uint64_t seed = 0; seed < DEEP; seed++) {
        check_random r = {.state = seed * 2654435761u + 1};
        char params[256];
        int s = pick(&r, 2, 4), first = pick(&r, 0, 2);
        snprintf(params, sizeof params, "s=%d k=%d i=%d j=%d l=%d first=%d last=%d", s, pick(&r, 1, 3), pick(&r, 1, 3),
                 pick(&r, 1, 3), pick(&r, 1, 3), first, first + pick(&r, 0, 2));
        run(seed, "tests/build/vta/select_deep.te", params, &shapes[seed % SHAPES], &conditional);
    }
    if (conditional < DEEP / 2) fail_msg("%d of %d kernels have conditions", conditional, DEEP);
}

int main(void) { return run_cases(); }
