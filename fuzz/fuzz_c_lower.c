/* Any schedule, with marks and scopes anywhere, lowered for the accelerator or the host: a result that is well
 * formed after every pass, or an error that says why. The bytes are choices: of bodies, steps and what they apply to.
 */
#include <stdint.h>
#include <stdlib.h>

#include "vta/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_STAGES = 5, MAX_STEPS = 24, LONGEST = 512 };

typedef struct choices {
    const uint8_t *data;
    size_t size;
} choices;

static uint32_t choose(choices *c, uint32_t n) {
    if (c->size == 0) return 0;
    c->size--;
    return *c->data++ % n;
}

typedef struct kernel {
    te_context *c;
    te_schedule *s;
    te_tensor *in[2 + MAX_STAGES];
    uint32_t n_in;
    te_tensor *stages[MAX_STAGES];
    uint32_t n;
} kernel;

static void build(kernel *k, choices *c) {
    static const char *const bodies[] = {"s[...]",          "s[...] + 1",       "s[...] >> 3",
                                         "max(s[...], 0)",  "min(s[...], 127)", "s[...] + B[...]",
                                         "s[...] * s[...]", "s[...] - B[...]",  "select(s[...] > 3, s[...], B[...])"};
    char name[8] = "s", body[128];
    int64_t shape[4] = {1 + choose(c, 5), 1 + choose(c, 9), 1, 16};
    k->in[k->n_in++] = te_placeholder(k->c, "s", "int32", 4, shape);
    k->in[k->n_in++] = te_placeholder(k->c, "B", "int32", 4, shape);
    uint32_t n = 2 + choose(c, MAX_STAGES - 2);
    te_tensor *from = k->in[0];
    for (uint32_t i = 0; i < n && from; i++) {
        uint32_t kind = choose(c, 12);
        /* each stage is called s, so that the next reads it */
        if (kind == 9) {
            int64_t pad[4] = {choose(c, 3), choose(c, 3), 0, 0};
            for (int d = 0; d < 4; d++) shape[d] += 2 * pad[d];
            from = te_pad(k->c, from, name, pad, NULL, 0);
            k->in[k->n_in++] = te_placeholder(k->c, "B", "int32", 4, shape);
        } else if (kind == 10) {
            te_reduce_axis(k->c, "k", 0, shape[1]);
            from = te_compute(k->c, name, 4, shape, "a, b, c, d", "sum[k](s[a, k, c, d] * B[a, b, c, d])");
        } else {
            const char *text = kind == 11 ? "int32(int8(s[...]))" : bodies[kind];
            size_t at = 0;
            for (; text[at] && at + 1 < sizeof body; at++) body[at] = text[at];
            body[at] = '\0';
            from = te_compute(k->c, name, 4, shape, NULL, body);
        }
        k->stages[k->n++] = from;
    }
}

static te_stage *any_stage(kernel *k, choices *c) {
    size_t n = te_schedule_stages(k->s);
    return n ? te_schedule_stage_at(k->s, choose(c, (uint32_t)n)) : NULL;
}

static te_axis *any_axis(te_stage *st, choices *c) {
    size_t leaves = te_stage_leaves(st);
    if (leaves && choose(c, 3)) return te_stage_leaf(st, choose(c, (uint32_t)leaves));
    size_t axes = te_stage_axes(st);
    return axes ? te_stage_axis(st, choose(c, (uint32_t)axes)) : NULL;
}

static void step(kernel *k, choices *c) {
    static const char *const pragmas[] = {"dma_copy",
                                          "alu",
                                          "skip_dma_copy",
                                          "skip_alu",
                                          "coproc_sync",
                                          "trim_loop",
                                          "unroll",
                                          "loop_partition_hint",
                                          "auto_unroll_max_step",
                                          "conv2d_transpose_gemm",
                                          "debug_skip_region"};
    static const char *const scopes[] = {"inp", "wgt", "acc", "global"};
    static const char *const tags[] = {"cthread", "vthread", "vta"};
    te_stage *st = any_stage(k, c), *other = any_stage(k, c);
    te_axis *axis = any_axis(st, c), *outer, *inner;
    switch (choose(c, 14)) {
    case 0: te_split(st, axis, 1 + choose(c, 17), &outer, &inner); break;
    case 1: te_split_nparts(st, axis, 1 + choose(c, 5), &outer, &inner); break;
    case 2: te_reorder(st, 2, (te_axis *[]){axis, any_axis(st, c)}); break;
    case 3: te_compute_at(st, other, any_axis(other, c)); break;
    case 4: te_compute_inline(st); break;
    case 5:
    case 6: te_set_scope(st, scopes[choose(c, 4)]); break;
    case 7:
    case 8: te_pragma(st, axis, pragmas[choose(c, 2)], NULL); break;
    case 9: te_pragma(st, axis, pragmas[choose(c, sizeof pragmas / sizeof *pragmas)], NULL); break;
    case 10: te_bind(st, axis, te_thread_axis(k->c, tags[choose(c, 3)])); break;
    case 11: te_vectorize(st, axis); break;
    case 12: te_unroll(st, axis); break;
    default: te_parallel(st, axis); break;
    }
    vta_diag_clear(te_context_diag(k->c)); /* refused steps change nothing */
}

static void check(kernel *k, const vtac_lower_options *options) {
    const vtac_func *f;
    vtac_arg args[3 + MAX_STAGES] = {{.tensor = k->stages[k->n - 1]}};
    for (uint32_t i = 0; i < k->n_in; i++) args[i + 1].tensor = k->in[i];
    vta_status status = vtac_lower(k->s, k->n_in + 1, args, "f", options, &f);
    if (status == VTA_INTERNAL || status == VTA_INVALID_ARGUMENT) abort(); /* a pass made something ill-formed */
    if (status != VTA_OK && vta_diag_status(te_context_diag(k->c)) == VTA_OK) abort(); /* an error without a message */
    vta_diag_clear(te_context_diag(k->c));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > LONGEST) return 0;
    choices c = {data, size};
    kernel k = {.c = te_context_create(NULL, NULL)};
    if (!k.c) return 0;
    build(&k, &c);
    if (te_context_status(k.c) == VTA_OK && k.n > 0) {
        k.s = te_schedule_create(k.c, 1, &k.stages[k.n - 1]);
        for (uint32_t i = choose(&c, MAX_STEPS); k.s && i > 0; i--) step(&k, &c);
        if (k.s) {
            check(&k, &(vtac_lower_options){.config = te_context_config(k.c), .verify = 1});
            check(&k, &(vtac_lower_options){.verify = 1});
        }
    }
    te_context_destroy(k.c);
    return 0;
}
