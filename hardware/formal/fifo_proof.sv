// A queue: an entry chosen by the solver comes out in its turn and with its contents. QUEUE chooses the one in block RAM.
`default_nettype none
module fifo_proof #(
  parameter bit QUEUE = 1'b0
) (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic       valid_i,
  input wire logic [1:0] data_i,
  input wire logic       ready_i
);
  logic ready, valid;
  logic [1:0] data;
  if (QUEUE) begin : g_queue
    vta_queue #(.W(2), .LOG_DEPTH(2)) u_queue (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready), .data_i(data_i), .valid_o(valid),
      .ready_i(ready_i), .data_o(data)
    );
  end else begin : g_fifo
    vta_fifo #(.W(2), .LOG_DEPTH(2)) u_fifo (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready), .data_i(data_i), .valid_o(valid),
      .ready_i(ready_i), .data_o(data)
    );
  end

  (* anyconst *) logic [3:0] chosen;
  logic past_q = 1'b0;
  logic [3:0] in_q, out_q;
  logic [1:0] kept_q; // entries that went in and came out; the contents of the chosen one
  logic seen_q;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      in_q   <= 4'd0;
      out_q  <= 4'd0;
      seen_q <= 1'b0;
    end else begin
      if (valid_i && ready) begin
        in_q <= in_q + 4'd1;
        if (in_q == chosen && !seen_q) begin
          seen_q <= 1'b1;
          kept_q <= data_i;
        end
      end
      if (valid && ready_i) out_q <= out_q + 4'd1;
    end
  end
  always_comb begin
    if (!past_q) assume (!rst_ni);
    if (past_q) assume (rst_ni);
    assume (!(in_q == 4'd15 && valid_i)); // entries are numbered once
  end
  always_ff @(posedge clk_i) begin
    if (past_q && rst_ni) begin
      order: assert (!(valid && out_q == chosen) || (seen_q && data == kept_q));
      none_made: assert (!valid || in_q != out_q);
      none_lost: assert (4'(in_q - out_q) <= 4'd5);
      if ($past(valid && !ready_i && rst_ni)) stable: assert (valid && $stable(data));
      full: cover (!ready);
      passed: cover (out_q == 4'd5);
    end
  end
endmodule
`default_nettype wire
