/* Which operands get more than 8 bits without being asked for. */
#ifndef VT_QUANT_OUTLIER_H
#define VT_QUANT_OUTLIER_H

#include "frontend/quant/quant.h"

/* Adds the fine part to the choices, one a value, of operands of matrix products whose range lets most of their
 * elements drown in the rounding; false: there are none. Only what the host makes integers of uses it. */
bool vt_quant_choose_fine(const vt_graph *g, const vt_ranges *ranges, vt_quant_choice *choices);

#endif
