#include "device/rtl/model.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/environment.h"

void vt_rtl_cycle(vt_rtl_model *m) {
    vt_axi_drive(&m->axi);
    m->functions->settle(m->model);
    vt_axi_sample(&m->axi);
    m->functions->edge(m->model);
}

void vt_rtl_reset(vt_rtl_model *m) {
    vt_model_ports *p = &m->axi.port;
    vt_axi_reset(&m->axi);
    *p->s_awvalid = *p->s_wvalid = *p->s_arvalid = 0;
    *p->s_bready = *p->s_rready = 1;
    *p->rvalid = *p->bvalid = *p->arready = *p->awready = *p->wready = 0;
    *p->rst_n = 0;
    for (int i = 0; i < 4; i++) {
        m->functions->settle(m->model);
        m->functions->edge(m->model);
    }
    *p->rst_n = 1;
}

/* The slave of the registers answers within a few cycles, whatever the accelerator does. */
uint32_t vt_rtl_get(vt_rtl_model *m, uint32_t offset) {
    vt_model_ports *p = &m->axi.port;
    *p->s_arvalid = 1;
    *p->s_araddr = (uint8_t)offset;
    vt_rtl_cycle(m);
    *p->s_arvalid = 0;
    while (!*p->s_rvalid) vt_rtl_cycle(m);
    uint32_t value = *p->s_rdata;
    vt_rtl_cycle(m);
    return value;
}

void vt_rtl_set(vt_rtl_model *m, uint32_t offset, uint32_t value) {
    vt_model_ports *p = &m->axi.port;
    *p->s_awvalid = *p->s_wvalid = 1;
    *p->s_awaddr = (uint8_t)offset;
    *p->s_wdata = value;
    vt_rtl_cycle(m);
    *p->s_awvalid = *p->s_wvalid = 0;
    vt_rtl_cycle(m);
}

static vta_status open_library(vt_rtl_model *m, const char *path, vta_diag *diag) {
    m->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!m->library) return vt_fail(diag, VTA_IO, "%s: %s", path, dlerror());
    const vt_model_functions *(*table)(void) = NULL;
    *(void **)&table = dlsym(m->library, VT_MODEL_SYMBOL);
    m->functions = table ? table() : NULL;
    if (m->functions && m->functions->version == VT_MODEL_VERSION) return VTA_OK;
    dlclose(m->library);
    return vt_fail(diag, VTA_MISMATCH, "%s is not a model that this version can run; delete it, then vta hw build",
                   path);
}

vta_status vt_rtl_open(vt_rtl_model *m, const char *path, vt_dram *dram, uint64_t seed, vta_diag *diag) {
    VT_TRY(open_library(m, path, diag));
    m->axi = (vt_axi){.dram = dram, .bus_bytes = m->functions->bus_bits / 8, .random = seed};
    m->model = m->functions->create(&m->axi.port, seed);
    if (!m->model) {
        dlclose(m->library);
        return vt_no_memory(diag);
    }
    vt_rtl_reset(m);
    return VTA_OK;
}

/* Into a new file of the folder that the environment names; what cannot be written there is lost. */
static void write_coverage(const vt_rtl_model *m) {
    const char *folder = vt_environment(VT_ENV_VTA_HARDWARE_COVERAGE);
    char path[1024];
    if (!folder || snprintf(path, sizeof path, "%s/vta_XXXXXX", folder) >= (int)sizeof path) return;
    int file = mkstemp(path);
    if (file < 0) return;
    close(file);
    if (!m->functions->coverage(m->model, path)) (void)unlink(path);
}

void vt_rtl_close(vt_rtl_model *m) {
    write_coverage(m);
    m->functions->destroy(m->model);
    dlclose(m->library);
}
