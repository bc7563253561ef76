/* The recorded call sequences: each program as a kernel file, compiled, run on the simulator with its race checker,
 * compared with its meaning, and the calls that it makes with those of TVM's VTA, byte for byte. */
#include "build/programs.h"

/* Recordings; a name's beginning says the configuration, the default one where it says none. */
static const char *const recordings[] = {
    "vadd",         "matmul",        "blocked",      "conv2d",      "conv2d_novt",  "save_load",
    "pad_y0",       "pad_x0",        "pad_y1",       "pad_x1",      "pad_all",      "gemm_default",
    "gemm_smt",     "alu_shl_imm",   "alu_shr_imm",  "alu_max_imm", "alu_add_imm",  "alu_max",
    "alu_add",      "relu",          "shift_scale",  "2x16_vadd",   "2x16_matmul",  "2x16_blocked",
    "2x16_conv2d",  "2x16_gemm_smt", "2x16_pad_all", "2x16_relu",   "4x8_vadd",     "4x8_matmul",
    "4x8_gemm_smt", "4x8_pad_all",   "1x32_vadd",    "1x32_matmul", "1x32_pad_all", "1x32_relu",
};

static const shape *shape_of(const char *name) {
    for (int i = 1; i < SHAPES; i++)
        if (strncmp(name, shapes[i].name, strlen(shapes[i].name)) == 0) return &shapes[i];
    return &shapes[0];
}

/* The tutorials' four programs are the examples; all others stand among the cases. */
static void file_of(const char *program, char *out, size_t size) {
    static const char *const examples[][2] = {
        {"vadd", "vector_add"}, {"matmul", "matmul"}, {"blocked", "blocked_matmul"}, {"conv2d", "conv2d"}};
    snprintf(out, size, "tests/kernel/cases/%s.te", program);
    for (int i = 0; i < 4; i++)
        if (strcmp(program, examples[i][0]) == 0) snprintf(out, size, "examples/%s.te", examples[i][1]);
}

static void test_recording(void **state) {
    const char *name = *state;
    const shape *s = shape_of(name);
    const char *program = s == &shapes[0] ? name : name + strlen(s->name) + 1;
    char file[64], recorded[64];
    machine m;
    vt_strbuf trace;
    file_of(program, file, sizeof file);
    snprintf(recorded, sizeof recorded, "calls/%s.calls", name);
    vt_strbuf_init(&trace, NULL);
    machine_open(&m, file, s, false);
    machine_check(&m, name, VTA_ORDER_PROGRAM, 7, &trace);
    golden_check(recorded, vt_strbuf_text(&trace));
    vt_strbuf_free(&trace);
    machine_close(&m);
}

int main(void) {
    enum { COUNT = sizeof recordings / sizeof *recordings };
    struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){recordings[i], test_recording, NULL, NULL, (void *)(uintptr_t)recordings[i]};
    return golden_result(cmocka_run_group_tests(tests, NULL, NULL));
}
