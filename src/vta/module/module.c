#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "module/module.h"
#include "module/module_priv.h"

struct vta_module {
    vta_allocator allocator;
    char *name;   /* for messages: a path */
    char *names;  /* of its functions, one a line */
    void *shared; /* dlopen's */
    void *(*lookup)(void *ctx, const char *name);
    void (*release)(void *ctx);
    void *ctx;
};

static vta_module *new_module(const vta_allocator *allocator, const char *name, vta_diag *diag) {
    vta_module *module = vt_alloc_zero(allocator, sizeof *module);
    char *copy = vt_strdup(allocator, name);
    if (module && copy) {
        module->allocator = allocator ? *allocator : vt_allocator_libc;
        module->name = copy;
        return module;
    }
    vt_no_memory(diag);
    vt_free(allocator, module, sizeof *module);
    vt_strfree(allocator, copy);
    return NULL;
}

void vta_module_destroy(vta_module *module) {
    if (!module) return;
    if (module->shared) dlclose(module->shared);
    if (module->release) module->release(module->ctx);
    vta_allocator allocator = module->allocator;
    vt_strfree(&allocator, module->name);
    vt_strfree(&allocator, module->names);
    vt_free(&allocator, module, sizeof *module);
}

vta_status vta_module_wrap(const char *name, void *(*lookup)(void *ctx, const char *name), void (*release)(void *ctx),
                           void *ctx, const vta_allocator *allocator, vta_diag *diag, vta_module **out_module) {
    if (!out_module) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_module_wrap: out_module is NULL");
    *out_module = NULL;
    if (!name || !lookup) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_module_wrap: name or lookup is NULL");
    vta_module *module = new_module(allocator, name, diag);
    if (!module) return VTA_NO_MEMORY;
    module->lookup = lookup;
    module->release = release;
    module->ctx = ctx;
    *out_module = module;
    return VTA_OK;
}

/* A process may have loaded this library for itself alone (as Python does); modules must find its functions. */
static void make_runtime_visible(void) {
    Dl_info self;
    if (!dladdr((void *)vta_module_load, &self) || !self.dli_fname) return;
    void *shared = dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    if (shared) dlclose(shared); /* the promotion stays */
}

static vta_status open_shared(vta_module *module, const char *path, vta_diag *diag) {
    /* Without a slash dlopen would search its own folders. */
    char here[4096];
    if (!strchr(path, '/')) {
        if (strlen(path) + 3 > sizeof here) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: too long a path", path);
        memcpy(here, "./", 2);
        strcpy(here + 2, path);
        path = here;
    }
    make_runtime_visible();
    module->shared = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module->shared) return VTA_OK;
    return vt_fail(diag, VTA_PARSE, "%s: cannot be loaded: %s", module->name, dlerror());
}

static vta_status read_names(vta_module *module, const char *path, vta_diag *diag) {
    char *bytes;
    size_t size;
    VT_TRY(vt_file_read(&module->allocator, path, SIZE_MAX / 2, diag, &bytes, &size));
    vta_status status = vt__elf_functions(&module->allocator, (const unsigned char *)bytes, size, diag, &module->names);
    vt_free(&module->allocator, bytes, size + 1);
    return status;
}

static vta_status load_shared(vta_module *module, const char *path, vta_diag *diag) {
    VT_TRY(read_names(module, path, diag));
    VT_TRY(open_shared(module, path, diag));
    vt__module_fill_pointers(module);
    return VTA_OK;
}

static vta_status load_linked(vta_module *module, const char *path, bool is_tar, vta_diag *diag) {
    char *linked;
    VT_TRY(vt__link_object(&module->allocator, path, is_tar, diag, &linked));
    vta_status status = load_shared(module, linked, diag);
    vt__remove_linked(linked);
    vt_strfree(&module->allocator, linked);
    return status;
}

static vta_status check_kind(const vta_allocator *a, const char *path, vta_diag *diag, vt_elf_kind *out_kind,
                             bool *out_tar) {
    char *bytes;
    size_t size;
    *out_kind = VT_ELF_NONE;
    VT_TRY(vt_file_read(a, path, SIZE_MAX / 2, diag, &bytes, &size));
    *out_tar = vt__is_tar((const unsigned char *)bytes, size);
    vta_status status = *out_tar ? VTA_OK : vt__elf_check(path, (const unsigned char *)bytes, size, diag, out_kind);
    vt_free(a, bytes, size + 1);
    return status;
}

vta_status vta_module_load(const char *path, const vta_allocator *allocator, vta_diag *diag, vta_module **out_module) {
    if (!out_module) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_module_load: out_module is NULL");
    *out_module = NULL;
    if (!path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_module_load: path is NULL");
    vt_elf_kind kind;
    bool is_tar;
    VT_TRY(check_kind(allocator, path, diag, &kind, &is_tar));
    vta_module *module = new_module(allocator, path, diag);
    if (!module) return VTA_NO_MEMORY;
    vta_status status =
        kind == VT_ELF_SHARED ? load_shared(module, path, diag) : load_linked(module, path, is_tar, diag);
    if (status != VTA_OK) {
        vta_module_destroy(module);
        return status;
    }
    *out_module = module;
    return VTA_OK;
}

/* dlsym also finds what the module's libraries have: not what is asked for. */
static bool is_own(const vta_module *module, void *address) {
    struct link_map *own = NULL, *where = NULL;
    Dl_info info;
    return address && !dlinfo(module->shared, RTLD_DI_LINKMAP, &own) &&
           dladdr1(address, &info, (void **)&where, RTLD_DL_LINKMAP) && own == where;
}

void *vt__module_symbol(vta_module *module, const char *name) {
    if (!module->shared) return module->lookup(module->ctx, name);
    void *address = dlsym(module->shared, name);
    return is_own(module, address) ? address : NULL;
}

/* The function `name`, under which symbol ever it stands; NULL when there is none. *out_status: VTA_NO_MEMORY, else
 * VTA_OK. */
static void *function_address(vta_module *module, const char *name, vta_status *out_status) {
    *out_status = VTA_OK;
    if (!module->shared) return vt__module_symbol(module, name);
    size_t room = sizeof VTA_KERNEL_PREFIX + strlen(name);
    char *symbol = vt_alloc(&module->allocator, room);
    if (!symbol) {
        *out_status = VTA_NO_MEMORY;
        return NULL;
    }
    snprintf(symbol, room, "%s%s", VTA_KERNEL_PREFIX, name);
    void *address = vt__module_symbol(module, symbol);
    vt_free(&module->allocator, symbol, room);
    return address ? address : vt__module_symbol(module, name);
}

const char *vt__module_name(const vta_module *module) { return module->name; }

const char *vta_module_function_names(vta_module *module) { return module && module->names ? module->names : ""; }

/* "a, b, c" for a message. */
static void list_names(const vta_module *module, char *to, size_t room) {
    size_t n = 0;
    for (const char *p = module->names ? module->names : ""; *p && n + 3 < room; p++) {
        to[n++] = *p == '\n' ? ',' : *p;
        if (*p == '\n') to[n++] = ' ';
    }
    to[n] = '\0';
}

vta_status vta_module_function(vta_module *module, const char *name, vta_diag *diag,
                               vta_packed_function *out_function) {
    if (!out_function) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_module_function: out_function is NULL");
    *out_function = NULL;
    if (!module || !name) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_module_function: module or name is NULL");
    if (!strcmp(name, VT_MODULE_ENTRY)) VT_TRY(vt_module_entry(module, diag, &name));
    vta_status status;
    void *address = function_address(module, name, &status);
    if (status != VTA_OK) return vt_no_memory(diag);
    if (!address) {
        char names[1024];
        list_names(module, names, sizeof names);
        return vt_fail(diag, VTA_NOT_FOUND, "%s has no function '%s'%s%s", module->name, name,
                       *names ? "; it has: " : "", names);
    }
    memcpy(out_function, &address, sizeof address);
    return VTA_OK;
}
