/* Artifacts that are not whole, or lie: each is refused with a reason, and nothing is touched. */
#include "base/hash.h"
#include "small.h"

static void check_refused(const uint8_t *bytes, size_t size, vta_status expected, const char *text, const char *what) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_model *model;
    uint8_t *exact = malloc(size ? size : 1); /* a sanitizer sees the first byte behind it */
    memcpy(exact, bytes, size);
    vta_status status = vta_model_parse(exact, size, "bad.vta-model", NULL, diag, &model);
    if (status != expected) fail_msg("%s: %s: %s", what, vta_status_text(status), vta_diag_text(diag));
    assert_null(model);
    assert_contains(vta_diag_text(diag), text);
    vta_diag_destroy(diag);
    free(exact);
}

static void put_checksum(uint8_t *bytes, size_t size) {
    uint64_t h = vt_hash(vt_hash(size, bytes, 24), bytes + 32, size - 32);
    memcpy(bytes + 24, &h, sizeof h);
}

/* Every byte changed, every length: noticed. */
TEST_CASE(accidents) {
    size_t size;
    uint8_t *bytes = small_artifact(&size);
    for (size_t i = 0; i < size; i++) {
        vta_model *model;
        bytes[i] ^= 0x40;
        if (vta_model_parse(bytes, size, "bad", NULL, NULL, &model) == VTA_OK) fail_msg("byte %d", (int)i);
        assert_null(model);
        bytes[i] ^= 0x40;
    }
    for (size_t i = 0; i < size; i++) check_refused(bytes, i, VTA_PARSE, "bad.vta-model", "cut");
    vta_string_free(bytes);
}

/* The header and the table, with a checksum that is right. */
TEST_CASE(containers) {
    static const struct {
        size_t at;
        uint8_t value;
        vta_status status;
        const char *text;
    } changes[] = {
        {0, 'x', VTA_PARSE, "not a compiled network"},
        {8, 9, VTA_UNSUPPORTED, "format version 9"},
        {12, 32, VTA_UNSUPPORTED, "format version"},
        {16, 1, VTA_PARSE, "cut off, or something was added"},
        {32, 65, VTA_PARSE, "a table of 65 sections"},
        {32, 5, VTA_PARSE, "bytes"},
        {64, 0, VTA_PARSE, "has no name"},
        {64, 1, VTA_PARSE, "character that none may have"},
        {64, 'x', VTA_PARSE, "no section 'plan'"},
        {64 + 15, 'x', VTA_PARSE, "no name, or a longer one"},
        {64 + 16, 1, VTA_PARSE, "section 'plan'"},
        {64 + 24 + 4, 1, VTA_PARSE, "section 'plan'"},
        {64 + 24 + 7, 0xff, VTA_PARSE, "section 'plan'"},
        {64 + 32 + 16 + 7, 0xff, VTA_PARSE, "section 'config'"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t size;
        uint8_t *bytes = small_artifact(&size);
        bytes[changes[i].at] = changes[i].value;
        put_checksum(bytes, size);
        check_refused(bytes, size, changes[i].status, changes[i].text, changes[i].text);
        vta_string_free(bytes);
    }
}

/* ---- What the plan says ---- */

typedef void change(small *s);
#define CHANGE(name, ...)                                                                                              \
    static void name(small *s) { __VA_ARGS__; }

CHANGE(too_much_memory, s->plan.device_bytes = (uint64_t)1 << 40)
CHANGE(parts_overlap, s->plan.uops_at = 32)
CHANGE(insns_overlap, s->plan.insns_at = UOPS_AT)
CHANGE(work_overlaps, s->plan.work_at = INSNS_AT)
CHANGE(work_beyond, s->plan.work_at = BYTES + PAGE)
CHANGE(uops_cut, s->plan.uops_at = UOPS_AT + 2)
CHANGE(buffer_beyond, s->buffers[3].offset = BYTES)
CHANGE(buffer_overflows, s->buffers[3].bytes = (uint64_t)1 << 62)
CHANGE(buffer_on_insns, s->buffers[1].offset = INSNS_AT)
CHANGE(buffer_beyond_host, s->buffers[4].offset = 2 * ELEMENTS)
CHANGE(buffer_crooked, s->buffers[1].offset = X_AT + 1)
CHANGE(buffer_in_no_data, s->buffers[0].place = VT_PLACE_DATA)
CHANGE(view_of_no_buffer, s->views[0].buffer = 6)
CHANGE(view_beyond, s->views[0].offset = 1)
CHANGE(view_overflows, s->views[0].offset = INT64_MAX)
CHANGE(writes_constant, s->views[3].buffer = 5)
CHANGE(copies_backwards, s->views[2].output = true)
CHANGE(copy_of_other_size, s->views[3].shape = small_tiles; s->views[3].ndim = 1)
CHANGE(packs_other_type, s->views[1].type = small_uint8)
CHANGE(packs_other_shape, s->views[1].ndim = 5)
CHANGE(input_on_device, s->input.view.buffer = 1)
CHANGE(output_on_device, s->output.view.buffer = 1)
CHANGE(input_beyond, s->input.view.offset = 8)
CHANGE(pack_of_one, s->steps[0].view_count = 1)
CHANGE(pack_of_three, s->steps[0].view_count = 3)
CHANGE(copy_of_one, s->steps[2].view_count = 1)
CHANGE(copy_of_three, s->steps[2].view_count = 3)
CHANGE(unpack_of_one, s->steps[3].view_count = 1)
CHANGE(unpack_of_three, s->views[6] = s->views[5]; s->steps[3].view_count = 3)
CHANGE(no_code, s->steps[2].kind = VT_STEP_CALL; s->steps[2].function = "f")
CHANGE(run_beyond, s->steps[1].count = 10)
CHANGE(run_behind, s->steps[1].first = 1)
CHANGE(run_of_nothing, s->steps[1].count = 0)
CHANGE(run_unfinished, s->steps[1].count = 8)
CHANGE(layer_beyond, s->layers[1].first = 9)
CHANGE(layers_swapped, s->layers[0].first = 4; s->layers[1].first = 0)
CHANGE(no_opcode, s->insns[0] |= 7)
CHANGE(reads_insns, memcpy(s->insns + 1 * VTA_INSN_BYTES, s->insns, VTA_INSN_BYTES); s->plan.uops_at = 64)

static void store_at(small *s, uint32_t address) {
    vta_config *config = vta_config_default();
    s->insn_count = 3;
    small_transfer(s, config, VTA_OP_STORE, VTA_MEM_OUT, address, TILES, "pP");
    s->insn_count = 9;
    vta_config_release(config);
}
static void call_of(small *s, uint32_t count) {
    static vt_plan_view views[65];
    for (uint32_t i = 0; i < count; i++) views[i] = s->views[0];
    s->code = "code";
    s->steps[2] =
        (vt_plan_step){.kind = VT_STEP_CALL, .name = "call", .function = "f", .views = views, .view_count = count};
}
static void call_of_none(small *s) { call_of(s, 0); }
static void call_of_many(small *s) { call_of(s, 65); }

static void stores_beyond(small *s) { store_at(s, BYTES - PAGE + PAGE - 32); }
static void stores_on_insns(small *s) { store_at(s, INSNS_AT); }
static void stores_on_parameters(small *s) { store_at(s, 0); }

static void loads(small *s, vta_memory memory, uint32_t address, uint32_t count) {
    vta_config *config = vta_config_default();
    s->insn_count = 1;
    small_transfer(s, config, VTA_OP_LOAD, memory, address, count, "");
    s->insn_count = 9;
    vta_config_release(config);
}
static void loads_beyond(small *s) { loads(s, VTA_MEM_ACC_8BIT, BYTES - 16, 2); }
static void loads_insns(small *s) { loads(s, VTA_MEM_ACC_8BIT, INSNS_AT, 1); }
static void loads_uops_elsewhere(small *s) { loads(s, VTA_MEM_UOP, UOPS_AT, 2); }
static void loads_far(small *s) { loads(s, VTA_MEM_WGT, 0xfffff000u, 1); }
static void loads_out(small *s) { loads(s, VTA_MEM_OUT, X_AT, 1); }
static void loads_table(small *s) { loads(s, VTA_MEM_TABLE, 0, 1); }

TEST_CASE(plans) {
    static const struct {
        change *how;
        const char *text;
    } changes[] = {
        {too_much_memory, "more than can be"},
        {parts_overlap, "overlap"},
        {insns_overlap, "overlap"},
        {work_overlaps, "overlap"},
        {work_beyond, "overlap"},
        {uops_cut, "multiple of 64"},
        {buffer_beyond, "buffer 3 (z.tiles)"},
        {buffer_overflows, "buffer 3 (z.tiles)"},
        {buffer_on_insns, "buffer 1 (x.tiles)"},
        {buffer_beyond_host, "buffer 4 (y)"},
        {buffer_crooked, "not a multiple of 64"},
        {buffer_in_no_data, "buffer 0 (x)"},
        {view_of_no_buffer, "buffer 6 of 6"},
        {view_beyond, "pack: 64 bytes from 1 on in buffer x of 64"},
        {view_overflows, "pack: 64 bytes from 9223372036854775807"},
        {writes_constant, "writes the constant parameter"},
        {copies_backwards, "writes its first view"},
        {copy_of_other_size, "do not fit each other"},
        {packs_other_type, "do not fit each other"},
        {packs_other_shape, "do not fit each other"},
        {input_on_device, "not in host memory"},
        {output_on_device, "not in host memory"},
        {input_beyond, "x: 64 bytes from 8 on"},
        {pack_of_one, "pack: 1 views"},
        {pack_of_three, "pack: 3 views"},
        {copy_of_one, "copy: 1 views"},
        {copy_of_three, "copy: 3 views"},
        {unpack_of_one, "unpack: 1 views"},
        {unpack_of_three, "unpack: 3 views"},
        {call_of_none, "call: 0 views"},
        {call_of_many, "call: 65 views"},
        {no_code, "there is no code"},
        {run_beyond, "10 instructions from 0 on, of 9"},
        {run_behind, "9 instructions from 1 on, of 9"},
        {run_of_nothing, "0 instructions"},
        {run_unfinished, "FINISH is the last one"},
        {layer_beyond, "layers are not in the order"},
        {layers_swapped, "layers are not in the order"},
        {no_opcode, "opcode that does not exist"},
        {reads_insns, "where it may not"},
        {stores_beyond, "where it may not"},
        {stores_on_insns, "where it may not"},
        {stores_on_parameters, "where it may not"},
        {loads_beyond, "where it may not"},
        {loads_insns, "where it may not"},
        {loads_uops_elsewhere, "where it may not"},
        {loads_far, "where it may not"},
        {loads_out, "moves a memory that it cannot"},
        {loads_table, "moves a memory that this configuration does not have"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        small s;
        size_t size;
        small_make(&s);
        changes[i].how(&s);
        uint8_t *bytes = small_write(&s, NULL, &size);
        check_refused(bytes, size, VTA_PARSE, changes[i].text, changes[i].text);
        vta_string_free(bytes);
        small_free(&s);
    }
}

/* ---- How the plan is written ---- */

TEST_CASE(texts) {
    static const struct {
        const char *from, *to;
        vta_status status;
        const char *text;
    } changes[] = {
        {"{", "", VTA_PARSE, "bad.vta-model:"},
        {"\"version\": 1", "\"version\": 2", VTA_UNSUPPORTED, "version 2"},
        {"\"version\": 1", "\"version\": \"1\"", VTA_PARSE, "\"version\" is not a number"},
        {"\"name\": \"small\"", "\"name\": 7", VTA_PARSE, "\"name\" is not a text"},
        {"\"name\": \"small\"", "\"name\": \"a\\u0000b\"", VTA_PARSE, "is not allowed"},
        {"\"triple\": \"\"", "\"trifle\": \"\"", VTA_PARSE, "\"triple\" is not a text"},
        {"\"host_bytes\": 128", "\"host_bytes\": -1", VTA_PARSE, "\"host_bytes\" is out of range"},
        {"\"host_bytes\": 128", "\"host_bytes\": 1.5", VTA_PARSE, "\"host_bytes\" is not a number"},
        {"\"buffers\": [", "\"buffers\": 3, \"x\": [", VTA_PARSE, "\"buffers\" is not a list"},
        {"\"place\": \"device\"", "\"place\": \"moon\"", VTA_PARSE, "buffers[1]: \"place\" is not"},
        {"\"type\": \"int8\"", "\"type\": \"int9x\"", VTA_PARSE, "inputs[0]: \"type\" is not a type"},
        {"\"type\": \"int8\"", "\"type\": \"handle\"", VTA_PARSE, "inputs[0]: \"shape\" and type"},
        {"\"shape\": [1, 16, 2, 2]", "\"shape\": 5", VTA_PARSE, "inputs[0]: \"shape\" is not a list"},
        {"\"shape\": [1, 16, 2, 2]", "\"shape\": [1, 16, 2, true]", VTA_PARSE, "extent that is not a number"},
        {"\"shape\": [1, 16, 2, 2]", "\"shape\": [1, 16, 2, -2]", VTA_PARSE, "\"shape\" and type"},
        {"\"shape\": [1, 16, 2, 2]", "\"shape\": [9000000000, 9000000000, 2, 2]", VTA_PARSE, "\"shape\" and type"},
        {"\"shape\": [1, 16, 2, 2]", "\"shape\": [1,1,1,1,1,1,1,1,64]", VTA_PARSE, "at most 8 extents"},
        {"\"kind\": \"pack\"", "\"kind\": \"fly\"", VTA_PARSE, "steps[0]: \"kind\" is not a kind of step"},
        {"\"first\": 0", "\"first\": 99999999999", VTA_PARSE, "steps[1]: \"first\" is out of range"},
    };
    small s;
    size_t size;
    small_make(&s);
    vt_strbuf plan;
    vt_strbuf_init(&plan, NULL);
    vt_plan_write(&s.plan, &plan);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *json = small_replaced(vt_strbuf_text(&plan), changes[i].from, 0, changes[i].to);
        uint8_t *bytes = small_write(&s, json, &size);
        check_refused(bytes, size, changes[i].status, changes[i].text, changes[i].to);
        vta_string_free(bytes);
        free(json);
    }
    vt_strbuf_free(&plan);
    small_free(&s);
}

TEST_CASE(configurations) {
    small s;
    size_t size;
    small_make(&s);
    char *was = s.config;
    s.config = small_replaced(was, "\"LOG_BATCH\": 0", 0, "\"LOG_BATCH\": 99");
    uint8_t *bytes = small_write(&s, NULL, &size);
    check_refused(bytes, size, VTA_CONFIG, "LOG_BATCH", "configuration");
    vta_string_free(bytes);
    free(s.config);
    s.config = was;
    small_free(&s);
}

int main(void) { return run_cases(); }
