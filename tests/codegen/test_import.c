/* LLVM IR that pragmas import_llvm bring along: it is linked in, its functions are hidden, and of two the later counts;
 * texts that are none, or that LLVM cannot make code of, are refused with its words. */
#include "codegen/stubs.h"
#include "ir/attr.h"
#include "support/check.h"

enum { MAX_TEXTS = 3 }; /* of pragmas around the body of a function, outermost first */

static const char TWICE[] = "define i32 @change(i32 %x) {\n  %y = mul i32 %x, 2\n  ret i32 %y\n}\n";
static const char THRICE[] = "define i32 @change(i32 %x) {\n  %y = mul i32 %x, 3\n  ret i32 %y\n}\n";
static const char HELPER[] = "define i32 @change(i32 %x) {\n  %y = call i32 @helper(i32 %x)\n  ret i32 %y\n}\n"
                             "define internal i32 @helper(i32 %x) {\n  %y = sub i32 0, %x\n  ret i32 %y\n}\n";

/* R[0] = change(R[0]), with pragmas around it; "" stands for a pragma with a number. */
static const vt_func *make_change(vt_ctx *c, const char *const texts[MAX_TEXTS]) {
    const vt_buffer *r = flat(c, "R", VT_I32, 1);
    const vt_expr *zero = vt_i32(c, 0), *element = at(c, r, zero);
    const vt_stmt *body = set(c, r, zero, vt_e_call_extern(c, VT_I32, "change", 1, &element));
    for (int i = MAX_TEXTS; i-- > 0;) {
        const vt_expr *text = texts[i] && texts[i][0] ? vt_string(c, texts[i]) : zero;
        if (texts[i]) body = vt_s_attr(c, vt_ref_none(), VT_PRAGMA_PREFIX "import_llvm", text, body);
    }
    return function(c, "f", 1, &r, body);
}

static int32_t run_change(const char *const texts[MAX_TEXTS], int level) {
    kit k;
    kit_open(&k);
    code compiled = compile(&k, make_change(&k.ctx, texts), VT_DEVICE_CPU, level);
    int32_t r = 7;
    flat_tensor t;
    tensor_init(&t, &r, 1, 0, 32, 1);
    assert_int_equal(call(compiled.call, 1, &t), 0);
    code_free(&compiled);
    kit_close(&k);
    return r;
}

TEST_CASE(linked) {
    for (int level = 0; level <= 2; level += 2) {
        assert_int_equal(run_change((const char *[MAX_TEXTS]){TWICE}, level), 14);
        assert_int_equal(run_change((const char *[MAX_TEXTS]){HELPER}, level), -7);
        assert_int_equal(run_change((const char *[MAX_TEXTS]){TWICE, TWICE}, level), 14);
        assert_int_equal(run_change((const char *[MAX_TEXTS]){TWICE, THRICE}, level), 21);
        assert_int_equal(run_change((const char *[MAX_TEXTS]){TWICE, THRICE, TWICE}, level), 21); /* known already */
    }
}

/* The functions of one object are not seen by others. */
TEST_CASE(hidden) {
    kit k;
    vt_strbuf text;
    kit_open(&k);
    const vt_func *f = make_change(&k.ctx, (const char *[MAX_TEXTS]){HELPER});
    assert_int_equal(emit(&k, f, VT_DEVICE_CPU, NULL, VT_EMIT_LLVM, 0, &text), VTA_OK);
    assert_contains(vt_strbuf_text(&text), "define hidden i32 @change(i32 ");
    assert_contains(vt_strbuf_text(&text), "define internal i32 @helper(i32 ");
    vt_strbuf_free(&text);
    kit_close(&k);
}

static const char SHARED[] = "@shared = global i32 1\n", ALSO_SHARED[] = "@shared = global i32 2\n";

static const struct {
    const char *texts[MAX_TEXTS];
    vta_status status;
    const char *says; /* how it begins */
} refusals[] = {
    {{""}, VTA_INVALID_ARGUMENT, "error: pragma import_llvm: its value is the text of LLVM IR"},
    {{"nonsense"},
     VTA_PARSE,
     "error: pragma import_llvm: the text is no LLVM IR of this LLVM: import_llvm:1:1: error: expected top-level "
     "entity"},
    {{"define i32 @f() {\n  ret i32 0\n}\n"}, /* the kernel's name */
     VTA_ILLEGAL,
     "error: pragma import_llvm: its functions cannot be linked with those of the module"},
    {{TWICE, SHARED, ALSO_SHARED},
     VTA_ILLEGAL,
     "error: pragma import_llvm: its functions cannot be linked with those of the module"},
    {{"define void @change(i32 %x) {\n  call void asm sideeffect \"\", \"i\"(i32 %x)\n  ret void\n}\n"},
     VTA_INTERNAL,
     "error: LLVM cannot make machine code: invalid operand for inline asm constraint 'i'"},
};

static const char CHANGE[] = "define i32 @change(i32 %x) {\n  ret i32 %x\n}\n";
#define ASM(text) "define i32 @change(i32 %x) {\n  call void asm sideeffect \"" text "\", \"\"()\n  ret i32 %x\n}\n"
#define INTRINSIC(name)                                                                                                \
    "define i32 @change(i32 %x) {\n  %y = call i32 @" name "(i32 %x, i32 %x)\n  ret i32 %y\n}\n"                       \
    "declare i32 @" name "(i32, i32)\n"

/* Text for the assembler is read by LLVM's own, of every processor; what it cannot read is an error. */
static const struct {
    const char *triple, *texts[MAX_TEXTS];
    vta_status status;
    const char *says; /* the code that has it, or how the error begins */
} processors[] = {
    {"x86_64-linux-gnu", {ASM("bswap %eax")}, VTA_OK, "bswapl\t%eax"},
    {"i686-linux-gnu", {ASM("bswap %eax")}, VTA_OK, "bswapl\t%eax"},
    {"aarch64-linux-gnu", {ASM("rbit x0, x1")}, VTA_OK, "rbit\tx0, x1"},
    {"armv7-none-linux-gnueabihf", {ASM("rbit r0, r1")}, VTA_OK, "rbit\tr0, r1"},
    {"x86_64-linux-gnu", {CHANGE, "module asm \".globl from_asm\"\n"}, VTA_OK, ".globl\tfrom_asm"},
    {"x86_64-linux-gnu", {ASM("rbit x0, x1")}, VTA_INTERNAL, "error: LLVM cannot make machine code: "},
    {"aarch64-linux-gnu", {ASM("bswap %eax")}, VTA_INTERNAL, "error: LLVM cannot make machine code: "},
    {"armv7-none-linux-gnueabihf", {ASM("nonsense")}, VTA_INTERNAL, "error: LLVM cannot make machine code: "},
    {"x86_64-linux-gnu", {CHANGE, "module asm \"nonsense\"\n"}, VTA_INTERNAL, "error: LLVM cannot make machine code: "},
    {"armv7-none-linux-gnueabihf", {INTRINSIC("llvm.arm.qadd")}, VTA_OK, "qadd\tr"},
    {"x86_64-linux-gnu",
     {INTRINSIC("llvm.arm.qadd")},
     VTA_ILLEGAL,
     "error: pragma import_llvm: llvm.arm.qadd is an intrinsic of arm, and the code is for x86_64-linux-gnu"},
    {"aarch64-linux-gnu",
     {INTRINSIC("llvm.arm.qadd")},
     VTA_ILLEGAL,
     "error: pragma import_llvm: llvm.arm.qadd is an intrinsic of arm, and the code is for aarch64-linux-gnu"},
    {"x86_64-linux-gnu",
     {"define i32 @change(i32 %x) {\n  call void asm \"mov $9, $0\", \"r\"(i32 %x)\n  ret i32 %x\n}\n"},
     VTA_UNSUPPORTED,
     "error: LLVM cannot make machine code: Invalid $ operand number in inline asm string: 'mov $9, $0'"},
    {"x86_64-linux-gnu",
     {"define i32 @change(i32 %x) gc \"none\" {\n  ret i32 %x\n}\n"},
     VTA_UNSUPPORTED,
     "error: LLVM cannot make machine code: unsupported GC: none"},
    {"i686-linux-gnu", /* what only the host's wide half has */
     {CHANGE,
      "define i64 @wide(i64 %x) {\n  %y = call i64 @llvm.x86.sse42.crc32.64.64(i64 %x, i64 %x)\n  ret i64 %y\n}\n"
      "declare i64 @llvm.x86.sse42.crc32.64.64(i64, i64)\n"},
     VTA_UNSUPPORTED,
     "error: LLVM cannot make machine code: "},
    {"armv7-none-linux-gnueabihf",
     {INTRINSIC("llvm.hexagon.A2.add")},
     VTA_ILLEGAL,
     "error: pragma import_llvm: llvm.hexagon.A2.add is an intrinsic of hexagon, and the code is for armv7-none-"},
};

/* What LLVM had in its hands when it gave up is lost. */
const char *__lsan_default_suppressions(void);
EXPORTED const char *__lsan_default_suppressions(void) { return "leak:libLLVM\nleak:libstdc++\n"; }

TEST_CASE(of_processors) {
    static const vt_emit whats[] = {VT_EMIT_OBJECT, VT_EMIT_ASM};
    for (size_t i = 0; i < 2 * sizeof processors / sizeof *processors; i++) {
        kit k;
        vt_strbuf out;
        kit_open(&k);
        const vt_func *f = make_change(&k.ctx, processors[i / 2].texts);
        vta_status status = emit(&k, f, VT_DEVICE_CPU, processors[i / 2].triple, whats[i % 2], 0, &out);
        const char *says = processors[i / 2].says, *got = vta_diag_text(k.diag);
        bool good = status == processors[i / 2].status && (out.size == 0) == (status != VTA_OK);
        if (status != VTA_OK)
            good = good && strncmp(got, says, strlen(says)) == 0;
        else if (whats[i % 2] == VT_EMIT_ASM)
            good = good && strstr(got = vt_strbuf_text(&out), says);
        if (!good) fail_msg("row %zu: %d, \"%s\", not \"%s\"", i / 2, status, got, says);
        vt_strbuf_free(&out);
        kit_close(&k);
    }
}

TEST_CASE(refused_texts) {
    static const vt_emit whats[] = {VT_EMIT_OBJECT, VT_EMIT_ASM};
    for (size_t i = 0; i < 2 * sizeof refusals / sizeof *refusals; i++) {
        kit k;
        vt_strbuf out;
        kit_open(&k);
        const vt_func *f = make_change(&k.ctx, refusals[i / 2].texts);
        vta_status status = emit(&k, f, VT_DEVICE_CPU, NULL, whats[i % 2], 0, &out);
        const char *says = refusals[i / 2].says;
        if (status != refusals[i / 2].status || strncmp(vta_diag_text(k.diag), says, strlen(says)) != 0)
            fail_msg("%d, \"%s\", not \"%s\"", status, vta_diag_text(k.diag), says);
        assert_int_equal(out.size, 0); /* nothing is written */
        vt_strbuf_free(&out);
        kit_close(&k);
    }
}

int main(void) { return run_cases(); }
