/* Kernels that a TARGET's design cannot run are refused when they are lowered, and no others. */
#include "support/diag.h"
#include "vta/build.h"

static const char vector[] = "kernel k(m = 64)\n"
                             "input A: acc_t[1, m, BATCH, BLOCK_OUT]\ninput B: acc_t[1, m, BATCH, BLOCK_OUT]\n"
                             "tensor A_buf like A = A[...]\ntensor B_buf like B = B[...]\n"
                             "tensor C_buf like A = A_buf[...] %s B_buf[...]\n"
                             "output C like A = inp_t(C_buf[...])\n"
                             "stage A_buf\n  scope acc\n  pragma 0 dma_copy\nstage B_buf\n  scope acc\n"
                             "  pragma 0 dma_copy\nstage C_buf\n  scope acc\n  pragma 0 alu\nstage C\n"
                             "  pragma 0 dma_copy\n";

static vta_status lower(const char *changes, const char *operation) {
    char text[1024];
    vta_config *base = vta_config_default(), *config;
    vtac_kernel *kernel;
    const vtac_func *func;
    must(vta_config_with(base, changes, diag, &config));
    vta_config_release(base);
    int size = snprintf(text, sizeof text, vector, operation);
    must(vtac_kernel_parse(text, (size_t)size, "k", NULL, config, NULL, diag, &kernel));
    vta_status status = vtac_kernel_lower(kernel, NULL, &func);
    if (status != VTA_OK)
        vta_diag_add(diag, VTA_ERROR, status, vta_diag_text(te_context_diag(vtac_kernel_context(kernel))));
    vtac_kernel_destroy(kernel);
    vta_config_release(config);
    return status;
}

TEST_CASE(operations) {
    static const struct {
        const char *changes, *no_mul, *no_add; /* NULL: it has it */
    } rows[] = {
        {"TARGET=sim", NULL, NULL},
        {"TARGET=tsim", NULL, NULL},
        {"TARGET=rtl", NULL, NULL},
        {"TARGET=intelfocl", NULL, NULL},
        {"TARGET=pynq", "TARGET pynq: the design of this board has no MUL for BATCH 1 (docs/boards.md)", NULL},
        {"TARGET=ultra96", "TARGET ultra96: the design of this board has no MUL for BATCH 1", NULL},
        {"TARGET=zcu104,LOG_BATCH=1", "TARGET zcu104: the design of this board has no MUL for BATCH 2", NULL},
        {"TARGET=de10nano", "TARGET de10nano: the design of this board has no MUL for BATCH 1", NULL},
        {"TARGET=de10nano,LOG_BATCH=1", "no MUL for BATCH 2", "has no ADD for BATCH 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].no_mul)
            refused(lower(rows[i].changes, "*"), VTA_UNSUPPORTED, rows[i].no_mul);
        else
            must(lower(rows[i].changes, "*"));
        if (rows[i].no_add)
            refused(lower(rows[i].changes, "+"), VTA_UNSUPPORTED, rows[i].no_add);
        else
            must(lower(rows[i].changes, "+"));
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
