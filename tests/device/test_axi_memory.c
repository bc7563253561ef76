/* The memory behind a model's AXI port, with a master that does random bursts: lines, ids and answers in their order,
 * whatever is held up, what is not mapped, and when the first line of a read comes (docs/timing.md, section 5). */
#include "device/rtl/memory.h"
#include "support/check.h"

enum { PAGE = 4096, BASE = 4 * PAGE, HALF = 4 * PAGE, END = BASE + 2 * HALF, MAX_BYTES = 32, BURSTS = 120 };
enum { OKAY = 0, DECERR = 3 };

typedef struct burst {
    uint32_t addr, beats;
    uint8_t id;
} burst;

/* The master, what it has yet to do, and the memory as it should be. */
typedef struct master {
    vt_axi axi;
    vt_dram dram;
    /* Its own signals, and the memory's. */
    uint8_t arvalid, arid, arlen, rready, awvalid, awlen, wvalid, wlast, wdata[MAX_BYTES], wstrb[MAX_BYTES / 8], bready;
    uint32_t araddr, awaddr;
    uint8_t arready, rvalid, rid, rresp, rlast, rdata[MAX_BYTES], awready, wready, bvalid, bresp;
    burst reads[BURSTS], writes[BURSTS];
    uint32_t asked, answered, line;              /* reads, and the line of the one that is being answered */
    uint32_t addressed, written, beat, accepted; /* writes whose address was taken, whose last line was, that ended */
    bool failed[BURSTS];                         /* writes */
    uint8_t want[END - BASE];
    bool line_offered, answer_offered; /* in the cycle before, and not taken */
    uint32_t cycles;
    vt_axi_fault fault;
    check_random numbers;
} master;

static uint32_t pick(master *m, uint32_t least, uint32_t most) {
    return (uint32_t)check_between(&m->numbers, least, most);
}

/* Within a page, as AXI demands; now and then in one that is not there. Reads have the lower half, writes the upper. */
static burst random_burst(master *m, bool write) {
    uint32_t lines = PAGE / m->axi.bus_bytes, beats = pick(m, 1, 16);
    uint32_t line = pick(m, 0, 3) ? pick(m, 0, lines - beats) : lines - beats;
    bool away = pick(m, 0, 7) == 0;
    uint32_t addr = (write ? BASE + HALF : BASE) + pick(m, 0, HALF / PAGE - 1) * PAGE;
    if (away) addr = write ? END : BASE - PAGE;
    return (burst){addr + line * m->axi.bus_bytes, beats, (uint8_t)pick(m, 0, 15)};
}

static void begin(master *m, uint32_t bus_bytes, uint32_t outstanding, uint32_t stall, uint64_t seed) {
    uint8_t bytes[END - BASE];
    memset(m, 0, sizeof *m);
    m->numbers.state = seed;
    vt_dram_init(&m->dram, &vt_allocator_libc);
    assert_int_equal(vt_dram_alloc_at(&m->dram, BASE, HALF, NULL), VTA_OK);
    assert_int_equal(vt_dram_alloc_at(&m->dram, BASE + HALF, HALF, NULL), VTA_OK);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = m->want[i] = (uint8_t)check_next(&m->numbers);
    vt_dram_write(&m->dram, BASE, bytes, sizeof bytes);
    m->axi = (vt_axi){.dram = &m->dram,
                      .port = {.arvalid = &m->arvalid,
                               .arid = &m->arid,
                               .arlen = &m->arlen,
                               .araddr = &m->araddr,
                               .rready = &m->rready,
                               .arready = &m->arready,
                               .rvalid = &m->rvalid,
                               .rid = &m->rid,
                               .rresp = &m->rresp,
                               .rlast = &m->rlast,
                               .rdata = m->rdata,
                               .awvalid = &m->awvalid,
                               .awlen = &m->awlen,
                               .awaddr = &m->awaddr,
                               .wvalid = &m->wvalid,
                               .wlast = &m->wlast,
                               .wdata = m->wdata,
                               .wstrb = m->wstrb,
                               .bready = &m->bready,
                               .awready = &m->awready,
                               .wready = &m->wready,
                               .bvalid = &m->bvalid,
                               .bresp = &m->bresp},
                      .bus_bytes = bus_bytes,
                      .outstanding = outstanding,
                      .delay = 5,
                      .stall_percent = stall,
                      .random = seed};
    vt_axi_reset(&m->axi);
    for (uint32_t i = 0; i < BURSTS; i++) {
        m->reads[i] = random_burst(m, false);
        m->writes[i] = random_burst(m, true);
    }
}

static void end(master *m) { vt_dram_clear(&m->dram); }

static bool mapped(uint32_t addr) { return addr >= BASE && addr < END; }

static void note_fault(master *m, bool write, uint8_t id, uint32_t addr) {
    if (!m->fault.happened) m->fault = (vt_axi_fault){true, write, id, addr};
}

/* ---- Reads ------------------------------------------------------------------------------------------------------ */

/* A master that does not look at what comes for some time, and then most of the time. */
static bool takes(master *m) { return m->cycles / 64 % 3 && pick(m, 0, 3); }

/* What is offered stays as it is until it is taken. */
static void send_read(master *m) {
    if (!m->arvalid && m->asked < BURSTS && pick(m, 0, 2)) {
        const burst *b = &m->reads[m->asked];
        m->arvalid = 1, m->araddr = b->addr, m->arid = b->id, m->arlen = (uint8_t)(b->beats - 1);
    }
    m->rready = takes(m);
}

/* The line that is offered, whether it is taken or not. */
static void check_line(master *m) {
    static const uint8_t zeros[MAX_BYTES];
    assert_true(m->answered < m->asked);
    const burst *b = &m->reads[m->answered];
    uint32_t addr = b->addr + m->line * m->axi.bus_bytes;
    assert_int_equal(m->rid, b->id);
    assert_int_equal(m->rlast, m->line + 1 == b->beats);
    assert_int_equal(m->rresp, mapped(addr) ? OKAY : DECERR);
    assert_memory_equal(m->rdata, mapped(addr) ? m->want + addr - BASE : zeros, m->axi.bus_bytes);
    if (!m->rready) return;
    if (!mapped(addr)) note_fault(m, false, b->id, addr);
    m->line++;
    if (m->line < b->beats) return;
    m->line = 0;
    m->answered++;
}

/* ---- Writes ----------------------------------------------------------------------------------------------------- */

static void send_write(master *m) {
    const burst *b = &m->writes[m->written];
    if (!m->awvalid && m->addressed < BURSTS && pick(m, 0, 2)) {
        m->awvalid = 1, m->awaddr = m->writes[m->addressed].addr;
        m->awlen = (uint8_t)(m->writes[m->addressed].beats - 1);
    }
    if (!m->wvalid && m->written < m->addressed && pick(m, 0, 3)) {
        m->wvalid = 1, m->wlast = m->beat + 1 == b->beats;
        for (uint32_t i = 0; i < m->axi.bus_bytes; i++) m->wdata[i] = (uint8_t)check_next(&m->numbers);
        for (uint32_t i = 0; i < m->axi.bus_bytes / 8; i++) m->wstrb[i] = (uint8_t)pick(m, 0, 255);
    }
    m->bready = takes(m);
}

static void line_written(master *m) {
    uint32_t addr = m->writes[m->written].addr + m->beat * m->axi.bus_bytes;
    for (uint32_t i = 0; i < m->axi.bus_bytes && mapped(addr); i++)
        if (m->wstrb[i / 8] >> i % 8 & 1) m->want[addr - BASE + i] = m->wdata[i];
    if (!mapped(addr)) note_fault(m, true, 0, addr);
    m->failed[m->written] |= !mapped(addr);
    m->beat++;
    m->wvalid = 0;
    if (!m->wlast) return;
    m->beat = 0;
    m->written++;
}

static void check_answer(master *m) {
    assert_true(m->accepted < m->written);
    assert_int_equal(m->bresp, m->failed[m->accepted] ? DECERR : OKAY);
    if (m->bready) m->accepted++;
}

/* ---- Cycles ----------------------------------------------------------------------------------------------------- */

static void cycle(master *m) {
    vt_axi_drive(&m->axi);
    send_read(m), send_write(m);
    bool read_taken = m->arvalid && m->arready, write_taken = m->awvalid && m->awready;
    if (m->arready) assert_true(m->asked - m->answered < m->axi.outstanding);
    if (m->awready) assert_true(m->addressed - m->written < VT_AXI_WRITES);
    if (m->line_offered) assert_true(m->rvalid);
    if (m->answer_offered) assert_true(m->bvalid);
    m->line_offered = m->rvalid && !m->rready, m->answer_offered = m->bvalid && !m->bready;
    m->cycles++;
    vt_axi_sample(&m->axi);
    if (m->rvalid) check_line(m);
    if (m->bvalid) check_answer(m);
    if (m->wvalid && m->wready) line_written(m);
    m->asked += read_taken, m->addressed += write_taken;
    m->arvalid &= !read_taken, m->awvalid &= !write_taken;
    assert_int_equal(vt_axi_busy(&m->axi), m->answered < m->asked || m->accepted < m->addressed);
}

/* As the hardware's reset leaves the signals: what was under way is forgotten, on both sides. */
static void reset(master *m) {
    vt_axi_reset(&m->axi);
    m->rvalid = m->bvalid = m->arready = m->awready = m->wready = 0;
    m->arvalid = m->awvalid = m->wvalid = 0;
    m->asked = m->answered = m->line = m->addressed = m->written = m->beat = m->accepted = 0;
    m->line_offered = m->answer_offered = false;
    memset(m->failed, 0, sizeof m->failed);
    m->fault = (vt_axi_fault){0};
    assert_false(vt_axi_busy(&m->axi));
    assert_false(m->axi.fault.happened);
}

static void check_end(master *m) {
    uint8_t got[END - BASE];
    vt_dram_read(&m->dram, BASE, got, sizeof got);
    assert_memory_equal(got, m->want, sizeof got);
    assert_true(m->fault.happened && m->axi.fault.happened);
    assert_int_equal(m->axi.fault.write, m->fault.write);
    assert_int_equal(m->axi.fault.id, m->fault.id);
    assert_int_equal(m->axi.fault.addr, m->fault.addr);
}

TEST_CASE(random_bursts) {
    static const struct {
        uint32_t bus_bytes, outstanding, stall;
    } rows[] = {{8, 16, 0}, {16, 1, 0}, {32, VT_AXI_READS, 0}, {8, 16, 30}, {16, 2, 60}, {32, 7, 90}};
    static master m;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&m, rows[i].bus_bytes, rows[i].outstanding, rows[i].stall, 77 + i);
        for (int rest = 400; rest > 0; rest--) cycle(&m);
        reset(&m);
        for (m.cycles = 0; m.answered < BURSTS || m.accepted < BURSTS; cycle(&m)) assert_true(m.cycles < 200000);
        check_end(&m);
        end(&m);
    }
}

/* ---- Time ------------------------------------------------------------------------------------------------------- */

enum { READS = 8 };

/* A master that takes every line at once asks for reads in cycles `asked`; the cycle of the first line of each. */
static void time_reads(master *m, const burst *reads, const uint32_t *asked, uint32_t *first) {
    m->rready = 1;
    for (uint32_t now = 0, next = 0, done = 0, line = 0; done < READS; now++) {
        assert_true(now < 1000);
        vt_axi_drive(&m->axi);
        m->arvalid = next < READS && now == asked[next];
        if (m->arvalid) m->araddr = reads[next].addr, m->arlen = (uint8_t)(reads[next].beats - 1);
        assert_true(m->arready);
        if (m->rvalid && line++ == 0) first[done] = now;
        if (m->rvalid && line == reads[done].beats) done++, line = 0;
        next += m->arvalid;
        vt_axi_sample(&m->axi);
    }
}

/* Lines come back to back. A read that leaves when no other waits for the memory has its first line delay + 2 cycles
 * later; the others have none to wait but those before them. */
TEST_CASE(first_lines) {
    static master m;
    for (uint32_t i = 0; i < 200; i++) {
        burst reads[READS];
        uint32_t asked[READS], first[READS], free = 0, taken = 0;
        begin(&m, 8, 16, 0, 5 + i);
        m.axi.delay = i % 25;
        for (uint32_t k = 0; k < READS; k++) {
            reads[k] = random_burst(&m, false);
            asked[k] = k ? asked[k - 1] + pick(&m, 1, 40) : 1;
        }
        time_reads(&m, reads, asked, first);
        for (uint32_t k = 0; k < READS; k++) {
            uint32_t after_delay = k && asked[k] <= taken ? 0 : asked[k] + m.axi.delay + 2;
            uint32_t want = after_delay > free ? after_delay : free;
            if (first[k] != want) fail_msg("%u: the first line of read %u comes in %u, not %u", i, k, first[k], want);
            taken = first[k] - 1;
            free = first[k] + reads[k].beats;
        }
        end(&m);
    }
}

int main(void) { return run_cases(); }
