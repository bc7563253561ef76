/* Constants that are one number a channel. */
#include "frontend/quant/priv.h"

double *vt__channel_numbers(vt_ctx *ctx, const vt_gvalue *constant, const vt_gtype *type) {
    if (!vt_gvalue_is_constant(constant) || type->rank < 2) return NULL;
    const vt_gtype *t = &constant->type;
    int64_t channels = type->dim[1], count = vt_gtype_count(t);
    uint32_t lead = type->rank - t->rank; /* axes that the constant lacks */
    if (t->rank > type->rank) return NULL;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dim[i] != 1 && (i + lead != 1 || t->dim[i] != channels)) return NULL;
    double *numbers = VT_NEW_ARRAY(ctx, double, (size_t)channels);
    for (int64_t i = 0; i < channels; i++) numbers[i] = vt_gelement_at(constant, count == 1 ? 0 : (size_t)i);
    return numbers;
}
