/* Operators of one element each, as expressions of $0, $1, ... (vt_host_map_kernel). */
#include "network/float.h"

const char *vt__float_attribute(const vt__float_node *o, vt_gattr_name name) {
    char text[32];
    return vt_new_format(o->n->ctx, "%s", vt__number(text, (double)(float)vt_gattr_float(o->is, name)));
}

static bool is_float(const vt_gvalue *v) { return v->type.element == VT_ELEMENT_F32; }

static const char *with_attributes(const vt__float_node *o, const char *format, vt_gattr_name a, vt_gattr_name b) {
    return vt_new_format(o->n->ctx, format, vt__float_attribute(o, a), vt__float_attribute(o, b));
}

/* The result is cast to its element type. */
const char *vt__float_expression(const vt__float_node *o) {
    switch ((int)o->is->op) {
    case VT_G_RELU: return "max($0, 0.0)";
    case VT_G_LEAKY_RELU: return with_attributes(o, "select($0 < 0.0, %s * $0, $0)", VT_A_ALPHA, VT_A_ALPHA);
    case VT_G_CLIP:
        if (!is_float(o->is->inputs[0])) return NULL; /* the bounds are floats */
        return with_attributes(o, "min(max($0, %s), %s)", VT_A_MIN, VT_A_MAX);
    case VT_G_SIGMOID: return "1.0 / (1.0 + exp(0.0 - $0))";
    case VT_G_HARD_SIGMOID: return with_attributes(o, "max(0.0, min(1.0, %s * $0 + %s))", VT_A_ALPHA, VT_A_BETA);
    case VT_G_HARD_SWISH: return "$0 * max(0.0, min(1.0, $0 / 6.0 + 0.5))";
    case VT_G_ELU: return with_attributes(o, "select($0 < 0.0, %s * (exp($0) - 1.0), $0)", VT_A_ALPHA, VT_A_ALPHA);
    case VT_G_SOFTPLUS: return "max($0, 0.0) + log1p(exp(0.0 - fabs($0)))";
    case VT_G_TANH: return "tanh($0)";
    case VT_G_ERF: return "erf($0)";
    case VT_G_EXP: return "exp($0)";
    case VT_G_LOG: return "log($0)";
    case VT_G_SQRT: return "sqrt($0)";
    case VT_G_RECIPROCAL: return "1.0 / $0";
    case VT_G_FLOOR: return "floor($0)";
    case VT_G_CEIL: return "ceil($0)";
    case VT_G_ROUND: return "nearbyint($0)";
    case VT_G_ABS: return is_float(o->is->inputs[0]) ? "fabs($0)" : "abs($0)";
    case VT_G_NEG: return is_float(o->is->inputs[0]) ? "0.0 - $0" : "0 - $0";
    case VT_G_NOT: return "not $0";
    case VT_G_IDENTITY: return "$0";
    case VT_G_CAST: return o->l->output->type.element == VT_ELEMENT_BOOL ? "$0 != 0" : "$0";
    case VT_G_ADD: return "$0 + $1";
    case VT_G_SUB: return "$0 - $1";
    case VT_G_MUL: return "$0 * $1";
    case VT_G_DIV: return is_float(o->is->inputs[0]) ? "$0 / $1" : "truncdiv($0, $1)";
    case VT_G_MIN: return "min($0, $1)";
    case VT_G_MAX: return "max($0, $1)";
    case VT_G_POW: return "pow($0, $1)";
    case VT_G_P_RELU: return "select($0 < 0.0, $0 * $1, $0)";
    case VT_G_EQUAL: return "$0 == $1";
    case VT_G_LESS: return "$0 < $1";
    case VT_G_LESS_OR_EQUAL: return "$0 <= $1";
    case VT_G_GREATER: return "$0 > $1";
    case VT_G_GREATER_OR_EQUAL: return "$0 >= $1";
    case VT_G_AND: return "$0 && $1";
    case VT_G_OR: return "$0 || $1";
    case VT_G_XOR: return "$0 != $1";
    case VT_G_WHERE: return "select($0, $1, $2)";
    default: return NULL;
    }
}
