/* A job as a C file: what all parts write into, names, types. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "codegen/c.h"
#include "vta/module.h"

static const char PROLOGUE[] =
    "/* Made by vta from the kernels below. Integer arithmetic wraps: compile with -fwrapv. */\n"
    "#include <math.h>\n"
    "#include <stdbool.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "\n"
    "typedef union vt_value {\n"
    "    int64_t v_int64;\n"
    "    double v_float64;\n"
    "    void *v_handle;\n"
    "} vt_value;\n"
    "\n"
    "/* DLTensor */\n"
    "typedef struct vt_tensor {\n"
    "    void *data;\n"
    "    int32_t device_type, device_id, ndim;\n"
    "    uint8_t code, bits;\n"
    "    uint16_t lanes;\n"
    "    int64_t *shape, *strides;\n"
    "    uint64_t byte_offset;\n"
    "} vt_tensor;\n"
    "\n"
    "typedef struct vt_group {\n"
    "    void *sync_handle;\n"
    "    int32_t num_task;\n"
    "} vt_group;\n"
    "\n"
    "void TVMAPISetLastError(const char *message);\n"
    "int TVMBackendParallelLaunch(int (*task)(int, vt_group *, void *), void *captured, int num_task);\n"
    "void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t bytes, int code, int bits);\n"
    "int TVMBackendFreeWorkspace(int device_type, int device_id, void *memory);\n";

static const char FAIL[] = "static int vt_fail(const char *format, long long got, long long got2) {\n"
                           "    char text[512];\n"
                           "    snprintf(text, sizeof text, format, got, got2);\n"
                           "    TVMAPISetLastError(text);\n"
                           "    return -1;\n"
                           "}\n";

void vt__c_line(vt__c *c, const char *fmt, ...) {
    vt_strbuf *sb = &c->body[c->depth];
    for (uint32_t i = 0; i < c->indent[c->depth]; i++) vt_strbuf_add(sb, "    ");
    va_list args;
    va_start(args, fmt);
    vt_strbuf_vaddf(sb, fmt, args);
    va_end(args);
    vt_strbuf_addc(sb, '\n');
}

void vt__c_indent(vt__c *c, int32_t by) { c->indent[c->depth] = (uint32_t)((int32_t)c->indent[c->depth] + by); }

bool vt__c_first(vt__c *c, const char *name) {
    for (uint32_t i = 0; i < c->n_declared; i++)
        if (strcmp(c->declared[i], name) == 0) return false;
    vt_grow(c->ctx, &c->declared, &c->cap_declared, c->n_declared + 1, sizeof *c->declared);
    c->declared[c->n_declared++] = vt_new_string(c->ctx, name);
    return true;
}

/* ---- Names and types --------------------------------------------------------------------------------------------- */

static const char *const reserved[] = {
    /* words of C, of its later editions and of GNU C */
    "alignas", "alignof", "asm", "auto", "bool", "break", "case", "char", "const", "constexpr", "continue", "default",
    "do", "double", "else", "enum", "extern", "false", "float", "for", "goto", "if", "inline", "int", "long", "nullptr",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "struct", "switch",
    "thread_local", "true", "typedef", "typeof", "typeof_unqual", "union", "unsigned", "void", "volatile", "while",
    /* macros that have small letters, of headers and of compilers */
    "errno", "i386", "L_ctermid", "L_cuserid", "L_tmpnam", "linux", "math_errhandling", "P_tmpdir", "unix",
    /* functions that bodies call; isnan and the like are macros that need a parenthesis */
    "memcpy", "memset", "nan", "nanf", "snprintf",
#define VTA_MATH(NAME, function, operands, llvm, does) #function, #function "f",
#include "vta/math.def"
#undef VTA_MATH
    /* what the functions around a body use */
    "args", "codes", "count", "ret", "ret_code", "resource", "lane", "id", "group", "captured", "signature"};

/* Also by how they are written: types and macros of headers, what the runtime and this file's helpers are called. */
static bool is_reserved(const char *name) {
    size_t n = strlen(name);
    if (!isalpha((unsigned char)name[0]) || strncmp(name, "vt_", 3) == 0) return true;
    if (strncmp(name, "VTA", 3) == 0 || strncmp(name, "TVM", 3) == 0) return true;
    if (n > 2 && strcmp(name + n - 2, "_t") == 0) return true;
    if (n > 2 && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == n) return true;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0) return true;
    return false;
}

static bool is_used(const vt__c *c, const char *name) {
    if (vt__is_part(c->entry->name, name)) return true;
    for (uint32_t i = 0; i < c->n_used; i++)
        if (strcmp(c->used[i], name) == 0) return true;
    return false;
}

const char *vt__c_name(vt__c *c, const vt_var *v) {
    const char *known = vt_ptrmap_get(c->names, v);
    if (known) return known;
    char *base = vt_new_string(c->ctx, vt_var_name(v));
    for (char *p = base; *p; p++)
        if (!isalnum((unsigned char)*p)) *p = '_';
    if (is_reserved(base)) base = vt_new_format(c->ctx, "v_%s", base);
    const char *name = base;
    for (uint32_t i = 1; is_used(c, name); i++) name = vt_new_format(c->ctx, "%s_%u", base, i);
    vt_grow(c->ctx, &c->used, &c->cap_used, c->n_used + 1, sizeof *c->used);
    c->used[c->n_used++] = name;
    vt_ptrmap_set(c->names, v, name);
    return name;
}

const char *vt__c_type(vt__c *c, vt_dtype t) {
    if (t.code == VT_HANDLE) return t.bits ? "void *" : "void";
    if (vt_dtype_is_bool(t)) return "bool";
    if (t.code == VT_FLOAT && t.bits == 32) return "float";
    if (t.code == VT_FLOAT && t.bits == 64) return "double";
    if (t.code != VT_FLOAT && (t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64))
        return vt_new_format(c->ctx, "%sint%u_t", t.code == VT_UINT ? "u" : "", t.bits);
    char text[VT_DTYPE_TEXT];
    vt_raise(c->ctx, VTA_UNSUPPORTED, "%s: C has no type for %s", c->entry ? c->entry->name : "kernel",
             vt_dtype_text(vt_dtype_elem(t), text));
}

const char *vt__c_var_type(vt__c *c, const vt_var *v) {
    vt_dtype elem = v->u.var->elem;
    bool has_type = v->u.var->pointer && elem.code != VT_HANDLE && (elem.bits >= 8 || vt_dtype_is_bool(elem));
    return has_type ? vt_new_format(c->ctx, "%s *", vt__c_type(c, elem)) : vt__c_type(c, v->dtype);
}

const char *vt__c_quoted(vt__c *c, const char *text) {
    char *out = vt_new_bytes(c->ctx, strlen(text) * 4 + 3), *p = out;
    *p++ = '"';
    for (const char *begin = text; *text; text++) {
        unsigned char ch = (unsigned char)*text;
        bool trigraph = ch == '?' && text > begin && text[-1] == '?';
        if (ch == '"' || ch == '\\' || trigraph) {
            *p++ = '\\';
            *p++ = (char)ch;
        } else if (ch < 32) {
            *p++ = '\\';
            *p++ = '0';
            *p++ = (char)('0' + ch / 8);
            *p++ = (char)('0' + ch % 8);
        } else {
            *p++ = (char)ch;
        }
    }
    *p = '"';
    return out;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

/* Words of C and what its headers define are taken, too. */
static const char *symbol_of(vt__c *c, const char *name) {
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            vt_raise(c->ctx, VTA_INVALID_ARGUMENT,
                     "no function of C can be called '%s' (for '%c'): give the kernel a name of letters, digits and _",
                     name, name[i]);
    if (is_reserved(name) && !vt__symbol_is_taken(c->job, name))
        return vt_new_format(c->ctx, VTA_KERNEL_PREFIX "%s", name);
    return vt__kernel_symbol(c->ctx, c->job, name);
}

static vta_status write_kernels(vt_ctx *ctx, void *user) {
    vt__c *c = user;
    for (size_t i = 0; i < c->job->count; i++) {
        vt_poll(ctx);
        vt_codegen_func cf = c->job->funcs[i];
        cf.func = vt_prepare(ctx, &cf);
        c->names = vt_ptrmap_new(ctx);
        c->n_used = 0;
        vt__c_kernel(c, &cf, symbol_of(c, vt__kernel_name(&cf)));
    }
    return VTA_OK;
}

vta_status vt_codegen_c(vt_ctx *ctx, const vt_codegen_job *job, vt_strbuf *out) {
    VT_TRY(vt__check_names(ctx, job));
    const vta_allocator *a = ctx->arena.allocator;
    vt__c c = {.ctx = ctx, .job = job};
    vt_strbuf *const all[] = {&c.types, &c.helpers, &c.functions};
    for (size_t i = 0; i < 3; i++) vt_strbuf_init(all[i], a);
    for (size_t i = 0; i < VT__C_DEPTH; i++) vt_strbuf_init(&c.body[i], a);
    vta_status status = vt_protect(ctx, write_kernels, &c);
    if (status == VTA_OK) {
        vt_strbuf_addf(out, "%s%s\n%s%s%s", PROLOGUE, vt_strbuf_text(&c.types), FAIL, vt_strbuf_text(&c.helpers),
                       vt_strbuf_text(&c.functions));
        for (size_t i = 0; i < 3; i++) out->failed = out->failed || all[i]->failed;
    }
    for (size_t i = 0; i < 3; i++) vt_strbuf_free(all[i]);
    for (size_t i = 0; i < VT__C_DEPTH; i++) {
        out->failed = out->failed || c.body[i].failed;
        vt_strbuf_free(&c.body[i]);
    }
    return status == VTA_OK && out->failed ? vt_no_memory(ctx->diag) : status;
}
