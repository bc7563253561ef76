/* The layers of a network in a profile: the page holds what was added, and what would not make a graph is refused. */
#include "support/diag.h"
#include "tsim/programs.h"
#include "vta/profile.h"

typedef struct fixture {
    vta_config *config;
    vta_profile *profile;
} fixture;

static void start(fixture *f) {
    vta_timing_profile timing;
    program p = alu_program(16, 2, 1, 0);
    f->config = vta_config_default();
    must(vta_timing_profile_get(NULL, diag, &timing));
    must(vta_profile_create(f->config, &timing, NULL, diag, &f->profile));
    must(vta_profile_add_run(f->profile, p.insns, p.count, 0x40000, diag));
    free(p.insns);
}

static void stop(fixture *f) {
    vta_profile_destroy(f->profile);
    vta_config_release(f->config);
}

/* The page's data has this between the report and the names of stages; NULL: no layers. */
static void expect_network(const fixture *f, const char *wanted) {
    char *page;
    must(vta_profile_html(f->profile, NULL, diag, &page));
    char *data = strstr(page, "id=\"data\">"), *network = strstr(data, "\"network\":"),
         *end = strstr(data, "\"names\":");
    assert_non_null(end);
    assert_int_equal(network != NULL, wanted != NULL);
    if (network) {
        assert_int_equal(network[-1], '\n');
        *end = '\0';
        assert_same_text("network", network, wanted);
    }
    vta_string_free(page);
}

static const uint32_t both[] = {0, 1};
static const vta_profile_layer layers[] = {
    {.name = "in", .seconds = 0.25}, /* on the host */
    {.name = "conv \"1\"",
     .kind = "call",
     .begin = 10,
     .end = 300,
     .compute_cycles = 150,
     .memory_cycles = 40,
     .bytes = 9,
     .inputs = both,
     .input_count = 1},
    {.name = "add", .kind = "sum", .begin = 400, .end = 500, .inputs = both, .input_count = 2},
};
static const char network[] =
    "\"network\":[\n"
    "{\"name\":\"in\",\"kind\":\"layer\",\"begin\":0,\"end\":0,\"compute\":0,\"memory\":0,\"bytes\":0,"
    "\"seconds\":0.25,\"from\":[]},\n"
    "{\"name\":\"conv \\\"1\\\"\",\"kind\":\"call\",\"begin\":10,\"end\":300,\"compute\":150,\"memory\":40,\"bytes\":9,"
    "\"seconds\":0,\"from\":[0]},\n"
    "{\"name\":\"add\",\"kind\":\"sum\",\"begin\":400,\"end\":500,\"compute\":0,\"memory\":0,\"bytes\":0,"
    "\"seconds\":0,\"from\":[0,1]}],\n";

static void add_layers(const fixture *f) {
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++)
        must(vta_profile_add_layer(f->profile, &layers[i], diag));
}

TEST_CASE(the_page_has_them_as_they_were_added) {
    fixture f;
    start(&f);
    expect_network(&f, NULL);
    add_layers(&f);
    expect_network(&f, network);
    stop(&f);
}

/* The first sentence is about the host where it computes a tenth of the time or more, and virtual threads are no
 * advice for a network, whose schedules are chosen. */
TEST_CASE(what_the_host_computes_comes_first) {
    static const struct {
        double first, second;
        const char *says;
    } rows[] = {{0.25, 0.75, "The host computes 1000.0 of 1000.0 ms (100 %), most of it in b (750.0 ms)"},
                {0.75, 0.25, "most of it in a (750.0 ms)"},
                {1e-12, 1e-12, NULL},
                {0, 0, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        char *text = NULL;
        start(&f);
        must(vta_profile_add_layer(f.profile, &(vta_profile_layer){.name = "a", .seconds = rows[i].first}, diag));
        must(vta_profile_add_layer(f.profile, &(vta_profile_layer){.name = "b", .seconds = rows[i].second}, diag));
        must(vta_profile_text(f.profile, diag, &text));
        if (rows[i].says && !strstr(text, rows[i].says)) fail_msg("%s", text);
        if (rows[i].says) assert_int_equal(strncmp(text, "The host computes", 17), 0);
        if (!rows[i].says) assert_null(strstr(text, "The host"));
        vta_string_free(text);
        stop(&f);
    }
}

TEST_CASE(what_makes_no_graph_is_refused) {
    static const uint32_t itself = 3, later[] = {2, 1, 4};
    fixture f;
    start(&f);
    add_layers(&f);
    const struct {
        vta_profile_layer layer;
        vta_status status;
        const char *says;
    } rows[] = {
        {{.kind = "call"}, VTA_INVALID_ARGUMENT, "vta_profile_add_layer: name is NULL"},
        {{.kind = "call", .inputs = both, .input_count = 2},
         VTA_INVALID_ARGUMENT,
         "vta_profile_add_layer: name is NULL"},
        {{.name = "x", .input_count = 1}, VTA_INVALID_ARGUMENT, "vta_profile_add_layer: inputs is NULL"},
        {{.name = "x", .inputs = &itself, .input_count = 1},
         VTA_OUT_OF_RANGE,
         "layer x: input 0 is layer 3, and 3 were added before it"},
        {{.name = "x", .inputs = later, .input_count = 3},
         VTA_OUT_OF_RANGE,
         "layer x: input 2 is layer 4, and 3 were added before it"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        says_error(vta_profile_add_layer(f.profile, &rows[i].layer, diag), rows[i].status, rows[i].says);
    says_error(vta_profile_add_layer(f.profile, NULL, diag), VTA_INVALID_ARGUMENT,
               "vta_profile_add_layer: layer is NULL");
    says_error(vta_profile_add_layer(NULL, &layers[0], diag), VTA_INVALID_ARGUMENT,
               "vta_profile_add_layer: profile is NULL");
    expect_network(&f, network); /* none of them was added */
    stop(&f);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
