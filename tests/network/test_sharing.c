/* Layers that are alike are made once: a network of many equal blocks has the code, and the micro-ops, of one of few,
 * byte for byte, whatever their weights and scales are. What is not alike is not shared: all of them give what the
 * evaluator of integers gives. */
#include "artifact/plan.h"
#include "network/compiled.h"

enum { CASES = 8, FEW = 3, MANY = 7, PARTS_MAX = 6 };

static check_random random_numbers;
static int64_t pick(int64_t least, int64_t most) { return check_between(&random_numbers, least, most); }

/* A block: what its nodes are, in their order, of images that keep their shape. */
typedef enum part { CONV, DEPTHWISE, RELU, SIGMOID, TANH, SOFTMAX, ADD, TWICE, TURNED, POOL, PARTS } part;
static part parts[PARTS_MAX];
static uint32_t part_count;
static int64_t channels, side, blocks;

static vt_gvalue *constant(world *w, const char *name, uint32_t at, vt_gtype t, float most) {
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) x[i] = (float)pick(-1000, 1000) / 1000 * most;
    return vt_graph_constant(w->g, vt_new_format(&w->ctx, "%s%u", name, at), t, x);
}

static vt_gvalue *add(world *w, vt_gop op, uint32_t inputs, vt_gvalue *const in[], uint32_t attributes,
                      const vt_gattr *a) {
    const char *name = vt_new_format(&w->ctx, "n%u", w->g->values.count);
    vt_gnode_spec spec = {op, name, NULL, inputs, attributes, (vt_gvalue **)in, (vt_gattr *)a};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *add_conv(world *w, vt_gvalue *x, int64_t group) {
    uint32_t at = w->g->values.count;
    vt_gvalue *in[] = {x, constant(w, "w", at, TYPE(F32, channels, channels / group, 3, 3), 0.5f),
                       constant(w, "b", at, TYPE(F32, channels), 1)};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 1, 1, 1, 1), INTS(DILATIONS, 1, 1), VT_GSET_INT(GROUP, group)};
    return add(w, VT_G_CONV, 3, in, 4, a);
}

static vt_gvalue *turned(world *w, vt_gvalue *x) {
    vt_gattr a[] = {INTS(PERM, 0, 1, 3, 2)};
    return add(w, VT_G_TRANSPOSE, 1, &x, 1, a);
}

static vt_gvalue *pool(world *w, vt_gvalue *x) {
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 1, 1, 1, 1), INTS(DILATIONS, 1, 1), INTS(KERNEL, 3, 3)};
    return add(w, VT_G_MAX_POOL, 1, &x, 4, a);
}

static vt_gvalue *softmax(world *w, vt_gvalue *x) {
    vt_gattr a[] = {VT_GSET_INT(AXIS, 3)};
    return add(w, VT_G_SOFTMAX, 1, &x, 1, a);
}

static vt_gvalue *add_part(world *w, vt_gvalue *x, part p) {
    vt_gvalue *both[] = {x, x};
    switch (p) {
    case CONV: return add_conv(w, x, 1);
    case DEPTHWISE: return add_conv(w, x, channels);
    case RELU: return add(w, VT_G_RELU, 1, &x, 0, NULL);
    case SIGMOID: return add(w, VT_G_SIGMOID, 1, &x, 0, NULL);
    case TANH: return add(w, VT_G_TANH, 1, &x, 0, NULL);
    case SOFTMAX: return softmax(w, x);
    case ADD: both[1] = constant(w, "a", w->g->values.count, TYPE(F32, channels, 1, 1), 1);
    /* fall through */
    case TWICE: return add(w, VT_G_ADD, 2, both, 0, NULL);
    case TURNED: return turned(w, x);
    case POOL: return pool(w, x);
    case PARTS: break;
    }
    return x;
}

typedef struct artifact {
    uint8_t *bytes;
    size_t size;
    vt_container in;
} artifact;

static artifact made;

static void compile_blocks(world *w) {
    vt_gtype t = TYPE(F32, 1, channels, side, side);
    vt_gvalue *v = vt_graph_input(w->g, "x", t);
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) x[i] = (float)(i * 7919 % 2001) / 1000 - 1;
    for (int64_t b = 0; b < blocks; b++)
        for (uint32_t i = 0; i < part_count; i++) v = add_part(w, v, parts[i]);
    vt_graph_output(w->g, v, "y");
    calibrate(w, x);
    const vt_quant_options options = {.method = VT_RANGE_MAX, .most = INT8_MAX, .weight_max = INT8_MAX};
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    vta_config *config = vta_config_default();
    float *want[2] = {vt_new_bytes(&w->ctx, vt_gtype_bytes(&t))};
    assert_int_equal(vt_qeval_run(net, (const void *[]){x}, (void *const *)want, NULL, NULL, w->diag), VTA_OK);
    if (vt_network_compile(net, config, NULL, NULL, w->diag, &made.bytes, &made.size, NULL) != VTA_OK)
        fail_msg("%s\n%s", vta_diag_text(w->diag), vt_qnet_text(net));
    run_artifact(w, made.bytes, made.size, x, want);
    vta_config_release(config);
}

static artifact compiled(int64_t count) {
    blocks = count;
    in_a_world(compile_blocks);
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vt_container_parse(made.bytes, made.size, "made", diag, &made.in), VTA_OK);
    vta_diag_destroy(diag);
    return made;
}

static const char *block_text(void) {
    static const char *const names[] = {"conv",    "depthwise", "relu",  "sigmoid", "tanh",
                                        "softmax", "add",       "twice", "turned",  "pool"};
    static char text[128];
    *text = 0;
    for (uint32_t i = 0; i < part_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", names[parts[i]]);
    return text;
}

static void same(const artifact *few, const artifact *many, const char *section) {
    const vt_section *a = vt_container_find(&few->in, section), *b = vt_container_find(&many->in, section);
    assert_int_equal(!a, !b);
    if (!a || (a->size == b->size && !memcmp(a->bytes, b->bytes, a->size))) return;
    fail_msg("%d blocks of %son %lld channels of %lld x %lld: %zu bytes of %s, of %d blocks %zu", MANY, block_text(),
             (long long)channels, (long long)side, (long long)side, b->size, section, FEW, a->size);
}

/* The first block has another input, and the last one another reader: the code of FEW blocks has all that there is. */
TEST_CASE(equal_blocks) {
    uint32_t with_code = 0, with_uops = 0;
    for (uint32_t seed = 1; seed <= CASES; seed++) {
        random_numbers.state = seed * 7919u + 1;
        channels = pick(1, 3) * 8;
        side = pick(4, 9);
        part_count = (uint32_t)pick(2, PARTS_MAX);
        for (uint32_t i = 0; i < part_count; i++) parts[i] = (part)pick(0, PARTS - 1);
        artifact few = compiled(FEW), many = compiled(MANY);
        same(&few, &many, VT_SECTION_CODE);
        same(&few, &many, VT_SECTION_UOPS);
        with_code += vt_container_find(&few.in, VT_SECTION_CODE) != NULL;
        with_uops += vt_container_find(&few.in, VT_SECTION_UOPS) != NULL;
        vta_string_free((char *)few.bytes);
        vta_string_free((char *)many.bytes);
    }
    assert_in_range(with_code, CASES / 2, CASES);
    assert_in_range(with_uops, CASES / 3, CASES);
}

int main(void) { return run_cases(); }
