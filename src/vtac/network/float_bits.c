/* Operators of one element each that few networks have: angles, remainders, bits. Expressions as in float_elements.c.
 */
#include "network/float.h"

static const char *angle(vt_gop op) {
    switch ((int)op) {
    case VT_G_SIN: return "sin($0)";
    case VT_G_COS: return "cos($0)";
    case VT_G_TAN: return "tan($0)";
    case VT_G_ASIN: return "asin($0)";
    case VT_G_ACOS: return "acos($0)";
    case VT_G_ATAN: return "atan($0)";
    case VT_G_SINH: return "sinh($0)";
    case VT_G_COSH: return "cosh($0)";
    case VT_G_ASINH: return "asinh($0)";
    case VT_G_ACOSH: return "acosh($0)";
    case VT_G_ATANH: return "atanh($0)";
    default: return NULL;
    }
}

/* By -1 nothing is left, and the machine must not divide the least number by it. */
static const char *remainder_of(const vt__float_node *o) {
    vt_element e = o->is->inputs[0]->type.element;
    bool truncated = vt_gattr_int(o->is, VT_A_TRUNCATED) != 0;
    if (e == VT_ELEMENT_F32 || e == VT_ELEMENT_F64) return "fmod($0, $1)";
    if (vt_element_least(e) == 0) return "truncmod($0, $1)";
    return truncated ? "select($1 == -1, 0, truncmod($0, select($1 == -1, 1, $1)))"
                     : "select($1 == -1, 0, $0 % select($1 == -1, 1, $1))";
}

const char *vt__float_bits(const vt__float_node *o) {
    switch ((int)o->is->op) {
    case VT_G_MOD: return remainder_of(o);
    case VT_G_BITWISE_AND: return "$0 & $1";
    case VT_G_BITWISE_OR: return "$0 | $1";
    case VT_G_BITWISE_XOR: return "$0 ^ $1";
    case VT_G_BITWISE_NOT: return "0 - $0 - 1";
    case VT_G_SHIFT_LEFT: return "$0 << $1";
    case VT_G_SHIFT_RIGHT: return "$0 >> $1";
    default: return angle(o->is->op);
    }
}
