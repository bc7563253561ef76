/* The JIT runtime: records loads, stores, micro-kernels and dependence tokens as an instruction stream, and runs it on
 * a device. What compiled kernels call; what a program in C calls when there is no compiler.
 *
 * Two faces:
 *
 *  - the interface of TVM's VTA, under its names (VTA...), which cannot return errors. A call that is wrong does
 *    nothing but leave a message, which says the call, its arguments and what to do (vta_last_error). The stream being
 *    recorded is damaged from then on: the next VTASynchronize drops it instead of running it, and the handle works
 *    again. Nothing a caller passes makes the library abort, corrupt memory, or cut a value silently.
 *  - vta_runtime_...: which configuration, device and options stand behind it; counters, dumps, capture.
 *
 * A runtime is a device and the buffers on it. The first call of that interface makes the process's default
 * runtime from the usual configuration (vta_config_find(NULL)) and its TARGET; vta_runtime_reconfigure replaces it.
 * Programs that want several hardware shapes at once make more runtimes and choose one for each thread.
 *
 * Threads: all functions may be called from any thread. Every thread has its own command handle, a stream of its own;
 * buffers are shared by the threads of one runtime, and device runs take turns. A command handle is used by one thread
 * at a time. The caller orders a thread's reads of a buffer after the VTASynchronize of the thread that writes it. */
#ifndef VTA_RUNTIME_H
#define VTA_RUNTIME_H

#include "vta/device.h"
#include "vta/isa.h"
#include "vta/program.h"

VTA_BEGIN

/* ---- The interface of TVM's VTA (vta/runtime.def lists it) ------------------------------------------------- */

/* Handles are values, not addresses: they equal no pointer of the process, and a freed or invented one is noticed. */
typedef void *VTACommandHandle;
typedef void *VTADeviceHandle;
typedef uint32_t vta_phy_addr_t;

/* Bits of VTASetDebugMode. */
enum {
    VTA_DEBUG_DUMP_INSN = 1 << 1,          /* each stream to the sink, before it runs */
    VTA_DEBUG_DUMP_UOP = 1 << 2,           /* each micro-kernel to the sink, when it was recorded */
    VTA_DEBUG_SKIP_READ_BARRIER = 1 << 3,  /* VTAReadBarrier flushes no cache */
    VTA_DEBUG_SKIP_WRITE_BARRIER = 1 << 4, /* VTAWriteBarrier invalidates no cache */
    VTA_DEBUG_FORCE_SERIAL = 1 << 5,       /* instructions run one after another, whatever the tokens say */
};

/* A buffer of device memory, zeroed. NULL when there is no memory or no runtime. */
VTA_API void *VTABufferAlloc(size_t bytes);
/* Frees it; streams that were recorded with it may still run. */
VTA_API void VTABufferFree(void *buffer);
/* Copies; kind_mask 1: `to` is a buffer, 2: `from` is, 3: both are. The other side is host memory. */
VTA_API void VTABufferCopy(const void *from, size_t from_offset, void *to, size_t to_offset, size_t bytes,
                           int kind_mask);
/* The calling thread's command handle for its runtime, made when it is first asked for; NULL when that failed, and
 * then vta_last_error(NULL) says why. Lives until the thread ends, VTARuntimeShutdown, or the runtime's end. */
VTA_API VTACommandHandle VTATLSCommandHandle(void);
/* Drops the calling thread's command handle, what it has recorded and its micro-kernels. */
VTA_API void VTARuntimeShutdown(void);
/* The host's view of a buffer; a pointer that is not a handle comes back unchanged. NULL for a freed buffer, and on a
 * device whose memory the host does not see. */
VTA_API void *VTABufferCPUPtr(VTACommandHandle cmd, void *buffer);
/* Makes what the device wrote visible to the host, and what the host wrote visible to the device: `extent` elements
 * of `elem_bits` bits from element `start` on. */
VTA_API void VTAWriteBarrier(VTACommandHandle cmd, void *buffer, uint32_t elem_bits, uint32_t start, uint32_t extent);
VTA_API void VTAReadBarrier(VTACommandHandle cmd, void *buffer, uint32_t elem_bits, uint32_t start, uint32_t extent);
VTA_API void VTASetDebugMode(VTACommandHandle cmd, int debug_flag);

/* Records a LOAD: y_size rows of x_size elements, row y from element src_elem_offset + y * x_stride of the buffer,
 * zero padding around, to dst_sram_index on. dst_memory_type: WGT, INP, ACC, ACC_8BIT or, where the
 * configuration has tables, TABLE of vta/memory.def. */
VTA_API void VTALoadBuffer2D(VTACommandHandle cmd, void *src_dram, uint32_t src_elem_offset, uint32_t x_size,
                             uint32_t y_size, uint32_t x_stride, uint32_t x_pad_before, uint32_t y_pad_before,
                             uint32_t x_pad_after, uint32_t y_pad_after, uint32_t dst_sram_index,
                             uint32_t dst_memory_type);
/* Records a STORE, the reverse without padding. src_memory_type: OUT. */
VTA_API void VTAStoreBuffer2D(VTACommandHandle cmd, uint32_t src_sram_index, uint32_t src_memory_type, void *dst_dram,
                              uint32_t dst_elem_offset, uint32_t x_size, uint32_t y_size, uint32_t x_stride);

/* Inside a finit only: a micro-op (mode 0 GEMM, 1 ALU; opcode: vta_alu_opcode), and the at most two nested loops around
 * all of them. */
VTA_API void VTAUopPush(uint32_t mode, uint32_t reset_out, uint32_t dst_index, uint32_t src_index, uint32_t wgt_index,
                        uint32_t opcode, uint32_t use_imm, int32_t imm_val);
VTA_API void VTAUopLoopBegin(uint32_t extent, uint32_t dst_factor, uint32_t src_factor, uint32_t wgt_factor);
VTA_API void VTAUopLoopEnd(void);
/* Records a GEMM or ALU instruction that runs the micro-kernel of this call site for this signature (nbytes 0 or 4).
 * *uop_handle is NULL before the site's first call and belongs to the runtime from then on. finit(signature) records
 * the kernel when the calling thread's handle does not have it yet; it returns 0. Both return 0; -1 after an error. */
VTA_API int VTAPushGEMMOp(void **uop_handle, int (*finit)(void *), void *signature, int nbytes);
VTA_API int VTAPushALUOp(void **uop_handle, int (*finit)(void *), void *signature, int nbytes);
/* Dependence tokens between neighbouring stages (vta_stage). Both return 0; -1 after an error. */
VTA_API int VTADepPush(VTACommandHandle cmd, int from_qid, int to_qid);
VTA_API int VTADepPop(VTACommandHandle cmd, int from_qid, int to_qid);
/* Runs what was recorded and waits for it; at most wait_cycles on a device that knows time (0: without a bound). */
VTA_API void VTASynchronize(VTACommandHandle cmd, uint32_t wait_cycles);

/* What failed since the last clearing, one line a failure, oldest first: a call's name, its arguments, what was wrong.
 * NULL when nothing failed. Anything but a command handle (NULL included) stands for the calling thread. The text
 * belongs to the handle and changes with its next failing call. */
VTA_API const char *vta_last_error(VTACommandHandle cmd);
/* The status of the first of these failures, but VTA_NO_MEMORY when one of them was for lack of memory, as a lack of it
 * makes later calls fail; VTA_OK when nothing failed. `cmd` as in vta_last_error. */
VTA_API vta_status vta_last_status(VTACommandHandle cmd);
VTA_API void vta_clear_error(VTACommandHandle cmd);

/* How micro-ops are shared (VTAShareUops). LATE: those that the step of a run's first product does not use are loaded
 * behind it, by a second load, which takes no time where the hardware loads beside a product. */
enum { VTA_SHARE_UOPS_OFF = 0, VTA_SHARE_UOPS_ON = 1, VTA_SHARE_UOPS_LATE = 2 };

/* Not of TVM's VTA. From here on, until it is called with 0, a micro-kernel whose micro-ops stand in the uop buffer
 * already, as those of another one or as a part of them, is not loaded again; and a load of micro-ops waits for no
 * token, which the instruction that needs them does. Compiled kernels whose steps are written out ask for it. */
VTA_API void VTAShareUops(VTACommandHandle cmd, int32_t share);
/* New: says what the instructions recorded from here on come from, for a program that is being captured (else it does
 * nothing). `text` is a name and then up to four words to which the values belong: "res_conv ic.outer yo", 2, 3, 1, 0,
 * 0 is kept as "res_conv ic.outer=3 yo=1". Code that was compiled with annotations calls it. */
VTA_API void VTAAnnotate(VTACommandHandle cmd, const char *text, uint32_t count, int32_t v0, int32_t v1, int32_t v2,
                         int32_t v3);

/* The driver's interface below, on the calling thread's runtime. Memory is addressed by the host's view of it; an
 * address inside a block is good where a block's own is. Errors: vta_last_error(NULL). */
VTA_API VTADeviceHandle VTADeviceAlloc(void);
VTA_API void VTADeviceFree(VTADeviceHandle device);
/* 0 when the run finished, 1 when it did not. */
VTA_API int VTADeviceRun(VTADeviceHandle device, vta_phy_addr_t insn_phy_addr, uint32_t insn_count,
                         uint32_t wait_cycles);
VTA_API void *VTAMemAlloc(size_t size, int cached);
VTA_API void VTAMemFree(void *buf);
VTA_API vta_phy_addr_t VTAMemGetPhyAddr(void *buf);
VTA_API void VTAMemCopyFromHost(void *dst, const void *src, size_t size);
VTA_API void VTAMemCopyToHost(void *dst, const void *src, size_t size);
VTA_API void VTAFlushCache(void *vir_addr, vta_phy_addr_t phy_addr, int size);
VTA_API void VTAInvalidateCache(void *vir_addr, vta_phy_addr_t phy_addr, int size);
VTA_API void VTAProgram(const char *bitstream);

/* ---- Runtimes ------------------------------------------------------------------------------------------------ */

typedef struct vta_runtime vta_runtime;

/* Where text goes that the library itself never prints. Called by one thread at a time for one runtime, from within a
 * runtime call; it must not call the runtime. */
typedef struct vta_sink {
    void (*write)(void *ctx, const char *text, size_t size);
    void *ctx;
} vta_sink;

typedef struct vta_runtime_options {
    size_t size;                      /* of this struct, or 0 */
    const vta_device_options *device; /* read when the runtime is made; NULL: all defaults */
    uint32_t max_transfer;  /* bytes of the longest stream or micro-op image; 0: VTA_MAX_TRANSFER, the largest */
    uint32_t reserve_bytes; /* device memory taken for each of a handle's two queues at first; 0: grows as needed */
    uint32_t debug;         /* VTA_DEBUG_... bits that new command handles begin with */
    vta_sink sink;          /* for dumps; none: dumps go nowhere */
    uint32_t max_work;      /* micro-ops and elements moved in a run, on a device that knows no time; 0: no bound */
    const char *capture;    /* record every run to this file, as vta_runtime_capture; NULL: no */
} vta_runtime_options;

/* Makes a runtime of its own; it serves the threads that chose it with vta_runtime_use. `config` NULL: what
 * vta_config_find(NULL) finds; `driver` NULL: the configuration's TARGET; `options` NULL: all defaults. */
VTA_API vta_status vta_runtime_create(const vta_config *config, const char *driver, const vta_runtime_options *options,
                                      const vta_allocator *allocator, vta_diag *diag, vta_runtime **out_runtime);
/* Ends it: its buffers and command handles are no longer valid. A call that another thread has begun on it finishes
 * first; the memory goes with the last of them. NULL is allowed. */
VTA_API void vta_runtime_destroy(vta_runtime *runtime);
/* Chooses the calling thread's runtime; NULL: back to the process's default. What the thread had recorded on another
 * one stays there and is found again when that is chosen again. */
VTA_API void vta_runtime_use(vta_runtime *runtime);
/* The calling thread's runtime: the chosen one, or the process's default, made now if need be. NULL when that fails:
 * see vta_last_error(NULL). Borrowed: valid until it is destroyed or the default is replaced. */
VTA_API vta_runtime *vta_runtime_current(void);
/* Replaces the process's default runtime. On failure the old one stays. Buffers and handles of the old one are no
 * longer valid; threads that are inside a call on it finish that call first. */
VTA_API vta_status vta_runtime_reconfigure(const vta_config *config, const char *driver,
                                           const vta_runtime_options *options, vta_diag *diag);

/* In the functions below NULL stands for vta_runtime_current(). */

/* Borrowed, valid as long as the runtime; NULL when there is no runtime. */
VTA_API const vta_config *vta_runtime_config(vta_runtime *runtime);
VTA_API const char *vta_runtime_driver(vta_runtime *runtime);
/* The device's counters and those of the micro-op cache, of all threads. */
VTA_API vta_counters vta_runtime_counters(vta_runtime *runtime);
VTA_API void vta_runtime_clear_counters(vta_runtime *runtime);
/* What the checked runs of all threads found, as vta_device_findings_to_json; clearing the counters clears it too. */
VTA_API char *vta_runtime_findings_to_json(vta_runtime *runtime);
/* The text that TVM's VTA prints, "Execution statistics:" and its seven lines; free with vta_string_free. NULL: out of
 * memory. */
VTA_API char *vta_counters_to_text(const vta_counters *counters);
/* Changes the device's options (engine, order, checks, skip_execution) between runs. */
VTA_API vta_status vta_runtime_set_device_options(vta_runtime *runtime, const vta_device_options *options,
                                                  vta_diag *diag);
/* Loads a bitstream (a file) into the device's FPGA; on a device without one there is nothing to do, and *out_has_fpga
 * (may be NULL) is false. NULL in the place of a file only asks. */
VTA_API vta_status vta_runtime_program(vta_runtime *runtime, const char *bitstream, vta_diag *diag, bool *out_has_fpga);
/* Stops the device run that is going on, soon (VTA_INTERRUPTED). From any thread, and from a signal handler when
 * `runtime` is not NULL. */
VTA_API void vta_runtime_interrupt(vta_runtime *runtime);
/* Where dumps go from now on; sink.write NULL: nowhere. */
VTA_API void vta_runtime_set_sink(vta_runtime *runtime, vta_sink sink);
/* Records every device run from now on, with all device memory before and after, as a program file (vta/program.h).
 * The file is written when the recording ends: by another call (path NULL: just end), or with the runtime; none is
 * written when nothing ran. In a process with $VTA_CAPTURE set (`vta capture`) all runtimes are recorded there, further
 * ones than the first that ran something in files with .2, .3, ... after the name. */
VTA_API vta_status vta_runtime_capture(vta_runtime *runtime, const char *path, vta_diag *diag);
/* The same in memory: begins a recording, and ends it and gives it away (it outlives the runtime, its memory is the C
 * library's, the caller destroys it; NULL and VTA_OK when nothing ran). VTA_INVALID_ARGUMENT for the second without the
 * first. out_touched gets the addresses of the first touched_capacity buffers whose contents the calling thread
 * accessed meanwhile, through VTABufferCPUPtr or VTABufferCopy, *out_touched_count (may be NULL) how many there were;
 * at most 16 are told apart. */
VTA_API vta_status vta_runtime_record(vta_runtime *runtime, vta_diag *diag);
VTA_API vta_status vta_runtime_recorded(vta_runtime *runtime, size_t touched_capacity, vta_diag *diag,
                                        vta_program **out_program, uint32_t out_touched[], size_t *out_touched_count);
/* Size in bytes of a live buffer of any runtime; VTA_NOT_FOUND for anything else. *out_addr (may be NULL) gets its
 * physical address. */
VTA_API vta_status vta_buffer_info(const void *buffer, size_t *out_bytes, uint32_t *out_addr);

VTA_END

#endif
