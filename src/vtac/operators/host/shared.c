/* Kernels by their text. A network has few: layers of one kind and shape ask for the same function, whose numbers
 * (scales, tables) are arguments. It is parsed, lowered and compiled once. */
#include <string.h>

#include "base/hash.h"
#include "operators/host/host_priv.h"

typedef struct entry {
    uint64_t hash;
    char *text; /* ends with 0 */
    vtac_kernel *kernel;
} entry;

struct vt_host_kernels {
    const vta_allocator *allocator;
    entry *entries;
    size_t count, cap;
};

vta_status vt_host_kernels_create(const vta_allocator *allocator, vta_diag *diag, vt_host_kernels **out_kernels) {
    vt_host_kernels *k = *out_kernels = vt_alloc_zero(allocator, sizeof *k);
    if (!k) return vt_no_memory(diag);
    k->allocator = allocator;
    return VTA_OK;
}

void vt_host_kernels_destroy(vt_host_kernels *k) {
    if (!k) return;
    for (size_t i = 0; i < k->count; i++) {
        vt_strfree(k->allocator, k->entries[i].text);
        vtac_kernel_destroy(k->entries[i].kernel);
    }
    vt_free(k->allocator, k->entries, k->cap * sizeof *k->entries);
    vt_free(k->allocator, k, sizeof *k);
}

static vtac_kernel *find(const vt_host_kernels *k, uint64_t hash, const char *text) {
    for (size_t i = 0; i < k->count; i++)
        if (k->entries[i].hash == hash && !strcmp(k->entries[i].text, text)) return k->entries[i].kernel;
    return NULL;
}

/* A kernel to come: of a text, or made by a function that the text stands for. */
typedef struct source {
    const char *name, *text;
    vt_kernel_make *make; /* NULL: the text is a kernel file */
    const void *user;
} source;

static vta_status create(const vt_host *host, const source *s, vtac_kernel **out_kernel) {
    if (s->make) return vt_kernel_of(s->name, s->make, s->user, host->config, host->allocator, host->diag, out_kernel);
    return vtac_kernel_parse(s->text, strlen(s->text), s->name, NULL, host->config, host->allocator, host->diag,
                             out_kernel);
}

static vta_status share(const vt_host *host, const source *s, vtac_kernel **out_kernel) {
    vt_host_kernels *k = host->kernels;
    const char *text = s->text;
    *out_kernel = NULL;
    if (!k) return create(host, s, out_kernel);
    entry e = {.hash = vt_hash(0, text, strlen(text))};
    if ((*out_kernel = find(k, e.hash, text))) return VTA_OK;
    if (!vt_reserve(k->allocator, &k->entries, &k->cap, k->count + 1, sizeof *k->entries))
        return vt_no_memory(host->diag);
    e.text = vt_strdup(k->allocator, text);
    if (!e.text) return vt_no_memory(host->diag);
    vta_status status = create(host, s, &e.kernel);
    if (status != VTA_OK) {
        vt_strfree(k->allocator, e.text);
        return status;
    }
    k->entries[k->count++] = e;
    *out_kernel = e.kernel;
    return VTA_OK;
}

vta_status vt_host_kernel(const vt_host *host, const char *name, const char *text, vtac_kernel **out_kernel) {
    const source s = {.name = name, .text = text};
    return share(host, &s, out_kernel);
}

vta_status vt__host_made(const vt_host *host, const char *name, const char *key, vt_kernel_make *make, const void *user,
                         vtac_kernel **out_kernel) {
    const source s = {name, key, make, user};
    return share(host, &s, out_kernel);
}
