/* LLVM IR that a program brings along: the text of each pragma import_llvm becomes part of the module. */
#include <string.h>

#include "codegen/llvm.h"
#include "ir/attr.h"
#include "vta/module.h"

typedef struct importer {
    vt_visitor v;
    vt__llvm *g;
    uint32_t n, cap;
    const char **texts; /* linked already: a pragma may stand on several copies of a loop */
} importer;

/* Its functions are hidden, so that those of two kernels do not meet. One that an earlier text brought along gives
 * way. */
static void hide(vt__llvm *g, LLVMModuleRef module) {
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        LLVMSetVisibility(f, LLVMHiddenVisibility);
        LLVMValueRef before = LLVMGetNamedFunction(g->module, LLVMGetValueName2(f, &length));
        if (before && LLVMGetVisibility(before) == LLVMHiddenVisibility) LLVMSetLinkage(before, LLVMWeakAnyLinkage);
    }
}

/* A kernel that is called what the text calls gives the name up, as where its own code calls it (symbol.c). */
static void step_aside(vt__llvm *g, LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f)) continue;
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        LLVMValueRef kernel = LLVMGetNamedFunction(g->module, name);
        if (!kernel || LLVMIsDeclaration(kernel) || LLVMGetLinkage(kernel) != LLVMExternalLinkage) continue;
        if (LLVMGetVisibility(kernel) == LLVMHiddenVisibility) continue; /* of an earlier text */
        const char *symbol = vt_new_format(g->ctx, VTA_KERNEL_PREFIX "%s", name);
        LLVMSetValueName2(kernel, symbol, strlen(symbol));
    }
}

/* Begin the names of intrinsics that only one processor has. */
static const char *const processors[] = {"aarch64",   "amdgcn", "arm",  "bpf",  "dx",   "hexagon",
                                         "loongarch", "mips",   "nvvm", "ppc",  "r600", "riscv",
                                         "s390",      "spv",    "ve",   "wasm", "x86",  "xcore"};

/* The host that code is made for, as intrinsics name it. */
static const char *processor_of(vt__llvm *g) {
    const char *name = LLVMGetTargetName(LLVMGetTargetMachineTarget(g->machine));
    if (strncmp(name, "thumb", 5) == 0) return "arm";
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++)
        if (strncmp(name, processors[i], strlen(processors[i])) == 0) return processors[i];
    return "";
}

/* LLVM has no code for another processor's intrinsic, and would end the process. */
static void check_intrinsics(vt__llvm *g, LLVMModuleRef module) {
    static const char begin[] = "llvm.";
    const char *own = processor_of(g);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length), *rest = name + sizeof begin - 1;
        if (strncmp(name, begin, sizeof begin - 1) != 0) continue;
        for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
            size_t n = strlen(processors[i]);
            if (strncmp(rest, processors[i], n) != 0 || rest[n] != '.' || !strcmp(processors[i], own)) continue;
            vt_raise(g->ctx, VTA_ILLEGAL, "pragma import_llvm: %s is an intrinsic of %s, and the code is for %s",
                     vt_new_string(g->ctx, name), processors[i], LLVMGetTarget(g->module));
        }
    }
}

static void link_text(importer *im, const char *text) {
    vt__llvm *g = im->g;
    char *message = NULL;
    LLVMModuleRef module = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "import_llvm");
    if (LLVMParseIRInContext(g->context, buffer, &module, &message))
        vt_raise(g->ctx, VTA_PARSE, "pragma import_llvm: the text is no LLVM IR of this LLVM: %s",
                 vt__llvm_message(g->ctx, message));
    LLVMSetModuleDataLayout(module, g->layout);
    LLVMSetTarget(module, LLVMGetTarget(g->module));
    check_intrinsics(g, module);
    hide(g, module);
    step_aside(g, module);
    if (LLVMLinkModules2(g->module, module))
        vt_raise(g->ctx, VTA_ILLEGAL, "pragma import_llvm: its functions cannot be linked with those of the module");
}

static void find_stmt(vt_visitor *v, const vt_stmt *s) {
    importer *im = (importer *)v;
    if (s->kind == VT_S_ATTR && !strcmp(s->u.attr.key, VT_PRAGMA_PREFIX "import_llvm")) {
        const vt_expr *value = s->u.attr.value;
        if (value->kind != VT_E_STRING)
            vt_raise(im->g->ctx, VTA_INVALID_ARGUMENT, "pragma import_llvm: its value is the text of LLVM IR");
        bool known = false;
        for (uint32_t i = 0; i < im->n; i++) known |= !strcmp(im->texts[i], value->u.s);
        if (!known) {
            vt_grow(im->g->ctx, &im->texts, &im->cap, im->n + 1, sizeof *im->texts);
            im->texts[im->n++] = value->u.s;
            link_text(im, value->u.s);
        }
    }
    vt_visit_stmt_children(v, s);
}

static void skip_expr(vt_visitor *v, const vt_expr *e) {
    (void)v;
    (void)e;
}

void vt__llvm_import(vt__llvm *g, size_t n, const vt_codegen_func *funcs) {
    importer im = {.v = {.stmt = find_stmt, .expr = skip_expr}, .g = g};
    for (size_t i = 0; i < n; i++) vt_visit_stmt(&im.v, funcs[i].func->body);
}
