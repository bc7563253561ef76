// Two load engines behind one stream of instructions: inp and wgt of the load unit, uop and acc of the compute unit. They
// run at the same time; instructions end, and post their tokens, in order. A no-op passes through the order alone.
`default_nettype none
module vta_loads (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic       valid_i,
  output logic            ready_o,
  input  wire logic       nop_i,
  input  wire logic       second_i,    // which engine
  input  wire logic [1:0] post_i,      // tokens of the instruction: {next, prev}
  output logic            start0_o,    // the instruction goes to the engine
  input  wire logic       ready0_i,
  input  wire logic       done0_i,
  output logic            start1_o,
  input  wire logic       ready1_i,
  input  wire logic       done1_i,
  input  wire logic       may_post_i,  // what came before in the unit is complete: tokens may go
  input  wire logic       may_pass_i,  // else: an instruction without tokens may end before it
  output logic [1:0]      post_o,
  output logic            retire_o,    // an instruction ended
  output logic            idle_o
);
  localparam int LOG_DEPTH = 2;

  logic order_ready, head_valid, head_nop, head_second, pop;
  logic [1:0] head_post;
  logic [LOG_DEPTH:0] ended0_q, ended1_q;

  assign ready_o  = order_ready && (nop_i || (second_i ? ready1_i : ready0_i));
  assign start0_o = valid_i && order_ready && !nop_i && !second_i;
  assign start1_o = valid_i && order_ready && !nop_i && second_i;

  vta_fifo #(.W(4), .LOG_DEPTH(LOG_DEPTH)) u_order (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i && ready_o), .ready_o(order_ready),
    .data_i({nop_i, second_i, post_i}), .valid_o(head_valid), .ready_i(pop),
    .data_o({head_nop, head_second, head_post})
  );

  assign pop = head_valid && (may_post_i || (may_pass_i && head_post == 2'b00)) &&
               (head_nop || (head_second ? ended1_q != '0 || done1_i : ended0_q != '0 || done0_i));
  assign post_o   = pop ? head_post : 2'b00;
  assign retire_o = pop;
  assign idle_o   = !head_valid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ended0_q <= '0;
      ended1_q <= '0;
    end else begin
      ended0_q <= ended0_q + (LOG_DEPTH+1)'(done0_i) - (LOG_DEPTH+1)'(pop && !head_nop && !head_second);
      ended1_q <= ended1_q + (LOG_DEPTH+1)'(done1_i) - (LOG_DEPTH+1)'(pop && !head_nop && head_second);
    end
  end

`ifdef FORMAL
  // Engines end what they were given; then, when tokens may go, all comes out within a cycle for each place.
  logic [3:0] under0_q, under1_q;
  logic [2:0] quiet_q;
  always_comb begin
    assume (!done0_i || under0_q != '0);
    assume (!done1_i || under1_q != '0);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {under0_q, under1_q, quiet_q} <= '0;
    else begin
      under0_q <= under0_q + 4'(start0_o && ready0_i) - 4'(done0_i);
      under1_q <= under1_q + 4'(start1_o && ready1_i) - 4'(done1_i);
      if (valid_i || under0_q != '0 || under1_q != '0 || !may_post_i) quiet_q <= '0;
      else if (quiet_q != '1) quiet_q <= quiet_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      in_places: assert (ended0_q + ended1_q <= (LOG_DEPTH+1)'(1 << LOG_DEPTH));
      idle_again: assert (quiet_q != 3'd5 || idle_o);
      only_with_leave: assert (post_o == 2'b00 || may_post_i);
      two_wait: cover (ended0_q == (LOG_DEPTH+1)'(2) && !idle_o && head_second);
    end
  end
`endif
endmodule
`default_nettype wire
