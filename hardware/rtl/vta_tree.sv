// Adds N signed numbers, a register after each level. Each number comes with a carry, worth 1 more: a level adds one of
// two and passes the other on, so the sum has one, too. Modulo 2^OUT_W.
`default_nettype none
module vta_tree #(
  parameter int N = 16,
  parameter int IN_W = 16,
  parameter int OUT_W = 20,
  localparam int LEVELS = $clog2(N)
) (
  input  wire logic               clk_i,
  input  wire logic [LEVELS-1:0]  enable_i, // of each level's registers
  input  wire logic [N*IN_W-1:0]  value_i,
  input  wire logic [N-1:0]       carry_i,
  output logic signed [OUT_W-1:0] value_o,
  output logic                    carry_o
);
  for (genvar k = 0; k <= LEVELS; k++) begin : g_level
    localparam int W = IN_W + k < OUT_W ? IN_W + k : OUT_W;
    localparam int BELOW = IN_W + k - 1 < OUT_W ? IN_W + k - 1 : OUT_W;
    localparam int COUNT = N >> k;
    logic [COUNT*W-1:0] value;
    logic [COUNT-1:0] carry;
    if (k == 0) begin : g_in
      assign value = value_i;
      assign carry = carry_i;
    end else begin : g_add
      always_ff @(posedge clk_i) begin
        if (enable_i[k-1]) begin
          for (int j = 0; j < COUNT; j++) begin
            value[j*W +: W] <= W'($signed(g_level[k-1].value[2*j*BELOW +: BELOW])) +
                               W'($signed(g_level[k-1].value[(2*j+1)*BELOW +: BELOW])) +
                               W'($signed({1'b0, g_level[k-1].carry[2*j]}));
            carry[j] <= g_level[k-1].carry[2*j+1];
          end
        end
      end
    end
  end
  assign value_o = OUT_W'($signed(g_level[LEVELS].value));
  assign carry_o = g_level[LEVELS].carry[0];
endmodule
`default_nettype wire
