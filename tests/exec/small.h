/* A small artifact made by hand: x (int8, 1 x 16 x 2 x 2) is packed, the accelerator adds 3 and then 5 in two layers of
 * one run, the result is copied on the device, then unpacked: y = x + 8, modulo 256. */
#ifndef TESTS_EXEC_SMALL_H
#define TESTS_EXEC_SMALL_H

#include "artifact/plan.h"
#include "support/check.h"
#include "vta/exec.h"

enum { TILES = 4, LANES = 16, ELEMENTS = TILES * LANES, PAGE = 4096 };
/* The arena: a parameter that nobody needs, one micro-op, instructions, x, y, z. */
enum { UOPS_AT = PAGE, INSNS_AT = 2 * PAGE, X_AT = 3 * PAGE, Y_AT = 4 * PAGE, Z_AT = 5 * PAGE, BYTES = 6 * PAGE };
/* Each byte of the parameter; the last one of the micro-op: a weight, which ALU does not use. */
enum { SMALL_PARAM = 0x5a, SMALL_UOP = 0x40 };

typedef struct small {
    vt_plan plan;
    vt_plan_buffer buffers[6];
    vt_plan_port input, output;
    vt_plan_view views[8];
    vt_plan_step steps[4];
    vt_plan_layer layers[2];
    uint8_t insns[16 * VTA_INSN_BYTES], uops[VTA_UOP_BYTES], params[64];
    uint32_t insn_count;
    const char *code, *data;                  /* in place of native code, and its constants; NULL: none */
    size_t data_bytes, insns_more, uops_less; /* of the sections */
    vt_section sections[8];
    uint32_t section_count;
    vt_strbuf json;
    char *config;
} small;

static const int64_t small_flat[] = {1, LANES, 2, 2}, small_tiles[] = {1, 1, 2, 2, 1, LANES},
                     small_bytes[] = {ELEMENTS};
static const DLDataType small_int8 = {kDLInt, 8, 1}, small_uint8 = {kDLUInt, 8, 1};

static inline vta_insn *small_insn(vta_insn *insn, vta_opcode opcode) {
    *insn = (vta_insn){.opcode = (uint8_t)opcode};
    return insn;
}

static inline void small_push(small *s, const vta_config *config, const vta_insn *insn) {
    assert_int_equal(vta_insn_encode(config, insn, NULL, s->insns + s->insn_count++ * VTA_INSN_BYTES), VTA_OK);
}

static inline void small_transfer(small *s, const vta_config *config, vta_opcode opcode, vta_memory memory,
                                  uint32_t address, uint32_t count, const char *tokens) {
    vta_insn insn;
    small_insn(&insn, opcode);
    insn.u.mem.memory_type = (uint8_t)memory;
    insn.u.mem.x_size = insn.u.mem.x_stride = (uint16_t)count;
    insn.u.mem.y_size = 1;
    uint32_t element = vta_config_elem_bytes(config, memory);
    insn.u.mem.dram_base = element ? address / element : 0; /* of a memory that is not there */
    insn.pop_prev_dep = strchr(tokens, 'p') != NULL;
    insn.pop_next_dep = strchr(tokens, 'n') != NULL;
    insn.push_prev_dep = strchr(tokens, 'P') != NULL;
    insn.push_next_dep = strchr(tokens, 'N') != NULL;
    small_push(s, config, &insn);
}

static inline void small_add(small *s, const vta_config *config, int imm) {
    vta_insn insn;
    small_insn(&insn, VTA_OP_ALU);
    insn.u.exec.alu_opcode = VTA_ALU_ADD;
    insn.u.exec.use_imm = 1;
    insn.u.exec.imm = (int16_t)imm;
    insn.u.exec.uop_end = 1;
    insn.u.exec.iter_out = 1;
    insn.u.exec.iter_in = TILES;
    insn.u.exec.dst_factor_in = insn.u.exec.src_factor_in = 1;
    insn.push_next_dep = 1;
    small_push(s, config, &insn);
}

/* from + imm, to `to`; the next layer begins when the store is over. */
static inline void small_layer(small *s, const vta_config *config, uint32_t from, uint32_t to, int imm) {
    bool first = s->insn_count == 0;
    small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_UOP, UOPS_AT, 1, first ? "" : "n");
    small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_ACC_8BIT, from, TILES, "");
    small_add(s, config, imm);
    small_transfer(s, config, VTA_OP_STORE, VTA_MEM_OUT, to, TILES, "pP");
}

static inline void small_stream(small *s, const vta_config *config) {
    vta_insn insn;
    small_layer(s, config, X_AT, Y_AT, 3);
    s->layers[1].first = s->insn_count;
    small_layer(s, config, Y_AT, Z_AT, 5);
    small_insn(&insn, VTA_OP_FINISH)->pop_next_dep = 1;
    small_push(s, config, &insn);
}

static inline vt_plan_view small_view(uint32_t buffer, DLDataType type, int32_t ndim, const int64_t *shape,
                                      bool output) {
    return (vt_plan_view){buffer, 0, ELEMENTS, type, ndim, output, shape};
}

/* Everything but the sections; tests change it before small_write. */
static inline void small_make(small *s) {
    vta_config *config = vta_config_default();
    *s = (small){.buffers = {{"x", VT_PLACE_HOST, 0, ELEMENTS},
                             {"x.tiles", VT_PLACE_DEVICE, X_AT, ELEMENTS},
                             {"y.tiles", VT_PLACE_DEVICE, Y_AT, ELEMENTS},
                             {"z.tiles", VT_PLACE_DEVICE, Z_AT, ELEMENTS},
                             {"y", VT_PLACE_HOST, ELEMENTS, ELEMENTS},
                             {"parameter", VT_PLACE_DEVICE, 0, 64}},
                 .layers = {{"add 3", 0}, {"add 5", 0}}};
    s->views[0] = small_view(0, small_int8, 4, small_flat, false);
    s->views[1] = small_view(1, small_int8, 6, small_tiles, true);
    s->views[2] = small_view(3, small_uint8, 1, small_bytes, false);
    s->views[3] = small_view(1, small_uint8, 1, small_bytes, true);
    s->views[4] = small_view(1, small_int8, 6, small_tiles, false);
    s->views[5] = small_view(4, small_int8, 4, small_flat, true);
    small_stream(s, config);
    s->steps[0] = (vt_plan_step){.kind = VT_STEP_PACK, .name = "pack", .views = &s->views[0], .view_count = 2};
    s->steps[1] = (vt_plan_step){
        .kind = VT_STEP_RUN, .name = "adds", .count = s->insn_count, .layers = s->layers, .layer_count = 2};
    s->steps[2] = (vt_plan_step){.kind = VT_STEP_COPY, .name = "copy", .views = &s->views[2], .view_count = 2};
    s->steps[3] = (vt_plan_step){.kind = VT_STEP_UNPACK, .name = "unpack", .views = &s->views[4], .view_count = 2};
    s->input = (vt_plan_port){"x", small_view(0, small_int8, 4, small_flat, false)};
    s->output = (vt_plan_port){"y", small_view(4, small_int8, 4, small_flat, false)};
    s->plan = (vt_plan){.name = "small",
                        .triple = "",
                        .device_bytes = BYTES,
                        .uops_at = UOPS_AT,
                        .insns_at = INSNS_AT,
                        .work_at = X_AT,
                        .host_bytes = 2 * ELEMENTS,
                        .buffers = s->buffers,
                        .inputs = &s->input,
                        .outputs = &s->output,
                        .steps = s->steps,
                        .buffer_count = 6,
                        .input_count = 1,
                        .output_count = 1,
                        .step_count = 4};
    memset(s->params, SMALL_PARAM, sizeof s->params);
    s->uops[VTA_UOP_BYTES - 1] = SMALL_UOP;
    s->config = vta_config_to_json(config);
    vta_config_release(config);
}

static inline void small_section(small *s, const char *name, const void *bytes, size_t size) {
    vt_section *section = &s->sections[s->section_count++];
    *section = (vt_section){.bytes = bytes, .size = size};
    memcpy(section->name, name, strlen(name));
}

/* The file; `json` in place of the plan's own when not NULL. Free with vta_string_free. */
static inline uint8_t *small_write(small *s, const char *json, size_t *out_size) {
    uint8_t *bytes;
    vt_strbuf_init(&s->json, NULL);
    vt_plan_write(&s->plan, &s->json);
    if (!json) json = vt_strbuf_text(&s->json);
    s->section_count = 0;
    small_section(s, VT_SECTION_PLAN, json, strlen(json));
    small_section(s, VT_SECTION_CONFIG, s->config, strlen(s->config));
    small_section(s, VT_SECTION_PARAMS, s->params, sizeof s->params);
    small_section(s, VT_SECTION_UOPS, s->uops, sizeof s->uops - s->uops_less);
    small_section(s, VT_SECTION_INSNS, s->insns, (size_t)s->insn_count * VTA_INSN_BYTES + s->insns_more);
    if (s->code) small_section(s, VT_SECTION_CODE, s->code, strlen(s->code));
    if (s->data) small_section(s, VT_SECTION_DATA, s->data, s->data_bytes);
    small_section(s, "labels", "cat\ndog\n", 8);
    assert_int_equal(vt_container_write(s->sections, s->section_count, NULL, &bytes, out_size), VTA_OK);
    vt_strbuf_free(&s->json);
    return bytes;
}

static inline void small_free(small *s) { vta_string_free(s->config); }

/* The artifact as it is meant. */
static inline uint8_t *small_artifact(size_t *out_size) {
    small s;
    small_make(&s);
    uint8_t *bytes = small_write(&s, NULL, out_size);
    small_free(&s);
    return bytes;
}

/* A text with `from` replaced where it stands for the n-th time, counted from 0; freed by the caller. */
static inline char *small_replaced(const char *text, const char *from, int n, const char *to) {
    const char *at = strstr(text, from);
    for (; at && n; n--) at = strstr(at + 1, from);
    if (!at) fail_msg("the text has no %s", from);
    size_t size = strlen(text) + strlen(to) + 1;
    char *out = malloc(size);
    snprintf(out, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

#endif
