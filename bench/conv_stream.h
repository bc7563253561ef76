/* Instruction streams of convolutions for the default kind of configuration (BATCH 1), blocked so that inputs, weights
 * and accumulators fit their buffers. Used by the benchmarks; needs only the public interface. */
#ifndef CONV_STREAM_H
#define CONV_STREAM_H

#include "vta/device.h"
#include "vta/isa.h"

typedef struct conv_shape {
    const char *name;
    uint32_t height, width, in, out, kernel, stride, pad;
} conv_shape;

/* A convolution in a device's memory, ready to run: out = clip((inp * wgt) >> shift), as int8. */
typedef struct conv_job {
    conv_shape shape;
    uint32_t out_height, out_width;
    uint32_t inp_addr, wgt_addr, out_addr, uop_addr, insn_addr, insn_count;
    size_t inp_bytes, wgt_bytes, out_bytes;
} conv_job;

enum { CONV_SHIFT = 8 };

vta_status conv_prepare(vta_device *device, conv_shape shape, vta_diag *diag, conv_job *out_job);
void conv_release(vta_device *device, const conv_job *job);
double conv_macs(const conv_shape *shape);
/* Fills inputs and weights with seeded noise. */
void conv_fill(vta_device *device, const conv_job *job);
/* Compares with a plain convolution; the number of wrong outputs. */
size_t conv_errors(vta_device *device, const conv_job *job);

/* The ten convolutions of ResNet-18, C2 to C11. */
extern const conv_shape conv_resnet18[10];

#endif
