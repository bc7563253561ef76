/* The shared memory port: an arbiter over one slot a client, and one in-order server (docs/timing.md, section 5).
 *
 * Reads are served in the order in which their commands leave the slots, so when a command leaves, all of its beats are
 * known: nothing that comes later can move them. That is what makes the model event-driven. */
#ifndef VT_DEVICE_TSIM_PORT_H
#define VT_DEVICE_TSIM_PORT_H

#include "vta/timing.h"

enum {
#define VTA_TIMING_SETTING(name, least, most, meaning) VT_MAX_##name = most,
#include "vta/timing.def"
};
/* Reads under way at most; a power of two, as the counter of commands wraps around. */
enum { VT_PORT_MAX = VT_MAX_outstanding };
_Static_assert((VT_PORT_MAX & (VT_PORT_MAX - 1)) == 0, "vta/timing.def: the most of `outstanding`");

/* Cycles are those of the port; a client has a beat one cycle after the port has it. */
typedef struct vt_port {
    const vta_timing_profile *profile;
    uint64_t next_leave;        /* one command a cycle leaves its slot */
    uint64_t last_dequeue;      /* when the server took the newest command out of its queue */
    uint64_t last_beat;         /* that command's */
    uint64_t last[VT_PORT_MAX]; /* last beats of the newest commands, a ring */
    uint32_t count;             /* commands so far, may wrap around: where the next one goes */
    uint32_t ahead;             /* the first command whose last beat has not passed by next_leave */
    uint64_t beats, bursts;
} vt_port;

static inline void vt_port_init(vt_port *port, const vta_timing_profile *profile) {
    *port = (vt_port){.profile = profile};
}

static inline uint64_t vt_port__last(const vt_port *port, uint32_t command) {
    return port->last[command % VT_PORT_MAX];
}

/* The first cycle, from `earliest` on, in which a command can leave its slot: no other one does, one of the tags is
 * free (a tag is taken up to its burst's last beat), and no burst's last beat is at the port. */
static inline uint64_t vt_port_gate(const vt_port *port, uint64_t earliest) {
    uint64_t gate = port->next_leave > earliest ? port->next_leave : earliest;
    uint64_t tag = vt_port__last(port, port->count - port->profile->outstanding) + 1;
    if (tag > gate) gate = tag;
    uint32_t command = port->ahead;
    while (command != port->count && vt_port__last(port, command) < gate) command++;
    for (; command != port->count && vt_port__last(port, command) == gate; command++) gate++;
    return gate;
}

/* A command of `beats` beats leaves its slot in cycle `now`; its data reach the client in [*out_first, *out_last], a
 * beat a cycle. The server waits for the memory only where it had nothing to do: a queue that is not empty in the cycle
 * in which a command leaves keeps the delay running. */
static inline void vt_port_accept(vt_port *port, uint64_t now, uint32_t beats, uint64_t *out_first,
                                  uint64_t *out_last) {
    const vta_timing_profile *p = port->profile;
    uint64_t ready = now + p->port_overhead - 3 + (port->last_dequeue < now ? p->delay : 0);
    port->last_dequeue = port->last_beat > ready ? port->last_beat : ready;
    port->last_beat = port->last_dequeue + beats;
    port->last[port->count++ % VT_PORT_MAX] = port->last_beat;
    port->next_leave = p->serial_reads ? port->last_beat + 3 : now + 1;
    while (port->ahead != port->count && vt_port__last(port, port->ahead) < port->next_leave) port->ahead++;
    port->beats += beats;
    port->bursts++;
    *out_first = port->last_dequeue + 2;
    *out_last = port->last_beat + 1;
}

#endif
