/* What a processor's name and features change: the instructions for eight sums of floats. */
#include "codegen/machine.h"

#include "codegen/kernels.h"
#include "support/check.h"

static const vt_func *make_sums(vt_ctx *c) {
    const vt_buffer *b[] = {flat(c, "X", VT_F32, 8), flat(c, "Y", VT_F32, 8), flat(c, "R", VT_F32, 8)};
    const vt_expr *eight = vt_e_ramp(c, vt_i32(c, 0), vt_i32(c, 1), 8);
    return function(c, "sums", 3, b,
                    set(c, b[2], eight, vt_e_bin(c, VT_E_ADD, at(c, b[0], eight), at(c, b[1], eight))));
}

/* The assembler text at a level. Free it. */
static char *instructions(vt_machine_spec machine, int level) {
    kit k;
    vt_strbuf text;
    kit_open(&k);
    vt_codegen_func f = {.func = make_sums(&k.ctx), .device_type = VT_DEVICE_CPU};
    vt_codegen_job job = {.funcs = &f, .count = 1, .machine = machine, .opt_level = level};
    vt_strbuf_init(&text, NULL);
    if (vt_codegen_emit(&k.ctx, &job, VT_EMIT_ASM, &text) != VTA_OK) fail_msg("%s", vta_diag_text(k.diag));
    char *copy = strdup(vt_strbuf_text(&text));
    vt_strbuf_free(&text);
    kit_close(&k);
    return copy;
}

/* Without a processor: one that every machine of the triple is, and for ARM of 32 bits the boards' vectors with it.
 * With one: what LLVM says that it has, of which vectors are a choice on some. A text that begins with "!" must not be
 * there. */
static const struct {
    vt_machine_spec machine;
    const char *parts[2];
} rows[] = {
    {{.triple = "x86_64-linux-gnu"}, {"addps", "!ymm"}},
    {{.triple = "x86_64-linux-gnu", .cpu = "generic"}, {"addps", "!ymm"}},
    {{.triple = "x86_64-linux-gnu", .cpu = "haswell"}, {"vaddps", "ymm"}},
    {{.triple = "x86_64-linux-gnu", .cpu = "haswell", .features = "-avx"}, {"addps", "!ymm"}},
    {{.triple = "x86_64-linux-gnu", .features = "+avx"}, {"vaddps", "ymm"}},
    {{.triple = "aarch64-linux-gnu"}, {"fadd\tv", ".4s"}},
    {{.triple = "armv7-none-linux-gnueabihf"}, {"vadd.f32\tq", "!vadd.f32\ts"}},
    {{.triple = "armv7-none-linux-gnueabihf", .features = "-neon"}, {"vadd.f32\ts", "!vadd.f32\tq"}},
    {{.triple = "armv7-none-linux-gnueabihf", .cpu = "cortex-a9"}, {"vadd.f32\ts", "!vadd.f32\tq"}},
    {{.triple = "armv7-none-linux-gnueabihf", .cpu = "cortex-a9", .features = "+neon"},
     {"vadd.f32\tq", "!vadd.f32\ts"}},
};

TEST_CASE(processors) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = instructions(rows[i].machine, 2);
        for (int k = 0; k < 2; k++) {
            const char *part = rows[i].parts[k];
            bool no = part[0] == '!';
            if ((strstr(text, part + no) != NULL) == no) fail_msg("row %zu: %s: %s", i, part, text);
        }
        free(text);
    }
}

/* Without a triple and a processor: this machine, with all that its processor has, or with the features asked for. */
TEST_CASE(this_machine) {
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    const vt_machine_spec pairs[][2] = {
        {{0}, {.triple = triple, .cpu = cpu, .features = features}},
        {{.features = ""}, {.triple = triple, .cpu = cpu}},
        {{.triple = triple}, {.cpu = "generic"}},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *got = instructions(pairs[i][0], 2), *want = instructions(pairs[i][1], 2);
        assert_same_text("instructions", got, want);
        free(got);
        free(want);
    }
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
}

int main(void) { return run_cases(); }
