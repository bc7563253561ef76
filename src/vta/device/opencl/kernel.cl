/* The accelerator as an OpenCL kernel: one work-group runs a list of instructions, one after another.
 *
 * Before this text the host puts what depends on the configuration (source.c): sizes, the fields of instructions
 * (`MEM_x_size(i)` and so on, from vta/insn.def), the ALU's operations (`alu_lane`, from vta/opcode.def) and the types
 * that they are written in.
 *
 * Within an instruction work-items share what does not depend on each other: the bytes of a transfer, the lanes of a
 * micro-op. A lane reads and writes its own accumulators only, so that its micro-ops keep their order without barriers.
 * The host has checked all indices; what is outside of a buffer all the same is left out and told in `fault`: memory
 * that the host has not flushed may hold other micro-ops than the host has seen. */

typedef struct machine {
    __global uchar *dram; /* from the address BASE on, SIZE bytes */
    __global uint *uops;
    __global uchar *inp, *wgt; /* elements as in DRAM */
    __global int *acc;
    __global uchar *tables;
    __global uint *fault;
    uint now; /* the instruction */
} machine;

enum { FAULT_NONE, FAULT_DRAM, FAULT_UOP, FAULT_INDEX };

static void fail(const machine *m, uint what) {
    m->fault[1] = m->now;
    m->fault[0] = what;
}

/* ---- Transfers --------------------------------------------------------------------------------------------------- */

static uint element_bytes(uint memory) {
    return memory == MEMORY_UOP        ? 4
           : memory == MEMORY_INP      ? INP_BYTES
           : memory == MEMORY_WGT      ? WGT_BYTES
           : memory == MEMORY_ACC      ? LANES * 4
           : memory == MEMORY_ACC_8BIT ? LANES
           : memory == MEMORY_TABLE    ? TABLE_BYTES
                                       : OUT_BYTES;
}

static uint buffer_elements(uint memory) {
    return memory == MEMORY_UOP     ? UOP_DEPTH
           : memory == MEMORY_INP   ? INP_DEPTH
           : memory == MEMORY_WGT   ? WGT_DEPTH
           : memory == MEMORY_TABLE ? TABLE_DEPTH
                                    : ACC_DEPTH;
}

static __global uchar *buffer(const machine *m, uint memory) {
    return memory == MEMORY_UOP     ? (__global uchar *)m->uops
           : memory == MEMORY_INP   ? m->inp
           : memory == MEMORY_WGT   ? m->wgt
           : memory == MEMORY_TABLE ? m->tables
                                    : (__global uchar *)m->acc;
}

/* The byte of DRAM that a row and a byte in it stand for; false: there is no such byte. */
static bool find_byte(const machine *m, ulong2 i, uint row, uint at, uint element, ulong *out) {
    ulong address = ((ulong)MEM_dram_base(i) + (ulong)row * MEM_x_stride(i)) * element + at;
    *out = address - BASE;
    if (address >= BASE && *out < SIZE) return true;
    fail(m, FAULT_DRAM);
    return false;
}

/* Byte `b` of element `e` of the block that is loaded, padding with it. */
static void load_byte(const machine *m, ulong2 i, uint memory, uint columns, uint e, uint b) {
    uint row = e / columns, column = e % columns, element = element_bytes(memory), at = MEM_sram_base(i) + e;
    bool inside = row >= MEM_y_pad_0(i) && row < MEM_y_pad_0(i) + MEM_y_size(i) && column >= MEM_x_pad_0(i) &&
                  column < MEM_x_pad_0(i) + MEM_x_size(i);
    ulong from = 0;
    uchar value = 0;
    if (at >= buffer_elements(memory)) {
        fail(m, FAULT_INDEX);
        return;
    }
    if (inside && find_byte(m, i, row - MEM_y_pad_0(i), (column - MEM_x_pad_0(i)) * element + b, element, &from))
        value = m->dram[from];
    if (memory == MEMORY_ACC_8BIT)
        m->acc[(size_t)at * LANES + b] = (int)as_char(value);
    else
        buffer(m, memory)[(size_t)at * element + b] = value;
}

static void load(const machine *m, ulong2 i) {
    uint memory = MEM_memory_type(i), columns = MEM_x_pad_0(i) + MEM_x_size(i) + MEM_x_pad_1(i);
    uint rows = MEM_y_pad_0(i) + MEM_y_size(i) + MEM_y_pad_1(i), element = element_bytes(memory);
    if (MEM_x_size(i) == 0) return;
    ulong bytes = (ulong)rows * columns * element;
    for (ulong k = get_local_id(0); k < bytes; k += get_local_size(0))
        load_byte(m, i, memory, columns, (uint)(k / element), (uint)(k % element));
}

/* Byte `b` of an output element: the low bits of its lanes. */
static uchar narrow(__global const int *lanes, uint b) {
#if OUT_WIDTH >= 8
    const uint bytes = OUT_WIDTH / 8;
    return (uchar)((uint)lanes[b / bytes] >> (b % bytes * 8));
#else
    const uint each = 8 / OUT_WIDTH;
    uint value = 0;
    for (uint n = 0; n < each; n++) value |= ((uint)lanes[b * each + n] & ((1u << OUT_WIDTH) - 1)) << (n * OUT_WIDTH);
    return (uchar)value;
#endif
}

static void store_rows(const machine *m, ulong2 i, uint first, uint count) {
    uint columns = MEM_x_size(i);
    ulong bytes = (ulong)count * columns * OUT_BYTES, to;
    for (ulong k = get_local_id(0); k < bytes; k += get_local_size(0)) {
        uint e = (uint)(k / OUT_BYTES) + first * columns, b = (uint)(k % OUT_BYTES), at = MEM_sram_base(i) + e;
        if (at >= ACC_DEPTH)
            fail(m, FAULT_INDEX);
        else if (find_byte(m, i, e / columns, e % columns * OUT_BYTES + b, OUT_BYTES, &to))
            m->dram[to] = narrow(m->acc + (size_t)at * LANES, b);
    }
}

/* Rows that overlap are written one after another: the last one stays. */
static void store(const machine *m, ulong2 i) {
    uint rows = MEM_y_size(i);
    uint each = MEM_x_stride(i) < MEM_x_size(i) ? 1 : rows;
    for (uint row = 0; row < rows; row += each) {
        store_rows(m, i, row, each);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

/* ---- Micro-ops --------------------------------------------------------------------------------------------------- */

/* A part of the two loops. */
typedef struct part {
    uint y0, y1, x0, x1;
} part;

/* The scalar `index` of packed ones. */
static int unpack(__global const uchar *bytes, uint index, uint width) {
    if (width == 8) return as_char(bytes[index]);
    if (width == 4) return as_char((uchar)(bytes[index >> 1] << (index & 1 ? 0 : 4))) >> 4;
    if (width == 16) return as_short((ushort)(bytes[2 * index] | bytes[2 * index + 1] << 8));
    return as_int((uint)bytes[4 * index] | (uint)bytes[4 * index + 1] << 8 | (uint)bytes[4 * index + 2] << 16 |
                  (uint)bytes[4 * index + 3] << 24);
}

static uint multiply(const machine *m, uint lane, uint src, uint wgt) {
    __global const uchar *inp = m->inp + (size_t)src * INP_BYTES, *w = m->wgt + (size_t)wgt * WGT_BYTES;
    uint row = lane / BLOCK_OUT * BLOCK_IN, column = lane % BLOCK_OUT * BLOCK_IN, sum = 0;
    for (uint k = 0; k < BLOCK_IN; k++)
        sum += (uint)unpack(inp, row + k, INP_WIDTH) * (uint)unpack(w, column + k, WGT_WIDTH);
    return sum;
}

static void gemm_lane(const machine *m, ulong2 i, part p, uint lane) {
    for (uint y = p.y0; y < p.y1; y++)
        for (uint x = p.x0; x < p.x1; x++)
            for (uint u = GEMM_uop_bgn(i); u < GEMM_uop_end(i); u++) {
                uint word = m->uops[u];
                uint dst = UOP_dst(word) + y * GEMM_dst_factor_out(i) + x * GEMM_dst_factor_in(i);
                uint src = UOP_src(word) + y * GEMM_src_factor_out(i) + x * GEMM_src_factor_in(i);
                uint wgt = UOP_wgt(word) + y * GEMM_wgt_factor_out(i) + x * GEMM_wgt_factor_in(i);
                if (dst >= ACC_DEPTH || (!GEMM_reset_reg(i) && (src >= INP_DEPTH || wgt >= WGT_DEPTH))) {
                    fail(m, FAULT_INDEX);
                    return;
                }
                __global int *to = m->acc + (size_t)dst * LANES + lane;
                *to = GEMM_reset_reg(i) ? 0 : as_int((uint)*to + multiply(m, lane, src, wgt));
            }
}

static void alu_of_lane(const machine *m, ulong2 i, part p, uint lane) {
    bool looks_up = ALU_alu_opcode(i) == ALU_TABLE;
    if (looks_up && (!ALU_use_imm(i) || (uint)ALU_imm(i) >= TABLE_DEPTH)) {
        fail(m, FAULT_INDEX);
        return;
    }
    __global const char *table = (__global const char *)m->tables + (looks_up ? (size_t)ALU_imm(i) * TABLE_BYTES : 0);
    for (uint y = p.y0; y < p.y1; y++)
        for (uint x = p.x0; x < p.x1; x++)
            for (uint u = ALU_uop_bgn(i); u < ALU_uop_end(i); u++) {
                uint word = m->uops[u];
                uint dst = UOP_dst(word) + y * ALU_dst_factor_out(i) + x * ALU_dst_factor_in(i);
                uint src = UOP_src(word) + y * ALU_src_factor_out(i) + x * ALU_src_factor_in(i);
                if (dst >= ACC_DEPTH || (!ALU_use_imm(i) && src >= ACC_DEPTH)) {
                    fail(m, FAULT_INDEX);
                    return;
                }
                __global int *to = m->acc + (size_t)dst * LANES + lane;
                *to = alu_lane(ALU_alu_opcode(i), *to, ALU_use_imm(i) ? ALU_imm(i) : m->acc[(size_t)src * LANES + lane],
                               table);
            }
}

/* ---- Instructions ------------------------------------------------------------------------------------------------ */

static void run(const machine *m, ulong2 i, part p) {
    uint opcode = COMMON_opcode(i);
    bool loops = opcode == OPCODE_GEMM || opcode == OPCODE_ALU;
    if (opcode == OPCODE_LOAD) load(m, i);
    if (opcode == OPCODE_STORE) store(m, i);
    if (loops && (opcode == OPCODE_GEMM ? GEMM_uop_end(i) : ALU_uop_end(i)) > UOP_DEPTH) {
        fail(m, FAULT_UOP);
        return;
    }
    if (p.y1 == 0) {
        p.y1 = opcode == OPCODE_GEMM ? GEMM_iter_out(i) : ALU_iter_out(i);
        p.x1 = opcode == OPCODE_GEMM ? GEMM_iter_in(i) : ALU_iter_in(i);
    }
    for (uint lane = get_local_id(0); loops && lane < LANES; lane += get_local_size(0)) {
        if (opcode == OPCODE_GEMM) gemm_lane(m, i, p, lane);
        if (opcode == OPCODE_ALU) alu_of_lane(m, i, p, lane);
    }
}

/* `count` instructions of the stream at `insns` (an offset in dram), in this order; with part_y1 the one of them in part. */
__kernel void vta_run(__global uchar *dram, __global uint *uops, __global uchar *inp, __global uchar *wgt, __global int *acc,
                      __global uchar *tables, __global uint *fault, __global const uint *order, ulong insns, uint first, uint count, uint part_y0,
                      uint part_y1, uint part_x0, uint part_x1) {
    machine m = {dram, uops, inp, wgt, acc, tables, fault, 0};
    part p = {part_y0, part_y1, part_x0, part_x1};
    for (uint n = 0; n < count; n++) {
        m.now = order[first + n];
        run(&m, *(__global const ulong2 *)(dram + insns + (ulong)m.now * 16), p);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
