/* Host code that can be stopped: loops whose body takes long look at vta_host_stop once an iteration. Loops of little
 * work do not: they end soon, and a look would keep LLVM from vectorizing them. An innermost loop of very many steps is
 * run in pieces, with a look before each. */
#include "codegen/llvm.h"
#include "ir/build.h"

enum { LONG = 4096 }; /* steps of innermost loops in an iteration */

typedef struct estimate {
    vt_visitor visitor;
    int64_t around; /* iterations of the loops around what is visited; at most LONG */
    bool is_long;
} estimate;

static void look_at(vt_visitor *v, const vt_stmt *s) {
    estimate *e = (estimate *)v;
    int64_t around = e->around, extent;
    if (s->kind == VT_S_FOR) {
        bool known = vt_as_const(s->u.loop.extent, &extent) && extent < LONG;
        e->around = known ? around * extent : LONG;
        if (e->around >= LONG) e->is_long = v->stop = true;
    }
    if (!v->stop) vt_visit_stmt_children(v, s);
    e->around = around;
}

static bool takes_long(const vt_stmt *body) {
    estimate e = {.visitor = {.stmt = look_at}, .around = 1};
    vt_visit_stmt(&e.visitor, body);
    return e.is_long;
}

/* The word, wherever it is: nowhere, in a process without libvta. */
static LLVMValueRef stop_word(vt__llvm *g) {
    LLVMValueRef word = LLVMGetNamedGlobal(g->module, "vta_host_stop");
    if (word) return word;
    word = LLVMAddGlobal(g->module, g->i32, "vta_host_stop");
    LLVMSetLinkage(word, LLVMExternalWeakLinkage);
    return word;
}

static void find_loop(vt_visitor *v, const vt_stmt *s) {
    if (s->kind == VT_S_FOR)
        ((estimate *)v)->is_long = v->stop = true;
    else
        vt_visit_stmt_children(v, s);
}

bool vt__llvm_in_pieces(const vt__llvm *g, const vt_stmt *loop) {
    int64_t extent;
    if (!g->interruptible || (vt_as_const(loop->u.loop.extent, &extent) && extent <= 2 * VT__LLVM_STEPS)) return false;
    estimate e = {.visitor = {.stmt = find_loop}};
    vt_visit_stmt(&e.visitor, loop->u.loop.body);
    return !e.is_long;
}

void vt__llvm_stop_point(vt__llvm *g, const vt_stmt *body) {
    if (g->interruptible && takes_long(body)) vt__llvm_look(g);
}

void vt__llvm_look(vt__llvm *g) {
    LLVMBuilderRef b = g->builder;
    LLVMValueRef word = stop_word(g);
    LLVMBasicBlockRef look = vt__llvm_block(g, "look"), go = vt__llvm_block(g, "go");
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, word, ""), go, look);
    LLVMPositionBuilderAtEnd(b, look);
    LLVMValueRef value = LLVMBuildLoad2(b, g->i32, word, "");
    LLVMSetVolatile(value, 1);
    LLVMBasicBlockRef stop = vt__llvm_block(g, "stop");
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, value, ""), go, stop);
    LLVMPositionBuilderAtEnd(b, stop);
    vt__llvm_return(g, -1);
    LLVMPositionBuilderAtEnd(b, go);
}
