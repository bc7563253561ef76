// One load engine: an instruction's read commands, its data and its padding, into one on-chip memory. Commands of the
// next instruction leave while data of this one arrive. done_o: an instruction is complete, in order.
`default_nettype none
module vta_load_engine #(
  parameter int LOG_ELEM = 4,
  parameter int LOG_ELEM_ALT = LOG_ELEM, // of ACC_8BIT, whose lines are widened
  parameter int LANES = 1,
  parameter bit PADS = 1'b1, // loads have padding
  parameter int INDEX_W = 11,
  localparam int ELEM_BITS = 8 << LOG_ELEM
) (
  input  wire logic                           clk_i,
  input  wire logic                           rst_ni,
  input  wire logic                           valid_i,
  output logic                                ready_o,
  input  wire logic [vta_pkg::INSN_BITS-1:0]  insn_i,
  output logic                                done_o,
  output logic                                idle_o,
  output logic                                past_o, // of the row that comes all elements before next_o are written
  output logic [INDEX_W-1:0]                  next_o,
  // Read commands and the lines that answer them.
  output logic                                cmd_valid_o,
  input  wire logic                           cmd_ready_i,
  output logic [31:0]                         cmd_addr_o,
  output logic [7:0]                          cmd_len_o,
  output logic                                cmd_over_o,
  input  wire logic                           line_valid_i,
  output logic                                line_ready_o,
  input  wire logic [vta_pkg::BUS_BITS-1:0]   line_i,
  // Writes to the memory.
  output logic                                write_valid_o,
  input  wire logic                           write_ready_i,
  output logic [INDEX_W-1:0]                  write_index_o,
  output logic [LANES-1:0]                    write_mask_o,
  output logic [LANES*ELEM_BITS-1:0]          write_data_o
);
  localparam int SUM_W = INDEX_W + 1; // of sizes, too: the buffer has no place for more
  localparam int JOB_W = 1 + 32 + 16 + 5 + INDEX_W + 4 * SUM_W;

  logic [31:0] base;
  logic [15:0] stride;
  logic [SUM_W-1:0] y_size, x_size;
  logic [3:0] y0, y1, x0, x1;
  logic [INDEX_W-1:0] sram, width;
  logic [SUM_W-1:0] above, below, lead, after;
  logic [4:0] sides;
  logic alt, rows_ready, rows_last, job_ready;

  assign base   = insn_i[vta_pkg::MEM_DRAM_BASE_AT +: vta_pkg::MEM_DRAM_BASE_W];
  assign y_size = SUM_W'(insn_i[vta_pkg::MEM_Y_SIZE_AT +: vta_pkg::MEM_Y_SIZE_W]);
  assign x_size = SUM_W'(insn_i[vta_pkg::MEM_X_SIZE_AT +: vta_pkg::MEM_X_SIZE_W]);
  assign stride = insn_i[vta_pkg::MEM_X_STRIDE_AT +: vta_pkg::MEM_X_STRIDE_W];
  assign y0     = PADS ? insn_i[vta_pkg::MEM_Y_PAD_0_AT +: vta_pkg::MEM_Y_PAD_0_W] : 4'd0;
  assign y1     = PADS ? insn_i[vta_pkg::MEM_Y_PAD_1_AT +: vta_pkg::MEM_Y_PAD_1_W] : 4'd0;
  assign x0     = PADS ? insn_i[vta_pkg::MEM_X_PAD_0_AT +: vta_pkg::MEM_X_PAD_0_W] : 4'd0;
  assign x1     = PADS ? insn_i[vta_pkg::MEM_X_PAD_1_AT +: vta_pkg::MEM_X_PAD_1_W] : 4'd0;
  assign sram   = INDEX_W'(insn_i[vta_pkg::MEM_SRAM_BASE_AT +: vta_pkg::MEM_SRAM_BASE_W]);
  assign alt    = LOG_ELEM_ALT != LOG_ELEM &&
                  insn_i[vta_pkg::MEM_MEMORY_TYPE_AT +: vta_pkg::MEM_MEMORY_TYPE_W] == vta_pkg::MEM_ACC_8BIT;

  function automatic logic [SUM_W-1:0] times(input logic [3:0] n, input logic [SUM_W-1:0] value);
    times = (n[0] ? value : '0) + (n[1] ? value << 1 : '0) + ((n[2] ? value << 2 : '0) + (n[3] ? value << 3 : '0));
  endfunction

  assign sides  = {1'b0, x0} + {1'b0, x1};
  assign width  = INDEX_W'(x_size) + INDEX_W'(sides);
  assign above  = times(y0, {1'b0, width});
  assign below  = times(y1, {1'b0, width});
  assign lead = above + (y_size == '0 ? below : SUM_W'(x0)); // without rows one run is all there is
  assign after  = y_size == '0 ? '0 : below + SUM_W'(x1);

  assign ready_o = rows_ready && job_ready;
  vta_rows #(.LOG_ELEM(LOG_ELEM), .LOG_ELEM_ALT(LOG_ELEM_ALT), .SIZE_W(SUM_W), .ROWS_W(SUM_W)) u_rows (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i && job_ready), .ready_o(rows_ready), .alt_i(alt), .base_i(base),
    .x_size_i(x_size), .y_size_i(y_size), .x_stride_i(stride), .valid_o(cmd_valid_o), .ready_i(cmd_ready_i),
    .addr_o(cmd_addr_o), .len_o(cmd_len_o), .over_o(cmd_over_o), .last_o(rows_last)
  );

  // What data and padding need, waiting for the instruction before to end.
  logic [JOB_W-1:0] job_in, job;
  logic job_valid, start;
  logic job_alt;
  logic [31:0] job_base;
  logic [15:0] job_stride;
  logic [SUM_W-1:0] job_y_size, job_x_size;
  logic [4:0] job_sides;
  logic [INDEX_W-1:0] job_sram, job_width, job_first;
  logic [SUM_W-1:0] job_before, job_after;
  assign job_in = {alt, base, y_size, x_size, stride, sides, sram, lead, after};
  assign {job_alt, job_base, job_y_size, job_x_size, job_stride, job_sides, job_sram, job_before, job_after} = job;
  assign job_width = INDEX_W'(job_x_size) + INDEX_W'(job_sides);
  assign job_first = job_sram + INDEX_W'(job_before);
  vta_fifo #(.W(JOB_W), .LOG_DEPTH(vta_pkg::SMALL ? 0 : 1)) u_jobs (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i && rows_ready), .ready_o(job_ready), .data_i(job_in),
    .valid_o(job_valid), .ready_i(start), .data_o(job)
  );

  logic busy_q, data_active, data_end, data_valid, pad_active, pad_end, pad_valid, ending;
  logic line_valid, line_ready;
  logic [vta_pkg::BUS_BITS-1:0] line;
  logic [INDEX_W-1:0] data_index, pad_index;
  logic [LANES-1:0] data_mask;
  logic [LANES*ELEM_BITS-1:0] data;

  assign ending = busy_q && (!data_active || data_end) && (!pad_active || pad_end);
  assign start  = job_valid && (!busy_q || ending);
  assign done_o = ending;
  assign idle_o = !busy_q && !job_valid;
  assign next_o = data_index;

  if (LOG_ELEM_ALT == LOG_ELEM) begin : g_plain
    assign line_valid   = line_valid_i;
    assign line_ready_o = line_ready;
    assign line         = line_i;
    logic unused;
    assign unused = job_alt;
  end else begin : g_widen
    vta_widen #(.LOG_ELEM(LOG_ELEM), .SIZE_W(SUM_W)) u_widen (
      .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start), .alt_i(job_alt), .base_i(job_base), .y_size_i(job_y_size),
      .x_size_i(job_x_size), .x_stride_i(job_stride), .valid_i(line_valid_i), .ready_o(line_ready_o),
      .data_i(line_i), .valid_o(line_valid), .ready_i(line_ready), .data_o(line)
    );
  end

  vta_gather #(.LOG_ELEM(LOG_ELEM), .LANES(LANES), .INDEX_W(INDEX_W)) u_gather (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start), .index_i(job_first), .advance_i(job_width), .base_i(job_base),
    .y_size_i(job_y_size), .x_size_i(job_x_size), .x_stride_i(job_stride), .active_o(data_active), .end_o(data_end),
    .valid_i(line_valid), .ready_o(line_ready), .data_i(line), .valid_o(data_valid), .ready_i(write_ready_i),
    .index_o(data_index), .past_o(past_o), .mask_o(data_mask), .data_o(data)
  );
  if (PADS) begin : g_pad
    vta_pad #(.INDEX_W(INDEX_W)) u_pad (
      .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start), .index_i(job_sram), .before_i(job_before), .after_i(job_after),
      .between_i(job_sides), .y_size_i(job_y_size), .x_size_i(job_x_size), .active_o(pad_active), .end_o(pad_end),
      .valid_o(pad_valid), .ready_i(write_ready_i && !data_valid), .index_o(pad_index)
    );
  end else begin : g_no_pad
    assign pad_active = 1'b0;
    assign pad_end    = 1'b0;
    assign pad_valid  = 1'b0;
    assign pad_index  = '0;
    logic unused_pad;
    assign unused_pad = ^{job_before, job_after};
  end

  assign write_valid_o = (data_valid || pad_valid) && write_ready_i;
  assign write_index_o = data_valid ? data_index : pad_index;
  assign write_mask_o  = data_valid ? data_mask : LANES'(1);
  assign write_data_o  = data_valid ? data : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= start || (busy_q && !ending);
  end
`ifdef FORMAL
  // Two small instructions with padding, and a memory that answers a command with its lines: each ends once, and then the
  // unit is idle and owes nothing.
  logic [1:0] taken_q, done_q;
  logic [4:0] owed_q; // lines
  logic [3:0] quiet_q; // cycles without a new instruction, in which all that the unit waits for is there
  always_comb begin
    assume (line_valid_i == (owed_q != '0));
    assume (!valid_i || taken_q != 2'd2);
    assume (x_size == SUM_W'(1) && y_size <= SUM_W'(1) && x0 <= 4'd1 && y0 <= 4'd1 && x1 == '0 && y1 == '0);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {taken_q, done_q, owed_q, quiet_q} <= '0;
    else begin
      taken_q <= taken_q + 2'(valid_i && ready_o);
      done_q  <= done_q + 2'(done_o);
      owed_q  <= owed_q + (cmd_valid_o && cmd_ready_i ? 5'(cmd_len_o) + 5'd1 : 5'd0) - 5'(line_valid_i && line_ready_o);
      if (valid_i || !cmd_ready_i || !write_ready_i) quiet_q <= '0;
      else if (quiet_q != '1) quiet_q <= quiet_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      idle_again: assert (quiet_q != 4'd9 || idle_o);
      ends_once: assert (done_q <= taken_q && (!idle_o || done_q == taken_q));
      nothing_left: assert (!idle_o || (!data_active && !pad_active));
      owes_nothing: assert (!idle_o || (owed_q == '0 && !cmd_valid_o));
      both_ended: cover (done_q == 2'd2 && idle_o);
    end
  end
`endif
  logic unused_insn; // what the unit looks at
  assign unused_insn = ^{insn_i, rows_last};
endmodule
`default_nettype wire
