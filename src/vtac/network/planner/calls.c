/* Functions for the host: all kernels that steps call, compiled into one object. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/spawn.h"
#include "network/planner/planner_priv.h"

enum { PATH_BYTES = VT_FOLDER_BYTES + 16 };

typedef struct compiler {
    vt_planner *planner;
    vta_diag *diag;
    vtac_build_func *funcs;
    vtac_kernel **kernels; /* of the functions */
    size_t count;
} compiler;

static vta_status lower(const compiler *c, vtac_kernel *kernel, vtac_build_func *out) {
    if (strcmp(vtac_kernel_target(kernel), "llvm"))
        return vt_fail(c->diag, VTA_INVALID_ARGUMENT, "kernel %s is not for the host (target llvm)",
                       vtac_kernel_name(kernel));
    vta_status status = vtac_kernel_lower(kernel, NULL, &out->func);
    if (status == VTA_OK) return VTA_OK;
    return vt_fail(c->diag, status, "%s", vt_diag_reason(te_context_diag(vtac_kernel_context(kernel))));
}

/* The function of a kernel, by its number among the functions; a new one gets a name that no other has. */
static vta_status find_function(compiler *c, vt__step *s) {
    char name[VT_PLAN_MAX_NAME];
    size_t at = 0;
    while (at < c->count && c->kernels[at] != s->kernel) at++;
    if (at == c->count) {
        int n = snprintf(name, sizeof name, "f%zu_%.200s", at, vtac_kernel_name(s->kernel));
        c->funcs[at].name = vt_arena_strndup(&c->planner->arena, name, (size_t)n);
        if (!c->funcs[at].name) return vt_no_memory(c->diag);
        VT_TRY(lower(c, s->kernel, &c->funcs[at]));
        c->kernels[c->count++] = s->kernel;
    }
    s->plan.function = c->funcs[at].name;
    return VTA_OK;
}

/* ---- The object ------------------------------------------------------------------------------------------------ */

static vta_status copy(const void *bytes, size_t size, vta_diag *diag, uint8_t **out_code, size_t *out_size) {
    *out_code = vt_alloc(NULL, size);
    if (!*out_code) return vt_no_memory(diag);
    memcpy(*out_code, bytes, size);
    *out_size = size;
    return VTA_OK;
}

/* Linked here, so that no linker is needed where it runs. */
static vta_status link_code(const vta_allocator *a, vtac_module *module, const char *path, vta_diag *diag,
                            uint8_t **out_code, size_t *out_size) {
    char *bytes;
    size_t size;
    VT_TRY(vtac_module_save(module, path, diag));
    VT_TRY(vt_file_read(a, path, VT_ARTIFACT_MAX_BYTES, diag, &bytes, &size));
    vta_status status = copy(bytes, size, diag, out_code, out_size);
    vt_free(a, bytes, size + 1);
    return status;
}

/* Without a linker for that machine the object itself goes along, and is linked when it is loaded. */
static vta_status take_code(const compiler *c, vtac_module *module, uint8_t **out_code, size_t *out_size) {
    char folder[VT_FOLDER_BYTES], path[PATH_BYTES];
    size_t size;
    vta_diag *said = vta_diag_create(c->planner->allocator);
    vta_status status = said ? vt_temporary_folder(folder, said) : vt_no_memory(c->diag);
    if (status == VTA_OK) {
        snprintf(path, sizeof path, "%s/code.so", folder);
        status = link_code(c->planner->allocator, module, path, said, out_code, out_size);
        unlink(path);
        rmdir(folder);
    }
    const void *object = vtac_module_object(module, &size);
    if (status == VTA_UNSUPPORTED) status = copy(object, size, c->diag, out_code, out_size);
    if (status != VTA_OK && said) vt_fail(c->diag, status, "%s", vt_diag_reason(said));
    vta_diag_destroy(said);
    return status;
}

static vta_status build(compiler *c, uint8_t **out_code, size_t *out_size, char **out_triple) {
    const vt_planner_options *o = &c->planner->options;
    const vtac_build_options options = {.target = "llvm",
                                        .triple = o->triple,
                                        .cpu = o->cpu,
                                        .features = o->features,
                                        .linker = o->linker,
                                        .allocator = c->planner->allocator};
    vtac_module *module;
    VT_TRY(vtac_build(c->count, c->funcs, &options, c->diag, &module));
    vta_status status = take_code(c, module, out_code, out_size);
    const char *triple = vtac_module_triple(module);
    if (status == VTA_OK) *out_triple = vt_arena_strndup(&c->planner->arena, triple, strlen(triple));
    if (status == VTA_OK && !*out_triple) status = vt_no_memory(c->diag);
    vtac_module_destroy(module);
    return status;
}

vta_status vt__compile_calls(vt_planner *p, vta_diag *diag, uint8_t **out_code, size_t *out_size, char **out_triple) {
    compiler c = {.planner = p, .diag = diag};
    size_t most = p->step_count + (size_t)1;
    *out_code = NULL;
    *out_size = 0;
    *out_triple = NULL;
    c.funcs = vt_alloc_zero(p->allocator, most * sizeof *c.funcs);
    c.kernels = vt_alloc_zero(p->allocator, most * sizeof *c.kernels);
    vta_status status = c.funcs && c.kernels ? VTA_OK : vt_no_memory(diag);
    for (uint32_t i = 0; i < p->step_count && status == VTA_OK; i++)
        if (p->steps[i].kernel) status = find_function(&c, &p->steps[i]);
    if (status == VTA_OK && c.count) status = build(&c, out_code, out_size, out_triple);
    vt_free(p->allocator, c.funcs, most * sizeof *c.funcs);
    vt_free(p->allocator, c.kernels, most * sizeof *c.kernels);
    return status;
}
