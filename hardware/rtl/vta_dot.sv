// Two output channels of one row: the dot products of an input row with two weight rows. With PACK one multiplier makes
// both products: (a << 16) + b times w, whose upper half lacks 1 where the lower half is negative; that 1 goes along as a
// carry. 1 cycle for the products, then a level of the tree each.
`default_nettype none
module vta_dot #(
  parameter bit PACK = 1'b0,
  parameter int SUM_W = 20,
  localparam int N = vta_pkg::BLOCK_IN,
  localparam int INP_W = vta_pkg::INP_W,
  localparam int WGT_W = vta_pkg::WGT_W,
  localparam int LEVELS = $clog2(N)
) (
  input  wire logic               clk_i,
  input  wire logic [LEVELS:0]    enable_i, // products, then each level
  input  wire logic [N*INP_W-1:0] inp_i,
  input  wire logic [N*WGT_W-1:0] wgt0_i,
  input  wire logic [N*WGT_W-1:0] wgt1_i,
  output logic [2*SUM_W-1:0]      sum_o,
  output logic [1:0]              carry_o
);
  localparam int PRODUCT_W = INP_W + WGT_W < 32 ? INP_W + WGT_W : 32;
  localparam int TREE_W = PACK ? 16 : PRODUCT_W;

  logic [N*TREE_W-1:0] low, high;
  logic [N-1:0] carry;

  if (PACK) begin : g_pack
    for (genvar i = 0; i < N; i++) begin : g_product
      logic signed [24:0] pair;
      logic signed [7:0] inp;
      logic signed [32:0] product_q;
      assign pair = (25'($signed(wgt1_i[i*WGT_W +: WGT_W])) <<< 16) + 25'($signed(wgt0_i[i*WGT_W +: WGT_W]));
      assign inp  = 8'($signed(inp_i[i*INP_W +: INP_W]));
      always_ff @(posedge clk_i) begin
        if (enable_i[0]) product_q <= 33'(pair) * 33'(inp);
      end
      assign low[i*16 +: 16]  = product_q[15:0];
      assign high[i*16 +: 16] = product_q[31:16];
      assign carry[i]         = product_q[15];
      logic unused;
      assign unused = product_q[32];
    end
  end else begin : g_plain
    for (genvar i = 0; i < N; i++) begin : g_product
      logic [PRODUCT_W-1:0] low_d, high_d, low_q, high_q;
      vta_product u_low (.inp_i(inp_i[i*INP_W +: INP_W]), .wgt_i(wgt0_i[i*WGT_W +: WGT_W]), .product_o(low_d));
      vta_product u_high (.inp_i(inp_i[i*INP_W +: INP_W]), .wgt_i(wgt1_i[i*WGT_W +: WGT_W]), .product_o(high_d));
      always_ff @(posedge clk_i) begin
        if (enable_i[0]) begin
          low_q  <= low_d;
          high_q <= high_d;
        end
      end
      assign low[i*TREE_W +: TREE_W]  = low_q;
      assign high[i*TREE_W +: TREE_W] = high_q;
    end
    assign carry = '0;
  end

  logic signed [SUM_W-1:0] sum0, sum1;
  logic carry0, carry1;
  vta_tree #(.N(N), .IN_W(TREE_W), .OUT_W(SUM_W)) u_low (
    .clk_i(clk_i), .enable_i(enable_i[LEVELS:1]), .value_i(low), .carry_i({N{1'b0}}), .value_o(sum0), .carry_o(carry0)
  );
  vta_tree #(.N(N), .IN_W(TREE_W), .OUT_W(SUM_W)) u_high (
    .clk_i(clk_i), .enable_i(enable_i[LEVELS:1]), .value_i(high), .carry_i(carry), .value_o(sum1), .carry_o(carry1)
  );
  assign sum_o   = {sum1, sum0};
  assign carry_o = {carry1, carry0};
endmodule
`default_nettype wire
