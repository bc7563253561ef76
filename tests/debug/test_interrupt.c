/* An interrupt from another thread ends what takes long: making a debugger, which times the stream, and a seek. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "support/check.h"
#include "vta/debug.h"
#include "vta/isa.h"

enum { INSNS = 50000, TRIES = 2000 };

typedef struct raising {
    vta_device *device;
    _Atomic(vta_debugger *) debugger; /* NULL: the device is interrupted */
    atomic_bool over;
} raising;

static void *raise_until_over(void *arg) {
    raising *r = arg;
    while (!atomic_load(&r->over)) {
        if (atomic_load(&r->debugger))
            vta_debugger_interrupt(atomic_load(&r->debugger));
        else
            vta_device_interrupt(r->device);
        usleep(200);
    }
    return NULL;
}

static vta_device *make_device(uint32_t *out_addr) {
    vta_config *config = vta_config_default();
    vta_device *device;
    const vta_insn alu = {.opcode = VTA_OP_ALU, .u.exec = {.uop_end = 1, .iter_out = 100, .iter_in = 1, .use_imm = 1}};
    const vta_insn finish = {.opcode = VTA_OP_FINISH};
    assert_int_equal(vta_device_create("sim", config, NULL, NULL, NULL, &device), VTA_OK);
    assert_int_equal(vta_device_alloc(device, INSNS * VTA_INSN_BYTES, NULL, out_addr), VTA_OK);
    for (uint32_t i = 0; i < INSNS; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        assert_int_equal(vta_insn_encode(config, i + 1 < INSNS ? &alu : &finish, NULL, bytes), VTA_OK);
        assert_int_equal(vta_device_write(device, *out_addr + i * VTA_INSN_BYTES, bytes, sizeof bytes, NULL), VTA_OK);
    }
    vta_config_release(config);
    return device;
}

TEST_CASE(making_and_seeking_end) {
    uint32_t addr;
    vta_timing_profile timing;
    raising r = {.device = make_device(&addr)};
    vta_debugger *debugger = NULL;
    vta_diag *diag = vta_diag_create(NULL);
    pthread_t thread;
    assert_int_equal(vta_timing_profile_get(NULL, diag, &timing), VTA_OK);
    assert_int_equal(pthread_create(&thread, NULL, raise_until_over, &r), 0);
    vta_status status = VTA_OK;
    for (int i = 0; i < TRIES && status == VTA_OK; i++) { /* one that is quick enough is not interrupted */
        vta_debugger_destroy(debugger);
        status = vta_debugger_create(r.device, addr, INSNS, &timing, diag, &debugger);
    }
    atomic_store(&r.over, true);
    pthread_join(thread, NULL);
    assert_int_equal(status, VTA_INTERRUPTED);
    assert_null(debugger);
    assert_non_null(strstr(vta_diag_text(diag), "interrupted in cycle"));
    assert_int_equal(vta_debugger_create(r.device, addr, INSNS, &timing, diag, &debugger), VTA_OK); /* it is over */
    atomic_store(&r.debugger, debugger);
    atomic_store(&r.over, false);
    assert_int_equal(pthread_create(&thread, NULL, raise_until_over, &r), 0);
    status = VTA_OK;
    for (int i = 0; i < TRIES && status == VTA_OK; i++)
        status = vta_debugger_seek(debugger, i % 2 ? 0 : vta_debugger_length(debugger), diag);
    atomic_store(&r.over, true);
    pthread_join(thread, NULL);
    assert_int_equal(status, VTA_INTERRUPTED);
    assert_int_equal(vta_debugger_seek(debugger, vta_debugger_length(debugger), diag), VTA_OK);
    vta_debugger_destroy(debugger);
    vta_diag_destroy(diag);
    vta_device_destroy(r.device);
}

int main(void) { return run_cases(); }
