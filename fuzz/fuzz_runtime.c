/* Random sequences of runtime calls: every one ends in a result or an error, never a crash, a hang or a leak; a stream
 * that ran without error is what the calls said, so the device never refuses it for its form. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vta/runtime.h"

/* The input as a stream of numbers; zeros when it is used up. */
typedef struct input {
    const uint8_t *at, *end;
} input;

static input *in; /* finit has no other way to it */

static uint32_t byte(void) { return in->at < in->end ? *in->at++ : 0; }

/* Mostly small numbers, sometimes those at borders, sometimes anything. */
static uint32_t number(void) {
    static const uint32_t borders[] = {0,    1,     15,    16,    1023,  1024,  2047,       2048,
                                       8191, 16383, 16384, 65535, 65536, 65537, 0x7fffffff, 0xffffffff};
    uint32_t kind = byte();
    if (kind < 200) return kind % 20;
    if (kind < 240) return borders[byte() % 16];
    return byte() | byte() << 8 | byte() << 16 | byte() << 24;
}

enum { BUFFERS = 6, SITES = 4 };
static void *buffers[BUFFERS], *sites[SITES];
static VTACommandHandle cmd;
static int depth;

/* A buffer in most cases, sometimes a freed, foreign or null one. */
static void *some_buffer(void) {
    static char host[16];
    uint32_t which = byte();
    if (which == 255) return NULL;
    if (which == 254) return host;
    if (which == 253) return cmd;
    if (which == 252) return (char *)buffers[0] + 1;
    return buffers[which % BUFFERS];
}

static VTACommandHandle some_handle(void) {
    uint32_t which = byte();
    return which < 250 ? cmd : which == 250 ? NULL : some_buffer();
}

static void one_call(void);

static int finit(void *signature) {
    (void)signature;
    depth++;
    uint32_t loops = byte() % 4, uops = byte() % 8, odd = byte();
    for (uint32_t i = 0; i < loops; i++) VTAUopLoopBegin(number(), number(), number(), number());
    uint32_t mode = byte() % 2, reset = byte() % 2, opcode = byte() % 6, use_imm = byte() % 2;
    int32_t imm = (int32_t)number();
    for (uint32_t i = 0; i < uops; i++)
        VTAUopPush(odd == 1 ? byte() : mode, reset, number() + 3 * i, number(), number(), opcode, use_imm, imm);
    if (odd == 2 && depth < 3) one_call();
    for (uint32_t i = 0; i < loops - (odd == 3 && loops); i++) VTAUopLoopEnd();
    depth--;
    return odd == 4;
}

static void replace_buffer(void) {
    uint32_t which = byte() % BUFFERS;
    VTABufferFree(buffers[which]);
    if (byte() % 8) buffers[which] = VTABufferAlloc(number() % 100000);
}

static void one_call(void) {
    static uint8_t host[4096];
    int32_t signature = (int32_t)(byte() % 4);
    switch (byte() % 16) {
    case 0:
    case 1:
    case 2:
        VTALoadBuffer2D(some_handle(), some_buffer(), number(), number(), number(), number(), number() % 17,
                        number() % 17, number() % 17, number() % 17, number(), byte() % 7);
        break;
    case 3:
    case 4:
        VTAStoreBuffer2D(some_handle(), number(), byte() % 8 ? VTA_MEM_OUT : byte(), some_buffer(), number(), number(),
                         number(), number());
        break;
    case 5:
    case 6: VTAPushGEMMOp(&sites[byte() % SITES], finit, &signature, byte() % 16 ? 4 : (int)byte()); break;
    case 7:
    case 8: VTAPushALUOp(&sites[byte() % SITES], finit, &signature, byte() % 2 ? 4 : 0); break;
    case 9:
    case 10: VTADepPush(some_handle(), (int)(byte() % 5), (int)(byte() % 5)); break;
    case 11:
    case 12: VTADepPop(some_handle(), (int)(byte() % 5), (int)(byte() % 5)); break;
    case 13: VTASynchronize(some_handle(), 100000); break;
    case 14:
        switch (byte() % 8) {
        case 0: replace_buffer(); break;
        case 1: VTASetDebugMode(some_handle(), (int)byte()); break;
        case 2: VTAUopPush(byte(), byte(), number(), number(), number(), byte(), byte(), (int32_t)number()); break;
        case 3: VTAUopLoopEnd(); break;
        case 4: VTABufferCPUPtr(some_handle(), some_buffer()); break;
        case 5: vta_clear_error(some_handle()); break;
        case 6: vta_last_error(some_handle()); break;
        default:
            VTARuntimeShutdown();
            if (!depth) cmd = VTATLSCommandHandle();
        }
        break;
    default:
        if (byte() % 2) {
            /* Sides that are buffers may be wrong ones; host memory is always large enough. */
            uint32_t to_device = byte() % 2, bytes = number() % sizeof host;
            void *buffer = some_buffer();
            VTABufferCopy(to_device ? host : buffer, to_device ? 0 : number(), to_device ? buffer : host,
                          to_device ? number() : 0, bytes, to_device ? 1 : 2);
        } else if (byte() % 2) {
            VTAReadBarrier(some_handle(), some_buffer(), number(), number(), number());
        } else {
            VTAWriteBarrier(some_handle(), some_buffer(), number(), number(), number());
        }
    }
}

static void run(vta_runtime *runtime) {
    vta_runtime_use(runtime);
    cmd = VTATLSCommandHandle();
    for (int i = 0; i < BUFFERS; i++) buffers[i] = VTABufferAlloc(4096u << i);
    memset(sites, 0, sizeof sites);
    depth = 0;
    while (in->at < in->end) one_call();
    VTASynchronize(cmd, 100000);
    /* Whatever came before, the handle is in order now. */
    vta_clear_error(cmd);
    VTASetDebugMode(cmd, 0);
    VTASynchronize(cmd, 0);
    vta_clear_error(cmd);
    VTASetDebugMode(cmd, VTA_DEBUG_FORCE_SERIAL); /* tokens that are left could satisfy a pop of this stream */
    VTALoadBuffer2D(cmd, VTABufferAlloc(64), 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, VTABufferAlloc(16), 0, 1, 1, 1);
    VTASynchronize(cmd, 0);
    if (vta_last_error(cmd)) abort();
    vta_runtime_destroy(runtime);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static vta_config *config;
    input bytes = {data, data + size};
    in = &bytes;
    if (!config) config = vta_config_default();
    vta_runtime_options options = {.max_work = 100000,
                                   .max_transfer = byte() % 2 ? 1024 : 0,
                                   .device = &(vta_device_options){.check = byte() % 2}};
    vta_runtime *runtime;
    if (vta_runtime_create(config, "sim", &options, NULL, NULL, &runtime) == VTA_OK) run(runtime);
    return 0;
}
