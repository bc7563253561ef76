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
    count_d = count_q + {{(W-1){take_i && !post_i}}, take_i != post_i};
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

`ifdef FORMAL
  logic [W:0] posts_q, takes_q; // since the run began
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {posts_q, takes_q} <= '0;
    else if (clear_i) {posts_q, takes_q} <= '0;
    else begin
      posts_q <= posts_q + (W+1)'(post_i);
      takes_q <= takes_q + (W+1)'(take_i);
    end
  end
  always_comb begin
    if (rst_ni) begin // what the units keep
      assume (!take_i || some_o);
      assume (!post_i || take_i || clear_i || count_q != '1);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      counts: assert ((W+1)'(posts_q - takes_q) == {1'b0, count_q});
      tells: assert (some_o == (posts_q != takes_q));
      full: cover (count_q == '1);
      emptied: cover (count_q == '0 && posts_q == (W+1)'(3));
    end
  end
`endif
endmodule
`default_nettype wire
