/* The accelerator's kernel of tests/rpc/kernels.c, through a session. */
#ifndef TESTS_RPC_VADD_H
#define TESTS_RPC_VADD_H

#include "rpc/server.h"

enum { VADD_COUNT = 1024 };

typedef struct vadd {
    uint64_t function, arrays[3];
    TVMValue args[3];
    int codes[3];
} vadd;

/* Uploads it, and makes its arrays with random-looking inputs. */
static inline vta_status vadd_begin(vta_rpc *rpc, vta_diag *diag, vadd *v) {
    static const int64_t shape[] = {1, VADD_COUNT / 16, 1, 16};
    size_t size;
    uint64_t module;
    int32_t in[2][VADD_COUNT];
    const char *object = kernels_object(&size);
    for (int i = 0; i < VADD_COUNT; i++) in[0][i] = i, in[1][i] = 3 * i + 1;
    vta_status status = vta_rpc_upload(rpc, "vadd.o", object, size, diag);
    if (status == VTA_OK) status = vta_rpc_load_module(rpc, "vadd.o", diag, &module, NULL);
    if (status == VTA_OK) status = vta_rpc_function(rpc, module, "__tvm_main__", diag, &v->function, NULL);
    for (int i = 0; i < 3 && status == VTA_OK; i++) {
        const DLDataType type = {kDLInt, i < 2 ? 32 : 8, 1};
        status = vta_rpc_array(rpc, kDLExtDev, 4, shape, type, diag, &v->arrays[i]);
        if (status == VTA_OK && i < 2) status = vta_rpc_write(rpc, v->arrays[i], 0, in[i], sizeof in[i], diag);
        v->args[i].v_int64 = (int64_t)v->arrays[i];
        v->codes[i] = VTA_ARG_TENSOR;
    }
    return status;
}

/* Calls it, and checks every sum. */
static inline void vadd_check(vta_rpc *rpc, vta_diag *diag, const vadd *v) {
    int8_t c[VADD_COUNT];
    vta_status status = vta_rpc_call(rpc, v->function, v->args, v->codes, 3, diag, NULL, NULL);
    if (status == VTA_OK) status = vta_rpc_read(rpc, v->arrays[2], 0, c, sizeof c, diag);
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    for (int i = 0; i < VADD_COUNT; i++) assert_int_equal(c[i], (int8_t)(4 * i + 1));
}

#endif
