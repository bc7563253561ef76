/* Models and instances, on an artifact made by hand. */
#include <pthread.h>
#include <unistd.h>

#include "small.h"

static vta_diag *diag;
#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != VTA_OK) fail_msg("%s: %s", #call, vta_diag_text(diag));                                          \
    } while (0)

static vta_model *parse(void) {
    size_t size;
    uint8_t *bytes = small_artifact(&size);
    vta_model *model;
    MUST(vta_model_parse(bytes, size, "small.vta-model", NULL, diag, &model));
    vta_string_free(bytes);
    return model;
}

static vta_instance *create(vta_model *model, const char *driver, bool copies) {
    vta_instance *in;
    MUST(vta_instance_create(model, &(vta_instance_options){.driver = driver, .no_host_view = copies}, diag, &in));
    return in;
}

static void check_sum(vta_instance *in, int from) {
    int8_t x[ELEMENTS], y[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) x[i] = (int8_t)(from + 7 * i);
    MUST(vta_instance_set_input(in, 0, x, sizeof x, diag));
    MUST(vta_instance_run(in, diag));
    MUST(vta_instance_get_output(in, 0, y, sizeof y, diag));
    for (int i = 0; i < ELEMENTS; i++) assert_int_equal(y[i], (int8_t)(x[i] + 8));
}

static void runs(void **state) {
    (void)state;
    static const char *const drivers[] = {"sim", "tsim", NULL};
    vta_model *model = parse();
    for (int d = 0; d < 3; d++)
        for (int copies = 0; copies < 2; copies++) {
            vta_instance *in = create(model, drivers[d], copies);
            assert_ptr_equal(vta_instance_model(in), model);
            for (int from = -3; from < 3; from++) check_sum(in, from * 40);
            vta_instance_destroy(in);
        }
    vta_model_release(model);
}

/* y = x + 8, and y is the next x. */
static void carried(void **state) {
    (void)state;
    vta_model *model = parse();
    for (int copies = 0; copies < 2; copies++) {
        vta_instance *in = create(model, "sim", copies);
        int8_t x[ELEMENTS];
        const int8_t *y = vta_instance_output_data(in, 0);
        check_sum(in, 5);
        MUST(vta_instance_carry(in, 0, 0, diag)); /* what was there before does not count */
        for (int run = 1; run <= 5; run++) {
            MUST(vta_instance_run(in, diag));
            for (int i = 0; i < ELEMENTS; i++) assert_int_equal(y[i], 8 * run);
        }
        for (int i = 0; i < ELEMENTS; i++) x[i] = (int8_t)i;
        MUST(vta_instance_set_input(in, 0, x, sizeof x, diag));
        for (int run = 1; run <= 3; run++) MUST(vta_instance_run(in, diag));
        for (int i = 0; i < ELEMENTS; i++) assert_int_equal(y[i], i + 24);
        vta_instance_restart(in);
        MUST(vta_instance_run(in, diag));
        for (int i = 0; i < ELEMENTS; i++) assert_int_equal(y[i], 8);
        vta_instance_destroy(in);
    }
    vta_model_release(model);
}

/* Another type, or more of it. */
static void not_carried(void **state) {
    (void)state;
    static const int64_t half[] = {1, LANES, 2, 1};
    for (int k = 0; k < 2; k++) {
        small s;
        size_t size;
        vta_model *model;
        small_make(&s);
        if (k == 0)
            s.output.view.type = (DLDataType){kDLUInt, 8, 1};
        else
            s.output.view.shape = half, s.output.view.bytes /= 2;
        uint8_t *bytes = small_write(&s, NULL, &size);
        MUST(vta_model_parse(bytes, size, "small.vta-model", NULL, diag, &model));
        vta_string_free(bytes);
        small_free(&s);
        vta_instance *in = create(model, "sim", false);
        assert_int_equal(vta_instance_carry(in, 0, 0, diag), VTA_MISMATCH);
        assert_non_null(strstr(vta_diag_text(diag), k ? "it has 32 bytes of 8 bits each, the input 64 of 8"
                                                      : "the input 64 of 8, of another kind"));
        vta_diag_clear(diag);
        vta_instance_destroy(in);
        vta_model_release(model);
    }
}

/* The stream of the artifact has no race and leaves no token. */
static void is_clean(void **state) {
    (void)state;
    vta_model *model = parse();
    vta_instance *in;
    const vta_device_options check = {.check = true};
    MUST(vta_instance_create(model, &(vta_instance_options){.driver = "sim", .device = &check}, diag, &in));
    check_sum(in, 1);
    vta_instance_destroy(in);
    vta_model_release(model);
}

static void questions(void **state) {
    (void)state;
    vta_model *model = parse();
    vta_model_tensor t = {0};
    assert_string_equal(vta_model_name(model), "small");
    assert_string_equal(vta_model_triple(model), "");
    assert_string_equal(vta_config_bitstream(vta_model_config(model)), "1x16_i8w8a32_15_15_18_17");
    assert_int_equal(vta_model_input_count(model), 1);
    assert_int_equal(vta_model_output_count(model), 1);
    MUST(vta_model_input(model, 0, &t));
    assert_string_equal(t.name, "x");
    assert_int_equal(t.ndim, 4);
    assert_int_equal(t.shape[1], LANES);
    assert_int_equal(t.bytes, ELEMENTS);
    assert_int_equal(t.type.bits, 8);
    MUST(vta_model_output(model, 0, &t));
    assert_string_equal(t.name, "y");
    assert_int_equal(vta_model_input(model, 1, &t), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_model_find_input(model, "x"), 0);
    assert_int_equal(vta_model_find_input(model, "y"), SIZE_MAX);
    assert_int_equal(vta_model_find_output(model, "y"), 0);
    size_t size;
    const char *labels = vta_model_section(model, "labels", &size);
    assert_memory_equal(labels, "cat\ndog\n", 8);
    assert_int_equal(size, 8);
    assert_null(vta_model_section(model, "none", &size));
    assert_int_equal(size, 0);
    vta_model_memory m = {0};
    MUST(vta_model_get_memory(model, &m));
    assert_int_equal(m.device_bytes, BYTES);
    assert_int_equal(m.work_bytes, BYTES - X_AT);
    assert_int_equal(m.params_bytes, 64);
    assert_int_equal(m.stream_bytes, 9 * VTA_INSN_BYTES + VTA_UOP_BYTES);
    assert_int_equal(m.host_bytes, 2 * ELEMENTS);
    vta_string_free(small_artifact(&size));
    assert_int_equal(m.file_bytes, size);
    vta_model_release(model);
}

/* Inputs and outputs are found by their names wherever they stand. */
static void ports(void **state) {
    (void)state;
    static const char *const names[] = {"x", "w", "b"};
    vt_plan_port inputs[3], outputs[3];
    small s;
    vta_model *model;
    size_t size;
    small_make(&s);
    for (size_t i = 0; i < 3; i++) {
        inputs[i] = (vt_plan_port){names[i], s.input.view};
        outputs[i] = (vt_plan_port){names[2 - i], s.output.view};
    }
    s.plan.inputs = inputs;
    s.plan.outputs = outputs;
    s.plan.input_count = s.plan.output_count = 3;
    uint8_t *bytes = small_write(&s, NULL, &size);
    MUST(vta_model_parse(bytes, size, "small.vta-model", NULL, diag, &model));
    for (size_t i = 0; i < 3; i++) {
        vta_model_tensor t = {0};
        assert_int_equal(vta_model_find_input(model, names[i]), i);
        assert_int_equal(vta_model_find_output(model, names[i]), 2 - i);
        MUST(vta_model_input(model, i, &t));
        assert_string_equal(t.name, names[i]);
        MUST(vta_model_output(model, i, &t));
        assert_string_equal(t.name, names[2 - i]);
    }
    assert_int_equal(vta_model_find_input(model, "y"), SIZE_MAX);
    vta_model_release(model);
    vta_string_free(bytes);
    small_free(&s);
}

static void steps(void **state) {
    (void)state;
    static const char *const names[] = {"pack", "adds", "add 3", "add 5", "copy", "unpack"};
    static const char *const kinds[] = {"pack", "run", "layer", "layer", "copy", "unpack"};
    static const uint32_t insns[] = {0, 9, 4, 5, 0, 0};
    vta_model *model = parse();
    assert_int_equal(vta_model_step_count(model), 6);
    for (size_t i = 0; i < 6; i++) {
        vta_model_step s = {0};
        MUST(vta_model_get_step(model, i, &s));
        assert_string_equal(s.name, names[i]);
        assert_string_equal(s.kind, kinds[i]);
        assert_int_equal(s.insn_count, insns[i]);
        assert_int_equal(s.layer, i == 2 ? 0 : i == 3 ? 1 : UINT32_MAX);
    }
    assert_int_equal(vta_model_get_step(model, 6, &(vta_model_step){0}), VTA_OUT_OF_RANGE);
    vta_model_release(model);
}

static void profile(void **state) {
    (void)state;
    vta_model *model = parse();
    vta_instance *in = create(model, "tsim", false);
    check_sum(in, 0);
    vta_step_profile run = {0}, first = {0}, second = {0}, pack = {0};
    MUST(vta_instance_profile(in, 0, diag, &pack));
    MUST(vta_instance_profile(in, 1, diag, &run));
    MUST(vta_instance_profile(in, 2, diag, &first));
    MUST(vta_instance_profile(in, 3, diag, &second));
    vta_counters of_device = vta_device_counters(vta_instance_device(in));
    assert_int_equal(run.cycles, of_device.cycles);
    assert_int_equal(first.cycles + second.cycles, run.cycles);
    assert_true(first.cycles > 40 && second.cycles > 40);
    assert_int_equal(pack.cycles, 0);
    assert_true(run.seconds > 0 && first.seconds == 0);
#define SAME(name) assert_int_equal(run.counters.name, of_device.name)
    SAME(acc_load_nbytes);
    SAME(uop_load_nbytes);
    SAME(out_store_nbytes);
    SAME(alu_counter);
    SAME(insn_load);
    SAME(insn_store);
    SAME(insn_alu);
    SAME(insn_finish);
    SAME(insn_nop);
    SAME(runs);
    assert_int_equal(first.counters.out_store_nbytes, ELEMENTS);
    assert_int_equal(second.counters.insn_finish, 1);
    char *json;
    MUST(vta_instance_profile_json(in, diag, &json));
    assert_contains(json, "\"name\": \"add 5\"");
    assert_contains(json, "\"kind\": \"layer\"");
    vta_string_free(json);
    assert_int_equal(vta_instance_profile(in, 6, NULL, &run), VTA_OUT_OF_RANGE);
    vta_instance_destroy(in);
    vta_model_release(model);
}

/* The memory that an instance gives a run: the parameter, instructions relocated to the first page; zeros besides. */
static void check_memory(const vta_program *p, const vta_config *config) {
    vta_program_segment segment;
    vta_program_run_info run;
    vta_insn insn;
    MUST(vta_program_get_run(p, 0, &run));
    assert_int_equal(run.insn_addr, PAGE + INSNS_AT);
    assert_int_equal(run.insn_count, 9);
    assert_int_equal(run.segment_count, 1);
    MUST(vta_program_get_segment(p, 0, 0, &segment));
    assert_int_equal(segment.addr, PAGE);
    assert_int_equal(segment.size, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        if (i < INSNS_AT || i >= INSNS_AT + 9 * VTA_INSN_BYTES)
            assert_int_equal(i < segment.before_size ? segment.before[i] : 0, i < 64             ? SMALL_PARAM
                                                                              : i == UOPS_AT + 3 ? SMALL_UOP
                                                                                                 : 0);
    assert_memory_equal(run.insns, segment.before + INSNS_AT, 9 * VTA_INSN_BYTES);
    MUST(vta_insn_decode(config, run.insns, diag, &insn));
    assert_int_equal(insn.u.mem.dram_base * VTA_UOP_BYTES, PAGE + UOPS_AT);
    MUST(vta_insn_decode(config, run.insns + VTA_INSN_BYTES, diag, &insn));
    assert_int_equal(insn.u.mem.dram_base * LANES, PAGE + X_AT);
}

/* What an instance puts into its memory on the device, at the first page: parameters, micro-ops, and zeros besides. */
static void device_memory(void **state) {
    (void)state;
    static uint8_t got[BYTES];
    vta_model *model = parse();
    vta_instance *in = create(model, "sim", false);
    MUST(vta_device_read(vta_instance_device(in), PAGE, got, BYTES, diag));
    for (size_t i = 0; i < BYTES; i++)
        if (i < INSNS_AT || i >= INSNS_AT + 9 * VTA_INSN_BYTES)
            assert_int_equal(got[i], i < 64 ? SMALL_PARAM : i == UOPS_AT + 3 ? SMALL_UOP : 0);
    vta_instance_destroy(in);
    vta_model_release(model);
}

/* As a program the runs give the same cycles, and notes say which layer an instruction is of. */
static void program(void **state) {
    (void)state;
    vta_model *model = parse();
    vta_program *p;
    vta_device *device;
    MUST(vta_model_program(model, diag, &p));
    assert_int_equal(vta_program_run_count(p), 1);
    assert_string_equal(vta_program_note(p, 0, 0), "add 3");
    assert_string_equal(vta_program_note(p, 0, 3), "add 3");
    assert_string_equal(vta_program_note(p, 0, 4), "add 5");
    assert_string_equal(vta_program_note(p, 0, 8), "add 5");
    check_memory(p, vta_model_config(model));
    MUST(vta_device_create("tsim", vta_model_config(model), NULL, NULL, diag, &device));
    MUST(vta_program_run(p, device, NULL, diag));
    vta_instance *in = create(model, "tsim", false);
    check_sum(in, 0);
    assert_int_equal(vta_device_counters(device).cycles, vta_device_counters(vta_instance_device(in)).cycles);
    vta_instance_destroy(in);
    vta_device_destroy(device);
    vta_model_release(model);
    vta_program_destroy(p); /* it outlives the model */
}

static void files(void **state) {
    (void)state;
    char path[] = "/tmp/vta-test-XXXXXX";
    int fd = mkstemp(path);
    size_t size;
    uint8_t *bytes = small_artifact(&size);
    vta_model *model;
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
    MUST(vta_model_load(path, NULL, diag, &model));
    unlink(path);
    vta_instance *in = create(model, "sim", false);
    vta_model_release(model); /* the instance keeps it */
    check_sum(in, 5);
    vta_instance_destroy(in);
    vta_string_free(bytes);
    vta_diag_clear(diag);
    assert_int_equal(vta_model_load("/nowhere/x.vta-model", NULL, diag, &model), VTA_NOT_FOUND);
    assert_null(model);
    assert_string_equal(vta_diag_text(diag), "error: /nowhere/x.vta-model: cannot open: No such file or directory");
    vta_diag_clear(diag);
    assert_int_equal(vta_model_load("/tmp", NULL, NULL, &model), VTA_PARSE);
}

/* What callers get wrong. */
static void errors(void **state) {
    (void)state;
    vta_model *model = parse();
    vta_instance *in = create(model, "sim", false), *none;
    int8_t x[ELEMENTS] = {0};
    assert_int_equal(vta_instance_set_input(in, 1, x, sizeof x, diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_instance_set_input(in, 0, x, sizeof x - 1, diag), VTA_MISMATCH);
    assert_contains(vta_diag_text(diag), "input x: 63 bytes were given, it has 64");
    assert_int_equal(vta_instance_get_output(in, 0, x, 1, diag), VTA_MISMATCH);
    assert_int_equal(vta_instance_set_input(in, 0, NULL, sizeof x, diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_instance_run(NULL, diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_instance_create(NULL, NULL, diag, &none), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_instance_create(model, &(vta_instance_options){.driver = "chip"}, diag, &none), VTA_NOT_FOUND);
    assert_null(none);
    vta_diag_clear(diag);
    vta_instance_destroy(in);
    /* A run that is not over in time says which step it was, and the instance works again. */
    MUST(vta_instance_create(model, &(vta_instance_options){.driver = "tsim", .wait_cycles = 50}, diag, &in));
    assert_int_equal(vta_instance_run(in, diag), VTA_TIMEOUT);
    assert_contains(vta_diag_text(diag), "small: step 1 of 4 (run adds) failed");
    vta_diag_clear(diag);
    vta_instance_destroy(in);
    vta_model_release(model);
}

/* ---- Many at once ---- */

static void *use(void *model) {
    vta_instance *in = create(model, "sim", false);
    for (int i = 0; i < 50; i++) check_sum(in, i);
    vta_instance_destroy(in);
    return NULL;
}

static void threads(void **state) {
    (void)state;
    enum { THREADS = 4 };
    pthread_t id[THREADS];
    vta_model *model = parse();
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&id[i], NULL, use, model), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(id[i], NULL);
    vta_model_release(model);
}

enum { ITEMS = 37 };
typedef struct items {
    int8_t y[ITEMS][ELEMENTS];
    size_t fails_at, stop_after, last;
} items;

static vta_status feed(void *ctx, size_t item, vta_instance *in, vta_diag *said) {
    int8_t x[ELEMENTS];
    if (item == ((items *)ctx)->fails_at) {
        vta_diag_add(said, VTA_ERROR, VTA_IO, "no such picture");
        return VTA_IO;
    }
    for (int i = 0; i < ELEMENTS; i++) x[i] = (int8_t)(item + 3 * (size_t)i);
    return vta_instance_set_input(in, 0, x, sizeof x, said);
}

static vta_status take(void *ctx, size_t item, vta_instance *in, vta_diag *said) {
    return vta_instance_get_output(in, 0, ((items *)ctx)->y[item], ELEMENTS, said);
}

static bool progress(void *ctx, size_t done, size_t count) {
    items *it = ctx;
    assert_int_equal(count, ITEMS);
    assert_int_equal(done, it->last + 1);
    it->last = done;
    return done == it->stop_after;
}

static void batch(void **state) {
    (void)state;
    vta_model *model = parse();
    for (uint32_t n = 0; n < 4; n++) {
        items it = {.fails_at = SIZE_MAX};
        const vta_batch_options options = {.threads = n, .progress = progress, .ctx = &it};
        MUST(vta_model_run_batch(model, ITEMS, feed, take, &it, &options, diag));
        assert_int_equal(it.last, ITEMS);
        for (size_t k = 0; k < ITEMS * ELEMENTS; k++)
            assert_int_equal(it.y[k / ELEMENTS][k % ELEMENTS], (int8_t)(k / ELEMENTS + 3 * (k % ELEMENTS) + 8));
    }
    items it = {.fails_at = 9};
    const vta_batch_options one_by_one = {.progress = progress, .ctx = &it, .threads = 1};
    assert_int_equal(vta_model_run_batch(model, ITEMS, feed, take, &it, &one_by_one, diag), VTA_IO);
    assert_int_equal(it.last, 9); /* no item after it is begun */
    assert_contains(vta_diag_text(diag), "no such picture");
    vta_diag_clear(diag);
    it = (items){.fails_at = SIZE_MAX, .stop_after = 5};
    const vta_batch_options stop = {.progress = progress, .ctx = &it, .threads = 1};
    assert_int_equal(vta_model_run_batch(model, ITEMS, feed, take, &it, &stop, diag), VTA_INTERRUPTED);
    vta_diag_clear(diag);
    MUST(vta_model_run_batch(model, 0, feed, take, &it, NULL, diag));
    vta_model_release(model);
}

int main(void) {
    diag = vta_diag_create(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),          cmocka_unit_test(is_clean),    cmocka_unit_test(questions),
        cmocka_unit_test(ports),         cmocka_unit_test(steps),       cmocka_unit_test(profile),
        cmocka_unit_test(device_memory), cmocka_unit_test(program),     cmocka_unit_test(files),
        cmocka_unit_test(errors),        cmocka_unit_test(threads),     cmocka_unit_test(batch),
        cmocka_unit_test(carried),       cmocka_unit_test(not_carried),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return result;
}
