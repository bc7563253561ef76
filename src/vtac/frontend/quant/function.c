/* Operators of one element each in doubles: what a table of results is made of, which is rounded once. */
#include "frontend/quant/function.h"

#include <math.h>

static double between_0_and_1(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

#define VT_FN(name) name
#define VT_NUMBER(x) x
#define VT_UNARY(name, formula)                                                                                        \
    static double unary_##name(double x, double alpha, double beta) {                                                  \
        (void)alpha, (void)beta;                                                                                       \
        return formula;                                                                                                \
    }
#include "frontend/eval/unary.def"
#undef VT_UNARY

static bool is_unary(vt_gop op) {
    switch ((int)op) {
#define VT_UNARY(name, formula) case VT_G_##name:
#include "frontend/eval/unary.def"
#undef VT_UNARY
        return true;
    default: return false;
    }
}

bool vt__function_is_known(vt_gop op) {
    switch ((int)op) {
    case VT_G_CLIP:
    case VT_G_ABS:
    case VT_G_NEG:
    case VT_G_IDENTITY:
    case VT_G_ADD:
    case VT_G_SUB:
    case VT_G_MUL:
    case VT_G_DIV:
    case VT_G_MIN:
    case VT_G_MAX:
    case VT_G_POW:
    case VT_G_P_RELU: return true;
    default: return is_unary(op);
    }
}

/* As float32, which models hold attributes as. */
static double attribute(const vt_gnode *n, vt_gattr_name name) {
    for (uint32_t i = 0; i < n->attribute_count; i++)
        if (n->attributes[i].name == name) return (double)(float)n->attributes[i].f;
    return 0;
}

static double clipped(const vt_gnode *n, double x) {
    double low = attribute(n, VT_A_MIN), high = attribute(n, VT_A_MAX);
    x = x < low ? low : x;
    return x > high ? high : x;
}

static double unary_of(const vt_gnode *n, double x) {
    double alpha = attribute(n, VT_A_ALPHA), beta = attribute(n, VT_A_BETA);
    switch ((int)n->op) {
#define VT_UNARY(name, formula)                                                                                        \
    case VT_G_##name: return unary_##name(x, alpha, beta);
#include "frontend/eval/unary.def"
#undef VT_UNARY
    default: return x;
    }
}

double vt__function_of(const vt_gnode *n, double a, double b) {
    switch ((int)n->op) {
    case VT_G_CLIP: return clipped(n, a);
    case VT_G_ABS: return fabs(a);
    case VT_G_NEG: return -a;
    case VT_G_ADD: return a + b;
    case VT_G_SUB: return a - b;
    case VT_G_MUL: return a * b;
    case VT_G_DIV: return a / b;
    case VT_G_MIN: return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
    case VT_G_MAX: return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
    case VT_G_POW: return pow(a, b);
    case VT_G_P_RELU: return a < 0 ? a * b : a;
    default: return unary_of(n, a);
    }
}
