/* Artifacts at their limits: what a plan may just be, and beside it what it may just not, with the message. */
#include "small.h"

static const char eight[] = "01234567",
                  sixty_four[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* NULL: it is taken. */
static void check(const uint8_t *bytes, size_t size, const char *refusal, const char *what) {
    char want[512];
    vta_diag *diag = vta_diag_create(NULL);
    vta_model *model;
    vta_status status = vta_model_parse(bytes, size, "m", NULL, diag, &model);
    snprintf(want, sizeof want, "m: error: the plan: %s", refusal ? refusal : "");
    if (status != (refusal ? VTA_PARSE : VTA_OK)) fail_msg("%s: %s", what, vta_diag_text(diag));
    assert_same_text(what, vta_diag_text(diag), refusal ? want : "");
    vta_model_release(model);
    vta_diag_destroy(diag);
}

/* ---- What the plan says ---- */

typedef void change(small *s);
#define CHANGE(name, ...)                                                                                              \
    static void name(small *s) { __VA_ARGS__; }

CHANGE(max_device_memory, s->plan.device_bytes = (uint64_t)1 << 31)
CHANGE(more_device_memory, s->plan.device_bytes = ((uint64_t)1 << 31) + 1)
CHANGE(max_host_memory, s->plan.host_bytes = (uint64_t)1 << 40)
CHANGE(more_host_memory, s->plan.host_bytes = ((uint64_t)1 << 40) + 1)
CHANGE(uop_cut, s->uops_less = 1)
CHANGE(insn_cut, s->insns_more = 8)
CHANGE(insns_crooked, s->plan.insns_at += 4)

static void data_of(small *s, const char *data, uint64_t bytes) {
    s->data = data, s->data_bytes = strlen(data);
    s->buffers[5] = (vt_plan_buffer){"constant", VT_PLACE_DATA, 0, bytes};
}
CHANGE(whole_data, data_of(s, eight, 8))
CHANGE(more_than_data, data_of(s, eight, 9))
CHANGE(gives_data, data_of(s, sixty_four, 64); s->output.view.buffer = 5)
CHANGE(takes_data, data_of(s, sixty_four, 64); s->input.view.buffer = 5)
CHANGE(parameter_whole, s->buffers[5].bytes = 64)
CHANGE(parameter_longer, s->buffers[5].bytes = 65)

/* The copy in the last elements of so many bits that there is room for, from `at` on. */
static int64_t elements[1];
static void wide_copy(small *s, uint8_t bits, uint64_t at) {
    elements[0] = (int64_t)((ELEMENTS - at) / (bits / 8));
    for (int i = 2; i < 4; i++) {
        s->views[i].type = (DLDataType){kDLInt, bits, 1};
        s->views[i].shape = elements;
        s->views[i].offset = i == 2 ? at : 0;
    }
}
CHANGE(element_whole, wide_copy(s, 16, 2))
CHANGE(element_cut, wide_copy(s, 16, 1))
CHANGE(long_element_whole, wide_copy(s, 64, 8))
CHANGE(long_element_cut, wide_copy(s, 64, 4))

CHANGE(empty_at_the_end, s->buffers[5] = ((vt_plan_buffer){"parameter", VT_PLACE_DEVICE, 64, 0}))
CHANGE(empty_behind_the_end, s->buffers[5] = ((vt_plan_buffer){"parameter", VT_PLACE_DEVICE, 128, 0}))
static void no_work(small *s) {
    s->plan.device_bytes = s->plan.work_at;
    s->plan.buffer_count = 1;
    s->plan.step_count = 0;
    s->output.view.buffer = 0;
}
CHANGE(less_than_no_work, no_work(s); s->plan.device_bytes--)

static vt_plan_port ports[2];
static void two_inputs(small *s, const char *name) {
    ports[0] = ports[1] = s->input;
    ports[1].name = name;
    s->plan.inputs = ports;
    s->plan.input_count = 2;
}
CHANGE(other_name, two_inputs(s, "xx"))
CHANGE(same_name, two_inputs(s, "x"))
CHANGE(same_as_the_output, two_inputs(s, "y"))

static void second_beyond(small *s) {
    two_inputs(s, "xx");
    ports[1].view.buffer = 7;
}

static const int64_t row[] = {1, LANES, 1, 2}, column[] = {1, LANES, 2, 1};
static void packs_as(small *s, int32_t ndim, const int64_t *flat, int32_t tiled_ndim, const int64_t *tiles) {
    s->views[0].shape = flat, s->views[0].ndim = ndim;
    s->views[1].shape = tiles, s->views[1].ndim = tiled_ndim;
}
CHANGE(other_rows, packs_as(s, 4, row, 6, small_tiles))
CHANGE(other_columns, packs_as(s, 4, column, 6, small_tiles))
CHANGE(unpacks_other_rows, s->views[5].shape = row)
CHANGE(unpacks_other_type, s->views[4].type = small_uint8)
static const int64_t matrix[] = {4, 16}, matrix_tiles[] = {4, 1, 1, 16}, vector[] = {64}, vector_tiles[] = {4, 1, 16};
CHANGE(packs_a_matrix, packs_as(s, 2, matrix, 4, matrix_tiles))
CHANGE(packs_a_vector, packs_as(s, 1, vector, 3, vector_tiles))
static const int64_t six[] = {1, 16, 1, 2, 1, 2}, six_tiles[] = {1, 1, 1, 2, 1, 2, 1, 16};
CHANGE(packs_six_axes, packs_as(s, 6, six, 8, six_tiles))
static const int64_t part[] = {3, 9}, part_tiles[] = {2, 1, 2, 16}, spare_rows[] = {3, 1, 2, 8},
                     spare_columns[] = {2, 3, 2, 5};
static const int64_t few[] = {1, 1, 2, 16}, narrow[] = {2, 1, 2, 8};
CHANGE(packs_a_part, packs_as(s, 2, part, 4, part_tiles))
CHANGE(packs_spare_rows, packs_as(s, 2, part, 4, spare_rows))
CHANGE(packs_spare_columns, packs_as(s, 2, part, 4, spare_columns))
CHANGE(packs_too_few_rows, packs_as(s, 2, part, 4, few))
CHANGE(packs_too_few_columns, packs_as(s, 2, part, 4, narrow))

/* Tiles of `lanes` lanes, behind everything else. */
static int64_t lane_tiles[] = {1, 1, 1, 0};
static const int64_t one_row[] = {1, 64};
static void lanes_of(small *s, int64_t lanes) {
    lane_tiles[3] = lanes;
    s->plan.device_bytes = BYTES + (1 << 17);
    s->buffers[1] = (vt_plan_buffer){"x.tiles", VT_PLACE_DEVICE, BYTES, 1 << 17};
    packs_as(s, 2, one_row, 4, lane_tiles);
}
CHANGE(max_lanes, lanes_of(s, 1 << 16))
CHANGE(more_lanes, lanes_of(s, (1 << 16) + 1))

static void call_of(small *s, uint32_t count) {
    static vt_plan_view views[64];
    for (uint32_t i = 0; i < count; i++) views[i] = s->views[0];
    s->code = "code";
    s->steps[2] =
        (vt_plan_step){.kind = VT_STEP_CALL, .name = "call", .function = "f", .views = views, .view_count = count};
}
CHANGE(call_of_one, call_of(s, 1))
CHANGE(call_of_max, call_of(s, 64))
CHANGE(one_layer, s->steps[1].layer_count = 1)
CHANGE(one_layer_late, s->steps[1].layer_count = 1; s->layers[0].first = 1)
CHANGE(layer_at_the_last, s->layers[1].first = 8)
CHANGE(layers_in_one_place, s->layers[1].first = 0)

/* In the place of an instruction: a transfer of tiles of 16 bytes, or of micro-ops. */
static void moves(small *s, uint32_t at, vta_opcode opcode, vta_memory memory, uint32_t address, uint32_t count) {
    vta_config *config = vta_config_default();
    uint32_t all = s->insn_count;
    s->insn_count = at;
    small_transfer(s, config, opcode, memory, address, count, "");
    s->insn_count = all;
    vta_config_release(config);
}
CHANGE(loads_the_parameter, moves(s, 1, VTA_OP_LOAD, VTA_MEM_ACC_8BIT, 0, 4))
CHANGE(loads_more, moves(s, 1, VTA_OP_LOAD, VTA_MEM_ACC_8BIT, 0, 5))
CHANGE(loads_uops_of_work, moves(s, 1, VTA_OP_LOAD, VTA_MEM_UOP, BYTES - 4, 1))
CHANGE(loads_more_uops, moves(s, 1, VTA_OP_LOAD, VTA_MEM_UOP, UOPS_AT, 2))
CHANGE(stores_at_the_end, moves(s, 3, VTA_OP_STORE, VTA_MEM_OUT, BYTES - 64, 4))
CHANGE(stores_behind_the_end, moves(s, 3, VTA_OP_STORE, VTA_MEM_OUT, BYTES - 48, 4))

#define NO_FIT "step pack: its two views do not fit each other"
TEST_CASE(plans) {
    static const struct {
        change *how;
        const char *name, *refusal;
    } rows[] = {
#define ROW(how, refusal) {how, #how, refusal}
        ROW(max_device_memory, NULL),
        ROW(more_device_memory, "2147483649 bytes of device memory, 128 of host memory: more than can be"),
        ROW(max_host_memory, NULL),
        ROW(more_host_memory, "24576 bytes of device memory, 1099511627777 of host memory: more than can be"),
        ROW(uop_cut, "a section of instructions or micro-ops has a part of one"),
        ROW(insn_cut, "a section of instructions or micro-ops has a part of one"),
        ROW(insns_crooked, "micro-ops or instructions do not begin at a multiple of 64 bytes"),
        ROW(whole_data, NULL),
        ROW(more_than_data, "buffer 5 (constant): 9 bytes at 0 are outside of its memory (data)"),
        ROW(gives_data, NULL),
        ROW(takes_data, "x: an input or output that is not in host memory"),
        ROW(parameter_whole, NULL),
        ROW(parameter_longer, "buffer 5 (parameter): 65 bytes at 0 are outside of its memory (device)"),
        ROW(element_whole, NULL),
        ROW(element_cut, "copy: an element of z.tiles is cut"),
        ROW(long_element_whole, NULL),
        ROW(long_element_cut, "copy: an element of z.tiles is cut"),
        ROW(empty_at_the_end, NULL),
        ROW(empty_behind_the_end, "buffer 5 (parameter): 0 bytes at 128 are outside of its memory (device)"),
        ROW(no_work, NULL),
        ROW(less_than_no_work, "the parts of device memory overlap"),
        ROW(other_name, NULL),
        ROW(same_name, "x stands twice"),
        ROW(same_as_the_output, NULL),
        ROW(second_beyond, "xx: buffer 7 of 6"),
        ROW(other_rows, NO_FIT),
        ROW(other_columns, NO_FIT),
        ROW(unpacks_other_rows, "step unpack: its two views do not fit each other"),
        ROW(unpacks_other_type, "step unpack: its two views do not fit each other"),
        ROW(packs_a_matrix, NULL),
        ROW(packs_a_vector, NO_FIT),
        ROW(packs_six_axes, NULL),
        ROW(packs_a_part, NULL),
        ROW(packs_spare_rows, NO_FIT),
        ROW(packs_spare_columns, NO_FIT),
        ROW(packs_too_few_rows, NO_FIT),
        ROW(packs_too_few_columns, NO_FIT),
        ROW(max_lanes, NULL),
        ROW(more_lanes, NO_FIT),
        ROW(call_of_one, NULL),
        ROW(call_of_max, NULL),
        ROW(one_layer, NULL),
        ROW(one_layer_late, "run adds: its layers are not in the order of its instructions"),
        ROW(loads_the_parameter, NULL),
        ROW(loads_more, "run adds: instruction 1 touches 80 bytes from 0 on, where it may not"),
        ROW(loads_uops_of_work, NULL),
        ROW(loads_more_uops, "run adds: instruction 1 touches 8 bytes from 4096 on, where it may not"),
        ROW(stores_at_the_end, NULL),
        ROW(stores_behind_the_end, "run adds: instruction 3 touches 64 bytes from 24528 on, where it may not"),
        ROW(layer_at_the_last, NULL),
        ROW(layers_in_one_place, "run adds: its layers are not in the order of its instructions"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        small s;
        size_t size;
        small_make(&s);
        rows[i].how(&s);
        uint8_t *bytes = small_write(&s, NULL, &size);
        check(bytes, size, rows[i].refusal, rows[i].name);
        vta_string_free(bytes);
        small_free(&s);
    }
}

/* ---- How the plan is written ---- */

TEST_CASE(names) {
    enum { MAX = VT_PLAN_MAX_NAME };
    char name[MAX + 2];
    for (int more = 0; more < 2; more++) {
        small s;
        size_t size;
        small_make(&s);
        memset(name, 'n', sizeof name);
        name[MAX + more] = '\0';
        s.plan.name = name;
        uint8_t *bytes = small_write(&s, NULL, &size);
        check(bytes, size, more ? "\"name\" is too long a text" : NULL, "name");
        vta_string_free(bytes);
        small_free(&s);
    }
}

/* Each entry is named by its list and its number. */
TEST_CASE(texts) {
    static const struct {
        const char *from;
        int n;
        const char *to, *refusal;
    } rows[] = {
        {"\"first\": 0, \"count\"", 0, "\"first\": 4294967295, \"count\"",
         "run adds: 9 instructions from 4294967295 on, of 9"},
        {"\"first\": 0, \"count\"", 0, "\"first\": 4294967296, \"count\"", "steps[1]: \"first\" is out of range"},
        {"\"place\": \"host\"", 1, "\"place\": 7", "buffers[4]: \"place\" is not device, host or data"},
        {"\"name\": \"y\"", 1, "\"name\": 7", "outputs[0]: \"name\" is not a text"},
        {"\"kind\": \"unpack\"", 0, "\"kind\": 7", "steps[3]: \"kind\" is not a kind of step"},
        {"\"name\": \"add 5\"", 0, "\"name\": 7", "steps[1]: \"name\" is not a text"},
        {"\"buffers\"", 0, "\"none\"", "\"buffers\" is not a list"},
        {"\"inputs\"", 0, "\"none\"", "\"inputs\" is not a list"},
        {"\"outputs\"", 0, "\"none\"", "\"outputs\" is not a list"},
        {"\"steps\"", 0, "\"none\"", "\"steps\" is not a list"},
        {"\"layers\"", 0, "\"none\"", "steps[1]: \"layers\" is not a list"},
        {"\"views\"", 2, "\"none\"", "steps[3]: \"views\" is not a list"},
        {"\"shape\": [64]", 1, "\"shape\": [1, 1, 1, 1, 1, 1, 1, 64]", NULL},
        {"\"shape\": [64]", 1, "\"shape\": [1, 1, 1, 1, 1, 1, 1, 1, 64]",
         "steps[2]: \"shape\" is not a list of at most 8 extents"},
        {"\"shape\": [64]", 0, "\"shape\": [0]", "steps[2]: \"shape\" and type are not those of a tensor"},
    };
    small s;
    size_t size;
    small_make(&s);
    vt_strbuf plan;
    vt_strbuf_init(&plan, NULL);
    vt_plan_write(&s.plan, &plan);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *json = small_replaced(vt_strbuf_text(&plan), rows[i].from, rows[i].n, rows[i].to);
        uint8_t *bytes = small_write(&s, json, &size);
        check(bytes, size, rows[i].refusal, rows[i].to);
        vta_string_free(bytes);
        free(json);
    }
    vt_strbuf_free(&plan);
    small_free(&s);
}

int main(void) { return run_cases(); }
