/* tsim: the cycle-level simulator. Values come from sim, time from the model beside it. */
#ifndef VT_DEVICE_TSIM_TSIM_H
#define VT_DEVICE_TSIM_TSIM_H

#include "device/core/driver.h"

extern const vt_driver vt_driver_tsim;

#endif
