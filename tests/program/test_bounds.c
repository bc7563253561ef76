/* Programs at their bounds: what is recorded beside what just is not, contents that are found again among many, notes,
 * and what is wrong with a file, in its complete words. */
#include "base/little_endian.h"
#include "program/file.h"
#include "support/diag.h"
#include "support/programs.h"

static vta_config *config;
static vta_program *p;
static uint8_t insns[64 * VTA_INSN_BYTES];

static int begin(void **state) {
    (void)state;
    config = vta_config_default();
    diag = vta_diag_create(NULL);
    for (size_t i = 0; i < sizeof insns; i += VTA_INSN_BYTES) insns[i] = VTA_OP_FINISH;
    return vta_program_create(config, NULL, diag, &p) != VTA_OK;
}

static int end(void **state) {
    (void)state;
    vta_program_destroy(p);
    vta_diag_destroy(diag);
    vta_config_release(config);
    return 0;
}

static void open_run(uint32_t addr, uint32_t count) { must(vta_program_begin_run(p, addr, insns, count, diag)); }

static vta_status segment(uint32_t addr, size_t size) {
    static const uint8_t zeros[5 * 4096];
    assert_true(size <= sizeof zeros);
    return vta_program_add_segment(p, addr, zeros, size, diag);
}

/* ---- Recording --------------------------------------------------------------------------------------------------- */

static void segments(void **state) {
    (void)state;
    open_run(0x100000, 1);
    must(segment(0x5000, 0x1000));
    must(segment(0x2000, 0x1000));
    must(segment(0x3000, 0x2000)); /* fills the hole between them exactly */
    must(segment(0x1000, 0x1000));
    must(segment(0xfffff000, 0x1000)); /* up to the end of all addresses */
    says_error(segment(0xffffe000, 0x1001), VTA_OUT_OF_RANGE,
               "segment at 0xffffe000, 4097 bytes: overlaps the one at 0xfffff000, 4096 bytes");
    says_error(segment(0x4000, 0x10), VTA_OUT_OF_RANGE,
               "segment at 0x00004000, 16 bytes: overlaps the one at 0x00003000, 8192 bytes");
    says_error(segment(0x3000, 1), VTA_OUT_OF_RANGE,
               "segment at 0x00003000, 1 bytes: overlaps the one at 0x00003000, 8192 bytes");
    static const struct {
        uint32_t addr;
        size_t size;
    } bad[] = {{0, 1}, {0x8001, 1}, {0x8000, 0}, {0xfffff000, 0x1001}};
    for (int i = 0; i < 4; i++) {
        char words[200];
        snprintf(words, sizeof words,
                 "segment at 0x%08x, %zu bytes: must begin at a page (a multiple of 4096, not 0) and end in the 32-bit "
                 "address space",
                 bad[i].addr, bad[i].size);
        says_error(segment(bad[i].addr, bad[i].size), VTA_OUT_OF_RANGE, words);
    }
    says_error(vta_program_add_after(p, 0x3000, insns, 0x1fff, diag), VTA_NOT_FOUND,
               "contents after the run at 0x00003000, 8191 bytes: no such segment in this run");
    says_error(vta_program_add_after(p, 0x4000, insns, 0x1000, diag), VTA_NOT_FOUND,
               "contents after the run at 0x00004000, 4096 bytes: no such segment in this run");
    must(vta_program_end_run(p, diag));
    static const uint32_t order[] = {0x1000, 0x2000, 0x3000, 0x5000, 0xfffff000};
    for (uint32_t i = 0; i < 5; i++) {
        vta_program_segment s;
        assert_int_equal(vta_program_get_segment(p, 0, i, &s), VTA_OK);
        assert_int_equal(s.addr, order[i]);
        assert_true(!s.has_after && !s.after && !s.after_size);
    }
}

/* A gigabyte of DRAM at most, told without having it: the sizes are those of files. */
static void all_of_dram(void **state) {
    (void)state;
    open_run(0x1000, 1);
    uint32_t blob = vt__blobs_put(&p->blobs, "", 0);
    must(vt__program_put_segment(p, (vt__segment){0x10000000, (1u << 30) - 4096, blob, VT__NO_BLOB}, diag));
    says_error(vt__program_put_segment(p, (vt__segment){0x2000, 4097, blob, VT__NO_BLOB}, diag), VTA_OUT_OF_RANGE,
               "segment at 0x00002000, 4097 bytes: the segments of a run together are at most 1073741824 bytes");
    must(vt__program_put_segment(p, (vt__segment){0x2000, 4096, blob, VT__NO_BLOB}, diag));
    vta_program_drop_run(p);
}

/* Instructions lie inside one segment, or at a page and beside all. */
static void places_of_instructions(void **state) {
    (void)state;
    static const struct {
        uint32_t addr, count;
        bool good;
    } cases[] = {
        {0x3000, 64, true}, {0x2ff0, 1, true},  {0x2ff0, 2, false},     {0x2000, 4, true},      {0x1ff0, 1, false},
        {0x1ff0, 2, false}, {0x1000, 64, true}, {0x3010, 1, false},     {0x4000, 1, true},      {0x4030, 1, true},
        {0x4030, 2, false}, {0x4000, 5, false}, {0xffffffff, 1, false}, {0xfffffff0, 1, false}, {0xfffff000, 64, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[200];
        open_run(cases[i].addr, cases[i].count);
        must(segment(0x2000, 0x1000));
        must(segment(0x4000, 0x40));
        vta_status status = vta_program_end_run(p, diag);
        if (cases[i].good != (status == VTA_OK))
            fail_msg("0x%x, %u: %s", cases[i].addr, cases[i].count, vta_diag_text(diag));
        if (cases[i].good) continue;
        uint64_t last = (uint64_t)cases[i].addr + cases[i].count * VTA_INSN_BYTES;
        snprintf(words, sizeof words,
                 last > UINT64_C(1) << 32
                     ? "instructions at 0x%08x, %u of them: leave the 32-bit address space"
                     : "instructions at 0x%08x, %u of them: must lie inside one segment, or begin at a page and touch "
                       "none",
                 cases[i].addr, cases[i].count);
        says_error(status, VTA_OUT_OF_RANGE, words);
        vta_program_drop_run(p);
    }
    open_run(0x1000, 64); /* whose last byte may be the last before a segment */
    must(segment(0x2000, 1));
    must(vta_program_end_run(p, diag));
    says_error(vta_program_begin_run(p, 0xfff, insns, 1, diag), VTA_OUT_OF_RANGE,
               "instructions at 0x00000fff: page 0 is never mapped");
    says_error(vta_program_begin_run(p, 0x1000, insns, 0, diag), VTA_OUT_OF_RANGE,
               "0 instructions: a run has 1 to 2097152");
    says_error(vta_program_begin_run(p, 0x1000, insns, 2097153, diag), VTA_OUT_OF_RANGE,
               "2097153 instructions: a run has 1 to 2097152");
    must(vt__program_open_run(p, 0x1000, 0, 2097152, diag));
    says_error(vta_program_begin_run(p, 0x1000, insns, 1, diag), VTA_INVALID_ARGUMENT,
               "a run is being recorded already; end or drop it first");
    says_error(vta_program_set_insns(p, 0, insns, 1, diag), VTA_INVALID_ARGUMENT,
               "vta_program_set_insns: a run is being recorded");
    vta_program_drop_run(p);
    must(vta_program_set_insns(p, 0, insns, 1, diag));
    says_error(vta_program_set_insns(p, vta_program_run_count(p), insns, 1, diag), VTA_OUT_OF_RANGE,
               "run 8: the program has 8, counted from 0");
    says_error(vta_program_set_insns(p, 0, insns, 0, diag), VTA_OUT_OF_RANGE, "0 instructions: a run has 1 to 2097152");
}

/* ---- Contents ---------------------------------------------------------------------------------------------------- */

/* Each content is found again, however many there are; what was forgotten is not. */
static void contents(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    check_allocator a;
    check_allocator_init(&a, SIZE_MAX);
    vt__blobs b = {.allocator = &a.allocator};
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(vt__blobs_put(&b, &i, 4), i);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(vt__blobs_put(&b, &i, 4), i);
    assert_int_equal(b.count, COUNT);
    assert_int_equal(b.slot_count, 8192); /* at most half of the slots are taken: 64, 128, ... */
    vt__blobs_shrink(&b, COUNT + 5);
    assert_int_equal(b.count, COUNT);
    vt__blobs_shrink(&b, 100);
    assert_int_equal(b.count, 100);
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(vt__blobs_put(&b, &i, 4), i);
    uint32_t other = 2999;
    assert_int_equal(vt__blobs_put(&b, &other, 4), 100);
    for (size_t i = 0; i < b.count; i++) assert_int_equal(b.items[i].size, 4);
    vt__blobs_clear(&b);
    assert_int_equal(a.live, 0);
}

static void trailing_zeros(void **state) {
    (void)state;
    uint8_t bytes[40];
    for (size_t size = 0; size <= sizeof bytes; size++)
        for (size_t last = 0; last <= size; last++) { /* the place after the last byte that is not 0 */
            memset(bytes, 0, sizeof bytes);
            if (last < sizeof bytes) memset(bytes + size, 1, sizeof bytes - size); /* not looked at */
            if (last) bytes[last - 1] = 0x80;
            if (last > 9) bytes[0] = 1;
            assert_int_equal(vt__size_without_zeros(bytes, size), last);
        }
}

/* ---- Notes ------------------------------------------------------------------------------------------------------- */

static void notes(void **state) {
    (void)state;
    open_run(0x1000, 10);
    must(vta_program_add_note(p, 2, "two", diag));
    must(vta_program_add_note(p, 4, "first", diag));
    must(vta_program_add_note(p, 4, "tab\tand\nline", diag)); /* the later one counts, on one line */
    must(vta_program_add_note(p, 7, "", diag));
    must(vta_program_add_note(p, 9, "last", diag));
    says_error(vta_program_add_note(p, 8, "x", diag), VTA_OUT_OF_RANGE,
               "note of instruction 8: the run has 10, and notes come in their order");
    says_error(vta_program_add_note(p, 10, "x", diag), VTA_OUT_OF_RANGE,
               "note of instruction 10: the run has 10, and notes come in their order");
    must(vta_program_end_run(p, diag));
    says_error(vta_program_add_note(p, 0, "x", diag), VTA_INVALID_ARGUMENT,
               "no run is being recorded; begin one first");
    open_run(0x1000, 1);
    must(vta_program_add_note(p, 0, "other", diag));
    must(vta_program_end_run(p, diag));
    static const char *const expected[] = {NULL, NULL, "two",  "two", "tab and line", "tab and line", "tab and line",
                                           NULL, NULL, "last", NULL};
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    vt__notes_print(p, &text);
    assert_string_equal(vt_strbuf_text(&text), "0 2 two\n0 4 tab and line\n0 7 \n0 9 last\n1 0 other\n");
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 0; i <= 10; i++) {
            const char *is = vta_program_note(p, 0, i);
            if (expected[i])
                assert_string_equal(is, expected[i]);
            else
                assert_null(is);
        }
        assert_string_equal(vta_program_note(p, 1, 0), "other");
        assert_null(vta_program_note(p, 2, 0));
        for (int run = 0; run < 2; run++) p->runs[run].note_count = 0;
        must(vt__notes_parse(p, text.text, text.size, "n", diag));
    }
    vt_strbuf_free(&text);
    static const char *const bad[] = {"0 0",     "0 0 x", "0  0 x\n", " 0 0 x\n", "2 0 x\n", "0 4294967296 x\n",
                                      "a 0 x\n", "0 x\n", "\n",       "0 0\n",    "-1 0 x\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char lines[64];
        snprintf(lines, sizeof lines, "0 1 good\n%s", bad[i]);
        for (int run = 0; run < 2; run++) p->runs[run].note_count = 0;
        assert_int_equal(vt__notes_parse(p, lines, strlen(lines), "n", diag), VTA_PARSE);
        assert_string_equal(vta_diag_text(diag), "n: error: note 2 is not a line of run, instruction and text");
        vta_diag_clear(diag);
    }
    for (int run = 0; run < 2; run++) p->runs[run].note_count = 0;
    says_error(vt__notes_parse(p, "0 4294967295 x\n", 15, "n", diag), VTA_OUT_OF_RANGE,
               "note of instruction 4294967295: the run has 10, and notes come in their order");
}

/* ---- Replay ------------------------------------------------------------------------------------------------------ */

/* Memory is compared in pieces of 64 KiB: one byte that is not as recorded is found wherever it is. */
static void comparisons(void **state) {
    (void)state;
    enum { PIECE = 1 << 16, BYTES = 3 * PIECE - 10 };
    static const uint32_t wrong[] = {0, 1, PIECE - 1, PIECE, 2 * PIECE, BYTES - 1};
    static uint8_t before[BYTES], after[BYTES];
    vta_device *device;
    must(vta_device_create("sim", config, NULL, NULL, diag, &device));
    memset(before, 5, BYTES - 100); /* and zeros, which are not kept */
    open_run(0x1000, 1);
    must(vta_program_add_segment(p, 0x10000, before, BYTES, diag));
    must(vta_program_end_run(p, diag));
    must(vta_program_run(p, device, &(vta_program_options){.expect = 1}, diag));
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char words[400];
        memcpy(after, before, BYTES);
        after[wrong[i]] = 9;
        if (i == 1) after[BYTES / 2] = 9;
        open_run(0x1000, 1);
        must(vta_program_add_segment(p, 0x10000, before, BYTES, diag));
        must(vta_program_add_after(p, 0x10000, after, BYTES, diag));
        must(vta_program_end_run(p, diag));
        uint8_t found = before[wrong[i]];
        snprintf(words, sizeof words,
                 "run %u: DRAM at 0x%08x, byte %u of the segment at 0x00010000: expected 0x09, found 0x%02x; %d of its "
                 "%d bytes differ",
                 i + 1, 0x10000 + wrong[i], wrong[i], found, i == 1 ? 2 : 1, BYTES);
        vta_replay *r;
        must(vta_replay_create(p, device, diag, &r));
        must(vta_replay_load(r, i + 1, diag));
        says_error(vta_replay_check(r, i + 1, diag), VTA_MISMATCH, words);
        must(vta_replay_check(r, 0, diag)); /* which has the same contents before */
        says_error(vta_replay_check(r, i + 2, diag), VTA_OUT_OF_RANGE,
                   (snprintf(words, sizeof words, "run %u: the program has %u, counted from 0", i + 2, i + 2), words));
        vta_replay_destroy(r);
    }
    vta_device_destroy(device);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* A number at a place of a file changed, with a right checksum. `words` after "p.vta: error: ". */
static void damaged(const uint8_t *bytes, size_t size, size_t at, uint32_t value, const char *words) {
    uint8_t *copy = malloc(size);
    char whole[256];
    vta_program *q = p;
    memcpy(copy, bytes, size);
    if (at < size) vt_put32(copy + at, value);
    if (size >= VT__HEADER_BYTES && at != VT__CHECKSUM_AT)
        vt_put64(copy + VT__CHECKSUM_AT, vt__program_checksum(copy, size));
    vta_status status = vta_program_parse(copy, size, "p.vta", NULL, diag, &q);
    snprintf(whole, sizeof whole, "p.vta: error: %s", words);
    assert_string_equal(vta_diag_text(diag), whole);
    assert_int_equal(status, VTA_PARSE);
    assert_null(q);
    vta_diag_clear(diag);
    free(copy);
}

static void damage(void **state) {
    (void)state;
    vta_program *two;
    uint8_t *bytes;
    size_t size;
    char words[200];
    must(check_record(config, NULL, 2, diag, &two));
    must(vta_program_serialize(two, diag, &bytes, &size));
    vta_program_destroy(two);
    size_t config_bytes = vt_get32(bytes + 32), stats_bytes = vt_get32(bytes + 36);
    uint32_t runs = vt_get32(bytes + 40), segment_count = vt_get32(bytes + 44), blobs = vt_get32(bytes + 48);
    assert_true(runs == 2 && segment_count == 4 && vt_get32(bytes + 52) == 0);
    size_t run_at = VT__HEADER_BYTES + config_bytes + stats_bytes, segment_at = run_at + 2 * 16,
           sizes_at = segment_at + 4 * 16;
    damaged(bytes, size, 0, 7, "not a program file: it does not begin with the eight bytes 89 'VTA' 0d 0a 1a 0a");
    damaged(bytes, 7, 99, 0, "not a program file: it does not begin with the eight bytes 89 'VTA' 0d 0a 1a 0a");
    vta_program *q;
    assert_int_equal(vta_program_parse(bytes, 63, "p.vta", NULL, diag, &q), VTA_PARSE);
    assert_string_equal(vta_diag_text(diag), "p.vta: error: 63 bytes: shorter than the header of 64");
    vta_diag_clear(diag);
    damaged(bytes, size, 8, 2, "format version 2: this library reads version 1");
    damaged(bytes, size, 12, 65, "format version 1: this library reads version 1");
    snprintf(words, sizeof words, "%zu bytes, but it says that it has 5: cut off, or something was added", size);
    damaged(bytes, size, 16, 5, words);
    damaged(bytes, size, VT__CHECKSUM_AT, 1, "the checksum does not match: the contents are damaged");
    size_t tables = sizes_at + 8 * (size_t)blobs;
    snprintf(words, sizeof words, "its tables need %zu bytes of %zu", tables - config_bytes + 100000, size);
    damaged(bytes, size, 32, 100000, words);
    damaged(bytes, size, sizes_at, 9999, "contents 0 of 9999 bytes: beyond the end of the file");
    snprintf(words, sizeof words, "%u bytes too many at its end", vt_get32(bytes + sizes_at));
    damaged(bytes, size, sizes_at, 0, words);
    snprintf(words, sizeof words, "run 0: contents %u of %u", blobs, blobs);
    damaged(bytes, size, run_at + 8, blobs, words);
    damaged(bytes, size, run_at + 16 + 4, 4, "run 1: 48 bytes for 4 instructions of 16");
    damaged(bytes, size, run_at + 12, 5, "run 0: 5 segments, 4 are left");
    damaged(bytes, size, run_at + 16 + 12, 3, "run 1: 3 segments, 2 are left");
    damaged(bytes, size, run_at + 16 + 12, 1, "1 segments belong to no run");
    snprintf(words, sizeof words, "segment at 0x00001000: contents %u and -1 of %u", blobs, blobs);
    damaged(bytes, size, segment_at + 8, blobs, words);
    snprintf(words, sizeof words, "segment at 0x00002000: contents %u and %u of %u", vt_get32(bytes + segment_at + 24),
             blobs, blobs);
    damaged(bytes, size, segment_at + 16 + 12, blobs, words);
    damaged(bytes, size, segment_at + 4, 60, "segment at 0x00001000: 61 bytes of contents in 60");
    damaged(bytes, size, segment_at + 16 + 4, 15, "segment at 0x00002000: 16 bytes of contents in 15");
    must(vta_program_parse(bytes, size, NULL, NULL, diag, &q));
    vta_program_destroy(q);
    q = p;
    assert_int_equal(vta_program_parse(bytes, 3, NULL, NULL, diag, &q), VTA_PARSE);
    assert_null(q);
    assert_memory_equal(vta_diag_text(diag), "program: error: not a program file", 34);
    vta_diag_clear(diag);
    assert_int_equal(vta_program_parse(NULL, 3, NULL, NULL, NULL, &q), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_parse(bytes, size, NULL, NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
    vta_string_free(bytes);
}

static void pointers(void **state) {
    (void)state;
    vta_program *q = p;
    uint8_t *bytes = insns;
    size_t size = 7;
    vta_program_run_info run = {.insn_count = 7};
    vta_program_segment s = {.size = 7};
    vta_counters c = {.runs = 7};
    vta_replay *replay = (vta_replay *)p;
    assert_int_equal(vta_program_create(NULL, NULL, NULL, &q), VTA_INVALID_ARGUMENT);
    assert_null(q);
    assert_int_equal(vta_program_create(config, NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
    q = p;
    assert_int_equal(vta_program_load(NULL, NULL, NULL, &q), VTA_INVALID_ARGUMENT);
    assert_null(q);
    q = p;
    assert_int_equal(vta_program_load("/nonexistent", NULL, NULL, &q), VTA_NOT_FOUND);
    assert_null(q);
    assert_int_equal(vta_program_load("/nonexistent", NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_serialize(NULL, NULL, &bytes, &size), VTA_INVALID_ARGUMENT);
    assert_true(!bytes && !size);
    assert_int_equal(vta_program_serialize(p, NULL, NULL, &size), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_serialize(p, NULL, &bytes, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_save(p, NULL, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_get_run(p, 0, &run), VTA_OUT_OF_RANGE);
    assert_int_equal(run.insn_count, 0);
    assert_int_equal(vta_program_get_segment(p, 0, 0, &s), VTA_OUT_OF_RANGE);
    assert_int_equal(s.size, 0);
    assert_int_equal(vta_program_get_stats(NULL, &c), 0);
    assert_int_equal(c.runs, 0);
    assert_int_equal(vta_program_get_stats(p, NULL), 0);
    vta_program_set_stats(NULL, &c, 1);
    vta_program_set_stats(p, NULL, 1);
    vta_program_drop_run(NULL);
    assert_int_equal(vta_program_run_count(NULL), 0);
    assert_null(vta_program_config(NULL));
    assert_null(vta_program_note(NULL, 0, 0));
    assert_int_equal(vta_replay_create(NULL, NULL, NULL, &replay), VTA_INVALID_ARGUMENT);
    assert_null(replay);
    assert_int_equal(vta_replay_create(p, NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_replay_load(NULL, 0, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_replay_check(NULL, 0, NULL), VTA_INVALID_ARGUMENT);
    vta_replay_destroy(NULL);
    assert_int_equal(vta_program_begin_run(NULL, 0x1000, insns, 1, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_add_segment(NULL, 0x1000, insns, 1, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_add_segment(p, 0x1000, NULL, 1, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_add_after(p, 0x1000, NULL, 1, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_add_note(p, 0, NULL, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_set_insns(NULL, 0, insns, 1, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_program_end_run(NULL, NULL), VTA_INVALID_ARGUMENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(segments), TEST(all_of_dram),    TEST(places_of_instructions),
        TEST(contents), TEST(trailing_zeros), TEST(notes),
        TEST(damage),   TEST(pointers),       TEST(comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
