/* Compiled code on a board whose cache is not coherent: the model of a board has memory twice, as the host and as
 * the accelerator see it, and only flush and invalidate copy between them. Kernel files, and random chains of stages
 * that the host and the accelerator compute in turns; without the barriers most of the chains are wrong. */
#include <dirent.h>
#include <stddef.h>

#include "support/check.h"

#include "build/programs.h"
#include "device/model_board.h"

static model_board board;

static vta_status run_on_board(machine *m, const char *name, uint64_t seed, vtac_check_result *result) {
    const te_tensor *args[8];
    const vta_device_options device = {.board = board.settings};
    const vtac_check_options options = {.seed = seed};
    size_t n = vtac_kernel_arg_count(m->kernel);
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(m->kernel, i);
    *result = (vtac_check_result){.size = sizeof *result};
    need(m, vta_runtime_reconfigure(m->config, "pynq", &(vta_runtime_options){.device = &device}, m->diag), name);
    return vtac_check(vtac_kernel_context(m->kernel), n, args, m->call, kDLExtDev, &options, m->diag, result);
}

static void compile(machine *m, const char *name, bool barriers) {
    static const char *const disabled[] = {"vta.CacheBarriers"};
    const vtac_lower_options lower = {
        .config = m->config, .disabled = disabled, .disabled_count = !barriers, .verify = 1};
    need(m, vtac_kernel_lower(m->kernel, &lower, &m->func), name);
    const vtac_build_func f = {.func = m->func};
    need(m, vtac_build(1, &f, &(vtac_build_options){.target = "vta"}, m->diag, &m->module), name);
    need(m, vtac_module_function(m->module, vtac_func_name(m->func), m->diag, &m->call), name);
}

/* ---- Kernel files ------------------------------------------------------------------------------------------------ */

static int refused; /* kernels with MUL or tables, which the boards do not have */

static bool is_refused(machine *m, vta_status status) {
    const char *text = vta_diag_text(m->diag);
    if (status == VTA_OK || !(strstr(text, "MUL exists in simulators only") || strstr(text, "has a table memory")))
        return false;
    refused++;
    return true;
}

static void run_file(const char *file) {
    machine m;
    vtac_check_result result;
    machine_config_for(&m, file, &shapes[0]);
    need(&m, vtac_kernel_load(file, NULL, m.config, NULL, m.diag, &m.kernel), file);
    if (strcmp(vtac_kernel_target(m.kernel), "vta") == 0) {
        compile(&m, file, true);
        vta_status status = run_on_board(&m, file, 1, &result);
        if (is_refused(&m, status))
            result.different = 0;
        else
            need(&m, status, file);
        if (result.different)
            fail_msg("%s: element %llu is %s, not %s", file, (unsigned long long)result.index, result.got,
                     result.expected);
    }
    machine_close(&m);
}

TEST_CASE(test_files) {
    static const char *const folders[] = {"examples", "tests/build/vta"};
    for (int i = 0; i < 2; i++) {
        DIR *dir = opendir(folders[i]);
        assert_non_null(dir);
        for (struct dirent *e; (e = readdir(dir));) {
            char path[160];
            size_t n = strlen(e->d_name);
            if (n < 4 || strcmp(e->d_name + n - 3, ".te") != 0) continue;
            snprintf(path, sizeof path, "%s/%.120s", folders[i], e->d_name);
            run_file(path);
        }
        closedir(dir);
    }
    assert_in_range(refused, 1, 3);
}

/* ---- Random chains ----------------------------------------------------------------------------------------------- */

static int pick(check_random *r, int least, int most) { return (int)check_between(r, least, most); }

static void add(vt_strbuf *to, const char *fmt, ...) {
    char line[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    vt_strbuf_add(to, line);
}

/* Tensors in DRAM: t0 is the input; of the others bit i of `small` says that ti has 8 bits. */
typedef struct chain {
    check_random random;
    vt_strbuf tensors, stages;
    unsigned small;
    int n;
} chain;

/* Each stage reads the one before it, so that none is useless; those of the host another one, too. */
static void by_processor(chain *c, const char *keyword) {
    int a = c->n - 1, b = pick(&c->random, 0, c->n - 1), small = *keyword == 'o' || pick(&c->random, 0, 1);
    add(&c->tensors, "%s t%d like t0 = %s(acc_t(t%d[...]) * %d + acc_t(t%d[...]))\n", keyword, c->n,
        small ? "inp_t" : "acc_t", a, pick(&c->random, 1, 3), b);
    c->small |= (unsigned)small << c->n++;
}

static void by_accelerator(chain *c, const char *keyword) {
    int i = c->n++;
    add(&c->tensors, "tensor b%d like t0 = acc_t(t%d[...])\n", i, i - 1);
    add(&c->tensors, "tensor y%d like t0 = %s(b%d[...], %d)\n", i, pick(&c->random, 0, 1) ? "max" : "min", i,
        pick(&c->random, -40, 40));
    add(&c->tensors, "%s t%d like t0 = inp_t(y%d[...])\n", keyword, i, i);
    add(&c->stages, "stage b%d\n  scope acc\n  pragma 0 dma_copy\nstage y%d\n  scope acc\n  pragma 0 alu\n", i, i);
    add(&c->stages, "stage t%d\n  pragma 0 dma_copy\n", i);
    c->small |= 1u << i;
}

static void draw(chain *c, uint64_t seed) {
    *c = (chain){.random = {.state = seed * 2654435761u + 7}, .n = 1};
    vt_strbuf_init(&c->tensors, NULL);
    vt_strbuf_init(&c->stages, NULL);
    add(&c->tensors, "kernel chain\ninput t0: acc_t[1, %d, BATCH, BLOCK_OUT]\n", pick(&c->random, 1, 20));
    int n = pick(&c->random, 3, 7);
    for (int i = 1; i <= n; i++) {
        const char *keyword = i == n ? "output" : "tensor";
        if (pick(&c->random, 0, 1))
            by_processor(c, keyword);
        else
            by_accelerator(c, keyword);
    }
    vt_strbuf_add(&c->tensors, vt_strbuf_text(&c->stages));
}

static uint64_t wrong_elements(const chain *c, uint64_t seed, bool barriers) {
    const char *text = vt_strbuf_text(&c->tensors);
    machine m;
    vtac_check_result result;
    machine_config(&m, &shapes[0]);
    need(&m, vtac_kernel_parse(text, strlen(text), "chain", NULL, m.config, NULL, m.diag, &m.kernel), text);
    compile(&m, text, barriers);
    need(&m, run_on_board(&m, text, seed, &result), text);
    machine_close(&m);
    return result.different;
}

TEST_CASE(test_chains) {
    enum { CHAINS = 60 };
    int wrong = 0;
    for (uint64_t seed = 0; seed < CHAINS; seed++) {
        chain c;
        draw(&c, seed);
        if (wrong_elements(&c, seed, true)) fail_msg("wrong values:\n%s", vt_strbuf_text(&c.tensors));
        wrong += wrong_elements(&c, seed, false) != 0;
        vt_strbuf_free(&c.tensors);
        vt_strbuf_free(&c.stages);
    }
    print_message("%d of %d chains are wrong without barriers\n", wrong, CHAINS);
    assert_true(wrong > CHAINS / 2);
}

static int begin(void **state) {
    (void)state;
    model_start(&board, "pynq");
    return 0;
}

static int end(void **state) {
    (void)state;
    model_stop(&board);
    return 0;
}

int main(void) { return run_cases_between(begin, end); }
