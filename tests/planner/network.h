/* A network for tests: nodes with their values by plain loops, which know nothing of tiles, plans or schedules, and
 * beside them what the planner gets. Every value is int8, N x C x H x W. */
#ifndef TESTS_PLANNER_NETWORK_H
#define TESTS_PLANNER_NETWORK_H

#include "network/planner/planner.h"
#include "support/check.h"
#include "vta/exec.h"

enum { NODES = 16, KERNELS = 32 };

typedef struct node {
    int64_t n, c, h, w;
    int8_t *values;
    uint32_t buffer; /* its tiles */
    bool is_output;
} node;

typedef struct network {
    check_random random;
    vta_config *config;
    vt_planner *planner;
    vta_diag *diag;
    node nodes[NODES];
    int count;
    vtac_op *ops[KERNELS];
    vtac_kernel *kernels[KERNELS];
    int op_count, kernel_count, output_count;
    int outputs[NODES];
    int runs;                           /* accelerator steps */
    int step_count, from[2 * NODES][2]; /* the nodes that a step reads, -1: none; step i computes node i */
    bool is_run[2 * NODES];             /* the step is the accelerator's */
} network;

#define MUST(net, call)                                                                                                \
    do {                                                                                                               \
        if ((call) != VTA_OK) fail_msg("%s: %s", #call, vta_diag_text((net)->diag));                                   \
    } while (0)

static inline int64_t elements(const node *x) { return x->n * x->c * x->h * x->w; }
static inline int64_t blocks(int64_t n, int64_t by) { return (n + by - 1) / by; }

static inline int64_t tile_bytes(const network *net, const node *x) {
    int64_t b = vta_config_batch(net->config), l = vta_config_block_out(net->config);
    return blocks(x->n, b) * blocks(x->c, l) * x->h * x->w * b * l;
}

static inline node *new_node(network *net, int64_t n, int64_t c, int64_t h, int64_t w) {
    node *x = &net->nodes[net->count];
    char name[16];
    *x = (node){.n = n, .c = c, .h = h, .w = w};
    x->values = calloc((size_t)elements(x), 1);
    snprintf(name, sizeof name, "v%d", net->count++);
    MUST(net,
         vt_planner_buffer(net->planner, VT_PLACE_DEVICE, name, (uint64_t)tile_bytes(net, x), net->diag, &x->buffer));
    return x;
}

static inline void network_begin(network *net, uint64_t seed, const char *changes, const vt_planner_options *options) {
    vta_config *base = vta_config_default();
    *net = (network){.random = {seed * 0x9e3779b97f4a7c15u + 1}, .diag = vta_diag_create(NULL)};
    MUST(net, vta_config_with(base, changes, net->diag, &net->config));
    vta_config_release(base);
    MUST(net, vt_planner_create("net", net->config, options, net->diag, &net->planner));
}

static inline void network_end(network *net) {
    vt_planner_destroy(net->planner);
    for (int i = 0; i < net->count; i++) free(net->nodes[i].values);
    for (int i = 0; i < net->op_count; i++) vtac_op_destroy(net->ops[i]);
    for (int i = 0; i < net->kernel_count; i++) vtac_kernel_destroy(net->kernels[i]);
    vta_diag_destroy(net->diag);
    vta_config_release(net->config);
}

static inline void reads(network *net, int a, int b) {
    int *from = net->from[net->step_count++];
    from[0] = a;
    from[1] = b;
}

/* The first node: the network's input, packed. */
static inline node *add_input(network *net, int64_t n, int64_t c, int64_t h, int64_t w) {
    const int64_t shape[] = {n, c, h, w};
    char name[16];
    uint32_t host, b = vta_config_batch(net->config), l = vta_config_block_in(net->config);
    node *x = new_node(net, n, c, h, w);
    snprintf(name, sizeof name, "in%d", net->count - 1);
    for (int64_t i = 0; i < elements(x); i++) x->values[i] = (int8_t)check_between(&net->random, -128, 127);
    MUST(net, vt_planner_input(net->planner, name, "int8", 4, shape, net->diag, &host));
    MUST(net, vt_planner_pack(net->planner, "pack", "int8", 4, shape, b, l, (vt_planner_arg){host},
                              (vt_planner_arg){x->buffer}, net->diag));
    reads(net, -1, -1);
    return x;
}

static inline void add_output(network *net, int index) {
    const node *x = &net->nodes[index];
    const int64_t shape[] = {x->n, x->c, x->h, x->w};
    char name[16];
    uint32_t host, b = vta_config_batch(net->config), l = vta_config_block_out(net->config);
    if (net->nodes[index].is_output) return;
    net->nodes[index].is_output = true;
    snprintf(name, sizeof name, "out%d", index);
    MUST(net, vt_planner_buffer(net->planner, VT_PLACE_HOST, name, (uint64_t)elements(x), net->diag, &host));
    MUST(net, vt_planner_unpack(net->planner, "unpack", "int8", 4, shape, b, l, (vt_planner_arg){x->buffer},
                                (vt_planner_arg){host}, net->diag));
    MUST(net, vt_planner_output(net->planner, name, "int8", 4, shape, (vt_planner_arg){host}, net->diag));
    net->outputs[net->output_count++] = index;
    reads(net, index, -1);
}

/* ---- Convolutions ---- */

typedef struct geometry {
    int64_t oc, k, stride, pad;
    int shift;
} geometry;

static inline int32_t convolve(const node *x, const geometry *g, const int8_t *weights, int64_t n, int64_t o, int64_t y,
                               int64_t z) {
    int32_t sum = 0;
    for (int64_t c = 0; c < x->c; c++)
        for (int64_t dy = 0; dy < g->k; dy++)
            for (int64_t dx = 0; dx < g->k; dx++) {
                int64_t row = y * g->stride + dy - g->pad, col = z * g->stride + dx - g->pad;
                if (row < 0 || row >= x->h || col < 0 || col >= x->w) continue;
                sum += x->values[((n * x->c + c) * x->h + row) * x->w + col] *
                       weights[((o * x->c + c) * g->k + dy) * g->k + dx];
            }
    return sum;
}

static inline int8_t narrow(int32_t v) { return (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v); }

static inline uint32_t packed_weights(network *net, const node *x, const geometry *g, const int8_t *weights) {
    int64_t bi = vta_config_block_in(net->config), bo = vta_config_block_out(net->config), taps = g->k * g->k;
    int64_t in = blocks(x->c, bi), bytes = blocks(g->oc, bo) * in * taps * bo * bi;
    int8_t *packed = calloc((size_t)bytes, 1);
    uint32_t buffer;
    for (int64_t o = 0; o < g->oc; o++)
        for (int64_t c = 0; c < x->c; c++)
            for (int64_t t = 0; t < taps; t++)
                packed[((((o / bo) * in + c / bi) * taps + t) * bo + o % bo) * bi + c % bi] =
                    weights[(o * x->c + c) * taps + t];
    MUST(net,
         vt_planner_constant(net->planner, VT_PLACE_DEVICE, "weights", packed, (uint64_t)bytes, net->diag, &buffer));
    free(packed);
    return buffer;
}

static inline uint32_t packed_bias(network *net, const geometry *g, const int32_t *bias) {
    int64_t b = vta_config_batch(net->config), bo = vta_config_block_out(net->config);
    int64_t count = blocks(g->oc, bo) * b * bo;
    int32_t *packed = calloc((size_t)count, 4);
    uint32_t buffer;
    for (int64_t o = 0; o < g->oc; o++)
        for (int64_t r = 0; r < b; r++) packed[((o / bo) * b + r) * bo + o % bo] = bias[o];
    MUST(net,
         vt_planner_constant(net->planner, VT_PLACE_DEVICE, "bias", packed, (uint64_t)count * 4, net->diag, &buffer));
    free(packed);
    return buffer;
}

/* The operator; one that was made before for the same attributes is used again. */
static inline vtac_op *conv_op(network *net, const node *x, const geometry *g) {
    char text[256];
    snprintf(text, sizeof text,
             "batch=%d height=%d width=%d in_channels=%d out_channels=%d kernel=%d stride=%d pad=%d "
             "epilogue=bias,shift:%d,clip",
             (int)x->n, (int)x->h, (int)x->w, (int)x->c, (int)g->oc, (int)g->k, (int)g->stride, (int)g->pad, g->shift);
    vtac_op *op;
    MUST(net, vtac_op_create("conv2d", text, net->config, NULL, net->diag, &op));
    MUST(net, vtac_op_schedule(op, &(vtac_op_options){.tries = 1}, net->diag, &(vtac_op_result){0}));
    return net->ops[net->op_count++] = op;
}

static inline node *add_conv(network *net, int from, geometry g) {
    const node *x = &net->nodes[from];
    int64_t oh = (x->h + 2 * g.pad - g.k) / g.stride + 1, ow = (x->w + 2 * g.pad - g.k) / g.stride + 1;
    int8_t *weights = calloc((size_t)(g.oc * x->c * g.k * g.k), 1);
    int32_t *bias = calloc((size_t)g.oc, 4);
    for (int64_t i = 0; i < g.oc * x->c * g.k * g.k; i++) weights[i] = (int8_t)check_between(&net->random, -60, 60);
    for (int64_t i = 0; i < g.oc; i++) bias[i] = (int32_t)check_between(&net->random, -5000, 5000);
    node *y = new_node(net, x->n, g.oc, oh, ow);
    for (int64_t n = 0; n < y->n; n++)
        for (int64_t o = 0; o < g.oc; o++)
            for (int64_t i = 0; i < oh * ow; i++)
                y->values[(n * g.oc + o) * oh * ow + i] =
                    narrow((convolve(x, &g, weights, n, o, i / ow, i % ow) + bias[o]) >> g.shift);
    const vt_planner_arg args[] = {
        {x->buffer}, {packed_weights(net, x, &g, weights)}, {packed_bias(net, &g, bias)}, {y->buffer}};
    MUST(net, vt_planner_operator(net->planner, "conv", conv_op(net, x, &g), args, 4, net->diag));
    net->is_run[net->step_count] = true;
    reads(net, from, -1);
    net->runs++;
    free(weights);
    free(bias);
    return y;
}

/* ---- On the host ---- */

static inline vtac_kernel *host_kernel(network *net, const char *text) {
    vtac_kernel *kernel;
    MUST(net, vtac_kernel_parse(text, strlen(text), "host", NULL, net->config, NULL, net->diag, &kernel));
    return net->kernels[net->kernel_count++] = kernel;
}

/* The sum of two nodes of one shape, on the host. */
static inline node *add_sum(network *net, int a, int b) {
    const node *x = &net->nodes[a], *z = &net->nodes[b];
    char text[512];
    snprintf(text, sizeof text,
             "kernel add_%d\ntarget llvm\ninput a: int8[%d]\ninput b: int8[%d]\n"
             "output y like a = int8(min(max(int32(a[...]) + int32(b[...]), -128), 127))\n",
             net->count, (int)tile_bytes(net, x), (int)tile_bytes(net, x));
    vtac_kernel *kernel = host_kernel(net, text);
    node *y = new_node(net, x->n, x->c, x->h, x->w);
    for (int64_t i = 0; i < elements(y); i++) y->values[i] = narrow(x->values[i] + z->values[i]);
    const vt_planner_arg args[] = {{x->buffer}, {z->buffer}, {y->buffer}};
    MUST(net, vt_planner_call(net->planner, "sum", kernel, args, 3, net->diag));
    reads(net, a, b);
    return y;
}

static inline node *add_copy(network *net, int from) {
    const node *x = &net->nodes[from];
    node *y = new_node(net, x->n, x->c, x->h, x->w);
    memcpy(y->values, x->values, (size_t)elements(x));
    MUST(net, vt_planner_copy(net->planner, "copy", (vt_planner_arg){x->buffer}, (vt_planner_arg){y->buffer},
                              (uint64_t)tile_bytes(net, x), net->diag));
    reads(net, from, -1);
    return y;
}

/* Any function of one integer, lanes beyond the tensor included. */
static inline node *add_table(network *net, int from) {
    const node *x = &net->nodes[from];
    node *y = new_node(net, x->n, x->c, x->h, x->w);
    int8_t table[256];
    uint32_t buffer;
    for (int i = 0; i < 256; i++) table[i] = (int8_t)check_between(&net->random, -128, 127);
    for (int64_t i = 0; i < elements(x); i++) y->values[i] = table[(uint8_t)x->values[i]];
    MUST(net, vt_planner_constant(net->planner, VT_PLACE_DATA, "table", table, sizeof table, net->diag, &buffer));
    MUST(net, vt_planner_table(net->planner, "table", (vt_planner_arg){x->buffer}, (vt_planner_arg){buffer},
                               (vt_planner_arg){y->buffer}, (uint64_t)tile_bytes(net, x), net->diag));
    reads(net, from, -1);
    return y;
}

/* ---- Running ---- */

static inline vta_model *network_model(network *net) {
    uint8_t *bytes;
    size_t size;
    vta_model *model;
    MUST(net, vt_planner_finish(net->planner, net->diag, &bytes, &size));
    MUST(net, vta_model_parse(bytes, size, "net.vta-model", NULL, net->diag, &model));
    vta_string_free(bytes);
    return model;
}

static inline void check_outputs(network *net, const vta_instance *in, const char *what) {
    for (int i = 0; i < net->output_count; i++) {
        const node *x = &net->nodes[net->outputs[i]];
        int8_t *got = calloc((size_t)elements(x), 1);
        MUST(net, vta_instance_get_output(in, (size_t)i, got, (size_t)elements(x), net->diag));
        for (int64_t k = 0; k < elements(x); k++)
            if (got[k] != x->values[k])
                fail_msg("%s: node %d, element %d: %d, not %d\n%s", what, net->outputs[i], (int)k, got[k], x->values[k],
                         vt_planner_report(net->planner));
        free(got);
    }
}

static inline void set_inputs(network *net, vta_instance *in) {
    for (size_t i = 0; i < vta_model_input_count(vta_instance_model(in)); i++)
        MUST(net, vta_instance_set_input(in, i, net->nodes[i].values, (size_t)elements(&net->nodes[i]), net->diag));
}

#endif
