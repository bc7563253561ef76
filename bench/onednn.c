#include "onednn.h"

#include <stdlib.h>
#include <string.h>

#include <oneapi/dnnl/dnnl.h>

#include "timing.h"

typedef struct session {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[3];
    int count;
} session;

static int add_memory(session *s, int arg, dnnl_query_t what, int index) {
    const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(s->desc, what, index);
    dnnl_memory_t memory;
    if (dnnl_memory_create(&memory, md, s->engine, DNNL_MEMORY_ALLOCATE) != dnnl_success) return 0;
    void *data;
    if (dnnl_memory_get_data_handle(memory, &data) == dnnl_success && data)
        memset(data, 3, dnnl_memory_desc_get_size(md));
    s->args[s->count++] = (dnnl_exec_arg_t){arg, memory};
    return 1;
}

static int execute(void *arg) {
    session *s = arg;
    return dnnl_primitive_execute(s->primitive, s->stream, s->count, s->args) == dnnl_success &&
           dnnl_stream_wait(s->stream) == dnnl_success;
}

/* Builds the primitive of an operation descriptor and times it. */
static double time_operation(const_dnnl_op_desc_t operation) {
    session s = {0};
    double seconds = -1;
    if (dnnl_engine_create(&s.engine, dnnl_cpu, 0) != dnnl_success) return -1;
    if (dnnl_stream_create(&s.stream, s.engine, dnnl_stream_default_flags) == dnnl_success &&
        dnnl_primitive_desc_create(&s.desc, operation, NULL, s.engine, NULL) == dnnl_success &&
        dnnl_primitive_create(&s.primitive, s.desc) == dnnl_success &&
        add_memory(&s, DNNL_ARG_SRC, dnnl_query_src_md, 0) &&
        add_memory(&s, DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0) &&
        add_memory(&s, DNNL_ARG_DST, dnnl_query_dst_md, 0))
        seconds = best_seconds(execute, &s);
    for (int i = 0; i < s.count; i++) dnnl_memory_destroy(s.args[i].memory);
    if (s.primitive) dnnl_primitive_destroy(s.primitive);
    if (s.desc) dnnl_primitive_desc_destroy(s.desc);
    if (s.stream) dnnl_stream_destroy(s.stream);
    dnnl_engine_destroy(s.engine);
    return seconds;
}

double onednn_conv(const conv_shape *c) { return onednn_group_conv(c, 1); }

double onednn_group_conv(const conv_shape *c, uint32_t groups) {
    uint32_t oh = (c->height + 2 * c->pad - c->kernel) / c->stride + 1;
    uint32_t ow = (c->width + 2 * c->pad - c->kernel) / c->stride + 1;
    dnnl_memory_desc_t src, weights, dst;
    dnnl_convolution_desc_t operation;
    dnnl_dims_t whole = {c->out, c->in, c->kernel, c->kernel},
                parts = {groups, c->out / groups, c->in / groups, c->kernel, c->kernel};
    dnnl_memory_desc_init_by_tag(&src, 4, (dnnl_dims_t){1, c->in, c->height, c->width}, dnnl_u8, dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&weights, groups > 1 ? 5 : 4, groups > 1 ? parts : whole, dnnl_s8,
                                 dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&dst, 4, (dnnl_dims_t){1, c->out, oh, ow}, dnnl_s8, dnnl_format_tag_any);
    if (dnnl_convolution_forward_desc_init(&operation, dnnl_forward_inference, dnnl_convolution_direct, &src, &weights,
                                           NULL, &dst, (dnnl_dims_t){c->stride, c->stride},
                                           (dnnl_dims_t){c->pad, c->pad},
                                           (dnnl_dims_t){c->pad, c->pad}) != dnnl_success)
        return -1;
    return time_operation(&operation);
}

double onednn_transposed(const conv_shape *c) {
    uint32_t oh = (c->height - 1) * c->stride + c->kernel - 2 * c->pad;
    uint32_t ow = (c->width - 1) * c->stride + c->kernel - 2 * c->pad;
    dnnl_memory_desc_t src, weights, dst;
    dnnl_deconvolution_desc_t operation;
    dnnl_memory_desc_init_by_tag(&src, 4, (dnnl_dims_t){1, c->in, c->height, c->width}, dnnl_u8, dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&weights, 4, (dnnl_dims_t){c->out, c->in, c->kernel, c->kernel}, dnnl_s8,
                                 dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&dst, 4, (dnnl_dims_t){1, c->out, oh, ow}, dnnl_s8, dnnl_format_tag_any);
    if (dnnl_deconvolution_forward_desc_init(&operation, dnnl_forward_inference, dnnl_deconvolution_direct, &src,
                                             &weights, NULL, &dst, (dnnl_dims_t){c->stride, c->stride},
                                             (dnnl_dims_t){c->pad, c->pad},
                                             (dnnl_dims_t){c->pad, c->pad}) != dnnl_success)
        return -1;
    return time_operation(&operation);
}

double onednn_matmul(uint32_t rows, uint32_t in, uint32_t out) {
    dnnl_memory_desc_t src, weights, dst;
    dnnl_matmul_desc_t operation;
    dnnl_memory_desc_init_by_tag(&src, 2, (dnnl_dims_t){rows, in}, dnnl_u8, dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&weights, 2, (dnnl_dims_t){in, out}, dnnl_s8, dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&dst, 2, (dnnl_dims_t){rows, out}, dnnl_s32, dnnl_format_tag_any);
    if (dnnl_matmul_desc_init(&operation, &src, &weights, NULL, &dst) != dnnl_success) return -1;
    return time_operation(&operation);
}
