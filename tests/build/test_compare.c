/* What vtac_check says of results: each bit that differs is seen, and zeros of both signs are the same floats. */
#include "support/check.h"

#include "vta/build.h"

enum { ELEMENTS = 6 };

/* Writes `pattern` at `place` of the result, which is zeros but for that. */
static struct {
    size_t unit, place;
    uint64_t pattern;
} wrong;

static int write_result(TVMValue *args, int *codes, int count, TVMValue *value, int *value_code, void *resource) {
    (void)codes, (void)value, (void)value_code, (void)resource;
    const DLTensor *y = args[count - 1].v_handle;
    uint8_t *to = (uint8_t *)y->data + y->byte_offset;
    memset(to, 0, ELEMENTS * wrong.unit);
    memcpy(to + wrong.place * wrong.unit, &wrong.pattern, wrong.unit);
    return 0;
}

/* How many elements differ from zeros. */
static vtac_check_result compare(const char *dtype) {
    vta_config *config = vta_config_default();
    te_context *c = te_context_create(config, NULL);
    char body[64];
    snprintf(body, sizeof body, "%s(0)", dtype);
    const te_tensor *y = te_compute(c, "y", 1, (int64_t[]){ELEMENTS}, "i", body);
    vtac_check_result result = {.size = sizeof result};
    vta_diag *diag = vta_diag_create(NULL);
    if (vtac_check(c, 1, &y, write_result, kDLCPU, NULL, diag, &result) != VTA_OK)
        fail_msg("%s: %s", dtype, vta_diag_text(diag));
    vta_diag_destroy(diag);
    te_context_destroy(c);
    vta_config_release(config);
    return result;
}

TEST_CASE(every_bit_counts) {
    static const struct {
        const char *dtype;
        size_t unit;
        bool real;
    } types[] = {{"int8", 1, false},  {"uint8", 1, false},  {"int16", 2, false}, {"int32", 4, false},
                 {"int64", 8, false}, {"float32", 4, true}, {"float64", 8, true}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t bit = 0; bit <= 8 * types[t].unit; bit++) {
            bool none = bit == 8 * types[t].unit, minus_zero = types[t].real && bit + 1 == 8 * types[t].unit;
            wrong.unit = types[t].unit;
            wrong.place = bit % ELEMENTS;
            wrong.pattern = none ? 0 : UINT64_C(1) << bit;
            vtac_check_result r = compare(types[t].dtype);
            if (r.elements != ELEMENTS || r.different != !(none || minus_zero))
                fail_msg("%s, bit %zu: %d of %d differ", types[t].dtype, bit, (int)r.different, (int)r.elements);
        }
}

int main(void) { return run_cases(); }
