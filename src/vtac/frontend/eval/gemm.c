/* Matrix products: the columns of b are packed tile by tile, and all rows of a pass by. */
#include <string.h>

#include "frontend/eval/priv.h"

enum { DEPTH = 256, MAX_ROWS = 8 }; /* rows of b that are packed at a time; rows of the largest tile */

/* Vectors that may stand anywhere in memory. */
typedef float vector_f32_16 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float vector_f32_32 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float vector_f32_64 __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint32_t vector_u32_16 __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t vector_u32_32 __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t vector_u32_64 __attribute__((vector_size(64), aligned(4), may_alias));

#define ELEMENT float
#define LANE float
#define VECTOR(bytes) vector_f32_##bytes
#define SUFFIX(name) name##_f32
#define GEMM vt__gemm_f32
#define PROBLEM vt_gemm_f32
#include "frontend/eval/gemm_any.inc"

#define ELEMENT int32_t
#define LANE uint32_t
#define VECTOR(bytes) vector_u32_##bytes
#define SUFFIX(name) name##_i32
#define GEMM vt__gemm_i32
#define PROBLEM vt_gemm_i32
#include "frontend/eval/gemm_any.inc"
