// Fetch: reads the instruction stream ahead and hands one instruction a cycle to the queue of its unit, in order. A full
// queue holds it up. What follows FINISH is read and dropped.
`default_nettype none
module vta_fetch (
  input  wire logic                          clk_i,
  input  wire logic                          rst_ni,
  input  wire logic                          launch_i,
  input  wire logic [31:0]                   addr_i,
  input  wire logic [vta_pkg::INSN_COUNT_W-1:0] count_i,
  output logic                               cmd_valid_o,
  input  wire logic                          cmd_ready_i,
  output logic [31:0]                        cmd_addr_o,
  output logic [7:0]                         cmd_len_o,
  output logic                               cmd_over_o,
  input  wire logic                          line_valid_i,
  input  wire logic [vta_pkg::BUS_BITS-1:0]  line_i,
  // Queues: 0 load, 1 compute, 2 store.
  output logic [2:0]                         valid_o,
  input  wire logic [2:0]                    ready_i,
  output logic [vta_pkg::INSN_BITS-1:0]      insn_o,
  output logic                               idle_o,   // all is handed over
  output logic                               active_o  // reading or handing over, not held up
);
  localparam int BUS = vta_pkg::BUS_BITS;
  localparam int INSN = vta_pkg::INSN_BITS;
  localparam int COUNT_W = vta_pkg::INSN_COUNT_W;
  localparam int LEN_BITS = vta_pkg::LEN_BITS < 4 ? vta_pkg::LEN_BITS : 4;
  localparam int LOG_LINES = LEN_BITS + 1; // of the buffer: two bursts

  logic rows_valid, rows_ready, rows_last, rows_idle, space, cmd, line_valid, line_done, line_room, insn_valid, done;
  logic [LOG_LINES:0] free_q, pending_q, need; // lines that no read has claimed; lines that are on their way
  logic [BUS-1:0] line;
  logic [COUNT_W-1:0] left_q;

  vta_rows #(.LOG_ELEM(4), .SIZE_W(COUNT_W), .ROWS_W(1), .LEN_BITS(LEN_BITS)) u_rows (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(launch_i), .ready_o(rows_idle), .alt_i(1'b0),
    .base_i({4'b0, addr_i[31:4]}), .x_size_i(count_i), .y_size_i(1'b1), .x_stride_i(16'd0),
    .valid_o(rows_valid), .ready_i(rows_ready), .addr_o(cmd_addr_o), .len_o(cmd_len_o), .over_o(cmd_over_o),
    .last_o(rows_last)
  );
  assign need        = (LOG_LINES+1)'(cmd_len_o) + 1'b1;
  assign space       = free_q >= need;
  assign cmd_valid_o = rows_valid && space;
  assign rows_ready  = cmd_ready_i && space;
  assign cmd         = cmd_valid_o && cmd_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q    <= (LOG_LINES+1)'(1 << LOG_LINES);
      pending_q <= '0;
    end else begin
      free_q    <= free_q - (cmd ? need : '0) + (LOG_LINES+1)'(line_done);
      pending_q <= pending_q + (cmd ? need : '0) - (LOG_LINES+1)'(line_valid_i);
    end
  end
  vta_fifo #(.W(BUS), .LOG_DEPTH(LOG_LINES)) u_lines (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(line_valid_i), .ready_o(line_room), .data_i(line_i),
    .valid_o(line_valid), .ready_i(line_done), .data_o(line)
  );

  // ---- Lines to instructions ----
  logic handed;
  if (BUS <= INSN) begin : g_narrow
    localparam int LINES = INSN / BUS;
    if (LINES == 1) begin : g_one
      assign insn_o     = line;
      assign insn_valid = line_valid;
      assign line_done  = handed;
    end else begin : g_many
      localparam int LINE_W = $clog2(LINES);
      logic [LINE_W-1:0] at_q;
      logic [INSN-BUS-1:0] before_q;
      assign insn_o     = {line, before_q};
      assign insn_valid = line_valid && at_q == '1;
      assign line_done  = line_valid && (at_q != '1 || handed);
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) at_q <= '0;
        else if (line_done) at_q <= at_q + 1'b1;
      end
      always_ff @(posedge clk_i) begin
        for (int i = 0; i < LINES - 1; i++) begin
          if (line_done && at_q == LINE_W'(i)) before_q[i*BUS +: BUS] <= line;
        end
      end
    end
  end else begin : g_wide
    localparam int LANES = BUS / INSN;
    localparam int LANE_W = $clog2(LANES);
    logic [LANE_W-1:0] at_q;
    always_comb begin
      insn_o = line[INSN-1:0];
      for (int i = 1; i < LANES; i++) begin
        if (at_q == LANE_W'(i)) insn_o = line[i*INSN +: INSN];
      end
    end
    assign insn_valid = line_valid;
    assign line_done  = handed && (at_q == '1 || left_q == COUNT_W'(1));
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) at_q <= '0;
      else if (launch_i) at_q <= addr_i[4 +: LANE_W];
      else if (handed) at_q <= at_q + 1'b1;
    end
  end

  // ---- Instructions to queues ----
  logic [2:0] opcode, memory, to;
  assign opcode = insn_o[vta_pkg::OPCODE_AT +: vta_pkg::OPCODE_W];
  assign memory = insn_o[vta_pkg::MEM_MEMORY_TYPE_AT +: vta_pkg::MEM_MEMORY_TYPE_W];
  always_comb begin
    to = 3'b010;
    if (opcode == vta_pkg::OP_STORE) to = 3'b100;
    if (opcode == vta_pkg::OP_LOAD && (memory == vta_pkg::MEM_INP || memory == vta_pkg::MEM_WGT)) to = 3'b001;
  end
  assign valid_o  = insn_valid && !done ? to : 3'b000;
  assign handed   = insn_valid && (done || (to & ready_i) != 3'b000);
  assign idle_o   = !rows_valid && pending_q == '0 && left_q == '0;
  assign active_o = cmd_valid_o || pending_q != '0 || handed || (line_valid && !insn_valid);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      done   <= 1'b0;
    end else if (launch_i) begin
      left_q <= count_i;
      done   <= 1'b0;
    end else if (handed) begin
      left_q <= left_q - 1'b1;
      if (opcode == vta_pkg::OP_FINISH) done <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) room: assert (!line_valid_i || line_room);
  end

`ifdef FORMAL
  // One instruction, once, and a memory that answers a command with its lines: it is handed over, then the unit is idle.
  logic launched_q, past_q = 1'b0;
  logic [COUNT_W-1:0] count_q, handed_q;
  logic [4:0] owed_q; // lines
  logic [3:0] quiet_q; // cycles since the launch in which queues and memory take all
  always_comb begin
    assume (line_valid_i == (owed_q != '0));
    assume (!launch_i || !launched_q);
    assume (count_i <= COUNT_W'(1));
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {launched_q, count_q, handed_q, owed_q, quiet_q} <= '0;
    else begin
      if (launch_i) {launched_q, count_q} <= {1'b1, count_i};
      handed_q <= handed_q + COUNT_W'(handed);
      owed_q   <= owed_q + (cmd ? 5'(cmd_len_o) + 5'd1 : 5'd0) - 5'(line_valid_i);
      if (launch_i || ready_i != 3'b111 || !cmd_ready_i) quiet_q <= '0;
      else if (quiet_q != '1) quiet_q <= quiet_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (rst_ni) begin
      if (past_q && $past(rst_ni && valid_o != 3'b000 && (valid_o & ready_i) == 3'b000))
        stays: assert ($stable(valid_o) && $stable(insn_o));
      idle_again: assert (quiet_q != 4'd8 || idle_o || cmd_over_o);
      all_of_them: assert (handed_q <= count_q && (!idle_o || handed_q == count_q));
      owes_nothing: assert (!idle_o || owed_q == '0);
      counted: assert (pending_q == (LOG_LINES+1)'(owed_q));
      whole: cover (handed_q == COUNT_W'(1) && idle_o);
    end
  end
`endif
  logic unused;
  assign unused = ^{rows_last, rows_idle, addr_i[3:0]};
endmodule
`default_nettype wire
