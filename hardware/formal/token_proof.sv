// A token counter: what was posted and not taken is what it says, at every cycle. Posts may come in every cycle, as long as
// fewer are pending than it can count; takes when it says that there is some.
`default_nettype none
module token_proof (
  input wire logic clk_i,
  input wire logic rst_ni,
  input wire logic clear_i,
  input wire logic post_i,
  input wire logic take_i
);
  logic some;
  vta_token #(.W(3)) u_token (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(clear_i), .post_i(post_i), .some_o(some), .take_i(take_i)
  );

  logic past_q = 1'b0;
  logic [7:0] pending_q;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni || clear_i) pending_q <= 8'd0;
    else pending_q <= pending_q + 8'(post_i) - 8'(take_i);
  end
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!take_i || some);
    assume (!(post_i && pending_q == 8'd7));
  end
  always_ff @(posedge clk_i) begin
    if (past_q && rst_ni) begin
      few: assert (pending_q < 8'd8);
      tells: assert (some == (pending_q != 8'd0));
      full: cover (pending_q == 8'd7);
      emptied: cover (pending_q == 8'd0 && $past(pending_q) == 8'd1);
    end
  end
endmodule
`default_nettype wire
