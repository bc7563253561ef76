/* Everything of libvtac in one include; each header below stands by itself, and includes what it needs of libvta. */
#ifndef VTA_VTAC_H
#define VTA_VTAC_H

#include "vta/build.h"
#include "vta/compile.h"
#include "vta/graph.h"
#include "vta/import.h"
#include "vta/ir.h"
#include "vta/kernel.h"
#include "vta/ops.h"
#include "vta/pass.h"
#include "vta/te.h"
#include "vta/te_stmt.h"
#include "vta/tune.h"

#endif
