/* Operators of one element each, as expressions of $0, $1, ... (vt_host_map_kernel). */
#include <math.h>

#include "network/float.h"

const char *vt__float_attribute(const vt__float_node *o, vt_gattr_name name) {
    char text[32];
    double x = (double)(float)vt_gattr_float(o->is, name);
    /* beside a float64 a number keeps all its digits */
    if (o->is->inputs[0]->type.element == VT_ELEMENT_F64 && isfinite(x))
        return vt_new_format(o->n->ctx, x == floor(x) ? "%.1f" : "%.17g", x);
    return vt_new_format(o->n->ctx, "%s", vt__number(text, x));
}

static bool is_float(const vt_gvalue *v) {
    return v->type.element == VT_ELEMENT_F32 || v->type.element == VT_ELEMENT_F64;
}

static const char *with_attributes(const vt__float_node *o, const char *format, vt_gattr_name a, vt_gattr_name b) {
    return vt_new_format(o->n->ctx, format, vt__float_attribute(o, a), vt__float_attribute(o, b));
}

/* What is not a number stays so in all that compares; min() and max() of the language say nothing of it. Neither the
 * comparison of a number with itself nor a negated one is left alone by the simplifier. */
#define IS_NUMBER(x) "fabs(" x ") <= float32(1e39)"

/* The first or the second, where `better` holds of the second and the first, or it is not a number. */
static const char *smaller_or_larger(const vt__float_node *o, const char *better, const char *of_integers) {
    if (!is_float(o->is->inputs[0])) return of_integers;
    return vt_new_format(o->n->ctx, "select(" IS_NUMBER("$1") ", select($1 %s $0, $1, $0), $1)", better);
}

/* Within 0 and 1. */
static const char *unit_part(const vt__float_node *o, const char *x) {
    return vt_new_format(o->n->ctx, "select(%s < 0.0, 0.0, select(%s > 1.0, 1.0, %s))", x, x, x);
}

/* Bounds that cross: the upper one is the result. */
static const char *clip(const vt__float_node *o) {
    bool crossed = vt_gattr_float(o->is, VT_A_MIN) > vt_gattr_float(o->is, VT_A_MAX);
    const char *high = vt__float_attribute(o, VT_A_MAX), *low = crossed ? high : vt__float_attribute(o, VT_A_MIN);
    return vt_new_format(o->n->ctx, "select($0 < %s, %s, select($0 > %s, %s, $0))", low, low, high, high);
}

static double within(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

/* The bounds cut off at the type's ends; NULL: a number has more digits than a double. */
static const char *clip_integers(const vt__float_node *o) {
    vt_element e = o->is->inputs[0]->type.element;
    double least = vt_element_least(e), most = vt_element_max(e);
    if (vt_element_bytes(e) == 8) return NULL;
    return vt_new_format(o->n->ctx, "min(max(int64($0), int64(%.0f)), int64(%.0f))",
                         trunc(within(vt_gattr_float(o->is, VT_A_MIN), least, most)),
                         trunc(within(vt_gattr_float(o->is, VT_A_MAX), least, most)));
}

/* Towards zero, within the type; what is not a number becomes 0. */
static const char *cast(const vt__float_node *o) {
    vt_element from = o->is->inputs[0]->type.element, to = o->l->output->type.element;
    bool real = from == VT_ELEMENT_F32 || from == VT_ELEMENT_F64;
    if (to == VT_ELEMENT_BOOL) return "not ($0 == 0)";
    if (!real || to == VT_ELEMENT_F32 || to == VT_ELEMENT_F64) return "$0";
    const char *text = vt_element_text(to);
    double least = vt_element_least(to), most = vt_element_max(to);
    if (from == VT_ELEMENT_F64 || vt_element_bytes(to) == 8) return "$0";
    /* 2^31 is a float32, and the largest int32 is not: from there on the integer is said by its own number */
    return vt_new_format(o->n->ctx,
                         "select(%s, select($0 >= %.1f, %s(%.0f), select($0 <= %.1f, %s(%.0f), %s($0))), %s(0))",
                         IS_NUMBER("$0"), most < 0x1p24 ? most : most + 1, text, most, least, text, least, text, text);
}

/* Of integers: the evaluator refuses a divisor of zero, and the machine must not stop at one. */
#define QUOTIENT "select($1 == 0, 0, select($1 == -1, 0 - $0, truncdiv($0, select($1 == 0 || $1 == -1, 1, $1))))"
#define QUOTIENT_UNSIGNED "select($1 == 0, 0, truncdiv($0, select($1 == 0, 1, $1)))"

static const char *quotient(const vt__float_node *o) {
    const vt_gvalue *v = o->is->inputs[0];
    if (is_float(v)) return "$0 / $1";
    return vt_element_least(v->type.element) < 0 ? QUOTIENT : QUOTIENT_UNSIGNED;
}

/* The result is cast to its element type. */
const char *vt__float_expression(vt__float_node *o) {
    switch ((int)o->is->op) {
    case VT_G_RELU: return "select($0 < 0.0, 0.0, $0)";
    case VT_G_LEAKY_RELU: return with_attributes(o, "select($0 < 0.0, %s * $0, $0)", VT_A_ALPHA, VT_A_ALPHA);
    case VT_G_CLIP: return is_float(o->is->inputs[0]) ? clip(o) : clip_integers(o);
    case VT_G_SIGMOID: return "1.0 / (1.0 + exp(0.0 - $0))";
    case VT_G_HARD_SIGMOID: return unit_part(o, with_attributes(o, "(%s * $0 + %s)", VT_A_ALPHA, VT_A_BETA));
    case VT_G_HARD_SWISH: return vt_new_format(o->n->ctx, "$0 * %s", unit_part(o, "($0 / 6.0 + 0.5)"));
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
    case VT_G_NEG: return is_float(o->is->inputs[0]) ? "$0 * (-1.0)" : "0 - $0";
    case VT_G_NOT: return "not $0";
    case VT_G_EXPAND:
    case VT_G_IDENTITY: return "$0";
    case VT_G_CAST: return cast(o);
    case VT_G_ADD: return "$0 + $1";
    case VT_G_SUB: return "$0 - $1";
    case VT_G_MUL: return "$0 * $1";
    case VT_G_DIV: return quotient(o);
    case VT_G_MIN: return smaller_or_larger(o, "<", "min($0, $1)");
    case VT_G_MAX: return smaller_or_larger(o, ">", "max($0, $1)");
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
    case VT_G_QUANTIZE_LINEAR:
    case VT_G_DEQUANTIZE_LINEAR: return vt__float_quantized(o);
    default: return vt__float_bits(o);
    }
}
