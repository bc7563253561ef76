#include "conv_stream.h"

#include <stdlib.h>
#include <string.h>

const conv_shape conv_resnet18[10] = {
    {"C2", 56, 56, 64, 64, 3, 1, 1},   {"C3", 56, 56, 64, 128, 3, 2, 1},  {"C4", 56, 56, 64, 128, 1, 2, 0},
    {"C5", 28, 28, 128, 128, 3, 1, 1}, {"C6", 28, 28, 128, 256, 3, 2, 1}, {"C7", 28, 28, 128, 256, 1, 2, 0},
    {"C8", 14, 14, 256, 256, 3, 1, 1}, {"C9", 14, 14, 256, 512, 3, 2, 1}, {"C10", 14, 14, 256, 512, 1, 2, 0},
    {"C11", 7, 7, 512, 512, 3, 1, 1},
};

/* How the convolution is cut: output-channel blocks, output rows and input-channel blocks of one round. */
typedef struct cut {
    uint32_t oc, rows, ic;
} cut;

typedef struct writer {
    vta_device *device;
    const vta_config *config;
    vta_diag *diag;
    conv_job *job;
    cut cut;
    uint32_t kk, padded_width, ic_blocks, oc_blocks, patch_rows;
    uint8_t *bytes;
    uint32_t count, cap;
    vta_status status;
} writer;

double conv_macs(const conv_shape *s) {
    double oh = (s->height + 2 * s->pad - s->kernel) / s->stride + 1,
           ow = (s->width + 2 * s->pad - s->kernel) / s->stride + 1;
    return oh * ow * s->in * s->out * s->kernel * s->kernel;
}

static void emit(writer *w, vta_insn insn) {
    if (w->status != VTA_OK) return;
    if (w->count == w->cap) {
        uint32_t cap = w->cap ? 2 * w->cap : 256;
        uint8_t *grown = realloc(w->bytes, (size_t)cap * VTA_INSN_BYTES);
        if (!grown) {
            w->status = VTA_NO_MEMORY;
            return;
        }
        w->bytes = grown;
        w->cap = cap;
    }
    w->status = vta_insn_encode(w->config, &insn, w->diag, w->bytes + (size_t)w->count * VTA_INSN_BYTES);
    w->count++;
}

/* The cut with the least traffic that fits the buffers. */
static cut choose_cut(const writer *w) {
    const conv_job *j = w->job;
    uint32_t inp = vta_config_depth(w->config, VTA_MEM_INP), wgt = vta_config_depth(w->config, VTA_MEM_WGT);
    uint32_t acc = vta_config_depth(w->config, VTA_MEM_ACC), uop = vta_config_depth(w->config, VTA_MEM_UOP) - 1;
    cut best = {1, 1, 1};
    double least = 1e30;
    for (uint32_t oc = 1; oc <= w->oc_blocks; oc++)
        for (uint32_t rows = 1; rows <= j->out_height; rows++)
            for (uint32_t ic = 1; ic <= w->ic_blocks; ic++) {
                uint32_t patch = (rows - 1) * j->shape.stride + j->shape.kernel;
                if (w->oc_blocks % oc || j->out_height % rows || w->ic_blocks % ic) continue;
                if (ic * patch * w->padded_width > inp || oc * ic * w->kk > wgt || oc * rows * j->out_width > acc ||
                    ic * w->kk * j->out_width > uop)
                    continue;
                double rounds = (double)(w->oc_blocks / oc) * (j->out_height / rows) * (w->ic_blocks / ic);
                double traffic = rounds * (ic * patch * w->padded_width * 16.0 + oc * ic * w->kk * 256.0 +
                                           oc * rows * j->out_width * 64.0);
                if (traffic < least) {
                    least = traffic;
                    best = (cut){oc, rows, ic};
                }
            }
    return best;
}

/* Micro-op 0 is all zero; from 1 on (ic, dy, dx, column): one output row of one output-channel block. */
static uint32_t uop_total(const writer *w) { return 1 + w->cut.ic * w->kk * w->job->out_width; }

static void write_uops(writer *w) {
    const conv_shape *s = &w->job->shape;
    uint32_t total = uop_total(w), n = 1;
    uint32_t *words = calloc(total, sizeof *words);
    if (!words) {
        w->status = VTA_NO_MEMORY;
        return;
    }
    for (uint32_t ic = 0; ic < w->cut.ic; ic++)
        for (uint32_t k = 0; k < w->kk; k++)
            for (uint32_t x = 0; x < w->job->out_width && w->status == VTA_OK; x++) {
                uint32_t src = (ic * w->patch_rows + k / s->kernel) * w->padded_width + k % s->kernel + x * s->stride;
                w->status = vta_uop_encode(w->config, (vta_uop){x, src, ic * w->kk + k}, w->diag, &words[n++]);
            }
    if (w->status == VTA_OK) w->status = vta_device_alloc(w->device, total * 4, w->diag, &w->job->uop_addr);
    if (w->status == VTA_OK) w->status = vta_device_write(w->device, w->job->uop_addr, words, total * 4, w->diag);
    free(words);
    vta_insn load = {.opcode = VTA_OP_LOAD};
    load.u.mem.memory_type = VTA_MEM_UOP;
    load.u.mem.dram_base = w->job->uop_addr / 4;
    load.u.mem.y_size = 1;
    load.u.mem.x_size = load.u.mem.x_stride = (uint16_t)total;
    emit(w, load);
}

static void load_inputs(writer *w, uint32_t row, uint32_t ic, bool wait) {
    const conv_shape *s = &w->job->shape;
    int32_t first = (int32_t)(row * s->stride) - (int32_t)s->pad, end = first + (int32_t)w->patch_rows;
    int32_t top = first<0 ? -first : 0, bottom = end>(int32_t) s->height ? end - (int32_t)s->height : 0;
    for (uint32_t i = 0; i < w->cut.ic; i++) {
        vta_insn load = {.opcode = VTA_OP_LOAD, .pop_next_dep = wait && i == 0};
        load.u.mem.memory_type = VTA_MEM_INP;
        load.u.mem.sram_base = i * w->patch_rows * w->padded_width;
        load.u.mem.dram_base =
            w->job->inp_addr / 16 + (ic + i) * s->height * s->width + (uint32_t)(first + top) * s->width;
        load.u.mem.y_size = (uint16_t)((int32_t)w->patch_rows - top - bottom);
        load.u.mem.x_size = load.u.mem.x_stride = (uint16_t)s->width;
        load.u.mem.y_pad_0 = (uint8_t)top;
        load.u.mem.y_pad_1 = (uint8_t)bottom;
        load.u.mem.x_pad_0 = load.u.mem.x_pad_1 = (uint8_t)s->pad;
        emit(w, load);
    }
}

static void load_weights(writer *w, uint32_t oc, uint32_t ic) {
    vta_insn load = {.opcode = VTA_OP_LOAD, .push_next_dep = 1};
    load.u.mem.memory_type = VTA_MEM_WGT;
    load.u.mem.dram_base = w->job->wgt_addr / 256 + (oc * w->ic_blocks + ic) * w->kk;
    load.u.mem.y_size = (uint16_t)w->cut.oc;
    load.u.mem.x_size = (uint16_t)(w->cut.ic * w->kk);
    load.u.mem.x_stride = (uint16_t)(w->ic_blocks * w->kk);
    emit(w, load);
}

/* GEMM reset and ALU walk over all accumulators with micro-op 0. */
static vta_insn over_all(const writer *w, uint8_t opcode) {
    vta_insn insn = {.opcode = opcode};
    insn.u.exec.uop_end = 1;
    insn.u.exec.iter_out = (uint16_t)(w->cut.oc * w->cut.rows);
    insn.u.exec.iter_in = (uint16_t)w->job->out_width;
    insn.u.exec.dst_factor_out = w->job->out_width;
    insn.u.exec.dst_factor_in = 1;
    return insn;
}

static void alu(writer *w, vta_alu_opcode opcode, int16_t imm, bool last) {
    vta_insn insn = over_all(w, VTA_OP_ALU);
    insn.u.exec.alu_opcode = (uint8_t)opcode;
    insn.u.exec.use_imm = 1;
    insn.u.exec.imm = imm;
    insn.u.exec.src_factor_out = insn.u.exec.dst_factor_out;
    insn.u.exec.src_factor_in = insn.u.exec.dst_factor_in;
    insn.push_next_dep = last;
    emit(w, insn);
}

static void multiply(writer *w, bool more) {
    vta_insn insn = {.opcode = VTA_OP_GEMM, .pop_prev_dep = 1, .push_prev_dep = more};
    insn.u.exec.uop_bgn = 1;
    insn.u.exec.uop_end = uop_total(w);
    insn.u.exec.iter_out = (uint16_t)w->cut.oc;
    insn.u.exec.iter_in = (uint16_t)w->cut.rows;
    insn.u.exec.dst_factor_out = w->cut.rows * w->job->out_width;
    insn.u.exec.dst_factor_in = w->job->out_width;
    insn.u.exec.src_factor_in = w->job->shape.stride * w->padded_width;
    insn.u.exec.wgt_factor_out = w->cut.ic * w->kk;
    emit(w, insn);
}

static void store(writer *w, uint32_t oc, uint32_t row) {
    uint32_t plane = w->job->out_height * w->job->out_width;
    vta_insn insn = {.opcode = VTA_OP_STORE, .pop_prev_dep = 1, .push_prev_dep = 1};
    insn.u.mem.memory_type = VTA_MEM_OUT;
    insn.u.mem.dram_base = w->job->out_addr / 16 + oc * plane + row * w->job->out_width;
    insn.u.mem.y_size = (uint16_t)w->cut.oc;
    insn.u.mem.x_size = (uint16_t)(w->cut.rows * w->job->out_width);
    insn.u.mem.x_stride = (uint16_t)plane;
    emit(w, insn);
}

static void write_stream(writer *w) {
    bool first = true;
    write_uops(w);
    for (uint32_t oc = 0; oc < w->oc_blocks; oc += w->cut.oc)
        for (uint32_t row = 0; row < w->job->out_height; row += w->cut.rows) {
            bool last_tile = oc + w->cut.oc == w->oc_blocks && row + w->cut.rows == w->job->out_height;
            vta_insn reset = over_all(w, VTA_OP_GEMM);
            reset.u.exec.reset_reg = 1;
            reset.pop_next_dep = !first;
            emit(w, reset);
            for (uint32_t ic = 0; ic < w->ic_blocks; ic += w->cut.ic) {
                load_inputs(w, row, ic, !first);
                load_weights(w, oc, ic);
                multiply(w, !(last_tile && ic + w->cut.ic == w->ic_blocks));
                first = false;
            }
            alu(w, VTA_ALU_SHR, CONV_SHIFT, false);
            alu(w, VTA_ALU_MAX, -127, false);
            alu(w, VTA_ALU_MIN, 127, true);
            store(w, oc, row);
        }
    emit(w, (vta_insn){.opcode = VTA_OP_FINISH, .pop_next_dep = 1});
}

vta_status conv_prepare(vta_device *device, conv_shape s, vta_diag *diag, conv_job *job) {
    *job = (conv_job){.shape = s};
    job->out_height = (s.height + 2 * s.pad - s.kernel) / s.stride + 1;
    job->out_width = (s.width + 2 * s.pad - s.kernel) / s.stride + 1;
    job->inp_bytes = (size_t)s.in * s.height * s.width;
    job->wgt_bytes = (size_t)s.in * s.out * s.kernel * s.kernel;
    job->out_bytes = (size_t)s.out * job->out_height * job->out_width;
    writer w = {.device = device, .config = vta_device_config(device), .diag = diag, .job = job};
    w.kk = s.kernel * s.kernel;
    w.padded_width = s.width + 2 * s.pad;
    w.ic_blocks = s.in / 16;
    w.oc_blocks = s.out / 16;
    w.cut = choose_cut(&w);
    w.patch_rows = (w.cut.rows - 1) * s.stride + s.kernel;
    w.status = vta_device_alloc(device, job->inp_bytes, diag, &job->inp_addr);
    if (w.status == VTA_OK) w.status = vta_device_alloc(device, job->wgt_bytes, diag, &job->wgt_addr);
    if (w.status == VTA_OK) w.status = vta_device_alloc(device, job->out_bytes, diag, &job->out_addr);
    if (w.status == VTA_OK) write_stream(&w);
    size_t bytes = (size_t)w.count * VTA_INSN_BYTES;
    if (w.status == VTA_OK) w.status = vta_device_alloc(device, bytes, diag, &job->insn_addr);
    if (w.status == VTA_OK) w.status = vta_device_write(device, job->insn_addr, w.bytes, bytes, diag);
    job->insn_count = w.count;
    free(w.bytes);
    if (w.status != VTA_OK) conv_release(device, job);
    return w.status;
}

void conv_release(vta_device *device, const conv_job *job) {
    const uint32_t addrs[] = {job->inp_addr, job->wgt_addr, job->out_addr, job->uop_addr, job->insn_addr};
    for (int i = 0; i < 5; i++)
        if (addrs[i]) (void)vta_device_free(device, addrs[i], NULL);
}

static void noise(uint8_t *bytes, size_t count, uint32_t seed) {
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

void conv_fill(vta_device *device, const conv_job *job) {
    noise(vta_device_host_ptr(device, job->inp_addr, job->inp_bytes), job->inp_bytes, 1);
    noise(vta_device_host_ptr(device, job->wgt_addr, job->wgt_bytes), job->wgt_bytes, 2);
}

/* One output scalar, from the tiled layouts. */
static int8_t plain(const conv_job *j, const int8_t *inp, const int8_t *wgt, uint32_t o, uint32_t y, uint32_t x) {
    const conv_shape *s = &j->shape;
    int32_t sum = 0;
    for (uint32_t dy = 0; dy < s->kernel; dy++)
        for (uint32_t dx = 0; dx < s->kernel; dx++) {
            int64_t iy = (int64_t)y * s->stride + dy - s->pad, ix = (int64_t)x * s->stride + dx - s->pad;
            if (iy < 0 || ix < 0 || iy >= s->height || ix >= s->width) continue;
            for (uint32_t c = 0; c < s->in / 16; c++) {
                const int8_t *a = inp + ((c * s->height + (uint32_t)iy) * s->width + (uint32_t)ix) * 16;
                const int8_t *b = wgt +
                                  ((((size_t)(o / 16) * (s->in / 16) + c) * s->kernel + dy) * s->kernel + dx) * 256 +
                                  o % 16 * 16;
                for (int i = 0; i < 16; i++) sum += a[i] * b[i];
            }
        }
    sum >>= CONV_SHIFT;
    return (int8_t)(sum < -127 ? -127 : sum > 127 ? 127 : sum);
}

size_t conv_errors(vta_device *device, const conv_job *job) {
    const int8_t *inp = vta_device_host_ptr(device, job->inp_addr, job->inp_bytes);
    const int8_t *wgt = vta_device_host_ptr(device, job->wgt_addr, job->wgt_bytes);
    const int8_t *out = vta_device_host_ptr(device, job->out_addr, job->out_bytes);
    size_t errors = 0, plane = (size_t)job->out_height * job->out_width;
    for (uint32_t o = 0; o < job->shape.out; o++)
        for (uint32_t p = 0; p < plane; p++)
            errors += out[(o / 16 * plane + p) * 16 + o % 16] !=
                      plain(job, inp, wgt, o, p / job->out_width, p % job->out_width);
    return errors;
}
