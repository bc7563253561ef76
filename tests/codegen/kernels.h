/* Lowered functions made by hand, and what runs them: for tests of code generation alone. */
#ifndef TESTS_CODEGEN_KERNELS_H
#define TESTS_CODEGEN_KERNELS_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

#include "codegen/codegen.h"
#include "ir/build.h"
#include "vta/module.h"

/* A compile context with its diagnostics. */
typedef struct kit {
    vt_ctx ctx;
    vta_diag *diag;
} kit;

static inline void kit_open(kit *k) {
    k->diag = vta_diag_create(NULL);
    vt_ctx_init(&k->ctx, NULL, k->diag);
}

static inline void kit_close(kit *k) {
    vt_ctx_clear(&k->ctx);
    vta_diag_destroy(k->diag);
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

static inline const vt_buffer *flat(vt_ctx *c, const char *name, vt_dtype t, int64_t n) {
    const vt_expr *shape[] = {vt_i32(c, n)};
    return vt_buffer_new(c, name, vt_var_new_pointer(c, name, t, "global"), t, 1, shape);
}

static inline const vt_expr *at(vt_ctx *c, const vt_buffer *b, const vt_expr *i) { return vt_e_load(c, b, 1, &i); }

static inline const vt_stmt *set(vt_ctx *c, const vt_buffer *b, const vt_expr *i, const vt_expr *value) {
    return vt_s_store(c, b, value, 1, &i);
}

static inline const vt_stmt *loop(vt_ctx *c, const vt_var *v, int64_t n, const vt_stmt *body) {
    return vt_s_for(c, v, vt_i32(c, 0), vt_i32(c, n), VT_FOR_SERIAL, body);
}

/* A function over buffers, each a parameter of its own shape. */
static inline const vt_func *function(vt_ctx *c, const char *name, uint32_t n, const vt_buffer *const *buffers,
                                      const vt_stmt *body) {
    vt_func *f = VT_NEW(c, vt_func);
    const vt_var **params = VT_NEW_ARRAY(c, const vt_var *, n);
    vt_binding *bindings = VT_NEW_ARRAY(c, vt_binding, n);
    for (uint32_t i = 0; i < n; i++) {
        params[i] = vt_var_new(c, buffers[i]->name, VT_HANDLE_T);
        bindings[i] = (vt_binding){.param = params[i], .buffer = buffers[i]};
    }
    *f = (vt_func){.name = name,
                   .n_params = n,
                   .params = params,
                   .n_bindings = n,
                   .bindings = bindings,
                   .body = body,
                   .result = VT_VOID_T};
    return vt_func_with_attr(c, f, "tir.noalias", vt_bool(c, true));
}

/* C[y, x] = sum over k, with the sum in an allocation: small ones are on the stack, large ones in the workspace. */
static inline const vt_func *make_matmul(vt_ctx *c, int64_t scratch) {
    const vt_buffer *b[] = {flat(c, "A", VT_I8, 8 * 16), flat(c, "B", VT_I8, 16 * 8), flat(c, "C", VT_I32, 64)};
    const vt_buffer *acc = flat(c, "acc", VT_I32, scratch);
    const vt_var *y = vt_var_new(c, "y", VT_I32), *x = vt_var_new(c, "x", VT_I32),
                 *n = vt_var_new(c, "k.inner", VT_I32);
    const vt_expr *last = vt_i32(c, scratch - 1);
    const vt_expr *p = vt_mul(c, vt_cast(c, VT_I32, at(c, b[0], vt_add(c, vt_mul(c, y, vt_i32(c, 16)), n))),
                              vt_cast(c, VT_I32, at(c, b[1], vt_add(c, vt_mul(c, n, vt_i32(c, 8)), x))));
    const vt_stmt *items[] = {
        set(c, acc, last, vt_i32(c, 0)),
        loop(c, n, 16, set(c, acc, last, vt_add(c, at(c, acc, last), p))),
        set(c, b[2], vt_add(c, vt_mul(c, y, vt_i32(c, 8)), x), at(c, acc, last)),
    };
    const vt_expr *extents[] = {vt_i32(c, scratch)};
    const vt_stmt *s = loop(c, y, 8, loop(c, x, 8, vt_s_seq(c, 3, items)));
    return function(c, "matmul", 3, b, vt_s_alloc(c, acc->data, VT_I32, 1, extents, vt_bool(c, true), s));
}

/* ---- Emitting ---------------------------------------------------------------------------------------------------- */

static inline vta_status emit(kit *k, const vt_func *f, int32_t device, const char *triple, vt_emit what, int level,
                              vt_strbuf *out) {
    vt_codegen_func cf = {.func = f, .device_type = device};
    vt_codegen_job job = {.funcs = &cf, .count = 1, .machine = {.triple = triple}, .opt_level = level};
    vt_strbuf_init(out, NULL);
    return vt_codegen_emit(&k->ctx, &job, what, out);
}

/* Compiled code in this process: by LLVM, or as C by the system's compiler. */
typedef struct code {
    vt_jit *jit;
    void *library;
    vta_packed_function call;
} code;

static bool through_c;

static inline void *c_compile(kit *k, const vt_func *f, int32_t device, code *out) {
    vt_strbuf text;
    if (emit(k, f, device, NULL, VT_EMIT_C, 0, &text) != VTA_OK) fail_msg("%s", vta_diag_text(k->diag));
    char base[64], source[80], object[80], command[320];
    snprintf(base, sizeof base, "/tmp/vta-test-%d", (int)getpid());
    snprintf(source, sizeof source, "%s.c", base);
    snprintf(object, sizeof object, "%s.so", base);
    FILE *file = fopen(source, "w");
    fputs(vt_strbuf_text(&text), file);
    fclose(file);
    snprintf(command, sizeof command, "cc -std=c11 -O1 -fwrapv -Wall -Wextra -Werror -shared -fPIC -o %s %s -lm",
             object, source);
    if (system(command) != 0) fail_msg("the C text does not compile:\n%s", vt_strbuf_text(&text));
    out->library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!out->library) fail_msg("%s", dlerror());
    unlink(source);
    unlink(object);
    vt_strbuf_free(&text);
    return dlsym(out->library, f->name);
}

static inline code compile(kit *k, const vt_func *f, int32_t device, int level) {
    vt_strbuf object;
    code c = {0};
    void *address = NULL;
    if (through_c) {
        address = c_compile(k, f, device, &c);
        c.call = (vta_packed_function)(uintptr_t)address;
        return c;
    }
    vta_status status = emit(k, f, device, NULL, VT_EMIT_OBJECT, level, &object);
    if (status == VTA_OK) status = vt_jit_create(NULL, object.text, object.size, 0, NULL, k->diag, &c.jit);
    if (status == VTA_OK) status = vt_jit_lookup(c.jit, f->name, k->diag, &address);
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(k->diag));
    c.call = (vta_packed_function)(uintptr_t)address;
    vt_strbuf_free(&object);
    return c;
}

static inline void code_free(code *c) {
    vt_jit_destroy(c->jit);
    if (c->library) dlclose(c->library);
}

/* ---- Calling ----------------------------------------------------------------------------------------------------- */

/* A flat tensor on given memory. */
typedef struct flat_tensor {
    DLTensor t;
    int64_t shape[2];
} flat_tensor;

static inline void tensor_init(flat_tensor *x, void *data, int device, uint8_t type, uint8_t bits, int64_t n) {
    *x = (flat_tensor){.shape = {n}};
    x->t = (DLTensor){.data = data, .device = {(DLDeviceType)device, 0}, .ndim = 1, .dtype = {type, bits, 1}};
    x->t.shape = x->shape;
}

static inline int call(vta_packed_function f, int n, flat_tensor *tensors) {
    TVMValue values[8], ret = {0};
    int codes[8], ret_code = 0;
    for (int i = 0; i < n; i++) {
        values[i].v_handle = &tensors[i].t;
        codes[i] = VTA_ARG_TENSOR;
    }
    return f(values, codes, n, &ret, &ret_code, NULL);
}

#endif
