#include "codegen/machine.h"

#include <pthread.h>
#include <string.h>

/* ARCH(LLVM's name of the code generator, how its triples begin): those that are linked in. Each is started when the
 * first triple of its kind comes: a code generator's tables take half a megabyte. */
#define ARCHES(ARCH)                                                                                                   \
    ARCH(X86, "x86_64")                                                                                                \
    ARCH(X86, "i386")                                                                                                  \
    ARCH(X86, "i686")                                                                                                  \
    ARCH(AArch64, "aarch64")                                                                                           \
    ARCH(AArch64, "arm64")                                                                                             \
    ARCH(ARM, "arm")                                                                                                   \
    ARCH(ARM, "thumb")

#define START(name)                                                                                                    \
    static void start_##name(void) {                                                                                   \
        LLVMInitialize##name##TargetInfo();                                                                            \
        LLVMInitialize##name##Target();                                                                                \
        LLVMInitialize##name##TargetMC();                                                                              \
        LLVMInitialize##name##AsmPrinter();                                                                            \
        LLVMInitialize##name##AsmParser(); /* without it, text for the assembler ends the process */                   \
    }                                                                                                                  \
    static pthread_once_t once_##name = PTHREAD_ONCE_INIT;
START(X86)
START(AArch64)
START(ARM)
#undef START

void vt__llvm_start(const char *triple) {
#define ARCH(name, begin)                                                                                              \
    if (strncmp(triple, begin, strlen(begin)) == 0) {                                                                  \
        pthread_once(&once_##name, start_##name);                                                                      \
        return;                                                                                                        \
    }
    ARCHES(ARCH)
#undef ARCH
}

const char *vt__llvm_message(vt_ctx *ctx, char *message) {
    /* A failing allocation must not lose LLVM's string, so the copy is made without raising. */
    size_t n = message ? strlen(message) : 0;
    char *copy = vt_arena_strndup(&ctx->arena, message ? message : "", n);
    LLVMDisposeMessage(message);
    return copy ? copy : "out of memory";
}

/* What a triple without a processor gets: for 32-bit ARM, the boards' vector unit. */
static const char *default_features(const char *triple) { return strncmp(triple, "arm", 3) == 0 ? "+neon" : ""; }

const char *vt_codegen_triple(vt_ctx *ctx, const char *triple) {
    LLVMTargetRef target;
    char *message = NULL;
    vta_status status = vt__llvm_load(ctx->diag);
    if (status != VTA_OK) vt_leave(ctx, status);
    const char *full = triple ? triple : vt__llvm_message(ctx, LLVMGetDefaultTargetTriple());
    vt__llvm_start(full);
    if (LLVMGetTargetFromTriple(full, &target, &message)) {
        LLVMDisposeMessage(message);
        vt_raise(ctx, VTA_UNSUPPORTED,
                 "no code generator for the target triple '%s'; there are x86_64, aarch64 and arm, for example "
                 "x86_64-linux-gnu, aarch64-linux-gnu, armv7-none-linux-gnueabihf",
                 full);
    }
    return full;
}

LLVMTargetMachineRef vt__machine_create(vt_ctx *ctx, const vt_machine_spec *spec, int32_t level) {
    const char *triple = vt_codegen_triple(ctx, spec->triple);
    bool native = !spec->triple && !spec->cpu;
    const char *cpu = spec->cpu, *features = spec->features;
    if (native) {
        cpu = vt__llvm_message(ctx, LLVMGetHostCPUName());
        if (!features) features = vt__llvm_message(ctx, LLVMGetHostCPUFeatures());
    }
    LLVMTargetRef target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &message))
        vt_raise(ctx, VTA_UNSUPPORTED, "%s", vt__llvm_message(ctx, message));
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, cpu ? cpu : "generic",
                                                           features ? features
                                                           : cpu    ? ""
                                                                    : default_features(triple),
                                                           level ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone,
                                                           LLVMRelocPIC, LLVMCodeModelDefault);
    if (!machine)
        vt_raise(ctx, VTA_UNSUPPORTED, "LLVM has no machine '%s' with processor '%s'", triple, cpu ? cpu : "generic");
    if (!level) { /* the fast instruction selector, also where the global one is LLVM's default */
        LLVMSetTargetMachineGlobalISel(machine, 0);
        LLVMSetTargetMachineFastISel(machine, 1);
    }
    return machine;
}
