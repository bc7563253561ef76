/* Functions of one number in float64, as unary.def has them. */
#include <math.h>

#include "frontend/eval/priv.h"

#define VT_FN(name) name
#define VT_NUMBER(x) x

static inline double between_0_and_1(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static double attribute(const vt_gnode *n, vt_gattr_name name) {
    for (uint32_t i = 0; i < n->attribute_count; i++)
        if (n->attributes[i].name == name) return (double)(float)n->attributes[i].f;
    return 0;
}

vta_status vt__eval_unary_f64(const vt_eval_call *c) {
    double alpha = attribute(c->n, VT_A_ALPHA), beta = attribute(c->n, VT_A_BETA), *to = c->out[0];
    const double *from = c->in[0];
    int64_t count = vt_gtype_count(vt__out_type(c));
    switch ((int)c->n->op) {
#define VT_UNARY(name, formula)                                                                                        \
    case VT_G_##name:                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            double x = from[i];                                                                                        \
            to[i] = formula;                                                                                           \
        }                                                                                                              \
        return VTA_OK;
#include "frontend/eval/unary.def"
#undef VT_UNARY
    default: return vt_fail(c->diag, VTA_INTERNAL, "%s is not a row of unary.def", vt_gop_text(c->n->op));
    }
}
