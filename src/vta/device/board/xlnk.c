/* Contiguous memory of xlnk, the driver of the images that PYNQ had up to 2.6, through their library libcma. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include "device/board/sources.h"

/* The functions of the library that are used, by name. */
typedef struct xlnk {
    const vta_allocator *allocator;
    void *library, *memory;
    void *(*cma_alloc)(uint32_t bytes, uint32_t cacheable); /* NULL or -1 when it fails */
    unsigned long (*cma_get_phy_addr)(void *memory);
    void (*cma_free)(void *memory);
    void (*cma_flush_cache)(void *at, unsigned int addr, int bytes);
    void (*cma_invalidate_cache)(void *at, unsigned int addr, int bytes);
} xlnk;

static void release(void *source) {
    xlnk *x = source;
    if (x->memory) x->cma_free(x->memory);
    if (x->library) dlclose(x->library);
    vt_free(x->allocator, x, sizeof *x);
}

static vta_status load(xlnk *x, const char *library, vta_diag *diag) {
    x->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!x->library)
        return vt_fail(diag, VTA_NOT_FOUND,
                       "the board's memory: %s. It belongs to PYNQ's images up to 2.6; on others take u-dma-buf (board "
                       "settings memory=, xlnk=)",
                       dlerror());
    const struct {
        const char *name;
        void *to;
    } functions[] = {{"cma_alloc", &x->cma_alloc},
                     {"cma_get_phy_addr", &x->cma_get_phy_addr},
                     {"cma_free", &x->cma_free},
                     {"cma_flush_cache", &x->cma_flush_cache},
                     {"cma_invalidate_cache", &x->cma_invalidate_cache}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(x->library, functions[i].name);
        if (!function)
            return vt_fail(diag, VTA_UNSUPPORTED, "the board's memory: %s has no function %s", library,
                           functions[i].name);
        *(void **)functions[i].to = function;
    }
    return VTA_OK;
}

static vta_status sync_cache(vt_contiguous *c, bool for_device, uint64_t offset, uint64_t bytes, vta_diag *diag) {
    const xlnk *x = c->source;
    (void)diag;
    for (uint64_t done = 0, part; done < bytes; done += part) { /* sizes are an int */
        part = bytes - done < INT_MAX ? bytes - done : 1 << 30;
        (for_device ? x->cma_flush_cache : x->cma_invalidate_cache)(c->host + offset + done,
                                                                    (unsigned int)(c->base + offset + done), (int)part);
    }
    return VTA_OK;
}

static vta_status allocate(vt_contiguous *c, xlnk *x, vta_diag *diag) {
    void *memory = x->cma_alloc((uint32_t)c->size, 1);
    if (!memory || memory == (void *)-1)
        return vt_fail(diag, VTA_NO_MEMORY, "the board's memory: xlnk has no %llu bytes of CMA in one piece%s%s",
                       (unsigned long long)c->size, ". ", c->hint);
    x->memory = memory;
    unsigned long addr = x->cma_get_phy_addr(memory);
    if (!addr) return vt_fail(diag, VTA_IO, "the board's memory: xlnk does not say the address of what it allocated");
    VT_TRY(vt__check_place(c, addr, diag));
    c->base = (uint32_t)addr;
    c->host = memory;
    return VTA_OK;
}

vta_status vt__open_xlnk(vt_contiguous *c, const vt_board_settings *s, vta_diag *diag) {
    snprintf(c->name, sizeof c->name, "xlnk");
    snprintf(c->hint, sizeof c->hint, "Change the board setting memory_bytes=, or give Linux more CMA (cma=SIZE)");
    VT_TRY(vt__memory_bytes(s, diag, &c->size));
    xlnk *x = vt_alloc_zero(c->allocator, sizeof *x);
    if (!x) return vt_no_memory(diag);
    x->allocator = c->allocator;
    c->source = x;
    c->release = release;
    VT_TRY(load(x, s->xlnk, diag));
    VT_TRY(allocate(c, x, diag));
    c->sync = sync_cache;
    c->sync_text = "by calls of xlnk's library";
    c->may_sync = true;
    return VTA_OK;
}
