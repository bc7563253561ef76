/* Code in this process, by LLVM's ORC. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "codegen/machine.h"
#include "vta/module.h"

struct vt_jit {
    const vta_allocator *allocator;
    LLVMOrcLLJITRef lljit;
    size_t n_symbols;
    const vt_jit_symbol *symbols;
    pthread_mutex_t lock;
    char *cause; /* what ORC reported about the lookup that is going on; LLVM's */
};

static vta_status orc_error(vta_diag *diag, vta_status status, const char *doing, LLVMErrorRef error) {
    char *message = LLVMGetErrorMessage(error);
    vt_fail(diag, status, "%s: %s", doing, message);
    LLVMDisposeErrorMessage(message);
    return status;
}

/* ORC reports the cause of a failed lookup here, and would print it otherwise; the lookup itself only says that it
 * failed. Lookups hold the lock. */
static void take_cause(void *user, LLVMErrorRef error) {
    vt_jit *jit = user;
    char *message = LLVMGetErrorMessage(error);
    if (jit->cause)
        LLVMDisposeErrorMessage(message);
    else
        jit->cause = message;
}

static void forget_cause(vt_jit *jit) {
    if (jit->cause) LLVMDisposeErrorMessage(jit->cause);
    jit->cause = NULL;
}

/* dlsym is called from this library on purpose: RTLD_DEFAULT then means the global scope (preloaded libraries first)
 * and after it what was loaded along with this library, also where that was not loaded globally. */
static uintptr_t find(const vt_jit *jit, const char *name) {
    for (size_t i = 0; i < jit->n_symbols; i++)
        if (strcmp(jit->symbols[i].name, name) == 0) return (uintptr_t)jit->symbols[i].address;
    return (uintptr_t)dlsym(RTLD_DEFAULT, name);
}

static const char OWN[] = "__vta_"; /* begins VTA_KERNEL_PREFIX and VTA_SIGNATURE_PREFIX */

/* Defines the symbols that ORC looks for and that there are; it reports those that stay missing, all together. */
static LLVMErrorRef define_found(LLVMOrcDefinitionGeneratorRef generator, void *user, LLVMOrcLookupStateRef *state,
                                 LLVMOrcLookupKind kind, LLVMOrcJITDylibRef dylib, LLVMOrcJITDylibLookupFlags flags,
                                 LLVMOrcCLookupSet names, size_t count) {
    (void)generator, (void)state, (void)kind, (void)flags;
    for (size_t i = 0; i < count; i++) {
        const char *name = LLVMOrcSymbolStringPoolEntryStr(names[i].Name);
        bool own = !strncmp(name, OWN, sizeof OWN - 1); /* kernels and signatures are those of the object only */
        uintptr_t address = own ? 0 : find(user, name);
        if (!address) continue;
        LLVMOrcRetainSymbolStringPoolEntry(names[i].Name);
        LLVMOrcCSymbolMapPair pair = {names[i].Name, {address, {LLVMJITSymbolGenericFlagsExported, 0}}};
        LLVMErrorRef error = LLVMOrcJITDylibDefine(dylib, LLVMOrcAbsoluteSymbols(&pair, 1));
        if (error) return error;
    }
    return LLVMErrorSuccess;
}

static vta_status add_object(vt_jit *jit, const void *object, size_t size, vta_diag *diag) {
    LLVMOrcJITDylibRef dylib = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit->lljit), take_cause, jit);
    LLVMOrcJITDylibAddGenerator(dylib, LLVMOrcCreateCustomCAPIDefinitionGenerator(define_found, jit, NULL));
    LLVMMemoryBufferRef copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, "kernel");
    LLVMErrorRef error = LLVMOrcLLJITAddObjectFile(jit->lljit, dylib, copy);
    return error ? orc_error(diag, VTA_INVALID_ARGUMENT, "cannot load the object into this process", error) : VTA_OK;
}

vta_status vt_jit_create(const vta_allocator *allocator, const void *object, size_t size, size_t n,
                         const vt_jit_symbol *symbols, vta_diag *diag, vt_jit **out_jit) {
    *out_jit = NULL;
    VT_TRY(vt__llvm_load(diag));
    char *triple = LLVMGetDefaultTargetTriple();
    vt__llvm_start(triple);
    LLVMDisposeMessage(triple);
    vt_jit *jit = vt_alloc_zero(allocator, sizeof *jit);
    if (!jit) return vt_no_memory(diag);
    jit->allocator = allocator;
    jit->n_symbols = n;
    jit->symbols = symbols;
    pthread_mutex_init(&jit->lock, NULL);
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit->lljit, NULL);
    vta_status status = error ? orc_error(diag, VTA_UNSUPPORTED, "cannot run code in this process", error)
                              : add_object(jit, object, size, diag);
    if (status == VTA_OK)
        *out_jit = jit;
    else
        vt_jit_destroy(jit);
    return status;
}

void vt_jit_destroy(vt_jit *jit) {
    if (!jit) return;
    if (jit->lljit) LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->lljit));
    forget_cause(jit);
    pthread_mutex_destroy(&jit->lock);
    vt_free(jit->allocator, jit, sizeof *jit);
}

/* The address of `beginning` and `name` together; LLVMErrorSuccess where the object has it. */
static LLVMErrorRef look_up(vt_jit *jit, const char *beginning, const char *name, char *symbol, size_t room,
                            LLVMOrcExecutorAddress *out_address) {
    snprintf(symbol, room, "%s%s", beginning, name);
    forget_cause(jit);
    *out_address = 0;
    return LLVMOrcLLJITLookup(jit->lljit, out_address, symbol);
}

static vta_status lookup_locked(vt_jit *jit, const char *name, char *symbol, size_t room, vta_diag *diag,
                                LLVMOrcExecutorAddress *out_address) {
    /* The signature first: what the object calls is a symbol in it, too, and no kernel. */
    LLVMErrorRef error = look_up(jit, VTA_SIGNATURE_PREFIX, name, symbol, room, out_address);
    if (error && jit->cause) {
        LLVMConsumeError(error);
        return vt_fail(diag, VTA_NOT_FOUND,
                       "%s: the process lacks symbols that the code needs (libvta provides the runtime): %s", name,
                       jit->cause);
    }
    if (error) {
        LLVMConsumeError(error);
        return vt_fail(diag, VTA_NOT_FOUND, "the module has no function '%s'", name);
    }
    error = look_up(jit, VTA_KERNEL_PREFIX, name, symbol, room, out_address);
    if (!error) return VTA_OK;
    LLVMConsumeError(error);
    error = look_up(jit, "", name, symbol, room, out_address);
    return error ? orc_error(diag, VTA_NOT_FOUND, name, error) : VTA_OK;
}

vta_status vt_jit_lookup(vt_jit *jit, const char *name, vta_diag *diag, void **out_address) {
    *out_address = NULL;
    LLVMOrcExecutorAddress address = 0;
    size_t room = sizeof VTA_SIGNATURE_PREFIX + sizeof VTA_KERNEL_PREFIX + strlen(name);
    char *symbol = vt_alloc(jit->allocator, room);
    if (!symbol) return vt_no_memory(diag);
    pthread_mutex_lock(&jit->lock);
    vta_status status = lookup_locked(jit, name, symbol, room, diag, &address);
    pthread_mutex_unlock(&jit->lock);
    vt_free(jit->allocator, symbol, room);
    *out_address = status == VTA_OK ? (void *)(uintptr_t)address : NULL;
    return status;
}
