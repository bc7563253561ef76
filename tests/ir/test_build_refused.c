/* What constructors refuse, each just beyond what they take, with the message; and where an element of a buffer lies.
 */
#include "ir/support.h"
#include "ir/visit.h"

/* The operands of what is made. */
typedef struct parts {
    const vt_expr *zero, *one, *wide, *real, *truth, *truths, *pair, *four; /* the last two have lanes */
    const vt_var *handle;
    const vt_buffer *flat, *square;
    const vt_tensor *tensor;
} parts;

static parts make_parts(vt_ctx *ctx) {
    parts p = {.zero = vt_i32(ctx, 0), .one = vt_i32(ctx, 1), .wide = vt_i64(ctx, 1)};
    const vt_expr *shape[] = {vt_i32(ctx, 2), vt_i32(ctx, 3), vt_i32(ctx, 4)};
    p.real = vt_float(ctx, VT_F32, 1);
    p.truth = vt_bool(ctx, true);
    p.truths = vt_e_broadcast(ctx, p.truth, 4);
    p.pair = vt_e_ramp(ctx, p.zero, p.one, 2);
    p.four = vt_e_ramp(ctx, p.zero, p.one, 4);
    p.handle = vt_var_new(ctx, "h", VT_HANDLE_T);
    p.flat = vt_buffer_new(ctx, "A", NULL, VT_I32, 1, shape);
    p.square = vt_buffer_new(ctx, "B", NULL, VT_I32, 3, shape);
    vt_tensor *t = VT_NEW(ctx, vt_tensor);
    *t = (vt_tensor){.name = "T", .dtype = VT_I32, .ndim = 3, .shape = vt_exprs_copy(ctx, 3, shape)};
    p.tensor = t;
    return p;
}

enum {
    LOAD_TWO,
    LOAD_REAL,
    PLOAD_TWO,
    PLOAD_REAL,
    STORE_TWO,
    STORE_NONE,
    OFFSET_TWO,
    OFFSET_STRIDED,
    AND_NUMBERS,
    NOT_NUMBER,
    SELECT_NUMBER,
    SELECT_TYPES,
    RAMP_ONE_LANE,
    RAMP_VECTOR,
    RAMP_STRIDES,
    RAMP_TYPES,
    BROADCAST_ONE_LANE,
    BROADCAST_VECTOR,
    CAST_LANES,
    INT_OF_FLOAT,
    FLOAT_OF_INT,
    ADD_HANDLE,
    ADD_TO_HANDLE,
    ADD_LANES,
    LET_TYPES,
    REFUSALS
};

static vta_status build(vt_ctx *ctx, void *arg) {
    const parts p = make_parts(ctx);
    const vt_expr *two[] = {p.zero, p.zero}, *real[] = {p.zero, p.one, p.real}, *real_first[] = {p.real, p.zero, p.one};
    vt_buffer strided = *p.square;
    strided.n_strides = 3;
    strided.strides = p.square->shape;
    switch (*(int *)arg) {
    case LOAD_TWO: vt_e_load(ctx, p.square, 2, two); break;
    case LOAD_REAL: vt_e_load(ctx, p.square, 3, real); break;
    case PLOAD_TWO: vt_e_pload(ctx, p.tensor, 2, two); break;
    case PLOAD_REAL: vt_e_pload(ctx, p.tensor, 3, real_first); break;
    case STORE_TWO: vt_s_store(ctx, p.square, p.one, 2, two); break;
    case STORE_NONE: vt_s_store(ctx, p.flat, p.one, 0, NULL); break;
    case OFFSET_TWO: vt_buffer_offset(ctx, p.square, 2, two); break;
    case OFFSET_STRIDED: vt_buffer_offset(ctx, &strided, 1, two); break;
    case AND_NUMBERS: vt_e_bin(ctx, VT_E_AND, p.zero, p.one); break;
    case NOT_NUMBER: vt_e_not(ctx, p.four); break;
    case SELECT_NUMBER: vt_e_select(ctx, p.real, p.zero, p.one); break;
    case SELECT_TYPES: vt_e_select(ctx, p.truth, p.zero, p.wide); break;
    case RAMP_ONE_LANE: vt_e_ramp(ctx, p.zero, p.one, 1); break;
    case RAMP_VECTOR: vt_e_ramp(ctx, p.pair, p.one, 2); break;
    case RAMP_STRIDES: vt_e_ramp(ctx, p.one, p.pair, 2); break;
    case RAMP_TYPES: vt_e_ramp(ctx, p.zero, p.wide, 2); break;
    case BROADCAST_ONE_LANE: vt_e_broadcast(ctx, p.one, 1); break;
    case BROADCAST_VECTOR: vt_e_broadcast(ctx, p.pair, 2); break;
    case CAST_LANES: vt_e_cast(ctx, VT_I64, p.pair); break;
    case INT_OF_FLOAT: vt_int(ctx, VT_F32, 1); break;
    case FLOAT_OF_INT: vt_float(ctx, VT_I32, 1); break;
    case ADD_HANDLE: vt_add(ctx, p.handle, p.one); break;
    case ADD_TO_HANDLE: vt_add(ctx, p.one, p.handle); break;
    case ADD_LANES: vt_add(ctx, p.pair, p.four); break;
    case LET_TYPES: vt_e_let(ctx, vt_var_new(ctx, "v", VT_I64), p.one, p.one); break;
    default: fail_msg("no such case");
    }
    return VTA_OK;
}

TEST_CASE(test_refused) {
    static const struct {
        vta_status status;
        const char *words;
    } rows[REFUSALS] = {
        [LOAD_TWO] = {VTA_INTERNAL, "error: load of B with 2 indices: it has 3 dimensions"},
        [LOAD_REAL] = {VTA_INTERNAL, "error: load of B: index 2 is not an integer"},
        [PLOAD_TWO] = {VTA_INTERNAL, "error: load of T with 2 indices: it has 3 dimensions"},
        [PLOAD_REAL] = {VTA_INTERNAL, "error: load of T: index 0 is not an integer"},
        [STORE_TWO] = {VTA_INTERNAL, "error: store to B with 2 indices: it has 3 dimensions"},
        [STORE_NONE] = {VTA_INTERNAL, "error: store to A with 0 indices: it has 1 dimensions"},
        [OFFSET_TWO] = {VTA_INTERNAL, "error: 2 indices into B, which has 3 dimensions"},
        [OFFSET_STRIDED] = {VTA_INTERNAL, "error: 1 indices into B, which has 3 dimensions"},
        [AND_NUMBERS] = {VTA_MISMATCH, "error: and needs bool operands, got int32"},
        [NOT_NUMBER] = {VTA_MISMATCH, "error: not needs bool operands, got int32x4"},
        [SELECT_NUMBER] = {VTA_MISMATCH, "error: select needs bool operands, got float32"},
        [SELECT_TYPES] = {VTA_MISMATCH, "error: operands of select differ in type: int32 and int64; cast one of them"},
        [RAMP_ONE_LANE] = {VTA_INTERNAL, "error: a ramp needs two scalars and more than one lane"},
        [RAMP_VECTOR] = {VTA_INTERNAL, "error: a ramp needs two scalars and more than one lane"},
        [RAMP_STRIDES] = {VTA_INTERNAL, "error: a ramp needs two scalars and more than one lane"},
        [RAMP_TYPES] = {VTA_MISMATCH, "error: operands of ramp differ in type: int32 and int64; cast one of them"},
        [BROADCAST_ONE_LANE] = {VTA_INTERNAL, "error: a broadcast needs a scalar and more than one lane"},
        [BROADCAST_VECTOR] = {VTA_INTERNAL, "error: a broadcast needs a scalar and more than one lane"},
        [CAST_LANES] = {VTA_INTERNAL, "error: a cast cannot change the number of lanes"},
        [INT_OF_FLOAT] = {VTA_INTERNAL, "error: an integer constant needs an integer type"},
        [FLOAT_OF_INT] = {VTA_INTERNAL, "error: a float constant needs a float type"},
        [ADD_HANDLE] = {VTA_MISMATCH, "error: a handle cannot be an operand of arithmetic"},
        [ADD_TO_HANDLE] = {VTA_MISMATCH, "error: a handle cannot be an operand of arithmetic"},
        [ADD_LANES] = {VTA_MISMATCH, "error: operands with 2 and 4 lanes cannot meet"},
        [LET_TYPES] = {VTA_MISMATCH, "error: operands of let differ in type: int64 and int32; cast one of them"},
    };
    for (int n = 0; n < REFUSALS; n++) run_in_context(build, &n, rows[n].status, rows[n].words);
}

/* What lies just on this side of it is taken: one index for all, one scalar for all lanes, truth values of any number
 * of lanes, two lanes. */
static vta_status taken(vt_ctx *ctx, void *arg) {
    (void)arg;
    const parts p = make_parts(ctx);
    const vt_expr *three[] = {p.zero, p.one, p.four};
    assert_int_equal(vt_e_load(ctx, p.square, 1, three)->dtype.lanes, 1);
    assert_int_equal(vt_e_load(ctx, p.square, 3, three)->dtype.lanes, 4);
    assert_int_equal(vt_e_pload(ctx, p.tensor, 1, three)->n, 1);
    assert_int_equal(vt_e_not(ctx, p.truths)->dtype.lanes, 4);
    assert_int_equal(vt_e_bin(ctx, VT_E_OR, p.truths, p.truths)->dtype.lanes, 4);
    assert_int_equal(vt_e_bin(ctx, VT_E_LT, p.four, p.four)->dtype.lanes, 4);
    assert_int_equal(vt_add(ctx, p.one, p.pair)->a[0]->kind, VT_E_BROADCAST);
    assert_int_equal(vt_add(ctx, p.pair, p.one)->a[1]->kind, VT_E_BROADCAST);
    assert_int_equal(vt_e_broadcast(ctx, p.real, 2)->dtype.lanes, 2);
    return VTA_OK;
}

/* In a buffer of 2 x 3 x 4, element (1, 2, 3): one behind the other, from an offset on, and with strides. */
static vta_status offsets(vt_ctx *ctx, void *arg) {
    (void)arg;
    const parts p = make_parts(ctx);
    const vt_expr *at[] = {p.one, vt_i32(ctx, 2), vt_i32(ctx, 3)};
    const vt_expr *apart[] = {vt_i32(ctx, 100), vt_i32(ctx, 20), vt_i32(ctx, 7)};
    vt_buffer b = *p.square;
    assert_true(vt_is_const(vt_buffer_offset(ctx, &b, 3, at), (1 * 3 + 2) * 4 + 3));
    assert_ptr_equal(vt_buffer_offset(ctx, &b, 1, at + 2), at[2]);
    b.elem_offset = vt_i32(ctx, 5);
    assert_true(vt_is_const(vt_buffer_offset(ctx, &b, 3, at), (1 * 3 + 2) * 4 + 3 + 5));
    assert_true(vt_is_const(vt_buffer_offset(ctx, &b, 1, at + 2), 3 + 5));
    b.n_strides = 3;
    b.strides = apart;
    assert_true(vt_is_const(vt_buffer_offset(ctx, &b, 3, at), 1 * 100 + 2 * 20 + 3 * 7 + 5));
    const vt_buffer *scalar = vt_buffer_new(ctx, "S", NULL, VT_I32, 0, NULL);
    assert_ptr_equal(vt_buffer_offset(ctx, scalar, 0, NULL), scalar->elem_offset);
    return VTA_OK;
}

TEST_CASE(test_taken) { run_in_context(taken, NULL, VTA_OK, NULL); }
TEST_CASE(test_offsets) { run_in_context(offsets, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
