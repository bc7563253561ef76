// The load unit: LOAD of inp and wgt. Each has an engine and a memory; the two streams run beside each other.
`default_nettype none
module vta_load (
  input  wire logic                          clk_i,
  input  wire logic                          rst_ni,
  input  wire logic                          valid_i,
  output logic                               ready_o,
  input  wire logic [vta_pkg::INSN_BITS-1:0] insn_i,
  // Tokens of compute (next).
  input  wire logic                          token_i,
  output logic                               take_o,
  output logic                               post_o,
  // Reads: 0 inp, 1 wgt.
  output logic [1:0]                         cmd_valid_o,
  input  wire logic [1:0]                    cmd_ready_i,
  output logic [63:0]                        cmd_addr_o,
  output logic [15:0]                        cmd_len_o,
  output logic [1:0]                         cmd_over_o,
  input  wire logic [1:0]                    line_valid_i,
  output logic [1:0]                         line_ready_o,
  input  wire logic [vta_pkg::BUS_BITS-1:0]  line_i,
  // What compute reads, a cycle late.
  input  wire logic                          read_i,
  input  wire logic [vta_pkg::INP_INDEX_W-1:0] inp_index_i,
  input  wire logic [vta_pkg::WGT_INDEX_W-1:0] wgt_index_i,
  output logic [vta_pkg::INP_BITS-1:0]       inp_o,
  output logic [vta_pkg::WGT_BITS-1:0]       wgt_o,
  output logic                               retire_o,
  output logic                               active_o
);
  logic nop, wgt, pop, tokens, loads_ready, loads_idle;
  logic start_inp, start_wgt, ready_inp, ready_wgt, done_inp, done_wgt, inp_write, wgt_write;
  logic [1:0] post, unused_idle, unused_past;
  logic [vta_pkg::INP_INDEX_W-1:0] unused_inp;
  logic [vta_pkg::WGT_INDEX_W-1:0] unused_wgt;
  logic [vta_pkg::INP_INDEX_W-1:0] inp_write_index;
  logic [vta_pkg::INP_LANES-1:0] inp_write_mask;
  logic [vta_pkg::INP_LANES*vta_pkg::INP_BITS-1:0] inp_write_data;
  logic [vta_pkg::WGT_INDEX_W-1:0] wgt_write_index;
  logic [vta_pkg::WGT_LANES-1:0] wgt_write_mask;
  logic [vta_pkg::WGT_LANES*vta_pkg::WGT_BITS-1:0] wgt_write_data;

  assign nop      = insn_i[vta_pkg::MEM_X_SIZE_AT +: vta_pkg::MEM_X_SIZE_W] == '0;
  assign wgt      = insn_i[vta_pkg::MEM_MEMORY_TYPE_AT +: vta_pkg::MEM_MEMORY_TYPE_W] == vta_pkg::MEM_WGT;
  assign pop      = insn_i[vta_pkg::POP_NEXT_DEP_AT];
  assign tokens   = !pop || token_i;
  assign ready_o  = tokens && loads_ready;
  assign take_o   = valid_i && ready_o && pop;
  assign post_o   = post[1];
  assign active_o = !loads_idle || (valid_i && ready_o);

  vta_loads u_loads (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i && tokens), .ready_o(loads_ready), .nop_i(nop), .second_i(wgt),
    .post_i({insn_i[vta_pkg::PUSH_NEXT_DEP_AT], 1'b0}), .start0_o(start_inp), .ready0_i(ready_inp),
    .done0_i(done_inp), .start1_o(start_wgt), .ready1_i(ready_wgt), .done1_i(done_wgt), .may_post_i(1'b1),
    .may_pass_i(1'b1), .post_o(post), .retire_o(retire_o), .idle_o(loads_idle)
  );
  vta_load_engine #(
    .LOG_ELEM(vta_pkg::LOG_INP_BYTES), .LANES(vta_pkg::INP_LANES), .INDEX_W(vta_pkg::INP_INDEX_W)
  ) u_inp_engine (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(start_inp), .ready_o(ready_inp), .insn_i(insn_i), .done_o(done_inp),
    .idle_o(unused_idle[0]), .past_o(unused_past[0]), .next_o(unused_inp), .cmd_valid_o(cmd_valid_o[0]),
    .cmd_ready_i(cmd_ready_i[0]),
    .cmd_addr_o(cmd_addr_o[31:0]), .cmd_len_o(cmd_len_o[7:0]), .cmd_over_o(cmd_over_o[0]),
    .line_valid_i(line_valid_i[0]), .line_ready_o(line_ready_o[0]), .line_i(line_i), .write_valid_o(inp_write),
    .write_ready_i(1'b1), .write_index_o(inp_write_index), .write_mask_o(inp_write_mask),
    .write_data_o(inp_write_data)
  );
  vta_load_engine #(
    .LOG_ELEM(vta_pkg::LOG_WGT_BYTES), .LANES(vta_pkg::WGT_LANES), .INDEX_W(vta_pkg::WGT_INDEX_W),
    .PADS(!vta_pkg::SMALL)
  ) u_wgt_engine (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(start_wgt), .ready_o(ready_wgt), .insn_i(insn_i), .done_o(done_wgt),
    .idle_o(unused_idle[1]), .past_o(unused_past[1]), .next_o(unused_wgt), .cmd_valid_o(cmd_valid_o[1]),
    .cmd_ready_i(cmd_ready_i[1]),
    .cmd_addr_o(cmd_addr_o[63:32]), .cmd_len_o(cmd_len_o[15:8]), .cmd_over_o(cmd_over_o[1]),
    .line_valid_i(line_valid_i[1]), .line_ready_o(line_ready_o[1]), .line_i(line_i), .write_valid_o(wgt_write),
    .write_ready_i(1'b1), .write_index_o(wgt_write_index), .write_mask_o(wgt_write_mask),
    .write_data_o(wgt_write_data)
  );

  vta_buffer #(
    .ELEM_BITS(vta_pkg::INP_BITS), .INDEX_W(vta_pkg::INP_INDEX_W), .BANKS(vta_pkg::INP_LANES),
    .WRITES(vta_pkg::INP_LANES)
  ) u_inp (
    .clk_i(clk_i), .write_i(inp_write), .write_index_i(inp_write_index), .write_mask_i(inp_write_mask),
    .write_data_i(inp_write_data), .read_i(read_i), .read_index_i(inp_index_i), .read_data_o(inp_o)
  );
  vta_buffer #(
    .ELEM_BITS(vta_pkg::WGT_BITS), .INDEX_W(vta_pkg::WGT_INDEX_W), .BANKS(vta_pkg::WGT_LANES),
    .WRITES(vta_pkg::WGT_LANES)
  ) u_wgt (
    .clk_i(clk_i), .write_i(wgt_write), .write_index_i(wgt_write_index), .write_mask_i(wgt_write_mask),
    .write_data_i(wgt_write_data), .read_i(read_i), .read_index_i(wgt_index_i), .read_data_o(wgt_o)
  );
  logic unused;
  assign unused = ^{post[0], unused_idle, unused_past, unused_inp, unused_wgt};
endmodule
`default_nettype wire
