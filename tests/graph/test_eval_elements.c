/* Operators on single elements, those that move elements, reductions and quantization, on random shapes, against their
 * definitions. */
#include "sample.h"

static const vt_element numbers[] = {VT_ELEMENT_F32, VT_ELEMENT_F64, VT_ELEMENT_I8,  VT_ELEMENT_U8,  VT_ELEMENT_I16,
                                     VT_ELEMENT_U16, VT_ELEMENT_I32, VT_ELEMENT_U32, VT_ELEMENT_I64, VT_ELEMENT_U64};
static vt_element any_number(void) { return numbers[pick(0, 9)]; }
static vt_element any_element(void) { return pick(0, 9) ? any_number() : VT_ELEMENT_BOOL; }
static uint32_t any_rank(void) { return (uint32_t)pick(0, 5); }

/* Modulo the size of an integer type; of 64 bits, which a double does not hold, values here are small. */
static double wrapped(double x, vt_element e) {
    double least = vt_element_least(e), most = vt_element_max(e);
    if (least == -INFINITY || vt_element_bytes(e) == 8) return x;
    double size = most - least + 1;
    x = fmod(x - least, size);
    return (x < 0 ? x + size : x) + least;
}

/* ---- One input ---- */

static double unary(const sample *s, const int64_t *at) {
    double x = element(s, 0, at), a = 0, b = 0;
    for (uint32_t i = 0; i < s->n->attribute_count; i++) {
        if (s->n->attributes[i].name == VT_A_ALPHA) a = s->n->attributes[i].f;
        if (s->n->attributes[i].name == VT_A_BETA) b = s->n->attributes[i].f;
    }
    switch ((int)s->n->op) {
    case VT_G_RELU: return fmax(x, 0);
    case VT_G_LEAKY_RELU: return x < 0 ? a * x : x;
    case VT_G_SIGMOID: return 1 / (1 + exp(-x));
    case VT_G_HARD_SIGMOID: return fmax(0, fmin(1, a * x + b));
    case VT_G_HARD_SWISH: return x * fmax(0, fmin(1, x / 6 + 0.5));
    case VT_G_ELU: return x < 0 ? a * (exp(x) - 1) : x;
    case VT_G_SOFTPLUS: return log(exp(x) + 1);
    case VT_G_TANH: return tanh(x);
    case VT_G_ERF: return erf(x);
    case VT_G_EXP: return exp(x);
    case VT_G_LOG: return log(x);
    case VT_G_SQRT: return sqrt(x);
    case VT_G_RECIPROCAL: return 1 / x;
    case VT_G_FLOOR: return floor(x);
    case VT_G_CEIL: return ceil(x);
    case VT_G_ROUND: return nearbyint(x);
    case VT_G_ABS: return wrapped(fabs(x), in_type(s, 0)->element);
    case VT_G_NEG: return wrapped(-x, in_type(s, 0)->element);
    case VT_G_NOT: return !x;
    default: return x; /* Identity */
    }
}

static void random_unary(world *w) {
    static const vt_gop ops[] = {VT_G_RELU,       VT_G_LEAKY_RELU, VT_G_SIGMOID,  VT_G_HARD_SIGMOID,
                                 VT_G_HARD_SWISH, VT_G_ELU,        VT_G_SOFTPLUS, VT_G_TANH,
                                 VT_G_ERF,        VT_G_EXP,        VT_G_LOG,      VT_G_SQRT,
                                 VT_G_RECIPROCAL, VT_G_FLOOR,      VT_G_CEIL,     VT_G_ROUND};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        sample s = {w};
        add_input(&s, random_type(VT_ELEMENT_F32, any_rank(), 4));
        check_sample(&s, ops[i], 0, NULL, unary);
    }
    sample s = {w}, t = {w}, n = {w};
    static const vt_element with_sign[] = {VT_ELEMENT_F32, VT_ELEMENT_F64, VT_ELEMENT_I8,
                                           VT_ELEMENT_I16, VT_ELEMENT_I32, VT_ELEMENT_I64};
    add_input(&s, random_type(pick(0, 1) ? with_sign[pick(0, 5)] : VT_ELEMENT_U16, any_rank(), 4));
    bool has_sign = vt_element_least(s.in[0]->type.element) < 0;
    check_sample(&s, has_sign && pick(0, 1) ? VT_G_NEG : VT_G_ABS, 0, NULL, unary);
    add_input(&t, random_type(any_element(), any_rank(), 4));
    check_sample(&t, VT_G_IDENTITY, 0, NULL, unary);
    add_input(&n, random_type(VT_ELEMENT_BOOL, any_rank(), 4));
    check_sample(&n, VT_G_NOT, 0, NULL, unary);
}

static double clip(const sample *s, const int64_t *at) {
    return fmin(fmax(element(s, 0, at), vt_gattr_float(s->n, VT_A_MIN)), vt_gattr_float(s->n, VT_A_MAX));
}

static void random_clip(world *w) {
    sample s = {w};
    double low = pick(0, 3) ? (double)pick(-2, 5) : -INFINITY, high = pick(0, 3) ? (double)pick(-1, 60) : INFINITY;
    if (low < 0) low = pick(0, 1) ? 0 : low;
    add_input(&s, random_type(numbers[pick(0, 7)], any_rank(), 4));
    if (vt_element_least(s.in[0]->type.element) == 0) low = fmax(low, 0), high = fmax(high, 0);
    check_sample(&s, VT_G_CLIP, ATTRIBUTES(VT_GSET_FLOAT(MIN, low), VT_GSET_FLOAT(MAX, high)), clip);
}

/* Floats are cut towards zero and saturated, integers taken modulo the size. */
static double cast(const sample *s, const int64_t *at) {
    vt_element from = in_type(s, 0)->element, to = out_type(s)->element;
    double x = element(s, 0, at), least = vt_element_least(to), most = vt_element_max(to);
    if (to == VT_ELEMENT_BOOL) return x != 0;
    if (least == -INFINITY) return x;
    return vt_element_least(from) == -INFINITY ? fmin(fmax(trunc(x), least), most) : wrapped(x, to);
}

static void random_cast(world *w) {
    sample s = {w};
    vt_element from = any_element(), to = any_element();
    add_input(&s, random_type(from, any_rank(), 4));
    /* to 64 bits without sign what is negative is more than a double holds */
    if (to == VT_ELEMENT_U64 && vt_element_least(from) < 0 && vt_element_least(from) != -INFINITY) to = VT_ELEMENT_U32;
    check_sample(&s, VT_G_CAST, ATTRIBUTES(VT_GSET_INT(TO, to)), cast);
}

/* ---- Two and three ---- */

static double binary(const sample *s, const int64_t *at) {
    double a = broadcast_element(s, 0, at), b = broadcast_element(s, 1, at);
    vt_element e = in_type(s, 0)->element;
    bool is_float = vt_element_least(e) == -INFINITY;
    switch ((int)s->n->op) {
    case VT_G_ADD: return wrapped(a + b, e);
    case VT_G_SUB: return wrapped(a - b, e);
    case VT_G_MUL: return wrapped(a * b, e);
    case VT_G_DIV: return is_float ? a / b : wrapped(trunc(a / b), e);
    case VT_G_MIN: return fmin(a, b);
    case VT_G_MAX: return fmax(a, b);
    case VT_G_POW: return pow(a, b);
    case VT_G_P_RELU: return a < 0 ? a * b : a;
    case VT_G_EQUAL: return a == b;
    case VT_G_LESS: return a < b;
    case VT_G_LESS_OR_EQUAL: return a <= b;
    case VT_G_GREATER: return a > b;
    case VT_G_GREATER_OR_EQUAL: return a >= b;
    case VT_G_AND: return a && b;
    case VT_G_OR: return a || b;
    default: return (a != 0) != (b != 0);
    }
}

/* Two types that broadcast. */
static void pair(vt_element e, vt_gtype *a, vt_gtype *b) {
    vt_gtype both = random_type(e, any_rank(), 4);
    *a = *b = both;
    for (uint32_t i = 0; i < both.rank; i++) {
        int64_t which = pick(0, 5);
        if (which == 0) a->dim[i] = 1;
        if (which == 1) b->dim[i] = 1;
    }
    uint32_t gone = (uint32_t)pick(0, both.rank); /* leading axes of one */
    vt_gtype *less = pick(0, 1) ? a : b;
    if (pick(0, 1)) return;
    memmove(less->dim, less->dim + gone, (VT_MAX_RANK - gone) * sizeof *less->dim);
    less->rank -= gone;
}

static void no_zeros(vt_gvalue *v) {
    uint8_t *bytes = (uint8_t *)v->data;
    for (size_t i = 0; i < vt_gtype_bytes(&v->type); i += vt_element_bytes(v->type.element)) bytes[i] |= 1;
}

static void random_binary(world *w) {
    static const vt_gop ops[] = {VT_G_ADD,
                                 VT_G_SUB,
                                 VT_G_MUL,
                                 VT_G_DIV,
                                 VT_G_MIN,
                                 VT_G_MAX,
                                 VT_G_POW,
                                 VT_G_P_RELU,
                                 VT_G_EQUAL,
                                 VT_G_LESS,
                                 VT_G_LESS_OR_EQUAL,
                                 VT_G_GREATER,
                                 VT_G_GREATER_OR_EQUAL,
                                 VT_G_AND,
                                 VT_G_OR,
                                 VT_G_XOR};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        sample s = {w};
        vt_gtype a, b;
        vt_gop_elements of = vt_gop_get(ops[i])->elements;
        vt_element e = of == VT_GOP_BOOLS    ? VT_ELEMENT_BOOL
                       : of == VT_GOP_FLOATS ? VT_ELEMENT_F32
                       : of == VT_GOP_REALS  ? (pick(0, 1) ? VT_ELEMENT_F64 : VT_ELEMENT_F32)
                                             : any_number();
        if (e == VT_ELEMENT_U64) e = VT_ELEMENT_I64; /* differences below zero are more than a double holds */
        pair(e, &a, &b);
        add_input(&s, a);
        add_input(&s, b);
        if (ops[i] == VT_G_DIV && vt_element_least(e) != -INFINITY) no_zeros(s.in[1]);
        check_sample(&s, ops[i], 0, NULL, binary);
    }
}

static double where(const sample *s, const int64_t *at) {
    return broadcast_element(s, broadcast_element(s, 0, at) ? 1 : 2, at);
}

static void random_where(world *w) {
    sample s = {w};
    vt_gtype a, b;
    pair(any_element(), &a, &b);
    vt_gtype c = b;
    c.element = VT_ELEMENT_BOOL;
    add_input(&s, c);
    add_input(&s, a);
    add_input(&s, b);
    check_sample(&s, VT_G_WHERE, 0, NULL, where);
}

static vta_status divide(vt_ctx *ctx, void *arg) {
    world *w = arg;
    vt_gtype t = TYPE(I32, 2);
    const int32_t a[] = {1, 2}, b[] = {3, 0};
    vt_gvalue *y = vt_graph_apply(w->g, VT_G_DIV, "d", vt_graph_constant(w->g, "a", t, a),
                                  vt_graph_constant(w->g, "b", t, b), 0, NULL);
    int32_t out[2];
    void *to = out;
    (void)ctx;
    return vt_eval_node(y->by, (const void *[]){a, b}, &to, NULL, w->diag);
}

static void by_zero(world *w) {
    assert_int_equal(vt_protect(&w->ctx, divide, w), VTA_OUT_OF_RANGE);
    assert_non_null(strstr(vta_diag_text(w->diag), "node d (Div): division by zero"));
}

/* ---- What moves ---- */

static double by_flat_index(const sample *s, const int64_t *at) {
    int64_t i = 0;
    for (uint32_t k = 0; k < out_type(s)->rank; k++) i = i * out_type(s)->dim[k] + at[k];
    return flat(s, 0, i);
}

static void random_reshape(world *w) {
    sample s = {w};
    vt_gtype x = random_type(any_element(), (uint32_t)pick(1, 4), 4);
    int64_t dims[] = {1, vt_gtype_span(&x, 0, 1), vt_gtype_span(&x, 1, x.rank)};
    add_input(&s, x);
    check_sample(&s, VT_G_RESHAPE, ATTRIBUTES(VT_GSET_INTS(SHAPE, 3, dims)), by_flat_index);
}

static double transpose(const sample *s, const int64_t *at) {
    int64_t own[VT_MAX_RANK];
    for (uint32_t i = 0; i < out_type(s)->rank; i++) own[ints(s, VT_A_PERM, i)] = at[i];
    return element(s, 0, own);
}

static void random_transpose(world *w) {
    sample s = {w};
    vt_gtype x = random_type(any_element(), any_rank(), 4);
    int64_t perm[VT_MAX_RANK];
    for (uint32_t i = 0; i < x.rank; i++) perm[i] = i;
    for (uint32_t i = x.rank; i > 1; i--) {
        int64_t k = pick(0, i - 1), other = perm[k];
        perm[k] = perm[i - 1], perm[i - 1] = other;
    }
    add_input(&s, x);
    check_sample(&s, VT_G_TRANSPOSE, ATTRIBUTES(VT_GSET_INTS(PERM, x.rank, perm)), transpose);
}

static double concat(const sample *s, const int64_t *at) {
    int64_t own[VT_MAX_RANK], axis = vt_gattr_int(s->n, VT_A_AXIS);
    uint32_t i = 0;
    memcpy(own, at, sizeof own);
    while (own[axis] >= in_type(s, i)->dim[axis]) own[axis] -= in_type(s, i++)->dim[axis];
    return element(s, i, own);
}

static void random_concat(world *w) {
    sample s = {w};
    vt_gtype x = random_type(any_element(), (uint32_t)pick(1, 4), 4);
    int64_t axis = pick(0, x.rank - 1), n = pick(1, 4);
    for (int64_t i = 0; i < n; i++) {
        x.dim[axis] = pick(0, 3) + (i == 0);
        add_input(&s, x);
    }
    check_sample(&s, VT_G_CONCAT, ATTRIBUTES(VT_GSET_INT(AXIS, axis)), concat);
}

static double pad(const sample *s, const int64_t *at) {
    const vt_gtype *x = in_type(s, 0);
    int64_t own[VT_MAX_RANK], how = vt_gattr_int(s->n, VT_A_PADDING);
    for (uint32_t i = 0; i < x->rank; i++) {
        own[i] = at[i] - ints(s, VT_A_PADS, i);
        bool outside = own[i] < 0 || own[i] >= x->dim[i];
        if (outside && how == VT_PADDING_CONSTANT) return vt_gattr_float(s->n, VT_A_VALUE);
        if (own[i] < 0) own[i] = how == VT_PADDING_EDGE ? 0 : -own[i];
        if (own[i] >= x->dim[i]) own[i] = how == VT_PADDING_EDGE ? x->dim[i] - 1 : 2 * x->dim[i] - 2 - own[i];
    }
    return element(s, 0, own);
}

static void random_pad(world *w) {
    sample s = {w};
    vt_gtype x = random_type(any_number(), (uint32_t)pick(1, 4), 4);
    vt_gword how = (vt_gword[]){VT_PADDING_CONSTANT, VT_PADDING_REFLECT, VT_PADDING_EDGE}[pick(0, 2)];
    int64_t pads[2 * VT_MAX_RANK];
    for (uint32_t i = 0; i < x.rank; i++) {
        int64_t most = how == VT_PADDING_REFLECT ? x.dim[i] - 1 : 3;
        pads[i] = pick(-x.dim[i] / 2, most), pads[x.rank + i] = pick(-x.dim[i] / 2, most);
    }
    add_input(&s, x);
    check_sample(&s, VT_G_PAD,
                 ATTRIBUTES(VT_GSET_INTS(PADS, 2 * x.rank, pads), VT_GSET_INT(PADDING, how), VT_GSET_FLOAT(VALUE, 3)),
                 pad);
}

static double slice(const sample *s, const int64_t *at) {
    int64_t own[VT_MAX_RANK];
    for (uint32_t i = 0; i < in_type(s, 0)->rank; i++)
        own[i] = ints(s, VT_A_STARTS, i) + at[i] * ints(s, VT_A_STEPS, i);
    return element(s, 0, own);
}

static void random_slice(world *w) {
    sample s = {w};
    vt_gtype x = random_type(any_element(), (uint32_t)pick(1, 4), 6);
    int64_t starts[VT_MAX_RANK], steps[VT_MAX_RANK], dims[VT_MAX_RANK];
    for (uint32_t i = 0; i < x.rank; i++) {
        starts[i] = pick(0, x.dim[i] - 1);
        steps[i] = pick(0, 1) ? pick(1, 3) : -pick(1, 3);
        int64_t most = steps[i] > 0 ? (x.dim[i] - 1 - starts[i]) / steps[i] + 1 : starts[i] / -steps[i] + 1;
        dims[i] = pick(1, most);
    }
    add_input(&s, x);
    check_sample(&s, VT_G_SLICE,
                 ATTRIBUTES(VT_GSET_INTS(STARTS, x.rank, starts), VT_GSET_INTS(STEPS, x.rank, steps),
                            VT_GSET_INTS(SHAPE, x.rank, dims)),
                 slice);
}

static double gather(const sample *s, const int64_t *at) {
    const vt_gtype *x = in_type(s, 0), *where_type = in_type(s, 1);
    int64_t axis = vt_gattr_int(s->n, VT_A_AXIS), own[VT_MAX_RANK];
    for (int64_t i = 0; i < x->rank; i++)
        if (i != axis) own[i] = at[i < axis ? i : i + where_type->rank - 1];
    own[axis] = (int64_t)element(s, 1, at + axis);
    if (own[axis] < 0) own[axis] += x->dim[axis];
    return element(s, 0, own);
}

static void random_gather(world *w) {
    sample s = {w};
    vt_gtype x = random_type(any_element(), (uint32_t)pick(1, 3), 4);
    int64_t axis = pick(0, x.rank - 1);
    bool narrow = pick(0, 1);
    add_input(&s, x);
    vt_gvalue *v = add_input(&s, random_type(narrow ? VT_ELEMENT_I32 : VT_ELEMENT_I64, (uint32_t)pick(0, 2), 3));
    for (int64_t i = 0; i < vt_gtype_count(&v->type); i++) {
        int64_t k = pick(-x.dim[axis], x.dim[axis] - 1);
        if (narrow)
            ((int32_t *)v->data)[i] = (int32_t)k;
        else
            ((int64_t *)v->data)[i] = k;
    }
    check_sample(&s, VT_G_GATHER, ATTRIBUTES(VT_GSET_INT(AXIS, axis)), gather);
}

static double expand(const sample *s, const int64_t *at) { return broadcast_element(s, 0, at); }

static void random_expand(world *w) {
    sample s = {w};
    vt_gtype x = random_type(any_element(), (uint32_t)pick(0, 3), 3), y = {.rank = (uint32_t)pick(x.rank, 4)};
    for (uint32_t i = 0; i < y.rank; i++) {
        int64_t own = i < y.rank - x.rank ? 1 : x.dim[i - (y.rank - x.rank)];
        y.dim[i] = own == 1 ? pick(1, 3) : own;
    }
    add_input(&s, x);
    check_sample(&s, VT_G_EXPAND, ATTRIBUTES(VT_GSET_INTS(SHAPE, y.rank, y.dim)), expand);
}

/* Pixel (y, x) of block (i, j) from a channel, by ONNX's two orders. */
static double depth_to_space(const sample *s, const int64_t *at) {
    int64_t b = vt_gattr_int(s->n, VT_A_BLOCKSIZE), c = out_type(s)->dim[1], block = at[2] % b * b + at[3] % b;
    bool dcr = vt_gattr_int(s->n, VT_A_ORDER) == VT_ORDER_DCR;
    return element(s, 0, (int64_t[]){at[0], dcr ? block * c + at[1] : at[1] * b * b + block, at[2] / b, at[3] / b});
}

static double space_to_depth(const sample *s, const int64_t *at) {
    int64_t b = vt_gattr_int(s->n, VT_A_BLOCKSIZE), c = in_type(s, 0)->dim[1], block = at[1] / c;
    return element(s, 0, (int64_t[]){at[0], at[1] % c, at[2] * b + block / b, at[3] * b + block % b});
}

static void random_blocks(world *w) {
    sample s = {w}, t = {w};
    int64_t b = pick(1, 3);
    vt_element e = any_element();
    add_input(&s, (vt_gtype){e, 4, {pick(1, 2), pick(1, 3) * b * b, pick(1, 3), pick(1, 3)}});
    check_sample(&s, VT_G_DEPTH_TO_SPACE,
                 ATTRIBUTES(VT_GSET_INT(BLOCKSIZE, b), VT_GSET_INT(ORDER, pick(0, 1) ? VT_ORDER_DCR : VT_ORDER_CRD)),
                 depth_to_space);
    add_input(&t, (vt_gtype){e, 4, {pick(1, 2), pick(1, 3), pick(1, 3) * b, pick(1, 3) * b}});
    check_sample(&t, VT_G_SPACE_TO_DEPTH, ATTRIBUTES(VT_GSET_INT(BLOCKSIZE, b)), space_to_depth);
}

/* ---- Resize ---- */

static double coordinate(const sample *s, uint32_t axis, int64_t i) {
    double scale = vt_gattr_of(s->n, VT_A_SCALES)->floats[axis];
    double in = (double)in_type(s, 0)->dim[axis], out = (double)out_type(s)->dim[axis], x = (double)i;
    switch (vt_gattr_int(s->n, VT_A_COORDINATES)) {
    case VT_COORDINATES_ASYMMETRIC: return x / scale;
    case VT_COORDINATES_ALIGN_CORNERS: return out == 1 ? 0 : x * (in - 1) / (out - 1);
    case VT_COORDINATES_PYTORCH_HALF_PIXEL: return out == 1 ? 0 : (x + 0.5) / scale - 0.5;
    default: return (x + 0.5) / scale - 0.5;
    }
}

static int64_t inside(double x, int64_t extent) { return (int64_t)fmin(fmax(x, 0), (double)extent - 1); }

static double nearest(const sample *s, const int64_t *at) {
    int64_t own[VT_MAX_RANK];
    for (uint32_t i = 0; i < in_type(s, 0)->rank; i++) {
        double x = coordinate(s, i, at[i]), down = floor(x), part = x - down;
        switch (vt_gattr_int(s->n, VT_A_ROUNDING)) {
        case VT_ROUNDING_FLOOR: break;
        case VT_ROUNDING_CEIL: down += part > 0; break;
        case VT_ROUNDING_ROUND_PREFER_CEIL: down += part >= 0.5; break;
        default: down += part > 0.5;
        }
        own[i] = inside(down, in_type(s, 0)->dim[i]);
    }
    return element(s, 0, own);
}

/* All corners of the cell, each with the product of its weights. */
static double linear(const sample *s, const int64_t *at) {
    uint32_t rank = in_type(s, 0)->rank;
    double sum = 0;
    for (uint32_t corner = 0; corner < 1u << rank; corner++) {
        int64_t own[VT_MAX_RANK];
        double weight = 1;
        for (uint32_t i = 0; i < rank; i++) {
            int64_t extent = in_type(s, 0)->dim[i];
            double x = fmin(fmax(coordinate(s, i, at[i]), 0), (double)extent - 1), down = floor(x);
            bool up = corner >> i & 1;
            weight *= up ? x - down : 1 - (x - down);
            own[i] = inside(down + up, extent);
        }
        if (weight != 0) sum += weight * element(s, 0, own);
    }
    return sum;
}

static void random_resize(world *w) {
    static const vt_gword coordinates[] = {VT_COORDINATES_HALF_PIXEL, VT_COORDINATES_PYTORCH_HALF_PIXEL,
                                           VT_COORDINATES_ALIGN_CORNERS, VT_COORDINATES_ASYMMETRIC};
    static const vt_gword roundings[] = {VT_ROUNDING_ROUND_PREFER_FLOOR, VT_ROUNDING_ROUND_PREFER_CEIL,
                                         VT_ROUNDING_FLOOR, VT_ROUNDING_CEIL};
    sample s = {w};
    bool is_linear = pick(0, 1);
    vt_gtype x = random_type(is_linear ? VT_ELEMENT_F32 : any_number(), (uint32_t)pick(1, 4), 5);
    double scales[VT_MAX_RANK];
    int64_t dims[VT_MAX_RANK];
    for (uint32_t i = 0; i < x.rank; i++) {
        scales[i] = (double[]){1, 2, 3, 0.5, 1.5}[pick(0, 4)];
        if ((double)x.dim[i] * scales[i] < 1) scales[i] = 1;
        dims[i] = (int64_t)floor((double)x.dim[i] * scales[i]);
    }
    add_input(&s, x);
    check_sample(&s, VT_G_RESIZE,
                 ATTRIBUTES(VT_GSET_INT(SAMPLING, is_linear ? VT_SAMPLING_LINEAR : VT_SAMPLING_NEAREST),
                            VT_GSET_INT(COORDINATES, coordinates[pick(0, 3)]),
                            VT_GSET_INT(ROUNDING, roundings[pick(0, 3)]), VT_GSET_FLOATS(SCALES, x.rank, scales),
                            VT_GSET_INTS(SHAPE, x.rank, dims)),
                 is_linear ? linear : nearest);
}

/* ---- Reductions ---- */

static double reduce(const sample *s, const int64_t *at) {
    const vt_gtype *x = in_type(s, 0);
    const vt_gattr *axes = vt_gattr_of(s->n, VT_A_AXES);
    vt_gop op = s->n->op;
    bool gone[VT_MAX_RANK] = {false}, keep = vt_gattr_int(s->n, VT_A_KEEPDIMS);
    int64_t i[VT_MAX_RANK] = {0};
    double sum = op == VT_G_REDUCE_PROD, count = 0;
    for (uint32_t k = 0; k < axes->count; k++) gone[axes->ints[k]] = true;
    do {
        bool is_part = true;
        for (uint32_t k = 0, o = 0; k < x->rank; k++) {
            if (!gone[k]) is_part &= i[k] == at[o];
            o += keep || !gone[k];
        }
        if (!is_part) continue;
        double e = element(s, 0, i);
        bool first = count++ == 0;
        if (op == VT_G_REDUCE_MAX || op == VT_G_REDUCE_MIN)
            sum = first ? e : op == VT_G_REDUCE_MAX ? fmax(sum, e) : fmin(sum, e);
        else
            sum = wrapped(op == VT_G_REDUCE_PROD ? sum * e : sum + e, x->element);
    } while (next_at(x, i));
    return op == VT_G_REDUCE_MEAN ? sum / count : sum;
}

static void random_reduce(world *w) {
    static const vt_gop ops[] = {VT_G_REDUCE_MEAN, VT_G_REDUCE_SUM, VT_G_REDUCE_PROD, VT_G_REDUCE_MAX, VT_G_REDUCE_MIN};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        sample s = {w};
        vt_element e = numbers[pick(2, 7)];
        if (ops[i] == VT_G_REDUCE_MEAN || pick(0, 1)) e = VT_ELEMENT_F32;
        vt_gtype x = random_type(e, any_rank(), ops[i] == VT_G_REDUCE_PROD ? 2 : 4);
        int64_t axes[VT_MAX_RANK];
        uint32_t count = 0;
        for (uint32_t k = 0; k < x.rank; k++)
            if (pick(0, 1) && count < 2) axes[count++] = k;
        add_input(&s, x);
        check_sample(&s, ops[i], ATTRIBUTES(VT_GSET_INTS(AXES, count, axes), VT_GSET_INT(KEEPDIMS, pick(0, 1))),
                     reduce);
    }
}

static double softmax(const sample *s, const int64_t *at) {
    int64_t axis = vt_gattr_int(s->n, VT_A_AXIS), own[VT_MAX_RANK];
    double sum = 0, x = element(s, 0, at);
    memcpy(own, at, sizeof own);
    for (own[axis] = 0; own[axis] < in_type(s, 0)->dim[axis]; own[axis]++) sum += exp(element(s, 0, own));
    return s->n->op == VT_G_SOFTMAX ? exp(x) / sum : x - log(sum);
}

static void random_softmax(world *w) {
    sample s = {w};
    vt_gtype x = random_type(VT_ELEMENT_F32, (uint32_t)pick(1, 4), 5);
    add_input(&s, x);
    check_sample(&s, pick(0, 1) ? VT_G_SOFTMAX : VT_G_LOG_SOFTMAX, ATTRIBUTES(VT_GSET_INT(AXIS, pick(0, x.rank - 1))),
                 softmax);
}

/* ---- Quantization ---- */

static double parameter(const sample *s, uint32_t i, const int64_t *at) {
    if (i >= s->n->input_count) return 0;
    return flat(s, i, vt_gtype_count(in_type(s, i)) > 1 ? at[vt_gattr_int(s->n, VT_A_AXIS)] : 0);
}

static double quantize(const sample *s, const int64_t *at) {
    vt_element e = out_type(s)->element;
    float x = (float)element(s, 0, at) / (float)parameter(s, 1, at);
    return fmin(fmax(nearbyint((double)x) + parameter(s, 2, at), vt_element_least(e)), vt_element_max(e));
}

static double dequantize(const sample *s, const int64_t *at) {
    return (double)((float)(element(s, 0, at) - parameter(s, 2, at)) * (float)parameter(s, 1, at));
}

/* Scales are powers of two now and then: then there are values in the middle between two integers. */
static void random_quantize(world *w) {
    static const vt_element from[] = {VT_ELEMENT_I8, VT_ELEMENT_U8, VT_ELEMENT_I32};
    for (int back = 0; back < 2; back++) {
        sample s = {w};
        vt_gtype x = random_type(back         ? from[pick(0, 2)]
                                 : pick(0, 3) ? VT_ELEMENT_F32
                                              : VT_ELEMENT_I32,
                                 (uint32_t)pick(1, 4), 4);
        int64_t axis = pick(0, x.rank - 1);
        bool many_scales = pick(0, 1), in_middles = pick(0, 1);
        vt_gtype scale = {VT_ELEMENT_F32, many_scales, {many_scales ? x.dim[axis] : 0}}, zero = scale;
        zero.element = back ? x.element : pick(0, 1) ? VT_ELEMENT_I8 : VT_ELEMENT_U8;
        add_input(&s, x);
        vt_gvalue *v = add_input(&s, scale);
        for (int64_t i = 0; i < vt_gtype_count(&scale); i++)
            ((float *)v->data)[i] = in_middles ? ldexpf(1, (int)pick(-4, 1)) : (float)pick_real(0.01, 3);
        if (pick(0, 2)) add_input(&s, zero);
        check_sample(&s, back ? VT_G_DEQUANTIZE_LINEAR : VT_G_QUANTIZE_LINEAR, ATTRIBUTES(VT_GSET_INT(AXIS, axis)),
                     back ? dequantize : quantize);
    }
}

static double dynamic_quantize(const sample *s, const int64_t *at) {
    float least = 0, most = 0;
    for (int64_t i = 0; i < vt_gtype_count(in_type(s, 0)); i++) {
        least = fminf(least, (float)flat(s, 0, i));
        most = fmaxf(most, (float)flat(s, 0, i));
    }
    float scale = (most - least) / 255;
    double zero = scale > 0 ? fmin(fmax(nearbyint((double)(-least / scale)), 0), 255) : 0;
    return fmin(fmax(nearbyint((double)((float)element(s, 0, at) / (scale > 0 ? scale : 1))) + zero, 0), 255);
}

static void random_dynamic_quantize(world *w) {
    vt_gvalue *x = random_value(w, random_type(VT_ELEMENT_F32, any_rank(), 4));
    sample s = {w, .in = {x}, .inputs = 1};
    vt_gnode_spec spec = {VT_G_DYNAMIC_QUANTIZE_LINEAR, "q", NULL, 1, 0, s.in, NULL};
    s.n = vt_graph_add(w->g, &spec);
    uint8_t *y = vt_new_bytes(&w->ctx, (size_t)vt_gtype_count(&x->type) + 1), zero;
    float scale;
    void *out[] = {y, &scale, &zero};
    int64_t at[VT_MAX_RANK] = {0}, i = 0;
    assert_int_equal(vt_eval_node(s.n, (const void *[]){x->data}, out, NULL, NULL), VTA_OK);
    do assert_int_equal(y[i++], dynamic_quantize(&s, at));
    while (next_at(&x->type, at));
    sample_covered[VT_G_DYNAMIC_QUANTIZE_LINEAR] = true;
}

/* Every operator of the table is tested, here, in test_eval_windows.c or in test_eval_along.c. */
static void test_all_covered(void **state) {
    static const vt_gop elsewhere[] = {
        VT_G_CONV, VT_G_CONV_TRANSPOSE, VT_G_CONV_INTEGER, VT_G_QLINEAR_CONV, VT_G_MAT_MUL, VT_G_GEMM,
        VT_G_MAT_MUL_INTEGER, VT_G_QLINEAR_MAT_MUL, VT_G_BATCH_NORMALIZATION, VT_G_MAX_POOL, VT_G_AVERAGE_POOL,
        /* test_eval_along.c */
        VT_G_SIN, VT_G_COS, VT_G_TAN, VT_G_ASIN, VT_G_ACOS, VT_G_ATAN, VT_G_SINH, VT_G_COSH, VT_G_ASINH, VT_G_ACOSH,
        VT_G_ATANH, VT_G_MOD, VT_G_BITWISE_NOT, VT_G_BITWISE_AND, VT_G_BITWISE_OR, VT_G_BITWISE_XOR, VT_G_SHIFT_LEFT,
        VT_G_SHIFT_RIGHT, VT_G_CUM_SUM, VT_G_TOP_K, VT_G_SCATTER, VT_G_NON_MAX_SUPPRESSION};
    (void)state;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        assert_false(sample_covered[elsewhere[i]]);
        sample_covered[elsewhere[i]] = true;
    }
    for (uint32_t i = 0; i < VT_GOP_COUNT; i++)
        if (!sample_covered[i]) fail_msg("no test evaluates %s", vt_gop_text((vt_gop)i));
}

#define MANY(name, times)                                                                                              \
    static void test_##name(void **state) { (void)state, many(times, name); }
MANY(random_unary, 60)
MANY(random_clip, 200)
MANY(random_cast, 400)
MANY(random_binary, 150)
MANY(random_where, 200)
MANY(by_zero, 1)
MANY(random_reshape, 50)
MANY(random_transpose, 200)
MANY(random_concat, 200)
MANY(random_pad, 300)
MANY(random_slice, 300)
MANY(random_gather, 200)
MANY(random_expand, 200)
MANY(random_blocks, 100)
MANY(random_resize, 400)
MANY(random_reduce, 150)
MANY(random_softmax, 150)
MANY(random_quantize, 300)
MANY(random_dynamic_quantize, 100)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_unary),
        cmocka_unit_test(test_random_clip),
        cmocka_unit_test(test_random_cast),
        cmocka_unit_test(test_random_binary),
        cmocka_unit_test(test_random_where),
        cmocka_unit_test(test_by_zero),
        cmocka_unit_test(test_random_reshape),
        cmocka_unit_test(test_random_transpose),
        cmocka_unit_test(test_random_concat),
        cmocka_unit_test(test_random_pad),
        cmocka_unit_test(test_random_slice),
        cmocka_unit_test(test_random_gather),
        cmocka_unit_test(test_random_expand),
        cmocka_unit_test(test_random_blocks),
        cmocka_unit_test(test_random_resize),
        cmocka_unit_test(test_random_reduce),
        cmocka_unit_test(test_random_softmax),
        cmocka_unit_test(test_random_quantize),
        cmocka_unit_test(test_random_dynamic_quantize),
        cmocka_unit_test(test_all_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
