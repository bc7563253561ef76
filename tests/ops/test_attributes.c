/* What an attribute is when it is not given, and which values it may have: an attribute of one name means the same in
 * every operator, so one row here stands for all of them. */
#include <stdint.h>
#include <string.h>

#include "support/check.h"

#include "vta/ops.h"

#define REQUIRED 0 /* below the least value */

static const struct {
    const char *op; /* "": of every operator that has it and has no row of its own above */
    const char *names;
    int64_t value, least, most;
} expected[] = {
    {"concat", "channels1 channels2 channels3 channels4 channels5 channels6 channels7", 0, 0, 1048576},
    {"concat", "channels0", REQUIRED, 1, 1048576},
    {"conv2d", "height width in_channels out_channels", REQUIRED, 1, 65536},
    {"conv2d_transpose", "height width in_channels out_channels", REQUIRED, 1, 65536},
    {"batch_matmul", "rows", REQUIRED, 1, 65536},
    {"leaky_relu", "by", 3, 0, 31},
    {"shift", "by", 8, 0, 31},
    {"clip", "low", -128, -32768, 32767},
    {"clip", "high", 127, -32768, 32767},
    {"upsample2d", "scale", 2, 1, 64},
    {"upsample2d", "scale_h scale_w", 0, 0, 64},
    {"", "features", REQUIRED, 2, 4096},
    {"", "mean", 1, 0, 1},
    {"", "epsilon", 0, 0, 32767},
    {"", "batch height width groups", 1, 1, 65536},
    {"", "channels in_features out_features", REQUIRED, 1, 1048576},
    {"", "kernel stride dilation", 1, 1, 255},
    {"", "kernel_h kernel_w stride_h stride_w dilation_h dilation_w pad pool pool_pad", 0, 0, 255},
    {"", "pad_top pad_bottom pad_left pad_right", -1, -1, 255},
    {"", "pool_stride", 2, 1, 255},
    {"", "output_pad_h output_pad_w", 0, 0, 254},
    {"", "fold", 0, -1, 2},
    {"", "wide of_channels count_include_pad in_beside out_beside weight_columns shares", 0, 0, 1},
};
#define EXPECTED_COUNT (sizeof expected / sizeof expected[0])

/* Whether a word is one of those of a list with spaces between. */
static bool listed(const char *words, const char *word) {
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static size_t row_of(const char *op, const char *attribute) {
    for (size_t i = 0; i < EXPECTED_COUNT; i++)
        if ((!*expected[i].op || !strcmp(expected[i].op, op)) && listed(expected[i].names, attribute)) return i;
    fail_msg("%s of %s has no row in this test", attribute, op);
    return 0;
}

TEST_CASE(attributes) {
    bool used[EXPECTED_COUNT] = {false};
    const vtac_op_attribute *a;
    for (size_t op = 0; vtac_operator_name(op); op++)
        for (size_t i = 0; (a = vtac_operator_attribute(op, i)); i++) {
            size_t row = row_of(vtac_operator_name(op), a->name);
            used[row] = true;
            if (a->value != expected[row].value || a->least != expected[row].least || a->most != expected[row].most)
                fail_msg("%s of %s: %lld, from %lld to %lld", a->name, vtac_operator_name(op), (long long)a->value,
                         (long long)a->least, (long long)a->most);
        }
    for (size_t i = 0; i < EXPECTED_COUNT; i++)
        if (!used[i]) fail_msg("no operator has \"%s\"", expected[i].names);
}

int main(void) { return run_cases(); }
