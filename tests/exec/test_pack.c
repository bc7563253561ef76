/* Plain tensors and tiles of random shapes: every element goes where its indices say, what a tile has beyond the tensor
 * is zero, and the way back gives the tensor again. */
#include "exec/exec_priv.h"
#include "support/check.h"

enum { SHAPES = 300, MAX_BYTES = 1 << 17 };

static check_random numbers = {21};

static int64_t pick(int64_t least, int64_t most) { return check_between(&numbers, least, most); }

typedef struct shapes {
    int64_t flat[4], tiled[6]; /* N C H W; N/b C/l H W b l */
    vt_plan_view flat_view, tiled_view;
    size_t bytes; /* of an element */
} shapes;

static vt_plan_view view(const int64_t *shape, int32_t ndim, size_t element) {
    vt_plan_view v = {.type = {kDLInt, (uint8_t)(8 * element), 1}, .ndim = ndim, .shape = shape, .bytes = element};
    for (int32_t i = 0; i < ndim; i++) v.bytes *= (uint64_t)shape[i];
    return v;
}

static void make_shapes(shapes *s) {
    int64_t b = pick(1, 4), l = pick(1, 8);
    for (int i = 0; i < 4; i++) s->flat[i] = pick(1, i == 1 ? 20 : 5);
    const int64_t tiled[] = {(s->flat[0] + b - 1) / b, (s->flat[1] + l - 1) / l, s->flat[2], s->flat[3], b, l};
    memcpy(s->tiled, tiled, sizeof tiled);
    s->bytes = (size_t)1 << pick(0, 2);
    s->flat_view = view(s->flat, 4, s->bytes);
    s->tiled_view = view(s->tiled, 6, s->bytes);
    assert_true(s->tiled_view.bytes < MAX_BYTES && s->flat_view.bytes < MAX_BYTES);
}

/* The element of the plain tensor that stands at place `i` of the tiles; -1: none. */
static int64_t plain_at(const shapes *s, int64_t i) {
    int64_t at[6];
    for (int k = 6; k-- > 0; i /= s->tiled[k]) at[k] = i % s->tiled[k];
    int64_t n = at[0] * s->tiled[4] + at[4], c = at[1] * s->tiled[5] + at[5];
    if (n >= s->flat[0] || c >= s->flat[1]) return -1;
    return ((n * s->flat[1] + c) * s->flat[2] + at[2]) * s->flat[3] + at[3];
}

TEST_CASE(random_shapes) {
    static uint8_t flat[MAX_BYTES], tiled[MAX_BYTES], back[MAX_BYTES];
    static const uint8_t zeros[4];
    for (int n = 0; n < SHAPES; n++) {
        shapes s;
        make_shapes(&s);
        for (size_t i = 0; i < s.flat_view.bytes; i++) flat[i] = (uint8_t)check_next(&numbers);
        memset(tiled, 0xee, sizeof tiled), memset(back, 0xee, sizeof back);
        vt__pack(&s.flat_view, flat, &s.tiled_view, tiled);
        for (int64_t i = 0; i < (int64_t)(s.tiled_view.bytes / s.bytes); i++) {
            int64_t from = plain_at(&s, i);
            const uint8_t *want = from < 0 ? zeros : flat + (size_t)from * s.bytes;
            if (memcmp(tiled + (size_t)i * s.bytes, want, s.bytes) != 0)
                fail_msg("shape %d: element %d of the tiles", n, (int)i);
        }
        vt__unpack(&s.tiled_view, tiled, &s.flat_view, back);
        assert_memory_equal(back, flat, s.flat_view.bytes);
        assert_int_equal(tiled[s.tiled_view.bytes], 0xee); /* and nothing behind it */
        assert_int_equal(back[s.flat_view.bytes], 0xee);
    }
}

int main(void) { return run_cases(); }
