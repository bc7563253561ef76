// The store unit: elements of acc, cut to the output width, to DRAM: a bus word a cycle. An instruction is complete when
// the last of its bursts is answered; the next ones write meanwhile. Meaning: vt__store of src/vta/device/core/store.c.
`default_nettype none
module vta_store (
  input  wire logic                            clk_i,
  input  wire logic                            rst_ni,
  input  wire logic                            valid_i,
  output logic                                 ready_o,
  input  wire logic [vta_pkg::INSN_BITS-1:0]   insn_i,
  // Tokens of compute (prev).
  input  wire logic                            token_i,
  output logic                                 take_o,
  output logic                                 post_o,
  output logic                                 read_o, // acc, a cycle late
  output logic [vta_pkg::ACC_INDEX_W-1:0]      read_index_o,
  input  wire logic [vta_pkg::OUT_LANES*vta_pkg::ACC_BITS-1:0] read_data_i,
  input  wire logic [vta_pkg::PAGE_W-1:0]      base_i, // the page added to addresses
  output logic                                 aw_valid_o,
  input  wire logic                            aw_ready_i,
  output logic [31:0]                          aw_addr_o,
  output logic [7:0]                           aw_len_o,
  output logic                                 w_valid_o,
  input  wire logic                            w_ready_i,
  output logic [vta_pkg::BUS_BITS-1:0]         w_data_o,
  output logic [vta_pkg::BUS_BITS/8-1:0]       w_strb_o,
  output logic                                 w_last_o,
  input  wire logic                            b_valid_i,
  output logic                                 b_ready_o,
  output logic                                 over_o, // an address beyond 32 bits
  output logic                                 retire_o,
  output logic                                 active_o
);
  localparam int A = vta_pkg::ACC_INDEX_W;
  localparam int LANES = vta_pkg::OUT_LANES;
  localparam int SCALARS = vta_pkg::BATCH * vta_pkg::BLOCK_OUT;
  localparam int BUS = vta_pkg::BUS_BITS;
  localparam int LINE = LANES * vta_pkg::OUT_BITS; // what a read of acc gives
  localparam int LOG_LINES = $clog2(LINE / BUS);
  localparam int LOG_SLOTS = vta_pkg::SMALL ? 1 : 2;

  // ---- The next instruction ----
  logic [15:0] x_size, y_size, stride; // more than A+1 bits of a size: never
  logic [31:0] dram;
  logic nothing, pop, push, tokens, start, rows_ready, walk_active, walk_last, walk_step, order_ready, skip;
  assign x_size  = insn_i[vta_pkg::MEM_X_SIZE_AT +: vta_pkg::MEM_X_SIZE_W];
  assign y_size  = insn_i[vta_pkg::MEM_Y_SIZE_AT +: vta_pkg::MEM_Y_SIZE_W];
  assign stride  = insn_i[vta_pkg::MEM_X_STRIDE_AT +: vta_pkg::MEM_X_STRIDE_W];
  assign dram    = insn_i[vta_pkg::MEM_DRAM_BASE_AT +: vta_pkg::MEM_DRAM_BASE_W];
  assign nothing = x_size == '0 || y_size == '0;
  assign pop     = insn_i[vta_pkg::POP_PREV_DEP_AT];
  assign push    = insn_i[vta_pkg::PUSH_PREV_DEP_AT];
  assign tokens  = !pop || token_i;
  assign ready_o = tokens && (nothing ? !cmd_valid && order_ready : rows_ready && (!walk_active || ending));
  assign start   = valid_i && ready_o && !nothing;
  assign skip    = valid_i && ready_o && nothing;
  assign take_o  = valid_i && ready_o && pop;

  // ---- Write commands ----
  logic aw_valid_q, cmd_valid, cmd_ready, cmd_last, cmd_over, cmd, push_q;
  logic [31:0] cmd_addr;
  logic [7:0] cmd_len;
  vta_rows #(.LOG_ELEM(vta_pkg::LOG_OUT_BYTES), .SIZE_W(A+1), .ROWS_W(A+1)) u_rows (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(start), .ready_o(rows_ready), .alt_i(1'b0), .base_i(dram),
    .x_size_i((A+1)'(x_size)), .y_size_i((A+1)'(y_size)), .x_stride_i(stride), .valid_o(cmd_valid), .ready_i(cmd_ready),
    .addr_o(cmd_addr), .len_o(cmd_len), .over_o(cmd_over), .last_o(cmd_last)
  );
  assign cmd_ready = (!aw_valid_q || (aw_valid_o && aw_ready_i)) && order_ready && !cmd_over;
  assign aw_valid_o = aw_valid_q && lens_ready; // which only a command taken makes false
  assign cmd       = cmd_valid && cmd_ready;
  assign over_o    = cmd_valid && cmd_over;
  logic unused_addr;
  assign unused_addr = ^cmd_addr;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) aw_valid_q <= 1'b0;
    else aw_valid_q <= cmd || (aw_valid_q && !(aw_valid_o && aw_ready_i));
  end
  always_ff @(posedge clk_i) begin
    if (start) push_q <= push;
    if (cmd) begin
      aw_addr_o <= 32'({cmd_addr[12 +: vta_pkg::PAGE_W] + base_i, cmd_addr[11:0]});
      aw_len_o  <= cmd_len;
    end
  end

  // ---- Answers: which burst ends an instruction ----
  logic order_valid, order_burst, order_last, order_push, answered;
  vta_fifo #(.W(3), .LOG_DEPTH(vta_pkg::SMALL ? 2 : 4)) u_order (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(cmd || skip), .ready_o(order_ready),
    .data_i(skip ? {2'b01, push} : {1'b1, cmd_last, push_q}), .valid_o(order_valid), .ready_i(answered),
    .data_o({order_burst, order_last, order_push})
  );
  assign b_ready_o = order_valid && order_burst;
  assign answered  = order_valid && (!order_burst || b_valid_i);
  assign retire_o  = answered && order_last;
  assign post_o    = retire_o && order_push;
  assign active_o  = cmd_valid || order_valid || walk_active || (valid_i && ready_o);

  // ---- Data ----
  logic [LANES-1:0] mask, mask_q;
  logic read_q, ending, out_ready, out_valid, out_done, unused_past;
  logic [LOG_SLOTS:0] free_q; // slots of the queue that no read has claimed
  vta_walk #(.LANES(LANES), .INDEX_W(A)) u_walk (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start), .index_i(A'(insn_i[vta_pkg::MEM_SRAM_BASE_AT +: vta_pkg::MEM_SRAM_BASE_W])),
    .advance_i(A'(x_size)), .base_i(dram), .y_size_i((A+1)'(y_size)), .x_size_i((A+1)'(x_size)), .x_stride_i(stride),
    .active_o(walk_active), .step_i(walk_step), .index_o(read_index_o), .past_o(unused_past), .mask_o(mask), .last_o(walk_last)
  );
  assign walk_step = walk_active && free_q != '0;
  assign ending    = walk_step && walk_last;
  assign read_o    = walk_step;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      free_q <= (LOG_SLOTS+1)'(1 << LOG_SLOTS);
    end else begin
      read_q <= walk_step;
      free_q <= free_q - (LOG_SLOTS+1)'(walk_step) + (LOG_SLOTS+1)'(out_done);
    end
  end
  always_ff @(posedge clk_i) mask_q <= mask;

  logic [LINE-1:0] narrow, out;
  logic [LANES-1:0] out_mask;
  always_comb begin
    for (int i = 0; i < LANES * SCALARS; i++) begin
      narrow[i*vta_pkg::OUT_W +: vta_pkg::OUT_W] = read_data_i[32*i +: vta_pkg::OUT_W];
    end
  end
  vta_fifo #(.W(LANES + LINE), .LOG_DEPTH(LOG_SLOTS)) u_out (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(read_q), .ready_o(out_ready), .data_i({mask_q, narrow}),
    .valid_o(out_valid), .ready_i(out_done), .data_o({out_mask, out})
  );

  logic lens_ready, len_valid, len_done, w_go;
  logic [7:0] len, beat_q;
  vta_fifo #(.W(8), .LOG_DEPTH(vta_pkg::SMALL ? 0 : 2)) u_lens (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(aw_valid_o && aw_ready_i), .ready_o(lens_ready), .data_i(aw_len_o),
    .valid_o(len_valid), .ready_i(len_done), .data_o(len)
  );
  assign w_valid_o = out_valid && len_valid;
  assign w_last_o  = beat_q == len;
  assign w_go      = w_valid_o && w_ready_i;
  assign len_done  = w_go && w_last_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (w_go) beat_q <= w_last_o ? '0 : beat_q + 1'b1;
  end

  if (LOG_LINES == 0) begin : g_whole
    assign w_data_o = out;
    assign out_done = w_go;
    for (genvar i = 0; i < LANES; i++) begin : g_strobe
      assign w_strb_o[i*BUS/8/LANES +: BUS/8/LANES] = {BUS/8/LANES{out_mask[i]}};
    end
  end else begin : g_parts
    logic [LOG_LINES-1:0] part_q;
    always_comb begin
      w_data_o = out[BUS-1:0];
      for (int i = 1; i < LINE / BUS; i++) begin
        if (part_q == LOG_LINES'(i)) w_data_o = out[i*BUS +: BUS];
      end
    end
    assign w_strb_o = '1;
    assign out_done = w_go && part_q == '1;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) part_q <= '0;
      else if (w_go) part_q <= part_q + 1'b1;
    end
    logic unused;
    assign unused = ^out_mask;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      room_for_read: assert (!read_q || out_ready);
      room_for_length: assert (!(aw_valid_o && aw_ready_i) || lens_ready);
    end
  end

`ifdef FORMAL
  // AXI: an offered command and offered data stay as they are; no data without their command.
  // Two small instructions, and a memory that answers a burst when its data are there: the unit comes back to idle.
  logic past_q = 1'b0;
  logic [2:0] answers_q;
  logic [1:0] taken_q;
  logic [3:0] quiet_q; // cycles without a new instruction and with all ready
  always_comb begin
    assume (b_valid_i == (answers_q != '0));
    assume (!valid_i || taken_q != 2'd2);
    assume (x_size <= 16'd1 && y_size <= 16'd1 && base_i == '0);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {answers_q, quiet_q, taken_q} <= '0;
    else begin
      taken_q   <= taken_q + 2'(valid_i && ready_o);
      answers_q <= answers_q + 3'(w_go && w_last_o) - 3'(b_valid_i && b_ready_o);
      if (valid_i || !aw_ready_i || !w_ready_i) quiet_q <= '0;
      else if (quiet_q != '1) quiet_q <= quiet_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (past_q && rst_ni) begin
      idle_again: assert (quiet_q != 4'd6 || valid_i || !active_o || over_o);
      if ($past(rst_ni && aw_valid_o && !aw_ready_i))
        command_stays: assert (aw_valid_o && $stable(aw_addr_o) && $stable(aw_len_o));
      if ($past(rst_ni && w_valid_o && !w_ready_i))
        data_stay: assert (w_valid_o && $stable(w_data_o) && $stable(w_strb_o) && $stable(w_last_o));
      data_after_command: assert (!w_valid_o || len_valid);
      within: assert (!w_valid_o || beat_q <= len);
      ended: cover (retire_o && $past(w_valid_o && w_last_o, 2));
    end
  end
`endif
endmodule
`default_nettype wire
