/* Kernels for the accelerator made by hand, on the simulator: the calls they make, what they compute, signatures. */
#include "build/build_test.h"
#include "build/hand_made.h"
#include "build/trace.h"
#include "vta/build.h"

/* Runs C = A + B on the simulator and gives the calls that it made. */
static void run(const vt_func *(*make)(vt_ctx *c), vt_strbuf *trace) {
    kit k;
    vt_strbuf object;
    vt_jit *jit;
    void *address;
    size_t n;
    kit_open(&k);
    vta_config *config = vta_config_default();
    assert_int_equal(vta_runtime_reconfigure(config, "sim", NULL, k.diag), VTA_OK);
    vta_config_release(config);
    const vt_func *f = make(&k.ctx);
    const vt_jit_symbol *symbols = vt__trace_symbols(&n);
    if (emit(&k, f, VT_DEVICE_EXT_DEV, NULL, VT_EMIT_OBJECT, 0, &object) != VTA_OK ||
        vt_jit_create(NULL, object.text, object.size, n, symbols, k.diag, &jit) != VTA_OK ||
        vt_jit_lookup(jit, f->name, k.diag, &address) != VTA_OK)
        fail_msg("%s", vta_diag_text(k.diag));
    int32_t in[2][1024];
    int8_t out[1024];
    for (int i = 0; i < 1024; i++) in[0][i] = i * 7919, in[1][i] = 3 - i * 104729;
    void *buffers[3] = {VTABufferAlloc(4096), VTABufferAlloc(4096), VTABufferAlloc(1024)};
    flat_tensor t[3];
    for (int i = 0; i < 3; i++) tensor_init(&t[i], buffers[i], kDLExtDev, 0, i < 2 ? 32 : 8, 1024);
    for (int i = 0; i < 2; i++) VTABufferCopy(in[i], 0, buffers[i], 0, 4096, 1);
    vta_packed_function kernel = (vta_packed_function)(uintptr_t)address;
    for (int times = 0; times < 2; times++) { /* the second call finds its micro-kernels recorded */
        vt_strbuf_clear(trace);
        assert_int_equal(vtac_trace_begin(trace_to, trace), VTA_OK);
        assert_int_equal(call(kernel, 3, t), 0);
        vtac_trace_end();
        VTABufferCopy(buffers[2], 0, out, 0, 1024, 2);
        for (int i = 0; i < 1024; i++) assert_int_equal(out[i], (int8_t)(in[0][i] + in[1][i]));
        if (times == 0 && make == make_vadd) break;
    }
    assert_null(vta_last_error(NULL));
    for (int i = 0; i < 3; i++) VTABufferFree(buffers[i]);
    vt_jit_destroy(jit);
    vt_strbuf_free(&object);
    kit_close(&k);
}

TEST_CASE(test_vadd) {
    vt_strbuf trace;
    vt_strbuf_init(&trace, NULL);
    run(make_vadd, &trace);
    golden_check("calls/vadd.calls", vt_strbuf_text(&trace));
    vt_strbuf_free(&trace);
}

TEST_CASE(test_packed_signature) {
    vt_strbuf trace;
    vt_strbuf_init(&trace, NULL);
    run(make_nested, &trace);
    /* recorded before: eight signatures, no micro-ops */
    for (int i = 0; i < 8; i++) {
        char line[32];
        snprintf(line, sizeof line, "alu site0 sig=%d\nend\n", i);
        assert_non_null(strstr(vt_strbuf_text(&trace), line));
    }
    vt_strbuf_free(&trace);
}

int main(void) { return golden_result(run_cases()); }
