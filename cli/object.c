#include "object.h"

#include <string.h>

static bool ends_in(const char *path, const char *ending) {
    size_t size = strlen(path), n = strlen(ending);
    return size > n && strcmp(path + size - n, ending) == 0;
}

bool cli_is_object(const char *path) { return ends_in(path, ".o") || ends_in(path, ".so"); }

static vta_status fail(vta_diag *diag, vta_status status, const char *fmt, const char *path, const char *what) {
    char message[2048];
    snprintf(message, sizeof message, fmt, path, what);
    vta_diag_add(diag, VTA_ERROR, status, message);
    return status;
}

/* The next line of a list of names; false at its end. */
static bool next_name(const char **list, char *to, size_t room) {
    size_t n = strcspn(*list, "\n");
    if (!n) return false;
    snprintf(to, room, "%.*s", (int)n, *list);
    *list += n + ((*list)[n] == '\n');
    return true;
}

/* The function that the object describes, when there is just one. One that describes none is reported by its first. */
static vta_status choose(cli_object *o, vta_diag *diag, char *name, size_t room) {
    const char *names = vta_module_function_names(o->module), *list = names;
    char each[256], described[1024] = "";
    int count = 0;
    while (next_name(&list, each, sizeof each)) {
        vta_signature *s = NULL;
        vta_status status = vta_module_signature(o->module, each, NULL, NULL, &s);
        vta_signature_destroy(s);
        if (status == VTA_UNSUPPORTED) continue;
        if (!count++) snprintf(name, room, "%s", each);
        size_t used = strlen(described);
        snprintf(described + used, sizeof described - used, "%s%s", used ? ", " : "", each);
    }
    if (count > 1)
        return fail(diag, VTA_INVALID_ARGUMENT, "%s has several kernels, say which with --function: %s", o->path,
                    described);
    if (!count && !next_name(&names, name, room)) return fail(diag, VTA_NOT_FOUND, "%s has no function%s", o->path, "");
    return VTA_OK;
}

vta_status cli_object_open(const char *path, const char *function, vta_diag *diag, cli_object *out_object) {
    cli_object *o = out_object;
    *o = (cli_object){.path = path};
    char name[256] = "";
    vta_status status = vta_module_load(path, NULL, diag, &o->module);
    if (status == VTA_OK && !function) status = choose(o, diag, name, sizeof name);
    if (status == VTA_OK)
        status = vta_module_signature(o->module, function ? function : name, NULL, diag, &o->signature);
    if (status == VTA_OK) status = vta_module_function(o->module, vta_signature_name(o->signature), diag, &o->function);
    return status;
}

void cli_object_close(cli_object *o) {
    vta_signature_destroy(o->signature);
    vta_module_destroy(o->module);
    *o = (cli_object){0};
}

vta_status cli_object_args(const cli_object *o, vta_diag *diag, size_t most, vta_signature_arg *out_args) {
    size_t count = vta_signature_arg_count(o->signature);
    if (count > most)
        return fail(diag, VTA_UNSUPPORTED, "%s: %s has too many arguments", o->path, vta_signature_name(o->signature));
    for (size_t i = 0; i < count; i++) {
        const vta_signature_arg *a = vta_signature_get_arg(o->signature, i);
        if (!a->is_tensor)
            return fail(diag, VTA_UNSUPPORTED,
                        "%s: argument %s is a number, and the object does not say which. Record the process that calls "
                        "it (vta capture)",
                        o->path, a->name);
        for (int32_t d = 0; d < a->ndim; d++)
            if (a->shape[d] < 0)
                return fail(diag, VTA_UNSUPPORTED,
                            "%s: the shape of argument %s is open. Record the process that calls it (vta capture)",
                            o->path, a->name);
        out_args[i] = *a;
    }
    return VTA_OK;
}

vta_status cli_object_config(const cli_object *o, const vta_config *base, const cli_list *changes,
                             vta_config **out_config) {
    const vta_config *own = vta_signature_config(o->signature);
    *out_config = NULL;
    if (!own)
        return fail(cli_diag(), VTA_UNSUPPORTED, "%s: %s is for the host: it runs nothing on the accelerator", o->path,
                    vta_signature_name(o->signature));
    vta_config *config = vta_config_retain(base ? base : own);
    vta_status status = changes ? cli_change_config(&(cli_common){.set = *changes}, &config) : VTA_OK;
    if (status != VTA_OK) {
        vta_config_release(config);
        return status;
    }
    const char *is = vta_config_bitstream(own), *asked = vta_config_bitstream(config);
    if (strcmp(is, asked) == 0) {
        *out_config = config;
        return VTA_OK;
    }
    char sizes[256];
    snprintf(sizes, sizeof sizes, "%.100s, not for %.100s", is, asked);
    vta_config_release(config);
    return fail(
        cli_diag(), VTA_UNSUPPORTED,
        "%s: compiled for %s, and sizes are part of its instructions. Give the kernel's source (FILE.te), which "
        "is built anew for each machine",
        o->path, sizes);
}

vta_status cli_object_record(const cli_object *o, const vta_config *config, vta_diag *diag,
                             cli_kernel_program *out_kernel) {
    vta_signature_arg args[CLI_KERNEL_ARGS];
    *out_kernel = (cli_kernel_program){0};
    cli_call call = {.function = o->function,
                     .config = config,
                     .count = vta_signature_arg_count(o->signature),
                     .args = args,
                     .numbers = true};
    vta_status status = cli_object_args(o, diag, CLI_KERNEL_ARGS, args);
    return status == VTA_OK ? cli_record(&call, diag, out_kernel) : status;
}
