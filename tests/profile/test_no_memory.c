/* Every report of a profile when memory runs out at any allocation. */
#include "support/no_memory.h"
#include "tsim/programs.h"
#include "vta/profile.h"

static program stream; /* made once: its memory is not the library's */

static const char *source_of(void *user, size_t run, size_t insn) {
    (void)user;
    (void)run;
    return insn % 2 ? "stage i=0" : NULL;
}

static vta_status read_uops(void *user, size_t run, uint32_t addr, void *to, size_t bytes) {
    (void)user;
    (void)run;
    memset(to, (int)(addr / 4 % 2), bytes);
    return VTA_OK;
}

static vta_status add_layers(vta_profile *p) {
    static const uint32_t first[] = {0};
    static const vta_profile_layer layers[] = {
        {.name = "in"}, {.name = "conv", .kind = "call", .end = 9, .inputs = first, .input_count = 1}};
    vta_status status = vta_profile_add_layer(p, &layers[0], NULL);
    return status == VTA_OK ? vta_profile_add_layer(p, &layers[1], NULL) : status;
}

typedef vta_status (*report)(const vta_profile *profile, char **out_text);
static report current;

static vta_status as_text(const vta_profile *p, char **out) { return vta_profile_text(p, NULL, out); }
static vta_status as_json(const vta_profile *p, char **out) { return vta_profile_json(p, NULL, out); }
static vta_status as_trace(const vta_profile *p, char **out) { return vta_profile_trace(p, NULL, out); }
static vta_status as_html(const vta_profile *p, char **out) { return vta_profile_html(p, "t", NULL, out); }
static vta_status as_svg(const vta_profile *p, char **out) { return vta_profile_svg(p, "t", 800, 0, 0, NULL, out); }

static vta_status made(void) {
    vta_config *config = vta_config_default();
    vta_profile *profile = NULL;
    vta_timing_profile timing;
    char *text = NULL;
    if (!config) return VTA_NO_MEMORY;
    vta_status status = vta_timing_profile_get(NULL, NULL, &timing);
    if (status == VTA_OK) status = vta_profile_create(config, &timing, NULL, NULL, &profile);
    if (status == VTA_OK) {
        vta_profile_set_source(profile, source_of, NULL);
        vta_profile_set_reader(profile, read_uops, NULL);
        status = vta_profile_add_segment(profile, 64 * 64, 64 * 64, "a", NULL);
    }
    if (status == VTA_OK) status = add_layers(profile);
    if (status == VTA_OK) status = vta_profile_add_run(profile, stream.insns, stream.count, 0x40000, NULL);
    if (status == VTA_OK) status = current(profile, &text);
    assert_int_equal(status == VTA_OK, text != NULL);
    if (status != VTA_OK && profile) assert_in_range(vta_profile_run_count(profile), 0, 1);
    vta_string_free(text);
    vta_profile_destroy(profile);
    vta_config_release(config);
    return status;
}

TEST_CASE(every_report) {
    static const report reports[] = {as_text, as_json, as_trace, as_html, as_svg};
    stream = alu_program(16, 2, 1, 0);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        current = reports[i];
        check_every_allocation(made);
    }
    free(stream.insns);
}

int main(void) { return run_cases(); }
