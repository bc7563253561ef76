/* Everything of libvta in one include; each header below stands by itself. vta/vtac.h is the compiler's. */
#ifndef VTA_VTA_H
#define VTA_VTA_H

#include "vta/config.h"
#include "vta/conv.h"
#include "vta/debug.h"
#include "vta/detect.h"
#include "vta/device.h"
#include "vta/exec.h"
#include "vta/export.h"
#include "vta/field.h"
#include "vta/hardware.h"
#include "vta/image.h"
#include "vta/isa.h"
#include "vta/language.h"
#include "vta/module.h"
#include "vta/pack.h"
#include "vta/profile.h"
#include "vta/program.h"
#include "vta/rpc.h"
#include "vta/runtime.h"
#include "vta/status.h"
#include "vta/support.h"
#include "vta/text.h"
#include "vta/timing.h"
#include "vta/tvm.h"

#endif
