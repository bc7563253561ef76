#include "device.h"

#include <string.h>

#include "timing.h"

static void add_number(cli_asked_device *out, const char *key, uint64_t value) {
    size_t n = strlen(out->wave);
    if (value) snprintf(out->wave + n, sizeof out->wave - n, " %s=%llu", key, (unsigned long long)value);
}

/* File, cycles, scope and size as the device takes them. */
static vta_status settle_waves(const cli_device *d, cli_asked_device *out) {
    if (!d->wave) {
        if (!d->wave_from && !d->wave_to && !d->wave_bytes && !d->wave_scope) return VTA_OK;
        return cli_fail(VTA_INVALID_ARGUMENT, "--from, --to, --scope and --bytes are of --wave FILE.fst");
    }
    snprintf(out->wave, sizeof out->wave, "%s%s%s", d->wave, d->wave_scope ? " scope=" : "",
             d->wave_scope ? d->wave_scope : "");
    add_number(out, "from", d->wave_from);
    add_number(out, "to", d->wave_to);
    add_number(out, "bytes", d->wave_bytes);
    out->options.wave = out->wave;
    return VTA_OK;
}

vta_status cli_device_asked(const cli_device *d, cli_asked_device *out) {
    vta_device_options *o = &out->options;
    *out = (cli_asked_device){.options = d->options};
    o->check = d->check;
    o->stall_percent = d->stall > 100 ? 100 : (uint32_t)d->stall; /* 100 is refused */
    o->assertions = d->assertions;
    o->pack = d->pack;
    o->netlist = d->netlist;
    o->skip_execution = d->skip_execution;
    return settle_waves(d, out);
}

vta_status cli_make_device(const cli_device *d, const vta_config *config, vta_device **out_device) {
    cli_asked_device asked;
    vta_status status = cli_device_asked(d, &asked);
    if (status != VTA_OK) return status;
    char timing[CLI_DEVICE_TIMING];
    const char *driver = d->driver ? d->driver : "sim";
    status = cli_device_timing(d->timing, config, driver, timing);
    if (status != VTA_OK) return status;
    asked.options.profile = *timing ? timing : NULL;
    return vta_device_create(driver, config, &asked.options, NULL, cli_diag(), out_device);
}
