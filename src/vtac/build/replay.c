#include "build/replay.h"

#include <string.h>

#include "codegen/codegen.h"
#include "codegen/prepare.h"
#include "ir/build.h"
#include "ir/handle.h"
#include "ir/interp.h"
#include "ir/runtime_call.h"
#include "ir/visit.h"
#include "vta/runtime.h"

/* What a call has given a pointer to. */
typedef struct known {
    const void *pointer;
    size_t bytes;
} known;

typedef struct replay {
    vt_ctx *ctx;
    const vt_func *func;
    DLTensor *const *args;
    size_t count;
    bool share;         /* equal micro-kernels are one */
    vt_kernels kernels; /* those with a number so far */
    vt_ptrmap *sites;   /* micro-op scope -> where the runtime keeps its handle */
    uint32_t numbers;
    known *known;
    uint32_t known_count, known_cap;
} replay;

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

#define P(k) a[k].u.p
#define U(k) ((uint32_t)a[k].u.i)
#define I(k) ((int)a[k].u.i)

static void call_uop(const vt_value *a, vt_value *out) {
    (void)out;
    VTAUopPush(U(0), U(1), U(2), U(3), U(4), U(5), U(6), I(7));
}

static void call_begin(const vt_value *a, vt_value *out) {
    (void)out;
    VTAUopLoopBegin(U(0), U(1), U(2), U(3));
}

static void call_end(const vt_value *a, vt_value *out) {
    (void)a, (void)out;
    VTAUopLoopEnd();
}

static void call_load(const vt_value *a, vt_value *out) {
    (void)out;
    VTALoadBuffer2D(P(0), P(1), U(2), U(3), U(4), U(5), U(6), U(7), U(8), U(9), U(10), U(11));
}

static void call_store(const vt_value *a, vt_value *out) {
    (void)out;
    VTAStoreBuffer2D(P(0), U(1), U(2), P(3), U(4), U(5), U(6), U(7));
}

static void call_push(const vt_value *a, vt_value *out) { out->u.i = VTADepPush(P(0), I(1), I(2)); }
static void call_pop(const vt_value *a, vt_value *out) { out->u.i = VTADepPop(P(0), I(1), I(2)); }

static void call_sync(const vt_value *a, vt_value *out) {
    (void)out;
    VTASynchronize(P(0), U(1));
}

static void call_share(const vt_value *a, vt_value *out) {
    (void)out;
    VTAShareUops(P(0), I(1));
}

static void call_write_barrier(const vt_value *a, vt_value *out) {
    (void)out;
    VTAWriteBarrier(P(0), P(1), U(2), U(3), U(4));
}

static void call_read_barrier(const vt_value *a, vt_value *out) {
    (void)out;
    VTAReadBarrier(P(0), P(1), U(2), U(3), U(4));
}

static void call_handle(const vt_value *a, vt_value *out) {
    (void)a;
    out->u.p = VTATLSCommandHandle();
}

static void call_pointer(const vt_value *a, vt_value *out) { out->u.p = VTABufferCPUPtr(P(0), P(1)); }

/* Those that lowering makes, the most frequent first. */
static const struct {
    const char *name;
    uint32_t arguments;
    void (*call)(const vt_value *a, vt_value *out);
} entries[] = {
    {"VTAUopPush", 8, call_uop},
    {"VTAUopLoopBegin", 4, call_begin},
    {"VTAUopLoopEnd", 0, call_end},
    {"VTALoadBuffer2D", 12, call_load},
    {"VTAStoreBuffer2D", 8, call_store},
    {"VTADepPush", 3, call_push},
    {"VTADepPop", 3, call_pop},
    {"VTASynchronize", 2, call_sync},
    {"VTAShareUops", 2, call_share},
    {"VTAWriteBarrier", 5, call_write_barrier},
    {"VTAReadBarrier", 5, call_read_barrier},
    {"VTATLSCommandHandle", 0, call_handle},
    {"VTABufferCPUPtr", 2, call_pointer},
};

static void know(replay *r, const void *pointer, const void *buffer) {
    size_t bytes = 0;
    if (!pointer || vta_buffer_info(buffer, &bytes, NULL) != VTA_OK) return;
    vt_grow(r->ctx, &r->known, &r->known_cap, r->known_count + 1, sizeof *r->known);
    r->known[r->known_count++] = (known){pointer, bytes};
}

static bool call(void *user, const char *name, uint32_t n, const vt_value *args, vt_value *out) {
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].name, name) != 0) continue;
        if (entries[i].arguments != n) return false;
        entries[i].call(args, out);
        if (entries[i].call == call_pointer) know(user, out->u.p, args[1].u.p);
        return true;
    }
    return false;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static void *take(void *user, const vt_stmt *alloc, size_t bytes) {
    replay *r = user;
    return vt_alloc_device(alloc) == VT_DEVICE_EXT_DEV ? VTABufferAlloc(bytes) : vt_new_bytes(r->ctx, bytes);
}

static void give_back(void *user, const vt_stmt *alloc, void *memory) {
    (void)user;
    if (vt_alloc_device(alloc) == VT_DEVICE_EXT_DEV) VTABufferFree(memory);
}

/* The newest: memory is given again. */
static size_t bytes_behind(void *user, const void *pointer) {
    const replay *r = user;
    for (uint32_t i = r->known_count; i-- > 0;)
        if (r->known[i].pointer == pointer) return r->known[i].bytes;
    return 0;
}

/* ---- Micro-ops --------------------------------------------------------------------------------------------------- */

/* What the runtime hands on to the function that records a kernel. */
typedef struct scope {
    int32_t signature; /* first: it is what the kernel is kept under */
    replay *r;
    vt_interp *in;
    const vt_stmt *s;
} scope;

static vta_status run_scope(vt_ctx *ctx, void *user) {
    const scope *is = user;
    (void)ctx;
    vt_interp_body(is->in, is->s);
    return VTA_OK;
}

/* Nothing may jump over the runtime. */
static int record(void *user) {
    scope *is = user;
    return vt_protect(is->r->ctx, run_scope, is) == VTA_OK ? 0 : -1;
}

/* Equal kernels have one handle, as in code. */
static void **handle_of(replay *r, const vt_stmt *s) {
    void **known_handle = vt_ptrmap_get(r->sites, s);
    if (known_handle) return known_handle;
    uint32_t number = vt_kernel_number(r->ctx, &r->kernels, r->share, s, r->numbers);
    if (number == r->numbers) {
        r->numbers++;
        known_handle = VT_NEW(r->ctx, void *);
    } else {
        for (uint32_t i = 0; i < r->kernels.n; i++)
            if (r->kernels.items[i].number == number) known_handle = vt_ptrmap_get(r->sites, r->kernels.items[i].scope);
    }
    vt_ptrmap_set(r->sites, s, known_handle);
    return known_handle;
}

static bool run_attr(void *user, vt_interp *in, const vt_stmt *s) {
    replay *r = user;
    uint32_t n;
    if (!vt_attr_is(s, VT_ATTR_UOPS)) return false;
    const vt_var *const *vars = vt_stmt_free_vars(r->ctx, s->u.attr.body, &n); /* at most one */
    scope is = {n ? (int32_t)vt_interp_value(in, vars[0]).u.i : 0, r, in, s};
    bool gemm = vt_is_text(s->u.attr.value, VT_PUSH_GEMM);
    int result = (gemm ? VTAPushGEMMOp : VTAPushALUOp)(handle_of(r, s), record, &is, n ? (int)sizeof is.signature : 0);
    if (result != 0) vt_leave(r->ctx, VTA_ILLEGAL); /* the runtime has said why */
    return true;
}

/* ---- The function ------------------------------------------------------------------------------------------------ */

static size_t elements_of(const DLTensor *t) {
    size_t n = 1;
    for (int32_t i = 0; i < t->ndim; i++) n *= (size_t)t->shape[i];
    return n;
}

static vta_status run(vt_ctx *ctx, void *user) {
    replay *r = user;
    vt_interp_arg *args = VT_NEW_ARRAY(ctx, vt_interp_arg, r->count);
    for (size_t i = 0; i < r->count; i++)
        args[i] = (vt_interp_arg){.data = (char *)r->args[i]->data + r->args[i]->byte_offset,
                                  .elements = elements_of(r->args[i])};
    vt_codegen_func cf = {.func = r->func, .device_type = VT_DEVICE_EXT_DEV};
    const vt_func *f = vt_prepare(ctx, &cf);
    r->share = vt_func_attr(f, VT_ATTR_SHARE_KERNELS);
    r->sites = vt_ptrmap_new(ctx);
    vt_interp_hooks hooks = {
        .user = r, .call = call, .attr = run_attr, .alloc = take, .free = give_back, .bytes = bytes_behind};
    return vt_interp_run(ctx, f, (uint32_t)r->count, args, &hooks);
}

vta_status vt_func_replay(const vtac_func *func, DLTensor *const args[], size_t count, const vta_allocator *allocator,
                          vta_diag *diag) {
    vt_ctx ctx;
    VTACommandHandle command = VTATLSCommandHandle();
    if (!command) return vt_no_memory(diag);
    vt_ctx_init(&ctx, allocator, diag);
    replay r = {.ctx = &ctx, .func = func->func, .args = args, .count = count};
    vta_status status = vt_protect(&ctx, run, &r);
    vt_ctx_clear(&ctx);
    const char *said = vta_last_error(command) ? vta_last_error(command) : vta_last_error(NULL);
    if (said) vt_fail(diag, VTA_ILLEGAL, "%s", said);
    return status == VTA_OK && said ? VTA_ILLEGAL : status;
}
