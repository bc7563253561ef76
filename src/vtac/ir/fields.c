#include "ir/fields.h"

#define ONE(type, member, field) {type, offsetof(vt_stmt, u.member.field), 0, #field}
#define MANY(type, member, field)                                                                                      \
    {type, offsetof(vt_stmt, u.member.field), offsetof(vt_stmt, u.member.n_##field), #field}
#define ROW_EXPR(m, f) ONE(VT__EXPR, m, f)
#define ROW_STMT(m, f) ONE(VT__STMT, m, f)
#define ROW_VAR(m, f) ONE(VT__VAR, m, f)
#define ROW_BUFFER(m, f) ONE(VT__BUFFER, m, f)
#define ROW_TENSOR(m, f) ONE(VT__TENSOR, m, f)
#define ROW_REF(m, f) ONE(VT__REF, m, f)
#define ROW_ITER(m, f) ONE(VT__ITER, m, f)
#define ROW_TEXT(m, f) ONE(VT__TEXT, m, f)
#define ROW_WORD(m, f) ONE(VT__WORD, m, f)
#define ROW_DTYPE(m, f) ONE(VT__DTYPE, m, f)
#define ROW_EXPRS(m, f) MANY(VT__EXPRS, m, f)
#define ROW_STMTS(m, f) MANY(VT__STMTS, m, f)
#define ROW_RANGES(m, f) MANY(VT__RANGES, m, f)
#define ROW_ITERS(m, f) MANY(VT__ITERS, m, f)
#define ROW_REGIONS(m, f) MANY(VT__REGIONS, m, f)
#define ROW_BUFFERS(m, f) MANY(VT__BUFFERS, m, f)
#define ROW_NOTES(m, f) MANY(VT__NOTES, m, f)

const vt__field vt__field_rows[] = {
#define VT_STMT(name, text, member)
#define VT_FIELD(name, member, field, type) ROW_##type(member, field),
#include "ir/stmt.def"
#undef VT_STMT
#undef VT_FIELD
};

/* START_X is the number of the first row of kind X: BEFORE_X steps back, so that the row after it has that number. */
enum {
#define VT_STMT(name, text, member) START_##name, BEFORE_##name = START_##name - 1,
#define VT_FIELD(name, member, field, type) AT_##name##_##field,
#include "ir/stmt.def"
#undef VT_STMT
#undef VT_FIELD
};

const uint8_t vt__field_starts[VT_S_COUNT + 1] = {
#define VT_STMT(name, text, member) START_##name,
#define VT_FIELD(name, member, field, type)
#include "ir/stmt.def"
#undef VT_STMT
#undef VT_FIELD
    sizeof vt__field_rows / sizeof *vt__field_rows};
