/* Lowered transposed convolutions on the simulated machine, their IR interpreted call by call: each in program order
 * and in other legal orders with the race checker on, against the evaluation of the unscheduled expressions. All other
 * kinds of programs are those of tests/random. */
#include "listings/lower.h"
#include "support/check.h"
#include "vta/runtime.h"

enum { MAX_BYTES = 1 << 18 };

typedef struct job {
    program p;
    check_random r;
    te_tensor *in[2], *out;
    char steps[2048];
    void *handles[TRACE_MAX]; /* micro-op cache of each call site */
    void *buffers[3];
    const vt_func *f;
} job;

static uint8_t input[2][MAX_BYTES], want[MAX_BYTES], got[MAX_BYTES];

static int64_t pick(job *j, int64_t least, int64_t most) { return check_between(&j->r, least, most); }

static void describe(job *j, const char *fmt, ...) VTA_PRINTF(2, 3);
static void describe(job *j, const char *fmt, ...) {
    size_t n = strlen(j->steps);
    va_list args;
    va_start(args, fmt);
    vsnprintf(j->steps + n, sizeof j->steps - n, fmt, args);
    va_end(args);
}

/* ---- Programs --------------------------------------------------------------------------------------------------- */

/* A chain of ALU stages after `from`, narrowed; all on the chip. */
typedef struct tail {
    te_tensor *stages[4];
    int n;
    te_tensor *res;
} tail;

static tail build_tail(job *j, te_tensor *from, const char *name, int least) {
    static const char *const bodies[] = {"%s[...] >> %d", "max(%s[...], %d)", "min(%s[...], %d)",
                                         "%s[...] + %d",  "%s[...] * %d",     "%s[...] << %d"};
    tail t = {.n = (int)pick(j, least, 3)};
    char stage_name[16], body[64];
    for (int i = 0; i < t.n; i++) {
        int kind = (int)pick(j, 0, 5);
        snprintf(body, sizeof body, bodies[kind], i ? stage_name : name,
                 (int)pick(j, kind == 4 ? 2 : 0, kind == 0 || kind == 5 ? 5 : 90));
        snprintf(stage_name, sizeof stage_name, "t%d", i);
        t.stages[i] = like(&j->p, from, stage_name, body);
        describe(j, "%s = %s; ", stage_name, body);
    }
    snprintf(body, sizeof body, "inp_t(%s[...])", t.n ? stage_name : name);
    t.res = like(&j->p, from, "res", body);
    return t;
}

static void place_tail(job *j, tail *t) {
    for (int i = 0; i < t->n; i++) {
        in_scope(&j->p, t->stages[i], "acc");
        mark(&j->p, t->stages[i], 0, "alu");
    }
}

/* A transposed convolution with stride 2: the input spread out with zeros between, of which the GEMM skips all. */
static void build_transposed(job *j) {
    program *p = &j->p;
    int64_t batch = config_batch(p->c), in = pick(j, 1, 2), out = pick(j, 1, 2), size = pick(j, 2, 4);
    int64_t spread = 2 * size + 1, width = spread - 2; /* kernel 3 */
    describe(j, "transposed conv %lld -> %lld channel tiles, %lld x %lld; ", (long long)in, (long long)out,
             (long long)size, (long long)size);
    te_constant(p->c, "LAST", 2 * size - 1);
    te_tensor *x = te_placeholder(p->c, "x", "inp_t", 6, (int64_t[]){1, in, spread, spread, batch, config_in(p->c)});
    te_tensor *w = te_placeholder(p->c, "w", "wgt_t", 6, (int64_t[]){out, in, 3, 3, config_out(p->c), config_in(p->c)});
    te_tensor *x_buf = like(p, x, "x_buf", "x[...]"), *w_buf = like(p, w, "w_buf", "w[...]");
    te_axis *ic = te_reduce_axis(p->c, "ic", 0, in), *dy = te_reduce_axis(p->c, "dy", 0, 3);
    te_axis *dx = te_reduce_axis(p->c, "dx", 0, 3), *tns = te_reduce_axis(p->c, "tns", 0, config_in(p->c));
    te_tensor *conv = te_compute(
        p->c, "conv", 6, (int64_t[]){1, out, width, width, batch, config_out(p->c)}, "bo, co, i, j, bi, ci",
        "sum[ic, dy, dx, tns](select((i + dy) % 2 == 1 && (j + dx) % 2 == 1, acc_t(x_buf[bo, ic, i + dy, j + dx, bi, "
        "tns]) * acc_t(w_buf[co, ic, dy, dx, ci, tns]), acc_t(0)))");
    tail t = build_tail(j, conv, "conv", 1);
    p->s = te_schedule_create(p->c, 1, &t.res);
    te_stage *sc = stage(p, conv);
    te_reorder(sc, 10,
               (te_axis *[]){ic, axis(p, conv, 0), axis(p, conv, 1), dy, dx, axis(p, conv, 2), axis(p, conv, 3),
                             axis(p, conv, 4), axis(p, conv, 5), tns});
    in_scope(p, x_buf, "inp");
    in_scope(p, w_buf, "wgt");
    in_scope(p, conv, "acc");
    te_compute_at(stage(p, x_buf), sc, ic);
    te_compute_at(stage(p, w_buf), sc, ic);
    mark(p, x_buf, 0, "dma_copy");
    mark(p, w_buf, 0, "dma_copy");
    mark(p, t.res, 0, "dma_copy");
    te_pragma(sc, axis(p, conv, 4), "conv2d_transpose_gemm", NULL);
    place_tail(j, &t);
    j->in[0] = x;
    j->in[1] = w;
    j->out = t.res;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

static trace *running; /* for finit, which gets nothing but the signature */
static const vt_stmt *recording;

static int record_kernel(void *signature) {
    (void)signature;
    trace_stmt(running, recording);
    return 0;
}

static void machine_kernel(trace *t, bool gemm, int site, int64_t signature, const vt_stmt *body) {
    job *j = t->user;
    int32_t word = (int32_t)signature;
    recording = body;
    (gemm ? VTAPushGEMMOp : VTAPushALUOp)(&j->handles[site], record_kernel, &word, signature < 0 ? 0 : 4);
}

static void *machine_buffer(job *j, const void *var) {
    for (uint32_t i = 0; i < j->f->n_bindings; i++)
        if (j->f->bindings[i].buffer->data == var) return j->buffers[i];
    return NULL;
}

static void machine_call(trace *t, trace_kind kind, const void *buffer, uint32_t n, const int64_t *args) {
    VTACommandHandle cmd = VTATLSCommandHandle();
    uint32_t a[16];
    for (uint32_t i = 0; i < n; i++) a[i] = (uint32_t)args[i];
    void *dram = buffer ? machine_buffer(t->user, buffer) : NULL;
    switch (kind) {
    case TRACE_LOAD: VTALoadBuffer2D(cmd, dram, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]); break;
    case TRACE_STORE: VTAStoreBuffer2D(cmd, a[0], a[1], dram, a[2], a[3], a[4], a[5]); break;
    case TRACE_UOP: VTAUopPush(a[0], a[1], a[2], a[3], a[4], a[5], a[6], (int32_t)args[7]); break;
    case TRACE_LOOP: VTAUopLoopBegin(a[0], a[1], a[2], a[3]); break;
    case TRACE_ENDLOOP: VTAUopLoopEnd(); break;
    case TRACE_PUSH: VTADepPush(cmd, (int)args[0], (int)args[1]); break;
    case TRACE_POP: VTADepPop(cmd, (int)args[0], (int)args[1]); break;
    case TRACE_SYNC: VTASynchronize(cmd, 1u << 31); break;
    }
}

/* Weights of 4 bits lie two in a byte in DRAM; the evaluation takes a byte for each. */
static bool is_narrow(job *j, const te_tensor *t) { return strcmp(te_tensor_dtype(j->p.c, t), "int4") == 0; }

static void copy_in(job *j, const te_tensor *t, const uint8_t *from, size_t bytes, void *buffer) {
    static uint8_t packed[MAX_BYTES];
    size_t n = is_narrow(j, t) ? bytes / 2 : bytes;
    for (size_t i = 0; i < n; i++)
        packed[i] = is_narrow(j, t) ? (uint8_t)((from[2 * i] & 15) | from[2 * i + 1] << 4) : from[i];
    VTABufferCopy(packed, 0, buffer, 0, n, 1);
}

static size_t bytes_of(job *j, const te_tensor *t) {
    size_t n = strcmp(te_tensor_dtype(j->p.c, t), "int32") == 0 ? 4 : 1;
    for (size_t i = 0; i < te_tensor_ndim(t); i++) n *= (size_t)te_tensor_dim(t, i);
    return n;
}

static vta_status run(vt_ctx *ctx, void *arg) {
    job *j = arg;
    vt_te_arg args[3] = {{.tensor = j->in[0]}, {.tensor = j->in[1]}, {.tensor = j->out}};
    vtac_lower_options options = {.config = te_context_config(j->p.c), .verify = 1};
    j->f = vt_lower(ctx, vt_te_lower(j->p.s, 3, args, "main"), &options, NULL, NULL);
    for (int order = 0; order < 3; order++) {
        vta_runtime *runtime;
        vta_runtime_options how = {.device = &(vta_device_options){.check = true, .order = (uint32_t)order, .seed = 7}};
        vta_status status = vta_runtime_create(te_context_config(j->p.c), "sim", &how, NULL, ctx->diag, &runtime);
        if (status != VTA_OK) return status;
        vta_runtime_use(runtime);
        memset(j->handles, 0, sizeof j->handles);
        for (int i = 0; i < 3; i++) j->buffers[i] = VTABufferAlloc(bytes_of(j, args[i].tensor));
        for (int i = 0; i < 2; i++) copy_in(j, j->in[i], input[i], bytes_of(j, j->in[i]), j->buffers[i]);
        running = VT_NEW(ctx, trace);
        *running = (trace){.ctx = ctx, .call = machine_call, .kernel = machine_kernel, .user = j};
        trace_function(running, j->f);
        if (order == 0) trace_function(running, j->f); /* what a run leaves behind must not hurt the next */
        VTABufferCopy(j->buffers[2], 0, got, 0, bytes_of(j, j->out), 2);
        const char *error = vta_last_error(NULL);
        if (error)
            status = vt_fail(ctx->diag, VTA_RACE, "order %d: %s", order, error);
        else if (running->failed)
            status = vt_fail(ctx->diag, VTA_INTERNAL, "a call that the runtime does not have");
        else if (memcmp(got, want, bytes_of(j, j->out)) != 0)
            status = vt_fail(ctx->diag, VTA_MISMATCH, "order %d: the results differ", order);
        vta_runtime_use(NULL);
        vta_runtime_destroy(runtime);
        if (status != VTA_OK) return status;
    }
    return VTA_OK;
}

static vta_status text(vt_ctx *ctx, void *arg) {
    job *j = arg;
    if (j->f) print_message("%s\n", vt_stmt_text(ctx, j->f->body));
    return VTA_OK;
}

static void check_one(uint64_t seed, void (*build)(job *j)) {
    static job j;
    static const char *const configs[] = {"", "LOG_BATCH=1",
                                          "LOG_BATCH=2 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=16 LOG_INP_BUFF_SIZE=16",
                                          "LOG_BLOCK=5", "LOG_WGT_WIDTH=2 LOG_WGT_BUFF_SIZE=17"};
    memset(&j, 0, sizeof j);
    j.r.state = seed * 0x9e3779b97f4a7c15u + 1;
    vta_config *base = vta_config_default(), *config;
    const char *changes = configs[pick(&j, 0, 4)];
    assert_int_equal(vta_config_with(base, changes, NULL, &config), VTA_OK);
    describe(&j, "[%s] ", changes);
    j.p.c = te_context_create(config, NULL);
    build(&j);
    vta_status status = te_context_status(j.p.c);
    for (int i = 0; i < 2 && status == VTA_OK; i++) {
        assert_true(bytes_of(&j, j.in[i]) <= MAX_BYTES && bytes_of(&j, j.out) <= MAX_BYTES);
        for (size_t k = 0; k < bytes_of(&j, j.in[i]); k++) {
            int8_t value = (int8_t)check_next(&j.r);
            input[i][k] = (uint8_t)(is_narrow(&j, j.in[i]) ? value >> 4 : value);
        }
    }
    const void *data[2] = {input[0], input[1]};
    if (status == VTA_OK) status = te_evaluate(j.p.c, j.out, 2, j.in, data, want);
    if (status == VTA_OK) status = vt_protect(vt_te_ctx(j.p.c), run, &j);
    if (status != VTA_OK) {
        vt_protect(vt_te_ctx(j.p.c), text, &j);
        fail_msg("seed %llu: %s: %s\n%s", (unsigned long long)seed, vta_status_name(status), j.steps,
                 vta_diag_text(te_context_diag(j.p.c)));
    }
    te_context_destroy(j.p.c);
    vta_config_release(config);
    vta_config_release(base);
}

TEST_CASE(transposed_convolutions) {
    for (uint64_t seed = 1; seed <= 20; seed++) check_one(seed, build_transposed);
}

int main(void) { return run_cases(); }
