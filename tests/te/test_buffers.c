/* Buffers as statements see them: what is asked of them, their elements in one dimension, addresses of elements, and
 * how much is allocated. What is refused is in test_refusals.c. */
#include "te/stmt.h"
#include "te_test.h"
#include "vta/te_stmt.h"

typedef struct fixture {
    te_context *c;
    te_expr *n, *i;
    te_buffer *none, *row, *block, *far; /* of no dimension, n, 3 x 5 x n; n x 5 in acc, from element 8 i on */
} fixture;

static fixture make(void) {
    fixture f = {.c = context_with(NULL)};
    te_context *c = f.c;
    f.n = te_scalar(c, "n", "int32");
    f.i = te_variable(c, "i", "int32");
    te_expr *three = te_int(c, "int32", 3), *five = te_int(c, "int32", 5), *eight = te_int(c, "int32", 8);
    te_buffer_options o = {.size = sizeof o, .scope = "acc", .elem_offset = te_mul(c, f.i, eight), .offset_factor = 8};
    f.none = te_buffer_create(c, "none", "float32", 0, NULL, NULL);
    f.row = te_buffer_create(c, "row", "int8", 1, &f.n, NULL);
    f.block = te_buffer_create(c, "block", "uint16", 3, (te_expr *[]){three, five, f.n}, NULL);
    f.far = te_buffer_create(c, "far", "int32", 2, (te_expr *[]){f.n, five}, &o);
    assert_fine(c);
    return f;
}

static void assert_text(te_context *c, te_expr *e, const char *text) {
    if (!e != !text) fail_msg("%s, not %s", e ? te_expr_text(c, e) : "nothing", text ? text : "nothing");
    if (text) assert_string_equal(te_expr_text(c, e), text);
}

/* The same memory: its elements are one dimension, everything else stays. */
TEST_CASE(one_dimension) {
    fixture f = make();
    const struct {
        te_buffer *b;
        const char *name, *dtype, *offset, *size;
    } rows[] = {{f.none, "none", "float32", "0", "1"},
                {f.row, "row", "int8", "0", "n"},
                {f.block, "block", "uint16", "0", "(n*15)"},
                {f.far, "far", "int32", "(i*8)", "(n*5)"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        te_buffer *flat = te_buffer_flat(f.c, rows[r].b);
        assert_fine(f.c);
        assert_int_equal(te_buffer_ndim(flat), 1);
        assert_text(f.c, te_simplify(f.c, te_buffer_dim(flat, 0)), rows[r].size);
        assert_text(f.c, te_buffer_dim(flat, 1), NULL);
        assert_string_equal(te_buffer_name(flat), rows[r].name);
        assert_string_equal(te_buffer_dtype(f.c, flat), rows[r].dtype);
        assert_ptr_equal(te_buffer_data(flat), te_buffer_data(rows[r].b));
        assert_text(f.c, te_buffer_offset(flat), rows[r].offset);
        assert_text(f.c, te_buffer_stride(flat, 0), NULL);
    }
    assert_int_equal(te_buffer_ndim(f.block), 3); /* which it still has itself */
    te_context_destroy(f.c);
}

/* An address says where the elements begin, how many follow, and whether they are read (1) and written (2). On the chip
 * it is the number of an element. */
TEST_CASE(addresses) {
    fixture f = make();
    const struct {
        te_buffer *b;
        const char *access;
        te_expr *offset;
        const char *text, *dtype;
    } rows[] = {
        {f.none, "w", NULL, "none, 0, 1, 2", "handle"},
        {f.row, "r", NULL, "row, 0, n, 1", "handle"},
        {f.row, "rw", f.i, "row, i, (n - i), 3", "handle"},
        {f.block, "r", NULL, "block, 0, (n*15), 1", "handle"},
        {f.far, "wr", f.n, "far, ((i*8) + n), (n*4), 3", "int32"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        te_expr *at = te_simplify(f.c, te_buffer_access(f.c, rows[r].b, rows[r].access, rows[r].offset));
        char text[200];
        snprintf(text, sizeof text, "tir.tvm_access_ptr(tir.type_annotation(), %s)", rows[r].text);
        assert_text(f.c, at, text);
        assert_string_equal(te_expr_dtype(f.c, at), rows[r].dtype);
        assert_string_equal(te_expr_dtype(f.c, te_expr_operand(at, 0)), te_buffer_dtype(f.c, rows[r].b));
    }
    te_context_destroy(f.c);
}

/* The whole of a buffer is allocated, as one dimension. */
TEST_CASE(allocations) {
    fixture f = make();
    const struct {
        te_buffer *b;
        const char *text;
    } rows[] = {
        {f.none, "allocate(none: Pointer(float32), float32, [1]), storage_scope = global;\n0\n"},
        {f.row, "allocate(row: Pointer(int8), int8, [n: int32]), storage_scope = global;\n0\n"},
        {f.block, "allocate(block: Pointer(uint16), uint16, [(15*n: int32)]), storage_scope = global;\n0\n"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const vtac_stmt *s = te_stmt_allocate(f.c, rows[r].b, te_stmt_seq(f.c, 0, NULL));
        assert_fine(f.c);
        vt_strbuf sb;
        vt_strbuf_init(&sb, NULL);
        vt_print_stmt(vt_te_ctx(f.c), te__stmt_in(f.c, s, "a statement"), &sb);
        assert_string_equal(vt_strbuf_text(&sb), rows[r].text);
        vt_strbuf_free(&sb);
    }
    te_context_destroy(f.c);
}

int main(void) { return run_cases(); }
