// Adds N signed numbers modulo 2^OUT_W, a register after each level.
`default_nettype none
module vta_tree #(
  parameter int N = 16,
  parameter int IN_W = 16,
  parameter int OUT_W = 20,
  localparam int LEVELS = $clog2(N)
) (
  input  wire logic               clk_i,
  input  wire logic [N*IN_W-1:0]  value_i,
  output logic signed [OUT_W-1:0] value_o
);
  for (genvar k = 0; k <= LEVELS; k++) begin : g_level
    localparam int W = IN_W + k < OUT_W ? IN_W + k : OUT_W;
    localparam int BELOW = IN_W + k - 1 < OUT_W ? IN_W + k - 1 : OUT_W;
    localparam int COUNT = N >> k;
    logic [COUNT*W-1:0] value;
    if (k == 0) begin : g_in
      assign value = value_i;
    end else begin : g_add
      always_ff @(posedge clk_i) begin
        for (int j = 0; j < COUNT; j++) begin
          value[j*W +: W] <= W'($signed(g_level[k-1].value[2*j*BELOW +: BELOW])) +
                             W'($signed(g_level[k-1].value[(2*j+1)*BELOW +: BELOW]));
        end
      end
    end
  end
  assign value_o = OUT_W'($signed(g_level[LEVELS].value));
endmodule
`default_nettype wire
