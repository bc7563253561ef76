/* Random operators on random configurations against their definition (vtac_op_check): `random_operators FIRST COUNT`.
 *
 * Every operator of vta ops, shapes, epilogues, widths of 4 to 16 bits, blocks and batches. Each is run with the race
 * checker on, in a random legal order, on one engine or the other, on random and on extreme inputs; every fourth is
 * proven besides. Refusals are counted by their words, and at most --refused-most per cent may be. The definition is
 * the library's: tests/ops/test_random.c and test_tiles.c compare with loops of their own. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vta/module.h"
#include "vta/ops.h"
#include "vta/runtime.h"

static uint64_t state;
static int pick(int least, int most) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return least + (int)((state >> 33) % (uint64_t)(most - least + 1));
}

/* ---- One case ---- */

typedef struct instance {
    const char *name;
    char set[256], text[768];
    bool products; /* a sum of products: weights may be narrow, steps may add by GEMM */
    bool inputs_narrow;
} instance;

static void add(char *to, size_t size, const char *fmt, ...) {
    va_list args;
    size_t at = strlen(to);
    va_start(args, fmt);
    vsnprintf(to + at, size - at, fmt, args);
    va_end(args);
}
#define TEXT(...) add(s->text, sizeof s->text, __VA_ARGS__)

/* Buffers of 2^7 to 2^11 elements, whose indices a micro-op holds. */
static void draw_configuration(instance *s) {
    static const int inputs[] = {3, 3, 3, 4, 4, 2}, weights[] = {3, 3, 4, 2};
    int inp = inputs[pick(0, 5)], wgt = weights[pick(0, s->products ? 3 : 2)];
    int batch = pick(0, 5) ? pick(0, 1) : 2, in = pick(2, 5), out = pick(0, 1) ? in : pick(2, 5);
    if (!strcmp(s->name, "concat") && inp < 3) inp = 3;
    add(s->set, sizeof s->set, "LOG_INP_WIDTH=%d LOG_WGT_WIDTH=%d LOG_BATCH=%d LOG_BLOCK_IN=%d LOG_BLOCK_OUT=%d ", inp,
        wgt, batch, in, out);
    add(s->set, sizeof s->set, "LOG_INP_BUFF_SIZE=%d LOG_WGT_BUFF_SIZE=%d LOG_ACC_BUFF_SIZE=%d",
        pick(9, 11) + inp + batch + in - 3, pick(8, 10) + wgt + in + out - 3, pick(9, 11) + 5 + batch + out - 3);
}

static void draw_window(instance *s, int height, int width, bool poolable) {
    int kh = pick(1, height < 5 ? height : 5), kw = pick(1, width < 5 ? width : 5);
    if (poolable && pick(0, 3) == 0) kh = pick(1, height), kw = pick(1, width);
    TEXT(" kernel_h=%d kernel_w=%d stride_h=%d stride_w=%d", kh, kw, pick(1, 3), pick(1, 3));
    if (pick(0, 1))
        TEXT(" pad_top=%d pad_bottom=%d pad_left=%d pad_right=%d", pick(0, kh - 1), pick(0, kh - 1), pick(0, kw - 1),
             pick(0, kw - 1));
}

static void draw_conv(instance *s, bool transposed) {
    int height = pick(1, 12), width = pick(1, 12), groups = !transposed && pick(0, 3) == 0 ? pick(2, 5) : 1;
    TEXT("batch=%d height=%d width=%d in_channels=%d out_channels=%d", pick(1, 3), height, width, groups * pick(1, 20),
         groups * pick(1, 20));
    if (groups > 1) TEXT(" groups=%d", groups);
    draw_window(s, height, width, false);
    if (!transposed && groups == 1 && pick(0, 2) == 0) TEXT(" fold=%d", pick(-1, 2));
}

/* Images whose windows have up to a thousand elements, and seldom more. */
static void draw_image(instance *s, int *height, int *width, int most) {
    *height = pick(1, most), *width = pick(1, most);
    TEXT("batch=%d channels=%d height=%d width=%d", pick(1, 4), pick(1, 40), *height, *width);
}

static void draw_shape(instance *s) {
    int height, width;
    if (!strncmp(s->name, "conv2d", 6)) {
        draw_conv(s, s->name[6] != 0);
    } else if (!strcmp(s->name, "dense")) {
        TEXT("batch=%d in_features=%d out_features=%d", pick(1, 9), pick(1, 300), pick(1, 60));
    } else if (!strcmp(s->name, "batch_matmul")) {
        int in = pick(1, 60), out = pick(1, 60);
        TEXT("batch=%d rows=%d in_features=%d out_features=%d", pick(1, 4), pick(1, 9), in, out);
        if (in % 32 == 0) TEXT(" in_beside=%d", pick(0, 1));
        TEXT(" weight_columns=%d shares=%d", pick(0, 1), pick(0, 3) == 0);
    } else if (!strcmp(s->name, "row_moments") || !strcmp(s->name, "layer_norm")) {
        int mean = pick(0, 1), features = mean ? 32 * pick(1, 4) : pick(2, 100);
        TEXT("batch=%d features=%d mean=%d", pick(1, 40), features, mean);
        if (*s->name == 'l') TEXT(" epsilon=%d", pick(0, 1) ? pick(0, 32767) : 0);
    } else if (!strcmp(s->name, "concat")) {
        TEXT("batch=%d height=%d width=%d", pick(1, 4), pick(1, 6), pick(1, 6));
        for (int i = 0, n = pick(1, 8); i < n; i++) TEXT(" channels%d=%d", i, pick(1, 40));
    } else {
        bool windows = strstr(s->name, "pool2d") != NULL, global = !strcmp(s->name, "global_avg_pool2d");
        draw_image(s, &height, &width, windows ? 15 : 7);
        if (windows && !global) draw_window(s, height, width, !strcmp(s->name, "avg_pool2d"));
        if (!strcmp(s->name, "avg_pool2d") && pick(0, 1)) TEXT(" count_include_pad=1");
        if (!strcmp(s->name, "upsample2d")) TEXT(" scale_h=%d scale_w=%d", pick(1, 3), pick(1, 3));
        if (!strcmp(s->name, "shift") || !strcmp(s->name, "leaky_relu")) TEXT(" by=%d", pick(0, 31));
        if (!strcmp(s->name, "clip")) TEXT(" low=%d high=%d", pick(-32768, 0), pick(0, 32767));
        if (!windows && strcmp(s->name, "upsample2d") != 0 && pick(0, 2) == 0) TEXT(" wide=1");
    }
}

static void draw_step(instance *s) {
    int low = pick(-32768, 32767);
    switch (pick(0, s->products ? 16 : 14)) {
    case 0: TEXT("shift:%d", pick(0, 31)); return;
    case 1: TEXT("round_shift:%d", pick(2, 31)); return;
    case 2: TEXT("clip:-%d:%d,requantize:%d:%d", pick(1, 32767), pick(1, 32767), pick(1, 32767), pick(1, 31)); return;
    case 3: TEXT("relu"); return;
    case 4: TEXT("leaky:%d", pick(1, 31)); return;
    case 5: TEXT("clip"); return;
    case 6: TEXT("clip:%d:%d", low, pick(low, 32767)); return;
    case 7: TEXT("add:%d", low); return;
    case 8: TEXT("multiply:%d", low ? low : 1); return;
    case 9: TEXT("min:%d", low); return;
    case 10: TEXT("max:%d", low); return;
    case 11: TEXT(pick(0, 1) ? "bias" : "bias:%d,round_shift:%d", pick(1, 1 << 20), pick(2, 20)); return;
    case 12: TEXT("multiply_channel"); return;
    case 13: TEXT("shift_channel"); return;
    case 14: TEXT("residual"); return;
    case 15: TEXT("bias_int8:%d", pick(1, 3)); return;
    default: TEXT("residual_int8:%d", pick(0, 1) ? pick(-8, -1) : pick(1, 7)); return;
    }
}

static instance draw(uint64_t seed) {
    instance one = {.name = NULL}, *s = &one;
    size_t operators = 0;
    state = seed * 2862933555777941757u + 3037000493u;
    for (int i = 0; i < 8; i++) pick(0, 1);
    while (vtac_operator_name(operators)) operators++;
    s->name = vtac_operator_name((size_t)pick(0, (int)operators - 1));
    s->products = !strncmp(s->name, "conv2d", 6) || !strcmp(s->name, "dense") || !strcmp(s->name, "batch_matmul");
    draw_configuration(s);
    draw_shape(s);
    bool bare = !strcmp(s->name, "concat") || !strcmp(s->name, "row_moments");
    for (int i = 0, n = bare ? 0 : pick(0, 4); i < n; i++) {
        TEXT(i ? "," : " epilogue=");
        draw_step(s);
    }
    if (pick(0, 2) == 0) TEXT(" narrow=%s", vtac_narrow_name((size_t)pick(0, 1)));
    return one;
}

/* ---- Running it ---- */

typedef enum outcome { RIGHT, REFUSED, WRONG } outcome;

typedef struct tally {
    char words[96];
    int count;
} tally;
enum { TALLIES = 64 };
static tally refusals[TALLIES];

/* By what they say without numbers. */
static void count_refusal(const char *text) {
    char words[96] = "";
    size_t n = 0;
    for (const char *at = text; *at && n < sizeof words - 1; at++)
        if (*at < '0' || *at > '9') words[n++] = *at;
    words[n < 60 ? n : 60] = 0;
    for (tally *t = refusals; t < refusals + TALLIES; t++) {
        if (t->count && strcmp(t->words, words) != 0) continue;
        memcpy(t->words, words, sizeof words);
        t->count++;
        return;
    }
}

static outcome wrong(const instance *s, uint64_t seed, const vtac_op *op, const char *what) {
    printf("seed %llu: vta op %s %s with %s\n%s\n%s\n", (unsigned long long)seed, s->name, s->text, s->set, what,
           op && vtac_op_text(op) ? vtac_op_text(op) : "");
    return WRONG;
}

static outcome run(const instance *s, uint64_t seed, const vtac_op *op, vta_diag *diag, const vta_config *config) {
    char what[256] = "";
    vta_runtime *runtime;
    vta_device_options device = {.check = true,
                                 .order = VTA_ORDER_RANDOM,
                                 .seed = seed,
                                 .engine = seed % 2 ? VTA_ENGINE_FAST : VTA_ENGINE_REFERENCE};
    vta_runtime_options options = {.device = &device};
    vtac_check_options check = {.seed = seed};
    vtac_check_result result = {0};
    vtac_prove_result proof = {0};
    if (vta_runtime_create(config, "sim", &options, NULL, diag, &runtime) != VTA_OK)
        return wrong(s, seed, op, vta_diag_text(diag));
    vta_runtime_use(runtime);
    vta_status status = vtac_op_check(op, kDLExtDev, &check, diag, &result);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
    if (status != VTA_OK) return wrong(s, seed, op, vta_diag_text(diag));
    if (result.different) {
        snprintf(what, sizeof what, "%llu elements differ; the first at %llu is %s and should be %s",
                 (unsigned long long)result.different, (unsigned long long)result.index, result.got, result.expected);
        return wrong(s, seed, op, what);
    }
    if (seed % 4 || !strcmp(s->name, "concat")) return RIGHT;
    status = vtac_op_prove(op, NULL, diag, &proof);
    if (status == VTA_OK && proof.verdict == VTAC_PROVEN) return RIGHT;
    return wrong(s, seed, op, status == VTA_OK ? proof.reason : vta_diag_text(diag));
}

static outcome try_one(uint64_t seed) {
    instance s = draw(seed);
    vta_config *plain = vta_config_default(), *config = NULL;
    vta_diag *diag = vta_diag_create(NULL);
    vtac_op *op = NULL;
    vtac_op_options options = {.tries = 1 + (uint32_t)(seed % 2)};
    vtac_op_result result = {0};
    outcome is = REFUSED;
    vta_status status = vta_config_with(plain, s.set, diag, &config);
    if (status == VTA_OK) status = vtac_op_create(s.name, s.text, config, NULL, diag, &op);
    if (status == VTA_OK) status = vtac_op_schedule(op, &options, diag, &result);
    bool expected = status == VTA_UNSUPPORTED || status == VTA_OUT_OF_RANGE || status == VTA_INVALID_ARGUMENT;
    if (status == VTA_OK)
        is = result.refused ? wrong(&s, seed, op, "the compiler refused a schedule") : run(&s, seed, op, diag, config);
    else if (expected)
        count_refusal(vta_diag_text(diag));
    else
        is = wrong(&s, seed, op, vta_diag_text(diag));
    vtac_op_destroy(op);
    vta_config_release(config);
    vta_config_release(plain);
    vta_diag_destroy(diag);
    return is;
}

int main(int argc, char **argv) {
    uint64_t outcomes[3] = {0}, most = 100;
    if (argc == 5 && !strcmp(argv[1], "--refused-most")) most = strtoull(argv[2], NULL, 10), argv += 2, argc -= 2;
    if (argc != 3) {
        fprintf(stderr, "usage: random_operators [--refused-most PERCENT] FIRST-SEED COUNT\n");
        return 2;
    }
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++) {
        outcomes[try_one(seed)]++;
        fflush(stdout);
    }
    printf("%llu right, %llu refused, %llu wrong\n", (unsigned long long)outcomes[RIGHT],
           (unsigned long long)outcomes[REFUSED], (unsigned long long)outcomes[WRONG]);
    for (const tally *t = refusals; t < refusals + TALLIES && t->count; t++) printf("%6d %s\n", t->count, t->words);
    if (outcomes[REFUSED] * 100 > most * count) printf("more than %llu %% are refused\n", (unsigned long long)most);
    return outcomes[WRONG] || outcomes[REFUSED] * 100 > most * count;
}
