/* What a list of places does, where it moves whole channels, perhaps with zeros around them. */
#include "network/channels.h"

typedef struct shape {
    int64_t in[4], to[4], pads[4]; /* above, on the left, below, on the right */
} shape;

/* The first element that is no zero is the first of a channel. */
static bool find_pads(const vt_qlayer *l, shape *s) {
    int64_t i = 0, count = vt_gtype_count(&l->output->type);
    while (i < count && l->places[i] < 0) i++;
    if (i == count || l->places[i] % (s->in[2] * s->in[3])) return false;
    s->pads[0] = i / s->to[3] % s->to[2], s->pads[1] = i % s->to[3];
    for (int k = 0; k < 2; k++) s->pads[2 + k] = s->to[2 + k] - s->in[2 + k] - s->pads[k];
    return s->pads[2] >= 0 && s->pads[3] >= 0;
}

/* Where pixel `i` of a channel of the result is in that of the input; -1: in the zeros around it. */
static int64_t pixel_at(const shape *s, int64_t i) {
    int64_t y = i / s->to[3] - s->pads[0], x = i % s->to[3] - s->pads[1];
    return y < 0 || y >= s->in[2] || x < 0 || x >= s->in[3] ? -1 : y * s->in[3] + x;
}

/* The channel of the input that is channel `c` of the result; -1: zeros. -2: neither. */
static int64_t channel_at(const vt_qlayer *l, const shape *s, int64_t c) {
    int64_t plane = s->to[2] * s->to[3], from = s->in[2] * s->in[3];
    int64_t first = l->places[c * plane + s->pads[0] * s->to[3] + s->pads[1]];
    if (first >= 0 && (first % from || first / from >= s->in[1])) return -2;
    for (int64_t image = 0; image < s->to[0]; image++)
        for (int64_t i = 0; i < plane; i++) {
            int64_t at = l->places[(image * s->to[1] + c) * plane + i], pixel = pixel_at(s, i);
            if (at != (first < 0 || pixel < 0 ? -1 : image * s->in[1] * from + first + pixel)) return -2;
        }
    return first < 0 ? -1 : first / from;
}

const int32_t *vt__moved_channels(vt_ctx *ctx, const vt_qlayer *l, int64_t pads[4]) {
    shape s;
    vt_qtensor_image(&l->inputs[0]->type, s.in);
    vt_qtensor_image(&l->output->type, s.to);
    if (s.in[0] != s.to[0] || !find_pads(l, &s)) return NULL;
    int32_t *out = VT_NEW_ARRAY(ctx, int32_t, (size_t)s.to[1]);
    for (int64_t c = 0; c < s.to[1]; c++) {
        int64_t at = channel_at(l, &s, c);
        if (at < -1) return NULL;
        out[c] = (int32_t)at;
    }
    for (int i = 0; i < 4; i++) pads[i] = s.pads[i];
    return out;
}
