/* Orders in which a board may run a stream, found from the tokens alone: shares nothing with the simulators' order. */
#ifndef RANDOM_LEGAL_ORDER_H
#define RANDOM_LEGAL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "vta/isa.h"

/* How an order is chosen: 0 to 5: the stages in one of their six orders of preference; ORDER_HURRY: `target` as early
 * as it can, ORDER_DELAY: as late, the others at random; above: at random, with a stage going on for a while. */
enum { ORDER_HURRY = 6, ORDER_DELAY = 7, ORDER_RANDOM = 8 };

/* The places of the instructions, in the order in which they run. False: a deadlock, or a flag that a stage does not
 * have. */
bool legal_order(const vta_insn *insns, uint32_t n, int how, uint32_t target, uint64_t seed, uint32_t *out);

#endif
