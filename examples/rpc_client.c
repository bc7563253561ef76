/* A kernel on another machine: sends an object of `vta build examples/vector_add.te -o vadd.o` to a server and adds
 * vectors there. Usage: rpc_client HOST:PORT vadd.o [KEY_FILE]; without arguments it only says so. */
#include <stdio.h>
#include <stdlib.h>

#include "vta/rpc.h"

enum { COUNT = 64 * 16 };

static vta_diag *diag;

static void must(vta_status status) {
    if (status == VTA_OK) return;
    fprintf(stderr, "%s\n", vta_diag_text(diag));
    exit(1);
}

static void send_file(vta_rpc *rpc, const char *path) {
    static char bytes[1 << 20];
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    must(vta_rpc_upload(rpc, "kernel.o", bytes, size, diag));
}

/* C = int8(A + B) on the server's accelerator; the number of wrong elements. */
static int add(vta_rpc *rpc) {
    const int64_t shape[] = {1, 64, 1, 16};
    int32_t a[COUNT], b[COUNT];
    int8_t c[COUNT];
    uint64_t module, function, arrays[3];
    TVMValue args[3];
    const int codes[3] = {VTA_ARG_TENSOR, VTA_ARG_TENSOR, VTA_ARG_TENSOR};
    int wrong = 0;
    must(vta_rpc_load_module(rpc, "kernel.o", diag, &module, NULL));
    must(vta_rpc_function(rpc, module, "__tvm_main__", diag, &function, NULL)); /* the module's only one */
    for (int i = 0; i < 3; i++) {
        must(vta_rpc_array(rpc, kDLExtDev, 4, shape, (DLDataType){kDLInt, i < 2 ? 32 : 8, 1}, diag, &arrays[i]));
        args[i].v_int64 = (int64_t)arrays[i];
    }
    for (int i = 0; i < COUNT; i++) a[i] = i % 50, b[i] = i % 7;
    must(vta_rpc_write(rpc, arrays[0], 0, a, sizeof a, diag));
    must(vta_rpc_write(rpc, arrays[1], 0, b, sizeof b, diag));
    must(vta_rpc_call(rpc, function, args, codes, 3, diag, NULL, NULL));
    must(vta_rpc_read(rpc, arrays[2], 0, c, sizeof c, diag));
    for (int i = 0; i < COUNT; i++) wrong += c[i] != (int8_t)(a[i] + b[i]);
    return wrong;
}

int main(int argc, char **argv) {
    char host[256] = "127.0.0.1";
    uint32_t port = VTA_RPC_PORT;
    vta_rpc *rpc;
    if (argc < 3) {
        printf("usage: rpc_client HOST:PORT vadd.o [KEY_FILE]\n");
        return 0;
    }
    diag = vta_diag_create(NULL);
    must(vta_rpc_place(argv[1], sizeof host, host, &port, diag));
    must(vta_rpc_connect(host, port, &(vta_rpc_options){.key_file = argc > 3 ? argv[3] : NULL}, NULL, diag, &rpc));
    send_file(rpc, argv[2]);
    int wrong = add(rpc);
    printf("%d of %d sums are right, computed on %s\n", COUNT - wrong, COUNT, vta_rpc_machine(rpc));
    vta_rpc_close(rpc);
    vta_diag_destroy(diag);
    return wrong != 0;
}
