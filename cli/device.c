#include "device.h"

vta_status cli_make_device(cli_device *d, const vta_config *config, vta_device **out_device) {
    d->options.check = d->check;
    d->options.stall_percent = d->stall > 100 ? 100 : (uint32_t)d->stall; /* 100 is refused */
    d->options.assertions = d->assertions;
    d->options.pack = d->pack;
    d->options.netlist = d->netlist;
    d->options.skip_execution = d->skip_execution;
    return vta_device_create(d->driver ? d->driver : "sim", config, &d->options, NULL, cli_diag(), out_device);
}
