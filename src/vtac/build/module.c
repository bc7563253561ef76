/* Compiled functions: one object, saved or taken into this process. */
#include <pthread.h>
#include <string.h>

#include "base/file.h"
#include "base/versioned.h"
#include "build/fork.h"
#include "build/link.h"
#include "build/trace.h"
#include "ir/handle.h"
#include "vta/build.h"

struct vtac_module {
    vt_tag tag;
    const vta_allocator *allocator;
    vt_strbuf object;
    char *triple;
    char *linker; /* NULL: whichever there is */
    bool native;  /* for this machine */
    bool trace;
    pthread_mutex_t lock; /* of the code in this process */
    vt_jit *jit;          /* NULL until a function is asked for */
};

enum { DEFAULT_LEVEL = 2 };

static bool is_module(const vtac_module *m) { return vt_is(m, VT_TAG_MODULE); }

typedef struct job {
    size_t n;
    const vtac_build_func *funcs;
    vtac_build_options options;
    vt_emit what;
    vt_strbuf *out;
    const char *triple;
} job;

static int32_t device_of(vt_ctx *ctx, const char *target) {
    if (!target || strcmp(target, "vta") == 0 || strcmp(target, "ext_dev") == 0) return VT_DEVICE_EXT_DEV;
    if (strcmp(target, "llvm") == 0 || strcmp(target, "cpu") == 0) return VT_DEVICE_CPU;
    vt_raise(ctx, VTA_UNSUPPORTED, "no target '%s': there are vta (also ext_dev) and llvm (also cpu)", target);
}

static vta_status compile(vt_ctx *ctx, void *user) {
    job *j = user;
    int32_t device = device_of(ctx, j->options.target), level = j->options.opt_level;
    vt_codegen_func *funcs = VT_NEW_ARRAY(ctx, vt_codegen_func, j->n);
    for (size_t i = 0; i < j->n; i++) {
        const vtac_build_func *f = &j->funcs[i];
        if (!f->func) vt_raise(ctx, VTA_INVALID_ARGUMENT, "function %zu to build is NULL", i);
        if (!vt_is(f->func, VT_TAG_FUNC))
            vt_raise(ctx, VTA_INVALID_ARGUMENT, "%s is given where a lowered function is expected to build",
                     vt_tag_text(f->func));
        funcs[i] = (vt_codegen_func){f->func->func, f->name, f->device_type ? f->device_type : device, f->func->config,
                                     f->func->computes};
    }
    vt_codegen_job cg = {.funcs = funcs,
                         .count = j->n,
                         .machine = {j->options.triple, j->options.cpu, j->options.features},
                         .interruptible = j->options.interruptible && device == VT_DEVICE_CPU,
                         .opt_level = level == 0  ? DEFAULT_LEVEL
                                      : level < 0 ? 0
                                                  : level};
    if (j->what != VT_EMIT_C) j->triple = vt_codegen_triple(ctx, j->options.triple);
    return vt_codegen_emit(ctx, &cg, j->what, j->out);
}

/* Runs a job in a context of its own; *out_triple (may be NULL) gets a copy of its triple. */
static vta_status run_job(job *j, vta_diag *diag, char **out_triple) {
    vt_ctx ctx;
    vt_ctx_init(&ctx, j->options.allocator, diag);
    vt__compile_begins();
    vta_status status = vt_protect(&ctx, compile, j);
    vt__compile_ends();
    if (status == VTA_OK && out_triple) {
        *out_triple = vt_strdup(j->options.allocator, j->triple);
        if (!*out_triple) status = vt_no_memory(diag);
    }
    vt_ctx_clear(&ctx);
    return status;
}

static const vt_emit emits[] = {VT_EMIT_OBJECT, VT_EMIT_ASM, VT_EMIT_LLVM, VT_EMIT_C}; /* ORDER EMIT */

vta_status vtac_emit(size_t n, const vtac_build_func funcs[], const vtac_build_options *options, vtac_emit_kind kind,
                     vta_diag *diag, char **out_text, size_t *out_size) {
    if (!out_text || !out_size) return VTA_INVALID_ARGUMENT;
    *out_text = NULL;
    *out_size = 0;
    if (!n || !funcs || (unsigned)kind > VTAC_EMIT_C) return VTA_INVALID_ARGUMENT;
    vt_strbuf sb;
    job j = {.n = n, .funcs = funcs, .what = emits[kind], .out = &sb};
    VT_TRY(vt_options_read(&j.options, sizeof j.options, options, "vtac_build_options", diag));
    vt_strbuf_init(&sb, j.options.allocator);
    vta_status status = run_job(&j, diag, NULL);
    /* vt_strbuf_take would stop at an object's first zero byte */
    char *copy = status == VTA_OK ? vt_alloc(NULL, sb.size + 1) : NULL;
    if (copy) {
        memcpy(copy, vt_strbuf_text(&sb), sb.size + 1);
        *out_text = copy;
        *out_size = sb.size;
    } else if (status == VTA_OK) {
        status = vt_no_memory(diag);
    }
    vt_strbuf_free(&sb);
    return status;
}

vta_status vtac_build(size_t n, const vtac_build_func funcs[], const vtac_build_options *options, vta_diag *diag,
                      vtac_module **out_module) {
    if (!out_module) return VTA_INVALID_ARGUMENT;
    *out_module = NULL;
    if (!n || !funcs) return VTA_INVALID_ARGUMENT;
    job j = {.n = n, .funcs = funcs, .what = VT_EMIT_OBJECT};
    VT_TRY(vt_options_read(&j.options, sizeof j.options, options, "vtac_build_options", diag));
    vtac_module *m = vt_alloc_zero(j.options.allocator, sizeof *m);
    if (!m) return vt_no_memory(diag);
    m->tag = VT_TAG_MODULE;
    m->allocator = j.options.allocator;
    m->trace = j.options.trace;
    m->native = !j.options.triple;
    pthread_mutex_init(&m->lock, NULL);
    vt_strbuf_init(&m->object, m->allocator);
    j.out = &m->object;
    vta_status status = run_job(&j, diag, &m->triple);
    if (status == VTA_OK && j.options.linker && !(m->linker = vt_strdup(m->allocator, j.options.linker)))
        status = vt_no_memory(diag);
    if (status == VTA_OK)
        *out_module = m;
    else
        vtac_module_destroy(m);
    return status;
}

void vtac_module_destroy(vtac_module *m) {
    if (!is_module(m)) return;
    vt__compile_begins();
    vt_jit_destroy(m->jit);
    vt__compile_ends();
    vt_strbuf_free(&m->object);
    vt_strfree(m->allocator, m->triple);
    vt_strfree(m->allocator, m->linker);
    pthread_mutex_destroy(&m->lock);
    m->tag = VT_TAG_NONE;
    vt_free(m->allocator, m, sizeof *m);
}

const void *vtac_module_object(const vtac_module *m, size_t *out_size) {
    if (out_size) *out_size = is_module(m) ? m->object.size : 0;
    return is_module(m) ? m->object.text : NULL;
}

const char *vtac_module_triple(const vtac_module *m) { return is_module(m) ? m->triple : NULL; }

vta_status vtac_module_save(vtac_module *m, const char *path, vta_diag *diag) {
    if (!is_module(m) || !path) return VTA_INVALID_ARGUMENT;
    size_t n = strlen(path);
    if (n > 3 && strcmp(path + n - 3, ".so") == 0)
        return vt__link_shared(m->allocator, m->object.text, m->object.size, m->native ? NULL : m->triple, m->linker,
                               path, diag);
    return vt_file_write(m->allocator, path, m->object.text, m->object.size, diag);
}

static vta_status load_object(vtac_module *m, vta_diag *diag) {
    if (m->jit) return VTA_OK;
    if (!m->native)
        return vt_fail(
            diag, VTA_UNSUPPORTED,
            "the module is for %s and cannot run here: build it without a triple, or save it and run it there",
            m->triple);
    size_t n = 0;
    const vt_jit_symbol *symbols = m->trace ? vt__trace_symbols(&n) : NULL;
    return vt_jit_create(m->allocator, m->object.text, m->object.size, n, symbols, diag, &m->jit);
}

vta_status vtac_module_function(vtac_module *m, const char *name, vta_diag *diag, vta_packed_function *out_function) {
    if (!out_function) return VTA_INVALID_ARGUMENT;
    *out_function = NULL;
    if (!is_module(m) || !name) return VTA_INVALID_ARGUMENT;
    void *address = NULL;
    vt__compile_begins();
    pthread_mutex_lock(&m->lock);
    vta_status status = load_object(m, diag);
    pthread_mutex_unlock(&m->lock);
    if (status == VTA_OK) status = vt_jit_lookup(m->jit, name, diag, &address);
    vt__compile_ends();
    *out_function = (vta_packed_function)(uintptr_t)address;
    return status;
}
