// LOAD of tables: an instruction's read commands, and the lines that answer them as writes to the tables of all lanes, one
// a cycle. A table is whole lines of the bus, and there is no padding. As vta_load_engine otherwise: commands of the next
// instruction leave while lines of this one arrive; done_o: an instruction is complete. Meaning: vt__load of
// src/vta/device/core/load.c.
`default_nettype none
module vta_table_load #(
  parameter int LOG_LINES = vta_pkg::LOG_TABLE_LINES, // of a table
  parameter int A = vta_pkg::TABLE_ADDR_W             // of all lines
) (
  input  wire logic                             clk_i,
  input  wire logic                             rst_ni,
  input  wire logic                             valid_i,
  output logic                                  ready_o,
  input  wire logic [vta_pkg::INSN_BITS-1:0]    insn_i,
  output logic                                  done_o,
  output logic                                  idle_o,
  // Read commands and the lines that answer them.
  output logic                                  cmd_valid_o,
  input  wire logic                             cmd_ready_i,
  output logic [31:0]                           cmd_addr_o,
  output logic [7:0]                            cmd_len_o,
  output logic                                  cmd_over_o,
  input  wire logic                             line_valid_i,
  output logic                                  line_ready_o,
  // Writes of the line.
  input  wire logic                             write_ready_i,
  output logic                                  write_o,
  output logic [A-1:0]                          write_addr_o
);
  localparam int SIZE_W = vta_pkg::TABLE_INDEX_W + 1; // the memory has no place for more
  localparam int COUNT_W = SIZE_W + LOG_LINES;
  localparam int JOB_W = 2 * SIZE_W + A;

  logic [31:0] base;
  logic [15:0] stride, sram;
  logic [SIZE_W-1:0] y_size, x_size;
  logic rows_ready, job_ready, unused_last;
  assign base   = insn_i[vta_pkg::MEM_DRAM_BASE_AT +: vta_pkg::MEM_DRAM_BASE_W];
  assign stride = insn_i[vta_pkg::MEM_X_STRIDE_AT +: vta_pkg::MEM_X_STRIDE_W];
  assign sram   = insn_i[vta_pkg::MEM_SRAM_BASE_AT +: vta_pkg::MEM_SRAM_BASE_W];
  assign y_size = SIZE_W'(insn_i[vta_pkg::MEM_Y_SIZE_AT +: vta_pkg::MEM_Y_SIZE_W]);
  assign x_size = SIZE_W'(insn_i[vta_pkg::MEM_X_SIZE_AT +: vta_pkg::MEM_X_SIZE_W]);

  assign ready_o = rows_ready && job_ready;
  vta_rows #(.LOG_ELEM(LOG_LINES + vta_pkg::LOG_BUS_BYTES), .SIZE_W(SIZE_W), .ROWS_W(SIZE_W)) u_rows (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i && job_ready), .ready_o(rows_ready), .alt_i(1'b0), .base_i(base),
    .x_size_i(x_size), .y_size_i(y_size), .x_stride_i(stride), .valid_o(cmd_valid_o), .ready_i(cmd_ready_i),
    .addr_o(cmd_addr_o), .len_o(cmd_len_o), .over_o(cmd_over_o), .last_o(unused_last)
  );

  logic [SIZE_W-1:0] job_y_size, job_x_size, rows_q;
  logic [A-1:0] first_line, job_addr, addr_q;
  logic [COUNT_W-1:0] left_q, each_q;
  logic job_valid, start, ending, busy_q, active_q, end_row, last;
  vta_fifo #(.W(JOB_W), .LOG_DEPTH(vta_pkg::SMALL ? 0 : 1)) u_jobs (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i && rows_ready), .ready_o(job_ready),
    .data_i({y_size, x_size, first_line}), .valid_o(job_valid), .ready_i(start),
    .data_o({job_y_size, job_x_size, job_addr})
  );
  assign first_line   = A'(sram << LOG_LINES);
  assign end_row      = left_q == COUNT_W'(1);
  assign last         = end_row && rows_q == SIZE_W'(1);
  assign ending       = busy_q && (!active_q || (write_o && last));
  assign start        = job_valid && (!busy_q || ending);
  assign done_o       = ending;
  assign idle_o       = !busy_q && !job_valid;
  assign line_ready_o = active_q && write_ready_i;
  assign write_o      = line_ready_o && line_valid_i;
  assign write_addr_o = addr_q;
  logic unused;
  assign unused = ^{insn_i, sram, unused_last};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {busy_q, active_q} <= 2'b00;
    else begin
      busy_q <= start || (busy_q && !ending);
      if (start) active_q <= job_y_size != '0;
      else if (write_o && last) active_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      addr_q <= job_addr;
      left_q <= COUNT_W'(job_x_size) << LOG_LINES;
      each_q <= COUNT_W'(job_x_size) << LOG_LINES;
      rows_q <= job_y_size;
    end else if (write_o) begin
      addr_q <= addr_q + 1'b1;
      left_q <= end_row ? each_q : left_q - 1'b1;
      rows_q <= rows_q - SIZE_W'(end_row);
    end
  end

`ifdef FORMAL
  // Instructions that the memory has room for, with a table or more in a row. Lines come for commands that left, and are
  // counted; then all of them are written, each instruction ends once, and it is idle again.
  logic [7:0] wanted_q, written_q, sent_q;
  logic [3:0] under_q;
  logic [2:0] quiet_q;
  logic [7:0] lines;
  assign lines = 8'(y_size) * 8'(x_size) << LOG_LINES;
  always_comb begin
    assume (insn_i[vta_pkg::MEM_X_SIZE_AT +: vta_pkg::MEM_X_SIZE_W] != '0);
    assume (insn_i[vta_pkg::MEM_Y_SIZE_AT +: vta_pkg::MEM_Y_SIZE_W] <= 16'(vta_pkg::TABLES));
    assume (insn_i[vta_pkg::MEM_X_SIZE_AT +: vta_pkg::MEM_X_SIZE_W] <= 16'(vta_pkg::TABLES));
    assume (!line_valid_i || sent_q != written_q);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {wanted_q, written_q, sent_q, under_q, quiet_q} <= '0;
    else begin
      wanted_q  <= wanted_q + (valid_i && ready_o ? lines : 8'd0);
      sent_q    <= sent_q + (cmd_valid_o && cmd_ready_i ? cmd_len_o + 8'd1 : 8'd0);
      written_q <= written_q + 8'(write_o);
      under_q   <= under_q + 4'(valid_i && ready_o) - 4'(done_o);
      if (valid_i || !cmd_ready_i || !write_ready_i || (sent_q != written_q && !line_valid_i)) quiet_q <= '0;
      else if (under_q == '0 && quiet_q != '1) quiet_q <= quiet_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      ends_once: assert (!done_o || under_q != '0);
      none_left: assert (under_q != '0 || (sent_q == wanted_q && written_q == wanted_q));
      idle_then: assert ((under_q == '0) == idle_o);
      one_done: cover (done_o && written_q != '0);
    end
  end
`endif
endmodule
`default_nettype wire
