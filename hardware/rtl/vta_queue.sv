// A module queue: many entries in block RAM. An entry is at the output two cycles after it went in; when the queue is
// never empty, one goes in and one comes out every cycle. many_o: MANY entries or more stand in memory; never, where it has
// not twice as many places.
`default_nettype none
module vta_queue #(
  parameter int W = 128,
  parameter int LOG_DEPTH = 9,
  parameter int MANY = 8
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  output logic              ready_o,
  input  wire logic [W-1:0] data_i,
  output logic              valid_o,
  input  wire logic         ready_i,
  output logic [W-1:0]      data_o,
  output logic              many_o
);
  (* no_rw_check *) logic [W-1:0] mem [0:(1<<LOG_DEPTH)-1];
  logic [LOG_DEPTH:0] write_q, read_q; // read_q: the next entry to bring to the output
  logic valid_q, push, fill;
  logic [W-1:0] data_q;

  assign ready_o = (write_q ^ read_q) != {1'b1, {LOG_DEPTH{1'b0}}};
  assign valid_o = valid_q;
  assign data_o  = data_q;
  assign push    = valid_i && ready_o;
  assign fill    = write_q != read_q && (!valid_q || ready_i);
  if ((1 << LOG_DEPTH) >= 2 * MANY) begin : g_many
    logic [LOG_DEPTH:0] entries;
    assign entries = write_q - read_q;
    assign many_o  = entries >= (LOG_DEPTH+1)'(MANY);
  end else begin : g_few
    assign many_o = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (push) mem[write_q[LOG_DEPTH-1:0]] <= data_i;
  end

  // An entry is read after the cycle of its write: the two never meet.
  always_ff @(posedge clk_i) begin
    if (fill) data_q <= mem[read_q[LOG_DEPTH-1:0]];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      valid_q <= 1'b0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (fill) read_q <= read_q + 1'b1;
      valid_q <= fill || (valid_q && !ready_i);
    end
  end

`ifdef FORMAL
  // An entry chosen by the solver comes out in its turn and with its contents.
  (* anyconst *) logic [LOG_DEPTH:0] chosen;
  logic [LOG_DEPTH:0] count, ahead;
  logic [W-1:0] kept_q;
  logic inside_q, last_q, past_q = 1'b0; // in memory; at the output
  assign count = write_q - read_q;
  assign ahead = chosen - read_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {inside_q, last_q} <= '0;
    else begin
      if (push && write_q == chosen) inside_q <= 1'b1;
      else if (fill && read_q == chosen) inside_q <= 1'b0;
      if (fill) last_q <= read_q == chosen;
      else if (ready_i) last_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (push && write_q == chosen) kept_q <= data_i;
    if (rst_ni) begin
      fits: assert (count <= (LOG_DEPTH+1)'(1 << LOG_DEPTH));
      is_there: assert (inside_q == (ahead < count));
      keeps: assert (!inside_q || mem[chosen[LOG_DEPTH-1:0]] == kept_q);
      one_place: assert (!last_q || valid_q);
      comes_out: assert (!last_q || inside_q || data_q == kept_q);
      if (past_q && $past(rst_ni && fill && read_q == chosen)) in_turn: assert (last_q && data_q == $past(kept_q));
      if (past_q && $past(rst_ni && valid_q && !ready_i)) stays: assert (valid_q && $stable(data_q));
      full: cover (!ready_o);
      passed: cover (past_q && $past(last_q) && !last_q);
    end
  end
`endif
endmodule
`default_nettype wire
