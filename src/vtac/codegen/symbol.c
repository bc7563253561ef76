/* Under which symbol a kernel stands in its object. In an object a name is one thing: were a kernel that calls exp
 * called exp there, it would call itself, and a program that it is linked with would, too. */
#include <ctype.h>
#include <string.h>

#include "codegen/prepare.h"
#include "ir/visit.h"
#include "vta/module.h"

/* ---- What the C library and this project are called -------------------------------------------------------------- */

static const char *const of_math[] = {
#define NAME_OF_MATH(name) #name,
#define NAME_OF_C(name)
#include "codegen/c_library.def"
#undef NAME_OF_C
#undef NAME_OF_MATH
#define VTA_MATH(NAME, function, ...) #function,
#include "vta/math.def"
#undef VTA_MATH
};

static const char *const of_c[] = {
#define NAME_OF_MATH(name)
#define NAME_OF_C(name) #name,
#include "codegen/c_library.def"
#undef NAME_OF_C
#undef NAME_OF_MATH
};

/* Endings of the functions of mathematics for other types than double. */
static const char *const endings[] = {"", "f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x", "_r", "f_r", "l_r"};

/* Beginnings: what the C implementation, the runtime and the libraries keep for themselves. */
static const char *const beginnings[] = {"_", "pthread_", "VTA", "TVM", "vta_", "vtac_", "te_", "vt_", "llvm."};

static bool begins(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

static bool is_taken(const char *name) {
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (begins(name, beginnings[i])) return true;
    for (size_t i = 0; i < sizeof of_c / sizeof *of_c; i++)
        if (!strcmp(name, of_c[i])) return true;
    for (size_t i = 0; i < sizeof of_math / sizeof *of_math; i++) {
        if (!begins(name, of_math[i])) continue;
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
            if (!strcmp(name + strlen(of_math[i]), endings[k])) return true;
    }
    return false;
}

/* ---- What the kernels of a job call and are made of -------------------------------------------------------------- */

typedef struct search {
    const char *name;
    bool found;
} search;

static bool find_call(void *user, const vt_expr *e) {
    search *s = user;
    if (vt_is_call(e, VT_OP_CALL_EXTERN) || vt_is_call(e, VT_OP_CALL_PURE_EXTERN))
        s->found |= e->n && e->a[0]->kind == VT_E_STRING && !strcmp(e->a[0]->u.s, s->name);
    return !s->found;
}

bool vt__is_part(const char *kernel, const char *name) {
    static const char *const parts[] = {"compute_", "uops_",  "uop_handle_",    "parallel_",
                                        "calls",    "record", "kernel_handles", "walk"};
    size_t n = strlen(kernel);
    if (!begins(name, kernel) || name[n] != '_') return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (begins(name + n + 1, parts[i])) return true;
    return false;
}

const char *vt__kernel_name(const vt_codegen_func *cf) { return cf->name ? cf->name : cf->func->name; }

bool vt__symbol_is_taken(const vt_codegen_job *job, const char *name) {
    search s = {.name = name, .found = is_taken(name)};
    for (size_t i = 0; i < job->count && !s.found; i++) {
        s.found = vt__is_part(vt__kernel_name(&job->funcs[i]), name);
        if (!s.found) vt_stmt_walk(job->funcs[i].func->body, find_call, NULL, &s);
    }
    return s.found;
}

const char *vt__kernel_symbol(vt_ctx *ctx, const vt_codegen_job *job, const char *name) {
    return vt__symbol_is_taken(job, name) ? vt_new_format(ctx, VTA_KERNEL_PREFIX "%s", name) : name;
}

/* ---- Names that cannot be --------------------------------------------------------------------------------------- */

#define OWN "__vta_" /* begins VTA_KERNEL_PREFIX and VTA_SIGNATURE_PREFIX */

vta_status vt__check_names(vt_ctx *ctx, const vt_codegen_job *job) {
    for (size_t i = 0; i < job->count; i++) {
        const char *a = vt__kernel_name(&job->funcs[i]);
        if (!*a) return vt_fail(ctx->diag, VTA_INVALID_ARGUMENT, "the name of kernel %zu is empty: give it one", i);
        if (begins(a, OWN))
            return vt_fail(ctx->diag, VTA_INVALID_ARGUMENT,
                           "the name of kernel %zu, '%s', begins with " OWN ", as symbols of this compiler do: give it "
                           "another",
                           i, a);
        for (const char *p = a; *p; p++)
            if (iscntrl((unsigned char)*p))
                return vt_fail(ctx->diag, VTA_INVALID_ARGUMENT,
                               "the name of kernel %zu has the control character 0x%02x: give it a name that can be "
                               "printed",
                               i, (unsigned)(unsigned char)*p);
        for (size_t j = 0; j < i; j++)
            if (strcmp(a, vt__kernel_name(&job->funcs[j])) == 0)
                return vt_fail(ctx->diag, VTA_INVALID_ARGUMENT,
                               "two kernels of one module are called '%s': give them different names", a);
    }
    return VTA_OK;
}
