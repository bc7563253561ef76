/* sim: the functional simulator. Tokens order instructions, time does not exist. */
#ifndef VT_DEVICE_SIM_SIM_H
#define VT_DEVICE_SIM_SIM_H

#include "device/core/driver.h"

extern const vt_driver vt_driver_sim;

#endif
