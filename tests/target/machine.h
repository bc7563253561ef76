/* Functions as lowering makes them, of tasks, transfers and micro-kernels, for the last check. */
#ifndef TESTS_TARGET_MACHINE_H
#define TESTS_TARGET_MACHINE_H

#include "lower/vta/verify.h"
#include "lower/vta/vta.h"
#include "pass/one.h"

static vta_config *config;

static inline int make_config(void **state) {
    (void)state;
    config = vta_config_default();
    return config ? 0 : -1;
}
static inline int drop_config(void **state) {
    (void)state;
    vta_config_release(config);
    return 0;
}

/* The parameters of a function: inputs, weights, accumulators, results, each of 64 elements. */
typedef struct tensors {
    const vt_buffer *inp, *wgt, *acc, *out;
} tensors;

static one *now; /* what is being built, its tensors, and the axis of tasks */
static tensors dram;
static const vt_iter *axis;

#define C (&now->ctx)
static inline const vt_expr *num(int64_t value) { return vt_i32(C, value); }
static inline const vt_var *var(const char *name) { return vt_var_new(C, name, VT_I32); }
static inline const vt_stmt *loop(const vt_var *v, int64_t extent, const vt_stmt *body) {
    return vt_s_for(C, v, num(0), num(extent), VT_FOR_SERIAL, body);
}
static inline const vt_stmt *task(vta_stage stage, const vt_stmt *body) {
    return vt_s_attr(C, vt_ref_iter(axis), VT_ATTR_TASK, num(stage), body);
}

static inline const vt_stmt *sequence(const vt_stmt *const items[]) {
    uint32_t n = 0;
    while (items[n]) n++;
    return vt_s_seq(C, n, items);
}
#define SEQ(...) sequence((const vt_stmt *const[]){__VA_ARGS__, NULL})

static inline const vt_stmt *push(int from, int to) {
    return vt__call(C, VT_OP_VTA_COPROC_DEP_PUSH, 2, (const vt_expr *const[]){num(from), num(to)});
}
static inline const vt_stmt *pop(int from, int to) {
    return vt__call(C, VT_OP_VTA_COPROC_DEP_POP, 2, (const vt_expr *const[]){num(from), num(to)});
}
static inline const vt_stmt *synchronize(void) { return vt__call(C, VT_OP_VTA_COPROC_SYNC, 0, NULL); }

typedef struct load {
    const vt_expr *data, *offset, *x, *y, *stride, *pad[4], *sram, *memory;
} load;

static inline load whole(const vt_buffer *b, vta_memory memory) {
    load l = {.data = b->data, .memory = num(memory)};
    const vt_expr **numbers[] = {&l.offset, &l.pad[0], &l.pad[1], &l.pad[2], &l.pad[3], &l.sram};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) *numbers[i] = num(0);
    l.x = l.stride = num(16);
    l.y = num(4);
    return l;
}

static inline const vt_stmt *load_of(load l) {
    const vt_expr *a[] = {vt__command_handle(C),
                          l.data,
                          l.offset,
                          l.x,
                          l.y,
                          l.stride,
                          l.pad[0],
                          l.pad[1],
                          l.pad[2],
                          l.pad[3],
                          l.sram,
                          l.memory};
    return vt__extern(C, "VTALoadBuffer2D", 12, a);
}

static inline const vt_stmt *store_of(load l) { /* pads nothing */
    const vt_expr *a[] = {vt__command_handle(C), l.sram, l.memory, l.data, l.offset, l.x, l.y, l.stride};
    return vt__extern(C, "VTAStoreBuffer2D", 8, a);
}

static inline const vt_stmt *uop(int mode, int reset, const vt_expr *dst, const vt_expr *src, const vt_expr *wgt,
                                 int opcode, int use_imm, int imm) {
    const vt_expr *a[] = {num(mode), num(reset), dst, src, wgt, num(opcode), num(use_imm), num(imm)};
    return vt__call(C, VT_OP_VTA_UOP_PUSH, 8, a);
}
static inline const vt_stmt *add_imm(const vt_expr *dst, const vt_expr *src) {
    return uop(1, 0, dst, src, num(0), VTA_ALU_ADD, 1, 7);
}
static inline const vt_stmt *begin(const vt_expr *extent, int64_t dst, int64_t src, int64_t wgt) {
    return vt__extern(C, "VTAUopLoopBegin", 4, (const vt_expr *const[]){extent, num(dst), num(src), num(wgt)});
}
static inline const vt_stmt *end(void) { return vt__extern(C, "VTAUopLoopEnd", 0, NULL); }
static inline const vt_stmt *scope_of(const char *call, const vt_stmt *body) {
    return vt_s_attr(C, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(C, call), body);
}
static inline const vt_stmt *alu(const vt_stmt *body) { return scope_of(VT_PUSH_ALU, body); }
static inline const vt_stmt *gemm(const vt_stmt *body) { return scope_of(VT_PUSH_GEMM, body); }

/* A task and the synchronization. */
static inline const vt_stmt *only(vta_stage stage, const vt_stmt *body) {
    return SEQ(task(stage, body), synchronize());
}
static inline const vt_stmt *loads(load l, vta_stage stage) { return only(stage, load_of(l)); }
static inline const vt_stmt *computes(const vt_stmt *kernel) { return only(VTA_STAGE_COMPUTE, kernel); }

/* ---- Checking them ------------------------------------------------------------------------------------------- */

typedef struct verify_case {
    const vt_stmt *(*build)(void);
    const char *rule; /* NULL: none is broken */
    const char *says;
} verify_case;

static inline const vt_buffer *parameter(vt_func *f, uint32_t i, const char *name, uint8_t bits, int64_t scalars) {
    const vt_expr *shape = num(64 * scalars);
    vt_dtype type = VT_DTYPE(VT_INT, bits, 1);
    const vt_buffer *b = vt_buffer_new(C, name, vt_var_new_pointer(C, name, type, "global"), type, 1, &shape);
    vt_binding *bindings = (vt_binding *)f->bindings;
    bindings[i] = (vt_binding){.param = vt_var_new(C, name, VT_HANDLE_T), .buffer = b};
    return b;
}

static uint32_t undecided;
static const verify_case *current;

static inline const vt_func *verify(vt_lowering *l, const vt_func *f) {
    vt_func *with = VT_NEW(l->ctx, vt_func);
    *with = *f;
    with->n_bindings = 4;
    with->bindings = VT_NEW_ARRAY(l->ctx, vt_binding, 4);
    dram.inp = parameter(with, 0, "inp", 8, 16);
    dram.wgt = parameter(with, 1, "wgt", 8, 256);
    dram.acc = parameter(with, 2, "acc", 32, 16);
    dram.out = parameter(with, 3, "out", 8, 16);
    axis = vt_iter_new(l->ctx, var("vta"), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    with->body = current->build();
    undecided = vt__verify_machine(l->ctx, config, with);
    return with;
}

static inline const vt_stmt *nothing(one *o) { return vt_s_nop(&o->ctx); }

/* Neither broken nor untold, or broken so. */
static inline void check_case(const verify_case *c, size_t i) {
    one o = {.options = {.config = config}};
    now = &o;
    current = c;
    vta_status status = one_run(&o, verify, nothing);
    const char *text = vta_diag_text(o.diag);
    if (!c->rule) {
        if (status != VTA_OK) fail_msg("case %zu: %s", i, text);
        if (undecided) fail_msg("case %zu: %u rules untold", i, undecided);
    } else {
        char rule[64];
        snprintf(rule, sizeof rule, "Rule %s (", c->rule);
        if (status != VTA_INTERNAL) fail_msg("case %zu, %s: %s", i, c->says, vta_status_text(status));
        assert_contains(text, rule);
        assert_contains(text, c->says);
        assert_contains(text, "Suspected: ");
        assert_contains(text, "Please report this with the kernel file");
    }
    one_end(&o);
}

#endif
