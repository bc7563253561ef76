/* ONNX's own tests of single operators: read, evaluated, compared with the recorded outputs. What is not supported must
 * be refused by name, and stands here. */
#include "build.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/eval/eval.h"
#include "frontend/onnx/onnx.h"
#include "frontend/pass/pass.h"
#include "support/shared.h"

enum { TESTS = 79 };

/* Training, which an accelerator for inference has no use for. */
static const struct {
    const char *name, *words;
} refused[] = {
    {"test_batchnorm_epsilon_training_mode",
     "(BatchNormalization): attribute training_mode: its value is not supported"},
    {"test_batchnorm_example_training_mode",
     "(BatchNormalization): attribute training_mode: its value is not supported"},
};

static const char *words_for(const char *name) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!strcmp(refused[i].name, name)) return refused[i].words;
    return NULL;
}

typedef struct node_test {
    world w;
    char folder[GOLDEN_PATH + 256];
    char *bytes; /* of the model */
    const char *name;
    const vt_graph *g;
} node_test;

static vt_gvalue *tensor(node_test *t, const char *kind, uint32_t i) {
    char path[GOLDEN_PATH + 320];
    size_t size;
    snprintf(path, sizeof path, "%s/test_data_set_0/%s_%u.pb", t->folder, kind, (unsigned)i);
    char *bytes = check_read_file(path, &size);
    vt_gvalue *v = vt_onnx_read_tensor(t->w.g, bytes, size, path);
    free(bytes);
    return v;
}

/* Floats within a relative error of 1e-5; everything else is equal. */
static void compare(const node_test *t, const vt_gvalue *want, const vt_gtype *type, const void *got) {
    char a[VT_GTYPE_TEXT], b[VT_GTYPE_TEXT];
    if (!vt_gtype_equal(&want->type, type))
        fail_msg("%s: %s, should be %s", t->name, vt_gtype_text(type, a), vt_gtype_text(&want->type, b));
    vt_gvalue mine = {.type = *type, .data = got};
    for (size_t i = 0; i < (size_t)vt_gtype_count(type); i++) {
        double x = vt_gelement_at(&mine, i), y = vt_gelement_at(want, i);
        double bound = type->element == VT_ELEMENT_F32 ? 1e-5 * fabs(y) + 1e-6 : 0;
        if (!(fabs(x - y) <= bound) && !(isnan(x) && isnan(y)))
            fail_msg("%s: element %zu is %.9g, should be %.9g", t->name, i, x, y);
    }
}

static void evaluate(node_test *t, const vt_graph *g) {
    vt_eval *e;
    assert_int_equal(vt_eval_open(g, NULL, NULL, t->w.diag, &e), VTA_OK);
    for (uint32_t i = 0; i < g->inputs.count; i++) vt_eval_input(e, i, tensor(t, "input", i)->data);
    if (vt_eval_run(e, t->w.diag) != VTA_OK) fail_msg("%s: %s", t->name, vta_diag_text(t->w.diag));
    for (uint32_t i = 0; i < g->outputs.count; i++)
        compare(t, tensor(t, "output", i), &g->outputs.item[i]->type, vt_eval_value(e, g->outputs.item[i]));
    vt_eval_close(e);
}

static vta_status body(vt_ctx *ctx, void *arg) {
    node_test *t = arg;
    char path[GOLDEN_PATH + 320];
    size_t size;
    snprintf(path, sizeof path, "%s/model.onnx", t->folder);
    t->bytes = check_read_file(path, &size);
    vt_onnx_options options = {.name = t->name};
    t->g = vt_onnx_read(ctx, t->bytes, size, &options);
    evaluate(t, t->g);
    evaluate(t, vt_graph_run_passes(t->g, NULL, NULL));
    return VTA_OK;
}

static bool run(const char *folder, const char *name) {
    node_test t = {.name = name};
    const char *words = words_for(name);
    snprintf(t.folder, sizeof t.folder, "%s/%s", folder, name);
    world_open(&t.w);
    vta_status status = vt_protect(&t.w.ctx, body, &t);
    free(t.bytes);
    const char *said = vta_diag_text(t.w.diag);
    if (words ? status != VTA_UNSUPPORTED || !strstr(said, words) : status != VTA_OK)
        fail_msg("%s: %d, %s", name, (int)status, said);
    world_close(&t.w);
    return words == NULL;
}

TEST_CASE(test_all) {
    char folder[GOLDEN_PATH];
    struct dirent **entries;
    int passed = 0, all = 0;
    shared_path("models/onnx-node-tests", folder);
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (!strncmp(entries[i]->d_name, "test_", 5)) {
            passed += run(folder, entries[i]->d_name);
            all++;
        }
        free(entries[i]);
    }
    free(entries);
    print_message("%d of %d tests give the recorded outputs, the others are refused by name\n", passed, all);
    assert_true(all >= TESTS);
    assert_int_equal(all - passed, sizeof refused / sizeof *refused);
}

int main(void) { return golden_result(run_cases()); }
