/* Activations, each a function over simpler operators: what ONNX gives as their definition. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/make.h"

/* 0.5 * x * (1 + erf(x / sqrt(2))), or with a tanh in the place of the error function. */
vt_gvalue *vt__mk_gelu(const vt_onnx_node *n, vt_gvalue *x, bool tanh_form) {
    vt_gvalue *inner;
    if (tanh_form) {
        vt_gvalue *cube = vt__mk_two(n, VT_G_MUL, vt__mk_two(n, VT_G_MUL, x, x), x);
        inner = vt__mk_two(n, VT_G_ADD, x, vt__mk_with(n, VT_G_MUL, cube, 0.044715));
        inner = vt__mk_one(n, VT_G_TANH, vt__mk_with(n, VT_G_MUL, inner, 0.7978845608028654));
    } else {
        inner = vt__mk_one(n, VT_G_ERF, vt__mk_with(n, VT_G_MUL, x, 0.7071067811865476));
    }
    vt_gvalue *half = vt__mk_with(n, VT_G_MUL, x, 0.5);
    return vt__mk_two(n, VT_G_MUL, half, vt__mk_with(n, VT_G_ADD, inner, 1));
}

static vt_gvalue *float_input(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt__onnx_want_floats(n, x);
    return x;
}

void vt__onnx_gelu(const vt_onnx_node *n) {
    bool tanh_form = !strcmp(vt__onnx_string(n, "approximate", "none"), "tanh");
    vt__onnx_out(n, 0, vt__mk_gelu(n, float_input(n), tanh_form));
}

void vt__onnx_swish(const vt_onnx_node *n) {
    vt_gvalue *x = float_input(n);
    double alpha = vt__onnx_float(n, "alpha", 1);
    vt_gvalue *part = vt__mk_one(n, VT_G_SIGMOID, alpha == 1 ? x : vt__mk_with(n, VT_G_MUL, x, alpha));
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_MUL, x, part));
}

void vt__onnx_mish(const vt_onnx_node *n) {
    vt_gvalue *x = float_input(n), *soft = vt__mk_one(n, VT_G_SOFTPLUS, x);
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_MUL, x, vt__mk_one(n, VT_G_TANH, soft)));
}

void vt__onnx_selu(const vt_onnx_node *n) {
    double alpha = vt__onnx_float(n, "alpha", (double)1.67326319217681884765625f);
    double gamma = vt__onnx_float(n, "gamma", (double)1.05070102214813232421875f);
    vt_gvalue *x = float_input(n);
    x = vt__onnx_make(n, VT_G_ELU, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_FLOAT(ALPHA, alpha)));
    vt__onnx_out(n, 0, vt__mk_with(n, VT_G_MUL, x, gamma));
}

/* max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0) */
void vt__onnx_celu(const vt_onnx_node *n) {
    double alpha = vt__onnx_float(n, "alpha", 1);
    vt_gvalue *x = float_input(n);
    if (alpha == 0) vt__onnx_wrong(n, "attribute alpha is 0, by which x is divided");
    vt_gvalue *low = vt__mk_one(n, VT_G_EXP, vt__mk_with(n, VT_G_DIV, x, alpha));
    low = vt__mk_with(n, VT_G_MUL, vt__mk_with(n, VT_G_SUB, low, 1), alpha);
    low = vt__mk_with(n, VT_G_MIN, low, 0);
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_ADD, vt__mk_one(n, VT_G_RELU, x), low));
}

static vt_gvalue *where_or_zero(const vt_onnx_node *n, vt_gvalue *condition, vt_gvalue *x) {
    return vt__mk_where(n, condition, x, vt__mk_number(n, x->type.element, 0));
}

void vt__onnx_thresholded_relu(const vt_onnx_node *n) {
    vt_gvalue *x = float_input(n);
    vt__onnx_out(n, 0, where_or_zero(n, vt__mk_with(n, VT_G_GREATER, x, vt__onnx_float(n, "alpha", 1)), x));
}

void vt__onnx_softsign(const vt_onnx_node *n) {
    vt_gvalue *x = float_input(n), *size = vt__mk_with(n, VT_G_ADD, vt__mk_one(n, VT_G_ABS, x), 1);
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_DIV, x, size));
}

/* Nearer to 0 by the bias outside of -lambd to lambd, 0 inside. */
void vt__onnx_shrink(const vt_onnx_node *n) {
    vt_gvalue *x = float_input(n);
    double bias = vt__onnx_float(n, "bias", 0), bound = vt__onnx_float(n, "lambd", 0.5);
    vt_gvalue *low = vt__mk_with(n, VT_G_LESS, x, -bound), *high = vt__mk_with(n, VT_G_GREATER, x, bound);
    vt_gvalue *y = where_or_zero(n, high, vt__mk_with(n, VT_G_SUB, x, bias));
    vt__onnx_out(n, 0, vt__mk_where(n, low, vt__mk_with(n, VT_G_ADD, x, bias), y));
}

void vt__onnx_sign(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_gvalue *above = vt__mk_cast(n, vt__mk_with(n, VT_G_GREATER, x, 0), x->type.element);
    vt_gvalue *below = vt__mk_cast(n, vt__mk_with(n, VT_G_LESS, x, 0), x->type.element);
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_SUB, above, below));
}

void vt__onnx_is_nan(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt__onnx_out(n, 0, vt__mk_one(n, VT_G_NOT, vt__mk_two(n, VT_G_EQUAL, x, x)));
}

void vt__onnx_is_inf(const vt_onnx_node *n) {
    vt_gvalue *x = float_input(n);
    bool positive = vt__onnx_int(n, "detect_positive", 1) != 0, negative = vt__onnx_int(n, "detect_negative", 1) != 0;
    if (positive && negative) x = vt__mk_one(n, VT_G_ABS, x);
    vt_gvalue *y = vt__mk_with(n, VT_G_EQUAL, x, positive ? INFINITY : -INFINITY);
    if (!positive && !negative) y = vt__mk_two(n, VT_G_XOR, y, y);
    vt__onnx_out(n, 0, y);
}

/* The remainder, of the sign of the divisor or, as fmod of C, of the dividend. */
void vt__onnx_mod(const vt_onnx_node *n) {
    vt_gvalue *a = vt__onnx_need(n, 0), *b = vt__onnx_need(n, 1);
    bool like_c = vt__onnx_int(n, "fmod", 0) != 0;
    if (!like_c && (a->type.element == VT_ELEMENT_F32 || a->type.element == VT_ELEMENT_F64))
        vt__onnx_wrong(n, "of floats attribute fmod has to be 1");
    vt__onnx_out(n, 0,
                 vt__onnx_make(n, VT_G_MOD, VT_ONNX_INPUTS(a, b), VT_ONNX_ATTRIBUTES(VT_GSET_INT(TRUNCATED, like_c))));
}

/* Of unsigned numbers: zeros come in. */
void vt__onnx_bit_shift(const vt_onnx_node *n) {
    vt_gvalue *a = vt__onnx_need(n, 0), *b = vt__onnx_need(n, 1);
    const char *direction = vt__onnx_string(n, "direction", "");
    if (!*direction) vt__onnx_wrong(n, "attribute direction is missing");
    vt_gop op = !strcmp(direction, "LEFT") ? VT_G_SHIFT_LEFT : VT_G_SHIFT_RIGHT;
    vt__onnx_out(n, 0, vt__mk_two(n, op, a, b));
}
