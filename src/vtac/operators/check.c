/* The function of an operator against its definition: random and extreme inputs, bit for bit. */
#include <string.h>

#include "base/versioned.h"
#include "build/check.h"
#include "operators/definition.h"

/* ---- Inputs -------------------------------------------------------------------------------------------------------
 */

/* All elements random; all the least; all the largest; both in turn. */
typedef enum contents { RANDOM, LEAST, LARGEST, ALTERNATING, CONTENTS } contents;

typedef struct checking {
    const vtac_op *op;
    vta_diag *diag;
    vt_definition definition;
    vt_checking arrays;
    vta_packed_function function;
    int32_t device;
    vtac_check_result *result;
    uint64_t random;
} checking;

static uint64_t draw(checking *k) {
    k->random = k->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (k->random >> 29 ^ k->random) * UINT64_C(0x9E3779B97F4A7C15) >> 11;
}

/* An element: what limits its magnitude holds, and amounts of shifts are mostly those that leave something. */
static int64_t value(checking *k, const vt_plain *p, contents how, size_t at) {
    int64_t half = INT64_C(1) << (p->bits - 1), least = -half, largest = half - 1;
    if (p->role == VT_ROLE_AMOUNT) least = -36, largest = 36;
    if (p->most && p->most < half) least = -p->most, largest = p->most;
    if (how == ALTERNATING) how = at % 2 ? LARGEST : LEAST;
    if (how == LEAST) return least;
    if (how == LARGEST) return largest;
    return least + (int64_t)(draw(k) % (uint64_t)(largest - least + 1));
}

static vta_status fill(checking *k, uint32_t i, contents how) {
    vt_plain *p = &k->definition.of[i];
    vt_operand *o = &k->arrays.operands[i];
    for (size_t at = 0; at < p->count; at++) p->values[at] = (vt_word)value(k, p, how, at);
    for (size_t at = 0; at < p->tiled; at++) {
        uint64_t word = p->map[at] >= 0 ? p->values[p->map[at]] : p->zeros ? 0 : (uint64_t)value(k, p, RANDOM, at);
        memcpy(o->values + at * o->unit, &word, o->unit);
    }
    return vt_checking_write(&k->arrays, o);
}

/* The first input has the extremes in turn; of the others each some contents. */
static vta_status fill_all(checking *k, contents first) {
    for (uint32_t i = 0; i + 1 < k->definition.n; i++)
        VT_TRY(fill(k, i, i == 0 || first == RANDOM ? first : (contents)(draw(k) % CONTENTS)));
    return VTA_OK;
}

/* ---- Comparing ----------------------------------------------------------------------------------------------------
 */

/* What the result should be, as elements of an array; what lies in tiles alone means nothing, and is taken as it is. */
static void expect(checking *k) {
    const vt_plain *res = &k->definition.of[k->definition.n - 1];
    vt_operand *o = &k->arrays.operands[k->definition.n - 1];
    for (size_t at = 0; at < res->tiled; at++) {
        if (res->map[at] < 0) {
            memcpy(o->values + at * o->unit, o->got + at * o->unit, o->unit);
            continue;
        }
        uint64_t word = res->values[res->map[at]];
        int64_t low = (int64_t)(word << (64 - res->bits)) >> (64 - res->bits);
        memcpy(o->values + at * o->unit, &low, o->unit);
    }
}

static vta_status run_once(checking *k, contents first) {
    vt_operand *out = &k->arrays.operands[k->definition.n - 1];
    VT_TRY(fill_all(k, first));
    double begin = vt_now();
    VT_TRY(vta_function_call_tensors(k->function, k->arrays.dl, (int)k->definition.n, k->diag));
    double called = vt_now();
    VT_TRY(vt__definition_evaluate(&k->definition, &vt__definition_integers, k->diag));
    k->result->run_seconds += called - begin;
    k->result->reference_seconds += vt_now() - called;
    VT_TRY(vt_checking_read(&k->arrays, out));
    expect(k);
    vt_checking_compare(out, k->definition.n - 1, k->result);
    return VTA_OK;
}

/* ---- The check -----------------------------------------------------------------------------------------------------
 */

static vta_status make_arrays(checking *k) {
    vtac_kernel *kernel = k->op->kernel;
    if (!vt_checking_make(&k->arrays)) return vt_no_memory(k->diag);
    for (uint32_t i = 0; i < k->definition.n; i++) {
        VT_TRY(vt_checking_operand(&k->arrays, i, vtac_kernel_arg(kernel, i), k->device));
        k->arrays.dl[i] = vta_array_tensor(k->arrays.operands[i].array);
    }
    return VTA_OK;
}

/* Extremes of large operators take long: these have the least elements after the random ones, and no others. */
static vta_status run(checking *k) {
    static const uint64_t LARGE = UINT64_C(1) << 28;
    contents last = k->op->shape.macs > LARGE ? LEAST : ALTERNATING;
    VT_TRY(vt__definition_open(k->op, k->arrays.allocator, k->diag, &k->definition));
    k->arrays.n = k->definition.n;
    VT_TRY(make_arrays(k));
    for (contents how = RANDOM; how <= last && !k->result->different; how++) VT_TRY(run_once(k, how));
    k->result->elements = k->definition.of[k->definition.n - 1].count;
    return VTA_OK;
}

static vta_status check(const vtac_op *op, int32_t device, const vtac_check_options *o, vta_diag *diag,
                        vtac_check_result *result) {
    if (!op) return vt_fail(diag, VTA_INVALID_ARGUMENT, "op is NULL");
    if (!op->module)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s has no compiled function: schedule it, with code", op->is->name);
    checking k = {.op = op, .diag = diag, .device = device, .result = result, .random = o->seed};
    k.arrays = (vt_checking){.c = vtac_kernel_context(op->kernel), .diag = diag, .allocator = o->allocator};
    vta_status status = vtac_module_function(op->module, vtac_kernel_name(op->kernel), diag, &k.function);
    for (int i = 0; i < 8; i++) draw(&k);
    if (status == VTA_OK) status = run(&k);
    vt_checking_free(&k.arrays);
    vt__definition_close(&k.definition);
    return status;
}

vta_status vtac_op_check(const vtac_op *op, int32_t device_type, const vtac_check_options *options, vta_diag *diag,
                         vtac_check_result *out_result) {
    if (!out_result) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_result is NULL");
    vtac_check_options own;
    vtac_check_result result = {0};
    vta_status status = vt_options_read(&own, sizeof own, options, "vtac_check_options", diag);
    if (status == VTA_OK) status = check(op, device_type, &own, diag, &result);
    vt_result_write(out_result, &result, sizeof result);
    return status;
}
