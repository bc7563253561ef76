#include "device/rtl/memory.h"

#include <string.h>

enum { OKAY = 0, DECERR = 3 };

void vt_axi_reset(vt_axi *axi) {
    axi->read_count = axi->write_count = axi->answers = 0;
    axi->beat = axi->write_beat = 0;
    axi->serving = axi->line_taken = axi->answer_taken = false;
    axi->fault = (vt_axi_fault){0};
}

/* splitmix64: is this channel held up in this cycle? */
static bool stalls(vt_axi *axi) {
    if (!axi->stall_percent) return false;
    uint64_t z = axi->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z >> 33) % 100 < axi->stall_percent;
}

static void note_fault(vt_axi *axi, bool write, uint8_t id, uint32_t addr) {
    if (!axi->fault.happened) axi->fault = (vt_axi_fault){true, write, id, addr};
}

static void drive_line(vt_axi *axi) {
    const vt_axi_burst *r = &axi->reads[axi->first_read];
    uint32_t addr = r->addr + axi->beat * axi->bus_bytes;
    uint64_t run;
    const uint8_t *host = vt_dram_at(axi->dram, addr, &run);
    bool there = host && run >= axi->bus_bytes;
    if (there)
        memcpy(axi->port.rdata, host, axi->bus_bytes);
    else
        memset(axi->port.rdata, 0, axi->bus_bytes);
    *axi->port.rresp = there ? OKAY : DECERR;
    *axi->port.rid = r->id;
    *axi->port.rlast = axi->beat + 1 == r->beats;
}

/* A line stays offered until it is taken. */
static void drive_read(vt_axi *axi) {
    *axi->port.arready = axi->read_count < axi->outstanding && !stalls(axi);
    if (!axi->serving && axi->read_count) {
        axi->serving = axi->reads[axi->first_read].ready < axi->cycle;
    }
    if (axi->line_taken) *axi->port.rvalid = 0;
    axi->line_taken = false;
    if (*axi->port.rvalid) return;
    if (!axi->serving || stalls(axi)) return;
    *axi->port.rvalid = 1;
    drive_line(axi);
}

static void sample_read(vt_axi *axi) {
    if (*axi->port.rvalid && *axi->port.rready) {
        if (*axi->port.rresp != OKAY)
            note_fault(axi, false, *axi->port.rid, axi->reads[axi->first_read].addr + axi->beat * axi->bus_bytes);
        axi->line_taken = true;
        axi->beat++;
        if (*axi->port.rlast) {
            axi->beat = 0;
            axi->serving = false;
            axi->first_read = (axi->first_read + 1) % VT_AXI_READS;
            axi->read_count--;
        }
    }
}

/* The delay runs for a read that finds no other waiting. */
static void sample_command(vt_axi *axi, uint32_t waiting) {
    if (!*axi->port.arvalid || !*axi->port.arready) return;
    axi->reads[(axi->first_read + axi->read_count) % VT_AXI_READS] =
        (vt_axi_burst){.addr = *axi->port.araddr,
                       .beats = (uint16_t)(*axi->port.arlen + 1),
                       .id = *axi->port.arid,
                       .ready = waiting ? 0 : axi->cycle + 1 + axi->delay};
    axi->read_count++;
}

static void drive_write(vt_axi *axi) {
    *axi->port.awready = axi->write_count < VT_AXI_WRITES && axi->answers < VT_AXI_WRITES && !stalls(axi);
    *axi->port.wready = axi->write_count && !stalls(axi);
    if (axi->answer_taken) *axi->port.bvalid = 0;
    axi->answer_taken = false;
    if (!*axi->port.bvalid && axi->answers && !stalls(axi)) {
        *axi->port.bvalid = 1;
        *axi->port.bresp = axi->answer[axi->first_answer];
    }
}

static void write_line(vt_axi *axi, vt_axi_burst *w) {
    uint64_t run;
    uint32_t addr = w->addr + axi->write_beat * axi->bus_bytes;
    uint8_t *host = vt_dram_at(axi->dram, addr, &run);
    if (!host || run < axi->bus_bytes) {
        note_fault(axi, true, 0, addr);
        w->id = 1; /* of a write: it failed */
        return;
    }
    for (uint32_t i = 0; i < axi->bus_bytes; i++)
        if (axi->port.wstrb[i / 8] >> i % 8 & 1) host[i] = axi->port.wdata[i];
}

static void sample_write(vt_axi *axi) {
    if (*axi->port.bvalid && *axi->port.bready) {
        axi->answer_taken = true;
        axi->first_answer = (axi->first_answer + 1) % (VT_AXI_WRITES * 2);
        axi->answers--;
    }
    if (*axi->port.wvalid && *axi->port.wready) {
        vt_axi_burst *w = &axi->writes[axi->first_write];
        write_line(axi, w);
        axi->write_beat++;
        if (*axi->port.wlast) {
            axi->write_beat = 0;
            axi->answer[(axi->first_answer + axi->answers++) % (VT_AXI_WRITES * 2)] = w->id ? DECERR : OKAY;
            axi->first_write = (axi->first_write + 1) % VT_AXI_WRITES;
            axi->write_count--;
        }
    }
    if (*axi->port.awvalid && *axi->port.awready) {
        axi->writes[(axi->first_write + axi->write_count) % VT_AXI_WRITES] = (vt_axi_burst){.addr = *axi->port.awaddr};
        axi->write_count++;
    }
}

void vt_axi_drive(vt_axi *axi) {
    axi->cycle++;
    drive_read(axi);
    drive_write(axi);
}

void vt_axi_sample(vt_axi *axi) {
    uint32_t waiting = axi->read_count - axi->serving;
    sample_read(axi);
    sample_command(axi, waiting);
    sample_write(axi);
}
