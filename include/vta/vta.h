/* Everything of libvta in one include; each header below stands by itself. */
#ifndef VTA_VTA_H
#define VTA_VTA_H

#include "vta/config.h"
#include "vta/device.h"
#include "vta/isa.h"
#include "vta/module.h"
#include "vta/runtime.h"
#include "vta/status.h"
#include "vta/support.h"

#endif
