/* Micro-kernels in loops: the runtime keeps what it recorded under one number, so every step of the loops around that
 * changes a micro-kernel must come with a number of its own, of which recording makes the same micro-ops. */
#include "codegen/stubs.h"
#include "ir/attr.h"
#include "support/check.h"

enum { MAX_LOOPS = 3, INNER = 2, OFFSET = 100, MAX_UOPS = 512, MAX_VARIANTS = 128 };

/* ---- A runtime --------------------------------------------------------------------------------------------------- */

typedef struct uop {
    uint32_t dst, src, wgt;
    int32_t imm;
} uop;

/* What one recording made. */
typedef struct variant {
    void *owner;
    int32_t signature;
    int n;
    uop uops[INNER];
} variant;

static variant variants[MAX_VARIANTS], *recording;
static uop done[MAX_UOPS];
static int n_variants, n_done;

EXPORTED void VTAUopPush(uint32_t mode, uint32_t reset, uint32_t dst, uint32_t src, uint32_t wgt, uint32_t opcode,
                         uint32_t use_imm, int32_t imm);
void VTAUopPush(uint32_t mode, uint32_t reset, uint32_t dst, uint32_t src, uint32_t wgt, uint32_t opcode,
                uint32_t use_imm, int32_t imm) {
    (void)mode, (void)reset, (void)opcode, (void)use_imm;
    assert_true(recording && recording->n < INNER);
    recording->uops[recording->n++] = (uop){dst, src, wgt, imm};
}

EXPORTED int VTAPushGEMMOp(void **handle, int (*finit)(void *), void *signature, int nbytes);
int VTAPushGEMMOp(void **handle, int (*finit)(void *), void *signature, int nbytes) {
    int32_t number = 0;
    assert_true(nbytes == 0 || nbytes == sizeof number);
    if (nbytes) memcpy(&number, signature, sizeof number);
    int i = 0;
    while (i < n_variants && (variants[i].owner != handle || variants[i].signature != number)) i++;
    if (i == n_variants) {
        assert_true(n_variants < MAX_VARIANTS);
        recording = &variants[n_variants++];
        *recording = (variant){.owner = handle, .signature = number};
        assert_int_equal(finit(signature), 0);
        recording = NULL;
    }
    assert_true(n_done + variants[i].n <= MAX_UOPS);
    memcpy(done + n_done, variants[i].uops, (size_t)variants[i].n * sizeof *done);
    n_done += variants[i].n;
    return 0;
}

/* A use of a number outside of micro-kernels. */
EXPORTED int32_t take_number(int32_t number);
int32_t take_number(int32_t number) { return number; }

/* ---- Nests ------------------------------------------------------------------------------------------------------- */

/* Loops from `min` for `extent` steps around a micro-kernel that uses their variables. */
typedef struct nest {
    int64_t min[MAX_LOOPS], extent[MAX_LOOPS];
    bool wide;  /* 64-bit variables */
    bool let;   /* the third index is a let of the loops' variables: v0 + 2 * v1 */
    bool alone; /* the let is for the micro-kernel only: nothing may be left of it outside, and of what it uses */
    int recorded;
} nest;

static const nest nests[] = {
    {.recorded = 1},
    {{0}, {4}, .recorded = 4},
    {{3}, {4}, .recorded = 4},
    {{0}, {4}, .wide = true, .recorded = 4},
    {{2, -1}, {3, 4}, .recorded = 12},
    {{2, -1}, {3, 4}, .let = true, .recorded = 12},
    {{2, -1}, {3, 4}, .let = true, .alone = true, .recorded = 12},
    {{-7, 5, 0}, {3, 2, 2}, .recorded = 12},
    {{-7, 5, 1}, {2, 3, 2}, .wide = true, .recorded = 12},
};
enum { NESTS = sizeof nests / sizeof *nests };

static const vt_stmt *micro_kernel(vt_ctx *c, const vt_expr *const indices[3]) {
    const vt_var *k = vt_var_new(c, "k", VT_I32);
    const vt_expr *zero = vt_i32(c, 0), *args[] = {zero, zero, NULL, NULL, NULL, zero, zero, k};
    for (int i = 0; i < 3; i++)
        args[2 + i] =
            indices[i] ? vt_cast(c, VT_I32, vt_add(c, indices[i], vt_const(c, indices[i]->dtype, OFFSET))) : zero;
    const vt_stmt *body = loop(c, k, INNER, vt_s_eval(c, vt_e_call_extern(c, VT_I32, "VTAUopPush", 8, args)));
    const vt_iter *axis = vt_iter_new(c, vt_var_new(c, "vta", VT_I32), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    return vt_s_attr(c, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(c, "VTAPushGEMMOp"), body);
}

static const vt_stmt *make_nest(vt_ctx *c, const nest *what) {
    const vt_var *v[MAX_LOOPS] = {0};
    const vt_expr *indices[MAX_LOOPS] = {0};
    vt_dtype t = what->wide ? VT_I64 : VT_I32;
    for (int i = 0; i < MAX_LOOPS && what->extent[i]; i++)
        indices[i] = v[i] = vt_var_new(c, (const char *[]){"a", "b", "c"}[i], t);
    const vt_var *sum = vt_var_new(c, "sum", t);
    if (what->let) indices[2] = sum;
    const vt_stmt *s = micro_kernel(c, indices);
    if (what->let) {
        const vt_stmt *outside = vt_s_eval(c, vt_e_call_extern(c, VT_I32, "take_number", 1, &sum));
        if (!what->alone) s = vt_s_seq(c, 2, (const vt_stmt *const[]){s, outside});
        const vt_var *twice = vt_var_new(c, "twice", t);
        s = vt_s_let(c, sum, vt_add(c, v[0], twice), s);
        s = vt_s_let(c, twice, vt_mul(c, v[1], vt_const(c, t, 2)), s);
    }
    for (int i = MAX_LOOPS; i-- > 0;)
        if (v[i])
            s = vt_s_for(c, v[i], vt_const(c, t, what->min[i]), vt_const(c, t, what->extent[i]), VT_FOR_SERIAL, s);
    return s;
}

/* What the loops do, in their order. */
static int expected_uops(const nest *what, uop *out) {
    int n = 0;
    int64_t extent[MAX_LOOPS], v[MAX_LOOPS];
    for (int i = 0; i < MAX_LOOPS; i++) extent[i] = what->extent[i] ? what->extent[i] : 1;
    for (int64_t step = 0; step < extent[0] * extent[1] * extent[2]; step++) {
        uint32_t index[MAX_LOOPS];
        v[0] = what->min[0] + step / (extent[1] * extent[2]);
        v[1] = what->min[1] + step / extent[2] % extent[1];
        v[2] = what->let ? v[0] + 2 * v[1] : what->min[2] + step % extent[2];
        for (int i = 0; i < MAX_LOOPS; i++)
            index[i] = what->extent[i] || (i == 2 && what->let) ? (uint32_t)(v[i] + OFFSET) : 0;
        for (int k = 0; k < INNER; k++) out[n++] = (uop){index[0], index[1], index[2], k};
    }
    return n;
}

/* All nests in one function, one after the other, in two calls: the second records nothing. */
static void numbers_of_kernels(void **state) {
    through_c = *state != NULL;
    kit k;
    kit_open(&k);
    const vt_stmt *items[NESTS];
    static uop expected[MAX_UOPS];
    int n = 0, recorded = 0;
    for (int i = 0; i < NESTS; i++) {
        items[i] = make_nest(&k.ctx, &nests[i]);
        n += expected_uops(&nests[i], expected + n);
        recorded += nests[i].recorded;
    }
    code compiled = compile(&k, function(&k.ctx, "f", 0, NULL, vt_s_seq(&k.ctx, NESTS, items)), VT_DEVICE_CPU, 0);
    n_variants = 0;
    for (int run = 0; run < 2; run++) {
        n_done = 0;
        assert_int_equal(call(compiled.call, 0, NULL), 0);
        assert_int_equal(n_done, n);
        for (int i = 0; i < n; i++)
            if (memcmp(&done[i], &expected[i], sizeof done[i]) != 0)
                fail_msg("micro-op %d: %u %u %u %d, not %u %u %u %d", i, done[i].dst, done[i].src, done[i].wgt,
                         done[i].imm, expected[i].dst, expected[i].src, expected[i].wgt, expected[i].imm);
        assert_int_equal(n_variants, recorded);
    }
    code_free(&compiled);
    kit_close(&k);
}

/* ---- What has no number ------------------------------------------------------------------------------------------ */

static const vt_stmt *variants_of(vt_ctx *c, int64_t a, int64_t b) { return make_nest(c, &(nest){.extent = {a, b}}); }

static const vt_stmt *too_many(vt_ctx *c) { return variants_of(c, 1 << 16, (1 << 15) + 1); }
static const vt_stmt *most(vt_ctx *c) { return variants_of(c, 1 << 16, (1 << 15) - 1); }
static const vt_stmt *far_too_many(vt_ctx *c) {
    return make_nest(c, &(nest){.extent = {INT64_MAX, INT64_MAX, 2}, .wide = true});
}

static const vt_stmt *unknown_extent(vt_ctx *c) {
    const vt_var *a = vt_var_new(c, "a", VT_I32), *b = vt_var_new(c, "b", VT_I32);
    const vt_stmt *s = micro_kernel(c, (const vt_expr *[]){a, b, NULL});
    return loop(c, a, 4, vt_s_for(c, b, vt_i32(c, 0), a, VT_FOR_SERIAL, s));
}

/* What memory holds may change from step to step. */
static const vt_stmt *from_memory(vt_ctx *c) {
    const vt_buffer *t = flat(c, "t", VT_I32, 4);
    const vt_var *a = vt_var_new(c, "a", VT_I32), *b = vt_var_new(c, "b", VT_I32);
    const vt_stmt *s = loop(c, b, 4, micro_kernel(c, (const vt_expr *[]){a, b, NULL}));
    s = vt_s_let(c, a, at(c, t, vt_i32(c, 0)), s);
    return vt_s_alloc(c, t->data, VT_I32, 1, t->shape, vt_bool(c, true), s);
}

static const vt_stmt *nested(vt_ctx *c) {
    const vt_stmt *s = micro_kernel(c, (const vt_expr *[]){NULL, NULL, NULL});
    return vt_s_attr(c, s->u.attr.node, s->u.attr.key, s->u.attr.value, s);
}

#define OTHERS                                                                                                         \
    " and other variables from outside it; the runtime keeps micro-kernels under one 32-bit number, so the others "    \
    "must be loops of constant extent"

static const struct {
    const vt_stmt *(*make)(vt_ctx *c);
    vta_status status;
    const char *says;
} refusals[] = {
    {most, VTA_OK, ""},
    {too_many, VTA_UNSUPPORTED, "error: f: a micro-op scope has more than 2^31 variants"},
    {far_too_many, VTA_UNSUPPORTED, "error: f: a micro-op scope has more than 2^31 variants"},
    {unknown_extent, VTA_UNSUPPORTED, "error: f: a micro-op scope uses b" OTHERS},
    {from_memory, VTA_UNSUPPORTED, "error: f: a micro-op scope uses a" OTHERS},
    {nested, VTA_ILLEGAL, "error: f: a micro-op scope inside a micro-op scope"},
};

static void refused_kernels(void **state) {
    (void)state;
    static const vt_emit whats[] = {VT_EMIT_LLVM, VT_EMIT_C};
    for (size_t i = 0; i < 2 * sizeof refusals / sizeof *refusals; i++) {
        kit k;
        vt_strbuf out;
        kit_open(&k);
        const vt_func *f = function(&k.ctx, "f", 0, NULL, refusals[i / 2].make(&k.ctx));
        assert_int_equal(emit(&k, f, VT_DEVICE_CPU, NULL, whats[i % 2], 0, &out), refusals[i / 2].status);
        assert_string_equal(vta_diag_text(k.diag), refusals[i / 2].says);
        vt_strbuf_free(&out);
        kit_close(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_kernels),
        cmocka_unit_test(refused_kernels),
        {"numbers_of_kernels_as_c", numbers_of_kernels, NULL, NULL, (void *)"C"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
