// A token counter between two units (include/vta/token.def): posts minus takes, visible the cycle after. Wide enough for
// a post of every instruction of the longest stream, so that none is lost.
`default_nettype none
module vta_token #(
  parameter int W = vta_pkg::TOKEN_W
) (
  input  wire logic clk_i,
  input  wire logic rst_ni,
  input  wire logic clear_i, // a run begins
  input  wire logic post_i,
  output logic      some_o,
  input  wire logic take_i   // only when some_o
);
  logic [W-1:0] count_q, count_d;

  assign some_o = count_q != '0;

  always_comb begin
    count_d = count_q;
    if (post_i && !take_i) count_d = count_q + 1'b1;
    if (take_i && !post_i) count_d = count_q - 1'b1;
    if (clear_i) count_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= count_d;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      never_below_zero: assert (!take_i || some_o);
      never_lost: assert (!post_i || take_i || clear_i || count_q != '1);
    end
  end
endmodule
`default_nettype wire
