/* The state of the driver intelfocl. */
#ifndef VT_DEVICE_OPENCL_OPENCL_H
#define VT_DEVICE_OPENCL_OPENCL_H

#include "device/board/memory.h"
#include "device/core/machine.h"
#include "device/dram/dram.h"
#include "device/opencl/choice.h"

/* The kernel's first arguments. */
typedef enum vt_opencl_buffer {
    VT_CL_DRAM,
    VT_CL_UOPS,
    VT_CL_INP,
    VT_CL_WGT,
    VT_CL_ACC,
    VT_CL_TABLE,
    VT_CL_FAULT,
    VT_CL_BUFFERS
} vt_opencl_buffer;

enum { VT_CL_FAULT_WORDS = 2, VT_CL_ORDER_MAX = 4096 /* instructions of one launch */ };

typedef struct vt_opencl {
    vt_contiguous memory; /* first: VT_CONTIGUOUS_MEMORY (device/board/memory.h) finds it there */
    vt_cl cl;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer[VT_CL_BUFFERS], order;
    size_t work_items;
    vt_dram dram;      /* the host's view, as checks see it */
    vt_machine shadow; /* knows which micro-ops are on chip */
    vta_counters counters;
    vta_order order_kind;
    uint64_t seed;
    atomic_bool interrupt;
} vt_opencl;

/* Of vt_driver. */
vta_status vt__cl_run(vta_device *device, const vt_run *run, vta_diag *diag);

#endif
