/* Memory in values against a plain model, cell by cell: random regions, scalars of every width written and read at
 * random places, recorded bytes and data. */
#include "prove/shadow.h"
#include "support/check.h"

enum { BYTES = 96, BASE = 4096, ROUNDS = 400, STEPS = 120 };

/* A cell of the model: what was written there last, how wide, and which part of it this is. */
typedef struct cell {
    bool covered, data, recorded, written;
    vta_value value;
    uint8_t raw;
    uint32_t bits, part;
} cell;

typedef struct model {
    vt_shadow shadow;
    vta_field *field;
    uint32_t cell_bits;
    cell cells[2 * BYTES];
    check_random random;
} model;

static uint32_t below(model *m, uint32_t n) { return check_next(&m->random) % n; }
static cell *cells_at(model *m, uint64_t addr) { return &m->cells[(addr - BASE) * 8 / m->cell_bits]; }
static bool covered(model *m, uint64_t addr, uint64_t bytes) {
    for (uint64_t k = 0; k < bytes; k++)
        if (addr + k >= BASE + BYTES || !cells_at(m, addr + k)->covered) return false;
    return true;
}

static void add_regions(model *m) {
    for (uint32_t n = 1 + below(m, 8); n; n--) {
        uint64_t addr = BASE + 4 * below(m, BYTES / 4 - 1), bytes = 4 * (1 + below(m, 6));
        if (addr + bytes > BASE + BYTES) bytes = BASE + BYTES - addr;
        assert_int_equal(vt_shadow_add(&m->shadow, addr, bytes, NULL), VTA_OK);
        for (uint64_t c = 0; c < bytes * 8 / m->cell_bits; c++) cells_at(m, addr)[c].covered = true;
    }
    assert_int_equal(vt_shadow_ready(&m->shadow, NULL), VTA_OK);
    size_t cells = 0;
    for (uint32_t c = 0; c < BYTES * 8 / m->cell_bits; c++) cells += m->cells[c].covered;
    assert_int_equal(m->shadow.cells, cells);
}

/* A place, a width and a number of scalars whose bytes are whole; now and then past the end of what there is. */
static uint64_t place(model *m, uint32_t *out_bits, size_t *out_count) {
    static const uint32_t widths[] = {4, 8, 16, 32};
    do *out_bits = widths[below(m, 4)];
    while (*out_bits < m->cell_bits);
    *out_count = (1 + below(m, 3)) * (*out_bits == 4 ? 2 : 1);
    uint32_t step = *out_bits <= 8 ? 1 : *out_bits / 8;
    uint64_t addr = BASE + below(m, BYTES / step) * step;
    return addr - (addr - BASE) % (m->cell_bits <= 8 ? 1 : m->cell_bits / 8);
}

static void write(model *m) {
    uint32_t bits;
    size_t count;
    uint64_t addr = place(m, &bits, &count);
    vta_value values[8];
    for (size_t i = 0; i < count; i++) values[i] = vta_field_variable(m->field, 1, check_next(&m->random));
    bool fits = covered(m, addr, (bits * count + 7) / 8);
    assert_int_equal(vt_shadow_write(&m->shadow, addr, bits, count, values), fits);
    uint32_t parts = bits / m->cell_bits;
    for (size_t c = 0; fits && c < count * parts; c++)
        cells_at(m, addr)[c] = (cell){.covered = true,
                                      .data = true,
                                      .written = true,
                                      .value = values[c / parts],
                                      .bits = bits,
                                      .part = (uint32_t)(c % parts)};
}

static void record(model *m) {
    uint64_t addr = BASE + 4 * below(m, BYTES / 4), bytes = 4 * (1 + below(m, 3));
    uint8_t raw[12];
    size_t known = below(m, 2) ? bytes : below(m, (uint32_t)bytes);
    for (size_t k = 0; k < sizeof raw; k++) raw[k] = (uint8_t)check_next(&m->random);
    bool fits = covered(m, addr, bytes);
    assert_int_equal(vt_shadow_set_constants(&m->shadow, addr, bytes, raw, known), fits);
    for (size_t c = 0; fits && c < bytes * 8 / m->cell_bits; c++) {
        cell *to = &cells_at(m, addr)[c];
        size_t bit = c * m->cell_bits;
        uint32_t word = 0;
        for (size_t k = bit / 8; k < bit / 8 + 4; k++) word |= (uint32_t)(k < known ? raw[k] : 0) << 8 * (k - bit / 8);
        *to = (cell){.covered = true, .data = to->data, .recorded = true};
        to->value = word >> bit % 8 & (m->cell_bits == 32 ? UINT32_MAX : (1u << m->cell_bits) - 1);
    }
}

static void check_scalar(model *m, const cell *c, uint32_t bits, vta_value got) {
    uint32_t parts = bits / m->cell_bits, recorded = 0, same = 0;
    uint64_t raw = 0;
    for (uint32_t k = 0; k < parts; k++) {
        recorded += c[k].recorded;
        same += c[k].written && c[k].bits == bits && c[k].part == k && c[k].value == c[0].value;
        raw |= c[k].value << (k * m->cell_bits);
    }
    if (recorded == parts) {
        int64_t number = (int64_t)(raw << (64 - bits)) >> (64 - bits), is;
        assert_true(vta_field_is_int(m->field, got, &is));
        assert_int_equal(is, number);
        return;
    }
    if (same == parts) {
        assert_int_equal(got, c[0].value);
        return;
    }
    for (uint32_t k = 0; k < parts; k++)
        if (c[k].written) assert_int_not_equal(got, c[k].value);
}

static void read(model *m) {
    uint32_t bits;
    size_t count;
    uint64_t addr = place(m, &bits, &count);
    vta_value once[8], again[8];
    bool fits = covered(m, addr, (bits * count + 7) / 8);
    assert_int_equal(vt_shadow_read(&m->shadow, addr, bits, count, once), fits);
    if (!fits) return;
    assert_true(vt_shadow_read(&m->shadow, addr, bits, count, again));
    assert_memory_equal(once, again, count * sizeof *once);
    for (size_t i = 0; i < count; i++) check_scalar(m, cells_at(m, addr) + i * bits / m->cell_bits, bits, once[i]);
}

static void ask(model *m) {
    uint64_t addr = BASE + 4 * below(m, BYTES / 4), bytes = 4 * (1 + below(m, 4));
    bool data = false, recorded = false, all = covered(m, addr, bytes);
    for (size_t c = 0; all && c < bytes * 8 / m->cell_bits; c++) {
        data |= cells_at(m, addr)[c].data;
        recorded |= cells_at(m, addr)[c].recorded;
    }
    assert_int_equal(vt_shadow_is_data(&m->shadow, addr, bytes), data);
    assert_int_equal(vt_shadow_is_constant(&m->shadow, addr, bytes), recorded);
    if (below(m, 8)) return;
    assert_int_equal(vt_shadow_set_data(&m->shadow, addr, bytes), all);
    for (size_t c = 0; all && c < bytes * 8 / m->cell_bits; c++) cells_at(m, addr)[c].data = true;
}

TEST_CASE(against_a_model) {
    static const uint32_t widths[] = {4, 8, 16, 32};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        model m = {.cell_bits = widths[round % 4], .random = {round + 1}};
        check_allocator a;
        check_allocator_init(&a, SIZE_MAX);
        assert_int_equal(vta_field_create(round, NULL, NULL, &m.field), VTA_OK);
        vt_shadow_init(&m.shadow, &a.allocator, m.field, m.cell_bits, round);
        add_regions(&m);
        for (int step = 0; step < STEPS; step++) {
            void (*const steps[])(model *) = {write, read, read, record, ask};
            steps[below(&m, 5)](&m);
        }
        vt_shadow_clear(&m.shadow);
        assert_int_equal(a.live, 0);
        vta_field_destroy(m.field);
    }
}

/* What nothing wrote differs from place to place, from width to width, and with what stale memory is said to hold. */
TEST_CASE(stale_memory) {
    vta_value got[2][3];
    vta_field *field;
    assert_int_equal(vta_field_create(1, NULL, NULL, &field), VTA_OK);
    for (uint64_t stale = 0; stale < 2; stale++) {
        vt_shadow s;
        vt_shadow_init(&s, &vt_allocator_libc, field, 8, stale);
        assert_int_equal(vt_shadow_add(&s, BASE, 8, NULL), VTA_OK);
        assert_int_equal(vt_shadow_ready(&s, NULL), VTA_OK);
        assert_true(vt_shadow_read(&s, BASE, 32, 2, got[stale]));
        assert_true(vt_shadow_read(&s, BASE, 16, 1, got[stale] + 2));
        vt_shadow_clear(&s);
    }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++) assert_int_not_equal(got[i / 3][i % 3], got[k / 3][k % 3]);
    vta_field_destroy(field);
}

/* What was written in parts: every part counts, nothing else does. Each of 4 bytes is one of two values, as a byte or
 * as a half of a wider scalar. */
TEST_CASE(memory_in_parts) {
    enum { PARTS = 4, CHOICES = 1 << 2 * PARTS };
    static vta_value got[2][CHOICES];
    vta_field *field;
    assert_int_equal(vta_field_create(1, NULL, NULL, &field), VTA_OK);
    const vta_value one[2] = {vta_field_variable(field, 1, 0), vta_field_variable(field, 1, 1)};
    for (int again = 0; again < 2; again++)
        for (int choice = 0; choice < CHOICES; choice++) {
            vt_shadow s;
            vt_shadow_init(&s, &vt_allocator_libc, field, 8, 0);
            assert_int_equal(vt_shadow_add(&s, BASE, 8, NULL), VTA_OK);
            assert_int_equal(vt_shadow_ready(&s, NULL), VTA_OK);
            for (int k = 0; k < PARTS; k++) {
                const vta_value *value = &one[choice >> 2 * k & 1];
                bool wide = choice >> (2 * k + 1) & 1; /* the next byte is written anew, but behind the last */
                assert_true(vt_shadow_write(&s, BASE + (uint64_t)k, wide ? 16 : 8, 1, value));
            }
            assert_true(vt_shadow_read(&s, BASE, 32, 1, &got[again][choice]));
            vt_shadow_clear(&s);
        }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    for (int i = 0; i < CHOICES; i++)
        for (int k = 0; k < i; k++) assert_int_not_equal(got[0][i], got[0][k]);
    vta_field_destroy(field);
}

int main(void) { return run_cases(); }
