/* Every size that follows from the keys, and the first rule that they break, for random configurations: computed here
 * from elements and bytes, where the library adds and subtracts logarithms. */
#include "support/check.h"
#include "vta/config.h"

typedef struct model {
    int field[VTA_CONFIG_FIELD_COUNT];
    uint32_t scalars[VTA_MEM_COUNT], width[VTA_MEM_COUNT], bytes[VTA_MEM_COUNT], buffer[VTA_MEM_COUNT],
        depth[VTA_MEM_COUNT];
    char refusal[256]; /* "": it is right */
} model;

static int log2_of(uint32_t power) {
    int n = 0;
    while (power >> n > 1) n++;
    return n;
}

static uint32_t power(const model *m, vta_config_field field) { return (uint32_t)1 << m->field[field]; }

#define REFUSE(...)                                                                                                    \
    do {                                                                                                               \
        snprintf(m->refusal, sizeof m->refusal, __VA_ARGS__);                                                          \
        return;                                                                                                        \
    } while (0)

static void fill_in(model *m) {
    uint32_t batch = power(m, VTA_CONFIG_LOG_BATCH), in = power(m, VTA_CONFIG_LOG_BLOCK_IN),
             out = power(m, VTA_CONFIG_LOG_BLOCK_OUT), inp_bits = power(m, VTA_CONFIG_LOG_INP_WIDTH);
    const uint32_t scalars[VTA_MEM_COUNT] = {1, out * in, batch * in, batch * out, batch * out, batch * out, 256};
    const uint32_t width[VTA_MEM_COUNT] = {
        32, power(m, VTA_CONFIG_LOG_WGT_WIDTH), inp_bits, power(m, VTA_CONFIG_LOG_ACC_WIDTH), inp_bits, 8, 8};
    static const vta_config_field sizes[] = {VTA_CONFIG_LOG_UOP_BUFF_SIZE, VTA_CONFIG_LOG_WGT_BUFF_SIZE,
                                             VTA_CONFIG_LOG_INP_BUFF_SIZE, VTA_CONFIG_LOG_ACC_BUFF_SIZE};
    memcpy(m->scalars, scalars, sizeof scalars);
    memcpy(m->width, width, sizeof width);
    m->refusal[0] = '\0';
    int tables = m->field[VTA_CONFIG_LOG_TABLE_BUFF_SIZE];
    if (tables > 0 && tables < 8)
        REFUSE("LOG_TABLE_BUFF_SIZE = %d: a table takes 256 bytes, so the memory has at least 8; or 0: no tables",
               tables);
    if (width[VTA_MEM_ACC] < inp_bits)
        REFUSE("LOG_ACC_WIDTH = %d: accumulators of %u bits are narrower than outputs, which have LOG_INP_WIDTH = %d, "
               "%u bits",
               m->field[VTA_CONFIG_LOG_ACC_WIDTH], width[VTA_MEM_ACC], m->field[VTA_CONFIG_LOG_INP_WIDTH], inp_bits);
    for (int i = 0; i < VTA_MEM_COUNT; i++) {
        const char *name = vta_memory_name((vta_memory)i);
        uint32_t bits = scalars[i] * width[i];
        if (i == VTA_MEM_TABLE) {
            m->width[i] = tables ? 8 : 0;
            m->bytes[i] = tables ? 256 : 0;
            m->buffer[i] = tables ? (uint32_t)1 << tables : 0;
            m->depth[i] = m->buffer[i] / 256;
            continue;
        }
        if (bits < 8)
            REFUSE("an %s element of %u bits is smaller than a byte; use wider scalars or blocks", name, bits);
        m->bytes[i] = bits / 8;
        if (bits / 8 > 4096)
            REFUSE("an %s element of %u bytes (%u scalars of %u bits) is larger than a page of 4096 bytes; use smaller "
                   "blocks or narrower scalars",
                   name, bits / 8, scalars[i], width[i]);
        m->depth[i] = m->depth[VTA_MEM_ACC]; /* of out and acc8 */
        m->buffer[i] = i == VTA_MEM_OUT ? m->depth[i] * m->bytes[i] : m->buffer[VTA_MEM_ACC];
        if (i > VTA_MEM_ACC) continue;
        m->buffer[i] = power(m, sizes[i]);
        m->depth[i] = m->buffer[i] / m->bytes[i];
        if (!m->depth[i])
            REFUSE("%s = %d: a buffer of %u bytes holds no element of %u bytes; at least %d",
                   vta_config_field_name(sizes[i]), m->field[sizes[i]], m->buffer[i], m->bytes[i],
                   log2_of(m->bytes[i]));
    }
    int uop = log2_of(m->depth[VTA_MEM_UOP]), acc = log2_of(m->depth[VTA_MEM_ACC]),
        inp = log2_of(m->depth[VTA_MEM_INP]), wgt = log2_of(m->depth[VTA_MEM_WGT]), src = inp > acc ? inp : acc;
    if (acc + src + wgt > 32)
        REFUSE(
            "a micro-op needs %d bits for its indices (acc %d + src %d + wgt %d) and has 32; make LOG_ACC_BUFF_SIZE, "
            "LOG_INP_BUFF_SIZE or LOG_WGT_BUFF_SIZE smaller, or the tile bigger",
            acc + src + wgt, acc, src, wgt);
    /* docs/spec.md, section 3: GEMM has 8 bits in common with all, two counts of 14, and two indices of micro-ops of
     * which the second may be the number of all; ALU has four factors of acc indices and 20 bits beside. */
    int gemm = 8 + 2 * 14 + uop + uop + 1, alu = 4 * acc + 20;
    if (gemm > 64 || alu > 64)
        REFUSE("%s needs %d bits in half %d of an instruction and has 64 (index bits: uop %d, acc %d, inp %d, wgt %d); "
               "make the buffers smaller or the tile bigger",
               gemm > 64 ? "GEMM" : "ALU", gemm > 64 ? gemm : alu, gemm <= 64, uop, acc, inp, wgt);
}

static void compare(const model *m, const vta_config *c) {
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++)
        assert_int_equal(vta_config_get(c, (vta_config_field)i), m->field[i]);
    assert_int_equal(vta_config_batch(c), power(m, VTA_CONFIG_LOG_BATCH));
    assert_int_equal(vta_config_block_in(c), power(m, VTA_CONFIG_LOG_BLOCK_IN));
    assert_int_equal(vta_config_block_out(c), power(m, VTA_CONFIG_LOG_BLOCK_OUT));
    for (int i = 0; i <= VTA_MEM_COUNT; i++) {
        bool is = i < VTA_MEM_COUNT; /* of what is no memory: 0 */
        assert_int_equal(vta_config_width(c, (vta_memory)i), is ? m->width[i] : 0);
        assert_int_equal(vta_config_elem_bytes(c, (vta_memory)i), is ? m->bytes[i] : 0);
        assert_int_equal(vta_config_buffer_bytes(c, (vta_memory)i), is ? m->buffer[i] : 0);
        assert_int_equal(vta_config_depth(c, (vta_memory)i), is ? m->depth[i] : 0);
    }
    char name[128], block[32];
    uint32_t in = vta_config_block_in(c), out = vta_config_block_out(c);
    snprintf(block, sizeof block, in == out ? "%u" : "%ux%u", in, out);
    snprintf(name, sizeof name, "tsim_%ux%s_i%uw%ua%u_%d_%d_%d_%d", vta_config_batch(c), block, m->width[VTA_MEM_INP],
             m->width[VTA_MEM_WGT], m->width[VTA_MEM_ACC], m->field[VTA_CONFIG_LOG_UOP_BUFF_SIZE],
             m->field[VTA_CONFIG_LOG_INP_BUFF_SIZE], m->field[VTA_CONFIG_LOG_WGT_BUFF_SIZE],
             m->field[VTA_CONFIG_LOG_ACC_BUFF_SIZE]);
    int tables = m->field[VTA_CONFIG_LOG_TABLE_BUFF_SIZE];
    if (tables) snprintf(name + strlen(name), sizeof name - strlen(name), "_t%d", tables);
    assert_int_equal(vta_config_isa_version(c), tables ? 2 : 1);
    assert_string_equal(vta_config_model(c), name);
    assert_string_equal(vta_config_bitstream(c), name + strlen("tsim_"));
}

/* The complete text of a configuration, as a file has it. */
static size_t write_text(const model *m, char *to, size_t room) {
    size_t n = (size_t)snprintf(to, room, "{\n  \"TARGET\": \"tsim\",\n  \"HW_VER\": \"1.2-x\"");
    bool square = m->field[VTA_CONFIG_LOG_BLOCK_IN] == m->field[VTA_CONFIG_LOG_BLOCK_OUT];
    if (m->field[VTA_CONFIG_LOG_TABLE_BUFF_SIZE]) n += (size_t)snprintf(to + n, room - n, ",\n  \"ISA_VERSION\": 2");
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) {
        if (square && i == VTA_CONFIG_LOG_BLOCK_OUT) continue;
        if (i == VTA_CONFIG_LOG_TABLE_BUFF_SIZE && !m->field[i]) continue;
        bool both = square && i == VTA_CONFIG_LOG_BLOCK_IN;
        n += (size_t)snprintf(to + n, room - n, ",\n  \"%s\": %d",
                              both ? "LOG_BLOCK" : vta_config_field_name((vta_config_field)i), m->field[i]);
    }
    return n + (size_t)snprintf(to + n, room - n, "\n}\n");
}

/* One configuration, parsed from its text; whether it is right. */
static bool check(model *m, vta_diag *diag) {
    char text[1024], words[512];
    vta_config *c;
    fill_in(m);
    vta_diag_clear(diag);
    vta_status status = vta_config_parse(text, write_text(m, text, sizeof text), "test.json", diag, &c);
    if (*m->refusal) {
        assert_int_equal(status, VTA_CONFIG);
        assert_null(c);
        snprintf(words, sizeof words, "test.json: error: %s", m->refusal);
        assert_string_equal(vta_diag_text(diag), words);
        return false;
    }
    if (status != VTA_OK) fail_msg("refused: %s", vta_diag_text(diag));
    compare(m, c);
    char *again = vta_config_to_json(c);
    assert_string_equal(again, text);
    vta_string_free(again);
    vta_config_release(c);
    return true;
}

static const struct {
    int value, least, most;
} keys[] = {
#define VTA_CONFIG_FIELD(key, value, least, most, meaning) {value, least, most},
#include "vta/config.def"
#undef VTA_CONFIG_FIELD
};

TEST_CASE(random_configurations) {
    enum { COUNT = 20000 };
    check_random random = {77};
    vta_diag *diag = vta_diag_create(NULL);
    int right = 0;
    for (int n = 0; n < COUNT; n++) {
        model m = {0};
        for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) { /* most near the defaults, else hardly one would be right */
            int reach = n % 4 ? 3 : 30, least = keys[i].value - reach, most = keys[i].value + reach;
            m.field[i] = (int)check_between(&random, least < keys[i].least ? keys[i].least : least,
                                            most > keys[i].most ? keys[i].most : most);
        }
        if (n % 4) m.field[VTA_CONFIG_LOG_TABLE_BUFF_SIZE] = n % 8 < 4 ? 0 : (int)check_between(&random, 6, 16);
        right += check(&m, diag);
    }
    assert_in_range(right, COUNT / 10, COUNT * 9 / 10);
    vta_diag_destroy(diag);
}

/* Each key alone over all that it may be. */
TEST_CASE(every_value) {
    vta_diag *diag = vta_diag_create(NULL);
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++)
        for (int value = keys[i].least; value <= keys[i].most; value++) {
            model m = {0};
            for (int k = 0; k < VTA_CONFIG_FIELD_COUNT; k++) m.field[k] = k == i ? value : keys[k].value;
            check(&m, diag);
        }
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }
