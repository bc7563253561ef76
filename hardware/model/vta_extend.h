// Read before the code that Verilator makes: sign extension by two shifts, which compilers know as one instruction. Its
// own way, -(x & sign) | x, they do not, and a product has two of them.
#include "verilated.h"

static inline IData vta_extend_i(int bits, IData x) {
    return static_cast<IData>(static_cast<int32_t>(x << (32 - bits)) >> (32 - bits));
}

static inline QData vta_extend_q(int bits, QData x) {
    return static_cast<QData>(static_cast<int64_t>(x << (64 - bits)) >> (64 - bits));
}

#define VL_EXTENDS_II(to, bits, x) vta_extend_i(bits, x)
#define VL_EXTENDS_QI(to, bits, x) vta_extend_q(bits, x)
#define VL_EXTENDS_QQ(to, bits, x) vta_extend_q(bits, x)
