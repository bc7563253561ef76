// The matrix multiplier: every cycle an inp element (BATCH x BLOCK_IN) times a wgt element (BLOCK_OUT x BLOCK_IN)
// transposed. The sums are there LATENCY cycles after the operands. Meaning: one() of src/vta/device/core/gemm.c.
`default_nettype none
module vta_gemm #(
  parameter int SUM_W = 20,
  localparam int LEVELS = $clog2(vta_pkg::BLOCK_IN),
  localparam int LANES = vta_pkg::BATCH * vta_pkg::BLOCK_OUT,
  localparam int INP_BITS = vta_pkg::BATCH * vta_pkg::BLOCK_IN * vta_pkg::INP_W,
  localparam int WGT_BITS = vta_pkg::BLOCK_OUT * vta_pkg::BLOCK_IN * vta_pkg::WGT_W
) (
  input  wire logic                clk_i,
  input  wire logic [LEVELS:0]     enable_i, // of each stage
  input  wire logic [INP_BITS-1:0] inp_i,
  input  wire logic [WGT_BITS-1:0] wgt_i,
  output logic [LANES*SUM_W-1:0]   sum_o,    // lane b * BLOCK_OUT + o
  output logic [LANES-1:0]         carry_o   // 1 more to add
);
  localparam int INP_ROW = vta_pkg::BLOCK_IN * vta_pkg::INP_W;
  localparam int WGT_ROW = vta_pkg::BLOCK_IN * vta_pkg::WGT_W;

  for (genvar b = 0; b < vta_pkg::BATCH; b++) begin : g_row
    for (genvar o = 0; o < vta_pkg::BLOCK_OUT; o += 2) begin : g_pair
      localparam int LANE = b * vta_pkg::BLOCK_OUT + o;
      vta_dot #(.PACK(vta_pkg::MUL_PACK), .SUM_W(SUM_W)) u_dot (
        .clk_i(clk_i), .enable_i(enable_i), .inp_i(inp_i[b*INP_ROW +: INP_ROW]), .wgt0_i(wgt_i[o*WGT_ROW +: WGT_ROW]),
        .wgt1_i(wgt_i[(o+1)*WGT_ROW +: WGT_ROW]), .sum_o(sum_o[LANE*SUM_W +: 2*SUM_W]), .carry_o(carry_o[LANE +: 2])
      );
    end
  end
endmodule
`default_nettype wire
