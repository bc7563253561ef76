/* Loads and stores: types, sizes, and both ends of what they move. */
#include "config/config_priv.h"
#include "lower/vta/verify.h"

#include <string.h>

typedef struct transfer {
    vt_verifier *v;
    const vt_expr *data, *offset, *x, *y, *stride, *sram;
    const vt_expr *pads[4]; /* x before, y before, x after, y after; NULL: a store */
    vta_memory memory;
    vt_form elements; /* of the tensor's buffer */
} transfer;

#define LOAD(argument) VT_OPERAND(VTALoadBuffer2D, argument)
#define STORE(argument) VT_OPERAND(VTAStoreBuffer2D, argument)

static transfer read_call(vt_verifier *v, const vt_expr *e, bool loads) {
    const vt_expr *const *a = e->a;
    transfer t;
    t.v = v;
    if (loads) {
        t.data = a[LOAD(src_dram)], t.offset = a[LOAD(src_elem_offset)], t.sram = a[LOAD(dst_sram_index)];
        t.x = a[LOAD(x_size)], t.y = a[LOAD(y_size)], t.stride = a[LOAD(x_stride)];
        for (int i = 0; i < 4; i++) t.pads[i] = a[LOAD(x_pad_before) + i];
    } else {
        t.data = a[STORE(dst_dram)], t.offset = a[STORE(dst_elem_offset)], t.sram = a[STORE(src_sram_index)];
        t.x = a[STORE(x_size)], t.y = a[STORE(y_size)], t.stride = a[STORE(x_stride)];
        for (int i = 0; i < 4; i++) t.pads[i] = NULL;
    }
    return t;
}

/* ---- Memory and type --------------------------------------------------------------------------------------- */

static void check_memory(vt_verifier *v, const vt_stmt *s, const vt_expr *type, bool loads, vta_memory *out_memory) {
    int64_t memory;
    if (!vt_as_const(type, &memory)) vt__verify_fail(v, VT_RULE_TRANSFER, s, "the memory is not a constant");
    bool table = memory == VTA_MEM_TABLE && v->config->depth[VTA_MEM_TABLE];
    bool good = loads ? memory == VTA_MEM_INP || memory == VTA_MEM_WGT || memory == VTA_MEM_ACC ||
                            memory == VTA_MEM_ACC_8BIT || table
                      : memory == VTA_MEM_OUT;
    if (!good)
        vt__verify_fail(
            v, VT_RULE_TRANSFER, s,
            vt_new_format(v->ctx, "memory %lld cannot be %s", (long long)memory, loads ? "loaded" : "stored"));
    *out_memory = (vta_memory)memory;
}

static void check_stage(const vt_verifier *v, const vt_stmt *s, vta_memory memory) {
    uint32_t stage = memory == VTA_MEM_OUT                            ? VTA_STAGE_STORE
                     : memory == VTA_MEM_INP || memory == VTA_MEM_WGT ? VTA_STAGE_LOAD
                                                                      : VTA_STAGE_COMPUTE;
    if (v->stage != stage)
        vt__verify_fail(v, VT_RULE_STAGE, s,
                        vt_new_format(v->ctx, "a transfer of stage %u stands in a task of stage %u", stage, v->stage));
}

/* Elements of the memory's kind in `n` extents of scalars of `bits` bits; unknown where they are symbolic. */
static vt_form count_elements(const vt_verifier *v, vta_memory memory, uint32_t bits, uint32_t n,
                              const vt_expr *const *extents) {
    vt_form count = vt__form_const(bits);
    for (uint32_t i = 0; i < n; i++) {
        vt_form extent = vt__form_of(v->path, extents[i]);
        count = vt__form_mul(v->path, &count, &extent);
    }
    int64_t total;
    if (vt__form_is_const(v->path, &count, &total)) return vt__form_const(total / 8 / v->config->elem_bytes[memory]);
    count.unknown = true;
    return count;
}

/* A tensor of the function has the memory's type; storage inside of it is used for tensors of several types. */
static void check_type(const vt_verifier *v, const vt_stmt *s, const vt_buffer *b, vta_memory memory) {
    uint32_t bits = v->config->width[memory];
    if (b->dtype.code > VT_UINT || b->dtype.bits != bits || b->dtype.lanes != 1)
        vt__verify_fail(
            v, VT_RULE_TRANSFER, s,
            vt_new_format(v->ctx, "%s has scalars of %u bits, the memory of %u", b->name, b->dtype.bits, bits));
}

static vt_form tensor_elements(const vt_verifier *v, const vt_stmt *s, const transfer *t) {
    bool is_var = t->data->kind == VT_E_VAR;
    const vt_stmt *alloc = is_var ? vt_ptrmap_get(v->allocs, t->data) : NULL;
    const vt_buffer *b = is_var ? vt_ptrmap_get(v->buffers, t->data) : NULL;
    if (!alloc && !b) vt__verify_fail(v, VT_RULE_TRANSFER, s, "the DRAM side is not a tensor of the function");
    const vt_var_info *var = t->data->u.var;
    if (var->scope && var->scope[0] && strcmp(var->scope, "global") != 0)
        vt__verify_fail(v, VT_RULE_TRANSFER, s, "the DRAM side is not in DRAM");
    if (alloc)
        return count_elements(v, t->memory, (uint32_t)alloc->u.alloc.dtype.bits * alloc->u.alloc.dtype.lanes,
                              alloc->u.alloc.n_extents, alloc->u.alloc.extents);
    check_type(v, s, b, t->memory);
    return count_elements(v, t->memory, b->dtype.bits, b->ndim, b->shape);
}

/* ---- Sizes and ranges -------------------------------------------------------------------------------------- */

static const vt_claim NO_COLUMNS = {VT_RULE_SIZE, "x_size is not positive"},
                      WIDE = {VT_RULE_SIZE, "x_size is above 65535"},
                      NEGATIVE_ROWS = {VT_RULE_SIZE, "y_size is negative"},
                      TALL = {VT_RULE_SIZE, "y_size is above 65535"}, NO_ROWS = {VT_RULE_SIZE, "it has no rows at all"},
                      NEGATIVE_STRIDE = {VT_RULE_SIZE, "x_stride is negative"},
                      LONG_STRIDE = {VT_RULE_SIZE, "x_stride is above 65535"},
                      NEGATIVE_PAD = {VT_RULE_SIZE, "padding is negative"},
                      LARGE_PAD = {VT_RULE_SIZE, "padding is above 15"},
                      TABLE_PAD = {VT_RULE_SIZE, "a load of tables has padding"},
                      BEFORE_SRAM = {VT_RULE_SRAM, "the on-chip address is negative"},
                      BEHIND_SRAM = {VT_RULE_SRAM, "it ends past the end of the memory"},
                      BEFORE_DRAM = {VT_RULE_DRAM, "it begins before the tensor"},
                      BEHIND_DRAM = {VT_RULE_DRAM, "it ends past the end of the tensor"};

static void make_demands(void *user, vt_path *p, vt_demands *out) {
    /* Typed here, not taken from vta/insn.def: the check is independent of it. */
    enum { MAX_SIZE = 65535, MAX_PAD = 15, ANY = INT32_MAX };
    const transfer *t = user;
    vt_form x = vt__form_of(p, t->x), y = vt__form_of(p, t->y), stride = vt__form_of(p, t->stride);
    vt_form sram = vt__form_of(p, t->sram), offset = vt__form_of(p, t->offset), columns = x, rows = y;
    vt__demand_between(p, out, &x, 1, MAX_SIZE, &NO_COLUMNS, &WIDE);
    vt__demand_between(p, out, &y, 0, MAX_SIZE, &NEGATIVE_ROWS, &TALL);
    vt__demand_between(p, out, &stride, 0, MAX_SIZE, &NEGATIVE_STRIDE, &LONG_STRIDE);
    for (int i = 0; i < 4 && t->pads[i]; i++) {
        if (vt_is_const(t->pads[i], 0)) continue;
        if (t->memory == VTA_MEM_TABLE) { /* which has no padding */
            vt_form none = vt__form_of(p, t->pads[i]);
            vt__demand_between(p, out, &none, 0, 0, &NEGATIVE_PAD, &TABLE_PAD);
            continue;
        }
        vt_form pad = vt__form_of(p, t->pads[i]), *size = i % 2 ? &rows : &columns;
        vt__demand_between(p, out, &pad, 0, MAX_PAD, &NEGATIVE_PAD, &LARGE_PAD);
        *size = vt__form_add(size, &pad, 1);
    }
    vt__demand_between(p, out, &rows, 1, ANY, &NO_ROWS, &TALL);
    vt_form end = vt__form_mul(p, &rows, &columns);
    end = vt__form_add(&end, &sram, 1);
    vt__demand_between(p, out, &sram, 0, ANY, &BEFORE_SRAM, &BEHIND_SRAM);
    vt__demand_between(p, out, &end, 0, t->v->config->depth[t->memory], &BEFORE_SRAM, &BEHIND_SRAM);
    vt_form one = vt__form_const(1), steps = vt__form_add(&y, &one, -1), left;
    steps = vt__form_mul(p, &steps, &stride);
    left = vt__form_add(&t->elements, &offset, -1);
    left = vt__form_add(&left, &steps, -1);
    left = vt__form_add(&left, &x, -1);
    vt__demand(p, out, &offset, &y, &BEFORE_DRAM); /* without rows it reads nothing */
    vt__demand(p, out, &left, &y, &BEHIND_DRAM);
}

void vt__verify_transfer(vt_verifier *v, const vt_stmt *s, const vt_expr *call, bool loads) {
    if (call->n != (loads ? VT_OPERANDS(VTALoadBuffer2D) : VT_OPERANDS(VTAStoreBuffer2D)))
        vt__verify_fail(v, VT_RULE_TRANSFER, s, "it has another number of arguments");
    transfer t = read_call(v, call, loads);
    check_memory(v, s, call->a[loads ? LOAD(dst_memory_type) : STORE(src_memory_type)], loads, &t.memory);
    check_stage(v, s, t.memory);
    t.elements = tensor_elements(v, s, &t);
    vt__verify_prove(v, s, make_demands, &t);
}
