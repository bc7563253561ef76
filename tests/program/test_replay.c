/* The memory that a replay gives each run, on random programs: segments of up to 40 pages, which move from run to run,
 * with contents that end anywhere and zeros behind them. */
#include "support/diag.h"
#include "vta/isa.h"
#include "vta/program.h"

enum { PROGRAMS = 60, RUNS = 6, MAX_SEGMENTS = 4, PAGE = 4096, MAX_PAGES = 40, FIRST_PAGE = 16, PAGES = 128 };
enum { INSNS_AT = (FIRST_PAGE + PAGES) * PAGE };

typedef struct segment {
    uint32_t addr, size, contents; /* bytes; zeros follow */
} segment;

typedef struct layout {
    segment segments[MAX_SEGMENTS];
    uint32_t count;
} layout;

static check_random numbers = {9};
static uint8_t memory[RUNS][PAGES * PAGE]; /* of each run */
static const vta_config *config;

static uint32_t pick(uint32_t least, uint32_t most) { return (uint32_t)check_between(&numbers, least, most); }

/* From the first page to the last, so that the segments do not meet. */
static layout make_layout(void) {
    layout l = {.count = 0};
    uint32_t page = pick(0, 30);
    while (l.count < MAX_SEGMENTS) {
        uint32_t pages = pick(1, MAX_PAGES);
        if (page + pages > PAGES) break;
        uint32_t size = pages * PAGE - (pick(0, 1) ? pick(0, PAGE - 1) : 0);
        uint32_t contents = pick(0, 2) ? pick(0, size < 5000 ? size : 5000) : pick(0, size);
        l.segments[l.count++] = (segment){(FIRST_PAGE + page) * PAGE, size, contents};
        page += pages + (pick(0, 1) ? 0 : pick(1, 20));
    }
    return l;
}

static uint8_t *memory_of(uint32_t run, const segment *s) { return memory[run] + (s->addr - FIRST_PAGE * PAGE); }

/* Instructions stand behind all segments, or in one of them, over what it holds. */
static uint32_t place_of_insns(const layout *l) {
    if (!l->count || pick(0, 1)) return INSNS_AT;
    const segment *s = &l->segments[pick(0, l->count - 1)];
    return s->size < VTA_INSN_BYTES ? INSNS_AT : s->addr + VTA_INSN_BYTES * pick(0, s->size / VTA_INSN_BYTES - 1);
}

static void make_run(vta_program *p, uint32_t run, layout *l) {
    uint32_t at = place_of_insns(l);
    uint8_t finish[VTA_INSN_BYTES];
    const vta_insn insn = {.opcode = VTA_OP_FINISH};
    must(vta_insn_encode(config, &insn, diag, finish));
    must(vta_program_begin_run(p, at, finish, 1, diag));
    memset(memory[run], 0, sizeof memory[run]);
    for (uint32_t i = 0; i < l->count; i++) {
        segment *s = &l->segments[i];
        uint8_t *bytes = memory_of(run, s);
        for (uint32_t k = 0; k < s->contents; k++) bytes[k] = (uint8_t)check_next(&numbers);
        must(vta_program_add_segment(p, s->addr, bytes, s->size, diag));
    }
    must(vta_program_end_run(p, diag));
    if (at != INSNS_AT) memcpy(memory[run] + (at - FIRST_PAGE * PAGE), finish, sizeof finish);
}

/* Often what it was, or parts of it, so that what was mapped is used again: its contents end elsewhere. */
static void change_layout(layout *l) {
    if (!l->count || pick(0, 2) == 0) *l = make_layout();
    for (uint32_t i = 0; i < l->count; i++) {
        segment *s = &l->segments[i];
        uint32_t pages = (s->size + PAGE - 1) / PAGE, first = pick(0, 2) ? 0 : pick(0, pages - 1);
        s->addr += first * PAGE;
        s->size -= first * PAGE;
        s->contents = pick(0, 1) ? pick(0, s->size) : s->contents < s->size ? s->contents : s->size;
    }
}

static void check_run(vta_replay *replay, vta_device *device, uint32_t run, const layout *l, int program) {
    static uint8_t got[MAX_PAGES * PAGE];
    if (vta_replay_load(replay, run, diag) != VTA_OK)
        fail_msg("program %d, run %u: %s", program, run, vta_diag_text(diag));
    for (uint32_t i = 0; i < l->count; i++) {
        const segment *s = &l->segments[i];
        must(vta_device_read(device, s->addr, got, s->size, diag));
        for (uint32_t k = 0; k < s->size; k++)
            if (got[k] != memory_of(run, s)[k])
                fail_msg("program %d, run %u: byte %u of segment %u is %02x, not %02x", program, run, k, i, got[k],
                         memory_of(run, s)[k]);
        memset(got, 0xee, s->size); /* what a run leaves there */
        must(vta_device_write(device, s->addr, got, s->size, diag));
    }
}

static void random_programs(void **state) {
    (void)state;
    vta_config *standard = vta_config_default();
    config = standard;
    for (int program = 0; program < PROGRAMS; program++) {
        layout layouts[RUNS];
        vta_program *p;
        vta_device *device;
        vta_replay *replay;
        must(vta_program_create(config, NULL, diag, &p));
        for (uint32_t run = 0; run < RUNS; run++) {
            layouts[run] = run ? layouts[run - 1] : make_layout();
            if (run) change_layout(&layouts[run]);
            make_run(p, run, &layouts[run]);
        }
        must(vta_device_create("sim", config, NULL, NULL, diag, &device));
        must(vta_replay_create(p, device, diag, &replay));
        for (uint32_t run = 0; run < RUNS; run++) check_run(replay, device, run, &layouts[run], program);
        vta_replay_destroy(replay);
        must(vta_device_alloc_at(device, FIRST_PAGE * PAGE, (PAGES + 1) * PAGE, diag)); /* all is free again */
        vta_device_destroy(device);
        vta_program_destroy(p);
    }
    vta_config_release(standard);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, diag_begin, diag_end);
}
