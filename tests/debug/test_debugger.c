/* Stepping forwards and backwards gives what the simulator gives. */
#include "device/random_program.h"
#include "support/golden.h"
#include "vta/debug.h"

enum { LENGTH = NAIVE_INSNS };

typedef struct fixture {
    random_program p;
    vta_device *device;
    vta_debugger *debugger;
    vta_diag *diag;
} fixture;

static void must(fixture *f, vta_status status) {
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(f->diag));
}

static bool start(fixture *f, uint64_t seed, int length) {
    if (!rp_make(&f->p, seed, length, true)) return false;
    vta_timing_profile timing;
    f->diag = vta_diag_create(NULL);
    must(f, vta_timing_profile_get(NULL, f->diag, &timing));
    must(f, vta_device_create("sim", f->p.config, NULL, NULL, f->diag, &f->device));
    must(f, vta_device_alloc_at(f->device, RP_BASE, RP_BYTES, f->diag));
    must(f, vta_device_write(f->device, RP_BASE, f->p.before, RP_BYTES, f->diag));
    for (int i = 0; i < f->p.count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        must(f, vta_insn_encode(f->p.config, &f->p.insns[i], f->diag, bytes));
        must(f, vta_device_write(f->device, RP_BASE + 16 * (uint32_t)i, bytes, sizeof bytes, f->diag));
    }
    must(f, vta_debugger_create(f->device, RP_BASE, (uint32_t)f->p.count, &timing, f->diag, &f->debugger));
    return true;
}

static void stop(fixture *f) {
    vta_debugger_destroy(f->debugger);
    vta_device_destroy(f->device);
    vta_diag_destroy(f->diag);
    rp_clear(&f->p);
}

/* All on-chip contents and DRAM as one number. */
static uint64_t fingerprint(fixture *f) {
    static uint8_t bytes[RP_BYTES];
    static const vta_memory memories[] = {VTA_MEM_UOP, VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC};
    uint64_t hash = 14695981039346656037u;
    for (int m = 0; m < 5; m++) {
        size_t size = RP_BYTES;
        if (m < 4) {
            size = vta_config_buffer_bytes(f->p.config, memories[m]);
            must(f, vta_debugger_peek(f->debugger, memories[m], 0, vta_config_depth(f->p.config, memories[m]), bytes,
                                      size, f->diag));
        } else {
            must(f, vta_device_read(f->device, RP_BASE, bytes, RP_BYTES, f->diag));
            memset(bytes, 0, 16 * (size_t)f->p.count); /* instructions */
        }
        for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

TEST_CASE(forwards_and_backwards) {
    static fixture f;
    static uint64_t seen[LENGTH + 1];
    int ran = 0;
    for (uint64_t seed = 11; ran < 4; seed++) {
        if (!start(&f, seed, LENGTH)) continue;
        ran++;
        uint32_t n = vta_debugger_length(f.debugger);
        for (uint32_t at = 0; at <= n; at++) {
            must(&f, vta_debugger_seek(f.debugger, at, f.diag));
            seen[at] = fingerprint(&f);
        }
        static uint8_t out[RP_BYTES];
        must(&f, vta_device_read(f.device, RP_BASE, out, RP_BYTES, f.diag));
        assert_memory_equal(out + RP_OUT - RP_BASE, f.p.after + RP_OUT - RP_BASE, RP_END - RP_OUT);
        check_random random = {seed};
        for (int i = 0; i < 200; i++) {
            uint32_t at = (uint32_t)check_between(&random, 0, n);
            must(&f, vta_debugger_seek(f.debugger, at, f.diag));
            assert_int_equal(vta_debugger_position(f.debugger), at);
            assert_true(fingerprint(&f) == seen[at]);
        }
        stop(&f);
    }
}

/* An instruction as the debugger tells it; false beyond the last. */
typedef struct told {
    vta_insn insn;
    vta_insn_time time;
} told;

static bool tell(fixture *f, uint32_t index, told *out) {
    if (index == vta_debugger_count(f->debugger)) return false;
    must(f, vta_debugger_insn(f->debugger, index, &out->insn, &out->time));
    return true;
}

/* The unit's first instruction that has not ended: it runs, or waits for fetch and then for its tokens. */
static void check_unit(fixture *f, vta_unit unit, uint64_t cycle) {
    vta_unit_view v = vta_debugger_unit(f->debugger, unit), want = {.state = VTA_STATE_IDLE, .insn = UINT32_MAX};
    uint64_t end_before = 0;
    told t;
    for (uint32_t i = 0; tell(f, i, &t); i++) {
        if (t.time.unit != unit || t.time.start == UINT64_MAX) continue;
        want.queued += t.time.arrived <= cycle && cycle < t.time.start;
        if (t.time.end <= cycle) end_before = t.time.end;
        if (t.time.end <= cycle || want.insn != UINT32_MAX) continue;
        bool runs = t.time.start <= cycle;
        uint64_t waits = t.time.arrived > end_before ? t.time.arrived : end_before;
        want.insn = i;
        want.state = runs                               ? VTA_STATE_BUSY
                     : cycle < waits                    ? VTA_STATE_WAIT_FETCH
                     : cycle < waits + t.time.wait_prev ? VTA_STATE_WAIT_PREV
                                                        : VTA_STATE_WAIT_NEXT;
        want.since = runs ? t.time.start : end_before;
        want.until = runs ? t.time.end : t.time.start;
    }
    assert_int_equal(v.insn, want.insn);
    assert_int_equal(v.state, want.state);
    assert_int_equal(v.since, want.since);
    assert_int_equal(v.until, want.until);
    assert_int_equal(v.queued, want.queued);
}

/* A token is there from the end of what pushes it to the start of what pops it. */
static void check_tokens(fixture *f, uint64_t cycle) {
    static const struct {
        vta_unit from;
        bool next; /* the queue leads to the stage after */
    } queues[VTA_TOKEN_QUEUES] = {[VTA_TOKEN_LOAD_COMPUTE] = {VTA_UNIT_LOAD, true},
                                  [VTA_TOKEN_COMPUTE_LOAD] = {VTA_UNIT_COMPUTE, false},
                                  [VTA_TOKEN_COMPUTE_STORE] = {VTA_UNIT_COMPUTE, true},
                                  [VTA_TOKEN_STORE_COMPUTE] = {VTA_UNIT_STORE, false}};
    uint32_t tokens[VTA_TOKEN_QUEUES];
    memset(tokens, 0xa5, sizeof tokens);
    vta_debugger_tokens(f->debugger, tokens);
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) {
        uint32_t want = 0;
        told t;
        for (uint32_t i = 0; tell(f, i, &t); i++) {
            if (t.time.start == UINT64_MAX) continue; /* it is told of no unit */
            bool next = queues[q].next, from = t.time.unit == queues[q].from;
            bool to = t.time.unit == (next ? queues[q].from + 1 : queues[q].from - 1);
            bool pushes = from && (next ? t.insn.push_next_dep : t.insn.push_prev_dep);
            bool pops = to && (next ? t.insn.pop_prev_dep : t.insn.pop_next_dep);
            assert_int_equal(vta_debugger_uses_token(f->debugger, i, (vta_token_queue)q), pushes || pops);
            want += pushes && t.time.end <= cycle;
            want -= pops && t.time.start <= cycle;
        }
        assert_int_equal(tokens[q], want);
    }
}

static void check_cycle(fixture *f, uint64_t cycle) {
    uint32_t ended = 0;
    told t;
    must(f, vta_debugger_seek_cycle(f->debugger, cycle, f->diag));
    assert_int_equal(vta_debugger_cycle(f->debugger), cycle);
    for (uint32_t i = 0; tell(f, i, &t); i++) ended += t.time.start != UINT64_MAX && t.time.end <= cycle;
    assert_int_equal(vta_debugger_position(f->debugger), ended);
    for (int u = VTA_UNIT_LOAD; u < VTA_UNIT_COUNT; u++) check_unit(f, (vta_unit)u, cycle);
    check_tokens(f, cycle);
}

/* Around each cycle in which something happens: what took effect, the units, the tokens follow from the times. */
static void check_cycles(fixture *f) {
    uint64_t cycles = vta_debugger_cycles(f->debugger);
    told t;
    for (uint32_t i = 0; tell(f, i, &t); i++) {
        const uint64_t events[] = {t.time.arrived, t.time.ready, t.time.start, t.time.end};
        for (size_t e = 0; e < sizeof events / sizeof events[0]; e++)
            for (uint64_t c = events[e] ? events[e] - 1 : 0; c <= events[e] && c <= cycles; c++) check_cycle(f, c);
    }
    check_cycle(f, 0);
    check_cycle(f, cycles);
    assert_int_equal(vta_debugger_seek_cycle(f->debugger, cycles + 1, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_debugger_seek(f->debugger, vta_debugger_length(f->debugger) + 1, f->diag), VTA_OUT_OF_RANGE);
}

TEST_CASE(cycle_by_cycle) {
    static fixture f;
    for (uint64_t seed = 5, ran = 0; ran < 8; seed++) {
        if (!start(&f, seed, 40)) continue;
        ran++;
        check_cycles(&f);
        stop(&f);
    }
}

/* What touches an element: as the naive machine saw it. */
TEST_CASE(touches) {
    static fixture f;
    uint64_t seed = 21;
    while (!start(&f, seed, 40)) seed++;
    static const vta_memory memories[] = {VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC, VTA_MEM_UOP};
    int hits = 0;
    for (uint32_t at = 0; at < vta_debugger_length(f.debugger); at++) {
        must(&f, vta_debugger_seek(f.debugger, at, f.diag));
        uint32_t insn = vta_debugger_at(f.debugger, at);
        for (int m = 0; m < 4; m++) {
            uint32_t depth = vta_config_depth(f.p.config, memories[m]);
            for (uint32_t e = 0; e < depth && e < 64; e++) {
                bool naive = (f.p.wrote[insn][memories[m]] | f.p.read[insn][memories[m]]) >> e & 1;
                bool found = vta_debugger_touches(f.debugger, insn, memories[m], e);
                /* The naive machine notes neither micro-ops nor an ALU's source: its own stage reads them. */
                bool noted = memories[m] != VTA_MEM_UOP && f.p.insns[insn].opcode != VTA_OP_ALU;
                if (!noted && !naive) continue;
                assert_int_equal(found, naive);
                hits += found;
            }
        }
    }
    assert_true(hits > 50);
    stop(&f);
}

static vta_status walk(fixture *f, const vta_allocator *a) {
    vta_timing_profile timing;
    vta_timing_profile_get(NULL, NULL, &timing);
    vta_status status = vta_device_create("null", f->p.config, NULL, a, NULL, &f->device);
    if (status == VTA_OK) status = vta_device_alloc_at(f->device, RP_BASE, RP_BYTES, NULL);
    for (int i = 0; i < f->p.count && status == VTA_OK; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        status = vta_insn_encode(f->p.config, &f->p.insns[i], NULL, bytes);
        if (status == VTA_OK)
            status = vta_device_write(f->device, RP_BASE + 16 * (uint32_t)i, bytes, sizeof bytes, NULL);
    }
    if (status == VTA_OK)
        status = vta_debugger_create(f->device, RP_BASE, (uint32_t)f->p.count, &timing, NULL, &f->debugger);
    if (status == VTA_OK) status = vta_debugger_seek(f->debugger, vta_debugger_length(f->debugger), NULL);
    if (status == VTA_OK) status = vta_debugger_seek(f->debugger, 3, NULL);
    return status;
}

TEST_CASE(out_of_memory) {
    static fixture f;
    uint64_t seed = 31;
    while (!rp_make(&f.p, seed, 100, true)) seed++;
    for (size_t n = 0;; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        f.device = NULL;
        f.debugger = NULL;
        vta_status status = walk(&f, &a.allocator);
        vta_debugger_destroy(f.debugger);
        vta_device_destroy(f.device);
        assert_int_equal(a.live, 0);
        if (!a.failed) {
            assert_int_equal(status, VTA_OK);
            assert_true(n > 20);
            break;
        }
        assert_int_equal(status, VTA_NO_MEMORY);
    }
    rp_clear(&f.p);
}

/* The command, driven by a script. */
TEST_CASE(by_script) {
    char program[GOLDEN_PATH];
    golden_path("runs/vadd", program);
    char command[2400];
    snprintf(
        command, sizeof command,
        "printf 'step 4\\nprint acc 0\\nunits\\nqueues\\nback\\nbreak token compute->store\\nbreak acc 3\\n"
        "goto 0\\ncontinue\\ncontinue\\ncycle 1200\\ncycle -100\\nreverse\\nlist 3 2\\nbreaks\\ndelete 1\\nquit\\n' "
        "| %s/vta debug %s",
        VT_BINARY_DIR, program);
    FILE *from = popen(command, "r");
    assert_non_null(from);
    static char text[20000];
    text[fread(text, 1, sizeof text - 1, from)] = '\0';
    assert_int_equal(pclose(from), 0);
    assert_contains(text, "cycle 1131 of 1486, 4 of 8 instructions took effect");
    assert_contains(text, "compute  busy                                  instruction 3, cycles 1131 to 1266");
    assert_contains(text, "store    waiting for a compute->store token    instruction 4");
    assert_contains(text, "acc 0:\n     47     68   -103");
    assert_contains(text, "load->compute    1");
    assert_contains(text, "breakpoint 2: acc 3\ncycle 45 of 1486, 1 of 8");
    assert_contains(text, "ALU uop_bgn=0 uop_end=1 iter_out=1 iter_in=64");
    assert_contains(text, "cycle 1100 of 1486");
}

TEST_CASE(wrong_commands) {
    char program[GOLDEN_PATH];
    golden_path("runs/vadd", program);
    static const char *const rows[][2] = {
        {"jump", "jump: no such command (help lists them)"},
        {"step x", "not a number: x"},
        {"print foo 1", "print inp|wgt|acc|uop N [COUNT]"},
        {"print acc 2048", "1 elements from 2048 on: the buffer has 2048"},
        {"break token load->store", "a token queue is one of load->compute, compute->load"},
        {"delete 1", "delete needs the number of a breakpoint"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char command[1400], text[4000];
        snprintf(command, sizeof command, "echo '%s' | %s/vta debug %s", rows[i][0], VT_BINARY_DIR, program);
        FILE *from = popen(command, "r");
        text[fread(text, 1, sizeof text - 1, from)] = '\0';
        assert_int_equal(pclose(from) >> 8, 1);
        assert_contains(text, rows[i][1]);
    }
}

int main(void) { return golden_result(run_cases()); }
