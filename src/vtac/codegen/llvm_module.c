/* A job through LLVM: make the module, optimise what computes, write it out. */
#include <pthread.h>
#include <string.h>

#include "codegen/llvm.h"

typedef struct emission {
    const vt_codegen_job *job;
    vt_emit what;
    vt_strbuf *out;
    vt__llvm g; /* holds what LLVM must be given back */
    LLVMMemoryBufferRef result;
    const char *llvm_error; /* the first error LLVM reported */
    bool abandoned;         /* LLVM gave up in the middle: what it holds is not to be touched */
} emission;

void vt__llvm_attribute(vt__llvm *g, LLVMValueRef function, int index, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)index, LLVMCreateEnumAttribute(g->context, kind, 0));
}

LLVMBasicBlockRef vt__llvm_block(vt__llvm *g, const char *name) {
    return LLVMAppendBasicBlockInContext(g->context, g->function, name);
}

LLVMValueRef vt__llvm_slot(vt__llvm *g, LLVMTypeRef type, uint32_t align) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->builder);
    LLVMValueRef first = LLVMGetFirstInstruction(g->allocas);
    if (first)
        LLVMPositionBuilderBefore(g->builder, first);
    else
        LLVMPositionBuilderAtEnd(g->builder, g->allocas);
    LLVMValueRef slot = LLVMBuildAlloca(g->builder, type, "");
    if (align) LLVMSetAlignment(slot, align);
    LLVMPositionBuilderAtEnd(g->builder, here);
    return slot;
}

/* LLVM's own reporting of an error would print it and end the process. */
static void take_diagnostic(LLVMDiagnosticInfoRef info, void *user) {
    emission *em = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || em->llvm_error) return;
    em->llvm_error = vt__llvm_message(em->g.ctx, LLVMGetDiagInfoDescription(info));
}

static void raise_llvm(emission *em, const char *doing, char *message) {
    const char *text = vt__llvm_message(em->g.ctx, message);
    vt_raise(em->g.ctx, VTA_INTERNAL, "%s: %s", doing, em->llvm_error ? em->llvm_error : text);
}

static void start_module(emission *em, bool optimise) {
    vt__llvm *g = &em->g;
    g->machine = vt__machine_create(g->ctx, &em->job->machine, optimise ? em->job->opt_level : 0);
    g->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(g->context, take_diagnostic, em);
    g->module = LLVMModuleCreateWithNameInContext("vta", g->context);
    g->builder = LLVMCreateBuilderInContext(g->context);
    g->layout = LLVMCreateTargetDataLayout(g->machine);
    LLVMSetModuleDataLayout(g->module, g->layout);
    char *triple = LLVMGetTargetMachineTriple(g->machine);
    LLVMSetTarget(g->module, triple);
    LLVMDisposeMessage(triple);
    LLVMContextRef c = g->context;
    g->void_type = LLVMVoidTypeInContext(c);
    g->i1 = LLVMInt1TypeInContext(c);
    g->i8 = LLVMInt8TypeInContext(c);
    g->i32 = LLVMInt32TypeInContext(c);
    g->i64 = LLVMInt64TypeInContext(c);
    g->pointer = LLVMPointerTypeInContext(c, 0);
    LLVMTypeRef fields[] = {g->pointer, g->i32, g->i32, g->i32, g->i32, g->pointer, g->pointer, g->i64};
    g->tensor = LLVMStructTypeInContext(c, fields, 8, 0); /* ORDER DLTENSOR */
}

/* Functions that only call the runtime carry optnone and pass through untouched. */
static void optimise_module(emission *em) {
    static const char *const pipelines[] = {"default<O0>", "default<O1>", "default<O2>", "default<O3>"};
    int32_t level = em->job->opt_level;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(em->g.module,
                                       pipelines[level < 0   ? 0
                                                 : level > 3 ? 3
                                                             : level],
                                       em->g.machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) return;
    char *message = LLVMGetErrorMessage(error);
    const char *text = vt_new_string(em->g.ctx, message);
    LLVMDisposeErrorMessage(message);
    vt_raise(em->g.ctx, VTA_INTERNAL, "LLVM's optimiser: %s", text);
}

/* What this thread makes machine code of. */
static _Thread_local emission *emitting;

/* A processor's features that do not go together: LLVM's optimiser makes what its instruction selector then has no
 * instruction for. Its own words are pages of nodes with their addresses; the operation is what counts:
 * "Cannot select: 0x55aa: ch = masked_store<...> ... In function: NAME". */
static const char *not_selected(emission *em, const char *reason) {
    vt_ctx *ctx = em->g.ctx;
    static const char begin[] = "Cannot select: ", where[] = "In function: ";
    if (strncmp(reason, begin, sizeof begin - 1) != 0) return vt_new_string(ctx, reason);
    const char *operation = reason + sizeof begin - 1, *line = operation + strcspn(operation, "\n");
    const char *sign = strstr(operation, " = ");
    int length = (int)(line - operation);
    if (sign && sign < line) {
        operation = sign + strlen(" = ");
        length = (int)strcspn(operation, "<( \n");
    }
    const char *function = strstr(line, where);
    function = function ? function + strlen(where) : "the code";
    char *cpu = LLVMGetTargetMachineCPU(em->g.machine), *features = LLVMGetTargetMachineFeatureString(em->g.machine);
    const char *named = vt_new_format(ctx, "processor '%s'%s%s%s", cpu, *features ? " with the features '" : "",
                                      features, *features ? "'" : "");
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return vt_new_format(ctx,
                         "it has no instruction of %s for '%.*s' in %.*s: features that do not go together. Name a "
                         "processor that has them all (such as skylake-avx512 for +avx512f), or leave them out",
                         named, length, operation, (int)strcspn(function, "\n"), function);
}

/* LLVM calls this before it ends the process, where IR has something that no machine code can be made of. What it was
 * at is left as it is, as in LLVM's own recovery from crashes: that memory is lost. */
static void take_fatal(const char *reason) {
    emission *em = emitting;
    if (!em) return; /* not of ours */
    em->abandoned = true;
    emitting = NULL;
    vt_raise(em->g.ctx, VTA_UNSUPPORTED, "LLVM cannot make machine code: %s", not_selected(em, reason));
}

static void catch_fatal(void) { LLVMInstallFatalErrorHandler(take_fatal); }

static void write_out(emission *em) {
    vt__llvm *g = &em->g;
    char *message = NULL;
    if (em->what == VT_EMIT_LLVM) {
        char *text = LLVMPrintModuleToString(g->module);
        vt_strbuf_add(em->out, text);
        LLVMDisposeMessage(text);
        return;
    }
    LLVMCodeGenFileType type = em->what == VT_EMIT_ASM ? LLVMAssemblyFile : LLVMObjectFile;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, catch_fatal);
    emitting = em;
    bool failed = LLVMTargetMachineEmitToMemoryBuffer(g->machine, g->module, type, &message, &em->result);
    emitting = NULL;
    if (failed || em->llvm_error) raise_llvm(em, "LLVM cannot make machine code", message);
    vt_strbuf_addn(em->out, LLVMGetBufferStart(em->result), LLVMGetBufferSize(em->result));
}

static vta_status emit_llvm(vt_ctx *ctx, void *user) {
    emission *em = user;
    const vt_codegen_job *job = em->job;
    vt_codegen_func *funcs = VT_NEW_ARRAY(ctx, vt_codegen_func, job->count);
    bool optimise = false;
    for (size_t i = 0; i < job->count; i++) {
        funcs[i] = job->funcs[i];
        funcs[i].func = vt_prepare(ctx, &job->funcs[i]);
        optimise = optimise || (job->opt_level > 0 && vt__func_computes(funcs[i].func));
    }
    start_module(em, optimise);
    for (size_t i = 0; i < job->count; i++) {
        vt_poll(ctx);
        em->g.interruptible = job->interruptible;
        em->g.optimise = optimise && vt__func_computes(funcs[i].func);
        vt__llvm_kernel(&em->g, &funcs[i], vt__kernel_symbol(ctx, job, vt__kernel_name(&funcs[i])));
    }
    vt__llvm_import(&em->g, job->count, job->funcs);
    char *message = NULL;
    if (LLVMVerifyModule(em->g.module, LLVMReturnStatusAction, &message)) raise_llvm(em, "the LLVM module", message);
    LLVMDisposeMessage(message);
    if (optimise) optimise_module(em);
    vt_poll(ctx);
    write_out(em);
    return em->out->failed ? vt_no_memory(ctx->diag) : VTA_OK;
}

vta_status vt__llvm_emit(vt_ctx *ctx, const vt_codegen_job *job, vt_emit what, vt_strbuf *out) {
    VT_TRY(vt__check_names(ctx, job));
    emission em = {.job = job, .what = what, .out = out, .g = {.ctx = ctx}};
    vta_status status = vt_protect(ctx, emit_llvm, &em);
    vt__llvm *g = &em.g;
    if (em.abandoned) return status;
    if (em.result) LLVMDisposeMemoryBuffer(em.result);
    if (g->builder) LLVMDisposeBuilder(g->builder);
    if (g->layout) LLVMDisposeTargetData(g->layout);
    if (g->module) LLVMDisposeModule(g->module);
    if (g->context) LLVMContextDispose(g->context);
    if (g->machine) LLVMDisposeTargetMachine(g->machine);
    return status;
}
