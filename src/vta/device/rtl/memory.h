/* The memory behind a model's AXI port: a slave that answers reads in order, a line a cycle, after the delay that the
 * timing model's memory has (docs/timing.md, section 5), and writes at once; every channel can be held up at random. */
#ifndef VT_DEVICE_RTL_MEMORY_H
#define VT_DEVICE_RTL_MEMORY_H

#include "device/dram/dram.h"
#include "hardware/model.h"

enum { VT_AXI_READS = 64, VT_AXI_WRITES = 16 };

typedef struct vt_axi_burst {
    uint32_t addr;
    uint16_t beats;
    uint8_t id;
    uint64_t ready; /* reads: the cycle after which the first line can come */
} vt_axi_burst;

/* The first access to memory that is not there. */
typedef struct vt_axi_fault {
    bool happened, write;
    uint8_t id; /* of the read's client */
    uint32_t addr;
} vt_axi_fault;

typedef struct vt_axi {
    vt_dram *dram;
    vt_model_ports port;
    uint32_t bus_bytes, delay, outstanding, stall_percent;
    uint64_t random, cycle;
    vt_axi_burst
        reads[VT_AXI_READS]; /* a ring; the first one is being answered if `beat` is not 0 or a line is offered */
    uint32_t first_read, read_count, beat;
    bool serving;       /* reads[first_read] has left the queue */
    uint64_t last_beat; /* the cycle of the last line of the read before */
    vt_axi_burst writes[VT_AXI_WRITES];
    uint32_t first_write, write_count, write_beat;
    bool line_taken, answer_taken; /* in the cycle before: the valid signals go down */
    uint32_t answers;              /* of writes, to be given */
    uint8_t answer[VT_AXI_WRITES * 2];
    uint32_t first_answer;
    vt_axi_fault fault;
} vt_axi;

/* Nothing is under way. */
void vt_axi_reset(vt_axi *axi);
/* The slave's side of a cycle: _drive sets the model's inputs, _sample takes what was handed over; the model settles in
 * between. */
void vt_axi_drive(vt_axi *axi);
void vt_axi_sample(vt_axi *axi);
/* Is a read or write under way? */
static inline bool vt_axi_busy(const vt_axi *axi) { return axi->read_count || axi->write_count || axi->answers; }

#endif
