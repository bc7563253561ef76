/* Element types: a code, a width, a number of lanes (as in DLPack). */
#ifndef VT_IR_DTYPE_H
#define VT_IR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum vt_dtype_code { VT_INT = 0, VT_UINT = 1, VT_FLOAT = 2, VT_HANDLE = 3 } vt_dtype_code;

typedef struct vt_dtype {
    uint8_t code; /* vt_dtype_code */
    uint8_t bits; /* bool is uint1 */
    uint16_t lanes;
} vt_dtype;

#define VT_DTYPE(code_, bits_, lanes_) ((vt_dtype){(uint8_t)(code_), (uint8_t)(bits_), (uint16_t)(lanes_)})
#define VT_I8 VT_DTYPE(VT_INT, 8, 1)
#define VT_I16 VT_DTYPE(VT_INT, 16, 1)
#define VT_I32 VT_DTYPE(VT_INT, 32, 1)
#define VT_I64 VT_DTYPE(VT_INT, 64, 1)
#define VT_U8 VT_DTYPE(VT_UINT, 8, 1)
#define VT_U32 VT_DTYPE(VT_UINT, 32, 1)
#define VT_U64 VT_DTYPE(VT_UINT, 64, 1)
#define VT_BOOL VT_DTYPE(VT_UINT, 1, 1)
#define VT_F32 VT_DTYPE(VT_FLOAT, 32, 1)
#define VT_F64 VT_DTYPE(VT_FLOAT, 64, 1)
#define VT_HANDLE_T VT_DTYPE(VT_HANDLE, 64, 1)
/* No value: the type of what is only done (a loop body's call, an opaque node). */
#define VT_VOID_T VT_DTYPE(VT_HANDLE, 0, 0)

/* The longest text vt_dtype_text makes, with its zero. */
#define VT_DTYPE_TEXT 24

static inline bool vt_dtype_eq(vt_dtype a, vt_dtype b) {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
static inline bool vt_dtype_is_bool(vt_dtype t) { return t.code == VT_UINT && t.bits == 1; }
static inline bool vt_dtype_is_int(vt_dtype t) { return t.code == VT_INT; }
static inline bool vt_dtype_is_uint(vt_dtype t) { return t.code == VT_UINT; }
/* Signed or unsigned, bool too. */
static inline bool vt_dtype_is_integral(vt_dtype t) { return t.code == VT_INT || t.code == VT_UINT; }
static inline bool vt_dtype_is_float(vt_dtype t) { return t.code == VT_FLOAT; }
static inline bool vt_dtype_is_handle(vt_dtype t) { return t.code == VT_HANDLE && t.bits == 64; }
/* What index arithmetic is done in: scalar int32 or int64. The simplifier's rules hold for these. */
static inline bool vt_dtype_is_index(vt_dtype t) {
    return t.code == VT_INT && t.lanes == 1 && (t.bits == 32 || t.bits == 64);
}
static inline vt_dtype vt_dtype_lanes(vt_dtype t, uint16_t lanes) { return VT_DTYPE(t.code, t.bits, lanes); }
static inline vt_dtype vt_dtype_elem(vt_dtype t) { return vt_dtype_lanes(t, 1); }
/* Bytes that one value (all lanes) takes in memory; bool takes one. */
static inline size_t vt_dtype_bytes(vt_dtype t) { return ((size_t)t.bits * t.lanes + 7) / 8; }
/* The range of a scalar integer type, clamped to int64. */
int64_t vt_dtype_min_int(vt_dtype t);
int64_t vt_dtype_max_int(vt_dtype t);

/* "int8", "bool", "float32x4", "handle", "void"; `out` holds VT_DTYPE_TEXT. Returns out. */
const char *vt_dtype_text(vt_dtype t, char *out);
/* The reverse; false for anything else. */
bool vt_dtype_parse(const char *text, vt_dtype *out_type);

#endif
