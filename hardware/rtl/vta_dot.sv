// Two output channels of one row: the dot products of an input row with two weight rows. 1 cycle for the products, then one
// for each level of a tree of adders. Both sums share a word and its adders, that of wgt1 from bit SUM_W on.
//
// Products are raised by 2^(PRODUCT_W-1), which turns their sign bits: so all are positive, and no sum carries into the
// other. N of them raise a sum by the weight of its own sign bit, which is turned back at the end. With PACK one multiplier
// makes both products, (a << 16) + b times w; there the lower one keeps its sign. Its sign bits, SUM_W in all, make good what
// it borrowed from the upper product; where the lower sum is negative the upper one lacks 1, a carry.
// Where a sum could have more than 32 bits, each has a word of its own and wraps.
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
  localparam bit SHARED = INP_W + WGT_W + LEVELS <= 32;
  localparam int WORDS = SHARED ? 1 : 2;
  localparam int WORD_W = 2 * SUM_W / WORDS;
  localparam logic [PRODUCT_W-1:0] SIGN = {1'b1, {PRODUCT_W-1{1'b0}}};
  localparam logic [SUM_W-1:0] HIGH_SIGN = {SHARED, {SUM_W-1{1'b0}}};
  localparam logic [SUM_W-1:0] LOW_SIGN = {SHARED && !PACK, {SUM_W-1{1'b0}}};

  logic [2*SUM_W-1:0] sums;
  for (genvar w = 0; w < WORDS; w++) begin : g_word
    for (genvar i = 0; i < N; i++) begin : g_product
      logic [WORD_W-1:0] term;
      if (PACK) begin : g_pack
        logic signed [24:0] pair;
        logic signed [7:0] inp;
        logic signed [32:0] product_q;
        assign pair = (25'($signed(wgt1_i[i*WGT_W +: WGT_W])) <<< 16) + 25'($signed(wgt0_i[i*WGT_W +: WGT_W]));
        assign inp  = 8'($signed(inp_i[i*INP_W +: INP_W]));
        always_ff @(posedge clk_i) begin
          if (enable_i[0]) product_q <= 33'(pair) * 33'(inp);
        end
        logic [PRODUCT_W-1:0] high;
        logic [SUM_W-1:0] low;
        assign high = product_q[16 +: PRODUCT_W] ^ SIGN;
        assign low  = SUM_W'($signed(product_q[PRODUCT_W-1:0]));
        assign term = {SUM_W'(high), low};
        logic unused;
        assign unused = ^{product_q, term};
      end else if (SHARED) begin : g_two
        logic [PRODUCT_W-1:0] low, high, low_d, high_d;
        vta_product u_low (.inp_i(inp_i[i*INP_W +: INP_W]), .wgt_i(wgt0_i[i*WGT_W +: WGT_W]), .product_o(low));
        vta_product u_high (.inp_i(inp_i[i*INP_W +: INP_W]), .wgt_i(wgt1_i[i*WGT_W +: WGT_W]), .product_o(high));
        assign low_d  = low ^ SIGN;
        assign high_d = high ^ SIGN;
        always_ff @(posedge clk_i) begin
          if (enable_i[0]) term <= {SUM_W'(high_d), SUM_W'(low_d)};
        end
        logic unused;
        assign unused = ^term;
      end else begin : g_one
        logic [PRODUCT_W-1:0] product;
        vta_product u_product (
          .inp_i(inp_i[i*INP_W +: INP_W]), .wgt_i(w == 0 ? wgt0_i[i*WGT_W +: WGT_W] : wgt1_i[i*WGT_W +: WGT_W]),
          .product_o(product)
        );
        always_ff @(posedge clk_i) begin
          if (enable_i[0]) term <= SUM_W'($signed(product));
        end
      end
    end

    for (genvar k = 1; k <= LEVELS; k++) begin : g_level
      localparam int W = SHARED ? SUM_W + PRODUCT_W + k : SUM_W;
      for (genvar j = 0; j < N >> k; j++) begin : g_node
        logic [W-1:0] sum_q;
        if (k == 1) begin : g_first
          always_ff @(posedge clk_i) begin
            if (enable_i[k]) sum_q <= W'(g_product[2*j].term) + W'(g_product[2*j+1].term);
          end
        end else begin : g_next
          always_ff @(posedge clk_i) begin
            if (enable_i[k]) sum_q <= W'(g_level[k-1].g_node[2*j].sum_q) + W'(g_level[k-1].g_node[2*j+1].sum_q);
          end
        end
      end
    end
    if (LEVELS == 0) begin : g_sum
      assign sums[w*WORD_W +: WORD_W] = g_product[0].term;
    end else begin : g_sum
      assign sums[w*WORD_W +: WORD_W] = g_level[LEVELS].g_node[0].sum_q;
    end
  end

  assign sum_o   = sums ^ {HIGH_SIGN, LOW_SIGN};
  assign carry_o = {PACK && sums[SUM_W-1], 1'b0};
endmodule
`default_nettype wire
