// The loops of a GEMM or ALU instruction: for y < iter_out, x < iter_in, u in [uop_bgn, uop_end), a micro-op a cycle. The
// micro-op buffer is read in the cycle in which an instruction is taken; from the next cycle on the micro-op's word and
// what the loops add to its indices stand at the output. Meaning: src/vta/device/core/loops.c.
`default_nettype none
module vta_sequencer (
  input  wire logic                          clk_i,
  input  wire logic                          rst_ni,
  input  wire logic                          valid_i,
  output logic                               ready_o,
  input  wire logic                          bubble_i, // nothing to do but to pass through, once
  input  wire logic [vta_pkg::INSN_BITS-1:0] insn_i,
  output logic                               read_o,   // the micro-op buffer
  output logic [vta_pkg::UOP_INDEX_W-1:0]    read_index_o,
  output logic                               valid_o,
  input  wire logic                          ready_i,
  output logic                               last_o,   // of this instruction
  output logic                               bubble_o,
  output logic [vta_pkg::ACC_INDEX_W-1:0]    dst_o,
  output logic [vta_pkg::SRC_INDEX_W-1:0]    src_o,
  output logic [vta_pkg::WGT_INDEX_W-1:0]    wgt_o,
  output logic [vta_pkg::UOP_INDEX_W-1:0]    first_o, // micro-ops that the instruction reads
  output logic [vta_pkg::UOP_INDEX_W-1:0]    final_o
);
  localparam int U = vta_pkg::UOP_INDEX_W;
  localparam int A = vta_pkg::ACC_INDEX_W;
  localparam int S = vta_pkg::SRC_INDEX_W;
  localparam int W = vta_pkg::WGT_INDEX_W;

  logic [U-1:0] bgn;
  logic [U:0] uop_end;
  logic [13:0] iter_out, iter_in;
  logic gemm, take, step, empty;
  assign bgn      = insn_i[vta_pkg::GEMM_UOP_BGN_AT +: vta_pkg::GEMM_UOP_BGN_W];
  assign uop_end  = insn_i[vta_pkg::GEMM_UOP_END_AT +: vta_pkg::GEMM_UOP_END_W];
  assign iter_out = insn_i[vta_pkg::GEMM_ITER_OUT_AT +: vta_pkg::GEMM_ITER_OUT_W];
  assign iter_in  = insn_i[vta_pkg::GEMM_ITER_IN_AT +: vta_pkg::GEMM_ITER_IN_W];
  assign gemm     = insn_i[vta_pkg::OPCODE_AT +: vta_pkg::OPCODE_W] == vta_pkg::OP_GEMM;
  assign empty    = bubble_i || iter_out == '0 || iter_in == '0 || uop_end <= {1'b0, bgn};

  logic valid_q, bubble_q, last_u, last_x, last_y;
  logic [U-1:0] bgn_q, uop_q, uop_last_q;
  logic [13:0] in_q, x_q, y_q; // iterations of the inner loop; those left after this one
  logic [A-1:0] dst_out_q, dst_in_q, dst_step_out_q, dst_step_in_q;
  logic [S-1:0] src_out_q, src_in_q, src_step_out_q, src_step_in_q;
  logic [W-1:0] wgt_out_q, wgt_in_q, wgt_step_out_q, wgt_step_in_q;

  assign last_u   = uop_q == uop_last_q;
  assign last_x   = x_q == '0;
  assign last_y   = y_q == '0;
  assign valid_o  = valid_q;
  assign bubble_o = bubble_q;
  assign last_o   = bubble_q || (last_u && last_x && last_y);
  assign step     = valid_q && ready_i;
  assign ready_o  = !valid_q || (ready_i && last_o);
  assign take     = valid_i && ready_o;
  assign dst_o    = dst_in_q;
  assign src_o    = src_in_q;
  assign wgt_o    = wgt_in_q;
  assign first_o  = bgn_q;
  assign final_o  = uop_last_q;

  assign read_o       = take || step;
  assign read_index_o = take ? bgn : last_u ? bgn_q : uop_q + 1'b1;

  logic unused; // what the unit looks at
  assign unused = ^insn_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= take || (valid_q && !(step && last_o));
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      bubble_q   <= empty;
      bgn_q      <= bgn;
      uop_q      <= bgn;
      uop_last_q <= U'(uop_end - 1'b1);
      in_q       <= iter_in - 1'b1;
      x_q        <= iter_in - 1'b1;
      y_q        <= iter_out - 1'b1;
    end else if (step) begin
      uop_q <= read_index_o;
      if (last_u) x_q <= last_x ? in_q : x_q - 1'b1;
      if (last_u && last_x) y_q <= y_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      dst_step_out_q <= insn_i[vta_pkg::GEMM_DST_FACTOR_OUT_AT +: vta_pkg::GEMM_DST_FACTOR_OUT_W];
      dst_step_in_q  <= insn_i[vta_pkg::GEMM_DST_FACTOR_IN_AT +: vta_pkg::GEMM_DST_FACTOR_IN_W];
      src_step_out_q <= gemm ? S'(insn_i[vta_pkg::GEMM_SRC_FACTOR_OUT_AT +: vta_pkg::GEMM_SRC_FACTOR_OUT_W])
                             : S'(insn_i[vta_pkg::ALU_SRC_FACTOR_OUT_AT +: vta_pkg::ALU_SRC_FACTOR_OUT_W]);
      src_step_in_q  <= gemm ? S'(insn_i[vta_pkg::GEMM_SRC_FACTOR_IN_AT +: vta_pkg::GEMM_SRC_FACTOR_IN_W])
                             : S'(insn_i[vta_pkg::ALU_SRC_FACTOR_IN_AT +: vta_pkg::ALU_SRC_FACTOR_IN_W]);
      wgt_step_out_q <= insn_i[vta_pkg::GEMM_WGT_FACTOR_OUT_AT +: vta_pkg::GEMM_WGT_FACTOR_OUT_W];
      wgt_step_in_q  <= insn_i[vta_pkg::GEMM_WGT_FACTOR_IN_AT +: vta_pkg::GEMM_WGT_FACTOR_IN_W];
      {dst_out_q, src_out_q, wgt_out_q} <= '0;
      {dst_in_q, src_in_q, wgt_in_q}    <= '0;
    end else if (step && last_u && last_x) begin
      dst_out_q <= dst_out_q + dst_step_out_q;
      src_out_q <= src_out_q + src_step_out_q;
      wgt_out_q <= wgt_out_q + wgt_step_out_q;
      dst_in_q  <= dst_out_q + dst_step_out_q;
      src_in_q  <= src_out_q + src_step_out_q;
      wgt_in_q  <= wgt_out_q + wgt_step_out_q;
    end else if (step && last_u) begin
      dst_in_q <= dst_in_q + dst_step_in_q;
      src_in_q <= src_in_q + src_step_in_q;
      wgt_in_q <= wgt_in_q + wgt_step_in_q;
    end
  end

`ifdef FORMAL
  // As many steps as the loops say, for loops of up to 2 x 2 x 2; then it is idle.
  logic [3:0] left_q;
  logic [U:0] uops;
  assign uops = uop_end - {1'b0, bgn};
  always_comb assume (iter_out <= 14'd2 && iter_in <= 14'd2 && (uop_end <= {1'b0, bgn} || uops <= (U+1)'(2)));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (take) left_q <= empty ? 4'd1 : 4'd1 << (2'(iter_out[1]) + 2'(iter_in[1]) + 2'(uops[1]));
    else if (step) left_q <= left_q - 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      idle_again: assert (valid_q == (left_q != '0));
      counts: assert (!valid_q || last_o == (left_q == 4'd1));
      several: cover (step && last_o && y_q == '0 && uop_q != bgn_q && in_q != '0);
    end
  end
`endif
endmodule
`default_nettype wire
