/* The kernel files of tests/random/cases: what random programs have found, shrunk, and what was found otherwise. Each
 * one gives the right numbers in the three orders with the race checker on, twice in the same process. A comment
 * `# config: LOG_BATCH=1` changes the configuration; `# refused: WORDS` says that it is refused when it is built, with
 * these words in the message. */
#include <dirent.h>

#include "support/check.h"
#include "vta/build.h"

static const char folder[] = VT_SOURCE_DIR "/tests/random/cases";

/* What stands behind `# KEY: ` in a line of its own; NULL: no such line. */
static const char *comment(const char *text, const char *key) {
    static char value[2][256];
    static int which;
    char prefix[32];
    snprintf(prefix, sizeof prefix, "# %s: ", key);
    const char *line = strstr(text, prefix);
    if (!line) return NULL;
    which = !which;
    line += strlen(prefix);
    snprintf(value[which], sizeof value[which], "%.*s", (int)strcspn(line, "\n"), line);
    return value[which];
}

/* NULL when it is refused. */
static vtac_module *build(vtac_kernel *k, vta_diag *diag, vta_packed_function *out_function) {
    const vtac_func *f;
    vtac_module *module;
    vtac_lower_options options = {.config = te_context_config(vtac_kernel_context(k)), .verify = 1};
    if (vtac_kernel_lower(k, &options, &f) != VTA_OK) return NULL;
    vtac_build_func bf = {.func = f};
    if (vtac_build(1, &bf, NULL, diag, &module) != VTA_OK) return NULL;
    assert_int_equal(vtac_module_function(module, vtac_func_name(f), diag, out_function), VTA_OK);
    return module;
}

static void run_orders(const char *name, vtac_kernel *k, vta_packed_function function, vta_diag *diag) {
    const te_tensor *args[16];
    size_t n = vtac_kernel_arg_count(k);
    assert_true(n <= 16);
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(k, i);
    te_context *c = vtac_kernel_context(k);
    vta_runtime *runtime;
    assert_int_equal(vta_runtime_create(te_context_config(c), "sim", NULL, NULL, diag, &runtime), VTA_OK);
    vta_runtime_use(runtime);
    for (uint32_t round = 0; round < 6; round++) {
        vta_device_options device = {.check = true, .order = round % 3, .seed = round};
        vtac_check_options check = {.seed = round};
        vtac_check_result result = {.size = sizeof result};
        assert_int_equal(vta_runtime_set_device_options(runtime, &device, diag), VTA_OK);
        if (vtac_check(c, n, args, function, kDLExtDev, &check, diag, &result) != VTA_OK)
            fail_msg("%s, order %u: %s", name, round % 3, vta_diag_text(diag));
        if (result.different)
            fail_msg("%s, order %u: element %llu is %s, not %s", name, round % 3, (unsigned long long)result.index,
                     result.got, result.expected);
    }
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
}

static void check_case(const char *name) {
    char path[512];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = check_read_file(path, &size);
    const char *changes = comment(text, "config"), *refusal = comment(text, "refused");
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *base = vta_config_default(), *config;
    assert_int_equal(vta_config_with(base, changes ? changes : "", diag, &config), VTA_OK);
    vtac_kernel *k;
    if (vtac_kernel_parse(text, size, name, NULL, config, NULL, diag, &k) != VTA_OK)
        fail_msg("%s: %s", name, vta_diag_text(diag));
    vta_packed_function function;
    vtac_module *module = build(k, diag, &function);
    if (refusal) {
        if (module) fail_msg("%s is not refused", name);
        assert_contains(vta_diag_text(te_context_diag(vtac_kernel_context(k))), refusal);
    } else {
        if (!module)
            fail_msg("%s: %s%s", name, vta_diag_text(te_context_diag(vtac_kernel_context(k))), vta_diag_text(diag));
        run_orders(name, k, function, diag);
    }
    vtac_module_destroy(module);
    vtac_kernel_destroy(k);
    vta_config_release(config);
    vta_config_release(base);
    vta_diag_destroy(diag);
    free(text);
}

TEST_CASE(cases_compute_the_same) {
    DIR *d = opendir(folder);
    assert_non_null(d);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".te")) {
            check_case(e->d_name);
            n++;
        }
    closedir(d);
    assert_true(n > 0);
}

int main(void) { return run_cases(); }
