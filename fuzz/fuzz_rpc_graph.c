/* Any bytes as the graph of a network that TVM compiled: whatever is read can be run, its indices are all within
 * bounds; the rest is refused with a reason. A first byte of 't' makes the others a tar file of objects. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/spawn.h"
#include "module/module_priv.h"
#include "rpc/tvm_graph.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok) {
    if (!ok) abort();
}

static void check_entries(const vt_tvm_graph *g, const uint32_t *entries, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) check(entries[i] < g->entry_count);
}

static void check_graph(const vt_tvm_graph *g) {
    for (uint32_t i = 0; i < g->entry_count; i++) {
        const vt_tvm_storage *s = &g->storages[g->entries[i].storage];
        check(g->entries[i].storage < g->storage_count && s->device == g->entries[i].device &&
              s->bytes >= g->entries[i].bytes);
    }
    for (uint32_t i = 0; i < g->node_count; i++) {
        const vt_tvm_node *n = &g->nodes[i];
        check(n->first_entry + n->outputs <= g->entry_count && n->outputs > 0);
        check_entries(g, n->inputs, n->input_count);
        check(n->kind == VT_TVM_INPUT || n->input_count + n->outputs <= VT_TVM_MAX_ARGS);
    }
    for (uint32_t i = 0; i < g->input_count; i++) check(g->inputs[i] < g->node_count);
    check_entries(g, g->outputs, g->output_count);
}

static void try_graph(const char *json, size_t size, vta_diag *diag) {
    static const int32_t devices[] = {kDLExtDev, kDLCPU};
    for (int count = 1; count <= 2; count++) {
        vt_tvm_graph g = {0};
        vt_arena_init(&g.arena, NULL);
        if (vt__tvm_graph_read(json, size, devices, count, diag, &g) == VTA_OK)
            check_graph(&g);
        else
            check(vta_diag_count(diag) > 0);
        vta_diag_clear(diag);
        vt_arena_clear(&g.arena);
    }
}

/* Objects are unpacked, and all are gone when they are removed. */
static void try_tar(const uint8_t *data, size_t size, vta_diag *diag) {
    char folder[VT_FOLDER_BYTES], path[VT_FOLDER_BYTES + 8];
    unsigned count;
    check(vt_temporary_folder(folder, diag) == VTA_OK);
    snprintf(path, sizeof path, "%s/tar", folder);
    FILE *file = fopen(path, "wb");
    check(file && fwrite(data, 1, size, file) == size && !fclose(file));
    if (vt__tar_unpack(NULL, path, folder, diag, &count) == VTA_OK)
        check(count > 0);
    else
        check(count == 0 && vta_diag_count(diag) > 0);
    vt__tar_remove(folder, count);
    check(!unlink(path) && !rmdir(folder));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vta_diag *diag = vta_diag_create(NULL);
    check(diag != NULL);
    if (size && data[0] == 't')
        try_tar(data + 1, size - 1, diag);
    else
        try_graph((const char *)data, size, diag);
    vta_diag_destroy(diag);
    return 0;
}
