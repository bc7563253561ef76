/* null: takes everything and runs nothing. */
#ifndef VT_DEVICE_NULL_NULL_H
#define VT_DEVICE_NULL_NULL_H

#include "device/core/driver.h"

extern const vt_driver vt_driver_null;

#endif
