/* Replacing variables in buffers: one whose data, shape, strides or offset name a replaced variable becomes a copy with
 * that in its place, the same for all uses; one that names none stays the one it is. */
#include "ir/support.h"
#include "ir/visit.h"

/* What of a buffer of two dimensions names the variable n; the rest are numbers. */
typedef enum place { NOWHERE, SHAPE_0, SHAPE_1, STRIDE_0, STRIDE_1, OFFSET, DATA, PLACES } place;

typedef struct fixture {
    const vt_var *n, *data, *other;
    const vt_expr *numbers[PLACES];
} fixture;

static fixture make(vt_ctx *ctx) {
    fixture f = {.n = vt_var_new_size(ctx, "n", VT_I32),
                 .data = vt_var_new_pointer(ctx, "A", VT_I32, "local"),
                 .other = vt_var_new_pointer(ctx, "B", VT_I32, "local")};
    for (int k = 0; k < PLACES; k++) f.numbers[k] = vt_i32(ctx, 10 + k);
    return f;
}

static const vt_expr *at(const fixture *f, place p, place named) { return p == named ? f->n : f->numbers[p]; }

/* Without strides where none is named, as most are. */
static const vt_buffer *make_buffer(vt_ctx *ctx, const fixture *f, place named, bool strides) {
    const vt_expr *shape[] = {at(f, SHAPE_0, named), at(f, SHAPE_1, named)};
    const vt_expr *steps[] = {at(f, STRIDE_0, named), at(f, STRIDE_1, named)};
    vt_buffer fields = *vt_buffer_new(ctx, "A", f->data, VT_I32, 2, shape);
    fields.n_strides = strides ? 2 : 0;
    fields.strides = vt_exprs_copy(ctx, fields.n_strides, steps);
    fields.elem_offset = at(f, OFFSET, named);
    fields.data_alignment = 16;
    fields.offset_factor = 4;
    return vt_buffer_with(ctx, &fields);
}

/* A[0, 1] = A[1, 0] */
static const vt_stmt *copy_in(vt_ctx *ctx, const vt_buffer *b) {
    const vt_expr *zero = vt_i32(ctx, 0), *one = vt_i32(ctx, 1), *to[] = {zero, one}, *from[] = {one, zero};
    return vt_s_store(ctx, b, vt_e_load(ctx, b, 2, from), 2, to);
}

/* What stands where the variable was: 7 for n, B for A. */
static void check_place(const fixture *f, const vt_expr *got, place p, place named) {
    int64_t want = p == named ? 7 : 10 + p;
    if (p == DATA)
        assert_ptr_equal(got, named == DATA ? f->other : f->data);
    else if (!vt_is_const(got, want))
        fail_msg("named at %d: not %d at %d", named, (int)want, p);
}

static void check_buffer(const fixture *f, const vt_buffer *before, const vt_buffer *after, place named) {
    if (named == NOWHERE) assert_ptr_equal(before, after);
    check_place(f, after->data, DATA, named);
    check_place(f, after->shape[0], SHAPE_0, named);
    check_place(f, after->shape[1], SHAPE_1, named);
    assert_int_equal(after->n_strides, before->n_strides);
    for (int k = 0; k < (int)before->n_strides; k++) check_place(f, after->strides[k], (place)(STRIDE_0 + k), named);
    check_place(f, after->elem_offset, OFFSET, named);
    assert_string_equal(after->name, "A");
    assert_int_equal(after->ndim, 2);
    assert_int_equal(after->data_alignment, 16);
    assert_int_equal(after->offset_factor, 4);
}

static vta_status buffers(vt_ctx *ctx, void *arg) {
    (void)arg;
    fixture f = make(ctx);
    for (int strides = 0; strides < 2; strides++)
        for (place named = NOWHERE; named < PLACES; named++) {
            if (!strides && (named == STRIDE_0 || named == STRIDE_1)) continue;
            const vt_buffer *b = make_buffer(ctx, &f, named, strides);
            const vt_stmt *s = copy_in(ctx, b);
            vt_varmap *map = vt_varmap_new(ctx);
            vt_varmap_set(map, f.n, vt_i32(ctx, 7));
            if (named == DATA) vt_varmap_set(map, f.data, f.other);
            const vt_stmt *got = vt_substitute_stmt(ctx, s, map);
            assert_int_equal(got == s, named == NOWHERE);
            check_buffer(&f, b, got->u.store.buffer, named);
            assert_ptr_equal(got->u.store.value->u.buffer, got->u.store.buffer);
            assert_ptr_equal(s->u.store.buffer, b);
            check_buffer(&f, b, vt_substitute(ctx, s->u.store.value, map)->u.buffer, named);
        }
    return VTA_OK;
}

/* Of variables that it does not name nothing is new; data that becomes no variable stays the buffer's. */
static vta_status others(vt_ctx *ctx, void *arg) {
    (void)arg;
    fixture f = make(ctx);
    for (place named = NOWHERE; named < PLACES; named++) {
        const vt_stmt *s = copy_in(ctx, make_buffer(ctx, &f, named, true));
        assert_ptr_equal(vt_substitute1_stmt(ctx, s, vt_var_new(ctx, "m", VT_I32), vt_i32(ctx, 3)), s);
        assert_ptr_equal(vt_substitute_stmt(ctx, s, vt_varmap_new(ctx)), s);
    }
    const vt_stmt *s = copy_in(ctx, make_buffer(ctx, &f, NOWHERE, false));
    const vt_expr *call = vt_e_call_extern(ctx, VT_HANDLE_T, "memory", 0, NULL);
    assert_ptr_equal(vt_substitute1_stmt(ctx, s, f.data, call), s);
    assert_null(vt_substitute(ctx, NULL, vt_varmap_new(ctx)));
    assert_null(vt_substitute_stmt(ctx, NULL, vt_varmap_new(ctx)));
    return VTA_OK;
}

TEST_CASE(test_buffers) { run_in_context(buffers, NULL, VTA_OK, NULL); }
TEST_CASE(test_others) { run_in_context(others, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
