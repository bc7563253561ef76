/* What the planner refuses, what is left without memory, and code for another machine. */
#include "network.h"

static network net;

static void begin(const vt_planner_options *options) { network_begin(&net, 1, "", options); }

#define REFUSED(call, expected, text)                                                                                  \
    do {                                                                                                               \
        vta_status got = (call);                                                                                       \
        if (got != (expected)) fail_msg("%s: %s: %s", #call, vta_status_text(got), vta_diag_text(net.diag));           \
        assert_contains(vta_diag_text(net.diag), text);                                                                \
        vta_diag_clear(net.diag);                                                                                      \
    } while (0)

static const int64_t shape[] = {1, 16, 2, 2};

TEST_CASE(buffers) {
    begin(NULL);
    vt_planner *p = net.planner;
    uint32_t b, constant, device;
    REFUSED(vt_planner_buffer(p, VT_PLACE_DATA, "b", 64, net.diag, &b), VTA_INVALID_ARGUMENT, "where constants are");
    REFUSED(vt_planner_buffer(p, VT_PLACE_HOST, "b", 0, net.diag, &b), VTA_OUT_OF_RANGE, "0 bytes");
    REFUSED(vt_planner_buffer(p, VT_PLACE_HOST, "b", (uint64_t)1 << 40, net.diag, &b), VTA_OUT_OF_RANGE, "bytes");
    REFUSED(vt_planner_input(p, "x", "int7x", 4, shape, net.diag, &b), VTA_UNSUPPORTED, "no tensor");
    MUST(&net, vt_planner_constant(p, VT_PLACE_DEVICE, "c", "0123456789abcdef", 16, net.diag, &constant));
    MUST(&net, vt_planner_constant(p, VT_PLACE_DEVICE, "d", "0123456789abcdef", 16, net.diag, &b));
    assert_int_equal(b, constant); /* equal contents are kept once */
    MUST(&net, vt_planner_constant(p, VT_PLACE_HOST, "d", "0123456789abcdef", 16, net.diag, &b));
    assert_int_not_equal(b, constant);
    MUST(&net, vt_planner_buffer(p, VT_PLACE_DEVICE, "device", 64, net.diag, &device));
    REFUSED(vt_planner_output(p, "y", "int8", 4, shape, (vt_planner_arg){device}, net.diag), VTA_INVALID_ARGUMENT,
            "not in a buffer on the host");
    REFUSED(vt_planner_copy(p, "copy", (vt_planner_arg){device}, (vt_planner_arg){99}, 8, net.diag), VTA_OUT_OF_RANGE,
            "argument 1 is buffer 99");
    REFUSED(vt_planner_copy(p, "copy", (vt_planner_arg){device, 60}, (vt_planner_arg){device}, 8, net.diag),
            VTA_OUT_OF_RANGE, "8 bytes from 60 on");
    REFUSED(vt_planner_copy(p, "copy", (vt_planner_arg){device}, (vt_planner_arg){constant}, 8, net.diag),
            VTA_INVALID_ARGUMENT, "is a constant");
    REFUSED(vt_planner_pack(p, "pack", "int8", 1, shape, 1, 16, (vt_planner_arg){device}, (vt_planner_arg){device},
                            net.diag),
            VTA_UNSUPPORTED, "no tiles");
    REFUSED(vt_planner_section(p, "a name of more than 15", "x", 1, net.diag), VTA_INVALID_ARGUMENT, "characters");
    network_end(&net);
}

TEST_CASE(kernels) {
    static const char cpu[] = "kernel f\ntarget llvm\ninput x: int8[64]\noutput y like x = x[...]\n";
    static const char vta[] = "kernel f\ninput x: int8[64]\noutput y like x = x[...]\n";
    begin(NULL);
    uint32_t host, device;
    vt_planner *p = net.planner;
    uint8_t *bytes;
    size_t size;
    MUST(&net, vt_planner_buffer(p, VT_PLACE_HOST, "h", 64, net.diag, &host));
    MUST(&net, vt_planner_buffer(p, VT_PLACE_DEVICE, "d", 64, net.diag, &device));
    const vt_planner_arg args[] = {{host}, {device}, {device}};
    vtac_kernel *of_cpu = host_kernel(&net, cpu), *of_vta = host_kernel(&net, vta);
    REFUSED(vt_planner_call(p, "f", of_cpu, args, 3, net.diag), VTA_MISMATCH, "3 arguments, its kernel has 2");
    vtac_op *op;
    MUST(&net, vtac_op_create("dense", "in_features=16 out_features=16", net.config, NULL, net.diag, &op));
    net.ops[net.op_count++] = op;
    REFUSED(vt_planner_operator(p, "op", op, args, 3, net.diag), VTA_INVALID_ARGUMENT, "no schedule yet");
    MUST(&net, vtac_op_schedule(op, NULL, net.diag, &(vtac_op_result){0}));
    const vt_planner_arg small[] = {{device}, {device}, {device}};
    REFUSED(vt_planner_operator(p, "op", op, small, 3, net.diag), VTA_OUT_OF_RANGE, "argument 1 is 256 bytes");
    MUST(&net, vt_planner_buffer(p, VT_PLACE_HOST, "w", 256, net.diag, &host));
    const vt_planner_arg on_host[] = {{device}, {host}, {device}};
    REFUSED(vt_planner_operator(p, "op", op, on_host, 3, net.diag), VTA_INVALID_ARGUMENT, "not in device memory");
    MUST(&net, vt_planner_call(p, "f", of_vta, args, 2, net.diag));
    bytes = (uint8_t *)&size; /* what was in the results before is neither kept nor freed */
    size = 1;
    REFUSED(vt_planner_finish(p, net.diag, &bytes, &size), VTA_INVALID_ARGUMENT, "not for the host");
    assert_null(bytes);
    assert_int_equal(size, 0);
    REFUSED(vt_planner_copy(p, "copy", args[0], args[1], 8, net.diag), VTA_INVALID_ARGUMENT, "is finished");
    network_end(&net);
}

/* A kernel for the accelerator that computes on the host cannot be recorded. */
TEST_CASE(on_both) {
    vtac_op *op;
    uint32_t b;
    begin(NULL);
    MUST(&net, vtac_op_create("concat", "channels0=16 channels1=16", net.config, NULL, net.diag, &op));
    MUST(&net, vtac_op_schedule(op, NULL, net.diag, NULL));
    MUST(&net, vt_planner_buffer(net.planner, VT_PLACE_DEVICE, "d", 64, net.diag, &b));
    REFUSED(vt_planner_operator(net.planner, "f", op, (vt_planner_arg[]){{b}, {b}, {b}}, 3, net.diag), VTA_UNSUPPORTED,
            "f: the kernel computes on the host too");
    vtac_op_destroy(op);
    network_end(&net);
}

static void small_network(const vt_planner_options *options) {
    begin(options);
    add_input(&net, 1, 16, 4, 4);
    add_conv(&net, 0, (geometry){16, 1, 1, 0, 7});
    add_sum(&net, 0, 1);
    add_output(&net, 2);
}

/* Front ends have what the planner leaves of 64 sections. */
TEST_CASE(sections) {
    enum { MAX = 64 - 7 };
    char name[8];
    for (int more = 0; more < 2; more++) {
        small_network(NULL);
        for (int i = 0; i < MAX + more; i++) {
            snprintf(name, sizeof name, "s%d", i);
            MUST(&net, vt_planner_section(net.planner, name, name, strlen(name), net.diag));
        }
        if (more) {
            uint8_t *bytes;
            size_t size;
            REFUSED(vt_planner_finish(net.planner, net.diag, &bytes, &size), VTA_OUT_OF_RANGE,
                    "58 sections of front ends: there are at most 57");
            network_end(&net);
            return;
        }
        vta_model *model = network_model(&net);
        for (int i = 0; i < MAX; i++) {
            size_t size;
            snprintf(name, sizeof name, "s%d", i);
            const void *bytes = vta_model_section(model, name, &size);
            assert_int_equal(size, strlen(name));
            assert_memory_equal(bytes, name, size);
        }
        vta_model_release(model);
        network_end(&net);
    }
}

/* Code for another machine goes into the artifact, and is refused here. */
TEST_CASE(other_machine) {
#ifdef __aarch64__
    const char *triple = "x86_64-linux-gnu", *word = "x86_64";
#else
    const char *triple = "aarch64-linux-gnu", *word = "aarch64";
#endif
    small_network(&(vt_planner_options){.triple = triple});
    vta_model *model = network_model(&net);
    vta_instance *in;
    assert_contains(vta_model_triple(model), word);
    REFUSED(vta_instance_create(model, &(vta_instance_options){.driver = "sim"}, net.diag, &in), VTA_UNSUPPORTED,
            "cannot be loaded here");
    assert_null(in);
    vta_model_release(model);
    network_end(&net);
}

/* The same network gives the same file. */
TEST_CASE(deterministic) {
    uint8_t *bytes[2];
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        small_network(NULL);
        MUST(&net, vt_planner_finish(net.planner, net.diag, &bytes[i], &size[i]));
        assert_contains(vt_planner_report(net.planner), "without sharing");
        network_end(&net);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    for (int i = 0; i < 2; i++) vta_string_free(bytes[i]);
}

/* The planner's own allocations, one after another. */
TEST_CASE(no_memory) {
    begin(NULL);
    node from = {.n = 1, .c = 16, .h = 4, .w = 4};
    vtac_op *op = conv_op(&net, &from, &(geometry){16, 1, 1, 0, 7});
    vtac_kernel *kernel = host_kernel(&net, "kernel f\ntarget llvm\ninput x: int8[256]\noutput y like x = x[...]\n");
    static const uint8_t zeros[1024];
    vta_status status = VTA_NO_MEMORY;
    size_t n = 0;
    for (; status == VTA_NO_MEMORY; n++) {
        check_allocator failing;
        check_allocator_init(&failing, n);
        vt_planner *p = NULL;
        uint32_t x = 0, w = 0, b = 0, d = 0, y = 0;
        uint8_t *bytes = NULL;
        size_t size;
        const vt_planner_options options = {.allocator = &failing.allocator};
        status = vt_planner_create("n", net.config, &options, NULL, &p);
        if (status == VTA_OK) status = vt_planner_input(p, "x", "int8", 1, (int64_t[]){256}, NULL, &x);
        if (status == VTA_OK) status = vt_planner_buffer(p, VT_PLACE_DEVICE, "d", 256, NULL, &d);
        if (status == VTA_OK) status = vt_planner_buffer(p, VT_PLACE_DEVICE, "y", 256, NULL, &y);
        if (status == VTA_OK) status = vt_planner_constant(p, VT_PLACE_DEVICE, "w", zeros, 256, NULL, &w);
        if (status == VTA_OK) status = vt_planner_constant(p, VT_PLACE_DEVICE, "b", zeros, 64, NULL, &b);
        if (status == VTA_OK) status = vt_planner_call(p, "f", kernel, (vt_planner_arg[]){{x}, {d}}, 2, NULL);
        const vt_planner_arg args[] = {{d}, {w}, {b}, {y}};
        if (status == VTA_OK) status = vt_planner_operator(p, "c", op, args, 4, NULL);
        if (status == VTA_OK) status = vt_planner_section(p, "labels", "x", 1, NULL);
        if (status == VTA_OK) status = vt_planner_finish(p, NULL, &bytes, &size);
        vta_string_free(bytes);
        vt_planner_destroy(p);
        if (status != VTA_OK && status != VTA_NO_MEMORY) fail_msg("%d: %s", (int)n, vta_status_text(status));
        if (failing.live) fail_msg("allocation %d: %d bytes are lost", (int)n, (int)failing.live);
    }
    assert_true(n > 40);
    network_end(&net);
}

int main(void) { return run_cases(); }
