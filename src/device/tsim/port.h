/* The shared memory port: one in-order server behind an arbiter (docs/timing.md, section 5).
 *
 * Reads are served in the order in which they are accepted, so when a read is accepted all of its beats are known:
 * nothing that comes later can move them. That is what makes the model event-driven. */
#ifndef VT_DEVICE_TSIM_PORT_H
#define VT_DEVICE_TSIM_PORT_H

#include "vta/timing.h"

enum { VT_PORT_MOST = 64 };

typedef struct vt_port {
    const vta_timing_profile *profile;
    uint64_t next_accept;        /* the arbiter takes one command a cycle */
    uint64_t last_dequeue;       /* when the server took the newest command out of its queue */
    uint64_t last_beat;          /* when it sent that command's last beat */
    uint64_t done[VT_PORT_MOST]; /* last beats of the newest commands, a ring */
    uint32_t newest;             /* where the next one goes */
    uint64_t beats, bursts;
} vt_port;

static inline void vt_port_init(vt_port *port, const vta_timing_profile *profile) {
    *port = (vt_port){.profile = profile};
}

/* The first cycle, from `wish` on, at which a command can be accepted. */
static inline uint64_t vt_port_gate(const vt_port *port, uint64_t wish) {
    uint64_t gate = port->next_accept > port->done[port->newest] ? port->next_accept : port->done[port->newest];
    return gate > wish ? gate : wish;
}

/* Accepts a command of `beats` beats at cycle `now`; its data reach the unit in [*out_first, *out_last], a beat a
 * cycle. Two cycles of the overhead lie before the server, two after it. */
static inline void vt_port_accept(vt_port *port, uint64_t now, uint32_t beats, uint64_t *out_first,
                                  uint64_t *out_last) {
    const vta_timing_profile *p = port->profile;
    uint64_t enqueue = now + 1;
    bool empty = port->last_dequeue <= enqueue;
    uint64_t ready = now + p->port_overhead + (empty ? p->delay : 0);
    /* `ready` and `last_beat` are kept as the unit sees them: the first beat no earlier than `ready`. */
    uint64_t first = port->last_beat + 1 > ready ? port->last_beat + 1 : ready;
    port->last_dequeue = first - 2;
    port->last_beat = first + beats - 1;
    port->next_accept = p->serial_reads ? port->last_beat + 1 : now + 1;
    port->done[port->newest] = port->last_beat + 1;
    port->newest = port->newest + 1 == p->outstanding ? 0 : port->newest + 1;
    port->beats += beats;
    port->bursts++;
    *out_first = first;
    *out_last = port->last_beat;
}

#endif
