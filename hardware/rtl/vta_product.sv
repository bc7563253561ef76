// The product of an inp and a wgt scalar, without a register: a multiplier of the part, or, with SMALL, a row of adders
// for each bit of wgt. A row adds inp, or nothing, to what the row before left above its last bit.
`default_nettype none
module vta_product #(
  localparam int INP_W = vta_pkg::INP_W,
  localparam int WGT_W = vta_pkg::WGT_W,
  localparam int PRODUCT_W = INP_W + WGT_W < 32 ? INP_W + WGT_W : 32
) (
  input  wire logic [INP_W-1:0] inp_i,
  input  wire logic [WGT_W-1:0] wgt_i,
  output logic [PRODUCT_W-1:0]  product_o // modulo 2^PRODUCT_W
);
  if (vta_pkg::SMALL) begin : g_luts
    localparam int ROW_W = INP_W + 1;
    logic [ROW_W-1:0] inp;
    logic [INP_W+WGT_W-1:0] product;
    assign inp = ROW_W'($signed(inp_i));
    for (genvar i = 0; i < WGT_W; i++) begin : g_bit
      logic [ROW_W-1:0] above, term, row;
      assign term = wgt_i[i] ? inp : '0;
      if (i == 0) begin : g_first
        assign above = '0;
      end else begin : g_next
        assign above = {g_bit[i-1].row[ROW_W-1], g_bit[i-1].row[ROW_W-1:1]};
      end
      assign row = i == WGT_W - 1 ? above - term : above + term; // the last bit is the sign
      assign product[i] = row[0];
    end
    assign product[INP_W+WGT_W-1:WGT_W] = g_bit[WGT_W-1].row[ROW_W-1:1];
    assign product_o = PRODUCT_W'(product);
    if (PRODUCT_W < INP_W + WGT_W) begin : g_cut
      logic unused;
      assign unused = ^product;
    end
  end else begin : g_multiplier
    logic signed [31:0] inp, wgt; // as wide as a word: a model extends them once
    assign inp = 32'($signed(inp_i));
    assign wgt = 32'($signed(wgt_i));
    assign product_o = PRODUCT_W'(inp * wgt);
  end
endmodule
`default_nettype wire
