#include "device.h"

#include <string.h>

#include "timing.h"

static void add_number(cli_device *d, const char *key, uint64_t value) {
    size_t n = strlen(d->wave_text);
    if (value) snprintf(d->wave_text + n, sizeof d->wave_text - n, " %s=%llu", key, (unsigned long long)value);
}

/* File, cycles, scope and size as the device takes them. */
static vta_status settle_waves(cli_device *d) {
    if (!d->wave) {
        if (!d->wave_from && !d->wave_to && !d->wave_bytes && !d->wave_scope) return VTA_OK;
        return cli_fail(VTA_INVALID_ARGUMENT, "--from, --to, --scope and --bytes are of --wave FILE.fst");
    }
    snprintf(d->wave_text, sizeof d->wave_text, "%s%s%s", d->wave, d->wave_scope ? " scope=" : "",
             d->wave_scope ? d->wave_scope : "");
    add_number(d, "from", d->wave_from);
    add_number(d, "to", d->wave_to);
    add_number(d, "bytes", d->wave_bytes);
    d->options.wave = d->wave_text;
    return VTA_OK;
}

vta_status cli_make_device(cli_device *d, const vta_config *config, vta_device **out_device) {
    d->options.check = d->check;
    d->options.stall_percent = d->stall > 100 ? 100 : (uint32_t)d->stall; /* 100 is refused */
    d->options.assertions = d->assertions;
    d->options.pack = d->pack;
    d->options.netlist = d->netlist;
    d->options.skip_execution = d->skip_execution;
    vta_status status = settle_waves(d);
    if (status != VTA_OK) return status;
    char timing[CLI_DEVICE_TIMING];
    const char *driver = d->driver ? d->driver : "sim";
    status = cli_device_timing(d->timing, config, driver, timing);
    if (status != VTA_OK) return status;
    d->options.profile = *timing ? timing : NULL;
    status = vta_device_create(driver, config, &d->options, NULL, cli_diag(), out_device);
    d->options.profile = NULL;
    return status;
}
