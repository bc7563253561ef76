/* Options, checked, and the folder with a design. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/environment.h"
#include "base/file.h"
#include "hardware/hardware.h"

enum {
    BUS_LEAST = 32,
    BUS_MAX = 512,
    BURST_MAX = 256,
    QUEUE_MAX = 4096,
    READS_MAX = 64,
    ADDRESS_LEAST = 16,
    ADDRESS_MAX = 32
};

static vta_status power(const char *name, uint32_t value, uint32_t least, uint32_t most, vta_diag *diag) {
    if (value >= least && value <= most && (value & (value - 1)) == 0) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "%s %u: the design takes a power of two from %u to %u", name, value, least,
                   most);
}

/* A memory's bank holds two elements at least, and a line of the bus goes to one element of each bank. */
static vta_status check_buffers(const vta_config *c, uint32_t bus_bits, vta_diag *diag) {
    static const vta_memory memories[] = {VTA_MEM_UOP, VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        vta_memory m = memories[i], line = m == VTA_MEM_ACC ? VTA_MEM_OUT : m;
        uint32_t lanes = c->elem_bytes[line] * 8 < bus_bits ? bus_bits / 8 / c->elem_bytes[line] : 1;
        if (c->depth[m] >= 2 * lanes) continue;
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "the %s buffer has %u elements, and the design needs %u with a bus of %u bits; make the buffer "
                       "bigger or the bus narrower",
                       vta_memory_name(m), c->depth[m], 2 * lanes, bus_bits);
    }
    return VTA_OK;
}

vta_status vt_hardware_settle(const vta_config *c, const vta_hardware_options *given, vta_diag *diag,
                              vta_hardware_options *out) {
    vta_hardware_options o = {0};
    if (given) memcpy(&o, given, given->size && given->size < sizeof o ? given->size : sizeof o);
    o.size = sizeof o;
    if (!o.bus_bits) o.bus_bits = 64;
    if (!o.burst_beats) o.burst_beats = 16;
    if (!o.queue_depth) o.queue_depth = 512;
    if (!o.reads_most) o.reads_most = 16;
    if (!o.address_bits) o.address_bits = ADDRESS_MAX;
    VT_TRY(power("bus_bits", o.bus_bits, BUS_LEAST, BUS_MAX, diag));
    VT_TRY(power("burst_beats", o.burst_beats, 1, BURST_MAX, diag));
    VT_TRY(power("queue_depth", o.queue_depth, 1, QUEUE_MAX, diag));
    VT_TRY(power("reads_most", o.reads_most, 2, READS_MAX, diag));
    if (o.address_bits < ADDRESS_LEAST || o.address_bits > ADDRESS_MAX)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "address_bits %u: the design takes %d to %d", o.address_bits,
                       ADDRESS_LEAST, ADDRESS_MAX);
    if (o.pack && o.small)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "pack and small: products are made of multipliers or of LUTs");
    if (o.small) o.no_mul = true;
    if (vt_environment(VT_ENV_VTA_HARDWARE_COVERAGE)) o.coverage = true;
    if (o.queue_depth == 1 && !o.small)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "queue_depth 1: only a small design has queues of one entry");
    if (o.burst_beats * o.bus_bits / 8 > 4096)
        return vt_fail(diag, VTA_OUT_OF_RANGE,
                       "burst_beats %u on a bus of %u bits: a burst of AXI has 4096 bytes at most", o.burst_beats,
                       o.bus_bits);
    if (c->width[VTA_MEM_ACC] != 32)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "LOG_ACC_WIDTH: the design computes with 32-bit accumulators, not with %u bits",
                       c->width[VTA_MEM_ACC]);
    if (o.pack && (c->width[VTA_MEM_INP] > 8 || c->width[VTA_MEM_WGT] > 8))
        return vt_fail(diag, VTA_UNSUPPORTED, "two products in one multiplier: only for inp and wgt of 8 bits at most");
    VT_TRY(check_buffers(c, o.bus_bits, diag));
    *out = o;
    return VTA_OK;
}

vta_status vta_hardware_check(const vta_config *config, const vta_hardware_options *options, vta_diag *diag) {
    vta_hardware_options o;
    if (!config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_hardware_check: needs a configuration");
    return vt_hardware_settle(config, options, diag, &o);
}

static vta_status write_text(const char *folder, const char *name, const char *text, size_t size, vta_diag *diag) {
    vt_strbuf path;
    vt_strbuf_init(&path, NULL);
    vt_strbuf_addf(&path, "%s/%s", folder, name);
    vta_status status = path.failed ? vt_no_memory(diag) : vt_file_write(NULL, path.text, text, size, diag);
    vt_strbuf_free(&path);
    return status;
}

bool vt_hardware_is_module(const char *name) {
    size_t size = strlen(name);
    return size > 3 && !strcmp(name + size - 3, ".sv");
}

static vta_status write_list(const char *folder, vt_strbuf *text, vta_diag *diag) {
    vt_strbuf_clear(text);
    vt_strbuf_add(text, "vta_pkg.sv\n");
    for (size_t i = 0; i < vt_hardware_file_count; i++)
        if (vt_hardware_is_module(vt_hardware_files[i].name)) vt_strbuf_addf(text, "%s\n", vt_hardware_files[i].name);
    if (text->failed) return vt_no_memory(diag);
    return write_text(folder, "vta.f", text->text, text->size, diag);
}

static vta_status write_all(const vta_config *config, const vta_hardware_options *o, const char *folder,
                            vt_strbuf *text, vta_diag *diag) {
    vt_hardware_package(text, config, o);
    if (text->failed) return vt_no_memory(diag);
    VT_TRY(write_text(folder, "vta_pkg.sv", text->text, text->size, diag));
    for (size_t i = 0; i < vt_hardware_file_count; i++)
        VT_TRY(write_text(folder, vt_hardware_files[i].name, vt_hardware_files[i].text,
                          strlen(vt_hardware_files[i].text), diag));
    return write_list(folder, text, diag);
}

vta_status vta_hardware_generate(const vta_config *config, const vta_hardware_options *options, const char *folder,
                                 vta_diag *diag) {
    if (!config || !folder)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_hardware_generate: needs a configuration and a folder");
    vta_hardware_options o;
    VT_TRY(vt_hardware_settle(config, options, diag, &o));
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return vt_fail(diag, VTA_IO, "%s: %s", folder, strerror(errno));
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    vta_status status = write_all(config, &o, folder, &text, diag);
    vt_strbuf_free(&text);
    return status;
}
