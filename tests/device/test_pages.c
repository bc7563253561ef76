/* Memory that was allocated page by page, so that neighbouring pages need not be neighbours on the host: programs whose
 * rows lie over the borders give what the naive machine gives, on every engine. */
#include "device/random_program.h"
#include "support/diag.h"

enum { PROGRAMS = 40, LENGTH = 60, PAGE = 4096 };

static const vta_device_options paths[] = {
    {.engine = VTA_ENGINE_REFERENCE},
    {.engine = VTA_ENGINE_FAST, .cpu = "portable"},
    {.engine = VTA_ENGINE_FAST},
};

static random_program program;

/* From the last page to the first, so that neighbours are no neighbours on the host. */
static vta_device *make_device(const random_program *p, const vta_device_options *options) {
    vta_device *device;
    must(vta_device_create("sim", p->config, options, NULL, diag, &device));
    for (uint32_t addr = RP_END; addr > RP_BASE; addr -= PAGE)
        must(vta_device_alloc_at(device, addr - PAGE, PAGE, diag));
    return device;
}

static void run(vta_device *device, const random_program *p) {
    must(vta_device_write(device, RP_BASE, p->before, RP_BYTES, diag));
    for (int i = 0; i < p->count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        must(vta_insn_encode(p->config, &p->insns[i], diag, bytes));
        must(vta_device_write(device, RP_BASE + (uint32_t)i * VTA_INSN_BYTES, bytes, sizeof bytes, diag));
    }
    must(vta_device_run(device, RP_BASE, (uint32_t)p->count, 0, diag));
}

TEST_CASE(random_programs) {
    static uint8_t got[RP_BYTES];
    for (uint64_t seed = 900; seed < 900 + PROGRAMS; seed++) {
        if (!rp_make(&program, seed, LENGTH, true)) continue;
        for (size_t path = 0; path < sizeof paths / sizeof *paths; path++) {
            vta_device *device = make_device(&program, &paths[path]);
            run(device, &program);
            must(vta_device_read(device, RP_BASE, got, RP_BYTES, diag));
            for (size_t i = RP_UOPS - RP_BASE; i < RP_BYTES; i++)
                if (got[i] != program.after[i])
                    fail_msg("seed %d, path %zu: DRAM 0x%zx is %02x, not %02x", (int)seed, path, RP_BASE + i, got[i],
                             program.after[i]);
            vta_device_destroy(device);
        }
        rp_clear(&program);
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
