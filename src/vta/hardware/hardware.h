/* The accelerator in SystemVerilog: the design's sources, which this library carries, and what a configuration makes of
 * them. */
#ifndef VT_HARDWARE_HARDWARE_H
#define VT_HARDWARE_HARDWARE_H

#include "base/strbuf.h"
#include "config/config_priv.h"
#include "vta/hardware.h"

/* A file of hardware/, embedded by cmake/embed.cmake. */
typedef struct vt_hardware_file {
    const char *name; /* "vta_fifo.sv" */
    const char *text; /* zero-terminated */
} vt_hardware_file;
extern const vt_hardware_file vt_hardware_files[];
extern const size_t vt_hardware_file_count;

/* The options with every 0 replaced by its default, checked against the configuration. */
vta_status vt_hardware_settle(const vta_config *config, const vta_hardware_options *options, vta_diag *diag,
                              vta_hardware_options *out_options);
/* The package vta_pkg: the configuration's sizes and the tables of the instruction set. Options must be settled. */
void vt_hardware_package(vt_strbuf *text, const vta_config *config, const vta_hardware_options *options);
/* Is the file a module of the design (and not the model's side)? */
bool vt_hardware_is_module(const char *name);

#endif
